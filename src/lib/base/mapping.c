#include "base/output.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open mappings, for the signal handler: it may take no lock. A place's turn is odd while it is filled or emptied;
 * whoever finds the same even turn before and after has read one mapping, whole. begin 0: free. */
enum { PLACES = 64 };

typedef struct place {
    atomic_uint turn;
    atomic_uintptr_t begin, end; /* of the mapping's bytes */
    atomic_int cut;
    atomic_int fd; /* of the file, to ask how long it is */
} place;

typedef struct range {
    uintptr_t begin, end;
} range;

static place places[PLACES];
static atomic_uintptr_t page_bytes; /* 0: nobody has asked yet */
static struct sigaction others;     /* what SIGBUS did before */

static uintptr_t page_size(void)
{
    if (page_bytes == 0) page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    return page_bytes;
}

/* 0: it is free, or changes just now. */
static int read_place(place *p, range *found)
{
    const unsigned turn = atomic_load(&p->turn);
    *found = (range){atomic_load(&p->begin), atomic_load(&p->end)};
    return turn % 2 == 0 && found->begin != 0 && atomic_load(&p->turn) == turn;
}

/* The place that holds an address; NULL: none. */
static place *place_of(uintptr_t address, range *found)
{
    for (int i = 0; i < PLACES; i++)
        if (read_place(&places[i], found) && found->begin <= address && address < found->end) return &places[i];
    return NULL;
}

/* Takes over the descriptor. */
static void note(uintptr_t begin, uint64_t bytes, int fd)
{
    for (int i = 0; i < PLACES; i++) {
        place *p = &places[i];
        unsigned turn = atomic_load(&p->turn);
        if (turn % 2 != 0 || atomic_load(&p->begin) != 0 || !atomic_compare_exchange_strong(&p->turn, &turn, turn + 1))
            continue;
        atomic_store(&p->cut, 0);
        atomic_store(&p->fd, fd);
        atomic_store(&p->end, begin + (uintptr_t)bytes);
        atomic_store(&p->begin, begin);
        atomic_store(&p->turn, turn + 2);
        return;
    }
    if (fd >= 0) close(fd);
}

static void forget(uintptr_t begin)
{
    range found;
    place *p = place_of(begin, &found);
    if (p == NULL) return;
    const int fd = atomic_load(&p->fd);
    atomic_fetch_add(&p->turn, 1);
    atomic_store(&p->begin, 0);
    atomic_fetch_add(&p->turn, 1);
    if (fd >= 0) close(fd);
}

vkmm_status vkmm_mapping_of(const vkmm_log *log, const char *path, int fd, uint64_t bytes, int shared,
                            vkmm_mapping *mapping)
{
    void *data = NULL;
    if (bytes > SIZE_MAX)
        return vkmm_fail(log, VKMM_INVALID, "cannot map %s: its %llu bytes exceed the address space", path,
                         (unsigned long long)bytes);
    if (bytes > 0) data = mmap(NULL, (size_t)bytes, PROT_READ, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return vkmm_fail(log, VKMM_INVALID, "cannot map %s: %s", path, strerror(errno));
    if (data != NULL) note((uintptr_t)data, bytes, fcntl(fd, F_DUPFD_CLOEXEC, 0));
    *mapping = (vkmm_mapping){data, bytes};
    return VKMM_OK;
}

void vkmm_mapping_close(vkmm_mapping *mapping)
{
    if (mapping->data != NULL) {
        forget((uintptr_t)mapping->data); /* first: the next mapping may get the same address */
        munmap((void *)(uintptr_t)mapping->data, (size_t)mapping->bytes);
    }
    *mapping = (vkmm_mapping){0};
}

int vkmm_mapping_whole(const vkmm_mapping *mapping)
{
    struct stat status;
    range found;
    place *p = mapping->data != NULL ? place_of((uintptr_t)mapping->data, &found) : NULL;
    if (p == NULL) return 1;
    if (atomic_load(&p->cut)) return 0;
    /* What is cut off within a page reads as zero, without a signal. */
    return fstat(atomic_load(&p->fd), &status) != 0 || (uint64_t)status.st_size >= mapping->bytes;
}

void vkmm_mappings_forget(const void *begin, uint64_t bytes)
{
    const uintptr_t page = page_size(), first = (uintptr_t)begin, last = first + (uintptr_t)bytes;
    for (int i = 0; i < PLACES; i++) {
        range found;
        if (!read_place(&places[i], &found)) continue;
        uintptr_t from = first > found.begin ? first : found.begin, to = last < found.end ? last : found.end;
        from = (from + page - 1) / page * page;
        to = to == found.end ? (to + page - 1) / page * page : to / page * page; /* its last page is its own */
        if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);          /* a hint: it may fail */
    }
}

/* Someone else's fault goes to whoever got it before; by default it ends the process, when the instruction is tried
 * again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (others.sa_flags & SA_SIGINFO) {
        others.sa_sigaction(number, info, context);
    } else if (others.sa_handler != SIG_DFL && others.sa_handler != SIG_IGN) {
        others.sa_handler(number);
    } else if (info->si_code > 0 || others.sa_handler == SIG_DFL) {
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number); /* it was sent: nothing will be tried again */
    }
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const uintptr_t page = page_bytes, address = (uintptr_t)info->si_addr;
    range found;
    place *p = info->si_code > 0 ? place_of(address, &found) : NULL;
    if (p != NULL) {
        const uintptr_t from = address / page * page, to = (found.end + page - 1) / page * page;
        atomic_store(&p->cut, 1); /* before anyone can go on */
        if (mmap((void *)from, to - from, PROT_READ, MAP_FIXED | MAP_ANONYMOUS | MAP_PRIVATE, -1, 0) == MAP_FAILED)
            p = NULL;
    }
    if (p == NULL) pass_on(number, info, context);
    errno = error;
}

void vkmm_mapping_guard(void)
{
    struct sigaction action = {.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESTART)}, now;
    if (sigaction(SIGBUS, NULL, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus_error)) return;
    page_size();
    others = now; /* before the handler can need it */
    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
