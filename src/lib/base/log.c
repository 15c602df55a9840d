#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"

static _Thread_local vkmm_error last = {.is_told = 1};

const char *vkmm_status_name(vkmm_status status)
{
    static const char *const names[] = {
        [VKMM_OK] = "ok",
        [VKMM_WRONG_RESULT] = "wrong result",
        [VKMM_INVALID] = "invalid argument or file",
        [VKMM_NO_DEVICE] = "no such device",
        [VKMM_UNSUPPORTED] = "not supported by the device",
        [VKMM_OUT_OF_MEMORY] = "out of memory",
        [VKMM_DEVICE_LOST] = "device lost",
        [VKMM_STOPPED] = "stopped",
    };
    return (unsigned)status < VKMM_COUNT(names) ? names[status] : "unknown status";
}

static VKMM_PRINTF(2, 0) void put(char sentence[VKMM_SENTENCE_BYTES], const char *format, va_list arguments)
{
    char raw[VKMM_SENTENCE_BYTES] = ""; /* the arguments may be the sentence itself */
    if (vsnprintf(raw, sizeof raw, format, arguments) < 0) strcpy(raw, "a message that could not be formatted");
    vkmm_clean(sentence, VKMM_SENTENCE_BYTES, raw);
}

void vkmm_say(const vkmm_log *log, vkmm_log_level level, const char *format, ...)
{
    char sentence[VKMM_SENTENCE_BYTES];
    va_list arguments;
    if (log == NULL || log->write == NULL) return;
    va_start(arguments, format);
    put(sentence, format, arguments);
    va_end(arguments);
    log->write(log->user, level, sentence);
}

vkmm_status vkmm_fail(vkmm_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(last.sentence, format, arguments);
    va_end(arguments);
    last.status = status;
    last.is_told = 0;
    return status;
}

vkmm_status vkmm_tell(const vkmm_log *log, vkmm_status status)
{
    if (status == VKMM_OK || status != last.status || last.is_told) return status;
    last.is_told = 1;
    if (log != NULL && log->write != NULL) log->write(log->user, VKMM_LOG_ERROR, last.sentence);
    return status;
}

const char *vkmm_last_error(void)
{
    return last.sentence;
}

void vkmm_error_get(vkmm_error *error)
{
    *error = last;
}

void vkmm_error_set(const vkmm_error *error)
{
    last = *error;
}

void vkmm_error_clear(void)
{
    last = (vkmm_error){.is_told = 1};
}
