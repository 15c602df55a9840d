#!/usr/bin/env python3
"""The whole meaning of the BLAS: C = alpha op(A) op(B) + beta C, leading dimensions, layouts, batches; with rocblas-bench's names."""
import json
import os
import random

import cli
from cli import FAST, npy_bytes, product, read_npy

GENERAL = ["blocked", "skinny", "cpu"]
WRAP = {"<i4": lambda x: (x + 2**31) % 2**32 - 2**31, "<u4": lambda x: x % 2**32, "<f4": float, "<f8": float}

# arguments, exit code, what the sentence must say
WORDS = [
    ("--transposeA", 2, "--transposeA needs an argument: OP"),
    ("--transposeA X", 2, "--transposeA takes N or T .*not 'X'"),
    ("--layout diagonal", 2, "--layout takes one of row, col, not 'diagonal'"),
    ("--lda 0", 2, "--lda takes a whole number from 1 to 9223372036854775807, not '0'"),
    ("--lda 4 --size 5", 2, "leading dimension of A is 4; its stored rows have 5 elements"),
    ("--alpha 1x", 2, "--alpha takes a decimal number, not '1x'"),
    ("--alpha 0x10", 2, "not '0x10'"),
    ("--beta 1e999", 2, "--beta takes a decimal number up to 1.79769e[+]308, not '1e999'"),
    ("--alpha 0.5 --type i32 --size 4", 2, "alpha is 0.5; with type i32 it must be a whole number from -2147483648 to 4294967295"),
    ("--batch_count 0", 2, "--batch_count takes a whole number from 1 to 4294967295, not '0'"),
    ("--batch_count 4294967295 --size 65536", 2, "do not fit in 63 bits"),
    ("--stride_a -1", 2, "--stride_a takes a whole number from 0 to 9223372036854775807, not '-1'"),
    ("--offset-c 1e3", 2, "--offset-c takes a whole number"),
    ("-f trsm", 2, "--function takes one of gemm, gemm_ex, gemm_strided_batched, gemm_strided_batched_ex, not 'trsm'"),
    ("-r f32_r --a_type f16_r", 2, "--a_type says f16, but an earlier option says f32: A and B have the same type here"),
    ("--a_type i8_r --b_type u8_r", 2, "--b_type says u8, but an earlier option says i8"),
    ("--ldc 9 --ldd 8", 2, "--ldd says 8, but an earlier option says 9: C and D are the same matrix here"),
    ("--stride_c 64 --stride_d 0", 2, "--stride_d says 0, but an earlier option says 64: C and D are the same matrix"),
    ("--initialization trig_float", 2, "takes one of uniform, rand_int, ones, index, zero, not 'trig_float'"),
    ("-v 2", 2, "--verify takes one of auto, full, freivalds, none, not '2'"),
    ("--algo 0", 2, "unknown option --algo"),
    ("--kernel tiled --transposeA T --size 4", 4, "the kernel tiled computes only plain products"),
    ("--kernel tiled --pack-b --size 4", 4, "the kernel tiled cannot pack operands; general kernels, such as blocked, can"),
    ("--kernel tiled --config rows=64", 2, "the kernel tiled has none"),
    ("--kernel blocked --config rosw=64 --size 4", 2, "rosw"),
    ("--kernel blocked --config rows=x --size 4", 2, "the tunable rows takes a whole number"),
    ("--config rows", 2, "--config takes tunables such as rows=64,cols=64, not 'rows'"),
    ("--config", 2, "--config needs an argument: TUNABLES"),
    ("-c c.npy", 2, "-c needs -a and -b"),
    ("-a a.npy -b b.npy -c c.npy", 2, "-c is the C that --beta multiplies"),
    ("-a a.npy -b b.npy -c c.npy --beta 0", 2, "-c is the C that --beta multiplies"),
    ("trace --kernel blocked", 2, "--kernel takes one of auto, serial, strided, naive, .*, not 'blocked'; did you mean 'block'"),
]


def flat(option, value):
    return [] if value is None else [option, str(value)]


def transposed(rows):
    return [list(row) for row in zip(*rows)]


class Refusals(cli.Case):
    def test_words(self):
        for words, code, pattern in WORDS:
            with self.subTest(words):
                self.bad(code, pattern, *words.split(), cwd=self.folder)
                self.assertEqual(os.listdir(self.folder), [])

    def test_products_before_the_refused_one(self):
        for words, key, done_before, sentence in [
                (["--size", "4", "--type", "f32,i32", "--beta", "0.5"], "type", ["f32"], r"beta is 0.5; with type i32 [^\n]*"),
                (["--size", "8,9,7", "--lda", "8"], "m", [8, 7], "the leading dimension of A is 8; its stored rows have 9 elements")]:
            done = cli.run(*words, "--json", *FAST)
            self.assertEqual((done.returncode, [json.loads(line)["problem"][key] for line in done.stdout.splitlines()]), (2, done_before))
            self.assertRegex(done.stderr, r"\Avkmatmul: %s\n\Z" % sentence)

    def test_files(self):
        for name, rows, dtype in [("a", [[1.0] * 3] * 2, "<f4"), ("b", [[1.0] * 2] * 3, "<f4"), ("c", [[1.0] * 2] * 3, "<f4"),
                                  ("i", [[1, 1], [1, 1]], "<i4")]:
            self.file(name, npy_bytes(rows, dtype))
        for words, pattern in [("-a a -b b --transposeA T", r"multiply a \(3x2, transposed\) by b \(3x2\)"),
                               ("-a a -b b --transposeB T", r"multiply a \(2x3\) by b \(2x3, transposed\)"),
                               ("-a a -b b -c c --beta 2", "c is 3x2, and the product is 2x2"),
                               ("-a a -b b -c i --beta 2", "i holds i32, and C is f32: it must have C's type"),
                               ("-a a -b b -c missing --beta 2", "missing"),
                               ("-a a -b b --lda 2", "leading dimension of A is 2; its stored rows have 3 elements")]:
            with self.subTest(words):
                self.bad(2, pattern, *words.split(), cwd=self.folder)


class Products(cli.Case):
    """Against a model in whole numbers."""

    def setUp(self):
        super().setUp()
        self.types = ["<f4", "<i4", "<u4"] + (["<f8"] if " f64 i32" in self.good("devices") else [])

    def random_problem(self, rng):
        m, n, k = (rng.choice([0, 1, rng.randint(2, 40)]) if rng.random() < 0.2 else rng.randint(1, 40) for _ in range(3))
        dtype, layout, batch = rng.choice(self.types), rng.choice(["row", "col"]), rng.choice([1, 1, 3])
        transpose = {x: rng.choice("NT") for x in "ab"}
        transpose["c"] = "N"
        stored = {x: (shape if transpose[x] == "N" else shape[::-1]) for x, shape in {"a": (m, k), "b": (k, n), "c": (m, n)}.items()}
        alpha, beta = rng.choice([None, 1, 0, 3, -2 if dtype != "<u4" else 2]), rng.choice([None, None, 0, 1, 2])
        words = ["--transposeA", transpose["a"], "--transposeB", transpose["b"], "--layout", layout, *flat("--alpha", alpha)]
        words += [*flat("--beta", beta), "--batch_count", batch]
        for x in "abc":
            length = stored[x][1 if layout == "row" else 0]
            if rng.random() < 0.5:
                words += ["--ld" + x, max(1, length + rng.randint(0, 5))]
            if rng.random() < 0.3:
                words += ["--offset-" + x, rng.randint(0, 9)]
            if rng.random() < 0.3 and x != "c":
                words += ["--stride_" + x, rng.choice([0, 5000])]
            elif rng.random() < 0.3:
                words += ["--stride_c", 5000]
        return dtype, batch, stored, transpose, 1 if alpha is None else alpha, beta or 0, list(map(str, words))

    def check(self, rng, kernel, name):
        dtype, batch, stored, transpose, alpha, beta, words = self.random_problem(rng)
        low = 0 if dtype == "<u4" else -9
        matrix = {x: [[rng.randint(low, 9) for _ in range(cols)] for _ in range(rows)] for x, (rows, cols) in stored.items()}
        for x in "abc":
            self.file(x + ".npy", npy_bytes(matrix[x], dtype, fortran=rng.random() < 0.5, shape=stored[x]))
        words += ["-a", "a.npy", "-b", "b.npy", "-o", "o.npy", "--kernel", kernel, *(["-c", "c.npy"] if beta else [])]
        self.good(*words, "--quiet", *FAST, cwd=self.folder)
        m, n = stored["c"]
        left, right = (matrix[x] if transpose[x] == "N" else transposed(matrix[x]) for x in "ab")
        plain = product(left, right) if m and n and stored["a"][0] and stored["a"][1] else [[0] * n for _ in range(m)]
        want = [[WRAP[dtype](alpha * x + beta * y) for x, y in zip(*lines)] for lines in zip(plain, matrix["c"])]
        got = read_npy(self.folder / "o.npy")
        self.assertEqual(got, (dtype, [want] * batch if batch > 1 else want), "%s: %s" % (name, " ".join(words)))

    def test_random_problems(self):
        seed = int(os.environ.get("VKMM_TEST_SEED", 1))
        rng = random.Random(seed)
        for kernel in (["auto"] + GENERAL) * 2:
            self.check(rng, kernel, "VKMM_TEST_SEED=%d" % seed)

    def saved(self, *words):
        path = self.folder / "o.npy"
        self.good(*words, "-o", path, "--quiet", *FAST)
        return read_npy(path)

    def test_storage_does_not_matter(self):
        """The same seed gives the same product, however its matrices lie."""
        same = ["--kernel", "blocked", "-m", "9", "-n", "12", "-k", "7", "--type", "i32", "--batch_count", "2", "--alpha", "3", "--beta", "2"]
        wanted = self.saved(*same)
        self.assertNotEqual(wanted[1][0], wanted[1][1])
        for a, b, layout in ("N", "N", "row"), ("N", "t", "col"), ("T", "N", "col"), ("T", "t", "row"):  # every pair of values
            more = ["--transposeA", a, "--transposeB", b, "--layout", layout, "--lda", "13", "--ldb", "14", "--ldc", "15"]
            more += ["--offset-a", "1", "--offset-b", "2", "--offset-c", "3", "--stride-a", "300", "--stride-c", "200"]
            self.assertEqual(self.saved(*same, *more), wanted, more)
        self.assertNotEqual(self.saved(*same, "--seed", "2"), wanted)

    def test_strides_of_nothing_repeat(self):
        both = self.saved("--size", "6", "--batch_count", "3", "--stride_a", "0", "--stride_b", "0", "--type", "u32")[1]
        self.assertEqual(both[0], both[1])
        self.assertEqual(both[0], both[2])
        self.assertEqual(both[0], self.saved("--size", "6", "--type", "u32")[1])
        one = self.saved("--size", "6", "--batch_count", "2", "--stride_a", "0", "--type", "u32")[1]
        self.assertEqual(one[0], both[0])
        self.assertNotEqual(one[0], one[1])

    def test_a_line_for_rocblas_bench(self):
        """As rocBLAS prints it: column-major, verified, with so many samples of whole numbers."""
        types = "-r f32_r --a_type f32_r --b_type f32_r --c_type f32_r --d_type f32_r --compute_type f32_r"
        gemm = "-f gemm %s --transposeA N --transposeB T -m 24 -n 20 -k 12 --alpha 1 --lda 25 --ldb 20 --beta 2 --ldc 24 --ldd 24 -v 1" % types
        batch = "-f gemm_strided_batched_ex %s -m 8 -n 9 -k 7 --batch_count 3 --stride_a 56 --stride_b 63 --stride_c 72 --stride_d 72 --verify 1" % types
        for line, shape in (gemm, (24, 20, 12, "N", "T", 25, 20, 24)), (batch, (8, 9, 7, "N", "N", 8, 7, 8)):
            row = json.loads(self.good(*line.split(), "--initialization", "rand_int", "-i", "10", "-j", "2", "--json", "--samples"))
            problem = row["problem"]
            self.assertEqual(tuple(problem[key] for key in ("m", "n", "k", "transpose_a", "transpose_b", "lda", "ldb", "ldc")), shape)
            self.assertEqual((problem["layout"], problem["init"], row["verify"]["passed"]), ("col", "int", True))
            self.assertEqual(len(row["time"]["kernel_ms"]["samples"]), 10)
        self.assertEqual(json.loads(self.good(*gemm.split(), "--layout", "row", "--lda", "12", "--ldb", "12", "--ldc", "20", "--json", *FAST))["problem"]["layout"], "row")
        self.assertIn("column-major", self.good(*gemm.split(), *FAST))

    def test_ways_to_write_it(self):
        wanted = self.saved("--size", "8", "--type", "f32", "--transposeA", "T", "--batch_count", "2", "--stride_b", "0", "--offset-a", "4")
        for words in ["-r f32_r --transposeA c --batch-count 2 --stride-b 0 --offset_a 4", "--precision f32 --transposeA C --batch_count 2 --stride_b=0",
                      "--type f32_r --transposeA t --batch_count=2 --stride-b=0 --cold_iters 0 --min_time 1ms --no_cache"]:
            self.assertEqual(self.saved("-m", "8", "-n", "8", "-k", "8", *words.split()), wanted, words)
        for number in ["2.5", "+2.5", "25e-1", ".25E+1", "2.50"]:
            self.assertIn("alpha 2.5\n", self.good("--size", "4", "--alpha", number, *FAST))

    def test_nothing_to_multiply(self):
        for words in ["--size 0", "-m 0 -n 5 -k 5", "--size 5x0x5", "-m 5 -n 5 -k 0", "-m 5 -n 5 -k 0 --beta 2", "--size 5 --alpha 0", "--size 5 --alpha 0 --beta 3",
                      "--size 0 --batch_count 5 --layout col --transposeA T"]:
            result = json.loads(self.good(*words.split(), "--json", *FAST))
            self.assertEqual((result["verify"]["passed"], result["gflops"], result["time"]), (True, None, None), words)

    def test_print(self):
        text = self.good(*"-m 2 -n 2 -k 2 --init ones --type i32 --alpha 2 --beta 3 --transposeA T --layout col --print".split(), *FAST)
        self.assertIn("Aᵀ (2×2)\n  1  1\n  1  1\n\nB (2×2)\n  1  1\n  1  1\n\nC before (2×2)\n  1  1\n  1  1\n\nC (2×2)\n  7  7\n  7  7\n", text)
        self.assertIn("\nC (1×1)\n  7\n", self.good(*"-m 1 -n 1 -k 4 --init ones --beta 3 --print".split(), *FAST))
        self.assertIn("\nC (1×1)\n  8\n", self.good(*"-m 1 -n 1 -k 4 --init ones --alpha 2 --print".split(), *FAST))
        text = self.good("--size", "2", "--init", "ones", "--batch_count", "9", "--print", *FAST)
        self.assertEqual([text.count("A, matrix %d of 9" % i) for i in (1, 4, 5)], [1, 1, 0])
        self.assertIn("A · B, matrix 1 of 9 (2×2)\n  2  2\n", text)


class Reports(cli.Case):
    WORDS = "-m 10 -n 12 -k 14 --type i32 --transposeB T --lda 20 --offset-b 3 --batch_count 4 --stride_a 0 --alpha 4294967295 --beta 2".split()
    MEANING = {"layout": "row", "transpose_a": "N", "transpose_b": "T", "lda": 20, "ldb": 14, "ldc": 12, "offset_a": 0, "offset_b": 3,
               "offset_c": 0, "batch_count": 4, "stride_a": 0, "stride_b": 168, "stride_c": 120, "alpha": 4294967295, "beta": 2}

    def one(self, *words):
        return json.loads(self.good(*words, "--json", *FAST))

    def test_json(self):
        result = self.one(*self.WORDS)
        self.assertEqual(result["schema"], "vkmatmul.run/1")
        self.assertLessEqual(self.MEANING.items(), result["problem"].items())
        speed = 2 * 10 * 12 * 14 * 4 / result["time"]["kernel_ms"]["median"] * 1e-6
        self.assertAlmostEqual(result["gflops"], speed, delta=speed * 1e-5)
        kernel = result["kernel"]
        self.assertIn("rows=%d" % kernel["tile"][0], kernel["config"])
        self.assertGreaterEqual(kernel["items"], 4)
        self.assertGreaterEqual(kernel["splits"], 1)
        self.assertEqual(kernel["workspace_bytes"] > 0, kernel["splits"] > 1)
        plain = self.one("--size", "9x8x7", "--kernel", "tiled")
        packed = {"layout": "row", "transpose_a": "N", "lda": 7, "ldb": 8, "ldc": 8, "batch_count": 1, "stride_c": 0, "alpha": 1, "beta": 0}
        self.assertLessEqual(packed.items(), plain["problem"].items())
        self.assertEqual([plain["kernel"][key] for key in ("config", "tuned", "splits", "items", "workspace_bytes")], [None, False, 0, 0, 0])
        self.assertEqual(self.one("--size", "4", "--layout", "col", "--alpha", "0.1")["problem"]["alpha"], 0.1)

    def test_csv(self):
        row = cli.table(self.good(*self.WORDS, "--csv", *FAST))[0]
        self.assertEqual({key: row[key] for key in self.MEANING}, {key: str(value) for key, value in self.MEANING.items()})
        self.assertRegex(row["config"], "rows=")

    def test_table(self):
        text = self.good(*self.WORDS, *FAST)
        self.assertIn("\nlda 20, stride_a 0, offset_b 3, alpha 4294967295, beta 2\n", text)
        self.assertIn("\n10×12×14 NT ×4  i32 ", text)
        plain = self.good("--size", "5,6", *FAST)
        self.assertEqual(len([line for line in plain.splitlines() if not line.startswith("~")]), 4, plain)
        ascii_text = self.good(*self.WORDS, "--layout", "col", "--ldb", "12", *FAST, env={"LC_ALL": "C"})
        self.assertIn("\ncolumn-major, lda 20, ", ascii_text)
        self.assertIn("\n10x12x14 NT x4  i32 ", ascii_text)
        self.assertTrue("\n".join(ascii_text.splitlines()[1:]).isascii())

    def test_config(self):
        for kernel in GENERAL:
            config = self.one("--size", "64", "--kernel", kernel)["kernel"]["config"]
            self.assertEqual(self.one("--size", "64", "--kernel", kernel, "--config", config)["kernel"]["config"], config)
            some = ",".join(config.split(",")[::-1][:2])
            self.assertEqual(self.one("--size", "64", "--kernel", kernel, "--config", some, "--untuned")["kernel"]["config"], config)
            changed = self.one("--size", "64", "--kernel", kernel, "--config", "splits=2")["kernel"]["config"]
            self.assertEqual((config.count("splits=1"), changed), (1, config.replace("splits=1", "splits=2")))

    def test_pack_b(self):
        for words in ["--type", "f32", "--size", "33x17x29"], ["--type", "i8", "--size", "40", "--transposeB", "T"], \
                ["--type", "f16", "--size", "31", "--layout", "col", "--batch_count", "2"], ["--type", "f32", "--size", "8x8x0"]:
            row = self.one(*words, "--pack-b", *FAST)
            problem, kernel = row["problem"], row["kernel"]
            self.assertTrue(row["verify"]["passed"])
            least = problem["n"] * problem["k"] * problem["batch_count"] * {"f32": 4, "f16": 2, "i8": 1}[problem["type"]]
            self.assertEqual((kernel["packed_bytes"] >= least, kernel["packed_bytes"] > 0), (True, least > 0))
            self.assertGreaterEqual(kernel["workspace_bytes"], kernel["packed_bytes"])
            self.assertEqual(self.one(*words, *FAST)["kernel"]["packed_bytes"], 0)
        row = self.one("--size", "256", "--memory-limit", "768KiB", "--pack-b", *FAST)
        self.assertEqual((row["verify"]["passed"], row["panels"]["col_panels"]), (True, 4))

    def test_a_tile_means_tiled(self):
        for words in [], ["--kernel", "auto"]:
            self.assertEqual(self.one("--size", "64", "--tile", "8", *words, *FAST)["kernel"]["name"], "tiled")

cli.main()
