#include "options/number.h"

#include <string.h>

int cli_read_number(const char **text, uint64_t *value)
{
    const char *s = *text;
    uint64_t number = 0;
    int fits = 1;

    for (; *s >= '0' && *s <= '9'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        if (number > (UINT64_MAX - digit) / 10) fits = 0;
        number = fits ? number * 10 + digit : 0;
    }
    if (s == *text) return 0;
    *text = s;
    *value = number;
    return fits ? 1 : -1;
}

int cli_read_times(const char **text)
{
    static const char sign[] = "×";

    if (**text == 'x' || **text == 'X')
        *text += 1;
    else if (strncmp(*text, sign, sizeof sign - 1) == 0)
        *text += sizeof sign - 1;
    else
        return 0;
    return 1;
}
