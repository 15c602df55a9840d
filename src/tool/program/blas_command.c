/* vkmatmul blas: another program, with libvkblas between it and its BLAS. */
#include "base/log.h"
#include "session/commands.h"
#include "session/drivers.h"
#include "system/launch.h"

#include <stdlib.h>

#define DEFAULT_TOP 10ull /* rows */

vkmm_status cli_command_blas(cli_session *session)
{
    static const char *const folders[] = {"../blas", VKBLAS_FOLDER, NULL}; /* in a build folder; installed */
    const cli_options *o = session->options;
    const vkmm_log *log = session->log;
    if (o->operand_count == 0)
        return VKMM_FAIL(log, VKMM_INVALID, "'vkmatmul blas' needs a program: vkmatmul blas -- PROGRAM [ARGUMENT]...");
    char top[24];
    VKMM_PUT(top, "%llu", o->top.given ? (unsigned long long)o->top.value : DEFAULT_TOP);
    if ((o->device != NULL && cli_set_variable("VKBLAS_DEVICE", o->device) != 0) ||
        (getenv("VKBLAS_REPORT") == NULL && cli_set_variable("VKBLAS_REPORT", "-") != 0) ||
        ((o->top.given || getenv("VKBLAS_TOP") == NULL) && cli_set_variable("VKBLAS_TOP", top) != 0) ||
        (getenv("OPENBLAS_THREAD_TIMEOUT") == NULL && cli_set_variable("OPENBLAS_THREAD_TIMEOUT", "22") != 0))
        return vkmm_tell(log, VKMM_NO_MEMORY("for the environment"));
    return cli_launch(log, folders, "libvkblas.so.0", o->operands);
}
