/* NumPy's .npy files, versions 1.0, 2.0 and 3.0 (NEP 1; numpy/lib/format.py documents the header).
 * Read: C and Fortran order, little-endian i4, u4, f4, f8, two dimensions; extents may be 0. Anything else is an error that says what was
 * found. Bytes after the data are ignored, as NumPy does. */
#ifndef VKMM_IO_NPY_H
#define VKMM_IO_NPY_H

#include "base/file.h"
#include "math/matrix.h"

typedef struct vkmm_npy {
    vkmm_mapping mapping; /* owned */
    vkmm_view view;       /* into the mapping: nothing is copied */
} vkmm_npy;

/* Maps the file and points a view at its data. VKMM_INVALID with the path and the cause. Ended by vkmm_npy_close. */
vkmm_status vkmm_npy_open(const vkmm_log *log, const char *path, vkmm_npy *npy);
void vkmm_npy_close(vkmm_npy *npy); /* a zeroed vkmm_npy is legal */

/* The parser alone: `bytes` of a whole file in memory to a view into it. name is used in messages. Never reads past `bytes`; data that
 * is not aligned for its type is refused. */
vkmm_status vkmm_npy_parse(const vkmm_log *log, const char *name, const void *data, uint64_t bytes, vkmm_view *view);

/* Writes a matrix, whatever its strides, in C order as version 1.0 through a temporary file (base/file.h). Rows that are not packed are, a
 * megabyte at a time. VKMM_OUT_OF_MEMORY: no room for that. */
vkmm_status vkmm_npy_write(const vkmm_log *log, const char *path, const vkmm_view *view);

/* The same for `count` matrices as one array of three dimensions, count × rows × columns. The first is *first, each next one lies `stride`
 * elements further on. */
vkmm_status vkmm_npy_write_stack(const vkmm_log *log, const char *path, const vkmm_view *first, uint64_t count, uint64_t stride);

#endif
