/* RFC 4180: a header line, fields in double quotes where they must be, lines that end in CR LF. */
#include <math.h>
#include <string.h>
#include "math/problem.h"
#include "math/type.h"
#include "report/csv_fields.h"
#include "report/text.h"
#include "report/writers.h"

static const char header[] =
    "step,type,m,n,k,init,seed,device,driver,kernel,tile_rows,tile_cols,workgroup_x,workgroup_y,workgroup_z,"
    "kernel_ms,kernel_ms_min,kernel_ms_p5,kernel_ms_p95,submit_ms,transfer_ms,clock,gflops,"
    "verify,passed,error,bound,version,shader_hash,"
    "layout,transpose_a,transpose_b,lda,ldb,ldc,offset_a,offset_b,offset_c,stride_a,stride_b,stride_c,"
    "batch_count,alpha,beta,config,tuned,splits,items,workspace_bytes,out_type,compute,activation,bias,"
    "wall_ms,panel_rows,panel_cols,panel_depth,row_panels,col_panels,depth_panels,uploaded_bytes,downloaded_bytes,"
    "dispatches,longest_dispatch_ms,reason";

/* One name, and the comma after it. */
static void put_text(FILE *out, const char *text)
{
    char clean[600];

    vkmm_text_clean(clean, sizeof clean, text != NULL ? text : "");
    if (strpbrk(clean, ",\"\r\n") == NULL) {
        fprintf(out, "%s,", clean);
        return;
    }
    putc('"', out);
    for (const char *c = clean; *c != '\0'; c++) {
        if (*c == '"') putc('"', out);
        putc(*c, out);
    }
    fputs("\",", out);
}

/* An absent figure is an empty field, never 0. */
static void put_number(FILE *out, int present, double value)
{
    if (present && isfinite(value))
        fprintf(out, "%.10g,", value);
    else
        putc(',', out);
}

static void put_times(FILE *out, const vkmm_row *row)
{
    put_number(out, row->timed, row->time.kernel.median);
    put_number(out, row->timed, row->time.kernel.min);
    put_number(out, row->timed, row->time.kernel.p5);
    put_number(out, row->timed, row->time.kernel.p95);
    put_number(out, row->timed && row->time.submit.count > 0, row->time.submit.median);
    put_number(out, row->timed && row->time.transfer.count > 0, row->time.transfer.median);
    put_text(out, !row->timed ? "" : row->time.clock == VKMM_CLOCK_DEVICE ? "device" : "host");
    put_number(out, row->timed, row->gflops);
}

/* Three columns, for A, B and C. */
static void put_operands(FILE *out, const vkmm_problem *problem,
                         uint64_t (*of)(const vkmm_problem *problem, vkmm_operand operand))
{
    for (int o = VKMM_A; o <= VKMM_C; o++) fprintf(out, "%llu,", (unsigned long long)of(problem, (vkmm_operand)o));
}

static void put_meaning(FILE *out, const vkmm_problem *problem)
{
    put_text(out, problem->layout == VKMM_COL_MAJOR ? "col" : "row");
    put_text(out, problem->op_a == VKMM_OP_T ? "T" : "N");
    put_text(out, problem->op_b == VKMM_OP_T ? "T" : "N");
    put_operands(out, problem, vkmm_operand_ld);
    put_operands(out, problem, vkmm_operand_offset);
    put_operands(out, problem, vkmm_operand_stride);
    fprintf(out, "%llu,", (unsigned long long)vkmm_problem_batches(problem));
    put_number(out, 1, problem->alpha);
    put_number(out, 1, problem->beta);
}

/* Empty fields where there are no panels. */
static void put_panels(FILE *out, const vkmm_row *row)
{
    const vkmm_row_panels *panels = row->panels;

    putc(',', out);
    vkmm_csv_number(out, row->timed && row->wall_ms > 0 ? row->wall_ms : NAN);
    if (panels == NULL) {
        fputs(",,,,,,,,,,,", out);
        return;
    }
    fprintf(out, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", (unsigned long long)panels->partition.rows,
            (unsigned long long)panels->partition.cols, (unsigned long long)panels->partition.depth,
            (unsigned long long)panels->partition.row_panels, (unsigned long long)panels->partition.col_panels,
            (unsigned long long)panels->partition.depth_panels, (unsigned long long)panels->times.uploaded_bytes,
            (unsigned long long)panels->times.downloaded_bytes, (unsigned long long)panels->times.dispatches);
    vkmm_csv_next_number(out, row->timed ? panels->times.longest_ms : NAN);
    vkmm_csv_next_text(out, panels->reason);
}

static vkmm_status write_row(vkmm_report *report, const vkmm_row *row)
{
    const vkmm_kernel_info *kernel = row->kernel;
    int judged = row->skipped == NULL && strcmp(row->verify.method, "none") != 0;
    FILE *out = report->out;

    if (report->rows == 0) fprintf(out, "%s\r\n", header);
    put_text(out, row->step);
    fprintf(out, "%s,%llu,%llu,%llu,", vkmm_type_of(row->problem.type)->name, (unsigned long long)row->problem.m,
            (unsigned long long)row->problem.n, (unsigned long long)row->problem.k);
    put_text(out, row->init);
    fprintf(out, "%llu,", (unsigned long long)row->seed);
    put_text(out, row->device != NULL ? row->device->name : row->host);
    put_text(out, row->device != NULL ? row->device->driver_name : "");
    put_text(out, row->shader_file != NULL ? row->shader_file : kernel->name);
    fprintf(out, "%u,%u,%u,%u,%u,", kernel->tile[0], kernel->tile[1], kernel->workgroup[0], kernel->workgroup[1],
            kernel->workgroup[2]);
    put_times(out, row);
    put_text(out, row->skipped == NULL ? row->verify.method : "");
    put_text(out, row->skipped != NULL ? "" : row->verify.passed ? "true" : "false");
    put_number(out, judged, row->verify.error);
    put_number(out, judged, row->verify.bound);
    put_text(out, report->version);
    put_text(out, report->shader_hash);
    put_meaning(out, &row->problem);
    put_text(out, kernel->config);
    put_text(out, kernel->tuned ? "true" : "false");
    fprintf(out, "%u,%llu,%llu", kernel->splits, (unsigned long long)kernel->items,
            (unsigned long long)kernel->workspace_bytes);
    vkmm_csv_next_types(out, &row->problem);
    put_panels(out, row);
    fputs("\r\n", out);
    return VKMM_OK;
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    for (size_t i = 0; i < ladder->count; i++) {
        write_row(report, &ladder->rows[i]);
        report->rows++;
    }
    return VKMM_OK;
}

const vkmm_writer vkmm_writer_csv = {"csv", write_row, NULL, write_ladder, NULL, .race = NULL};
