"use strict";
// Numbers and sentences. `trace` is the page's data; a step is one of trace.steps; `state` is the state there
// (trace.js), `me` is the invocation that is followed.

const trace = JSON.parse(document.getElementById("trace").textContent);
const { m: M, n: N, k: K } = trace.problem;
const group = trace.group, crew = trace.invocations, steps = trace.steps;
const tiled = steps.some((step) => step.kind === "load");
const isFloat = trace.problem.type.startsWith("f");

// Six significant digits, as on the terminal. Values that are not finite are null.
function figure(value) {
  if (typeof value !== "number") return "–";
  const text = isFloat ? String(Number(value.toPrecision(6))) : String(value);
  return text.replace("-", "−");
}

const factor = (value) => (value < 0 ? `(${figure(value)})` : figure(value));
const term = (pair) => (pair ? `${figure(pair[0])} · ${factor(pair[1])}` : "–");
const count = (n, one) => `${n.toLocaleString("en")} ${n === 1 ? one : one + "s"}`;
const range = (first, last, one) => (last > first ? `${one}s ${first}–${last}` : `${one} ${first}`);
const nameOf = (one) =>
  one.inside ? `C[${one.row}][${one.col}]` : `beyond C, row ${one.row}, column ${one.col}`;

function loadStory(step) {
  const [row0, col0] = group.origin, k0 = step.k0;
  const row1 = Math.min(row0 + group.rows, M) - 1, col1 = Math.min(col0 + group.cols, N) - 1;
  const k1 = Math.min(k0 + group.depth, K) - 1, ks = k1 > k0 ? `k = ${k0}–${k1}` : `k = ${k0}`;
  const padded = row1 - row0 + 1 < group.rows || col1 - col0 + 1 < group.cols || k1 - k0 + 1 < group.depth;
  return `Together, the ${count(crew.length, "invocation")} copy a ${group.rows}×${group.depth} tile of A ` +
    `(${range(row0, row1, "row")}, ${ks}) and a ${group.depth}×${group.cols} tile of B ` +
    `(${ks}, ${range(col0, col1, "column")}) from global into shared memory. Each element of A is fetched once and ` +
    `then used ${count(group.cols, "time")}, each of B ${count(group.rows, "time")}: that is why tiling pays off.` +
    (padded ? " The tiles extend beyond the matrices; the elements beyond their edge are filled with 0 and add nothing." : "");
}

function barrierStory(state) {
  if (state.afterLoad)
    return `Every invocation waits here until all ${crew.length} have copied. Without this barrier, a fast one could ` +
      "read slots of the shared arrays that a slow one has not filled yet.";
  if (state.moreLoads)
    return "All wait again: the next load overwrites both shared arrays, and without this barrier a fast " +
      "invocation could do so while a slow one still reads them.";
  return "The last iteration of the loop ends with the same barrier. Nothing overwrites the tiles after it; it would " +
    "matter if this workgroup continued with another tile of C.";
}

function sumStory(step, state, me) {
  const pair = step.terms[me.index], before = figure(state.before[me.index]), after = figure(step.sums[me.index]);
  if (!pair)
    return "The followed invocation lies beyond C. It has no element to compute, so it idles while the others work.";
  const added = `${nameOf(me)}: ${before} + ${factor(pair[0])} · ${factor(pair[1])} = ${after}.`;
  if (step.k >= K)
    return `k = ${step.k} lies beyond the last k. Both slots hold 0, so the product adds nothing. ${added}`;
  return `Every invocation multiplies its row of ${tiled ? "tileA" : "A"} by its column of ${tiled ? "tileB" : "B"} at ` +
    `k = ${step.k} and adds the product to its sum. Both come from ` +
    (tiled ? "shared memory, close to the processor. " : "global memory, and neighbours fetch the same elements again. ") +
    added;
}

function storeStory(step, me) {
  const idle = crew.filter((one) => !one.inside).length, [lie, write] = idle === 1 ? ["lies", "writes"] : ["lie", "write"];
  return "Every invocation writes its sum to its own element of C in global memory. " +
    (me.inside ? `${nameOf(me)} = ${figure(step.values[me.index])}.` : "The followed one lies beyond C and writes nothing.") +
    (idle > 0 ? ` ${count(idle, "invocation")} of ${crew.length} ${lie} beyond the edge of C and ${write} nothing.` : "");
}

// For each kind of step: its mark, its headline, its story, and a few words on what one invocation does in it.
const KINDS = {
  load: {
    mark: "↓", headline: (step, state) => (state.again ? "Load the next tiles" : "Load the first tiles"),
    story: loadStory, doing: () => "copies",
  },
  barrier: {
    mark: "‖",
    headline: (step, state) => `Barrier: the tiles ${state.afterLoad ? "are complete" : "have been read"}`,
    story: (step, state) => barrierStory(state), doing: () => "waits",
  },
  sum: {
    mark: "+", headline: (step) => `k = ${step.k}: add one product`, story: sumStory,
    doing: (step, one) => (step.terms[one.index] ? `+ ${term(step.terms[one.index])}` : "idles"),
  },
  store: {
    mark: "↑", headline: () => "Store the sums in C", story: (step, state, me) => storeStory(step, me),
    doing: (step, one) => (one.inside ? `writes ${figure(step.values[one.index])}` : "writes nothing"),
  },
};
