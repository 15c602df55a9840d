#include "base/cache_dir.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

char *vkmm_cache_dir_join(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *joined = vkmm_alloc(size, 1);
    if (joined) snprintf(joined, size, "%s%s%s", path, path[0] && path[strlen(path) - 1] == '/' ? "" : "/", name);
    return joined;
}

vkmm_status vkmm_cache_dir_name(const vkmm_log *log, const char *given, char **path)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *path = NULL;
    if (given && !*given) return VKMM_OK;
    if (given)
        *path = vkmm_strdup(given);
    else if (xdg && xdg[0] == '/')
        *path = vkmm_cache_dir_join(xdg, "vkmatmul");
    else if (home && home[0] == '/')
        *path = vkmm_cache_dir_join(home, ".cache/vkmatmul");
    else
        return VKMM_OK;
    return *path ? VKMM_OK : vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the name of the cache folder");
}

int vkmm_cache_dir_is_shared(const char *path, char *why, size_t size)
{
    struct stat status;
    if (size > 0) why[0] = '\0';
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
    if (status.st_uid != geteuid()) {
        snprintf(why, size, "it belongs to another user (%lu, not %lu)", (unsigned long)status.st_uid,
                 (unsigned long)geteuid());
        return 1;
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return 0;
    snprintf(why, size, "others may write to it (mode %04o; fix it with chmod go-w)",
             (unsigned)(status.st_mode & 07777));
    return 1;
}

vkmm_status vkmm_cache_dir_resolve(const vkmm_log *log, const char *given, char **path)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char why[VKMM_CACHE_DIR_WHY];
    vkmm_status status = vkmm_cache_dir_name(log, given, path);
    if (*path == NULL || !vkmm_cache_dir_is_shared(*path, why, sizeof why)) return status;
    if (!atomic_flag_test_and_set(&told))
        vkmm_say(log, VKMM_LOG_WARNING, "%s is neither read nor written: %s", *path, why);
    vkmm_free(*path);
    *path = NULL;
    return VKMM_OK;
}

static int is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Each prefix that ends before a slash, then the whole. What exists already is no failure, nor what another process
 * made meanwhile. */
static int make_all(char *path)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = '\0';
        int made = mkdir(path, 0700) == 0 || errno == EEXIST || is_folder(path);
        if (slash) *slash = '/';
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
