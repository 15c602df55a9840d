"""What the page shows, read from its document. The scripts of this folder share it: SCRIPT PROGRAM [unittest arguments]."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import model

program = None

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


def figure(value):
    """A float as the page writes it, for those of everyday size."""
    return ("%.6g" % value).replace("-", "−")


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)
        folder = tempfile.TemporaryDirectory(prefix="vkmatmul-page-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def setUp(self):
        self.browser.look()

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [])

    def show(self, path):
        self.browser.open(path)
        return self.state()

    def draw(self, trace):
        """Opens the page of a model's trace. Returns its text."""
        made = subprocess.run([program], input=json.dumps(trace).encode(), stdout=subprocess.PIPE, check=True)
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


def main():
    global program
    browser.require()
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=1)
