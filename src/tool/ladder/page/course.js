// The page: a section for each step, made from the ladder's document.

const $ = (id) => document.getElementById(id);
const doc = JSON.parse($("ladder").textContent);

function make(tag, name, ...content) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...content);
  return node;
}

function button(text, name, action) {
  const node = make("button", name, text);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
}

// Three significant digits, as on the terminal; with a unit, which may be "", thousands become prefixes.
function figure(value, unit) {
  if (typeof value !== "number") return "unknown";
  let prefix = 0;
  while (unit !== undefined && Math.abs(value) >= 1000 && prefix < 5) (value /= 1000), prefix++;
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  const text = rounded.toLocaleString("en", { maximumFractionDigits: 20 });
  return unit === undefined ? text : `${text} ${["", "k", "M", "G", "T", "P"][prefix]}${unit}`.trim();
}

// ---- The steps

const type = doc.rows.some((row) => row.type === "f32") ? "f32" : doc.rows[0]?.type;
const { m: M, n: N, k: K } = doc.problem;
const steps = doc.rows.filter((row) => (row.out_type || row.type) === type).map((row, index) => {
  const { name: kernel, shader: own } = row.kernel, name = own || (row.name && row.name !== "auto" ? row.name : kernel);
  const lesson = LESSONS[name] || LESSONS[kernel] || {}, made = lesson.shader || kernel;
  const { m = M, n = N, k = K, counts } = row;
  return { row, name, own, lesson, made, m, n, k, id: `step-${index + 1}`, number: index + 1, text: own ? doc.sources[own] : lesson.source || shaders[`${made}.comp`],
    speed: row.skipped ? null : row.gflops, trace: doc.traces[own || kernel], intensity: counts?.l2_bytes > 0 ? 2 * m * n * k / counts.l2_bytes : null };
});
const speeds = steps.map((step) => step.speed).filter((speed) => speed > 0);
const low = Math.floor(Math.log10(Math.min(...speeds, 1))), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...speeds, 1))));
const share = (speed) => (Math.log10(speed) - low) / (high - low);
const decades = span(low, high - low + 1);
// The latest step before it that ran on the same sizes.
const before = (step) => steps.slice(0, step.number - 1).reverse().find((one) => one.speed > 0 && one.k === step.k && one.m === step.m);

// ---- Its parts

function figureOf(name, title, svg, caption) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", caption);
  return make("figure", name, make("h3", "", title), svg, make("figcaption", "", caption));
}

function bar(step) {
  const svg = draw("svg", { viewBox: "0 0 320 44" }), x = (speed) => 10 + 300 * share(speed), other = before(step);
  for (const d of decades) {
    const at = 10 + 300 * (d - low) / (high - low);
    svg.append(draw("line", { x1: at, x2: at, y1: 2, y2: 28, class: "rule" }),
      draw("text", { x: at, y: 41, "text-anchor": d === high ? "end" : d === low ? "start" : "middle" },
        (10 ** d).toLocaleString("en", { notation: "compact", maximumFractionDigits: 9 })));
  }
  svg.append(draw("rect", { x: 10, y: 8, width: Math.max(1, x(step.speed) - 10), height: 14, class: "speed" }));
  if (other) svg.append(draw("line", { x1: x(other.speed), x2: x(other.speed), y1: 3, y2: 27, class: "before" }));
  return figureOf("bar", "Speed", svg, `${figure(step.speed)} GFLOP/s on a logarithmic scale` +
    (other ? `; the dashed line is the step before, ${other.name}: ${figure(other.speed)}.` : "."));
}

// Each resource's time alone: what is counted, at the device's peak. The longest is the limit.
const RESOURCES = [["dram", "from memory", "dram_bytes", "B"], ["l2", "through L2", "l2_bytes", "B"], ["l1", "lines of L1", "l1_lines", ""],
  ["shared", "shared-memory turns", "shared_turns", ""], ["instructions", "instructions", "instructions", ""], ["latency", "waits", "waits", ""],
  ["barriers", "barriers", "barriers", ""]];

function resources(step) {
  const { counts, resource_ms: times, limiter } = step.row, most = Math.max(...Object.values(times || {}));
  if (!counts || !(most > 0)) return null;
  const body = RESOURCES.map(([key, name, count, unit]) => {
    const length = make("span", "length"), line = make("tr", times[key] === most ? "limit" : "", make("th", "", name), make("td", "number", figure(counts[count], unit)),
      make("td", "number", `${figure(times[key])} ms`), make("td", "", make("span", "track", length)));
    length.style.width = `${100 * times[key] / most}%`;
    line.firstChild.scope = "row";
    return line;
  });
  const heads = ["resource", "counted", "time at its peak", ""].map((name) => make(name ? "th" : "td", "", name));
  for (const head of heads) head.scope = "col";
  return make("div", "resources", make("h3", "", `What it waits for: ${limiter}`), make("table", "", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...body)));
}

function roofline(step) {
  const known = steps.filter((one) => one.intensity > 0 && one.speed > 0), peak = 2 * doc.peaks?.multiply_adds_per_s / 1e9;
  const slope = (key) => step.row.counts?.[`${key}_bytes`] / step.row.resource_ms?.[key] / 1e6, cache = slope("l2"), memory = slope("dram"); // GB/s
  if (!known.includes(step) || !(peak > 0) || !(cache > 0) || !(memory > 0)) return null;
  const ridge = peak / cache, xs = [...known.map((one) => one.intensity), ridge, peak / memory], x0 = Math.log10(Math.min(...xs)) - .3, x1 = Math.log10(Math.max(...xs)) + .6;
  const ys = known.map((one) => Math.log10(one.speed)), y0 = Math.min(...ys, Math.log10(memory) + x0) - .2, y1 = Math.max(...ys, Math.log10(peak)) + .3;
  const x = (value) => 12 + 300 * (Math.log10(value) - x0) / (x1 - x0), y = (value) => 165 - 155 * (Math.log10(value) - y0) / (y1 - y0);
  const svg = draw("svg", { viewBox: "0 0 320 184" }), left = 10 ** x0, right = 10 ** x1;
  const roof = (speed, name) => svg.append(draw("path", { d: `M${x(left)} ${y(left * speed)}L${x(peak / speed)} ${y(peak)}H${x(right)}`, class: `roof ${name}` }));
  roof(memory, "memory");
  roof(cache, "cache");
  svg.append(draw("line", { x1: 12, x2: 312, y1: 167, y2: 167, class: "rule" }), draw("text", { x: 312, y: 180, "text-anchor": "end" }, "FLOP per byte →"),
    draw("text", { x: 12, y: 180 }, "↑ GFLOP/s"), draw("text", { x: x(right), y: y(peak) - 4, "text-anchor": "end" }, `arithmetic ${figure(peak * 1e9, "FLOP/s")}`));
  for (const one of known) svg.append(draw("circle", { cx: x(one.intensity), cy: y(one.speed), r: one === step ? 6 : 2.5, class: one === step ? "here" : "there" }));
  const most = Math.min(peak, step.intensity * cache);
  return figureOf("roofline", "Under the roofline", svg, `${figure(step.intensity)} FLOP for each byte that its workgroups read. ` +
    (step.speed > peak ? "It is above the level roof, which ordinary instructions cannot pass: matrix operations do." :
      `The L2 cache (solid, ${figure(cache * 1e9, "B/s")}) allows ${figure(most)} GFLOP/s there, of which it reaches ${figure(100 * step.speed / most)} %.`) +
    ` Dashed: if all bytes came from memory, ${figure(memory * 1e9, "B/s")}.`);
}

function facts(step) {
  const list = make("dl", "facts"), other = before(step), add = (term, text) => text && list.append(make("div", "", make("dt", "", term), make("dd", "", text)));
  const { row } = step, ms = row.time?.kernel_ms?.median;
  add("size", (step.k !== K || step.m !== M) && `${step.m}×${step.n}×${step.k}`);
  add("speed", `${figure(step.speed)} GFLOP/s`);
  add(`over ${other?.name}`, other && `× ${figure(step.speed / other.speed)}`);
  add("limited by", row.limiter);
  add("predicted", row.predicted_ms > 0 && `${figure(row.predicted_ms)} ms`);
  add("measured", ms > 0 && `${figure(ms)} ms`);
  return list;
}

// The constants that differ between two steps of one shader, as "PAD 0 → 1".
function constants(step, from) {
  const values = ({ row, text }) => {
    if (row.kernel.config) return Object.fromEntries(row.kernel.config.split(",").map((pair) => pair.split("=")));
    const names = { 2: "ROWS", 3: "COLS", 4: "DEPTH" }; // product.glsl
    for (const [, id, name] of linesOf(text).join("\n").matchAll(/constant_id = (\d+)\) const uint (\w+)/g)) names[id] = name;
    return Object.fromEntries(Object.entries(row.kernel.spec_constants || {}).filter(([id]) => names[id]).map(([id, value]) => [names[id], value]));
  };
  const one = values(from), other = values(step);
  return Object.keys(other).filter((name) => name in one && one[name] !== other[name]).map((name) => `${name} ${one[name]} → ${other[name]}`).join(", ");
}

function source(step) {
  if (!step.text) return make("p", "note", "The source of this step is not on this page.");
  const from = step.own ? steps.find((one) => one.name === step.row.resembles) : step.lesson.from ? steps.find((one) => one.name === step.lesson.from) : steps[step.number - 2];
  const after = linesOf(step.text), lines = from?.text ? compare(linesOf(from.text), after) : [], same = lines.filter(([mark]) => mark === " ").length;
  const close = same * 4 >= after.length, shown = close ? lines : after.map((line) => [" ", line]), code = make("code");
  for (const [mark, line] of shown) code.append(make("span", { "+": "new", "−": "gone", " ": "" }[mark], `${mark} ${line}\n`));
  const changed = shown.filter(([mark]) => mark !== " ").length, pre = make("pre", "", code);
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", `Source of ${step.name}`);
  const said = !from?.text ? "" : !close ? `Little of ${from.name} is left, so that no lines are marked.` : changed > 0 ? `+ marks what is new since ${from.name}, − what is gone.` :
    `The source is that of ${from.name}${constants(step, from) && `, with other constants: ${constants(step, from)}`}.`;
  const { tile, workgroup } = step.row.kernel, shape = tile?.[0] > 0 && !step.lesson.source && `Tile ${tile.join("×")}, workgroup ${workgroup.slice(0, 2).join("×")}.`;
  return make("div", "source", make("h3", "", step.own ? "Your source" : "Source"), make("p", "lead", [said, shape].filter(Boolean).join(" ")), pre);
}

function question(step) {
  const { question: asked = "Which resource limits this step, and which of its counts would you lower first?",
    answer = step.row.limiter ? `It is limited by ${step.row.limiter}; what lowers that count comes next.` : "Compare its counts with those of the step before." } = step.lesson;
  return make("div", "question", make("h3", "", "A question"), make("p", "", asked), make("details", "", make("summary", "", "Answer"), make("p", "", answer)));
}

function reads(step) {
  const { row } = step, box = make("div", "picture", make("h3", "", "Who reads what"));
  if (step.trace?.elements) picture(box, step.name, step.trace, step.made === "prefetch");
  else box.append(make("p", "note", `There is no picture: ${step.lesson.source ? "this is no shader, but a loop on the host" :
    row.skipped ? "the step did not run" : step.trace?.reason || "it was not traced"}.`));
  return box;
}

function section(step) {
  const { row } = step, title = make("h2", "", `${step.number}. ${step.name}`), page = make("section", "step", title);
  page.id = step.id;
  title.id = `${step.id}-title`;
  page.setAttribute("aria-labelledby", title.id);
  if (row.sentence) page.append(make("p", "sentence", `${row.sentence[0].toUpperCase()}${row.sentence.slice(1)}.`));
  if (row.why) page.append(make("p", "note", row.why));
  if (step.speed > 0) page.append(facts(step), make("div", "charts", ...[bar(step), roofline(step), resources(step)].filter(Boolean)));
  else page.append(make("p", "reason", row.skipped ? `It did not run here: ${row.skipped}.` : `It has no speed: ${row.verify?.sentence || "its product is not verified"}.`));
  const near = make("p", "near"), go = (to, text) => near.append(Object.assign(make("a", "", text), { href: `#${to}` }), " ");
  if (steps[step.number - 2]) go(steps[step.number - 2].id, `← ${steps[step.number - 2].name}`);
  go("all-title", "All steps");
  page.append(make("div", step.trace?.elements ? "both" : "both alone", reads(step), source(step)), question(step), near);
  if (row !== steps[steps.length - 1].row) go(`step-${step.number + 1}`, `${steps[step.number].name} →`);
  return page;
}

// ---- All of them

$("facts").textContent = `C[${M}×${N}] = A[${M}×${K}] · B[${K}×${N}] · ${type} · ${doc.device.name}`;
$("scale").textContent = `GFLOP/s, on a logarithmic scale from ${figure(10 ** low)} to ${figure(10 ** high)}.`;
for (const step of steps) {
  const link = make("a", "", `${step.number}. ${step.name}`), length = make("span", "length");
  link.href = `#${step.id}`;
  length.style.width = `${step.speed > 0 ? 100 * share(step.speed) : 0}%`;
  $("all").append(make("li", "", link, make("span", "track", length), make("span", "number", step.speed > 0 ? figure(step.speed) : step.row.skipped ? "did not run" : "no speed")));
  $("steps").append(section(step));
}
document.title = `vkmatmul ladder: ${doc.device.name}`;
$("origin").textContent = `Measured on ${doc.device.name} by vkmatmul ${doc.tool.version}; every product was verified before it was timed.`;
$("command").textContent = doc.tool.command;
