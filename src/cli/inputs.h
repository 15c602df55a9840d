/* A, B and, where β counts, C as it was before: from .npy files or generated. */
#ifndef VKMM_CLI_INPUTS_H
#define VKMM_CLI_INPUTS_H

#include "cli/options.h"
#include "io/npy.h"
#include "verify/verify.h"

typedef struct cli_inputs {
    int from_files;
    vkmm_npy a, b; /* mapped while the inputs are open; zero when generated */
    vkmm_npy c;    /* likewise; zero without -c */
    vkmm_init init;
    uint64_t seed;
} cli_inputs;

/* Maps the files of -a, -b and -c and checks that they can be multiplied, as --transposeA and --transposeB have it, and have the type of
 * --type, if it was given. VKMM_INVALID names the files' shapes or types. Ended by cli_inputs_close, even on failure. */
vkmm_status cli_inputs_open(const vkmm_log *log, const cli_options *options, cli_inputs *inputs);
void cli_inputs_close(cli_inputs *inputs);

/* The extents of the product of the two files. */
cli_size cli_inputs_size(const cli_inputs *inputs, const cli_options *options);

/* Writes A and B of a problem into their memory, which is vkmm_operand_bytes long. What lies between their elements gets the canary: a kernel that
 * reads it gets a NaN. A batch has values of its own in each matrix, except from files: those go into every one. Generated values are
 * those of op(A) and op(B), so that the product is the same however the matrices are stored. */
void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, void *a, void *b);

/* The same for the C before: its matrices where β is not 0, the canary everywhere else. */
void cli_inputs_fill_c(const cli_inputs *inputs, const vkmm_problem *problem, void *c);

/* How the result records them: "uniform" …, or "file". */
const char *cli_inputs_name(const cli_inputs *inputs);

/* What the verification may take the inputs for. */
vkmm_numbers cli_inputs_numbers(const cli_inputs *inputs);

/* Seeds that are independent of one another: of A, of B, of the verification's random vectors, and of C. */
uint64_t cli_seed_of(uint64_t seed, unsigned purpose);
enum { CLI_SEED_A, CLI_SEED_B, CLI_SEED_VERIFY, CLI_SEED_C };

#endif
