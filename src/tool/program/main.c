/* vkmatmul: multiplies matrices with Vulkan compute shaders. One command line is one cli_command. */
#include "base/file.h"
#include "system/interrupt.h"
#include "base/log.h"
#include "session/commands.h"

#include <locale.h>
#include <stdio.h>

static vkmm_status start(const cli_command *command, const cli_options *options, int argc, char **argv)
{
    cli_session session = {0};
    vkmm_status status = cli_session_start(&session, options, argc, argv), flushed;

    if (status == VKMM_OK) status = command->run(&session);
    cli_progress_end(&session.console);
    /* A stream that failed before has already been reported. */
    flushed = ferror(stdout) ? VKMM_INVALID : vkmm_report_flush(&session.report, &session.console.log);
    cli_session_end(&session);
    return status != VKMM_OK ? status : flushed;
}

static vkmm_status show_version(void)
{
    printf("vkmatmul %s\nshaders %s\n", vkmm_version(), vkmm_shader_hash());
    return VKMM_OK;
}

int main(int argc, char **argv)
{
    const cli_command *command = cli_command_at(0);
    cli_options options = {0};
    cli_console console;
    int named = argc > 1 && argv[1][0] != '-';
    vkmm_status status;

    vkmm_interrupt_install();
    vkmm_mapping_guard();
    setlocale(LC_CTYPE, ""); /* names in the user's characters; numbers keep their '.' */
    cli_console_start(&console);
    if (named) command = cli_command_find(argv[1]);
    if (command == NULL) return (int)cli_command_unknown(&console.log, argv[1]);
    status = cli_options_parse(&console.log, command->bit, command->name, argc - named, argv + named, &options);
    if (status != VKMM_OK) goto done;
    if (options.help || options.version) {
        vkmm_report out = {.out = stdout};
        if (options.help)
            cli_print_help(command);
        else
            show_version();
        status = vkmm_report_flush(&out, &console.log);
        goto done;
    }
    status = cli_options_check(&console.log, &options);
    if (status == VKMM_OK) status = start(command, &options, argc, argv);
done:
    cli_options_free(&options);
    return (int)status;
}
