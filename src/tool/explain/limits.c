/* `vkmatmul explain --limits`: which tiles of C a device allows for each kernel, and why it does not allow others. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "explain/explain.h"
#include "look/kernel.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "report/wrap.h"

enum { MOST_TILES = 48, TEXT_COLUMN = 12, TILE_TEXT = 32 };

typedef struct limit_tile {
    uint32_t sides[2];   /* rows and columns */
    int legal, preset;   /* preset: the kernel's default on this device */
    vkmm_tile_rule rule; /* that forbids it */
} limit_tile;

typedef struct limit_kernel {
    const char *name;
    limit_tile tile[MOST_TILES];
    uint32_t count;
} limit_kernel;

typedef struct limit_set {
    const vkmm_device_info *device;
    vkmm_type type;
    limit_kernel *kernels;
    uint32_t count;
} limit_set;

/* ---- finding out ---- */

/* Powers of two, and sides that people try: squares, then flat and tall ones. */
static const uint32_t usual[][2] = {{1, 1},    {2, 2},   {4, 4},   {8, 8},     {12, 12}, {16, 16}, {24, 24},
                                    {32, 32},  {48, 48}, {64, 64}, {128, 128}, {1, 32},  {1, 64},  {1, 256},
                                    {1, 1024}, {8, 16},  {8, 32},  {8, 128},   {16, 32}, {16, 64}, {32, 8},
                                    {32, 16},  {64, 1},  {64, 16}, {128, 8},   {1024, 1}};

static void add_tile(const limit_set *limits, limit_kernel *kernel, const uint32_t sides[2], const uint32_t preset[2])
{
    limit_tile *tile = &kernel->tile[kernel->count];

    for (uint32_t i = 0; i < kernel->count; i++)
        if (memcmp(kernel->tile[i].sides, sides, sizeof tile->sides) == 0) return;
    *tile = (limit_tile){.sides = {sides[0], sides[1]}, .preset = memcmp(sides, preset, sizeof tile->sides) == 0};
    tile->legal = vkmm_tile_check(limits->device, kernel->name, limits->type, sides[0], sides[1], &tile->rule);
    kernel->count++;
}

/* The tile that was asked for; or the usual ones, and the kernel's default. */
static void add_kernel(limit_set *limits, const char *name, const uint32_t wanted[2])
{
    limit_kernel *kernel = &limits->kernels[limits->count++];
    uint32_t preset[2] = {0, 0};

    kernel->name = name;
    vkmm_kernel_default_tile(limits->device, name, limits->type, preset);
    if (wanted[0] > 0) {
        add_tile(limits, kernel, wanted, preset);
        return;
    }
    for (size_t i = 0; i < VKMM_COUNT(usual); i++) add_tile(limits, kernel, usual[i], preset);
    if (preset[0] > 0) add_tile(limits, kernel, preset, preset);
}

/* ---- vkmatmul.limits/1 ---- */

CLI_KNOWN(is_forbidden, limit_tile, legal == 0)

#define RULE(member) CLI_AT(limit_tile, rule.member), .known = is_forbidden

#define RULE_KEY(kind, member) CLI_IN(kind, limit_tile, rule, member), .known = is_forbidden

static const cli_field tile_fields[] = {
    {"tile", CLI_FIELD_U32, CLI_ARRAY(limit_tile, sides, 2)},
    {CLI_KEY(TRUTH, limit_tile, legal)},
    {"default", CLI_FIELD_TRUTH, CLI_AT(limit_tile, preset)},
    {"rule", CLI_FIELD_STRING, RULE(limit_name)},
    {RULE_KEY(U64, need)},
    {RULE_KEY(U64, limit)},
    {RULE_KEY(STRING, unit)},
    {RULE_KEY(STRING, reason)},
};
static const vkmm_record tile_record = {NULL, CLI_FIELDS(tile_fields)};

static const cli_field kernel_fields[] = {
    {CLI_KEY(STRING, limit_kernel, name)},
    {"tiles", CLI_FIELD_RECORD, CLI_LIST(limit_kernel, tile, count), CLI_HERE, .record = &tile_record},
};
static const vkmm_record kernel_record = {NULL, CLI_FIELDS(kernel_fields)};

static const cli_field limits_fields[] = {
    {"limits", CLI_FIELD_RECORD, CLI_AT(limit_set, device), CLI_POINTER, .record = &cli_limits_record},
    {CLI_KEY(WORD, limit_set, type), .words = &cli_words_of_type},
    {"kernels", CLI_FIELD_RECORD, CLI_LIST(limit_set, kernels, count), .record = &kernel_record},
};
static const vkmm_record limits_record = {NULL, CLI_FIELDS(limits_fields)};

/* ---- for people ---- */

/* Same tiles, same verdicts with the same numbers; the defaults may differ. */
static int same_limits(const limit_kernel *a, const limit_kernel *b)
{
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++) {
        const limit_tile *x = &a->tile[i], *y = &b->tile[i];
        if (memcmp(x->sides, y->sides, sizeof x->sides) != 0 || x->legal != y->legal) return 0;
        if (!x->legal && (x->rule.need != y->rule.need || strcmp(x->rule.limit_name, y->rule.limit_name) != 0))
            return 0;
    }
    return a->count == b->count;
}

static const char *tile_text(const cli_report *report, char text[TILE_TEXT], const limit_tile *tile)
{
    snprintf(text, TILE_TEXT, report->utf8 ? "%u×%u" : "%ux%u", tile->sides[0], tile->sides[1]);
    return text;
}

/* "tiled, band-tiled f32", and the default of each. */
static void print_names(const cli_report *report, const limit_set *limits, const limit_kernel *first)
{
    char names[400] = "";

    for (const limit_kernel *kernel = first; kernel < limits->kernels + limits->count; kernel++) {
        char text[TILE_TEXT];
        if (!same_limits(kernel, first)) continue;
        VKMM_JOIN(names, ", ", "%s", kernel->name);
        for (uint32_t i = 0; i < kernel->count; i++)
            if (kernel->tile[i].preset)
                VKMM_JOIN(names, " ", "(default %s)", tile_text(report, text, &kernel->tile[i]));
    }
    putc('\n', report->out);
    VKMM_JOIN(names, " ", "%s", vkmm_type_of(limits->type)->name);
    cli_wrap(report, 0, names);
}

static void print_tiles(const cli_report *report, const limit_kernel *kernel)
{
    char text[TILE_TEXT], legal[MOST_TILES * TILE_TEXT] = "", *end = legal, why[200];

    for (uint32_t i = 0; i < kernel->count; i++)
        if (kernel->tile[i].legal) end += sprintf(end, "%s ", tile_text(report, text, &kernel->tile[i]));
    if (end > legal) {
        fprintf(report->out, "  %slegal%s     ", cli_paint_on(report, CLI_GOOD), cli_paint_off(report, CLI_GOOD));
        cli_wrap(report, TEXT_COLUMN, legal);
    }
    for (uint32_t i = 0; i < kernel->count; i++) {
        const vkmm_tile_rule *rule = &kernel->tile[i].rule;
        if (kernel->tile[i].legal) continue;
        tile_text(report, text, &kernel->tile[i]);
        fprintf(report->out, "  %s%*s", text, 10 - (int)cli_text_columns(text), "");
        VKMM_PUT(why, "%llu %s > %llu (%s)", (unsigned long long)rule->need, rule->unit,
                 (unsigned long long)rule->limit, rule->limit_name);
        cli_wrap(report, TEXT_COLUMN, why);
    }
}

/* Every rule that forbade a tile, once, with its reason. */
static void print_reasons(const cli_report *report, const limit_set *limits)
{
    const char *printed[16];
    unsigned count = 0;

    for (uint32_t i = 0; i < limits->count; i++)
        for (uint32_t j = 0; j < limits->kernels[i].count; j++) {
            const limit_tile *tile = &limits->kernels[i].tile[j];
            unsigned known = 0;
            if (tile->legal) continue;
            while (known < count && strcmp(printed[known], tile->rule.limit_name) != 0) known++;
            if (known < count || count == VKMM_COUNT(printed)) continue;
            fprintf(report->out, "\n%s\n%*s", tile->rule.limit_name, TEXT_COLUMN, "");
            cli_wrap(report, TEXT_COLUMN, tile->rule.reason);
            printed[count++] = tile->rule.limit_name;
        }
}

static void print_limits(cli_report *report, const limit_set *limits)
{
    if (report->rows++ == 0) {
        cli_print_device(report, limits->device, NULL);
        cli_report_say(report, 0, CLI_PLAIN, "Tiles of C in rows%scolumns, legal here or not, and why not.",
                       report->utf8 ? "×" : "x");
    } else {
        putc('\n', report->out);
    }
    for (uint32_t i = 0; i < limits->count; i++) {
        const limit_kernel *kernel = &limits->kernels[i];
        int shown = 0;
        for (uint32_t j = 0; j < i; j++) shown |= same_limits(kernel, &limits->kernels[j]);
        if (shown) continue;
        print_names(report, limits, kernel);
        print_tiles(report, kernel);
    }
    print_reasons(report, limits);
}

vkmm_status cli_explain_limits(cli_session *session, vkmm_type type)
{
    const vkmm_log *log = session->log;
    cli_report *report = &session->report;
    limit_set limits = {session->info, type, vkmm_alloc(CLI_MAX_EXPLAINED, sizeof *limits.kernels), 0};
    vkmm_status status = VKMM_OK;
    const char *name;

    if (limits.kernels == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for the limits"));
    while (limits.count < CLI_MAX_EXPLAINED && (name = cli_explained_kernel(session->options, limits.count)) != NULL)
        add_kernel(&limits, name, session->options->tile);
    if (session->options->json)
        status = cli_json_line(report, cli_json_document(report, "vkmatmul.limits/1", limits.device, NULL,
                                                         cli_record_json(&limits_record, &limits)));
    else
        print_limits(report, &limits);
    if (status == VKMM_OK) status = cli_report_flush(report, log);
    vkmm_free(limits.kernels);
    return status;
}
