/* A file format, for array*.c. Not for other folders. */
#pragma once

#include "io/array_file.h"

typedef struct cli_array_format {
    const char *suffix; /* of the file's name */
    const char *magic;  /* the bytes of its files at `magic_at`; NULL: nothing fixed */
    size_t magic_at;
    int has_names;                        /* a file can hold several tensors: FILE.suffix:NAME selects one */
    const char *(*dtype)(vkmm_type type); /* the format's name for it; NULL: none. NULL: files are only read */

    /* Points the array into a whole file in memory. tensor: NULL, or the one to select. Reads nothing outside
     * `data` and trusts nothing in it. Elements need not be aligned. array->stored.separator is the format's. */
    vkmm_status (*parse)(const char *path, const char *tensor, const void *data, uint64_t bytes, cli_array *array);

    /* For a format that is written and has names: whether a tensor can have this one; and tensors in a whole file in
     * memory, 0 if it is not a file of the format. */
    int (*is_name)(const char *tensor);
    uint64_t (*count)(const void *data, uint64_t bytes);

    /* For a format whose files are a header followed by elements: the header; allocated, for vkmm_free. NULL if memory
     * runs out. data_bytes: of all elements. */
    char *(*header)(const char *tensor, const cli_array *array, uint64_t data_bytes, size_t *header_bytes);

    /* Instead of parse: converts a file to a .npy file; allocated, for vkmm_free, even on failure. */
    vkmm_status (*unpack)(const char *path, const char *tensor, const void *data, uint64_t bytes, void **content,
                          uint64_t *content_bytes);
    char separator; /* between numbers of a text; 0: the format is not a text */
} cli_array_format;

/* What a path means: its format, the file, and the tensor of it. */
typedef struct cli_array_name {
    const cli_array_format *format; /* NULL: the path has no known suffix */
    char *file;                     /* owned */
    const char *tensor;             /* in the path; NULL: none is named */
} cli_array_name;

/* file NULL: memory ran out. */
cli_array_name cli_array_name_of(const char *path);

/* The format that a file's first bytes identify; NULL: none. */
const cli_array_format *cli_array_recognise(const char *data, uint64_t bytes);

/* ".npy, .csv or .tsv", of all formats, or of those that are written. */
void cli_array_suffixes(int written, char *text, size_t size);

enum { CLI_NAME_BYTES = 64, CLI_NAMES_BYTES = 600 };

/* A tensor's name as JSON has it, in ASCII and cut, so that a file cannot control a terminal or hide its contents. */
void cli_array_quote(const char *name, size_t bytes, char text[CLI_NAME_BYTES]);

/* The names of a file's tensors, as many as fit in a sentence. Begins zeroed. */
typedef struct cli_array_names {
    char text[CLI_NAMES_BYTES];
    uint64_t count, listed;
} cli_array_names;

void cli_array_names_add(cli_array_names *names, const char *name, size_t bytes);

/* VKMM_INVALID: the file has no tensor of this name; NULL: not one tensor, but several or none. */
vkmm_status cli_array_names_refuse(const char *path, const char *suffix, const char *wanted,
                                   const cli_array_names *names);

/* Reads the numbers of a text, whose array has a type by now, into packed memory in the order of the file. */
vkmm_status cli_text_read(const char *name, const cli_array *array, char *to);

/* Writes the whole text of one packed matrix, whose stored.separator is the format's. */
vkmm_status cli_text_write(const cli_array *array, vkmm_output *output);

/* Sets *bytes to the size of all elements of an array of these extents. 0 if it does not fit in 64 bits. */
int cli_array_bytes(const uint64_t *extents, uint32_t dimensions, uint32_t element_bytes, uint64_t *bytes);

/* Row-major (fortran: the first index fastest) over elements at `data`. 1 to 3 dimensions. */
cli_array cli_array_packed(const void *data, vkmm_type type, const uint64_t *extents, uint32_t dimensions, int fortran);

/* Writes a number as an element: 0 if it does not fit in the type. Floats are rounded. */
int cli_array_put(vkmm_type type, void *element, double value);

extern const cli_array_format cli_npy_format, cli_npz_format, cli_safetensors_format, cli_gguf_format, cli_csv_format,
    cli_tsv_format;
