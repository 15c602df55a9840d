#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "math/method.h"
#include "session/commands.h"
#include "tune/tune.h"
#include "math/problem.h"

#include <stdio.h>

#define DEFAULT_BUDGET_MS 60000.0
#define WORTH_PRODUCTS \
    90.0 /* a default size is tuned if its share of the budget is enough for this many products: some 15 candidates */

/* The sizes tuned without --size: squares, as many as the budget allows. */
static const uint64_t standard[] = {256, 512, 1024, 2048, 4096};
enum { STANDARD = VKMM_COUNT(standard) };

typedef struct plan {
    int is_standard; /* the sizes are the default ones */
    size_t sizes, types;
    double end;                     /* of the budget, by vkmm_now_ms */
    double gflops[VKMM_TYPE_COUNT]; /* of the planner's choice for the size before, by type */
} plan;

static vkmm_status show(cli_session *session, const cli_tune_row *row)
{
    cli_progress_end(&session->console);
    if (session->writer->document != NULL)
        return cli_session_record(session, "vkmatmul.tune/1", &cli_tune_row_record, row);
    return cli_session_wrote(session, cli_table_tune(&session->report, row));
}

/* How long a product would take at the speed of the size before. */
static double expected_ms(const plan *p, const vkmm_problem *problem)
{
    double gflops = p->gflops[problem->type];
    return gflops > 0 ? vkmm_problem_flops(problem) / gflops * 1e-6 : 0;
}

static vkmm_problem problem_at(const cli_options *options, const plan *p, size_t index)
{
    size_t t = index / p->sizes, i = index % p->sizes;
    vkmm_type type = options->types.count > 0 ? options->types.type[t] : VKMM_F32;
    cli_size size =
        p->is_standard ? (cli_size){standard[i], standard[i], standard[i]} : cli_size_at(options, i, CLI_SQUARE);
    return cli_problem_make(options, &size, type);
}

static int is_affordable(const plan *p, const vkmm_problem *problem, double share_ms)
{
    return !p->is_standard || WORTH_PRODUCTS * expected_ms(p, problem) <= share_ms;
}

/* An equal part of the remaining budget for every remaining problem, except those that will be left out. */
static double share_of(const cli_options *options, const plan *p, size_t index)
{
    double left = p->end - vkmm_now_ms();
    size_t problems = 1;
    for (size_t i = index + 1; i < p->sizes * p->types; i++) {
        vkmm_problem problem = problem_at(options, p, i);
        problems += (size_t)is_affordable(p, &problem, left / (double)(problems + 1));
    }
    return left / (double)problems;
}

/* 1: the row says why. */
static int is_left_out(const plan *p, const vkmm_problem *problem, double share_ms, size_t index, cli_tune_row *row)
{
    row->problem = *problem;
    if (share_ms <= 0 && index > 0)
        VKMM_PUT(row->skipped, "no time was left: increase --budget");
    else if (!is_affordable(p, problem, share_ms))
        VKMM_PUT(row->skipped, "a product takes about %.1f s here; --size %llu --budget 10m tunes it",
                 expected_ms(p, problem) / 1000, (unsigned long long)problem->n);
    return row->skipped[0] != '\0';
}

static vkmm_status tune_one(cli_session *session, plan *p, size_t index)
{
    vkmm_problem made = problem_at(session->options, p, index), *problem = &made;
    cli_tune_row row = {.device = session->info};
    double share = share_of(session->options, p, index);
    made.method = vkmm_method_where(session->info->features.f64, &made); /* as run has it */
    vkmm_status status = vkmm_tell(session->log, vkmm_problem_check(problem)), shown = VKMM_OK;
    if (status != VKMM_OK) return status;
    if (vkmm_problem_flops(problem) <= 0 || vkmm_problem_alpha(problem) == 0)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "a product without multiplications cannot be tuned: M, N, K and alpha must not be 0");
    if (is_left_out(p, problem, share, index, &row)) return show(session, &row);
    status = cli_tune_problem(session, problem, share > 0 ? share : 0, &row);
    if (status == VKMM_OK && row.tuned.gflops <= 0 && !cli_interrupted())
        status = VKMM_FAIL(session->log, VKMM_INVALID,
                           "the budget of %.1f s ran out before one product could be timed; increase --budget",
                           share > 0 ? share / 1000 : 0);
    p->gflops[problem->type] = row.tuned.planned_gflops;
    if (row.tuned.gflops > 0) shown = show(session, &row);
    vkmm_free((void *)row.trials);
    vkmm_free(row.failures);
    return cli_worse(status, shown);
}

static int is_final(cli_session *session, vkmm_status status)
{
    return status == VKMM_NO_DEVICE || cli_interrupted() || ferror(session->report.out);
}

static vkmm_status tune_all(cli_session *session, plan *p)
{
    vkmm_status status = VKMM_OK;
    for (size_t index = 0; index < p->sizes * p->types; index++) {
        vkmm_status next = tune_one(session, p, index);
        status = cli_worse(status, next);
        if (is_final(session, next)) break;
        /* If one of the default sizes is refused, for example because the device lacks a type, so are the others. */
        if (p->is_standard && next == VKMM_UNSUPPORTED) index += p->sizes - 1 - index % p->sizes;
    }
    return status;
}

static void tell_shared(uint32_t count, const char *what, const char *path)
{
    char name[1024];
    VKMM_CLEAN(name, path);
    printf("%u result%s %s %s\n", count, count == 1 ? "" : "s", what, name);
}

/* --import and --export, instead of a tune; the import first, so that both together merge two files. */
static vkmm_status share(cli_session *session)
{
    const cli_options *options = session->options;
    uint32_t count = 0;
    vkmm_status status = cli_session_instance(session);
    if (status == VKMM_OK && options->import != NULL) {
        status = vkmm_tuned_import(session->instance, options->import, &count);
        if (status == VKMM_OK) tell_shared(count, "imported from", options->import);
    }
    if (status == VKMM_OK && options->export != NULL) {
        status = vkmm_tuned_export(session->instance, options->export, &count);
        if (status == VKMM_OK) tell_shared(count, "exported to", options->export);
    }
    return status;
}

static vkmm_status check(const cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    int shares = options->import != NULL || options->export != NULL;
    if (shares && (cli_size_is_given(options) || options->types.count > 0 || options->budget_ms > 0 ||
                   session->writer->document != NULL))
        return VKMM_FAIL(
            log, VKMM_INVALID,
            "--import and --export copy results instead of tuning: leave out sizes, --type, --budget and --json");
    if (shares && options->no_cache)
        return VKMM_FAIL(log, VKMM_INVALID, "--import and --export need the cache: leave out --no-cache");
    return options->export != NULL ? vkmm_tell(log, vkmm_output_try(options->export, 0)) : VKMM_OK;
}

vkmm_status cli_command_tune(cli_session *session)
{
    const cli_options *options = session->options;
    plan p = {.types = options->types.count > 0 ? options->types.count : 1, .sizes = cli_size_count(options)};
    vkmm_status status = check(session);
    int signal;
    if (status != VKMM_OK) return status;
    if (options->import != NULL || options->export != NULL) return share(session);
    status = cli_session_find_device(session); /* only workers open it */
    if (status != VKMM_OK) return status;
    p.is_standard = !cli_size_is_given(options);
    if (p.is_standard) p.sizes = STANDARD;
    p.end = vkmm_now_ms() + (options->budget_ms > 0 ? options->budget_ms : DEFAULT_BUDGET_MS);
    cli_interrupt_catch(0);
    status = tune_all(session, &p);
    cli_interrupt_release();
    signal = cli_interrupted();
    if (signal == 0) return status;
    vkmm_say(session->log, VKMM_LOG_WARNING, "interrupted");
    return (vkmm_status)(128 + signal); /* as shells have it */
}
