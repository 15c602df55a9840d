/* The order in which panels are loaded, multiplied and stored, and their copies to the device and back. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"

enum { PROGRESS_MS = 100 };

/* Where a step's panel of C is. */
static vkmm_slot *c_slot(const vkmm_lane *lane, uint64_t step)
{
    return &lane->memory.panels[VKMM_C].at[step % lane->memory.panels[VKMM_C].count];
}

/* The turn that ends a step's product. */
static uint64_t last_turn(const vkmm_lane *lane, uint64_t step)
{
    return (step + 1) * vkmm_lane_parts(lane);
}

/* ---- To the host: the oldest panel of C, that of the first step that is not stored ---- */

static vkmm_lines oldest_lines(const vkmm_lane *lane)
{
    return vkmm_lane_lines(lane, VKMM_C, &lane->todo.steps[lane->todo.stored], vkmm_lane_parts(lane) - 1);
}

/* Copies the next lines into a chunk that is free. */
static vkmm_status begin_chunk(vkmm_lane *lane, const vkmm_lines *lines)
{
    const vkmm_slot *slot = c_slot(lane, lane->todo.stored);
    const uint64_t left = lines->all - lane->staging.storing;
    vkmm_chunk *chunk = &lane->staging.chunks[VKMM_STREAM_LOADS + lane->staging.next_store];
    lane->staging.next_store = (lane->staging.next_store + 1) % VKMM_STREAM_STORES;
    chunk->first = lane->staging.storing;
    chunk->end = chunk->first + vkmm_least(left, lane->staging.chunk_bytes / lines->bytes);
    lane->staging.storing = chunk->end;
    return vkmm_chunk_begin(lane->device, chunk, VKMM_QUEUE_RETURN, &slot->buffer,
                            slot->lead + chunk->first * lines->bytes, (chunk->end - chunk->first) * lines->bytes);
}

/* Begins to copy the panel to the host; its product has ended. Does nothing if the copies have begun. */
static vkmm_status begin_store(vkmm_lane *lane)
{
    const vkmm_lines lines = oldest_lines(lane);
    vkmm_status status = VKMM_OK;
    if (c_slot(lane, lane->todo.stored)->buffer.mapped || lane->staging.storing > 0) return VKMM_OK;
    for (int i = 0; i < VKMM_STREAM_STORES && lane->staging.storing < lines.all && status == VKMM_OK; i++)
        status = begin_chunk(lane, &lines);
    return status;
}

/* Begins to store if the product has ended, so that the copies run while the host does other work. */
static vkmm_status begin_store_early(vkmm_lane *lane)
{
    return vkmm_lane_ended(lane, last_turn(lane, lane->todo.stored)) ? begin_store(lane) : VKMM_OK;
}

/* Sets *left once the panel is fully staged and its slot is free. */
static vkmm_status leave_slot(vkmm_lane *lane, int *left)
{
    const vkmm_lines lines = oldest_lines(lane);
    vkmm_status status = VKMM_OK;
    *left = lane->staging.storing == lines.all;
    for (int i = VKMM_STREAM_LOADS; i < VKMM_STREAM_CHUNKS && *left && status == VKMM_OK; i++)
        if (lane->staging.chunks[i].command) status = vkmm_command_wait(lane->device, lane->staging.chunks[i].command);
    return status;
}

/* Copies end in the order in which they began. */
static vkmm_status end_chunk(vkmm_lane *lane, const vkmm_lines *lines, vkmm_chunk *chunk)
{
    vkmm_status status = vkmm_chunk_end(lane->device, chunk);
    if (status == VKMM_OK) status = vkmm_lane_empty(lane, lines, chunk->first, chunk->end, chunk->buffer.mapped);
    return status == VKMM_OK ? vkmm_lane_tell(lane) : status;
}

static vkmm_status end_store(vkmm_lane *lane)
{
    const vkmm_slot *slot = c_slot(lane, lane->todo.stored);
    const vkmm_lines lines = oldest_lines(lane);
    vkmm_status status = begin_store(lane);
    lane->times.downloaded_bytes += lines.all * lines.bytes;
    if (slot->buffer.mapped)
        return vkmm_lane_empty(lane, &lines, 0, lines.all, (const char *)slot->buffer.mapped + slot->lead);
    for (uint32_t i = lane->staging.next_store; status == VKMM_OK; i = (i + 1) % VKMM_STREAM_STORES) {
        vkmm_chunk *chunk = &lane->staging.chunks[VKMM_STREAM_LOADS + i];
        const uint64_t end = chunk->end;
        if (!chunk->command) continue; /* a panel smaller than all chunks */
        status = end_chunk(lane, &lines, chunk);
        if (end == lines.all) break;
        if (status == VKMM_OK && lane->staging.storing < lines.all) status = begin_chunk(lane, &lines);
    }
    lane->staging.storing = 0;
    return status;
}

static vkmm_status store_one(vkmm_lane *lane)
{
    const uint64_t step = lane->todo.stored;
    vkmm_status status = vkmm_lane_wait(lane, last_turn(lane, step));
    lane->done.timeline[lane->done.panels].store_ms[0] = vkmm_now_ms() - lane->stream->start_ms;
    if (status == VKMM_OK) status = end_store(lane);
    if (status != VKMM_OK) return status;
    lane->done.written = 0;
    lane->todo.stored++;
    vkmm_work_stored(lane, &lane->todo.steps[step]);
    return vkmm_lane_tell(lane);
}

/* ---- To the device ---- */

/* Loads lines through the next chunk, after its last copy has ended. */
static vkmm_status load_chunk(vkmm_lane *lane, vkmm_slot *slot, const vkmm_lines *lines, uint64_t first, uint64_t end)
{
    vkmm_chunk *chunk = &lane->staging.chunks[lane->staging.next_load];
    lane->staging.next_load = (lane->staging.next_load + 1) % VKMM_STREAM_LOADS;
    vkmm_status status = vkmm_chunk_end(lane->device, chunk);
    if (status == VKMM_OK) status = vkmm_lane_fill(lane, lines, first, end, chunk->buffer.mapped);
    if (status != VKMM_OK) return status;
    lane->staging.is_loading = 1;
    /* A bias may end within a word; buffers do not. */
    return vkmm_chunk_begin(lane->device, chunk, VKMM_QUEUE_TRANSFER, &slot->buffer, slot->lead + first * lines->bytes,
                            vkmm_whole_words((end - first) * lines->bytes));
}

/* Loads lines of a panel up to `upto` into the slot, which is free for it or already has some of them. Returns before
 * they are loaded. */
static vkmm_status load_lines(vkmm_lane *lane, vkmm_slot *slot, const vkmm_lines *lines, uint64_t upto)
{
    const uint64_t at_once = slot->buffer.mapped ? lines->all : lane->staging.chunk_bytes / lines->bytes;
    vkmm_status status = VKMM_OK;
    if (lines->length == 0) slot->lines = lines->all;
    upto = vkmm_least(upto, lines->all);
    while (slot->lines < upto && status == VKMM_OK) {
        const uint64_t first = slot->lines, end = first + vkmm_least(upto - first, at_once);
        if (slot->buffer.mapped)
            status = vkmm_lane_fill(lane, lines, first, end,
                                    (char *)slot->buffer.mapped + slot->lead + first * lines->bytes);
        else
            status = load_chunk(lane, slot, lines, first, end);
        if (status != VKMM_OK) break;
        slot->lines = end;
        lane->times.uploaded_bytes += (end - first) * lines->bytes;
        status = begin_store_early(lane);
        if (status == VKMM_OK) status = vkmm_lane_tell(lane);
    }
    return status;
}

/* Waits for all that is being loaded. */
static vkmm_status end_loads(vkmm_lane *lane)
{
    vkmm_status status = VKMM_OK;
    for (int i = 0; i < VKMM_STREAM_LOADS && status == VKMM_OK; i++)
        status = vkmm_chunk_end(lane->device, &lane->staging.chunks[i]);
    return status;
}

/* The bias is N lines of one element, as in a row. */
static vkmm_status load_bias(vkmm_lane *lane)
{
    const vkmm_problem *p = &lane->stream->problem;
    const vkmm_lines lines = {.operand = VKMM_BIAS,
                              .type = vkmm_operand_type(p, VKMM_BIAS),
                              .length = 1,
                              .count = p->n,
                              .ld = 1,
                              .all = p->has_bias ? p->n : 0,
                              .bytes = vkmm_type_of(vkmm_operand_type(p, VKMM_BIAS))->bytes};
    vkmm_slot slot = {.buffer = lane->memory.bias};
    if (lane->memory.host_bias) return vkmm_lane_fill(lane, &lines, 0, lines.all, lane->memory.host_bias);
    return load_lines(lane, &slot, &lines, UINT64_MAX);
}

static int is_same(const vkmm_panel_name *one, const vkmm_panel_name *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* Finds the slot that has the panel; or takes the least recently used one, once the product that used it has ended. */
static vkmm_status claim(vkmm_lane *lane, const vkmm_slots *slots, const vkmm_panel_name *name, vkmm_slot **slot)
{
    *slot = &slots->at[0];
    for (uint32_t i = 0; i < slots->count; i++) {
        if (is_same(&slots->at[i].name, name)) {
            *slot = &slots->at[i];
            return VKMM_OK;
        }
        if (slots->at[i].turn < (*slot)->turn) *slot = &slots->at[i];
    }
    vkmm_status status = vkmm_lane_wait(lane, (*slot)->turn);
    (*slot)->name = *name;
    (*slot)->lines = 0;
    (*slot)->packed = (vkmm_repack){0};
    return status;
}

/* Which panel of A or B a step needs. All matrices of a batch may share one. */
static vkmm_panel_name name_of(const vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part)
{
    const int shared = step->matrices == 1 && vkmm_operand_stride(&lane->stream->problem, operand) == 0;
    return (vkmm_panel_name){.batch = shared ? 0 : step->batch,
                             .at = operand == VKMM_A ? step->row : step->col,
                             .part = part,
                             .extent = operand == VKMM_A ? step->rows : step->cols};
}

static vkmm_status load(vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part, vkmm_slot **slot)
{
    const vkmm_lines lines = vkmm_lane_lines(lane, operand, step, part);
    const vkmm_panel_name name = name_of(lane, operand, step, part);
    vkmm_status status = claim(lane, &lane->memory.panels[operand], &name, slot);
    if (status == VKMM_OK) status = load_lines(lane, *slot, &lines, UINT64_MAX);
    (*slot)->turn = lane->queue.turns + 1;
    return status;
}

/* C's old values, if β is not 0 and the kernel adds them. */
static vkmm_status load_c(vkmm_lane *lane, const vkmm_step *step, vkmm_slot *slot)
{
    const vkmm_lines lines = vkmm_lane_lines(lane, VKMM_C, step, 0);
    if (vkmm_problem_beta(&lane->stream->problem) == 0 || vkmm_lane_parts(lane) > 1) return VKMM_OK;
    slot->lines = 0;
    return load_lines(lane, slot, &lines, UINT64_MAX);
}

/* Makes room on the device for a step's panel of C. What was there before is stored later if it is in chunks. */
static vkmm_status clear_slot(vkmm_lane *lane, uint64_t index)
{
    const uint64_t count = lane->memory.panels[VKMM_C].count;
    vkmm_status status = VKMM_OK;
    int left = 0;
    while (status == VKMM_OK && !left && lane->todo.stored + count <= index) {
        status = vkmm_lane_wait(lane, last_turn(lane, lane->todo.stored));
        if (status == VKMM_OK) status = begin_store(lane);
        if (status == VKMM_OK && lane->todo.stored + count == index) status = leave_slot(lane, &left);
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
    const vkmm_panel_name name = name_of(lane, VKMM_A, next, 0), present = name_of(lane, VKMM_A, step, 0);
    if (ahead == lane->todo.count || is_same(&name, &present)) return VKMM_OK;
    const vkmm_lines lines = vkmm_lane_lines(lane, VKMM_A, next, 0);
    const uint64_t turn = index - behind + 1, turns = ahead - behind;
    vkmm_status status = claim(lane, &lane->memory.panels[VKMM_A], &name, &slot);
    if (status != VKMM_OK || turn >= turns) return status; /* the last share is the next turn's own */
    return load_lines(lane, slot, &lines, lines.all * turn / turns);
}

/* A new entry of the timeline. */
static vkmm_status note_panel(vkmm_lane *lane, const vkmm_step *step)
{
    const uint64_t at = vkmm_lane_panel_at(lane, step);
    vkmm_lane_done *done = &lane->done;
    if (at >= done->room && !vkmm_list_add(&done->timeline, &done->room, done->room + 8, sizeof *done->timeline))
        return VKMM_NO_MEMORY("for a list of panels");
    done->timeline[at] = (vkmm_stream_panel){step->batch,
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
    if (status == VKMM_OK && part == 0) status = begin_store_early(lane);
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
    vkmm_status status = load_bias(lane);
    for (uint64_t i = 0; status == VKMM_OK; i++) {
        status = vkmm_work_take(lane, i);
        while (status == VKMM_OK && i == lane->todo.count && lane->todo.stored < i) status = store_one(lane);
        if (status == VKMM_OK && i == lane->todo.count) status = vkmm_work_wait(lane);
        if (status != VKMM_OK || i == lane->todo.count) break;
        for (uint64_t part = 0; part < vkmm_lane_parts(lane) && status == VKMM_OK; part++)
            status = take_turn(lane, i, part);
    }
    if (status == VKMM_OK) status = end_loads(lane); /* products have waited, but not the host */
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
