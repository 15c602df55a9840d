/* Environment variables. */
#pragma once

#include <stdlib.h>

/* The value of an environment variable. NULL: it is not set, or the process has more privileges than the user who
 * started it (setuid, file capabilities: AT_SECURE), who must not choose what it reads, writes and loads. */
static inline const char *vkmm_variable(const char *name)
{
#ifdef __linux__
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}
