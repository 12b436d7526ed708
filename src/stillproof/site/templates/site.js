// Sorting, filtering, choice of columns and weights of a leaderboard; all of it is kept in the address.
"use strict";
(() => {
  const table = document.querySelector("table.board");
  if (!table) return;
  const known = (window.stillproof ?? {})[table.dataset.set]?.[table.dataset.page];
  if (!known) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const sides = heads.slice(1).map((head) => head.dataset.side);
  const original = new Map();
  const start = { sort: "", down: true, find: "", hide: new Set(), weight: {} };
  let state = read();

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const [sort = "", way = "down"] = (asked.get("sort") ?? "").split(":");
    const weight = {};
    for (const side of sides) {
      const given = Number.parseFloat(asked.get(`weight-${side}`) ?? "");
      if (known.sides[side].weighs && given >= 0 && given <= 1) weight[side] = given;
    }
    return {
      sort: sides.includes(sort) || sort === "method" ? sort : start.sort,
      down: way !== "up",
      find: asked.get("find") ?? start.find,
      hide: new Set((asked.get("hide") ?? "").split(",").filter((side) => sides.includes(side))),
      weight,
    };
  }

  function write() {
    const told = new URLSearchParams();
    if (state.sort) told.set("sort", `${state.sort}:${state.down ? "down" : "up"}`);
    if (state.find) told.set("find", state.find);
    if (state.hide.size) told.set("hide", [...state.hide].join(","));
    for (const [side, weight] of Object.entries(state.weight)) told.set(`weight-${side}`, String(weight));
    const hash = told.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  function score(side, row) {
    const { weighs, values, parts } = known.sides[side];
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
    sides.forEach((side, column) => {
      if (!known.sides[side].weighs) return;
      const scores = rows.map((_, row) => score(side, row));
      rows.forEach((row, number) => {
        const cell = row.cells[column + 1];
        if (!original.has(cell)) original.set(cell, [...cell.childNodes]);
        if (state.weight[side] === undefined || scores[number] === null) {
          cell.replaceChildren(...original.get(cell));
          cell.classList.toggle("leads", Boolean(cell.querySelector(".star")));
          return;
        }
        const rank = 1 + scores.filter((one) => one !== null && one > scores[number]).length;
        const mean = document.createElement("span");
        mean.className = "mean";
        mean.textContent = (100 * scores[number]).toFixed(1);
        const told = document.createElement("small");
        told.textContent = `rank ${rank} by this weight`;
        cell.replaceChildren(mean, told);
        cell.classList.remove("leads");
      });
    });
  }

  function show() {
    showWeights();
    const words = state.find.toLowerCase();
    const order = rows.map((_, number) => number);
    if (state.sort) {
      const value = (row) => (state.sort === "method" ? known.methods[row] : score(state.sort, row));
      order.sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        if (a === null || b === null) return (a === null) - (b === null);
        const found = typeof a === "string" ? a.localeCompare(b) : a - b;
        return state.down ? -found : found;
      });
    }
    for (const number of order) {
      rows[number].hidden = Boolean(words) && !known.methods[number].toLowerCase().includes(words);
      body.append(rows[number]);
    }
    heads.forEach((head, column) => {
      const name = column ? head.dataset.side : "method";
      if (name === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      const hidden = column > 0 && state.hide.has(name);
      head.hidden = hidden;
      for (const row of rows) row.cells[column].hidden = hidden;
    });
    const left = rows.filter((row) => !row.hidden).length;
    status.textContent = `${left} of ${rows.length} methods`;
  }

  function changed(change) {
    Object.assign(state, change);
    write();
    show();
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const status = element("output", { class: "status", "aria-live": "polite" });
  const find = element("input", { type: "search", id: "find", autocomplete: "off" });
  find.addEventListener("input", () => changed({ find: find.value }));
  const tools = element("form", { class: "tools", "aria-label": "What the table shows" });
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.append(element("label", { for: "find" }, "Methods with "), find, status);

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

  function shown() {
    const chosen = sides.filter((side) => !state.hide.has(side));
    return [...body.rows].filter((row) => !row.hidden).map((row) => {
      const number = rows.indexOf(row);
      return Object.fromEntries([["method", known.methods[number]], ...chosen.map((side) => [side, score(side, number)])]);
    });
  }

  function asCsv(lines) {
    const quoted = (value) => (value === null ? "" : `"${String(value).replaceAll('"', '""')}"`);
    const names = Object.keys(lines[0] ?? { method: "" });
    return [names, ...lines.map((line) => names.map((name) => line[name]))].map((line) => line.map(quoted).join(",")).join("\n");
  }

  for (const [name, type, text] of [["CSV", "text/csv", asCsv], ["JSON", "application/json", (lines) => JSON.stringify(lines, null, 2)]]) {
    const button = element("button", { type: "button", class: "save" }, name);
    button.addEventListener("click", () => {
      const url = URL.createObjectURL(new Blob([text(shown())], { type }));
      element("a", { href: url, download: `${table.dataset.page.replace(/\.html$/, "")}.${name.toLowerCase()}` }).click();
      URL.revokeObjectURL(url);
    });
    tools.append(button);
  }

  const sliders = new Map();
  const weights = element("details", {}, element("summary", {}, "Weights"));
  for (const side of sides.filter((name) => known.sides[name].weighs)) {
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

  heads.forEach((head, column) => {
    const name = column ? head.dataset.side : "method";
    const button = element("button", { type: "button", class: "sort" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      const best = column === 0 || known.sides[name].better === "lower" ? "up" : "down";
      const down = state.sort === name ? !state.down : best === "down";
      changed({ sort: name, down });
    });
    head.append(button);
  });

  function controls() {
    find.value = state.find;
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
