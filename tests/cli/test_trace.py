#!/usr/bin/env python3
"""`vkmatmul trace`: the tutorial's watch windows as text, the whole trace as JSON against a model, refusals."""
import json

import cli
from cli import npy_bytes


# arguments, exit code, what the sentence must say
WORDS = [
    ("--at 2,0", 2, r"there is no C\[2\]\[0\]: C has 2 rows and 6 columns"),
    ("--at 0,6", 2, r"there is no C\[0\]\[6\]"),
    ("--size 0x3x3", 2, "C has 0 rows"),
    ("--at 3", 2, "--at takes ROW,COL, an element of C counted from 0, not '3'"),
    ("--at 1,2,3", 2, "not '1,2,3'"),
    ("--at 1,4294967295", 2, "--at takes ROW,COL"),
    ("--size 1024 --tile 16", 2, "has 3440640 values in 1217 steps; the limit is 100000 values in 4096 steps; try 32x32x32 with tile 16x16"),
    ("--size 1x1x5000 --kernel naive", 2, "in 5001 steps"),
    ("--size 2,3", 2, "one size, not a list of 2"),
    ("--type i32,f32", 2, "one type, not a list of 2"),
    ("--kernel serial", 4, "serial cannot be observed"),
    ("--tile 100", 4, "needs 10000 invocations.*nearest legal"),
    ("--json --html /dev/stdout", 2, "cannot both go to standard output"),
    ("-a x.npy -b y.npy --size 3", 2, "leave out --size"),
]


class Trace(cli.Case):
    def trace(self, *args):
        return json.loads(self.good("trace", "--json", *args))

    def test_refusals(self):
        for words, code, pattern in WORDS:
            self.bad(code, pattern, "trace", *words.split())

    def test_tutorial(self):
        for locale, mark, dot, arrow in [("C.UTF-8", "▸", "·", "→"), ("C", "*", "*", "->")]:
            text = self.good("trace", "--size", "2x6x4", "--tile", "2", "--at", "0,3", env={"LC_ALL": locale})
            self.assertEqual(text.splitlines()[-1],
                             "C[0][3]: 1.4 = 4 > +2.10 = 24 > +3.16 = 72 > +4.22 = 160".replace(".", dot).replace(">", arrow))
            self.assertEqual(text.isascii(), locale == "C")
            for pattern in [r"^M +1 +3,0 +1,0 +1,0 +2,0  C\[0\]\[3\]$", r"^ +2 +2,1 +0,1 +1,0 +2,0  C\[1\]\[2\]$",
                            r"^ +21 M24\n +69  80$", r"^ +M3 M4\n +7  8$", r"^ +15 M16\n +21 M22$", r"^ +150 M160\n +342  368$",
                            r"^11\. store: .*C\[0\]\[3\] = 160$"]:
                self.assertRegex(text, "(?m)" + pattern.replace("M", "\\" + mark))

    def test_padding(self):
        text = self.good("trace", "--size", "3x3x3", "--tile", "2", "--at", "2,2", env={"LC_ALL": "C"})
        self.assertRegex(text, r"\n8\. k = 2: [^\n]*\[x\]\n +\*150    0\n +0    0\n")
        self.assertRegex(text, r"\n9\. k = 3: [^\n]*; padding: no sum changes\n\n10\. barrier")
        self.assertRegex(text, r"(?m)^\* +0 +2,2 +0,0 +1,1 +2,2  C\[2\]\[2\]\n +1 .* C\[2\]\[3\] outside$")
        self.assertTrue(text.endswith("C[2][2]: 7*3 = 21 -> +8*6 = 69 -> +9*9 = 150\n"), text)

    def test_defaults_are_the_tutorial(self):
        mine, same = self.trace(), self.trace("-s", "2x6x4", "-t", "2", "--at", "0,0", "--kernel", "tiled", "--init", "index", "--type", "i32")
        mine["tool"] = same["tool"] = None
        self.assertEqual(mine, same)
        self.assertEqual(mine["schema"], "vkmatmul.trace/1")
        self.assertEqual(mine["at"], [0, 0])
        self.assertEqual(set(mine), {"schema", "tool", "device", "problem", "kernel", "at", "a", "b", "c", "group", "invocations", "steps"})

    def test_json(self):
        """The tutorial's recording; tests/lib/look/test_trace.c compares those of all kernels with a model."""
        got = self.trace("--at", "0,3")
        self.assertEqual((got["a"], got["b"][3], got["at"]), ([[1, 2, 3, 4], [5, 6, 7, 8]], list(range(19, 25)), [0, 3]))
        self.assertEqual(got["c"], [[130, 140, 150, 160, 170, 180], [290, 316, 342, 368, 394, 420]])
        self.assertEqual(got["group"], {"id": [1, 0], "origin": [0, 2], "rows": 2, "cols": 2, "depth": 2})
        self.assertEqual(got["invocations"][1], {"index": 1, "global": [3, 0], "local": [1, 0], "workgroup": [1, 0], "tile_origin": [2, 0], "row": 0,
                                                 "col": 3, "inside": True})
        self.assertEqual(" ".join(step["kind"] for step in got["steps"]), "load barrier sum sum barrier load barrier sum sum barrier store")
        self.assertEqual(got["steps"][5], {"kind": "load", "k0": 2, "tile_a": [[3, 4], [7, 8]], "tile_b": [[15, 16], [21, 22]]})
        self.assertEqual(got["steps"][8], {"kind": "sum", "k": 3, "terms": [[4, 21], [4, 22], [8, 21], [8, 22]], "sums": [150, 160, 342, 368]})
        self.assertEqual(got["steps"][10], {"kind": "store", "values": [150, 160, 342, 368]})

    def test_files(self):
        """What lies outside has no terms; numbers of all types; B column-major."""
        got = self.trace("--size", "3", "--tile", "2", "--at", "2,2", "--kernel", "naive")
        self.assertEqual([one["inside"] for one in got["invocations"]], [True, False, False, False])
        self.assertEqual([step.get("terms", step.get("values")) for step in got["steps"]], [[term, None, None, None] for term in ([7, 3], [8, 6], [9, 9], 150)])
        for dtype, name, row, c in ("<i4", "i32", [-2**31, 1], 3), ("<u4", "u32", [2**31, 2**32 - 1], 2**32 - 3), ("<f4", "f32", [-0.5, 2.0], 5.0):
            a, b = self.file("a.npy", npy_bytes([row], dtype)), self.file("b.npy", npy_bytes([[2, 4], [3, 0]], dtype, fortran=True))
            got = self.trace("-a", a, "-b", b, "--tile", "1")
            self.assertEqual((got["a"], got["b"], got["c"][0][0], got["problem"]["type"], got["problem"]["init"]), ([row], [[2, 4], [3, 0]], c, name, "file"))

    def test_width(self):
        many = [["--size", "40x40x9", "--tile", "16", "--at", "39,39", "--init", "uniform", "--type", "f32"], ["--size", "1x1x300", "--tile", "1"]]
        many += [["--size", "7x5x6", "--tile", "3", "--kernel", kernel, "--at", "6,4", "--init", "int"] for kernel in ("naive", "band-tiled")]
        many += [["--size", "20000x1x1"]]
        for i, args in enumerate(many):
            text = self.good("trace", *args, env={"LC_ALL": ["C", "C.UTF-8"][i % 2]})
            self.assertEqual([line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()], [], args)

    def test_page(self):
        path = self.folder / "trace.html"
        self.assertEqual(self.good("trace", "--html", path), f"Wrote {path}: open it in a browser.\n")
        self.assertIn("vkmatmul.trace/1", path.read_text())
        self.assertEqual(json.loads(self.good("trace", "--json", "--html", path))["at"], [0, 0])

    def test_colour(self):
        for setting, coloured in [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)]:
            code, text = cli.on_terminal("trace", "--size", "1", env={"NO_COLOR": "", **setting})
            self.assertEqual((code, "\033[32m" in text), (0, coloured))
            self.assertIn("▸1", text)


cli.main()
