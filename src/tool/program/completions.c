/* Shell completions, written from the tables of options and commands. doc/completions holds the output; a test
 * compares. */
#include "session/commands.h"

#include <stdio.h>
#include <string.h>

static int is_shown(const cli_option *option)
{
    return option->help != NULL;
}

/* Another command's option of the same name stands earlier in the table: bash's patterns know no commands. */
static int is_repeated(unsigned index)
{
    const char *name = cli_option_table[index].name;

    for (unsigned i = 0; i < index && name != NULL; i++)
        if (is_shown(&cli_option_table[i]) && cli_option_table[i].name != NULL &&
            strcmp(cli_option_table[i].name, name) == 0)
            return 1;
    return 0;
}

static int takes_file(const cli_option *option)
{
    return option->argument != NULL &&
           (strncmp(option->argument, "FILE", 4) == 0 || strcmp(option->argument, "FOLDER") == 0);
}

static void print_words(cli_words words, const char *separator)
{
    for (uint32_t i = 0; words(i) != NULL; i++) printf("%s%s", i > 0 ? separator : "", words(i));
}

/* Text inside single quotes; the characters of `escaped` get a backslash. */
static void print_quoted(const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr(escaped, *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* "-s | --size": a pattern of bash's case. */
static void print_pattern(const cli_option *option)
{
    if (option->letter != 0) printf("-%c", option->letter);
    if (option->letter != 0 && option->name != NULL) printf(" | ");
    if (option->name != NULL) printf("--%s", option->name);
}

/* One pattern of all options whose arguments are files, or are free and cannot be completed. */
static void print_patterns(int files)
{
    int count = 0;

    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (!is_shown(option) || is_repeated(i) || option->argument == NULL || option->choice != NULL ||
            takes_file(option) != files)
            continue;
        printf("%s", count++ > 0 ? " | " : "    ");
        print_pattern(option);
    }
}

static void print_bash_arguments(void)
{
    printf("    case $prev in\n");
    for (unsigned i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (!is_shown(option) || is_repeated(i) || option->choice == NULL) continue;
        printf("    ");
        print_pattern(option);
        printf(") words=\"");
        print_words(option->choice, " ");
        printf("\" ;;\n");
    }
    print_patterns(1);
    printf(")\n        compopt -o filenames\n        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n        "
           "return\n        ;;\n");
    print_patterns(0);
    printf(") return ;;\n    *) words= ;;\n    esac\n");
}

static void print_bash(void)
{
    printf("# bash completion for vkmatmul, made by: vkmatmul help --completions bash\n"
           "_vkmatmul() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=%s words=\n"
           "    if ((COMP_CWORD > 1)); then\n"
           "        case ${COMP_WORDS[1]} in\n        ",
           cli_command_at(0)->name);
    print_words(cli_command_words, " | ");
    printf(") command=${COMP_WORDS[1]} ;;\n        esac\n    fi\n    COMPREPLY=()\n");
    print_bash_arguments();
    printf("    [[ -n $words ]] || case $command in\n");
    for (uint32_t c = 0; cli_command_at(c) != NULL; c++) {
        printf("    %s) words=\"", cli_command_at(c)->name);
        for (unsigned i = 0, first = 1; i < cli_option_count; i++) {
            const cli_option *option = &cli_option_table[i];
            if (!is_shown(option) || (option->commands & cli_command_at(c)->bit) == 0) continue;
            printf(option->name != NULL ? "%s--%s" : "%s-", first ? "" : " ", option->name);
            if (option->name == NULL) putchar(option->letter);
            first = 0;
        }
        printf("\" ;;\n");
    }
    printf("    esac\n    if ((COMP_CWORD == 1)) || [[ $command == help ]]; then words+=\" ");
    print_words(cli_command_words, " ");
    printf(
        "\"; fi\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\ncomplete -F _vkmatmul vkmatmul\n");
}

/* One specification of zsh's _arguments. */
static void print_zsh_option(const cli_option *option)
{
    if (option->letter != 0 && option->name != NULL)
        printf("            '(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    else if (option->name != NULL)
        printf("            '--%s[", option->name);
    else
        printf("            '-%c[", option->letter);
    print_quoted(option->help, "[]:\\");
    putchar(']');
    if (option->argument != NULL) {
        printf(":%s:", option->argument);
        if (takes_file(option)) {
            printf("_files");
        } else if (option->choice != NULL) {
            putchar('(');
            print_words(option->choice, " ");
            putchar(')');
        } else {
            putchar(' ');
        }
    }
    printf("' \\\n");
}

static void print_zsh(void)
{
    printf("#compdef vkmatmul\n# made by: vkmatmul help --completions zsh\n_vkmatmul() {\n    local command=%s\n"
           "    local -a commands=(\n",
           cli_command_at(0)->name);
    for (uint32_t c = 0; cli_command_at(c) != NULL; c++) {
        printf("        '%s:", cli_command_at(c)->name);
        print_quoted(cli_command_at(c)->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n        _describe command commands\n        "
           "return\n    fi\n"
           "    case $words[2] in\n    ");
    print_words(cli_command_words, "|");
    printf(")\n        command=$words[2]\n        shift words\n        ((CURRENT--))\n        ;;\n    esac\n    case "
           "$command in\n");
    for (uint32_t c = 0; cli_command_at(c) != NULL; c++) {
        printf("    %s)\n        _arguments -s -S \\\n", cli_command_at(c)->name);
        for (unsigned i = 0; i < cli_option_count; i++) {
            const cli_option *option = &cli_option_table[i];
            if (is_shown(option) && (option->commands & cli_command_at(c)->bit) != 0) print_zsh_option(option);
        }
        if (cli_command_at(c)->operand != NULL) {
            printf("            '1:command:(");
            print_words(cli_command_words, " ");
            printf(")' \\\n");
        }
        printf("            && return\n        ;;\n");
    }
    printf("    esac\n}\n_vkmatmul \"$@\"\n");
}

static void print_fish_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

/* An option is offered unless a command that lacks it stands on the line, so that the default command needs no name. */
static void print_fish_option(const cli_option *option)
{
    int lacking = 0;

    printf("complete -c vkmatmul");
    for (uint32_t c = 0; cli_command_at(c) != NULL; c++) {
        if ((option->commands & cli_command_at(c)->bit) != 0) continue;
        printf(lacking++ == 0 ? " -n 'not __fish_seen_subcommand_from %s" : " %s", cli_command_at(c)->name);
    }
    if (lacking > 0) putchar('\'');
    if (option->letter != 0) printf(" -s %c", option->letter);
    if (option->name != NULL) printf(" -l %s", option->name);
    if (option->argument != NULL) printf(takes_file(option) ? " -r -F" : " -x");
    if (option->choice != NULL) {
        printf(" -a '");
        print_words(option->choice, " ");
        putchar('\'');
    }
    printf(" -d ");
    print_fish_quoted(option->help);
    putchar('\n');
}

static void print_fish(void)
{
    printf("# fish completion for vkmatmul, made by: vkmatmul help --completions fish\ncomplete -c vkmatmul -f\n");
    for (uint32_t c = 0; cli_command_at(c) != NULL; c++) {
        printf("complete -c vkmatmul -n __fish_use_subcommand -a %s -d ", cli_command_at(c)->name);
        print_fish_quoted(cli_command_at(c)->summary);
        putchar('\n');
    }
    for (unsigned i = 0; i < cli_option_count; i++) {
        if (is_shown(&cli_option_table[i])) print_fish_option(&cli_option_table[i]);
    }
}

void cli_print_completions(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        print_fish();
}
