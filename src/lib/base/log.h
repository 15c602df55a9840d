/* Errors, which are values of a thread, and the logs that they and warnings are told to. */
#pragma once

#include <string.h>

#include "base/clean.h"
#include "vkmatmul.h"

enum { VKMM_SENTENCE_BYTES = 1024 }; /* with the terminating zero */

/* Why something failed. */
typedef struct vkmm_error {
    vkmm_status status;
    int is_told; /* or there is nothing to tell */
    char sentence[VKMM_SENTENCE_BYTES];
} vkmm_error;

/* Makes the sentence this thread's last error, and returns `status`, so that a failing function can end with `return
 * vkmm_fail(…)`. Tells nobody: the caller may try something else, or use vkmm_last_error in a sentence of its own. */
vkmm_status vkmm_fail(vkmm_status status, const char *format, ...) VKMM_PRINTF(2, 3);
#define VKMM_NO_MEMORY(...) vkmm_fail(VKMM_OUT_OF_MEMORY, "no memory " __VA_ARGS__)

/* Where a public function ends: tells the log this thread's last error, unless status is VKMM_OK, another than that
 * error's, or the error was told before. Returns status. */
vkmm_status vkmm_tell(const vkmm_log *log, vkmm_status status);
#define VKMM_FAIL(log, ...) vkmm_tell(log, vkmm_fail(__VA_ARGS__))

/* Carries the last error from one thread to another. A user's function, which may fail without a sentence, is called
 * after vkmm_error_clear. */
void vkmm_error_get(vkmm_error *error);
void vkmm_error_set(const vkmm_error *error);
void vkmm_error_clear(void);

/* Formats one sentence and hands it to the log; a NULL log or a NULL write discards it. Control characters in the names
 * of drivers or files, including line ends, are written as \xNN (base/clean.h): one sentence is one line. Sentences are
 * cut at 1,023 bytes. */
void vkmm_say(const vkmm_log *log, vkmm_log_level level, const char *format, ...) VKMM_PRINTF(3, 4);

/* At the top of a public function: ends it with VKMM_INVALID, and tells the log, if the pointer is NULL. */
#define VKMM_NEED(log, pointer)                                                                           \
    do {                                                                                                  \
        if ((pointer) == NULL) return VKMM_FAIL(log, VKMM_INVALID, "%s: %s is NULL", __func__, #pointer); \
    } while (0)

/* The same for a user's struct of `size` bytes, which becomes a copy as large as this library's: fields that it lacks
 * are 0. NULL: all are. VKMM_INVALID: it is larger, or empty. */
#define VKMM_SIZED(log, type, params, size)                                                                \
    type params##_here = {0};                                                                              \
    if ((params) && ((size) == 0 || (size) > sizeof params##_here))                                        \
        return VKMM_FAIL(log, VKMM_INVALID,                                                                \
                         #type " has %zu bytes; libvkmatmul " VKMM_VERSION_TEXT " knows 1 to %zu of them", \
                         (size_t)(size), sizeof params##_here);                                            \
    if (params) memcpy(&params##_here, params, size);                                                      \
    params = &params##_here

/* What is reserved in a user's struct is 0; else VKMM_INVALID, without telling. */
#define VKMM_NEED_ZEROS(array)                                      \
    for (size_t i_ = 0; i_ < sizeof(array) / sizeof *(array); i_++) \
        if ((array)[i_] != 0)                                       \
    return vkmm_fail(VKMM_INVALID, "%s is not 0; libvkmatmul " VKMM_VERSION_TEXT " knows nothing else", #array)

/* As VKMM_NEED, for an array of characters, a field of a user's struct, that lacks its terminating zero. */
#define VKMM_NEED_END(log, array)                                                                                    \
    do {                                                                                                             \
        if (memchr((array), '\0', sizeof(array)) == NULL)                                                            \
            return VKMM_FAIL(log, VKMM_INVALID, "%s: %s has no terminating zero among its %zu characters", __func__, \
                             #array, sizeof(array));                                                                 \
    } while (0)
