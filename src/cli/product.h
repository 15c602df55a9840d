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
    vkmm_row row; /* borrows from all of this, from the session and from the inputs */
} cli_product;

/* Fills a zeroed product. VKMM_OK with a right product or one that nobody asked to verify; VKMM_WRONG_RESULT, with the sentence said and
 * a row that has no speed; anything else, said too, leaves no row (product->job is then NULL). Ended by cli_product_end. */
vkmm_status cli_product_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params, cli_product *product);
void cli_product_end(cli_product *product);

#endif
