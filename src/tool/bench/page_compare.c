/* Device against device. Rounds are not paired: no report says whether its devices were measured in turns. */
#include "bench/page_parts.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

/* Ratios of the contender at `index` to the first, in the order of the first's rows. */
typedef struct ratios {
    vkmm_interval *ratio; /* owned */
    uint32_t count, faster, slower;
} ratios;

static int collect(vkmm_page *page, uint32_t index, ratios *all)
{
    const vkmm_contender *base = &page->all.who[0], *other = &page->all.who[index];

    *all = (ratios){.ratio = vkmm_alloc(base->bench->row_count, sizeof *all->ratio)};
    if (all->ratio == NULL) {
        page->all.failed = 1;
        return 0;
    }
    for (uint32_t i = 0; i < base->bench->row_count; i++) {
        const vkmm_bench_row *row = &base->bench->rows[i], *match;
        vkmm_interval ratio;
        if (row->device != base->device || !vkmm_bench_is_timed(row)) continue;
        match = vkmm_bench_find(other->bench, other->device, row);
        if (match == NULL || !vkmm_bench_is_timed(match)) continue;
        ratio = vkmm_bench_ratio(row, match, 0);
        if (!isfinite(ratio.low)) continue; /* of one sample: no mean has it */
        all->ratio[all->count++] = ratio;
        all->faster += vkmm_interval_verdict(&ratio) > 0;
        all->slower += vkmm_interval_verdict(&ratio) < 0;
    }
    return 1;
}

/* "1.42× (1.40–1.44) ▲": the sign and a word for those who do not see it. */
static void ratio_cell(vkmm_page *page, const vkmm_interval *ratio)
{
    const int verdict = vkmm_interval_verdict(ratio);
    char middle[32], low[32], high[32];

    if (!isfinite(ratio->middle)) {
        vkmm_page_none(page);
        return;
    }
    vkmm_text_figure(middle, sizeof middle, ratio->middle);
    vkmm_text_figure(low, sizeof low, ratio->low);
    vkmm_text_figure(high, sizeof high, ratio->high);
    vkmm_build(&page->out, "<td class=\"n %s\"><strong>%s</strong>",
               verdict > 0   ? "faster"
               : verdict < 0 ? "slower"
                             : "same",
               middle);
    if (isfinite(ratio->low) && isfinite(ratio->high)) vkmm_build(&page->out, " (%s–%s)", low, high);
    vkmm_build(&page->out, " <span role=\"img\" aria-label=\"%s\">%s</span></td>",
               verdict > 0   ? "faster"
               : verdict < 0 ? "slower"
                             : "no clear difference",
               verdict > 0   ? "▲"
               : verdict < 0 ? "▼"
                             : "≈");
}

static void means(vkmm_page *page)
{
    static const char *const heads[] = {
        "Device", "|Mean ratio (95 % interval)", "|Rows compared", "|Faster", "|Slower", "|No clear difference", NULL};

    vkmm_page_table(page, 0, "Geometric mean of how many times as fast, against", page->all.who[0].label, heads);
    vkmm_page_table_body(page);
    for (uint32_t i = 1; i < page->all.who_count; i++) {
        ratios all;
        vkmm_interval mean;
        if (!collect(page, i, &all)) return;
        mean = vkmm_bench_mean(all.ratio, all.count);
        vkmm_page_row(page, page->all.who[i].label, 0);
        if (all.count > 0)
            ratio_cell(page, &mean);
        else
            vkmm_page_none(page);
        vkmm_build(&page->out,
                   "<td class=\"n\">%u</td><td class=\"n\">%u</td><td class=\"n\">%u</td><td class=\"n\">%u</td>",
                   all.count, all.faster, all.slower, all.count - all.faster - all.slower);
        vkmm_page_row_end(page);
        vkmm_free(all.ratio);
    }
    vkmm_page_table_end(page, 0);
}

static void each_row(vkmm_page *page)
{
    static const char *const heads[] = {"Product", "Type", "Kernel", NULL};
    const vkmm_contender *base = &page->all.who[0];

    vkmm_page_table(page, 1, "Row by row: GFLOP/s of the first, then how many times as fast the others are, against",
                    base->label, heads);
    for (uint32_t i = 0; i < page->all.who_count; i++) vkmm_page_head(page, page->all.who[i].label, 1);
    vkmm_page_table_body(page);
    for (uint32_t i = 0; i < base->bench->row_count; i++) {
        const vkmm_bench_row *row = &base->bench->rows[i];
        uint32_t found = 0;
        if (row->device != base->device || !vkmm_bench_is_timed(row)) continue;
        for (uint32_t j = 1; j < page->all.who_count; j++) {
            const vkmm_bench_row *match = vkmm_bench_find(page->all.who[j].bench, page->all.who[j].device, row);
            found += match != NULL && vkmm_bench_is_timed(match);
        }
        if (found == 0) continue;
        vkmm_page_product(page, row);
        vkmm_page_text(page, row->asked, "word");
        vkmm_page_figure(page, row->figures.gflops);
        for (uint32_t j = 1; j < page->all.who_count; j++) {
            const vkmm_bench_row *match = vkmm_bench_find(page->all.who[j].bench, page->all.who[j].device, row);
            vkmm_interval ratio = {NAN, NAN, NAN};
            if (match != NULL && vkmm_bench_is_timed(match)) ratio = vkmm_bench_ratio(row, match, 0);
            ratio_cell(page, &ratio);
        }
        vkmm_page_row_end(page);
    }
    vkmm_page_table_end(page, 1);
}

void vkmm_page_comparison(vkmm_page *page)
{
    if (page->all.who_count < 2) return;
    vkmm_page_section(page, "comparison", "Comparison",
                      "2 means: takes half the time. ▲ faster, ▼ slower, ≈ no clear difference: the 95 % interval "
                      "contains 1. Only rows that both have "
                      "count, for the same product, kernel and caches.");
    means(page);
    each_row(page);
    vkmm_page_end(page);
}
