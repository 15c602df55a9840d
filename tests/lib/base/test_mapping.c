#include "unit.h"

#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
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
    assert_int_equal(vkmm_mapping_open(path, &mapping), VKMM_OK);
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
    assert_int_equal(check(&mapping), VKMM_OK);
    assert_int_equal(ftruncate(file, (off_t)(10 * page + 7)), 0);
    assert_int_equal(byte_at(&mapping, 10 * page + 6), 1);
    assert_int_equal(byte_at(&mapping, 10 * page + 7), 0);
    assert_int_equal(check(&mapping), VKMM_INVALID);
    vkmm_mapping_close(&mapping);
    assert_int_equal(check(&mapping), VKMM_OK);
}

/* A file that another has replaced is whole. */
WITH_FILE(test_a_file_replaced)
{
    vkmm_mapping mapping = open_file();
    vkmm_output *output = NULL;
    assert_int_equal(vkmm_output_open(path, &output), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_int_equal(byte_at(&mapping, PAGES * page - 1), 1);
    assert_int_equal(check(&mapping), VKMM_OK);
    vkmm_mapping_close(&mapping);
}

/* Pages of the mapping that the process holds (/proc/self/smaps counts them; mincore would count the system's). */
static unsigned long held(const vkmm_mapping *mapping)
{
    char line[300], begin[40];
    unsigned long kilobytes = 0;
    int here = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (maps == NULL) skip();
    snprintf(begin, sizeof begin, "%lx-", (unsigned long)(uintptr_t)mapping->data);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (strchr(line, '-') != NULL && strchr(line, ':') > strchr(line, ' '))
            here = strncmp(line, begin, strlen(begin)) == 0;
        if (here && sscanf(line, "Rss: %lu kB", &kilobytes) == 1) break;
    }
    fclose(maps);
    return kilobytes * 1024 / page;
}

WITH_FILE(test_pages_are_forgotten)
{
    vkmm_mapping mapping = open_file();
    const char *data = mapping.data;
    for (size_t i = 0; i < PAGES; i++) assert_int_equal(byte_at(&mapping, i * page), 1);
    assert_int_equal(held(&mapping), PAGES);
    vkmm_mappings_forget(data + page + 1, 2 * page); /* one of them whole */
    assert_int_equal(held(&mapping), PAGES - 1);
    vkmm_mappings_forget(data + 5 * page, 10 * page - 1);
    assert_int_equal(held(&mapping), PAGES - 10);
    vkmm_mappings_forget(data - 3 * page, 4 * page); /* begins before the mapping */
    assert_int_equal(held(&mapping), PAGES - 11);
    vkmm_mappings_forget(data + 60 * page, 100 * page);
    assert_int_equal(held(&mapping), PAGES - 15);
    vkmm_mappings_forget(data, 0);
    vkmm_mappings_forget(data + 30 * page + 5, 10);
    assert_int_equal(held(&mapping), PAGES - 15);
    for (size_t i = 0; i < PAGES; i++) assert_int_equal(byte_at(&mapping, i * page), 1); /* all of it is still there */
    vkmm_mapping_close(&mapping);
    static char plain[1 << 16];
    memset(plain, 3, sizeof plain);
    vkmm_mappings_forget(plain, sizeof plain);
    for (size_t i = 0; i < sizeof plain; i++) assert_int_equal(plain[i], 3);
}
