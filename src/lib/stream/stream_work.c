/* The devices of a stream, and how they share its product.
 *  Each takes strips: rows of C over all columns, or columns over all rows, so that one operand's panels can stay on
 * the device. It takes half of its share of what is left (guided self-scheduling: Polychronopoulos and Kuck, 1987), at
 * most a panel, and nothing if another device alone would be done with the rest earlier. As long as its speed is not
 * known, a strip is as small as the kernel's tile, unless all devices are alike: then their shares are. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "stream/stream.h"
#include "math/problem.h"

enum { LEAST_SHARE = 8 }; /* of a panel, so that the device remains busy */

void vkmm_work_begin(vkmm_stream *stream)
{
    const vkmm_problem *p = &stream->problem;
    vkmm_work *work = &stream->work;
    work->by_cols = p->n > p->m && stream->lanes->pieces.partition.row_panels == 1;
    work->next = 0;
    work->end = p->m > 0 && p->n > 0 ? (work->by_cols ? p->n : p->m) * vkmm_problem_batches(p) : 0;
    work->panels = work->done = 0;
    work->elements = 0;
    atomic_store(&work->status, VKMM_OK);
}

static uint64_t lines_of(const vkmm_work *work, const vkmm_step *step)
{
    return (work->by_cols ? step->cols : step->rows) * step->matrices;
}

/* The whole product, for a device alone. */
static vkmm_step everything(const vkmm_problem *p)
{
    return (vkmm_step){.matrices = vkmm_problem_batches(p), .rows = p->m, .cols = p->n};
}

/* The speed that a device has or, as long as it is not known, that all others with its name have: 1 where none is
 * known. 0: a device has another name. */
static double speed_of(const vkmm_lane *lane)
{
    const char *name = lane->device->physical->info.name;
    double speed = lane->done.speed;
    if (speed > 0) return speed;
    for (const vkmm_lane *one = lane->stream->lanes; one; one = one->next) {
        if (strcmp(one->device->physical->info.name, name) != 0) return 0;
        if (one->done.speed > speed) speed = one->done.speed;
    }
    return speed > 0 ? speed : 1;
}

/* How many lines a device should take; 0: the others are done sooner without it. */
static uint64_t fair_lines(const vkmm_lane *lane)
{
    const vkmm_work *work = &lane->stream->work;
    const vkmm_pieces *p = &lane->pieces;
    const uint64_t left = work->end - work->next, unit = work->by_cols ? p->unit_cols : p->unit_rows,
                   most = (work->by_cols ? p->partition.cols : p->partition.rows) * p->matrices;
    const double speed = speed_of(lane);
    double all = 0, best = 0;
    for (const vkmm_lane *one = lane->stream->lanes; one; one = one->next) {
        if (one->status != VKMM_OK) continue;
        all += one->done.speed > 0 ? one->done.speed : speed;
        if (one != lane && one->done.speed > best) best = one->done.speed;
    }
    if (!(speed > 0)) return unit;
    double lines = (double)left * speed / all / 2;
    if (lines < (double)most / LEAST_SHARE) lines = (double)most / LEAST_SHARE;
    if (lines > (double)most) lines = (double)most;
    if (lines < (double)unit) lines = (double)unit;
    if (lines > (double)left) lines = (double)left;
    return lines / speed > (double)left / best ? 0 : ((uint64_t)lines + unit - 1) / unit * unit;
}

/* The next lines: of one matrix, or several whole ones. */
static vkmm_step next_strip(const vkmm_lane *lane, uint64_t lines)
{
    const vkmm_work *work = &lane->stream->work;
    vkmm_step step = everything(&lane->stream->problem);
    uint64_t *const at = work->by_cols ? &step.col : &step.row, *const extent = work->by_cols ? &step.cols : &step.rows;
    const uint64_t whole = *extent, left = whole - work->next % whole, matrices = lines / whole;
    step.batch = work->next / whole;
    *at = work->next % whole;
    if (matrices > 0 && *at == 0) {
        step.matrices = step.matrices - step.batch < matrices ? step.matrices - step.batch : matrices;
    } else {
        step.matrices = 1;
        *extent = left < lines ? left : lines;
    }
    return step;
}

/* With the lock. What a device that failed did not store comes first. */
static vkmm_status take(vkmm_lane *lane)
{
    vkmm_work *work = &lane->stream->work;
    vkmm_lane *failed = lane->stream->lanes;
    while (failed && (failed->status == VKMM_OK || failed->todo.stored == failed->todo.count)) failed = failed->next;
    const int alone = !lane->stream->lanes->next;
    const uint64_t lines = failed || work->next == work->end ? 0 : alone ? work->end : fair_lines(lane);
    if (!failed && lines == 0) return VKMM_OK;
    const vkmm_step strip = failed  ? failed->todo.steps[failed->todo.stored]
                            : alone ? everything(&lane->stream->problem)
                                    : next_strip(lane, lines);
    uint64_t count = 1;
    vkmm_step *made = vkmm_pieces_split(&lane->pieces, &strip, &count),
              *grown = made ? vkmm_realloc(lane->todo.steps, lane->todo.count + count, sizeof *grown) : NULL;
    if (grown) {
        memcpy(grown + lane->todo.count, made, count * sizeof *grown);
        lane->todo.steps = grown;
        lane->todo.latest = lane->todo.count;
        lane->todo.count += count;
        lane->todo.is_busy = 1;
        if (failed)
            failed->todo.stored++;
        else
            work->next += lines_of(work, &strip);
        work->panels += count - (failed != NULL);
    }
    vkmm_free(made);
    return grown ? VKMM_OK : VKMM_NO_MEMORY("for a list of panels");
}

vkmm_status vkmm_work_take(vkmm_lane *lane, uint64_t i)
{
    vkmm_status status = VKMM_OK;
    mtx_lock(&lane->stream->work.lock);
    if (i == lane->todo.count) status = take(lane);
    /* One strip ahead, once its size is known. */
    if (status == VKMM_OK && lane->todo.latest <= i && i < lane->todo.count && speed_of(lane) > 0) status = take(lane);
    mtx_unlock(&lane->stream->work.lock);
    return status;
}

static int any_busy(const vkmm_lane *first)
{
    while (first && !first->todo.is_busy) first = first->next;
    return first != NULL;
}

vkmm_status vkmm_work_wait(vkmm_lane *lane)
{
    vkmm_work *work = &lane->stream->work;
    const uint64_t had = lane->todo.count;
    vkmm_status status;
    mtx_lock(&work->lock);
    lane->todo.is_busy = 0;
    for (;;) {
        status = atomic_load(&work->status) == VKMM_OK ? take(lane) : VKMM_STOPPED;
        if (status != VKMM_OK || lane->todo.count > had || !any_busy(lane->stream->lanes)) break;
        cnd_wait(&work->changed, &work->lock);
        if (!lane->tells) continue;
        mtx_unlock(&work->lock);
        status = vkmm_lane_tell(lane);
        mtx_lock(&work->lock);
        if (status != VKMM_OK) break;
    }
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
    return status;
}

void vkmm_work_stored(vkmm_lane *lane, const vkmm_step *step)
{
    vkmm_work *work = &lane->stream->work;
    const double elements = (double)step->rows * (double)step->cols * (double)step->matrices,
                 elapsed_ms = vkmm_now_ms() - lane->stream->start_ms;
    lane->done.timeline[lane->done.panels++].store_ms[1] = elapsed_ms;
    lane->done.elements += elements;
    mtx_lock(&work->lock);
    work->done++;
    work->elements += elements;
    if (elapsed_ms > 0) lane->done.speed = lane->done.elements / elapsed_ms;
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
}

vkmm_stream_state vkmm_work_look(const vkmm_lane *lane, double elapsed_ms)
{
    const vkmm_step whole = everything(&lane->stream->problem);
    const vkmm_partition *t = &lane->pieces.partition;
    const double all = (double)whole.rows * (double)whole.cols * (double)whole.matrices;
    vkmm_work *work = &lane->stream->work;
    mtx_lock(&work->lock);
    const double left = (double)(work->end - work->next) / (double)work->end * all;
    const vkmm_stream_state state = {
        work->panels + (uint64_t)(left / ((double)t->rows * (double)t->cols * (double)lane->pieces.matrices)),
        work->done, elapsed_ms, work->elements > 0 ? elapsed_ms * (all / work->elements - 1) : -1};
    mtx_unlock(&work->lock);
    return state;
}

/* With the lock: the run ends with this thread's error. */
static void stop(vkmm_lane *lane, vkmm_status status)
{
    vkmm_work *work = &lane->stream->work;
    if (atomic_load(&work->status) != VKMM_OK) return;
    if (status == VKMM_DEVICE_LOST && !atomic_load(&lane->is_told))
        vkmm_fail(status, "%.900s; %llu of %llu panels of C were done", vkmm_last_error(),
                  (unsigned long long)work->done, (unsigned long long)work->panels);
    vkmm_error_get(&work->error);
    atomic_store(&work->status, (int)status);
}

/* A device has ended: there is nothing left, or it failed, and others may go on. */
static void end(vkmm_lane *lane, vkmm_status status)
{
    vkmm_work *work = &lane->stream->work;
    int others = 0;
    mtx_lock(&work->lock);
    for (const vkmm_lane *one = lane->stream->lanes; one; one = one->next)
        others |= one != lane && one->status == VKMM_OK;
    const int ends = status == VKMM_STOPPED || status == VKMM_WRONG_RESULT || vkmm_lane_is_final(lane) || !others;
    if (status != VKMM_OK && ends) stop(lane, status);
    lane->status = status == VKMM_STOPPED ? VKMM_OK : status;
    lane->todo.is_busy = 0;
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
    if (status != VKMM_OK && !ends)
        vkmm_say(lane->stream->log, VKMM_LOG_WARNING, "\"%s\" computes nothing more: %s; the other devices continue",
                 lane->device->physical->info.name, vkmm_last_error());
}

static int run_thread(void *context)
{
    vkmm_lane *lane = context;
    end(lane, vkmm_lane_run_one(lane));
    return 0;
}

vkmm_status vkmm_work_run(vkmm_stream *stream)
{
    vkmm_work *work = &stream->work;
    vkmm_lane *own = NULL;
    for (vkmm_lane *one = stream->lanes; one; one = one->next) {
        one->todo.is_busy = one->status == VKMM_OK;
        if (one->todo.is_busy && !own) own = one;
    }
    if (!own) return vkmm_fail(VKMM_DEVICE_LOST, "every device of the stream was lost before");
    for (vkmm_lane *one = own->next; one; one = one->next) {
        one->tells = 0;
        one->has_thread = one->status == VKMM_OK && thrd_create(&one->thread, run_thread, one) == thrd_success;
        if (!one->has_thread && one->status == VKMM_OK)
            end(one, vkmm_fail(VKMM_OUT_OF_MEMORY, "there is no thread for it"));
    }
    own->tells = 1;
    run_thread(own);
    mtx_lock(&work->lock);
    while (any_busy(stream->lanes)) { /* its device has failed */
        cnd_wait(&work->changed, &work->lock);
        mtx_unlock(&work->lock);
        const vkmm_status status = vkmm_lane_tell(own);
        mtx_lock(&work->lock);
        if (status != VKMM_OK) stop(own, status);
    }
    mtx_unlock(&work->lock);
    for (vkmm_lane *one = own->next; one; one = one->next)
        if (one->has_thread) thrd_join(one->thread, NULL);
    const vkmm_status status = (vkmm_status)atomic_load(&work->status);
    if (status != VKMM_OK) vkmm_error_set(&work->error);
    return status;
}
