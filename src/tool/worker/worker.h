/* Hidden commands of this program, each in a separate process, that measure or examine for a visible command: if a
 * driver crashes, hangs or loses its device, only that process is lost. Both sides exchange lines, and every line is
 * one JSON object:
 *
 *     {"ask": WORD, …}                      a request, on the process's standard input
 *     {"status": S, "sentence": T, …}       its answer, on standard output. S is a vkmm_status; T says why it is not 0
 *
 * A process answers one request after another, and ends when its input ends. Each family has its own words and keys
 * (bench/bench_worker.c, tune/tune.h, devices/doctor.h). All know {"ask": "hello"}, the first request, whose answer has
 * the "uuid" of the device that the process works on, and its "name" (for the host: null and the processor's name). */
#pragma once

#include <jansson.h>

#include "session/session.h"
#include "system/process.h"

/* ---- The side that asks ---- */

enum { CLI_WORKER_MOST_WORDS = 4, CLI_WORKER_MOST_LOSSES = 3 /* in a row, after which the device is given up */ };

/* The owner fills in the fields down to `words` and zeroes the others. */
typedef struct cli_worker {
    cli_session *session;
    const char *command;            /* the hidden one */
    const vkmm_device_info *device; /* that it works on; NULL: none, or the host */
    const char *devices;            /* NULL, or the indices of several that share its products, `device` first: "0,2" */
    const char *words[CLI_WORKER_MOST_WORDS]; /* more options, as many as are not NULL */

    cli_process *process; /* NULL: none runs */
    uint32_t losses; /* in a row: it crashed, hung, gave invalid answers or lost the device. Its owner may reset it */
    double spent_ms; /* waiting for answers */
    int is_timeout;  /* the last loss was a process that did not answer in time */
    vkmm_status status;                 /* of the last answer, */
    char sentence[VKMM_SENTENCE_BYTES]; /* and why it is not VKMM_OK; or how the process ended, */
    char how[VKMM_SENTENCE_BYTES];      /* as a predicate: "ended with status 6" */
} cli_worker;

typedef enum cli_reply {
    CLI_REPLY_ANSWER,      /* worker->status is the process's verdict on the request */
    CLI_REPLY_LOST,        /* the process is gone, and so is all that it held: worker->sentence */
    CLI_REPLY_NO_WORKER,   /* none can be started, or it sees another device: worker->status and sentence */
    CLI_REPLY_INTERRUPTED, /* by a signal; the process has been ended */
} cli_reply;

/* Starts the process: the program that --worker names, or this one, with this process's --validate and --no-layers. It
 * inherits the environment. */
cli_reply cli_worker_spawn(cli_worker *worker);

/* The same unless it is running; then checks that the process works on the intended device, because an index may mean
 * another device in another process. A process that is lost meanwhile is started again, CLI_WORKER_MOST_LOSSES
 * times. */
cli_reply cli_worker_start(cli_worker *worker, double patience_ms);

/* Sends a request, which is released (NULL: memory ran out), and waits for the answer. *answer: to be released with
 * json_decref; NULL unless CLI_REPLY_ANSWER. The process must run. VKMM_DEVICE_LOST in the answer counts as lost. */
cli_reply cli_worker_ask(cli_worker *worker, json_t *request, double patience_ms, json_t **answer);

/* The answer is invalid: ends the process, and counts a loss. */
cli_reply cli_worker_distrust(cli_worker *worker, const char *what);
void cli_worker_close(cli_worker *worker);

/* ---- The side that answers ---- */

/* Carries out a request and adds to the answer, except "status" and "sentence": these are its return value and the
 * error that it reported. `hello` comes first, if the requests come from vkmatmul. */
typedef vkmm_status cli_obey(void *user, const char *ask, const json_t *request, json_t *answer);

/* Answers on standard output until standard input ends. VKMM_INVALID if there was no request. */
vkmm_status cli_worker_serve(cli_session *session, cli_obey *obey, void *user);

/* Puts the session's device, or the host, into the answer to hello: VKMM_OK. */
vkmm_status cli_worker_introduce(const cli_session *session, json_t *answer);

/* Fails because of an unknown request. */
vkmm_status cli_worker_refuse(const cli_session *session, const char *ask);

/* ---- Both ---- */

/* The value of a field, or `otherwise` if it is missing or of another type. */
const char *cli_json_text(const json_t *object, const char *key, const char *otherwise);
double cli_json_number(const json_t *object, const char *key, double otherwise);
