/* The processes that examine, seen from the one that asked. */
#include "devices/doctor.h"

#include "base/clock.h"
#include "session/child.h"
#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 30000.0 /* without a line; a loaded machine with a slow driver takes its time */

/* What was heard of a process. */
typedef struct hearing {
    char check[24]; /* the check that began last */
    int done;
    uint32_t devices;
    char uuid[VKMM_UUID_TEXT];
} hearing;

static vkmm_status start(const cli_exam *doctor, const vkmm_device_info *info, int no_layers, vkmm_process **process)
{
    const char *const words[] = {"--no-cache", no_layers ? "--no-layers" : NULL, NULL};

    return cli_child_start(doctor->session, "doctor-worker", info, words, process);
}

/* "GRADE TAB CHECK TAB SENTENCE TAB ADVICE"; a line of another kind is nothing. */
static void take_finding(cli_exam *doctor, uint32_t device, char *line)
{
    char *parts[4] = {line};
    vkmm_grade grade = VKMM_GRADE_PROBLEM;
    int wrong;

    for (int i = 1; i < 4; i++) {
        parts[i] = strchr(parts[i - 1], '\t');
        if (parts[i] == NULL) return;
        *parts[i]++ = '\0';
    }
    wrong = strcmp(parts[0], "wrong") == 0;
    if (!wrong && !vkmm_grade_parse(parts[0], &grade)) return;
    if (wrong)
        doctor->status = VKMM_WRONG_RESULT;
    else if (grade == VKMM_GRADE_PROBLEM)
        doctor->status = cli_worse(doctor->status, VKMM_DEVICE_LOST);
    cli_doctor_find(doctor, grade, parts[1], device, parts[3], "%s", parts[2]);
}

static vkmm_heard hear_all(cli_exam *doctor, vkmm_process *process, uint32_t device, hearing *h)
{
    char line[VKMM_PROCESS_LINE];
    vkmm_heard heard;

    while ((heard = vkmm_process_hear(process, vkmm_now_ms() + PATIENCE_MS, line)) == VKMM_HEARD_LINE) {
        if (strncmp(line, "begin ", 6) == 0) {
            snprintf(h->check, sizeof h->check, "%.23s", line + 6);
            cli_progress(&doctor->session->console, "%s", h->check);
        } else if (strncmp(line, "devices ", 8) == 0) {
            h->devices = (uint32_t)strtoul(line + 8, NULL, 10);
        } else if (strncmp(line, "device ", 7) == 0) {
            snprintf(h->uuid, sizeof h->uuid, "%.36s", line + 7);
        } else if (strcmp(line, "done") == 0) {
            h->done = 1;
            return heard;
        } else {
            take_finding(doctor, device, line);
        }
    }
    return heard;
}

/* One process from start to end. how: what became of it, where it did not get to "done". */
static int examine(cli_exam *doctor, const vkmm_device_info *info, int no_layers, hearing *h,
                   char how[VKMM_PROCESS_END])
{
    vkmm_process *process = NULL;
    vkmm_heard heard;

    *h = (hearing){.done = 0};
    how[0] = '\0';
    if (start(doctor, info, no_layers, &process) != VKMM_OK) {
        snprintf(how, VKMM_PROCESS_END, "cannot be started");
        return 0;
    }
    vkmm_process_send(process, info != NULL ? "examine\n" : "list\n");
    heard = hear_all(doctor, process, info != NULL ? info->index : VKMM_OF_SYSTEM, h);
    vkmm_process_end(&process, heard == VKMM_HEARD_LINE || heard == VKMM_HEARD_END ? CLI_CHILD_END_MS : 0, how);
    if (heard == VKMM_HEARD_NOTHING) snprintf(how, VKMM_PROCESS_END, "gave no answer for %.0f s", PATIENCE_MS / 1000);
    return h->done;
}

void cli_doctor_start(cli_exam *doctor)
{
    char how[VKMM_PROCESS_END], without[VKMM_PROCESS_END];
    hearing h;
    int layers;

    cli_progress(&doctor->session->console, "starting Vulkan");
    doctor->starts = examine(doctor, NULL, 0, &h, how);
    if (doctor->starts || vkmm_interrupted()) return;
    layers = !doctor->session->options->no_layers && examine(doctor, NULL, 1, &h, without);
    cli_doctor_find(
        doctor, VKMM_GRADE_PROBLEM, "start", VKMM_OF_SYSTEM,
        layers ? "Run with --no-layers, or remove the implicit layer that is at fault."
               : "Find the driver that is at fault: VK_DRIVER_FILES=MANIFEST vkmatmul doctor takes one at a time.",
        "a process that only starts Vulkan %s%s", how, layers ? "; without implicit layers it does not" : "");
}

void cli_doctor_device(cli_exam *doctor, const vkmm_device_info *info)
{
    char how[VKMM_PROCESS_END], uuid[VKMM_UUID_TEXT];
    hearing h;
    int done = examine(doctor, info, 0, &h, how);

    if (vkmm_interrupted()) return;
    vkmm_text_uuid(uuid, info->uuid);
    if (done && h.uuid[0] != '\0' && strcmp(uuid, h.uuid) != 0)
        cli_doctor_find(doctor, VKMM_GRADE_WARNING, "start", info->index,
                        "Name devices by their UUID: their order is not the same from one process to the next.",
                        "another process sees another device at this index: %s", h.uuid);
    if (done) return;
    doctor->status = cli_worse(doctor->status, VKMM_DEVICE_LOST);
    cli_doctor_find(doctor, VKMM_GRADE_PROBLEM, h.check[0] != '\0' ? h.check : "start", info->index,
                    "Install another version of this device's driver; until then leave the device out with --device.",
                    "the process that examined this device %s", how);
}
