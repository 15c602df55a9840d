/* vkmatmul doctor-worker, a hidden command: it makes the checks that devices/doctor.h names. */
#include "base/alloc.h"
#include "devices/doctor.h"
#include "report/json.h"
#include "session/commands.h"
#include "session/drivers.h"

#include <string.h>

static void check_validation(cli_exam *exam)
{
    if (!exam->session->options->validate || cli_session_validated(exam->session) == VKMM_OK) return;
    exam->status = VKMM_WRONG_RESULT;
    cli_doctor_find(exam, CLI_PROBLEM, "", "%.500s", exam->session->console.last_error);
}

const cli_check cli_doctor_checks[] = {
    {"start", NULL},
    {"timestamps", cli_check_timestamps},
    {"shared", cli_check_shared},
    {"range", cli_check_range},
    {"products", cli_check_products},
    {"validation", check_validation},
    {NULL, NULL},
};

static vkmm_status start(cli_exam *exam, json_t *answer)
{
    const vkmm_status status = cli_session_device(exam->session);
    return status == VKMM_OK ? cli_worker_introduce(exam->session, answer) : status;
}

static vkmm_status examine(cli_exam *exam, const cli_check *check, json_t *answer)
{
    json_t *findings = json_array();
    if (exam->session->device == NULL) return VKMM_FAIL(exam->session->log, VKMM_INVALID, "the device has not started");
    exam->status = VKMM_OK;
    exam->check = check->name;
    exam->finding_count = 0;
    check->look(exam);
    for (uint32_t i = 0; i < exam->finding_count; i++)
        json_array_append_new(findings, cli_record_json(&cli_finding_record, &exam->findings[i]));
    json_object_set_new(answer, "findings", findings);
    return exam->status;
}

/* From now on, the loader knows only this driver. */
static void judge_driver(const char *path, json_t *answer)
{
    cli_manifest driver = {0};
    if (path == NULL) return;
    cli_set_variable("VK_DRIVER_FILES", path);
    cli_set_variable("VK_ICD_FILENAMES", path);
    cli_manifest_read(path, &driver);
    json_object_set_new(answer, "broken", cli_json_of_text(driver.broken));
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_exam *exam = user;
    (void)request;
    if (strcmp(ask, "driver") == 0) judge_driver(exam->session->options->driver, answer);
    if (strcmp(ask, "list") == 0 || strcmp(ask, "driver") == 0) {
        cli_session_instance(exam->session); /* the requesting process tries the same next, and reports why it fails */
        return VKMM_OK;
    }
    for (const cli_check *check = cli_doctor_checks; check->name != NULL; check++)
        if (strcmp(ask, check->name) == 0)
            return check->look == NULL ? start(exam, answer) : examine(exam, check, answer);
    return cli_worker_refuse(exam->session, ask);
}

vkmm_status cli_command_doctor_worker(cli_session *session)
{
    cli_exam exam = {.session = session, .device = CLI_OF_SYSTEM};
    vkmm_status status;
    exam.findings = vkmm_alloc(CLI_MOST_FINDINGS, sizeof *exam.findings);
    if (exam.findings == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for findings"));
    status = cli_worker_serve(session, obey, &exam);
    vkmm_free(exam.findings);
    return status;
}
