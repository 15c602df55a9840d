/* The routines of level 3 split into products, and complex products computed as real ones, compared element by element
 * with the definitions in long double. The parts are computed here, so no device and no host's BLAS is needed. What a
 * routine must not read is NaN. */
#include <complex.h>
#include <float.h>

#include "../../src/blas/vkblas.h"
#include "unit.h"

enum { MOST = 80, ELEMENTS = MOST * MOST };

typedef long double complex number;
typedef double room[ELEMENTS * 2]; /* a matrix of any type */
static room a, b, c, before;
static number values[ELEMENTS], expected[ELEMENTS];
static long double bounds[ELEMENTS], expected_bounds[ELEMENTS];

static const char letters[] = "sdcz";
static const char *const names[VKBLAS_ROUTINES] = {"gemm", "gemm3m", "gemmtr", "symm", "hemm", "syrk",
                                                   "herk", "syr2k",  "her2k",  "trmm", "trsm"};

#define OF(name) (1 << VKBLAS_##name)

static int is(const vkblas_call *call, int routines)
{
    return routines >> call->routine & 1;
}

static int updates(const vkblas_call *call)
{
    return is(call, OF(GEMMTR) | OF(SYRK) | OF(HERK) | OF(SYR2K) | OF(HER2K));
}

/* re + im·i, also where a part is a NaN or infinite. */
static number number_of(long double re, long double im)
{
    const union {
        long double parts[2];
        number value;
    } both = {{re, im}};
    return both.value;
}

static number at(vkblas_type type, const void *matrix, int64_t x)
{
    const char *element = (const char *)matrix + x * vkblas_bytes_of(type);
    const double im = vkblas_is_complex(type) ? vkblas_part_of(type, element, 1) : 0;
    return number_of(vkblas_part_of(type, element, 0), im);
}

static void put(vkblas_type type, void *matrix, int64_t x, number value)
{
    const vkblas_scalar scalar = vkblas_scalar_of(type, (double)creall(value), (double)cimagl(value));
    memcpy((char *)matrix + x * vkblas_bytes_of(type), &scalar, (size_t)vkblas_bytes_of(type));
}

static number op_at(const vkblas_call *call, const void *matrix, int64_t ld, char op, int64_t i, int64_t j)
{
    const number value = at(call->type, matrix, op == 'N' ? i + j * ld : j + i * ld);
    return op == 'C' ? conjl(value) : value;
}

/* Element (i, j) of the square matrix A of symm, hemm, trmm and trsm as a whole, transposed where the call says so. */
static number square_at(const vkblas_call *call, int64_t i, int64_t j)
{
    if (is(call, OF(SYMM) | OF(HEMM))) {
        const int stored = call->uplo == 'L' ? i >= j : i <= j, hermitian = is(call, OF(HEMM));
        const number value = op_at(call, call->a, call->lda, stored ? 'N' : hermitian ? 'C' : 'T', i, j);
        return hermitian && i == j ? creall(value) : value;
    }
    const int lower = (call->uplo == 'L') == (call->trans_a == 'N');
    if (i == j && call->diag == 'U') return 1;
    return (lower ? i >= j : i <= j) ? op_at(call, call->a, call->lda, call->trans_a, i, j) : 0;
}

static number scalar_at(const vkblas_call *call, const void *scalar)
{
    const int real = is(call, OF(HERK)) || (is(call, OF(HER2K)) && scalar == call->beta);
    return at(real ? (call->type == VKBLAS_C ? VKBLAS_S : VKBLAS_D) : call->type, scalar, 0);
}

typedef struct sum {
    number value;
    long double bound; /* the sum of the absolute values */
} sum;

static sum add(sum s, number x)
{
    return (sum){s.value + x, s.bound + cabsl(x)};
}

/* Element (i, j) of α·(the products). */
static sum product_at(const vkblas_call *call, int64_t i, int64_t j)
{
    const number alpha = scalar_at(call, call->alpha);
    const int left = call->side == 'L', transposed = call->trans_a != 'N';
    const char flip = is(call, OF(HERK) | OF(HER2K)) ? 'C' : 'T', n = 'N';
    const void *b2 = call->b ? call->b : is(call, OF(TRMM)) ? call->c : call->a;
    const int64_t ldb = call->b ? call->ldb : is(call, OF(TRMM)) ? call->ldc : call->lda;
    sum s = {0};
    if (alpha == 0) return s;
    if (call->side) {
        for (int64_t l = 0; l < (left ? call->m : call->n); l++)
            s = add(s, alpha * (left ? square_at(call, i, l) * op_at(call, b2, ldb, n, l, j)
                                     : op_at(call, b2, ldb, n, i, l) * square_at(call, l, j)));
        return s;
    }
    const int is_product = is(call, OF(GEMM) | OF(GEMM3M) | OF(GEMMTR));
    const char ta = is_product ? call->trans_a : transposed ? flip : n;
    const char tb = is_product ? call->trans_b : transposed ? n : flip;
    for (int64_t l = 0; l < call->k; l++) {
        s = add(s, alpha * op_at(call, call->a, call->lda, ta, i, l) * op_at(call, b2, ldb, tb, l, j));
        if (is(call, OF(SYR2K) | OF(HER2K)))
            s = add(s, (flip == 'C' ? conjl(alpha) : alpha) * op_at(call, b2, ldb, ta, i, l) *
                           op_at(call, call->a, call->lda, tb, l, j));
    }
    return s;
}

/* Element (i, j) of the solution, from those that are already known. */
static sum solution_at(const vkblas_call *call, int64_t i, int64_t j)
{
    const int left = call->side == 'L';
    const number diagonal = square_at(call, left ? i : j, left ? i : j), alpha = scalar_at(call, call->alpha);
    sum s = {0};
    if (alpha == 0) return s;
    s = add(s, alpha * at(call->type, call->c, i + j * call->ldc));
    for (int64_t l = 0; l < (left ? call->m : call->n); l++) {
        const int64_t known = left ? l + j * call->m : i + l * call->m;
        const number factor = l == (left ? i : j) ? 0 : left ? square_at(call, i, l) : square_at(call, l, j);
        if (factor != 0) s.value -= factor * values[known], s.bound += cabsl(factor) * bounds[known];
    }
    return (sum){s.value / diagonal, s.bound / cabsl(diagonal)};
}

static int writes(const vkblas_call *call, int64_t i, int64_t j)
{
    return !updates(call) || (call->uplo == 'L' ? i >= j : i <= j);
}

/* The result, M×N packed, in `values`, and in `bounds` what its error is relative to. */
static void define(const vkblas_call *call)
{
    const int64_t m = call->m, n = call->n;
    const int solves = is(call, OF(TRSM)), lower = (call->uplo == 'L') == (call->trans_a == 'N');
    const int backwards = solves && (lower == (call->side == 'R'));
    for (int64_t x = 0; x < m * n; x++) {
        const int64_t y = backwards ? m * n - 1 - x : x, i = y % m, j = y / m;
        if (!writes(call, i, j)) continue;
        sum s = solves ? solution_at(call, i, j) : product_at(call, i, j);
        if (call->beta && scalar_at(call, call->beta) != 0) {
            number old = at(call->type, call->c, i + j * call->ldc);
            if (i == j && is(call, OF(HERK) | OF(HER2K))) old = creall(old);
            s = add(s, scalar_at(call, call->beta) * old);
        }
        values[y] = i == j && is(call, OF(HERK) | OF(HER2K)) ? creall(s.value) : s.value;
        bounds[y] = s.bound;
    }
}

static int64_t block;
static int parts;
static long double flops, flops_of_products;

static long double flops_of(const vkblas_call *call)
{
    const long double m = call->m, n = call->n, order = call->side == 'R' ? n : m;
    if (call->side) return m * n * order * (is(call, OF(SYMM) | OF(HEMM)) ? 2 : 1);
    return m * n * call->k * (is(call, OF(GEMM) | OF(GEMM3M) | OF(SYR2K) | OF(HER2K)) ? 2 : 1);
}

static void count(const vkblas_call *part)
{
    const int is_product = part->routine == VKBLAS_GEMM;
    flops += flops_of(part);
    parts++;
    if (is_product) flops_of_products += flops_of(part);
    if (!is_product && scalar_at(part, part->alpha) != 0)
        assert_true((updates(part) || part->side == 'R' ? part->n : part->m) <= block);
}

static void compute(const vkblas_call *part)
{
    count(part);
    define(part);
    for (int64_t j = 0; j < part->n; j++)
        for (int64_t i = 0; i < part->m; i++)
            if (writes(part, i, j)) put(part->type, part->c, i + j * part->ldc, values[i + j * part->m]);
}

/* Part of a number's memory is a NaN, or all of it where the type is real. */
static void spoil(const vkblas_call *call, void *matrix, int64_t x, int imaginary_alone)
{
    put(call->type, matrix, x, number_of(imaginary_alone ? creall(at(call->type, matrix, x)) : NAN, NAN));
}

static double random_fraction(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 0x1p24 - 0.5;
}

static void fill(vkblas_type type, void *matrix)
{
    for (int64_t x = 0; x < ELEMENTS; x++) put(type, matrix, x, number_of(random_fraction(), random_fraction()));
}

/* A of the shapes with a side: what is not stored is NaN, and systems are well conditioned. */
static void prepare_square(const vkblas_call *call)
{
    const int64_t order = call->side == 'L' ? call->m : call->n;
    for (int64_t j = 0; j < order; j++)
        for (int64_t i = 0; i < order; i++) {
            const int64_t x = i + j * call->lda;
            const number value = at(call->type, a, x);
            if (is(call, OF(TRSM))) put(call->type, a, x, i == j ? 1 + value : value / order);
            if (call->uplo == 'L' ? i < j : i > j) spoil(call, a, x, 0);
            if (i == j && call->diag == 'U') spoil(call, a, x, 0);
            if (i == j && is(call, OF(HEMM))) spoil(call, a, x, 1);
        }
}

static void check(const vkblas_call *call, const char *what)
{
    const long double epsilon = call->type == VKBLAS_S || call->type == VKBLAS_C ? FLT_EPSILON : DBL_EPSILON;
    const size_t bytes = (size_t)vkblas_bytes_of(call->type);
    for (int64_t x = 0; x < ELEMENTS; x++) {
        const int64_t i = x % call->ldc, j = x / call->ldc;
        int good = !memcmp((char *)c + x * bytes, (char *)before + x * bytes, bytes);
        if (i < call->m && j < call->n && writes(call, i, j)) {
            const number value = at(call->type, c, x);
            const int64_t y = i + j * call->m;
            good = cabsl(value - expected[y]) <= 16 * epsilon * expected_bounds[y];
            if (i == j && is(call, OF(HERK) | OF(HER2K))) good = good && cimagl(value) == 0;
        }
        if (!good)
            fail_msg("%s: %c%s side %c uplo %c trans %c %c diag %c m %d n %d k %d block %d: element (%d, %d)", what,
                     letters[call->type], names[call->routine], call->side | 32, call->uplo | 32, call->trans_a | 32,
                     call->trans_b | 32, call->diag | 32, (int)call->m, (int)call->n, (int)call->k, (int)block, (int)i,
                     (int)j);
    }
}

static const double scalars[][2] = {{0, 0}, {1, 0}, {0.75, -0.5}};
static double alpha[2], beta[2];

static void set_scalar(const vkblas_call *call, double *scalar, int which)
{
    put(call->type, scalar, 0, number_of(scalars[which][0], scalars[which][1])); /* the real part comes first */
}

/* Fills A, B and C for a call whose letters and sizes are set. */
static vkblas_call prepare(vkblas_call call, int which_alpha, int which_beta)
{
    const int in_place = is(&call, OF(TRMM) | OF(TRSM)), has_b = !in_place && !is(&call, OF(SYRK) | OF(HERK));
    const int64_t most = call.m > call.n ? call.m : call.n, rows = most > call.k ? most : call.k;
    call.lda = rows + 2, call.ldb = has_b ? rows + 1 : 0, call.ldc = call.m + 3;
    call.a = a, call.b = has_b ? b : NULL, call.c = c;
    call.alpha = alpha, call.beta = in_place ? NULL : beta;
    set_scalar(&call, alpha, which_alpha);
    set_scalar(&call, beta, which_beta);
    fill(call.type, a), fill(call.type, b), fill(call.type, c);
    if (call.side) prepare_square(&call);
    if (call.beta && which_beta == 0)
        for (int64_t x = 0; x < ELEMENTS; x++) spoil(&call, c, x, 0);
    if (is(&call, OF(HERK) | OF(HER2K)))
        for (int64_t j = 0; j < call.n; j++) spoil(&call, c, j + j * call.ldc, 1);
    for (int64_t x = 0; which_alpha == 0 && x < ELEMENTS; x++) spoil(&call, a, x, 0), spoil(&call, b, x, 0);
    memcpy(before, c, sizeof c);
    return call;
}

/* A routine with the letters of one choice of 2·2·3·3·2; 0 if it has no such letters. */
static int choose(vkblas_call *call, vkblas_routine routine, vkblas_type type, unsigned choice, int order, int other)
{
    *call = (vkblas_call){.routine = routine, .type = type};
    const int has_side = is(call, OF(SYMM) | OF(HEMM) | OF(TRMM) | OF(TRSM)),
              hermitian = is(call, OF(HEMM) | OF(HERK) | OF(HER2K));
    const int symmetric = is(call, OF(SYRK) | OF(SYR2K)), two = is(call, OF(GEMM) | OF(GEMM3M) | OF(GEMMTR));
    const int diag = is(call, OF(TRMM) | OF(TRSM)), uplo = has_side || updates(call),
              ops = two || updates(call) || diag;
    const unsigned which[] = {choice % 2, choice / 2 % 2, choice / 4 % 3, choice / 12 % 3, choice / 36 % 2};
    const int has[] = {has_side, uplo, ops, two, diag};
    for (int i = 0; i < 5; i++)
        if (!has[i] && which[i]) return 0;
    if (hermitian && !vkblas_is_complex(type)) return 0;
    if (has_side) call->side = "LR"[which[0]];
    if (uplo) call->uplo = "UL"[which[1]];
    if (ops) call->trans_a = "NTC"[which[2]];
    if (two) call->trans_b = "NTC"[which[3]];
    if (diag) call->diag = "NU"[which[4]];
    if ((hermitian && call->trans_a == 'T') || (symmetric && vkblas_is_complex(type) && call->trans_a == 'C')) return 0;
    call->m = call->side == 'R' ? other : order, call->n = call->side == 'L' ? other : order;
    call->k = has_side ? 0 : other;
    return 1;
}

static void expect(const vkblas_call *call)
{
    define(call);
    memcpy(expected, values, sizeof values);
    memcpy(expected_bounds, bounds, sizeof bounds);
}

TEST(test_parts_make_up_the_whole)
{
    static const int orders[] = {1, 2, 5, 8, 33, 70};
    int calls = 0;
    for (int routine = VKBLAS_GEMMTR; routine < VKBLAS_ROUTINES; routine++)
        for (int type = VKBLAS_S; type <= VKBLAS_Z; type++)
            for (unsigned choice = 0; choice < 72; choice++)
                for (unsigned x = 0; x < 6; x++) {
                    vkblas_call call;
                    if (!choose(&call, routine, type, choice, orders[x], x % 2 ? 7 : 3)) continue;
                    call = prepare(call, calls % 3, calls / 3 % 3);
                    block = (const int[]){1, 4, 32}[calls++ / 9 % 3];
                    expect(&call);
                    vkblas_split(&call, block, compute);
                    check(&call, "split");
                }
    assert_true(calls > 1000);
}

/* Nothing is computed twice, the parts are few, and little is left to the diagonal blocks. */
TEST(test_share_of_products)
{
    block = 64;
    for (int routine = VKBLAS_GEMMTR; routine < VKBLAS_ROUTINES; routine++)
        for (unsigned choice = 0; choice < 72; choice++) {
            vkblas_call call;
            if (!choose(&call, routine, VKBLAS_Z, choice, 2000, 500)) continue;
            call.alpha = call.beta = (const double[]){1, 0};
            call.a = call.b = call.c = a; /* not accessed */
            if (is(&call, OF(TRMM) | OF(TRSM))) call.b = NULL;
            flops = flops_of_products = parts = 0;
            vkblas_split(&call, block, count);
            if (routine == VKBLAS_GEMMTR) {
                assert_true(flops == flops_of_products);
            } else {
                assert_true(flops == flops_of(&call) && flops_of_products < 0.99L * flops && parts < 100);
            }
            assert_true(flops_of_products > 0.96L * flops_of(&call));
        }
}

static int fails, products, good_products, others;

static int compute_product(const vkblas_call *real)
{
    assert_true(real->routine == VKBLAS_GEMM && !vkblas_is_complex(real->type));
    if (products++ == good_products) return 0;
    compute(real);
    return 1;
}

void vkblas_run_or_host(const vkblas_call *part)
{
    others++;
    compute(part);
}

/* Succeeds `good` times; -1: always. */
static int run_complex(const vkblas_call *call, int64_t most, int good)
{
    products = others = 0;
    good_products = good;
    return vkblas_complex(call, most, compute_product);
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return fails ? NULL : __real_malloc(bytes);
}

TEST(test_complex_products)
{
    for (int type = VKBLAS_C; type <= VKBLAS_Z; type++)
        for (unsigned choice = 0; choice < 36; choice++)
            for (int x = 0; x < 18; x++) {
                vkblas_call call;
                if (!choose(&call, x % 2 ? VKBLAS_GEMM3M : VKBLAS_GEMM, type, choice, x % 4 ? 33 : 5, 7)) continue;
                call.n = x % 3 ? 3 : 34;
                if (x == 7) call.k = 0;
                call = prepare(call, x / 2 % 3, x / 6);
                expect(&call);
                assert_true(run_complex(&call, x % 5 ? 1 << 30 : 3000, -1));
                assert_true(others == 0 && (x % 5 || call.k == 0 ? products == 1 : products > 1 || call.m == 5));
                check(&call, "complex");
            }
}

TEST(test_complex_products_that_fail)
{
    vkblas_call call;
    assert_true(choose(&call, VKBLAS_GEMM, VKBLAS_Z, 4 * 2 + 12, 5, 7)); /* op: C, T */
    call = prepare(call, 2, 2);
    assert_false(run_complex(&call, 1, 0));
    fails = 1;
    const int done = run_complex(&call, 1, -1);
    fails = 0;
    assert_false(done);
    assert_memory_equal(c, before, sizeof c);
    expect(&call);
    assert_true(run_complex(&call, 1, 2)); /* rows one at a time */
    assert_true(products == 3 && others == 1);
    check(&call, "complex, the last rows by others");
}

/* 1×1, of `k` products; C is `result`. */
static vkblas_call small_call(int64_t k, char trans_b, const double *a_, const double *b_, double *result)
{
    static const double one[] = {1, 0}, zero[] = {0, 0};
    return (vkblas_call){VKBLAS_GEMM, VKBLAS_Z,    .trans_a = 'N', .trans_b = trans_b, .m = 1,
                         .n = 1,      .k = k,      .alpha = one,   .beta = zero,       .a = a_,
                         .b = b_,     .c = result, .lda = 1,       .ldb = 1,           .ldc = 1};
}

/* An infinity in one part of A's elements makes no NaN where the definition has none. */
TEST(test_complex_infinity)
{
    const double infinite[2][2] = {{1, INFINITY}, {INFINITY, 1}}, two[] = {2, 2}, signs[] = {-1, 1};
    for (int i = 0; i < 2; i++) {
        double result[] = {0, 0};
        const vkblas_call call = small_call(1, 'N', infinite[i], two, result);
        assert_true(run_complex(&call, 1 << 30, -1));
        assert_true(result[0] == signs[i] * INFINITY && result[1] == INFINITY);
    }
}

TEST(test_complex_zero)
{
    const double zero[] = {0, 0}, i[] = {0, 1};
    double result[] = {3, 4};
    vkblas_call call = small_call(5, 'T', NULL, NULL, result);
    call.alpha = zero, call.beta = i;
    assert_true(run_complex(&call, 1 << 30, -1)); /* without A and B */
    assert_true(result[0] == -4 && result[1] == 3);
}
