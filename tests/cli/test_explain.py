#!/usr/bin/env python3
"""`vkmatmul explain`: what it counts, what it measures, what it says of limits."""
import json
import re

import cli

BLOCKS = ["strip", "block", "vector", "padded", "prefetch", "ordered"]  # several elements for each invocation


class Explain(cli.Case):
    """Runs with peaks cost more than a second each, so one run serves several checks: peaks are measured once for all sizes of a type."""

    def explanations(self, *args):
        """For each size, in order."""
        return [json.loads(line) for line in self.good("explain", "--json", *args).splitlines()]

    def explain(self, *args):
        return self.explanations(*args)[0]

    def test_tutorial(self):
        """The counts of the tutorial; and what bounds a kernel, by the peaks that all sizes share."""
        first, second = self.explanations("--size", "4,64x32x16", "--tile", "2", "--type", "u32")
        kernels = {kernel["name"]: kernel for kernel in first["kernels"]}
        self.assertEqual(list(kernels), ["strided", "naive", "grouped", "tiled", "tiled-32", "band", "band-tiled", "strip", "block", "vector", "padded",
                                         "prefetch", "ordered"])
        for name, kernel in kernels.items():
            tiled, blocks = "tiled" in name, kernel["shared_bytes"] > 0 and "tiled" not in name
            for operand in "ab":
                reads = kernel["reads"][operand]
                wanted = {"global": 2 if tiled or blocks else 4, "shared": 4 if tiled else 0}
                if blocks:  # one invocation has a whole tile of 2x2; a strip is one column wide
                    wanted["shared"] = 4 if (name, operand) == ("strip", "a") else 2
                for memory, count in wanted.items():
                    self.assertEqual(reads[memory], {"formula": count, "counted": count, "counted_min": count, "counted_max": count})
            self.assertEqual(kernel["bytes"]["read"], {"formula": 2 * 16 * 4 * wanted["global"], "counted": 2 * 16 * 4 * wanted["global"]})
            self.assertEqual(kernel["bytes"]["written"]["counted"], 64)
            self.assertEqual(kernel["stride"], 1)
            self.assertIs(kernel["agree"], True)
        kernel, peaks = second["kernels"][1], second["peaks"]
        self.assertEqual(peaks["copy_bytes_per_s"], first["peaks"]["copy_bytes_per_s"])
        self.assertGreater(peaks["copy_bytes_per_s"], 0)
        self.assertGreater(peaks["multiply_adds_per_s"], 0)
        self.assertTrue(all(0 <= peaks[key] < 1 for key in ("copy_spread", "multiply_adds_spread")), peaks)
        moved = kernel["bytes"]["read"]["counted"] + kernel["bytes"]["written"]["counted"]
        self.assertAlmostEqual(kernel["flop_per_byte"], 2 * 64 * 32 * 16 / moved)
        self.assertAlmostEqual(kernel["memory_ms"], moved / peaks["copy_bytes_per_s"] * 1e3)
        self.assertEqual(kernel["predicted_ms"], max(kernel["memory_ms"], kernel["arithmetic_ms"]))
        slower = "memory" if kernel["memory_ms"] >= kernel["arithmetic_ms"] else "arithmetic"
        self.assertEqual(kernel["bound"], slower)

    def test_thousand_and_ragged(self):
        """1024 with tile 16 is 64 and 1,024, not the tutorial's 16; then a product that does not fill a tile. The driver's statistics, or why there
        are none."""
        words = ["--tile", "16", "--kernel", "tiled", "--size"]
        kernel, ragged = [one["kernels"][0] for one in self.explanations(*words, "1024x1024x16,5x7x3")]
        for operand in "ab":
            for memory, count in {"global": 64, "shared": 1024}.items():
                self.assertEqual([kernel["reads"][operand][memory][key] for key in ("formula", "counted")], [count, count])
        self.assertGreater(kernel["stride"], 1)
        self.assertEqual(ragged["invocations"], {"formula": 256, "counted": 256})
        self.assertEqual(ragged["idle"], {"formula": 221, "counted": 221})
        self.assertAlmostEqual(ragged["idle_share"]["counted"], 221 / 256)
        self.assertAlmostEqual(ragged["padding_share"]["formula"], 1 - 105 / (256 * 16))
        text = self.good("explain", *words, "1024x1024x1,96,5x7x3")
        self.assertRegex(text, r"\nMeasured, next to the longer of the two\nkernel +predicted ms +measured ms\ntiled +[\d.e-]+ +[\d.]+\n\w")
        self.assertIn("221 invocations idle: the last 9 columns, the last 11 rows", text)
        self.assertIn("13 terms of zeros", text)
        if kernel["statistics"] is None:
            self.assertIn("does not have the extension", text)
        else:
            self.assertGreater(len(kernel["statistics"]), 0)

    def test_long_loops(self):
        """A band of 64 tiles with K = 1024 is more than older releases of llvmpipe run: that is no wrong result."""
        done = cli.run("explain", "--size", "16x1024x1024", "--tile", "16", "--kernel", "band")
        if done.returncode != 0:
            self.assertRegex(done.stderr, r"\Avkmatmul: llvmpipe exits a shader's loops after 65535 iterations, before band .*\n\Z")

    def test_plans(self):
        """Kernels that take every problem are not counted; what follows from their plan is told."""
        report = self.explain("--size", "256x512x64", "--kernel", "blocked", "--type", "f16", "--compute", "f16")
        plan = report["planned"]
        rows, cols = plan["tile"]
        self.assertEqual((report["problem"]["type"], report["problem"]["out_type"], report["problem"]["compute"]), ("f16", "f16", "f16"))
        self.assertEqual(plan["name"], "blocked")
        self.assertAlmostEqual(plan["sum_registers"], rows * cols / plan["workgroup"][0] / plan["workgroup"][1] / 2, places=5)
        self.assertAlmostEqual(plan["bytes_per_multiply_add"], 2 * (1 / rows + 1 / cols), places=5)
        self.assertAlmostEqual(plan["flop_per_byte"] * plan["bytes_per_multiply_add"], 2, places=5)
        self.assertIsNone(plan["matrix"])
        text = self.good("explain", "--size", "256", "--type", "f16,i8")  # the tutorials' kernels do not take them
        self.assertRegex(text, r"(?m)^256³ f16: \w+, tiles of \d+×\d+$")
        self.assertRegex(text, r"(?m)^256³ i8: \w+, tiles of \d+×\d+$")
        text = self.good("explain", "--size", "64", "--transposeB", "T")  # nor this
        self.assertRegex(text, r"(?m)^64³ NT f32: \w+, tiles of \d+×\d+$")
        self.assertEqual([line for line in text.splitlines()[1:] if len(line) > 80], [])

    def test_methods(self):
        """A split or modular product is made of others, in passes, of which each has its share of the time; the peaks say what is faster."""
        m, n = 32, 32  # a hundredth of a second at the peaks, because only a product of less than a second is measured
        for type, size, method, k, passes in (("f64", 8, "modular", 130, ["scale", "residues", "product", "finish"]),
                                              ("f32", 4, "split", 1030, ["scale", "split", "product"])):
            words = ["explain", "--size", "%dx%dx%d" % (m, n, k), "--type", type, "--compute", method]
            done = cli.run(*words)
            if done.returncode == 4:  # without matrix operations
                self.bad(4, "split needs matrix operations of f16", *words)
                continue
            with self.subTest(method):
                words[2] += ",0x3x4,4000x4000x1100" if method == "modular" else ""
                plan, *others = [json.loads(line)["planned"] for line in self.good(*words, "--json").splitlines()]
                if method == "modular":
                    self.not_measured(*others)
                scale, pack, product = plan["passes"][:3]
                last = plan["passes"][-1]
                self.assertEqual([one["name"] for one in plan["passes"]], passes)
                if method == "modular":  # words of 11 bits hold what bytes hold
                    self.assertIn((plan["moduli"], plan["residues"], plan["products"]), [(15, "i8", 15), (15, "i32", 11)])
                else:
                    self.assertEqual((plan["moduli"], plan["residues"], plan["products"]), (None, None, 3))
                self.assertEqual(product["multiply_adds"], plan["products"] * m * n * k)
                self.assertEqual((scale["bytes_read"], pack["bytes_read"], last["bytes_written"]), (size * (m + n) * k,) * 2 + (size * m * n,))
                self.assertEqual(pack["bytes_written"], product["bytes_read"])
                self.assertEqual(pack["bytes_written"], plan["packed_bytes"])
                if plan["moduli"]:
                    line = 144 if plan["residues"] == "i8" else 4 * k
                    self.assertEqual((pack["bytes_written"], last["bytes_read"]), (plan["products"] * (m + n) * line, plan["products"] * m * n * 4))
                self.assertAlmostEqual(sum(one["share"] for one in plan["passes"]), 1, places=6)
                self.assertAlmostEqual(sum(one["predicted_ms"] for one in plan["passes"]) / plan["predicted_ms"], 1, places=6)
                self.assertIsNone(plan["not_measured"])
                self.assertAlmostEqual(sum(one["measured_share"] for one in plan["passes"]), 1, places=6)
                self.assertAlmostEqual(sum(one["measured_ms"] for one in plan["passes"]) / plan["measured_ms"], 1, places=6)
                self.assertGreater(min(one["measured_ms"] for one in plan["passes"]), 0)
                direct = plan["direct_ms"] is not None and plan["direct_ms"] <= plan["predicted_ms"]
                self.assertEqual(plan["faster"], "direct" if direct else method)
                text = done.stdout
                for one in passes:
                    self.assertRegex(" ".join(text.split()), r"pass: %s .*?; measured [\d.]+ ms, \d+ %%" % one)
                self.assertRegex(text, r"(?m)^  products +%d of .*\b%s\b" % (plan["products"], plan["residues"] or "f16"))
                self.assertRegex(" ".join(text.split()), r"By these peaks, (%s|%s) is faster here" % (type, method) if plan["direct_ms"] else "has no " + type)
                self.assertEqual([line for line in text.splitlines()[1:] if len(line) > 80], [])

    def not_measured(self, empty, long):
        """Why the passes have only predictions: there is nothing to do, or it would take long."""
        for plan in empty, long:
            why = "the product is empty" if plan is empty else "a product takes more than 1000 ms at the peaks" if plan["predicted_ms"] > 1000 else None
            self.assertEqual(plan["not_measured"], why)
            self.assertEqual([time is None for time in (plan["measured_ms"], *(one["measured_ms"] for one in plan["passes"]))], [why is not None] * 5)

    def test_measured(self):
        """A measured time beside the predicted one, why they differ, no kernel above the peak, and nothing of empty products."""
        result, *empty = self.explanations("--size", "96,0,0x3x4,3x0x4,3x4x0", "--tile", "8")
        for kernel in result["kernels"]:
            self.assertGreater(kernel["measured_ms"], 0)
            self.assertGreaterEqual(kernel["measured_ms"] * 1.000001, kernel["arithmetic_ms"])
        foreseen = min(result["kernels"], key=lambda kernel: kernel["predicted_ms"])
        fastest = min(result["kernels"], key=lambda kernel: kernel["measured_ms"])
        over, why = foreseen["measured_ms"] / foreseen["predicted_ms"], result["why"]
        self.assertEqual("bound by neither" in why, over > 1.2, result)
        self.assertEqual("%s is " % fastest["name"] in why, fastest["name"] != foreseen["name"], result)
        self.assertEqual("ordinary memory" in why, fastest["name"] != foreseen["name"] and result["device"]["type"] == "cpu", result)
        self.assertEqual(len(empty), 4)
        for one in empty:
            size = [one["problem"][key] for key in "mnk"]
            self.assertEqual(len(one["kernels"]), 13, size)
            for kernel in one["kernels"]:
                self.assertIs(kernel["agree"], True, size)
                if size[0] == 0 or size[1] == 0:
                    self.assertIsNone(kernel["measured_ms"], size)
        self.assertEqual([one["why"] for one in empty if one["problem"]["m"] == 0], [None] * 2)

    def test_table(self):
        text = self.good("explain", "--size", "33x20x9", "--type", "i32,f32")
        self.assertEqual(text.count("band-tiled"), 2 * (text.count("band-tiled") // 2))
        self.assertEqual([line for line in text.splitlines()[1:] if len(line) > 80 or line.endswith(" ")], [])
        self.assertNotIn("DIFFER", text)
        self.assertEqual(len(re.findall(r"\(median\s+\d+\s+%\s+lower\)", text)), 4)
        self.assertTrue("\n".join(self.good("explain", "--size", "20x9x5", "--validate", env={"LC_ALL": "C"}).splitlines()[1:]).isascii())

    def test_what_limits_a_step(self):
        """The ladder's limiter for one kernel, of f32 alone; no times on processors."""
        limits = self.explain("--size", "64", "--kernel", "padded", "--type", "f32")["kernels"][0]["limits"]
        self.assertEqual((limits["predicted_ms"], limits["resource_ms"]), (None, None))
        self.assertGreater(limits["counts"]["shared_turns"], 0)
        text = self.good("explain", "--size", "64", "--kernel", "padded")
        self.assertRegex(text, "\nWhat limits it, from what its workgroups do: %s\nPredicted times would be far too low" % limits["limiter"])
        self.assertIsNone(self.explain("--size", "64", "--kernel", "padded", "--type", "i32")["kernels"][0]["limits"])

    def test_steps_of_general_kernels(self):
        """Their names are no kernels: the plan is that of the step's problem and configuration, with what limits it."""
        parts = self.explain("--size", "64", "--kernel", "parts")
        self.assertEqual([parts["problem"][key] for key in "mnk"], [32, 32, 2048])
        self.assertEqual((parts["planned"]["name"], parts["planned"]["limits"]["name"]), ("blocked", "parts"))
        self.assertIsNone(parts["planned"]["limits"]["predicted_ms"])
        self.assertGreater(parts["planned"]["limits"]["counts"]["instructions"], 32 * 32 * 2048 / 32)
        self.assertIsNone(self.explain("--size", "64", "--kernel", "blocked")["planned"]["limits"])
        self.assertIn("What limits it", self.good("explain", "--size", "64", "--kernel", "parts"))
        for name in ("direct", "staged"):
            done = cli.run("explain", "--kernel", name, "--size", "64", "--json")
            if done.returncode == 4:  # a device, or a build, without matrix operations
                self.assertRegex(done.stderr, "matri|shader for f")
            else:
                self.assertEqual(json.loads(done.stdout)["planned"]["limits"]["name"], name)

    def test_what_is_left_out(self):
        most = cli.devices()[0]["limits"]["max_invocations"]
        self.bad(4, "no kernel can run: tile 1024x1024 needs 1048576 invocations", "explain", "--tile", "1024", "--size", "4")
        self.bad(4, "tile 64x64 needs 4096 invocations", "explain", "--tile", "64", "--size", "4", "--kernel", "band")
        result = self.explain("--size", "4", "--tile", "1x%d" % most)
        self.assertEqual([s["name"] for s in result["skipped"]], ["tiled", "tiled-32", "band-tiled", *BLOCKS])
        self.assertRegex(result["skipped"][0]["reason"], "bytes of shared memory")
        self.assertEqual(len(result["kernels"]), 4)

    def test_refusals(self):
        self.bad(2, "serial runs on the host", "explain", "--kernel", "serial")


cli.main()
