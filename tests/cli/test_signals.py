#!/usr/bin/env python3
"""Ctrl-C and its kin: every command ends soon, with 128 and the signal's number, and leaves no temporary file behind."""
import os
import pathlib
import pty
import re
import signal
import subprocess

import cli

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FAKE = """#!/bin/sh
trap '' INT TERM HUP
echo started > "$STARTED"
exec sleep 2000
"""


class Started:
    """The program with its standard error on a terminal, whose progress tells what it is at."""

    def __init__(self, *args, env=None, **more):
        self.terminal, other = pty.openpty()
        settings = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm", **(env or {}))
        more.setdefault("preexec_fn", lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # whoever runs the tests may be out of reach of it
        self.process = subprocess.Popen([cli.program, *map(str, args)], env=settings, stdin=subprocess.DEVNULL,
                                        stdout=more.pop("stdout", subprocess.DEVNULL), stderr=other, start_new_session=True, **more)
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

    def stop_between(self, word, later):
        """Stops the process before it comes to the other word, and SIGCONT lets it go on. False when it was too late; it has ended then."""
        self.wait_for(word)
        has_stopped = cli.stop(self.process)
        os.set_blocking(self.terminal, False)
        while self.read():
            pass
        os.set_blocking(self.terminal, True)
        if has_stopped and later.encode() not in self.text:
            return True
        self.send(signal.SIGINT, signal.SIGCONT)
        return False

    def send(self, *numbers):
        """What it exits with after the signals; it would go on for longer than it is waited for."""
        for number in numbers:
            self.process.send_signal(number)
        code = self.process.wait(cli.GUARD)
        while self.read():
            pass
        os.close(self.terminal)
        return code


class Signals(cli.Case):
    def ends(self, child, *numbers):
        self.assertEqual(child.send(*numbers), 128 + numbers[0], child.text)

    def leftovers(self):
        return sorted(path.name for path in self.folder.iterdir())


class Run(Signals):
    def test_every_moment(self):
        target = self.file("c.npy", b"as it was")
        moments = [("inputs", "saving", "5000"), ("multiplying", "saving", "4000"), ("verifying", "saving", "5000x5000x16"), ("timing", "repeating", "700")]
        for number, (word, later, size) in zip(SIGNALS + [signal.SIGINT], moments):
            with self.subTest(word, signal=number):
                child = None
                while child is None or not child.stop_between(": " + word, ": " + later):
                    target.write_bytes(b"as it was")
                    child = Started("-s", size, "--verify", "freivalds", "--min-time", "3600s", "--max-time", "3600s", "-o", target)
                    self.addCleanup(child.process.kill)
                self.ends(child, number, signal.SIGCONT)
                self.assertTrue(child.text.endswith(b"\r\x1b[K"), child.text[-80:])
                if word == "timing":
                    self.assertEqual(len(cli.read_npy(target)[1]), int(size))  # it was proved
                else:
                    self.assertEqual(target.read_bytes(), b"as it was")
                self.assertEqual(self.leftovers(), ["c.npy"])

    def test_while_writing(self):
        """What has been proved is written to its end."""
        for number, limit in zip(SIGNALS, [[], ["--memory-limit", "64MiB"], []]):
            with self.subTest(signal=number, limit=limit):
                target = self.file("c.npy", b"as it was")
                child = None
                while child is None or not child.stop_between(": saving", ": repeating"):  # in panels, the end comes soon
                    target.write_bytes(b"as it was")
                    child = Started("-s", "5500x5500x1", "--verify", "freivalds", "--min-time", "3600s", "--max-time", "3600s", "-o", target, *limit)
                    self.addCleanup(child.process.kill)
                self.ends(child, number, signal.SIGCONT)
                self.assertEqual((target.stat().st_size, self.leftovers()), (128 + 4 * 5500 * 5500, ["c.npy"]))

    def test_nohup(self):
        child = Started("-s", "200", "--min-time", "500ms", "--max-time", "500ms", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        child.wait_for(": timing")
        self.assertEqual(child.send(signal.SIGHUP), 0, child.text)

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
                    self.assertEqual(child.wait(cli.GUARD), 2)
                    self.assertRegex(said, r"\Avkmatmul: [^\n]*Broken pipe[^\n]*\n\Z")
                else:
                    self.assertEqual((child.wait(cli.GUARD), said), (-signal.SIGPIPE, ""))


class Commands(Signals):
    def test_others(self):
        commands = {"ladder": ["-s", "3000", "--type", "f32"], "race": ["--iters", "1000000"], "explain": ["-s", "1024"], "peak": []}
        for number, (command, args) in zip(SIGNALS * 2, commands.items()):
            with self.subTest(command):
                child = Started(command, *args)
                cli.wait_until(lambda: cli.catches(child.process, number), child.process)
                self.ends(child, number)

    def test_ladder_keeps_its_rows(self):
        """Rows are there as soon as they are measured, and stay; a JSON document is written whole or not at all."""
        for format, first, said in [([], b"1a ", b"the rows above are valid"), (["--csv"], b"1a,", b"the rows above are valid"),
                                    (["--json"], None, b"there is no result")]:
            with self.subTest(format=format):
                child = None
                while child is None or not child.stop_between(" grouped: ", " auto: "):
                    child = Started("ladder", "-s", "100", "--type", "f32", "-i", "20", "-j", "0", *format, stdout=subprocess.PIPE)
                    self.addCleanup(child.process.stdout.close)
                    self.addCleanup(child.process.kill)
                    if first is not None:
                        self.assertTrue(any(line.startswith(first) for line in child.process.stdout), "no such row")
                self.ends(child, signal.SIGINT, signal.SIGCONT)
                rest = child.process.stdout.read()
                self.assertNotIn(b"fast", rest)
                self.assertTrue(child.text.endswith(b"\r\x1b[Kvkmatmul: interrupted; " + said + b"\r\n"), child.text[-90:])
                if first is None:
                    self.assertEqual(rest, b"")

    def worker(self):
        """One that takes no notice of anything, and how it tells that it was started."""
        return self.script(FAKE), self.folder / "started"

    def test_a_worker_that_hangs(self):
        worker, started = self.worker()
        for number, command in zip(SIGNALS * 2, [["tune", "-s", "64"], ["bench", "--type", "f32", "--no-host"], ["doctor"]]):
            with self.subTest(" ".join(command)):
                started.unlink(missing_ok=True)
                child = Started(*command, "--worker", worker, env={"STARTED": str(started), "XDG_CACHE_HOME": str(self.folder / "cache")})
                cli.wait_until(started.exists, child.process)
                self.ends(child, number)

    def test_twice(self):
        worker, started = self.worker()
        child = Started("bench", "--type", "f32", "--worker", worker, env={"STARTED": str(started)})
        cli.wait_until(started.exists, child.process)
        self.ends(child, signal.SIGINT, signal.SIGINT)

    def test_real_workers(self):
        for command in [["tune", "-s", "300"], ["bench", "--type", "f32", "--no-host"], ["doctor"]]:
            with self.subTest(" ".join(command)):
                child = Started(*command, env={"XDG_CACHE_HOME": str(self.folder / "cache")})
                children = pathlib.Path("/proc/%d/task/%d/children" % (child.process.pid, child.process.pid))
                cli.wait_until(lambda: children.read_text().strip(), child.process)
                self.ends(child, signal.SIGINT)
                self.assertFalse([name for name in self.leftovers() if re.search("tmp", name)])


if __name__ == "__main__":
    cli.main()
