/* What a driver tells of a pipeline, from a driver that is not there: its functions are stood in for. */
#include "unit.h"
#include "look/steps.h"
#include "vk/pipeline.h"

static VKAPI_ATTR VkResult VKAPI_CALL properties(VkDevice device, const VkPipelineInfoKHR *info, uint32_t *count,
                                                 VkPipelineExecutablePropertiesKHR *executables)
{
    (void)device, (void)info;
    assert_true(*count >= 2);
    *count = 2;
    executables[0].subgroupSize = 32;
    executables[1].subgroupSize = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL statistics(VkDevice device, const VkPipelineExecutableInfoKHR *info,
                                                 uint32_t *count, VkPipelineExecutableStatisticKHR *figures)
{
    (void)device;
    assert_true(*count >= 4);
    *count = info->executableIndex == 0 ? 4 : 0;
    strcpy(figures[0].name, "Register Count");
    strcpy(figures[0].description, "registers of an invocation");
    figures[0].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
    figures[0].value.u64 = UINT64_MAX;
    strcpy(figures[1].name, "Spills");
    figures[1].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR;
    figures[1].value.i64 = -3;
    strcpy(figures[2].name, "Early");
    figures[2].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR;
    figures[2].value.b32 = VK_TRUE;
    memset(figures[3].name, 'x', sizeof figures[3].name); /* no end */
    figures[3].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
    figures[3].value.f64 = 0.5;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL no_memory(VkDevice device, const VkPipelineInfoKHR *info, uint32_t *count,
                                                VkPipelineExecutablePropertiesKHR *executables)
{
    (void)device, (void)info, (void)count, (void)executables;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static vkmm_instance instance;
static vkmm_device device = {
    .instance = &instance,
    .table = {.vkGetPipelineExecutablePropertiesKHR = properties, .vkGetPipelineExecutableStatisticsKHR = statistics},
};
static const vkmm_pipeline pipeline;

TEST(every_format)
{
    vkmm_statistic found[8];
    uint32_t count = 8;
    assert_ok(vkmm_pipeline_statistics(&device, &pipeline, found, &count));
    assert_int_equal(count, 5);
    assert_string_equal(found[0].name, "Subgroup Size");
    assert_string_equal(found[0].value, "32");
    assert_string_equal(found[1].name, "Register Count");
    assert_string_equal(found[1].description, "registers of an invocation");
    assert_string_equal(found[1].value, "18446744073709551615");
    assert_string_equal(found[2].value, "-3");
    assert_string_equal(found[3].value, "true");
    assert_string_equal(found[4].value, "0.5");
    assert_int_equal(strlen(found[4].name), sizeof found[4].name - 1);
}

TEST(little_room)
{
    vkmm_statistic found[3];
    uint32_t count = 2;
    memset(&found[2], 'z', sizeof found[2]);
    assert_ok(vkmm_pipeline_statistics(&device, &pipeline, found, &count));
    assert_int_equal(count, 2);
    assert_string_equal(found[1].name, "Register Count");
    assert_int_equal(found[2].name[0], 'z');
}

TEST(failure)
{
    vkmm_statistic found[2];
    uint32_t count = 2;
    device.table.vkGetPipelineExecutablePropertiesKHR = no_memory;
    assert_int_equal(vkmm_pipeline_statistics(&device, &pipeline, found, &count), VKMM_OUT_OF_MEMORY);
    assert_int_equal(count, 0);
    device.table.vkGetPipelineExecutablePropertiesKHR = properties;
}
