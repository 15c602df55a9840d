#!/usr/bin/env python3
"""`vkmatmul check`: a right driver passes, and each of many defects that a layer builds into one is found."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import cli

layer = os.path.abspath(sys.argv.pop(2))


class Case(cli.Case):
    def report(self, *args, code=0, **env):
        done = cli.run("check", "--json", *args, env=env)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        report = json.loads(done.stdout)
        self.assertEqual((report["schema"], report["passed"]), ("vkmatmul.check/1", code == 0))
        for part in report["parts"]:
            self.assertEqual(part["passed"] < part["run"], bool(part["failures"]))
        return {part["part"]: part for part in report["parts"]}



class Right(Case):
    def test_right(self):
        part = self.report("--type", "u32", "--kernel", "cpu", "--part", "products")["products"]
        self.assertEqual((part["run"], part["incomplete"]), (8, None))
        tutorial = self.report("--type", "i32", "--kernel", "tiled", "--part", "products")
        self.assertEqual((list(tutorial), tutorial["products"]["passed"]), (["products"], 2))
        for name, least in [("numbers", 7), ("device", 6)]:
            part = self.report("--part", name)[name]
            self.assertGreaterEqual(part["run"], least)
            self.assertIsNone(part["incomplete"])
        self.report("--part", "matrices")

    def test_reductions(self):
        """Those of rows and of columns are wrong on lavapipe of Mesa 26.1.6; the matrices themselves are right."""
        report = json.loads(cli.run("check", "--json", "--part", "reductions").stdout)
        wrong = {failure["case"] for failure in report["parts"][0]["failures"]}
        known = {"sums of rows", "maxima of rows", "sums of columns", "maxima of columns"} if "Mesa 26." in (report["device"]["driver_info"] or "") else set()
        self.assertLessEqual(wrong, known)
        self.assertRegex(self.good("check", "--part", "products", "--type", "i32", "--kernel", "tiled"), r"\A  ok      products   2 of 2 right\n\Z")

    def test_junit(self):
        done = cli.run("check", "--junit", "--part", "device")
        suite, = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertEqual((done.returncode, suite.get("name"), suite.findall("*/*")), (0, "device", []))
        self.assertIn("dispatches in turn", [case.get("name") for case in suite])
        suite, = xml.etree.ElementTree.fromstring(cli.run("check", "--junit", "--part", "products", "--budget", "100ms").stdout)
        self.assertEqual(suite[-1].find("skipped").get("message"), "the time was over")

    def test_time(self):
        part = self.report("--part", "products", "--budget", "100ms")["products"]
        self.assertEqual((part["passed"], part["incomplete"]), (part["run"], "the time was over"))

    def test_words(self):
        self.bad(2, "'/nowhere' is no folder that can be written into", "check", "--out", "/nowhere")
        self.bad(2, "--part takes one of .*, not 'product'; did you mean 'products'", "check", "--part", "product")


class Defects(Case):
    """By the layer's name: the options of a check that finds it, and the part that does."""
    def setUp(self):
        super().setUp()
        self.env = self.layered(layer, "defect")

    def found(self, defect, part, *args):
        return self.report("--part", part, *args, code=1, VKMM_TEST_DEFECT=defect, **self.env)[part]

    def test_none(self):
        self.report("--part", "products", "--type", "i32", "--kernel", "tiled", **self.env)

    def test_products(self):
        for defect, kernel, kind in [("store", "tiled", "i32"), ("barrier", "tiled", "f32"), ("sign", "cpu", "i8"), ("push", "naive", "i32"), ("constant", "tiled", "i32")]:
            with self.subTest(defect):
                part = self.found(defect, "products", "--kernel", kernel, "--type", kind)
                self.assertRegex(part["failures"][0]["case"], r"^%s, %s, " % (kernel, kind))
                self.assertRegex(part["failures"][0]["sentence"], r"wrong|is .*, not|never written|differ")
                self.assertTrue(part["failures"][0]["rerun"].startswith("vkmatmul --kernel " + kernel))

    def test_methods(self):
        """Bytes without signs, of which no other product of bf16 is made."""
        failures = self.found("sign", "products", "--type", "bf16")["failures"]
        self.assertEqual({failure["case"].split(",")[0] for failure in failures}, {"w8a8"})
        self.assertTrue(failures[0]["rerun"].startswith("vkmatmul --kernel auto -s 33x17x65 --type bf16 --out-type bf16 --compute w8a8 --init "))

    def test_small_shaders(self):
        """What each defect makes wrong, alone or among others."""
        for defect, part, case, alone in [("rounding", "numbers", "f32 to f16, packHalf2x16", True), ("sign", "numbers", "signed bit fields", True),
                                          ("barrier", "device", "all of the shared memory", True), ("subgroup", "device", "subgroup operations", True),
                                          ("atomic", "device", "a dispatch", False), ("workgroup", "device", "a dispatch", False),
                                          ("indirect", "device", "an indirect dispatch", True), ("stale", "device", "dispatches in turn", True),
                                          ("push", "device", "dispatches in turn", True), ("clock", "device", "timestamps", True),
                                          ("copy", "device", "16-bit storage", False), ("store", "device", "8-bit storage", False)]:
            with self.subTest(defect):
                failures = self.found(defect, part, "--out", self.folder)["failures"]
                self.assertIn(case, [failure["case"] for failure in failures])
                self.assertEqual(len(failures) == 1, alone)
                for failure in failures:
                    lines = pathlib.Path(failure["shader"]).read_text().splitlines()
                    self.assertLessEqual(len(lines), 60)
                    self.assertTrue(lines[0].endswith(": " + failure["case"]))
                    self.assertEqual(lines[1], "// " + failure["sentence"])

    def test_junit(self):
        done = cli.run("check", "--junit", "--part", "device", env=dict(self.env, VKMM_TEST_DEFECT="clock"))
        failed = xml.etree.ElementTree.fromstring(done.stdout).findall("testsuite/testcase[failure]")
        self.assertEqual((done.returncode, [case.get("name") for case in failed]), (1, ["timestamps"]))
        self.assertIn(" ms by the host's clock", failed[0][0].get("message"))

    def test_shader(self):
        """The shader of a failure compiles as it is."""
        if shutil.which("glslangValidator") is None:
            self.skipTest("no glslangValidator")
        for failure in self.found("store", "device", "--out", self.folder)["failures"]:
            done = subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.1", "-o", self.folder / "a.spv", failure["shader"]], stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_fragments(self):
        """Loads with the wrong layout, where there are matrix operations."""
        if self.report("--part", "matrices", **self.env)["matrices"]["run"] == 0:
            self.skipTest("no matrix operations")
        part = self.found("layout", "matrices", "--out", self.folder)
        self.assertLess(part["passed"], part["run"])
        self.assertLessEqual(len(pathlib.Path(part["failures"][0]["shader"]).read_text().splitlines()), 60)

    def test_command(self):
        """The command line of a failure multiplies the same matrices: wrong with the defect, right without."""
        command = self.found("store", "products", "--kernel", "naive", "--type", "u32")["failures"][0]["rerun"].split()[1:]
        self.assertEqual(cli.run(*command, *cli.FAST, env=dict(self.env, VKMM_TEST_DEFECT="store")).returncode, 1)
        self.good(*command, *cli.FAST)

    def test_avoided(self):
        """The planner takes another kernel than one that failed, until the driver has another version or a check finds it right."""
        self.env |= {"XDG_CACHE_HOME": str(self.folder / "cache")}
        bad = dict(self.env, VKMM_TEST_DEFECT="plain store")  # of kernels without barriers, as the default of a processor
        product = ["--json", "-s", "33x17x65", "--type", "i32", *cli.FAST]
        check = ["--part", "products", "--type", "i32", "--kernel", "cpu"]

        def found(env):
            device, = json.loads(self.good("devices", "--json", env=env))["devices"]
            self.assertEqual(device["check"]["date"] is None, "check       never with this driver" in self.good("devices", env=env))
            return device["check"]["findings"] if device["check"]["date"] else None

        def ran(env, code=0, *args):
            done = cli.run(*product, *args, env=env)
            self.assertEqual(done.returncode, code, done.stderr)
            return json.loads(done.stdout)["kernel"]["name"]

        self.assertEqual((ran(bad, 1), found(bad)), ("cpu", None))
        self.report(*check, "--no-cache", code=1, **bad)
        self.assertIsNone(found(bad))
        self.report(*check, code=1, **bad)
        self.assertEqual((ran(bad), found(bad)), ("blocked", ["kernel cpu i32"]))
        self.assertIn("check       findings: kernel cpu i32 (20", self.good("devices", env=bad))
        self.bad(4, "the kernel cpu is not used for i32 on .*'vkmatmul check' checks them again", *product, "--kernel", "cpu", env=bad)
        self.assertEqual(ran(bad, 1, "--no-cache"), "cpu")
        updated = dict(bad, VKMM_TEST_UPDATE="1")
        self.assertEqual((ran(updated, 1), found(updated)), ("cpu", None))
        # What was not examined stays; what is right is forgotten.
        self.report("--part", "products", "--type", "u32", "--kernel", "cpu", **self.env)
        self.assertEqual(found(self.env), ["kernel cpu i32"])
        self.report(*check, **self.env)
        self.assertEqual((ran(self.env), found(self.env)), ("cpu", []))

    def test_next_choice(self):
        """What the planner takes after a failure is examined too, on a processor; where all of it is wrong, nothing is multiplied.
        Of e4m3 there are products by these three kernels alone."""
        bad = dict(self.env, VKMM_TEST_DEFECT="constant", XDG_CACHE_HOME=str(self.folder / "cache"))
        failures = self.report("--part", "products", "--type", "e4m3", code=1, **bad)["products"]["failures"]
        self.assertEqual({failure["case"].split(",")[0] for failure in failures}, {"cpu", "blocked", "skinny"})
        self.bad(4, "the kernel cpu is not used for e4m3", "-s", "33x17x65", "--type", "e4m3", *cli.FAST, env=bad)

    def test_crash(self):
        """A driver that crashes costs one case."""
        part = self.found("crash", "products", "--kernel", "tiled", "--type", "i32,f32,u32")
        self.assertEqual((part["run"], part["passed"]), (6, 3))
        self.assertIn("the process that ran it was killed by signal 6", part["failures"][0]["sentence"])


cli.main()
