#include "system/launch.h"

#include "base/disk.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* What is preloaded already stays so. */
static int preload(const char *library)
{
    char list[2 * PATH_BYTES];
    const char *before = getenv("LD_PRELOAD");
    const int bytes = VKMM_PUT(list, "%s%s%s", library, before ? ":" : "", before ? before : "");
    return bytes < (int)sizeof list && setenv("LD_PRELOAD", list, 1) == 0;
}

vkmm_status cli_launch(const vkmm_log *log, const char *const *folders, const char *name, char *const *arguments)
{
    char path[PATH_BYTES];
    vkmm_disk_entry entry;
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    int found = 0;
    if (bytes > 0) path[bytes] = 0;
    char *const end = bytes > 0 ? path + (vkmm_path_name(path) - path) : path;
    for (const size_t room = sizeof path - (size_t)(end - path); bytes > 0 && *folders != NULL && !found; folders++)
        found = snprintf(end, room, "%s/%s", *folders, name) < (int)room && vkmm_disk_look(path, &entry) == 0;
    if (!preload(found ? path : name)) return VKMM_FAIL(log, VKMM_INVALID, "LD_PRELOAD is too long");
    execvp(arguments[0], arguments);
    return VKMM_FAIL(log, VKMM_INVALID, "cannot run %s: %s", arguments[0], strerror(errno));
}
