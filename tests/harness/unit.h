/* What every unit test includes: cmocka with the headers it needs, and a log that remembers. */
#pragma once

#include "test.h"

typedef struct heard {
    unsigned count;
    vkmm_log_level level;
    char last[1100];
} heard;

static inline void hear(void *user, vkmm_log_level level, const char *sentence)
{
    heard *h = user;
    h->count++;
    h->level = level;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

static inline vkmm_log hear_with(heard *h)
{
    *h = (heard){0};
    return (vkmm_log){.write = hear, .user = h};
}
