/* Panels on their way to the device. */
#include <string.h>

#include "exec/stream.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"

/* The next chunk, when the copy that used it last has ended. */
static vkmm_status next_chunk(vkmm_stream *stream, vkmm_chunk **chunk)
{
    vkmm_status status = VKMM_OK;
    *chunk = &stream->chunks[stream->next_load];
    stream->next_load = (stream->next_load + 1) % VKMM_STREAM_LOADS;
    if ((*chunk)->command) status = vkmm_command_wait(stream->device, (*chunk)->command);
    vkmm_command_free(stream->device, &(*chunk)->command);
    return status;
}

vkmm_status vkmm_stream_copy(vkmm_stream *stream, vkmm_chunk *chunk, VkBuffer from, VkBuffer to,
                             const VkBufferCopy *region)
{
    vkmm_status status = vkmm_command_begin_on(stream->device, VKMM_QUEUE_TRANSFER, &chunk->command);
    if (status != VKMM_OK) return status;
    /* On the queue of the products: what they read and wrote there before comes first. */
    vkmm_command_barrier_all(stream->device, chunk->command);
    stream->device->table.vkCmdCopyBuffer(chunk->command, from, to, 1, region);
    vkmm_command_barrier_all(stream->device, chunk->command);
    status = vkmm_command_end(stream->device, chunk->command);
    if (status == VKMM_OK) status = vkmm_command_submit(stream->device, chunk->command);
    if (status != VKMM_OK) vkmm_command_free(stream->device, &chunk->command);
    return status;
}

static vkmm_status copy_up(vkmm_stream *stream, vkmm_chunk *chunk, const vkmm_buffer *to, uint64_t at, uint64_t bytes)
{
    const VkBufferCopy region = {.dstOffset = at,
                                 .size = (bytes + 3) / 4 * 4}; /* a bias may end within a word; buffers do not */
    return vkmm_stream_copy(stream, chunk, chunk->buffer.handle, to->handle, &region);
}

static vkmm_status load_chunk(vkmm_stream *stream, vkmm_slot *slot, const vkmm_lines *lines, uint64_t first,
                              uint64_t end)
{
    const uint64_t line = lines->ld * vkmm_type_of(lines->type)->bytes;
    vkmm_chunk *chunk;
    vkmm_status status = next_chunk(stream, &chunk);
    if (status == VKMM_OK) status = vkmm_stream_fill(stream, lines, first, end, chunk->buffer.mapped);
    if (status == VKMM_OK)
        status = copy_up(stream, chunk, &slot->buffer, slot->lead + first * line, (end - first) * line);
    return status;
}

vkmm_status vkmm_stream_load(vkmm_stream *stream, vkmm_slot *slot, const vkmm_lines *lines, uint64_t upto)
{
    const uint64_t all = lines->count * lines->matrices, line = lines->ld * vkmm_type_of(lines->type)->bytes;
    const uint64_t at_once = stream->chunk_bytes > 0 ? stream->chunk_bytes / line : all;
    vkmm_status status = VKMM_OK;
    if (upto > all) upto = all;
    if (lines->length == 0) slot->lines = all;
    while (slot->lines < upto && status == VKMM_OK) {
        const uint64_t first = slot->lines,
                       end = slot->buffer.mapped || upto - first < at_once ? upto : first + at_once;
        if (slot->buffer.mapped)
            status =
                vkmm_stream_fill(stream, lines, first, end, (char *)slot->buffer.mapped + slot->lead + first * line);
        else
            status = load_chunk(stream, slot, lines, first, end);
        if (status != VKMM_OK) break;
        slot->lines = end;
        stream->times.uploaded_bytes += (end - first) * line;
        status = vkmm_stream_tell(stream);
    }
    return status;
}

vkmm_status vkmm_stream_loaded(vkmm_stream *stream)
{
    vkmm_status status = VKMM_OK;
    for (int i = 0; i < VKMM_STREAM_LOADS && status == VKMM_OK; i++)
        if (stream->chunks[i].command) status = vkmm_command_wait(stream->device, stream->chunks[i].command);
    return status;
}

/* The bias as a line of N elements. */
vkmm_status vkmm_stream_load_bias(vkmm_stream *stream)
{
    const vkmm_problem *p = &stream->problem;
    const uint64_t bytes = vkmm_operand_bytes(p, VKMM_BIAS);
    vkmm_chunk *chunk = NULL;
    vkmm_status status = VKMM_OK;
    if (bytes == 0) return VKMM_OK;
    const uint64_t size = vkmm_type_of(vkmm_operand_type(p, VKMM_BIAS))->bytes, at_once = stream->chunk_bytes / size;
    for (uint64_t first = 0, count; first < p->n && status == VKMM_OK; first += count) {
        void *memory = stream->host_bias ? stream->host_bias : stream->bias.mapped;
        count = memory || p->n - first < at_once ? p->n - first : at_once;
        if (!memory) status = next_chunk(stream, &chunk);
        if (!memory) memory = chunk->buffer.mapped;
        const vkmm_panel panel = {VKMM_BIAS, 0, 0, first, 1, count, memory, count, 1};
        if (status == VKMM_OK && stream->io->bias)
            memcpy(memory, (const char *)stream->io->bias + first * size, count * size);
        else if (status == VKMM_OK)
            status = vkmm_stream_told(stream, stream->io->read(stream->io->user, &panel));
        if (status == VKMM_OK && chunk) status = copy_up(stream, chunk, &stream->bias, first * size, count * size);
    }
    return status == VKMM_OK ? vkmm_stream_loaded(stream) : status;
}
