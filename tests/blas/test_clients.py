#!/usr/bin/env python3
"""Programs that know nothing of libvkblas, with every product on the device, compute what they should.

test_clients.py LIBRARY [unittest arguments]. With VKMM_REQUIRE_CLIENTS=1 a program that is not installed is a failure,
not a skip. Each test also reads VKBLAS_REPORT: a host that computed everything by itself would prove nothing."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GUARD = 900  # seconds after which something hangs
PYTHON = "/usr/bin/python3"  # the one that Debian's NumPy belongs to
PBLAS = "scalapack/openmpi-tests/PBLAS"
HPL = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
library = None

# Sums of up to 60 products, in any order, differ from the exact one by less than this.
NUMPY = """
import numpy as np

rng = np.random.default_rng(18)


def view(shape, dtype, ways=8 * [1] + [-1]):
    '''A matrix, or several, of any strides: gaps, backwards, transposed, one row repeated. Most of them suit a BLAS.'''
    step = [int(rng.integers(1, 3)) for _ in shape[1:]] + [1 + (rng.random() < 0.1)]
    turned = rng.random() < 0.5
    made = rng.standard_normal([n * s for n, s in zip(shape[::-1] if turned else shape, step)])
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal(made.shape)
    made = made.astype(dtype)[tuple(slice(None, None, s * int(rng.choice(ways))) for s in step)]
    made = made.T if turned else made
    return np.broadcast_to(made[:1], shape) if shape[0] and rng.random() < 0.1 else made


for trial in range(1000):
    dtype = rng.choice(["f4", "f8", "c8", "c16"])
    m, n, k = (int(x) for x in rng.integers(0 if trial % 10 == 0 else 1, 60, 3))
    batch = [int(rng.integers(1, 4))] if trial % 7 == 0 else []
    a, b = view(batch + [m, k], dtype), view(batch + [k, n], dtype)
    wide = np.clongdouble if a.dtype.kind == "c" else np.longdouble
    want, most = a.astype(wide) @ b.astype(wide), abs(a).astype(wide) @ abs(b).astype(wide)
    out = view(batch + [m, n], dtype, [1])  # NumPy 1.24 writes beside a column that is backwards
    got = np.matmul(a, b, out=out) if out.flags.writeable else a @ b
    assert got.dtype == a.dtype and got.shape == want.shape
    assert (abs(got - want) <= 4 * (k + 2) * np.finfo(dtype).eps * abs(most)).all(), (trial, dtype, m, n, k, a.strides, b.strides)
print(trial + 1, "products")
"""

R = """
near <- function(x, y) stopifnot(all.equal(x, y, tolerance = 1e-13), !anyNA(x))
by_hand <- function(a, b) apply(b, 2, function(column) rowSums(sweep(a, 2, column, `*`)))
set.seed(18)
a <- matrix(rnorm(120 * 90), 120); b <- matrix(rnorm(90 * 70), 90); s <- matrix(rnorm(64 * 64), 64)
options(matprod = "blas")
near(a %*% b, by_hand(a, b))
near(crossprod(a), by_hand(t(a), a))
near(crossprod(a, a[, 1:50]), by_hand(t(a), a[, 1:50]))
near(tcrossprod(b, a[1:40, 1:70]), by_hand(b, t(a[1:40, 1:70])))
stopifnot(abs(by_hand(s, solve(s)) - diag(64)) < 1e-10, abs(by_hand(s, solve(s, s[, 1:9])) - s[, 1:9]) < 1e-10)
z <- a + 1i * a[, 90:1]
near(z %*% b[, 1:9], by_hand(a, b[, 1:9]) + 1i * by_hand(a[, 90:1], b[, 1:9]))
x <- matrix(1:4 / 0, 2)
stopifnot(is.nan(x %*% matrix(0, 2, 2)))
cat("R is right\\n")
"""

OCTAVE = """
1;
function near(x, y, few) assert(isequal(size(x), size(y)) && all(abs(x(:) - y(:)) <= few * max(abs(y(:))))); end
function c = by_hand(a, b)
  c = zeros(rows(a), columns(b));
  for j = 1:columns(b) c(:, j) = sum(a .* b(:, j).', 2); end
end
randn("seed", 18);
a = randn(120, 90); b = randn(90, 70); s = randn(64); z = a + 1i * a(:, 90:-1:1);
near(a * b, by_hand(a, b), 1e-13)
near(a' * a, by_hand(a', a), 1e-13)
near(a' * a(:, 1:30), by_hand(a', a(:, 1:30)), 1e-13)
near(b.' * b(:, 1:2), by_hand(b', b(:, 1:2)), 1e-13)
near(double(single(a) * single(b)), by_hand(a, b), 1e-5)
near(z * b, by_hand(z, b), 1e-13)
near(z * (b - 2i * b), by_hand(z, b - 2i * b), 1e-13)
near(z' * z, by_hand(z', z), 1e-13)
near(z.' * z, by_hand(z.', z), 1e-13)
near(s * (s \\ b(1:64, :)), b(1:64, :), 1e-9)
near(triu(s + 64 * eye(64)) * (triu(s + 64 * eye(64)) \\ s), s, 1e-12)
disp("Octave is right")
"""


class Clients(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def need(self, *things):
        """Programs, files and Python modules, without which there is nothing to test."""
        for thing in things:
            there = shutil.which(thing) or (subprocess.run([PYTHON, "-c", "import " + thing[3:]], capture_output=True).returncode == 0
                                            if thing.startswith("py:") else os.path.exists(thing))
            if not there:
                self.assertNotEqual(os.environ.get("VKMM_REQUIRE_CLIENTS"), "1", thing + " is not installed: scripts/setup --ci installs it")
                self.skipTest(thing + " is not installed")

    def client(self, *command, routines, ranks=0):
        """Runs a program with every product on the device; its output. The device must have computed these routines."""
        report = self.folder / "report"
        env = dict(os.environ, LD_PRELOAD=library, VKBLAS_MIN="0", VKBLAS_REPORT=str(report), OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8",
                   PYTHONDONTWRITEBYTECODE="1")
        mpi = []
        if ranks:
            # mpirun itself is no client.
            mpi = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
            mpi += [word for name in ["LD_PRELOAD", "VKBLAS_REPORT"] for word in ["-x", name + "=" + env.pop(name)]]
        done = subprocess.run([*mpi, *command], env=env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=GUARD)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("vkblas:", done.stdout)
        on_device = collections.Counter()
        for name, calls in re.findall(r"(?m)^(\w+) +[\dx-]+ +\d+ +(\d+) ", report.read_text()):
            on_device[name] += int(calls)
        for routine in routines.split():
            self.assertGreater(on_device[routine], 0, report.read_text())
        return done.stdout

    def test_numpy_products(self):
        self.need("py:numpy")
        self.assertEqual(self.client(PYTHON, "-c", NUMPY, routines="sgemm dgemm cgemm zgemm"), "1000 products\n")

    def pytest(self, module, chosen, at_least, routines):
        self.need("py:pytest", "py:hypothesis", "py:" + module.split(".")[0])
        said = self.client(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", module, "-k", chosen, routines=routines)
        self.assertGreaterEqual(int(re.search(r"(\d+) passed", said)[1]), at_least, said)

    def test_numpy_linalg(self):
        self.pytest("numpy.linalg", "MultiDot or test_power_is_two or TestQR", 15, "dgemm")

    def test_numpy_arrays(self):
        self.pytest("numpy.core.tests.test_multiarray", "(matmul or dot or Matmul or Dot) and not huge", 100, "sgemm dgemm")

    def test_scipy(self):
        self.pytest("scipy.linalg.tests.test_blas", "test", 50, "dgemm zgemm")

    def test_r(self):
        self.need("Rscript")
        self.assertEqual(self.client("Rscript", "--vanilla", "-e", R, routines="dgemm dsyrk zgemm"), "R is right\n")

    def test_octave(self):
        self.need("octave-cli")
        self.assertIn("Octave is right\n", self.client("octave-cli", "--norc", "--no-history", "--eval", OCTAVE, routines="dgemm sgemm zgemm dsyrk zsyrk zherk"))

    def test_scalapack(self):
        """The testers of the parallel BLAS, four ranks on one device."""
        multiarch = subprocess.run(["cc", "-print-multiarch"], stdout=subprocess.PIPE, text=True).stdout.strip()
        testers = pathlib.Path("/usr/lib", multiarch, PBLAS)
        self.need("mpirun", str(testers))
        for letter in "sdcz":
            name = "P%sBLAS3TST.dat" % letter.upper()
            (self.folder / name).write_text(re.sub(r"(?m)^4(\s+number of process grids)", r"1\1", (testers / name).read_text()))
            said = self.client(testers / (letter + "pb3tst"), ranks=4, routines="%sgemm %strsm" % (letter, letter))
            rows = re.findall(r"\|  P(\w+) +(\d+) +(\d+) +(\d+) +(\d+)", said)
            self.assertIn("End of Tests.", said)
            self.assertGreaterEqual(len(rows), 8, said)
            for name, total, passed, failed, skipped in rows:
                self.assertGreater(int(total), 0, name)
                self.assertEqual((total, "0", "0"), (passed, failed, skipped), name)

    def test_hpl(self):
        """HPL and DGEMM of the HPC Challenge, four ranks."""
        self.need("mpirun", "hpcc", HPL)
        lines = pathlib.Path(HPL).read_text().splitlines(keepends=True)
        lines[5], lines[7] = "300 Ns\n", "32 NBs\n"
        (self.folder / "hpccinf.txt").write_text("".join(lines))
        self.client("hpcc", ranks=4, routines="dgemm dtrsm")
        said = (self.folder / "hpccoutf.txt").read_text()
        self.assertRegex(said, r"\|\|Ax-b\|\|_oo/\(eps.* PASSED")
        self.assertRegex(said, r"1 tests completed and passed residual checks")
        self.assertNotIn("FAILED", said)


if __name__ == "__main__":
    library = os.path.abspath(sys.argv.pop(1))
    unittest.main()
