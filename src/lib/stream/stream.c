#include "stream/stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/limits.h"
#include "base/log.h"
#include "copy/store.h"
#include "math/problem.h"

enum { MOST_PLANNED = 1 << 17, PLANNED = 1 << 16, PLANNED_REST = 4096, MOST_PLANS = 64 };

/* What a stream, or a job, may use of the device. */
static vkmm_space space_of(const vkmm_device *device, uint64_t memory_limit, int shared)
{
    const vkmm_device_info *info = &device->physical->info;
    const uint64_t free = vkmm_physical_free_bytes(device->instance, device->physical), left = free - free / 16;
    return (vkmm_space){.range = info->limits.max_storage_range,
                        .allocation = vkmm_largest_buffer(info),
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

/* Builds the plan too, because another kernel is picked if the driver cannot compile the first; panels of full size
 * use it. Where memory runs out, they try again. */
static vkmm_status pick(vkmm_lane *lane, const vkmm_device_info *info, const vkmm_job_params *params)
{
    vkmm_wish wish = vkmm_wish_of(params);
    vkmm_plan plan = {0};
    wish.terms.in_one = 1; /* no element depends on how C is cut */
    vkmm_status status = VKMM_UNSUPPORTED;
    if (lane->plan_count > 0)
        status = vkmm_pick(lane->device, lane->stream->log, info, &params->problem, &wish, &lane->whole);
    if (status != VKMM_OK || !vkmm_lane_plan_find(lane, &lane->whole)) {
        status = vkmm_pick_plan(lane->device, lane->stream->log, info, &params->problem, &wish, &lane->whole, &plan);
        if (status == VKMM_OK && lane->whole.module) status = vkmm_lane_plan_add(lane, &plan);
    }
    return status == VKMM_OUT_OF_MEMORY ? VKMM_OK : status;
}

/* The kernel that a job would use for the product. If the product is too large for a job, as if bindings had no limit;
 * if necessary, the kernel of a smaller, similar product. */
static vkmm_status pick_whole(vkmm_lane *lane, const vkmm_job_params *params)
{
    vkmm_device_info info = lane->device->physical->info;
    vkmm_job_params like = *params;
    vkmm_status status = VKMM_UNSUPPORTED;
    if (!exceeds_range(&params->problem, info.limits.max_storage_range)) status = pick(lane, &info, params);
    if (status == VKMM_UNSUPPORTED) { /* perhaps for a binding alone, of a workspace too */
        info.limits.max_storage_range = info.memory.max_allocation_bytes = info.memory.max_buffer_bytes = UINT64_MAX;
        like.problem.m = clamped(params->problem.m);
        like.problem.n = clamped(params->problem.n);
        like.problem.batch_count = 1;
        status = pick(lane, &info, &like);
    }
    if (status != VKMM_OK || lane->whole.module) return status;
    return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s runs on the host, where nothing needs to be cut into panels",
                     lane->whole.info.name);
}

static vkmm_status too_small(const vkmm_lane *lane)
{
    return vkmm_fail(VKMM_OUT_OF_MEMORY,
                     "not even panels of %llux%llu fit: %s has tiles of %ux%u, and \"%s\" allows %llu bytes, %llu per "
                     "buffer and %llu per binding",
                     (unsigned long long)lane->pieces.unit_rows, (unsigned long long)lane->pieces.unit_cols,
                     lane->whole.info.name, lane->whole.info.tile[0], lane->whole.info.tile[1],
                     lane->device->physical->info.name, (unsigned long long)lane->space.total,
                     (unsigned long long)lane->space.allocation, (unsigned long long)lane->space.range);
}

/* Halves the panels of the remaining work; 0: they cannot be smaller. */
static int shrink(vkmm_lane *lane)
{
    uint64_t count = lane->todo.count - lane->todo.stored;
    vkmm_lane_release(lane);
    if (!vkmm_pieces_halve(&lane->stream->problem, &lane->whole, &lane->space, &lane->pieces)) return 0;
    const vkmm_step *first =
        lane->todo.steps ? &lane->todo.steps[lane->todo.stored] : NULL; /* NULL: none is taken yet */
    vkmm_step *steps = vkmm_pieces_split(&lane->pieces, first, &count);
    if (!steps) return 0;
    vkmm_free(lane->todo.steps);
    mtx_lock(&lane->stream->work.lock);
    lane->stream->work.panels += count - (lane->todo.count - lane->todo.stored);
    mtx_unlock(&lane->stream->work.lock);
    lane->todo.steps = steps;
    lane->todo.count = count;
    lane->todo.stored = lane->todo.latest = lane->queue.turns = lane->queue.turns_done = 0;
    lane->times.shrunk++;
    return 1;
}

/* After a failure: what was written of the current panel stays, and only the rest remains to be computed. With β that
 * has to be so, because the old values are gone. */
static void keep_written(vkmm_lane *lane)
{
    const vkmm_problem *p = &lane->stream->problem;
    const uint64_t written = lane->done.written, at = lane->todo.stored;
    lane->done.written = 0;
    if (written == 0 || vkmm_problem_beta(p) == 0) return;
    const vkmm_lines lines = vkmm_lane_lines(lane, VKMM_C, &lane->todo.steps[at], vkmm_lane_parts(lane) - 1);
    const uint64_t matrices = written / lines.count, first = written % lines.count, ended = matrices + (first > 0);
    vkmm_step cut = lane->todo.steps[at], after = cut;
    vkmm_step *grown = vkmm_realloc(lane->todo.steps, lane->todo.count + 1, sizeof *grown);
    lane->done.is_torn = !grown || (p->has_bias && !lines.are_rows && first % lane->pieces.unit_cols != 0);
    if (grown) lane->todo.steps = grown;
    if (lane->done.is_torn) return; /* no memory, or no binding of the bias can begin there */
    cut.batch += matrices;
    cut.matrices = 1;
    *(lines.are_rows ? &cut.row : &cut.col) += first;
    *(lines.are_rows ? &cut.rows : &cut.cols) -= first;
    after.batch += ended;
    after.matrices -= ended;
    const int both = first > 0 && after.matrices > 0;
    if (both) memmove(grown + at + 1, grown + at, (size_t)(lane->todo.count - at) * sizeof *grown);
    if (both) grown[at + 1] = after;
    grown[at] = first > 0 ? cut : after;
    lane->todo.count += both;
    mtx_lock(&lane->stream->work.lock);
    lane->stream->work.panels += 1 + both;
    mtx_unlock(&lane->stream->work.lock);
    vkmm_stream_panel *done = &lane->done.timeline[lane->done.panels];
    *(lines.are_rows ? &done->rows : &done->cols) = written; /* of all its matrices together */
    done->matrices = 1;
    vkmm_work_stored(lane, &(vkmm_step){.matrices = 1, .rows = written, .cols = lines.length});
}

int vkmm_lane_is_final(const vkmm_lane *lane)
{
    return atomic_load(&lane->is_told) || (lane->done.is_torn && vkmm_problem_beta(&lane->stream->problem) != 0);
}

/* Tries again with smaller and smaller panels, as long as memory runs out. */
static vkmm_status try_smaller(vkmm_lane *lane, vkmm_status (*attempt)(vkmm_lane *))
{
    for (;;) {
        vkmm_status status = attempt(lane);
        if (status == VKMM_OK || status == VKMM_STOPPED) return status;
        if (!vkmm_lane_is_final(lane)) keep_written(lane);
        if (status != VKMM_OUT_OF_MEMORY || !lane->todo.is_busy || vkmm_lane_is_final(lane) || !shrink(lane))
            return status;
        vkmm_say(lane->stream->log, VKMM_LOG_WARNING, "%s; continuing with panels of %llux%llu", vkmm_last_error(),
                 (unsigned long long)lane->pieces.partition.rows, (unsigned long long)lane->pieces.partition.cols);
    }
}

/* The kernel of a panel of full size. */
static vkmm_status find_info(vkmm_lane *lane)
{
    const vkmm_partition *t = &lane->pieces.partition;
    const vkmm_step step = {.matrices = lane->pieces.matrices, .rows = t->rows, .cols = t->cols};
    vkmm_choice choice;
    vkmm_status status = vkmm_lane_choose(lane, &step, 0, &choice);
    if (status == VKMM_OK) lane->info = choice.info;
    return status;
}

static uint32_t threads_of(const vkmm_stream_params *params)
{
    const uint32_t devices = params->other_count + 1;
    return params->threads > 0 || devices == 1 ? params->threads
                                               : (uint32_t)vkmm_divide_up(vkmm_host_processors(), devices);
}

static void destroy_plans(vkmm_lane *lane)
{
    for (uint32_t i = 0; i < lane->plan_count; i++) vkmm_lane_plan_destroy(lane->device, &lane->plans[i]);
    vkmm_free(lane->plans);
    lane->plans = NULL;
    lane->plan_count = 0;
}

/* A stream that is built for another problem keeps its threads and plans, and its memory where that is large enough. */
static vkmm_status build(vkmm_lane *lane, const vkmm_stream_params *params)
{
    const vkmm_choice before = lane->whole;
    if (vkmm_problem_has_blocks(&params->job.problem))
        return vkmm_fail(VKMM_UNSUPPORTED, "matrices in blocks are not multiplied in panels, nor on several devices");
    lane->last.kernel = NULL;
    if (lane->plan_count > MOST_PLANS) destroy_plans(lane);
    vkmm_status status = pick_whole(lane, &params->job);
    if (status != VKMM_OK) return status;
    if (before.module != lane->whole.module || before.problem.k < lane->whole.problem.k ||
        strcmp(before.info.config, lane->whole.info.config) != 0)
        lane->queue.slices = (vkmm_slices){0};
    lane->space = space_of(lane->device, params->memory_limit, params->other_count > 0);
    if (vkmm_lane_held(lane) > (params->memory_limit > 0 ? 0 : lane->space.total / 2)) {
        vkmm_lane_release(lane);
        lane->space = space_of(lane->device, params->memory_limit, params->other_count > 0);
    }
    lane->info = lane->whole.info;
    lane->pieces.matrices = lane->pieces.partition.depth_panels = 1;
    if (lane->stream->problem.m == 0 || lane->stream->problem.n == 0) return VKMM_OK;
    if (!vkmm_pieces_find(&lane->stream->problem, &lane->whole, &lane->space, &lane->pieces)) return too_small(lane);
    if (!lane->workers) lane->workers = vkmm_workers_create(threads_of(params));
    if (!lane->workers) return VKMM_NO_MEMORY("for threads");
    lane->todo.is_busy = 1;
    lane->todo.count = lane->todo.stored = 0;
    status = try_smaller(lane, vkmm_lane_take);
    return status == VKMM_OK ? find_info(lane) : status;
}

static void destroy_lane(vkmm_lane *lane)
{
    vkmm_lane_release(lane);
    destroy_plans(lane);
    vkmm_free(lane->todo.steps);
    vkmm_free(lane->done.timeline);
    vkmm_workers_destroy(&lane->workers);
    vkmm_free(lane);
}

/* A lane for each device that can compute the product. */
static vkmm_status create_lanes(vkmm_stream *stream, vkmm_device *device, const vkmm_stream_params *params)
{
    vkmm_lane **last = &stream->lanes;
    for (uint32_t i = 0; i <= params->other_count; i++) {
        vkmm_device *one = i == 0 ? device : params->others[i - 1];
        vkmm_lane *lane = vkmm_alloc(1, sizeof *lane);
        if (!lane) return VKMM_NO_MEMORY("for a stream");
        lane->device = one;
        lane->stream = stream;
        const vkmm_status status = build(lane, params);
        if (status == VKMM_OK) {
            *last = lane;
            last = &lane->next;
            continue;
        }
        destroy_lane(lane);
        if (!stream->lanes && i == params->other_count) return status;
        vkmm_say(stream->log, VKMM_LOG_WARNING, "\"%s\" is left out: %s", one->physical->info.name, vkmm_last_error());
    }
    return VKMM_OK;
}

static vkmm_stream *create_stream(void)
{
    vkmm_stream *stream = vkmm_alloc(1, sizeof *stream);
    if (!stream) return NULL;
    mtx_init(&stream->work.lock, mtx_plain);
    cnd_init(&stream->work.changed);
    return stream;
}

vkmm_status vkmm_stream_make(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                             vkmm_stream **out)
{
    VKMM_NEED_ZEROS(params->job.reserved);
    vkmm_stream *stream = create_stream();
    if (!stream) return VKMM_NO_MEMORY("for a stream");
    stream->log = log;
    stream->problem = params->job.problem;
    stream->shader = params->job.shader;
    stream->limit = params->memory_limit;
    const vkmm_status status = create_lanes(stream, device, params);
    if (status != VKMM_OK) vkmm_stream_destroy(&stream);
    *out = stream;
    return status;
}

vkmm_status vkmm_stream_create_sized(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                                     size_t size, vkmm_stream **out)
{
    VKMM_NEED(log, device);
    if (!log) log = vkmm_device_log(device);
    VKMM_NEED(log, out);
    *out = NULL;
    VKMM_NEED(log, params);
    VKMM_SIZED(log, vkmm_stream_params, params, size);
    for (uint32_t i = 0; i < params->other_count; i++)
        VKMM_NEED(log, params->others && params->others[i] ? params : NULL);
    vkmm_status status = vkmm_problem_check(&params->job.problem);
    return vkmm_tell(log, status == VKMM_OK ? vkmm_stream_make(device, log, params, out) : status);
}

vkmm_status vkmm_stream_remake(vkmm_stream *stream, const vkmm_problem *problem)
{
    const vkmm_stream_params params = {
        .job = {.problem = *problem}, .memory_limit = stream->limit, .other_count = stream->lanes->next != NULL};
    vkmm_problem scaled = stream->problem; /* by other scalars, which are none of the kernel's constants */
    const int reads = vkmm_problem_alpha(&stream->problem) != 0;
    scaled.alpha = problem->alpha;
    scaled.beta = problem->beta;
    stream->problem = *problem;
    if (stream->lanes->whole.kernel && memcmp(&scaled, problem, sizeof scaled) == 0 &&
        (vkmm_problem_alpha(problem) != 0) == reads)
        return VKMM_OK;
    stream->shader = NULL;
    int any = 0;
    for (vkmm_lane *lane = stream->lanes; lane; lane = lane->next) {
        const vkmm_status status = build(lane, &params);
        any |= status == VKMM_OK;
        if (status == VKMM_OK) continue;
        lane->whole = (vkmm_choice){0};
        if (!any && !lane->next) return status;
        vkmm_say(stream->log, VKMM_LOG_WARNING, "\"%s\" is left out: %s", lane->device->physical->info.name,
                 vkmm_last_error());
    }
    return VKMM_OK;
}

vkmm_status vkmm_stream_change(vkmm_stream *stream, const vkmm_problem *problem)
{
    VKMM_NEED(NULL, stream);
    VKMM_NEED(stream->log, problem);
    const vkmm_status status = vkmm_problem_check(problem);
    return vkmm_tell(stream->log, status == VKMM_OK ? vkmm_stream_remake(stream, problem) : status);
}

void vkmm_stream_destroy(vkmm_stream **stream)
{
    if (!stream || !*stream) return;
    for (vkmm_lane *lane = (*stream)->lanes, *next; lane; lane = next) {
        next = lane->next;
        destroy_lane(lane);
    }
    cnd_destroy(&(*stream)->work.changed);
    mtx_destroy(&(*stream)->work.lock);
    vkmm_free(*stream);
    *stream = NULL;
}

const vkmm_kernel_info *vkmm_stream_kernel(const vkmm_stream *stream)
{
    return stream ? &stream->lanes->info : NULL;
}

vkmm_partition vkmm_stream_partition(const vkmm_stream *stream)
{
    return stream ? stream->lanes->pieces.partition : (vkmm_partition){0};
}

vkmm_stream_part vkmm_stream_part_at(const vkmm_stream *stream, uint32_t index)
{
    const vkmm_lane *lane = stream ? stream->lanes : NULL;
    while (lane && index-- > 0) lane = lane->next;
    if (!lane) return (vkmm_stream_part){0};
    const vkmm_problem *p = &stream->problem;
    const double all = (double)p->m * (double)p->n * (double)vkmm_problem_batches(p);
    const double wait_ms = stream->work.wall_ms - lane->times.kernel_ms;
    return (vkmm_stream_part){.device = &lane->device->physical->info,
                              .kernel = &lane->info,
                              .partition = lane->pieces.partition,
                              .timeline = lane->done.timeline,
                              .panels = lane->done.panels,
                              .share = all > 0 ? lane->done.elements / all : 0,
                              .times = lane->times,
                              .wait_ms = wait_ms > 0 ? wait_ms : 0,
                              .status = lane->status};
}

/* One attempt; after memory ran out, what was released is allocated again. */
static vkmm_status run_steps(vkmm_lane *lane)
{
    vkmm_status status = lane->memory.panels[VKMM_A].at ? VKMM_OK : vkmm_lane_take(lane);
    return status == VKMM_OK ? vkmm_lane_steps(lane) : status;
}

vkmm_status vkmm_lane_run_one(vkmm_lane *lane)
{
    vkmm_workers_keep_awake(lane->workers, !vkmm_is_processor(&lane->device->physical->info));
    vkmm_status status = try_smaller(lane, run_steps);
    vkmm_lane_drain(lane);
    vkmm_workers_keep_awake(lane->workers, 0);
    lane->times.wall_ms = vkmm_now_ms() - lane->stream->start_ms;
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
            return vkmm_fail(VKMM_INVALID, "%s has neither memory nor a function for its panels",
                             vkmm_operand_name((vkmm_operand)o));
    return VKMM_OK;
}

/* Forgets the last run. A lost device stays lost, and one that could not be changed to the product is left out. */
static void begin(vkmm_lane *lane, double now)
{
    const uint32_t shrunk = lane->times.shrunk;
    for (int o = VKMM_A; o <= VKMM_B; o++)
        for (uint32_t i = 0; i < lane->memory.panels[o].count; i++)
            lane->memory.panels[o].at[i].name.extent = 0, lane->memory.panels[o].at[i].turn = 0;
    lane->times = (vkmm_stream_times){.shrunk = lane->stream->start_ms > 0 ? 0 : shrunk};
    lane->todo = (vkmm_todo){.steps = lane->todo.steps};
    lane->done = (vkmm_lane_done){.timeline = lane->done.timeline, .room = lane->done.room, .zero_ms = INFINITY};
    lane->queue.turns = lane->queue.turns_done = 0;
    lane->queue.last_end_ms = now;
    lane->last_progress_ms = 0; /* the first report comes at once */
    atomic_store(&lane->is_told, 0);
    if (lane->status != VKMM_DEVICE_LOST) lane->status = lane->whole.kernel ? VKMM_OK : VKMM_UNSUPPORTED;
}

/* From the time since the first timestamp to that since the run began. */
static void shift_timeline(vkmm_lane *lane)
{
    for (uint64_t i = 0; lane->done.zero != 0 && i < lane->done.panels; i++)
        for (int j = 0; j < 2; j++) lane->done.timeline[i].kernel_ms[j] += lane->done.zero_ms - lane->stream->start_ms;
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

vkmm_status vkmm_stream_multiply(vkmm_stream *stream, const vkmm_stream_io *io, vkmm_stream_times *times)
{
    const vkmm_lane *able = stream->lanes;
    while (able && !able->whole.kernel) able = able->next;
    if (!able) return vkmm_fail(VKMM_INVALID, "the stream has no product since its change failed");
    const double start_ms = vkmm_now_ms();
    vkmm_stream_times sum = {0};
    vkmm_status status = VKMM_OK;
    for (vkmm_lane *lane = stream->lanes; lane; lane = lane->next) begin(lane, start_ms);
    stream->io = io;
    stream->start_ms = start_ms;
    vkmm_work_begin(stream);
    if (stream->work.end > 0) status = check_io(stream, io);
    if (status == VKMM_OK && stream->work.end > 0) status = vkmm_work_run(stream);
    for (vkmm_lane *lane = stream->lanes; lane; lane = lane->next) {
        add_times(&sum, &lane->times);
        shift_timeline(lane);
    }
    stream->work.wall_ms = sum.wall_ms = vkmm_now_ms() - start_ms;
    if (times) *times = sum;
    return status;
}

vkmm_status vkmm_stream_run_sized(vkmm_stream *stream, const vkmm_stream_io *io, size_t size, vkmm_stream_times *times)
{
    VKMM_NEED(NULL, stream);
    VKMM_NEED(stream->log, io);
    VKMM_SIZED(stream->log, vkmm_stream_io, io, size);
    return vkmm_tell(stream->log, vkmm_stream_multiply(stream, io, times));
}
