#include "system/launch.h"

#include "base/log.h"

vkmm_status cli_launch(const vkmm_log *log, const char *const *folders, const char *name, char *const *arguments)
{
    (void)folders;
    (void)name;
    return VKMM_FAIL(log, VKMM_UNSUPPORTED, "cannot run %s with libvkblas: Windows preloads no libraries",
                     arguments[0]);
}
