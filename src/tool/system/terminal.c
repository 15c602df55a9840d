#include "system/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int vkmm_terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

int vkmm_terminal_escapes(FILE *stream)
{
    const char *term = getenv("TERM");
    return vkmm_terminal_is(stream) && (term == NULL || strcmp(term, "dumb") != 0);
}

int vkmm_terminal_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    return vkmm_terminal_escapes(stream) && (no_color == NULL || no_color[0] == '\0');
}

int vkmm_terminal_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int vkmm_terminal_columns(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}
