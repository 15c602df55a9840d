/* The order in which panels are loaded, multiplied and stored. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "stream/stream.h"
#include "math/problem.h"

enum { PROGRESS_MS = 100 };

/* Where a step's panel of C is. */
static vkmm_slot *c_slot(const vkmm_lane *lane, uint64_t step)
{
    return &lane->memory.panels[VKMM_C].at[step % lane->memory.panels[VKMM_C].count];
}

static int is_panel(const vkmm_slot *slot, const vkmm_slot *name)
{
    return slot->is_named && slot->batch == name->batch && slot->at == name->at && slot->part == name->part &&
           slot->extent == name->extent;
}

/* The slot that has the panel; or the least recently used one, once the product that used it has ended. */
static vkmm_status claim(vkmm_lane *lane, const vkmm_slots *slots, const vkmm_slot *name, vkmm_slot **slot)
{
    *slot = &slots->at[0];
    for (uint32_t i = 0; i < slots->count; i++) {
        if (is_panel(&slots->at[i], name)) {
            *slot = &slots->at[i];
            return VKMM_OK;
        }
        if (slots->at[i].turn < (*slot)->turn) *slot = &slots->at[i];
    }
    vkmm_status status = vkmm_lane_wait(lane, (*slot)->turn);
    (*slot)->is_named = 1;
    (*slot)->batch = name->batch;
    (*slot)->at = name->at;
    (*slot)->part = name->part;
    (*slot)->extent = name->extent;
    (*slot)->lines = 0;
    (*slot)->packed = (vkmm_repack){0};
    return status;
}

/* Which panel of A or B a step needs. All matrices of a batch may share one. */
static vkmm_slot name_of(const vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part)
{
    const int shared = step->matrices == 1 && vkmm_operand_stride(&lane->stream->problem, operand) == 0;
    return (vkmm_slot){.is_named = 1,
                       .batch = shared ? 0 : step->batch,
                       .at = operand == VKMM_A ? step->row : step->col,
                       .part = part,
                       .extent = operand == VKMM_A ? step->rows : step->cols};
}

static vkmm_status load(vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part, vkmm_slot **slot)
{
    const vkmm_lines lines = vkmm_lane_lines(lane, operand, step, part);
    const vkmm_slot name = name_of(lane, operand, step, part);
    vkmm_status status = claim(lane, &lane->memory.panels[operand], &name, slot);
    if (status == VKMM_OK) status = vkmm_lane_load(lane, *slot, &lines, UINT64_MAX);
    (*slot)->turn = lane->queue.turns + 1;
    return status;
}

static vkmm_status store_one(vkmm_lane *lane)
{
    const uint64_t step = lane->todo.stored;
    vkmm_status status = vkmm_lane_wait(lane, (step + 1) * vkmm_lane_parts(lane));
    lane->done.timeline[lane->done.panels].store_ms[0] = vkmm_now_ms() - lane->stream->start_ms;
    if (status == VKMM_OK) status = vkmm_lane_store_end(lane, &lane->todo.steps[step], c_slot(lane, step));
    if (status != VKMM_OK) return status;
    lane->done.written = 0;
    lane->todo.stored++;
    vkmm_work_stored(lane, &lane->todo.steps[step]);
    return vkmm_lane_tell(lane);
}

vkmm_status vkmm_lane_begin_to_store(vkmm_lane *lane)
{
    const uint64_t step = lane->todo.stored;
    if (!vkmm_lane_ended(lane, (step + 1) * vkmm_lane_parts(lane))) return VKMM_OK;
    return vkmm_lane_store_begin(lane, &lane->todo.steps[step], c_slot(lane, step));
}

/* C's old values, if β is not 0 and the kernel adds them. */
static vkmm_status load_c(vkmm_lane *lane, const vkmm_step *step, vkmm_slot *slot)
{
    const vkmm_lines lines = vkmm_lane_lines(lane, VKMM_C, step, 0);
    if (vkmm_problem_beta(&lane->stream->problem) == 0 || vkmm_lane_parts(lane) > 1) return VKMM_OK;
    slot->lines = 0;
    return vkmm_lane_load(lane, slot, &lines, UINT64_MAX);
}

/* Makes room on the device for a step's panel of C. What was there before is stored later if it is in chunks. */
static vkmm_status clear_slot(vkmm_lane *lane, uint64_t index)
{
    const uint64_t count = lane->memory.panels[VKMM_C].count;
    vkmm_status status = VKMM_OK;
    int left = 0;
    while (status == VKMM_OK && !left && lane->todo.stored + count <= index) {
        const uint64_t step = lane->todo.stored;
        status = vkmm_lane_wait(lane, (step + 1) * vkmm_lane_parts(lane));
        if (status == VKMM_OK) status = vkmm_lane_store_begin(lane, &lane->todo.steps[step], c_slot(lane, step));
        if (status == VKMM_OK && step + count == index)
            status = vkmm_lane_store_left(lane, &lane->todo.steps[step], &left);
        if (status == VKMM_OK && !left) status = store_one(lane);
    }
    return status;
}

/* While a row of panels of C is computed, the next row's panel of A is loaded, a share with each of them. */
static vkmm_status prefetch(vkmm_lane *lane, uint64_t index)
{
    const vkmm_step *step = &lane->todo.steps[index], *next = step;
    uint64_t ahead = index, behind = index;
    vkmm_slot *slot;
    if (lane->memory.panels[VKMM_A].count < 2 || vkmm_lane_parts(lane) > 1) return VKMM_OK;
    while (behind > 0 && lane->todo.steps[behind - 1].row == step->row &&
           lane->todo.steps[behind - 1].batch == step->batch)
        behind--;
    while (ahead < lane->todo.count && next->row == step->row && next->batch == step->batch)
        if (++ahead < lane->todo.count) next = &lane->todo.steps[ahead];
    const vkmm_slot name = name_of(lane, VKMM_A, next, 0), present = name_of(lane, VKMM_A, step, 0);
    if (ahead == lane->todo.count || is_panel(&name, &present)) return VKMM_OK;
    const vkmm_lines lines = vkmm_lane_lines(lane, VKMM_A, next, 0);
    const uint64_t turn = index - behind + 1, turns = ahead - behind;
    vkmm_status status = claim(lane, &lane->memory.panels[VKMM_A], &name, &slot);
    if (status != VKMM_OK || turn >= turns) return status; /* the last share is the next turn's own */
    return vkmm_lane_load(lane, slot, &lines, lines.count * lines.matrices * turn / turns);
}

/* A new entry of the timeline. */
static vkmm_status note_panel(vkmm_lane *lane, const vkmm_step *step)
{
    const uint64_t at = vkmm_lane_panel_at(lane, step), room = 2 * at + 8;
    if (at >= lane->done.room) {
        vkmm_stream_panel *grown = vkmm_realloc(lane->done.timeline, room, sizeof *grown);
        if (!grown) return VKMM_NO_MEMORY("for a list of panels");
        lane->done.timeline = grown;
        lane->done.room = room;
    }
    lane->done.timeline[at] = (vkmm_stream_panel){step->batch,
                                                  step->matrices,
                                                  step->row,
                                                  step->col,
                                                  step->rows,
                                                  step->cols,
                                                  {vkmm_now_ms() - lane->stream->start_ms}};
    return VKMM_OK;
}

static vkmm_status take_turn(vkmm_lane *lane, uint64_t index, uint64_t part)
{
    const vkmm_step *step = &lane->todo.steps[index];
    vkmm_slot *a, *b, *c = c_slot(lane, index);
    vkmm_status status = part == 0 ? note_panel(lane, step) : VKMM_OK;
    if (status == VKMM_OK && part == 0) status = vkmm_lane_begin_to_store(lane);
    if (status == VKMM_OK) status = load(lane, VKMM_A, step, part, &a);
    if (status == VKMM_OK) status = load(lane, VKMM_B, step, part, &b);
    if (status == VKMM_OK && part == 0) status = clear_slot(lane, index);
    if (status == VKMM_OK && part == 0) status = load_c(lane, step, c);
    if (status == VKMM_OK) status = vkmm_lane_submit(lane, step, part, a, b, c);
    while (status == VKMM_OK && lane->todo.stored + lane->memory.panels[VKMM_C].count <= index)
        status = store_one(lane);
    return status == VKMM_OK ? prefetch(lane, index) : status;
}

vkmm_status vkmm_lane_steps(vkmm_lane *lane)
{
    vkmm_status status = vkmm_lane_load_bias(lane);
    for (uint64_t i = 0; status == VKMM_OK; i++) {
        status = vkmm_work_take(lane, i);
        while (status == VKMM_OK && i == lane->todo.count && lane->todo.stored < i) status = store_one(lane);
        if (status == VKMM_OK && i == lane->todo.count) status = vkmm_work_wait(lane);
        if (status != VKMM_OK || i == lane->todo.count) break;
        for (uint64_t part = 0; part < vkmm_lane_parts(lane) && status == VKMM_OK; part++)
            status = take_turn(lane, i, part);
    }
    if (status == VKMM_OK) status = vkmm_lane_loaded(lane); /* products have waited, but not the host */
    return status == VKMM_OK ? vkmm_lane_check_guards(lane) : status;
}

vkmm_status vkmm_lane_tell(vkmm_lane *lane)
{
    const double now = vkmm_now_ms();
    if (atomic_load(&lane->stream->work.status) != VKMM_OK) return VKMM_STOPPED;
    if (!lane->tells || !lane->stream->io->progress || now - lane->last_progress_ms < PROGRESS_MS) return VKMM_OK;
    lane->last_progress_ms = now;
    const vkmm_stream_state state = vkmm_work_look(lane, now - lane->stream->start_ms);
    vkmm_error_clear();
    return lane->stream->io->progress(lane->stream->io->user, &state) ? VKMM_STOPPED : VKMM_OK;
}
