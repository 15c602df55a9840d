#!/usr/bin/env python3
"""libvkblas in hostile environments: setuid programs, folders of others, files that are none, invalid variables.

test_environment.py LIBRARY VKMATMUL SECURE EVIL [TEST]..., in tests/with-driver. Exits with 77 if every test is skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import test_library

SECURE, EVIL = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
NOBODY = 65534
MIN = "vkblas: invalid VKBLAS_MIN='%s': use a whole number, 0 or larger; costs decide, as without it"


@unittest.skipIf(os.geteuid() != 0, "only root makes setuid-root programs")
class Secure(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o711)
        self.open = self.folder / "open"
        self.program = shutil.copy(SECURE, self.folder / "program")
        os.chmod(self.program, 0o4755)

    def run_as(self, user, folder):
        """Its output, the lines of libvkblas, and what it left."""
        shutil.rmtree(self.open, ignore_errors=True)
        self.open.mkdir()
        self.open.chmod(0o777)
        env = os.environ | {"VKBLAS_HOST": EVIL, "VKBLAS_REPORT": str(self.open / "report"), "VKBLAS_VERBOSE": "1", "VKBLAS_MIN": "junk"}
        env.pop("XDG_CACHE_HOME")
        done = subprocess.run([self.program], env=env | {folder: str(self.open)}, user=user, group=user, extra_groups=[], cwd="/",
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("vkblas: ")]
        return done.stdout.splitlines(), said, sorted(path.name[:5] for path in self.open.rglob("*") if path.is_file())

    def test_a_setuid_program_ignores_the_environment(self):
        for folder in "XDG_CACHE_HOME", "HOME":
            # For root it is an ordinary program, which does as it is told.
            out, said, left = self.run_as(0, folder)
            self.assertEqual(out, ["evil code", "secure 0, product -1, kept ok"])
            self.assertEqual(said[0], MIN % "junk")
            self.assertRegex(said[1], "^vkblas: dgemm NN 1x1x1: host, too small \(below 256\^3\), ")
            self.assertEqual(left, ["blas-", "repor", "tunin", "tunin"])
            out, said, left = self.run_as(NOBODY, folder)
            if out[-1].startswith("secure 0"):
                self.skipTest("programs in %s are not setuid" % self.folder)
            self.assertEqual((out, said, left), (["secure 1, product 75, kept ok"], [], []))


class Environment(test_library.Programs):
    def test_costs_in_a_folder_that_others_can_write_to(self):
        """It is refused as by the library, with one warning: what it holds is not believed, and nothing is written."""
        self.run_program(test_library.TIMED)
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        whole = kept.read_bytes()
        for mode, owner in [(0o777, -1), (0o770, -1)] + [(0o700, NOBODY)] * (os.geteuid() == 0):
            kept.parent.chmod(mode)
            os.chown(kept.parent, owner, -1)
            _, said = self.run_program(test_library.TIMED * 2, VKBLAS_VERBOSE="1")
            self.assertEqual(said[0], "vkblas: no costs are kept in %s, which is not this user's alone: owner %d, mode %04o (chmod go-w)" % (
                kept.parent, os.geteuid() if owner < 0 else owner, mode))
            self.assertIn(": host, the device is tried after 1 s of such calls, ", said[1])
            self.assertEqual(len(said), 3)
            self.assertEqual(kept.read_bytes(), whole)
            self.assertEqual(list(kept.parent.iterdir()), [kept])

    def test_costs_in_what_is_no_file(self):
        self.run_program(test_library.TIMED)
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        kept.unlink()
        os.mkfifo(kept)  # nobody writes to it
        self.run_program(test_library.TIMED)
        self.assertRegex(kept.read_text(), r"^vkblas 3 host=/")
        kept.unlink()
        kept.mkdir()
        self.run_program(test_library.TIMED)
        self.assertEqual(list(kept.parent.glob("**/*")), [kept])

    def test_invalid_values(self):
        """One warning for each, however often it is read; then the default. Others' variables are others' to complain about."""
        verbose = "vkblas: invalid VKBLAS_VERBOSE='%s': use 0 or 1; calls are not reported, as with 0"
        cases = [({"VKBLAS_MIN": text, "VKBLAS_VERBOSE": "1"}, [MIN % text, "vkblas: dgemm NN 5x6x7: host, too small (below 256^3)"])
                 for text in ("abc", "", "0x10", "-1", "1e3", " 5")]
        cases += [({"VKBLAS_VERBOSE": text}, [verbose % text]) for text in ("yes", "", "2")]
        cases += [({"VKBLAS_VERBOSE": "1", "VKBLAS_MIN": "9" * 30}, ["vkblas: dgemm NN 5x6x7: host, below VKBLAS_MIN"]),
                  ({"VKBLAS_VERBOSE": "0", "VKBLAS_DEVICE": "", "VKBLAS_HOST": "", "VKBLAS_REPORT": ""}, []),
                  ({"OMP_NUM_THREADS": "junk", "OPENBLAS_NUM_THREADS": "0x10", "OMPI_COMM_WORLD_LOCAL_RANK": "junk"}, [])]
        _, said = self.run_program(f"""
for variables, _ in {cases!r}:
    print("vkblas: next", file=sys.stderr, flush=True)
    child = os.fork()
    if child == 0:
        os.environ.update(variables)
        os._exit(not all(gemm(5, 6, 7) for _ in range(2)))
    assert os.waitpid(child, 0)[1] == 0
""")
        expected = []
        for _, lines in cases:
            expected += ["vkblas: next"] + lines + [line for line in lines if "dgemm" in line]
        self.assertEqual([line.rpartition(", ")[0] if line.endswith(" ms") else line for line in said], expected)

    def test_invalid_devices_and_methods(self):
        """2^53 + 1 - 2^53 is 0 in f64, and 1 as residues."""
        code = """
for _ in range(2):
    a, c = (ctypes.c_double * 3)(2.0 ** 53, 1, -2.0 ** 53), (ctypes.c_double * 1)()
    L.cblas_dgemm(102, 111, 111, 1, 1, 3, ctypes.c_double(1), a, 1, (ctypes.c_double * 3)(1, 1, 1), 3, ctypes.c_double(0), c, 1)
    print(c[0])
"""
        for text in "modular,exact", "":
            out, said = self.run_program(code, VKBLAS_MIN="0", VKBLAS_COMPUTE=text)
            self.assertEqual((out, said), (["0.0"] * 2, [
                f"vkblas: invalid VKBLAS_COMPUTE='{text}': use split (for f32), modular (for f64), split,modular or reproducible; products are computed as without it"]))
        out, said = self.run_program(code, VKBLAS_MIN="0", VKBLAS_DEVICE="abacus")
        self.assertEqual((out, len(said)), (["0.0"] * 2, 1))
        self.assertRegex(said[0], "^vkblas: VKBLAS_DEVICE: .*\"abacus\".*; the host computes everything$")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else 77 if len(result.skipped) >= max(result.testsRun, 1) else 0)
