#!/usr/bin/env python3
"""Bad input: each case has its exit code, exactly one sentence, and leaves nothing behind."""
import json
import os
import pathlib
import subprocess

import cli
from cli import npy_bytes

# arguments, exit code, what the sentence must say
WORDS = [
    ("--size", 2, "--size needs an argument: SIZES"),
    ("--size 4294967295", 2, "bytes"),
    ("-m -1", 2, "-m takes a whole number from 0 to 4294967295, not '-1'"),
    ("-n 12abc", 2, "not '12abc'"),
    ("--tile 0", 2, "--tile takes T or RxC"),
    ("--tile 16x", 2, "not '16x'"),
    ("--tile 4x4x4", 2, "not '4x4x4'"),
    ("--tile 48 --size 64", 4, "48x48 needs 2304 invocations.* allows (256|1024) .*nearest legal"),
    ("--tile 4294967295 --size 64", 4, "nearest legal"),
    ("--kernel tild", 2, "did you mean 'tiled'"),
    ("--type f32,f32_r", 2, "lists f32 twice"),
    ("--type i32,", 2, "--type takes one of f32, .*, not ''"),
    ("--seed -1", 2, "--seed takes a whole number from 0 to 9007199254740991"),
    ("--iters 0", 2, "--iters takes a whole number from 1 to 1000000, not '0'"),
    ("--min-time nan", 2, "--min-time takes milliseconds"),
    ("--max-time 86401s", 2, "--max-time takes milliseconds"),
    ("--min-time 2s --max-time 1s", 2, r"--min-time \(2000 ms\) exceeds --max-time \(1000 ms\)"),
    ("--sise 5", 2, "unknown option --sise; did you mean --size"),
    ("--tlie=4", 2, "did you mean --tile"),
    ("--qwertyuiop", 2, "--help' lists them all"),
    ("--type f17", 2, "--type takes one of f32, f64, i32, u32, f16, bf16, i8, u8, e4m3, e5m2, not 'f17'; did you mean 'f16'"),
    ("--out-type i8", 2, "--out-type takes one of f16, bf16, f32, i32, u32, f64, not 'i8'"),
    ("--c_type i8_r", 2, "--c_type takes one of .*, not 'i8_r'"),
    ("--compute bf16", 2, "--compute takes one of f32, f16, i32, u32, f64, split, modular, .*, not 'bf16'"),
    ("--compute split --type f16 --size 4", 2, "split multiplies f32, with sums of the usual type; the types are f16"),
    ("--compute modular --size 4", 2, "modular multiplies f64, with sums of the usual type; the types are f32"),
    ("--type f16 --out-type i32", 2, "f16 cannot be stored as i32 and summed in f32; supported: f16 summed in f32"),
    ("--compute_type i32_r --size 4", 2, "f32 cannot be stored as f32 and summed in i32"),
    ("--c_type f16_r --d_type f32_r --type f16 --size 4", 2, "--d_type says f32, but an earlier option says f16: both have the same type here"),
    ("--size 4 --type f16 --kernel tiled", 4, "tiled multiplies f32, f64, i32 and u32"),
    ("--size 4 --bias_vector --kernel tiled", 4, "only plain products: .*no bias, no activation"),
    ("--type i8 --activation_type gelu --size 4", 2, "gelu is for floats; the type is i8"),
    ("--bias b.npy --bias_vector", 2, "leave out one of them"),
    ("--bias /nonexistent.npy", 2, "/nonexistent.npy"),
    ("--type bf16 --out c.npy --size 4", 2, r"c.npy: .npy cannot store bf16: use FILE.safetensors"),
    ("--out c.safetensors:__metadata__ --size 4", 2, "'__metadata__' is not a valid array name"),
    ("bench --suite my.suite --compute f16", 2, "apply only to built-in suites: the lines of my.suite"),
    ("ladder --type f16", 2, "--type takes one of f32, f64, i32, u32, not 'f16'"),
    ("trace --type bf16", 2, "--type takes one of f32, f64, i32, u32, not 'bf16'"),
    ("trace --type f31", 2, "did you mean 'f32'"),
    ("trace --compute f16", 2, "--compute is not an option of 'vkmatmul trace'"),
    ("-x", 2, "unknown option -x"),
    ("--json=yes", 2, "--json takes no argument"),
    ("devices --tile 4", 2, "--tile is not an option of 'vkmatmul devices'"),
    ("laddr", 2, "unknown command 'laddr'; did you mean 'ladder'"),
    ("help nothing-like-it", 2, "unknown command"),
    ("--size 4 ladder", 2, "unexpected argument 'ladder'"),
    ("--json --csv", 2, "cannot be combined"),
    ("--json --print", 2, "--print"),
    ("-o c.npy --verify none", 2, "verified products only"),
    ("-o c.npy --size 4,5", 2, "-o writes one product, not a list of 2"),
    ("-a a.npy", 2, "-a and -b must be given together"),
    ("-a a.npy -b b.npy --size 4", 2, "leave out --size"),
    ("--device nosuch", 3, "nosuch"),
    ("--device 99", 3, "99"),
    ("--device 00000000-0000-0000-0000-000000000000", 3, "0000"),
    ("--driver /nonexistent.json", 2, "/nonexistent.json"),
    ("--shader /nonexistent.comp", 2, "/nonexistent.comp"),
    ("-a /nonexistent.npy -b b.npy", 2, "/nonexistent.npy"),
]


class Words(cli.Case):
    def test_words(self):
        for words, code, pattern in WORDS:
            with self.subTest(words):
                self.bad(code, pattern, *words.split(), cwd=self.folder)
                self.assertEqual(os.listdir(self.folder), [])

    def test_empty_and_hostile_words(self):
        for value in ["", "\n\x1b[31m", "\udcff\udcfe", "9" * 10000, "%n%s"]:
            for option in ["--size", "--device", "--config"]:  # all of them: tests/fuzz/fuzz_arguments.c
                with self.subTest(option + repr(value)[:40]):
                    done = cli.run(option, value)
                    self.assertIn(done.returncode, (2, 3))
                    self.assertRegex(done.stderr, r"\Avkmatmul: [^\n\x1b]*\n\Z")

    def test_no_driver(self):
        self.bad(3, "no Vulkan driver was found with VK_DRIVER_FILES=/nonexistent/icd.json; 'vkmatmul doctor'", "--size", "4", env=cli.NO_DRIVER)
        self.bad(3, "with VK_ICD_FILENAMES=/nonexistent/icd.json; ", "--size", "4", env=dict(cli.NO_DRIVER, VK_DRIVER_FILES=""))
        done = cli.run("devices", "--json", env=cli.NO_DRIVER)
        self.assertEqual(done.returncode, 3)
        self.assertIn('"devices":[]', done.stdout)
        self.good("--kernel", "serial", "--size", "4", *cli.FAST, env=cli.NO_DRIVER)

    def test_not_a_driver(self):
        """--driver FILE is refused before the loader, which passes over such files without a word."""
        library = pathlib.Path(os.environ["VKMM_TEST_FAST_CLOCK"])  # a library, but no driver
        good = json.dumps({"ICD": {"library_path": str(library)}}).encode()
        self.file("lacking.so", library.read_bytes().replace(b"libc.so.6", b"libq.so.6"))
        for name, data, why in [("README.md", b"# Words", "not JSON: line 1"), ("list.json", b"[]", 'no "ICD" object'),
                                ("none.json", b'{"ICD": {}}', "names no library"), ("good.txt", good, "its name must end in .json"),
                                ("lacking.json", b'{"ICD": {"library_path": "./lacking.so"}}',
                                 "its library lacking.so cannot be loaded: libq.so.6: cannot open shared object file"),
                                ("gone.json", good.replace(b'"/', b'"/nonexistent/'), "does not exist")]:
            self.bad(2, "the driver manifest .*%s cannot be used: .*%s" % (name, why), "--size", "4", "--driver", self.file(name, data))
        self.good("--size", "4", "--quiet", *cli.FAST, "--driver", self.file("good.json", good))

    def test_swiftshader_by_name(self):
        """Chromium's copy is found without a word about manifests, and not where the user restricts the drivers."""
        if "swiftshader" not in os.environ.get("VK_DRIVER_FILES", ""):
            self.bad(3, "swiftshader", "--size", "4", "--device", "swiftshader")
            return
        alone = ["env", "-u", "VK_DRIVER_FILES", "-u", "VK_ICD_FILENAMES", cli.program, "--size", "4", "--device", "swiftshader", "--json"]
        done = subprocess.run([*alone, *cli.FAST], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("SwiftShader", json.loads(done.stdout)["device"]["name"])

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for args in [["--size", "4", *cli.FAST], ["devices"], ["--help"], ["--version"], ["--json", "--size", "4", *cli.FAST]]:
            with self.subTest(args), open("/dev/full", "w") as full:
                done = cli.run(*args, stdout=full)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, r"\Avkmatmul: cannot write the results: [^\n]*\n\Z")

    def test_closed_pipe(self):
        read, write = os.pipe()
        os.close(read)
        done = cli.run("devices", stdout=write)
        os.close(write)
        self.assertIn(done.returncode, (-13, 2))


class Files(cli.Case):
    """Broken and unfitting .npy files."""

    def refuse(self, pattern, a, b=None, code=2, options=()):
        b = npy_bytes([[1.0, 2.0], [3.0, 4.0]]) if b is None else b
        before = {"a.npy": a, "b.npy": b}
        for name, data in before.items():
            self.file(name, data)
        self.bad(code, pattern, "-a", "a.npy", "-b", "b.npy", "-o", "c.npy", *options, cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])

    def test_broken(self):
        good = npy_bytes([[1.0, 2.0], [3.0, 4.0]])
        for length in [0, 40, len(good) - 1]:
            with self.subTest(length):
                self.refuse("a.npy", good[:length])
        self.refuse("a.npy", b"not a matrix at all" * 10)

    def test_shapes(self):
        self.refuse(r"a\.npy \(2x3\) by .*b\.npy \(2x2\)", npy_bytes([[1.0] * 3] * 2))

    def test_types(self):
        self.refuse("a.npy holds f64 and .*b.npy holds f32", npy_bytes([[1.0, 2.0]], "<f8"))
        self.refuse("hold f32, not i32", npy_bytes([[1.0, 2.0]]), options=["--type", "i32"])

    def test_unwritable(self):
        """Every output is refused before any work: without a driver, work has exit code 3."""
        a = self.file("a.npy", npy_bytes([[1.0]]))
        for name in ["d.npy", "d.html", "d.json"]:
            (self.folder / name).mkdir()
        outputs = [(["-a", a, "-b", a, "-o"], "npy"), (["-s", "4", "-o"], "npy"), (["trace", "--html"], "html"), (["ladder", "--html"], "html"), (["bench", "-o"], "json"),
                   (["compare", "-o"], "json"), (["report", a, "-o"], "html"), (["tune", "--export"], "npy")]
        for words, ending in outputs:
            for target, why in [("/nonexistent/c", "No such file or directory"), (self.folder / "d", "Is a directory")]:
                with self.subTest(words[0], target=target):
                    self.bad(2, r"cannot write \S*: " + why, *words, "%s.%s" % (target, ending), env=cli.NO_DRIVER)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "d.html", "d.json", "d.npy"])
        self.bad(3, "Vulkan|device", "-s", "4", "-o", self.folder / "c.npy", env=cli.NO_DRIVER)

    def test_no_room(self):
        """What the disk cannot hold is known beforehand as well."""
        self.bad(2, "no space for its 160000 bytes", "-s", "200", "-o", self.folder / "c.npy", "--kernel", "serial", preexec_fn=cli.files_end_at(100000))
        self.assertEqual(os.listdir(self.folder), [])

    def test_endings(self):
        """A page is called .html; what is no regular file has no ending."""
        for words in [["trace", "--html"], ["ladder", "--html"], ["report", "a.json", "-o"]]:
            for name in ["p.txt", "p.json", "p", ".html", "p.html.gz"]:
                with self.subTest(words[0], name=name):
                    self.bad(2, "%s writes an HTML page, but '%s' does not end in .html" % (words[-1], name), *words, name, cwd=self.folder)
        self.assertRegex(self.good("trace", "--html", "/dev/stdout"), r"<html[\s\S]*</html>\s*\Z")
        self.good("trace", "--html", self.folder / "p.htm")
        self.bad(2, "--html writes a page of one size, but the ladder has 2", "ladder", "--size", "8,9", "--html", self.folder / "l.html")
        self.bad(2, "cannot both go to standard output", "ladder", "--html", "/dev/stdout")
        self.bad(2, "is the input", "report", self.folder / "p.htm", "-o", self.folder / "p.htm")


cli.main()
