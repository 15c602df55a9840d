/* vkmatmul.explain/1: kernels that are counted, or the plan of a general one. */
#include "explain/explain.h"
#include "report/json.h"
#include "report/records.h"

static int is_single(const void *record)
{
    const cli_twice *twice = record;
    return twice->counted == twice->most;
}

static const cli_field twice_fields[] = {
    {CLI_KEY(U64, cli_twice, formula)},
    {CLI_KEY(U64, cli_twice, counted), .known = is_single},
    {"counted_min", CLI_FIELD_U64, CLI_AT(cli_twice, counted)},
    {"counted_max", CLI_FIELD_U64, CLI_AT(cli_twice, most)},
};
static const cli_field share_fields[] = {
    {CLI_KEY(REAL, cli_share, formula)},
    {CLI_KEY(REAL, cli_share, counted)},
};
static const vkmm_record twice = {NULL, twice_fields, 2}, extremes = {NULL, twice_fields, 4},
                         share = {NULL, CLI_FIELDS(share_fields)};

static const cli_field operand_fields[] = {
    {CLI_KEY(RECORD, cli_reads_twice, global), .record = &extremes},
    {CLI_KEY(RECORD, cli_reads_twice, shared), .record = &extremes},
};
static const vkmm_record operand = {NULL, CLI_FIELDS(operand_fields)};

static const cli_field statistic_fields[] = {
    {CLI_KEY(TEXT, vkmm_statistic, name)},
    {CLI_KEY(TEXT, vkmm_statistic, value)},
    {CLI_KEY(TEXT, vkmm_statistic, description)},
};
static const vkmm_record statistic = {NULL, CLI_FIELDS(statistic_fields)};

CLI_KNOWN(has_statistics, cli_explained, has_statistics)

CLI_KNOWN(is_bound, cli_explained, bound[0] != '\0')

#define KERNEL(member)    CLI_AT(cli_explained, member)
#define KEY(kind, member) CLI_KEY(kind, cli_explained, member)
#define STATISTICS                                                                                     \
    {                                                                                                  \
        "statistics", CLI_FIELD_RECORD, CLI_LIST(cli_explained, statistic, statistic_count), CLI_HERE, \
            .known = has_statistics, .record = &statistic                                              \
    }

static const cli_field both_fields[] = {
    {KEY(RECORD, a), .record = &operand},
    {KEY(RECORD, b), .record = &operand},
};
static const cli_field bytes_fields[] = {
    {"read", CLI_FIELD_RECORD, KERNEL(bytes_read), .record = &twice},
    {"written", CLI_FIELD_RECORD, KERNEL(bytes_written), .record = &twice},
};
static const vkmm_record both = {NULL, CLI_FIELDS(both_fields)}, bytes = {NULL, CLI_FIELDS(bytes_fields)};

CLI_KNOWN(has_limits, cli_explained, limits.limiter != NULL)

static const cli_field kernel_fields[] = {
    {NULL, CLI_FIELD_EMBED, KERNEL(info), .record = &cli_built_in_record},
    {KEY(RECORD, invocations), .record = &twice},
    {KEY(RECORD, idle), .record = &twice},
    {KEY(RECORD, idle_share), .record = &share},
    {KEY(RECORD, multiply_adds), .record = &twice},
    {KEY(RECORD, padding_share), .record = &share},
    {"reads", CLI_FIELD_RECORD, .record = &both},
    {"bytes", CLI_FIELD_RECORD, .record = &bytes},
    {KEY(U32, stride)},
    {KEY(U64, counted_k)},
    {KEY(TRUTH, agree)},
    {KEY(REAL, flop_per_byte), .known = is_bound},
    {KEY(REAL, memory_ms)},
    {KEY(REAL, arithmetic_ms)},
    {KEY(REAL, predicted_ms)},
    {KEY(REAL, measured_ms)},
    {KEY(TEXT, bound), CLI_MAYBE},
    {KEY(RECORD, limits), .known = has_limits, .record = &cli_forecast_record},
    STATISTICS,
};
#define PASS(kind, member) CLI_KEY(kind, cli_explained_pass, member)

static const cli_field pass_fields[] = {
    {PASS(STRING, name)},
    {"bytes_read", CLI_FIELD_U64, CLI_AT(cli_explained_pass, read)},
    {"bytes_written", CLI_FIELD_U64, CLI_AT(cli_explained_pass, written)},
    {PASS(U64, multiply_adds)},
    {"predicted_ms", CLI_FIELD_REAL, CLI_AT(cli_explained_pass, ms)},
    {PASS(REAL, share)},
    {PASS(REAL, measured_ms)},
    {PASS(REAL, measured_share)},
};
static const vkmm_record pass = {NULL, CLI_FIELDS(pass_fields)};

CLI_KNOWN(has_passes, cli_explained, pass_count > 0)

static const cli_field planned_fields[] = {
    {NULL, CLI_FIELD_EMBED, KERNEL(info), .record = &cli_built_in_record},
    {KEY(U32, subgroups), CLI_MAYBE},
    {KEY(REAL, sum_registers)},
    {KEY(REAL, bytes_per_multiply_add)},
    {KEY(REAL, flop_per_byte)},
    {KEY(RECORD, limits), .known = has_limits, .record = &cli_forecast_record},
    STATISTICS,
    {"passes", CLI_FIELD_RECORD, CLI_LIST(cli_explained, passes, pass_count), CLI_HERE, .known = has_passes,
     .record = &pass},
    {KEY(U32, products), CLI_MAYBE},
    {KEY(REAL, predicted_ms), .known = has_passes},
    {KEY(REAL, measured_ms), .known = has_passes},
    {KEY(TEXT, not_measured), CLI_MAYBE},
    {KEY(REAL, direct_ms), .known = has_passes},
    {KEY(STRING, faster), .known = has_passes},
};
static const cli_field left_out_fields[] = {
    {CLI_KEY(STRING, cli_left_out, name)},
    {CLI_KEY(TEXT, cli_left_out, reason)},
};
static const vkmm_record kernel = {NULL, CLI_FIELDS(kernel_fields)}, planned = {NULL, CLI_FIELDS(planned_fields)},
                         left_out = {NULL, CLI_FIELDS(left_out_fields)};

#define ALL(member) CLI_AT(cli_explanation, member)

#define PEAKS(kind, member) CLI_IN(kind, cli_explanation, peaks, member)

static const cli_field peaks_fields[] = {
    {PEAKS(REAL, copy_bytes_per_s)},
    {PEAKS(U64, copy_bytes)},
    {PEAKS(REAL, multiply_adds_per_s)},
    {"flop_per_byte", CLI_FIELD_REAL, ALL(balance)},
    {PEAKS(REAL, copy_spread)},
    {PEAKS(REAL, multiply_adds_spread)},
    {"seen_with", CLI_FIELD_TEXT, ALL(seen), CLI_MAYBE},
};
static const vkmm_record peaks = {NULL, CLI_FIELDS(peaks_fields)};

static const cli_field problem_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &cli_types_record},
    {NULL, CLI_FIELD_EMBED, .record = &cli_extents_record},
};
static const vkmm_record problem = {NULL, CLI_FIELDS(problem_fields)};

#define EXPLANATION_KEY(kind, member) CLI_KEY(kind, cli_explanation, member)

static const cli_field explanation_fields[] = {
    {EXPLANATION_KEY(RECORD, problem), .record = &problem},
    {"peaks", CLI_FIELD_RECORD, .record = &peaks},
    {EXPLANATION_KEY(TRUTH, agree)},
    {EXPLANATION_KEY(TEXT, why), CLI_MAYBE},
    {"kernels", CLI_FIELD_RECORD, CLI_LIST(cli_explanation, kernels, count), CLI_HERE, .record = &kernel},
    {"skipped", CLI_FIELD_RECORD, CLI_LIST(cli_explanation, left_out, left_out_count), CLI_HERE, .record = &left_out},
};
static const cli_field plan_fields[] = {
    {EXPLANATION_KEY(RECORD, problem), .record = &problem},
    {"planned", CLI_FIELD_RECORD, ALL(kernels), .record = &planned},
};
static const vkmm_record explanation_record = {NULL, CLI_FIELDS(explanation_fields)},
                         plan_record = {NULL, CLI_FIELDS(plan_fields)};

json_t *cli_explain_json(const cli_report *report, const cli_explanation *explanation)
{
    const vkmm_record *record = explanation->planned ? &plan_record : &explanation_record;
    return cli_json_document(report, "vkmatmul.explain/1", explanation->device, NULL,
                             cli_record_json(record, explanation));
}
