#include "bench/jobs.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"
#include "look/access.h"
#include "math/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOON_MS     50.0   /* a device that worked so recently still has high clocks */
#define WARM_MS     20.0   /* and needs only this to fill its caches */
#define LONG_MS     200.0  /* a product that takes this long needs no warm-up, and one sample is a round */
#define CERTAIN_MS  2000.0 /* longer than any compiler takes */
#define TRANSFER_MS 60.0   /* of products with transfers */
#define ENERGY_MS   200.0  /* of work without a pause: counters of energy are slow */

enum { MOST_TRANSFERS = 10 };

static int is_gpu(const cli_bench_place *place)
{
    return place->blas == NULL && place->session->info->type != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static uint32_t samples_for(double ms, double one_ms, uint32_t most)
{
    double count = one_ms > 0 ? ms / one_ms : most;

    return count >= most ? most : count > 1 ? (uint32_t)count : 1;
}

/* From a formula for the tutorials' kernels; NaN for others. */
static double asked_bytes(const cli_bench_place *place, const cli_bench_job *job)
{
    const vkmm_kernel_info *kernel = job->product.kernel;
    const vkmm_log silent = {NULL, NULL};
    vkmm_access access;

    if (place->blas != NULL || job->product.reason[0] != '\0') return NAN;
    if (vkmm_tell(&silent, vkmm_access_formula(kernel, &job->request.job.problem, &access)) != VKMM_OK) return NAN;
    return (double)access.bytes_read + (double)access.bytes_written;
}

/* Adds what only a report has to the product's row. */
static void describe(const cli_bench_place *place, cli_bench_job *job)
{
    cli_bench_row *row = &job->product.row;
    const cli_row_panels *panels = &row->panels;
    const vkmm_partition *cut = &panels->partition;
    const uint64_t count = panels->batches * cut->row_panels * cut->col_panels * cut->depth_panels;

    row->asked_bytes = asked_bytes(place, job);
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

/* Samples of one call; its clocks depend on what the device did before. */
static vkmm_status measure(const cli_bench_place *place, cli_bench_job *job, vkmm_measure_params params,
                           cli_bench_row *round)
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
    return kept ? VKMM_OK : vkmm_tell(place->session->log, VKMM_NO_MEMORY("for the samples of a round"));
}

/* Works for warm_ms, or so many more products, and keeps only the time of a product. */
static vkmm_status work(const cli_bench_place *place, cli_bench_job *job, double warm_ms, uint32_t products)
{
    cli_bench_row unused;
    vkmm_status status;

    cli_bench_row_init(&unused);
    status = measure(place, job, (vkmm_measure_params){.iters = products, .warm_time_ms = warm_ms, .skip_transfers = 1},
                     &unused);
    cli_bench_row_free(&unused);
    return status;
}

/* Short products are warmed up for as long as the device needs. */
static vkmm_status warm_up(const cli_bench_place *place, cli_bench_job *job)
{
    const double idle = vkmm_now_ms() - place->busy_until;

    return work(place, job, idle > SOON_MS && is_gpu(place) ? CLI_WARM_GPU_MS : WARM_MS, 1);
}

/* Energy of a product: power while one follows another, times its time; without pauses, because between samples a
 * device waits for the host, and uses less power than while it works. Tried once, and not again if the counters report
 * nothing. */
static vkmm_status weigh(cli_bench_place *place, cli_bench_job *job, cli_bench_power *power)
{
    const int is_long = job->one_ms >= LONG_MS;
    cli_sensed sensed;
    vkmm_status status;

    if (place->sensors == NULL || place->no_energy) return VKMM_OK;
    cli_sensors_start(place->sensors);
    status =
        work(place, job, is_long ? 0 : ENERGY_MS, is_long ? samples_for(ENERGY_MS, job->one_ms, CLI_BENCH_SAMPLES) : 1);
    cli_sensors_stop(place->sensors, &sensed);
    place->no_energy = !isfinite(sensed.watts);
    power->watts = sensed.watts;
    if (status == VKMM_OK && isfinite(sensed.watts)) power->joules = sensed.watts * job->one_ms / 1000;
    return status;
}

static vkmm_status sample(cli_bench_place *place, cli_bench_job *job, double ms, cli_bench_row *round)
{
    cli_sensed sensed;
    vkmm_status status;

    cli_sensors_start(place->sensors);
    status = measure(
        place, job,
        (vkmm_measure_params){.iters = samples_for(ms, job->one_ms, CLI_BENCH_SAMPLES), .skip_transfers = 1}, round);
    cli_sensors_stop(place->sensors, &sensed);
    VKMM_PUT(round->power.source, "%.31s", cli_sensors_source(place->sensors));
    VKMM_PUT(round->power.limited, "%.127s", sensed.limited);
    round->power.mhz[0] = sensed.mhz_before;
    round->power.mhz[1] = sensed.mhz_during;
    round->power.mhz[2] = sensed.mhz_after;
    round->power.others = sensed.others;
    round->power.processors = isfinite(sensed.others) ? vkmm_host_processors() : 0;
    return status;
}

vkmm_status cli_bench_job_begin(cli_bench_place *place, cli_bench_job *job)
{
    const double start = vkmm_now_ms();
    vkmm_status status, valid;

    job->inputs.init = VKMM_INIT_UNIFORM;
    job->request.inputs = &job->inputs;
    job->request.job.kernel = job->shader != NULL ? NULL : job->kernel;
    job->request.job.shader = job->shader;
    job->request.shader_file = job->shader_file;
    job->request.job.untuned = place->session->options->untuned;
    job->request.blas = place->blas;
    job->request.kind = place->blas != NULL ? &cli_bench_host : NULL;
    job->request.in_panels = &cli_in_panels_again;
    job->request.memory_limit = place->session->options->memory_limit.value;
    status = vkmm_tell(place->session->log, vkmm_problem_check(&job->request.job.problem, NULL));
    if (status == VKMM_OK) status = cli_product_prove(place->session, &job->request, &job->product);
    valid = cli_session_validated(place->session);
    if (status == VKMM_OK && valid != VKMM_OK) {
        status = valid;
        job->product.verdict.passed = 0;
        VKMM_PUT(job->product.verdict.sentence, "%.300s", place->session->console.last_error);
    }
    job->one_ms = job->product.run_ms;
    job->host_ms = vkmm_now_ms() - start - job->product.run_ms;
    /* The first product may have waited for a compiler. */
    if (status == VKMM_OK && job->one_ms < CERTAIN_MS && cli_product_is_work(&job->request.job.problem))
        status = work(place, job, 0, 1);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT)
        describe(place, job);
    else
        cli_bench_job_end(job);
    return status;
}

vkmm_status cli_bench_job_round(cli_bench_place *place, cli_bench_job *job, double ms, int full, cli_bench_row *round)
{
    vkmm_status status = VKMM_OK;

    round->power = cli_bench_no_power();
    round->slope_ms = NAN;
    if (job->one_ms < LONG_MS || (is_gpu(place) && vkmm_now_ms() - place->busy_until > SOON_MS))
        status = warm_up(place, job);
    if (status == VKMM_OK && full && place->blas == NULL)
        status = measure(
            place, job,
            (vkmm_measure_params){.iters = samples_for(TRANSFER_MS, job->one_ms, MOST_TRANSFERS), .cross_check = 1},
            round);
    if (status == VKMM_OK && round->kernel_ms.count == 0) status = sample(place, job, ms, round);
    if (status == VKMM_OK && full) status = weigh(place, job, &round->power);
    place->busy_until = vkmm_now_ms();
    return status;
}

void cli_bench_job_end(cli_bench_job *job)
{
    cli_product_end(&job->product);
    vkmm_shader_destroy(&job->shader);
    vkmm_free(job->shader_file);
    memset(job, 0, sizeof *job);
}
