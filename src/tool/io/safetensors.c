/* safetensors files (https://huggingface.co/docs/safetensors): 8 bytes with the length of the header, little-endian;
 * the header, a JSON object from names to {"dtype", "shape", "data_offsets": [begin, end]}, and optionally
 * "__metadata__", an object of strings; then the elements of all tensors, row-major and little-endian, at those
 * offsets from the header's end. The header begins with '{' and has at most 100,000,000 bytes, and no name occurs
 * twice. Only the selected tensor must be whole, and have as many bytes as its shape needs. Read and written: F16,
 * BF16, F32, F64, F8_E4M3, F8_E5M2, I8, U8, I32 and U32, one to three dimensions; read as I32 and U32: I64 and U64. A
 * file may also hold others. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#define MOST_HEADER_BYTES 100000000 /* the format's own limit */

enum {
    PREFIX = 8,
    ALIGNMENT = 64 /* the format asks for multiples of 8; 64 suits any vector instruction */
};

static const char *dtype_of(vkmm_type type)
{
    return vkmm_type_of(type)->tag;
}

typedef struct reader {
    const char *name; /* of the file */
    const char *data; /* after the header */
    uint64_t data_bytes;
    json_t *header;
} reader;

VKMM_PRINTF(3, 4) static vkmm_status refuse(const reader *r, const char *name, const char *format, ...)
{
    char quoted[CLI_NAME_BYTES], what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cli_array_quote(name, strlen(name), quoted);
    return vkmm_fail(VKMM_INVALID, "%s: tensor %s %s", r->name, quoted, what);
}

/* A non-negative integer: 1 and *number. */
static int is_count(const json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return 0;
    *number = (uint64_t)json_integer_value(value);
    return 1;
}

static int type_of(const char *dtype, vkmm_type *type)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        if (strcmp(dtype, dtype_of((vkmm_type)t)) != 0) continue;
        *type = (vkmm_type)t;
        return 1;
    }
    return 0;
}

static vkmm_status read_tensor(const reader *r, const char *name, const json_t *value, cli_array *array)
{
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    const json_t *shape = json_object_get(value, "shape"), *offsets = json_object_get(value, "data_offsets");
    const size_t dimensions = json_array_size(shape);
    uint64_t begin, end, bytes, extents[3] = {0, 0, 0};
    if (dtype == NULL || !json_is_array(shape) || !json_is_array(offsets))
        return refuse(r, name, "must have dtype (a string), shape and data_offsets (lists)");
    const int wide = strcmp(dtype, "I64") == 0 || strcmp(dtype, "U64") == 0;
    vkmm_type type = dtype[0] == 'I' ? VKMM_I32 : VKMM_U32;
    if (!wide && !type_of(dtype, &type))
        return refuse(r, name,
                      "has dtype %.20s; F16, BF16, F32, F64, F8_E4M3, F8_E5M2, I8, U8, I32, U32, I64 and U64 are "
                      "supported",
                      dtype);
    if (dimensions < 1 || dimensions > 3)
        return refuse(r, name, "has %zu dimensions; a matrix has 2, and a batch of them 3", dimensions);
    for (size_t i = 0; i < dimensions; i++)
        if (!is_count(json_array_get(shape, i), &extents[i]))
            return refuse(r, name, "has a shape that is not a list of non-negative integers");
    if (json_array_size(offsets) != 2 || !is_count(json_array_get(offsets, 0), &begin) ||
        !is_count(json_array_get(offsets, 1), &end) || begin > end)
        return refuse(r, name, "has data_offsets that are not [begin, end] with 0 <= begin <= end");
    if (end > r->data_bytes)
        return refuse(r, name, "ends at byte %llu of the data; the file has %llu: the last %llu are missing",
                      (unsigned long long)end, (unsigned long long)r->data_bytes,
                      (unsigned long long)(end - r->data_bytes));
    if (!cli_array_bytes(extents, (uint32_t)dimensions, wide ? 8 : vkmm_type_of(type)->bytes, &bytes))
        return refuse(r, name, "has a shape whose size in bytes does not fit in 64 bits");
    if (end - begin != bytes)
        return refuse(r, name, "needs %llu bytes by its dtype and shape; its data_offsets span %llu",
                      (unsigned long long)bytes, (unsigned long long)(end - begin));
    *array = cli_array_packed(r->data + begin, type, extents, (uint32_t)dimensions, 0);
    array->stored.wide = wide;
    return VKMM_OK;
}

/* The tensor of this name; NULL: the only one. */
static vkmm_status pick(const reader *r, const char *wanted, cli_array *array)
{
    cli_array_names names = {0};
    const char *name, *found = NULL;
    json_t *value;
    json_object_foreach(r->header, name, value)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        cli_array_names_add(&names, name, strlen(name));
        if (wanted == NULL ? names.count == 1 : strcmp(name, wanted) == 0) found = name;
    }
    if (found == NULL || (wanted == NULL && names.count > 1))
        return cli_array_names_refuse(r->name, ".safetensors", wanted, &names);
    return read_tensor(r, found, json_object_get(r->header, found), array);
}

static vkmm_status read_header(reader *r, const char *file, uint64_t bytes)
{
    json_error_t error;
    uint64_t length = 0;
    for (unsigned i = PREFIX; i-- > 0 && bytes > PREFIX;) length = length << 8 | (unsigned char)file[i];
    if (bytes <= PREFIX || length == 0 || file[PREFIX] != '{')
        return vkmm_fail(VKMM_INVALID, "%s: not a safetensors file: %llu bytes, whose header does not begin with '{'",
                         r->name, (unsigned long long)bytes);
    if (length > MOST_HEADER_BYTES)
        return vkmm_fail(VKMM_INVALID, "%s: the header has %llu bytes; the format allows %d", r->name,
                         (unsigned long long)length, MOST_HEADER_BYTES);
    if (length > bytes - PREFIX)
        return vkmm_fail(VKMM_INVALID, "%s: the file ends inside its header, which needs %llu bytes of the file's %llu",
                         r->name, (unsigned long long)(length + PREFIX), (unsigned long long)bytes);
    r->header = json_loadb(file + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (r->header == NULL)
        return vkmm_fail(VKMM_INVALID, "%s: the header is not JSON at byte %d: %s", r->name, error.position,
                         error.text);
    r->data = file + PREFIX + length;
    r->data_bytes = bytes - PREFIX - length;
    return VKMM_OK;
}

static vkmm_status parse(const char *name, const char *wanted, const void *data, uint64_t bytes, cli_array *array)
{
    reader r = {.name = name};
    vkmm_status status = read_header(&r, data, bytes);
    if (status == VKMM_OK) status = pick(&r, wanted, array);
    json_decref(r.header);
    return status;
}

static uint64_t count_tensors(const void *data, uint64_t bytes)
{
    reader r = {.name = ""};
    const vkmm_status status = read_header(&r, data, bytes);
    const uint64_t count =
        status == VKMM_OK ? json_object_size(r.header) - (json_object_get(r.header, "__metadata__") != NULL) : 0;
    json_decref(r.header);
    return count;
}

/* UTF-8, as in JSON, and not reserved by the format. */
static int is_name(const char *name)
{
    json_t *text = json_string(name);
    const int well = text != NULL && name[0] != '\0' && strcmp(name, "__metadata__") != 0;
    json_decref(text);
    return well;
}

static json_t *make_tree(const char *name, const cli_array *array, uint64_t data_bytes)
{
    const vkmm_view *view = &array->first;
    const json_int_t count = (json_int_t)array->count, rows = (json_int_t)view->rows, cols = (json_int_t)view->cols;
    json_t *shape = array->dimensions == 3 ? json_pack("[I,I,I]", count, rows, cols) : json_pack("[I,I]", rows, cols);
    return json_pack("{s:{s:s,s:o,s:[I,I]}}", name, "dtype", dtype_of(view->type), "shape", shape, "data_offsets",
                     (json_int_t)0, (json_int_t)data_bytes);
}

/* Blanks at the header's end align the elements for mapping. */
static char *make_header(const char *name, const cli_array *array, uint64_t data_bytes, size_t *header_bytes)
{
    json_t *tree = make_tree(name != NULL ? name : "C", array, data_bytes);
    char *text = json_dumps(tree, JSON_COMPACT), *header = NULL;
    if (text != NULL) {
        const size_t length = strlen(text), bytes = (PREFIX + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        header = vkmm_alloc(1, bytes);
        if (header != NULL) {
            memset(header, ' ', bytes);
            for (unsigned i = 0; i < PREFIX; i++) header[i] = (char)((uint64_t)(bytes - PREFIX) >> (8 * i));
            memcpy(header + PREFIX, text, length);
            *header_bytes = bytes;
        }
    }
    free(text);
    json_decref(tree);
    return header;
}

const cli_array_format cli_safetensors_format = {.suffix = ".safetensors",
                                                 .magic = "{",
                                                 .magic_at = PREFIX,
                                                 .dtype = dtype_of,
                                                 .has_names = 1,
                                                 .is_name = is_name,
                                                 .parse = parse,
                                                 .count = count_tensors,
                                                 .header = make_header};
