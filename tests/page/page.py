"""What the tests of pages share, and what the page of a trace shows, read from its document: SCRIPT PROGRAM... [unittest arguments]."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser
import model

programs = []

READ = """(() => {
  const text = (id) => document.getElementById(id).textContent;
  const marked = {}, values = {};
  for (const id of ["a", "b", "c", "tile_a", "tile_b", "sums"]) {
    const table = document.querySelector("#" + id + " table");
    if (!table) continue;
    const cols = [...table.tHead.rows[0].cells].slice(1).map((cell) => Number(cell.textContent));
    values[id] = {};
    for (const row of table.tBodies[0].rows) {
      const i = Number(row.cells[0].textContent);
      [...row.cells].slice(1).forEach((cell, x) => {
        values[id][i + "," + cols[x]] = cell.textContent;
        for (const mark of cell.classList) ((marked[id] ||= {})[mark] ||= []).push([i, cols[x]]);
      });
    }
  }
  return {
    position: text("position"), slider: document.getElementById("slider").value, said: document.getElementById("slider").getAttribute("aria-valuetext"),
    headline: text("headline"), story: text("story"), total: text("sum-title"), followed: document.getElementById("follow").selectedOptions[0].textContent,
    terms: [...document.querySelectorAll("#terms .done .term")].map((node) => node.textContent),
    partials: [...document.querySelectorAll("#terms .done .partial")].map((node) => node.textContent),
    waiting: document.querySelectorAll("#terms .todo").length,
    disabled: [...document.querySelectorAll(".buttons [aria-disabled=true]")].map((node) => node.id),
    watch: [...document.querySelectorAll("#watch tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
    marked, values,
  };
})()"""


LUMINANCE = """((selector, property) => {
  const number = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const node = document.querySelector(selector), style = getComputedStyle(node), ink = number(style[property]);
  let behind = node;
  while (number(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const ground = number(getComputedStyle(behind).backgroundColor), seen = Number(style.opacity);
  const mixed = ink.slice(0, 3).map((v, i) => v * seen + ground[i] * (1 - seen));
  const [low, high] = [light(mixed), light(ground)].sort((x, y) => x - y);
  return [light(ground), (high + .05) / (low + .05)];
})(a[0], a[1])"""  # contrast as WCAG 2 defines it

NAMED = ("button", "slider", "combobox", "table", "region", "img", "image", "link")


def figure(value):
    """A float as the page writes it, for those of everyday size."""
    return ("%.6g" % value).replace("-", "−")


class Case(unittest.TestCase):
    maxDiff = None
    browser = folder = None  # main opens them, for all cases

    def setUp(self):
        self.browser.look()

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [])

    def contrast(self, selector):
        return self.browser.js(LUMINANCE, selector, "color")[1]

    def ground(self):
        """How light the page's background is, from 0 to 1."""
        return self.browser.js(LUMINANCE, "body", "color")[0]

    def assert_scheme(self, scheme):
        self.assertTrue(self.ground() > .8 if scheme == "light" else self.ground() < .05, scheme)

    def assert_width(self, width):
        """Nothing makes the page wider than its window."""
        self.assertEqual(self.browser.js("document.documentElement.scrollWidth"), width)

    def assert_one_file(self, text, data='<script type="application/json"'):
        """Nothing is loaded. Scripts that begin with `data` may contain anything, others the namespace of SVG."""
        self.assertEqual(self.browser.js("performance.getEntriesByType('resource').length"), 0)
        self.assertIn("default-src 'none'", text)
        self.assertIsNone(re.search(r"https?:(?!//www\.w3\.org/2000/svg)|@import|url\(|\bsrc=|<link", re.sub(f"(?s)(?:{data}).*?</script>", "", text)))

    def assert_accessible(self):
        """All controls have names, all tables captions and all their headings scopes. Returns the accessibility tree."""
        tree = self.browser.axtree()
        self.assertEqual([node for node in tree if node[0] in NAMED and not node[1]], [])
        bare = "[...document.querySelectorAll('table')].filter(t => !t.caption || [...t.querySelectorAll('th')].some(h => !h.scope)).length"
        self.assertEqual(self.browser.js(bare), 0)
        return tree

    def tab(self, count, expression="document.activeElement.id || document.activeElement.className"):
        """Presses Tab, and returns what a JavaScript expression is after each; the focus is always to be seen."""
        met = []
        for _ in range(count):
            self.browser.key("Tab")
            met.append(self.browser.js(expression))
            self.assertNotEqual(self.browser.js("getComputedStyle(document.activeElement).outlineStyle"), "none", met[-1])
        return met

    def draw(self, trace):
        """Opens the page of a model's trace. Returns its text."""
        made = subprocess.run(programs, input=json.dumps(trace).encode(), stdout=subprocess.PIPE, check=True)
        path = self.folder / "trace.html"
        path.write_bytes(made.stdout)
        self.browser.open(path)
        return made.stdout.decode()

    def tutorial(self):
        return self.draw(model.trace(2, 6, 4, tile=2, at=(0, 3)))

    def state(self):
        return self.browser.js(READ)

    def step(self, number):
        """To a step by the slider, as dragging it does."""
        self.browser.js("(s => { s.value = a[0]; s.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('slider'))", number)
        return self.state()

    def press(self, *keys):
        self.browser.key(*keys)
        return self.state()

    def click(self, selector):
        self.browser.click(selector)
        return self.state()


def main(count=1):
    browser.require()
    programs[:] = [os.path.abspath(sys.argv.pop(1)) for _ in range(count)]
    with tempfile.TemporaryDirectory(prefix="vkmatmul-page-") as folder, contextlib.closing(browser.Browser()) as Case.browser:
        Case.folder = pathlib.Path(folder)
        unittest.main(module="__main__", verbosity=1)
