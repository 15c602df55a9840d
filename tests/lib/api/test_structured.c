/* test_structured [split] [DEVICE]: the error of every element of products of structured data, over the bound
 * that holds for any data (doc/verification.md, doc/precision.md). With `split`: only the methods that need matrix
 * operations. Skipped (77) where no method is available; VKMM_TEST_MATRICES as in test_coopmat.c.
 *
 * Without cmocka, and linked statically: the program can be carried to a machine with a GPU. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normal.h"
#include "math/type.h"
#include "vkmatmul.h"

enum { M = 24, N = 16, MOST_K = 4096, SKIPPED = 77 };

static const uint64_t depths[] = {7, 128, 1000, MOST_K};

/* For drivers on processors, which compile large tiles slowly. */
static const char *const small_tiles = "rows=16,cols=16,depth=32,sub-rows=8,sub-cols=8,splits=1,pad=1";

typedef struct way {
    const char *name;
    vkmm_type type;
    vkmm_method method;
    const char *kernel; /* of split: computed as asked for any K */
} way;

/* Neighbours of one type have the same data. */
static const way ways[] = {
    {"f32", VKMM_F32, VKMM_COMPUTE_DIRECT, NULL},
    {"split", VKMM_F32, VKMM_COMPUTE_SPLIT, NULL},
    {"split, coopmat", VKMM_F32, VKMM_COMPUTE_SPLIT, "coopmat"},
    {"reproducible f32", VKMM_F32, VKMM_COMPUTE_REPRODUCIBLE, NULL},
    {"f64", VKMM_F64, VKMM_COMPUTE_DIRECT, NULL},
    {"modular", VKMM_F64, VKMM_COMPUTE_MODULAR, NULL},
    {"reproducible", VKMM_F64, VKMM_COMPUTE_REPRODUCIBLE, NULL},
    {"f16", VKMM_F16, VKMM_COMPUTE_DIRECT, NULL},
    {"f16 w8a8", VKMM_F16, VKMM_COMPUTE_W8A8, NULL},
    {"bf16", VKMM_BF16, VKMM_COMPUTE_DIRECT, NULL},
    {"bf16 w8a8", VKMM_BF16, VKMM_COMPUTE_W8A8, NULL},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- Data ---- */

typedef enum data {
    UNIFORM,
    POSITIVE,
    LOGNORMAL,
    SPARSE,
    ZERO_BLOCKS,
    HALF_ZERO,   /* the large half of A meets zeros of B */
    TINY,        /* small elements meet each other, large ones zeros */
    TINIER,      /* by two octaves too small for split */
    BLOCK_UNITS, /* A is block-diagonal; B has rows in units of its own for each block */
    MASKS,
    OUTLIER,
    HUGE_LINES,
    SUBNORMAL,
    ONES,
    PERMUTATION,
    DATA_COUNT
} data;

static const char *const names[] = {
    "uniform",           "positive", "lognormal",       "sparse 2 %",   "zero blocks", "half zero",
    "tiny beside zeros", "tinier",   "units of blocks", "mask of ±1e9", "outlier",     "huge row, column",
    "subnormal",         "ones",     "permutation",
};

/* Where the largest elements of both lines meet zeros: as small as split takes them, and as imprecise as its parts. */
static double tiny(vkmm_type type, int is_b, uint64_t at, double least)
{
    if (at % 3 < 2) return is_b ? at % 3 == 1 : at % 3 == 0;
    return type == VKMM_F16 ? 0x1p-8 : least * (1 + 0x1.fp-9);
}

/* An element of a line (a row of A, a column of B) at `at` along K. */
static double element(data of, vkmm_type type, int is_b, uint64_t line, uint64_t at, uint64_t k)
{
    const uint64_t seed = 100 + of + 20 * (uint64_t)is_b, index = line * MOST_K + at, quarter = at * 4 / k;
    const int narrow = type == VKMM_F16;
    const double unit = random_unit(seed, index), both = 2 * unit - 1, huge = narrow ? 0x1p9 : 0x1p50;
    switch (of) {
    case POSITIVE:
        return unit;
    case LOGNORMAL:
        return exp((narrow ? 1 : 2) * random_normal(seed, index));
    case SPARSE:
        return random_unit(seed + 10, index) < 0.02 ? both : 0;
    case ZERO_BLOCKS:
        return (line / 8 + at / 8) % (is_b ? 3 : 2) == 0 ? 0 : both;
    case HALF_ZERO:
        return at < k / 2 ? (is_b ? 0 : huge * both) : both;
    case TINY:
        return tiny(type, is_b, at, 0x1p-31);
    case TINIER:
        return tiny(type, is_b, at, 0x1p-33);
    case BLOCK_UNITS:
        return is_b ? both * pow(narrow ? 10 : 1000, (double)quarter) : line % 4 == quarter ? both : 0;
    case MASKS:
        return is_b && line % 5 == 0 ? (line % 2 ? 1 : -1) * (narrow ? 3e4 : 1e9) : both;
    case OUTLIER:
        return !is_b && line == M / 2 && at == k / 3 ? (narrow ? 3e4 : 1e9) : both;
    case HUGE_LINES:
        return line == 5 ? huge * both : both;
    case SUBNORMAL:
        return is_b ? both : both * vkmm_type_of(type)->min_normal / 2;
    case ONES:
        return 1;
    case PERMUTATION:
        return is_b ? both : at == (7 * line + 3) % k;
    default:
        return both;
    }
}

/* ---- The exact product ---- */

typedef struct exact {
    double a[M][MOST_K], b[N][MOST_K]; /* A and B, rounded to their type; lines along K */
    long double sums[M][N];
    double sizes[M][N];  /* Σ|a||b| */
    double losses[M][N]; /* the same over products with a subnormal factor, which narrow types may lose */
} exact;

static exact right;

static double rounded(vkmm_type type, double value)
{
    char bytes[sizeof(double)];
    vkmm_type_put(type, bytes, value);
    return vkmm_type_get(type, bytes);
}

static void make(data of, vkmm_type type, uint64_t k)
{
    const double normal = vkmm_type_of(type)->bytes == 2 ? vkmm_type_of(type)->min_normal : 0;
    for (uint64_t at = 0; at < k; at++) {
        for (uint64_t i = 0; i < M; i++) right.a[i][at] = rounded(type, element(of, type, 0, i, at, k));
        for (uint64_t j = 0; j < N; j++) right.b[j][at] = rounded(type, element(of, type, 1, j, at, k));
    }
    for (uint64_t i = 0; i < M; i++)
        for (uint64_t j = 0; j < N; j++) {
            const double *a = right.a[i], *b = right.b[j];
            long double sum = 0;
            double size = 0, loss = 0;
            for (uint64_t at = 0; at < k; at++) {
                const double product = a[at] * b[at];
                sum += (long double)a[at] * b[at];
                size += fabs(product);
                if (fabs(a[at]) < normal || fabs(b[at]) < normal) loss += fabs(product);
            }
            right.sums[i][j] = sum;
            right.sizes[i][j] = size;
            right.losses[i][j] = loss;
        }
}

/* What an element that was computed by a method may be off by, over Σ|a||b|: for any data. */
static double factor(const way *how, vkmm_method method, uint64_t terms)
{
    const double k = (double)terms, epsilon = how->type == VKMM_F64 ? DBL_EPSILON : FLT_EPSILON;
    if (method == VKMM_COMPUTE_MODULAR) return epsilon * (sqrt(k) + 4);
    if (method == VKMM_COMPUTE_REPRODUCIBLE) return epsilon; /* half of it, and the long double of this test */
    if (method == VKMM_COMPUTE_SPLIT) return epsilon * (5.25 * sqrt(k) + k / 22 + 330);
    return epsilon * fmax(16, how->type == VKMM_F16 || how->type == VKMM_BF16 ? 1.25 * k + 2 : k / 2 + 2);
}

/* What an element may be off by besides, where its lines' largest elements decide: half a unit for each factor. */
static double unit_of(const way *how, vkmm_method method, uint64_t at, uint64_t k)
{
    double a = 0, b = 0;
    for (uint64_t i = 0; i < k && (method == VKMM_COMPUTE_REPRODUCIBLE || method == VKMM_COMPUTE_W8A8); i++) {
        a = fmax(a, fabs(right.a[at / N][i]));
        b = fmax(b, fabs(right.b[at % N][i]));
    }
    const double unit = method == VKMM_COMPUTE_W8A8 ? 1 / 126.5 : how->type == VKMM_F64 ? 0x1p-60 : 0x1p-31;
    return unit * (double)k * a * b;
}

/* The largest error of C over its bound. */
static double judge(const way *how, vkmm_method method, uint64_t k, const void *c)
{
    const double most = factor(how, method, k);
    const vkmm_type out = how->type == VKMM_F64 ? VKMM_F64 : VKMM_F32;
    double worst = 0;
    for (uint64_t at = 0; at < M * N; at++) {
        const double got = vkmm_type_get(out, (const char *)c + at * vkmm_type_of(out)->bytes);
        const double bound = most * right.sizes[at / N][at % N] + right.losses[at / N][at % N] +
                             (double)k * vkmm_type_of(out)->min_normal + unit_of(how, method, at, k);
        const double error = (double)fabsl(got - right.sums[at / N][at % N]) / bound;
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    return worst;
}

/* ---- Products ---- */

static vkmm_device *device;
static const vkmm_device_info *info;

/* NULL: not on this device. */
static vkmm_job *job_of(const way *how, uint64_t k)
{
    static const vkmm_log silent = {0};
    const int is_processor = info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const vkmm_type out = how->type == VKMM_F64 ? VKMM_F64 : VKMM_F32;
    vkmm_job_params params = {
        .problem = VKMM_PROBLEM(.m = M, .n = N, .k = k, .type = how->type, .out_type = out, .method = how->method),
        .kernel = how->kernel};
    vkmm_job *job = NULL;
    if (how->kernel && is_processor) params.config = small_tiles;
    if (how->method == VKMM_COMPUTE_DIRECT && how->type == VKMM_F64 && !info->features.f64) return NULL;
    return vkmm_job_create(device, &silent, &params, &job) == VKMM_OK ? job : NULL;
}

static vkmm_status multiply(vkmm_job *job, vkmm_type type, uint64_t k, vkmm_method *method)
{
    const uint32_t bytes = vkmm_type_of(type)->bytes;
    char *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B);
    for (uint64_t i = 0; i < M; i++)
        for (uint64_t at = 0; at < k; at++) vkmm_type_put(type, a + (i * k + at) * bytes, right.a[i][at]);
    for (uint64_t at = 0; at < k; at++)
        for (uint64_t j = 0; j < N; j++) vkmm_type_put(type, b + (at * N + j) * bytes, right.b[j][at]);
    const vkmm_status status = vkmm_job_run(job);
    return status == VKMM_OK ? vkmm_job_method(job, method) : status;
}

typedef struct totals {
    uint32_t products, wrong;
    double worst[WAYS];
} totals;

static void one(const way *how, vkmm_job *job, data of, uint64_t k, totals *sum)
{
    vkmm_method method = VKMM_COMPUTE_DIRECT;
    const vkmm_status status = multiply(job, how->type, k, &method);
    const double worst = status == VKMM_OK ? judge(how, method, k, vkmm_job_matrix(job, VKMM_C)) : INFINITY;
    sum->products++;
    if (worst > sum->worst[how - ways]) sum->worst[how - ways] = worst;
    if (worst <= 1) return;
    sum->wrong++;
    printf("# %s, K %u, %s: %.3g of the bound, %s\n", names[of], (unsigned)k, how->name, worst,
           vkmm_status_name(status));
}

static void all_of_depth(uint64_t k, int only_split, totals *sum)
{
    vkmm_job *jobs[WAYS];
    for (int w = 0; w < WAYS; w++)
        jobs[w] = !only_split || ways[w].method == VKMM_COMPUTE_SPLIT ? job_of(&ways[w], k) : NULL;
    for (int of = 0; of < DATA_COUNT; of++) {
        vkmm_type made = VKMM_AUTO;
        for (int turn = 0; turn < WAYS; turn++) {
            if (!jobs[turn]) continue;
            if (made != ways[turn].type) make((data)of, made = ways[turn].type, k);
            one(&ways[turn], jobs[turn], (data)of, k, sum);
        }
    }
    for (int w = 0; w < WAYS; w++) vkmm_job_destroy(&jobs[w]);
}

static int all(int only_split)
{
    totals sum = {0};
    const size_t step = info->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER ? 3 : 1; /* it compiles each anew, slowly */
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d += step) all_of_depth(depths[d], only_split, &sum);
    printf("# %u products, %u beyond their bound; the worst of each method:", sum.products, sum.wrong);
    for (int w = 0; w < WAYS; w++) printf(" %s %.2g;", ways[w].name, sum.worst[w]);
    printf("\n");
    return sum.products == 0 ? SKIPPED : sum.wrong > 0;
}

int main(int argc, char **argv)
{
    const char *matrices = getenv("VKMM_TEST_MATRICES"), *name = NULL;
    const vkmm_instance_params params = {.validate = getenv("VKMM_TEST_UNVALIDATED") == NULL};
    int absent = getenv("VKMM_REQUIRE_VULKAN") ? 1 : SKIPPED, only_split = 0;
    vkmm_instance *instance = NULL;
    uint32_t index;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "split") == 0)
            only_split = 1;
        else
            name = argv[i];
    }
    if (vkmm_instance_create(&params, &instance) != VKMM_OK ||
        vkmm_instance_find_device(instance, name, &index) != VKMM_OK) {
        vkmm_instance_destroy(&instance);
        return absent;
    }
    info = vkmm_instance_device_info(instance, index);
    printf("# %s, %s %s\n", info->name, info->driver.name, info->driver.info);
    int result = vkmm_device_create(instance, index, &device) == VKMM_OK ? all(only_split) : 1;
    if (result == SKIPPED && matrices && *matrices && strstr(info->driver.name, matrices)) result = 1;
    vkmm_device_destroy(&device);
    if (vkmm_instance_validation_messages(instance) > 0) {
        printf("# %u validation messages\n", vkmm_instance_validation_messages(instance));
        result = 1;
    }
    vkmm_instance_destroy(&instance);
    return result;
}
