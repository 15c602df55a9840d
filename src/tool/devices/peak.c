/* vkmatmul peak: what a device can do at best; and vkmatmul peak-worker, a hidden command that measures it for
 * `vkmatmul record`. */
#include "base/alloc.h"
#include "base/host.h"
#include "base/limits.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "session/commands.h"
#include "system/sensors.h"
#include "worker/worker.h"

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
    peak copy, types[VKMM_TYPE_COUNT], shapes[VKMM_MAX_MATRIX_SHAPES];
    rate rates[VKMM_RATE_COUNT];
    uint32_t type_count, shape_count;
    cli_bench_power power; /* what other processes used meanwhile, if the device is a processor */
    const char *no_shapes; /* why there are none; "" */
    vkmm_status status;    /* the exit code of all failures */
    char failure[240];     /* its sentence */
    int lost;              /* nothing more can be measured */
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

static int is_lost(const peaks *all, char reason[240])
{
    if (all->lost) explain(reason, "the device was lost before");
    return all->lost;
}

static void measure_type(peaks *all, vkmm_type type)
{
    peak *one = &all->types[all->type_count++];
    vkmm_peaks measured = {.copy_bytes_per_s = all->copy.per_s};
    one->type = type;
    if (is_lost(all, one->reason)) return;
    cli_progress(&all->session->console, "%s", vkmm_type_of(type)->name);
    const vkmm_status status = vkmm_device_peaks(all->session->device, type, &measured);
    one->per_s = 2 * measured.multiply_adds_per_s;
    one->spread = measured.multiply_adds_spread;
    take(all, one->reason, status, one->per_s > 0);
    if (status != VKMM_OK && all->copy.per_s <= 0) explain(all->copy.reason, one->reason);
    if (status != VKMM_OK || measured.copy_bytes_per_s <= all->copy.per_s) return;
    all->copy =
        (peak){.per_s = measured.copy_bytes_per_s, .spread = measured.copy_spread, .bytes = measured.copy_bytes};
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
    const uint32_t count = session->info->matrices.shape_count;
    char a[32], result[32];
    all->no_shapes = session->info->matrices.refusal;
    for (uint32_t i = 0; i < count; i++) {
        const vkmm_matrix_shape *shape = &session->info->matrices.shapes[i];
        double multiply_adds = 0;
        if (!is_wanted(session->options, vkmm_component_name(shape->a, a), vkmm_component_name(shape->result, result)))
            continue;
        peak *one = &all->shapes[all->shape_count++];
        one->shape = *shape;
        one->spread = NAN;
        if (is_lost(all, one->reason)) continue;
        cli_progress(&session->console, "matrix %ux%ux%u", shape->m, shape->n, shape->k);
        const vkmm_status status = vkmm_device_matrix_peak(session->device, shape, &multiply_adds);
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
        rate *one = &all->rates[kind];
        one->info = &vkmm_rate_infos[kind];
        if (is_lost(all, one->reason)) continue;
        cli_progress(&session->console, "%s", one->info->title);
        const vkmm_status status = vkmm_device_rate(session->device, (vkmm_rate_kind)kind, &one->is);
        take(all, one->reason, status, one->is.median > 0);
    }
}

/* ---- for people ---- */

/* "3350 GB/s" and its spread, or why there is no figure, which is 0. */
static void print_cells(const cli_report *report, const char *what, double figure, const char *unit, const char *spread,
                        const char *reason)
{
    static const cli_place places[] = {{34}, {17}, {18}};
    cli_cell cells[3] = {{"", CLI_PLAIN}};
    char clean[300];
    cli_cell_put(&cells[0], "  %s", what);
    if (figure > 0) {
        cli_cell_put(&cells[1], "%9s %s", CLI_FIGURE(figure), unit);
        cli_cell_put(&cells[2], "%s", spread);
        cli_cells_line(report, places, cells, 3);
        return;
    }
    VKMM_CLEAN(clean, reason);
    fprintf(report->out, "%-*s%s ", 44 + (int)(strlen(what) - cli_text_columns(what)), cells[0].text,
            report->utf8 ? "–" : "-");
    cli_wrap(report, 46, clean);
}

static void print_line(const cli_report *report, const char *what, const peak *one, double scale, const char *unit)
{
    char spread[40] = "";
    if (isfinite(one->spread)) VKMM_PUT(spread, "median %.*f %% lower", one->spread < 0.1, 100 * one->spread);
    print_cells(report, what, one->per_s / scale, unit, spread, one->reason);
}

static void print_rate(const cli_report *report, const rate *one)
{
    const int is_time = strcmp(one->info->unit, "ms") == 0;
    const double scale = is_time ? 1e-3 : 1e9;
    char spread[80], what[80];
    VKMM_PUT(spread, "%s %s %s", CLI_FIGURE(one->is.low / scale), report->utf8 ? "–" : "-",
             CLI_FIGURE(one->is.high / scale));
    if (one->info == &vkmm_rate_infos[VKMM_RATE_CACHE] && one->is.bytes > 0)
        VKMM_PUT(what, "%s, twice %s", one->info->title, CLI_BYTES(one->is.bytes));
    else
        VKMM_PUT(what, "%s", one->info->title);
    print_cells(report, what, one->is.median / scale,
                !is_time       ? "GB/s"
                : report->utf8 ? "µs"
                               : "us",
                spread, one->reason);
}

static void print_shape(const cli_report *report, const peak *one)
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
    const cli_report *report = &all->session->report;
    char what[64];
    cli_print_device(report, all->session->info, NULL);
    print_line(report, "copy in device memory", &all->copy, 1e9, "GB/s");
    for (int i = 0; i < VKMM_RATE_COUNT; i++) print_rate(report, &all->rates[i]);
    for (uint32_t i = 0; i < all->type_count; i++) {
        const vkmm_type_info *type = vkmm_type_of(all->types[i].type);
        VKMM_PUT(what, "multiply-add %s", type->name);
        print_line(report, what, &all->types[i], 1e9, type->is_float ? "GFLOP/s" : "GOP/s");
    }
    for (uint32_t i = 0; i < all->shape_count; i++) print_shape(report, &all->shapes[i]);
    if (all->shape_count == 0) print_cells(report, "matrix multiply-add", 0, "", "", all->no_shapes);
    if (cli_bench_is_busy(&all->power))
        fprintf(report->out, "  busy: other processes took %.1f of %u processors\n", all->power.others,
                all->power.processors);
}

/* ---- vkmatmul.peak/1: one object per run ---- */

CLI_KNOWN(is_measured, peak, per_s > 0)

static const cli_field flops_fields[] = {
    {"flops", CLI_FIELD_REAL, CLI_AT(peak, per_s), CLI_MAYBE},
    {CLI_KEY(TEXT, peak, reason), CLI_MAYBE},
    {CLI_KEY(REAL, peak, spread), .known = is_measured},
};
static const vkmm_record flops_record = {NULL, flops_fields, 3}, matrix_flops_record = {NULL, flops_fields, 2},
                         copy_rest_record = {NULL, flops_fields + 1, 2};

static const cli_field copy_fields[] = {
    {"bytes_per_s", CLI_FIELD_REAL, CLI_AT(peak, per_s), CLI_MAYBE},
    {CLI_KEY(U64, peak, bytes), CLI_MAYBE},
    {NULL, CLI_FIELD_EMBED, .record = &copy_rest_record},
};
static const vkmm_record copy_record = {NULL, CLI_FIELDS(copy_fields)};

static const cli_field type_fields[] = {
    {CLI_KEY(WORD, peak, type), .words = &cli_words_of_type},
    {NULL, CLI_FIELD_EMBED, .record = &flops_record},
};
static const vkmm_record type_record = {NULL, CLI_FIELDS(type_fields)};

static const cli_field shape_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(peak, shape), .record = &cli_shape_record},
    {NULL, CLI_FIELD_EMBED, .record = &matrix_flops_record},
};
static const vkmm_record shape_record = {NULL, CLI_FIELDS(shape_fields)};

#define RATE(kind, member) CLI_IN(kind, rate, is, member), .flags = CLI_MAYBE

static const cli_field rate_info_fields[] = {{CLI_KEY(STRING, vkmm_rate_info, name)},
                                             {CLI_KEY(STRING, vkmm_rate_info, unit)}};
static const vkmm_record rate_info_record = {NULL, CLI_FIELDS(rate_info_fields)};

static const cli_field rate_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(rate, info), CLI_POINTER, .record = &rate_info_record},
    {RATE(REAL, median)},
    {RATE(REAL, low)},
    {RATE(REAL, high)},
    {RATE(U64, bytes)},
    {CLI_KEY(TEXT, rate, reason), CLI_MAYBE},
};
static const vkmm_record rate_record = {NULL, CLI_FIELDS(rate_fields)};

#define POWER(kind, member) CLI_IN(kind, peaks, power, member)

static const cli_field fields[] = {
    {CLI_KEY(RECORD, peaks, copy), .record = &copy_record},
    {"rates", CLI_FIELD_RECORD, CLI_ARRAY(peaks, rates, VKMM_RATE_COUNT), .record = &rate_record},
    {"types", CLI_FIELD_RECORD, CLI_LIST(peaks, types, type_count), CLI_HERE, .record = &type_record},
    {"matrix", CLI_FIELD_RECORD, CLI_LIST(peaks, shapes, shape_count), CLI_HERE, .record = &shape_record},
    {"no_matrix", CLI_FIELD_STRING, CLI_AT(peaks, no_shapes), CLI_MAYBE},
    {POWER(REAL, others)},
    {POWER(U32, processors), CLI_MAYBE},
};
static const vkmm_record peaks_record = {NULL, CLI_FIELDS(fields)};

/* Everything of the session's device. NULL: memory ran out. Freed by vkmm_free. */
static peaks *measure(cli_session *session)
{
    cli_sensors *sensors = NULL;
    cli_sensed sensed;
    peaks *all = vkmm_alloc(1, sizeof *all);
    if (all == NULL) return NULL;
    all->session = session;
    all->power = cli_bench_no_power();
    if (vkmm_is_processor(session->info)) sensors = cli_sensors_open(NULL);
    cli_sensors_start(sensors);
    measure_rates(all);
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const char *name = vkmm_type_of((vkmm_type)type)->name;
        if (is_wanted(session->options, name, name)) measure_type(all, (vkmm_type)type);
    }
    if (all->copy.per_s <= 0 && all->copy.reason[0] == '\0')
        explain(all->copy.reason, "it is measured together with a type that the device has");
    measure_shapes(all);
    cli_sensors_stop(sensors, &sensed);
    cli_sensors_close(&sensors);
    all->power.others = sensed.others;
    all->power.processors = isfinite(sensed.others) ? vkmm_host_processors() : 0;
    cli_progress_end(&session->console);
    return all;
}

vkmm_status cli_command_peak(cli_session *session)
{
    const vkmm_log *log = session->log;
    vkmm_status status = cli_session_device(session), shown = VKMM_OK;
    peaks *all;
    if (status != VKMM_OK) return status;
    session->console.muted = 1; /* the sentences go into the rows */
    all = measure(session);
    session->console.muted = 0;
    if (all == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for the peaks"));
    if (session->writer->document != NULL)
        shown = cli_session_record(session, "vkmatmul.peak/1", &peaks_record, all);
    else
        print(all);
    /* A missing feature of the device or this build is not a failure if something else was measured. */
    if (all->lost || all->status == VKMM_WRONG_RESULT || !all->measured) status = all->status;
    status = status != VKMM_OK ? VKMM_FAIL(log, status, "%s", all->failure) : cli_session_validated(session);
    vkmm_free(all);
    return status != VKMM_OK ? status : shown;
}

/* ---- in the process that measures ---- */

/* The same figures as bench reports have them. */
static json_t *peaks_of_bench(const peaks *all)
{
    cli_bench_peaks bench;
    cli_bench_peaks_init(&bench);
    if (all->copy.per_s > 0) bench.copy_bytes_per_s = all->copy.per_s;
    for (uint32_t i = 0; i < all->type_count; i++)
        if (all->types[i].per_s > 0) bench.multiply_adds_per_s[all->types[i].type] = all->types[i].per_s / 2;
    for (uint32_t i = 0; i < all->shape_count && bench.matrix_count < CLI_BENCH_MATRICES; i++)
        if (all->shapes[i].per_s > 0)
            bench.matrix[bench.matrix_count++] = (cli_bench_matrix){all->shapes[i].shape, all->shapes[i].per_s / 2};
    return cli_record_json(&cli_peaks_record, &bench);
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_session *session = user;
    vkmm_status status = cli_session_device(session);
    peaks *all;
    (void)request;
    if (status != VKMM_OK) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "peak") != 0) return cli_worker_refuse(session, ask);
    all = measure(session);
    if (all == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for the peaks"));
    json_object_set_new(answer, "peak", cli_record_json(&peaks_record, all));
    json_object_set_new(answer, "peaks", peaks_of_bench(all));
    status = all->lost || all->status == VKMM_WRONG_RESULT ? VKMM_FAIL(session->log, all->status, "%s", all->failure)
                                                           : VKMM_OK;
    vkmm_free(all);
    return status;
}

vkmm_status cli_command_peak_worker(cli_session *session)
{
    return cli_worker_serve(session, obey, session);
}
