#include "system/terminal.h"

#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>

static HANDLE handle_of(FILE *stream)
{
    return (HANDLE)_get_osfhandle(_fileno(stream));
}

/* 0: the stream is not a console. */
static DWORD mode_of(FILE *stream)
{
    DWORD mode = 0;
    return GetConsoleMode(handle_of(stream), &mode) ? mode | ENABLE_PROCESSED_OUTPUT : 0;
}

static UINT code_page_before;

static void restore(void)
{
    SetConsoleOutputCP(code_page_before);
}

void cli_terminal_start(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (int i = 0; i < 3; i++) {
        _setmode(_fileno(streams[i]), _O_BINARY);
        if (i > 0 && mode_of(streams[i]) != 0)
            SetConsoleMode(handle_of(streams[i]), mode_of(streams[i]) | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
    code_page_before = GetConsoleOutputCP();
    if (code_page_before != 0 && SetConsoleOutputCP(CP_UTF8)) atexit(restore);
}

static int is_capable(FILE *stream)
{
    return (mode_of(stream) & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int cli_terminal_utf8(void)
{
    return 1;
}

int cli_terminal_columns(FILE *stream, int otherwise)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of(stream), &info)) return otherwise;
    return info.srWindow.Right - info.srWindow.Left + 1;
}
#else
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

void cli_terminal_start(void)
{
    setlocale(LC_CTYPE, "");
}

static int is_capable(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

int cli_terminal_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int cli_terminal_columns(FILE *stream, int otherwise)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) return otherwise;
    return size.ws_col > 0 ? size.ws_col : 80;
}
#endif

int cli_terminal_escapes(FILE *stream)
{
    const char *term = getenv("TERM");
    return is_capable(stream) && (term == NULL || strcmp(term, "dumb") != 0);
}

int cli_terminal_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    return cli_terminal_escapes(stream) && (no_color == NULL || no_color[0] == '\0');
}
