/* vkmatmul: multiplies matrices with Vulkan compute shaders. One command line is one cli_command. */
#include "system/interrupt.h"
#include "system/terminal.h"
#include "session/commands.h"

#include <stdio.h>
#include <string.h>

/* "--help" and "--help COMMAND" mean the command help. */
static int is_help(int argc, char **argv)
{
    if (argc < 2 || (argc > 2 && argv[2][0] == '-')) return 0;
    return strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
}

int main(int argc, char **argv)
{
    const cli_command *command = cli_command_at(0);
    cli_options options = {0};
    cli_session session = {.log = &session.console.log};
    int named = argc > 1 && argv[1][0] != '-';
    vkmm_status status, flushed;
    cli_interrupt_install();
    cli_terminal_start();
    cli_console_start(&session.console);
    if (named) command = cli_command_find(argv[1]);
    if (is_help(argc, argv)) command = cli_command_find("help"), named = 1;
    if (command == NULL) return (int)cli_command_unknown(session.log, argv[1]);
    status =
        vkmm_tell(session.log, cli_options_parse(command->bit, command->name, argc - named, argv + named, &options));
    if (status != VKMM_OK) goto done;
    if (options.help || options.version) {
        session.report.out = stdout;
        if (options.help)
            cli_print_help(command);
        else
            printf("vkmatmul %s\nshaders %s\n", vkmm_version(), vkmm_shader_hash());
        status = cli_report_flush(&session.report, session.log);
        goto done;
    }
    status = vkmm_tell(session.log, cli_options_check(&options));
    if (status == VKMM_OK) status = cli_session_start(&session, &options, argc, argv);
    if (status != VKMM_OK) goto done;
    status = vkmm_tell(session.log, command->run(&session));
    cli_progress_end(&session.console);
    if (session.has_documents && session.writer->run_end != NULL) session.writer->run_end(&session.report);
    /* A stream that failed before has already been reported. */
    flushed = ferror(stdout) ? VKMM_INVALID : cli_report_flush(&session.report, session.log);
    if (status == VKMM_OK) status = flushed;
done:
    cli_session_end(&session);
    cli_options_free(&options);
    return (int)status;
}
