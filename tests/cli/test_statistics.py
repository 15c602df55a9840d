#!/usr/bin/env python3
"""`vkmatmul statistics`: its pipelines and keys, and workers that fail. tests/vendors compares the figures of many drivers."""
import json
import pathlib

import cli

REMEMBERS = pathlib.Path(__file__).resolve().parents[1] / "vendors/worker.py"
FIGURES = ["registers", "spills", "scratch_bytes", "occupancy", "cycles", "instructions", "subgroup_size"]


class Statistics(cli.Case):
    def rows(self, *args, code=0):
        done = cli.run("statistics", "--json", *args)
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def worker(self, answer):
        """A program that plays the process that compiles: answer is what it does with the request `asked`."""
        return self.script("""\
            import json, os, signal, sys
            for line in sys.stdin:
                asked = json.loads(line)
                if asked["ask"] == "hello":
                    print(json.dumps({"status": 0, "uuid": %r}), flush=True)
                    continue
                %s
            """ % (self.uuid(), answer))

    def uuid(self):
        return cli.devices()[0]["uuid"]

    def test_row(self):
        row, = self.rows("--size", "64", "--type", "f32", "--kernel", "blocked", "--config", "rows=32,cols=32")
        self.assertEqual((row["schema"], row["kernel"], row["type"], row["error"]), ("vkmatmul.statistics/1", "blocked", "f32", None))
        self.assertTrue(row["device"] and row["driver"])
        self.assertEqual(row["problem"]["m"], 64)
        self.assertIn("rows=32,cols=32,", row["config"])
        self.assertEqual(row["tile"], [32, 32])
        self.assertGreater(row["compile_ms"], 0)
        self.assertGreater(row["compile_cpu_ms"], 0)
        self.assertLessEqual(set(FIGURES) | {"cycles_per_output"}, set(row))
        self.assertRegex(row["pipeline"], "^[0-9a-f]{16}$")
        self.assertNotEqual(int(row["pipeline"], 16), 0)

    def test_list(self):
        """Each pipeline is listed once; without --all those of f32 and f16, with it all of a type's ops; a product of several passes has as many."""
        rows = self.rows("--size", "64,65,128", "--kernel", "naive")
        self.assertEqual([(row["kernel"], row["type"]) for row in rows], [("naive", "f32")])  # the tile is the only constant
        rows = self.rows("--size", "16", "--type", "i8", "--all", "--kernel", "skinny")
        ops = [(row["problem"]["transpose_a"], row["problem"]["transpose_b"]) for row in rows]
        self.assertEqual(sorted(set(ops)), [("N", "N"), ("N", "T"), ("T", "N"), ("T", "T")])
        self.assertIn(True, [row["problem"]["bias"] for row in rows])
        rows = self.rows("--size", "16x16x4096", "--type", "f32", "--kernel", "blocked", "--config", "splits=4")
        self.assertEqual([row["kernel"] for row in rows], ["blocked", "reduce"])
        rows = self.rows("--size", "64", "--type", "f64", "--compute", "modular", "--kernel", "blocked")
        self.assertEqual([row["kernel"] for row in rows], ["blocked", "finish", "residues", "scale"])
        self.assertEqual(len({row["pipeline"] for row in rows}), 4)

    def test_figures(self):
        """Names of all drivers, in one table; what is not reported is null."""
        answer = {"status": 0, "spills": 7, "scratch_bytes": 64, "cycles": 4096, "subgroup_size": 16, "compile_ms": 1.5}
        row, = self.rows("--size", "64", "--type", "f32", "--kernel", "naive", "--tile", "16", "--worker",
                         self.worker("print(json.dumps(%r), flush=True)" % answer))
        self.assertEqual([row[key] for key in FIGURES], [None, 7, 64, None, 4096, None, 16])
        self.assertEqual(row["cycles_per_output"], 4096 / 16)  # a subgroup computes 16 elements

    def test_failures(self):
        """A pipeline that fails, or whose process crashes, is a row; the next one is compiled all the same."""
        for answer, expected in {
            'print(json.dumps({"status": 4, "sentence": "too large"}), flush=True)': "too large",
            "os.kill(os.getpid(), signal.SIGSEGV)": "signal",
            'print(json.dumps({"status": 0, "spills": "many"}), flush=True)': "spills",
        }.items():
            with self.subTest(answer):
                args = "--size", "64", "--type", "f32,i32", "--kernel", "naive", "--worker", self.worker(answer)
                rows = self.rows(*args, code=1)
                self.assertEqual([row["type"] for row in rows], ["f32", "i32"])
                for row in rows:
                    self.assertIn(expected, row["error"])
                    self.assertIsNone(row["spills"])
                self.assertIn("failed: ", cli.run("statistics", *args).stdout)

    def test_replacements(self):
        """After a kernel that the planner chose and the driver refuses, what multiplies instead, unless the user named it."""
        args = "--size", "64", "--type", "i32"
        planned = self.rows(*args)[0]["kernel"]
        answer = 'print(json.dumps({"status": 4 * (asked["kernel"] == %r), "sentence": "refused", "compile_ms": 1}), flush=True)'
        args = *args, "--worker", self.worker(answer % planned)
        rows = self.rows(*args, code=1)
        self.assertEqual([(row["kernel"], row["error"]) for row in rows][:1], [(planned, "refused")])
        self.assertEqual([row["error"] for row in rows[1:]], [None])
        self.assertNotEqual(rows[1]["kernel"], planned)
        self.assertEqual(len(self.rows(*args, "--kernel", planned, code=1)), 1)

    def test_remembered(self):
        """tests/vendors/worker.py: what passed is compiled once for each pipeline, GPU and driver; what failed, again."""
        count = self.folder / "count"
        program = self.worker("""
                open(%r, "a").write(asked["pipeline"] + "\\n")
                if asked["kernel"] == "tiled":
                    os.kill(os.getpid(), signal.SIGSEGV)
                slow = 1900 + 200 * (asked["kernel"] == "grouped")
                print(json.dumps({"status": 0, "spills": 3, "compile_cpu_ms": slow, "compile_ms": 1}), flush=True)
                """ % str(count))
        library = self.folder / "driver.so"
        library.write_text("1")
        (self.folder / "driver.json").write_text(json.dumps({"ICD": {"library_path": "driver.so"}}))

        def compiled(*args, code=0, gpu="navi31"):
            """How many pipelines the program was asked for, and the rows."""
            count.write_text("")
            # Only worker.py must see this driver.
            between = self.script("#!/bin/sh\nVK_DRIVER_FILES=%s exec %s \"$@\"\n" % (self.folder / "driver.json", REMEMBERS), "between")
            done = cli.run("statistics", "--json", "--size", "64", "--worker", between, *args,
                           env={"VKMM_VENDORS_PROGRAM": str(program), "VKMM_VENDORS_GPU": gpu,
                                "VKMM_VENDORS_STORE": str(self.folder / "answers.sqlite")})
            self.assertEqual(done.returncode, code, done.stderr)
            rows = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertLessEqual(set(count.read_text().split()), {row["pipeline"] for row in rows})
            return len(count.read_text().split()), rows

        both = "--type", "f32,i32", "--kernel", "naive"
        asked, rows = compiled(*both)
        self.assertEqual((asked, [row["spills"] for row in rows]), (2, [3, 3]))
        self.assertEqual(compiled(*both), (0, rows))
        self.assertEqual(compiled(*both, "--tile", "8")[0], 2)  # another constant
        self.assertEqual(compiled(*both, gpu="navi33")[0], 2)
        library.write_text("2")
        self.assertEqual(compiled(*both)[0], 2)
        for _ in range(2):
            asked, rows = compiled("--kernel", "tiled", "--type", "f32", code=1)
            self.assertEqual(asked, 1)
            self.assertIn("signal", rows[0]["error"])
            self.assertEqual(compiled("--kernel", "grouped", "--type", "f32")[0], 1)  # slow

    def test_refusals(self):
        self.bad(2, "serial runs on the host", "statistics", "--kernel", "serial")
        self.bad(4, "rows=7", "statistics", "--size", "64", "--kernel", "blocked", "--config", "rows=7")


if __name__ == "__main__":
    cli.main()
