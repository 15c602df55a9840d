#include "io/npy.h"

#include "base/alloc.h"
#include "io/array_format.h"

#include <stdio.h>
#include <string.h>

/* NumPy starts the data at a multiple of 64 bytes, so that mapped data suit any vector instruction. The longest
 * dictionary (three extents of 20 digits) fits in three such units with the 10 bytes before it; with two extents, in
 * two. */
enum { ALIGNMENT = 64, MOST_HEADER_BYTES = 3 * ALIGNMENT };

static const char *dtype(vkmm_type type)
{
    static const char *const names[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = "<f4", [VKMM_F64] = "<f8", [VKMM_I32] = "<i4", [VKMM_U32] = "<u4",
        [VKMM_F16] = "<f2", [VKMM_I8] = "|i1",  [VKMM_U8] = "|u1"};
    return names[type];
}

static char *make_header(const char *tensor, const vkmm_array *array, uint64_t data_bytes, size_t *header_bytes)
{
    char text[MOST_HEADER_BYTES], count[32] = "", *header;
    size_t bytes = array->dimensions < 3 ? 2 * ALIGNMENT : 3 * ALIGNMENT;
    (void)tensor, (void)data_bytes;
    if (array->dimensions == 3) snprintf(count, sizeof count, "%llu, ", (unsigned long long)array->count);
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%llu, %llu), }",
                          dtype(array->first.type), count, (unsigned long long)array->first.rows,
                          (unsigned long long)array->first.cols);
    header = vkmm_alloc(1, bytes);
    if (header == NULL) return NULL;
    memset(header, ' ', bytes);
    memcpy(header, "\x93NUMPY\x01\x00", 8); /* and 16 bits: the length of what follows */
    header[8] = (char)(bytes - 10);
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[bytes - 1] = '\n';
    *header_bytes = bytes;
    return header;
}

static vkmm_status parse(const vkmm_log *log, const char *path, const char *tensor, const void *data, uint64_t bytes,
                         vkmm_array *array)
{
    (void)tensor;
    return vkmm_npy_parse(log, path, data, bytes, array);
}

const vkmm_array_format vkmm_npy_format = {".npy", ".npy", dtype, NULL, parse, NULL, make_header};
