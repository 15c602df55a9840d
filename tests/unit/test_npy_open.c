/* The file as a whole: mapped, and let go of. */
#include "npy_file.h"

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

static void test_open(void **state)
{
    (void)state;
    heard h;
    vkmm_log log = hear_with(&h);
    char path[] = "/tmp/vkmm-npy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    npy_file f = npy_make(1, GOOD("<u4", "False", "(2, 3)"), 24);
    assert_int_equal(write(fd, f.data, (size_t)f.bytes), f.bytes);
    vkmm_array_file npy = {0};
    assert_int_equal(vkmm_array_open(&log, path, &npy), VKMM_OK);
    assert_true(npy.array.first.rows == 2 && vkmm_view_get(&npy.array.first, 1, 2) == 0x17161514);
    assert_int_equal(mappings(path), 1);
    vkmm_array_close(&npy);
    assert_true(npy.mapping.data == NULL && npy.array.first.data == NULL);
    vkmm_array_close(&npy);
    assert_int_equal(ftruncate(fd, (off_t)f.bytes - 5), 0);
    assert_int_equal(vkmm_array_open(&log, path, &npy), VKMM_INVALID);
    assert_contains(h.last, path);
    assert_contains(h.last, "the last 5 are missing");
    assert_int_equal(mappings(path), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(vkmm_array_open(&log, path, &npy), VKMM_INVALID);
    assert_contains(h.last, "this is no .npy file (0 bytes");
    close(fd);
    unlink(path);
    assert_int_equal(vkmm_array_open(&log, path, &npy), VKMM_INVALID);
    assert_contains(h.last, "No such file");
    assert_null(npy.mapping.data);
    free(f.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
