/* One product from problem to row: run, judge, and only then time. */
#ifndef VKMM_CLI_PRODUCT_H
#define VKMM_CLI_PRODUCT_H

#include "product/inputs.h"
#include "session/session.h"

typedef struct cli_large cli_large;

typedef struct cli_product {
    vkmm_job *job;
    cli_large *large;      /* of a product in panels, which has no job (large.h); else NULL; owned */
    const void *a, *b, *c; /* the operands' memory, in the job */
    void *before;          /* what C's memory held before, where it is an input; else NULL; owned */
    vkmm_verdict verdict;
    uint64_t judged; /* the fingerprint of the product that was judged, */
    double run_ms;   /* and how long it took, copies included */
    vkmm_row row;   /* borrows from all of this, from the session and from the inputs; its kernel is NULL where there is
                       no row */
    int can_stream; /* in: that memory ends is not said where it ends for the job: the product can go in panels */
    int is_short;   /* out: it did; the console's last_error has why */
} cli_product;

/* Fills a zeroed product. VKMM_OK with a right product or one that nobody asked to verify; VKMM_WRONG_RESULT, with
 * the sentence said and a row that has no speed; anything else, said too, leaves no row. Ended by cli_product_end. */
vkmm_status cli_product_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                            cli_product *product);
void cli_product_end(cli_product *product);

/* The first half of cli_product_run: everything but the timing, and row.verify. */
vkmm_status cli_product_prove(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                              cli_product *product);

/* After more runs of the job: VKMM_WRONG_RESULT, said, when its last product is not that which was judged, bit for
 * bit. */
vkmm_status cli_product_again(cli_session *session, cli_product *product);

/* What the parts of a product share, in panels or not: a line of progress; the row's beginning (params and kernel);
 * its verdict. */
void cli_product_progress(cli_session *session, const cli_product *product, const char *what);
void cli_product_begin_row(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                           const vkmm_kernel_info *kernel, cli_product *product);
void cli_product_fill_verdict(cli_product *product);

/* VKMM_WRONG_RESULT, said, and in the row: why the product is wrong. */
vkmm_status cli_product_wrong(cli_session *session, cli_product *product, const char *sentence);

/* Around what the device does: errors are held back (not those of validation), and said with what was under way when
 * the device was lost. what: "multiplying". Returns the status. */
void cli_product_attempt(cli_session *session);
vkmm_status cli_product_attempted(cli_session *session, cli_product *product, vkmm_status status, const char *what);

/* op(A), op(B), C, or C before, of one matrix of the batch. */
vkmm_view cli_product_view(const cli_product *product, vkmm_operand operand, uint64_t batch);
vkmm_view cli_product_before(const cli_product *product, uint64_t batch);
const void *cli_product_bias(const cli_product *product);

/* An empty product is right or wrong, but neither fast nor slow; so is one whose A and B do not count. */
int cli_product_is_work(const vkmm_problem *problem);

#endif
