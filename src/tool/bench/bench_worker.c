/* vkmatmul bench-worker, a hidden command: it measures products for `vkmatmul bench`, on its device or by the host's
 * BLAS. Its requests (worker/worker.h), in addition to hello:
 *
 *     {"ask": "peaks", "types": […], "matrix_ms": T}    "peaks": as in a report; of matrix shapes, one for each
 *                                                       combination of types, and others for T milliseconds
 *     {"ask": "begin", "id": I, "problem": {…}, "kernel": K, "shader": its file or absent,
 *      "seed": S, "rotating_bytes": B}
 *                                                       "row": as in a report, without samples, judged; "product_ms":
 *                                                       how long one takes, about; "host_ms": the host's part in it
 *     {"ask": "round", "id": I, "ms": T, "full": F}     "round": the "time" and "power" of a row, for about T ms of
 *                                                       kernel time; F: and of transfers
 *     {"ask": "end", "id": I}                           the last product was the judged one, bit for bit
 *  VKMM_WRONG_RESULT comes with the row. Several jobs are held at once, by id. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/limits.h"
#include "look/access.h"
#include "math/blas.h"
#include "math/problem.h"
#include "math/type.h"
#include "product/product.h"
#include "report/records.h"
#include "session/commands.h"
#include "system/sensors.h"
#include "worker/worker.h"

#define SOON_MS     50.0   /* a device that worked so recently still has high clocks */
#define WARM_MS     20.0   /* and needs only this to fill its caches */
#define LONG_MS     200.0  /* a product that takes this long needs no warm-up, and one sample is a round */
#define CERTAIN_MS  2000.0 /* longer than any compiler takes */
#define TRANSFER_MS 60.0   /* of products with transfers */
#define ENERGY_MS   200.0  /* of work without a pause: counters of energy are slow */

enum {
    MOST_TRANSFERS = 10,
    MOST_SAMPLES = 200, /* of a round */
    MOST_JOBS = 64      /* held at once */
};

typedef struct bench_job {
    json_int_t id; /* 0: the job is empty */
    char kernel[32];
    vkmm_shader *shader; /* owned; NULL: the kernel */
    char *shader_file;   /* owned */
    uint64_t rotating_bytes;
    cli_inputs inputs;
    cli_request request; /* the problem is its job's */
    cli_product product;
    double one_ms;  /* of a product; 0: unknown yet */
    double host_ms; /* that the host took to make the operands and judge the product */
} bench_job;

typedef struct worker {
    cli_session *session;
    int is_ready;    /* its device is open, or its BLAS */
    vkmm_blas *blas; /* NULL: the session's device multiplies */
    cli_sensors *sensors;
    int no_energy;     /* they report only clocks */
    double busy_until; /* by vkmm_now_ms: when the last round ended; devices that idle lower their clocks */
    bench_job jobs[MOST_JOBS];
} worker;

/* ---- jobs ---- */

static void end_job(bench_job *job)
{
    cli_product_end(&job->product);
    vkmm_shader_destroy(&job->shader);
    vkmm_free(job->shader_file);
    memset(job, 0, sizeof *job);
}

static int is_gpu(const worker *w)
{
    return w->blas == NULL && !vkmm_is_processor(w->session->info);
}

static uint32_t samples_for(double ms, double one_ms, uint32_t most)
{
    double count = one_ms > 0 ? ms / one_ms : most;
    return count >= most ? most : count > 1 ? (uint32_t)count : 1;
}

/* From a formula for the tutorials' kernels; NaN for others. */
static double asked_bytes(const worker *w, const bench_job *job)
{
    const vkmm_kernel_info *kernel = job->product.kernel;
    vkmm_access access;
    if (w->blas != NULL || job->product.reason[0] != '\0') return NAN;
    if (vkmm_access_formula(kernel, &job->request.job.problem, &access) != VKMM_OK) return NAN;
    return (double)access.bytes_read + (double)access.bytes_written;
}

/* Adds what only a report has to the product's row. */
static void describe(const worker *w, bench_job *job)
{
    cli_bench_row *row = &job->product.row;
    const cli_row_panels *panels = &row->panels;
    const vkmm_partition *cut = &panels->partition;
    const uint64_t count = panels->batches * cut->row_panels * cut->col_panels * cut->depth_panels;
    row->asked_bytes = asked_bytes(w, job);
    VKMM_PUT(row->power.source, "%.31s", cli_sensors_source(w->sensors));
    if (panels->part_count > 0)
        VKMM_PUT(row->in_panels, "panels on %u devices", panels->part_count);
    else if (panels->reason != NULL)
        VKMM_PUT(row->in_panels, "%llu panel%s of %llux%llu: %.180s", (unsigned long long)count, count == 1 ? "" : "s",
                 (unsigned long long)cut->rows, (unsigned long long)cut->cols, panels->reason);
    cli_product_judged(&job->product, row);
}

static int append(cli_bench_series *to, const vkmm_series *from)
{
    return cli_bench_series_add(to, from->samples, from->count);
}

/* Samples of one call; its clocks depend on what the device did before. round NULL: only job->one_ms is kept. */
static vkmm_status measure(const worker *w, bench_job *job, vkmm_measure_params params, cli_bench_row *round)
{
    const int in_panels = job->product.reason[0] != '\0';
    vkmm_measurement time;
    vkmm_status status;
    int kept = 1;
    params.cold_iters_given = params.warm_time_ms <= 0;
    params.rotating_bytes = job->rotating_bytes;
    status = job->product.kind->measure(&job->product, &params, &time);
    if (status != VKMM_OK) return status;
    job->one_ms = in_panels ? time.transfer.median : time.kernel.median;
    if (round == NULL) return VKMM_OK;
    round->mapped = time.mapped;
    VKMM_PUT(round->clock, "%s", time.clock == VKMM_CLOCK_DEVICE ? "device" : "host");
    VKMM_PUT(round->clock_note, "%s", time.clock_note);
    if (params.cross_check && time.slope_ms > 0) round->slope_ms = time.slope_ms;
    if (!time.mapped && !params.skip_transfers)
        kept = append(&round->total_ms, &time.transfer) && append(&round->upload_ms, &time.upload) &&
               append(&round->download_ms, &time.download);
    /* Samples between copies are less precise than separate ones. Where memory is unified nothing is copied: submission
     * and transfer are the same thing. Panels are filled there. */
    if (params.skip_transfers || job->one_ms >= LONG_MS)
        kept = kept && append(&round->kernel_ms, &time.kernel) && append(&round->submit_ms, &time.submit) &&
               (!time.mapped || append(&round->total_ms, in_panels ? &time.transfer : &time.submit));
    return kept ? VKMM_OK : vkmm_tell(w->session->log, VKMM_NO_MEMORY("for the samples of a round"));
}

/* Works for warm_ms, or so many more products. */
static vkmm_status work(const worker *w, bench_job *job, double warm_ms, uint32_t products)
{
    return measure(w, job, (vkmm_measure_params){.iters = products, .warm_time_ms = warm_ms, .skip_transfers = 1},
                   NULL);
}

/* Short products are warmed up for as long as the device needs. */
static vkmm_status warm_up(const worker *w, bench_job *job)
{
    const double idle = vkmm_now_ms() - w->busy_until;
    return work(w, job, idle > SOON_MS && is_gpu(w) ? CLI_WARM_GPU_MS : WARM_MS, 1);
}

/* Energy of a product: power while one follows another, times its time; without pauses, because between samples a
 * device waits for the host, and uses less power than while it works. Tried once, and not again if the counters report
 * nothing. */
static vkmm_status weigh(worker *w, bench_job *job, cli_bench_power *power)
{
    const int is_long = job->one_ms >= LONG_MS;
    cli_sensed sensed;
    vkmm_status status;
    if (w->sensors == NULL || w->no_energy) return VKMM_OK;
    cli_sensors_start(w->sensors);
    status = work(w, job, is_long ? 0 : ENERGY_MS, is_long ? samples_for(ENERGY_MS, job->one_ms, MOST_SAMPLES) : 1);
    cli_sensors_stop(w->sensors, &sensed);
    w->no_energy = !isfinite(sensed.watts);
    power->watts = sensed.watts;
    if (status == VKMM_OK && isfinite(sensed.watts)) power->joules = sensed.watts * job->one_ms / 1000;
    return status;
}

static vkmm_status sample_kernel(worker *w, bench_job *job, double ms, cli_bench_row *round)
{
    cli_sensed sensed;
    vkmm_status status;
    cli_sensors_start(w->sensors);
    status = measure(
        w, job, (vkmm_measure_params){.iters = samples_for(ms, job->one_ms, MOST_SAMPLES), .skip_transfers = 1}, round);
    cli_sensors_stop(w->sensors, &sensed);
    VKMM_PUT(round->power.limited, "%.127s", sensed.limited);
    round->power.mhz[0] = sensed.mhz_before;
    round->power.mhz[1] = sensed.mhz_during;
    round->power.mhz[2] = sensed.mhz_after;
    round->power.others = sensed.others;
    round->power.processors = isfinite(sensed.others) ? vkmm_host_processors() : 0;
    return status;
}

/* Multiplies once and judges: product.row then has everything that is known without samples. VKMM_OK;
 * VKMM_WRONG_RESULT with a row; otherwise the job is empty again. request.job.problem, kernel, rotating_bytes and
 * inputs.seed are set. */
static vkmm_status begin_job(worker *w, bench_job *job)
{
    const double start = vkmm_now_ms();
    vkmm_status status, valid;
    job->inputs.init = VKMM_INIT_UNIFORM;
    job->request.inputs = &job->inputs;
    job->request.job.kernel = job->shader != NULL ? NULL : job->kernel;
    job->request.job.shader = job->shader;
    job->request.shader_file = job->shader_file;
    job->request.job.untuned = w->session->options->untuned;
    job->request.blas = w->blas;
    job->request.kind = w->blas != NULL ? &cli_host_product : NULL;
    job->request.in_panels = &cli_in_panels_again;
    job->request.memory_limit = (uint64_t)w->session->options->memory_limit;
    status = vkmm_tell(w->session->log, vkmm_problem_check(&job->request.job.problem));
    if (status == VKMM_OK) status = cli_product_prove(w->session, &job->request, &job->product);
    valid = cli_session_validated(w->session);
    if (status == VKMM_OK && valid != VKMM_OK) {
        status = valid;
        job->product.verdict.passed = 0;
        VKMM_PUT(job->product.verdict.sentence, "%.300s", w->session->console.last_error);
    }
    job->one_ms = job->product.run_ms;
    job->host_ms = vkmm_now_ms() - start - job->product.run_ms;
    /* The first product may have waited for a compiler. */
    if (status == VKMM_OK && job->one_ms < CERTAIN_MS && cli_product_is_work(&job->request.job.problem))
        status = work(w, job, 0, 1);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT)
        describe(w, job);
    else
        end_job(job);
    return status;
}

/* ---- requests ---- */

/* One peak after another; a type that the device lacks, or a shape for which there is no time, has none. */
static vkmm_status measure_types(worker *w, const json_t *types, cli_bench_peaks *peaks)
{
    vkmm_peaks found = {0};
    for (size_t i = 0; i < json_array_size(types); i++) {
        vkmm_type type;
        vkmm_status status;
        const char *name = json_string_value(json_array_get(types, i));
        if (name == NULL || !vkmm_type_parse(name, &type)) continue;
        status = vkmm_device_peaks(w->session->device, type, &found);
        if (status == VKMM_DEVICE_LOST) return status;
        if (status != VKMM_OK) continue;
        peaks->multiply_adds_per_s[type] = found.multiply_adds_per_s;
        peaks->copy_bytes_per_s = found.copy_bytes_per_s;
    }
    return VKMM_OK;
}

/* Whether a row may need this peak: of these types, no shape has been measured. */
static int is_needed(const vkmm_matrix_shape *shape, const json_t *types, const cli_bench_peaks *peaks)
{
    int asked = 0;
    uint32_t component;
    for (size_t i = 0; i < json_array_size(types) && !asked && !shape->saturating; i++) {
        const char *name = json_string_value(json_array_get(types, i));
        asked = name != NULL && vkmm_component_parse(name, &component) && component == shape->a;
    }
    for (uint32_t i = 0; i < peaks->matrix_count && asked; i++)
        asked = peaks->matrix[i].shape.a != shape->a || peaks->matrix[i].shape.result != shape->result;
    return asked;
}

/* One shape for each combination of types first, then all others for which there is time. */
static vkmm_status measure_shapes(worker *w, const json_t *types, double time_ms, cli_bench_peaks *peaks)
{
    cli_session *session = w->session;
    const vkmm_matrix_shape *shapes = session->info->matrices.shapes;
    const uint32_t count = session->info->matrices.shape_count;
    int tried[VKMM_MAX_MATRIX_SHAPES] = {0};
    const double start = vkmm_now_ms();
    if (!(time_ms > 0)) return VKMM_OK;
    for (uint32_t n = 0; n < 2 * count; n++) {
        const uint32_t i = n % count;
        cli_bench_matrix *matrix = &peaks->matrix[peaks->matrix_count];
        if (n < count ? !is_needed(&shapes[i], types, peaks) : tried[i] || vkmm_now_ms() - start >= time_ms) continue;
        tried[i] = 1;
        vkmm_status status = vkmm_device_matrix_peak(session->device, &shapes[i], &matrix->multiply_adds_per_s);
        if (status == VKMM_DEVICE_LOST) return status;
        if (status != VKMM_OK) continue;
        matrix->shape = shapes[i];
        peaks->matrix_count++;
    }
    return VKMM_OK;
}

static vkmm_status measure_peaks(worker *w, const json_t *request, json_t *answer)
{
    cli_bench_peaks peaks;
    vkmm_status status;
    cli_bench_peaks_init(&peaks);
    status = measure_types(w, json_object_get(request, "types"), &peaks);
    if (status == VKMM_OK)
        status = measure_shapes(w, json_object_get(request, "types"), cli_json_number(request, "matrix_ms", 0), &peaks);
    w->busy_until = vkmm_now_ms();
    if (status == VKMM_OK) json_object_set_new(answer, "peaks", cli_record_json(&cli_peaks_record, &peaks));
    return status;
}

/* The job with this id; 0: a free one. NULL: none. */
static bench_job *find(worker *w, json_int_t id)
{
    for (int i = 0; i < MOST_JOBS; i++)
        if (w->jobs[i].id == id) return &w->jobs[i];
    return NULL;
}

static vkmm_status begin(worker *w, json_int_t id, const json_t *request, json_t *answer)
{
    bench_job *job = find(w, 0);
    char sentence[CLI_BENCH_TEXT];
    const char *shader = cli_json_text(request, "shader", "");
    vkmm_status status;
    if (job == NULL)
        return VKMM_FAIL(w->session->log, VKMM_INVALID, "this process measures at most %d products at once", MOST_JOBS);
    memset(job, 0, sizeof *job);
    if (!cli_record_parse(json_object_get(request, "problem"), &cli_problem_record, &job->request.job.problem,
                          sentence))
        return VKMM_FAIL(w->session->log, VKMM_INVALID, "invalid problem: %s", sentence);
    job->id = id;
    if (shader[0] != '\0') {
        job->shader_file = vkmm_strdup(shader);
        status = job->shader_file == NULL
                     ? vkmm_tell(w->session->log, VKMM_NO_MEMORY("for a shader"))
                     : cli_shader_open(w->session->log, job->shader_file, job->request.job.problem.type, &job->shader);
        if (status != VKMM_OK) {
            end_job(job);
            return status;
        }
    }
    VKMM_PUT(job->kernel, "%s", cli_json_text(request, "kernel", "auto"));
    job->inputs.seed = strtoull(cli_json_text(request, "seed", "1"), NULL, 10);
    job->rotating_bytes = (uint64_t)cli_json_number(request, "rotating_bytes", 0);
    status = begin_job(w, job);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        json_object_set_new(answer, "row", cli_record_json(&cli_row_record, &job->product.row));
        json_object_set_new(answer, "product_ms", json_real(job->one_ms));
        json_object_set_new(answer, "host_ms", json_real(job->host_ms));
    }
    return status;
}

/* Warms up, then takes samples for about "ms" of kernel time; "full": of transfers and of the host's clock against the
 * device's as well. */
static vkmm_status sample(worker *w, bench_job *job, const json_t *request, json_t *answer)
{
    const int full = json_is_true(json_object_get(request, "full"));
    cli_bench_row round;
    vkmm_status status = VKMM_OK;
    cli_bench_row_init(&round);
    VKMM_PUT(round.power.source, "%.31s", cli_sensors_source(w->sensors));
    if (job->one_ms < LONG_MS || (is_gpu(w) && vkmm_now_ms() - w->busy_until > SOON_MS)) status = warm_up(w, job);
    if (status == VKMM_OK && full && w->blas == NULL)
        status = measure(
            w, job,
            (vkmm_measure_params){.iters = samples_for(TRANSFER_MS, job->one_ms, MOST_TRANSFERS), .cross_check = 1},
            &round);
    if (status == VKMM_OK && round.kernel_ms.count == 0)
        status = sample_kernel(w, job, cli_json_number(request, "ms", 0), &round);
    if (status == VKMM_OK && full) status = weigh(w, job, &round.power);
    w->busy_until = vkmm_now_ms();
    if (status == VKMM_OK) json_object_set_new(answer, "round", cli_record_json(&cli_round_record, &round));
    cli_bench_row_free(&round);
    return status;
}

static vkmm_status end(worker *w, bench_job *job)
{
    vkmm_status status = VKMM_OK;
    if (job->product.verdict.passed) status = cli_product_again(&job->product);
    if (job->product.verdict.passed && status == VKMM_OK) status = cli_session_validated(w->session);
    end_job(job);
    return status;
}

static vkmm_status get_ready(worker *w)
{
    cli_session *session = w->session;
    vkmm_status status;
    if (session->options->host_worker) {
        w->blas = vkmm_blas_open(NULL);
        if (w->blas == NULL)
            return VKMM_FAIL(session->log, VKMM_UNSUPPORTED, "no BLAS library with CBLAS is installed");
        w->sensors = cli_sensors_open(NULL);
        return VKMM_OK;
    }
    session->shares = 1;
    status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (session->info->has_pci || vkmm_is_processor(session->info))
        w->sensors = cli_sensors_open(session->info->has_pci ? session->info->pci : NULL);
    return VKMM_OK;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    worker *w = user;
    cli_session *session = w->session;
    const json_int_t id = json_integer_value(json_object_get(request, "id"));
    const int is_round = strcmp(ask, "round") == 0;
    bench_job *job;
    vkmm_status status = w->is_ready ? VKMM_OK : get_ready(w);
    w->is_ready = status == VKMM_OK;
    if (!w->is_ready) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "peaks") == 0) return w->blas != NULL ? VKMM_OK : measure_peaks(w, request, answer);
    if (strcmp(ask, "begin") == 0) return begin(w, id, request, answer);
    if (!is_round && strcmp(ask, "end") != 0) return cli_worker_refuse(session, ask);
    job = id != 0 ? find(w, id) : NULL;
    if (job == NULL) return VKMM_FAIL(session->log, VKMM_INVALID, "there is no job with this id");
    return is_round ? sample(w, job, request, answer) : end(w, job);
}

vkmm_status cli_command_bench_worker(cli_session *session)
{
    worker *w = vkmm_alloc(1, sizeof *w);
    vkmm_status status;
    if (w == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for a process that measures"));
    w->session = session;
    status = cli_worker_serve(session, obey, w);
    for (int i = 0; i < MOST_JOBS; i++) end_job(&w->jobs[i]);
    cli_sensors_close(&w->sensors);
    vkmm_blas_close(&w->blas);
    vkmm_free(w);
    return status;
}
