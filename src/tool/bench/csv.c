/* A line for each row. Unknown figures are empty fields, never 0. */
#include "bench/records.h"
#include "bench/writer.h"

typedef struct line {
    const vkmm_bench *bench;
    const vkmm_bench_device *device; /* NULL: unknown */
    const vkmm_bench_row *row;
} line;

static const vkmm_field line_fields[] = {
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(line, bench), VKMM_POINTER, .record = &vkmm_head_record},
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(line, row), VKMM_POINTER, .record = &vkmm_row_record},
    {"on", VKMM_FIELD_RECORD, VKMM_AT(line, device), VKMM_POINTER, .record = &vkmm_device_record},
};

static const vkmm_record line_record = {NULL, VKMM_FIELDS(line_fields)};

static const vkmm_csv_column columns[] = {
    {"on.label", "device"},
    {"on.driver_name", "driver"},
    {"on.driver_info"},
    {"group"},
    {"asked"},
    {"kernel.name", "kernel"},
    {"kernel.config"},
    {"kernel.tuned"},
    VKMM_CSV_PROBLEM,
    VKMM_CSV_OPERANDS,
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
    {"parts.upload_ms"},
    {"parts.download_ms"},
    {"parts.overhead_ms"},
    {"parts.sum_ms"},
    {"parts.adds_up", .only = "parts.sum_ms"},
    {"parts.apart"},
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
    VKMM_CSV_REST,
    {"busy"},
    {"power.others"},
    {"in_panels"},
    {"verify.nans"},
    {"verify.infinities"},
    {"problem.method"},
};

enum { COLUMNS = VKMM_COUNT(columns) };

static vkmm_status begin(vkmm_report *report, const vkmm_bench *bench)
{
    (void)bench;
    vkmm_csv_header(report->out, columns, COLUMNS);
    return VKMM_OK;
}

static vkmm_status row(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    const line all = {bench, row->device < bench->device_count ? &bench->devices[row->device] : NULL, row};

    return vkmm_csv_line(report->out, columns, COLUMNS, vkmm_record_json(&line_record, &all)) ? VKMM_OK
                                                                                              : VKMM_OUT_OF_MEMORY;
}

const vkmm_bench_writer vkmm_bench_csv = {"csv", ".csv", begin, row, NULL};
