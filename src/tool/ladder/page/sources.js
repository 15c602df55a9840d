// What changed: the sources of two steps, line by line.

const shaders = JSON.parse(document.getElementById("shaders").textContent);

// A shader's lines as they compile in a plain build: with what it includes, as far as this page has it, and without what
// the observing builds record.
function linesOf(text) {
  const lines = [];
  let hidden = ""; // the line that ends what only records
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const included = line.match(/^#include "(.*)"/);
    const begins = /^(void|uint) observe_/.test(line) ? "}" : /^#if defined\((COUNT|TRACE)\)/.test(line) ? "#endif" : "";
    while (begins && lines.length && lines[lines.length - 1].startsWith("//")) lines.pop();
    hidden = begins || hidden;
    if (hidden) hidden = line === hidden ? "" : hidden;
    else if (/^\s*observe_\w+\(.*\);$/.test(line)) while (/^\s*(for|if) \(.*\)$/.test(lines[lines.length - 1])) lines.pop();
    else if (/^#(version|extension)|^#include "observe.glsl"/.test(line)) continue;
    else if (included && shaders[included[1]]) lines.push(...linesOf(shaders[included[1]]));
    else lines.push(line);
  }
  return lines.filter((line, i) => line !== "" || (i > 0 && lines[i - 1] !== ""));
}

// The longest common subsequence; [mark, line] with "+" for new lines, "−" for those of the step before that are gone.
function compare(before, after) {
  const length = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1)), found = [];
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      length[i][j] = before[i] === after[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  let i = 0, j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) found.push([" ", after[(i++, j++)]]);
    else if (i < before.length && (j === after.length || length[i + 1][j] >= length[i][j + 1])) found.push(["−", before[i++]]);
    else found.push(["+", after[j++]]);
  }
  return found;
}
