#!/usr/bin/env python3
"""What must not cost a bench its finished rows: being killed, a full disk, a folder that goes away, a device that does; and files that are no reports."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

import cli

FAKE = pathlib.Path(__file__).resolve().parent / "fake_bench_worker.py"
SIZES = [16 + i for i in range(20)]  # more than one block of rows that are measured in turns


def timed(report):
    return {row["problem"]["m"]: row for row in report["rows"] if row["not_run"] is None}


def bench_json(lines, budget):
    """A report by the driver that is there."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as suite:
        suite.write(lines)
        suite.flush()
        done = cli.run("bench", "--suite", suite.name, "--type", "f32", "--no-host", "--budget", budget, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


class Case(cli.Case):
    @classmethod
    def setUpClass(cls):
        """What the fakes answer with, measured once."""
        if not hasattr(Case, "report"):
            Case.report = bench_json("--size 16\n", "20s")

    def setUp(self):
        super().setUp()
        self.fake = self.folder / "fake"
        self.fake.mkdir()
        device = self.report["devices"][0]
        for name, example in {"device-0": {"uuid": device["uuid"], "name": device["name"]}, "peaks": device["peaks"], "row": self.row_without_samples()}.items():
            (self.fake / (name + ".json")).write_text(json.dumps(example))
        self.out = self.folder / "out" / "report.json"
        self.out.parent.mkdir()
        self.log = self.fake / "log"
        self.suite = self.file("suite", b"".join(b"--size %d\n" % size for size in SIZES))

    def row_without_samples(self):
        row = json.loads(json.dumps(self.report["rows"][0]))
        row["time"].update({key: None for key in row["time"] if key.endswith("_ms")}, round_ends=[])
        return row

    def command(self, *args, out=None):
        return ["bench", "--worker", FAKE, "--suite", self.suite, "--type", "f32", "--no-host", "-o", out or self.out, *args]

    def env(self, faults=""):
        return {"FAKE_BENCH_FOLDER": str(self.fake), "FAKE_BENCH_LOG": self.log.name, "FAKE_BENCH_FAULTS": faults}

    def bench(self, *args, faults="", out=None, **more):
        return cli.run(*self.command(*args, out=out), env=self.env(faults), **more)

    def start(self, *args, **more):
        """A run that measures its first block of rows, and waits. It counts its own requests, whatever an earlier one was killed before it could ask."""
        self.log.unlink(missing_ok=True)
        return subprocess.Popen([cli.program, *map(str, self.command(*args))], env=dict(os.environ, LC_ALL="C.UTF-8", **self.env("begin 9:wait")),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)

    def wait_for_rows(self, child):
        """Until the first block is in the file."""
        cli.wait_until(self.out.exists, child)

    def asked(self, what):
        return sum(json.loads(line)["ask"] == what for line in self.log.read_text().splitlines())

    def read(self, path=None):
        return json.loads((path or self.out).read_text())

    def one_error(self, done, pattern, code=2, count=1):
        self.assertEqual(done.returncode, code, done.stderr)
        errors = [line for line in done.stderr.splitlines() if not line.startswith("vkmatmul: warning: ")]
        self.assertEqual(len(errors), count, done.stderr)
        self.assertRegex(errors[0], pattern)


class Ended(Case):
    def left(self, number):
        """The report that a signal leaves, and what the run said."""
        child = self.start()
        self.wait_for_rows(child)
        child.send_signal(number)
        _, stderr = child.communicate(timeout=cli.GUARD)
        self.assertEqual(os.listdir(self.out.parent), [self.out.name])
        report = self.read()
        self.assertEqual((report["complete"], sorted(timed(report))), (False, SIZES[:8]))
        return report, child.returncode, stderr

    def test_killed(self):
        self.left(signal.SIGKILL)
        self.one_error(self.bench(), "report.json already exists: --force replaces it$")
        self.assertEqual(cli.run("compare", self.out, self.out).returncode, 0)

    def test_interrupted(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(number.name):
                before, code, stderr = self.left(number)
                self.assertEqual((code, before["note"]), (128 + number, "interrupted by signal %d" % number))
                self.assertRegex(stderr, r"\Avkmatmul: warning: interrupted; .*report\.json has 8 rows\n\Z")
                self.out.unlink()

    def test_every_format_is_whole_at_any_time(self):
        for name, start in {"r.jsonl": "{", "r.csv": "device,", "r.md": "vkmatmul ", "r.xml": "<?xml"}.items():
            with self.subTest(name):
                self.out = self.out.with_name(name)
                child = self.start()
                self.wait_for_rows(child)
                child.kill()
                child.communicate()
                text = self.out.read_text()
                self.assertTrue(text.startswith(start) and text.endswith("\n"))
                self.assertIn(str(SIZES[7]), text)


class Disk(Case):
    def limited(self, limit, **more):
        def limit_size():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return self.bench(preexec_fn=limit_size, **more)

    def test_full_while_rows_come(self):
        whole = self.folder / "whole.json"
        self.assertEqual(self.bench(out=whole).returncode, 0)
        done = self.limited(whole.stat().st_size * 3 // 4)
        self.one_error(done, r"cannot write .*report\.json: File too large")
        self.assertEqual((sorted(timed(self.read())), self.read()["complete"]), (SIZES[:8], False))
        self.assertEqual(os.listdir(self.out.parent), [self.out.name])

    def test_not_a_regular_file(self):
        """Is written once, at the end."""
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.out.symlink_to("/dev/full")
        self.one_error(self.bench(), r"cannot write .*report\.json: No space left on device")
        self.assertEqual(self.asked("begin"), len(SIZES))

    def test_standard_output_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for format in ["--json", "--jsonl", "--junit"]:
            with self.subTest(format), open("/dev/full", "w") as full:
                done = self.bench(format, stdout=full)
                self.one_error(done, "cannot write")
                self.assertTrue(timed(self.read()))
                self.out.unlink()

    def test_unwritable_before_anything_is_measured(self):
        cases = {self.folder / "nowhere" / "r.json": "cannot write .*nowhere", self.folder: "cannot write|ends with none of",
                 self.folder / "report.txt": "ends with none of"}
        locked = self.folder / "locked.json"
        locked.write_text("old\n")
        locked.chmod(0o400)
        if os.geteuid() != 0:  # root may write everything
            cases[locked] = "cannot write .*locked.json"
        for path, pattern in cases.items():
            with self.subTest(path):
                self.one_error(self.bench(out=path), pattern)
        self.assertFalse((self.fake / "log").exists())
        self.assertEqual(locked.read_text(), "old\n")

    def test_the_folder_goes_away(self):
        child = self.start()
        self.wait_for_rows(child)
        shutil.rmtree(self.out.parent)
        (self.fake / "go").touch()
        _, stderr = child.communicate(timeout=cli.GUARD)
        self.assertEqual(child.returncode, 2, stderr)
        self.assertRegex(stderr, r"vkmatmul: cannot write [^\n]*report\.json[^\n]*\n")
        self.assertFalse(self.out.parent.exists())


class Device(Case):
    def rows(self, faults, budget="20s"):
        done = self.bench("--budget", budget, "--force", faults=faults)
        return done, self.read() if self.out.exists() else None

    def test_lost_once(self):
        for kind in ["lost", "crash", "garbage", "torn"]:
            with self.subTest(kind):
                (self.fake / "log").unlink(missing_ok=True)
                done, report = self.rows("round 3:" + kind)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                missing, = [row for row in report["rows"] if row["not_run"] is not None]
                self.assertRegex(missing["not_run"], "lost|process that measured")
                self.assertNotIn("\x1b", done.stdout)
                self.assertEqual(len(timed(report)), len(SIZES) - 1)
                self.assertIsNone(report["devices"][0]["failed"])
                self.assertEqual(self.asked("hello"), 2)

    def test_lost_for_good(self):
        done, report = self.rows("round 60:lost,hello 2:lost,hello 3:exit,hello 4:lost")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Avkmatmul: warning: .* is abandoned: [^\n]*\n\Z")
        self.assertEqual(len(report["rows"]), len(SIZES))
        self.assertGreaterEqual(len(timed(report)), 8)
        self.assertLess(len(timed(report)), len(SIZES))
        self.assertTrue(report["devices"][0]["failed"])

    def test_never_there(self):
        for kind in ["exit", "alien", "bare", "types", "huge"]:
            with self.subTest(kind):
                self.out.unlink(missing_ok=True)
                done, _ = self.rows("hello:" + kind)
                self.assertIn(done.returncode, [3, 4, 6], done.stderr)
                self.assertRegex(done.stderr, r"(?m)^vkmatmul: nothing could be measured: [^\n]*$")

    def test_hangs(self):
        """It is waited for as long as the budget makes sensible, then killed; a process that heeds no signal too."""
        done, report = self.rows("begin:hang", budget="700ms")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^vkmatmul: nothing could be measured: no answer within")
        self.assertTrue(any("no answer within" in row["not_run"] for row in report["rows"]))


class Files(Case):
    """compare and report with what is no report."""

    def refuse(self, name, data):
        path = self.file(name, data)
        page = self.folder / "page.html"
        good = self.file("good.json", json.dumps(self.report).encode())
        for args in [["compare", good, path], ["report", path, "-o", page]]:
            done = cli.run(*args)
            self.assertEqual(done.returncode, 2, (args, done.stderr))
            self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*\n\Z")
            self.assertIn(name, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(page.exists())

    def changed(self, change):
        report = json.loads(json.dumps(self.report))
        change(report)
        return json.dumps(report).encode()

    def test_foreign(self):
        text = json.dumps(self.report).encode()
        cases = {"empty": b"", "space": b" \n\n", "object": b"{}", "list": b"[]", "number": b"7", "other": b'{"schema": "clpeak/1", "rows": []}',
                 "later": text.replace(b"vkmatmul.bench/1", b"vkmatmul.bench/2"), "half": text[:len(text) // 2], "prose": b"GFLOP/s: 12\n",
                 "npy": cli.npy_bytes([[1.0]]), "binary": bytes(range(256)), "nul": text.replace(b'"rows"', b'"ro\\u0000ws"'), "latin": text.replace(b"cpu", b"\xe9"),
                 "deep": b"[" * 100000, "deeper": b'{"a":' * 100000, "head": b'{"schema": "vkmatmul.bench.head/1"}\n[]\n'}
        for name, data in cases.items():
            with self.subTest(name):
                self.refuse(name + ".json", data)

    def test_damaged(self):
        def set_at(*path):
            def change(report, value=path[-1]):
                for key in path[:-2]:
                    report = report[key]
                report[path[-2]] = value
            return change

        changes = {"negative": set_at("rows", 0, "time", "kernel_ms", "samples", [-1.0]), "text": set_at("rows", 0, "time", "kernel_ms", "samples", ["x"]),
                   "device": set_at("rows", 0, "device", 7), "below": set_at("rows", 0, "device", -1), "rows": set_at("rows", "none"),
                   "row": set_at("rows", 0, None), "problem": set_at("rows", 0, "problem", "m", "many"),
                   "huge": set_at("rows", 0, "problem", "m", 2 ** 62), "minus": set_at("rows", 0, "problem", "k", -3),
                   "rounds": set_at("rows", 0, "time", "round_ends", [5, 3]), "devices": set_at("devices", {}), "type": set_at("rows", 0, "problem", "type", "f7")}
        for name, change in changes.items():
            with self.subTest(name):
                self.refuse(name + ".json", self.changed(change))

    def test_not_a_file(self):
        good = self.file("good.json", json.dumps(self.report).encode())
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        for path in [self.folder / "nowhere.json", self.folder, pipe]:
            with self.subTest(path):
                self.bad(2, path.name, "compare", good, path)
                self.bad(2, path.name, "report", path)

    def test_a_hostile_report_is_only_text(self):
        name = "\x1b[2J<script>alert(1)</script>\u202e\n| `"
        report = self.file("hostile.json", self.changed(lambda r: (r["devices"][0].update(name=name, label=name, driver_name=name), r["rows"][0]["kernel"].update(name=name))))
        for args in [["compare", report, report], ["report", report], ["compare", report, report, "--md"]]:
            done = cli.run(*args)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b[2J", done.stdout + done.stderr)
            self.assertNotIn("\u202e", done.stdout + done.stderr)


cli.main()
