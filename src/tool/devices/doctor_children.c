/* The processes that examine, seen from the process that sends requests. */
#include "devices/doctor.h"

#include "report/text.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 30000.0 /* for a check; a loaded machine with a slow driver takes long */

static cli_worker make_worker(const cli_exam *exam, const vkmm_device_info *info, int no_layers)
{
    return (cli_worker){.session = exam->session,
                        .command = "doctor-worker",
                        .device = info,
                        .words = {"--no-cache", no_layers ? "--no-layers" : NULL}};
}

/* Whether Vulkan can be started. how: how the process ended otherwise. */
static int try_start(cli_exam *exam, int no_layers, char how[VKMM_SENTENCE_BYTES])
{
    cli_worker worker = make_worker(exam, NULL, no_layers);
    json_t *answer = NULL;
    cli_reply reply = cli_worker_spawn(&worker);

    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(&worker, json_pack("{s:s}", "ask", "list"), PATIENCE_MS, &answer);
    json_decref(answer);
    cli_worker_close(&worker);
    memcpy(how, worker.how, sizeof worker.how);
    return reply == CLI_REPLY_ANSWER;
}

int cli_doctor_start(cli_exam *exam)
{
    char how[VKMM_SENTENCE_BYTES], without[VKMM_SENTENCE_BYTES];
    int layers;

    cli_progress(&exam->session->console, "starting Vulkan");
    if (try_start(exam, 0, how)) return 1;
    if (vkmm_interrupted()) return 0;
    layers = !exam->session->options->no_layers && try_start(exam, 1, without);
    cli_doctor_find(
        exam, CLI_PROBLEM,
        layers ? "Run with --no-layers, or remove the implicit layer that is at fault."
               : "Find the driver that is at fault: VK_DRIVER_FILES=MANIFEST vkmatmul doctor tests one at a time.",
        "a process that only starts Vulkan %.200s%s", how, layers ? "; without implicit layers it does not" : "");
    return 0;
}

/* Copies the findings; an invalid one is skipped. The process names its device, because an index may mean another
 * device there. */
static void take(cli_exam *exam, const vkmm_device_info *info, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "findings");
    const char *heard = cli_json_text(answer, "uuid", "");
    char sentence[VKMM_SENTENCE];

    if (heard[0] != '\0' && strcmp(VKMM_UUID(info->uuid), heard) != 0)
        cli_doctor_find(exam, CLI_WARNING,
                        "Select devices by their UUID: their order differs from one process to the next.",
                        "another process sees another device at this index: %.60s", heard);
    for (size_t i = 0; i < json_array_size(list); i++) {
        cli_finding finding = {.device = info->index};
        if (!vkmm_record_parse(json_array_get(list, i), &cli_finding_record, &finding, sentence)) continue;
        if (finding.grade == CLI_PROBLEM) exam->status = cli_worse(exam->status, VKMM_DEVICE_LOST);
        cli_doctor_add(exam, &finding);
    }
}

void cli_doctor_device(cli_exam *exam, const vkmm_device_info *info)
{
    cli_worker worker = make_worker(exam, info, 0);
    cli_reply reply = cli_worker_spawn(&worker);

    exam->device = info->index;
    exam->check = cli_doctor_checks[0].name;
    for (int i = 0;
         reply == CLI_REPLY_ANSWER && worker.status <= VKMM_WRONG_RESULT && cli_doctor_checks[i].name != NULL; i++) {
        json_t *answer;
        exam->check = cli_doctor_checks[i].name;
        cli_progress(&exam->session->console, "%s", exam->check);
        reply = cli_worker_ask(&worker, json_pack("{s:s}", "ask", exam->check), PATIENCE_MS, &answer);
        if (reply == CLI_REPLY_ANSWER) take(exam, info, answer);
        if (reply == CLI_REPLY_ANSWER && worker.status == VKMM_WRONG_RESULT) exam->status = VKMM_WRONG_RESULT;
        json_decref(answer);
    }
    cli_worker_close(&worker);
    if (vkmm_interrupted() || (reply == CLI_REPLY_ANSWER && worker.status <= VKMM_WRONG_RESULT)) return;
    exam->status = cli_worse(exam->status, VKMM_DEVICE_LOST);
    if (reply == CLI_REPLY_ANSWER)
        cli_doctor_find(exam, CLI_PROBLEM,
                        "Install the newest driver of this device, or leave the device out with --device.",
                        "the device cannot be used: %.500s", worker.sentence);
    else
        cli_doctor_find(
            exam, CLI_PROBLEM,
            "Install another version of this device's driver; until then leave the device out with --device.",
            "the process that examined this device %.200s", worker.how);
}
