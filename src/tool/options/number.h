/* Whole numbers as people type them: digits alone, no sign, no space. */
#ifndef VKMM_CLI_NUMBER_H
#define VKMM_CLI_NUMBER_H

#include <stdint.h>

/* Reads digits at *text up to the first other character and moves *text there. 1 and *value; 0 when there is no
 * digit; -1 when the number does not fit in 64 bits (the digits are then skipped too). */
int cli_read_number(const char **text, uint64_t *value);

/* Skips "x", "X" or "×" at *text: 1, or 0 when there is none. */
int cli_read_times(const char **text);

#endif
