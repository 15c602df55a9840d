#!/usr/bin/env python3
"""`vkmatmul ladder --html FILE` in a browser: every step's parts, its picture, and how it looks and is moved.

    test_course.py VKMATMUL [unittest arguments]"""
import copy
import json
import pathlib
import re
import subprocess

import page

OWN = pathlib.Path(__file__).resolve().parents[2] / "doc" / "example.comp"
KERNELS = "serial,strided,naive,grouped,tiled,band,block,vector,prefetch,auto"
MOMENT = "(s => [Number(s.querySelector('input').value), s.querySelector('.moment').textContent, s.querySelector('.totals').textContent])(document.getElementById(a[0]))"
MARKED = """(name => (s => [...new Set([...s.querySelectorAll('.reads rect.' + name)].map(g => g.classList[0]))].map(
    hue => [hue, s.querySelectorAll('.reads rect.' + hue + '.' + name).length]))(document.getElementById(a[0])))(a[1])"""
TOTALS = r"So far: ([\d,]+) reads of memory in ([\d,]+) lines, ([\d,]+) reads? of shared memory, ([\d,]+) multiply-adds"


class Course(page.Case):
    @classmethod
    def setUpClass(cls):
        """i32, which is not predicted: a device's peaks take longer to measure than all else here."""
        cls.path = cls.folder / "course.html"
        line = [*page.programs, "ladder", "--size", "32", "--type", "i32", "--kernel", KERNELS, "--shader", str(OWN), "--tile", "8", "--min-time", "1ms", "--max-time", "1ms", "--html", str(cls.path), "--json"]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", timeout=600)
        if (done.returncode, done.stderr) != (0, ""):
            raise RuntimeError(f"{line}: {done.returncode} {done.stderr}")
        cls.rows = json.loads(done.stdout)["rows"]
        cls.text = cls.path.read_text(encoding="utf-8")
        cls.names = [str(OWN) if row["step"] == "own" else row["kernel"]["name"] for row in cls.rows]

    def setUp(self):
        super().setUp()
        self.browser.open(self.path)

    def id(self, name):
        return "step-%d" % (self.names.index(name) + 1)

    def changed(self, change):
        """The same page with other data."""
        head, data, tail = re.fullmatch(r'(.*<script type="application/json" id="ladder">)(.*?)(</script>.*)', self.text, re.S).groups()
        ladder = copy.deepcopy(json.loads(data))
        change(ladder)
        path = self.folder / "changed.html"
        path.write_text(head + json.dumps(ladder).replace("<", "\\u003c") + tail, encoding="utf-8")
        self.browser.open(path)

    def last(self, name):
        """What the picture of a step says at its end: reads of memory, lines, reads of shared memory, multiply-adds."""
        self.browser.js("document.getElementById(a[0]).querySelector('.stage').focus()", self.id(name))
        self.browser.key("End")
        return [int(n.replace(",", "")) for n in re.search(TOTALS, self.browser.js(MOMENT, self.id(name))[2]).groups()]

    def test_parts(self):
        """Each step has its speed, bar, picture or the reason why there is none, source and question."""
        self.assertEqual(self.browser.js("[...document.querySelectorAll('#steps h2')].map(h => h.textContent)"),
                         [f"{i}. {name}" for i, name in enumerate(self.names, 1)])
        self.assertEqual(self.browser.js("[...document.querySelectorAll('nav li a')].map(n => document.querySelector(n.hash).querySelector('h2').textContent === n.textContent)"),
                         [True] * len(self.names))
        parts = [".facts", ".bar svg", ".picture", ".question details:not([open])", ".source, .note"]
        for part in parts:
            found = self.browser.js("[...document.querySelectorAll('.step')].map(s => s.querySelector(a[0]) !== null)", part)
            self.assertEqual(found, [True] * len(self.names), part)
        drawn = self.browser.js("[...document.querySelectorAll('.step')].filter(s => s.querySelector('.reads')).map(s => s.id)")
        self.assertLessEqual({self.id(name) for name in ["strided", "naive", "grouped", "tiled", "band", "block", "vector", "prefetch"]}, set(drawn))
        self.assertNotIn(self.id("serial"), drawn)
        page_text = self.browser.js("document.body.textContent")
        for wrong in ["undefined", "NaN", "[object", "observe_"]:
            self.assertNotIn(wrong, re.sub(r'<script[\s\S]*?</script>', "", self.browser.js("document.getElementById('steps').textContent")), wrong)
        self.assertIn(str(OWN), page_text)

    def test_one_file(self):
        self.assertLess(len(self.text.encode()), 600000)
        self.assert_one_file(self.text)

    def test_counts(self):
        """At the end of each picture: what its workgroup read, and in how many lines of 8 elements."""
        self.assertEqual(self.last("strided"), [2 * 8 * 16, 9 * 16, 0, 8 * 16])
        self.assertEqual(self.last("naive"), [2 * 8 * 16, 2 * 16, 0, 8 * 16])  # a row of C: one line of A and one of B for each k
        self.assertEqual(self.last("grouped"), [2 * 16 * 16, 5 * 16, 0, 16 * 16])
        size = 4 if self.rows[self.names.index("tiled")]["kernel"]["tile"][0] < 32 else 8
        self.assertEqual(self.last("block"), [2 * 8 * 16, 2 * (8 + 8), 4 * 8 * 16, 8 * 8 * 16])  # four blocks of 4×4
        lines = 16 // size * 2 * size
        self.assertEqual(self.last("tiled"), [2 * size * 16, lines, 2 * size * size * 16, size * size * 16])

    def test_picture(self):
        step = self.id("naive")
        self.assertEqual(self.browser.js(MARKED, step, "now"), [["a", 1], ["b", 8]])
        self.assertEqual(self.browser.js(MARKED, step, "line"), [["a", 8], ["b", 8]])
        self.assertEqual(self.browser.js(MARKED, step, "crew"), [["c", 8]])
        self.assertIn("C[0][0] is 1 so far.", self.browser.js(MOMENT, step)[1])  # 1·1
        step = self.id("tiled")
        self.assertRegex(self.browser.js(MOMENT, step)[1], "^Load: the 16 invocations together copy a 4×4 tile of A and a 4×4 tile of B")
        self.browser.js("document.getElementById(a[0]).querySelector('.stage').focus()", step)
        self.browser.key("Right")
        self.assertRegex(self.browser.js(MOMENT, step)[1], "^Barrier: all wait until both tiles are complete")
        self.browser.key("Right")
        self.assertRegex(self.browser.js(MOMENT, step)[1], "^k = 0: each of 16 invocations reads 1 element of A and 1 of B from shared memory")

    def test_keyboard(self):
        step = self.id("tiled")
        at = lambda: self.browser.js(MOMENT, step)[0]
        self.browser.js("document.getElementById(a[0]).querySelector('.stage').focus()", step)
        places = []
        for key in ["Right", "Right", "Left", "Left", "Left", "End", "Right", "Home"]:
            self.browser.key(key)
            places.append(at())
        self.assertEqual(places[:5] + places[7:], [1, 2, 1, 0, 0, 0])
        self.assertEqual(places[5], places[6])
        mine = "[...document.querySelectorAll('#' + a[0] + ' rect.c')].findIndex(g => g.classList.contains('mine'))"
        self.assertEqual(self.browser.js(mine, step), 0)
        self.browser.key("Down")
        self.assertEqual(self.browser.js(mine, step), 1)
        self.browser.key("Up")
        self.assertEqual(self.browser.js(mine, step), 0)
        self.browser.js("document.querySelector('#' + a[0] + ' summary').focus()", step)
        self.browser.key("Enter")
        self.assertEqual(self.browser.js("document.querySelector('#' + a[0] + ' details').open", step), True)
        self.browser.js("document.activeElement.blur()")
        self.tab(8)

    def test_motion(self):
        """It plays only when asked to, and with reduced motion not at all."""
        step = self.id("naive")
        self.assertEqual(self.browser.js("[...document.querySelectorAll('.play')].filter(n => n.offsetParent).length"), 0)
        self.browser.look(motion="no-preference")
        play = f"#{step} .play"
        self.assertEqual([self.browser.js(MOMENT, step)[0], self.browser.text(play)], [0, "Play"])
        self.browser.click(play)
        self.assertEqual(self.browser.text(play), "Pause")
        self.browser.wait(f"document.querySelector('#{step} input').value >= 2")
        self.browser.look()  # reduced: it stops
        self.browser.wait(f"document.querySelector('{play}').textContent === 'Play'")
        self.assertEqual(self.browser.js("document.getAnimations().length"), 0)

    def test_dark_phone_print(self):
        for scheme, width in [("light", 360), ("dark", 360), ("dark", 1280)]:
            self.browser.look(scheme, width, 740)
            self.browser.open(self.path)
            self.browser.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            self.assert_width(width)
            self.assert_scheme(scheme)
        self.browser.look("dark", media="print")
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('.source pre')).maxHeight"), "none")
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('.picture .buttons')).display"), "none")

    def test_source(self):
        marked = lambda name, mark: self.browser.js("[...document.querySelectorAll('#' + a[0] + ' pre .' + a[1])].map(n => n.textContent.trim())", self.id(name), mark)
        self.assertIn("+ shared T tileA[ROWS][DEPTH];", marked("tiled", "new"))
        self.assertTrue(any("T dot_product(uint row, uint col)" in line for line in marked("tiled", "gone")))
        self.assertFalse(any("tileA" in line for line in marked("band", "new")))
        self.assertIn("+                 fetch_tiles(row0, k0 + DEPTH, col0);", marked("prefetch", "new"))
        for name in ["block", "vector", "prefetch"]:  # what only the observing builds have leaves nothing behind
            text = self.browser.js("[...document.querySelectorAll('#' + a[0] + ' pre span:not(.gone)')].map(n => n.textContent).join('')", self.id(name))
            self.assertEqual([text.count("{") - text.count("}"), "#if" in text, "UNROLL" in text], [0, False, False], name)
            self.assertIsNone(re.search(r"\b(for|if) \([^{;]*(;[^{;]*;[^{;]*)?\)\n *\}", text), name)
        self.assertEqual(self.browser.js("document.querySelector('#' + a[0] + ' .source h3').textContent", self.id(str(OWN))), "Your source")

    def test_nothing(self):
        """An empty product has no speeds."""
        def change(ladder):
            for row in ladder["rows"]:
                row.update(gflops=None, time=None)
        self.changed(change)
        text = self.browser.js("document.body.innerText")
        self.assertFalse([wrong for wrong in ["NaN", "Infinity", "undefined", "null"] if wrong in text])

    def test_limits(self):
        """With counts and peaks: the roofline and each resource's time. A step that did not run has its reason."""
        def change(ladder):
            ladder["peaks"] = {"multiply_adds_per_s": 1e10}
            amounts = ["dram_bytes", "l2_bytes", "l1_lines", "shared_turns", "instructions", "waits", "barriers"]
            keys = ["dram", "l2", "l1", "shared", "instructions", "latency", "barriers"]
            for row in ladder["rows"][1:]:
                row.update(name=row["kernel"]["name"], sentence="one change", limiter="L2 bytes", predicted_ms=0.0131072)
                row["counts"] = dict(zip(amounts, [12288, 65536 if row["kernel"]["name"] == "naive" else 32768, 100, 0, 300, 5, 6]))
                row["resource_ms"] = dict(zip(keys, [0.0049152, 0.0131072, 0.001, 0, 0.002, 0.003, 0.0001]))
            ladder["rows"][2].update(gflops=2.5)
            ladder["rows"][4].update(skipped='needs <b>1024</b> invocations; "small" allows 128', gflops=None)
        self.changed(change)
        naive, tiled = (self.id(name) for name in ["naive", "tiled"])
        caption = self.browser.text(f"#{naive} .roofline figcaption")  # 65536 FLOP, 65536 bytes in 13.1 µs
        self.assertEqual(caption, "1 FLOP for each byte that its workgroups read. The L2 cache (solid, 5 GB/s) allows 5 GFLOP/s there, of which it reaches 50 %. "
                                  "Dashed: if all bytes came from memory, 2.5 GB/s.")
        self.assertEqual(self.browser.js("document.querySelectorAll('#' + a[0] + ' .roofline .here').length", naive), 1)
        self.assertEqual(self.browser.js("[...document.querySelectorAll('#' + a[0] + ' .limit > *')].map(n => n.textContent)", naive),
                         ["through L2", "65.5 kB", "0.0131 ms", ""])
        self.assertIn("L2 bytes", self.browser.text(f"#{naive} .facts"))
        self.assertEqual(self.browser.text(f"#{naive} .sentence"), "One change.")
        self.assertEqual(self.browser.text(f"#{tiled} .reason"), 'It did not run here: needs <b>1024</b> invocations; "small" allows 128.')
        self.assertTrue(self.browser.js("['.question', '.source', '.picture'].every(part => document.querySelector('#' + a[0] + ' ' + part))", tiled))
        self.assertEqual(self.browser.js("document.querySelector('#all li:nth-child(5)').textContent"), "5. tileddid not run")


page.main()
