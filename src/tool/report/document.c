#include "report/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/record.h"

void cli_bench_free(cli_bench *bench)
{
    for (uint32_t i = 0; i < bench->row_count; i++) cli_bench_row_free(&bench->rows[i]);
    vkmm_free(bench->rows);
    vkmm_free(bench->devices);
    vkmm_free(bench->layers);
    vkmm_free(bench->command);
    memset(bench, 0, sizeof *bench);
}

void cli_reports_free(cli_reports *reports)
{
    for (uint32_t i = 0; i < reports->count; i++) cli_bench_free(&reports->benches[i]);
    vkmm_free(reports->benches);
    *reports = (cli_reports){0};
}

cli_bench_device *cli_bench_add_device(cli_bench *bench)
{
    cli_bench_device *device = vkmm_list_add(&bench->devices, &bench->device_count, 1, sizeof *device);

    if (device != NULL) cli_bench_device_init(device);
    return device;
}

cli_bench_row *cli_bench_add_row(cli_bench *bench)
{
    cli_bench_row *row = vkmm_list_add(&bench->rows, &bench->row_count, 1, sizeof *row);

    if (row != NULL) cli_bench_row_init(row);
    return row;
}

int cli_bench_add_layer(cli_bench *bench, const char *name)
{
    char *layer = vkmm_list_add(&bench->layers, &bench->layer_count, 1, sizeof *bench->layers);

    if (layer != NULL) snprintf(layer, CLI_BENCH_TEXT, "%s", name);
    return layer != NULL;
}

static int is_same_operand(const vkmm_problem *a, const vkmm_problem *b, vkmm_operand operand)
{
    return vkmm_operand_ld(a, operand) == vkmm_operand_ld(b, operand) &&
           vkmm_operand_offset(a, operand) == vkmm_operand_offset(b, operand) &&
           vkmm_operand_stride(a, operand) == vkmm_operand_stride(b, operand);
}

/* Reports keep nine digits. */
static int is_same_number(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-8 * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

static int is_same_problem(const vkmm_problem *a, const vkmm_problem *b)
{
    if (a->m != b->m || a->n != b->n || a->k != b->k || a->layout != b->layout || a->op_a != b->op_a ||
        a->op_b != b->op_b || vkmm_problem_batches(a) != vkmm_problem_batches(b) ||
        !vkmm_types_equal(vkmm_problem_types(a), vkmm_problem_types(b)) || a->activation != b->activation ||
        !a->has_bias != !b->has_bias || a->method != b->method || a->format_a != b->format_a ||
        a->format_b != b->format_b)
        return 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        if (!is_same_operand(a, b, (vkmm_operand)operand)) return 0;
    return is_same_number(vkmm_problem_alpha(a), vkmm_problem_alpha(b)) &&
           is_same_number(vkmm_problem_beta(a), vkmm_problem_beta(b));
}

int cli_bench_same(const cli_bench_row *a, const cli_bench_row *b)
{
    return is_same_problem(&a->problem, &b->problem) && strcmp(a->asked, b->asked) == 0 &&
           a->rotating_bytes == b->rotating_bytes;
}
