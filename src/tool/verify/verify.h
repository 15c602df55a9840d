/* Decides whether a product is right, without Vulkan and without knowing which kernel ran. The claim under test: C =
 * activation(α·A·B + β·C₀ + bias), where C₀ is C before the product. Integers are exact; an element of floats passes
 * when
 *
 *     |ΔC_ij| ≤ ε · g · s_ij + φ,       s_ij = |α|·Σ_k |a_ik|·|b_kj| + |β|·|c₀_ij| + |bias_j|
 *
 * φ is what flushed subnormal numbers change. doc/verification.md has g and φ for each type and method, the source of
 * every bound, and what the vectors find. */
#pragma once

#include "math/problem.h"

typedef enum cli_verify_method {
    /* Full while all products of the batch, batches·M·N·K, are at most 2^30 (integers) or 2^24 (floats), and if
     * vectors would save nothing: one extent ≤ 16, or M·N·K ≤ 2^16. Else Freivalds. */
    CLI_VERIFY_AUTO,
    CLI_VERIFY_FULL,      /* every element against the reference */
    CLI_VERIFY_FREIVALDS, /* vectors and rows of every matrix, as above; full where an extent or α is 0 */
    CLI_VERIFY_NONE,
    CLI_VERIFY_SAMPLES /* only in verdicts: what FREIVALDS becomes without the A·B that it wants */
} cli_verify_method;

/* "auto", "full", "freivalds", "none", "samples" */
const char *cli_verify_method_name(cli_verify_method method);

/* The kind of numbers in A, B and C₀, which determines how their roundings add up. */
typedef enum cli_numbers {
    CLI_NUMBERS_RANDOM, /* from a random generator, with signs; or numbers whose sums are exact, like ones: g =
                            max(16, √K) */
    CLI_NUMBERS_ANY     /* unknown, or with a pattern: g = max(16, K/2 + 2) */
} cli_numbers;

typedef struct cli_verdict {
    cli_verify_method method; /* the method used: never AUTO */
    int passed;               /* 0 with NONE: unverified is not right */
    /* The largest |ΔC| of recomputed elements beyond φ, in units of ε·s. INFINITY for a NaN, and where s is 0. Where
     * `bound` is 0: the largest |ΔC| of wrong elements. */
    double error;
    double bound;         /* the limit of `error`: g; 0 for integers, and where nothing is summed */
    uint64_t batch;       /* the matrix of the batch that what follows is about */
    int has_element;      /* a wrong element is known: */
    uint64_t row, col;    /* where, */
    double got, want;     /* the value found and the expected value */
    int unwritten;        /* what was found is the canary (math/matrix.h) */
    uint64_t wrong_count; /* wrong elements of this matrix seen, with FULL all of them; or all elements that changed
                             outside */
    uint64_t nans, infinities; /* elements of all matrices of floats up to the first wrong one; 0 with NONE */
    int outside;        /* the matrices are right, but an element of C's memory that belongs to none has changed: */
    uint64_t at;        /* this one, counted from the beginning of the memory */
    char sentence[480]; /* the result in one sentence, for people */
} cli_verdict;

/* An operand of a batch, wherever it is stored: the first matrix with op applied, and the elements from one to the next
 * (0: all are the same). */
typedef struct cli_stack {
    vkmm_view first;
    uint64_t stride;
} cli_stack;

vkmm_view cli_stack_at(const cli_stack *stack, uint64_t batch);

/* All that a product reads and writes: by vkmm_operand, then C before the product, which is used if β is not 0. Then
 * A·B of the kernel under test, shaped as C, in C's or the sums' type, to compare with. */
enum { CLI_BEFORE = VKMM_BIAS + 1, CLI_STACKS, CLI_SUMS = CLI_STACKS, CLI_EVIDENCE };

/* Whether AUTO and FREIVALDS need stacks[CLI_SUMS], because vectors judge A·B alone: there is an activation (only
 * samples are checked without), or α, β or C before the product is not finite (much is recomputed without). */
int cli_verify_wants_sums(const vkmm_problem *problem, const cli_stack stacks[CLI_EVIDENCE], cli_verify_method method);

/* In memory that is laid out as in the problem. */
cli_stack cli_stack_of(const vkmm_problem *problem, int which, const void *data);

/* Verifies every matrix of a checked problem, whose leading dimensions, strides and offsets count only for gaps and c:
 * C's memory before and after the product; gaps NULL: what is between C's elements is not checked. The verdict is that
 * of the first wrong matrix, then that of the gaps, or has the largest error. seed selects vectors and rows. VKMM_OK
 * even when the product is wrong; VKMM_INVALID, VKMM_OUT_OF_MEMORY. Memory used: O(M + N + K); the matrices may
 * be mapped files. */
vkmm_status cli_verify_stacks(const vkmm_log *log, const vkmm_problem *problem, const cli_stack stacks[CLI_EVIDENCE],
                              const void *gaps, const void *c, cli_numbers numbers, cli_verify_method method,
                              uint64_t seed, cli_verdict *verdict);
