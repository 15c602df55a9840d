#include "report/columns.h"

#include <stdarg.h>
#include <string.h>

enum { USUAL_COLUMNS = 80, NARROWEST = 24, NEAR = 4 };

/* Columns of the first `length` bytes: every byte that begins a character. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* The number of bytes of a word that fit in so many columns. */
static int cut(const char *word, int length, int columns)
{
    while (columns_of(word, (size_t)length) > columns) do
            length--;
        while (((unsigned char)word[length] & 0xc0) == 0x80);
    return length;
}

/* width: 0 for any. If the indent leaves too little of it, all lines begin further to the left. Words that are longer
 * than a line are split. */
static void wrap(const cli_report *report, int indent, int width, const char *text)
{
    int used = 0;
    if (width > 0 && width < indent + NARROWEST) fprintf(report->out, "\n%*s", indent = NEAR, "");
    while (*text != '\0') {
        int blank = (int)strspn(text, " "), length = (int)strcspn(text + blank, " "),
            columns = columns_of(text + blank, (size_t)length);
        if (length == 0) break;
        if (used > 0 && width > 0 && indent + used + blank + columns > width) {
            fprintf(report->out, "\n%*s", indent, "");
            used = 0;
        }
        text += blank;
        if (used == 0) blank = 0;
        if (width > indent && columns > width - indent) length = cut(text, length, columns = width - indent);
        fprintf(report->out, "%*s%.*s", blank, "", length, text);
        used += blank + columns;
        text += length;
    }
    putc('\n', report->out);
}

void cli_wrap(const cli_report *report, int indent, const char *text)
{
    wrap(report, indent, report->columns > 0 && report->columns < USUAL_COLUMNS ? report->columns : USUAL_COLUMNS,
         text);
}

void cli_md_text(FILE *out, const char *text)
{
    char clean[4000];
    VKMM_CLEAN(clean, text);
    for (const char *c = clean; *c != '\0'; c++) {
        int links = strncmp(c, "://", 3) == 0 || (*c == '.' && c - clean >= 3 && strncmp(c - 3, "www", 3) == 0);
        if (links || strchr("\\`*_{}[]<>#|~&!$^=", *c) != NULL) putc('\\', out);
        putc(*c, out);
        if (*c == '@') fputs("<!-- -->", out); /* no escape prevents a mention */
    }
}

void cli_report_say(const cli_report *report, int indent, cli_paint paint, const char *format, ...)
{
    char text[4000], clean[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (report->markdown) {
        fputs("- ", report->out);
        cli_md_text(report->out, text);
        putc('\n', report->out);
        return;
    }
    VKMM_CLEAN(clean, text);
    fprintf(report->out, "%s%*s", cli_paint_on(report, paint), indent, "");
    wrap(report, indent, report->columns, clean);
    fputs(cli_paint_off(report, paint), report->out);
}
