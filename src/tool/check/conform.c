/* vkmatmul check: asks a separate process for one case after another. */
#include "check/conform.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/folder.h"
#include "base/host.h"
#include "look/probe.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/junit.h"
#include "session/commands.h"
#include "system/interrupt.h"

#define PATIENCE 60000.0 /* a driver of processors may compile for 20 s */

enum { PASSED = 1, FAILED = 2 };

/* ---- results, as JSON and for people ---- */

/* First those that a document shows of a failure. */
static const cli_field case_fields[] = {
    {"case", CLI_FIELD_TEXT, CLI_AT(cli_case, name)},
    {"sentence", CLI_FIELD_TEXT, CLI_AT(cli_case, why)},
    {"rerun", CLI_FIELD_TEXT, CLI_AT(cli_case, again), CLI_MAYBE},
    {"shader", CLI_FIELD_TEXT, CLI_AT(cli_case, file), CLI_MAYBE},
    {CLI_KEY(U32, cli_case, index)},
    {CLI_KEY(TEXT, cli_case, finding)},
    {CLI_KEY(TRUTH, cli_case, passed)},
};
const vkmm_record cli_case_record = {NULL, CLI_FIELDS(case_fields)};
static const vkmm_record failure_record = {NULL, .fields = case_fields, .count = 4};

static const cli_field part_fields[] = {
    {"part", CLI_FIELD_STRING, CLI_AT(cli_part_result, name)},
    {CLI_KEY(U32, cli_part_result, run)},
    {CLI_KEY(U32, cli_part_result, passed)},
    {CLI_KEY(TEXT, cli_part_result, incomplete), CLI_MAYBE},
    {"failures", CLI_FIELD_RECORD, CLI_LIST(cli_part_result, failures, failure_count), CLI_HERE,
     .record = &failure_record},
};
static const vkmm_record part_record = {NULL, CLI_FIELDS(part_fields)};

static const cli_field fields[] = {
    {CLI_KEY(TRUTH, cli_conformance, passed)},
    {"parts", CLI_FIELD_RECORD, CLI_LIST(cli_conformance, parts, part_count), CLI_HERE, .record = &part_record},
};
const vkmm_record cli_conformance_record = {NULL, CLI_FIELDS(fields)};

static void show(const cli_report *report, const cli_conformance *result)
{
    for (uint32_t i = 0; i < result->part_count; i++) {
        const cli_part_result *part = &result->parts[i];
        const int bad = part->passed < part->run;
        fprintf(report->out, "  %s%-7s%s %-10s %u of %u right",
                CLI_PAINTED(report, bad ? CLI_BAD : CLI_GOOD, bad ? "wrong" : "ok"), part->name, part->passed,
                part->run);
        fprintf(report->out, "%s%s\n", part->incomplete[0] != '\0' ? "; incomplete: " : "", part->incomplete);
        for (uint32_t f = 0; f < part->failure_count; f++) {
            const cli_case *failure = &part->failures[f];
            cli_report_say(report, 4, CLI_PLAIN, "%s: %s", failure->name, failure->why);
            if (failure->again[0] != '\0') cli_report_say(report, 6, CLI_PLAIN, "%s", failure->again);
            if (failure->file[0] != '\0') cli_report_say(report, 6, CLI_PLAIN, "%s", failure->file);
        }
    }
}

/* ---- asking for one case after another ---- */

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
    if (r->session->writer == &cli_junit_writer)
        cli_junit_plain(r->session->report.out, r->part->name, name, kind, why);
}

/* Notes what the planner should avoid, or that it is right now. */
static void note(run *r, const char *finding, char result)
{
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

static void fail_case(run *r, const cli_case *failed)
{
    put_case(r, failed->name, "failure", failed->why);
    r->part->run++;
    r->all->passed = 0;
    r->status = cli_worse(r->status, VKMM_WRONG_RESULT);
    if (r->part->failure_count < CLI_MOST_FAILURES) r->part->failures[r->part->failure_count++] = *failed;
}

/* Asks for the next case; its name is "" unless there is one. */
static cli_reply ask(run *r, const char *what, cli_case *found)
{
    cli_reply reply = cli_worker_start(&r->worker, PATIENCE);
    char sentence[CLI_SENTENCE], file[CLI_CASE_TEXT] = "";
    json_t *answer = NULL;
    *found = (cli_case){.name = ""};
    if (r->stem != NULL && r->part->failure_count < CLI_MOST_FAILURES)
        VKMM_PUT(file, "%.400s-%s-%u.comp", r->stem, r->part->name, r->part->failure_count + 1);
    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(&r->worker,
                               json_pack("{s:s, s:s, s:i, s:o}", "ask", what, "part", r->part->name, "first",
                                         (int)r->first, "file", cli_json_of_text(file)),
                               PATIENCE, &answer);
    if (answer != NULL && !cli_record_parse(answer, &cli_case_record, found, sentence))
        reply = cli_worker_distrust(&r->worker, sentence);
    json_decref(answer);
    r->first = found->name[0] != '\0' ? found->index + 1 : r->first;
    return reply;
}

/* The process ended in the middle of a case: another one names it. */
static int bury(run *r)
{
    const uint32_t losses = r->worker.losses;
    char how[CLI_CASE_TEXT];
    cli_case lost;
    VKMM_PUT(how, "the process that ran it %.300s", r->worker.how);
    if (ask(r, "name", &lost) != CLI_REPLY_ANSWER || lost.name[0] == '\0') VKMM_PUT(lost.name, "?");
    VKMM_PUT(lost.why, "%s", how);
    note(r, lost.finding, FAILED);
    fail_case(r, &lost);
    return losses < CLI_WORKER_MOST_LOSSES && r->worker.process != NULL;
}

/* One case. 0: the part is over. */
static int step(run *r)
{
    cli_case found;
    const cli_reply reply = ask(r, "case", &found);
    if (reply == CLI_REPLY_LOST && bury(r)) return 1;
    if (reply != CLI_REPLY_INTERRUPTED && r->worker.status != VKMM_OK) {
        VKMM_PUT(r->part->incomplete, "%.300s", r->worker.sentence);
        r->status = cli_worse(r->status, r->worker.status);
    }
    if (reply != CLI_REPLY_ANSWER || r->worker.status != VKMM_OK || found.name[0] == '\0') return 0;
    r->worker.losses = 0;
    note(r, found.finding, found.passed ? PASSED : FAILED);
    if (!found.passed) {
        fail_case(r, &found);
        return 1;
    }
    put_case(r, found.name, NULL, NULL);
    r->part->passed++, r->part->run++;
    return 1;
}

static void run_part(run *r, const char *name)
{
    int more = 1;
    r->part = &r->all->parts[r->all->part_count++];
    r->part->name = name;
    if (r->session->writer == &cli_junit_writer) cli_junit_begin_suite(r->session->report.out, name);
    r->first = 0;
    r->worker.losses = 0;
    while (more && !cli_interrupted()) {
        cli_progress(&r->session->console, "%s: %u cases", name, r->part->run);
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
    if (r->session->writer == &cli_junit_writer) fputs("  </testsuite>\n", r->session->report.out);
}

vkmm_status cli_conform(cli_session *session, double budget_ms, const char *stem, cli_conformance *all)
{
    const cli_options *options = session->options;
    char types[CLI_TYPES_WORD], kernel[64];
    uint32_t ran = 0;
    run r = {.session = session, .all = all, .stem = stem, .end_ms = vkmm_now_ms() + budget_ms};
    *all = (cli_conformance){.passed = 1};
    VKMM_PUT(kernel, "--kernel=%.40s", options->kernel != NULL ? options->kernel : "");
    r.worker = (cli_worker){
        .session = session,
        .command = "check-worker",
        .device = session->info,
        .words = {cli_types_word(&options->types, types), options->kernel != NULL ? kernel : NULL, "--no-cache"}};
    if (session->info->check != NULL) r.found = *session->info->check;
    for (const cli_case_part *const *part = cli_case_parts; *part != NULL && !cli_interrupted(); part++) {
        if (options->part != NULL && strcmp(options->part, (*part)->name) != 0) continue;
        run_part(&r, (*part)->name);
        ran += r.part->run;
    }
    cli_worker_close(&r.worker);
    cli_progress_end(&session->console);
    vkmm_host_time(r.found.date);
    if (ran > 0) vkmm_findings_write(session->instance, session->info, &r.found);
    return r.status;
}

vkmm_status cli_command_check(cli_session *session)
{
    const cli_options *options = session->options;
    char stem[CLI_CASE_TEXT];
    vkmm_status status = cli_session_find_device(session);
    cli_conformance all;
    if (status == VKMM_OK && options->output != NULL && vkmm_path_look(options->output, 1) != VKMM_PATH_OPEN)
        status =
            VKMM_FAIL(session->log, VKMM_INVALID, "'%.400s' is no folder that can be written into", options->output);
    if (status != VKMM_OK) return status;
    VKMM_PUT(stem, "%.400s/check", options->output != NULL ? options->output : "");
    if (session->writer == &cli_junit_writer) cli_junit_begin(session->report.out, "vkmatmul check");
    cli_interrupt_catch(0);
    status = cli_conform(session, options->budget_ms > 0 ? options->budget_ms : CLI_CHECK_MS,
                         options->output != NULL ? stem : NULL, &all);
    if (session->writer == &cli_junit_writer)
        fputs("</testsuites>\n", session->report.out);
    else if (session->writer->document != NULL)
        status = cli_worse(status, cli_session_record(session, "vkmatmul.check/1", &cli_conformance_record, &all));
    else
        show(&session->report, &all);
    cli_interrupt_release();
    if (cli_interrupted()) status = (vkmm_status)(128 + cli_interrupted()); /* as shells count it */
    return status;
}
