#!/usr/bin/env python3
"""`vkmatmul record`: what it writes about a device, what it keeps to itself, and what is left when a part of it ends early."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys

import cli
import schema

FAKE = pathlib.Path(__file__).resolve().parent / "fake_bench_worker.py"
# Stands for the processes that measure: the program itself with a fast clock, or Python code in place of one.
WORKER = """import json, os, sys, time
os.environ["LD_PRELOAD"] = ":".join(filter(None, map(os.environ.get, ["LD_PRELOAD", "VKMM_TEST_FAST_CLOCK"])))
exec(%r.get(sys.argv[1], "os.execv(%r, sys.argv)"))
"""
# Answers for check-worker: one right case of each part.
CHECK = """
for line in sys.stdin:
    request = json.loads(line)
    case = {"status": 0} if request.get("first", 0) > 0 else {"status": 0, "index": 0, "case": "one", "passed": True}
    print(json.dumps(%r if request["ask"] == "hello" else case), flush=True)
"""
FAKE_BENCH = "os.execv(%r, sys.argv)" % str(FAKE)
ANSWERS = """
for line in sys.stdin:
    print(json.dumps(%r[json.loads(line)["ask"]]), flush=True)
"""


class Record(cli.Case):
    @classmethod
    def setUpClass(cls):
        cls.hello, cls.begun = cli.measured()
        # Any configuration takes 2 ms, and 1 ms in the end.
        cls.tuned = {"hello": cls.hello, "problem": {"status": 0}, "try": {"status": 0, "ms": [2, 0], "rounds": 5},
                     "duel": {"status": 0, "ms": [2, 1], "ratio": 0.5, "upper": 0.6, "rounds": 9}}
        cls.device = cli.devices()[0]

    def setUp(self):
        super().setUp()
        self.path = self.folder / "record.json"
        self.env = {"XDG_CACHE_HOME": str(self.folder / "cache"), "FAKE_BENCH_FOLDER": str(self.folder)}
        self.file("device-0.json", json.dumps(self.hello).encode())
        self.file("row.json", json.dumps(self.begun["row"]).encode())
        self.file("peaks.json", json.dumps({"copy_bytes_per_s": 1e11, "multiply_adds_per_s": {"f32": 1e12}, "matrix": []}).encode())

    def arguments(self, *args, **stand_ins):
        """stand_ins: by the first word of a hidden command. Rows cost no time."""
        usual = {"check": CHECK % self.hello, "bench": FAKE_BENCH, "tune": ANSWERS % self.tuned}
        worker = self.script(WORKER % ({word + "-worker": code for word, code in {**usual, **stand_ins}.items()}, cli.program))
        return ["record", "-o", self.path, "--type", "f32", "--worker", worker, *args]

    def written(self):
        text = self.path.read_text()
        record = json.loads(text)
        schema.check(record)
        self.assertLess(len(text), 300000)
        self.assertEqual(text.count("\n"), 1)
        self.check_anonymous(text)
        return record

    def check_anonymous(self, text):
        secrets = [self.device["uuid"], self.device["driver_uuid"], self.device["pci"], str(self.folder), os.environ.get("HOME"), socket.gethostname()]
        for secret in filter(None, secrets):
            self.assertIsNone(re.search(r"(?<!\w)" + re.escape(json.dumps(secret)[1:-1]) + r"(?!\w)", text), secret)

    def test_all_of_it(self):
        arguments = self.arguments()
        done = cli.run(*arguments, env=self.env)
        # How many depends on the peaks, which a busy machine may measure as almost nothing.
        self.assertRegex(done.stdout, r"(?s)\AMeasuring .*: 9 products,.* three minutes\s+at\s+most;.*\nWrote .*record\.json: [0-9] of 9 products have a\s+result\.\n\Z")
        record = self.written()
        # What test_check.py knows of lavapipe is in the record, and the exit status says so.
        self.assertLessEqual({part["part"] for part in record["check"]["parts"] if part["failures"]}, {"reductions"})
        too_slow = all(row["not_run"] for row in record["rows"])
        self.assertRegex(done.stderr, r"\Avkmatmul: nothing could be measured: one product would take [^\n]*\n\Z" if too_slow else r"\A\Z")
        self.assertEqual(done.returncode, 4 if too_slow else 0 if record["check"]["passed"] else 1)
        self.assertEqual((record["schema"], record["complete"], record["tool"]["command"]), ("vkmatmul.record/1", True, None))
        self.assertEqual([device["name"] for device in record["devices"]], [record["device"]["name"]])
        self.assertEqual([check["check"] for check in record["doctor"]], ["timestamps", "shared", "range", "products"])
        self.assertNotIn("problem", [check["verdict"] for check in record["doctor"]])
        self.assertEqual((record["check"]["passed"], [(part["part"], part["run"], part["passed"]) for part in record["check"]["parts"]]),
                         (True, [(name, 1, 1) for name in ["numbers", "device", "matrices", "reductions", "products"]]))
        self.assertEqual([each["type"] for each in record["peak"]["types"]], ["f32"])
        # The bench does not measure them again; a faster row may raise them.
        self.assertGreaterEqual(record["devices"][0]["peaks"]["multiply_adds_per_s"]["f32"] * 2.001, record["peak"]["types"][0]["flops"])
        self.assertTrue(record["pipelines"])
        for pipeline in record["pipelines"]:
            self.assertGreater(pipeline["compile_ms"], 0)
        self.check_tunes(record)
        self.assertEqual([row["problem"]["m"] for row in record["rows"]][:3], [256, 512, 1024])
        self.assertIn("not run: " if too_slow else record["device"]["name"][:8], self.good("report", self.path))
        self.bad(2, "already exists: --force replaces it", *arguments)

    def check_tunes(self, record):
        """The build takes them for the planner's table; nobody's cache has them."""
        tunes = record["tunes"]
        self.assertEqual([tune["problem"]["m"] for tune in tunes][:3], [256, 512, 1024])
        for tune in tunes:
            self.assertAlmostEqual(tune["best"]["gflops"] / tune["planned"]["gflops"], 2)
            self.assertNotEqual(tune["best"]["config"], tune["planned"]["config"])
        table = self.folder / "recorded.inc"
        subprocess.run([sys.executable, cli.ROOT / "data" / "recorded.py", "-o", table, self.path], check=True)
        rows = re.findall(r'VKMM_F32, VKMM_F32, VKMM_F32, VKMM_OP_N, VKMM_OP_N, (\d+), \d+, \d+, {"[a-z]+", "([^"]+)"}, "([^"]+)"}', table.read_text())
        self.assertEqual([(int(m), best, planned) for m, best, planned in rows],
                         [(tune["problem"]["m"], tune["best"]["config"], tune["planned"]["config"]) for tune in tunes])
        self.assertFalse((self.folder / "cache" / "vkmatmul" / "tuning").exists())

    def test_show(self):
        text = self.good("record", "--show")
        record = json.loads(text)
        schema.check(record)
        self.check_anonymous(text)
        self.assertEqual(record["device"], dict(self.device, uuid=None, driver_uuid=None, pci=None))
        self.assertEqual([record[key] for key in ["doctor", "check", "peak", "pipelines", "tunes", "rows"]], [None] * 5 + [[]])
        self.assertFalse(self.path.exists())

    def test_parts_that_fail(self):
        """A process that fails costs its part, and its sentence loses the paths. What remains is measured."""
        failure = {"status": 5, "sentence": "cannot read '/home/my name/a.so', nor C:\\me\\b, D:/c, a/b or ~/c"}
        arguments = self.arguments(doctor="sys.exit(3)", check="sys.exit(4)", tune="sys.exit(5)", peak=ANSWERS % {"hello": failure})
        done = cli.run(*arguments, env=self.env)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the peaks are unknown: cannot read '/home/my name/a.so'", done.stderr)
        record = self.written()
        self.assertEqual([(check["verdict"], check["sentence"]) for check in record["doctor"]],
                         [("problem", "the process that examined this device ended with status 3")])
        self.assertEqual((record["check"]["passed"], record["check"]["parts"][0]["failures"][0]["sentence"]), (False, "the process that ran it ended with status 4"))
        self.assertEqual(record["peak"], {"reason": "cannot read '(path)', nor (path), (path), a/b or (path)"})
        self.assertTrue(record["complete"] and record["pipelines"])
        self.assertEqual(record["tunes"], [])
        self.check_rows(record)

    def check_rows(self, record):
        """All rows have a result, as they have by the peaks of peaks.json."""
        self.assertEqual([row["not_run"] for row in record["rows"]], [None] * 9)
        for row in record["rows"]:
            self.assertTrue(row["verify"]["passed"])
            self.assertLessEqual(len(row["time"]["kernel_ms"]["samples"]), max(40, len(row["time"]["round_ends"])))
            self.assertEqual(row["time"]["round_ends"][-1], len(row["time"]["kernel_ms"]["samples"]))
        read = json.loads(self.good("report", self.path, "--json"))
        self.assertEqual([[row["time"], row["gflops"]] for row in read["rows"]], [[row["time"], row["gflops"]] for row in record["rows"]])
        self.assertIn("256³", self.good("compare", self.path, self.path))

    def test_interrupted(self):
        """What was measured before a signal is kept."""
        reached = self.folder / "reached"
        peak = {"copy": {"bytes_per_s": 1e10}, "rates": [], "types": [], "matrix": [], "no_matrix": None}
        arguments = self.arguments(peak=ANSWERS % {"hello": self.hello, "peak": {"status": 0, "peaks": {}, "peak": peak}},
                                   statistics="open(%r, 'w').close(); time.sleep(3600)" % str(reached))
        process = subprocess.Popen([cli.program, *map(str, arguments)], env=dict(cli.environment("record"), **self.env),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cli.wait_until(reached.exists, process)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=cli.GUARD)[1]
        self.assertEqual(process.returncode, 130, error)
        self.assertRegex(error, r"interrupted; .*record\.json has 0 rows")
        record = self.written()
        self.assertEqual((record["complete"], record["note"], record["rows"]), (False, "interrupted by signal 2", []))
        self.assertEqual(record["peak"]["copy"]["bytes_per_s"], 1e10)

    def test_committed(self):
        """The records of data/devices keep to the schema and the limit, and reports read them."""
        paths = sorted((cli.ROOT / "data" / "devices").glob("*.json"))
        self.assertTrue(paths)
        for path in paths:
            text = path.read_text()
            schema.check(json.loads(text))
            self.assertLessEqual(len(text), 300000)
            self.assertIn("GFLOP/s", self.good("report", path, "--type", "f32"))

    def test_words(self):
        self.bad(2, "record needs -o FILE.json, or --show to measure nothing", "record")
        self.bad(2, r"record writes JSON, but 'a\.csv' does not end in \.json", "record", "-o", "a.csv")


cli.main()
