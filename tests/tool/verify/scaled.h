/* A problem with its memory, for tests of its verification: C as it was, and C as it should be. */
#pragma once

#include "gemm.h"
#include "unit.h"
#include "verify_problem.h"

typedef struct scaled {
    vkmm_problem p;
    void *a, *b, *bias, *before, *c;
    uint64_t elements; /* of C's memory */
    uint64_t seed;     /* of the verification; scaled_make: 1 */
    cli_numbers numbers;
} scaled;

static inline void *scaled_memory(const vkmm_problem *p, vkmm_operand operand, vkmm_init init, uint64_t seed)
{
    const uint64_t elements = vkmm_operand_elements(p, operand);
    void *data = calloc(elements + 1, 8);
    assert_non_null(data);
    vkmm_fill(data, 1, elements, operand == VKMM_A || operand == VKMM_B ? p->type : gemm_out(p), init, seed);
    return data;
}

/* Everything is filled, gaps included; C is as it was. */
static inline scaled scaled_fill(const vkmm_problem *p, vkmm_init init)
{
    scaled s = {.p = *p, .elements = vkmm_operand_elements(p, VKMM_C), .seed = 1};
    assert_ok(vkmm_problem_check(p));
    s.a = scaled_memory(p, VKMM_A, init, 1);
    s.b = scaled_memory(p, VKMM_B, init, 2);
    if (p->has_bias) s.bias = scaled_memory(p, VKMM_BIAS, init, 4);
    s.before = scaled_memory(p, VKMM_C, init, 3);
    s.c = scaled_memory(p, VKMM_C, init, 3);
    return s;
}

static inline scaled scaled_make(const vkmm_problem *p, vkmm_init init)
{
    const scaled s = scaled_fill(p, init);
    gemm_biased(p, s.a, s.b, s.bias, s.c);
    return s;
}

static inline vkmm_problem scaled_by(vkmm_problem p, double alpha, double beta)
{
    p.alpha = alpha;
    p.beta = beta;
    return p;
}

static inline void scaled_end(scaled *s)
{
    free(s->a);
    free(s->b);
    free(s->bias);
    free(s->before);
    free(s->c);
}

static inline cli_verdict scaled_verify(const scaled *s, cli_verify_method method)
{
    cli_verdict v;
    memset(&v, 0xa5, sizeof v);
    assert_ok(vkmm_verify_problem(NULL, &s->p, s->a, s->b, s->bias, s->before, s->c, s->numbers, method, s->seed, &v));
    assert_true(strlen(v.sentence) > 0 && strlen(v.sentence) < sizeof v.sentence - 1);
    assert_true(v.passed ? !v.has_element && !v.outside && v.wrong_count == 0 && v.error <= v.bound
                         : v.wrong_count > 0);
    return v;
}

static inline void assert_right(const scaled *s, cli_verify_method method)
{
    cli_verdict v = scaled_verify(s, method);
    if (!v.passed) fail_msg("m %u n %u k %u: %s", (unsigned)s->p.m, (unsigned)s->p.n, (unsigned)s->p.k, v.sentence);
}

static inline double scaled_get(const scaled *s, uint64_t x, uint64_t i, uint64_t j)
{
    return gemm_get(gemm_out(&s->p), s->c, gemm_index(&s->p, VKMM_C, x, i, j));
}

/* Sets one element of C; the verdict must then name it. C is put back. */
static inline void assert_caught(const scaled *s, cli_verify_method method, uint64_t x, uint64_t i, uint64_t j,
                                 double wrong)
{
    const uint64_t at = gemm_index(&s->p, VKMM_C, x, i, j);
    const double right = gemm_get(gemm_out(&s->p), s->c, at);
    gemm_set(gemm_out(&s->p), s->c, at, wrong);
    cli_verdict v = scaled_verify(s, method);
    if (v.passed)
        fail_msg("matrix %u: C[%u][%u] = %.17g instead of %.17g was not seen", (unsigned)x, (unsigned)i, (unsigned)j,
                 wrong, right);
    assert_true(v.has_element && !v.outside && v.batch == x && v.row == i && v.col == j && v.wrong_count == 1 &&
                !(v.error <= v.bound));
    gemm_set(gemm_out(&s->p), s->c, at, right);
}

/* A·B alone; `columns` stores all matrices by columns. */
static inline scaled scaled_product(vkmm_type type, uint64_t m, uint64_t n, uint64_t k, vkmm_init init, int columns)
{
    const vkmm_problem p =
        VKMM_PROBLEM(.m = m, .n = n, .k = k, .type = type, .layout = columns ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR);
    return scaled_make(&p, init);
}

static inline void scaled_set(const scaled *s, vkmm_operand operand, uint64_t i, uint64_t j, double value)
{
    void *const memory[] = {s->a, s->b, s->c};
    gemm_set(operand == VKMM_C ? gemm_out(&s->p) : s->p.type, memory[operand], gemm_index(&s->p, operand, 0, i, j),
             value);
}

/* More rows than Freivalds' check looks at besides its vectors. */
enum { LARGE_M = 120, LARGE_N = 300, LARGE_K = 30 };

static inline scaled scaled_large(vkmm_type type, double alpha, double beta, vkmm_init init)
{
    const vkmm_problem p =
        scaled_by(VKMM_PROBLEM(.m = LARGE_M, .n = LARGE_N, .k = LARGE_K, .type = type, .op_b = VKMM_OP_T), alpha, beta);
    return scaled_make(&p, init);
}

/* Extents of 3 and K = `k`, all ones. */
static inline scaled scaled_small(vkmm_type type, uint64_t k, double alpha, double beta)
{
    const vkmm_problem p = scaled_by(VKMM_PROBLEM(.m = 3, .n = 3, .k = k, .type = type), alpha, beta);
    return scaled_make(&p, VKMM_INIT_ONES);
}

/* C[1][2] is `value`: right or wrong. */
static inline int passes_with(const scaled *s, double value)
{
    const uint64_t at = gemm_index(&s->p, VKMM_C, 0, 1, 2);
    const double was = gemm_get(gemm_out(&s->p), s->c, at);
    gemm_set(gemm_out(&s->p), s->c, at, value);
    const cli_verdict v = scaled_verify(s, CLI_VERIFY_FULL);
    gemm_set(gemm_out(&s->p), s->c, at, was);
    assert_true(v.passed || (v.row == 1 && v.col == 2 && v.wrong_count == 1));
    return v.passed;
}

/* And so that C₀[1][2] is `before`. */
static inline int passes_after(const scaled *s, double before, double value)
{
    gemm_set(gemm_out(&s->p), s->before, gemm_index(&s->p, VKMM_C, 0, 1, 2), before);
    const int passed = passes_with(s, value);
    gemm_set(gemm_out(&s->p), s->before, gemm_index(&s->p, VKMM_C, 0, 1, 2), 1.0);
    return passed;
}

/* Whether C's first element may be `value`, which it is from now on. */
static inline int accepts(const scaled *s, double value)
{
    gemm_set(gemm_out(&s->p), s->c, 0, value);
    return scaled_verify(s, CLI_VERIFY_FULL).passed;
}

/* A problem with types of its own. */
static inline vkmm_problem scaled_typed(uint64_t m, uint64_t n, uint64_t k, vkmm_types types)
{
    return VKMM_PROBLEM(.m = m, .n = n, .k = k, .type = types.in, .out_type = types.out, .compute = types.compute);
}

/* One element, 1·x: is `got` right for it? */
static inline int scaled_accepts(vkmm_types types, vkmm_activation activation, double x, double got)
{
    vkmm_problem p = scaled_typed(1, 1, 1, types);
    p.activation = activation;
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    gemm_set(types.in, s.a, 0, x);
    const int passed = accepts(&s, got);
    scaled_end(&s);
    return passed;
}
