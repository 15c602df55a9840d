/* A bench as a Markdown table for issues and pages. */
#include <string.h>

#include "bench/columns.h"
#include "bench/writers.h"
#include "report/markdown.h"
#include "report/text.h"

static void print_section(const vkmm_report *report, const vkmm_bench_device *device)
{
    const vkmm_columns columns = {vkmm_bench_columns, VKMM_BENCH_COLUMNS, 0};
    char text[VKMM_PEAKS];

    fputs("### ", report->out);
    vkmm_device_text(report, device, text, sizeof text);
    vkmm_md_text(report->out, text);
    vkmm_bench_peaks_text(report, &device->peaks, text);
    fputs(text[0] != '\0' ? "\n\nMeasured peaks: " : "", report->out);
    vkmm_md_text(report->out, text);
    fputs("\n\n", report->out);
    vkmm_columns_titles(report, &columns);
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

/* All at the end: rows of devices that took turns come mixed. */
static vkmm_status end(vkmm_report *report, const vkmm_bench *bench)
{
    const vkmm_columns columns = {vkmm_bench_columns, VKMM_BENCH_COLUMNS, 0};
    vkmm_report markdown = *report;

    markdown.utf8 = markdown.markdown = 1;
    markdown.colour = 0;
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < bench->row_count; i++) {
            if (bench->rows[i].device != d) continue;
            if (rows++ == 0) print_section(&markdown, &bench->devices[d]);
            vkmm_columns_row(&markdown, &columns, &bench->rows[i]);
        }
        if (rows > 0) putc('\n', report->out);
    }
    vkmm_bench_close(&markdown, bench);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_md = {"md", ".md", begin, NULL, end};
