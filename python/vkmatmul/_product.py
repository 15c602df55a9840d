"""matmul."""
from __future__ import annotations

import ctypes
import functools
import sys
from typing import TYPE_CHECKING, Any, Optional, Union, cast

import numpy as np

from . import _layout, _types
from ._blocks import Blocks
from ._device import Device, DeviceArray, DeviceInfo, device_of, forget
from ._layout import Form, Plan, packed
from ._library import ACTIVATIONS, METHODS, TYPES, VKMM_C, DeviceLostError, InvalidError, Problem, check, library

if TYPE_CHECKING:  # NumPy 1.19 lacks it
    import numpy.typing as npt

Array = Union["npt.NDArray[Any]", DeviceArray]


@functools.lru_cache(maxsize=1024)
def _plan(a: Form, b: Form, c: Optional[Form], transposes: tuple[bool, bool], sparse: bool,
          words: tuple[str, str, str, str, bool, str], formats: tuple[int, int]) -> tuple[Plan, str]:
    """The plan of a product and the type of its result."""
    plan = _layout.plan(a, b, c, *transposes, sparse)
    of, out, compute, activation, plan.problem.has_bias, method = words
    plan.problem.type, plan.problem.out_type, plan.problem.compute = map(TYPES.index, (of, out, compute))
    plan.problem.method = METHODS.index(method)
    if activation not in ACTIVATIONS:
        raise InvalidError(f"activation is {activation!r}; use one of None, {', '.join(map(repr, ACTIVATIONS[1:]))}")
    plan.problem.activation = ACTIVATIONS.index(activation)
    plan.problem.format_a, plan.problem.format_b = formats
    if formats[0]:  # neighbours along K, also where only one row or column says nothing
        plan.problem.op_a, plan.problem.lda = plan.problem.layout, plan.problem.k
    if formats[1]:
        plan.problem.op_b, plan.problem.ldb = 1 - plan.problem.layout, plan.problem.k
    result = TYPES[library().vkmm_operand_type(ctypes.byref(plan.problem), VKMM_C)]
    return plan, of if result == "auto" else result  # for an invalid problem, which the library will refuse


def _held(operand: Any) -> Any:
    """The array that has the operand's bytes."""
    return operand.data if isinstance(operand, Blocks) else operand


def _blocks(operand: Any, name: str, is_turned: bool) -> tuple[int, float]:
    """The vkmm_format of an operand, and the factor of its elements. is_turned: its columns must be blocks."""
    if not isinstance(operand, Blocks):
        return 0, 1
    if operand.turned != is_turned:
        raise InvalidError(f"{name} has blocks of {operand.format} along {'N' if name == 'b' else 'M'}; a product needs "
                           f"them along K: use {name}.T")
    return operand.value, operand.scale


def _form(array: Union[Array, Blocks], others: tuple[Any, ...] = ()) -> Form:
    """With strides that fit no layout if NumPy must copy the array in any case. Those that share its memory matter if
    it is `out`."""
    if isinstance(array, (DeviceArray, Blocks)):
        return array.form
    size = array.itemsize
    if (not array.flags.aligned or not array.dtype.isnative or any([stride % size for stride in array.strides])
            or any([x is not None and np.may_share_memory(array, x) for x in others])):
        return Form(array.shape, (-1,) * array.ndim)
    return Form(array.shape, tuple([stride // size for stride in array.strides]))


def _scalar(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidError(f"{name} is {value!r}; a real number is needed") from None


def _check_places(arrays: dict[str, Any]) -> Optional[Device]:
    """Either all are on one device, which is returned, or none is."""
    held = {name: _held(x) for name, x in arrays.items()}
    there = {name: x for name, x in held.items() if isinstance(x, DeviceArray)}
    if not there:
        return None
    first = next(iter(there))
    for name, array in held.items():
        if array is None:
            continue
        if name not in there:
            how = "Blocks.to" if isinstance(arrays[name], Blocks) else "Device.array"
            raise TypeError(f"{first} is on a device and {name} is not; {how} copies it there")
        if array.device is not there[first].device:
            raise InvalidError(f"{name} is on another device than {first}")
    return there[first].device


def _type(array: Array, name: str, given: Optional[str] = "bf16") -> str:
    if isinstance(array, DeviceArray):
        return array.type
    return _types.array_type(array.dtype, name, given if _types.holds(array.dtype, given) else None)


def as_kind_of(operand: Any, result: Any) -> Any:
    """NumPy's result as an array of the library that the operand is from (PyTorch, JAX), if that takes it by DLPack."""
    if isinstance(operand, np.ndarray) or not hasattr(operand, "__dlpack__"):
        return result if result.shape else result[()]
    module = operand.__class__.__module__.partition(".")[0]
    namespace = operand.__array_namespace__() if hasattr(operand, "__array_namespace__") else sys.modules[module]
    if not hasattr(namespace, "from_dlpack"):
        return result
    if _types.says_bfloat16(result.dtype) and hasattr(namespace, "bfloat16"):  # which NumPy does not export
        return namespace.from_dlpack(result.view("i2")).view(namespace.bfloat16)
    return namespace.from_dlpack(result)


def _parts(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A complex array with a last dimension of two, the real and the imaginary part. Nothing is copied."""
    real = array.real
    return np.lib.stride_tricks.as_strided(real, (*real.shape, 2), (*real.strides, real.itemsize))


def _multiply_complex(a: Any, b: Any, out: Any, bias: Any, turned: tuple[bool, bool],
                      options: dict[str, Any]) -> npt.NDArray[Any]:
    """One real product, [Re a, Im a] times [[Re b, Im b], [-Im b, Re b]]: elements have their parts side by side."""
    dtype = a.dtype.newbyteorder("=")
    for name, array in ("b", b), ("out", out), ("bias", bias):
        if array is not None and array.dtype.newbyteorder("=") != dtype:
            raise TypeError(f"a has dtype {a.dtype} and {name} {array.dtype}; both must be the same")
    for name in "activation", "out_type", "type":
        if options[name] is not None:
            raise InvalidError(f"{name} is {options[name]!r}; complex products have none")
    plan = _layout.plan(packed(a.shape), packed(b.shape), None if out is None else packed(out.shape), *turned, False)
    k, n = int(plan.problem.k), int(plan.problem.n)
    if bias is not None and bias.shape != (n,):
        raise InvalidError(f"bias has shape {bias.shape}; the product needs ({n},)")
    if out is not None and not out.flags.writeable:
        raise InvalidError("out is read-only")
    shape = (*plan.shape, 2) if b.ndim == 1 else (*plan.shape[:-1], 2 * n)
    a = a.swapaxes(-1, -2) if turned[0] and a.ndim > 1 else a
    b = b[:, None] if b.ndim == 1 else b.swapaxes(-1, -2) if turned[1] else b
    wide = np.empty((*b.shape[:-2], k, 2, n, 2), b.real.dtype)
    wide[..., 0, :, 0], wide[..., 0, :, 1], wide[..., 1, :, 0], wide[..., 1, :, 1] = b.real, b.imag, -b.imag, b.real
    c = matmul(_parts(a).reshape(*a.shape[:-1], 2 * k), wide.reshape(*b.shape[:-2], 2 * k, 2 * n),
               out=None if out is None else np.array(_parts(out)).reshape(shape),
               bias=None if bias is None else _parts(bias).reshape(2 * n), **options)
    result: npt.NDArray[Any] = c.view(dtype).reshape(plan.shape)
    if out is not None:
        out[...] = result
    return result


def _run(device: Device, plan: Plan, alpha: float, beta: float, places: list[Any], there: bool, size_in: int,
         size_out: int) -> None:
    """Every product of the plan. places: of A, B, the bias and C."""
    problem = Problem.from_buffer_copy(plan.problem)
    problem.alpha, problem.beta = alpha, beta
    multiply = library().vkmm_memory_multiply if there else library().vkmm_multiply
    a, b, bias, c = places
    for at_a, at_b, at_c in plan.offsets:
        if there:
            problem.offset_a, problem.offset_b, problem.offset_c = at_a, at_b, at_c
            status = multiply(device.handle, ctypes.byref(problem), a, b, bias, c)
        else:
            status = multiply(device.handle, ctypes.byref(problem), a + at_a * size_in, b + at_b * size_in, bias,
                              c + at_c * size_out)
        if status == DeviceLostError.status:
            forget(device)
        check(status)


def matmul(a: Any, b: Any, alpha: float = 1, beta: float = 0, out: Optional[Array] = None, *,
           bias: Any = None, activation: Optional[str] = None, transpose_a: bool = False, transpose_b: bool = False,
           compute: Any = None, out_type: Any = None, type: Optional[str] = None,
           reproducible: bool = False, device: Union[None, int, str, DeviceInfo, Device] = None) -> Any:
    """out ← activation(alpha·op(a)·op(b) + beta·out + bias), op(x) = x or, with transpose_x, its transpose.

    Shapes are those of numpy.matmul: vectors, matrices, and batches of matrices, which are broadcast. transpose_a and
    transpose_b exchange the last two dimensions, and have no effect on a vector.
    a and b have one type: float32, float64, int32, uint32, float16, int8, uint8; bfloat16, float8_e4m3fn or float8_e5m2
    (ml_dtypes or PyTorch; or uint16 with type="bf16", uint8 with type="e4m3" or "e5m2"); complex64, complex128. Arrays
    with rows or columns of adjacent elements are multiplied where they lie; others, and those with large gaps, are
    copied first. Integers wrap modulo 2^32; products of int8 are summed in int32, those of uint8 in uint32. float16,
    bfloat16 and float8 are summed in float32, which is float8's result. A complex product is one of real matrices, for
    which b takes twice its memory; it has real alpha and beta, and no activation.
    One of them may be Blocks, quantised weights; the other one is then float32, float16 or bfloat16. Blocks are
    along K: matmul(x, w.T) of weights (N, K), or matmul(w, x).
    Arrays of other libraries that lie in the host's memory (PyTorch, JAX) are read there, by DLPack, __array__ or the
    buffer protocol; the result is one of a's library, if that has from_dlpack.
    out: written in place, and returned; may overlap the operands. Needed if beta is not 0. bias: a vector that is added
    to each row. activation: "relu" or "gelu". compute: the type of the sums ("f16"). out_type: the type of the result,
    if there is no out ("f32" for float16).
    reproducible: of float64 and float32, the result has the same bits on every device (VKMM_COMPUTE_REPRODUCIBLE).
    device: a Device, or what Device takes; such a device is kept for later calls. If all arrays are DeviceArrays, the
    result is one too, on their device.

    Raises InvalidError, TypeError (a dtype that is not supported), UnsupportedError, OutOfMemoryError, NoDeviceError
    or DeviceLostError. After a DeviceLostError, out is undefined."""
    where = _check_places({"a": a, "b": b, "out": out, "bias": bias})
    there, given_out = where is not None, out
    in_blocks = isinstance(a, Blocks), isinstance(b, Blocks)
    kind = b if in_blocks[0] else a
    if not there:
        a, b = (x if given else _types.host(x) for x, given in zip((a, b), in_blocks))
        bias = None if bias is None else _types.host(bias)
        if not (out is None or isinstance(out, (np.ndarray, memoryview)) or hasattr(out, "__dlpack__")):
            raise TypeError(f"out is a {out.__class__.__name__}; an array is needed")
        out = None if out is None else _types.host(out)
    elif device is not None and device_of(device) is not where:
        raise InvalidError("device is another one than that of the arrays")
    if not (there or any(in_blocks)) and "c" in (a.dtype.kind, b.dtype.kind):
        c = _multiply_complex(a, b, out, bias, (bool(transpose_a), bool(transpose_b)), {
            "alpha": alpha, "beta": beta, "activation": activation, "compute": compute, "out_type": out_type,
            "type": type, "reproducible": reproducible, "device": device})
        return as_kind_of(kind, c) if out is None else given_out
    if all(in_blocks):
        raise TypeError("a and b are in blocks; one of them must be an array")
    format_a, scale_a = _blocks(a, "a", bool(transpose_a))
    format_b, scale_b = _blocks(b, "b", not transpose_b)
    types = [_type(x, name, type) for x, name in ((a, "a"), (b, "b")) if not isinstance(x, Blocks)]
    of = types[0]
    if len({*types, type or of}) > 1:
        names = [x.format if isinstance(x, Blocks) else x.dtype for x in (a, b)]
        raise TypeError(f"a has dtype {names[0]} and b {names[1]}; both must be {type or 'the same'}")
    wanted = None if out_type is None else _types.name_of(out_type, "out_type")
    if out is not None:
        given = _type(out, "out")
        if wanted is not None and wanted != given:
            raise InvalidError(f"out has dtype {out.dtype}, and out_type is {wanted}")
        wanted = given
    elif beta != 0:
        raise InvalidError(f"beta is {beta}: out must have the matrix that is multiplied by it")
    words = (of, wanted or "auto", "auto" if compute is None else _types.name_of(compute, "compute"),
             activation or "none", bias is not None, "reproducible" if reproducible else "direct")
    plan, result = _plan(_form(a), _form(b), None if out is None else _form(out, (_held(a), _held(b), bias)),
                         (bool(transpose_a), bool(transpose_b)), there, words, (format_a, format_b))
    if bias is not None and (bias.shape != (plan.problem.n,) or _type(bias, "bias") != result):
        raise InvalidError(f"bias has shape {bias.shape} and dtype {bias.dtype}; the product needs ({plan.problem.n},) "
                           f"and {_types.dtype_of(result)}")
    numbers = _scalar(alpha, "alpha") * scale_a * scale_b, _scalar(beta, "beta")
    dtype = (b if in_blocks[0] else a).dtype if result == of else _types.dtype_of(result)
    a, b = _held(a), _held(b)
    if where is not None:
        return _multiply_there(where, plan, numbers, (a, b, bias, out), result)
    c = _multiply_here(device_of(device), plan, numbers, (a, b, bias, out), dtype.newbyteorder("="))
    return as_kind_of(kind, c) if out is None else given_out


def _multiply_there(device: Device, plan: Plan, numbers: tuple[float, float], arrays: tuple[Any, ...],
                    result: str) -> DeviceArray:
    a, b, bias, out = arrays
    for name, copied in zip(("a", "b", "out"), plan.copied):
        if copied:
            raise InvalidError(f"{name} has neither rows nor columns of adjacent elements; copy it with "
                               "Device.array(x.numpy()) first")
    if out is None:
        out = device.empty(plan.shape, result)
    _run(device, plan, *numbers, [a.memory, b.memory, bias and bias.memory, out.memory], True, 0, 0)
    return cast(DeviceArray, out)


def _multiply_here(device: Device, plan: Plan, numbers: tuple[float, float], arrays: tuple[Any, ...],
                   dtype: np.dtype[Any]) -> Any:
    a, b, bias, out = arrays
    copy_a, copy_b, copy_c = plan.copied
    a, b = _types.native(a) if copy_a else a, _types.native(b) if copy_b else b
    bias = bias if bias is None else _types.native(bias)
    c = np.empty(plan.shape, dtype) if out is None else out
    if not c.flags.writeable:
        raise InvalidError("out is read-only")
    if copy_c:
        c = np.array(out, dtype, order="C")
    places = [a.ctypes.data, b.ctypes.data, None if bias is None else bias.ctypes.data, c.ctypes.data]
    _run(device, plan, *numbers, places, False, max(a.itemsize, b.itemsize), c.itemsize)
    if out is not None and c is not out:
        out[...] = c
    return c
