/* The part of C11's <threads.h> that this library uses. The C library of Windows has none for mingw-w64. */
#pragma once

#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

enum { thrd_success, thrd_error, thrd_nomem };
enum { mtx_plain };

typedef SRWLOCK mtx_t;
typedef CONDITION_VARIABLE cnd_t;
typedef HANDLE thrd_t;
typedef int (*thrd_start_t)(void *);
typedef INIT_ONCE once_flag;
#define ONCE_FLAG_INIT INIT_ONCE_STATIC_INIT

static inline int mtx_init(mtx_t *lock, int type)
{
    (void)type;
    InitializeSRWLock(lock);
    return thrd_success;
}

static inline int mtx_lock(mtx_t *lock)
{
    AcquireSRWLockExclusive(lock);
    return thrd_success;
}

static inline int mtx_unlock(mtx_t *lock)
{
    ReleaseSRWLockExclusive(lock);
    return thrd_success;
}

static inline void mtx_destroy(mtx_t *lock)
{
    (void)lock;
}

static inline int cnd_init(cnd_t *condition)
{
    InitializeConditionVariable(condition);
    return thrd_success;
}

static inline int cnd_wait(cnd_t *condition, mtx_t *lock)
{
    return SleepConditionVariableSRW(condition, lock, INFINITE, 0) ? thrd_success : thrd_error;
}

static inline int cnd_signal(cnd_t *condition)
{
    WakeConditionVariable(condition);
    return thrd_success;
}

static inline int cnd_broadcast(cnd_t *condition)
{
    WakeAllConditionVariable(condition);
    return thrd_success;
}

static inline void cnd_destroy(cnd_t *condition)
{
    (void)condition;
}

static inline BOOL CALLBACK vkmm_call_once(INIT_ONCE *flag, void *function, void **context)
{
    (void)flag, (void)context;
    ((void (*)(void))(uintptr_t)function)();
    return TRUE;
}

static inline void call_once(once_flag *flag, void (*function)(void))
{
    InitOnceExecuteOnce(flag, vkmm_call_once, (void *)(uintptr_t)function, NULL);
}

typedef struct vkmm_thread_start {
    thrd_start_t function;
    void *data;
} vkmm_thread_start;

static inline unsigned __stdcall vkmm_run_thread(void *data)
{
    vkmm_thread_start start = *(vkmm_thread_start *)data;
    free(data);
    return (unsigned)start.function(start.data);
}

static inline void thrd_yield(void)
{
    SwitchToThread();
}

static inline int thrd_create(thrd_t *thread, thrd_start_t function, void *data)
{
    vkmm_thread_start *start = malloc(sizeof *start);
    if (start == NULL) return thrd_nomem;
    *start = (vkmm_thread_start){function, data};
    *thread = (HANDLE)_beginthreadex(NULL, 0, vkmm_run_thread, start, 0, NULL);
    if (*thread == NULL) free(start);
    return *thread != NULL ? thrd_success : thrd_error;
}

/* The result of the thread is not asked for. */
static inline int thrd_join(thrd_t thread, int *result)
{
    (void)result;
    const DWORD waited = WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return waited == WAIT_OBJECT_0 ? thrd_success : thrd_error;
}
