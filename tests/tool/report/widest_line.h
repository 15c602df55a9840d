/* How wide a table came out. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* Columns of the widest line. */
static inline size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text != '\0') {
        char line[1024];
        int length = (int)strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", length, text);
        if (cli_text_columns(line) > widest) widest = cli_text_columns(line);
        text += length + 1;
    }
    return widest;
}
