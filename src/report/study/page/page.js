"use strict";
// Sorting: a click or Enter on a heading; again turns the order round. What is no number comes last.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.firstElementChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[at].dataset.sort === undefined ? null : Number(row.cells[at].dataset.sort);
    const order = (a, b) => {
      const x = key(a), y = key(b);
      if (x !== null && y !== null) return down ? y - x : x - y;
      if (x !== null || y !== null) return x === null ? 1 : -1;
      const words = a.cells[at].textContent.localeCompare(b.cells[at].textContent, "en", { numeric: true });
      return down ? -words : words;
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  }));
}
const find = document.getElementById("find");
if (find) find.addEventListener("input", () => {
  const wanted = find.value.toLowerCase();
  for (const row of document.querySelector("table[data-name=runs]").tBodies[0].rows)
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
// A link to a run opens it.
const open = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); target.firstElementChild.focus(); }
};
addEventListener("hashchange", open);
open();
// Paper cannot be opened: every run is printed in full, and closed again afterwards.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach(run => { run.open = true; });
});
addEventListener("afterprint", () => closed.forEach(run => { run.open = false; }));
