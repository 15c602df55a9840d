/* Flexible matrices on devices that are not here: which configurations their granules allow, and what is said of the
 * others. */
#include "unit.h"
#include "base/log.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "plan/choose.h"

enum { WORKGROUP = 2, SUBGROUP = 3, FLOAT16 = 0, FLOAT32 = 1 };

static heard said;
static vkmm_device_info gpu;

static void add_granule(uint32_t m, uint32_t n, uint32_t k, uint32_t c, uint32_t scope, uint32_t invocations)
{
    const vkmm_matrix_shape of = {m, n, k, FLOAT16, FLOAT16, c, c, scope, 0};
    gpu.matrices.granules[gpu.matrices.granule_count++] = (vkmm_matrix_granule){of, invocations};
}

/* Has all of the extension; workgroups of 128 and 256 own matrices. */
static int make_gpu(void **state)
{
    gpu = (vkmm_device_info){
        .name = "GPU",
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .processors = 132,
        .subgroup.size = 32,
        .subgroup.min_size = 32,
        .subgroup.max_size = 32,
        .limits.max_invocations = 1024,
        .limits.max_workgroup_size = {1024, 1024, 64},
        .limits.max_workgroup_count = {2147483647, 65535, 65535},
        .limits.max_shared_bytes = 49152,
        .limits.max_storage_range = UINT32_MAX,
        .features.f16 = 1,
        .features.storage16 = 1,
        .matrices.matrix2 = 127,
        .matrices.max_dimension = 1024,
        .matrices.max_invocations = 256,
        .matrices.refusal = "",
    };
    for (uint32_t c = FLOAT16; c <= FLOAT32; c++) {
        add_granule(16, 16, 16, c, SUBGROUP, 0);
        add_granule(32, 32, 16, c, WORKGROUP, 128);
        add_granule(64, 32, 16, c, WORKGROUP, 256);
    }
    return 0;
}

static vkmm_status choose(const vkmm_problem *problem, const char *config, vkmm_choice *choice)
{
    const vkmm_wish wish = {.kernel = "coopmat2", .config = config};
    const vkmm_log log = hear_with(&said);
    return vkmm_tell(&log, vkmm_choose(&gpu, problem, &wish, choice));
}

static void refuses(const char *config, const char *words)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F16);
    vkmm_choice choice;
    assert_int_equal(choose(&problem, config, &choice), VKMM_UNSUPPORTED);
    assert_contains(said.last, words);
}

static int is_built(void)
{
    return vkmm_module_find("coopmat2", VKMM_F16, VKMM_BUILD_PLAIN) != NULL;
}

TEST_WITH(a_workgroup_owns_the_tile, make_gpu, NULL)
{
    const vkmm_problem large = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F16),
                       small = VKMM_PROBLEM(.m = 256, .n = 256, .k = 256, .type = VKMM_F16);
    vkmm_choice choice;
    if (!is_built()) skip();
    assert_int_equal(choose(&large, NULL, &choice), VKMM_OK);
    assert_true(choice.module->needs & VKMM_NEEDS_MATRIX2);
    assert_int_equal(choice.info.workgroup[0], 256);
    assert_int_equal(choice.info.tile[0] * choice.info.tile[1], 128 * 256);
    assert_int_equal(choice.info.subgroup_size, 0);
    assert_int_equal(choose(&small, NULL, &choice), VKMM_OK); /* for as many tiles as can be */
    assert_int_equal(choice.info.tile[0] * choice.info.tile[1], 64 * 64);
}

TEST_WITH(refusals_name_the_rule, make_gpu, NULL)
{
    if (!is_built()) skip();
    refuses("rows=128,cols=256,matrix-rows=64,matrix-cols=256", "the tile must divide into matrices");
    refuses("rows=32,cols=256,matrix-rows=32,matrix-cols=256,threads=256",
            "multiples of the granules"); /* 64 rows at 256 invocations */
    refuses("rows=128,cols=128,matrix-rows=128,matrix-cols=128,threads=64", "multiples of the granules");
    refuses("rows=128,cols=128,matrix-rows=128,matrix-cols=128,threads=512",
            "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize");
    refuses("rows=64,cols=64,matrix-rows=64,matrix-cols=64,depth=2048,threads=128",
            "cooperativeMatrixFlexibleDimensionsMaxDimension");
    refuses("rows=128,cols=128,matrix-rows=64,matrix-cols=64,threads=64,scope=3", "every subgroup must own one matrix");
    refuses("rows=256,cols=256,matrix-rows=256,matrix-cols=256,threads=256", "registers");
    refuses("scope=1", "scope must be 2 or 3");
    gpu.matrices.granule_count = 0;
    refuses(NULL, "multiples of the granules");
    gpu.matrices.matrix2 = VKMM_MATRIX2_BLOCK;
    refuses(NULL, "coopmat2");
}

TEST_WITH(subgroups_own_a_matrix_each, make_gpu, NULL)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F16);
    vkmm_choice choice;
    if (!is_built()) skip();
    assert_int_equal(
        choose(&problem, "rows=128,cols=128,depth=32,matrix-rows=64,matrix-cols=64,threads=128,scope=3", &choice),
        VKMM_OK);
    assert_int_equal(choice.info.workgroup[0], 128);
    assert_int_equal(choice.info.subgroup_size, 32);
    gpu.matrices.matrix2 &=
        ~(uint32_t)(VKMM_MATRIX2_WORKGROUP |
                    VKMM_MATRIX2_TENSOR); /* without: the planner's choice is one of these, by pointers */
    assert_int_equal(choose(&problem, NULL, &choice), VKMM_OK);
    assert_false(choice.module->needs & VKMM_NEEDS_MATRIX2);
    assert_int_equal(choice.info.subgroup_size, 32);
}
