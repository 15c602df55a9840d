#!/usr/bin/env python3
"""Ctrl-C and its kin: every command ends soon, with 128 and the signal's number, and leaves no temporary file behind."""
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unittest

import cli

SOON = 5  # seconds; a second is meant, and a loaded machine is slower
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FAKE = """#!/bin/sh
trap '' INT TERM HUP
echo started > "$STARTED"
exec sleep 60
"""


class Started:
    """The program with its standard error on a terminal, whose progress tells what it is at."""

    def __init__(self, *args, env=None, **more):
        self.terminal, other = pty.openpty()
        settings = dict(os.environ, LC_ALL="C.UTF-8", **(env or {}))
        more.setdefault("preexec_fn", lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # whoever runs the tests may be out of reach of it
        self.process = subprocess.Popen([cli.program, *map(str, args)], env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=other, start_new_session=True, **more)
        os.close(other)
        self.text = b""

    def read(self):
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:  # Linux's end of a terminal
            piece = b""
        self.text += piece
        return piece != b""

    def wait_for(self, word):
        while word.encode() not in self.text:
            assert self.read(), "it ended before '%s': %r" % (word, self.text)

    def send(self, *numbers):
        """What it exits with after the signals, and how many seconds later."""
        start = time.monotonic()
        for number in numbers:
            self.process.send_signal(number)
        code = self.process.wait(60)
        took = time.monotonic() - start
        while self.read():
            pass
        os.close(self.terminal)
        return code, took


class Signals(cli.Case):
    def ends(self, child, *numbers):
        code, took = child.send(*numbers)
        self.assertEqual(code, 128 + numbers[0], child.text)
        self.assertLess(took, SOON)

    def leftovers(self):
        return sorted(path.name for path in self.folder.iterdir())


class Run(Signals):
    def test_every_moment(self):
        target = self.file("c.npy", b"as it was")
        moments = [("inputs", "5000"), ("multiplying", "4000"), ("verifying", "5000x5000x16"), ("timing", "700")]
        for number, (word, size) in zip(SIGNALS + [signal.SIGINT], moments):
            with self.subTest(word, signal=number):
                child = Started("-s", size, "--verify", "freivalds", "--min-time", "60s", "--max-time", "60s", "-o", target)
                child.wait_for(": " + word)
                self.ends(child, number)
                self.assertTrue(child.text.endswith(b"\r\x1b[K"), child.text[-80:])
                self.assertEqual((target.read_bytes(), self.leftovers()), (b"as it was", ["c.npy"]))

    def test_while_writing(self):
        target = self.file("c.npy", b"as it was")
        child = Started("-s", "5500x5500x1", "--verify", "freivalds", *cli.FAST, "-o", target)
        while not any(name.endswith(".tmp") for name in self.leftovers()):
            self.assertIsNone(child.process.poll(), child.text)
        self.ends(child, signal.SIGTERM)
        self.assertEqual((target.read_bytes(), self.leftovers()), (b"as it was", ["c.npy"]))

    def test_nohup(self):
        ignored = "import signal, os, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
        child = subprocess.Popen([sys.executable, "-c", ignored, cli.program, "-s", "900", "--quiet"], stdout=subprocess.PIPE, text=True)
        time.sleep(0.5)
        child.send_signal(signal.SIGHUP)
        self.assertRegex(child.communicate(timeout=60)[0], r"\A[0-9.]+\n\Z")
        self.assertEqual(child.returncode, 0)

    def test_a_reader_that_leaves(self):
        """As every program: by SIGPIPE, or, where that is ignored, with a sentence."""
        for ignored in [False, True]:
            with self.subTest(ignored=ignored):
                child = subprocess.Popen([cli.program, "-s", "64", *cli.FAST], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                         restore_signals=not ignored)
                child.stdout.close()
                said = child.stderr.read()
                child.stderr.close()
                if ignored:
                    self.assertEqual(child.wait(60), 2)
                    self.assertRegex(said, r"\Avkmatmul: [^\n]*Broken pipe[^\n]*\n\Z")
                else:
                    self.assertEqual((child.wait(60), said), (-signal.SIGPIPE, ""))


class Commands(Signals):
    def test_others(self):
        commands = {"ladder": ["-s", "900", "--type", "f32"], "race": ["--iters", "1000000"], "explain": ["-s", "1024"], "peak": []}
        for number, (command, args) in zip(SIGNALS * 2, commands.items()):
            with self.subTest(command):
                child = Started(command, *args)
                time.sleep(0.7)
                self.ends(child, number)

    def worker(self):
        """One that takes no notice of anything, and how it tells that it was started."""
        path = self.file("worker", FAKE.encode())
        path.chmod(0o755)
        return path, self.folder / "started"

    def test_a_worker_that_hangs(self):
        worker, started = self.worker()
        for number, command in zip(SIGNALS * 2, [["tune", "-s", "64"], ["bench", "--type", "f32", "--no-host"], ["doctor"],
                                                 ["compare", "--type", "f32", "--no-host"]]):
            with self.subTest(" ".join(command)):
                started.unlink(missing_ok=True)
                child = Started(*command, "--worker", worker, env={"STARTED": str(started), "XDG_CACHE_HOME": str(self.folder / "cache")})
                while not started.exists():
                    self.assertIsNone(child.process.poll(), child.text)
                    time.sleep(0.01)
                self.ends(child, number)

    def test_twice(self):
        worker, started = self.worker()
        child = Started("bench", "--type", "f32", "--worker", worker, env={"STARTED": str(started)})
        while not started.exists():
            time.sleep(0.01)
        self.ends(child, signal.SIGINT, signal.SIGINT)

    def test_real_workers(self):
        for command in [["tune", "-s", "300"], ["bench", "--type", "f32", "--no-host"], ["doctor"]]:
            with self.subTest(" ".join(command)):
                child = Started(*command, env={"XDG_CACHE_HOME": str(self.folder / "cache")})
                time.sleep(1 if command[0] != "doctor" else 0.3)
                self.ends(child, signal.SIGINT)
                self.assertFalse([name for name in self.leftovers() if re.search("tmp", name)])


if __name__ == "__main__":
    cli.main()
