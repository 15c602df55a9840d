#!/usr/bin/env python3
"""The page of scripts/gallery in a browser: what it shows of records, and that doc/gallery.html is that of data/devices.

    test_gallery.py VKMATMUL WRITE_BENCH [unittest arguments]"""
import json
import pathlib
import re
import subprocess

import page

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAST, SLOW, HOST = "Example Speedster 9000", "Modest Graphics 630", "Example Processor 8-Core"
DOCTOR = [{"check": "range", "verdict": "problem", "device": 0, "sentence": "the end of an operand is <wrong>", "advice": None},
          {"check": "shared", "verdict": "ok", "device": 0, "sentence": "right", "advice": None}]


def gallery(*args):
    subprocess.run([ROOT / "scripts" / "gallery", "--program", page.programs[0], *args], check=True)


def figures_of(path):
    """The products and speeds of each file."""
    text = re.search(r'id="data">(.*?)</script>', pathlib.Path(path).read_text(encoding="utf-8"), re.S)[1]
    return [(each["name"], [([row["problem"][key] for key in ("type", "m", "n", "k")], row["gflops"]) for row in each["report"]["rows"]])
            for each in json.loads(text)["reports"]]


class Gallery(page.Case):
    @classmethod
    def setUpClass(cls):
        cls.record = json.loads(subprocess.run([page.programs[1], "json", "1"], stdout=subprocess.PIPE, check=True).stdout)
        peak = {"copy": {"bytes_per_s": 4e12, "spread": 0.02}, "types": [{"type": "f32", "flops": 6e13, "spread": 0.01}], "rates": [], "matrix": []}
        cls.record.update(schema="vkmatmul.record/1", device={}, doctor=DOCTOR, peak=peak, pipelines=[])
        cls.record["devices"][1]["name"] = cls.record["devices"][1]["label"] = SLOW
        (cls.folder / "a.json").write_text(json.dumps(cls.record))
        gallery(cls.folder / "a.json", "-o", cls.folder / "page.html")

    def setUp(self):
        super().setUp()
        self.browser.open(self.folder / "page.html")

    def table(self, id, which=0):
        return self.browser.js("[...document.getElementById(a[0]).querySelectorAll('table')[a[1]].rows].map(r => [...r.cells].map(c => c.textContent))",
                               id, which)

    def names(self):
        return [next(name for name in (FAST, SLOW, HOST) if line[0].startswith(name)) for line in self.table("all")[1:]]

    def choose(self, id, value):
        self.browser.js("(s => { s.value = a[1]; s.dispatchEvent(new Event(s.tagName === 'INPUT' ? 'input' : 'change', {bubbles: true})); })"
                        "(document.getElementById(a[0]))", id, value)

    def sort(self, heading):
        self.browser.js("[...document.querySelectorAll('#all thead button')].find(b => b.textContent === a[0]).click()", heading)

    def speed(self, device, n, type="f32"):
        return next(row["gflops"] for row in self.record["rows"] if (row["device"], row["problem"]["type"], row["group"], row["problem"]["n"]) ==
                    (device, type, "square", n) and row["gflops"] and not row["rotating_bytes"])

    def test_table(self):
        heads = self.table("all")[0]
        self.assertEqual(heads[:5], ["Device", "Kind", "Copy, GB/s", "Peak f32, GFLOP/s", "f32"])
        self.assertEqual(heads[-2:], ["Defects", "GFLOP/s per W"])
        self.choose("product", "1024³")
        line = next(line for line in self.table("all") if line[0].startswith(FAST))
        self.assertRegex(line[4], "^%.0f [0-9.]+ %%$" % self.speed(0, 1024))
        self.assertGreater(float(line[-1]), 0)
        self.assertRegex(line[-2], "^[1-9]$")

    def test_sorts(self):
        self.assertEqual(self.names(), [HOST, FAST, SLOW])
        self.choose("product", "1024³")
        speeds = {FAST: self.speed(0, 1024), SLOW: self.speed(1, 1024), HOST: self.speed(2, 1024)}
        for _ in range(2):  # figures begin with the highest
            self.sort("f32")
            state = self.browser.js("document.querySelector('#all [aria-sort]').getAttribute('aria-sort')")
            self.assertEqual(self.names(), sorted(speeds, key=speeds.get, reverse=state == "descending"))
        self.assertEqual(state, "ascending")
        self.sort("i32")  # what has no figure comes last
        column = self.table("all")[0].index("i32")
        missing = [line[column] == "–" for line in self.table("all")[1:]]
        self.assertEqual(missing, sorted(missing))

    def test_filters(self):
        self.choose("filter", "speed 9000")
        self.assertEqual(self.names(), [FAST])
        self.assertEqual(self.browser.text("#shown"), "1 of 3 devices")
        self.choose("filter", "gpu discrete")
        self.assertEqual(self.names(), [FAST])
        self.choose("filter", "")
        self.assertEqual(self.browser.text("#shown"), "")

    def test_two(self):
        self.choose("second", "1")
        facts = dict((line[0], line[1:]) for line in self.table("two"))
        self.assertEqual(facts[""], [FAST, SLOW])
        self.assertEqual(facts["Peak of f32"][0], "60000 GFLOP/s, median 1 % lower")
        self.assertTrue(facts["Defects"][0].startswith("the end of an operand is <wrong>"), facts["Defects"])
        line = next(line for line in self.table("two", 1) if line[:2] == ["1024³", "f32"])
        self.assertAlmostEqual(float(line[4]), self.speed(1, 1024) / self.speed(0, 1024), places=3)

    def test_sizes(self):
        self.browser.wait("document.querySelector('#sizes canvas').width > 0")
        self.assertIn("highest point is that of " + FAST, self.browser.text("#sizes figcaption"))
        self.choose("type", "f64")
        self.assertIn("Speed over size, f64", self.browser.text("#sizes figcaption"))
        self.assertEqual(len(self.browser.js("[...document.querySelectorAll('#sizes .legend button')].map(b => b.textContent)")), 2)

    def test_narrow_and_dark(self):
        self.browser.look(scheme="dark", width=360, height=700)
        self.browser.open(self.folder / "page.html")
        self.assert_width(360)

    def test_keyboard(self):
        self.sort("Kind")
        self.assertEqual(self.browser.js("document.activeElement.textContent"), "Kind")
        self.assertLessEqual({"combobox", "searchbox", "columnheader", "status"}, {role for role, name in self.browser.axtree()})

    def test_committed(self):
        """After a change of data/devices: scripts/gallery."""
        gallery("-o", self.folder / "again.html")
        self.assertEqual(figures_of(self.folder / "again.html"), figures_of(ROOT / "doc" / "gallery.html"))
        self.browser.open(ROOT / "doc" / "gallery.html")
        self.assertEqual(len(self.table("all")) - 1, len(list((ROOT / "data" / "devices").glob("*.json"))))


page.main(2)
