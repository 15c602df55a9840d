#!/usr/bin/env python3
"""test_random.py LIBVKBLAS: random calls, each compared element by element with the same call of the host's BLAS.

VKMM_TEST_SEED chooses other calls, VKBLAS_TEST_CALLS how many; 10000 take half a minute.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SEED = int(os.environ.get("VKMM_TEST_SEED", "18"))
CALLS = int(os.environ.get("VKBLAS_TEST_CALLS", "216"))
LIBRARY = os.path.abspath(sys.argv.pop(1))
HOSTS = ["libopenblas.so.0", "libblas.so.3"]

# In the order of the Fortran interface. CBLAS has the same, after the order.
ARGUMENTS = {
    "gemm": "transa transb m n k alpha a lda b ldb beta c ldc",
    "gemm3m": "transa transb m n k alpha a lda b ldb beta c ldc",
    "gemmtr": "uplo transa transb n k alpha a lda b ldb beta c ldc",
    "symm": "side uplo m n alpha a lda b ldb beta c ldc",
    "hemm": "side uplo m n alpha a lda b ldb beta c ldc",
    "syrk": "uplo transa n k alpha a lda beta c ldc",
    "herk": "uplo transa n k alpha a lda beta c ldc",
    "syr2k": "uplo transa n k alpha a lda b ldb beta c ldc",
    "her2k": "uplo transa n k alpha a lda b ldb beta c ldc",
    "trmm": "side uplo transa diag m n alpha a lda c ldc",
    "trsm": "side uplo transa diag m n alpha a lda c ldc",
}
CBLAS = {"N": 111, "T": 112, "C": 113, "U": 121, "L": 122, "R": 142}
CBLAS_OF = {"side": {"L": 141, "R": 142}, "diag": {"N": 131, "U": 132}}
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
HERMITIAN = ("hemm", "herk", "her2k")
NAMES = [(kind, routine, interface, ilp64) for kind in TYPES for routine in ARGUMENTS
         for interface in ("fortran", "row", "column") for ilp64 in (False, True)
         if kind in "cz" or routine not in HERMITIAN + ("gemm3m",)]


def load_host():
    for name in [os.environ["VKBLAS_HOST"]] if "VKBLAS_HOST" in os.environ else HOSTS:
        try:
            return name, ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError:
            continue
    return None, None


class Call:
    """One call: its letters, sizes and matrices. Each matrix is a flat array; those of a row-major call are by rows."""

    def __init__(self, random, name):
        self.random = random
        self.type, self.routine, self.interface, self.ilp64 = name
        self.complex = self.type in "cz"
        self.values = {}
        for name in ("m", "n", "k"):
            self.values[name] = int(random.choice([random.integers(0, 4), random.integers(0, 33), random.integers(0, 101)]))
        if random.integers(40) == 0:
            self.values[random.choice(["m", "n", "k"])] = int(random.integers(100, 301))
        self.choose_letters()
        for name in ("alpha", "beta"):
            self.values[name] = self.scalar(name)
        self.fill()

    def choose_letters(self):
        ops = "NTC"
        if self.complex and self.routine in ("syrk", "syr2k"):
            ops = "NT"
        elif self.routine in HERMITIAN:
            ops = "NC"
        for name, letters in {"transa": ops, "transb": "NTC", "side": "LR", "uplo": "UL", "diag": "NU"}.items():
            self.values[name] = str(self.random.choice(list(letters)))

    def scalar(self, name):
        real = self.routine == "herk" or (self.routine == "her2k" and name == "beta")
        value = self.random.choice([0, 1, -1, self.random.uniform(-2, 2), self.random.uniform(-2, 2)])
        if self.complex and not real and self.random.integers(2):
            value = value + 1j * self.random.uniform(-2, 2)
        kind = np.dtype(TYPES[self.type])
        return np.array([value]).astype(np.zeros(1, kind).real.dtype if real else kind)

    def shapes(self):
        """Rows and columns of each matrix as it is stored."""
        v = self.values
        m, n, k = v["m"], v["n"], v["k"]
        if self.routine in ("gemm", "gemm3m", "gemmtr"):
            rows = n if self.routine == "gemmtr" else m
            return {"a": (rows, k) if v["transa"] == "N" else (k, rows), "b": (k, n) if v["transb"] == "N" else (n, k),
                    "c": (rows, n)}
        if "side" in ARGUMENTS[self.routine]:
            order = m if v["side"] == "L" else n
            return {"a": (order, order), "b": (m, n), "c": (m, n)}
        shape = (n, k) if v["transa"] == "N" else (k, n)
        return {"a": shape, "b": shape, "c": (n, n)}

    def fill(self):
        self.shape = self.shapes()
        for name, (rows, columns) in self.shape.items():
            if self.interface == "row":
                rows, columns = columns, rows
            ld = max(rows, 1) + int(self.random.choice([0, 0, 1, 7]))
            self.values["ld" + name] = ld
            self.values[name] = self.elements(ld * columns + 5)
        self.prepare_a()
        if np.all(self.values["beta"] == 0) and "beta" in ARGUMENTS[self.routine]:
            self.values["c"][:] = np.nan

    def elements(self, count):
        values = self.random.uniform(-1, 1, count)
        if self.complex:
            values = values + 1j * self.random.uniform(-1, 1, count)
        return values.astype(TYPES[self.type])

    def view(self, name):
        """The matrix as its rows and columns, gaps left out."""
        rows, columns = self.shape[name]
        if self.interface == "row":
            rows, columns = columns, rows
        ld = self.values["ld" + name]
        view = self.values[name][:ld * columns].reshape(columns, ld)[:, :rows]
        return view if self.interface == "row" else view.T

    def prepare_a(self):
        """What is not referenced is NaN; systems of equations are well conditioned."""
        if "side" not in ARGUMENTS[self.routine]:
            return
        a = self.view("a")
        order = a.shape[0]
        if self.routine == "trsm" and order:
            a[:] = a / order
            a[np.arange(order), np.arange(order)] += 1
        a[np.triu_indices(order, 1) if self.values["uplo"] == "L" else np.tril_indices(order, -1)] = np.nan
        if self.values["diag"] == "U" and "diag" in ARGUMENTS[self.routine]:
            a[np.arange(order), np.arange(order)] = np.nan

    def of_absolutes(self):
        """The same call of absolute values, whose result the errors of this one are relative to."""
        other = object.__new__(Call)
        other.__dict__ = {**self.__dict__, "values": dict(self.values)}
        for name in ("a", "b", "c", "alpha", "beta"):
            value = self.values[name]
            other.values[name] = np.abs(value).astype(value.dtype)
        if self.routine == "trsm":
            a = other.view("a")
            diagonal = np.diag(a).copy()
            a[:] = -a
            a[np.arange(len(diagonal)), np.arange(len(diagonal))] = diagonal
        return other

    def run(self, library, ilp64, names):
        """Calls the first of `names` that the library has; returns C, or None if it has none."""
        function = next((getattr(library, name) for name in names if hasattr(library, name)), None)
        if function is None:
            return None
        integer = ctypes.c_int64 if ilp64 else ctypes.c_int32
        result = self.values["c"].copy()
        kept, arguments = [], []
        if self.interface != "fortran":
            arguments.append(ctypes.c_int(101 if self.interface == "row" else 102))
        for name in ARGUMENTS[self.routine].split():
            value = result if name == "c" else self.values[name]
            arguments.append(self.argument(name, value, integer, kept))
        if self.interface == "fortran":  # hidden lengths of the letters
            arguments += [ctypes.c_size_t(1)] * sum(isinstance(self.values[name], str) for name in ARGUMENTS[self.routine].split())
        function.restype = None
        function(*arguments)
        return result

    def argument(self, name, value, integer, kept):
        by_value = self.interface != "fortran"
        if isinstance(value, np.ndarray):
            if by_value and name in ("alpha", "beta") and not np.iscomplexobj(value):
                return (ctypes.c_float if value.dtype == np.float32 else ctypes.c_double)(value[0])
            return ctypes.c_void_p(value.ctypes.data)
        if isinstance(value, str):
            if by_value:
                return ctypes.c_int(CBLAS_OF.get(name, CBLAS)[value])
            return ctypes.c_char_p(value.lower().encode() if self.random.integers(2) else value.encode())
        kept.append(integer(value))
        return kept[-1] if by_value else ctypes.byref(kept[-1])

    def names(self, ilp64):
        name = self.type + self.routine
        if self.interface == "fortran":
            return [name + ("_64_" if ilp64 else "_")]
        return [f"cblas_{name}64_", f"cblas_{name}_64"] if ilp64 else [f"cblas_{name}"]

    def run_host(self, host):
        """The host's result. Where it lacks the routine: gemm instead, of which a triangle is kept."""
        if self.routine not in ("gemm3m", "gemmtr"):
            return self.run(host, False, self.names(False))
        other = object.__new__(Call)
        other.__dict__ = {**self.__dict__, "values": {**self.values, "m": self.shape["c"][0]}, "routine": "gemm"}
        result = other.run(host, False, other.names(False))
        if self.routine == "gemmtr":
            whole, self.values["c"] = self.values["c"], result
            changed = self.view("c").copy()
            self.values["c"] = whole.copy()
            triangle = np.tril_indices(len(changed)) if self.values["uplo"] == "L" else np.triu_indices(len(changed))
            self.view("c")[triangle] = changed[triangle]
            result, self.values["c"] = self.values["c"], whole
        return result

    def error(self, got, host):
        """What is wrong with a result, or None."""
        expected = self.run_host(host)
        bound = np.abs(self.of_absolutes().run_host(host))
        epsilon = np.finfo(TYPES[self.type]).eps
        same = got.view(np.uint8).reshape(len(got), -1) == expected.view(np.uint8).reshape(len(got), -1)
        with np.errstate(invalid="ignore"):
            good = same.all(axis=1) | (np.abs(got - expected) <= 16 * epsilon * bound)
        untouched = self.values["c"].view(np.uint8).reshape(len(got), -1)
        padding = np.ones(len(got), bool)
        inside = self.values["c"]
        self.values["c"] = padding
        self.view("c")[:] = False
        self.values["c"] = inside
        good &= ~padding | (got.view(np.uint8).reshape(len(got), -1) == untouched).all(axis=1)
        if good.all():
            return None
        where = int(np.flatnonzero(~good)[0])
        return f"element {where}: {got[where]} instead of {expected[where]}, {np.sum(~good)} such elements"

    def __str__(self):
        words = [f"{name} {self.values[name]}" for name in ARGUMENTS[self.routine].split() if name not in "abc"]
        return f"{self.names(self.ilp64)[0]} {self.interface} {' '.join(words)}"


def call_all(count):
    """Prints a line for each wrong result, and how many are right."""
    path, host = load_host()
    library = ctypes.CDLL(LIBRARY, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    random = np.random.default_rng(SEED)
    called = 0
    for index in range(count):
        call = Call(random, NAMES[index * len(NAMES) // count])
        inputs = {name: call.values[name].copy() for name in "abc"}
        got = call.run(library, call.ilp64, call.names(call.ilp64))
        problem = f"libvkblas has no {call.names(call.ilp64)[0]}" if got is None else call.error(got, host)
        if any(inputs[name].tobytes() != call.values[name].tobytes() for name in "ab"):
            problem = "an input was written to"
        if problem:
            print(f"call {index}: {call}: {problem}")
        called += problem is None
    print(f"{called} calls agree with {path}")


def call_with_a_large_c():
    """C is larger than caches, begins within a word of 16 bytes, and has gaps: what is wrong, if anything."""
    m, n, ldc = 4099, 4101, 4103
    a, b = np.arange(m, dtype=np.float32) % 97, np.arange(n, dtype=np.float32) % 89
    memory = np.full(ldc * n + 2, -1, np.float32)
    expected = memory.copy()
    expected[1:-1].reshape(n, ldc)[:, :m] = np.outer(b, a)
    sizes = [ctypes.byref(ctypes.c_int(size)) for size in (m, n, 1, m, 1, ldc)]
    one, zero = (ctypes.byref(ctypes.c_float(scalar)) for scalar in (1, 0))
    at = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, memory[1:])]
    ctypes.CDLL(LIBRARY).sgemm_(b"N", b"N", *sizes[:3], one, at[0], sizes[3], at[1], sizes[4], zero, at[2], sizes[5])
    print(f"{np.sum(memory != expected)} elements are wrong")


class RandomCalls(unittest.TestCase):
    def test_agrees_with_the_host(self):
        self.agree(CALLS)

    def test_by_methods(self):
        """With them, a device without f64 computes it too."""
        self.agree(CALLS // 3, VKBLAS_COMPUTE="split,modular")

    def test_a_large_c(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report")
            run = subprocess.run([sys.executable, __file__, LIBRARY, "--large"], capture_output=True, text=True, check=False,
                                 env={**os.environ, "VKBLAS_MIN": "0", "VKBLAS_REPORT": str(report)})
            self.assertEqual((run.stdout, run.stderr), ("0 elements are wrong\n", ""))
            self.assertEqual([line.split()[2:4] for line in report.read_text().splitlines() if line.startswith("sgemm")],
                             [["1", "1"]])

    def agree(self, calls, **variables):
        path, host = load_host()
        if host is None:
            self.skipTest("no BLAS to compare with")
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report")
            env = {**os.environ, "VKBLAS_MIN": "0", "VKBLAS_REPORT": str(report), "VKBLAS_HOST": path,
                   "OPENBLAS_NUM_THREADS": "1", **variables}
            run = subprocess.run([sys.executable, __file__, LIBRARY, "--call", str(calls)], env=env, capture_output=True, text=True,
                                 check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            lacks_f64 = "has no 64-bit floats" in run.stderr and not variables  # the device still computes the other types
            self.assertRegex(run.stderr, "^vkblas: .*; the host computes such calls\n$" if lacks_f64 else "^$")
            self.assertRegex(run.stdout, rf"^{calls} calls agree with .*\n$")
            lines = [line.split() for line in report.read_text().splitlines()]
            for kind in "sc" if lacks_f64 else TYPES:
                on_device = sum(int(line[3]) for line in lines if line[0][1:] in ARGUMENTS and line[0][0] == kind)
                self.assertGreater(on_device, calls // 15, f"calls of {kind} on the device")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--call"]:
        call_all(int(sys.argv[2]))
    elif sys.argv[1:2] == ["--large"]:
        call_with_a_large_c()
    else:
        unittest.main()
