/* Products by experts (vkmm_gemm_params.experts) against a reference of this file: small whole numbers, so that every
 * sum is exact. All of C's memory is compared, guard bands included, and the status. */
#include "kernel/table.h"
#include "math/problem.h"
#include "recorded.h"

enum { MOST = 64 };

static suite_device suite;
SUITE_MAIN(suite)
static float *weights; /* the elements of B in blocks; NULL: they are not */

/* Rows in the experts' order that are multiplied, and which expert has each; returns their number. */
static uint32_t routed(const vkmm_gemm_params *params, const uint32_t *counts, uint32_t experts[], uint32_t *dropped)
{
    uint32_t rows = 0;
    *dropped = 0;
    for (uint32_t e = 0; e < params->experts; e++)
        for (uint64_t i = 0; i < counts[e]; i++) {
            if (rows == params->job.problem.m) {
                const uint64_t all = *dropped + (counts[e] - i);
                *dropped = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
                break;
            }
            experts[rows++] = e;
        }
    return rows;
}

static double product_of(const vkmm_problem *p, const recorded *m, uint64_t row, uint32_t expert, uint64_t j)
{
    const void *b = weights ? weights : recorded_at(m, VKMM_B);
    double sum = 0;
    for (uint64_t k = 0; k < p->k; k++)
        sum += gemm_get(p->type, recorded_at(m, VKMM_A), gemm_index(p, VKMM_A, 0, row, k)) *
               gemm_get(weights ? VKMM_F32 : p->type, b, gemm_index(p, VKMM_B, 0, k, j) + expert * p->stride_b);
    sum *= p->alpha;
    return p->activation == VKMM_RELU && sum < 0 ? 0 : sum;
}

static void expect(const vkmm_gemm_params *params, recorded *m, const uint32_t *counts, const uint32_t *slots,
                   const float *scales, uint32_t *dropped)
{
    const vkmm_problem *p = &params->job.problem;
    const uint32_t per = params->scatter ? params->scatter : 1;
    const vkmm_type out = gemm_out(p);
    uint32_t experts[MOST];
    const uint32_t rows = routed(params, counts, experts, dropped);
    void *c = (char *)m->want + GUARD;
    for (uint64_t t = 0; t < p->m / per; t++)
        for (uint64_t j = 0; j < p->n; j++) {
            double sum = 0;
            int any = params->scatter > 0;
            for (uint32_t row = 0; row < rows; row++) {
                const uint32_t target = params->scatter ? slots[row] : row;
                const uint32_t from = params->gather ? slots[row] / params->gather : row;
                const int there = !params->gather || slots[row] < p->m;
                if (target >= p->m || target / per != t) continue;
                any = 1;
                if (there)
                    sum += product_of(p, m, from, experts[row], j) * (double)(params->scatter ? scales[target] : 1);
            }
            if (any) gemm_set(out, c, gemm_index(p, VKMM_C, 0, t, j), sum);
        }
}

/* One recording with these row counts. */
static void check_counts(const vkmm_gemm *gemm, const vkmm_gemm_params *params, recorded *m,
                         const vkmm_gemm_bindings *b, const uint32_t *counts)
{
    const vkmm_problem *p = &params->job.problem;
    uint32_t *routing = recorded_at(m, ROUTING), *slots = routing + 1 + params->experts, dropped;
    float *const scales = recorded_at(m, ROUTING);
    memcpy(routing + 1, counts, params->experts * sizeof *counts);
    for (uint32_t r = 0; r < p->m && (params->gather || params->scatter); r++)
        slots[r] = r == 2 ? (uint32_t)p->m : (uint32_t)((r * 11 + 5) % p->m); /* one goes nowhere */
    for (uint32_t r = 0; r < p->m && params->scatter; r++)
        scales[1 + params->experts + p->m + r] = (float)(r % 3) - 0.5F;
    memset(m->buffers[VKMM_C].mapped, 0xff, (size_t)m->buffers[VKMM_C].bytes);
    recorded_expect(m);
    expect(params, m, counts, slots, scales + 1 + params->experts + p->m, &dropped);
    recorded_run(gemm, b);
    assert_int_equal(routing[0], dropped);
    recorded_compare(m, gemm_out(p));
}

static void fill(vkmm_type type, void *data, uint64_t bytes, unsigned spread)
{
    const uint64_t size = vkmm_type_of(type)->bytes;
    for (uint64_t at = 0; at < bytes / size; at++)
        gemm_set(type, data, at, (double)(((uint32_t)at * 2654435761U >> 16) % spread) - spread / 2);
}

/* Blocks of whole numbers: the largest of each is -8, so that the scale is 1. */
static void fill_blocks(const recorded *m, vkmm_format format)
{
    const vkmm_format_info *info = vkmm_format_at(format);
    const uint64_t count = recorded_bytes(m, VKMM_B) / info->bytes * info->elements;
    weights = keep_object(malloc((size_t)count * sizeof *weights), free);
    fill(VKMM_F32, weights, 4 * count, 16);
    for (uint64_t at = 0; at < count; at += info->elements) weights[at] = -8;
    vkmm_blocks_encode(format, weights, count, recorded_at(m, VKMM_B));
}

/* No rows; all for one expert; ragged, with empty ones between; above the bound, also so far that sums of counts
 * overflow. m is 24 or more. */
static void check(const vkmm_gemm_params *params)
{
    const uint32_t all = (uint32_t)params->job.problem.m;
    const uint32_t counts[][4] = {{0},           {all},          {0, 0, 0, all},     {1, 0, 9, 3},
                                  {0, 17, 2, 0}, {3, 0, 11, 30}, {5, all - 4, 7, 0}, {2, UINT32_MAX, UINT32_MAX, 9}};
    const vkmm_problem *p = &params->job.problem;
    recorded *m = keep_recorded(suite.device);
    vkmm_gemm *gemm = keep_gemm(suite.device, params);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    vkmm_problem all_experts = *p;
    all_experts.batch_count = params->experts;
    vkmm_gemm_bindings b = {.a = recorded_take(m, VKMM_A, info->bytes[VKMM_A]),
                            .b = recorded_take(m, VKMM_B, vkmm_whole_words(vkmm_operand_bytes(&all_experts, VKMM_B))),
                            .c = recorded_take(m, VKMM_C, info->bytes[VKMM_C]),
                            .workspace = recorded_take(m, WORKSPACE, info->workspace_bytes),
                            .routing = recorded_take(m, ROUTING, info->routing_bytes)};
    fill(p->type, recorded_at(m, VKMM_A), recorded_bytes(m, VKMM_A), 5);
    weights = NULL;
    if (p->format_b == VKMM_PLAIN)
        fill(p->type, recorded_at(m, VKMM_B), recorded_bytes(m, VKMM_B), 7);
    else
        fill_blocks(m, p->format_b);
    if (p->format_b && !params->job.kernel) assert_int_equal(info->kernel->packed_bytes, 0);
    if (params->job.pack) {
        b.b = recorded_take(m, PACKED + VKMM_B, info->bytes[VKMM_B]);
        recorded_pack(gemm, VKMM_B, recorded_binding(m, VKMM_B), b.b);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_counts(gemm, params, m, &b, counts[i]);
}

static const char kernel_config[] =
    "rows=16,cols=16,depth=8,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2";
static const struct {
    const char *kernel, *config;
} kernels[] = {{"blocked", kernel_config},
               {"skinny", NULL},
               {"coopmat", "rows=8,cols=8,depth=16,sub-rows=8,sub-cols=8"}}; /* f16, where there are such operations */

/* Rows in the experts' order, gathered, scattered, and both, dealt out to the kernels. */
TEST(multiplies_by_experts)
{
    static const uint32_t ways[][2] = {{0, 0}, {1, 0}, {3, 0}, {0, 2}, {4, 2}};
    const int slow = suite_is_slow(&suite);
    for (size_t n = 0; n < VKMM_COUNT(kernels); n++)
        for (size_t i = slow ? 3 : n % 2; i < VKMM_COUNT(ways); i += 1 + !slow) {
            vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 24, .n = 19, .k = 21, .lda = 23, .ldb = 25,
                                                                   .ldc = 22, .offset_a = 3, .offset_b = 1,
                                                                   .offset_c = 5, .stride_b = 25 * 21 + 2, .alpha = 2),
                                       .job.kernel = kernels[n].kernel,
                                       .job.config = kernels[n].config,
                                       .experts = 4,
                                       .gather = ways[i][0],
                                       .scatter = ways[i][1]};
            if (n == 2) params.job.problem.type = VKMM_F16, params.job.problem.out_type = VKMM_F32;
            if (n == 2 && !vkmm_module_for("coopmat", &params.job.problem, vkmm_device_describe(suite.device), NULL))
                continue;
            if (i > 1) params.job.problem.op_b = VKMM_OP_T;
            if (i % 4 == 0) params.job.problem.activation = VKMM_RELU;
            check(&params);
        }
}

/* Narrow elements: an odd row of A begins within a word. C in each type, with sums that are rounded. */
TEST(multiplies_narrow_rows)
{
    static const vkmm_type types[][2] = {
        {VKMM_F16, VKMM_F16}, {VKMM_F16, VKMM_F32}, {VKMM_BF16, VKMM_BF16}, {VKMM_E4M3, VKMM_F32}};
    for (size_t i = suite_is_slow(&suite) ? 2 : 0; i < VKMM_COUNT(types); i++) {
        const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 24, .n = 18, .k = 11, .type = types[i][0],
                                                                     .out_type = types[i][1], .offset_a = 1,
                                                                     .offset_c = 2, .alpha = 7, .stride_b = 18 * 11),
                                         .experts = 4,
                                         .gather = 2,
                                         .scatter = 3};
        check(&params);
    }
}

/* Packed weights, and tiles that have fewer rows than the kernel's. */
TEST(multiplies_packed_weights)
{
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 40, .n = 21, .k = 13, .stride_b = 21 * 13),
                                     .job.kernel = "blocked",
                                     .job.config = kernel_config,
                                     .job.pack = VKMM_PACK_B,
                                     .experts = 4};
    check(&params);
}

/* Weights in blocks: read by the kernel, unpacked in each recording, unpacked once. SwiftShader compiles the unpacking
 * for 10 s. */
TEST(multiplies_blocks)
{
    static const struct {
        const char *kernel, *config;
        uint32_t pack;
    } ways[] = {{NULL, NULL, 0}, {"blocked", kernel_config, 0}, {"blocked", kernel_config, VKMM_PACK_B}};
    if (suite_is_slow(&suite)) return;
    for (size_t i = 0; i < VKMM_COUNT(ways); i++) {
        const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 24, .n = 10, .k = 64, .op_b = VKMM_OP_T,
                                                                     .stride_b = 10 * 64, .format_b = VKMM_Q4_0),
                                         .job.kernel = ways[i].kernel,
                                         .job.config = ways[i].config,
                                         .job.pack = ways[i].pack,
                                         .experts = 4,
                                         .scatter = 2};
        check(&params);
    }
}

static void refuses(const vkmm_gemm_params *params, const char *says)
{
    vkmm_gemm *gemm = NULL;
    assert_int_not_equal(vkmm_gemm_create(suite.device, params, &gemm), VKMM_OK);
    assert_null(gemm);
    assert_contains(vkmm_last_error(), says);
}

TEST(refuses_what_experts_cannot)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = 24, .n = 9, .k = 64, .stride_b = 576);
    vkmm_problem biased = plain, narrow = plain, whole = plain;
    biased.has_bias = 1;
    narrow.type = VKMM_F16;
    whole.type = VKMM_I32;
    refuses(&(vkmm_gemm_params){.job.problem = plain, .gather = 2}, "experts is 0");
    refuses(&(vkmm_gemm_params){.job.problem = biased, .experts = 4}, "no bias");
    refuses(&(vkmm_gemm_params){.job.problem = plain, .experts = 4, .dynamic = VKMM_DYNAMIC_M}, "fixed extents");
    refuses(&(vkmm_gemm_params){.job.problem = plain, .experts = 4, .scatter = 5}, "must divide it");
    refuses(&(vkmm_gemm_params){.job.problem = narrow, .experts = 4}, "are even for C in f16");
    refuses(&(vkmm_gemm_params){.job.problem = whole, .experts = 4}, "not of i32");
    refuses(&(vkmm_gemm_params){.job.problem = plain, .experts = 4, .job.kernel = "cpu"},
            "skinny, coopmat and blocked");
    refuses(&(vkmm_gemm_params){.job.problem = plain, .experts = 4, .job.kernel = "blocked", .job.config = "splits=2"},
            "in one part");
}

TEST(refuses_wrong_bindings)
{
    static const double one = 1;
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 24, .n = 9, .k = 8, .stride_b = 72),
                                     .experts = 4};
    const vkmm_gemm_product product = {0};
    vkmm_gemm *gemm = keep_gemm(suite.device, &params);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const vkmm_binding most = recorded_take(keep_recorded(suite.device), WORKSPACE,
                                            info->workspace_bytes + info->bytes[VKMM_B] + info->routing_bytes);
    const vkmm_gemm_bindings right = {most, most, most, .workspace = most, .routing = most};
    vkmm_gemm_bindings b = right;
    assert_ok(vkmm_gemm_check(gemm, &b));
#define REFUSES(change, says)                                          \
    do {                                                               \
        change;                                                        \
        assert_refused(vkmm_gemm_check(gemm, &b), VKMM_INVALID, says); \
        b = right;                                                     \
    } while (0)
    REFUSES(b.routing.buffer = VK_NULL_HANDLE, "routing has no buffer");
    REFUSES(b.routing.bytes = 4 * 4, "routing has 16 bytes; this recording needs 20");
    REFUSES(b.a.bytes = 4 * (24 * 8 - 1), "A has 764 bytes; this recording needs 768");
    REFUSES(b.b.bytes = 4 * (4 * 72 - 1), "B has 1148 bytes; this recording needs 1152");
    REFUSES(b.beta = &one, "no products and no beta");
    REFUSES((b.products = &product, b.product_count = 1), "no products and no beta");
}
