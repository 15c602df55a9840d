#include "session/console.h"

#include "base/clean.h"
#include "report/columns.h"
#include "system/interrupt.h"
#include "system/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

/* Any thread may log a sentence. */
static mtx_t lock;
static once_flag lock_once = ONCE_FLAG_INIT;

static void make_lock(void)
{
    mtx_init(&lock, mtx_plain);
}

static void show(cli_console *console, const char *before, const char *sentence)
{
    const cli_report terminal = {.out = stderr, .columns = cli_terminal_columns(stderr, 80)};
    cli_progress_end(console);
    fputs(before, stderr);
    if (console->interactive)
        cli_wrap(&terminal, (int)strlen(before), sentence);
    else
        fprintf(stderr, "%s\n", sentence);
}

static void write_locked(cli_console *console, vkmm_log_level level, const char *sentence)
{
    if (level == VKMM_LOG_ERROR) {
        size_t used = console->holding ? strlen(console->last_error) : 0;
        snprintf(console->last_error + used, sizeof console->last_error - used, "%s%s", used > 0 ? "; " : "", sentence);
        if (console->holding) return;
    }
    if (console->muted || level == VKMM_LOG_INFO) return;
    show(console, level == VKMM_LOG_WARNING ? "vkmatmul: warning: " : "vkmatmul: ", sentence);
}

static void write_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    call_once(&lock_once, make_lock);
    mtx_lock(&lock);
    write_locked(user, level, sentence);
    mtx_unlock(&lock);
}

void cli_console_start(cli_console *console)
{
    *console = (cli_console){
        .log = {write_sentence, console}, .interactive = cli_terminal_escapes(stderr), .utf8 = cli_terminal_utf8()};
}

void cli_progress(cli_console *console, const char *format, ...)
{
    char raw[400], line[400];
    va_list arguments;
    int columns;
    if (!console->interactive) return;
    cli_interrupt_wipes(1);
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    /* A line that the terminal wraps could not be erased. No character has more columns than bytes. */
    columns = cli_terminal_columns(stderr, 80);
    vkmm_clean(line, columns < (int)sizeof line ? (size_t)columns : sizeof line, raw); /* names of devices and files */
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    console->progress_shown = 1;
}

void cli_note(cli_console *console, const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    show(console, "vkmatmul: ", sentence);
}

void cli_progress_end(cli_console *console)
{
    if (!console->progress_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    cli_interrupt_wipes(0);
    console->progress_shown = 0;
}

void cli_console_hold(cli_console *console)
{
    console->holding = 1;
    console->last_error[0] = '\0';
}

void cli_console_release(cli_console *console)
{
    console->holding = 0;
}
