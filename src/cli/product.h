/* One product from problem to row: run, judge, and only then time. */
#ifndef VKMM_CLI_PRODUCT_H
#define VKMM_CLI_PRODUCT_H

#include "cli/inputs.h"
#include "cli/session.h"

typedef struct cli_product {
    vkmm_job *job;
    const void *a, *b, *c; /* the operands' memory, in the job */
    void *before;          /* what C's memory held before, where it is an input; else NULL; owned */
    vkmm_verdict verdict;
    uint64_t judged; /* the fingerprint of the product that was judged, */
    double run_ms;   /* and how long it took, copies included */
    vkmm_row row;    /* borrows from all of this, from the session and from the inputs */
} cli_product;

/* Fills a zeroed product. VKMM_OK with a right product or one that nobody asked to verify; VKMM_WRONG_RESULT, with the sentence said and
 * a row that has no speed; anything else, said too, leaves no row (product->job is then NULL). Ended by cli_product_end. */
vkmm_status cli_product_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params, cli_product *product);
void cli_product_end(cli_product *product);

/* The first half of cli_product_run: everything but the timing, and row.verify. */
vkmm_status cli_product_prove(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params, cli_product *product);

/* After more runs of the job: VKMM_WRONG_RESULT, said, when its last product is not that which was judged, bit for bit. */
vkmm_status cli_product_again(cli_session *session, cli_product *product);

/* An empty product is right or wrong, but neither fast nor slow; so is one whose A and B do not count. */
int cli_product_is_work(const vkmm_problem *problem);

#endif
