#include "options/values.h"

#include "base/clean.h"
#include "base/disk.h"
#include "base/log.h"
#include "math/method.h"
#include "math/type.h"
#include "options/step_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_type_words(uint32_t index)
{
    return index < VKMM_TYPE_COUNT - VKMM_F32 ? vkmm_type_of((vkmm_type)(VKMM_F32 + index))->name : NULL;
}

const char *cli_tutorial_type_words(uint32_t index)
{
    static const char *const words[] = {"f32", "f64", "i32", "u32", NULL};
    return words[index];
}

const char *cli_kernel_words(uint32_t index)
{
    return index == 0 ? "auto" : vkmm_kernel_name(index - 1);
}

/* The steps of the ladder follow whose names no kernel has. */
const char *cli_step_words(uint32_t index)
{
    cli_step step;
    uint32_t kernels = 0;
    while (cli_kernel_words(kernels) != NULL) kernels++;
    if (index < kernels) return cli_kernel_words(index);
    for (uint32_t i = 0; cli_general_step(i, &step); i++)
        if (step.type == VKMM_AUTO && cli_step_of_option(step.name, &step) && index-- == kernels) return step.name;
    return NULL;
}

/* Whether the word is one of the choices; *index is then its index. */
static int find_word(cli_words words, const char *word, uint32_t *index)
{
    for (*index = 0; words(*index) != NULL; ++*index)
        if (strcmp(words(*index), word) == 0) return 1;
    return 0;
}

int cli_is_plain_type(vkmm_type type)
{
    uint32_t index;
    return find_word(cli_tutorial_type_words, vkmm_type_of(type)->name, &index);
}

static vkmm_status refuse(const cli_option *option, const char *expected, const char *text)
{
    char name[32];
    cli_option_name(option, name);
    return vkmm_fail(VKMM_INVALID, "%s takes %s, not '%.60s'", name, expected, text);
}

/* Names all known words, and the nearest. */
static vkmm_status refuse_word(const cli_option *option, const char *text)
{
    const char *near = cli_suggest(text, option->choice);
    char known[256] = "";
    for (uint32_t i = 0; option->choice(i) != NULL; i++) VKMM_JOIN(known, ", ", "%s", option->choice(i));
    if (near == NULL) return vkmm_fail(VKMM_INVALID, "--%s takes one of %s, not '%.60s'", option->name, known, text);
    return vkmm_fail(VKMM_INVALID, "--%s takes one of %s, not '%.60s'; did you mean '%s'?", option->name, known, text,
                     near);
}

vkmm_status cli_parse_text(const cli_option *option, const char *text, void *field)
{
    char name[32];
    cli_option_name(option, name);
    if (text[0] == '\0') return vkmm_fail(VKMM_INVALID, "%s needs a %s, not an empty string", name, option->argument);
    *(const char **)field = text;
    return VKMM_OK;
}

vkmm_status cli_parse_format(const cli_option *option, const char *text, void *field)
{
    const char **format = field;
    (void)text;
    if (*format != NULL && strcmp(*format, option->name) != 0)
        return vkmm_fail(VKMM_INVALID, "--%s and --%s cannot be combined: results are written in one format", *format,
                         option->name);
    *format = option->name;
    return VKMM_OK;
}

/* The library, which knows the kernel, checks the names. */
vkmm_status cli_parse_config(const cli_option *option, const char *text, void *field)
{
    if (strchr(text, '=') == NULL) return refuse(option, "tunables such as rows=64,cols=64", text);
    *(const char **)field = text;
    return VKMM_OK;
}

vkmm_status cli_parse_sizes(const cli_option *option, const char *text, void *field)
{
    cli_sizes_free(field); /* the last --size wins */
    return cli_sizes_parse(text, option->commands == CLI_RACE ? 2 : 3, field);
}

vkmm_status cli_parse_whole(const cli_option *option, const char *text, void *field)
{
    const char *at = text;
    uint64_t value = 0, before;
    char expected[80];
    if (cli_read_number(&at, &value) == 1 && *at == '\0' && value >= option->least && value <= option->most) {
        before = option->size == sizeof value   ? *(uint64_t *)field
                 : ((cli_number *)field)->given ? ((cli_number *)field)->value
                                                : 0;
        if (option->help == NULL && before > 0 && before != value)
            return vkmm_fail(VKMM_INVALID,
                             "--%s says %llu, but an earlier option says %llu: C and D are the same matrix here",
                             option->name, (unsigned long long)value, (unsigned long long)before);
        if (option->size == sizeof value)
            *(uint64_t *)field = value;
        else
            *(cli_number *)field = (cli_number){1, value};
        return VKMM_OK;
    }
    VKMM_PUT(expected, "a whole number from %llu to %llu", (unsigned long long)option->least,
             (unsigned long long)option->most);
    return refuse(option, expected, text);
}

vkmm_status cli_parse_tile(const cli_option *option, const char *text, void *field)
{
    uint32_t *tile = field;
    const char *at = text;
    uint64_t rows = 0, cols = 0;
    int read = cli_read_number(&at, &rows);
    cols = rows;
    if (read == 1 && cli_read_times(&at)) read = cli_read_number(&at, &cols);
    if (read != 1 || *at != '\0' || rows < 1 || cols < 1 || rows > UINT32_MAX || cols > UINT32_MAX)
        return refuse(option, "T or RxC, each from 1 to 4294967295", text);
    tile[0] = (uint32_t)rows;
    tile[1] = (uint32_t)cols;
    return VKMM_OK;
}

vkmm_status cli_parse_at(const cli_option *option, const char *text, void *field)
{
    const char *at = text;
    uint64_t row = 0, col = 0;
    int read = cli_read_number(&at, &row) == 1 && *at++ == ',' && cli_read_number(&at, &col) == 1;
    if (!read || *at != '\0' || row >= CLI_MAX_EXTENT || col >= CLI_MAX_EXTENT)
        return refuse(option, "ROW,COL, an element of C counted from 0", text);
    *(cli_at *)field = (cli_at){1, row, col};
    return VKMM_OK;
}

/* Moves past digits with at most one point among them: 1, or 0 if there is no digit. */
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

/* strtod alone would also accept signs, spaces, hexadecimal numbers and "inf". */
vkmm_status cli_parse_amount(const cli_option *option, const char *text, void *field)
{
    const cli_amount *amount = option->amount;
    const char *unit = text;
    double value = -1;
    if (strlen(text) < 40 && skip_decimal(&unit))
        for (int i = 0; amount->units[i].name != NULL; i++)
            if (strcmp(unit, amount->units[i].name) == 0) value = strtod(text, NULL) * amount->units[i].factor;
    if (!(value >= amount->least && value <= amount->most)) return refuse(option, amount->expected, text);
    *(double *)field = value;
    return VKMM_OK;
}

/* A sign, digits with at most one point, an exponent. */
vkmm_status cli_parse_scalar(const cli_option *option, const char *text, void *field)
{
    const char *at = text + strspn(text, "+-"), *exponent;
    const double value = strtod(text, NULL);
    char expected[64];
    int well = at - text <= 1 && skip_decimal(&at);
    if (well && (*at == 'e' || *at == 'E')) {
        exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        at = exponent + strspn(exponent, "0123456789");
        well = at > exponent;
    }
    if (!well || *at != '\0') return refuse(option, "a decimal number", text);
    VKMM_PUT(expected, "a decimal number up to %g", DBL_MAX);
    if (!isfinite(value)) return refuse(option, expected, text);
    *(double *)field = value;
    return VKMM_OK;
}

/* rocBLAS's C, the conjugate transpose: of real matrices it is the transpose. */
vkmm_status cli_parse_op(const cli_option *option, const char *text, void *field)
{
    if (text[0] == '\0' || text[1] != '\0' || strchr("NnTtCc", text[0]) == NULL)
        return refuse(option, "N or T (or C, which is T for real matrices)", text);
    *(int *)field = text[0] == 'N' || text[0] == 'n' ? VKMM_OP_N : VKMM_OP_T;
    return VKMM_OK;
}

const char *cli_types_word(const cli_types *types, char text[CLI_TYPES_WORD])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < types->count; i++)
        vkmm_join(text, CLI_TYPES_WORD, ",", "%s%s", i == 0 ? "--type=" : "", vkmm_type_of(types->type[i])->name);
    return types->count > 0 ? text : NULL;
}

vkmm_status cli_parse_types(const cli_option *option, const char *text, void *field)
{
    cli_types read = {0, {VKMM_F32}};
    uint32_t index;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        char word[64];
        vkmm_type type;
        VKMM_PUT(word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (!vkmm_type_parse(word, &type) || !find_word(option->choice, vkmm_type_of(type)->name, &index))
            return refuse_word(option, word);
        for (uint32_t i = 0; i < read.count; i++)
            if (read.type[i] == type) return vkmm_fail(VKMM_INVALID, "--type lists %s twice", vkmm_type_of(type)->name);
        read.type[read.count++] = type;
        at += length;
        if (*at == '\0') break;
    }
    *(cli_types *)field = read;
    return VKMM_OK;
}

/* One type, in either spelling. */
vkmm_status cli_parse_type(const cli_option *option, const char *text, void *field)
{
    vkmm_type *given = field;
    vkmm_type type;
    uint32_t index;
    if (!vkmm_type_parse(text, &type) || !find_word(option->choice, vkmm_type_of(type)->name, &index))
        return refuse_word(option, text);
    if (option->help == NULL && *given != VKMM_AUTO &&
        *given != type) /* C and D of hipblaslt-bench have the same type here */
        return vkmm_fail(VKMM_INVALID, "--%s says %s, but an earlier option says %s: both have the same type here",
                         option->name, vkmm_type_of(type)->name, vkmm_type_of(*given)->name);
    *given = type;
    return VKMM_OK;
}

/* A type, or a method, which has its own types. */
vkmm_status cli_parse_compute(const cli_option *option, const char *text, void *field)
{
    vkmm_problem *problem = field;
    uint32_t method = VKMM_COMPUTE_DIRECT + 1;
    vkmm_type type = VKMM_AUTO;
    vkmm_status status = VKMM_OK;
    while (vkmm_method_at(method) != NULL && strcmp(text, vkmm_method_at(method)->name) != 0) method++;
    if (vkmm_method_at(method) == NULL) {
        method = VKMM_COMPUTE_DIRECT;
        status = cli_parse_type(option, text, &type);
    }
    if (status != VKMM_OK) return status;
    problem->method = (vkmm_method)method;
    problem->compute = type;
    return VKMM_OK;
}

/* A and B have the same type, which a rocblas-bench command line may give three times. */
vkmm_status cli_parse_input_type(const cli_option *option, const char *text, void *field)
{
    cli_types *given = field;
    cli_types read = {.count = 1};
    if (!vkmm_type_parse(text, &read.type[0])) return refuse_word(option, text);
    if (given->count > 0 && (given->count > 1 || given->type[0] != read.type[0]))
        return vkmm_fail(VKMM_INVALID, "--%s says %s, but an earlier option says %s: A and B have the same type here",
                         option->name, vkmm_type_of(read.type[0])->name, vkmm_type_of(given->type[0])->name);
    *given = read;
    return VKMM_OK;
}

vkmm_status cli_parse_index(const cli_option *option, const char *text, void *field)
{
    uint32_t index;
    if (!find_word(option->choice, text, &index)) return refuse_word(option, text);
    *(int *)field = (int)index;
    return VKMM_OK;
}

/* All functions mean the same here; they imply column-major matrices. */
vkmm_status cli_parse_function(const cli_option *option, const char *text, void *field)
{
    int index = 0;
    vkmm_status status = cli_parse_index(option, text, &index);
    if (status == VKMM_OK) *(int *)field = VKMM_COL_MAJOR;
    return status;
}

/* 0 and 1 of rocblas-bench mean none and auto. */
vkmm_status cli_parse_verify(const cli_option *option, const char *text, void *field)
{
    if (strcmp(text, "0") == 0) text = cli_verify_method_name(CLI_VERIFY_NONE);
    if (strcmp(text, "1") == 0) text = cli_verify_method_name(CLI_VERIFY_AUTO);
    return cli_parse_index(option, text, field);
}

vkmm_status cli_parse_word(const cli_option *option, const char *text, void *field)
{
    int index = 0;
    vkmm_status status = cli_parse_index(option, text, &index);
    if (status == VKMM_OK) *(const char **)field = option->choice((uint32_t)index);
    return status;
}

vkmm_status cli_parse_words(const cli_option *option, const char *text, void *field)
{
    cli_list read = {0};
    uint32_t index;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        char word[64];
        VKMM_PUT(word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (!find_word(option->choice, word, &index)) return refuse_word(option, word);
        for (uint32_t i = 0; i < read.count; i++)
            if (read.item[i] == option->choice(index))
                return vkmm_fail(VKMM_INVALID, "--%s lists %s twice", option->name, word);
        if (read.count == CLI_MOST_LISTED)
            return vkmm_fail(VKMM_INVALID, "--%s lists more than %d words", option->name, CLI_MOST_LISTED);
        read.item[read.count++] = option->choice(index);
        at += length;
        if (*at == '\0') break;
    }
    *(cli_list *)field = read;
    return VKMM_OK;
}

/* Results are shown by the files' names, without their folders. */
vkmm_status cli_parse_shader(const cli_option *option, const char *text, void *field)
{
    cli_list *files = field;
    const char *file = NULL;
    uint32_t index;
    const vkmm_status status = cli_parse_text(option, text, &file);
    if (status != VKMM_OK) return status;
    if (find_word(cli_step_words, vkmm_path_name(file), &index))
        return vkmm_fail(VKMM_INVALID, "--%s: a file named %s would look like the built-in kernel", option->name,
                         vkmm_path_name(file));
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(vkmm_path_name(files->item[i]), vkmm_path_name(file)) == 0)
            return vkmm_fail(VKMM_INVALID, "--%s: two files are named %.60s: their results would look alike",
                             option->name, vkmm_path_name(file));
    if (files->count == CLI_MOST_LISTED)
        return vkmm_fail(VKMM_INVALID, "more than %d files of --%s", CLI_MOST_LISTED, option->name);
    files->item[files->count++] = file;
    return VKMM_OK;
}
