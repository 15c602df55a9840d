/* .npy files, made in memory: what the parser takes and refuses; then the file as a whole: mapped, and let go of. */
#include "folder.h"

#include <fcntl.h>

#include "io/array_file.h"
#include "io/array_format.h"

#define GOOD(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }"

typedef struct npy_file {
    unsigned char *data; /* of exactly `bytes` bytes, so that a sanitizer sees every step beyond them */
    uint64_t bytes;
    uint64_t start; /* of the data */
} npy_file;

/* A file of this version with this dictionary; 16-byte aligned data, whose bytes count 0, 1, 2, …, 255, 0, … */
static npy_file npy_make(unsigned version, const char *dictionary, uint64_t data_bytes)
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

static vkmm_status npy_parse(const npy_file *f, cli_array *array)
{
    return cli_npy_format.parse("a.npy", NULL, f->data, f->bytes, array);
}

/* Parses a header with 24 bytes of data after it, and expects a view. */
static vkmm_view accept(unsigned version, const char *dictionary)
{
    cli_array array = {0};
    npy_file f = npy_make(version, dictionary, 24);
    assert_ok(npy_parse(&f, &array));
    assert_true(array.first.data == f.data + f.start && array.dimensions == 2 && array.count == 1);
    free(f.data);
    array.first.data = NULL;
    return array.first;
}

/* Expects an error that says `why`, and the view untouched. */
static void refuse(const char *dictionary, const char *why)
{
    cli_array array = {.count = 77};
    npy_file f = npy_make(1, dictionary, 24);
    assert_refused(npy_parse(&f, &array), VKMM_INVALID, why);
    assert_contains(vkmm_last_error(), "a.npy: ");
    assert_true(array.count == 77);
    free(f.data);
}

TEST(test_versions_types_and_orders)
{
    for (unsigned version = 1; version <= 3; version++) {
        vkmm_view v = accept(version, GOOD("<f4", "False", "(2, 3)"));
        assert_true(v.type == VKMM_F32 && v.rows == 2 && v.cols == 3 && v.row_stride == 3 && v.col_stride == 1);
        v = accept(version, GOOD("<i4", "True", "(2, 3)"));
        assert_true(v.type == VKMM_I32 && v.rows == 2 && v.cols == 3 && v.row_stride == 1 && v.col_stride == 2);
    }
    assert_int_equal(accept(1, GOOD("<f8", "False", "(1, 3)")).type, VKMM_F64);
    assert_int_equal(accept(1, GOOD("<u4", "False", "(6, 1)")).type, VKMM_U32);
}

TEST(test_narrow_types)
{
    assert_int_equal(accept(1, GOOD("<f2", "False", "(4, 3)")).type, VKMM_F16);
    assert_int_equal(accept(1, GOOD("=f2", "False", "(4, 3)")).type, VKMM_F16);
    assert_int_equal(accept(1, GOOD("|i1", "False", "(4, 6)")).type, VKMM_I8);
    assert_int_equal(accept(1, GOOD("|u1", "True", "(4, 6)")).type, VKMM_U8);
    assert_int_equal(accept(1, GOOD("<u1", "False", "(4, 6)")).type, VKMM_U8);
}

/* One dimension is a row; three are matrices, whatever the order: element (x, i, j) is found where NumPy has it. */
TEST(test_other_dimensions)
{
    cli_array array;
    npy_file f = npy_make(1, GOOD("|u1", "False", "(24,)"), 24);
    assert_ok(npy_parse(&f, &array));
    assert_true(array.dimensions == 1 && array.count == 1 && array.first.rows == 1 && array.first.cols == 24);
    assert_true(vkmm_view_get(&array.first, 0, 23) == 23);
    free(f.data);
    for (int fortran = 0; fortran < 2; fortran++) {
        f = npy_make(1, fortran ? GOOD("|u1", "True", "(2, 3, 4)") : GOOD("|u1", "False", "(2, 3, 4)"), 24);
        assert_ok(npy_parse(&f, &array));
        assert_true(array.dimensions == 3 && array.count == 2 && array.first.rows == 3 && array.first.cols == 4);
        for (unsigned x = 0; x < 2; x++) {
            const vkmm_view view = cli_array_at(&array, x);
            for (unsigned i = 0; i < 3; i++)
                for (unsigned j = 0; j < 4; j++)
                    assert_true(vkmm_view_get(&view, i, j) == (fortran ? x + 2 * (i + 3 * j) : (x * 3 + i) * 4 + j));
        }
        free(f.data);
    }
}

TEST(test_any_layout_of_the_dictionary)
{
    static const char *const headers[] = {
        "{'shape':(2,3),'fortran_order':False,'descr':'<f4'}",
        "{ \"fortran_order\" : False , \"shape\" : ( 2 , 3 , ) , \"descr\" : \"<f4\" , } ",
        "\t{\n'descr':\n'<f4',\r\n'shape': (2L, 3L), 'fortran_order': False}   ",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        vkmm_view v = accept(2, headers[i]);
        assert_true(v.type == VKMM_F32 && v.rows == 2 && v.cols == 3 && v.col_stride == 1);
    }
}

TEST(test_empty_matrices_and_trailing_bytes)
{
    vkmm_view v = accept(1, GOOD("<f8", "False", "(0, 5)"));
    assert_true(v.rows == 0 && v.cols == 5);
    v = accept(1, GOOD("<f8", "True", "(5, 0)"));
    assert_true(v.rows == 5 && v.cols == 0);
    assert_true(accept(1, GOOD("<f4", "False", "(1, 1)")).rows == 1); /* 20 bytes too many */
}

TEST(test_other_dtypes_are_named)
{
    refuse(GOOD("<f1", "False", "(2, 3)"),
           "dtype '<f1' is not supported; only f2, f4, f8, i1, i4, i8, u1, u4 and u8 are");
    refuse(GOOD("<i2", "False", "(2, 3)"), "dtype '<i2' is not supported");
    refuse(GOOD(">f4", "False", "(2, 3)"), "dtype '>f4' is not supported");
    refuse(GOOD("|f2", "False", "(2, 3)"), "dtype '|f2' is not");
    refuse(GOOD("|b1", "False", "(2, 3)"), "dtype '|b1' is not");
    refuse(GOOD("<c8", "False", "(2, 3)"), "dtype '<c8' is not");
    refuse(GOOD("|O", "False", "(2, 3)"), "dtype '|O' is not");
    refuse(GOOD("|i8", "False", "(2, 3)"), "dtype '|i8' is not");
    refuse(GOOD("<i8", "False", "(2, 3)"), "need 48 bytes of data; the last 24 are missing");
    refuse(GOOD("<f44", "False", "(2, 3)"), "dtype '<f44' is not");
    refuse(GOOD("<f", "False", "(2, 3)"), "dtype '<f' is not");
    refuse(GOOD("", "False", "(2, 3)"), "dtype '' is not");
    refuse("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }", "records");
    refuse("{'descr': 4, 'fortran_order': False, 'shape': (2, 3), }", "needs a string for 'descr'");
}

TEST(test_other_shapes_are_named)
{
    refuse(GOOD("<f4", "False", "()"), "shape has 0 dimensions; a matrix has 2");
    refuse(GOOD("<f4", "False", "(1, 2, 3, 1)"), "shape has 4 dimensions; a matrix has 2, and a batch of them 3");
    refuse(GOOD("<f4", "False", "(,)"), "shape has 0 dimensions");
    refuse(GOOD("<f4", "False", "(2 3)"), "not a dictionary");
    refuse(GOOD("<f4", "False", "(2,, 3)"), "not a dictionary");
    refuse(GOOD("<f4", "False", "(2, -3)"), "a tuple of extents");
    refuse(GOOD("<f4", "False", "(2, 3"), "not a dictionary");
    refuse(GOOD("<f4", "False", "6"), "needs a tuple for 'shape'");
    refuse(GOOD("<f4", "False", "(2.0, 3)"), "a tuple of extents");
}

TEST(test_sizes_that_overflow)
{
    refuse(GOOD("<f4", "False", "(2, 18446744073709551616)"), "too big integer"); /* 2^64 */
    refuse(GOOD("<f4", "False", "(2, 184467440737095516160)"), "too big integer");
    refuse(GOOD("<f4", "False", "(4294967296, 4294967296)"),
           "does not fit in 64 bits"); /* 2^64 elements: 0 modulo 2^64 */
    refuse(GOOD("<f4", "False", "(2147483648, 2147483648)"), "does not fit in 64 bits"); /* 2^62 elements of 4 bytes */
    refuse(GOOD("|i1", "False", "(4294967296, 65536, 65536)"),
           "4294967296×65536×65536 elements of type i8 does not fit");
    refuse(GOOD("<f4", "False", "(1, 9223372036854775807)"), "does not fit in 64 bits");
    refuse(GOOD("<f4", "False", "(1, 4611686018427387903)"), "the last 18446744073709551588 are missing");
}

TEST(test_broken_dictionaries)
{
    static const char *const broken[] = {
        "",
        "[1]",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr' '<f4'}",
        "{'descr: <f4}",
        "{'descr': '<f4}",
        "{descr: '<f4'}",
        GOOD("<f4", "Maybe", "(2, 3)"),
        GOOD("<f4", "False", "(2, 3)") " x",
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        refuse(broken[i], "the .npy header is not a dictionary");
    refuse("{}", "lacks the key 'descr'");
    refuse("{'descr': '<f4', 'shape': (2, 3)}", "lacks the key 'fortran_order'");
    refuse("{'descr': '<f4', 'fortran_order': False}", "lacks the key 'shape'");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", "an unknown key");
    refuse(GOOD("<f4", "0", "(2, 3)"), "True or False");
    refuse("{,}", "lacks the key 'descr'");
}

/* Every proper beginning of a file is refused, and none is read beyond its end. */
TEST(test_every_truncation)
{
    for (unsigned version = 1; version <= 3; version++) {
        npy_file f = npy_make(version, GOOD("<f8", "True", "(1, 3)"), 24);
        for (uint64_t bytes = 0; bytes < f.bytes; bytes++) {
            cli_array array;
            npy_file part = {malloc(bytes != 0 ? (size_t)bytes : 1), bytes, 0};
            assert_non_null(part.data);
            memcpy(part.data, f.data, (size_t)bytes);
            assert_refused(npy_parse(&part, &array), VKMM_INVALID,
                           bytes < 10        ? "not a .npy file"
                           : bytes < f.start ? "the file ends inside its header"
                                             : "missing");
            free(part.data);
        }
        free(f.data);
    }
}

TEST(test_other_files)
{
    cli_array array;
    npy_file f = npy_make(1, GOOD("<f4", "False", "(2, 3)"), 24);
    f.data[6] = 4;
    assert_refused(npy_parse(&f, &array), VKMM_INVALID, ".npy version 4.0 is unknown");
    f.data[6] = 1;
    f.data[7] = 1;
    assert_refused(npy_parse(&f, &array), VKMM_INVALID, ".npy version 1.1 is unknown");
    f.data[0] = 'x';
    assert_refused(npy_parse(&f, &array), VKMM_INVALID, "not a .npy file");
    free(f.data);
}

/* How many mappings of the file this process has. */
static unsigned mappings(const char *path)
{
    char line[4096];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) count += strstr(line, path) != NULL;
    fclose(maps);
    return count;
}

IN_FOLDER(test_open)
{
    int fd = open("a.npy", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    npy_file f = npy_make(1, GOOD("<u4", "False", "(2, 3)"), 24);
    assert_int_equal(write(fd, f.data, (size_t)f.bytes), f.bytes);
    cli_array_file npy = {0};
    assert_ok(cli_array_open(NULL, "a.npy", 0, &npy));
    assert_true(npy.array.first.rows == 2 && vkmm_view_get(&npy.array.first, 1, 2) == 0x17161514);
    assert_int_equal(mappings("a.npy"), 1);
    cli_array_close(&npy);
    assert_true(npy.mapping.data == NULL && npy.array.first.data == NULL);
    cli_array_close(&npy);
    assert_int_equal(ftruncate(fd, (off_t)f.bytes - 5), 0);
    assert_refused(cli_array_open(NULL, "a.npy", 0, &npy), VKMM_INVALID, "the last 5 are missing");
    assert_contains(vkmm_last_error(), "a.npy");
    assert_int_equal(mappings("a.npy"), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_refused(cli_array_open(NULL, "a.npy", 0, &npy), VKMM_INVALID, "not a .npy file: it does not begin");
    close(fd);
    unlink("a.npy");
    assert_refused(cli_array_open(NULL, "a.npy", 0, &npy), VKMM_INVALID, "No such file");
    assert_null(npy.mapping.data);
    free(f.data);
}

/* A matrix of 3000 bytes a row, in a file of two rows less than it should have. */
IN_FOLDER(test_made_shorter_while_it_is_read)
{
    int fd = open("a.npy", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    npy_file f = npy_make(1, GOOD("|u1", "False", "(30, 3000)"), 90000);
    assert_int_equal(write(fd, f.data, (size_t)f.bytes), f.bytes);
    cli_array_file npy = {0};
    assert_ok(cli_array_open(NULL, "a.npy", 0, &npy));
    assert_ok(cli_array_whole("a.npy", &npy));
    assert_int_equal(ftruncate(fd, (off_t)f.bytes - 6000), 0);
    assert_refused(cli_array_whole("a.npy", &npy), VKMM_INVALID, "was truncated while it was read");
    assert_contains(vkmm_last_error(), "a.npy");
    cli_array_close(&npy);
    free(f.data);
    close(fd);
}

/* Elements at an odd address are copied: the file is no longer needed. */
IN_FOLDER(test_a_copy_of_a_file_that_goes)
{
    static const char header[] = "{\"C\":{\"dtype\":\"F32\",\"shape\":[16384],\"data_offsets\":[0,65536]}}";
    char start[101] = {101 - 8}; /* the elements are not aligned */
    int fd = open("a.safetensors", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    memset(start + 8, ' ', sizeof start - 8);
    memcpy(start + 8, header, sizeof header - 1);
    assert_int_equal(write(fd, start, 101), 101);
    assert_int_equal(ftruncate(fd, 101 + 65536), 0);
    assert_int_equal(pwrite(fd, &(float){1.5F}, 4, 101 + 65532), 4);
    cli_array_file file = {0};
    assert_ok(cli_array_open(NULL, "a.safetensors", 0, &file));
    assert_non_null(file.copy);
    assert_int_equal(ftruncate(fd, 101), 0);
    assert_ok(cli_array_whole("a.safetensors", &file)); /* it was copied in time */
    assert_true(vkmm_view_get(&file.array.first, 0, 16383) == 1.5);
    cli_array_close(&file);
    close(fd);
}
