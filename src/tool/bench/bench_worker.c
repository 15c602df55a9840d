/* vkmatmul bench-worker, a hidden command: it measures what bench/jobs.h asks for. */
#include "base/alloc.h"
#include "base/clock.h"
#include "report/records.h"
#include "bench/jobs.h"
#include "session/commands.h"
#include "math/component.h"
#include "math/type.h"
#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct worker {
    cli_bench_place place;
    int is_ready; /* its device is open, or its BLAS */
    cli_bench_job jobs[CLI_BENCH_JOBS];
} worker;

/* One peak after another; a type that the device lacks, or a shape for which there is no time, has none. */
static vkmm_status measure_types(worker *w, const json_t *types, cli_bench_peaks *peaks)
{
    vkmm_peaks found = {0};

    for (size_t i = 0; i < json_array_size(types); i++) {
        vkmm_type type;
        vkmm_status status;
        const char *name = json_string_value(json_array_get(types, i));
        if (name == NULL || !vkmm_type_parse(name, &type)) continue;
        status = vkmm_device_peaks(w->place.session->device, type, &found);
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
    cli_session *session = w->place.session;
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
    w->place.busy_until = vkmm_now_ms();
    if (status == VKMM_OK) json_object_set_new(answer, "peaks", cli_record_json(&cli_peaks_record, &peaks));
    return status;
}

/* The job with this id; 0: a free one. NULL: none. */
static cli_bench_job *find(worker *w, json_int_t id)
{
    for (int i = 0; i < CLI_BENCH_JOBS; i++)
        if (w->jobs[i].id == id) return &w->jobs[i];
    return NULL;
}

static vkmm_status begin(worker *w, json_int_t id, const json_t *request, json_t *answer)
{
    cli_bench_job *job = find(w, 0);
    char sentence[CLI_BENCH_TEXT];
    const char *shader = cli_json_text(request, "shader", "");
    vkmm_status status;

    if (job == NULL)
        return VKMM_FAIL(w->place.session->log, VKMM_INVALID, "this process measures at most %d products at once",
                         CLI_BENCH_JOBS);
    memset(job, 0, sizeof *job);
    if (!cli_record_parse(json_object_get(request, "problem"), &cli_problem_record, &job->request.job.problem,
                          sentence))
        return VKMM_FAIL(w->place.session->log, VKMM_INVALID, "invalid problem: %s", sentence);
    job->id = id;
    if (shader[0] != '\0') {
        job->shader_file = vkmm_strdup(shader);
        status = job->shader_file == NULL ? vkmm_tell(w->place.session->log, VKMM_NO_MEMORY("for a shader"))
                                          : cli_shader_open(w->place.session->log, job->shader_file,
                                                            job->request.job.problem.type, &job->shader);
        if (status != VKMM_OK) {
            cli_bench_job_end(job);
            return status;
        }
    }
    VKMM_PUT(job->kernel, "%s", cli_json_text(request, "kernel", "auto"));
    job->inputs.seed = strtoull(cli_json_text(request, "seed", "1"), NULL, 10);
    job->rotating_bytes = (uint64_t)cli_json_number(request, "rotating_bytes", 0);
    status = cli_bench_job_begin(&w->place, job);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        json_object_set_new(answer, "row", cli_record_json(&cli_row_record, &job->product.row));
        json_object_set_new(answer, "product_ms", json_real(job->one_ms));
        json_object_set_new(answer, "host_ms", json_real(job->host_ms));
    }
    return status;
}

static vkmm_status sample(worker *w, cli_bench_job *job, const json_t *request, json_t *answer)
{
    cli_bench_row round;
    vkmm_status status;

    cli_bench_row_init(&round);
    status = cli_bench_job_round(&w->place, job, cli_json_number(request, "ms", 0),
                                 json_is_true(json_object_get(request, "full")), &round);
    if (status == VKMM_OK) json_object_set_new(answer, "round", cli_record_json(&cli_round_record, &round));
    cli_bench_row_free(&round);
    return status;
}

static vkmm_status end(worker *w, cli_bench_job *job)
{
    vkmm_status status = VKMM_OK;

    if (job->product.verdict.passed) status = cli_product_again(&job->product);
    if (job->product.verdict.passed && status == VKMM_OK) status = cli_session_validated(w->place.session);
    cli_bench_job_end(job);
    return status;
}

static vkmm_status get_ready(worker *w)
{
    cli_session *session = w->place.session;
    vkmm_status status;

    if (session->options->host_worker) {
        w->place.blas = vkmm_blas_open(NULL);
        if (w->place.blas == NULL)
            return VKMM_FAIL(session->log, VKMM_UNSUPPORTED, "no BLAS library with CBLAS is installed");
        w->place.sensors = cli_sensors_open(NULL, "");
        return VKMM_OK;
    }
    session->shares = 1;
    status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (session->info->has_pci || session->info->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        w->place.sensors = cli_sensors_open(session->info->has_pci ? session->info->pci : NULL, "");
    return VKMM_OK;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    worker *w = user;
    cli_session *session = w->place.session;
    const json_int_t id = json_integer_value(json_object_get(request, "id"));
    const int is_round = strcmp(ask, "round") == 0;
    cli_bench_job *job;
    vkmm_status status = w->is_ready ? VKMM_OK : get_ready(w);

    w->is_ready = status == VKMM_OK;
    if (!w->is_ready) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "peaks") == 0) return w->place.blas != NULL ? VKMM_OK : measure_peaks(w, request, answer);
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
    w->place.session = session;
    status = cli_worker_serve(session, obey, w);
    for (int i = 0; i < CLI_BENCH_JOBS; i++) cli_bench_job_end(&w->jobs[i]);
    cli_sensors_close(&w->place.sensors);
    vkmm_blas_close(&w->place.blas);
    vkmm_free(w);
    return status;
}
