// The page itself: what is drawn, what each step changes, and what the reader can do.

// What holds at each step: the latest tiles and k, the sums before and after it, whether C has been written.
const states = [], lastLoad = steps.map((step) => step.kind).lastIndexOf("load");
for (let index = 0, load = null, turn = -1, sums = crew.map(() => 0), k = -1; index < steps.length; index++) {
  const step = steps[index], before = sums;
  if (step.kind === "load") { load = step; turn++; }
  if (step.kind === "sum") { sums = step.sums; k = step.k; }
  states.push({
    index, load, turn, before, sums, done: k,
    afterLoad: step.kind === "barrier" && index > 0 && steps[index - 1].kind === "load",
    moreLoads: index < lastLoad,
    stored: step.kind === "store" ? step : null,
  });
}

const rowsOfCrew = distinct(crew.map((one) => one.row)), colsOfCrew = distinct(crew.map((one) => one.col));
const byPlace = new Map(crew.map((one) => [`${one.row},${one.col}`, one]));
const owner = (row, col) => byPlace.get(`${row},${col}`);
const inCrew = (row, col) => row < M && col < N && byPlace.has(`${row},${col}`);

const rowsShown = excerpt(M, rowsOfCrew[0], Math.min(rowsOfCrew[rowsOfCrew.length - 1], M - 1));
const colsShown = excerpt(N, colsOfCrew[0], Math.min(colsOfCrew[colsOfCrew.length - 1], N - 1));
const cut = (rows, cols, of) => `${rows}×${cols}` + (of.length ? ` (${of.join(", ")} shown)` : "");
const rowsCut = rowsShown.length < M ? [range(rowsShown[0], rowsShown[rowsShown.length - 1], "row")] : [];
const colsCut = colsShown.length < N ? [range(colsShown[0], colsShown[colsShown.length - 1], "column")] : [];

const views = {
  a: matrix($("a"), "A", cut(M, K, rowsCut), rowsShown, all(K), (i, j, td) => { td.textContent = figure(trace.a[i][j]); }),
  b: matrix($("b"), "B", cut(K, N, colsCut), all(K), colsShown, (i, j, td) => { td.textContent = figure(trace.b[i][j]); }),
};
const picksC = new Map(), picksSum = new Map();
views.c = matrix($("c"), "C", cut(M, N, rowsCut.concat(colsCut)), rowsShown, colsShown, (i, j, td) => {
  if (inCrew(i, j)) picksC.set(owner(i, j).index, pick(owner(i, j), td));
  else td.append(make("span", "faint", figure(trace.c[i][j])));
});
if (tiled) {
  views.tile_a = matrix($("tile_a"), "tileA", `${group.rows}×${group.depth}, shared`, all(group.rows), all(group.depth), () => {});
  views.tile_b = matrix($("tile_b"), "tileB", `${group.depth}×${group.cols}, shared`, all(group.depth), all(group.cols), () => {});
} else {
  $("chip").classList.add("alone");
  $("tile_a").remove();
  $("tile_b").remove();
}
views.sums = matrix($("sums"), "sum", tiled ? "per invocation" : "per invocation, by its element of C", rowsOfCrew, colsOfCrew, (i, j, td) => {
  if (owner(i, j)) picksSum.set(owner(i, j).index, pick(owner(i, j), td));
});
$("chip-title").textContent = `Workgroup [${group.id.join(", ")}]${tiled ? ": shared memory and sums" : ": sums"}`;

// One width for all cells, so that columns of B lie above those of C.
const longest = (lists) => lists.flat(2).reduce((most, value) => Math.max(most, figure(value).length), 2);
const widthA = longest(trace.a), widthC = longest([trace.b, trace.c, ...steps.map((step) => [step.sums || []])]);
for (const [id, view] of Object.entries(views)) view.host.style.setProperty("--chars", id.endsWith("a") ? widthA : widthC);
document.body.classList.toggle("small", Math.max(rowsShown.length, colsShown.length, K) > 8);

// Rows of A lie beside rows of C, columns of B above columns of C: they scroll together.
function together(one, other, side) {
  one.host.addEventListener("scroll", () => { other.host[side] = one.host[side]; });
  other.host.addEventListener("scroll", () => { one.host[side] = other.host[side]; });
}
together(views.a, views.c, "scrollTop");
together(views.b, views.c, "scrollLeft");

// The watch window: what never changes is written here, the last two columns by render().
const watched = new Map();
{
  const table = make("table", "list"), head = make("tr"), body = make("tbody");
  table.append(make("caption", "hidden", "Every invocation of the workgroup: its indices, what it does in this step, and its sum"));
  for (const name of ["element", "global", "local", "workgroup", "tile origin", "this step", "sum"]) {
    const th = make("th", "", name);
    th.scope = "col";
    head.append(th);
  }
  for (const one of crew) {
    const line = make("tr"), th = make("th");
    th.scope = "row";
    pick(one, th).textContent = one.inside ? element("C", one.row, one.col) : "beyond C";
    line.append(th);
    for (const pair of [one.global, one.local, one.workgroup, one.tile_origin]) line.append(make("td", "pair", pair.join(", ")));
    const now = make("td", "now-text"), sum = make("td", "sum-text");
    line.append(now, sum);
    watched.set(one.index, { line, now, sum });
    body.append(line);
  }
  const thead = make("thead");
  thead.append(head);
  table.append(thead, body);
  $("watch").append(table);
  scrolls($("watch"), "Watch window");
}

for (const step of steps) {
  const tick = make("li", step.kind, step.kind === "sum" && steps.length <= 40 ? step.k : KINDS[step.kind].mark);
  tick.addEventListener("click", () => go(steps.indexOf(step)));
  $("strip").append(tick);
}
if (steps.length > 80) $("strip").classList.add("dense");

const ragged = crew.some((one) => !one.inside);
for (const [sample, text] of [
  ["tile", tiled ? "outlined: the active tiles, and the part of C in the making" : "outlined: what is read, and the part of C in the making"],
  ["line", "shaded ▸ ▾: the followed row of A and column of B"],
  ["now", "filled and underlined: read in this step"],
  ["source", "dotted underline: where that copy came from"],
  ["me", "◆: the followed element; choose another one in C"],
  ["pad", "hatched: beyond the matrix, filled with 0"],
  ["faint", "faint: computed by other workgroups or in other turns, at a time of their own"],
]) {
  if (sample === "source" && !tiled) continue;
  if (sample === "pad" && !(tiled && (ragged || K % group.depth > 0))) continue;
  if (sample === "faint" && crew.filter((one) => one.inside).length === M * N) continue;
  const item = make("li"), swatch = make("span", `swatch ${sample}`, sample === "me" ? "" : "4");
  swatch.setAttribute("aria-hidden", "true");
  item.append(swatch, text);
  $("legend").append(item);
}

for (const one of crew) $("follow").append(new Option(nameOf(one), one.index));
$("slider").max = steps.length;

// ---- What each step changes

let index = 0, me = owner(...trace.at) || crew[0];

function drawGlobal(state, step) {
  const k0 = state.load && !state.stored ? state.load.k0 : -1, k = step.kind === "sum" ? step.k : -1;
  const ofTile = (j) => (tiled ? k0 >= 0 && j >= k0 && j < k0 + group.depth && j < K : j === k);
  const rows = new Set(rowsOfCrew), cols = new Set(colsOfCrew), now = tiled ? "source" : "now";
  for (const view of [views.a, views.b, views.c]) clear(view);
  outline(views.a, (i, j) => i < M && rows.has(i) && ofTile(j), "tile");
  outline(views.b, (i, j) => j < N && cols.has(j) && ofTile(i), "tile");
  outline(views.c, inCrew, "tile");
  for (let j = 0; j < K; j++) {
    mark(views.a, views.a.get(me.row, j), "line");
    mark(views.b, views.b.get(j, me.col), "line");
  }
  mark(views.a, views.a.heads.row.get(me.row), "here");
  mark(views.b, views.b.heads.col.get(me.col), "here");
  if (k >= 0) {
    mark(views.a, views.a.get(me.row, k), now);
    mark(views.b, views.b.get(k, me.col), now);
  }
  const tick = k >= 0 ? k : Math.max(k0, 0);
  reveal(views.a, views.a.get(Math.min(me.row, M - 1), tick));
  reveal(views.b, views.b.get(tick, Math.min(me.col, N - 1)));
}

function drawC(state) {
  for (const one of crew) {
    const button = picksC.get(one.index);
    if (!button) continue;
    button.textContent = state.stored ? figure(state.stored.values[one.index]) : "·";
    button.setAttribute("aria-label", `${nameOf(one)}, ${state.stored ? button.textContent : "not written yet"}`);
    button.setAttribute("aria-pressed", one === me);
    if (state.stored) mark(views.c, button.parentNode, "fresh");
  }
  mark(views.c, views.c.get(me.row, me.col), "me");
  mark(views.c, views.c.heads.row.get(me.row), "here");
  mark(views.c, views.c.heads.col.get(me.col), "here");
  reveal(views.c, views.c.get(me.row, me.col));
}

// One of the two shared arrays; (i, j) of it holds the matrix's element (i0 + i, j0 + j).
function drawShared(view, values, fresh, i0, j0, rows, cols, row, col, k) {
  clear(view);
  for (const i of view.rows) {
    for (const j of view.cols) {
      const node = view.get(i, j);
      node.textContent = values ? figure(values[i][j]) : "";
      if (values && (i0 + i >= rows || j0 + j >= cols)) mark(view, node, "pad");
      if (fresh) mark(view, node, "fresh");
      if (i === row || j === col) mark(view, node, "line");
      if (k >= 0 && (i === row ? j === k : j === col && i === k)) mark(view, node, "now");
    }
  }
  mark(view, view.heads.row.get(row), "here");
  mark(view, view.heads.col.get(col), "here");
  if (k >= 0) reveal(view, row >= 0 ? view.get(row, k) : view.get(k, col));
}

function drawChip(state, step) {
  const load = state.load, fresh = step.kind === "load", k = step.kind === "sum" && load ? step.k - load.k0 : -1;
  const [row0, col0] = group.origin, k0 = load ? load.k0 : 0;
  if (tiled) {
    const ks = load ? ` · k = ${load.k0}–${load.k0 + group.depth - 1}` : "";
    views.tile_a.note.textContent = `${group.rows}×${group.depth}${ks}`;
    views.tile_b.note.textContent = `${group.depth}×${group.cols}${ks}`;
    drawShared(views.tile_a, load && load.tile_a, fresh, row0, k0, M, K, me.row - row0, -1, k);
    drawShared(views.tile_b, load && load.tile_b, fresh, k0, col0, K, N, -1, me.col - col0, k);
  }
  clear(views.sums);
  for (const one of crew) {
    const button = picksSum.get(one.index), sum = figure(tiled || one.inside ? state.sums[one.index] : null);
    button.textContent = sum;
    button.setAttribute("aria-label", `${nameOf(one)}, sum ${sum}`);
    button.setAttribute("aria-pressed", one === me);
    if (!one.inside) mark(views.sums, button.parentNode, "pad");
    const entry = watched.get(one.index);
    entry.now.textContent = doing(step, one);
    entry.sum.textContent = sum;
    entry.line.classList.toggle("me", one === me);
    entry.line.querySelector("button").setAttribute("aria-pressed", one === me);
  }
  mark(views.sums, views.sums.get(me.row, me.col), "me");
  reveal(views.sums, views.sums.get(me.row, me.col));
  $("chip").dataset.kind = step.kind;
}

// The followed sum, a product at a time, with the sum so far under each.
function drawTerms(state, step) {
  const list = $("terms"), parts = steps.filter((one) => one.kind === "sum"), works = tiled || me.inside;
  $("sum-title").textContent = `The sum of ${nameOf(me)}: ${works ? figure(state.sums[me.index]) : "none"}`;
  list.replaceChildren(...(works ? parts : []).map((part) => {
    const done = part.k <= state.done, item = make("li", done ? "done" : "todo");
    if (part === step) item.classList.add("now");
    if (part.k >= K) item.classList.add("beyond");
    item.append(make("span", "term", done ? term(part.terms[me.index]) : `k = ${part.k}`));
    item.append(make("span", "partial", done ? figure(part.sums[me.index]) : "–"));
    return item;
  }));
  const now = list.querySelector(".now");
  if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
  else if (index === 0) list.scrollTop = 0;
}

function render() {
  const state = states[index], step = steps[index], position = `Step ${index + 1} of ${steps.length}`;
  drawGlobal(state, step);
  drawC(state);
  drawChip(state, step);
  drawTerms(state, step);
  $("headline").textContent = headline(state);
  $("story").textContent = story(state, me);
  $("live").dataset.kind = step.kind;
  $("position").textContent = position;
  $("slider").value = index + 1;
  $("slider").setAttribute("aria-valuetext", `${position}: ${headline(state)}`);
  $("follow").value = me.index;
  for (const [id, off] of [["first", index === 0], ["back", index === 0], ["next", index === steps.length - 1], ["last", index === steps.length - 1]])
    $(id).setAttribute("aria-disabled", off); // not `disabled`: the focus would be lost
  [...$("strip").children].forEach((tick, i) => tick.classList.toggle("current", i === index));
}

// ---- What the reader can do

function go(to) {
  const next = Math.max(0, Math.min(steps.length - 1, to));
  if (next === index) return;
  index = next;
  render();
}

function follow(one) {
  if (!one || one === me) return;
  me = one;
  render();
}

const actions = { first: () => go(0), back: () => go(index - 1), next: () => go(index + 1), last: () => go(steps.length - 1) };
for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
$("slider").addEventListener("input", (event) => go(Number(event.target.value) - 1));
$("follow").addEventListener("change", (event) => follow(crew.find((one) => one.index === Number(event.target.value))));

const keys = { Home: actions.first, ArrowLeft: actions.back, ArrowRight: actions.next, End: actions.last };
const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input, .well")) return; // they have their own keys
  const move = event.shiftKey ? moves[event.key] : undefined, action = event.shiftKey ? undefined : keys[event.key];
  if (!move && !action) return;
  event.preventDefault();
  if (action) action();
  else follow(owner(me.row + move[0], me.col + move[1]));
});

window.addEventListener("resize", () => { render(); setStops(); }); // boxes that scroll show other parts now

const tileText = tiled ? `, tile ${group.rows}×${group.cols}` : "";
document.title = `C = A · B, ${M}×${N}×${K}, step by step`;
$("title").textContent = "A matrix product, step by step";
$("facts").textContent = `C[${M}×${N}] = A[${M}×${K}] · B[${K}×${N}] · ${trace.problem.type} · kernel ${trace.kernel.name}${tileText} · workgroup ` +
  `[${group.id.join(", ")}] with ${count(crew.length, "invocation")}`;
$("origin").textContent = `Recorded on ${trace.device.name} by vkmatmul ${trace.tool.version}: the shader itself wrote down every value that is ` +
  `stepped through here.`;
$("command").textContent = trace.tool.command;
if (steps.length > 0 && me) {
  $("main").hidden = false;
  render();
  setStops();
} else {
  $("facts").textContent += ". There is nothing to step through.";
}
