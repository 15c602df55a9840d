/* vkmatmul.trace/1 and vkmatmul.indices/1. */
#include <stdlib.h>
#include "base/alloc.h"
#include "math/type.h"
#include "report/json.h"
#include "report/records.h"
#include "explain/trace.h"

/* Integers stay integers. */
static json_t *value_of(double value, vkmm_type type)
{
    return vkmm_type_of(type)->is_float ? vkmm_json_number(value) : json_integer((json_int_t)value);
}

static json_t *matrix(const vkmm_view *view)
{
    json_t *rows = json_array();
    int bad = 0;

    for (uint64_t i = 0; i < view->rows; i++) {
        json_t *row = json_array();
        for (uint64_t j = 0; j < view->cols; j++)
            bad += json_array_append_new(row, value_of(vkmm_view_get(view, i, j), view->type)) != 0;
        bad += json_array_append_new(rows, row) != 0;
    }
    return vkmm_json_done(rows, bad);
}

static json_t *pair(uint64_t first, uint64_t second)
{
    json_t *array = json_array();
    int bad = json_array_append_new(array, vkmm_json_integer(first)) != 0;

    bad += json_array_append_new(array, vkmm_json_integer(second)) != 0;
    return vkmm_json_done(array, bad);
}

/* A negative index is left out. */
static json_t *invocation(const vkmm_invocation *one, int64_t index)
{
    json_t *object = json_object();
    int bad = index >= 0 ? vkmm_json_put(object, "index", json_integer(index)) : 0;

    bad += vkmm_json_put(object, "global", vkmm_json_integers(one->global, 2));
    bad += vkmm_json_put(object, "local", vkmm_json_integers(one->local, 2));
    bad += vkmm_json_put(object, "workgroup", vkmm_json_integers(one->workgroup, 2));
    bad += vkmm_json_put(object, "tile_origin", vkmm_json_integers(one->tile_origin, 2));
    bad += vkmm_json_put(object, "row", json_integer(one->row));
    bad += vkmm_json_put(object, "col", json_integer(one->col));
    bad += vkmm_json_put(object, "inside", json_boolean(one->inside));
    return vkmm_json_done(object, bad);
}

static json_t *group(const vkmm_trace *trace)
{
    json_t *object = json_object();
    const vkmm_invocation *first = &trace->invocations[0];
    int bad = vkmm_json_put(object, "id", vkmm_json_integers(first->workgroup, 2));

    bad += vkmm_json_put(object, "origin", pair(first->row, first->col));
    bad += vkmm_json_put(object, "rows", json_integer(trace->kernel.tile[0]));
    bad += vkmm_json_put(object, "cols", json_integer(trace->kernel.tile[1]));
    bad += vkmm_json_put(object, "depth", json_integer(trace->depth));
    return vkmm_json_done(object, bad);
}

static json_t *step(const char *kind)
{
    json_t *object = json_object();

    return vkmm_json_done(object, vkmm_json_put(object, "kind", json_string(kind)));
}

static json_t *load_step(const vkmm_trace *trace, uint32_t load)
{
    json_t *object = step("load");
    vkmm_view a = vkmm_trace_tile_a(trace, load), b = vkmm_trace_tile_b(trace, load);
    int bad = vkmm_json_put(object, "k0", json_integer(load * trace->depth));

    bad += vkmm_json_put(object, "tile_a", matrix(&a));
    bad += vkmm_json_put(object, "tile_b", matrix(&b));
    return vkmm_json_done(object, bad);
}

static json_t *sum_step(const vkmm_trace *trace, uint32_t k)
{
    json_t *object = step("sum"), *terms = json_array(), *sums = json_array();
    vkmm_view all = vkmm_trace_sums(trace);
    int bad = vkmm_json_put(object, "k", json_integer(k));

    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        json_t *both = json_null(), *sum = json_null();
        if (vkmm_trace_takes_part(trace, i)) {
            double term[2];
            vkmm_trace_term(trace, k, i, term);
            both = json_array();
            bad += json_array_append_new(both, value_of(term[0], all.type)) != 0;
            bad += json_array_append_new(both, value_of(term[1], all.type)) != 0;
            sum = value_of(vkmm_view_get(&all, k, i), all.type);
        }
        bad += json_array_append_new(terms, both) != 0;
        bad += json_array_append_new(sums, sum) != 0;
    }
    bad += vkmm_json_put(object, "terms", terms);
    bad += vkmm_json_put(object, "sums", sums);
    return vkmm_json_done(object, bad);
}

/* What lies in C afterwards; null for invocations beyond its edges, which store nothing. */
static json_t *store_step(const vkmm_trace *trace)
{
    json_t *object = step("store"), *values = json_array();
    vkmm_view c = vkmm_view_rows(trace->c, trace->problem.m, trace->problem.n, trace->problem.type);
    int bad = 0;

    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *one = &trace->invocations[i];
        bad += json_array_append_new(values, one->inside ? value_of(vkmm_view_get(&c, one->row, one->col), c.type)
                                                         : json_null()) != 0;
    }
    bad += vkmm_json_put(object, "values", values);
    return vkmm_json_done(object, bad);
}

static json_t *steps(const vkmm_trace *trace)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t k = 0; k < trace->sum_count; k++) {
        if (trace->depth > 0 && k % trace->depth == 0) {
            bad += json_array_append_new(array, load_step(trace, k / trace->depth)) != 0;
            bad += json_array_append_new(array, step("barrier")) != 0;
        }
        bad += json_array_append_new(array, sum_step(trace, k)) != 0;
        if (trace->depth > 0 && (k + 1) % trace->depth == 0) bad += json_array_append_new(array, step("barrier")) != 0;
    }
    bad += json_array_append_new(array, store_step(trace)) != 0;
    return vkmm_json_done(array, bad);
}

static json_t *invocations(const vkmm_trace *trace)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < trace->invocation_count; i++)
        bad += json_array_append_new(array, invocation(&trace->invocations[i], i)) != 0;
    return vkmm_json_done(array, bad);
}

static int put_matrix(json_t *object, const char *key, const void *data, uint64_t rows, uint64_t cols, vkmm_type type)
{
    vkmm_view view = vkmm_view_rows(data, rows, cols, type);

    return vkmm_json_put(object, key, matrix(&view));
}

char *vkmm_trace_json(const vkmm_report *report, const vkmm_trace_row *row)
{
    const vkmm_trace *trace = row->trace;
    const vkmm_problem *problem = &trace->problem;
    const vkmm_invocation *followed = &trace->invocations[trace->followed];
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.trace/1"));
    char *dumped, *text;

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, NULL));
    bad += vkmm_json_put(object, "problem", vkmm_json_problem(problem, 1, row->seed, row->init));
    bad += vkmm_json_put(object, "kernel", vkmm_record_json(&vkmm_kernel_record, &trace->kernel));
    bad += vkmm_json_put(object, "at", pair(followed->row, followed->col));
    bad += put_matrix(object, "a", trace->a, problem->m, problem->k, problem->type);
    bad += put_matrix(object, "b", trace->b, problem->k, problem->n, problem->type);
    bad += put_matrix(object, "c", trace->c, problem->m, problem->n, problem->type);
    bad += vkmm_json_put(object, "group", group(trace));
    bad += vkmm_json_put(object, "invocations", invocations(trace));
    bad += vkmm_json_put(object, "steps", steps(trace));
    object = vkmm_json_done(object, bad);
    if (object == NULL) return NULL;
    /* As many digits as bring back the very value. */
    dumped = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(problem->type == VKMM_F64 ? 17 : 9));
    json_decref(object);
    text = dumped != NULL ? vkmm_strdup(dumped) : NULL;
    free(dumped);
    return text;
}

vkmm_status vkmm_indices_json(const vkmm_report *report, const vkmm_indices_row *row)
{
    json_t *object = json_object(), *array = json_array();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.indices/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, NULL));
    bad += vkmm_json_put(object, "extent", pair(row->problem.m, row->problem.n));
    bad += vkmm_json_put(object, "kernel", vkmm_record_json(&vkmm_kernel_record, row->kernel));
    for (uint64_t i = 0; i < row->problem.m; i++) {
        for (uint64_t j = 0; j < row->problem.n; j++) {
            vkmm_invocation one;
            row->place(row, i, j, &one);
            bad += json_array_append_new(array, invocation(&one, -1)) != 0;
        }
    }
    bad += vkmm_json_put(object, "elements", array);
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
