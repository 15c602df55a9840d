/* Every kind of wrong result that a verification by vectors must find: place × size × value, for each type, epilogue
 * and kind of data. */
#include "scaled.h"

enum { M = 96, N = 290, K = 48, BATCH = 2, WRONG_MATRIX = 1 };

/* A and B; each also hides errors from a check that weighs all elements alike. */
typedef enum data_kind {
    DATA_UNIFORM,
    DATA_POSITIVE,
    DATA_SPARSE,
    DATA_ZERO_BLOCKS,
    DATA_UNITS,
    DATA_HUGE_COLUMN,
    DATA_HUGE_ROW,
    DATA_OUTLIER,
    DATA_PERMUTATION,
    DATA_NOT_FINITE, /* rows of A and columns of B with NaN and infinities */
    DATA_COUNT
} data_kind;
static const char *const data_names[] = {"uniform",     "positive", "sparse",  "zero blocks", "units",
                                         "huge column", "huge row", "outlier", "permutation", "not finite"};

typedef enum epilogue {
    EPILOGUE_NONE,
    EPILOGUE_SCALED,
    EPILOGUE_BIAS_MASK,  /* a bias of -1e9 in one column */
    EPILOGUE_C_COLUMN,   /* C₀ has a column of 1e9 */
    EPILOGUE_C_INFINITE, /* C₀ is a triangle of -∞ */
    EPILOGUE_RELU,
    EPILOGUE_GELU,
    EPILOGUE_COUNT
} epilogue;
static const char *const epilogue_names[] = {"none",       "alpha, beta", "bias mask", "C column",
                                             "C infinite", "relu",        "gelu"};

static const vkmm_types kinds[] = {{VKMM_F32, VKMM_F32, VKMM_F32},   {VKMM_F64, VKMM_F64, VKMM_F64},
                                   {VKMM_F16, VKMM_F16, VKMM_F32},   {VKMM_F16, VKMM_F32, VKMM_F32},
                                   {VKMM_BF16, VKMM_BF16, VKMM_F32}, {VKMM_F16, VKMM_F16, VKMM_F16},
                                   {VKMM_I8, VKMM_I32, VKMM_I32}};

/* Where C is wrong: rows [i, i + rows), columns [j, j + cols). */
static const struct place {
    const char *name;
    uint64_t i, j, rows, cols;
} places[] = {{"interior element", 37, 171, 1, 1},
              {"corner element", M - 1, N - 1, 1, 1},
              {"8×8 block", 41, 203, 8, 8},
              {"32×32 tile", 32, 160, 32, 32},
              {"row", 53, 0, 1, N},
              {"column", 0, 77, M, 1},
              {"last row", M - 1, 0, 1, N},
              {"last column", 0, N - 1, M, 1},
              {"three rows from 160", 60, 160, 3, N - 160}};

typedef enum value_kind {
    VALUE_ZERO,
    VALUE_SLIGHT,
    VALUE_HALF,
    VALUE_HUGE,
    VALUE_NAN,
    VALUE_INFINITE,
    VALUE_COUNT
} value_kind;
static const char *const value_names[] = {"zero", "slightly off", "half off", "1e30", "NaN", "infinite"};

typedef struct product {
    scaled s;
    void *sums; /* A·B in C's type or f32, where the verification wants it, else NULL */
    cli_stack stacks[CLI_EVIDENCE];
    double *usual;         /* of each row of the wrong matrix: the root mean square of its rounding errors, */
    double *exact, *scale; /* and of each element what it should be, and its scale */
    double factor;
} product;

static void set_data(const vkmm_problem *p, data_kind kind, void *a, void *b)
{
    const double unit = vkmm_type_of(p->type)->bytes == 2 ? 64 : 1e8;
    for (uint64_t x = 0; x < BATCH; x++)
        for (uint64_t k = 0; k < K; k++) {
            for (uint64_t i = 0; i < M; i++) {
                const uint64_t at = gemm_index(p, VKMM_A, x, i, k);
                double v = gemm_get(p->type, a, at);
                if (kind == DATA_POSITIVE) v = fabs(v);
                if (kind == DATA_SPARSE && (i * 7 + k * 13) % 16 != 0) v = 0;
                if (kind == DATA_ZERO_BLOCKS && (i / 32 + k / 32) % 2) v = 0;
                if (kind == DATA_HUGE_ROW && i == 11) v *= unit;
                if (kind == DATA_OUTLIER && i == 20 && k == 9) v = unit;
                if (kind == DATA_PERMUTATION) v = (i * 5) % K == k;
                if (kind == DATA_NOT_FINITE && k == 50) v = i == 62 ? (double)NAN : i == 41 ? INFINITY : v;
                gemm_set(p->type, a, at, v);
            }
            for (uint64_t j = 0; j < N; j++) {
                const uint64_t at = gemm_index(p, VKMM_B, x, k, j);
                double v = gemm_get(p->type, b, at);
                if (kind == DATA_POSITIVE) v = fabs(v);
                if (kind == DATA_UNITS && k % 2) v *= unit;
                if (kind == DATA_HUGE_COLUMN && j == 5) v *= unit;
                if (kind == DATA_NOT_FINITE && k == 3) v = j == 171 ? (double)NAN : j % 100 == 3 ? -INFINITY : v;
                gemm_set(p->type, b, at, v);
            }
        }
}

static vkmm_problem problem_of(vkmm_types types, epilogue e)
{
    vkmm_problem p = scaled_typed(M, N, K, types);
    p.batch_count = BATCH;
    p.stride_a = M * K;
    p.stride_b = K * N;
    p.stride_c = M * N;
    if (e == EPILOGUE_SCALED) p = scaled_by(p, 2, 3);
    if (e == EPILOGUE_C_COLUMN || e == EPILOGUE_C_INFINITE) p.beta = 1;
    p.has_bias = e == EPILOGUE_BIAS_MASK || e == EPILOGUE_GELU;
    p.activation = e == EPILOGUE_RELU ? VKMM_RELU : e == EPILOGUE_GELU ? VKMM_GELU : VKMM_ACTIVATION_NONE;
    return p;
}

static void set_epilogue(scaled *s, epilogue e)
{
    const vkmm_type out = gemm_out(&s->p);
    const double mask = out == VKMM_F16 ? -60000 : -1e9;
    if (e == EPILOGUE_BIAS_MASK) gemm_set(out, s->bias, 123, mask);
    for (uint64_t x = 0; x < BATCH && s->p.beta == 1; x++)
        for (uint64_t i = 0; i < M; i++) {
            const uint64_t first = gemm_index(&s->p, VKMM_C, x, i, 0);
            if (e == EPILOGUE_C_COLUMN) gemm_set(out, s->before, first + 123, -mask);
            for (uint64_t j = i + 1; j < N && e == EPILOGUE_C_INFINITE; j++)
                gemm_set(out, s->before, first + j, -(double)INFINITY);
        }
}

/* The errors of the product as it is, against sums in long double. */
static void look(product *p)
{
    const vkmm_problem *problem = &p->s.p;
    const double epsilon = vkmm_type_of(gemm_half(problem)          ? VKMM_F16
                                        : problem->type == VKMM_F64 ? VKMM_F64
                                                                    : VKMM_F32)
                               ->epsilon,
                 own = vkmm_type_of(gemm_out(problem))->epsilon;
    const uint64_t matrix_a = gemm_index(problem, VKMM_A, WRONG_MATRIX, 0, 0),
                   matrix_b = gemm_index(problem, VKMM_B, WRONG_MATRIX, 0, 0);
    double *a = gemm_numbers(problem, VKMM_A, p->s.a), *b = gemm_numbers(problem, VKMM_B, p->s.b);
    for (uint64_t i = 0; i < M; i++) {
        double squares = 0, scales = 0;
        for (uint64_t j = 0; j < N; j++) {
            const uint64_t at = gemm_index(problem, VKMM_C, WRONG_MATRIX, i, j);
            long double sum = 0;
            double all = 0;
            for (uint64_t k = 0; k < K; k++) {
                const double x = a[matrix_a + i * K + k], y = b[matrix_b + k * N + j];
                sum += (long double)x * y;
                all += fabs(x * y);
            }
            const double got = gemm_get(gemm_out(problem), p->s.c, at);
            const double before = problem->beta != 0 ? problem->beta * gemm_get(gemm_out(problem), p->s.before, at) : 0,
                         bias = problem->has_bias ? gemm_get(gemm_out(problem), p->s.bias, j) : 0;
            const double linear = problem->alpha * (double)sum + before + bias;
            const double error = problem->activation == VKMM_GELU
                                     ? 0
                                     : got - (problem->activation == VKMM_RELU ? fmax(linear, 0) : linear);
            if (isfinite(error)) squares += error * error;
            if (isfinite(all)) scales += epsilon * all * epsilon * all;
            p->exact[i * N + j] = got;
            p->scale[i * N + j] = epsilon * (fabs(problem->alpha) * all + fabs(before) + fabs(bias)) +
                                  (own > epsilon ? own * fabs(got) / p->factor : 0);
        }
        /* Sums of the verification are in f64, too. */
        p->usual[i] = fmax(sqrt(squares / N), problem->type == VKMM_F64 ? sqrt(scales / N) : 0);
    }
    free(a);
    free(b);
}

static product make(vkmm_types types, data_kind kind, epilogue e)
{
    const vkmm_problem problem = problem_of(types, e);
    product p = {.s = scaled_fill(&problem, VKMM_INIT_UNIFORM), .factor = 16};
    set_data(&problem, kind, p.s.a, p.s.b);
    set_epilogue(&p.s, e);
    memcpy(p.s.c, p.s.before, p.s.elements * vkmm_type_of(gemm_out(&problem))->bytes);
    gemm_biased(&problem, p.s.a, p.s.b, p.s.bias, p.s.c);
    p.usual = calloc(M, sizeof *p.usual);
    p.exact = calloc(M * N, sizeof *p.exact);
    p.scale = calloc(M * N, sizeof *p.scale);
    assert_true(p.usual != NULL && p.exact != NULL && p.scale != NULL);
    look(&p);
    const void *const memory[CLI_STACKS] = {p.s.a, p.s.b, p.s.c, p.s.bias, p.s.before};
    for (int o = 0; o < CLI_STACKS; o++) p.stacks[o] = cli_stack_of(&problem, o, memory[o]);
    if (!cli_verify_wants_sums(&problem, p.stacks, CLI_VERIFY_FREIVALDS)) return p;
    vkmm_problem plain = problem;
    plain.alpha = 1, plain.beta = 0, plain.has_bias = 0, plain.activation = VKMM_ACTIVATION_NONE;
    if (vkmm_type_of(types.out)->bytes == 2) plain.out_type = VKMM_F32;
    p.sums = calloc(p.s.elements + 1, 8);
    assert_non_null(p.sums);
    gemm_biased(&plain, p.s.a, p.s.b, NULL, p.sums);
    p.stacks[CLI_SUMS] = cli_stack_of(&plain, VKMM_C, p.sums);
    return p;
}

static void end(product *p)
{
    scaled_end(&p->s);
    free(p->sums);
    free(p->usual);
    free(p->exact);
    free(p->scale);
}

static cli_verdict verify(const product *p, uint64_t seed)
{
    cli_verdict v;
    assert_ok(
        cli_verify_stacks(NULL, &p->s.p, p->stacks, NULL, p->s.c, CLI_NUMBERS_RANDOM, CLI_VERIFY_FREIVALDS, seed, &v));
    assert_int_equal(v.method, CLI_VERIFY_FREIVALDS);
    return v;
}

/* What an element becomes; `right`: it stays right, because the value is that, or so close that it rounds to it.
 * Slightly: 16·√N times the usual error of its row, but no less than twice its bound. */
static double corrupt(const product *p, uint64_t i, uint64_t j, value_kind value, int *right)
{
    const double was = p->exact[i * N + j], bound = 2 * p->factor * p->scale[i * N + j];
    const double off = fmax(16 * sqrt((double)N) * p->usual[i], bound);
    const double values[] = {0, was + (was > 0 ? -off : off), was / 2, 1e30, (double)NAN, (double)INFINITY};
    double now = values[value];
    if (value == VALUE_SLIGHT && p->s.p.activation != VKMM_ACTIVATION_NONE && was == 0) now = off;
    if (gemm_out(&p->s.p) == VKMM_I32)
        now = value == VALUE_SLIGHT ? was + 1
              : value == VALUE_HALF ? was - 7
              : value == VALUE_ZERO ? was + 65536
                                    : was + 1e9;
    *right = isnan(was) ? isnan(now) : isinf(was) ? now == was : fabs(now - was) < 0.99 * off;
    return now;
}

/* Makes a place of C wrong. Whether anything became wrong. */
static int spoil(const product *p, const struct place *at, value_kind value)
{
    int any = 0;
    for (uint64_t i = at->i; i < at->i + at->rows; i++)
        for (uint64_t j = at->j; j < at->j + at->cols; j++) {
            int right;
            const double now = corrupt(p, i, j, value, &right);
            if (right) continue;
            gemm_set(gemm_out(&p->s.p), p->s.c, gemm_index(&p->s.p, VKMM_C, WRONG_MATRIX, i, j), now);
            any = 1;
        }
    return any;
}

static void put_back(const product *p, const struct place *at)
{
    for (uint64_t i = at->i; i < at->i + at->rows; i++)
        for (uint64_t j = at->j; j < at->j + at->cols; j++)
            gemm_set(gemm_out(&p->s.p), p->s.c, gemm_index(&p->s.p, VKMM_C, WRONG_MATRIX, i, j), p->exact[i * N + j]);
}

/* How many wrong results were missed. */
static unsigned missed(vkmm_types types, data_kind kind, epilogue e)
{
    product p = make(types, kind, e);
    unsigned count = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        const cli_verdict v = verify(&p, seed);
        if (!v.passed)
            fail_msg("right, but: %s to %s, %s, %s: %s", vkmm_type_of(types.in)->name, vkmm_type_of(types.out)->name,
                     data_names[kind], epilogue_names[e], v.sentence);
    }
    for (size_t at = 0; at < VKMM_COUNT(places); at++)
        for (int value = 0; value < (gemm_out(&p.s.p) == VKMM_I32 ? 3 : VALUE_COUNT); value++) {
            if (!spoil(&p, &places[at], (value_kind)value)) continue;
            const cli_verdict v = verify(&p, at + 11);
            put_back(&p, &places[at]);
            if (!v.passed) continue;
            count++;
            print_error("missed: %s to %s summed in %s, %s, %s: %s, %s: %s\n", vkmm_type_of(types.in)->name,
                        vkmm_type_of(types.out)->name, vkmm_type_of(types.compute)->name, data_names[kind],
                        epilogue_names[e], places[at].name, value_names[value], v.sentence);
        }
    end(&p);
    return count;
}

TEST(all_data)
{
    unsigned count = 0;
    for (size_t t = 0; t < VKMM_COUNT(kinds); t++)
        for (int kind = 0; kind < DATA_COUNT; kind++)
            if (vkmm_type_of(kinds[t].in)->is_float || kind == DATA_UNIFORM)
                count += missed(kinds[t], (data_kind)kind, EPILOGUE_NONE);
    assert_int_equal(count, 0);
}

TEST(all_epilogues)
{
    unsigned count = 0;
    for (size_t t = 0; t < VKMM_COUNT(kinds); t++)
        for (int e = EPILOGUE_SCALED; e < EPILOGUE_COUNT; e++)
            if (vkmm_type_of(kinds[t].in)->is_float || e == EPILOGUE_SCALED || e == EPILOGUE_RELU)
                count += missed(kinds[t], DATA_UNIFORM, (epilogue)e);
    assert_int_equal(count, 0);
}
