// Shows the cell that the address names, from the file that has it.
"use strict";
(() => {
  const place = document.getElementById("cell");

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  }

  function section(title, value) {
    return [element("h2", title), element("pre", JSON.stringify(value, null, 2), { tabindex: "0" })];
  }

  function tell(id, file) {
    const cell = file?.cells[id];
    if (!cell) {
      place.replaceChildren(element("p", id ? `No cell ${id} is on this site.` : "The address names no cell."));
      return;
    }
    const facts = element("p", `${cell.stage}, ${cell.status}${cell.seconds === null ? "" : `, ${cell.seconds} s`}`);
    const needs = element("p", cell.needs.length ? "It reads: " : "");
    for (const need of cell.needs) needs.append(element("a", need.slice(0, 12), { href: `#${need}` }), " ");
    const answer = cell.error ? section("Why there is no answer", cell.error) : section("Answer", cell.result);
    place.replaceChildren(
      element("p", id, { class: "note" }), facts, needs,
      ...section("What was asked", cell.spec), ...answer, ...section("Computed on", file.machines[cell.machine]),
    );
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function show() {
    const id = location.hash.slice(1);
    if (!/^[0-9a-f]{64}$/.test(id)) return tell("", null);
    const shard = id.slice(0, 2);
    const there = window.stillproofCells?.[shard];
    if (there) return tell(id, await unpacked(there));
    const script = element("script", "", { src: `cells-${shard}.js` });
    script.addEventListener("load", async () => tell(id, await unpacked(window.stillproofCells[shard])));
    script.addEventListener("error", () => tell(id, null));
    document.head.append(script);
  }

  addEventListener("hashchange", show);
  show();
})();
