#include "base/alloc.h"
#include "base/log.h"
#include "session/commands.h"
#include "session/problem.h"
#include "math/problem.h"
#include "explain/explain.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KERNELS = 16 };

/* What one problem needs beside the explanation: the storage of its kernels. */
typedef struct work {
    cli_session *session;
    vkmm_explanation explanation;
    vkmm_explained kernels[MAX_KERNELS];
} work;

static const vkmm_log *log_of(cli_session *session)
{
    return &session->console.log;
}

/* --kernel, or the index-th of the tutorials' kernels that have a shader; NULL past the end. */
static const char *kernel_at(const cli_options *options, uint32_t index)
{
    if (options->kernel != NULL) return index == 0 ? options->kernel : NULL;
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL; i++) {
        if (strcmp(vkmm_kernel_name(i), "serial") == 0 || vkmm_kernel_is_general(vkmm_kernel_name(i))) continue;
        if (index-- == 0) return vkmm_kernel_name(i);
    }
    return NULL;
}

static void progress(cli_session *session, const vkmm_problem *problem, const char *kernel, const char *what)
{
    char size[80];

    vkmm_text_size(size, sizeof size, problem, session->console.utf8);
    cli_progress(&session->console, "%s %s %s: %s", size, vkmm_text_type(problem, session->console.utf8), kernel, what);
}

/* Loud, because then either this program's picture of a kernel is wrong, or the device is. */
static vkmm_status differ(cli_session *session, const vkmm_explained *kernel)
{
    const vkmm_access *f = &kernel->formula, *c = &kernel->counted;

    return vkmm_fail(
        log_of(session), VKMM_WRONG_RESULT,
        "%s: formula and count DIFFER: A is read %llu times by formula and %llu to %llu times as counted from global "
        "memory, "
        "%llu and %llu to %llu from shared; B %llu and %llu to %llu, %llu and %llu to %llu; invocations %llu and %llu",
        kernel->info.name, (unsigned long long)f->a.global_min, (unsigned long long)c->a.global_min,
        (unsigned long long)c->a.global_max, (unsigned long long)f->a.shared_min, (unsigned long long)c->a.shared_min,
        (unsigned long long)c->a.shared_max, (unsigned long long)f->b.global_min, (unsigned long long)c->b.global_min,
        (unsigned long long)c->b.global_max, (unsigned long long)f->b.shared_min, (unsigned long long)c->b.shared_min,
        (unsigned long long)c->b.shared_max, (unsigned long long)f->invocations, (unsigned long long)c->invocations);
}

static vkmm_status count(cli_session *session, const vkmm_job_params *params, vkmm_explained *kernel)
{
    vkmm_status status;

    progress(session, &params->problem, kernel->info.name, "counting");
    status = vkmm_access_formula(log_of(session), &kernel->info, &params->problem, &kernel->formula);
    if (status == VKMM_OK) status = vkmm_access_count(session->device, params, &kernel->counted);
    if (status != VKMM_OK) return status;
    if (!session->info->has_statistics) return VKMM_OK;
    kernel->statistic_count = VKMM_MAX_STATISTICS;
    return vkmm_kernel_statistics(session->device, params, kernel->statistic, &kernel->statistic_count);
}

/* A kernel that was asked for must be legal; of all kernels, those are left out that are not, with the reason. One
 * whose product is wrong has no counts either, and is a failure. */
static vkmm_status explain_kernel(work *w, const char *name)
{
    cli_session *session = w->session;
    const cli_options *options = session->options;
    uint32_t tile[2] = {options->tile[0], options->tile[1]};
    vkmm_explained *kernel = &w->kernels[w->explanation.count];
    vkmm_status status;

    /* A tile is what makes auto choose among the tutorials' kernels. */
    if (strcmp(name, "auto") == 0 && tile[0] == 0)
        vkmm_kernel_default_tile(session->info, "tiled", w->explanation.problem.type, tile);
    const vkmm_job_params params = {
        .problem = w->explanation.problem, .kernel = name, .tile_rows = tile[0], .tile_cols = tile[1]};
    session->console.muted = options->kernel == NULL && !options->validate;
    status = vkmm_kernel_choose(log_of(session), session->info, &params, &kernel->info);
    if (status == VKMM_OK) status = count(session, &params, kernel);
    session->console.muted = 0;
    if (status == VKMM_OK) {
        kernel->agree = vkmm_access_equal(&kernel->formula, &kernel->counted);
        w->explanation.count++;
        return kernel->agree ? VKMM_OK : differ(session, kernel);
    }
    if (options->kernel != NULL || (status != VKMM_UNSUPPORTED && status != VKMM_WRONG_RESULT)) {
        if (options->kernel == NULL) vkmm_say(log_of(session), VKMM_LOG_ERROR, "%s", session->console.last_error);
        return status;
    }
    if (status == VKMM_WRONG_RESULT) vkmm_say(log_of(session), VKMM_LOG_ERROR, "%s", session->console.last_error);
    snprintf(kernel->info.name, sizeof kernel->info.name, "%s", name);
    snprintf(kernel->skipped, sizeof kernel->skipped, "%.*s", (int)sizeof kernel->skipped - 1,
             session->console.last_error);
    w->explanation.count++;
    return status == VKMM_UNSUPPORTED ? VKMM_OK : status;
}

static vkmm_status all_kernels(work *w)
{
    vkmm_status status = VKMM_OK;
    uint32_t skipped = 0;

    for (uint32_t i = 0; kernel_at(w->session->options, i) != NULL && w->explanation.count < MAX_KERNELS; i++) {
        vkmm_status next = explain_kernel(w, kernel_at(w->session->options, i));
        if (next != VKMM_OK && next != VKMM_WRONG_RESULT) return next;
        status = cli_worse(status, next);
    }
    for (uint32_t i = 0; i < w->explanation.count; i++) skipped += w->kernels[i].skipped[0] != '\0';
    if (skipped == w->explanation.count)
        return vkmm_fail(log_of(w->session), VKMM_UNSUPPORTED, "no kernel can run: %s", w->kernels[0].skipped);
    return status;
}

static vkmm_status explain_problem(cli_session *session, const vkmm_problem *problem)
{
    work *w = vkmm_alloc(1, sizeof *w);
    vkmm_status status, shown = VKMM_OK;

    if (w == NULL) return vkmm_fail(log_of(session), VKMM_OUT_OF_MEMORY, "no memory for an explanation");
    w->session = session;
    w->explanation = (vkmm_explanation){.device = session->info, .problem = *problem, .kernels = w->kernels};
    status = all_kernels(w);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        progress(session, problem, "", "measuring the device's peaks");
        shown = vkmm_device_peaks(session->device, problem->type, &w->explanation.peaks);
        cli_progress_end(&session->console);
        if (shown == VKMM_OK)
            shown =
                (session->options->json ? vkmm_explain_json : vkmm_explain_table)(&session->report, &w->explanation);
        if (shown == VKMM_OK) shown = vkmm_report_flush(&session->report, log_of(session));
    }
    vkmm_free(w);
    return cli_worse(cli_worse(status, shown), cli_session_validated(session));
}

/* Reads of general kernels have no formula, and nothing to count them: how they are planned is what there is to
 * know. */
static vkmm_status explain_plan(cli_session *session, const vkmm_problem *problem)
{
    const cli_options *options = session->options;
    const vkmm_job_params params = {.problem = *problem, .kernel = options->kernel};
    vkmm_explained_plan *plan = vkmm_alloc(1, sizeof *plan);
    vkmm_status status;

    if (plan == NULL) return vkmm_fail(log_of(session), VKMM_OUT_OF_MEMORY, "no memory for an explanation");
    plan->device = session->info;
    plan->problem = *problem;
    status = vkmm_kernel_choose(log_of(session), session->info, &params, &plan->info);
    if (status == VKMM_OK && session->info->has_statistics) {
        plan->statistic_count = VKMM_MAX_STATISTICS;
        status = vkmm_kernel_statistics(session->device, &params, plan->statistic, &plan->statistic_count);
    }
    if (status == VKMM_OK)
        status = (options->json ? vkmm_explain_plan_json : vkmm_explain_plan_table)(&session->report, plan);
    if (status == VKMM_OK) status = vkmm_report_flush(&session->report, log_of(session));
    vkmm_free(plan);
    return cli_worse(status, cli_session_validated(session));
}

/* The tutorials' kernels are for the plain product of types of 32 and 64 bits. */
static int is_for_general(const cli_options *options, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);

    if (options->kernel != NULL && strcmp(options->kernel, "auto") != 0) return vkmm_kernel_is_general(options->kernel);
    return types.in != types.out || types.in != types.compute || vkmm_type_of(types.in)->bytes < 4;
}

/* Powers of two, the sides that people try, and the default of the kernel: squares, then flat and tall ones. */
static const uint32_t sides[][2] = {{1, 1},    {2, 2},   {4, 4},   {8, 8},     {12, 12}, {16, 16}, {24, 24},
                                    {32, 32},  {48, 48}, {64, 64}, {128, 128}, {1, 32},  {1, 64},  {1, 256},
                                    {1, 1024}, {8, 16},  {8, 32},  {8, 128},   {16, 32}, {16, 64}, {32, 8},
                                    {32, 16},  {64, 1},  {64, 16}, {128, 8},   {1024, 1}};

static void add_tile(vkmm_limit_kernel *kernel, const vkmm_device_info *device, vkmm_type type, uint32_t rows,
                     uint32_t cols)
{
    vkmm_limit_tile *tile = &kernel->tile[kernel->count];
    uint32_t preset[2] = {0, 0};

    for (uint32_t i = 0; i < kernel->count; i++)
        if (kernel->tile[i].rows == rows && kernel->tile[i].cols == cols) return;
    if (kernel->count == VKMM_MAX_LIMIT_TILES) return;
    vkmm_kernel_default_tile(device, kernel->name, type, preset);
    *tile = (vkmm_limit_tile){.rows = rows, .cols = cols, .preset = preset[0] == rows && preset[1] == cols};
    tile->legal = vkmm_tile_check(device, kernel->name, type, rows, cols, &tile->rule);
    kernel->count++;
}

static void add_kernel(cli_session *session, vkmm_type type, const char *name, vkmm_limit_kernel *kernel)
{
    const uint32_t *wanted = session->options->tile;
    uint32_t preset[2];

    *kernel = (vkmm_limit_kernel){.name = name};
    if (wanted[0] > 0) {
        add_tile(kernel, session->info, type, wanted[0], wanted[1]);
        return;
    }
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        add_tile(kernel, session->info, type, sides[i][0], sides[i][1]);
    if (vkmm_kernel_default_tile(session->info, name, type, preset))
        add_tile(kernel, session->info, type, preset[0], preset[1]);
}

static vkmm_status show_limits(cli_session *session, vkmm_type type)
{
    vkmm_limits limits = {.device = session->info, .type = type};
    vkmm_limit_kernel *kernels = vkmm_alloc(MAX_KERNELS, sizeof *kernels);
    vkmm_status status;

    if (kernels == NULL) return vkmm_fail(log_of(session), VKMM_OUT_OF_MEMORY, "no memory for the limits");
    for (uint32_t i = 0; kernel_at(session->options, i) != NULL && i < MAX_KERNELS; i++)
        add_kernel(session, type, kernel_at(session->options, i), &kernels[limits.count++]);
    limits.kernels = kernels;
    status = (session->options->json ? vkmm_limits_json : vkmm_limits_table)(&session->report, &limits);
    if (status == VKMM_OK) status = vkmm_report_flush(&session->report, log_of(session));
    vkmm_free(kernels);
    return status;
}

static vkmm_status explain_type(cli_session *session, vkmm_type type)
{
    const cli_options *options = session->options;
    vkmm_status status = VKMM_OK;

    if (type == VKMM_F64 && !session->info->has_f64)
        return vkmm_fail(log_of(session), VKMM_UNSUPPORTED, "\"%s\" has no 64-bit floats (shaderFloat64)",
                         session->info->name);
    if (options->limits) return show_limits(session, type);
    for (size_t i = 0; i < cli_size_count(options) && status != VKMM_DEVICE_LOST; i++) {
        const cli_size size = cli_size_at(options, i);
        const vkmm_problem problem = cli_problem_make(options, &size, type);
        status =
            cli_worse(status, (is_for_general(options, &problem) ? explain_plan : explain_problem)(session, &problem));
    }
    return status;
}

vkmm_status cli_explain(cli_session *session)
{
    const cli_types *types = &session->options->types;
    vkmm_status status;

    if (session->options->kernel != NULL && strcmp(session->options->kernel, "serial") == 0)
        return vkmm_fail(log_of(session), VKMM_INVALID,
                         "the kernel serial runs on the host: there is nothing of a device to explain");
    if (session->options->limits && session->options->kernel != NULL && strcmp(session->options->kernel, "auto") == 0)
        return vkmm_fail(log_of(session), VKMM_INVALID,
                         "--limits needs the name of a kernel, or none for all; not auto");
    if (session->options->limits && session->options->kernel != NULL &&
        vkmm_kernel_is_general(session->options->kernel))
        return vkmm_fail(log_of(session), VKMM_INVALID, "--limits knows the tutorials' kernels; %s takes no tile",
                         session->options->kernel);
    status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (types->count == 0) return explain_type(session, VKMM_F32);
    for (uint32_t i = 0; i < types->count && status != VKMM_DEVICE_LOST; i++)
        status = cli_worse(status, explain_type(session, types->type[i]));
    return status;
}
