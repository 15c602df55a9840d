#include "base/log.h"
#include "unit.h"

#include "base/alloc.h"
#include "io/array_file.h"
#include "math/type.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/vkmm-npy-XXXXXX.npy";

static int make_file(void **state)
{
    memcpy(path + sizeof path - 11, "XXXXXX", 6);
    int fd = mkstemps(path, 4);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_file(void **state)
{
    return unlink(path);
}

static vkmm_status write_matrix(const vkmm_log *log, const char *to, const vkmm_view *view)
{
    const cli_array array = cli_array_of(view);
    return vkmm_tell(log, cli_array_write(to, &array));
}

static vkmm_status write_stack(const vkmm_log *log, const char *to, const vkmm_view *first, uint64_t count,
                               uint64_t stride)
{
    const cli_array array = cli_array_stack(first, count, stride);
    return vkmm_tell(log, cli_array_write(to, &array));
}

#define WITH_FILE(name) TEST_WITH(name, make_file, remove_file)

WITH_FILE(test_what_is_written_is_read)
{
    static const uint64_t shapes[][2] = {{1, 1}, {3, 5}, {100, 1}, {0, 7}, {7, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            if (t == VKMM_BF16 || t >= VKMM_E4M3) continue; /* the format has no name for them */
            double data[100] = {0};
            cli_array_file npy = {0};
            vkmm_view view = vkmm_view_rows(data, shapes[s][0], shapes[s][1], (vkmm_type)t);
            vkmm_fill(data, view.rows, view.cols, view.type, VKMM_INIT_UNIFORM, 1);
            assert_int_equal(write_matrix(NULL, path, &view), VKMM_OK);
            assert_int_equal(cli_array_open(NULL, path, 0, &npy), VKMM_OK);
            assert_true(npy.array.first.type == view.type && npy.array.first.rows == view.rows &&
                        npy.array.first.cols == view.cols);
            assert_true(npy.mapping.bytes == 128 + view.rows * view.cols * vkmm_type_of(view.type)->bytes);
            for (uint64_t i = 0; i < view.rows; i++)
                for (uint64_t j = 0; j < view.cols; j++)
                    assert_true(vkmm_view_get(&npy.array.first, i, j) == vkmm_view_get(&view, i, j));
            cli_array_close(&npy);
        }
    }
}

/* Byte for byte what NEP 1 asks for: version 1.0, a length that ends the header at a multiple of 64, a line end. */
WITH_FILE(test_the_header)
{
    const float data[6] = {1, 2, 3, 4, 5, 6};
    vkmm_view view = vkmm_view_rows(data, 2, 3, VKMM_F32);
    unsigned char bytes[200];
    assert_int_equal(write_matrix(NULL, path, &view), VKMM_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 128 + 24);
    fclose(file);
    assert_memory_equal(bytes,
                        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   ", 72);
    assert_int_equal(bytes[126], ' ');
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, data, 24);
}

WITH_FILE(test_the_longest_header_fits)
{
    cli_array_file npy = {0};
    vkmm_view view = vkmm_view_rows("", INT64_MAX, 0, VKMM_F64);
    assert_int_equal(write_matrix(NULL, path, &view), VKMM_OK);
    assert_int_equal(cli_array_open(NULL, path, 0, &npy), VKMM_OK);
    assert_true(npy.array.first.rows == INT64_MAX && npy.array.first.cols == 0);
    cli_array_close(&npy);
}

/* Column-major, rows with gaps, and more rows than one block holds. */
WITH_FILE(test_any_strides)
{
    enum { ROWS = 700, COLS = 900, LD = 1000 };
    float *data = calloc(LD * LD, sizeof *data);
    const vkmm_view views[] = {
        {data, ROWS, COLS, 1, LD, VKMM_F32}, {data, ROWS, COLS, LD, 1, VKMM_F32}, {data, 1, COLS, 1, LD, VKMM_F32}};
    for (size_t i = 0; i < LD * LD; i++) data[i] = (float)i;
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
        cli_array_file npy = {0};
        assert_int_equal(write_matrix(NULL, path, &views[v]), VKMM_OK);
        assert_int_equal(cli_array_open(NULL, path, 0, &npy), VKMM_OK);
        assert_true(npy.array.first.rows == views[v].rows && npy.array.first.cols == COLS &&
                    npy.array.first.col_stride == 1);
        for (uint64_t i = 0; i < npy.array.first.rows; i++)
            for (uint64_t j = 0; j < COLS; j++)
                if (vkmm_view_get(&npy.array.first, i, j) != vkmm_view_get(&views[v], i, j)) fail();
        cli_array_close(&npy);
    }
    free(data);
}

/* The header of a stack, then its matrices, each packed. */
WITH_FILE(test_stacks)
{
    const float data[] = {1, 2, 0, 3, 4, 0, 0, 5, 6, 0, 7, 8};
    const vkmm_view rows = {data, 2, 2, 3, 1, VKMM_F32}, cols = {data, 2, 2, 1, 3, VKMM_F32};
    const float want[] = {1, 2, 3, 4, 5, 6, 7, 8}, want_cols[] = {1, 3, 2, 4, 5, 7, 6, 8};
    char bytes[300];
    for (int v = 0; v < 2; v++) {
        assert_int_equal(write_stack(NULL, path, v == 0 ? &rows : &cols, 2, 7), VKMM_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_int_equal(fread(bytes, 1, sizeof bytes, file), 192 + 32);
        fclose(file);
        assert_memory_equal(
            bytes, "\x93NUMPY\x01\x00\xb6\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }   ", 75);
        assert_int_equal(bytes[191], '\n');
        assert_memory_equal(bytes + 192, v == 0 ? want : want_cols, 32);
    }
    const vkmm_view wide = vkmm_view_rows("", UINT64_MAX, 0, VKMM_F64);
    assert_int_equal(write_stack(NULL, path, &wide, UINT64_MAX, 0), VKMM_OK); /* the longest header */
}

WITH_FILE(test_refusals)
{
    heard h;
    vkmm_log log = hear_with(&h);
    const float data[100] = {0};
    vkmm_view view = vkmm_view_rows(data, 10, 10, VKMM_F32);
    assert_int_equal(write_matrix(&log, "/dev/full", &view), VKMM_INVALID);
    assert_contains(h.last, "cannot write /dev/full: No space left");
    assert_int_equal(write_matrix(&log, "/no-such-folder/c.npy", &view), VKMM_INVALID);
    assert_contains(h.last, "cannot write /no-such-folder/c.npy: No such file");
    view.type = VKMM_BF16;
    assert_int_equal(write_matrix(&log, path, &view), VKMM_INVALID);
    assert_contains(h.last, ".npy cannot store bf16: use FILE.safetensors");
    assert_int_equal(cli_array_takes(path, VKMM_BF16, 1, 0), VKMM_INVALID);
    assert_int_equal(cli_array_takes("c.safetensors", VKMM_BF16, 1, 0), VKMM_OK);
}

WITH_FILE(test_without_memory)
{
    const int32_t data[4] = {1, 2, 3, 4};
    vkmm_view view = {data, 2, 2, 1, 2, VKMM_I32};
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    uint64_t n = 0;
    while (status != VKMM_OK) {
        cli_array_file npy = {0};
        vkmm_alloc_fail_after(++n);
        status = write_matrix(NULL, path, &view);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        if (status != VKMM_OK)
            assert_int_equal(cli_array_open(NULL, path, 0, &npy), VKMM_INVALID); /* still the empty file */
    }
    assert_true(n > 3);
}
