/* A suite that a broken shader passes is no suite: each shader with one barrier() or one bounds check removed must
 * fail it, and each shader as it is must pass it. */
#include <stdio.h>

#include "suite.h"

#include "mutants.inc"

enum { COUNT = sizeof mutants / sizeof mutants[0] };

static suite_device suite;

static void is_noticed(void **state)
{
    const struct mutant *mutant = *state;
    const vkmm_module module = {
        mutant->kernel, VKMM_F32, mutant->words, mutant->bytes, VKMM_BUILD_PLAIN, VKMM_F32, 0, {0}};
    if (suite_kernel(&suite, mutant->kernel, &module, VKMM_F32, 0, 1) == 0)
        fail_msg("%s passes without %s", mutant->kernel, mutant->name);
}

static void passes_unbroken(void **state)
{
    const struct mutant *mutant = *state;
    assert_int_equal(suite_kernel(&suite, mutant->kernel, NULL, VKMM_F32, 1, 0), 0);
}

int main(void)
{
    static char names[2 * COUNT][96];
    static struct CMUnitTest tests[2 * COUNT];
    int absent = suite_open(&suite), count = 0;
    if (absent) return absent;
    for (int i = 0; i < COUNT; i++) {
        int first = i == 0 || mutants[i].kernel != mutants[i - 1].kernel;
        snprintf(names[count], sizeof names[0], "%s: %s is noticed", mutants[i].kernel, mutants[i].name);
        tests[count] = (struct CMUnitTest){names[count], is_noticed, NULL, NULL, (void *)&mutants[i]};
        count++;
        if (!first) continue;
        snprintf(names[count], sizeof names[0], "%s: unbroken passes", mutants[i].kernel);
        tests[count] = (struct CMUnitTest){names[count], passes_unbroken, NULL, NULL, (void *)&mutants[i]};
        count++;
    }
    int failed = _cmocka_run_group_tests("mutants", tests, (size_t)count, NULL, NULL);
    suite_close(&suite); /* a mutant may well upset the validation layer */
    return failed ? 1 : 0;
}
