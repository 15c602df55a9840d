// Tables: a matrix is drawn once; every step then marks its cells and changes their texts. All text goes in as
// textContent.

const $ = (id) => document.getElementById(id);

function make(tag, name, ...content) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...content);
  return node;
}

function header(scope, ...content) {
  const th = make("th", "", ...content);
  th.scope = scope;
  return th;
}

// A table in a box that scrolls.
function table(host, name, caption, head, body) {
  const whole = make("table", name, make("caption", "hidden", caption), make("thead", "", head), make("tbody", "", ...body));
  host.append(whole);
  host.setAttribute("role", "region");
  host.setAttribute("aria-label", caption);
}

const all = (extent) => Array.from({ length: extent }, (_, i) => i);
const distinct = (values) => [...new Set(values)].sort((x, y) => x - y);

// A matrix as such a table. cell(i, j, node) fills each cell; get(i, j) returns it, or undefined if there is
// none. The title above the box is only visual; the table's caption says the same.
function matrix(id, name, shape, rows, cols, cell) {
  const cells = new Map(), note = make("span", "shape", shape), host = make("div", "well");
  const heads = { row: new Map(rows.map((i) => [i, header("row", i)])), col: new Map(cols.map((j) => [j, header("col", j)])) };
  const title = make("p", "title", make("strong", "", name), " ", note);
  title.setAttribute("aria-hidden", "true");
  $(id).append(title, host);
  table(host, "matrix", `${name} ${shape}`, make("tr", "", make("td", "corner"), ...heads.col.values()), rows.map((i) =>
    make("tr", "", heads.row.get(i), ...cols.map((j) => {
      const td = make("td");
      cells.set(`${i},${j}`, td);
      cell(i, j, td);
      return td;
    }))));
  return { host, note, rows, cols, heads, get: (i, j) => cells.get(`${i},${j}`), marked: [] };
}

// Marks last until the next step: clear() removes all of them.
function clear(view) {
  for (const [node, mark] of view.marked) node.classList.remove(mark);
  view.marked = [];
}
function mark(view, node, name) {
  if (!node) return;
  node.classList.add(name);
  view.marked.push([node, name]);
}

// The heads of the followed row and column.
function here(view, row, col) {
  mark(view, view.heads.row.get(row), "here");
  mark(view, view.heads.col.get(col), "here");
}

// Outlines a set of cells as one area: each cell gets the edges that are on the area's border.
function outline(view, within) {
  for (const i of view.rows) {
    for (const j of view.cols) {
      if (!within(i, j)) continue;
      const node = view.get(i, j);
      mark(view, node, "tile");
      if (!within(i - 1, j)) mark(view, node, "top");
      if (!within(i + 1, j)) mark(view, node, "bottom");
      if (!within(i, j - 1)) mark(view, node, "left");
      if (!within(i, j + 1)) mark(view, node, "right");
    }
  }
}

// Scrolls the box, never the page, until the cell and some of its surroundings are visible.
function reveal(view, node) {
  if (!node) return;
  const box = view.host, it = node.getBoundingClientRect(), frame = box.getBoundingClientRect(), margin = 40;
  if (it.left < frame.left + margin || it.right > frame.right - margin)
    box.scrollLeft += (it.left + it.right - frame.left - frame.right) / 2;
  if (it.top < frame.top + margin || it.bottom > frame.bottom - margin)
    box.scrollTop += (it.top + it.bottom - frame.top - frame.bottom) / 2;
}

function pick(one, text) {
  const button = make("button", "pick", text);
  button.one = one;
  button.tabIndex = -1; // keyboard users have the list "Follow" and Shift with the arrow keys
  button.addEventListener("click", () => follow(one));
  return button;
}
