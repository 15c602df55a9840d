"use strict";
// Numbers and sentences. `trace` is the page's data; a step is one of trace.steps; `state` says what holds there
// (trace.js), `me` is the invocation that is followed.

const trace = JSON.parse(document.getElementById("trace").textContent);
const { m: M, n: N, k: K } = trace.problem;
const group = trace.group, crew = trace.invocations, steps = trace.steps;
const tiled = steps.some((step) => step.kind === "load");
const isFloat = trace.problem.type.startsWith("f");

// Six significant digits are what the terminal shows too. What was not finite came as null.
function figure(value) {
  if (typeof value !== "number") return "–";
  const text = isFloat ? String(Number(value.toPrecision(6))) : String(value);
  return text.replace("-", "−");
}

const factor = (value) => (value < 0 ? `(${figure(value)})` : figure(value));
const term = (pair) => (pair ? `${figure(pair[0])} · ${factor(pair[1])}` : "–");
const element = (name, row, col) => `${name}[${row}][${col}]`;
const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const range = (first, last, one, many = one + "s") => (last > first ? `${many} ${first}–${last}` : `${one} ${first}`);
const bothEnds = (first, extent, limit) => [first, Math.min(first + extent, limit) - 1];

const nameOf = (one) => (one.inside ? element("C", one.row, one.col) : `beyond C, row ${one.row}, column ${one.col}`);

const KINDS = {
  load: { mark: "↓", word: "load" },
  barrier: { mark: "‖", word: "barrier" },
  sum: { mark: "+", word: "sum" },
  store: { mark: "↑", word: "store" },
};

function headline(state) {
  const step = steps[state.index];
  if (step.kind === "load") return state.turn > 0 ? "Load the next tiles" : "Load the first tiles";
  if (step.kind === "barrier") return state.afterLoad ? "Barrier: the tiles are complete" : "Barrier: the tiles have been read";
  if (step.kind === "sum") return `k = ${step.k}: add one product`;
  return "Store the sums in C";
}

function loadStory(step) {
  const [row0, row1] = bothEnds(group.origin[0], group.rows, M), [col0, col1] = bothEnds(group.origin[1], group.cols, N);
  const [k0, k1] = bothEnds(step.k0, group.depth, K);
  const padded = row1 - row0 + 1 < group.rows || col1 - col0 + 1 < group.cols || k1 - k0 + 1 < group.depth;
  const ks = k1 > k0 ? `k = ${k0}–${k1}` : `k = ${k0}`;
  return `Together, the ${count(crew.length, "invocation")} copy a ${group.rows}×${group.depth} tile of A (${range(row0, row1, "row")}, ${ks}) and a ` +
    `${group.depth}×${group.cols} tile of B (${ks}, ${range(col0, col1, "column")}) from global into shared memory. Each element of A is fetched ` +
    `once and then used ${count(group.cols, "time")}, each of B ${count(group.rows, "time")}: that is why tiling pays.` +
    (padded ? " The tiles hang over the edge of the matrices; what lies beyond is filled with 0 and adds nothing." : "");
}

function barrierStory(state) {
  if (state.afterLoad)
    return `Every invocation waits here until all ${crew.length} have copied. Without this barrier, a quick one would read slots of the shared ` +
      "arrays that a slow one has not filled yet.";
  if (state.moreLoads)
    return "Everyone waits again: the next load overwrites both shared arrays, and without this barrier a quick invocation would do so while " +
      "a slow one still reads them.";
  return "The same barrier ends the last turn of the loop. Nothing here overwrites the tiles any more; it would matter if this workgroup went on " +
    "to another tile of C.";
}

function sumStory(step, state, me) {
  const i = me.index, pair = step.terms[i];
  if (!pair) return "The followed invocation lies beyond C. It has no element to compute, so it idles while the others work.";
  const added = `${nameOf(me)}: ${figure(state.before[i])} + ${factor(pair[0])} · ${factor(pair[1])} = ${figure(step.sums[i])}.`;
  if (step.k >= K) return `k = ${step.k} lies beyond the last k. Both slots hold 0, so the product adds nothing. ${added}`;
  if (tiled)
    return `Every invocation multiplies its row of tileA by its column of tileB at k = ${step.k} and adds the product to its sum. Both come from ` +
      `shared memory, close to the processor. ${added}`;
  return `Every invocation multiplies its row of A by its column of B at k = ${step.k} and adds the product to its sum. Both come from global ` +
    `memory, and neighbours fetch the same elements again. ${added}`;
}

function storeStory(step, me) {
  const idle = crew.filter((one) => !one.inside).length;
  return "Every invocation writes its sum to its own element of C in global memory. " +
    (me.inside ? `${nameOf(me)} = ${figure(step.values[me.index])}.` : "The followed one lies beyond C and writes nothing.") +
    (idle > 0 ? ` ${count(idle, "invocation")} of ${crew.length} ${idle === 1 ? "lies" : "lie"} beyond the edge of C and ` +
      `${idle === 1 ? "writes" : "write"} nothing.` : "");
}

function story(state, me) {
  const step = steps[state.index];
  if (step.kind === "load") return loadStory(step);
  if (step.kind === "barrier") return barrierStory(state);
  if (step.kind === "sum") return sumStory(step, state, me);
  return storeStory(step, me);
}

// What one invocation does in this step, in a few words.
function doing(step, one) {
  if (step.kind === "load") return "copies";
  if (step.kind === "barrier") return "waits";
  if (step.kind === "sum") return step.terms[one.index] && (one.inside || tiled) ? `+ ${term(step.terms[one.index])}` : "idles";
  return one.inside ? `writes ${figure(step.values[one.index])}` : "writes nothing";
}
