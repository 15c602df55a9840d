/* vkmatmul record. */
#include "survey/survey.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/limits.h"
#include "bench/bench_run.h"
#include "check/conform.h"
#include "devices/devices.h"
#include "devices/doctor.h"
#include "explain/statistics.h"
#include "look/kernel.h"
#include "report/json.h"
#include "report/records.h"
#include "report/columns.h"
#include "session/commands.h"
#include "system/interrupt.h"
#include "tune/tune.h"
#include "worker/worker.h"

#define START_PATIENCE 60000.0
#define PEAK_PATIENCE  180000.0 /* for all peaks; they take seconds, with many matrix shapes a minute */

#define TUNE_MS        8000.0 /* for each product that is tuned, */
#define TUNE_CPU_FLOPS 2.2e9  /* on processors, all with fewer operations */

/* ---- the parts ---- */

static char *compose(const cli_session *session, const cli_bench *bench, size_t *bytes)
{
    (void)session;
    return cli_survey_text((const cli_survey *)bench, bytes);
}

/* In a separate process. A failure becomes the reason in place of the peaks. */
static vkmm_status measure_peak(cli_session *session, cli_survey *survey)
{
    char types[CLI_TYPES_WORD], sentence[CLI_SENTENCE];
    cli_worker worker = {.session = session,
                         .command = "peak-worker",
                         .device = session->info,
                         .words = {cli_types_word(&session->options->types, types)}};
    json_t *answer = NULL;
    cli_reply reply;
    cli_progress(&session->console, "measuring peaks");
    reply = cli_worker_start(&worker, START_PATIENCE);
    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(&worker, json_pack("{s:s}", "ask", "peak"), PEAK_PATIENCE, &answer);
    cli_worker_close(&worker);
    cli_progress_end(&session->console);
    if (reply == CLI_REPLY_INTERRUPTED) return VKMM_OK;
    survey->peak = json_incref(json_object_get(answer, "peak"));
    if (!cli_record_parse(json_object_get(answer, "peaks"), &cli_peaks_record, &survey->bench.devices[0].peaks,
                          sentence))
        cli_bench_peaks_init(&survey->bench.devices[0].peaks);
    json_decref(answer);
    if (reply == CLI_REPLY_ANSWER && worker.status == VKMM_OK) return VKMM_OK;
    if (survey->peak == NULL) survey->peak = json_pack("{s:o}", "reason", cli_json_of_text(worker.sentence));
    return VKMM_FAIL(session->log, worker.status, "the peaks are unknown: %s", worker.sentence);
}

/* Finds what the driver gets wrong; shaders of failures go beside the record. */
static vkmm_status check_driver(cli_session *session, cli_survey *survey)
{
    const int is_cpu = vkmm_is_processor(session->info);
    char stem[CLI_CASE_TEXT];
    cli_conformance all;
    vkmm_status status;
    VKMM_PUT(stem, "%.*s", (int)(strlen(session->options->output) - strlen(".json")), session->options->output);
    status = cli_conform(session, is_cpu ? CLI_CHECK_CPU_MS : CLI_CHECK_MS, stem, &all);
    if (!cli_interrupted()) survey->check = cli_record_json(&cli_conformance_record, &all);
    return status;
}

/* How long the pipelines of the suite take to compile. */
static vkmm_status compile(cli_session *session, const cli_suite *suite, cli_survey *survey)
{
    vkmm_problem *problems = vkmm_alloc(suite->count, sizeof *problems);
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    survey->pipelines = json_array();
    if (problems == NULL || survey->pipelines == NULL) {
        VKMM_FAIL(session->log, status, "no memory for the pipelines of a record");
    } else {
        for (uint32_t i = 0; i < suite->count; i++) problems[i] = suite->items[i].problem;
        status = cli_statistics_collect(session, problems, suite->count, survey->pipelines);
    }
    vkmm_free(problems);
    return status;
}

static int is_tuned(const cli_session *session, const cli_suite_item *item)
{
    return vkmm_is_processor(session->info) ? vkmm_problem_flops(&item->problem) < TUNE_CPU_FLOPS : item->tune;
}

/* Tunes one product after another. The results are in the record only: no cache has them afterwards. */
static vkmm_status tune(cli_session *session, const cli_suite *suite, cli_survey *survey)
{
    vkmm_status failed = VKMM_OK;
    survey->tunes = json_array();
    for (uint32_t i = 0; i < suite->count && !cli_interrupted(); i++) {
        const vkmm_problem *problem = &suite->items[i].problem;
        cli_tune_row row = {.unstored = 1};
        const vkmm_job_params params = {.problem = *problem};
        vkmm_kernel_info chosen; /* the device may not multiply it at all, which is no failure */
        if (!is_tuned(session, &suite->items[i]) ||
            vkmm_kernel_choose(NULL, session->info, &params, &chosen) != VKMM_OK)
            continue;
        failed = cli_worse(failed, cli_tune_problem(session, problem, TUNE_MS, &row));
        if (row.tuned.gflops > 0 &&
            json_array_append_new(survey->tunes, cli_record_json(&cli_tune_result_record, &row)) != 0)
            failed = VKMM_FAIL(session->log, VKMM_OUT_OF_MEMORY, "no memory for the tunes of a record");
        vkmm_free((void *)row.trials);
        vkmm_free(row.failures);
    }
    cli_progress_end(&session->console);
    return failed;
}

/* ---- all of it ---- */

/* Leaves out what a processor has no rows for, so that nothing is compiled for it. */
static void trim_for_processor(cli_suite *suite)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < suite->count; i++)
        if (!suite->items[i].for_gpus) suite->items[count++] = suite->items[i];
    suite->count = count;
    if (suite->cpu_budget_ms > 0) suite->budget_ms = suite->cpu_budget_ms;
}

static vkmm_status announce(cli_session *session, const cli_suite *suite)
{
    cli_report_say(
        &session->report, 0, CLI_PLAIN,
        "Measuring %s: %u products, checks, peaks, compile times and tunes. By default this takes %s minutes "
        "at most; an interrupt (Ctrl-C) keeps what was measured.",
        session->info->name, suite->count, vkmm_is_processor(session->info) ? "three" : "ten");
    return cli_report_flush(&session->report, session->log);
}

static vkmm_status measure(cli_session *session, const cli_suite *suite, cli_survey *survey)
{
    cli_bench_live live = {.session = session, .writer = &cli_quiet_writer, .compose = compose, .begun = 1};
    vkmm_status status, failed = VKMM_OK;
    status = announce(session, suite);
    if (status == VKMM_OK) status = cli_bench_store(&live, &survey->bench, 0);
    if (status != VKMM_OK) return status;
    cli_interrupt_catch(0);
    survey->doctor = cli_doctor_collect(session, &failed);
    if (!cli_interrupted()) failed = cli_worse(failed, check_driver(session, survey));
    if (!cli_interrupted()) failed = cli_worse(failed, measure_peak(session, survey));
    if (!cli_interrupted()) status = cli_bench_store(&live, &survey->bench, 0);
    if (!cli_interrupted() && status == VKMM_OK) failed = cli_worse(failed, compile(session, suite, survey));
    if (!cli_interrupted() && status == VKMM_OK) failed = cli_worse(failed, tune(session, suite, survey));
    if (status == VKMM_OK) status = cli_bench_go(session, suite, &survey->bench, &live);
    return cli_worse(cli_bench_end(&live, &survey->bench, status), failed);
}

static vkmm_status finish(cli_session *session, const cli_survey *survey)
{
    uint32_t ran = 0;
    for (uint32_t i = 0; i < survey->bench.row_count; i++) ran += survey->bench.rows[i].not_run[0] == '\0';
    cli_report_say(&session->report, 0, CLI_PLAIN, "Wrote %s: %u of %u products have a result.",
                   session->options->output, ran, survey->bench.row_count);
    return cli_report_flush(&session->report, session->log);
}

static vkmm_status show(cli_session *session, const cli_survey *survey)
{
    json_t *json = cli_survey_json(survey, 1);
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    if (json == NULL) return VKMM_FAIL(session->log, status, "no memory to show the record");
    (void)json_dumpf(json, session->report.out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putc('\n', session->report.out);
    json_decref(json);
    return cli_report_flush(&session->report, session->log);
}

static vkmm_status check(const cli_session *session)
{
    const char *path = session->options->output;
    if (session->options->show) return VKMM_OK;
    if (path == NULL)
        return VKMM_FAIL(session->log, VKMM_INVALID, "record needs -o FILE.json, or --show to measure nothing");
    if (!vkmm_path_ends(path, ".json"))
        return VKMM_FAIL(session->log, VKMM_INVALID, "record writes JSON, but '%.200s' does not end in .json", path);
    return cli_bench_store_check(session);
}

vkmm_status cli_command_record(cli_session *session)
{
    const cli_options *given = session->options;
    cli_options options = *given;
    cli_survey survey = {0};
    cli_suite suite = {0};
    char device[16];
    vkmm_status status = check(session);
    if (status == VKMM_OK) status = cli_session_find_device(session);
    if (status != VKMM_OK) return status;
    options.suite = "record";
    options.no_host = 1;
    VKMM_PUT(device, "%u", session->info->index);
    options.device = device; /* only this one, even if the user's text names several */
    session->options = &options;
    status = cli_bench_suite(session, &suite);
    if (status == VKMM_OK && vkmm_is_processor(session->info)) trim_for_processor(&suite);
    if (status == VKMM_OK) status = cli_bench_head(session, &suite, 0, &survey.bench);
    if (status == VKMM_OK && (survey.device = cli_device_describe(session)) == NULL)
        status = VKMM_FAIL(session->log, VKMM_OUT_OF_MEMORY, "no memory for a record");
    if (status == VKMM_OK && options.show) {
        status = show(session, &survey);
    } else if (status == VKMM_OK) {
        status = measure(session, &suite, &survey);
        if (survey.bench.complete) status = cli_worse(status, finish(session, &survey));
    }
    json_decref(survey.device);
    json_decref(survey.doctor);
    json_decref(survey.check);
    json_decref(survey.peak);
    json_decref(survey.pipelines);
    json_decref(survey.tunes);
    cli_bench_free(&survey.bench);
    cli_suite_free(&suite);
    session->options = given;
    return status;
}
