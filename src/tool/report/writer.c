#include <errno.h>
#include <string.h>
#include "base/log.h"
#include "report/writers.h"

static const vkmm_writer *const writers[] = {&vkmm_writer_table, &vkmm_writer_json, &vkmm_writer_csv,
                                             &vkmm_writer_quiet};

const vkmm_writer *vkmm_writer_find(const char *name)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (strcmp(writers[i]->name, name) == 0) return writers[i];
    }
    return NULL;
}

vkmm_status vkmm_report_flush(const vkmm_report *report, const vkmm_log *log)
{
    errno = 0;
    if (fflush(report->out) == 0 && !ferror(report->out)) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID, "cannot write the results: %s",
                     errno != 0 ? strerror(errno) : "the output failed");
}
