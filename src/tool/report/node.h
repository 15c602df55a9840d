/* Reading untrusted JSON: a node knows its path, so that errors can name it. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"

enum { CLI_SENTENCE = 256 }; /* bytes of one */

/* One reading. Only the first error is kept; reading may continue after it, and the sentence is checked at the end. */
typedef struct cli_reading {
    char sentence[CLI_SENTENCE]; /* "": no error */
    int out_of_memory;
    uint32_t samples_left; /* that may still be read: limits the memory that a file can use */
} cli_reading;

typedef struct cli_node {
    const json_t *json; /* NULL: absent, or null */
    const struct cli_node *parent;
    const char *key; /* NULL: the index applies; of the root: how its path begins, or "" */
    size_t index;
    cli_reading *reading;
} cli_node;

cli_node cli_node_root(cli_reading *reading, const json_t *json);
cli_node cli_node_key(const cli_node *parent, const char *key); /* absent if the parent is not an object */
cli_node cli_node_at(const cli_node *parent, size_t index);

/* Reports what is wrong with a node, after its path, unless there was an error before. Returns 0. */
int cli_node_fail(const cli_node *node, const char *format, ...) VKMM_PRINTF(2, 3);

/* 1 if it is present and of the right kind. An absent one is an error only with `needed`. */
int cli_node_is_object(const cli_node *node, int needed);
int cli_node_is_list(const cli_node *node, size_t most); /* of at most so many entries; may be absent */

#define CLI_MOST_SAMPLES 10000000u /* of one document */

/* Each leaves *value unchanged if the node is absent or wrong. */
void cli_node_number(const cli_node *node, double most, double *value);      /* from 0 */
void cli_node_signed(const cli_node *node, double *value);                   /* any */
void cli_node_integer(const cli_node *node, uint64_t most, uint64_t *value); /* a real above 2^63 is near enough */
void cli_node_truth(const cli_node *node, int *value);                       /* 0, 1 */
void cli_node_text(const cli_node *node, char *text, size_t size);           /* cut at a whole character */
