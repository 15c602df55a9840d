/* Hidden commands of this program, each in a process of its own, that measure or examine for a visible one: a driver
 * that crashes, hangs or loses its device takes that process with it, and nothing else. Both sides talk in lines, and
 * every line is one JSON object:
 *
 *     {"ask": WORD, …}                      a request, on the process's standard input
 *     {"status": S, "sentence": T, …}       its answer, on standard output. S is a vkmm_status; T says why it is not 0
 *
 * A process answers one request after another, and ends with its input. Each family has words and keys of its own
 * (bench/jobs.h, tune/tune.h, devices/doctor.h); all know {"ask": "hello"}, the first request, whose answer has
 * the "uuid" of the device that the process works on, and its "name" (null and the processor's for the host). */
#ifndef VKMM_TOOL_WORKER_H
#define VKMM_TOOL_WORKER_H

#include <jansson.h>

#include "session/session.h"
#include "system/process.h"

/* ---- The side that asks ---- */

enum { CLI_WORKER_MOST_WORDS = 4, CLI_WORKER_MOST_LOSSES = 3 /* in a row, and the device is given up */ };

/* Filled in by its owner down to `words`, and otherwise zeroed. */
typedef struct cli_worker {
    cli_session *session;
    const char *command;                      /* the hidden one */
    const vkmm_device_info *device;           /* that it works on; NULL: none, or the host */
    const char *words[CLI_WORKER_MOST_WORDS]; /* more options, as many as are not NULL */

    vkmm_process *process; /* NULL: none runs */
    uint32_t starts;
    uint32_t losses;    /* in a row: it crashed, hung, gave nonsense or lost the device. Whoever is content sets 0 */
    double spent_ms;    /* waiting for answers */
    int is_timeout;     /* the last loss was a process that did not answer in time */
    vkmm_status status; /* of the last answer, */
    char sentence[VKMM_SENTENCE_BYTES]; /* and why it is not VKMM_OK; or what became of the process, */
    char how[VKMM_SENTENCE_BYTES];      /* of which this is the predicate: "ended with status 6" */
} cli_worker;

typedef enum cli_reply {
    CLI_REPLY_ANSWER,      /* worker->status is the process's verdict on the request */
    CLI_REPLY_LOST,        /* the process is gone, with all that it held: worker->sentence */
    CLI_REPLY_NO_WORKER,   /* none can be started, or it sees another device: worker->status and sentence */
    CLI_REPLY_INTERRUPTED, /* by a signal; the process has been ended */
} cli_reply;

/* Starts the process, of the program that --worker names or of this one, with --validate and --no-layers as they are
 * here; it inherits the environment. */
cli_reply cli_worker_spawn(cli_worker *worker);

/* The same unless it runs, and hears from it that it works on the very device that was meant: an index may mean
 * another one in another process. A process that is lost meanwhile is started again, CLI_WORKER_MOST_LOSSES times. */
cli_reply cli_worker_start(cli_worker *worker, double patience_ms);

/* Sends a request, which is dropped (NULL: memory ran out), and waits for the answer. *answer: to be dropped with
 * json_decref; NULL unless CLI_REPLY_ANSWER. The process must run. VKMM_DEVICE_LOST in the answer counts as lost. */
cli_reply cli_worker_ask(cli_worker *worker, json_t *request, double patience_ms, json_t **answer);

/* What it answered makes no sense: ends the process, and counts as a loss. */
cli_reply cli_worker_distrust(cli_worker *worker, const char *what);
void cli_worker_close(cli_worker *worker);

/* ---- The side that answers ---- */

/* Does what a request asks and adds to the answer, except "status" and "sentence": these are what it returns and the
 * error that it reported. `hello` comes first, unless somebody else asks. */
typedef vkmm_status cli_obey(void *user, const char *ask, const json_t *request, json_t *answer);

/* Answers on standard output until standard input ends. VKMM_INVALID when nothing was asked. */
vkmm_status cli_worker_serve(cli_session *session, cli_obey *obey, void *user);

/* Puts the session's device, or the host, into the answer to hello: VKMM_OK. */
vkmm_status cli_worker_introduce(const cli_session *session, json_t *answer);

/* Fails because of a word that the process does not know. */
vkmm_status cli_worker_refuse(const cli_session *session, const char *ask);

/* ---- Both ---- */

/* The fields of an object, or what stands in for one that is missing or of another type. */
const char *cli_json_text(const json_t *object, const char *key, const char *otherwise);
double cli_json_number(const json_t *object, const char *key, double otherwise);

#endif
