/* Sources of sensor figures. Private to system/sensors*.c and their tests. */
#pragma once

#include "system/sensors.h"

enum { CLI_LIMITED_POWER = 1, CLI_LIMITED_HEAT = 2, CLI_LIMITED_HARDWARE = 4 };

/* Sensors of one device. Functions may be NULL and are called by one thread at a time; NAN: the figure is not
 * available. */
typedef struct cli_sensor_source {
    char name[32];
    void *state;
    double (*joules)(void *state);    /* from a counter with an arbitrary start; read at least once per wrap-around */
    double (*watts)(void *state);     /* now, or on average over a short while */
    double (*mhz)(void *state);       /* above 0 */
    unsigned (*limited)(void *state); /* bits CLI_LIMITED_*: the current limits */
    void (*close)(void *state);
    double (*others)(void *state); /* processor time of all other processes since the system started, in seconds */
} cli_sensor_source;

/* Open a source: 1 and *source, if any figure can be read now. */
int cli_sensor_nvml(const char *library, const uint32_t pci[4], cli_sensor_source *source);
int cli_sensor_gpu(const char *root, const uint32_t pci[4], cli_sensor_source *source); /* from its driver's files */
int cli_sensor_host(const char *root, cli_sensor_source *source);

/* The observed updates of an energy counter. Some counters are updated only every 100 ms, so the difference between two
 * readings is off by up to an update; the difference between two updates is exact. */
typedef struct cli_sensor_steps {
    double joules;                 /* at the last reading; NAN before */
    double first_ms, first_joules; /* at the first observed update */
    double last_ms, last_joules;   /* at the last one */
    uint32_t count;                /* updates observed */
} cli_sensor_steps;

/* Adds a reading of a counter (joules may be NAN). Steps begin zeroed, except for joules, which is NAN. */
void cli_sensor_look(cli_sensor_steps *steps, double ms, double joules);

/* The average power from the first update to the last; NAN if they are less than least_ms apart, or the counter
 * decreased. */
double cli_sensor_power(const cli_sensor_steps *steps, double least_ms);

/* Reads all figures once, as the watching thread does every 10 ms. */
void cli_sensors_look(cli_sensors *sensors);

/* cli_sensors_open with another parent folder of /sys, and another name for NVML's library; "": without it. */
cli_sensors *cli_sensors_open_with(const uint32_t pci[4], const char *root, const char *nvml);
