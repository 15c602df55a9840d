#!/usr/bin/env python3
"""`vkmatmul trace`: the tutorial's watch windows as text, the whole trace as JSON against a model, the index picture, refusals."""
import json
import os
import random
import time

import cli
from cli import npy_bytes

KERNELS = ["naive", "grouped", "tiled", "band", "band-tiled"]
TYPES = {"<i4": "i32", "<u4": "u32", "<f4": "f32"}

# arguments, exit code, what the sentence must say
WORDS = [
    ("--at 2,0", 2, r"there is no C\[2\]\[0\]: C has 2 rows and 6 columns"),
    ("--at 0,6", 2, r"there is no C\[0\]\[6\]"),
    ("--size 0x3x3", 2, "C has 0 rows"),
    ("--at 3", 2, "--at takes ROW,COL, an element of C counted from 0, not '3'"),
    ("--at 1,2,3", 2, "not '1,2,3'"),
    ("--at -1,2", 2, "not '-1,2'"),
    ("--at 1,4294967295", 2, "--at takes ROW,COL"),
    ("--size 1024 --tile 16", 2, "has 3440640 values in 1217 steps; the limit is 100000 values in 4096 steps; try 32x32x32 with tile 16x16"),
    ("--size 1x1x5000 --kernel naive", 2, "in 5001 steps"),
    ("--size 2,3", 2, "one size, not a list of 2"),
    ("--type i32,f32", 2, "one type, not a list of 2"),
    ("--kernel serial", 4, "serial cannot be observed"),
    ("--tile 100", 4, "needs 10000 invocations.*nearest legal"),
    ("--csv", 2, "--csv is not an option of 'vkmatmul trace'"),
    ("--indices --at 0,0", 2, "leave out --at"),
    ("--indices --html x.html", 2, "cannot be combined"),
    ("--indices --json --size 1000x1000x1", 2, "1000000 elements; at most 100000"),
    ("--indices --size 0", 2, "there is no"),
    ("--html /nowhere/at/all.html", 2, "/nowhere/at/all.html"),
    ("--json --html /dev/stdout", 2, "cannot both go to standard output"),
    ("-a x.npy -b y.npy --size 3", 2, "leave out --size"),
]


class Model:
    """The expected recording, derived from the definition of each kernel."""

    def __init__(self, kernel, a, b, n, tile, at, wrap):
        self.a, self.b, self.m, self.n, self.k, self.wrap = a, b, len(a), n, len(b), wrap
        self.rows, self.cols = tile
        self.linear, self.band = kernel == "naive", kernel.startswith("band")
        self.depth = max(tile) if "tiled" in kernel else 0
        self.at = at

    def element(self, matrix, i, j):
        return matrix[i][j] if i < len(matrix) and j < len(matrix[i]) else 0

    def invocation(self, row, col, index=None):
        """The invocation that computes an element; rows and columns may lie beyond C."""
        if self.linear:
            size, count = [self.rows * self.cols, 1], row * self.n + col
            local, group = [count % size[0], 0], [count // size[0], 0]
        else:
            size, local = [self.cols, self.rows], [col % self.cols, row % self.rows]
            group = [row // self.rows, 0] if self.band else [col // self.cols, row // self.rows]
        origin = [g * s for g, s in zip(group, size)]
        one = {"global": [o + l for o, l in zip(origin, local)], "local": local, "workgroup": group, "tile_origin": origin,
               "row": row, "col": col, "inside": row < self.m and col < self.n}
        return one if index is None else {"index": index, **one}

    def invocations(self):
        size = self.rows * self.cols
        if self.linear:
            first = (self.at[0] * self.n + self.at[1]) // size * size
            places = [divmod(first + i, self.n) for i in range(size)]
        else:
            row0, col0 = self.at[0] // self.rows * self.rows, self.at[1] // self.cols * self.cols
            places = [(row0 + i // self.cols, col0 + i % self.cols) for i in range(size)]
        return [self.invocation(row, col, i) for i, (row, col) in enumerate(places)]

    def steps(self):
        all_of_them, out = self.invocations(), []
        row0, col0 = all_of_them[0]["row"], all_of_them[0]["col"]
        sums = [0 if self.depth or one["inside"] else None for one in all_of_them]
        padded = -(-self.k // self.depth) * self.depth if self.depth else self.k
        for k in range(padded):
            if self.depth and k % self.depth == 0:
                out.append({"kind": "load", "k0": k,
                            "tile_a": [[self.element(self.a, row0 + i, k + d) for d in range(self.depth)] for i in range(self.rows)],
                            "tile_b": [[self.element(self.b, k + d, col0 + j) for j in range(self.cols)] for d in range(self.depth)]})
                out.append({"kind": "barrier"})
            terms = [[self.element(self.a, one["row"], k), self.element(self.b, k, one["col"])] for one in all_of_them]
            terms = [None if s is None else t for s, t in zip(sums, terms)]
            sums = [None if s is None else self.wrap(s + t[0] * t[1]) for s, t in zip(sums, terms)]
            out.append({"kind": "sum", "k": k, "terms": terms, "sums": sums})
            if self.depth and (k + 1) % self.depth == 0:
                out.append({"kind": "barrier"})
        out.append({"kind": "store", "values": [s if one["inside"] else None for one, s in zip(all_of_them, sums)]})
        return out

    def product(self):
        return [[self.wrap(sum(x * row[j] for x, row in zip(line, self.b))) for j in range(self.n)] for line in self.a]


def wrap_i32(value):
    return (value + 2**31) % 2**32 - 2**31


WRAPS = {"<i4": wrap_i32, "<u4": lambda value: value % 2**32, "<f4": lambda value: value}


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
        self.assertEqual((mine["a"], mine["at"]), ([[1, 2, 3, 4], [5, 6, 7, 8]], [0, 0]))
        self.assertEqual(mine["group"], {"id": [0, 0], "origin": [0, 0], "rows": 2, "cols": 2, "depth": 2})
        self.assertEqual(set(mine), {"schema", "tool", "device", "problem", "kernel", "at", "a", "b", "c", "group", "invocations", "steps"})

    def random_problem(self, rng):
        m, n, k = rng.randint(1, 7), rng.randint(1, 7), rng.randint(1, 7)
        dtype = rng.choice(sorted(TYPES))
        low, high = {"<i4": (-2**31, 2**31 - 1), "<u4": (0, 2**32 - 1), "<f4": (-50, 50)}[dtype]
        a = [[rng.randint(low, high) for _ in range(k)] for _ in range(m)]
        b = [[rng.randint(low, high) for _ in range(n)] for _ in range(k)]
        return dtype, a, b, (rng.randint(1, 4), rng.randint(1, 4)), (rng.randrange(m), rng.randrange(n))

    def test_model(self):
        seed = int(os.environ.get("VKMM_TEST_SEED", time.time()))
        rng = random.Random(seed)
        for kernel in KERNELS * 2:
            dtype, a, b, tile, at = self.random_problem(rng)
            model = Model(kernel, a, b, len(b[0]), tile, at, WRAPS[dtype])
            got = self.trace("-a", self.file("a.npy", npy_bytes(a, dtype)), "-b", self.file("b.npy", npy_bytes(b, dtype, fortran=True)),
                             "--kernel", kernel, "--tile", "%dx%d" % tile, "--at", "%d,%d" % at)
            name = "VKMM_TEST_SEED=%d: %s %s tile %s at %s" % (seed, kernel, dtype, tile, at)
            first = model.invocations()[0]
            self.assertEqual((got["a"], got["b"], got["c"], got["at"]), (a, b, model.product(), list(at)), name)
            self.assertEqual(got["invocations"], model.invocations(), name)
            self.assertEqual(got["steps"], model.steps(), name)
            self.assertEqual((got["kernel"]["name"], got["problem"]["type"], got["problem"]["init"]), (kernel, TYPES[dtype], "file"), name)
            self.assertEqual((got["group"]["id"], got["group"]["origin"]), (first["workgroup"], [first["row"], first["col"]]), name)

    def test_width(self):
        many = [["--size", "40x40x9", "--tile", "16", "--at", "39,39", "--init", "uniform", "--type", t] for t in ["i32", "u32", "f32"]]
        many += [["--size", "7x5x6", "--tile", "3", "--kernel", kernel, "--at", "6,4", "--init", "int"] for kernel in KERNELS]
        many += [["--size", "1x1x300", "--tile", "1", "--init", "uniform"], ["--size", "3x3x0"], ["--size", "20000x1x1"]]
        many += [["--indices", "-t", t, "-s", s] for t in ["2", "16", "1x5"] for s in ["2x6x1", "100x1000x1", "3000x1000x1", "1x1x1"]]
        many += [["--indices", "--kernel", kernel, "-s", "77x99x5"] for kernel in KERNELS]
        for i, args in enumerate(many):
            text = self.good("trace", *args, env={"LC_ALL": ["C", "C.UTF-8"][i % 2]})
            wide = [line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()]
            self.assertEqual(wide, [], args)

    def test_indices(self):
        text = self.good("trace", "--indices", "--size", "2x6x4", "--tile", "2", env={"LC_ALL": "C"})
        self.assertRegex(text, r"row 1\nglobal +0,1 +1,1 \| +2,1 +3,1 \| +4,1 +5,1\nlocal +0,1 +1,1 \| +0,1 +1,1 \| +0,1 +1,1\n"
                               r"workgroup +0,0 +0,0 \| +1,0 +1,0 \| +2,0 +2,0\ntile origin +0,0 +0,0 \| +2,0 +2,0 \| +4,0 +4,0\n")
        for kernel in KERNELS:
            got = json.loads(self.good("trace", "--indices", "--json", "-s", "5x7x3", "-t", "2x3", "--kernel", kernel))
            model = Model(kernel, [[]] * 5, [[]], 7, (2, 3), (0, 0), None)
            self.assertEqual((got["schema"], got["extent"]), ("vkmatmul.indices/1", [5, 7]))
            self.assertEqual(got["elements"], [model.invocation(i, j) for i in range(5) for j in range(7)], kernel)

    def test_page(self):
        path = self.folder / "trace.html"
        self.assertEqual(self.good("trace", "--html", path), "")
        self.assertIn("vkmatmul.trace/1", path.read_text())
        self.assertEqual(json.loads(self.good("trace", "--json", "--html", path))["at"], [0, 0])

    def test_colour(self):
        for setting, coloured in [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)]:
            leader, follower = os.openpty()
            done = cli.run("trace", "--size", "1", stdout=follower, env={"NO_COLOR": "", **setting})
            os.close(follower)
            text = b""
            while chunk := self.read(leader):
                text += chunk
            os.close(leader)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(b"\033[32m" in text, coloured)
            self.assertIn("▸1".encode(), text)

    def read(self, leader):
        try:
            return os.read(leader, 65536)
        except OSError:  # the other end is closed
            return b""


cli.main()
