/* Sentences for people, broken between words, and texts in Markdown. */
#ifndef VKMM_REPORT_WRAP_H
#define VKMM_REPORT_WRAP_H

#include "report/columns.h"

/* Writes a text whose first line begins at column `indent`, and the others too; no line is longer than
 * report->columns (or 80). Ends the last line. Texts of drivers and files are to be clean
 * (vkmm_clean). */
void vkmm_wrap(const vkmm_report *report, int indent, const char *text);

/* A sentence below a table: indented on all lines, as wide as the terminal; without one, all is one line. In Markdown
 * an entry of a list. Cleans what it says, which may be 4000 bytes. */
void vkmm_report_say(const vkmm_report *report, int indent, vkmm_paint paint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A name of a driver, a file or a user as Markdown that means itself: no markup, no links, no mentions of people, no
 * end of a table's cell. */
void vkmm_md_text(FILE *out, const char *text);

#endif
