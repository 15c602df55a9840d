/* How long a product will take, from one of the same kernel that is small enough not to wait for. */
#include "product/product.h"

#include "math/problem.h"

#include <math.h>

#define LONG_MS 30000.0 /* an estimate is shown from here on */

enum { RUNS = 5 };

/* Extents of the measured product, and operations below which no product takes long. */
static const struct {
    uint64_t extent;
    double flops;
} cpu = {128, 2.5e8}, gpu = {1024, 1e11};

/* Milliseconds of all runs of a product, for those of one. */
static double all_runs(const vkmm_measure_params *p, double one_ms)
{
    const double most = cli_most_samples_ms(p);

    if (p->last_run) return one_ms;
    if (p->iters > 0) return one_ms * (1.0 + p->cold_iters + p->iters);
    return one_ms < 2 * most ? one_ms + fmin(3 * one_ms, 2 * most) : one_ms;
}

/* The shortest of some runs: in the first one, many drivers compile the shader, and a busy machine makes any slow. */
static double measure(cli_session *session, const cli_request *request)
{
    cli_product product = {0};
    double ms, least = INFINITY;
    vkmm_status status = cli_product_compute(session, request, &cli_resident, &product);

    for (int run = 0; run < RUNS && status == VKMM_OK; run++) {
        status = product.kind->multiply(&product, &ms);
        least = fmin(least, ms);
    }
    cli_product_end(&product);
    return status == VKMM_OK ? least : 0;
}

static double estimate(cli_session *session, const cli_request *request)
{
    const int is_serial = cli_request_is_serial(request);
    const double flops = vkmm_problem_flops(&request->job.problem), all = flops * (1.0 + request->measure.iters);
    cli_request small = *request;
    vkmm_problem *problem = &small.job.problem;

    if (request->inputs->from_files || all < cpu.flops) return 0;
    if (!is_serial && cli_session_device(session) != VKMM_OK) return 0;
    const int is_gpu = !is_serial && session->info->type != VK_PHYSICAL_DEVICE_TYPE_CPU;
    const uint64_t extent = (is_gpu ? gpu : cpu).extent;
    if (is_gpu && all < gpu.flops) return 0;
    if (problem->m > extent) problem->m = extent;
    if (problem->n > extent) problem->n = extent;
    if (problem->k > extent) problem->k = extent;
    problem->batch_count = 1;
    return all_runs(&request->measure, measure(session, &small) * flops / vkmm_problem_flops(problem));
}

double cli_estimate_ms(cli_session *session, const cli_request *request)
{
    const int muted = session->console.muted;
    double ms;

    session->console.muted = 1;
    ms = estimate(session, request);
    session->console.muted = muted;
    return ms;
}

void cli_estimate_show(cli_session *session, const char *what, const vkmm_problem *problem, double ms)
{
    static const struct {
        double ms;
        const char *name;
    } units[] = {{864e5, "day"}, {36e5, "hour"}, {6e4, "minute"}, {1e3, "second"}};
    size_t i = 0;

    if (!(ms > LONG_MS)) return;
    while (i + 1 < VKMM_COUNT(units) && ms < 1.5 * units[i].ms) i++;
    cli_note(&session->console, "%s %s will take about %.0f %ss", what, CLI_NAME(problem, session->console.utf8),
             ms / units[i].ms, units[i].name);
}
