// A diff gets its colours when it is looked at.
document.addEventListener("toggle", event => {
  const plain = event.target.open && event.target.querySelector(":scope > pre.plain");
  if (!plain) return;
  const kinds = { "+": "added", "-": "removed", "@": "place" };
  plain.classList.remove("plain");
  plain.replaceChildren(...plain.textContent.replace(/\n$/, "").split("\n").map(text => {
    const line = document.createElement("span");
    line.className = /^(\+\+\+|---) /.test(text) ? "file" : kinds[text[0]] ?? "same";
    line.textContent = text;
    return line;
  }));
}, true);
