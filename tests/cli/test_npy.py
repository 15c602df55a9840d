#!/usr/bin/env python3
"""Products of files: the tutorials' numbers, every dtype and order, and NumPy's opinion where NumPy is installed."""
import json
import os
import random
import shlex
import subprocess
import sys
import zipfile

import cli
from cli import FAST, npy_bytes, product, read_npy

try:
    import numpy
except ImportError:
    numpy = None


class Products(cli.Case):
    def multiply(self, a, b, *options):
        a, b, c = self.file("a.npy", a), self.file("b.npy", b), self.folder / "c.npy"
        return self.good("-a", a, "-b", b, "-o", c, *options, *FAST), read_npy(c)

    def test_tutorial(self):
        a, b = [[1, 4], [2, 5], [3, 6]], [[7, 8, 9], [10, 11, 12]]
        text, c = self.multiply(npy_bytes(a, "<i4"), npy_bytes(b, "<i4"), "--print")
        self.assertEqual(c, ("<i4", [[47, 52, 57], [64, 71, 78], [81, 90, 99]]))
        self.assertIn("A · B (3×3)\n  47  52  57\n  64  71  78\n  81  90  99\n", text)

    def test_row(self):
        """A single run: a note says so, and its only sample is not called unstable."""
        text = self.good("-a", self.file("a.npy", npy_bytes([[1.0]])), "-b", self.file("b.npy", npy_bytes([[1.0]])))
        self.assertNotRegex(text, r"\d~\s")
        self.assertIn("note: the times are of one run", text)
        self.assertNotIn("note:", self.good("-a", "a.npy", "-b", "b.npy", "-i", "2", cwd=self.folder))

    def test_types_and_orders(self):
        rng = random.Random(5)
        devices = self.good("devices")
        for number, dtype in enumerate((["<f4", "<i4", "<u4"] + (["<f8"] if " f64 i32" in devices else [])) * 2):
            fortran, version = number % 2 == number // 4, 1 + number % 3
            m, n, k = (rng.randint(1, 40) for _ in range(3))
            low = 0 if dtype == "<u4" else -50
            a = [[rng.randint(low, 50) for _ in range(k)] for _ in range(m)]
            b = [[rng.randint(low, 50) for _ in range(n)] for _ in range(k)]
            with self.subTest(dtype=dtype, fortran=fortran, version=version):
                _, c = self.multiply(npy_bytes(a, dtype, fortran, version), npy_bytes(b, dtype, not fortran, version), "--kernel", "grouped")
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
            for out in [name, "sub/../" + name, "link.npy", "hard.npy"] if name == "a.npy" else [self.folder / name]:
                with self.subTest(name, out=out):
                    self.bad(2, "is the input %s: name another output, or replace the input with --force" % name, "-a", "a.npy", "-b", "b.npy", "-c",
                             "c.npy", "--beta", "1", "--bias", "bias.npy", "-o", out, *FAST, cwd=self.folder)
        for name in names:
            self.assertEqual(read_npy(self.folder / name)[1], [[1.0]])
        model = self.file("m.safetensors", cli.safetensors_bytes({"A": ("F32", [1, 1], [1.0])}))
        self.bad(2, "is the input", "-a", "%s:A" % model, "-b", model, "-o", "%s:C" % model)

    def test_odd_elements_are_counted(self):
        """NaN and infinity that the inputs explain pass, and are said in the row."""
        nan, inf = float("nan"), float("inf")
        a = self.file("a.npy", npy_bytes([[1.0, nan]] * 50 + [[inf, 1.0]] * 3 + [[1.0, 1.0]]))
        b = self.file("b.npy", npy_bytes([[1.0] * 100, [2.0] * 100]))
        for method in ["full", "freivalds"]:
            for limit in [[], ["--memory-limit", "20kB"]]:
                with self.subTest(method, limit=limit):
                    args = ["-a", a, "-b", b, "--verify", method, *limit]
                    self.assertRegex(self.good(*args), "(?m)✓ 5000 NaN, 300 infinite$")
                    verdict = json.loads(self.good(*args, "--json"))["verify"]
                    self.assertEqual((verdict["passed"], verdict["nans"], verdict["infinities"]), (True, 5000, 300))
                    self.assertIn("; NaN: 5000, infinite: 300", verdict["sentence"])
                    self.assertRegex(self.good(*args, "--csv"), "^[^\n]*,nans,infinities,method\r?\n[^\n]*,5000,300,direct\r?\n$")
        b = self.file("b.npy", npy_bytes([[1.0], [0.0]]))
        self.assertRegex(self.good("-a", b, "-b", self.file("a.npy", npy_bytes([[1.0]]))), "(?m)✓$")
        self.assertEqual(json.loads(self.good("-s", "8", "--type", "i32", "--json", *FAST))["verify"]["nans"], 0)

    def test_empty(self):
        a, b = self.file("a.npy", npy_bytes([], shape=(3, 0))), self.file("b.npy", npy_bytes([], shape=(0, 2)))
        self.good("-a", a, "-b", b, "-o", self.folder / "c.npy", "--quiet", *FAST)
        self.assertEqual(read_npy(self.folder / "c.npy")[1], [[0.0, 0.0]] * 3)

SERIAL = ["--kernel", "serial", "--quiet", *FAST]


class Example(cli.Case):
    def test_writes_two_files_to_multiply(self):
        folder = self.folder / "new folder's"
        self.bad(2, "No such file or directory", "example", folder)
        folder.mkdir()
        text = self.good("example", folder)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["a.npy", "b.npy"])
        self.assertEqual(text.splitlines()[0], "A (64x48) and B (48x32) of f32 are written. Multiply them:")
        words = shlex.split(text.splitlines()[2])
        self.assertEqual(words[0], "vkmatmul")
        self.good(*words[1:])
        c = read_npy(folder / "c.npy")[1]
        self.assertEqual((len(c), len(c[0])), (64, 32))

    def test_replaces_nothing(self):
        for name in "a.npy", "b.npy", "c.npy":
            folder = self.folder / name[0]
            folder.mkdir()
            (folder / name).write_text("mine")
            self.bad(2, "/%s exists, so nothing was written" % name, "example", folder)
            self.assertEqual([(path.name, path.read_text()) for path in folder.iterdir()], [(name, "mine")])
        self.bad(2, "unexpected argument", "example", "x", "y")


class Conversions(cli.Case):
    """Elements that lie in a file otherwise than in memory: what becomes of them is said."""

    def multiply(self, a, b, *options, name="c.npy"):
        done = cli.run("-a", a, "-b", b, "-o", name, *SERIAL, *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr, read_npy(self.folder / name)

    def test_int64(self):
        low, high = -2**31, 2**31 - 1
        for dtype, small, first, last in [("<i8", "<i4", low, high), ("<u8", "<u4", 0, 2**32 - 1)]:
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
        self.file("a.npy", npy_bytes([[1, 2], [3, 4], [5, 2**40], [7, 8]], "<i8", shape=(2, 2, 2)))
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


class Formats(cli.Case):
    """Other files than .npy, which are known by their suffix or by their first bytes."""

    def multiply(self, a, b, *options, out="c.npy", stdin=None):
        done = subprocess.run([cli.program, "-a", a, "-b", b, "-o", out, *SERIAL, *options], input=stdin, cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode()

    def identity(self, n, dtype="<f4"):
        return self.file("i.npy", npy_bytes([[int(i == j) for j in range(n)] for i in range(n)], dtype)).name

    def read(self, name, text, dtype="<f4", *options):
        """What comes of a text as A times the identity; and what was said."""
        self.file(name, text)
        said = self.multiply(name, self.identity(text.split(b"\n")[0].count(b"," if b"," in text else b"\t") + 1, dtype), *options)
        return read_npy(self.folder / "c.npy"), said

    def refuse(self, pattern, name, text, *options):
        self.file(name, text)
        self.bad(2, pattern, "-a", name, "-b", self.identity(2), "-o", "d.npy", *SERIAL, *options, cwd=self.folder)
        self.assertFalse((self.folder / "d.npy").exists())

    def test_rows_of_numbers(self):
        want = [[1.0, -2.5], [0.25, 3e6]]
        said = "vkmatmul: warning: %s is read as f32; --type chooses another type\n"
        for name, text in [("a.csv", b"1,-2.5\n.25,3e6\n"), ("a.csv", b"1, -2.5\r\n 0.25 ,3E+6"), ("a.tsv", b"1\t-2.5\n0.25\t3e6\n\n"),
                           ("a.csv", b"\xef\xbb\xbf1,-2.5\n25e-2,3000000\n"), ("a.txt", b"1,-2.5\n.25,3e6\n"), ("a", b"+1\t-2.5\n.25\t3e6\n")]:
            with self.subTest(name=name, text=text):
                self.assertEqual(self.read(name, text), (("<f4", want), said % name))

    def test_types_of_texts(self):
        third = b"0.33333333333333331,7\n"
        self.assertEqual(self.read("a.csv", third, "<f8"), (("<f8", [[1 / 3, 7.0]]), "vkmatmul: warning: a.csv is read as f64; --type chooses another type\n"))
        self.assertEqual(self.read("a.csv", b"-5,7.0\n", "<i4")[0], ("<i4", [[-5, 7]]))
        self.file("b.csv", b"1,0\n0,1\n")
        self.file("a.csv", third)
        self.assertEqual(self.multiply("a.csv", "b.csv", "--type", "f64"), "")
        self.assertEqual(read_npy(self.folder / "c.npy"), ("<f8", [[1 / 3, 7.0]]))
        self.file("b.tsv", b"10\n1e2\n")
        said = self.multiply("b.csv", "b.tsv", "-c", "x.csv", "--beta", "1", "--bias", "y.csv", "--kernel", "auto") if self.file(
            "x.csv", b"1\n2\n") and self.file("y.csv", b"1000\n") else ""
        self.assertEqual((read_npy(self.folder / "c.npy"), said.count("is read as f32")), (("<f4", [[1011.0], [1102.0]]), 4))

    def test_refused_texts(self):
        for text, pattern in [(b"", "no numbers"), (b"1,2\n3\n", r"a\.csv:2: 1 column, but line 1 has 2"),
                              (b"1,2\n\n3,4\n", r"a\.csv:2: 1 column,"), (b"1,\n", r"a\.csv:1: column 2 is empty"),
                              (b"x,y\n1,2\n", r"a\.csv:1: column 1: 'x' is not a number; a header line must be removed"),
                              (b"1,2\n3,0x4\n", r"a\.csv:2: column 2: '0x4' is not a number$"), (b"1,2 3\n", "column 2: '2 3' is not"),
                              (b"1;2\n3;4\n", "column 1: '1;2' is not"), (b"NA,1\n", "column 1: 'NA' is not"), (b"1,\0\n", "column 2: '.*' is not"),
                              (b"1,1e39\n", r"a\.csv:1: column 2: 1e39 does not fit in f32"), (b'"1",2\n', "is not a number"),
                              (b"1," + b"1" * 600 + b"\n", "column 2: '1{40}' is not a number")]:
            with self.subTest(text=text):
                self.refuse(pattern, "a.csv", text)
        self.refuse(r"a\.csv:1: column 1: 1\.5 does not fit in i32", "a.csv", b"1.5,2\n", "-b", self.file("b.npy", npy_bytes([[1], [1]], "<i4")))
        self.refuse("3000000000 does not fit in i32", "a.csv", b"3000000000,2\n", "-b", "b.npy")

    def test_written(self):
        """As Octave, R and NumPy read them: enough digits for every bit, NaN and Inf in R's spelling."""
        third, big = 1 / 3, 3.4028234663852886e38
        self.file("v.npy", npy_bytes([[third], [-big], [float("inf")]]))
        self.file("w.npy", npy_bytes([[1.0, -1.0]]))
        for out, text in [("c.csv", "0.333333343,-0.333333343\n-3.40282347e+38,3.40282347e+38\nInf,-Inf\n"),
                          ("c.tsv", "0.333333343\t-0.333333343\n-3.40282347e+38\t3.40282347e+38\nInf\t-Inf\n")]:
            self.multiply("v.npy", "w.npy", out=out)
            self.assertEqual((self.folder / out).read_text(), text)
        self.file("v.npy", npy_bytes([[2**31], [7]], "<u4"))
        self.multiply("v.npy", self.identity(1, "<u4"), out="c.csv")
        self.assertEqual((self.folder / "c.csv").read_text(), "2147483648\n7\n")
        self.file("v.npy", npy_bytes([[third]], "<f8"))
        self.multiply("v.npy", self.identity(1, "<f8"), out="c.csv")
        self.assertEqual((self.folder / "c.csv").read_text(), "0.33333333333333331\n")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_suffixes(self):
        """The suffix selects the output format; an unknown one is refused before any work."""
        for out in ["c.foo", "c", "c.npy.gz", "c.csv:x"]:
            self.bad(2, r"%s: unknown format; the name must end in .*\.npy, \.csv or \.tsv$" % out, "--size", "4", "-o", out, cwd=self.folder)
        self.bad(2, "c.csv: a .csv file holds one matrix, not 3", "--size", "4", "--batch_count", "3", "-o", "c.csv", cwd=self.folder)
        done = cli.run("-m", "0", "-n", "3", "-k", "2", "-o", "c.csv", *SERIAL, cwd=self.folder)
        self.assertEqual((done.returncode, "cannot hold a matrix without elements" in done.stderr), (2, True))
        self.assertEqual(os.listdir(self.folder), [])
        self.file("a.npy", npy_bytes([[2.0]]))
        for name in ["a", "a.dat"]:
            (self.folder / "a.npy").replace(self.folder / name)
            self.multiply(name, name)
            self.assertEqual(read_npy(self.folder / "c.npy")[1], [[4.0]])
            (self.folder / name).replace(self.folder / "a.npy")
        self.file("m.dat", cli.safetensors_bytes({"a": ("F32", [1, 1], [3.0])}))
        self.multiply("m.dat", "m.dat")
        self.assertEqual(read_npy(self.folder / "c.npy")[1], [[9.0]])
        self.refuse(r"b\.dat: unknown format: neither its suffix nor its first bytes match \.safetensors, \.gguf, \.npz", "b.dat", b"matrix")
        self.refuse("not a .npy file", "b.npy", b"1,2\n")

    def test_pipes(self):
        """-a - and -o -: nothing but the product on standard output, and the table beside it."""
        a, b = npy_bytes([[1.0, 2.0], [3.0, 4.0]]), self.file("b.npy", npy_bytes([[0.0, 1.0], [1.0, 0.0]]))
        kernel = ["--kernel", "serial", *FAST]
        for text in [a, b"1,2\n3,4\n", b"1\t2\n3\t4\n",
                     cli.safetensors_bytes({"w": ("F32", [2, 2], [1, 2, 3, 4])})]:
            with self.subTest(text=text[:30]):
                done = subprocess.run([cli.program, "-a", "-", "-b", b, "-o", "-", *kernel], input=text, capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"GFLOP/s", done.stderr)
                self.assertEqual(read_npy(self.file("c.npy", done.stdout)), ("<f4", [[2.0, 1.0], [4.0, 3.0]]))
        self.bad(2, "only one matrix can be read from standard input .-., not 2", "-a", "-", "-b", "-", stdin=subprocess.DEVNULL)
        self.bad(2, "standard input: unknown format: neither its suffix", "-a", "-", "-b", b, stdin=subprocess.DEVNULL)
        done = subprocess.run([cli.program, "-a", "-", "-b", b], input=npy_bytes([[1.0] * 3]), capture_output=True)
        self.assertRegex(done.stderr.decode(), r"cannot multiply standard input \(1x3\) by")

    def test_endless_pipes(self):
        """No more is read than --memory-limit allows, and nothing that no format begins with."""
        b = self.file("b.npy", npy_bytes([[0.0, 1.0], [1.0, 0.0]]))
        with open("/dev/zero", "rb") as zeros:
            self.bad(2, "standard input: unknown format", "-a", "-", "-b", b, stdin=zeros)
        with subprocess.Popen(["yes", "1"], stdout=subprocess.PIPE) as yes:
            self.bad(2, r"standard input: it has more than 1048576 bytes, its limit \(--memory-limit sets it",
                     "-a", "-", "-b", b, "--memory-limit", "1MiB", stdin=yes.stdout)
            yes.stdout.close()

    def has_archives(self):
        if "unknown format" in cli.run("--size", "2", "-o", self.folder / "c.npz", *SERIAL).stderr:
            self.skipTest("no minizip")

    def archive(self, name, arrays, method=zipfile.ZIP_STORED):
        with zipfile.ZipFile(self.folder / name, "w", method) as archive:
            for key, data in arrays.items():
                with archive.open(key + ".npy", "w", force_zip64=True) as member:
                    member.write(data)
        return name

    def test_archives(self):
        self.has_archives()
        one = npy_bytes([[1.0, 2.0], [3.0, 4.0]])
        for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
            self.archive("a.npz", {"x": one, "weights/y.1": npy_bytes([[1, 2**31 - 1]], "<i8"), "z": npy_bytes([[1, 0], [0, 1]], "<i4")}, method)
            self.archive("one.npz", {"x": one}, method)
            self.multiply("a.npz:x", "one.npz")
            self.assertEqual(read_npy(self.folder / "c.npy"), ("<f4", product([[1, 2], [3, 4]], [[1, 2], [3, 4]])))
            self.assertIn("holds int64", self.multiply("a.npz:weights/y.1", "a.npz:z"))
            self.assertEqual(read_npy(self.folder / "c.npy"), ("<i4", [[1, 2**31 - 1]]))
        self.bad(2, r'a\.npz: the file holds 3 tensors: pick one as FILE\.npz:NAME of "x", "weights/y\.1", "z"', "-a", "a.npz", "-b", "a.npz", cwd=self.folder)
        self.bad(2, r'a\.npz: the file holds no tensor "w"; it holds "x", "weights/y\.1", "z"', "-a", "a.npz:w", "-b", "a.npz:x", cwd=self.folder)
        for out in ["c.npz", "c.npz:x"]:
            self.bad(2, "c.npz: .npz files are only read: use .npy or .safetensors", "--size", "2", "-o", out, *SERIAL, cwd=self.folder)

    def test_broken_archives(self):
        self.has_archives()
        self.archive("a.npz", {"x": npy_bytes([[random.random() for _ in range(16)] for _ in range(16)])}, zipfile.ZIP_DEFLATED)
        whole = (self.folder / "a.npz").read_bytes()
        for length in [0, 3, 10, len(whole) // 2, len(whole) - 30]:
            with self.subTest(length=length):
                self.refuse("a.npz", "a.npz", whole[:length])
        at = len(whole) // 2  # in the deflated elements: the checksum tells
        self.refuse("a.npz: the array is damaged", "a.npz", whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1:])
        self.archive("b.npz", {"x": npy_bytes([[1.0, 2.0], [3.0, 4.0]])[:-3]}, zipfile.ZIP_DEFLATED)
        self.refuse("b.npz: 2×2 elements of type f32 need 16 bytes of data; the last 3 are missing", "b.npz", (self.folder / "b.npz").read_bytes())
        self.archive("b.npz", {"x": b"\x93NUMPY\x02\0" + (180 << 20).to_bytes(4, "little")})
        self.refuse("b.npz: the .npy header has 188743692 bytes; at most 1048576 are read", "b.npz", (self.folder / "b.npz").read_bytes())
        at = whole.rindex(b"PK\1\2") + 24  # the size in the directory, which no deflated array of the file's length has
        self.refuse("b.npz: the array is damaged", "b.npz", whole[:at] + b"\xff\xff\xff\x7f" + whole[at + 4:])
        self.archive("b.npz", {"x": b"no matrix"})
        self.bad(2, "b.npz: not a .npy file", "-a", "b.npz", "-b", "b.npz", cwd=self.folder)

    def test_in_panels(self):
        """Texts and archives are loaded as a whole, and multiplied in panels like any others."""
        self.has_archives()
        rows = [[(7 * i + 3 * j) % 11 - 5 for j in range(64)] for i in range(64)]
        self.file("a.csv", "".join(",".join(map(str, row)) + "\n" for row in rows).encode())
        self.archive("b.npz", {"b": npy_bytes(rows, "<i4")}, zipfile.ZIP_DEFLATED)
        for out in ["c.csv", "c.tsv"]:
            self.multiply("a.csv", "b.npz", "--kernel", "tiled", "--tile", "16", "--memory-limit", "64KiB", out=out)
            self.multiply(out, self.identity(64, "<i4"), "--type", "i32")
            self.assertEqual(read_npy(self.folder / "c.npy"), ("<i4", product(rows, rows)))


class NumPy(cli.Case):
    def test_every_flag(self):
        """C = alpha op(A) op(B) + beta C in f32 and, at last, f16; tests/cli/test_blas.py has whole numbers."""
        if numpy is None:
            self.skipTest("no NumPy")
        seed = int(os.environ.get("VKMM_TEST_SEED", 1))
        rng = numpy.random.default_rng(seed)
        for i in range(9):
            kind = numpy.float16 if i == 8 else numpy.float32
            (m, n, k), batch = rng.integers(1, 120, 3), int(rng.integers(1, 4))
            left, right, before = (rng.uniform(-1, 1, s).astype(kind) for s in [(m, k), (k, n), (m, n)])
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
            limit += 2**-11 * abs(want) + 2**-25 if i == 8 else 0  # C is rounded
            with self.subTest(seed=seed, words=words):
                self.assertEqual((got.dtype, got.shape), (kind, (batch, m, n) if batch > 1 else (m, n)))
                self.assertTrue((abs(got - want) <= limit).all())


# A python of one's own may lack the NumPy that the system's has.
if numpy is None and sys.executable != "/usr/bin/python3" and "VKMM_TEST_PYTHON" not in os.environ:
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["VKMM_TEST_PYTHON"] = "system"
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
cli.main()
