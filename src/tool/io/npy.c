/* NumPy's .npy files, versions 1.0, 2.0 and 3.0 (NEP 1; numpy/lib/format.py documents the header). Read: C and
 * Fortran order, f2, f4, f8, i4, u4, i1 and u1, and i8 and u8 as i4 and u4; little-endian; one to three
 * dimensions; extents may be 0.
 * Anything else is an error that says what was found. Bytes after the data are ignored, as in NumPy. Written:
 * version 1.0, C order. The format has no bf16. */
#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a view points straight into the file, whose numbers are little-endian: this host's are not"
#endif

enum {
    SHAPE_BYTES = 80,
    SHOWN = 60,         /* bytes of a file's text that a message repeats */
    MOST_HEAD = 1 << 20 /* bytes; NumPy reads 10,000 by default */
};

static const char *dtype(vkmm_type type)
{
    static const char *const names[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = "<f4", [VKMM_F64] = "<f8", [VKMM_I32] = "<i4", [VKMM_U32] = "<u4",
        [VKMM_F16] = "<f2", [VKMM_I8] = "|i1",  [VKMM_U8] = "|u1"};
    return names[type];
}

/* What a header says. */
typedef struct head {
    const char *text, *end; /* of the dictionary; the data follow it */
    vkmm_type type;
    cli_encoding stored;
    int fortran;
    uint64_t extents[3];
    uint32_t dimensions;
} head;

/* The header is the text of a Python dictionary. It becomes JSON: other quotes, brackets, words, no comma before a
 * bracket, and no L after the long integers of Python 2. No string that matters here has an escape. NULL: memory ran
 * out, or it is something else, which *error says. */
static json_t *json_of(const head *h, json_error_t *error)
{
    char *json = malloc((size_t)(h->end - h->text) + 1), *to = json, quote = '\0';
    json_t *dictionary = NULL;
    for (const char *at = h->text; json != NULL && at < h->end; at++) {
        const char *next = at + 1; /* after a comma: what follows it */
        while (*at == ',' && next < h->end && memchr(" \t\r\n", *next, 4) != NULL) next++;
        if (quote != '\0' || *at == '\'' || *at == '"') {
            *to++ = *at == quote || quote == '\0' ? '"' : *at;
            quote = *at == quote ? '\0' : quote == '\0' ? *at : quote;
        } else if (*at == '(' || *at == ')') {
            *to++ = *at == '(' ? '[' : ']';
        } else if (*at == 'T' || *at == 'F') {
            *to++ = *at == 'T' ? 't' : 'f';
        } else if (*at != 'L' && !(*at == ',' && next < h->end && memchr(")]}", *next, 3) != NULL)) {
            *to++ = *at;
        }
    }
    error->text[0] = '\0';
    if (json != NULL) dictionary = json_loadb(json, (size_t)(to - json), JSON_REJECT_DUPLICATES, error);
    free(json);
    return dictionary;
}

#define DTYPES "f2, f4, f8, i1, i4, i8, u1, u4 and u8"

/* '=' is the byte order of the machine that wrote the file, which is assumed to be little-endian;
 * a byte has none. VKMM_AUTO: there is no such type. */
static vkmm_type type_of(const char *text, size_t length, cli_encoding *stored)
{
    if (length != 3 || memchr("<=|", text[0], 3) == NULL) return VKMM_AUTO;
    stored->wide = text[2] == '8' && text[1] != 'f';
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const char *descr = dtype((vkmm_type)type);
        if (descr != NULL && text[1] == descr[1] && (stored->wide ? '4' : text[2]) == descr[2] &&
            (text[0] != '|' || text[2] == '1'))
            return (vkmm_type)type;
    }
    return VKMM_AUTO;
}

static vkmm_status read_descr(const char *name, const json_t *descr, head *h)
{
    const char *text = json_string_value(descr);
    if (json_is_array(descr))
        return vkmm_fail(VKMM_INVALID, "%s: records (a structured dtype) are not supported; only " DTYPES " are", name);
    if (text == NULL) return vkmm_fail(VKMM_INVALID, "%s: the .npy header needs a string for 'descr'", name);
    h->type = type_of(text, strlen(text), &h->stored);
    if (h->type != VKMM_AUTO) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: dtype '%.*s' is not supported; only " DTYPES " are%s", name, SHOWN, text,
                     text[0] == '>' ? ", little-endian" : "");
}

static vkmm_status read_shape(const char *name, const json_t *shape, head *h)
{
    if (!json_is_array(shape)) return vkmm_fail(VKMM_INVALID, "%s: the .npy header needs a tuple for 'shape'", name);
    for (size_t i = 0; i < json_array_size(shape); i++) {
        const json_t *extent = json_array_get(shape, i);
        if (!json_is_integer(extent) || json_integer_value(extent) < 0)
            return vkmm_fail(VKMM_INVALID, "%s: the .npy header needs a tuple of extents for 'shape'", name);
        if (i < 3) h->extents[i] = (uint64_t)json_integer_value(extent);
    }
    h->dimensions = (uint32_t)json_array_size(shape);
    if (h->dimensions >= 1 && h->dimensions <= 3) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: its shape has %u dimensions; a matrix has 2, and a batch of them 3", name,
                     h->dimensions);
}

static vkmm_status read_dictionary(const char *name, head *h)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    json_error_t error;
    json_t *dictionary = json_of(h, &error);
    const json_t *order = json_object_get(dictionary, "fortran_order");
    vkmm_status status = VKMM_OK;
    if (dictionary == NULL && error.text[0] == '\0')
        status = VKMM_NO_MEMORY("for the .npy header of %s", name);
    else if (!json_is_object(dictionary))
        status = vkmm_fail(VKMM_INVALID, "%s: the .npy header is not a dictionary%s%s", name,
                           error.text[0] != '\0' ? ": " : "", error.text);
    for (size_t i = 0; i < VKMM_COUNT(keys) && status == VKMM_OK; i++)
        if (json_object_get(dictionary, keys[i]) == NULL)
            status = vkmm_fail(VKMM_INVALID, "%s: the .npy header lacks the key '%s'", name, keys[i]);
    if (status == VKMM_OK && json_object_size(dictionary) > VKMM_COUNT(keys))
        status = vkmm_fail(VKMM_INVALID, "%s: the .npy header has an unknown key", name);
    if (status == VKMM_OK && !json_is_boolean(order))
        status = vkmm_fail(VKMM_INVALID, "%s: the .npy header needs True or False for 'fortran_order'", name);
    h->fortran = json_is_true(order);
    if (status == VKMM_OK) status = read_descr(name, json_object_get(dictionary, "descr"), h);
    if (status == VKMM_OK) status = read_shape(name, json_object_get(dictionary, "shape"), h);
    json_decref(dictionary);
    return status;
}

/* Finds the header's text; the data follow it. */
static vkmm_status find_header(const char *name, const char *file, uint64_t bytes, head *h)
{
    const unsigned char *u = (const unsigned char *)file;
    if (bytes < 10 || memcmp(file, "\x93NUMPY", 6) != 0)
        return vkmm_fail(VKMM_INVALID, "%s: not a .npy file: it does not begin with \"\\x93NUMPY\" and a version",
                         name);
    if (u[6] < 1 || u[6] > 3 || u[7] != 0)
        return vkmm_fail(VKMM_INVALID, "%s: .npy version %u.%u is unknown; 1.0, 2.0 and 3.0 are supported", name, u[6],
                         u[7]);
    const unsigned start = u[6] == 1 ? 10 : 12; /* the length of the text is before it, little-endian */
    uint64_t size = 0;
    for (unsigned i = start; i-- > 8 && bytes >= start;) size = size << 8 | u[i];
    size += start;
    if (size > MOST_HEAD)
        return vkmm_fail(VKMM_INVALID, "%s: the .npy header has %llu bytes; at most %d are read", name,
                         (unsigned long long)size, MOST_HEAD);
    if (bytes < size)
        return vkmm_fail(VKMM_INVALID, "%s: the file ends inside its header, which needs %llu bytes of the file's %llu",
                         name, (unsigned long long)size, (unsigned long long)bytes);
    h->text = file + start;
    h->end = file + size;
    return VKMM_OK;
}

/* "3×4", in elements, slowest first; "5" for a vector. */
static void say_shape(const cli_array *array, char text[SHAPE_BYTES])
{
    const unsigned long long count = array->count, rows = array->first.rows, cols = array->first.cols;
    if (array->dimensions == 1)
        snprintf(text, SHAPE_BYTES, "%llu", cols);
    else if (array->dimensions == 2)
        snprintf(text, SHAPE_BYTES, "%llu×%llu", rows, cols);
    else
        snprintf(text, SHAPE_BYTES, "%llu×%llu×%llu", count, rows, cols);
}

static vkmm_status parse(const char *name, const char *tensor, const void *data, uint64_t bytes, cli_array *array)
{
    (void)tensor;
    head h = {.type = VKMM_AUTO};
    vkmm_status status = find_header(name, data, bytes, &h);
    if (status == VKMM_OK) status = read_dictionary(name, &h);
    if (status != VKMM_OK) return status;

    const vkmm_type_info *type = vkmm_type_of(h.type);
    cli_array read = cli_array_packed(h.end, h.type, h.extents, h.dimensions, h.fortran);
    const uint32_t size = h.stored.wide ? 8 : type->bytes;
    uint64_t have = bytes - (uint64_t)(h.end - (const char *)data), need = 0;
    char shape[SHAPE_BYTES];
    say_shape(&read, shape);
    read.stored = h.stored;
    if (!cli_array_bytes(h.extents, h.dimensions, size, &need))
        return vkmm_fail(VKMM_INVALID, "%s: the size in bytes of %s elements of type %s does not fit in 64 bits", name,
                         shape, type->name);
    if (have < need)
        return vkmm_fail(VKMM_INVALID, "%s: %s elements of type %s need %llu bytes of data; the last %llu are missing",
                         name, shape, type->name, (unsigned long long)need, (unsigned long long)(need - have));
    *array = read;
    return VKMM_OK;
}

/* NumPy starts the data at a multiple of 64 bytes, so mapped data are aligned for any vector instruction. The longest
 * dictionary (three extents of 20 digits) fits in three such units with the 10 bytes before it; with two extents, in
 * two. */
enum { ALIGNMENT = 64, MOST_HEADER_BYTES = 3 * ALIGNMENT };

static char *make_header(const char *tensor, const cli_array *array, uint64_t data_bytes, size_t *header_bytes)
{
    char text[MOST_HEADER_BYTES], count[32] = "", *header;
    size_t bytes = array->dimensions < 3 ? 2 * ALIGNMENT : 3 * ALIGNMENT;
    (void)tensor, (void)data_bytes;
    if (array->dimensions == 3) VKMM_PUT(count, "%llu, ", (unsigned long long)array->count);
    int length =
        VKMM_PUT(text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%llu, %llu), }", dtype(array->first.type),
                 count, (unsigned long long)array->first.rows, (unsigned long long)array->first.cols);
    header = vkmm_alloc(1, bytes);
    if (header == NULL) return NULL;
    memset(header, ' ', bytes);
    memcpy(header, "\x93NUMPY\x01\x00", 8); /* and 16 bits: the length of what follows */
    header[8] = (char)(bytes - 10);
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[bytes - 1] = '\n';
    *header_bytes = bytes;
    return header;
}

const cli_array_format cli_npy_format = {
    .suffix = ".npy", .magic = "\x93NUMPY", .dtype = dtype, .parse = parse, .header = make_header};
