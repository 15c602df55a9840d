/* Recording a job's work, in one piece or in slices, and running it. */
#include "base/clock.h"
#include "exec/job.h"
#include "exec/serial.h"
#include "math/problem.h"
#include "vk/command.h"

/* What a command buffer does, in this order; the timer spans ITEMS and REDUCE. */
enum { POISON = 1, UPLOAD = 2, TIMER = 4, ITEMS = 8, REDUCE = 16, DOWNLOAD = 32, PRODUCT = ITEMS | REDUCE };

static const int before[] = {[VKMM_PASS_CHECKED] = POISON | UPLOAD, [VKMM_PASS_TIMED] = 0, [VKMM_PASS_TRANSFER] = UPLOAD};
static const int around[] = {[VKMM_PASS_CHECKED] = 0, [VKMM_PASS_TIMED] = TIMER, [VKMM_PASS_TRANSFER] = 0};
static const int after[] = {[VKMM_PASS_CHECKED] = DOWNLOAD, [VKMM_PASS_TIMED] = 0, [VKMM_PASS_TRANSFER] = DOWNLOAD};

static vkmm_status record(vkmm_job *job, int steps, uint64_t first, uint64_t end, VkCommandBuffer *command)
{
    vkmm_device *device = job->device;
    vkmm_status status = vkmm_command_begin(device, command);
    if (status != VKMM_OK) return status;
    if (steps & POISON) vkmm_stores_record_poison(device, job->stores, *command);
    if (steps & UPLOAD) vkmm_stores_record_upload(device, job->stores, *command);
    /* β·C takes up what an earlier submission left. */
    if ((steps & PRODUCT) && job->stores[VKMM_C].input)
        vkmm_command_barrier(device, *command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    if (steps & TIMER) vkmm_timer_start(device, *command, &job->timer);
    if (steps & ITEMS) vkmm_plan_record_items(device, &job->plan, first, end, *command);
    if (steps & REDUCE) vkmm_plan_record_reduce(device, &job->plan, *command);
    if (steps & TIMER) vkmm_timer_stop(device, *command, &job->timer);
    /* A mapped C is visible to the host after every dispatch; the other kind only after a copy. */
    if ((steps & DOWNLOAD) || job->stores[VKMM_C].buffer.mapped) vkmm_stores_record_download(device, job->stores, *command);
    return vkmm_command_end(device, *command);
}

static vkmm_status run_whole(vkmm_job *job, vkmm_pass pass, double *kernel_ms, double *host_ms)
{
    VkCommandBuffer *command = &job->commands[pass];
    vkmm_status status = VKMM_OK;
    if (!*command) {
        status = record(job, before[pass] | around[pass] | PRODUCT | after[pass], 0, job->slices.items, command);
        if (status != VKMM_OK) vkmm_command_free(job->device, command);
    }
    if (status == VKMM_OK) status = vkmm_command_run(job->device, *command, host_ms);
    if (status != VKMM_OK) return status;
    *kernel_ms = around[pass] & TIMER ? vkmm_timer_read(job->device, &job->timer) : -1;
    if (before[pass] == 0 && after[pass] == 0) vkmm_slices_learn(&job->slices, job->slices.items, *host_ms);
    return VKMM_OK;
}

/* One submission of several; adds its times to the sums. */
static vkmm_status run_part(vkmm_job *job, int steps, uint64_t first, uint64_t end, double *kernel_ms, double *host_ms)
{
    VkCommandBuffer command = NULL;
    double host = 0, kernel = -1;
    vkmm_status status = record(job, steps, first, end, &command);
    if (status == VKMM_OK) status = vkmm_command_run(job->device, command, &host);
    if (status == VKMM_OK && (steps & TIMER)) kernel = vkmm_timer_read(job->device, &job->timer);
    if (status == VKMM_OK && (steps & ITEMS)) vkmm_slices_learn(&job->slices, end - first, host);
    *host_ms += host;
    if (steps & PRODUCT) *kernel_ms = kernel < 0 || *kernel_ms < 0 ? -1 : *kernel_ms + kernel;
    vkmm_command_free(job->device, &command);
    return status;
}

static vkmm_status run_slices(vkmm_job *job, vkmm_pass pass, double *kernel_ms, double *host_ms)
{
    vkmm_status status = VKMM_OK;
    *kernel_ms = *host_ms = 0;
    if (before[pass]) status = run_part(job, before[pass], 0, 0, kernel_ms, host_ms);
    for (uint64_t first = 0, end; first < job->slices.items && status == VKMM_OK; first = end) {
        end = first + vkmm_slices_next(&job->slices, job->slices.items - first);
        status = run_part(job, ITEMS | around[pass], first, end, kernel_ms, host_ms);
    }
    if (status == VKMM_OK && job->choice.info.splits > 1) status = run_part(job, REDUCE | around[pass], 0, 0, kernel_ms, host_ms);
    if (status == VKMM_OK && after[pass]) status = run_part(job, after[pass], 0, 0, kernel_ms, host_ms);
    return status;
}

static void run_serial(vkmm_job *job, double *kernel_ms, double *host_ms)
{
    double start = vkmm_now_ms();
    vkmm_serial(&job->problem, job->host[VKMM_A], job->host[VKMM_B], job->host[VKMM_C]);
    *host_ms = vkmm_now_ms() - start;
    *kernel_ms = -1;
}

vkmm_status vkmm_job_pass(vkmm_job *job, vkmm_pass pass, double *kernel_ms, double *host_ms)
{
    if (!job->device) {
        run_serial(job, kernel_ms, host_ms);
        return VKMM_OK;
    }
    return vkmm_job_is_whole(job) ? run_whole(job, pass, kernel_ms, host_ms) : run_slices(job, pass, kernel_ms, host_ms);
}

int vkmm_job_is_whole(const vkmm_job *job)
{
    uint64_t items = job->slices.items;
    return items <= 1 || vkmm_slices_next(&job->slices, items) == items;
}

void vkmm_job_set_slice(vkmm_job *job, uint64_t items)
{
    job->slices.fixed = items;
}

vkmm_status vkmm_job_dispatch(vkmm_job *job, double *kernel_ms, double *submit_ms)
{
    return vkmm_job_pass(job, VKMM_PASS_TIMED, kernel_ms, submit_ms);
}

vkmm_status vkmm_job_transfer(vkmm_job *job, double *transfer_ms)
{
    double kernel_ms;
    return vkmm_job_pass(job, VKMM_PASS_TRANSFER, &kernel_ms, transfer_ms);
}

vkmm_status vkmm_job_run(vkmm_job *job)
{
    double kernel_ms;
    int64_t damage = 0;
    if (job->device) vkmm_stores_poison_mapped(job->stores);
    vkmm_status status = vkmm_job_pass(job, VKMM_PASS_CHECKED, &kernel_ms, &job->last_run_ms);
    if (status != VKMM_OK || !job->device || vkmm_store_guards_whole(&job->stores[VKMM_C], &damage)) return status;
    return vkmm_fail(job->log, VKMM_WRONG_RESULT, "the kernel %s wrote outside C: %lld bytes from its start, C has %llu bytes",
                     job->choice.info.name, (long long)damage, (unsigned long long)job->stores[VKMM_C].bytes);
}
