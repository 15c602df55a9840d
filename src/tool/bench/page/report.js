// The page: its tables, its sections, and the filter. All text of reports goes in as text nodes.

const opened = new Set(); // summaries of the folds that the reader opened: they stay open when the filter changes
function fold(summary, ...children) {
  const details = make("details", "", make("summary", "", summary), ...children);
  details.open = opened.has(summary);
  details.addEventListener("toggle", () => {
    if (!printing) opened[details.open ? "add" : "delete"](summary);
    setStops();
    nameFolds();
  });
  return details;
}

const chartsOf = (list) => (list.length > 0 ? [make("div", "charts", ...list.map(figureOf))] : []);
const factsOf = (pairs) =>
  make(
    "dl",
    "facts",
    ...pairs
      .filter(([, value]) => known(value))
      .flatMap(([term, value]) => [make("dt", "", term), make("dd", "", value)]),
  );

/* ---- summary ---- */

function card(device) {
  const all = rows.filter((row) => row.device === device),
    timed = all.filter((row) => row.timed);
  const wrong = all.filter((row) => row.wrong).length,
    missing = all.filter((row) => row.not_run !== null).length;
  const best = byType(timed.map((row) => row.type)).map((type) =>
    reduceBy(
      timed.filter((row) => row.type === type),
      (a, b) => a.gflops > b.gflops,
    ),
  );
  const counts = make("p", "", `${timed.length} timed`);
  if (wrong > 0) counts.append(", ", make("span", "slower", `${wrong} wrong`));
  if (missing > 0) counts.append(`, ${missing} not run`);
  const figures = best.map((row) => [
    row.type,
    make(
      "dd",
      "",
      make("strong", "", figure(row.gflops)),
      " GFLOP/s",
      make("br"),
      sizeName(row.problem) + (known(row.arithmetic_share) ? `, ${percent(row.arithmetic_share)} of peak` : ""),
    ),
  ]);
  if (timed.length > 0 && device.peaks.copy_bytes_per_s > 0)
    figures.push(["copy", make("dd", "", `${figure(1e-9 * device.peaks.copy_bytes_per_s)} GB/s`)]);
  return make(
    "li",
    device.who < 0 ? "" : `k${colourOf(device)}`,
    make("h3", "", device.label),
    make("p", "", [device.driver_name, device.driver_info].filter(known).join(" ")),
    make(
      "p",
      "",
      [device.file, device.report.created, `vkmatmul ${device.report.tool.version || "?"}`].filter(known).join(", "),
    ),
    counts,
    ...(figures.length > 0
      ? [make("dl", "", ...figures.flatMap(([term, value]) => [make("dt", "", term), value]))]
      : []),
  );
}

// Notes that a reader needs before trusting a figure.
function notes() {
  const found = [],
    note = (about, text) => found.push(make("li", "", make("strong", "", `${about}:`), ` ${text}`));
  const version = ({ tool }, word) => `${tool.version || "(unknown)"}, ${word}${tool.shader_hash || "(unknown)"}`;
  const [first] = data.reports;
  for (const { name, report } of data.reports) {
    if (report.rows.length > 0 && first.report.rows.length > 0 && version(report, "") !== version(first.report, ""))
      note(
        name,
        `made with vkmatmul ${version(report, "shaders ")}, and the first report with ${version(first.report, "")}.`,
      );
  }
  for (const { name, report } of data.reports) {
    if (!report.complete && report.rows.length > 0)
      note(name ?? "this run", report.note ?? "The run was not finished.");
    for (const device of devices.filter((one) => one.report === report)) {
      const sum = (key) => rows.filter((row) => row.device === device && row[key]).length;
      const wrong = sum("wrong"),
        busy = sum("busy"),
        slowed = sum("throttled");
      if (known(device.failed)) note(device.label, device.failed);
      if (wrong > 0)
        note(device.label, `${count(wrong, "product was", "products were")} wrong. A wrong product has no speed.`);
      if (busy > 0)
        note(
          device.label,
          `Other processes took processor time from ${busy} of ${count(sum("timed"), "timed row")}: the machine was busy.`,
        );
      if (slowed > 0)
        note(device.label, `${slowed} of ${count(sum("timed"), "timed row")} slowed down during the run (throttled).`);
    }
  }
  return found.length > 0 ? [named("Before you compare", make("ul", "notes", ...found))] : [];
}

const summary = () => [
  ...(devices.length > 0 ? [make("ul", "cards", ...devices.filter(shows.device).map(card))] : []),
  ...notes(),
];

/* ---- comparison ---- */

// "1.42 (1.40–1.44) ▲": the sign has a text alternative.
function ratioCell(ratio) {
  if (!ratio || !known(ratio.middle)) return cell(null);
  const verdict = verdictOf(ratio),
    sign = make("span", "", { faster: "▲", slower: "▼", same: "≈" }[verdict]);
  return make(
    "td",
    `n ${verdict}`,
    make("strong", "", figure(ratio.middle)),
    known(ratio.low) && known(ratio.high) ? ` (${range(ratio.low, ratio.high)}) ` : " ",
    named(verdict === "same" ? "no clear difference" : verdict, sign, "img"),
  );
}

function comparison() {
  const baseOf = (i) => data.comparison?.contenders[i].base ?? null;
  const others = contenders
    .map((device, i) => [device, i])
    .filter(([device, i]) => baseOf(i) !== null && baseOf(i) !== i && shows.device(device));
  const lines = (data.comparison?.rows ?? []).filter(
    ({ problem, asked, contenders: cells }) =>
      chosen("type", typeName(problem)) &&
      others.some(([, i]) => cells[i]?.ratio) &&
      (filter.kernel.size === 0 || cells.some((cell) => filter.kernel.has(cell?.kernel ?? asked))),
  );
  if (lines.length === 0) return [];
  const bases = [...new Set(others.map(([, i]) => baseOf(i)))],
    [first] = bases,
    relative =
      bases.length === 1 ? `relative to: ${contenders[first].label}` : "relative to the same device of the first report";
  const ratiosOf = (i) => lines.map(({ contenders: cells }) => cells[i]?.ratio).filter((ratio) => ratio?.low > 0);
  const counts = (heading, wanted) =>
    n(heading, ([, i]) => String(ratiosOf(i).filter((ratio) => verdictOf(ratio) === wanted).length));
  return [
    tableOf(
      `Geometric mean speed ratio, ${relative}`,
      [
        name("Device", ([device]) => device.label),
        n("Mean ratio (95 % interval)", ([, i]) => ratioCell(meanRatio(ratiosOf(i)))),
        n("Rows compared", ([, i]) => String(ratiosOf(i).length)),
        counts("Faster", "faster"),
        counts("Slower", "slower"),
        counts("No clear difference", "same"),
      ],
      others,
      false,
    ),
    tableOf(
      `Row by row: GFLOP/s of the first, then the speed ratios of the others, ${relative}`,
      [
        name("Product", productName),
        word("Type", (row) => typeName(row.problem)),
        word("Kernel", (row) => row.asked),
        ...bases.flatMap((base) => [
          n(contenders[base].label, (row) => row.contenders[base]?.gflops),
          ...others
            .filter(([, i]) => baseOf(i) === base)
            .map(([device, i]) => n(device.label, (row) => ratioCell(row.contenders[i]?.ratio))),
        ]),
      ],
      lines,
    ),
  ];
}

/* ---- curves ---- */

// The rows with a speed that the filter shows; of a type, or of all (null).
const timedBy = (device, type) =>
  rows.filter((row) => row.timed && row.device === device && visible(row) && (type === null || row.type === type));
const typesOf = (picks = () => true) =>
  byType(rows.filter((row) => row.timed && visible(row) && picks(row)).map((row) => row.type));
const linesOf = (type, make) =>
  contenders.map((device) => [device, make(timedBy(device, type))]).filter(([, found]) => found.length > 0);

function curves(title, caption, unit, picks, value) {
  const drawn = [],
    tables = [];
  for (const type of typesOf(picks)) {
    const lines = linesOf(type, (rows) => curve(rows, picks, value));
    if (lines.length === 0) continue;
    const sizes = distinct(lines.flatMap(([, points]) => points.map(({ x }) => x))).sort((a, b) => a - b);
    // A single size is not a curve. It is in the tables.
    if (lines.some(([, points]) => points.length > 1))
      drawn.push(curveChart(`${title}, ${type}`, unit, lines, value !== undefined));
    tables.push(
      tableOf(
        `${caption}, ${type}`,
        [
          n("N", String),
          ...lines.map(([device, points]) => n(device.label, (size) => points.find(({ x }) => x === size)?.y)),
        ],
        sizes,
      ),
    );
  }
  return [...chartsOf(drawn), ...tables];
}

const isCurve = (row) => isSquare(row) && row.group !== "edge";
const isColumns = (row) => row.group === "llm" && row.asked === "auto";
const speed = () => [
  ...curves("Speed over size", "GFLOP/s over N", "GFLOP/s", isCurve),
  ...curves(
    "Speed over columns of B",
    "GFLOP/s over N columns of B, as in language models",
    "GFLOP/s",
    isColumns,
  ),
];
const share = () =>
  curves(
    "Share of the measured multiply-add peak",
    "Percent of the multiply-add peak over N",
    "%",
    (row) => isCurve(row) && row.arithmetic_share > 0,
    (row) => 100 * row.arithmetic_share,
  );

/* ---- ladder, roofline, cliffs, errors ---- */

function ladder() {
  const lines = linesOf(null, (rows) => rows.filter((row) => row.group === "ladder")).map(([device, found]) => {
    const steps = distinct(found.map((row) => row.asked)),
      types = byType(found.map((row) => row.type));
    const find = (step, type) => found.find((row) => row.asked === step && row.type === type);
    return [
      ladderChart(device, steps, types, find),
      tableOf(
        `GFLOP/s of each step: ${device.label}`,
        [
          name("Step", String),
          ...types.map((type) => n(type, (step) => find(step, type)?.gflops)),
          word("Size", (step) => sizeName(found.find((row) => row.asked === step).problem)),
        ],
        steps,
      ),
    ];
  });
  return [...chartsOf(lines.map(([chart]) => chart)), ...lines.map(([, table]) => table)];
}

function peaksTable() {
  const found = contenders.filter(shows.device),
    types = TYPES.filter((type) => found.some(({ peaks }) => peaks.multiply_adds_per_s[type] > 0));
  const best = ({ matrix }) =>
    matrix
      .filter((one) => one.multiply_adds_per_s > 0)
      .sort((a, b) => b.multiply_adds_per_s - a.multiply_adds_per_s)[0];
  return tableOf(
    "Measured peaks: multiply-adds in GFLOP/s, a multiplication and an addition each, of integers too",
    [
      name("Device", ({ label }) => label),
      n("Copy, GB/s", ({ peaks }) => peaks.copy_bytes_per_s && 1e-9 * peaks.copy_bytes_per_s),
      ...types.map((type) => n(type, ({ peaks: { multiply_adds_per_s: all } }) => all[type] && 2e-9 * all[type])),
      ["Matrix units, best shape", "text", ({ peaks }) => best(peaks) && shapeName(best(peaks))],
    ],
    found,
    false,
  );
}
function shapeName({ m, n, k, a, b, c, result, saturating, multiply_adds_per_s: peak }) {
  const name = `${m}×${n}×${k}, ${a} · ${b} + ${c} = ${result}${saturating ? ", saturating" : ""}`;
  return peak > 0 ? `${name}: ${figure(2e-12 * peak)} TFLOP/s` : name;
}

function roofline() {
  const any = ({ peaks }) =>
    peaks.copy_bytes_per_s > 0 || Object.values(peaks.multiply_adds_per_s).some((peak) => peak > 0);
  if (!contenders.filter(shows.device).some(any)) return [];
  const drawn = typesOf().flatMap((type) =>
    contenders.map((device) => rooflineChart(device, type, timedBy(device, type))),
  );
  return [...chartsOf(drawn.filter(Boolean)), peaksTable()];
}

function cliffs() {
  const drawn = [],
    lines = [];
  for (const type of typesOf()) {
    const found = linesOf(type, cliffsOf);
    if (found.length > 0) drawn.push(cliffChart(type, found));
    lines.push(...found.flatMap(([device, cliffs]) => cliffs.map(([, rows]) => [device, ...rows])));
  }
  const share = (row, at) => percent(row && row.gflops / at.gflops);
  const columns = [
    name("Device", ([device]) => device.label),
    word("Type", ([, , at]) => at.type),
    n("N", ([, , at]) => String(at.problem.n)),
    n("GFLOP/s at N − 1", ([, before]) => before?.gflops),
    n("at N", ([, , at]) => at.gflops),
    n("at N + 1", ([, , , after]) => after?.gflops),
    n("N − 1 of N", ([, before, at]) => share(before, at)),
    n("N + 1 of N", ([, , at, after]) => share(after, at)),
  ];
  return lines.length > 0 ? [...chartsOf(drawn), tableOf("Speed at N − 1, N and N + 1", columns, lines)] : [];
}

function errors() {
  const isFloat = (row) => /^b?f/.test(row.type),
    share = ({ verify }) => verify.error / verify.bound;
  const point = (row) => ({ x: row.gflops, y: share(row), row, say: [`error ${short(share(row))} of its bound`] });
  const drawn = typesOf(isFloat).flatMap((type) => {
    const lines = linesOf(type, (rows) => rows.filter((row) => share(row) > 0).map(point));
    return lines.length > 0 ? [errorChart(type, lines)] : [];
  });
  const lines = linesOf(null, (rows) => rows.filter(isFloat)).flatMap(([, rows]) => rows);
  const columns = [
    name("Product", (row) => row.product),
    word("Type", (row) => row.type),
    name("Device", (row) => row.device.label),
    word("Kernel", (row) => row.ran),
    n("GFLOP/s", (row) => row.gflops),
    n("Error", ({ verify }) => known(verify.error) && short(verify.error)),
    n("Bound", ({ verify }) => known(verify.bound) && short(verify.bound)),
    n("Error of bound", (row) => percent(share(row))),
    word("Method", ({ verify }) => verify.method),
  ];
  return lines.length > 0 ? [...chartsOf(drawn), tableOf("Errors of all floating-point products", columns, lines)] : [];
}

/* ---- rows and runs ---- */

const COLUMNS = [
  name("Product", (row) => row.product),
  word("Type", (row) => row.type),
  word("Kernel", (row) => row.ran + (row.kernel?.tuned ? " (tuned)" : "")),
  n("GFLOP/s", (row) => row.gflops),
  n("Median ms", (row) => row.time.kernel_ms.median),
  n("95 % interval", (row) => range(...row.interval_ms)),
  n("5–95 % of samples", (row) => range(row.time.kernel_ms.p5, row.time.kernel_ms.p95)),
  n("GB/s", (row) => row.gbytes_per_s),
  n("Of peak", (row) => percent(row.arithmetic_share)),
  n("Of copy", (row) => percent(row.copy_share)),
  n("FLOP/byte", intensity),
  n("Submit ms", (row) => row.time.submit_ms?.median),
  n("With transfers, ms", (row) => row.time.total_ms?.median),
  n("Joule", (row) => row.power?.joules),
  n("MHz", (row) => row.power?.mhz_during),
  n("Samples", (row) => String(row.time.kernel_ms.samples.length)),
  name("Clock", (row) => [row.time.clock, row.time.clock_note].filter(known).join(": ")),
  n("Slope ms", (row) => row.time.slope_ms),
  name("Slowed down", (row) => [row.busy ? "busy machine" : null, row.throttled ? "throttled" : null, row.power?.limited].filter(known).join(": ")),
  ["Tunables", "wide", (row) => row.kernel?.config],
];
const allRows = () =>
  linesOf(null, (rows) => rows).map(([device, found]) => tableOf(`All timed rows: ${device.label}`, COLUMNS, found));

function notRun() {
  const found = rows.filter((row) => !row.timed && visible(row));
  const columns = [
    name("Product", (row) => row.product),
    word("Type", (row) => row.type),
    word("Kernel asked for", (row) => row.asked),
    name("Device", (row) => row.device.label),
    name("Report", (row) => row.device.file),
    [
      "Why",
      "text",
      (row) => row.not_run ?? make("td", row.wrong ? "text slower" : "text", row.verify?.sentence ?? dash),
    ],
  ];
  return found.length > 0 ? [tableOf("Products without a speed", columns, found, found.length > 16)] : [];
}

// The facts of a run or a device in a report, by key.
function valueOf(key, value) {
  if (Array.isArray(value)) return value.length > 0 ? value.join(" × ") : null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!known(value)) return null;
  if (key === "command") return make("code", "", value);
  if (key === "rotating_bytes") return value > 0 ? `cold: operands rotate through ${bytes(value)}` : "hot";
  if (key === "max_noise") return percent(value);
  if (/_bytes|_range/.test(key)) return bytes(value);
  return /^(vendor|device)_id/.test(key) ? `0x${value.toString(16)}` : String(value);
}
const termOf = (key) => key[0].toUpperCase() + key.slice(1).replaceAll("_", " ");
const factsAbout = (object) =>
  Object.entries(object)
    .filter(([, value]) => typeof value !== "object" || Array.isArray(value))
    .filter(([key]) => !["label", "heaps", "matrix2", "index"].includes(key))
    .map(([key, value]) => [termOf(key), valueOf(key, value)]);

function run({ name: file, report }) {
  const { tool, created, host, settings, layers, note } = report;
  return make(
    "div",
    "run",
    make("h3", "", file ?? "this run"),
    factsOf([
      ...factsAbout({ ...tool, created, ...host, ...(report.rows.length > 0 ? settings : {}), note }),
      ...layers.map((layer) => ["Vulkan layer", layer]),
    ]),
    ...report.devices.map((device) =>
      fold(
        device.label,
        factsOf([
          ...factsAbout({ ...device, ...device.limits }),
          ...(device.heaps ?? []).map((heap) => [
            heap.device_local ? "Heap, on the device" : "Heap",
            bytes(heap.bytes),
          ]),
          ...device.peaks.matrix.map((shape) => ["Matrix shape", shapeName(shape)]),
        ]),
      ),
    ),
  );
}

/* ---- the filter ---- */

const filter = { type: new Set(), device: new Set(), kernel: new Set() };
const chosen = (group, value) => filter[group].size === 0 || filter[group].has(value);
const shows = { device: (device) => chosen("device", device) };
const visible = (row) => chosen("type", row.type) && chosen("device", row.device) && chosen("kernel", row.ran);

function chips(group, heading, values, labelOf = String) {
  if (values.length < 2) return [];
  const all = values.map((value) => {
    const chip = toggle(filter[group], value, true, draw, labelOf(value));
    if (value.who >= 0) chip.className = `k${colourOf(value)}`;
    return chip;
  });
  return [named(heading, make("div", "chips", make("span", "", heading), ...all), "group")];
}

/* ---- all of it ---- */

// The id, title, lead and content of each section.
const SECTIONS = [
  [
    "summary",
    "Summary",
    "The fastest product of each type on each device, by median kernel time. Charts use the colours of these cards; " +
      "their error bars are 95 % intervals of the median.",
    summary,
  ],
  [
    "comparison",
    "Comparison",
    "A ratio of 2 means half the time. ▲ faster, ▼ slower, ≈ no clear difference: the 95 % interval contains 1. " +
      "Only rows that both have are compared: same product, kernel and caches.",
    comparison,
  ],
  [
    "speed",
    "Speed over size",
    "Products of N×N matrices, both axes logarithmic.",
    speed,
  ],
  [
    "share",
    "Share of peak",
    "The same products as a share of the measured peak: chains of multiply-adds in registers, with no reads or " +
      "writes of memory.",
    share,
  ],
  [
    "ladder",
    "The ladder",
    "The steps of the tutorials, from one invocation per element to tiles in shared memory, and the fastest " +
      "kernel beyond them. Each device has its own axes.",
    ladder,
  ],
  [
    "roofline",
    "Roofline",
    "Under the slope, memory is the limit; under the level part, arithmetic. For products, FLOP per byte is 2·M·N·K " +
      "over the bytes of A, B and C; for steps of the ladder, over the bytes that they request from memory. Caches " +
      "served a step that is above the slope.",
    roofline,
  ],
  [
    "cliffs",
    "Cliffs",
    "A size next to a round one fits tiles and alignment worse. Speeds are percentages of the speed at N.",
    cliffs,
  ],
  [
    "errors",
    "Error against speed",
    "The error of each product, as measured by its verification, relative to the bound that rounding allows. " +
      "Integers are exact or wrong.",
    errors,
  ],
  [
    "rows",
    "All rows",
    "Medians in milliseconds: the kernel alone, from submission to fence, and with the transfers of A, B and C. " +
      "Slope: the time of one dispatch by the host's clock, from batches of growing size, to check the device's clock. A dash means unknown.",
    allRows,
  ],
  [
    "not-run",
    "Not run",
    "Products that did not run or were wrong. They have no figures.",
    notRun,
  ],
  [
    "runs",
    "About the runs",
    "How, where and with what each report was made.",
    () => data.reports.map(run),
  ],
];

for (const [id, title, lead] of SECTIONS) {
  const heading = make("h2", "", title),
    link = make("a", "", title);
  const section = make("section", "", heading, make("p", "lead", lead), make("div", "content"));
  section.id = id;
  heading.id = `${id}-title`;
  section.setAttribute("aria-labelledby", heading.id);
  $("main").append(section);
  link.href = `#${id}`;
  $("links").append(make("li", "", link));
}

function draw() {
  dropCharts();
  for (const [id, , , contentOf] of SECTIONS) {
    const content = contentOf();
    $(id).hidden = content.length === 0 && id !== "summary";
    $(id)
      .querySelector(".content")
      .replaceChildren(...content);
    document.querySelector(`#links [href="#${id}"]`).parentNode.hidden = $(id).hidden;
  }
  const isFiltered = Object.values(filter).some(({ size }) => size > 0);
  const shown = `The filter shows ${rows.filter(visible).length} of ${count(rows.length, "row")}.`;
  $("shown").textContent = isFiltered ? shown : "";
  setStops();
  nameFolds();
}

const folds = () => [...document.querySelectorAll("details")];
function nameFolds() {
  $("folds").textContent = folds().every(({ open }) => open) ? "Fold all tables" : "Open all tables";
}
$("folds").addEventListener("click", () => {
  const open = !folds().every((one) => one.open);
  for (const one of folds()) one.open = open;
  nameFolds();
});

// In print nothing is folded, every chart is drawn, and the colours are those of the light scheme.
let printing = false,
  folded = [];
window.addEventListener("beforeprint", () => {
  printing = true;
  folded = folds().filter(({ open }) => !open);
  for (const one of folded) one.open = true;
  document.documentElement.classList.add("paper");
  redraw(true);
});
window.addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
  document.documentElement.classList.remove("paper");
  redraw(false);
  printing = false;
});

const source = `as vkmatmul ${data.tool.version} reads ${data.reports.length === 1 ? "it" : "them"}`;
// A device of several reports counts once. The host's BLAS has neither UUID nor id.
const distinctDevices = distinct(
  devices.map(({ driver_name, uuid, device_id, name }) => [driver_name, uuid, device_id ?? name].join()),
).length;
const found = [...(devices.length > 0 ? [count(distinctDevices, "device")] : []), count(data.reports.length, "report")];
$("facts").textContent = `${found.join(" in ")}, ${source}. Only verified products have a speed.`;
$("version").textContent = data.tool.version;
$("command").textContent = data.tool.command ?? "vkmatmul report";
$("filter").append(
  ...chips("type", "Type", byType(rows.map((row) => row.type))),
  ...chips("device", "Device", devices, ({ label }) => label),
  ...chips("kernel", "Kernel", distinct(rows.filter((row) => row.timed).map((row) => row.ran)).sort()),
);
draw();
