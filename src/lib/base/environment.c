#include "base/environment.h"

#include <stdlib.h>

const char *vkmm_environment_temporary(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}
