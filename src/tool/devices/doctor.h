/* What the files of `vkmatmul doctor` share, and how it speaks to the processes that examine (doctor-worker, a command
 * of the program's own).
 *
 * A request is a line: "list" or "examine". The answer is lines, until the process ends:
 *     devices COUNT                             (list) the devices that the loader lists
 *     device UUID                               (examine) the device that --device means, before anything is done with
 *                                               it
 *     begin CHECK                               a check begins: when the process dies, that is where
 *     GRADE TAB CHECK TAB SENTENCE TAB ADVICE   a finding: GRADE is one of vkmm_grade_name, or "wrong": a problem, and
 *                                               a wrong product
 *     done                                      nothing else is to come */
#ifndef VKMM_CLI_DOCTOR_H
#define VKMM_CLI_DOCTOR_H

#include "system/process.h"
#include "session/session.h"
#include "io/manifest.h"
#include "devices/findings.h"

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

/* doctor_checks.c, in the process that examines: each writes its finding as a line. */
void cli_check_timestamps(cli_session *session);
void cli_check_shared(cli_session *session);
void cli_check_range(cli_session *session);

/* doctor_product.c: random products of all kernels and types until the clock (vkmm_now_ms) shows end_ms. */
void cli_check_products(cli_session *session, double end_ms);

/* One finding of the process that examines. wrong: a product was wrong; its grade is then a problem. */
void cli_check_begin(const char *check);
void cli_check_find(vkmm_grade grade, int wrong, const char *check, const char *advice, const char *format, ...)
    VKMM_PRINTF(5, 6);

#endif
