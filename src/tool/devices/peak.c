/* vkmatmul peak: what a device can do at best. */
#include "devices/peak.h"

#include "base/alloc.h"
#include "session/commands.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

/* How the measurements go. */
typedef struct meter {
    cli_session *session;
    vkmm_status status; /* the exit code of all failures */
    char failure[240];  /* its sentence */
    int lost;           /* nothing more can be measured */
    int measured;
} meter;

static int keep_going(const meter *m)
{
    return !m->lost;
}

/* Takes the sentence of what failed. */
static void note(meter *m, vkmm_status status, char reason[240])
{
    const char *sentence = m->session->console.last_error;

    if (status == VKMM_OK) {
        m->measured = 1;
        return;
    }
    snprintf(reason, 240, "%.239s", sentence[0] != '\0' ? sentence : vkmm_status_name(status));
    m->lost |= status == VKMM_DEVICE_LOST;
    /* A wrong result counts most, then the loss of the device, then what came first. */
    if (m->status != VKMM_OK && status != VKMM_WRONG_RESULT &&
        (status != VKMM_DEVICE_LOST || m->status == VKMM_WRONG_RESULT))
        return;
    m->status = status;
    snprintf(m->failure, sizeof m->failure, "%s", reason);
}

static int is_wanted(const cli_options *options, vkmm_type type)
{
    for (uint32_t i = 0; i < options->types.count; i++)
        if (options->types.type[i] == type) return 1;
    return options->types.count == 0;
}

static void measure_type(meter *m, vkmm_peak_row *row, vkmm_type type)
{
    vkmm_peak_type *peak = &row->types[row->type_count++];
    vkmm_peaks peaks = {0};
    vkmm_status status;

    peak->type = type;
    if (type == VKMM_F64 && !m->session->info->has_f64) {
        snprintf(peak->reason, sizeof peak->reason, "the device does not compute with 64-bit floats (shaderFloat64)");
        return;
    }
    if (!keep_going(m)) {
        snprintf(peak->reason, sizeof peak->reason, "the device was lost before");
        return;
    }
    cli_progress(&m->session->console, "%s", vkmm_type_of(type)->name);
    status = vkmm_device_peaks(m->session->device, type, &peaks);
    note(m, status, peak->reason);
    if (status != VKMM_OK) {
        if (row->copy_bytes_per_s <= 0) snprintf(row->copy_reason, sizeof row->copy_reason, "%s", peak->reason);
        return;
    }
    if (peaks.multiply_adds_per_s > 0)
        peak->flops = 2 * peaks.multiply_adds_per_s;
    else
        snprintf(peak->reason, sizeof peak->reason, "the device's clocks gave no time for it");
    /* Every type measures the copy again: the best of them is the peak. */
    if (peaks.copy_bytes_per_s > row->copy_bytes_per_s) {
        row->copy_bytes_per_s = peaks.copy_bytes_per_s;
        row->copy_bytes = peaks.copy_bytes;
    }
}

/* --type leaves those shapes whose operands or results are of a type that is named. */
static int is_shape_wanted(const cli_options *options, const vkmm_matrix_shape *shape)
{
    char texts[2][32];
    const char *operand = vkmm_component_name(shape->a, texts[0]),
               *result = vkmm_component_name(shape->result, texts[1]);

    for (uint32_t i = 0; i < options->types.count; i++) {
        const char *name = vkmm_type_of(options->types.type[i])->name;
        if (strcmp(name, operand) == 0 || strcmp(name, result) == 0) return 1;
    }
    return options->types.count == 0;
}

static void measure_shapes(meter *m, vkmm_peak_row *row)
{
    vkmm_matrix_shape shapes[VKMM_MAX_MATRIX_SHAPES];
    uint32_t count = VKMM_MAX_MATRIX_SHAPES;
    cli_session *session = m->session;

    row->no_shapes = "";
    if (vkmm_device_matrix_shapes(session->instance, session->info->index, shapes, &count, &row->no_shapes) !=
        VKMM_OK) {
        row->no_shapes = "the driver failed to list them";
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        vkmm_peak_shape *peak = &row->shapes[row->shape_count];
        double multiply_adds = 0;
        vkmm_status status;
        if (!is_shape_wanted(session->options, &shapes[i])) continue;
        row->shape_count++;
        peak->shape = shapes[i];
        if (!keep_going(m)) {
            snprintf(peak->reason, sizeof peak->reason, "the device was lost before");
            continue;
        }
        cli_progress(&session->console, "matrix %ux%ux%u", shapes[i].m, shapes[i].n, shapes[i].k);
        status = vkmm_device_matrix_peak(session->device, &shapes[i], &multiply_adds);
        note(m, status, peak->reason);
        if (status == VKMM_OK) peak->flops = 2 * multiply_adds;
        if (status == VKMM_OK && multiply_adds <= 0)
            snprintf(peak->reason, sizeof peak->reason, "the device's clocks gave no time for it");
    }
    if (row->shape_count == 0 && row->no_shapes[0] == '\0')
        row->no_shapes = count > 0 ? "the device's shapes have none of these types" : "the device lists no shape";
}

static vkmm_status measure(cli_session *session, vkmm_peak_row *row, char failure[240])
{
    meter m = {.session = session, .status = VKMM_OK};

    row->device = session->info;
    session->console.muted = 1; /* the sentences go into the rows */
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
        if (is_wanted(session->options, (vkmm_type)type)) measure_type(&m, row, (vkmm_type)type);
    if (row->copy_bytes_per_s <= 0 && row->copy_reason[0] == '\0')
        snprintf(row->copy_reason, sizeof row->copy_reason, "it is measured together with a type that the device has");
    measure_shapes(&m, row);
    session->console.muted = 0;
    cli_progress_end(&session->console);
    snprintf(failure, 240, "%s", m.failure);
    /* What the device or this build lacks is no failure where something else was measured. */
    return m.lost || m.status == VKMM_WRONG_RESULT || !m.measured ? m.status : VKMM_OK;
}

vkmm_status cli_peak(cli_session *session)
{
    vkmm_status status = cli_session_device(session), shown;
    vkmm_peak_row *row;
    char failure[240];

    if (status != VKMM_OK) return status;
    row = vkmm_alloc(1, sizeof *row);
    if (row == NULL) return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for the peaks");
    status = measure(session, row, failure);
    shown = session->options->json ? vkmm_peak_json(&session->report, row) : vkmm_peak_table(&session->report, row);
    if (shown != VKMM_OK) shown = vkmm_fail(&session->console.log, shown, "no memory to write the peaks");
    if (status != VKMM_OK) vkmm_fail(&session->console.log, status, "%s", failure);
    if (status == VKMM_OK) status = cli_session_validated(session);
    vkmm_free(row);
    return status != VKMM_OK ? status : shown;
}
