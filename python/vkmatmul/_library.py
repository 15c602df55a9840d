"""libvkmatmul as ctypes sees it: its file, functions and structs, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import logging
import os
import sys
import threading
from typing import Any, Optional, Type

VERSION = "0.2.0"

_logger = logging.getLogger("vkmatmul")


class Error(Exception):
    """A failure, with the library's sentence. `status` is the vkmm_status."""
    status = 1

    def __init__(self, sentence: str, status: Optional[int] = None) -> None:
        super().__init__(sentence)
        if status is not None:
            self.status = status


class InvalidError(Error, ValueError):
    """A bad argument."""
    status = 2


class NoDeviceError(Error):
    """No Vulkan loader, no driver, or no device that matches; or no libvkmatmul."""
    status = 3


class UnsupportedError(Error):
    """The device cannot do this: a limit, a missing feature."""
    status = 4


class OutOfMemoryError(Error, MemoryError):
    """Memory of the host or of the device."""
    status = 5


class DeviceLostError(Error):
    """The device stopped answering. Drop it and its arrays, and create another one."""
    status = 6


_ERRORS: dict[int, Type[Error]] = {
    kind.status: kind for kind in (InvalidError, NoDeviceError, UnsupportedError, OutOfMemoryError, DeviceLostError)}

# The names of vkmm_type, VKMM_AUTO first, and of vkmm_activation.
TYPES = ["auto", "f32", "f64", "i32", "u32", "f16", "bf16", "i8", "u8", "e4m3", "e5m2"]
ACTIVATIONS = ["none", "relu", "gelu"]
METHODS = ["direct", "split", "modular", "reproducible"]
ROW_MAJOR, COL_MAJOR = 0, 1
VKMM_C = 2


class Problem(ctypes.Structure):
    """vkmm_problem."""
    _fields_ = [(name, kind) for names, kind in (
        ("m n k", ctypes.c_uint64),
        ("type layout op_a op_b", ctypes.c_int),
        ("lda ldb ldc offset_a offset_b offset_c batch_count stride_a stride_b stride_c", ctypes.c_uint64),
        ("alpha beta", ctypes.c_double),
        ("out_type compute activation has_bias method format_a format_b", ctypes.c_int),
        ("reserved", ctypes.c_uint64 * 3)) for name in names.split()]


_LOG_WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)


class InstanceParams(ctypes.Structure):
    """vkmm_instance_params; its vkmm_log is `write` and `user`."""
    _fields_ = [("write", _LOG_WRITE), ("user", ctypes.c_void_p), ("validate", ctypes.c_int),
                ("cache_dir", ctypes.c_char_p)]


class Driver(ctypes.Structure):
    """vkmm_device_driver."""
    _fields_ = [("name", ctypes.c_char * 256), ("info", ctypes.c_char * 256), ("uuid", ctypes.c_uint8 * 16),
                ("id", ctypes.c_uint32), ("version", ctypes.c_uint32), ("api_version", ctypes.c_uint32)]


class Memory(ctypes.Structure):
    """The beginning of vkmm_device_memory."""
    _fields_ = [("device_heap_bytes", ctypes.c_uint64)]


class Info(ctypes.Structure):
    """The beginning of vkmm_device_info. Only the library creates one."""
    _fields_ = [("index", ctypes.c_uint32), ("name", ctypes.c_char * 256), ("uuid", ctypes.c_uint8 * 16),
                ("vendor_id", ctypes.c_uint32), ("device_id", ctypes.c_uint32), ("type", ctypes.c_int),
                ("processors", ctypes.c_uint32), ("has_pci", ctypes.c_int), ("pci", ctypes.c_uint32 * 4),
                ("driver", Driver), ("memory", Memory)]


class Format(ctypes.Structure):
    """vkmm_format_info."""
    _fields_ = [("name", ctypes.c_char_p), ("elements", ctypes.c_uint32), ("bytes", ctypes.c_uint32)]


class Codes(ctypes.Structure):
    """vkmm_codes."""
    _fields_ = [("rows", ctypes.c_uint64), ("k", ctypes.c_uint64), ("codes", ctypes.c_void_p),
                ("scales", ctypes.c_void_p), ("scale_type", ctypes.c_int), ("group", ctypes.c_uint64),
                ("band", ctypes.c_uint64), ("zeros", ctypes.c_void_p), ("zero", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32 * 3)]


_POINTER = ctypes.c_void_p
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "vkmm_version": (ctypes.c_char_p, []),
    "vkmm_status_name": (ctypes.c_char_p, [ctypes.c_int]),
    "vkmm_operand_type": (ctypes.c_int, [_POINTER, ctypes.c_int]),
    "vkmm_format_at": (ctypes.POINTER(Format), [ctypes.c_uint32]),
    "vkmm_blocks_encode": (None, [ctypes.c_int, _POINTER, ctypes.c_uint64, _POINTER]),
    "vkmm_blocks_decode": (None, [ctypes.c_int, _POINTER, ctypes.c_uint64, _POINTER]),
    "vkmm_blocks_join": (ctypes.c_int, [ctypes.c_int, _POINTER, _POINTER]),
    "vkmm_last_error": (ctypes.c_char_p, []),
    "vkmm_instance_create_sized": (ctypes.c_int, [_POINTER, ctypes.c_size_t, _POINTER]),
    "vkmm_instance_destroy": (None, [_POINTER]),
    "vkmm_instance_validation_messages": (ctypes.c_uint32, [_POINTER]),
    "vkmm_instance_device_count": (ctypes.c_uint32, [_POINTER]),
    "vkmm_instance_device_info": (ctypes.POINTER(Info), [_POINTER, ctypes.c_uint32]),
    "vkmm_instance_find_device": (ctypes.c_int, [_POINTER, ctypes.c_char_p, _POINTER]),
    "vkmm_device_create": (ctypes.c_int, [_POINTER, ctypes.c_uint32, _POINTER]),
    "vkmm_device_destroy": (None, [_POINTER]),
    "vkmm_multiply": (ctypes.c_int, [_POINTER] * 6),
    "vkmm_memory_create": (ctypes.c_int, [_POINTER, ctypes.c_uint64, _POINTER]),
    "vkmm_memory_destroy": (None, [_POINTER]),
    "vkmm_memory_write": (ctypes.c_int, [_POINTER, ctypes.c_uint64, ctypes.c_uint64, _POINTER]),
    "vkmm_memory_read": (ctypes.c_int, [_POINTER, ctypes.c_uint64, ctypes.c_uint64, _POINTER]),
    "vkmm_memory_multiply": (ctypes.c_int, [_POINTER] * 6),
}

_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def _load() -> ctypes.CDLL:
    soversion = ".".join(VERSION.split(".")[:2])
    name = "vkmatmul.dll" if sys.platform == "win32" else "libvkmatmul.so." + soversion
    inside = os.path.join(os.path.dirname(__file__), name)  # as in the wheel of `scripts/package wheel`
    name = os.environ.get("VKMATMUL_LIBRARY") or (inside if os.path.exists(inside) else name)
    try:
        found = ctypes.CDLL(name)
        for function, (result, arguments) in _FUNCTIONS.items():
            entry = getattr(found, function)
            entry.restype, entry.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise NoDeviceError(f"libvkmatmul {soversion} cannot be loaded: {error}") from None
    version = found.vkmm_version().decode()
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise NoDeviceError(f"{name} has version {version}; the Python package needs {soversion}")
    return found


def library() -> ctypes.CDLL:
    """The library, loaded by the first call."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


# The last error that each thread's calls reported, and that of any thread: the library may report from its own threads.
_told = threading.local()
_told_last = ""


def _hear(user: Any, level: int, sentence: bytes) -> None:
    """The vkmm_log of every instance: errors become exceptions, the rest goes to the logger."""
    global _told_last
    text = sentence.decode("utf-8", "replace")
    if level == 0:
        _told.sentence = _told_last = text
    else:
        _logger.log(logging.WARNING if level == 1 else logging.INFO, "%s", text)


hear = _LOG_WRITE(_hear)


def check(status: int) -> None:
    """Raises the exception of a status other than VKMM_OK."""
    if status == 0:
        return
    sentence = getattr(_told, "sentence", "") or _told_last or library().vkmm_status_name(status).decode()
    _told.sentence = ""
    raise _ERRORS.get(status, Error)(sentence, status)
