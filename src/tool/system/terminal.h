/* Capabilities of the terminal. */
#pragma once

#include <stdio.h>

/* Called once, at the start: characters are those of the user's locale, and numbers keep their '.'. On Windows the
 * console gets UTF-8 and escape sequences, and the three standard streams are binary: a line ends with \n. */
void cli_terminal_start(void);

/* 1 when the stream is a terminal that understands escape sequences: TERM is not "dumb". Windows has them since 10. */
int cli_terminal_escapes(FILE *stream);

/* 1 when it may also show colour: NO_COLOR (https://no-color.org) is unset or empty. */
int cli_terminal_colour(FILE *stream);

/* 1 when the locale's character set is UTF-8. */
int cli_terminal_utf8(void);

/* Columns of the terminal, 80 if it does not report them; `otherwise` if the stream is not a terminal. */
int cli_terminal_columns(FILE *stream, int otherwise);
