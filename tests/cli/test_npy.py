#!/usr/bin/env python3
"""Products of files: the tutorials' numbers, every dtype and order, and NumPy's opinion where NumPy is installed."""
import os
import random
import subprocess
import sys

import cli
from cli import FAST, npy_bytes, product, read_npy

try:
    import numpy
except ImportError:
    numpy = None


class Products(cli.Case):
    def multiply(self, a, b, *options):
        a, b, c = self.file("a.npy", a), self.file("b.npy", b), self.folder / "c.npy"
        text = self.good("-a", a, "-b", b, "-o", c, *options, *FAST)
        return text, read_npy(c)

    def test_tutorial(self):
        a, b = [[1, 4], [2, 5], [3, 6]], [[7, 8, 9], [10, 11, 12]]
        text, c = self.multiply(npy_bytes(a, "<i4"), npy_bytes(b, "<i4"), "--print")
        self.assertEqual(c, ("<i4", [[47, 52, 57], [64, 71, 78], [81, 90, 99]]))
        self.assertIn("A · B (3×3)\n  47  52  57\n  64  71  78\n  81  90  99\n", text)

    def test_worked_example(self):
        text = self.good("-s", "2x6x4", "--tile", "2", "--init", "index", "--type", "i32", "--print", *FAST)
        self.assertIn("\n  130  140  150  160  170  180\n", text)

    def test_types_and_orders(self):
        rng = random.Random(5)
        devices = self.good("devices")
        for dtype in ["<f4", "<i4", "<u4"] + (["<f8"] if " f64 i32" in devices else []):
            for fortran in [False, True]:
                for version in [1, 2, 3]:
                    m, n, k = (rng.randint(1, 40) for _ in range(3))
                    low = 0 if dtype == "<u4" else -50
                    a = [[rng.randint(low, 50) for _ in range(k)] for _ in range(m)]
                    b = [[rng.randint(low, 50) for _ in range(n)] for _ in range(k)]
                    with self.subTest(dtype=dtype, fortran=fortran, version=version):
                        _, c = self.multiply(npy_bytes(a, dtype, fortran, version), npy_bytes(b, dtype, not fortran, version),
                                             "--kernel", "grouped")
                        self.assertEqual(c, (dtype, product(a, b)))

    def test_roundings_that_add_up(self):
        """4096 times 0.7 in f32, one after the other, is off by more than random roundings are."""
        for method in ["full", "freivalds"]:
            self.multiply(npy_bytes([[0.7] * 4096] * 2), npy_bytes([[1.0, 1.0]] * 4096), "--kernel", "naive", "--verify", method)

    def test_wraps(self):
        _, c = self.multiply(npy_bytes([[2**31 - 1, 2]], "<i4"), npy_bytes([[3], [1]], "<i4"))
        self.assertEqual(c[1], [[(3 * (2**31 - 1) + 2 + 2**31) % 2**32 - 2**31]])

    def test_replaces(self):
        old = self.file("c.npy", b"old")
        self.multiply(npy_bytes([[2.0]]), npy_bytes([[3.0]]))
        self.assertEqual(read_npy(old), ("<f4", [[6.0]]))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy", "c.npy"])

    def test_in_place(self):
        a = self.file("a.npy", npy_bytes([[1.0, 1.0], [0.0, 1.0]]))
        self.good("-a", a, "-b", a, "-o", a, *FAST)
        self.assertEqual(read_npy(a)[1], [[1.0, 2.0], [0.0, 1.0]])

    def test_empty(self):
        a, b = self.file("a.npy", npy_bytes([], shape=(3, 0))), self.file("b.npy", npy_bytes([], shape=(0, 2)))
        self.good("-a", a, "-b", b, "-o", self.folder / "c.npy", "--quiet", *FAST)
        self.assertEqual(read_npy(self.folder / "c.npy")[1], [[0.0, 0.0]] * 3)

    def test_generated(self):
        self.good("--size", "5x6x7", "-o", self.folder / "c.npy", *FAST)
        self.assertEqual(len(read_npy(self.folder / "c.npy")[1]), 5)


class NumPy(cli.Case):
    def test_random_shapes(self):
        if numpy is None:
            self.skipTest("no NumPy")
        seed = int(os.environ.get("VKMM_TEST_SEED", 1))
        rng = numpy.random.default_rng(seed)
        kinds = [numpy.float32, numpy.int32, numpy.uint32]
        for i in range(12):
            kind = kinds[i % 3]
            m, n, k = rng.integers(1, 200, 3)
            a, b = (rng.uniform(-1000, 1000, s).astype(numpy.int64).astype(kind) for s in [(m, k), (k, n)])
            if kind is numpy.float32:
                a, b = (rng.uniform(-1, 1, x.shape).astype(kind) for x in (a, b))
            if i % 4 == 1:
                a = numpy.asfortranarray(a)
            if i % 4 == 2:
                b = numpy.asfortranarray(b)
            numpy.save(self.folder / "a.npy", a)
            numpy.save(self.folder / "b.npy", b)
            self.good("-a", self.folder / "a.npy", "-b", self.folder / "b.npy", "-o", self.folder / "c.npy", *FAST)
            c = numpy.load(self.folder / "c.npy")
            with self.subTest(seed=seed, shape=(m, n, k), kind=kind):
                self.assertEqual((c.dtype, c.shape), (kind, (m, n)))
                if kind is numpy.float32:
                    wide = a.astype(numpy.float64) @ b.astype(numpy.float64)
                    limit = 16 * 2**-23 * (abs(a.astype(numpy.float64)) @ abs(b.astype(numpy.float64)))
                    self.assertTrue((abs(c - wide) <= limit).all())
                else:
                    self.assertTrue((c == a @ b).all())


    def test_every_flag(self):
        """C = alpha op(A) op(B) + beta C in floats, which tests/cli/test_blas.py has in whole numbers."""
        if numpy is None:
            self.skipTest("no NumPy")
        seed = int(os.environ.get("VKMM_TEST_SEED", 1))
        rng = numpy.random.default_rng(seed)
        for i in range(8):
            (m, n, k), batch = rng.integers(1, 120, 3), int(rng.integers(1, 4))
            left, right, before = (rng.uniform(-1, 1, s).astype(numpy.float32) for s in [(m, k), (k, n), (m, n)])
            alpha, beta = (float(numpy.float32(x)) for x in rng.uniform(-2, 2, 2))
            words = ["--alpha", repr(alpha), "--beta", repr(beta), "--batch_count", batch, "--layout", ["row", "col"][i % 2]]
            for name, matrix, op in [("a", left, "NT"[i // 2 % 2]), ("b", right, "NT"[i // 4 % 2]), ("c", before, "N")]:
                stored = matrix.T if op == "T" else matrix
                numpy.save(self.folder / (name + ".npy"), numpy.asfortranarray(stored) if rng.random() < 0.5 else stored)
                words += ["-" + name, self.folder / (name + ".npy"), "--ld" + name, int(stored.shape[1 - i % 2] + rng.integers(0, 9))]
                words += ["--transpose" + name.upper(), op] if name != "c" else []
            self.good(*words, "-o", self.folder / "o.npy", "--quiet", *FAST)
            got = numpy.load(self.folder / "o.npy")
            wide, wide_right, wide_before = (x.astype(numpy.float64) for x in (left, right, before))
            want = alpha * (wide @ wide_right) + beta * wide_before
            limit = 16 * 2**-23 * (abs(alpha) * (abs(wide) @ abs(wide_right)) + abs(beta * wide_before))
            with self.subTest(seed=seed, words=words):
                self.assertEqual((got.dtype, got.shape), (numpy.float32, (batch, m, n) if batch > 1 else (m, n)))
                self.assertTrue((abs(got - want) <= limit).all())


# A python of one's own may lack the NumPy that the system's has.
if numpy is None and sys.executable != "/usr/bin/python3" and "VKMM_TEST_PYTHON" not in os.environ:
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["VKMM_TEST_PYTHON"] = "system"
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
cli.main()
