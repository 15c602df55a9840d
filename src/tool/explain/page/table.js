// Tables: a matrix is drawn once; every step then marks its cells and changes their texts. All text goes in as textContent.

const $ = (id) => document.getElementById(id);

function make(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Beyond MOST rows or columns, only those near the workgroup are drawn.
const MOST = 48, NEAR = 4;
function excerpt(extent, first, last) {
  const from = extent > MOST ? Math.max(0, first - NEAR) : 0, to = extent > MOST ? Math.min(extent, last + 1 + NEAR) : extent;
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
const all = (extent) => Array.from({ length: extent }, (_, i) => i);
const distinct = (values) => [...new Set(values)].sort((x, y) => x - y);

// A matrix as a table in a box that scrolls. cell(i, j, node) fills each cell; get(i, j) finds it again, or undefined where there is none.
// The title above the box is for the eye; the table's own caption says the same.
function matrix(pane, name, shape, rows, cols, cell) {
  const table = make("table", "matrix"), head = make("thead"), body = make("tbody"), cells = new Map();
  const heads = { row: new Map(), col: new Map() }, title = make("p", "title"), note = make("span", "shape", shape), host = make("div", "well");
  title.append(make("strong", "", name), " ", note);
  title.setAttribute("aria-hidden", "true");
  const top = make("tr");
  top.append(make("td", "corner"));
  for (const j of cols) {
    const th = make("th", "", j);
    th.scope = "col";
    heads.col.set(j, th);
    top.append(th);
  }
  head.append(top);
  for (const i of rows) {
    const line = make("tr"), th = make("th", "", i);
    th.scope = "row";
    heads.row.set(i, th);
    line.append(th);
    for (const j of cols) {
      const td = make("td");
      cells.set(`${i},${j}`, td);
      cell(i, j, td);
      line.append(td);
    }
    body.append(line);
  }
  table.append(make("caption", "hidden", `${name} ${shape}`), head, body);
  host.append(table);
  pane.append(title, host);
  scrolls(host, `${name} ${shape}`);
  return { host, note, rows, cols, heads, get: (i, j) => cells.get(`${i},${j}`), marked: [] };
}

const boxes = [];
function scrolls(host, label) {
  boxes.push(host);
  host.setAttribute("role", "region");
  host.setAttribute("aria-label", label);
}

// The keyboard stops at a box only while there is something to scroll.
function setStops() {
  for (const box of boxes) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

// Marks live from one step to the next: clear() takes all of them away.
function clear(view) {
  for (const [node, mark] of view.marked) node.classList.remove(mark);
  view.marked = [];
}
function mark(view, node, name) {
  if (!node) return;
  node.classList.add(name);
  view.marked.push([node, name]);
}

// A set of cells as one outlined area: each of its cells gets the edges at which the area ends.
function outline(view, within, name) {
  for (const i of view.rows) {
    for (const j of view.cols) {
      if (!within(i, j)) continue;
      const node = view.get(i, j);
      mark(view, node, name);
      if (!within(i - 1, j)) mark(view, node, "top");
      if (!within(i + 1, j)) mark(view, node, "bottom");
      if (!within(i, j - 1)) mark(view, node, "left");
      if (!within(i, j + 1)) mark(view, node, "right");
    }
  }
}

// Scrolls a box, never the page, until the cell is in sight, with some of what surrounds it.
function reveal(view, node) {
  if (!node) return;
  const box = view.host, it = node.getBoundingClientRect(), frame = box.getBoundingClientRect(), margin = 40;
  if (it.left < frame.left + margin || it.right > frame.right - margin) box.scrollLeft += (it.left + it.right - frame.left - frame.right) / 2;
  if (it.top < frame.top + margin || it.bottom > frame.bottom - margin) box.scrollTop += (it.top + it.bottom - frame.top - frame.bottom) / 2;
}

function pick(one, node) {
  const button = make("button", "pick");
  button.type = "button";
  button.tabIndex = -1; // the keyboard has the list "Follow" and Shift with the arrows
  button.addEventListener("click", () => follow(one));
  node.append(button);
  return button;
}
