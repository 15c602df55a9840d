// The picture of a step: A, B and C, and above A what the workgroup keeps in shared memory; one moment after the other.

const LINE = 8; // elements of a line of 32 bytes

function draw(tag, attributes, ...content) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...content);
  return node;
}

const span = (first, count) => Array.from({ length: count }, (_, i) => first + i);
const count = (n, one) => `${n.toLocaleString("en")} ${n === 1 ? one : one + "s"}`;

// The moments of a trace. cells: [matrix, row, column]; by: its invocation, or undefined where all work together.
// Running totals say what all of them cost.
function moments(trace, ahead) {
  const owners = new Map(), found = [], total = { reads: 0, lines: 0, shared: 0, adds: 0 };
  for (const [row, col, x, y] of trace.elements) {
    const key = `${x},${y}`, one = owners.get(key) || { rows: new Set(), cols: new Set(), elements: [] };
    one.rows.add(row);
    one.cols.add(col);
    one.elements.push([row, col]);
    owners.set(key, one);
  }
  const crew = [...owners.values()], row0 = Math.min(...trace.elements.map((e) => e[0]));
  const col0 = Math.min(...trace.elements.map((e) => e[1])), depth = trace.depth;
  const tile = (k0) => [...span(row0, trace.rows).flatMap((i) => span(k0, depth).map((k) => ["a", i, k])),
    ...span(k0, depth).flatMap((k) => span(col0, trace.cols).map((j) => ["b", k, j]))];
  const lines = (cells) => [...new Set(cells.map(([name, i, j]) => `${name},${i},${Math.floor(j / LINE)}`))];
  const add = (kind, cells, more) => {
    const touched = more.memory ? lines(cells) : [];
    total.lines += touched.length;
    found.push({ kind, cells, touched, ...more, total: { ...total } });
  };
  for (let k = 0; k < trace.sums.length; k++) {
    const k0 = depth ? k - k % depth : 0, first = depth && k === k0;
    if (first) {
      total.reads += tile(k0).length;
      add("load", tile(k0), { memory: true, k0 });
      add("barrier", [], { k0, after: "load", tile: tile(k0) });
    }
    const reads = crew.flatMap((one) => [...[...one.rows].map((i) => ["a", i, k, one]), ...[...one.cols].map((j) => ["b", k, j, one])]);
    if (depth) total.shared += reads.length;
    else total.reads += reads.length;
    total.adds += trace.elements.length;
    add("sum", reads, { memory: !depth, k, k0, tile: depth ? tile(k0) : [], next: ahead && k0 + depth < trace.k ? tile(k0 + depth) : [] });
    if (depth && (k + 1) % depth === 0) add("barrier", [], { k0, after: "sum", tile: tile(k0) });
  }
  add("store", [], {});
  return { crew, row0, col0, found };
}

// What happens at a moment, in a sentence or two.
function tell(trace, crew, now, me) {
  const each = crew[0], rows = each.rows.size, cols = each.cols.size, n = crew.length;
  const tiles = `a ${trace.rows}×${trace.depth} tile of A and a ${trace.depth}×${trace.cols} tile of B`;
  if (now.kind === "load")
    return `Load: the ${count(n, "invocation")} together copy ${tiles} into shared memory, ${count(now.cells.length, "element")} in ${count(now.touched.length, "line")} of memory.`;
  if (now.kind === "barrier" && now.after === "load")
    return `Barrier: all wait until both tiles are complete. Nobody reads or multiplies meanwhile.`;
  if (now.kind === "barrier") return "Barrier: all wait until everyone has read the tiles, which the next load overwrites.";
  if (now.kind === "store") return `Store: each invocation writes ${rows * cols > 1 ? `its ${rows * cols} elements` : "its element"} of C once.`;
  const [row, col] = me.elements[0], sum = trace.sums[now.k];
  const what = `k = ${now.k}: each of ${count(n, "invocation")} reads ${rows > 1 ? `${rows} elements` : "1 element"} of A and ` +
    `${cols} of B from ${now.memory ? `memory, together ${count(now.touched.length, "line")}` : "shared memory"}, for ${count(rows * cols, "multiply-add")}.`;
  return what + (now.next.length ? " Meanwhile the next tiles are on their way from memory into registers." : "") +
    (me === crew[0] ? ` C[${row}][${col}] is ${sum.toLocaleString("en")} so far.` : "");
}

// Fills a host; returns nothing. All texts are text nodes.
function picture(host, name, trace, ahead) {
  const { crew, row0, col0, found } = moments(trace, ahead), cells = new Map(), { m, n, k, depth } = trace;
  const wide = k + 3, svg = draw("svg", { viewBox: `0 0 ${(wide + n + 1) * 10} ${(k + 2 + m + 1) * 10}`, class: "reads", "aria-hidden": "true" });
  const grid = (id, hue, x0, y0, rows, cols, title) => {
    svg.append(draw("text", { x: x0, y: y0 - 4, class: `title ${hue}` }, title));
    for (const i of span(0, rows)) {
      for (const j of span(0, cols)) {
        cells.set(`${id},${i},${j}`, draw("rect", { x: x0 + j * 10 + 1, y: y0 + i * 10 + 1, width: 8, height: 8, rx: 1.5, class: hue }));
        svg.append(cells.get(`${id},${i},${j}`));
      }
    }
  };
  const low = (k + 2) * 10 + 5;
  grid("a", "a", 5, low, m, k, "A");
  grid("b", "b", wide * 10, 15, k, n, "B");
  grid("c", "c", wide * 10, low, m, n, "C");
  if (depth) {
    svg.append(draw("text", { x: 5, y: 11 }, "Shared memory"));
    grid("ta", "a", 5, 35, trace.rows, depth, "tileA");
    grid("tb", "b", 5 + (k + 1 - trace.cols) * 10, 35, depth, trace.cols, "tileB");
  }
  const mark = (id, ...classes) => cells.get(id)?.classList.add(...classes);
  const shared = ([kind, i, j], k0) => (kind === "a" ? `ta,${i - row0},${j - k0}` : `tb,${i - k0},${j - col0}`);
  const text = make("p", "moment"), totals = make("p", "totals"), slider = make("input"), play = button("Play", "play", () => toggle());
  let at = 0, me = crew[0], timer = null;

  function show(next) {
    at = Math.max(0, Math.min(found.length - 1, next));
    const now = found[at], total = now.total;
    for (const cell of cells.values()) cell.classList.remove("now", "line", "held", "next", "mine", "crew", "done");
    for (const one of crew) for (const [i, j] of one.elements) mark(`c,${i},${j}`, "crew", ...(now.kind === "store" ? ["done"] : []), ...(one === me ? ["mine"] : []));
    for (const line of now.touched) {
      const [matrix, i, part] = line.split(",");
      for (const j of span(part * LINE, LINE)) mark(`${matrix},${i},${j}`, "line");
    }
    if (depth && now.kind !== "store") for (const id of cells.keys()) if (id[0] === "t") mark(id, "held");
    for (const [matrix, i, j] of now.tile || []) mark(`${matrix},${i},${j}`, "held");
    for (const [matrix, i, j, by] of now.cells) {
      const mine = by === me ? ["mine"] : [];
      if (now.memory) mark(`${matrix},${i},${j}`, "now", ...mine);
      if (depth) mark(shared([matrix, i, j], now.k0), "now", ...mine);
    }
    for (const [matrix, i, j] of now.next || []) mark(`${matrix},${i},${j}`, "next");
    text.textContent = tell(trace, crew, now, me);
    totals.textContent = `So far: ${count(total.reads, "read")} of memory in ${count(total.lines, "line")}, ${count(total.shared, "read")} of shared memory, ` +
      `${count(total.adds, "multiply-add")}${total.adds ? `: ${(total.reads / total.adds).toFixed(2)} reads of memory for each` : ""}.`;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `${at + 1} of ${found.length}: ${text.textContent}`);
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    text.setAttribute("aria-live", "polite");
  }
  function toggle() {
    if (timer !== null) return stop();
    play.textContent = "Pause";
    text.setAttribute("aria-live", "off");
    show(at === found.length - 1 ? 0 : at + 1);
    timer = setInterval(() => (at === found.length - 1 ? stop() : show(at + 1)), 900);
  }
  const go = (to) => (stop(), show(to));
  const follow = (one) => ((me = crew[(crew.indexOf(me) + one + crew.length) % crew.length]), show(at));
  const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(found.length - 1),
    ArrowUp: () => follow(-1), ArrowDown: () => follow(1) };
  const lead = `A workgroup of a small product, C[${m}×${n}] = A[${m}×${k}] · B[${k}×${n}], here with a tile of ${trace.rows}×${trace.cols}. ` +
    "Filled: read now. Tinted: comes along in the same line of memory, or was copied to shared memory. Ringed: of one invocation.";
  const box = make("div", "stage", svg);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `Picture of ${name}: left and right arrow for moments, up and down for another invocation`);
  box.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  Object.assign(slider, { type: "range", min: 0, max: found.length - 1 });
  slider.setAttribute("aria-label", `Moment of ${name}`);
  slider.addEventListener("input", () => go(Number(slider.value)));
  matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", stop);
  host.append(make("p", "lead", lead), box, make("div", "buttons", button("Back", "", () => go(at - 1)), play, button("Next", "", () => go(at + 1)),
    ...(crew.length > 1 ? [button("Other invocation", "", () => follow(1))] : [])), slider, text, totals);
  stop();
  show(0);
}
