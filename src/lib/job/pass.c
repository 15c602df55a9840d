/* Recording a job's work, in one piece or in slices, and running it. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "job/job.h"
#include "math/method.h"
#include "math/type.h"
#include "vk/command.h"

/* What a command buffer does, in this order; with TIMER, there are timestamps around UPLOAD, PRODUCT and DOWNLOAD. */
enum { POISON = 1, UPLOAD = 2, TIMER = 4, PRODUCT = 8, DOWNLOAD = 16 };

static const int passes[] = {
    [VKMM_PASS_CHECKED] = POISON | UPLOAD | TIMER | PRODUCT | DOWNLOAD,
    [VKMM_PASS_TIMED] = TIMER | PRODUCT,
    [VKMM_PASS_TRANSFER] = UPLOAD | TIMER | PRODUCT | DOWNLOAD,
    [VKMM_PASS_UNTIMED] = UPLOAD | PRODUCT | DOWNLOAD,
};

static void mark(vkmm_job *job, int steps, int work, uint32_t *stamp, VkCommandBuffer command)
{
    if ((steps & TIMER) && (steps & work)) vkmm_timer_mark(job->device, command, &job->timer, ++*stamp);
}

static vkmm_status record(vkmm_job *job, const vkmm_plan *plan, int steps, uint64_t first, uint64_t end,
                          VkCommandBuffer *command)
{
    vkmm_device *device = job->device;
    uint32_t stamp = 0;
    vkmm_status status = vkmm_command_begin(device, command);
    if (status != VKMM_OK) return status;
    /* β·C reads what an earlier submission wrote. */
    if ((steps & PRODUCT) && job->stores[VKMM_C].input) vkmm_plan_record_barrier(device, *command);
    if (steps & POISON) vkmm_stores_record_poison(device, job->stores, *command);
    if (steps & TIMER) vkmm_timer_start(device, *command, &job->timer);
    if (steps & UPLOAD) vkmm_stores_record_upload(device, job->stores, *command);
    if (steps & UPLOAD) vkmm_plan_record_when(device, plan, VKMM_WHEN_ONCE, *command);
    mark(job, steps, UPLOAD, &stamp, *command);
    if (steps & PRODUCT) vkmm_plan_record_items(device, plan, first, end, *command);
    mark(job, steps, PRODUCT, &stamp, *command);
    /* A mapped C is visible to the host after every dispatch; the other kind only after a copy. */
    if ((steps & DOWNLOAD) || job->stores[VKMM_C].buffer.mapped)
        vkmm_stores_record_download(device, job->stores, *command);
    mark(job, steps, DOWNLOAD, &stamp, *command);
    return vkmm_command_end(device, *command);
}

/* A sum; unknown if any part is unknown. */
static void add(double *sum, double ms)
{
    *sum = ms < 0 || *sum < 0 ? -1 : *sum + ms;
}

static void read_times(vkmm_job *job, int steps, vkmm_times *times)
{
    uint32_t stamp = 0;
    if (!(steps & TIMER)) return;
    if (steps & UPLOAD) add(&times->upload_ms, vkmm_timer_read(job->device, &job->timer, stamp++));
    if (steps & PRODUCT) add(&times->kernel_ms, vkmm_timer_read(job->device, &job->timer, stamp++));
    if (steps & DOWNLOAD) add(&times->download_ms, vkmm_timer_read(job->device, &job->timer, stamp));
}

/* Parts that the pass does not time stay unknown. */
static vkmm_times no_times(vkmm_pass pass)
{
    const double none = passes[pass] & TIMER ? 0 : -1;
    return (vkmm_times){.upload_ms = passes[pass] & UPLOAD ? none : -1,
                        .kernel_ms = none,
                        .download_ms = passes[pass] & DOWNLOAD ? none : -1};
}

/* Submits the steps, with the items [first, end) of the product, and waits; adds the times to the sums. kept: NULL, or
 * where the command buffer is kept, recorded once. A submission that also uploads or downloads says nothing about
 * slices. */
static vkmm_status submit(vkmm_job *job, const vkmm_plan *plan, int steps, uint64_t first, uint64_t end,
                          VkCommandBuffer *kept, vkmm_times *times)
{
    VkCommandBuffer once = NULL, *command = kept ? kept : &once;
    const int copies = !job->is_lent && (steps & (POISON | UPLOAD | DOWNLOAD));
    double host = 0;
    vkmm_status status = *command ? VKMM_OK : record(job, plan, steps, first, end, command);
    if (status != VKMM_OK) kept = NULL;
    if (status == VKMM_OK) status = vkmm_command_run(job->device, *command, &host);
    if (status == VKMM_OK) read_times(job, steps, times);
    if (status == VKMM_OK && (steps & PRODUCT) && !copies) vkmm_slices_learn(&job->slices, end - first, host);
    times->host_ms += host;
    if (!kept) vkmm_command_free(job->device, command);
    return status;
}

static vkmm_status run_slices(vkmm_job *job, vkmm_pass pass, const vkmm_plan *plan, vkmm_times *times)
{
    const int steps = passes[pass], copies = (steps & UPLOAD) && !job->is_lent;
    vkmm_status status = VKMM_OK;
    if (copies) status = submit(job, plan, steps & (POISON | UPLOAD | TIMER), 0, 0, NULL, times);
    for (uint64_t first = 0, end; first < job->slices.items && status == VKMM_OK; first = end) {
        end = first + vkmm_slices_next(&job->slices, job->slices.items - first);
        status = submit(job, plan, steps & (PRODUCT | TIMER), first, end, NULL, times);
    }
    if (status == VKMM_OK && copies) status = submit(job, plan, steps & (DOWNLOAD | TIMER), 0, 0, NULL, times);
    return status;
}

/* On the next copy. Thousands of copies are recorded when they are needed. */
static vkmm_status run_turn(vkmm_job *job, vkmm_times *times)
{
    const vkmm_plan plan = vkmm_rotation_turn(job);
    if (!vkmm_job_is_whole(job)) return run_slices(job, VKMM_PASS_TIMED, &plan, times);
    return submit(job, &plan, TIMER | PRODUCT, 0, job->slices.items, NULL, times);
}

/* Rows, columns, then the sum: the order that most people write first, which reads B's columns against the cache. */
#define DEFINE_SERIAL(name, element)                                                                            \
    static void name(const vkmm_problem *problem, const element *a, const element *b, element *c)               \
    {                                                                                                           \
        for (uint64_t i = 0; i < problem->m; i++) {                                                             \
            for (uint64_t j = 0; j < problem->n; j++) {                                                         \
                element sum = 0;                                                                                \
                for (uint64_t k = 0; k < problem->k; k++) sum += a[i * problem->k + k] * b[k * problem->n + j]; \
                c[i * problem->n + j] = sum;                                                                    \
            }                                                                                                   \
        }                                                                                                       \
    }

DEFINE_SERIAL(serial_f32, float)
DEFINE_SERIAL(serial_f64, double)
DEFINE_SERIAL(serial_u32, uint32_t)

/* The kernel "serial": the tutorials' step 1a, on the host, of a plain product. Sums have the element's own type. */
static void serial(const vkmm_problem *problem, const void *a, const void *b, void *c)
{
    if (problem->type == VKMM_F32) serial_f32(problem, a, b, c);
    if (problem->type == VKMM_F64) serial_f64(problem, a, b, c);
    /* The same low 32 bits as u32, and wraps without undefined behaviour. */
    if (problem->type == VKMM_I32 || problem->type == VKMM_U32) serial_u32(problem, a, b, c);
}

static void run_serial(vkmm_job *job, vkmm_times *times)
{
    double start = vkmm_now_ms();
    serial(&job->problem, job->stores[VKMM_A].host, job->stores[VKMM_B].host, job->stores[VKMM_C].host);
    *times = (vkmm_times){vkmm_now_ms() - start, -1, -1, -1};
}

vkmm_status vkmm_job_pass(vkmm_job *job, vkmm_pass pass, vkmm_times *times)
{
    *times = no_times(pass);
    job->knows_method = 0;
    if (!job->device) {
        run_serial(job, times);
        return VKMM_OK;
    }
    if (pass == VKMM_PASS_TIMED && job->rotates) return run_turn(job, times);
    if (!vkmm_job_is_whole(job)) return run_slices(job, pass, &job->plan, times);
    return submit(job, &job->plan, passes[pass], 0, job->slices.items, &job->commands[pass], times);
}

int vkmm_job_is_whole(const vkmm_job *job)
{
    uint64_t items = job->slices.items;
    return items <= 1 || vkmm_slices_next(&job->slices, items) == items;
}

vkmm_status vkmm_job_fetch(vkmm_job *job)
{
    vkmm_times unused = {0};
    if (!job->device || job->stores[VKMM_C].buffer.mapped) return VKMM_OK; /* visible to the host since it was made */
    return submit(job, &job->plan, DOWNLOAD, 0, 0, NULL, &unused);
}

/* Reads the device's decision, where it has one to make. */
static vkmm_status find_method(vkmm_job *job)
{
    const vkmm_range *decisions = &job->plan.recipe.decisions;
    VkDispatchIndirectCommand groups[VKMM_DISPATCH_COUNT];
    vkmm_buffer host = {0};
    if (job->knows_method) return VKMM_OK;
    job->method = job->choice.info.method;
    if (decisions->bytes == 0) return VKMM_OK;
    vkmm_status status = vkmm_buffer_create(job->device, "the dispatches", sizeof groups, VKMM_PLACE_DOWNLOAD, &host);
    if (status == VKMM_OK)
        status = vkmm_command_copy(job->device, job->workspace.handle, decisions->at, host.handle, sizeof groups);
    if (status == VKMM_OK) memcpy(groups, host.mapped, sizeof groups);
    if (status == VKMM_OK && groups[VKMM_DISPATCH_FIRST].x == 0) job->method = VKMM_COMPUTE_DIRECT;
    job->knows_method = status == VKMM_OK;
    vkmm_buffer_destroy(job->device, &host);
    return status;
}

vkmm_status vkmm_job_method(vkmm_job *job, vkmm_method *method)
{
    VKMM_NEED(NULL, job);
    VKMM_NEED(job->log, method);
    const vkmm_status status = find_method(job);
    *method = job->method;
    return vkmm_tell(job->log, status);
}

/* Warns if another kernel took the place of the job's. */
static vkmm_status tell_method(vkmm_job *job)
{
    const vkmm_status status = find_method(job);
    if (status == VKMM_OK && job->plan.recipe.decisions.bytes > 0 && job->method != job->choice.problem.method)
        vkmm_say(job->log, VKMM_LOG_WARNING,
                 "A or B has an infinity, a NaN, elements too small beside the largest of their row or column, or too "
                 "few that are not 0 for %s: computed by %s instead",
                 vkmm_method_at(job->choice.problem.method)->name, job->choice.edge.info.name);
    return status;
}

static vkmm_status run(vkmm_job *job, vkmm_pass pass, vkmm_times *times)
{
    int64_t damage = 0;
    vkmm_status status = vkmm_job_settle(job);
    if (status == VKMM_OK) status = vkmm_job_pass(job, pass, times);
    if (status == VKMM_OK) status = tell_method(job);
    if (status != VKMM_OK || !job->device || vkmm_store_guards_whole(&job->stores[VKMM_C], &damage)) return status;
    return vkmm_fail(VKMM_WRONG_RESULT, "the kernel %s wrote outside C: %lld bytes from its start, C has %llu bytes",
                     job->choice.info.name, (long long)damage, (unsigned long long)job->stores[VKMM_C].bytes);
}

vkmm_status vkmm_job_run(vkmm_job *job)
{
    VKMM_NEED(NULL, job);
    return vkmm_tell(job->log, run(job, VKMM_PASS_CHECKED, &job->last_run));
}

vkmm_status vkmm_job_multiply(vkmm_job *job)
{
    vkmm_times unused = {0};
    vkmm_status status = VKMM_OK;
    if (!job->is_guarded) status = submit(job, &job->plan, POISON, 0, 0, NULL, &unused);
    job->is_guarded = status == VKMM_OK;
    return status == VKMM_OK ? run(job, VKMM_PASS_UNTIMED, &unused) : status;
}
