"use strict";
// The contents of the reports, as the page uses them. A row that did not pass has no speed: the reports have null.

const data = JSON.parse(document.getElementById("data").textContent);

/* ---- texts ---- */

const dash = "–";
const known = (value) => value !== null && value !== undefined && value !== "" && !Number.isNaN(value);
const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;

// As many digits as the terminal shows.
function figure(value) {
  if (!Number.isFinite(value)) return dash;
  if (value > 0 && value < 0.001) return String(Number(value.toPrecision(2)));
  return value.toFixed(value < 1 ? 4 : value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}
const short = (value) => String(Number(value.toPrecision(3)));
const percent = (share) => (known(share) ? `${short(100 * share)} %` : null);
const range = (low, high) => (known(low) && known(high) ? `${figure(low)}–${figure(high)}` : null);

function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  for (; value >= 1024 && unit < 6; unit++) value /= 1024;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}

const typeName = ({ names }) => names.type,
  sizeName = ({ names }) => names.size;
const TYPES = ["f32", "f64", "i32", "u32", "f16", "bf16", "i8", "u8", "e4m3", "e5m2"];
const typeRank = (name) => TYPES.indexOf(name.match(/^\w+/)[0]) * 100 + name.length;

const productName = ({ problem, rotating_bytes }) =>
  [problem.names.size, problem.names.rest, rotating_bytes > 0 ? "cold caches" : ""].filter(known).join(", ");

/* ---- devices and rows ---- */

// Every device of every report. Those with a speed are contenders: only they have a colour, and a place in charts.
const devices = data.reports.flatMap(({ name, report }, r) =>
  report.devices.map((device, d) => {
    const who = data.contenders.findIndex((one) => one.report === r && one.device === d);
    return {
      ...device,
      report,
      at: d,
      file: name ?? "this run",
      who,
      label: who < 0 ? device.label : data.contenders[who].label,
    };
  }),
);
const contenders = devices.filter((device) => device.who >= 0).sort((a, b) => a.who - b.who);
const colourOf = (device) => device.who % 7;

const rows = devices.flatMap((device) =>
  device.report.rows
    .filter((row) => row.device === device.at)
    .map((row) => ({
      ...row,
      device,
      type: typeName(row.problem),
      product: productName(row),
      ran: row.kernel?.name ?? row.asked,
      timed: row.interval_ms !== null,
      wrong: row.verify !== null && !row.verify.passed && row.verify.method !== "none",
    })),
);

const distinct = (values) => [...new Set(values)];
const byType = (names) => distinct(names).sort((a, b) => typeRank(a) - typeRank(b));

/* ---- selections of rows ---- */

// FLOP per byte: of memory asked for where the kernel's reads are known by formula, otherwise of A, B and C once each.
const intensity = (row) =>
  row.asked_bytes ? (row.gflops * row.time.kernel_ms.median * 1e6) / row.asked_bytes : row.gflops / row.gbytes_per_s;

// Products of square matrices with the kernel chosen automatically, one at a time: what curves over size show.
function isSquare({ problem: p, asked, group }) {
  return (
    p.m === p.n &&
    p.n === p.k &&
    asked === "auto" &&
    group !== "ladder" &&
    p.batch_count === 1 &&
    !p.bias &&
    p.transpose_a + p.transpose_b === "NN" &&
    p.activation === "none"
  );
}

// A curve has each N once; of several rows the first is kept.
function curve(rows, picks, value = (row) => row.gflops) {
  const points = new Map();
  for (const row of rows.filter(picks)) {
    const { n } = row.problem,
      y = value(row);
    if (y > 0 && !points.has(n)) points.set(n, { x: n, y, row });
  }
  return [...points.values()].sort((a, b) => a.x - b.x);
}

// Round sizes whose neighbours were measured as well: [N, the rows of N - 1, N and N + 1]. The first or the last may be
// missing.
function cliffsOf(rows) {
  const squares = new Map();
  for (const row of rows.filter(isSquare)) if (!squares.has(row.problem.n)) squares.set(row.problem.n, row);
  return [...squares.keys()]
    .filter((n) => n % 2 === 0 && (squares.has(n - 1) || squares.has(n + 1)))
    .sort((a, b) => a - b)
    .map((n) => [n, [n - 1, n, n + 1].map((size) => squares.get(size))]);
}

/* ---- ratios ---- */

const verdictOf = ({ low, high }) => (low > 1 ? "faster" : high < 1 ? "slower" : "same");

// The geometric mean; its ends are the means of the ends, because rows of one run err together.
function meanRatio(ratios) {
  const mean = (end) => Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio[end]), 0) / ratios.length);
  return ratios.length > 0 ? { middle: mean("middle"), low: mean("low"), high: mean("high") } : null;
}
