#include "base/workers.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"

enum { MOST_THREADS = 16 };

#define AWAKE_MS 0.5 /* how long a thread that is not needed may stay awake */

struct vkmm_workers {
    thrd_t threads[MOST_THREADS];
    uint32_t started;
    mtx_t lock;
    cnd_t begin, end;
    atomic_uint_fast64_t loop; /* counts the loops, so that a thread takes part in each once */
    int is_open;               /* threads may join the present loop: those that wake too late do not hold it up */
    atomic_uint working;       /* threads that take part in it */
    atomic_int awake;          /* vkmm_workers_keep_awake */
    int quit;
    vkmm_round work;
    void *context;
    uint64_t count;
    atomic_uint_fast64_t next;
    atomic_int status;
    vkmm_error error; /* the first failure */
};

static void take_rounds(vkmm_workers *w)
{
    while (atomic_load(&w->status) == VKMM_OK) {
        const uint64_t i = atomic_fetch_add(&w->next, 1);
        if (i >= w->count) break;
        const vkmm_status status = w->work(w->context, i);
        int none = VKMM_OK;
        if (status != VKMM_OK && atomic_compare_exchange_strong(&w->status, &none, (int)status))
            vkmm_error_get(&w->error);
    }
}

/* Waits for the next loop, awake, without the lock: whether it has begun. */
static int watch(vkmm_workers *w)
{
    const uint64_t loop = atomic_load(&w->loop);
    const double end = vkmm_now_ms() + AWAKE_MS;
    mtx_unlock(&w->lock);
    while (atomic_load(&w->loop) == loop && atomic_load(&w->awake) && vkmm_now_ms() < end) thrd_yield();
    mtx_lock(&w->lock);
    return atomic_load(&w->loop) != loop;
}

static int run_thread(void *context)
{
    vkmm_workers *w = context;
    uint64_t seen = 0;
    mtx_lock(&w->lock);
    for (;;) {
        int watches = 1;
        while (!w->quit && (!w->is_open || w->loop == seen))
            if (watches && atomic_load(&w->awake))
                watches = watch(w);
            else
                cnd_wait(&w->begin, &w->lock);
        if (w->quit) break;
        seen = w->loop;
        w->working++;
        mtx_unlock(&w->lock);
        take_rounds(w);
        mtx_lock(&w->lock);
        if (--w->working == 0) cnd_signal(&w->end);
    }
    mtx_unlock(&w->lock);
    return 0;
}

vkmm_workers *vkmm_workers_create(uint32_t threads)
{
    vkmm_workers *w = vkmm_alloc(1, sizeof *w);
    if (!w) return NULL;
    if (threads == 0) threads = vkmm_host_processors();
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    mtx_init(&w->lock, mtx_plain);
    cnd_init(&w->begin);
    cnd_init(&w->end);
    while (w->started + 1 < threads && thrd_create(&w->threads[w->started], run_thread, w) == thrd_success)
        w->started++;
    return w;
}

void vkmm_workers_destroy(vkmm_workers **workers)
{
    vkmm_workers *w = *workers;
    *workers = NULL;
    if (!w) return;
    mtx_lock(&w->lock);
    w->quit = 1;
    mtx_unlock(&w->lock);
    if (w->started > 0) cnd_broadcast(&w->begin);
    for (uint32_t i = 0; i < w->started; i++) thrd_join(w->threads[i], NULL);
    cnd_destroy(&w->begin);
    cnd_destroy(&w->end);
    mtx_destroy(&w->lock);
    vkmm_free(w);
}

void vkmm_workers_keep_awake(vkmm_workers *w, int awake)
{
    if (w) atomic_store(&w->awake, awake);
}

/* As many threads as there are rounds for, one by one: to wake all takes longer than a few rounds. */
static void wake(vkmm_workers *w)
{
    const int are_few = 2 * w->count <= w->started + 1;
    for (uint64_t i = 1; are_few && i < w->count; i++) cnd_signal(&w->begin);
    if (!are_few) cnd_broadcast(&w->begin);
}

vkmm_status vkmm_workers_run(vkmm_workers *w, uint64_t count, vkmm_round work, void *context)
{
    vkmm_status status = VKMM_OK;
    for (uint64_t i = 0; w == NULL && i < count && status == VKMM_OK; i++) status = work(context, i);
    if (w == NULL) return status;
    const int alone = w->started == 0 || count <= 1;
    w->work = work;
    w->context = context;
    w->count = count;
    atomic_store(&w->next, 0);
    atomic_store(&w->status, VKMM_OK);
    if (!alone) {
        mtx_lock(&w->lock);
        w->is_open = 1;
        w->loop++;
        mtx_unlock(&w->lock);
        wake(w);
    }
    take_rounds(w);
    if (!alone) {
        const double end = vkmm_now_ms() + AWAKE_MS;
        mtx_lock(&w->lock);
        w->is_open = 0;
        mtx_unlock(&w->lock);
        while (atomic_load(&w->working) > 0 && vkmm_now_ms() < end) thrd_yield();
        mtx_lock(&w->lock);
        while (w->working > 0) cnd_wait(&w->end, &w->lock);
        mtx_unlock(&w->lock);
    }
    if (atomic_load(&w->status) != VKMM_OK) vkmm_error_set(&w->error);
    return (vkmm_status)atomic_load(&w->status);
}
