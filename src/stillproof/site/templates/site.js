// Sorting, filtering, choice of columns and weights of a leaderboard; all of it is kept in the address.
"use strict";
(() => {
  const table = document.querySelector("table.board");
  const boards = table && table.dataset.pages.split(" ").map((page) => window.stillproof?.[table.dataset.set]?.[page]);
  if (!boards?.every(Boolean)) return;
  const FILTERS = { kind: "images", labels: "labels", ipc: "per class", network: "network", protocol: "protocol" };
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const keys = heads.map((head) => head.dataset.key);
  const sides = heads.filter((head) => "side" in head.dataset).map((head) => head.dataset.key);
  const about = keys.filter((key) => !sides.includes(key));
  const groups = boards.flatMap((board, group) => board.methods.map(() => group)); // rows are ranked within their board
  const known = Object.fromEntries(sides.map((side) => [side, column(side)]));
  const weighed = sides.filter((side) => known[side].weighs);
  const choices = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, choicesOf(name)]));
  const filters = Object.keys(FILTERS).filter((name) => choices[name].length > 1);
  const original = new Map();
  let state = read();

  function column(side) {
    const none = (board) => board.methods.map(() => null);
    const every = (key) => boards.flatMap((board) => { const own = board.sides[side]?.[key]; return own?.length ? own : none(board); });
    const { better, weighs } = boards.find((board) => board.sides[side]).sides[side];
    return { better, weighs, values: every("values"), ends: every("ends"), parts: every("parts") };
  }

  function choicesOf(name) {
    return [...new Set(rows.map((row) => row.dataset[name]))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const [, sort, way] = /^(.*?)(?::(up|down))?$/s.exec(asked.get("sort") ?? "");
    const weight = {};
    for (const side of weighed) {
      const given = Number.parseFloat(asked.get(`weight-${side}`) ?? "");
      if (given >= 0 && given <= 1 && given !== 0.5) weight[side] = given;
    }
    return {
      sort: keys.includes(sort) ? sort : "",
      down: way !== "up",
      find: asked.get("find") ?? "",
      only: Object.fromEntries(filters.filter((name) => choices[name].includes(asked.get(name))).map((name) => [name, asked.get(name)])),
      hide: new Set((asked.get("hide") ?? "").split(",").filter((side) => sides.includes(side))),
      weight,
    };
  }

  function write() {
    const told = new URLSearchParams();
    if (state.sort) told.set("sort", `${state.sort}:${state.down ? "down" : "up"}`);
    if (state.find) told.set("find", state.find);
    for (const [name, value] of Object.entries(state.only)) told.set(name, value);
    if (state.hide.size) told.set("hide", [...state.hide].join(","));
    for (const [side, weight] of Object.entries(state.weight)) told.set(`weight-${side}`, String(weight));
    const hash = told.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  function score(side, row) {
    const { weighs, values, parts } = known[side];
    const weight = state.weight[side];
    if (weight === undefined || !parts[row]) return values[row];
    const [low, high] = parts[row];
    const seeds = low.map((one, seed) => (one === null || high[seed] === null ? null : (1 - weight) * one + weight * high[seed]));
    const found = seeds.filter((one) => one !== null);
    if (!found.length) return null;
    const least = Math.exp(-1);
    const scaled = weighs === "convexly" ? found.map((x) => (Math.exp(x) - least) / (Math.E - least)) : found;
    return scaled.reduce((sum, one) => sum + one, 0) / scaled.length;
  }

  function showWeights() {
    for (const side of weighed) {
      const scores = rows.map((_, row) => score(side, row));
      rows.forEach((row, number) => {
        const cell = row.cells[keys.indexOf(side)];
        if (!original.has(cell)) original.set(cell, [...cell.childNodes]);
        if (state.weight[side] === undefined || scores[number] === null) {
          cell.replaceChildren(...original.get(cell));
          cell.classList.toggle("leads", Boolean(cell.querySelector(".star")));
          return;
        }
        const above = (one, other) => one !== null && one > scores[number] && groups[other] === groups[number];
        const rank = 1 + scores.filter(above).length;
        const mean = element("span", { class: "mean" }, (100 * scores[number]).toFixed(1));
        cell.replaceChildren(mean, element("small", {}, `rank ${rank} by this weight`));
        cell.classList.remove("leads");
      });
    }
  }

  function value(key, row) {
    if (sides.includes(key)) return score(key, row);
    return key === "ipc" ? Number(rows[row].dataset.ipc) : rows[row].dataset[key];
  }

  function isShown(row) {
    const words = state.find.toLowerCase();
    return row.dataset.method.toLowerCase().includes(words) && Object.entries(state.only).every(([name, one]) => row.dataset[name] === one);
  }

  function show() {
    showWeights();
    const order = rows.map((_, number) => number);
    if (state.sort) {
      const found = order.map((row) => value(state.sort, row));
      order.sort((one, other) => {
        const [a, b] = [found[one], found[other]];
        if (a === null || b === null) return (a === null) - (b === null);
        const way = typeof a === "string" ? a.localeCompare(b) : a - b;
        return state.down ? -way : way;
      });
    }
    for (const row of rows) row.hidden = !isShown(row);
    body.append(...order.map((number) => rows[number]));
    heads.forEach((head, place) => {
      if (keys[place] === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      const hidden = state.hide.has(keys[place]);
      if (head.hidden === hidden) return;
      head.hidden = hidden;
      for (const row of rows) row.cells[place].hidden = hidden;
    });
    const left = rows.filter((row) => !row.hidden).length;
    status.textContent = `${left} of ${rows.length} ${groups.at(-1) ? "rows" : "methods"}`;
  }

  function changed(change) {
    Object.assign(state, change);
    write();
    show();
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, one] of Object.entries(attributes)) made.setAttribute(name, one);
    made.append(...children);
    return made;
  }

  const status = element("output", { class: "status", "aria-live": "polite" });
  const tools = element("form", { class: "tools", "aria-label": "What the table shows" });
  tools.addEventListener("submit", (event) => event.preventDefault());
  const find = element("input", { type: "search", id: "find", autocomplete: "off", placeholder: "name" });
  find.addEventListener("input", () => changed({ find: find.value }));
  tools.append(element("label", { for: "find" }, "method ", find));

  const selects = new Map();
  for (const name of filters) {
    const options = choices[name].map((one) => element("option", { value: one }, one || "not known"));
    const select = element("select", { name }, element("option", { value: "*" }, "all"), ...options);
    select.addEventListener("change", () => {
      const { [name]: _, ...rest } = state.only;
      changed({ only: select.value === "*" ? rest : { ...rest, [name]: select.value } });
    });
    selects.set(name, select);
    tools.append(element("label", {}, `${FILTERS[name]} `, select));
  }

  const columns = element("details", {}, element("summary", {}, "Columns"));
  const boxes = new Map();
  for (const side of sides) {
    const box = element("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      const hide = new Set(state.hide);
      if (box.checked) hide.delete(side);
      else hide.add(side);
      changed({ hide });
    });
    boxes.set(side, box);
    columns.append(element("label", {}, box, ` ${side}`));
  }
  tools.append(columns);

  const sliders = new Map();
  const weights = element("details", {}, element("summary", {}, "Weights"));
  for (const side of weighed) {
    const slider = element("input", { type: "range", min: "0", max: "1", step: "0.05", "aria-label": `weight of ${side}` });
    const told = element("output", {});
    slider.addEventListener("input", () => {
      const weight = { ...state.weight, [side]: Number(slider.value) };
      if (Number(slider.value) === 0.5) delete weight[side];
      told.textContent = slider.value;
      changed({ weight });
    });
    sliders.set(side, [slider, told]);
    weights.append(element("label", {}, `${side} `, slider, " ", told));
  }
  if (sliders.size) tools.append(weights);

  function shown() {
    const chosen = sides.filter((side) => !state.hide.has(side));
    return [...body.rows].filter((row) => !row.hidden).map((row) => {
      const number = rows.indexOf(row);
      const line = Object.fromEntries(about.map((key) => [key, value(key, number)]));
      for (const side of chosen) {
        const ends = state.weight[side] === undefined ? known[side].ends[number] : null;
        Object.assign(line, { [side]: score(side, number), [`${side} low`]: ends?.[0] ?? null, [`${side} high`]: ends?.[1] ?? null });
      }
      return line;
    });
  }

  function asCsv(lines) {
    const quoted = (one) => (one === null ? "" : `"${String(one).replaceAll('"', '""')}"`);
    const names = Object.keys(lines[0] ?? { method: "" });
    return [names, ...lines.map((line) => names.map((name) => line[name]))].map((line) => line.map(quoted).join(",")).join("\n");
  }

  for (const [name, type, text] of [["CSV", "text/csv", asCsv], ["JSON", "application/json", (lines) => JSON.stringify(lines, null, 2)]]) {
    const button = element("button", { type: "button", class: "save", title: `Save what is shown as ${name}` }, name);
    button.addEventListener("click", () => {
      const url = URL.createObjectURL(new Blob([text(shown())], { type }));
      element("a", { href: url, download: `${table.dataset.name}.${name.toLowerCase()}` }).click();
      URL.revokeObjectURL(url);
    });
    tools.append(button);
  }
  const reset = element("button", { type: "button", class: "save" }, "Reset");
  reset.addEventListener("click", () => {
    changed({ sort: "", down: true, find: "", only: {}, hide: new Set(), weight: {} });
    controls();
  });
  tools.append(reset, status);

  heads.forEach((head, place) => {
    const name = keys[place];
    const button = element("button", { type: "button", class: "sort" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      const down = state.sort === name ? !state.down : sides.includes(name) && known[name].better === "higher";
      changed({ sort: name, down });
    });
    head.append(button);
  });

  function controls() {
    find.value = state.find;
    for (const [name, select] of selects) select.value = state.only[name] ?? "*";
    for (const [side, box] of boxes) box.checked = !state.hide.has(side);
    for (const [side, [slider, told]] of sliders) {
      slider.value = String(state.weight[side] ?? 0.5);
      told.textContent = slider.value;
    }
    columns.open = state.hide.size > 0;
    weights.open = Object.keys(state.weight).length > 0;
  }

  table.closest(".scroll").before(tools);
  addEventListener("hashchange", () => {
    state = read();
    controls();
    show();
  });
  controls();
  show();
})();
