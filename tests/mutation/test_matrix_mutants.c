/* The kernel of matrix operations with one barrier() or one bounds check removed must fail a product. Skipped (77)
 * without matrices of 8×8×8. */
#include "general.h"
#include "kernel/general.h"

#include MUTANTS

enum { TURNS = 4 };

static suite_device suite;

/* Four subgroups, and a tile that hangs over every edge; C is f32 and not aligned, so that every sum passes through
 * shared memory. */
static const vkmm_problem problem =
    VKMM_PROBLEM_INIT(.m = 37, .n = 29, .k = 45, .type = VKMM_F16, .out_type = VKMM_F32, .compute = VKMM_F32);

/* Split: of two matrices, with a slice that K does not fill, and so many workgroups that what one left in shared memory
 * does not suit all that follow it. */
static const vkmm_problem split_problem =
    VKMM_PROBLEM_INIT(.m = 61, .n = 37, .k = 300, .batch_count = 2, .stride_a = 20000, .stride_b = 20000,
                      .stride_c = 2300, .op_b = VKMM_OP_T, .method = VKMM_COMPUTE_SPLIT);

/* Rows and columns of several sizes: bits of their range, and of that of the elements in each but its largest one. */
static void scale(const vkmm_problem *p, vkmm_store *stores, uint64_t of_lines, uint64_t in_lines)
{
    for (int o = VKMM_A; o <= VKMM_B; o++)
        for (uint64_t batch = 0; batch < 2; batch++)
            for (uint64_t i = 0; i < (o == VKMM_A ? p->m : p->n); i++)
                for (uint64_t k = 0; k < p->k; k++) {
                    float *x = (float *)stores[o].host + batch * p->stride_a + i * p->k + k;
                    const int size = (int)((i * 37 + batch * 5) % of_lines),
                              less = k == i * 53 % p->k ? 0 : 3 + (int)(k % in_lines);
                    *x = ldexpf(copysignf(1.0F + fabsf(*x), *x), size - (int)of_lines / 2 - less);
                }
}

static void scale_lines(const vkmm_problem *p, vkmm_store *stores)
{
    scale(p, stores, 121, 29);
}

/* With the scale of another line, or element, they have parts too, of wrong numbers. */
static void scale_a_little(const vkmm_problem *p, vkmm_store *stores)
{
    scale(p, stores, 11, 2);
}

static void scale_lines_with_infinity(const vkmm_problem *p, vkmm_store *stores)
{
    scale_lines(p, stores);
    ((float *)stores[VKMM_A].host)[7 * p->k + 11] = INFINITY;
}

/* A mutant of what prepares parts; NULL: no mutant, whose products are right. */
static int passes_split(const struct mutant *mutant)
{
    const vkmm_module module = mutant_module(mutant);
    char config[VKMM_CONFIG_TEXT], why[512] = "";
    general_run run = {.suite = &suite, .kernel = "coopmat", .config = config};
    run.module = mutant ? &module : NULL;
    run.step = mutant ? mutant->kernel : NULL;
    snprintf(config, sizeof config,
             "rows=16,cols=16,depth=32,sub-rows=8,sub-cols=8,mm=8,mn=8,mk=8,splits=1,pad=1,lanes=%u",
             suite.info->subgroup.size);
    int right = 1;
    for (int how = 0; how < 3 && right; how++) {
        run.change = how == 0 ? scale_lines : how == 1 ? scale_a_little : scale_lines_with_infinity;
        run.numbers = how == 1 ? CLI_NUMBERS_RANDOM : CLI_NUMBERS_ANY; /* few terms make up a sum */
        right = general_product(&run, &split_problem, 3, why);
    }
    general_end(&run);
    if (!right && !mutant) fail_msg("%s", why);
    return right;
}

static void parts_are_right(void **state)
{
    passes_split(NULL);
}

/* In a few runs out of a hundred, a workgroup finds what is right in shared memory, from the one that its thread ran
 * before: hence turns. */
static int fails_with_parts(const struct mutant *mutant)
{
    for (int turn = 0; turn < TURNS; turn++)
        if (!passes_split(mutant)) return 1;
    return 0;
}

static int fails(const struct mutant *mutant)
{
    if (strcmp(mutant->kernel, "coopmat") != 0) return fails_with_parts(mutant);
    const vkmm_module module = {mutant->kernel, VKMM_F16, mutant->words, mutant->bytes, VKMM_BUILD_PLAIN,
                                VKMM_F32,       0,        {8, 8, 8}};
    char config[VKMM_CONFIG_TEXT], why[512];
    general_run run = {.suite = &suite, .kernel = "coopmat", .config = config, .module = &module};
    snprintf(config, sizeof config, "rows=16,cols=16,depth=8,sub-rows=8,sub-cols=8,mm=8,mn=8,mk=8,splits=1,lanes=%u",
             suite.info->subgroup.size);
    const int right = general_product(&run, &problem, 3, why);
    general_end(&run);
    return !right;
}

int main(void)
{
    static const uint32_t shape[3] = {8, 8, 8};
    const struct CMUnitTest others[] = {cmocka_unit_test(parts_are_right)};
    const int absent = suite_open(&suite);
    if (absent) return absent;
    if (!vkmm_coopmat_lists(suite.info, &problem, shape)) return suite_exit_without_matrices(&suite);
    return run_mutants(&suite, others, 1);
}
