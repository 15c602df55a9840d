/* RFC 4180: a header line, and a line for each row. An absent figure is an empty field, never 0. */
#include "report/records.h"
#include "report/writers.h"

static const vkmm_csv_column columns[] = {
    {"step"},
    VKMM_CSV_PROBLEM,
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
    {"time.transfer_ms.median", "transfer_ms"},
    {"time.clock"},
    {"gflops"},
    {"verify.method", "verify"},
    {"verify.passed"},
    {"verify.error"},
    {"verify.bound"},
    {"tool.version"},
    {"tool.shader_hash"},
    {"problem.layout"},
    {"problem.transpose_a"},
    {"problem.transpose_b"},
    VKMM_CSV_OPERANDS,
    {"problem.batch_count"},
    {"problem.alpha"},
    {"problem.beta"},
    {"kernel.config"},
    {"kernel.tuned"},
    {"kernel.splits"},
    {"kernel.items"},
    {"kernel.workspace_bytes"},
    VKMM_CSV_REST,
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
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static vkmm_status write_row(vkmm_report *report, const vkmm_bench_row *row)
{
    const vkmm_result result = {report, row};

    if (report->rows == 0) vkmm_csv_header(report->out, columns, COLUMNS);
    return vkmm_csv_record(report->out, columns, COLUMNS, &vkmm_run_record, &result) ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < ladder->count && status == VKMM_OK; i++) {
        status = write_row(report, &ladder->rows[i]);
        report->rows++;
    }
    return status;
}

const vkmm_writer vkmm_writer_csv = {"csv", write_row, NULL, write_ladder};
