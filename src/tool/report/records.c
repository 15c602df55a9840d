#include "report/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/json.h"

/* ---- problems: every value in force is written ---- */

static const char *type_word(uint32_t type)
{
    return vkmm_type_of((vkmm_type)type)->name;
}

static const char *layout_word(uint32_t layout)
{
    return layout == VKMM_COL_MAJOR ? "col" : "row";
}

static const char *op_word(uint32_t op)
{
    return op == VKMM_OP_T ? "T" : "N";
}

static const char *method_word(uint32_t method)
{
    return vkmm_method_at(method)->name;
}

static const char *format_word(uint32_t format)
{
    return vkmm_format_at(format)->name;
}

const cli_field_words cli_words_of_type = {type_word, VKMM_TYPE_COUNT, "element type", .first = VKMM_F32};

static const cli_field_words layouts = {layout_word, 2, "layout"},
                             out_types = {type_word, VKMM_BF16 + 1, "element type", .first = VKMM_F32},
                             ops = {op_word, 2, "operation"},
                             compute_types = {type_word, VKMM_F16 + 1, "element type", .first = VKMM_F32},
                             activations = {vkmm_activation_name, VKMM_ACTIVATION_COUNT, "activation"},
                             formats = {format_word, VKMM_FORMAT_COUNT, "format"},
                             methods = {method_word, VKMM_METHOD_COUNT, "method"};

static void show_problem(void *copy)
{
    vkmm_problem *shown = copy;
    const vkmm_problem problem = *shown;
    const vkmm_types in_force = vkmm_problem_types(&problem);
    shown->out_type = in_force.out;
    shown->compute = in_force.compute;
    shown->lda = vkmm_operand_ld(&problem, VKMM_A);
    shown->ldb = vkmm_operand_ld(&problem, VKMM_B);
    shown->ldc = vkmm_operand_ld(&problem, VKMM_C);
    shown->stride_a = vkmm_operand_stride(&problem, VKMM_A);
    shown->stride_b = vkmm_operand_stride(&problem, VKMM_B);
    shown->stride_c = vkmm_operand_stride(&problem, VKMM_C);
    shown->batch_count = vkmm_problem_batches(&problem);
}

/* Reports of earlier versions have no keys for what was then derived from the type. */
static void start_problem(void *view)
{
    *(vkmm_problem *)view = VKMM_PROBLEM();
}

static void keep_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)level;
    snprintf(user, CLI_SENTENCE, "%s", sentence);
}

static void check_problem(const cli_node *node, void *record)
{
    char why[CLI_SENTENCE] = "";
    const vkmm_log log = {keep_sentence, why};
    if (vkmm_tell(&log, vkmm_problem_check(record)) != VKMM_OK) cli_node_fail(node, "is not a valid problem: %s", why);
}

/* Integers are written as such: a real would keep only nine digits of a 32-bit scalar. */
static json_t *put_scalar(const void *member)
{
    const double value = *(const double *)member;
    return fabs(value) <= UINT32_MAX && value == floor(value) ? json_integer((json_int_t)value)
                                                              : cli_json_of_number(value);
}

/* null stands for values that JSON numbers cannot represent. */
static void take_scalar(const cli_node *node, void *member)
{
    if (node->json == NULL && json_object_get(node->parent->json, node->key) != NULL) *(double *)member = NAN;
    cli_node_signed(node, member);
}

#define PROBLEM_KEY(kind, member) CLI_KEY(kind, vkmm_problem, member)

static const cli_field problem_fields[] = {
    {PROBLEM_KEY(WORD, type), CLI_NEEDED, .words = &cli_words_of_type},
    {PROBLEM_KEY(WORD, out_type), .words = &out_types},
    {PROBLEM_KEY(WORD, compute), .words = &compute_types},
    {PROBLEM_KEY(WORD, method), .words = &methods},
    {PROBLEM_KEY(U64, m), CLI_NEEDED},
    {PROBLEM_KEY(U64, n), CLI_NEEDED},
    {PROBLEM_KEY(U64, k), CLI_NEEDED},
    {PROBLEM_KEY(WORD, layout), .words = &layouts},
    {"transpose_a", CLI_FIELD_WORD, CLI_AT(vkmm_problem, op_a), .words = &ops},
    {"transpose_b", CLI_FIELD_WORD, CLI_AT(vkmm_problem, op_b), .words = &ops},
    {PROBLEM_KEY(U64, lda)},
    {PROBLEM_KEY(U64, offset_a)},
    {PROBLEM_KEY(U64, stride_a)},
    {PROBLEM_KEY(U64, ldb)},
    {PROBLEM_KEY(U64, offset_b)},
    {PROBLEM_KEY(U64, stride_b)},
    {PROBLEM_KEY(U64, ldc)},
    {PROBLEM_KEY(U64, offset_c)},
    {PROBLEM_KEY(U64, stride_c)},
    {PROBLEM_KEY(U64, batch_count)},
    {PROBLEM_KEY(CUSTOM, alpha), .put = put_scalar, .take = take_scalar},
    {PROBLEM_KEY(CUSTOM, beta), .put = put_scalar, .take = take_scalar},
    {PROBLEM_KEY(WORD, activation), .words = &activations},
    {"bias", CLI_FIELD_TRUTH, CLI_AT(vkmm_problem, has_bias)},
    {PROBLEM_KEY(WORD, format_a), .words = &formats},
    {PROBLEM_KEY(WORD, format_b), .words = &formats},
};

const vkmm_record cli_problem_record = {"problem",
                                        CLI_FIELDS(problem_fields),
                                        .size = sizeof(vkmm_problem),
                                        .start = start_problem,
                                        .show = show_problem,
                                        .check = check_problem};

const vkmm_record cli_types_record = {NULL, problem_fields, 4, .size = sizeof(vkmm_problem), .show = show_problem},
                  cli_extents_record = {NULL, problem_fields + 4, 3};

/* ---- kernels ---- */

static json_t *put_constants(const void *record)
{
    const vkmm_kernel_info *kernel = record;
    json_t *constants = json_object();
    int bad = 0;
    for (uint32_t i = 0; i < kernel->spec_count && i < VKMM_MAX_SPEC_CONSTANTS; i++) {
        char id[16];
        VKMM_PUT(id, "%u", kernel->spec_ids[i]);
        bad += cli_json_put(constants, id, json_integer(kernel->spec_values[i]));
    }
    return cli_json_done(constants, bad);
}

static void take_constants(const cli_node *node, void *record)
{
    vkmm_kernel_info *kernel = record;
    const char *key;
    json_t *value;
    if (!cli_node_is_object(node, 0)) return;
    if (json_object_size(node->json) > VKMM_MAX_SPEC_CONSTANTS) {
        cli_node_fail(node, "has %zu entries; at most %d are read", json_object_size(node->json),
                      VKMM_MAX_SPEC_CONSTANTS);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)node->json, key, value)
    {
        const cli_node entry = cli_node_key(node, key);
        uint64_t constant = 0;
        char *end;
        const unsigned long id = strtoul(key, &end, 10);
        if (key[0] < '0' || key[0] > '9' || *end != '\0' || id > UINT32_MAX) {
            cli_node_fail(&entry, "is not the number of a constant");
            return;
        }
        cli_node_integer(&entry, UINT32_MAX, &constant);
        kernel->spec_ids[kernel->spec_count] = (uint32_t)id;
        kernel->spec_values[kernel->spec_count++] = (uint32_t)constant;
    }
}

static json_t *put_null(const void *record)
{
    (void)record;
    return json_null();
}

CLI_KNOWN(has_name, vkmm_kernel_info, name[0] != '\0')
CLI_KNOWN(has_residues, vkmm_kernel_info, products > 0)

static const cli_field kernel_fields[] = {
    {CLI_KEY(TEXT, vkmm_kernel_info, name)},
    {CLI_KEYS(U32, vkmm_kernel_info, tile, 2)},
    {CLI_KEYS(U32, vkmm_kernel_info, workgroup, 3)},
    {CLI_KEYS(U32, vkmm_kernel_info, groups, 3)},
    {CLI_KEY(U32, vkmm_kernel_info, shared_bytes)},
    {"spec_constants", CLI_FIELD_CUSTOM, .put = put_constants, .take = take_constants},
    {CLI_KEY(TEXT, vkmm_kernel_info, config), CLI_MAYBE},
    {CLI_KEY(TRUTH, vkmm_kernel_info, tuned)},
    {CLI_KEY(U32, vkmm_kernel_info, splits)},
    {CLI_KEY(U32, vkmm_kernel_info, whole_rows)},
    {CLI_KEY(U64, vkmm_kernel_info, items)},
    {CLI_KEY(U64, vkmm_kernel_info, workspace_bytes)},
    {CLI_KEY(U64, vkmm_kernel_info, packed_bytes)},
    {CLI_KEYS(U32, vkmm_kernel_info, matrix, 3), CLI_MAYBE},
    {CLI_KEY(U32, vkmm_kernel_info, subgroup_size), CLI_MAYBE},
    {"dot8", CLI_FIELD_TRUTH, CLI_AT(vkmm_kernel_info, uses_dot8)},
    {CLI_KEY(U32, vkmm_kernel_info, moduli), CLI_MAYBE},
    {CLI_KEY(WORD, vkmm_kernel_info, residues), .words = &cli_words_of_type, .known = has_residues},
    {CLI_KEY(U32, vkmm_kernel_info, products), CLI_MAYBE},
    {"shader", CLI_FIELD_CUSTOM, .put = put_null},
};

const vkmm_record cli_kernel_record = {"kernel", CLI_FIELDS(kernel_fields), .known = has_name};

const vkmm_record cli_built_in_record = {NULL, kernel_fields, VKMM_COUNT(kernel_fields) - 1};

/* ---- rows ---- */

CLI_KNOWN(ran, cli_bench_row, not_run[0] == '\0')

static int is_timed(const void *record)
{
    return cli_bench_is_timed(record);
}

CLI_KNOWN(has_samples, cli_bench_series, count > 0)

static int has_median(const void *record)
{
    return isfinite(((const cli_bench_series *)record)->median);
}

static const cli_field series_fields[] = {
    {CLI_KEY(REAL, cli_bench_series, median), CLI_OMIT | CLI_DERIVED},
    {CLI_KEY(REAL, cli_bench_series, min), CLI_OMIT | CLI_DERIVED},
    {CLI_KEY(REAL, cli_bench_series, p5), CLI_OMIT | CLI_DERIVED},
    {CLI_KEY(REAL, cli_bench_series, p95), CLI_OMIT | CLI_DERIVED},
    {CLI_KEY(U32, cli_bench_series, count), CLI_OMIT | CLI_DERIVED, .known = has_median},
    {CLI_KEY(U32, cli_bench_series, outliers), CLI_OMIT | CLI_DERIVED, .known = has_median},
    {"samples", CLI_FIELD_REAL, CLI_LIST(cli_bench_series, ms, count), CLI_NEEDED, .cost = 1, .most = CLI_MOST_MS},
};

static const vkmm_record series_record = {"series", CLI_FIELDS(series_fields), .known = has_samples};

#define ROW(member)           CLI_AT(cli_bench_row, member)
#define ROW_KEY(kind, member) CLI_KEY(kind, cli_bench_row, member)

static int has_times(const void *record)
{
    const cli_bench_row *row = record;
    return row->kernel_ms.count + row->submit_ms.count + row->total_ms.count > 0;
}

/* Rounds end one after the other, within the samples. */
static void check_times(const cli_node *node, void *record)
{
    const cli_bench_row *row = record;
    const cli_node ends = cli_node_key(node, "round_ends");
    for (uint32_t i = 0; i < row->rounds; i++) {
        const cli_node entry = cli_node_at(&ends, i);
        const uint32_t before = i > 0 ? row->round_ends[i - 1] : 0;
        if (row->round_ends[i] > row->kernel_ms.count)
            cli_node_fail(&entry, "is %u; the maximum is %u", row->round_ends[i], row->kernel_ms.count);
        if (row->round_ends[i] < before)
            cli_node_fail(&entry, "is %u, less than the end of the round before, %u", row->round_ends[i], before);
    }
}

static const cli_field time_fields[] = {
    {ROW_KEY(RECORD, kernel_ms), .record = &series_record, .heading = "kernel", .unit = "ms"},
    {ROW_KEY(RECORD, submit_ms), .record = &series_record, .heading = "submit", .unit = "ms"},
    {ROW_KEY(RECORD, total_ms), .record = &series_record, .heading = "total", .unit = "ms", .was = "transfer_ms"},
    {ROW_KEY(RECORD, upload_ms), .record = &series_record},
    {ROW_KEY(RECORD, download_ms), .record = &series_record},
    {"round_ends", CLI_FIELD_U32, CLI_LIST(cli_bench_row, round_ends, rounds), .cost = 1},
    {ROW_KEY(TEXT, clock), CLI_MAYBE},
    {ROW_KEY(TEXT, clock_note), CLI_MAYBE},
    {ROW_KEY(REAL, slope_ms), CLI_MAYBE, .most = CLI_MOST_MS},
    {ROW_KEY(TRUTH, mapped)},
    {ROW_KEY(TEXT, stopped), CLI_MAYBE},
};

static const vkmm_record time_record = {"time", CLI_FIELDS(time_fields), .known = has_times, .check = check_times};

CLI_KNOWN(is_judged, cli_bench_row, method[0] != '\0')

/* A product that was not verified has not passed, whatever a file says. */
static void check_verdict(const cli_node *node, void *record)
{
    cli_bench_row *row = record;
    (void)node;
    if (strcmp(row->method, "none") == 0 || row->method[0] == '\0') row->passed = 0;
}

static const cli_field verify_fields[] = {
    {ROW_KEY(TEXT, method)},
    {ROW_KEY(TRUTH, passed)},
    {ROW_KEY(REAL, error)},
    {ROW_KEY(REAL, bound)},
    {ROW_KEY(U64, nans)},
    {ROW_KEY(U64, infinities)},
    {ROW_KEY(TEXT, sentence), CLI_MAYBE},
};

static const vkmm_record verify_record = {"verify", CLI_FIELDS(verify_fields), .known = is_judged,
                                          .check = check_verdict};

CLI_KNOWN(has_source, cli_bench_power, source[0] != '\0')

static const cli_field power_fields[] = {
    {CLI_KEY(TEXT, cli_bench_power, source)},
    {CLI_KEY(REAL, cli_bench_power, joules), .most = 1e12, .heading = "joules"},
    {CLI_KEY(REAL, cli_bench_power, watts), .most = 1e9},
    {"mhz_before", CLI_FIELD_REAL, CLI_AT(cli_bench_power, mhz[0]), .most = 1e9},
    {"mhz_during", CLI_FIELD_REAL, CLI_AT(cli_bench_power, mhz[1]), .most = 1e9},
    {"mhz_after", CLI_FIELD_REAL, CLI_AT(cli_bench_power, mhz[2]), .most = 1e9},
    {CLI_KEY(TEXT, cli_bench_power, limited), CLI_MAYBE},
    {CLI_KEY(REAL, cli_bench_power, others), .most = 1e6},
    {CLI_KEY(U32, cli_bench_power, processors), CLI_MAYBE},
};

static const vkmm_record power_record = {"power", CLI_FIELDS(power_fields), .known = has_source};

#define FIGURES(kind, member) CLI_IN(kind, cli_bench_row, figures, member)

static const cli_field work_fields[] = {
    {NULL, CLI_FIELD_EMBED, ROW(problem), .record = &cli_problem_record},
    {ROW_KEY(U64, seed)},
    {ROW_KEY(TEXT, init), CLI_MAYBE},
};

static const vkmm_record work_record = {"work", CLI_FIELDS(work_fields)};

static void check_round(const cli_node *node, void *record)
{
    const cli_bench_row *round = record;
    if (round->kernel_ms.count == 0) cli_node_fail(node, "has no samples of kernel_ms");
    if (strcmp(round->clock, "device") != 0 && strcmp(round->clock, "host") != 0)
        cli_node_fail(node, "has the unknown clock \"%s\"", round->clock);
}

static const cli_field round_fields[] = {
    {"time", CLI_FIELD_RECORD, .record = &time_record},
    {ROW_KEY(RECORD, power), .record = &power_record},
};

const vkmm_record cli_round_record = {"round", CLI_FIELDS(round_fields), .check = check_round};

static const cli_field row_fields[] = {
    {ROW_KEY(U32, device), CLI_NEEDED},
    {ROW_KEY(TEXT, group), CLI_MAYBE},
    {ROW_KEY(TEXT, asked), CLI_MAYBE},
    {"problem", CLI_FIELD_RECORD, .flags = CLI_NEEDED, .record = &work_record},
    {ROW_KEY(U64, rotating_bytes)},
    {ROW_KEY(TEXT, not_run), CLI_MAYBE},
    {ROW_KEY(RECORD, kernel), .known = ran, .record = &cli_kernel_record},
    {"verify", CLI_FIELD_RECORD, .known = ran, .record = &verify_record},
    {"time", CLI_FIELD_RECORD, .known = ran, .record = &time_record},
    {FIGURES(REAL, gflops), CLI_DERIVED, .heading = "GFLOP/s"},
    {FIGURES(REAL, gbytes_per_s), CLI_DERIVED, .heading = "GB/s"},
    {"interval_ms", CLI_FIELD_REAL, CLI_ARRAY(cli_bench_row, figures.interval_ms, 2), CLI_DERIVED | CLI_SIGNED,
     .known = is_timed},
    {FIGURES(REAL, noise), CLI_DERIVED},
    {FIGURES(REAL, arithmetic_share), CLI_DERIVED},
    {FIGURES(REAL, copy_share), CLI_DERIVED},
    {FIGURES(REAL, drift), CLI_DERIVED | CLI_SIGNED},
    {FIGURES(TRUTH, busy), CLI_DERIVED, .known = is_timed},
    {FIGURES(TRUTH, throttled), CLI_DERIVED, .known = is_timed},
    {ROW_KEY(REAL, asked_bytes), .known = ran, .most = CLI_MOST_A_S},
    {ROW_KEY(TEXT, in_panels), CLI_MAYBE},
    {ROW_KEY(RECORD, power), .known = ran, .record = &power_record},
};

static void start_row(void *record)
{
    cli_bench_row_init(record);
}

const vkmm_record cli_row_record = {"row", CLI_FIELDS(row_fields), .start = start_row};

/* ---- run and ladder ---- */

static const cli_field tool_fields[] = {{CLI_KEY(STRING, cli_report, version)},
                                        {CLI_KEY(STRING, cli_report, shader_hash)},
                                        {CLI_KEY(STRING, cli_report, command)}};

const vkmm_record cli_tool_record = {"tool", CLI_FIELDS(tool_fields)};

static json_t *put_stable(const void *record)
{
    return json_boolean(strcmp(((const cli_bench_row *)record)->stopped, "stable") == 0);
}

static const cli_field run_time_fields[] = {{NULL, CLI_FIELD_EMBED, .record = &time_record},
                                            {ROW_KEY(TEXT, clock_note)}, /* "" where there is none */
                                            {"stable", CLI_FIELD_CUSTOM, .put = put_stable}};

static const cli_field run_kernel_fields[] = {{NULL, CLI_FIELD_EMBED, ROW(kernel), .record = &cli_kernel_record},
                                              {"shader", CLI_FIELD_STRING, ROW(shader_file)}};

static const vkmm_record run_time_record = {NULL, CLI_FIELDS(run_time_fields), .known = is_timed},
                         run_kernel_record = {NULL, CLI_FIELDS(run_kernel_fields)};

#define PANELS(kind, part, member) CLI_IN(kind, cli_bench_row, panels.part, member)

static const cli_field panel_fields[] = {
    {PANELS(U64, partition, rows)},
    {PANELS(U64, partition, cols)},
    {PANELS(U64, partition, depth)},
    {PANELS(U64, partition, row_panels)},
    {PANELS(U64, partition, col_panels)},
    {PANELS(U64, partition, depth_panels)},
    {PANELS(U64, partition, device_bytes)},
    {PANELS(U64, partition, staging_bytes)},
    {PANELS(U64, times, uploaded_bytes)},
    {PANELS(U64, times, downloaded_bytes)},
    {PANELS(U64, times, dispatches)},
    {PANELS(U32, times, shrunk)},
    {"reason", CLI_FIELD_STRING, ROW(panels.reason)},
    {"longest_dispatch_ms", CLI_FIELD_REAL, ROW(panels.times.longest_ms), .known = is_timed}, /* of a right product */
};

CLI_KNOWN(is_in_panels, cli_bench_row, panels.reason != NULL)

static const vkmm_record panel_record = {NULL, CLI_FIELDS(panel_fields), .known = is_in_panels};

static const cli_field timeline_fields[] = {
    {CLI_KEY(U64, vkmm_stream_panel, batch)},         {CLI_KEY(U64, vkmm_stream_panel, matrices)},
    {CLI_KEY(U64, vkmm_stream_panel, row)},           {CLI_KEY(U64, vkmm_stream_panel, col)},
    {CLI_KEY(U64, vkmm_stream_panel, rows)},          {CLI_KEY(U64, vkmm_stream_panel, cols)},
    {CLI_KEYS(REAL, vkmm_stream_panel, load_ms, 2)},  {CLI_KEYS(REAL, vkmm_stream_panel, kernel_ms, 2)},
    {CLI_KEYS(REAL, vkmm_stream_panel, store_ms, 2)},
};
static const vkmm_record timeline_record = {NULL, CLI_FIELDS(timeline_fields)};

static const cli_field place_fields[] = {
    {CLI_KEY(TEXT, vkmm_device_info, name)},
    {CLI_KEY(U32, vkmm_device_info, index)},
};
static const vkmm_record place_record = {NULL, CLI_FIELDS(place_fields)};

static json_t *put_copied(const void *times)
{
    const vkmm_stream_times *t = times;
    return json_integer((json_int_t)(t->uploaded_bytes + t->downloaded_bytes));
}

static json_t *put_failure(const void *status)
{
    const vkmm_status failure = *(const vkmm_status *)status;
    return failure == VKMM_OK ? json_null() : json_string(vkmm_status_name(failure));
}

static json_t *put_timeline(const void *record)
{
    const vkmm_stream_part *part = record;
    json_t *array = json_array();
    int bad = 0;
    for (uint64_t i = 0; i < part->panels; i++)
        bad += cli_json_add(array, cli_record_json(&timeline_record, &part->timeline[i]));
    return cli_json_done(array, bad);
}

/* One of several devices. */
static const cli_field share_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(vkmm_stream_part, device), CLI_POINTER, .record = &place_record},
    {CLI_KEY(RECORD, vkmm_stream_part, kernel), CLI_POINTER, .record = &cli_kernel_record},
    {CLI_KEY(U64, vkmm_stream_part, panels)},
    {CLI_KEY(REAL, vkmm_stream_part, share)},
    {CLI_IN(REAL, vkmm_stream_part, times, kernel_ms)},
    {CLI_KEY(REAL, vkmm_stream_part, wait_ms)},
    {"bytes", CLI_FIELD_CUSTOM, CLI_AT(vkmm_stream_part, times), .put = put_copied},
    {"failed", CLI_FIELD_CUSTOM, CLI_AT(vkmm_stream_part, status), .put = put_failure},
    {"timeline", CLI_FIELD_CUSTOM, .put = put_timeline},
};
static const vkmm_record share_record = {NULL, CLI_FIELDS(share_fields)};

CLI_KNOWN(is_shared, cli_bench_row, panels.part_count > 0)

/* What a row of run and one of the ladder have in common. */
static const cli_field result_fields[] = {
    {"kernel", CLI_FIELD_RECORD, .record = &run_kernel_record},
    {"time", CLI_FIELD_RECORD, .record = &run_time_record},
    {FIGURES(REAL, gflops)},
    {"verify", CLI_FIELD_RECORD, .known = ran, .record = &verify_record},
};
static const vkmm_record result_record = {NULL, CLI_FIELDS(result_fields)};

static const cli_field run_fields[] = {
    {"problem", CLI_FIELD_RECORD, .record = &work_record},
    {NULL, CLI_FIELD_EMBED, .record = &result_record},
    {ROW_KEY(REAL, wall_ms), CLI_MAYBE, .known = is_timed},
    {"panels", CLI_FIELD_RECORD, .record = &panel_record},
    {"devices", CLI_FIELD_RECORD, CLI_LIST(cli_bench_row, panels.parts, panels.part_count), .record = &share_record,
     .known = is_shared},
    {ROW_KEY(STRING, step), CLI_OMIT},
};
const vkmm_record cli_run_record = {NULL, CLI_FIELDS(run_fields)};

CLI_KNOWN(is_predicted, cli_forecast, limiter != NULL)
CLI_KNOWN(has_predicted_time, cli_forecast, predicted_ms >= 0)

#define COUNTS(member) CLI_IN(REAL, cli_forecast, counts, member)
#define TIMES(member)  CLI_IN(REAL, cli_forecast, resource_ms, member)

static const cli_field counts_fields[] = {{COUNTS(dram_bytes)},   {COUNTS(l2_bytes)},     {COUNTS(l1_lines)},
                                          {COUNTS(shared_turns)}, {COUNTS(instructions)}, {COUNTS(waits)},
                                          {COUNTS(barriers)}},
                       resource_fields[] = {{TIMES(dram)},         {TIMES(l2)},      {TIMES(l1)},      {TIMES(shared)},
                                            {TIMES(instructions)}, {TIMES(latency)}, {TIMES(barriers)}};
static const vkmm_record counts_record = {NULL, CLI_FIELDS(counts_fields), .known = is_predicted},
                         resource_record = {NULL, CLI_FIELDS(resource_fields), .known = has_predicted_time};

/* The keys that the ladder's page is made from are these, step, kernel and time. */
static const cli_field forecast_fields[] = {
    {CLI_KEY(STRING, cli_forecast, name)},
    {CLI_KEY(STRING, cli_forecast, sentence)},
    {CLI_KEY(STRING, cli_forecast, limiter)},
    {CLI_KEY(STRING, cli_forecast, why)},
    {CLI_KEY(STRING, cli_forecast, resembles), CLI_OMIT},
    {CLI_KEY(REAL, cli_forecast, predicted_ms), CLI_MAYBE},
    {"counts", CLI_FIELD_RECORD, .record = &counts_record},
    {"resource_ms", CLI_FIELD_RECORD, .record = &resource_record},
};
const vkmm_record cli_forecast_record = {NULL, CLI_FIELDS(forecast_fields)};

static const cli_field ladder_row_fields[] = {
    {ROW_KEY(STRING, step)},
    {NULL, CLI_FIELD_EMBED, ROW(forecast), CLI_POINTER, .record = &cli_forecast_record},
    {NULL, CLI_FIELD_EMBED, ROW(problem), .record = &cli_extents_record},
    {NULL, CLI_FIELD_EMBED, ROW(problem), .record = &cli_types_record},
    {NULL, CLI_FIELD_EMBED, .record = &result_record},
    {ROW_KEY(REAL, times_serial), CLI_MAYBE},
    {ROW_KEY(REAL, times_previous), CLI_MAYBE},
    {"skipped", CLI_FIELD_TEXT, ROW(not_run), CLI_MAYBE},
};
static const vkmm_record ladder_row_record = {NULL, CLI_FIELDS(ladder_row_fields)};

static const cli_field ladder_problem_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_ladder, problem), .record = &cli_extents_record},
    {CLI_KEY(U64, cli_ladder, seed)},
    {CLI_KEY(STRING, cli_ladder, init)},
};
static const vkmm_record ladder_problem_record = {NULL, CLI_FIELDS(ladder_problem_fields)};

static const cli_field ladder_fields[] = {
    {CLI_KEY(STRING, cli_ladder, host)},
    {"problem", CLI_FIELD_RECORD, .record = &ladder_problem_record},
    {"rows", CLI_FIELD_RECORD, CLI_LIST(cli_ladder, rows, count), .record = &ladder_row_record},
};
const vkmm_record cli_ladder_record = {NULL, CLI_FIELDS(ladder_fields)};
