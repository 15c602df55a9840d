/* What the planner chooses, on devices of all kinds, breaks none of their limits and suits the problem. */
#include "unit.h"
#include "base/hash.h"
#include "devices.h"
#include "kernel/contract.h"
#include "math/modular.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/choose.h"
#include "plan/parts.h"

static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice)
{
    const vkmm_wish none = {0};
    assert_ok(vkmm_problem_check(problem));
    return vkmm_choose(device, problem, wish ? wish : &none, choice);
}

static uint32_t constant(const vkmm_kernel_info *info, uint32_t id)
{
    for (uint32_t i = 0; i < info->spec_count; i++)
        if (info->spec_ids[i] == id) return info->spec_values[i];
    fail_msg("no constant %u", id);
    return 0;
}

static void assert_within_limits(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_choice *choice)
{
    const vkmm_kernel_info *info = &choice->info;
    const uint64_t empty = problem->m == 0 || problem->n == 0;
    assert_null(vkmm_config_forbidden_by(choice->kernel, problem, &choice->config, device));
    assert_in_range((uint64_t)info->workgroup[0] * info->workgroup[1], 1, device->limits.max_invocations);
    assert_true(info->shared_bytes <= device->limits.max_shared_bytes);
    assert_true(info->workspace_bytes <= device->limits.max_storage_range);
    assert_int_equal(info->workspace_bytes > 0, choice->reduce != NULL && !empty);
    assert_true(choice->reduce != NULL || info->splits == 1);
    for (int axis = 0; axis < 3; axis++) {
        assert_in_range(info->groups[axis], !empty, device->limits.max_workgroup_count[axis]);
        assert_in_range(info->workgroup[axis], 1, device->limits.max_workgroup_size[axis]);
    }
    assert_true(info->items <= INT32_MAX && (info->items == 0) == empty);
    assert_true(info->spec_count <= VKMM_MAX_SPEC_CONSTANTS);
    assert_int_equal(constant(info, VKMM_SPEC_WORKGROUP_X), info->workgroup[0]);
    assert_int_equal(constant(info, VKMM_SPEC_SPLIT), choice->reduce != NULL);
    /* All of K is summed, and no part of it is empty. */
    assert_true(problem->k == 0 || (uint64_t)choice->split_depth * info->splits >= problem->k);
    assert_true(info->splits == 1 || (uint64_t)choice->split_depth * (info->splits - 1) < problem->k);
}

TEST(nothing_planned_breaks_a_limit)
{
    static const uint64_t extents[] = {0, 1, 2, 5, 16, 17, 100, 1000, 4097, 20000};
    enum { EXTENTS = sizeof extents / sizeof extents[0] };
    int planned = 0;
    for (size_t d = 0; d < DEVICES; d++)
        for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
            for (size_t i = 0; i < EXTENTS * EXTENTS * EXTENTS; i++) {
                vkmm_problem problem =
                    VKMM_PROBLEM(.m = extents[i % EXTENTS], .n = extents[i / EXTENTS % EXTENTS],
                                 .k = extents[i / EXTENTS / EXTENTS], .type = (vkmm_type)type, .op_a = (vkmm_op)(i % 2),
                                 .op_b = (vkmm_op)(i / 2 % 2), .layout = (vkmm_layout)(i / 3 % 2));
                vkmm_choice choice;
                if (type == VKMM_F64 && !devices[d].features.f64) continue;
                if (choose(&devices[d], &problem, NULL, &choice) != VKMM_OK) {
                    assert_contains(vkmm_last_error(), "maxStorageBufferRange");
                    continue;
                }
                planned++;
                assert_within_limits(&devices[d], &choice.problem, &choice);
            }
    assert_true(planned > 10000);
}

/* Whatever the presets of a kernel are, some configuration of it is legal wherever the kernel can run at all. */
TEST(every_general_kernel_has_a_configuration_everywhere)
{
    for (size_t d = 0; d < DEVICES; d++)
        for (uint32_t k = 0; vkmm_kernel_at(k); k++) {
            const vkmm_wish wish = {.kernel = vkmm_kernel_at(k)->name};
            const vkmm_problem plain = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = VKMM_F32);
            if (!vkmm_kernel_at(k)->tunables) continue;
            const vkmm_config planned = vkmm_planned_config(&devices[d], &plain, vkmm_kernel_at(k));
            assert_true(planned.values[VKMM_TUNE_DEPTH] > 0);      /* also where it cannot run */
            if (strncmp(wish.kernel, "coopmat", 7) == 0) continue; /* test_matrices.c */
            if (strcmp(wish.kernel, "cpu") == 0 &&
                (!devices[d].subgroup.has_broadcast || devices[d].subgroup.size > 32))
                continue;
            for (uint64_t i = 0; i < 40 * 2 * 2 * 2 * 2; i++) {
                const vkmm_problem problem = VKMM_PROBLEM(.m = i & 1 ? 77 : i / 16, .n = i & 1 ? i / 16 : 77, .k = 500,
                                                          .type = i & 8 ? VKMM_F64 : VKMM_F32,
                                                          .op_a = (vkmm_op)(i >> 1 & 1), .op_b = (vkmm_op)(i >> 2 & 1));
                vkmm_choice choice;
                if (!vkmm_module_for(wish.kernel, &problem, &devices[d], NULL)) continue; /* f64 */
                if (choose(&devices[d], &problem, &wish, &choice) != VKMM_OK)
                    fail_msg("%s on %s: %s", wish.kernel, devices[d].name, vkmm_last_error());
                assert_within_limits(&devices[d], &choice.problem, &choice);
            }
        }
}

static vkmm_choice choice_of(size_t device, vkmm_problem problem)
{
    vkmm_choice choice;
    assert_ok(choose(&devices[device], &problem, NULL, &choice));
    return choice;
}

/* Few tiles: K is split until the processors have something to do. Many: it is not, since the second pass would cost
 * time for nothing. */
TEST(k_is_split_where_tiles_are_few)
{
    vkmm_choice few = choice_of(DESKTOP, VKMM_PROBLEM(.m = 128, .n = 128, .k = 14336, .type = VKMM_F32)),
                many = choice_of(DESKTOP, VKMM_PROBLEM(.m = 8192, .n = 8192, .k = 8192, .type = VKMM_F32));
    assert_true(few.info.splits > 8 && few.info.items >= 100 && few.reduce);
    assert_int_equal(many.info.splits, 1);
    assert_null(many.reduce);
    assert_int_equal(choice_of(DESKTOP, VKMM_PROBLEM(.m = 2048, .n = 2048, .k = 2048, .type = VKMM_F32)).info.splits,
                     1);
    assert_true(choice_of(DESKTOP, VKMM_PROBLEM(.m = 16, .n = 1, .k = 1 << 20, .type = VKMM_F32)).info.splits > 8);
    /* Large tiles for large products, small ones for small. */
    assert_true(many.info.tile[0] * many.info.tile[1] >
                choice_of(DESKTOP, VKMM_PROBLEM(.m = 256, .n = 256, .k = 256, .type = VKMM_F32)).info.tile[0] * 64);
}

/* Whole tiles that all run at once on a device that was measured. */
TEST(one_round_on_an_nvidia_gpu)
{
    vkmm_device_info h200 = devices[DESKTOP];
    h200.driver.id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    static const struct {
        uint64_t m, n, k;
        int tuned;
    } cases[] = {{2048, 2048, 2048, 1}, {2049, 2048, 2048, 0}, {4096, 4096, 4096, 0}, {4096, 512, 14336, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vkmm_problem problem = VKMM_PROBLEM(.m = cases[i].m, .n = cases[i].n, .k = cases[i].k, .type = VKMM_F32);
        vkmm_choice choice;
        assert_ok(choose(&h200, &problem, NULL, &choice));
        assert_int_equal(strstr(choice.info.config, "lane-cols=16") != NULL, cases[i].tuned);
        assert_true(choice.module->needs == VKMM_NEEDS_NVIDIA);
        assert_ok(choose(&devices[DESKTOP], &problem, NULL, &choice));
        assert_true(!strstr(choice.info.config, "lane-cols=16") && choice.module->needs == 0);
    }
}

/* llvmpipe of older Mesa releases would leave longer loops early. */
TEST(llvmpipe_gets_loops_that_it_finishes)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 300000, .type = VKMM_F32);
    const vkmm_choice choice = choice_of(OLD_LLVMPIPE, problem);
    assert_true(choice.info.splits >= 4 && choice.split_depth / choice.config.values[VKMM_TUNE_DEPTH] < 22000);
}

static uint32_t alignment(vkmm_problem problem)
{
    const vkmm_choice choice = choice_of(DESKTOP, problem);
    return constant(&choice.info, VKMM_SPEC_ALIGNED);
}

/* A row that does not begin, or does not end, at a multiple of 16 bytes cannot be read in vectors. */
TEST(vectors_need_even_rows)
{
    vkmm_problem problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64);
    assert_int_equal(alignment(problem), VKMM_ALIGNED_A | VKMM_ALIGNED_B | VKMM_ALIGNED_C);
    problem.lda = 65;
    assert_int_equal(alignment(problem), VKMM_ALIGNED_B | VKMM_ALIGNED_C);
    problem.lda = 68;
    problem.offset_b = 2;
    assert_int_equal(alignment(problem), VKMM_ALIGNED_A | VKMM_ALIGNED_C);
    problem.k = 63;
    assert_int_equal(alignment(problem), VKMM_ALIGNED_C);
    problem.type = VKMM_F64;
    problem.k = 62;
    assert_int_equal(alignment(problem), VKMM_ALIGNED_A | VKMM_ALIGNED_B | VKMM_ALIGNED_C);
}

TEST(a_configuration_is_refused_with_its_rule)
{
    static const struct {
        const char *kernel, *config, *words;
    } cases[] = {
        {"blocked", "rows=66", "rows must be a multiple of thread-rows"},
        {"blocked", "rows=256,cols=256,depth=32,thread-rows=16,thread-cols=8,slices=1,buffers=2",
         "maxComputeSharedMemorySize"},
        {"blocked", "rows=256,cols=256,depth=8,thread-rows=16,thread-cols=16,slices=1", "registers"},
        {"blocked", "depth=3", "vector"},
        {"blocked", "colour=3", "no tunable \"colour\"; it has rows, cols, depth"},
        {"blocked", "rows=x", "whole number"},
        {"skinny", "threads=48", "power of two"},
        {"cpu", "cols=36", "subgroup"},
    };
    const vkmm_problem problem = VKMM_PROBLEM(.m = 512, .n = 512, .k = 512, .type = VKMM_F32);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vkmm_wish wish = {.kernel = cases[i].kernel, .config = cases[i].config};
        vkmm_choice choice;
        assert_int_not_equal(choose(&devices[DESKTOP], &problem, &wish, &choice), VKMM_OK);
        assert_contains(vkmm_last_error(), cases[i].words);
    }
}

/* A tuning result is taken as far as it is legal, and only where nobody asked for something else. */
TEST(tuning_results_are_taken_where_legal)
{
    const vkmm_candidate good = {"blocked", "rows=32,cols=32,depth=16,thread-rows=4,thread-cols=4,slices=2,splits=1"};
    const vkmm_candidate bad = {"blocked", "rows=33"};
    const vkmm_problem problem = VKMM_PROBLEM(.m = 512, .n = 512, .k = 512, .type = VKMM_F32);
    vkmm_choice choice;
    vkmm_wish wish = {.tuned = &good};
    assert_ok(choose(&devices[DESKTOP], &problem, &wish, &choice));
    assert_true(choice.info.tuned && choice.info.tile[0] == 32);
    wish.config = "rows=64,cols=64,depth=16,thread-rows=8,thread-cols=8,slices=1";
    wish.kernel = "blocked";
    assert_ok(choose(&devices[DESKTOP], &problem, &wish, &choice));
    assert_true(!choice.info.tuned && choice.info.tile[0] == 64);
    wish = (vkmm_wish){.tuned = &bad};
    assert_ok(choose(&devices[DESKTOP], &problem, &wish, &choice));
    assert_false(choice.info.tuned);
}

/* Unaccelerated, they take longer than the multiply-adds that they stand for. */
TEST(bytes_are_multiplied_by_dot_products_only_where_accelerated)
{
    static const struct {
        const char *name;
        int signs; /* 1: i8, 2: u8 */
    } cases[] = {{"VEGA10", 0}, {"NAVI10", 0}, {"NAVI21", 3}, {"SKL", 0}, {"DG2", 3}, {"Adreno (TM) 750", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int type = VKMM_I8; type <= VKMM_U8; type++) {
            const vkmm_problem problem = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1024, .type = (vkmm_type)type);
            const vkmm_wish wish = {.kernel = "blocked"};
            vkmm_choice choice;
            size_t d = 0;
            while (d + 1 < DEVICES && !strstr(devices[d].name, cases[i].name)) d++;
            assert_ok(choose(&devices[d], &problem, &wish, &choice));
            uint32_t first = 0;
            const vkmm_module *best =
                vkmm_module_next("blocked", choice.problem.type, vkmm_problem_compute(&choice.problem), &first);
            const int built = (best->needs & VKMM_NEEDS_DOT8) != 0; /* old shader compilers do not know them */
            assert_int_equal(choice.info.uses_dot8, (cases[i].signs & (type == VKMM_U8 ? 2 : 1)) && built);
        }
}

/* Words where nothing multiplies bytes faster, unless a binding cannot hold them. */
TEST(residues_are_bytes_where_these_are_fast)
{
    static const struct {
        size_t device;
        int dot8;
        uint64_t n, k;
        vkmm_type residues;
        uint32_t products;
    } cases[] = {
        {DESKTOP, 1, 100, 100, VKMM_I8, 15},        {DESKTOP, 0, 100, 100, VKMM_I32, 11},
        {MOBILE, 1, 1, 100, VKMM_I8, 15},           {MOBILE, 0, 100, 100, VKMM_I32, 11},
        {SWIFTSHADER, 1, 100, 2048, VKMM_I32, 11},  {SWIFTSHADER, 1, 100, 2049, VKMM_I32, 12},
        {SWIFTSHADER, 1, 100, 8193, VKMM_I32, 14},  {SWIFTSHADER, 1, 10, 131071, VKMM_I32, 15},
        {SWIFTSHADER, 0, 4096, 4096, VKMM_I8, 15},  {LLVMPIPE, 1, 100, 100, VKMM_I32, 11},
        {OLD_LLVMPIPE, 1, 2048, 2048, VKMM_I8, 15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vkmm_device_info device = devices[cases[i].device];
        vkmm_choice choice;
        const vkmm_problem problem = VKMM_PROBLEM(.m = cases[i].n, .n = cases[i].n, .k = cases[i].k, .type = VKMM_F64,
                                                  .method = VKMM_COMPUTE_MODULAR);
        device.features.dot8 = cases[i].dot8;
        device.memory.max_allocation_bytes = device.memory.max_buffer_bytes = UINT64_MAX;
        assert_ok(choose(&device, &problem, NULL, &choice));
        assert_int_equal(choice.info.residues, cases[i].residues);
        assert_int_equal(choice.info.products, cases[i].products);
        assert_int_equal(choice.info.moduli, 15);
    }
}

static double log2_of_all(uint32_t bits, uint32_t count, uint32_t moduli[VKMM_MODULAR_MOST])
{
    double sum = 0;
    vkmm_modular_numbers(bits, count, moduli);
    for (uint32_t i = 0; i < count; i++) sum += log2(moduli[i]);
    return sum;
}

/* Any two are coprime, sums stay below 2^31, and what the shaders make of them fits into 32 bits. */
TEST(moduli_hold_what_they_promise)
{
    static const uint32_t bytes[] = {256, 255, 253, 251, 247, 241, 239, 233, 229,
                                     227, 223, 217, 211, 199, 197, 193, 191, 181};
    static const uint64_t depths[] = {1, 2048, 2049, 8192, 32768, VKMM_MODULAR_DEPTH};
    uint32_t m[VKMM_MODULAR_MOST], own[VKMM_MODULAR_MOST];
    vkmm_modular_numbers(8, VKMM_MODULAR_MOST, m);
    assert_memory_equal(m, bytes, sizeof bytes);
    assert_true(log2_of_all(8, vkmm_modular_range_of(VKMM_F32)->most, m) < 5 * 19 - 2); /* its limbs, and a sign */
    assert_true((uint64_t)VKMM_MODULAR_MOST << (8 + 19) < 1ull << 32); /* sums of limbs of Π, for bytes */
    for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++)
        for (uint32_t moduli = vkmm_modular_range_of(VKMM_F32)->fewest; moduli <= VKMM_MODULAR_MOST; moduli++) {
            const uint32_t bits = vkmm_modular_bits(depths[d]), count = vkmm_modular_products(bits, moduli);
            assert_in_range(count, 1, moduli);
            assert_true(log2_of_all(bits, count, own) >= log2_of_all(8, moduli, m) - 1e-9);
            assert_true((uint64_t)count << (bits + 16) < 1ull << 31); /* the same for words (modular_finish.comp) */
            for (uint32_t i = 0; i < count; i++) {
                assert_in_range(own[0] - own[i], 0, 255);
                assert_true(depths[d] * (own[i] / 2) * (own[i] / 2) <= (i > 0 ? INT32_MAX : 1ull << 31));
                for (uint32_t j = 0; j < i; j++)
                    for (uint32_t by = 2; by <= own[i]; by++) assert_true(own[i] % by > 0 || own[j] % by > 0);
            }
        }
}

static uint64_t hash_of_choices(size_t device)
{
    static const uint64_t extents[] = {1, 4, 8, 9, 24, 64, 100, 1000, 1024, 4096};
    enum { EXTENTS = sizeof extents / sizeof extents[0] };
    uint64_t hash = VKMM_HASH_START;
    for (int type = VKMM_F32; type <= VKMM_U8; type++) /* those that were measured */
        for (size_t i = 0; i < EXTENTS * EXTENTS * EXTENTS * 4; i++) {
            const size_t op = i / EXTENTS / EXTENTS / EXTENTS;
            vkmm_choice choice;
            const vkmm_problem problem =
                VKMM_PROBLEM(.m = extents[i % EXTENTS], .n = extents[i / EXTENTS % EXTENTS],
                             .k = extents[i / EXTENTS / EXTENTS % EXTENTS], .type = (vkmm_type)type,
                             .op_a = (vkmm_op)(op % 2), .op_b = (vkmm_op)(op / 2));
            if (choose(&devices[device], &problem, NULL, &choice) != VKMM_OK) continue;
            if (type == VKMM_F64 && !devices[device].features.f64) continue; /* mostly those of bytes */
            hash = vkmm_hash(hash, choice.info.name, strlen(choice.info.name));
            hash = vkmm_hash(hash, choice.info.config, strlen(choice.info.config));
        }
    return hash;
}

/* The presets of these devices come from measurements on them: a change for others must not change their choices.
 * Whoever measures again replaces the hashes. */
TEST(measured_devices_keep_their_choices)
{
    static const struct {
        size_t device; /* an H200's limits, SwiftShader, llvmpipe */
        uint64_t hash;
    } measured[] = {{DESKTOP, 0x9d7712bc9315fba3},
                    {SWIFTSHADER, 0xb82c1001e840cf25},
                    {LLVMPIPE, 0xeef12ad61789d9a5},
                    {OLD_LLVMPIPE, 0xf44da500bb23d6a5}};
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (hash_of_choices(measured[i].device) != measured[i].hash)
            fail_msg("%s: 0x%016llx", devices[measured[i].device].name,
                     (unsigned long long)hash_of_choices(measured[i].device));
}

static void assert_within_budget(const vkmm_device_info *device, vkmm_type type)
{
    static const uint64_t extents[] = {1, 2, 3, 4, 8, 9, 100, 4096};
    enum { EXTENTS = sizeof extents / sizeof extents[0] };
    for (size_t i = 0; i < EXTENTS * EXTENTS * 4; i++) {
        const size_t op = i / EXTENTS / EXTENTS;
        const vkmm_problem problem =
            VKMM_PROBLEM(.m = extents[i % EXTENTS], .n = extents[i / EXTENTS % EXTENTS], .k = 4096, .type = type,
                         .op_a = (vkmm_op)(op % 2), .op_b = (vkmm_op)(op / 2));
        vkmm_choice choice;
        assert_ok(choose(device, &problem, NULL, &choice));
        const vkmm_shape shape = vkmm_shape_of_config(device, choice.kernel, &choice.problem, &choice.config);
        assert_in_range(shape.held, 1, vkmm_budget_of(device).most);
    }
}

/* Where a compiler spills beyond a budget of registers, smaller blocks are chosen; where only fewer invocations would
 * run at once, a block that costs less by that. */
TEST(the_planner_keeps_to_a_budget_of_registers)
{
    static const struct {
        uint32_t driver_id, min_subgroup_size;
        uint32_t rows, cols, thread_rows, thread_cols; /* of a large product in f32 */
    } cases[] = {{VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 8, 64, 64, 4, 4},
                 {VK_DRIVER_ID_ARM_PROPRIETARY, 16, 64, 64, 4, 4},
                 {VK_DRIVER_ID_MESA_TURNIP, 64, 64, 64, 8, 4},
                 {VK_DRIVER_ID_MESA_RADV, 0, 64, 64, 8, 4},
                 {VK_DRIVER_ID_MESA_RADV, 32, 64, 128, 8, 8},
                 {VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 64, 128, 8, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vkmm_problem large = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096);
        vkmm_device_info device = devices[0];
        device.driver.id = cases[i].driver_id;
        device.subgroup.min_size = cases[i].min_subgroup_size;
        vkmm_choice choice;
        assert_ok(choose(&device, &large, NULL, &choice));
        assert_memory_equal(choice.info.tile, &cases[i].rows, sizeof choice.info.tile);
        assert_int_equal(choice.config.values[VKMM_TUNE_THREAD_ROWS], cases[i].thread_rows);
        assert_int_equal(choice.config.values[VKMM_TUNE_THREAD_COLS], cases[i].thread_cols);
        for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) assert_within_budget(&device, (vkmm_type)type);
    }
}

/* f64 on each Intel generation that has it: the first runs at most 448 invocations in its narrowest subgroups, and
 * wider subgroups halve the registers of an invocation. */
TEST(wide_subgroups_have_fewer_registers)
{
    const vkmm_problem large = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F64);
    size_t found = 0;
    for (size_t i = 0; i < DEVICES; i++) {
        const vkmm_device_info *device = &devices[i];
        if (device->driver.id != VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || !device->features.f64) continue;
        vkmm_choice choice;
        assert_ok(choose(device, &large, NULL, &choice));
        assert_in_range(choice.info.workgroup[0], 1, device->subgroup.max_count == 56 ? 448 : 512);
        assert_within_budget(device, VKMM_F64);
        found++;
    }
    assert_true(found > 0);
}

/* Fitting a configuration that the planner has fitted changes nothing: users name such configurations. */
TEST(a_fitted_configuration_fits)
{
    static const uint64_t sides[] = {1, 2, 3, 4, 5, 8, 9, 16};
    enum { SIDES = sizeof sides / sizeof sides[0] };
    static const uint32_t values[] = {1, 2, 4, 8, 16, 64};
    enum { VALUES = sizeof values / sizeof values[0] };
    const vkmm_kernel *skinny = vkmm_kernel_find("skinny");
    for (size_t i = 0; i < SIDES * VALUES * VALUES * VALUES * 2; i++) {
        const uint64_t side = sides[i / 2 % SIDES];
        const vkmm_problem problem = VKMM_PROBLEM(.m = i % 2 ? side : 4096, .n = i % 2 ? 4096 : side, .k = 4096);
        vkmm_config config = {{0}}, again;
        config.values[VKMM_TUNE_ROWS] = values[i / 2 / SIDES % VALUES];
        config.values[VKMM_TUNE_COLS] = values[i / 2 / SIDES / VALUES % VALUES];
        config.values[VKMM_TUNE_THREAD_ROWS] = values[i / 2 / SIDES / VALUES / VALUES];
        skinny->fit(&problem, &config);
        again = config;
        skinny->fit(&problem, &again);
        assert_memory_equal(&again, &config, sizeof config);
    }
}

/* Sums in f16 take more of Intel's registers: with fewer elements along K, its compiler does not spill. */
TEST(few_registers_and_narrow_sums)
{
    vkmm_problem problem = VKMM_PROBLEM(.m = 4097, .n = 8, .k = 4097, .type = VKMM_F16, .op_b = VKMM_OP_T);
    vkmm_device_info device = devices[0];
    vkmm_choice choice;
    device.driver.id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    for (int narrow = 0; narrow < 2; narrow++) {
        problem.compute = narrow ? VKMM_F16 : VKMM_F32;
        assert_ok(choose(&device, &problem, NULL, &choice));
        assert_int_equal(choice.config.values[VKMM_TUNE_DEPTH], narrow ? 128 : 256);
    }
}
