#!/usr/bin/env python3
"""doc/reading-the-shaders.md: the program takes every command line in it, and the shaders still hold what it quotes."""
import re
import shlex

import cli

PAGE = (cli.ROOT / "doc" / "reading-the-shaders.md").read_text(encoding="utf-8")
SHADERS = {path: path.read_text(encoding="utf-8") for path in (cli.ROOT / "shaders").rglob("*.[cg][ol][ms]*")}
RUN = {"race", "trace"}  # quick enough to run as they stand; so is whatever prints its matrices


def blocks(language):
    return re.findall(r"^```%s\n(.*?)^```$" % language, PAGE, re.M | re.S)


def commands():
    """The words of every command line, without the shell's part of it."""
    lines = re.findall(r"^\$ vkmatmul\b([^|\n]*)", PAGE, re.M) + re.findall(r"`vkmatmul\b([^|`]*)`", PAGE)
    return [shlex.split(line, comments=True) for line in lines]


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


class Reading(cli.Case):
    def test_there_is_something_to_test(self):
        self.assertGreaterEqual(len(commands()), 8)
        self.assertGreaterEqual(len(blocks("glsl")), 6)
        self.assertGreaterEqual(len(SHADERS), 9)
        for command in ["race", "trace", "explain", "ladder", "--shader"]:
            self.assertTrue(any(command in words for words in commands()), command)

    def test_commands_are_accepted(self):
        for words in commands():
            done = cli.run(*words, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        self.assertEqual(cli.run("race", "--sise", "4", "--help").returncode, 2)  # --help does not hide a bad option

    def test_quick_ones_run(self):
        for words in commands():
            if words[0] in RUN or "--print" in words:
                done = cli.run(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                self.assertGreater(len(done.stdout), 0)

    def test_excerpts_are_in_the_shaders(self):
        sources = ["\n".join(lines_of(text)) + "\n" for text in SHADERS.values()]
        for excerpt in blocks("glsl"):
            self.assertTrue(any("\n".join(lines_of(excerpt)) + "\n" in source for source in sources), excerpt)

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
            self.assertTrue((cli.ROOT / "doc" / target).exists(), target)

    def test_outputs_were_pasted(self):
        for block in blocks("console"):
            line, _, output = block.partition("\n")
            self.assertTrue(line.startswith("$ vkmatmul"), line)
            self.assertNotIn("@", line)
        self.assertNotIn("```console@", PAGE)


cli.main()
