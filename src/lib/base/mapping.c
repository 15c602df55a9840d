#include "base/output.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Open mappings: madvise would clear other memory. begin 0: a free place. */
enum { PLACES = 64 };

static struct {
    uintptr_t begin, end;
} places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Changes the place that begins at `old`, if there is one. */
static void set_place(uintptr_t old, uintptr_t begin, uintptr_t end)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < PLACES && places[i].begin != old) i++;
    if (i < PLACES) places[i].begin = begin, places[i].end = end;
    pthread_mutex_unlock(&lock);
}

vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping)
{
    void *data = NULL;
    if (bytes > SIZE_MAX)
        return vkmm_fail(VKMM_INVALID, "cannot map %s: its %llu bytes exceed the address space", path,
                         (unsigned long long)bytes);
    if (bytes > 0) data = mmap(NULL, (size_t)bytes, PROT_READ, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return vkmm_fail(VKMM_INVALID, "cannot map %s: %s", path, strerror(errno));
    if (data != NULL) set_place(0, (uintptr_t)data, (uintptr_t)data + (uintptr_t)bytes);
    *mapping = (vkmm_mapping){data, bytes, data != NULL ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1};
    return VKMM_OK;
}

void vkmm_mapping_close(vkmm_mapping *mapping)
{
    if (mapping->data != NULL) {
        set_place((uintptr_t)mapping->data, 0, 0); /* first: the next mapping may get the same address */
        munmap((void *)(uintptr_t)mapping->data, (size_t)mapping->bytes);
        if (mapping->fd >= 0) close(mapping->fd);
    }
    *mapping = (vkmm_mapping){0};
}

void vkmm_mappings_forget(const void *begin, uint64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)begin, last = first + (uintptr_t)bytes;
    pthread_mutex_lock(&lock); /* held until the end, so that no other memory can take a mapping's place */
    for (int i = 0; i < PLACES; i++) {
        const uintptr_t start = places[i].begin, end = places[i].end;
        uintptr_t from = first > start ? first : start, to = last < end ? last : end;
        from = (from + page - 1) / page * page;
        to = to == end ? (to + page - 1) / page * page : to / page * page; /* its last page is its own */
        if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);    /* a hint: it may fail */
    }
    pthread_mutex_unlock(&lock);
}
