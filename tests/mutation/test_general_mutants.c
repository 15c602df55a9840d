/* The same for the general kernels: each shader with one barrier() or one bounds check removed must fail some
 * product of general_edges. That the unbroken ones pass all of them is what tests/gpu/test_general.c shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "general.h"

#include "general_mutants.inc"

enum { COUNT = sizeof mutants / sizeof mutants[0] };

static suite_device suite;

/* Between them these come past every barrier and every check of a kernel. */
static const struct {
    const char *mutant, *kernel, *config;
    uint64_t narrow;
    uint32_t pack;
    vkmm_type type; /* 0: f32 */
} runs[] = {
    {"blocked", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0},
    {"blocked", "blocked", "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=2,slices=2", 0},
    {"skinny", "skinny", "rows=32,cols=16,depth=16,thread-long=4,threads=32", 3},
    {"cpu", "cpu", NULL, 0},
    {"reduce", "skinny", "rows=32,cols=16,depth=16,thread-long=4,threads=32,splits=3", 3},
    {"pack", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0,
     VKMM_PACK_A | VKMM_PACK_B, VKMM_F16},
    {"pack", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0,
     VKMM_PACK_A | VKMM_PACK_B, VKMM_F64}, /* whose lines end before the squares of 32 */
};

/* Of a build for f16, without 16-bit storage. */
static int is_narrow(const struct mutant *mutant)
{
    return strncmp(mutant->name, "narrow-", 7) == 0;
}

static int wrong_products(const struct mutant *mutant, size_t which, vkmm_op op, general_padding padding)
{
    const vkmm_module module = {
        mutant->kernel, VKMM_F32, mutant->words, mutant->bytes, VKMM_BUILD_PLAIN, VKMM_F32, 0, {0}};
    general_run run = {.suite = &suite,
                       .kernel = runs[which].kernel,
                       .config = runs[which].config,
                       .narrow = runs[which].narrow,
                       .pack = runs[which].pack};
    if (run.pack)
        run.packing = &module;
    else if (strcmp(runs[which].mutant, runs[which].kernel) == 0)
        run.module = &module;
    else
        run.reduce = &module;
    run.types = vkmm_types_default(is_narrow(mutant) ? VKMM_F16 : runs[which].type ? runs[which].type : VKMM_F32);
    run.plain = run.has_bias = is_narrow(mutant);
    if (is_narrow(mutant)) run.activation = VKMM_RELU;
    int wrong = general_edges(&run, op, op, padding, 1, 1, 0, 1);
    general_end(&run);
    return wrong;
}

static int fails(const struct mutant *mutant)
{
    for (size_t which = 0; which < sizeof runs / sizeof runs[0]; which++) {
        if (strcmp(runs[which].mutant, mutant->kernel) != 0) continue;
        if (wrong_products(mutant, which, VKMM_OP_N, GENERAL_ALIGNED) ||
            wrong_products(mutant, which, VKMM_OP_T, GENERAL_UNEVEN))
            return 1;
    }
    return 0;
}

static int is_reordered(const struct mutant *mutant)
{
    return strstr(mutant->name, "-reversed") || strstr(mutant->name, "-rotated");
}

/* With its invocations in one order or another (mutate.py): the same mutant's other orders follow it in the table. */
static void is_noticed(void **state)
{
    const struct mutant *mutant = *state;
    if (fails(mutant)) return;
    for (const struct mutant *next = mutant + 1; next < mutants + COUNT && is_reordered(next); next++)
        if (fails(next)) return;
    fail_msg("%s passes without %s", mutant->kernel, mutant->name);
}

int main(void)
{
    static char names[COUNT][96];
    static struct CMUnitTest tests[COUNT];
    int absent = suite_open(&suite), count = 0;
    if (absent) return absent;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    for (int i = 0; i < COUNT; i++) {
        if (is_reordered(&mutants[i])) continue;
        snprintf(names[count], sizeof names[0], "%s: %s is noticed", mutants[i].kernel, mutants[i].name);
        tests[count] = (struct CMUnitTest){names[count], is_noticed, NULL, NULL, (void *)&mutants[i]};
        count++;
    }
    int failed = _cmocka_run_group_tests("general mutants", tests, (size_t)count, NULL, NULL);
    suite_close(&suite); /* a mutant may well upset the validation layer */
    return failed ? 1 : 0;
}
