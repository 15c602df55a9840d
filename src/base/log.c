#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

const char *vkmm_status_name(vkmm_status status)
{
    switch (status) {
    case VKMM_OK:
        return "ok";
    case VKMM_WRONG_RESULT:
        return "wrong result";
    case VKMM_INVALID:
        return "invalid argument or file";
    case VKMM_NO_DEVICE:
        return "no such device";
    case VKMM_UNSUPPORTED:
        return "not supported by the device";
    case VKMM_OUT_OF_MEMORY:
        return "out of memory";
    case VKMM_DEVICE_LOST:
        return "device lost";
    case VKMM_STOPPED:
        return "stopped";
    }
    return "unknown status";
}

/* C0 and DEL, and the two UTF-8 bytes of a C1 control: a terminal obeys all of these. */
static int is_control(const unsigned char *at, const unsigned char *before)
{
    if (*at < 0x20 || *at == 0x7f) return 1;
    if (*at == 0xc2) return at[1] >= 0x80 && at[1] <= 0x9f;
    return *at >= 0x80 && *at <= 0x9f && before != NULL && *before == 0xc2;
}

/* Whole characters only: neither a \xNN nor a UTF-8 sequence is cut in two. */
static void escape(const char *raw, char *out)
{
    size_t used = 0;
    for (const unsigned char *at = (const unsigned char *)raw; *at != '\0'; at++) {
        if (is_control(at, at == (const unsigned char *)raw ? NULL : at - 1)) {
            if (used + 4 >= SENTENCE_BYTES) break;
            snprintf(out + used, SENTENCE_BYTES - used, "\\x%02X", (unsigned)*at);
            used += 4;
        } else {
            if (used + 1 >= SENTENCE_BYTES) break;
            out[used++] = (char)*at;
        }
    }
    out[used] = '\0';
    if (used + 4 < SENTENCE_BYTES) return; /* nothing was cut */
    size_t start = used;                   /* of the last character */
    while (start > 0 && ((unsigned char)out[start - 1] & 0xc0) == 0x80) start--;
    if (start == 0) return;
    unsigned char lead = (unsigned char)out[start - 1];
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (used - (start - 1) < length) out[start - 1] = '\0';
}

static VKMM_PRINTF(3, 0) void say(const vkmm_log *log, vkmm_log_level level, const char *format, va_list arguments)
{
    char raw[SENTENCE_BYTES] = "", sentence[SENTENCE_BYTES];
    const int is_held = level == VKMM_LOG_ERROR && innermost != NULL;
    if (!is_held && (log == NULL || log->write == NULL)) return;
    if (vsnprintf(raw, sizeof raw, format, arguments) < 0) strcpy(raw, "a message that could not be formatted");
    escape(raw, is_held ? innermost->sentence : sentence);
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
