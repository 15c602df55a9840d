/* Where sensors get their figures from. Private to system/sensors*.c and their tests. */
#ifndef VKMM_BASE_SENSORS_SOURCE_H
#define VKMM_BASE_SENSORS_SOURCE_H

#include "system/sensors.h"

enum { VKMM_LIMITED_POWER = 1, VKMM_LIMITED_HEAT = 2, VKMM_LIMITED_HARDWARE = 4 };

/* Of one device. Functions may be NULL; figures that cannot be read are NAN. Called by one thread at a time. */
typedef struct vkmm_sensor_source {
    char name[32];
    void *state;
    double (*joules)(void *state);    /* by a counter, from an arbitrary start; at least once while one runs around */
    double (*watts)(void *state);     /* now, or on average over a short while */
    double (*mhz)(void *state);       /* above 0 */
    unsigned (*limited)(void *state); /* VKMM_LIMITED_* that hold now */
    void (*close)(void *state);
    double (*others)(void *state); /* seconds of processor time that all but this process took since the system began */
} vkmm_sensor_source;

/* Each: 1 and *source, if any figure can be read now. */
int vkmm_sensor_nvml(const char *library, const uint32_t pci[4], vkmm_sensor_source *source);
int vkmm_sensor_gpu(const char *root, const uint32_t pci[4], vkmm_sensor_source *source); /* by its driver's files */
int vkmm_sensor_host(const char *root, vkmm_sensor_source *source);

/* A counter of energy as it is seen to move. It does so in steps, some every 100 ms, so that what it counted between
 * any two looks is off by up to a step: between two moves it is right. */
typedef struct vkmm_sensor_steps {
    double joules;                 /* at the last look; NAN before */
    double first_ms, first_joules; /* at the first move that was seen */
    double last_ms, last_joules;   /* at the last one */
    uint32_t count;                /* of moves */
} vkmm_sensor_steps;

/* A look at a counter (joules may be NAN). Steps begin zeroed, but for joules. */
void vkmm_sensor_look(vkmm_sensor_steps *steps, double ms, double joules);

/* The average power from the first move to the last; NAN where they are less than least_ms apart, or the counter
 * went back. */
double vkmm_sensor_power(const vkmm_sensor_steps *steps, double least_ms);

/* One look at all figures, as the thread that watches takes them every 10 ms. */
void vkmm_sensors_look(vkmm_sensors *sensors);

/* vkmm_sensors_open with another name for NVML's library; "": without it. */
vkmm_sensors *vkmm_sensors_open_with(const uint32_t pci[4], const char *root, const char *nvml);

#endif
