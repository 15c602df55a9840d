/* Option arguments that are element types. */
#include "options/values.h"

#include "base/log.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

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
