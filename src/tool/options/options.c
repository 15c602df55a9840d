#include "options/options.h"

#include "base/clean.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

/* What reading a command line needs. */
typedef struct line {
    unsigned command;
    const char *command_name;
    cli_options *options;
} line;

void cli_option_name(const cli_option *option, char text[32])
{
    if (option->name != NULL)
        snprintf(text, 32, "--%s", option->name);
    else
        snprintf(text, 32, "-%c", option->letter);
}

/* "naive, grouped and tiled": the general kernels, or all others. */
static void list_kernels(int general, char *text, size_t size)
{
    uint32_t last = 0;
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL; i++)
        if (vkmm_kernel_is_general(vkmm_kernel_name(i)) == general) last = i;
    for (uint32_t i = 0; i <= last; i++)
        if (vkmm_kernel_is_general(vkmm_kernel_name(i)) == general)
            vkmm_join(text, size, i < last ? ", " : " and ", "%s", vkmm_kernel_name(i));
}

void cli_option_help(const cli_option *option, char text[CLI_HELP_TEXT])
{
    static const char *const places[] = {"{tutorials}", "{general}"};
    snprintf(text, CLI_HELP_TEXT, "%s", option->help);
    for (int general = 0; general < 2; general++) {
        char names[CLI_HELP_TEXT / 2] = "", rest[CLI_HELP_TEXT];
        char *at = strstr(text, places[general]);
        if (at == NULL) continue;
        list_kernels(general, names, sizeof names);
        VKMM_PUT(rest, "%s", at + strlen(places[general]));
        snprintf(at, (size_t)(text + CLI_HELP_TEXT - at), "%s%s", names, rest);
    }
}

static int is_joint(char c)
{
    return c == '-' || c == '_';
}

/* Whether the word is the option's long name; '-' and '_' are equal. */
static int is_named(const cli_option *option, const char *word)
{
    const char *name = option->name;
    if (name == NULL) return 0;
    while (*word != '\0' && (*word == *name || (is_joint(*word) && is_joint(*name)))) word++, name++;
    return *word == *name;
}

static vkmm_status take(const line *l, const cli_option *option, const char *argument)
{
    void *field = (char *)l->options + option->offset;
    char name[32];
    if (option->commands & CLI_MEASURES && l->options->measures == NULL) l->options->measures = option;
    if (option->argument == NULL && option->parse == NULL) {
        *(int *)field = 1;
        return VKMM_OK;
    }
    if (option->argument == NULL || argument != NULL) return option->parse(option, argument, field);
    cli_option_name(option, name);
    return vkmm_fail(VKMM_INVALID, "%s needs an argument: %s", name, option->argument);
}

/* No option of the command has this name: it is another command's option, or misspelt. */
static vkmm_status refuse_long(const line *l, const char *word)
{
    const char *near = NULL;
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (option->name == NULL || option->help == NULL) continue;
        if (is_named(option, word))
            return vkmm_fail(VKMM_INVALID,
                             "--%s is not an option of 'vkmatmul %s'; 'vkmatmul %s --help' lists its options", word,
                             l->command_name, l->command_name);
        if (option->commands & l->command) near = cli_nearer(word, near, option->name);
    }
    if (near != NULL) return vkmm_fail(VKMM_INVALID, "unknown option --%s; did you mean --%s?", word, near);
    return vkmm_fail(VKMM_INVALID, "unknown option --%s; 'vkmatmul %s --help' lists them all", word, l->command_name);
}

/* "size=4", or "size" before 4. */
static vkmm_status take_long(const line *l, const char *text, const char *next, int *took_next)
{
    const char *equals = strchr(text, '=');
    const cli_option *option = NULL;
    char word[48];
    VKMM_PUT(word, "%.*s", (int)strcspn(text, "="), text);
    for (unsigned i = 0; i < cli_option_count && option == NULL; i++)
        if ((cli_option_table[i].commands & l->command) != 0 && is_named(&cli_option_table[i], word))
            option = &cli_option_table[i];
    if (option == NULL) return refuse_long(l, word);
    if (equals != NULL && option->argument == NULL)
        return vkmm_fail(VKMM_INVALID, "--%s takes no argument", option->name);
    *took_next = equals == NULL && option->argument != NULL;
    return take(l, option, equals != NULL ? equals + 1 : next);
}

/* "Vs4", or "Vs" before 4. A letter may mean one option here and another there. */
static vkmm_status take_letters(const line *l, const char *letters, const char *next, int *took_next)
{
    vkmm_status status = VKMM_OK;
    for (; *letters != '\0' && status == VKMM_OK; letters++) {
        unsigned i = 0;
        while (i < cli_option_count &&
               ((cli_option_table[i].commands & l->command) == 0 || cli_option_table[i].letter != *letters))
            i++;
        if (i == cli_option_count)
            return vkmm_fail(VKMM_INVALID, "unknown option -%c; 'vkmatmul %s --help' lists them all", *letters,
                             l->command_name);
        if (cli_option_table[i].argument != NULL) {
            *took_next = letters[1] == '\0';
            return take(l, &cli_option_table[i], *took_next ? next : letters + 1);
        }
        status = take(l, &cli_option_table[i], NULL);
    }
    return status;
}

static vkmm_status take_operands(const line *l, int count, char **operands)
{
    if ((l->command & (CLI_COMPARE | CLI_REPORT | CLI_BLAS)) || l->options->candidates) {
        l->options->operands = operands;
        l->options->operand_count = (uint32_t)count;
        return VKMM_OK;
    }
    if (count > 0 && (!(l->command & (CLI_HELP | CLI_EXAMPLE)) || count > 1))
        return vkmm_fail(VKMM_INVALID, "unexpected argument '%.60s': options start with -, and the command comes first",
                         operands[0]);
    l->options->operand = count > 0 ? operands[0] : NULL;
    return VKMM_OK;
}

vkmm_status cli_options_parse(unsigned command, const char *command_name, int argc, char **argv, cli_options *options)
{
    const line l = {command, command_name, options};
    vkmm_status status = VKMM_OK;
    int operands = 0, at = 1, ended = 0;
    options->seed.value = 1;
    options->problem.alpha = 1;
    options->regression = -1;
    if (command == CLI_TRACE) options->init = VKMM_INIT_INDEX;
    while (at < argc && !ended && status == VKMM_OK) {
        char *const word = argv[at], *const next = argv[at + 1];
        int took_next = 0;
        if (word[0] != '-' || word[1] == '\0') {
            operands++;
            at++;
            continue;
        }
        ended = strcmp(word, "--") == 0;
        if (!ended && word[1] == '-')
            status = take_long(&l, word + 2, next, &took_next);
        else if (!ended)
            status = take_letters(&l, word + 1, next, &took_next);
        if (status != VKMM_OK) return status;
        /* Operands are moved behind the options between them. */
        memmove(argv + at - operands + 1 + took_next, argv + at - operands, (size_t)operands * sizeof *argv);
        argv[at - operands] = word;
        if (took_next) argv[at - operands + 1] = next;
        at += 1 + took_next;
    }
    return take_operands(&l, argc - at + operands, argv + at - operands);
}

void cli_options_free(cli_options *options)
{
    cli_sizes_free(&options->sizes);
}

static int is_format(const cli_options *options, const char *name)
{
    return options->format != NULL && strcmp(options->format, name) == 0;
}

vkmm_status cli_options_check(const cli_options *o)
{
    const int files = o->a != NULL || o->b != NULL;
    const size_t sizes = o->sizes.count > 1 ? o->sizes.count : 1, types = o->types.count > 1 ? o->types.count : 1;
    const struct {
        int broken;
        const char *sentence;
    } rules[] = {
        {o->samples && !is_format(o, "json"), "--samples needs --json: other formats show only statistics"},
        {o->print && (is_format(o, "json") || is_format(o, "csv")), "--print cannot be combined with --json or --csv"},
        {files && (o->a == NULL || o->b == NULL),
         "-a and -b must be given together: A and B both come from files, or neither does"},
        {files && (o->sizes.count > 0 || o->m.given || o->n.given || o->k.given),
         "the files of -a and -b determine the size: leave out --size, -m, -n and -k"},
        {o->c != NULL && !files, "-c needs -a and -b: give all three files"},
        {o->c != NULL && o->problem.beta == 0,
         "-c is the C that --beta multiplies: give a --beta that is not 0, or leave out -c"},
        {o->bias != NULL && o->problem.has_bias,
         "--bias reads the bias from a file and --bias_vector generates one: leave out one of them"},
        {o->out != NULL && o->verify == CLI_VERIFY_NONE, "-o writes verified products only: leave out --verify none"},
    };
    for (size_t i = 0; i < VKMM_COUNT(rules); i++)
        if (rules[i].broken) return vkmm_fail(VKMM_INVALID, "%s", rules[i].sentence);
    if (o->config != NULL && o->kernel != NULL && strcmp(o->kernel, "auto") != 0 && !vkmm_kernel_is_general(o->kernel))
        return vkmm_fail(
            VKMM_INVALID,
            "--config sets tunables, and the kernel %s has none: use auto or a kernel that supports every problem",
            o->kernel);
    if (o->out != NULL && sizes * types > 1)
        return vkmm_fail(VKMM_INVALID, "-o writes one product, not a list of %zu", sizes * types);
    if (o->min_time_ms > 0 && o->max_time_ms > 0 && o->min_time_ms > o->max_time_ms)
        return vkmm_fail(VKMM_INVALID, "--min-time (%g ms) exceeds --max-time (%g ms)", o->min_time_ms, o->max_time_ms);
    return VKMM_OK;
}
