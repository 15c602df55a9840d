#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "math/problem.h"
#include "math/type.h"
#include "math/types_name.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"

int vkmm_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) != 0;
}

json_t *vkmm_json_done(json_t *object, int failures)
{
    if (failures == 0) return object;
    json_decref(object);
    return NULL;
}

json_t *vkmm_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *vkmm_json_integer(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *vkmm_json_text(const char *text)
{
    char clean[2048];

    if (text == NULL) return json_null();
    vkmm_text_clean(clean, sizeof clean, text);
    return json_string(clean);
}

json_t *vkmm_json_known_text(const char *text)
{
    return text[0] != '\0' ? vkmm_json_text(text) : json_null();
}

json_t *vkmm_json_command(const char *command)
{
    const size_t room = command != NULL ? 4 * strlen(command) + 1 : 0; /* a byte becomes \xNN at most */
    char *clean = room > 0 ? vkmm_alloc(room, 1) : NULL;
    json_t *text;

    if (command == NULL || clean == NULL) return command == NULL ? json_null() : NULL;
    vkmm_text_clean(clean, room, command);
    text = json_string(clean);
    vkmm_free(clean);
    return text;
}

json_t *vkmm_json_trial(const char *kernel, const char *config, double ms)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "kernel", vkmm_json_text(kernel));

    bad += vkmm_json_put(object, "config", vkmm_json_text(config));
    bad += vkmm_json_put(object, "ms", ms > 0 ? vkmm_json_number(ms) : json_null());
    return vkmm_json_done(object, bad);
}

json_t *vkmm_json_integers(const uint32_t *values, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(array, json_integer(values[i])) != 0) return vkmm_json_done(array, 1);
    }
    return array;
}

json_t *vkmm_json_texts(const char *const *texts, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(array, vkmm_json_text(texts[i])) != 0) return vkmm_json_done(array, 1);
    }
    return array;
}

json_t *vkmm_json_tool(const vkmm_report *report)
{
    json_t *tool = json_object();
    int bad = vkmm_json_put(tool, "version", vkmm_json_text(report->version));

    bad += vkmm_json_put(tool, "shader_hash", vkmm_json_text(report->shader_hash));
    bad += vkmm_json_put(tool, "command", vkmm_json_text(report->command));
    return vkmm_json_done(tool, bad);
}

json_t *vkmm_json_device(const vkmm_device_info *info, const char *host)
{
    vkmm_bench_device device = {.is_host = info == NULL};

    if (info != NULL)
        device.info = *info;
    else
        snprintf(device.info.name, sizeof device.info.name, "%s", host);
    return vkmm_record_json(&vkmm_identity_record, &device);
}

/* A scalar of an integer type is a whole number: a real would keep nine of its digits. */
static json_t *scalar(const vkmm_problem *problem, double value)
{
    return vkmm_type_of(problem->type)->is_float ? vkmm_json_number(value) : json_integer((json_int_t)value);
}

int vkmm_json_put_types(json_t *object, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    int bad = vkmm_json_put(object, "type", json_string(vkmm_type_of(types.in)->name));

    bad += vkmm_json_put(object, "out_type", json_string(vkmm_type_of(types.out)->name));
    return bad + vkmm_json_put(object, "compute", json_string(vkmm_type_of(types.compute)->name));
}

int vkmm_json_put_meaning(json_t *object, const vkmm_problem *problem)
{
    static const char *const lds[] = {"lda", "ldb", "ldc"}, *const offsets[] = {"offset_a", "offset_b", "offset_c"},
                             *const strides[] = {"stride_a", "stride_b", "stride_c"};
    int bad = vkmm_json_put(object, "layout", json_string(problem->layout == VKMM_COL_MAJOR ? "col" : "row"));

    bad += vkmm_json_put(object, "transpose_a", json_string(problem->op_a == VKMM_OP_T ? "T" : "N"));
    bad += vkmm_json_put(object, "transpose_b", json_string(problem->op_b == VKMM_OP_T ? "T" : "N"));
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        bad += vkmm_json_put(object, lds[o], vkmm_json_integer(vkmm_operand_ld(problem, (vkmm_operand)o)));
        bad += vkmm_json_put(object, offsets[o], vkmm_json_integer(vkmm_operand_offset(problem, (vkmm_operand)o)));
        bad += vkmm_json_put(object, strides[o], vkmm_json_integer(vkmm_operand_stride(problem, (vkmm_operand)o)));
    }
    bad += vkmm_json_put(object, "batch_count", vkmm_json_integer(vkmm_problem_batches(problem)));
    bad += vkmm_json_put(object, "alpha", scalar(problem, problem->alpha));
    bad += vkmm_json_put(object, "beta", scalar(problem, problem->beta));
    bad += vkmm_json_put(object, "activation", json_string(vkmm_activation_name(problem->activation)));
    bad += vkmm_json_put(object, "bias", json_boolean(problem->has_bias));
    return bad;
}

static json_t *spec_constants(const vkmm_kernel_info *kernel)
{
    json_t *constants = json_object();
    int bad = 0;

    for (uint32_t i = 0; i < kernel->spec_count && i < VKMM_MAX_SPEC_CONSTANTS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%u", kernel->spec_ids[i]);
        bad += vkmm_json_put(constants, id, json_integer(kernel->spec_values[i]));
    }
    return vkmm_json_done(constants, bad);
}

json_t *vkmm_json_kernel(const vkmm_row *row)
{
    const vkmm_kernel_info *kernel = row->kernel;
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "name", vkmm_json_text(kernel->name));

    bad += vkmm_json_put(object, "tile", vkmm_json_integers(kernel->tile, 2));
    bad += vkmm_json_put(object, "workgroup", vkmm_json_integers(kernel->workgroup, 3));
    bad += vkmm_json_put(object, "groups", vkmm_json_integers(kernel->groups, 3));
    bad += vkmm_json_put(object, "shared_bytes", json_integer(kernel->shared_bytes));
    bad += vkmm_json_put(object, "spec_constants", spec_constants(kernel));
    bad += vkmm_json_put(object, "config", vkmm_json_text(kernel->config[0] != '\0' ? kernel->config : NULL));
    bad += vkmm_json_put(object, "tuned", json_boolean(kernel->tuned));
    bad += vkmm_json_put(object, "splits", json_integer(kernel->splits));
    bad += vkmm_json_put(object, "items", vkmm_json_integer(kernel->items));
    bad += vkmm_json_put(object, "workspace_bytes", vkmm_json_integer(kernel->workspace_bytes));
    bad += vkmm_json_put(object, "matrix", kernel->matrix[0] > 0 ? vkmm_json_integers(kernel->matrix, 3) : json_null());
    bad += vkmm_json_put(object, "subgroup_size",
                         kernel->subgroup_size > 0 ? json_integer(kernel->subgroup_size) : json_null());
    bad += vkmm_json_put(object, "dot8", json_boolean(kernel->uses_dot8));
    bad += vkmm_json_put(object, "shader", vkmm_json_text(row->shader_file));
    return vkmm_json_done(object, bad);
}

static json_t *series(const vkmm_series *series)
{
    json_t *object, *samples;
    int bad;

    if (series->count == 0) return json_null();
    object = json_object();
    samples = json_array();
    bad = vkmm_json_put(object, "median", vkmm_json_number(series->median));
    bad += vkmm_json_put(object, "min", vkmm_json_number(series->min));
    bad += vkmm_json_put(object, "p5", vkmm_json_number(series->p5));
    bad += vkmm_json_put(object, "p95", vkmm_json_number(series->p95));
    for (uint32_t i = 0; i < series->count; i++)
        bad += json_array_append_new(samples, vkmm_json_number(series->samples[i])) != 0;
    bad += vkmm_json_put(object, "samples", samples);
    return vkmm_json_done(object, bad);
}

json_t *vkmm_json_time(const vkmm_row *row)
{
    json_t *object;
    int bad;

    if (!row->timed) return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "kernel_ms", series(&row->time.kernel));
    bad += vkmm_json_put(object, "submit_ms", series(&row->time.submit));
    bad += vkmm_json_put(object, "transfer_ms", series(&row->time.transfer));
    bad += vkmm_json_put(object, "clock", json_string(row->time.clock == VKMM_CLOCK_DEVICE ? "device" : "host"));
    bad += vkmm_json_put(object, "clock_note", vkmm_json_text(row->time.clock_note));
    bad += vkmm_json_put(object, "mapped", json_boolean(row->time.mapped));
    bad += vkmm_json_put(object, "stable", json_boolean(row->time.stable));
    return vkmm_json_done(object, bad);
}

/* Times are those of a right product alone. */
json_t *vkmm_json_panels(const vkmm_row *row)
{
    const vkmm_row_panels *panels = row->panels;
    json_t *object;
    int bad;

    if (panels == NULL) return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "rows", vkmm_json_integer(panels->partition.rows));
    bad += vkmm_json_put(object, "cols", vkmm_json_integer(panels->partition.cols));
    bad += vkmm_json_put(object, "depth", vkmm_json_integer(panels->partition.depth));
    bad += vkmm_json_put(object, "row_panels", vkmm_json_integer(panels->partition.row_panels));
    bad += vkmm_json_put(object, "col_panels", vkmm_json_integer(panels->partition.col_panels));
    bad += vkmm_json_put(object, "depth_panels", vkmm_json_integer(panels->partition.depth_panels));
    bad += vkmm_json_put(object, "device_bytes", vkmm_json_integer(panels->partition.device_bytes));
    bad += vkmm_json_put(object, "staging_bytes", vkmm_json_integer(panels->partition.staging_bytes));
    bad += vkmm_json_put(object, "uploaded_bytes", vkmm_json_integer(panels->times.uploaded_bytes));
    bad += vkmm_json_put(object, "downloaded_bytes", vkmm_json_integer(panels->times.downloaded_bytes));
    bad += vkmm_json_put(object, "dispatches", vkmm_json_integer(panels->times.dispatches));
    bad += vkmm_json_put(object, "longest_dispatch_ms",
                         row->timed ? vkmm_json_number(panels->times.longest_ms) : json_null());
    bad += vkmm_json_put(object, "shrunk", json_integer(panels->times.shrunk));
    bad += vkmm_json_put(object, "reason", vkmm_json_text(panels->reason));
    return vkmm_json_done(object, bad);
}

json_t *vkmm_json_verify(const vkmm_row *row)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "method", vkmm_json_text(row->verify.method));

    bad += vkmm_json_put(object, "passed", json_boolean(row->verify.passed));
    bad += vkmm_json_put(object, "error", vkmm_json_number(row->verify.error));
    bad += vkmm_json_put(object, "bound", vkmm_json_number(row->verify.bound));
    bad += vkmm_json_put(object, "sentence", vkmm_json_text(row->verify.sentence));
    return vkmm_json_done(object, bad);
}
