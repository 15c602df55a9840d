"""Devices, and arrays that stay on them."""
from __future__ import annotations

import ctypes
import os
import threading
import uuid
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from . import _library, _types
from ._layout import Form, packed, spanned
from ._library import InvalidError, check, library

if TYPE_CHECKING:  # NumPy 1.19 lacks it
    import numpy.typing as npt

_KINDS = ["other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"]
_lock = threading.RLock()


def _finalize(owner: object, destroy: Callable[[Any], None], handle: ctypes.c_void_p) -> None:
    """Destroys a handle with its owner; at the exit of the process, in reverse order of creation. After a fork, the
    child leaves the parent's alone."""
    def end(process: int = os.getpid()) -> None:
        if process == os.getpid():
            destroy(ctypes.byref(handle))
    weakref.finalize(owner, end)


class _Instance:
    """The library with its log. Kept as long as the process, and shared by its devices."""

    def __init__(self, validate: bool, cache_dir: Optional[str]) -> None:
        self.handle = ctypes.c_void_p()
        folder = None if cache_dir is None else os.fsencode(cache_dir)
        params = _library.InstanceParams(write=_library.hear, validate=validate, cache_dir=folder)
        check(library().vkmm_instance_create_sized(ctypes.byref(params), ctypes.sizeof(params), ctypes.byref(self.handle)))
        _finalize(self, library().vkmm_instance_destroy, self.handle)

    def info(self, index: int) -> "DeviceInfo":
        info = library().vkmm_instance_device_info(self.handle, index).contents
        return DeviceInfo(index=index, name=info.name.decode("utf-8", "replace"),
                          driver=f"{info.driver.name.decode()} {info.driver.info.decode()}".strip(),
                          uuid=str(uuid.UUID(bytes=bytes(info.uuid))),
                          kind=_KINDS[info.type] if info.type < len(_KINDS) else "other",
                          memory_bytes=info.memory.device_heap_bytes)


_instances: dict[tuple[bool, Optional[str]], _Instance] = {}
_user = 0  # the process that has them; 0: none


def _check_process() -> None:
    """The threads of Vulkan's drivers do not exist after a fork: they would be waited for."""
    if _user not in (0, os.getpid()):
        raise InvalidError("this process was forked after vkmatmul had opened Vulkan, whose drivers do not work then; "
                           "start it by multiprocessing's method \"spawn\"")


def _instance(validate: bool = False, cache_dir: Optional[str] = None) -> _Instance:
    global _user
    _check_process()
    with _lock:
        _user = os.getpid()
        if (validate, cache_dir) not in _instances:
            _instances[validate, cache_dir] = _Instance(validate, cache_dir)
        return _instances[validate, cache_dir]


@dataclass(frozen=True)
class DeviceInfo:
    """What a device is."""
    index: int  # in the loader's order
    name: str
    driver: str
    uuid: str
    kind: str  # "discrete GPU", "integrated GPU", "virtual GPU", "CPU" or "other"
    memory_bytes: int  # of the largest heap of device memory


def devices() -> list[DeviceInfo]:
    """All usable devices, in the loader's order. Raises NoDeviceError if there is no Vulkan loader."""
    instance = _instance()
    return [instance.info(i) for i in range(library().vkmm_instance_device_count(instance.handle))]


class Device:
    """A device that multiplies.

    which: None (the first discrete GPU, else integrated, virtual, CPU), an index, a UUID, part of a device or driver
    name, a kind ("gpu", "cpu") or vendor ("nvidia"), or a DeviceInfo. validate: with Vulkan's validation layer, whose
    reports go to the logger "vkmatmul". cache_dir: where compiled pipelines and tuning results are kept; None: the
    user's cache folder; "": nowhere.

    A device may be shared by threads, but not by processes: a process that is forked afterwards cannot use any. It is
    released when nothing refers to it any more."""

    def __init__(self, which: Union[None, int, str, DeviceInfo] = None, *, validate: bool = False,
                 cache_dir: Optional[str] = None) -> None:
        self._instance = _instance(validate, cache_dir)
        what = which.uuid if isinstance(which, DeviceInfo) else "" if which is None else str(which)
        index = ctypes.c_uint32()
        check(library().vkmm_instance_find_device(self._instance.handle, what.encode(), ctypes.byref(index)))
        self.info = self._instance.info(index.value)
        handle = ctypes.c_void_p()
        check(library().vkmm_device_create(self._instance.handle, index, ctypes.byref(handle)))
        self._handle = handle
        _finalize(self, library().vkmm_device_destroy, handle)

    @property
    def handle(self) -> ctypes.c_void_p:
        """The vkmm_device, for calls of the library."""
        _check_process()
        return self._handle

    @property
    def validation_messages(self) -> int:
        """How many warnings and errors the validation layer has reported, of all devices with `validate`; else 0."""
        return int(library().vkmm_instance_validation_messages(self._instance.handle))

    def __repr__(self) -> str:
        return f"<vkmatmul.Device {self.info.index}: {self.info.name}>"

    def array(self, data: npt.ArrayLike, *, type: Optional[str] = None) -> "DeviceArray":
        """Copies an array to the device. type="bf16": its uint16 are the bits of bf16; "e4m3", "e5m2": its uint8."""
        source = _types.host(data)
        name = _types.array_type(source.dtype, "data", type)
        turned = source.flags.f_contiguous and not source.flags.c_contiguous
        array = self.empty(source.shape[::-1], name).T if turned else self.empty(source.shape, name)
        array.write(source)
        return array

    def empty(self, shape: Union[int, tuple[int, ...]], dtype: Any = "f32") -> "DeviceArray":
        """An array with undefined elements. dtype: one of NumPy's, or a type of the library ("bf16")."""
        extents = tuple(int(x) for x in (shape if isinstance(shape, tuple) else (shape,)))
        if any(extent < 0 for extent in extents):
            raise InvalidError(f"shape is {extents}; extents must not be negative")
        return DeviceArray(self, None, _types.name_of(dtype, "dtype"), packed(extents))


class _Memory:
    """A vkmm_memory, shared by an array and its transposes."""

    def __init__(self, device: Device, count: int) -> None:
        self.handle = ctypes.c_void_p()
        self.device = device  # which must outlive it
        check(library().vkmm_memory_create(device.handle, count, ctypes.byref(self.handle)))
        _finalize(self, library().vkmm_memory_destroy, self.handle)


class DeviceArray:
    """An array in a device's memory; made by Device.array, Device.empty, and by matmul from other such arrays.

    Several threads may read an array at once; while one writes it (also as `out` of a product), no other may use it."""
    __array_ufunc__ = None  # NumPy's operators leave it to the methods below, rather than copy it to the host

    def __init__(self, device: Device, memory: Optional[_Memory], type: str, form: Form) -> None:
        self.device, self.type, self.form = device, type, form
        self.shape = form.shape
        self.dtype = _types.dtype_of(type)
        self._memory = memory or _Memory(device, self.nbytes)

    @property
    def memory(self) -> ctypes.c_void_p:
        """The vkmm_memory, for calls of the library."""
        return self._memory.handle

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes, as NumPy has them."""
        return tuple(stride * self.dtype.itemsize for stride in self.form.strides)

    @property
    def T(self) -> "DeviceArray":
        """The same elements with the dimensions in reverse order. Nothing is copied."""
        turned = Form(self.shape[::-1], self.form.strides[::-1])
        return DeviceArray(self.device, self._memory, self.type, turned)

    @property
    def mT(self) -> "DeviceArray":
        """The same elements with the last two dimensions exchanged. Nothing is copied."""
        if self.ndim < 2:
            raise InvalidError(f"the array has {self.ndim} dimensions; a matrix has at least 2")
        shape, strides = ((*x[:-2], x[-1], x[-2]) for x in self.form)
        return DeviceArray(self.device, self._memory, self.type, Form(shape, strides))

    def write(self, data: npt.ArrayLike) -> None:
        """Replaces all elements by those of an array of the host with the same shape and dtype."""
        source = _types.host(data)
        name = _types.array_type(source.dtype, "data", self.type if _types.holds(source.dtype, self.type) else None)
        if (source.shape, name) != (self.shape, self.type):
            raise InvalidError(f"data has shape {source.shape} and type {name}; "
                               f"the array has {self.shape} and {self.type}")
        source = _types.native(source.transpose(sorted(range(self.ndim), key=lambda i: -self.form.strides[i])))
        self.device.handle  # not another process's
        check(library().vkmm_memory_write(self.memory, 0, source.nbytes, source.ctypes.data))

    def numpy(self) -> npt.NDArray[Any]:
        """A copy in host memory, with the same strides."""
        host = np.empty(spanned(self.form), self.dtype)
        self.device.handle  # not another process's
        check(library().vkmm_memory_read(self.memory, 0, host.nbytes, host.ctypes.data))
        return np.ndarray(self.shape, self.dtype, host, 0, self.strides)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be used without a copy")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __matmul__(self, other: Any) -> Any:
        from ._product import matmul
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from ._product import matmul
        return matmul(other, self)

    def __repr__(self) -> str:
        return f"<vkmatmul.DeviceArray {'×'.join(map(str, self.shape))} {self.type} on {self.device.info.name}>"


_default: dict[str, Device] = {}


def device_of(which: Union[None, int, str, DeviceInfo, Device]) -> Device:
    """A device, or one that is kept for all calls that name it alike."""
    if isinstance(which, Device):
        return which
    key = which.uuid if isinstance(which, DeviceInfo) else str(which)
    if key not in _default:
        _check_process()  # whose parent may have been forked while another thread had the lock
        with _lock:
            if key not in _default:
                _default[key] = Device(which)
    return _default[key]


def forget(device: Device) -> None:
    """Drops a lost device from those that are kept."""
    with _lock:
        for key in [key for key, kept in _default.items() if kept is device]:
            del _default[key]
