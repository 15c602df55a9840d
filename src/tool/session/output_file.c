#include "session/output_file.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/folder.h"
#include "report/columns.h"

#include <string.h>

vkmm_status cli_output_spares(const cli_session *session, const char *path, const char *const *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count && path != NULL && !session->options->force; i++)
        if (inputs[i] != NULL && vkmm_path_same(path, inputs[i]))
            return VKMM_FAIL(session->log, VKMM_INVALID,
                             "%s is the input %s: name another output, or replace the input with --force", path,
                             inputs[i]);
    return VKMM_OK;
}

static int is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0;
}

vkmm_status cli_output_page(const cli_session *session, const char *option, const char *path, const char *const *inputs,
                            uint32_t count)
{
    const vkmm_log *log = session->log;
    vkmm_status status = cli_output_spares(session, path, inputs, count);
    if (path == NULL || status != VKMM_OK) return status;
    if (!vkmm_path_ends(path, ".html") && !vkmm_path_ends(path, ".htm") && !is_device(path))
        return VKMM_FAIL(log, VKMM_INVALID, "%s writes an HTML page, but '%.200s' does not end in .html", option, path);
    return vkmm_tell(log, vkmm_output_try(path, 0));
}

vkmm_status cli_output_write_page(cli_session *session, const char *path, const cli_template *around, const char *json)
{
    cli_report *report = &session->report;
    char *page = NULL;
    size_t bytes = 0;
    vkmm_status status = json != NULL ? cli_page_make(around, json, &page, &bytes) : VKMM_OUT_OF_MEMORY;
    if (status != VKMM_OK) return VKMM_FAIL(session->log, status, "no memory to write %s", path);
    status = vkmm_tell(session->log, vkmm_output_whole(path, 0, page, bytes));
    vkmm_free(page);
    if (status != VKMM_OK || session->writer == &cli_json_writer || is_device(path)) return status;
    cli_report_say(report, 0, CLI_PLAIN, "Wrote %s: open it in a browser.", path);
    return cli_report_flush(report, session->log);
}
