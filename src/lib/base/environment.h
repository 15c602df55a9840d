/* The process's environment. Not for concurrent use with getenv in other threads. */
#ifndef VKMM_BASE_ENVIRONMENT_H
#define VKMM_BASE_ENVIRONMENT_H

#include "vkmatmul.h"

/* Appends an entry to a list variable such as PATH, with the system's separator, unless the list has it already. */
vkmm_status vkmm_environment_append(const vkmm_log *log, const char *name, const char *entry);

/* Likewise for a list that has a separator of its own. */
vkmm_status vkmm_environment_append_by(const vkmm_log *log, const char *name, const char *entry, char separator);

/* Where temporary files without a place of their own go: TMPDIR, or /tmp. Valid as long as the environment stays. */
const char *vkmm_environment_temporary(void);

#endif
