/* What the planner makes of devices with matrix operations: the kernel, its shape and subgroup size; and which rule
 * refuses what. */
#include "unit.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/type.h"
#include "plan/choose.h"
#include "vk/cooperative_matrix.h"

#define SHAPE(m, n, k, in, out)                             \
    {                                                       \
        m, n, k, in, in, out, out, VK_SCOPE_SUBGROUP_KHR, 0 \
    }
#define F16(m, n, k)     SHAPE(m, n, k, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR)
#define F16_SUM(m, n, k) SHAPE(m, n, k, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR)
#define I8(m, n, k)      SHAPE(m, n, k, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR)
#define COMMON                                                                                                         \
    .limits.max_invocations = 1024, .limits.max_workgroup_size = {1024, 1024, 64},                                     \
    .limits.max_workgroup_count = {65535, 65535, 65535}, .features.f16 = 1, .features.i8 = 1, .features.storage16 = 1, \
    .limits.max_storage_range = UINT32_MAX, .matrices.refusal = "", .subgroup.has_broadcast = 1

static const struct device {
    vkmm_device_info info;
    uint32_t f16[3], i8[3], lanes; /* what the planner should take */
} devices[] = {
    {{COMMON, .name = "Like NVIDIA's", .vendor_id = 0x10de, .driver.id = VK_DRIVER_ID_NVIDIA_PROPRIETARY,
      .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .limits.max_shared_bytes = 49152, .subgroup.size = 32,
      .subgroup.min_size = 32, .subgroup.max_size = 32, .processors = 132, .matrices.shape_count = 8,
      .matrices.shapes = {F16_SUM(16, 8, 8), F16(16, 8, 8), F16(16, 8, 16), F16_SUM(16, 8, 16), F16(16, 16, 16),
                          F16_SUM(16, 16, 16), I8(16, 8, 32), I8(16, 16, 32)}},
     {16, 8, 16},
     {16, 8, 32},
     32},
    {{COMMON, .name = "Like AMD's", .vendor_id = 0x1002, .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
      .limits.max_shared_bytes = 65536, .subgroup.size = 64, .subgroup.min_size = 32, .subgroup.max_size = 64,
      .processors = 96, .matrices.shape_count = 3,
      .matrices.shapes = {F16(16, 16, 16), F16_SUM(16, 16, 16), I8(16, 16, 16)}},
     {16, 16, 16},
     {16, 16, 16},
     64},
    {{COMMON, .name = "Like Intel's", .vendor_id = 0x8086, .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
      .limits.max_shared_bytes = 65536, .subgroup.size = 32, .subgroup.min_size = 16, .subgroup.max_size = 32,
      .matrices.shape_count = 2, .matrices.shapes = {F16(8, 16, 16), I8(8, 16, 32)}},
     {8, 16, 16},
     {8, 16, 32},
     16},
};
enum { DEVICES = sizeof devices / sizeof devices[0] };

static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const char *kernel,
                          const char *config, vkmm_choice *choice)
{
    const vkmm_wish wish = {.kernel = kernel, .config = config};
    return vkmm_choose(device, problem, &wish, choice);
}

/* A build whose compiler knows no matrices has no such kernel. */
static int is_built(void)
{
    return vkmm_module_find("coopmat", VKMM_F16, VKMM_BUILD_PLAIN) != NULL;
}

static void assert_planned(const struct device *device, vkmm_type type, const uint32_t shape[3])
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = type);
    vkmm_choice choice;
    assert_ok(choose(&device->info, &problem, NULL, NULL, &choice));
    assert_string_equal(choice.info.name, "coopmat");
    assert_memory_equal(choice.info.matrix, shape, sizeof choice.info.matrix);
    assert_memory_equal(choice.module->shape, shape, sizeof choice.info.matrix);
    assert_int_equal(choice.info.subgroup_size, device->lanes);
    assert_int_equal(choice.info.workgroup[0] % device->lanes, 0);
    assert_true(choice.info.shared_bytes > 0 && choice.info.shared_bytes <= device->info.limits.max_shared_bytes);
    assert_null(vkmm_config_forbidden_by(choice.kernel, &choice.problem, &choice.config, &device->info));
}

TEST(takes_its_tiles_shape_or_the_largest)
{
    if (!is_built()) skip();
    for (size_t d = 0; d < DEVICES; d++) {
        assert_planned(&devices[d], VKMM_F16, devices[d].f16);
        assert_planned(&devices[d], VKMM_I8, devices[d].i8);
    }
}

/* Rows of 4097 elements end in the middle of a vector: the copy of B keeps their direction, in which it is read faster.
 */
TEST(pads_the_lines_of_copies)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4097, .n = 4097, .k = 4097, .type = VKMM_F16);
    vkmm_device_info h200 = devices[0].info;
    vkmm_choice choice;
    if (!is_built()) skip();
    h200.memory.device_heap_bytes = UINT64_C(140) << 30;
    assert_ok(choose(&h200, &problem, NULL, NULL, &choice));
    assert_string_equal(choice.info.name, "coopmat");
    assert_false(choice.packs[VKMM_B].transposed);
    assert_true(choice.packs[VKMM_B].ld == 4160 && choice.problem.k == 4128);
    assert_int_equal(vkmm_usable_alignment(&choice), VKMM_ALIGNED_A | VKMM_ALIGNED_B);
}

/* Weights that are packed once for a few rows: as they lie for matrix operations, otherwise along K. */
TEST(packs_weights_as_the_kernel_reads_them)
{
    static const struct {
        vkmm_type type;
        uint64_t rows;
        int transposed;
    } cases[] = {{VKMM_F16, 2, 1},  {VKMM_F16, 3, 0},  {VKMM_F16, 16, 0}, {VKMM_F16, 64, 0},
                 {VKMM_F32, 16, 1}, {VKMM_F32, 32, 1}, {VKMM_F32, 64, 0}, {VKMM_I8, 16, 1}};
    const vkmm_wish wish = {.pack = VKMM_PACK_NEVER | VKMM_PACK_BOUND | VKMM_PACK_B};
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vkmm_problem problem = VKMM_PROBLEM(.m = cases[i].rows, .n = 14336, .k = 4096, .type = cases[i].type);
        vkmm_choice choice;
        assert_ok(vkmm_choose(&devices[0].info, &problem, &wish, &choice));
        assert_true(choice.packs[VKMM_B].bytes > 0);
        assert_int_equal(choice.packs[VKMM_B].transposed, cases[i].transposed);
    }
}

static vkmm_edge edge_of(const vkmm_device_info *device, vkmm_problem problem)
{
    vkmm_choice choice;
    assert_ok(choose(device, &problem, NULL, NULL, &choice));
    if (!choice.edge.module) return choice.edge;
    assert_null(choice.reduce);
    assert_int_equal(choice.edge.info.splits, 1);
    assert_true(choice.info.items % device->processors == 0 || choice.info.items > device->processors);
    assert_true(choice.problem.m == problem.m || choice.problem.n == problem.n);
    assert_int_equal(choice.problem.m * choice.problem.n + choice.edge.problem.m * choice.edge.problem.n,
                     problem.m * problem.n);
    return choice.edge;
}

#define SQUARE(side, op) edge_of(&h200, VKMM_PROBLEM(.m = side, .n = side, .k = side, .type = VKMM_F16, .op_b = op))

/* 33×17 tiles are four rounds of 132 processors and 33 tiles: the last column is computed apart. Not so what fills its
 * round, or too much of it, and what a bias belongs to. */
TEST(leaves_what_would_take_a_round)
{
    vkmm_device_info h200 = devices[0].info;
    if (!is_built()) skip();
    h200.memory.device_heap_bytes = UINT64_C(140) << 30;
    const vkmm_edge odd = SQUARE(4097, VKMM_OP_N), even = SQUARE(3000, VKMM_OP_N), turned = SQUARE(4104, VKMM_OP_T);
    assert_true(odd.problem.m == 4097 && odd.problem.n == 1);
    assert_string_equal(odd.info.name, "skinny");
    assert_true(odd.problem.offset_b == 4096 && odd.problem.offset_c == 4096 && odd.problem.offset_a == 0);
    assert_string_equal(odd.info.config, "rows=8,cols=1,depth=1024,thread-long=4,splits=1,threads=256");
    assert_true(odd.early && odd.problem.lda == 4097); /* while A and B are packed */
    assert_true(even.problem.m == 3000 && even.problem.n == 184);
    assert_string_equal(even.info.name, "coopmat");
    assert_true(!turned.early && turned.problem.n == 8 && turned.problem.offset_b == UINT64_C(4096) * 4104);
    const vkmm_edge wide = edge_of(&h200, VKMM_PROBLEM(.m = 2049, .n = 8448, .k = 4096, .type = VKMM_F16));
    assert_true(wide.problem.m == 1 && wide.problem.n == 8448);
    assert_true(wide.problem.offset_a == UINT64_C(2048) * 4096 && wide.problem.offset_c == UINT64_C(2048) * 8448);
    assert_null(SQUARE(4096, VKMM_OP_N).module);
    assert_null(SQUARE(4352, VKMM_OP_N).module);
    assert_null(SQUARE(2047, VKMM_OP_N).module);
    assert_null(edge_of(&h200, VKMM_PROBLEM(.m = 4097, .n = 4097, .k = 4097, .type = VKMM_F16, .has_bias = 1)).module);
    h200.driver.id = VK_DRIVER_ID_MESA_RADV; /* not measured */
    const vkmm_edge late = SQUARE(4097, VKMM_OP_N);
    assert_true(!late.early && late.problem.lda % 8 == 0 && strncmp(late.info.config, "rows=64,", 8) == 0);
    h200.processors = 0; /* unknown */
    assert_null(SQUARE(4097, VKMM_OP_N).module);
}

static const char *planned(const vkmm_device_info *device, vkmm_problem problem)
{
    static vkmm_choice choice;
    assert_ok(choose(device, &problem, NULL, NULL, &choice));
    return choice.info.name;
}

/* Bits VKMM_PACK_* of what is packed, in the problem's coordinates. */
static uint32_t packed(const vkmm_device_info *device, vkmm_problem problem)
{
    vkmm_choice choice;
    assert_ok(choose(device, &problem, NULL, NULL, &choice));
    const uint64_t bytes = choice.packs[0].bytes + choice.packs[1].bytes; /* each begins at a multiple of 256 */
    assert_in_range(choice.info.packed_bytes, bytes, bytes + (uint64_t)2 * 255);
    assert_true(choice.info.workspace_bytes >= choice.info.packed_bytes);
    const uint32_t a = choice.packs[choice.swapped].bytes > 0, b = choice.packs[!choice.swapped].bytes > 0;
    const uint32_t packed = (a ? VKMM_PACK_A : 0u) | (b ? VKMM_PACK_B : 0u);
    const uint32_t aligned = vkmm_usable_alignment(&choice);
    for (int o = 0; o < 2; o++) /* packed operands are read in vectors */
        if (choice.packs[o].bytes > 0)
            assert_true(aligned & 1u << o && choice.packs[o].ld * vkmm_type_of(problem.type)->bytes % 128 == 0);
    return packed;
}

#define CUBE(side, ...) VKMM_PROBLEM(.m = side, .n = side, .k = side, __VA_ARGS__)

/* Where the copy costs less than it saves, and where nobody has shown that, not. */
TEST(packs_what_is_read_slowly)
{
    vkmm_device_info h200 = devices[0].info;
    if (!is_built()) skip();
    const uint32_t both = VKMM_PACK_A | VKMM_PACK_B;
    h200.memory.device_heap_bytes = UINT64_C(140) << 30;
    /* An odd K is padded in both. */
    assert_int_equal(packed(&h200, CUBE(4097, .type = VKMM_F16)), both);
    assert_int_equal(packed(&h200, VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4097, .type = VKMM_F16)), both);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F16)), 0);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F16, .lda = 4097)), VKMM_PACK_A);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F16, .offset_b = 1)), VKMM_PACK_B);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F16, .offset_c = 1)), 0);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F16, .lda = 4097, .layout = VKMM_COL_MAJOR)), VKMM_PACK_A);
    /* Bytes that are not neighbours along K. */
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_I8)), VKMM_PACK_B);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_I8, .op_b = VKMM_OP_T)), 0);
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_I8, .op_a = VKMM_OP_T)), both);
    /* Little to multiply for each element. */
    assert_int_equal(packed(&h200, VKMM_PROBLEM(.m = 4096, .n = 8, .k = 14337, .type = VKMM_F16)), 0);
    assert_int_equal(packed(&h200, VKMM_PROBLEM(.m = 16, .n = 4096, .k = 4096, .type = VKMM_I8)), 0);
    assert_int_equal(packed(&h200, VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 17, .type = VKMM_F16)), 0);
    assert_int_equal(packed(&h200, CUBE(256, .type = VKMM_F16, .lda = 257)), 0);
    /* Vectors save a twentieth with f32. */
    assert_int_equal(packed(&h200, CUBE(4097, .type = VKMM_F32)), both);
    assert_int_equal(packed(&h200, CUBE(1024, .type = VKMM_F32, .lda = 1025)), 0);
    assert_int_equal(packed(&h200, CUBE(2048, .type = VKMM_F32, .lda = 2049)), VKMM_PACK_A);
    h200.memory.device_heap_bytes = UINT64_C(24) << 30; /* and less bandwidth */
    assert_int_equal(packed(&h200, CUBE(4096, .type = VKMM_F32, .lda = 4097)), 0);
    assert_int_equal(packed(&h200, CUBE(4097, .type = VKMM_F16)), both);
    h200.memory.device_heap_bytes = 100 << 20; /* no room for copies */
    assert_int_equal(packed(&h200, CUBE(4097, .type = VKMM_F16)), 0);
    h200.memory.device_heap_bytes = UINT64_C(140) << 30;
    h200.limits.max_storage_range = 60 << 20; /* the copies are 67 MB */
    assert_int_equal(packed(&h200, CUBE(4097, .type = VKMM_F16)), 0);
}

TEST(leaves_alone_what_does_not_fit)
{
    const vkmm_problem f32 = VKMM_PROBLEM(.m = 2048, .n = 2048, .k = 2048, .type = VKMM_F32),
                       bf16 = VKMM_PROBLEM(.m = 2048, .n = 2048, .k = 2048, .type = VKMM_BF16);
    const vkmm_problem thin = VKMM_PROBLEM(.m = 4096, .n = 2, .k = 4096, .type = VKMM_F16),
                       f16 = VKMM_PROBLEM(.m = 512, .n = 512, .k = 512, .type = VKMM_F16);
    vkmm_device_info processor = devices[0].info, none = devices[0].info;
    processor.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    none.matrices.shape_count = 0;
    for (size_t d = 0; d < DEVICES; d++) {
        assert_string_equal(planned(&devices[d].info, f32), "blocked"); /* never through f16 unless asked */
        assert_string_equal(planned(&devices[d].info, bf16), "blocked");
        assert_string_equal(planned(&devices[d].info, thin), "skinny");
    }
    assert_string_equal(planned(&processor, f16), "cpu");
    assert_string_equal(planned(&none, f16), "blocked");
    if (!is_built()) return;
    vkmm_choice asked; /* for: its driver compiles large tiles for minutes */
    assert_ok(choose(&processor, &f16, "coopmat", NULL, &asked));
    assert_int_equal(asked.config.values[VKMM_TUNE_THREAD_ROWS] * asked.config.values[VKMM_TUNE_THREAD_COLS], 256);
}

/* On a device of NVIDIA's size: large tiles where there are enough of them, larger ones for sums in f16, and all
 * processors for a short side. */
TEST(tiles_follow_types_and_shape)
{
    static const struct {
        vkmm_problem problem;
        uint32_t rows, cols, least_splits, most_splits, depth; /* depth 0: any */
    } cases[] = {
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F16), 128, 256, 1, 1},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F16, .out_type = VKMM_F16,
                           .compute = VKMM_F16),
         256, 256, 1, 1},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_I8, .op_a = VKMM_OP_T), 128, 128, 1, 1},
        {VKMM_PROBLEM_INIT(.m = 1024, .n = 1024, .k = 1024, .type = VKMM_F16), 64, 128, 1, 1},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 512, .k = 14336, .type = VKMM_F16), 128, 256, 2, 2},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 24, .k = 14336, .type = VKMM_F16), 64, 32, 6, 6},
        {VKMM_PROBLEM_INIT(.m = 24, .n = 4096, .k = 14336, .type = VKMM_F16), 32, 64, 6, 6},
        {VKMM_PROBLEM_INIT(.m = 256, .n = 4096, .k = 4096, .type = VKMM_F16), 64, 128, 1, 1, 64},
        /* A tile for each processor at most; and few tiles, with many elements along K in each step. */
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 24, .k = 4096, .type = VKMM_F16), 32, 32, 1, 1},
        {VKMM_PROBLEM_INIT(.m = 11008, .n = 24, .k = 4096, .type = VKMM_F16), 64, 32, 2, 2},
        {VKMM_PROBLEM_INIT(.m = 1000, .n = 64, .k = 1000, .type = VKMM_F16), 32, 32, 1, 1, 128},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 128, .k = 4096, .type = VKMM_F16), 128, 128, 4, 4, 64},
        {VKMM_PROBLEM_INIT(.m = 96, .n = 11008, .k = 4096, .type = VKMM_I8), 128, 128, 1, 1, 128},
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 8, .k = 4096, .type = VKMM_F16), 32, 16, 1, 1, 256},
        {VKMM_PROBLEM_INIT(.m = 16, .n = 1000, .k = 1000, .type = VKMM_I8, .op_b = VKMM_OP_T), 16, 32, 1, 1, 512},
        {VKMM_PROBLEM_INIT(.m = 16, .n = 4096, .k = 4096, .type = VKMM_F16), 16, 64, 4, 4, 128}, /* across K */
        /* No more workgroups than run at once. */
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 8, .k = 14336, .type = VKMM_F16), 64, 16, 4, 4},
        {VKMM_PROBLEM_INIT(.m = 16, .n = 8192, .k = 14336, .type = VKMM_I8), 16, 64, 2, 2},
        /* From three columns on, or four rows of blocks. */
        {VKMM_PROBLEM_INIT(.m = 4096, .n = 3, .k = 14336, .type = VKMM_F16), 64, 16, 4, 4},
        {VKMM_PROBLEM_INIT(.m = 4, .n = 4096, .k = 14336, .type = VKMM_F16, .op_b = VKMM_OP_T, .format_b = VKMM_Q4_Z),
         16, 64, 4, 4},
    };
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vkmm_choice choice;
        assert_ok(choose(&devices[0].info, &cases[i].problem, NULL, NULL, &choice));
        assert_string_equal(choice.info.name, "coopmat");
        assert_int_equal(choice.info.tile[0], cases[i].rows);
        assert_int_equal(choice.info.tile[1], cases[i].cols);
        assert_in_range(choice.config.values[VKMM_TUNE_SPLITS], cases[i].least_splits, cases[i].most_splits);
        if (cases[i].depth > 0) assert_int_equal(choice.config.values[VKMM_TUNE_DEPTH], cases[i].depth);
    }
}

/* Blocks of 4 or 8 bits times f16, along K and whole leaps of it: skinnymat takes up to eight columns, fewer only where
 * it is faster. */
TEST(few_columns_of_blocks_use_matrices)
{
#define FEW(name, columns, depth, ...)                                                                                 \
    {                                                                                                                  \
        name, VKMM_PROBLEM_INIT(.m = 4096, .n = columns, .k = depth, .type = VKMM_F16, .op_b = VKMM_OP_T, __VA_ARGS__) \
    }
    static const struct {
        const char *kernel;
        vkmm_problem problem;
    } cases[] = {
        FEW("skinnymat", 8, 14336, .format_a = VKMM_Q4_0),
        FEW("skinnymat", 3, 256, .format_a = VKMM_Q8_0),
        FEW("coopmat", 9, 14336, .format_a = VKMM_Q4_0),
        FEW("coopmat", 8, 14336 + 32, .format_a = VKMM_Q4_0),
        FEW("coopmat", 8, 14336, .format_a = VKMM_Q4_0, .offset_a = 128),
        FEW("coopmat", 8, 14336, .format_a = VKMM_Q4_0, .ldb = 14340),
        FEW("coopmat", 8, 14336, .format_a = VKMM_Q6_K),
        FEW("skinnymat", 2, 14336, .format_a = VKMM_Q4_1),
        FEW("skinny", 2, 4096, .format_a = VKMM_Q4_K),
        FEW("skinnymat", 1, 4096, .format_a = VKMM_MXFP4),
        FEW("skinnymat", 1, 14336, .format_a = VKMM_Q4_K),
        FEW("skinny", 1, 14336, .format_a = VKMM_Q4_1),
        FEW("skinny", 1, 14336, .format_a = VKMM_Q8_0),
    };
    vkmm_device_info wide = devices[0].info /* its subgroups */, other = devices[0].info;
    vkmm_problem plain = cases[0].problem;
    vkmm_choice choice;
    if (!is_built()) skip();
    for (size_t i = 0; i < VKMM_COUNT(cases); i++) {
        assert_ok(choose(&devices[0].info, &cases[i].problem, NULL, NULL, &choice));
        if (strcmp(choice.info.name, cases[i].kernel) != 0) fail_msg("case %zu: %s", i, choice.info.name);
    }
    assert_ok(choose(&devices[0].info, &cases[0].problem, NULL, NULL, &choice));
    assert_string_equal(choice.info.config, "rows=16,cols=8,depth=2048,splits=1");
    assert_ok(choose(&devices[0].info, &cases[10].problem, NULL, NULL, &choice));
    assert_string_equal(choice.info.config, "rows=16,cols=1,depth=2048,splits=1");
    assert_refused(choose(&devices[0].info, &cases[0].problem, "skinnymat", "cols=4", &choice), VKMM_UNSUPPORTED,
                   "the shorter side must be 1 or 8");
    assert_refused(choose(&devices[0].info, &cases[6].problem, "skinnymat", NULL, &choice), VKMM_UNSUPPORTED,
                   "q8_0, q4_0, q4_1, q4_K, mxfp4 or nvfp4 along the longer side");
    plain.format_a = VKMM_PLAIN;
    assert_refused(choose(&devices[0].info, &plain, "skinnymat", NULL, &choice), VKMM_UNSUPPORTED,
                   "takes only products of a matrix in blocks");
    wide.subgroup.size = wide.subgroup.min_size = wide.subgroup.max_size = 64;
    other.driver.id = VK_DRIVER_ID_MESA_RADV;
    assert_string_equal(planned(&wide, cases[0].problem), "coopmat");
    assert_string_equal(planned(&other, cases[0].problem), "coopmat");
}

/* The blocks of C that a driver's compiler keeps in registers, whatever the layout: larger ones spilled. */
TEST(tiles_fit_few_registers)
{
#define VENDOR(label, ...) {.driver_name = label, .info = {__VA_ARGS__}},
    static const struct {
        const char *driver_name;
        vkmm_device_info info;
    } vendors[] = {
#include "vendors.inc"
    };
    static const struct {
        const char *vendor;
        vkmm_type type, compute;
        uint32_t elements[4], depth[4]; /* of a subgroup's block, and of a step: NN, TN, NT, TT */
    } cases[] = {
        {"amd-navi31", VKMM_F16, VKMM_AUTO, {2048, 2048, 2048, 2048}, {32, 32, 32, 32}},
        {"amd-navi31", VKMM_F16, VKMM_F16, {1024, 1024, 1024, 1024}, {64, 64, 64, 64}},
        {"amd-navi31", VKMM_I8, VKMM_AUTO, {2048, 2048, 2048, 2048}, {64, 64, 64, 64}},
        {"intel-bmg@backports", VKMM_F16, VKMM_AUTO, {256, 256, 256, 256}, {16, 16, 16, 16}},
        {"intel-bmg@backports", VKMM_I8, VKMM_AUTO, {128, 128, 256, 128}, {64, 32, 32, 64}},
        {"intel-bmg", VKMM_F16, VKMM_AUTO, {0}, {0}}, /* spills in every block: no matrix operations */
        {"intel-tgl", VKMM_F16, VKMM_AUTO, {0}, {0}}, /* emulated */
    };
    uint32_t seen = 0;
    if (!is_built()) skip();
    for (size_t v = 0; v < sizeof vendors / sizeof *vendors; v++)
        for (size_t i = 0; i < 4 * (sizeof cases / sizeof *cases); i++) {
            const size_t c = i / 4, layout = i % 4;
            if (strcmp(vendors[v].driver_name, cases[c].vendor) != 0) continue;
            const vkmm_problem problem =
                VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = cases[c].type, .compute = cases[c].compute,
                             .op_a = layout & 1 ? VKMM_OP_T : VKMM_OP_N, .op_b = layout & 2 ? VKMM_OP_T : VKMM_OP_N);
            vkmm_choice choice;
            seen++;
            assert_ok(choose(&vendors[v].info, &problem, NULL, NULL, &choice));
            assert_int_equal(strcmp(choice.info.name, "coopmat") == 0, cases[c].elements[0] > 0);
            if (cases[c].elements[0] == 0) continue;
            const uint32_t *value = choice.config.values;
            assert_int_equal(value[VKMM_TUNE_THREAD_ROWS] * value[VKMM_TUNE_THREAD_COLS], cases[c].elements[layout]);
            assert_int_equal(value[VKMM_TUNE_DEPTH], cases[c].depth[layout]);
        }
    assert_int_equal(seen, 4 * (sizeof cases / sizeof *cases));
    for (size_t v = 0; v < sizeof vendors / sizeof *vendors; v++) { /* parts, too, or a refusal */
        const vkmm_problem split = CUBE(4096, .method = VKMM_COMPUTE_SPLIT);
        vkmm_choice choice;
        const vkmm_status status = choose(&vendors[v].info, &split, NULL, NULL, &choice);
        assert_true(status == VKMM_OK || status == VKMM_UNSUPPORTED);
        if (strcmp(vendors[v].driver_name, "intel-bmg") == 0) assert_int_equal(status, VKMM_UNSUPPORTED);
    }
}

TEST(refuses_with_its_rule)
{
    static const struct {
        size_t device;
        const char *config, *says;
    } cases[] = {
        {0, "mm=8,mn=8,mk=8",
         "8x8x8 (mm, mn, mk): the device lists none of that shape; it can use: 16x8x8 16x8x16 16x16x16"},
        {2, "mm=16,mn=16,mk=16", "the device lists none of that shape; it can use: 8x16x16"},
        {0, "lanes=64",
         "subgroups of 64 invocations (lanes): \"Like NVIDIA's\" takes a power of two from 32 to 32 (minSubgroupSize"},
        {1, "lanes=48", "minSubgroupSize"},
        {2, "lanes=8", "minSubgroupSize"},
        {0, "sub-rows=24", "sub-rows must be a multiple of mm"},
        {0, "depth=24", "sub-rows must be a multiple of mm"},
        {0, "rows=160,sub-rows=64", "rows must be a multiple of sub-rows"},
        {0, "pad=17", "pad must be at most 16"},
        {0, "swizzle=0", "pad must be at most 16"},
        {0, "rows=128,cols=128,sub-rows=128,sub-cols=128", "registers"},
        {0, "rows=256,cols=256,sub-rows=32,sub-cols=32", "maxComputeWorkGroupInvocations"},
        {0, "rows=256,cols=256,depth=64,sub-rows=64,sub-cols=64", "maxComputeSharedMemorySize"},
        {0, "rows=0", "rows must be a multiple of sub-rows"},
        {0, "depth=0", "sub-rows must be a multiple of mm"},
        {0, "sub-rows=0", "sub-rows must be a multiple of mm"},
        {0, "mm=0", "0x16x16 (mm, mn, mk): the device lists none"},
    };
    const vkmm_problem problem = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1024, .type = VKMM_F16);
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vkmm_choice choice;
        assert_refused(choose(&devices[cases[i].device].info, &problem, "coopmat", cases[i].config, &choice),
                       VKMM_UNSUPPORTED, cases[i].says);
    }
}

TEST(names_what_is_missing)
{
    static const vkmm_problem f16 = VKMM_PROBLEM_INIT(.m = 64, .n = 64, .k = 64, .type = VKMM_F16),
                              u8 = VKMM_PROBLEM_INIT(.m = 64, .n = 64, .k = 64, .type = VKMM_U8),
                              bf16 = VKMM_PROBLEM_INIT(.m = 64, .n = 64, .k = 64, .type = VKMM_BF16),
                              f32 = VKMM_PROBLEM_INIT(.m = 64, .n = 64, .k = 64);
    vkmm_device_info without = devices[0].info, unknown = devices[0].info, few = devices[0].info;
    uint32_t first = 0;
    without.matrices.shape_count = 0;
    without.matrices.refusal = "the driver does not list VK_KHR_cooperative_matrix";
    unknown.matrices.shapes[0] = (vkmm_matrix_shape)F16(64, 16, 16);
    few.subgroup.max_count = 3;
    const int has_bf16 = vkmm_module_next("coopmat", VKMM_BF16, VKMM_F32, &first) != NULL;
    const struct {
        const vkmm_device_info *device;
        const vkmm_problem *problem;
        const char *config, *says;
    } cases[] = {
        {&devices[0].info, &bf16, NULL,
         has_bf16 ? "shaderBFloat16CooperativeMatrix" : "this build has no coopmat shader for bf16"},
        {&devices[0].info, &u8, NULL, "lists no matrix operation for u8 summed in u32"},
        {&devices[0].info, &f32, NULL, "this build has no coopmat shader for f32 summed in f32"},
        {&without, &f16, NULL, "has none: the driver does not list VK_KHR_cooperative_matrix"},
        {&unknown, &f16, "mm=64,mn=16,mk=16", "64x16x16 (mm, mn, mk): this build has no shader for them"},
        {&few, &f16, "rows=64,cols=64,sub-rows=32,sub-cols=32",
         "needs 4 subgroups of a workgroup; \"Like NVIDIA's\" allows 3"},
    };
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vkmm_choice choice;
        assert_refused(choose(cases[i].device, cases[i].problem, "coopmat", cases[i].config, &choice), VKMM_UNSUPPORTED,
                       cases[i].says);
    }
}

TEST(shapes_may_be_chosen)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1024, .type = VKMM_F16);
    vkmm_choice choice;
    if (!is_built()) skip();
    assert_ok(choose(&devices[0].info, &problem, "coopmat", "mn=8,mk=8", &choice));
    assert_memory_equal(choice.module->shape, ((const uint32_t[]){16, 8, 8}), sizeof choice.module->shape);
    assert_ok(choose(&devices[2].info, &problem, "coopmat", NULL, &choice)); /* it lists no sums of f16 */
    assert_memory_equal(choice.module->shape, ((const uint32_t[]){8, 16, 16}), sizeof choice.module->shape);
}

/* 16-bit elements of C that are not aligned to 16 bytes are stored one by one, for which the kernel needs 16-bit
 * storage.
 */
TEST(narrow_and_uneven_is_stored_directly)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1024, .type = VKMM_F16, .ldc = 1025);
    vkmm_device_info device = devices[0].info;
    vkmm_choice choice;
    if (!is_built()) skip();
    assert_ok(choose(&device, &problem, "coopmat", "splits=1", &choice));
    assert_null(choice.reduce);
    assert_int_equal(choice.info.workspace_bytes, 0);
    device.features.storage16 = 0;
    assert_refused(choose(&device, &problem, "coopmat", NULL, &choice), VKMM_UNSUPPORTED, "storageBuffer16BitAccess");
    assert_string_not_equal(planned(&device, problem), "coopmat");
}

TEST(known_bad_drivers_are_left_alone)
{
    vkmm_device_info amd = {.vendor_id = 0x1002,
                            .driver.id = VK_DRIVER_ID_AMD_PROPRIETARY,
                            .subgroup.min_size = 32,
                            .subgroup.max_size = 64};
    amd.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    assert_null(vkmm_matrix_known_bad(&amd, 1));
    assert_non_null(vkmm_matrix_known_bad(&amd, 0)); /* without matrix cores */
    amd.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    assert_contains(vkmm_matrix_known_bad(&amd, 1), "crashes");
    amd.driver.id = VK_DRIVER_ID_MESA_RADV;
    assert_null(vkmm_matrix_known_bad(&amd, 0));
    vkmm_device_info intel = {
        .vendor_id = 0x8086, .device_id = 0x56a0, .subgroup.min_size = 8, .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU};
    assert_contains(vkmm_matrix_known_bad(&intel, 0), "Intel's discrete"); /* A770 */
    intel.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    intel.device_id = 0x7d51;
    assert_null(vkmm_matrix_known_bad(&intel, 0)); /* Arrow Lake-H, Intel's own driver */
    intel.driver.id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    intel.driver.version = VK_MAKE_VERSION(26, 1, 6);
    static const uint32_t emulated[] = {0x1912, 0x8a52, 0x9a49, 0x4680, 0x7d60, 0x7d67, 0x7d51};
    for (size_t i = 0; i < sizeof emulated / sizeof *emulated; i++) { /* Skylake to Arrow Lake */
        intel.device_id = emulated[i];
        assert_contains(vkmm_matrix_known_bad(&intel, 0), "emulates");
    }
    intel.subgroup.min_size = 16;
    static const uint32_t xe2[] = {0x64a0, 0xe20b}; /* Lunar Lake, B580 */
    for (size_t i = 0; i < sizeof xe2 / sizeof *xe2; i++) {
        intel.device_id = xe2[i];
        intel.driver.version = VK_MAKE_VERSION(26, 1, 6);
        assert_null(vkmm_matrix_known_bad(&intel, 0));
        intel.driver.version = VK_MAKE_VERSION(25, 0, 7);
        assert_contains(vkmm_matrix_known_bad(&intel, 0), "before version 26");
        intel.driver.id = VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS;
        assert_null(vkmm_matrix_known_bad(&intel, 0));
        intel.driver.id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    }
    intel.driver.version = VK_MAKE_VERSION(26, 1, 6);
    intel.device_id = 0xb080;
    assert_contains(vkmm_matrix_known_bad(&intel, 0), "Xe3");
}

/* f32 as parts: what multiplies them, what takes its place, and who is refused. */
TEST(splits_where_matrices_are)
{
    const vkmm_problem split = CUBE(8192, .method = VKMM_COMPUTE_SPLIT);
    vkmm_device_info none = devices[0].info;
    vkmm_choice choice;
    none.matrices.shape_count = 0;
    assert_int_equal(choose(&none, &split, NULL, NULL, &choice), VKMM_UNSUPPORTED);
    assert_string_equal(vkmm_last_error(),
                        "split needs matrix operations of f16 summed in f32; \"Like NVIDIA's\" has none");
    assert_int_equal(choose(NULL, &split, NULL, NULL, &choice), VKMM_NO_DEVICE);
    if (!is_built()) skip();
    for (size_t d = 0; d < DEVICES; d++) {
        assert_ok(choose(&devices[d].info, &split, NULL, NULL, &choice));
        assert_string_equal(choice.info.name, "coopmat");
        assert_string_equal(choice.edge.info.name, "blocked");
        assert_true(choice.edge.instead && choice.edge.problem.k == 8192 && choice.problem.k == 16384);
        assert_int_equal(choice.module->needs & VKMM_NEEDS_PARTS, VKMM_NEEDS_PARTS);
        assert_null(vkmm_config_forbidden_by(choice.kernel, &choice.problem, &choice.config, &devices[d].info));
    }
    assert_ok(choose(&devices[0].info, &split, NULL, NULL, &choice));
    assert_int_equal(choice.info.tile[0], 96); /* measured */
    assert_refused(choose(&devices[0].info, &split, "blocked", NULL, &choice), VKMM_UNSUPPORTED,
                   "the kernel blocked cannot multiply parts (split); coopmat can");
    assert_refused(choose(&devices[0].info, &split, NULL, "depth=48", &choice), VKMM_UNSUPPORTED,
                   "depth must be a multiple of 32");
    assert_refused(choose(&devices[0].info, &split, NULL, "depth=160,rows=32,cols=32", &choice), VKMM_UNSUPPORTED,
                   "up to 128");
    const vkmm_problem few = VKMM_PROBLEM(.m = 64, .n = 64, .k = 8192, .method = VKMM_COMPUTE_SPLIT);
    assert_refused(choose(&devices[0].info, &few, "coopmat", "splits=182", &choice), VKMM_UNSUPPORTED,
                   "splits at most 2·√K");
    assert_ok(choose(&devices[0].info, &few, "coopmat", "splits=181", &choice));
    assert_string_equal(
        planned(&devices[0].info, VKMM_PROBLEM(.m = 64, .n = 64, .k = 1023, .method = VKMM_COMPUTE_SPLIT)),
        "blocked");                                                                          /* more precise */
    assert_string_equal(planned(&devices[0].info, CUBE(8192, .type = VKMM_F32)), "blocked"); /* only where asked for */
}

/* On 132 processors, with tiles of 96×128: tiles beside whole rounds have parts of K if that is faster than another
 * round, as measured on an NVIDIA H200. */
TEST(tails_are_cut_where_that_is_faster)
{
    static const struct {
        uint64_t size;
        uint32_t whole_rows;
    } cases[] = {{2048, 0}, {2560, 26 * 96}, {3000, 0}, {3584, 37 * 96}, {4096, 41 * 96}, {5120, 52 * 96}, {8192, 0}};
    vkmm_choice choice;
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vkmm_problem problem = CUBE(cases[i].size, .method = VKMM_COMPUTE_SPLIT);
        assert_ok(choose(&devices[0].info, &problem, NULL, NULL, &choice));
        assert_int_equal(choice.info.whole_rows, cases[i].whole_rows);
        assert_int_equal(choice.info.splits > 1, cases[i].whole_rows > 0);
        assert_int_equal(choice.info.splits > 1, choice.reduce != NULL);
        const uint64_t across = (cases[i].size + 127) / 128, whole = cases[i].whole_rows / 96 * across,
                       tiles = (cases[i].size + 95) / 96 * across;
        assert_int_equal(choice.info.items, whole + (tiles - whole) * choice.info.splits);
        assert_true(whole == 0 || (whole <= tiles / 132 * 132 && whole + across > tiles / 132 * 132));
    }
    static const char *const refused[] = {"tail=0", "tail=2,splits=2"};
    const vkmm_problem split = CUBE(4096, .method = VKMM_COMPUTE_SPLIT);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(choose(&devices[0].info, &split, NULL, refused[i], &choice), VKMM_UNSUPPORTED);
        assert_contains(vkmm_last_error(),
                        "tail must be 1 unless a split product of one matrix has no bias, and splits=1");
    }
    const vkmm_problem others[] = {CUBE(4096, .type = VKMM_F16),
                                   CUBE(4096, .method = VKMM_COMPUTE_SPLIT, .has_bias = 1),
                                   CUBE(4096, .method = VKMM_COMPUTE_SPLIT, .batch_count = 2)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(choose(&devices[0].info, &others[i], "coopmat", "tail=2", &choice), VKMM_UNSUPPORTED);
        assert_ok(choose(&devices[0].info, &others[i], "coopmat", NULL, &choice));
        assert_int_equal(choice.info.whole_rows, 0);
    }
}

/* Elements of both parts; where f32 has several sums or parts of K, and so a smaller error, fewer. */
TEST(runs_follow_the_error_of_f32)
{
    static const struct {
        uint64_t size, k;
        uint32_t slices, run;
    } cases[] = {{2048, 2048, 1, 2 * 128},  {4096, 4096, 1, 2 * 160}, {8192, 8192, 1, 2 * 224},
                 {4096, 65536, 1, 2 * 256}, {1024, 1024, 2, 2 * 32},  {384, 4096, 2, 2 * 32}};
    vkmm_choice choice;
    if (!is_built()) skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char slices[16];
        snprintf(slices, sizeof slices, "slices=%u,", cases[i].slices);
        const vkmm_problem problem =
            VKMM_PROBLEM(.m = cases[i].size, .n = cases[i].size, .k = cases[i].k, .method = VKMM_COMPUTE_SPLIT);
        assert_ok(choose(&devices[0].info, &problem, NULL, NULL, &choice));
        assert_contains(choice.edge.info.config, slices);
        assert_int_equal(choice.run, cases[i].run);
    }
    /* f32 of a small product has many sums, or parts of K: it is more precise, unless a configuration is named. */
    const vkmm_problem few = VKMM_PROBLEM(.m = 256, .n = 256, .k = 16384, .method = VKMM_COMPUTE_SPLIT);
    assert_string_equal(
        planned(&devices[0].info, VKMM_PROBLEM(.m = 100, .n = 6, .k = 4096, .method = VKMM_COMPUTE_SPLIT)), "skinny");
    assert_ok(choose(&devices[0].info, &few, NULL, NULL, &choice));
    assert_string_equal(choice.info.name, "blocked");
    assert_true(choice.info.splits > 16 && choice.problem.method == VKMM_COMPUTE_DIRECT && !choice.edge.module);
    assert_ok(choose(&devices[0].info, &few, "coopmat", NULL, &choice));
    assert_int_equal(choice.run, 2 * 64); /* half of √K */
}
