#!/usr/bin/env python3
"""vkmatmul doctor, peak and devices, and --no-layers: what is found, what is advised, and what a driver that fails costs."""
import json
import os
import pathlib
import re
import subprocess
import unittest
import unittest.mock

import cli
from cli import strict

FAKE = pathlib.Path(__file__).with_name("fake_doctor.py")
LAYER = os.environ.get("VKMM_TEST_LAYER", "")
BAD_DRIVER = os.environ.get("VKMM_TEST_BAD_DRIVER", "")
OFF = {"disable_environment": {"OFF": "1"}}  # the loader passes over an implicit layer that cannot be switched off
NARROW = ["VK_LOADER_LAYERS_DISABLE", "VK_LOADER_LAYERS_ALLOW", "NODEVICE_SELECT"]


class Doctor(cli.Case):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        self.write("usr/lib/libgood.so", b"\x7fELF\2\1\1")
        self.write("etc/vulkan/icd.d/good.json", {"ICD": {"library_path": "libgood.so"}})
        # The variable that chooses this test's driver counts below the root too.
        self.write(os.environ["VK_DRIVER_FILES"].lstrip("/"), {"ICD": {"library_path": "libgood.so"}})

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())

    def add_gpu(self, address, vendor, driver=None, node=None):
        folder = "sys/bus/pci/devices/" + address
        for name, value in [("class", "0x030000"), ("vendor", vendor), ("device", "0x1234")]:
            self.write(folder + "/" + name, value.encode())
        if driver:
            (self.root / folder / "driver").symlink_to("../../drivers/" + driver)
        if node:
            self.write(folder + "/drm/" + node + "/dev", b"226:128")

    def examine(self, *args, how="", code=0, env=None, table=False):
        """The report of the tree `root`, examined by a process that only plays a driver."""
        env = dict({"FAKE_DOCTOR": how}, **(env or {}))
        done = cli.run("doctor", "--root", self.root, "--worker", FAKE, *([] if table else ["--json"]), *args, env=env)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return done.stdout if table else strict(done.stdout)

    def check(self, report, name, verdict, pattern):
        found = [c for c in report["checks"] if c["check"] == name and c["verdict"] == verdict and re.search(pattern, c["sentence"])]
        self.assertTrue(found, "%s %s %r in %s" % (name, verdict, pattern, json.dumps(report["checks"], indent=1)))
        return found[0]

    def test_this_machine(self):
        """The one whole run: every check of the device at hand, and all of them good."""
        report = strict(self.good("doctor", "--json"))
        self.assertEqual(report["schema"], "vkmatmul.doctor/1")
        self.assertEqual([d["default"] for d in report["devices"]], [True])
        of_device = {c["check"]: c["verdict"] for c in report["checks"] if c["device"] == 0}
        self.assertLessEqual({"timestamps", "shared", "range", "products"}, set(of_device))
        self.assertEqual({of_device[name] for name in ["shared", "range", "products"]}, {"ok"})
        self.assertNotIn("problem", {c["verdict"] for c in report["checks"]})
        self.check(report, "products", "ok", r"^products of [1-9]\d* combinations? of types, all correct$")
        self.check(report, "loader", "ok", r"Vulkan loader 1\.\d")
        self.assertTrue(any(m["active"] and m["kind"] == "driver" for m in report["manifests"]))

    def test_manifests(self):
        self.write("etc/vulkan/icd.d/a.json", b"{]")
        self.write("etc/vulkan/icd.d/b.json", {"ICD": {"library_path": "libgone.so"}})
        with_env = {"VK_DRIVER_FILES": ":".join("/etc/vulkan/icd.d/" + n for n in ["a.json", "b.json", "good.json"])}
        report = strict(cli.run("doctor", "--root", self.root, "--worker", FAKE, "--json", env=dict(with_env, VK_ICD_FILENAMES="")).stdout)
        self.check(report, "drivers", "warning", r"a\.json is broken: not JSON")
        self.check(report, "drivers", "warning", r"b\.json is broken: .*libgone\.so")
        self.check(report, "environment", "note", "VK_DRIVER_FILES=/etc")
        self.assertIn("Reinstall the drivers of broken manifests", report["advice"][0] + report["advice"][-1])

    def test_hidden_drivers(self):
        command = ["env", "-u", "VK_DRIVER_FILES", "-u", "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_DISABLE=*", cli.program]
        done = subprocess.run([*command, "doctor", "--root", self.root, "--worker", FAKE, "--json"], stdout=subprocess.PIPE, text=True)
        self.assertIn("Unset VK_LOADER_DRIVERS_SELECT and VK_LOADER_DRIVERS_DISABLE", " ".join(strict(done.stdout)["advice"]))

    def test_unseen_gpu(self):
        self.add_gpu("0000:01:00.0", "0x10de", "nvidia")
        self.add_gpu("0000:05:00.0", "0x1002", "amdgpu", "renderD128")
        self.add_gpu("0000:06:00.0", "0x1a03")
        self.add_gpu("0000:07:00.0", "0x10de", "vfio-pci")
        report = self.examine()
        self.check(report, "gpus", "problem", "NVIDIA GPU 10de:1234 at 0000:01:00.0 .*/dev/nvidiactl is not there")
        self.check(report, "gpus", "problem", "AMD GPU 1002:1234 .*renderD128 is not there")
        self.check(report, "gpus", "note", "1a03:1234 .*no Vulkan driver")
        self.check(report, "gpus", "note", "reserved for a virtual machine")
        self.check(report, "choice", "problem", "although the system has a GPU")
        self.assertIn("--device /dev/dri", " ".join(report["advice"]))
        for name in ["dev/nvidiactl", "dev/dri/renderD128"]:
            self.write(name, b"")
        report = self.examine()
        self.check(report, "gpus", "problem", "NVIDIA GPU .* is not seen by Vulkan")
        self.assertIn("Unset VK_DRIVER_FILES", " ".join(report["advice"]))
        if os.geteuid() != 0:
            (self.root / "dev/dri/renderD128").chmod(0)
            self.check(self.examine(), "gpus", "problem", "may not be opened by this user")

    def test_layers(self):
        self.write("etc/vulkan/implicit_layer.d/hud.json",
                   {"layer": {"name": "VK_LAYER_MANGOHUD_overlay_x86_64", "library_path": "libgood.so", **OFF}})
        self.write("etc/vulkan/implicit_layer.d/steam.json",
                   {"layer": {"name": "VK_LAYER_VALVE_steam_overlay_64", "library_path": "libgood.so", **OFF}})
        self.write("etc/vulkan/explicit_layer.d/dump.json", {"layer": {"name": "VK_LAYER_LUNARG_api_dump", "library_path": "libgood.so"}})
        self.write("etc/vulkan/implicit_layer.d/own.json",
                   {"layer": {"name": "VK_LAYER_own", "library_path": "libgood.so", "description": "\x1b[31mmine", **OFF}})
        self.write("etc/vulkan/implicit_layer.d/lost.json", {"layer": {"name": "VK_LAYER_lost", "library_path": "liblost.so", **OFF}})
        self.write("etc/vulkan/implicit_layer.d/forever.json", {"layer": {"name": "VK_LAYER_forever", "library_path": "libgood.so"}})
        env = {"VK_LOADER_LAYERS_DISABLE": ""}
        report = self.examine(env=env)
        self.check(report, "layers", "note", "MANGOHUD.* is active: MangoHud")
        self.check(report, "layers", "warning", "steam_overlay_64 is active: Steam's overlay, reported among")
        self.check(report, "layers", "note", "VK_LAYER_own is active")
        self.check(report, "layers", "warning", "lost.json is broken")
        self.check(report, "layers", "warning", "forever.json is broken: .*disable_environment")
        self.assertIn("--no-layers", report["advice"][0])
        self.assertNotIn("\x1b", self.examine(env=env, table=True))
        report = self.examine("--no-layers", env=env)
        self.check(report, "layers", "ok", "no layer is between")
        self.assertNotIn("MANGOHUD", json.dumps(report["checks"]))
        # A layer that a variable names stays, whatever --no-layers says, and is not advised against with it.
        report = self.examine("--no-layers", env=dict(env, VK_LOADER_LAYERS_ENABLE="*api_dump"))
        self.assertIn("VK_LOADER_LAYERS_ENABLE", self.check(report, "layers", "warning", "api_dump is active")["advice"])

    def test_failing_drivers(self):
        crash = self.examine(how="crash", code=6)
        found = self.check(crash, "range", "problem", "was killed by signal 11")
        self.assertEqual((found["device"], crash["devices"][0]["verdict"]), (0, "problem"))
        wrong = self.examine(how="wrong", code=1)
        self.check(wrong, "products", "problem", "7 is not 8")
        self.assertEqual(wrong["advice"][0], "Do not trust it.")
        report = self.examine(how="no-start", code=3)
        self.check(report, "start", "problem", "only starts Vulkan was killed by signal 11")
        self.assertEqual(report["devices"], [])
        report = self.examine(how="layer", code=3)
        self.assertIn("--no-layers", self.check(report, "start", "problem", "without implicit layers it does not")["advice"])
        rubbish = self.examine(how="rubbish", table=True)
        self.assertNotIn("\x1b", rubbish)
        self.assertIn("hostile", rubbish)
        self.check(self.examine(how="garbage", code=6), "range", "problem", "gave an invalid answer")
        refused = self.examine(how="refused", code=6)
        self.check(refused, "start", "problem", "the device cannot be used: it lacks everything")
        self.assertEqual([c for c in refused["checks"] if c["check"] == "products"], [])
        self.check(self.examine(how="stranger"), "start", "warning", "another process sees another device at this index: 00000000-")

    @unittest.skipIf(BAD_DRIVER == "", "the driver of the tests is not built")
    def test_fatal_drivers(self):
        """A driver costs only the process that judges it, and the others are examined."""
        bad = self.file("bad.json", json.dumps({"file_format_version": "1.0.0", "ICD": {"library_path": BAD_DRIVER, "api_version": "1.1.0"}}).encode())
        for fault, how in [("load-abort", r"was killed by signal 6\b.*"), ("call-abort", r"was killed by signal 6\b.*"),
                           ("load-exit", "ended with status 0"), ("call-loop", "gave no answer for 30 s")]:
            with self.subTest(fault):
                both = fault == "call-abort"
                drivers = "%s:%s" % (bad, os.environ["VK_DRIVER_FILES"]) if both else str(bad)
                env = {"VK_DRIVER_FILES": drivers, "VK_ICD_FILENAMES": drivers, "VKMM_TEST_FAULT": fault, "FAKE_DOCTOR_PROGRAM": cli.program}
                if fault == "call-loop":  # half a minute passes in a second or two
                    env["LD_PRELOAD"] = ":".join(filter(None, [os.environ.get("LD_PRELOAD"), os.environ["VKMM_TEST_CLOCK"]]))
                done = cli.run("doctor", "--worker", FAKE, "--json", env=env)
                self.assertEqual((done.returncode, done.stderr), (6 if both else 3, ""))
                report = strict(done.stdout)
                found = self.check(report, "drivers", "problem", "bad.json is unusable: a process that only loads its driver %s$" % how)
                self.assertIn("VK_LOADER_DRIVERS_DISABLE", found["advice"])
                self.assertEqual(len(report["devices"]), int(both))

    def test_duplicates(self):
        """One driver under two names stands for one GPU under two drivers."""
        first = pathlib.Path(os.environ["VK_DRIVER_FILES"])
        manifest = json.loads(first.read_text())
        library = manifest["ICD"]["library_path"]
        if library.startswith("."):
            manifest["ICD"]["library_path"] = str(first.parent / library)
        both = "%s:%s" % (first, self.file("again.json", json.dumps(manifest).encode()))
        report = self.examine(env={"VK_DRIVER_FILES": both, "VK_ICD_FILENAMES": both})
        self.assertEqual([d["default"] for d in report["devices"]], [True, False])
        self.check(report, "duplicates", "note", r"devices 0 \(.*\) and 1 \(.*\) are one GPU under two drivers; a run uses the first")
        one = self.examine("--device", "1", env={"VK_DRIVER_FILES": both, "VK_ICD_FILENAMES": both})
        self.assertEqual([d["index"] for d in one["devices"]], [1])

    def test_table(self):
        text = self.examine(table=True, env={"XDG_CACHE_HOME": "/dev/null/nowhere", "VK_LOADER_LAYERS_DISABLE": ""})
        self.assertRegex(text, r"(?m)^System\n")
        self.assertRegex(text, r"(?m)^Device 0  \w")
        self.assertRegex(text, r"warning +cache +nothing can be kept")
        self.assertRegex(text, r"Advice\n   1\. Make the cache folder writable")
        self.assertEqual([line for line in text.splitlines() if len(line) > 80 and "/" not in line], [])
        self.assertRegex(self.examine(table=True), r"Advice\n  no advice\n\Z")

    def test_no_device(self):
        done = cli.run("doctor", "--json", env=cli.NO_DRIVER)
        self.assertEqual(done.returncode, 3, done.stderr)
        report = strict(done.stdout)
        self.assertEqual(report["devices"], [])
        self.check(report, "drivers", "warning", "the file does not exist")
        self.assertEqual([c["check"] for c in report["checks"]].count("start"), 1, report["checks"])
        self.assertIn("Unset VK_DRIVER_FILES", report["advice"][0])
        self.bad(2, "used only by other commands", "doctor-worker", stdin=subprocess.DEVNULL)


class Look(cli.Case):
    @unittest.mock.patch.dict(os.environ, VKMM_TEST_FAST_CLOCK=os.environ.get("VKMM_TEST_CLOCK", ""))
    def test_peak(self):
        report = strict(self.good("peak", "--json", "--type", "f64,f16,i8,bf16,u32"))
        self.assertEqual(report["schema"], "vkmatmul.peak/1")
        self.assertEqual([t["type"] for t in report["types"]], ["f64", "u32", "f16", "bf16", "i8"])
        for part in [report["copy"], *report["types"], *report["matrix"]]:
            figure = part["bytes_per_s"] if part is report["copy"] else part["flops"]
            self.assertEqual(figure is None, part["reason"] is not None)
            self.assertTrue(figure is None or figure > 0)
            spread = part.get("spread")  # a matrix has none
            self.assertEqual(spread is None, figure is None or part in report["matrix"])
            self.assertTrue(spread is None or 0 <= spread < 1, part)
        self.assertEqual([(r["name"], r["unit"]) for r in report["rates"]],
                         [(name, "bytes/s") for name in ("upload_pageable", "upload_pinned", "download_pageable", "download_pinned", "cache")] +
                         [("launch", "ms"), ("submit", "ms")])
        for rate in report["rates"]:
            if rate["name"] == "cache" and rate["reason"] is not None:
                self.assertEqual((rate["median"], rate["low"], rate["high"]), (None, None, None))
                self.assertIn("no cache is visible", rate["reason"])
                continue
            self.assertTrue(rate["reason"] is None and 0 < rate["low"] <= rate["median"] <= rate["high"], rate)
            self.assertEqual(rate["bytes"] is None, rate["unit"] == "ms")
        self.assertTrue(report["matrix"] or report["no_matrix"])
        rows = cli.table(self.good("report", self.file("peak.json", json.dumps(report).encode()), "--csv"))
        self.assertEqual([row["list"] for row in rows], ["copy"] + ["rates"] * 7 + ["types"] * 5 + ["matrix"] * len(report["matrix"]))
        self.assertEqual(report["others"] is not None, report["device"]["type"] == "cpu" and os.path.exists("/proc/stat"))
        self.assertTrue(report["others"] is None or 0 <= report["others"] <= 1.1 * report["processors"], report)
        for name, words in [("f64", "shaderFloat64"), ("bf16", "computed in f32"), ("f16", "shaderFloat16"), ("i8", "IntegerDotProduct|does not know dot products")]:
            part = next(t for t in report["types"] if t["type"] == name)
            self.assertTrue(part["flops"] is not None and name != "bf16" or re.search(words, part["reason"]), part)
        text = self.good("peak", "--type", "u32")
        self.assertNotRegex(text, r" 0\.00\b")
        self.assertNotIn("f32", text.split("\n", 1)[1])
        self.assertRegex(text, r"\n  upload, pinned memory +[\d.]+ GB/s +[\d.]+ – [\d.]+\n")
        self.assertRegex(text, r"\n  empty submission, and wait +[\d.]+ µs +[\d.]+ – [\d.]+\n")
        self.assertRegex(text, r"multiply-add u32 +[\d.]+ GOP/s    median [\d.]+ % lower\n")

    def test_devices(self):
        report = strict(self.good("devices", "--json"))
        device = report["devices"][0]
        best = {(b["type"], b["m"], b["n"], b["k"]): b["kernel"]["name"] for b in device["best"]}
        self.assertIn(best["f32", 4096, 1, 4096], ("cpu", "skinny"))
        self.assertEqual({b["type"] for b in device["best"]}, set(device["types"]))
        self.assertTrue(device["matrix_shapes"] or device["no_matrix_shapes"])
        self.assertTrue(any(h["device_local"] for h in device["heaps"]))
        self.assertEqual(report["unloaded"], [])  # the drivers are restricted
        ways = {(w["type"], w["out_type"], w["compute"]): w for w in device["arithmetic"]}
        self.assertEqual(len(ways), 19)
        for types, way in ways.items():
            self.assertIn(way["by"], ["matrix", "dot", "shader"] if types[0] in device["types"] else [None], types)
            self.assertEqual(way["kernel"] is None, way["by"] is None)
        self.assertLessEqual({"f16", "bf16", "i8", "u8", "e4m3", "e5m2"}, set(device["types"]))  # no feature is needed for them
        self.assertEqual([lack["what"] for lack in device["missing"] if "tiled" in lack["what"]],
                         ["serial, strided, naive, grouped, tiled, tiled-32, band, band-tiled, strip, block, vector, padded, prefetch, ordered"])
        if not device["matrix_shapes"]:  # whatever shaders this build lacks
            self.assertEqual({lack["reason"] for lack in device["missing"] if "coopmat" in lack["what"]},
                             {"the device has no matrix operations"})
        self.assertLess(len(device["missing"]), 9)
        text = self.good("devices")
        self.assertRegex(text, r"(?m)^   types +f32 (f64 )?i32 u32; (f16|bf16|i8)")
        self.assertRegex(text, r"(?m)^   best +4096³ \w+ \d+×\d+")
        self.assertEqual([line for line in text.splitlines() if len(line) > 80 and not line.startswith("   driver ")], [])

    def test_missing_layer(self):
        """The message helps users of any system."""
        done = cli.run("run", "--size", "8", "--validate", env={"VK_LAYER_PATH": str(self.folder)})
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertRegex(done.stderr, r"\Avkmatmul: \w+_validation is not installed \(Vulkan SDK; Debian: [\w-]+\)\n\Z")

    def test_swiftshader_is_mentioned(self):
        if "swiftshader" in os.environ.get("VK_DRIVER_FILES", ""):
            self.skipTest("it is loaded")
        if not pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json").exists():
            self.skipTest("there is none where Debian puts it")
        free = ["env", "-u", "VK_DRIVER_FILES", "-u", "VK_ICD_FILENAMES", cli.program, "devices"]
        self.assertIn("--device swiftshader uses it", subprocess.run(free, stdout=subprocess.PIPE, text=True).stdout)


@unittest.skipIf(LAYER == "", "the layer of the tests is not built")
class NoLayers(cli.Case):
    # Those that open no device, a device, one in another process, and none themselves.
    COMMANDS = [["devices"], ["trace"], ["tune", "-s", "16", "--budget", "100ms", "--no-cache"], ["doctor", "--worker", FAKE]]

    def loads(self, *args):
        """Whether the loader loaded an implicit layer for this command, or for a process that it started."""
        sign = self.folder / "loaded"
        sign.unlink(missing_ok=True)
        unset = [word for name in NARROW for word in ("-u", name)]
        env = dict(os.environ, XDG_DATA_HOME=str(self.folder), VKMM_TEST_LAYER_FILE=str(sign))
        done = subprocess.run(["env", *unset, cli.program, *args], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sign.exists()

    def test_all_commands(self):
        folder = self.folder / "vulkan" / "implicit_layer.d"
        folder.mkdir(parents=True)
        layer = {"name": "VK_LAYER_test", "type": "GLOBAL", "library_path": LAYER, "api_version": "1.3.230", "implementation_version": "1",
                 "description": "tells that it was loaded", "disable_environment": {"VKMM_TEST_LAYER_OFF": "1"}}
        (folder / "test.json").write_text(json.dumps({"file_format_version": "1.0.0", "layer": layer}))
        self.assertTrue(self.loads("devices"), "the test cannot tell anything: the loader does not load the layer")
        for command in self.COMMANDS:
            with self.subTest(command):
                self.assertFalse(self.loads(*command, "--no-layers"))


cli.main()
