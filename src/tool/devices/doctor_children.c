/* The processes that examine, seen from the process that sends requests. */
#include "devices/doctor.h"

#include "base/alloc.h"
#include "report/json.h"
#include "report/text.h"
#include "session/drivers.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 30000.0 /* for a check; a loaded machine with a slow driver takes long */

/* driver: NULL, or the manifest to judge. */
static cli_worker make_worker(const cli_exam *exam, const vkmm_device_info *info, int no_layers, const char *driver)
{
    return (cli_worker){
        .session = exam->session,
        .command = "doctor-worker",
        .device = info,
        .words = {"--no-cache", no_layers ? "--no-layers" : NULL, driver != NULL ? "--driver" : NULL, driver}};
}

/* Whether Vulkan can be started. how: how the process ended otherwise. broken: why a driver's manifest cannot be used,
 * or "". */
static int try_start(cli_exam *exam, int no_layers, const char *driver, char how[VKMM_SENTENCE_BYTES],
                     char broken[VKMM_SENTENCE_BYTES])
{
    cli_worker worker = make_worker(exam, NULL, no_layers, driver);
    json_t *answer = NULL;
    cli_reply reply = cli_worker_spawn(&worker);
    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(&worker, json_pack("{s:s}", "ask", driver != NULL ? "driver" : "list"), PATIENCE_MS,
                               &answer);
    snprintf(broken, VKMM_SENTENCE_BYTES, "%s", cli_json_text(answer, "broken", ""));
    json_decref(answer);
    cli_worker_close(&worker);
    memcpy(how, worker.how, sizeof worker.how);
    return reply == CLI_REPLY_ANSWER;
}

int cli_doctor_is_fatal(const cli_manifest *manifest)
{
    return manifest->kind == CLI_MANIFEST_DRIVER && manifest->active && manifest->broken[0] != '\0';
}

void cli_doctor_drivers(cli_exam *exam)
{
    char how[VKMM_SENTENCE_BYTES], broken[VKMM_SENTENCE_BYTES];
    for (uint32_t i = 0; i < exam->manifest_count && exam->root[0] == '\0'; i++) {
        cli_manifest *m = &exam->manifests[i];
        if (m->kind != CLI_MANIFEST_DRIVER || !m->active) continue;
        cli_progress(&exam->session->console, "%s", m->name);
        /* Without implicit layers, whose faults are not the driver's. */
        const int answers = try_start(exam, 1, m->path, how, broken);
        if (cli_interrupted()) return;
        if (!answers) VKMM_PUT(m->broken, "a process that only loads its driver %.200s", how);
        if (broken[0] != '\0') VKMM_PUT(m->broken, "%.255s", broken);
        m->active = broken[0] == '\0';
    }
}

int cli_doctor_start(cli_exam *exam)
{
    char how[VKMM_SENTENCE_BYTES], without[VKMM_SENTENCE_BYTES], broken[VKMM_SENTENCE_BYTES];
    int layers;
    for (uint32_t i = 0; i < exam->manifest_count; i++)
        if (cli_doctor_is_fatal(&exam->manifests[i]))
            vkmm_tell(exam->session->log, cli_drivers_disable(exam->manifests[i].name));
    cli_progress(&exam->session->console, "starting Vulkan");
    if (try_start(exam, 0, NULL, how, broken)) return 1;
    if (cli_interrupted()) return 0;
    layers = !exam->session->options->no_layers && try_start(exam, 1, NULL, without, broken);
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
    char sentence[CLI_SENTENCE];
    if (heard[0] != '\0' && strcmp(CLI_UUID(info->uuid), heard) != 0)
        cli_doctor_find(exam, CLI_WARNING,
                        "Select devices by their UUID: their order differs from one process to the next.",
                        "another process sees another device at this index: %.60s", heard);
    for (size_t i = 0; i < json_array_size(list); i++) {
        cli_finding finding = {.device = info->index};
        if (!cli_record_parse(json_array_get(list, i), &cli_finding_record, &finding, sentence)) continue;
        if (finding.grade == CLI_PROBLEM) exam->status = cli_worse(exam->status, VKMM_DEVICE_LOST);
        cli_doctor_add(exam, &finding);
    }
}

void cli_doctor_device(cli_exam *exam, const vkmm_device_info *info)
{
    cli_worker worker = make_worker(exam, info, 0, NULL);
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
    if (cli_interrupted() || (reply == CLI_REPLY_ANSWER && worker.status <= VKMM_WRONG_RESULT)) return;
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

json_t *cli_doctor_collect(cli_session *session, vkmm_status *status)
{
    cli_exam exam = {.session = session, .findings = vkmm_alloc(CLI_MOST_FINDINGS, sizeof *exam.findings)};
    json_t *array = exam.findings != NULL ? json_array() : NULL;
    int bad = 0;
    if (array != NULL) cli_doctor_device(&exam, session->info);
    for (uint32_t i = 0; i < exam.finding_count; i++)
        bad += cli_json_add(array, cli_record_json(&cli_finding_record, &exam.findings[i]));
    vkmm_free(exam.findings);
    *status = exam.status;
    return cli_json_done(array, bad + (cli_interrupted() != 0));
}
