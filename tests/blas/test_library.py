#!/usr/bin/env python3
"""libvkblas.so as programs meet it: its names, the host behind it, forks, threads, dlclose, its messages and its files.

test_library.py LIBRARY VKMATMUL DISPATCHER HOST64, in tests/with-driver. Programs are run by this interpreter, with ctypes; their matrices hold
small whole numbers, so that results are exact.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, VKMATMUL = sys.argv.pop(1), sys.argv.pop(1)
if __name__ == "__main__":
    DISPATCHER, HOST64 = sys.argv.pop(1), sys.argv.pop(1)
PRELUDE = """
import ctypes, os, sys, threading
L = ctypes.CDLL(os.environ["LIBRARY"])
def matrix(rows, columns, real=ctypes.c_double):
    return (real * (rows * columns))(*[i * 7 % 11 - 5 for i in range(rows * columns)])
def gemm(m, n, k, function=None, integer=ctypes.c_int32, real=ctypes.c_double):
    "Column-major; whether C is right."
    a, b, c = matrix(m, k, real), matrix(k, n, real), matrix(m, n, real)
    f = function or L.cblas_dgemm
    f(102, 111, 111, integer(m), integer(n), integer(k), real(2), a, integer(m), b, integer(k), real(0), c, integer(m))
    return all(c[i + j * m] == 2 * sum(a[i + p * m] * b[p + j * k] for p in range(k)) for i in range(m) for j in range(n))
def fortran(name, integer, real):
    m, n, k = 5, 6, 7
    a, b, c = matrix(m, k, real), matrix(k, n, real), matrix(m, n, real)
    r = ctypes.byref
    getattr(L, name)(b"n", b"N", r(integer(m)), r(integer(n)), r(integer(k)), r(real(2)), a, r(integer(m)), b,
        r(integer(k)), r(real(0)), c, r(integer(m)))
    return all(c[i + j * m] == 2 * sum(a[i + p * m] * b[p + j * k] for p in range(k)) for i in range(m) for j in range(n))
"""
TIMED = """
a, c = matrix(1, 300 * 300), matrix(300, 300)
L.cblas_dgemm(102, 111, 111, 300, 300, 300, ctypes.c_double(1), a, 300, a, 300, ctypes.c_double(0), c, 300)
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_program(self, code, status=0, **variables):
        """Returns its lines on stdout, and those of libvkblas on stderr."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("VKBLAS_")}
        env |= {"LIBRARY": LIBRARY, "XDG_CACHE_HOME": str(self.folder / "cache")} | variables
        done = subprocess.run([sys.executable, "-c", PRELUDE + code], env=env, capture_output=True, text=True, timeout=6000)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if line.startswith("vkblas: ")]


class Library(Programs):
    def test_every_name_of_a_product(self):
        out, said = self.run_program("""
for real, t in (ctypes.c_double, "d"), (ctypes.c_float, "s"):
    for name in f"cblas_{t}gemm", f"scipy_cblas_{t}gemm":
        print(name, gemm(5, 6, 7, getattr(L, name), real=real))
    for name in f"cblas_{t}gemm64_", f"cblas_{t}gemm_64", f"scipy_cblas_{t}gemm64_":
        print(name, gemm(5, 6, 7, getattr(L, name), ctypes.c_int64, real))
    for name in f"{t}gemm_", f"scipy_{t}gemm_":
        print(name, fortran(name, ctypes.c_int32, real))
    for name in f"{t}gemm_64_", f"scipy_{t}gemm_64_":
        print(name, fortran(name, ctypes.c_int64, real))
""", VKBLAS_MIN="0", VKBLAS_VERBOSE="1")
        self.assertEqual([line for line in out if not line.endswith(" True")], [])
        self.assertEqual(len(out), 18)
        self.assertEqual(len(said), 18)
        for line in said:
            self.assertRegex(line, r"^vkblas: [sd]gemm NN 5x6x7: device, VKBLAS_MIN, \d+\.\d{3} ms$")

    def test_methods(self):
        """VKBLAS_COMPUTE: sums that f64 rounds away, also where C must be cut: 45,000 rows of K = 200 have 135 MB of residues."""
        code = """
a, b, c = (ctypes.c_double * 9000000)(), (ctypes.c_double * 200)(*[1] * 200), (ctypes.c_double * 45000)()
def product(m, k, value):
    a[:3 * m] = [2.0 ** 53] * m + [value] * m + [-2.0 ** 53] * m
    L.cblas_dgemm(102, 111, 111, m, 1, k, ctypes.c_double(1), a, m, b, k, ctypes.c_double(0), c, m)
    print(set(c[:m]))
product(2, 3, 1)
product(45000, 200, 3)
product(2, 3, float("inf"))
f, g = (ctypes.c_float * 1)(3), (ctypes.c_float * 1)(5)
L.cblas_sgemm(102, 111, 111, 1, 1, 1, ctypes.c_float(1), f, 1, f, 1, ctypes.c_float(1), g, 1)
print(g[0])
"""
        out, said = self.run_program(code, VKBLAS_MIN="0", VKBLAS_VERBOSE="1", VKBLAS_COMPUTE="split,modular")
        self.assertEqual(out, ["{1.0}", "{3.0}", "{inf}", "14.0"])
        self.assertEqual([line.split(":")[2].split(",")[0] for line in said], [" device"] * 4)

    def test_reproducible_products(self):
        """Elements of 24 or 53 bits: each part of C is an exact sum, rounded once. Small calls go to the device too, and K is never cut."""
        code = """
import fractions, math, random
rng = random.Random(37)
def nearest(x, bits):
    "The nearest integer with so many bits, ties to even."
    by = max(abs(x).bit_length() - bits, 0)
    return round(fractions.Fraction(x, 2 ** by)) * 2 ** by
def check(name, m, n, k, real, parts):
    bits = 24 if real is ctypes.c_float else 53
    a, b = ([rng.randrange(-2 ** bits, 2 ** bits) for _ in range(size * parts)] for size in (m * k, k * n))
    A, B = ((real * len(x))(*[math.ldexp(v, -bits) for v in x]) for x in (a, b))
    C = (real * (m * n * parts))()
    one, zero = ((real * 2)(v, 0) if parts == 2 else real(v) for v in (1, 0))
    getattr(L, name)(102, 111, 111, m, n, k, one, A, m, B, k, zero, C, m)
    wrong = 0
    for i in range(m):
        for j in range(n):
            if parts == 1:
                want = [sum(a[i + p * m] * b[p + j * k] for p in range(k))]
            else:
                of = [(a[2 * (i + p * m)], a[2 * (i + p * m) + 1], b[2 * (p + j * k)], b[2 * (p + j * k) + 1]) for p in range(k)]
                want = [sum(x * v - y * w for x, y, v, w in of), sum(x * w + y * v for x, y, v, w in of)]
            for part, exact in enumerate(want):
                wrong += C[parts * (i + j * m) + part] != nearest(exact, bits) * 2.0 ** (-2 * bits)
    print(name, wrong)
for name, real, parts in ("sgemm", ctypes.c_float, 1), ("dgemm", ctypes.c_double, 1), ("cgemm", ctypes.c_float, 2), ("zgemm", ctypes.c_double, 2):
    check("cblas_" + name, 3, 2, 500, real, parts)
    check("cblas_" + name, 1, 1, 1, real, parts)
a, c = (ctypes.c_double * 131072)(*[1] * 131072), (ctypes.c_double * 1)()
L.cblas_dgemm(102, 111, 111, 1, 1, 131072, ctypes.c_double(1), a, 1, a, 131072, ctypes.c_double(0), c, 1)
print(c[0], gemm(5, 6, 7))
"""
        out, said = self.run_program(code, VKBLAS_VERBOSE="1", VKBLAS_COMPUTE="reproducible")
        self.assertEqual(out, [f"cblas_{t}gemm 0" for t in "ssddcczz"] + ["131072.0 True"])
        where = [re.sub(r"^vkblas: [sdcz]gemm NN (\S+): (\w+), (.*), .*$", r"\1 \2 \3", line) for line in said if " ms" in line]
        self.assertEqual(where, ["3x2x500 device VKBLAS_COMPUTE", "1x1x1 device VKBLAS_COMPUTE"] * 4 +
                         ["1x1x131072 host the device cannot compute it", "5x6x7 device VKBLAS_COMPUTE"])
        self.assertEqual([line for line in said if " ms" not in line],
                         ["vkblas: K is 131072; sums of residues fit into 32 bits up to 131071; the host computes such calls"])

    def test_names_that_the_host_lacks(self):
        """Debian's BLAS have no 64-bit integers, and netlib's no gemmt."""
        out, said = self.run_program("""
print(gemm(5, 6, 7, L.cblas_dgemm64_, ctypes.c_int64), fortran("dgemm_64_", ctypes.c_int64, ctypes.c_double))
a, c = matrix(40, 40), matrix(40, 40)
before = list(c)
L.cblas_dgemmt(102, 121, 111, 111, 40, 40, ctypes.c_double(1), a, 40, a, 40, ctypes.c_double(1), c, 40)
print(all(c[i + j * 40] == before[i + j * 40] + (sum(a[i + p * 40] * a[p + j * 40] for p in range(40)) if i <= j else 0)
    for i in range(40) for j in range(40)))
""", VKBLAS_DEVICE="none", VKBLAS_VERBOSE="1")
        self.assertEqual(out, ["True True", "True"])
        self.assertTrue(all(": host, no device, " in line for line in said), said)

    def test_integers_of_64_bits(self):
        """Each of them alone is 2^32, and the host's routines, of 32 bits, cannot have it. Cut to 0 or 1, it would be a call of theirs."""
        out, said = self.run_program("""
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
scalars, room = {"x": ctypes.c_double(1), "y": ctypes.c_double(0)}, (ctypes.c_double * 4)()
letters = {"s": (141, b"L"), "u": (121, b"U"), "t": (111, b"N"), "d": (131, b"N")}
shapes = {"gemm": "ttmnkxaAaAyaA", "gemmtr": "uttzkxaAaAyaZ", "symm": "sumnxaAaAyaA", "syrk": "utnkxaAyaA", "syr2k": "utnkxaAaAyaA",
          "trmm": "sutdmnxaAaA", "trsm": "sutdmnxaAaA"}
def call(routine, shape, wide, fortran):
    integers = [ctypes.c_int64(2 ** 32 * (i == wide) + (letter in "AZ")) for i, letter in enumerate(shape)]
    if fortran:
        getattr(L, "d%s_64_" % routine)(*[letters[l][1] if l in letters else room if l == "a" else ctypes.byref(scalars.get(l, integers[i]))
                                          for i, l in enumerate(shape)])
    else:
        getattr(L, "cblas_d%s64_" % routine)(102, *[letters[l][0] if l in letters else room if l == "a" else scalars.get(l, integers[i])
                                                    for i, l in enumerate(shape)])
for routine, shape in shapes.items():
    for wide in [i for i, l in enumerate(shape) if l in "mnkA"]:
        for fortran in True, False:
            child = os.fork()
            if child == 0:
                call(routine, shape, wide, fortran)
                os._exit(0)
            print(routine, wide, fortran, os.waitpid(child, 0)[1], flush=True)
""", VKBLAS_DEVICE="none")
        self.assertEqual([line for line in out if not line.endswith(" 6")], [])
        self.assertEqual((len(out), len(said)), (62, 62))

    def test_only_names_of_level_3_are_exported(self):
        names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
        names = {line.split()[-1] for line in names.splitlines()}
        level3 = r"(scipy_)?(cblas_)?(s[hb]|[sdcz])(gemm|gemm3m|gemmtr?|symm|hemm|syrk|herk|syr2k|her2k|trmm|trsm)(_|64_|_64_?)?"
        self.assertEqual({name for name in names if not re.fullmatch(level3, name)}, {"vkblas_none"})
        self.assertLessEqual({"sgemm_", "zherk_64_", "cblas_ctrsm", "cblas_dsyr2k_64", "sbgemm_", "cgemm3m_"}, names)

    def test_a_whole_blas(self):
        """libblas.so.3 has level 3 and jumps to the host for everything else: arguments and results in every register."""
        whole = str(pathlib.Path(LIBRARY).parent / "libblas.so.3")
        out, said = self.run_program("""
L = ctypes.CDLL(os.environ["WHOLE"])
print(gemm(5, 6, 7))
L.cblas_ddot.restype = L.daxpby_.restype = ctypes.c_double
L.cblas_sdsdot.restype = ctypes.c_float
L.idamax_.restype = ctypes.c_int32
x, y, s = matrix(1, 20), matrix(1, 20), matrix(1, 20, ctypes.c_float)
for _ in range(2): # looked for, and found
    print(L.cblas_ddot(20, x, 1, y, 1) == sum(v * v for v in x), L.cblas_sdsdot(20, ctypes.c_float(2.5), s, 1, s, 1) == 2.5 + sum(v * v for v in x))
print(L.idamax_(ctypes.byref(ctypes.c_int32(20)), x, ctypes.byref(ctypes.c_int32(1))) - 1 == max(range(20), key=lambda i: abs(x[i])))
z = matrix(1, 20)
L.cblas_dgbmv(102, 111, 5, 4, 0, 0, ctypes.c_double(2), x, 1, y, 1, ctypes.c_double(1), z, 1) # on the stack too
print([z[i] - y[i] for i in range(5)] == [2 * x[i] * y[i] if i < 4 else 0 for i in range(5)])
""", VKBLAS_MIN="0", VKBLAS_VERBOSE="1", WHOLE=whole)
        self.assertEqual(out, ["True", "True True", "True True", "True", "True"])
        self.assertIn("dgemm NN 5x6x7: device, ", said[0])
        out, said = self.run_program("ctypes.CDLL(os.environ['WHOLE']).cblas_ddot()", status=-6, WHOLE=whole, VKBLAS_HOST="libm.so.6")
        self.assertEqual(said, ["vkblas: no BLAS of the host has cblas_ddot; set VKBLAS_HOST to a library that does"])

    def test_every_name_has_integers_of_64_bits_too(self):
        """libblastrampoline appends "64_", to the names of CBLAS too."""
        whole = str(pathlib.Path(LIBRARY).parent / "libblas.so.3")
        names = subprocess.run(["nm", "-D", "--defined-only", whole], check=True, capture_output=True, text=True).stdout
        names = {line.split()[-1] for line in names.splitlines()}
        plain = {name for name in names if re.fullmatch(r"[a-z0-9]+(_array)?_|cblas_[a-z0-9]+(_sub)?", name) and "64" not in name}
        self.assertEqual({name for name in plain if name + "64_" not in names}, set())
        self.assertLessEqual({"isamax_", "sdot_", "cdotc_", "zdotc_", "dgemm_", "cblas_zdotc_sub", "cblas_dgemm"}, plain)
        self.assertGreater(len(plain), 300)

    def test_a_dispatcher_loads_it(self):
        """libblastrampoline and FlexiBLAS have the names of a BLAS too, and are not the host's: calls would go round in circles."""
        forward = """
D, whole = ctypes.CDLL(os.environ["DISPATCHER"]), os.path.join(os.path.dirname(os.environ["LIBRARY"]), "libblas.so.3").encode()
def forwarded():
    return ctypes.c_int.in_dll(D, "forwarded").value
"""
        for suffix, bits, integer in ("", 32, "ctypes.c_int32"), ("64_", 64, "ctypes.c_int64"):
            for device in "none", "llvmpipe":
                out, said = self.run_program("del L" + forward + f"""
host = ctypes.CDLL(os.environ["HOST64"]) if {bits} == 64 else None
print(D.lbt_forward(whole, b"{suffix}"))
L = D
print(fortran("dgemm_{suffix}", {integer}, ctypes.c_double), forwarded())
""", DISPATCHER=DISPATCHER, HOST64=HOST64, VKBLAS_DEVICE=device, VKBLAS_MIN="0", VKBLAS_VERBOSE="1")
                self.assertEqual(out, [str(bits), "True 1"])
                self.assertIn("dgemm NN 5x6x7: " + ("host, no device, " if device == "none" else "device, "), said[0])
        out, said = self.run_program(forward + """
print(D.lbt_forward(os.environ["HOST64"].encode(), b"64_"), fortran("dgemm_64_", ctypes.c_int64, ctypes.c_double), forwarded())
""", DISPATCHER=DISPATCHER, HOST64=HOST64, VKBLAS_DEVICE="none")  # preloaded, it finds what the program uses
        self.assertEqual(out, ["64 True 1"])

    def test_parts_that_stay_on_the_host(self):
        """A routine that is split is the device's only if a part of it is."""
        out, said = self.run_program("""
for n in 40, 600:
    a, c = (ctypes.c_double * (n * 2))(*[1] * (n * 2)), (ctypes.c_double * (n * n))()
    L.cblas_dsyrk(102, 121, 111, n, 2, ctypes.c_double(1), a, n, ctypes.c_double(0), c, n)
    print(all(c[i + j * n] == (2 if i <= j else 0) for i in range(n) for j in range(n)))
""", VKBLAS_MIN="10", VKBLAS_VERBOSE="1", VKBLAS_REPORT=str(self.folder / "report"))
        self.assertEqual(out, ["True", "True"])
        self.assertEqual([re.sub(r", [\d.]+ ms$", "", line) for line in said],
                         ["vkblas: dsyrk UN 40x40x2: host, no part of it for the device", "vkblas: dsyrk UN 600x600x2: device, VKBLAS_MIN"])
        report = [line.split() for line in (self.folder / "report").read_text().splitlines()[2:]]
        self.assertEqual({line[1]: line[3] for line in report if line[0] == "dsyrk"}, {"40x40x2": "0", "600x600x2": "1"})

    def test_illegal_arguments_are_reported_by_the_host(self):
        out, said = self.run_program("""
print(gemm(2, 2, 2), flush=True)
L.cblas_dgemm(102, 111, 111, 2, -1, 2, ctypes.c_double(1), None, 2, None, 2, ctypes.c_double(0), None, 2)
""", VKBLAS_MIN="0")
        self.assertEqual(out[0], "True")
        self.assertIn("DGEMM", "".join(out[1:]).upper())
        self.assertEqual(said, [])

    def test_an_order_that_is_none(self):
        """Neither by rows nor by columns: the host's routine says so, and may end the program; C is not written."""
        out, _ = self.run_program("""
a, c = matrix(2, 2), (ctypes.c_double * 4)()
for call in (lambda order: L.cblas_dgemm(order, 111, 111, 2, 2, 2, ctypes.c_double(1), a, 2, a, 2, ctypes.c_double(0), c, 2),
             lambda order: L.cblas_dsyrk(order, 121, 111, 2, 2, ctypes.c_double(1), a, 2, ctypes.c_double(0), c, 2),
             lambda order: L.cblas_dtrmm(order, 141, 121, 111, 131, 2, 2, ctypes.c_double(0), a, 2, c, 2)):
    for order in 102, 103:
        c[0] = 77
        child = os.fork()
        if child == 0:
            call(order)
            os._exit(c[0] != 77)
        print(order, os.waitpid(child, 0)[1] == 256)
""", VKBLAS_MIN="0")
        self.assertEqual([line for line in out if line.startswith("10")], ["102 True", "103 False"] * 3)

    def test_traps_of_the_program(self):
        """What it does when a number is divided by zero is as it was after a product on the device."""
        out, said = self.run_program("""
m = ctypes.CDLL("libm.so.6")
m.feenableexcept(4)
before = m.fegetexcept()
print(gemm(5, 6, 7), m.fegetexcept() == before)
""", VKBLAS_MIN="0", VKBLAS_VERBOSE="1")
        self.assertEqual(out, ["True True"])
        self.assertIn(": device, ", said[0])

    def test_fork(self):
        """The child, which may not use its parent's device, computes on the host."""
        report = self.folder / "report"
        out, said = self.run_program("""
print(gemm(5, 6, 7), flush=True)
child = os.fork()
if child == 0:
    print(gemm(7, 6, 5), flush=True)
    os._exit(0) # as multiprocessing does: Mesa's handlers at exit wait for threads that only the parent has
print(os.waitpid(child, 0)[1], gemm(8, 8, 8))
""", VKBLAS_MIN="0", VKBLAS_REPORT=str(report))
        self.assertEqual(out, ["True", "True", "0 True"])
        self.assertEqual(said, [])
        self.assertRegex(report.read_text(), r"\nall +2 +2 ")

    def test_fork_while_the_host_is_found(self):
        """VKBLAS_HOST is a pipe: the thread that opens it keeps the lock as long as nothing comes. The child of a fork looks elsewhere."""
        host = self.folder / "host"
        os.mkfifo(host)
        out, said = self.run_program("""
import signal, time
def reader():
    try:
        return os.open(os.environ["VKBLAS_HOST"], os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        time.sleep(0.01)
threading.Thread(target=gemm, args=(5, 6, 7), daemon=True).start()
while reader() is None:
    pass
child = os.fork()
if child == 0:
    signal.alarm(300)
    del os.environ["VKBLAS_HOST"]
    print(gemm(7, 6, 5), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
""", VKBLAS_DEVICE="none", VKBLAS_HOST=str(host))
        self.assertEqual((out, said), (["True", "0"], []))

    def test_a_processor_is_no_device_unless_told(self):
        """MPI's local rank chooses among GPUs; lavapipe is none."""
        for variables in {}, {"OMPI_COMM_WORLD_LOCAL_RANK": "1"}:
            out, said = self.run_program("print(gemm(200, 2, 3))", VKBLAS_VERBOSE="1", **variables)
            self.assertEqual(out, ["True"])
            self.assertIn("host, too small (below 256^3), ", said[0])

    def test_ranks_share_the_devices(self):
        out, said = self.run_program("print(gemm(5, 6, 7))", VKBLAS_MIN="0", VKBLAS_VERBOSE="1",
                                     OMPI_COMM_WORLD_LOCAL_RANK="5")
        self.assertEqual(out, ["True"])
        self.assertIn(": device, ", said[0])

    def test_the_host_that_is_told(self):
        out, said = self.run_program("print(gemm(5, 6, 7))", status=-6, VKBLAS_DEVICE="none",
                                     VKBLAS_HOST=str(self.folder / "libnothing.so"))
        self.assertEqual(out, [])
        self.assertRegex(said[0], "^vkblas: VKBLAS_HOST: .*libnothing.so")
        self.assertRegex(said[-1], "^vkblas: no BLAS of the host has dgemm; set VKBLAS_HOST to a library that does$")

    def test_report(self):
        report = self.folder / "report"
        self.run_program("gemm(5, 6, 7); gemm(5, 7, 8); gemm(2, 2, 2)", VKBLAS_MIN="5", VKBLAS_REPORT=str(report))
        lines = [re.sub(r" +", " ", line) for line in report.read_text().splitlines()]
        self.assertEqual(lines[0], "vkblas: 2 of 3 calls ran on the device; what the host would have taken is not known")
        self.assertEqual(lines[1], "routine MxNxK calls on device host ms device ms gained ms")
        self.assertTrue(any(re.match(r"dgemm 5x6-7x7-8 2 2 0\.0 [\d.]+ -$", line) for line in lines), lines)
        self.assertTrue(any(re.match(r"dgemm 2x2x2 1 0 [\d.]+ 0\.0 -$", line) for line in lines), lines)
        self.assertRegex(lines[-1], r"^all 3 2 ")

    def test_report_says_why_nothing_ran_on_the_device(self):
        nothing = str(self.folder / "nothing.json")
        drivers = {"VK_DRIVER_FILES": nothing, "VK_ICD_FILENAMES": nothing}
        twice = "assert gemm(5, 6, 7) and gemm(5, 6, 7)"
        for number, (code, why, warnings, variables) in enumerate([
                (twice, r"too small \(below 256\^3\)", 0, {}),
                (twice, "below VKBLAS_MIN", 0, {"VKBLAS_MIN": "10"}),
                (twice, "VKBLAS_DEVICE=none", 0, {"VKBLAS_DEVICE": "none"}),
                (twice, "VKBLAS_DEVICE: .*abacus.*", 1, {"VKBLAS_DEVICE": "abacus", "VKBLAS_MIN": "0"}),
                (twice, ".*driver.*", 1, {"VKBLAS_MIN": "0", **drivers}),
                (TIMED + "gemm(2, 2, 2)", r"the device is tried after 1 s of such calls \(for \d+ % of the host's time\)", 0, {})]):
            for attempt in range(5):
                report = self.folder / f"{number}-{attempt}"
                _, said = self.run_program(code, VKBLAS_REPORT=str(report), **variables)
                self.assertEqual(["; the host computes everything" in line for line in said], [True] * warnings)
                verdict = report.read_text().splitlines()[0]
                # On a busy machine another process may run in the middle of the small call, which then takes long.
                if not (TIMED in code and "too small" in verdict):
                    break
            self.assertRegex(verdict, "^vkblas: nothing ran on the device: %s$" % why)

    def test_rows_of_the_report(self):
        """What took longest, the sum of the others, and that of all."""
        report = self.folder / "report"
        code = "for n in 2, 4, 8, 16, 50:\n    gemm(n, n, n)\n"
        _, said = self.run_program(code, VKBLAS_DEVICE="none", VKBLAS_REPORT=str(report), VKBLAS_TOP="3")
        rows = [line.split() for line in report.read_text().splitlines()[2:]]
        self.assertEqual(([row[0] for row in rows], said), (["dgemm"] * 3 + ["others", "all"], []))
        self.assertEqual([row[1] for row in rows[3:]], ["2", "5"])
        self.assertIn("50x50x50", [row[1] for row in rows])
        self.assertAlmostEqual(sum(float(row[-3]) for row in rows[:4]), float(rows[4][-3]), delta=0.3)
        for text in "0", "x":
            report.unlink()
            _, said = self.run_program(code, VKBLAS_DEVICE="none", VKBLAS_REPORT=str(report), VKBLAS_TOP=text)
            self.assertEqual(said, ["vkblas: invalid VKBLAS_TOP='%s': use a whole number, 1 or larger; all rows are shown" % text])
            self.assertEqual(len(report.read_text().splitlines()), 8)

    def test_threads_of_the_host_sleep_soon(self):
        """An OpenBLAS that is loaded later reads how long its threads spin; vkmatmul blas sets it for one that is linked."""
        code = "c = ctypes.CDLL(None); c.getenv.restype = ctypes.c_char_p; print(c.getenv(b'OPENBLAS_THREAD_TIMEOUT'))"
        self.assertEqual(self.run_program(code)[0], ["b'22'"])
        self.assertEqual(self.run_program(code, OPENBLAS_THREAD_TIMEOUT="7")[0], ["b'7'"])
        for env, value in ({}, "22"), ({"OPENBLAS_THREAD_TIMEOUT": "7"}, "7"):
            done = subprocess.run([VKMATMUL, "blas", "--", "cat", "/proc/self/environ"], env=os.environ | env,
                                  capture_output=True, text=True, timeout=600)
            self.assertIn("OPENBLAS_THREAD_TIMEOUT=" + value, done.stdout.split("\0"))

    def test_copies_have_the_threads_of_the_host(self):
        """At most as many threads copy as the environment and the affinity allow the host's BLAS: other processes need the others."""
        def threads(before, **variables):
            # Those of the library have the name of the program, and those of drivers names of their own, which they take before
            # they sleep.
            out, _ = self.run_program(before + """
gemm(5, 6, 7)
states = ["R", "R"]
while states != ["R"]:
    tasks = [open("/proc/self/task/%s/stat" % t).read() for t in os.listdir("/proc/self/task")]
    states = [task.rpartition(")")[2].split()[0] for task in tasks if ") S" not in task]
name = open("/proc/self/comm").read().strip()
print(sum("(%s)" % name in task for task in tasks))
""", VKBLAS_MIN="0", LP_NUM_THREADS="1", **variables)
            return int(out[0])
        more = min(len(os.sched_getaffinity(0)), 16) - 1
        free = threads("", OMP_NUM_THREADS="99")
        self.assertEqual(threads("", OMP_NUM_THREADS="1"), free - more)
        self.assertEqual(threads("", OMP_NUM_THREADS="99", OPENBLAS_NUM_THREADS="1"), free - more)
        self.assertEqual(threads("", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="0"), free - more)
        self.assertEqual(threads("os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"), free - more)

    def test_vkmatmul_blas(self):
        """The program has the library and the device; its exit status and its output are its own."""
        code = PRELUDE.replace('os.environ["LIBRARY"]', "None") + "print(gemm(5, 6, 7)); sys.exit(77)"
        env = os.environ | {"XDG_CACHE_HOME": str(self.folder), "VKBLAS_MIN": "0"}
        done = subprocess.run([VKMATMUL, "blas", "-d", "llvmpipe", "--", sys.executable, "-c", code], env=env,
                              capture_output=True, text=True, timeout=6000)
        self.assertEqual((done.returncode, done.stdout), (77, "True\n"), done.stderr)
        self.assertRegex(done.stderr, r"^vkblas: 1 of 1 calls ran .*\nroutine .*\ndgemm +5x6x7 +1 +1 +0\.0 ")
        for top, rows in ([], "10"), (["--top", "3"], "3"):
            done = subprocess.run([VKMATMUL, "blas", *top, "--", "cat", "/proc/self/environ"], env=os.environ, capture_output=True, text=True, timeout=600)
            self.assertIn("VKBLAS_TOP=" + rows, done.stdout.split("\0"))
        for arguments, status, message in (
                ([], 2, "'vkmatmul blas' needs a program: vkmatmul blas -- PROGRAM [ARGUMENT]..."),
                (["--", "/nowhere/program", "-x"], 2, "cannot run /nowhere/program: No such file or directory")):
            done = subprocess.run([VKMATMUL, "blas", *arguments], env=env, capture_output=True, text=True, timeout=600)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertIn(message, done.stderr)

    def test_costs_are_kept_and_damaged_ones_ignored(self):
        _, said = self.run_program(TIMED, VKBLAS_VERBOSE="1")
        self.assertIn(": host, the device is tried after 1 s of such calls, ", said[0])
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        self.assertRegex(kept.read_text(), r"^vkblas 3 host=/.*\n(.*\n)*class 0 1 24 8 \d+ 1\n")
        _, said = self.run_program(TIMED, VKBLAS_VERBOSE="1")
        self.assertRegex(kept.read_text(), r"\nclass 0 1 24 8 \d+ 2\n")
        kept.write_bytes(os.urandom(5000))
        _, said = self.run_program(TIMED, VKBLAS_VERBOSE="1")
        self.assertIn(": host, the device is tried after 1 s of such calls, ", said[0])
        self.assertRegex(kept.read_text(), r"^vkblas 3 host=/")

    def test_costs_of_a_triangle(self):
        """It takes half the multiplications: 330x330x165."""
        self.run_program("a = matrix(330, 330); L.cblas_dsyrk(102, 121, 111, 330, 330, ctypes.c_double(1), a, 330, ctypes.c_double(0), matrix(330, 330), 330)")
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        self.assertRegex(kept.read_text(), r"\nclass 0 1 24 7 \d+ 1\n")

    def test_costs_that_cannot_be_written_whole(self):
        """The disk is full after 40 bytes: the file remains as it was, and nothing is beside it."""
        self.run_program(TIMED)
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        whole = kept.read_bytes()
        self.run_program("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))" + TIMED)
        self.assertEqual(kept.read_bytes(), whole)
        self.assertEqual(list(kept.parent.iterdir()), [kept])

    def test_costs_are_not_those_of_a_fork(self):
        """A child that ends leaves them to its parent."""
        out, _ = self.run_program(TIMED + """
child = os.fork()
if child:
    print(os.waitpid(child, 0)[1], os.path.exists(os.environ["XDG_CACHE_HOME"] + "/vkmatmul"))
""")
        self.assertEqual(out, ["0 False"])
        self.assertTrue((self.folder / "cache" / "vkmatmul").exists())

    def learn(self, *classes):
        """What a file says of products like that of TIMED."""
        self.run_program(TIMED, VKBLAS_DEVICE="llvmpipe")
        (kept,) = (self.folder / "cache" / "vkmatmul").glob("blas-*")
        kept.write_text(re.sub(r"(?m)^class . 1 24 8 .*\n", "", kept.read_text()) + "".join(classes))
        return kept

    def test_the_reason_that_decided(self):
        """Not the one before it, although that took longer."""
        self.learn("class 0 1 24 8 1 3\n", "class 2 1 24 8 900000000000000 1\n")
        code = "s = matrix(600, 600, ctypes.c_float); L.cblas_sgemm(102, 111, 111, 600, 600, 600, ctypes.c_float(1), s, 600, s, 600, ctypes.c_float(0), s, 600)"
        self.run_program(TIMED + code, VKBLAS_DEVICE="llvmpipe", VKBLAS_REPORT=str(self.folder / "report"))
        verdict = (self.folder / "report").read_text().splitlines()[0]
        self.assertRegex(verdict, r"^vkblas: nothing ran on the device: the host is faster \(for \d+ % of the host's time\)$")

    def test_costs_of_another_device_are_forgotten(self):
        """Those of this one are used: it is opened, since the host would take hours, and the report says what it gained."""
        hours, fast = "class 0 1 24 8 900000000000000 3\n", "class 1 1 24 8 1 3\n"
        kept = self.learn(hours, fast, "identity 1\n")
        self.run_program(TIMED, VKBLAS_DEVICE="llvmpipe")
        self.assertNotIn("\nclass 1 ", kept.read_text())
        self.learn(hours, fast)
        self.run_program(TIMED, VKBLAS_DEVICE="llvmpipe", VKBLAS_REPORT=str(self.folder / "report"))
        name, _, calls, on_device, *_, gained = (self.folder / "report").read_text().splitlines()[-2].split()
        self.assertEqual((name, calls, on_device), ("dgemm", "1", "1"))
        self.assertGreater(float(gained), 1e6)


if __name__ == "__main__":
    unittest.main()
