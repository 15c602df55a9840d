#include "bench/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/columns.h"
#include "report/text.h"

/* A thousandth of itself is enough to read of a ratio near 1; a slow device's are small. */
static void write_factor(char *text, size_t size, double factor)
{
    int decimals = factor < 0.1 ? 4 : factor < 10 ? 3 : factor < 100 ? 2 : factor < 1000 ? 1 : 0;

    if (factor < 0.001)
        snprintf(text, size, "%.1e", factor);
    else
        snprintf(text, size, "%.*f", decimals, factor);
}

void vkmm_compare_ratio_cell(const vkmm_report *report, const vkmm_interval *ratio, vkmm_cell *cell)
{
    static const char *const signs[] = {"▼", "≈", "▲"}, *const ascii[] = {"-", "~", "+"};
    static const vkmm_paint paints[] = {VKMM_BAD, VKMM_PLAIN, VKMM_GOOD};
    int verdict = vkmm_interval_verdict(ratio) + 1;
    char middle[32], low[32], high[32];

    if (!isfinite(ratio->middle)) {
        vkmm_cell_figure(report, cell, 0, 0);
        return;
    }
    write_factor(middle, sizeof middle, ratio->middle);
    if (!isfinite(ratio->low) || !isfinite(ratio->high)) { /* after one sample nobody knows */
        snprintf(cell->text, sizeof cell->text, "%s %s (?)", (report->utf8 ? signs : ascii)[verdict], middle);
        return;
    }
    write_factor(low, sizeof low, ratio->low);
    write_factor(high, sizeof high, ratio->high);
    snprintf(cell->text, sizeof cell->text, report->utf8 ? "%s %s (%s–%s)" : "%s %s (%s-%s)",
             (report->utf8 ? signs : ascii)[verdict], middle, low, high);
    cell->paint = paints[verdict];
}

void vkmm_compare_speed_cell(const vkmm_report *report, const vkmm_compare_row *row, uint32_t contender,
                             vkmm_cell *cell)
{
    const vkmm_bench_row *bench = row->of[contender];
    int timed = bench != NULL && isfinite(bench->figures.gflops);
    size_t used;

    if (bench != NULL && vkmm_bench_is_wrong(bench)) {
        snprintf(cell->text, sizeof cell->text, "wrong");
        cell->paint = VKMM_BAD;
        return;
    }
    vkmm_cell_figure(report, cell, timed, timed ? bench->figures.gflops : 0);
    used = strlen(cell->text);
    snprintf(cell->text + used, sizeof cell->text - used, "%s",
             row->winner != contender ? " "
             : report->utf8           ? "★"
                                      : "*");
    if (row->winner == contender) cell->paint = VKMM_STRONG;
}

void vkmm_compare_row_name(const vkmm_report *report, const vkmm_compare_row *row, char *text, size_t size)
{
    char problem[VKMM_TEXT_PROBLEM + 8], asked[64];

    vkmm_bench_size_text(report, row->like, problem, sizeof problem);
    vkmm_text_clean(asked, sizeof asked, row->like->asked);
    snprintf(text, size, "%s %s %s", problem, vkmm_text_type(&row->like->problem, report->utf8), asked);
}

void vkmm_compare_wins(const vkmm_compare_model *model, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t c = 0; c < model->comparison->count && used + 40 < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%s%u wins %u row%s", c > 0 ? ", " : "", c + 1,
                                 model->wins[c], model->wins[c] == 1 ? "" : "s");
    if (used < size)
        snprintf(text + used, size - used, "; %u %s unclear: there the interval of the two fastest contains 1",
                 model->unclear, model->unclear == 1 ? "is" : "are");
}

void vkmm_compare_regression(const vkmm_report *report, const vkmm_compare_model *model,
                             const vkmm_regression *regression, char *text, size_t size)
{
    vkmm_cell cell = {"", VKMM_PLAIN};
    char name[240];

    vkmm_compare_row_name(report, &model->rows[regression->row], name, sizeof name);
    if (!isfinite(regression->ratio.middle)) {
        snprintf(text, size, "%u is wrong in %s, where %u is right", regression->contender + 1, name,
                 regression->base + 1);
        return;
    }
    vkmm_compare_ratio_cell(report, &regression->ratio, &cell);
    snprintf(text, size, "%u is slower than %u in %s: %s", regression->contender + 1, regression->base + 1, name,
             cell.text);
}

void vkmm_compare_mean_name(const vkmm_report *report, const vkmm_compare_mean *mean, char *text, size_t size)
{
    char group[64];

    vkmm_text_clean(group, sizeof group, mean->group != NULL ? mean->group : "all");
    snprintf(text, size, "%s%s%s", group, mean->group != NULL ? " " : "",
             mean->group != NULL ? vkmm_types_name(mean->types, report->utf8) : "");
}
