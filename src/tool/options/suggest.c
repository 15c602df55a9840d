#include "options/suggest.h"

#include <string.h>

enum { LONGEST = 31 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: row i of the table holds the distances of a's first i letters to all beginnings of b. */
unsigned cli_distance(const char *a, const char *b)
{
    unsigned table[LONGEST + 1][LONGEST + 1];
    unsigned rows = (unsigned)strnlen(a, LONGEST), cols = (unsigned)strnlen(b, LONGEST);

    for (unsigned i = 0; i <= rows; i++) {
        for (unsigned j = 0; j <= cols; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = least(least(table[i - 1][j], table[i][j - 1]) + 1,
                                table[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[rows][cols];
}

int cli_is_near(const char *word, unsigned distance)
{
    return distance <= (strnlen(word, LONGEST) + 2) / 3;
}

const char *cli_suggest(const char *word, cli_words words)
{
    const char *best = NULL;
    unsigned best_distance = 0;

    for (uint32_t i = 0; words(i) != NULL; i++) {
        unsigned distance = cli_distance(word, words(i));
        if (best == NULL || distance < best_distance) {
            best = words(i);
            best_distance = distance;
        }
    }
    return best != NULL && cli_is_near(word, best_distance) ? best : NULL;
}
