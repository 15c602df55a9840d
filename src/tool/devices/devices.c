#include "base/alloc.h"
#include "session/commands.h"
#include "session/drivers.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

static void add_lack(vkmm_device_row *row, const char *what, const char *reason)
{
    vkmm_lack *lack = &row->lacks[row->lack_count < VKMM_MAX_ABILITIES ? row->lack_count++ : VKMM_MAX_ABILITIES - 1];

    snprintf(lack->what, sizeof lack->what, "%s", what);
    snprintf(lack->reason, sizeof lack->reason, "%.199s", reason);
}

/* One more word behind those that are there. */
static void add_word(char *text, size_t size, const char *separator, const char *word)
{
    const size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
}

static int device_has(const vkmm_device_info *info, vkmm_type type)
{
    return type != VKMM_F64 || info->has_f64;
}

static int is_narrow(vkmm_type type)
{
    return vkmm_type_of(type)->bytes < 4;
}

static vkmm_status choose(cli_session *session, const vkmm_device_info *info, const char *kernel,
                          const vkmm_problem *problem, vkmm_kernel_info *chosen)
{
    const vkmm_job_params params = {.problem = *problem, .kernel = kernel};

    *chosen = (vkmm_kernel_info){.name = ""};
    return vkmm_kernel_choose(&session->console.log, info, &params, chosen);
}

/* A type is one that the device has where the planner has a kernel for it. */
static void add_types(cli_session *session, vkmm_device_row *row)
{
    for (uint32_t i = 0; i < VKMM_TYPES_COUNT; i++) {
        vkmm_way *way = &row->ways[i];
        const vkmm_types types = *vkmm_types_at(i);
        const vkmm_problem problem = VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = types.in,
                                                  .out_type = types.out, .compute = types.compute);
        way->types = types;
        if (device_has(row->info, types.in) && choose(session, row->info, NULL, &problem, &way->kernel) == VKMM_OK)
            way->by = way->kernel.uses_matrices ? "matrix" : way->kernel.uses_dot8 ? "dot" : "shader";
        if (!vkmm_types_equal(types, vkmm_types_default(types.in))) continue;
        if (way->by != NULL)
            row->types[row->type_count++] = vkmm_type_of(types.in)->name;
        else
            add_lack(row, vkmm_type_of(types.in)->name,
                     device_has(row->info, types.in)
                         ? session->console.last_error
                         : "the device does not compute with 64-bit floats (shaderFloat64)");
    }
}

enum { TYPES_TEXT = 120 };

/* What is said of one kernel. */
typedef struct limits {
    char unbuilt[64];  /* types that it could take, were they in this build */
    char refusal[200]; /* why it does not take the first narrow type that it does not take */
} limits;

static void list_types(cli_session *session, const vkmm_device_row *row, vkmm_ability *ability, limits *l)
{
    const int is_general = vkmm_kernel_is_general(ability->kernel);

    for (uint32_t i = 0; i < row->type_count; i++) {
        vkmm_problem problem = VKMM_PROBLEM(.m = 256, .n = 256, .k = 256);
        vkmm_kernel_info chosen;
        vkmm_type_parse(row->types[i], &problem.type);
        if (is_general ? choose(session, row->info, ability->kernel, &problem, &chosen) == VKMM_OK
                       : !is_narrow(problem.type) && vkmm_kernel_built(ability->kernel, problem.type))
            ability->types[ability->type_count++] = row->types[i];
        else if (is_general == is_narrow(problem.type) && !vkmm_kernel_built(ability->kernel, problem.type))
            add_word(l->unbuilt, sizeof l->unbuilt, " ", row->types[i]);
        else if (is_narrow(problem.type) && l->refusal[0] == '\0')
            snprintf(l->refusal, sizeof l->refusal, "%.199s", session->console.last_error);
    }
}

static void types_text(const vkmm_ability *ability, char text[TYPES_TEXT])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < ability->type_count; i++) add_word(text, TYPES_TEXT, " ", ability->types[i]);
}

static int takes_the_same(const vkmm_ability *a, const vkmm_ability *b)
{
    char of_a[TYPES_TEXT], of_b[TYPES_TEXT];

    types_text(a, of_a);
    types_text(b, of_b);
    return strcmp(of_a, of_b) == 0;
}

/* Kernels that take few types, in one sentence for all that take the same. */
static void add_limits(vkmm_device_row *row)
{
    for (uint32_t i = 0; i < row->kernel_count; i++) {
        const vkmm_ability *ability = &row->kernels[i];
        char names[96] = "", types[TYPES_TEXT];
        uint32_t before = 0;
        while (before < i && !takes_the_same(ability, &row->kernels[before])) before++;
        if (before < i || ability->type_count == 0 || ability->type_count == row->type_count) continue;
        for (uint32_t j = i; j < row->kernel_count; j++)
            if (takes_the_same(ability, &row->kernels[j])) add_word(names, sizeof names, ", ", row->kernels[j].kernel);
        types_text(ability, types);
        add_word(types, sizeof types, " ", "alone");
        add_lack(row, names, types);
    }
}

static int has_no_matrices(const vkmm_device_info *info)
{
    return info->no_matrices != NULL && info->no_matrices[0] != '\0';
}

/* Neighbours for one reason are one lack. */
static void add_kernel_lack(vkmm_device_row *row, const char *kernel, const char *reason)
{
    vkmm_lack *last = row->lack_count > 0 ? &row->lacks[row->lack_count - 1] : NULL;

    if (last != NULL && strncmp(last->reason, reason, sizeof last->reason - 1) == 0)
        add_word(last->what, sizeof last->what, ", ", kernel);
    else
        add_lack(row, kernel, reason);
}

static void add_kernels(cli_session *session, vkmm_device_row *row)
{
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL && row->kernel_count < VKMM_MAX_ABILITIES; i++) {
        vkmm_ability *ability = &row->kernels[row->kernel_count++];
        limits l = {.unbuilt = ""};
        char what[96];
        ability->kernel = vkmm_kernel_name(i);
        ability->summary = vkmm_kernel_summary(i);
        list_types(session, row, ability, &l);
        snprintf(what, sizeof what, "%s %s", ability->kernel, l.unbuilt);
        if (l.unbuilt[0] != '\0')
            add_lack(row, what, "not in this build: its shader compiler could not make it");
        else if (ability->type_count == 0)
            add_kernel_lack(row, ability->kernel,
                            has_no_matrices(row->info) ? "the device has no matrix operations" : l.refusal);
    }
    add_limits(row);
}

/* What the planner takes for a large square, for one that a workgroup or two compute, and for a matrix times a
 * vector. */
static void add_choices(cli_session *session, vkmm_device_row *row)
{
    static const uint64_t sizes[][3] = {{4096, 4096, 4096}, {256, 256, 256}, {4096, 1, 4096}};

    for (uint32_t t = 0; t < row->type_count; t++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && row->choice_count < VKMM_MAX_CHOICES; i++) {
            vkmm_choice *choice = &row->choices[row->choice_count++];
            choice->problem = VKMM_PROBLEM(.m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2]);
            vkmm_type_parse(row->types[t], &choice->problem.type);
            if (choose(session, row->info, NULL, &choice->problem, &choice->kernel) != VKMM_OK)
                snprintf(choice->reason, sizeof choice->reason, "%.199s", session->console.last_error);
        }
    }
}

static void add_shapes(const cli_session *session, vkmm_device_row *row)
{
    row->shape_count = VKMM_MAX_MATRIX_SHAPES;
    row->no_shapes = "";
    if (vkmm_device_matrix_shapes(session->instance, row->info->index, row->shapes, &row->shape_count,
                                  &row->no_shapes) == VKMM_OK)
        return;
    row->shape_count = 0;
    row->no_shapes = "the driver failed to list them";
}

/* The SwiftShader that a browser brought is a device too, for those who ask for it; not where the user restricts the
 * drivers. */
static const char *unloaded_driver(const cli_session *session)
{
    const char *manifest = cli_swiftshader_manifest();

    if (session->options->driver != NULL || cli_drivers_restriction() != NULL) return NULL;
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
        session->console.muted = 1; /* what cannot be chosen stands in the list */
        add_types(session, row);
        add_kernels(session, row);
        add_choices(session, row);
        session->console.muted = 0;
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
        status = rows != NULL
                     ? collect(session, rows, &count)
                     : vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for the list of devices");
    }
    session->report.unloaded = unloaded_driver(session);
    shown = session->writer->devices(&session->report, rows, count); /* an empty list is JSON too */
    if (shown != VKMM_OK) shown = vkmm_fail(&session->console.log, shown, "no memory to write the list of devices");
    if (status == VKMM_OK) status = cli_session_validated(session);
    vkmm_free(rows);
    return status != VKMM_OK ? status : shown;
}
