/* Matrices in blocks (vkmm_format): products by kernels that read blocks, and by those before which a step
 * unpacks them. */
#include <stdio.h>

#include "block_case.h"
#include "gemm.h"
#include "gemm/gemm.h"
#include "job/job.h"
#include "kernel/table.h"
#include "look/kernel.h"
#include "math/half.h"
#include "math/problem.h"
#include "math/type.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"

static suite_device suite;

/* The host's own functions; and nothing where the count is no multiple. */
static void host_decodes_by_definition(void **state)
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
static void host_encodes_to_the_nearest(void **state)
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
static void host_keeps_what_is_not_finite(void **state)
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

static void host_joins_without_loss(void **state)
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
        assert_int_equal(vkmm_blocks_join(j->format, &c, blocks), VKMM_OK);
        vkmm_blocks_decode(j->format, blocks, JOIN_ROWS * JOIN_K, got);
        for (uint64_t i = 0; i < JOIN_ROWS * JOIN_K; i++) {
            const float want = join_value(j, &c, i / JOIN_K, i % JOIN_K);
            if (isnan(want) ? !isnan(got[i]) : got[i] != want)
                fail_msg("join %zu: element %llu is %g, should be %g", n, (unsigned long long)i, (double)got[i],
                         (double)want);
        }
    }
}

static void host_refuses_to_join(void **state)
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
    assert_int_equal(vkmm_blocks_join(VKMM_Q4_Z, &good, blocks), VKMM_OK);
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        vkmm_codes c = good;
        c.k = rows[n].k, c.group = rows[n].group, c.scale_type = rows[n].type, c.codes = rows[n].codes;
        c.zeros = rows[n].zeros, c.scales = rows[n].scales, c.zero = rows[n].zero;
        assert_int_equal(vkmm_blocks_join(rows[n].format, &c, blocks), VKMM_INVALID);
        if (!strstr(vkmm_last_error(), rows[n].why)) fail_msg("\"%s\" lacks \"%s\"", vkmm_last_error(), rows[n].why);
    }
    assert_int_equal(vkmm_blocks_join(VKMM_FORMAT_COUNT, &good, blocks), VKMM_INVALID);
    assert_int_equal(vkmm_blocks_join(VKMM_Q4_Z, NULL, blocks), VKMM_INVALID);
}

static void check(const blocks_case *c, const char *kernel)
{
    char why[512];
    if (!blocks_case_right(&suite, c, NULL, kernel, why)) fail_msg("%s", why);
}

static void multiplies_every_format(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    static const vkmm_type types[] = {VKMM_F32, VKMM_F16, VKMM_BF16};
    static const uint64_t sides[] = {1, 3, 8, 40};
    static const unsigned lasts[] = {0, 5, 8, 13, 16, 21}; /* of one and three columns or rows, each type */
    static const char tall[] = "rows=4,cols=1,depth=512,thread-long=1,threads=64",
                      wide[] = "rows=1,cols=4,depth=512,thread-long=1,threads=64";
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++)
        for (unsigned n = 0; n < 3 * 2 * 4; n++) {
            const uint64_t side = sides[n % 4];
            const vkmm_operand operand = n / 4 % 2 ? VKMM_A : VKMM_B;
            const int is_last = f > VKMM_NVFP4; /* these have one problem, because they differ in blocks.glsl only */
            if (is_last ? n != lasts[f % 6] : (n + f) % 3) continue;
            blocks_case c = blocks_case_of((vkmm_format)f, operand, types[n / 8], side,
                                           (n + n / 4) % 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR);
            if (is_last && side <= 8) c.params.config = operand == VKMM_A ? tall : wide;
            check(&c, side <= 8 ? "skinny" : NULL);
        }
}

/* Every scale and every code, in f32, and rounded to bf16. */
static void unpacks_every_scale(void **state)
{
    for (uint32_t n = 2 * VKMM_Q8_0; n < 2 * VKMM_FORMAT_COUNT; n++) {
        if (suite_is_slow(&suite) && n != 2 * VKMM_Q4_0) continue;
        if (n / 2 > VKMM_NVFP4 && n % 2 != n / 2 % 2) continue; /* these differ from others in their scales and codes */
        blocks_case c =
            blocks_case_of((vkmm_format)(n / 2), VKMM_B, n % 2 ? VKMM_BF16 : VKMM_F32, BLOCKS_DEPTH, VKMM_ROW_MAJOR);
        c.scaled = 1;
        if (suite_is_slow(&suite)) c.params.kernel = "blocked";
        check(&c, NULL);
    }
}

/* Every scale and code; then steps of which the first is not whole, in two parts of K, and of half of what lies between
 * each other's. */
static void matrix_operations_unpack(void **state)
{
    static const struct {
        vkmm_format format;
        vkmm_operand operand;
        vkmm_type type;
        uint32_t scaled;
        const char *config;
    } cases[] = {
        {VKMM_Q8_0, VKMM_B, VKMM_F16, 1, "depth=32"},
        {VKMM_Q4_0, VKMM_A, VKMM_F16, 1, "depth=64"},
        {VKMM_Q4_0, VKMM_B, VKMM_F16, 0, "depth=64,splits=2"},
        {VKMM_Q4_K, VKMM_B, VKMM_F16, 1, "depth=64"},
        {VKMM_Q4_K, VKMM_A, VKMM_F16, 1, "depth=32"},
        {VKMM_MXFP4, VKMM_A, VKMM_F16, BLOCKS_OF_F16, "depth=64"},
        {VKMM_NVFP4, VKMM_B, VKMM_F16, 1, "depth=64"},
        {VKMM_Q6_K, VKMM_A, VKMM_F16, 0, "depth=128"},
        {VKMM_Q4_Z, VKMM_A, VKMM_F16, 0, "depth=64"},
    };
    unsigned met = 0;
    for (size_t n = 0; n < VKMM_COUNT(cases); n++) {
        blocks_case c = blocks_case_of(cases[n].format, cases[n].operand, cases[n].type,
                                       cases[n].scaled ? BLOCKS_DEPTH : 5, VKMM_ROW_MAJOR);
        char config[80];
        c.params.problem.compute = VKMM_F32;
        if (!vkmm_module_for("coopmat", &c.params.problem, vkmm_device_describe(suite.device), NULL)) continue;
        snprintf(config, sizeof config, "rows=8,cols=8,sub-rows=8,sub-cols=8,%s", cases[n].config);
        c.params.kernel = "coopmat";
        c.params.config = config;
        c.scaled = (int)cases[n].scaled;
        if (cases[n].format == VKMM_Q4_0 && !c.scaled) c.params.problem.k = 7 * 32;
        check(&c, "coopmat");
        met++;
    }
    if (met == 0) skip();
}

/* Scalars, bias, activation, a batch that shares A, K in parts, scattered elements beside blocks. */
static void computes_every_problem(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    blocks_case c = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR);
    vkmm_problem *p = &c.params.problem;
    p->alpha = 2, p->beta = -3, p->has_bias = 1, p->activation = VKMM_RELU, p->out_type = VKMM_F32;
    check(&c, "skinny");
    p->op_a = VKMM_OP_T;
    check(&c, NULL);
    c = blocks_case_of(VKMM_MXFP4, VKMM_A, VKMM_F32, 2, VKMM_ROW_MAJOR);
    c.params.config = "splits=2";
    check(&c, "skinny");
    c.params.config = NULL;
    p->m = 40;
    c.params.kernel = "blocked";
    check(&c, "blocked");
    blocks_case many = blocks_case_of(VKMM_MXFP4, VKMM_B, VKMM_F32, 9, VKMM_ROW_MAJOR);
    p = &many.params.problem;
    p->batch_count = 2, p->stride_b = BLOCKS_LONG * p->ldb, p->stride_c = p->m * p->n;
    check(&many, NULL);
}

static vkmm_binding reserve(vkmm_buffer *buffer, uint64_t bytes)
{
    assert_int_equal(vkmm_buffer_create(suite.device, "a test's matrix", bytes, VKMM_PLACE_DOWNLOAD, buffer), VKMM_OK);
    memset(buffer->mapped, 0, bytes);
    return (vkmm_binding){buffer->handle, 0, bytes};
}

/* Two products of one recording, of different lines of B; blocks are read, unpacked by each, or packed once. */
static void record(const vkmm_gemm_params *params, const blocks_case *c)
{
    const vkmm_problem *p = &params->job.problem, plain = blocks_plain(p);
    vkmm_gemm *gemm = NULL;
    vkmm_buffer buffers[5] = {0};
    VkCommandBuffer command = NULL;
    assert_int_equal(vkmm_gemm_create(suite.device, params, &gemm), VKMM_OK);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const uint64_t lines = BLOCKS_LONG * (BLOCKS_DEPTH + vkmm_format_at(p->format_b)->elements),
                   all = vkmm_operand_elements(p, VKMM_B);
    const uint64_t bytes = vkmm_whole_words(vkmm_operand_span(p, VKMM_B, all + lines));
    vkmm_gemm_product products[2] = {{.m = (uint32_t)p->m, .n = BLOCKS_LONG}, {.m = (uint32_t)p->m, .n = BLOCKS_LONG}};
    vkmm_gemm_bindings how = {.products = products, .product_count = 2};
    how.a = reserve(&buffers[0], vkmm_operand_bytes(p, VKMM_A));
    const vkmm_binding raw = reserve(&buffers[1], bytes);
    how.b = raw;
    how.c = reserve(&buffers[2], 2 * vkmm_operand_bytes(p, VKMM_C));
    how.workspace = reserve(&buffers[3], info->workspace_bytes + 4);
    if (info->workspace_bytes == 0)
        how.product_count = 1; /* validation may report products that run at the same time */
    products[1].offset_b = lines;
    products[1].offset_c = vkmm_operand_elements(p, VKMM_C);
    float *elements = keep_object(calloc(all + lines, sizeof *elements), free),
          *want = keep_object(calloc(2, vkmm_operand_bytes(p, VKMM_C)), free);
    blocks_fill(c, buffers[1].mapped, elements, vkmm_operand_span(p, VKMM_B, all + lines));
    for (uint64_t i = 0; i < p->m * BLOCKS_DEPTH; i++) ((float *)buffers[0].mapped)[i] = (float)(i % 7) - 3;
    gemm_biased(&plain, buffers[0].mapped, elements, NULL, want);
    gemm_biased(&plain, buffers[0].mapped, elements + lines, NULL, (char *)want + vkmm_operand_bytes(p, VKMM_C));
    assert_int_equal(vkmm_command_begin(suite.device, &command), VKMM_OK);
    if (params->job.pack) {
        how.b = reserve(&buffers[4], info->bytes[VKMM_B]);
        how.product_count = 1;
        assert_int_equal(vkmm_gemm_pack(gemm, command, VKMM_B, &raw, &how.b, 0), VKMM_OK);
        vkmm_plan_record_barrier(suite.device, command);
    }
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_OK);
    assert_int_equal(vkmm_gemm_record(gemm, command, &how), VKMM_OK);
    vkmm_command_barrier(suite.device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    assert_int_equal(vkmm_command_finish(suite.device, VKMM_OK, &command), VKMM_OK);
    for (uint64_t i = 0; i < how.product_count * p->m * BLOCKS_LONG; i++)
        if (((float *)buffers[2].mapped)[i] != want[i])
            fail_msg("%s, pack %u: element %llu is %g, should be %g", info->kernel->name, params->job.pack,
                     (unsigned long long)i, (double)((float *)buffers[2].mapped)[i], (double)want[i]);
    how.b.bytes = vkmm_operand_span(p, VKMM_B, BLOCKS_DEPTH); /* too few */
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
    products[1].offset_b = 16;
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
    for (int i = 0; i < 5; i++) vkmm_buffer_destroy(suite.device, &buffers[i]);
    vkmm_gemm_destroy(&gemm);
}

static void records_products(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    const blocks_case few = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F32, 2, VKMM_ROW_MAJOR),
                      many = blocks_case_of(VKMM_MXFP4, VKMM_B, VKMM_F32, 20, VKMM_ROW_MAJOR);
    vkmm_gemm_params params = {.job.problem = few.params.problem};
    vkmm_gemm *gemm;
    record(&params, &few);
    params.job.pack = VKMM_PACK_B;
    record(&params, &few);
    params = (vkmm_gemm_params){.job.problem = many.params.problem, .dynamic = VKMM_DYNAMIC_M};
    record(&params, &many);
    params.dynamic = VKMM_DYNAMIC_N;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
    assert_non_null(strstr(vkmm_last_error(), "unpacks the blocks of B, so that N cannot be dynamic"));
    params = (vkmm_gemm_params){.job.problem = many.params.problem, .offset_step = 16};
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_INVALID);
    assert_non_null(strstr(vkmm_last_error(), "offset_step is 16; the blocks of B have 32 elements"));
}

static void refuse(vkmm_problem p, const char *why)
{
    assert_int_equal(vkmm_problem_check(&p), VKMM_INVALID);
    if (!strstr(vkmm_last_error(), why)) fail_msg("\"%s\" lacks \"%s\"", vkmm_last_error(), why);
}

static void refuses_what_is_not_whole(void **state)
{
    const vkmm_problem good = blocks_case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR).params.problem;
    vkmm_problem p = good;
    assert_int_equal(vkmm_problem_check(&p), VKMM_OK);
    assert_int_equal(vkmm_operand_bytes(&p, VKMM_B), (1 + BLOCKS_LONG * (BLOCKS_DEPTH / 32 + 1) - 1) * 18);
    p.k = 500, refuse(p, "K of B is 500; a block of q4_0 has 32 elements");
    p = good, p.ldb = 520, refuse(p, "the leading dimension of B is 520");
    p = good, p.offset_b = 16, refuse(p, "the offset of B is 16");
    p = good, p.batch_count = 2, p.stride_b = 40000, p.stride_c = 1000;
    assert_int_equal(vkmm_problem_check(&p), VKMM_OK);
    p.stride_b = 40001, refuse(p, "the stride of B is 40001");
    p = good, p.op_b = VKMM_OP_N, refuse(p, "op_b must be T");
    p = good, p.type = VKMM_I8, refuse(p, "multiplied as f32, f16 or bf16");
    p = good, p.compute = VKMM_F16, refuse(p, "summed in f32");
    p = good, p.format_a = VKMM_FORMAT_COUNT, refuse(p, "format 17 of matrix A is unknown");
}

/* 'matrices': the tests of matrix operations alone. */
int main(int argc, char **argv)
{
    const struct CMUnitTest matrices[] = {cmocka_unit_test(matrix_operations_unpack)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_decodes_by_definition),    cmocka_unit_test(host_encodes_to_the_nearest),
        cmocka_unit_test(host_keeps_what_is_not_finite), cmocka_unit_test(host_joins_without_loss),
        cmocka_unit_test(host_refuses_to_join),          cmocka_unit_test(refuses_what_is_not_whole),
        cmocka_unit_test(unpacks_every_scale),           cmocka_unit_test(multiplies_every_format),
        cmocka_unit_test(computes_every_problem),        cmocka_unit_test(records_products),
    };
    const int opened = suite_open(&suite);
    if (opened) return opened;
    if (argc > 1 && strcmp(argv[1], "matrices") == 0)
        return suite_exit(&suite, suite_run(&suite, "blocks by matrix operations", matrices));
    return suite_exit(&suite, suite_run(&suite, "blocks", tests));
}
