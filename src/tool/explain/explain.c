#include "explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/disk.h"
#include "base/limits.h"
#include "base/log.h"
#include "look/kernel.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "options/step_table.h"
#include "options/values.h"
#include "product/product.h"
#include "session/commands.h"
#include "session/forecast.h"

#define NEAR 1.2 /* times up to this multiple of the prediction agree with it */

/* The index-th kernel to explain: --kernel, or one of the tutorials'; NULL past the end. */
static const char *explained_kernel(const cli_options *options, uint32_t index)
{
    vkmm_tutorial tutorial;
    if (options->kernel != NULL) return index == 0 ? options->kernel : NULL;
    for (uint32_t i = 0; vkmm_tutorial_at(i, &tutorial); i++)
        if (!tutorial.on_host && index-- == 0) return tutorial.name;
    return NULL;
}

/* ---- the tutorials' kernels: counted, and compared with formulas ---- */

static double idle_share(const vkmm_access *access)
{
    return access->invocations > 0 ? 1 - (double)access->useful / (double)access->invocations : 0;
}

static double padding_share(const vkmm_problem *problem, const vkmm_access *access)
{
    const double useful = vkmm_problem_flops(problem) / 2;
    return access->multiply_adds > 0 ? 1 - useful / (double)access->multiply_adds : 0;
}

static cli_twice twice(uint64_t formula, uint64_t counted)
{
    return (cli_twice){formula, counted, counted};
}

static cli_reads_twice reads(const vkmm_reads *formula, const vkmm_reads *counted)
{
    return (cli_reads_twice){{formula->global_min, counted->global_min, counted->global_max},
                             {formula->shared_min, counted->shared_min, counted->shared_max}};
}

static void compare(const vkmm_problem *problem, const vkmm_access *f, const vkmm_access *c, cli_explained *kernel)
{
    kernel->a = reads(&f->a, &c->a);
    kernel->b = reads(&f->b, &c->b);
    kernel->invocations = twice(f->invocations, c->invocations);
    kernel->idle = twice(f->invocations - f->useful, c->invocations - c->useful);
    kernel->idle_share = (cli_share){idle_share(f), idle_share(c)};
    kernel->multiply_adds = twice(f->multiply_adds, c->multiply_adds);
    kernel->padding_share = (cli_share){padding_share(problem, f), padding_share(problem, c)};
    kernel->bytes_read = twice(f->bytes_read, c->bytes_read);
    kernel->bytes_written = twice(f->bytes_written, c->bytes_written);
    kernel->stride = c->stride;
    kernel->counted_k = c->k;
    kernel->agree = vkmm_access_equal(f, c);
}

static vkmm_status statistics(cli_session *session, const vkmm_job_params *params, cli_explained *kernel)
{
    kernel->has_statistics = session->info->features.statistics;
    if (!kernel->has_statistics) return VKMM_OK;
    kernel->statistic_count = CLI_MAX_STATISTICS;
    return vkmm_kernel_statistics(session->device, params, 0, kernel->statistic, &kernel->statistic_count, NULL);
}

static const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 1};

static vkmm_status time_kernel(cli_session *session, const vkmm_job_params *params, cli_explained *kernel)
{
    const cli_request request = {
        .job = *params,
        .inputs = &inputs,
        .kind = &cli_resident,
        .measure = {.warm_time_ms = 20, .min_time_ms = 20, .max_time_ms = 200, .skip_transfers = 1}};
    cli_product product = {0};
    const vkmm_status status = cli_product_run(session, &request, &product);
    kernel->measured_ms = product.row.figures.median_ms;
    if (status != VKMM_OK || product.kernel == NULL) kernel->measured_ms = NAN;
    cli_product_end(&product);
    return status;
}

static vkmm_status count(cli_session *session, const vkmm_job_params *params, cli_explained *kernel)
{
    vkmm_access formula, counted;
    vkmm_prediction prediction;
    vkmm_status status = vkmm_kernel_choose(session->log, session->info, params, &kernel->info);
    if (status != VKMM_OK) return status;
    cli_progress(&session->console, "counting what %s reads", kernel->info.name);
    status = vkmm_tell(session->log, vkmm_access_formula(&kernel->info, &params->problem, &formula));
    if (status == VKMM_OK) status = vkmm_access_count(session->device, params, &counted);
    if (status != VKMM_OK) return status;
    compare(&params->problem, &formula, &counted, kernel);
    kernel->limits = cli_forecast_of(kernel->info.name, NULL, NULL);
    if (session->options->kernel != NULL && params->problem.type == VKMM_F32) {
        status = cli_predict(session, params, &prediction);
        if (status != VKMM_OK) return status;
        kernel->limits = cli_forecast_of(kernel->info.name, NULL, &prediction);
    }
    status = statistics(session, params, kernel);
    return status == VKMM_OK ? time_kernel(session, params, kernel) : status;
}

static vkmm_job_params params_of(const cli_session *session, const cli_explanation *all, const char *name)
{
    return (vkmm_job_params){
        .problem = all->problem,
        .kernel = strcmp(name, "auto") == 0 ? "tiled" : name, /* the planner's choice of the tutorials' kernels */
        .tile_rows = session->options->tile[0],
        .tile_cols = session->options->tile[1]};
}

/* A kernel named by --kernel must be legal; of all kernels, illegal ones are left out, with the reason. A kernel whose
 * product is wrong has no counts either, and is a failure. */
static vkmm_status explain_kernel(cli_session *session, cli_explanation *all, const char *name)
{
    const cli_options *options = session->options;
    cli_explained *kernel = &all->kernels[all->count];
    cli_left_out *left_out = &all->left_out[all->left_out_count];
    vkmm_status status;
    const vkmm_job_params params = params_of(session, all, name);
    session->console.muted = options->kernel == NULL && !options->validate;
    status = count(session, &params, kernel);
    session->console.muted = 0;
    if (status == VKMM_OK) {
        all->count++;
        if (kernel->agree) return VKMM_OK;
        /* In capitals, because either this program's model of a kernel is wrong, or the device is. */
        all->agree = 0;
        return VKMM_FAIL(session->log, VKMM_WRONG_RESULT, "%s: formula and count DIFFER", kernel->info.name);
    }
    if (options->kernel != NULL) return status;
    if (status != VKMM_UNSUPPORTED) vkmm_say(session->log, VKMM_LOG_ERROR, "%s", session->console.last_error);
    if (status != VKMM_UNSUPPORTED && status != VKMM_WRONG_RESULT) return status;
    left_out->name = name;
    VKMM_CLEAN(left_out->reason, session->console.last_error);
    all->left_out_count++;
    return status == VKMM_UNSUPPORTED ? VKMM_OK : status;
}

static vkmm_status all_kernels(cli_session *session, cli_explanation *all)
{
    vkmm_status status = VKMM_OK;
    const char *name;
    for (uint32_t i = 0; i < CLI_MAX_EXPLAINED && (name = explained_kernel(session->options, i)) != NULL; i++) {
        const vkmm_status next = explain_kernel(session, all, name);
        if (next != VKMM_OK && next != VKMM_WRONG_RESULT) return next;
        status = cli_worse(status, next);
    }
    if (all->count == 0)
        return VKMM_FAIL(session->log, VKMM_UNSUPPORTED, "no kernel can run: %s", all->left_out[0].reason);
    return status;
}

/* What limits a kernel, compared with the device's peaks. */
static void weigh(const cli_explanation *all, cli_explained *kernel)
{
    const double bytes = (double)kernel->bytes_read.counted + (double)kernel->bytes_written.counted;
    kernel->memory_ms = bytes / all->peaks.copy_bytes_per_s * 1e3;
    kernel->arithmetic_ms = (double)kernel->multiply_adds.counted / all->peaks.multiply_adds_per_s * 1e3;
    kernel->predicted_ms = fmax(kernel->memory_ms, kernel->arithmetic_ms);
    if (!(bytes > 0)) return;
    kernel->flop_per_byte = vkmm_problem_flops(&all->problem) / bytes;
    VKMM_PUT(kernel->bound, "%s", kernel->memory_ms >= kernel->arithmetic_ms ? "memory" : "arithmetic");
}

/* If a product is faster than the measured peak, the peak was measured too low. */
static void raise_peak(cli_explanation *all, const cli_explained *kernel)
{
    const double speed = (double)kernel->multiply_adds.counted / kernel->measured_ms * 1e3;
    if (!(speed > all->peaks.multiply_adds_per_s)) return;
    all->peaks.multiply_adds_per_s = speed;
    all->peaks.multiply_adds_spread = 0;
    VKMM_PUT(all->seen, "%s", kernel->info.name);
}

/* ---- measured times, and why they differ from the predictions ---- */

/* Elements read per multiply-add, from global and shared memory. */
static double elements_read(const cli_explanation *all, const cli_explained *kernel)
{
    const vkmm_problem *p = &all->problem;
    const double shared = (double)kernel->a.shared.counted * (double)p->m * (double)p->k +
                          (double)kernel->b.shared.counted * (double)p->k * (double)p->n;
    return ((double)kernel->bytes_read.counted / vkmm_type_of(p->type)->bytes + shared) /
           (double)kernel->multiply_adds.counted;
}

/* Compares two kernels, which may be the same: the fastest predicted one and the fastest measured one. */
static void explain_times(cli_explanation *all, const cli_explained *foreseen, const cli_explained *fastest)
{
    char *why = all->why;
    const size_t room = sizeof all->why;
    const double over = foreseen->measured_ms / foreseen->predicted_ms;
    if (over > NEAR)
        vkmm_join(why, room, "; ",
                  "%s takes %.*f times as long as its bytes and its multiply-adds need: it is bound by neither",
                  foreseen->info.name, over < 10, over);
    if (foreseen != fastest)
        vkmm_join(why, room, "; ",
                  "%s is %.3g times as fast: from both memories together, %s reads %.3g elements per multiply-add, and "
                  "%s %.3g",
                  fastest->info.name, foreseen->measured_ms / fastest->measured_ms, foreseen->info.name,
                  elements_read(all, foreseen), fastest->info.name, elements_read(all, fastest));
    if (foreseen != fastest && vkmm_is_processor(all->device))
        vkmm_join(why, room, "; ", "this device is a processor, whose shared memory is ordinary memory");
    if (fastest->measured_ms * NEAR < fastest->memory_ms)
        vkmm_join(why, room, "; ", "%s takes less than its bytes at copy speed: caches serve at least %.0f %% of them",
                  fastest->info.name, 100 * (1 - fastest->measured_ms / fastest->memory_ms));
    if (why[0] == '\0') vkmm_join(why, room, "", "as predicted, within %.0f %%", 100 * (NEAR - 1));
}

static void explain_all_times(cli_explanation *all)
{
    const cli_explained *foreseen = NULL, *fastest = NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        const cli_explained *kernel = &all->kernels[i];
        if (!(kernel->measured_ms > 0)) continue;
        if (foreseen == NULL || kernel->predicted_ms < foreseen->predicted_ms) foreseen = kernel;
        if (fastest == NULL || kernel->measured_ms < fastest->measured_ms) fastest = kernel;
    }
    if (foreseen == NULL) return;
    if (all->agree)
        explain_times(all, foreseen, fastest);
    else
        VKMM_JOIN(all->why, "", "formula and count differ, so the prediction is not valid");
}

static vkmm_status measure(cli_session *session, cli_explanation *all)
{
    const vkmm_status status = cli_peaks(session, all->problem.type);
    if (status != VKMM_OK) return status;
    all->peaks = session->peaks[all->problem.type];
    for (uint32_t i = 0; i < all->count; i++) raise_peak(all, &all->kernels[i]);
    all->balance = 2 * all->peaks.multiply_adds_per_s / all->peaks.copy_bytes_per_s;
    for (uint32_t i = 0; i < all->count; i++) weigh(all, &all->kernels[i]);
    explain_all_times(all);
    return VKMM_OK;
}

/* ---- general kernels ---- */

/* Their reads have no formula and are not counted: only their plan is shown. */
static vkmm_status plan(cli_session *session, cli_explanation *all)
{
    vkmm_job_params params = {.problem = all->problem, .kernel = session->options->kernel, .untuned = 1};
    cli_explained *kernel = all->kernels;
    const vkmm_kernel_info *info = &kernel->info;
    vkmm_prediction prediction;
    cli_step step;
    const int is_step = cli_step_of_option(params.kernel, &step) && (step.type == 0 || params.problem.type == VKMM_F32);
    if (is_step) cli_step_apply(&step, session->info, &params);
    all->problem = params.problem;
    vkmm_status status = vkmm_kernel_choose(session->log, session->info, &params, &kernel->info);
    if (status == VKMM_OK && is_step) status = cli_predict(session, &params, &prediction);
    if (status == VKMM_OK && is_step) kernel->limits = cli_forecast_of(step.name, NULL, &prediction);

    if (status == VKMM_OK) status = statistics(session, &params, kernel);
    if (status == VKMM_OK) all->problem.method = info->method;
    params.problem = all->problem;
    if (status == VKMM_OK && all->problem.method != VKMM_COMPUTE_DIRECT)
        status = cli_explain_passes(session, &params, kernel);
    if (status != VKMM_OK) return status;
    const double rows = info->tile[0], cols = info->tile[1],
                 invocations = (double)info->workgroup[0] * info->workgroup[1];
    const vkmm_types types = vkmm_problem_inner(&all->problem, info, &kernel->products);
    const uint32_t in = vkmm_type_of(types.in)->bytes, sum = vkmm_type_of(types.compute)->bytes;
    if (rows * cols > 0 && invocations > 0) {
        kernel->sum_registers = rows * cols / invocations * sum / 4;
        kernel->bytes_per_multiply_add = in * (rows + cols) / (rows * cols);
        kernel->flop_per_byte = 2 / kernel->bytes_per_multiply_add;
        if (info->subgroup_size > 0) kernel->subgroups = (uint32_t)(invocations / info->subgroup_size);
    }
    return VKMM_OK;
}

/* The tutorials' kernels are for the plain product of types of 32 and 64 bits, not transposed, multiplied directly. */
static int is_for_general(const vkmm_device_info *device, const cli_options *options, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    cli_step step;
    if (options->kernel != NULL && strcmp(options->kernel, "auto") != 0)
        return vkmm_kernel_is_general(options->kernel) || cli_step_of_option(options->kernel, &step);
    if (problem->op_a != VKMM_OP_N || problem->op_b != VKMM_OP_N) return 1;
    return types.in != types.out || types.in != types.compute || vkmm_type_of(types.in)->bytes < 4 ||
           vkmm_method_where(device->features.f64, problem) != VKMM_COMPUTE_DIRECT;
}

static vkmm_status explain_size(cli_session *session, const vkmm_problem *problem)
{
    cli_explanation *all = vkmm_alloc(1, sizeof *all);
    vkmm_status status, shown = VKMM_OK;
    if (all == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for an explanation"));
    all->device = session->info;
    all->problem = *problem;
    all->agree = 1;
    all->planned = is_for_general(session->info, session->options, problem);
    status = (all->planned ? plan : all_kernels)(session, all);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        if (!all->planned) shown = measure(session, all);
        if (shown == VKMM_OK && session->writer->document != NULL)
            shown = cli_session_document(session, cli_explain_json(&session->report, all));
        else if (shown == VKMM_OK)
            shown = cli_session_wrote(session, cli_explain_table(&session->report, all));
    }
    vkmm_free(all);
    return cli_worse(cli_worse(status, shown), cli_session_validated(session));
}

static vkmm_status explain_type(cli_session *session, vkmm_type type)
{
    const cli_options *options = session->options;
    vkmm_status status = VKMM_OK;
    for (size_t i = 0; i < cli_size_count(options) && status != VKMM_DEVICE_LOST; i++) {
        const cli_size size = cli_size_at(options, i, session->square);
        const vkmm_problem problem = cli_problem_make(options, &size, type);
        status = cli_worse(status, explain_size(session, &problem));
    }
    return status;
}

vkmm_status cli_command_explain(cli_session *session)
{
    const cli_types *types = &session->options->types;
    const char *kernel = session->options->kernel;
    vkmm_status status = VKMM_OK;
    if (kernel != NULL && strcmp(kernel, "serial") == 0)
        status = VKMM_FAIL(session->log, VKMM_INVALID,
                           "the kernel serial runs on the host: explain needs a kernel that runs on a device");
    if (status == VKMM_OK) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    cli_session_square(session, CLI_SQUARE);
    cli_session_note_square(session);
    if (types->count == 0) return explain_type(session, VKMM_F32);
    for (uint32_t i = 0; i < types->count && status != VKMM_DEVICE_LOST; i++)
        status = cli_worse(status, explain_type(session, types->type[i]));
    return status;
}
