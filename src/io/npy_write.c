#include "io/npy.h"

#include "base/alloc.h"
#include "base/log.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

/* NumPy starts the data at a multiple of 64 bytes, so that mapped data suit any vector instruction. The longest dictionary (three extents
 * of 20 digits) fits in three such units with the 10 bytes before it; with two extents, in two. */
enum { ALIGNMENT = 64, MOST_HEADER_BYTES = 3 * ALIGNMENT, BLOCK_BYTES = 1 << 20 };

/* What one file holds. */
typedef struct stack {
    const vkmm_view *view; /* the first matrix */
    int dimensions;        /* 2, or 3 */
    uint64_t count, stride;
} stack;

static const char *descr(vkmm_type type)
{
    switch (type) {
    case VKMM_F64:
        return "<f8";
    case VKMM_I32:
        return "<i4";
    case VKMM_U32:
        return "<u4";
    case VKMM_F32:
    case VKMM_TYPE_COUNT:
        break;
    }
    return "<f4";
}

/* Returns its length. */
static size_t make_header(const stack *s, char header[MOST_HEADER_BYTES])
{
    char text[MOST_HEADER_BYTES], count[32] = "";
    size_t bytes = s->dimensions == 2 ? 2 * ALIGNMENT : 3 * ALIGNMENT;
    if (s->dimensions == 3) snprintf(count, sizeof count, "%llu, ", (unsigned long long)s->count);
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%llu, %llu), }", descr(s->view->type),
                          count, (unsigned long long)s->view->rows, (unsigned long long)s->view->cols);
    memset(header, ' ', bytes);
    memcpy(header, "\x93NUMPY\x01\x00", 8); /* and 16 bits: the length of what follows */
    header[8] = (char)(bytes - 10);
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[bytes - 1] = '\n';
    return bytes;
}

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

static vkmm_status write_stack(const vkmm_log *log, const char *path, const stack *s)
{
    char header[MOST_HEADER_BYTES];
    uint64_t size = vkmm_type_of(s->view->type)->bytes, bytes = 0;
    vkmm_output *output = NULL;
    void *block = NULL;
    if (!vkmm_mul_u64(s->view->rows, s->view->cols, &bytes) || !vkmm_mul_u64(bytes, size, &bytes) || !vkmm_mul_u64(bytes, s->count, &bytes))
        return vkmm_fail(log, VKMM_INVALID, "%s: the bytes of %llu matrices of %llu×%llu elements do not fit in 64 bits", path,
                         (unsigned long long)s->count, (unsigned long long)s->view->rows, (unsigned long long)s->view->cols);
    if (!is_packed(s->view)) {
        block = vkmm_alloc(1, s->view->cols * size > BLOCK_BYTES ? s->view->cols * size : BLOCK_BYTES);
        if (block == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory to pack the product", path);
    }
    size_t header_bytes = make_header(s, header);
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, header, header_bytes);
    for (uint64_t i = 0; i < s->count && bytes > 0 && status == VKMM_OK; i++) {
        vkmm_view view = *s->view;
        view.data = (const char *)view.data + i * s->stride * size;
        status = write_matrix(output, &view, block);
    }
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    vkmm_free(block);
    return status;
}

vkmm_status vkmm_npy_write(const vkmm_log *log, const char *path, const vkmm_view *view)
{
    const stack s = {view, 2, 1, 0};
    return write_stack(log, path, &s);
}

vkmm_status vkmm_npy_write_stack(const vkmm_log *log, const char *path, const vkmm_view *first, uint64_t count, uint64_t stride)
{
    const stack s = {first, 3, count, stride};
    return write_stack(log, path, &s);
}
