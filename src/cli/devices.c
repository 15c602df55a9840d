#include "base/alloc.h"
#include "cli/commands.h"
#include "math/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What the planner takes for a large square, for one that a workgroup or two compute, and for a matrix times a vector. */
static void add_choices(cli_session *session, vkmm_device_row *row)
{
    static const uint64_t sizes[][3] = {{4096, 4096, 4096}, {256, 256, 256}, {4096, 1, 4096}};

    session->console.muted = 1;
    for (int type = 0; type < VKMM_TYPE_COUNT; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && row->choice_count < VKMM_MAX_CHOICES; i++) {
            vkmm_choice *choice = &row->choices[row->choice_count];
            const vkmm_problem problem = {.m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2], .type = (vkmm_type)type};
            const vkmm_job_params params = {.problem = problem};
            if (!device_has(row->info, (vkmm_type)type)) continue;
            choice->problem = problem;
            if (vkmm_kernel_choose(&session->console.log, row->info, &params, &choice->kernel) != VKMM_OK)
                snprintf(choice->reason, sizeof choice->reason, "%.199s", session->console.last_error);
            row->choice_count++;
        }
    }
    session->console.muted = 0;
}

static void add_shapes(const cli_session *session, vkmm_device_row *row)
{
    row->shape_count = VKMM_MAX_MATRIX_SHAPES;
    row->no_shapes = "";
    if (vkmm_device_matrix_shapes(session->instance, row->info->index, row->shapes, &row->shape_count, &row->no_shapes) == VKMM_OK) return;
    row->shape_count = 0;
    row->no_shapes = "the driver failed to list them";
}

/* The SwiftShader that a browser brought is a device too, for those who ask for it; not where the user restricts the drivers. */
static const char *unloaded_driver(const cli_session *session)
{
    const char *manifest = vkmm_swiftshader_manifest();

    if (session->options->driver != NULL || getenv("VK_DRIVER_FILES") != NULL || getenv("VK_ICD_FILENAMES") != NULL) return NULL;
    for (uint32_t i = 0; session->instance != NULL && i < vkmm_instance_device_count(session->instance); i++)
        if (strncmp(vkmm_instance_device_info(session->instance, i)->name, "SwiftShader", 11) == 0) return NULL;
    return manifest;
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
        add_choices(session, row);
        add_shapes(session, row);
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
    session->report.unloaded = unloaded_driver(session);
    shown = session->writer->devices(&session->report, rows, count); /* an empty list is JSON too */
    if (shown != VKMM_OK) shown = vkmm_fail(&session->console.log, shown, "no memory to write the list of devices");
    if (status == VKMM_OK) status = cli_session_validated(session);
    vkmm_free(rows);
    return status != VKMM_OK ? status : shown;
}
