/* Every general kernel × op × layout × type × edge, and random problems. VKMM_TEST_SEED repeats a random sweep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "general.h"

static suite_device suite;

/* Configurations that need many tiles for small matrices, so that every edge of a tile is met; and small devices can run them. */
static const struct {
    const char *kernel, *config;
    uint64_t narrow;
} runs[] = {
    {"blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=2,slices=1"},
    {"blocked", "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2,splits=3"},
    {"skinny", "rows=16,cols=16,depth=32,thread-long=4,threads=32,splits=2", 3},
    {"cpu", NULL},
};
enum { RUNS = sizeof runs / sizeof runs[0], OTHER_TYPES_OPS = 1 };

static int edges(size_t which, vkmm_type type)
{
    static const vkmm_op ops[][2] = {{VKMM_OP_T, VKMM_OP_N}, {VKMM_OP_N, VKMM_OP_N}, {VKMM_OP_T, VKMM_OP_T}, {VKMM_OP_N, VKMM_OP_T}};
    const size_t count = type == VKMM_F32 ? 4 : OTHER_TYPES_OPS; /* which ops, and where, does not depend on the type */
    int wrong = 0;
    if (!suite_has_type(&suite, type)) return 0;
    for (size_t op = 0; op < count; op++) {
        general_run run = {.suite = &suite, .kernel = runs[which].kernel, .config = runs[which].config, .narrow = runs[which].narrow};
        const general_padding padding = (op + which) % 2 ? GENERAL_UNEVEN : GENERAL_ALIGNED;
        wrong += general_edges(&run, type, ops[op][0], ops[op][1], padding, op + which, 1, 0);
        general_end(&run);
    }
    return wrong;
}

static void every_edge(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t which = 0; which < RUNS; which++)
        for (int type = 0; type < VKMM_TYPE_COUNT; type++) wrong += edges(which, (vkmm_type)type);
    assert_int_equal(wrong, 0);
}

/* What the planner itself chooses, for problems that nobody thought of. */
static void random_problems(void **state)
{
    (void)state;
    const char *given = getenv("VKMM_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    int wrong = 0;
    printf("# VKMM_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 16; i++) {
        const vkmm_type type = (vkmm_type)(i % VKMM_TYPE_COUNT);
        general_run run = {.suite = &suite};
        char why[512], text[256];
        if (!suite_has_type(&suite, type)) continue;
        const vkmm_problem problem = general_random(type, seed + i);
        general_text(&problem, text);
        if (!general_product(&run, &problem, seed, why)) {
            printf("# %s: %s\n", text, why);
            wrong++;
        }
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_edge),
        cmocka_unit_test(random_problems),
    };
    int absent = suite_open(&suite);
    if (absent) return absent;
    int failed = cmocka_run_group_tests_name("general", tests, NULL, NULL);
    return suite_close(&suite) ? 1 : failed;
}
