/* RFC 4180: a header, and a line for each row. An unknown figure is an empty field, never 0. */
#include "report/records.h"
#include "report/json.h"
#include "report/report.h"

typedef struct line {
    const cli_bench *bench;
    const cli_bench_device *device; /* NULL: unknown */
    const cli_bench_row *row;
} line;

static const cli_field line_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(line, bench), CLI_POINTER, .record = &cli_head_record},
    {NULL, CLI_FIELD_EMBED, CLI_AT(line, row), CLI_POINTER, .record = &cli_row_record},
    {"on", CLI_FIELD_RECORD, CLI_AT(line, device), CLI_POINTER, .record = &cli_device_record},
};

static const vkmm_record line_record = {NULL, CLI_FIELDS(line_fields)};

static const cli_csv_column columns[] = {
    {"on.label", "device"},
    {"on.driver_name", "driver"},
    {"on.driver_info"},
    {"group"},
    {"asked"},
    {"kernel.name", "kernel"},
    {"kernel.config"},
    {"kernel.tuned"},
    CLI_CSV_PROBLEM,
    CLI_CSV_OPERANDS,
    {"problem.init"},
    {"problem.seed"},
    {"rotating_bytes"},
    {"not_run"},
    {"verify.method", "verify"},
    {"verify.passed"},
    {"verify.error"},
    {"verify.bound"},
    {"gflops"},
    {"noise"},
    {"gbytes_per_s"},
    {"arithmetic_share"},
    {"copy_share"},
    {"time.kernel_ms.median", "kernel_ms"},
    {"interval_ms.0", "kernel_ms_low"},
    {"interval_ms.1", "kernel_ms_high"},
    {"time.kernel_ms.min", "kernel_ms_min"},
    {"time.kernel_ms.p5", "kernel_ms_p5"},
    {"time.kernel_ms.p95", "kernel_ms_p95"},
    {"time.kernel_ms.samples", .only = "gflops"},
    {"time.round_ends", "rounds", "gflops"},
    {"time.stopped", .only = "gflops"},
    {"time.submit_ms.median", "submit_ms"},
    {"time.total_ms.median", "total_ms"},
    {"time.upload_ms.median", "upload_ms"},
    {"time.download_ms.median", "download_ms"},
    {"drift"},
    {"throttled"},
    {"time.clock", .only = "gflops"},
    {"time.clock_note", .only = "gflops"},
    {"time.slope_ms", .only = "gflops"},
    {"power.joules"},
    {"power.watts"},
    {"power.mhz_before"},
    {"power.mhz_during", "mhz"},
    {"power.mhz_after"},
    {"power.limited"},
    {"power.source", "power_source"},
    {"tool.version"},
    {"tool.shader_hash"},
    {"created"},
    {"host.processor", "host"},
    {"host.os"},
    CLI_CSV_REST,
    {"busy"},
    {"power.others"},
    {"in_panels"},
    {"verify.nans"},
    {"verify.infinities"},
    {"problem.method"},
};

enum { COLUMNS = VKMM_COUNT(columns) };

static vkmm_status begin(cli_report *report, const cli_bench *bench)
{
    (void)bench;
    cli_csv_header(report->out, columns, COLUMNS);
    return VKMM_OK;
}

static vkmm_status row(cli_report *report, const cli_bench *bench, const cli_bench_row *row)
{
    const line all = {bench, row->device < bench->device_count ? &bench->devices[row->device] : NULL, row};
    return cli_csv_line(report->out, columns, COLUMNS, cli_record_json(&line_record, &all)) ? VKMM_OK
                                                                                            : VKMM_OUT_OF_MEMORY;
}

/* ---- run and ladder ---- */

static const cli_csv_column run_columns[] = {
    {"step"},
    CLI_CSV_PROBLEM,
    {"problem.init"},
    {"problem.seed"},
    {"device.name", "device"},
    {"device.driver_name", "driver"},
    {"kernel.shader|kernel.name", "kernel"},
    {"kernel.tile.0", "tile_rows"},
    {"kernel.tile.1", "tile_cols"},
    {"kernel.workgroup.0", "workgroup_x"},
    {"kernel.workgroup.1", "workgroup_y"},
    {"kernel.workgroup.2", "workgroup_z"},
    {"time.kernel_ms.median", "kernel_ms"},
    {"time.kernel_ms.min", "kernel_ms_min"},
    {"time.kernel_ms.p5", "kernel_ms_p5"},
    {"time.kernel_ms.p95", "kernel_ms_p95"},
    {"time.submit_ms.median", "submit_ms"},
    {"time.total_ms.median", "total_ms"},
    {"time.clock"},
    {"gflops"},
    {"verify.method", "verify"},
    {"verify.passed"},
    {"verify.error"},
    {"verify.bound"},
    {"tool.version"},
    {"tool.shader_hash"},
    CLI_CSV_OPERANDS,
    {"kernel.config"},
    {"kernel.tuned"},
    {"kernel.splits"},
    {"kernel.items"},
    {"kernel.workspace_bytes"},
    CLI_CSV_REST,
    {"wall_ms"},
    {"panels.rows", "panel_rows"},
    {"panels.cols", "panel_cols"},
    {"panels.depth", "panel_depth"},
    {"panels.row_panels"},
    {"panels.col_panels"},
    {"panels.depth_panels"},
    {"panels.uploaded_bytes"},
    {"panels.downloaded_bytes"},
    {"panels.dispatches"},
    {"panels.longest_dispatch_ms"},
    {"panels.reason"},
    {"time.kernel_ms.count", "samples"},
    {"time.kernel_ms.outliers", "outliers"},
    {"time.stable"},
    {"verify.nans"},
    {"verify.infinities"},
    {"problem.method"},
};

static vkmm_status csv_row(cli_report *report, const cli_bench_row *row)
{
    if (report->rows == 0) cli_csv_header(report->out, run_columns, VKMM_COUNT(run_columns));
    return cli_csv_line(report->out, run_columns, VKMM_COUNT(run_columns), cli_json_run(report, row))
               ? VKMM_OK
               : VKMM_OUT_OF_MEMORY;
}

const cli_writer cli_csv_writer = {
    "csv", ".csv", begin, row, .run = csv_row, .compare = cli_compare_csv, .document = cli_csv_document};
