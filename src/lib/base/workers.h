/* Threads that share a loop whose iterations are independent. */
#pragma once

#include "base/log.h"

typedef struct vkmm_workers vkmm_workers;

/* Starts threads - 1 threads (the caller is the other one), or fewer if the system does not allow more. 0: as many as
 * there are processors, 16 at most. NULL: no memory. Ended by vkmm_workers_destroy. */
vkmm_workers *vkmm_workers_create(uint32_t threads);
void vkmm_workers_destroy(vkmm_workers **workers); /* a pointer to NULL is legal; sets NULL */

/* Calls work(context, i) for each i in [0, count), in any order and in parallel, and returns when all have ended:
 * VKMM_OK, or the status of the first that failed, whose error (base/log.h) becomes the caller's; after a failure no
 * further iteration begins. workers NULL: the caller alone. One loop at a time. */
typedef vkmm_status (*vkmm_round)(void *context, uint64_t i);
vkmm_status vkmm_workers_run(vkmm_workers *workers, uint64_t count, vkmm_round work, void *context);

/* Whether threads stay awake between loops, for at most half a millisecond each time: to wake one takes tens of
 * microseconds, and hundreds in a virtual machine. For the time of a call that has several loops; NULL is legal. */
void vkmm_workers_keep_awake(vkmm_workers *workers, int awake);
