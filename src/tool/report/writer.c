/* The formats of run and ladder. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/log.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"
#include "report/wrap.h"

/* ---- aligned columns for people ---- */

static const vkmm_column run_columns[] = {
    {"size", NULL, 5, 0, 0, vkmm_cell_size},
    {"type", NULL, 4, 0, 0, vkmm_cell_type},
    {"kernel", NULL, 8, 0, 0, vkmm_cell_kernel},
    {"tile", NULL, 5, 0, 0, vkmm_cell_tile},
    {.path = "time.kernel_ms.median", .width = 9, .fill = vkmm_cell_marks},
    {"p5 – p95", "p5 - p95", 15, 0, 1, vkmm_cell_spread},
    {"samples", NULL, 7, 1, 3, vkmm_cell_count},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 2},
    {.path = "time.total_ms.median", .width = 8, .leaves = 4},
    {.path = "gflops", .width = 7, .paint = VKMM_STRONG},
    {"verified", NULL, 8, 0, 0, vkmm_cell_verified},
};

/* Prints the options shared by the following rows above them: once, and again when a row differs. */
static void print_difference(vkmm_report *report, const vkmm_bench_row *row)
{
    char text[VKMM_TEXT_DIFFERENCE];

    vkmm_text_difference(text, sizeof text, &row->problem);
    if (strcmp(text, report->difference) == 0) return;
    VKMM_PUT(report->difference, "%s", text);
    vkmm_report_say(report, 0, VKMM_DIM, "%s", text[0] != '\0' ? text : "plain");
}

/* One device's share: "0 llvmpipe: 12 panels, 61 % of C; kernel 0.8 s, waited 0.1 s; 12.3 MB copied". */
static void print_part(const vkmm_report *report, const vkmm_stream_part *part)
{
    const double bytes = (double)(part->times.uploaded_bytes + part->times.downloaded_bytes);

    vkmm_report_say(
        report, 2, VKMM_DIM, "%u %s: %llu panel%s, %.3g %% of C; %s; kernel %.3g s, waited %.3g s; %.4g MB copied%s%s",
        part->device->index, part->device->name, (unsigned long long)part->panels, part->panels == 1 ? "" : "s",
        100 * part->share, part->kernel->name, part->times.kernel_ms / 1000, part->wait_ms / 1000, bytes / 1e6,
        part->status != VKMM_OK ? "; failed: " : "", part->status != VKMM_OK ? vkmm_status_name(part->status) : "");
}

/* Under a row: "in 4 panels of 4096×4096: A needs …; end to end 12.1 s", or "2 devices share it; end to end 12.1 s". */
static void print_panels(const vkmm_report *report, const vkmm_bench_row *row)
{
    const vkmm_partition *p = &row->panels.partition;
    const unsigned long long panels = row->panels.batches * p->row_panels * p->col_panels;
    char depth[64] = "", time[32] = "", cut[160] = "";

    if (p->depth_panels > 1) VKMM_PUT(depth, ", K in %llu parts", (unsigned long long)p->depth_panels);
    if (vkmm_bench_is_timed(row)) VKMM_PUT(time, "; end to end %.3g s", row->wall_ms / 1000);
    if (row->panels.part_count == 0)
        VKMM_PUT(cut, "in %llu panel%s of %llu%s%llu%s: ", panels, panels == 1 ? "" : "s", (unsigned long long)p->rows,
                 report->utf8 ? "×" : "x", (unsigned long long)p->cols, depth);
    vkmm_report_say(report, 2, VKMM_DIM, "%s%s%s", cut, row->panels.reason, time);
    for (uint32_t i = 0; i < row->panels.part_count; i++) print_part(report, &row->panels.parts[i]);
}

static vkmm_status table_row(vkmm_report *report, const vkmm_bench_row *row)
{
    vkmm_cell verdict = {.text = ""};
    vkmm_columns columns;

    vkmm_cell_verified(report, row, &verdict);
    if (report->rows == 0) report->verdict_width = (int)vkmm_text_columns(verdict.text);
    columns = vkmm_columns_fit(report, run_columns, VKMM_COUNT(run_columns));
    if (report->rows == 0 && row->panels.part_count == 0) vkmm_print_device(report, row->on, row->host);
    for (uint32_t i = 0; report->rows == 0 && i < row->panels.part_count; i++)
        vkmm_print_device(report, row->panels.parts[i].device, row->host);
    print_difference(report, row);
    if (report->rows == 0) vkmm_columns_line(report, &columns, NULL);
    vkmm_columns_line(report, &columns, row);
    if (row->panels.reason != NULL) print_panels(report, row);
    vkmm_notes_add(&report->notes, row);
    return VKMM_OK;
}

static vkmm_status table_end(vkmm_report *report)
{
    vkmm_notes_print(report, &report->notes);
    if (report->note[0] != '\0') vkmm_report_say(report, 0, VKMM_PLAIN, "note: %s", report->note);
    return VKMM_OK;
}

/* ---- JSON Lines: one compact object per result, so that one result is plain JSON ---- */

static json_t *row_json(const vkmm_report *report, const vkmm_bench_row *row)
{
    return vkmm_json_document(report, "vkmatmul.run/1", row->on, row->host, vkmm_record_json(&vkmm_run_record, row));
}

/* Statistics are enough, unless all samples are requested. */
static json_t *without_samples(const vkmm_report *report, json_t *json)
{
    void *at = json_object_iter(json);

    if (report->samples) return json;
    for (; at != NULL; at = json_object_iter_next(json, at)) without_samples(report, json_object_iter_value(at));
    for (size_t i = 0; i < json_array_size(json); i++) without_samples(report, json_array_get(json, i));
    json_object_del(json, "samples");
    return json;
}

static vkmm_status json_row(vkmm_report *report, const vkmm_bench_row *row)
{
    return vkmm_json_line(report, without_samples(report, row_json(report, row)));
}

/* One document, so all rows at once. */
static vkmm_status json_ladder(vkmm_report *report, const vkmm_ladder *ladder, const vkmm_bench_row *row)
{
    json_t *document;

    if (row != NULL) return VKMM_OK;
    document = vkmm_json_document(report, "vkmatmul.ladder/1", ladder->device, ladder->host,
                                  vkmm_record_json(&vkmm_ladder_record, ladder));
    return vkmm_json_line(report, without_samples(report, document));
}

/* ---- RFC 4180: a header line, and a line for each row. An absent figure is an empty field, never 0 ---- */

static const vkmm_csv_column csv_columns[] = {
    {"step"},
    VKMM_CSV_PROBLEM,
    {"problem.init"},
    {"problem.seed"},
    {"device.name", "device"},
    {"device.driver_name", "driver"},
    {"kernel.shader|kernel.name", "kernel"},
    {"kernel.tile.0", "tile_rows"},
    {"kernel.tile.1", "tile_cols"},
    {"kernel.workgroup.0", "workgroup_x"},
    {"kernel.workgroup.1", "workgroup_y"},
    {"kernel.workgroup.2", "workgroup_z"},
    {"time.kernel_ms.median", "kernel_ms"},
    {"time.kernel_ms.min", "kernel_ms_min"},
    {"time.kernel_ms.p5", "kernel_ms_p5"},
    {"time.kernel_ms.p95", "kernel_ms_p95"},
    {"time.submit_ms.median", "submit_ms"},
    {"time.total_ms.median", "total_ms"},
    {"time.clock"},
    {"gflops"},
    {"verify.method", "verify"},
    {"verify.passed"},
    {"verify.error"},
    {"verify.bound"},
    {"tool.version"},
    {"tool.shader_hash"},
    VKMM_CSV_OPERANDS,
    {"kernel.config"},
    {"kernel.tuned"},
    {"kernel.splits"},
    {"kernel.items"},
    {"kernel.workspace_bytes"},
    VKMM_CSV_REST,
    {"wall_ms"},
    {"panels.rows", "panel_rows"},
    {"panels.cols", "panel_cols"},
    {"panels.depth", "panel_depth"},
    {"panels.row_panels"},
    {"panels.col_panels"},
    {"panels.depth_panels"},
    {"panels.uploaded_bytes"},
    {"panels.downloaded_bytes"},
    {"panels.dispatches"},
    {"panels.longest_dispatch_ms"},
    {"panels.reason"},
    {"time.kernel_ms.count", "samples"},
    {"time.kernel_ms.outliers", "outliers"},
    {"time.stable"},
    {"verify.nans"},
    {"verify.infinities"},
    {"problem.method"},
};

enum { CSV_COLUMNS = VKMM_COUNT(csv_columns) };

static vkmm_status csv_row(vkmm_report *report, const vkmm_bench_row *row)
{
    if (report->rows == 0) vkmm_csv_header(report->out, csv_columns, CSV_COLUMNS);
    return vkmm_csv_line(report->out, csv_columns, CSV_COLUMNS, row_json(report, row)) ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

/* ---- one word per result, for scripts: GFLOP/s, or why there is none; and the types, if sums have fewer bits than
 * what is summed, or the method ---- */

static vkmm_status quiet_row(vkmm_report *report, const vkmm_bench_row *row)
{
    const int rounds =
        row->problem.method != VKMM_COMPUTE_DIRECT ||
        vkmm_type_of(vkmm_problem_compute(&row->problem))->bytes < vkmm_type_of(row->problem.type)->bytes;

    if (row->not_run[0] != '\0')
        fputs("skipped\n", report->out);
    else if (strcmp(row->method, "none") == 0)
        fputs("unverified\n", report->out);
    else if (!row->passed)
        fputs("wrong\n", report->out);
    else if (!isfinite(row->figures.gflops))
        fputs("empty\n", report->out);
    else
        fprintf(report->out, "%s%s%s\n", VKMM_FIGURE(row->figures.gflops), rounds ? " " : "",
                rounds ? vkmm_text_type(&row->problem, report->utf8) : "");
    return VKMM_OK;
}

/* ---- all of them ---- */

static const vkmm_writer writers[] = {
    {"table", table_row, table_end, vkmm_table_ladder},
    {"json", json_row, .ladder = json_ladder},
    {"csv", csv_row},
    {"quiet", quiet_row},
};

const vkmm_writer *vkmm_writer_find(const char *name)
{
    for (size_t i = 0; i < VKMM_COUNT(writers); i++) {
        if (strcmp(writers[i].name, name) == 0) return &writers[i];
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
