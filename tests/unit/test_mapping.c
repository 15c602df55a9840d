#include "unit.h"

#include "base/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 64 };

static char path[] = "/tmp/vkmm-mapping-XXXXXX";
static size_t page;
static int file = -1;

/* PAGES pages of ones. */
static int make_file(void **state)
{
    (void)state;
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
    (void)state;
    return close(file) + unlink(path);
}

static vkmm_mapping open_file(void)
{
    vkmm_mapping mapping = {0};
    assert_int_equal(vkmm_mapping_open(NULL, path, &mapping), VKMM_OK);
    assert_true(mapping.bytes == PAGES * page);
    return mapping;
}

static unsigned char byte_at(const vkmm_mapping *mapping, size_t offset)
{
    return ((const volatile unsigned char *)mapping->data)[offset];
}

/* What is before the end stays; what is behind it, and the page that was cut in two, reads as zero. */
static void test_a_file_made_shorter(void **state)
{
    (void)state;
    vkmm_mapping_guard();
    vkmm_mapping mapping = open_file(), other = open_file();
    assert_true(vkmm_mapping_whole(&mapping));
    assert_int_equal(byte_at(&mapping, 0), 1);
    assert_int_equal(ftruncate(file, (off_t)(10 * page + 7)), 0);
    assert_int_equal(byte_at(&mapping, 10 * page + 6), 1);
    assert_int_equal(byte_at(&mapping, 10 * page + 7), 0);
    assert_int_equal(byte_at(&mapping, 11 * page), 0);
    assert_int_equal(byte_at(&mapping, PAGES * page - 1), 0);
    assert_int_equal(byte_at(&mapping, 9 * page), 1);
    assert_false(vkmm_mapping_whole(&mapping));
    assert_false(vkmm_mapping_whole(&other)); /* nobody has read there, but the file is shorter */
    vkmm_mapping_close(&mapping);
    vkmm_mapping_close(&other);
    assert_true(vkmm_mapping_whole(&mapping));
    mapping = (vkmm_mapping){0};
    assert_true(vkmm_mapping_whole(&mapping));
}

/* A file that is as long again as it was: the bytes were not there when they were read. */
static void test_a_file_made_shorter_for_a_while(void **state)
{
    (void)state;
    vkmm_mapping_guard();
    vkmm_mapping mapping = open_file();
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(byte_at(&mapping, 5 * page), 0);
    assert_int_equal(ftruncate(file, (off_t)(PAGES * page)), 0);
    assert_false(vkmm_mapping_whole(&mapping));
    vkmm_mapping_close(&mapping);
    mapping = open_file(); /* the place is taken again, by one that is whole */
    assert_true(vkmm_mapping_whole(&mapping));
    vkmm_mapping_close(&mapping);
}

/* A file that another has replaced is whole. */
static void test_a_file_replaced(void **state)
{
    (void)state;
    vkmm_mapping mapping = open_file();
    vkmm_output *output = NULL;
    assert_int_equal(vkmm_output_open(NULL, path, &output), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_int_equal(byte_at(&mapping, PAGES * page - 1), 1);
    assert_true(vkmm_mapping_whole(&mapping));
    vkmm_mapping_close(&mapping);
}

static void *sum_up(void *user)
{
    const vkmm_mapping *mapping = user;
    uintptr_t sum = 0;
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < PAGES; i++) sum += byte_at(mapping, (i * 29 + (size_t)round * 7) % PAGES * page);
    return (void *)sum;
}

/* All of them fall into the hole, each somewhere else. */
static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    vkmm_mapping_guard();
    for (int round = 0; round < 20; round++) {
        vkmm_mapping mapping = open_file(), other = open_file();
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, sum_up, t % 2 ? &mapping : &other), 0);
        assert_int_equal(ftruncate(file, (off_t)((size_t)(round % 3) * page)), 0);
        for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_false(vkmm_mapping_whole(&mapping));
        assert_int_equal(byte_at(&mapping, 40 * page), 0);
        vkmm_mapping_close(&mapping);
        vkmm_mapping_close(&other);
        assert_int_equal(ftruncate(file, (off_t)(PAGES * page)), 0);
    }
}

/* In a child: how it ends. */
static int end_of(void (*what)(void))
{
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        what();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void fault_elsewhere(void)
{
    void *data = mmap(NULL, page, PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED || ftruncate(file, 0) != 0) _exit(1);
    _exit(10 + *(volatile char *)data);
}

static void tell(int number)
{
    (void)number;
    _exit(42);
}

static void fault_elsewhere_guarded(void)
{
    signal(SIGBUS, SIG_DFL);
    vkmm_mapping_guard();
    vkmm_mapping_guard(); /* does not take itself for the one before */
    fault_elsewhere();
}

static void fault_elsewhere_with_a_handler(void)
{
    signal(SIGBUS, tell);
    vkmm_mapping_guard();
    fault_elsewhere();
}

static void fault_without_guard(void)
{
    vkmm_mapping mapping = {0};
    if (vkmm_mapping_open(NULL, path, &mapping) != VKMM_OK || ftruncate(file, 0) != 0) _exit(1);
    _exit(10 + byte_at(&mapping, page));
}

static void signal_sent(void)
{
    vkmm_mapping mapping = {0};
    signal(SIGBUS, SIG_DFL);
    vkmm_mapping_guard();
    if (vkmm_mapping_open(NULL, path, &mapping) != VKMM_OK) _exit(1);
    raise(SIGBUS);
}

static void fault_after_close(void)
{
    vkmm_mapping mapping = {0};
    signal(SIGBUS, SIG_DFL);
    vkmm_mapping_guard();
    if (vkmm_mapping_open(NULL, path, &mapping) != VKMM_OK) _exit(1);
    const void *was = mapping.data;
    vkmm_mapping_close(&mapping);
    if (mmap((void *)(uintptr_t)was, page, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED ||
        ftruncate(file, 0) != 0)
        _exit(1);
    _exit(10 + *(const volatile char *)was);
}

/* Nobody else's faults are hidden, and without the guard nothing is. These come first: the guard stays. */
static void test_faults_elsewhere(void **state)
{
    (void)state;
    void (*const mortal[])(void) = {fault_elsewhere_guarded, signal_sent, fault_after_close, fault_without_guard};
    for (size_t i = 0; i < sizeof mortal / sizeof mortal[0]; i++) {
        if (i == 3) signal(SIGBUS, SIG_DFL); /* a sanitizer's report would come instead */
        int status = end_of(mortal[i]);
        assert_int_equal(ftruncate(file, (off_t)(PAGES * page)), 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGBUS);
    }
    int status = end_of(fault_elsewhere_with_a_handler);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

/* More than are guarded can be open. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 100 };
    vkmm_mapping mappings[MANY];
    vkmm_mapping_guard();
    for (int i = 0; i < MANY; i++) mappings[i] = open_file();
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(byte_at(&mappings[3], 0), 0);
    assert_int_equal(byte_at(&mappings[40], page), 0);
    unsigned cut = 0;
    for (int i = 0; i < MANY; i++) cut += !vkmm_mapping_whole(&mappings[i]);
    assert_int_equal(cut, 64);
    for (int i = 0; i < MANY; i++) vkmm_mapping_close(&mappings[i]);
    assert_int_equal(ftruncate(file, (off_t)(PAGES * page)), 0);
    vkmm_mapping mapping = open_file();
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(byte_at(&mapping, 0), 0); /* there is room again */
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

static void test_pages_are_forgotten(void **state)
{
    (void)state;
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

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, make_file, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(test_faults_elsewhere),
        WITH_FILE(test_a_file_made_shorter),
        WITH_FILE(test_a_file_made_shorter_for_a_while),
        WITH_FILE(test_a_file_replaced),
        WITH_FILE(test_threads),
        WITH_FILE(test_many),
        WITH_FILE(test_pages_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
