#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

enum { BLOCK_BYTES = 1 << 20 };

int vkmm_view_is_packed(const vkmm_view *view)
{
    return (view->rows <= 1 || view->row_stride == view->cols) && (view->cols <= 1 || view->col_stride == 1);
}

/* block: room for as many whole rows as fit in BLOCK_BYTES, or for one. */
static vkmm_status write_matrix(vkmm_output *output, const vkmm_view *view, void *block)
{
    uint64_t size = vkmm_type_of(view->type)->bytes, row_bytes = view->cols * size;
    uint64_t most = row_bytes < BLOCK_BYTES && row_bytes > 0 ? BLOCK_BYTES / row_bytes : 1;
    vkmm_status status = VKMM_OK;
    if (vkmm_view_is_packed(view)) return vkmm_output_write(output, view->data, view->rows * row_bytes);
    for (uint64_t row = 0; row < view->rows && status == VKMM_OK; row += most) {
        vkmm_view some = *view;
        some.data = (const char *)view->data + row * view->row_stride * size;
        some.rows = view->rows - row < most ? view->rows - row : most;
        vkmm_view_pack(&some, block);
        status = vkmm_output_write(output, block, some.rows * row_bytes);
    }
    return status;
}

static vkmm_status check_type(const vkmm_log *log, const vkmm_array_name *name, vkmm_type type)
{
    if (name->file == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the name of a file");
    if (name->tensor != NULL && !name->format->is_name(name->tensor))
        return vkmm_fail(log, VKMM_INVALID, "%s: no tensor can be called '%.60s'", name->file, name->tensor);
    if (name->format->dtype(type) != NULL) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID,
                     "%s: %s has no name for %s: write FILE.safetensors, or another type (--out-type f32)", name->file,
                     name->format->name, vkmm_type_of(type)->name);
}

vkmm_status vkmm_array_lay_out(const vkmm_log *log, const vkmm_array_name *name, const vkmm_array *array,
                               vkmm_array_layout *layout)
{
    const vkmm_view *view = &array->first;
    const uint64_t extents[3] = {array->count, view->rows, view->cols};
    *layout = (vkmm_array_layout){0};
    vkmm_status status = check_type(log, name, view->type);
    if (status != VKMM_OK) return status;
    if (!vkmm_array_bytes(extents, 3, vkmm_type_of(view->type)->bytes, &layout->bytes))
        return vkmm_fail(
            log, VKMM_INVALID, "%s: the bytes of %llu matrices of %llu×%llu elements do not fit in 64 bits", name->file,
            (unsigned long long)array->count, (unsigned long long)view->rows, (unsigned long long)view->cols);
    layout->header = name->format->header(name->tensor, array, layout->bytes, &layout->header_bytes);
    if (layout->header != NULL) return VKMM_OK;
    return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory for the header of the product", name->file);
}

static vkmm_status write_file(const vkmm_log *log, const char *path, const vkmm_array_layout *layout,
                              const vkmm_array *array)
{
    const vkmm_view *first = &array->first;
    const uint64_t row_bytes = first->cols * vkmm_type_of(first->type)->bytes;
    const int packed = vkmm_view_is_packed(first);
    vkmm_output *output = NULL;
    void *block = packed ? NULL : vkmm_alloc(1, row_bytes > BLOCK_BYTES ? row_bytes : BLOCK_BYTES);
    if (block == NULL && !packed) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory to pack the product", path);
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, layout->header, layout->header_bytes);
    for (uint64_t x = 0; x < array->count && layout->bytes > 0 && status == VKMM_OK; x++) {
        const vkmm_view view = vkmm_array_at(array, x);
        status = write_matrix(output, &view, block);
    }
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    vkmm_free(block);
    return status;
}

/* The file would be written anew: what others lie in it would be gone. */
static vkmm_status check_others(const vkmm_log *log, const vkmm_array_name *name)
{
    vkmm_mapping mapping = {NULL, 0};
    uint64_t count = 0;
    if (name->format->count == NULL || vkmm_mapping_open(NULL, name->file, &mapping) != VKMM_OK) return VKMM_OK;
    if (mapping.bytes > 0) count = name->format->count(mapping.data, mapping.bytes);
    vkmm_mapping_close(&mapping);
    if (count <= 1) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID,
                     "%s: the file holds %llu tensors, and would be left with one: name another file", name->file,
                     (unsigned long long)count);
}

vkmm_status vkmm_array_takes(const vkmm_log *log, const char *path, vkmm_type type)
{
    vkmm_array_name name = vkmm_array_name_of(path);
    vkmm_status status = check_type(log, &name, type);
    if (status == VKMM_OK) status = check_others(log, &name);
    vkmm_free(name.file);
    return status;
}

vkmm_status vkmm_array_write(const vkmm_log *log, const char *path, const vkmm_array *array)
{
    vkmm_array_name name = vkmm_array_name_of(path);
    vkmm_array_layout layout;
    vkmm_status status = vkmm_array_lay_out(log, &name, array, &layout);
    if (status == VKMM_OK) status = write_file(log, name.file, &layout, array);
    vkmm_free(layout.header);
    vkmm_free(name.file);
    return status;
}
