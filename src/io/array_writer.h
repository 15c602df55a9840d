/* A file of matrices that is written in parts, in any order, by several threads; and read again before it is put in its place. */
#ifndef VKMM_IO_ARRAY_WRITER_H
#define VKMM_IO_ARRAY_WRITER_H

#include "io/array.h"

typedef struct vkmm_array_writer vkmm_array_writer;

/* Begins a file for packed row-major matrices of the array's shape, count and type; its data count for nothing. The name means what it means to
 * vkmm_array_write. The file has a temporary name, and all of its bytes are set aside on the disk: VKMM_INVALID says that they do not fit, or that the
 * path can hold no such file; a path that is no regular file (a pipe, /dev/stdout) gets its bytes at commit, from a temporary file in TMPDIR or /tmp. */
vkmm_status vkmm_array_writer_open(const vkmm_log *log, const char *path, const vkmm_array *shape, vkmm_array_writer **writer);

/* Writes a part of matrix x of the file, view's first element at (row, col). Several threads at once may write parts that share no element. The view may
 * have any strides. VKMM_INVALID: full disk, and so on; the file can then only be discarded. */
vkmm_status vkmm_array_writer_put(vkmm_array_writer *writer, uint64_t x, uint64_t row, uint64_t col, const vkmm_view *view);

/* What has been written, mapped to be read; valid as long as the writer. */
vkmm_status vkmm_array_writer_look(vkmm_array_writer *writer, vkmm_array *array);

/* As vkmm_output_commit and vkmm_output_discard. */
vkmm_status vkmm_array_writer_commit(vkmm_array_writer **writer);
void vkmm_array_writer_discard(vkmm_array_writer **writer);

#endif
