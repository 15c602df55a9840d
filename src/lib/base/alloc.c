#include "base/alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static uint64_t countdown; /* allocations until the one that fails; 0: none will */

static atomic_llong live;

/* Whether an allocation fails without asking the C library, which sets errno too. */
static int fails_now(size_t count, size_t size)
{
    const int fails = (countdown != 0 && --countdown == 0) || (size != 0 && count > SIZE_MAX / size);
    if (fails) errno = ENOMEM;
    return fails;
}

void vkmm_alloc_fail_after(uint64_t n)
{
    countdown = n;
}

uint64_t vkmm_alloc_left(void)
{
    return countdown;
}

void *vkmm_alloc(size_t count, size_t size)
{
    if (fails_now(count, size)) return NULL;
    /* calloc may return NULL for 0 bytes, which callers would take for a failure. */
    void *block = count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size);
    if (block != NULL) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return block;
}

void *vkmm_realloc(void *block, size_t count, size_t size)
{
    if (fails_now(count, size)) return NULL;
    size_t bytes = count * size;
    void *grown = realloc(block, bytes != 0 ? bytes : 1);
    if (block == NULL && grown != NULL) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return grown;
}

void vkmm_free(void *block)
{
    if (block != NULL) atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(block);
}

int64_t vkmm_alloc_live(void)
{
    return atomic_load(&live);
}

char *vkmm_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = vkmm_alloc(bytes, 1);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

/* Room for `count` entries: a power of two, so that a list needs no capacity. */
static uint64_t room_for(uint64_t count)
{
    uint64_t room = 8;
    while (room < count) room *= 2;
    return count > 0 ? room : 0;
}

void *vkmm_list_add(void *list, uint32_t *count, uint32_t more, size_t size)
{
    const uint64_t wanted = (uint64_t)*count + more, room = room_for(wanted);
    char *entries;
    memcpy(&entries, list, sizeof entries);
    if (wanted > UINT32_MAX) return NULL;
    if (entries == NULL || room != room_for(*count)) {
        entries = vkmm_realloc(entries, (size_t)room, size);
        if (entries == NULL) return NULL;
        memcpy(list, &entries, sizeof entries);
    }
    entries += *count * size;
    *count = (uint32_t)wanted;
    return memset(entries, 0, more * size);
}

int vkmm_mul_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    if (b != 0 && a > UINT64_MAX / b) return 0;
    *result = a * b;
    return 1;
}

int vkmm_add_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    if (a > UINT64_MAX - b) return 0;
    *result = a + b;
    return 1;
}
