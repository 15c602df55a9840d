#include "look/executable.h"

#include <stdio.h>
#include <string.h>

#include "vk/vk_result.h"

enum { MAX_EXECUTABLES = 8, MAX_STATISTICS = 64 };

static void write_value(const VkPipelineExecutableStatisticKHR *from, vkmm_statistic *to)
{
    switch (from->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        VKMM_PUT(to->value, "%s", from->value.b32 ? "true" : "false");
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        VKMM_PUT(to->value, "%lld", (long long)from->value.i64);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        VKMM_PUT(to->value, "%llu", (unsigned long long)from->value.u64);
        break;
    default:
        VKMM_PUT(to->value, "%.10g", from->value.f64);
        break;
    }
}

static void add(vkmm_statistic *statistics, uint32_t room, uint32_t *count, const vkmm_statistic *statistic)
{
    if (*count < room) statistics[(*count)++] = *statistic;
}

static vkmm_status read_executable(vkmm_device *device, const VkPipelineExecutableInfoKHR *which,
                                   vkmm_statistic *statistics, uint32_t room, uint32_t *count)
{
    VkPipelineExecutableStatisticKHR figures[MAX_STATISTICS];
    uint32_t found = MAX_STATISTICS;
    for (uint32_t i = 0; i < MAX_STATISTICS; i++)
        figures[i] = (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    VkResult result = device->table.vkGetPipelineExecutableStatisticsKHR(device->handle, which, &found, figures);
    if (result < 0)
        return vkmm_check(result, "vkGetPipelineExecutableStatisticsKHR", "reading a pipeline's statistics");
    for (uint32_t i = 0; i < found; i++) {
        vkmm_statistic statistic = {.value = ""};
        memcpy(statistic.name, figures[i].name, sizeof statistic.name - 1);
        memcpy(statistic.description, figures[i].description, sizeof statistic.description - 1);
        write_value(&figures[i], &statistic);
        add(statistics, room, count, &statistic);
    }
    return VKMM_OK;
}

vkmm_status vkmm_pipeline_statistics(vkmm_device *device, const vkmm_pipeline *pipeline, vkmm_statistic *statistics,
                                     uint32_t *count)
{
    VkPipelineExecutablePropertiesKHR executables[MAX_EXECUTABLES];
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline->handle};
    uint32_t room = *count, found = MAX_EXECUTABLES;
    for (uint32_t i = 0; i < MAX_EXECUTABLES; i++)
        executables[i] =
            (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    VkResult result = device->table.vkGetPipelineExecutablePropertiesKHR(device->handle, &info, &found, executables);
    vkmm_status status = VKMM_OK;
    *count = 0;
    if (result < 0)
        return vkmm_check(result, "vkGetPipelineExecutablePropertiesKHR", "reading a pipeline's statistics");
    for (uint32_t i = 0; i < found && status == VKMM_OK; i++) {
        const VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                                   .pipeline = pipeline->handle,
                                                   .executableIndex = i};
        vkmm_statistic subgroup = {.name = "Subgroup Size", .description = "invocations that run in step"};
        VKMM_PUT(subgroup.value, "%u", executables[i].subgroupSize);
        if (executables[i].subgroupSize > 0) add(statistics, room, count, &subgroup);
        status = read_executable(device, &which, statistics, room, count);
    }
    return status;
}
