/* A stream's memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "copy/store.h"
#include "stream/stream.h"
#include "vk/command.h"

/* At least `count` slots. */
static vkmm_status take_slots(vkmm_lane *lane, const char *what, uint32_t count, uint64_t bytes, vkmm_slots *slots)
{
    vkmm_status status = VKMM_OK;
    while (slots->count > count && slots->at[slots->count - 1].buffer.bytes < bytes)
        vkmm_buffer_destroy(lane->device, &slots->at[--slots->count].buffer);
    if (slots->count < count && !vkmm_list_add(&slots->at, &slots->count, count - slots->count, sizeof *slots->at))
        return VKMM_NO_MEMORY("for a list of panels");
    for (uint32_t i = 0; i < slots->count && status == VKMM_OK; i++)
        status = vkmm_buffer_take_shared(lane->device, what, bytes, VKMM_PLACE_DEVICE, &slots->at[i].buffer);
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

/* C has guard bands, whose canaries nobody may touch. */
static vkmm_status guard(vkmm_lane *lane)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_buffer_take_shared(lane->device, "guard bands", 2 * lane->space.guard,
                                                 VKMM_PLACE_DOWNLOAD, &lane->memory.guards);
    if (status == VKMM_OK) status = vkmm_command_once(lane->device, &command);
    for (uint32_t i = 0; status == VKMM_OK && i < lane->memory.panels[VKMM_C].count; i++) {
        vkmm_slot *slot = &lane->memory.panels[VKMM_C].at[i];
        slot->lead = VKMM_GUARD_BYTES;
        const uint64_t back = VKMM_GUARD_BYTES + lane->pieces.c_bytes;
        vkmm_canaries_record(lane->device, slot->buffer.handle, back, back + VKMM_GUARD_BYTES, command);
        vkmm_lane_copy_guards(lane, slot, command);
    }
    return vkmm_command_finish(lane->device, status, &command);
}

static vkmm_status take_panels(vkmm_lane *lane)
{
    static const char *const names[] = {"panels of A", "panels of B", "panels of C"};
    const vkmm_pieces *p = &lane->pieces;
    const uint32_t counts[] = {p->partition.a_slots, p->partition.b_slots, p->c_slots};
    const uint64_t bytes[] = {p->slot_bytes[VKMM_A], p->slot_bytes[VKMM_B], p->c_bytes + lane->space.guard};
    vkmm_status status = VKMM_OK;
    for (int o = VKMM_A; o <= VKMM_C && status == VKMM_OK; o++)
        status = take_slots(lane, names[o], counts[o], bytes[o], &lane->memory.panels[o]);
    return status == VKMM_OK ? guard(lane) : status;
}

static int all_mapped(const vkmm_lane *lane)
{
    for (int o = VKMM_A; o <= VKMM_C; o++)
        for (uint32_t i = 0; i < lane->memory.panels[o].count; i++)
            if (!lane->memory.panels[o].at[i].buffer.mapped) return 0;
    return !lane->memory.bias.handle || lane->memory.bias.mapped;
}

/* Bytes of a line of any panel: a chunk holds one at least. */
static uint64_t longest_line(const vkmm_lane *lane)
{
    const vkmm_pieces *p = &lane->pieces;
    const vkmm_step step = {.matrices = p->matrices, .rows = p->partition.rows, .cols = p->partition.cols};
    uint64_t longest = 16;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const vkmm_lines lines = vkmm_lane_lines(lane, (vkmm_operand)o, &step, 0);
        const uint64_t bytes = vkmm_round_up(lines.bytes, 16);
        if (longest < bytes) longest = bytes;
    }
    return longest;
}

static vkmm_status take_staging(vkmm_lane *lane)
{
    const vkmm_pieces *p = &lane->pieces;
    uint64_t largest = p->a_bytes > p->b_bytes ? p->a_bytes : p->b_bytes;
    vkmm_status status = VKMM_OK;
    if (largest < p->c_bytes) largest = p->c_bytes;
    if (all_mapped(lane)) return VKMM_OK;
    if (largest > VKMM_STREAM_CHUNK) largest = VKMM_STREAM_CHUNK;
    if (largest < longest_line(lane)) largest = longest_line(lane);
    if (lane->staging.chunk_bytes < largest) lane->staging.chunk_bytes = largest;
    lane->pieces.partition.staging_bytes = VKMM_STREAM_CHUNKS * lane->staging.chunk_bytes;
    for (int i = 0; i < VKMM_STREAM_CHUNKS && status == VKMM_OK; i++)
        status = vkmm_buffer_take_shared(lane->device, "panels on their way", lane->staging.chunk_bytes,
                                         i < VKMM_STREAM_LOADS ? VKMM_PLACE_UPLOAD : VKMM_PLACE_DOWNLOAD,
                                         &lane->staging.chunks[i].buffer);
    return status;
}

static vkmm_status take_bias(vkmm_lane *lane)
{
    const uint64_t bytes = vkmm_operand_bytes(&lane->stream->problem, VKMM_BIAS);
    vkmm_free(lane->memory.host_bias);
    lane->memory.host_bias = NULL;
    if (bytes == 0) return VKMM_OK;
    if (vkmm_lane_parts(lane) == 1)
        return vkmm_buffer_take_shared(lane->device, "the bias", vkmm_round_up(bytes, 16), VKMM_PLACE_DEVICE,
                                       &lane->memory.bias);
    lane->memory.host_bias = vkmm_alloc(1, bytes);
    return lane->memory.host_bias ? VKMM_OK : vkmm_fail(VKMM_OUT_OF_MEMORY, "no host memory for the bias");
}

vkmm_status vkmm_lane_take(vkmm_lane *lane)
{
    const uint64_t workspace = lane->pieces.workspace_bytes;
    vkmm_status status = take_panels(lane);
    if (status == VKMM_OK) status = take_bias(lane);
    if (status == VKMM_OK) status = take_staging(lane);
    if (status == VKMM_OK && workspace > 0)
        status = vkmm_buffer_take_shared(lane->device, "the workspace", workspace, VKMM_PLACE_DEVICE,
                                         &lane->memory.workspace);
    for (int i = 0; i < VKMM_STREAM_FLIGHTS && status == VKMM_OK; i++)
        if (!lane->queue.flights[i].timer.pool)
            status = vkmm_timer_create(lane->device, VKMM_TIMER_STAMPS, &lane->queue.flights[i].timer);
    if (status != VKMM_OK) vkmm_lane_release(lane);
    return status;
}

uint64_t vkmm_lane_held(const vkmm_lane *lane)
{
    uint64_t bytes = lane->memory.workspace.bytes + lane->memory.bias.bytes;
    for (int o = VKMM_A; o <= VKMM_C; o++)
        for (uint32_t i = 0; i < lane->memory.panels[o].count; i++) bytes += lane->memory.panels[o].at[i].buffer.bytes;
    return bytes;
}

void vkmm_lane_release(vkmm_lane *lane)
{
    vkmm_device *device = lane->device;
    vkmm_lane_drain(lane);
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        vkmm_slots *slots = &lane->memory.panels[o];
        for (uint32_t i = 0; i < slots->count; i++) vkmm_buffer_destroy(device, &slots->at[i].buffer);
        vkmm_free(slots->at);
        *slots = (vkmm_slots){0};
    }
    lane->staging.chunk_bytes = 0;
    vkmm_buffer_destroy(device, &lane->memory.workspace);
    vkmm_buffer_destroy(device, &lane->memory.bias);
    vkmm_buffer_destroy(device, &lane->memory.guards);
    vkmm_free(lane->memory.host_bias);
    lane->memory.host_bias = NULL;
    for (int i = 0; i < VKMM_STREAM_CHUNKS; i++) vkmm_buffer_destroy(device, &lane->staging.chunks[i].buffer);
    for (int i = 0; i < VKMM_STREAM_FLIGHTS; i++) vkmm_timer_destroy(device, &lane->queue.flights[i].timer);
}
