/* Products recorded into command buffers of this program (vkmatmul_vulkan.h): what changes between recordings of one
 * gemm, and what a recording may be given. Small whole numbers, so that every sum is exact; the reference is
 * tests/unit/gemm.h. Every byte of C's memory is compared, guard bands included. */
#include "gemm.h"
#include "base/random.h"
#include "exec/gemm.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"

enum { M = 37, N = 29, K = 41, GUARD = 256, MOST_PRODUCTS = 8 };

static suite_device suite;
static int validated;

static int is_unsigned(vkmm_type type)
{
    return type == VKMM_U32 || type == VKMM_U8;
}

static double number(vkmm_type type, uint64_t at, unsigned spread)
{
    return (double)(at * 7 % spread) - (is_unsigned(type) ? 0 : spread / 2);
}

/* ---- Memory ---- */

typedef struct memory {
    vkmm_buffer buffers[6]; /* by vkmm_operand, then the workspace and the scalars */
    uint64_t bytes[6];      /* between the guards */
    char *want;             /* all of C's buffer */
} memory;

enum { WORKSPACE = 4, SCALARS = 5 };

static void release(void *object)
{
    memory *m = object;
    for (int i = 0; i < 6; i++) vkmm_buffer_destroy(suite.device, &m->buffers[i]);
    free(m->want);
    free(m);
}

static void *data_of(const memory *m, int which)
{
    return (char *)m->buffers[which].mapped + GUARD;
}

/* All ones, which is a NaN for floats. */
static void reserve(memory *m, int which, uint64_t bytes)
{
    if (bytes > m->bytes[which]) {
        vkmm_buffer_destroy(suite.device, &m->buffers[which]);
        assert_int_equal(vkmm_buffer_create(suite.device, "a test's matrix", bytes + 2 * GUARD, VKMM_PLACE_DOWNLOAD,
                                            &m->buffers[which]),
                         VKMM_OK);
    }
    m->bytes[which] = bytes;
    if (bytes) memset(m->buffers[which].mapped, 0xff, (size_t)m->buffers[which].bytes);
}

/* With the guard behind it: a driver that clips accesses must not hide them. */
static vkmm_binding binding_of(const memory *m, int which)
{
    return (vkmm_binding){m->buffers[which].handle, GUARD, m->bytes[which] ? m->bytes[which] + GUARD : 0};
}

/* ---- One recording ---- */

static vkmm_problem product_of(const vkmm_gemm_params *params, const vkmm_gemm_bindings *how, uint32_t index)
{
    vkmm_problem p = params->problem;
    p.lda = vkmm_operand_ld(&params->problem, VKMM_A);
    p.ldb = vkmm_operand_ld(&params->problem, VKMM_B);
    p.ldc = vkmm_operand_ld(&params->problem, VKMM_C);
    if (how->alpha) p.alpha = *how->alpha;
    if (how->beta) p.beta = *how->beta;
    if (!how->products) return p;
    if (params->dynamic & VKMM_DYNAMIC_M) p.m = how->products[index].m;
    if (params->dynamic & VKMM_DYNAMIC_N) p.n = how->products[index].n;
    p.offset_a += how->products[index].offset_a;
    p.offset_b += how->products[index].offset_b;
    p.offset_c += how->products[index].offset_c;
    return p;
}

static uint32_t products_of(const vkmm_gemm_bindings *how)
{
    return how->products ? how->product_count : 1;
}

static void fill(memory *m, const vkmm_problem *p, vkmm_operand operand)
{
    const uint64_t rows[] = {p->m, p->k, p->m}, cols[] = {p->k, p->n, p->n};
    const vkmm_type type = operand == VKMM_C ? gemm_out(p) : p->type;
    for (uint64_t x = 0; x < gemm_batches(p); x++)
        for (uint64_t i = 0; i < rows[operand]; i++)
            for (uint64_t j = 0; j < cols[operand]; j++) {
                const uint64_t at = gemm_index(p, operand, x, i, j);
                gemm_set(type, data_of(m, operand), at,
                         number(type, at + 3 * i, operand == VKMM_C ? 9 : 5 + (unsigned)operand * 2));
            }
}

static void prepare(memory *m, const vkmm_gemm *gemm, const vkmm_gemm_params *params, const vkmm_gemm_bindings *how)
{
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const vkmm_type out = gemm_out(&params->problem);
    uint64_t bytes[4] = {0};
    for (uint32_t i = 0; i < products_of(how); i++) {
        const vkmm_problem p = product_of(params, how, i);
        for (int o = VKMM_A; o <= VKMM_C; o++) {
            const uint64_t size = vkmm_type_of(o == VKMM_C ? out : p.type)->bytes;
            const uint64_t need = (gemm_elements(&p, (vkmm_operand)o) * size + 3) / 4 * 4;
            if (need > bytes[o]) bytes[o] = need;
        }
    }
    bytes[VKMM_BIAS] = params->problem.has_bias ? info->bytes[VKMM_BIAS] : 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) reserve(m, o, bytes[o]);
    reserve(m, WORKSPACE, info->workspace_bytes);
    reserve(m, SCALARS, 2 * info->scalar_bytes);
    for (uint32_t i = 0; i < products_of(how); i++) {
        const vkmm_problem p = product_of(params, how, i);
        if (p.alpha != 0) fill(m, &p, VKMM_A), fill(m, &p, VKMM_B);
        if (p.beta != 0) fill(m, &p, VKMM_C);
    }
    for (uint64_t j = 0; j < params->problem.n && params->problem.has_bias; j++)
        gemm_set(out, data_of(m, VKMM_BIAS), j, number(out, j, 11));
    if (!info->scalar_bytes) return;
    const vkmm_problem p = product_of(params, how, 0);
    const vkmm_type scale = info->scalar_bytes == 8 ? VKMM_F64 : vkmm_type_of(p.type)->is_float ? VKMM_F32 : VKMM_I32;
    gemm_set(scale, data_of(m, SCALARS), 0, p.alpha);
    gemm_set(scale, data_of(m, SCALARS), 1, p.beta);
}

static vkmm_gemm_bindings bind(const memory *m, const vkmm_gemm_bindings *how)
{
    vkmm_gemm_bindings b = *how;
    b.a = binding_of(m, VKMM_A);
    b.b = binding_of(m, VKMM_B);
    b.c = binding_of(m, VKMM_C);
    b.bias = binding_of(m, VKMM_BIAS);
    b.workspace = binding_of(m, WORKSPACE);
    b.scalars = binding_of(m, SCALARS);
    return b;
}

static void run(const vkmm_gemm *gemm, const vkmm_gemm_bindings *b)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(suite.device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_record(gemm, command, b);
    if (status == VKMM_OK) vkmm_command_barrier_all(suite.device, command);
    status = vkmm_command_finish(suite.device, status, &command);
    assert_int_equal(status, VKMM_OK);
}

/* Numbers by value, the rest by bits: 0 is -0, but a NaN between the rows must stay the same one. */
static void compare(const vkmm_problem *p, const memory *m)
{
    const vkmm_type type = gemm_out(p);
    const uint64_t size = vkmm_type_of(type)->bytes;
    const char *got = m->buffers[VKMM_C].mapped, *want = m->want;
    for (uint64_t at = 0; at < (m->bytes[VKMM_C] + 2 * GUARD) / size; at++) {
        if (memcmp(got + at * size, want + at * size, size) == 0) continue;
        const double g = gemm_get(type, got, at), w = gemm_get(type, want, at);
        if (!(g == w))
            fail_msg("element %lld of C's memory is %g, should be %g", (long long)at - (long long)(GUARD / size), g, w);
    }
}

static void check_recording(const vkmm_gemm *gemm, const vkmm_gemm_params *params, const vkmm_gemm_bindings *how,
                            memory *m)
{
    prepare(m, gemm, params, how);
    const size_t bytes = (size_t)m->bytes[VKMM_C] + 2 * GUARD;
    if (m->bytes[VKMM_C]) {
        m->want = realloc(m->want, bytes);
        memcpy(m->want, m->buffers[VKMM_C].mapped, bytes);
        for (uint32_t i = 0; i < products_of(how); i++) {
            const vkmm_problem p = product_of(params, how, i);
            gemm_biased(&p, data_of(m, VKMM_A), data_of(m, VKMM_B), p.has_bias ? data_of(m, VKMM_BIAS) : NULL,
                        m->want + GUARD);
        }
    }
    vkmm_gemm_bindings b = bind(m, how);
    if (vkmm_gemm_describe(gemm)->scalar_bytes) b.alpha = b.beta = NULL;
    run(gemm, &b);
    if (m->bytes[VKMM_C]) compare(&params->problem, m);
}

/* ---- All recordings of one gemm ---- */

static vkmm_gemm *make(const vkmm_gemm_params *params)
{
    vkmm_gemm *gemm = NULL;
    assert_int_equal(vkmm_gemm_create(suite.device, params, &gemm), VKMM_OK);
    return gemm;
}

/* Products side by side in C, each smaller than the one before where extents are dynamic; one of them is empty. A is
 * read from one place, then from further and further on. */
static uint32_t side_by_side(const vkmm_gemm_params *params, vkmm_gemm_product products[MOST_PRODUCTS])
{
    const uint64_t sizes[] = {vkmm_type_of(params->problem.type)->bytes,
                              vkmm_type_of(gemm_out(&params->problem))->bytes};
    const uint64_t step_in = params->offset_step ? params->offset_step : 16 / sizes[0],
                   step_out = params->offset_step ? params->offset_step : 16 / sizes[1];
    uint64_t end = 0;
    for (uint32_t i = 0; i < 4; i++) {
        products[i] = (vkmm_gemm_product){.m = (uint32_t)(params->problem.m * (3 - i) / 3),
                                          .n = (uint32_t)(params->problem.n * (4 - i) / 4),
                                          .offset_a = i * step_in,
                                          .offset_b = (3 - i) * step_in};
        while (end % step_out != 0 || end * sizes[1] % 4 != 0) end++;
        products[i].offset_c = end;
        const vkmm_gemm_bindings how = {.products = products, .product_count = 4};
        const vkmm_problem p = product_of(params, &how, i);
        end = p.m && p.n ? gemm_elements(&p, VKMM_C) - params->problem.offset_c : end;
    }
    return 4;
}

static void check(const vkmm_gemm_params *params)
{
    static const double two = 2, three = 3, none = 0, one = 1;
    vkmm_gemm *gemm = make(params);
    memory *m = keep_object(calloc(1, sizeof(memory)), release);
    vkmm_gemm_product products[MOST_PRODUCTS] = {{(uint32_t)params->problem.m / 2, (uint32_t)params->problem.n / 3}};
    const vkmm_gemm_bindings recordings[] = {
        {.products = NULL},
        {.alpha = &two, .beta = &three},
        {.alpha = &none, .beta = &one},
        {.products = products, .product_count = 1, .beta = &two},
    };
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        check_recording(gemm, params, &recordings[i], m);
    /* Synchronization validation sees that they all write C, not that they write different elements of it. */
    if (!validated || vkmm_gemm_describe(gemm)->workspace_bytes) {
        const vkmm_gemm_bindings several = {
            .products = products, .product_count = side_by_side(params, products), .alpha = &three};
        check_recording(gemm, params, &several, m);
    }
    vkmm_gemm_destroy(&gemm);
}

/* ---- Tests ---- */

static vkmm_gemm_params random_params(vkmm_types types, uint64_t seed)
{
    uint64_t bits = vkmm_random_bits(seed, 1);
    const uint64_t more = (bits >> 25 & 3) == 0 ? 1 : 0; /* 40, 32, 48: rows of whole vectors */
    const uint64_t m = (bits >> 15 & 3) == 0 ? 1 + (bits >> 17) % 8 : M + 3 * more,
                   n = (bits >> 20 & 3) == 0 ? 1 + (bits >> 22) % 8 : N + 3 * more;
    vkmm_gemm_params params = {.problem = gemm_way((unsigned)(bits % GEMM_WAYS), m, n, K + 7 * more, types.in)};
    vkmm_problem *p = &params.problem;
    p->out_type = types.out;
    p->compute = types.compute;
    bits /= GEMM_WAYS;
    params.dynamic = (uint32_t)(bits >> 1 & 3);
    params.scalars_in_memory = (bits >> 3 & 3) == 0;
    params.offset_step = (uint32_t[]){0, 1, 2, 4}[bits >> 5 & 3];
    p->has_bias = (int)(bits >> 7 & 1);
    p->activation = bits >> 8 & 1 ? VKMM_RELU : VKMM_ACTIVATION_NONE;
    params.config = (bits >> 9 & 3) == 0 ? "splits=3" : NULL;
    return params;
}

static void records_products_of_every_type(void **state)
{
    (void)state;
    for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++)
        for (uint64_t seed = validated ? 0 : 2; seed < (validated ? 2 : 5); seed++) {
            const vkmm_types types = *vkmm_types_at(i);
            if (!suite_has_type(&suite, types.in)) continue;
            const vkmm_gemm_params params = random_params(types, 100 * i + seed);
            check(&params);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_products_of_every_type),
    };
    int failed = 0;
    for (int round = 0; round < 2; round++) {
        if (round == 1) setenv("VKMM_TEST_UNVALIDATED", "1", 1);
        validated = getenv("VKMM_TEST_UNVALIDATED") == NULL;
        int absent = suite_open(&suite);
        if (absent) return absent;
        failed += suite_run(&suite, validated ? "gemm, validated" : "gemm", tests);
        failed += suite_close(&suite) != 0;
    }
    return failed != 0;
}
