#include "session/forecast.h"
#include "base/limits.h"

#include <math.h>

#include "look/kernel.h"
#include "look/steps.h"
#include "math/problem.h"
#include "math/type.h"

/* Bytes and multiply-adds per second of an ordinary processor: only their ratios matter. */
#define USUAL_COPY  1e10
#define USUAL_CACHE 2e10
#define USUAL_ADDS  2e10

enum { MOST_STEPS = 16 };

vkmm_status cli_peaks(cli_session *session, vkmm_type type)
{
    vkmm_peaks *peaks = &session->peaks[type];
    vkmm_status status;
    if (peaks->copy_bytes > 0) return VKMM_OK;
    cli_progress(&session->console, "measuring the device's peaks");
    status = vkmm_device_peaks(session->device, type, peaks);
    cli_progress_end(&session->console);
    return status;
}

vkmm_status cli_matrix_peak(cli_session *session, vkmm_types types, const uint32_t shape[3], double *peak)
{
    const uint32_t in = vkmm_component_of(types.in), out = vkmm_component_of(types.compute);
    vkmm_status status = VKMM_OK;
    *peak = 0;
    for (uint32_t i = 0; i < session->info->matrices.shape_count && status == VKMM_OK; i++) {
        const vkmm_matrix_shape *s = &session->info->matrices.shapes[i];
        double found = 0;
        if (s->a != in || s->b != in || s->c != out || s->result != out || s->saturating ||
            (shape[0] > 0 && (s->m != shape[0] || s->n != shape[1] || s->k != shape[2])))
            continue;
        status = vkmm_device_matrix_peak(session->device, s, &found);
        *peak = fmax(*peak, found);
    }
    return status;
}

/* What else limits a product: the cache, and the launch of a dispatch. */
static vkmm_status measure_roofs(cli_session *session, vkmm_type type)
{
    const int muted = session->console.muted;
    vkmm_rate rate;
    const vkmm_status status = cli_peaks(session, type);
    if (status != VKMM_OK || session->cache_bytes_per_s > 0) return status;
    session->console.muted = 1;
    /* A device without a cache that copies show has only its memory. */
    session->cache_bytes_per_s = vkmm_device_rate(session->device, VKMM_RATE_CACHE, &rate) == VKMM_OK
                                     ? rate.median
                                     : session->peaks[type].copy_bytes_per_s;
    if (vkmm_device_rate(session->device, VKMM_RATE_LAUNCH, &rate) == VKMM_OK) session->launch_ms = rate.median;
    session->console.muted = muted;
    return VKMM_OK;
}

/* The peak of the matrix operation that a plan uses, measured once; the sums of split products are f32. */
static double matrix_peak(cli_session *session, const vkmm_kernel_info *info, const vkmm_problem *problem)
{
    const int is_split = problem->method == VKMM_COMPUTE_SPLIT;
    const vkmm_types types = {.in = VKMM_F16, .compute = is_split ? VKMM_F32 : vkmm_problem_types(problem).compute};
    double *peak = &session->matrix_adds_per_s[is_split];
    return *peak == 0 && cli_matrix_peak(session, types, info->matrix, peak) != VKMM_OK ? 0 : *peak;
}

vkmm_status cli_predict(cli_session *session, const vkmm_job_params *params, vkmm_prediction *prediction)
{
    const vkmm_type type = params->problem.type;
    /* Times on a processor would be far too low: its driver does in software what they assume of a GPU's hardware. Only
     * the page has them there, because its roofline needs the peaks. */
    const int is_timed = session->options->html != NULL || !vkmm_is_processor(session->info);
    vkmm_kernel_info info;
    vkmm_traffic traffic;
    vkmm_step_info steps[MOST_STEPS];
    uint32_t count = MOST_STEPS;
    vkmm_status status = vkmm_kernel_choose(session->log, session->info, params, &info);
    if (status == VKMM_OK && vkmm_kernel_is_general(info.name))
        vkmm_traffic_plan(&info, &params->problem, &traffic);
    else if (status == VKMM_OK)
        status = vkmm_traffic_count(session->device, params, &info, &traffic);
    if (status == VKMM_OK) status = vkmm_kernel_steps(session->log, session->info, params, steps, &count);
    if (status == VKMM_OK && is_timed) status = measure_roofs(session, type);
    if (status != VKMM_OK) return status;
    const vkmm_peaks *peaks = &session->peaks[type];
    vkmm_roofs roofs = is_timed ? vkmm_roofs_of(session->info, peaks->copy_bytes_per_s, session->cache_bytes_per_s,
                                                peaks->multiply_adds_per_s, session->launch_ms)
                                : vkmm_roofs_of(session->info, USUAL_COPY, USUAL_CACHE, USUAL_ADDS, 0);
    if (info.matrix[0] > 0)
        roofs.matrix_adds_per_s = is_timed ? matrix_peak(session, &info, &params->problem) : USUAL_ADDS;
    traffic.dispatches = count;
    vkmm_predict(&traffic, &roofs, prediction);
    if (!is_timed) prediction->predicted_ms = NAN;
    return status;
}

cli_forecast cli_forecast_of(const char *name, const char *sentence, const vkmm_prediction *p)
{
    cli_forecast forecast = {.name = name, .sentence = sentence, .predicted_ms = NAN};
    if (p == NULL) return forecast;
    const double *n = p->amount, *ms = p->ms;
    forecast.limiter = vkmm_resource_name[p->limiter];
    forecast.predicted_ms = p->predicted_ms;
    forecast.counts.dram_bytes = n[VKMM_RESOURCE_DRAM];
    forecast.counts.l2_bytes = n[VKMM_RESOURCE_L2];
    forecast.counts.l1_lines = n[VKMM_RESOURCE_LINES];
    forecast.counts.shared_turns = n[VKMM_RESOURCE_SHARED];
    forecast.counts.instructions = n[VKMM_RESOURCE_INSTRUCTIONS];
    forecast.counts.waits = n[VKMM_RESOURCE_LATENCY];
    forecast.counts.barriers = n[VKMM_RESOURCE_BARRIERS];
    forecast.resource_ms.dram = ms[VKMM_RESOURCE_DRAM];
    forecast.resource_ms.l2 = ms[VKMM_RESOURCE_L2];
    forecast.resource_ms.l1 = ms[VKMM_RESOURCE_LINES];
    forecast.resource_ms.shared = ms[VKMM_RESOURCE_SHARED];
    forecast.resource_ms.instructions = ms[VKMM_RESOURCE_INSTRUCTIONS];
    forecast.resource_ms.latency = ms[VKMM_RESOURCE_LATENCY];
    forecast.resource_ms.barriers = ms[VKMM_RESOURCE_BARRIERS];
    return forecast;
}
