/* Texts that grow: pages and scripts are put together with these. */
#ifndef VKMM_REPORT_BUILD_H
#define VKMM_REPORT_BUILD_H

#include <stddef.h>
#include "base/log.h"

/* A zeroed builder is legal, and empty. When memory ends, `failed` is set, all later calls do nothing, and
 * vkmm_build_take gives NULL. */
typedef struct vkmm_builder {
    char *text; /* owned */
    size_t used, room;
    int failed;
} vkmm_builder;

void vkmm_build(vkmm_builder *builder, const char *format, ...) VKMM_PRINTF(2, 3);
void vkmm_build_bytes(vkmm_builder *builder, const char *bytes, size_t count);
void vkmm_build_text(vkmm_builder *builder, const char *text); /* as it is */

/* A text that a driver, a file or a user chose, for HTML and SVG, within elements and within quoted attributes: & <
 * > " ' are escaped, and what a reader cannot see or what turns the direction of writing (control characters,
 * bidirectional marks, line separators, bytes that are no UTF-8) is spelt out as \xNN or \uNNNN. */
void vkmm_build_html(vkmm_builder *builder, const char *text);

/* What is left of such a text in a script of gnuplot: letters, digits, space and . , : ; ( ) [ ] + - _ / = * stay,
 * everything else (quotes, backquotes, backslashes, @, $, %, {, }, #, ^, line ends, other bytes) is left out. Cut at
 * `most` characters, with ".." for the rest. */
void vkmm_build_plain(vkmm_builder *builder, const char *text, size_t most);

/* The same as a string of gnuplot's, in single quotes, where it interprets nothing. */
void vkmm_build_quoted(vkmm_builder *builder, const char *text, size_t most);

/* The text, 0-terminated, which the caller frees with vkmm_free; *bytes (may be NULL) its length. Empties the
 * builder. NULL when memory ended. */
char *vkmm_build_take(vkmm_builder *builder, size_t *bytes);

void vkmm_build_free(vkmm_builder *builder);

#endif
