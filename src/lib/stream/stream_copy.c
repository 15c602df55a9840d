/* Copies of panels to the device and back. */
#include "base/log.h"
#include "copy/store.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"

/* The next chunk, when the copy that used it last has ended. */
static vkmm_status next_chunk(vkmm_lane *lane, vkmm_chunk **chunk)
{
    *chunk = &lane->staging.chunks[lane->staging.next_load];
    lane->staging.next_load = (lane->staging.next_load + 1) % VKMM_STREAM_LOADS;
    return vkmm_chunk_end(lane->device, *chunk);
}

static vkmm_status copy_up(vkmm_lane *lane, vkmm_chunk *chunk, const vkmm_buffer *to, uint64_t at, uint64_t bytes)
{
    lane->staging.is_loading = 1;
    bytes = vkmm_whole_words(bytes); /* a bias may end within a word; buffers do not */
    return vkmm_chunk_begin(lane->device, chunk, VKMM_QUEUE_TRANSFER, to, at, bytes);
}

static vkmm_status load_chunk(vkmm_lane *lane, vkmm_slot *slot, const vkmm_lines *lines, uint64_t first, uint64_t end)
{
    const uint64_t line = lines->ld * vkmm_type_of(lines->type)->bytes;
    vkmm_chunk *chunk;
    vkmm_status status = next_chunk(lane, &chunk);
    if (status == VKMM_OK) status = vkmm_lane_fill(lane, lines, first, end, chunk->buffer.mapped);
    if (status == VKMM_OK)
        status = copy_up(lane, chunk, &slot->buffer, slot->lead + first * line, (end - first) * line);
    return status;
}

vkmm_status vkmm_lane_load(vkmm_lane *lane, vkmm_slot *slot, const vkmm_lines *lines, uint64_t upto)
{
    const uint64_t all = lines->count * lines->matrices, line = lines->ld * vkmm_type_of(lines->type)->bytes;
    const uint64_t at_once = lane->staging.chunk_bytes > 0 ? lane->staging.chunk_bytes / line : all;
    vkmm_status status = VKMM_OK;
    if (upto > all) upto = all;
    if (lines->length == 0) slot->lines = all;
    while (slot->lines < upto && status == VKMM_OK) {
        const uint64_t first = slot->lines,
                       end = slot->buffer.mapped || upto - first < at_once ? upto : first + at_once;
        if (slot->buffer.mapped)
            status = vkmm_lane_fill(lane, lines, first, end, (char *)slot->buffer.mapped + slot->lead + first * line);
        else
            status = load_chunk(lane, slot, lines, first, end);
        if (status != VKMM_OK) break;
        slot->lines = end;
        lane->times.uploaded_bytes += (end - first) * line;
        status = vkmm_lane_begin_to_store(lane);
        if (status == VKMM_OK) status = vkmm_lane_tell(lane);
    }
    return status;
}

vkmm_status vkmm_lane_loaded(vkmm_lane *lane)
{
    vkmm_status status = VKMM_OK;
    for (int i = 0; i < VKMM_STREAM_LOADS && status == VKMM_OK; i++)
        status = vkmm_chunk_end(lane->device, &lane->staging.chunks[i]);
    return status;
}

/* The bias is N lines of one element, as in a row. */
vkmm_status vkmm_lane_load_bias(vkmm_lane *lane)
{
    const vkmm_problem *p = &lane->stream->problem;
    const vkmm_lines lines = {.operand = VKMM_BIAS,
                              .type = vkmm_operand_type(p, VKMM_BIAS),
                              .length = 1,
                              .count = p->n,
                              .ld = 1,
                              .matrices = p->has_bias != 0};
    vkmm_slot slot = {.buffer = lane->memory.bias};
    if (lane->memory.host_bias) return vkmm_lane_fill(lane, &lines, 0, p->n * lines.matrices, lane->memory.host_bias);
    return vkmm_lane_load(lane, &slot, &lines, UINT64_MAX);
}

/* Copies the next lines into a chunk that is free. */
static vkmm_status begin_chunk(vkmm_lane *lane, const vkmm_lines *lines, const vkmm_slot *slot)
{
    const uint64_t all = lines->count * lines->matrices, line = lines->ld * vkmm_type_of(lines->type)->bytes;
    const uint64_t at_once = lane->staging.chunk_bytes / line, left = all - lane->staging.storing;
    vkmm_chunk *chunk = &lane->staging.chunks[VKMM_STREAM_LOADS + lane->staging.next_store];
    lane->staging.next_store = (lane->staging.next_store + 1) % VKMM_STREAM_STORES;
    chunk->first = lane->staging.storing;
    chunk->end = chunk->first + (left < at_once ? left : at_once);
    lane->staging.storing = chunk->end;
    return vkmm_chunk_begin(lane->device, chunk, VKMM_QUEUE_RETURN, &slot->buffer, slot->lead + chunk->first * line,
                            (chunk->end - chunk->first) * line);
}

/* The oldest chunk: copies end in the order in which they began. */
static vkmm_status end_chunk(vkmm_lane *lane, const vkmm_lines *lines, vkmm_chunk *chunk)
{
    vkmm_status status = vkmm_chunk_end(lane->device, chunk);
    if (status == VKMM_OK) status = vkmm_lane_empty(lane, lines, chunk->first, chunk->end, chunk->buffer.mapped);
    return status == VKMM_OK ? vkmm_lane_tell(lane) : status;
}

static vkmm_lines lines_of(const vkmm_lane *lane, const vkmm_step *step)
{
    return vkmm_lane_lines(lane, VKMM_C, step, vkmm_lane_parts(lane) - 1);
}

vkmm_status vkmm_lane_store_begin(vkmm_lane *lane, const vkmm_step *step, const vkmm_slot *slot)
{
    const vkmm_lines lines = lines_of(lane, step);
    vkmm_status status = VKMM_OK;
    if (slot->buffer.mapped || lane->staging.storing > 0) return VKMM_OK;
    for (int i = 0; i < VKMM_STREAM_STORES && lane->staging.storing < lines.count * lines.matrices && status == VKMM_OK;
         i++)
        status = begin_chunk(lane, &lines, slot);
    return status;
}

vkmm_status vkmm_lane_store_left(vkmm_lane *lane, const vkmm_step *step, int *left)
{
    const vkmm_lines lines = lines_of(lane, step);
    vkmm_status status = VKMM_OK;
    *left = lane->staging.storing == lines.count * lines.matrices;
    for (int i = VKMM_STREAM_LOADS; i < VKMM_STREAM_CHUNKS && *left && status == VKMM_OK; i++)
        if (lane->staging.chunks[i].command) status = vkmm_command_wait(lane->device, lane->staging.chunks[i].command);
    return status;
}

vkmm_status vkmm_lane_store_end(vkmm_lane *lane, const vkmm_step *step, const vkmm_slot *slot)
{
    const vkmm_lines lines = lines_of(lane, step);
    const uint64_t all = lines.count * lines.matrices;
    vkmm_status status = vkmm_lane_store_begin(lane, step, slot);
    lane->times.downloaded_bytes += all * lines.ld * vkmm_type_of(lines.type)->bytes;
    if (slot->buffer.mapped)
        return vkmm_lane_empty(lane, &lines, 0, all, (const char *)slot->buffer.mapped + slot->lead);
    for (uint32_t i = lane->staging.next_store; status == VKMM_OK; i = (i + 1) % VKMM_STREAM_STORES) {
        vkmm_chunk *chunk = &lane->staging.chunks[VKMM_STREAM_LOADS + i];
        const uint64_t end = chunk->end;
        if (!chunk->command) continue; /* a panel smaller than all chunks */
        status = end_chunk(lane, &lines, chunk);
        if (end == all) break;
        if (status == VKMM_OK && lane->staging.storing < all) status = begin_chunk(lane, &lines, slot);
    }
    lane->staging.storing = 0;
    return status;
}

/* The bytes of memory.guards before those of a panel. */
static uint64_t guards_at(const vkmm_lane *lane, const vkmm_slot *slot)
{
    return (uint64_t)(slot - lane->memory.panels[VKMM_C].at) * lane->space.guard;
}

void vkmm_lane_copy_guards(const vkmm_lane *lane, const vkmm_slot *slot, VkCommandBuffer command)
{
    const uint64_t at = guards_at(lane, slot);
    const VkBufferCopy bands[] = {{0, at, VKMM_GUARD_BYTES},
                                  {VKMM_GUARD_BYTES + lane->pieces.c_bytes, at + VKMM_GUARD_BYTES, VKMM_GUARD_BYTES}};
    vkmm_command_barrier_all(lane->device, command);
    lane->device->table.vkCmdCopyBuffer(command, slot->buffer.handle, lane->memory.guards.handle, 2, bands);
    vkmm_command_barrier_all(lane->device, command);
}

vkmm_status vkmm_lane_check_guards(const vkmm_lane *lane)
{
    const uint64_t end = lane->memory.panels[VKMM_C].count * lane->space.guard;
    if (vkmm_guard_damage(lane->memory.guards.mapped, 0, end) == end) return VKMM_OK;
    return vkmm_fail(VKMM_WRONG_RESULT, "the kernel %s wrote outside a panel of C", lane->info.name);
}
