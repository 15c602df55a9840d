/* Mutants of what reads matrices in blocks must fail a product; the originals pass them here, and more in
 * test_blocks.c. */
#include "block_case.h"

#include MUTANTS

enum { TURNS = 3 };

static suite_device suite;

/* One after another, as in test_blocks.c: every scale, rounding, and a batch of blocks that are unpacked. */
static blocks_case unpacked(vkmm_format format, unsigned turn)
{
    const uint64_t depth = 256;
    blocks_case c = blocks_case_of(format, VKMM_B, turn == 1 ? VKMM_BF16 : VKMM_F32, depth, VKMM_ROW_MAJOR);
    vkmm_problem *p = &c.params.problem;
    c.params.kernel = "blocked";
    c.params.config = "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1";
    c.scaled = turn < 2;
    p->k = depth;
    if (turn == 2) p->m = 9, p->batch_count = 2, p->stride_b = p->n * p->ldb, p->stride_c = p->m * p->n;
    return c;
}

/* Two steps; K in two parts; elements beside blocks that are read one by one, with a step that K does not fill. */
static blocks_case whole(vkmm_format format, unsigned turn)
{
    static const char *const configs[TURNS] = {"rows=1,cols=4,depth=256,thread-long=1,threads=32",
                                               "rows=1,cols=4,depth=256,thread-long=1,threads=32,splits=2",
                                               "rows=2,cols=4,depth=1024,thread-long=1,threads=128"};
    blocks_case c = blocks_case_of(format, VKMM_B, turn == 2 ? VKMM_F16 : VKMM_F32, turn == 2 ? 2 : 1, VKMM_ROW_MAJOR);
    c.params.kernel = "skinny";
    c.params.config = configs[turn];
    if (turn == 2) c.params.problem.op_a = VKMM_OP_T;
    return c;
}

static vkmm_format format_of(const struct mutant *mutant)
{
    uint32_t format = VKMM_Q8_0;
    const char *name = mutant->name + strlen("blocks-");
    while (strncmp(name, vkmm_format_at(format)->name, strcspn(name, "-")) != 0) format++;
    return (vkmm_format)format;
}

/* words NULL: of the unbroken shader. */
static int fails(const struct mutant *mutant)
{
    const vkmm_module module = mutant_module(mutant);
    const int unpacks = strcmp(mutant->kernel, "unpack") == 0;
    const general_run replaced = {.module = mutant->words ? &module : NULL, .step = unpacks ? "unpack" : "product"};
    char why[512];
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const blocks_case c = unpacks ? unpacked(format_of(mutant), turn) : whole(format_of(mutant), turn);
        if (!blocks_case_right(&suite, &c, &replaced, mutant->kernel[0] == 's' ? "skinny" : "blocked", why)) return 1;
    }
    return 0;
}

static void originals_pass(void **state)
{
    assert_false(fails(&(struct mutant){"unpack", "blocks-q4_0", NULL, 0}));
    assert_false(fails(&(struct mutant){"skinny", "blocks-q4_0", NULL, 0}));
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(originals_pass)};
    const int absent = suite_open(&suite);
    return absent ? absent : run_mutants(&suite, others, 1);
}
