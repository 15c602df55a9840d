/* "did you mean …?" */
#ifndef VKMM_CLI_SUGGEST_H
#define VKMM_CLI_SUGGEST_H

#include <stdint.h>

/* The index-th known word; NULL past the end. */
typedef const char *(*cli_words)(uint32_t index);

/* How many letters must be inserted, removed, replaced or swapped with a neighbour to turn one word into the other,
 * whatever their case. Only the first 31 bytes of each count. */
unsigned cli_distance(const char *a, const char *b);

/* The known word nearest to `word`, or NULL if none is near. Near means at most one mistake in three letters. */
const char *cli_suggest(const char *word, cli_words words);

/* Of `candidate` and `best`, an earlier result or NULL, the one that is nearer to `word`, if it is near. */
const char *cli_nearer(const char *word, const char *best, const char *candidate);

#endif
