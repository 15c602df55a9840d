#include "report/columns.h"
#include "session/commands.h"
#include "system/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COLUMN = 26, SUMMARY_COLUMN = 14 };

/* doc/completions, a script for each shell of --completions; and the page of `help shaders`. */
static const char *const shells[] = {"bash", "zsh", "fish"};
static const struct {
    const char *name, *text;
} pages[] = {
#include "help_pages.inc"
};
enum { SHADERS_PAGE = VKMM_COUNT(pages) - 1 };

static const cli_report *terminal(void)
{
    static cli_report report;
    const int columns = cli_terminal_columns(stdout, 80);
    report.out = stdout;
    report.columns = columns < 79 ? columns : 79;
    return &report;
}

static void print_option(const cli_option *option)
{
    char name[64], help[CLI_HELP_TEXT];
    int length =
        VKMM_PUT(name, "  %c%c%s%s%s%s%s", option->letter != 0 ? '-' : ' ', option->letter != 0 ? option->letter : ' ',
                 option->letter != 0 && option->name != NULL ? ", "
                 : option->name != NULL                      ? "  "
                                                             : "",
                 option->name != NULL ? "--" : "", option->name != NULL ? option->name : "",
                 option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    printf(length < TEXT_COLUMN ? "%s%*s" : "%s\n%*s", name, TEXT_COLUMN - (length < TEXT_COLUMN ? length : 0), "");
    cli_option_help(option, help);
    cli_wrap(terminal(), TEXT_COLUMN, help);
}

static void print_options(const cli_command *command)
{
    const char *group = NULL, *printed = NULL;
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (option->group != NULL) group = option->group;
        if ((option->commands & command->bit) == 0 || option->help == NULL) continue;
        if (group != printed) printf("\n%s:\n", group);
        printed = group;
        print_option(option);
    }
}

static void print_commands(void)
{
    printf("\nCommands:\n");
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++) {
        printf("  %-*s", SUMMARY_COLUMN - 2, cli_command_at(i)->name);
        cli_wrap(terminal(), SUMMARY_COLUMN, cli_command_at(i)->summary);
    }
}

static void print_examples(const cli_command *command, unsigned most)
{
    if (command->examples == NULL) return;
    printf("\nExamples:\n");
    for (const char *line = command->examples; *line != '\0' && most-- > 0; line = strchr(line, '\n') + 1)
        cli_report_say(terminal(), 2, CLI_PLAIN, "%.*s", (int)strcspn(line, "\n"), line);
}

/* Fits on a small terminal: at most 26 lines. */
static void print_overview(void)
{
    printf("Usage: vkmatmul [COMMAND] [OPTION]...\n");
    print_commands();
    print_examples(cli_command_at(0), 2);
    putchar('\n');
    cli_wrap(terminal(), 0, "'vkmatmul help COMMAND' lists a command's options; 'run' is the default.");
}

void cli_print_help(const cli_command *command)
{
    int is_default = command == cli_command_at(0);
    cli_report_say(terminal(), 0, CLI_PLAIN, "vkmatmul %s: %s", command->name, command->summary);
    printf("\nUsage: vkmatmul %s%s%s [OPTION]...%s%s\n", is_default ? "[" : "", command->name, is_default ? "]" : "",
           command->operand != NULL ? " " : "", command->operand != NULL ? command->operand : "");
    if (is_default || command->bit == CLI_HELP) print_commands();
    print_options(command);
    print_examples(command, UINT_MAX);
    if (command->bit == CLI_RUN || command->bit == CLI_LADDER) {
        putchar('\n');
        cli_wrap(terminal(), 0,
                 "Times are medians. kernel ms: only the dispatch; submit ms: from submission to the fence; total ms: "
                 "including the upload of A and B and the download of C.");
        putchar('\n');
        cli_wrap(terminal(), 0,
                 "Exit code: 0 success, 1 wrong result, 2 usage or bad input, 3 no such device, 4 not supported by the "
                 "device, 5 out of memory, 6 device lost, 129, 130, 143 ended by SIGHUP, SIGINT (Ctrl-C), SIGTERM.");
    }
    if (is_default) printf("\nThe manual is vkmatmul(1).\n");
}

/* ---- completions ---- */

static void print_words(cli_words words)
{
    for (uint32_t i = 0; words(i) != NULL; i++) puts(words(i));
}

static int is_spelt(const cli_option *option, const char *word)
{
    if (word[0] == '-' && word[1] == '-') return option->name != NULL && strcmp(option->name, word + 2) == 0;
    return word[0] == '-' && option->letter != 0 && word[1] == option->letter && word[2] == '\0';
}

/* The words that may follow these words of a command line, one per line: the word, a tab and its meaning. Each shell's
 * script asks for them. */
static void print_candidates(uint32_t count, char **words)
{
    const cli_command *command = count > 0 ? cli_command_find(words[0]) : NULL;
    const unsigned bit = (command != NULL ? command : cli_command_at(0))->bit;
    char name[32], help[CLI_HELP_TEXT];
    for (unsigned i = 0; i < cli_option_count && count > 0; i++) {
        const cli_option *option = &cli_option_table[i];
        if ((option->commands & bit) == 0 || option->argument == NULL || !is_spelt(option, words[count - 1])) continue;
        if (option->choice != NULL) print_words(option->choice);
        return; /* free text, or a file, which shells complete */
    }
    for (uint32_t i = 0; (count == 0 || bit == CLI_HELP) && cli_command_at(i) != NULL; i++)
        printf("%s\t%s\n", cli_command_at(i)->name, cli_command_at(i)->summary);
    if (bit == CLI_HELP) puts("shaders\twhat a shader of your own must declare");
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (option->help == NULL || (option->commands & bit) == 0) continue;
        cli_option_name(option, name);
        cli_option_help(option, help);
        printf("%s\t%s\n", name, help);
    }
}

vkmm_status cli_command_help(cli_session *session)
{
    const cli_options *options = session->options;
    const char *name = options->operand;
    const int is_page = name != NULL && strcmp(name, "shaders") == 0;
    const cli_command *command =
        name == NULL || is_page || strcmp(name, "all") == 0 ? cli_command_at(0) : cli_command_find(name);
    if (command == NULL) return cli_command_unknown(session->log, options->operand);
    uint32_t shell = 0;
    while (options->completions != NULL && strcmp(shells[shell], options->completions) != 0) shell++;
    if (options->completions != NULL)
        fputs(pages[shell].text, stdout);
    else if (options->candidates)
        print_candidates(options->operand_count, options->operands);
    else if (name == NULL)
        print_overview();
    else if (is_page)
        fputs(pages[SHADERS_PAGE].text, stdout);
    else
        cli_print_help(command);
    return VKMM_OK;
}
