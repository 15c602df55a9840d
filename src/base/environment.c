#include "base/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

static const char separator[] = ":";

static int has_entry(const char *list, const char *entry)
{
    size_t length = strlen(entry);
    for (const char *at = list; at; at = strchr(at, separator[0]), at += at != NULL)
        if (strncmp(at, entry, length) == 0 && (at[length] == separator[0] || at[length] == '\0')) return 1;
    return 0;
}

vkmm_status vkmm_environment_append(const vkmm_log *log, const char *name, const char *entry)
{
    const char *old = getenv(name);
    if (old && has_entry(old, entry)) return VKMM_OK;
    size_t size = (old ? strlen(old) : 0) + strlen(entry) + 2;
    char *list = vkmm_alloc(1, size);
    if (!list) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to set %s", name);
    snprintf(list, size, "%s%s%s", old ? old : "", old && *old ? separator : "", entry);
    int failed = setenv(name, list, 1);
    vkmm_free(list);
    return failed ? vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to set %s", name) : VKMM_OK;
}
