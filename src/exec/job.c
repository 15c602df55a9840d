#include "exec/job.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "exec/serial.h"
#include "math/problem.h"
#include "vk/command.h"

static vkmm_status create_host_memory(vkmm_job *job)
{
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        uint64_t bytes = vkmm_operand_bytes(&job->problem, (vkmm_operand)operand);
        job->host[operand] = vkmm_alloc(1, bytes);
        if (!job->host[operand])
            return vkmm_fail(job->log, VKMM_OUT_OF_MEMORY, "no host memory for %c: %llu bytes", "ABC"[operand], (unsigned long long)bytes);
    }
    return VKMM_OK;
}

typedef enum job_steps { WITH_POISON = 1, WITH_COPIES = 2, WITH_TIMER = 4 } job_steps;

static vkmm_status record(vkmm_job *job, int steps, VkCommandBuffer *command)
{
    vkmm_device *device = job->device;
    vkmm_status status = vkmm_command_begin(device, command);
    if (status != VKMM_OK) return status;
    if (steps & WITH_POISON) vkmm_stores_record_poison(device, job->stores, *command);
    if (steps & WITH_COPIES) vkmm_stores_record_upload(device, job->stores, *command);
    if (steps & WITH_TIMER) vkmm_timer_start(device, *command, &job->timer);
    vkmm_plan_record(device, &job->plan, *command);
    if (steps & WITH_TIMER) vkmm_timer_stop(device, *command, &job->timer);
    /* A mapped C is visible to the host after every dispatch; the other kind only after a copy. */
    if ((steps & WITH_COPIES) || job->stores[VKMM_C].buffer.mapped) vkmm_stores_record_download(device, job->stores, *command);
    return vkmm_command_end(device, *command);
}

static vkmm_status create_device_objects(vkmm_job *job)
{
    vkmm_device *device = job->device;
    vkmm_part parts[VKMM_BINDING_COUNT];
    vkmm_status status = vkmm_plan_create(device, &job->problem, &job->choice, &job->plan);
    for (int operand = VKMM_A; operand <= VKMM_C && status == VKMM_OK; operand++) {
        uint64_t bytes = vkmm_operand_bytes(&job->problem, (vkmm_operand)operand);
        status = vkmm_store_create(device, (vkmm_operand)operand, bytes, &job->stores[operand]);
        parts[operand] = vkmm_store_part(&job->stores[operand]);
    }
    if (status != VKMM_OK) return status;
    vkmm_plan_bind(device, &job->plan, parts);
    status = vkmm_timer_create(device, &job->timer);
    if (status == VKMM_OK) status = record(job, WITH_POISON | WITH_COPIES, &job->checked);
    if (status == VKMM_OK) status = record(job, WITH_TIMER, &job->timed);
    if (status == VKMM_OK) status = record(job, WITH_COPIES, &job->transfer);
    return status;
}

vkmm_status vkmm_job_create(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params, vkmm_job **out)
{
    *out = NULL;
    if (!log && device) log = vkmm_device_log(device);
    vkmm_status status = vkmm_problem_check(log, &params->problem, NULL);
    if (status != VKMM_OK) return status;
    vkmm_job *job = vkmm_alloc(1, sizeof *job);
    if (!job) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for a job");
    job->log = log;
    job->problem = params->problem;
    vkmm_wish wish = {.kernel = params->kernel, .tile_rows = params->tile_rows, .tile_cols = params->tile_cols, .shader = params->shader};
    status = vkmm_choose(log, device ? &device->physical->info : NULL, &params->problem, &wish, &job->choice);
    if (status == VKMM_OK) {
        job->device = job->choice.module ? device : NULL;
        status = job->device ? create_device_objects(job) : create_host_memory(job);
    }
    if (status != VKMM_OK) vkmm_job_destroy(&job);
    *out = job;
    return status;
}

void vkmm_job_destroy(vkmm_job **job_pointer)
{
    if (!job_pointer || !*job_pointer) return;
    vkmm_job *job = *job_pointer;
    if (job->device) {
        vkmm_command_free(job->device, &job->checked);
        vkmm_command_free(job->device, &job->timed);
        vkmm_command_free(job->device, &job->transfer);
        vkmm_timer_destroy(job->device, &job->timer);
        vkmm_plan_destroy(job->device, &job->plan);
        for (int operand = VKMM_A; operand <= VKMM_C; operand++) vkmm_store_destroy(job->device, &job->stores[operand]);
    }
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) vkmm_free(job->host[operand]);
    for (int kind = 0; kind < VKMM_SERIES_COUNT; kind++) vkmm_samples_free(&job->samples[kind]);
    vkmm_free(job);
    *job_pointer = NULL;
}

const vkmm_kernel_info *vkmm_job_kernel(const vkmm_job *job)
{
    return &job->choice.info;
}

void *vkmm_job_matrix(vkmm_job *job, vkmm_operand operand)
{
    return job->device ? job->stores[operand].host : job->host[operand];
}

static vkmm_status run_serial(vkmm_job *job, double *ms)
{
    double start = vkmm_now_ms();
    vkmm_serial(&job->problem, job->host[VKMM_A], job->host[VKMM_B], job->host[VKMM_C]);
    *ms = vkmm_now_ms() - start;
    return VKMM_OK;
}

vkmm_status vkmm_job_run(vkmm_job *job)
{
    int64_t damage = 0;
    if (!job->device) return run_serial(job, &job->last_run_ms);
    vkmm_stores_poison_mapped(job->stores);
    vkmm_status status = vkmm_command_run(job->device, job->checked, &job->last_run_ms);
    if (status != VKMM_OK || vkmm_store_guards_whole(&job->stores[VKMM_C], &damage)) return status;
    return vkmm_fail(job->log, VKMM_WRONG_RESULT, "the kernel %s wrote outside C: %lld bytes from its start, C has %llu bytes",
                     job->choice.info.name, (long long)damage, (unsigned long long)job->stores[VKMM_C].bytes);
}

vkmm_status vkmm_job_dispatch(vkmm_job *job, double *kernel_ms, double *submit_ms)
{
    if (!job->device) {
        *kernel_ms = -1;
        return run_serial(job, submit_ms);
    }
    vkmm_status status = vkmm_command_run(job->device, job->timed, submit_ms);
    if (status == VKMM_OK) *kernel_ms = vkmm_timer_read(job->device, &job->timer);
    return status;
}

vkmm_status vkmm_job_transfer(vkmm_job *job, double *transfer_ms)
{
    if (!job->device) return run_serial(job, transfer_ms);
    return vkmm_command_run(job->device, job->transfer, transfer_ms);
}
