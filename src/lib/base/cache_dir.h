/* Where compiled pipelines and tuning results are kept between processes: a folder that belongs to this user. */
#pragma once

#include "vkmatmul.h"

/* The folder's path, which need not exist yet. given NULL: vkmatmul in $XDG_CACHE_HOME where that is an absolute
 * path, else in $HOME/.cache (XDG Base Directory Specification 0.8: relative paths are invalid and to be ignored); on
 * Windows, in %LOCALAPPDATA%; "": nowhere; else given itself. *path is NULL for nowhere, as without a HOME or in a
 * setuid program (base/variable.h); otherwise the caller frees it with vkmm_free. VKMM_OUT_OF_MEMORY is the only
 * failure. */
vkmm_status vkmm_cache_dir_name(const char *given, char **path);

/* The same, but nowhere if the folder exists and other users own it or can write to it: its contents are passed to
 * drivers, which trust them. A warning says so, once per process. */
vkmm_status vkmm_cache_dir_resolve(const vkmm_log *log, const char *given, char **path);

/* Whether a folder of this name belongs to another user, or others may write into it; then `why` says so in a few
 * words, else it is "". Never on Windows, where a folder inherits the rights of the user's own. */
#define VKMM_CACHE_DIR_WHY 128
int vkmm_cache_dir_is_shared(const char *path, char *why, size_t size);

/* Makes the folder and those above it that are missing, for this user alone (mode 0700). On VKMM_INVALID, a message of
 * level INFO says why it could not be created, or who else can use it: a missing cache is not an error. */
vkmm_status vkmm_cache_dir_make(const vkmm_log *log, const char *path);

/* path/name, or NULL if memory runs out. The caller frees it with vkmm_free. */
char *vkmm_cache_dir_join(const char *path, const char *name);
