/* What stands in the cells that several tables share. */
#include <string.h>
#include "report/columns.h"
#include "report/text.h"

void vkmm_cell_figure(const vkmm_report *report, vkmm_cell *cell, int present, double value)
{
    if (present) {
        vkmm_text_figure(cell->text, sizeof cell->text, value);
    } else {
        snprintf(cell->text, sizeof cell->text, "%s", report->utf8 ? "–" : "-");
        cell->paint = VKMM_DIM;
    }
}

void vkmm_cell_size(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    vkmm_text_problem(cell->text, sizeof cell->text, &row->problem, report->utf8);
}

void vkmm_cell_type(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    snprintf(cell->text, sizeof cell->text, "%s", vkmm_text_type(&row->problem, report->utf8));
}

void vkmm_cell_kernel(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    (void)report;
    vkmm_text_clean(cell->text, sizeof cell->text,
                    row->shader_file != NULL ? vkmm_text_base_name(row->shader_file) : row->kernel->name);
}

void vkmm_cell_tile(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    if (row->kernel->tile[0] == 0)
        vkmm_cell_figure(report, cell, 0, 0);
    else
        snprintf(cell->text, sizeof cell->text, report->utf8 ? "%u×%u" : "%ux%u", row->kernel->tile[0],
                 row->kernel->tile[1]);
}

void vkmm_cell_kernel_ms(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->timed, row->time.kernel.median);
}

void vkmm_cell_spread(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    char low[32], high[32];

    if (!row->timed) return;
    vkmm_text_figure(low, sizeof low, row->time.kernel.p5);
    vkmm_text_figure(high, sizeof high, row->time.kernel.p95);
    snprintf(cell->text, sizeof cell->text, report->utf8 ? "%s – %s" : "%s - %s", low, high);
    cell->paint = VKMM_DIM;
}

void vkmm_cell_submit_ms(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->timed && row->time.submit.count > 0, row->time.submit.median);
}

void vkmm_cell_transfer_ms(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->timed && row->time.transfer.count > 0, row->time.transfer.median);
}

void vkmm_cell_gflops(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    cell->paint = VKMM_STRONG;
    vkmm_cell_figure(report, cell, row->timed, row->gflops);
}

void vkmm_cell_verified(const vkmm_report *report, const vkmm_row *row, vkmm_cell *cell)
{
    if (row->skipped != NULL) {
        snprintf(cell->text, sizeof cell->text, "%s", report->utf8 ? "–" : "-");
        cell->paint = VKMM_DIM;
    } else if (row->verify.passed) {
        snprintf(cell->text, sizeof cell->text, "%s", report->utf8 ? "✓" : "yes");
        cell->paint = VKMM_GOOD;
    } else if (strcmp(row->verify.method, "none") == 0) {
        snprintf(cell->text, sizeof cell->text, "no");
        cell->paint = VKMM_DIM;
    } else {
        snprintf(cell->text, sizeof cell->text, "%s", report->utf8 ? "✗ wrong" : "WRONG");
        cell->paint = VKMM_BAD;
    }
}
