/* What a check found: kept for a device and its driver's version, and avoided by the planner. No Vulkan: an instance is
 * what it keeps. */
#include "folder.h"

#include "math/type.h"
#include "plan/choose.h"
#include "vk/cooperative_matrix.h"
#include "vk/instance.h"
#include "vk/pipeline_cache_file.h"

static heard said;
static vkmm_instance instance;
static vkmm_physical gpu;
static char here[] = ".";

#define F16(m, n, k)                                                                                          \
    {                                                                                                         \
        m, n, k, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR, \
            VK_COMPONENT_TYPE_FLOAT32_KHR, VK_SCOPE_SUBGROUP_KHR, 0                                           \
    }

static const vkmm_device_info like_nvidias = {
    .name = "GPU",
    .uuid = {1, 2, 3},
    .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    .processors = 132,
    .driver.uuid = {9},
    .driver.version = 7,
    .limits.max_invocations = 1024,
    .limits.max_workgroup_size = {1024, 1024, 64},
    .limits.max_workgroup_count = {65535, 65535, 65535},
    .limits.max_storage_range = UINT32_MAX,
    .limits.max_shared_bytes = 49152,
    .features.f16 = 1,
    .features.storage16 = 1,
    .subgroup.size = 32,
    .subgroup.min_size = 32,
    .subgroup.max_size = 32,
    .subgroup.has_broadcast = 1,
    .matrices.refusal = "",
    .matrices.matrix2 = VKMM_MATRIX2_FLEXIBLE,
    .matrices.shape_count = 2,
    .matrices.shapes = {F16(16, 8, 16), F16(16, 16, 16)},
};

static int begin(void **state)
{
    instance = (vkmm_instance){.log = hear_with(&said), .cache_dir = here};
    return enter_folder(state);
}

/* As a new process sees the device. */
static const vkmm_device_info *look(uint32_t version)
{
    gpu = (vkmm_physical){.info = like_nvidias};
    gpu.info.driver.version = version;
    vkmm_findings_read(&instance, &gpu);
    return &gpu.info;
}

static void keep(const char *one, const char *two)
{
    vkmm_device_check check = {.date = "2026-11-21T12:00:00Z"};
    if (one) snprintf(check.findings[check.finding_count++], VKMM_FINDING, "%s", one);
    if (two) snprintf(check.findings[check.finding_count++], VKMM_FINDING, "%s", two);
    vkmm_findings_write(&instance, &like_nvidias, &check);
}

static const char *chosen(const vkmm_device_info *info, vkmm_type type, vkmm_wish wish)
{
    static vkmm_choice choice;
    const vkmm_problem problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = type);
    return vkmm_choose(info, &problem, &wish, &choice) == VKMM_OK ? choice.info.name : vkmm_last_error();
}

TEST_WITH(findings_are_of_one_version_of_a_driver, begin, leave_folder)
{
    assert_null(look(7)->check);
    keep("kernel blocked f32", NULL);
    assert_int_equal(look(7)->check->finding_count, 1);
    assert_string_equal(gpu.check.findings[0], "kernel blocked f32");
    assert_string_equal(gpu.check.date, "2026-11-21T12:00:00Z");
    assert_null(look(8)->check);
    gpu = (vkmm_physical){.info = like_nvidias};
    gpu.info.uuid[0]++;
    vkmm_findings_read(&instance, &gpu);
    assert_null(gpu.info.check);
    keep(NULL, NULL);
    assert_int_equal(look(7)->check->finding_count, 0);
    instance.cache_dir = NULL; /* --no-cache */
    keep("kernel blocked f32", NULL);
    assert_null(look(7)->check);
    assert_int_equal(said.count, 0);
}

TEST_WITH(another_kernel_multiplies, begin, leave_folder)
{
    const vkmm_wish any = {.kernel = NULL}, blocked = {.kernel = "blocked"}, tile = {.tile_rows = 16, .tile_cols = 16};
    assert_string_equal(chosen(look(7), VKMM_F32, any), "blocked");
    keep("kernel blocked f32", NULL);
    const vkmm_device_info *info = look(7);
    assert_string_equal(chosen(info, VKMM_F32, any), "tiled");
    assert_string_equal(chosen(info, VKMM_I32, any), "blocked");
    assert_string_equal(chosen(info, VKMM_I32, blocked), "blocked");
    assert_string_equal(
        chosen(info, VKMM_F32, blocked),
        "the kernel blocked is not used for f32 on \"GPU\": its products were wrong when this driver was checked "
        "(2026-11-21); 'vkmatmul check' checks them again");
    assert_string_equal(chosen(info, VKMM_F32, tile), "tiled");
    keep("kernel tiled f32", "kernel blocked f32");
    assert_contains(chosen(look(7), VKMM_F32, tile), "the kernel tiled is not used for f32");
    assert_string_equal(chosen(look(7), VKMM_F32, any), "skinny");
}

/* If nothing is right, nothing is multiplied. */
TEST_WITH(no_kernel_is_left, begin, leave_folder)
{
    vkmm_device_check check = {.date = "2026-11-21T12:00:00Z"};
    for (uint32_t i = 0; vkmm_kernel_at(i) != NULL; i++)
        snprintf(check.findings[check.finding_count++], VKMM_FINDING, "kernel %s f32", vkmm_kernel_at(i)->name);
    vkmm_findings_write(&instance, &like_nvidias, &check);
    assert_contains(chosen(look(7), VKMM_F32, (vkmm_wish){.kernel = NULL}), "is not used for f32 on \"GPU\"");
}

TEST_WITH(a_wrong_shape_is_not_listed, begin, leave_folder)
{
    char finding[2][VKMM_FINDING];
    const vkmm_matrix_shape shapes[2] = {F16(16, 8, 16), F16(16, 16, 16)};
    for (int i = 0; i < 2; i++) vkmm_finding_of_shape(&shapes[i], finding[i]);
    keep(finding[0], NULL);
    const vkmm_device_info *info = look(7);
    assert_int_equal(info->matrices.shape_count, 1);
    assert_memory_equal(&info->matrices.shapes[0], &shapes[1], sizeof shapes[1]);
    assert_string_equal(info->matrices.refusal, "");
    assert_int_equal(info->matrices.matrix2, VKMM_MATRIX2_FLEXIBLE);
    keep(finding[1], finding[0]);
    info = look(7);
    assert_int_equal(info->matrices.shape_count, 0);
    assert_int_equal(info->matrices.matrix2, 0);
    assert_contains(info->matrices.refusal, "'vkmatmul check' found every shape wrong");
    if (vkmm_module_find("coopmat", VKMM_F16, VKMM_BUILD_PLAIN) == NULL) return;
    assert_contains(chosen(info, VKMM_F16, (vkmm_wish){.kernel = "coopmat"}),
                    "'vkmatmul check' found every shape wrong");
}

/* Any bytes: lines that are no findings are ignored. */
TEST_WITH(a_damaged_file_has_fewer_findings, begin, leave_folder)
{
    static const struct {
        const char *text;
        uint32_t findings;
        int checked;
    } cases[] = {{"", 0, 0},
                 {"\n\n", 0, 0},
                 {"2026-11-21T12:00:00Z", 0, 0}, /* was cut */
                 {"2026-11-21T12:00:00Z\nkernel cpu f32\nkernel blocked f", 1, 1},
                 {"2026-11-21T12:00:00Z\nkernel \033[31m f32\nkernel cpu f32\n", 1, 1},
                 {"2026-11-21T12:00:00Z\n"
                  "kernel aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa f32\n",
                  0, 1}};
    char name[VKMM_PIPELINES_NAME];
    vkmm_pipelines_name(&like_nvidias, "check", "txt", name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(name, cases[i].text);
        const vkmm_device_info *info = look(7);
        assert_int_equal(info->check != NULL, cases[i].checked);
        if (info->check != NULL) assert_int_equal(info->check->finding_count, cases[i].findings);
    }
}
