#include "copy/copier.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/workers.h"
#include "vk/command.h"

enum { CHUNKS = 4, CHUNK = 8 << 20, ROUND = 256 << 10 /* of one thread */, ALONE = 1 << 20 /* without threads */ };

typedef struct chunk {
    vkmm_buffer buffer;
    VkCommandBuffer command; /* the copy that uses it; NULL: none */
    uint64_t at, bytes;      /* of all that are to be copied */
} chunk;

struct vkmm_copier {
    vkmm_device *device;
    uint64_t chunk; /* bytes of one */
    chunk chunks[CHUNKS];
    vkmm_workers *workers; /* NULL: not needed yet */
    const vkmm_buffer *buffer;
    uint64_t offset;
    const char *from;
    char *to;
};

vkmm_status vkmm_copier_create(vkmm_device *device, vkmm_copier **out)
{
    vkmm_copier *copier = vkmm_alloc(1, sizeof *copier);
    if (!copier) return VKMM_NO_MEMORY("for copies");
    const uint64_t most = device->physical->info.memory.max_allocation_bytes / (2 * CHUNKS);
    copier->device = device;
    copier->chunk = most < CHUNK ? most : CHUNK;
    *out = copier;
    return VKMM_OK;
}

void vkmm_copier_destroy(vkmm_copier **out)
{
    vkmm_copier *copier = *out;
    *out = NULL;
    if (!copier) return;
    for (int i = 0; i < CHUNKS; i++) {
        vkmm_command_free(copier->device, &copier->chunks[i].command);
        vkmm_buffer_destroy(copier->device, &copier->chunks[i].buffer);
    }
    vkmm_workers_destroy(&copier->workers);
    vkmm_free(copier);
}

typedef struct piece {
    const vkmm_copier *copier;
    const chunk *chunk;
} piece;

static vkmm_status move_round(void *context, uint64_t i)
{
    const piece *p = context;
    const uint64_t at = i * ROUND, left = p->chunk->bytes - at, bytes = left < ROUND ? left : ROUND;
    char *there = (char *)p->chunk->buffer.mapped + at;
    if (p->copier->from)
        memcpy(there, p->copier->from + p->chunk->at + at, bytes);
    else
        memcpy(p->copier->to + p->chunk->at + at, there, bytes);
    return VKMM_OK;
}

/* Fills a chunk, or empties it. */
static vkmm_status move(vkmm_copier *copier, const chunk *c)
{
    piece p = {copier, c};
    if (!copier->workers && c->bytes > ALONE) copier->workers = vkmm_workers_create(0); /* NULL: without */
    return vkmm_workers_run(c->bytes > ALONE ? copier->workers : NULL, (c->bytes + ROUND - 1) / ROUND, move_round, &p);
}

static vkmm_status submit(vkmm_copier *copier, chunk *c)
{
    vkmm_device *device = copier->device;
    const VkBuffer there = copier->buffer->handle, here = c->buffer.handle;
    const uint64_t at = copier->offset + c->at;
    const VkBufferCopy region = {
        .srcOffset = copier->from ? 0 : at, .dstOffset = copier->from ? at : 0, .size = c->bytes};
    vkmm_status status =
        vkmm_command_begin_on(device, copier->from ? VKMM_QUEUE_TRANSFER : VKMM_QUEUE_RETURN, &c->command);
    if (status != VKMM_OK) return status;
    vkmm_command_barrier_all(device, c->command);
    device->table.vkCmdCopyBuffer(c->command, copier->from ? here : there, copier->from ? there : here, 1, &region);
    vkmm_command_barrier_all(device, c->command);
    status = vkmm_command_end(device, c->command);
    return status == VKMM_OK ? vkmm_command_submit(device, c->command) : status;
}

/* Waits for the copy that uses a chunk, if there is one, and empties it. */
static vkmm_status end(vkmm_copier *copier, chunk *c)
{
    if (!c->command) return VKMM_OK;
    vkmm_status status = vkmm_command_wait(copier->device, c->command);
    vkmm_command_free(copier->device, &c->command);
    return status == VKMM_OK && copier->to ? move(copier, c) : status;
}

/* Begins the next copy with a chunk that is free. */
static vkmm_status begin(vkmm_copier *copier, chunk *c, uint64_t at, uint64_t all)
{
    const uint64_t most = copier->chunk, wanted = all < most ? all : most;
    vkmm_status status = VKMM_OK;
    if (c->buffer.bytes < wanted) {
        vkmm_buffer_destroy(copier->device, &c->buffer);
        status = vkmm_buffer_create(copier->device, "a copy", wanted, VKMM_PLACE_DOWNLOAD, &c->buffer);
        if (status != VKMM_OK) return status;
    }
    c->at = at;
    c->bytes = all - at < most ? all - at : most;
    if (copier->from) status = move(copier, c);
    return status == VKMM_OK ? submit(copier, c) : status;
}

vkmm_status vkmm_copier_run(vkmm_copier *copier, const vkmm_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const char *from, char *to)
{
    vkmm_status status = VKMM_OK;
    uint32_t next = 0;
    copier->buffer = buffer;
    copier->offset = offset;
    copier->from = from;
    copier->to = to;
    for (uint64_t at = 0; at < bytes && status == VKMM_OK; at += copier->chunk, next = (next + 1) % CHUNKS) {
        status = end(copier, &copier->chunks[next]);
        if (status == VKMM_OK) status = begin(copier, &copier->chunks[next], at, bytes);
    }
    for (uint32_t i = 0; i < CHUNKS && status == VKMM_OK; i++)
        status = end(copier, &copier->chunks[(next + i) % CHUNKS]);
    for (uint32_t i = 0; i < CHUNKS; i++) vkmm_command_free(copier->device, &copier->chunks[i].command);
    return status;
}
