#include "options/options.h"

#include "base/log.h"
#include "options/values.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* getopt_long reports a long option as LONG_BASE + its index in the table, a short one as its letter. */
enum { LONG_BASE = 256 };

enum { LONGEST_NAME = 24 };

/* getopt's two descriptions of the options of one command; and the names with '-' for '_' or the other way round. */
typedef struct description {
    char letters[2 * CLI_MAX_OPTIONS + 2];
    struct option names[2 * CLI_MAX_OPTIONS + 1];
    char twins[CLI_MAX_OPTIONS][LONGEST_NAME];
} description;

void cli_option_name(const cli_option *option, char text[32])
{
    if (option->name != NULL)
        snprintf(text, 32, "--%s", option->name);
    else
        snprintf(text, 32, "-%c", option->letter);
}

static int is_joint(char c)
{
    return c == '-' || c == '_';
}

/* The name in the other spelling: 0 when it has but one. */
static int other_spelling(const char *name, char twin[LONGEST_NAME])
{
    int joints = 0;

    snprintf(twin, LONGEST_NAME, "%s", name);
    for (char *c = twin; *c != '\0'; c++) {
        if (!is_joint(*c)) continue;
        *c = *c == '-' ? '_' : '-';
        joints++;
    }
    return joints > 0;
}

/* Whether the name begins with the word, whatever joins their parts. */
static int begins_with(const char *name, const char *word)
{
    while (*word != '\0' && (*word == *name || (is_joint(*word) && is_joint(*name)))) word++, name++;
    return *word == '\0';
}

static void describe(unsigned command, description *d)
{
    char *letter = d->letters;
    struct option *name = d->names;
    char(*twin)[LONGEST_NAME] = d->twins;

    *letter++ = ':'; /* a missing argument is reported as ':' */
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        int argument = option->argument != NULL;
        if ((option->commands & command) == 0) continue;
        if (option->letter != 0) {
            *letter++ = option->letter;
            if (argument) *letter++ = ':';
        }
        if (option->name == NULL) continue;
        *name++ = (struct option){option->name, argument ? required_argument : no_argument, NULL, LONG_BASE + (int)i};
        if (!other_spelling(option->name, *twin)) continue;
        *name = name[-1];
        name->name = *twin;
        name++, twin++;
    }
    *letter = '\0';
    *name = (struct option){NULL, 0, NULL, 0};
}

/* A letter may mean one option here and another there. */
static const cli_option *find(unsigned command, int code)
{
    if (code >= LONG_BASE && code < LONG_BASE + (int)cli_option_count) return &cli_option_table[code - LONG_BASE];
    for (unsigned i = 0; i < cli_option_count; i++) {
        if ((cli_option_table[i].commands & command) != 0 && cli_option_table[i].letter != 0 &&
            cli_option_table[i].letter == code)
            return &cli_option_table[i];
    }
    return NULL;
}

/* The long option of this command that is nearest to the word, or NULL. */
static const char *nearest(unsigned command, const char *word)
{
    const char *best = NULL;
    unsigned best_distance = 0;

    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        unsigned distance;
        if ((option->commands & command) == 0 || option->name == NULL || option->help == NULL) continue;
        distance = cli_distance(word, option->name);
        if (best == NULL || distance < best_distance) {
            best = option->name;
            best_distance = distance;
        }
    }
    return best != NULL && cli_is_near(word, best_distance) ? best : NULL;
}

/* "--s" begins several names: says which. Returns how many; text is then their list. */
static unsigned list_beginnings(unsigned command, const char *word, char *text, size_t size)
{
    unsigned count = 0;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < cli_option_count && used < size; i++) {
        const cli_option *option = &cli_option_table[i];
        if ((option->commands & command) == 0 || option->name == NULL || !begins_with(option->name, word)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s--%s", count > 0 ? ", " : "", option->name);
        count++;
    }
    return count;
}

static vkmm_status refuse_long(const vkmm_log *log, unsigned command, const char *command_name, const char *argument)
{
    char word[48], names[256];
    const char *near;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    if (list_beginnings(command, word, names, sizeof names) > 1)
        return vkmm_fail(log, VKMM_INVALID, "option --%s may be any of %s", word, names);
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (option->name != NULL && option->help != NULL && strlen(option->name) == strlen(word) &&
            begins_with(option->name, word))
            return vkmm_fail(log, VKMM_INVALID, "--%s is no option of 'vkmatmul %s'; 'vkmatmul %s --help' lists those",
                             word, command_name, command_name);
    }
    near = nearest(command, word);
    if (near != NULL) return vkmm_fail(log, VKMM_INVALID, "unknown option --%s; did you mean --%s?", word, near);
    return vkmm_fail(log, VKMM_INVALID, "unknown option --%s; 'vkmatmul %s --help' lists them all", word, command_name);
}

static vkmm_status refuse(const vkmm_log *log, unsigned command, const char *command_name, const char *argument)
{
    const cli_option *flag = optopt >= LONG_BASE ? find(command, optopt) : NULL;

    if (flag != NULL) return vkmm_fail(log, VKMM_INVALID, "--%s takes no argument", flag->name);
    if (optopt == 0) return refuse_long(log, command, command_name, argument);
    return vkmm_fail(log, VKMM_INVALID, "unknown option -%c; 'vkmatmul %s --help' lists them all", optopt,
                     command_name);
}

static vkmm_status take(const vkmm_log *log, const cli_option *option, cli_options *options)
{
    void *field = (char *)options + option->offset;

    if (option->parse != NULL) return option->parse(log, option, optarg, field);
    *(int *)field = 1;
    return VKMM_OK;
}

static vkmm_status take_operands(const vkmm_log *log, unsigned command, int argc, char **argv, cli_options *options)
{
    if (optind >= argc) return VKMM_OK;
    if (command == CLI_HELP && optind + 1 == argc) {
        options->operand = argv[optind];
        return VKMM_OK;
    }
    if (command == CLI_COMPARE || command == CLI_REPORT) {
        options->operands = argv + optind;
        options->operand_count = (uint32_t)(argc - optind);
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "unexpected argument '%.60s': options start with - and a command comes first",
                     argv[optind]);
}

vkmm_status cli_options_parse(const vkmm_log *log, unsigned command, const char *command_name, int argc, char **argv,
                              cli_options *options)
{
    description d = {.letters = ""};
    vkmm_status status = VKMM_OK;

    describe(command, &d);
    options->seed.value = 1;
    if (command == CLI_TRACE) options->init = VKMM_INIT_INDEX;
    opterr = 0;
    optind = 0; /* forgets where an earlier line's words ended: a refusal leaves getopt in the midst of "-abc" */
    while (status == VKMM_OK) {
        int code;
        optopt = 0; /* stays 0 for an unknown long option */
        code = getopt_long(argc, argv, d.letters, d.names, NULL);
        if (code == -1) break;
        if (code == ':') {
            const cli_option *option = find(command, optopt);
            char name[32] = "the last option";
            if (option != NULL) cli_option_name(option, name);
            return vkmm_fail(log, VKMM_INVALID, "%s needs an argument: %s", name,
                             option != NULL ? option->argument : "");
        }
        if (code == '?') return refuse(log, command, command_name, argv[optind - 1]);
        status = take(log, find(command, code), options);
    }
    return status != VKMM_OK ? status : take_operands(log, command, argc, argv, options);
}

void cli_options_free(cli_options *options)
{
    cli_sizes_free(&options->sizes);
}

vkmm_status cli_options_check(const vkmm_log *log, const cli_options *options)
{
    int files = options->a != NULL || options->b != NULL;

    if (options->json + options->csv + options->quiet + options->jsonl + options->md + options->junit > 1)
        return vkmm_fail(log, VKMM_INVALID, "--json, --csv, --quiet, --jsonl, --md and --junit exclude one another");
    if (options->print && (options->json || options->csv))
        return vkmm_fail(log, VKMM_INVALID, "--print is for people: it excludes --json and --csv");
    if (files && (options->a == NULL || options->b == NULL))
        return vkmm_fail(log, VKMM_INVALID, "-a and -b go together: A and B both come from files, or neither does");
    if (files && (options->sizes.count > 0 || options->m.given || options->n.given || options->k.given))
        return vkmm_fail(log, VKMM_INVALID, "the files of -a and -b have sizes: leave out --size, -m, -n and -k");
    if (options->config != NULL && options->kernel != NULL && strcmp(options->kernel, "auto") != 0 &&
        !vkmm_kernel_is_general(options->kernel))
        return vkmm_fail(
            log, VKMM_INVALID,
            "--config sets tunables, and the kernel %s has none: take auto or a kernel that takes every problem",
            options->kernel);
    if (options->c != NULL && !files)
        return vkmm_fail(log, VKMM_INVALID, "-c goes with -a and -b: give all three files");
    if (options->c != NULL && (!options->beta.given || options->beta.value == 0))
        return vkmm_fail(log, VKMM_INVALID,
                         "-c is the C that --beta multiplies: give a --beta that is not 0, or leave out -c");
    if (options->bias != NULL && options->bias_vector)
        return vkmm_fail(log, VKMM_INVALID,
                         "--bias has the bias in a file and --bias_vector generates one: leave out one of them");
    if (options->out != NULL && (options->sizes.count > 1 || options->types.count > 1))
        return vkmm_fail(log, VKMM_INVALID, "-o writes one product, not a list of %zu",
                         (options->sizes.count > 1 ? options->sizes.count : 1) *
                             (options->types.count > 1 ? options->types.count : 1));
    if (options->out != NULL && options->verify == VKMM_VERIFY_NONE)
        return vkmm_fail(log, VKMM_INVALID, "-o writes verified products only: leave out --verify none");
    if (options->min_time_ms > 0 && options->max_time_ms > 0 && options->min_time_ms > options->max_time_ms)
        return vkmm_fail(log, VKMM_INVALID, "--min-time (%g ms) exceeds --max-time (%g ms)", options->min_time_ms,
                         options->max_time_ms);
    return VKMM_OK;
}
