/* The kernel of matrix operations with one barrier() or one bounds check removed must fail a product. Skipped (77)
 * without matrices of 8×8×8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "general.h"
#include "kernel/general.h"

#include "matrix_mutants.inc"

enum { COUNT = sizeof mutants / sizeof mutants[0], SKIPPED = 77 };

static suite_device suite;

/* Four subgroups, and a tile that hangs over every edge; C is f32 and not aligned, so that every sum passes through
 * shared memory. */
static const vkmm_problem problem =
    VKMM_PROBLEM_INIT(.m = 37, .n = 29, .k = 45, .type = VKMM_F16, .out_type = VKMM_F32, .compute = VKMM_F32);

static void is_noticed(void **state)
{
    const struct mutant *mutant = *state;
    const vkmm_module module = {mutant->kernel, VKMM_F16, mutant->words, mutant->bytes, VKMM_BUILD_PLAIN,
                                VKMM_F32,       0,        {8, 8, 8}};
    char config[VKMM_CONFIG_TEXT], why[512];
    general_run run = {.suite = &suite, .kernel = "coopmat", .config = config, .module = &module};
    snprintf(config, sizeof config, "rows=16,cols=16,depth=8,sub-rows=8,sub-cols=8,mm=8,mn=8,mk=8,splits=1,lanes=%u",
             suite.info->subgroup_size);
    const int right = general_product(&run, &problem, 3, why);
    general_end(&run);
    if (right) fail_msg("coopmat passes without %s", mutant->name);
}

int main(void)
{
    static const uint32_t shape[3] = {8, 8, 8};
    static struct CMUnitTest tests[COUNT];
    int absent = suite_open(&suite);
    if (absent) return absent;
    if (!vkmm_coopmat_lists(suite.info, &problem, shape)) return suite_close(&suite) ? 1 : SKIPPED;
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){mutants[i].name, is_noticed, NULL, NULL, (void *)&mutants[i]};
    int failed = _cmocka_run_group_tests("matrix mutants", tests, COUNT, NULL, NULL);
    suite_close(&suite); /* a mutant may well upset the validation layer */
    return failed ? 1 : 0;
}
