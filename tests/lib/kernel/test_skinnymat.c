/* skinnymat on any device: matrix operations are played in its layout (harness/played_matrix.glsl), or in another,
 * where it does without them. */
#include "base/array.h"
#include "block_case.h"
#include "kernel/table.h"
#include "math/type.h"
#include "skinnymat_played.h"
#include "skinnymat_strange.h"

static suite_device suite;

static const vkmm_module played = {.kernel = "skinnymat",
                                   .type = VKMM_F16,
                                   .compute = VKMM_F32,
                                   .words = skinnymat_played,
                                   .bytes = sizeof skinnymat_played},
                         strange = {.kernel = "skinnymat",
                                    .type = VKMM_F16,
                                    .compute = VKMM_F32,
                                    .words = skinnymat_strange,
                                    .bytes = sizeof skinnymat_strange};

static const vkmm_format formats[] = {VKMM_Q8_0, VKMM_Q4_0, VKMM_Q4_1, VKMM_Q4_K, VKMM_MXFP4, VKMM_NVFP4};

/* As if the device listed the matrix operations, in subgroups of 32. Skips if the compiler does not know them. */
static void pretend(void)
{
    const uint32_t in = vkmm_component_of(VKMM_F16), sum = vkmm_component_of(VKMM_F32);
    if (!vkmm_module_find("skinnymat", VKMM_F16, VKMM_BUILD_PLAIN)) skip();
    suite.info->features.f16 = suite.info->features.storage16 = 1;
    suite.info->subgroup.size = 32;
    suite.info->subgroup.max_size = 0;
    suite.info->matrices.shapes[0] = (vkmm_matrix_shape){16, 8, 16, in, in, sum, sum, 3, 0};
    suite.info->matrices.shape_count = 1;
}

static blocks_case case_of(vkmm_format format, vkmm_operand operand, uint64_t side, const char *config)
{
    blocks_case c = blocks_case_of(format, operand, VKMM_F16, side, VKMM_ROW_MAJOR);
    vkmm_problem *p = &c.params.problem;
    c.params.kernel = "skinnymat";
    c.params.config = config;
    p->out_type = VKMM_F32;
    p->compute = VKMM_F32;
    if (operand == VKMM_A)
        p->op_b = VKMM_OP_T, p->lda = BLOCKS_DEPTH + 256, p->offset_a = 256, p->ldb = BLOCKS_DEPTH + 8;
    if (operand == VKMM_B) p->ldb = BLOCKS_DEPTH + 256, p->offset_b = 256, p->lda = BLOCKS_DEPTH + 8;
    return c;
}

static void check(const blocks_case *c, const vkmm_module *module)
{
    const general_run replaced = {.module = module, .step = "product"};
    char why[512];
    if (!blocks_case_right(&suite, c, &replaced, "skinnymat", why)) fail_msg("%s", why);
}

/* One line of the short operand and several; steps of one subgroup, and of two, which have as many. */
TEST(multiplies_every_format)
{
    pretend();
    for (size_t f = 0; f < VKMM_COUNT(formats); f++) {
        blocks_case c = case_of(formats[f], VKMM_A, 1, "rows=16,cols=1,depth=512");
        check(&c, &played);
        c = case_of(formats[f], VKMM_B, 5, f % 2 ? "rows=8,cols=16,depth=256" : "rows=8,cols=32,depth=256,splits=2");
        check(&c, &played);
    }
}

/* Those of nvfp4 are multiplied in f16; with others, elements need more bits than the expected ones have. */
TEST(unpacks_every_scale_of_nvfp4)
{
    pretend();
    blocks_case c = case_of(VKMM_NVFP4, VKMM_A, 256, "rows=16,cols=8,depth=256");
    c.params.problem.m = c.params.problem.k = 256;
    c.scaled = 1;
    check(&c, &played);
}

TEST(does_without_a_layout_that_it_does_not_know)
{
    pretend();
    for (size_t f = 0; f < VKMM_COUNT(formats); f++) {
        blocks_case c = case_of(formats[f], f % 2 ? VKMM_A : VKMM_B, 3,
                                f % 2 ? "rows=16,cols=8,depth=512" : "rows=8,cols=16,depth=512");
        check(&c, &strange);
    }
}

/* With alpha, beta, a bias and an activation. */
TEST(computes_every_problem)
{
    pretend();
    blocks_case c = case_of(VKMM_Q4_0, VKMM_B, 3, "rows=8,cols=16,depth=256");
    vkmm_problem *p = &c.params.problem;
    p->alpha = 2, p->beta = -3, p->has_bias = 1, p->activation = VKMM_RELU;
    check(&c, &played);
}

SUITE_MAIN(suite)
