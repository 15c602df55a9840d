// The page: its tables, its sections, and the filter. All text of reports goes in as text nodes.

const $ = (id) => document.getElementById(id);

function make(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
}

/* ---- parts ---- */

// A column is [heading, kind]: "n" for figures, "word", "name", "text" and "wide" by how they wrap.
const n = (heading) => [heading, "n"],
  word = (heading) => [heading, "word"],
  name = (heading) => [heading, "name"];

function cell(value, kind) {
  if (value instanceof HTMLTableCellElement) return value;
  return known(value)
    ? make("td", kind, typeof value === "number" ? figure(value) : value)
    : make("td", `${kind} none`, dash);
}

function line(values, columns) {
  const row = make("tr"),
    head = make("th", columns[0][1], values[0]);
  head.scope = "row";
  row.append(head, ...values.slice(1).map((value, i) => cell(value, columns[i + 1][1])));
  return row;
}

// A table in a box that scrolls sideways; folded: within <details>, closed.
function tableOf(caption, columns, lines, folded = true) {
  const heads = columns.map(([heading, kind]) => {
    const head = make("th", kind, heading);
    head.scope = "col";
    return head;
  });
  const body = make("tbody", "", ...lines.map((values) => line(values, columns)));
  const box = make(
    "div",
    "scroll",
    make("table", "", make("caption", "", caption), make("thead", "", make("tr", "", ...heads)), body),
  );
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  return folded ? fold(caption, box) : box;
}

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

// What a reader has to know before believing a figure.
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
        slowed = sum("throttled");
      if (known(device.failed)) note(device.label, device.failed);
      if (wrong > 0)
        note(device.label, `${count(wrong, "product was", "products were")} wrong. A wrong product has no speed.`);
      if (slowed > 0)
        note(device.label, `${slowed} of ${count(sum("timed"), "timed row")} slowed down during the run (throttled).`);
    }
  }
  const list = make("ul", "notes", ...found);
  list.setAttribute("aria-label", "Before you compare");
  return found.length > 0 ? [list] : [];
}

const summary = () => [
  ...(devices.length > 0 ? [make("ul", "cards", ...devices.filter(shows.device).map(card))] : []),
  ...notes(),
];

/* ---- comparison ---- */

// "1.42 (1.40–1.44) ▲": the sign has a word for those who do not see it.
function ratioCell(ratio) {
  if (!ratio || !known(ratio.middle)) return cell(null);
  const verdict = verdictOf(ratio),
    sign = make("span", "", { faster: "▲", slower: "▼", same: "≈" }[verdict]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", verdict === "same" ? "no clear difference" : verdict);
  return make(
    "td",
    `n ${verdict}`,
    make("strong", "", figure(ratio.middle)),
    known(ratio.low) && known(ratio.high) ? ` (${range(ratio.low, ratio.high)}) ` : " ",
    sign,
  );
}

function comparison() {
  const lines = (data.comparison?.rows ?? []).filter(
    ({ problem, asked, contenders: cells }) =>
      cells[0]?.ratio &&
      chosen("type", typeName(problem)) &&
      cells.some((cell, i) => i > 0 && cell?.ratio && shows.device(contenders[i])) &&
      (filter.kernel.size === 0 || cells.some((cell) => filter.kernel.has(cell?.kernel ?? asked))),
  );
  const others = contenders.map((device, i) => [device, i]).filter(([device, i]) => i > 0 && shows.device(device)),
    [base] = contenders;
  if (lines.length === 0 || others.length === 0) return [];
  const means = others.map(([device, i]) => {
    const ratios = lines.map(({ contenders: cells }) => cells[i]?.ratio).filter((ratio) => ratio?.low > 0);
    const each = (wanted) => String(ratios.filter((ratio) => verdictOf(ratio) === wanted).length);
    return [
      device.label,
      ratioCell(meanRatio(ratios)),
      String(ratios.length),
      each("faster"),
      each("slower"),
      each("same"),
    ];
  });
  const meanColumns = [
    name("Device"),
    n("Mean ratio (95 % interval)"),
    n("Rows compared"),
    n("Faster"),
    n("Slower"),
    n("No clear difference"),
  ];
  return [
    tableOf(`Geometric mean of how many times as fast, against: ${base.label}`, meanColumns, means, false),
    tableOf(
      `Row by row: GFLOP/s of the first, then how many times as fast the others are, against: ${base.label}`,
      [name("Product"), word("Type"), word("Kernel"), n(base.label), ...others.map(([device]) => n(device.label))],
      lines.map((row) => [
        productName(row),
        typeName(row.problem),
        row.asked,
        row.contenders[0].gflops,
        ...others.map(([, i]) => ratioCell(row.contenders[i]?.ratio)),
      ]),
    ),
  ];
}

/* ---- curves ---- */

const timedBy = (device) => rows.filter((row) => row.timed && row.device === device && visible(row));
const typesOf = (picks = () => true) =>
  byType(rows.filter((row) => row.timed && visible(row) && picks(row)).map((row) => row.type));
const linesOf = (make) =>
  contenders.map((device) => [device, make(timedBy(device), device)]).filter(([, found]) => found.length > 0);

function curves(title, caption, unit, picks, value) {
  const drawn = [],
    tables = [];
  for (const type of typesOf(picks)) {
    const lines = linesOf((rows) =>
      curve(
        rows.filter((row) => row.type === type),
        picks,
        value,
      ),
    );
    if (lines.length === 0) continue;
    const sizes = distinct(lines.flatMap(([, points]) => points.map(({ x }) => x))).sort((a, b) => a - b);
    // Single sizes make no curve. They are in the tables.
    if (lines.some(([, points]) => points.length > 1))
      drawn.push(curveChart(`${title}, ${type}`, unit, lines, value !== undefined));
    tables.push(
      tableOf(
        `${caption}, ${type}`,
        [n("N"), ...lines.map(([device]) => n(device.label))],
        sizes.map((size) => [String(size), ...lines.map(([, points]) => points.find(({ x }) => x === size)?.y)]),
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
    "GFLOP/s over N columns of B, as language models multiply",
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

/* ---- ladder, roofline, tiles, cliffs, errors ---- */

function ladder() {
  const lines = linesOf((rows) => rows.filter((row) => row.group === "ladder")).map(([device, found]) => {
    const steps = distinct(found.map((row) => row.asked)),
      types = byType(found.map((row) => row.type));
    const find = (step, type) => found.find((row) => row.asked === step && row.type === type);
    return [
      ladderChart(device, steps, types, find),
      tableOf(
        `GFLOP/s of each step: ${device.label}`,
        [name("Step"), ...types.map(n), word("Size")],
        steps.map((step) => [
          step,
          ...types.map((type) => find(step, type)?.gflops),
          sizeName(found.find((row) => row.asked === step).problem),
        ]),
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
    [name("Device"), n("Copy, GB/s"), ...types.map(n), ["Matrix units, best shape", "text"]],
    found.map(({ label, peaks }) => [
      label,
      peaks.copy_bytes_per_s && 1e-9 * peaks.copy_bytes_per_s,
      ...types.map((type) => peaks.multiply_adds_per_s[type] && 2e-9 * peaks.multiply_adds_per_s[type]),
      best(peaks) && shapeName(best(peaks)),
    ]),
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
    contenders.map((device) =>
      rooflineChart(
        device,
        type,
        timedBy(device).filter((row) => row.type === type),
      ),
    ),
  );
  return [...chartsOf(drawn.filter(Boolean)), peaksTable()];
}

// The shade is the share of the best speed, in eight steps from a quarter on.
function tiles() {
  const maps = data.reports
    .flatMap(({ name: file, report }) =>
      report.tunes.map((tune) => {
        const type = typeName(tune.problem),
          map = chosen("type", type) ? tileMap(tune) : null;
        if (map === null) return null;
        const title = [
          `Tiles tried, ${sizeName(tune.problem)} ${type}`,
          tune.device,
          ...(data.reports.length > 1 ? [file] : []),
        ].join(", ");
        const shaded = (tile) => {
          if (!tile) return null;
          const share = map.best.ms / tile.ms,
            shade = share < 0.25 ? 0 : Math.min(7, Math.floor(1 + (share - 0.25) * 8));
          return make("td", `n h${shade}`, figure(tile.ms));
        };
        return make(
          "figure",
          "map",
          captionOf(
            title,
            `Milliseconds by rows and columns of the tile; the darker, the faster. Best: ` +
              `${figure(map.best.ms)} ms by ${map.best.kernel} with ${map.best.config}. ` +
              `${count(tune.trials.length, "candidate")}, ${map.failed} of them failed.`,
          ),
          tableOf(
            `Best milliseconds: ${title}`,
            [n("Rows"), ...map.widths.map((width) => n(`${width} columns`))],
            map.heights.map((height) => [String(height), ...map.widths.map((width) => shaded(map.at(height, width)))]),
            false,
          ),
        );
      }),
    )
    .filter(Boolean);
  return maps.length > 0 ? [make("div", "charts", ...maps)] : [];
}

function cliffs() {
  const drawn = [],
    lines = [];
  for (const type of typesOf()) {
    const found = linesOf((rows) => cliffsOf(rows.filter((row) => row.type === type)));
    if (found.length > 0) drawn.push(cliffChart(type, found));
    for (const [device, cliffs] of found) {
      for (const [size, [before, at, after]] of cliffs) {
        lines.push([
          device.label,
          type,
          String(size),
          before?.gflops,
          at.gflops,
          after?.gflops,
          percent(before && before.gflops / at.gflops),
          percent(after && after.gflops / at.gflops),
        ]);
      }
    }
  }
  const columns = [
    name("Device"),
    word("Type"),
    ...["N", "GFLOP/s at N − 1", "at N", "at N + 1", "N − 1 of N", "N + 1 of N"].map(n),
  ];
  return lines.length > 0 ? [...chartsOf(drawn), tableOf("Speed at N − 1, N and N + 1", columns, lines)] : [];
}

function errors() {
  const found = linesOf((rows) => rows.filter((row) => /^b?f/.test(row.problem.type)));
  const point = (row) => ({
    x: row.gflops,
    y: row.verify.error / row.verify.bound,
    row,
    say: [`error ${short(row.verify.error / row.verify.bound)} of its bound`],
  });
  const drawn = byType(found.flatMap(([, rows]) => rows.map((row) => row.type))).map((type) => [
    type,
    found
      .map(([device, rows]) => [
        device,
        rows.filter((row) => row.type === type && row.verify.bound > 0 && row.verify.error > 0).map(point),
      ])
      .filter(([, points]) => points.length > 0),
  ]);
  const columns = [
    name("Product"),
    word("Type"),
    name("Device"),
    word("Kernel"),
    ...["GFLOP/s", "Error", "Bound", "Error of bound"].map(n),
    word("Method"),
  ];
  const lines = found.flatMap(([device, rows]) =>
    rows.map((row) => [
      row.product,
      row.type,
      device.label,
      row.ran,
      row.gflops,
      known(row.verify.error) && short(row.verify.error),
      known(row.verify.bound) && short(row.verify.bound),
      percent(row.verify.error / row.verify.bound),
      row.verify.method,
    ]),
  );
  return lines.length === 0
    ? []
    : [
        ...chartsOf(drawn.filter(([, lines]) => lines.length > 0).map(([type, lines]) => errorChart(type, lines))),
        tableOf("Errors of all floating-point products", columns, lines),
      ];
}

/* ---- rows and runs ---- */

// Every column of a timed row: its heading, its kind, its value.
const COLUMNS = [
  ["Product", "name", (row) => row.product],
  ["Type", "word", (row) => row.type],
  ["Kernel", "word", (row) => row.ran + (row.kernel?.tuned ? " (tuned)" : "")],
  ["GFLOP/s", "n", (row) => row.gflops],
  ["Median ms", "n", (row) => row.time.kernel_ms.median],
  ["95 % interval", "n", (row) => range(...row.interval_ms)],
  ["5–95 % of samples", "n", (row) => range(row.time.kernel_ms.p5, row.time.kernel_ms.p95)],
  ["GB/s", "n", (row) => row.gbytes_per_s],
  ["Of peak", "n", (row) => percent(row.arithmetic_share)],
  ["Of copy", "n", (row) => percent(row.copy_share)],
  ["FLOP/byte", "n", intensity],
  ["Submit ms", "n", (row) => row.time.submit_ms?.median],
  ["With transfers, ms", "n", (row) => row.time.transfer_ms?.median],
  ["Sum of its parts, ms", "n", (row) => row.parts.sum_ms],
  ["Do they add up?", "wide", (row) => row.parts.apart ?? (known(row.parts.sum_ms) ? "yes" : null)],
  ["Joule", "n", (row) => row.power?.joules],
  ["MHz", "n", (row) => row.power?.mhz_during],
  ["Samples", "n", (row) => String(row.time.kernel_ms.samples.length)],
  ["Clock", "name", (row) => [row.time.clock, row.time.clock_note].filter(known).join(": ")],
  ["Slope ms", "n", (row) => row.time.slope_ms],
  ["Slowed down", "name", (row) => [row.throttled ? "throttled" : null, row.power?.limited].filter(known).join(": ")],
  ["Tunables", "wide", (row) => row.kernel?.config],
];
const allRows = () =>
  linesOf((rows) => rows).map(([device, found]) =>
    tableOf(
      `All timed rows: ${device.label}`,
      COLUMNS,
      found.map((row) => COLUMNS.map(([, , value]) => value(row))),
    ),
  );

function notRun() {
  const found = rows.filter((row) => !row.timed && visible(row));
  const why = (row) =>
    row.not_run !== null ? row.not_run : make("td", row.wrong ? "text slower" : "text", row.verify?.sentence ?? dash);
  const columns = [
    name("Product"),
    word("Type"),
    word("Kernel asked for"),
    name("Device"),
    name("Report"),
    ["Why", "text"],
  ];
  return found.length === 0
    ? []
    : [
        tableOf(
          "Products without a speed",
          columns,
          found.map((row) => [row.product, row.type, row.asked, row.device.label, row.device.file, why(row)]),
          found.length > 16,
        ),
      ];
}

// What the report says of a device, under the names of its keys but for these.
const TERMS = {
  type: "Kind",
  driver_name: "Driver",
  driver_info: "Driver's version",
  api_version: "Vulkan",
  uuid: "UUID",
  pci: "PCI",
};
function valueOf(key, value) {
  if (Array.isArray(value)) return value.length > 0 ? value.join(" × ") : null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!known(value)) return null;
  return /_bytes|_range/.test(key)
    ? bytes(value)
    : /^(vendor|device)_id/.test(key)
      ? `0x${value.toString(16)}`
      : String(value);
}
const termOf = (key) => TERMS[key] ?? key[0].toUpperCase() + key.slice(1).replaceAll("_", " ");
const deviceFacts = ({ device }) =>
  Object.entries({ ...device, ...device.limits })
    .filter(([, value]) => typeof value !== "object" || Array.isArray(value))
    .filter(([key]) => !["label", "heaps", "matrix2", "index"].includes(key))
    .map(([key, value]) => [termOf(key), valueOf(key, value)]);

function run({ name: file, report }) {
  const { tool, host, settings } = report,
    section = make("div", "run", make("h3", "", file ?? "this run"));
  section.append(
    factsOf([
      ["Command", known(tool.command) ? make("code", "", tool.command) : null],
      ["Measured", report.created],
      ["vkmatmul", tool.version],
      ["Hash of its shaders", tool.shader_hash],
      ["Host", host.processor],
      ["System", host.os],
      ["Processors", host.processors && String(host.processors)],
      ["Memory", host.memory_bytes && bytes(host.memory_bytes)],
      ["Power", host.power_source],
      ...report.layers.map((layer) => ["Vulkan layer", layer]),
      ["Suite", settings.suite],
      ["Seed", settings.seed > 0 ? String(settings.seed) : null],
      [
        "Caches",
        report.rows.length === 0
          ? null
          : settings.rotating_bytes > 0
            ? `cold: operands rotate through ${bytes(settings.rotating_bytes)}`
            : "hot",
      ],
      ["A row ends below a noise of", settings.max_noise && percent(settings.max_noise)],
      ["Time for each device", settings.budget_ms && `${settings.budget_ms / 1000} s`],
      ["Note", report.note],
    ]),
  );
  for (const device of report.devices) {
    section.append(
      fold(
        device.label,
        factsOf([
          ...deviceFacts({ device }),
          ...(device.heaps ?? []).map((heap) => [
            heap.device_local ? "Heap, on the device" : "Heap",
            bytes(heap.bytes),
          ]),
          ...device.peaks.matrix.map((shape) => ["Matrix shape", shapeName(shape)]),
        ]),
      ),
    );
  }
  return section;
}

/* ---- the filter ---- */

const filter = { type: new Set(), device: new Set(), kernel: new Set() };
const chosen = (group, value) => filter[group].size === 0 || filter[group].has(value);
const shows = { device: (device) => chosen("device", device) };
const visible = (row) => chosen("type", row.type) && chosen("device", row.device) && chosen("kernel", row.ran);

function chips(group, heading, values, labelOf = String) {
  if (values.length < 2) return [];
  const box = make("div", "chips", make("span", "", heading));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", heading);
  for (const value of values) {
    const chip = make("button", "", labelOf(value));
    chip.type = "button";
    if (value.who >= 0) chip.className = `k${colourOf(value)}`;
    chip.setAttribute("aria-pressed", "false");
    chip.addEventListener("click", () => {
      filter[group][filter[group].has(value) ? "delete" : "add"](value);
      chip.setAttribute("aria-pressed", String(filter[group].has(value)));
      draw();
    });
    box.append(chip);
  }
  return [box];
}

/* ---- all of it ---- */

const CONTENT = {
  summary,
  comparison,
  speed,
  share,
  ladder,
  roofline,
  tiles,
  cliffs,
  errors,
  rows: allRows,
  "not-run": notRun,
  runs: () => data.reports.map(run),
};

function draw() {
  dropCharts();
  for (const [id, contentOf] of Object.entries(CONTENT)) {
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

// The keyboard stops at a box only while there is something to scroll. Folded ones are left out: asking for their width
// would lay them out.
function setStops() {
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.closest("details:not([open])")) continue;
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
window.addEventListener("resize", setStops);

const folds = () => [...document.querySelectorAll("details")];
function nameFolds() {
  $("folds").textContent = folds().every(({ open }) => open) ? "Fold all tables" : "Open all tables";
}
$("folds").addEventListener("click", () => {
  const open = !folds().every((one) => one.open);
  for (const one of folds()) one.open = open;
  nameFolds();
});

// On paper nothing is folded away, every chart is drawn, and the colours are those of light paper.
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
const found = [...(devices.length > 0 ? [count(devices.length, "device")] : []), count(data.reports.length, "report")];
$("facts").textContent = `${found.join(" in ")}, ${source}. Every speed belongs to a product that was verified.`;
if (devices.length === 0)
  document.querySelector("#summary .lead").textContent = "These are tunes, without rows of a suite.";
$("version").textContent = data.tool.version;
$("command").textContent = data.tool.command ?? "vkmatmul report";
$("filter").append(
  ...chips("type", "Type", byType(rows.map((row) => row.type))),
  ...chips("device", "Device", devices, ({ label }) => label),
  ...chips("kernel", "Kernel", distinct(rows.filter((row) => row.timed).map((row) => row.ran)).sort()),
);
draw();
