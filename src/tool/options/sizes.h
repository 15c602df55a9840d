/* The grammar of --size:
 *
 *     sizes = item { "," item }
 *     item  = N | M "x" N "x" K | range
 *     range = start ":" end ":x" factor      each start · factor^i up to end
 *           | start ":" end ":+" step        each start + step · i up to end
 *           | start ":" end ":"  step        the same
 *
 * N is a square problem, M = N = K; a range counts such N. "X" and "×" serve as "x" too, and before a
 * factor "*", which some shells expand. */
#pragma once

#include "vkmatmul.h"

#define CLI_MAX_SIZES  4096       /* problems in one list */
#define CLI_MAX_EXTENT UINT32_MAX /* elements along one dimension */

typedef struct cli_size {
    uint64_t m, n, k;
} cli_size;

typedef struct cli_sizes {
    cli_size *item; /* owned */
    uint32_t count;
} cli_sizes;

/* VKMM_INVALID, with the offending item and the grammar or the limit that it breaks; *sizes is then empty. extents: 3,
 * or 2 for matrices, N | M "x" N, and ranges of squares: k is then 0 in every item. */
vkmm_status cli_sizes_parse(const char *text, int extents, cli_sizes *sizes);
void cli_sizes_free(cli_sizes *sizes); /* a zeroed cli_sizes is legal */

/* Reads digits at *text up to the first other character and moves *text there. 1 and *value; 0 if there is no digit; -1
 * if the number does not fit in 64 bits (the digits are then skipped too). */
int cli_read_number(const char **text, uint64_t *value);

/* Skips "x", "X" or "×" at *text: 1, or 0 if there is none. */
int cli_read_times(const char **text);
