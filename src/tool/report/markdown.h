/* Markdown as GitHub reads it. */
#ifndef VKMM_REPORT_MARKDOWN_H
#define VKMM_REPORT_MARKDOWN_H

#include <stdio.h>

/* A name of a driver, a file or a user as text that means itself: no markup, no links, no mentions of people, no end
 * of a table's cell. */
void vkmm_md_text(FILE *out, const char *text);

#endif
