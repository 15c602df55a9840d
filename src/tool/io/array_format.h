/* A format of files, for array*.c. Not for other rooms. */
#ifndef VKMM_IO_ARRAY_FORMAT_H
#define VKMM_IO_ARRAY_FORMAT_H

#include "io/array.h"

typedef struct vkmm_array_format {
    const char *name;
    const char *suffix; /* of the file's name */
    const char *magic;  /* what its files have at byte `magic_at`; NULL: nothing fixed */
    size_t magic_at;
    const char *(*dtype)(vkmm_type type); /* as the format calls it; NULL: it has no name for it */
    int (*is_name)(const char *tensor);   /* whether a tensor can be called so; NULL: the format has no names */

    /* Points the array into a whole file in memory. tensor: NULL, or the one to pick. Reads nothing outside of
     * `data` and trusts nothing in it. Elements need not be aligned. array->stored.separator is the format's. */
    vkmm_status (*parse)(const vkmm_log *log, const char *path, const char *tensor, const void *data, uint64_t bytes,
                         vkmm_array *array);

    /* Tensors in a whole file in memory; 0: it is no file of the format. NULL: the format has but one. */
    uint64_t (*count)(const void *data, uint64_t bytes);

    /* For a format whose files are made of elements behind a header: what stands before the elements; allocated, for
     * vkmm_free. NULL when memory ends. data_bytes: of all elements. */
    char *(*header)(const char *tensor, const vkmm_array *array, uint64_t data_bytes, size_t *header_bytes);

    /* For others. unpack, in place of parse: makes a .npy file of a file; allocated, for vkmm_free, even on failure.
     * encode writes a whole file of a packed array; NULL without header: this build cannot. */
    vkmm_status (*unpack)(const vkmm_log *log, const char *path, const char *tensor, const void *data, uint64_t bytes,
                          void **content, uint64_t *content_bytes);
    vkmm_status (*encode)(const vkmm_log *log, const char *tensor, const vkmm_array *array, vkmm_output *output);
    char separator; /* of numbers in a text; 0: the format is none */
} vkmm_array_format;

/* What a path means: its format, the file, and the tensor of it. */
typedef struct vkmm_array_name {
    const vkmm_array_format *format; /* NULL: no suffix of the path says it */
    char *file;                      /* owned */
    const char *tensor;              /* in the path; NULL: none is named */
} vkmm_array_name;

/* file NULL: memory ended. */
vkmm_array_name vkmm_array_name_of(const char *path);

/* The format that a file's first bytes show; NULL: they show none. */
const vkmm_array_format *vkmm_array_recognise(const char *data, uint64_t bytes);

/* ".npy, .csv or .mtx", of all formats. */
void vkmm_array_suffixes(char *text, size_t size);

/* Reads the numbers of a text, an array of a type by now, into packed memory in the order of the file. */
vkmm_status vkmm_text_read(const vkmm_log *log, const char *name, const vkmm_array *array, char *to);

/* Bytes of all elements of an array of these extents: 0 when they do not fit in 64 bits. */
int vkmm_array_bytes(const uint64_t *extents, uint32_t dimensions, uint32_t element_bytes, uint64_t *bytes);

/* Row-major (fortran: the first index fastest) over elements at `data`. 1 to 3 dimensions. */
vkmm_array vkmm_array_packed(const void *data, vkmm_type type, const uint64_t *extents, uint32_t dimensions,
                             int fortran);

/* Writes a number as an element: 0 where it does not fit in the type. Floats are rounded. */
int vkmm_array_put(vkmm_type type, void *element, double value);

extern const vkmm_array_format vkmm_npy_format, vkmm_npz_format, vkmm_safetensors_format, vkmm_csv_format,
    vkmm_tsv_format, vkmm_mtx_format;

#endif
