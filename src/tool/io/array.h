/* Files of matrices, whatever their format: the name's suffix says it, .npy, .npz, .safetensors, .csv, .tsv or .mtx.
 * .npz:NAME and .safetensors:NAME pick one array of the file. "-" is standard input or output. */
#ifndef VKMM_IO_ARRAY_H
#define VKMM_IO_ARRAY_H

#include "base/file.h"
#include "math/matrix.h"

/* How elements lie in a file where they are not those of a type. vkmm_array_open converts them. */
typedef struct vkmm_encoding {
    int wide;             /* integers of 64 bits, for an array of i32 or u32 */
    int swapped;          /* big-endian */
    const char *text_end; /* of numbers in a text, which begin where the first element should; NULL: no text */
    uint64_t line;        /* of the text, before those numbers */
    char separator;       /* of numbers in a line */
} vkmm_encoding;

/* What a file holds. Owns nothing. */
typedef struct vkmm_array {
    vkmm_view first;     /* the matrix; of a stack the first; a vector is one row */
    uint32_t dimensions; /* 1: a vector; 2: a matrix; 3: a stack of matrices of one shape */
    uint64_t count;      /* of matrices: 1 unless it is a stack */
    uint64_t stride;     /* elements from one matrix of a stack to the next */
    vkmm_encoding stored;
} vkmm_array;

/* A matrix, and a stack of them. */
vkmm_array vkmm_array_of(const vkmm_view *view);
vkmm_array vkmm_array_stack(const vkmm_view *first, uint64_t count, uint64_t stride);

/* Matrix x of the array, x < count. */
vkmm_view vkmm_array_at(const vkmm_array *array, uint64_t x);

/* "3×4", in elements, slowest first; "5" for a vector. Cut to fit. */
void vkmm_array_shape(const vkmm_array *array, char *text, size_t size);

typedef struct vkmm_array_file {
    vkmm_mapping mapping; /* owned */
    void *content;        /* owned: what is no mapping of a file: standard input, or an array of a .npz; else NULL */
    void *copy;           /* owned: the elements, where they cannot be used as they lie in the file; else NULL */
    vkmm_array array;     /* looks into one of them */
} vkmm_array_file;

/* Reads the file: maps it where it can, and points an array at its elements. Where the suffix is none of the formats',
 * and for "-", standard input, the first bytes say which it is. The numbers of a text have no type yet:
 * array.first.type is VKMM_AUTO until vkmm_array_text gives them one. 64-bit integers become i32 or u32, with a
 * warning; VKMM_INVALID names the first that does not fit. VKMM_INVALID also with the path and the cause. Ended by
 * vkmm_array_close. */
vkmm_status vkmm_array_open(const vkmm_log *log, const char *path, vkmm_array_file *file);
vkmm_status vkmm_array_text(const vkmm_log *log, const char *path, vkmm_type type, vkmm_array_file *file);
void vkmm_array_close(vkmm_array_file *file); /* a zeroed vkmm_array_file is legal */

/* To be asked when all elements have been read: VKMM_INVALID where some were not there, since the file had been made
 * shorter (base/file.h, vkmm_mapping_guard). path is for the message. */
vkmm_status vkmm_array_whole(const vkmm_log *log, const char *path, const vkmm_array_file *file);

/* Whether a file of this name can be written with so many matrices of the type, of so many bytes (0: not known),
 * without touching it: VKMM_INVALID says why not. The suffix must be a format's; "-" and names in /dev mean .npy. A
 * safetensors or .npz file that holds several arrays is not overwritten, since only one would be left. */
vkmm_status vkmm_array_takes(const vkmm_log *log, const char *path, vkmm_type type, uint64_t count, uint64_t bytes);

/* Writes an array, whatever its strides. The name is as below. */
vkmm_status vkmm_array_write(const vkmm_log *log, const char *path, const vkmm_array *array);

/* A file that is written in parts, in any order, by several threads; and read again before it is put in its place. */
typedef struct vkmm_array_writer vkmm_array_writer;

/* Begins a file for packed row-major matrices of the array's shape, count and type; its data count for nothing.
 * Without :NAME the tensor of a safetensors file is called "C", and the array of a .npz "arr_0". The elements of a .npz
 * or a text are kept in memory until commit. The file has a temporary name (base/file.h), and all of
 * its bytes are set aside on the disk: VKMM_INVALID says that they do not fit, or that the path can hold no such file;
 * a path that is no regular file (a pipe, /dev/stdout) gets its bytes at commit, from a temporary file in TMPDIR or
 * /tmp. */
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
