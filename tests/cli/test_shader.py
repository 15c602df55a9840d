#!/usr/bin/env python3
"""The example of the manual, and shaders that break its contract."""
import array
import json
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import cli
from cli import FAST

EXAMPLE = cli.ROOT / "doc" / "example.comp"


class Shader(cli.Case):
    def shader(self, *changes):
        text = EXAMPLE.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.file("mine.comp", text.encode())

    def wrong(self, pattern, shader, *options):
        """The user's row is wrong and has no speed, the built-in one beside it is right."""
        out = self.folder / "c.npy"
        done = cli.run("--shader", shader, "--size", "40x30x20", "--json", "-o", out, *options, *FAST)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, pattern)
        mine, theirs = (json.loads(line) for line in done.stdout.splitlines())
        self.assertEqual((mine["verify"]["passed"], mine["gflops"], mine["time"]), (False, None, None))
        self.assertEqual((theirs["verify"]["passed"], theirs["kernel"]["shader"]), (True, None))
        self.assertFalse(out.exists())
        return mine

    def pairs(self, count, shader, *words):
        """For each size, the user's row and the built-in one's. All are right."""
        rows = [json.loads(line) for line in self.good("--shader", shader, *words, "--tile", "8x4", "--json", *FAST).splitlines()]
        self.assertEqual([row["verify"]["passed"] for row in rows], [True] * 2 * count)
        return list(zip(rows[::2], rows[1::2]))

    def test_example(self):
        for kind in ["f32", "i32", "u32"]:
            for mine, theirs in self.pairs(5, EXAMPLE, "--size", "40x30x20,1,65,0x4x4,7x3x0", "--type", kind, "--kernel", "tiled"):
                self.assertEqual((mine["kernel"]["tile"], theirs["kernel"]["name"]), ([8, 4], "tiled"))
                self.assertEqual((mine["kernel"]["shader"], theirs["kernel"]["shader"]), (str(EXAMPLE), None))
        self.assertIn("example.comp", self.good("--shader", EXAMPLE, "--size", "9", *FAST))

    def test_wrong_element(self):
        mine = self.wrong("wrong result: ", self.shader(("C[row * N + col] = sum;", "C[row * N + col] = row == 5 && col == 7 ? sum + T(1) : sum;")))
        self.assertRegex(mine["verify"]["sentence"], r"\b5\b.*\b7\b")
        done = cli.run("--shader", self.folder / "mine.comp", "--size", "40x30x20", "--junit", *FAST)
        cases = xml.etree.ElementTree.fromstring(done.stdout).findall("testsuite/testcase")
        self.assertEqual((done.returncode, [case.find("failure") is not None for case in cases]), (1, [True, False]))
        self.assertRegex(cases[0].find("failure").get("message"), r"\b5\b.*\b7\b")

    def test_wrong_and_large(self):
        """What is written while it is verified gets no name if it is wrong."""
        shader = self.shader(("C[row * N + col] = sum;", "C[row * N + col] = row == 5 && col == 7 ? sum + T(1) : sum;"))
        done = cli.run("--shader", shader, "--size", "1100x1000x8", "-o", self.folder / "c.npy", *FAST)
        self.assertEqual((done.returncode, os.listdir(self.folder)), (1, ["mine.comp"]), done.stderr)

    def test_missing_element(self):
        shader = self.shader(("if (row >= M || col >= N)", "if (row >= M || col >= N || row == 39)"))
        for kind in ["f32", "i32", "u32"]:
            self.wrong(r"wrong result: C\[39\]\[\d+\] was never written, should be -?\d", shader, "--type", kind)

    def test_outside(self):
        """Guard bands are bound with C, unless the shader asks how long C is; then C alone."""
        store = "    C[row * N + col] = sum;"
        stray = self.shader((store, store + " if (row == M - 1) C[M * N + col] = sum;"))
        self.wrong(r"the kernel user wrote outside C: 480\d bytes from its start, C has 4800 bytes; wrong result: ", stray)
        done = cli.run("--shader", stray, "--size", "64", "--memory-limit", "40KiB", *FAST)
        self.assertEqual((done.returncode, "wrote outside a panel of C" in done.stderr), (1, True), done.stderr)
        asks = self.shader((store, store + " if (C.length() > M * N) C[M * N] = sum;"))
        self.good("--shader", asks, "--size", "40x30x20", *FAST)
        read = ("sum += A[row * K + k] * B[k * N + col];", "sum += A[row * K + k] * B[k * N + col]; if (row == M - 1) sum += A[M * K];")
        self.wrong(r"wrong result: C\[39\]", self.shader(read))

    def test_changing_product(self):
        """Right in the first run, where C holds the canary, and in no other."""
        store = "C[row * N + col] = sum;"
        shader = self.shader(("writeonly buffer", "buffer"), (store, "if (floatBitsToUint(C[row * N + col]) != 0xffffdeadu) sum += 1.0; " + store))
        done = cli.run("--shader", shader, "--size", "40x30x20", "--json", *FAST)
        self.assertEqual((done.returncode, done.stderr), (1, "vkmatmul: wrong result: the product differs between runs\n"))
        mine, theirs = (json.loads(line) for line in done.stdout.splitlines())
        self.assertEqual((mine["verify"]["passed"], mine["gflops"], theirs["verify"]["passed"]), (False, None, True))

    def test_changed_inputs(self):
        shader = self.shader(("readonly buffer MatrixA", "buffer MatrixA"), ("return; // tiles hang over the edges", "{ A[0] = T(77); return; }"))
        done = cli.run("--shader", shader, "--size", "40x30x20", "--json", *FAST)
        self.assertEqual(done.returncode, 1 if "the kernel changed its inputs" in done.stderr else 0)

    def test_plain_products_alone(self):
        for words in ["--beta 2", "--transposeA T", "--batch_count 2", "--layout col", "--ldc 99", "--bias_vector", "--activation relu"]:
            done = cli.run("--shader", EXAMPLE, "--size", "8", *words.split(), "--json", *FAST)
            self.assertEqual(done.returncode, 4, words)
            self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]* computes only plain products[^\n]*\n\Z", words)
            self.assertTrue(json.loads(done.stdout)["verify"]["passed"], words)  # the built-in kernel's row

    def test_types(self):
        for kind in ["f16", "bf16", "i8", "u8"]:
            self.bad(2, "--shader supports f32, f64, i32 and u32; --type says " + kind, "--shader", EXAMPLE, "--size", "8", "--type", kind)

    def test_errors_name_the_line(self):
        shader = self.shader(("T sum = T(0);", "T sum = nonsense;"))
        line = 1 + shader.read_text().split("nonsense")[0].count("\n")
        done = cli.run("--shader", shader, "--size", "4", *FAST)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("mine.comp:%d: error:" % line, done.stderr)

    def compiled(self, name, *changes, target="vulkan1.1"):
        """SPIR-V of the example, by the compiler that the build has anyway."""
        path = self.folder / name
        done = subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", target, "-DT=float", "-o", path, self.shader(*changes)],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return path

    can_validate = None

    def spirv(self, *arguments):
        """The same, for tests that end here where this build can load no SPIRV-Tools."""
        path = self.compiled(*arguments)
        if Shader.can_validate is None:
            done = cli.run("--shader", path, "--size", "1", *FAST)
            Shader.can_validate = "libSPIRV-Tools-shared.so" not in done.stderr
        if not Shader.can_validate:
            self.skipTest("no SPIRV-Tools")
        return path

    def test_spirv(self):
        for mine, _ in self.pairs(4, self.spirv("mine.spv"), "--size", "40x30x20,65,0x4x4,7x3x0"):
            self.assertTrue(mine["kernel"]["shader"].endswith("mine.spv"))
        self.wrong("wrong result: ", self.spirv("wrong.spv", ("C[row * N + col] = sum;", "C[row * N + col] = row == 5 ? sum + T(1) : sum;")))

    def test_spirv_that_is_broken(self):
        words = array.array("I", self.spirv("mine.spv").read_bytes())
        def bad(pattern, data, code=2):
            self.bad(code, pattern, "--shader", self.file("bad.spv", bytes(data)), "--size", "8", *FAST)

        bad("it has 0 bytes", b"")
        bad("it has 203 bytes", words.tobytes()[:203])
        for data in [b"#version 450\nvoid main() { }", words[:len(words) - 3], array.array("I", [7]) + words[1:],
                     words[:1] + array.array("I", [0x20000]) + words[2:], words[:10]]:
            bad("bad.spv is not valid SPIR-V: .", data)
        other = array.array("I", words)
        other.byteswap()
        bad("not SPIR-V in this machine's byte order|is not valid SPIR-V", other)

    def test_contract(self):
        for pattern, old, new in [
                ("a buffer at set 1, binding 2", "set = 0, binding = 2", "set = 1, binding = 2"),
                ("a buffer at set 0, binding 7", "set = 0, binding = 2", "set = 0, binding = 7"),
                ("push constants of 16 bytes", "uint M, N, K;", "uint M, N, K, more;"),
                ("not a single storage buffer", "layout(push_constant) uniform Problem", "layout(set = 0, binding = 2) uniform Problem")]:
            self.bad(2, pattern, "--shader", self.shader((old, new)), "--size", "8", *FAST)
            self.bad(2, pattern, "--shader", self.spirv("bad.spv", (old, new)), "--size", "8", *FAST)

    def test_more_than_a_device_has(self):
        shared = self.spirv("shared.spv", ("void element(", "shared T lots[ROWS * 4000000u];\nvoid element("), ("C[row * N + col] = sum;", "lots[col] = sum; C[row * N + col] = lots[col];"))
        large = self.spirv("large.spv", ("local_size_x_id = 0, local_size_y_id = 1", "local_size_x = 1024, local_size_y = 1024"))
        whole = self.spirv("int64.spv", ("#version 450", "#version 450\n#extension GL_ARB_gpu_shader_int64 : require"), ("T sum = T(0);", "T sum = T(uint64_t(K) - uint64_t(K));"))
        for pattern, shader in [("bytes of shared memory", shared), ("a workgroup of 1024x1024x1", large), ("the capability Int64", whole)]:
            done = cli.run("--shader", shader, "--size", "8", "--json", *FAST)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, pattern)

    def test_fixed_workgroup(self):
        """A workgroup that ignores the tile: wasteful ones are refused, others judged by their products."""
        constants = "local_size_x_id = 0, local_size_y_id = 1"
        fixed = self.shader((constants, "local_size_x = 16, local_size_y = 8"))
        def mine(*words):
            done = cli.run("--shader", fixed, "--size", "40x30x20", "--json", *words, *FAST)
            return done, json.loads(done.stdout.splitlines()[0])

        done, theirs = mine("--tile", "4x8")
        self.assertEqual((done.returncode, theirs["kernel"]["shader"]), (4, None))
        self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*mine.comp fixes its workgroup at 16x8x1, more invocations than a tile of 4x8 "
                                      r"has elements; take a tile of 8x16, [^\n]*\n\Z")
        done, right = mine("--tile", "8x16")
        self.assertEqual((done.returncode, done.stderr, right["verify"]["passed"]), (0, "", True))
        done, wrong = mine("--tile", "16")
        self.assertEqual((done.returncode, wrong["verify"]["passed"], wrong["kernel"]["workgroup"]), (1, False, [16, 8, 1]))
        self.assertRegex(done.stderr, r"warning: [^\n]*mine.comp: its workgroup is 16x8x1 and the tile is 16x16; ")
        several = self.shader((constants, "local_size_x_id = 0"))
        self.assertEqual(cli.run("--shader", several, "--size", "4", "--tile", "1x4", *FAST).returncode, 0)

    def test_not_a_shader(self):
        for data in [b"", b"\0" * 100, b"#version", b"#version 110\nvoid main() {}\n", b"#version 450\n", bytes(range(256))]:
            done = cli.run("--shader", self.file("mine.comp", data), "--size", "4", *FAST)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)


class Compared(cli.Case):
    """Users' shaders as rows among the built-in kernels."""

    def shader(self, name, old, new):
        return self.file(name, EXAMPLE.read_text().replace(old, new).encode())

    def test_page(self):
        """`help shaders` fits on a page, and its example runs with its commands."""
        lines = self.good("help", "shaders").splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLess(max(map(len, lines)), 80)
        begin = next(i for i, line in enumerate(lines) if "#version" in line)
        mine = self.file("mine.comp", "\n".join(lines[begin:lines.index("  }") + 1]).encode())
        commands = [line.split("#")[0].split()[1:] for line in lines if line.startswith("  vkmatmul")]
        self.assertEqual([words[0] for words in commands], ["--shader", "ladder", "bench", "compare"])
        for words in commands[:2]:  # beside one kernel: what the others do does not depend on the shader
            kernel = [] if "--tile" in words else ["--kernel", "tiled"]
            self.good(*[mine if word == "mine.comp" else word for word in words], "--size", "33x20x9", *kernel)
        self.assertIn("shaders\t", self.good("help", "--candidates", "--", "help"))

    def test_several(self):
        other = self.shader("other.comp", "T sum = T(0)", "T sum = T(0) + T(0)")
        rows = [json.loads(line) for line in self.good("--shader", EXAMPLE, "--shader", other, "--size", "9", "--json", *FAST).splitlines()]
        self.assertEqual([row["kernel"]["shader"] for row in rows], [str(EXAMPLE), str(other), None])
        self.bad(2, "a file named tiled would look like", "bench", "--shader", self.folder / "tiled")
        self.bad(2, "two files are named example.comp", "--shader", EXAMPLE, "--shader", self.folder / "example.comp")

    def test_what_a_shader_resembles(self):
        """By its shared memory, of any size, and the elements of C for each invocation."""
        line, text = "gl_LocalInvocationID.y", EXAMPLE.read_text()
        text = text.replace("void element(", "shared T tile[ROWS][DEPTH];\nvoid element(").replace("T sum = T(0);", f"tile[{line}][0] = T(0);\n    T sum = tile[{line}][0];")
        shared = self.file("shared.comp", text.encode())
        text = text.replace("local_size_y_id = 1", "local_size_y = 2").replace("element(i + ", "for (uint r = 0; r < ROWS; r += 2) element(i + r + ")
        tall = self.file("tall.comp", text.encode())
        for shader, tile, step in [(EXAMPLE, "16", "grouped"), (EXAMPLE, "1x64", "naive"), (shared, "16", "tiled"), (shared, "32", "tiled-32"), (tall, "16", "strip"), (tall, "64x16", "block")]:
            rows = json.loads(self.good("ladder", "--size", "64", "--kernel", "naive", "--type", "f32", "--shader", shader, "--tile", tile, "--json", *FAST))["rows"]
            self.assertEqual([row.get("resembles") for row in rows], [None, step], (shader, tile))
            self.assertIsNone(rows[0]["why"])  # a processor's reasons are others

    def test_ladder(self):
        """Steps in the order of --kernel, then the user's, for f32 alone unless --type is given."""
        words = ["ladder", "--size", "33x20x9", "--kernel", "tiled,auto", "--shader", EXAMPLE, "--tile", "4"]
        for types, own in [([], ["f32"]), (["--type", "i32"], ["i32"])]:
            rows = json.loads(self.good(*words, *types, "--json", *FAST))["rows"]
            steps = [(row["step"], row["kernel"]["shader"]) for row in rows]
            self.assertEqual(steps[-3:], [("1c 2c", None), ("fast", None), ("own", str(EXAMPLE))])
            self.assertEqual([row["type"] for row in rows if row["step"] == "own"], own)
            self.assertEqual((rows[-1]["verify"]["passed"], rows[-1]["kernel"]["tile"]), (True, [4, 4]))
            self.assertEqual({row["times_serial"] for row in rows}, {None})
        self.assertRegex(self.good(*words, *FAST), r"(?ms)^own    example\.comp  4×4 .*^       resembles grouped, .*^example\.comp  ")
        wrong = self.shader("wrong.comp", "sum += A[", "sum -= A[")
        done = cli.run("ladder", "--size", "9", "--kernel", "tiled", "--shader", wrong, "--json", *FAST)
        self.assertEqual((done.returncode, [row["verify"]["passed"] for row in json.loads(done.stdout)["rows"]]), (1, [True, True, False]))
        done = cli.run("ladder", "--size", "9", "--shader", self.file("bad.comp", b"#version 450\nvoid main( {}\n"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"bad\.comp:2: error")

    def test_lists(self):
        for command in ["ladder", "bench", "compare"]:
            self.bad(2, "--kernel takes one of .*, not 'tild'; did you mean 'tiled'", command, "--kernel", "naive,tild")
            self.bad(2, "--kernel lists naive twice", command, "--kernel", "naive,naive")

    def test_bench(self):
        """Rows for each kernel and shader; other problems than plain ones, and other types, have only general kernels."""
        suite = self.file("suite", b"-s 9\n-s 8 --beta 1\n-s 7 --kernel grouped\n")
        words = ["bench", "--no-host", "--budget", "20s", "--max-noise", "90", "--json", "--suite", suite, "--shader", EXAMPLE]
        for more, asked in [([], ["auto", "example.comp", "auto", "grouped"]),
                            (["--kernel", "naive,cpu", "--type", "i32"], ["naive", "cpu", "example.comp", "cpu"])]:
            rows = json.loads(self.good(*words, *more))["rows"]
            self.assertEqual([(row["asked"], row["verify"]["passed"]) for row in rows], [(name, True) for name in asked])
            self.assertEqual([row["kernel"]["name"] for row in rows if row["asked"] == "example.comp"], ["example.comp"] * asked.count("example.comp"))
        self.bad(2, "has no problem for the kernels", "bench", "--suite", self.file("own", b"-s 7 --kernel tiled\n"), "--kernel", "naive")
        self.bad(2, "--shader supports f32, f64, i32 and u32; --type says f16", *words, "--type", "f16")
        self.bad(2, "is not valid UTF-8", "bench", "--shader", "\udcff.comp")


class Missing(cli.Case):
    def test_sentence(self):
        self.bad(4, "libshaderc", "--shader", EXAMPLE, "--size", "4", *FAST)


cli.program = os.path.abspath(sys.argv[1])
if cli.run("--shader", EXAMPLE, "--size", "4", *FAST).returncode == 4:
    print("libshaderc is missing: only its message is tested")
    del Shader, Compared
    Shader = unittest.skip("no libshaderc")(Missing)
    unittest.main(module="__main__", argv=["test_shader", "Missing"], exit=False)
    sys.exit(77)
del Missing
cli.main()
