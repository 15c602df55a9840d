/* "did you mean …?" */
#pragma once

#include <stdint.h>

/* The index-th known word; NULL past the end. */
typedef const char *(*cli_words)(uint32_t index);

/* Edit distance: letters to insert, remove, replace or swap with a neighbour, ignoring case. Only the first 31 bytes of
 * each word count. */
unsigned cli_distance(const char *a, const char *b);

/* The known word nearest to `word`, or NULL if none is near. Near means at most one mistake in three letters. */
const char *cli_suggest(const char *word, cli_words words);

/* The nearer of two words to `word`: `candidate`, if it is near, or `best`, an earlier result or NULL. */
const char *cli_nearer(const char *word, const char *best, const char *candidate);
