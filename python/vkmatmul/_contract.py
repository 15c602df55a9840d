"""Products of the Python array API standard (2024.12) beside matmul."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _types
from ._blocks import Blocks
from ._device import Device, DeviceArray, DeviceInfo
from ._library import InvalidError
from ._product import as_kind_of, matmul

Where = Union[None, int, str, DeviceInfo, Device]


def _host(array: Any, name: str) -> Any:
    if isinstance(array, (DeviceArray, Blocks)):
        raise TypeError(f"{name} is a {array.__class__.__name__}; an array of the host is needed")
    return _types.host(array)


def matrix_transpose(x: Any, /) -> Any:
    """x with its last two dimensions exchanged. Nothing is copied."""
    if isinstance(x, Blocks):
        return x.T
    if not hasattr(x, "ndim"):
        x = np.asarray(x)
    if x.ndim < 2:
        raise InvalidError(f"x has {x.ndim} dimension{'s' * (x.ndim != 1)}; a matrix has at least 2")
    return x.mT if hasattr(x, "mT") else x.swapaxes(-1, -2)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, type: Optional[str] = None, device: Where = None) -> Any:
    """The sums of conj(x1)·x2 along a dimension, which both have; the others are broadcast.

    axis: counted from the last dimension, which is -1. Types and kinds of arrays are those of matmul, as are `type` and
    `device`; arrays that stay on a device are not taken."""
    a, b = _host(x1, "x1"), _host(x2, "x2")
    least = -min(a.ndim, b.ndim)
    if least == 0:
        raise InvalidError("x1 or x2 is a scalar; vectors are needed")
    if not least <= axis <= -1:
        raise InvalidError(f"axis is {axis}; use {least} to -1, for x1 with {a.ndim} dimensions and x2 with {b.ndim}")
    if a.shape[axis] != b.shape[axis]:
        raise InvalidError(f"x1 has {a.shape[axis]} elements along axis {axis}, x2 has {b.shape[axis]}")
    left, right = np.moveaxis(a.conj() if a.dtype.kind == "c" else a, axis, -1), np.moveaxis(b, axis, -1)
    c = matmul(left[..., None, :], right[..., None], type=type, device=device)
    return as_kind_of(x1, c[..., 0, 0])


def _axes(given: Any, ndim: int, name: str) -> list[int]:
    """Dimensions of an array, each from 0 on."""
    axes = [int(x) for x in given]
    if any(not -ndim <= x < ndim for x in axes) or len({x % ndim for x in axes}) < len(axes):
        raise InvalidError(f"axes of {name} are {tuple(axes)}; use different ones of its {ndim} dimensions")
    return [x % ndim for x in axes]


def tensordot(x1: Any, x2: Any, /, *, axes: Union[int, tuple[Sequence[int], Sequence[int]]] = 2,
              type: Optional[str] = None, device: Where = None) -> Any:
    """The sums of x1·x2 over several dimensions; the result has the others, those of x1 first.

    axes: how many of the last dimensions of x1 and of the first ones of x2, or which of x1 and which of x2. Arrays and
    keywords as of vecdot. Nothing is conjugated."""
    a, b = _host(x1, "x1"), _host(x2, "x2")
    if isinstance(axes, (tuple, list)) and len(axes) == 2:
        first, second = _axes(axes[0], a.ndim, "x1"), _axes(axes[1], b.ndim, "x2")
    elif isinstance(axes, (int, np.integer)) and 0 <= axes <= min(a.ndim, b.ndim):
        first, second = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        raise InvalidError(f"axes is {axes!r}; use 0 to {min(a.ndim, b.ndim)}, or two sequences of dimensions")
    summed, others = tuple(a.shape[x] for x in first), tuple(b.shape[x] for x in second)
    if summed != others:
        raise InvalidError(f"x1 has {summed} elements along axes {tuple(first)}, x2 has {others} along {tuple(second)}")
    kept_a, kept_b = [x for x in range(a.ndim) if x not in first], [x for x in range(b.ndim) if x not in second]
    shape = [a.shape[x] for x in kept_a] + [b.shape[x] for x in kept_b]
    k = math.prod(summed)
    left = a.transpose(kept_a + first).reshape(math.prod(shape[:len(kept_a)]), k)
    right = b.transpose(second + kept_b).reshape(k, math.prod(shape[len(kept_a):]))
    return as_kind_of(x1, matmul(left, right, type=type, device=device).reshape(shape))
