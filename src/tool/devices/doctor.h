/* What the files of `vkmatmul doctor` share, and what it asks of the processes that examine (worker/worker.h):
 *
 *     {"ask": "list"}       starts Vulkan, and answers with VKMM_OK if that does no harm
 *     {"ask": CHECK}        cli_doctor_checks, in their order; "findings": as in a report, without the device.
 *                           VKMM_WRONG_RESULT: a product was wrong. "start" opens the device, and says which it is as
 *                           hello does elsewhere; any failure of it means that the device cannot be used */
#ifndef VKMM_CLI_DOCTOR_H
#define VKMM_CLI_DOCTOR_H

#include "session/session.h"
#include "io/manifest.h"
#include "devices/findings.h"
#include "worker/worker.h"

enum { CLI_DOCTOR_MOST_GPUS = 32, CLI_DOCTOR_MOST_FINDINGS = 512 };

typedef struct cli_exam {
    cli_session *session;
    const char *root; /* "", or where the system's files lie */
    vkmm_finding *findings;
    uint32_t finding_count;
    vkmm_manifest *manifests;
    uint32_t manifest_count;
    int starts;         /* Vulkan can be started */
    vkmm_status status; /* the exit code so far */
    uint32_t heading;   /* of vkmm_doctor_show */
    int shows;          /* findings are printed at once */
} cli_exam;

/* Adds a finding, and prints it when a table is wanted. device: an index, or VKMM_OF_SYSTEM; advice: "" for none. */
void cli_doctor_find(cli_exam *doctor, vkmm_grade grade, const char *check, uint32_t device, const char *advice,
                     const char *format, ...) VKMM_PRINTF(6, 7);

void cli_doctor_loader(cli_exam *doctor);      /* the loader, and the drivers' manifests */
void cli_doctor_layers(cli_exam *doctor);      /* doctor_layers.c: implicit layers that get in between */
void cli_doctor_environment(cli_exam *doctor); /* variables that narrow the view */
void cli_doctor_tools(cli_exam *doctor);       /* the cache folder, the host's BLAS */

/* doctor_devices.c: GPUs that Vulkan does not see, one GPU under two drivers, what a run takes. Needs the instance. */
void cli_doctor_gpus(cli_exam *doctor);

/* doctor_children.c. start: whether Vulkan can be started at all, in a process of its own; sets doctor->starts.
 * device: its checks. */
void cli_doctor_start(cli_exam *doctor);
void cli_doctor_device(cli_exam *doctor, const vkmm_device_info *info);

/* ---- in the process that examines: each check adds its findings ---- */

extern const char *const cli_doctor_checks[]; /* their names, NULL at the end; one after another */

typedef struct cli_check {
    cli_session *session;
    const char *name;
    json_t *findings;
    vkmm_status status; /* VKMM_WRONG_RESULT once a product was wrong */
    double end_ms;      /* of all checks, by vkmm_now_ms */
} cli_check;

/* wrong: a product was wrong. */
void cli_check_find(cli_check *check, vkmm_grade grade, int wrong, const char *advice, const char *format, ...)
    VKMM_PRINTF(5, 6);

/* doctor_checks.c */
void cli_check_timestamps(cli_check *check);
void cli_check_shared(cli_check *check);
void cli_check_range(cli_check *check);

/* doctor_product.c: random products of all kernels and types until the clock (vkmm_now_ms) shows end_ms. */
void cli_check_products(cli_check *check, double end_ms);

#endif
