/* vkmatmul.explain/1: kernels that are counted, or the plan of a general one. */
#include "explain/explain.h"
#include "report/json.h"
#include "report/records.h"

static int is_single(const void *record)
{
    const vkmm_twice *twice = record;

    return twice->counted == twice->most;
}

static const vkmm_field twice_fields[] = {
    {VKMM_KEY(U64, vkmm_twice, formula)},
    {VKMM_KEY(U64, vkmm_twice, counted), .known = is_single},
    {"counted_min", VKMM_FIELD_U64, VKMM_AT(vkmm_twice, counted)},
    {"counted_max", VKMM_FIELD_U64, VKMM_AT(vkmm_twice, most)},
};
static const vkmm_field share_fields[] = {
    {VKMM_KEY(REAL, vkmm_share, formula)},
    {VKMM_KEY(REAL, vkmm_share, counted)},
};
static const vkmm_record twice = {NULL, twice_fields, 2}, extremes = {NULL, twice_fields, 4},
                         share = {NULL, VKMM_FIELDS(share_fields)};

static const vkmm_field operand_fields[] = {
    {VKMM_KEY(RECORD, vkmm_reads_twice, global), .record = &extremes},
    {VKMM_KEY(RECORD, vkmm_reads_twice, shared), .record = &extremes},
};
static const vkmm_record operand = {NULL, VKMM_FIELDS(operand_fields)};

static const vkmm_field statistic_fields[] = {
    {VKMM_KEY(TEXT, vkmm_statistic, name)},
    {VKMM_KEY(TEXT, vkmm_statistic, value)},
    {VKMM_KEY(TEXT, vkmm_statistic, description)},
};
static const vkmm_record statistic = {NULL, VKMM_FIELDS(statistic_fields)};

VKMM_KNOWN(has_statistics, vkmm_explained, has_statistics)

VKMM_KNOWN(is_bound, vkmm_explained, bound[0] != '\0')

#define KERNEL(member)    VKMM_AT(vkmm_explained, member)
#define KEY(kind, member) VKMM_KEY(kind, vkmm_explained, member)
#define STATISTICS                                                                                         \
    {                                                                                                      \
        "statistics", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_explained, statistic, statistic_count), VKMM_HERE, \
            .known = has_statistics, .record = &statistic                                                  \
    }

static const vkmm_field both_fields[] = {
    {KEY(RECORD, a), .record = &operand},
    {KEY(RECORD, b), .record = &operand},
};
static const vkmm_field bytes_fields[] = {
    {"read", VKMM_FIELD_RECORD, KERNEL(bytes_read), .record = &twice},
    {"written", VKMM_FIELD_RECORD, KERNEL(bytes_written), .record = &twice},
};
static const vkmm_record both = {NULL, VKMM_FIELDS(both_fields)}, bytes = {NULL, VKMM_FIELDS(bytes_fields)};

static const vkmm_field kernel_fields[] = {
    {NULL, VKMM_FIELD_EMBED, KERNEL(info), .record = &vkmm_built_in_record},
    {KEY(RECORD, invocations), .record = &twice},
    {KEY(RECORD, idle), .record = &twice},
    {KEY(RECORD, idle_share), .record = &share},
    {KEY(RECORD, multiply_adds), .record = &twice},
    {KEY(RECORD, padding_share), .record = &share},
    {"reads", VKMM_FIELD_RECORD, .record = &both},
    {"bytes", VKMM_FIELD_RECORD, .record = &bytes},
    {KEY(U32, stride)},
    {KEY(U64, counted_k)},
    {KEY(TRUTH, agree)},
    {KEY(REAL, flop_per_byte), .known = is_bound},
    {KEY(REAL, memory_ms)},
    {KEY(REAL, arithmetic_ms)},
    {KEY(REAL, predicted_ms)},
    {KEY(REAL, measured_ms)},
    {KEY(TEXT, bound), VKMM_MAYBE},
    STATISTICS,
};
#define PASS(kind, member) VKMM_KEY(kind, vkmm_explained_pass, member)

static const vkmm_field pass_fields[] = {
    {PASS(STRING, name)},
    {"bytes_read", VKMM_FIELD_U64, VKMM_AT(vkmm_explained_pass, read)},
    {"bytes_written", VKMM_FIELD_U64, VKMM_AT(vkmm_explained_pass, written)},
    {PASS(U64, multiply_adds)},
    {"predicted_ms", VKMM_FIELD_REAL, VKMM_AT(vkmm_explained_pass, ms)},
    {PASS(REAL, share)},
    {PASS(REAL, measured_ms)},
    {PASS(REAL, measured_share)},
};
static const vkmm_record pass = {NULL, VKMM_FIELDS(pass_fields)};

VKMM_KNOWN(has_passes, vkmm_explained, pass_count > 0)

static const vkmm_field planned_fields[] = {
    {NULL, VKMM_FIELD_EMBED, KERNEL(info), .record = &vkmm_built_in_record},
    {KEY(U32, subgroups), VKMM_MAYBE},
    {KEY(REAL, sum_registers)},
    {KEY(REAL, bytes_per_multiply_add)},
    {KEY(REAL, flop_per_byte)},
    STATISTICS,
    {"passes", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_explained, passes, pass_count), VKMM_HERE, .known = has_passes,
     .record = &pass},
    {KEY(U32, products), VKMM_MAYBE},
    {KEY(REAL, predicted_ms), .known = has_passes},
    {KEY(REAL, measured_ms), .known = has_passes},
    {KEY(TEXT, not_measured), VKMM_MAYBE},
    {KEY(REAL, direct_ms), .known = has_passes},
    {KEY(STRING, faster), .known = has_passes},
};
static const vkmm_field shader_fields[] = {
    {NULL, VKMM_FIELD_EMBED, KERNEL(info), .record = &vkmm_built_in_record},
    {KEY(REAL, memory_ms)},
    {KEY(REAL, arithmetic_ms)},
    {KEY(REAL, predicted_ms)},
    {KEY(REAL, measured_ms)},
    STATISTICS,
};
static const vkmm_field left_out_fields[] = {
    {VKMM_KEY(STRING, vkmm_left_out, name)},
    {VKMM_KEY(TEXT, vkmm_left_out, reason)},
};
static const vkmm_record kernel = {NULL, VKMM_FIELDS(kernel_fields)}, planned = {NULL, VKMM_FIELDS(planned_fields)},
                         shader = {NULL, VKMM_FIELDS(shader_fields)}, left_out = {NULL, VKMM_FIELDS(left_out_fields)};

#define ALL(member) VKMM_AT(vkmm_explanation, member)

#define PEAKS(kind, member) VKMM_IN(kind, vkmm_explanation, peaks, member)

static const vkmm_field peaks_fields[] = {
    {PEAKS(REAL, copy_bytes_per_s)},
    {PEAKS(U64, copy_bytes)},
    {PEAKS(REAL, multiply_adds_per_s)},
    {"flop_per_byte", VKMM_FIELD_REAL, ALL(balance)},
    {PEAKS(REAL, copy_spread)},
    {PEAKS(REAL, multiply_adds_spread)},
    {"seen_with", VKMM_FIELD_TEXT, ALL(seen), VKMM_MAYBE},
};
static const vkmm_record peaks = {NULL, VKMM_FIELDS(peaks_fields)};

static const vkmm_field problem_fields[] = {
    {NULL, VKMM_FIELD_EMBED, .record = &vkmm_types_record},
    {NULL, VKMM_FIELD_EMBED, .record = &vkmm_extents_record},
    {NULL, VKMM_FIELD_EMBED, .record = &vkmm_types_record},
};
static const vkmm_record types_first = {NULL, problem_fields, 2}, types_last = {NULL, problem_fields + 1, 2};

#define EXPLANATION_KEY(kind, member) VKMM_KEY(kind, vkmm_explanation, member)

#define SHADERS                                                                                                        \
    {                                                                                                                  \
        "shaders", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_explanation, shaders, shader_count), VKMM_HERE, .record = &shader \
    }

static const vkmm_field explanation_fields[] = {
    {EXPLANATION_KEY(RECORD, problem), .record = &types_first},
    {"peaks", VKMM_FIELD_RECORD, .record = &peaks},
    {EXPLANATION_KEY(TRUTH, agree)},
    {EXPLANATION_KEY(TEXT, why), VKMM_MAYBE},
    {"kernels", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_explanation, kernels, count), VKMM_HERE, .record = &kernel},
    {"skipped", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_explanation, left_out, left_out_count), VKMM_HERE,
     .record = &left_out},
    SHADERS,
};
static const vkmm_field plan_fields[] = {
    {EXPLANATION_KEY(RECORD, problem), .record = &types_last},
    {"planned", VKMM_FIELD_RECORD, ALL(kernels), .record = &planned},
    SHADERS,
};
static const vkmm_record explanation_record = {NULL, VKMM_FIELDS(explanation_fields)},
                         plan_record = {NULL, VKMM_FIELDS(plan_fields)};

vkmm_status vkmm_explain_json(vkmm_report *report, const vkmm_explanation *explanation)
{
    const vkmm_record *record = explanation->planned ? &plan_record : &explanation_record;

    return vkmm_json_line(report, vkmm_json_document(report, "vkmatmul.explain/1", explanation->device, NULL,
                                                     vkmm_record_json(record, explanation)));
}
