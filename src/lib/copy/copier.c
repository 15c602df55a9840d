#include "copy/copier.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/workers.h"
#include "vk/command.h"

enum {
    CHUNKS = 4,
    CHUNK = 8 << 20,
    ALONE = 1 << 20 /* without threads */,
    PAGES = 512 << 10 /* of one thread */,
    AHEAD = 2
};

struct vkmm_copier {
    vkmm_device *device;
    uint64_t chunk; /* bytes of one */
    vkmm_chunk chunks[CHUNKS];
    vkmm_workers *workers; /* NULL: not needed yet */
    const vkmm_buffer *buffer;
    uint64_t offset;
    const char *from;
    char *to;
    uint64_t bytes;
};

vkmm_status vkmm_chunk_begin(vkmm_device *device, vkmm_chunk *chunk, vkmm_queue_role role, const vkmm_buffer *buffer,
                             uint64_t at, uint64_t bytes)
{
    const int up = role == VKMM_QUEUE_TRANSFER;
    const VkBuffer here = chunk->buffer.handle, there = buffer->handle;
    const VkBufferCopy region = {.srcOffset = up ? 0 : at, .dstOffset = up ? at : 0, .size = bytes};
    vkmm_status status = vkmm_command_begin_on(device, role, &chunk->command);
    if (status != VKMM_OK) return status;
    /* On the queue of the products: their earlier reads and writes come first. */
    vkmm_command_barrier_all(device, chunk->command);
    device->table.vkCmdCopyBuffer(chunk->command, up ? here : there, up ? there : here, 1, &region);
    vkmm_command_barrier_all(device, chunk->command);
    status = vkmm_command_end(device, chunk->command);
    if (status == VKMM_OK) status = vkmm_command_submit(device, chunk->command, 0);
    if (status != VKMM_OK) vkmm_command_free(device, &chunk->command);
    return status;
}

vkmm_status vkmm_chunk_end(vkmm_device *device, vkmm_chunk *chunk)
{
    const vkmm_status status = chunk->command ? vkmm_command_wait(device, chunk->command) : VKMM_OK;
    vkmm_command_free(device, &chunk->command);
    return status;
}

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
    const vkmm_chunk *chunk;
    uint64_t bytes;
    uint64_t ahead, pages; /* where pages are given to memory, and pieces of PAGES bytes */
} piece;

static vkmm_status move_round(void *context, uint64_t i)
{
    const piece *p = context;
    if (i < p->pages) {
        const uint64_t at = p->ahead + i * PAGES, bytes = p->copier->bytes;
        if (at < bytes) vkmm_memory_populate(p->copier->to + at, bytes - at < PAGES ? bytes - at : PAGES);
        return VKMM_OK;
    }
    i -= p->pages;
    const uint64_t at = i * VKMM_COPY_ROUND, left = p->bytes - at,
                   bytes = left < VKMM_COPY_ROUND ? left : VKMM_COPY_ROUND;
    char *there = (char *)p->chunk->buffer.mapped + at;
    if (p->copier->from)
        memcpy(there, p->copier->from + p->chunk->first + at, bytes);
    else
        memcpy(p->copier->to + p->chunk->first + at, there, bytes);
    return VKMM_OK;
}

/* Fills a chunk, or empties it. Memory that is new to the process gets its pages meanwhile, AHEAD chunks before they
 * are needed: threads that copy into one new page wait for one another. */
static vkmm_status move(vkmm_copier *copier, const vkmm_chunk *c)
{
    piece p = {copier, c, c->end - c->first, c->first + AHEAD * copier->chunk, 0};
    const int alone = p.bytes <= ALONE;
    if (copier->to && p.ahead < copier->bytes) p.pages = (copier->chunk + PAGES - 1) / PAGES;
    if (!copier->workers && !alone) copier->workers = vkmm_workers_create(0); /* NULL: without */
    return vkmm_workers_run(alone ? NULL : copier->workers, p.pages + (p.bytes + VKMM_COPY_ROUND - 1) / VKMM_COPY_ROUND,
                            move_round, &p);
}

/* Waits for the copy that uses a chunk, if there is one, and empties it. */
static vkmm_status end(vkmm_copier *copier, vkmm_chunk *c)
{
    const int any = c->command && copier->to;
    const vkmm_status status = vkmm_chunk_end(copier->device, c);
    return status == VKMM_OK && any ? move(copier, c) : status;
}

/* Begins the next copy with a chunk that is free. */
static vkmm_status begin(vkmm_copier *copier, vkmm_chunk *c, uint64_t at, uint64_t all)
{
    const uint64_t most = copier->chunk;
    vkmm_status status =
        vkmm_buffer_take_shared(copier->device, "a copy", all < most ? all : most, VKMM_PLACE_DOWNLOAD, &c->buffer);
    c->first = at;
    c->end = all - at < most ? all : at + most;
    if (status == VKMM_OK && copier->from) status = move(copier, c);
    if (status != VKMM_OK) return status;
    return vkmm_chunk_begin(copier->device, c, copier->from ? VKMM_QUEUE_TRANSFER : VKMM_QUEUE_RETURN, copier->buffer,
                            copier->offset + at, c->end - at);
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
    copier->bytes = bytes;
    for (uint64_t at = 0; at < bytes && status == VKMM_OK; at += copier->chunk, next = (next + 1) % CHUNKS) {
        status = end(copier, &copier->chunks[next]);
        if (status == VKMM_OK) status = begin(copier, &copier->chunks[next], at, bytes);
    }
    for (uint32_t i = 0; i < CHUNKS && status == VKMM_OK; i++)
        status = end(copier, &copier->chunks[(next + i) % CHUNKS]);
    for (uint32_t i = 0; i < CHUNKS; i++) vkmm_command_free(copier->device, &copier->chunks[i].command);
    return status;
}
