/* <threads.h> in terms of POSIX threads, for ThreadSanitizer: it follows the functions of the latter and is blind to
 * glibc's of the former, so that every lock would look like none. glibc's types are those of POSIX under another
 * name; its own functions do no more than this. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
                   sizeof(thrd_t) == sizeof(pthread_t),
               "the C library's threads are POSIX threads");

static int result(int code)
{
    return code == 0           ? thrd_success
           : code == ENOMEM    ? thrd_nomem
           : code == EBUSY     ? thrd_busy
           : code == ETIMEDOUT ? thrd_timedout
                               : thrd_error;
}

int mtx_init(mtx_t *lock, int type)
{
    return type == mtx_plain ? result(pthread_mutex_init((pthread_mutex_t *)lock, NULL)) : thrd_error;
}

void mtx_destroy(mtx_t *lock)
{
    pthread_mutex_destroy((pthread_mutex_t *)lock);
}

int mtx_lock(mtx_t *lock)
{
    return result(pthread_mutex_lock((pthread_mutex_t *)lock));
}

int mtx_trylock(mtx_t *lock)
{
    return result(pthread_mutex_trylock((pthread_mutex_t *)lock));
}

int mtx_unlock(mtx_t *lock)
{
    return result(pthread_mutex_unlock((pthread_mutex_t *)lock));
}

int cnd_init(cnd_t *condition)
{
    return result(pthread_cond_init((pthread_cond_t *)condition, NULL));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy((pthread_cond_t *)condition);
}

int cnd_wait(cnd_t *condition, mtx_t *lock)
{
    return result(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)lock));
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict lock, const struct timespec *restrict until)
{
    return result(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)lock, until));
}

int cnd_signal(cnd_t *condition)
{
    return result(pthread_cond_signal((pthread_cond_t *)condition));
}

int cnd_broadcast(cnd_t *condition)
{
    return result(pthread_cond_broadcast((pthread_cond_t *)condition));
}

void call_once(once_flag *flag, void (*function)(void))
{
    pthread_once((pthread_once_t *)flag, function);
}

typedef struct start {
    thrd_start_t function;
    void *data;
} start;

static void *run(void *data)
{
    start begin = *(start *)data;
    free(data);
    return (void *)(intptr_t)begin.function(begin.data);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *data)
{
    start *begin = malloc(sizeof *begin);
    if (begin == NULL) return thrd_nomem;
    *begin = (start){function, data};
    int code = pthread_create((pthread_t *)thread, NULL, run, begin);
    if (code != 0) free(begin);
    return result(code);
}

int thrd_join(thrd_t thread, int *value)
{
    void *returned = NULL;
    int code = pthread_join((pthread_t)thread, &returned);
    if (code == 0 && value != NULL) *value = (int)(intptr_t)returned;
    return result(code);
}
