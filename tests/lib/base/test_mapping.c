#include "unit.h"

#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

enum { PAGES = 64 };

static char path[] = "/tmp/vkmm-mapping-XXXXXX";
static size_t page;
static int file = -1;

/* PAGES pages of ones. */
static int make_file(void **state)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    page = (size_t)sysconf(_SC_PAGESIZE);
    file = mkstemp(path);
    char *ones = malloc(page);
    if (file < 0 || ones == NULL) return -1;
    memset(ones, 1, page);
    for (int i = 0; i < PAGES; i++)
        if (write(file, ones, page) != (ssize_t)page) return -1;
    free(ones);
    return 0;
}

static int remove_file(void **state)
{
    return close(file) + unlink(path);
}

static vkmm_mapping open_file(void)
{
    vkmm_mapping mapping = {0};
    assert_ok(vkmm_mapping_open(path, &mapping));
    assert_true(mapping.bytes == PAGES * page);
    return mapping;
}

static unsigned char byte_at(const vkmm_mapping *mapping, size_t offset)
{
    return ((const volatile unsigned char *)mapping->data)[offset];
}

static vkmm_status check(const vkmm_mapping *mapping)
{
    return vkmm_mapping_check(path, mapping);
}

#define WITH_FILE(name) TEST_WITH(name, make_file, remove_file)

/* The page that was cut in two reads as zero, without a signal. */
WITH_FILE(test_a_file_made_shorter)
{
    vkmm_mapping mapping = open_file();
    assert_ok(check(&mapping));
    assert_int_equal(ftruncate(file, (off_t)(10 * page + 7)), 0);
    assert_int_equal(byte_at(&mapping, 10 * page + 6), 1);
    assert_int_equal(byte_at(&mapping, 10 * page + 7), 0);
    assert_int_equal(check(&mapping), VKMM_INVALID);
    vkmm_mapping_close(&mapping);
    assert_ok(check(&mapping));
}

/* A file that another has replaced is whole. */
WITH_FILE(test_a_file_replaced)
{
    vkmm_mapping mapping = open_file();
    vkmm_output *output = NULL;
    assert_ok(vkmm_output_open(path, 0, &output));
    assert_ok(vkmm_output_commit(&output));
    assert_int_equal(byte_at(&mapping, PAGES * page - 1), 1);
    assert_ok(check(&mapping));
    vkmm_mapping_close(&mapping);
}
