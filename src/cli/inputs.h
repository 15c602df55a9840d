/* A and B: from .npy files or generated. */
#ifndef VKMM_CLI_INPUTS_H
#define VKMM_CLI_INPUTS_H

#include "cli/options.h"
#include "io/npy.h"

typedef struct cli_inputs {
    int from_files;
    vkmm_npy a, b; /* mapped while the inputs are open; zero when generated */
    vkmm_init init;
    uint64_t seed;
} cli_inputs;

/* Maps the files of -a and -b and checks that they can be multiplied and have the type of --type, if it was given.
 * VKMM_INVALID names both files' shapes or types. Ended by cli_inputs_close, even on failure. */
vkmm_status cli_inputs_open(const vkmm_log *log, const cli_options *options, cli_inputs *inputs);
void cli_inputs_close(cli_inputs *inputs);

/* The product of the two files. */
vkmm_problem cli_inputs_problem(const cli_inputs *inputs);

/* Fills A and B of a job in place, and gives the views by which its product is to be judged: those of the files themselves, or
 * of the generated matrices in the job. */
void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_job *job, vkmm_view *a, vkmm_view *b);

/* How the result records them: "uniform" …, or "file". */
const char *cli_inputs_name(const cli_inputs *inputs);

/* Seeds that are independent of one another: of A, of B, and of the verification's random vectors. */
uint64_t cli_seed_of(uint64_t seed, unsigned purpose);
enum { CLI_SEED_A, CLI_SEED_B, CLI_SEED_VERIFY };

#endif
