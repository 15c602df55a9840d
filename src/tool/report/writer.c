#include <errno.h>
#include <string.h>

#include "base/folder.h"
#include "base/log.h"
#include "report/report.h"

static const cli_writer *const writers[] = {&cli_table_writer, &cli_json_writer,  &cli_jsonl_writer, &cli_csv_writer,
                                            &cli_md_writer,    &cli_junit_writer, &cli_quiet_writer};

const cli_writer *cli_writer_find(const char *name)
{
    for (uint32_t i = 0; i < VKMM_COUNT(writers); i++)
        if (strcmp(writers[i]->name, name) == 0) return writers[i];
    return NULL;
}

const cli_writer *cli_writer_for(const char *path)
{
    for (uint32_t i = 0; i < VKMM_COUNT(writers); i++)
        if (writers[i]->ending != NULL && vkmm_path_ends(path, writers[i]->ending)) return writers[i];
    return NULL;
}

vkmm_status cli_bench_write(const cli_writer *writer, cli_report *report, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;
    if (writer->begin != NULL) status = writer->begin(report, bench);
    for (uint32_t i = 0; i < bench->row_count && writer->row != NULL && status == VKMM_OK; i++)
        status = writer->row(report, bench, &bench->rows[i]);
    return status == VKMM_OK && writer->end != NULL ? writer->end(report, bench) : status;
}

vkmm_status cli_report_flush(const cli_report *report, const vkmm_log *log)
{
    errno = 0;
    if (fflush(report->out) == 0 && !ferror(report->out)) return VKMM_OK;
    return VKMM_FAIL(log, VKMM_INVALID, "cannot write the results: %s",
                     errno != 0 ? strerror(errno) : "the output failed");
}
