/* vkmatmul check: asks a separate process for one case after another. */
#include "check/conform.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/host.h"
#include "look/probe.h"
#include "report/json.h"
#include "report/junit.h"
#include "session/commands.h"
#include "system/interrupt.h"

#define START_PATIENCE 60000.0
#define CASE_PATIENCE  60000.0 /* a driver of processors may compile for 20 s */

enum { PASSED = 1, FAILED = 2 };

/* What is under way. */
typedef struct run {
    cli_session *session;
    cli_worker worker;
    cli_conformance *all;
    cli_part_result *part;
    const char *stem;
    uint32_t first; /* the next index of the part */
    double end_ms;
    vkmm_status status;
    vkmm_device_check found;      /* for the planner */
    char seen[VKMM_MAX_FINDINGS]; /* of each finding: PASSED or FAILED here; 0: known before, and not examined */
} run;

/* In JUnit's format, cases are written as they end. */
static void put_case(const run *r, const char *name, const char *kind, const char *why)
{
    const cli_session *session = r->session;

    if (session->options->junit) cli_junit_plain(session->report.out, r->part->name, name, kind, why);
}

static void write_shader(run *r, cli_failure *failure, const char *shader)
{
    vkmm_status status;

    if (shader == NULL || r->stem == NULL) return;
    VKMM_PUT(failure->file, "%.400s-%s-%u.comp", r->stem, r->part->name, r->part->failure_count);
    status = vkmm_output_whole(failure->file, 0, shader, strlen(shader));
    if (status != VKMM_OK) failure->file[0] = '\0';
    r->status = cli_worse(r->status, vkmm_tell(r->session->log, status));
}

/* Notes what the planner should avoid, or that it is right now. */
static void note(run *r, const json_t *answer, char result)
{
    const char *finding = cli_json_text(answer, "finding", "");
    vkmm_device_check *found = &r->found;
    uint32_t i = 0;

    while (i < found->finding_count && strcmp(found->findings[i], finding) != 0) i++;
    if (finding[0] == '\0' || i == VKMM_MAX_FINDINGS || (i == found->finding_count && result == PASSED)) return;
    if (i == found->finding_count) VKMM_PUT(found->findings[found->finding_count++], "%s", finding);
    if (r->seen[i] < result) r->seen[i] = result;
}

/* After a whole part: forgets what passed it. */
static void forget(run *r)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < r->found.finding_count; i++) {
        if (r->seen[i] == PASSED) continue;
        r->seen[left] = r->seen[i];
        memmove(r->found.findings[left++], r->found.findings[i], VKMM_FINDING);
    }
    r->found.finding_count = left;
}

static void fail_case(run *r, const char *name, const char *why, const json_t *answer)
{
    cli_failure *failure = &r->part->failures[r->part->failure_count];

    put_case(r, name, "failure", why);
    r->part->run++;
    r->all->passed = 0;
    r->status = cli_worse(r->status, VKMM_WRONG_RESULT);
    if (r->part->failure_count == CLI_MOST_FAILURES) return;
    r->part->failure_count++;
    VKMM_PUT(failure->name, "%s", name);
    VKMM_PUT(failure->why, "%s", why);
    VKMM_PUT(failure->again, "%s", cli_json_text(answer, "again", ""));
    write_shader(r, failure, cli_json_text(answer, "shader", NULL));
}

static cli_reply ask(run *r, const char *what, json_t **answer)
{
    cli_reply reply = cli_worker_start(&r->worker, START_PATIENCE);

    *answer = NULL;
    if (reply != CLI_REPLY_ANSWER) return reply;
    return cli_worker_ask(&r->worker,
                          json_pack("{s:s, s:s, s:i}", "ask", what, "part", r->part->name, "first", (int)r->first),
                          CASE_PATIENCE, answer);
}

/* The process ended in the middle of a case: another one names it. */
static int bury(run *r)
{
    const uint32_t losses = r->worker.losses;
    char why[CLI_CASE_TEXT];
    json_t *answer;

    VKMM_PUT(why, "the process that ran it %.300s", r->worker.how);
    if (ask(r, "name", &answer) == CLI_REPLY_ANSWER) {
        note(r, answer, FAILED);
        fail_case(r, cli_json_text(answer, "case", "?"), why, NULL);
        r->first = (uint32_t)cli_json_number(answer, "index", r->first) + 1;
    } else {
        fail_case(r, "?", why, NULL);
    }
    json_decref(answer);
    return losses < CLI_WORKER_MOST_LOSSES && r->worker.process != NULL;
}

/* One case. 0: the part is over. */
static int step(run *r)
{
    json_t *answer;
    const cli_reply reply = ask(r, "case", &answer);
    const int is_over =
        reply != CLI_REPLY_ANSWER || r->worker.status != VKMM_OK || json_is_true(json_object_get(answer, "end"));
    const char *name = cli_json_text(answer, "case", "?");

    if (reply == CLI_REPLY_LOST && bury(r)) return 1;
    if (reply == CLI_REPLY_ANSWER && !is_over) {
        r->worker.losses = 0;
        r->first = (uint32_t)cli_json_number(answer, "index", r->first) + 1;
        const int passed = json_is_true(json_object_get(answer, "passed"));
        note(r, answer, passed ? PASSED : FAILED);
        if (passed) {
            put_case(r, name, NULL, NULL);
            r->part->passed++, r->part->run++;
        } else {
            fail_case(r, name, cli_json_text(answer, "why", ""), answer);
        }
    } else if (reply != CLI_REPLY_INTERRUPTED && r->worker.status != VKMM_OK) {
        VKMM_PUT(r->part->incomplete, "%.300s", r->worker.sentence);
        r->status = cli_worse(r->status, r->worker.status);
    }
    json_decref(answer);
    return !is_over;
}

static void run_part(run *r, const cli_case_part *part)
{
    int more = 1;

    r->part = &r->all->parts[r->all->part_count++];
    r->part->name = part->name;
    if (r->session->options->junit) cli_junit_begin_suite(r->session->report.out, part->name);
    r->first = 0;
    r->worker.losses = 0;
    while (more && !cli_interrupted()) {
        cli_progress(&r->session->console, "%s: %u cases", part->name, r->part->run);
        if (vkmm_now_ms() >= r->end_ms) {
            VKMM_PUT(r->part->incomplete, "the time was over");
            break;
        }
        more = step(r);
    }
    if (cli_interrupted()) VKMM_PUT(r->part->incomplete, "interrupted");
    if (r->part->incomplete[0] == '\0')
        forget(r);
    else
        put_case(r, "the other cases", r->worker.status != VKMM_OK ? "error" : "skipped", r->part->incomplete);
    if (r->session->options->junit) fputs("  </testsuite>\n", r->session->report.out);
}

cli_conformance *cli_conform(cli_session *session, double budget_ms, const char *stem, vkmm_status *status)
{
    const cli_options *options = session->options;
    char types[CLI_TYPES_WORD], kernel[64];
    uint32_t ran = 0;
    run r = {.session = session, .stem = stem, .end_ms = vkmm_now_ms() + budget_ms};

    *status = VKMM_OUT_OF_MEMORY;
    r.all = vkmm_alloc(1, sizeof *r.all);
    if (r.all == NULL) return NULL;
    VKMM_PUT(kernel, "--kernel=%.40s", options->kernel != NULL ? options->kernel : "");
    r.worker = (cli_worker){
        .session = session,
        .command = "check-worker",
        .device = session->info,
        .words = {cli_types_word(&options->types, types), options->kernel != NULL ? kernel : NULL, "--no-cache"}};
    r.all->passed = 1;
    if (session->info->check != NULL) r.found = *session->info->check;
    for (uint32_t i = 0; cli_case_part_at(i) != NULL && !cli_interrupted(); i++) {
        if (options->part != NULL && strcmp(options->part, cli_case_part_at(i)->name) != 0) continue;
        run_part(&r, cli_case_part_at(i));
        ran += r.part->run;
    }
    cli_worker_close(&r.worker);
    cli_progress_end(&session->console);
    vkmm_host_time(r.found.date);
    if (ran > 0) vkmm_findings_write(session->instance, session->info, &r.found);
    *status = r.status;
    return r.all;
}

vkmm_status cli_command_check(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    char stem[CLI_CASE_TEXT];
    vkmm_status status = cli_session_find_device(session), shown = VKMM_OK;
    cli_conformance *all;

    if (status == VKMM_OK && options->output != NULL && vkmm_path_look(options->output, 1) != VKMM_PATH_OPEN)
        status = VKMM_FAIL(log, VKMM_INVALID, "'%.400s' is no folder that can be written into", options->output);
    if (status != VKMM_OK) return status;
    VKMM_PUT(stem, "%.400s/check", options->output != NULL ? options->output : "");
    if (options->junit) cli_junit_begin(session->report.out, "vkmatmul check");
    cli_interrupt_catch(0);
    all = cli_conform(session, options->budget_ms > 0 ? options->budget_ms : CLI_CHECK_MS,
                      options->output != NULL ? stem : NULL, &status);
    if (all == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for the results of a check"));
    if (options->junit)
        fputs("</testsuites>\n", session->report.out);
    else if (options->json)
        shown = cli_json_line(&session->report, cli_json_document(&session->report, "vkmatmul.check/1", session->info,
                                                                  NULL, cli_record_json(&cli_conformance_record, all)));
    else
        cli_conform_show(&session->report, all);
    if (shown != VKMM_OK) status = VKMM_FAIL(log, shown, "no memory to write the results of a check");
    cli_interrupt_release();
    if (cli_interrupted()) status = (vkmm_status)(128 + cli_interrupted()); /* as shells count it */
    vkmm_free(all);
    return status;
}
