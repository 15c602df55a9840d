#include "options/values.h"

#include "base/log.h"
#include "options/number.h"
#include "math/type.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SEED       ((UINT64_C(1) << 53) - 1) /* what every JSON reader keeps exactly */
#define MOST_ITERATIONS    1000000
#define LONGEST_TIME_MS    86400000.0 /* a day */
#define SHORTEST_BUDGET_MS 100

vkmm_status cli_parse_text(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    char name[32];

    cli_option_name(option, name);
    if (text[0] == '\0')
        return vkmm_fail(log, VKMM_INVALID, "%s needs a %s, not an empty text", name, option->argument);
    *(const char **)field = text;
    return VKMM_OK;
}

/* The names are the library's, which knows the kernel. */
vkmm_status cli_parse_config(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    if (strchr(text, '=') == NULL)
        return vkmm_fail(log, VKMM_INVALID, "--%s takes tunables as rows=64,cols=64, not '%.60s'", option->name, text);
    *(const char **)field = text;
    return VKMM_OK;
}

vkmm_status cli_parse_sizes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_sizes *sizes = field;

    (void)option;
    cli_sizes_free(sizes); /* the last --size counts */
    return cli_sizes_parse(log, text, sizes);
}

vkmm_status cli_parse_matrices(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_sizes *sizes = field;

    (void)option;
    cli_sizes_free(sizes);
    return cli_matrices_parse(log, text, sizes);
}

/* One whole number between two limits, and nothing after it. */
static vkmm_status parse_whole(const vkmm_log *log, const cli_option *option, const char *text, uint64_t least,
                               uint64_t most, void *field)
{
    cli_number *number = field;
    const char *at = text;
    uint64_t value = 0;
    char name[32];

    if (cli_read_number(&at, &value) == 1 && *at == '\0' && value >= least && value <= most) {
        *number = (cli_number){1, value};
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes a whole number from %llu to %llu, not '%.60s'", name,
                     (unsigned long long)least, (unsigned long long)most, text);
}

vkmm_status cli_parse_extent(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 0, CLI_MAX_EXTENT, field);
}

vkmm_status cli_parse_seed(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 0, LARGEST_SEED, field);
}

vkmm_status cli_parse_iters(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 1, MOST_ITERATIONS, field);
}

vkmm_status cli_parse_count(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 0, MOST_ITERATIONS, field);
}

vkmm_status cli_parse_ld(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 1, INT64_MAX, field);
}

vkmm_status cli_parse_elements(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 0, INT64_MAX, field);
}

vkmm_status cli_parse_batch(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    return parse_whole(log, option, text, 1, UINT32_MAX, field);
}

vkmm_status cli_parse_tile(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    uint32_t *tile = field;
    const char *at = text;
    uint64_t rows = 0, cols = 0;
    char name[32];
    int read = cli_read_number(&at, &rows);

    cols = rows;
    if (read == 1 && cli_read_times(&at)) read = cli_read_number(&at, &cols);
    if (read == 1 && *at == '\0' && rows >= 1 && cols >= 1 && rows <= UINT32_MAX && cols <= UINT32_MAX) {
        tile[0] = (uint32_t)rows;
        tile[1] = (uint32_t)cols;
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes T or RxC, each from 1 to %u, not '%.60s'", name, UINT32_MAX, text);
}

vkmm_status cli_parse_at(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_at *element = field;
    const char *at = text;
    uint64_t row = 0, col = 0;
    char name[32];
    int read = cli_read_number(&at, &row);

    if (read == 1) read = *at == ',' ? (at++, cli_read_number(&at, &col)) : 0;
    if (read == 1 && *at == '\0' && row < CLI_MAX_EXTENT && col < CLI_MAX_EXTENT) {
        *element = (cli_at){1, row, col};
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes ROW,COL, an element of C counted from 0, not '%.60s'", name, text);
}

/* Moves past digits with at most one point among them: 1, or 0 where there is no digit. */
static int skip_decimal(const char **text)
{
    size_t whole = strspn(*text, "0123456789"), part = 0;

    *text += whole;
    if (**text == '.') {
        part = strspn(*text + 1, "0123456789");
        *text += 1 + part;
    }
    return whole + part > 0;
}

typedef struct unit {
    const char *name;
    double factor;
} unit;

/* A decimal number and one of the units; negative when the text is none. strtod alone would take signs, spaces,
 * hexadecimals and "inf" as well. */
static double read_amount(const char *text, const unit *units, size_t count)
{
    const char *name = text;

    if (strlen(text) >= 40 || !skip_decimal(&name)) return -1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, units[i].name) == 0) return strtod(text, NULL) * units[i].factor;
    return -1;
}

vkmm_status cli_parse_time(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    static const unit units[] = {{"", 1}, {"ms", 1}, {"s", 1000}};
    const double value = read_amount(text, units, sizeof units / sizeof *units);
    char name[32];

    if (value > 0 && value <= LONGEST_TIME_MS) {
        *(double *)field = value;
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes milliseconds (or 0.5s) above 0 and up to a day (86400s), not '%.60s'",
                     name, text);
}

/* A unit is needed: nobody is to wait a minute where a millisecond was meant, nor the other way round. */
vkmm_status cli_parse_budget(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    static const unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};
    const double value = read_amount(text, units, sizeof units / sizeof *units);
    char name[32];

    if (value >= SHORTEST_BUDGET_MS && value <= LONGEST_TIME_MS) {
        *(double *)field = value;
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID,
                     "%s takes a time with its unit, as 500ms, 60s or 2m, from %d ms up to a day (24h), not '%.60s'",
                     name, SHORTEST_BUDGET_MS, text);
}

vkmm_status cli_parse_bytes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    static const unit units[] = {{"", 1},         {"B", 1},        {"kB", 1e3},    {"KB", 1e3},
                                 {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10},
                                 {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    const double bytes = floor(read_amount(text, units, sizeof units / sizeof *units));
    char name[32];

    if (bytes >= 1 && bytes < 0x1p63) {
        *(cli_number *)field = (cli_number){1, (uint64_t)bytes};
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID,
                     "%s takes bytes from 1 up to 8388607 TiB, as 64MiB, 1.5GiB, 256MB or 1000000 (units: B, kB, MB, "
                     "GB, TB, KiB, MiB, GiB, TiB), not '%.60s'",
                     name, text);
}

vkmm_status cli_parse_mebibytes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    static const unit units[] = {{"", 1 << 20}};
    const double bytes = floor(read_amount(text, units, 1));

    if (bytes >= 0x1p20 && bytes <= 0x1p40) {
        *(double *)field = bytes;
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes MiB from 1 to 1048576, not '%.60s'", option->name, text);
}

/* "5%", "5" and "0.5%" as shares; negative when it is none. */
static double read_percent(const char *text)
{
    static const unit units[] = {{"", 1}, {"%", 1}};

    return read_amount(text, units, sizeof units / sizeof *units) / 100;
}

vkmm_status cli_parse_share(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    double share = read_percent(text);

    if (share > 0 && share < 1) {
        *(double *)field = share;
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage above 0 and below 100, as 5%% or 0.5%%, not '%.60s'",
                     option->name, text);
}

vkmm_status cli_parse_regression(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    double share = read_percent(text);

    if (share >= 0 && share < 1) {
        *(cli_scalar *)field = (cli_scalar){1, share};
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage from 0 to below 100, as 5%%, not '%.60s'",
                     option->name, text);
}

/* A sign, digits with at most one point, an exponent. strtod would take spaces, hexadecimals and "inf" as well. */
vkmm_status cli_parse_scalar(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    const char *at = text + strspn(text, "+-"), *exponent;
    char name[32];
    int well = at - text <= 1 && skip_decimal(&at);

    if (well && (*at == 'e' || *at == 'E')) {
        exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        at = exponent + strspn(exponent, "0123456789");
        well = at > exponent;
    }
    cli_option_name(option, name);
    if (!well || *at != '\0') return vkmm_fail(log, VKMM_INVALID, "%s takes a decimal number, not '%.60s'", name, text);
    *(cli_scalar *)field = (cli_scalar){1, strtod(text, NULL)};
    if (isfinite(((cli_scalar *)field)->value)) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID, "%s takes a decimal number up to %g, not '%.60s'", name, DBL_MAX, text);
}

/* rocBLAS's C, the conjugate transpose: of real matrices it is the transpose. */
vkmm_status cli_parse_op(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    char name[32];

    if (text[0] != '\0' && text[1] == '\0' && strchr("NnTtCc", text[0]) != NULL) {
        *(int *)field = text[0] == 'N' || text[0] == 'n' ? VKMM_OP_N : VKMM_OP_T;
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes N or T (or C, which is T for real matrices), not '%.60s'", name,
                     text);
}

vkmm_status cli_unknown_word(const vkmm_log *log, const cli_option *option, const char *text)
{
    const char *near = cli_suggest(text, option->choice);
    char name[32], known[256];

    cli_option_name(option, name);
    cli_join_words(option->choice, known, sizeof known);
    if (near != NULL)
        return vkmm_fail(log, VKMM_INVALID, "%s: '%.60s' is unknown; did you mean '%s'? Known: %s", name, text, near,
                         known);
    return vkmm_fail(log, VKMM_INVALID, "%s: '%.60s' is unknown; known: %s", name, text, known);
}

vkmm_status cli_parse_types(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_types *types = field, read = {0, {VKMM_F32}};

    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        char word[64];
        vkmm_type type;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (!vkmm_type_parse(word, &type)) return cli_unknown_word(log, option, word);
        for (uint32_t i = 0; i < read.count; i++) {
            if (read.type[i] == type)
                return vkmm_fail(log, VKMM_INVALID, "--type lists %s twice", vkmm_type_of(type)->name);
        }
        read.type[read.count++] = type;
        at += length;
        if (*at == '\0') break;
    }
    *types = read;
    return VKMM_OK;
}

vkmm_status cli_parse_tutorial_types(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_types read = {0, {VKMM_F32}};
    cli_option every = *option;
    vkmm_status status;

    every.choice = cli_type_words; /* to know what the word would mean elsewhere */
    status = cli_parse_types(log, &every, text, &read);
    for (uint32_t i = 0; i < read.count && status == VKMM_OK; i++)
        if (!cli_is_plain_type(read.type[i]))
            return vkmm_fail(log, VKMM_INVALID,
                             "--%s: this command looks into the tutorials' kernels, which have f32, f64, i32 and u32; "
                             "%s is for run, "
                             "explain, tune and bench",
                             option->name, vkmm_type_of(read.type[i])->name);
    if (status == VKMM_OK) *(cli_types *)field = read;
    return status;
}

/* One type, in either spelling. */
vkmm_status cli_parse_type(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    cli_type *given = field;
    vkmm_type type;

    if (!vkmm_type_parse(text, &type)) return cli_unknown_word(log, option, text);
    for (uint32_t i = 0; option->choice(i) != NULL; i++) {
        if (strcmp(option->choice(i), vkmm_type_of(type)->name) != 0) continue;
        if (option->help == NULL && given->given && given->type != type) /* C and D of hipblaslt-bench are one here */
            return vkmm_fail(log, VKMM_INVALID, "--%s says %s, and an option before it %s: here both are one type",
                             option->name, vkmm_type_of(type)->name, vkmm_type_of(given->type)->name);
        *given = (cli_type){1, type};
        return VKMM_OK;
    }
    return cli_unknown_word(log, option, text);
}

vkmm_status cli_parse_index(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    for (uint32_t i = 0; option->choice(i) != NULL; i++) {
        if (strcmp(option->choice(i), text) == 0) {
            *(int *)field = (int)i;
            return VKMM_OK;
        }
    }
    return cli_unknown_word(log, option, text);
}

vkmm_status cli_parse_word(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    int index = 0;
    vkmm_status status = cli_parse_index(log, option, text, &index);

    if (status == VKMM_OK) *(const char **)field = option->choice((uint32_t)index);
    return status;
}

vkmm_status cli_parse_tutorial(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    char known[256];

    if (!vkmm_kernel_is_general(text)) return cli_parse_word(log, option, text, field);
    cli_join_words(option->choice, known, sizeof known);
    return vkmm_fail(log, VKMM_INVALID,
                     "--%s: this command looks into the tutorials' kernels alone, and %s is none of them; known: %s",
                     option->name, text, known);
}
