/* Makes texts from outside safe for a terminal and its reader; and lists of such texts. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include "base/array.h"

#if defined(__MINGW32__) /* where "printf" is that of an old C library, without %zu */
#define VKMM_PRINTF(format_index, first_argument) __attribute__((format(gnu_printf, format_index, first_argument)))
#elif defined(__GNUC__)
#define VKMM_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define VKMM_PRINTF(format_index, first_argument)
#endif

/* Copies a text: control characters (C0, DEL and C1, line ends among them), those that change the direction of a line
 * or end it (U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), and bytes that are not UTF-8 become \xNN, a byte at a
 * time. Cut to fit `size` bytes, never within a character or a \xNN. */
void vkmm_clean(char *text, size_t size, const char *name);

/* Adds one more entry to a text, after a separator unless it is the first. Cut to fit. */
void vkmm_join(char *text, size_t size, const char *separator, const char *format, ...) VKMM_PRINTF(4, 5);

/* snprintf and the two above, for an array of char as a whole. */
#define VKMM_PUT(array, ...)   snprintf(VKMM_ROOM(array), __VA_ARGS__)
#define VKMM_CLEAN(array, ...) vkmm_clean(VKMM_ROOM(array), __VA_ARGS__)
#define VKMM_JOIN(array, ...)  vkmm_join(VKMM_ROOM(array), __VA_ARGS__)
