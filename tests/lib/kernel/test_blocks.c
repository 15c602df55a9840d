/* Matrices in blocks (vkmm_format): products by kernels that read blocks, and by those before which a step
 * unpacks them. The host's functions are tested in lib/math/test_formats.c, matrix operations in test_coopmat.c. */
#include "block_case.h"
#include "recorded.h"

static suite_device suite;
SUITE_MAIN(suite)

static void check(const blocks_case *c, const char *kernel)
{
    char why[512];
    if (!blocks_case_right(&suite, c, NULL, kernel, why)) fail_msg("%s", why);
}

TEST(multiplies_every_format)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    static const vkmm_type types[] = {VKMM_F32, VKMM_F16, VKMM_BF16};
    static const uint64_t sides[] = {1, 3, 8, 40};
    static const unsigned lasts[] = {0, 5, 8, 13, 16, 21}; /* of one and three columns or rows, each type */
    static const char tall[] = "rows=4,cols=1,depth=512,thread-long=1,threads=64",
                      wide[] = "rows=1,cols=4,depth=512,thread-long=1,threads=64";
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++)
        for (unsigned n = 0; n < 3 * 2 * 4; n++) {
            const uint64_t side = sides[n % 4];
            const vkmm_operand operand = n / 4 % 2 ? VKMM_A : VKMM_B;
            const int is_last = f > VKMM_NVFP4; /* these have one problem, because they differ in blocks.glsl only */
            if (is_last ? n != lasts[f % 6] : (n + f) % 5) continue;
            blocks_case c = blocks_case_of((vkmm_format)f, operand, types[n / 8], side,
                                           (n + n / 4) % 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR);
            if (is_last && side <= 8) c.params.config = operand == VKMM_A ? tall : wide;
            check(&c, side <= 8 ? "skinny" : NULL);
        }
}

/* Every scale and every code, in f32, and rounded to bf16. */
TEST(unpacks_every_scale)
{
    for (uint32_t n = 2 * VKMM_Q8_0; n < 2 * VKMM_FORMAT_COUNT; n++) {
        if (suite_is_slow(&suite) && n != 2 * VKMM_Q4_0) continue;
        if (n / 2 > VKMM_NVFP4 && n % 2 != n / 2 % 2) continue; /* these differ from others in their scales and codes */
        blocks_case c =
            blocks_case_of((vkmm_format)(n / 2), VKMM_B, n % 2 ? VKMM_BF16 : VKMM_F32, BLOCKS_DEPTH, VKMM_ROW_MAJOR);
        c.scaled = 1;
        if (suite_is_slow(&suite)) c.params.kernel = "blocked";
        check(&c, NULL);
    }
}

/* Scalars, bias, activation, a batch that shares A, K in parts, scattered elements beside blocks. */
TEST(computes_every_problem)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    blocks_case c = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR);
    vkmm_problem *p = &c.params.problem;
    p->alpha = 2, p->beta = -3, p->has_bias = 1, p->activation = VKMM_RELU, p->out_type = VKMM_F32;
    check(&c, "skinny");
    p->op_a = VKMM_OP_T;
    check(&c, NULL);
    c = blocks_case_of(VKMM_MXFP4, VKMM_A, VKMM_F32, 2, VKMM_ROW_MAJOR);
    c.params.config = "splits=2";
    check(&c, "skinny");
    c.params.config = NULL;
    p->m = 40;
    c.params.kernel = "blocked";
    check(&c, "blocked");
    blocks_case many = blocks_case_of(VKMM_MXFP4, VKMM_B, VKMM_F32, 9, VKMM_ROW_MAJOR);
    p = &many.params.problem;
    p->batch_count = 2, p->stride_b = BLOCKS_LONG * p->ldb, p->stride_c = p->m * p->n;
    check(&many, NULL);
}

/* Two products of one recording, of different lines of B; blocks are read, unpacked by each, or packed once. */
static void record(const vkmm_gemm_params *params, const blocks_case *c)
{
    const vkmm_problem *p = &params->job.problem, plain = blocks_plain(p);
    vkmm_gemm *gemm = keep_gemm(suite.device, params);
    recorded *m = keep_recorded(suite.device);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const uint64_t lines = BLOCKS_LONG * (BLOCKS_DEPTH + vkmm_format_at(p->format_b)->elements),
                   all = vkmm_operand_elements(p, VKMM_B), blocks = vkmm_operand_span(p, VKMM_B, all + lines);
    vkmm_gemm_product products[2] = {{.m = (uint32_t)p->m, .n = BLOCKS_LONG}, {.m = (uint32_t)p->m, .n = BLOCKS_LONG}};
    products[1].offset_b = lines;
    products[1].offset_c = vkmm_operand_elements(p, VKMM_C);
    /* Without a workspace, validation may report products that run at the same time. */
    vkmm_gemm_bindings how = {.a = recorded_take(m, VKMM_A, vkmm_operand_bytes(p, VKMM_A)),
                              .b = recorded_take(m, VKMM_B, vkmm_whole_words(blocks)),
                              .c = recorded_take(m, VKMM_C, 2 * vkmm_operand_bytes(p, VKMM_C)),
                              .workspace = recorded_take(m, WORKSPACE, info->workspace_bytes),
                              .products = products,
                              .product_count = info->workspace_bytes == 0 || params->job.pack ? 1 : 2};
    float *elements = keep_object(calloc(all + lines, sizeof *elements), free), *a = recorded_at(m, VKMM_A);
    blocks_fill(c, recorded_at(m, VKMM_B), elements, blocks);
    for (uint64_t i = 0; i < p->m * BLOCKS_DEPTH; i++) a[i] = (float)(i % 7) - 3;
    recorded_expect(m);
    for (uint32_t i = 0; i < how.product_count; i++)
        gemm_biased(&plain, a, elements + i * lines, NULL, m->want + GUARD + i * vkmm_operand_bytes(p, VKMM_C));
    if (params->job.pack) {
        how.b = recorded_take(m, PACKED + VKMM_B, info->bytes[VKMM_B]);
        recorded_pack(gemm, VKMM_B, recorded_binding(m, VKMM_B), how.b);
    }
    assert_ok(vkmm_gemm_check(gemm, &how));
    recorded_run(gemm, &how);
    recorded_compare(m, VKMM_F32);
    how.b.bytes = vkmm_operand_span(p, VKMM_B, BLOCKS_DEPTH); /* too few */
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
    products[1].offset_b = 16;
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
}

TEST(records_products)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    const blocks_case few = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F32, 2, VKMM_ROW_MAJOR),
                      many = blocks_case_of(VKMM_MXFP4, VKMM_B, VKMM_F32, 20, VKMM_ROW_MAJOR);
    vkmm_gemm_params params = {.job.problem = few.params.problem};
    vkmm_gemm *gemm;
    record(&params, &few);
    params.job.pack = VKMM_PACK_B;
    record(&params, &few);
    params = (vkmm_gemm_params){.job.problem = many.params.problem, .dynamic = VKMM_DYNAMIC_M};
    record(&params, &many);
    params.dynamic = VKMM_DYNAMIC_N;
    assert_refused(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED,
                   "unpacks the blocks of B, so that N cannot be dynamic");
    params = (vkmm_gemm_params){.job.problem = many.params.problem, .offset_step = 16};
    assert_refused(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_INVALID,
                   "offset_step is 16; the blocks of B have 32 elements");
}
