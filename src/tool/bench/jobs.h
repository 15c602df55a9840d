/* The jobs of a process that measures for `vkmatmul bench`: products on its device, or by the host's BLAS. Its
 * requests (worker/worker.h), in addition to hello:
 *
 *     {"ask": "peaks", "types": […], "matrix_ms": T}    "peaks": as in a report; of matrix shapes, one for each
 *                                                       combination of types, and others for T milliseconds
 *     {"ask": "begin", "id": I, "problem": {…}, "kernel": K, "shader": its file or absent,
 *      "seed": S, "rotating_bytes": B}
 *                                                       "row": as in a report, without samples, judged; "product_ms":
 *                                                       how long one takes, about; "host_ms": the host's part in it
 *     {"ask": "round", "id": I, "ms": T, "full": F}     "round": the "time" and "power" of a row, for about T ms of
 *                                                       kernel time; F: and of transfers
 *     {"ask": "end", "id": I}                           the last product was the judged one, bit for bit
 *  VKMM_WRONG_RESULT comes with the row. Several jobs are held at once, by id. */
#pragma once

#include <jansson.h>
#include "system/sensors.h"
#include "report/document.h"
#include "product/product.h"
#include "math/blas.h"

/* Shared by all jobs of the process. */
typedef struct cli_bench_place {
    cli_session *session;
    vkmm_blas *blas; /* NULL: the session's device multiplies */
    cli_sensors *sensors;
    int no_energy;     /* they report only clocks */
    double busy_until; /* by vkmm_now_ms: when the last round ended; devices that idle lower their clocks */
} cli_bench_place;

typedef struct cli_bench_job {
    json_int_t id; /* 0: the job is empty */
    char kernel[32];
    vkmm_shader *shader; /* owned; NULL: the kernel */
    char *shader_file;   /* owned */
    uint64_t rotating_bytes;
    cli_inputs inputs;
    cli_request request; /* the problem is its job's */
    cli_product product;
    double one_ms;  /* of a product; 0: unknown yet */
    double host_ms; /* that the host took to make the operands and judge the product */
} cli_bench_job;

enum {
    CLI_BENCH_SAMPLES = 200, /* of a round, at most */
    CLI_BENCH_JOBS = 64      /* that one process holds at most */
};

/* Multiplies once and judges: product.row then has everything that is known without samples. VKMM_OK;
 * VKMM_WRONG_RESULT with a row; otherwise the job is empty again. request.job.problem, kernel, rotating_bytes and
 * inputs.seed are set. */
vkmm_status cli_bench_job_begin(cli_bench_place *place, cli_bench_job *job);

/* Warms up, then takes samples for about ms of kernel time; full: of transfers and of the host's clock against the
 * device's as well. *round is initialised. */
vkmm_status cli_bench_job_round(cli_bench_place *place, cli_bench_job *job, double ms, int full, cli_bench_row *round);

void cli_bench_job_end(cli_bench_job *job);

extern const cli_product_kind cli_bench_host; /* with the request's BLAS */
