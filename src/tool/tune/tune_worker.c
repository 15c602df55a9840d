#include "tune/tune.h"

#include "base/clock.h"
#include "session/child.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FAILED_STARTS = 3 };
#define START_PATIENCE_MS 30000.0 /* for the driver to start, and the operands to be made */

static vkmm_status start(cli_worker_link *link)
{
    static const char *const words[] = {"--no-cache", NULL};

    return cli_child_start(link->session, "tune-worker", link->session->info, words, &link->process);
}

void cli_worker_close(cli_worker_link *link)
{
    vkmm_process_end(&link->process, CLI_CHILD_END_MS, NULL);
}

/* A worker that did not answer. */
static cli_reply lose(cli_worker_link *link, vkmm_heard heard, double waited_ms, int late, cli_answer *answer)
{
    char sentence[sizeof answer->sentence];

    cli_child_lose(&link->process, heard, waited_ms, sentence, sizeof sentence);
    if (heard == VKMM_HEARD_INTERRUPTED) return CLI_REPLY_INTERRUPTED;
    if (late) return CLI_REPLY_LATE;
    link->lost++;
    answer->status = VKMM_DEVICE_LOST;
    memcpy(answer->sentence, sentence, sizeof sentence);
    return CLI_REPLY_LOST;
}

/* One line. late: whether it is the tune's end that comes first. */
static cli_reply hear(cli_worker_link *link, double patience_ms, double end_ms, char line[CLI_LINE], cli_answer *answer)
{
    double now = vkmm_now_ms(), deadline = now + patience_ms;
    int late = deadline > end_ms;
    vkmm_heard heard = vkmm_process_hear(link->process, late ? end_ms : deadline, line);

    if (heard == VKMM_HEARD_LINE) return CLI_REPLY_ANSWER;
    return lose(link, heard, patience_ms, late && heard == VKMM_HEARD_NOTHING, answer);
}

/* A worker that is ready, on the very device that was asked for: an index may mean another one in another process. */
static cli_reply get_ready(cli_worker_link *link, double end_ms, cli_answer *answer)
{
    char line[CLI_LINE], uuid[VKMM_UUID_TEXT], expected[64];
    cli_reply reply;

    if (link->process != NULL) return CLI_REPLY_ANSWER;
    answer->status = start(link);
    if (answer->status != VKMM_OK) {
        snprintf(answer->sentence, sizeof answer->sentence, "the process that measures cannot be started");
        return CLI_REPLY_NO_WORKER;
    }
    cli_write_problem(&link->problem, line);
    vkmm_process_send(link->process, line);
    reply = hear(link, START_PATIENCE_MS, end_ms, line, answer);
    vkmm_text_uuid(uuid, link->session->info->uuid);
    snprintf(expected, sizeof expected, "ready %s", uuid);
    if (reply == CLI_REPLY_ANSWER && strcmp(line, expected) == 0) {
        link->failed_starts = 0;
        return reply;
    }
    if (reply == CLI_REPLY_LATE || reply == CLI_REPLY_INTERRUPTED) return reply;
    if (reply == CLI_REPLY_ANSWER && (!cli_read_answer(line, 0, answer) || answer->status == VKMM_OK)) {
        answer->status = VKMM_NO_DEVICE;
        snprintf(answer->sentence, sizeof answer->sentence, "the process that measures sees another device: %.60s",
                 line);
    }
    cli_worker_close(link);
    /* A driver may need a moment to get over a lost device. */
    if (++link->failed_starts < MOST_FAILED_STARTS && reply == CLI_REPLY_LOST) return get_ready(link, end_ms, answer);
    return CLI_REPLY_NO_WORKER;
}

cli_reply cli_worker_ask(cli_worker_link *link, const char *request, int duel, double patience_ms, double end_ms,
                         cli_answer *answer)
{
    char line[CLI_LINE];
    cli_reply reply = get_ready(link, end_ms, answer);

    if (reply != CLI_REPLY_ANSWER) return reply;
    vkmm_process_send(link->process, request); /* to one that is gone: its end is heard next */
    reply = hear(link, patience_ms, end_ms, line, answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (!cli_read_answer(line, duel, answer)) {
        vkmm_process_end(&link->process, 0, NULL);
        link->lost++;
        answer->status = VKMM_DEVICE_LOST;
        snprintf(answer->sentence, sizeof answer->sentence, "the process that measured gave no sensible answer: %.60s",
                 line);
        return CLI_REPLY_LOST;
    }
    if (answer->status == VKMM_DEVICE_LOST) vkmm_process_end(&link->process, 0, NULL);
    return reply;
}
