#!/usr/bin/env python3
"""f16, bf16, i8 and u8: files of both formats in, products out, exact where the numbers are small; the epilogue; what is refused."""
import json
import math
import os
import random
import subprocess
import sys

import cli
from cli import FAST, bf16, from_bf16, npy_bytes, product, read_npy, read_safetensors, safetensors_bytes

try:
    import numpy
except ImportError:
    numpy = None


def whole(rng, rows, cols, low, high):
    return [[rng.randint(low, high) for _ in range(cols)] for _ in range(rows)]


def flat(rows):
    return [x for row in rows for x in row]


class Npy(cli.Case):
    def multiply(self, a, b, *options):
        a, b, c = self.file("a.npy", a), self.file("b.npy", b), self.folder / "c.npy"
        self.good("-a", a, "-b", b, "-o", c, "--quiet", *options, *FAST)
        return read_npy(c)

    def test_exact(self):
        """Sums of small whole numbers are what f16 can hold, and 8 bits are summed in 32."""
        rng = random.Random(3)
        for dtype, out, low, high in [("<f2", "<f2", -4, 4), ("|i1", "<i4", -128, 127), ("|u1", "<u4", 0, 255)]:
            a, b = whole(rng, 13, 27, low, high), whole(rng, 27, 11, low, high)
            with self.subTest(dtype):
                self.assertEqual(self.multiply(npy_bytes(a, dtype, fortran=True), npy_bytes(b, dtype)), (out, product(a, b)))

    def test_sums(self):
        """An f32 sum holds what neither an f16 sum nor an f16 C does: 2049, and 4 times 300 times 300."""
        a, b = npy_bytes([[2048.0, 1.0, 0.0, 0.0], [300.0] * 4], "<f2"), npy_bytes([[1.0, 300.0]] * 2 + [[0.0, 300.0]] * 2, "<f2")
        inf = float("inf")
        self.assertEqual(self.multiply(a, b, "--d_type", "f32_r"), ("<f4", [[2049.0, 614700.0], [600.0, 360000.0]]))
        self.assertEqual(self.multiply(a, b), ("<f2", [[2048.0, inf], [600.0, inf]]))
        self.assertEqual(self.multiply(a, b, "--c_type", "f32_r", "--compute_type", "f16_r", "--kernel", "blocked"),
                         ("<f4", [[2048.0, inf], [600.0, inf]]))

    def test_batches(self):
        """A stack is a batch, and a matrix beside it belongs to all of them."""
        a = [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[0, -1], [1, 0]]]
        b = [[1, 0, 2], [0, 1, 1]]
        stack = npy_bytes([row for matrix in a for row in matrix], "|i1", shape=(3, 2, 2))
        want = [[[2 * x for x in row] for row in product(x, b)] for x in a]
        self.assertEqual(self.multiply(stack, npy_bytes(b, "|i1"), "--batch_count", "3", "--alpha", "2"), ("<i4", want))
        for options, pattern in [(["--batch_count", "2"], "a.npy holds 3 matrices, and --batch_count says 2"),
                                 (["--stride_a", "0"], "a stride of 0 would use only the first"), (["--c_type", "f32"], "cannot be stored")]:
            self.bad(2, pattern, "-a", self.folder / "a.npy", "-b", self.folder / "b.npy", *options)

    def test_shapes(self):
        good = self.file("good.npy", npy_bytes([[1, 2], [3, 4]], "|u1"))
        two, three = (self.file("%d.npy" % n, npy_bytes([[1, 2]] * 2 * n, "|u1", shape=(n, 2, 2))) for n in (2, 3))
        none = self.file("none.npy", npy_bytes([], "|u1", shape=(0, 2, 2)))
        for a, b, pattern in [(two, three, "3.npy holds 3 matrices, and .*2.npy says 2"), (none, good, "none.npy holds no matrix")]:
            self.bad(2, pattern, "-a", a, "-b", b)
        self.bad(2, "trace uses the tutorials' kernels", "trace", "-a", good, "-b", good)

    def test_numpy(self):
        if numpy is None:
            self.skipTest("no NumPy")
        seed = int(os.environ.get("VKMM_TEST_SEED", 1))
        rng = numpy.random.default_rng(seed)
        a, b, c = (rng.uniform(-1, 1, s).astype(numpy.float16) for s in [(70, 301), (301, 45), (70, 45)])
        for name, matrix in [("a", a), ("b", numpy.asfortranarray(b)), ("c", c)]:
            numpy.save(self.folder / (name + ".npy"), matrix)
        self.good("-a", self.folder / "a.npy", "-b", self.folder / "b.npy", "-c", self.folder / "c.npy", "--beta", "0.5", "-o", self.folder / "o.npy",
                  "--quiet", *FAST)
        got = numpy.load(self.folder / "o.npy")
        wide = [x.astype(numpy.float64) for x in (a, b, c)]
        want = wide[0] @ wide[1] + 0.5 * wide[2]
        limit = 16 * 2**-23 * (abs(wide[0]) @ abs(wide[1]) + abs(wide[2])) + 2**-11 * abs(want) + 2**-25
        self.assertEqual(got.dtype, numpy.float16, seed)
        self.assertTrue((abs(got.astype(numpy.float64) - want) <= limit).all(), seed)


class SafeTensors(cli.Case):
    A, B = [[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], [[2.0, 1.0], [1.0, -0.5], [0.25, 8.0]]

    def model(self, name="model.safetensors", **more):
        return self.file(name, safetensors_bytes({"x": ("U8", [1], [7]), "w.a": ("BF16", [2, 3], [bf16(x) for x in flat(self.A)]),
                                                  "w.b": ("BF16", [3, 2], [bf16(x) for x in flat(self.B)]), "h/\u00e4": ("F16", [2], [1.0, 2.0])}, **more))

    def test_bf16(self):
        """By name, from a file in which nothing is aligned; every bit of what comes out is known."""
        model, c = self.model(metadata={"format": "pt"}), self.folder / "c.safetensors"
        text = self.good("-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "-o", c, "--print", *FAST)
        want = product(self.A, self.B)
        self.assertEqual(read_safetensors(c), {"C": ("BF16", [2, 2], [bf16(x) for x in flat(want)])})
        self.assertIn("bf16", text)
        self.good("-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "--out", "%s:y" % c, "--out-type", "f32", "--quiet", *FAST)
        self.assertEqual(read_safetensors(c), {"y": ("F32", [2, 2], flat(want))})

    def test_ties_to_even(self):
        """1 + 2^-8 and 1 + 3·2^-8 lie halfway between two bf16: to 1, and to 1 + 2^-6."""
        ones = self.file("a.safetensors", safetensors_bytes({"a": ("BF16", [1, 2], [bf16(1.0), bf16(2.0**-8)])}))
        right = self.file("b.safetensors", safetensors_bytes({"b": ("BF16", [2, 2], [bf16(x) for x in [1.0, 1.0, 1.0, 3.0]])}))
        self.good("-a", ones, "-b", right, "-o", self.folder / "c.safetensors", "--quiet", *FAST)
        _, _, bits = read_safetensors(self.folder / "c.safetensors")["C"]
        self.assertEqual([from_bf16(x) for x in bits], [1.0, 1.0 + 2.0**-6])

    def test_8_bit_floats(self):
        """Every code of both, by its definition: a column times 1; NaNs and infinities are those of the OCP's specification."""
        for dtype, fraction_bits, bias, one in [("F8_E4M3", 3, 7, 0x38), ("F8_E5M2", 2, 15, 0x3c)]:
            want = []
            for code in range(256):
                exponent, fraction = (code & 127) >> fraction_bits, code & 2**fraction_bits - 1
                value = (fraction + (2**fraction_bits if exponent else 0)) * 2.0**(max(exponent, 1) - bias - fraction_bits)
                if dtype == "F8_E4M3" and code & 127 == 127:
                    value = math.nan
                if dtype == "F8_E5M2" and exponent == 31:
                    value = math.nan if fraction else math.inf
                want.append(math.copysign(value, 128 - code - 0.5) + 0.0)  # a sum is no -0
            a = self.file("a.safetensors", safetensors_bytes({"a": (dtype, [256, 1], range(256))}))
            b = self.file("b.safetensors", safetensors_bytes({"b": (dtype, [1, 2], [one, one])}))
            self.good("-a", a, "-b", b, "-o", self.folder / "c.safetensors", "--quiet", *FAST)
            out, shape, got = read_safetensors(self.folder / "c.safetensors")["C"]
            self.assertEqual((out, shape), ("F32", [256, 2]))
            for code in range(256):
                self.assertEqual([repr(abs(x)) if x != x else repr(x) for x in got[2 * code:2 * code + 2]],
                                 [repr(abs(want[code])) if want[code] != want[code] else repr(want[code])] * 2, "%s %#x" % (dtype, code))
            self.good("-a", a, "-b", b, "-o", self.folder / "d.safetensors", "--out-type", "bf16", "--quiet", *FAST)
            _, _, bits = read_safetensors(self.folder / "d.safetensors")["C"]  # bf16 has every one of them
            self.assertEqual([from_bf16(x) for x in bits[::2] if x & 0x7f80 != 0x7f80], [x for x in want if math.isfinite(x)])
            self.bad(2, "c.npy: .npy cannot store|cannot be stored as", "-a", a, "-b", b, "-o", self.folder / "c.npy", "--out-type", "i32")

    def test_other_types(self):
        rng = random.Random(8)
        for dtype, out in [("F32", "F32"), ("I8", "I32")]:
            a, b = whole(rng, 6, 4, 0, 9), whole(rng, 12, 5, 0, 9)
            left = self.file("a.safetensors", safetensors_bytes({"a": (dtype, [3, 2, 4], flat(a))}, padding=5))
            right = self.file("b.safetensors", safetensors_bytes({"b": (dtype, [3, 4, 5], flat(b))}))
            self.good("-a", left, "-b", right, "-o", self.folder / "c.safetensors", "--quiet", *FAST)
            want = flat(flat(product(a[2 * x:2 * x + 2], b[4 * x:4 * x + 4]) for x in range(3)))
            with self.subTest(dtype):
                self.assertEqual(read_safetensors(self.folder / "c.safetensors"), {"C": (out, [3, 2, 5], want)})

    def test_refused(self):
        model = self.model()
        good = model.read_bytes()
        for tensor, pattern in [("", r"no tensor \"\"; it holds \"x\", \"w.a\", \"w.b\", \"h/\\u00E4\""), ("q", r"no tensor \"q\"; it holds"),
                                ("w.b\x1b[1m", r"no tensor \"w.b\\u001B\[1m\""), ("h/\u00e4", "holds f16 and .* both must have the same type")]:
            self.bad(2, pattern, "-a", "%s:%s" % (model, tensor), "-b", "%s:w.b" % model)
        self.bad(2, "holds 4 tensors: pick one as FILE.safetensors:NAME of \"x\", \"w.a\"", "-a", model, "-b", model)
        self.bad(2, "the files hold bf16, not f16 as --type says", "-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "--type", "f16")
        self.bad(2, "c.npy: .npy cannot store bf16: use FILE.safetensors", "-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "-o",
                 self.folder / "c.npy")
        for broken, pattern in [(good[:-1], "the last 1 are missing"), (good.replace(b'"w.b"', b'"w.a"'), "duplicate object key")]:
            path = self.file("broken.safetensors", broken)
            self.bad(2, "broken.safetensors: .*" + pattern, "-a", "%s:w.a" % path, "-b", "%s:w.b" % model, "-o", self.folder / "c.safetensors")
        self.assertEqual(sorted(os.listdir(self.folder)), ["broken.safetensors", "model.safetensors"])


class Epilogue(cli.Case):
    def test_bias_and_activation(self):
        """A layer of a network, from files: vectors of any shape, and a C before."""
        a, b, c = [[1.0, -2.0], [3.0, 0.5]], [[1.0, 0.0, -4.0], [2.0, 1.0, 1.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
        bias = [0.5, -8.0, 2.0]
        paths = {name: self.file(name + ".npy", npy_bytes(rows, "<f2")) for name, rows in [("a", a), ("b", b), ("c", c)]}
        vectors = [self.file("col.npy", npy_bytes([[x] for x in bias], "<f2")),
                   self.file("bias.safetensors", safetensors_bytes({"b": ("F16", [3], bias)}))]
        ab = product(a, b)
        before = [[2 * x + 0.5 * y + z for x, y, z in zip(row, old, bias)] for row, old in zip(ab, c)]
        want = [[max(x, 0.0) for x in row] for row in before]
        for layout, vector in zip(["col", "row"], vectors):
            text = self.good("-a", paths["a"], "-b", paths["b"], "-c", paths["c"], "--alpha", "2", "--beta", "0.5", "--bias", vector, "--activation_type",
                             "relu", "--layout", layout, "-o", self.folder / "o.npy", "--print", *FAST)
            self.assertEqual(read_npy(self.folder / "o.npy"), ("<f2", want), layout)
            self.assertIn("bias (1×3)\n", text)
        for vector, pattern in [(paths["a"], r"a.npy is 2x2, and a bias is a vector of N = 3 elements"),
                                (self.file("f4.npy", npy_bytes([bias])), "f4.npy holds f32, and C is f16: the bias must have C's type")]:
            self.bad(2, pattern, "-a", paths["a"], "-b", paths["b"], "--bias", vector)
        self.bad(2, "c.npy holds f16, and C is f32: it must have C's type", "-a", paths["a"], "-b", paths["b"], "-c", paths["c"], "--beta", "1",
                 "--out-type", "f32")

    def test_generated(self):
        """What differs from the usual is said."""
        for options, types in [(["--type", "bf16", "--activation", "gelu"], ("bf16", "bf16", "f32")), (["--type", "f32", "--compute", "f16", "--kernel", "blocked"], ("f32", "f32", "f16"))]:
            row = json.loads(self.good("-m", 5, "-n", 7, "-k", 9, "--bias_vector", *options, "--json", *FAST))
            problem = row["problem"]
            self.assertEqual(((problem["type"], problem["out_type"], problem["compute"]), problem["bias"], row["verify"]["passed"]), (types, True, True))


class Verified(cli.Case):
    SIZE = ["-m", 70, "-n", 300, "-k", 40]

    def verdict(self, *options):
        return json.loads(self.good(*self.SIZE, *options, "--json", *FAST))["verify"]

    def test_behind_an_activation(self):
        """Every element is judged: as a whole, in panels, in a batch, with an infinite C."""
        for options in [["--activation", "gelu", "--bias_vector"], ["--activation", "relu", "--type", "f16", "--batch_count", 2],
                        ["--activation", "relu", "--type", "i8", "--transposeB", "T"],
                        ["--activation", "gelu", "--alpha", 3, "--beta", 2, "--layout", "col", "--memory-limit", "100kB"]]:
            with self.subTest(options):
                verdict = self.verdict("--verify", "freivalds", *options)
                self.assertEqual((verdict["method"], verdict["passed"]), ("freivalds", True))

    def test_infinite_c(self):
        mask = [[0.0 if j <= i else -math.inf for j in range(300)] for i in range(70)]
        rows = {name: [[float((i * 7 + j * 3) % 5 - 2) for j in range(n)] for i in range(m)] for name, m, n in [("a", 70, 40), ("b", 40, 300)]}
        a, b, c = (self.file(name + ".npy", npy_bytes(matrix)) for name, matrix in [*rows.items(), ("c", mask)])
        row = json.loads(self.good("-a", a, "-b", b, "-c", c, "--beta", 1, "--verify", "freivalds", "--json", *FAST))
        verdict = row["verify"]
        self.assertEqual((verdict["method"], verdict["passed"], verdict["infinities"]), ("freivalds", True, sum(x < 0 for line in mask for x in line)))

    def test_twin(self):
        """Another kernel's product, with the same epilogue; a kernel of the tutorials has a general one as its twin."""
        for options in [[], ["--kernel", "tiled"], ["--activation", "gelu", "--bias_vector", "--type", "f16"], ["--type", "i8"],
                        ["--transposeA", "T", "--beta", 2, "--batch_count", 2, "--compute", "f16", "--kernel", "blocked"]]:
            with self.subTest(options):
                verdict = self.verdict("--verify", "twin", *options)
                self.assertEqual((verdict["method"], verdict["passed"]), ("twin", True))


# A python of one's own may lack the NumPy that the system's has.
if numpy is None and sys.executable != "/usr/bin/python3" and "VKMM_TEST_PYTHON" not in os.environ:
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["VKMM_TEST_PYTHON"] = "system"
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
cli.main()
