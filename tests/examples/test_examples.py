#!/usr/bin/env python3
"""test_examples.py NO_BARRIERS PROGRAM…: the examples compute what NumPy does, on one driver (tests/with-driver), with
validation and synchronization validation. A line of output that is not the program's own fails."""
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

LAYER = "VK_LAYER_KHRONOS_validation"
SETTINGS = """khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
khronos_validation.syncval_shader_accesses_heuristic = true
khronos_validation.report_flags = error,warn
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = stdout
"""
HAS_LAYER = any(pathlib.Path("/usr/share/vulkan/explicit_layer.d").glob("*khronos_validation.json"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
no_barriers = None
programs = {}


def numbers(count, seed):
    """host_number, for all indices below count."""
    i = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(747796405) + numpy.uint32(seed)
    i = (i ^ i >> numpy.uint32(16)) * numpy.uint32(2246822519)
    return ((i >> numpy.uint32(24)).astype(numpy.float32) - 128) / 128


def weights(terms, cols, seed):
    scale = 1.0
    while scale * scale * terms > 4:
        scale /= 2
    return numbers(terms * cols, seed).reshape(terms, cols) * scale


def gelu(x):
    return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@unittest.skipUnless(HAS_LAYER or os.environ.get("VKMM_REQUIRE_VULKAN"), "there is no validation layer")
class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.out = pathlib.Path(self.folder, "out")

    def run_example(self, name, *args, preload=None):
        settings = pathlib.Path(self.folder, "vk_layer_settings.txt")
        settings.write_text(SETTINGS, encoding="utf-8")
        env = dict(os.environ, VK_INSTANCE_LAYERS=LAYER, VK_LAYER_SETTINGS_PATH=str(settings))
        if preload:
            env["LD_PRELOAD"] = ":".join(filter(None, [env.get("LD_PRELOAD"), preload]))
        return subprocess.run([programs[name], *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, encoding="utf-8", env=env, timeout=600, check=False)

    def prints(self, expected, name, *args):
        done = self.run_example(name, *args)
        self.assertRegex(done.stdout, r"\A" + expected + r"\Z")
        self.assertEqual(done.returncode, 0)

    def mlp(self, layers, tokens, width, hidden, *more):
        kernels = r".+\n(\d+x\d+x\d+: \w+\n){2}"
        times = r"layers \S+ ms, products \S+ ms .*, share \d+\.\d+\n" if "--time" in more else ""
        self.prints(kernels + times, "mlp", "--layers", layers, "--tokens", tokens, "--width", width, "--hidden",
                    hidden, *more, self.out)
        x = numbers(tokens * width, 0).reshape(tokens, width).astype(numpy.float16)
        for i in range(layers):
            wide = x.astype(numpy.float64)
            y = (wide / numpy.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6)).astype(numpy.float16)
            h = gelu(y.astype(numpy.float64) @ weights(width, hidden, 2 * i + 1)).astype(numpy.float16)
            x = (wide + h.astype(numpy.float64) @ weights(hidden, width, 2 * i + 2)).astype(numpy.float16)
        got = numpy.fromfile(self.out, numpy.float16).reshape(tokens, width).astype(numpy.float64)
        # Each layer rounds y, h and x to f16: a change in the last place of each propagates, unbiased.
        self.assertLess(numpy.abs(got - x).max(), 2**-10 * math.sqrt(layers) * numpy.abs(x).max())
        self.assertGreater(numpy.abs(x).min(axis=0).max(), 0.1)

    def test_mlp(self):
        self.mlp(32, 5, 72, 90)

    def test_mlp_unpacked(self):
        self.mlp(3, 7, 40, 50, "--unpacked", "--time")

    def test_threads(self):
        self.prints(r".+: 16 steps by 4 threads, 0 wrong elements\n", "threads")

    def test_experts(self):
        self.prints(r".+: 75 tokens, rows of 8 experts:( \d+){8}, 0 dropped, 0 wrong\n", "experts")

    def test_spectral(self):
        if "spectral" not in programs:
            self.skipTest("there is no VkFFT that compiles")
        length, signals, inputs, outputs = 30, 5, 3, 4
        self.prints(r".+: 30 frequencies, \w+\n", "spectral", "--length", length, "--signals", signals, "--inputs",
                    inputs, "--outputs", outputs, self.out)
        x = numbers(2 * length * signals * inputs, 1).view(numpy.complex64).reshape(length, signals, inputs)
        h = numbers(2 * length * inputs * outputs, 2).view(numpy.complex64).reshape(length, inputs, outputs)
        y = numpy.fft.ifft(numpy.fft.fft(x, axis=0) @ h, axis=0)
        self.assertLess(numpy.abs(numpy.fromfile(self.out, numpy.complex64).reshape(y.shape) - y).max(), 1e-5 * numpy.abs(y).max())

    def test_barriers_are_needed(self):
        """Synchronization validation sees the reads and writes of recordings."""
        done = self.run_example("mlp", "--layers", 2, "--tokens", 2, "--width", 16, "--hidden", 16, preload=no_barriers)
        self.assertIn("SYNC-HAZARD-READ-AFTER-WRITE", done.stdout.replace("_", "-"))

    def test_options(self):
        for words in ["--what"], ["--layers"], ["--layers", "0"], ["--layers", "x"], ["--width", "3"], ["a", "b"]:
            done = self.run_example("mlp", *words)
            self.assertEqual((done.returncode, done.stdout.count("\n")), (1, 1), done.stdout)

    def test_page(self):
        """What doc/embedding.md quotes is in the examples, and its commands run; check-install has those that compile."""
        if "swiftshader" in os.environ.get("VK_DRIVER_FILES", ""):
            self.skipTest("one driver is enough for commands")
        page = (ROOT / "doc/embedding.md").read_text(encoding="utf-8")
        sources = ["\n".join(map(str.strip, path.read_text(encoding="utf-8").splitlines()))
                   for path in sorted((ROOT / "examples").glob("*.[ch]"))]
        blocks = re.findall(r"(?ms)^```c\n(.+?)^```$", page)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            lines = "\n".join(map(str.strip, block.splitlines()))
            self.assertTrue(any("\n%s\n" % lines in source for source in sources), block)
        commands = re.findall(r"\bbuild/examples/(\w+)([^`\n]*)", page)
        self.assertGreater(len(commands), 1)
        for name, words in commands:
            small = re.sub(r"\d{4,}", lambda n: str(int(n[0]) // 64), words)
            self.assertEqual(self.run_example(name, *small.split(), "--layers", 2).returncode, 0, name + words)
        self.assertRegex(page, r"(?m)^ninja -C build examples/mlp$")


if __name__ == "__main__":
    no_barriers, *paths = sys.argv[1:]
    programs = {pathlib.Path(path).name: path for path in paths}
    unittest.main(argv=sys.argv[:1])
