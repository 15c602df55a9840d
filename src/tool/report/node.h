/* Walking through JSON that nobody vouches for: a node knows where it stands, so that what is wrong with it can be
 * said. */
#ifndef VKMM_REPORT_NODE_H
#define VKMM_REPORT_NODE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"

enum { VKMM_SENTENCE = 256 }; /* bytes of one */

/* One reading: the first thing that is wrong ends it, though not at once; the sentence is looked at in the end. */
typedef struct vkmm_reading {
    char sentence[VKMM_SENTENCE]; /* "": all is well */
    int out_of_memory;
    uint32_t samples_left; /* that may still come: bounds what a file can take of memory */
} vkmm_reading;

typedef struct vkmm_node {
    const json_t *json; /* NULL: absent, or null */
    const struct vkmm_node *parent;
    const char *key; /* NULL: the index counts; of the root: how its path begins, or "" */
    size_t index;
    vkmm_reading *reading;
} vkmm_node;

vkmm_node vkmm_node_root(vkmm_reading *reading, const json_t *json);
vkmm_node vkmm_node_key(const vkmm_node *parent, const char *key); /* absent where the parent is no object */
vkmm_node vkmm_node_at(const vkmm_node *parent, size_t index);

/* Says what is wrong with a node, after its path, unless something was wrong before. Returns 0. */
int vkmm_node_fail(const vkmm_node *node, const char *format, ...) VKMM_PRINTF(2, 3);

/* 1 when it is there and what it should be. An absent one is no failure; with `needed` it is. */
int vkmm_node_is_object(const vkmm_node *node, int needed);
int vkmm_node_is_list(const vkmm_node *node, int needed, size_t most);

#define VKMM_MOST_SAMPLES 10000000u /* of one document */

/* Each leaves *value alone when the node is absent or wrong. */
void vkmm_node_number(const vkmm_node *node, double most, double *value);      /* from 0 */
void vkmm_node_signed(const vkmm_node *node, double *value);                   /* any */
void vkmm_node_integer(const vkmm_node *node, uint64_t most, uint64_t *value); /* a real above 2^63 is near enough */
void vkmm_node_truth(const vkmm_node *node, int *value);                       /* 0, 1 */
void vkmm_node_text(const vkmm_node *node, char *text, size_t size);           /* cut at a whole character */

#endif
