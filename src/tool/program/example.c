/* vkmatmul example: two small files of matrices to try -a and -b with. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "io/array_file.h"
#include "session/commands.h"

enum { M = 64, K = 48, N = 32 };

static vkmm_status write_matrix(const vkmm_log *log, const char *path, uint64_t rows, uint64_t cols, uint64_t seed)
{
    static float data[M * K];
    const vkmm_view view = vkmm_view_rows(data, rows, cols, VKMM_F32);
    const cli_array array = cli_array_of(&view, 1, 0);
    vkmm_fill(data, rows, cols, VKMM_F32, VKMM_INIT_UNIFORM, seed);
    return vkmm_tell(log, cli_array_write(path, &array));
}

vkmm_status cli_command_example(cli_session *session)
{
    const vkmm_log *log = session->log;
    const char *folder = session->options->operand;
    char names[3][1024];
    const char *const words[] = {"vkmatmul", "-a", names[0], "-b", names[1], "-o", names[2]};
    vkmm_status status;
    for (int i = 0; i < 3; i++) {
        const int length =
            VKMM_PUT(names[i], "%s%s%c.npy", folder != NULL ? folder : "", folder != NULL ? "/" : "", "abc"[i]);
        if ((size_t)length >= sizeof names[i])
            return VKMM_FAIL(log, VKMM_INVALID, "the path of the folder is too long");
        if (vkmm_path_look(names[i], 0) != VKMM_PATH_MISSING)
            return VKMM_FAIL(log, VKMM_INVALID, "%s exists, so nothing was written: name another folder", names[i]);
    }
    status = write_matrix(log, names[0], M, K, 1);
    if (status == VKMM_OK) status = write_matrix(log, names[1], K, N, 2);
    if (status != VKMM_OK) return status;
    char *line = cli_shell_line((int)VKMM_COUNT(words), words);
    if (line == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for a command line"));
    printf("A (%dx%d) and B (%dx%d) of f32 are written. Multiply them:\n\n    %s\n\n", M, K, K, N, line);
    vkmm_free(line);
    return cli_report_flush(&session->report, log);
}
