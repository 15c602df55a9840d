#!/usr/bin/env python3
"""Products in panels, because of --memory-limit: the same bytes as in memory, from files and generated, for all that a problem can be; the faults of their
files; and what is told of them."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import unittest

import cli
from cli import FAST

QUICK = FAST + ["--kernel", "tiled"]  # which lavapipe compiles in no time

VARIANTS = [
    [],
    ["--transposeA", "T", "--batch_count", "2", "--verify", "freivalds"],
    ["--layout", "col", "--transposeB", "T", "--alpha", "3", "--beta", "2", "--ldc", "211", "--offset-b", "5"],
    ["--batch_count", "3", "--stride_a", "0", "--beta", "1", "--bias_vector", "--activation", "relu", "--lda", "77"],
]


class Large(cli.Case):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(self.folder / "cache"))}

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def both(self, *args, limit="100kB", suffix=".npy"):
        """One product as a whole and in panels, saved: the JSON of the panels. The files must be the same."""
        whole, parts = self.folder / ("whole" + suffix), self.folder / ("parts" + suffix)
        first = json.loads(self.good(*args, *FAST, "-o", whole, "--json"))
        self.assertIsNone(first["panels"])
        self.assertGreater(first["wall_ms"], 0)
        result = json.loads(self.good(*args, *FAST, "-o", parts, "--json", "--memory-limit", limit))
        self.assertEqual(whole.read_bytes() == parts.read_bytes(), True, args)
        self.assertTrue(result["verify"]["passed"])
        self.assertEqual(result["kernel"]["config"], first["kernel"]["config"])
        return result


class Same(Large):
    def test_large_files(self):
        """Threads copy them, in any layout, and write the product."""
        a, b = self.folder / "a.npy", self.folder / "b.npy"
        self.good("-s", "40009x31x1", "--type", "i32", "-o", a, *FAST)
        self.good("-s", "31x29x1", "--type", "i32", "-o", b, *FAST)
        self.both("-a", a, "-b", b, "--layout", "col", limit="2MB")
        self.both("-a", a, "-b", a, "--transposeA", "T", limit="2MB")
        self.both("-a", b, "-b", a, "--transposeA", "T", "--transposeB", "T", limit="2MB")

    def test_types(self):
        here = cli.devices()[0]["types"]
        for number, kind in enumerate(["f32", "f64", "i32", "i8", "f16", "bf16"]):
            variant = VARIANTS[number % len(VARIANTS)]
            with self.subTest(type=kind, variant=variant):
                if kind not in here:
                    self.skipTest("the device has no " + kind)
                panels = self.both("-s", "203x187x61", "--type", kind, *variant, suffix=".safetensors", limit="100kB")["panels"]
                self.assertGreater(panels["row_panels"] * panels["col_panels"], 1)
                self.assertEqual(panels["depth_panels"], 1)

    def test_variants_in_memory(self):
        """Without -o, C is in memory, where the verification also looks at what lies between its rows."""
        for variant in VARIANTS[2:]:
            with self.subTest(variant=variant):
                result = json.loads(self.good("-s", "203x187x61", *variant, *FAST, "--memory-limit", "100kB", "--json"))
                self.assertTrue(result["verify"]["passed"])
                self.assertIsNotNone(result["panels"])

    def test_print(self):
        args = ["-s", "203x187x61", "--print", *FAST, "--beta", "2", "--bias_vector", "--transposeB", "T"]
        whole, parts = (text[:text.index("llvmpipe") if "llvmpipe" in text else text.index("SwiftShader")]
                        for text in [self.good(*args), self.good(*args, "--memory-limit", "100kB")])
        self.assertEqual(whole, parts)
        self.assertEqual(re.findall(r"(?m)^(\S.*) \(", whole), ["A", "Bᵀ", "bias", "C before", "C"])

    def test_files(self):
        """Both orders of elements, transposes, stacks, C and a bias from files; the same as in memory."""
        rows = [[float((7 * i + 3 * j) % 11 - 5) for j in range(100)] for i in range(120)]
        cols = [[float((5 * i + 2 * j) % 13 - 6) for j in range(130)] for i in range(100)]
        old = [[float((i + j) % 5) for j in range(130)] for i in range(120)]
        c = self.file("c.npy", cli.npy_bytes(old))
        bias = self.file("bias.npy", cli.npy_bytes([[float(j % 4) for j in range(130)]]))
        transposed = [list(column) for column in zip(*rows)]
        for fortran in [False, True]:
            a = self.file("a.npy", cli.npy_bytes(rows, fortran=fortran))
            at = self.file("at.npy", cli.npy_bytes(transposed, fortran=not fortran))
            b = self.file("b.npy", cli.npy_bytes(cols, fortran=fortran))
            args = ["-a", at, "--transposeA", "T", "-b", b, "-c", c, "--beta", "2", "--bias", bias] if fortran else ["-a", a, "-b", b]
            with self.subTest(fortran=fortran):
                result = self.both(*args, limit="90kB")
                self.assertGreater(result["panels"]["row_panels"] * result["panels"]["col_panels"], 1)
                want = cli.product(rows, cols)
                if fortran:
                    want = [[x + 2 * y + j % 4 for j, (x, y) in enumerate(zip(*pair))] for pair in zip(want, old)]
                self.assertEqual(cli.read_npy(self.folder / "parts.npy")[1], want)

    def test_stacks(self):
        numbers = [float(i % 9 - 4) for i in range(3 * 90 * 100)]
        a = self.file("a.safetensors", cli.safetensors_bytes({"A": ("F32", [3, 90, 100], numbers)}))
        b = self.file("b.safetensors", cli.safetensors_bytes({"B": ("F32", [100, 110], numbers[:11000])}))
        self.assertIsNotNone(self.both("-a", a, "-b", b, limit="100kB")["panels"])

    def test_pipe(self):
        """A file that is none is written at last, and whole."""
        args = ["-s", "203x187x61", *QUICK, "--quiet"]
        self.good(*args, "-o", self.folder / "whole.npy")
        done = subprocess.run([cli.program, *args, "--memory-limit", "100kB", "-o", "/dev/stderr"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, (self.folder / "whole.npy").read_bytes())


class Told(Large):
    def test_row(self):
        text = self.good("-s", "300x200x100", "--memory-limit", "100kB", *QUICK)
        self.assertRegex(text, r"(?m)^  in \d+ panels of \d+×\d+: .*100000.*; end to end [0-9.]+ s$")
        row, = cli.table(self.good("-s", "300x200x100", "--memory-limit", "100kB", "--csv", *QUICK))
        result = json.loads(self.good("-s", "300x200x100", "--memory-limit", "100kB", "--json", "--samples", *QUICK))
        panels = result["panels"]
        self.assertEqual((row["panel_rows"], row["panel_cols"], row["row_panels"]), tuple(str(panels[key]) for key in ["rows", "cols", "row_panels"]))
        self.assertEqual((row["reason"], row["uploaded_bytes"]), (panels["reason"], str(panels["uploaded_bytes"])))
        self.assertGreater(float(row["wall_ms"]), 0)
        self.assertEqual(len(result["time"]["kernel_ms"]["samples"]), 1)
        self.assertGreaterEqual(panels["dispatches"], panels["row_panels"] * panels["col_panels"])
        self.assertGreaterEqual(panels["rows"] * panels["row_panels"], 300)
        self.assertGreaterEqual(panels["cols"] * panels["col_panels"], 200)
        self.assertLessEqual(panels["longest_dispatch_ms"], result["wall_ms"])
        self.assertAlmostEqual(result["gflops"], 2 * 300 * 200 * 100 / result["time"]["kernel_ms"]["median"] * 1e-6, delta=result["gflops"] * 1e-4)
        row, = cli.table(self.good("-s", "16", "--csv", *QUICK))
        self.assertEqual((row["panel_rows"], row["reason"]), ("", ""))

    def test_unverified(self):
        done = cli.run("-s", "300x200x100", "--memory-limit", "100kB", "--verify", "none", "--json")
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["time"], result["gflops"], result["wall_ms"]), (0, None, None, None))
        self.assertIsNone(result["panels"]["longest_dispatch_ms"])

    def test_limits(self):
        """Their values: tests/tool/options/test_options.c."""
        self.bad(2, r"--memory-limit takes bytes from 1 to .*, not '1gib'", "-s", "8", "--memory-limit", "1gib")
        self.good("-s", "8", "--memory-limit", "8388607TiB", *QUICK)

    def test_too_small(self):
        """Not even a panel of one tile: one sentence, and nothing is left."""
        self.bad(5, "not even panels of .* fit: .* 1 bytes", "-s", "300", "--memory-limit", "1", "-o", self.folder / "c.npy")
        self.assertEqual(self.left(), [])

    def test_progress(self):
        words = ["-s", "300x300x200", "--memory-limit", "100kB", *QUICK]
        code, text = cli.on_terminal(*words, stdout=subprocess.DEVNULL, env={"TERM": "xterm"})
        self.assertRegex(text, r"300×300×200 f32 \w+: \d+ of \d+ panels(, \d+ s left)?")
        self.assertEqual((code, text[-4:]), (0, "\r\x1b[K"))
        self.assertEqual(cli.on_terminal(*words, stdout=subprocess.DEVNULL, env={"TERM": "dumb"}), (0, ""))


class Several(Large):
    def setUp(self):
        super().setUp()
        self.env.update(self.both_drivers())

    def test_one_product(self):
        """On both devices: the bits of whole numbers, what each did, and files that are read and written as by one."""
        args = ["-s", "203x187x61", "--type", "i32", *VARIANTS[3], *FAST, "-o"]
        one, both = self.folder / "one.npy", self.folder / "both.npy"
        first = json.loads(self.good(*args, one, "--json", "--device", "llvmpipe", env=self.env))
        self.assertIsNone(first["devices"])
        elements = 203 * 187 * first["problem"]["batch_count"]
        for word in "all", "0,1", "cpu":
            result = json.loads(self.good(*args, both, "--json", "--device", word, env=self.env))
            self.assertEqual(one.read_bytes() == both.read_bytes(), True, word)
            devices = result["devices"]
            self.assertEqual([device["index"] for device in devices], [0, 1])
            self.assertEqual(len({device["name"] for device in devices}), 2)
            self.assertAlmostEqual(sum(device["share"] for device in devices), 1)
            self.assertEqual(sum(device["bytes"] for device in devices), result["panels"]["uploaded_bytes"] + result["panels"]["downloaded_bytes"])
            for device in devices:
                self.assertEqual((device["panels"] > 0, device["failed"]), (device["share"] > 0, None))
                self.assertLessEqual(device["kernel_ms"], result["time"]["kernel_ms"]["median"] * 1.000001)
                self.assertLessEqual(device["wait_ms"], result["wall_ms"] * 1.001)  # all of it, if the other took everything
                self.assertEqual(len(device["timeline"]), device["panels"])
                self.assertAlmostEqual(sum(panel["matrices"] * panel["rows"] * panel["cols"] for panel in device["timeline"]) / elements, device["share"])
                for panel in device["timeline"]:
                    times = [*panel["load_ms"], *panel["kernel_ms"], *panel["store_ms"]]
                    self.assertEqual(times, sorted(times))
                    self.assertLess(times[-1], result["wall_ms"] * 1.001)
            both.unlink()
        text = self.good(*args, both, "--device", "1,0", env=self.env)
        self.assertRegex(text, r"(?m)^  2 devices share it; end to end [0-9.]+ s\n"
                               r"(  [10] (llvmpipe|SwiftShader) .*: \d+ panels?, [0-9.]+ % of C; \w+; kernel \S+ s, waited \S+ s; \S+ MB copied\n){2}")
        self.assertEqual(len(re.findall("(?m)^(llvmpipe|SwiftShader).* · Vulkan", text)), 2)
        both.unlink()
        text = self.good("-s", "100", *FAST, "-o", both, "--device", "all", env=self.env)
        self.assertRegex(text, r"(?m)^  2 devices share it; they may add in another order, or round differently; end to end")

    def test_bench(self):
        """After the rows of each device, those of all together; compare has none."""
        suite = self.file("a.suite", b"--size 64 --kernel tiled\n")
        args = ["--suite", suite, "--device", "1,0", "--no-host", "--json", "--budget", "10m", "--max-noise", "90%"]
        report = json.loads(self.good("bench", *args, env=self.env))
        self.assertEqual([device["label"] for device in report["devices"]][2:], ["together"])
        self.assertEqual(report["devices"][2]["driver_name"], " + ".join(device["name"] for device in report["devices"][:2]))
        self.assertEqual([(row["device"], row["in_panels"]) for row in report["rows"]], [(0, None), (1, None), (2, "panels on 2 devices")])
        for row in report["rows"]:
            self.assertTrue(row["verify"]["passed"])
        self.assertEqual(len(json.loads(self.good("compare", *args, env=self.env))["contenders"]), 2)

    def test_one_left(self):
        """A device that cannot compute the product is left out."""
        done = cli.run("-s", "150", *FAST, "--kernel", "cpu", "--config", "lanes=8", "--device", "all", "--json",
                       env=dict(self.env, LP_NATIVE_VECTOR_WIDTH="256"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'\Avkmatmul: warning: "SwiftShader[^\n]*" is left out: [^\n]*\n\Z')
        self.assertEqual([device["name"][0] for device in json.loads(done.stdout)["devices"]], ["l"])


class Faults(Large):
    def test_full_disk(self):
        # Drivers may keep the device's memory in files, which then end too: no driver, and panels smaller than the limit.
        for limit in [["--kernel", "serial"], ["--memory-limit", "100kB"]]:
            with self.subTest(limit=limit):
                target = self.file("c.npy", b"as it was")
                done = cli.run("-s", "300x200x100", *QUICK, *limit, "-o", target, preexec_fn=cli.files_end_at(150000))
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*c\.npy[^\n]*\n\Z")
                self.assertEqual((target.read_bytes(), self.left()), (b"as it was", ["c.npy"]))

    def test_small_tmpfs(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(disk)], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("cannot mount a small tmpfs")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        for limit in [[], ["--memory-limit", "100kB"]]:
            with self.subTest(limit=limit):
                done = cli.run("-s", "300x200x100", *QUICK, *limit, "-o", disk / "c.npy")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*No space left on device[^\n]*\n\Z")
                self.assertEqual(list(disk.iterdir()), [])

    def test_folder_that_vanishes(self):
        for limit in [[], ["--memory-limit", "1MB"]]:
            with self.subTest(limit=limit):
                folder = self.folder / "out"
                done = cli.run("-s", "30", *QUICK, *limit, "-o", folder / "c.npy")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Avkmatmul: cannot write [^\n]*: No such file or directory\n\Z")
                folder.mkdir()
                command = [cli.program, "-s", "390", *limit, *QUICK, "-o", str(folder / "c.npy")]
                child = None
                while child is None or not cli.stop_when(lambda: cli.catches(child, signal.SIGINT) and not (folder / "c.npy").exists(), child):
                    (folder / "c.npy").unlink(missing_ok=True)  # it was over before anyone looked
                    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    self.addCleanup(child.kill)
                shutil.rmtree(folder)
                child.send_signal(signal.SIGCONT)
                said = child.communicate(timeout=cli.GUARD)[1]
                self.assertEqual(child.returncode, 2, said)
                self.assertRegex(said, r"\Avkmatmul: [^\n]*c\.npy[^\n]*\n\Z")

    def test_input_that_is_cut(self):
        """A file that is made shorter under the mapping: its bytes are gone. If they are read before the size is checked, a sentence explains the signal."""
        rows, cols = 1500, 20
        data = cli.npy_bytes([[0.0]], shape=(rows, rows))[:128] + bytes(4 * rows * rows)
        thin = cli.npy_bytes([[0.0]], shape=(rows, cols))[:128] + bytes(4 * rows * cols)
        for limit in [[], ["--memory-limit", "2MB"]]:
            with self.subTest(limit=limit):
                a, b, c = self.file("a.npy", data), self.file("b.npy", thin), self.folder / "c.npy"
                command = [cli.program, "-a", str(a), "-b", str(b), "-o", str(c), *limit, *QUICK]
                is_reading = lambda: str(a) in pathlib.Path("/proc/%d/maps" % child.pid).read_text() and not c.exists()
                child = None
                while child is None or not cli.stop_when(is_reading, child):
                    c.unlink(missing_ok=True)
                    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    self.addCleanup(child.kill)
                os.truncate(a, 4096)
                child.send_signal(signal.SIGCONT)
                out, said = child.communicate(timeout=cli.GUARD)
                self.assertIn((child.returncode, out), [(2, ""), (-signal.SIGBUS, "")], said)
                self.assertRegex(said, r"\Avkmatmul: [^\n]*truncated[^\n]*\n\Z")
                self.assertEqual(self.left(), ["a.npy", "b.npy"])


class Room(Large):
    @unittest.skipIf(os.environ.get("VKMM_SANITIZE", "none") != "none", "sanitizers need their memory")
    def test_host_memory_that_ends(self):
        """Where the heap has no room, matrices go to a file; where there is none either, one sentence tells."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
        done = cli.run(*["-s", "10000x16x10000", "--verify", "freivalds", "--memory-limit", "64MiB", *FAST, "--json"], preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["verify"]["passed"])


if __name__ == "__main__":
    cli.main()
