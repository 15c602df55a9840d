/* Products recorded into command buffers of this program (vkmatmul_vulkan.h): what changes between recordings of one
 * gemm, and what a recording may be given. Small whole numbers, so that every sum is exact; the reference is
 * tests/harness/gemm.h. Every byte of C's memory is compared, guard bands included. */
#include "base/random.h"
#include "plan/parts.h"
#include "recorded.h"

enum { M = 37, N = 29, K = 41, MOST_PRODUCTS = 8 };

static suite_device suite;
static int validated;
static int only_split; /* `test_gemm split`: on a device that has matrix operations */

/* VKMM_PACK_A and VKMM_PACK_B: packed by every gemm that may, where the planner would not yet. */
static uint32_t worth_packing;

int __real_vkmm_choose_packs(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);
int __wrap_vkmm_choose_packs(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);

int __wrap_vkmm_choose_packs(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_wish with = *wish;
    if (worth_packing && !(wish->pack & VKMM_PACK_NEVER)) with.pack = worth_packing;
    return __real_vkmm_choose_packs(device, &with, choice);
}

/* ---- One recording ---- */

static vkmm_problem product_of(const vkmm_gemm_params *params, const vkmm_gemm_bindings *how, uint32_t index)
{
    vkmm_problem p = params->job.problem;
    p.lda = vkmm_operand_ld(&params->job.problem, VKMM_A);
    p.ldb = vkmm_operand_ld(&params->job.problem, VKMM_B);
    p.ldc = vkmm_operand_ld(&params->job.problem, VKMM_C);
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

/* OUTLIERS: A's first column is so large that parts of f16 cannot hold the rest of its rows; zeros in B's first row
 * cancel it. SPARSE: sums have too few terms for parts. */
static enum { USUAL, OUTLIERS, SPARSE, KINDS } kind;

static double of_kind(vkmm_operand operand, uint64_t i, uint64_t j, double usual)
{
    if (kind == OUTLIERS && operand == VKMM_A && j == 0) return 0x1p100;
    if (kind == OUTLIERS && operand == VKMM_B && i == 0) return 0;
    return kind == SPARSE && operand == VKMM_A && (i + j) % 16 != 0 ? 0 : usual;
}

static void prepare(recorded *m, const vkmm_gemm *gemm, const vkmm_gemm_params *params, const vkmm_gemm_bindings *how)
{
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const vkmm_type out = gemm_out(&params->job.problem);
    uint64_t bytes[4] = {0};
    for (uint32_t i = 0; i < products_of(how); i++) {
        const vkmm_problem p = product_of(params, how, i);
        for (int o = VKMM_A; o <= VKMM_C; o++) {
            const uint64_t size = vkmm_type_of(o == VKMM_C ? out : p.type)->bytes;
            const uint64_t need = (gemm_elements(&p, (vkmm_operand)o) * size + 3) / 4 * 4;
            if (need > bytes[o]) bytes[o] = need;
        }
    }
    const vkmm_gemm_bindings largest = {.products = NULL};
    const vkmm_problem whole = product_of(params, &largest, 0); /* of packed operands all is packed */
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint64_t need = (gemm_elements(&whole, (vkmm_operand)o) * vkmm_type_of(whole.type)->bytes + 3) / 4 * 4;
        if (params->job.pack & 1u << o && need > bytes[o]) bytes[o] = need;
    }
    bytes[VKMM_BIAS] = params->job.problem.has_bias ? info->bytes[VKMM_BIAS] : 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) recorded_take(m, o, bytes[o]);
    recorded_take(m, WORKSPACE, info->workspace_bytes);
    recorded_take(m, SCALARS, 2 * info->scalar_bytes);
    for (uint32_t i = 0; i < products_of(how); i++) {
        const vkmm_problem p = product_of(params, how, i);
        for (int o = VKMM_A; o <= VKMM_C; o++)
            if ((o == VKMM_C ? p.beta : p.alpha) != 0) gemm_fill(&p, (vkmm_operand)o, recorded_at(m, o), of_kind);
    }
    for (int o = VKMM_A; o <= VKMM_B; o++)
        if (params->job.pack & 1u << o) gemm_fill(&whole, (vkmm_operand)o, recorded_at(m, o), of_kind);
    for (uint64_t j = 0; j < params->job.problem.n && params->job.problem.has_bias; j++)
        gemm_set(out, recorded_at(m, VKMM_BIAS), j, gemm_number(out, j, 11));
    if (!info->scalar_bytes) return;
    const vkmm_problem p = product_of(params, how, 0);
    const vkmm_type scale = info->scalar_bytes == 8 ? VKMM_F64 : vkmm_type_of(p.type)->is_float ? VKMM_F32 : VKMM_I32;
    gemm_set(scale, recorded_at(m, SCALARS), 0, p.alpha);
    gemm_set(scale, recorded_at(m, SCALARS), 1, p.beta);
}

static vkmm_gemm_bindings bind(const recorded *m, const vkmm_gemm_bindings *how)
{
    vkmm_gemm_bindings b = *how;
    b.a = recorded_binding(m, VKMM_A);
    b.b = recorded_binding(m, VKMM_B);
    b.c = recorded_binding(m, VKMM_C);
    b.bias = recorded_binding(m, VKMM_BIAS);
    b.workspace = recorded_binding(m, WORKSPACE);
    b.scalars = recorded_binding(m, SCALARS);
    return b;
}

/* Packs an operand from its memory to a place in what is bound instead of it. */
static void pack(const vkmm_gemm *gemm, const recorded *m, vkmm_operand operand, vkmm_binding from, vkmm_binding to)
{
    recorded_pack(gemm, operand, from, to);
    const char *guard = (const char *)m->buffers[PACKED + operand].mapped;
    for (int i = 0; i < GUARD; i++) assert_int_equal(guard[i], -1);
}

static void pack_all(const vkmm_gemm *gemm, const vkmm_gemm_params *params, recorded *m, vkmm_gemm_bindings *b)
{
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        if (!(params->job.pack & 1u << o)) continue;
        const vkmm_binding to = recorded_take(m, PACKED + o, vkmm_gemm_describe(gemm)->bytes[o]);
        pack(gemm, m, (vkmm_operand)o, recorded_binding(m, o), to);
        *(o == VKMM_A ? &b->a : &b->b) = to;
    }
}

/* What the device decided: parts or residues, or a direct product in their place. Residues hold sparse whole numbers.
 */
static void check_decision(const vkmm_gemm *gemm, const recorded *m)
{
    const int holds = kind == USUAL || (kind == SPARSE && gemm->problem.method == VKMM_COMPUTE_MODULAR);
    const VkDispatchIndirectCommand *groups =
        (const VkDispatchIndirectCommand *)(const void *)((const char *)recorded_at(m, WORKSPACE) +
                                                          gemm->plan.recipe.decisions.at);
    assert_int_equal(groups[VKMM_DISPATCH_FIRST].x > 0, holds);
    assert_int_equal(groups[VKMM_DISPATCH_INSTEAD].x > 0, !holds);
}

static void check_recording(const vkmm_gemm *gemm, const vkmm_gemm_params *params, const vkmm_gemm_bindings *how,
                            recorded *m)
{
    prepare(m, gemm, params, how);
    const int any = recorded_bytes(m, VKMM_C) > 0;
    if (any) {
        recorded_expect(m);
        for (uint32_t i = 0; i < products_of(how); i++) {
            const vkmm_problem p = product_of(params, how, i);
            gemm_biased(&p, recorded_at(m, VKMM_A), recorded_at(m, VKMM_B),
                        p.has_bias ? recorded_at(m, VKMM_BIAS) : NULL, m->want + GUARD);
        }
    }
    vkmm_gemm_bindings b = bind(m, how);
    if (vkmm_gemm_describe(gemm)->scalar_bytes) b.alpha = b.beta = NULL;
    pack_all(gemm, params, m, &b);
    const int decides = params->job.problem.method != VKMM_COMPUTE_DIRECT;
    if (decides)
        memset(recorded_at(m, WORKSPACE), 0x40,
               (size_t)recorded_bytes(m, WORKSPACE)); /* a number of elements, not -1 */
    recorded_run(gemm, &b);
    if (any) recorded_compare(m, gemm_out(&params->job.problem));
    if (decides && product_of(params, how, 0).alpha != 0) check_decision(gemm, m);
}

/* ---- All recordings of one gemm ---- */

static vkmm_gemm *make(const vkmm_gemm_params *params)
{
    return keep_gemm(suite.device, params);
}

/* Products side by side in C, each smaller than the one before where extents are dynamic; one of them is empty. A is
 * read from one place, then from further and further on. */
static uint32_t side_by_side(const vkmm_gemm_params *params, vkmm_gemm_product products[MOST_PRODUCTS])
{
    const uint64_t sizes[] = {vkmm_type_of(params->job.problem.type)->bytes,
                              vkmm_type_of(gemm_out(&params->job.problem))->bytes};
    const uint64_t step_in = params->offset_step ? params->offset_step : 16 / sizes[0],
                   step_out = params->offset_step ? params->offset_step : 16 / sizes[1];
    uint64_t end = 0;
    for (uint32_t i = 0; i < 4; i++) {
        products[i] = (vkmm_gemm_product){.m = (uint32_t)(params->job.problem.m * (3 - i) / 3),
                                          .n = (uint32_t)(params->job.problem.n * (4 - i) / 4),
                                          .offset_a = params->job.pack & VKMM_PACK_A ? 0 : i * step_in,
                                          .offset_b = params->job.pack & VKMM_PACK_B ? 0 : (3 - i) * step_in};
        while (end % step_out != 0 || end * sizes[1] % 4 != 0) end++;
        products[i].offset_c = end;
        const vkmm_gemm_bindings how = {.products = products, .product_count = 4};
        const vkmm_problem p = product_of(params, &how, i);
        end = p.m && p.n ? gemm_elements(&p, VKMM_C) - params->job.problem.offset_c : end;
    }
    return 4;
}

static void check(const vkmm_gemm_params *params)
{
    static const double two = 2, three = 3, none = 0, one = 1;
    vkmm_gemm *gemm = make(params);
    assert_int_equal(vkmm_gemm_describe(gemm)->kernel->packed_bytes > 0,
                     worth_packing > 0 || params->job.problem.method != VKMM_COMPUTE_DIRECT);
    recorded *m = keep_recorded(suite.device);
    vkmm_gemm_product products[MOST_PRODUCTS] = {
        {(uint32_t)params->job.problem.m / 2, (uint32_t)params->job.problem.n / 3}};
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
    release_kept(NULL); /* some tests have hundreds */
}

/* ---- Tests; the first three are repeated without validation ---- */

static vkmm_gemm_params random_params(vkmm_types types, uint64_t seed)
{
    uint64_t bits = vkmm_random_bits(seed, 1);
    const uint64_t more = (bits >> 25 & 3) == 0 ? 1 : 0; /* 40, 32, 48: rows of whole vectors */
    const uint64_t m = (bits >> 15 & 3) == 0 ? 1 + (bits >> 17) % 8 : M + 3 * more,
                   n = (bits >> 20 & 3) == 0 ? 1 + (bits >> 22) % 8 : N + 3 * more;
    vkmm_gemm_params params = {.job.problem = gemm_way((unsigned)(bits % GEMM_WAYS), m, n, K + 7 * more, types.in)};
    vkmm_problem *p = &params.job.problem;
    p->out_type = types.out;
    p->compute = types.compute;
    bits /= GEMM_WAYS;
    params.dynamic = (uint32_t)(bits >> 1 & 3);
    params.scalars_in_memory = (bits >> 3 & 3) == 0;
    params.offset_step = (uint32_t[]){0, 1, 2, 4}[bits >> 5 & 3];
    params.expected_products = (bits >> 27 & 1) ? 3 : 0;
    p->has_bias = (int)(bits >> 7 & 1);
    p->activation = bits >> 8 & 1 ? VKMM_RELU : VKMM_ACTIVATION_NONE;
    params.job.config = (bits >> 9 & 3) == 0 ? "splits=3" : NULL;
    return params;
}

/* Without what is beyond Vulkan 1.1, elements of C that share a word are stored by a second pass. */
TEST(records_products_of_every_type)
{
    vkmm_device_info *info = suite.info;
    const vkmm_device_info whole = *info;
    for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++) {
        const uint64_t seed = validated ? 0 : 1 + i % 2;
        const vkmm_gemm_params params = random_params(*vkmm_types_at(i), 100 * i + seed);
        if (suite_is_slow(&suite) && validated == (int)(i % 2)) continue;
        if (seed == 2)
            info->features.f16 = info->features.i8 = info->features.storage16 = info->features.storage8 =
                info->features.dot8 = 0;
        check(&params);
        *info = whole;
    }
}

/* The largest extents fill whole vectors, and so do the rows in memory; what is recorded does not, or lies elsewhere.
 */
TEST(plans_no_vectors_for_what_may_change)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_F16, VKMM_I8};
    if (validated) skip(); /* would find nothing more */
    for (unsigned i = 0; i < 9; i += suite_is_slow(&suite) ? 4 : 2) {
        const vkmm_gemm_params params = {.job.problem = gemm_way(i % 3 == 1 ? 7 : 0, 64, 64, 32, types[i / 3]),
                                         .job.kernel = "blocked",
                                         .dynamic = (uint32_t[]){VKMM_DYNAMIC_N, VKMM_DYNAMIC_M, 0}[i % 3],
                                         .offset_step = i % 3 == 2};
        check(&params);
    }
}

/* Operands that each recording packs: of each product where it lies. */
TEST(packs_operands_by_itself)
{
    static const vkmm_type types[] = {VKMM_F16, VKMM_I8, VKMM_F32, VKMM_F64, VKMM_BF16, VKMM_U8};
    const uint32_t end = validated ? 4 : suite_is_slow(&suite) ? 6 : 12;
    for (uint32_t i = validated ? 0 : 4; i < end; i++) {
        const vkmm_type type = types[i % 6];
        vkmm_gemm_params params = random_params(vkmm_types_default(type), 2000 + i);
        params.dynamic = params.expected_products = 0;
        if (i % 2 == 0)
            params.job.config = NULL, params.scalars_in_memory = 0; /* perhaps no second pass, with barriers */
        worth_packing = 1 + (i + i / 6 + 1) % 3;
        check(&params);
    }
    worth_packing = 0;
}

/* Packed operands: each element size, either operand or both, with everything else that varies. */
TEST(takes_packed_operands)
{
    static const vkmm_type types[] = {VKMM_F16, VKMM_I8, VKMM_F32, VKMM_F64, VKMM_BF16, VKMM_U8};
    for (uint32_t i = 0; i < (validated ? 4 : 12); i++) {
        const vkmm_type type = types[i % 6];
        vkmm_gemm_params params = random_params(vkmm_types_default(type), 1000 + i);
        params.job.pack = 1 + (i + i / 6 + 1) % 3;
        check(&params);
    }
}

/* The planner's own reasons, on a device with much bandwidth: B is misaligned. */
TEST(packs_where_that_is_faster)
{
    enum { SIDE = 4096 };
    const vkmm_gemm_params by_itself = {.job.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .offset_b = 1)};
    suite.info->type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    suite.info->processors = 132;
    suite.info->memory.device_heap_bytes = UINT64_C(140) << 30;
    for (int i = 0; i < 4; i++) {
        vkmm_gemm_params params = by_itself;
        if (i == 1) params.job.pack = VKMM_PACK_NEVER;
        if (i == 2) params.dynamic = VKMM_DYNAMIC_M;
        if (i == 3) params.job.pack = VKMM_PACK_A;
        vkmm_gemm *gemm = make(&params);
        const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
        const uint64_t want = i == 0 ? SIDE * SIDE * sizeof(float) : 0;
        assert_int_equal(info->kernel->packed_bytes, want);
        assert_true(info->workspace_bytes >= want);
        assert_int_equal(info->bytes[VKMM_B], SIDE * SIDE * sizeof(float) + sizeof(float));
    }
}

/* Two matrices of weights packed next to each other: an offset in a product chooses one. */
TEST(finds_packed_weights_at_an_offset)
{
    enum { WIDTH = 32 }; /* packed, it fills a multiple of every offset alignment */
    const vkmm_gemm_params params = {.job.problem =
                                         VKMM_PROBLEM(.m = M, .n = WIDTH, .k = K, .type = VKMM_F16, .ldc = 2 * WIDTH),
                                     .job.pack = VKMM_PACK_B,
                                     .expected_products = 2,
                                     .offset_step = WIDTH};
    vkmm_gemm *gemm = make(&params);
    recorded *m = keep_recorded(suite.device);
    const uint64_t packed = vkmm_gemm_describe(gemm)->bytes[VKMM_B], weights = K * WIDTH;
    const vkmm_gemm_product products[] = {{.offset_b = 0}, {.offset_b = packed / 2, .offset_c = WIDTH}},
                            unpacked[] = {{.offset_b = 0}, {.offset_b = weights, .offset_c = WIDTH}};
    const vkmm_gemm_bindings how = {.products = unpacked, .product_count = 2};
    prepare(m, gemm, &params, &how);
    recorded_expect(m);
    recorded_take(m, PACKED + VKMM_B, 2 * packed);
    vkmm_gemm_bindings b = bind(m, &how);
    for (uint32_t i = 0; i < 2; i++) {
        const vkmm_problem p = product_of(&params, &how, i);
        gemm_biased(&p, recorded_at(m, VKMM_A), recorded_at(m, VKMM_B), NULL, m->want + GUARD);
        vkmm_gemm_params from = params; /* the second one lies further on */
        from.job.problem.offset_b = i * weights;
        vkmm_gemm *packer = make(&from);
        vkmm_binding to = recorded_binding(m, PACKED + VKMM_B);
        to.offset += i * packed;
        to.bytes -= i * packed;
        assert_int_equal(packed % vkmm_gemm_describe(gemm)->offset_alignment, 0);
        pack(packer, m, VKMM_B, recorded_binding(m, VKMM_B), to);
    }
    b.b = recorded_binding(m, PACKED + VKMM_B);
    b.products = products;
    /* Synchronization validation sees that both write C, not that they write different elements of it. */
    if (!validated) {
        recorded_run(gemm, &b);
        recorded_compare(m, gemm_out(&params.job.problem));
    }
    VkCommandBuffer command = NULL;
    const vkmm_binding from = recorded_binding(m, VKMM_B), to = b.b, less = {to.buffer, to.offset, packed - 4};
    assert_ok(vkmm_command_begin(suite.device, &command));
    assert_int_equal(vkmm_gemm_pack(gemm, command, VKMM_A, &from, &to, 0), VKMM_INVALID); /* is not packed */
    assert_int_equal(vkmm_gemm_pack(gemm, command, VKMM_C, &from, &to, 0), VKMM_INVALID);
    assert_int_equal(vkmm_gemm_pack(gemm, command, VKMM_B, &from, &less, 0), VKMM_INVALID);
    assert_int_equal(vkmm_gemm_pack(gemm, command, VKMM_B, NULL, &to, 0), VKMM_INVALID);
    vkmm_command_free(suite.device, &command);
    b.b.bytes = 2 * packed - 4;
    assert_ok(vkmm_command_begin(suite.device, &command));
    assert_int_equal(vkmm_gemm_record(gemm, command, &b), VKMM_INVALID);
    vkmm_command_free(suite.device, &command);
}

/* Only the first pass of a product without terms, or without rows, can be left out. */
TEST(records_products_without_terms)
{
    static const uint64_t extents[][3] = {{M, N, 0}, {0, N, K}, {M, 0, K}};
    for (int i = 0; i < 3; i++) {
        vkmm_gemm_params params = {
            .job.problem = VKMM_PROBLEM(.m = extents[i][0], .n = extents[i][1], .k = extents[i][2], .beta = 3),
            .dynamic = VKMM_DYNAMIC_M};
        check(&params);
        params.scalars_in_memory = 1;
        params.job.problem.has_bias = 1;
        check(&params);
    }
}

/* α and β on the device, and 0 among them: then neither A and B nor C counts, whatever is there. */
TEST(reads_scalars_on_the_device)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_F16, VKMM_U8};
    static const double scalars[][2] = {{1, 0}, {0, 1}, {3, 2}, {0, 0}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i += suite_is_slow(&suite) ? 2 : 1) {
        const vkmm_gemm_params params = {.job.problem = gemm_way(i % 2 ? 9 : 0, M, N, K, types[i]),
                                         .scalars_in_memory = 1};
        vkmm_gemm *gemm = make(&params);
        recorded *m = keep_recorded(suite.device);
        assert_int_equal(vkmm_gemm_describe(gemm)->scalar_bytes, types[i] == VKMM_F64 ? 8 : 4);
        for (int s = 0; s < 4; s++) {
            const vkmm_gemm_bindings how = {.alpha = &scalars[s][0], .beta = &scalars[s][1]};
            check_recording(gemm, &params, &how, m);
        }
    }
}

/* Parts of f16, or f32 in their place where the device finds that they cannot hold A: both are exact here. */
TEST(records_split_products)
{
    const int is_cpu = suite.info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const char *small = "rows=16,cols=16,depth=32,sub-rows=8,sub-cols=8,splits=1,pad=1";
    vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = 3 * K, .method = VKMM_COMPUTE_SPLIT),
                               .job.kernel = "coopmat",
                               .job.config = is_cpu ? small : NULL};
    vkmm_gemm *gemm = NULL;
    const vkmm_status status = vkmm_gemm_create(suite.device, &params, &gemm);
    if (status == VKMM_UNSUPPORTED && !(only_split && suite_must_have_matrices(&suite))) skip();
    assert_ok(status);
    assert_true(vkmm_gemm_describe(gemm)->workspace_usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    vkmm_gemm_destroy(&gemm);
    for (int turn = 0; turn < 2 * KINDS; turn++) {
        params.job.problem.op_a = turn & 1 ? VKMM_OP_T : VKMM_OP_N;
        params.job.problem.layout = turn & 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
        kind = turn % KINDS;
        check(&params);
    }
    kind = USUAL;
    params.dynamic = VKMM_DYNAMIC_M;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
}

/* Residues, or f64 in their place, in software where the device has none. */
TEST(records_modular_products)
{
    static const unsigned ways[] = {0, 27, 6, 5}; /* with batches at 27 */
    vkmm_gemm_params params = {.offset_step = 1};
    vkmm_gemm *gemm = NULL;
    for (size_t turn = 0; turn < (suite_is_slow(&suite) ? 2 : VKMM_COUNT(ways)); turn++) {
        params.job.problem = gemm_way(ways[turn], M, N, K, VKMM_F64);
        params.job.problem.method = VKMM_COMPUTE_MODULAR;
        params.job.problem.has_bias = turn & 1;
        kind = turn % KINDS;
        check(&params);
    }
    kind = USUAL;
    params.dynamic = VKMM_DYNAMIC_M;
    assert_int_equal(vkmm_gemm_create(suite.device, &params, &gemm), VKMM_UNSUPPORTED);
}

/* What the device decides is what the host would from the same lines: a share of each line is about 1, the rest about
 * 2^-small, or one element is infinite. */
TEST(decides_like_the_host)
{
    enum { DEEP = 400, SIDE = 9 };
    static const struct {
        double share[2];
        int small[2], infinite;
    } cases[] = {{{1, 1}, {0, 0}, 0},         {{.55, .55}, {40, 40}, 0}, {{.52, .52}, {40, 40}, 0},
                 {{.502, .502}, {40, 40}, 0}, {{.5, .5}, {40, 40}, 0},   {{.49, .49}, {40, 5}, 0},
                 {{.55, .36}, {3, 40}, 0},    {{.03, .5}, {9, 13}, 0},   {{.03, .5}, {300, 1}, 0},
                 {{1, 1}, {0, 0}, 1},         {{.1, .1}, {7, 7}, 0},     {{.75, .75}, {40, 40}, 0}};
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = DEEP, .type = VKMM_F64,
                                                                 .method = VKMM_COMPUTE_MODULAR, .op_a = VKMM_OP_N,
                                                                 .op_b = VKMM_OP_T)};
    const vkmm_gemm_bindings how = {.products = NULL};
    vkmm_gemm *gemm = make(&params);
    const uint32_t moduli = vkmm_gemm_describe(gemm)->kernel->moduli;
    recorded *m = keep_recorded(suite.device);
    int fits = 0;
    prepare(m, gemm, &params, &how);
    for (size_t i = 0; i < VKMM_COUNT(cases); i++) {
        for (int o = VKMM_A; o <= VKMM_B; o++)
            for (uint64_t at = 0; at < SIDE * DEEP; at++) {
                const double x = 1 + (double)(vkmm_random_bits(at, (uint64_t)o) >> 11) * 0x1p-60;
                const int is_small = (double)(at % DEEP) >= cases[i].share[o] * DEEP;
                ((double *)recorded_at(m, o))[at] = is_small ? ldexp(x, -cases[i].small[o]) : x;
            }
        if (cases[i].infinite) ((double *)recorded_at(m, VKMM_B))[DEEP + 7] = INFINITY;
        const vkmm_gemm_bindings b = bind(m, &how);
        recorded_run(gemm, &b);
        const char *workspace = recorded_at(m, WORKSPACE);
        const vkmm_recipe *recipe = &gemm->plan.recipe;
        const vkmm_modular_line *lines = (const void *)(workspace + recipe->look.at);
        const VkDispatchIndirectCommand *groups = (const void *)(workspace + recipe->decisions.at);
        const int holds = vkmm_modular_needs(lines, SIDE, lines + SIDE, SIDE) <= moduli;
        assert_int_equal(groups[VKMM_DISPATCH_FIRST].x > 0, holds);
        assert_int_equal(groups[VKMM_DISPATCH_SECOND].x > 0, holds);
        assert_int_equal(groups[VKMM_DISPATCH_INSTEAD].x > 0, !holds);
        fits += holds;
    }
    assert_true(fits > 2 && fits < (int)VKMM_COUNT(cases));
    vkmm_gemm_params asked = params;
    asked.job.moduli = moduli - 1;
    gemm = make(&asked);
    assert_int_equal(vkmm_gemm_describe(gemm)->kernel->moduli, moduli - 1);
}

/* A product of random numbers has the same bits, whether its M and N were known when it was planned or not. */
TEST(dynamic_extents_change_no_bit)
{
    vkmm_gemm_params params = {.job.problem =
                                   VKMM_PROBLEM(.m = 2 * M, .n = 2 * N, .k = K, .lda = K, .ldb = 2 * N, .ldc = 2 * N),
                               .dynamic = VKMM_DYNAMIC_M | VKMM_DYNAMIC_N};
    const vkmm_gemm_product product = {.m = M, .n = N};
    const vkmm_gemm_bindings how = {.products = &product, .product_count = 1};
    recorded *m = keep_recorded(suite.device);
    char config[VKMM_CONFIG_TEXT], kernel[32];
    void *first = NULL;
    size_t bytes = 0;
    for (int fixed = 0; fixed < 2; fixed++) {
        if (fixed) params.job.problem.m = M, params.job.problem.n = N, params.dynamic = 0;
        if (fixed) params.job.kernel = kernel, params.job.config = config;
        vkmm_gemm *gemm = make(&params);
        memcpy(kernel, vkmm_gemm_describe(gemm)->kernel->name, sizeof kernel);
        memcpy(config, vkmm_gemm_describe(gemm)->kernel->config, sizeof config);
        prepare(m, gemm, &params, &how);
        vkmm_fill(recorded_at(m, VKMM_A), M, K, VKMM_F32, VKMM_INIT_UNIFORM, 1);
        vkmm_fill(recorded_at(m, VKMM_B), 1, recorded_bytes(m, VKMM_B) / 4, VKMM_F32, VKMM_INIT_UNIFORM, 2);
        const vkmm_gemm_bindings b = bind(m, &how);
        recorded_run(gemm, &b);
        if (!first) bytes = (size_t)recorded_bytes(m, VKMM_C), first = keep_object(malloc(bytes), free);
        assert_int_equal(recorded_bytes(m, VKMM_C), bytes);
        if (fixed) assert_memory_equal(first, recorded_at(m, VKMM_C), bytes);
        memcpy(first, recorded_at(m, VKMM_C), bytes);
    }
}

/* One gemm in one command buffer a thousand times, each with its own bindings. */
TEST(records_a_thousand_products)
{
    enum { SIDE = 8, COUNT = 1000 };
    const uint64_t alignment = suite.info->limits.offset_alignment,
                   step = (SIDE * SIDE * sizeof(float) + alignment - 1) / alignment * alignment;
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE), .slots = COUNT};
    vkmm_gemm *gemm = make(&params);
    recorded *m = keep_recorded(suite.device);
    for (int o = VKMM_A; o <= VKMM_C; o++) recorded_take(m, o, COUNT * step);
    float *a = recorded_at(m, VKMM_A), *b = recorded_at(m, VKMM_B), *c = recorded_at(m, VKMM_C);
    VkCommandBuffer command = NULL;
    assert_ok(vkmm_command_begin(suite.device, &command));
    for (uint32_t i = 0; i < COUNT; i++) {
        vkmm_gemm_bindings bindings = {.slot = i};
        vkmm_binding *const parts[] = {&bindings.a, &bindings.b, &bindings.c};
        for (int o = VKMM_A; o <= VKMM_C; o++)
            *parts[o] = (vkmm_binding){m->buffers[o].handle, GUARD + i * step, SIDE * SIDE * sizeof(float)};
        for (int at = 0; at < SIDE * SIDE; at++) {
            a[i * step / 4 + at] = (float)(i % 50);
            b[i * step / 4 + at] = (float)(at % SIDE);
        }
        assert_ok(vkmm_gemm_record(gemm, command, &bindings));
    }
    vkmm_command_barrier_all(suite.device, command);
    assert_ok(vkmm_command_finish(suite.device, VKMM_OK, &command));
    for (uint32_t i = 0; i < COUNT; i++)
        for (int at = 0; at < SIDE * SIDE; at++)
            assert_true(c[i * step / 4 + at] == (float)(SIDE * (i % 50) * (at % SIDE)));
}

/* A device with many processors: one small product needs all of them, many small ones share them. */
TEST(plans_for_as_many_products_as_are_expected)
{
    vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 4096)};
    uint64_t workspace = 0;
    suite.info->type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    suite.info->processors = 132;
    vkmm_gemm *gemm = make(&params);
    assert_true(vkmm_gemm_describe(gemm)->kernel->splits > 1);
    params.expected_products = 1000;
    for (params.job.pack = 0; params.job.pack <= VKMM_PACK_B; params.job.pack += VKMM_PACK_B) {
        gemm = make(&params);
        assert_int_equal(vkmm_gemm_describe(gemm)->kernel->splits, 1);
        assert_int_equal(vkmm_gemm_describe(gemm)->workspace_bytes, 0);
    }
    params.job.pack = 0;
    params.job.config = "splits=2"; /* what is needed is that of one product all the same */
    for (int many = 0; many < 2; many++) {
        params.expected_products = many ? UINT32_MAX : 0;
        gemm = make(&params);
        const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
        if (many) assert_int_equal(info->workspace_bytes, workspace);
        workspace = info->workspace_bytes;
        assert_int_equal(workspace, 2 * 64 * 64 * 4);
        assert_true(info->kernel->items >= 2 && info->kernel->groups[0] == info->kernel->items);
    }
}

TEST(describes_what_it_needs)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = M, .n = N, .k = K), scaled = VKMM_PROBLEM(.m = 1, .n = 1, .beta = 1),
                       bytes = VKMM_PROBLEM(.m = 3, .n = 3, .k = 3, .type = VKMM_I8, .offset_a = 2, .has_bias = 1);
    vkmm_gemm_params params = {.job.problem = plain};
    vkmm_gemm *gemm = make(&params);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    assert_int_equal(info->bytes[VKMM_A], M * K * 4);
    assert_int_equal(info->bytes[VKMM_B], K * N * 4);
    assert_int_equal(info->bytes[VKMM_C], M * N * 4);
    assert_int_equal(info->bytes[VKMM_BIAS], 0);
    assert_int_equal(info->workspace_bytes, 0);
    assert_int_equal(info->scalar_bytes, 0);
    assert_int_equal(info->offset_alignment, suite.info->limits.offset_alignment);
    assert_int_equal(info->uses_slots, !suite.device->has_push_descriptors);
    assert_true(info->kernel->items > 0 && info->compile_ms > 0);
    assert_false(info->reads_c);
    params = (vkmm_gemm_params){.job.problem = bytes, .job.config = "splits=2", .scalars_in_memory = 1};
    gemm = make(&params);
    info = vkmm_gemm_describe(gemm);
    assert_int_equal(info->bytes[VKMM_A], 12); /* 11 elements */
    assert_int_equal(info->bytes[VKMM_BIAS], 12);
    assert_true(info->workspace_bytes >= 36 && info->scalar_bytes == 4 && info->reads_c);
    params = (vkmm_gemm_params){.job.problem = scaled};
    gemm = make(&params);
    assert_true(vkmm_gemm_describe(gemm)->reads_c);
}

TEST(refuses_what_cannot_be_recorded)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = M, .n = N, .k = K);
    const struct {
        vkmm_gemm_params params;
        vkmm_status status;
    } cases[] = {
        {{.job.problem = plain, .job.kernel = "tiled"}, VKMM_UNSUPPORTED},
        {{.job.problem = plain, .job.kernel = "serial"}, VKMM_UNSUPPORTED},
        {{.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
          .scalars_in_memory = 1},
         VKMM_UNSUPPORTED},
        {{.job.problem = plain, .job.tile_cols = 16}, VKMM_UNSUPPORTED},
        {{.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
          .job.moduli = 12},
         VKMM_INVALID},
        {{.job.problem = plain, .job.reserved = {0, 1}}, VKMM_INVALID},
        {{.job.problem = plain, .job.kernel = "fastest"}, VKMM_INVALID},
        {{.job.problem = plain, .job.config = "rows=sixteen"}, VKMM_INVALID},
        {{.job.problem = plain, .dynamic = 4}, VKMM_INVALID},
        {{.job.problem = plain, .slots = 1u << 20}, VKMM_INVALID},
        {{.job.problem = {0}}, VKMM_INVALID},
    };
    vkmm_gemm *gemm = (vkmm_gemm *)&suite;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(vkmm_gemm_create(suite.device, &cases[i].params, &gemm), cases[i].status);
        assert_null(gemm);
    }
    assert_int_equal(vkmm_gemm_create(NULL, &cases[0].params, &gemm), VKMM_INVALID);
    assert_int_equal(vkmm_gemm_create(suite.device, NULL, &gemm), VKMM_INVALID);
    assert_int_equal(vkmm_gemm_create(suite.device, &cases[0].params, NULL), VKMM_INVALID);
}

static vkmm_status try_to_record(const vkmm_gemm *gemm, const vkmm_gemm_bindings *bindings)
{
    VkCommandBuffer command = NULL;
    assert_ok(vkmm_command_begin(suite.device, &command));
    const vkmm_status status = vkmm_gemm_record(gemm, command, bindings);
    vkmm_command_free(suite.device, &command);
    return status;
}

TEST(shows_the_devices_objects)
{
    vkmm_handles handles;
    assert_ok(vkmm_device_handles(suite.device, &handles));
    assert_ptr_equal(handles.device, suite.device->handle);
    assert_ptr_equal(handles.physical_device, suite.device->physical->handle);
    PFN_vkGetDeviceProcAddr lookup =
        (PFN_vkGetDeviceProcAddr)handles.get_instance_proc_addr(handles.instance, "vkGetDeviceProcAddr");
    PFN_vkGetDeviceQueue get = (PFN_vkGetDeviceQueue)lookup(handles.device, "vkGetDeviceQueue");
    VkQueue queue;
    get(handles.device, handles.queue_family, 0, &queue);
    assert_ptr_equal(handles.queue, queue);
}

/* Each of them in turn breaks one rule; what it was before breaks none. */
TEST(refuses_wrong_bindings)
{
    static const double half = 0.5;
    vkmm_gemm_product product = {.m = 5, .n = N, .offset_a = 16};
    const vkmm_gemm_params params = {
        .job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_I8, .has_bias = 1, .lda = K + 7),
        .job.kernel = "blocked", /* its steps are short enough that K has two parts, and so there is a workspace */
        .job.config = "splits=2",
        .dynamic = VKMM_DYNAMIC_M,
        .slots = 2};
    const vkmm_gemm_bindings how = {.products = &product, .product_count = 1};
    vkmm_gemm *gemm = make(&params);
    recorded *m = keep_recorded(suite.device);
    prepare(m, gemm, &params, &how);
    vkmm_gemm_bindings b = bind(m, &how);
    const vkmm_gemm_bindings right = b;
    assert_ok(try_to_record(gemm, &b));
    assert_int_equal(try_to_record(NULL, &b), VKMM_INVALID);
    assert_int_equal(try_to_record(gemm, NULL), VKMM_INVALID);
    assert_int_equal(vkmm_gemm_record(gemm, NULL, &b), VKMM_INVALID);
#define REFUSES(change, says)                                          \
    do {                                                               \
        change;                                                        \
        assert_int_equal(try_to_record(gemm, &b), VKMM_INVALID);       \
        assert_refused(vkmm_gemm_check(gemm, &b), VKMM_INVALID, says); \
        b = right;                                                     \
        product = whole;                                               \
    } while (0)
    const vkmm_gemm_product whole = product;
    vkmm_binding *const parts[] = {&b.a, &b.b, &b.c, &b.bias, &b.workspace};
    assert_ok(vkmm_gemm_check(gemm, &b));
    for (int i = 0; i < 5; i++) {
        REFUSES(parts[i]->buffer = VK_NULL_HANDLE, "has no buffer");
        REFUSES(parts[i]->offset += 1, "minStorageBufferOffsetAlignment");
        REFUSES(parts[i]->bytes = 4, "has 4 bytes; this recording needs ");
        REFUSES(parts[i]->bytes = (uint64_t)suite.info->limits.max_storage_range + 4, "maxStorageBufferRange");
    }
    REFUSES(b.a.bytes += 1, "A has ");
    REFUSES(b.alpha = &half, "alpha must be a whole number");
    REFUSES(b.beta = &half, "beta must be a whole number");
    if (vkmm_gemm_describe(gemm)->uses_slots) REFUSES(b.slot = 2, "slot is 2; the gemm has 2");
    REFUSES(product.m = M + 1, "m of a product is 38; the gemm was created for at most 37");
    REFUSES(product.offset_a = 8, "offset_a of a product is 8; it must be a multiple of 16 (offset_step)");
    REFUSES(product.offset_b = 1 << 30, "B has ");
    REFUSES(product.offset_c = UINT64_MAX / 16 * 16, "offset_c of a product is 18446744073709551600; the largest is ");
    b.product_count = 0;
    b.a.buffer = VK_NULL_HANDLE; /* nothing is recorded */
    assert_ok(try_to_record(gemm, &b));
}

static PFN_vkCreateComputePipelines create_pipelines;
static VkPipelineCache seen_cache;

static VKAPI_ATTR VkResult VKAPI_CALL see_cache(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                const VkComputePipelineCreateInfo *infos,
                                                const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
    seen_cache = cache;
    return create_pipelines(handle, cache, count, infos, allocator, pipelines);
}

TEST(uses_the_callers_pipeline_cache)
{
    struct VolkDeviceTable *table = &suite.device->table;
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    vkmm_gemm *gemm = NULL;
    assert_int_equal(table->vkCreatePipelineCache(suite.device->handle, &info, NULL, &cache), VK_SUCCESS);
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K), .pipeline_cache = cache};
    create_pipelines = table->vkCreateComputePipelines;
    table->vkCreateComputePipelines = see_cache;
    const vkmm_status status = vkmm_gemm_create(suite.device, &params, &gemm);
    table->vkCreateComputePipelines = create_pipelines;
    vkmm_gemm_destroy(&gemm);
    table->vkDestroyPipelineCache(suite.device->handle, cache, NULL);
    assert_ok(status);
    assert_true(seen_cache == cache);
}

static VKAPI_ATTR void VKAPI_CALL no_barrier(VkCommandBuffer command, VkPipelineStageFlags from,
                                             VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memory_count,
                                             const VkMemoryBarrier *memories, uint32_t buffer_count,
                                             const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                             const VkImageMemoryBarrier *images)
{
    (void)command, (void)from, (void)to, (void)flags, (void)memory_count, (void)memories, (void)buffer_count;
    (void)buffers, (void)image_count, (void)images;
}

/* The other tests would notice if a barrier between the passes, or between products with one workspace, were
 * missing. */
TEST(validation_notices_missing_barriers)
{
    static suite_device own;
    const suite_device others = suite;
    const vkmm_gemm_product products[2] = {{.m = M, .n = N}, {.m = M, .n = N, .offset_c = 4 * M * N}};
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = 4 * K), .job.config = "splits=2"};
    const vkmm_gemm_bindings how = {.products = products, .product_count = 2};
    if (!validated) skip();
    assert_int_equal(suite_open(&own), 0);
    suite = own; /* whose messages nobody else counts */
    vkmm_gemm *gemm = make(&params);
    recorded *m = keep_recorded(suite.device);
    prepare(m, gemm, &params, &how);
    const vkmm_gemm_bindings b = bind(m, &how);
    uint32_t messages[2];
    for (int missing = 0; missing < 2; missing++) {
        const uint32_t before = vkmm_instance_validation_messages(suite.instance);
        const PFN_vkCmdPipelineBarrier barrier = suite.device->table.vkCmdPipelineBarrier;
        if (missing) suite.device->table.vkCmdPipelineBarrier = no_barrier;
        const vkmm_status status = try_to_record(gemm, &b);
        suite.device->table.vkCmdPipelineBarrier = barrier;
        messages[missing] = vkmm_instance_validation_messages(suite.instance) - before;
        if (status != VKMM_OK) messages[missing] = UINT32_MAX;
    }
    release_kept(state);
    suite_close(&own);
    suite = others;
    assert_int_equal(messages[0], 0);
    assert_true(messages[1] > 1 && messages[1] != UINT32_MAX);
}

int main(int count, char **words)
{
    const struct CMUnitTest *tests;
    const size_t all = listed_tests(&tests);
    int failed = 0;
    only_split = count > 1 && strcmp(words[1], "split") == 0;
    cmocka_set_test_filter(only_split ? "records_split_products" : getenv("VKMM_TEST_FILTER"));
    for (int round = 0; round < 2; round++) {
        if (round == 1) setenv("VKMM_TEST_UNVALIDATED", "1", 1);
        validated = getenv("VKMM_TEST_UNVALIDATED") == NULL;
        int absent = suite_open(&suite);
        if (absent) return absent;
        const int result = suite_run_group(&suite, "gemm", tests, round == 0 ? all : 3);
        if (only_split) return suite_exit(&suite, result);
        failed += result + (suite_close(&suite) != 0);
    }
    return failed != 0;
}
