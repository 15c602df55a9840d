/* Sentences for people, broken between words. */
#ifndef VKMM_REPORT_WRAP_H
#define VKMM_REPORT_WRAP_H

#include "report/report.h"

/* Writes a text whose first line begins at column `indent`, and the others too; no line is longer than
 * report->columns (or 80), but for a word that is. Ends the last line. Texts of drivers and files are to be clean
 * (vkmm_text_clean). */
void vkmm_wrap(const vkmm_report *report, int indent, const char *text);

/* The same below a table: the first line is indented as well, and lines are as wide as the terminal; without one,
 * all is one line. */
void vkmm_print_wrapped(const vkmm_report *report, const char *text, int indent);

#endif
