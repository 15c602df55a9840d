#!/usr/bin/env python3
"""test_netlib.py LIBVKBLAS: netlib's testers of level 3, as the package libblas-test has them, everything on the device.

VKBLAS_TEST_FULL=1: with all extents of the packaged inputs.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = os.path.abspath(sys.argv.pop(1))
FOLDERS = [path for path in glob.glob("/usr/lib/*/blas/xblat3s") if pathlib.Path(path).with_name("libblas.so.3").exists()]
EXTENTS = [0, 9] if os.environ.get("VKBLAS_TEST_FULL") != "1" else [0, 1, 2, 3, 5, 9]
ROUTINES = {"s": "gemm symm trmm trsm syrk syr2k".split()}
ROUTINES["d"] = ROUTINES["s"]
ROUTINES["c"] = ROUTINES["z"] = "gemm hemm symm trmm trsm herk syrk her2k syr2k".split()


@unittest.skipUnless(FOLDERS, "needs the packages libblas-test and libblas3")
class Netlib(unittest.TestCase):
    def said_by(self, name, data, folder):
        """What the tester says, and the lines of the report of libvkblas."""
        blas = pathlib.Path(FOLDERS[0]).parent
        words = (blas / data).read_text()
        words = re.sub(r"(?m)^\d+( +NUMBER OF VALUES OF N)$", rf"{len(EXTENTS)}\1", words)
        words = re.sub(r"(?m)^\d[\d ]*( VALUES OF N)$", rf"{' '.join(map(str, EXTENTS))}\1", words)
        report = pathlib.Path(folder, "report")
        # netlib's library becomes the host: the testers of CBLAS need its variables, and OpenBLAS does not report every
        # illegal argument as the others expect.
        env = {**os.environ, "LD_PRELOAD": f"{LIBRARY} {os.environ.get('LD_PRELOAD', '')}",
               "LD_LIBRARY_PATH": str(blas), "VKBLAS_MIN": "0", "VKBLAS_REPORT": str(report)}
        run = subprocess.run([blas / name], input=words, env=env, cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        text = run.stdout + "".join(path.read_text() for path in pathlib.Path(folder).glob("?blat3.out"))
        return text, report.read_text().splitlines()

    def check(self, kind, name, data, prefix, layouts):
        with tempfile.TemporaryDirectory() as folder:
            text, report = self.said_by(name, data, folder)
        self.assertNotRegex(text, r"FAIL|SUSPECT|\*\*\*")
        for routine in ROUTINES[kind]:
            full = prefix + kind + routine
            with self.subTest(routine=full):
                passed = re.findall(rf"(?mi)^ {full} +PASSED THE (.*?) *(?:\( *\d+ CALLS\))?$", text)
                self.assertEqual([re.sub(" +", " ", line) for line in passed],
                                 ["TESTS OF ERROR-EXITS", *(layout + "COMPUTATIONAL TESTS" for layout in layouts)])
                calls = [line.split() for line in report if line.startswith((kind + routine + " ", "others "))]
                self.assertGreater(sum(int(line[-4]) for line in calls), 40, "on the device")


def add(kind):
    setattr(Netlib, f"test_fortran_{kind}",
            lambda self: self.check(kind, f"xblat3{kind}", f"{kind}blat3.in", "", [""]))
    setattr(Netlib, f"test_cblas_{kind}",
            lambda self: self.check(kind, f"x{kind}cblat3", f"{kind}in3", "cblas_", ["COLUMN-MAJOR ", "ROW-MAJOR "]))


for letter in ROUTINES:
    add(letter)

if __name__ == "__main__":
    unittest.main()
