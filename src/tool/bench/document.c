#include "bench/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "math/problem.h"
#include "math/types_name.h"

enum { FIRST_ROOM = 8 };

/* Room for `count` entries: a power of two, so that a list needs no capacity beside its count. */
static uint64_t room_for(uint64_t count)
{
    uint64_t room = FIRST_ROOM;

    while (room < count) room *= 2;
    return count > 0 ? room : 0;
}

/* Makes room for `more` entries behind the first `count`; 0 when memory ends. */
static int grow(void **entries, uint32_t count, uint32_t more, size_t size)
{
    const uint64_t room = room_for((uint64_t)count + more);
    void *grown;

    if ((uint64_t)count + more > UINT32_MAX) return 0;
    if (*entries != NULL && room == room_for(count)) return 1;
    grown = vkmm_realloc(*entries, (size_t)room, size);
    if (grown == NULL) return 0;
    *entries = grown;
    return 1;
}

void vkmm_bench_row_free(vkmm_bench_row *row)
{
    vkmm_bench_series *const series[] = {&row->kernel_ms, &row->submit_ms, &row->transfer_ms, &row->upload_ms,
                                         &row->download_ms};

    for (size_t i = 0; i < sizeof series / sizeof *series; i++) vkmm_free(series[i]->ms);
    vkmm_free(row->round_ends);
    vkmm_bench_row_init(row);
}

void vkmm_bench_free(vkmm_bench *bench)
{
    for (uint32_t i = 0; i < bench->row_count; i++) vkmm_bench_row_free(&bench->rows[i]);
    for (uint32_t i = 0; i < bench->tune_count; i++) vkmm_free(bench->tunes[i].trials);
    vkmm_free(bench->rows);
    vkmm_free(bench->tunes);
    vkmm_free(bench->devices);
    vkmm_free(bench->layers);
    vkmm_free(bench->command);
    memset(bench, 0, sizeof *bench);
}

vkmm_bench_device *vkmm_bench_add_device(vkmm_bench *bench)
{
    void *devices = bench->devices;
    vkmm_bench_device *device;

    if (!grow(&devices, bench->device_count, 1, sizeof *device)) return NULL;
    bench->devices = devices;
    device = &bench->devices[bench->device_count++];
    memset(device, 0, sizeof *device);
    vkmm_bench_peaks_init(&device->peaks);
    return device;
}

vkmm_bench_row *vkmm_bench_add_row(vkmm_bench *bench)
{
    void *rows = bench->rows;

    if (!grow(&rows, bench->row_count, 1, sizeof *bench->rows)) return NULL;
    bench->rows = rows;
    vkmm_bench_row_init(&bench->rows[bench->row_count]);
    return &bench->rows[bench->row_count++];
}

vkmm_bench_tune *vkmm_bench_add_tune(vkmm_bench *bench)
{
    void *tunes = bench->tunes;

    if (!grow(&tunes, bench->tune_count, 1, sizeof *bench->tunes)) return NULL;
    bench->tunes = tunes;
    memset(&bench->tunes[bench->tune_count], 0, sizeof *bench->tunes);
    return &bench->tunes[bench->tune_count++];
}

vkmm_bench_trial *vkmm_bench_add_trial(vkmm_bench_tune *tune)
{
    void *trials = tune->trials;

    if (!grow(&trials, tune->count, 1, sizeof *tune->trials)) return NULL;
    tune->trials = trials;
    memset(&tune->trials[tune->count], 0, sizeof *tune->trials);
    return &tune->trials[tune->count++];
}

int vkmm_bench_add_layer(vkmm_bench *bench, const char *name)
{
    void *layers = bench->layers;

    if (!grow(&layers, bench->layer_count, 1, sizeof *bench->layers)) return 0;
    bench->layers = layers;
    snprintf(bench->layers[bench->layer_count++], VKMM_BENCH_TEXT, "%s", name);
    return 1;
}

void vkmm_bench_peaks_init(vkmm_bench_peaks *peaks)
{
    memset(peaks, 0, sizeof *peaks);
    peaks->copy_bytes_per_s = NAN;
    for (int type = 0; type < VKMM_TYPE_COUNT; type++) peaks->multiply_adds_per_s[type] = NAN;
    for (int i = 0; i < VKMM_BENCH_MATRICES; i++) peaks->matrix[i].multiply_adds_per_s = NAN;
}

void vkmm_bench_row_init(vkmm_bench_row *row)
{
    memset(row, 0, sizeof *row);
    row->error = row->bound = row->slope_ms = row->asked_bytes = NAN;
    row->power.joules = row->power.watts = NAN;
    for (int i = 0; i < 3; i++) row->power.mhz[i] = NAN;
    row->figures = vkmm_bench_no_figures();
}

int vkmm_bench_series_add(vkmm_bench_series *series, const double *ms, uint32_t count)
{
    void *samples = series->ms;

    if (count == 0) return 1;
    if (!grow(&samples, series->count, count, sizeof *series->ms)) return 0;
    series->ms = samples;
    memcpy(series->ms + series->count, ms, count * sizeof *ms);
    series->count += count;
    return 1;
}

int vkmm_bench_end_round(vkmm_bench_row *row)
{
    void *ends = row->round_ends;

    if (!grow(&ends, row->rounds, 1, sizeof *row->round_ends)) return 0;
    row->round_ends = ends;
    row->round_ends[row->rounds++] = row->kernel_ms.count;
    return 1;
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
        !a->has_bias != !b->has_bias)
        return 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        if (!is_same_operand(a, b, (vkmm_operand)operand)) return 0;
    return is_same_number(vkmm_problem_alpha(a), vkmm_problem_alpha(b)) &&
           is_same_number(vkmm_problem_beta(a), vkmm_problem_beta(b));
}

int vkmm_bench_same(const vkmm_bench_row *a, const vkmm_bench_row *b)
{
    return is_same_problem(&a->problem, &b->problem) && strcmp(a->asked, b->asked) == 0 &&
           a->rotating_bytes == b->rotating_bytes;
}

const vkmm_bench_row *vkmm_bench_find(const vkmm_bench *bench, uint32_t device, const vkmm_bench_row *like)
{
    const vkmm_bench_row *first = NULL;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != device || !vkmm_bench_same(row, like)) continue;
        if (vkmm_bench_is_timed(row)) return row;
        if (first == NULL) first = row;
    }
    return first;
}
