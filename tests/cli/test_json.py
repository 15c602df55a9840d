#!/usr/bin/env python3
"""The JSON's keys are a promise; the other formats say the same things."""
import json
import re
import subprocess
import xml.etree.ElementTree

import cli
from cli import FAST, strict

KEYS = {
    "": {"schema", "tool", "device", "problem", "kernel", "time", "gflops", "verify"},
    "tool": {"version", "shader_hash", "command"},
    "device": {"name", "type", "index", "uuid", "vendor_id", "device_id", "driver_name", "driver_info", "driver_id", "driver_version",
               "driver_uuid", "api_version"},
    "problem": {"type", "m", "n", "k", "seed", "init", "layout", "transpose_a", "transpose_b", "lda", "ldb", "ldc", "offset_a", "offset_b",
                "offset_c", "batch_count", "stride_a", "stride_b", "stride_c", "alpha", "beta"},
    "kernel": {"name", "tile", "workgroup", "groups", "shared_bytes", "spec_constants", "shader", "config", "tuned", "splits", "whole_rows", "items",
               "workspace_bytes", "packed_bytes"},
    "time": {"kernel_ms", "submit_ms", "total_ms", "clock", "clock_note", "mapped", "stable"},
    "verify": {"method", "passed", "error", "bound", "sentence"},
}


class Run(cli.Case):
    def one(self, *args):
        text = self.good(*args, "--json", *FAST)
        self.assertEqual(text.count("\n"), 1)
        return strict(text)

    def test_keys(self):
        result = self.one("--size", "40x50x60", "--tile", "16", "--seed", "7", "--init", "int", "--kernel", "tiled")
        for part, keys in KEYS.items():
            self.assertLessEqual(keys, set(result[part] if part else result), part)
        self.assertEqual(result["schema"], "vkmatmul.run/1")
        self.assertLessEqual({"type": "f32", "m": 40, "n": 50, "k": 60, "seed": 7, "init": "int"}.items(), result["problem"].items())
        self.assertEqual(result["kernel"]["name"], "tiled")
        self.assertEqual(result["kernel"]["tile"], [16, 16])
        self.assertEqual(result["kernel"]["workgroup"], [16, 16, 1])
        self.assertEqual([result["kernel"]["spec_constants"][str(i)] for i in range(4)], [16] * 4)
        self.assertTrue(result["verify"]["passed"])
        self.assertGreater(result["gflops"], 0)
        for series in ["kernel_ms", "submit_ms", "total_ms"]:
            self.assertEqual(set(result["time"][series]), {"median", "min", "count", "outliers"})
        self.assertAlmostEqual(result["gflops"], 2 * 40 * 50 * 60 / result["time"]["kernel_ms"]["median"] * 1e-6, delta=result["gflops"] * 1e-5)
        self.assertRegex(result["device"]["api_version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(result["device"]["uuid"], r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertRegex(result["tool"]["shader_hash"], r"^[0-9a-f]{16}$")
        self.assertIn("--size 40x50x60 --tile 16", result["tool"]["command"])

    def test_few_samples(self):
        """One sample has no spread, and what did not settle is marked; the table says how many samples there were."""
        for count, more in [(1, set()), (3, {"p5", "p95"})]:
            series = strict(self.good("--size", "8", "--json", "-i", str(count), "-j", "0"))["time"]["kernel_ms"]
            self.assertEqual((set(series), series["count"]), ({"median", "min", "count", "outliers"} | more, count))
        text = self.good("--size", "8", "-i", "1", "-j", "0")
        self.assertRegex(text, r"samples .*\n8³ .* [\d.e-]+\*?~ +– +1 ")
        self.assertIn("\n~ not stable: sampling ended before the median was precise enough\n", text)
        self.assertNotIn("outliers", text)

    def test_samples(self):
        """On request alone: a result of many samples is still short."""
        words = ["--size", "8", "--json", "-i", "300", "-j", "0"]
        self.assertNotIn('"samples":', self.good(*words))
        time = strict(self.good(*words, "--samples"))["time"]
        self.assertEqual([len(time[key]["samples"]) for key in ("kernel_ms", "submit_ms")], [300, 300])
        self.bad(2, "--samples needs --json", "--size", "8", "--samples")

    def test_no_speed(self):
        """That of nothing: tests/cli/test_blas.py."""
        done = cli.run("--size", "8", "--verify", "none", "--json", *FAST)
        result = strict(done.stdout)
        self.assertEqual((done.returncode, result["gflops"], result["time"], result["verify"]["passed"]), (0, None, None, False))
        self.assertIn("not verified", done.stderr)

    def test_serial(self):
        result = self.one("--size", "16", "--kernel", "serial")
        self.assertEqual((result["device"]["type"], result["device"]["uuid"]), ("host", None))
        self.assertGreater(result["gflops"], 0)

    def test_dimensions_override(self):
        result = self.one("--size", "9x9x8", "-m", "6", "-n", "7")
        self.assertEqual([result["problem"][x] for x in "mnk"], [6, 7, 8])

    def test_list(self):
        text = self.good("--size", "8:32:*2,3x4x5", "--type", "i32,u32_r", "--json", *FAST)
        rows = [strict(line) for line in text.splitlines()]
        self.assertEqual([r["problem"]["type"] for r in rows], ["i32"] * 4 + ["u32"] * 4)
        self.assertEqual([r["problem"]["m"] for r in rows], [8, 16, 32, 3] * 2)
        self.assertEqual(rows[0]["verify"]["bound"], 0)

    def test_failing_item(self):
        done = cli.run("--size", "8,4294967295,16", "--json", *FAST)
        self.assertEqual(done.returncode, 2)
        self.assertEqual([strict(line)["problem"]["m"] for line in done.stdout.splitlines()], [8, 16])

    def test_command_line(self):
        hostile = "it's \"quoted\" \\ $(x)"
        command = self.one("--size", "4", "--kernel", "serial", "--device", hostile)["tool"]["command"]
        words = subprocess.run(["sh", "-c", "printf '%s\\n' " + command], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn(hostile + "\n", words)

    def test_validate(self):
        done = cli.run("--size", "20x30x40", "--tile", "8", "--validate", "--json", *FAST)
        if done.returncode == 4:
            self.skipTest("no validation layer")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


STEPS = [("1a", "serial"), ("", "strided"), ("1b 2a", "naive"), ("2b", "grouped"), ("1c 2c", "tiled"), ("", "tiled-32"), ("3a", "band"),
         ("3b", "band-tiled"), ("", "strip"), ("", "block"), ("", "vector"), ("", "padded"), ("", "prefetch"), ("", "ordered")]


class Others(cli.Case):
    def test_devices(self):
        result = strict(self.good("devices", "--json"))
        self.assertEqual(result["schema"], "vkmatmul.devices/1")
        self.assertEqual(sum(d["default"] for d in result["devices"]), 1)
        for device in result["devices"]:
            self.assertLessEqual(KEYS["device"] | {"default", "limits", "types", "kernels", "missing"}, set(device))
            self.assertLessEqual({"f32", "i32", "u32"}, set(device["types"]))
            self.assertEqual([k["name"] for k in device["kernels"]], [*(name for _, name in STEPS), "blocked", "skinny", "cpu", "direct", "coopmat", "skinnymat", "soft64"])
            missing = {lack["what"] for lack in device["missing"]}
            self.assertEqual("f64" in missing, "f64" not in device["types"])
            for key in ["max_invocations", "max_shared_bytes", "max_storage_range", "timestamp_bits", "unified_memory"]:
                self.assertIn(key, device["limits"])
            self.assertEqual(strict(self.good("devices", "--json", "--device", device["uuid"]))["devices"], [device])
            self.assertIn(device["name"], self.good("devices"))

    def test_ladder(self):
        text = self.good("ladder", "--size", "20x30x10", "--json", *FAST)
        result = strict(text)
        self.assertNotIn('"samples":', text)
        self.assertEqual(result["schema"], "vkmatmul.ladder/1")
        rows = [(r["step"], r["name"]) for r in result["rows"]]
        general = [("", name) for name in ("parts", "blocked", "direct", "staged", "coopmat", "split")]
        self.assertEqual(rows, STEPS + [("fast", "auto")] + STEPS + general + [("fast", "auto")])
        self.assertEqual([r["type"] for r in result["rows"]], ["i32"] * 15 + ["f16" if r["name"] == "direct" else "f32" for r in result["rows"][15:]])
        ran = [r for r in result["rows"] if r["skipped"] is None]
        self.assertTrue(all(r["verify"]["passed"] and r["gflops"] > 0 for r in ran))
        self.assertTrue(all(r["times_serial"] > 0 for r in ran if r["name"] != "parts"))
        self.assertLessEqual({r["name"] for r in result["rows"] if r not in ran}, {"direct", "staged", "coopmat", "split"})
        self.assertIsNone(result["rows"][0]["times_previous"])
        self.forecasts(ran)
        ratio = result["rows"][1]["time"]["kernel_ms"]["median"] / result["rows"][2]["time"]["kernel_ms"]["median"]
        self.assertAlmostEqual(result["rows"][2]["times_previous"], ratio, delta=ratio * 1e-4)

    def forecasts(self, ran):
        """What each step needs and what limits it, if it is of f32 and on the device; no times on a processor; and what is new in it."""
        self.assertTrue(all(len(r["sentence"]) > 20 for r in ran))
        self.assertEqual({r["name"]: [r[key] for key in "mnk"] for r in ran if r["type"] == "f32"}["parts"], [32, 32, 2048])
        for row in ran:
            foreseen = row["out_type"] == "f32" and row["name"] != "serial"
            self.assertEqual([row[key] is not None for key in ("limiter", "counts", "resource_ms", "predicted_ms")], [foreseen] * 2 + [False] * 2, row)
            if foreseen:
                self.assertTrue(row["counts"]["instructions"] > 0 and row["counts"]["dram_bytes"] > 0)
                self.assertEqual(row["counts"]["waits"] > 0 and row["counts"]["barriers"] > 0,
                                 row["name"] not in ("strided", "naive", "grouped", "band") and row["kernel"]["name"] != "cpu")

    def test_ladder_of_named_steps(self):
        rows = strict(self.good("ladder", "--size", "64", "--kernel", "staged,parts,split", "--json", *FAST))["rows"]
        self.assertEqual([(r["name"], r["m"]) for r in rows], [("staged", 64), ("parts", 32), ("split", 64)] * 2)
        self.assertEqual([r["skipped"] for r in rows[:3]], ["the step staged is for f32", None, "the step split is for f32"])
        split = rows[5]  # never a product that is made otherwise
        self.assertEqual(split["kernel"]["matrix"] is not None, split["skipped"] is None, split)

    def test_ladder_of_an_illegal_tile(self):
        tall, others = ["grouped", "tiled", "tiled-32", "band", "band-tiled"], ["serial", "naive", "block", "ordered", "blocked", "auto"]
        done = cli.run("ladder", "--size", "16", "--tile", "64", "--type", "f32", "--kernel", ",".join(tall + others), "--json", *FAST)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\Avkmatmul: 5 of 11 steps did not run: [^\n]*\n\Z")
        rows = strict(done.stdout)["rows"]
        self.assertEqual([r["name"] for r in rows], tall + others)
        self.assertTrue(all("invocations" in r["skipped"] for r in rows[:5]))
        self.assertTrue(all(r["gflops"] > 0 for r in rows[5:]))

    def test_csv(self):
        for args in [["--size", "8,9x10x11"], ["ladder", "--size", "20x30x10"]]:  # test_ladder's pipelines: drivers keep them
            rows = cli.table(cli.run(*args, "--csv", *FAST).stdout)
            self.assertEqual(len(rows), 2 if args[0] == "--size" else 36)
            for row in rows:
                if row["gflops"] == "" and row["kernel"] in ("direct", "coopmat", "auto"):  # a device without matrix operations
                    continue
                self.assertEqual(row["passed"], "true")
                self.assertGreater(float(row["gflops"]), 0)
        row, = cli.table(self.good("--size", "0", "--csv"))
        self.assertEqual((row["gflops"], row["kernel_ms"], row["passed"]), ("", "", "true"))

    def test_default_size(self):
        """It follows the device, and a line says so; partial sizes are the user's."""
        done = cli.run("--json", *FAST)
        self.assertEqual((done.returncode, done.stderr), (0, "vkmatmul: size 256, the default on a processor; --size N selects another\n"))
        self.assertEqual([json.loads(done.stdout)["problem"][key] for key in "mnk"], [256] * 3)
        self.assertEqual(json.loads(self.good("-m", "8", "-n", "16", "-k", "4", "--json", *FAST))["problem"]["m"], 8)

    def test_quiet(self):
        self.assertRegex(self.good("--size", "16", "--quiet", *FAST), r"\A[0-9.e-]+\n\Z")
        self.assertEqual(self.good("--size", "0", "--quiet"), "empty\n")
        self.assertEqual(cli.run("--size", "4", "--verify", "none", "--quiet").stdout, "unverified\n")

    def test_table(self):
        text = self.good("--size", "12x8x4", "--type", "i32", "--tile", "2", *FAST)
        self.assertIn("12×8×4", text)
        self.assertIn("✓", text)
        plain = self.good("--size", "12x8x4", "--type", "i32", "--tile", "2", *FAST, env={"LC_ALL": "C"})
        plain.encode("ascii")
        self.assertRegex(plain, r"12x8x4 +i32 .* 2x2 .* yes\n")
        self.assertNotIn("\x1b", text + plain)

    def test_ladder_table(self):
        text = self.good("ladder", "--size", "12", "--type", "u32", *FAST, env={"LC_ALL": "C"})
        text.encode("ascii")
        printed = [float(line.split()[-4]) for line in text.splitlines() if line.endswith(" yes")]
        bars = re.findall(r"(?m)^\S+ +(#+)$", text.split("\nGFLOP/s, logarithmic scale\n")[1])
        self.assertEqual((len(printed), len(bars), max(bars)), (15, 15, 40 * "#"))
        # Exact speeds have the order of printed ones, which are rounded. Lengths: tests/tool/report/test_report.c.
        self.assertEqual([bar for _, bar in sorted(zip(printed, bars))], sorted(bars))
        self.assertIn("█", self.good("ladder", "--size", "12", "--type", "u32", *FAST))

    def test_markdown(self):
        """A table for a run, with a heading for the device and for options that differ."""
        text = self.good("--size", "16,17", "--type", "f32,i32", "--alpha", "2", "--md", *FAST)
        heading, empty, titles, rule, *rows = text.splitlines()
        self.assertRegex(heading, r"\A### \S.*: alpha 2\Z")
        self.assertEqual((empty, titles.count("|"), set(rule) <= set("|-: ")), ("", 12, True))
        self.assertEqual([re.split(r" *\| *", row)[1:3] for row in rows],
                         [["16³", "f32"], ["17³", "f32"], ["16³", "i32"], ["17³", "i32"]])
        self.assertIn("| GFLOP/s", self.good("ladder", "--size", "16", "--kernel", "naive", "--md", *FAST))

    def test_junit(self):
        """A test case for each row; a suite without counts, because rows are written as they come."""
        for args, names in [(["--size", "16,17", "--type", "f32,i32"], ["16³ f32 cpu", "17³ f32 cpu", "16³ i32 cpu", "17³ i32 cpu"]),
                            (["ladder", "--size", "16", "--kernel", "naive,tiled", "--type", "f32"], ["16³ f32 naive", "16³ f32 tiled"])]:
            root = xml.etree.ElementTree.fromstring(self.good(*args, "--junit", *FAST))
            cases = root.findall("testsuite/testcase")
            self.assertEqual([case.get("name") for case in cases], names)
            self.assertIn("--size 16", root.find("testsuite").get("name"))
            self.assertEqual(len({case.get("classname") for case in cases}), 1)
            self.assertTrue(all(float(case.get("time")) > 0 for case in cases))
        self.assertEqual(root.findall(".//failure") + root.findall(".//skipped"), [])
        root = xml.etree.ElementTree.fromstring(cli.run("--size", "16", "--verify", "none", "--junit", *FAST).stdout)
        self.assertEqual(root.find("testsuite/testcase/skipped").get("message"), "not verified")
        done = cli.run("--size", "9999999", "--memory-limit", "1MiB", "--junit", *FAST)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(xml.etree.ElementTree.fromstring(done.stdout)), 0)
        lines = self.good("--size", "16,17", "--jsonl", *FAST).splitlines()
        self.assertEqual([json.loads(line)["problem"]["m"] for line in lines], [16, 17])

    def test_help(self):
        same = {"": ["--help", "-h", "help"], "ladder": ["ladder --help", "--help ladder", "help ladder"], "devices": ["devices -h"], "help": ["help help"],
                "all": ["--help all", "help all", "run --help", "--size 4 --help"]}
        texts = {about: self.good(*words.pop(0).split()) for about, words in same.items()}
        for about, text in texts.items():
            self.assertIn("Usage: vkmatmul", text)
            self.assertEqual([self.good(*words.split()) for words in same[about]], [text] * len(same[about]))
            self.assertTrue(about == "all" or all(len(line) <= 80 for line in text.splitlines()))
        self.assertLessEqual(len(texts[""].splitlines()), 27)
        self.assertIn("\nExit code: 0", texts["all"])
        self.assertRegex(self.good("--version"), r"\Avkmatmul \d+\.\d+\.\d+\nshaders [0-9a-f]{16}\n\Z")


class Documents(cli.Case):
    """Commands whose result is one JSON object: the same rows in each format, at once and from a saved file."""
    def saved(self, text, *words):
        return self.good("report", self.file("saved.json", text.encode()), *words)

    def cases(self, text):
        """(name, "failure" or "skipped", why) of each test case; None, None: it passed."""
        return [(case.get("name"), *next(((bad.tag, bad.get("message")) for bad in case), (None, None)))
                for case in xml.etree.ElementTree.fromstring(text).iter("testcase")]

    def test_commands(self):
        """Each row has its names in CSV, in Markdown and, where they name a case, in JUnit."""
        for words, names in [("devices", ["index", "name"]), ("race", ["rows", "cols", "device"]),
                             ("explain --size 16 --kernel tiled", ["type", "m", "n", "k", "kernel"]),
                             ("statistics --size 16 --kernel tiled --type f32,i32", ["type", "m", "n", "k", "kernel", "config"]),
                             ("tune --size 16,8 --budget 100ms", ["type", "m", "n", "k"]),
                             ("check --part device", ["part"])]:
            text = self.good(*words.split(), "--json")
            rows = cli.table(self.saved(text, "--csv"))
            titles, rule, *lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in self.saved(text).splitlines()]
            self.assertEqual((titles, set(rule)), ([re.sub("_", r"\\_", key) for key in rows[0]], {"---"}), words)
            self.assertEqual([line[:1] for line in lines], [[re.sub("_", r"\\_", row[titles[0]])] for row in rows])
            self.assertEqual([case[0] for case in self.cases(self.saved(text, "--junit"))],
                             [" ".join(row[name] for name in names if row[name]) for row in rows])
            self.assertEqual(self.saved(text, "--jsonl"), text)
        self.assertEqual(self.good("devices", "--csv"), self.saved(self.good("devices", "--json"), "--csv"))
        self.assertEqual([case[1:] for case in self.cases(self.good("race", "--junit"))], [(None, None)] * 2)

    def test_failures(self):
        for schema, document, found in [
                ("doctor", {"checks": [{"check": "a", "verdict": "problem", "sentence": "s<"}, {"check": "b", "verdict": "note", "sentence": "t"}, 7]},
                 [("a", "failure", "s<"), ("b", None, None)]),
                ("check", {"parts": [{"part": "p", "failures": [{"name": "n", "why": "w"}]}, {"part": "q", "failures": [], "incomplete": "i"}]},
                 [("p", "failure", "w"), ("q", "skipped", "i")]),
                ("explain", {"planned": {"name": "k", "agree": False}}, [("k", "failure", "false")]),
                ("race", {"matrix": {"rows": 2}, "passed": False}, [("2", "failure", "false")]),
                ("statistics", {"kernel": "k", "error": "e"}, [("k", "failure", "e")]),
                ("tune", {"problem": {"type": "f32"}, "skipped": "s"}, [("f32", "skipped", "s")]), ("peak", {}, [])]:
            text = json.dumps({"schema": f"vkmatmul.{schema}/1", **document})
            self.assertEqual(self.cases(self.saved(text, "--junit")), found)
        row, = cli.table(self.saved('{"schema": "vkmatmul.statistics/1", "kernel": "=1+2", "error": "a,\\"b"}', "--csv"))
        self.assertEqual((row["kernel"], row["error"], row["m"]), ("'=1+2", 'a,"b', ""))
        for text, words in [(text[:-1], "is not valid JSON: byte"), (text + '{"schema": "vkmatmul.race/1"}', "and after it something else")]:
            self.bad(2, words, "report", self.file("bad.json", text.encode()))
        self.bad(2, "are for bench reports", "report", self.folder / "saved.json", "--type", "f32")


cli.main()
