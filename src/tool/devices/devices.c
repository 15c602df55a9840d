#include "base/alloc.h"
#include "base/clean.h"
#include "devices/devices.h"
#include "look/kernel.h"
#include "session/commands.h"
#include "session/drivers.h"
#include "math/problem.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

static void add_lack(cli_device_row *row, const char *what, const char *reason)
{
    cli_lack *lack = &row->lacks[row->lack_count < CLI_MAX_ABILITIES ? row->lack_count++ : CLI_MAX_ABILITIES - 1];
    VKMM_PUT(lack->what, "%s", what);
    VKMM_PUT(lack->reason, "%.199s", reason);
}

static vkmm_status choose(cli_session *session, const vkmm_device_info *info, const char *kernel,
                          const vkmm_problem *problem, vkmm_kernel_info *chosen)
{
    const vkmm_job_params params = {.problem = *problem, .kernel = kernel};
    *chosen = (vkmm_kernel_info){.name = ""};
    return vkmm_kernel_choose(session->log, info, &params, chosen);
}

/* The device has a type if the planner has a kernel for it. */
static void add_types(cli_session *session, cli_device_row *row)
{
    for (uint32_t i = 0; i < VKMM_TYPES_COUNT; i++) {
        cli_way *way = &row->ways[i];
        const vkmm_types types = *vkmm_types_at(i);
        const char *name = vkmm_type_of(types.in)->name;
        const int can_compute = types.in != VKMM_F64 || row->info->features.f64;
        const vkmm_problem problem = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = types.in,
                                                  .out_type = types.out, .compute = types.compute);
        way->types = types;
        if (can_compute && choose(session, row->info, NULL, &problem, &way->kernel) == VKMM_OK)
            way->by = way->kernel.uses_matrices ? "matrix" : way->kernel.uses_dot8 ? "dot" : "shader";
        if (!vkmm_types_equal(types, vkmm_types_default(types.in))) continue;
        if (way->by != NULL)
            row->types[row->type_count++] = name;
        else
            add_lack(row, name,
                     can_compute ? session->console.last_error
                                 : "the device does not support 64-bit floats (shaderFloat64)");
    }
}

enum { TYPES_TEXT = 120 };

/* What is reported about one kernel. */
typedef struct limits {
    char types[TYPES_TEXT]; /* that it takes */
    char refusal[200];      /* why it does not take the first that this build has it for */
} limits;

/* Some kernels take only blocks, beside 16-bit floats. */
static int takes(cli_session *session, const cli_device_row *row, const char *kernel, vkmm_problem problem)
{
    const vkmm_type_info *type = vkmm_type_of(problem.type);
    vkmm_kernel_info chosen;
    if (choose(session, row->info, kernel, &problem, &chosen) == VKMM_OK) return 1;
    if (!type->is_float || type->bytes != 2) return 0;
    problem.format_a = VKMM_Q4_0;
    problem.op_b = VKMM_OP_T;
    return choose(session, row->info, kernel, &problem, &chosen) == VKMM_OK;
}

static void list_types(cli_session *session, const cli_device_row *row, cli_ability *ability, limits *l)
{
    const int is_general = vkmm_kernel_is_general(ability->kernel);
    for (uint32_t i = 0; i < row->type_count; i++) {
        vkmm_problem problem = VKMM_PROBLEM(.m = 256, .n = 256, .k = 256);
        vkmm_type_parse(row->types[i], &problem.type);
        const int is_built = vkmm_kernel_built(ability->kernel, problem.type);
        if (is_general ? takes(session, row, ability->kernel, problem)
                       : is_built && vkmm_type_of(problem.type)->bytes >= 4) {
            ability->types[ability->type_count++] = row->types[i];
            VKMM_JOIN(l->types, " ", "%s", row->types[i]);
        } else if (is_built && l->refusal[0] == '\0') {
            VKMM_PUT(l->refusal, "%.199s", session->console.last_error);
        }
    }
}

/* Kernels that support few types, in one sentence for all that support the same types. */
static void add_limits(cli_device_row *row, const limits *of)
{
    for (uint32_t i = 0; i < row->kernel_count; i++) {
        char names[200] = "", alone[TYPES_TEXT + 8];
        uint32_t before = 0;
        while (before < i && strcmp(of[i].types, of[before].types) != 0) before++;
        if (before < i || row->kernels[i].type_count == 0 || row->kernels[i].type_count == row->type_count) continue;
        for (uint32_t j = i; j < row->kernel_count; j++)
            if (strcmp(of[i].types, of[j].types) == 0) VKMM_JOIN(names, ", ", "%s", row->kernels[j].kernel);
        VKMM_PUT(alone, "only %.120s", of[i].types);
        add_lack(row, names, alone);
    }
}

/* Neighbours with the same reason are one entry. */
static void add_kernel_lack(cli_device_row *row, const char *kernel, const char *reason)
{
    cli_lack *last = row->lack_count > 0 ? &row->lacks[row->lack_count - 1] : NULL;
    if (last != NULL && strncmp(last->reason, reason, sizeof last->reason - 1) == 0)
        VKMM_JOIN(last->what, ", ", "%s", kernel);
    else
        add_lack(row, kernel, reason);
}

static void add_kernels(cli_session *session, cli_device_row *row)
{
    const char *no_matrices = row->info->matrices.refusal;
    limits of[CLI_MAX_ABILITIES] = {{.types = ""}};
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL && i < CLI_MAX_ABILITIES; i++) {
        cli_ability *ability = &row->kernels[row->kernel_count++];
        const char *refusal = of[i].refusal;
        *ability = (cli_ability){.kernel = vkmm_kernel_name(i), .summary = vkmm_kernel_summary(i)};
        list_types(session, row, ability, &of[i]);
        if (ability->type_count > 0) continue;
        /* Only shaders with matrix operations are ever left out of a build. */
        if (no_matrices[0] != '\0' && (refusal[0] == '\0' || strstr(refusal, no_matrices) != NULL))
            add_kernel_lack(row, ability->kernel, "the device has no matrix operations");
        else
            add_kernel_lack(row, ability->kernel,
                            refusal[0] != '\0' ? refusal
                                               : "not in this build: its shader compiler could not compile it");
    }
    add_limits(row, of);
}

/* What the planner chooses for a large square, for one that one or two workgroups compute, and for a matrix times a
 * vector. */
static void add_choices(cli_session *session, cli_device_row *row)
{
    static const uint64_t sizes[][3] = {{4096, 4096, 4096}, {256, 256, 256}, {4096, 1, 4096}};
    for (uint32_t t = 0; t < row->type_count; t++) {
        for (size_t i = 0; i < VKMM_COUNT(sizes) && row->choice_count < CLI_MAX_CHOICES; i++) {
            cli_choice *choice = &row->choices[row->choice_count++];
            choice->problem = VKMM_PROBLEM(.m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2]);
            vkmm_type_parse(row->types[t], &choice->problem.type);
            if (choose(session, row->info, NULL, &choice->problem, &choice->kernel) != VKMM_OK)
                VKMM_PUT(choice->reason, "%.199s", session->console.last_error);
        }
    }
}

/* The SwiftShader that a browser installed can be used on request, unless the user restricts the drivers. */
static const char *unloaded_driver(const cli_session *session)
{
    const char *manifest = cli_swiftshader_manifest();
    if (session->options->driver != NULL || cli_drivers_restriction() != NULL) return NULL;
    for (uint32_t i = 0; session->instance != NULL && i < vkmm_instance_device_count(session->instance); i++)
        if (strncmp(vkmm_instance_device_info(session->instance, i)->name, "SwiftShader", 11) == 0) return NULL;
    return manifest;
}

static void describe(cli_session *session, uint32_t index, uint32_t chosen, cli_device_row *row)
{
    row->info = vkmm_instance_device_info(session->instance, index);
    row->device.info = *row->info;
    row->chosen = index == chosen;
    session->console.muted = 1; /* the list shows what cannot be chosen */
    add_types(session, row);
    add_kernels(session, row);
    add_choices(session, row);
    session->console.muted = 0;
}

json_t *cli_device_describe(cli_session *session)
{
    cli_device_row *row = vkmm_alloc(1, sizeof *row);
    uint32_t chosen = 0;
    json_t *json;
    if (row == NULL || vkmm_instance_find_device(session->instance, NULL, &chosen) != VKMM_OK) {
        vkmm_free(row);
        return NULL;
    }
    describe(session, session->info->index, chosen, row);
    json = cli_device_json(row);
    vkmm_free(row);
    return json;
}

/* --device narrows the list to one. */
static vkmm_status collect(cli_session *session, cli_device_list *list)
{
    const char *wanted = session->options->device;
    uint32_t end = vkmm_instance_device_count(session->instance), chosen = 0, first = 0;
    vkmm_status status = vkmm_instance_find_device(session->instance, NULL, &chosen);
    if (status == VKMM_OK && wanted != NULL) status = vkmm_instance_find_device(session->instance, wanted, &first);
    if (status != VKMM_OK) return status;
    if (wanted != NULL) end = first + 1;
    list->rows = vkmm_alloc(end - first, sizeof *list->rows);
    if (list->rows == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for the list of devices"));
    for (uint32_t i = first; i < end; i++) describe(session, i, chosen, &list->rows[list->count++]);
    return VKMM_OK;
}

vkmm_status cli_command_devices(cli_session *session)
{
    cli_device_list list = {.report = &session->report};
    vkmm_status status = cli_session_instance(session), shown = VKMM_OK;
    if (status == VKMM_OK) status = collect(session, &list);
    list.left_out = vkmm_instance_left_out(session->instance);
    list.unloaded = unloaded_driver(session);
    if (session->writer->document != NULL) /* an empty list is JSON too */
        shown = cli_session_document(session, cli_devices_json(&list));
    else
        cli_devices_table(&list);
    if (status == VKMM_OK) status = cli_session_validated(session);
    vkmm_free(list.rows);
    return status != VKMM_OK ? status : shown;
}
