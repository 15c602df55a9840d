/* Reading untrusted JSON: a node knows its path, so that errors can name it. */
#ifndef VKMM_REPORT_NODE_H
#define VKMM_REPORT_NODE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"

enum { VKMM_SENTENCE = 256 }; /* bytes of one */

/* One reading. Only the first error is kept; reading may continue after it, and the sentence is checked at the end. */
typedef struct vkmm_reading {
    char sentence[VKMM_SENTENCE]; /* "": no error */
    int out_of_memory;
    uint32_t samples_left; /* that may still be read: limits the memory that a file can use */
} vkmm_reading;

typedef struct vkmm_node {
    const json_t *json; /* NULL: absent, or null */
    const struct vkmm_node *parent;
    const char *key; /* NULL: the index applies; of the root: how its path begins, or "" */
    size_t index;
    vkmm_reading *reading;
} vkmm_node;

vkmm_node vkmm_node_root(vkmm_reading *reading, const json_t *json);
vkmm_node vkmm_node_key(const vkmm_node *parent, const char *key); /* absent if the parent is not an object */
vkmm_node vkmm_node_at(const vkmm_node *parent, size_t index);

/* Reports what is wrong with a node, after its path, unless there was an error before. Returns 0. */
int vkmm_node_fail(const vkmm_node *node, const char *format, ...) VKMM_PRINTF(2, 3);

/* 1 if it is present and of the right kind. An absent one is an error only with `needed`. */
int vkmm_node_is_object(const vkmm_node *node, int needed);
int vkmm_node_is_list(const vkmm_node *node, size_t most); /* of at most so many entries; may be absent */

#define VKMM_MOST_SAMPLES 10000000u /* of one document */

/* Each leaves *value unchanged if the node is absent or wrong. */
void vkmm_node_number(const vkmm_node *node, double most, double *value);      /* from 0 */
void vkmm_node_signed(const vkmm_node *node, double *value);                   /* any */
void vkmm_node_integer(const vkmm_node *node, uint64_t most, uint64_t *value); /* a real above 2^63 is near enough */
void vkmm_node_truth(const vkmm_node *node, int *value);                       /* 0, 1 */
void vkmm_node_text(const vkmm_node *node, char *text, size_t size);           /* cut at a whole character */

#endif
