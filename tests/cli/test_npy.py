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
        self.good("-a", a, "-b", a, "-o", a, "--force", *FAST)
        self.assertEqual(read_npy(a)[1], [[1.0, 2.0], [0.0, 1.0]])

    def test_an_input_is_no_output(self):
        """By whatever name and link, whichever input it is; FILE:NAME is FILE."""
        names = ["a.npy", "b.npy", "c.npy", "bias.npy"]
        for name in names:
            self.file(name, npy_bytes([[1.0]]))
        (self.folder / "sub").mkdir()
        for name in names:
            for other in ["link.npy", "hard.npy"]:
                (self.folder / other).unlink(missing_ok=True)
            (self.folder / "link.npy").symlink_to(name)
            os.link(self.folder / name, self.folder / "hard.npy")
            for out in [name, "./" + name, "sub/../" + name, self.folder / name, "link.npy", "hard.npy"]:
                with self.subTest(name, out=out):
                    self.bad(2, "is the input %s: name another output, or replace the input with --force" % name, "-a", "a.npy", "-b", "b.npy", "-c",
                             "c.npy", "--beta", "1", "--bias", "bias.npy", "-o", out, *FAST, cwd=self.folder)
        for name in names:
            self.assertEqual(read_npy(self.folder / name)[1], [[1.0]])
        model = self.file("m.safetensors", cli.safetensors_bytes({"A": ("F32", [1, 1], [1.0])}))
        self.bad(2, "is the input", "-a", "%s:A" % model, "-b", model, "-o", "%s:C" % model)

    def test_empty(self):
        a, b = self.file("a.npy", npy_bytes([], shape=(3, 0))), self.file("b.npy", npy_bytes([], shape=(0, 2)))
        self.good("-a", a, "-b", b, "-o", self.folder / "c.npy", "--quiet", *FAST)
        self.assertEqual(read_npy(self.folder / "c.npy")[1], [[0.0, 0.0]] * 3)

    def test_generated(self):
        self.good("--size", "5x6x7", "-o", self.folder / "c.npy", *FAST)
        self.assertEqual(len(read_npy(self.folder / "c.npy")[1]), 5)


SERIAL = ["--kernel", "serial", "--quiet", *FAST]


class Conversions(cli.Case):
    """Elements that lie in a file otherwise than in memory: what becomes of them is said."""

    def multiply(self, a, b, *options, name="c.npy"):
        done = cli.run("-a", a, "-b", b, "-o", name, *SERIAL, *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr, read_npy(self.folder / name)

    def test_int64(self):
        low, high = -2**31, 2**31 - 1
        for dtype, small, first, last in [("<i8", "<i4", low, high), ("<u8", "<u4", 0, 2**32 - 1), (">i8", "<i4", low, high)]:
            for fortran in [False, True]:
                with self.subTest(dtype=dtype, fortran=fortran):
                    self.file("a.npy", npy_bytes([[first, 7], [3, last], [5, 6]], dtype, fortran))
                    self.file("b.npy", npy_bytes([[1, 0], [0, 1]], small))
                    said, c = self.multiply("a.npy", "b.npy")
                    self.assertEqual(c, (small, [[first, 7], [3, last], [5, 6]]))
                    name = "uint64" if "u" in dtype else "int64"
                    kind = "u32" if "u" in dtype else "i32"
                    self.assertEqual(said, "vkmatmul: warning: a.npy holds %s, which is converted to %s\n" % (name, kind))
                    for value in [last + 1] + ([first - 1] if first else []) + [2**63 - 1]:
                        self.file("a.npy", npy_bytes([[1, 2], [3, 4], [5, value]], dtype, fortran))
                        self.bad(2, r"a\.npy: element \[2, 1\] is %d, which does not fit in %s" % (value, kind), "-a", "a.npy", "-b", "b.npy",
                                 "-o", "d.npy", *SERIAL, cwd=self.folder)
                        self.assertFalse((self.folder / "d.npy").exists())

    def test_int64_in_a_stack(self):
        stack = npy_bytes([[1, 2], [3, 4], [5, 2**40], [7, 8]], "<i8", shape=(2, 2, 2))
        self.file("a.npy", stack)
        self.file("b.npy", npy_bytes([[1, 0], [0, 1]], "<i4"))
        self.bad(2, r"element \[1, 0, 1\] is 1099511627776", "-a", "a.npy", "-b", "b.npy", *SERIAL, cwd=self.folder)

    def test_int64_of_safetensors(self):
        self.file("m.safetensors", cli.safetensors_bytes({"a": ("I64", [1, 2], [-5, 6]), "b": ("U64", [1, 2], [5, 2**32])}))
        self.file("b.npy", npy_bytes([[1, 0], [0, 1]], "<i4"))
        said, c = self.multiply("m.safetensors:a", "b.npy")
        self.assertEqual(c, ("<i4", [[-5, 6]]))
        self.assertIn("holds int64, which is converted to i32", said)
        self.bad(2, r"element \[0, 1\] is 4294967296, which does not fit in u32", "-a", "m.safetensors:b", "-b", "b.npy", *SERIAL, cwd=self.folder)

    def test_vectors(self):
        """A vector is a row of A and a column of B, as in numpy.matmul; --transposeA and B change nothing of it."""
        self.file("v.npy", npy_bytes([[1.0, 10.0, 100.0]], shape=(3,)))
        self.file("m.npy", npy_bytes([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        self.file("t.npy", npy_bytes([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]))
        self.file("x.npy", npy_bytes([[1000.0, 2000.0]], shape=(2,)))
        for a, b, option, c in [("v", "m", [], [[531.0, 642.0]]), ("t", "v", [], [[531.0], [642.0]]), ("v", "v", [], [[10101.0]]),
                                ("v", "m", ["--transposeA", "T"], [[531.0, 642.0]]), ("t", "v", ["--transposeB", "T"], [[531.0], [642.0]])]:
            with self.subTest(a=a, b=b, option=option):
                said, read = self.multiply(a + ".npy", b + ".npy", "--kernel", "auto", *option)
                self.assertEqual(read[1], c)
                self.assertRegex(said, r"\Avkmatmul: warning: v.npy is a vector: .* is %dx%d\n" % (len(c), len(c[0])))
                if len(c) + len(c[0]) == 3:
                    read = self.multiply(a + ".npy", b + ".npy", "--kernel", "auto", *option, "-c", "x.npy", "--beta", "1")[1]
                    self.assertEqual([x for row in read[1] for x in row], [1531.0, 2642.0])
        self.bad(2, r"v.npy \(1x3\) by x.npy \(2x1\)", "-a", "v.npy", "-b", "x.npy", *SERIAL, cwd=self.folder)

    def test_big_endian(self):
        for dtype in ["f4", "f8", "i4", "u4"]:
            with self.subTest(dtype=dtype):
                self.file("a.npy", npy_bytes([[1, 258], [3, 4]], ">" + dtype, fortran=True))
                self.file("b.npy", npy_bytes([[1, 0], [0, 1]], "<" + dtype))
                self.assertEqual(self.multiply("a.npy", "b.npy"), ("", ("<" + dtype, [[1, 258], [3, 4]])))


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
