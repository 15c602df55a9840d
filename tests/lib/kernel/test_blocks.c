/* Matrices in blocks (vkmm_format): elements by their definition in vkmatmul.h, written once more here; products by
 * kernels that read blocks, and by those before which they are unpacked. */
#include "gemm.h"
#include "gemm/gemm.h"
#include "job/job.h"
#include "look/kernel.h"
#include "math/problem.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"

enum { SCALED = 1, LONG = 70, DEPTH = 512, MOST_BLOCK = 144 };

static suite_device suite;

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

static double half_at(const unsigned char *b)
{
    return (double)vkmm_f16_value((uint16_t)(b[0] | b[1] << 8));
}

/* Element i of a block. */
static double element(vkmm_format format, const unsigned char *b, unsigned i)
{
    const unsigned char *six = b + 4;
    const unsigned group = i / 32, low = i / 64 * 32 + i % 32;
    switch (format) {
    case VKMM_Q8_0:
        return half_at(b) * (signed char)b[2 + i];
    case VKMM_Q4_0:
        return half_at(b) * ((i < 16 ? b[2 + i] & 15 : b[2 + i - 16] >> 4) - 8);
    case VKMM_Q4_K: {
        const unsigned s = group < 4 ? six[group] % 64U : six[group + 4] % 16U + six[group - 4] / 64U * 16U,
                       t = group < 4 ? six[group + 4] % 64U : six[group + 4] / 16U + six[group] / 64U * 16U,
                       q = group % 2 ? b[16 + low] >> 4 : b[16 + low] & 15;
        return (double)(float)(half_at(b) * s * q - half_at(b + 2) * t);
    }
    case VKMM_MXFP4:
        return (b[0] == 255 ? (double)NAN : ldexp(1, b[0] - 127)) * e2m1(i < 16 ? b[1 + i] & 15 : b[1 + i - 16] >> 4);
    case VKMM_NVFP4:
        return e4m3(b[i / 16]) * e2m1(i % 16 < 8 ? b[4 + i / 16 * 8 + i % 8] & 15 : b[4 + i / 16 * 8 + i % 8] >> 4);
    default:
        fail();
    }
    return 0;
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 16;
}

static void put_half(unsigned char *b, double value)
{
    const uint16_t bits = vkmm_f16_bits(value);
    b[0] = (unsigned char)bits, b[1] = (unsigned char)(bits >> 8);
}

/* A block of random codes, with scales of every kind that is finite; otherwise of those with which any product here is
 * exact, in bf16 as well. */
static void put_block(vkmm_format format, unsigned char *b, uint32_t *state, int scaled)
{
    const double power = ldexp(1, (int)(next(state) % 3) - 1);
    for (uint32_t i = 0; i < vkmm_format_at(format)->bytes; i++) b[i] = (unsigned char)next(state);
    const double f16 =
        scaled ? (next(state) % 2 ? 1 : -1) * ldexp(1 + next(state) % 1024 / 1024.0, (int)(next(state) % 38) - 24)
               : power;
    if (format == VKMM_Q8_0 || format == VKMM_Q4_0 || format == VKMM_Q4_K) put_half(b, f16);
    if (format == VKMM_Q4_K) put_half(b + 2, scaled ? f16 / 3 : power);
    if (format == VKMM_Q4_K && !scaled) memset(b + 4, 2, 4), memset(b + 8, 1, 4), memset(b + 12, 0x14, 4);
    if (format == VKMM_MXFP4) b[0] = (unsigned char)(scaled ? 4 + next(state) % 240 : 126 + next(state) % 3);
    for (int g = 0; format == VKMM_NVFP4 && g < 4; g++)
        b[g] = (unsigned char)(scaled ? next(state) % 127 | (next(state) & 128) : 0x30 + next(state) % 3 * 8);
}

/* The host's own functions; and nothing where the count is no multiple. */
static void host_decodes_by_definition(void **state)
{
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++) {
        const vkmm_format_info *info = vkmm_format_at(f);
        unsigned char block[MOST_BLOCK];
        float got[256];
        uint32_t seed = f;
        for (int round = 0; round < 400; round++) {
            put_block((vkmm_format)f, block, &seed, SCALED);
            if (f == VKMM_MXFP4 && round < 256) block[0] = (unsigned char)round;
            if (f == VKMM_NVFP4 && round < 256) block[round % 4] = (unsigned char)round;
            vkmm_blocks_decode((vkmm_format)f, block, info->elements, got);
            for (uint32_t i = 0; i < info->elements; i++) {
                const double want = element((vkmm_format)f, block, i);
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
    static const double steps[VKMM_FORMAT_COUNT] = {[VKMM_Q8_0] = 1 / 254.0,
                                                    [VKMM_Q4_0] = 1 / 8.0,
                                                    [VKMM_Q4_K] = 1 / 12.0,
                                                    [VKMM_MXFP4] = 1 / 3.0,
                                                    [VKMM_NVFP4] = 1 / 5.0};
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++) {
        const vkmm_format_info *info = vkmm_format_at(f);
        float from[512], once[512], twice[512];
        unsigned char blocks[MOST_BLOCK * 16];
        uint32_t seed = 7 * f;
        for (int i = 0; i < 512; i++) from[i] = (float)((next(&seed) % 2001 - 1000.0) * ldexp(1, i / 256 * 3)) * 0.01F;
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

/* A problem whose `operand` has blocks, its lines longer than K, with an offset, and its elements as a plain matrix of
 * the problem's type. */
typedef struct blocks_case {
    vkmm_job_params params;
    vkmm_operand operand;
    int scaled;
} blocks_case;

static vkmm_problem plain_of(const vkmm_problem *p)
{
    vkmm_problem plain = *p;
    plain.format_a = plain.format_b = VKMM_PLAIN;
    return plain;
}

static void fill_blocks(const blocks_case *c, unsigned char *blocks, void *plain, uint64_t bytes)
{
    const vkmm_problem *p = &c->params.problem;
    const vkmm_format format = c->operand == VKMM_A ? p->format_a : p->format_b;
    const vkmm_format_info *info = vkmm_format_at(format);
    const uint64_t count = bytes / info->bytes;
    uint32_t seed = 11 * format;
    for (uint64_t x = 0; x < count; x++) {
        put_block(format, blocks + x * info->bytes, &seed, c->scaled);
        for (uint32_t i = 0; i < info->elements; i++)
            gemm_set(p->type, plain, x * info->elements + i, element(format, blocks + x * info->bytes, i));
    }
}

static void check(const blocks_case *c, const char *kernel)
{
    const vkmm_problem *p = &c->params.problem, plain = plain_of(p);
    const vkmm_operand other = c->operand == VKMM_A ? VKMM_B : VKMM_A;
    vkmm_job *job = NULL;
    assert_int_equal(vkmm_job_create(suite.device, NULL, &c->params, &job), VKMM_OK);
    keep_job(job);
    if (kernel) assert_string_equal(vkmm_job_kernel(job)->name, kernel);
    void *elements = keep_object(malloc(vkmm_operand_bytes(&plain, c->operand)), free),
         *want = keep_object(malloc(vkmm_operand_bytes(p, VKMM_C)), free);
    const void *pair[2];
    fill_blocks(c, vkmm_job_matrix(job, c->operand), elements, vkmm_operand_bytes(p, c->operand));
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
    assert_int_equal(vkmm_job_run(job), VKMM_OK);
    for (uint64_t i = 0; i < vkmm_operand_elements(p, VKMM_C); i++) {
        const double g = gemm_get(gemm_out(p), vkmm_job_matrix(job, VKMM_C), i), w = gemm_get(gemm_out(p), want, i);
        if (g != w)
            fail_msg("%s as %s, %llux%llu, %s: element %llu is %.9g, should be %.9g",
                     vkmm_format_at(p->format_a + p->format_b)->name, vkmm_type_of(p->type)->name,
                     (unsigned long long)p->m, (unsigned long long)p->n, vkmm_job_kernel(job)->name,
                     (unsigned long long)i, g, w);
    }
    int64_t damage = 0;
    assert_true(vkmm_store_guards_whole(&job->stores[VKMM_C], &damage));
}

/* The blocks lie along the long side: the short one is that of the other operand. */
static blocks_case case_of(vkmm_format format, vkmm_operand operand, vkmm_type type, uint64_t side, vkmm_layout layout)
{
    const uint64_t block = vkmm_format_at(format)->elements, ld = DEPTH + block;
    blocks_case c = {.operand = operand};
    vkmm_problem *p = &c.params.problem;
    *p = VKMM_PROBLEM(.m = side, .n = LONG, .k = DEPTH, .type = type, .layout = layout);
    if (operand == VKMM_A) p->m = LONG, p->n = side;
    if (operand == VKMM_A) p->format_a = format, p->lda = ld, p->offset_a = block;
    if (operand == VKMM_B) p->format_b = format, p->ldb = ld, p->offset_b = block;
    if (operand == VKMM_A) p->op_a = layout == VKMM_COL_MAJOR ? VKMM_OP_T : VKMM_OP_N;
    if (operand == VKMM_B) p->op_b = layout == VKMM_COL_MAJOR ? VKMM_OP_N : VKMM_OP_T;
    return c;
}

static void multiplies_every_format(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    static const vkmm_type types[] = {VKMM_F32, VKMM_F16, VKMM_BF16};
    static const uint64_t sides[] = {1, 3, 8, 40};
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++)
        for (unsigned n = 0; n < 3 * 2 * 4; n++) {
            const uint64_t side = sides[n % 4];
            const vkmm_operand operand = n / 4 % 2 ? VKMM_A : VKMM_B;
            if ((n + f) % 3) continue;
            blocks_case c =
                case_of((vkmm_format)f, operand, types[n / 8], side, (n + n / 4) % 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR);
            check(&c, side <= 8 ? "skinny" : NULL);
        }
}

/* Every scale and every code, in f32: the other operand is the identity. */
static void unpacks_every_scale(void **state)
{
    for (uint32_t f = VKMM_Q8_0; f < VKMM_FORMAT_COUNT; f++) {
        if (suite_is_slow(&suite) && f != VKMM_Q4_0) continue;
        blocks_case c = case_of((vkmm_format)f, VKMM_B, VKMM_F32, DEPTH, VKMM_ROW_MAJOR);
        c.scaled = 1;
        if (suite_is_slow(&suite)) c.params.kernel = "blocked";
        check(&c, NULL);
    }
}

/* Scalars, bias, activation, a batch that shares A, K in parts, scattered elements beside blocks. */
static void computes_every_problem(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    blocks_case c = case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR);
    vkmm_problem *p = &c.params.problem;
    p->alpha = 2, p->beta = -3, p->has_bias = 1, p->activation = VKMM_RELU, p->out_type = VKMM_F32;
    check(&c, "skinny");
    p->op_a = VKMM_OP_T;
    check(&c, NULL);
    c = case_of(VKMM_MXFP4, VKMM_A, VKMM_F32, 2, VKMM_ROW_MAJOR);
    c.params.config = "splits=2";
    check(&c, "skinny");
    c.params.config = NULL;
    p->m = 40;
    c.params.kernel = "blocked";
    check(&c, "blocked");
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
    const vkmm_problem *p = &params->problem, plain = plain_of(p);
    vkmm_gemm *gemm = NULL;
    vkmm_buffer buffers[5] = {0};
    VkCommandBuffer command = NULL;
    assert_int_equal(vkmm_gemm_create(suite.device, params, &gemm), VKMM_OK);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const uint64_t lines = LONG * (DEPTH + vkmm_format_at(p->format_b)->elements),
                   all = vkmm_operand_elements(p, VKMM_B);
    const uint64_t bytes = vkmm_whole_words(vkmm_operand_span(p, VKMM_B, all + lines));
    vkmm_gemm_product products[2] = {{.m = (uint32_t)p->m, .n = LONG}, {.m = (uint32_t)p->m, .n = LONG}};
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
    fill_blocks(c, buffers[1].mapped, elements, vkmm_operand_span(p, VKMM_B, all + lines));
    for (uint64_t i = 0; i < p->m * DEPTH; i++) ((float *)buffers[0].mapped)[i] = (float)(i % 7) - 3;
    gemm_biased(&plain, buffers[0].mapped, elements, NULL, want);
    gemm_biased(&plain, buffers[0].mapped, elements + lines, NULL, (char *)want + vkmm_operand_bytes(p, VKMM_C));
    assert_int_equal(vkmm_command_begin(suite.device, &command), VKMM_OK);
    if (params->pack) {
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
    for (uint64_t i = 0; i < how.product_count * p->m * LONG; i++)
        if (((float *)buffers[2].mapped)[i] != want[i])
            fail_msg("%s, pack %u: element %llu is %g, should be %g", info->kernel->name, params->pack,
                     (unsigned long long)i, (double)((float *)buffers[2].mapped)[i], (double)want[i]);
    how.b.bytes = vkmm_operand_span(p, VKMM_B, DEPTH); /* too few */
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
    products[1].offset_b = 16;
    assert_int_equal(vkmm_gemm_check(gemm, &how), VKMM_INVALID);
    for (int i = 0; i < 5; i++) vkmm_buffer_destroy(suite.device, &buffers[i]);
    vkmm_gemm_destroy(&gemm);
}

static void records_products(void **state)
{
    if (suite_is_slow(&suite)) skip(); /* it compiles them for minutes */
    const blocks_case few = case_of(VKMM_Q4_0, VKMM_B, VKMM_F32, 2, VKMM_ROW_MAJOR),
                      many = case_of(VKMM_MXFP4, VKMM_B, VKMM_F32, 20, VKMM_ROW_MAJOR);
    vkmm_gemm_params params = {.problem = few.params.problem};
    vkmm_gemm *gemm;
    record(&params, &few);
    params.pack = VKMM_PACK_B;
    record(&params, &few);
    params = (vkmm_gemm_params){.problem = many.params.problem, .dynamic = VKMM_DYNAMIC_M};
    record(&params, &many);
    params.dynamic = VKMM_DYNAMIC_N;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
    assert_non_null(strstr(vkmm_last_error(), "unpacks the blocks of B, so that N cannot be dynamic"));
    params = (vkmm_gemm_params){.problem = many.params.problem, .offset_step = 16};
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_INVALID);
    assert_non_null(strstr(vkmm_last_error(), "offset_step is 16; the blocks of B have 32 elements"));
}

static void refuse(vkmm_problem p, const char *why)
{
    assert_int_equal(vkmm_problem_check(&p, NULL), VKMM_INVALID);
    if (!strstr(vkmm_last_error(), why)) fail_msg("\"%s\" lacks \"%s\"", vkmm_last_error(), why);
}

static void refuses_what_is_not_whole(void **state)
{
    const vkmm_problem good = case_of(VKMM_Q4_0, VKMM_B, VKMM_F16, 3, VKMM_ROW_MAJOR).params.problem;
    vkmm_problem p = good;
    assert_int_equal(vkmm_problem_check(&p, NULL), VKMM_OK);
    assert_int_equal(vkmm_operand_bytes(&p, VKMM_B), (1 + LONG * (DEPTH / 32 + 1) - 1) * 18);
    p.k = 500, refuse(p, "K of B is 500; a block of q4_0 has 32 elements");
    p = good, p.ldb = 520, refuse(p, "the leading dimension of B is 520");
    p = good, p.offset_b = 16, refuse(p, "the offset of B is 16");
    p = good, p.batch_count = 2, p.stride_b = 40000, p.stride_c = 1000;
    assert_int_equal(vkmm_problem_check(&p, NULL), VKMM_OK);
    p.stride_b = 40001, refuse(p, "the stride of B is 40001");
    p = good, p.op_b = VKMM_OP_N, refuse(p, "op_b must be T");
    p = good, p.type = VKMM_I8, refuse(p, "multiplied as f32, f16 or bf16");
    p = good, p.compute = VKMM_F16, refuse(p, "summed in f32");
    p = good, p.format_a = VKMM_FORMAT_COUNT, refuse(p, "format 6 of matrix A is unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_decodes_by_definition), cmocka_unit_test(host_encodes_to_the_nearest),
        cmocka_unit_test(refuses_what_is_not_whole),  cmocka_unit_test(unpacks_every_scale),
        cmocka_unit_test(multiplies_every_format),    cmocka_unit_test(computes_every_problem),
        cmocka_unit_test(records_products),
    };
    const int opened = suite_open(&suite);
    if (opened) return opened;
    return suite_exit(&suite, suite_run(&suite, "blocks", tests));
}
