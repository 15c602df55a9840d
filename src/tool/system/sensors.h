/* Power, energy and clocks of a device, as far as the system lets an ordinary user read them. */
#pragma once

#include "vkmatmul.h"

/* Sources, of which the first that works is used: NVML (libnvidia-ml.so.1 or nvml.dll, opened at run time), amdgpu's
 * and i915's/xe's files in sysfs, RAPL and cpufreq for a processor. Windows has no figures but NVML's, and the time
 * that other processes used. Used by one thread at a time; a separate thread reads while cli_sensors_watch is on. */
typedef struct cli_sensors cli_sensors;

/* pci: domain, bus, device, function of the device; NULL: the host's processor. NULL if nothing is readable, or memory
 * runs out. */
cli_sensors *cli_sensors_open(const uint32_t pci[4]);
void cli_sensors_close(cli_sensors **sensors); /* sets NULL; a pointer to NULL is legal */

const char *cli_sensors_source(const cli_sensors *sensors); /* "NVML" …; "" for NULL */

/* Readings between start and stop. Unknown figures are NAN. */
typedef struct cli_sensed {
    double ms;                                /* between the two */
    double joules;                            /* watts times the time */
    double watts;                             /* average: from an energy counter, otherwise from samples of the power */
    double mhz_before, mhz_during, mhz_after; /* during: the median of readings every 10 ms */
    double others;     /* processors that everything but this process kept busy, on average; only for the host */
    char limited[128]; /* "power", "heat", "power, heat" …: why the driver lowered the clock meanwhile; "" */
} cli_sensed;

/* sensors may be NULL: then nothing is known, as without a start. Starting again discards earlier readings. A span
 * shorter than the counters' own period (about 100 ms) has no energy. */
void cli_sensors_start(cli_sensors *sensors);
void cli_sensors_stop(cli_sensors *sensors, cli_sensed *sensed);

/* The model of the host's processor, or "host processor" if the system does not report it. */
void cli_processor_name(char *name, size_t size);

/* "mains", "battery", or "" if the system does not report it. root: the parent folder of /sys, "" for the real one
 * (tests have their own). Static storage. */
const char *cli_power_source(const char *root);
