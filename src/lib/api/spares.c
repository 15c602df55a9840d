#include "api/spares.h"

#include <string.h>

#include "math/problem.h"
#include "vk/command.h"

static int is_alike(const vkmm_job *job, const vkmm_problem *other, int is_lent)
{
    vkmm_problem scaled = job->problem;
    scaled.alpha = other->alpha;
    scaled.beta = other->beta;
    return job->is_lent == is_lent && memcmp(&scaled, other, sizeof scaled) == 0;
}

/* Scalars are push constants of the general kernels: only the recorded commands change. If α is 0, K is too, which is
 * another plan. */
static int rescale(vkmm_job *job, const vkmm_problem *problem)
{
    int swapped;
    const vkmm_problem seen = vkmm_problem_row_major(problem, &swapped);
    if (memcmp(&job->problem, problem, sizeof *problem) == 0) return 1;
    if (vkmm_depends_on_data(&job->choice) || (seen.k == 0) != (job->choice.problem.k == 0) ||
        !job->choice.kernel->tunables)
        return 0;
    for (int pass = 0; pass < VKMM_PASS_COUNT; pass++) vkmm_command_free(job->device, &job->commands[pass]);
    job->problem = *problem;
    job->choice.problem.alpha = seen.alpha;
    job->choice.problem.beta = seen.beta;
    job->stores[VKMM_C].input = vkmm_job_reads_c(job);
    return vkmm_plan_fit(job->device, &job->choice, &job->plan);
}

vkmm_job *vkmm_spares_take(vkmm_device *device, const vkmm_problem *problem, int is_lent)
{
    mtx_lock(&device->spares.lock);
    vkmm_job **at = &device->spares.first;
    while (*at && !is_alike(*at, problem, is_lent)) at = &(*at)->next;
    vkmm_job *job = *at;
    if (job) *at = job->next;
    mtx_unlock(&device->spares.lock);
    if (job && !rescale(job, problem)) vkmm_job_destroy(&job);
    return job;
}

static uint64_t bytes_of(const vkmm_job *job)
{
    uint64_t bytes = job->workspace.bytes;
    for (int i = 0; i < VKMM_STORE_COUNT; i++) bytes += job->stores[i].buffer.bytes + job->stores[i].staging.bytes;
    return bytes;
}

/* A list that nobody else sees any more. */
static void end_all(vkmm_job *job)
{
    while (job) {
        vkmm_job *next = job->next;
        vkmm_job_destroy(&job);
        job = next;
    }
}

static int drop(vkmm_device *device);

/* Puts a spare, or NULL, in the place of another. That one, perhaps given by another thread, is then the caller's. */
static void *swap(vkmm_device *device, void **place, void *one)
{
    mtx_lock(&device->spares.lock);
    void *other = *place;
    *place = one;
    if (one) device->spares.drop = drop;
    mtx_unlock(&device->spares.lock);
    return other;
}

vkmm_stream *vkmm_spares_take_stream(vkmm_device *device)
{
    return swap(device, &device->spares.stream, NULL);
}

vkmm_status vkmm_spares_give_stream(vkmm_device *device, vkmm_status status, vkmm_stream *stream)
{
    if (status == VKMM_OK &&
        vkmm_lane_held(stream->lanes) <= device->physical->info.memory.device_heap_bytes / VKMM_SPARES_SHARE)
        stream = swap(device, &device->spares.stream, stream);
    vkmm_stream_destroy(&stream);
    return status;
}

vkmm_status vkmm_spares_take_copier(vkmm_device *device, vkmm_copier **copier)
{
    *copier = swap(device, &device->spares.copier, NULL);
    return *copier ? VKMM_OK : vkmm_copier_create(device, copier);
}

vkmm_status vkmm_spares_give_copier(vkmm_device *device, vkmm_status status, vkmm_copier *copier)
{
    if (status == VKMM_OK) copier = swap(device, &device->spares.copier, copier);
    vkmm_copier_destroy(&copier);
    return status;
}

static int drop(vkmm_device *device)
{
    vkmm_stream *stream = vkmm_spares_take_stream(device);
    vkmm_copier *copier = swap(device, &device->spares.copier, NULL);
    mtx_lock(&device->spares.lock);
    vkmm_job *first = device->spares.first;
    device->spares.first = NULL;
    mtx_unlock(&device->spares.lock);
    const int any = first || stream || copier;
    end_all(first);
    vkmm_stream_destroy(&stream);
    vkmm_copier_destroy(&copier);
    return any;
}

vkmm_status vkmm_spares_give(vkmm_device *device, vkmm_status status, vkmm_job *job)
{
    const uint64_t most = device->physical->info.memory.device_heap_bytes / VKMM_SPARES_SHARE;
    uint64_t count = 0, bytes = 0;
    if (status != VKMM_OK || bytes_of(job) > most) {
        vkmm_job_destroy(&job);
        return status;
    }
    mtx_lock(&device->spares.lock);
    job->next = device->spares.first;
    device->spares.first = job;
    device->spares.drop = drop;
    vkmm_job **at = &device->spares.first;
    while (*at && ++count <= VKMM_SPARES_MOST && (bytes += bytes_of(*at)) <= most) at = &(*at)->next;
    vkmm_job *oldest = *at;
    *at = NULL;
    mtx_unlock(&device->spares.lock);
    end_all(oldest);
    return VKMM_OK;
}
