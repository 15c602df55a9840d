#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* A name that fits none of them means the last. */
static const vkmm_array_format *const formats[] = {&vkmm_safetensors_format, &vkmm_npy_format};
enum { FORMATS = sizeof formats / sizeof formats[0] };

vkmm_array_name vkmm_array_name_of(const char *path)
{
    vkmm_array_name name = {.format = formats[FORMATS - 1]};
    size_t length = strlen(path);
    for (int i = 0; i < FORMATS - 1; i++) {
        const char *suffix = formats[i]->suffix, *colon = strstr(path, suffix);
        size_t bytes = strlen(suffix);
        while (colon != NULL && colon[bytes] != ':') colon = strstr(colon + 1, suffix);
        if (length >= bytes && strcmp(path + length - bytes, suffix) == 0)
            colon = NULL; /* the whole of it is the file */
        else if (colon == NULL)
            continue;
        name.format = formats[i];
        if (colon == NULL) break;
        length = (size_t)(colon - path) + bytes;
        name.tensor = path + length + 1;
        break;
    }
    name.file = vkmm_alloc(1, length + 1);
    if (name.file != NULL) memcpy(name.file, path, length);
    return name;
}

int vkmm_array_put(vkmm_type type, void *element, double value)
{
    const vkmm_type_info *info = vkmm_type_of(type);
    const double span = ldexp(1.0, 8 * (int)info->bytes), least = type == VKMM_I32 || type == VKMM_I8 ? -span / 2 : 0.0;
    if (!info->is_float && (value != floor(value) || value < least || value >= least + span)) return 0;
    vkmm_type_put(type, element, value);
    return !isinf(vkmm_type_get(type, element)) || isinf(value);
}

/* The array's element x in the order of the file. */
static void say_place(const vkmm_array *array, uint64_t x, char *text, size_t size)
{
    const vkmm_view *view = &array->first;
    const unsigned long long count = x / array->stride % array->count, row = x / view->row_stride % view->rows,
                             col = x / view->col_stride % view->cols;
    if (array->dimensions == 1)
        snprintf(text, size, "[%llu]", col);
    else if (array->dimensions == 2)
        snprintf(text, size, "[%llu, %llu]", row, col);
    else
        snprintf(text, size, "[%llu, %llu, %llu]", count, row, col);
}

/* Element x of the file; VKMM_INVALID: it does not fit in its type. */
static vkmm_status convert_element(const vkmm_log *log, const char *path, const vkmm_array *array, uint64_t x, char *to)
{
    const vkmm_type_info *type = vkmm_type_of(array->first.type);
    const uint64_t size = array->stored.wide ? sizeof x : type->bytes;
    const char *from = (const char *)array->first.data + x * size;
    char bytes[sizeof x], place[80];
    int64_t number = 0;
    for (uint64_t i = 0; i < size; i++) bytes[i] = from[array->stored.swapped ? size - 1 - i : i];
    memcpy(array->stored.wide ? (char *)&number : to, bytes, size);
    const int is_signed = array->first.type == VKMM_I32;
    if (!array->stored.wide ||
        vkmm_array_put(array->first.type, to, is_signed ? (double)number : (double)(uint64_t)number))
        return VKMM_OK;
    say_place(array, x, place, sizeof place);
    return is_signed ? vkmm_fail(log, VKMM_INVALID, "%s: element %s is %lld, which does not fit in %s", path, place,
                                 (long long)number, type->name)
                     : vkmm_fail(log, VKMM_INVALID, "%s: element %s is %llu, which does not fit in %s", path, place,
                                 (unsigned long long)number, type->name);
}

/* Copies elements that cannot be used as they lie in the file. They lie side by side in some order, so that all of
 * them are one piece of it. */
static vkmm_status convert(const vkmm_log *log, const char *path, vkmm_array_file *file)
{
    const vkmm_encoding stored = file->array.stored;
    vkmm_view *view = &file->array.first;
    const uint64_t size = vkmm_type_of(view->type)->bytes, count = file->array.count * view->rows * view->cols;
    vkmm_status status = VKMM_OK;
    if (!stored.wide && !stored.swapped && (uintptr_t)view->data % size == 0) return VKMM_OK;
    file->copy = vkmm_alloc(count, size);
    if (file->copy == NULL)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory to convert its %llu elements", path,
                         (unsigned long long)count);
    for (uint64_t x = 0; x < count && status == VKMM_OK; x++)
        status = convert_element(log, path, &file->array, x, (char *)file->copy + x * size);
    view->data = file->copy;
    file->array.stored = (vkmm_encoding){0};
    if (status == VKMM_OK && stored.wide)
        vkmm_say(log, VKMM_LOG_WARNING, "%s holds %sint64, which is converted to %s", path,
                 view->type == VKMM_I32 ? "" : "u", vkmm_type_of(view->type)->name);
    return status;
}

vkmm_status vkmm_array_open(const vkmm_log *log, const char *path, vkmm_array_file *file)
{
    vkmm_array_name name = vkmm_array_name_of(path);
    vkmm_array_file opened = {0};
    if (name.file == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the name of a file");
    vkmm_status status = vkmm_mapping_open(log, name.file, &opened.mapping);
    if (status == VKMM_OK)
        status =
            name.format->parse(log, name.file, name.tensor, opened.mapping.data, opened.mapping.bytes, &opened.array);
    if (status == VKMM_OK) status = convert(log, path, &opened);
    if (status == VKMM_OK)
        status = vkmm_mapping_check(log, name.file, &opened.mapping); /* a copy has been read by now */
    vkmm_free(name.file);
    if (status == VKMM_OK)
        *file = opened;
    else
        vkmm_array_close(&opened);
    return status;
}

vkmm_status vkmm_array_whole(const vkmm_log *log, const char *path, const vkmm_array_file *file)
{
    return file->copy == NULL ? vkmm_mapping_check(log, path, &file->mapping) : VKMM_OK;
}

void vkmm_array_close(vkmm_array_file *file)
{
    vkmm_mapping_close(&file->mapping);
    vkmm_free(file->copy);
    *file = (vkmm_array_file){0};
}
