// The page itself: what is drawn, what each step changes, and what the reader can do.

// The state at each step: the latest tiles and k, the sums before and after it, whether C has been written.
const isLoad = (step) => step !== undefined && step.kind === "load";
let load = null, sums = crew.map(() => 0), done = -1;
const states = steps.map((step, index) => {
  const before = sums, again = load !== null;
  if (isLoad(step)) load = step;
  if (step.kind === "sum") [sums, done] = [step.sums, step.k];
  return { load, again, before, sums, done, afterLoad: isLoad(steps[index - 1]), moreLoads: isLoad(steps[index + 1]) };
});

const rowsOfCrew = distinct(crew.map((one) => one.row)), colsOfCrew = distinct(crew.map((one) => one.col));
const byPlace = new Map(crew.map((one) => [`${one.row},${one.col}`, one]));
const owner = (row, col) => byPlace.get(`${row},${col}`);
const inCrew = (row, col) => row < M && col < N && byPlace.has(`${row},${col}`);

// Beyond 48 rows or columns, only those near the workgroup are drawn.
const near = (extent, places) => all(extent).filter((i) =>
  extent <= 48 || (i >= places[0] - 4 && i <= places[places.length - 1] + 4));
const rows = near(M, rowsOfCrew), cols = near(N, colsOfCrew), ks = all(K);
const part = (whole) => (whole ? "" : ", in part");

const addPick = (one, td) => td.append(pick(one, ""));
const views = {
  a: matrix("a", "A", `${M}×${K}${part(rows.length === M)}`, rows, ks, (i, j, td) => td.append(figure(trace.a[i][j]))),
  b: matrix("b", "B", `${K}×${N}${part(cols.length === N)}`, ks, cols, (i, j, td) => td.append(figure(trace.b[i][j]))),
  c: matrix("c", "C", `${M}×${N}${part(rows.length === M && cols.length === N)}`, rows, cols, (i, j, td) => {
    if (inCrew(i, j)) addPick(owner(i, j), td);
    else td.append(make("span", "faint", figure(trace.c[i][j])));
  }),
  sums: matrix("sums", "sum", tiled ? "per invocation" : "per invocation, by its element of C", rowsOfCrew, colsOfCrew,
    (i, j, td) => { if (owner(i, j)) addPick(owner(i, j), td); }),
};
if (tiled) {
  const depth = all(group.depth);
  views.tile_a = matrix("tile_a", "tileA", `${group.rows}×${group.depth}, shared`, all(group.rows), depth, () => {});
  views.tile_b = matrix("tile_b", "tileB", `${group.depth}×${group.cols}, shared`, depth, all(group.cols), () => {});
} else {
  $("tile_a").remove();
  $("tile_b").remove();
}
$("chip-title").textContent = `Workgroup [${group.id.join(", ")}]${tiled ? ": shared memory and sums" : ": sums"}`;

// All cells have one width, so that columns of B are above those of C.
const longest = (lists) => lists.flat(2).reduce((most, value) => Math.max(most, figure(value).length), 2);
const widthA = longest(trace.a), widthC = longest([trace.b, trace.c, ...steps.map((step) => [step.sums || []])]);
for (const [id, view] of Object.entries(views)) view.host.style.setProperty("--chars", id.endsWith("a") ? widthA : widthC);

// Rows of A are next to rows of C, and columns of B above columns of C, so they scroll together.
function together(one, other, side) {
  one.host.addEventListener("scroll", () => { other.host[side] = one.host[side]; });
  other.host.addEventListener("scroll", () => { one.host[side] = other.host[side]; });
}
together(views.a, views.c, "scrollTop");
together(views.b, views.c, "scrollLeft");

// The watch window: the constant columns are written here, the last two by render().
const watched = new Map();
table($("watch"), "list", "Every invocation of the workgroup: its indices, what it does in this step, and its sum",
  make("tr", "", ...["element", "global", "local", "workgroup", "tile origin", "this step", "sum"].map((name) =>
    header("col", name))), crew.map((one) => {
    const button = pick(one, one.inside ? nameOf(one) : "beyond C"), now = make("td", "now-text"), total = make("td");
    const pairs = [one.global, one.local, one.workgroup, one.tile_origin].map((pair) => make("td", "", pair.join(", ")));
    const line = make("tr", "", header("row", button), ...pairs, now, total);
    watched.set(one.index, { line, now, total });
    return line;
  }));

steps.forEach((step, i) => {
  const tick = make("li", step.kind, step.kind === "sum" && steps.length <= 40 ? step.k : KINDS[step.kind].mark);
  tick.addEventListener("click", () => go(i));
  $("strip").append(tick);
});

const inside = crew.filter((one) => one.inside).length;
for (const [text, shown] of [
  [`outlined: ${tiled ? "the active tiles" : "what is read"}, and the part of C that is being computed`, true],
  ["shaded ▸ ▾: the followed row of A and column of B", true],
  ["filled and underlined: read in this step", true],
  ["dotted underline: where that copy came from", tiled],
  ["◆: the followed element; choose another one in C", true],
  ["hatched: beyond the matrix, filled with 0", tiled && (inside < crew.length || K % group.depth > 0)],
  ["faint: computed by other workgroups or in other turns, at another time", inside < M * N],
]) if (shown) $("legend").append(make("li", "", text));

for (const one of crew) $("follow").append(new Option(nameOf(one), one.index));
$("slider").max = steps.length;

// ---- What each step changes

let index = 0, me = owner(...trace.at) || crew[0];

function drawGlobal(state, step) {
  const k0 = state.load && step.kind !== "store" ? state.load.k0 : -1, k = step.kind === "sum" ? step.k : -1;
  const ofTile = (j) => (tiled ? k0 >= 0 && j >= k0 && j < k0 + group.depth && j < K : j === k);
  const rows = new Set(rowsOfCrew), cols = new Set(colsOfCrew), now = tiled ? "source" : "now";
  for (const view of [views.a, views.b, views.c]) clear(view);
  outline(views.a, (i, j) => i < M && rows.has(i) && ofTile(j));
  outline(views.b, (i, j) => j < N && cols.has(j) && ofTile(i));
  outline(views.c, inCrew);
  for (let j = 0; j < K; j++) {
    mark(views.a, views.a.get(me.row, j), "line");
    mark(views.b, views.b.get(j, me.col), "line");
  }
  here(views.a, me.row);
  here(views.b, undefined, me.col);
  if (k >= 0) {
    mark(views.a, views.a.get(me.row, k), now);
    mark(views.b, views.b.get(k, me.col), now);
  }
  const tick = k >= 0 ? k : Math.max(k0, 0);
  reveal(views.a, views.a.get(Math.min(me.row, M - 1), tick));
  reveal(views.b, views.b.get(tick, Math.min(me.col, N - 1)));
}

function drawC(step) {
  for (const one of crew.filter((some) => some.inside)) {
    const button = views.c.get(one.row, one.col).firstChild, value = step.values && figure(step.values[one.index]);
    button.textContent = value || "·";
    button.setAttribute("aria-label", `${nameOf(one)}, ${value || "not written yet"}`);
  }
  mark(views.c, views.c.get(me.row, me.col), "me");
  here(views.c, me.row, me.col);
  reveal(views.c, views.c.get(me.row, me.col));
}

// One of the two shared arrays; (i, j) of it holds the matrix's element (i0 + i, j0 + j).
function drawShared(view, values, i0, j0, rows, cols, row, col, k) {
  clear(view);
  for (const i of view.rows) {
    for (const j of view.cols) {
      const node = view.get(i, j);
      node.textContent = values ? figure(values[i][j]) : "";
      if (values && (i0 + i >= rows || j0 + j >= cols)) mark(view, node, "pad");
      if (i === row || j === col) mark(view, node, "line");
      if (k >= 0 && (i === row ? j === k : j === col && i === k)) mark(view, node, "now");
    }
  }
  here(view, row, col);
  if (k >= 0) reveal(view, row >= 0 ? view.get(row, k) : view.get(k, col));
}

function drawChip(state, step) {
  const load = state.load, k = step.kind === "sum" && load ? step.k - load.k0 : -1;
  const [row0, col0] = group.origin, k0 = load ? load.k0 : 0;
  if (tiled) {
    const ks = load ? ` · k = ${load.k0}–${load.k0 + group.depth - 1}` : "";
    views.tile_a.note.textContent = `${group.rows}×${group.depth}${ks}`;
    views.tile_b.note.textContent = `${group.depth}×${group.cols}${ks}`;
    drawShared(views.tile_a, load && load.tile_a, row0, k0, M, K, me.row - row0, -1, k);
    drawShared(views.tile_b, load && load.tile_b, k0, col0, K, N, -1, me.col - col0, k);
  }
  clear(views.sums);
  for (const one of crew) {
    const cell = views.sums.get(one.row, one.col), sum = figure(tiled || one.inside ? state.sums[one.index] : null);
    cell.firstChild.textContent = sum;
    cell.firstChild.setAttribute("aria-label", `${nameOf(one)}, sum ${sum}`);
    if (!one.inside) mark(views.sums, cell, "pad");
    const { line, now, total } = watched.get(one.index);
    now.textContent = KINDS[step.kind].doing(step, one);
    total.textContent = sum;
    line.classList.toggle("me", one === me);
  }
  mark(views.sums, views.sums.get(me.row, me.col), "me");
  reveal(views.sums, views.sums.get(me.row, me.col));
  $("chip").className = `cross ${step.kind}${tiled ? "" : " alone"}`;
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
  const state = states[index], step = steps[index], kind = KINDS[step.kind], headline = kind.headline(step, state);
  const position = `Step ${index + 1} of ${steps.length}`;
  drawGlobal(state, step);
  drawC(step);
  drawChip(state, step);
  drawTerms(state, step);
  $("headline").textContent = headline;
  $("story").textContent = kind.story(step, state, me);
  $("live").className = `narration ${step.kind}`;
  $("position").textContent = position;
  $("slider").value = index + 1;
  $("slider").setAttribute("aria-valuetext", `${position}: ${headline}`);
  $("follow").value = me.index;
  for (const id of ["first", "back", "next", "last"]) // not `disabled`: the focus would be lost
    $(id).setAttribute("aria-disabled", index === (id === "first" || id === "back" ? 0 : steps.length - 1));
  for (const button of document.querySelectorAll(".pick")) button.setAttribute("aria-pressed", button.one === me);
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

window.addEventListener("resize", render); // scrolling boxes may now show other parts

const tileText = tiled ? `, tile ${group.rows}×${group.cols}` : "";
document.title = `C = A · B, ${M}×${N}×${K}, step by step`;
$("title").textContent = "A matrix product, step by step";
$("facts").textContent = `C[${M}×${N}] = A[${M}×${K}] · B[${K}×${N}] · ${trace.problem.type} · kernel ${trace.kernel.name}${tileText} · workgroup ` +
  `[${group.id.join(", ")}] with ${count(crew.length, "invocation")}`;
$("origin").textContent = `Recorded on ${trace.device.name} by vkmatmul ${trace.tool.version}: the shader itself recorded every value that is ` +
  `shown here.`;
$("command").textContent = trace.tool.command;
if (steps.length > 0 && me) {
  $("main").hidden = false;
  render();
} else {
  $("facts").textContent += ". There is nothing to step through.";
}
