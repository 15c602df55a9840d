#include "job/job.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "math/problem.h"
#include "vk/command.h"

static vkmm_status create_host_memory(vkmm_job *job)
{
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        uint64_t bytes = vkmm_operand_bytes(&job->problem, (vkmm_operand)operand);
        job->stores[operand].host = vkmm_alloc(1, bytes);
        if (!job->stores[operand].host)
            return vkmm_fail(VKMM_OUT_OF_MEMORY, "no host memory for %c: %llu bytes", "ABC"[operand],
                             (unsigned long long)bytes);
    }
    return VKMM_OK;
}

void vkmm_job_bind(vkmm_job *job, const vkmm_part parts[VKMM_MAX_BINDING_COUNT])
{
    if (parts != job->parts) memcpy(job->parts, parts, sizeof job->parts);
    job->parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){job->workspace.handle, 0, job->workspace.bytes};
    vkmm_plan_bind(job->device, &job->plan, job->parts);
}

static vkmm_status create_workspace(vkmm_job *job)
{
    const uint64_t bytes = job->plan.info.workspace_bytes;
    job->slices = vkmm_slices_of(vkmm_plan_items(&job->plan), vkmm_problem_flops(&job->choice.problem));
    if (bytes == 0) return VKMM_OK;
    const vkmm_status status =
        vkmm_buffer_create(job->device, "the workspace", bytes, VKMM_PLACE_DEVICE, &job->workspace);
    if (status != VKMM_OK) return status;
    return vkmm_plan_clear(job->device, &job->plan, &(vkmm_part){job->workspace.handle, 0, bytes});
}

/* Replaces the plan, bound to what the old one was. After a failure the job can only be destroyed. */
static vkmm_status plan_again(vkmm_job *job, const vkmm_problem *problem, const vkmm_wish *wish)
{
    vkmm_device *device = job->device;
    for (int pass = 0; pass < VKMM_PASS_COUNT; pass++) vkmm_command_free(device, &job->commands[pass]);
    vkmm_rotation_destroy(device, &job->rotation);
    vkmm_plan_destroy(device, &job->plan);
    vkmm_buffer_destroy(device, &job->workspace);
    vkmm_status status =
        vkmm_pick_plan(device, job->log, &device->physical->info, problem, wish, &job->choice, &job->plan);
    if (status == VKMM_OK) status = create_workspace(job);
    if (status == VKMM_OK) vkmm_job_bind(job, job->parts);
    return status;
}

/* What the device finds in A and B; `found` is mapped. */
static vkmm_status look(vkmm_job *job, vkmm_buffer *found)
{
    vkmm_device *device = job->device;
    VkCommandBuffer command = NULL;
    const vkmm_range *look = &job->plan.recipe.look;
    const VkBufferCopy region = {.srcOffset = look->at, .size = look->bytes};
    vkmm_status status =
        vkmm_buffer_create(device, "what is known of A and B", look->bytes, VKMM_PLACE_DOWNLOAD, found);
    if (status != VKMM_OK) return status;
    status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) {
        if (!job->is_lent) vkmm_stores_record_upload(device, job->stores, command);
        vkmm_plan_record_when(device, &job->plan, VKMM_WHEN_LOOK, command);
        vkmm_command_barrier_all(device, command);
        device->table.vkCmdCopyBuffer(command, job->workspace.handle, found->handle, 1, &region);
    }
    return vkmm_command_finish(device, status, &command);
}

vkmm_status vkmm_job_settle(vkmm_job *job)
{
    vkmm_buffer found = {0};
    vkmm_problem problem = job->problem;
    vkmm_wish again = {0};
    if (!job->device || !vkmm_depends_on_data(&job->choice) || vkmm_plan_items(&job->plan) == 0) return VKMM_OK;
    const vkmm_choice choice = job->choice; /* the next wish borrows from it */
    vkmm_status status = look(job, &found);
    const int changes = status == VKMM_OK && choice.method->decide(job->log, &job->device->physical->info, &choice,
                                                                   found.mapped, &problem, &again);
    vkmm_buffer_destroy(job->device, &found);
    return changes ? plan_again(job, &problem, &again) : status;
}

static vkmm_status create_device_objects(vkmm_job *job)
{
    vkmm_device *device = job->device;
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    vkmm_status status = job->is_lent ? VKMM_OK : vkmm_stores_create(device, &job->problem, job->stores, parts);
    if (status != VKMM_OK) return status;
    for (int o = VKMM_A; o <= VKMM_C && !job->is_lent; o++)
        vkmm_part_show_guard(device, job->choice.module, job->stores[o].buffer.bytes, &parts[o]);
    job->stores[VKMM_C].input = vkmm_job_reads_c(job);
    status = create_workspace(job);
    if (status != VKMM_OK) return status;
    if (!job->is_lent) vkmm_job_bind(job, parts);
    return vkmm_timer_create(device, VKMM_TIMER_STAMPS, &job->timer);
}

vkmm_status vkmm_job_make(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params, int is_lent,
                          vkmm_job **out)
{
    VKMM_NEED_ZEROS(params->reserved);
    vkmm_job *job = vkmm_alloc(1, sizeof *job);
    if (!job) return VKMM_NO_MEMORY("for a job");
    job->log = log;
    job->problem = params->problem;
    job->is_lent = is_lent;
    const vkmm_wish wish = vkmm_wish_of(params);
    vkmm_status status = vkmm_pick_plan(device, log, device ? &device->physical->info : NULL, &params->problem, &wish,
                                        &job->choice, &job->plan);
    if (status == VKMM_OK) {
        job->device = job->choice.module ? device : NULL;
        status = job->device ? create_device_objects(job) : create_host_memory(job);
    }
    if (status != VKMM_OK) vkmm_job_destroy(&job);
    *out = job;
    return status;
}

vkmm_status vkmm_job_create_sized(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params, size_t size,
                                  vkmm_job **out)
{
    if (!log && device) log = vkmm_device_log(device);
    VKMM_NEED(log, out);
    *out = NULL;
    VKMM_NEED(log, params);
    VKMM_SIZED(log, vkmm_job_params, params, size);
    vkmm_status status = vkmm_problem_check(&params->problem);
    return vkmm_tell(log, status == VKMM_OK ? vkmm_job_make(device, log, params, 0, out) : status);
}

void vkmm_job_destroy(vkmm_job **job_pointer)
{
    if (!job_pointer || !*job_pointer) return;
    vkmm_job *job = *job_pointer;
    if (job->device) {
        for (int pass = 0; pass < VKMM_PASS_COUNT; pass++) vkmm_command_free(job->device, &job->commands[pass]);
        vkmm_timer_destroy(job->device, &job->timer);
        vkmm_rotation_destroy(job->device, &job->rotation);
        vkmm_plan_destroy(job->device, &job->plan);
        vkmm_stores_destroy(job->device, job->stores);
        vkmm_buffer_destroy(job->device, &job->workspace);
    } else {
        for (int operand = VKMM_A; operand <= VKMM_C; operand++) vkmm_free(job->stores[operand].host);
    }
    for (int kind = 0; kind < VKMM_SERIES_COUNT; kind++) vkmm_samples_free(&job->samples[kind]);
    vkmm_free(job);
    *job_pointer = NULL;
}

const vkmm_kernel_info *vkmm_job_kernel(const vkmm_job *job)
{
    return job ? &job->choice.info : NULL;
}

void *vkmm_job_matrix(vkmm_job *job, vkmm_operand operand)
{
    return job && operand >= VKMM_A && operand <= VKMM_BIAS ? job->stores[operand].host : NULL;
}

int vkmm_job_reads_c(const vkmm_job *job)
{
    return job && (vkmm_problem_beta(&job->problem) != 0 || vkmm_problem_c_has_gaps(&job->problem));
}
