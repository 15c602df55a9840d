#include "bench/writer.h"

#include "base/folder.h"

#include <string.h>

static const vkmm_bench_writer *const writers[] = {&vkmm_bench_table, &vkmm_bench_json, &vkmm_bench_jsonl,
                                                   &vkmm_bench_csv,   &vkmm_bench_md,   &vkmm_bench_junit};

enum { WRITERS = VKMM_COUNT(writers) };

const vkmm_bench_writer *vkmm_bench_writer_find(const char *name)
{
    for (uint32_t i = 0; i < WRITERS; i++)
        if (strcmp(writers[i]->name, name) == 0) return writers[i];
    return NULL;
}

const vkmm_bench_writer *vkmm_bench_writer_for(const char *path)
{
    for (uint32_t i = 0; i < WRITERS; i++)
        if (writers[i]->ending != NULL && vkmm_path_ends(path, writers[i]->ending)) return writers[i];
    return NULL;
}

vkmm_status vkmm_bench_write(const vkmm_bench_writer *writer, vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = VKMM_OK;

    if (writer->begin != NULL) status = writer->begin(report, bench);
    for (uint32_t i = 0; i < bench->row_count && writer->row != NULL && status == VKMM_OK; i++)
        status = writer->row(report, bench, &bench->rows[i]);
    return status == VKMM_OK && writer->end != NULL ? writer->end(report, bench) : status;
}
