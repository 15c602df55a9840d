/* Where compiled pipelines and tuning results are kept between processes: a folder of this user's own. */
#ifndef VKMM_BASE_CACHE_DIR_H
#define VKMM_BASE_CACHE_DIR_H

#include "vkmatmul.h"

/* The folder's path, which need not exist yet. given NULL: vkmatmul in $XDG_CACHE_HOME where that is an absolute path, else in
 * $HOME/.cache (XDG Base Directory Specification 0.8: relative paths are invalid and to be ignored); "": nowhere; else given itself. *path is NULL
 * for nowhere, as without a HOME; otherwise the caller frees it with vkmm_free. VKMM_OUT_OF_MEMORY is the only failure. */
vkmm_status vkmm_cache_dir_resolve(const vkmm_log *log, const char *given, char **path);

/* Makes the folder and those above it that are missing, for this user alone (mode 0700). VKMM_INVALID says at level INFO why it could not be
 * made: no cache is no error. */
vkmm_status vkmm_cache_dir_make(const vkmm_log *log, const char *path);

/* path/name, or NULL when memory ends. The caller frees it with vkmm_free. */
char *vkmm_cache_dir_join(const char *path, const char *name);

#endif
