/* The order in which panels are loaded, multiplied and stored. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "stream/stream.h"
#include "math/problem.h"

enum { PROGRESS_MS = 100 };

static uint32_t c_count(const vkmm_stream *stream)
{
    return stream->c[1].buffer.handle ? 2 : 1;
}

static int is_panel(const vkmm_slot *slot, const vkmm_slot *name)
{
    return slot->is_named && slot->batch == name->batch && slot->at == name->at && slot->part == name->part &&
           slot->extent == name->extent;
}

/* The slot that has the panel; or the least recently used one, once the product that used it has ended. */
static vkmm_status claim(vkmm_stream *stream, vkmm_slot *slots, uint32_t count, const vkmm_slot *name, vkmm_slot **slot)
{
    *slot = &slots[0];
    for (uint32_t i = 0; i < count; i++) {
        if (is_panel(&slots[i], name)) {
            *slot = &slots[i];
            return VKMM_OK;
        }
        if (slots[i].turn < (*slot)->turn) *slot = &slots[i];
    }
    vkmm_status status = vkmm_stream_wait(stream, (*slot)->turn);
    (*slot)->is_named = 1;
    (*slot)->batch = name->batch;
    (*slot)->at = name->at;
    (*slot)->part = name->part;
    (*slot)->extent = name->extent;
    (*slot)->lines = 0;
    return status;
}

/* Which panel of A or B a step needs. All matrices of a batch may share one. */
static vkmm_slot name_of(const vkmm_stream *stream, vkmm_operand operand, const vkmm_step *step, uint64_t part)
{
    const int shared = step->matrices == 1 && vkmm_operand_stride(&stream->problem, operand) == 0;
    return (vkmm_slot){.is_named = 1,
                       .batch = shared ? 0 : step->batch,
                       .at = operand == VKMM_A ? step->row : step->col,
                       .part = part,
                       .extent = operand == VKMM_A ? step->rows : step->cols};
}

static vkmm_status load(vkmm_stream *stream, vkmm_operand operand, const vkmm_step *step, uint64_t part,
                        vkmm_slot **slot)
{
    const vkmm_lines lines = vkmm_stream_lines(stream, operand, step, part);
    const vkmm_slot name = name_of(stream, operand, step, part);
    vkmm_status status = operand == VKMM_A ? claim(stream, stream->a, stream->a_count, &name, slot)
                                           : claim(stream, stream->b, stream->b_count, &name, slot);
    if (status == VKMM_OK) status = vkmm_stream_load(stream, *slot, &lines, UINT64_MAX);
    (*slot)->turn = stream->turns + 1;
    return status;
}

static vkmm_status store_one(vkmm_stream *stream)
{
    const uint64_t step = stream->stored;
    vkmm_status status = vkmm_stream_wait(stream, (step + 1) * vkmm_stream_parts(stream));
    stream->timeline[stream->panels_done].store_ms[0] = vkmm_now_ms() - stream->start_ms;
    if (status == VKMM_OK)
        status = vkmm_stream_store_end(stream, &stream->steps[step], &stream->c[step % c_count(stream)]);
    if (status != VKMM_OK) return status;
    stream->written = 0;
    stream->stored++;
    vkmm_work_stored(stream, &stream->steps[step]);
    return vkmm_stream_tell(stream);
}

vkmm_status vkmm_stream_begin_to_store(vkmm_stream *stream)
{
    const uint64_t step = stream->stored;
    if (!vkmm_stream_ended(stream, (step + 1) * vkmm_stream_parts(stream))) return VKMM_OK;
    return vkmm_stream_store_begin(stream, &stream->steps[step], &stream->c[step % c_count(stream)]);
}

/* C's old values, if β is not 0 and the kernel adds them. */
static vkmm_status load_c(vkmm_stream *stream, const vkmm_step *step, vkmm_slot *slot)
{
    const vkmm_lines lines = vkmm_stream_lines(stream, VKMM_C, step, 0);
    if (vkmm_problem_beta(&stream->problem) == 0 || vkmm_stream_parts(stream) > 1) return VKMM_OK;
    slot->lines = 0;
    return vkmm_stream_load(stream, slot, &lines, UINT64_MAX);
}

/* Makes room on the device for a step's panel of C. What was there before is stored later if it is in chunks. */
static vkmm_status clear_slot(vkmm_stream *stream, uint64_t index)
{
    const uint64_t count = c_count(stream);
    vkmm_status status = VKMM_OK;
    int left = 0;
    while (status == VKMM_OK && !left && stream->stored + count <= index) {
        const uint64_t step = stream->stored;
        status = vkmm_stream_wait(stream, (step + 1) * vkmm_stream_parts(stream));
        if (status == VKMM_OK) status = vkmm_stream_store_begin(stream, &stream->steps[step], &stream->c[step % count]);
        if (status == VKMM_OK && step + count == index)
            status = vkmm_stream_store_left(stream, &stream->steps[step], &left);
        if (status == VKMM_OK && !left) status = store_one(stream);
    }
    return status;
}

/* While a row of panels of C is computed, the next row's panel of A is loaded, a share with each of them. */
static vkmm_status prefetch(vkmm_stream *stream, uint64_t index)
{
    const vkmm_step *step = &stream->steps[index], *next = step;
    uint64_t ahead = index, behind = index;
    vkmm_slot *slot;
    if (stream->a_count < 2 || vkmm_stream_parts(stream) > 1) return VKMM_OK;
    while (behind > 0 && stream->steps[behind - 1].row == step->row && stream->steps[behind - 1].batch == step->batch)
        behind--;
    while (ahead < stream->step_count && next->row == step->row && next->batch == step->batch)
        if (++ahead < stream->step_count) next = &stream->steps[ahead];
    const vkmm_slot name = name_of(stream, VKMM_A, next, 0), present = name_of(stream, VKMM_A, step, 0);
    if (ahead == stream->step_count || is_panel(&name, &present)) return VKMM_OK;
    const vkmm_lines lines = vkmm_stream_lines(stream, VKMM_A, next, 0);
    const uint64_t turn = index - behind + 1, turns = ahead - behind;
    vkmm_status status = claim(stream, stream->a, stream->a_count, &name, &slot);
    if (status != VKMM_OK || turn >= turns) return status; /* the last share is the next turn's own */
    return vkmm_stream_load(stream, slot, &lines, lines.count * lines.matrices * turn / turns);
}

/* A new entry of the timeline. */
static vkmm_status note_panel(vkmm_stream *stream, const vkmm_step *step)
{
    const uint64_t at = vkmm_stream_panel_at(stream, step), room = 2 * at + 8;
    if (at >= stream->timeline_room) {
        vkmm_stream_panel *grown = vkmm_realloc(stream->timeline, room, sizeof *grown);
        if (!grown) return VKMM_NO_MEMORY(stream->log, "for a list of panels");
        stream->timeline = grown;
        stream->timeline_room = room;
    }
    stream->timeline[at] = (vkmm_stream_panel){
        step->batch, step->matrices, step->row, step->col, step->rows, step->cols, {vkmm_now_ms() - stream->start_ms}};
    return VKMM_OK;
}

static vkmm_status take_turn(vkmm_stream *stream, uint64_t index, uint64_t part)
{
    const vkmm_step *step = &stream->steps[index];
    vkmm_slot *a, *b, *c = &stream->c[index % c_count(stream)];
    vkmm_status status = part == 0 ? note_panel(stream, step) : VKMM_OK;
    if (status == VKMM_OK && part == 0) status = vkmm_stream_begin_to_store(stream);
    if (status == VKMM_OK) status = load(stream, VKMM_A, step, part, &a);
    if (status == VKMM_OK) status = load(stream, VKMM_B, step, part, &b);
    if (status == VKMM_OK && part == 0) status = clear_slot(stream, index);
    if (status == VKMM_OK && part == 0) status = load_c(stream, step, c);
    if (status == VKMM_OK) status = vkmm_stream_submit(stream, step, part, a, b, c);
    while (status == VKMM_OK && stream->stored + c_count(stream) <= index) status = store_one(stream);
    return status == VKMM_OK ? prefetch(stream, index) : status;
}

vkmm_status vkmm_stream_steps(vkmm_stream *stream)
{
    vkmm_status status = vkmm_stream_load_bias(stream);
    for (uint64_t i = 0; status == VKMM_OK; i++) {
        status = vkmm_work_take(stream, i);
        while (status == VKMM_OK && i == stream->step_count && stream->stored < i) status = store_one(stream);
        if (status == VKMM_OK && i == stream->step_count) status = vkmm_work_wait(stream);
        if (status != VKMM_OK || i == stream->step_count) break;
        for (uint64_t part = 0; part < vkmm_stream_parts(stream) && status == VKMM_OK; part++)
            status = take_turn(stream, i, part);
    }
    if (status == VKMM_OK) status = vkmm_stream_loaded(stream); /* products have waited, but not the host */
    return status == VKMM_OK ? vkmm_stream_check_guards(stream) : status;
}

vkmm_status vkmm_stream_tell(vkmm_stream *stream)
{
    const double now = vkmm_now_ms();
    if (atomic_load(&stream->work->status) != VKMM_OK) return VKMM_STOPPED;
    if (!stream->tells || !stream->io->progress || now - stream->last_progress_ms < PROGRESS_MS) return VKMM_OK;
    stream->last_progress_ms = now;
    const vkmm_stream_state state = vkmm_work_look(stream, now - stream->start_ms);
    vkmm_held *held = vkmm_errors_suspend();
    const int stops = stream->io->progress(stream->io->user, &state);
    vkmm_errors_resume(held);
    return stops ? VKMM_STOPPED : VKMM_OK;
}
