/* A bench as a Markdown table for issues and pages. */
#include <string.h>

#include "bench/columns.h"
#include "bench/writers.h"
#include "report/markdown.h"
#include "report/text.h"

enum { SAMPLES = 12 }; /* a column that only terminals show well */

static void print_section(const vkmm_report *report, const vkmm_bench_device *device)
{
    char text[1000];

    fputs("### ", report->out);
    vkmm_device_text(report, device, text, sizeof text);
    vkmm_md_text(report->out, text);
    fputs("\n\n", report->out);
    for (unsigned i = 0; vkmm_bench_peak_text(report, device, i, text); i++) {
        fputs(i == 0 ? "Measured peaks: " : ", ", report->out);
        vkmm_md_text(report->out, text);
    }
    fputs("\n\n", report->out);
    for (unsigned i = 0; i < VKMM_BENCH_COLUMNS; i++)
        if (i != SAMPLES) fprintf(report->out, "| %s ", vkmm_bench_columns[i].title);
    fputs("|\n", report->out);
    for (unsigned i = 0; i < VKMM_BENCH_COLUMNS; i++)
        if (i != SAMPLES) fputs(vkmm_bench_columns[i].right ? "| --: " : "| --- ", report->out);
    fputs("|\n", report->out);
}

static vkmm_status begin(vkmm_report *report, const vkmm_bench *bench)
{
    fputs("vkmatmul ", report->out);
    vkmm_md_text(report->out, bench->version);
    fputs(", shaders ", report->out);
    vkmm_md_text(report->out, bench->shader_hash);
    if (bench->command != NULL) {
        fputs(": ", report->out);
        vkmm_md_text(report->out, bench->command);
    }
    fputs("\n\n", report->out);
    return VKMM_OK;
}

static void print_row(const vkmm_report *report, const vkmm_bench_row *row)
{
    char text[512];

    for (unsigned i = 0; i < VKMM_BENCH_COLUMNS; i++) {
        vkmm_cell cell = {"", VKMM_PLAIN};
        if (i == SAMPLES) continue;
        vkmm_bench_columns[i].fill(report, row, &cell);
        fputs("| ", report->out);
        vkmm_md_text(report->out, cell.text);
        putc(' ', report->out);
        if (i != VKMM_BENCH_COLUMNS - 1) continue;
        for (unsigned remark = 0; vkmm_bench_remark(row, remark, text); remark++) {
            vkmm_md_text(report->out, text);
            putc(' ', report->out);
        }
    }
    fputs("|\n", report->out);
}

/* All at the end: rows of devices that took turns come mixed. */
static vkmm_status end(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_report as_utf8 = *report;
    char text[512];

    as_utf8.utf8 = 1;
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < bench->row_count; i++) {
            if (bench->rows[i].device != d) continue;
            if (rows++ == 0) print_section(&as_utf8, &bench->devices[d]);
            print_row(&as_utf8, &bench->rows[i]);
        }
        if (rows > 0) putc('\n', report->out);
    }
    for (unsigned i = 0; vkmm_bench_closing(&as_utf8, bench, i, text); i++) {
        fputs("- ", report->out);
        vkmm_md_text(report->out, text);
        putc('\n', report->out);
    }
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_md = {"md", ".md", begin, NULL, end};
