/* Documents of one result as CSV, Markdown and JUnit: which of their lists are rows, and which values are columns. */
#include "report/columns.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/records.h"

#include <string.h>

/* A row is an entry of a list, to which "of", the document, and "list", the list's key, are added. */
typedef struct listing {
    const char *schema;
    const char *lists[4]; /* keys in the document; an object counts as a list of one. None: the document is the row */
    const cli_csv_column *columns;
    uint32_t count, named;      /* JUnit: the first `named` columns name a case, */
    const char *verdict;        /* which fails if the text at this path is `bad`, or any text if `bad` is NULL */
    const char *bad, *sentence; /* why */
    const char *skipped;        /* otherwise it is skipped if there is a text here */
} listing;

#define COLUMNS(table) table, VKMM_COUNT(table)

static const cli_csv_column check_columns[] = {
    {"part"}, {"run"}, {"passed"}, {"failures"}, {"incomplete"}, {"of.device.name", "device"},
};
static const cli_csv_column device_columns[] = {
    {"index"},
    {"name"},
    {"type"},
    {"driver_name", "driver"},
    {"driver_info"},
    {"api_version"},
    {"default"},
    {"types"},
    {"limits.subgroup_size"},
    {"limits.max_shared_bytes"},
    {"limits.max_storage_range"},
    {"limits.device_heap_bytes"},
    {"check.date", "check_date"},
    {"check.findings"},
};
static const cli_csv_column doctor_columns[] = {{"check"}, {"device"}, {"verdict"}, {"sentence"}, {"advice"}};

static const cli_csv_column explain_columns[] = {
    {"of.problem.type"},
    {"of.problem.m"},
    {"of.problem.n"},
    {"of.problem.k"},
    {"name", "kernel"},
    {"config"},
    {"tile.0", "tile_rows"},
    {"tile.1", "tile_cols"},
    {"bytes.read.formula", "read_bytes"},
    {"bytes.written.formula", "written_bytes"},
    {"flop_per_byte"},
    {"bound"},
    {"predicted_ms"},
    {"measured_ms"},
    {"agree"},
    {"not_measured"},
    {"of.device.name", "device"},
};
static const cli_csv_column peak_columns[] = {
    {"list"},  {"name"},   {"type"},        {"m"},      {"n"},
    {"k"},     {"a"},      {"b"},           {"c"},      {"result"},
    {"flops"}, {"spread"}, {"median"},      {"unit"},   {"low"},
    {"high"},  {"bytes"},  {"bytes_per_s"}, {"reason"}, {"of.device.name", "device"},
};
static const cli_csv_column race_columns[] = {
    {"matrix.rows"},
    {"matrix.cols"},
    {"device.name", "device"},
    {"tile.0", "tile_rows"},
    {"tile.1", "tile_cols"},
    {"runs"},
    {"with_barrier.wrong_runs", "wrong_with_barrier"},
    {"without_barrier.wrong_runs", "wrong_without_barrier"},
    {"passed"},
};
static const cli_csv_column statistics_columns[] = {
    CLI_CSV_PROBLEM,
    {"kernel"},
    {"config"},
    {"tile.0", "tile_rows"},
    {"tile.1", "tile_cols"},
    {"shared_bytes"},
    {"registers"},
    {"spills"},
    {"scratch_bytes"},
    {"occupancy"},
    {"cycles"},
    {"instructions"},
    {"subgroup_size"},
    {"compile_ms"},
    {"cycles_per_output"},
    {"pipeline"},
    {"error"},
    {"device"},
    {"driver"},
};
static const cli_csv_column tune_columns[] = {
    CLI_CSV_PROBLEM,
    {"best.kernel"},
    {"best.config"},
    {"best.gflops"},
    {"planned.kernel", "planned_kernel"},
    {"planned.config", "planned_config"},
    {"planned.gflops", "planned_gflops"},
    {"candidates"},
    {"failed"},
    {"wrong"},
    {"seconds"},
    {"stored"},
    {"skipped"},
    {"device.name", "device"},
};

static const listing listings[] = {
    {"vkmatmul.check/1", {"parts"}, COLUMNS(check_columns), 1, "failures.0.name", NULL, "failures.0.why", "incomplete"},
    {"vkmatmul.devices/1", {"devices"}, COLUMNS(device_columns), 2},
    {"vkmatmul.doctor/1", {"checks"}, COLUMNS(doctor_columns), 2, "verdict", "problem", "sentence"},
    {"vkmatmul.explain/1",
     {"kernels", "planned"},
     COLUMNS(explain_columns),
     5,
     "agree",
     "false",
     .skipped = "not_measured"},
    {"vkmatmul.peak/1", {"copy", "rates", "types", "matrix"}, COLUMNS(peak_columns), 10, .skipped = "reason"},
    {"vkmatmul.race/1", {NULL}, COLUMNS(race_columns), 3, "passed", "false"},
    {"vkmatmul.statistics/1", {NULL}, COLUMNS(statistics_columns), 6, "error", NULL, "error"},
    {"vkmatmul.tune/1", {NULL}, COLUMNS(tune_columns), 4, .skipped = "skipped"},
};

static const listing *find(const char *schema)
{
    for (size_t i = 0; i < VKMM_COUNT(listings); i++)
        if (strcmp(listings[i].schema, schema) == 0) return &listings[i];
    return NULL;
}

int cli_document_has_rows(const char *schema)
{
    return find(schema) != NULL;
}

static int add_row(json_t *rows, json_t *document, const char *list, json_t *entry)
{
    json_t *row;
    if (!json_is_object(entry)) return 0; /* a damaged file's */
    row = json_copy(entry);
    const int failures = cli_json_put(row, "of", json_incref(document)) + cli_json_put(row, "list", json_string(list));
    return failures + cli_json_add(rows, row);
}

/* NULL: memory ran out. */
static json_t *rows_of(const listing *l, json_t *document)
{
    json_t *rows = json_array();
    int failures = l->lists[0] == NULL ? add_row(rows, document, "", document) : 0;
    for (size_t i = 0; i < VKMM_COUNT(l->lists) && l->lists[i] != NULL; i++) {
        json_t *list = json_object_get(document, l->lists[i]);
        failures += add_row(rows, document, l->lists[i], list);
        for (size_t e = 0; e < json_array_size(list); e++)
            failures += add_row(rows, document, l->lists[i], json_array_get(list, e));
    }
    return cli_json_done(rows, failures);
}

/* row: NULL before those of the first document. */
typedef void put_row(const cli_report *report, const listing *l, json_t *row);

static vkmm_status put_rows(const cli_report *report, json_t *document, put_row *put)
{
    char number[40];
    const listing *l = find(cli_record_text(document, "schema", number));
    json_t *rows = document != NULL && l != NULL ? rows_of(l, document) : NULL;
    if (rows != NULL && report->rows == 0) put(report, l, NULL);
    for (size_t i = 0; i < json_array_size(rows); i++) put(report, l, json_array_get(rows, i));
    json_decref(document);
    json_decref(rows);
    return rows != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

static void put_csv(const cli_report *report, const listing *l, json_t *row)
{
    if (row == NULL)
        cli_csv_header(report->out, l->columns, l->count);
    else
        cli_csv_line(report->out, l->columns, l->count, json_incref(row));
}

static void put_md(const cli_report *report, const listing *l, json_t *row)
{
    char number[40], text[2048];
    for (uint32_t i = 0; i < l->count; i++) {
        fputs("| ", report->out);
        VKMM_CLEAN(text, row == NULL ? cli_csv_name(&l->columns[i]) : cli_record_text(row, l->columns[i].path, number));
        cli_md_text(report->out, text);
        putc(' ', report->out);
    }
    fputs("|\n", report->out);
    for (uint32_t i = 0; i < l->count && row == NULL; i++) fputs("| --- ", report->out);
    if (row == NULL) fputs("|\n", report->out);
}

static void put_junit(const cli_report *report, const listing *l, json_t *row)
{
    char name[800] = "", why[40], verdict[40], skipped[40];
    if (row == NULL) {
        cli_junit_begin(report->out, "vkmatmul");
        cli_junit_begin_suite(report->out, report->command);
        return;
    }
    for (uint32_t i = 0; i < l->named; i++) {
        const char *text = cli_record_text(row, l->columns[i].path, why);
        if (text[0] != '\0') VKMM_JOIN(name, " ", "%s", text);
    }
    const char *is = l->verdict != NULL ? cli_record_text(row, l->verdict, verdict) : "";
    const char *reason = l->skipped != NULL ? cli_record_text(row, l->skipped, skipped) : "";
    const char *kind = reason[0] != '\0' ? "skipped" : NULL;
    if (l->bad != NULL ? strcmp(is, l->bad) == 0 : is[0] != '\0') {
        kind = "failure";
        reason = l->sentence != NULL ? cli_record_text(row, l->sentence, why) : is;
    }
    cli_junit_plain(report->out, l->schema, name, kind, reason);
}

vkmm_status cli_csv_document(const cli_report *report, json_t *document)
{
    return put_rows(report, document, put_csv);
}

vkmm_status cli_md_document(const cli_report *report, json_t *document)
{
    return put_rows(report, document, put_md);
}

vkmm_status cli_junit_document(const cli_report *report, json_t *document)
{
    return put_rows(report, document, put_junit);
}
