#include "crew.h"

#include <string.h>
#include <threads.h>

typedef struct gate {
    mtx_t lock;
    cnd_t open;
    int missing;
} gate;

typedef struct task {
    crew_member member;
    void (*work)(crew_member *member);
    gate *gate;
} task;

/* Only threads that begin at the same moment get into each other's way. */
static int work_with_others(void *data)
{
    task *t = data;
    mtx_lock(&t->gate->lock);
    t->gate->missing--;
    cnd_broadcast(&t->gate->open);
    while (t->gate->missing > 0) cnd_wait(&t->gate->open, &t->gate->lock);
    mtx_unlock(&t->gate->lock);
    t->work(&t->member);
    return 0;
}

int crew_run(void (*work)(crew_member *member), void *shared)
{
    task tasks[CREW];
    thrd_t threads[CREW];
    gate start = {.missing = CREW};
    int started = 0, failed = 0;
    memset(tasks, 0, sizeof tasks);
    if (mtx_init(&start.lock, mtx_plain) != thrd_success || cnd_init(&start.open) != thrd_success) return CREW;
    for (; started < CREW; started++) {
        tasks[started] = (task){{.number = started, .shared = shared}, work, &start};
        if (thrd_create(&threads[started], work_with_others, &tasks[started]) != thrd_success) break;
    }
    mtx_lock(&start.lock); /* those that could not be started are not waited for */
    start.missing -= CREW - started;
    cnd_broadcast(&start.open);
    mtx_unlock(&start.lock);
    for (int i = 0; i < started; i++) {
        thrd_join(threads[i], NULL);
        if (tasks[i].member.why[0] == '\0') continue;
        printf("# thread %d: %s\n", i, tasks[i].member.why);
        failed++;
    }
    cnd_destroy(&start.open);
    mtx_destroy(&start.lock);
    return failed + CREW - started;
}
