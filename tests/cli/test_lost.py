#!/usr/bin/env python3
"""A device that is lost, or has no memory left, in the middle of a run: what is said, what was shown before stays, and that it is opened anew if asked."""
import json
import os
import sys

import cli

layer = os.path.abspath(sys.argv.pop(2))


class Lost(cli.Case):
    def setUp(self):
        super().setUp()
        self.env = dict(self.layered(layer, "fault"), VKMM_TEST_FAULT_LOG=str(self.folder / "faults"))
        done = cli.run("devices", "--json", env=self.env)
        if done.returncode != 0 or not json.loads(done.stdout)["devices"]:
            self.skipTest("no device with a layer: " + done.stderr)

    def run_with(self, fault, *args):
        done = cli.run(*args, env=dict(self.env, VKMM_TEST_FAULT=fault))
        log = self.folder / "faults"
        self.faults = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return done

    def submits(self, *args):
        """How many times a run submits: faults that are successes are only logged."""
        self.run_with("vkQueueSubmit 1..9999 0", *args)
        return len(self.faults)

    def test_one_run(self):
        """With files or -o, the run that makes the product is the only one, unless samples are asked for."""
        a, out = self.file("a.npy", cli.npy_bytes([[2.0]])), self.folder / "c.npy"
        for args in [["-a", a, "-b", a], ["-s", "16", "-o", out], ["-a", a, "-b", a, "-o", out]]:
            with self.subTest(args):
                done = self.run_with("vkQueueSubmit 2 -4", *args, "--json")
                self.assertEqual((done.returncode, done.stderr, self.faults), (0, "", []))
                result = json.loads(done.stdout)
                kernel = result["time"]["kernel_ms"]
                self.assertTrue(result["verify"]["passed"])
                self.assertGreater(result["gflops"], 0)
                self.assertEqual(kernel["min"], kernel["median"])
                self.assertLessEqual(kernel["median"], result["wall_ms"])
        for more in [["-i", "1"], ["-j", "1", "-i", "1"], ["--min-time", "3600s"], ["--max-time", "3600s"], ["--bench", "--cold-iters", "0"]]:
            with self.subTest(more):
                self.run_with("vkQueueSubmit 2 -4", "-s", "16", "-o", out, *more)
                self.assertEqual(len(self.faults), 1)

    def test_what_is_said(self):
        out = self.file("c.npy", b"as it was")
        done = self.run_with("vkWaitForFences 1 -4", "-s", "40x50x60", *cli.FAST, "--kernel", "blocked", "-o", out)
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertRegex(done.stderr, r"\Avkmatmul: the device was lost while (multiplying|planning) 40×50×60 f32( with blocked)?: vkWaitForFences "
                         r"failed with VK_ERROR_DEVICE_LOST \(-4\)[^\n]*\n\Z")
        self.assertEqual((len(self.faults), out.read_bytes()), (1, b"as it was"))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["c.npy", "layers"])

    def test_not_created(self):
        """The program quotes the reason that the library keeps, once: it would be empty if each had a copy of base."""
        done = self.run_with("vkCreateDevice 1 -3", "-s", "16", "--device", "0")
        self.assertEqual((done.returncode, done.stdout, len(self.faults)), (4, "", 1))
        self.assertEqual(done.stderr, "vkmatmul: vkCreateDevice failed with VK_ERROR_INITIALIZATION_FAILED (-3) while opening the device\n")

    def test_rows_before_stay(self):
        args = ["-s", "16,24,32", *cli.FAST, "--json"]
        done = self.run_with("vkQueueSubmit %d -4" % (self.submits("-s", "16", *cli.FAST, "--json") + 1), *args)
        self.assertEqual((done.returncode, len(self.faults)), (6, 1))
        self.assertEqual([json.loads(line)["problem"]["m"] for line in done.stdout.splitlines()], [16])
        self.assertRegex(done.stderr, r"\Avkmatmul: the device was lost while [a-z]+ 24")

    def test_any_moment(self):
        args = ["-s", "16", *cli.FAST, "--json"]
        for n in range(1, self.submits(*args) + 1):
            with self.subTest(n):
                done = self.run_with("vkQueueSubmit %d -4" % n, *args)
                self.assertEqual((done.returncode, done.stdout, len(self.faults)), (6, "", 1))
                self.assertRegex(done.stderr, r"\Avkmatmul: the device was lost while [a-z]+ 16³ f32 with [^\n]*\n\Z")

    def test_timing_keeps_the_product(self):
        """Proved, so it is saved; what is lost later is but its time."""
        args = ["-a", self.file("a.npy", cli.npy_bytes([[2.0]])), "-b", self.folder / "a.npy", *cli.FAST, "-o", self.folder / "c.npy"]
        done = self.run_with("vkQueueSubmit 2 -4", *args)
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertRegex(done.stderr, r"\Avkmatmul: the device was lost while timing [^\n]*\n\Z")
        self.assertEqual(cli.read_npy(self.folder / "c.npy")[1], [[4.0]])

    def test_retries(self):
        out = self.folder / "c.npy"
        done = self.run_with("vkQueueSubmit 1 -4,vkWaitForFences 1 -4", "-s", "16", *cli.FAST, "--json", "--retries", "2", "-o", out)
        self.assertEqual((done.returncode, len(self.faults)), (0, 2), done.stderr)
        self.assertTrue(json.loads(done.stdout)["verify"]["passed"])
        self.assertRegex(done.stderr, r"\A(vkmatmul: warning: the device was lost while [^\n]*; it is opened again for retry [12] of 2\n){2}\Z")
        self.assertTrue(out.exists())

    def test_retries_end(self):
        done = self.run_with("vkQueueSubmit 1..999 -4", "-s", "16", *cli.FAST, "--json", "--retries", "2")
        self.assertEqual((done.returncode, done.stdout, len(self.faults)), (6, "", 3))
        self.assertRegex(done.stderr, r"\A(vkmatmul: warning: [^\n]*\n){2}vkmatmul: the device was lost[^\n]*\n\Z")
        self.bad(2, "--retries takes a whole number", "--retries", "-1")

    def test_panels(self):
        """Lost in the middle of a product in panels: how far it was; and again from the beginning."""
        out, whole = self.folder / "c.npy", self.folder / "whole.npy"
        args = ["-s", "300x200x100", "--memory-limit", "100kB", "--json", "-o", out]
        fault = "vkQueueSubmit 3 -4"  # how many there are depends on what each took
        done = self.run_with(fault, *args)
        self.assertEqual((done.returncode, done.stdout, out.exists()), (6, "", False))
        self.assertRegex(done.stderr, r"\Avkmatmul: the device was lost while multiplying 300×200×100 f32 with \w+: [^\n]*; \d+ of \d+ panels of C were done\n\Z")
        done = self.run_with(fault, *args, "--retries", "1")
        self.assertEqual((done.returncode, len(self.faults)), (0, 1), done.stderr)
        self.good("-s", "300x200x100", *cli.FAST, "-o", whole)
        self.assertEqual(out.read_bytes(), whole.read_bytes())

    def test_one_of_several(self):
        """Whichever call loses one of two devices, the other one computes its panels, and the product is whole."""
        self.env.update(self.both_drivers(), VKMM_TEST_FAULT_DEVICE="llvmpipe")
        out, again = self.folder / "c.npy", self.folder / "again.npy"
        args = ["-s", "90x70x50", "--type", "i32", "--alpha", "2", "--beta", "3", *cli.FAST, "--json", "--device"]
        self.good(*args, "llvmpipe", "-o", again)
        for fault in ["vkQueueSubmit 1..9999 -4", "vkQueueSubmit 3..9999 -4", "vkAllocateMemory 1..999 -2"]:
            with self.subTest(fault):
                done = self.run_with(fault, *args, "swiftshader,llvmpipe", "-o", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                if self.faults or "Submit 1.." in fault:  # later calls come only if the device is in time for some panels
                    self.assertRegex(done.stderr, r'\A(vkmatmul: warning: [^\n]*\n)*vkmatmul: warning: "llvmpipe[^\n]*" '
                                                  r'(computes nothing more: [^\n]*; the other devices continue|is left out: [^\n]*)\n\Z')
                self.assertEqual(out.read_bytes(), again.read_bytes())
                result = json.loads(done.stdout)
                self.assertTrue(result["verify"]["passed"])
                failed = {device["name"][0]: device["failed"] for device in result["devices"]}
                self.assertIsNone(failed["S"])
                self.assertIn(failed.get("l"), [None, "device lost", "out of memory"])
                self.assertAlmostEqual(sum(device["share"] for device in result["devices"]), 1)
        del self.env["VKMM_TEST_FAULT_DEVICE"]
        done = self.run_with("vkQueueSubmit 9..9999 -4", *args, "swiftshader,llvmpipe")
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertRegex(done.stderr, r"\A(vkmatmul: warning: [^\n]*\n)?vkmatmul: the device was lost while [^\n]*\n\Z")

    def test_memory_that_ends(self):
        """Where the memory of a job ends, the product goes in panels; where all ends, so does the run."""
        for count in range(1, 10):  # a job tries several kinds of memory
            done = self.run_with("vkAllocateMemory 1..%d -2" % count, "-s", "100", *cli.FAST, "--json")
            self.assertEqual((done.returncode, done.stderr, len(self.faults)), (0, "", count))
            panels = json.loads(done.stdout)["panels"]
            if panels is not None:
                break
        self.assertRegex(panels["reason"], "memory|MEMORY")
        done = self.run_with("vkAllocateMemory 1..999 -2", "-s", "100", *cli.FAST, "--json")
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertRegex(done.stderr, r"\A(vkmatmul: warning: [^\n]*; continuing with panels of [^\n]*\n)*vkmatmul: (?!warning)[^\n]*\n\Z")

    def test_no_timestamps(self):
        """Passes have no measured times, and not 0, where the device's clock does not tell any."""
        words = ["explain", "--size", "8", "--type", "f64", "--compute", "modular"]  # soon over even by peaks of a busy machine
        for why in None, "the device has no timestamps":
            plan = json.loads(self.run_with("", *words, "--json").stdout)["planned"]
            times = [plan["measured_ms"]] + [one[key] for one in plan["passes"] for key in ("measured_ms", "measured_share")]
            self.assertEqual((plan["not_measured"], [time is None for time in times]), (why, [why is not None] * 9))
            text = self.run_with("", *words).stdout
            self.assertEqual(text.count("; measured"), 0 if why else 4)
            self.assertRegex(text, r"(?m)^  measured +%s" % ("nothing: %s$" % why if why else r"[\d.]+ ms"))
            self.env["VKMM_TEST_NO_TIMESTAMPS"] = "1"

    def test_names(self):
        """Letters beyond ASCII in a device's name are printed and written as they are; a letter that the driver cut in half is escaped."""
        for name, shown in ("Gerät ä 1", "Gerät ä 1"), ("装" * 85 + "ä", "装" * 85), ("ä" * 128, "ä" * 127 + "\\xc3"):
            with self.subTest(name):
                self.env["VKMM_TEST_DEVICE_NAME"] = name
                self.assertIn("0  %s  (default)" % shown, self.run_with("", "devices").stdout)
                self.assertEqual(json.loads(self.run_with("", "devices", "--json").stdout)["devices"][0]["name"], shown)
                self.assertEqual(cli.table(self.run_with("", "run", "--size", "8", "--csv").stdout)[-1]["device"], shown)


if __name__ == "__main__":
    cli.main()
