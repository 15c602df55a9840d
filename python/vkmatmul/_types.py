"""NumPy's dtypes and the library's types."""
from __future__ import annotations

import importlib
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._library import TYPES, InvalidError

_NAMES = {np.dtype(code): name for code, name in (
    ("f4", "f32"), ("f8", "f64"), ("i4", "i32"), ("u4", "u32"), ("f2", "f16"), ("i1", "i8"), ("u1", "u8"))}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
BITS16 = np.dtype("u2")


def _bfloat16() -> np.dtype[Any]:
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        return BITS16


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a library type. bf16: ml_dtypes' if it is installed, otherwise uint16, which holds the bits."""
    return _bfloat16() if name == "bf16" else _DTYPES[name]


def name_of(what: Any, argument: str) -> str:
    """The library's name of a type: "f16", "float16", numpy.float16, …"""
    if isinstance(what, str) and what in TYPES[1:]:
        return what
    try:
        dtype = np.dtype(what)
    except TypeError:
        raise InvalidError(f"{argument} is {what!r}; use one of {', '.join(TYPES[1:])} or a dtype") from None
    return array_type(dtype, argument, None)


def native(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Row-major, without gaps, aligned, and in the byte order of the machine: a copy, if the array is not."""
    return np.require(array, array.dtype.newbyteorder("="), ["C", "A"])


def array_type(dtype: np.dtype[Any], argument: str, given: Optional[str]) -> str:
    """The library's name of the type of an array; `given` says that uint16 holds bf16."""
    name = _NAMES.get(dtype) or _NAMES.get(dtype.newbyteorder("="))
    if name is None and (dtype.name == "bfloat16" or dtype == BITS16 and given == "bf16"):
        name = "bf16"
    if name is None:
        raise TypeError(f"{argument} has dtype {dtype}; supported are float32, float64, float16, int32, uint32, int8, "
                        "uint8, bfloat16 (ml_dtypes), and uint16 with type=\"bf16\"")
    if given is not None and name != given:
        raise TypeError(f"{argument} has dtype {dtype}, which is not type {given}")
    return name
