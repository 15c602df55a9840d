/* Sentences for people, wrapped between words, and texts in Markdown. */
#pragma once

#include "base/clean.h"
#include "report/columns.h"

/* Writes a text whose lines begin at column `indent`; no line is longer than report->columns (or 80). Ends the last
 * line. Texts of drivers and files must be clean (vkmm_clean). */
void cli_wrap(const cli_report *report, int indent, const char *text);

/* A sentence below a table: indented on all lines, as wide as the terminal; without a terminal, a single line. In
 * Markdown, a list item. Cleans the text, which may have 4000 bytes. */
void cli_report_say(const cli_report *report, int indent, cli_paint paint, const char *format, ...) VKMM_PRINTF(4, 5);

/* A name of a driver, a file or a user, escaped for Markdown: no markup, no links, no mentions of people, no end of a
 * table cell. */
void cli_md_text(FILE *out, const char *text);
