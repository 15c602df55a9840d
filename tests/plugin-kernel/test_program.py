#!/usr/bin/env python3
"""Every command of a program that has one more kernel: it is listed, run, compared, counted, traced and compiled."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli

OWN = next(path.stem for path in pathlib.Path(__file__).parent.glob("*.comp") if not path.with_suffix(".c").exists())


class Plugin(cli.Case):
    def test_words(self):
        for command in ["run", "trace", "explain"]:
            self.assertIn(OWN, self.good("help", command))
            self.assertIn(OWN, self.good("help", "--candidates", "--", command, "--kernel").split())
        self.bad(2, "ordered, " + OWN, "--kernel", "?")

    def test_run_and_ladder(self):
        self.assertIn(OWN, self.good("--size", "33x20x9", "--kernel", OWN, "--tile", "3x5", *cli.FAST))
        ladder, = self.jsons("ladder", "--size", "33x20x9", "--type", "i32,u32", "--json", *cli.FAST)
        rungs = [rung for rung in ladder["rows"] if rung["kernel"]["name"] == OWN]
        self.assertEqual([(rung["kernel"]["tile"], rung["verify"]["passed"]) for rung in rungs], 2 * [([16, 16], True)])
        self.assertIn(OWN, self.good("ladder", "--size", "8", "--type", "i32", *cli.FAST))

    def test_bench(self):
        """A suite may name it; a report of it is read again. (tests/tool/bench/test_bench_suite.c has the built-in suites.)"""
        suite, report = self.folder / "suite", self.folder / "report.json"
        suite.write_text("-s 33x20x9 --kernel %s\n-s 40 --kernel %s\n" % (OWN, OWN))
        self.good("bench", "--suite", suite, "--budget", "2s", "--no-host", "-o", report)
        self.assertEqual([(row["asked"], row["verify"]["passed"]) for row in json.loads(report.read_text())["rows"]], 2 * [(OWN, True)])
        self.assertIn(OWN, self.good("report", report, "--md"))

    def test_explain(self):
        all_kernels, = self.jsons("explain", "--size", "33x20x9", "--json")
        own = next(kernel for kernel in all_kernels["kernels"] if kernel["name"] == OWN)
        self.assertTrue(own["agree"])
        self.assertIn(OWN, self.good("explain", "--size", "8", "--kernel", OWN))
        self.good("statistics", "--size", "64", "--kernel", OWN)

    def test_trace(self):
        """Where the device's invocations are, as they recorded it; the sums are of the elements that they stand beside."""
        words = ["trace", "--kernel", OWN, "--size", "5x7x6", "--tile", "3x2"]
        for row, col in [(0, 0), (2, 1), (1, 3), (4, 6), (3, 4)]:
            got, = self.jsons(*words, "--at", "%d,%d" % (row, col), "--json")
            self.assertEqual(len(got["invocations"]), 6)
            for i, one in enumerate(got["invocations"]):
                self.assertEqual((one["row"], one["col"]), (row // 3 * 3 + i // 2, col // 2 * 2 + i % 2))
                self.assertEqual(one["global"], [one["tile_origin"][x] + one["local"][x] for x in range(2)])
                self.assertEqual(one["local"], [(i % 2 * 3 + i // 2) % 2, (i % 2 * 3 + i // 2) // 2])
                if one["inside"]:
                    terms = [step["terms"][i] for step in got["steps"] if step["kind"] == "sum"]
                    self.assertEqual(terms[:6], [[got["a"][one["row"]][k], got["b"][k][one["col"]]] for k in range(6)])
            self.assertEqual(got["steps"][-1]["values"][(row % 3) * 2 + col % 2], got["c"][row][col])
        text = self.good("trace", "--kernel", OWN, "--size", "2x6x4", "--at", "0,3")
        self.assertIn("C[0][3]: 1*4 = 4 -> +2*10 = 24" if "->" in text else "C[0][3]: 1·4 = 4 → +2·10 = 24", text)
        self.assertRegex(text, r"(?m)^▸ +2 .*C\[0\]\[3\]$")
        self.good("trace", "--kernel", OWN, "--html", self.folder / "page.html")

    def test_devices(self):
        self.good("devices")
        self.good("doctor")
        self.good("tune", "--size", "64", "--budget", "500ms")

    def jsons(self, *args):
        return [json.loads(line) for line in self.good(*args).splitlines()]


cli.main()
