#include "look/steps.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"
#include "vk/vk_result.h"

vkmm_status vkmm_kernel_steps(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                              vkmm_step_info *steps, uint32_t *count)
{
    const uint32_t capacity = *count;
    vkmm_recipe recipe = {0};
    vkmm_choice choice;
    *count = 0;
    vkmm_status status = vkmm_choose_job(log, device, params, &choice);
    if (status != VKMM_OK || !choice.module) return vkmm_tell(log, status);
    status = vkmm_recipe_make(device, &choice, &recipe);
    for (uint32_t i = 0; i < recipe.pipeline_count && *count < capacity && status == VKMM_OK; i++)
        steps[(*count)++] = (vkmm_step_info){recipe.pipelines[i].name, vkmm_recipe_hash(&recipe.pipelines[i]), -1};
    vkmm_recipe_destroy(&recipe);
    return vkmm_tell(log, status);
}

/* ---- what the driver reports: VK_KHR_pipeline_executable_properties ---- */

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
    for (uint32_t i = 0; i < found && *count < room; i++) {
        vkmm_statistic *statistic = &statistics[(*count)++];
        *statistic = (vkmm_statistic){.value = ""};
        memcpy(statistic->name, figures[i].name, sizeof statistic->name - 1);
        memcpy(statistic->description, figures[i].description, sizeof statistic->description - 1);
        write_value(&figures[i], statistic);
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
        if (executables[i].subgroupSize > 0 && *count < room) {
            statistics[*count] = (vkmm_statistic){"Subgroup Size", "invocations that run in step", ""};
            VKMM_PUT(statistics[(*count)++].value, "%u", executables[i].subgroupSize);
        }
        status = read_executable(device, &which, statistics, room, count);
    }
    return status;
}

vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, uint32_t step,
                                   vkmm_statistic *statistics, uint32_t *count, double *compile_ms)
{
    const vkmm_log *log = vkmm_device_log(device);
    const vkmm_device_info *info = &device->physical->info;
    vkmm_pipeline pipeline = {0};
    vkmm_recipe recipe = {0};
    vkmm_choice choice;
    vkmm_status status = vkmm_choose_job(log, info, params, &choice);
    if (status == VKMM_OK && !choice.module)
        status = vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s runs on the host: no driver compiles it", choice.info.name);
    if (status == VKMM_OK) status = vkmm_recipe_make(info, &choice, &recipe);
    if (status == VKMM_OK && step >= recipe.pipeline_count)
        status = vkmm_fail(VKMM_INVALID, "there is no step %u: this product has %u", step, recipe.pipeline_count);
    if (status == VKMM_OK) status = vkmm_plan_pipeline(device, &choice, &recipe, step, 1, &pipeline);
    if (status == VKMM_OK && info->features.statistics)
        status = vkmm_pipeline_statistics(device, &pipeline, statistics, count);
    else if (status == VKMM_OK)
        *count = 0;
    if (status == VKMM_OK && compile_ms) *compile_ms = pipeline.compile_ms;
    vkmm_pipeline_destroy(device, &pipeline);
    vkmm_recipe_destroy(&recipe);
    return vkmm_tell(log, status);
}

/* ---- times: a timestamp after each step, in the command buffer of the product ---- */

static vkmm_status record(vkmm_job *job, const vkmm_plan *plan, uint64_t first, uint64_t end, VkCommandBuffer *command)
{
    vkmm_status status = vkmm_command_begin(job->device, command);
    if (status != VKMM_OK) return status;
    plan->stamps->count = 0;
    vkmm_command_barrier_all(job->device, *command);
    vkmm_timer_start(job->device, *command, &plan->stamps->timer);
    vkmm_plan_record_items(job->device, plan, first, end, *command);
    return vkmm_command_end(job->device, *command);
}

/* Adds the times of one submission. Returns their sum, or a negative number if one is unknown. */
static double add_times(const vkmm_job *job, const vkmm_step_stamps *stamps, double ms[VKMM_RECIPE_PIPELINES])
{
    double sum = 0;
    if (stamps->count > VKMM_COUNT(stamps->pipelines)) return -1;
    for (uint32_t i = 0; i < stamps->count; i++) {
        const double took = vkmm_timer_read(job->device, &stamps->timer, i);
        double *all = &ms[stamps->pipelines[i]];
        if (took < 0) return -1;
        *all = took + (*all < 0 ? 0 : *all);
        sum += took;
    }
    return sum;
}

/* In slices, like any product. */
static vkmm_status run(vkmm_job *job, const vkmm_plan *plan, double ms[VKMM_RECIPE_PIPELINES], double *device,
                       double *host)
{
    const uint64_t items = job->slices.items;
    vkmm_status status = VKMM_OK;
    for (uint64_t first = 0, end; first < items && status == VKMM_OK; first = end) {
        VkCommandBuffer command = NULL;
        double took = 0;
        end = first + vkmm_slices_next(&job->slices, items - first);
        status = record(job, plan, first, end, &command);
        if (status == VKMM_OK) status = vkmm_command_run(job->device, command, &took);
        vkmm_command_free(job->device, &command);
        if (status != VKMM_OK) break;
        *host += took;
        took = add_times(job, plan->stamps, ms);
        *device = took < 0 || *device < 0 ? -1 : *device + took;
    }
    return status;
}

vkmm_status vkmm_job_time_steps(vkmm_job *job, vkmm_step_info *steps, uint32_t *count, const char **why)
{
    double device = 0, host = 0, ms[VKMM_RECIPE_PIPELINES];
    const uint32_t capacity = *count;
    vkmm_step_stamps stamps = {{0}};
    for (int i = 0; i < VKMM_RECIPE_PIPELINES; i++) ms[i] = -1;
    *count = 0;
    *why = "the kernel runs on the host";
    if (!job->device) return VKMM_OK;
    vkmm_plan plan = job->plan;
    plan.stamps = &stamps;
    vkmm_status status = vkmm_timer_create(job->device, VKMM_COUNT(stamps.pipelines) + 1, &stamps.timer);
    if (status == VKMM_OK) status = run(job, &plan, ms, &device, &host);
    vkmm_timer_destroy(job->device, &stamps.timer);
    vkmm_samples by_device = {.values = &device, .count = 1}, by_host = {.values = &host, .count = 1};
    *why = stamps.count > VKMM_COUNT(stamps.pipelines) ? "there are too many steps"
                                                       : vkmm_judge_clock(&by_device, &by_host, &(vkmm_slope){0});
    for (uint32_t i = 0; i < plan.recipe.pipeline_count && *count < capacity && !**why; i++) {
        const vkmm_recipe_pipeline *pipeline = &plan.recipe.pipelines[i];
        if (ms[i] >= 0) steps[(*count)++] = (vkmm_step_info){pipeline->name, vkmm_recipe_hash(pipeline), ms[i]};
    }
    return vkmm_tell(job->log, status);
}
