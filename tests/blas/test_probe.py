#!/usr/bin/env python3
"""A program ends, forks, unloads libvkblas or is interrupted at any moment of a trial of the device in the background: from before the thread begins until it
has ended.

test_probe.py LIBRARY PROBE, in tests/with-driver. VKBLAS_TEST_MOMENTS: so many moments for each.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARY, PROBE = sys.argv.pop(1), sys.argv.pop(1)
MOMENTS = int(os.environ.get("VKBLAS_TEST_MOMENTS", "5"))
GUARD = 600
SLOW = "class 0 1 24 8 100000000000 3\n"  # the host takes 1.7 s for such a product: the device is tried


class Probe(unittest.TestCase):
    def setUp(self):
        self.cache = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("VKBLAS_")}
        self.env |= {"XDG_CACHE_HOME": str(self.cache), "VKBLAS_DEVICE": "llvmpipe"}
        self.run_program("exit", -1)
        (self.kept,) = (self.cache / "vkmatmul").glob("blas-*")
        self.slow = re.sub(r"(?m)^class . 1 24 8 .*\n", "", self.kept.read_text()) + SLOW

    def run_program(self, action, us):
        """How long it took from the action to its end, in ms, and its status."""
        child = subprocess.Popen([PROBE, LIBRARY, action, str(us)], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, said = child.communicate(timeout=GUARD)
        end = time.monotonic_ns()
        self.assertEqual(said, "", (action, us))
        return (end - int(out)) / 1e6, child.returncode

    def trial_us(self):
        """So long after the product, the trial has ended."""
        us = 25000
        while us < GUARD * 1e6:
            self.kept.write_text(self.slow)
            self.run_program("exit", us)
            if re.search(r"\nclass 2 1 24 8 ", self.kept.read_text()):
                return us
            us *= 2
        self.fail("no trial has ended")

    def test_a_trial_in_vain(self):
        """Nothing of it is kept."""
        self.kept.write_text(self.slow)
        self.run_program("exit", 0)
        self.assertRegex(self.kept.read_text(), r"\nclass 0 1 24 8 \d+ 3\n")
        self.assertNotRegex(self.kept.read_text(), r"\nclass 2 1 24 8 ")

    def test_every_moment(self):
        whole = self.trial_us()
        for action in ["exit", "_exit", "fork", "dlclose", "signal"]:
            longest = 0
            for moment in range(MOMENTS):
                us = whole * moment // (MOMENTS - 1) - 1
                with self.subTest(action=action, us=us):
                    self.kept.write_text(self.slow)
                    ms, status = self.run_program(action, us)
                    self.assertEqual(status, -signal.SIGINT if action == "signal" else 0)
                    longest = max(longest, ms)
            print("%s: %d moments of %.0f ms, at most %.0f ms until the end" % (action, MOMENTS, whole / 1e3, longest))


if __name__ == "__main__":
    unittest.main()
