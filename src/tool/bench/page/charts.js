// Charts: what each shows is a list of series, which Chart.js draws. A chart is drawn when it comes into view, and
// again when colours change.

Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false, responsive: true });
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
const FONT = `12px ${Chart.defaults.font.family}`; // of labels

// Each line has its own colour, mark and dash, so that the chart can be read without telling colours apart.
const MARKS = [
  ["circle", "●"],
  ["rect", "■"],
  ["triangle", "▲"],
  ["rectRot", "◆"],
  ["crossRot", "✖"],
  ["star", "✱"],
  ["cross", "✚"],
];
const DASHES = [[], [10, 4], [3, 3], [12, 4, 3, 4], [6, 3]];
const ROOF = 7; // the grey of what was measured as the limit, without a mark

function colours() {
  const style = getComputedStyle(document.documentElement),
    of = (name) => style.getPropertyValue(name).trim();
  return {
    ink: of("--ink"),
    muted: of("--muted"),
    rule: of("--rule"),
    panel: of("--panel"),
    k: Array.from({ length: 8 }, (_, i) => of(`--k${i}`)),
  };
}

/* ---- axes ---- */

const logAxis = (text, values) => ({
  type: "logarithmic",
  text,
  min: Math.min(...values) / 1.35,
  max: Math.max(...values) * 1.35,
});

// The ends of a point's error bar: the speeds at the ends of the 95 % interval of its time.
function ends({ row, ...point }, axis = "y") {
  const { kernel_ms } = row?.time ?? {};
  return (row?.interval_ms ?? []).filter(known).map((ms) => (point[axis] * kernel_ms.median) / ms);
}
const reach = (points, axis = "y") => points.flatMap((point) => [point[axis], ...ends(point, axis)]);

// Removes labels that would touch the next, from the right. Chart.js assumes that all are equally far apart.
function thin(axis) {
  let free = Infinity;
  axis.ctx.font = FONT;
  for (const tick of [...axis.ticks].reverse()) {
    const half = axis.ctx.measureText(tick.label).width / 2 + 3,
      x = axis.getPixelForValue(tick.value);
    if (x + half > free) tick.label = "";
    else free = x - half;
  }
}

// `at`: where the labels are, if not where Chart.js puts them; `all`: as many as it has, inclined if they are long.
function scaleOf({ text, at, all, name, grid = true, ...more }, c) {
  return {
    ...more,
    title: { display: text !== undefined, text, color: c.muted },
    grid: { color: grid ? c.rule : "transparent", borderColor: c.muted, tickColor: c.rule },
    ticks: {
      color: c.ink,
      maxRotation: all ? 60 : 0,
      autoSkip: !at && !all,
      autoSkipPadding: 10,
      ...(name && { callback: (value) => name(value) }),
    },
    ...(at && {
      afterBuildTicks: (axis) => void (axis.ticks = at.map((value) => ({ value }))),
      beforeCalculateLabelRotation: thin,
    }),
  };
}

// An error bar, if it is longer than a pixel, with caps; returns the y of its upper end.
function drawError({ ctx, scales }, axis, { x, y }, point) {
  const [a, b] = ends(point, axis).map((value) => scales[axis].getPixelForValue(value)),
    cap = 4;
  if (!(Math.abs(a - b) > 1)) return y;
  ctx.beginPath();
  if (axis === "x") ctx.rect(a, y, b - a, 0);
  else ctx.rect(x, a, 0, b - a);
  for (const end of [a, b])
    if (axis === "x") ctx.rect(end, y - cap, 0, 2 * cap);
    else ctx.rect(x - cap, end, 2 * cap, 0);
  ctx.stroke();
  return axis === "y" ? Math.min(a, b) : y;
}

// Chart.js has neither error bars nor labels above bars or next to points.
const annotations = ({ bars, errors = "y" }, c) => ({
  id: "annotations",
  afterDatasetsDraw(chart) {
    const { ctx } = chart;
    ctx.save();
    ctx.fillStyle = c.ink;
    ctx.font = FONT;
    ctx.textAlign = bars ? "center" : "left";
    ctx.textBaseline = bars ? "bottom" : "middle";
    for (const { data, index } of chart.getSortedVisibleDatasetMetas()) {
      const { borderColor, data: points } = chart.data.datasets[index];
      ctx.strokeStyle = bars ? c.ink : borderColor;
      data.forEach((at, i) => {
        const { words } = points[i],
          top = drawError(chart, errors, at, points[i]);
        if (words) ctx.fillText(words, bars ? at.x : at.x + 9, bars ? top - 3 : at.y);
      });
    }
    ctx.restore();
  },
});

/* ---- one chart ---- */

// The tooltip of a point.
function sayRow(row) {
  const [low, high] = row.interval_ms;
  return [
    `${figure(row.gflops)} GFLOP/s`,
    `median ${figure(row.time.kernel_ms.median)} ms (95 %: ${figure(low)}–${figure(high)})`,
    `kernel ${row.ran}${row.kernel?.tuned ? " (tuned)" : ""}`,
    ...(row.busy ? ["on a busy machine"] : []),
    ...(row.throttled ? ["throttled during the run"] : []),
  ];
}

const keyOf = ({ title }, label) => `${title}: ${label}`;

function configOf(chart, c) {
  const { bars, labels, series, x, y } = chart;
  return {
    type: bars ? "bar" : "scatter",
    data: {
      labels,
      datasets: series.map(({ label, k, points, line = false, radius = k < 4 ? 4 : 5 }) => ({
        label,
        data: points,
        hidden: hidden.has(keyOf(chart, label)),
        showLine: line,
        spanGaps: false,
        borderColor: c.k[k],
        backgroundColor: c.k[k],
        borderWidth: bars ? 0 : 2,
        borderDash: k === ROOF ? [] : DASHES[k % DASHES.length],
        borderSkipped: false,
        pointStyle: MARKS[k % MARKS.length][0],
        pointBorderWidth: 2,
        pointRadius: radius,
        pointHoverRadius: radius && radius + 3,
        pointHitRadius: radius && 20, // what has no mark, as a roof, says nothing
      })),
    },
    options: {
      interaction: { mode: "nearest" },
      scales: { x: scaleOf(x, c), y: scaleOf(y, c) },
      layout: { padding: { top: 14, right: 12 } },
      plugins: {
        legend: { display: false },
        tooltip: {
          backgroundColor: c.panel,
          borderColor: c.muted,
          borderWidth: 1,
          titleColor: c.ink,
          bodyColor: c.ink,
          displayColors: false,
          padding: 10,
          callbacks: {
            title: ([{ dataset, raw }]) => [dataset.label, `${raw.row.product}, ${raw.row.type}`],
            label: ({ raw }) => [...(raw.say ?? []), ...sayRow(raw.row)],
          },
        },
      },
    },
    plugins: [annotations(chart, c)],
  };
}

let charts = new Set(); // of all figures on the page

const inView = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) [...charts].find((chart) => chart.node === target).draw();
  },
  { rootMargin: "300px" },
);

const captionOf = (title, summary) => make("figcaption", "", make("strong", "", title), make("span", "", summary));

// Series that the reader hid, by title and label: they stay hidden when the filter recreates the chart.
const hidden = new Set();

function toggleOf(chart, { label, k }, change) {
  const mark = make("span", `mark k${k}`, k === ROOF ? "━" : chart.bars ? "■" : MARKS[k % MARKS.length][1]),
    key = keyOf(chart, label);
  mark.setAttribute("aria-hidden", "true");
  return toggle(hidden, key, false, () => change(!hidden.has(key)), mark, label);
}

// A figure: a title, a summary in words, the drawing, and a button for each series that hides and shows it.
function figureOf(chart) {
  const canvas = named(`Chart: ${chart.title}`, make("canvas"), "img"),
    legend = named("Series", make("ul", "legend"));
  const node = make("figure", "", captionOf(chart.title, chart.summary), make("div", "plot", canvas));
  const self = {
    node,
    drawn: null,
    draw() {
      inView.unobserve(node);
      self.drawn?.destroy();
      self.drawn = new Chart(canvas, configOf(chart, colours()));
    },
  };
  chart.series.forEach((series, i) => {
    const change = (shown) => {
      self.drawn?.setDatasetVisibility(i, shown);
      self.drawn?.update();
    };
    legend.append(make("li", "", toggleOf(chart, series, change)));
  });
  if (!chart.bars || chart.series.length > 1) node.append(legend);
  charts.add(self);
  inView.observe(node);
  return node;
}

function dropCharts() {
  inView.disconnect();
  for (const { drawn } of charts) drawn?.destroy();
  charts = new Set();
}
function redraw(all) {
  for (const chart of charts) if (all || chart.drawn) chart.draw();
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(false));

/* ---- the charts ---- */

const roofOf = (label, points) => ({ label, k: ROOF, points, line: true, radius: 0 });
const lineOf = (device, points) => ({ label: device.label, k: colourOf(device), points, line: true });
const reduceBy = (items, better) => items.reduce((a, b) => (better(b, a) ? b : a));
const highestOf = (lines) =>
  reduceBy(
    lines.flatMap(([device, points]) => points.map((point) => [device, point])),
    ([, a], [, b]) => a.y > b.y,
  );

// Curves over N: `lines` are [device, points].
function curveChart(title, unit, lines, isShare) {
  const points = lines.flatMap(([, points]) => points),
    [device, best] = highestOf(lines);
  return {
    title,
    series: lines.map(([device, points]) => lineOf(device, points)),
    x: {
      ...logAxis(
        "N",
        points.map(({ x }) => x),
      ),
      at: distinct(points.map(({ x }) => x)).sort((a, b) => a - b),
      name: String,
    },
    y: isShare
      ? { text: "percent of peak", min: 0, suggestedMax: Math.max(100, ...reach(points)) }
      : logAxis(unit, reach(points)),
    summary:
      `${count(lines.length, "line")}, one per device. The highest point is that of ${device.label}: ` +
      `${figure(best.y)} ${unit} at N = ${best.x}.`,
  };
}

function ladderChart(device, steps, types, find) {
  const series = types.map((type, i) => ({
    label: type,
    k: types.length === 1 ? colourOf(device) : i % 7,
    points: steps
      .map((step) => find(step, type))
      .filter(Boolean)
      .map((row) => ({ x: row.asked, y: row.gflops, row })),
  }));
  if (steps.length * types.length <= 16)
    for (const point of series.flatMap(({ points }) => points)) point.words = figure(point.y);
  const first = series[0].points,
    slow = reduceBy(first, (a, b) => a.y < b.y),
    fast = reduceBy(first, (a, b) => a.y > b.y),
    factor = short(fast.y / slow.y);
  return {
    title: `The ladder, ${device.label}${types.length === 1 ? `, ${types[0]}` : ""}`,
    bars: true,
    labels: steps,
    series,
    x: { type: "category", grid: false, all: true },
    y: { ...logAxis("GFLOP/s", reach(series.flatMap(({ points }) => points))), all: true },
    summary:
      `GFLOP/s of each step of the ladder, on a logarithmic scale. In ${types[0]}, the fastest is ${fast.x} ` +
      `(${figure(fast.y)})${factor === "1" ? "." : `, ${factor} times as fast as ${slow.x} (${figure(slow.y)}).`}`,
  };
}

// Williams, Waterman and Patterson, Communications of the ACM 52, 2009. The level is the peak that the shares of the
// rows refer to.
function rooflineChart(device, type, rows) {
  const shared = rows.find((row) => row.arithmetic_share > 0),
    slope = 1e-9 * (device.peaks.copy_bytes_per_s ?? 0);
  const point = (row) => ({ x: intensity(row), y: row.gflops, row, say: [`${short(intensity(row))} FLOP per byte`] });
  const isStep = (row) => row.group === "ladder",
    products = rows.filter((row) => !isStep(row)).map(point),
    steps = rows.filter(isStep).map(point);
  if (!shared || !(slope > 0) || (products.length < 3 && steps.length === 0)) return null;
  const level = shared.gflops / shared.arithmetic_share,
    ridge = level / slope,
    points = [...products, ...steps];
  const isLevel = ({ multiply_adds_per_s: peak }) => Math.abs((2e-9 * peak) / level - 1) < 1e-6;
  const what = device.peaks.matrix.some(isLevel) ? `matrices of ${type}` : type;
  const left = 0.6 * Math.min(ridge, ...points.map(({ x }) => x)),
    right = 2 * Math.max(ridge, ...points.map(({ x }) => x));
  // Steps with similar reads lie close together. Only the first of them is labelled.
  steps.forEach((step, i) => {
    const near = (other) => Math.abs(Math.log(step.x / other.x)) < 1.2 && Math.abs(Math.log(step.y / other.y)) < 0.25;
    if (!steps.slice(0, i).some(near)) step.words = step.row.asked.slice(0, 24);
  });
  const roof = [
    ...(left < ridge ? [{ x: left, y: left * slope }] : []),
    { x: ridge, y: level },
    { x: right, y: level },
  ];
  return {
    title: `Roofline, ${device.label}, ${type}`,
    series: [
      roofOf(`measured peaks: copy ${figure(slope)} GB/s, ${what} ${figure(level)} GFLOP/s`, roof),
      ...(products.length > 0 ? [{ label: "products", k: 0, points: products }] : []),
      ...(steps.length > 0 ? [{ label: "steps of the ladder", k: 2, points: steps }] : []),
    ],
    x: { type: "logarithmic", text: "FLOP per byte of memory", min: left, max: right },
    y: logAxis("GFLOP/s", reach([...points, ...roof])),
    summary:
      `Each product by its FLOP per byte of memory, under the measured roof: a slope of ${short(slope)} GB/s up to ` +
      `${short(ridge)} FLOP per byte, then level at ${figure(level)} GFLOP/s.`,
  };
}

// Three points for each N: N - 1, N, N + 1. `lines` are [device, cliffs].
function cliffChart(type, lines) {
  const sizes = distinct(lines.flatMap(([, cliffs]) => cliffs.map(([n]) => n))).sort((a, b) => a - b);
  const series = lines.map(([device, cliffs]) =>
    lineOf(
      device,
      cliffs.flatMap(([n, rows]) => [
        ...rows.flatMap((row, i) => {
          if (!row) return [];
          const y = (100 * row.gflops) / rows[1].gflops;
          return [{ x: sizes.indexOf(n) + (i - 1) * 0.22, y, row, say: [`${short(y)} % of the speed at ${n}`] }];
        }),
        { x: sizes.indexOf(n) + 0.5, y: NaN },
      ]),
    ),
  );
  const points = series.flatMap(({ points }) => points).filter(({ row }) => row),
    worst = reduceBy(points, (a, b) => a.y < b.y);
  return {
    title: `Cliffs: speed at N − 1, N and N + 1, ${type}`,
    series,
    x: {
      type: "linear",
      text: "N",
      min: -0.6,
      max: sizes.length - 0.4,
      grid: false,
      at: sizes.map((_, i) => i),
      name: (i) => String(sizes[i]),
    },
    y: { text: "percent of the speed at N", min: 0, suggestedMax: Math.max(110, ...reach(points)) },
    summary: `The lowest is ${short(worst.y)} % at N = ${worst.row.problem.n}, on ${worst.row.device.label}.`,
  };
}

function errorChart(type, lines) {
  const points = lines.flatMap(([, points]) => points),
    [device, worst] = highestOf(lines);
  const x = logAxis("GFLOP/s", reach(points, "x"));
  return {
    title: `Error against speed, ${type}`,
    errors: "x",
    series: [
      roofOf(
        "bound",
        [x.min, x.max].map((x) => ({ x, y: 1 })),
      ),
      ...lines.map(([device, points]) => ({ label: device.label, k: colourOf(device), points })),
    ],
    x,
    y: logAxis("error / bound", [1, ...points.map(({ y }) => y)]),
    summary:
      "Each verified product by its speed and by its error as a share of what is allowed. " +
      `The largest share is ${short(worst.y)}, on ${device.label}.`,
  };
}
