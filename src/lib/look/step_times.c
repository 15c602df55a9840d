/* How long each step of a product takes: a timestamp after each, in the command buffer of the product. */
#include "look/steps.h"

#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

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
