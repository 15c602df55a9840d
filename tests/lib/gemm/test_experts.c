/* Products by experts (vkmm_gemm_params.experts) against a reference of this file: small whole numbers, so that every
 * sum is exact. All of C's memory is compared, guard bands included, and the status. */
#include "base/random.h"
#include "gemm.h"
#include "gemm/gemm.h"
#include "math/problem.h"
#include "kernel/table.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"

enum { GUARD = 256, A = 0, B, C, WORKSPACE, ROUTING, PACKED, BUFFERS, MOST = 64 };

static suite_device suite;

typedef struct memory {
    vkmm_gemm *gemm;
    vkmm_buffer buffers[BUFFERS];
    float *want;    /* all of C's buffer */
    float *weights; /* of blocks: their elements */
} memory;

static void release(void *object)
{
    memory *m = object;
    for (int i = 0; i < BUFFERS; i++) vkmm_buffer_destroy(suite.device, &m->buffers[i]);
    vkmm_gemm_destroy(&m->gemm);
    free(m->want);
    free(m->weights);
    free(m);
}

static void *data_of(const memory *m, int which)
{
    return (char *)m->buffers[which].mapped + GUARD;
}

/* All ones, which is a NaN for floats, and no expert's row. */
static vkmm_binding reserve(memory *m, int which, uint64_t bytes)
{
    vkmm_buffer *buffer = &m->buffers[which];
    if (bytes == 0) return (vkmm_binding){0};
    assert_int_equal(
        vkmm_buffer_create(suite.device, "a test's matrix", bytes + 2 * GUARD, VKMM_PLACE_DOWNLOAD, buffer), VKMM_OK);
    memset(buffer->mapped, 0xff, (size_t)buffer->bytes);
    return (vkmm_binding){buffer->handle, GUARD, bytes};
}

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

static double product_of(const vkmm_problem *p, const memory *m, uint64_t row, uint32_t expert, uint64_t j)
{
    const void *weights = m->weights ? m->weights : data_of(m, B);
    double sum = 0;
    for (uint64_t k = 0; k < p->k; k++)
        sum +=
            gemm_get(p->type, data_of(m, A), gemm_index(p, VKMM_A, 0, row, k)) *
            gemm_get(m->weights ? VKMM_F32 : p->type, weights, gemm_index(p, VKMM_B, 0, k, j) + expert * p->stride_b);
    sum *= p->alpha;
    return p->activation == VKMM_RELU && sum < 0 ? 0 : sum;
}

static void expect(const vkmm_gemm_params *params, memory *m, const uint32_t *counts, const uint32_t *slots,
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
static void check_counts(const vkmm_gemm_params *params, memory *m, const vkmm_gemm_bindings *b, const uint32_t *counts)
{
    const vkmm_problem *p = &params->job.problem;
    const size_t bytes = (size_t)m->buffers[C].bytes;
    const vkmm_type out = gemm_out(p);
    uint32_t *routing = data_of(m, ROUTING), *slots = routing + 1 + params->experts, dropped;
    float *const scales = data_of(m, ROUTING);
    memcpy(routing + 1, counts, params->experts * sizeof *counts);
    for (uint32_t r = 0; r < p->m && (params->gather || params->scatter); r++)
        slots[r] = r == 2 ? (uint32_t)p->m : (uint32_t)((r * 11 + 5) % p->m); /* one goes nowhere */
    for (uint32_t r = 0; r < p->m && params->scatter; r++)
        scales[1 + params->experts + p->m + r] = (float)(r % 3) - 0.5F;
    memset(m->buffers[C].mapped, 0xff, bytes);
    memcpy(m->want, m->buffers[C].mapped, bytes);
    expect(params, m, counts, slots, scales + 1 + params->experts + p->m, &dropped);
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(suite.device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_record(m->gemm, command, b);
    if (status == VKMM_OK) vkmm_command_barrier_all(suite.device, command);
    assert_int_equal(vkmm_command_finish(suite.device, status, &command), VKMM_OK);
    assert_int_equal(routing[0], dropped);
    const size_t size = vkmm_type_of(out)->bytes;
    const char *got = m->buffers[C].mapped, *want = (char *)m->want;
    for (uint64_t at = 0; at < bytes / size; at++) {
        if (memcmp(got + at * size, want + at * size, size) == 0) continue;
        const double g = gemm_get(out, got, at), w = gemm_get(out, want, at);
        if (!(g == w)) fail_msg("element %zu of C's buffer is %g, should be %g", (size_t)at, g, w);
    }
}

static void pack_weights(memory *m, vkmm_gemm_bindings *b)
{
    const vkmm_binding from = {m->buffers[B].handle, GUARD, m->buffers[B].bytes - 2 * GUARD};
    b->b = reserve(m, PACKED, vkmm_gemm_describe(m->gemm)->bytes[VKMM_B]);
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(suite.device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_pack(m->gemm, command, VKMM_B, &from, &b->b, 0);
    if (status == VKMM_OK) vkmm_command_barrier_all(suite.device, command);
    assert_int_equal(vkmm_command_finish(suite.device, status, &command), VKMM_OK);
}

static void fill(vkmm_type type, void *data, uint64_t bytes, unsigned spread)
{
    const uint64_t size = vkmm_type_of(type)->bytes;
    for (uint64_t at = 0; at < bytes / size; at++)
        gemm_set(type, data, at, (double)(((uint32_t)at * 2654435761U >> 16) % spread) - spread / 2);
}

/* Blocks of whole numbers: the largest of each is -8, so that the scale is 1. */
static void fill_blocks(memory *m, vkmm_format format, uint64_t bytes)
{
    const vkmm_format_info *info = vkmm_format_at(format);
    const uint64_t count = bytes / info->bytes * info->elements;
    m->weights = malloc((size_t)count * sizeof *m->weights);
    fill(VKMM_F32, m->weights, 4 * count, 16);
    for (uint64_t at = 0; at < count; at += info->elements) m->weights[at] = -8;
    vkmm_blocks_encode(format, m->weights, count, data_of(m, B));
}

/* No rows; all for one expert; ragged, with empty ones between; above the bound, also so far that sums of counts
 * overflow. m is 24 or more. */
static void check(const vkmm_gemm_params *params)
{
    const uint32_t all = (uint32_t)params->job.problem.m;
    const uint32_t counts[][4] = {{0},           {all},          {0, 0, 0, all},     {1, 0, 9, 3},
                                  {0, 17, 2, 0}, {3, 0, 11, 30}, {5, all - 4, 7, 0}, {2, UINT32_MAX, UINT32_MAX, 9}};
    memory *m = keep_object(calloc(1, sizeof *m), release);
    assert_int_equal(vkmm_gemm_create(suite.device, params, &m->gemm), VKMM_OK);
    const vkmm_gemm_info *info = vkmm_gemm_describe(m->gemm);
    vkmm_problem weights = params->job.problem;
    weights.batch_count = params->experts;
    vkmm_gemm_bindings b = {.a = reserve(m, A, info->bytes[VKMM_A]),
                            .b = reserve(m, B, vkmm_whole_words(vkmm_operand_bytes(&weights, VKMM_B))),
                            .c = reserve(m, C, info->bytes[VKMM_C]),
                            .workspace = reserve(m, WORKSPACE, info->workspace_bytes),
                            .routing = reserve(m, ROUTING, info->routing_bytes)};
    fill(params->job.problem.type, data_of(m, A), b.a.bytes, 5);
    if (params->job.problem.format_b == VKMM_PLAIN)
        fill(params->job.problem.type, data_of(m, B), b.b.bytes, 7);
    else
        fill_blocks(m, params->job.problem.format_b, b.b.bytes);
    if (params->job.problem.format_b && !params->job.kernel) assert_int_equal(info->kernel->packed_bytes, 0);
    if (params->job.pack) pack_weights(m, &b);
    b.a.bytes += GUARD, b.b.bytes += GUARD, b.c.bytes += GUARD; /* a driver that clips accesses must not hide them */
    m->want = malloc((size_t)m->buffers[C].bytes);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_counts(params, m, &b, counts[i]);
}

static const char kernel_config[] =
    "rows=16,cols=16,depth=8,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2";
static const struct {
    const char *kernel, *config;
} kernels[] = {{"blocked", kernel_config},
               {"skinny", NULL},
               {"coopmat", "rows=8,cols=8,depth=16,sub-rows=8,sub-cols=8"}}; /* f16, where there are such operations */

/* Rows in the experts' order, gathered, scattered, and both, dealt out to the kernels. */
static void multiplies_by_experts(void **state)
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
static void multiplies_narrow_rows(void **state)
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
static void multiplies_packed_weights(void **state)
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
static void multiplies_blocks(void **state)
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
    if (!strstr(vkmm_last_error(), says)) fail_msg("\"%s\" does not say \"%s\"", vkmm_last_error(), says);
}

static void refuses_what_experts_cannot(void **state)
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

static void refuses_wrong_bindings(void **state)
{
    static const double one = 1;
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 24, .n = 9, .k = 8, .stride_b = 72),
                                     .experts = 4};
    const vkmm_gemm_product product = {0};
    memory *m = keep_object(calloc(1, sizeof *m), release);
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &m->gemm), VKMM_OK);
    const vkmm_gemm_info *info = vkmm_gemm_describe(m->gemm);
    const vkmm_binding most = reserve(m, WORKSPACE, info->workspace_bytes + info->bytes[VKMM_B] + info->routing_bytes);
    const vkmm_gemm_bindings right = {most, most, most, .workspace = most, .routing = most};
    vkmm_gemm_bindings b = right;
    assert_int_equal(vkmm_gemm_check(m->gemm, &b), VKMM_OK);
#define REFUSES(change, says)                                                        \
    do {                                                                             \
        change;                                                                      \
        assert_int_equal(vkmm_gemm_check(m->gemm, &b), VKMM_INVALID);                \
        if (!strstr(vkmm_last_error(), says)) fail_msg("\"%s\"", vkmm_last_error()); \
        b = right;                                                                   \
    } while (0)
    REFUSES(b.routing.buffer = VK_NULL_HANDLE, "routing has no buffer");
    REFUSES(b.routing.bytes = 4 * 4, "routing has 16 bytes; this recording needs 20");
    REFUSES(b.a.bytes = 4 * (24 * 8 - 1), "A has 764 bytes; this recording needs 768");
    REFUSES(b.b.bytes = 4 * (4 * 72 - 1), "B has 1148 bytes; this recording needs 1152");
    REFUSES(b.beta = &one, "no products and no beta");
    REFUSES((b.products = &product, b.product_count = 1), "no products and no beta");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies_by_experts),       cmocka_unit_test(multiplies_narrow_rows),
        cmocka_unit_test(multiplies_packed_weights),   cmocka_unit_test(multiplies_blocks),
        cmocka_unit_test(refuses_what_experts_cannot), cmocka_unit_test(refuses_wrong_bindings),
    };
    const int absent = suite_open(&suite);
    if (absent) return absent;
    return suite_exit(&suite, suite_run(&suite, "experts", tests));
}
