/* The processes that examine, seen from the one that asked. */
#include "devices/doctor.h"

#include "report/text.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 30000.0 /* for a check; a loaded machine with a slow driver takes its time */

static cli_worker make_worker(const cli_exam *doctor, const vkmm_device_info *info, int no_layers)
{
    return (cli_worker){.session = doctor->session,
                        .command = "doctor-worker",
                        .device = info,
                        .words = {"--no-cache", no_layers ? "--no-layers" : NULL}};
}

/* A finding that makes no sense is skipped. */
static void take_findings(cli_exam *doctor, uint32_t device, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        vkmm_finding finding = {.device = device};
        char sentence[VKMM_SENTENCE];
        if (!vkmm_record_parse(json_array_get(list, i), &vkmm_finding_record, &finding, sentence)) continue;
        if (finding.grade == VKMM_GRADE_PROBLEM) doctor->status = cli_worse(doctor->status, VKMM_DEVICE_LOST);
        cli_doctor_find(doctor, finding.grade, finding.check, device, finding.advice, "%s", finding.sentence);
    }
}

/* Whether Vulkan can be started. how: what became of the process otherwise. */
static int try_start(cli_exam *doctor, int no_layers, char how[VKMM_SENTENCE_BYTES])
{
    cli_worker worker = make_worker(doctor, NULL, no_layers);
    json_t *answer = NULL;
    cli_reply reply = cli_worker_spawn(&worker);

    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(&worker, json_pack("{s:s}", "ask", "list"), PATIENCE_MS, &answer);
    json_decref(answer);
    cli_worker_close(&worker);
    memcpy(how, worker.how, sizeof worker.how);
    return reply == CLI_REPLY_ANSWER;
}

void cli_doctor_start(cli_exam *doctor)
{
    char how[VKMM_SENTENCE_BYTES], without[VKMM_SENTENCE_BYTES];
    int layers;

    cli_progress(&doctor->session->console, "starting Vulkan");
    doctor->starts = try_start(doctor, 0, how);
    if (doctor->starts || vkmm_interrupted()) return;
    layers = !doctor->session->options->no_layers && try_start(doctor, 1, without);
    cli_doctor_find(
        doctor, VKMM_GRADE_PROBLEM, "start", VKMM_OF_SYSTEM,
        layers ? "Run with --no-layers, or remove the implicit layer that is at fault."
               : "Find the driver that is at fault: VK_DRIVER_FILES=MANIFEST vkmatmul doctor takes one at a time.",
        "a process that only starts Vulkan %.200s%s", how, layers ? "; without implicit layers it does not" : "");
}

/* Names what the process said of its device: an index may mean another one there. */
static void compare_devices(cli_exam *doctor, const vkmm_device_info *info, const json_t *answer)
{
    char uuid[VKMM_UUID_TEXT];
    const char *heard = cli_json_text(answer, "uuid", "");

    vkmm_text_uuid(uuid, info->uuid);
    if (heard[0] != '\0' && strcmp(uuid, heard) != 0)
        cli_doctor_find(doctor, VKMM_GRADE_WARNING, "start", info->index,
                        "Name devices by their UUID: their order is not the same from one process to the next.",
                        "another process sees another device at this index: %.60s", heard);
}

static cli_reply ask(cli_exam *doctor, cli_worker *worker, const char *check)
{
    const vkmm_device_info *info = worker->device;
    json_t *answer;

    cli_progress(&doctor->session->console, "%s", check);
    const cli_reply reply = cli_worker_ask(worker, json_pack("{s:s}", "ask", check), PATIENCE_MS, &answer);
    if (reply == CLI_REPLY_ANSWER) {
        compare_devices(doctor, info, answer);
        take_findings(doctor, info->index, json_object_get(answer, "findings"));
        if (worker->status == VKMM_WRONG_RESULT) doctor->status = VKMM_WRONG_RESULT;
    }
    json_decref(answer);
    return reply;
}

void cli_doctor_device(cli_exam *doctor, const vkmm_device_info *info)
{
    cli_worker worker = make_worker(doctor, info, 0);
    const char *check = cli_doctor_checks[0];
    cli_reply reply = cli_worker_spawn(&worker);

    for (int i = 0; reply == CLI_REPLY_ANSWER && worker.status <= VKMM_WRONG_RESULT && cli_doctor_checks[i] != NULL;
         i++) {
        check = cli_doctor_checks[i];
        reply = ask(doctor, &worker, check);
    }
    cli_worker_close(&worker);
    if (vkmm_interrupted() || (reply == CLI_REPLY_ANSWER && worker.status <= VKMM_WRONG_RESULT)) return;
    doctor->status = cli_worse(doctor->status, VKMM_DEVICE_LOST);
    if (reply == CLI_REPLY_ANSWER)
        cli_doctor_find(doctor, VKMM_GRADE_PROBLEM, check, info->index,
                        "Install the newest driver of this device, or leave the device out with --device.",
                        "the device cannot be used: %.500s", worker.sentence);
    else
        cli_doctor_find(
            doctor, VKMM_GRADE_PROBLEM, check, info->index,
            "Install another version of this device's driver; until then leave the device out with --device.",
            "the process that examined this device %.200s", worker.how);
}
