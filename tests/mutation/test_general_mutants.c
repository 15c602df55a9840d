/* Mutants of the general kernels: each shader without one barrier() or one bounds check must fail some product of
 * general_edges; the originals pass all of them in test_general.c. Shaders of modular products have other
 * mutations (mutate.py), and are judged by the bits of C. */
#include "general.h"

#include MUTANTS

static suite_device suite;

/* Together these execute every barrier and every check of a kernel. */
static const struct {
    const char *mutant, *kernel, *config;
    uint64_t narrow;
    uint32_t pack;
    vkmm_type type; /* 0: f32 */
} runs[] = {
    {"blocked", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0},
    {"blocked", "blocked", "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=2,slices=2", 0},
    {"skinny", "skinny", "rows=32,cols=16,depth=16,thread-long=4,threads=32", 3},
    {"cpu", "cpu", NULL, 0},
    {"reduce", "skinny", "rows=32,cols=16,depth=16,thread-long=4,threads=32,splits=3", 3},
    {"pack", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0,
     VKMM_PACK_A | VKMM_PACK_B, VKMM_F16},
    {"pack", "blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1", 0,
     VKMM_PACK_A | VKMM_PACK_B, VKMM_F64}, /* whose lines end before the squares of 32 */
    {"soft64", "soft64", "rows=4,cols=8", 0, 0, VKMM_F64},
};

/* Whether the mutant is of a build for f16, without 16-bit storage. */
static int is_narrow(const struct mutant *mutant)
{
    return strncmp(mutant->name, "narrow-", 7) == 0;
}

static int wrong_products(const struct mutant *mutant, size_t which, vkmm_op op, general_padding padding)
{
    const vkmm_module module = mutant_module(mutant);
    general_run run = {.suite = &suite,
                       .kernel = runs[which].kernel,
                       .config = runs[which].config,
                       .narrow = runs[which].narrow,
                       .pack = runs[which].pack};
    run.module = &module;
    run.step = run.pack ? "pack" : strcmp(runs[which].mutant, runs[which].kernel) == 0 ? "product" : "reduce";
    run.types = vkmm_types_default(is_narrow(mutant) ? VKMM_F16 : runs[which].type ? runs[which].type : VKMM_F32);
    run.plain = run.has_bias = is_narrow(mutant);
    if (is_narrow(mutant)) run.activation = VKMM_RELU;
    int wrong = general_edges(&run, op, op, padding, 1, 1, 0, 1);
    general_end(&run);
    return wrong;
}

/* Modular products of whole numbers times powers of two: sums are exact, so their rounding is known. K identifies the
 * problem. */
__extension__ typedef __int128 wide;

enum {
    ROUNDED = 2, /* rounding of elements that share a line with a larger one: half away from zero */
    FINE = 3,    /* 18 moduli: sums that are a tie except for their last bit, and subnormal elements */
    MIXED = 40,  /* without scalars and bias, with all of them, and with one */
    DEEP = 2048  /* the longest sums of 11-bit residues; all elements of a line are equal */
};

/* In an order in which most mutants fail early: each product compiles five shaders. */
static const vkmm_problem modular_problems[] = {
    VKMM_PROBLEM_INIT(.m = 9, .n = 7, .k = FINE, .alpha = 3, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 37, .n = 9, .k = MIXED, .alpha = -2.5, .beta = 83886081, .has_bias = 1, .type = VKMM_F64,
                      .layout = VKMM_COL_MAJOR, .op_b = VKMM_OP_T, .activation = VKMM_RELU,
                      .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 37, .n = 1, .k = ROUNDED, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 37, .n = 9, .k = MIXED, .lda = 43, .ldb = 11, .ldc = 14, .batch_count = 2, .stride_a = 1600,
                      .stride_b = 450, .stride_c = 530, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 5, .n = 5, .k = MIXED, .has_bias = 1, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 37, .n = 9, .k = DEEP, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
    VKMM_PROBLEM_INIT(.m = 5, .n = 5, .k = MIXED, .beta = 3, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
};

static uint64_t mixed(uint64_t x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* Element k of a line of A or B. Some lines have one nonzero element: their products have 54 bits, often ties between
 * two f64, and one is 2^54 - 1. Others have a single large element. */
static int64_t mixed_whole(int operand, uint64_t batch, uint64_t line, uint64_t k)
{
    const uint64_t bits = mixed(((batch * 64 + line) * 64 + k) * 2 + (uint64_t)operand);
    const int size = line % 4 == 1 ? 27 : line % 4 == 2 || (line % 4 == 3 && k != 20) ? 22 : 50;
    if (line % 4 == 1 && k > 0) return 0;
    if (line == 5) return (1 << 27) + (operand == VKMM_A ? 1 : -1);
    const int64_t value = (int64_t)(bits >> (64 - size) | 1);
    return bits & 2 ? -value : value;
}

/* The first element of a line has 27 bits, or is a power of two; the others are 1 or -1, times 2^LITTLE in memory, so
 * they decide ties and change nothing else. */
enum { LITTLE = -14 };

static int64_t fine_whole(int operand, uint64_t line, uint64_t k)
{
    const uint64_t bits = mixed((line * 4 + k) * 2 + (uint64_t)operand);
    const int64_t sign = bits & 2 ? -1 : 1;
    if (operand == VKMM_A && line % 4 == 3) return k == 0 ? 3 * sign : 0;
    return k > 0 ? sign : (line % 4 == 0 ? 1 : (int64_t)(bits >> 38 | 1 << 26 | 1)) * sign * (1 << 28);
}

static int64_t whole(const vkmm_problem *p, int operand, uint64_t batch, uint64_t line, uint64_t k)
{
    if (p->k == FINE) return fine_whole(operand, line, k);
    if (p->k == DEEP) return (operand == VKMM_A ? 1 + 57 * (int64_t)line : 1024 - (int64_t)line) * (line & 1 ? -1 : 1);
    return mixed_whole(operand, batch, line, k);
}

/* Exponent of a line. Those of the second problem make its products as large as β·C, or much smaller, or subnormal. */
static int power(const vkmm_problem *p, int operand, uint64_t line)
{
    static const int powers[] = {-10, -264, -1074, -12};
    if (p->k == DEEP || p->k == FINE) return p->k == FINE && operand == VKMM_A && line % 4 == 3 ? -1074 : 0;
    if (p->has_bias) return operand == VKMM_A ? powers[line % 4] : -36;
    return (int)(line * 7 % 31) - 12;
}

static double *element(const vkmm_problem *p, vkmm_operand operand, void *memory, uint64_t batch, uint64_t i,
                       uint64_t j)
{
    const vkmm_view view = vkmm_operand_view(p, operand, memory, batch);
    return (double *)memory + ((const double *)view.data - (const double *)memory) + i * view.row_stride +
           j * view.col_stride;
}

/* 2^-58 is the unit of a line whose norm is 1: every other element lies half way between two integers.
 * And one is infinite, which makes its line NaN. */
static double small_one(uint64_t i)
{
    const uint64_t bits = mixed(i) >> 11;
    if (i == 36) return INFINITY;
    return ldexp((double)(i % 2 ? bits : (bits & ~255ull) | 128), -66) * (i % 4 < 2 ? 1 : -1);
}

static void fill_modular(const vkmm_problem *p, vkmm_store *stores)
{
    for (uint64_t batch = 0; batch < vkmm_problem_batches(p); batch++)
        for (int o = VKMM_A; o <= VKMM_B; o++)
            for (uint64_t line = 0; line < (o == VKMM_A ? p->m : p->n); line++)
                for (uint64_t k = 0; k < p->k; k++) {
                    double *x = o == VKMM_A ? element(p, VKMM_A, stores[VKMM_A].host, batch, line, k)
                                            : element(p, VKMM_B, stores[VKMM_B].host, batch, k, line);
                    const int exponent = power(p, o, line) + (p->k == FINE && k > 0 ? LITTLE : 0);
                    *x = p->k != ROUNDED ? ldexp((double)whole(p, o, batch, line, k), exponent)
                         : k == 0        ? o == VKMM_A
                         : o == VKMM_A   ? small_one(line)
                                         : 1;
                }
    for (uint64_t j = 0; p->beta != 0 && j < p->n; j++)
        for (uint64_t i = 0; i < p->m; i++)
            *element(p, VKMM_C, stores[VKMM_C].host, 0, i, j) =
                (double)mixed_whole(VKMM_C, 1, 1 + 4 * i, 0) * (j % 2 ? 1 : -1);
}

static int modular_is_right(const vkmm_problem *p, const vkmm_store *stores, const void *before)
{
    const size_t bytes = (size_t)stores[VKMM_C].bytes;
    double *want = malloc(bytes);
    if (!want) return 0;
    memcpy(want, before, bytes);
    for (uint64_t batch = 0; batch < vkmm_problem_batches(p); batch++)
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++) {
                double *c = element(p, VKMM_C, want, batch, i, j);
                wide sum = 0;
                for (uint64_t k = 0; k < p->k; k++)
                    sum += (wide)whole(p, VKMM_A, batch, i, k) * whole(p, VKMM_B, batch, j, k);
                double x = ldexp((double)sum, power(p, VKMM_A, i) + power(p, VKMM_B, j));
                if (p->k == ROUNDED) x = i == 36 ? NAN : ldexp(round(ldexp(small_one(i), 58)), -58);
                if (p->alpha != 1) x *= p->alpha;
                if (p->beta != 0) x = fma(p->beta, *c, x);
                if (p->has_bias) x += ((const double *)stores[VKMM_BIAS].host)[j];
                *c = p->activation == VKMM_RELU && signbit(x) ? 0 : x;
            }
    const int right = memcmp(want, stores[VKMM_C].host, bytes) == 0;
    free(want);
    return right;
}

/* A mutant of a shader; NULL: none. */
static int passes_modular(const struct mutant *mutant, vkmm_type residues)
{
    const char *pass = mutant ? mutant->kernel + strlen("modular_") : "";
    const vkmm_module module = mutant_module(mutant);
    char why[512] = "";
    general_run run = {.suite = &suite, .residues = residues, .change = fill_modular, .check = modular_is_right};
    run.module = mutant ? &module : NULL;
    run.step = strcmp(pass, "lines") == 0 ? "scale" : pass;
    int right = 1;
    for (size_t i = 0; i < sizeof modular_problems / sizeof modular_problems[0] && right; i++) {
        run.moduli = modular_problems[i].k == FINE ? 18 : 0;
        right = general_product(&run, &modular_problems[i], 3, why);
        general_end(&run); /* the next one has another second pass */
    }
    return right;
}

static void modular_products_are_right(void **state)
{
    assert_true(passes_modular(NULL, VKMM_I8));
    assert_true(passes_modular(NULL, VKMM_I32));
}

/* Every code of both floats of 8 bits, in whole vectors and one by one. NULL: of the unbroken shader. */
static int passes_codes(const struct mutant *mutant)
{
    const vkmm_module module = mutant_module(mutant);
    int right = 1;
    for (unsigned turn = 0; turn < 4 && right; turn++) {
        const vkmm_problem problem = VKMM_PROBLEM(.m = 256, .n = 4, .k = turn / 2 ? 17 : 32, .op_b = VKMM_OP_T,
                                                  .type = turn % 2 ? VKMM_E5M2 : VKMM_E4M3);
        general_run run = {.suite = &suite,
                           .kernel = runs[0].kernel,
                           .config = runs[0].config,
                           .module = mutant ? &module : NULL,
                           .change = general_put_codes,
                           .check = general_has_codes};
        char why[512];
        right = general_product(&run, &problem, turn, why);
        general_end(&run);
    }
    return right;
}

static void codes_are_right(void **state)
{
    assert_true(passes_codes(NULL));
}

static int fails(const struct mutant *mutant)
{
    if (strncmp(mutant->name, "float8-", 7) == 0) return !passes_codes(mutant);
    if (strncmp(mutant->name, "modular-", 8) == 0) return !passes_modular(mutant, VKMM_I8);
    if (strncmp(mutant->name, "words-", 6) == 0) return !passes_modular(mutant, VKMM_I32);
    for (size_t which = 0; which < sizeof runs / sizeof runs[0]; which++) {
        if (strcmp(runs[which].mutant, mutant->kernel) != 0) continue;
        if (wrong_products(mutant, which, VKMM_OP_N, GENERAL_ALIGNED) ||
            wrong_products(mutant, which, VKMM_OP_T, GENERAL_UNEVEN))
            return 1;
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(modular_products_are_right),
                                        cmocka_unit_test(codes_are_right)};
    const int absent = suite_open(&suite);
    return absent ? absent : run_mutants(&suite, others, 2);
}
