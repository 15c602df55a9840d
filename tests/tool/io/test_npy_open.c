/* The file as a whole: mapped, and let go of. */
#include "npy_file.h"

#include "io/array_file.h"

#include <unistd.h>

#define GOOD(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }"

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

TEST(test_open)
{
    heard h;
    vkmm_log log = hear_with(&h);
    char path[] = "/tmp/vkmm-npy-XXXXXX.npy";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    npy_file f = npy_make(1, GOOD("<u4", "False", "(2, 3)"), 24);
    assert_int_equal(write(fd, f.data, (size_t)f.bytes), f.bytes);
    cli_array_file npy = {0};
    assert_int_equal(cli_array_open(&log, path, 0, &npy), VKMM_OK);
    assert_true(npy.array.first.rows == 2 && vkmm_view_get(&npy.array.first, 1, 2) == 0x17161514);
    assert_int_equal(mappings(path), 1);
    cli_array_close(&npy);
    assert_true(npy.mapping.data == NULL && npy.array.first.data == NULL);
    cli_array_close(&npy);
    assert_int_equal(ftruncate(fd, (off_t)f.bytes - 5), 0);
    assert_int_equal(cli_array_open(&log, path, 0, &npy), VKMM_INVALID);
    assert_contains(h.last, path);
    assert_contains(h.last, "the last 5 are missing");
    assert_int_equal(mappings(path), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(cli_array_open(&log, path, 0, &npy), VKMM_INVALID);
    assert_contains(h.last, "not a .npy file: it does not begin");
    close(fd);
    unlink(path);
    assert_int_equal(cli_array_open(&log, path, 0, &npy), VKMM_INVALID);
    assert_contains(h.last, "No such file");
    assert_null(npy.mapping.data);
    free(f.data);
}

/* A matrix of 3000 bytes a row, in a file of two rows less than it should have. */
TEST(test_made_shorter_while_it_is_read)
{
    heard h;
    vkmm_log log = hear_with(&h);
    char path[] = "/tmp/vkmm-npy-XXXXXX.npy";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    npy_file f = npy_make(1, GOOD("|u1", "False", "(30, 3000)"), 90000);
    assert_int_equal(write(fd, f.data, (size_t)f.bytes), f.bytes);
    cli_array_file npy = {0};
    assert_int_equal(cli_array_open(&log, path, 0, &npy), VKMM_OK);
    assert_int_equal(vkmm_tell(&log, cli_array_whole(path, &npy)), VKMM_OK);
    assert_int_equal(ftruncate(fd, (off_t)f.bytes - 6000), 0);
    assert_int_equal(h.count, 0);
    assert_int_equal(vkmm_tell(&log, cli_array_whole(path, &npy)), VKMM_INVALID);
    assert_contains(h.last, path);
    assert_contains(h.last, "was truncated while it was read");
    cli_array_close(&npy);
    free(f.data);
    close(fd);
    unlink(path);
}

/* Elements at an odd address are copied: the file is no longer needed. */
TEST(test_a_copy_of_a_file_that_goes)
{
    static const char header[] = "{\"C\":{\"dtype\":\"F32\",\"shape\":[16384],\"data_offsets\":[0,65536]}}";
    char path[] = "/tmp/vkmm-copy-XXXXXX.safetensors", start[101] = {101 - 8}; /* the elements are not aligned */
    int fd = mkstemps(path, 12);
    assert_true(fd >= 0);
    memset(start + 8, ' ', sizeof start - 8);
    memcpy(start + 8, header, sizeof header - 1);
    assert_int_equal(write(fd, start, 101), 101);
    assert_int_equal(ftruncate(fd, 101 + 65536), 0);
    assert_int_equal(pwrite(fd, &(float){1.5F}, 4, 101 + 65532), 4);
    cli_array_file file = {0};
    assert_int_equal(cli_array_open(NULL, path, 0, &file), VKMM_OK);
    assert_non_null(file.copy);
    assert_int_equal(ftruncate(fd, 101), 0);
    assert_int_equal(cli_array_whole(path, &file), VKMM_OK); /* it was copied in time */
    assert_true(vkmm_view_get(&file.array.first, 0, 16383) == 1.5);
    cli_array_close(&file);
    close(fd);
    unlink(path);
}
