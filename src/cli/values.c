#include "cli/values.h"

#include "base/log.h"
#include "cli/number.h"
#include "math/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SEED    ((UINT64_C(1) << 53) - 1) /* what every JSON reader keeps exactly */
#define MOST_ITERATIONS 1000000
#define LONGEST_TIME_MS 86400000.0 /* a day */

vkmm_status cli_parse_text(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    char name[32];

    cli_option_name(option, name);
    if (text[0] == '\0') return vkmm_fail(log, VKMM_INVALID, "%s needs a %s, not an empty text", name, option->argument);
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
static vkmm_status parse_whole(const vkmm_log *log, const cli_option *option, const char *text, uint64_t least, uint64_t most, void *field)
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
    return vkmm_fail(log, VKMM_INVALID, "%s takes a whole number from %llu to %llu, not '%.60s'", name, (unsigned long long)least,
                     (unsigned long long)most, text);
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

/* Digits with at most one point, then nothing, "ms" or "s". strtod would take signs, spaces, hexadecimals and "inf" as well. */
vkmm_status cli_parse_time(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    size_t length = strspn(text, "0123456789.");
    const char *point = memchr(text, '.', length), *unit = text + length;
    char name[32], *end = NULL;

    if (length > 0 && length < 40 && (point == NULL || memchr(point + 1, '.', (size_t)(unit - point - 1)) == NULL) &&
        (unit[0] == '\0' || strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0)) {
        double value = strtod(text, &end) * (strcmp(unit, "s") == 0 ? 1000 : 1);
        if (end == unit && value > 0 && value <= LONGEST_TIME_MS) {
            *(double *)field = value;
            return VKMM_OK;
        }
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID, "%s takes milliseconds (or 0.5s) above 0 and up to a day (86400s), not '%.60s'", name, text);
}

static vkmm_status unknown_word(const vkmm_log *log, const cli_option *option, const char *text)
{
    const char *near = cli_suggest(text, option->choice);
    char name[32], known[256];

    cli_option_name(option, name);
    cli_join_words(option->choice, known, sizeof known);
    if (near != NULL) return vkmm_fail(log, VKMM_INVALID, "%s: '%.60s' is unknown; did you mean '%s'? Known: %s", name, text, near, known);
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
        if (!vkmm_type_parse(word, &type)) return unknown_word(log, option, word);
        for (uint32_t i = 0; i < read.count; i++) {
            if (read.type[i] == type) return vkmm_fail(log, VKMM_INVALID, "--type lists %s twice", vkmm_type_of(type)->name);
        }
        read.type[read.count++] = type;
        at += length;
        if (*at == '\0') break;
    }
    *types = read;
    return VKMM_OK;
}

vkmm_status cli_parse_index(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    for (uint32_t i = 0; option->choice(i) != NULL; i++) {
        if (strcmp(option->choice(i), text) == 0) {
            *(int *)field = (int)i;
            return VKMM_OK;
        }
    }
    return unknown_word(log, option, text);
}

vkmm_status cli_parse_word(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    int index = 0;
    vkmm_status status = cli_parse_index(log, option, text, &index);

    if (status == VKMM_OK) *(const char **)field = option->choice((uint32_t)index);
    return status;
}

const char *cli_type_words(uint32_t index)
{
    return index < VKMM_TYPE_COUNT ? vkmm_type_of((vkmm_type)index)->name : NULL;
}

const char *cli_kernel_words(uint32_t index)
{
    return index == 0 ? "auto" : vkmm_kernel_name(index - 1);
}

const char *cli_init_words(uint32_t index)
{
    return index < VKMM_INIT_COUNT ? vkmm_init_name((vkmm_init)index) : NULL;
}

const char *cli_verify_words(uint32_t index)
{
    return index <= VKMM_VERIFY_NONE ? vkmm_verify_method_name((vkmm_verify_method)index) : NULL;
}

const char *cli_shell_words(uint32_t index)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};

    return index < sizeof shells / sizeof *shells ? shells[index] : NULL;
}

void cli_join_words(cli_words words, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; words(i) != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", words(i));
}
