/* What the files of `vkmatmul doctor` share, and its requests to the processes that examine (worker/worker.h):
 *
 *     {"ask": "list"}       starts Vulkan, and answers with VKMM_OK
 *     {"ask": "driver"}     the same with no driver but that of --driver; "broken": why the loader cannot use it, or ""
 *     {"ask": CHECK}        cli_doctor_checks, in their order; "findings": as in a report, without the device.
 *                           VKMM_WRONG_RESULT: a product was wrong. "start" opens the device, and says which it is as
 *                           hello does elsewhere; any failure of it means that the device cannot be used */
#pragma once

#include "io/manifest.h"
#include "report/record.h"
#include "session/session.h"
#include "worker/worker.h"

enum { CLI_MOST_FINDINGS = 512, CLI_MOST_ADVICE = 64 };

/* From good to bad. */
typedef enum cli_grade { CLI_OK, CLI_NOTE, CLI_WARNING, CLI_PROBLEM } cli_grade;

#define CLI_OF_SYSTEM UINT32_MAX

typedef struct cli_finding {
    cli_grade grade;
    char check[24];
    uint32_t device; /* its index; CLI_OF_SYSTEM: of the system */
    char sentence[640];
    char advice[400]; /* what to do about it; "": nothing to do */
} cli_finding;

extern const vkmm_record cli_finding_record;

/* A whole examination; in a process that examines, that of its device. */
typedef struct cli_exam {
    cli_session *session;
    const char *root;   /* the root of the system's files; "" for the real one */
    const char *check;  /* the current check, which cli_doctor_find records */
    uint32_t device;    /* this device, or CLI_OF_SYSTEM */
    int shows;          /* findings are printed at once, */
    uint32_t heading;   /* below that of this device; CLI_OF_SYSTEM - 1: none yet */
    vkmm_status status; /* the exit code so far; of a device, VKMM_WRONG_RESULT once a product was wrong */
    cli_finding *findings;
    uint32_t finding_count;
    cli_manifest *manifests;
    uint32_t manifest_count;
    uint32_t first, end;                 /* the devices that were examined, up to `end` */
    uint32_t chosen;                     /* the index of the default device; CLI_OF_SYSTEM: none */
    const char *advice[CLI_MOST_ADVICE]; /* of all findings, the worst finding's first, each once */
    uint32_t advice_count;
} cli_exam;

/* Adds a finding of the check, and prints it if findings are shown. advice: "" for none. */
void cli_doctor_find(cli_exam *exam, cli_grade grade, const char *advice, const char *format, ...) VKMM_PRINTF(4, 5);
void cli_doctor_add(cli_exam *exam, const cli_finding *finding);

/* doctor_writer.c: a finding as a wrapped line; the advice, which ends the list; all of it as "vkmatmul.doctor/1",
 * where VKMM_OUT_OF_MEMORY is the only failure. */
void cli_doctor_show(cli_exam *exam, const cli_finding *finding);
void cli_doctor_show_advice(cli_exam *exam);
json_t *cli_doctor_json(cli_exam *exam);

/* Advice where cli_drivers_restriction() is not NULL. */
#define CLI_UNSET_DRIVERS "Unset VK_DRIVER_FILES and VK_ICD_FILENAMES, which keep other drivers out."

void cli_doctor_system(cli_exam *exam); /* loader, drivers' manifests, environment, cache folder, the host's BLAS */
void cli_doctor_layers(cli_exam *exam); /* doctor_layers.c: implicit layers between programs and drivers */

/* doctor_devices.c: GPUs that Vulkan does not see, one GPU under two drivers, the default device. Needs the
 * instance. */
void cli_doctor_gpus(cli_exam *exam);

/* doctor_children.c, in separate processes. drivers: judges each manifest's driver, whose `broken` says what is wrong.
 * start: whether Vulkan can be started without the fatal ones, which it disables. device: its checks. */
void cli_doctor_drivers(cli_exam *exam);
int cli_doctor_start(cli_exam *exam);
void cli_doctor_device(cli_exam *exam, const vkmm_device_info *info);

/* The findings of cli_doctor_device on the session's device (cli_session_find_device), as an array: a new reference.
 * NULL: a signal came, or memory ran out. *status: VKMM_WRONG_RESULT or VKMM_DEVICE_LOST if it found a problem. */
json_t *cli_doctor_collect(cli_session *session, vkmm_status *status);

/* A driver that the loader would use, and that ends or blocks the process. */
int cli_doctor_is_fatal(const cli_manifest *manifest);

/* ---- in the process that examines ---- */

/* One after another; the last has no name. */
typedef struct cli_check {
    const char *name;
    void (*look)(cli_exam *exam); /* adds its findings */
} cli_check;

extern const cli_check cli_doctor_checks[];

/* doctor_checks.c */
void cli_check_timestamps(cli_exam *exam);
void cli_check_shared(cli_exam *exam);
void cli_check_range(cli_exam *exam);
void cli_check_products(cli_exam *exam); /* one of each combination of types, until the time is over */
