#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/json.h"
#include "report/text.h"

#define MOST_ANSWER ((size_t)16 << 20) /* bytes */
#define END_MS      2000.0             /* for a process to end after its input has ended */

enum { MOST_ARGUMENTS = 16, MOST_REQUEST = 1 << 16 /* bytes */ };

/* ---- both ---- */

const char *cli_json_text(const json_t *object, const char *key, const char *otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

double cli_json_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* ---- the side that asks ---- */

static void say(cli_worker *worker, vkmm_status status, const char *sentence)
{
    worker->status = status;
    VKMM_PUT(worker->sentence, "%s", sentence);
}

cli_reply cli_worker_spawn(cli_worker *worker)
{
    const cli_options *options = worker->session->options;
    const char *all[MOST_ARGUMENTS] = {"vkmatmul", worker->command};
    char index[16], *arguments[MOST_ARGUMENTS] = {NULL};
    size_t count = 2;
    if (worker->device != NULL) {
        VKMM_PUT(index, "%u", worker->device->index);
        all[count++] = "--device";
        all[count++] = worker->devices != NULL ? worker->devices : index;
    }
    if (options->validate) all[count++] = "--validate";
    if (options->no_layers) all[count++] = "--no-layers";
    for (size_t i = 0; i < CLI_WORKER_MOST_WORDS; i++)
        if (worker->words[i] != NULL) all[count++] = worker->words[i];
    for (size_t i = 0; i < count; i++) arguments[i] = (char *)(uintptr_t)all[i];
    const vkmm_status status = cli_process_start(worker->session->log, options->worker, arguments, &worker->process);
    if (status == VKMM_OK) return CLI_REPLY_ANSWER;
    VKMM_PUT(worker->how, "cannot be started");
    say(worker, status, "the process that measures cannot be started");
    return CLI_REPLY_NO_WORKER;
}

void cli_worker_close(cli_worker *worker)
{
    cli_process_end(&worker->process, END_MS, NULL);
}

static cli_reply lose(cli_worker *worker, const char *sentence)
{
    worker->losses++;
    say(worker, VKMM_DEVICE_LOST, sentence);
    return CLI_REPLY_LOST;
}

cli_reply cli_worker_distrust(cli_worker *worker, const char *what)
{
    char sentence[VKMM_SENTENCE_BYTES];
    /* `what` may be the process's text, which is freed with it. */
    VKMM_PUT(worker->how, "gave an invalid answer: %.120s", what);
    VKMM_PUT(sentence, "the process that measured %.200s", worker->how);
    cli_process_end(&worker->process, 0, NULL);
    return lose(worker, sentence);
}

/* A process that did not answer. */
static cli_reply bury(cli_worker *worker, cli_heard heard, double waited_ms)
{
    char sentence[VKMM_SENTENCE_BYTES], how[CLI_PROCESS_END];
    cli_process_end(&worker->process, heard == CLI_HEARD_END ? END_MS : 0, how);
    if (heard == CLI_HEARD_INTERRUPTED) return CLI_REPLY_INTERRUPTED;
    worker->is_timeout = heard == CLI_HEARD_NOTHING;
    if (worker->is_timeout) {
        VKMM_PUT(worker->how, "gave no answer for %.0f s", waited_ms / 1000);
        VKMM_PUT(sentence, "no answer within %.1f s; the process that measured was killed", waited_ms / 1000);
    } else {
        VKMM_PUT(worker->how, "%s", how);
        VKMM_PUT(sentence, "the process that measured %s", how);
    }
    return lose(worker, sentence);
}

/* Any object with a vkmm_status is an answer. */
static cli_reply take(cli_worker *worker, const char *text, json_t **answer)
{
    json_t *object = json_loads(text, 0, NULL);
    const json_t *status = json_object_get(object, "status");
    if (!json_is_integer(status) || json_integer_value(status) < VKMM_OK ||
        json_integer_value(status) > VKMM_DEVICE_LOST) {
        json_decref(object);
        return cli_worker_distrust(worker, text);
    }
    say(worker, (vkmm_status)json_integer_value(status), cli_json_text(object, "sentence", ""));
    if (worker->status != VKMM_DEVICE_LOST) {
        *answer = object;
        return CLI_REPLY_ANSWER;
    }
    json_decref(object);
    cli_process_end(&worker->process, 0, NULL);
    VKMM_PUT(worker->how, "lost the device");
    worker->losses++;
    if (worker->sentence[0] == '\0') say(worker, VKMM_DEVICE_LOST, "the device was lost");
    return CLI_REPLY_LOST;
}

cli_reply cli_worker_ask(cli_worker *worker, json_t *request, double patience_ms, json_t **answer)
{
    const double start = vkmm_now_ms();
    char *line = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    const char *text = NULL;
    *answer = NULL;
    worker->is_timeout = 0;
    json_decref(request);
    if (line == NULL) return cli_worker_distrust(worker, "no memory for a request");
    /* Ignored if the process is gone: receiving detects that. */
    if (cli_process_send(worker->process, line)) cli_process_send(worker->process, "\n");
    free(line);
    const cli_heard heard = cli_process_hear(worker->process, start + patience_ms, MOST_ANSWER, &text);
    worker->spent_ms += vkmm_now_ms() - start;
    return heard == CLI_HEARD_LINE ? take(worker, text, answer) : bury(worker, heard, patience_ms);
}

/* The first exchange with a new process. */
static cli_reply greet(cli_worker *worker, double patience_ms)
{
    char sentence[VKMM_SENTENCE_BYTES];
    json_t *answer;
    const cli_reply reply = cli_worker_ask(worker, json_pack("{s:s}", "ask", "hello"), patience_ms, &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    const char *heard = cli_json_text(answer, "uuid", "");
    const int is_same = strcmp(heard, worker->device != NULL ? CLI_UUID(worker->device->uuid) : "") == 0;
    VKMM_PUT(sentence, "the process that measures sees another device: %.100s", cli_json_text(answer, "name", heard));
    json_decref(answer);
    if (worker->status == VKMM_OK && is_same) return CLI_REPLY_ANSWER;
    if (worker->status == VKMM_OK) say(worker, VKMM_NO_DEVICE, sentence);
    cli_worker_close(worker);
    return CLI_REPLY_NO_WORKER;
}

cli_reply cli_worker_start(cli_worker *worker, double patience_ms)
{
    cli_reply reply = CLI_REPLY_ANSWER;
    while (worker->process == NULL) {
        reply = cli_worker_spawn(worker);
        if (reply == CLI_REPLY_ANSWER) reply = greet(worker, patience_ms);
        /* A driver may need a moment to recover from a lost device. */
        if (reply != CLI_REPLY_LOST || worker->losses >= CLI_WORKER_MOST_LOSSES) return reply;
    }
    return reply;
}

/* ---- the side that answers ---- */

vkmm_status cli_worker_introduce(const cli_session *session, json_t *answer)
{
    json_object_set_new(answer, "uuid",
                        session->info != NULL ? json_string(CLI_UUID(session->info->uuid)) : json_null());
    json_object_set_new(answer, "name", cli_json_of_text(session->info != NULL ? session->info->name : session->host));
    return VKMM_OK;
}

vkmm_status cli_worker_refuse(const cli_session *session, const char *ask)
{
    return VKMM_FAIL(session->log, VKMM_INVALID, "this process does not know the request \"%.40s\"", ask);
}

static void answer_line(cli_session *session, const char *line, cli_obey *obey, void *user)
{
    json_t *request = json_loads(line, 0, NULL), *answer = json_object();
    session->console.last_error[0] = '\0';
    const vkmm_status status = obey(user, cli_json_text(request, "ask", ""), request, answer);
    vkmm_tell(session->log, status);
    json_object_set_new(answer, "status", json_integer(status));
    if (status != VKMM_OK) json_object_set_new(answer, "sentence", cli_json_of_text(session->console.last_error));
    /* As many digits as reports keep, so that figures of a run do not differ from those of its file. */
    json_dumpf(answer, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    fflush(stdout);
    json_decref(request);
    json_decref(answer);
}

vkmm_status cli_worker_serve(cli_session *session, cli_obey *obey, void *user)
{
    char *line = vkmm_alloc(MOST_REQUEST, 1);
    int asked = 0;
    cli_process_follow_parent();
    if (line == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for requests"));
    session->console.muted = 1; /* the sentences go into the answers */
    for (; fgets(line, MOST_REQUEST, stdin) != NULL; asked = 1) answer_line(session, line, obey, user);
    session->console.muted = 0;
    vkmm_free(line);
    if (asked) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_INVALID, "this command is used only by other commands of vkmatmul");
}
