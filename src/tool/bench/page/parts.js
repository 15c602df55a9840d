// What pages are made of. All text of reports goes in as text nodes.

const $ = (id) => document.getElementById(id);

function make(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
}

// The name and role of a node for screen readers.
function named(label, node, role) {
  node.setAttribute("aria-label", label);
  if (role) node.setAttribute("role", role);
  return node;
}

// A button that puts a value into a set, or takes it out; pressed while the set has it, or while it does not.
function toggle(set, value, pressedIn, change, ...children) {
  const button = make("button", "", ...children),
    show = () => button.setAttribute("aria-pressed", String(set.has(value) === pressedIn));
  button.type = "button";
  button.addEventListener("click", () => {
    set[set.has(value) ? "delete" : "add"](value);
    show();
    change();
  });
  show();
  return button;
}

/* ---- parts ---- */

// A column is [heading, kind, value of a line]: "n" for figures, "word", "name", "text" and "wide" by how they wrap.
const n = (heading, valueOf) => [heading, "n", valueOf],
  word = (heading, valueOf) => [heading, "word", valueOf],
  name = (heading, valueOf) => [heading, "name", valueOf];

function cell(value, kind) {
  if (value instanceof HTMLTableCellElement) return value;
  return known(value)
    ? make("td", kind, typeof value === "number" ? figure(value) : value)
    : make("td", `${kind} none`, dash);
}

function line(of, [[, kind, headOf], ...columns]) {
  const head = make("th", kind, headOf(of));
  head.scope = "row";
  return make("tr", "", head, ...columns.map(([, kind, valueOf]) => cell(valueOf(of), kind)));
}

// A table in a box that scrolls sideways; folded: within <details>, closed.
function tableOf(caption, columns, lines, folded = true) {
  const heads = columns.map(([heading, kind]) => {
    const head = make("th", kind, heading);
    head.scope = "col";
    return head;
  });
  const body = make("tbody", "", ...lines.map((of) => line(of, columns)));
  const title = make("caption", "", make("span", "", caption)),
    table = make("table", "", title, make("thead", "", make("tr", "", ...heads)), body),
    box = named(caption, make("div", "scroll", table), "region");
  return folded ? fold(caption, box) : box;
}

// A box is a tab stop only while it can scroll. Folded boxes are skipped: reading their width would force a layout.
function setStops() {
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.closest("details:not([open])")) continue;
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
window.addEventListener("resize", setStops);
