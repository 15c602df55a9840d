/* vkmatmul doctor: looks at the loader, drivers, layers and devices of this system, and advises. */
#include "devices/doctor.h"

#include "base/alloc.h"
#include "session/commands.h"
#include "session/drivers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cli_doctor_add(cli_exam *exam, const cli_finding *finding)
{
    if (exam->finding_count == CLI_MOST_FINDINGS) return;
    exam->findings[exam->finding_count++] = *finding;
    if (exam->shows) cli_doctor_show(exam, finding);
}

void cli_doctor_find(cli_exam *exam, cli_grade grade, const char *advice, const char *format, ...)
{
    cli_finding finding = {.grade = grade, .device = exam->device};
    va_list arguments;
    VKMM_PUT(finding.check, "%s", exam->check);
    VKMM_PUT(finding.advice, "%s", advice);
    va_start(arguments, format);
    vsnprintf(finding.sentence, sizeof finding.sentence, format, arguments);
    va_end(arguments);
    cli_doctor_add(exam, &finding);
}

/* The devices to examine: all, or that of --device. */
static vkmm_status look_at_devices(cli_exam *exam)
{
    cli_session *session = exam->session;
    const char *wanted = session->options->device;
    vkmm_status status;
    exam->check = "start";
    if (!cli_doctor_start(exam)) return VKMM_NO_DEVICE;
    status = cli_session_instance(session);
    if (status == VKMM_OK) {
        cli_doctor_gpus(exam);
        if (vkmm_instance_find_device(session->instance, NULL, &exam->chosen) != VKMM_OK) {
            exam->chosen = CLI_OF_SYSTEM;
            return VKMM_NO_DEVICE;
        }
        exam->check = "devices";
        if (wanted != NULL) status = vkmm_instance_find_device(session->instance, wanted, &exam->first);
    }
    if (status != VKMM_OK) {
        cli_doctor_find(exam, CLI_PROBLEM, "", "%s", session->console.last_error);
        return status;
    }
    const uint32_t end = wanted != NULL ? exam->first + 1 : vkmm_instance_device_count(session->instance);
    for (exam->end = exam->first; exam->end < end && !cli_interrupted(); exam->end++)
        cli_doctor_device(exam, vkmm_instance_device_info(session->instance, exam->end));
    return exam->status;
}

/* Changes the environment as the session does before it creates an instance, so that the scan sees it. */
static vkmm_status look(cli_exam *exam)
{
    const cli_options *options = exam->session->options;
    const vkmm_log *log = exam->session->log;
    vkmm_status status = options->driver != NULL ? vkmm_tell(log, cli_drivers_append(options->driver)) : VKMM_OK, found;
    if (status == VKMM_OK && options->no_layers) status = cli_layers_disable(log);
    if (status == VKMM_OK) status = cli_manifests_scan(log, exam->root, &exam->manifests, &exam->manifest_count);
    if (status != VKMM_OK) return status;
    cli_doctor_drivers(exam);
    cli_doctor_system(exam);
    found = look_at_devices(exam);
    return cli_worse(found, exam->status);
}

static int is_listed(const cli_exam *exam, const char *advice)
{
    for (uint32_t i = 0; i < exam->advice_count; i++)
        if (strcmp(exam->advice[i], advice) == 0) return 1;
    return 0;
}

static void collect_advice(cli_exam *exam)
{
    for (int grade = CLI_PROBLEM; grade >= CLI_OK; grade--) {
        for (uint32_t i = 0; i < exam->finding_count && exam->advice_count < CLI_MOST_ADVICE; i++) {
            const cli_finding *finding = &exam->findings[i];
            if ((int)finding->grade == grade && finding->advice[0] != '\0' && !is_listed(exam, finding->advice))
                exam->advice[exam->advice_count++] = finding->advice;
        }
    }
}

vkmm_status cli_command_doctor(cli_session *session)
{
    const vkmm_log *log = session->log;
    cli_exam exam = {.session = session,
                     .root = session->options->root != NULL ? session->options->root : "",
                     .device = CLI_OF_SYSTEM,
                     .shows = session->writer->document == NULL,
                     .heading = CLI_OF_SYSTEM - 1,
                     .chosen = CLI_OF_SYSTEM};
    vkmm_status status, shown = VKMM_OK;
    exam.findings = vkmm_alloc(CLI_MOST_FINDINGS, sizeof *exam.findings);
    if (exam.findings == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for findings"));
    cli_interrupt_catch(0);
    session->console.muted = 1; /* the sentences go into the findings */
    status = look(&exam);
    session->console.muted = 0;
    collect_advice(&exam);
    if (exam.shows)
        cli_doctor_show_advice(&exam);
    else
        shown = cli_session_document(session, cli_doctor_json(&exam));
    if (shown != VKMM_OK) status = shown;
    cli_interrupt_release();
    if (cli_interrupted()) status = (vkmm_status)(128 + cli_interrupted()); /* as shells count it */
    vkmm_free(exam.findings);
    vkmm_free(exam.manifests);
    return status;
}
