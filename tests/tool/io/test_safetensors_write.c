#include "unit.h"

#include "base/alloc.h"
#include "io/array_file.h"
#include "math/type.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/vkmm-safetensors-XXXXXX";
static char path[64], named[80];

static int make_folder(void **state)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/c.safetensors", folder);
    snprintf(named, sizeof named, "%s:w.\"1\"", path);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder); /* nothing half-written stays behind */
}

#define WITH_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

WITH_FOLDER(test_every_type_and_shape)
{
    static const uint64_t shapes[][3] = {{1, 1, 1}, {1, 3, 5}, {4, 5, 3}, {2, 0, 7}, {3, 7, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            double data[60] = {0};
            const vkmm_view view = {data, shapes[s][1], shapes[s][2], 1, shapes[s][1], (vkmm_type)t}; /* column-major */
            const cli_array array = cli_array_stack(&view, shapes[s][0], shapes[s][1] * shapes[s][2]);
            cli_array_file file;
            vkmm_fill(data, 1, 60, view.type, VKMM_INIT_UNIFORM, 1);
            assert_int_equal(cli_array_write(path, &array), VKMM_OK);
            assert_int_equal(cli_array_open(NULL, path, 0, &file), VKMM_OK);
            assert_true(file.array.dimensions == 3 && file.array.count == array.count &&
                        file.array.first.type == view.type);
            assert_true(file.copy == NULL); /* written so that it can be mapped */
            for (uint64_t x = 0; x < array.count; x++) {
                const vkmm_view want = cli_array_at(&array, x), got = cli_array_at(&file.array, x);
                for (uint64_t i = 0; i < view.rows; i++)
                    for (uint64_t j = 0; j < view.cols; j++)
                        assert_true(vkmm_view_get(&got, i, j) == vkmm_view_get(&want, i, j));
            }
            cli_array_close(&file);
        }
    }
}

/* Byte for byte. */
WITH_FOLDER(test_the_header)
{
    static const char want[] = "{\"C\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[0,6]}}";
    const uint8_t data[6] = {1, 2, 3, 4, 5, 6};
    const vkmm_view view = vkmm_view_rows(data, 2, 3, VKMM_U8);
    const cli_array array = cli_array_of(&view);
    unsigned char bytes[200];
    assert_int_equal(cli_array_write(path, &array), VKMM_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 64 + 6);
    fclose(file);
    assert_memory_equal(bytes, "\x38\0\0\0\0\0\0\0", 8);
    assert_memory_equal(bytes + 8, want, strlen(want));
    for (size_t i = 8 + strlen(want); i < 64; i++) assert_int_equal(bytes[i], ' ');
    assert_memory_equal(bytes + 64, data, 6);
}

WITH_FOLDER(test_names)
{
    const float data[2] = {1, 2};
    const vkmm_view view = vkmm_view_rows(data, 1, 2, VKMM_F32);
    const cli_array array = cli_array_of(&view);
    cli_array_file file;
    char other[160];
    assert_int_equal(cli_array_write(named, &array), VKMM_OK);
    assert_int_equal(cli_array_open(NULL, named, 0, &file), VKMM_OK);
    cli_array_close(&file);
    assert_int_equal(cli_array_open(NULL, path, 0, &file), VKMM_OK); /* the only one */
    cli_array_close(&file);
    snprintf(other, sizeof other, "%s:C", path);
    assert_int_equal(cli_array_open(NULL, other, 0, &file), VKMM_INVALID);
    assert_contains(vkmm_last_error(), "holds no tensor \"C\"; it holds \"w.\\\"1\\\"\"");
    static const char *const bad[] = {"", "__metadata__", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(other, sizeof other, "%s:%s", path, bad[i]);
        assert_int_equal(cli_array_write(other, &array), VKMM_INVALID);
        assert_contains(vkmm_last_error(), "is not a valid array name");
    }
}

/* A file with other tensors in it is no place to write one to. */
WITH_FOLDER(test_files_of_many)
{
    static const char two[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]},"
                              "\"b\":{\"dtype\":\"U8\",\"shape\":[1,0],\"data_offsets\":[1,1]}}";
    static const char *const texts[] = {
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[0,1]}}",
        two,
        "{\"a\": damaged",
    };
    assert_int_equal(cli_array_takes(path, VKMM_F32, 1, 0), VKMM_OK); /* there is none */
    for (int i = 0; i < 4; i++) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite((const char[8]){(char)strlen(texts[i])}, 1, 8, file), 8);
        assert_true(fputs(texts[i], file) >= 0 && fputc(1, file) == 1);
        fclose(file);
        assert_int_equal(cli_array_takes(path, VKMM_F32, 1, 0), i == 2 ? VKMM_INVALID : VKMM_OK);
        assert_int_equal(cli_array_takes(named, VKMM_F32, 1, 0), i == 2 ? VKMM_INVALID : VKMM_OK);
    }
}

/* Another writer's file, whose elements are not aligned: they are copied. */
WITH_FOLDER(test_unaligned_data)
{
    static const char header[] = "{\"i\":{\"dtype\":\"I8\",\"shape\":[1,1],\"data_offsets\":[0,1]},"
                                 "\"f\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[1,9]}}";
    const float data[2] = {1.5F, -2.5F};
    char other[80];
    cli_array_file read;
    uint64_t length = strlen(header);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(&length, 8, 1, file);
    fwrite(header, 1, (size_t)length, file);
    fputc(7, file);
    fwrite(data, sizeof data, 1, file);
    fclose(file);
    snprintf(other, sizeof other, "%s:f", path);
    assert_int_equal(cli_array_open(NULL, other, 0, &read), VKMM_OK);
    assert_true(vkmm_view_get(&read.array.first, 0, 0) == 1.5 && vkmm_view_get(&read.array.first, 0, 1) == -2.5);
    cli_array_close(&read);
    vkmm_alloc_fail_after(3);
    assert_int_equal(cli_array_open(NULL, other, 0, &read), VKMM_OUT_OF_MEMORY);
    vkmm_alloc_fail_after(0);
}

WITH_FOLDER(test_without_memory)
{
    const int32_t data[4] = {1, 2, 3, 4};
    const vkmm_view view = {data, 2, 2, 1, 2, VKMM_I32};
    const cli_array array = cli_array_of(&view);
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    uint64_t n = 0;
    while (status != VKMM_OK) {
        vkmm_alloc_fail_after(++n);
        status = cli_array_write(path, &array);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        if (status != VKMM_OK) assert_int_equal(access(path, F_OK), -1);
    }
    assert_true(n > 3);
}
