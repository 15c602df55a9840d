/* One product from request to row: multiplied, judged, and only then timed. How it is multiplied is one const struct
 * of functions: as one job (resident.c), in panels (panels.c), or with the host's BLAS (bench/host_job.c). */
#ifndef VKMM_CLI_PRODUCT_H
#define VKMM_CLI_PRODUCT_H

#include "product/inputs.h"
#include "math/blas.h"
#include "session/session.h"

typedef struct cli_product_kind cli_product_kind;
typedef struct cli_product cli_product;

/* One product, and all that the command line says about it, resolved: what carries it out asks no option again. */
typedef struct cli_request {
    vkmm_job_params job; /* the checked problem; kernel, tile, configuration or shader */
    const cli_inputs *inputs;
    vkmm_measure_params measure;
    vkmm_verify_method verify;
    const cli_product_kind *kind; /* how to carry it out; NULL: as the device's memory demands */
    vkmm_blas *blas;              /* of the kind that multiplies on the host (bench/jobs.h) */
    uint64_t memory_limit;        /* bytes of device memory; 0: all that is free */
    const char *shader_file;      /* NULL: a kernel of the library */
    const char *out;              /* NULL, or where the product is to be saved */
    int print;                    /* show the matrices, too */
    /* Called between the verdict and the timing, as long as C may be read: saves the product, for example. status:
     * VKMM_OK or VKMM_WRONG_RESULT; returns it, or why the product is not to be timed. NULL: nothing */
    vkmm_status (*judged)(cli_product *product, vkmm_status status);
} cli_request;

/* Everything that all products of a command line share: the job's problem, kernel and shader, kind, out, print and
 * judged are left zero. Where the product is what is wanted, its one run gives the times, unless samples are asked
 * for. */
cli_request cli_request_make(const cli_options *options, const cli_inputs *inputs);

/* Sets the problem, of the given size and type and with everything else that the options say. VKMM_INVALID: it makes
 * no sense, or does not fit to the files of inputs or to that of -o. */
vkmm_status cli_request_problem(const vkmm_log *log, const cli_options *options, const cli_size *size, vkmm_type type,
                                cli_request *request);

/* Whether the kernel serial is asked for, which needs no device. */
int cli_request_is_serial(const cli_request *request);

struct cli_product {
    cli_session *session;
    const cli_request *request;
    const cli_product_kind *kind;
    vkmm_job *job;                 /* of a resident product; owned */
    void *own;                     /* what another kind keeps; owned */
    void *memory[VKMM_STACKS];     /* laid out as the problem says; NULL: in a file, or there is none; the kind's */
    vkmm_stack stack[VKMM_STACKS]; /* wherever they lie */
    unsigned in_files;             /* those that are mapped files, 1 << operand */
    char reason[512];              /* in panels: why; "": as a whole */
    const char *doing;             /* "planning", "multiplying": a lost device is reported with it */
    const char *fault;             /* what the kernel did that it may not, beside wrong elements; NULL: nothing */
    vkmm_verdict verdict;
    uint64_t judged;                /* the fingerprint of the product that was judged, */
    double run_ms;                  /* how long it took, copies included, */
    double ran_at;                  /* and when it was done, by vkmm_now_ms */
    const vkmm_kernel_info *kernel; /* NULL: there is no row */
    vkmm_bench_row row;             /* borrows from all of this, from the session and from the request */
};

/* Each function sets what the next one needs, in this order; end copes with what was not reached. */
struct cli_product_kind {
    vkmm_status (*plan)(cli_product *product); /* kernel */
    vkmm_status (*hold)(cli_product *product, int operand,
                        uint64_t bytes); /* its memory; or, where it is in a file, its stack and in_files */
    vkmm_status (*multiply)(cli_product *product, double *ms); /* once; VKMM_WRONG_RESULT with product->fault */
    vkmm_status (*measure)(cli_product *product, const vkmm_measure_params *params, vkmm_measurement *time);
    vkmm_status (*save)(cli_product *product); /* to request->out; nothing may be asked of C then */
    void (*end)(cli_product *product);
    int repeats; /* the operands stay in memory: it can be multiplied again, */
    int exact;   /* and gives the same bits */
};

extern const cli_product_kind cli_resident, cli_in_panels,
    cli_in_panels_again; /* of generated matrices, which is timed as often as asked */

/* Fills a zeroed product. VKMM_OK with a right product or one that nobody asked to verify; VKMM_WRONG_RESULT with a
 * row that has no speed; anything else leaves no row, and nothing to end. Errors are not shown: the console's
 * last_error has the sentence, for the caller to show. Ended by cli_product_end. Where the request leaves the kind
 * open, this is where it is chosen: in panels what the device's memory cannot hold as a whole. */
vkmm_status cli_product_run(cli_session *session, const cli_request *request, cli_product *product);
void cli_product_end(cli_product *product);

/* The first half of cli_product_run: everything but the timing, as one job, unless the request names a kind. */
vkmm_status cli_product_prove(cli_session *session, const cli_request *request, cli_product *product);

/* After more runs: VKMM_WRONG_RESULT when the last product is not that which was judged, bit for bit. Errors as
 * above. */
vkmm_status cli_product_again(cli_product *product);

/* A row that says what was asked for, and nothing of how it went. */
void cli_product_row(const cli_session *session, const cli_request *request, vkmm_bench_row *row);

/* Says in a row how the product was judged. */
void cli_product_judged(const cli_product *product, vkmm_bench_row *row);

/* Shows a line of progress about the product. */
void cli_product_progress(const cli_product *product, const char *what);

/* An empty product is right or wrong, but neither fast nor slow; so is one whose A and B do not count. */
int cli_product_is_work(const vkmm_problem *problem);

#endif
