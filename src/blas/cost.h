/* cost.h: how long the host and the device take for a product, learned from what they took, and who should compute the
 * next. Nothing here calls either.
 *  Products of a type are of the same class if the logarithms of their volume (m·n·k) and of their smallest extent,
 * rounded down, are equal; of each class the time per multiplication is kept. A class that has not been measured is
 * judged by the nearest one: at best its time grows with the operands' bytes, at worst with the volume.
 *   The device is given a product if it is expected to be faster, and also to find out if that is so where it may be
 * twice as fast: but only as long as all that has been lost and not gained since, with all that could be lost by this
 * attempt, is at most a part of the time that the program has run (VKBLAS_RISK). So a program loses no more than that
 * part. Only where a product takes the host half as long as an attempt or longer, earlier programs count too: all of
 * them together lose no more, and a program of a few large products need not be long to find the device. One loss is
 * larger: where nothing is known of the device yet, it is opened and probed for a product that is expected to take the
 * host longer than that. Not safe from several threads. */
#ifndef VKBLAS_COST_H
#define VKBLAS_COST_H

#include <stdio.h>

#include "blas.h"

#define VKBLAS_RISK 0.04 /* of the program's time so far */

enum { VKBLAS_VOLUMES = 48, VKBLAS_EXTENTS = 16, VKBLAS_HOST = 0, VKBLAS_DEVICE = 1 };

typedef struct vkblas_cell {
    float ns;  /* per multiplication; falls at once, and rises slowly */
    int count; /* of measurements; 0: none */
} vkblas_cell;

/* Zeroed: nothing is known. */
typedef struct vkblas_cost {
    vkblas_cell cells[2][VKBLAS_TYPES][VKBLAS_VOLUMES][VKBLAS_EXTENTS];
    char known[2][VKBLAS_TYPES]; /* a class has been measured */
    double open_ms;              /* what opening the device takes; 0: not known */
    double attempt_ms;           /* what the first product of a kind takes on the device in addition; 0: not known */
    double lost_ms;              /* by this process */
    double before_ms;            /* that earlier processes ran, lately, */
    double before_lost_ms;       /* and lost */
    int opened;                  /* the device is open */
} vkblas_cost;

typedef enum vkblas_choice {
    VKBLAS_TO_HOST,
    VKBLAS_TO_DEVICE, /* expected to be faster */
    VKBLAS_TO_TRY,    /* may be faster */
    VKBLAS_TO_PROBE   /* nothing is known of the device: it may be opened, and a small product timed */
} vkblas_choice;

/* The edge of the next product to probe with: what is small on a fast device says too little of large products. */
int64_t vkblas_cost_probe_edge(const vkblas_cost *cost, vkblas_type type);

/* What is expected of both; negative: not known. */
typedef struct vkblas_expected {
    double host_ms, device_ms;
} vkblas_expected;

/* run_ms: how long the program has run. expected may be NULL. */
vkblas_choice vkblas_cost_choose(const vkblas_cost *cost, vkblas_type type, vkblas_extents e, double run_ms,
                                 vkblas_expected *expected);

/* A product took this long. On the device: what it lost against the host is added to lost_ms, what it gained is taken
 * off. */
void vkblas_cost_learn(vkblas_cost *cost, int where, vkblas_type type, vkblas_extents e, double ms);

/* The process has run for so long, and ends: its time and its losses become those of earlier ones. */
void vkblas_cost_end(vkblas_cost *cost, double run_ms);

/* The device does not have products of this type. */
void vkblas_cost_never(vkblas_cost *cost, vkblas_type type);

/* What was learned of the device is another's. */
void vkblas_cost_forget_device(vkblas_cost *cost);

/* As text. read: what is damaged is ignored; returns 0 if nothing was read because the first line is not `key`. */
void vkblas_cost_write(const vkblas_cost *cost, const char *key, FILE *file);
int vkblas_cost_read(vkblas_cost *cost, const char *key, FILE *file);

/* ---- learned.c: the costs of this process, with the device; from any thread ---- */

/* Reads what earlier processes have learned of this host's BLAS with so many threads, and of the device. */
void vkblas_learned_begin(void);

/* Nothing is kept. In the child of a fork. */
void vkblas_learned_forget(void);

/* Opens the device and probes it if that is the choice, and then chooses again. */
vkblas_choice vkblas_learned_choose(vkblas_type type, vkblas_extents e, vkblas_expected *expected);
void vkblas_learned_add(int where, vkblas_type type, vkblas_extents e, double ms);

#endif
