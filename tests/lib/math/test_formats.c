/* Formats of blocks (vkmm_format) on the host: what blocks decode to, what is encoded and joined, which problems are
 * refused. */
#include "block_case.h"
#include "math/half.h"
#include "math/problem.h"
#include "unit.h"

/* The host's own functions; and nothing where the count is no multiple. */
TEST(host_decodes_by_definition)
{
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++) {
        const vkmm_format_info *info = vkmm_format_at(f);
        unsigned char block[BLOCKS_MOST];
        float got[256];
        uint32_t seed = f;
        for (int round = 0; round < 400; round++) {
            blocks_put((vkmm_format)f, block, &seed, 1);
            if ((f == VKMM_MXFP4 || f == VKMM_MXFP8_E4M3 || f == VKMM_MXFP8_E5M2) && round < 256)
                block[0] = (unsigned char)round;
            if (f >= VKMM_MXFP8_E4M3 && f <= VKMM_FP8_E5M2)
                block[info->bytes - 1] = (unsigned char)round; /* NaNs too */
            if (f == VKMM_NVFP4 && round < 256) block[round % 4] = (unsigned char)round;
            vkmm_blocks_decode((vkmm_format)f, block, info->elements, got);
            for (uint32_t i = 0; i < info->elements; i++) {
                const double want = blocks_element((vkmm_format)f, block, i);
                if (isnan(want) ? !isnan(got[i]) : (double)got[i] != (double)(float)want)
                    fail_msg("%s: element %u is %g, should be %g", info->name, i, (double)got[i], want);
            }
        }
        got[0] = 42;
        vkmm_blocks_decode((vkmm_format)f, block, info->elements - 1, got);
        assert_true(got[0] == 42);
    }
    assert_null(vkmm_format_at(VKMM_FORMAT_COUNT));
}

/* To the nearest of what a block can hold: twice gives the same; and no element is off by more than half a step of its
 * block, which is known from its largest element. */
TEST(host_encodes_to_the_nearest)
{
    static const double steps[VKMM_FORMAT_COUNT] = {
        [VKMM_Q8_0] = 1 / 254.0,     [VKMM_Q4_0] = 1 / 8.0,      [VKMM_Q4_K] = 1 / 12.0,
        [VKMM_MXFP4] = 1 / 3.0,      [VKMM_NVFP4] = 1 / 5.0,     [VKMM_MXFP8_E4M3] = 1 / 7.0,
        [VKMM_MXFP8_E5M2] = 1 / 8.0, [VKMM_FP8_E4M3] = 1 / 28.0, [VKMM_FP8_E5M2] = 1 / 14.0,
        [VKMM_Q4_Z] = 1 / 15.0,      [VKMM_Q8_Z] = 1 / 255.0,    [VKMM_Q4_1] = 1 / 14.0,
        [VKMM_Q5_0] = 1 / 16.0,      [VKMM_Q5_1] = 1 / 30.0,     [VKMM_Q5_K] = 1 / 24.0,
        [VKMM_Q6_K] = 1 / 32.0};
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++) {
        const vkmm_format_info *info = vkmm_format_at(f);
        float from[512], once[512], twice[512];
        unsigned char blocks[BLOCKS_MOST * 16]; /* 512 elements */
        uint32_t seed = 7 * f;
        for (int i = 0; i < 512; i++)
            from[i] = (float)((blocks_next(&seed) % 2001 - 1000.0) * ldexp(1, i / 256 * 3)) * 0.01F;
        memset(from + 256, 0, 32 * sizeof *from);
        vkmm_blocks_encode((vkmm_format)f, from, 512, blocks);
        vkmm_blocks_decode((vkmm_format)f, blocks, 512, once);
        vkmm_blocks_encode((vkmm_format)f, once, 512, blocks);
        vkmm_blocks_decode((vkmm_format)f, blocks, 512, twice);
        for (uint32_t i = 0; i < 512; i++) {
            double most = 0;
            for (uint32_t j = i / info->elements * info->elements; j < (i / info->elements + 1) * info->elements; j++)
                most = fmax(most, fabs((double)from[j]));
            if (fabs((double)(once[i] - from[i])) > 1.03 * steps[f] * most)
                fail_msg("%s: %g became %g", info->name, (double)from[i], (double)once[i]);
            assert_true(fabs((double)(twice[i] - once[i])) <= 0.1 * steps[f] * most);
        }
    }
}

/* One such element makes its block NaNs, and no other block. */
TEST(host_keeps_what_is_not_finite)
{
    static const float others[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++)
        for (uint32_t n = 0; n < 3; n++) {
            const uint32_t elements = vkmm_format_at(f)->elements;
            float from[512] = {0}, got[512];
            unsigned char blocks[BLOCKS_MOST * 2];
            from[elements + 5 * n] = others[n];
            vkmm_blocks_encode((vkmm_format)f, from, 2 * elements, blocks);
            vkmm_blocks_decode((vkmm_format)f, blocks, 2 * elements, got);
            for (uint32_t i = 0; i < 2 * elements; i++) assert_true(i < elements ? got[i] == 0 : isnan(got[i]));
        }
}

/* A scale and a zero point for each group of a row or band, in every type that the format takes. */
typedef struct joined {
    vkmm_format format;
    vkmm_type type;
    uint32_t group, band, zero;
    int has_zeros;
} joined;

static const joined joins[] = {
    {VKMM_Q8_0, VKMM_F16, 32, 0, 0, 0},      {VKMM_Q8_0, VKMM_F32, 64, 0, 128, 0},
    {VKMM_Q4_0, VKMM_F16, 32, 0, 0, 0},      {VKMM_Q4_0, VKMM_BF16, 256, 2, 8, 0},
    {VKMM_Q4_Z, VKMM_F32, 32, 0, 0, 1},      {VKMM_Q4_Z, VKMM_F16, 128, 0, 0, 0},
    {VKMM_Q4_Z, VKMM_F32, 0, 0, 5, 0},       {VKMM_Q8_Z, VKMM_BF16, 64, 0, 0, 1},
    {VKMM_Q8_Z, VKMM_F32, 32, 0, 0, 0},      {VKMM_FP8_E4M3, VKMM_F32, 128, 2, 0, 0},
    {VKMM_FP8_E4M3, VKMM_F32, 0, 3, 0, 0},   {VKMM_FP8_E5M2, VKMM_F16, 0, 0, 0, 0},
    {VKMM_MXFP4, VKMM_U8, 32, 0, 0, 0},      {VKMM_MXFP8_E4M3, VKMM_U8, 32, 0, 0, 0},
    {VKMM_MXFP8_E5M2, VKMM_U8, 64, 0, 0, 0}, {VKMM_NVFP4, VKMM_U8, 16, 0, 0, 0},
};

enum { JOIN_ROWS = 3, JOIN_K = 256 };

/* A value that the codes and scales alone define. */
static float join_value(const joined *j, const vkmm_codes *c, uint64_t row, uint64_t k)
{
    static const float e2m1[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    const uint64_t group = j->group ? j->group : JOIN_K,
                   at = row / (j->band ? j->band : 1) * (JOIN_K / group) + k / group;
    const uint8_t code = c->codes[row * JOIN_K + k];
    float scale, value = j->format == VKMM_MXFP4 || j->format == VKMM_NVFP4 ? e2m1[code & 7] * (code & 8 ? -1.0F : 1.0F)
                         : j->format == VKMM_FP8_E4M3 || j->format == VKMM_MXFP8_E4M3 ? vkmm_e4m3_value(code)
                         : j->format == VKMM_FP8_E5M2 || j->format == VKMM_MXFP8_E5M2 ? vkmm_e5m2_value(code)
                         : j->has_zeros || j->zero > 0 ? (float)(code - (int)(j->has_zeros ? c->zeros[at] : j->zero))
                                                       : (float)(int8_t)code;
    if (j->type == VKMM_U8)
        scale = j->format == VKMM_NVFP4 ? vkmm_e4m3_value(((const uint8_t *)c->scales)[at])
                                        : ldexpf(1, ((const uint8_t *)c->scales)[at] - 127);
    else
        scale = (float)vkmm_type_get(j->type, (const char *)c->scales + at * vkmm_type_of(j->type)->bytes);
    return scale * value;
}

TEST(host_joins_without_loss)
{
    for (size_t n = 0; n < sizeof joins / sizeof joins[0]; n++) {
        const joined *j = &joins[n];
        const int has_four =
            j->format == VKMM_Q4_0 || j->format == VKMM_Q4_Z || j->format == VKMM_MXFP4 || j->format == VKMM_NVFP4;
        uint8_t codes[JOIN_ROWS * JOIN_K], zeros[JOIN_ROWS * JOIN_K / 16];
        uint32_t scales[JOIN_ROWS * JOIN_K / 16], seed = (uint32_t)n;
        unsigned char blocks[JOIN_ROWS * JOIN_K * 2];
        float got[JOIN_ROWS * JOIN_K];
        const vkmm_codes c = {.rows = JOIN_ROWS,
                              .k = JOIN_K,
                              .codes = codes,
                              .scales = scales,
                              .scale_type = j->type,
                              .group = j->group,
                              .band = j->band,
                              .zeros = j->has_zeros ? zeros : NULL,
                              .zero = j->zero};
        for (uint32_t i = 0; i < JOIN_ROWS * JOIN_K; i++) {
            codes[i] = (uint8_t)(blocks_next(&seed) & (has_four ? 15 : 255));
            if (j->format == VKMM_Q4_0 || j->format == VKMM_Q4_Z)
                codes[i] = (uint8_t)(j->has_zeros || j->zero ? codes[i] : codes[i] - 8U);
        }
        for (uint32_t i = 0; i < JOIN_ROWS * JOIN_K / 16; i++) {
            zeros[i] = (uint8_t)blocks_next(&seed);
            if (j->type == VKMM_U8)
                ((uint8_t *)scales)[i] = (uint8_t)(100 + blocks_next(&seed) % 20);
            else
                vkmm_type_put(j->type, (char *)scales + i * vkmm_type_of(j->type)->bytes,
                              (1 + blocks_next(&seed) % 128 / 128.0) * (j->format == VKMM_Q4_Z ? 1 / 3.0 : 0.5));
        }
        assert_ok(vkmm_blocks_join(j->format, &c, blocks));
        vkmm_blocks_decode(j->format, blocks, JOIN_ROWS * JOIN_K, got);
        for (uint64_t i = 0; i < JOIN_ROWS * JOIN_K; i++) {
            const float want = join_value(j, &c, i / JOIN_K, i % JOIN_K);
            if (isnan(want) ? !isnan(got[i]) : got[i] != want)
                fail_msg("join %zu: element %llu is %g, should be %g", n, (unsigned long long)i, (double)got[i],
                         (double)want);
        }
    }
}

TEST(host_refuses_to_join)
{
    uint8_t codes[260] = {[3] = 16}, zeros[8] = {0};
    unsigned char blocks[256];
    float scales[8] = {1, 1 / 3.0F, 1, 1, 1, 1, 1, 1};
    const vkmm_codes good = {
        .rows = 1, .k = 256, .codes = codes + 4, .scales = scales + 2, .scale_type = VKMM_F32, .group = 128, .zero = 8};
    const struct {
        vkmm_format format;
        uint64_t k, group;
        vkmm_type type;
        const uint8_t *codes, *zeros;
        const float *scales;
        uint32_t zero;
        const char *why;
    } rows[] = {
        {VKMM_Q4_K, 256, 128, VKMM_F32, codes + 4, NULL, scales, 8, "q4_K has more than a scale"},
        {VKMM_Q4_Z, 192, 64, VKMM_F32, codes + 4, NULL, scales, 8, "a row has 192 elements; a block of q4_z has 128"},
        {VKMM_Q4_Z, 128, 48, VKMM_F32, codes + 4, NULL, scales, 8,
         "a group has 48 of a row's 128 elements; q4_z has a scale for 32"},
        {VKMM_FP8_E4M3, 128, 64, VKMM_F32, codes + 4, NULL, scales, 0, "fp8_e4m3 has a scale for 128"},
        {VKMM_Q4_Z, 128, 32, VKMM_U8, codes + 4, NULL, scales, 8, "scales of q4_z are f32, f16 or bf16"},
        {VKMM_MXFP4, 128, 32, VKMM_F32, codes + 4, NULL, scales, 0, "scales of mxfp4 are u8"},
        {VKMM_Q4_0, 128, 64, VKMM_F32, codes + 4, zeros, scales, 0, "blocks with zero points are q4_z and q8_z"},
        {VKMM_Q4_0, 128, 64, VKMM_F32, codes + 4, NULL, scales, 7, "the zero point is 7"},
        {VKMM_MXFP4, 128, 32, VKMM_U8, codes + 4, NULL, scales, 8, "codes are floats"},
        {VKMM_Q4_Z, 128, 32, VKMM_F32, codes + 4, NULL, scales, 256, "the zero point is 256; it has a byte"},
        {VKMM_Q4_Z, 128, 32, VKMM_F32, codes, NULL, scales, 8, "code 3 is 16; 4 bits are 0 to 15"},
        {VKMM_Q4_0, 128, 32, VKMM_F32, codes, NULL, scales, 0, "code 3 is 16; 4 bits are -8 to 7"},
        {VKMM_Q4_0, 128, 32, VKMM_F32, codes + 4, NULL, scales, 8, "scale 1 is 0.333333343, no f16, as q4_0 has them"},
    };
    assert_ok(vkmm_blocks_join(VKMM_Q4_Z, &good, blocks));
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        vkmm_codes c = good;
        c.k = rows[n].k, c.group = rows[n].group, c.scale_type = rows[n].type, c.codes = rows[n].codes;
        c.zeros = rows[n].zeros, c.scales = rows[n].scales, c.zero = rows[n].zero;
        assert_refused(vkmm_blocks_join(rows[n].format, &c, blocks), VKMM_INVALID, rows[n].why);
    }
    assert_int_equal(vkmm_blocks_join(VKMM_FORMAT_COUNT, &good, blocks), VKMM_INVALID);
    assert_int_equal(vkmm_blocks_join(VKMM_Q4_Z, NULL, blocks), VKMM_INVALID);
}

static void refuse(vkmm_problem p, const char *why)
{
    assert_refused(vkmm_problem_check(&p), VKMM_INVALID, why);
}

TEST(refuses_what_is_not_whole)
{
    const vkmm_problem good = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR).params.problem;
    vkmm_problem p = good;
    assert_ok(vkmm_problem_check(&p));
    assert_int_equal(vkmm_operand_bytes(&p, VKMM_B), (1 + BLOCKS_LONG * (BLOCKS_DEPTH / 32 + 1) - 1) * 18);
    p.k = 500, refuse(p, "K of B is 500; a block of q4_0 has 32 elements");
    p = good, p.ldb = 520, refuse(p, "the leading dimension of B is 520");
    p = good, p.offset_b = 16, refuse(p, "the offset of B is 16");
    p = good, p.batch_count = 2, p.stride_b = 40000, p.stride_c = 1000;
    assert_ok(vkmm_problem_check(&p));
    p.stride_b = 40001, refuse(p, "the stride of B is 40001");
    p = good, p.op_b = VKMM_OP_N, refuse(p, "op_b must be T");
    p = good, p.type = VKMM_I8, refuse(p, "multiplied as f32, f16 or bf16");
    p = good, p.compute = VKMM_F16, refuse(p, "summed in f32");
    p = good, p.format_a = VKMM_FORMAT_COUNT, refuse(p, "format 17 of matrix A is unknown");
}
