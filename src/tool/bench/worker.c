/* vkmatmul bench-worker, a command of the program's own (bench/protocol.h): it measures in a process of its own,
 * because a driver that crashes, hangs or loses its device takes the process with it. */
#include "base/alloc.h"
#include "base/clock.h"
#include "system/process.h"
#include "report/records.h"
#include "bench/jobs.h"
#include "bench/protocol.h"
#include "session/commands.h"
#include "math/type.h"
#include "bench/writer.h"
#include "report/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REQUEST = 1 << 16 };

typedef struct worker {
    cli_bench_place place;
    cli_bench_job jobs[CLI_BENCH_JOBS];
} worker;

static const vkmm_log *log_of(const worker *w)
{
    return &w->place.session->console.log;
}

static vkmm_status hello(worker *w, json_t *answer)
{
    cli_session *session = w->place.session;
    vkmm_bench_device device = {.is_host = w->place.blas != NULL};

    vkmm_bench_peaks_init(&device.peaks);
    if (device.is_host) {
        snprintf(device.info.name, sizeof device.info.name, "%s", session->host);
        snprintf(device.info.driver_name, sizeof device.info.driver_name, "%.200s", vkmm_blas_name(w->place.blas));
        snprintf(device.info.driver_info, sizeof device.info.driver_info, "%.200s", vkmm_blas_version(w->place.blas));
    } else {
        device.info = *session->info;
    }
    snprintf(device.label, sizeof device.label, "%.*s", VKMM_BENCH_TEXT - 1, device.info.name);
    cli_bench_put(answer, "device", vkmm_record_json(&vkmm_device_record, &device));
    return VKMM_OK;
}

/* One peak after another; a type that the device lacks, or a shape that finds no time, has none. */
static vkmm_status measure_types(worker *w, const json_t *types, vkmm_bench_peaks *peaks)
{
    for (size_t i = 0; i < json_array_size(types); i++) {
        vkmm_peaks found;
        vkmm_type type;
        vkmm_status status;
        const char *name = json_string_value(json_array_get(types, i));
        if (name == NULL || !vkmm_type_parse(name, &type)) continue;
        status = vkmm_device_peaks(w->place.session->device, type, &found);
        if (status == VKMM_DEVICE_LOST) return status;
        if (status != VKMM_OK) continue;
        peaks->multiply_adds_per_s[type] = found.multiply_adds_per_s;
        if (!(peaks->copy_bytes_per_s > found.copy_bytes_per_s)) peaks->copy_bytes_per_s = found.copy_bytes_per_s;
    }
    return VKMM_OK;
}

static vkmm_status measure_shapes(worker *w, double time_ms, vkmm_bench_peaks *peaks)
{
    cli_session *session = w->place.session;
    vkmm_matrix_shape shapes[VKMM_BENCH_MATRICES];
    uint32_t count = VKMM_BENCH_MATRICES;
    const double start = vkmm_now_ms();

    if (vkmm_device_matrix_shapes(session->instance, session->info->index, shapes, &count, NULL) != VKMM_OK)
        return VKMM_OK;
    for (uint32_t i = 0; i < count && vkmm_now_ms() - start < time_ms; i++) {
        vkmm_bench_matrix *matrix = &peaks->matrix[peaks->matrix_count];
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
    vkmm_bench_peaks peaks;
    vkmm_status status;

    vkmm_bench_peaks_init(&peaks);
    status = measure_types(w, json_object_get(request, "types"), &peaks);
    if (status == VKMM_OK) status = measure_shapes(w, cli_bench_number(request, "matrix_ms", 0), &peaks);
    w->place.busy_until = vkmm_now_ms();
    if (status == VKMM_OK) cli_bench_put(answer, "peaks", vkmm_record_json(&vkmm_peaks_record, &peaks));
    return status;
}

static json_int_t id_of(const json_t *request)
{
    return json_integer_value(json_object_get(request, "id"));
}

static cli_bench_job *find(worker *w, const json_t *request)
{
    for (int i = 0; i < CLI_BENCH_JOBS; i++)
        if (w->jobs[i].used && w->jobs[i].id == id_of(request)) return &w->jobs[i];
    return NULL;
}

static vkmm_status begin(worker *w, const json_t *request, json_t *answer)
{
    cli_bench_job *job = NULL;
    char sentence[VKMM_BENCH_TEXT];
    vkmm_bench_row row;
    vkmm_status status;

    for (int i = 0; i < CLI_BENCH_JOBS && job == NULL; i++)
        if (!w->jobs[i].used) job = &w->jobs[i];
    if (job == NULL)
        return vkmm_fail(log_of(w), VKMM_INVALID, "this process measures %d products at once, and no more",
                         CLI_BENCH_JOBS);
    memset(job, 0, sizeof *job);
    if (!vkmm_record_parse(json_object_get(request, "problem"), &vkmm_problem_record, &job->request.job.problem,
                           sentence))
        return vkmm_fail(log_of(w), VKMM_INVALID, "no problem: %s", sentence);
    job->used = 1;
    job->id = id_of(request);
    snprintf(job->kernel, sizeof job->kernel, "%s", cli_bench_text(request, "kernel", "auto"));
    job->inputs.seed = strtoull(cli_bench_text(request, "seed", "1"), NULL, 10);
    job->rotating_bytes = (uint64_t)cli_bench_number(request, "rotating_bytes", 0);
    vkmm_bench_row_init(&row);
    status = cli_bench_job_begin(&w->place, job, &row);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        cli_bench_put(answer, "row", vkmm_record_json(&vkmm_row_record, &row));
        cli_bench_put(answer, "product_ms", json_real(job->one_ms));
        cli_bench_put(answer, "host_ms", json_real(job->host_ms));
    }
    vkmm_bench_row_free(&row);
    return status;
}

static vkmm_status sample(worker *w, const json_t *request, json_t *answer)
{
    cli_bench_job *job = find(w, request);
    vkmm_bench_row round;
    vkmm_status status;

    if (job == NULL) return vkmm_fail(log_of(w), VKMM_INVALID, "there is no job of this id");
    vkmm_bench_row_init(&round);
    status = cli_bench_job_round(&w->place, job, cli_bench_number(request, "ms", 0),
                                 json_is_true(json_object_get(request, "full")), &round);
    if (status == VKMM_OK) cli_bench_put_round(answer, &round);
    vkmm_bench_row_free(&round);
    return status;
}

static vkmm_status end(worker *w, const json_t *request)
{
    cli_bench_job *job = find(w, request);
    vkmm_status status = VKMM_OK;

    if (job == NULL) return vkmm_fail(log_of(w), VKMM_INVALID, "there is no job of this id");
    if (job->product.verdict.passed) status = cli_bench_job_check(&w->place, job);
    cli_bench_job_end(job);
    return status;
}

static vkmm_status obey(worker *w, const json_t *request, json_t *answer)
{
    const char *ask = cli_bench_text(request, "ask", "");

    if (strcmp(ask, "hello") == 0) return hello(w, answer);
    if (strcmp(ask, "peaks") == 0) return w->place.blas != NULL ? VKMM_OK : measure_peaks(w, request, answer);
    if (strcmp(ask, "begin") == 0) return begin(w, request, answer);
    if (strcmp(ask, "round") == 0) return sample(w, request, answer);
    if (strcmp(ask, "end") == 0) return end(w, request);
    return vkmm_fail(log_of(w), VKMM_INVALID, "bench-worker takes its orders from 'vkmatmul bench'");
}

static void answer_line(worker *w, const char *line, vkmm_status ready)
{
    json_t *request = json_loads(line, 0, NULL), *answer = json_object();
    vkmm_status status = ready != VKMM_OK ? ready : obey(w, request, answer);
    char *text;

    cli_bench_put(answer, "status", json_integer(status));
    if (status != VKMM_OK) cli_bench_put(answer, "sentence", vkmm_json_text(w->place.session->console.last_error));
    text = cli_bench_line(answer);
    if (text != NULL) fputs(text, stdout);
    fflush(stdout);
    free(text);
    json_decref(request);
}

static vkmm_status get_ready(worker *w)
{
    cli_session *session = w->place.session;
    vkmm_status status;

    if (session->options->host_worker) {
        w->place.blas = vkmm_blas_open(NULL);
        if (w->place.blas == NULL)
            return vkmm_fail(&session->console.log, VKMM_UNSUPPORTED, "no BLAS library with CBLAS is installed");
        w->place.sensors = vkmm_sensors_open(NULL, "");
        return VKMM_OK;
    }
    status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (session->info->has_pci || session->info->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        w->place.sensors = vkmm_sensors_open(session->info->has_pci ? session->info->pci : NULL, "");
    return VKMM_OK;
}

vkmm_status cli_bench_worker(cli_session *session)
{
    worker *w = vkmm_alloc(1, sizeof *w);
    char *line = vkmm_alloc(MOST_REQUEST, 1);
    vkmm_status status;

    vkmm_process_follow_parent();
    session->console.muted = 1; /* the sentences go into the answers */
    if (w == NULL || line == NULL) {
        vkmm_free(w);
        vkmm_free(line);
        return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for a process that measures");
    }
    w->place.session = session;
    status = get_ready(w);
    while (fgets(line, MOST_REQUEST, stdin) != NULL) answer_line(w, line, status);
    for (int i = 0; i < CLI_BENCH_JOBS; i++) cli_bench_job_end(&w->jobs[i]);
    vkmm_sensors_close(&w->place.sensors);
    vkmm_blas_close(&w->place.blas);
    vkmm_free(w);
    vkmm_free(line);
    return VKMM_OK;
}
