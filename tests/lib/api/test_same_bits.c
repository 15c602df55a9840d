/* test_same_bits [--reference] [COUNT [DEVICE]]: reproducible products of random types of problems and data, bit for
 * bit as the portable reference here has them: as jobs of several kernels, in panels, and by two devices together (the
 * next one of the instance, or the same one twice). Prints one hash of all results, which is the same everywhere.
 * --reference: of the reference alone, without a device.
 *
 * Without cmocka, and linked statically: the program can be carried to a machine with a GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normal.h"
#include "math/matrix.h"
#include "math/modular.h"
#include "math/problem.h"
#include "base/log.h"
#include "vk/cooperative_matrix.h"
#include "vk/device.h"
#include "vk/instance.h"
#include "vkmatmul.h"

enum { USUAL = 50, SKIPPED = 77, PIECE = 21, DIGITS = 8 };

/* ---- The reference: C99 and IEEE floats ---- */

/* f64 and f32: units of a line's highest power of two, bits of a fraction, the exponent of the lowest bit of all. */
static const struct kind {
    int unit, digits, lowest;
} kinds[] = {{60, 52, -1074}, {31, 23, -149}};

static const struct kind *kind_of(const vkmm_problem *p)
{
    return &kinds[p->type == VKMM_F32];
}

/* A row of op(A) or a column of op(B), as integers of 61 bits at most in three pieces. */
typedef struct line {
    int64_t (*pieces)[3];
    int exponent, is_finite;
} line;

static line line_of(const vkmm_view *view, int is_b, uint64_t at, int unit)
{
    const uint64_t k = is_b ? view->rows : view->cols;
    line l = {.pieces = calloc(k + 1, sizeof *l.pieces), .is_finite = 1};
    double most = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (uint64_t i = 0; i < k; i++) {
            const double x = is_b ? vkmm_view_get(view, i, at) : vkmm_view_get(view, at, i);
            if (!isfinite(x)) l.is_finite = 0;
            most = fmax(most, fabs(x));
            if (turn == 0 || !l.is_finite) continue;
            int64_t rest = (int64_t)round(ldexp(x, -l.exponent)); /* half away from zero */
            for (int p = 0; p < 3; p++, rest /= 1 << PIECE) l.pieces[i][p] = p < 2 ? rest % (1 << PIECE) : rest;
        }
        if (turn == 0 && l.is_finite) frexp(most, &l.exponent), l.exponent -= 1 + unit;
    }
    return l;
}

static int bit(const int64_t digits[DIGITS], int at)
{
    return at >= 0 && digits[at / PIECE] >> at % PIECE & 1;
}

/* The float nearest to a whole number of digits times 2^exponent, half to even. */
static double nearest(const struct kind *kind, int64_t digits[DIGITS], int exponent)
{
    const int64_t base = 1 << PIECE;
    int is_negative = 0, top = DIGITS * PIECE - 1, sticky = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int d = 0; d + 1 < DIGITS; d++) {
            const int64_t digit = (digits[d] % base + base) % base;
            digits[d + 1] += (digits[d] - digit) / base;
            digits[d] = digit;
        }
        if (turn || digits[DIGITS - 1] >= 0) break;
        is_negative = 1;
        for (int d = 0; d < DIGITS; d++) digits[d] = -digits[d];
    }
    while (top >= 0 && !bit(digits, top)) top--;
    if (top < 0) return 0;
    int low = top - kind->digits > kind->lowest - exponent ? top - kind->digits : kind->lowest - exponent;
    if (low < 0) low = 0;
    double value = 0;
    for (int at = top; at >= low; at--) value = 2 * value + bit(digits, at);
    for (int at = 0; at < low - 1 && at <= top; at++) sticky |= bit(digits, at);
    const int half = low - 1 <= top && bit(digits, low - 1), odd = low <= top && bit(digits, low);
    value = ldexp(value + (half && (sticky || odd)), low + exponent);
    if (kind->digits < 52) value = (float)value; /* perhaps an infinity */
    return is_negative ? -value : value;
}

static double sum_of(const struct kind *kind, const line *a, const line *b, uint64_t k)
{
    int64_t digits[DIGITS] = {0};
    if (!a->is_finite || !b->is_finite) return NAN;
    for (uint64_t i = 0; i < k; i++)
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) digits[p + q] += a->pieces[i][p] * b->pieces[i][q];
    return nearest(kind, digits, a->exponent + b->exponent);
}

static double fused(const vkmm_problem *p, double x, double y, double z)
{
    const double sum = p->type == VKMM_F32 ? fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
    return isnan(sum) ? NAN : sum;
}

static double scalar(const vkmm_problem *p, double x)
{
    return p->type == VKMM_F32 ? (float)x : x;
}

/* α, β, the bias and the activation. */
static double finish(const vkmm_problem *p, double x, double before, double bias)
{
    const double alpha = p->k > 0 ? scalar(p, p->alpha) : 0, beta = scalar(p, p->beta); /* α may be infinite */
    if (alpha != 1) x = alpha == 0 ? 0 : fused(p, alpha, x, 0);
    if (beta != 0) x = fused(p, beta, before, x);
    if (p->has_bias) x = fused(p, 1, bias, x);
    return p->activation == VKMM_RELU && !isnan(x) && signbit(x) ? 0 : x;
}

/* One matrix of the batch; c holds what was there before. */
static void multiply(const vkmm_problem *p, const vkmm_view *a, const vkmm_view *b, const void *bias,
                     const vkmm_view *c)
{
    line *rows = calloc(p->m, sizeof *rows), *cols = calloc(p->n, sizeof *cols);
    for (uint64_t i = 0; i < p->m; i++) rows[i] = line_of(a, 0, i, kind_of(p)->unit);
    for (uint64_t j = 0; j < p->n; j++) cols[j] = line_of(b, 1, j, kind_of(p)->unit);
    for (uint64_t i = 0; i < p->m; i++)
        for (uint64_t j = 0; j < p->n; j++) {
            const uint64_t size = vkmm_type_of(p->type)->bytes;
            void *at = (char *)c->data + (i * c->row_stride + j * c->col_stride) * size;
            const double sum = p->alpha == 0 ? 0 : sum_of(kind_of(p), &rows[i], &cols[j], p->k),
                         more = p->has_bias ? vkmm_type_get(p->type, (const char *)bias + j * size) : 0;
            vkmm_type_put(p->type, at, finish(p, sum, vkmm_type_get(p->type, at), more));
        }
    for (uint64_t i = 0; i < p->m; i++) free(rows[i].pieces);
    for (uint64_t j = 0; j < p->n; j++) free(cols[j].pieces);
    free(rows), free(cols);
}

/* ---- Problems and their data ---- */

typedef struct sample {
    vkmm_problem problem;
    void *memory[4], *want; /* A, B, C, the bias; and C as it must become */
} sample;

static uint64_t below(uint64_t seed, int at, uint64_t limit)
{
    return vkmm_random_bits(seed, 1000 + (uint64_t)at) % limit;
}

static vkmm_problem problem_of(uint64_t seed)
{
    static const uint64_t depths[] = {1, 7, 33, 64, 130, 0, 90, 17, 5, 2051};
    static const double scalars[] = {1, 1, 1, -2, 0.1, 0x1p-1030, 3e300, 0};
    const uint64_t most = seed % 4 ? 40 : 170, k = depths[below(seed, 2, seed % 4 == 0 ? 5 : seed % 5 ? 9 : 10)];
    vkmm_problem p =
        VKMM_PROBLEM(.m = 1 + below(seed, 0, most), .n = 1 + below(seed, 1, most), .k = k,
                     .type = below(seed, 18, 2) ? VKMM_F32 : VKMM_F64, .method = VKMM_COMPUTE_REPRODUCIBLE);
    p.layout = below(seed, 3, 2) ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    p.op_a = below(seed, 4, 2) ? VKMM_OP_T : VKMM_OP_N;
    p.op_b = below(seed, 5, 2) ? VKMM_OP_T : VKMM_OP_N;
    p.alpha = scalars[below(seed, 6, 8)];
    p.beta = below(seed, 7, 2) ? scalars[below(seed, 8, 8)] : 0;
    p.has_bias = below(seed, 9, 3) == 0;
    p.activation = below(seed, 10, 4) ? VKMM_ACTIVATION_NONE : VKMM_RELU;
    p.batch_count = 1 + below(seed, 11, 4) / 2;
    p.lda = vkmm_operand_ld(&p, VKMM_A) + below(seed, 12, 3);
    p.ldb = vkmm_operand_ld(&p, VKMM_B) + below(seed, 13, 3);
    p.ldc = vkmm_operand_ld(&p, VKMM_C) + below(seed, 14, 3);
    p.stride_a = below(seed, 15, 3) ? p.lda * vkmm_operand_stored(&p, VKMM_A).count : 0;
    p.stride_b = p.ldb * vkmm_operand_stored(&p, VKMM_B).count;
    p.stride_c = p.ldc * vkmm_operand_stored(&p, VKMM_C).count + 5;
    p.offset_a = below(seed, 16, 4);
    p.offset_c = below(seed, 17, 4);
    return p;
}

/* Some are rounded to f32. */
static double number(vkmm_type type, uint64_t seed, uint64_t at)
{
    const int narrow = type == VKMM_F32;
    const double unit = random_unit(seed, at), both = 2 * unit - 1, normal = random_normal(seed + 1, at);
    const uint64_t bits = vkmm_random_bits(seed + 2, at);
    switch (below(seed / 8, 20, 10)) {
    case 0:
        return both;
    case 1:
        return unit;
    case 2:
        return normal * exp(2 * random_normal(seed + 3, at)); /* rounded to integers */
    case 3:
        return (double)(int64_t)(bits % 2001) - 1000;
    case 4:
        return bits % 20 ? 0 : normal;
    case 5:
        return ldexp(both, narrow ? bits % 2 ? -70 : -140 : -1040); /* many subnormal, or their products are */
    case 6:
        return narrow ? ldexp(both, (int)(bits % 250) - 125) : ldexp(both, (int)(bits % 2000) - 1000);
    case 7:
        return bits % 97 ? normal : bits % 3 ? (bits & 1 ? INFINITY : -INFINITY) : NAN;
    case 8:
        return ldexp(both, narrow ? 127 : 1023);
    default:
        return ldexp((double)(bits >> (narrow ? 40 : 11)), -(int)(bits % 12)); /* ties */
    }
}

static void *filled(const vkmm_problem *p, int operand, uint64_t seed)
{
    const uint64_t size = vkmm_type_of(p->type)->bytes, count = vkmm_operand_bytes(p, (vkmm_operand)operand) / size;
    char *memory = calloc(count + 1, size);
    for (uint64_t i = 0; i < count; i++)
        vkmm_type_put(p->type, memory + i * size,
                      number(p->type, 8 * seed + 4 * (uint64_t)(operand > 1), 4 * i + (uint64_t)operand));
    return memory;
}

static sample sample_of(uint64_t seed)
{
    sample s = {.problem = problem_of(seed)};
    const vkmm_problem *p = &s.problem;
    for (int o = 0; o < 4; o++) s.memory[o] = filled(p, o, seed);
    s.want = filled(p, VKMM_C, seed);
    for (uint64_t x = 0; x < p->batch_count; x++) {
        const vkmm_view a = vkmm_operand_view(p, VKMM_A, s.memory[VKMM_A], x),
                        b = vkmm_operand_view(p, VKMM_B, s.memory[VKMM_B], x),
                        c = vkmm_operand_view(p, VKMM_C, s.want, x);
        multiply(p, &a, &b, s.memory[VKMM_BIAS], &c);
    }
    return s;
}

/* FNV-1a over the bytes of elements, as f64, the lowest first. */
static uint64_t hash_of(const vkmm_problem *p, const void *c, uint64_t hash)
{
    for (uint64_t x = 0; x < p->batch_count; x++) {
        const vkmm_view view = vkmm_operand_view(p, VKMM_C, c, x);
        for (uint64_t i = 0; i < p->m * p->n; i++) {
            const double value = vkmm_view_get(&view, i / p->n, i % p->n);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (int byte = 0; byte < 8; byte++) hash = (hash ^ (bits >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

/* ---- Devices ---- */

/* The second is another device, or another handle of the same. */
static vkmm_device *devices[2];

static const struct way {
    const char *name, *kernel;
    int moduli, streams, others, bytes;
} ways[] = {
    {"job", NULL, 0, 0, 0},
    {"job, bytes", "blocked", 0, 0, 0, 1},
    {"job, other kernel", "skinny", 0, 0, 0},
    {"job, most moduli", NULL, 1, 0, 0},
    {"panels", NULL, 0, 1, 0},
    {"panels of two devices", NULL, 0, 1, 1},
    {"job, matrix operations", "coopmat", 0, 0, 0, 1},
};
/* The way of each problem, in turn; panels more often, whose pipelines need not be made again. */
static const int turns[] = {0, 4, 5, 4, 5, 4, 1, 5, 4, 5, 2, 4, 5, 4, 6, 3, 4, 5, 4, 5, 6};
enum { BYTES = 1, MATRICES = 6 };
enum { TURNS = sizeof turns / sizeof *turns, LIMIT = 300000 };
static vkmm_stream *streams[2][2]; /* of a type, of one device or two */
static uint64_t panels, by_matrices;

/* For bytes, a CPU is said to be a GPU if it would choose words otherwise. */
static vkmm_status run_job(const vkmm_job_params *params, const sample *s, const struct way *way, void *c)
{
    vkmm_device_info *info = (vkmm_device_info *)&devices[0]->physical->info;
    const VkPhysicalDeviceType type = info->type;
    vkmm_job *job = NULL;
    if (way == &ways[BYTES]) info->type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    vkmm_status status = vkmm_job_create(devices[0], NULL, params, &job);
    for (int o = VKMM_A; o <= VKMM_BIAS && status == VKMM_OK; o++) {
        const uint64_t bytes = vkmm_operand_bytes(&s->problem, (vkmm_operand)o);
        if (bytes > 0) memcpy(vkmm_job_matrix(job, (vkmm_operand)o), s->memory[o], bytes);
    }
    if (status == VKMM_OK) status = vkmm_job_run(job);
    info->type = type;
    if (status == VKMM_OK && way->bytes && vkmm_job_kernel(job)->residues != VKMM_I8)
        status = vkmm_fail(VKMM_UNSUPPORTED, "no residues of bytes");
    if (status == VKMM_OK) memcpy(c, vkmm_job_matrix(job, VKMM_C), vkmm_operand_bytes(&s->problem, VKMM_C));
    vkmm_job_destroy(&job);
    return status;
}

/* With memory for a part of most products, and more for those of which not even a tile fits. Streams keep their
 * pipelines for the next product. */
static vkmm_status run_panels(const vkmm_job_params *params, const sample *s, int others, void *c)
{
    static const vkmm_log silent = {0};
    const vkmm_stream_io io = {s->memory[VKMM_A], s->memory[VKMM_B], s->memory[VKMM_BIAS], c};
    vkmm_stream_params wanted = {
        .job = *params, .memory_limit = LIMIT, .threads = 1, .others = devices + 1, .other_count = (uint32_t)others};
    vkmm_stream *larger = NULL, **used = &streams[s->problem.type == VKMM_F32][others];
    vkmm_status status =
        *used ? vkmm_stream_change(*used, &s->problem) : vkmm_stream_create(devices[0], &silent, &wanted, used);
    while (status == VKMM_OUT_OF_MEMORY && (wanted.memory_limit *= 2) < 1 << 26)
        status = vkmm_stream_create(devices[0], &silent, &wanted, used = &larger);
    memcpy(c, s->memory[VKMM_C], vkmm_operand_bytes(&s->problem, VKMM_C));
    if (status == VKMM_OK) {
        const vkmm_partition t = vkmm_stream_partition(*used);
        panels += t.row_panels * t.col_panels;
        status = vkmm_stream_run(*used, &io, NULL);
    }
    vkmm_stream_destroy(&larger);
    return status;
}

/* Where there are matrix operations of i8, coopmat stores remainders; elsewhere, blocked takes these problems. */
static const struct way *way_of(uint64_t seed)
{
    const vkmm_device_matrices *m = &devices[0]->physical->info.matrices;
    const int turn = turns[seed % TURNS];
    if (turn != MATRICES) return &ways[turn];
    for (uint32_t i = 0; !*m->refusal && i < m->shape_count; i++)
        if (m->shapes[i].a == VK_COMPONENT_TYPE_SINT8_KHR && m->shapes[i].result == VK_COMPONENT_TYPE_SINT32_KHR) {
            by_matrices++;
            return &ways[MATRICES];
        }
    return &ways[BYTES];
}

/* 1: another result than the reference's. */
static int differs(const struct way *way, uint64_t seed, const sample *s)
{
    const vkmm_job_params params = {.problem = s->problem,
                                    .kernel = way->kernel,
                                    .moduli = way->moduli ? vkmm_modular_range_of(s->problem.type)->most : 0};
    void *c = calloc(vkmm_operand_bytes(&s->problem, VKMM_C) + 1, 1);
    const vkmm_status status = way->streams ? run_panels(&params, s, way->others, c) : run_job(&params, s, way, c);
    const int wrong = status != VKMM_OK || hash_of(&s->problem, c, 0) != hash_of(&s->problem, s->want, 0);
    if (wrong)
        printf("# problem %u, %s: %s\n", (unsigned)seed, way->name,
               status == VKMM_OK ? "other bits" : vkmm_last_error());
    free(c);
    return wrong;
}

static int all(uint64_t count, int multiplies)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    uint32_t wrong = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        sample s = sample_of(seed);
        hash = hash_of(&s.problem, s.want, hash);
        if (multiplies) wrong += (uint32_t)differs(way_of(seed), seed, &s);
        for (int o = 0; o < 4; o++) free(s.memory[o]);
        free(s.want);
    }
    for (int i = 0; i < 4; i++) vkmm_stream_destroy(&streams[i / 2][i % 2]);
    if (multiplies)
        printf("# %u products, %u by matrix operations, %u panels, %u products other than the reference\n",
               (unsigned)count, (unsigned)by_matrices, (unsigned)panels, wrong);
    printf("%016llx\n", (unsigned long long)hash);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    const vkmm_instance_params params = {.validate = getenv("VKMM_TEST_UNVALIDATED") == NULL};
    const int multiplies = argc < 2 || strcmp(argv[1], "--reference") != 0;
    if (!multiplies) argc--, argv++;
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : USUAL;
    const int absent = getenv("VKMM_REQUIRE_VULKAN") ? 1 : SKIPPED;
    vkmm_instance *instance = NULL;
    uint32_t index;
    if (!multiplies) return all(count, 0);
    if (vkmm_instance_create(&params, &instance) != VKMM_OK ||
        vkmm_instance_find_device(instance, argc > 2 ? argv[2] : NULL, &index) != VKMM_OK) {
        vkmm_instance_destroy(&instance);
        return absent;
    }
    const uint32_t other = (index + 1) % vkmm_instance_device_count(instance);
    printf("# %s and %s\n", vkmm_instance_device_info(instance, index)->driver.name,
           vkmm_instance_device_info(instance, other)->driver.name);
    int result = vkmm_device_create(instance, index, &devices[0]) == VKMM_OK &&
                         vkmm_device_create(instance, other, &devices[1]) == VKMM_OK
                     ? all(count, 1)
                     : 1;
    vkmm_device_destroy(&devices[0]);
    vkmm_device_destroy(&devices[1]);
    if (vkmm_instance_validation_messages(instance) > 0) {
        printf("# %u validation messages\n", vkmm_instance_validation_messages(instance));
        result = 1;
    }
    vkmm_instance_destroy(&instance);
    return result;
}
