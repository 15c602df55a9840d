#include "bench/page_parts.h"

#include "base/alloc.h"
#include "report_page_parts.h" /* made by page/embed.py: the page before and after its content */

#include <math.h>
#include <stdio.h>
#include <string.h>

void vkmm_page_section(vkmm_page *page, const char *id, const char *title, const char *lead)
{
    vkmm_build(&page->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id, id,
               id, title);
    if (lead != NULL) vkmm_build(&page->out, "<p class=\"lead\">%s</p>\n", lead);
}

void vkmm_page_end(vkmm_page *page)
{
    vkmm_build_text(&page->out, "</section>\n");
}

static void figure(vkmm_page *page, const vkmm_chart *chart, uint32_t number)
{
    vkmm_builder *out = &page->out;
    char prefix[16];
    char *drawing;

    snprintf(prefix, sizeof prefix, "c%u", number);
    drawing = vkmm_chart_clean(chart->svg, prefix, chart->title, 0);
    if (drawing == NULL) return;
    vkmm_build_text(out, "<figure><figcaption><strong>");
    vkmm_build_html(out, chart->title);
    vkmm_build_text(out, "</strong><span>");
    vkmm_build_html(out, chart->summary);
    vkmm_build(
        out, "</span></figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s-name\">",
        prefix);
    vkmm_build_text(out, drawing);
    vkmm_build(out, "</div><span id=\"%s-name\" hidden>Chart: ", prefix);
    vkmm_build_html(out, chart->title);
    vkmm_build_text(out, "</span></figure>\n");
    vkmm_free(drawing);
}

uint32_t vkmm_page_charts(vkmm_page *page, const char *beginning)
{
    uint32_t count = 0, drawn = 0;

    for (uint32_t i = 0; page->charts != NULL && i < page->charts->count; i++) {
        const vkmm_chart *chart = &page->charts->chart[i];
        if (strncmp(chart->name, beginning, strlen(beginning)) != 0) continue;
        count++;
        if (chart->svg == NULL) continue;
        if (drawn++ == 0) vkmm_build_text(&page->out, "<div class=\"charts\">\n");
        figure(page, chart, i);
    }
    if (drawn > 0) vkmm_build_text(&page->out, "</div>\n");
    return count;
}

/* ---- tables ---- */

void vkmm_page_head(vkmm_page *page, const char *text, int is_figure)
{
    vkmm_build(&page->out, "<th scope=\"col\"%s>", is_figure ? " class=\"n\"" : "");
    vkmm_build_html(&page->out, text);
    vkmm_build_text(&page->out, "</th>");
}

static void name_table(vkmm_builder *out, const char *caption, const char *about)
{
    vkmm_build_text(out, caption);
    if (about != NULL) {
        vkmm_build_text(out, ": ");
        vkmm_build_html(out, about);
    }
}

void vkmm_page_table(vkmm_page *page, int fold, const char *caption, const char *about, const char *const *heads)
{
    vkmm_builder *out = &page->out;

    if (fold) {
        vkmm_build_text(out, "<details><summary>");
        name_table(out, caption, about);
        vkmm_build_text(out, "</summary>\n");
    }
    vkmm_build_text(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    name_table(out, caption, about);
    vkmm_build_text(out, "\"><table><caption>");
    name_table(out, caption, about);
    vkmm_build_text(out, "</caption>\n<thead><tr>");
    for (; *heads != NULL; heads++) vkmm_page_head(page, **heads == '|' ? *heads + 1 : *heads, **heads == '|');
}

void vkmm_page_table_body(vkmm_page *page)
{
    vkmm_build_text(&page->out, "</tr></thead>\n<tbody>\n");
}

void vkmm_page_table_end(vkmm_page *page, int fold)
{
    vkmm_build(&page->out, "</tbody></table></div>%s\n", fold ? "</details>" : "");
}

void vkmm_page_row(vkmm_page *page, const char *text, int is_figure)
{
    vkmm_build(&page->out, "<tr><th scope=\"row\"%s>", is_figure ? " class=\"n\"" : " class=\"name\"");
    vkmm_build_html(&page->out, text);
    vkmm_build_text(&page->out, "</th>");
}

void vkmm_page_row_end(vkmm_page *page)
{
    vkmm_build_text(&page->out, "</tr>\n");
}

void vkmm_page_none(vkmm_page *page)
{
    vkmm_build_text(&page->out, "<td class=\"n none\">–</td>");
}

void vkmm_page_text(vkmm_page *page, const char *text, const char *kind)
{
    if (text[0] == '\0') {
        vkmm_page_none(page);
        return;
    }
    vkmm_build(&page->out, "<td class=\"%s\">", kind);
    vkmm_build_html(&page->out, text);
    vkmm_build_text(&page->out, "</td>");
}

void vkmm_page_figure(vkmm_page *page, double value)
{
    char text[64] = "";

    if (isfinite(value)) vkmm_text_figure(text, sizeof text, value);
    vkmm_page_text(page, text, "n");
}

void vkmm_page_percent(vkmm_page *page, double share)
{
    char text[64] = "";

    if (isfinite(share)) snprintf(text, sizeof text, "%.3g %%", 100 * share);
    vkmm_page_text(page, text, "n");
}

void vkmm_page_fact(vkmm_page *page, const char *term, const char *value)
{
    if (value == NULL || value[0] == '\0') return;
    vkmm_build(&page->out, "<dt>%s</dt><dd>", term);
    vkmm_build_html(&page->out, value);
    vkmm_build_text(&page->out, "</dd>\n");
}

const char *vkmm_page_report_name(const vkmm_bench *bench)
{
    return bench->name[0] != '\0' ? bench->name : "this run";
}

/* ---- the page ---- */

static void header(vkmm_page *page)
{
    static const char *const links[][2] = {
        {"summary", "Summary"},     {"comparison", "Comparison"}, {"speed", "Speed over size"},
        {"share", "Share of peak"}, {"ladder", "The ladder"},     {"roofline", "Roofline"},
        {"tiles", "Tiles"},         {"cliffs", "Cliffs"},         {"errors", "Error beside speed"},
        {"rows", "All rows"},       {"not-run", "Not run"},       {"runs", "About the runs"}};
    const char *content = page->out.text;
    vkmm_builder head = {0};
    const uint32_t reports = page->all.bench_count;
    uint32_t devices = 0;

    for (uint32_t i = 0; i < reports; i++) devices += page->all.benches[i].device_count;
    vkmm_build_bytes(&head, (const char *)vkmm_report_head, sizeof vkmm_report_head);
    vkmm_build_text(
        &head,
        "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header>\n<h1>Matrix products, measured</h1>\n<p>");
    if (devices > 0) vkmm_build(&head, "%u device%s in ", devices, devices == 1 ? "" : "s");
    vkmm_build(
        &head,
        "%u report%s, as vkmatmul %s reads %s. Every speed belongs to a product that was verified.</p>\n</header>\n",
        reports, reports == 1 ? "" : "s", page->report->version, reports == 1 ? "it" : "them");
    vkmm_build_text(&head, "<nav aria-label=\"Sections\"><ul>\n");
    for (size_t i = 0; i < sizeof links / sizeof *links && content != NULL; i++) {
        char id[64];
        snprintf(id, sizeof id, "<section id=\"%s\"", links[i][0]);
        if (strstr(content, id) != NULL)
            vkmm_build(&head, "<li><a href=\"#%s\">%s</a></li>\n", links[i][0], links[i][1]);
    }
    vkmm_build_text(&head, "</ul></nav>\n<main id=\"main\" tabindex=\"-1\">\n");
    if (content != NULL) vkmm_build_bytes(&head, content, page->out.used);
    head.failed |= page->out.failed;
    vkmm_build_free(&page->out);
    page->out = head;
}

static void footer(vkmm_page *page)
{
    vkmm_build(&page->out, "</main>\n<footer><p>Made by vkmatmul %s with <code>", page->report->version);
    vkmm_build_html(&page->out, page->report->command != NULL ? page->report->command : "vkmatmul report");
    vkmm_build_text(&page->out, "</code>. This page is one file and loads nothing.</p></footer>\n");
    vkmm_build_bytes(&page->out, (const char *)vkmm_report_tail, sizeof vkmm_report_tail);
}

vkmm_status vkmm_bench_page(const vkmm_report *report, const vkmm_bench *benches, uint32_t count,
                            const vkmm_charts *charts, const char *no_charts, char **page, size_t *bytes)
{
    vkmm_page p = {
        .report = report, .all = {.benches = benches, .bench_count = count}, .charts = charts, .no_charts = no_charts};
    vkmm_contender *who = vkmm_chart_start(&p.all);

    vkmm_page_summary(&p);
    vkmm_page_comparison(&p);
    vkmm_page_speed(&p);
    vkmm_page_share(&p);
    vkmm_page_ladder(&p);
    vkmm_page_roofline(&p);
    vkmm_page_tiles(&p);
    vkmm_page_cliffs(&p);
    vkmm_page_errors(&p);
    vkmm_page_rows(&p);
    vkmm_page_not_run(&p);
    vkmm_page_runs(&p);
    header(&p);
    footer(&p);
    if (p.all.failed) p.out.failed = 1;
    vkmm_free(who);
    *page = vkmm_build_take(&p.out, bytes);
    return *page != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}
