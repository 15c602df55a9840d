"""NumPy's dtypes and the library's types."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _dlpack
from ._library import TYPES, InvalidError

if TYPE_CHECKING:  # NumPy 1.19 lacks it
    import numpy.typing as npt

_NAMES = {np.dtype(code): name for code, name in (
    ("f4", "f32"), ("f8", "f64"), ("i4", "i32"), ("u4", "u32"), ("f2", "f16"), ("i1", "i8"), ("u1", "u8"))}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
BITS16 = np.dtype("u2")


# Types that NumPy lacks: their names in ml_dtypes, and the dtype that holds their bits without it.
_ML_TYPES = {"bf16": ("bfloat16", BITS16), "e4m3": ("float8_e4m3fn", np.dtype("u1")),
             "e5m2": ("float8_e5m2", np.dtype("u1"))}


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a library type. bf16, e4m3, e5m2: ml_dtypes' if it is installed, otherwise that of the bits."""
    if name not in _ML_TYPES:
        return _DTYPES[name]
    theirs, bits = _ML_TYPES[name]
    try:
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), theirs))
    except (ImportError, AttributeError):
        return bits


def holds(dtype: np.dtype[Any], name: Optional[str]) -> bool:
    """Whether dtype holds the bits of a type that NumPy lacks."""
    return name in _ML_TYPES and dtype == _ML_TYPES[name][1]


def name_of(what: Any, argument: str) -> str:
    """The library's name of a type: "f16", "float16", numpy.float16, …"""
    if isinstance(what, str) and what in TYPES[1:]:
        return what
    try:
        dtype = np.dtype(what)
    except TypeError:
        raise InvalidError(f"{argument} is {what!r}; use one of {', '.join(TYPES[1:])} or a dtype") from None
    return array_type(dtype, argument, None)


def marked(name: str) -> np.dtype[Any]:
    """dtype_of, which says its type even if it is the dtype of the bits."""
    dtype = dtype_of(name)
    return np.dtype(dtype.str, metadata={"vkmatmul": name}) if holds(dtype, name) else dtype


def _mark(dtype: np.dtype[Any]) -> Optional[str]:
    return str(dtype.metadata["vkmatmul"]) if dtype.metadata and "vkmatmul" in dtype.metadata else None


def says_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether it is not only that of the bits."""
    return dtype.name == "bfloat16" or _mark(dtype) == "bf16"


def host(array: Any) -> npt.NDArray[Any]:
    """An array of any library, as NumPy sees its memory: read-only where it has neither __array__ nor a buffer. If NumPy
    refuses bfloat16 or float8, their dtype is `marked`."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return np.asarray(array)
    try:
        return np.asarray(array) if hasattr(array, "__array__") else np.from_dlpack(array)
    except (TypeError, BufferError, RuntimeError):
        found = _dlpack.narrow(array)
        if found is None:
            raise
        name, memory = found
        return memory.view(marked(name))


def native(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Row-major, without gaps, aligned, and in the byte order of the machine: a copy, if the array is not."""
    return np.require(array, array.dtype.newbyteorder("="), ["C", "A"])


def array_type(dtype: np.dtype[Any], argument: str, given: Optional[str]) -> str:
    """The library's name of the type of an array; `given` says what uint16 or uint8 holds."""
    name = given if holds(dtype, given) else _mark(dtype)
    name = name or _NAMES.get(dtype) or _NAMES.get(dtype.newbyteorder("="))
    if name is None:  # a dtype takes long to say its name
        name = next((ours for ours, (theirs, _) in _ML_TYPES.items() if dtype.name == theirs), None)
    if name is None:
        raise TypeError(f"{argument} has dtype {dtype}; supported are float32, float64, float16, int32, uint32, int8, "
                        "uint8, bfloat16, float8_e4m3fn and float8_e5m2 (ml_dtypes), uint16 with type=\"bf16\", and "
                        "uint8 with type=\"e4m3\" or \"e5m2\"")
    if given is not None and name != given:
        raise TypeError(f"{argument} has dtype {dtype}, which is not type {given}")
    return name
