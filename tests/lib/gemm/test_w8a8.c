/* Products of f16 and bf16 as bytes (VKMM_COMPUTE_W8A8) against a reference of this file, which rounds as vkmatmul.h
 * says: recorded, with neither operand packed, and with one of them. */
#include <float.h>

#include "math/problem.h"
#include "normal.h"
#include "recorded.h"

enum { DEPTH = 131 };

static suite_device suite;
SUITE_MAIN(suite)

/* Element k of a line, which is a row of op(A) or a column of op(B). Lines 1 to 6 of each: zeros; halves of steps,
 * which are ties; an infinity; a NaN; subnormal numbers; one large element.
 * Line 7 of A, of bf16: 127 times an element is infinite. */
static double element(vkmm_type type, int operand, uint64_t line, uint64_t k)
{
    const double unit = 2 * random_unit(7 + (uint64_t)operand, 1000 * line + k) - 1;
    if (line == 1) return 0;
    if (line == 2) return k == 0 ? 127 : 0.5 + (double)(k % 80);
    if (line == 3 && k == 2) return INFINITY;
    if (line == 4 && k == 3) return NAN;
    if (line == 5) return (double)(k % 5) * (type == VKMM_F16 ? 0x1p-24 : 0x1p-133);
    if (line == 7 && operand == VKMM_A && type == VKMM_BF16) return k == 1 ? 0x1.8p125 : unit * 0x1p119;
    return line == 6 && k == 1 ? 60000 : unit;
}

/* The elements of a line in units of a 127th of the largest, which is returned. NAN: there is none. */
static double quantize(const vkmm_problem *p, const void *data, vkmm_operand operand, uint64_t x, uint64_t line,
                       double units[DEPTH])
{
    const int is_b = operand == VKMM_B;
    double most = 0;
    for (uint64_t k = 0; k < p->k; k++) {
        units[k] = gemm_get(p->type, data, gemm_index(p, operand, x, is_b ? k : line, is_b ? line : k));
        most = isfinite(most) && isfinite(units[k]) ? fmax(most, fabs(units[k])) : NAN;
    }
    for (uint64_t k = 0; k < p->k; k++) /* the quotient of two f16 is a tie, or far from one */
        units[k] = most < 0x1p-119 ? 0 : nearbyint(127 * units[k] / most);
    return most;
}

static double wanted(const vkmm_problem *p, const recorded *m, uint64_t x, uint64_t i, uint64_t j)
{
    const double before = (double)(int)(gemm_index(p, VKMM_C, x, i, j) % 7) - 3;
    double a[DEPTH], b[DEPTH], sum = 0;
    const double most_a = quantize(p, recorded_at(m, VKMM_A), VKMM_A, x, i, a),
                 most_b = quantize(p, recorded_at(m, VKMM_B), VKMM_B, x, j, b);
    for (uint64_t k = 0; k < p->k; k++) sum += a[k] * b[k];
    sum = p->alpha * sum * (most_a / 127) * (most_b / 127) + (p->beta != 0 ? p->beta * before : 0);
    if (p->has_bias) sum += (double)(j % 5);
    return p->activation == VKMM_RELU && sum < 0 ? 0 : sum;
}

static void fill(const vkmm_problem *p, recorded *m)
{
    const uint64_t lines[] = {p->m, p->n};
    for (uint64_t x = 0; x < gemm_batches(p); x++) {
        for (int o = VKMM_A; o <= VKMM_B; o++)
            for (uint64_t line = 0; line < lines[o]; line++)
                for (uint64_t k = 0; k < p->k; k++)
                    gemm_set(p->type, recorded_at(m, o),
                             gemm_index(p, (vkmm_operand)o, x, o == VKMM_B ? k : line, o == VKMM_B ? line : k),
                             element(p->type, o, line + x, k));
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++) {
                const uint64_t at = gemm_index(p, VKMM_C, x, i, j);
                gemm_set(gemm_out(p), recorded_at(m, VKMM_C), at, (double)(int)(at % 7) - 3);
            }
    }
    for (uint64_t j = 0; j < p->n && p->has_bias; j++)
        gemm_set(gemm_out(p), recorded_at(m, VKMM_BIAS), j, (double)(j % 5));
}

/* Compares C with the reference; all else in its memory must be as it was. */
static void compare(const vkmm_problem *p, const recorded *m)
{
    const vkmm_type out = gemm_out(p);
    const double step = out == VKMM_F32 ? 1e-6 : vkmm_type_of(out)->epsilon;
    for (uint64_t x = 0; x < gemm_batches(p); x++)
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++) {
                const double want = wanted(p, m, x, i, j),
                             got = gemm_get(out, recorded_at(m, VKMM_C), gemm_index(p, VKMM_C, x, i, j));
                const double limit = step * (fabs(want) + fabs(p->beta) * 3 + 4 * p->has_bias) + 1e-7;
                const int is_right = isnan(want)                    ? isnan(got)
                                     : fabs(want) > (double)FLT_MAX ? got == copysign(INFINITY, want)
                                                                    : fabs(got - want) <= limit;
                if (is_right || (out == VKMM_F16 && fabs(want) > 65500)) continue;
                fail_msg("element %d, %d of C is %.9g, should be %.9g", (int)i, (int)j, got, want);
            }
    const char *all = m->buffers[VKMM_C].mapped;
    for (int i = 0; i < GUARD; i++) assert_true(all[i] == -1 && all[m->buffers[VKMM_C].bytes - 1 - (uint64_t)i] == -1);
}

static void check(const vkmm_gemm_params *params)
{
    const vkmm_problem *p = &params->job.problem;
    recorded *m = keep_recorded(suite.device);
    vkmm_gemm *gemm = keep_gemm(suite.device, params);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    vkmm_gemm_bindings b = {.workspace = recorded_take(m, WORKSPACE, info->workspace_bytes)};
    vkmm_binding *const own[] = {&b.a, &b.b, &b.c, &b.bias};
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const uint64_t elements = o == VKMM_BIAS ? p->n * (uint64_t)p->has_bias : gemm_elements(p, (vkmm_operand)o);
        *own[o] = recorded_take(m, o, (elements * vkmm_type_of(o < VKMM_C ? p->type : gemm_out(p))->bytes + 3) / 4 * 4);
    }
    fill(p, m);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_binding from = *own[o];
        if (!(params->job.pack & 1u << o)) continue;
        *own[o] = recorded_take(m, PACKED + o, info->bytes[o]);
        recorded_pack(gemm, (vkmm_operand)o, from, *own[o]);
    }
    recorded_run(gemm, &b);
    compare(p, m);
}

/* All ops and layouts, which decide whether lines lie across memory; each operand packed, and none. K and the extents
 * are no multiples of anything. */
TEST(records_products_of_bytes)
{
    static const vkmm_type types[][2] = {
        {VKMM_F16, VKMM_F32}, {VKMM_BF16, VKMM_F32}, {VKMM_F16, VKMM_F16}, {VKMM_BF16, VKMM_BF16}};
    const unsigned ways = suite_is_slow(&suite) ? 6 : 24;
    for (unsigned way = 0; way < ways; way++) {
        const vkmm_type *of = types[way % 4];
        vkmm_gemm_params params = {
            .job.problem = VKMM_PROBLEM(.m = 37, .n = 45, .k = DEPTH, .type = of[0], .out_type = of[1], .op_a = way & 1,
                                        .op_b = way >> 1 & 1, .layout = way >> 2 & 1, .alpha = way % 3 ? 1 : -0.75,
                                        .beta = way % 5 ? 0 : 2, .has_bias = way & 1, .method = VKMM_COMPUTE_W8A8,
                                        .activation = way & 2 ? VKMM_RELU : VKMM_ACTIVATION_NONE),
            .job.pack = way % 3 == 1   ? VKMM_PACK_B
                        : way % 3 == 2 ? VKMM_PACK_A
                                       : 0};
        if (way % 7 == 3) {
            params.job.problem.batch_count = 2;
            params.job.problem.stride_a = 6001, params.job.problem.stride_b = 0, params.job.problem.stride_c = 1700;
        }
        check(&params);
    }
}

TEST(refuses_what_it_cannot_do)
{
    vkmm_gemm_params params = {.job.problem =
                                   VKMM_PROBLEM(.m = 9, .n = 9, .k = 9, .type = VKMM_F16, .method = VKMM_COMPUTE_W8A8),
                               .job.pack = VKMM_PACK_A | VKMM_PACK_B};
    vkmm_gemm *gemm = NULL;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
    assert_string_equal(vkmm_last_error(), "a recorded w8a8 product has at most one packed operand");
    params.job.pack = 0;
    params.job.problem.k = 131072;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
    assert_string_equal(vkmm_last_error(), "K is 131072; sums of bytes fit into 32 bits up to 131071");
    params.job.problem = VKMM_PROBLEM(.m = 9, .n = 9, .k = 9, .method = VKMM_COMPUTE_W8A8);
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_INVALID);
}
