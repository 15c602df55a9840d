/* RFC 4180: a header line, fields in double quotes where they must be, lines that end in CR LF. */
#include <math.h>
#include <string.h>
#include "math/type.h"
#include "report/text.h"
#include "report/writers.h"

static const char header[] = "step,type,m,n,k,init,seed,device,driver,kernel,tile_rows,tile_cols,workgroup_x,workgroup_y,workgroup_z,"
                             "kernel_ms,kernel_ms_min,kernel_ms_p5,kernel_ms_p95,submit_ms,transfer_ms,clock,gflops,"
                             "verify,passed,error,bound,version,shader_hash";

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
    fprintf(out, "%u,%u,%u,%u,%u,", kernel->tile[0], kernel->tile[1], kernel->workgroup[0], kernel->workgroup[1], kernel->workgroup[2]);
    put_times(out, row);
    put_text(out, row->skipped == NULL ? row->verify.method : "");
    put_text(out, row->skipped != NULL ? "" : row->verify.passed ? "true" : "false");
    put_number(out, judged, row->verify.error);
    put_number(out, judged, row->verify.bound);
    put_text(out, report->version);
    fprintf(out, "%s\r\n", report->shader_hash);
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
