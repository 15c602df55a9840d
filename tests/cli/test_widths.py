#!/usr/bin/env python3
"""On terminals of 60 and 80 columns no line is longer, and each row's cells stand below their titles. SCRIPT PROGRAM WRITE_BENCH."""
import os
import re
import subprocess
import sys

import cli

FIRST_TITLES = {"size", "step", "kernel", "invocation"}
write_bench = None


def words_of(line):
    """Where the words of a line begin and end; two spaces part them."""
    return [match.span() for match in re.finditer(r"\S+(?: \S+)*", line)]


class Widths(cli.Case):
    def shown(self, columns, *args):
        """What the program writes to a terminal so wide, but for its progress; and what it exits with."""
        code, text = cli.on_terminal(*args, columns=columns, env={"XDG_CACHE_HOME": str(self.folder)})
        text = re.sub(r"\r\x1b\[K[^\r]*(?=\r\x1b\[K)", "", text).replace("\r\x1b[K", "").replace("\r\n", "\n")
        return code, re.sub(r"\x1b\[[0-9;]*m", "", text)

    def check_tables(self, text):
        """Returns how many rows were compared with their titles."""
        rows, titles, lines = 0, [], text.split("\n")
        while lines:
            line = lines.pop(0)
            if line.split()[:1] and line.split()[0] in FIRST_TITLES and "  " in line.strip():
                titles = [line]
                while lines[0].startswith("    ") and not lines[0].strip()[0].isdigit():
                    titles.append(lines.pop(0))
            elif titles and len(words_of(line)) > 1:  # a sentence is one word here
                row = [line] + [lines.pop(0) for _ in titles[1:]]
                for title, part in zip(titles, row):
                    expected, found = words_of(title), words_of(part)
                    self.assertEqual(len(expected), len(found), "\n".join(titles + row))
                    for one, other in zip(expected, found):
                        self.assertTrue(one[0] == other[0] or one[1] == other[1], "\n".join(titles + row))
                rows += 1
            else:
                titles = []
        return rows

    def fits(self, *args, rows=0, code=0, widths=(60, 80)):
        """What takes seconds is measured for one width alone."""
        for columns in widths:
            with self.subTest(" ".join(map(str, args)), columns=columns):
                ended, text = self.shown(columns, *args)
                self.assertEqual(ended, code, text)
                self.assertGreater(len(text.splitlines()), 1)
                self.assertEqual([line for line in text.splitlines() if len(line) > columns], [])
                if rows:
                    self.assertEqual(self.check_tables(text), rows, text)

    def test_products(self):
        self.fits("--size", "9,100x200x300", "--tile", "8", *cli.FAST, rows=2)
        self.fits("--size", "30", "--type", "bf16", "--batch_count", "3", "--bias_vector", "--activation", "relu", *cli.FAST, rows=1)
        self.fits("--size", "300x200x100", "--memory-limit", "100kB", *cli.FAST)
        self.fits("--size", "9", "--print", *cli.FAST)
        a, b = self.file("a.npy", cli.npy_bytes([[float("nan")]] * 1000 + [[float("inf")]] * 30)), self.file("b.npy", cli.npy_bytes([[1.0] * 1000]))
        self.fits("-a", a, "-b", b, rows=1)
        self.fits("--size", "5", "--tile", "4000", code=4)
        self.fits("ladder", "--size", "9", "--type", "f32", *cli.FAST)

    def test_explanations(self):
        self.fits("explain", "--size", "64", "--tile", "8", rows=52)
        self.fits("explain", "--size", "64", "--kernel", "blocked", widths=[60])
        self.fits("statistics", "--size", "64", "--kernel", "blocked")
        self.fits("trace", "--size", "2x6x4", "--at", "0,3")
        self.fits("race", "--iters", "3")

    def test_devices(self):
        self.fits("devices")
        self.fits("doctor", "--worker", cli.ROOT / "tests" / "cli" / "fake_doctor.py", widths=[60])
        self.fits("peak", "--type", "f32", widths=[60])

    def test_measuring(self):
        suite = self.file("suite", b"--size 32\n")
        self.fits("tune", "--size", "32", "--budget", "300ms", widths=[60])
        self.fits("bench", "--suite", suite, "--type", "f32", "--budget", "1s", widths=[60])

    def test_reports(self):
        text = subprocess.run([write_bench, "json", "1", "0.01"], stdout=subprocess.PIPE, check=True).stdout
        report = self.file("one.json", text)
        self.fits("report", report)
        self.fits("compare", report, self.file("two.json", text))

    def test_help(self):
        for command in [[], *([name] for name in ["run", "ladder", "devices", "explain", "statistics", "trace", "race", "tune", "bench", "compare", "report", "record", "peak", "doctor", "example"])]:
            self.fits("help", *command)


if __name__ == "__main__":
    write_bench = os.path.abspath(sys.argv.pop(2))
    cli.main()
