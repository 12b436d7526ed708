// Narrows the table of all pairs to two chosen methods; the choice is kept in the address.
"use strict";
(() => {
  const table = document.querySelector("table.pairs");
  if (!table) return;
  const rows = [...table.tBodies[0].rows].map((row) => [row, [row.cells[0].textContent, row.cells[1].textContent]]);
  const methods = [...new Set(rows.flatMap(([, pair]) => pair))];
  const tools = document.createElement("form");
  tools.className = "tools";
  tools.setAttribute("aria-label", "Which methods are compared");
  const selects = ["one", "other"].map((name) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = name;
    select.append(new Option("any method", ""), ...methods.map((method) => new Option(method, method)));
    select.addEventListener("change", () => {
      const told = new URLSearchParams(selects.filter((one) => one.value).map((one) => [one.name, one.value])).toString();
      history.replaceState(null, "", told ? `#${told}` : location.pathname + location.search);
      show();
    });
    label.append(name === "one" ? "compare " : "with ", select);
    tools.append(label);
    return select;
  });
  const status = document.createElement("output");
  status.className = "status";
  status.setAttribute("aria-live", "polite");
  tools.append(status);

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const select of selects) select.value = methods.includes(asked.get(select.name)) ? asked.get(select.name) : "";
  }

  function show() {
    const wanted = selects.map((select) => select.value).filter(Boolean);
    for (const [row, pair] of rows) row.hidden = !wanted.every((method) => pair.includes(method));
    const left = rows.filter(([row]) => !row.hidden).length;
    status.textContent = `${left} of ${rows.length} comparisons`;
  }

  table.closest(".scroll").before(tools);
  addEventListener("hashchange", () => {
    read();
    show();
  });
  read();
  show();
})();
