#!/usr/bin/env python3
"""f16, bf16, i8 and u8: files of both formats in, products out, exact where the numbers are small; the epilogue; what is refused."""
import json
import math
import os
import random
import struct

import cli
from cli import FAST, bf16, from_bf16, gguf_bytes, gguf_pair, gguf_text, npy_bytes, product, read_npy, read_safetensors, safetensors_bytes

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
        for tensor, pattern in [("", r"no tensor \"\"; it holds \"x\", \"w.a\", \"w.b\", \"h/\\u00E4\""), ("q", r"no tensor \"q\"; it holds"),
                                ("w.b\x1b[1m", r"no tensor \"w.b\\u001B\[1m\""), ("h/\u00e4", "holds f16 and .* both must have the same type")]:
            self.bad(2, pattern, "-a", "%s:%s" % (model, tensor), "-b", "%s:w.b" % model)
        self.bad(2, "holds 4 tensors: pick one as FILE.safetensors:NAME of \"x\", \"w.a\"", "-a", model, "-b", model)
        self.bad(2, "the files hold bf16, not f16 as --type says", "-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "--type", "f16")
        self.bad(2, "c.npy: .npy cannot store bf16: use FILE.safetensors", "-a", "%s:w.a" % model, "-b", "%s:w.b" % model, "-o",
                 self.folder / "c.npy")
        self.assertEqual(os.listdir(self.folder), ["model.safetensors"])


E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6]


def half(value):
    return struct.pack("<e", value)


def nibbles(codes):
    """The first half of the codes in the lower four bits."""
    return bytes(x | y << 4 for x, y in zip(codes, codes[len(codes) // 2:]))


def block_row(rng, kind, k):
    """A row of k elements, by the formats' definitions: its bytes and its values."""
    data, values = b"", []
    while len(values) < k:
        d, codes = 2.0**rng.randint(-3, 1), [rng.randint(0, 15) for _ in range(256)]
        if kind == "Q8_0":
            q = [rng.randint(-128, 127) for _ in range(32)]
            data, values = data + half(d) + struct.pack("32b", *q), values + [d * x for x in q]
        elif kind == "Q4_0":
            data, values = data + half(d) + nibbles(codes[:32]), values + [d * (x - 8) for x in codes[:32]]
        elif kind == "MXFP4":
            data, values = data + bytes([127 + int(math.log2(d))]) + nibbles(codes[:32]), values + [d * E2M1[x] for x in codes[:32]]
        elif kind == "NVFP4":
            scales = [rng.randint(6, 8) for _ in range(4)]
            data += bytes(x << 3 for x in scales) + b"".join(nibbles(codes[16 * g:16 * g + 16]) for g in range(4))
            values += [2.0**(scales[i // 16] - 7) * E2M1[codes[i]] for i in range(64)]
        elif kind == "Q4_1":
            data, values = data + half(d) + half(0.5) + nibbles(codes[:32]), values + [d * x + 0.5 for x in codes[:32]]
        elif kind in ("Q5_0", "Q5_1"):
            q, least = [rng.randint(0, 31) for _ in range(32)], [d * -16, 0.5][kind == "Q5_1"]
            data += half(d) + half(0.5)[:2 * (kind == "Q5_1")] + struct.pack("<I", sum(x >> 4 << i for i, x in enumerate(q)))
            data, values = data + nibbles([x & 15 for x in q]), values + [d * x + least for x in q]
        elif kind == "Q6_K":
            q, s = [rng.randint(0, 63) for _ in range(256)], [rng.randint(-128, 127) for _ in range(16)]
            data += b"".join(nibbles([x & 15 for x in q[h:h + 128]]) for h in (0, 128))
            data += bytes(sum(q[h + 32 * r + i] >> 4 << 2 * r for r in range(4)) for h in (0, 128) for i in range(32))
            data, values = data + struct.pack("16b", *s) + half(d), values + [d * s[i // 16] * (q[i] - 32) for i in range(256)]
        else:  # Q4_K, Q5_K
            high = [rng.randint(0, 1) * (kind == "Q5_K") for _ in range(256)]
            s, m = [rng.randint(0, 63) for _ in range(8)], [rng.randint(0, 63) for _ in range(8)]
            six = [s[g] | s[g + 4] >> 4 << 6 for g in range(4)] + [m[g] | m[g + 4] >> 4 << 6 for g in range(4)]
            six += [s[g + 4] & 15 | (m[g + 4] & 15) << 4 for g in range(4)]
            data += half(d) + half(0.5) + bytes(six) + bytes(sum(high[32 * g + i] << g for g in range(8)) for i in range(32))[:32 * (kind == "Q5_K")]
            data += b"".join(nibbles(codes[64 * g:64 * g + 64]) for g in range(4))
            values += [d * s[i // 32] * (codes[i] + 16 * high[i]) - 0.5 * m[i // 32] for i in range(256)]
    return data, values


class Gguf(cli.Case):
    """x times the transpose of a tensor, with no option: GGUF's rows are along K."""

    def check(self, words, a, b, dtype="<f4"):
        done = cli.run(*words, "-o", self.folder / "c.npy", "--quiet", *FAST)
        self.assertEqual(done.returncode, 0, done.stderr)
        got, want = read_npy(self.folder / "c.npy"), product(a, b)
        self.assertEqual(got[0], dtype)
        self.assertEqual(len(got[1]), len(want))
        for got_row, row, left in zip(got[1], want, a):
            for x, y, right in zip(got_row, row, zip(*b)):
                self.assertLessEqual(abs(x - y), 1e-5 * sum(abs(u * v) for u, v in zip(left, right)), words)

    def test_blocks(self):
        rng = random.Random(5)
        x = whole(rng, 3, 256, -4, 4)
        self.file("x.npy", npy_bytes(x))
        for i, kind in enumerate(["Q8_0", "Q4_0", "Q4_K", "Q4_1", "Q5_0", "Q5_1", "Q5_K", "Q6_K", "MXFP4", "NVFP4"]):
            rows = [block_row(rng, kind, 256) for _ in range(5)]
            other = ("o", "F16", [2], half(1.0) * 2)
            path = self.file("m.gguf", gguf_bytes([other, ("w.weight", kind, [256, 5], b"".join(r[0] for r in rows))], version=2 + i % 2))
            w = [r[1] for r in rows]
            name, columns = "%s:w.weight" % path, list(zip(*w))
            with self.subTest(kind):
                self.check(["-a", self.folder / "x.npy", "-b", name] + [[], ["--layout", "col"], ["--transposeB", "T", "--ldb", 512]][i % 3], x, columns)
        for layout in ["row", "col"]:  # A, and both at once
            self.check(["-a", name, "-b", self.file("y.npy", npy_bytes(list(zip(*x)))), "--layout", layout], w, list(zip(*x)))
        self.check(["-a", name, "-b", name], w, columns)
        self.bad(2, "holds blocks of nvfp4, not of q8_0 as --type-b says", "-a", self.folder / "x.npy", "-b", name, "--type-b", "q8_0")
        self.bad(2, "along K, so A cannot be transposed: .*m.gguf:w.weight", "-a", name, "-b", name, "--transposeA", "T")
        self.bad(2, "holds blocks of nvfp4; C and the bias have none", "-a", self.folder / "x.npy", "-b", name, "--bias", name)
        self.bad(2, "holds blocks of nvfp4, which the tutorials", "trace", "-a", self.folder / "x.npy", "-b", name)
        self.bad(4, "in blocks are not multiplied in panels", "-a", self.folder / "x.npy", "-b", name, "--memory-limit", "1KiB")
        self.bad(2, r"\(3x256\) by .*w.weight \(256x5, transposed\)|cannot multiply", "-a", name, "-b", self.folder / "x.npy")

    def test_plain(self):
        """The same way round as blocks; a batch of three dimensions; vectors; a bias beside the weights."""
        rng = random.Random(6)
        for kind, code, dtype, out in [("F32", "f", "<f4", "<f4"), ("F16", "e", "<f2", "<f2"), ("F64", "d", "<f8", "<f8"), ("I8", "b", "|i1", "<i4"),
                                       ("I32", "i", "<i4", "<i4"), ("I64", "q", "<i4", "<i4")]:
            x, w = whole(rng, 2, 3, -3, 3), whole(rng, 4, 3, -3, 3)
            bits = struct.pack("<12" + code, *flat(w))
            path = self.file("m.gguf", gguf_bytes([("w", kind, [3, 4], bits)], alignment=1, pairs=[gguf_pair("general.alignment", 4, struct.pack("<I", 1))]))
            with self.subTest(kind):
                self.check(["-a", self.file("x.npy", npy_bytes(x, dtype)), "-b", path], x, list(zip(*w)), out)
        f32 = [("w", "F32", [3, 2, 2], struct.pack("<12f", *flat(w))), ("b", "F32", [2], struct.pack("<2f", 10, 20)), ("v", "F32", [3], struct.pack("<3f", 1, 2, 3))]
        path, x4 = self.file("n.gguf", gguf_bytes(f32)), self.file("x.npy", npy_bytes(x))
        self.good("-a", x4, "-b", "%s:w" % path, "--bias", "%s:b" % path, "-o", self.folder / "c.npy", "--quiet", *FAST)
        want = [[[u + v for u, v in zip(row, [10, 20])] for row in product(x, list(zip(*w[2 * i:2 * i + 2])))] for i in range(2)]
        self.assertEqual(read_npy(self.folder / "c.npy"), ("<f4", want))
        self.check(["-a", x4, "-b", "%s:v" % path], x, [[1], [2], [3]])
        text = self.good("trace", "-a", x4, "-b", self.file("t.gguf", gguf_bytes([("w", "F32", [3, 4], struct.pack("<12f", *flat(w)))])), "--json")
        self.assertEqual(json.loads(text)["b"], [list(map(float, row)) for row in zip(*w)])
        one = self.file("h.gguf", gguf_bytes([("w", "BF16", [2, 1], struct.pack("<2H", bf16(3.0), bf16(-2.0)))]))
        self.good("-a", one, "-b", one, "-o", self.folder / "c.safetensors", "--quiet", *FAST)
        self.assertEqual(read_safetensors(self.folder / "c.safetensors"), {"C": ("BF16", [1, 1], [bf16(13.0)])})

    def test_refused(self):
        w = ("w", "F32", [2, 2], bytes(16))
        good = gguf_bytes([w])
        deep = gguf_pair("k", 9, struct.pack("<IQ", 9, 1) * 12 + struct.pack("<IQ", 0, 0))
        nested = gguf_pair("k", 9, struct.pack("<IQ", 9, 2) + struct.pack("<IQ", 8, 1) + gguf_text("t") + struct.pack("<IQB", 0, 1, 7))
        align = [gguf_pair("general.alignment", 4, struct.pack("<I", x)) for x in [0, 24, 64]]
        for data, pattern in [
            (b"GGUE" + good[4:], "does not begin with GGUF"), (good[:4] + b"\4" + good[5:], "GGUF version 4; versions 2 and 3, little-endian"),
            (good[:4] + b"\0\0\0\3" + good[8:], "GGUF version 50331648"), (good[:30], "ends inside its header: 8 bytes from byte 24 on, of 30"), (good[:-1], "w\" has 16 bytes from byte 0 of the data on; the file has 15"),
            (good[:8] + b"\xff" * 8 + good[16:], "ends inside its header"), (good[:16] + b"\xff" * 8 + good[24:], "ends inside its header"),
            (gguf_bytes([w], [struct.pack("<Q", 2**64 - 1)]), "header: 18446744073709551615 bytes from byte 32 on, of 1"),
            (gguf_bytes([w], [gguf_pair("k", 9, struct.pack("<IQ", 12, 2**61))]), "ends inside its header"),
            (gguf_bytes([w], [gguf_pair("k", 9, struct.pack("<IQ", 8, 2**61))]), "ends inside its header"),
            (gguf_bytes([w], [gguf_pair("k", 13, b"")]), "have type 13; 0 to 12 are known"), (gguf_bytes([w], [deep]), "over 8 deep"),
            (gguf_bytes([w], [align[0]]), "it must be one uint32 that is a power of two"), (gguf_bytes([w], [align[1]]), "it must be one uint32"),
            (gguf_bytes([w], [align[2], align[2]]), "it must be one uint32"), (gguf_bytes([w], [gguf_pair("general.alignment", 10, struct.pack("<Q", 32))]), "it must be one uint32"),
            (gguf_bytes([w, w]), "2 tensors have this name"), (gguf_bytes([("w", "F32", [2, 2, 1, 2], bytes(32))]), "w\" has 4 dimensions; a matrix has 2, and a batch of them 3"),
            (gguf_bytes([("w", "F32", [2**32, 2**32], b"")]), "size in bytes does not fit in 64 bits"), (gguf_bytes([("w", "F32", [2**31, 2**20], b"")]), "the file has 0"),
            (gguf_bytes([("w", "Q2_K", [256, 2], bytes(168))]), "w\" holds Q2_K; F32, F16, BF16"), (gguf_bytes([("w", 4000, [2, 2], bytes(16))]), "holds type 4000"),
            (gguf_bytes([("w", "Q4_0", [33, 2], bytes(99))]), "rows of 33 elements; a block of Q4_0 has 32"),
            (good.replace(struct.pack("<QIQ", 2, 0, 0), struct.pack("<QIQ", 2, 0, 8)), "has offset 8; the file's alignment is 32"),
            (gguf_bytes([("u\x1b[1m", "F32", [1], bytes(4)), ("v", "F32", [1], bytes(4))]), r'holds no tensor "w"; it holds "u\\u001B\[1m", "v"'),
            (gguf_bytes([]), "the file holds no tensor")]:
            path = self.file("bad.gguf", data)
            with self.subTest(pattern):
                self.bad(2, "bad.gguf: .*(" + pattern + ")", "-a", "%s:w" % path, "-b", "%s:w" % path)
        path = self.file("m.gguf", gguf_bytes([w, ("v", "F32", [1], bytes(4))], [nested, align[2]], alignment=64))
        self.bad(2, 'holds 2 tensors: pick one as FILE.gguf:NAME of "w", "v"', "-a", path, "-b", path)
        self.good("-a", "%s:w" % path, "-b", "%s:w" % path, *FAST)
        self.bad(2, "c.gguf: .gguf files are only read: use .npy or .safetensors", "-a", "%s:w" % path, "-b", "%s:w" % path, "-o", self.folder / "c.gguf")


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
        verdict = json.loads(self.good("-a", a, "-b", b, "-c", c, "--beta", 1, "--verify", "freivalds", "--json", *FAST))["verify"]
        self.assertEqual((verdict["method"], verdict["passed"], verdict["infinities"]), ("freivalds", True, sum(x < 0 for line in mask for x in line)))


cli.main()
