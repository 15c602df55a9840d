/* `vkmatmul explain` for people: the same kernels under one another in three tables, then what is peculiar to each. */
#include <string.h>
#include "math/type.h"
#include "report/columns.h"
#include "explain/explain.h"
#include "report/text.h"

typedef struct title {
    const char *text;
    int width; /* negative: aligned to the left */
} title;

/* A cell of so many columns after a gap. */
static void put(const vkmm_report *report, int width, vkmm_paint paint, const char *text)
{
    int blank = (width < 0 ? -width : width) - (int)vkmm_text_columns(text);

    if (blank < 0) blank = 0;
    fprintf(report->out, "  %*s%s%s%s%*s", width > 0 ? blank : 0, "", vkmm_paint_on(report, paint), text,
            vkmm_paint_off(report, paint), width < 0 ? blank : 0, "");
}

static void put_titles(const vkmm_report *report, const title *titles, unsigned count)
{
    fprintf(report->out, "%s%-10s", vkmm_paint_on(report, VKMM_DIM), "kernel");
    for (unsigned i = 0; i < count; i++) put(report, titles[i].width, VKMM_PLAIN, titles[i].text);
    fprintf(report->out, "%s\n", vkmm_paint_off(report, VKMM_DIM));
}

/* By formula = as counted. */
static void twice(const vkmm_report *report, char text[64], vkmm_paint *paint, uint64_t formula, uint64_t least,
                  uint64_t most)
{
    unsigned long long f = formula, from = least, to = most;

    *paint = VKMM_PLAIN;
    if (formula == least && formula == most) {
        snprintf(text, 64, formula > 0 ? "%llu = %llu" : report->utf8 ? "–" : "-", f, from);
        return;
    }
    *paint = VKMM_BAD;
    snprintf(text, 64, least == most ? "%llu %s %llu" : "%llu %s %llu..%llu", f, report->utf8 ? "≠" : "!=", from, to);
}

static void put_twice(const vkmm_report *report, int width, uint64_t formula, uint64_t least, uint64_t most)
{
    char text[64];
    vkmm_paint paint;

    twice(report, text, &paint, formula, least, most);
    put(report, width, paint, text);
}

static void put_kernel(const vkmm_report *report, const vkmm_explained *kernel)
{
    char tile[32];

    snprintf(tile, sizeof tile, report->utf8 ? "%u×%u" : "%ux%u", kernel->info.tile[0], kernel->info.tile[1]);
    fprintf(report->out, "%-10s", kernel->info.name);
    put(report, -7, VKMM_PLAIN, tile);
}

static void heading(const vkmm_report *report, const char *text)
{
    fprintf(report->out, "\n%s%s%s\n", vkmm_paint_on(report, VKMM_STRONG), text, vkmm_paint_off(report, VKMM_STRONG));
}

static void print_reads(const vkmm_report *report, const vkmm_explanation *e)
{
    static const title titles[] = {
        {"tile", -7}, {"A global", 13}, {"A shared", 13}, {"B global", 13}, {"B shared", 13}};
    uint32_t stride = 1;

    heading(report, "Reads of each element: by formula = as counted on the device");
    put_titles(report, titles, 5);
    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        const vkmm_access *f = &kernel->formula, *c = &kernel->counted;
        if (kernel->skipped[0] != '\0') continue;
        put_kernel(report, kernel);
        put_twice(report, 13, f->a.global_min, c->a.global_min, c->a.global_max);
        put_twice(report, 13, f->a.shared_min, c->a.shared_min, c->a.shared_max);
        put_twice(report, 13, f->b.global_min, c->b.global_min, c->b.global_max);
        put_twice(report, 13, f->b.shared_min, c->b.shared_min, c->b.shared_max);
        if (!kernel->agree) put(report, 6, VKMM_BAD, "DIFFER");
        putc('\n', report->out);
        if (c->stride > stride) stride = c->stride;
    }
    if (stride > 1)
        fprintf(report->out, "Counted: a sample, for speed; one element in %u where it was thinnest.\n", stride);
}

static void print_invocations(const vkmm_report *report, const vkmm_explanation *e)
{
    static const title titles[] = {{"workgroup", -9},   {"groups", -8}, {"shared", 8},
                                   {"invocations", 19}, {"idle", 7},    {"padding", 7}};

    heading(report, "Invocations: one for each element of a tile of C, beyond C's edges too");
    put_titles(report, titles, 6);
    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        const vkmm_kernel_info *info = &kernel->info;
        char text[64];
        if (kernel->skipped[0] != '\0') continue;
        fprintf(report->out, "%-10s", info->name);
        snprintf(text, sizeof text, report->utf8 ? "%u×%u" : "%ux%u", info->workgroup[0], info->workgroup[1]);
        put(report, -9, VKMM_PLAIN, text);
        snprintf(text, sizeof text, report->utf8 ? "%u×%u" : "%ux%u", info->groups[0], info->groups[1]);
        put(report, -8, VKMM_PLAIN, text);
        vkmm_text_bytes(text, sizeof text, info->shared_bytes);
        if (info->shared_bytes == 0) snprintf(text, sizeof text, "%s", report->utf8 ? "–" : "-");
        put(report, 8, VKMM_PLAIN, text);
        put_twice(report, 19, kernel->formula.invocations, kernel->counted.invocations, kernel->counted.invocations);
        snprintf(text, sizeof text, "%.2f %%", 100 * vkmm_idle_share(&kernel->counted));
        put(report, 7, VKMM_PLAIN, text);
        snprintf(text, sizeof text, "%.2f %%", 100 * vkmm_padding_share(&e->problem, &kernel->counted));
        put(report, 7, VKMM_PLAIN, text);
        putc('\n', report->out);
    }
}

static void print_bounds(const vkmm_report *report, const vkmm_explanation *e)
{
    static const title titles[] = {{"read", 10},     {"written", 9},   {"FLOP/byte", 9},
                                   {"memory ms", 9}, {"arith. ms", 9}, {"bound by", -8}};

    heading(report, "What binds, if no cache helped: bytes at copy speed, multiply-adds at peak");
    put_titles(report, titles, 6);
    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        vkmm_bound bound = vkmm_bound_of(e, kernel);
        char text[64];
        if (kernel->skipped[0] != '\0') continue;
        fprintf(report->out, "%-10s", kernel->info.name);
        vkmm_text_bytes(text, sizeof text, kernel->counted.bytes_read);
        put(report, 10, VKMM_PLAIN, text);
        vkmm_text_bytes(text, sizeof text, kernel->counted.bytes_written);
        put(report, 9, VKMM_PLAIN, text);
        vkmm_text_figure(text, sizeof text, bound.intensity);
        put(report, 9, VKMM_PLAIN, text);
        vkmm_text_figure(text, sizeof text, bound.memory_ms);
        put(report, 9, VKMM_PLAIN, text);
        vkmm_text_figure(text, sizeof text, bound.arithmetic_ms);
        put(report, 9, VKMM_PLAIN, text);
        put(report, 0, VKMM_PLAIN, bound.name != NULL ? bound.name : "nothing");
        putc('\n', report->out);
    }
}

static uint64_t overhang(uint64_t extent, uint64_t side)
{
    return (side - extent % side) % side;
}

/* Who idles, where anyone does. */
static void print_edges(const vkmm_report *report, const vkmm_explanation *e)
{
    int printed = 0;

    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        const vkmm_kernel_info *info = &kernel->info;
        unsigned long long idle = kernel->counted.invocations - kernel->counted.useful, depth, cols, rows;
        if (kernel->skipped[0] != '\0' || kernel->counted.useful == 0) continue;
        cols = overhang(e->problem.n, info->tile[1]);
        rows = overhang(e->problem.m, info->tile[0]);
        depth = info->shared_bytes > 0 ? overhang(e->problem.k, info->spec_values[4]) : 0;
        if (idle == 0 && depth == 0) continue;
        if (!printed++) heading(report, "Ragged edges");
        fprintf(report->out, "%-10s  %llu invocations idle", info->name, idle);
        if (idle > 0 && info->workgroup[1] == 1 && info->tile[0] == 1)
            fprintf(report->out, ": the last ones of the last workgroup");
        else if (idle > 0)
            fprintf(report->out, ": the last %llu columns, the last %llu rows", cols, rows);
        if (depth > 0) fprintf(report->out, "\n%-10s  along K, the last step ends with %llu terms of zeros", "", depth);
        putc('\n', report->out);
    }
}

static void print_statistics(const vkmm_report *report, const vkmm_explanation *e)
{
    heading(report, "What the driver tells (VK_KHR_pipeline_executable_properties)");
    if (!e->device->has_statistics) {
        fprintf(report->out, "Nothing: this device does not have the extension.\n");
        return;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        size_t column = 10;
        if (kernel->skipped[0] != '\0') continue;
        fprintf(report->out, "%-10s", kernel->info.name);
        for (uint32_t j = 0; j < kernel->statistic_count; j++) {
            char name[VK_MAX_DESCRIPTION_SIZE], value[64];
            size_t length;
            vkmm_text_clean(name, sizeof name, kernel->statistic[j].name);
            vkmm_text_clean(value, sizeof value, kernel->statistic[j].value);
            length = vkmm_text_columns(name) + vkmm_text_columns(value) + 4;
            if (column > 10 && column + length > 80) {
                fprintf(report->out, "\n%*s", 10, "");
                column = 10;
            }
            fprintf(report->out, "  %s %s%s", name, value, j + 1 < kernel->statistic_count ? "," : "");
            column += length;
        }
        putc('\n', report->out);
    }
}

/* The tutorial that these counts come from divides 1024 by 16 and prints 16. */
static void print_slip(const vkmm_report *report, const vkmm_explanation *e)
{
    const vkmm_problem *p = &e->problem;

    for (uint32_t i = 0; i < e->count; i++) {
        const vkmm_explained *kernel = &e->kernels[i];
        if (kernel->skipped[0] != '\0' || kernel->info.shared_bytes == 0 || kernel->info.tile[0] != 16 ||
            kernel->info.tile[1] != 16)
            continue;
        if (p->m != 1024 || p->n != 1024 || p->k == 0) continue;
        fprintf(report->out, "The C++ AMP tutorial prints 16 global reads for 1024 and tile 16: a slip for 64.\n");
        return;
    }
}

vkmm_status vkmm_explain_table(vkmm_report *report, const vkmm_explanation *e)
{
    const char *type = vkmm_text_type(&e->problem, report->utf8);
    char size[80], copy[32], peak[32], balance[32];

    if (report->rows++ == 0)
        vkmm_print_device(report, e->device, NULL);
    else
        putc('\n', report->out);
    vkmm_text_size(size, sizeof size, &e->problem, report->utf8);
    vkmm_text_figure(copy, sizeof copy, e->peaks.copy_bytes_per_s * 1e-9);
    vkmm_text_figure(peak, sizeof peak, 2e-9 * e->peaks.multiply_adds_per_s);
    vkmm_text_figure(balance, sizeof balance, 2 * e->peaks.multiply_adds_per_s / e->peaks.copy_bytes_per_s);
    fprintf(report->out, "%s %s: copies %s GB/s, multiply-adds %s GFLOP/s, so %s FLOP/byte\n", size, type, copy, peak,
            balance);
    for (uint32_t i = 0; i < e->count; i++) {
        char reason[sizeof e->kernels[i].skipped];
        vkmm_text_clean(reason, sizeof reason, e->kernels[i].skipped);
        if (reason[0] != '\0') fprintf(report->out, "%s is left out: %s\n", e->kernels[i].info.name, reason);
    }
    print_reads(report, e);
    print_slip(report, e);
    print_invocations(report, e);
    print_edges(report, e);
    print_bounds(report, e);
    print_statistics(report, e);
    return VKMM_OK;
}
