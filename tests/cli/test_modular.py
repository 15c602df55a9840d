#!/usr/bin/env python3
"""Products as residues, against exact integers: --compute modular and reproducible, and f64 on devices without it."""
import json
import math
import random
import re
import struct
from fractions import Fraction

import cli
from cli import FAST, npy_bytes, read_npy

UNIT = 2.0 ** -53


def bits_of(value):
    return struct.pack("<d", value)


def nearest(value):
    """The f64 nearest to a Fraction."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_tie(value):
    """Whether a Fraction lies half way between two f64."""
    other = 2 * value - Fraction(nearest(value))
    return other != value and math.nextafter(nearest(value), nearest(other)) == other


def exact(a, b):
    """Each element of the product, and the sum of the magnitudes of its terms."""
    one = Fraction(2) ** -1200  # of f64's range, but for what no test here has
    left, right = ([[int(Fraction(x) / one) for x in line] for line in lines] for lines in (a, zip(*b)))
    return [[(sum(x * y for x, y in zip(row, col)) * one * one, sum(abs(x * y) for x, y in zip(row, col)) * one * one)
             for col in right] for row in left]


def worst(product, of):
    """The largest error of a product's elements, in units of 2^-53 of the magnitudes of their terms."""
    return max(float(abs(Fraction(x) - value) / all) / UNIT for line, values in zip(product, of) for x, (value, all) in zip(line, values))


class Base(cli.Case):
    dtype = "<f8"

    def setUp(self):
        super().setUp()
        self.random = random.Random(7)
        self.devices = cli.devices()
        self.has_f64 = self.devices[0]["limits"]["f64"]

    def matrix(self, rows, cols, value):
        return [[value() for _ in range(cols)] for _ in range(rows)]

    def words(self, a, b, *options):
        for name, rows in ("a", a), ("b", b):
            self.file(name + ".npy", npy_bytes(rows, self.dtype))
        return ["-a", self.folder / "a.npy", "-b", self.folder / "b.npy", "-o", self.folder / "out.npy", "--force", *FAST, *options]

    def product(self, a, b, *options):
        """The product, and the number of moduli that it took."""
        words = self.words(a, b, *(options or ["--compute", "modular"]), "--json")
        done = cli.run(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.kernel, moduli = said["kernel"], said["kernel"]["moduli"]
        why = "differ by too much for 18 moduli: the product is computed in f64" if "modular" in words and moduli is None else r"\A\Z"
        self.assertRegex(done.stderr, why)
        self.assertEqual(said["problem"]["method"], "direct" if moduli is None else "modular")
        return read_npy(self.folder / "out.npy")[1], moduli

    def lognormal(self):
        return self.random.gauss(0, 1) * math.exp(2 * self.random.gauss(0, 1))

    def uniform(self):
        return self.random.uniform(-1, 1)

    def normal(self):
        return self.random.gauss(0, 1)

    def check_bound(self, name, a, b, *moduli):
        """Every element is within √K·2^-52·Σ|a||b|, and 2^-53 of itself; None: of f64, not of residues."""
        got, used = self.product(a, b)
        for line, values in zip(got, exact(a, b)):
            for x, (value, all) in zip(line, values):
                error, bound = abs(Fraction(x) - value), (Fraction(math.sqrt(len(b))) * 2 + 1) * Fraction(UNIT) * all
                self.assertLessEqual(error, bound, (name, used, float(error / all) / 2 / UNIT if all else x))
        if moduli:
            self.assertIn(used, moduli, name)


class Promise(Base):
    """Whole numbers, of which the moduli are chosen: no driver has a say in them."""

    def test_large_elements_meet_zeros(self):
        """Half of A is large where B is zero; rows of A see half of B, whose rows have two units."""
        k = 4096
        for scale in 30, 50:
            a = [[math.ldexp(self.uniform(), scale if i < k // 2 else 0) for i in range(k)] for _ in range(4)]
            self.check_bound(scale, a, [[self.uniform() if i >= k // 2 else 0.0 for _ in range(3)] for i in range(k)], None)
        k = 1024
        for unit, *moduli in (1.0, 15, 16, 17, 18), (1e3, 15, 16, 17, 18, None), (1e6, None), (1e12, None):
            a = [[self.uniform() if i * 8 // k == line else 0.0 for i in range(k)] for line in range(8)]
            self.check_bound(unit, a, [[unit ** (i * 2 // k) * self.normal() for _ in range(3)] for i in range(k)], *moduli)

    def test_structured_data(self):
        def sparse(share, value):
            return lambda: value() if self.random.random() < share else 0.0
        k, huge = 700, self.matrix(4, 700, self.uniform)
        huge[1] = [x * 1e200 for x in huge[1]]
        unit = [[1.0 if i == 31 * line else 0.0 for i in range(k)] for line in range(4)]
        mask = self.matrix(k, 3, lambda: self.random.choice((-1e9, 0.0, self.normal())))
        column = [[x * (1e30 if i == 3 else 1) for i, x in enumerate(line)] for line in huge[2:] * 2]
        beside = [[0.0 if i == 3 else self.uniform() for _ in range(3)] for i in range(k)]
        few = (15, 16, 17, 18)
        for name, a, b, *moduli in (
                ("uniform", self.matrix(4, k, self.uniform), self.matrix(k, 3, self.uniform), 15),
                ("normal", self.matrix(4, k, self.normal), self.matrix(k, 3, self.normal), 15),
                ("few terms", self.matrix(4, 3, self.normal), self.matrix(3, 3, self.normal)),
                ("lognormal", self.matrix(4, k, self.lognormal), self.matrix(k, 3, self.lognormal)),
                ("sparse", self.matrix(4, k, sparse(0.02, self.normal)), self.matrix(k, 3, sparse(0.02, self.normal))),
                ("relu", self.matrix(4, k, sparse(0.5, self.normal)), self.matrix(k, 3, self.normal), *few),
                ("mask", self.matrix(4, k, self.uniform), mask),
                ("huge row", huge, self.matrix(k, 3, self.uniform), 15),
                ("huge column", column, beside, None),
                ("permutation", unit, self.matrix(k, 3, lambda: self.lognormal() ** 5)),
                ("subnormal", self.matrix(4, k, lambda: math.ldexp(self.normal(), -1060)), self.matrix(k, 3, lambda: math.ldexp(self.normal(), 700)))):
            self.check_bound(name, a, b, *moduli)


class Everywhere(Base):
    def bits(self, a, b, *options):
        """Every bit of a product, by residues in words and in bytes."""
        found = []
        for kernel in "auto", "blocked":  # which has dot products of bytes, if the build has them
            got = self.product(a, b, "--compute", "modular", "--kernel", kernel, *options)[0]
            found.append([[bits_of(x) for x in line] for line in got])
            if self.devices[0]["type"] == "cpu":
                self.assertEqual(self.kernel["residues"], "i8" if self.kernel["dot8"] else "i32")
        self.assertEqual(*found)
        return found[0]

    def test_ties(self):
        """Sums half way between two f64 go to the even one, and those beside them to the nearest, with either sign."""
        sums = [2 ** 53 + n for n in range(1, 8, 2)] + [2 ** 54 - 1, 2 ** 54 + 1, 2 ** 54 + 2, 2 ** 54 + 5, 2 ** 54 + 6]
        sums += [n * 2 ** 7 + rest for n in (2 ** 53 + 1, 2 ** 53 + 3) for rest in (-1, 0, 1)]
        a = [[float(n >> 30), float(n % 2 ** 30)] for n in sums]
        for x in 0.5, 1.5, 2.5, 1, 0.75, 0.25, 0.5 + 2.0 ** -30, 1.5 - 2.0 ** -30:  # times the smallest f64
            a.append([math.ldexp(x, -80), 0.0])
        b = [[2.0 ** 30, -2.0 ** 30, 2.0 ** -994, -2.0 ** -994], [1.0, -1.0, 0.0, 0.0]]
        values = [[value for value, _ in line] for line in exact(a, b)]
        self.assertEqual([sum(map(is_tie, column)) for column in zip(*values)], [9, 9, 3, 3])
        self.assertEqual(self.bits(a, b), [[bits_of(nearest(value)) for value in line] for line in values])

    def test_ties_of_scalars(self):
        """α·x, and β·c + that, are rounded once each, half to even."""
        xs, old = [1.0, 1.0, 2.0 ** 53 - 2, 2.0 ** 53 - 6], [2.0 ** 53 + n for n in (0, 2, 4, 12)]
        for alpha, beta, ties in (3, -1, 4), (1, 1, 8):
            c = self.file("c.npy", npy_bytes([old, [-y for y in old]], "<f8"))
            scaled = [Fraction(alpha * sign) * Fraction(x) for sign in (1, -1) for x in xs]
            values = [Fraction(beta) * Fraction(y) + Fraction(nearest(x)) for x, y in zip(scaled, old + [-y for y in old])]
            self.assertEqual(sum(map(is_tie, scaled + values)), ties)
            got = self.bits([[1.0], [-1.0]], [xs], "--alpha", alpha, "--beta", beta, "-c", c)
            self.assertEqual(sum(got, []), [bits_of(nearest(value)) for value in values])

    def test_integers_and_range(self):
        """Sums below 2^53 are exact, and larger ones rounded once, however large or sparse the elements."""
        for k, most, one_of in (2100, 2 ** 20, 1), (90, 2 ** 53 - 1, 1), (900, 2 ** 53 - 1, 40):
            def value():
                return float(self.random.randint(-most, most)) if self.random.randrange(one_of) == 0 else 0.0
            a, b = self.matrix(3, k, value), self.matrix(k, 5, value)
            self.assertEqual(self.product(a, b)[0], [[nearest(value) for value, _ in line] for line in exact(a, b)])

    def test_what_residues_cannot_hold(self):
        """The f64 kernels compute it: in software on a device without 64-bit floats."""
        wide = [[math.ldexp(1 + self.random.random(), -5 * k) for k in range(60)] for _ in range(3)]
        other = [[math.ldexp(x, 5 * k) for x in row] for k, row in enumerate(self.matrix(60, 3, self.uniform))]
        for value, why in (math.inf, "infinities or NaNs"), (math.nan, "infinities or NaNs"), (None, "differ by too much for 18 moduli"):
            a = [row[:] for row in wide]
            if value is not None:
                a = self.matrix(3, 60, self.uniform)
                a[1][7] = value
            done = cli.run(*self.words(a, other, "--compute", "modular", "--quiet"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\A[^\n]*" + why + r"[^\n]*computed in f64[^\n]*\n\Z")
            self.assertNotIn("modular", done.stdout)
            got = [bits_of(x) for line in read_npy(self.folder / "out.npy")[1] for x in line]
            self.good(*self.words(a, other, "--quiet", "--kernel", "auto" if self.has_f64 else "soft64"))
            self.assertEqual(got, [bits_of(x) for line in read_npy(self.folder / "out.npy")[1] for x in line])

    def test_panels(self):
        """The device decides for each panel. Where residues do not hold it, f64 does, with the same promise."""
        k, wide = 16, self.matrix(240, 16, self.uniform)
        for row in wide[120:]:
            row[:] = [math.ldexp(1 + self.random.random(), -20 * i) for i in range(k)]
        other = [[math.ldexp(x, 20 * i) for x in row] for i, row in enumerate(self.matrix(k, 160, self.uniform))]
        for b, is_bounded in (self.matrix(k, 160, self.uniform), True), (other, True), ([[math.inf] * 160] + other[1:], False):
            said = json.loads(self.good(*self.words(wide, b, "--compute", "modular", "--memory-limit", "250kB", "--json")))
            self.assertGreater(said["panels"]["row_panels"] * said["panels"]["col_panels"], 1)
            self.assertEqual((said["panels"]["depth_panels"], said["kernel"]["moduli"]), (1, 15 if self.has_f64 else 18))
            got = read_npy(self.folder / "out.npy")[1]
            for line, values in zip(got[::8], exact(wide[::8], b) if is_bounded else []):
                for x, (value, all) in zip(line, values):
                    self.assertLessEqual(abs(Fraction(x) - value), (Fraction(math.sqrt(k)) * 2 + 1) * Fraction(UNIT) * all)
            if not is_bounded:
                self.assertEqual({x for line in got[120:] for x in line}, {math.inf})
        said = json.loads(self.good("-s", "240x160x16", "--type", "f64", "--memory-limit", "250kB", *FAST, "--json"))
        self.assertEqual(said["problem"]["method"], "direct" if self.has_f64 else "modular")

    def test_without_f64(self):
        """A device that has none computes f64 so by itself, and only then."""
        a, b = self.matrix(3, 50, self.uniform), self.matrix(50, 3, self.uniform)
        self.assertEqual(self.product(a, b, "--type", "f64")[1], None if self.has_f64 else 15)
        a, b = (self.matrix(*size, lambda: math.exp(self.normal())) for size in ((3, 700), (700, 3)))  # which need more moduli
        got, used = self.product(a, b)
        self.assertGreater(used, 15)
        if not self.has_f64:
            self.assertEqual(self.product(a, b, "--type", "f64"), (got, used))
            self.assertEqual(self.product(a, b, "--kernel", "blocked"), (got, used))
            self.bad(4, "no 64-bit floats", *self.words(a, b, "--kernel", "tiled"))
            self.bad(4, "no 64-bit floats", "--type", "f64", "--size", "16", "--tile", "8")  # which names that kernel
            self.bad(4, "lacks: 64-bit floats", "--type", "f64", "--size", "1x1x131072", "--kernel", "blocked")
            self.bad(4, "cannot apply gelu: software f64 has no exponential", "--type", "f64", "--size", "8", "--activation", "gelu")
            said = json.loads(self.good("--type", "f64", "--size", "1x2x131072", *FAST, "--json"))  # beyond residues
            self.assertEqual((said["problem"]["method"], said["kernel"]["name"], said["verify"]["passed"]), ("direct", "soft64", True))
            explained = json.loads(self.good("explain", "--size", "9", "--type", "f64", "--json"))
            self.assertEqual((explained["problem"]["method"], explained["planned"]["direct_ms"], explained["planned"]["faster"]), ("modular", None, "modular"))
        titles, *rows = [line for line in self.good("--size", "9", "--type", "f32,f64", *FAST).split("\n") if re.match("size|9", line)]
        at = titles.index("kernel")
        self.assertEqual([(row[at - 2:at], row[at] != " ") for row in rows], [("  ", True)] * 2, rows)


class Reproducible(Base):
    """--compute reproducible: a function of the operands alone (tests/lib/api/test_same_bits.c has the rest)."""
    type, unit, digits = "f64", 60, 53
    fewest, usual, most = 13, 16, 18  # moduli; usual: what suffices here

    def matrix(self, rows, cols, value):
        """Values of the type."""
        return [[self.nearest(Fraction(x)) for x in line] for line in super().matrix(rows, cols, value)]

    def nearest(self, value):
        """The float of the type that is nearest to a Fraction, half to even; not for subnormal ones."""
        power = value.numerator.bit_length() - value.denominator.bit_length() - self.digits
        power += abs(value) >= Fraction(2) ** (power + self.digits)
        return math.ldexp(round(value / Fraction(2) ** power), power)

    def product(self, a, b, *options):
        said = json.loads(self.good(*self.words(a, b, "--compute", "reproducible", *options, "--json")))
        self.assertEqual((said["problem"]["method"], said["verify"]["passed"]), ("reproducible", True))
        return read_npy(self.folder / "out.npy")[1], said["kernel"]["moduli"]

    def test_nearest(self):
        """Sums of elements that lose no bits in the units of their line are rounded once, whatever --moduli says."""
        fine = 2.0 ** (self.digits - 1)
        a = self.matrix(3, 200, lambda: 1 + self.random.random())
        b = self.matrix(200, 4, lambda: round(self.uniform() * fine) / fine)
        want = [[self.nearest(value) for value, _ in line] for line in exact(a, b)]
        for options, moduli in ((), range(self.fewest, self.usual + 1)), (("--moduli", self.fewest), range(self.fewest, self.usual + 1)), (("--moduli", self.most), [self.most]):
            got, used = self.product(a, b, *options)
            self.assertEqual(got, want)
            self.assertIn(used, moduli)
        a, b = self.matrix(120, 10, self.lognormal), self.matrix(10, 100, self.lognormal)
        want = self.product(a, b)[0]
        self.assertEqual(self.product(a, b, "--memory-limit", "100kB" if self.type == "f64" else "50kB"), (want, self.most))

    def test_units(self):
        """Smaller elements count in units of their line, within the bound, which the verification knows."""
        places = iter(range(10 ** 6))
        a = self.matrix(3, 90, lambda: math.ldexp(self.uniform(), -5 * (next(places) % 90 % 20)))
        b = self.matrix(90, 4, lambda: math.ldexp(self.uniform(), next(places) // 4 % 20 * 4))
        got, moduli = self.product(a, b)
        self.assertGreaterEqual(moduli, self.usual)
        self.assertEqual(self.product(a, b, "--moduli", self.fewest)[0], got)
        inexact = 0
        for line, row, values in zip(got, a, exact(a, b)):
            for x, col, (value, _) in zip(line, zip(*b), values):
                parts = (sum(map(abs, x)) * max(map(abs, y)) for x, y in ((row, col), (col, row)))
                bound = Fraction(sum(parts)) * Fraction(2) ** -(self.unit + 1) * (1 + Fraction(90, 2 ** self.unit)) + abs(Fraction(x)) / 2 ** self.digits
                self.assertLessEqual(abs(Fraction(x) - value), bound)
                inexact += x != self.nearest(value)
        self.assertGreater(inexact, 0)
        unit = 2.0 ** -self.unit
        lost = [[1.0, unit / 2, unit / 4], [1.0, -unit / 2, -unit]]  # half rounds away from zero
        self.assertEqual(self.product(lost, [[0.0], [1.0], [1.0]])[0], [[unit], [-2 * unit]])

    def test_not_finite(self):
        """A row or a column with an infinity or a NaN makes NaN, and nothing else is touched."""
        a, b = self.matrix(3, 60, self.uniform), self.matrix(60, 4, self.uniform)
        want = self.product(a, b)[0]
        a[1][7], b[9][2] = math.inf, math.nan
        for options in (), ("--activation", "relu"):
            got = self.product(a, b, *options)[0]
            for i, line in enumerate(got):
                for j, x in enumerate(line):
                    self.assertTrue(math.isnan(x) if i == 1 or j == 2 else x == (max(want[i][j], 0) if options else want[i][j]))

    def test_refused(self):
        words = ["--type", self.type, "--compute", "reproducible"]
        self.bad(4, "K is 131072; sums of residues fit into 32 bits up to 131071", *words, "--size", "1x1x131072")
        self.bad(4, "K is 131072; ", *words, "--size", "1x1x131072", "--memory-limit", "1MB")
        self.bad(4, "a modular product cannot apply gelu", *words, "--size", "8", "--activation", "gelu")
        self.bad(4, "tiled cannot multiply residues", *words, "--size", "8", "--kernel", "tiled")
        self.bad(2, "%u moduli; a modular product of %s takes %u to %u" % (self.fewest - 1 if self.fewest > 8 else 12, self.type, self.fewest, self.most),
                 *words, "--size", "8", "--moduli", self.fewest - 1 if self.fewest > 8 else 12)
        self.bad(2, "reproducible multiplies f64 or f32, with sums of the usual type; the types are bf16", "--compute", "reproducible", "--size", "8", "--type", "bf16")

    def test_explain(self):
        said = self.good("explain", "--type", self.type, "--compute", "reproducible", "--size", "64")
        self.assertRegex(said, r"64³ %s \(reproducible\): (.|\n)*products +(%s) of residues in i(8|32)" % (self.type, "1[15]" if self.type == "f64" else "8|10"))


class ReproducibleF32(Reproducible):
    type, dtype, unit, digits = "f32", "<f4", 31, 24
    fewest, usual, most = 8, 9, 11


class Arithmetic(Base):
    """Whole numbers in the shaders, which no driver has a say in."""

    def test_types_of_residues(self):
        """Words, of fewer and larger moduli, give every bit that bytes give: the integers are the same, and each sum is rounded once."""
        cpu = self.devices[0]["type"] == "cpu"
        for size, products, layout, *options in (("9x6x7", 11, "row"), ("9x6x2049", 12, "row", "--transposeB", "T", "--batch_count", "2"),
                                                 ("9x6x2048", 11, "col", "--transposeA", "T", "--bias_vector", "--beta", "0.5"),
                                                 ("3x2x33000", 15, "row", "--moduli", "15")):
            results = []
            for kernel in "auto", "blocked":  # which has dot products of bytes, if the build has them
                words = ["--type", "f64", "--compute", "modular", "--size", size, "--layout", layout, "--kernel", kernel, "-o", self.folder / "c.npy", "--force"]
                said = json.loads(self.good(*words, *options, *FAST, "--json"))
                self.assertTrue(said["verify"]["passed"])
                results.append((self.folder / "c.npy").read_bytes())
                if cpu:
                    self.assertEqual([said["kernel"][key] for key in ("moduli", "residues", "products")],
                                     [15, "i8", 15] if said["kernel"]["dot8"] else [15, "i32", products])
            self.assertEqual(*results, (size, options))

    def test_moduli_follow_from_what_is_counted(self):
        """A share of each line is about 1, and its last elements about 2^-small."""
        def lines(count, share, small, k=400):
            return [[self.random.uniform(1, 1.01) * (2.0 ** -small if i >= share * k else 1) for i in range(k)] for _ in range(count)]
        for (share, small), (other, other_small), moduli in (
                ((1, 0), (1, 0), 15),
                ((0.75, 40), (0.75, 40), 15),      # half of the terms are large: 2 + 1 bits
                ((0.55, 40), (0.55, 40), 15),      # a tenth: 2 + 3.3
                ((0.52, 40), (0.52, 40), 16),      # 2 + 4.6
                ((0.502, 40), (0.502, 40), 17),    # 2 + 8: no smaller share is seen
                ((0.5, 40), (0.5, 40), None),
                ((0.49, 40), (0.49, 5), 16),       # those of the second are within 2^-6: 1 + 6 + 1
                ((0.55, 2.5), (0.36, 40), 16),     # all within 2^-3 of the first's mean: 3 + 1 + 1.5
                ((0.03, 9.5), (0.5, 40), 17),      # all within 2^-9 of the first's mean: 9 + 1 + 1
                ((0.03, 9), (0.5, 13), 17),        # the second's elements are at least 2^-12.5 of its mean
                ((0.03, 15), (0.5, 15), 18)):
            a, b = lines(3, share, small), lines(2, other, other_small)
            self.check_bound((share, other), a, list(map(list, zip(*b))), moduli)

    def test_scaled_lines(self):
        a, b = self.matrix(5, 300, self.uniform), self.matrix(300, 6, self.uniform)
        plain = self.product(a, b)[0]
        rows, cols = ([self.random.randint(-60, 60) for _ in range(n)] for n in (5, 6))
        scaled = self.product([[math.ldexp(x, e) for x in row] for row, e in zip(a, rows)],
                              [[math.ldexp(x, e) for x, e in zip(row, cols)] for row in b])[0]
        self.assertEqual([[math.ldexp(x, e + f) for x, f in zip(row, cols)] for row, e in zip(plain, rows)], scaled)

    def test_more_moduli(self):
        """Each makes the error smaller by about four bits until f64 itself rounds."""
        a, b = self.matrix(5, 500, self.uniform), self.matrix(500, 6, self.uniform)
        of, errors = exact(a, b), []
        for moduli in 13, 14, 15, 18:
            got, used = self.product(a, b, "--compute", "modular", "--moduli", moduli)
            self.assertEqual(used, moduli)
            errors.append(worst(got, of))
        self.assertLess(errors[1], errors[0] / 4)
        self.assertLess(errors[2], errors[1] / 4)
        self.assertEqual(got, [[nearest(value) for value, _ in line] for line in of])

    def test_scalars(self):
        """α·x and β·c + y are rounded once each, also where they are subnormal or too large."""
        a, b = self.matrix(4, 30, self.uniform), self.matrix(30, 7, self.uniform)
        for alpha, beta, scale in (-2.5, 0.3, 0), (1, 1, -45), (1e-300, 3e-10, -1005), (1e-310, -1, -1035), (1, -1, 0), (1e308, 1e300, 40):
            old = self.matrix(4, 7, lambda: math.ldexp(self.uniform(), scale))
            if scale == 0 and alpha == 1:  # what is left of an addition that cancels
                old = [[nearest(value) * self.random.choice((1, 1 + 2 ** -52, 1 - 2 ** -53)) for value, _ in line] for line in exact(a, b)]
            c = self.file("c.npy", npy_bytes(old, "<f8"))
            got = self.product(a, b, "--compute", "modular", "--alpha", repr(alpha), "--beta", repr(beta), "-c", c)[0]
            for line, values, olds in zip(got, exact(a, b), old):
                for x, (value, _), before in zip(line, values, olds):
                    scaled = nearest(Fraction(alpha) * Fraction(nearest(value)))
                    want = nearest(Fraction(beta) * Fraction(before) + Fraction(scaled)) if math.isfinite(scaled) else scaled
                    self.assertEqual(bits_of(x), bits_of(want), (alpha, beta, value, before))

    def test_explain(self):
        said = self.good("explain", "--type", "f64", "--compute", "modular", "--size", "64")
        self.assertRegex(said, r"64³ f64 \(modular\): \w+")
        rows, cols = json.loads(self.good("explain", "--type", "f64", "--compute", "modular", "--size", "64", "--json"))["planned"]["tile"]
        self.assertIn("%.4g bytes per multiply-add" % (4 / rows + 4 / cols), said)  # of residues in words

    def test_refusals(self):
        size = ["--type", "f64", "--compute", "modular", "--size", "8", *FAST]
        self.bad(2, "13 to 18", *size, "--moduli", "12")
        self.bad(2, "moduli, 14, is for modular products", "--type", "f32", "--size", "8", "--moduli", "14", *FAST)
        self.bad(4, "cannot apply gelu", *size, "--activation", "gelu")
        self.bad(4, "packs its operands itself", *size, "--pack-b")
        done = cli.run("--type", "f64", "--compute", "modular", "--size", "1x1x131072", "--quiet", *FAST)  # as what needs too much memory
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\A[^\n]*K is 131072; [^\n]*131071: the product is computed in f64, not as residues\n\Z")
        self.bad(4, "soft64 shader for i8", *size, "--kernel", "soft64")


if __name__ == "__main__":
    cli.main()
