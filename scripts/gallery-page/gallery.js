// The gallery: all devices in one table, speed over size, and two devices side by side.

const FASTEST = "fastest of each type";
const driverOf = (device) => [device.driver_name, device.driver_info].filter(known).join(" ");
const timed = rows.filter((row) => row.timed);
const rowsOf = (device) => timed.filter((row) => row.device === device);
const fastest = (found) => (found.length > 0 ? reduceBy(found, (a, b) => a.gflops > b.gflops) : null);
const types = byType(timed.map((row) => row.type));
const recordOf = (device) => data.records[data.reports.findIndex(({ report }) => report === device.report)];
const peakOf = (device) => recordOf(device).peak;

// What doctor found wrong, and wrong products, as texts.
function defectsOf(device) {
  const found = (recordOf(device).doctor ?? []).filter(({ verdict }) => ["warning", "problem"].includes(verdict)),
    wrong = rows.filter((row) => row.device === device && row.wrong);
  return [...found.map(({ sentence }) => sentence), ...wrong.map((row) => `wrong: ${row.product} ${row.type}`)];
}

// GFLOP/s per watt: joules are those of one product. null: no sensor is known.
const perWatt = (row) =>
  row?.power?.joules > 0 ? (row.gflops * row.time.kernel_ms.median * 1e-3) / row.power.joules : null;

function option(value, label) {
  const node = make("option", "", label);
  node.value = value;
  return node;
}

// Fills a <select>; change gets the chosen value.
function choose(id, options, value, change) {
  $(id).append(...options.map(([value, label]) => option(value, label)));
  $(id).value = value;
  $(id).addEventListener("change", () => change($(id).value));
}

/* ---- all devices ---- */

const picked = { product: FASTEST, filter: "", sort: 0, descending: false };

const rowFor = (device, type) =>
  fastest(
    rowsOf(device).filter(
      (row) => row.type === type && (picked.product === FASTEST || row.product === picked.product),
    ),
  );

function speedCell(row) {
  if (!row) return null;
  const share = percent(row.arithmetic_share),
    node = make("td", "n", figure(row.gflops), ...(share ? [" ", make("small", "", share)] : []));
  if (picked.product === FASTEST) node.title = row.product;
  return node;
}

function deviceCell(device) {
  const head = make("span", "", device.label);
  head.append(make("small", "", driverOf(device)));
  return head;
}

// [heading, kind, key to sort by, cell].
const COLUMNS = () => [
  ["Device", "name", (device) => device.label.toLowerCase(), deviceCell],
  ["Kind", "word", (device) => device.type, (device) => device.type],
  ["Copy, GB/s", "n", (device) => 1e-9 * device.peaks.copy_bytes_per_s || null],
  ["Peak f32, GFLOP/s", "n", (device) => 2e-9 * device.peaks.multiply_adds_per_s.f32 || null],
  ...types.map((type) => {
    const row = (device) => rowFor(device, type);
    return [type, "n", (device) => row(device)?.gflops, (device) => speedCell(row(device))];
  }),
  ["Defects", "n", (device) => defectsOf(device).length, (device) => String(defectsOf(device).length)],
  ["GFLOP/s per W", "n", (device) => Math.max(...types.map((type) => perWatt(rowFor(device, type)) ?? 0)) || null],
];

// Devices without a value come last, whatever the order.
function sorted(list, key) {
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (picked.descending ? -1 : 1);
  return [...list].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return known(x) && known(y) ? order(x, y) : known(y) - known(x);
  });
}

function sortBy(index, kind) {
  picked.descending = picked.sort === index ? !picked.descending : kind === "n";
  picked.sort = index;
  drawAll();
  $("all").querySelectorAll("thead button")[index].focus();
}

function drawAll() {
  const columns = COLUMNS(),
    words = picked.filter.toLowerCase().split(/\s+/);
  const kind = ({ type }) => (["cpu", "host"].includes(type) ? "cpu" : "gpu");
  const text = (device) => [device.label, driverOf(device), device.type, kind(device)].join(" ").toLowerCase();
  const list = devices.filter((device) => words.every((word) => text(device).includes(word)));
  const box = tableOf(
    picked.product === FASTEST ? "The fastest product of each type" : picked.product,
    columns.map(([heading, kind, key, show = key]) => [heading, kind, show]),
    sorted(list, columns[picked.sort][2]),
    false,
  );
  box.querySelectorAll("thead th").forEach((head, i) => {
    const button = make("button", "", head.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortBy(i, columns[i][1]));
    head.replaceChildren(button);
    if (i === picked.sort) head.setAttribute("aria-sort", picked.descending ? "descending" : "ascending");
  });
  $("all").replaceChildren(box);
  $("shown").textContent = list.length < devices.length ? `${list.length} of ${count(devices.length, "device")}` : "";
  setStops();
}

/* ---- speed over size ---- */

function drawSizes(type) {
  const isPoint = (row) => row.type === type && row.group !== "edge" && isSquare(row);
  const lines = contenders
    .map((device) => [device, curve(rowsOf(device), isPoint)])
    .filter(([, points]) => points.length > 0);
  dropCharts();
  $("sizes").replaceChildren(
    lines.length > 0
      ? figureOf(curveChart(`Speed over size, ${type}`, "GFLOP/s", lines))
      : make("p", "", "No squares of this type."),
  );
}

/* ---- two devices ---- */

const spread = (one) => (known(one?.spread) ? `, median ${short(100 * one.spread)} % lower` : "");

// What both are, and what they can do at best; the lower table has their products.
function factsOfTwo(two) {
  const types = distinct(two.flatMap((device) => (peakOf(device)?.types ?? []).map(({ type }) => type)));
  const copy = (one) => (one?.bytes_per_s > 0 ? `${figure(1e-9 * one.bytes_per_s)} GB/s${spread(one)}` : null);
  const peak = (device, type) => {
    const one = peakOf(device)?.types?.find((other) => other.type === type);
    return one?.flops > 0 ? `${figure(1e-9 * one.flops)} GFLOP/s${spread(one)}` : null;
  };
  return [
    ["Driver", driverOf],
    ["Vulkan", (device) => device.api_version],
    ["Kind", (device) => device.type],
    ["Memory", (device) => bytes(device.limits.device_heap_bytes)],
    ["Shared memory", (device) => bytes(device.limits.max_shared_bytes)],
    ["Measured", (device) => `${device.report.created ?? dash}, vkmatmul ${device.report.tool.version}`],
    ["Peak of copies", (device) => copy(peakOf(device)?.copy)],
    ...types.map((type) => [`Peak of ${type}`, (device) => peak(device, type)]),
    ["Defects", (device) => defectsOf(device).join("; ") || "none"],
  ].filter(([, valueOf]) => two.some((device) => known(valueOf(device))));
}

const ratioOf = (a, b) => (a && b ? b.gflops / a.gflops : null);

function drawTwo() {
  const two = ["first", "second"].map((id) => devices[$(id).value]),
    [a, b] = two;
  const found = two.map((device) => new Map(rowsOf(device).map((row) => [`${row.product} ${row.type}`, row])));
  const keys = distinct(found.flatMap((map) => [...map.keys()]));
  const of = (i) => (key) => found[i].get(key);
  const any = (key) => found[0].get(key) ?? found[1].get(key);
  const facts = [
    name("", ([term]) => term),
    ...two.map((device) => [device.label, "text", ([, valueOf]) => valueOf(device)]),
  ];
  const speeds = [
    name("Product", (key) => any(key).product),
    word("Type", (key) => any(key).type),
    n(a.label, (key) => speedCell(of(0)(key))),
    n(b.label, (key) => speedCell(of(1)(key))),
    n("second : first", (key) => ratioOf(of(0)(key), of(1)(key))),
  ];
  $("two").replaceChildren(
    tableOf("Both devices", facts, factsOfTwo(two), false),
    tableOf("Products, GFLOP/s", speeds, keys, false),
  );
  setStops();
}

/* ---- the page ---- */

const products = distinct(timed.map((row) => row.product));
const work = (product) => {
  const { m, n, k } = timed.find((row) => row.product === product).problem;
  return m * n * k;
};
products.sort((a, b) => work(a) - work(b));
choose("product", [FASTEST, ...products].map((product) => [product, product]), FASTEST, (product) => {
  picked.product = product;
  drawAll();
});
$("filter").addEventListener("input", () => {
  picked.filter = $("filter").value;
  drawAll();
});
choose("type", types.map((type) => [type, type]), types[0] ?? "", drawSizes);
const each = devices.map((device, i) => [i, device.label]);
choose("first", each, 0, drawTwo);
choose("second", each, Math.min(1, devices.length - 1), drawTwo);
$("facts").textContent =
  `${count(devices.length, "device")}, each measured by vkmatmul record. Only verified products have a speed.`;
$("version").textContent = data.tool.version;
drawAll();
drawSizes(types[0]);
drawTwo();
