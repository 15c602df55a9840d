#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

enum { BLOCK_BYTES = 1 << 20 };

static int is_packed(const vkmm_view *view)
{
    return (view->rows <= 1 || view->row_stride == view->cols) && (view->cols <= 1 || view->col_stride == 1);
}

/* block: room for as many whole rows as fit in BLOCK_BYTES, or for one. */
static vkmm_status write_matrix(vkmm_output *output, const vkmm_view *view, void *block)
{
    uint64_t size = vkmm_type_of(view->type)->bytes, row_bytes = view->cols * size;
    uint64_t most = row_bytes < BLOCK_BYTES && row_bytes > 0 ? BLOCK_BYTES / row_bytes : 1;
    vkmm_status status = VKMM_OK;
    if (is_packed(view)) return vkmm_output_write(output, view->data, view->rows * row_bytes);
    for (uint64_t row = 0; row < view->rows && status == VKMM_OK; row += most) {
        vkmm_view some = *view;
        some.data = (const char *)view->data + row * view->row_stride * size;
        some.rows = view->rows - row < most ? view->rows - row : most;
        vkmm_view_pack(&some, block);
        status = vkmm_output_write(output, block, some.rows * row_bytes);
    }
    return status;
}

static vkmm_status write_file(const vkmm_log *log, const char *path, const char *header, size_t header_bytes, const vkmm_array *array,
                              uint64_t bytes, void *block)
{
    vkmm_output *output = NULL;
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, header, header_bytes);
    for (uint64_t x = 0; x < array->count && bytes > 0 && status == VKMM_OK; x++) {
        const vkmm_view view = vkmm_array_at(array, x);
        status = write_matrix(output, &view, block);
    }
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    return status;
}

static vkmm_status write_array(const vkmm_log *log, const vkmm_array_name *name, const vkmm_array *array)
{
    const vkmm_view *view = &array->first;
    const uint32_t size = vkmm_type_of(view->type)->bytes;
    const uint64_t extents[3] = {array->count, view->rows, view->cols};
    uint64_t bytes = 0;
    size_t header_bytes = 0;
    void *block = NULL;
    if (!vkmm_array_bytes(extents, 3, size, &bytes))
        return vkmm_fail(log, VKMM_INVALID, "%s: the bytes of %llu matrices of %llu×%llu elements do not fit in 64 bits", name->file,
                         (unsigned long long)array->count, (unsigned long long)view->rows, (unsigned long long)view->cols);
    char *header = name->format->header(name->tensor, array, bytes, &header_bytes);
    if (!is_packed(view)) block = vkmm_alloc(1, view->cols * size > BLOCK_BYTES ? view->cols * size : BLOCK_BYTES);
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    if (header == NULL || (block == NULL && !is_packed(view)))
        vkmm_fail(log, status, "%s: no memory to pack the product", name->file);
    else
        status = write_file(log, name->file, header, header_bytes, array, bytes, block);
    vkmm_free(header);
    vkmm_free(block);
    return status;
}

static vkmm_status check_type(const vkmm_log *log, const vkmm_array_name *name, vkmm_type type)
{
    if (name->file == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the name of a file");
    if (name->tensor != NULL && !name->format->is_name(name->tensor))
        return vkmm_fail(log, VKMM_INVALID, "%s: no tensor can be called '%.60s'", name->file, name->tensor);
    if (name->format->dtype(type) != NULL) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID, "%s: %s has no name for %s: write FILE.safetensors, or another type (--out-type f32)", name->file,
                     name->format->name, vkmm_type_of(type)->name);
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
    return vkmm_fail(log, VKMM_INVALID, "%s: the file holds %llu tensors, and would be left with one: name another file", name->file,
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
    vkmm_status status = check_type(log, &name, array->first.type);
    if (status == VKMM_OK) status = write_array(log, &name, array);
    vkmm_free(name.file);
    return status;
}
