#!/usr/bin/env python3
"""The Python package vkmatmul, compared with NumPy. Products of small whole numbers are exact in any order.

test_python.py [unittest arguments]; python-package also passes the program print_layout in VKMM_PRINT_LAYOUT."""
import ctypes
import doctest
import logging
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from fractions import Fraction
from unittest import mock

import numpy as np

import vkmatmul
from vkmatmul import _dlpack, _layout, _library, _product, _types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import cli
SEED = int(os.environ.get("VKMM_TEST_SEED", "17"))
EXACT = {"f4": 9, "f8": 9, "i4": 9, "u4": 9, "f2": 4}  # type: the largest element
GUARD = 300  # seconds after which something hangs


class bfloat(np.void):
    """NumPy calls a dtype of these "bfloat16", as it calls that of ml_dtypes."""


try:
    import ml_dtypes
    ML_DTYPES = {"ml_dtypes": ml_dtypes}
except ImportError:
    ML_DTYPES = {"ml_dtypes": mock.Mock(bfloat16=np.dtype((bfloat, [("bits", "u2")])))}


def numbers(rng, shape, dtype="f4", most=9):
    low = 0 if np.dtype(dtype).kind == "u" else -most
    return rng.integers(low, most + 1, shape).astype(dtype)


def child(code, **env):
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=dict(os.environ, **env), capture_output=True, text=True,
                          timeout=GUARD)


def has_f64():
    return "SwiftShader" not in vkmatmul.devices()[0].name


class Case(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(SEED)

    def same(self, got, want, about=""):
        np.testing.assert_array_equal(got, want, str(about))
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), about)

    def refused(self, cases):
        """Each case: the exception, its sentence, and a function; or the arguments of matmul."""
        for kind, sentence, call, *more in cases:
            with self.subTest(sentence), self.assertRaises(kind) as caught:
                vkmatmul.matmul(*call, **more[0]) if more else call()
            self.assertEqual(str(caught.exception), sentence)


class Products(Case):
    def test_types(self):
        """Every type, with the type of its result."""
        for dtype, most in EXACT.items():
            a, b = numbers(self.rng, (7, 12), dtype, most), numbers(self.rng, (12, 9), dtype, most)
            self.same(vkmatmul.matmul(a, b), a @ b, dtype)
        for dtype, wide in ("i1", "i4"), ("u1", "u4"):
            limits = np.iinfo(dtype)
            a, b = (self.rng.integers(limits.min, limits.max + 1, s).astype(dtype) for s in [(5, 300), (300, 6)])
            self.same(vkmatmul.matmul(a, b), a.astype(wide) @ b.astype(wide), dtype)
        a, b = numbers(self.rng, (4, 90), "f2", 60), numbers(self.rng, (90, 5), "f2", 60)
        self.same(vkmatmul.matmul(a, b, out_type="f4"), a.astype("f4") @ b.astype("f4"))
        out = np.zeros((4, 5), "f4")
        self.assertIs(vkmatmul.matmul(a, b, out=out), out)
        self.same(out, a.astype("f4") @ b.astype("f4"), "the type of out")
        big = np.array([[65521, 65537]], "u4")
        self.same(vkmatmul.matmul(big, big.T), big @ big.T, "modulo 2^32")
        self.same(vkmatmul.matmul(np.array([[-3]], "i4"), np.array([[5]], "i4"), alpha=-2), np.array([[30]], "i4"))

    def test_bfloat16(self):
        """As uint16, and as ml_dtypes has it."""
        wide = [numbers(self.rng, shape) for shape in [(6, 5), (5, 4)]]
        a, b = ((x.view("u4") >> 16).astype("u2") for x in wide)
        got = vkmatmul.matmul(a, b, type="bf16", out_type="f32")
        self.same(got, wide[0] @ wide[1])
        rounded = vkmatmul.matmul(a, b, type="bf16", bias=np.zeros(4, "u2"))
        self.assertEqual(rounded.dtype, np.uint16)
        device = vkmatmul.Device()
        x, y = device.array(a, type="bf16"), device.array(b, type="bf16")
        self.assertEqual((x.type, (x @ y).type), ("bf16", "bf16"))
        self.same((x @ y).numpy().view("u2"), rounded)
        with mock.patch.dict(sys.modules, ML_DTYPES):
            bfloat16 = np.dtype(sys.modules["ml_dtypes"].bfloat16)
            a, b = a.view(bfloat16), b.view(bfloat16)
            x, y = device.array(a), device.array(b)
            for got in vkmatmul.matmul(a, b), vkmatmul.matmul(a, b, out=np.zeros((6, 4), bfloat16)), (x @ y).numpy():
                self.assertEqual(got.dtype, bfloat16)
                self.same(got.view("u2"), rounded)
            self.same(vkmatmul.matmul(a, b, out_type=bfloat16).view("u2"), rounded)

    def test_float8(self):
        """All codes times 1, as uint8, and as ml_dtypes has them if it is installed."""
        codes, one = np.arange(256, dtype="u1").reshape(256, 1), {"e4m3": 0x38, "e5m2": 0x3c}
        for kind, theirs, last in ("e4m3", "float8_e4m3fn", 448.0), ("e5m2", "float8_e5m2", np.inf):
            b = np.array([[one[kind]]], "u1")
            got = vkmatmul.matmul(codes, b, type=kind)
            self.assertEqual((got.dtype, np.nanmax(got), np.nanmin(got)), (np.float32, last, -last))
            device = vkmatmul.Device()
            there = device.array(codes, type=kind)
            self.assertEqual((there.type, there.dtype.itemsize), (kind, 1))
            self.same((there @ device.array(b, type=kind)).numpy(), got)
            half = vkmatmul.matmul(codes, b, type=kind, out_type="f2")
            self.assertEqual(half.dtype, np.float16)
            self.same(half.astype("f4"), got)
            with self.assertRaises(TypeError):
                vkmatmul.matmul(codes, b.astype("f4"), type=kind)
            with mock.patch.dict(sys.modules, ML_DTYPES):
                dtype = getattr(sys.modules["ml_dtypes"], theirs)
                if isinstance(dtype, type):
                    self.same(vkmatmul.matmul(codes.view(dtype), b.view(dtype)), codes.view(dtype).astype("f4"))

    def views(self, shape, dtype="f4"):
        """Arrays of one shape in many layouts."""
        rows, cols = shape
        base = numbers(self.rng, (rows * 3 + 1, cols * 3 + 1), dtype)
        yield numbers(self.rng, shape, dtype)
        yield np.asfortranarray(numbers(self.rng, shape, dtype))
        yield base[1:rows + 1, 1:cols + 1]
        yield base.T[:cols, :rows].T
        yield base[::3, :cols][:rows]
        yield base[:rows, ::3][:, :cols]
        yield base[:rows, :cols][::-1]
        yield base[:rows, :cols][:, ::-1]
        yield np.broadcast_to(base[:1, :cols], shape)
        yield np.broadcast_to(base[:rows, :1], shape)
        yield numbers(self.rng, shape, dtype).astype(np.dtype(dtype).newbyteorder(">"))
        unaligned = np.zeros(rows * cols * 4 + 1, "u1")[1:].view("f4").reshape(shape)
        unaligned[...] = numbers(self.rng, shape, dtype)
        yield unaligned

    def test_layouts(self):
        """A, B and out in every pair of layouts; elements of out's base beside it stay as they are."""
        for a in self.views((5, 7)):
            for b in self.views((7, 6)):
                native = a.astype("f4") @ b.astype("f4")
                self.same(vkmatmul.matmul(a, b), native, (a.strides, b.strides))
                self.same(vkmatmul.matmul(a.T, b.T, transpose_a=True, transpose_b=True), native)
        a, b = numbers(self.rng, (5, 7)), numbers(self.rng, (7, 6))
        for out in self.views((5, 6)):
            if not out.flags.writeable:
                continue
            base = out.base if out.base is not None and out.base.dtype == out.dtype else out
            want = base.copy()
            view = np.ndarray(out.shape, out.dtype, want, strides=out.strides,
                              offset=out.__array_interface__["data"][0] - base.__array_interface__["data"][0]) \
                if want.strides == base.strides else want
            before = out.copy()
            self.assertIs(vkmatmul.matmul(a, b, 2, 3, out=out), out)
            self.same(out.astype("f4"), (2 * (a @ b) + 3 * before).astype("f4"), out.strides)
            view[...] = 2 * (a @ b) + 3 * before
            self.same(base, want, "beside out")

    def test_random(self):
        """Shapes and strides at random, with everything that a product can have."""
        for turn in range(30):
            m, n, k = self.rng.integers(1, 20, 3)
            batch = [(), (3,), (2, 3)][turn % 3]
            a, b = numbers(self.rng, (*batch, m, k)), numbers(self.rng, (*batch[turn // 3 % 2:], k, n))
            ta, tb = turn % 2, turn // 2 % 2
            out = numbers(self.rng, (*batch, m, n))
            bias = numbers(self.rng, n) if turn % 5 else None
            want = np.maximum(2 * (a @ b) - out + (0 if bias is None else bias), 0).astype("f4")
            got = vkmatmul.matmul(a.swapaxes(-1, -2) if ta else a, b.swapaxes(-1, -2) if tb else b, 2, -1, out,
                                  bias=bias, activation="relu", transpose_a=ta, transpose_b=tb)
            self.assertIs(got, out)
            self.same(got, want, turn)

    def test_shapes(self):
        """Vectors, scalars as results, broadcast batches, and nothing at all, as numpy.matmul has them."""
        for left, right in [((4,), (4,)), ((4,), (4, 3)), ((5, 4), (4,)), ((2, 5, 4), (4,)), ((4,), (2, 4, 3)),
                            ((2, 5, 4), (4, 3)), ((5, 4), (2, 4, 3)), ((2, 1, 5, 4), (3, 4, 3)), ((1, 5, 4), (7, 4, 3)),
                            ((6, 1, 2, 5, 4), (3, 1, 4, 3)), ((0, 4), (4, 3)), ((5, 0), (0, 3)), ((2, 0, 4), (4, 3)),
                            ((0, 5, 4), (4, 3)), ((5, 4), (4, 0)), ((1, 1), (1, 1)), ((0,), (0,))]:
            a, b = numbers(self.rng, left), numbers(self.rng, right)
            want = np.matmul(a, b)
            got = vkmatmul.matmul(a, b)
            self.same(got, want, (left, right))
            self.assertIs(type(got), type(want))
        a, b = numbers(self.rng, (3, 2, 5, 4)), numbers(self.rng, (2, 3, 4, 6)).transpose(1, 0, 2, 3)
        self.same(vkmatmul.matmul(a[:, ::-1], b), a[:, ::-1] @ b)
        out = np.zeros((2, 5, 3, 6), "f4").transpose(2, 0, 1, 3)  # matrices that interleave
        self.same(vkmatmul.matmul(a, b, out=out), a @ b)
        for gaps in np.zeros((3, 7, 6), "f4")[:, :5], np.zeros((3, 5, 8), "f4")[..., :6]:
            self.same(vkmatmul.matmul(a[:, 0].copy(), b[0, 0], out=gaps), a[:, 0] @ b[0, 0], gaps.strides)
            self.same(vkmatmul.matmul(gaps, np.eye(6, dtype="f4")), a[:, 0] @ b[0, 0], gaps.strides)
        self.same(vkmatmul.matmul(a[0, 0], b[0, 0, :, 0], out=np.zeros((5, 3), "f4")[:, 1]), a[0, 0] @ b[0, 0, :, 0])
        self.same(vkmatmul.matmul([[1.0, 2.0]], [[3.0], [4.0]]), np.array([[11.0]]))
        self.same(vkmatmul.matmul(np.ones((3, 0), "f4"), np.ones((0, 2), "f4"), 1, 2, np.ones((3, 2), "f4")),
                  np.full((3, 2), 2, "f4"), "K = 0")

    def test_overlap(self):
        """out may be an operand, or a part of one."""
        a = numbers(self.rng, (6, 6))
        want = a @ a
        self.same(vkmatmul.matmul(a, a, out=a), want)
        a = numbers(self.rng, (6, 12))
        want = a[:, :6] @ a[:, 6:]
        vkmatmul.matmul(a[:, :6], a[:, 6:], out=a[:, 3:9])
        self.same(a[:, 3:9], want)

    def test_complex(self):
        """Shapes, layouts, epilogues; parts of small whole numbers, so that sums are exact."""
        def parts(shape, dtype):
            return (numbers(self.rng, shape) + 1j * numbers(self.rng, shape)).astype(dtype)
        for dtype in ["c8", "c16"] if has_f64() else ["c8"]:
            for left, right in [((5, 4), (4, 3)), ((4,), (4,)), ((4,), (4, 3)), ((5, 4), (4,)), ((2, 1, 5, 4), (3, 4, 3)), ((0, 4), (4, 3)),
                                ((5, 0), (0, 3)), ((2, 5, 4), (4,)), ((1,), (1, 1))]:
                a, b = parts(left, dtype), parts(right, dtype)
                self.same(vkmatmul.matmul(a, b), np.asarray(a @ b)[()], (left, right))
        a, b = parts((6, 8), "c8"), parts((8, 5), "c8")
        for x in a, np.asfortranarray(a), a[::2], a[:, ::-1], a.astype(">c8"):
            self.same(vkmatmul.matmul(x[:, :4], b[::2]), (x[:, :4] @ b[::2]).astype("c8"), x.strides)
        self.same(vkmatmul.matmul(a.T, b.T, transpose_a=True, transpose_b=True), a @ b)
        bias, base = parts(5, "c8"), parts((6, 10), "c8")
        for out in base[:, ::2], base[:, :5], np.asfortranarray(base[:, :5]):
            want = 2 * (a @ b) - 3 * out + bias
            self.assertIs(vkmatmul.matmul(a, b, 2, -3, out, bias=bias), out)
            self.same(out, want.astype("c8"), out.strides)
        vector = parts(6, "c8")
        want = a @ b[:, 0] + vector
        self.same(vkmatmul.matmul(a, b[:, 0], 1, 1, vector), want, "out is a vector")
        square = a[:, :6].copy()
        want = square @ square
        vkmatmul.matmul(square, square, out=square)
        self.same(square, want, "out is an operand")
        x, y = self.rng.random((2, 9, 2)) @ [1, 1j]  # each part is an exact sum, rounded once
        got = vkmatmul.matmul(x.conj(), y, reproducible=True) if has_f64() else None
        exact = [sum(Fraction(p.real) * Fraction(q.real) + Fraction(p.imag) * Fraction(q.imag) for p, q in zip(x, y)),
                 sum(Fraction(p.real) * Fraction(q.imag) - Fraction(p.imag) * Fraction(q.real) for p, q in zip(x, y))]
        self.assertIn(got, (None, complex(*map(float, exact))))
        self.refused([
            (TypeError, "a has dtype complex64 and b float32; both must be the same", (a, b.real), {}),
            (TypeError, "a has dtype complex64 and out complex128; both must be the same", (a, b), {"out": np.zeros((6, 5), "c16")}),
            (vkmatmul.InvalidError, "incompatible shapes: A is 6×8, B is 5×8", (a, b.T), {}),
            (vkmatmul.InvalidError, "out is 6×8; the product is 6×5", (a, b), {"out": a}),
            (vkmatmul.InvalidError, "out is read-only", (a, b), {"out": np.broadcast_to(np.complex64(0), (6, 5))}),
            (vkmatmul.InvalidError, "bias has shape (6,); the product needs (5,)", (a, b), {"bias": parts(6, "c8")}),
            (vkmatmul.InvalidError, "activation is 'relu'; complex products have none", (a, b), {"activation": "relu"}),
            (vkmatmul.InvalidError, "alpha is 1j; a real number is needed", (a, b, 1j), {})])

    def test_gelu(self):
        x = np.linspace(-4, 4, 25, dtype="f4").reshape(5, 5)
        want = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
        np.testing.assert_allclose(vkmatmul.matmul(x, np.eye(5, dtype="f4"), activation="gelu"), want, atol=1e-5)

    def test_reproducible(self):
        """The float nearest to each exact sum; other types are refused."""
        a, b = self.rng.random((7, 40)), self.rng.random((40, 5))
        exact = [[sum(Fraction(x) * Fraction(y) for x, y in zip(row, col)) for col in b.T] for row in a]
        self.assertEqual(vkmatmul.matmul(a, b, reproducible=True).tolist(), [[float(x) for x in row] for row in exact])
        a, b = np.round(a * 999).astype("f4"), np.round(b * 999).astype("f4")  # whose sums are exact in f64
        got = vkmatmul.matmul(a, b, reproducible=True)
        self.assertEqual((got.dtype, got.tolist()), (np.float32, (a.astype("f8") @ b.astype("f8")).astype("f4").tolist()))
        with self.assertRaisesRegex(vkmatmul.InvalidError, "reproducible multiplies f64 or f32, with sums of the usual type; the types are f16"):
            vkmatmul.matmul(a.astype("f2"), b.astype("f2"), reproducible=True)

    def test_threads(self):
        """Eight threads, one device that the first of them opens."""
        _product.device_of.__globals__["_default"].clear()
        pairs = [(numbers(self.rng, (20 + i % 3, 30)), numbers(self.rng, (30, 25))) for i in range(8)]
        wrong = []

        def work(a, b):
            try:
                for _ in range(10):
                    np.testing.assert_array_equal(vkmatmul.matmul(a, b), a @ b)
            except BaseException as error:
                wrong.append(error)
        threads = [threading.Thread(target=work, args=pair) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Names(Case):
    """The functions of the Python array API standard, compared with NumPy's."""

    def test_vecdot(self):
        for left, right, axis in [((4,), (4,), -1), ((5, 4), (4,), -1), ((3, 1, 4), (5, 4), -1), ((4, 3), (4, 3), -2), ((2, 4, 3), (4, 1), -2),
                                  ((0, 4), (1, 4), -1), ((3, 0), (3, 0), -1)]:
            for dtype in "f4", "c8":
                a, b = (((1 + 1j) * numbers(self.rng, shape) if dtype == "c8" else numbers(self.rng, shape)).astype(dtype) for shape in (left, right))
                self.same(vkmatmul.vecdot(a, b, axis=axis), np.asarray((a.conj() * b).sum(axis), dtype)[()], (left, right, dtype))
        self.same(vkmatmul.vecdot(np.array([1 + 2j], "c8"), np.array([3j], "c8")), np.complex64(6 + 3j))
        self.same(vkmatmul.vecdot(np.full(300, 127, "i1"), np.full(300, -128, "i1")), np.int32(300 * 127 * -128))

    def test_tensordot(self):
        a, b = numbers(self.rng, (2, 3, 4, 5)), numbers(self.rng, (4, 5, 3))
        for axes in 2, ([2, 3], [0, 1]), ((-3,), (-1,)), ([1, 3, 2], [2, 1, 0]), ([], []), 0:
            self.same(vkmatmul.tensordot(a, b, axes=axes), np.tensordot(a, b, axes), axes)
        self.same(vkmatmul.tensordot(a, a, axes=([0, 1, 2, 3],) * 2), np.tensordot(a, a, 4)[()])
        self.same(vkmatmul.tensordot(a[..., :0], b[:0], axes=1), np.tensordot(a[..., :0], b[:0], 1))
        self.same(vkmatmul.tensordot(1j * a.astype("c8"), b.astype("c8")), np.tensordot(1j * a, b, 2).astype("c8"))

    def test_matrix_transpose(self):
        a = numbers(self.rng, (2, 3, 4))
        turned = vkmatmul.matrix_transpose(a)
        self.same(turned, a.swapaxes(-1, -2))
        self.assertTrue(np.shares_memory(a, turned))
        self.same(vkmatmul.matrix_transpose([[1, 2]]), np.array([[1], [2]]))
        there = vkmatmul.Device().array(a)
        view = vkmatmul.matrix_transpose(there)
        self.same(view.numpy(), turned)
        self.same((there @ view).numpy(), a @ turned)
        view.write(turned + 1)
        self.same(there.numpy(), a + 1)
        self.assertEqual(vkmatmul.matrix_transpose(vkmatmul.quantize(np.ones((3, 32)), "q8_0")).shape, (32, 3))

    def test_refused(self):
        a, b = np.ones((2, 3), "f4"), np.ones((3, 4), "f4")
        vecdot, tensordot, invalid = vkmatmul.vecdot, vkmatmul.tensordot, vkmatmul.InvalidError
        self.refused([
            (invalid, "axis is 0; use -2 to -1, for x1 with 2 dimensions and x2 with 2", lambda: vecdot(a, a, axis=0)),
            (invalid, "axis is -2; use -1 to -1, for x1 with 2 dimensions and x2 with 1", lambda: vecdot(a, a[0], axis=-2)),
            (invalid, "x1 or x2 is a scalar; vectors are needed", lambda: vecdot(a, np.float32(1))),
            (invalid, "x1 has 3 elements along axis -1, x2 has 1", lambda: vecdot(a, a[:, :1])),
            (invalid, "incompatible shapes: A is 2×1×3, B is 5×3×1", lambda: vecdot(a, np.ones((5, 3), "f4"))),
            (TypeError, "x2 is a DeviceArray; an array of the host is needed", lambda: vecdot(a, vkmatmul.Device().array(a))),
            (TypeError, "x1 is a Blocks; an array of the host is needed", lambda: tensordot(vkmatmul.quantize(np.ones((3, 32)), "q8_0"), a)),
            (invalid, "axes is 3; use 0 to 2, or two sequences of dimensions", lambda: tensordot(a, b, axes=3)),
            (invalid, "axes is ([1],); use 0 to 2, or two sequences of dimensions", lambda: tensordot(a, b, axes=([1],))),
            (invalid, "x1 has (3,) elements along axes (1,), x2 has (4,) along (1,)", lambda: tensordot(a, b, axes=([1], [1]))),
            (invalid, "x1 has (3,) elements along axes (1,), x2 has () along ()", lambda: tensordot(a, b, axes=([1], []))),
            (invalid, "axes of x1 are (2,); use different ones of its 2 dimensions", lambda: tensordot(a, b, axes=([2], [0]))),
            (invalid, "axes of x2 are (0, -2); use different ones of its 2 dimensions", lambda: tensordot(a, b, axes=([0, 1], [0, -2]))),
            (invalid, "x has 1 dimension; a matrix has at least 2", lambda: vkmatmul.matrix_transpose(a[0])),
            (invalid, "x has 0 dimensions; a matrix has at least 2", lambda: vkmatmul.matrix_transpose(vkmatmul.Device().empty(())))])


class Weights(Case):
    FORMATS = {"q8_0": (32, 34, 0.007), "q4_0": (32, 18, 0.1), "q4_K": (256, 144, 0.1), "mxfp4": (32, 17, 0.13),
               "nvfp4": (64, 36, 0.11), "mxfp8_e4m3": (32, 33, 0.04), "mxfp8_e5m2": (32, 33, 0.08), "fp8_e4m3": (128, 132, 0.04),
               "fp8_e5m2": (128, 132, 0.08), "q4_z": (128, 84, 0.1), "q8_z": (128, 148, 0.007), "q4_1": (32, 20, 0.1), "q5_0": (32, 22, 0.05),
               "q5_1": (32, 24, 0.05), "q5_K": (256, 176, 0.05), "q6_K": (256, 210, 0.03)}  # elements, bytes, error of normal numbers

    def near(self, got, a, b, units):
        """Within a bound of float32 sums of products; units: of one product."""
        a, b = a.astype("f8"), b.astype("f8")
        self.assertEqual(got.shape, (a @ b).shape)
        bound = (units + a.shape[-1] * 2.0 ** -24) * (np.abs(a) @ np.abs(b))
        self.assertLessEqual(float((np.abs(got - a @ b) - bound).max()), 0)

    def test_products(self):
        """Each format, with few and with many rows, against the elements that the blocks have."""
        weights = (self.rng.normal(0, 0.02, (24, 512)) + 0.01).astype("f4")
        for name, (_, _, most) in self.FORMATS.items():
            w = vkmatmul.quantize(weights, name)
            values = w.dequantize()
            self.assertAlmostEqual(w.error, np.linalg.norm(values - weights) / np.linalg.norm(weights), 5, name)
            self.assertTrue(0 < w.error < most, (name, w.error))
            self.assertEqual((w.shape, w.T.shape, values.dtype), ((24, 512), (512, 24), np.float32))
            self.same(w.T.dequantize(), values.T)
            for rows in (1, 20) if name in list(self.FORMATS)[:5] else ():  # the library's tests multiply the others
                x = self.rng.normal(size=(rows, 512)).astype("f4")
                got = vkmatmul.matmul(x, w.T)
                self.near(got, x, values.T, 2.0 ** -23)
                self.near(vkmatmul.matmul(w, x.T), values, x.T, 2.0 ** -23)
                self.same(x @ w.T, got)
                self.same(vkmatmul.matmul(x, w, transpose_b=True), got)
                half = x.astype("f2")
                self.near(vkmatmul.matmul(half, w.T, out_type="f4"), half, values.T, 2.0 ** -11 + 2.0 ** -23)

    def test_shapes(self):
        """Vectors, batches, one row, out in both orders, and everything else that a product has."""
        for name in "q4_0", "nvfp4":
            w = vkmatmul.quantize(self.rng.normal(size=(6, 128)), name)
            one, values = vkmatmul.quantize(w.dequantize()[:1], name), w.dequantize()
            x = self.rng.normal(size=(2, 3, 5, 128)).astype("f4")
            self.near(vkmatmul.matmul(x, w.T), x, values.T, 2.0 ** -23)
            turned = x.transpose(1, 0, 3, 2)  # two products: its batch has no single stride
            self.near(vkmatmul.matmul(w, turned), values, turned, 2.0 ** -23)
            self.near(vkmatmul.matmul(x[0, 0, 0], w.T), x[0, 0, 0], values.T, 2.0 ** -23)
            self.near(vkmatmul.matmul(x[0, 0], one.T), x[0, 0], one.T.dequantize(), 2.0 ** -23)
            self.near(vkmatmul.matmul(one, x[0, 0].T), one.dequantize(), x[0, 0].T, 2.0 ** -23)
            for out in np.ones((5, 6), "f4"), np.ones((6, 5), "f4").T:
                vkmatmul.matmul(x[0, 0], w.T, 2, 3, out, bias=np.full(6, 4, "f4"))
                self.near(out - 7, 2 * x[0, 0], values.T, 2.0 ** -19)
            out = np.ones((5, 2), "f4")[:, :1].T  # column-major
            vkmatmul.matmul(one, x[0, 0].T, out=out)
            self.near(out, one.dequantize(), x[0, 0].T, 2.0 ** -23)
            bits = (x[0, 0].view("u4") >> 16).astype("u2")
            got = vkmatmul.matmul(w, bits.T, type="bf16")
            self.assertEqual(got.dtype.itemsize, 2)
            self.near((got.view("u2").astype("u4") << 16).view("f4"), values, (bits.astype("u4") << 16).view("f4").T, 2.0 ** -7)
            device = vkmatmul.Device()
            there = w.to(device)
            self.same(there.dequantize(), values)
            self.same((device.array(x[0, 0]) @ there.T).numpy(), x[0, 0] @ w.T)

    def test_bytes(self):
        """Blocks of a file: of bytes, of arrays, and where they lie."""
        codes = self.rng.integers(-128, 128, (3, 2, 32)).astype("i1")
        scales = self.rng.integers(1, 9, (3, 2, 1)).astype("f2")
        data = np.concatenate([scales.view("u1").reshape(3, 2, 2), codes.view("u1")], -1)
        want = (codes * scales.astype("f4")).reshape(3, 64)
        for held in data.tobytes(), bytearray(data.tobytes()), data, data.reshape(3, -1):
            w = vkmatmul.Blocks("q8_0", (3, 64), held)
            self.same(w.dequantize(), want)
            self.assertEqual((w.format, w.error, w.nbytes, w.data.shape), ("q8_0", None, 204, (3, 68)))
        self.assertTrue(np.shares_memory(w.data, data))
        self.same(vkmatmul.Blocks("q8_0", (3, 64), data, scale=0.5).dequantize(), want / 2)
        x = numbers(self.rng, (2, 64))
        self.same(vkmatmul.Blocks("q8_0", (3, 64), data, scale=0.5).T.__rmatmul__(x), x @ want.T / 2)
        self.assertEqual(repr(w.T), "<vkmatmul.Blocks 64×3 q8_0>")
        for name, (elements, size, _) in self.FORMATS.items():
            w = vkmatmul.quantize(np.zeros((2, elements)), name)
            self.assertEqual((w.nbytes, w.error), (2 * size, 0))
            np.testing.assert_array_equal(w.dequantize(), np.zeros((2, elements)))

    def test_join(self):
        """Codes and scales in arrays of their own: groups, rows, bands, one for all."""
        codes, points = self.rng.integers(0, 16, (6, 256)).astype("u1"), self.rng.integers(0, 16, (6, 4)).astype("u1")
        signed = self.rng.integers(-8, 8, (6, 256)).astype("i1")
        scales = self.rng.uniform(0.5, 2, (6, 4)).astype("f4")
        exact = scales.astype("f2")

        def spread(matrix):
            return matrix.astype("f4").repeat(6 // matrix.shape[0], 0).repeat(256 // matrix.shape[1], 1)
        for w, want in [(vkmatmul.Blocks.join("q4_z", codes, scales, points), (codes - spread(points)) * spread(scales)),
                        (vkmatmul.Blocks.join("q4_z", signed, scales[:3]), signed * spread(scales[:3])),
                        (vkmatmul.Blocks.join("q4_0", codes, exact[:, :1]), (codes - np.float32(8)) * spread(exact[:, :1])),
                        (vkmatmul.Blocks.join("q4_0", signed, exact[:1, :1], scale=2), 2 * signed * spread(exact[:1, :1])),
                        (vkmatmul.Blocks.join("q8_z", codes, scales, points), (codes - spread(points)) * spread(scales)),
                        (vkmatmul.Blocks.join("q8_0", codes + np.uint8(120), exact), (codes - np.float32(8)) * spread(exact)),
                        (vkmatmul.Blocks.join("fp8_e4m3", codes, scales[::3, :2]), codes / np.float32(512) * spread(scales[::3, :2])),  # a fixed point below 16
                        (vkmatmul.Blocks.join("mxfp8_e5m2", codes[:, :32] & 3, np.full((6, 1), 128, "u1")), (codes[:, :32] & 3) / np.float32(32768))]:
            self.same(w.dequantize(), want)
        x = numbers(self.rng, (2, 256))
        w = vkmatmul.Blocks.join("q4_z", codes, scales, points)
        self.near(x @ w.T, x, w.dequantize().T, 2.0 ** -23)
        for kind, sentence, call in [
                (TypeError, "codes have dtype float32 and scales float32; int8 or uint8", lambda: vkmatmul.Blocks.join("q4_z", x, scales)),
                (vkmatmul.InvalidError, "codes have shape (6, 256), scales (6, 3); scales must divide", lambda: vkmatmul.Blocks.join("q4_z", codes, scales[:, :3])),
                (vkmatmul.InvalidError, "no f16, as q4_0 has them; q4_z and q8_z have f32", lambda: vkmatmul.Blocks.join("q4_0", codes, scales)),
                (vkmatmul.InvalidError, "q4_K has more than a scale", lambda: vkmatmul.Blocks.join("q4_K", codes, scales))]:
            with self.subTest(sentence), self.assertRaises(kind) as caught:
                call()
            self.assertIn(sentence, str(caught.exception))

    def test_refused(self):
        x, w = np.ones((3, 64), "f4"), vkmatmul.quantize(np.ones((5, 64)), "q4_0")
        device, invalid = vkmatmul.Device(), vkmatmul.InvalidError
        self.refused([
            (invalid, "incompatible shapes: A is 3×32, B is 64×5", lambda: vkmatmul.matmul(x[:, :32], w.T)),
            (invalid, "b has blocks of q4_0 along N; a product needs them along K: use b.T", lambda: vkmatmul.matmul(x, w)),
            (invalid, "a has blocks of q4_0 along M; a product needs them along K: use a.T", lambda: w.T @ x),
            (invalid, "a row has 40 elements; a block of q4_0 has 32", lambda: vkmatmul.quantize(np.ones((5, 40)), "q4_0")),
            (invalid, "format is 'q5'; use one of 'q8_0', 'q4_0', 'q4_K', 'mxfp4', 'nvfp4', 'mxfp8_e4m3', 'mxfp8_e5m2', 'fp8_e4m3', "
                      "'fp8_e5m2', 'q4_z', 'q8_z', 'q4_1', 'q5_0', 'q5_1', 'q5_K', 'q6_K'", lambda: vkmatmul.quantize(x, "q5")),
            (invalid, "array has shape (64,) and dtype float32; a matrix of numbers is needed", lambda: vkmatmul.quantize(x[0], "q4_0")),
            (invalid, "array has infinities, NaNs, or elements that are too large for q8_0", lambda: vkmatmul.quantize(x * np.nan, "q8_0")),
            (invalid, "array has infinities, NaNs, or elements that are too large for q8_0", lambda: vkmatmul.quantize(x * 1e30, "q8_0")),
            (invalid, "data has 4 bytes; 2×64 elements of q4_0 have 72", lambda: vkmatmul.Blocks("q4_0", (2, 64), b"1234")),
            (invalid, "shape is (64,); it has rows and elements of a row", lambda: vkmatmul.Blocks("q4_0", (64,), b"")),
            (invalid, "B is in blocks of q4_0, which are multiplied as f32, f16 or bf16, summed in f32", lambda: x.astype("f8") @ w.T),
            (TypeError, "data has dtype float32; uint8 is needed", lambda: vkmatmul.Blocks("q4_0", (2, 64), x)),
            (TypeError, "a has dtype float32 and b q4_0; both must be bf16", lambda: vkmatmul.matmul(x, w.T, type="bf16")),
            (TypeError, "a and b are in blocks; one of them must be an array", lambda: w @ w.T),
            (TypeError, "a is on a device and b is not; Blocks.to copies it there", lambda: device.array(x) @ w.T)])


class Foreign(Case):
    """Arrays of other libraries: what NumPy gets of them, and what becomes of the result."""

    class Bare:
        """Only DLPack, of a library without from_dlpack."""

        def __init__(self, data):
            self.data = np.asarray(data)

        def __dlpack__(self, **how):
            return self.data.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.data.__dlpack_device__()

    class Tensor(Bare):
        """As PyTorch's: no __array_namespace__, so that the module's from_dlpack makes one."""

        def __array__(self, dtype=None, copy=None):
            return self.data

    class Named(Tensor):
        def __array_namespace__(self):
            return mock.Mock(from_dlpack=lambda data: Foreign.Named(data))

    class Brain:
        """A bfloat16 or float8 tensor as PyTorch's: NumPy refuses it, and it is exported by a capsule of its own."""
        exported = []  # the structures that capsules point to

        def __init__(self, bits, code=4, strides=True):
            self.bits, self.code, self.strides, self.device = bits, code, strides, (1, 0)

        def __array__(self, dtype=None, copy=None):
            raise TypeError("Got unsupported ScalarType BFloat16")

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **how):
            ints = ctypes.c_int64 * self.bits.ndim
            shape, strides = ints(*self.bits.shape), ints(*[x // self.bits.itemsize for x in self.bits.strides])
            tensor = _dlpack.Tensor(data=self.bits.ctypes.data - 4, device_type=1, ndim=self.bits.ndim, code=self.code, lanes=1,
                                    bits=8 * self.bits.itemsize, shape=shape, strides=strides if self.strides else None, byte_offset=4)
            Foreign.Brain.exported.append((tensor, shape, strides, self.bits))
            new = ctypes.pythonapi.PyCapsule_New
            new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
            return new(ctypes.addressof(tensor), b"dltensor", None)

        def view(self, dtype):
            return Foreign.Brain(self.bits.view("u2")) if dtype == "theirs" else NotImplemented

        def __array_namespace__(self):
            return mock.Mock(from_dlpack=lambda data: Foreign.Brain(np.from_dlpack(data)), bfloat16="theirs")

    def test_bfloat16(self):
        """What NumPy cannot read is read by DLPack where it lies, and the result is one of its library: with ml_dtypes and without."""
        wide = [numbers(self.rng, shape) for shape in [(6, 5), (5, 4)]]
        bits = [(x.view("u4") >> 16).astype("u2") for x in wide]
        want = vkmatmul.matmul(*bits, type="bf16")
        for modules in {"ml_dtypes": None}, ML_DTYPES:
            with mock.patch.dict(sys.modules, modules):
                a, b = map(self.Brain, bits)
                self.assertEqual(_types.host(a).ctypes.data, bits[0].ctypes.data)
                for left, right in [(a, b), (self.Brain(np.asfortranarray(bits[0])), self.Brain(bits[1], strides=False)), (a, bits[1])]:
                    got = vkmatmul.matmul(left, right, type="bf16" if right is bits[1] else None)
                    self.assertIs(type(got), self.Brain)
                    self.same(got.bits, want)
                out = self.Brain(np.zeros((6, 4), "u2"))
                self.assertIs(vkmatmul.matmul(a, b, out=out, bias=self.Brain(np.zeros(4, "u2"))), out)
                self.same(out.bits, want)
                self.same(vkmatmul.vecdot(a, self.Brain(bits[0][:1])).bits, vkmatmul.vecdot(bits[0], bits[0][:1], type="bf16"))
                self.same(vkmatmul.matmul(a, b, out_type="f32").bits.view("f4"), wide[0] @ wide[1])
                self.same(vkmatmul.Device().array(a).numpy().view("u2"), bits[0])
        for code, kind in (10, "e4m3"), (12, "e5m2"):
            codes = np.full((3, 3), 0x38, "u1")
            with mock.patch.dict(sys.modules, {"ml_dtypes": None}):
                self.same(_types.host(self.Brain(codes, code)), codes)
                self.same(vkmatmul.matmul(self.Brain(codes, code), codes, type=kind).bits.view("f4"), vkmatmul.matmul(codes, codes, type=kind))
                self.assertEqual(_types.array_type(_types.host(self.Brain(codes, code)).dtype, "a", None), kind)
        far, other = self.Brain(bits[0]), self.Brain(bits[0], code=1)
        far.device = 2, 0
        for tensor in far, other:
            with self.assertRaisesRegex(TypeError, "^Got unsupported ScalarType BFloat16$"):
                vkmatmul.matmul(tensor, bits[1])

    def test_memory_without_array(self):
        """DLPack alone, and buffers: nothing is copied, and buffers are written in place."""
        a, b = np.arange(6, dtype="f4").reshape(2, 3), np.arange(12, dtype="f4").reshape(3, 4)
        self.same(vkmatmul.matmul(self.Bare(a), self.Bare(b)), a @ b)
        self.assertEqual(_types.host(self.Bare(a)).ctypes.data, a.ctypes.data)
        with self.assertRaisesRegex(vkmatmul.InvalidError, "^out is read-only$"):
            vkmatmul.matmul(a, b, out=self.Bare(np.zeros((2, 4), "f4")))
        out = memoryview(bytearray(32)).cast("f", (2, 4))
        self.assertIs(vkmatmul.matmul(memoryview(a), memoryview(b), out=out), out)
        self.same(np.asarray(out), a @ b)
        with self.assertRaisesRegex(TypeError, "^out is a list; an array is needed$"):
            vkmatmul.matmul(a, b, out=[[0] * 4] * 2)

    def test_results_are_of_the_operands_kind(self):
        a, b = np.arange(6, dtype="f4").reshape(2, 3), np.arange(12, dtype="f4").reshape(3, 4)
        for kind in Foreign.Tensor, Foreign.Named:
            with mock.patch.object(sys.modules[kind.__module__], "from_dlpack", Foreign.Tensor, create=True):
                c = vkmatmul.matmul(kind(a), b)
                self.assertIs(type(c), kind)
                self.same(c.data, a @ b, kind)
                dot = vkmatmul.matmul(kind(a[0]), kind(b[:, 0]))
                self.assertIs(type(dot), kind)
                self.assertEqual((dot.data.shape, float(dot.data)), ((), float(a[0] @ b[:, 0])))
                self.assertIs(type(vkmatmul.matmul(a, kind(b))), np.ndarray)
                out = kind(np.zeros((2, 4), "f4"))
                self.assertIs(vkmatmul.matmul(a, kind(b), out=out), out)
                self.same(out.data, a @ b, kind)


class Arrays(Case):
    def setUp(self):
        super().setUp()
        self.device = vkmatmul.Device(validate=False)

    def test_chain(self):
        """Products of products stay on the device: nothing is written or read in between."""
        a, b, bias = numbers(self.rng, (5, 8)), numbers(self.rng, (8, 8), most=2), numbers(self.rng, 8)
        x, y, z = map(self.device.array, (a, b, bias))
        lib = _library.library()
        with mock.patch.object(lib, "vkmm_memory_write") as write, mock.patch.object(lib, "vkmm_memory_read") as read:
            first = vkmatmul.matmul(x, y, bias=z)
            second = first @ y
            third = vkmatmul.matmul(second, y, transpose_b=True)
            self.assertEqual((write.call_count, read.call_count), (0, 0))
        self.same(first.numpy(), a @ b + bias)
        self.same(second.numpy(), (a @ b + bias) @ b)
        self.same(np.asarray(third), (a @ b + bias) @ b @ b.T)
        self.assertIs(vkmatmul.matmul(x, y, -1, 2, out=first), first)
        self.same(first.numpy(), 2 * (a @ b + bias) - a @ b)

    def test_forms(self):
        """Shapes, strides and types come back as they were."""
        for dtype in "f4", "f8", "f2", "i4", "u4", "i1", "u1":
            a = numbers(self.rng, (3, 5), dtype)
            for array in a, np.asfortranarray(a), a[::2], a[:, 1:], a.T, a[0], a[0, 0], a[:0], a.astype(
                    a.dtype.newbyteorder(">")), np.stack([a, a]):
                there = self.device.array(array)
                self.assertEqual((there.shape, there.dtype, there.ndim, there.size, there.nbytes),
                                 (array.shape, array.dtype.newbyteorder("="), array.ndim, array.size, array.nbytes))
                np.testing.assert_array_equal(there.numpy(), array)
                np.testing.assert_array_equal(there.T.numpy(), array.T)
                self.assertEqual(there.numpy().strides, there.strides)
        f = self.device.array(np.asfortranarray(numbers(self.rng, (3, 5))))
        self.assertEqual(f.strides, (4, 12))
        self.assertEqual(repr(f), "<vkmatmul.DeviceArray 3×5 f32 on %s>" % self.device.info.name)
        self.assertEqual(self.device.empty(4, np.int8).shape, (4,))
        self.assertEqual(self.device.empty((), "i32").numpy().shape, ())

    def test_write(self):
        """Arrays are written again, in the order that they have."""
        there = self.device.empty((2, 3), "f4")
        for view in there, there.T:
            a = numbers(self.rng, view.shape)
            for array in a, np.asfortranarray(a), a[::-1]:
                view.write(array)
                self.same(view.numpy(), array)
        with self.assertRaisesRegex(vkmatmul.InvalidError, r"^data has shape \(3, 2\) and type f32; the array has \(2, 3\) and f32$"):
            there.write(np.ones((3, 2), "f4"))
        with self.assertRaisesRegex(vkmatmul.InvalidError, "type f16; the array has"):
            there.write(np.ones((2, 3), "f2"))

    def test_products(self):
        """As those of arrays on the host, batches and views included."""
        for left, right in [((5, 4), (4, 3)), ((4,), (4, 3)), ((2, 5, 4), (2, 4, 3)), ((2, 5, 4), (4, 3)),
                            ((2, 1, 5, 4), (3, 4, 3)), ((5, 4), (4,)), ((4,), (4,)), ((0, 4), (4, 3)), ((3, 0), (0, 2))]:
            a, b = numbers(self.rng, left), numbers(self.rng, right)
            self.same((self.device.array(a) @ self.device.array(b)).numpy(), np.asarray(a @ b), (left, right))
        a, b, out = numbers(self.rng, (4, 5)), numbers(self.rng, (3, 4)), numbers(self.rng, (3, 5))
        there = self.device.array(out)
        vkmatmul.matmul(self.device.array(a).T, self.device.array(b).T, 1, 1, out=there.T)
        self.same(there.numpy(), b @ a + out, "out is a transpose")

    def test_refused(self):
        ones = np.ones((3, 3), "f4")
        a, b = self.device.array(ones), self.device.array(ones)
        batch = self.device.array(np.ones((2, 3, 3), "f4"))
        other = vkmatmul.Device(cache_dir="").array(ones)
        invalid = vkmatmul.InvalidError
        self.refused([
            (TypeError, "a is on a device and b is not; Device.array copies it there", lambda: a @ ones),
            (TypeError, "b is on a device and a is not; Device.array copies it there", lambda: ones @ a),
            (invalid, "C and A are the same memory", (a, b), {"out": a}),
            (invalid, "b is on another device than a", lambda: a @ other),
            (invalid, "device is another one than that of the arrays", (a, a), {"device": other.device}),
            (invalid, "shape is (-1,); extents must not be negative", lambda: self.device.empty(-1))])
        with self.assertRaisesRegex(invalid, "^out has neither rows nor columns of adjacent elements"):
            vkmatmul.matmul(batch, batch, out=self.device.array(np.ones((3, 3, 2), "f4")).T)
        with self.assertRaisesRegex(vkmatmul.UnsupportedError, r"^an operand needs a buffer of 4294967296\.0 MiB; "):
            self.device.empty((1 << 25, 1 << 25))
        with self.assertRaisesRegex(TypeError, "^data has dtype int64; supported are "):
            self.device.array(np.ones(3, "i8"))

    def test_lifetime(self):
        """An array keeps its device; a transpose keeps the memory."""
        array = vkmatmul.Device(cache_dir="").array(np.arange(6, dtype="f4").reshape(2, 3)).T
        self.same((array.T @ array).numpy(), np.array([[5, 14], [14, 50]], "f4"))


class Errors(Case):
    def test_sentences(self):
        a, b = np.ones((2, 3), "f4"), np.ones((3, 4), "f4")
        invalid = vkmatmul.InvalidError
        self.refused([
            (invalid, "incompatible shapes: A is 3×4, B is 2×3", (b, a), {}),
            (invalid, "incompatible shapes: A is 2×2×3, B is 3×3×4", (np.ones((2, 2, 3), "f4"), np.ones((3, 3, 4), "f4")), {}),
            (invalid, "A is a scalar; a matrix or a vector is needed", (np.float32(1), b), {}),
            (invalid, "out is 2×3; the product is 2×4", (a, b), {"out": a}),
            (invalid, "out is read-only", (a, b), {"out": np.broadcast_to(np.float32(0), (2, 4))}),
            (invalid, "beta is 2: out must have the matrix that is multiplied by it", (a, b, 1, 2), {}),
            (invalid, "activation is 'tanh'; use one of None, 'relu', 'gelu'", (a, b), {"activation": "tanh"}),
            (invalid, "compute is 'sixteen'; use one of f32, f64, i32, u32, f16, bf16, i8, u8, e4m3, e5m2 or a dtype", (a, b), {"compute": "sixteen"}),
            (invalid, "alpha is 'x'; a real number is needed", (a, b, "x"), {}),
            (invalid, "bias has shape (3,) and dtype float32; the product needs (4,) and float32", (a, b), {"bias": np.ones(3, "f4")}),
            (invalid, "bias has shape (4,) and dtype float64; the product needs (4,) and float32", (a, b), {"bias": np.ones(4)}),
            (invalid, "out has dtype float32, and out_type is f16", (a, b), {"out": np.ones((2, 4), "f4"), "out_type": "f16"}),
            (TypeError, "a has dtype float32 and b float64; both must be the same", (a, np.ones((3, 4))), {}),
            (TypeError, "out is a list; an array is needed", (a, b), {"out": [[0]]})])
        for more, sentence in [({"compute": "f64"}, "f64"), ({"out_type": "i32"}, "i32")]:
            with self.assertRaisesRegex(invalid, sentence):  # the library's own
                vkmatmul.matmul(a, b, **more)
        with self.assertRaisesRegex(invalid, "whole number"):
            vkmatmul.matmul(np.ones((2, 2), "i4"), np.ones((2, 2), "i4"), 0.5)
        with self.assertRaisesRegex(TypeError, "^data has dtype complex64; supported are "):
            vkmatmul.Device().array(a.astype("c8"))
        with self.assertRaisesRegex(TypeError, "^a has dtype uint16; supported are "):
            vkmatmul.matmul(a.astype("u2"), b.astype("u2"))

    def test_unsupported(self):
        a = np.full((2, 2), np.nan)
        self.same(vkmatmul.matmul(a, a), a @ a)
        if has_f64():
            return
        with self.assertRaisesRegex(vkmatmul.UnsupportedError, "cannot apply gelu: software f64") as caught:
            vkmatmul.matmul(a, a, activation="gelu")
        self.assertEqual(caught.exception.status, 4)

    def test_classes(self):
        """Each has its status, and survives pickle; Python's own classes catch it."""
        for name, status, also in [("InvalidError", 2, ValueError), ("NoDeviceError", 3, Exception),
                                   ("UnsupportedError", 4, Exception), ("OutOfMemoryError", 5, MemoryError),
                                   ("DeviceLostError", 6, Exception)]:
            kind = getattr(vkmatmul, name)
            self.assertTrue(issubclass(kind, (vkmatmul.Error,)) and issubclass(kind, also))
            with self.assertRaises(kind) as caught:
                _library.hear(None, 0, name.encode())
                _library.check(status)
            copy = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(copy), str(copy), copy.status), (kind, name, status))
        with self.assertRaises(vkmatmul.Error) as caught:
            _library.hear(None, 0, b"stopped")
            _library.check(7)
        self.assertEqual((type(caught.exception), caught.exception.status), (vkmatmul.Error, 7))
        for name in vkmatmul.__all__:
            self.assertEqual(getattr(getattr(vkmatmul, name), "__module__", "vkmatmul"), "vkmatmul", name)

    def test_devices(self):
        found = vkmatmul.devices()
        self.assertEqual([info.index for info in found], list(range(len(found))))
        info = found[0]
        self.assertTrue(info.name and info.driver and info.memory_bytes > 1 << 20)
        self.assertEqual(info.kind, "CPU")
        for which in None, 0, info, info.uuid, info.name, "cpu":
            self.assertEqual(vkmatmul.Device(which).info, info)
        self.assertEqual(repr(vkmatmul.Device()), "<vkmatmul.Device 0: %s>" % info.name)
        with self.assertRaisesRegex(vkmatmul.NoDeviceError, "nowhere") as caught:
            vkmatmul.matmul(np.ones((1, 1), "f4"), np.ones((1, 1), "f4"), device="nowhere")
        self.assertEqual(caught.exception.status, 3)

    def test_validation(self):
        """What stays on the device is synchronized."""
        try:
            device = vkmatmul.Device(validate=True)
        except vkmatmul.UnsupportedError as error:
            self.assertIn("VK_LAYER_KHRONOS_validation", str(error))
            return
        a = numbers(self.rng, (12, 12), most=2)
        x = device.array(a)
        self.same((x @ x @ x.T).numpy(), a @ a @ a.T)
        self.same(vkmatmul.matmul(a, a, device=device), a @ a)
        self.assertEqual(device.validation_messages, 0)

    def test_no_library(self):
        done = child("import vkmatmul\ntry: vkmatmul.devices()\nexcept vkmatmul.NoDeviceError as error: print(error)",
                     VKMATMUL_LIBRARY="/nowhere.so")
        self.assertRegex(done.stdout, r"^libvkmatmul 0\.\d+ cannot be loaded: /nowhere\.so: ", done.stderr)

    def test_fork(self):
        """A child is told why it cannot use what its parent opened; before that, it can."""
        done = child("""
import os, sys
import numpy, vkmatmul
a = numpy.ones((4, 4), "f4")
if os.fork() == 0:
    print(vkmatmul.matmul(a, a).sum(), flush=True)
    os._exit(0)
os.wait()
device = vkmatmul.Device()
there = device.array(a)
if os.fork() == 0:
    for use in (lambda: vkmatmul.matmul(a, a), lambda: there @ there, there.numpy, vkmatmul.devices):
        try:
            use()
        except vkmatmul.InvalidError as error:
            print(error)
    sys.exit(0)
print(os.wait()[1], vkmatmul.matmul(a, a, device=device).sum())
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), ["64.0"] + 4 * [
            "this process was forked after vkmatmul had opened Vulkan, whose drivers do not work then; start it by "
            "multiprocessing's method \"spawn\""] + ["0 64.0"])

    def test_warnings(self):
        """What the library warns of goes to the logger."""
        with self.assertLogs("vkmatmul", logging.INFO) as logs:
            _library.hear(None, 1, "the cache is damaged × 2".encode())
            _library.hear(None, 2, b"a remark")
        self.assertEqual(logs.output, ["WARNING:vkmatmul:the cache is damaged × 2", "INFO:vkmatmul:a remark"])

    def faulty(self, fault, code):
        layer = os.environ.get("VKMM_FAULT_LAYER")
        if not layer:
            self.skipTest("no layer that lets calls fail")
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            done = child("import numpy, vkmatmul\na = numpy.ones((4, 4), 'f4')\n" + code, VKMM_TEST_FAULT=fault, **cli.Case.layered(self, layer, "fault"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_lost_device(self):
        """The next product has a new device."""
        lines = self.faulty("vkQueueSubmit 1 -4", """
before = vkmatmul._device.device_of(None)
try:
    vkmatmul.matmul(a, a)
except vkmatmul.DeviceLostError as error:
    print(error.status, error)
print(vkmatmul.matmul(a, a).sum(), vkmatmul._device.device_of(None) is before)
""")
        self.assertRegex(lines[0], "^6 .*VK_ERROR_DEVICE_LOST")
        self.assertEqual(lines[1:], ["64.0 False"])

    def test_no_memory(self):
        lines = self.faulty("vkAllocateMemory 1..9 -2", """
try:
    vkmatmul.Device().array(a)
except MemoryError as error:
    print(error.status, type(error).__name__, error)
""")
        self.assertRegex(lines[0], "^5 OutOfMemoryError no device memory for an operand: ")


class Plans(Case):
    """What is multiplied where it lies: no device."""

    def plan(self, a, b, out=None, ta=False, tb=False, sparse=False):
        return _layout.plan(_product._form(a), _product._form(b), None if out is None else _product._form(out), ta, tb, sparse)

    def test_copies(self):
        a, b = np.ones((30, 40), "f4"), np.ones((40, 50), "f4")
        for left, right, out in [(a, b, None), (a.T.copy().T, b, None), (a, b.T.copy().T, None), (a[:10, 5:35], b[5:35, ::1], None),
                                 (a, b, np.ones((50, 30), "f4").T), (a[:1, ::2], b[::2], None)]:
            self.assertEqual(self.plan(left, right, out).copied, (False, False, False), (left.strides, right.strides))
        for left, right, out, copied in [
                (a[:, ::2], b[:20], None, (True, False, False)), (a[::-1], b, None, (True, False, False)),
                (a[:, :3], b[:3], None, (True, False, False)), (a[:, :1], b[:1], None, (True, False, False)), (a, b, np.ones((30, 100), "f4")[:, ::2], (False, False, True))]:
            self.assertEqual(self.plan(left, right, out).copied, copied)
        self.assertEqual(self.plan(a[:, :3], b[:3], sparse=True).copied, (False, False, False))

    def test_memory(self):
        """What the library must not be given is copied: an `out` that is an operand too, and elements that are not aligned."""
        a = np.ones((6, 6), "f4")
        for operand in a, a[1:], a.T:
            self.assertEqual(_product._form(a, (None, operand)).strides, (-1, -1))
        self.assertEqual(_product._form(a, (a.copy(), None)).strides, (6, 1))
        unaligned = np.zeros(17, "u1")[1:].view("f4").reshape(2, 2)
        self.assertEqual(_product._form(unaligned).strides, (-1, -1))
        self.assertTrue(_types.native(unaligned).flags.aligned)

    def test_batches(self):
        """One product where one is enough."""
        def plan(left, right):
            made = self.plan(np.ones(left, "f4"), np.ones(right, "f4"))
            return made.problem.m, made.problem.batch_count, len(made.offsets)
        self.assertEqual(plan((6, 5, 4), (4, 3)), (30, 0, 1))
        self.assertEqual(plan((2, 3, 5, 4), (4, 3)), (30, 0, 1))
        self.assertEqual(plan((6, 5, 4), (6, 4, 3)), (5, 6, 1))
        self.assertEqual(plan((2, 3, 5, 4), (2, 3, 4, 3)), (5, 6, 1))
        self.assertEqual(plan((5, 4), (6, 4, 3)), (5, 6, 1))
        self.assertEqual(plan((2, 1, 5, 4), (3, 4, 3)), (5, 3, 2))
        self.assertEqual(plan((1 << 16, 1 << 16, 0), (0, 1)), (1 << 16, 1 << 16, 1))


class Layouts(Case):
    def test_structs(self):
        """The fields and values that the C compiler finds in the headers."""
        program = os.environ["VKMM_PRINT_LAYOUT"]
        lines = [line.split() for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()]
        structs = {"vkmm_problem": _library.Problem, "vkmm_instance_params": _library.InstanceParams, "vkmm_device_info": _library.Info,
                   "vkmm_format_info": _library.Format, "vkmm_codes": _library.Codes}
        want, got = {}, {}
        for struct, kind in structs.items():
            for field, of in kind._fields_:
                name = "log." + field if field in ("write", "user") else field
                offset = getattr(kind, field).offset
                inner = [(f"{name}.{x}", getattr(of, x).offset) for x, _ in getattr(of, "_fields_", [])] or [(name, 0)]
                got.update({(struct, full): offset + at for full, at in inner})
        want = {(struct, field): int(value) for struct, field, value in (line for line in lines if len(line) == 3)
                if struct != "sizeof"}
        self.assertEqual(got, want)
        sizes = {field: int(value) for struct, field, value in (line for line in lines if len(line) == 3) if struct == "sizeof"}
        self.assertEqual(sizes, {"vkmm_problem": _library.ctypes.sizeof(_library.Problem),
                                 "vkmm_instance_params": _library.ctypes.sizeof(_library.InstanceParams),
                                 "vkmm_codes": _library.ctypes.sizeof(_library.Codes)})
        values = dict(line for line in lines if len(line) == 2)
        self.assertEqual(values.pop("version"), vkmatmul.__version__)
        names = {"VKMM_" + name.upper(): i for i, name in enumerate(_library.TYPES)}
        names.update({"VKMM_TYPE_COUNT": len(_library.TYPES), "VKMM_ACTIVATION_NONE": 0,
                      "VKMM_ACTIVATION_COUNT": len(_library.ACTIVATIONS), "VKMM_ROW_MAJOR": _library.ROW_MAJOR,
                      "VKMM_COL_MAJOR": _library.COL_MAJOR, "VKMM_OP_N": 0, "VKMM_OP_T": 1, "VKMM_C": _library.VKMM_C,
                      "VKMM_LOG_ERROR": 0, "VKMM_LOG_WARNING": 1, "VKMM_OK": 0})
        names.update({"VKMM_" + name.upper(): i for i, name in enumerate(_library.ACTIVATIONS) if i})
        names.update({"VKMM_COMPUTE_" + name.upper(): i for i, name in enumerate(_library.METHODS)})
        for name, kind in [("INVALID", "InvalidError"), ("NO_DEVICE", "NoDeviceError"), ("UNSUPPORTED", "UnsupportedError"),
                           ("OUT_OF_MEMORY", "OutOfMemoryError"), ("DEVICE_LOST", "DeviceLostError")]:
            names["VKMM_" + name] = getattr(vkmatmul, kind).status
        for i, name in enumerate(["INTEGRATED_GPU", "DISCRETE_GPU", "VIRTUAL_GPU", "CPU"], 1):
            names["VK_PHYSICAL_DEVICE_TYPE_" + name] = i
        self.assertEqual(names, {name: int(value) for name, value in values.items()})


class Package(Case):
    """Installed, and in a build folder."""
    CODE = "import numpy, vkmatmul\na = numpy.ones((3, 3), 'f4')\nprint(vkmatmul.__file__, vkmatmul.matmul(a, a).sum())"

    def test_pip(self):
        """pip install finds everything, and leaves nothing in the source tree; the library is found by its name, or in the
        package."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "python")
            shutil.copytree(ROOT / "python", source)
            before = sorted(source.iterdir())
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation",
                                   "--target", folder + "/site", str(source)], capture_output=True, text=True, timeout=GUARD)
            if done.returncode != 0 and ("No module named" in done.stderr or "requires" in done.stderr):
                self.skipTest("no pip or setuptools: " + done.stderr.splitlines()[-1])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(source.iterdir()), before)
            self.assertTrue(pathlib.Path(folder, "site/vkmatmul/py.typed").exists())
            self.assertTrue(pathlib.Path(folder, "site/vkmatmul-%s.dist-info" % vkmatmul.__version__).exists())
            env = dict(os.environ, PYTHONPATH=folder + "/site", VKMATMUL_LIBRARY="",
                       LD_LIBRARY_PATH=str(pathlib.Path(os.environ["VKMATMUL_LIBRARY"]).parent))
            done = subprocess.run([sys.executable, "-c", self.CODE], env=env, cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr), (folder + "/site/vkmatmul/__init__.py 27.0\n", ""))
            name = "libvkmatmul.so." + ".".join(vkmatmul.__version__.split(".")[:2])
            shutil.copy(os.environ["VKMATMUL_LIBRARY"], folder + "/site/vkmatmul/" + name)
            env["LD_LIBRARY_PATH"] = ""
            done = subprocess.run([sys.executable, "-c", self.CODE], env=env, cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr), (folder + "/site/vkmatmul/__init__.py 27.0\n", ""))

    def test_readme(self):
        """What python/README.md shows is what happens."""
        failed, tried = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False, encoding="utf-8")
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 9)

    def test_devenv(self):
        """meson devenv -C BUILD python3 finds the package and the library."""
        env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VKMATMUL_LIBRARY")}
        done = subprocess.run(["meson", "devenv", "-C", os.environ["VKMM_BUILD"], sys.executable, "-c", self.CODE], env=env,
                              capture_output=True, text=True, timeout=GUARD)
        self.assertEqual(done.stdout.splitlines()[-1:], ["%s 27.0" % (ROOT / "python/vkmatmul/__init__.py")], done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
