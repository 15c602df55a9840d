#include "io/npy.h"

#include "base/alloc.h"
#include "base/log.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

/* NumPy starts the data at a multiple of 64 bytes, so that mapped data suit any vector instruction. The longest dictionary (two extents
 * of 20 digits) fits in two such units with the 10 bytes before it. */
enum { ALIGNMENT = 64, HEADER_BYTES = 2 * ALIGNMENT };

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

static void make_header(const vkmm_view *view, char header[HEADER_BYTES])
{
    char text[HEADER_BYTES];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu, %llu), }", descr(view->type),
                          (unsigned long long)view->rows, (unsigned long long)view->cols);
    memset(header, ' ', HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", 8); /* and 16 bits: the length of what follows */
    header[8] = HEADER_BYTES - 10;
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[HEADER_BYTES - 1] = '\n';
}

vkmm_status vkmm_npy_write(const vkmm_log *log, const char *path, const vkmm_view *view)
{
    char header[HEADER_BYTES];
    uint64_t bytes = 0;
    vkmm_output *output = NULL;
    int packed = view->rows <= 1 || view->row_stride == view->cols;
    if (!packed || (view->cols > 1 && view->col_stride != 1))
        return vkmm_fail(log, VKMM_INVALID, "%s: the matrix to write has strides %llu and %llu; only packed rows can be written", path,
                         (unsigned long long)view->row_stride, (unsigned long long)view->col_stride);
    if (!vkmm_mul_u64(view->rows, view->cols, &bytes) || !vkmm_mul_u64(bytes, vkmm_type_of(view->type)->bytes, &bytes))
        return vkmm_fail(log, VKMM_INVALID, "%s: the bytes of %llu×%llu elements do not fit in 64 bits", path,
                         (unsigned long long)view->rows, (unsigned long long)view->cols);
    make_header(view, header);
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, header, HEADER_BYTES);
    if (status == VKMM_OK) status = vkmm_output_write(output, view->data, bytes);
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    return status;
}
