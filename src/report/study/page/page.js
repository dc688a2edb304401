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
// One stop of Tab for the headings of a table; arrows lead from one to the next.
for (const head of document.querySelectorAll("thead tr")) head.addEventListener("keydown", event => {
  const buttons = [...head.querySelectorAll("button")], at = buttons.indexOf(event.target), last = buttons.length - 1;
  const to = { ArrowRight: Math.min(at + 1, last), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: last }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  buttons.forEach((button, nth) => { button.tabIndex = nth === to ? 0 : -1; });
  buttons[to].focus();
});
// Pages that are opened from a file may lack the newer way to copy.
const copy = async text => {
  try { await navigator.clipboard.writeText(text); return true; } catch {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
};
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", async () => {
  const words = button.textContent, bytes = Uint8Array.from(atob(button.dataset.copy), letter => letter.charCodeAt(0));
  button.textContent = await copy(new TextDecoder().decode(bytes)) ? "Copied" : "Not copied";
  button.focus();
  setTimeout(() => { button.textContent = words; }, 1500);
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
  closed = [...document.querySelectorAll("details.run:not([open])")];
  closed.forEach(run => { run.open = true; });
});
addEventListener("afterprint", () => closed.forEach(run => { run.open = false; }));
// Two runs beside each other: what is chosen is copied, so that links to the runs themselves stay right.
const pair = document.querySelector("form.pair");
if (pair) pair.addEventListener("input", () => {
  const sides = [...pair.querySelectorAll("select")].map(select => document.getElementById(select.value));
  const shown = document.getElementById("pair");
  shown.replaceChildren(...(sides.every(Boolean) ? sides : []).map(run => {
    const side = document.createElement("section"), head = document.createElement("h3");
    head.innerHTML = run.firstElementChild.innerHTML;
    const parts = [...run.children].slice(1).map(part => part.cloneNode(true));
    parts.flatMap(part => [...part.querySelectorAll("h3")]).forEach(old => {
      const lower = document.createElement("h4");
      lower.append(...old.childNodes);
      old.replaceWith(lower);
    });
    side.append(head, ...parts);
    return side;
  }));
});
