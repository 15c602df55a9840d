/* vkmatmul doctor: looks at the loader, drivers, layers and devices of this system, and advises. */
#include "devices/doctor.h"

#include "base/alloc.h"
#include "session/commands.h"
#include "session/drivers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_doctor_find(cli_exam *doctor, vkmm_grade grade, const char *check, uint32_t device, const char *advice,
                     const char *format, ...)
{
    vkmm_finding *finding = &doctor->findings[doctor->finding_count];
    const vkmm_device_info *info = NULL;
    va_list arguments;

    if (doctor->finding_count == CLI_DOCTOR_MOST_FINDINGS) return;
    *finding = (vkmm_finding){.grade = grade, .device = device};
    snprintf(finding->check, sizeof finding->check, "%s", check);
    snprintf(finding->advice, sizeof finding->advice, "%s", advice);
    va_start(arguments, format);
    vsnprintf(finding->sentence, sizeof finding->sentence, format, arguments);
    va_end(arguments);
    doctor->finding_count++;
    if (!doctor->shows) return;
    cli_progress_end(&doctor->session->console);
    if (device != VKMM_OF_SYSTEM) info = vkmm_instance_device_info(doctor->session->instance, device);
    vkmm_doctor_show(&doctor->session->report, finding, info, &doctor->heading);
    fflush(doctor->session->report.out);
}

static const char *kind_name(vkmm_manifest_kind kind)
{
    return kind == VKMM_MANIFEST_DRIVER           ? "driver"
           : kind == VKMM_MANIFEST_IMPLICIT_LAYER ? "implicit layer"
                                                  : "explicit layer";
}

/* The devices to examine: all, or that of --device. */
static vkmm_status examine_devices(cli_exam *doctor, const vkmm_device_info **devices, vkmm_doctor *result)
{
    cli_session *session = doctor->session;
    uint32_t first = 0, end = vkmm_instance_device_count(session->instance);

    if (session->options->device != NULL) {
        vkmm_status status = vkmm_instance_find_device(session->instance, session->options->device, &first);
        if (status != VKMM_OK) {
            cli_doctor_find(doctor, VKMM_GRADE_PROBLEM, "devices", VKMM_OF_SYSTEM, "", "%s",
                            session->console.last_error);
            return status;
        }
        end = first + 1;
    }
    for (uint32_t i = first; i < end && !vkmm_interrupted(); i++) {
        devices[result->device_count++] = vkmm_instance_device_info(session->instance, i);
        cli_doctor_device(doctor, vkmm_instance_device_info(session->instance, i));
    }
    return doctor->status;
}

static vkmm_status look_at_devices(cli_exam *doctor, const vkmm_device_info ***devices, vkmm_doctor *result)
{
    cli_session *session = doctor->session;
    vkmm_status status;

    cli_doctor_start(doctor);
    if (!doctor->starts) return VKMM_NO_DEVICE;
    status = cli_session_instance(session);
    if (status != VKMM_OK) {
        cli_doctor_find(doctor, VKMM_GRADE_PROBLEM, "start", VKMM_OF_SYSTEM, "", "%s", session->console.last_error);
        return status;
    }
    cli_doctor_gpus(doctor);
    if (vkmm_instance_find_device(session->instance, NULL, &result->chosen) != VKMM_OK) {
        result->chosen = VKMM_OF_SYSTEM;
        return VKMM_NO_DEVICE;
    }
    *devices = vkmm_alloc(vkmm_instance_device_count(session->instance), sizeof **devices);
    if (*devices == NULL)
        return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for the list of devices");
    return examine_devices(doctor, *devices, result);
}

/* What the session does before it creates an instance, done already, so that the scan of manifests sees it. */
static vkmm_status prepare_environment(const cli_options *options, const vkmm_log *log)
{
    vkmm_status status = options->driver != NULL ? cli_drivers_append(log, options->driver) : VKMM_OK;

    return status == VKMM_OK && options->no_layers ? cli_layers_disable(log) : status;
}

static vkmm_status look(cli_exam *doctor, const vkmm_device_info ***devices, vkmm_doctor *result)
{
    const vkmm_log *log = &doctor->session->console.log;
    vkmm_status status = prepare_environment(doctor->session->options, log), found;

    if (status == VKMM_OK) status = vkmm_manifests_scan(log, doctor->root, &doctor->manifests, &doctor->manifest_count);
    if (status != VKMM_OK) return status;
    cli_doctor_loader(doctor);
    cli_doctor_layers(doctor);
    cli_doctor_environment(doctor);
    cli_doctor_tools(doctor);
    found = look_at_devices(doctor, devices, result);
    return cli_worse(found, doctor->status);
}

static vkmm_status write_json(cli_exam *doctor, vkmm_doctor *result)
{
    vkmm_doctor_file *files = vkmm_alloc(doctor->manifest_count, sizeof *files);
    vkmm_status status;

    if (files == NULL) return VKMM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < doctor->manifest_count; i++) {
        const vkmm_manifest *m = &doctor->manifests[i];
        files[i] = (vkmm_doctor_file){kind_name(m->kind), m->path, m->name, m->library, m->broken, m->active};
    }
    result->files = files;
    result->file_count = doctor->manifest_count;
    status = vkmm_doctor_json(&doctor->session->report, result);
    result->files = NULL;
    vkmm_free(files);
    return status;
}

static vkmm_status run(cli_session *session, cli_exam *doctor)
{
    const vkmm_device_info **devices = NULL;
    vkmm_doctor result = {.loader_version = vkmm_loader_version(), .chosen = VKMM_OF_SYSTEM};
    vkmm_status status, shown = VKMM_OK;

    session->console.muted = 1; /* the sentences go into the findings */
    status = look(doctor, &devices, &result);
    session->console.muted = 0;
    result.findings = doctor->findings;
    result.finding_count = doctor->finding_count;
    result.devices = devices;
    if (doctor->shows)
        vkmm_doctor_show_advice(&session->report, &result);
    else
        shown = write_json(doctor, &result);
    vkmm_free(devices);
    if (shown != VKMM_OK) return vkmm_fail(&session->console.log, shown, "no memory to write what was found");
    return status;
}

vkmm_status cli_doctor(cli_session *session)
{
    cli_exam doctor = {.session = session, .root = session->options->root != NULL ? session->options->root : ""};
    vkmm_status status;

    doctor.shows = !session->options->json;
    doctor.heading = VKMM_OF_SYSTEM - 1;
    doctor.findings = vkmm_alloc(CLI_DOCTOR_MOST_FINDINGS, sizeof *doctor.findings);
    if (doctor.findings == NULL) return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for findings");
    vkmm_interrupt_catch();
    status = run(session, &doctor);
    if (vkmm_interrupted()) status = (vkmm_status)(128 + vkmm_interrupted()); /* as shells count it */
    vkmm_interrupt_release();
    vkmm_free(doctor.findings);
    vkmm_free(doctor.manifests);
    return status;
}
