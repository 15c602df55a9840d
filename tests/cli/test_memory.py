#!/usr/bin/env python3
"""No matrix is stored twice: what a product adds to the process's peak is its three matrices and little more."""
import os
import subprocess
import sys
import unittest

import cli

MIB = 1 << 20
# The script that runs the program in a child of its own, so that the peak is that child's alone.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak(size):
    command = [sys.executable, "-c", PEAK, cli.program, "--size", size, *cli.FAST, "--quiet"]
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true")  # what the driver needs to compile counts each time, or never
    code, most = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout.split()
    assert code == "0", size
    return int(most)


@unittest.skipIf(os.environ.get("VKMM_SANITIZE", "none") != "none", "sanitizers keep memory of their own")
class Memory(cli.Case):
    def test_growth(self):
        # Each shape has one large matrix, so that a copy of just that one would show, and little arithmetic.
        base = peak("16")
        for size, elements in {"4096x16x4096": 1 << 24, "16x4096x4096": 1 << 24, "4096x4096x16": 1 << 24}.items():
            with self.subTest(size):
                matrices = 4 * (elements + 2 * 16 * 4096)
                self.assertLess(peak(size) - base, 1.2 * matrices + 4 * MIB)


if __name__ == "__main__":
    cli.main()
