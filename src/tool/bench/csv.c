/* RFC 4180: a header line, a line a row. Figures that are not known are empty fields, never 0. */
#include <math.h>

#include "math/problem.h"
#include "math/type.h"
#include "bench/writers.h"
#include "report/csv_fields.h"
#include "report/text.h"

static const char header[] =
    "device,driver,driver_info,group,asked,kernel,config,tuned,type,m,n,k,layout,transpose_a,transpose_b,lda,ldb,ldc,"
    "offset_a,offset_b,offset_c,stride_a,stride_b,stride_c,batch_count,alpha,beta,init,seed,rotating_bytes,not_run,"
    "verify,passed,error,bound,gflops,noise,gbytes_per_s,arithmetic_share,copy_share,"
    "kernel_ms,kernel_ms_low,kernel_ms_high,kernel_ms_min,kernel_ms_p5,kernel_ms_p95,samples,rounds,stopped,submit_ms,"
    "transfer_ms,"
    "upload_ms,download_ms,overhead_ms,sum_ms,adds_up,apart,drift,throttled,clock,clock_note,slope_ms,"
    "joules,watts,mhz_before,mhz,mhz_after,limited,power_source,version,shader_hash,created,host,os,"
    "out_type,compute,activation,bias";

static void put_integer(FILE *out, uint64_t value)
{
    fprintf(out, ",%llu", (unsigned long long)value);
}

/* `known` 0: neither true nor false. */
static void put_truth(FILE *out, int known, int value)
{
    fputs(!known ? "," : value ? ",true" : ",false", out);
}

static void put_problem(FILE *out, const vkmm_problem *problem)
{
    vkmm_csv_next_text(out, vkmm_type_of(problem->type)->name);
    put_integer(out, problem->m);
    put_integer(out, problem->n);
    put_integer(out, problem->k);
    vkmm_csv_next_text(out, problem->layout == VKMM_COL_MAJOR ? "col" : "row");
    vkmm_csv_next_text(out, problem->op_a == VKMM_OP_T ? "T" : "N");
    vkmm_csv_next_text(out, problem->op_b == VKMM_OP_T ? "T" : "N");
    for (int o = VKMM_A; o <= VKMM_C; o++) put_integer(out, vkmm_operand_ld(problem, (vkmm_operand)o));
    for (int o = VKMM_A; o <= VKMM_C; o++) put_integer(out, vkmm_operand_offset(problem, (vkmm_operand)o));
    for (int o = VKMM_A; o <= VKMM_C; o++) put_integer(out, vkmm_operand_stride(problem, (vkmm_operand)o));
    put_integer(out, vkmm_problem_batches(problem));
    vkmm_csv_next_number(out, problem->alpha);
    vkmm_csv_next_number(out, problem->beta);
}

static void put_figures(FILE *out, const vkmm_bench_row *row)
{
    const vkmm_bench_figures *figures = &row->figures;
    int timed = isfinite(figures->median_ms);

    vkmm_csv_next_number(out, figures->gflops);
    vkmm_csv_next_number(out, figures->noise);
    vkmm_csv_next_number(out, figures->gbytes_per_s);
    vkmm_csv_next_number(out, figures->arithmetic_share);
    vkmm_csv_next_number(out, figures->copy_share);
    vkmm_csv_next_number(out, figures->median_ms);
    vkmm_csv_next_number(out, figures->low_ms);
    vkmm_csv_next_number(out, figures->high_ms);
    vkmm_csv_next_number(out, figures->min_ms);
    vkmm_csv_next_number(out, figures->p5_ms);
    vkmm_csv_next_number(out, figures->p95_ms);
    vkmm_csv_next_number(out, timed ? (double)row->kernel_ms.count : (double)NAN);
    vkmm_csv_next_number(out, timed ? (double)row->rounds : (double)NAN);
    vkmm_csv_next_text(out, timed ? row->stopped : "");
    vkmm_csv_next_number(out, figures->submit_ms);
    vkmm_csv_next_number(out, figures->transfer_ms);
    vkmm_csv_next_number(out, figures->upload_ms);
    vkmm_csv_next_number(out, figures->download_ms);
    vkmm_csv_next_number(out, figures->overhead_ms);
    vkmm_csv_next_number(out, figures->sum_ms);
    put_truth(out, isfinite(figures->sum_ms), figures->adds_up);
    vkmm_csv_next_text(out, figures->apart);
    vkmm_csv_next_number(out, figures->drift);
    put_truth(out, timed, figures->throttled);
    vkmm_csv_next_text(out, timed ? row->clock : "");
    vkmm_csv_next_text(out, timed ? row->clock_note : "");
    vkmm_csv_next_number(out, timed && row->slope_ms > 0 ? row->slope_ms : NAN);
}

static void put_power(FILE *out, const vkmm_bench_power *power)
{
    vkmm_csv_next_number(out, power->joules);
    vkmm_csv_next_number(out, power->watts);
    for (int i = 0; i < 3; i++) vkmm_csv_next_number(out, power->mhz[i]);
    vkmm_csv_next_text(out, power->limited);
    vkmm_csv_next_text(out, power->source);
}

static vkmm_status begin(vkmm_report *report, const vkmm_bench *bench)
{
    (void)bench;
    fprintf(report->out, "%s\r\n", header);
    return VKMM_OK;
}

static vkmm_status row(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    static const vkmm_bench_device nobody;
    const vkmm_bench_device *device = row->device < bench->device_count ? &bench->devices[row->device] : &nobody;
    int ran = row->not_run[0] == '\0';
    FILE *out = report->out;

    vkmm_csv_text(out, device->label);
    vkmm_csv_next_text(out, device->info.driver_name);
    vkmm_csv_next_text(out, device->info.driver_info);
    vkmm_csv_next_text(out, row->group);
    vkmm_csv_next_text(out, row->asked);
    vkmm_csv_next_text(out, row->kernel.name);
    vkmm_csv_next_text(out, row->kernel.config);
    put_truth(out, ran, row->kernel.tuned);
    put_problem(out, &row->problem);
    vkmm_csv_next_text(out, row->init);
    put_integer(out, row->seed);
    put_integer(out, row->rotating_bytes);
    vkmm_csv_next_text(out, row->not_run);
    vkmm_csv_next_text(out, row->method);
    put_truth(out, ran && row->method[0] != '\0', row->passed);
    vkmm_csv_next_number(out, row->error);
    vkmm_csv_next_number(out, row->bound);
    put_figures(out, row);
    put_power(out, &row->power);
    vkmm_csv_next_text(out, bench->version);
    vkmm_csv_next_text(out, bench->shader_hash);
    vkmm_csv_next_text(out, bench->created);
    vkmm_csv_next_text(out, bench->host);
    vkmm_csv_next_text(out, bench->os);
    vkmm_csv_next_types(out, &row->problem);
    fputs("\r\n", out);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_csv = {"csv", ".csv", begin, row, NULL};
