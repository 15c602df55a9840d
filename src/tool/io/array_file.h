/* Files of matrices in any format. The suffix of the name selects it: .npy, .safetensors, .csv, .tsv, or .npz and
 * .gguf, which are only read. .npz:NAME, .safetensors:NAME and .gguf:NAME select one array of the file. "-" is standard
 * input or output. */
#pragma once

#include "base/file.h"
#include "math/matrix.h"

/* How elements are stored in a file if not as in memory. cli_array_open converts them. */
typedef struct cli_encoding {
    int wide;             /* integers of 64 bits, for an array of i32 or u32 */
    const char *text_end; /* of the numbers in a text, which begin where the first element would; NULL: not a text */
    char separator;       /* between numbers on a line */
} cli_encoding;

/* The contents of a file. Owns nothing. */
typedef struct cli_array {
    vkmm_view first;     /* the matrix, or the first of a stack; a vector is one row */
    uint32_t dimensions; /* 1: a vector; 2: a matrix; 3: a stack of matrices of one shape */
    uint64_t count;      /* of matrices: 1 unless it is a stack */
    uint64_t stride;     /* elements from one matrix of a stack to the next */
    cli_encoding stored;
    vkmm_format format; /* unless VKMM_PLAIN, first.data are blocks along rows, and strides count their elements */
    int along_k;        /* rows are along K: the matrix is stored as A is, and B transposed */
} cli_array;

/* A matrix, or a stack of them unless count is 1. */
cli_array cli_array_of(const vkmm_view *first, uint64_t count, uint64_t stride);

/* Matrix x of the array, x < count. */
vkmm_view cli_array_at(const cli_array *array, uint64_t x);

typedef struct cli_array_file {
    vkmm_mapping mapping; /* owned */
    void *content;        /* owned: contents that are not mapped: standard input, or an array of a .npz; else NULL */
    void *copy;           /* owned: the elements, if they cannot be used as stored in the file; else NULL */
    cli_array array;      /* points into one of them */
} cli_array_file;

/* Reads the file: maps it if possible, and points an array at its elements. If the suffix belongs to no format, and
 * for "-", standard input, the first bytes select the format. The numbers of a text and of blocks have no type yet:
 * array.first.type is VKMM_AUTO until cli_array_text gives them one; blocks stay as they are. 64-bit integers become
 * i32 or u32, with a warning; VKMM_INVALID names the first that does not fit. Other failures: VKMM_INVALID with the
 * path and the cause. Standard input is read to its end, and may have at most `most` bytes; 0: half of the host's free
 * memory. Ended by cli_array_close. */
vkmm_status cli_array_open(const vkmm_log *log, const char *path, uint64_t most, cli_array_file *file);
vkmm_status cli_array_text(const vkmm_log *log, const char *path, vkmm_type type, cli_array_file *file);
void cli_array_close(cli_array_file *file); /* a zeroed cli_array_file is legal */

/* Call it when all elements have been read: VKMM_INVALID if some were missing because the file was truncated
 * meanwhile. path is for the message. */
vkmm_status cli_array_whole(const char *path, const cli_array_file *file);

/* Checks, without touching it, whether a file of this name can be written with `count` matrices of the type, `bytes`
 * in all (0: unknown): VKMM_INVALID says why not. The suffix must be a format's; "-" and names in /dev mean .npy. A
 * safetensors file that holds several arrays is not overwritten, since only one would remain. */
vkmm_status cli_array_takes(const char *path, vkmm_type type, uint64_t count, uint64_t bytes);

/* Writes an array, whatever its strides. The name is as below. */
vkmm_status cli_array_write(const char *path, const cli_array *array);

/* A file that is written in parts, in any order, by several threads, and can be read before it gets its final name. */
typedef struct cli_array_writer cli_array_writer;

/* Begins a file for packed row-major matrices of the array's shape, count and type; its data are not used.
 * Without :NAME the tensor of a safetensors file is called "C". The elements of a text are kept in memory until commit.
 * The file has a temporary name (base/file.h), and but for a text all of its bytes are reserved on the disk.
 * VKMM_INVALID: they do not fit, or the path cannot hold such a file.
 * A path that is not a regular file (a pipe, /dev/stdout) gets its bytes at commit, from a temporary file in TMPDIR or
 * /tmp. */
vkmm_status cli_array_writer_open(const char *path, const cli_array *shape, cli_array_writer **writer);

/* Writes a part of matrix x of the file, view's first element at (row, col). Several threads may write parts
 * without common elements at once. The view has the file's type and any strides; parts that are not packed are packed,
 * a megabyte at a time. VKMM_INVALID: full disk, and so on; VKMM_OUT_OF_MEMORY. The file can then only be discarded.
 * Elements that are not written are 0. */
vkmm_status cli_array_writer_put(cli_array_writer *writer, uint64_t x, uint64_t row, uint64_t col,
                                 const vkmm_view *view);

/* The same for all elements of an array of the file's shape, in order. */
vkmm_status cli_array_writer_put_all(cli_array_writer *writer, const cli_array *array);

/* Maps what has been written for reading. Valid as long as the writer; later writes are visible in it. Called by one
 * thread at a time. */
vkmm_status cli_array_writer_look(cli_array_writer *writer, cli_array *array);

/* As vkmm_output_commit and vkmm_output_discard; no thread may write any more. commit after a part that failed:
 * VKMM_INVALID, and the file is left as it was. */
vkmm_status cli_array_writer_commit(cli_array_writer **writer);
void cli_array_writer_discard(cli_array_writer **writer);
