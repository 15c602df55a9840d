/* "did you mean …?" */
#pragma once

#include <stdint.h>

/* The index-th known word; NULL past the end. */
typedef const char *(*cli_words)(uint32_t index);

/* The known word nearest to `word`, or NULL if none is near. Near means at most one mistake in three letters. */
const char *cli_suggest(const char *word, cli_words words);

/* The nearer of two words to `word`: `candidate`, if it is near, or `best`, an earlier result or NULL. */
const char *cli_nearer(const char *word, const char *best, const char *candidate);
