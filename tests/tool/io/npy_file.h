/* .npy files made in memory, for tests. */
#pragma once

#include "base/log.h"
#include "unit.h"

#include <stdlib.h>

#include "io/array_format.h"

typedef struct npy_file {
    unsigned char *data; /* of exactly `bytes` bytes, so that a sanitizer sees every step beyond them */
    uint64_t bytes;
    uint64_t start; /* of the data */
} npy_file;

/* A file of this version with this dictionary; 16-byte aligned data, whose bytes count 0, 1, 2, …, 255, 0, … */
static inline npy_file npy_make(unsigned version, const char *dictionary, uint64_t data_bytes)
{
    npy_file f = {0};
    uint64_t prefix = version == 1 ? 10 : 12, length = strlen(dictionary);
    uint64_t padded = (prefix + length + 1 + 15) / 16 * 16 - prefix;
    f.start = prefix + padded;
    f.bytes = f.start + data_bytes;
    f.data = malloc((size_t)f.bytes);
    assert_non_null(f.data);
    memcpy(f.data, "\x93NUMPY", 6);
    f.data[6] = (unsigned char)version;
    f.data[7] = 0;
    for (uint64_t i = 8; i < prefix; i++) f.data[i] = (unsigned char)(padded >> (8 * (i - 8)));
    memset(f.data + prefix, ' ', (size_t)padded);
    memcpy(f.data + prefix, dictionary, (size_t)length);
    f.data[f.start - 1] = '\n';
    for (uint64_t i = 0; i < data_bytes; i++) f.data[f.start + i] = (unsigned char)i;
    return f;
}

static inline vkmm_status npy_parse_log(const npy_file *f, heard *h, cli_array *array)
{
    vkmm_log log = hear_with(h);
    return vkmm_tell(&log, cli_npy_format.parse("a.npy", NULL, f->data, f->bytes, array));
}
