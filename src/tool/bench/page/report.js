"use strict";
// The page is complete without this: tables are read anyway, and details open one by one. Here the keyboard loses the stops that lead to nothing, all
// tables open with one button, and nothing is folded away on paper.

const folds = [...document.querySelectorAll("details")], boxes = [...document.querySelectorAll(".scroll")];

// The keyboard stops at a box only while there is something to scroll.
function setStops() {
  for (const box of boxes) {
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
window.addEventListener("resize", setStops);
for (const fold of folds) fold.addEventListener("toggle", setStops);

const button = document.createElement("button");
button.type = "button";
function name() {
  button.textContent = folds.every((fold) => fold.open) ? "Fold all tables" : "Open all tables";
}
button.addEventListener("click", () => {
  const open = !folds.every((fold) => fold.open);
  for (const fold of folds) fold.open = open;
  name();
});
for (const fold of folds) fold.addEventListener("toggle", name);
document.querySelector("nav").append(button);
name();

let folded = [];
window.addEventListener("beforeprint", () => {
  folded = folds.filter((fold) => !fold.open);
  for (const fold of folded) fold.open = true;
});
window.addEventListener("afterprint", () => {
  for (const fold of folded) fold.open = false;
});
setStops();
