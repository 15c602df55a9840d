#include "crew.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct task {
    crew_member member;
    void (*work)(crew_member *member);
    pthread_barrier_t *start;
} task;

/* Only threads that begin at the same moment get into each other's way. */
static void *work_with_others(void *data)
{
    task *t = data;
    pthread_barrier_wait(t->start);
    t->work(&t->member);
    return NULL;
}

int crew_run(void (*work)(crew_member *member), void *shared)
{
    task tasks[CREW];
    pthread_t threads[CREW];
    pthread_barrier_t start;
    int failed = 0;
    pthread_barrier_init(&start, NULL, CREW);
    for (int i = 0; i < CREW; i++) {
        tasks[i] = (task){{.number = i, .shared = shared}, work, &start};
        if (pthread_create(&threads[i], NULL, work_with_others, &tasks[i]) != 0) abort();
    }
    for (int i = 0; i < CREW; i++) {
        pthread_join(threads[i], NULL);
        if (tasks[i].member.why[0] == '\0') continue;
        printf("# thread %d: %s\n", i, tasks[i].member.why);
        failed++;
    }
    pthread_barrier_destroy(&start);
    return failed;
}
