/* cost.h: how long the host and the device take for a product, and which of them computes the next. Nothing here calls
 * either.
 *   Products of a type are of the same class if the logarithms of their volume (m·n·k) and of their smallest extent,
 * rounded down, are equal; of each class the time per multiplication is kept. A class that has not been measured is
 * judged by the nearest one: at best its time grows with the operands' bytes, at worst with the volume.
 *   The host is measured by the program's own calls. The device is first tried in the background with a product of the
 * class, where kernels are compiled and memory is allocated. Meanwhile the host needs the same processors, so a trial
 * may take three times as long as the same call of the program: if even a third is slower than the host, the host keeps
 * the class. Otherwise the program's next two products of the class go to the device, and what they take decides. Not
 * safe from several threads. */
#pragma once

#include <stdio.h>

#include "vkblas.h"

enum { VKBLAS_VOLUMES = 48, VKBLAS_EXTENTS = 16, VKBLAS_SURE = 3 };

typedef enum vkblas_place { VKBLAS_HOST, VKBLAS_DEVICE, VKBLAS_TRIAL, VKBLAS_PLACES } vkblas_place;

typedef struct vkblas_class {
    float ns;     /* per multiplication. The host: the fastest, which rises slowly; the device: a mean, like this one */
    float all_ms; /* of this process's measurements together */
    int count;    /* of measurements, at most VKBLAS_SURE; 0: none */
} vkblas_class;

/* Zeroed: nothing is known. */
typedef struct vkblas_cost {
    vkblas_class classes[VKBLAS_PLACES][VKBLAS_TYPES][VKBLAS_VOLUMES][VKBLAS_EXTENTS];
    char never[VKBLAS_TYPES]; /* the device does not have products of the type */
    double open_ms;           /* what opening the device takes; 0: not known */
    double host_ms;           /* of this process: products on the host, */
    double wasted_ms;         /* what the open device would have saved of them, */
    double trials_ms;         /* and processor time of trials */
    int is_open;
} vkblas_cost;

typedef enum vkblas_choice {
    VKBLAS_TO_HOST,
    VKBLAS_TO_DEVICE,
    VKBLAS_TO_TRY, /* the host's, while the class is tried on the device in the background */
    VKBLAS_TO_OPEN /* the device's, which is not open: opening it and computing there is faster than the host */
} vkblas_choice;

/* The reason and what is expected of both are in *turn, which may be NULL. */
vkblas_choice vkblas_cost_choose(vkblas_cost *cost, vkblas_type type, vkblas_extents e, vkblas_turn *turn);

/* A product took this long. */
void vkblas_cost_learn(vkblas_cost *cost, vkblas_place where, vkblas_type type, vkblas_extents e, double ms);

/* Bytes of A, B and C. */
double vkblas_cost_bytes(vkblas_type type, vkblas_extents e);

/* The extents to try a class with: those of the product, or of a smaller one if its operands are large. */
vkblas_extents vkblas_cost_trial(vkblas_type type, vkblas_extents e);

/* A product that takes the device at most so long in a trial need not be tried again; infinite if the class has been
 * tried. */
double vkblas_cost_enough_ms(const vkblas_cost *cost, vkblas_type type, vkblas_extents e);

/* What was learned of the device is another's. */
void vkblas_cost_forget_device(vkblas_cost *cost);

/* As text. read: what is damaged is ignored; returns 0 if nothing was read because the first line is not `key`. */
void vkblas_cost_write(const vkblas_cost *cost, const char *key, FILE *file);
int vkblas_cost_read(vkblas_cost *cost, const char *key, FILE *file);

/* ---- learned.c: the costs of this process, with the device; from any thread ---- */

/* Reads what earlier processes have learned of this host's BLAS with so many threads, and of the device. */
void vkblas_learned_begin(void);

/* Nothing is kept, and nothing runs in the background. In the child of a fork. */
void vkblas_learned_forget(void);

/* Who computes a product: the device if VKBLAS_TO_DEVICE, otherwise the host. A thread opens the device and tries it in
 * the background. No call waits for it; exit waits for its step at hand. */
vkblas_choice vkblas_learned_choose(vkblas_type type, vkblas_extents e, vkblas_turn *turn);
void vkblas_learned_add(vkblas_place where, vkblas_type type, vkblas_extents e, double ms);
