#include "bench/page.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "report/json.h"
#include "report/page.h"
#include "report_page_parts.h" /* made by embed.py: the page before and after its data */

/* Returns whether there was a value: NULL stands for memory that ran out. */
static int put(FILE *out, const char *key, json_t *value)
{
    const int known = value != NULL;

    fprintf(out, "\"%s\":", key);
    if (known) (void)json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY); /* the stream remembers a failed write */
    json_decref(value);
    return known;
}

static vkmm_status put_report(vkmm_report *report, const vkmm_bench *bench)
{
    int good;

    putc('{', report->out);
    good = put(report->out, "name", vkmm_json_known_text(bench->name));
    fputs(",\"report\":", report->out);
    good &= vkmm_bench_write(vkmm_bench_writer_find("json"), report, bench) == VKMM_OK;
    putc('}', report->out);
    return good ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

/* Who is compared, under which unique label, and what a comparison finds; null where no row is shared. No report says
 * whether its devices were measured in turns, so rounds are not paired. */
static vkmm_status put_comparison(vkmm_report *report, const vkmm_bench *benches, vkmm_contender *who, uint32_t count)
{
    vkmm_comparison comparison = {.contenders = who, .count = count, .regression = -1};
    vkmm_status status = VKMM_OK;

    fputs(",\"contenders\":[", report->out);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) {
        fprintf(report->out, "%s{\"report\":%u,\"device\":%u,", i > 0 ? "," : "", (uint32_t)(who[i].bench - benches),
                who[i].device);
        if (!put(report->out, "label", vkmm_json_text(who[i].label))) status = VKMM_OUT_OF_MEMORY;
        putc('}', report->out);
    }
    fputs("],\"comparison\":", report->out);
    if (status == VKMM_OK && count > 1) status = vkmm_compare_write("json", report, &comparison);
    if (comparison.rows == 0) fputs("null", report->out);
    return status;
}

static vkmm_status put_data(vkmm_report *report, const vkmm_bench *benches, uint32_t count)
{
    uint32_t who_count;
    vkmm_contender *who = vkmm_contenders_of(benches, count, &who_count);
    vkmm_status status = who != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;

    putc('{', report->out);
    if (status == VKMM_OK && !put(report->out, "tool", vkmm_json_tool(report))) status = VKMM_OUT_OF_MEMORY;
    fputs(",\"reports\":[", report->out);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) {
        if (i > 0) putc(',', report->out);
        status = put_report(report, &benches[i]);
    }
    putc(']', report->out);
    if (status == VKMM_OK) status = put_comparison(report, benches, who, who_count);
    putc('}', report->out);
    vkmm_free(who);
    return status;
}

vkmm_status vkmm_bench_page(const vkmm_report *report, const vkmm_bench *benches, uint32_t count, char **page,
                            size_t *bytes)
{
    static const vkmm_template around = {vkmm_report_head, vkmm_report_tail, sizeof vkmm_report_head,
                                         sizeof vkmm_report_tail};
    vkmm_report data = *report;
    size_t length = 0;
    char *json = NULL;
    vkmm_status status = VKMM_OUT_OF_MEMORY;

    *page = NULL;
    *bytes = 0;
    data.out = open_memstream(&json, &length);
    if (data.out == NULL) return status;
    status = put_data(&data, benches, count);
    if (ferror(data.out)) status = VKMM_OUT_OF_MEMORY;
    if (fclose(data.out) != 0) status = VKMM_OUT_OF_MEMORY;
    if (status == VKMM_OK) status = vkmm_page_make(&around, json, page, bytes);
    free(json);
    return status;
}
