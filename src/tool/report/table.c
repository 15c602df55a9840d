/* The format for people: aligned columns. */
#include <string.h>
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"
#include "report/writers.h"

static const vkmm_column run_columns[] = {
    {"size", NULL, 5, 0, 0, vkmm_cell_size},
    {"type", NULL, 4, 0, 0, vkmm_cell_type},
    {"kernel", NULL, 7, 0, 0, vkmm_cell_kernel},
    {"tile", NULL, 5, 0, 0, vkmm_cell_tile},
    {.path = "time.kernel_ms.median", .width = 9},
    {"p5 – p95", "p5 - p95", 15, 0, 1, vkmm_cell_spread},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 2},
    {.path = "time.transfer_ms.median", .width = 8},
    {.path = "gflops", .width = 7, .paint = VKMM_STRONG},
    {"verified", NULL, 8, 0, 0, vkmm_cell_verified},
};

/* What all rows have in common stands above them: once for a list of sizes, unless a size changes it. */
static void print_difference(vkmm_report *report, const vkmm_bench_row *row)
{
    char text[VKMM_TEXT_DIFFERENCE];

    vkmm_text_difference(text, sizeof text, &row->problem);
    if (strcmp(text, report->difference) == 0) return;
    snprintf(report->difference, sizeof report->difference, "%s", text);
    fprintf(report->out, "%s%s%s\n", vkmm_paint_on(report, VKMM_DIM), text[0] != '\0' ? text : "plain",
            vkmm_paint_off(report, VKMM_DIM));
}

/* Under a row: "in 4 panels of 4096×4096: A needs …; end to end 12.1 s". */
static void print_panels(const vkmm_report *report, const vkmm_bench_row *row)
{
    const vkmm_partition *p = &row->panels.partition;
    const unsigned long long panels = row->panels.batches * p->row_panels * p->col_panels;
    char reason[512];

    vkmm_text_clean(reason, sizeof reason, row->panels.reason);
    fprintf(report->out, "%s  in %llu panel%s of %llu%s%llu", vkmm_paint_on(report, VKMM_DIM), panels,
            panels == 1 ? "" : "s", (unsigned long long)p->rows, report->utf8 ? "×" : "x", (unsigned long long)p->cols);
    if (p->depth_panels > 1) fprintf(report->out, ", K in %llu parts", (unsigned long long)p->depth_panels);
    fprintf(report->out, ": %s", reason);
    if (vkmm_bench_is_timed(row)) fprintf(report->out, "; end to end %.3g s", row->wall_ms / 1000);
    fprintf(report->out, "%s\n", vkmm_paint_off(report, VKMM_DIM));
}

static vkmm_status row(vkmm_report *report, const vkmm_bench_row *row)
{
    vkmm_columns columns = vkmm_columns_fit(report, run_columns, sizeof run_columns / sizeof *run_columns);

    if (report->rows == 0) vkmm_print_device(report, row->on, row->host);
    print_difference(report, row);
    if (report->rows == 0) vkmm_columns_line(report, &columns, NULL);
    vkmm_columns_line(report, &columns, row);
    if (row->panels.reason != NULL) print_panels(report, row);
    if (vkmm_row_by_host_clock(row)) snprintf(report->clock_note, sizeof report->clock_note, "%s", row->clock_note);
    return VKMM_OK;
}

static vkmm_status end(vkmm_report *report)
{
    if (report->clock_note[0] != '\0') fprintf(report->out, "kernel ms by the host's clock: %s\n", report->clock_note);
    return VKMM_OK;
}

const vkmm_writer vkmm_writer_table = {"table", row, end, vkmm_table_ladder, .tune = vkmm_table_tune};
