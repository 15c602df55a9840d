#include "base/cache_dir.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/disk.h"
#include "base/log.h"

char *vkmm_cache_dir_join(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *joined = vkmm_alloc(size, 1);
    const int ends = path[0] && strchr(VKMM_SLASHES, path[strlen(path) - 1]);
    if (joined) snprintf(joined, size, "%s%s%s", path, ends ? "" : VKMM_SLASH, name);
    return joined;
}

vkmm_status vkmm_cache_dir_name(const char *given, char **path)
{
    *path = NULL;
    if (given && !*given) return VKMM_OK;
    errno = 0;
    *path = given ? vkmm_strdup(given) : vkmm_disk_cache_folder();
    return *path || (!given && errno != ENOMEM) ? VKMM_OK : VKMM_NO_MEMORY("for the name of the cache folder");
}

vkmm_status vkmm_cache_dir_resolve(const vkmm_log *log, const char *given, char **path)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char why[VKMM_CACHE_DIR_WHY];
    vkmm_status status = vkmm_cache_dir_name(given, path);
    if (*path == NULL || !vkmm_cache_dir_is_shared(*path, why, sizeof why)) return status;
    if (!atomic_flag_test_and_set(&told))
        vkmm_say(log, VKMM_LOG_WARNING, "%s is neither read nor written: %s", *path, why);
    vkmm_free(*path);
    *path = NULL;
    return VKMM_OK;
}

static int is_folder(const char *path)
{
    vkmm_disk_entry entry;
    return vkmm_disk_look(path, &entry) == 0 && entry.kind == VKMM_DISK_FOLDER;
}

/* Each prefix that ends before a slash, then the whole. What exists already is no failure, nor what another process
 * made meanwhile. */
static int make_all(char *path)
{
    for (char *slash = strpbrk(path + 1, VKMM_SLASHES);; slash = strpbrk(slash + 1, VKMM_SLASHES)) {
        const char byte = slash ? *slash : '\0';
        if (slash) *slash = '\0';
        int made = vkmm_disk_make_folder(path) == 0 || errno == EEXIST || is_folder(path);
        if (slash) *slash = byte;
        if (!made || !slash || !slash[1]) return made;
    }
}

/* Whoever made it. */
static vkmm_status check_owner(const vkmm_log *log, const char *path)
{
    char why[VKMM_CACHE_DIR_WHY];
    if (!vkmm_cache_dir_is_shared(path, why, sizeof why)) return VKMM_OK;
    vkmm_say(log, VKMM_LOG_INFO, "nothing is kept in %s: %s", path, why);
    return VKMM_INVALID;
}

vkmm_status vkmm_cache_dir_make(const vkmm_log *log, const char *path)
{
    if (is_folder(path)) return check_owner(log, path);
    char *writable = *path ? vkmm_strdup(path) : NULL;
    int error = writable && !make_all(writable) ? errno : 0;
    vkmm_free(writable);
    if (is_folder(path)) return check_owner(log, path);
    vkmm_say(log, VKMM_LOG_INFO, "nothing is kept in %s, which cannot be made: %s", path,
             strerror(error ? error : ENOTDIR));
    return VKMM_INVALID;
}
