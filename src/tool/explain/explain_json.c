#include "math/type.h"
#include "explain/explain.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"

/* Unlike elements have no single count: null, and the extremes beside it tell. */
static json_t *reads(uint64_t formula, uint64_t least, uint64_t most)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "formula", vkmm_json_integer(formula));

    bad += vkmm_json_put(object, "counted", least == most ? vkmm_json_integer(least) : json_null());
    bad += vkmm_json_put(object, "counted_min", vkmm_json_integer(least));
    bad += vkmm_json_put(object, "counted_max", vkmm_json_integer(most));
    return vkmm_json_done(object, bad);
}

static json_t *operand(const vkmm_reads *formula, const vkmm_reads *counted)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "global", reads(formula->global_min, counted->global_min, counted->global_max));

    bad += vkmm_json_put(object, "shared", reads(formula->shared_min, counted->shared_min, counted->shared_max));
    return vkmm_json_done(object, bad);
}

static json_t *twice(uint64_t formula, uint64_t counted)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "formula", vkmm_json_integer(formula));

    bad += vkmm_json_put(object, "counted", vkmm_json_integer(counted));
    return vkmm_json_done(object, bad);
}

static json_t *shares(double formula, double counted)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "formula", vkmm_json_number(formula));

    bad += vkmm_json_put(object, "counted", vkmm_json_number(counted));
    return vkmm_json_done(object, bad);
}

static json_t *statistics(const vkmm_explanation *explanation, const vkmm_explained *kernel)
{
    json_t *array;
    int bad = 0;

    if (!explanation->device->has_statistics) return json_null();
    array = json_array();
    for (uint32_t i = 0; i < kernel->statistic_count; i++) {
        json_t *object = json_object();
        bad += vkmm_json_put(object, "name", vkmm_json_text(kernel->statistic[i].name));
        bad += vkmm_json_put(object, "value", vkmm_json_text(kernel->statistic[i].value));
        bad += vkmm_json_put(object, "description", vkmm_json_text(kernel->statistic[i].description));
        bad += json_array_append_new(array, object) != 0;
    }
    return vkmm_json_done(array, bad);
}

static json_t *kernel_object(const vkmm_explanation *explanation, const vkmm_explained *kernel)
{
    const vkmm_access *formula = &kernel->formula, *counted = &kernel->counted;
    vkmm_bound bound = vkmm_bound_of(explanation, kernel);
    json_t *object = vkmm_record_json(&vkmm_kernel_record, &kernel->info), *both = json_object(),
           *bytes = json_object();
    int bad = json_object_del(object, "shader") != 0; /* only built-in kernels are explained */

    bad += vkmm_json_put(object, "invocations", twice(formula->invocations, counted->invocations));
    bad += vkmm_json_put(object, "idle",
                         twice(formula->invocations - formula->useful, counted->invocations - counted->useful));
    bad += vkmm_json_put(object, "idle_share", shares(vkmm_idle_share(formula), vkmm_idle_share(counted)));
    bad += vkmm_json_put(object, "multiply_adds", twice(formula->multiply_adds, counted->multiply_adds));
    bad += vkmm_json_put(
        object, "padding_share",
        shares(vkmm_padding_share(&explanation->problem, formula), vkmm_padding_share(&explanation->problem, counted)));
    bad += vkmm_json_put(both, "a", operand(&formula->a, &counted->a));
    bad += vkmm_json_put(both, "b", operand(&formula->b, &counted->b));
    bad += vkmm_json_put(object, "reads", both);
    bad += vkmm_json_put(bytes, "read", twice(formula->bytes_read, counted->bytes_read));
    bad += vkmm_json_put(bytes, "written", twice(formula->bytes_written, counted->bytes_written));
    bad += vkmm_json_put(object, "bytes", bytes);
    bad += vkmm_json_put(object, "stride", json_integer(counted->stride));
    bad += vkmm_json_put(object, "agree", json_boolean(kernel->agree));
    bad += vkmm_json_put(object, "flop_per_byte", bound.name != NULL ? vkmm_json_number(bound.intensity) : json_null());
    bad += vkmm_json_put(object, "memory_ms", vkmm_json_number(bound.memory_ms));
    bad += vkmm_json_put(object, "arithmetic_ms", vkmm_json_number(bound.arithmetic_ms));
    bad += vkmm_json_put(object, "bound", vkmm_json_text(bound.name));
    bad += vkmm_json_put(object, "statistics", statistics(explanation, kernel));
    return vkmm_json_done(object, bad);
}

static json_t *problem_object(const vkmm_problem *problem)
{
    json_t *object = json_object();
    int bad = vkmm_json_put_types(object, problem);

    bad += vkmm_json_put(object, "m", vkmm_json_integer(problem->m));
    bad += vkmm_json_put(object, "n", vkmm_json_integer(problem->n));
    bad += vkmm_json_put(object, "k", vkmm_json_integer(problem->k));
    return vkmm_json_done(object, bad);
}

static json_t *peaks_object(const vkmm_peaks *peaks)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "copy_bytes_per_s", vkmm_json_number(peaks->copy_bytes_per_s));

    bad += vkmm_json_put(object, "copy_bytes", vkmm_json_integer(peaks->copy_bytes));
    bad += vkmm_json_put(object, "multiply_adds_per_s", vkmm_json_number(peaks->multiply_adds_per_s));
    bad += vkmm_json_put(object, "flop_per_byte",
                         vkmm_json_number(2 * peaks->multiply_adds_per_s / peaks->copy_bytes_per_s));
    return vkmm_json_done(object, bad);
}

static json_t *skipped_object(const vkmm_explained *kernel)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "name", vkmm_json_text(kernel->info.name));

    bad += vkmm_json_put(object, "reason", vkmm_json_text(kernel->skipped));
    return vkmm_json_done(object, bad);
}

vkmm_status vkmm_explain_json(vkmm_report *report, const vkmm_explanation *explanation)
{
    json_t *object = json_object(), *kernels = json_array(), *skipped = json_array();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.explain/1")), agree = 1;

    for (uint32_t i = 0; i < explanation->count; i++) {
        const vkmm_explained *kernel = &explanation->kernels[i];
        int ran = kernel->skipped[0] == '\0';
        bad += json_array_append_new(ran ? kernels : skipped,
                                     ran ? kernel_object(explanation, kernel) : skipped_object(kernel)) != 0;
        agree = agree && (!ran || kernel->agree);
    }
    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(explanation->device, NULL));
    bad += vkmm_json_put(object, "problem", problem_object(&explanation->problem));
    bad += vkmm_json_put(object, "peaks", peaks_object(&explanation->peaks));
    bad += vkmm_json_put(object, "agree", json_boolean(agree));
    bad += vkmm_json_put(object, "kernels", kernels);
    bad += vkmm_json_put(object, "skipped", skipped);
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}

static json_t *tile_object(const vkmm_limit_tile *tile)
{
    const uint32_t sides[2] = {tile->rows, tile->cols};
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "tile", vkmm_json_integers(sides, 2));

    bad += vkmm_json_put(object, "legal", json_boolean(tile->legal));
    bad += vkmm_json_put(object, "default", json_boolean(tile->preset));
    bad += vkmm_json_put(object, "rule", tile->legal ? json_null() : vkmm_json_text(tile->rule.limit_name));
    bad += vkmm_json_put(object, "need", tile->legal ? json_null() : vkmm_json_integer(tile->rule.need));
    bad += vkmm_json_put(object, "limit", tile->legal ? json_null() : vkmm_json_integer(tile->rule.limit));
    bad += vkmm_json_put(object, "unit", tile->legal ? json_null() : vkmm_json_text(tile->rule.unit));
    bad += vkmm_json_put(object, "reason", tile->legal ? json_null() : vkmm_json_text(tile->rule.reason));
    return vkmm_json_done(object, bad);
}

vkmm_status vkmm_limits_json(vkmm_report *report, const vkmm_limits *limits)
{
    json_t *object = json_object(), *kernels = json_array();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.limits/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(limits->device, NULL));
    bad += vkmm_json_put(object, "limits", vkmm_record_json(&vkmm_limits_record, limits->device));
    bad += vkmm_json_put(object, "type", json_string(vkmm_type_of(limits->type)->name));
    for (uint32_t i = 0; i < limits->count; i++) {
        const vkmm_limit_kernel *kernel = &limits->kernels[i];
        json_t *entry = json_object(), *tiles = json_array();
        for (uint32_t j = 0; j < kernel->count; j++)
            bad += json_array_append_new(tiles, tile_object(&kernel->tile[j])) != 0;
        bad += vkmm_json_put(entry, "name", vkmm_json_text(kernel->name));
        bad += vkmm_json_put(entry, "tiles", tiles);
        bad += json_array_append_new(kernels, entry) != 0;
    }
    bad += vkmm_json_put(object, "kernels", kernels);
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
