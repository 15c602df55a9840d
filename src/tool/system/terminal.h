/* Capabilities of the terminal. */
#ifndef VKMM_BASE_TERMINAL_H
#define VKMM_BASE_TERMINAL_H

#include <stdio.h>

/* 1 when the stream is a terminal. */
int vkmm_terminal_is(FILE *stream);

/* 1 when the stream is a terminal that understands escape sequences: TERM is not "dumb". */
int vkmm_terminal_escapes(FILE *stream);

/* 1 when it may also show colour: NO_COLOR (https://no-color.org) is unset or empty. */
int vkmm_terminal_colour(FILE *stream);

/* 1 when the locale's character set is UTF-8 (needs setlocale first). */
int vkmm_terminal_utf8(void);

/* Columns of the terminal, 80 when unknown. */
int vkmm_terminal_columns(FILE *stream);

#endif
