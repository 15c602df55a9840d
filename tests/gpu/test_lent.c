/* Devices that another program lends. */
#include "lent.h"

#include <stdio.h>
#include <string.h>

#include "vk/device.h"

static lent_device lent;

static struct {
    unsigned errors, warnings;
    char last[1024];
} said;

static void note(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    said.errors += level == VKMM_LOG_ERROR;
    said.warnings += level == VKMM_LOG_WARNING;
    snprintf(said.last, sizeof said.last, "%s", sentence);
    printf("# %s\n", sentence);
}

static const vkmm_log notes = {note, NULL};

static int after(void **state)
{
    release_kept(state);
    lent_device_destroy(&lent);
    memset(&said, 0, sizeof said);
    assert_int_equal(lent.messages, 0);
    return 0;
}

static void destroy_device(void *object)
{
    vkmm_device *device = object;
    vkmm_device_destroy(&device);
}

static vkmm_device *borrow(lent_how how)
{
    return keep_object(lent_import(&lent, how, notes), destroy_device);
}

static void destroy_requirements(void *object)
{
    vkmm_requirements *requirements = object;
    vkmm_requirements_destroy(&requirements);
}

static vkmm_requirements *ask(void)
{
    const vkmm_requirements_params params = lent_requirements_params(&lent);
    vkmm_requirements *requirements = NULL;
    assert_int_equal(vkmm_device_requirements(&params, &requirements), VKMM_OK);
    return keep_object(requirements, destroy_requirements);
}

/* The program itself works, and validation says nothing of it. */
static void a_program_uses_its_device(void **state)
{
    (void)state;
    lent_device_create(&lent, NULL, NULL, 0);
    const lent_buffer *from = lent_buffer_create(&lent, 64), *to = lent_buffer_create(&lent, 64);
    VkCommandBuffer command = lent_begin(&lent);
    const VkMemoryBarrier host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    memset(from->mapped, 7, 64);
    lent.vkCmdPipelineBarrier(command, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &host, 0, NULL,
                              0, NULL);
    lent.vkCmdCopyBuffer(command, from->handle, to->handle, 1, &(VkBufferCopy){.size = 64});
    lent_submit(&lent, command);
    assert_memory_equal(from->mapped, to->mapped, 64);
    memset(to->mapped, 0, 64);
    lent_again(&lent, command);
    assert_memory_equal(from->mapped, to->mapped, 64);
    lent_free(&lent, command);
}

/* The fields of vkmm_device_info that depend on features, by the feature. */
static const struct {
    const char *feature;
    size_t field; /* 32 bits */
} fields[] = {
    {"shaderFloat64", offsetof(vkmm_device_info, has_f64)},
    {"storageBuffer16BitAccess", offsetof(vkmm_device_info, has_storage16)},
    {"storageBuffer8BitAccess", offsetof(vkmm_device_info, has_storage8)},
    {"shaderFloat16", offsetof(vkmm_device_info, has_f16)},
    {"shaderInt8", offsetof(vkmm_device_info, has_i8)},
    {"shaderIntegerDotProduct", offsetof(vkmm_device_info, has_dot)},
    {"shaderIntegerDotProduct", offsetof(vkmm_device_info, has_dot8)},
    {"subgroupSizeControl", offsetof(vkmm_device_info, max_subgroup_size)},
    {"subgroupSizeControl", offsetof(vkmm_device_info, max_subgroups)},
    {"computeFullSubgroups", offsetof(vkmm_device_info, max_subgroup_size)},
    {"computeFullSubgroups", offsetof(vkmm_device_info, max_subgroups)},
    {"vulkanMemoryModel", offsetof(vkmm_device_info, matrix_shape_count)},
    {"vulkanMemoryModelDeviceScope", offsetof(vkmm_device_info, matrix_shape_count)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, matrix_shape_count)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, matrix2)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, has_bf16_matrices)},
    {"shaderBFloat16Type", offsetof(vkmm_device_info, has_bf16_matrices)},
    {"shaderBFloat16CooperativeMatrix", offsetof(vkmm_device_info, has_bf16_matrices)},
    {"maintenance4", offsetof(vkmm_device_info, matrix2)},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint32_t field(const vkmm_device_info *info, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)info + offset, sizeof value);
    return value;
}

/* What is not missing is as an own device has it. missing: NULL, or the only feature that is not enabled. */
static void compare(const vkmm_device_info *info, const vkmm_device_info *own, const char *missing)
{
    assert_string_equal(info->name, own->name);
    assert_memory_equal(info->uuid, own->uuid, sizeof own->uuid);
    assert_int_equal(info->min_subgroup_size, own->min_subgroup_size);
    for (size_t i = 0; i < FIELDS; i++) {
        int lost = 0;
        for (size_t j = 0; missing && j < FIELDS; j++)
            lost |= fields[j].field == fields[i].field && strcmp(fields[j].feature, missing) == 0;
        assert_int_equal(field(info, fields[i].field), lost ? 0 : field(own, fields[i].field));
    }
}

static void destroy_instance(void *object)
{
    vkmm_instance *instance = object;
    vkmm_instance_destroy(&instance);
}

static const vkmm_device_info *own_info(void)
{
    vkmm_instance *instance = NULL;
    assert_int_equal(vkmm_instance_create(NULL, &instance), VKMM_OK);
    keep_object(instance, destroy_instance);
    return vkmm_instance_device_info(instance, 0);
}

static int own_pushes_sets(void)
{
    vkmm_instance *instance = NULL;
    vkmm_device *device = NULL;
    assert_int_equal(vkmm_instance_create(NULL, &instance), VKMM_OK);
    keep_object(instance, destroy_instance);
    assert_int_equal(vkmm_device_create(instance, 0, &device), VKMM_OK);
    keep_object(device, destroy_device);
    return device->has_push_descriptors;
}

static void what_is_enabled_is_used(void **state)
{
    (void)state;
    for (lent_how how = LENT_SEPARATE; how <= LENT_VERSIONS; how++) {
        uint32_t count = 99;
        const vkmm_device *device = borrow(how);
        vkmm_device_lacks(device, &count);
        assert_int_equal(count, 0);
        compare(vkmm_device_describe(device), own_info(), NULL);
        assert_int_equal(device->has_push_descriptors, own_pushes_sets());
        assert_int_equal(said.errors + said.warnings, 0);
        release_kept(NULL);
        lent_device_destroy(&lent);
    }
}

static void nothing_else_is_used(void **state)
{
    (void)state;
    uint32_t count, wanted;
    const vkmm_device *device = borrow(LENT_BARE);
    const vkmm_device_info *info = vkmm_device_describe(device);
    const vkmm_requirement *lacks = vkmm_device_lacks(device, &count);
    const vkmm_requirement *list = vkmm_requirements_list(ask(), &wanted);
    assert_int_equal(count, wanted);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lacks[i].feature, list[i].feature);
        assert_string_equal(lacks[i].extension, list[i].extension);
    }
    for (size_t i = 0; i < FIELDS; i++) assert_int_equal(field(info, fields[i].field), 0);
    assert_string_not_equal(info->no_matrices, "");
    assert_int_equal(info->api_version, lent.api_version < info->api_version ? 0 : info->api_version);
    assert_int_equal(said.warnings, own_info()->has_f64);
    if (said.warnings > 0) assert_non_null(strstr(said.last, "was lent without shaderFloat64: no f64 products"));
}

/* All but one. */
static void each_feature_counts(void **state)
{
    (void)state;
    const vkmm_device_info *own = own_info();
    const vkmm_feature *feature;
    for (uint32_t i = 0; (feature = vkmm_feature_at(i)) != NULL; i++) {
        VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
        vkmm_requirements *requirements = ask();
        uint32_t count;
        assert_int_equal(vkmm_requirements_merge(requirements, &features), VKMM_OK);
        VkBool32 *found = vkmm_feature_find(feature, &features);
        if (!found || !*found) continue; /* the device lacks it */
        *found = VK_FALSE;
        const char *const *extensions = vkmm_requirements_extensions(requirements, &count);
        lent_device_create(&lent, &features, extensions, count);
        vkmm_import_params params = lent_import_params(&lent);
        vkmm_device *device = NULL;
        params.features = &features;
        params.extensions = extensions;
        params.extension_count = count;
        assert_int_equal(vkmm_device_import(&params, &device), VKMM_OK);
        const vkmm_requirement *lacks = vkmm_device_lacks(device, &count);
        assert_int_equal(count, 1);
        assert_string_equal(lacks[0].feature, feature->name);
        assert_int_equal(lacks[0].required, strcmp(feature->name, "shaderFloat64") == 0);
        compare(vkmm_device_describe(device), own, feature->name);
        vkmm_device_destroy(&device);
        lent_device_destroy(&lent);
    }
}

/* A feature without its extension. */
static void extensions_count(void **state)
{
    (void)state;
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkmm_requirements *requirements = ask();
    uint32_t count, lacking, extensions = 0;
    assert_int_equal(vkmm_requirements_merge(requirements, &features), VKMM_OK);
    const vkmm_requirement *list = vkmm_requirements_list(requirements, &count);
    for (uint32_t i = 0; i < count; i++) extensions += list[i].extension[0] != '\0';
    if (extensions == 0) skip();
    lent_device_create(&lent, NULL, NULL, 0);
    vkmm_import_params params = lent_import_params(&lent);
    vkmm_device *device = NULL;
    params.features = &features;
    params.log = notes;
    assert_int_equal(vkmm_device_import(&params, &device), VKMM_OK);
    keep_object(device, destroy_device);
    vkmm_device_lacks(device, &lacking);
    assert_int_equal(lacking, extensions);
    if (lent.api_version < VK_API_VERSION_1_2) {
        assert_int_equal(said.warnings, 1);
        assert_non_null(strstr(said.last, "extensions are not enabled"));
    }
}

static void nothing_is_submitted_or_allocated(void **state)
{
    (void)state;
    vkmm_device *device = borrow(LENT_SEPARATE);
    const vkmm_problem problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8);
    const vkmm_job_params job_params = {.problem = problem};
    const vkmm_stream_params stream_params = {.job = job_params};
    vkmm_job *job = NULL;
    vkmm_stream *stream = NULL;
    assert_int_equal(vkmm_job_create(device, NULL, &job_params, &job), VKMM_UNSUPPORTED);
    assert_non_null(strstr(said.last, "was lent for recording"));
    assert_null(job);
    said.last[0] = '\0';
    assert_int_equal(vkmm_stream_create(device, NULL, &stream_params, &stream), VKMM_UNSUPPORTED);
    assert_non_null(strstr(said.last, "was lent for recording"));
    assert_null(stream);
    assert_int_equal(said.errors, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_uses_its_device), cmocka_unit_test(what_is_enabled_is_used),
        cmocka_unit_test(nothing_else_is_used),      cmocka_unit_test(each_feature_counts),
        cmocka_unit_test(extensions_count),          cmocka_unit_test(nothing_is_submitted_or_allocated),
    };
    static const uint32_t versions[] = {0, VK_API_VERSION_1_1};
    int failed = 0;
    for (size_t i = 0; i < 2; i++) {
        int absent = lent_open(&lent, versions[i]);
        if (absent) return absent;
        printf("# as Vulkan %u.%u\n", VK_API_VERSION_MAJOR(lent.api_version), VK_API_VERSION_MINOR(lent.api_version));
        failed |= run_group("lent devices", tests, sizeof tests / sizeof *tests, after) != 0;
        failed |= lent_close(&lent) != 0;
    }
    return failed;
}
