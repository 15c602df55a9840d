"""Matrix products on Vulkan devices, for NumPy arrays and for arrays that stay on a device.

    import numpy, vkmatmul
    a = numpy.random.rand(1000, 500).astype("f4")
    c = vkmatmul.matmul(a, a, transpose_b=True)

The package needs the library libvkmatmul of the same version: the wheel's own, an installed one, or the file that
VKMATMUL_LIBRARY names. Warnings of the library go to the logger "vkmatmul". All functions may be called by several
threads at once.
"""
from ._blocks import Blocks, quantize
from ._contract import matrix_transpose, tensordot, vecdot
from ._device import Device, DeviceArray, DeviceInfo, devices
from ._library import (VERSION as __version__, DeviceLostError, Error, InvalidError, NoDeviceError, OutOfMemoryError,
                       UnsupportedError)
from ._product import matmul

__all__ = ["Blocks", "Device", "DeviceArray", "DeviceInfo", "DeviceLostError", "Error", "InvalidError", "NoDeviceError",
           "OutOfMemoryError", "UnsupportedError", "__version__", "devices", "matmul", "matrix_transpose", "quantize",
           "tensordot", "vecdot"]

for _public in (Blocks, Device, DeviceArray, DeviceInfo, DeviceLostError, Error, InvalidError, NoDeviceError,
                OutOfMemoryError, UnsupportedError, devices, matmul, matrix_transpose, quantize, tensordot, vecdot):
    _public.__module__ = __name__  # as tracebacks and pickles name them
