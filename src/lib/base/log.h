/* The one way to report: a status and a sentence. */
#ifndef VKMM_BASE_LOG_H
#define VKMM_BASE_LOG_H

#include <string.h>

#include "base/clean.h"
#include "vkmatmul.h"

enum { VKMM_SENTENCE_BYTES = 1024 }; /* with the terminating zero */

/* Errors that this thread reports while it holds them are only stored here, and only the last one is kept. For work
 * that may fail and be tried in another way; the caller then reports the failure, if at all. Holds nest. */
typedef struct vkmm_held {
    char sentence[VKMM_SENTENCE_BYTES]; /* "": none was said */
    struct vkmm_held *outer;
} vkmm_held;
void vkmm_errors_hold(vkmm_held *held);
void vkmm_errors_release(vkmm_held *held); /* the innermost; held->sentence stays */

/* Around a user's callback: errors are reported again, until vkmm_errors_resume is given what vkmm_errors_suspend
 * returned. */
vkmm_held *vkmm_errors_suspend(void);
void vkmm_errors_resume(vkmm_held *held);

/* Formats one sentence and hands it to the log; a NULL log or a NULL write discards it. Control characters in the names
 * of drivers or files, including line ends, are written as \xNN (base/clean.h): one sentence is one line. Sentences are
 * cut at 1,023 bytes. */
void vkmm_say(const vkmm_log *log, vkmm_log_level level, const char *format, ...) VKMM_PRINTF(3, 4);

/* Reports the sentence as an error and returns `status`, so that a failing function can end with `return
 * vkmm_fail(…)`. */
vkmm_status vkmm_fail(const vkmm_log *log, vkmm_status status, const char *format, ...) VKMM_PRINTF(3, 4);
#define VKMM_NO_MEMORY(log, ...) vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory " __VA_ARGS__)

/* At the top of a public function: ends it with VKMM_INVALID and a sentence if the pointer is NULL. */
#define VKMM_NEED(log, pointer)                                                                           \
    do {                                                                                                  \
        if ((pointer) == NULL) return vkmm_fail(log, VKMM_INVALID, "%s: %s is NULL", __func__, #pointer); \
    } while (0)

/* The same for a user's struct of `size` bytes, which becomes a copy as large as this library's: fields that it lacks
 * are 0. NULL: all are. VKMM_INVALID: it is larger, or empty. */
#define VKMM_SIZED(log, type, params, size)                                                                \
    type params##_here = {0};                                                                              \
    if ((params) && ((size) == 0 || (size) > sizeof params##_here))                                        \
        return vkmm_fail(log, VKMM_INVALID,                                                                \
                         #type " has %zu bytes; libvkmatmul " VKMM_VERSION_TEXT " knows 1 to %zu of them", \
                         (size_t)(size), sizeof params##_here);                                            \
    if (params) memcpy(&params##_here, params, size);                                                      \
    params = &params##_here

/* The same for what is reserved in a user's struct. */
#define VKMM_NEED_ZEROS(log, array)                                 \
    for (size_t i_ = 0; i_ < sizeof(array) / sizeof *(array); i_++) \
        if ((array)[i_] != 0)                                       \
    return vkmm_fail(log, VKMM_INVALID, "%s is not 0; libvkmatmul " VKMM_VERSION_TEXT " knows nothing else", #array)

/* The same for an array of characters, a field of a user's struct, that lacks its terminating zero. */
#define VKMM_NEED_END(log, array)                                                                                    \
    do {                                                                                                             \
        if (memchr((array), '\0', sizeof(array)) == NULL)                                                            \
            return vkmm_fail(log, VKMM_INVALID, "%s: %s has no terminating zero among its %zu characters", __func__, \
                             #array, sizeof(array));                                                                 \
    } while (0)

#endif
