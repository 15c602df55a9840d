/* A suite that a broken shader passes is no suite: each shader with one barrier() or one bounds check removed must
 * fail it. Each shader as it is passes it in test_products.c. */
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

int main(void)
{
    static char names[COUNT][96];
    static struct CMUnitTest tests[COUNT];
    const int absent = suite_open(&suite);
    size_t count = 0;
    if (absent) return absent;
    for (size_t i = 0; i < COUNT; i++) {
        if (!suite_has_turn(i)) continue;
        snprintf(names[i], sizeof names[0], "%s: %s is noticed", mutants[i].kernel, mutants[i].name);
        tests[count++] = (struct CMUnitTest){names[i], is_noticed, NULL, NULL, (void *)&mutants[i]};
    }
    int failed = _cmocka_run_group_tests("mutants", tests, count, NULL, NULL);
    suite_close(&suite); /* a mutant may well upset the validation layer */
    return failed ? 1 : 0;
}
