"use strict";
// Sorting by column. The page is complete without this script. The state lives in the fragment,
// "#sort=TABLE.COLUMN.DIRECTION", so that a sorted view can be passed on as a link.
(function () {
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent.trim();
    const number = Number(text);
    return { empty: text === "", number: text !== "" && !Number.isNaN(number) ? number : null, text };
  };

  // Rows without a value stay at the end in both directions.
  const compare = (a, b, sign) => {
    if (a.empty || b.empty) return Number(a.empty) - Number(b.empty);
    if (a.number !== null && b.number !== null) return sign * (a.number - b.number);
    return sign * a.text.localeCompare(b.text, "en", { numeric: true });
  };

  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const sign = direction === "descending" ? -1 : 1;
    const rows = Array.from(body.rows, (row) => ({ row, key: key(row, column) }));
    rows.sort((a, b) => compare(a.key, b.key, sign));
    body.append(...rows.map((entry) => entry.row));
    Array.from(table.tHead.rows[0].cells).forEach((cell, index) => {
      cell.setAttribute("aria-sort", index === column ? direction : "none");
    });
  };

  const onClick = (table, column) => {
    const heading = table.tHead.rows[0].cells[column];
    const up = heading.getAttribute("aria-sort") === "descending" ||
        (heading.getAttribute("aria-sort") === "none" && !heading.classList.contains("number"));
    const direction = up ? "ascending" : "descending";
    sort(table, column, direction);
    history.replaceState(null, "", "#sort=" + table.id + "." + column + "." + direction);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = cell.textContent;
      button.addEventListener("click", () => onClick(table, column));
      cell.replaceChildren(button);
      cell.setAttribute("aria-sort", "none");
    });
  }

  const wanted = /^#sort=([\w-]+)\.(\d+)\.(ascending|descending)$/.exec(location.hash);
  const table = wanted && document.getElementById(wanted[1]);
  if (table && table.tHead && Number(wanted[2]) < table.tHead.rows[0].cells.length) {
    sort(table, Number(wanted[2]), wanted[3]);
  }
})();
