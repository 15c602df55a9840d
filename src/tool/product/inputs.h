/* A, B, the bias, and the old C if β is not 0: from files or generated. */
#pragma once

#include "options/options.h"
#include "base/workers.h"
#include "io/array_file.h"
#include "verify/verify.h"

typedef struct cli_inputs {
    int from_files;         /* A and B are */
    cli_array_file file[4]; /* by vkmm_operand; mapped while the inputs are open, zero when generated */
    const char *path[4];    /* NULL: generated */
    vkmm_init init;
    uint64_t seed;
} cli_inputs;

/* Maps the files of -a, -b, -c and --bias ("-": standard input, for one of them), gives texts a type, and checks that A
 * and B can be multiplied, with --transposeA and --transposeB applied, that batches have the same length as each other
 * and as --batch_count, and that they have the type of --type, if given. A vector is a row of op(A) or a column of
 * op(B), with a warning. VKMM_INVALID names the files' shapes or types. Ended by cli_inputs_close, even on failure. */
vkmm_status cli_inputs_open(const vkmm_log *log, const cli_options *options, cli_inputs *inputs);
void cli_inputs_close(cli_inputs *inputs);

/* The extents of the product of the two files, the type of their elements, and how many matrices they hold: 0 if
 * neither holds a batch. */
cli_size cli_inputs_size(const cli_inputs *inputs, const cli_options *options);
vkmm_type cli_inputs_type(const cli_inputs *inputs);
uint64_t cli_inputs_batches(const cli_inputs *inputs);

/* Sets what the files decide of a problem: batch_count; for a tensor of GGUF as A or B, its format, and the op by which
 * its rows are along K in the problem's layout. */
void cli_inputs_decide(const cli_inputs *inputs, vkmm_problem *problem);

/* Checks the files of C and the bias against a problem: VKMM_INVALID names shapes or types. */
vkmm_status cli_inputs_check(const cli_inputs *inputs, const vkmm_problem *problem);

/* Writes an operand of a problem into its memory, which is vkmm_operand_bytes long. Gaps between elements are filled
 * with the canary: a kernel that reads them gets a NaN. So is all of C if β is 0. Each matrix of a batch has its own
 * values, except that a file with one matrix fills all of them. Generated values are those of op(A) and op(B), so the
 * product does not depend on how the matrices are stored. A file's blocks are left to cli_inputs_encode.
 * workers: copy files; NULL: the caller alone. */
void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, void *data,
                     vkmm_workers *workers);

/* A plain matrix of a problem to the blocks of an operand of another, which is like it but for formats, or its file's
 * blocks if it has some; then the plain matrix has the elements of the blocks, rounded to its type.
 * VKMM_OUT_OF_MEMORY. */
vkmm_status cli_inputs_encode(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, void *plain,
                              void *blocks, vkmm_workers *workers);

/* op(A), op(B) or the old C as stored in their files, if they come from files; else 0. */
int cli_inputs_stack(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, cli_stack *stack);

/* VKMM_INVALID, with the file's name, if a file was truncated since it was opened: results computed from it are not
 * valid. */
vkmm_status cli_inputs_whole(const cli_inputs *inputs);

/* How the result records them: "uniform" …, or "file". */
const char *cli_inputs_name(const cli_inputs *inputs);

/* What the verification may assume about the inputs. */
cli_numbers cli_inputs_numbers(const cli_inputs *inputs, const vkmm_problem *problem);

/* Indices for vkmm_random_bits that derive independent seeds: of A, of B, of the verification's random vectors, of C,
 * and of the bias. */
enum { CLI_SEED_A, CLI_SEED_B, CLI_SEED_VERIFY, CLI_SEED_C, CLI_SEED_BIAS };
