/* Linked into every program with cmocka's tests: a group of which every test was skipped ends with 77, which counts as
 * skipped, and not with 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SKIPPED = 77 };

typedef const struct CMUnitTest tests_of_group;

void __real__skip(const char *file, int line);
void __wrap__skip(const char *file, int line);
int __real__cmocka_run_group_tests(const char *name, tests_of_group *tests, size_t count, CMFixtureFunction setup,
                                   CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, tests_of_group *tests, size_t count, CMFixtureFunction setup,
                                   CMFixtureFunction teardown);

static size_t skipped;

void __wrap__skip(const char *file, int line)
{
    skipped++;
    __real__skip(file, line);
}

int __wrap__cmocka_run_group_tests(const char *name, tests_of_group *tests, size_t count, CMFixtureFunction setup,
                                   CMFixtureFunction teardown)
{
    skipped = 0;
    const int failed = __real__cmocka_run_group_tests(name, tests, count, setup, teardown);
    if (failed == 0 && count > 0 && skipped == count) return SKIPPED;
    return failed == SKIPPED ? SKIPPED + 1 : failed;
}
