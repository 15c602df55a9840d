"""From the shapes and strides of arrays to a vkmm_problem: what can be multiplied where it lies, and what is copied."""
from __future__ import annotations

import itertools
import math
from typing import NamedTuple, Optional, Sequence

from ._library import COL_MAJOR, ROW_MAJOR, InvalidError, Problem

Ints = tuple[int, ...]


class Form(NamedTuple):
    """How an array lies in memory; strides in elements."""
    shape: Ints
    strides: Ints


class Plan(NamedTuple):
    """How to multiply. `problem` lacks types and scalars."""
    problem: Problem
    shape: Ints  # of the result
    copied: tuple[bool, bool, bool]  # A and B are copied first, packed; C is a packed array that is copied to `out`
    offsets: list[Ints]  # one product for each: elements to add to A, B and C


def packed(shape: Ints) -> Form:
    """Row-major, without gaps."""
    strides = [1] * len(shape)
    for i in range(len(shape) - 1, 0, -1):
        strides[i - 1] = strides[i] * max(shape[i], 1)
    return Form(shape, tuple(strides))


def spanned(form: Form) -> int:
    """Elements from the first to the last one, for strides of at least 0."""
    if 0 in form.shape:
        return 0
    return 1 + sum((extent - 1) * stride for extent, stride in zip(form.shape, form.strides))


def _leading(rows: int, cols: int, row_stride: int, col_stride: int) -> Optional[int]:
    """The leading dimension of a row-major matrix; None if it is not one."""
    length = max(cols, 1)
    ld = row_stride if rows > 1 else length
    return ld if ld >= length and (cols <= 1 or col_stride == 1) else None


def _stored(form: Form, layout: int) -> Optional[tuple[int, int]]:
    """The op and the leading dimension of the matrices; None if they must be copied."""
    rows, cols, row_stride, col_stride = (*form.shape[-2:], *form.strides[-2:])
    plain = _leading(rows, cols, row_stride, col_stride)
    turned = _leading(cols, rows, col_stride, row_stride)
    first, second = (plain, turned) if layout == ROW_MAJOR else (turned, plain)
    if first is not None:
        return 0, first
    return None if second is None else (1, second)


def _fits(form: Form, layout: int, sparse: bool, is_c: bool) -> bool:
    """Whether it can be used where it lies. Not sparse: at most half of the memory between its ends may be gaps."""
    if any(stride < 0 for stride in form.strides):
        return False
    stored = _stored(form, layout)
    if stored is None or is_c and stored[0] == 1:
        return False
    if is_c and any(extent > 1 and stride < spanned(Form(form.shape[-2:], form.strides[-2:]))
                    for extent, stride in zip(form.shape[:-2], form.strides[:-2])):
        return False
    return sparse or spanned(form) <= 2 * max(math.prod(form.shape), 1)


def _matrices(form: Form, is_b: bool, transpose: bool) -> Form:
    """With at least two dimensions, as NumPy's matmul sees a vector; transposed, unless it is one."""
    shape, strides = form
    if len(shape) == 0:
        raise InvalidError(f"{'AB'[is_b]} is a scalar; a matrix or a vector is needed")
    if len(shape) == 1:
        return Form((*shape, 1), (*strides, 1)) if is_b else Form((1, *shape), (1, *strides))
    if transpose:
        return Form((*shape[:-2], shape[-1], shape[-2]), (*strides[:-2], strides[-1], strides[-2]))
    return form


def _text(shape: Ints) -> str:
    return "×".join(map(str, shape)) or "a scalar"


def _broadcast(a: Ints, b: Ints) -> Optional[Ints]:
    """The common shape of two batches; None if they have none."""
    shape = []
    for x, y in itertools.zip_longest(reversed(a), reversed(b), fillvalue=1):
        if x != y and 1 not in (x, y):
            return None
        shape.append(y if x == 1 else x)
    return tuple(reversed(shape))


def _batch_strides(form: Form, batch: Ints) -> Ints:
    """Those of the batch's dimensions, 0 where the array is repeated."""
    missing = len(batch) - len(form.shape) + 2
    own = zip(form.shape[:-2], form.strides[:-2])
    return (0,) * missing + tuple(0 if extent == 1 else stride for extent, stride in own)


def _merge(batch: Ints, strides: Sequence[Ints]) -> list[tuple[int, Ints]]:
    """The dimensions of a batch, as few as possible: (extent, strides of A, B and C)."""
    merged: list[tuple[int, Ints]] = []
    for extent, here in zip(batch, zip(*strides)):
        if extent == 1:
            continue
        if merged and all(outer == inner * extent for outer, inner in zip(merged[-1][1], here)):
            merged[-1] = (merged[-1][0] * extent, here)
        else:
            merged.append((extent, here))
    return merged


def _plan_batch(problem: Problem, batch: Ints, forms: Sequence[Form]) -> list[Ints]:
    """Sets the problem's batch, and returns where each product begins."""
    dimensions = _merge(batch, [_batch_strides(form, batch) for form in forms])
    outer, inner = dimensions[:-1], dimensions[-1:]
    for extent, (a, b, c) in inner:
        rows = problem.layout == ROW_MAJOR and problem.op_a == 0 and b == 0
        if rows and a == problem.m * problem.lda and c == problem.m * problem.ldc and extent * problem.m < 1 << 32:
            problem.m *= extent  # matrices of A that lie one below the other, times the same B
        else:
            problem.batch_count, problem.stride_a, problem.stride_b, problem.stride_c = extent, a, b, c
    ranges = itertools.product(*(range(extent) for extent, _ in outer))
    return [tuple(sum(i * strides[x] for i, (_, strides) in zip(place, outer)) for x in range(3)) for place in ranges]


def plan(a: Form, b: Form, c: Optional[Form], transpose_a: bool, transpose_b: bool, sparse: bool) -> Plan:
    """Plans a product. c is None for a result that is yet to be made; sparse: gaps cost nothing."""
    vectors = len(a.shape) == 1, len(b.shape) == 1
    transpose_a, transpose_b = transpose_a and not vectors[0], transpose_b and not vectors[1]
    a, b = _matrices(a, False, transpose_a), _matrices(b, True, transpose_b)
    m, k, n = *a.shape[-2:], b.shape[-1]
    batch = _broadcast(a.shape[:-2], b.shape[:-2])
    if k != b.shape[-2] or batch is None:
        raise InvalidError(f"incompatible shapes: A is {_text(a.shape)}, B is {_text(b.shape)}")
    kept = [x for x, vector in zip((m, n), vectors) if not vector]
    shape = (*batch, *kept)
    if c is not None and c.shape != shape:
        raise InvalidError(f"out is {_text(c.shape)}; the product is {_text(shape)}")
    full = (*batch, m, n)
    form_c = packed(full)
    layout, copy_c = ROW_MAJOR, False
    if c is not None:
        strides = list(c.strides)
        if vectors[0]:
            strides.insert(len(batch), n)
        if vectors[1]:
            strides.append(1)
        lies = Form(full, tuple(strides))
        layout = next((x for x in (ROW_MAJOR, COL_MAJOR) if _fits(lies, x, sparse, True)), ROW_MAJOR)
        copy_c = not _fits(lies, layout, sparse, True)
        form_c = form_c if copy_c else lies
    copy_a, copy_b = not _fits(a, layout, sparse, False), not _fits(b, layout, sparse, False)
    # Copies are packed as the arrays came, before they were transposed.
    a = _matrices(packed(_turned(a.shape, transpose_a)), False, transpose_a) if copy_a else a
    b = _matrices(packed(_turned(b.shape, transpose_b)), True, transpose_b) if copy_b else b
    problem = Problem(m=m, n=n, k=k, layout=layout)
    stored = [_stored(form, layout) for form in (a, b, form_c)]
    (problem.op_a, problem.lda), (problem.op_b, problem.ldb), (_, problem.ldc) = [s or (0, 0) for s in stored]
    offsets = [] if 0 in full else _plan_batch(problem, batch, (a, b, form_c))
    return Plan(problem, shape, (copy_a, copy_b, copy_c), offsets)


def _turned(shape: Ints, transpose: bool) -> Ints:
    return (*shape[:-2], shape[-1], shape[-2]) if transpose else shape
