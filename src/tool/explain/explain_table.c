/* `vkmatmul explain` as text: three tables with a row per kernel, then details of some kernels; or how a general kernel
 * is planned. */
#include "explain/explain.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "math/method.h"
#include "report/columns.h"
#include "report/text.h"

enum { MOST_COLUMNS = 8, NAMES = 12, VALUES = 21 }; /* where texts begin beside names, and beside the keys of a plan */

/* ---- tables as data ---- */

typedef enum kind {
    NAME,    /* char[] */
    SIDES,   /* uint32_t[2]: rows×columns */
    TWICE,   /* cli_twice: by formula = as counted */
    BYTES,   /* uint64_t; */
    BYTES32, /* uint32_t */
    SHARE,   /* double: percent */
    FIGURE,  /* double */
} kind;

typedef struct table_column {
    const char *title;
    cli_place place;
    kind kind;
    size_t offset; /* in cli_explained */
} table_column;

#define AT(member) offsetof(cli_explained, member)

static const table_column reads_columns[] = {
    {"kernel", {10, 0}, NAME, AT(info.name)},   {"tile", {7, 0}, SIDES, AT(info.tile)},
    {"A global", {13, 1}, TWICE, AT(a.global)}, {"A shared", {13, 1}, TWICE, AT(a.shared)},
    {"B global", {13, 1}, TWICE, AT(b.global)}, {"B shared", {13, 1}, TWICE, AT(b.shared)},
};
static const table_column invocations_columns[] = {
    {"kernel", {10, 0}, NAME, AT(info.name)},
    {"workgroup", {9, 0}, SIDES, AT(info.workgroup)},
    {"groups", {8, 0}, SIDES, AT(info.groups)},
    {"shared", {9, 1}, BYTES32, AT(info.shared_bytes)},
    {"invocations", {18, 1}, TWICE, AT(invocations)},
    {"idle", {7, 1}, SHARE, AT(idle_share.counted)},
    {"padding", {7, 1}, SHARE, AT(padding_share.counted)},
};
static const table_column bounds_columns[] = {
    {"kernel", {10, 0}, NAME, AT(info.name)},
    {"read", {10, 1}, BYTES, AT(bytes_read.counted)},
    {"written", {9, 1}, BYTES, AT(bytes_written.counted)},
    {"FLOP/byte", {9, 1}, FIGURE, AT(flop_per_byte)},
    {"memory ms", {9, 1}, FIGURE, AT(memory_ms)},
    {"arith. ms", {9, 1}, FIGURE, AT(arithmetic_ms)},
    {"bound by", {8, 0}, NAME, AT(bound)},
};

static const table_column measured_columns[] = {
    {"kernel", {10, 0}, NAME, AT(info.name)},
    {"predicted ms", {12, 1}, FIGURE, AT(predicted_ms)},
    {"measured ms", {11, 1}, FIGURE, AT(measured_ms)},
};

static void fill_twice(const cli_report *report, cli_cell *cell, const cli_twice *twice)
{
    unsigned long long formula = twice->formula, least = twice->counted, most = twice->most;
    if (formula == least && formula == most) {
        cli_cell_put(cell, formula > 0 ? "%llu = %llu" : report->utf8 ? "–" : "-", formula, least);
        return;
    }
    cell->paint = CLI_BAD;
    cli_cell_put(cell, least == most ? "%llu %s %llu" : "%llu %s %llu..%llu", formula, report->utf8 ? "≠" : "!=", least,
                 most);
}

static void fill(const cli_report *report, const table_column *column, const cli_explained *kernel, cli_cell *cell)
{
    const void *at = (const char *)kernel + column->offset;
    const uint32_t *sides = at;
    const double *figure = at;
    uint64_t bytes;
    switch (column->kind) {
    case NAME:
        cli_cell_put(cell, "%s", (const char *)at);
        break;
    case SIDES:
        cli_cell_put(cell, report->utf8 ? "%u×%u" : "%ux%u", sides[0], sides[1]);
        break;
    case TWICE:
        fill_twice(report, cell, at);
        break;
    case BYTES:
    case BYTES32:
        bytes = column->kind == BYTES ? *(const uint64_t *)at : *sides;
        cli_text_bytes(cell->text, sizeof cell->text, bytes);
        if (bytes == 0) cli_cell_put(cell, "%s", report->utf8 ? "–" : "-");
        break;
    case SHARE:
        cli_cell_put(cell, "%.2f %%", 100 * *figure);
        break;
    case FIGURE:
        cli_cell_figure(report, cell, *figure);
        break;
    }
}

static void heading(const cli_report *report, const char *text)
{
    putc('\n', report->out);
    cli_report_say(report, 0, CLI_STRONG, "%s", text);
}

/* The titles, then a line for each kernel. */
static void print_table(const cli_report *report, const cli_explanation *e, const char *title,
                        const table_column *columns, unsigned count)
{
    cli_place places[MOST_COLUMNS];
    cli_cell cells[MOST_COLUMNS] = {0};
    heading(report, title);
    for (unsigned i = 0; i < count; i++) {
        places[i] = columns[i].place;
        cli_cell_put(&cells[i], "%s", columns[i].title);
    }
    cli_cells_titles(report, places, cells, count);
    for (uint32_t i = 0; i < e->count; i++) {
        memset(cells, 0, sizeof cells);
        for (unsigned j = 0; j < count; j++) fill(report, &columns[j], &e->kernels[i], &cells[j]);
        cli_cells_line(report, places, cells, count);
    }
}

#define PRINT_TABLE(report, explanation, title, columns) \
    print_table(report, explanation, title, columns, VKMM_COUNT(columns))

/* ---- details of some kernels ---- */

static void print_sample(const cli_report *report, const cli_explanation *e)
{
    uint32_t stride = 1;
    uint64_t k = e->problem.k;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->kernels[i].stride > stride) stride = e->kernels[i].stride;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->kernels[i].counted_k < k) k = e->kernels[i].counted_k;
    if (k < e->problem.k)
        cli_report_say(report, 0, CLI_PLAIN,
                       "Counted with K = %llu, for speed: all steps along K read alike. Totals are scaled to K = %llu.",
                       (unsigned long long)k, (unsigned long long)e->problem.k);
    if (stride > 1)
        cli_report_say(report, 0, CLI_PLAIN, "Counted on a sample, for speed: at least one element in %u.", stride);
}

static unsigned long long overhang(uint64_t extent, uint64_t side)
{
    return (side - extent % side) % side;
}

/* Which invocations idle, if any. */
static void print_edges(const cli_report *report, const cli_explanation *e)
{
    int printed = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const cli_explained *kernel = &e->kernels[i];
        const vkmm_kernel_info *info = &kernel->info;
        const unsigned long long idle = kernel->idle.counted,
                                 depth = info->shared_bytes > 0 ? overhang(e->problem.k, info->spec_values[4]) : 0;
        if (idle == kernel->invocations.counted || (idle == 0 && depth == 0)) continue;
        if (!printed++) heading(report, "Ragged edges");
        fprintf(report->out, "%-10s  %llu invocations idle", info->name, idle);
        if (idle > 0 && info->workgroup[1] == 1 && info->tile[0] == 1)
            fprintf(report->out, ": the last ones of the last workgroup");
        else if (idle > 0)
            fprintf(report->out, ": the last %llu columns, the last %llu rows", overhang(e->problem.n, info->tile[1]),
                    overhang(e->problem.m, info->tile[0]));
        if (depth > 0) fprintf(report->out, "\n%-10s  along K, the last step ends with %llu terms of zeros", "", depth);
        putc('\n', report->out);
    }
}

/* All that the driver reports, indented. */
static void print_statistics(const cli_report *report, const cli_explained *kernel, int indent)
{
    char text[CLI_MAX_STATISTICS * (VK_MAX_DESCRIPTION_SIZE + 64)] = "", *end = text;
    for (uint32_t i = 0; i < kernel->statistic_count; i++) {
        char name[VK_MAX_DESCRIPTION_SIZE], value[48];
        VKMM_CLEAN(name, kernel->statistic[i].name);
        VKMM_CLEAN(value, kernel->statistic[i].value);
        end += sprintf(end, "%s%s %s", i > 0 ? ", " : "", name, value);
    }
    cli_wrap(report, indent, text);
}

/* As in the ladder: each resource at the device's peak, on a processor without times. */
static void print_limits(const cli_report *report, const cli_forecast *f)
{
    char title[80];
    if (f->limiter == NULL) return;
    if (isnan(f->predicted_ms)) {
        VKMM_PUT(title, "What limits it, from what its workgroups do: %s", f->limiter);
        heading(report, title);
        cli_wrap(report, 0,
                 "Predicted times would be far too low on a processor, where the driver does in software what they "
                 "assume of a GPU's hardware.");
        return;
    }
    heading(report, "What limits it, from what its workgroups do: milliseconds at the device's peaks");
    cli_report_say(
        report, 0, CLI_PLAIN,
        "DRAM bytes %s, L2 bytes %s, L1 lines %s, shared memory %s, instructions %s, latency %s; so %s: %s ms",
        CLI_FIGURE(f->resource_ms.dram), CLI_FIGURE(f->resource_ms.l2), CLI_FIGURE(f->resource_ms.l1),
        CLI_FIGURE(f->resource_ms.shared), CLI_FIGURE(f->resource_ms.instructions), CLI_FIGURE(f->resource_ms.latency),
        f->limiter, CLI_FIGURE(f->predicted_ms));
}

static void print_counts(const cli_report *report, const cli_explanation *e)
{
    char size[80], text[320];
    cli_text_size(size, sizeof size, &e->problem, report->utf8);
    VKMM_PUT(text,
             "%s %s: copies %s GB/s (median %.0f %% lower), multiply-adds %s GFLOP/s (median %.0f %% lower), so %s "
             "FLOP/byte",
             size, cli_text_type(&e->problem, report->utf8), CLI_FIGURE(e->peaks.copy_bytes_per_s * 1e-9),
             100 * e->peaks.copy_spread, CLI_FIGURE(2e-9 * e->peaks.multiply_adds_per_s),
             100 * e->peaks.multiply_adds_spread, CLI_FIGURE(e->balance));
    cli_wrap(report, 0, text);
    if (e->seen[0] != '\0')
        cli_report_say(report, 0, CLI_PLAIN, "The peak is the speed of %s, which is above the measured peak.", e->seen);
    for (uint32_t i = 0; i < e->left_out_count; i++)
        cli_report_say(report, 0, CLI_PLAIN, "%s is left out: %s", e->left_out[i].name, e->left_out[i].reason);
    PRINT_TABLE(report, e, "Reads of each element: by formula = as counted on the device", reads_columns);
    print_sample(report, e);
    PRINT_TABLE(report, e, "Invocations: one for each element of a tile of C, even beyond C's edges",
                invocations_columns);
    print_edges(report, e);
    PRINT_TABLE(report, e, "What binds, assuming no caches: bytes at copy speed, multiply-adds at peak",
                bounds_columns);
    if (e->why[0] != '\0') {
        PRINT_TABLE(report, e, "Measured, next to the longer of the two", measured_columns);
        cli_wrap(report, 0, e->why);
    }
    print_limits(report, &e->kernels[0].limits);
    heading(report, "What the driver reports (VK_KHR_pipeline_executable_properties)");
    if (!e->device->features.statistics) fprintf(report->out, "Nothing: this device does not have the extension.\n");
    for (uint32_t i = 0; i < e->count && e->device->features.statistics; i++) {
        fprintf(report->out, "%-*s", NAMES, e->kernels[i].info.name);
        print_statistics(report, &e->kernels[i], NAMES);
    }
}

/* ---- a plan ---- */

static void put_key(const cli_report *report, const char *key)
{
    fprintf(report->out, "  %s%-17s%s  ", CLI_PAINTED(report, CLI_DIM, key));
}

VKMM_PRINTF(3, 4)
static void put_line(const cli_report *report, const char *key, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_key(report, key);
    cli_wrap(report, VALUES, text);
}

static void put_operations(const cli_report *report, const vkmm_kernel_info *info)
{
    const char *times = report->utf8 ? "×" : "x";
    if (info->matrix[0] > 0)
        put_line(report, "made of", "matrices of %u%s%u%s%u", info->matrix[0], times, info->matrix[1], times,
                 info->matrix[2]);
    else
        put_line(report, "made of", "%s",
                 info->uses_matrices ? "matrices of flexible dimensions"
                 : info->uses_dot8   ? "dot products of four bytes"
                                     : "ordinary multiplications and additions");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_workgroup(const cli_report *report, const cli_explained *plan)
{
    const vkmm_kernel_info *info = &plan->info;
    const uint32_t invocations = info->workgroup[0] * info->workgroup[1];
    if (plan->subgroups > 0)
        put_line(report, "workgroup", "%u invocations, %u subgroup%s of %u", invocations, plan->subgroups,
                 plural(plan->subgroups), info->subgroup_size);
    else
        put_line(report, "workgroup", "%u invocations, in subgroups of a size that the driver chooses", invocations);
    put_line(report, "work", "%llu item%s of work, %u part%s of K, for %u workgroup%s", (unsigned long long)info->items,
             plural(info->items), info->splits, plural(info->splits), info->groups[0], plural(info->groups[0]));
    if (info->whole_rows > 0)
        put_line(report, "", "the first %u rows of C have all of K, so that whole rounds of tiles precede the parts",
                 info->whole_rows);
    put_line(report, "sums", "%.4g registers of 32 bits per invocation", plan->sum_registers);
    put_line(report, "shared memory", info->shared_bytes > 0 ? "%s a workgroup" : "none",
             CLI_BYTES(info->shared_bytes));
    put_line(report, "memory reads", "%.4g bytes per multiply-add, so %.4g FLOP/byte, assuming no caches",
             plan->bytes_per_multiply_add, plan->flop_per_byte);
}

static void put_pass(const cli_report *report, const cli_explained_pass *pass)
{
    char name[32], written[48] = "", work[48] = "", measured[64] = "";
    if (pass->written > 0) VKMM_PUT(written, ", writes %s", CLI_BYTES(pass->written));
    if (pass->multiply_adds > 0) VKMM_PUT(work, ", %.4g multiply-adds", (double)pass->multiply_adds);
    VKMM_PUT(name, "pass: %s", pass->name);
    if (pass->measured_ms >= 0)
        VKMM_PUT(measured, "; measured %s ms, %.0f %%", CLI_FIGURE(pass->measured_ms), 100 * pass->measured_share);
    put_line(report, name, "reads %s%s%s: %s ms, %.0f %%%s", CLI_BYTES(pass->read), written, work, CLI_FIGURE(pass->ms),
             100 * pass->share, measured);
}

/* How a product is made that is not multiplied directly, and whether that is worth while here. */
static void put_passes(const cli_report *report, const vkmm_problem *problem, const cli_explained *plan)
{
    const char *own = vkmm_type_of(problem->type)->name;
    const vkmm_method_info *method = vkmm_method_at(problem->method);
    uint32_t products;
    const vkmm_types inner = vkmm_problem_inner(problem, &plan->info, &products);
    if (plan->pass_count == 0) return;
    const int loses = strcmp(plan->faster, "direct") == 0;
    put_line(report, "products", "%u of %s in %s, summed in %s%s", products, method->pieces,
             vkmm_type_of(inner.in)->name, vkmm_type_of(inner.compute)->name, method->of);
    for (uint32_t i = 0; i < plan->pass_count; i++) put_pass(report, &plan->passes[i]);
    put_line(report, "altogether", "%s ms, at the device's peaks: copies %s GB/s, such products %s %s",
             CLI_FIGURE(plan->predicted_ms), CLI_FIGURE(plan->copy_bytes_per_s * 1e-9),
             CLI_FIGURE(2e-9 * plan->inner_per_s), vkmm_type_of(inner.in)->is_float ? "GFLOP/s" : "GOP/s");
    if (plan->not_measured[0] != '\0')
        put_line(report, "measured", "nothing: %s", plan->not_measured);
    else
        put_line(report, "measured", "%s ms, the fastest of some runs", CLI_FIGURE(plan->measured_ms));
    put_line(report, "limit", "%s GFLOP/s, one part in %u of that",
             CLI_FIGURE(2e-9 * plan->inner_per_s / plan->products), plan->products);
    if (plan->direct_per_s > 0)
        put_line(report, "in comparison", "%s itself: %s ms, at %s GFLOP/s. By these peaks, %s is faster here", own,
                 CLI_FIGURE(plan->direct_ms), CLI_FIGURE(2e-9 * plan->direct_per_s), loses ? own : method->name);
    else
        put_line(report, "in comparison", "none: the device has no peak of %s", own);
}

static void print_plan(const cli_report *report, const cli_explanation *e)
{
    const cli_explained *plan = e->kernels;
    const vkmm_kernel_info *info = &plan->info;
    char config[2 * VKMM_CONFIG_TEXT];
    size_t used = 0;
    fprintf(report->out, "%s %s: %s, tiles of %u%s%u%s\n", CLI_NAME(&e->problem, report->utf8),
            cli_text_type(&e->problem, report->utf8), info->name, info->tile[0], report->utf8 ? "×" : "x",
            info->tile[1], info->tuned ? ", tuned" : "");
    put_operations(report, info);
    put_workgroup(report, plan);
    for (const char *c = info->config; *c != '\0'; c++) { /* lines break after a comma */
        config[used++] = *c;
        if (*c == ',') config[used++] = ' ';
    }
    config[used] = '\0';
    put_key(report, "configuration");
    cli_wrap(report, VALUES, config);
    put_passes(report, &e->problem, plan);
    if (plan->statistic_count > 0) {
        put_key(report, "driver reports");
        print_statistics(report, plan, VALUES);
    }
    print_limits(report, &plan->limits);
}

vkmm_status cli_explain_table(cli_report *report, const cli_explanation *explanation)
{
    if (report->rows++ == 0)
        cli_print_device(report, explanation->device, NULL);
    else
        putc('\n', report->out);
    (explanation->planned ? print_plan : print_counts)(report, explanation);
    return VKMM_OK;
}
