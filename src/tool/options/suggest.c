#include "options/options.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 31 };

static int differ(char a, char b)
{
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance: letters to insert, remove, replace or swap with a neighbour, ignoring case. Only the first 31 bytes of
 * each word count. Optimal string alignment: row i of the table holds the distances of a's first i letters to all
 * beginnings of b. */
static unsigned distance_of(const char *a, const char *b)
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
                                table[i - 1][j - 1] + (unsigned)differ(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[rows][cols];
}

const char *cli_nearer(const char *word, const char *best, const char *candidate)
{
    const unsigned distance = distance_of(word, candidate);
    if (distance > (strnlen(word, LONGEST) + 2) / 3) return best;
    return best == NULL || distance < distance_of(word, best) ? candidate : best;
}

const char *cli_suggest(const char *word, cli_words words)
{
    const char *best = NULL;
    for (uint32_t i = 0; words(i) != NULL; i++) best = cli_nearer(word, best, words(i));
    return best;
}
