/* vkmatmul.trace/1. */
#include "explain/trace_command.h"

#include "math/type.h"
#include "report/json.h"
#include "report/records.h"

#define PAIR(member) #member, CLI_FIELD_U32, CLI_ARRAY(vkmm_invocation, member, 2)

static const cli_field invocation_fields[] = {
    {PAIR(global)},
    {PAIR(local)},
    {PAIR(workgroup)},
    {PAIR(tile_origin)},
    {CLI_KEY(U32, vkmm_invocation, row)},
    {CLI_KEY(U32, vkmm_invocation, col)},
    {CLI_KEY(TRUTH, vkmm_invocation, inside)},
};
static const vkmm_record invocation_record = {NULL, CLI_FIELDS(invocation_fields)};

static const cli_field plain_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(vkmm_trace, problem), .record = &cli_types_record},
    {NULL, CLI_FIELD_EMBED, CLI_AT(vkmm_trace, problem), .record = &cli_extents_record},
};
static const vkmm_record plain_record = {NULL, CLI_FIELDS(plain_fields)};

static const cli_field problem_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_trace_row, trace), CLI_POINTER, .record = &plain_record},
    {CLI_KEY(U64, cli_trace_row, seed)},
    {CLI_KEY(STRING, cli_trace_row, init)},
};
static const vkmm_record problem_record = {NULL, CLI_FIELDS(problem_fields)};

/* Integers stay integers. */
static json_t *value(const vkmm_view *view, uint64_t i, uint64_t j)
{
    const double number = vkmm_view_get(view, i, j);
    return vkmm_type_of(view->type)->is_float ? cli_json_of_number(number) : json_integer((json_int_t)number);
}

static json_t *matrix(vkmm_view view)
{
    json_t *rows = json_array();
    int bad = 0;
    for (uint64_t i = 0; i < view.rows; i++) {
        json_t *row = json_array();
        for (uint64_t j = 0; j < view.cols; j++) bad += cli_json_add(row, value(&view, i, j));
        bad += cli_json_add(rows, row);
    }
    return cli_json_done(rows, bad);
}

static json_t *load_step(const vkmm_trace *trace, uint32_t load)
{
    return json_pack("{s:s,s:i,s:o,s:o}", "kind", "load", "k0", load * trace->depth, "tile_a",
                     matrix(cli_trace_tile(trace, VKMM_A, load)), "tile_b",
                     matrix(cli_trace_tile(trace, VKMM_B, load)));
}

static json_t *sum_step(const vkmm_trace *trace, uint32_t k)
{
    const vkmm_view all = cli_trace_sums(trace);
    json_t *terms = json_array(), *sums = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const int takes_part = cli_trace_takes_part(trace, i);
        const cli_term term = cli_trace_term(trace, k, i);
        bad += cli_json_add(
            terms, takes_part ? json_pack("[o,o]", value(&term.a, term.row, term.k), value(&term.b, term.k, term.col))
                              : json_null());
        bad += cli_json_add(sums, takes_part ? value(&all, k, i) : json_null());
    }
    return cli_json_done(json_pack("{s:s,s:i,s:o,s:o}", "kind", "sum", "k", k, "terms", terms, "sums", sums), bad);
}

/* What C contains afterwards; null for invocations beyond its edges, which store nothing. */
static json_t *store_step(const vkmm_trace *trace)
{
    const vkmm_view c = cli_trace_matrix(trace, VKMM_C);
    json_t *values = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *one = &trace->invocations[i];
        bad += cli_json_add(values, one->inside ? value(&c, one->row, one->col) : json_null());
    }
    return cli_json_done(json_pack("{s:s,s:o}", "kind", "store", "values", values), bad);
}

static json_t *steps(const vkmm_trace *trace)
{
    const uint32_t depth = trace->depth;
    json_t *array = json_array();
    int bad = 0;
    for (uint32_t k = 0; k < trace->sum_count; k++) {
        if (depth > 0 && k % depth == 0) {
            bad += cli_json_add(array, load_step(trace, k / depth));
            bad += cli_json_add(array, json_pack("{s:s}", "kind", "barrier"));
        }
        bad += cli_json_add(array, sum_step(trace, k));
        if (depth > 0 && (k + 1) % depth == 0) bad += cli_json_add(array, json_pack("{s:s}", "kind", "barrier"));
    }
    bad += cli_json_add(array, store_step(trace));
    return cli_json_done(array, bad);
}

static json_t *invocations(const vkmm_trace *trace)
{
    json_t *array = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        json_t *object = json_pack("{s:i}", "index", i),
               *rest = cli_record_json(&invocation_record, &trace->invocations[i]);
        bad += json_object_update(object, rest) != 0;
        bad += cli_json_add(array, object);
        json_decref(rest);
    }
    return cli_json_done(array, bad);
}

char *cli_trace_json(const cli_report *report, const cli_trace_row *row)
{
    const vkmm_trace *trace = row->trace;
    const vkmm_invocation *first = &trace->invocations[0], *followed = &trace->invocations[trace->followed];
    json_t *object = cli_json_document(
        report, "vkmatmul.trace/1", row->device, NULL,
        json_pack("{s:o,s:o,s:[i,i],s:o,s:o,s:o,s:{s:[i,i],s:[i,i],s:i,s:i,s:i},s:o,s:o}", "problem",
                  cli_record_json(&problem_record, row), "kernel", cli_record_json(&cli_kernel_record, &trace->kernel),
                  "at", followed->row, followed->col, "a", matrix(cli_trace_matrix(trace, VKMM_A)), "b",
                  matrix(cli_trace_matrix(trace, VKMM_B)), "c", matrix(cli_trace_matrix(trace, VKMM_C)), "group", "id",
                  first->workgroup[0], first->workgroup[1], "origin", first->row, first->col, "rows",
                  trace->kernel.tile[0], "cols", trace->kernel.tile[1], "depth", trace->depth, "invocations",
                  invocations(trace), "steps", steps(trace)));
    /* Enough digits to restore the exact value. */
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(trace->problem.type == VKMM_F64 ? 17 : 9));
    json_decref(object);
    return text;
}
