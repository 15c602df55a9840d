/* vkmatmul doctor-worker, a hidden command: it makes the checks that devices/doctor.h names. */
#include "base/clock.h"
#include "devices/doctor.h"
#include "session/commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEVICE_MS   2350.0 /* of all checks of a device, once it is there */
#define PRODUCTS_MS 1200.0 /* of random products at least */

const char *const cli_doctor_checks[] = {"start", "timestamps", "shared", "range", "products", "validation", NULL};

void cli_check_find(cli_check *check, vkmm_grade grade, int wrong, const char *advice, const char *format, ...)
{
    vkmm_finding finding = {.grade = grade, .device = VKMM_OF_SYSTEM};
    va_list arguments;

    snprintf(finding.check, sizeof finding.check, "%s", check->name);
    snprintf(finding.advice, sizeof finding.advice, "%s", advice);
    va_start(arguments, format);
    vsnprintf(finding.sentence, sizeof finding.sentence, format, arguments);
    va_end(arguments);
    json_array_append_new(check->findings, vkmm_record_json(&vkmm_finding_record, &finding));
    if (wrong) check->status = VKMM_WRONG_RESULT;
}

static vkmm_status start(cli_check *check, json_t *answer)
{
    const vkmm_status status = cli_session_device(check->session);

    check->end_ms = vkmm_now_ms() + DEVICE_MS;
    return status == VKMM_OK ? cli_worker_introduce(check->session, answer) : status;
}

static vkmm_status examine(cli_check *check, json_t *answer)
{
    cli_session *session = check->session;
    const double least = vkmm_now_ms() + PRODUCTS_MS;

    if (session->device == NULL) return vkmm_fail(&session->console.log, VKMM_INVALID, "the device has not started");
    check->status = VKMM_OK;
    check->findings = json_array();
    if (strcmp(check->name, "timestamps") == 0) cli_check_timestamps(check);
    if (strcmp(check->name, "shared") == 0) cli_check_shared(check);
    if (strcmp(check->name, "range") == 0) cli_check_range(check);
    if (strcmp(check->name, "products") == 0) cli_check_products(check, least > check->end_ms ? least : check->end_ms);
    if (strcmp(check->name, "validation") == 0 && session->options->validate &&
        cli_session_validated(session) != VKMM_OK)
        cli_check_find(check, VKMM_GRADE_PROBLEM, 1, "", "%.500s", session->console.last_error);
    json_object_set_new(answer, "findings", check->findings);
    return check->status;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_check *check = user;

    (void)request;
    if (strcmp(ask, "list") == 0) {
        cli_session_instance(check->session); /* whoever asked tries the same next, and reports why it fails */
        return VKMM_OK;
    }
    for (int i = 0; cli_doctor_checks[i] != NULL; i++) {
        check->name = cli_doctor_checks[i];
        if (strcmp(ask, check->name) == 0) return i == 0 ? start(check, answer) : examine(check, answer);
    }
    return cli_worker_refuse(check->session, ask);
}

vkmm_status cli_doctor_worker(cli_session *session)
{
    cli_check check = {.session = session};

    return cli_worker_serve(session, obey, &check);
}
