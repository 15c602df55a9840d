// What changed: the sources of two steps, line by line.

const shaders = JSON.parse(document.getElementById("shaders").textContent);

// With what it includes, as far as this page has it.
const whole = (text) => text.replace(/\n$/, "").split("\n").flatMap((line) => {
  const included = shaders[line.match(/^#include "(.*)"/)?.[1]];
  return included ? whole(included) : [line];
});

// The lines of a tutorial's kernel as they compile in a plain build: without what the observing builds record, and with
// conditions decided. Others have conditions that their builds decide, and are shown as they are.
function linesOf(text) {
  const lines = [], open = [], defined = new Set(), isPlain = text.includes('#include "product.glsl"');
  let records = false; // in a function that only records
  for (const line of whole(text)) {
    const [, word, name] = line.match(/^#(\w+) ?(\w+)?/) || [], hidden = open.includes(false);
    const begins = isPlain && (/^(void|uint) observe_/.test(line) || (word === "if" && name === "defined"));
    while (begins && lines.length && lines[lines.length - 1].startsWith("//")) lines.pop();
    if (begins && !word) records = true;
    if (records) records = line !== "}";
    else if (isPlain && /^if/.test(word)) open.push(word === "if" ? false : defined.has(name) === (word === "ifdef"));
    else if (isPlain && word === "endif") open.pop();
    else if (hidden || (isPlain && /^(version|extension)$/.test(word)) || line === '#include "observe.glsl"') continue;
    else if (/^\s*observe_\w+\(.*\);$/.test(line)) while (/^\s*(\[\[\w+\]\] )?(for|if) \(.*\)$/.test(lines[lines.length - 1])) lines.pop();
    else if (isPlain && word === "define" && !line.includes("(")) defined.add(name) && name !== "UNROLL" && lines.push(line);
    else lines.push(line.replace(/\bUNROLL for/, "[[unroll]] for"));
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
