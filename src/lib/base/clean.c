#include "base/clean.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* U+200E, U+200F, U+2028 to U+202E and U+2066 to U+2069 (of three bytes each): they turn the direction of a line, or
 * end it, so that it shows what is not there. */
static int turns_line(const unsigned char *s)
{
    if (s[0] != 0xe2) return 0;
    if (s[1] == 0x80) return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
    return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

/* Length of the well-formed UTF-8 character at s that is no control character, or 0. A terminating NUL ends every
 * sequence early. */
static size_t printable_length(const unsigned char *s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7f;
    if (s[0] < 0xc2 || s[0] > 0xf4 || !is_continuation(s[1])) return 0;
    if (s[0] < 0xe0) return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2; /* U+0080 to U+009F are controls too */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || !is_continuation(s[2])) return 0;
    if (s[0] < 0xf0) return turns_line(s) ? 0 : 3;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) || !is_continuation(s[3])) return 0;
    return 4;
}

void vkmm_clean(char *text, size_t size, const char *name)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t used = 0;
    while (*s != 0) {
        char piece[8];
        size_t length = printable_length(s), taken = length > 0 ? length : 1;
        if (length > 0)
            memcpy(piece, s, length);
        else
            length = (size_t)snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*s);
        if (used + length >= size) break;
        memcpy(text + used, piece, length);
        used += length;
        s += taken;
    }
    if (size > 0) text[used] = '\0';
}

void vkmm_join(char *text, size_t size, const char *separator, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    used += (size_t)snprintf(text + used, size - used, "%s", used > 0 ? separator : "");
    if (used >= size) return;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}
