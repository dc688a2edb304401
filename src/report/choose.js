// Only the rows that hold the text and the chosen words.
for (const form of document.querySelectorAll("form.choose")) {
  const rows = [...document.querySelectorAll(form.dataset.rows)], of = form.dataset.of ?? "rows";
  const word = (row, { column, word }) => column === undefined ? row.dataset[word] : row.cells[column].textContent;
  const choose = () => {
    const wanted = form.querySelector("input").value.toLowerCase();
    const words = [...form.querySelectorAll("select")].filter(select => select.value);
    let shown = 0;
    for (const row of rows) {
      const fits = words.every(select => word(row, select.dataset) === select.value);
      row.hidden = !fits || !row.textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    form.querySelector("output").textContent = shown === rows.length ? "" : `${shown} of ${rows.length} ${of}`;
  };
  form.addEventListener("input", choose);
  form.addEventListener("submit", event => event.preventDefault());
}
