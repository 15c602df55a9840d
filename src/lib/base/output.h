/* Private to src/base. */
#pragma once

#include "base/file.h"

/* Maps the first `bytes` of an open regular file, whose path is for messages; the descriptor stays the caller's.
 * shared: later writes to the file are visible; some file systems do not support that. */
vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping);
