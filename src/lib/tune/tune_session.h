/* The times reported to a search, kept in a file of cache_dir until the search is finished: after an interruption the
 * next one continues from there.
 *  The file is named after its first line, which identifies the problem, the device, the driver and the shaders; then
 * comes one line per candidate:
 *
 *     vkmatmul tune 3 …
 *     NANOSECONDS KERNEL CONFIG SUM
 *  NANOSECONDS is 0 for one that failed, CONFIG "-" where there is none, SUM the FNV-1a (base/hash.h) of the line
 * before it as 16 hexadecimal digits. Lines are added at the end, one by one. A damaged line, for example the last one
 * after a power failure, is dropped. */
#ifndef VKMM_TUNE_TUNE_SESSION_H
#define VKMM_TUNE_TUNE_SESSION_H

#include "vk/instance.h"

typedef struct vkmm_session vkmm_session;

typedef struct vkmm_remembered {
    vkmm_candidate candidate;
    double ms; /* 0: it failed */
} vkmm_remembered;

/* Opens an existing session, or begins a new one. NULL if the instance keeps nothing, or memory runs out; all functions
 * accept that. The log is the instance's. */
vkmm_session *vkmm_session_open(const vkmm_instance *instance, const vkmm_device_info *device,
                                const vkmm_problem *problem);
void vkmm_session_close(vkmm_session **session);

/* The index-th remembered candidate; NULL past the end. */
const vkmm_remembered *vkmm_session_at(const vkmm_session *session, uint32_t index);

/* Adds a line. A file that cannot be written is not an error. */
void vkmm_session_add(vkmm_session *session, const vkmm_candidate *candidate, double ms);

/* Removes the file and clears the session. */
void vkmm_session_remove(vkmm_session *session);

#endif
