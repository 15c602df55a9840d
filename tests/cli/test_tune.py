#!/usr/bin/env python3
"""`vkmatmul tune`: what it finds and keeps, that later runs use it, and that nothing a worker does can end it."""
import json
import os
import pathlib
import signal
import subprocess

import cli

FAKE = pathlib.Path(__file__).resolve().parent / "fake_tune_worker.py"
KEYS = {"schema", "tool", "device", "problem", "skipped", "best", "planned", "candidates", "failed", "wrong", "stored", "seconds",
        "trials", "failures"}
SMALL = ["--size", "32"]


class Case(cli.Case):
    """A cache of its own for every test."""

    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache" / "vkmatmul"
        self.env = {"XDG_CACHE_HOME": str(self.folder / "cache")}

    def good(self, *args, **more):
        return super().good(*args, env=dict(self.env, **more.pop("env", {})), **more)

    def rows(self, *args, **more):
        return [json.loads(line) for line in self.good(*args, "--json", **more).splitlines()]

    def entries(self):
        path = self.cache / "tuning"
        return path.read_text().splitlines()[1:] if path.exists() else []


class Real(Case):
    """With the device that is there, on products so small that a candidate costs little more than its compilation."""

    def test_tunes_keeps_and_uses(self):
        plain = self.rows(*SMALL, *cli.FAST)[0]["kernel"]
        self.assertFalse(plain["tuned"])
        row, = self.rows("tune", *SMALL, "--budget", "2s")
        self.assertEqual(set(row), KEYS)
        self.assertEqual((row["schema"], row["skipped"], row["stored"]), ("vkmatmul.tune/1", None, True))
        self.assertEqual((row["problem"]["m"], row["problem"]["type"]), (32, "f32"))
        self.assertGreaterEqual(row["candidates"], 1)
        self.assertEqual(len(row["trials"]), row["candidates"])
        self.assertEqual((row["planned"]["kernel"], row["planned"]["config"]), (plain["name"], plain["config"]))
        self.assertGreaterEqual(row["best"]["gflops"], row["planned"]["gflops"])
        self.assertEqual(len(self.entries()), 1)

        tuned, = self.rows(*SMALL, *cli.FAST)
        self.assertTrue(tuned["verify"]["passed"])
        self.assertEqual((tuned["kernel"]["tuned"], tuned["kernel"]["name"], tuned["kernel"]["config"]),
                         (True, row["best"]["kernel"], row["best"]["config"]))
        untuned = self.rows(*SMALL, "--untuned", *cli.FAST)[0]["kernel"]
        self.assertEqual((untuned["tuned"], untuned["config"]), (False, plain["config"]))
        self.assertFalse(self.rows(*SMALL, "--no-cache", *cli.FAST)[0]["kernel"]["tuned"])
        self.assertFalse(self.rows(*SMALL, "--transposeB", "T", *cli.FAST)[0]["kernel"]["tuned"])
        self.assertFalse(self.rows("--size", "64", *cli.FAST)[0]["kernel"]["tuned"])

    def test_no_cache_keeps_nothing(self):
        row, = self.rows("tune", *SMALL, "--type", "i32", "--transposeA", "T", "--budget", "300ms", "--no-cache")
        self.assertFalse(row["stored"])
        self.assertEqual((row["problem"]["type"], row["problem"]["transpose_a"]), ("i32", "T"))
        self.assertFalse(self.cache.exists())

    def test_modular(self):
        """Its product of bytes is tuned; without f64 a device uses the result for f64 as such."""
        has_f64 = cli.devices()[0]["limits"]["f64"]
        words = ["--size", "40", "--type", "f64"]
        method = ["--compute", "modular"] if has_f64 else []
        row, = self.rows("tune", *words, *method, "--budget", "2s")
        self.assertIn(" f64 f64 modular N N ", self.entries()[0])
        tuned, = self.rows(*words, *method, *cli.FAST)
        self.assertTrue(tuned["verify"]["passed"])
        self.assertEqual((tuned["kernel"]["tuned"], tuned["kernel"]["name"], tuned["kernel"]["config"], tuned["kernel"]["moduli"]),
                         (True, row["best"]["kernel"], row["best"]["config"], 15))
        if has_f64:
            self.assertFalse(self.rows(*words, *cli.FAST)[0]["kernel"]["tuned"])

    def test_everything_a_problem_can_be(self):
        row, = self.rows("tune", "-m", "20", "-n", "9", "-k", "33", "--layout", "col", "--lda", "40", "--beta", "0.5", "--batch_count", "2",
                         "--transposeB", "T", "--budget", "300ms")
        self.assertGreater(row["best"]["gflops"], 0)
        self.assertEqual(row["wrong"], 0)


def variables():
    """The environments of all processes."""
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            yield path.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended


class Fake(Case):
    """With a worker that is a script: hundreds of candidates a second, and faults at will."""

    def setUp(self):
        super().setUp()
        self.fake = self.folder / "fake"
        self.fake.mkdir()
        self.env["FAKE_WORKER_FOLDER"] = str(self.fake)
        self.device = json.loads(super().good("devices", "--json"))["devices"]
        (self.fake / "uuid").write_text(next(d["uuid"] for d in self.device if d["default"]))
        (self.fake / "time").write_text("%015d" % 0)

    def fake_time(self):
        """The clock goes on as the worker says: a budget is so many requests, however fast the machine is."""
        preload = filter(None, [os.environ.get("LD_PRELOAD"), os.environ["VKMM_TEST_CLOCK"]])
        return {"LD_PRELOAD": ":".join(preload), "VKMM_TEST_TIME": str(self.fake / "time")}

    def tune(self, *args, faults="", code=0, stderr="", size="1024"):
        env = dict(self.env, FAKE_WORKER_FAULTS=faults, **self.fake_time())
        done = cli.run("tune", "--worker", FAKE, "--size", size, "--json", *args, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"\A(?:%s)\Z" % stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def requests(self):
        path = self.fake / "log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @staticmethod
    def candidates(request):
        return [(c["kernel"], c["config"]) for c in request["candidates"]]

    def tried(self):
        return [self.candidates(r)[0] for r in self.requests() if r["ask"] == "try"]

    def test_finds_what_is_fast(self):
        row, = self.tune("--budget", "3s")
        tried, requests = self.tried(), self.requests()
        self.assertEqual(row["seconds"], int((self.fake / "time").read_text()) / 1000)  # the clock is the worker's
        self.assertEqual(row["candidates"], len(tried))
        self.assertEqual({(t["kernel"], t["config"]) for t in row["trials"]}, set(tried))
        times = [t["ms"] for t in row["trials"]]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], 0)
        self.assertEqual((row["failed"], row["wrong"]), (0, 0))
        self.assertGreater(len(tried), 50)
        self.assertEqual(len(set(tried)), len(tried))
        self.assertEqual(tried[0], (row["planned"]["kernel"], row["planned"]["config"]))
        self.assertIn("rows=64", row["best"]["config"])
        self.assertIn("thread-cols=8", row["best"]["config"])
        self.assertEqual(row["best"]["kernel"], "blocked")
        for request in requests[-3:]:  # the fastest against the planner's choice
            self.assertEqual((request["ask"], self.candidates(request)[0]), ("duel", tried[0]))
        self.assertTrue(row["stored"])

    def test_split(self):
        """Configurations of the kernel that multiplies parts, with no others; each legal for parts."""
        words = ["--size", "32x32x1056", "--compute", "split"]
        row = cli.run("tune", "--size", "99", *words[2:], env=self.env)
        if "split needs matrix operations" in row.stderr:
            self.skipTest("no matrix operations of f16 summed in f32")
        self.assertRegex(row.stderr, "K = 99 in f32, not as parts, which would be less precise")
        row, = self.tune("--compute", "split", "--budget", "1s", size=words[1])
        tried = self.tried()
        self.assertGreater(len(tried), 3)
        self.assertEqual({kernel for kernel, _ in tried}, {row["planned"]["kernel"]})
        self.assertTrue(all(int(dict(word.split("=") for word in config.split(","))["depth"]) % 32 == 0 for _, config in tried), tried)
        tuned, = self.rows(*words, *cli.FAST)
        self.assertEqual((tuned["kernel"]["tuned"], tuned["kernel"]["config"], tuned["problem"]["method"], tuned["verify"]["passed"]),
                         (True, row["best"]["config"], "split", True))
        self.assertFalse(self.rows(*words[:2], *cli.FAST)[0]["kernel"]["tuned"])

    def test_each_fault_costs_one_candidate(self):
        faults = {3: "crash", 5: "exit", 7: "garbage", 9: "wrong", 11: "lost", 13: "refused", 15: "nan", 17: "zero"}
        row, = self.tune("--budget", "4s", faults=",".join("%d:%s" % f for f in faults.items()),
                         stderr=r"vkmatmul: warning: 1 configuration gave wrong products, the first being .*should be 2\n")
        tried = self.tried()
        self.assertEqual((row["failed"], row["wrong"]), (len(faults), 1))
        lost = "process or device lost"
        self.assertEqual([f["reason"] for f in row["failures"]], [lost, lost, lost, "wrong result", lost, "not supported by the device", lost, lost])
        self.assertEqual([(f["kernel"], f["config"]) for f in row["failures"]], [tried[n - 1] for n in faults])
        self.assertEqual(row["failures"][5]["sentence"], "this device cannot")
        self.assertEqual(row["candidates"], len(tried) - len(faults))
        self.assertGreater(len(tried), 30)
        self.assertEqual(len(set(tried)), len(tried))
        self.assertNotIn((row["best"]["kernel"], row["best"]["config"]), [tried[n - 1] for n in faults])

    def test_a_worker_that_hangs_is_killed(self):
        code, out, _ = self.interrupt(12, faults="4:hang")
        row = json.loads(out)
        self.assertEqual((code, row["failed"]), (130, 1))
        self.assertEqual([f["reason"] for f in row["failures"]], ["no answer in time"])
        self.assertGreater(row["candidates"], 6)
        mine = os.fsencode("FAKE_WORKER_FOLDER=%s" % self.fake)
        self.assertFalse([one for one in variables() if mine in one])

    def test_a_boast_is_seen_through(self):
        """One candidate claims a thousandfold speed; beside the planner's choice it must show it."""
        row, = self.tune("--budget", "2s", faults="2:boast", size="256")
        tried = self.tried()
        self.assertEqual(self.candidates([r for r in self.requests() if r["ask"] == "duel"][0])[1], tried[1])
        self.assertLess(row["best"]["gflops"], 100 * row["planned"]["gflops"])

    def test_without_a_won_duel_the_planner_is_kept(self):
        row, = self.tune("--budget", "2s", faults="duel:crash")
        self.assertEqual((row["best"]["kernel"], row["best"]["config"]), (row["planned"]["kernel"], row["planned"]["config"]))
        self.assertEqual(row["best"]["gflops"], row["planned"]["gflops"])
        self.assertGreaterEqual(row["failed"], 3)
        self.assertEqual(len(self.entries()), 1)

    def test_a_wrong_planner_is_an_error(self):
        row, = self.tune("--budget", "2s", faults="1:wrong", code=1, stderr=r"vkmatmul: warning: 1 configuration gave [^\n]*\n"
                         r"vkmatmul: the planner's own choice cannot be used: C\[0\]\[0\] is 1, should be 2\n")
        self.assertIsNone(row["planned"]["gflops"])
        self.assertGreater(row["best"]["gflops"], 0)

    def test_no_worker(self):
        (self.fake / "uuid").write_text("12345678-0000-0000-0000-000000000000")
        self.assertEqual(self.tune("--budget", "1s", code=3, stderr=r"vkmatmul: the process that measures sees another device: [^\n]*\n"), [])
        done = cli.run("tune", "--worker", "/nowhere/worker", *SMALL, env=self.env)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot start /nowhere/worker: ", done.stderr)

    def interrupt(self, requests, faults=""):
        """A tune without end, which is interrupted after so many requests."""
        env = dict(os.environ, LC_ALL="C.UTF-8", FAKE_WORKER_FAULTS=faults, **self.env)
        command = [cli.program, "tune", "--worker", str(FAKE), "--size", "1024", "--budget", "1h", "--json"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cli.wait_until(lambda: len(self.requests()) >= requests, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=cli.GUARD)
        return process.returncode, out, err

    def test_an_interrupted_tune_keeps_its_best(self):
        code, out, err = self.interrupt(30)
        self.assertEqual(code, 130)
        self.assertRegex(err, r"\Avkmatmul: warning: interrupted\n\Z")
        self.assertGreaterEqual(json.loads(out)["candidates"], 28)
        self.assertEqual(len(self.entries()), 1)

    def test_the_budget_is_for_all(self):
        rows = self.tune("--budget", "3s", "--type", "f32,i32", size="64,128")
        self.assertEqual([(r["problem"]["m"], r["problem"]["type"]) for r in rows], [(64, "f32"), (128, "f32"), (64, "i32"), (128, "i32")])
        self.assertEqual(len(self.entries()), 4)
        self.assertLess(sum(r["seconds"] for r in rows), 3.5)

    def test_default_sizes_leave_out_what_is_too_slow(self):
        env = dict(self.env, **self.fake_time())
        done = cli.run("tune", "--worker", FAKE, "--json", "--budget", "2s", env=env)  # 5 ms for every size, so that none is
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([json.loads(line)["problem"]["m"] for line in done.stdout.splitlines()], [256, 512, 1024, 2048, 4096])

    def test_export_and_import(self):
        shared, other = self.folder / "shared", {"XDG_CACHE_HOME": str(self.folder / "elsewhere")}
        self.tune("--budget", "3s", size="64,256")
        self.assertEqual(self.good("tune", "--export", shared), "2 results exported to %s\n" % shared)
        self.assertEqual(self.good("tune", "--import", shared, env=other), "2 results imported from %s\n" % shared)
        self.assertEqual((self.folder / "elsewhere" / "vkmatmul" / "tuning").read_text(), shared.read_text())
        damaged = self.file("damaged", shared.read_bytes().replace(b"rows=", b"rowz=", 1))
        self.bad(2, "1 damaged line, the first at line [23]; nothing is imported", "tune", "--import", damaged, env=other)
        self.bad(2, "cannot read", "tune", "--import", self.folder / "absent", env=self.env)
        self.bad(2, "leave out sizes", "tune", "--import", shared, "--size", "5", env=self.env)
        self.bad(2, "need the cache", "tune", "--export", shared, "--no-cache", env=self.env)

    def test_table(self):
        for locale in ["C", "C.UTF-8"]:
            text = self.good("tune", "--worker", FAKE, "--size", "64,1000x20x3000", "--budget", "1s", env={"LC_ALL": locale, **self.fake_time()})
            lines = text.splitlines()[1:]
            self.assertTrue(all(len(line) <= 80 and line == line.rstrip() for line in lines), text)
            self.assertRegex(lines[0], r"^size +type +kernel +GFLOP/s +planner's +gain +tried +failed$")
            self.assertRegex(text, r"(?m)^64(\^3|³) +f32 +(blocked|cpu|skinny) +[\d.]+ +[\d.]+ +[+-]\d+ % +\d+ +0$")
            if locale == "C":
                text.encode("ascii")

    def test_table_of_failures(self):
        """Counted by reason, and listed if asked for."""
        more = {"env": {"FAKE_WORKER_FAULTS": "3:refused,5:lost,7:refused", **self.fake_time()}}
        words = ["tune", "--worker", FAKE, "--size", "64", "--budget", "1s"]
        counts = ["    2 failed: not supported by the device", "    1 failed: process or device lost"]
        self.assertEqual(self.good(*words, **more).splitlines()[-2:], [line + " (-v lists them)" for line in counts])
        (self.fake / "log").unlink()
        lines = self.good(*words, "-v", **more).splitlines()[-5:]
        self.assertEqual([lines[0], lines[3]], counts)
        for line in lines[1:3]:
            self.assertRegex(line, "^        [a-z]+ rows=[^ ]+: this device cannot$")
        self.assertRegex(lines[4], "^        [a-z]+ rows=[^ ]+: the device was lost$")

    def test_refuses(self):
        self.bad(2, "--budget takes a time with a unit", "tune", "--budget", "60", env=self.env)
        self.bad(2, "cannot be tuned", "tune", "--size", "0", env=self.env)
        self.bad(2, "leading dimension of A is 4", "tune", "--size", "8", "--lda", "4", env=self.env)
        self.bad(3, "Voodoo 2", "tune", "--device", "Voodoo 2", env=self.env)
        self.bad(2, "unknown command 'tune-work'", "tune-work", env=self.env)


class Terminal(Case):
    def test_progress(self):
        code, text = cli.on_terminal("tune", "--size", "32", "--budget", "1s", stdout=subprocess.DEVNULL, env=dict(self.env, TERM="xterm"))
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"tune 32³ f32: 0 of ~\d+, \d+ s left")


if __name__ == "__main__":
    cli.main()
