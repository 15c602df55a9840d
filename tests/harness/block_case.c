#include "block_case.h"

#include "gemm.h"
#include "job/job.h"
#include "math/problem.h"

/* e2m1: a sign, two bits of exponent with bias 1, one bit of fraction. */
static double e2m1(unsigned code)
{
    const unsigned exponent = code >> 1 & 3, fraction = code & 1;
    const double size = exponent == 0 ? fraction / 2.0 : ldexp(1 + fraction / 2.0, (int)exponent - 1);
    return code & 8 ? -size : size;
}

static double e4m3(unsigned code)
{
    const unsigned exponent = code >> 3 & 15, fraction = code & 7;
    const double size = exponent == 0 ? ldexp(fraction, -9) : ldexp(1 + fraction / 8.0, (int)exponent - 7);
    if ((code & 127) == 127) return NAN;
    return code & 128 ? -size : size;
}

static double e5m2(unsigned code)
{
    const unsigned exponent = code >> 2 & 31, fraction = code & 3;
    double size = exponent == 0 ? ldexp(fraction, -16) : ldexp(1 + fraction / 4.0, (int)exponent - 15);
    if (exponent == 31) size = fraction == 0 ? (double)INFINITY : (double)NAN;
    return code & 128 ? -size : size;
}

static double power(unsigned code)
{
    return code == 255 ? (double)NAN : ldexp(1, (int)code - 127);
}

static double f32_at(const unsigned char *b)
{
    float value;
    memcpy(&value, b, sizeof value);
    return (double)value;
}

static double half_at(const unsigned char *b)
{
    return (double)vkmm_f16_value((uint16_t)(b[0] | b[1] << 8));
}

double blocks_element(vkmm_format format, const unsigned char *b, unsigned i)
{
    const unsigned char *six = b + 4;
    const unsigned group = i / 32, low = i / 64 * 32 + i % 32;
    switch (format) {
    case VKMM_Q8_0:
        return half_at(b) * (signed char)b[2 + i];
    case VKMM_Q4_0:
        return half_at(b) * ((i < 16 ? b[2 + i] & 15 : b[2 + i - 16] >> 4) - 8);
    case VKMM_Q5_K:
    case VKMM_Q4_K: {
        const unsigned char *codes = b + (format == VKMM_Q4_K ? 16 : 48);
        const unsigned s = group < 4 ? six[group] % 64U : six[group + 4] % 16U + six[group - 4] / 64U * 16U,
                       t = group < 4 ? six[group + 4] % 64U : six[group + 4] / 16U + six[group] / 64U * 16U,
                       fifth = format == VKMM_Q4_K ? 0 : b[16 + i % 32] >> group & 1U,
                       q = fifth * 16 + (group % 2 ? codes[low] >> 4 : codes[low] & 15);
        return (double)(float)(half_at(b) * s * q - half_at(b + 2) * t);
    }
    case VKMM_MXFP4:
        return power(b[0]) * e2m1(i < 16 ? b[1 + i] & 15 : b[1 + i - 16] >> 4);
    case VKMM_NVFP4:
        return e4m3(b[i / 16]) * e2m1(i % 16 < 8 ? b[4 + i / 16 * 8 + i % 8] & 15 : b[4 + i / 16 * 8 + i % 8] >> 4);
    case VKMM_MXFP8_E4M3:
        return power(b[0]) * e4m3(b[1 + i]);
    case VKMM_MXFP8_E5M2:
        return power(b[0]) * e5m2(b[1 + i]);
    case VKMM_FP8_E4M3:
        return (double)(float)(f32_at(b) * e4m3(b[4 + i]));
    case VKMM_FP8_E5M2:
        return (double)(float)(f32_at(b) * e5m2(b[4 + i]));
    case VKMM_Q4_Z:
        return (double)(float)(f32_at(b + 4 * group) *
                               ((b[20 + 16 * group + i % 16] >> i % 32 / 16 * 4 & 15) - b[16 + group]));
    case VKMM_Q8_Z:
        return (double)(float)(f32_at(b + 4 * group) * (b[20 + i] - b[16 + group]));
    case VKMM_Q4_1:
        return (double)(float)(half_at(b) * (b[4 + i % 16] >> i / 16 * 4 & 15) + half_at(b + 2));
    case VKMM_Q5_0:
        return half_at(b) * ((b[6 + i % 16] >> i / 16 * 4 & 15) + (b[2 + i / 8] >> i % 8 & 1) * 16 - 16);
    case VKMM_Q5_1:
        return (double)(float)(half_at(b) * ((b[8 + i % 16] >> i / 16 * 4 & 15) + (b[4 + i / 8] >> i % 8 & 1) * 16) +
                               half_at(b + 2));
    case VKMM_Q6_K: { /* two halves of 128, each of four rows of 32 */
        const unsigned h = i / 128, row = i % 128 / 32, at = i % 32;
        const int q = (b[64 * h + row % 2 * 32 + at] >> row / 2 * 4 & 15) + (b[128 + 32 * h + at] >> 2 * row & 3) * 16;
        return half_at(b + 208) * (signed char)b[192 + i / 16] * (q - 32);
    }
    default:
        return NAN;
    }
}

uint32_t blocks_next(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 16;
}

static void put_half(unsigned char *b, double value)
{
    const uint16_t bits = vkmm_f16_bits(value);
    b[0] = (unsigned char)bits, b[1] = (unsigned char)(bits >> 8);
}

static void put_f32(unsigned char *b, double value)
{
    const float rounded = (float)value;
    memcpy(b, &rounded, sizeof rounded);
}

/* Codes of 8-bit floats from byte `from` on: scaled, all that are finite; else few exponents. */
static void put_floats(unsigned char *b, uint32_t from, uint32_t bytes, int is_e5m2, int scaled)
{
    for (uint32_t i = from; i < bytes; i++) {
        const int least = is_e5m2 ? 13 << 2 : 5 << 3, fraction = is_e5m2 ? 3 : 7, exponents = is_e5m2 ? 12 : 24;
        if (scaled && (b[i] & 127) >= (is_e5m2 ? 124 : 127)) b[i] &= 0xbf;
        if (!scaled) b[i] = (unsigned char)((b[i] & (128 | fraction | exponents)) + least);
    }
}

void blocks_put(vkmm_format format, unsigned char *b, uint32_t *state, int scaled)
{
    const uint32_t bytes = vkmm_format_at(format)->bytes;
    const double power = ldexp(1, (int)(blocks_next(state) % 3) - 1);
    for (uint32_t i = 0; i < bytes; i++) b[i] = (unsigned char)blocks_next(state);
    const double f16 = scaled ? (blocks_next(state) % 2 ? 1 : -1) *
                                    ldexp(1 + blocks_next(state) % 1024 / 1024.0, (int)(blocks_next(state) % 38) - 24)
                              : power;
    const double f32 = scaled ? f16 * (1 + blocks_next(state) / 8388608.0) : power;
    switch (format) {
    case VKMM_Q4_K:
    case VKMM_Q5_K:
        if (!scaled) memset(b + 4, 2, 4), memset(b + 8, 1, 4), memset(b + 12, 0x14, 4);
        put_half(b + 2, scaled ? f16 / 3 : power);
        put_half(b, f16);
        break;
    case VKMM_Q4_1:
    case VKMM_Q5_1:
        put_half(b + 2, scaled ? f16 / 3 : power);
        put_half(b, f16);
        break;
    case VKMM_Q6_K:
        for (int g = 0; g < 16 && !scaled; g++) b[192 + g] = (unsigned char)(g % 3 - 1);
        put_half(b + 208, f16);
        break;
    case VKMM_MXFP4:
        b[0] = (unsigned char)(scaled == BLOCKS_OF_F16 ? 100 + blocks_next(state) % 41
                               : scaled                ? 4 + blocks_next(state) % 251
                                                       : 126 + blocks_next(state) % 3);
        break;
    case VKMM_NVFP4:
        for (int g = 0; g < 4; g++)
            b[g] = (unsigned char)(scaled ? blocks_next(state) % 127 | (blocks_next(state) & 128)
                                          : 0x30 + blocks_next(state) % 3 * 8);
        break;
    case VKMM_MXFP8_E4M3:
    case VKMM_MXFP8_E5M2:
        b[0] = (unsigned char)(scaled ? 30 + blocks_next(state) % 190 : 126 + blocks_next(state) % 3);
        put_floats(b, 1, bytes, format == VKMM_MXFP8_E5M2, scaled);
        break;
    case VKMM_FP8_E4M3:
    case VKMM_FP8_E5M2:
        put_f32(b, f32);
        put_floats(b, 4, bytes, format == VKMM_FP8_E5M2, scaled);
        break;
    case VKMM_Q4_Z:
    case VKMM_Q8_Z:
        for (int g = 0; g < 4; g++) put_f32(b + 4 * g, scaled ? f32 / (g + 3) : ldexp(power, g % 2));
        break;
    default:
        put_half(b, f16);
    }
}

vkmm_problem blocks_plain(const vkmm_problem *p)
{
    vkmm_problem plain = *p;
    plain.format_a = plain.format_b = VKMM_PLAIN;
    return plain;
}

/* The first code of a format of 8-bit floats; 0: it is another one. */
static uint32_t first_float(vkmm_format format)
{
    return format == VKMM_MXFP8_E4M3 || format == VKMM_MXFP8_E5M2 ? 1
           : format == VKMM_FP8_E4M3 || format == VKMM_FP8_E5M2   ? 4
                                                                  : 0;
}

static void put_nan(vkmm_format format, unsigned char *block)
{
    if (first_float(format) > 0)
        block[first_float(format)] = 127; /* an element, not the scale */
    else if (format == VKMM_MXFP4)
        block[0] = 255;
    else if (format == VKMM_NVFP4)
        block[0] = 127;
    else if (format == VKMM_Q4_Z || format == VKMM_Q8_Z)
        put_f32(block, NAN);
    else
        put_half(block + (format == VKMM_Q6_K ? 208 : 0), NAN);
}

void blocks_fill(const blocks_case *c, unsigned char *blocks, void *plain, uint64_t bytes)
{
    const vkmm_problem *p = &c->params.problem;
    const vkmm_format format = c->operand == VKMM_A ? p->format_a : p->format_b;
    const vkmm_format_info *info = vkmm_format_at(format);
    const uint64_t count = bytes / info->bytes, line = (c->operand == VKMM_A ? p->lda : p->ldb) / info->elements;
    const int is_e5m2 = format == VKMM_MXFP8_E5M2 || format == VKMM_FP8_E5M2;
    uint32_t seed = 11 * format;
    for (uint64_t x = 0; x < count; x++) {
        unsigned char *block = blocks + x * info->bytes;
        blocks_put(format, block, &seed, c->scaled);
        if (c->scaled && x + 1 == count) put_nan(format, block);
        if (is_e5m2 && x == 1 + line) block[first_float(format)] = 0x7c; /* infinity begins the second line */
        for (uint32_t i = 0; i < info->elements; i++)
            gemm_set(p->type, plain, x * info->elements + i, blocks_element(format, block, i));
    }
}

int blocks_case_right(const suite_device *suite, const blocks_case *c, const general_run *replaced, const char *kernel,
                      char why[512])
{
    const vkmm_problem *p = &c->params.problem, plain = blocks_plain(p);
    const vkmm_operand other = c->operand == VKMM_A ? VKMM_B : VKMM_A;
    int64_t damage;
    general_replace(replaced);
    vkmm_job *job = keep_job(suite->device, NULL, &c->params);
    general_replace(NULL);
    if (kernel) assert_string_equal(vkmm_job_kernel(job)->name, kernel);
    void *elements = keep_object(malloc(vkmm_operand_bytes(&plain, c->operand)), free),
         *want = keep_object(malloc(vkmm_operand_bytes(p, VKMM_C)), free);
    const void *pair[2];
    blocks_fill(c, vkmm_job_matrix(job, c->operand), elements, vkmm_operand_bytes(p, c->operand));
    memset(vkmm_job_matrix(job, other), 0xff, vkmm_operand_bytes(p, other)); /* NaN */
    for (uint64_t i = 0; i < (other == VKMM_A ? p->m : p->k); i++)
        for (uint64_t j = 0; j < (other == VKMM_A ? p->k : p->n); j++)
            gemm_set(p->type, vkmm_job_matrix(job, other), gemm_index(p, other, 0, i, j),
                     c->scaled ? i == j : (double)((i * 5 + j * 3) % 7) - 3);
    for (uint64_t i = 0; i < vkmm_operand_elements(p, VKMM_C); i++)
        gemm_set(gemm_out(p), vkmm_job_matrix(job, VKMM_C), i, (double)(i % 5));
    for (uint64_t j = 0; j < p->n && p->has_bias; j++)
        gemm_set(gemm_out(p), vkmm_job_matrix(job, VKMM_BIAS), j, (double)(j % 11));
    memcpy(want, vkmm_job_matrix(job, VKMM_C), vkmm_operand_bytes(p, VKMM_C));
    pair[c->operand] = elements;
    pair[other] = vkmm_job_matrix(job, other);
    gemm_biased(&plain, pair[0], pair[1], p->has_bias ? vkmm_job_matrix(job, VKMM_BIAS) : NULL, want);
    assert_ok(vkmm_job_run(job));
    for (uint64_t i = 0; i < vkmm_operand_elements(p, VKMM_C); i++) {
        const double g = gemm_get(gemm_out(p), vkmm_job_matrix(job, VKMM_C), i), w = gemm_get(gemm_out(p), want, i);
        if (isnan(w) ? isnan(g) : g == w) continue;
        snprintf(why, 512, "%s as %s, %llux%llu, %s: element %llu is %.9g, should be %.9g",
                 vkmm_format_at(vkmm_problem_format(p))->name, vkmm_type_of(p->type)->name, (unsigned long long)p->m,
                 (unsigned long long)p->n, vkmm_job_kernel(job)->name, (unsigned long long)i, g, w);
        return 0;
    }
    snprintf(why, 512, "C's guards are damaged");
    return vkmm_store_guards_whole(&job->stores[VKMM_C], &damage);
}

blocks_case blocks_case_of(vkmm_format format, vkmm_operand operand, vkmm_type type, uint64_t side, vkmm_layout layout)
{
    const uint64_t block = vkmm_format_at(format)->elements, ld = BLOCKS_DEPTH + block;
    blocks_case c = {.operand = operand};
    vkmm_problem *p = &c.params.problem;
    *p = VKMM_PROBLEM(.m = side, .n = BLOCKS_LONG, .k = BLOCKS_DEPTH, .type = type, .layout = layout);
    if (operand == VKMM_A) p->m = BLOCKS_LONG, p->n = side;
    if (operand == VKMM_A) p->format_a = format, p->lda = ld, p->offset_a = block;
    if (operand == VKMM_B) p->format_b = format, p->ldb = ld, p->offset_b = block;
    if (operand == VKMM_A) p->op_a = layout == VKMM_COL_MAJOR ? VKMM_OP_T : VKMM_OP_N;
    if (operand == VKMM_B) p->op_b = layout == VKMM_COL_MAJOR ? VKMM_OP_N : VKMM_OP_T;
    return c;
}
