#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"

enum { SENTENCE_BYTES = VKMM_SENTENCE_BYTES };

static _Thread_local vkmm_held *innermost;

void vkmm_errors_hold(vkmm_held *held)
{
    held->sentence[0] = '\0';
    held->outer = innermost;
    innermost = held;
}

void vkmm_errors_release(vkmm_held *held)
{
    innermost = held->outer;
    held->outer = NULL;
}

vkmm_held *vkmm_errors_suspend(void)
{
    vkmm_held *held = innermost;
    innermost = NULL;
    return held;
}

void vkmm_errors_resume(vkmm_held *held)
{
    innermost = held;
}

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

static VKMM_PRINTF(3, 0) void say(const vkmm_log *log, vkmm_log_level level, const char *format, va_list arguments)
{
    char raw[SENTENCE_BYTES] = "", sentence[SENTENCE_BYTES];
    const int is_held = level == VKMM_LOG_ERROR && innermost != NULL;
    if (!is_held && (log == NULL || log->write == NULL)) return;
    if (vsnprintf(raw, sizeof raw, format, arguments) < 0) strcpy(raw, "a message that could not be formatted");
    vkmm_clean(is_held ? innermost->sentence : sentence, SENTENCE_BYTES, raw);
    if (is_held) return;
    log->write(log->user, level, sentence);
}

void vkmm_say(const vkmm_log *log, vkmm_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(log, level, format, arguments);
    va_end(arguments);
}

vkmm_status vkmm_fail(const vkmm_log *log, vkmm_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(log, VKMM_LOG_ERROR, format, arguments);
    va_end(arguments);
    return status;
}
