"""Matrices in blocks of quantised elements, as GGUF files have them."""
from __future__ import annotations

import copy
import ctypes
import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union, cast

import numpy as np

from ._layout import Form, packed
from ._library import TYPES, Codes, InvalidError, library

if TYPE_CHECKING:  # NumPy 1.19 lacks numpy.typing
    import numpy.typing as npt

    from ._device import Device, DeviceArray


class _Format(NamedTuple):
    value: int  # of vkmm_format
    elements: int  # of a block
    bytes: int


@functools.lru_cache(maxsize=None)
def _formats() -> dict[str, _Format]:
    found, value = {}, 1
    while info := library().vkmm_format_at(value):
        found[info.contents.name.decode()] = _Format(value, info.contents.elements, info.contents.bytes)
        value += 1
    return found


def _format(name: str) -> _Format:
    if name not in _formats():
        raise InvalidError(f"format is {name!r}; use one of {', '.join(map(repr, _formats()))}")
    return _formats()[name]


def _row_bytes(name: str, length: int) -> int:
    kind = _format(name)
    if length % kind.elements != 0:
        raise InvalidError(f"a row has {length} elements; a block of {name} has {kind.elements}")
    return length // kind.elements * kind.bytes


def _norm(matrix: npt.NDArray[Any]) -> float:
    return math.sqrt(sum(float(row @ row) for row in (row.astype("f8") for row in matrix)))


class Blocks:
    """A matrix whose rows are blocks of quantised elements with their scales, in one of the formats of doc/weights.md:
    as they lie in GGUF files ("q4_K"), or made of separate arrays (Blocks.join). Weights (N, K), as a linear layer has
    them, are multiplied by matmul(x, w.T).

    format, shape: rows, and elements of a row. data: the bytes, an object with a buffer or an array of uint8, which is
    not copied. scale: the factor of all elements ("nvfp4" usually has one). error: of quantize, the root mean square of
    what it changed over that of the elements; None: not known."""
    __array_ufunc__ = None  # NumPy's operators leave it to the methods below

    def __init__(self, format: str, shape: tuple[int, int], data: Any, *, scale: float = 1) -> None:
        if len(shape) != 2 or min(shape) < 0:
            raise InvalidError(f"shape is {shape}; it has rows and elements of a row")
        rows, length = shape
        form = rows, _row_bytes(format, length)
        array = np.asarray(data) if hasattr(data, "__array__") else np.frombuffer(data, np.uint8)
        if array.dtype != np.uint8:
            raise TypeError(f"data has dtype {array.dtype}; uint8 is needed")
        if array.size != math.prod(form):
            raise InvalidError(f"data has {array.size} bytes; {rows}×{length} elements of {format} have {math.prod(form)}")
        self.format, self.scale = format, float(scale)
        self.error: Optional[float] = None
        self.data: Union[npt.NDArray[np.uint8], "DeviceArray"] = np.ascontiguousarray(array).reshape(form)
        self.form = packed((rows, length))
        self.turned = False  # blocks are columns

    @classmethod
    def join(cls, format: str, codes: npt.ArrayLike, scales: npt.ArrayLike, zeros: Optional[npt.ArrayLike] = None, *,
             scale: float = 1) -> "Blocks":
        """Quantised elements whose scales lie in an array of their own (GPTQ, AWQ, ONNX, safetensors), without loss.

        codes: (N, K), an element each, also of 4 bits: int8, uint8 or the bits of floats. scales: (N or fewer, groups
        of a row): float32 or float16, or uint8 for the bits of e8m0 ("mxfp4", "mxfp8_e4m3", "mxfp8_e5m2") and e4m3
        ("nvfp4"); with fewer rows, bands of N rows share them, whose number divides N: (1, 1) is one for all. zeros: as
        scales, uint8, of "q4_z" and "q8_z"; without them, the zero point of uint8 is 8 or 128. InvalidError: the
        format cannot hold them."""
        held, factors = np.ascontiguousarray(codes), np.ascontiguousarray(scales)
        points = None if zeros is None else np.ascontiguousarray(zeros)
        kinds = {np.dtype("f4"): "f32", np.dtype("f2"): "f16", np.dtype("u1"): "u8"}
        if held.dtype not in (np.int8, np.uint8) or factors.dtype not in kinds or (points is not None and points.dtype != np.uint8):
            raise TypeError(f"codes have dtype {held.dtype} and scales {factors.dtype}; int8 or uint8, and float32, float16 or "
                            "uint8 are needed, and uint8 for zeros")
        if held.ndim != 2 or factors.ndim != 2 or (points is not None and points.shape != factors.shape) or any(
                (of == 0) != (by == 0) or (by and of % by) for of, by in zip(held.shape, factors.shape)):
            raise InvalidError(f"codes have shape {held.shape}, scales {factors.shape}" + (
                "" if points is None else f" and zeros {points.shape}") + "; scales must divide codes")
        rows, length = held.shape
        data = np.empty((rows, _row_bytes(format, length)), np.uint8)
        floats = "fp" in format or points is not None or held.dtype == np.int8
        given = Codes(rows, length, held.ctypes.data, factors.ctypes.data, TYPES.index(kinds[factors.dtype]),
                      length // max(factors.shape[1], 1), rows // max(factors.shape[0], 1),
                      None if points is None else points.ctypes.data, 0 if floats else 8 if "4" in format else 128)
        if library().vkmm_blocks_join(_format(format).value, ctypes.byref(given), data.ctypes.data) != 0:
            raise InvalidError(library().vkmm_last_error().decode())
        return cls(format, (rows, length), data, scale=scale)

    @property
    def value(self) -> int:
        """The vkmm_format, for calls of the library."""
        return _format(self.format).value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form.shape

    @property
    def nbytes(self) -> int:
        return self.data.nbytes

    @property
    def T(self) -> "Blocks":
        """The transpose. Nothing is copied."""
        other = copy.copy(self)
        other.form, other.turned = Form(self.form.shape[::-1], self.form.strides[::-1]), not self.turned
        return other

    def to(self, device: "Device") -> "Blocks":
        """A copy on a device, for products with arrays that are there."""
        other = copy.copy(self)
        other.data = device.array(np.asarray(self.data))
        return other

    def dequantize(self) -> npt.NDArray[np.float32]:
        """The elements that products have, as float32."""
        host = np.asarray(self.data)
        elements = np.empty(self.shape[::-1] if self.turned else self.shape, np.float32)
        library().vkmm_blocks_decode(self.value, host.ctypes.data, elements.size, elements.ctypes.data)
        elements *= np.float32(self.scale)
        return elements.T if self.turned else elements

    def __matmul__(self, other: Any) -> Any:
        from ._product import matmul
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from ._product import matmul
        return matmul(other, self)

    def __repr__(self) -> str:
        return f"<vkmatmul.Blocks {'×'.join(map(str, self.shape))} {self.format}>"


def quantize(array: npt.ArrayLike, format: str) -> Blocks:
    """A matrix in blocks along its rows (Blocks): each element is the nearest that its block has. The rows are those of
    K in a product: weights (N, K), as a linear layer has them. "nvfp4" gets a scale, so that its largest element is
    the largest that the format has."""
    given = np.asarray(array)
    if given.ndim != 2 or not np.can_cast(given.dtype, np.float64, "same_kind"):
        raise InvalidError(f"array has shape {given.shape} and dtype {given.dtype}; a matrix of numbers is needed")
    data = np.empty((given.shape[0], _row_bytes(format, given.shape[1])), np.uint8)
    with np.errstate(all="ignore"):
        elements = np.ascontiguousarray(given, np.float32)
        scale = np.abs(elements).max(initial=0) / np.float32(6 * 448) if format == "nvfp4" else 0
        blocks = Blocks(format, cast("tuple[int, int]", given.shape), data, scale=float(scale) or 1)
        scaled = elements / np.float32(blocks.scale)
        library().vkmm_blocks_encode(blocks.value, scaled.ctypes.data, scaled.size, data.ctypes.data)
        blocks.error = _norm(blocks.dequantize() - elements) / (_norm(elements) or 1)
    if not math.isfinite(blocks.error):
        raise InvalidError(f"array has infinities, NaNs, or elements that are too large for {format}")
    return blocks
