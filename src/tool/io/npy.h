/* NumPy's .npy files, versions 1.0, 2.0 and 3.0 (NEP 1; numpy/lib/format.py documents the header). Read: C and
 * Fortran order, little-endian f2, f4, f8, i4, u4, and i1 and u1, one to three dimensions; extents may be 0.
 * Anything else is an error that says what was found. Bytes after the data are ignored, as NumPy does. Written:
 * version 1.0, C order. The format has no name for bf16. */
#ifndef VKMM_IO_NPY_H
#define VKMM_IO_NPY_H

#include "io/array.h"

/* The parser alone: `bytes` of a whole file in memory to an array in it. name is used in messages. Never reads past
 * `bytes`; data that is not aligned for its type is refused. */
vkmm_status vkmm_npy_parse(const vkmm_log *log, const char *name, const void *data, uint64_t bytes, vkmm_array *array);

#endif
