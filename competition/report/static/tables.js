"use strict";

/* Tables of the class "sortable": a button in each heading sorts the rows by its column, a second click the other way
 * round. A cell counts by its attribute data-sort, or else by its text; cells without a value come last.
 */
(() => {
  const EMPTY = new Set(["", "–"]);

  function valueOf(row, column) {
    const cell = row.cells[column];
    return (cell.dataset.sort ?? cell.textContent).trim();
  }

  /** The number that a cell shows, with commas and a minus sign as the filter "number" writes them; NaN for words. */
  function numberOf(value) {
    return Number(value.replaceAll(",", "").replace("\u2212", "-"));
  }

  /** Compares cells as numbers if all of a column are, and as text otherwise. */
  function comparison(values) {
    const known = values.filter((value) => !EMPTY.has(value));
    const isNumeric = known.every((value) => Number.isFinite(numberOf(value)));
    return isNumeric
      ? { isNumeric, compare: (a, b) => numberOf(a) - numberOf(b) }
      : { isNumeric, compare: (a, b) => a.localeCompare(b, undefined, { numeric: true }) };
  }

  function sort(table, heading) {
    const column = heading.cellIndex;
    const rows = [...table.tBodies[0].rows];
    const { isNumeric, compare } = comparison(rows.map((row) => valueOf(row, column)));
    const first = isNumeric && !heading.classList.contains("rank") ? "descending" : "ascending"; // the best ones first
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    rows.sort((one, two) => {
      const a = valueOf(one, column), b = valueOf(two, column);
      if (EMPTY.has(a) || EMPTY.has(b)) return EMPTY.has(a) - EMPTY.has(b);
      return sign * compare(a, b);
    });
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    table.tBodies[0].append(...rows);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.matches(".plain")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.setAttribute("aria-label", `sort by ${heading.textContent.trim()}`);
      button.onclick = () => sort(table, heading);
      heading.append(button);
    }
  }
})();
