/* What a tune found, for people: a line of figures, and below it the configuration. */
#include <string.h>
#include "report/columns.h"
#include "report/text.h"
#include "report/writers.h"

enum { INDENT = 4, LAST_COLUMN = 80, SIZE_COLUMNS = 6, TYPE_COLUMNS = 4 };

static int size_columns(const vkmm_report *report)
{
    return report->size_width > SIZE_COLUMNS ? report->size_width : SIZE_COLUMNS;
}

static int type_columns(const vkmm_report *report)
{
    return report->type_width > TYPE_COLUMNS ? report->type_width : TYPE_COLUMNS;
}

static void print_size(const vkmm_report *report, const vkmm_tune_row *row)
{
    const char *type = vkmm_text_type(&row->problem, report->utf8);
    char size[VKMM_TEXT_PROBLEM];
    int blank;

    vkmm_text_problem(size, sizeof size, &row->problem, report->utf8);
    blank = size_columns(report) - (int)vkmm_text_columns(size);
    fprintf(report->out, "%s%*s  %s", size, blank > 0 ? blank : 0, "", type);
    blank = type_columns(report) - (int)vkmm_text_columns(type);
    fprintf(report->out, "%*s  ", blank > 0 ? blank : 0, "");
}

/* Broken after commas. */
static void print_config(const vkmm_report *report, const char *config)
{
    int column = INDENT;

    fprintf(report->out, "%*s", INDENT, "");
    while (*config != '\0') {
        int length = (int)strcspn(config, ",");
        length += config[length] == ',';
        if (column > INDENT && column + length > LAST_COLUMN) {
            fprintf(report->out, "\n%*s", INDENT, "");
            column = INDENT;
        }
        fprintf(report->out, "%.*s", length, config);
        column += length;
        config += length;
    }
    putc('\n', report->out);
}

static void print_figures(const vkmm_report *report, const vkmm_tune_row *row)
{
    const vkmm_tuned *tuned = &row->tuned;
    char best[32], planned[32] = "-", gain[32] = "-";

    vkmm_text_figure(best, sizeof best, tuned->gflops);
    if (tuned->planned_gflops > 0) {
        vkmm_text_figure(planned, sizeof planned, tuned->planned_gflops);
        snprintf(gain, sizeof gain, "%+.0f %%", 100 * (tuned->gflops / tuned->planned_gflops - 1));
    }
    fprintf(report->out, "%-8s  %s%7s%s  %9s  %7s  %5u  %6u\n", tuned->best.kernel, vkmm_paint_on(report, VKMM_STRONG),
            best, vkmm_paint_off(report, VKMM_STRONG), planned, gain, tuned->candidates + row->failed, row->failed);
}

vkmm_status vkmm_table_tune(vkmm_report *report, const vkmm_tune_row *row)
{
    if (report->rows == 0) {
        vkmm_print_device(report, row->device, NULL);
        fprintf(report->out, "%s%-*s  %-*s  kernel    GFLOP/s  planner's     gain  tried  failed%s\n",
                vkmm_paint_on(report, VKMM_DIM), size_columns(report), "size", type_columns(report), "type",
                vkmm_paint_off(report, VKMM_DIM));
    }
    print_size(report, row);
    if (row->skipped[0] != '\0') {
        fprintf(report->out, "left out: %s\n", row->skipped);
        return VKMM_OK;
    }
    print_figures(report, row);
    print_config(report, strcmp(row->tuned.best.config, row->planned.config) == 0 &&
                                 strcmp(row->tuned.best.kernel, row->planned.kernel) == 0
                             ? "the planner's own choice: nothing tried was faster"
                             : row->tuned.best.config);
    return VKMM_OK;
}
