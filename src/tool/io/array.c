#include "base/alloc.h"
#include "io/array_format.h"
#include "math/type.h"

#include <stdio.h>

int vkmm_array_bytes(const uint64_t *extents, uint32_t dimensions, uint32_t element_bytes, uint64_t *bytes)
{
    int fits = 1, empty = 0;
    *bytes = element_bytes;
    for (uint32_t i = 0; i < dimensions; i++) {
        empty = empty || extents[i] == 0;
        fits = fits && vkmm_mul_u64(*bytes, extents[i], bytes);
    }
    if (empty) *bytes = 0;
    return fits || empty;
}

vkmm_array vkmm_array_packed(const void *data, vkmm_type type, const uint64_t *extents, uint32_t dimensions,
                             int fortran)
{
    const uint64_t cols = extents[dimensions - 1], rows = dimensions > 1 ? extents[dimensions - 2] : 1,
                   count = dimensions > 2 ? extents[0] : 1;
    vkmm_array array = {vkmm_view_rows(data, rows, cols, type), dimensions, count, rows * cols};
    if (!fortran) return array;
    array.first.row_stride = count;
    array.first.col_stride = count * rows;
    array.stride = 1;
    return array;
}

vkmm_array vkmm_array_of(const vkmm_view *view)
{
    return (vkmm_array){*view, 2, 1, 0};
}

vkmm_array vkmm_array_stack(const vkmm_view *first, uint64_t count, uint64_t stride)
{
    return (vkmm_array){*first, 3, count, stride};
}

vkmm_view vkmm_array_at(const vkmm_array *array, uint64_t x)
{
    vkmm_view view = array->first;
    if (view.rows > 0 && view.cols > 0)
        view.data = (const char *)view.data + x * array->stride * vkmm_type_of(view.type)->bytes;
    return view;
}

void vkmm_array_shape(const vkmm_array *array, char *text, size_t size)
{
    const unsigned long long count = array->count, rows = array->first.rows, cols = array->first.cols;
    if (array->dimensions == 1)
        snprintf(text, size, "%llu", cols);
    else if (array->dimensions == 2)
        snprintf(text, size, "%llu×%llu", rows, cols);
    else
        snprintf(text, size, "%llu×%llu×%llu", count, rows, cols);
}
