#!/usr/bin/env python3
"""What only the Windows program has, under Wine: its paths, its line ends, Ctrl-C, and a command after the other."""
import json
import os
import signal
import subprocess

import cli
from cli import npy_bytes

ROWS = [[1.0, 2.0], [3.0, 4.0]]
SERIAL = ["--kernel", "serial", "--quiet", *cli.FAST]


def windows(path):
    return "Z:" + str(path).replace("/", "\\")


class Paths(cli.Case):
    def multiplies(self, a, target, written):
        self.good("-a", a, "-b", a, "-o", target, *SERIAL)
        self.assertEqual(cli.read_npy(written)[1], cli.product(ROWS, ROWS))

    def test_drive_and_backslashes(self):
        self.multiplies(windows(self.file("a.npy", npy_bytes(ROWS))), windows(self.folder / "c.npy"), self.folder / "c.npy")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "c.npy"])

    def test_umlauts(self):
        path = self.file("äöü 矩阵.npy", npy_bytes(ROWS))
        self.multiplies(path, windows(self.folder / "ß.npy"), self.folder / "ß.npy")
        self.bad(2, r"cannot read \S*ö.npy: No such file or directory", "-a", self.folder / "ö.npy", "-b", path)

    def test_long(self):
        deep = self.folder / ("d" * 100) / ("e" * 100) / ("f" * 100)
        deep.mkdir(parents=True)
        (deep / "a.npy").write_bytes(npy_bytes(ROWS))
        self.multiplies(windows(deep / "a.npy"), windows(deep / "c.npy"), deep / "c.npy")
        self.assertEqual(sorted(os.listdir(deep)), ["a.npy", "c.npy"])


class Texts(cli.Case):
    def test_line_ends(self):
        """CRLF is read; what is written ends with LF, on standard output too."""
        a = self.file("a.csv", b"1,2\r\n3,4\r\n")
        self.good("-a", a, "-b", a, "--type", "f32", "-o", self.folder / "c.tsv", *SERIAL)
        self.assertEqual((self.folder / "c.tsv").read_bytes(), b"7\t10\n15\t22\n")
        self.assertNotIn("\r", self.good("--version"))

    def test_binary_pipes(self):
        rows = [[10, 26], [13, 10]]  # \n, \x1a and \r\n: what a text stream of Windows would change
        one = self.file("one.npy", npy_bytes([[1, 0], [0, 1]], "|u1"))
        done = subprocess.run([cli.program, "-a", "-", "-b", one, "-o", "-", *cli.FAST], input=npy_bytes(rows, "|u1"), capture_output=True)
        path = self.file("c.npy", done.stdout)
        self.assertEqual((done.returncode, cli.read_npy(path)), (0, ("<u4", rows)), done.stderr)


class Commands(cli.Case):
    def test_reports(self):
        suite = self.file("my.suite", b"-s 16\r\n-s 32 # words\r\n")
        report = self.folder / "ü.json"
        self.good("bench", "--suite", suite, "--no-host", "--budget", "10m", "--max-noise", "90%", "-o", report)
        self.assertEqual(len(json.loads(report.read_text())["rows"]), 2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["my.suite", "ü.json"])
        report.write_bytes(report.read_bytes().replace(b"\n", b"\r\n"))
        self.assertIn("1.000", self.good("compare", report, report))
        self.good("report", report, "-o", self.folder / "page.html")
        self.assertIn("</html>", (self.folder / "page.html").read_text())

    def test_tune(self):
        self.assertIn("16", self.good("tune", "-s", "16", "--budget", "1s"))

    def test_doctor(self):
        self.assertIn("winevulkan.json", self.good("doctor"))


class Interrupted(cli.Case):
    def test_ctrl_c(self):
        """Wine makes Ctrl-C of SIGINT. Work that would take hours ends, and leaves no file behind."""
        target = self.folder / "c.json"
        process = subprocess.Popen([cli.program, "bench", "--no-host", "--budget", "1h", "-o", target], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        cli.wait_until(lambda: os.listdir(self.folder), process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(cli.GUARD), 130)


if __name__ == "__main__":
    cli.main()
