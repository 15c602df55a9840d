#include "devices/peak.h"

#include "math/type.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "report/wrap.h"

/* "3350 GB/s", or why there is no figure. */
static void print_line(const vkmm_report *report, const char *what, double figure, double scale, const char *unit,
                       const char *reason)
{
    char text[32], clean[300];
    int gap = 34 - (int)vkmm_text_columns(what);

    fprintf(report->out, "  %s%*s", what, gap > 1 ? gap : 1, "");
    if (figure > 0) {
        vkmm_text_figure(text, sizeof text, figure / scale);
        fprintf(report->out, "%9s %s\n", text, unit);
        return;
    }
    vkmm_text_clean(clean, sizeof clean, reason);
    fprintf(report->out, "        %s ", report->utf8 ? "–" : "-");
    vkmm_wrap(report, 46, clean);
}

static int is_float_result(uint32_t component)
{
    char text[32];
    const char *name = vkmm_component_name(component, text);

    return name[0] == 'f' || name[0] == 'b'; /* one without a name may be anything */
}

static void print_shape(const vkmm_report *report, const vkmm_peak_shape *peak)
{
    const vkmm_matrix_shape *s = &peak->shape;
    const char *times = report->utf8 ? "×" : "x", *arrow = report->utf8 ? "→" : "->";
    const char *unit = is_float_result(s->result) ? "TFLOP/s" : "TOP/s",
               *small = is_float_result(s->result) ? "GFLOP/s" : "GOP/s";
    char what[160], a[32], b[32], result[32];

    vkmm_component_name(s->a, a);
    snprintf(what, sizeof what, "matrix %u%s%u%s%u %s·%s%s%s%s", s->m, times, s->n, times, s->k,
             vkmm_component_name(s->a, a), vkmm_component_name(s->b, b), arrow, vkmm_component_name(s->result, result),
             s->saturating ? " sat" : "");
    print_line(report, what, peak->flops, peak->flops < 1e12 ? 1e9 : 1e12, peak->flops < 1e12 ? small : unit,
               peak->reason);
}

vkmm_status vkmm_peak_table(const vkmm_report *report, const vkmm_peak_row *row)
{
    char what[64];

    vkmm_print_device(report, row->device, NULL);
    print_line(report, "copy in device memory", row->copy_bytes_per_s, 1e9, "GB/s", row->copy_reason);
    for (uint32_t i = 0; i < row->type_count; i++) {
        const vkmm_type_info *type = vkmm_type_of(row->types[i].type);
        snprintf(what, sizeof what, "multiply-add %s", type->name);
        print_line(report, what, row->types[i].flops, 1e9, type->is_float ? "GFLOP/s" : "GOP/s", row->types[i].reason);
    }
    for (uint32_t i = 0; i < row->shape_count; i++) print_shape(report, &row->shapes[i]);
    if (row->shape_count == 0) print_line(report, "matrix multiply-add", 0, 1, "", row->no_shapes);
    return VKMM_OK;
}

static json_t *figure(double value)
{
    return value > 0 ? vkmm_json_number(value) : json_null();
}

static json_t *reason(const char *text)
{
    return vkmm_json_text(text[0] != '\0' ? text : NULL);
}

static json_t *types(const vkmm_peak_row *row)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < row->type_count; i++) {
        json_t *object = json_object();
        bad += vkmm_json_put(object, "type", json_string(vkmm_type_of(row->types[i].type)->name));
        bad += vkmm_json_put(object, "flops", figure(row->types[i].flops));
        bad += vkmm_json_put(object, "reason", reason(row->types[i].reason));
        bad += json_array_append_new(array, object) != 0;
    }
    return vkmm_json_done(array, bad);
}

static json_t *shapes(const vkmm_peak_row *row)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < row->shape_count; i++) {
        json_t *object = vkmm_record_json(&vkmm_shape_record, &row->shapes[i].shape);
        bad += vkmm_json_put(object, "flops", figure(row->shapes[i].flops));
        bad += vkmm_json_put(object, "reason", reason(row->shapes[i].reason));
        bad += json_array_append_new(array, object) != 0;
    }
    return vkmm_json_done(array, bad);
}

vkmm_status vkmm_peak_json(const vkmm_report *report, const vkmm_peak_row *row)
{
    json_t *object = json_object(), *copy = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.peak/1")), measured = row->copy_bytes_per_s > 0;

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, NULL));
    bad += vkmm_json_put(copy, "bytes_per_s", figure(row->copy_bytes_per_s));
    bad += vkmm_json_put(copy, "bytes", measured ? vkmm_json_integer(row->copy_bytes) : json_null());
    bad += vkmm_json_put(copy, "reason", reason(row->copy_reason));
    bad += vkmm_json_put(object, "copy", copy);
    bad += vkmm_json_put(object, "types", types(row));
    bad += vkmm_json_put(object, "matrix", shapes(row));
    bad += vkmm_json_put(object, "no_matrix", reason(row->shape_count == 0 ? row->no_shapes : ""));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
