/* GGUF files, versions 2 and 3, little-endian (docs/gguf.md of ggml): "GGUF", the version, the numbers of tensors and
 * of keys; the keys, each with its value; for each tensor its name, dimensions, type, and offset in the data, which
 * begin at the next multiple of general.alignment, or of 32. The first dimension is contiguous: a tensor K, N is N rows
 * of K elements. Numbers of types are those of ggml_type (ggml.h of ggml, commit d99724f of 2026-08-21).
 *   Reading allocates nothing, and takes no longer than the header is long. Only the selected tensor must be whole. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/problem.h"
#include "math/type.h"

enum { FIRST_VERSION = 2, LAST_VERSION = 3, ALIGNMENT = 32, DEEPEST = 8, MOST_DIMENSIONS = 3 };
enum { I64 = 27, UINT32_VALUE = 4, STRING_VALUE = 8, ARRAY_VALUE = 9 };

/* VKMM_AUTO: blocks; with VKMM_PLAIN, a type that is not supported, but often beside those that are. */
static const struct ggml_type {
    unsigned number;
    const char *name;
    vkmm_type type;
    vkmm_format format;
} types[] = {
    {0, "F32", VKMM_F32, VKMM_PLAIN},   {1, "F16", VKMM_F16, VKMM_PLAIN},     {30, "BF16", VKMM_BF16, VKMM_PLAIN},
    {28, "F64", VKMM_F64, VKMM_PLAIN},  {24, "I8", VKMM_I8, VKMM_PLAIN},      {26, "I32", VKMM_I32, VKMM_PLAIN},
    {27, "I64", VKMM_I32, VKMM_PLAIN},  {8, "Q8_0", VKMM_AUTO, VKMM_Q8_0},    {2, "Q4_0", VKMM_AUTO, VKMM_Q4_0},
    {12, "Q4_K", VKMM_AUTO, VKMM_Q4_K}, {39, "MXFP4", VKMM_AUTO, VKMM_MXFP4}, {40, "NVFP4", VKMM_AUTO, VKMM_NVFP4},
    {3, "Q4_1", VKMM_AUTO, VKMM_Q4_1},  {6, "Q5_0", VKMM_AUTO, VKMM_Q5_0},    {7, "Q5_1", VKMM_AUTO, VKMM_Q5_1},
    {13, "Q5_K", VKMM_AUTO, VKMM_Q5_K}, {14, "Q6_K", VKMM_AUTO, VKMM_Q6_K},   {10, "Q2_K", VKMM_AUTO, VKMM_PLAIN},
    {11, "Q3_K", VKMM_AUTO, VKMM_PLAIN}};

typedef struct reader {
    const char *path, *data;
    unsigned long long bytes, at, alignment; /* alignment 0: not stated so far */
    vkmm_status status;                      /* of the first failure */
} reader;

#define REFUSE(r, text, ...) vkmm_fail(VKMM_INVALID, "%s: " text, (r)->path, __VA_ARGS__)

typedef struct tensor {
    const char *name; /* not terminated */
    unsigned long long name_bytes, dimensions, extents[MOST_DIMENSIONS], type, offset;
} tensor;

/* The next bytes of the header; NULL: the file ends before. */
static const char *take(reader *r, unsigned long long bytes)
{
    const char *from = r->data + r->at;
    if (bytes <= r->bytes - r->at && r->status == VKMM_OK) {
        r->at += bytes;
        return from;
    }
    if (r->status == VKMM_OK)
        r->status =
            REFUSE(r, "the file ends inside its header: %llu bytes from byte %llu on, of %llu", bytes, r->at, r->bytes);
    return NULL;
}

/* 0 after a failure. */
static unsigned long long number(reader *r, unsigned bytes)
{
    const unsigned char *from = (const unsigned char *)take(r, bytes);
    unsigned long long value = 0;
    for (unsigned i = 0; i < bytes && from != NULL; i++) value |= (unsigned long long)from[i] << (8 * i);
    return value;
}

static void skip(reader *r, unsigned long long type, unsigned long long count, int depth)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}; /* 0: strings and arrays */
    uint64_t bytes;
    if (r->status != VKMM_OK) return;
    if (type >= VKMM_COUNT(sizes)) {
        r->status = REFUSE(r, "the metadata before byte %llu have type %llu; 0 to 12 are known", r->at, type);
    } else if (depth > DEEPEST) {
        r->status = REFUSE(r, "an array before byte %llu of the metadata is over %d deep", r->at, DEEPEST);
    } else if (sizes[type] > 0) {
        take(r, vkmm_mul_u64(sizes[type], count, &bytes) ? bytes : UINT64_MAX);
    } else {
        for (uint64_t i = 0; i < count && r->status == VKMM_OK; i++) {
            const uint64_t inner = type == ARRAY_VALUE ? number(r, 4) : 0, length = number(r, 8);
            if (type == STRING_VALUE)
                take(r, length);
            else
                skip(r, inner, length, depth + 1);
        }
    }
}

static void read_pair(reader *r)
{
    static const char alignment[] = "general.alignment";
    const uint64_t bytes = number(r, 8);
    const char *key = take(r, bytes);
    const uint64_t type = number(r, 4);
    if (key == NULL || bytes != sizeof alignment - 1 || memcmp(key, alignment, sizeof alignment - 1) != 0) {
        skip(r, type, 1, 0);
        return;
    }
    const int again = r->alignment != 0;
    r->alignment = number(r, 4);
    if (r->status != VKMM_OK) return;
    if (type != UINT32_VALUE || again || r->alignment == 0 || (r->alignment & (r->alignment - 1)) != 0)
        r->status = REFUSE(r, "general.alignment is %llu; it must be one uint32 that is a power of two", r->alignment);
}

static tensor read_tensor(reader *r)
{
    tensor t = {.name_bytes = number(r, 8)};
    t.name = take(r, t.name_bytes);
    t.dimensions = number(r, 4);
    for (uint64_t i = 0; i < t.dimensions && r->status == VKMM_OK; i++) {
        const uint64_t extent = number(r, 8);
        if (i < MOST_DIMENSIONS) t.extents[i] = extent;
    }
    t.type = number(r, 4);
    t.offset = number(r, 8);
    return t;
}

/* After the header. */
static vkmm_status point(const reader *r, const tensor *t, cli_array *array)
{
    const unsigned long long alignment = r->alignment > 0 ? r->alignment : ALIGNMENT,
                             begin = (r->at + alignment - 1) / alignment * alignment,
                             left = begin < r->bytes ? r->bytes - begin : 0;
    const uint32_t dimensions = (uint32_t)t->dimensions;
    uint64_t extents[MOST_DIMENSIONS], blocks[MOST_DIMENSIONS], needed;
    char name[CLI_NAME_BYTES], kind[32];
    struct ggml_type ggml = {0};
    cli_array_quote(t->name, t->name_bytes, name);
    VKMM_PUT(kind, "type %llu", t->type);
    for (size_t i = 0; i < VKMM_COUNT(types); i++)
        if (types[i].number == t->type) ggml = types[i];
    if (ggml.name != NULL) VKMM_PUT(kind, "%s", ggml.name);
    if (ggml.type == VKMM_AUTO && ggml.format == VKMM_PLAIN)
        return REFUSE(
            r,
            "tensor %s holds %s; F32, F16, BF16, F64, I8, I32, I64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, "
            "Q6_K, MXFP4 and NVFP4 are supported",
            name, kind);
    if (t->dimensions < 1 || t->dimensions > MOST_DIMENSIONS)
        return REFUSE(r, "tensor %s has %llu dimensions; a matrix has 2, and a batch of them 3", name, t->dimensions);
    const vkmm_format_info *block = vkmm_format_at(ggml.format);
    const uint32_t size = t->type == I64 ? 8 : (uint32_t)vkmm_span(ggml.format, ggml.type, block->elements);
    for (uint32_t i = 0; i < dimensions; i++) blocks[i] = extents[i] = t->extents[dimensions - 1 - i];
    blocks[dimensions - 1] /= block->elements;
    if (t->extents[0] % block->elements != 0)
        return REFUSE(r, "tensor %s has rows of %llu elements; a block of %s has %u", name, t->extents[0], kind,
                      block->elements);
    if (!cli_array_bytes(blocks, dimensions, size, &needed))
        return REFUSE(r, "tensor %s has a shape whose size in bytes does not fit in 64 bits", name);
    const unsigned long long bytes = needed;
    if (t->offset % alignment != 0)
        return REFUSE(r, "tensor %s has offset %llu; the file's alignment is %llu", name, t->offset, alignment);
    if (t->offset > left || bytes > left - t->offset)
        return REFUSE(r, "tensor %s has %llu bytes from byte %llu of the data on; the file has %llu", name, bytes,
                      t->offset, left);
    *array = cli_array_packed(r->data + (bytes > 0 ? begin + t->offset : 0), ggml.type, extents, dimensions, 0);
    array->stored.wide = t->type == I64;
    array->format = ggml.format;
    array->along_k = 1;
    return VKMM_OK;
}

static vkmm_status parse(const char *path, const char *wanted, const void *data, uint64_t bytes, cli_array *array)
{
    reader r = {.path = path, .data = data, .bytes = bytes, .at = 4};
    cli_array_names names = {0};
    tensor found = {0};
    unsigned long long matches = 0;
    if (bytes < 4 || memcmp(data, "GGUF", 4) != 0)
        return vkmm_fail(VKMM_INVALID, "%s: not a GGUF file: it does not begin with GGUF", path);
    const unsigned long long version = number(&r, 4);
    if (r.status == VKMM_OK && (version < FIRST_VERSION || version > LAST_VERSION))
        return REFUSE(&r, "GGUF version %llu; versions 2 and 3, little-endian, are supported", version);
    const unsigned long long tensors = number(&r, 8), pairs = number(&r, 8);
    for (uint64_t i = 0; i < pairs && r.status == VKMM_OK; i++) read_pair(&r);
    for (uint64_t i = 0; i < tensors && r.status == VKMM_OK; i++) {
        const tensor t = read_tensor(&r);
        if (r.status != VKMM_OK) break;
        cli_array_names_add(&names, t.name, t.name_bytes);
        if (wanted == NULL ? tensors > 1 : t.name_bytes != strlen(wanted) || memcmp(t.name, wanted, t.name_bytes) != 0)
            continue;
        found = t;
        matches++;
    }
    if (r.status != VKMM_OK) return r.status;
    if (matches == 0) return cli_array_names_refuse(path, ".gguf", wanted, &names);
    if (matches == 1) return point(&r, &found, array);
    return REFUSE(&r, "%llu tensors have this name", matches);
}

const cli_array_format cli_gguf_format = {.suffix = ".gguf", .magic = "GGUF", .has_names = 1, .parse = parse};
