/* Verification of matrices in mapped files, which together are larger than what it may keep in memory. Reads /proc
 * (Linux). */
#include "unit.h"

#include "base/file.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* 36 MiB a matrix of 4-byte elements. The program itself is in what may stay. */
enum { SIDE = 3072, SET_MIB = 108, MOST_MIB = 48 };

static char path[] = "/tmp/vkmm-mapped-XXXXXX";

/* Zeros, which take no room on the disk, and whose product is known. */
static int make_file(void **state)
{
    int fd = mkstemp(path);
    if (fd < 0) return -1;
    int made = ftruncate(fd, (off_t)SIDE * SIDE * 4);
    close(fd);
    return made;
}

static int remove_file(void **state)
{
    return unlink(path);
}

/* "VmHWM" in MiB; -1: the system does not say. */
static long status_of(const char *name)
{
    char line[200];
    long kilobytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return -1;
    while (kilobytes < 0 && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %ld", &kilobytes);
    fclose(status);
    return kilobytes < 0 ? -1 : kilobytes / 1024;
}

typedef struct setting {
    const char *name;
    vkmm_type type;
    int a_cols, b_cols, c_cols; /* whether columns are stored */
    double beta;
    cli_verify_method method;
} setting;

static vkmm_view view_of(const vkmm_mapping *mapping, vkmm_type type, int cols)
{
    return (vkmm_view){mapping->data, SIDE, SIDE, cols ? 1 : SIDE, cols ? SIDE : 1, type};
}

/* In a child of its own, for a process's peak only grows: MiB that it grew by, or 255. */
static int peak_of(const setting *s)
{
    vkmm_mapping maps[4] = {{0}};
    cli_verdict verdict = {0};
    const long before = status_of("VmRSS");
    for (int i = 0; i < 4; i++)
        if (vkmm_mapping_open(path, &maps[i]) != VKMM_OK) return 255;
    const vkmm_problem problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .type = s->type, .beta = s->beta);
    const cli_stack stacks[CLI_EVIDENCE] = {[VKMM_A].first = view_of(&maps[0], s->type, s->a_cols),
                                            [VKMM_B].first = view_of(&maps[1], s->type, s->b_cols),
                                            [VKMM_C].first = view_of(&maps[2], s->type, s->c_cols),
                                            [CLI_BEFORE].first = view_of(&maps[3], s->type, s->c_cols)};
    if (cli_verify_stacks(NULL, &problem, stacks, NULL, maps[2].data, CLI_NUMBERS_RANDOM, s->method, 7, &verdict) !=
            VKMM_OK ||
        !verdict.passed)
        return 255;
    const long grown = status_of("VmHWM") - before;
    return grown < 0 || grown > 254 ? 254 : (int)grown;
}

static void test_memory_is_bounded(void **state)
{
    static const setting settings[] = {
        {"rows", VKMM_F32, 0, 0, 0, 0.0, CLI_VERIFY_FREIVALDS},
        {"columns", VKMM_F32, 1, 1, 1, 0.0, CLI_VERIFY_FREIVALDS},
        {"A by columns", VKMM_F32, 1, 0, 0, 1.0, CLI_VERIFY_FREIVALDS},
        {"samples, B by columns", VKMM_F32, 0, 1, 0, 0.0, CLI_VERIFY_SAMPLES},
        {"samples of rows", VKMM_F32, 0, 0, 0, 0.0, CLI_VERIFY_SAMPLES},
        {"integers", VKMM_I32, 0, 0, 1, 0.0, CLI_VERIFY_FREIVALDS},
    };
    if (status_of("VmHWM") < 0) skip();
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        int status = -1;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) _exit(peak_of(&settings[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        print_message("%s: %d MiB of %d\n", settings[i].name, WEXITSTATUS(status), SET_MIB);
        assert_true(WEXITSTATUS(status) <= MOST_MIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_is_bounded)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
