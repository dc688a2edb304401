const at = id => document.getElementById(id);
const made = (name, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
const word = state => "s-" + state.replaceAll(" ", "-");
const clock = seconds => {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 90) return `${whole} s`;
  if (whole < 5400) return `${Math.round(whole / 60)} min`;
  if (whole < 172800) return `${(whole / 3600).toFixed(1)} h`;
  return `${(whole / 86400).toFixed(1)} days`;
};
const bugs = new Map(), rows = new Map();
let last = null;

const named = row => row.configuration ? `${row.bug} (${row.configuration})` : row.bug;
const link = row => {
  const cell = made("td");
  if (row.state === "waiting") { cell.textContent = named(row); return cell; }
  const anchor = made("a", named(row));
  anchor.href = "run/" + encodeURIComponent(row.unit);
  cell.append(anchor);
  return cell;
};
const fill = (list, counts, none) => {
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  at(list).replaceChildren(...all.flatMap(([name, count]) => [made("dt", name), made("dd", String(count))]));
  at(none).hidden = all.length > 0;
};
const bar = (element, parts, total) => {
  element.replaceChildren(...parts.filter(([, count]) => count > 0).map(([state, count]) => {
    const part = made("i", undefined, word(state));
    part.style.width = `${100 * count / Math.max(1, total)}%`;
    return part;
  }));
  element.setAttribute("aria-label", parts.map(([state, count]) => `${count} ${state}`).join(", "));
};

const showRow = row => {
  const state = made("td");
  state.append(made("span", undefined, "dot " + word(row.state)), row.state);
  const line = made("tr");
  line.dataset.state = row.state;
  line.append(link(row), state, made("td", row.place), made("td", row.step),
    made("td", row.cost_usd === null ? "" : row.cost_usd.toFixed(4), "number"),
    made("td", row.seconds === null ? "" : row.seconds.toFixed(1), "number"));
  const old = rows.get(row.unit);
  if (old) { line.hidden = old.hidden; old.replaceWith(line); } else at("rows").append(line);
  rows.set(row.unit, line);
};

const showWork = () => {
  const now = Date.now();
  const working = [...bugs.values()].filter(row => row.state === "at work");
  at("work").replaceChildren(...working.map(row => {
    const line = made("tr");
    const heard = row.heard_ms ? `${clock((now - row.heard_ms) / 1000)} ago` : "";
    line.append(link(row), made("td", row.place || "prepares"), made("td", row.step), made("td", heard));
    return line;
  }));
  at("no-work").hidden = working.length > 0;
  at("work").closest(".scroll").hidden = working.length === 0;
  at("working").textContent = working.length === 0 ? "nobody" : `${working.length} ${working.length === 1 ? "bug" : "bugs"}`;
  const newest = working.sort((a, b) => b.heard_ms - a.heard_ms)[0];
  at("newest").textContent = newest ? `${newest.place || "prepares"}: ${newest.bug}` : "";
};

const show = snapshot => {
  last = snapshot;
  for (const row of snapshot.bugs) { bugs.set(row.unit, row); showRow(row); }
  const over = snapshot.states.filter(([state]) => ["plausible", "no repair", "stopped at a cap"].includes(state));
  const done = over.reduce((sum, [, count]) => sum + count, 0);
  const headline = `${done} of ${snapshot.units} done, ${over[0][1]} plausible`;
  if (at("headline").textContent !== headline) at("headline").textContent = headline;
  document.title = `${done}/${snapshot.units} unidebug`;
  bar(at("states"), snapshot.states, snapshot.units);
  at("states-key").replaceChildren(...snapshot.states.map(([state, count]) => {
    const item = made("li"), dot = made("i", undefined, word(state));
    item.append(dot, `${count} ${state}`);
    return item;
  }));
  at("spent").textContent = snapshot.spent;
  at("left").textContent = snapshot.left;
  const finish = snapshot.finish;
  at("finish").textContent = finish ? clock(finish.likely) : done === snapshot.units ? "done" : "not known yet";
  at("range").textContent = finish ? `between ${clock(finish.low)} and ${clock(finish.high)}` : "";
  const most = Math.max(1, ...snapshot.levels.map(row => row.entered));
  at("levels").replaceChildren(...snapshot.levels.map(row => {
    const line = made("tr"), cell = made("td"), strip = made("div", undefined, "bar"), head = made("th", row.level);
    head.scope = "row";
    strip.setAttribute("role", "img");
    bar(strip, [["plausible", row.plausible], ["at work", row.now], ["entered", row.entered - row.plausible - row.now]], most);
    cell.append(strip);
    line.append(head, cell, ...[row.entered, row.plausible, row.now].map(count => made("td", String(count), "number")));
    return line;
  }));
  fill("failures", snapshot.failures, "no-failures");
  fill("candidates", snapshot.candidates, "no-candidates");
  showWork();
};

const source = new EventSource("events");
source.addEventListener("batch", event => { at("link").textContent = "live"; show(JSON.parse(event.data)); });
source.addEventListener("error", () => { at("link").textContent = "the server is gone; what is shown is the last it told"; });
setInterval(() => { if (last) showWork(); }, 5000);
