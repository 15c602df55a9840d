#!/usr/bin/env python3
"""The manual and the completions know every option, command and JSON key."""
import json
import re
import shutil
import subprocess

import cli

MANUAL = (cli.ROOT / "doc" / "vkmatmul.1").read_text()
COMPLETIONS = {"bash": "vkmatmul.bash", "zsh": "_vkmatmul", "fish": "vkmatmul.fish"}


class Manual(cli.Case):
    def commands(self):
        text = self.good("--help")
        return re.findall(r"^  (\w+)", text[text.index("Commands:"):text.index("Examples:")], re.M)

    def test_options(self):
        self.assertIn("ladder", self.commands())
        for command in self.commands():
            self.assertRegex(MANUAL, r"(?m)^\.(It )?Cm " + command + r"\b")
            for line in self.good(command, "--help").splitlines():
                match = re.match(r"  (?:-(\w))?,?\s*(?:--([\w-]+))?", line)
                letter, name = match.groups() if re.match(r"  ( {4}|-\w,? ?)-*", line) else (None, None)
                if letter:
                    self.assertRegex(MANUAL, r"(?m)^\.It Fl " + letter + r"\b", line)
                if name:
                    self.assertRegex(MANUAL, r"(?m)^\.It (Fl \w , )?Fl -" + name + r"\b", line)

    def test_words(self):
        for option in ["kernel", "type", "init", "verify", "out-type", "compute", "activation"]:
            words = re.search(r"takes one of ([^\n]*), not '[?]'", cli.run("--" + option, "?").stderr).group(1)
            for word in words.split(", "):
                self.assertRegex(MANUAL, r"(?m)^\.Cm .*\b" + re.escape(word) + r"\b|\b" + re.escape(word) + r"\b", option)

    def test_json_keys(self):
        result = json.loads(self.good("--size", "4", "--kernel", "serial", "--json", *cli.FAST))
        words = set(re.findall(r"\w+", MANUAL))
        for key, value in result.items():
            self.assertIn(key, words)
            if isinstance(value, dict) and key != "spec_constants":
                self.assertLessEqual({k for k in value}, words, key)

    def test_example(self):
        self.assertIn(".Bd -literal\n" + (cli.ROOT / "doc" / "example.comp").read_text().replace("\\", "\\e") + ".Ed\n", MANUAL)

    def test_lint(self):
        if shutil.which("mandoc") is None:
            self.skipTest("no mandoc")
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(cli.ROOT / "doc" / "vkmatmul.1")], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, "")


class Completions(cli.Case):
    def test_files_are_current(self):
        for shell, name in COMPLETIONS.items():
            path = cli.ROOT / "doc" / "completions" / name
            self.assertEqual(self.good("help", "--completions", shell), path.read_text(),
                             "make it again: vkmatmul help --completions %s > doc/completions/%s" % (shell, name))

    def test_syntax(self):
        for shell, name in COMPLETIONS.items():
            if shutil.which(shell) is not None:
                subprocess.run([shell, "-n", str(cli.ROOT / "doc" / "completions" / name)], check=True)

    def complete(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vkmatmul; printf "%s\\n" "${COMPREPLY[@]}"'
        path = str(cli.ROOT / "doc" / "completions" / "vkmatmul.bash")
        done = subprocess.run(["bash", "-c", script, "bash", path, cli.program, *words], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.split()

    def test_bash(self):
        if shutil.which("bash") is None:
            self.skipTest("no bash")
        self.assertEqual(self.complete("la"), ["ladder"])
        self.assertEqual(self.complete("--kernel", "t"), ["tiled", "tiled-32"])
        self.assertEqual(self.complete("ladder", "--ti"), ["--tile"])
        self.assertEqual(self.complete("devices", "--ti"), [])
        self.assertEqual(self.complete("--size", ""), [])
        self.assertIn("--shader", self.complete("-"))
        self.assertEqual(self.complete("help", "com"), ["compare"])
        self.assertEqual(self.complete("--shader", ""), [])  # the shell offers files


cli.main()
