/* A stream's memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "copy/store.h"
#include "stream/stream.h"
#include "math/type.h"
#include "vk/command.h"

/* A buffer from an earlier problem stays if it is large enough. */
static vkmm_status take(vkmm_stream *stream, const char *what, uint64_t bytes, vkmm_placement place,
                        vkmm_buffer *buffer)
{
    if (buffer->bytes >= bytes) return VKMM_OK;
    vkmm_buffer_destroy(stream->device, buffer);
    return vkmm_buffer_create_shared(stream->device, what, bytes, place, buffer);
}

/* At least `count` slots. */
static vkmm_status take_slots(vkmm_stream *stream, const char *what, uint32_t count, uint64_t bytes, vkmm_slot **slots,
                              uint32_t *had)
{
    vkmm_status status = VKMM_OK;
    while (*had > count && (*slots)[*had - 1].buffer.bytes < bytes)
        vkmm_buffer_destroy(stream->device, &(*slots)[--*had].buffer);
    if (*had < count && !vkmm_list_add(slots, had, count - *had, sizeof **slots))
        return VKMM_NO_MEMORY(stream->log, "for a list of panels");
    for (uint32_t i = 0; i < *had && status == VKMM_OK; i++)
        status = take(stream, what, bytes, VKMM_PLACE_DEVICE, &(*slots)[i].buffer);
    return status;
}

/* C has guard bands, whose canaries nobody may touch. */
static vkmm_status guard(vkmm_stream *stream, vkmm_slot *slot)
{
    VkCommandBuffer command = NULL;
    slot->lead = VKMM_GUARD_BYTES;
    vkmm_status status = vkmm_command_begin(stream->device, &command);
    if (status == VKMM_OK) {
        stream->device->table.vkCmdFillBuffer(command, slot->buffer.handle, 0, VKMM_GUARD_BYTES, VKMM_CANARY);
        stream->device->table.vkCmdFillBuffer(command, slot->buffer.handle, VKMM_GUARD_BYTES + stream->pieces.c_bytes,
                                              VKMM_GUARD_BYTES, VKMM_CANARY);
        vkmm_command_barrier_all(stream->device, command);
    }
    return vkmm_command_finish(stream->device, status, &command);
}

static vkmm_status take_panels(vkmm_stream *stream)
{
    const vkmm_pieces *pieces = &stream->pieces;
    const vkmm_partition *t = &pieces->partition;
    const uint32_t c_count = pieces->c_slots;
    const uint64_t c_bytes = pieces->c_bytes + stream->space.guard;
    vkmm_status status = take_slots(stream, "panels of A", t->a_slots, pieces->a_bytes, &stream->a, &stream->a_count);
    if (status == VKMM_OK)
        status = take_slots(stream, "panels of B", t->b_slots, pieces->b_bytes, &stream->b, &stream->b_count);
    if (status == VKMM_OK && stream->c[1].buffer.bytes < c_bytes)
        vkmm_buffer_destroy(stream->device, &stream->c[1].buffer);
    for (uint32_t i = 0; i < c_count && status == VKMM_OK; i++)
        status = take(stream, "panels of C", c_bytes, VKMM_PLACE_DEVICE, &stream->c[i].buffer);
    for (uint32_t i = 0; i < 2 && status == VKMM_OK; i++)
        if (stream->c[i].buffer.handle) status = guard(stream, &stream->c[i]);
    return status;
}

static int all_mapped(const vkmm_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (slots[i].buffer.handle && !slots[i].buffer.mapped) return 0;
    return 1;
}

/* Bytes of a line of any panel: a chunk holds one at least. */
static uint64_t longest_line(const vkmm_stream *stream)
{
    const vkmm_pieces *p = &stream->pieces;
    const vkmm_step step = {.matrices = p->matrices, .rows = p->partition.rows, .cols = p->partition.cols};
    uint64_t longest = 16;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const vkmm_lines lines = vkmm_stream_lines(stream, (vkmm_operand)o, &step, 0);
        const uint64_t bytes = (lines.ld * vkmm_type_of(lines.type)->bytes + 15) / 16 * 16;
        if (longest < bytes) longest = bytes;
    }
    return longest;
}

static vkmm_status take_staging(vkmm_stream *stream)
{
    const vkmm_pieces *p = &stream->pieces;
    uint64_t largest = p->a_bytes > p->b_bytes ? p->a_bytes : p->b_bytes;
    vkmm_status status = VKMM_OK;
    if (largest < p->c_bytes) largest = p->c_bytes;
    if (all_mapped(stream->a, stream->a_count) && all_mapped(stream->b, stream->b_count) && all_mapped(stream->c, 2) &&
        (!stream->bias.handle || stream->bias.mapped))
        return VKMM_OK;
    if (largest > VKMM_STREAM_CHUNK) largest = VKMM_STREAM_CHUNK;
    if (largest < longest_line(stream)) largest = longest_line(stream);
    if (stream->chunk_bytes < largest) stream->chunk_bytes = largest;
    stream->pieces.partition.staging_bytes = VKMM_STREAM_CHUNKS * stream->chunk_bytes;
    for (int i = 0; i < VKMM_STREAM_CHUNKS && status == VKMM_OK; i++)
        status = take(stream, "panels on their way", stream->chunk_bytes,
                      i < VKMM_STREAM_LOADS ? VKMM_PLACE_UPLOAD : VKMM_PLACE_DOWNLOAD, &stream->chunks[i].buffer);
    return status;
}

static vkmm_status take_bias(vkmm_stream *stream)
{
    const uint64_t bytes = vkmm_operand_bytes(&stream->problem, VKMM_BIAS);
    if (bytes == 0) return VKMM_OK;
    vkmm_free(stream->host_bias);
    stream->host_bias = NULL;
    if (vkmm_stream_parts(stream) == 1)
        return take(stream, "the bias", (bytes + 15) / 16 * 16, VKMM_PLACE_DEVICE, &stream->bias);
    stream->host_bias = vkmm_alloc(1, bytes);
    return stream->host_bias ? VKMM_OK : vkmm_fail(stream->log, VKMM_OUT_OF_MEMORY, "no host memory for the bias");
}

vkmm_status vkmm_stream_take(vkmm_stream *stream)
{
    const uint64_t workspace = stream->pieces.workspace_bytes;
    vkmm_status status = take_panels(stream);
    if (status == VKMM_OK) status = take_bias(stream);
    if (status == VKMM_OK) status = take_staging(stream);
    if (status == VKMM_OK && workspace > 0)
        status = take(stream, "the workspace", workspace, VKMM_PLACE_DEVICE, &stream->workspace);
    for (int i = 0; i < VKMM_STREAM_FLIGHTS && status == VKMM_OK; i++)
        if (!stream->flights[i].timer.pool)
            status = vkmm_timer_create(stream->device, VKMM_TIMER_STAMPS, &stream->flights[i].timer);
    if (status != VKMM_OK) vkmm_stream_release(stream);
    return status;
}

static void release_slots(vkmm_stream *stream, vkmm_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; slots && i < count; i++) vkmm_buffer_destroy(stream->device, &slots[i].buffer);
}

uint64_t vkmm_stream_held(const vkmm_stream *stream)
{
    uint64_t bytes = stream->workspace.bytes + stream->bias.bytes;
    for (uint32_t i = 0; i < stream->a_count; i++) bytes += stream->a[i].buffer.bytes;
    for (uint32_t i = 0; i < stream->b_count; i++) bytes += stream->b[i].buffer.bytes;
    return bytes + stream->c[0].buffer.bytes + stream->c[1].buffer.bytes;
}

void vkmm_stream_release(vkmm_stream *stream)
{
    vkmm_device *device = stream->device;
    vkmm_stream_drain(stream);
    release_slots(stream, stream->a, stream->a_count);
    release_slots(stream, stream->b, stream->b_count);
    release_slots(stream, stream->c, 2);
    vkmm_free(stream->a);
    vkmm_free(stream->b);
    stream->a = stream->b = NULL;
    stream->a_count = stream->b_count = 0;
    stream->chunk_bytes = 0;
    memset(stream->c, 0, sizeof stream->c);
    vkmm_buffer_destroy(device, &stream->workspace);
    vkmm_buffer_destroy(device, &stream->bias);
    vkmm_free(stream->host_bias);
    stream->host_bias = NULL;
    for (int i = 0; i < VKMM_STREAM_CHUNKS; i++) vkmm_buffer_destroy(device, &stream->chunks[i].buffer);
    for (int i = 0; i < VKMM_STREAM_FLIGHTS; i++) vkmm_timer_destroy(device, &stream->flights[i].timer);
}
