// A table whose rows are sorted by a column that the user chooses. Rows keep their
// elements while figures change, so focus and selection stay.
class SortedTable {
  // columns are {title, hint, number, value(row), fill(cell, row)}: value is what is sorted
  // by, and shown unless there is fill. Columns without value are not sorted by.
  constructor(table, columns, { sort, key, total }) {
    this.columns = columns;
    this.key = key;
    this.sort = { column: sort, descending: columns[sort].number === true };
    this.rows = [];
    this.elements = new Map();
    this.head = table.createTHead().insertRow();
    this.body = table.createTBody();
    this.foot = total ? table.createTFoot().insertRow() : null;
    this.titles = columns.map((column, index) => this.header(column, index));
    this.markSorted();
  }

  header(column, index) {
    const th = document.createElement("th");
    th.scope = "col";
    th.className = column.number ? "number" : "";
    th.title = column.hint ?? "";
    const title = document.createElement(column.value ? "button" : "span");
    title.textContent = column.title;
    if (column.value) {
      title.type = "button";
      title.addEventListener("click", () => this.sortBy(index));
    }
    th.append(title);
    this.head.append(th);
    return th;
  }

  // sortBy sorts by a column: numbers the largest first; again, the other way.
  sortBy(index) {
    const again = this.sort.column === index;
    this.sort = { column: index, descending: again ? !this.sort.descending : this.columns[index].number === true };
    this.markSorted();
    this.arrange();
  }

  markSorted() {
    this.titles.forEach((th, index) => {
      if (index === this.sort.column) th.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
  }

  // show shows rows, and their sum if the table has one.
  show(rows, total) {
    this.rows = rows;
    const names = new Set(rows.map(this.key));
    for (const [name, element] of this.elements) {
      if (!names.has(name)) {
        element.remove();
        this.elements.delete(name);
      }
    }
    for (const row of rows) {
      const name = this.key(row);
      if (!this.elements.has(name)) this.elements.set(name, this.element());
      this.fill(this.elements.get(name), row);
    }
    if (this.foot && total) {
      if (this.foot.cells.length === 0) this.foot.append(...this.element().cells);
      this.fill(this.foot, total);
    }
    this.arrange();
  }

  element() {
    const tr = document.createElement("tr");
    for (const column of this.columns) tr.insertCell().className = column.number ? "number" : "";
    return tr;
  }

  fill(tr, row) {
    tr.dataset.name = this.key(row);
    this.columns.forEach((column, index) => {
      const cell = tr.cells[index];
      if (column.fill) column.fill(cell, row);
      else setText(cell, column.number ? figure(column.value(row)) : column.value(row));
    });
  }

  // sorted returns the rows in their order: unknown figures are last, whatever the order.
  sorted() {
    const { value } = this.columns[this.sort.column];
    const sign = this.sort.descending ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const [one, other] = [value(a) ?? null, value(b) ?? null];
      if (one === null || other === null) return (one === null) - (other === null);
      const order = typeof one === "number" ? one - other : one.localeCompare(other, "en");
      return sign * order || this.key(a).localeCompare(this.key(b), "en");
    });
  }

  // arrange puts the elements in order. Moving an element takes the focus off it.
  arrange() {
    const focused = document.activeElement;
    this.sorted().forEach((row, index) => {
      const element = this.elements.get(this.key(row));
      if (this.body.rows[index] !== element) this.body.insertBefore(element, this.body.rows[index] ?? null);
    });
    if (focused !== document.activeElement && this.body.contains(focused)) focused.focus({ preventScroll: true });
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
