#include "stream/stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/log.h"
#include "record/pick.h"
#include "copy/store.h"
#include "math/problem.h"

enum { MOST_PLANNED = 1 << 17, PLANNED = 1 << 16, PLANNED_REST = 4096, MOST_PLANS = 64 };

/* What a stream, or a job, may use of the device. */
static vkmm_space space_of(const vkmm_device *device, uint64_t memory_limit, int shared)
{
    const vkmm_device_info *info = &device->physical->info;
    const uint64_t free = vkmm_physical_free_bytes(device->instance, device->physical), left = free - free / 16;
    return (vkmm_space){.range = info->limits.max_storage_range,
                        .allocation = info->memory.max_buffer_bytes < info->memory.max_allocation_bytes
                                          ? info->memory.max_buffer_bytes
                                          : info->memory.max_allocation_bytes,
                        .total = memory_limit > 0 && memory_limit < left ? memory_limit : left,
                        .guard = 2 * VKMM_GUARD_BYTES,
                        .mapped = info->memory.is_unified,
                        .shared = shared,
                        .processors = vkmm_device_processors(info)};
}

const char *vkmm_stream_reason(vkmm_device *device, const vkmm_problem *problem, uint64_t memory_limit, char *text,
                               size_t size)
{
    if (!device || !problem || !text) return NULL;
    const vkmm_space space = space_of(device, memory_limit, 0);
    const char *name = device->physical->info.name;
    uint64_t total = 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const uint64_t bytes = vkmm_whole_words(vkmm_operand_bytes(problem, (vkmm_operand)o)),
                       guarded = bytes + 2 * VKMM_GUARD_BYTES;
        total += bytes > 0 ? guarded : 0;
        if (bytes > space.range)
            snprintf(text, size, "%s needs %llu bytes; \"%s\" binds at most %llu (maxStorageBufferRange)",
                     vkmm_operand_name((vkmm_operand)o), (unsigned long long)bytes, name,
                     (unsigned long long)space.range);
        else if (guarded > space.allocation)
            snprintf(text, size,
                     "%s needs %llu bytes; \"%s\" allows buffers of %llu (maxMemoryAllocationSize, maxBufferSize)",
                     vkmm_operand_name((vkmm_operand)o), (unsigned long long)guarded, name,
                     (unsigned long long)space.allocation);
        else
            continue;
        return text;
    }
    if (total <= space.total) return NULL;
    if (memory_limit > 0 && space.total == memory_limit)
        snprintf(text, size, "the matrices need %llu bytes; the memory limit is %llu", (unsigned long long)total,
                 (unsigned long long)memory_limit);
    else
        snprintf(text, size, "the matrices need %llu bytes; \"%s\" has about %llu left", (unsigned long long)total,
                 name, (unsigned long long)space.total);
    return text;
}

static int exceeds_range(const vkmm_problem *problem, uint64_t range)
{
    for (int o = VKMM_A; o <= VKMM_BIAS; o++)
        if (vkmm_whole_words(vkmm_operand_bytes(problem, (vkmm_operand)o)) > range) return 1;
    return 0;
}

static uint64_t clamped(uint64_t extent)
{
    return extent > MOST_PLANNED ? PLANNED + extent % PLANNED_REST : extent;
}

static int has_plan(vkmm_stream *stream, const vkmm_choice *choice)
{
    for (uint32_t i = 0; i < stream->plan_count; i++)
        if (vkmm_plan_fit(stream->device, choice, &stream->plans[i].plan)) return 1;
    return 0;
}

/* Builds the plan too, because another kernel is picked if the driver cannot compile the first; panels of full size
 * use it. Where memory runs out, they try again. */
static vkmm_status pick(vkmm_stream *stream, const vkmm_device_info *info, const vkmm_job_params *params)
{
    vkmm_wish wish = vkmm_wish_of(params);
    vkmm_plan plan = {0};
    vkmm_held held;
    wish.pack = VKMM_PACK_NEVER; /* a panel would be packed again for each product that it is part of */
    wish.terms.in_one = 1;       /* no element depends on how C is cut */
    vkmm_errors_hold(&held);
    vkmm_status status = VKMM_UNSUPPORTED;
    if (stream->plan_count > 0)
        status = vkmm_pick(stream->device, stream->log, info, &params->problem, &wish, &stream->whole);
    if (status != VKMM_OK || !has_plan(stream, &stream->whole)) {
        status = vkmm_pick_plan(stream->device, stream->log, info, &params->problem, &wish, &stream->whole, &plan);
        if (status == VKMM_OK && stream->whole.module) status = vkmm_stream_plan_add(stream, &plan);
    }
    vkmm_errors_release(&held);
    if (status == VKMM_OK || status == VKMM_OUT_OF_MEMORY) return VKMM_OK;
    return vkmm_fail(stream->log, status, "%s", held.sentence);
}

/* The kernel that a job would use for the product. If the product is too large for a job, as if bindings had no limit;
 * if necessary, the kernel of a smaller, similar product. */
static vkmm_status pick_whole(vkmm_stream *stream, const vkmm_job_params *params)
{
    vkmm_device_info info = stream->device->physical->info;
    vkmm_job_params like = *params;
    vkmm_status status = VKMM_UNSUPPORTED;
    vkmm_held held;
    vkmm_errors_hold(&held);
    if (!exceeds_range(&params->problem, info.limits.max_storage_range)) status = pick(stream, &info, params);
    vkmm_errors_release(&held);
    if (status == VKMM_UNSUPPORTED) { /* perhaps for a binding alone, of a workspace too */
        info.limits.max_storage_range = info.memory.max_allocation_bytes = info.memory.max_buffer_bytes = UINT64_MAX;
        like.problem.m = clamped(params->problem.m);
        like.problem.n = clamped(params->problem.n);
        like.problem.batch_count = 1;
        status = pick(stream, &info, &like);
    } else if (status != VKMM_OK) {
        vkmm_fail(stream->log, status, "%s", held.sentence);
    }
    if (status != VKMM_OK || stream->whole.module) return status;
    return vkmm_fail(stream->log, VKMM_UNSUPPORTED,
                     "the kernel %s runs on the host, where nothing needs to be cut into panels",
                     stream->whole.info.name);
}

static vkmm_status too_small(const vkmm_stream *stream)
{
    return vkmm_fail(stream->log, VKMM_OUT_OF_MEMORY,
                     "not even panels of %llux%llu fit: %s has tiles of %ux%u, and \"%s\" allows %llu bytes, %llu per "
                     "buffer and %llu per binding",
                     (unsigned long long)stream->pieces.unit_rows, (unsigned long long)stream->pieces.unit_cols,
                     stream->whole.info.name, stream->whole.info.tile[0], stream->whole.info.tile[1],
                     stream->device->physical->info.name, (unsigned long long)stream->space.total,
                     (unsigned long long)stream->space.allocation, (unsigned long long)stream->space.range);
}

/* Halves the panels of the remaining work; 0: they cannot be smaller. */
static int shrink(vkmm_stream *stream)
{
    uint64_t count = stream->step_count - stream->stored;
    vkmm_stream_release(stream);
    if (!vkmm_pieces_halve(&stream->problem, &stream->whole, &stream->space, &stream->pieces)) return 0;
    const vkmm_step *first = stream->steps ? &stream->steps[stream->stored] : NULL; /* NULL: none is taken yet */
    vkmm_step *steps = vkmm_pieces_split(&stream->pieces, first, &count);
    if (!steps) return 0;
    vkmm_free(stream->steps);
    mtx_lock(&stream->work->lock);
    stream->work->panels += count - (stream->step_count - stream->stored);
    mtx_unlock(&stream->work->lock);
    stream->steps = steps;
    stream->step_count = count;
    stream->stored = stream->latest = stream->turns = stream->turns_done = 0;
    stream->times.shrunk++;
    return 1;
}

/* After a failure: what was written of the current panel stays, and only the rest remains to be computed. With β that
 * has to be so, because the old values are gone. */
static void keep_written(vkmm_stream *stream)
{
    const vkmm_problem *p = &stream->problem;
    const uint64_t written = stream->written, at = stream->stored;
    stream->written = 0;
    if (written == 0 || vkmm_problem_beta(p) == 0) return;
    const vkmm_lines lines = vkmm_stream_lines(stream, VKMM_C, &stream->steps[at], vkmm_stream_parts(stream) - 1);
    const uint64_t matrices = written / lines.count, first = written % lines.count, ended = matrices + (first > 0);
    vkmm_step cut = stream->steps[at], after = cut;
    vkmm_step *grown = vkmm_realloc(stream->steps, stream->step_count + 1, sizeof *grown);
    stream->is_torn = !grown || (p->has_bias && !lines.are_rows && first % stream->pieces.unit_cols != 0);
    if (grown) stream->steps = grown;
    if (stream->is_torn) return; /* no memory, or no binding of the bias can begin there */
    cut.batch += matrices;
    cut.matrices = 1;
    *(lines.are_rows ? &cut.row : &cut.col) += first;
    *(lines.are_rows ? &cut.rows : &cut.cols) -= first;
    after.batch += ended;
    after.matrices -= ended;
    const int both = first > 0 && after.matrices > 0;
    if (both) memmove(grown + at + 1, grown + at, (size_t)(stream->step_count - at) * sizeof *grown);
    if (both) grown[at + 1] = after;
    grown[at] = first > 0 ? cut : after;
    stream->step_count += both;
    mtx_lock(&stream->work->lock);
    stream->work->panels += 1 + both;
    mtx_unlock(&stream->work->lock);
    vkmm_stream_panel *done = &stream->timeline[stream->panels_done];
    *(lines.are_rows ? &done->rows : &done->cols) = written; /* of all its matrices together */
    done->matrices = 1;
    vkmm_work_stored(stream, &(vkmm_step){.matrices = 1, .rows = written, .cols = lines.length});
}

int vkmm_stream_is_final(const vkmm_stream *stream)
{
    return atomic_load(&stream->is_told) || (stream->is_torn && vkmm_problem_beta(&stream->problem) != 0);
}

/* Tries again with smaller and smaller panels, as long as memory runs out. */
static vkmm_status try_smaller(vkmm_stream *stream, vkmm_status (*attempt)(vkmm_stream *))
{
    for (;;) {
        vkmm_held held;
        vkmm_errors_hold(&held);
        vkmm_status status = attempt(stream);
        vkmm_errors_release(&held);
        if (status == VKMM_OK || status == VKMM_STOPPED) return status;
        if (!vkmm_stream_is_final(stream)) keep_written(stream);
        if (status != VKMM_OUT_OF_MEMORY || !stream->is_busy || vkmm_stream_is_final(stream) || !shrink(stream)) {
            if (held.sentence[0]) vkmm_fail(stream->log, status, "%s", held.sentence);
            return status;
        }
        vkmm_say(stream->log, VKMM_LOG_WARNING, "%s; continuing with panels of %llux%llu", held.sentence,
                 (unsigned long long)stream->pieces.partition.rows, (unsigned long long)stream->pieces.partition.cols);
    }
}

/* The kernel of a panel of full size. */
static vkmm_status find_info(vkmm_stream *stream)
{
    const vkmm_partition *t = &stream->pieces.partition;
    const vkmm_step step = {.matrices = stream->pieces.matrices, .rows = t->rows, .cols = t->cols};
    vkmm_choice choice;
    vkmm_status status = vkmm_stream_choose(stream, &step, 0, &choice);
    if (status == VKMM_OK) stream->info = choice.info;
    return status;
}

static uint32_t threads_of(const vkmm_stream_params *params)
{
    const uint32_t devices = params->other_count + 1;
    return params->threads > 0 || devices == 1 ? params->threads : (vkmm_host_processors() + devices - 1) / devices;
}

static void destroy_plans(vkmm_stream *stream)
{
    for (uint32_t i = 0; i < stream->plan_count; i++) vkmm_stream_plan_destroy(stream->device, &stream->plans[i]);
    vkmm_free(stream->plans);
    stream->plans = NULL;
    stream->plan_count = 0;
}

/* A stream that is built for another problem keeps its threads and plans, and its memory where that is large enough. */
static vkmm_status build(vkmm_stream *stream, const vkmm_stream_params *params)
{
    const vkmm_choice before = stream->whole;
    stream->problem = params->job.problem;
    stream->shader = params->job.shader;
    if (stream->plan_count > MOST_PLANS) destroy_plans(stream);
    if (params->job.pack & (VKMM_PACK_A | VKMM_PACK_B))
        return vkmm_fail(stream->log, VKMM_UNSUPPORTED, "a product in panels cannot pack operands");
    vkmm_status status = pick_whole(stream, &params->job);
    if (status != VKMM_OK) return status;
    if (before.module != stream->whole.module || before.problem.k < stream->whole.problem.k ||
        strcmp(before.info.config, stream->whole.info.config) != 0)
        stream->slices = (vkmm_slices){0};
    stream->space = space_of(stream->device, params->memory_limit, params->other_count > 0);
    if (vkmm_stream_held(stream) > (params->memory_limit > 0 ? 0 : stream->space.total / 2)) {
        vkmm_stream_release(stream);
        stream->space = space_of(stream->device, params->memory_limit, params->other_count > 0);
    }
    stream->info = stream->whole.info;
    stream->pieces.matrices = stream->pieces.partition.depth_panels = 1;
    if (stream->problem.m == 0 || stream->problem.n == 0) return VKMM_OK;
    if (!vkmm_pieces_find(&stream->problem, &stream->whole, &stream->space, &stream->pieces)) return too_small(stream);
    if (!stream->workers) stream->workers = vkmm_workers_create(threads_of(params));
    if (!stream->workers) return VKMM_NO_MEMORY(stream->log, "for threads");
    stream->is_busy = 1;
    stream->step_count = stream->stored = 0;
    status = try_smaller(stream, vkmm_stream_take);
    return status == VKMM_OK ? find_info(stream) : status;
}

static void destroy_one(vkmm_stream *stream)
{
    vkmm_stream_release(stream);
    destroy_plans(stream);
    vkmm_free(stream->steps);
    vkmm_free(stream->timeline);
    vkmm_workers_destroy(&stream->workers);
    vkmm_free(stream);
}

/* One device's. */
static vkmm_status create_one(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                              vkmm_work *work, vkmm_stream **out)
{
    vkmm_stream *stream = vkmm_alloc(1, sizeof *stream);
    if (!stream) return VKMM_NO_MEMORY(log, "for a stream");
    stream->device = device;
    stream->log = log;
    stream->work = work;
    stream->limit = params->memory_limit;
    vkmm_status status = build(stream, params);
    if (status == VKMM_OK)
        *out = stream;
    else
        destroy_one(stream);
    return status;
}

/* A stream for each device that can compute the product. */
static vkmm_status create_all(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                              vkmm_work *work, vkmm_stream **first)
{
    vkmm_stream **last = first;
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; i <= params->other_count; i++) {
        vkmm_device *one = i == 0 ? device : params->others[i - 1];
        vkmm_held held;
        vkmm_errors_hold(&held);
        status = create_one(one, log, params, work, last);
        vkmm_errors_release(&held);
        if (*last) {
            (*last)->first = *first;
            last = &(*last)->next;
        } else if (!*first && i == params->other_count) {
            return vkmm_fail(log, status, "%s", held.sentence);
        } else {
            vkmm_say(log, VKMM_LOG_WARNING, "\"%s\" is left out: %s", one->physical->info.name, held.sentence);
        }
    }
    return VKMM_OK;
}

static vkmm_work *create_work(void)
{
    vkmm_work *work = vkmm_alloc(1, sizeof *work);
    if (work && mtx_init(&work->lock, mtx_plain) == thrd_success) {
        if (cnd_init(&work->changed) == thrd_success) return work;
        mtx_destroy(&work->lock);
    }
    vkmm_free(work);
    return NULL;
}

static void destroy_work(vkmm_work *work)
{
    cnd_destroy(&work->changed);
    mtx_destroy(&work->lock);
    vkmm_free(work);
}

vkmm_status vkmm_stream_create(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                               vkmm_stream **out)
{
    VKMM_NEED(log, device);
    if (!log) log = vkmm_device_log(device);
    VKMM_NEED(log, out);
    *out = NULL;
    VKMM_NEED(log, params);
    for (uint32_t i = 0; i < params->other_count; i++)
        VKMM_NEED(log, params->others && params->others[i] ? params : NULL);
    vkmm_status status = vkmm_problem_check(log, &params->job.problem, NULL);
    if (status != VKMM_OK) return status;
    vkmm_work *work = create_work();
    if (!work) return VKMM_NO_MEMORY(log, "for a stream");
    status = create_all(device, log, params, work, out);
    if (status != VKMM_OK) destroy_work(work);
    return status;
}

vkmm_status vkmm_stream_change(vkmm_stream *stream, const vkmm_problem *problem)
{
    VKMM_NEED(NULL, stream);
    VKMM_NEED(stream->log, problem);
    const vkmm_stream_params params = {
        .job = {.problem = *problem}, .memory_limit = stream->limit, .other_count = stream->next != NULL};
    vkmm_status status = vkmm_problem_check(stream->log, problem, NULL);
    if (status != VKMM_OK) return status;
    vkmm_problem scaled = stream->problem; /* by other scalars, which are none of the kernel's constants */
    scaled.alpha = problem->alpha;
    scaled.beta = problem->beta;
    if (stream->whole.kernel && memcmp(&scaled, problem, sizeof scaled) == 0 &&
        (vkmm_problem_alpha(problem) == 0) == (vkmm_problem_alpha(&stream->problem) == 0)) {
        for (vkmm_stream *one = stream; one; one = one->next) one->problem = *problem;
        return VKMM_OK;
    }
    int any = 0;
    for (vkmm_stream *one = stream; one; one = one->next) {
        vkmm_held held;
        vkmm_errors_hold(&held);
        status = build(one, &params);
        vkmm_errors_release(&held);
        any |= status == VKMM_OK;
        if (status == VKMM_OK) continue;
        one->whole = (vkmm_choice){0};
        if (!any && !one->next) return vkmm_fail(one->log, status, "%s", held.sentence);
        vkmm_say(one->log, VKMM_LOG_WARNING, "\"%s\" is left out: %s", one->device->physical->info.name, held.sentence);
    }
    return VKMM_OK;
}

void vkmm_stream_destroy(vkmm_stream **stream_pointer)
{
    if (!stream_pointer || !*stream_pointer) return;
    destroy_work((*stream_pointer)->work);
    for (vkmm_stream *stream = *stream_pointer, *next; stream; stream = next) {
        next = stream->next;
        destroy_one(stream);
    }
    *stream_pointer = NULL;
}

const vkmm_kernel_info *vkmm_stream_kernel(const vkmm_stream *stream)
{
    return stream ? &stream->info : NULL;
}

vkmm_partition vkmm_stream_partition(const vkmm_stream *stream)
{
    return stream ? stream->pieces.partition : (vkmm_partition){0};
}

vkmm_stream_part vkmm_stream_part_at(const vkmm_stream *stream, uint32_t index)
{
    const double wall_ms = stream ? stream->work->wall_ms : 0;
    while (stream && index-- > 0) stream = stream->next;
    if (!stream) return (vkmm_stream_part){0};
    const double all =
        (double)stream->problem.m * (double)stream->problem.n * (double)vkmm_problem_batches(&stream->problem);
    const double wait_ms = wall_ms - stream->times.kernel_ms;
    return (vkmm_stream_part){.device = &stream->device->physical->info,
                              .kernel = &stream->info,
                              .partition = stream->pieces.partition,
                              .timeline = stream->timeline,
                              .panels = stream->panels_done,
                              .share = all > 0 ? stream->elements_done / all : 0,
                              .times = stream->times,
                              .wait_ms = wait_ms > 0 ? wait_ms : 0,
                              .status = stream->status};
}

static void forget_panels(vkmm_stream *stream)
{
    for (uint32_t i = 0; i < stream->a_count; i++) stream->a[i].is_named = 0, stream->a[i].turn = 0;
    for (uint32_t i = 0; i < stream->b_count; i++) stream->b[i].is_named = 0, stream->b[i].turn = 0;
    stream->step_count = stream->stored = stream->latest = 0;
    stream->turns = stream->turns_done = stream->panels_done = 0;
    stream->elements_done = stream->speed = 0;
    stream->is_torn = 0;
    stream->written = 0;
    atomic_store(&stream->is_told, 0);
}

/* One attempt; after memory ran out, what was released is allocated again. */
static vkmm_status run_steps(vkmm_stream *stream)
{
    vkmm_status status = stream->a ? VKMM_OK : vkmm_stream_take(stream);
    return status == VKMM_OK ? vkmm_stream_steps(stream) : status;
}

vkmm_status vkmm_stream_run_one(vkmm_stream *stream)
{
    vkmm_status status = try_smaller(stream, run_steps);
    vkmm_stream_drain(stream);
    stream->times.wall_ms = vkmm_now_ms() - stream->start_ms;
    return status;
}

static vkmm_status check_io(const vkmm_stream *stream, const vkmm_stream_io *io)
{
    const int reads = vkmm_problem_alpha(&stream->problem) != 0 && stream->problem.k > 0;
    const void *const memory[] = {reads ? io->a : io, reads ? io->b : io, io->c,
                                  stream->problem.has_bias ? io->bias : io};
    for (int o = VKMM_A; o <= VKMM_BIAS; o++)
        if (!memory[o] &&
            (o == VKMM_C ? (!io->write || (!io->read && vkmm_problem_beta(&stream->problem) != 0)) : !io->read))
            return vkmm_fail(stream->log, VKMM_INVALID, "%s has neither memory nor a function for its panels",
                             vkmm_operand_name((vkmm_operand)o));
    return VKMM_OK;
}

/* A device that was lost stays so, and one that could not be changed to the product is left out. */
static void begin(vkmm_stream *stream, const vkmm_stream_io *io, double now)
{
    const uint32_t shrunk = stream->times.shrunk;
    stream->times = (vkmm_stream_times){.shrunk = stream->start_ms > 0 ? 0 : shrunk};
    stream->io = io;
    stream->start_ms = stream->last_end_ms = now;
    stream->zero = 0;
    stream->zero_ms = INFINITY;
    stream->last_progress_ms = 0; /* the first report comes at once */
    if (stream->status != VKMM_DEVICE_LOST) stream->status = stream->whole.kernel ? VKMM_OK : VKMM_UNSUPPORTED;
    forget_panels(stream);
}

/* From the time since the first timestamp to that since the run began. */
static void shift_timeline(vkmm_stream *stream)
{
    for (uint64_t i = 0; stream->zero != 0 && i < stream->panels_done; i++)
        for (int j = 0; j < 2; j++) stream->timeline[i].kernel_ms[j] += stream->zero_ms - stream->start_ms;
}

static void add_times(vkmm_stream_times *sum, const vkmm_stream_times *one)
{
    sum->kernel_ms += one->kernel_ms;
    if (one->longest_ms > sum->longest_ms) sum->longest_ms = one->longest_ms;
    if (one->clock == VKMM_CLOCK_HOST) sum->clock = one->clock;
    sum->dispatches += one->dispatches;
    sum->uploaded_bytes += one->uploaded_bytes;
    sum->downloaded_bytes += one->downloaded_bytes;
    sum->shrunk += one->shrunk;
}

vkmm_status vkmm_stream_run(vkmm_stream *stream, const vkmm_stream_io *io, vkmm_stream_times *times)
{
    VKMM_NEED(NULL, stream);
    VKMM_NEED(stream->log, io);
    const vkmm_stream *able = stream;
    while (able && !able->whole.kernel) able = able->next;
    if (!able) return vkmm_fail(stream->log, VKMM_INVALID, "the stream has no product since its change failed");
    const double start_ms = vkmm_now_ms();
    vkmm_stream_times sum = {0};
    vkmm_status status = VKMM_OK;
    for (vkmm_stream *one = stream; one; one = one->next) begin(one, io, start_ms);
    vkmm_work_begin(stream);
    if (stream->work->end > 0) status = check_io(stream, io);
    if (status == VKMM_OK && stream->work->end > 0) status = vkmm_work_run(stream);
    for (vkmm_stream *one = stream; one; one = one->next) {
        add_times(&sum, &one->times);
        shift_timeline(one);
    }
    stream->work->wall_ms = sum.wall_ms = vkmm_now_ms() - start_ms;
    if (times) *times = sum;
    return status;
}
