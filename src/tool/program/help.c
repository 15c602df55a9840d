#include "report/wrap.h"
#include "session/commands.h"
#include "system/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COLUMN = 26, SUMMARY_COLUMN = 14 };

static const cli_report *terminal(void)
{
    static cli_report report;
    const int columns = cli_terminal_columns(stdout);

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

/* `help shaders`. The manual has more. */
static const char shaders_page[] = "Your own shader computes C[MxN] = A[MxK] * B[KxN]; all matrices are row-major.\n"
                                   "\n"
                                   "It is GLSL for Vulkan 1.1, in which the macro T is the element type, or SPIR-V\n"
                                   "from FILE.spv, for one type. It has one entry point, main, and may declare:\n"
                                   "\n"
                                   "  bindings 0, 1, 2 of set 0  storage buffers: A, B, C\n"
                                   "  push constants             uint M, N, K, at offsets 0, 4, 8\n"
                                   "  constants 0, 1             the workgroup's x and y: COLS x ROWS invocations\n"
                                   "  constants 2, 3, 4          ROWS and COLS of a tile of C, DEPTH along K\n"
                                   "\n"
                                   "Workgroup x, y owns the tile of C that begins at row y * ROWS, column x * COLS.\n"
                                   "Tiles hang over the edges of C. --tile sets ROWS and COLS; default 16x16.\n"
                                   "\n"
                                   "  #version 450\n"
                                   "  layout(local_size_x_id = 0, local_size_y_id = 1) in;\n"
                                   "  layout(set = 0, binding = 0) readonly buffer MatrixA { T A[]; };\n"
                                   "  layout(set = 0, binding = 1) readonly buffer MatrixB { T B[]; };\n"
                                   "  layout(set = 0, binding = 2) writeonly buffer MatrixC { T C[]; };\n"
                                   "  layout(push_constant) uniform Problem { uint M, N, K; };\n"
                                   "\n"
                                   "  void main()\n"
                                   "  {\n"
                                   "      const uint row = gl_GlobalInvocationID.y, col = gl_GlobalInvocationID.x;\n"
                                   "      if (row >= M || col >= N)\n"
                                   "          return;\n"
                                   "      T sum = T(0);\n"
                                   "      for (uint k = 0; k < K; k++)\n"
                                   "          sum += A[row * K + k] * B[k * N + col];\n"
                                   "      C[row * N + col] = sum;\n"
                                   "  }\n"
                                   "\n"
                                   "With this text in mine.comp:\n"
                                   "\n"
                                   "  vkmatmul --shader mine.comp --tile 8      # verified and timed\n"
                                   "  vkmatmul ladder --shader mine.comp        # one more step\n"
                                   "  vkmatmul bench --shader mine.comp         # a row for each plain product\n"
                                   "  vkmatmul compare --shader mine.comp --kernel tiled,auto\n";

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

vkmm_status cli_command_help(cli_session *session)
{
    const cli_options *options = session->options;
    const char *name = options->operand;
    const int is_page = name != NULL && strcmp(name, "shaders") == 0;
    const cli_command *command =
        name == NULL || is_page || strcmp(name, "all") == 0 ? cli_command_at(0) : cli_command_find(name);

    if (command == NULL) return cli_command_unknown(session->log, options->operand);
    if (options->completions != NULL)
        cli_print_completions(options->completions);
    else if (options->candidates)
        cli_print_candidates(options->operand_count, options->operands);
    else if (name == NULL)
        print_overview();
    else if (is_page)
        fputs(shaders_page, stdout);
    else
        cli_print_help(command);
    return VKMM_OK;
}
