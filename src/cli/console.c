#include "cli/console.h"

#include "base/clean.h"
#include "base/interrupt.h"
#include "base/terminal.h"

#include <stdarg.h>
#include <stdio.h>

static void write_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    cli_console *console = user;

    if (level == VKMM_LOG_ERROR) snprintf(console->last_error, sizeof console->last_error, "%s", sentence);
    if (console->muted || level == VKMM_LOG_INFO) return;
    cli_progress_end(console);
    fprintf(stderr, "vkmatmul: %s%s\n", level == VKMM_LOG_WARNING ? "warning: " : "", sentence);
}

void cli_console_start(cli_console *console)
{
    *console = (cli_console){{write_sentence, console}, vkmm_terminal_is(stderr), vkmm_terminal_utf8(), 0, 0, ""};
}

void cli_progress(cli_console *console, const char *format, ...)
{
    char raw[400], line[400];
    va_list arguments;

    if (!console->interactive) return;
    vkmm_interrupt_wipes(1);
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    vkmm_clean(line, sizeof line, raw); /* names of devices and files */
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    console->progress_shown = 1;
}

void cli_progress_end(cli_console *console)
{
    if (!console->progress_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    vkmm_interrupt_wipes(0);
    console->progress_shown = 0;
}
