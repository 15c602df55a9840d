/* The bench's end of a process that measures (bench/protocol.h): started when there is something to ask, and again
 * after it was lost. */
#ifndef VKMM_CLI_BENCH_LINK_H
#define VKMM_CLI_BENCH_LINK_H

#include "system/process.h"
#include "bench/protocol.h"
#include "session/session.h"

#define CLI_BENCH_LOSSES 3 /* in a row, and the device is given up */

typedef struct cli_bench_link {
    cli_session *session;
    const vkmm_bench_device
        *device;           /* whose `info.index` is this process's; what answers must have its UUID, or be the host */
    vkmm_process *process; /* NULL: none runs */
    uint32_t losses;       /* in a row: processes that crashed, hung, spoke nonsense or lost the device */
    uint32_t starts;
    double spent_ms;                /* waiting for answers */
    vkmm_status status;             /* of the last answer, */
    char sentence[VKMM_BENCH_TEXT]; /* and why it is not VKMM_OK; or what became of the process */
} cli_bench_link;

typedef enum cli_bench_reply {
    CLI_BENCH_ANSWER,      /* link->status is the process's word on the request */
    CLI_BENCH_LOST,        /* it has gone, with all its jobs: link->sentence */
    CLI_BENCH_NO_DEVICE,   /* none can be started, or it sees another device: link->status and sentence */
    CLI_BENCH_INTERRUPTED, /* by a signal; the process has been ended */
} cli_bench_reply;

/* Starts the process unless it runs. */
cli_bench_reply cli_bench_start(cli_bench_link *link, double patience_ms);

/* Sends a request, which is dropped, and waits for the answer. *answer: to be dropped by json_decref; NULL unless
 * CLI_BENCH_ANSWER. The process must run. A VKMM_DEVICE_LOST in the answer counts as lost. */
cli_bench_reply cli_bench_ask(cli_bench_link *link, json_t *request, double patience_ms, json_t **answer);

/* What it answered makes no sense: ends the process, and counts as a loss. */
cli_bench_reply cli_bench_distrust(cli_bench_link *link, const char *what);
void cli_bench_close(cli_bench_link *link);

#endif
