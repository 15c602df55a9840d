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

// Three significant digits, as on the terminal; with a unit, thousands become prefixes.
function figure(value, unit) {
  if (typeof value !== "number") return "unknown";
  let prefix = 0;
  while (unit && Math.abs(value) >= 1000 && prefix < 5) (value /= 1000), prefix++;
  const text = Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : value === 0 ? "0" : Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 20 });
  return unit ? `${text} ${["", "k", "M", "G", "T", "P"][prefix]}${unit}` : text;
}

// ---- The steps

const type = doc.rows.some((row) => row.type === "f32") ? "f32" : doc.rows[0]?.type;
const { m: M, n: N, k: K } = doc.problem, flop = 2 * M * N * K;
const steps = doc.rows.filter((row) => row.type === type).map((row, index) => {
  const own = row.kernel.shader, kernel = row.kernel.name, name = own || kernel;
  const lesson = LESSONS[kernel] || {}, text = own ? doc.sources[own] : lesson.source || shaders[`${lesson.shader || kernel}.comp`];
  return { row, name, kernel, own, lesson, id: `step-${index + 1}`, number: index + 1, text, speed: row.skipped ? null : row.gflops,
    trace: doc.traces[name], bytes: row.counts?.bytes_read, where: lesson.shader || kernel };
});
const speeds = steps.map((step) => step.speed).filter((speed) => speed > 0);
const low = Math.floor(Math.log10(Math.min(...speeds, 1))), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...speeds, 1))));
const share = (speed) => (Math.log10(speed) - low) / (high - low);
const decades = span(low, high - low + 1);
const before = (step) => steps.slice(0, step.number - 1).reverse().find((one) => one.speed > 0);

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
      draw("text", { x: at, y: 41, "text-anchor": d === high ? "end" : "middle" }, figure(10 ** d)));
  }
  svg.append(draw("rect", { x: 10, y: 8, width: Math.max(1, x(step.speed) - 10), height: 14, class: "speed" }));
  if (other) svg.append(draw("line", { x1: x(other.speed), x2: x(other.speed), y1: 3, y2: 27, class: "before" }));
  return figureOf("bar", "Speed", svg, `${figure(step.speed)} GFLOP/s on a logarithmic scale` +
    (other ? `; the dashed line is the step before, ${other.name}: ${figure(other.speed)}.` : "."));
}

function roofline(step) {
  const copy = doc.peaks?.copy_bytes_per_s, adds = doc.peaks?.multiply_adds_per_s;
  const known = steps.filter((one) => one.bytes > 0 && one.speed > 0);
  if (!(copy > 0) || !(adds > 0) || !known.includes(step)) return null;
  const peak = 2 * adds / 1e9, slope = copy / 1e9, at = (one) => flop / one.bytes, xs = [...known.map(at), peak / slope];
  const x0 = Math.log10(Math.min(...xs)) - .3, x1 = Math.log10(Math.max(...xs)) + .5;
  const y0 = Math.min(low, Math.log10(slope) + x0 - .2), y1 = Math.log10(peak) + .3;
  const x = (value) => 12 + 300 * (Math.log10(value) - x0) / (x1 - x0), y = (value) => 168 - 155 * (Math.log10(value) - y0) / (y1 - y0);
  const svg = draw("svg", { viewBox: "0 0 320 190" }), ridge = peak / slope, left = 10 ** x0, right = 10 ** x1;
  svg.append(draw("path", { d: `M${x(left)} ${y(left * slope)}L${x(ridge)} ${y(peak)}H${x(right)}`, class: "roof" }),
    draw("text", { x: x(right), y: y(peak) - 4, "text-anchor": "end" }, `arithmetic ${figure(peak * 1e9, "FLOP/s")}`),
    draw("text", { x: x(left) + 2, y: y(left * slope) - 8, transform: `rotate(${-Math.atan2(y(left * slope) - y(peak), x(ridge) - x(left)) * 180 / Math.PI} ${x(left)} ${y(left * slope)})` }, `memory ${figure(copy, "B/s")}`),
    draw("line", { x1: 12, x2: 312, y1: 170, y2: 170, class: "rule" }), draw("text", { x: 312, y: 184, "text-anchor": "end" }, "FLOP per byte →"),
    draw("text", { x: 12, y: 184 }, "↑ GFLOP/s"));
  for (const one of known) svg.append(draw("circle", { cx: x(at(one)), cy: y(one.speed), r: one === step ? 6 : 2.5, class: one === step ? "here" : "there" }));
  const roof = Math.min(peak, at(step) * slope);
  return figureOf("roofline", "Under the roofline", svg, `${figure(at(step))} FLOP for each byte that it asks memory for. The roof is there at ` +
    `${figure(roof)} GFLOP/s${step.speed > roof ? "; caches lift it above the roof." : `, and it reaches ${Math.round(100 * step.speed / roof)} % of that.`}`);
}

const NAMES = { bytes_read: ["bytes asked of memory", "B"], bytes_written: ["bytes written", "B"] };

function facts(step) {
  const list = make("dl", "facts"), other = before(step), add = (term, text) => text && list.append(make("div", "", make("dt", "", term), make("dd", "", text)));
  const { row } = step, ms = row.time?.kernel_ms?.median;
  add("speed", `${figure(step.speed)} GFLOP/s`);
  add(`over ${other?.name}`, other && `× ${figure(step.speed / other.speed)}`);
  add("limited by", row.limiter);
  add("predicted", row.predicted_ms > 0 && `${figure(row.predicted_ms)} ms`);
  add("measured", ms > 0 && `${figure(ms)} ms`);
  for (const [key, value] of Object.entries(row.counts || {}))
    if (typeof value === "number") add(...(NAMES[key] ? [NAMES[key][0], figure(value, NAMES[key][1])] : [key.replaceAll("_", " "), figure(value)]));
  return list;
}

function source(step) {
  if (!step.text) return make("p", "note", "The source of this step is not on this page.");
  const from = step.own ? steps.find((one) => one.name === step.row.resembles) : step.lesson.from ? steps.find((one) => one.kernel === step.lesson.from) : steps[step.number - 2];
  const after = linesOf(step.text), lines = from?.text ? compare(linesOf(from.text), after) : [], same = lines.filter(([mark]) => mark === " ").length;
  const close = same * 4 >= after.length, shown = close ? lines : after.map((line) => [" ", line]), code = make("code");
  for (const [mark, line] of shown) code.append(make("span", { "+": "new", "−": "gone", " ": "" }[mark], `${mark} ${line}\n`));
  const changed = shown.filter(([mark]) => mark !== " ").length, pre = make("pre", "", code);
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", `Source of ${step.name}`);
  const said = !from?.text ? "" : !close ? `Little of ${from.name} is left, so that no lines are marked.` : changed > 0 ? `+ marks what is new since ${from.name}, − what is gone.` :
    `The source is that of ${from.name}: only constants differ.`;
  const constants = Object.keys(step.row.kernel.spec_constants || {}).length > 0 && `Tile ${step.row.kernel.tile?.join("×")}, workgroup ${step.row.kernel.workgroup?.slice(0, 2).join("×")}.`;
  return make("div", "source", make("h3", "", step.own ? "Your source" : "Source"), make("p", "lead", [said, constants].filter(Boolean).join(" ")), pre);
}

function question(step) {
  const { question: asked = "Which resource limits this step, and which of its counts would you lower first?",
    answer = step.row.limiter ? `It is limited by ${step.row.limiter}; what lowers that count comes next.` : "Compare its counts with those of the step before." } = step.lesson;
  return make("div", "question", make("h3", "", "A question"), make("p", "", asked), make("details", "", make("summary", "", "Answer"), make("p", "", answer)));
}

function reads(step) {
  const box = make("div", "picture", make("h3", "", "Who reads what"));
  if (step.trace?.elements) picture(box, step.name, step.trace, step.where === "prefetch");
  else box.append(make("p", "note", `There is no picture: ${step.lesson.source ? "this is no shader, but a loop on the host" :
    step.trace?.reason || "this step was not traced"}.`));
  return box;
}

function section(step) {
  const { row } = step, title = make("h2", "", `${step.number}. ${step.name}`), page = make("section", "step", title);
  page.id = step.id;
  title.id = `${step.id}-title`;
  page.setAttribute("aria-labelledby", title.id);
  if (row.sentence) page.append(make("p", "sentence", row.sentence));
  if (row.why) page.append(make("p", "note", row.why));
  if (step.speed > 0) page.append(facts(step), make("div", "charts", ...[bar(step), roofline(step)].filter(Boolean)));
  else page.append(make("p", "reason", row.skipped ? `It did not run here: ${row.skipped}.` : `It has no speed: ${row.verify?.sentence || "its product is not verified"}.`));
  page.append(make("div", "both", reads(step), source(step)), question(step));
  return page;
}

// ---- All of them

$("facts").textContent = `C[${M}×${N}] = A[${M}×${K}] · B[${K}×${N}] · ${type} · ${doc.device.name}`;
$("scale").textContent = `GFLOP/s, on a logarithmic scale from ${figure(10 ** low)} to ${figure(10 ** high)}.`;
for (const step of steps) {
  const link = make("a", "", `${step.number}. ${step.name}`), length = make("span", "length");
  link.href = `#${step.id}`;
  if (step.speed > 0) length.style.width = `${100 * share(step.speed)}%`;
  $("all").append(make("li", "", link, make("span", "track", length), make("span", "number", step.speed > 0 ? figure(step.speed) : "did not run")));
  $("steps").append(section(step));
}
document.title = `vkmatmul ladder: ${doc.device.name}`;
$("origin").textContent = `Measured on ${doc.device.name} by vkmatmul ${doc.tool.version}; every product was verified before it was timed.`;
$("command").textContent = doc.tool.command;
