#include "base/alloc.h"
#include "cli/commands.h"
#include "math/type.h"

#include <stdio.h>

static void add_lack(vkmm_device_row *row, const char *what, const char *type, const char *reason)
{
    vkmm_lack *lack = &row->lacks[row->lack_count];

    if (row->lack_count == VKMM_MAX_ABILITIES) return;
    snprintf(lack->what, sizeof lack->what, "%s%s%s", what, type != NULL ? " " : "", type != NULL ? type : "");
    lack->reason = reason;
    row->lack_count++;
}

static int device_has(const vkmm_device_info *info, vkmm_type type)
{
    return type != VKMM_F64 || info->has_f64;
}

static void add_types(vkmm_device_row *row)
{
    for (int type = 0; type < VKMM_TYPE_COUNT; type++) {
        const char *name = vkmm_type_of((vkmm_type)type)->name;
        if (device_has(row->info, (vkmm_type)type))
            row->types[row->type_count++] = name;
        else
            add_lack(row, name, NULL, "the device does not compute with 64-bit floats (shaderFloat64)");
    }
}

static void add_kernels(vkmm_device_row *row)
{
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL && row->kernel_count < VKMM_MAX_ABILITIES; i++) {
        vkmm_ability *ability = &row->kernels[row->kernel_count++];
        ability->kernel = vkmm_kernel_name(i);
        ability->summary = vkmm_kernel_summary(i);
        for (int type = 0; type < VKMM_TYPE_COUNT; type++) {
            const char *name = vkmm_type_of((vkmm_type)type)->name;
            if (!vkmm_kernel_built(ability->kernel, (vkmm_type)type))
                add_lack(row, ability->kernel, name, "not in this build: its shader compiler could not make it");
            else if (device_has(row->info, (vkmm_type)type))
                ability->types[ability->type_count++] = name;
        }
    }
}

/* --device narrows the list to one. */
static vkmm_status collect(cli_session *session, vkmm_device_row *rows, uint32_t *count)
{
    uint32_t all = vkmm_instance_device_count(session->instance), chosen = 0, first = 0;
    vkmm_status status = vkmm_instance_find_device(session->instance, NULL, &chosen);

    if (status != VKMM_OK) return status;
    if (session->options->device != NULL) {
        status = vkmm_instance_find_device(session->instance, session->options->device, &first);
        if (status != VKMM_OK) return status;
        all = first + 1;
    }
    for (uint32_t i = first; i < all; i++) {
        vkmm_device_row *row = &rows[(*count)++];
        row->info = vkmm_instance_device_info(session->instance, i);
        row->chosen = i == chosen;
        add_types(row);
        add_kernels(row);
    }
    return VKMM_OK;
}

vkmm_status cli_devices(cli_session *session)
{
    vkmm_device_row *rows = NULL;
    uint32_t count = 0;
    vkmm_status status = cli_session_instance(session), shown;

    if (status == VKMM_OK) {
        rows = vkmm_alloc(vkmm_instance_device_count(session->instance), sizeof *rows);
        status = rows != NULL ? collect(session, rows, &count)
                              : vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for the list of devices");
    }
    shown = session->writer->devices(&session->report, rows, count); /* an empty list is JSON too */
    if (shown != VKMM_OK) shown = vkmm_fail(&session->console.log, shown, "no memory to write the list of devices");
    if (status == VKMM_OK) status = cli_session_validated(session);
    vkmm_free(rows);
    return status != VKMM_OK ? status : shown;
}
