#!/usr/bin/env python3
"""`vkmatmul bench`: what it measures, where that goes, and that nothing a measuring process does can end it."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cli

FAKE = HERE / "fake_bench_worker.py"
SIZES = [16 + i for i in range(20)]  # more than one block of rows that are measured in turns
TINY = """# a line is a problem
--size 64
--size 32 --kernel tiled --type i32   # a kernel of the tutorials

-m 20 -n 9 -k 33 --transposeA T --beta 2 --layout col
"""


def speed(row):
    return row["gflops"]


class Case(cli.Case):
    def setUp(self):
        super().setUp()
        self.report = self.folder / "report.json"
        self.env = {"XDG_CACHE_HOME": str(self.folder / "cache")}

    def suite(self, text, name="tiny.suite"):
        return self.file(name, text.encode())


class Real(Case):
    """With the device that is there, on products so small that little but their compilation costs time."""

    def test_a_suite_from_a_file(self):
        out = self.good("bench", "--suite", self.suite(TINY), "--json", "--budget", "10m", "--max-noise", "90%", "-o", self.report,
                        env=self.env)
        shown, kept = json.loads(out), json.loads(self.report.read_text())
        self.assertEqual(shown["rows"], kept["rows"])
        self.assertEqual((kept["schema"], kept["complete"], kept["settings"]["max_noise"]), ("vkmatmul.bench/1", True, 0.9))
        self.assertEqual(list(self.folder.glob(".vkmatmul-*")), [])
        device = kept["devices"][0]
        self.assertGreater(device["peaks"]["copy_bytes_per_s"], 0)
        self.assertGreater(device["peaks"]["multiply_adds_per_s"]["f32"], 0)
        rows = [row for row in kept["rows"] if row["device"] == 0]
        self.assertEqual([(r["problem"]["m"], r["problem"]["type"], r["asked"], r["group"]) for r in rows],
                         [(64, "f32", "auto", "file"), (32, "i32", "tiled", "file"), (20, "f32", "auto", "file")])
        for row in rows:
            self.assertIsNone(row["not_run"])
            self.assertTrue(row["verify"]["passed"])
            self.assertGreater(speed(row), 0)
            series = [row["time"][key]["samples"] for key in ("kernel_ms", "submit_ms", "total_ms")]
            self.assertGreaterEqual(len(row["time"]["round_ends"]), 5)
            self.assertEqual(row["time"]["round_ends"][-1], len(series[0]))
            self.assertEqual(len(series[0]), len(series[1]))
            self.assertTrue(series[2])
        self.assertEqual([r["asked_bytes"] is None for r in rows], [True, False, True])
        self.assertEqual(rows[2]["problem"]["beta"], 2)

    def test_products_in_panels(self):
        """What does not fit is timed and proved as well, panel by panel, beside rows that fit."""
        suite = self.suite("--size 96x80x64\n--size 90x100x64 --beta 2\n--size 16\n")
        out = self.good("bench", "--suite", suite, "--memory-limit", "40000", "--no-host", "--json", "--budget", "10m", "--max-noise", "90%", env=self.env)
        rows = json.loads(out)["rows"]
        for row in rows[:2]:
            self.assertRegex(row["in_panels"] or row["not_run"], r"^\d+ panels of \d+x\d+: the matrices need \d+ bytes; the memory limit is 40000$")
            self.assertTrue(row["verify"]["passed"])
            self.assertGreater(speed(row), 0)
            self.assertEqual(row["time"]["round_ends"][-1], len(row["time"]["kernel_ms"]["samples"]))
        self.assertIsNone(rows[2]["in_panels"])
        self.assertGreater(speed(rows[2]), 0)

    def test_the_worker_holds_several_products(self):
        problem = {"m": 16, "n": 16, "k": 16, "type": "f32"}
        requests = [{"ask": "hello"}, *({"ask": "begin", "id": i, "problem": problem, "kernel": "auto", "seed": "1"} for i in (1, 2)),
                    {"ask": "round", "id": 1, "ms": 1, "full": True}, {"ask": "end", "id": 1}, {"ask": "round", "id": 1, "ms": 1},
                    {"ask": "end", "id": 2}, {"ask": "begin", "id": 3, "problem": dict(problem, k=-1)}, {"ask": "nonsense"}]
        out = self.good("bench-worker", "--device", "0", env=self.env, input="".join(json.dumps(r) + "\n" for r in requests) + "no JSON\n")
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([a["status"] for a in answers], [0, 0, 0, 0, 0, 2, 0, 2, 2, 2])
        samples = answers[3]["round"]["time"]["kernel_ms"]["samples"]
        self.assertGreater(min(samples), 0)
        self.assertEqual(samples, [float("%.9g" % ms) for ms in samples])
        self.assertTrue(answers[3]["round"]["time"]["total_ms"])


class Faked(Case):
    """With processes that are scripts; what a real one says of this machine's device is their example."""

    @classmethod
    def setUpClass(cls):
        hello, begun = cli.measured()
        cls.limits = cli.devices()[0]["limits"]
        cls.examples = {"device-0": hello, "row": begun["row"],
                        "peaks": {"copy_bytes_per_s": 1e11, "multiply_adds_per_s": {"f32": 1e12, "f64": 1e12, "i32": 1e12, "u32": 1e12},
                                  "matrix": []}}

    def setUp(self):
        super().setUp()
        self.fake = self.folder / "fake"
        self.fake.mkdir()
        self.env["FAKE_BENCH_FOLDER"] = str(self.fake)
        self.logs = 0
        self.forget()
        for name, example in self.examples.items():
            (self.fake / (name + ".json")).write_text(json.dumps(example))
        self.squares = self.suite("--size 16,32,48,64,80,96,112,128,144,160\n")

    def arguments(self, *args, suite=None):
        return ["bench", "--worker", FAKE, "--no-host", "--suite", suite or self.squares, *args]

    def bench(self, *args, faults="", code=0, stderr=r"\A\Z", suite=None):
        """The report of a run with --json."""
        env = dict(self.env, FAKE_BENCH_FAULTS=faults)
        done = cli.run(*self.arguments("--json", *args, suite=suite), env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, stderr)
        return json.loads(done.stdout) if done.stdout else None

    def asked(self, kind=None):
        path = self.fake / self.env["FAKE_BENCH_LOG"]
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line for line in lines if kind in (None, line["ask"])]

    def forget(self):
        """What was asked so far."""
        self.logs += 1
        self.env["FAKE_BENCH_LOG"] = "log-%d" % self.logs

    def not_run(self, report):
        return {row["problem"]["m"]: row["not_run"] for row in report["rows"] if row["not_run"] is not None}


class Fake(Faked):
    def test_every_row_of_a_built_in_suite(self):
        report = self.bench("--type", "f32,f64,i32,u32", suite="quick")
        self.assertEqual(len(report["rows"]), 22)
        self.assertEqual({row["group"] for row in report["rows"]}, {"square", "edge", "llm", "ladder", "skinny"})
        for row in report["rows"]:
            if row["problem"]["type"] == "f64" and not self.limits["f64"]:
                self.assertRegex(row["not_run"], "no f64")
            else:
                self.assertTrue(speed(row) or "would take" in row["not_run"], row)

    def test_weights_are_f16_in_many_formats(self):
        """On a processor too, because the suite has no other type."""
        formats = ["plain", "q8_0", "q4_0", "q4_K", "q6_K", "mxfp4", "nvfp4", "mxfp8_e4m3", "fp8_e4m3", "q4_z"]
        for more, kind in ([], "f16"), (["--type", "bf16"], "bf16"):
            problems = [row["problem"] for row in self.bench(*more, suite="weights")["rows"]]
            self.assertEqual([(p["n"], p["format_a"], p["type"]) for p in problems], [(n, f, kind) for n in (1, 8, 512) for f in formats])
            self.forget()

    def test_a_lost_process_costs_one_row(self):
        # requests 1 and 2 are hello and peaks; 3 to 10 begin the first block of eight, 11 to 50 are its rounds, 51 to 58 end it
        for number, kind, reason in [(5, "crash", "was killed by signal 11"), (5, "exit", "ended with status 3"), (12, "garbage", "an invalid answer"), (12, "torn", "ended"),
                                     (13, "array", "an invalid answer"), (14, "lost", "the device was lost"), (15, "negative", "invalid samples"),
                                     (16, "words", "invalid samples"), (17, "none", "invalid samples"), (4, "rowless", "an invalid row"),
                                     (6, "liar", "an invalid row")]:
            with self.subTest(kind):
                report = self.bench(faults="%d:%s" % (number, kind))
                lost = self.not_run(report)
                self.assertEqual(len(lost), 1, lost)
                self.assertRegex(list(lost.values())[0], reason)
                self.assertEqual(sum(speed(row) is not None for row in report["rows"]), 9)
                self.assertEqual(len(self.asked("hello")), 2)
                self.assertTrue(report["complete"])
                self.assertIsNone(report["devices"][0]["failed"])
                self.forget()

    def test_a_hanging_process_is_killed(self):
        report = self.bench("--budget", "1s", faults="3:hang", code=6, stderr="nothing could be measured: no answer within")
        self.assertRegex(self.not_run(report)[16], r"no answer within 8\.0 s; the process that measured was killed")

    def test_a_device_that_fails_three_times_is_given_up(self):
        report = self.bench(faults=",".join("%d:lost" % n for n in range(59, 70)), stderr="is abandoned: the device was lost")
        self.assertEqual(report["devices"][0]["failed"], "the device was lost")
        self.assertEqual(self.not_run(report), {144: "the device was lost", 160: "the device was lost"})
        self.forget()
        self.bench(faults="begin:crash", code=6, stderr="nothing could be measured: the process that measured was killed by signal 11")
        self.forget()
        self.bench(faults="hello:stranger", code=3, stderr="nothing could be measured: the process that measures sees another device")
        for kind in "exit", "alien", "bare", "types", "huge":
            with self.subTest(kind):
                self.forget()
                done = cli.run(*self.arguments(), env=dict(self.env, FAKE_BENCH_FAULTS="hello:" + kind))
                self.assertIn(done.returncode, [3, 4, 6], done.stderr)
                self.assertRegex(done.stderr, r"(?m)^vkmatmul: nothing could be measured: [^\n]*$")
        self.forget()
        self.bench(faults="begin:refused", code=5, stderr="nothing could be measured: no memory on the device")

    def test_a_refusal_is_no_loss(self):
        report = self.bench(faults="4:refused,13:refused")
        self.assertEqual(set(self.not_run(report).values()), {"no memory on the device"})
        self.assertEqual((len(self.not_run(report)), len(self.asked("hello"))), (2, 1))

    def test_a_wrong_product_has_no_speed(self):
        report = self.bench(faults="4:wrong", code=1, stderr=r"wrong result: 32\S* f32 auto on .*: C\[0\]\[0\] is 1, should be 2")
        wrong, = [row for row in report["rows"] if not row["verify"]["passed"]]
        self.assertEqual((wrong["problem"]["m"], speed(wrong)), (32, None))
        self.forget()
        report = self.bench(faults="end:differs", code=1, stderr="it differs")
        self.assertFalse(any(speed(row) for row in report["rows"]))

    def test_time_is_over(self):
        (self.fake / "time").write_text("%015d" % 0)  # stands still, but for one round of the first block's 40
        clock = {"LD_PRELOAD": ":".join(filter(None, [os.environ.get("LD_PRELOAD"), os.environ["VKMM_TEST_CLOCK"]])), "VKMM_TEST_TIME": str(self.fake / "time")}
        self.env.update(clock)
        reasons = self.not_run(self.bench("--budget", "10s", faults="round 30:late"))
        for name in clock:
            del self.env[name]
        self.assertTrue({144, 160} <= set(reasons) and len(reasons) < 10, reasons)
        for reason in reasons.values():
            self.assertRegex(reason, r"the suite's time per device, 10 s,")
        huge = self.suite("--size 16\n--size 400000x400000x400000\n", "huge.suite")
        self.assertRegex(self.not_run(self.bench(suite=huge))[400000], r"one product would take about \d+ s; the suite .* allows 60 s")

    def test_the_host_keeps_its_caches(self):
        """Its operands take no turns, whatever --rotating says of the devices'; and it took no turns with the only device."""
        hello = json.loads(cli.run("bench-worker", "--host", input='{"ask": "hello"}\n', env=self.env).stdout)
        if hello["status"] != 0:
            self.skipTest("needs a BLAS library")
        (self.fake / "device-host.json").write_text(json.dumps(hello))
        arguments = [word for word in self.arguments("--json", "--rotating", "8", suite=self.suite("--size 256\n")) if word != "--no-host"]
        report = json.loads(self.good(*arguments, env=self.env))
        self.assertEqual([(row["device"], row["rotating_bytes"]) for row in report["rows"]], [(0, 8 << 20), (1, 0)])
        self.assertEqual([request["rotating_bytes"] for request in self.asked("begin")], [8 << 20, 0])
        arguments = ["compare", *(word for word in arguments[1:] if word not in ("--rotating", "8"))]
        self.assertEqual([c["paired"] for c in json.loads(self.good(*arguments, env=self.env))["contenders"]], [False] * 2)
        self.bad(2, "with: no other device has rows of this suite;", *arguments, "--suite", self.suite("--size 8 --type i32\n"), env=self.env)

    def test_peaks_that_cannot_be_measured(self):
        for kind, why in [("crash", "was killed by signal 11"), ("refused", "no memory on the device")]:
            report = self.bench(faults="2:" + kind, stderr=r"\Avkmatmul: warning: the peaks of [^\n]* are unknown: [^\n]*%s[^\n]*\n\Z" % why)
            self.assertEqual((self.not_run(report), report["devices"][0]["peaks"]["copy_bytes_per_s"]), ({}, None))
            self.forget()

    def test_a_wrong_product_stays_wrong(self):
        """Whatever becomes of the process after that."""
        report = self.bench(faults="4:wrong,12:crash", code=1, stderr="wrong result: 32")
        self.assertEqual([row["problem"]["m"] for row in report["rows"] if row["verify"] and not row["verify"]["passed"]], [32])
        self.assertEqual(sum(request["problem"]["m"] == 32 for request in self.asked("begin")), 1)

    def test_outputs_that_cannot_be(self):
        self.bad(2, r"ends with none of .*\.json, \.jsonl, \.csv, \.md, \.xml", *self.arguments("-o", self.folder / "report.txt"), env=self.env)
        self.bad(2, "No such file or directory", *self.arguments("-o", self.folder / "nowhere" / "report.json"), env=self.env)
        self.assertEqual(self.asked(), [])

    def test_a_report_stays(self):
        """Finished or not, unless --force says otherwise."""
        self.bench("-o", self.report)
        whole = self.report.read_bytes()
        self.report.with_suffix(".md").write_text("mine")
        for path in [self.report, self.report.with_suffix(".md")]:
            self.forget()
            before = path.read_bytes()
            for command in ["bench", "compare"]:
                self.bad(2, "%s already exists: --force replaces it" % path.name, command, *self.arguments("-o", path, suite=self.suite("--size 8\n"))[1:],
                         env=self.env)
            self.assertEqual((path.read_bytes(), self.asked()), (before, []))
        self.bench("-o", self.report, "--force", suite=self.suite("--size 8\n"))
        self.assertLess(len(self.report.read_bytes()), len(whole))

    def test_suite_files_that_make_no_sense(self):
        for text, reason in [("--size 8\n--sise 9\n", r"bad\.suite:2: unknown option --sise; did you mean --size"),
                             ("\n\n--size 8 --iters 3\n", r"bad\.suite:3: a line of a suite may have only a problem's options"),
                             ("--size 8 --device 1\n", r"bad\.suite:1: a line of a suite"), ("--size 8 --seed 3\n", r"bad\.suite:1: a line"),
                             ("--size 8 --lda 7\n", r"bad\.suite:1: the leading dimension of A is 7"), ("ladder --size 8\n", r"bad\.suite:1: unexpected argument 'ladder'"),
                             ("# nothing\n", "contains no problems"), ("--size 8 \0\n", r"bad\.suite: a suite must be a text file"),
                             ("--size 8" + " --m 8" * 64, r"bad\.suite:1: more than 64 words")]:
            with self.subTest(text[:20]):
                self.bad(2, reason, *self.arguments(suite=self.suite(text, "bad.suite")), env=self.env)
        self.bad(2, "--suite takes quick, standard, record, weights or a file: cannot read .*nosuch: No such file", *self.arguments(suite="nosuch"),
                 env=self.env)
        self.assertEqual(self.asked(), [])

    def test_devices_take_turns(self):
        """compare: every round of a row on one device is followed by one on the other; a device that fails leaves the other alone."""
        self.env.update(self.both_drivers())
        for i in range(2):
            hello = cli.run("bench-worker", "--device", i, input='{"ask": "hello"}\n', env=self.env).stdout
            (self.fake / ("device-%d.json" % i)).write_text(hello)
        compare = ["compare", "--force", *self.arguments("-o", self.report, suite=self.suite("--size 256,512\n"))[1:]]
        table = self.good(*compare, env=self.env)
        self.assertRegex(table, r"(?m)^512\S* .*▼ 0\.5000 ?\(")
        report = json.loads(self.report.read_text())
        self.assertEqual([(r["device"], r["problem"]["m"]) for r in report["rows"]], [(0, 256), (1, 256), (0, 512), (1, 512)])
        self.assertEqual("".join(r["on"] for r in self.asked("round")), "0011" + "1100" + "0011" + "1100" + "0011")
        self.forget()
        self.same_comparison(json.loads(self.good(*compare, "--json", env=dict(self.env, FAKE_BENCH_FAULTS="round:uneven"))))
        self.forget()
        done = cli.run(*compare, env=dict(self.env, FAKE_BENCH_FAULTS="begin@1:crash"))
        report = json.loads(self.report.read_text())
        self.assertRegex(done.stderr, "only one device has a speed here")
        self.assertEqual([r["not_run"] is None for r in report["rows"]], [True, False] * 2)
        order = "".join(d["name"][0] for d in json.loads(self.good("devices", "--json", env=self.env))["devices"])
        for command in compare, ["bench", *compare[1:]]:
            for word, names in ("swiftshader,llvmpipe", "Sl"), ("1,0", order[::-1]), ("cpu", order), ("lavapipe", "l"):
                self.forget()
                if command[0] == "compare" and len(names) == 1:  # known before anything is measured
                    self.bad(2, "nothing to compare llvmpipe.* with: leave out --no-host, or name more devices; 'vkmatmul ladder'",
                             *command, "--device", word, env=self.env)
                    self.assertEqual(self.asked(), [])
                    continue
                cli.run(*command, "--device", word, env=self.env)
                report = json.loads(self.report.read_text())
                together = "2" if command[0] == "bench" and len(names) == 2 else ""  # "2 devices together"
                self.assertEqual("".join(device["name"][0] for device in report["devices"]), names + together, (command[0], word))
            self.bad(3, "no device matches \"gpu\"; there are: 0 ", *command, "--device", "cpu,gpu", env=self.env)
        self.bad(3, "\"1,0\" matches several devices: 1 \".*use an index or a UUID", "ladder", "--size", "8", "--device", "1,0", env=self.env)
        self.good("--size", "8", "--device", "cpu", *cli.FAST, env=self.env)

    def same_comparison(self, live):
        """What a live run compared is also what its file says, read by compare and on a page; ratios are those of the speeds beside them."""
        self.assertEqual([c["paired"] for c in live["contenders"]], [True] * 2)
        for row in live["rows"]:
            one, other = row["contenders"]
            self.assertAlmostEqual(other["ratio"]["middle"] / (other["gflops"] / one["gflops"]), 1, places=7)
            self.assertGreater(other["ratio"]["high"] / other["ratio"]["low"], 1.01)
        page = self.folder / "page.html"
        self.good("report", self.report, "-o", page)
        shown = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])["comparison"]
        for row in shown["rows"]:
            del row["problem"]["names"]
        for saved in json.loads(self.good("compare", self.report, "--json")), shown:
            self.assertEqual([saved[key] for key in ("rows", "means", "unclear")], [live[key] for key in ("rows", "means", "unclear")])

    def test_types_and_settings(self):
        report = self.bench("--type", "i32", "--seed", "9", "--rotating", "8", suite=self.suite("--size 16\n--size 24 --type u32\n"))
        self.assertEqual([r["problem"]["type"] for r in report["rows"]], ["i32", "u32"])
        for request in self.asked("begin"):
            self.assertEqual((request["seed"], request["rotating_bytes"]), ("9", 8 << 20))
        self.assertEqual((report["settings"]["seed"], report["rows"][0]["rotating_bytes"]), (9, 8 << 20))
        self.assertEqual(self.asked("peaks")[0]["types"], ["i32", "u32"])

    def test_methods(self):
        """--compute says how a whole suite is multiplied, but for the tutorials' kernels, which have no such thing."""
        for type, method, peaks in ("f32", "split", ["f32", "f16"]), ("f64", "modular", ["i32", "i8"]):
            self.forget()
            report = self.bench("--type", type, "--compute", method, suite="quick")
            self.assertEqual({(row["problem"]["type"], row["problem"]["method"], row["asked"]) for row in report["rows"]}, {(type, method, "auto")})
            self.assertGreater(len(report["rows"]), 9)
            self.assertEqual(self.asked("peaks")[0]["types"], peaks)
            line = "--size 96 --type %s --compute %s\n" % (type, method)
            report = self.bench(suite=self.suite(line))
            self.assertEqual([row["problem"]["method"] for row in report["rows"]], [method])
            self.bad(2, "--compute apply only to built-in suites", *self.arguments("--compute", method), env=self.env)


class Kept(Faked):
    """What must not cost a bench its finished rows: being killed, a full disk, a folder that goes away."""

    def setUp(self):
        super().setUp()
        self.rows = self.suite("--size %s\n" % ",".join(map(str, SIZES)), "rows.suite")
        self.out = self.folder / "out" / "report.json"
        self.out.parent.mkdir()

    def words(self, *args, out=None):
        return self.arguments("--type", "f32", "--budget", "10m", "-o", out or self.out, *args, suite=self.rows)

    def start(self):
        """A run whose first block of rows is in the file, and which waits."""
        self.forget()
        child = subprocess.Popen([cli.program, *map(str, self.words())], env=dict(os.environ, LC_ALL="C.UTF-8", FAKE_BENCH_FAULTS="begin 9:wait", **self.env),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        cli.wait_until(self.out.exists, child)
        return child

    def left(self, number):
        """The report that a signal leaves, and what the run said."""
        child = self.start()
        child.send_signal(number)
        _, stderr = child.communicate(timeout=cli.GUARD)
        self.assertEqual(os.listdir(self.out.parent), [self.out.name])
        report = json.loads(self.out.read_text())
        self.assertEqual((report["complete"], self.timed()), (False, SIZES[:8]))
        return report, child.returncode, stderr

    def timed(self):
        return sorted(row["problem"]["m"] for row in json.loads(self.out.read_text())["rows"] if row["not_run"] is None)

    def one_error(self, done, pattern):
        self.assertEqual(done.returncode, 2, done.stderr)
        error, = [line for line in done.stderr.splitlines() if not line.startswith("vkmatmul: warning: ")]
        self.assertRegex(error, pattern)

    def test_killed(self):
        self.left(signal.SIGKILL)
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
                child.kill()
                child.communicate()
                text = self.out.read_text()
                self.assertTrue(text.startswith(start) and text.endswith("\n"))
                self.assertIn(str(SIZES[7]), text)

    def test_full_while_rows_come(self):
        whole = self.folder / "whole.json"
        self.good(*self.words(out=whole), env=self.env)
        limit = whole.stat().st_size * 3 // 4
        done = cli.run(*self.words(), env=self.env, preexec_fn=cli.files_end_at(limit))
        self.one_error(done, r"cannot write .*report\.json: File too large")
        self.assertEqual((self.timed(), json.loads(self.out.read_text())["complete"]), (SIZES[:8], False))
        self.assertEqual(os.listdir(self.out.parent), [self.out.name])

    def test_not_a_regular_file(self):
        """Is written once, at the end."""
        self.out.symlink_to("/dev/full")
        self.one_error(cli.run(*self.words(), env=self.env), r"cannot write .*report\.json: No space left on device")
        self.assertEqual(len(self.asked("begin")), len(SIZES))

    def test_standard_output_is_full(self):
        for format in ["--json", "--jsonl"]:
            with self.subTest(format), open("/dev/full", "w") as full:
                self.one_error(cli.run(*self.words(format), env=self.env, stdout=full), "cannot write")
                self.assertTrue(self.timed())
                self.out.unlink()

    def test_the_folder_goes_away(self):
        child = self.start()
        shutil.rmtree(self.out.parent)
        (self.fake / "go").touch()
        _, stderr = child.communicate(timeout=cli.GUARD)
        self.assertEqual(child.returncode, 2, stderr)
        self.assertRegex(stderr, r"vkmatmul: cannot write [^\n]*report\.json[^\n]*\n")
        self.assertFalse(self.out.parent.exists())


if __name__ == "__main__":
    cli.main()
