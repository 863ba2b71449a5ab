// Sorts the rows of a .sortable table by a column when its header is clicked; numbers the largest first.
(() => {
  "use strict";
  const value = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? b - a : String(a).localeCompare(String(b));

  document.querySelectorAll("table.sortable thead th").forEach((head, i) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      head.closest("tr").querySelectorAll("th").forEach(th => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = head.closest("table").tBodies[0];
      const rows = [...body.rows].sort((a, b) => (down ? 1 : -1) * compare(value(a, head.cellIndex), value(b, head.cellIndex)));
      body.append(...rows);
    });
  });
})();
