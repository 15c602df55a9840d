/* `vkmatmul explain --limits` for people. */
#include <string.h>
#include "math/type.h"
#include "report/columns.h"
#include "explain/explain.h"
#include "report/text.h"

enum { LAST_COLUMN = 80, TEXT_COLUMN = 12 };

/* Same tiles, same verdicts by the same numbers; each kernel's default is told apart. */
static int same_limits(const vkmm_limit_kernel *a, const vkmm_limit_kernel *b)
{
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const vkmm_limit_tile *x = &a->tile[i], *y = &b->tile[i];
        if (x->rows != y->rows || x->cols != y->cols || x->legal != y->legal) return 0;
        if (!x->legal && (x->rule.need != y->rule.need || strcmp(x->rule.limit_name, y->rule.limit_name) != 0))
            return 0;
    }
    return 1;
}

static void tile_text(const vkmm_report *report, char text[32], const vkmm_limit_tile *tile)
{
    snprintf(text, 32, report->utf8 ? "%u×%u" : "%ux%u", tile->rows, tile->cols);
}

/* One word more on a line that breaks before the last column of a terminal. */
static void put_word(const vkmm_report *report, int *column, const char *word)
{
    int width = (int)vkmm_text_columns(word);

    if (*column > TEXT_COLUMN && *column + 1 + width > LAST_COLUMN) {
        fprintf(report->out, "\n%*s", TEXT_COLUMN, "");
        *column = TEXT_COLUMN;
    } else if (*column > TEXT_COLUMN) {
        putc(' ', report->out);
        (*column)++;
    }
    fputs(word, report->out);
    *column += width;
}

static void put_words(const vkmm_report *report, const char *text)
{
    int column = TEXT_COLUMN;

    while (*text != '\0') {
        char word[128];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        put_word(report, &column, word);
        text += length + (text[length] == ' ');
    }
    putc('\n', report->out);
}

static void print_legal(const vkmm_report *report, const vkmm_limit_kernel *kernel)
{
    int column = TEXT_COLUMN, any = 0;

    for (uint32_t i = 0; i < kernel->count; i++) {
        char text[32];
        if (!kernel->tile[i].legal) continue;
        if (!any++)
            fprintf(report->out, "  %slegal%s     ", vkmm_paint_on(report, VKMM_GOOD),
                    vkmm_paint_off(report, VKMM_GOOD));
        tile_text(report, text, &kernel->tile[i]);
        put_word(report, &column, text);
    }
    if (any) putc('\n', report->out);
}

static void print_forbidden(const vkmm_report *report, const vkmm_limit_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->count; i++) {
        const vkmm_tile_rule *rule = &kernel->tile[i].rule;
        char text[32];
        if (kernel->tile[i].legal) continue;
        tile_text(report, text, &kernel->tile[i]);
        fprintf(report->out, "  %s%*s%llu %s > %llu (%s)\n", text, 10 - (int)vkmm_text_columns(text), "",
                (unsigned long long)rule->need, rule->unit, (unsigned long long)rule->limit, rule->limit_name);
    }
}

/* "tiled, band-tiled (f32)", and what each takes by itself. */
static void print_names(const vkmm_report *report, const vkmm_limits *limits, uint32_t first)
{
    const vkmm_limit_kernel *kernels = limits->kernels;
    const char *separator = "";

    fprintf(report->out, "\n%s", vkmm_paint_on(report, VKMM_STRONG));
    for (uint32_t i = first; i < limits->count; i++) {
        if (!same_limits(&kernels[i], &kernels[first])) continue;
        fprintf(report->out, "%s%s", separator, kernels[i].name);
        for (uint32_t j = 0; j < kernels[i].count; j++) {
            char text[32];
            tile_text(report, text, &kernels[i].tile[j]);
            if (kernels[i].tile[j].preset) fprintf(report->out, " (default %s)", text);
        }
        separator = ", ";
    }
    fprintf(report->out, " %s%s\n", vkmm_type_of(limits->type)->name, vkmm_paint_off(report, VKMM_STRONG));
}

/* Every rule that forbade a tile, once, with its reason. */
static void print_reasons(const vkmm_report *report, const vkmm_limits *limits)
{
    const char *printed[16];
    unsigned count = 0;

    for (uint32_t i = 0; i < limits->count; i++)
        for (uint32_t j = 0; j < limits->kernels[i].count; j++) {
            const vkmm_limit_tile *tile = &limits->kernels[i].tile[j];
            unsigned known = 0;
            if (tile->legal) continue;
            while (known < count && strcmp(printed[known], tile->rule.limit_name) != 0) known++;
            if (known < count || count == sizeof printed / sizeof *printed) continue;
            fprintf(report->out, "\n%s\n%*s", tile->rule.limit_name, TEXT_COLUMN, "");
            put_words(report, tile->rule.reason);
            printed[count++] = tile->rule.limit_name;
        }
}

vkmm_status vkmm_limits_table(vkmm_report *report, const vkmm_limits *limits)
{
    if (report->rows++ == 0) {
        vkmm_print_device(report, limits->device, NULL);
        fprintf(report->out, "Tiles of C in rows%scolumns, legal here or not, and why not.\n",
                report->utf8 ? "×" : "x");
    } else {
        putc('\n', report->out);
    }
    for (uint32_t i = 0; i < limits->count; i++) {
        int shown = 0;
        for (uint32_t j = 0; j < i; j++) shown |= same_limits(&limits->kernels[i], &limits->kernels[j]);
        if (shown) continue;
        print_names(report, limits, i);
        print_legal(report, &limits->kernels[i]);
        print_forbidden(report, &limits->kernels[i]);
    }
    print_reasons(report, limits);
    return VKMM_OK;
}
