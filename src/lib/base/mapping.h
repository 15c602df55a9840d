/* Mapping what is open already. Private to src/base. */
#ifndef VKMM_BASE_MAPPING_H
#define VKMM_BASE_MAPPING_H

#include "base/file.h"

/* Maps the first `bytes` of an open regular file, whose path is for messages; the descriptor stays the caller's.
 * shared: what is written to the file later shows; some file systems have no such mapping. */
vkmm_status vkmm_mapping_of(const vkmm_log *log, const char *path, int fd, uint64_t bytes, int shared,
                            vkmm_mapping *mapping);

#endif
