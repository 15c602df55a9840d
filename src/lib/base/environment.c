#include "base/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

enum { PATH_SEPARATOR = ':' };

static int has_entry(const char *list, const char *entry, char separator)
{
    size_t length = strlen(entry);
    while (list) {
        if (strncmp(list, entry, length) == 0 && (list[length] == separator || list[length] == '\0')) return 1;
        list = strchr(list, separator);
        if (list) list++;
    }
    return 0;
}

vkmm_status vkmm_environment_append_by(const vkmm_log *log, const char *name, const char *entry, char separator)
{
    const char *old = getenv(name);
    if (old && has_entry(old, entry, separator)) return VKMM_OK;
    size_t size = (old ? strlen(old) : 0) + strlen(entry) + 2;
    char *list = vkmm_alloc(1, size);
    if (!list) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to set %s", name);
    snprintf(list, size, "%s%.*s%s", old ? old : "", old && *old ? 1 : 0, &separator, entry);
    int failed = setenv(name, list, 1);
    vkmm_free(list);
    return failed ? vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to set %s", name) : VKMM_OK;
}

vkmm_status vkmm_environment_append(const vkmm_log *log, const char *name, const char *entry)
{
    return vkmm_environment_append_by(log, name, entry, PATH_SEPARATOR);
}

const char *vkmm_environment_temporary(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}
