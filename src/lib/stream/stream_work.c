/* The devices of a stream, and how they share its product.
 *  Each takes strips: rows of C over all columns, or columns over all rows, so that one operand's panels can stay on
 * the device. It takes half of its share of what is left (guided self-scheduling: Polychronopoulos and Kuck, 1987), at
 * most a panel, and nothing if another device alone would be done with the rest earlier. As long as its speed is not
 * known, a strip is as small as the kernel's tile, unless all devices are alike: then their shares are. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "stream/stream.h"
#include "math/problem.h"

enum { LEAST_SHARE = 8 }; /* of a panel, so that the device remains busy */

void vkmm_work_begin(vkmm_stream *first)
{
    const vkmm_problem *p = &first->problem;
    vkmm_work *work = first->work;
    work->by_cols = p->n > p->m && first->pieces.partition.row_panels == 1;
    work->next = 0;
    work->end = p->m > 0 && p->n > 0 ? (work->by_cols ? p->n : p->m) * vkmm_problem_batches(p) : 0;
    work->panels = work->done = 0;
    work->elements = 0;
    work->sentence[0] = '\0';
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
static double speed_of(const vkmm_stream *stream)
{
    const char *name = stream->device->physical->info.name;
    double speed = stream->speed;
    if (speed > 0) return speed;
    for (const vkmm_stream *one = stream->first; one; one = one->next) {
        if (strcmp(one->device->physical->info.name, name) != 0) return 0;
        if (one->speed > speed) speed = one->speed;
    }
    return speed > 0 ? speed : 1;
}

/* How many lines a device should take; 0: the others are done sooner without it. */
static uint64_t fair_lines(const vkmm_stream *stream)
{
    const vkmm_work *work = stream->work;
    const vkmm_pieces *p = &stream->pieces;
    const uint64_t left = work->end - work->next, unit = work->by_cols ? p->unit_cols : p->unit_rows,
                   most = (work->by_cols ? p->partition.cols : p->partition.rows) * p->matrices;
    const double speed = speed_of(stream);
    double all = 0, best = 0;
    for (const vkmm_stream *one = stream->first; one; one = one->next) {
        if (one->status != VKMM_OK) continue;
        all += one->speed > 0 ? one->speed : speed;
        if (one != stream && one->speed > best) best = one->speed;
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
static vkmm_step next_strip(const vkmm_stream *stream, uint64_t lines)
{
    const vkmm_work *work = stream->work;
    vkmm_step step = everything(&stream->problem);
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
static vkmm_status take(vkmm_stream *stream)
{
    vkmm_work *work = stream->work;
    vkmm_stream *failed = stream->first;
    while (failed && (failed->status == VKMM_OK || failed->stored == failed->step_count)) failed = failed->next;
    const int alone = !stream->first->next;
    const uint64_t lines = failed || work->next == work->end ? 0 : alone ? work->end : fair_lines(stream);
    if (!failed && lines == 0) return VKMM_OK;
    const vkmm_step strip = failed  ? failed->steps[failed->stored]
                            : alone ? everything(&stream->problem)
                                    : next_strip(stream, lines);
    uint64_t count = 1;
    vkmm_step *made = vkmm_pieces_split(&stream->pieces, &strip, &count),
              *grown = made ? vkmm_realloc(stream->steps, stream->step_count + count, sizeof *grown) : NULL;
    if (grown) {
        memcpy(grown + stream->step_count, made, count * sizeof *grown);
        stream->steps = grown;
        stream->latest = stream->step_count;
        stream->step_count += count;
        stream->is_busy = 1;
        if (failed)
            failed->stored++;
        else
            work->next += lines_of(work, &strip);
        work->panels += count - (failed != NULL);
    }
    vkmm_free(made);
    return grown ? VKMM_OK : VKMM_NO_MEMORY(stream->log, "for a list of panels");
}

vkmm_status vkmm_work_take(vkmm_stream *stream, uint64_t i)
{
    vkmm_status status = VKMM_OK;
    mtx_lock(&stream->work->lock);
    if (i == stream->step_count) status = take(stream);
    /* One strip ahead, once its size is known. */
    if (status == VKMM_OK && stream->latest <= i && i < stream->step_count && speed_of(stream) > 0)
        status = take(stream);
    mtx_unlock(&stream->work->lock);
    return status;
}

static int any_busy(const vkmm_stream *first)
{
    while (first && !first->is_busy) first = first->next;
    return first != NULL;
}

vkmm_status vkmm_work_wait(vkmm_stream *stream)
{
    vkmm_work *work = stream->work;
    const uint64_t had = stream->step_count;
    vkmm_status status;
    mtx_lock(&work->lock);
    stream->is_busy = 0;
    for (;;) {
        status = atomic_load(&work->status) == VKMM_OK ? take(stream) : VKMM_STOPPED;
        if (status != VKMM_OK || stream->step_count > had || !any_busy(stream->first)) break;
        cnd_wait(&work->changed, &work->lock);
        if (!stream->tells) continue;
        mtx_unlock(&work->lock);
        status = vkmm_stream_tell(stream);
        mtx_lock(&work->lock);
        if (status != VKMM_OK) break;
    }
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
    return status;
}

void vkmm_work_stored(vkmm_stream *stream, const vkmm_step *step)
{
    vkmm_work *work = stream->work;
    const double elements = (double)step->rows * (double)step->cols * (double)step->matrices,
                 elapsed_ms = vkmm_now_ms() - stream->start_ms;
    stream->timeline[stream->panels_done++].store_ms[1] = elapsed_ms;
    stream->elements_done += elements;
    mtx_lock(&work->lock);
    work->done++;
    work->elements += elements;
    if (elapsed_ms > 0) stream->speed = stream->elements_done / elapsed_ms;
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
}

vkmm_stream_state vkmm_work_look(const vkmm_stream *stream, double elapsed_ms)
{
    const vkmm_step whole = everything(&stream->problem);
    const vkmm_partition *t = &stream->pieces.partition;
    const double all = (double)whole.rows * (double)whole.cols * (double)whole.matrices;
    vkmm_work *work = stream->work;
    mtx_lock(&work->lock);
    const double left = (double)(work->end - work->next) / (double)work->end * all;
    const vkmm_stream_state state = {
        work->panels + (uint64_t)(left / ((double)t->rows * (double)t->cols * (double)stream->pieces.matrices)),
        work->done, elapsed_ms, work->elements > 0 ? elapsed_ms * (all / work->elements - 1) : -1};
    mtx_unlock(&work->lock);
    return state;
}

/* With the lock: the run ends. */
static void stop(vkmm_stream *stream, vkmm_status status, const char *sentence)
{
    vkmm_work *work = stream->work;
    if (atomic_load(&work->status) != VKMM_OK) return;
    if (status == VKMM_DEVICE_LOST && !atomic_load(&stream->is_told))
        VKMM_PUT(work->sentence, "%.900s; %llu of %llu panels of C were done", sentence, (unsigned long long)work->done,
                 (unsigned long long)work->panels);
    else
        VKMM_PUT(work->sentence, "%s", sentence);
    atomic_store(&work->status, (int)status);
}

/* A device has ended: there is nothing left, or it failed, and others may go on. */
static void end(vkmm_stream *stream, vkmm_status status, const char *sentence)
{
    vkmm_work *work = stream->work;
    int others = 0;
    mtx_lock(&work->lock);
    for (const vkmm_stream *one = stream->first; one; one = one->next)
        others |= one != stream && one->status == VKMM_OK;
    const int ends = status == VKMM_STOPPED || status == VKMM_WRONG_RESULT || vkmm_stream_is_final(stream) || !others;
    if (status != VKMM_OK && ends) stop(stream, status, sentence);
    stream->status = status == VKMM_STOPPED ? VKMM_OK : status;
    stream->is_busy = 0;
    cnd_broadcast(&work->changed);
    mtx_unlock(&work->lock);
    if (status != VKMM_OK && !ends)
        vkmm_say(stream->log, VKMM_LOG_WARNING, "\"%s\" computes nothing more: %s; the other devices continue",
                 stream->device->physical->info.name, sentence);
}

static int run_thread(void *context)
{
    vkmm_stream *stream = context;
    vkmm_held held;
    vkmm_errors_hold(&held);
    const vkmm_status status = vkmm_stream_run_one(stream);
    vkmm_errors_release(&held);
    end(stream, status, held.sentence);
    return 0;
}

vkmm_status vkmm_work_run(vkmm_stream *first)
{
    vkmm_work *work = first->work;
    vkmm_stream *own = NULL;
    for (vkmm_stream *one = first; one; one = one->next) {
        one->is_busy = one->status == VKMM_OK;
        if (one->is_busy && !own) own = one;
    }
    if (!own) return vkmm_fail(first->log, VKMM_DEVICE_LOST, "every device of the stream was lost before");
    for (vkmm_stream *one = own->next; one; one = one->next) {
        one->tells = 0;
        one->has_thread = one->status == VKMM_OK && thrd_create(&one->thread, run_thread, one) == thrd_success;
        if (!one->has_thread && one->status == VKMM_OK) end(one, VKMM_OUT_OF_MEMORY, "there is no thread for it");
    }
    own->tells = 1;
    run_thread(own);
    mtx_lock(&work->lock);
    while (any_busy(first)) { /* its device has failed */
        cnd_wait(&work->changed, &work->lock);
        mtx_unlock(&work->lock);
        const vkmm_status status = vkmm_stream_tell(own);
        mtx_lock(&work->lock);
        if (status != VKMM_OK) stop(own, status, "");
    }
    mtx_unlock(&work->lock);
    for (vkmm_stream *one = own->next; one; one = one->next)
        if (one->has_thread) thrd_join(one->thread, NULL);
    const vkmm_status status = (vkmm_status)atomic_load(&work->status);
    return status == VKMM_OK || !work->sentence[0] ? status : vkmm_fail(first->log, status, "%s", work->sentence);
}
