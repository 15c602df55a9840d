"""Arrays of other libraries whose types NumPy lacks, by DLPack (dlpack.h 0.8 and newer)."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

if TYPE_CHECKING:  # NumPy 1.19 lacks it
    import numpy.typing as npt

# DLDataTypeCode and bits of the library's types that NumPy lacks.
_NARROW = {(4, 16): "bf16", (10, 8): "e4m3", (12, 8): "e5m2"}


class Tensor(ctypes.Structure):
    """DLTensor; strides in elements, NULL for a row-major array without gaps."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Memory:
    """What NumPy keeps while an array uses the memory: the capsule frees it."""

    def __init__(self, capsule: Any, interface: dict[str, Any]) -> None:
        self.capsule, self.__array_interface__ = capsule, interface


def narrow(array: Any) -> Optional[tuple[str, npt.NDArray[Any]]]:
    """The type and the bits of an array in the host's memory, where they lie; None if its type is another one."""
    if int(array.__dlpack_device__()[0]) not in (1, 3, 11):  # the processor's, pinned by CUDA, by ROCm
        return None
    capsule = array.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = Tensor.from_address(get(capsule, b"dltensor"))  # the first member of DLManagedTensor
    name = _NARROW.get((tensor.code, tensor.bits))
    if name is None or tensor.lanes != 1:
        return None
    size, ndim = tensor.bits // 8, tensor.ndim
    interface = {"version": 3, "typestr": np.dtype(f"u{size}").str, "shape": tuple(tensor.shape[:ndim]),
                 "strides": tuple(x * size for x in tensor.strides[:ndim]) if tensor.strides else None,
                 "data": ((tensor.data or 0) + tensor.byte_offset, False)}
    return name, np.asarray(_Memory(capsule, interface))
