/* The page's first section: a card for each device, and what a reader must know before he believes a figure. */
#include "bench/page_parts.h"

#include "math/types_name.h"
#include "bench/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The device's fastest product of a type. */
static const vkmm_bench_row *fastest(const vkmm_bench *bench, uint32_t device, const vkmm_types *types)
{
    const vkmm_bench_row *best = NULL;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != device || !vkmm_is_of_types(row, types) || !vkmm_bench_is_timed(row)) continue;
        if (best == NULL || row->figures.gflops > best->figures.gflops) best = row;
    }
    return best;
}

static void best_figures(vkmm_builder *out, const vkmm_bench *bench, uint32_t device)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        const vkmm_bench_row *row = fastest(bench, device, vkmm_types_at(t));
        char figure[64], size[VKMM_TEXT_PROBLEM];
        if (row == NULL) continue;
        vkmm_text_figure(figure, sizeof figure, row->figures.gflops);
        vkmm_text_problem(size, sizeof size, &row->problem, 1);
        vkmm_build(out, "<dt>%s</dt><dd><strong>%s</strong> GFLOP/s<br>%s", vkmm_types_name(*vkmm_types_at(t), 1),
                   figure, size);
        if (isfinite(row->figures.arithmetic_share))
            vkmm_build(out, ", %.3g %% of peak", 100 * row->figures.arithmetic_share);
        vkmm_build_text(out, "</dd>\n");
    }
    if (bench->devices[device].peaks.copy_bytes_per_s > 0) {
        char figure[64];
        vkmm_text_figure(figure, sizeof figure, 1e-9 * bench->devices[device].peaks.copy_bytes_per_s);
        vkmm_build(out, "<dt>copy</dt><dd>%s GB/s</dd>\n", figure);
    }
}

/* The colour that charts give a device; none where it is in no chart. */
static int colour(const vkmm_page *page, const vkmm_bench *bench, uint32_t device, uint32_t *index)
{
    for (*index = 0; *index < page->all.who_count; ++*index) {
        if (page->all.who[*index].bench == bench && page->all.who[*index].device == device) return 1;
    }
    return 0;
}

static void count_rows(const vkmm_bench *bench, uint32_t device, uint32_t *timed, uint32_t *wrong, uint32_t *missing)
{
    *timed = *wrong = *missing = 0;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != device) continue;
        *timed += vkmm_bench_is_timed(row) != 0;
        *missing += row->not_run[0] != '\0';
        *wrong += vkmm_bench_is_wrong(row) != 0;
    }
}

static void card(vkmm_page *page, const vkmm_bench *bench, uint32_t device)
{
    const vkmm_bench_device *d = &bench->devices[device];
    vkmm_builder *out = &page->out;
    uint32_t index, timed, wrong, missing;
    const int shown = colour(page, bench, device, &index);

    count_rows(bench, device, &timed, &wrong, &missing);
    vkmm_build_text(out, "<li");
    if (shown) vkmm_build(out, " class=\"k%u\"", index % 7);
    vkmm_build_text(out, "><h3>");
    vkmm_build_html(out, shown ? page->all.who[index].label : d->label);
    vkmm_build_text(out, "</h3>\n<p>");
    vkmm_build_html(out, d->info.driver_name);
    if (d->info.driver_name[0] != '\0' && d->info.driver_info[0] != '\0') vkmm_build_text(out, " ");
    vkmm_build_html(out, d->info.driver_info);
    vkmm_build_text(out, "</p>\n<p>");
    vkmm_build_html(out, vkmm_page_report_name(bench));
    if (bench->created[0] != '\0') {
        vkmm_build_text(out, ", ");
        vkmm_build_html(out, bench->created);
    }
    if (bench->version[0] != '\0') {
        vkmm_build_text(out, ", vkmatmul ");
        vkmm_build_html(out, bench->version);
    }
    vkmm_build(out, "</p>\n<p>%u timed", timed);
    if (wrong > 0) vkmm_build(out, ", <span class=\"slower\">%u wrong</span>", wrong);
    if (missing > 0) vkmm_build(out, ", %u not run", missing);
    vkmm_build_text(out, "</p>\n");
    if (timed > 0) {
        vkmm_build_text(out, "<dl>\n");
        best_figures(out, bench, device);
        vkmm_build_text(out, "</dl>\n");
    }
    vkmm_build_text(out, "</li>\n");
}

/* "NAME: text", in a list that begins with its first entry. */
static void note(vkmm_builder *out, uint32_t *notes, const char *name, const char *text)
{
    if ((*notes)++ == 0) vkmm_build_text(out, "<ul class=\"notes\" aria-label=\"Before you compare\">\n");
    vkmm_build_text(out, "<li><strong>");
    vkmm_build_html(out, name);
    vkmm_build_text(out, ":</strong> ");
    vkmm_build_html(out, text);
    vkmm_build_text(out, "</li>\n");
}

static void device_notes(vkmm_builder *out, uint32_t *notes, const vkmm_bench *bench, uint32_t device)
{
    uint32_t throttled = 0, timed, wrong, missing;
    char text[128];

    if (bench->devices[device].failed[0] != '\0')
        note(out, notes, bench->devices[device].label, bench->devices[device].failed);
    count_rows(bench, device, &timed, &wrong, &missing);
    snprintf(text, sizeof text, "%u product%s wrong, and no speed is shown for %s.", wrong,
             wrong == 1 ? " was" : "s were", wrong == 1 ? "it" : "them");
    if (wrong > 0) note(out, notes, bench->devices[device].label, text);
    for (uint32_t i = 0; i < bench->row_count; i++)
        throttled +=
            bench->rows[i].device == device && vkmm_bench_is_timed(&bench->rows[i]) && bench->rows[i].figures.throttled;
    snprintf(text, sizeof text, "%u of %u timed rows %s slowed down while %s ran (throttled).", throttled, timed,
             throttled == 1 ? "was" : "were", throttled == 1 ? "it" : "they");
    if (throttled > 0) note(out, notes, bench->devices[device].label, text);
}

/* Reports of different shaders compare versions of vkmatmul as much as devices. */
static void version_note(vkmm_page *page, uint32_t *notes)
{
    const vkmm_bench *first = &page->all.benches[0];

    for (uint32_t i = 1; i < page->all.bench_count; i++) {
        const vkmm_bench *other = &page->all.benches[i];
        char text[200];
        if (other->row_count == 0 || first->row_count == 0) continue;
        if (strcmp(first->version, other->version) == 0 && strcmp(first->shader_hash, other->shader_hash) == 0)
            continue;
        snprintf(text, sizeof text, "made with vkmatmul %.31s, shaders %.31s, and the first report with %.31s, %.31s.",
                 other->version[0] != '\0' ? other->version : "(unknown)",
                 other->shader_hash[0] != '\0' ? other->shader_hash : "(unknown)",
                 first->version[0] != '\0' ? first->version : "(unknown)",
                 first->shader_hash[0] != '\0' ? first->shader_hash : "(unknown)");
        note(&page->out, notes, vkmm_page_report_name(other), text);
    }
}

void vkmm_page_summary(vkmm_page *page)
{
    uint32_t notes = 0, devices = 0;

    for (uint32_t i = 0; i < page->all.bench_count; i++) devices += page->all.benches[i].device_count;

    vkmm_page_section(page, "summary", "Summary",
                      devices > 0 ? "Of each device the fastest product of each type, by the median of its kernel "
                                    "times. Charts keep the colours of these "
                                    "cards."
                                  : "These are tunes, without rows of a suite.");
    if (devices > 0) vkmm_build_text(&page->out, "<ul class=\"cards\">\n");
    for (uint32_t i = 0; i < page->all.bench_count; i++) {
        for (uint32_t j = 0; j < page->all.benches[i].device_count; j++) card(page, &page->all.benches[i], j);
    }
    if (devices > 0) vkmm_build_text(&page->out, "</ul>\n");
    version_note(page, &notes);
    if (page->charts != NULL && page->charts->left_out > 0) {
        char text[128];
        snprintf(text, sizeof text,
                 "%u more than the %d that a page has room for were not drawn; their figures are in the tables.",
                 page->charts->left_out, VKMM_MAX_CHARTS);
        note(&page->out, &notes, "Charts", text);
    }
    if (page->no_charts != NULL) note(&page->out, &notes, "No charts", page->no_charts);
    for (uint32_t i = 0; i < page->all.bench_count; i++) {
        const vkmm_bench *bench = &page->all.benches[i];
        if (!bench->complete && bench->row_count > 0)
            note(&page->out, &notes, vkmm_page_report_name(bench),
                 bench->note[0] != '\0' ? bench->note : "The run was not finished.");
        for (uint32_t j = 0; j < bench->device_count; j++) device_notes(&page->out, &notes, bench, j);
    }
    if (notes > 0) vkmm_build_text(&page->out, "</ul>\n");
    vkmm_page_end(page);
}
