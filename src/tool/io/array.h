/* Files of matrices, whatever their format: NumPy's .npy (io/npy.h), or safetensors (io/safetensors.h) where the
 * name ends in .safetensors, or in .safetensors:NAME, which picks the tensor NAME of the file. */
#ifndef VKMM_IO_ARRAY_H
#define VKMM_IO_ARRAY_H

#include "base/file.h"
#include "math/matrix.h"

/* What a file holds. Owns nothing. */
typedef struct vkmm_array {
    vkmm_view first;     /* the matrix; of a stack the first; a vector is one row */
    uint32_t dimensions; /* 1: a vector; 2: a matrix; 3: a stack of matrices of one shape */
    uint64_t count;      /* of matrices: 1 unless it is a stack */
    uint64_t stride;     /* elements from one matrix of a stack to the next */
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
    void *copy;           /* owned: the elements, where they are not aligned in the file; else NULL */
    vkmm_array array;     /* looks into one of them */
} vkmm_array_file;

/* Maps the file and points an array at its elements. VKMM_INVALID with the path and the cause. Ended by
 * vkmm_array_close. */
vkmm_status vkmm_array_open(const vkmm_log *log, const char *path, vkmm_array_file *file);
void vkmm_array_close(vkmm_array_file *file); /* a zeroed vkmm_array_file is legal */

/* To be asked when all elements have been read: VKMM_INVALID where some were not there, since the file had been made
 * shorter (base/file.h, vkmm_mapping_guard). path is for the message. */
vkmm_status vkmm_array_whole(const vkmm_log *log, const char *path, const vkmm_array_file *file);

/* Whether a file of this name can be written with elements of the type, without touching it: VKMM_INVALID says why
 * not. A safetensors file that holds several tensors is not for writing, since but one would be left. */
vkmm_status vkmm_array_takes(const vkmm_log *log, const char *path, vkmm_type type);

/* Writes an array, whatever its strides, through a temporary file (base/file.h): rows that are not packed are, a
 * megabyte at a time. Without :NAME the tensor of a safetensors file is called "C". VKMM_OUT_OF_MEMORY: no room for
 * that. */
vkmm_status vkmm_array_write(const vkmm_log *log, const char *path, const vkmm_array *array);

#endif
