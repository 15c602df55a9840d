/* Completions: each shell's script asks the program for the possible next words. doc/completions contains the scripts;
 * a test compares them with these. */
#include "session/commands.h"

#include <stdio.h>
#include <string.h>

static const char bash[] =
    "# bash completion for vkmatmul, made by: vkmatmul help --completions bash\n"
    "_vkmatmul() {\n"
    "    local IFS=$'\\n' words\n"
    "    words=$(\"${COMP_WORDS[0]}\" help --candidates -- \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$(cut -f 1 <<< \"$words\")\" -- "
    "\"${COMP_WORDS[COMP_CWORD]}\")\n"
    "}\n"
    "complete -o default -F _vkmatmul vkmatmul\n";

static const char zsh[] = "#compdef vkmatmul\n"
                          "# made by: vkmatmul help --completions zsh\n"
                          "local -a candidates\n"
                          "candidates=(${(f)\"$(_call_program words $words[1] help --candidates -- "
                          "${(q)words[2,CURRENT-1]})\"})\n"
                          "candidates=(${candidates//:/\\\\:})\n"
                          "candidates=(${candidates/$'\\t'/:})\n"
                          "_describe -o vkmatmul candidates || _files\n";

static const char fish[] = "# fish completion for vkmatmul, made by: vkmatmul help --completions fish\n"
                           "complete -c vkmatmul -a '(vkmatmul help --candidates -- (commandline -opc)[2..])'\n";

void cli_print_completions(const char *shell)
{
    fputs(strcmp(shell, "bash") == 0 ? bash : strcmp(shell, "zsh") == 0 ? zsh : fish, stdout);
}

static void print_words(cli_words words)
{
    for (uint32_t i = 0; words(i) != NULL; i++) puts(words(i));
}

static int is_spelt(const cli_option *option, const char *word)
{
    if (word[0] == '-' && word[1] == '-') return option->name != NULL && strcmp(option->name, word + 2) == 0;
    return word[0] == '-' && option->letter != 0 && word[1] == option->letter && word[2] == '\0';
}

void cli_print_candidates(uint32_t count, char **words)
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
