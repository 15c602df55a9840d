#include "unit.h"

#include "base/alloc.h"
#include "io/array_format.h"

#define ONE(dtype, shape, begin, end) \
    "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}}"
#define T(dtype, shape, begin, end) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"

/* A file of exactly its own bytes, so that a sanitizer sees every step beyond them; its data count 0, 1, 2, … */
static unsigned char *make(const char *header, uint64_t said, size_t data_bytes, size_t *bytes)
{
    const size_t length = strlen(header);
    unsigned char *file = malloc(8 + length + data_bytes);
    assert_non_null(file);
    for (unsigned i = 0; i < 8; i++) file[i] = (unsigned char)(said >> (8 * i));
    memcpy(file + 8, header, length);
    for (size_t i = 0; i < data_bytes; i++) file[8 + length + i] = (unsigned char)i;
    *bytes = 8 + length + data_bytes;
    return file;
}

/* The byte of the data that the array begins with; the array. */
static uint64_t accept(const char *header, size_t data_bytes, const char *name, cli_array *array)
{
    size_t bytes;
    unsigned char *file = make(header, strlen(header), data_bytes, &bytes);
    assert_ok(cli_safetensors_format.parse("m.safetensors", name, file, bytes, array));
    const uint64_t at = (uint64_t)((const unsigned char *)array->first.data - file) - 8 - strlen(header);
    free(file);
    return at;
}

static void refuse_name(const char *header, size_t data_bytes, const char *name, const char *why)
{
    cli_array array = {.count = 77};
    size_t bytes;
    unsigned char *file = make(header, strlen(header), data_bytes, &bytes);
    assert_refused(cli_safetensors_format.parse("m.safetensors", name, file, bytes, &array), VKMM_INVALID, why);
    assert_contains(vkmm_last_error(), "m.safetensors: ");
    assert_true(array.count == 77);
    free(file);
}

static void refuse(const char *header, size_t data_bytes, const char *why)
{
    refuse_name(header, data_bytes, NULL, why);
}

TEST(test_types)
{
    static const struct {
        const char *header;
        vkmm_type type;
    } all[] = {{ONE("F16", "[2,3]", 0, 12), VKMM_F16}, {ONE("BF16", "[2,3]", 0, 12), VKMM_BF16},
               {ONE("F32", "[1,3]", 0, 12), VKMM_F32}, {ONE("F64", "[1,1,1]", 0, 8), VKMM_F64},
               {ONE("I8", "[3,4]", 0, 12), VKMM_I8},   {ONE("U8", "[3,4]", 0, 12), VKMM_U8},
               {ONE("I32", "[3,1]", 0, 12), VKMM_I32}, {ONE("U32", "[1,3]", 0, 12), VKMM_U32}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        cli_array array;
        assert_int_equal(accept(all[i].header, all[i].type == VKMM_F64 ? 8 : 12, NULL, &array), 0);
        assert_int_equal(array.first.type, all[i].type);
    }
}

TEST(test_shapes)
{
    cli_array array;
    accept(ONE("U8", "[2,3]", 0, 6), 6, NULL, &array);
    assert_true(array.dimensions == 2 && array.count == 1 && array.first.rows == 2 && array.first.cols == 3 &&
                array.first.row_stride == 3);
    accept(ONE("U8", "[6]", 0, 6), 6, "a", &array);
    assert_true(array.dimensions == 1 && array.first.rows == 1 && array.first.cols == 6);
    accept(ONE("U8", "[2,1,3]", 0, 6), 6, NULL, &array);
    assert_true(array.dimensions == 3 && array.count == 2 && array.first.rows == 1 && array.first.cols == 3 &&
                array.stride == 3);
    accept(ONE("F32", "[0,99]", 0, 0), 0, NULL, &array);
    assert_true(array.first.rows == 0 && array.first.cols == 99);
}

/* In any order, with what belongs to no matrix beside it. */
TEST(test_many_tensors)
{
    cli_array array;
    const char *header = "{\"b\":" T("F16", "[2,2]", 4, 12) ", \"__metadata__\":{\"format\":\"pt\"}, \"a\":" T(
        "BOOL", "[4]", 0, 4) ",\"c.d/e\":" T("XYZ7", "[9,9,9,9]", 12, 13) "}  ";
    assert_int_equal(accept(header, 13, "b", &array), 4);
    refuse_name(header, 13, "a",
                "tensor \"a\" has dtype BOOL; F16, BF16, F32, F64, F8_E4M3, F8_E5M2, I8, U8, I32, U32, I64 and U64 "
                "are supported");
    refuse_name(header, 13, "x", "the file holds no tensor \"x\"; it holds \"b\", \"a\", \"c.d/e\"");
    refuse_name(header, 13, "__metadata__", "no tensor \"__metadata__\"");
    refuse(header, 13, "the file holds 3 tensors: pick one as FILE.safetensors:NAME of \"b\", \"a\", \"c.d/e\"");
    refuse_name("{\"\\u202e\\u001b[31m\":" T("I8", "[1]", 0, 1) "}", 1, "b", "it holds \"\\u202E\\u001B[31m\"");
    refuse("{}", 0, "the file holds no tensor");
    refuse("{\"__metadata__\":{}}", 0, "the file holds no tensor");
}

TEST(test_long_lists)
{
    char *header = malloc(100000);
    size_t used = (size_t)sprintf(header, "{");
    assert_non_null(header);
    for (int i = 0; i < 1000; i++)
        used += (size_t)sprintf(header + used,
                                "%s\"a_rather_long_name_%d\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[%d,%d]}",
                                i > 0 ? "," : "", i, i, i + 1);
    sprintf(header + used, "}");
    refuse(header, 1000, " more");
    refuse_name(header, 1000, "a_rather_long_name_7", "has 0 dimensions; a matrix has 2");
    free(header);
}

TEST(test_places)
{
    refuse(ONE("U8", "[6]", 0, 6), 5,
           "tensor \"a\" ends at byte 6 of the data; the file has 5: the last 1 are missing");
    refuse(ONE("U8", "[6]", 6, 0), 6, "data_offsets that are not [begin, end]");
    refuse(ONE("U8", "[6]", -1, 5), 6, "data_offsets that are not [begin, end]");
    refuse(ONE("U8", "[6]", 0, 6.0), 6, "data_offsets that are not [begin, end]");
    refuse(ONE("U8", "[6]", 0, 9223372036854775807), 6, "the last 9223372036854775801 are missing");
    refuse(ONE("U8", "[6]", 0, 18446744073709551616), 6, "not JSON");
    refuse(ONE("U8", "[6]", 0, 18446744073709551622), 6, "not JSON");
    refuse("{\"a\":{\"dtype\":\"U8\",\"shape\":[6],\"data_offsets\":[0,6,6]}}", 6, "data_offsets that are not");
    refuse("{\"a\":{\"dtype\":\"U8\",\"shape\":[6],\"data_offsets\":[]}}", 6, "data_offsets that are not");
}

TEST(test_sizes)
{
    refuse(ONE("F16", "[2,3]", 0, 6), 6, "tensor \"a\" needs 12 bytes by its dtype and shape; its data_offsets span 6");
    refuse(ONE("I64", "[3]", 0, 6), 6, "needs 24 bytes");
    refuse(ONE("F32", "[4611686018427387905,4]", 0, 16), 16, "whose size in bytes does not fit in 64 bits");
    refuse(ONE("U8", "[4294967296,4294967296]", 0, 0), 0, "whose size in bytes does not fit in 64 bits");
    refuse(ONE("U8", "[-1,-6]", 0, 6), 6, "a shape that is not a list of non-negative integers");
    refuse(ONE("U8", "[2.0,3]", 0, 6), 6, "a shape that is not a list");
    refuse(ONE("U8", "[\"6\"]", 0, 6), 6, "a shape that is not a list");
    refuse(ONE("U8", "[1,1,2,3]", 0, 6), 6, "tensor \"a\" has 4 dimensions; a matrix has 2, and a batch of them 3");
}

TEST(test_headers)
{
    refuse("", 4, "not a safetensors file");
    refuse("[1]", 4, "does not begin with '{'");
    refuse(" {}", 0, "does not begin with '{'");
    refuse("{", 0, "the header is not JSON");
    refuse("{}x", 0, "the header is not JSON");
    refuse("{\"a\":1}", 0, "tensor \"a\" must have dtype");
    refuse("{\"a\":{}}", 0, "must have dtype");
    refuse("{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "must have dtype");
    refuse("{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1, "must have dtype");
    refuse("{\"a\":" T("U8", "[1]", 0, 1) ",\"a\":" T("U8", "[1]", 1, 2) "}", 2, "duplicate object key");
    refuse("{\"a\":" T("U8", "[1]", 0, 1) ",\"\\u0061\":" T("U8", "[1]", 1, 2) "}", 2, "duplicate object key");
    refuse("{\"a\\u0000b\":" T("U8", "[1]", 0, 1) "}", 1, "not JSON");
    refuse("{\"\xff\":" T("U8", "[1]", 0, 1) "}", 1, "not JSON");
    char deep[5000] = "{\"a\":";
    memset(deep + 5, '[', sizeof deep - 6);
    refuse(deep, 0, "not JSON");
}

/* The length that a file says of its header. */
TEST(test_lengths)
{
    static const struct {
        uint64_t said;
        const char *why;
    } all[] = {{0, "not a safetensors file"},
               {99, "ends inside its header, which needs 107 bytes of the file's"},
               {100000001, "has 100000001 bytes; the format allows 100000000"},
               {UINT64_MAX, "has 18446744073709551615 bytes"},
               {UINT64_MAX - 7, "bytes; the format allows"},
               {1, "not JSON"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        cli_array array;
        size_t bytes;
        unsigned char *file = make(ONE("U8", "[6]", 0, 6), all[i].said, 6, &bytes);
        assert_refused(cli_safetensors_format.parse("m", NULL, file, bytes, &array), VKMM_INVALID, all[i].why);
        free(file);
    }
}

/* Every proper beginning of a file is refused, and none is read beyond its end. */
TEST(test_every_truncation)
{
    size_t bytes;
    const char *header = ONE("F16", "[2,3]", 0, 12);
    unsigned char *file = make(header, strlen(header), 12, &bytes);
    for (size_t length = 0; length < bytes; length++) {
        cli_array array;
        unsigned char *part = malloc(length > 0 ? length : 1);
        assert_non_null(part);
        memcpy(part, file, length);
        assert_int_equal(cli_safetensors_format.parse("m", NULL, part, length, &array), VKMM_INVALID);
        free(part);
    }
    free(file);
}
