/* A file of matrices that is written in parts, in any order, by several threads; and read again before it is put in
 * its place. */
#ifndef VKMM_IO_ARRAY_WRITER_H
#define VKMM_IO_ARRAY_WRITER_H

#include "io/array.h"

typedef struct vkmm_array_writer vkmm_array_writer;

/* Begins a file for packed row-major matrices of the array's shape, count and type; its data count for nothing. The
 * name means what it means to vkmm_array_write. The file has a temporary name, and all of its bytes are set aside on
 * the disk: VKMM_INVALID says that they do not fit, or that the path can hold no such file; a path that is no
 * regular file (a pipe, /dev/stdout) gets its bytes at commit, from a temporary file in TMPDIR or /tmp. */
vkmm_status vkmm_array_writer_open(const vkmm_log *log, const char *path, const vkmm_array *shape,
                                   vkmm_array_writer **writer);

/* Writes a part of matrix x of the file, view's first element at (row, col). Several threads at once may write parts
 * that share no element. The view has the file's type and any strides; what is not packed is, a megabyte at a time.
 * VKMM_INVALID: full disk, and so on, or the part lies outside of the matrix; VKMM_OUT_OF_MEMORY. The file can then
 * only be discarded. Elements that nobody writes are 0. */
vkmm_status vkmm_array_writer_put(vkmm_array_writer *writer, uint64_t x, uint64_t row, uint64_t col,
                                  const vkmm_view *view);

/* What has been written, mapped to be read; valid as long as the writer, and what is written later shows in it. By
 * one thread at a time. */
vkmm_status vkmm_array_writer_look(vkmm_array_writer *writer, vkmm_array *array);

/* As vkmm_output_commit and vkmm_output_discard; no thread writes any more. commit after a part that failed:
 * VKMM_INVALID, and the file is left as it was. */
vkmm_status vkmm_array_writer_commit(vkmm_array_writer **writer);
void vkmm_array_writer_discard(vkmm_array_writer **writer);

#endif
