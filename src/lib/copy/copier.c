#include "copy/copier.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/workers.h"
#include "vk/command.h"

enum {
    CHUNKS = 4,
    LEAST = 2 << 20, /* bytes of a chunk, unless all have fewer; */
    MOST = 8 << 20,
    ALONE = 1 << 20,     /* copied by one thread */
    PAGE = 4096,         /* at least */
    PAGES = 512 << 10,   /* for one thread at a time */
    HUGE_PAGE = 2 << 20, /* a page where the system joins small ones */
    AHEAD = 2 * CHUNKS   /* steps: what was touched CHUNKS steps ago has ended */
};

struct vkmm_copier {
    vkmm_device *device;
    uint64_t most; /* bytes of a chunk */
    vkmm_chunk chunks[CHUNKS];
    vkmm_workers *workers; /* NULL: not needed yet */
    /* What is copied now: `count` chunks, the n-th of which uses chunks[n % CHUNKS]. */
    const vkmm_buffer *buffer;
    uint64_t offset;
    const char *from;
    char *to;
    uint64_t bytes, chunk, count;
    uint64_t touches, huge, rounds; /* rounds of a step: touches, those of huge pages first, then copies; and all */
    uint64_t ahead;                 /* steps from the first touch of a chunk's memory to its copy */
    mtx_t lock;                     /* of what follows */
    cnd_t stepped;
    uint64_t ended; /* so many steps have ended, all of their rounds; CHUNKS more may have begun */
    int failed;
    struct {
        atomic_uint_fast64_t left; /* rounds that have not ended */
        int has_ended;             /* before an earlier one */
    } steps[CHUNKS];
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
    mtx_init(&copier->lock, mtx_plain);
    cnd_init(&copier->stepped);
    copier->device = device;
    copier->most = vkmm_least(most, MOST);
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
    cnd_destroy(&copier->stepped);
    mtx_destroy(&copier->lock);
    vkmm_free(copier);
}

/* The device's part of the n-th chunk begins. */
static vkmm_status begin(vkmm_copier *copier, uint64_t n)
{
    vkmm_chunk *chunk = &copier->chunks[n % CHUNKS];
    const uint64_t at = n * copier->chunk, bytes = vkmm_least(copier->bytes - at, copier->chunk);
    return vkmm_chunk_begin(copier->device, chunk, copier->from ? VKMM_QUEUE_TRANSFER : VKMM_QUEUE_RETURN,
                            copier->buffer, copier->offset + at, bytes);
}

/* Before a round: 1 once its step may begin and the chunk that it copies (NULL: none) is not in the device's use; 0:
 * something failed, here (*status) or elsewhere. */
static int reach(vkmm_copier *copier, uint64_t step, vkmm_chunk *chunk, vkmm_status *status)
{
    mtx_lock(&copier->lock);
    while (step >= copier->ended + CHUNKS && !copier->failed) cnd_wait(&copier->stepped, &copier->lock);
    if (!copier->failed && chunk && chunk->command) {
        *status = vkmm_chunk_end(copier->device, chunk);
        copier->failed = *status != VKMM_OK;
    }
    const int may = !copier->failed;
    if (!may) cnd_broadcast(&copier->stepped);
    mtx_unlock(&copier->lock);
    return may;
}

/* After the last round of a step; next: the chunk that the device copies then, if there is one. */
static vkmm_status end_step(vkmm_copier *copier, uint64_t step, uint64_t next)
{
    const vkmm_status status = next < copier->count ? begin(copier, next) : VKMM_OK;
    mtx_lock(&copier->lock);
    copier->failed |= status != VKMM_OK;
    copier->steps[step % CHUNKS].has_ended = 1;
    for (uint64_t at; copier->steps[at = copier->ended % CHUNKS].has_ended; copier->ended++) {
        copier->steps[at].has_ended = 0;
        atomic_store(&copier->steps[at].left, copier->rounds);
    }
    cnd_broadcast(&copier->stepped);
    mtx_unlock(&copier->lock);
    return status;
}

static void copy(const vkmm_copier *copier, uint64_t n, uint64_t at)
{
    const uint64_t first = n * copier->chunk, end = vkmm_least(copier->bytes - first, copier->chunk);
    char *there = (char *)copier->chunks[n % CHUNKS].buffer.mapped + at;
    if (at >= end) return;
    if (copier->from)
        memcpy(there, copier->from + first + at, vkmm_least(end - at, VKMM_COPY_ROUND));
    else
        memcpy(copier->to + first + at, there, vkmm_least(end - at, VKMM_COPY_ROUND));
}

/* Gives pages to memory, whose contents stay: the processor takes a fault at the first access to each. Several threads
 * do so at the same time; in madvise(MADV_POPULATE_WRITE) they wait for one another. */
static void touch(const vkmm_copier *copier, uint64_t at, uint64_t bytes)
{
    const uint64_t end = vkmm_least(at + bytes, copier->bytes);
    for (; at < end; at += PAGE) {
        char zero = 0;
        atomic_compare_exchange_strong((_Atomic(char) *)(copier->to + at), &zero, 0);
    }
}

/* A step copies a chunk. If that is to the host, where memory may be new to the process, AHEAD steps before that the
 * first byte of each huge page is touched (whoever else needs the page waits until it is cleared), and CHUNKS steps
 * before, whatever has no pages yet. */
static vkmm_status do_round(void *context, uint64_t i)
{
    vkmm_copier *copier = context;
    const uint64_t step = i / copier->rounds, round = i % copier->rounds, touches = copier->touches,
                   n = step - copier->ahead;
    const int copies = step >= copier->ahead;
    vkmm_status status = VKMM_OK;
    if (!reach(copier, step, copies && round >= touches ? &copier->chunks[n % CHUNKS] : NULL, &status)) return status;
    if (round < copier->huge)
        touch(copier, step * copier->chunk + round * HUGE_PAGE, 1);
    else if (round < touches && step >= CHUNKS)
        touch(copier, (step - CHUNKS) * copier->chunk + (round - copier->huge) * PAGES, PAGES);
    else if (round >= touches && copies)
        copy(copier, n, (round - touches) * VKMM_COPY_ROUND);
    if (atomic_fetch_sub(&copier->steps[step % CHUNKS].left, 1) > 1) return VKMM_OK;
    return end_step(copier, step, !copies ? copier->count : copier->from ? n : n + CHUNKS);
}

static vkmm_status run(vkmm_copier *copier)
{
    const int alone = copier->bytes <= ALONE, touches = copier->to && !alone;
    if (!copier->workers && !alone) copier->workers = vkmm_workers_create(0); /* NULL: without */
    copier->huge = touches ? vkmm_divide_up(copier->chunk, HUGE_PAGE) : 0;
    copier->touches = touches ? copier->huge + vkmm_divide_up(copier->chunk, PAGES) : 0;
    copier->rounds = copier->touches + vkmm_divide_up(vkmm_least(copier->bytes, copier->chunk), VKMM_COPY_ROUND);
    copier->ahead = touches ? AHEAD : 0;
    copier->ended = 0;
    copier->failed = 0;
    for (int i = 0; i < CHUNKS; i++) {
        copier->steps[i].has_ended = 0;
        atomic_store(&copier->steps[i].left, copier->rounds);
    }
    return vkmm_workers_run(alone ? NULL : copier->workers, (copier->count + copier->ahead) * copier->rounds, do_round,
                            copier);
}

vkmm_status vkmm_copier_run(vkmm_copier *copier, const vkmm_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const char *from, char *to)
{
    vkmm_status status = VKMM_OK;
    const uint64_t chunk = bytes > LEAST ? vkmm_round_up(bytes / CHUNKS, LEAST) : LEAST;
    copier->chunk = vkmm_least(chunk, copier->most);
    copier->count = vkmm_divide_up(bytes, copier->chunk);
    copier->buffer = buffer;
    copier->offset = offset;
    copier->from = from;
    copier->to = to;
    copier->bytes = bytes;
    for (uint64_t n = 0; n < CHUNKS && n < copier->count && status == VKMM_OK; n++) {
        status = vkmm_buffer_take_shared(copier->device, "a copy", vkmm_least(bytes, copier->chunk),
                                         VKMM_PLACE_DOWNLOAD, &copier->chunks[n].buffer);
        if (status == VKMM_OK && to) status = begin(copier, n);
    }
    if (status == VKMM_OK) status = run(copier);
    for (uint32_t i = 0; i < CHUNKS && status == VKMM_OK; i++)
        status = vkmm_chunk_end(copier->device, &copier->chunks[i]);
    for (uint32_t i = 0; i < CHUNKS; i++) vkmm_command_free(copier->device, &copier->chunks[i].command);
    return status;
}
