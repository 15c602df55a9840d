#!/usr/bin/env python3
"""The documents: the program takes every command line in them, prints what they show, and the shaders still hold what they quote.

Which commands run: all but those of LONG, which need minutes, other programs, saved reports or an empty folder; of these only the options are
checked. Extents above 64 become 16 and the rest of a division by 16, so that what is ragged stays ragged; a run without a size
gets 16. Input files are made here.
What is compared: a console block with all of the output, and a ladder's table with the end of what that ladder prints. A trace
is compared as it is; of other commands figures, units, bars and devices are left out, and so are the lines of a race and of
explain that only the driver decides. A block of SwiftShader is compared on SwiftShader."""
import json
import os
import re
import shlex
import shutil

import cli

LONG = {"bench", "blas", "check", "compare", "doctor", "example", "peak", "record", "report", "tune"}
PAGES = {path: path.read_text(encoding="utf-8")
         for path in [cli.ROOT / "README.md", cli.ROOT / "CONTRIBUTING.md", *sorted((cli.ROOT / "doc").glob("*.md"))]}
SHADERS = [path.read_text(encoding="utf-8") for path in (cli.ROOT / "shaders").rglob("*.[cg][ol][ms]*")]
ON_SWIFTSHADER = "swiftshader" in os.environ.get("VK_DRIVER_FILES", "")
COMMAND = r"(?:vkmatmul|scripts/run)(?= )"
NUMBER = r"(?<!\w)\d[\d.,]*(?:e[-+]\d+)?³?(?!\w)"


def words_of(line):
    """Without the shell's part of it, and without a description beside it."""
    return shlex.split(re.split(r"[|;]| {2,}", line.strip())[0], comments=True)


def commands(page):
    """(place, words) of every command line in a page."""
    return [(m.start(), words_of(m[1] or m[2])) for m in re.finditer(r"^(?:\$ |    )%s(.*)|`%s([^`]*)`" % (COMMAND, COMMAND), page, re.M)]


def shown(page):
    """(words, output, whole) of all output that a page shows."""
    for block in re.findall(r"^```console\n\$ vkmatmul([^\n]*)\n(.+?)^```$", page, re.M | re.S):
        yield words_of(block[0]), block[1], True
    for table in re.finditer(r"^    step .*\n(?:    .*\n|\n(?=    GFLOP/s))+", page, re.M):
        words = max((c for c in commands(page) if c[0] < table.start() and c[1][:1] == ["ladder"]), key=lambda c: c[0])[1]
        yield words, re.sub(r"(?m)^    ", "", table[0]), False


def smaller(words):
    """The same command on small matrices, timed a few times."""
    words, sized = list(words), False
    for i, word in enumerate(words):
        if word in ("--size", "-s", "-m", "-n", "-k"):
            words[i + 1] = re.sub(r"\d{3,}|6[5-9]|[7-9]\d", lambda m: str(16 + int(m[0]) % 16), words[i + 1])
        sized = sized or word in ("--size", "-s", "-m", "-a")
    if words[0] in ("ladder", "run") or words[0][0] == "-":
        words += ["--iters", "20", "--cold-iters", "0"]
    if words[0] == "ladder" and "--html" in words and "--type" not in words:
        words += ["--type", "f32"]
    return words if sized or words[0] in ("devices", "race", "trace") else words + ["--size", "16"]


def shape(words, text):
    """The lines that must be the same on every machine, without what need not be."""
    text = re.sub(r"(?m)^.* · Vulkan [\d.]+$|^on .*$", "DEVICE", text)
    if words[0] == "race":
        text = re.sub(r"(?m)^   (?!with).*\n", "", re.sub(r"(?m)^(   without) .*", r"\1", text))
    if words[0] != "trace":
        text = re.sub(r"(?m)^(?:~ not stable|\d+ of \d+ samples are outliers).*\n?", "", text.split("What the driver reports")[0])
        text = re.sub(r"[█▏▎▍▌▋▊▉]+", "", re.sub(NUMBER + "~?", "#", re.sub(NUMBER + " – " + NUMBER, "–", text)))
        text = re.sub(r"(?m)\b(memory|arithmetic)$", "LIMIT", re.sub(r"\b(bytes|[KMGT]iB)\b", "B", text))
        text = re.sub(r"(?m)^fast +\w+|^(?:blocked|cpu) *$", "FAST", text)
        text = re.sub(r"copies [^/]*?/s[\s\S]*?FLOP/byte", lambda m: " ".join(m[0].split()), re.sub(r" +", " ", text))  # was wrapped
        head, measured, rest = text.partition("Measured, next to the longer of the two\n")
        text = head + measured + "\n".join(re.findall(r"(?m)^[\w-]+ # #$|^kernel .*", rest))  # its conclusions follow from figures
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


class Reading(cli.Case):
    def setUp(self):
        super().setUp()
        rows = [[1.0] * 16] * 16
        self.file("a.npy", cli.npy_bytes(rows))
        self.file("b.npy", cli.npy_bytes(rows))
        self.file("b.csv", ("1" + ",1" * 15 + "\n").encode() * 16)
        self.file("x.npy", cli.npy_bytes([[1.0] * 32]))
        self.file("model.gguf", cli.gguf_bytes([("blk.0.ffn_up.weight", "Q8_0", [32, 4], (b"\0<" + b"\1" * 32) * 4)]))
        self.file("x.safetensors", cli.safetensors_bytes({"x": ("F32", [4, 8], [1.0] * 32)}))
        self.file("model.safetensors", cli.safetensors_bytes({"fc.weight": ("F32", [6, 8], [1.0] * 48), "fc.bias": ("F32", [6], [1.0] * 6)}))
        (self.folder / "doc").mkdir()
        shutil.copy(cli.ROOT / "doc" / "example.comp", self.folder / "doc")
        shutil.copy(cli.ROOT / "doc" / "example.comp", self.folder / "mine.comp")

    def test_there_is_something_to_test(self):
        """What the pages hold is found: no expression here matches nothing."""
        every = [words for page in PAGES.values() for _, words in commands(page)]
        for command in [*LONG, "race", "trace", "explain", "ladder", "devices", "--shader", "-a", "--size"]:
            self.assertTrue(any(command in words for words in every), command)
        self.assertGreaterEqual(len(every), 40)
        blocks = [words[0] for page in PAGES.values() for words, *_ in shown(page)]
        self.assertGreaterEqual(len(blocks), 10)
        self.assertLessEqual({"explain", "ladder", "race", "trace"}, set(blocks))
        self.assertGreaterEqual(len(SHADERS), 9)

    def test_commands_are_accepted(self):
        for words in {tuple(words) for page in PAGES.values() for _, words in commands(page)}:
            at = words.index("--") if "--" in words else len(words)  # the rest is another program
            done = cli.run(*words[:at], "--help", *words[at:])
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        self.assertEqual(cli.run("race", "--sise", "4", "--help").returncode, 2)  # --help does not hide a bad option

    def test_commands_run(self):
        if ON_SWIFTSHADER:
            self.skipTest("lavapipe runs them")
        pages_output = {tuple(smaller(words)) for page in PAGES.values() for words, *_ in shown(page)}
        for words in {tuple(smaller(words)) for page in PAGES.values() for _, words in commands(page) if words and words[0] not in LONG}:
            if words not in pages_output and "--suite" not in words and "swiftshader" not in words:
                with self.subTest(words):
                    done = cli.run(*words, cwd=self.folder)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stderr, r"\A(vkmatmul: warning: .*\n)*\Z")
                    self.assertTrue(done.stdout)

    def test_output_is_as_shown(self):
        compared = 0
        for path, page in PAGES.items():
            for words, output, whole in shown(page):
                if ("SwiftShader" in output) != ON_SWIFTSHADER or (ON_SWIFTSHADER and not whole):
                    continue
                with self.subTest(page=path.name, command=" ".join(words)):
                    printed = self.good(*smaller(words), cwd=self.folder)
                    is_, was = (shape(words, text) for text in (printed, output))
                    self.assertEqual(is_ if whole else is_[-len(was):], was)
                    if words[0] == "explain" and smaller(words) == words:  # counts are the same on every machine
                        self.assertEqual(*(re.findall(r"\d+ = \d+", text) for text in (printed, output)))
                compared += 1
        self.assertGreaterEqual(compared, 1 if ON_SWIFTSHADER else 9)

    def test_races(self):
        """The page says on which drivers a tile of four shows the race. One of 256 shows it on all of them."""
        section = PAGES[cli.ROOT / "doc" / "reading-the-shaders.md"].split("## 4.")[1].split("## 5.")[0]
        drivers = {"Mesa 22.3": True, "Mesa 25.0": False, "SwiftShader": False}
        for driver in drivers:
            self.assertIn(driver, section)
        small, large = (json.loads(line) for line in self.good("race", "--device", "0", "--json").splitlines())
        self.assertGreater(large["without_barrier"]["wrong_runs"], 0)
        name = " ".join(str(small["device"][key]) for key in ("driver_name", "driver_info"))
        for driver in filter(name.__contains__, drivers):
            self.assertEqual(small["without_barrier"]["wrong_runs"] > 0, drivers[driver], name)

    def test_excerpts_are_in_the_shaders(self):
        def lines_of(text):
            return "".join(line.strip() + "\n" for line in text.splitlines() if line.strip())
        sources = [lines_of(text) for text in SHADERS]
        excerpts = [block for page in PAGES.values() for block in re.findall(r"^```glsl\n(.*?)^```$", page, re.M | re.S)]
        self.assertGreaterEqual(len(excerpts), 6)
        for excerpt in excerpts:
            self.assertTrue(any(lines_of(excerpt) in source for source in sources), excerpt)

    def test_links_lead_somewhere(self):
        for path, page in PAGES.items():
            for target in re.findall(r"\]\(([^)#]+)\)", page):
                self.assertTrue(target.startswith("https:") or (path.parent / target).exists(), target)


cli.main()
