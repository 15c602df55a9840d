/* Between a fuzz target and what drives it: libFuzzer, or standalone.c. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

/* One input; must not crash, whatever it is. `data` is as aligned as malloc's memory. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* For a vkmm_log: counts errors in an unsigned; ends the process if a sentence is empty or has control characters. */
static inline void fuzz_hear(void *user, vkmm_log_level level, const char *sentence)
{
    if (*sentence == '\0') abort();
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
    *(unsigned *)user += level == VKMM_LOG_ERROR;
}

/* Ends the process with a sentence unless what must hold does. */
static inline void must(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* Success says nothing; a failure, one sentence. Whether it was success; the sentences are counted anew. */
static inline int fuzz_judge(vkmm_status status, unsigned *sentences)
{
    must(status == VKMM_OK || status == VKMM_INVALID, "an undocumented status");
    must(*sentences == (status != VKMM_OK), "not one sentence for a failure, or one for a success");
    *sentences = 0;
    return status == VKMM_OK;
}
