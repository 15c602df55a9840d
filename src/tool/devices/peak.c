/* vkmatmul peak: what a device can do at best. */
#include "base/alloc.h"
#include "base/host.h"
#include "math/component.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "report/wrap.h"
#include "session/commands.h"
#include "system/sensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A figure is 0 if it was not measured; `reason` then says why. */
typedef struct peak {
    vkmm_type type;          /* of multiply-adds, */
    vkmm_matrix_shape shape; /* or of matrix operations */
    double per_s;            /* floating-point or integer operations, two a multiply-add; bytes read and written */
    double spread;           /* of vkmm_peaks; NAN: not known */
    uint64_t bytes;          /* of the buffer that was copied */
    char reason[240];
} peak;

/* A transfer or a submission. */
typedef struct rate {
    const vkmm_rate_info *info;
    vkmm_rate is;
    char reason[240];
} rate;

typedef struct peaks {
    cli_session *session;
    const vkmm_report *report;
    peak copy, types[VKMM_TYPE_COUNT], shapes[VKMM_MAX_MATRIX_SHAPES];
    rate rates[VKMM_RATE_COUNT];
    uint32_t type_count, shape_count, rate_count;
    vkmm_bench_power power; /* what other processes used meanwhile, if the device is a processor */
    const char *no_shapes;  /* why there are none; "" */
    vkmm_status status;     /* the exit code of all failures */
    char failure[240];      /* its sentence */
    int lost;               /* nothing more can be measured */
    int measured;
} peaks;

/* ---- measuring ---- */

static void explain(char reason[240], const char *sentence)
{
    snprintf(reason, 240, "%.239s", sentence);
}

/* The result of a measurement, and whether it is a figure. */
static void take(peaks *all, char reason[240], vkmm_status status, int is_figure)
{
    const char *sentence = all->session->console.last_error;

    if (status == VKMM_OK) {
        all->measured = 1;
        if (!is_figure) explain(reason, "the device's clocks measured no time for it");
        return;
    }
    explain(reason, sentence[0] != '\0' ? sentence : vkmm_status_name(status));
    all->lost |= status == VKMM_DEVICE_LOST;
    /* A wrong result takes precedence, then the loss of the device, then the first failure. */
    if (all->status == VKMM_OK || status == VKMM_WRONG_RESULT ||
        (status == VKMM_DEVICE_LOST && all->status != VKMM_WRONG_RESULT)) {
        all->status = status;
        memcpy(all->failure, reason, sizeof all->failure);
    }
}

static void measure_type(peaks *all, vkmm_type type)
{
    peak *one = &all->types[all->type_count++];
    vkmm_peaks measured = {.copy_bytes_per_s = all->copy.per_s};
    vkmm_status status;

    one->type = type;
    if (type == VKMM_F64 && !all->session->info->has_f64) {
        explain(one->reason, "the device does not support 64-bit floats (shaderFloat64)");
    } else if (all->lost) {
        explain(one->reason, "the device was lost before");
    } else {
        cli_progress(&all->session->console, "%s", vkmm_type_of(type)->name);
        status = vkmm_device_peaks(all->session->device, type, &measured);
        one->per_s = 2 * measured.multiply_adds_per_s;
        take(all, one->reason, status, one->per_s > 0);
        one->spread = measured.multiply_adds_spread;
        if (status != VKMM_OK && all->copy.per_s <= 0) explain(all->copy.reason, one->reason);
        if (status != VKMM_OK || measured.copy_bytes_per_s <= all->copy.per_s) return;
        all->copy.per_s = measured.copy_bytes_per_s;
        all->copy.spread = measured.copy_spread;
        all->copy.bytes = measured.copy_bytes;
    }
}

/* With --type, only shapes whose operands or results have a named type. */
static int is_wanted(const cli_options *options, const char *operand, const char *result)
{
    for (uint32_t i = 0; i < options->types.count; i++) {
        const char *name = vkmm_type_of(options->types.type[i])->name;
        if (strcmp(name, operand) == 0 || strcmp(name, result) == 0) return 1;
    }
    return options->types.count == 0;
}

static void measure_shapes(peaks *all)
{
    cli_session *session = all->session;
    const uint32_t count = session->info->matrix_shape_count;
    char a[32], result[32];

    all->no_shapes = session->info->no_matrices;
    for (uint32_t i = 0; i < count; i++) {
        const vkmm_matrix_shape *shape = &session->info->matrix_shapes[i];
        double multiply_adds = 0;
        vkmm_status status;
        if (!is_wanted(session->options, vkmm_component_name(shape->a, a), vkmm_component_name(shape->result, result)))
            continue;
        peak *one = &all->shapes[all->shape_count++];
        one->shape = *shape;
        one->spread = NAN;
        if (all->lost) {
            explain(one->reason, "the device was lost before");
            continue;
        }
        cli_progress(&session->console, "matrix %ux%ux%u", shape->m, shape->n, shape->k);
        status = vkmm_device_matrix_peak(session->device, shape, &multiply_adds);
        one->per_s = 2 * multiply_adds;
        take(all, one->reason, status, one->per_s > 0);
    }
    if (all->shape_count == 0 && all->no_shapes[0] == '\0')
        all->no_shapes = count > 0 ? "the device's shapes have none of these types" : "the device lists no shape";
}

static void measure_rates(peaks *all)
{
    cli_session *session = all->session;

    for (int kind = 0; kind < VKMM_RATE_COUNT; kind++) {
        rate *one = &all->rates[all->rate_count++];
        vkmm_status status;
        one->info = &vkmm_rate_infos[kind];
        if (all->lost) {
            explain(one->reason, "the device was lost before");
            continue;
        }
        cli_progress(&session->console, "%s", one->info->title);
        status = vkmm_device_rate(session->device, (vkmm_rate_kind)kind, &one->is);
        take(all, one->reason, status, one->is.median > 0);
    }
}

/* ---- for people ---- */

/* "3350 GB/s" and its spread, or why there is no figure, which is 0. */
static void print_cells(const vkmm_report *report, const char *what, double figure, const char *unit,
                        const char *spread, const char *reason)
{
    static const vkmm_place places[] = {{34}, {17}, {18}};
    vkmm_cell cells[3] = {{"", VKMM_PLAIN}};
    char clean[300];

    vkmm_cell_put(&cells[0], "  %s", what);
    if (figure > 0) {
        vkmm_cell_put(&cells[1], "%9s %s", VKMM_FIGURE(figure), unit);
        vkmm_cell_put(&cells[2], "%s", spread);
        vkmm_cells_line(report, places, cells, 3);
        return;
    }
    VKMM_CLEAN(clean, reason);
    fprintf(report->out, "%-*s%s ", 44 + (int)(strlen(what) - vkmm_text_columns(what)), cells[0].text,
            report->utf8 ? "–" : "-");
    vkmm_wrap(report, 46, clean);
}

static void print_line(const vkmm_report *report, const char *what, const peak *one, double scale, const char *unit)
{
    char spread[40] = "";

    if (isfinite(one->spread)) VKMM_PUT(spread, "median %.*f %% lower", one->spread < 0.1, 100 * one->spread);
    print_cells(report, what, one->per_s / scale, unit, spread, one->reason);
}

static void print_rate(const vkmm_report *report, const rate *one)
{
    const int is_time = strcmp(one->info->unit, "ms") == 0;
    const double scale = is_time ? 1e-3 : 1e9;
    char spread[80], what[80];

    VKMM_PUT(spread, "%s %s %s", VKMM_FIGURE(one->is.low / scale), report->utf8 ? "–" : "-",
             VKMM_FIGURE(one->is.high / scale));
    if (one->info == &vkmm_rate_infos[VKMM_RATE_CACHE] && one->is.bytes > 0)
        VKMM_PUT(what, "%s, twice %s", one->info->title, VKMM_BYTES(one->is.bytes));
    else
        VKMM_PUT(what, "%s", one->info->title);
    print_cells(report, what, one->is.median / scale,
                !is_time       ? "GB/s"
                : report->utf8 ? "µs"
                               : "us",
                spread, one->reason);
}

static void print_shape(const vkmm_report *report, const peak *one)
{
    static const char *const units[2][2] = {{"GOP/s", "TOP/s"}, {"GFLOP/s", "TFLOP/s"}};
    const vkmm_matrix_shape *s = &one->shape;
    const char *times = report->utf8 ? "×" : "x", *arrow = report->utf8 ? "→" : "->";
    char what[160], a[32], b[32], c[32];
    const char *result = vkmm_component_name(s->result, c);
    const int is_float = result[0] == 'f' || result[0] == 'b' /* one without a name can be anything */,
              is_large = one->per_s >= 1e12;

    VKMM_PUT(what, "matrix %u%s%u%s%u %s·%s%s%s%s", s->m, times, s->n, times, s->k, vkmm_component_name(s->a, a),
             vkmm_component_name(s->b, b), arrow, result, s->saturating ? " sat" : "");
    print_line(report, what, one, is_large ? 1e12 : 1e9, units[is_float][is_large]);
}

static void print(const peaks *all)
{
    const vkmm_report *report = all->report;
    char what[64];

    vkmm_print_device(report, all->session->info, NULL);
    print_line(report, "copy in device memory", &all->copy, 1e9, "GB/s");
    for (uint32_t i = 0; i < all->rate_count; i++) print_rate(report, &all->rates[i]);
    for (uint32_t i = 0; i < all->type_count; i++) {
        const vkmm_type_info *type = vkmm_type_of(all->types[i].type);
        VKMM_PUT(what, "multiply-add %s", type->name);
        print_line(report, what, &all->types[i], 1e9, type->is_float ? "GFLOP/s" : "GOP/s");
    }
    for (uint32_t i = 0; i < all->shape_count; i++) print_shape(report, &all->shapes[i]);
    if (all->shape_count == 0) {
        peak none = {.type = 0};
        explain(none.reason, all->no_shapes);
        print_line(report, "matrix multiply-add", &none, 1, "");
    }
    if (vkmm_bench_is_busy(&all->power))
        fprintf(report->out, "  busy: other processes took %.1f of %u processors\n", all->power.others,
                all->power.processors);
}

/* ---- vkmatmul.peak/1: one object per run ---- */

#define REASON                                                                \
    {                                                                         \
        "reason", VKMM_FIELD_TEXT, VKMM_AT(peak, reason), .flags = VKMM_MAYBE \
    }
#define FLOPS                                                               \
    {                                                                       \
        "flops", VKMM_FIELD_REAL, VKMM_AT(peak, per_s), .flags = VKMM_MAYBE \
    }
#define SPREAD                                             \
    {                                                      \
        VKMM_KEY(REAL, peak, spread), .known = is_measured \
    }

VKMM_KNOWN(is_measured, peak, per_s > 0)

#define PEAK_KEY(kind, member) VKMM_KEY(kind, peak, member)

static const vkmm_field copy_fields[] = {
    {"bytes_per_s", VKMM_FIELD_REAL, VKMM_AT(peak, per_s), .flags = VKMM_MAYBE},
    {PEAK_KEY(U64, bytes), .flags = VKMM_MAYBE},
    REASON,
    SPREAD,
};
static const vkmm_record copy_record = {NULL, VKMM_FIELDS(copy_fields)};

static const vkmm_field type_fields[] = {{PEAK_KEY(WORD, type), .words = &vkmm_type_words}, FLOPS, REASON, SPREAD};
static const vkmm_record type_record = {NULL, VKMM_FIELDS(type_fields)};

static const vkmm_field shape_fields[] = {
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(peak, shape), .record = &vkmm_shape_record}, FLOPS, REASON};
static const vkmm_record shape_record = {NULL, VKMM_FIELDS(shape_fields)};

#define RATE(kind, member) VKMM_IN(kind, rate, is, member), .flags = VKMM_MAYBE

static const vkmm_field rate_info_fields[] = {{VKMM_KEY(STRING, vkmm_rate_info, name)},
                                              {VKMM_KEY(STRING, vkmm_rate_info, unit)}};
static const vkmm_record rate_info_record = {NULL, VKMM_FIELDS(rate_info_fields)};

static const vkmm_field rate_fields[] = {
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(rate, info), VKMM_POINTER, .record = &rate_info_record},
    {RATE(REAL, median)},
    {RATE(REAL, low)},
    {RATE(REAL, high)},
    {RATE(U64, bytes)},
    {"reason", VKMM_FIELD_TEXT, VKMM_AT(rate, reason), .flags = VKMM_MAYBE}};
static const vkmm_record rate_record = {NULL, VKMM_FIELDS(rate_fields)};

#define POWER(kind, member) VKMM_IN(kind, peaks, power, member)

static const vkmm_field fields[] = {
    {VKMM_KEY(RECORD, peaks, copy), .record = &copy_record},
    {"rates", VKMM_FIELD_RECORD, VKMM_LIST(peaks, rates, rate_count), VKMM_HERE, .record = &rate_record},
    {"types", VKMM_FIELD_RECORD, VKMM_LIST(peaks, types, type_count), VKMM_HERE, .record = &type_record},
    {"matrix", VKMM_FIELD_RECORD, VKMM_LIST(peaks, shapes, shape_count), VKMM_HERE, .record = &shape_record},
    {"no_matrix", VKMM_FIELD_STRING, VKMM_AT(peaks, no_shapes), VKMM_MAYBE},
    {POWER(REAL, others)},
    {POWER(U32, processors), VKMM_MAYBE},
};
static const vkmm_record peaks_record = {NULL, VKMM_FIELDS(fields)};

vkmm_status cli_peak(cli_session *session)
{
    const vkmm_log *log = session->log;
    vkmm_status status = cli_session_device(session), shown = VKMM_OK;
    vkmm_sensors *sensors = NULL;
    vkmm_sensed sensed;
    peaks *all;

    if (status != VKMM_OK) return status;
    all = vkmm_alloc(1, sizeof *all);
    if (all == NULL) return VKMM_NO_MEMORY(log, "for the peaks");
    all->session = session;
    all->report = &session->report;
    all->power = vkmm_bench_no_power();
    if (session->info->type == VK_PHYSICAL_DEVICE_TYPE_CPU) sensors = vkmm_sensors_open(NULL, "");
    vkmm_sensors_start(sensors);
    session->console.muted = 1; /* the sentences go into the rows */
    measure_rates(all);
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const char *name = vkmm_type_of((vkmm_type)type)->name;
        if (is_wanted(session->options, name, name)) measure_type(all, (vkmm_type)type);
    }
    if (all->copy.per_s <= 0 && all->copy.reason[0] == '\0')
        explain(all->copy.reason, "it is measured together with a type that the device has");
    if (all->copy.per_s > 0) all->copy.reason[0] = '\0';
    measure_shapes(all);
    vkmm_sensors_stop(sensors, &sensed);
    vkmm_sensors_close(&sensors);
    all->power.others = sensed.others;
    all->power.processors = isfinite(sensed.others) ? vkmm_host_processors() : 0;
    session->console.muted = 0;
    cli_progress_end(&session->console);
    if (session->options->json)
        shown = vkmm_json_line(all->report, vkmm_json_document(all->report, "vkmatmul.peak/1", session->info, NULL,
                                                               vkmm_record_json(&peaks_record, all)));
    else
        print(all);
    if (shown != VKMM_OK) shown = vkmm_fail(log, shown, "no memory to write the peaks");
    /* A missing feature of the device or this build is not a failure if something else was measured. */
    if (all->lost || all->status == VKMM_WRONG_RESULT || !all->measured) status = all->status;
    status = status != VKMM_OK ? vkmm_fail(log, status, "%s", all->failure) : cli_session_validated(session);
    vkmm_free(all);
    return status != VKMM_OK ? status : shown;
}
