#!/usr/bin/env python3
"""`vkmatmul report` in a browser, as files, and on a terminal: what it shows of reports, and that no report can make it do anything else.

    test_report.py VKMATMUL MAKE_REPORT [unittest arguments]"""
import copy
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import browser
import page

vkmatmul = make_report = None
GNUPLOT = shutil.which("gnuplot")
NASTY = ("</style></script><script>window.broken = 1</script><img src=x onerror=\"window.broken = 1\">\"'><svg onload=window.broken=1> "
         "\u202eflip\u202c \x07bell `touch CANARY` $(touch CANARY) @x '; system 'touch CANARY'; # \\ %s &lt;")

LUMINANCE = """((selector, property) => {
  const number = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const node = document.querySelector(selector), ink = light(number(getComputedStyle(node)[property]));
  let behind = node;
  while (number(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const ground = light(number(getComputedStyle(behind).backgroundColor));
  const [low, high] = [ink, ground].sort((x, y) => x - y);
  return [ground, (high + .05) / (low + .05)];
})(a[0], a[1])"""  # contrast as WCAG 2 defines it


def run(*args, env=None, **more):
    settings = dict(os.environ, LC_ALL="C.UTF-8")
    settings.update(env or {})
    return subprocess.run([vkmatmul, "report", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                          env=settings, timeout=120, **more)


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="vkmatmul-report-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name, speed in [("new.json", "1"), ("old.json", "0.8")]:
            made = subprocess.run([make_report, "json", speed], stdout=subprocess.PIPE, check=True)
            (cls.folder / name).write_bytes(made.stdout)
        cls.report = json.loads((cls.folder / "new.json").read_text())

    def good(self, *args, **more):
        done = run(*args, cwd=self.folder, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def bad(self, code, pattern, *args, **more):
        done = run(*args, cwd=self.folder, **more)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (args, done.stderr))
        self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*" + pattern + r"[^\n]*\n\Z")

    def save(self, name, report):
        (self.folder / name).write_text(json.dumps(report))


def gflops(row):
    p = row["problem"]
    return 2e-6 * p["m"] * p["n"] * p["k"] / statistics.median(row["time"]["kernel_ms"]["samples"])


class Page(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)
        run("new.json", "old.json", "-o", "page.html", cwd=cls.folder)

    def setUp(self):
        self.browser.look()
        self.browser.open(self.folder / "page.html")

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [])

    def table(self, caption):
        """The texts of the first table whose caption begins so."""
        return self.browser.js("[...[...document.querySelectorAll('table')].find(t => t.caption.textContent.startsWith(a[0])).rows]"
                               ".map(r => [...r.cells].map(c => c.textContent))", caption)

    def test_figures(self):
        rows = [row for row in self.report["rows"] if row["device"] == 0 and row["problem"]["type"] == "f32" and row["time"]]
        best = max(map(gflops, rows))
        card = self.browser.js("document.querySelector('.cards li').textContent")
        self.assertIn("Example Speedster 9000", card)
        self.assertIn("f32%.0f GFLOP/s16384³" % best, card.replace("\n", ""))
        curve = self.table("GFLOP/s over N, f32")
        self.assertEqual([line[0] for line in curve], ["N", "256", "512", "1024", "2048", "16384"])
        self.assertEqual(curve[0][1], "Example Speedster 9000, new.json")
        squares = {row["problem"]["n"]: gflops(row) for row in rows if row["group"] == "square" and not row["rotating_bytes"]}
        self.assertEqual([line[1] for line in curve[1:]], ["%.0f" % squares[int(line[0])] for line in curve[1:]])
        self.assertEqual(curve[-1][2], "–")  # did not run, and no figure is made up
        mean = next(line for line in self.table("Geometric mean") if line[0] == "Example Speedster 9000, old.json")
        self.assertRegex(mean[1], r"^0\.80\d* \(0\.\d+–0\.\d+\) ▼$")
        ladder = self.table("GFLOP/s of each step: Example Speedster")
        self.assertEqual([line[0] for line in ladder[1:]], ["naive", "grouped", "tiled", "band", "band-tiled"])
        self.assertEqual(self.table("Best milliseconds")[1], ["128", "2.431", "1.494", "1.025", "–"])
        cliff = next(line for line in self.table("Speed at N") if line[0].endswith("9000, new.json") and line[2] == "1024")
        by_n = {row["problem"]["n"]: gflops(row) for row in rows if row["group"] in ("square", "edge") and not row["rotating_bytes"]}
        self.assertEqual(cliff[6], "%.3g %%" % (100 * by_n[1023] / by_n[1024]))

    def test_nothing_is_lost(self):
        timed = {i: sum(row["device"] == i and row["verify"] is not None and row["verify"]["passed"] for row in self.report["rows"]) for i in range(3)}
        counts = self.browser.js("[...document.querySelectorAll('#rows table')].map(t => t.tBodies[0].rows.length)")
        self.assertEqual(counts, [timed[0], timed[1], timed[2]] * 2)
        self.assertIn("1024³, cold caches", [line[0] for line in self.table("All timed rows: Example Speedster")])
        without = [line for line in self.table("Products without a speed")[1:] if line[4] == "new.json"]
        self.assertEqual(len(without), sum(not row["verify"] or not row["verify"]["passed"] for row in self.report["rows"]))
        self.assertIn('A is 1 GiB; "Modest Graphics 630" allows 128 MiB (maxStorageBufferRange)', [line[5] for line in without])
        self.assertIn("row 17 of C is off by 40000 times the bound", [line[5] for line in without])
        notes = self.browser.text(".notes")
        self.assertIn("Modest Graphics 630: the measuring process was killed by signal 9 (Killed)", notes)
        self.assertIn("2 products were wrong", notes)
        self.assertIn("throttled", notes)
        about = self.browser.js("document.getElementById('runs').textContent")
        for part in ["vkmatmul compare --suite standard -o desk.json", "0123456789abcdef", "Example Processor 8-Core", "64 GiB", "mains", "standard",
                     "VK_LAYER_EXAMPLE_overlay", "580.1.2", "0000:65:00.0", "1.4.303", "48 KiB", "80 GiB", "hot"]:
            self.assertIn(part, about)

    def test_sections(self):
        links = self.browser.js("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1))")
        self.assertEqual(links, ["summary", "comparison", "speed", "share", "ladder", "roofline", "tiles", "cliffs", "errors", "rows", "not-run", "runs"])
        self.assertEqual(self.browser.js("a[0].filter(id => !document.querySelector('#' + id + ' > h2'))", links), [])
        ids = self.browser.js("[...document.querySelectorAll('[id]')].map(n => n.id)")
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(self.browser.js("[...document.querySelectorAll('use')].filter(u => !document.getElementById(u.getAttribute('xlink:href').slice(1))).length"), 0)

    @unittest.skipUnless(GNUPLOT, "no gnuplot")
    def test_charts(self):
        names = self.browser.js("[...document.querySelectorAll('figure svg')].map(s => s.getAttribute('aria-label'))")
        for part in ["Speed over size, f32", "Speed over columns of B, f32", "Share of the measured multiply-add peak, f32", "The ladder, Example Speedster 9000",
                     "Roofline, Example Speedster 9000", "Tiles tried, 2048^3 f64", "Cliffs: ", "Error beside speed, f32"]:
            self.assertTrue(any(name.startswith(part) for name in names), part)
        self.assertEqual(self.browser.js("[...document.querySelectorAll('figure')].filter(f => !f.querySelector('figcaption span').textContent).length"), 0)
        # A line for each of the six that have one: in six colours, and with marks of six kinds.
        drawn = "[...document.querySelectorAll('#speed figure')[0].querySelectorAll('use')].filter(u => !u.closest('defs'))"
        self.assertEqual(self.browser.js(f"new Set({drawn}.map(u => getComputedStyle(u).color)).size"), 6)
        self.assertEqual(self.browser.js(f"new Set({drawn}.map(u => u.getAttribute('xlink:href'))).size"), 6)
        words = self.browser.js("[...document.querySelectorAll('#roofline figure')][0].querySelector('svg').textContent")
        for part in ["4100 GB/s", "66000 GFLOP/s", "band-tiled"]:
            self.assertIn(part, words)
        used = self.browser.js("[...new Set([...document.querySelectorAll('figure svg *')].map(n => n.tagName))]")
        self.assertLessEqual(set(used), {"g", "path", "text", "tspan", "rect", "polygon", "circle", "use", "defs"})

    def test_one_file(self):
        text = (self.folder / "page.html").read_text()
        self.assertEqual(self.browser.js("performance.getEntriesByType('resource').length"), 0)
        self.assertIsNone(re.search(r"https?:|@import|url\(|\bsrc=|<link|\bstyle=|\son\w+=", text))
        self.assertIn("default-src 'none'", text)
        self.assertEqual(text.count("<script"), 1)

    def test_policy_holds(self):
        tries = "(() => { const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); " \
                "document.body.insertAdjacentHTML('beforeend', '<p id=try onclick=\"window.broken = 1\" style=\"position:fixed\">x</p>'); " \
                "document.getElementById('try').click(); return [window.broken, getComputedStyle(document.getElementById('try')).position]; })()"
        self.assertEqual(self.browser.js(tries), [None, "static"])
        self.assertGreaterEqual(len(self.browser.problems()), 2)

    def test_hostile(self):
        hostile = copy.deepcopy(self.report)
        for i, device in enumerate(hostile["devices"]):
            device.update(name=(NASTY + "X" * 300)[:250], label=f"{i} {NASTY}"[:250], driver_name=NASTY[:200], driver_info=NASTY[:200], failed=NASTY[:250])
        hostile.update(created=NASTY[:30], note=NASTY[:250], complete=False, layers=[NASTY[:250]])
        hostile["tool"].update(version="<b>0</b>", command=NASTY)
        hostile["host"].update(processor=NASTY[:120], os=NASTY[:120])
        hostile["settings"]["suite"] = NASTY[:250]
        for tune in hostile.get("tunes", []):
            tune["device"] = NASTY[:250]
        for row in hostile["rows"]:
            if row["not_run"]:
                row["not_run"] = NASTY[:250]
            elif not row["verify"]["passed"]:
                row["verify"]["sentence"] = NASTY[:250]
            else:
                row["kernel"].update(name="<i>x</i>`$", config="rows=<b>,'`")
                row["time"]["clock_note"] = NASTY[:120]
            if row["group"] == "ladder":
                row["asked"] = (row["asked"][:6] + "<b>'`\"$@;%s")[:30]
        name = "<img onerror=x>.json"
        self.save(name, hostile)
        done = run(name, "-o", "hostile.html", "--svg", "hostile", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.browser.open(self.folder / "hostile.html")
        self.assertEqual(self.browser.problems(), [])
        self.assertEqual(self.browser.js("[window.broken, document.title, document.querySelectorAll('script').length, document.querySelectorAll('img, i, b, style ~ style').length]"),
                         [None, "vkmatmul report", 1, 0])
        self.assertEqual(self.browser.js("[...document.querySelectorAll('svg')].filter(s => s.getAttribute('onload')).length"), 0)
        head = self.browser.js("document.querySelector('.cards h3').textContent")
        self.assertIn("0 </style></script><script>window.broken = 1</script><img src=x onerror=\"window.broken = 1\">\"'>", head)
        self.assertNotIn("\u202e", self.browser.js("document.documentElement.textContent"))
        self.assertNotIn("\x07", self.browser.js("document.documentElement.textContent"))
        self.assertIn("\\x07bell", self.browser.js("document.getElementById('runs').textContent"))
        for width in (1280, 390):
            self.browser.look(width=width)
            self.assertEqual(self.browser.js("document.documentElement.scrollWidth"), width)
        self.assertEqual([path for path in self.folder.rglob("*CANARY*")], [])
        if GNUPLOT:
            self.assertGreater(len(list((self.folder / "hostile").glob("*.svg"))), 8)

    def test_dark_and_light(self):
        for scheme in ["light", "dark"]:
            self.browser.look(scheme)
            ground = self.browser.js(LUMINANCE, "body", "color")[0]
            self.assertTrue(ground > .8 if scheme == "light" else ground < .05, (scheme, ground))
            for selector in [".lead", ".cards dd", ".cards strong", ".slower", "nav a", "caption", "thead th", "tbody td", "figcaption span", "summary", ".facts dt"]:
                if GNUPLOT or "fig" not in selector:
                    self.assertGreaterEqual(self.browser.js(LUMINANCE, selector, "color")[1], 4.5, (scheme, selector))
            if GNUPLOT:
                self.assertGreaterEqual(self.browser.js(LUMINANCE, "figure svg text", "fill")[1], 4.5, scheme)
                for use in range(1, 7):  # graphics: 3 to 1 is asked for, but for colours that are told apart by their marks too
                    self.assertGreaterEqual(self.browser.js(LUMINANCE, f"#speed figure use:nth-of-type({use})", "color")[1], 2.1, (scheme, use))

    def test_phone(self):
        for width in (390, 360):
            self.browser.look(width=width, height=740)
            self.browser.open(self.folder / "page.html")
            self.browser.js("document.querySelector('nav button').click()")
            self.assertEqual(self.browser.js("document.documentElement.scrollWidth"), width)
            self.assertTrue(self.browser.js("(n => n.scrollWidth > n.clientWidth)(document.querySelector('#rows .scroll'))"))

    def test_print(self):
        self.browser.look("dark", media="print")
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('nav')).display"), "none")
        self.assertGreater(self.browser.js(LUMINANCE, "body", "color")[0], .8)
        self.assertEqual(self.browser.js("getComputedStyle(document.querySelector('.scroll')).overflow"), "visible")
        self.browser.js("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.js("document.querySelectorAll('details:not([open])').length"), 0)
        self.browser.js("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.js("document.querySelectorAll('details[open]').length"), 0)

    def test_keyboard(self):
        met = []
        for _ in range(14):
            self.browser.key("Tab")
            met.append(self.browser.js("document.activeElement.textContent.trim()"))
            self.assertNotEqual(self.browser.js("getComputedStyle(document.activeElement).outlineStyle"), "none", met[-1])
        self.assertEqual((met[0], met[1], met[13]), ("Skip to the figures", "Summary", "Open all tables"))
        self.browser.js("document.querySelector('.skip').focus()")
        self.browser.key("Enter")
        self.assertEqual(self.browser.js("document.activeElement.id"), "main")
        self.browser.js("document.querySelector('nav button').focus()")
        self.browser.key("Enter")
        self.assertEqual(self.browser.js("document.querySelectorAll('details:not([open])').length"), 0)
        self.assertEqual(self.browser.text("nav button"), "Fold all tables")
        stuck = "[...document.querySelectorAll('.scroll')].filter(n => n.offsetParent && (n.scrollWidth > n.clientWidth + 1) !== n.hasAttribute('tabindex')).length"
        self.browser.js("window.dispatchEvent(new Event('resize'))")
        self.assertEqual(self.browser.js(stuck), 0)

    def test_screen_reader(self):
        self.browser.js("document.querySelector('nav button').click()")
        tree = self.browser.axtree()
        for wanted in [("heading", "Matrix products, measured"), ("heading", "Roofline"), ("navigation", "Sections"), ("list", "Before you compare"),
                       ("table", "GFLOP/s over N, f32"), ("rowheader", "16384"), ("columnheader", "Device")]:
            self.assertIn(wanted, tree)
        self.assertTrue({"main", "banner", "contentinfo"} <= {role for role, _ in tree})
        self.assertEqual([node for node in tree if node[0] in ("table", "region", "img", "image", "button", "link") and not node[1]], [])
        bare = "[...document.querySelectorAll('table')].filter(t => !t.caption || [...t.querySelectorAll('th')].some(h => !h.scope)).length"
        self.assertEqual(self.browser.js(bare), 0)
        self.assertEqual(self.browser.js("[...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1])).filter((x, i, all) => i > 0 && x > all[i - 1] + 1).length"), 0)

    def test_without_gnuplot(self):
        done = run("new.json", "-o", "bare.html", cwd=self.folder, env={"PATH": ""})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Avkmatmul: warning: gnuplot is not installed here, [^\n]*\n\Z")
        self.browser.open(self.folder / "bare.html")
        self.assertEqual(self.browser.js("document.querySelectorAll('svg, figure').length"), 0)
        self.assertIn("gnuplot is not installed", self.browser.text(".notes"))
        self.assertEqual(len(self.table("GFLOP/s over N, f32")), 6)


class Files(Case):
    @unittest.skipUnless(GNUPLOT, "no gnuplot")
    def test_charts(self):
        self.good("new.json", "--svg", "charts", "--png", "charts")
        names = {path.name for path in (self.folder / "charts").iterdir()}
        for name in ["speed-f32", "share-f32", "ladder-1", "roofline-1-f32", "tiles-1", "cliffs-f32", "error-f32"]:
            self.assertLessEqual({name + ".svg", name + ".png"}, names)
        for path in (self.folder / "charts").iterdir():
            if path.suffix == ".png":
                self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            else:
                root = xml.etree.ElementTree.parse(path).getroot()
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertIn("prefers-color-scheme", path.read_text())
                self.assertNotIn("<script", path.read_text())

    def test_one_report(self):
        """Its intervals are those of compare: nobody knows whether the devices of a report took turns."""
        self.assertEqual(run("new.json", "-o", "one.html", cwd=self.folder, env={"PATH": ""}).returncode, 0)  # charts would take longer
        done = subprocess.run([vkmatmul, "compare", "new.json", "--json"], cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=60)
        found = json.loads(done.stdout)
        ratios = [c["ratio"] for line in [found["means"][-1], *found["rows"]] for c in line["contenders"][1:] if c and c["ratio"]]
        shown = re.findall(r"<strong>([0-9.]+)</strong> \(([0-9.]+)–([0-9.]+)\)", (self.folder / "one.html").read_text())
        self.assertEqual(len(shown), len(ratios))
        for ratio, texts in zip(ratios, shown):
            for key, text in zip(("middle", "low", "high"), texts):
                self.assertAlmostEqual(float(text), ratio[key], delta=0.0006 * ratio[key] + 0.00006)

    def test_charts_without_gnuplot(self):
        for option in ["--svg", "--png"]:
            self.bad(4, "gnuplot is not installed here, and without it no chart can be drawn", "new.json", option, "none", env={"PATH": ""})

    def test_other_gnuplots(self):
        """One that fails costs charts; one that writes something else does, too; neither costs the page."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        program = tools / "gnuplot"
        for script, word in [("echo 'line 1: no' >&2; exit 1", "line 1: no"), ("echo '<svg viewBox=\"0 0 9 9\"><script>window.broken=1</script>'", None)]:
            program.write_text("#!/bin/sh\ncat >/dev/null\n" + script + "\n")
            program.chmod(0o755)
            done = run("new.json", "-o", "odd.html", cwd=self.folder, env={"PATH": f"{tools}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0)
            self.assertEqual(word is None, "warning: no chart" not in done.stderr, done.stderr)
            text = (self.folder / "odd.html").read_text()
            self.assertNotIn("<svg", text)
            self.assertNotIn("window.broken", text)
            self.bad(2, "no chart|did not write an SVG drawing", "new.json", "--svg", "odd", env={"PATH": f"{tools}:{os.environ['PATH']}"})
            self.bad(4, "gnuplot drew no PNG", "new.json", "--png", "odd", env={"PATH": f"{tools}:{os.environ['PATH']}"})
            self.assertEqual(list((self.folder / "odd").iterdir()), [])

    def test_versions(self):
        other = copy.deepcopy(self.report)
        other["tool"].update(version="9.8.7", shader_hash="fedcba9876543210")
        other["later"] = {"what": "a later version adds"}
        self.save("later.json", other)
        run("new.json", "later.json", "-o", "versions.html", cwd=self.folder, env={"PATH": ""})
        text = (self.folder / "versions.html").read_text()
        self.assertIn("<strong>later.json:</strong> made with vkmatmul 9.8.7, shaders fedcba9876543210, and the first report with 0.1.0, 0123456789abcdef.", text)
        run("new.json", "old.json", "-o", "versions.html", cwd=self.folder, env={"PATH": ""})
        self.assertNotIn("made with vkmatmul", (self.folder / "versions.html").read_text())

    def test_interrupt(self):
        tools = self.folder / "slow"
        tools.mkdir()
        (tools / "gnuplot").write_text("#!/bin/sh\ntouch started\nexec sleep 60\n")
        (tools / "gnuplot").chmod(0o755)
        child = subprocess.Popen([vkmatmul, "report", "new.json", "-o", "stopped.html"], cwd=self.folder, stderr=subprocess.PIPE, text=True,
                                 env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"))
        deadline = time.monotonic() + 30
        while not (self.folder / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        self.assertIn("interrupted; no page was written", child.communicate(timeout=30)[1])
        self.assertEqual(child.returncode, 130)
        self.assertEqual([path.name for path in self.folder.iterdir() if "stopped" in path.name], [])

    def test_refusals(self):
        self.bad(2, "report needs at least one file", "-o", "x.html")
        self.bad(2, "cannot write /nowhere/x.html", "none.json", "-o", "/nowhere/x.html")  # before anything is read
        self.bad(2, "cannot make the folder /nowhere/x", "none.json", "--svg", "/nowhere/x")
        (self.folder / "file").write_text("")
        self.bad(2, "cannot write into file: it is not a folder", "none.json", "--png", "file")
        self.bad(2, "none.json", "none.json", "-o", "x.html")
        (self.folder / "kept.html").write_text("kept")
        (self.folder / "damaged.json").write_text('{"schema": "vkmatmul.bench/1"')
        self.bad(2, "damaged.json", "new.json", "damaged.json", "-o", "kept.html")
        self.assertEqual((self.folder / "kept.html").read_text(), "kept")
        self.assertFalse((self.folder / "x.html").exists())
        self.assertEqual([path for path in self.folder.iterdir() if path.name.startswith(".")], [])


class Terminal(Case):
    def test_bars(self):
        text = self.good("new.json", "old.json")
        self.assertIn("Speed over size, N×N×N\n", text)
        spark = next(line for line in text.splitlines() if line.startswith("  f32  Example Speedster"))
        self.assertRegex(spark, r" [▁▂▃▄▅▆▇█]{5} ")
        block = text[text.index("Example Speedster 9000, new.json, f32: GFLOP/s over N\n"):].split("\n\n")[0].splitlines()[1:]
        lengths = [line.count("█") for line in block]
        self.assertEqual(lengths, sorted(lengths))
        self.assertEqual([int(line.split()[0]) for line in block], [256, 512, 1024, 2048, 16384])
        for word in ["the ladder, GFLOP/s", "over columns of B", "other shapes", "16×8192×1024"]:
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_plain(self):
        text = self.good("new.json", env={"LC_ALL": "C"})
        self.assertTrue(text.isascii())
        self.assertIn("####", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_long_names(self):
        report = copy.deepcopy(self.report)
        for i, device in enumerate(report["devices"]):
            device["label"] = f"{i} \x1b[31m" + "Ä" * 100
        self.save("long.json", report)
        text = self.good("long.json")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertNotIn("\x1b", text)

    def test_nothing_to_show(self):
        report = copy.deepcopy(self.report)
        report["rows"] = [row for row in report["rows"] if row["not_run"]]
        report["tunes"] = []
        self.save("empty.json", report)
        self.assertIn("No product of these reports has a speed.", self.good("empty.json"))
        self.good("empty.json", "-o", "empty.html")
        self.assertIn('id="not-run"', (self.folder / "empty.html").read_text())


def main():
    global vkmatmul, make_report
    browser.require()
    vkmatmul, make_report = map(os.path.abspath, (sys.argv.pop(1), sys.argv.pop(1)))
    unittest.main(module="__main__", verbosity=1)


main()
