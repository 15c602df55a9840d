/* vkmatmul tune-worker, a hidden command: it measures what tune/tune.h asks for. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/order.h"
#include "session/commands.h"
#include "product/product.h"
#include "tune/tune.h"
#include "math/problem.h"
#include "report/records.h"

#include <string.h>

#define SAMPLE_MS 40.0   /* kernel time to sample per candidate, */
#define SLOW_MS   1000.0 /* which has only one sample if that takes this long, */
#define BRISK_MS  100.0  /* and more than two only if one takes less than this */
#define WARM_MS   20.0
#define ROUND_MS  10.0 /* of each of the two in one round */

enum { MOST_SAMPLES = 50, LEAST_ROUNDS = 3, ENOUGH_ROUNDS = 25, MOST_ROUNDS = 64 };

typedef struct worker {
    cli_session *session;
    vkmm_problem problem;
    int has_problem;
    cli_inputs inputs;
} worker;

/* A candidate with its memory. */
typedef struct trial {
    cli_request request;
    cli_product product;
} trial;

/* Multiplies once and checks the product: a wrong one is not timed. Ended by cli_product_end in any case. */
static vkmm_status begin_trial(const worker *w, const vkmm_candidate *candidate, trial *t)
{
    vkmm_status status;
    *t = (trial){0};
    t->request.inputs = &w->inputs;
    t->request.kind = &cli_resident;
    t->request.job = (vkmm_job_params){.problem = w->problem,
                                       .kernel = candidate->kernel,
                                       .config = candidate->config[0] != '\0' ? candidate->config : NULL,
                                       .untuned = 1};
    status = cli_product_prove(w->session, &t->request, &t->product);
    return status == VKMM_OK ? cli_session_validated(w->session) : status;
}

/* The median of `count` samples, after warm_ms of work. */
static vkmm_status sample(trial *t, uint32_t count, double warm_ms, double *ms)
{
    const vkmm_measure_params params = {
        .iters = count, .cold_iters_given = warm_ms <= 0, .warm_time_ms = warm_ms, .skip_transfers = 1};
    vkmm_measurement measurement;
    vkmm_status status = vkmm_job_measure(t->product.job, &params, &measurement);
    if (status == VKMM_OK) *ms = measurement.kernel.median;
    return status;
}

static uint32_t samples_for(double total_ms, double one_ms, uint32_t least)
{
    double count = one_ms > 0 ? total_ms / one_ms : MOST_SAMPLES;
    return count >= MOST_SAMPLES ? MOST_SAMPLES : count > least ? (uint32_t)count : least;
}

/* A GPU lowers its clocks while the host compiles and checks. */
static double warming(const worker *w)
{
    return !vkmm_is_processor(w->session->info) ? CLI_WARM_GPU_MS : WARM_MS;
}

static vkmm_status try_one(const worker *w, const vkmm_candidate *candidate, double limit_ms, cli_answer *answer)
{
    trial t;
    vkmm_status status = begin_trial(w, candidate, &t);
    if (status == VKMM_OK) status = sample(&t, 1, warming(w), &answer->ms[0]);
    answer->rounds = 1;
    if (status == VKMM_OK && answer->ms[0] < SLOW_MS && (limit_ms <= 0 || answer->ms[0] <= limit_ms)) {
        answer->rounds = samples_for(SAMPLE_MS, answer->ms[0], answer->ms[0] < BRISK_MS ? 3 : 2);
        status = sample(&t, answer->rounds, 0, &answer->ms[0]);
    }
    if (status == VKMM_OK) status = cli_product_again(&t.product);
    cli_product_end(&t.product);
    return status;
}

/* Two candidates that take turns. */
typedef struct duel {
    const vkmm_candidate *pair;
    trial trials[2];
    uint32_t samples[2];
    double ms[2][MOST_ROUNDS], ratio[MOST_ROUNDS];
    uint32_t rounds;
} duel;

static vkmm_status begin_duel(const worker *w, duel *d)
{
    double warm_ms;
    vkmm_status status = begin_trial(w, &d->pair[0], &d->trials[0]);
    if (status == VKMM_OK) status = begin_trial(w, &d->pair[1], &d->trials[1]);
    for (int i = 0; i < 2 && status == VKMM_OK; i++) {
        status = sample(&d->trials[i], 1, warming(w) / 2, &warm_ms);
        if (status == VKMM_OK) d->samples[i] = samples_for(ROUND_MS, warm_ms, 1);
    }
    return status;
}

static vkmm_status take_turn(duel *d, int i)
{
    const vkmm_status status = sample(&d->trials[i], d->samples[i], 0, &d->ms[i][d->rounds]);
    return status == VKMM_OK ? cli_product_again(&d->trials[i].product) : status;
}

/* The interval of the median of few rounds ends with the largest. */
static void judge(duel *d, cli_answer *answer)
{
    uint32_t n = d->rounds, first, last;
    for (uint32_t i = 0; i < n; i++) d->ratio[i] = d->ms[1][i] / d->ms[0][i];
    vkmm_sort(d->ratio, n);
    for (int i = 0; i < 2; i++) {
        vkmm_sort(d->ms[i], n);
        answer->ms[i] = vkmm_percentile(d->ms[i], n, 0.5);
    }
    vkmm_median_ranks(n, &first, &last);
    answer->ratio = vkmm_percentile(d->ratio, n, 0.5);
    answer->upper = d->ratio[last];
    answer->rounds = n;
}

static vkmm_status fight(const worker *w, const vkmm_candidate *pair, double time_ms, cli_answer *answer)
{
    duel d = {.pair = pair};
    double start = vkmm_now_ms();
    vkmm_status status = begin_duel(w, &d);
    while (status == VKMM_OK && d.rounds < ENOUGH_ROUNDS &&
           (d.rounds < LEAST_ROUNDS || vkmm_now_ms() - start < time_ms)) {
        int first = (int)(d.rounds % 2); /* neither always follows the other */
        status = take_turn(&d, first);
        if (status == VKMM_OK) status = take_turn(&d, !first);
        d.rounds += status == VKMM_OK;
    }
    if (status == VKMM_OK) judge(&d, answer);
    cli_product_end(&d.trials[0].product);
    cli_product_end(&d.trials[1].product);
    return status;
}

static vkmm_status take_problem(worker *w, const json_t *request)
{
    const vkmm_log *log = w->session->log;
    char sentence[CLI_SENTENCE];
    if (w->has_problem) return VKMM_FAIL(log, VKMM_INVALID, "this process has a problem already");
    if (!cli_record_parse(json_object_get(request, "problem"), &cli_problem_record, &w->problem, sentence))
        return VKMM_FAIL(log, VKMM_INVALID, "invalid problem: %s", sentence);
    w->has_problem = 1;
    return vkmm_tell(log, vkmm_problem_check(&w->problem));
}

static vkmm_status measure(const worker *w, const json_t *json, int is_duel, json_t *out)
{
    cli_trial_request request;
    cli_answer answer = {.rounds = 0};
    vkmm_status status;
    if (!w->has_problem || !cli_read_trial(json, &request) || request.count != (is_duel ? 2 : 1))
        return VKMM_FAIL(w->session->log, VKMM_INVALID, "there is no problem, or no candidate");
    status = is_duel ? fight(w, request.candidates, request.time_ms, &answer)
                     : try_one(w, request.candidates, request.limit_ms, &answer);
    if (status == VKMM_OK) cli_put_figures(out, &answer);
    return status;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    worker *w = user;
    vkmm_status status = cli_session_device(w->session);
    if (status != VKMM_OK) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(w->session, answer);
    if (strcmp(ask, "problem") == 0) return take_problem(w, request);
    if (strcmp(ask, "try") == 0) return measure(w, request, 0, answer);
    if (strcmp(ask, "duel") == 0) return measure(w, request, 1, answer);
    return cli_worker_refuse(w->session, ask);
}

vkmm_status cli_command_tune_worker(cli_session *session)
{
    worker w = {.session = session, .inputs = {.init = VKMM_INIT_UNIFORM, .seed = 1}};
    return cli_worker_serve(session, obey, &w);
}
