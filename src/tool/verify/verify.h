/* Decides whether a product is right, without Vulkan and without knowing which kernel ran. The claim under test: C =
 * α·A·B + β·C₀, where C₀ is C before the product; A and B are views with op applied. Floats. The reference is the exact
 * result, approximated in wider arithmetic: double for f32, long double for f64. An element passes when
 *
 *     |ΔC_ij| ≤ ε · g · s_ij  +  φ,       s_ij = |α|·Σ_k |a_ik|·|b_kj| + |β|·|c₀_ij|
 *     g = max(16, √K) for random numbers, max(16, K/2 + 2) for any others
 *     φ = min_normal · (|α|·K  +  1 where α is not 1  +  1 + |β| where β is not 0)
 *  16·ε, and s as the scale, are those of the reference BLAS testers (LAPACK Users' Guide; netlib blas/testing,
 * dblat3.f, subroutine DMMCH: its gauge G is |α|·Σ|a||b| + |β||c|). The K term: a sum of K rounded products, in any
 * order, differs from the exact one by at most γ_K·Σ|a||b| with γ_K = K·u/(1 − K·u), u = ε/2 (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., eq. 3.5); with independent, mean-zero roundings it stays below
 * λ·√K·u·Σ|a||b| with probability at least 1 − 2·exp(−λ²/2) (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, theorem
 * 2.4). √K·ε is λ = 2 of a bound that random data stay several times below; it exceeds 16·ε at K = 256. α and β add
 * three roundings, which 16·ε covers. Numbers with a pattern do not round independently: for 1, 2, 3, … with K = 4096 a
 * plain sum from the first term to the last is off by 127·ε·s, twice √K·ε·s. For them the roundings may all go one way,
 * and what holds is K·u·Σ|a||b| = K/2·ε·Σ|a||b|, in any order and for any K (Jeannerod and Rump, SIAM J. Matrix Anal.
 * Appl. 34(2), 2013: eq. 3.5 above without its denominator); 2·ε is for α and β. That bound is as wide as an average
 * term of the sum at K = 4096 in f32, so it detects less: kernels are proved with random numbers. φ allows a device
 * to flush subnormal numbers, as Vulkan permits: products of the sum, α times the sum, c₀ and β times it.
 *   Where nothing is summed (α = 0 or K = 0: A and B, even NaN, are then ignored), C is exactly β·c₀, rounded to
 * one of its two neighbours, as Vulkan requires of a multiplication (Precision of Individual Operations: "correctly
 * rounded"); a subnormal factor or result may be flushed. If β = 0, C₀ is ignored, even NaN.
 *  Narrow floats (A and B f16 or bf16, or the sums f16). C = activation(α·A·B + β·C₀ + bias), and the bound has a term
 * for each rounding:
 *   Inputs are exact, because they are f16 or bf16; f32 summed in f16 is rounded to f16 first, in the reference too. A
 * product with a subnormal factor may be missing, because Vulkan allows a device to flush those: φ_ij then grows by
 * |α|·|a_ik·b_kj| (and by |β·c₀|, |bias|, where these are subnormal f16).
 *   Sums: ε·g·s as above, ε that of the sums' type, s with + |bias_j|. Products of f16 and bf16 are exact in f32.
 * Matrix units then add 4 to 16 of them and the running sum at a time, truncate all of them at the last bit of the
 * largest, and truncate the result: toward zero (Fasi, Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA tensor
 * cores, PeerJ Comput. Sci. 7:e330, 2021). A rounding is below ε there, not ε/2, hence
 *     g = max(16, √K) for random numbers, max(16, 5/4·K + 2) for any others,
 * 5/4: a block of four truncates at most five numbers, and the result. Truncation has a direction, but √K still holds
 * for random numbers, whose running sum is about √k·σ, not k·σ: K/4 truncations of ε/2 of it on average add up to about
 * √K/16·ε·s (K = 6000: 5 of 77 allowed; 1.6 is observed). f16 sums (ε = 2^-10) are rounded to nearest; g = 6 for random
 * numbers, however many: of K roundings, each ε/2 of a running sum √k·σ at most, the deviation is below ε/2·K·σ/√6,
 * with Σ|a||b| = 3/4·Kσ (uniform numbers) about ε/4·s. One term after the other, the observed deviation is 0.20·ε·s
 * (normal numbers: 0.24), the largest of a million errors 2.3, and ten times as many add 0.4. max(6, 5/4·K + 2) for any
 * others, which from K = 1024 on says almost nothing, like such sums themselves. α, β and the bias are applied in f32:
 * |β·c₀| and |bias| have 2^-11 of their weight in s. A sum below min_normal may be flushed at each step: φ_ij has
 * |α|·min(K·2^-14, Σ|a||b|). Output: a value is rounded once, to nearest. So the ΔC_ij that is compared with the bound
 * is measured from the nearest number that rounds to the stored element, not from the element: only half a spacing of
 * C's type is free. From 65520 on (bf16: 2^128 - 2^119) infinity is right. 0 is also right up to min_normal, because a
 * subnormal result may be flushed. Activation: relu does not increase differences; gelu, whose slope is at most 1.13,
 * does so up to 1.13 times. tanh of a device is as accurate as its exp, which Vulkan requires to 3 + 2·|x| units in the
 * last place, twice, and a quotient's 2.5: with arguments up to 10 (larger ones give 1 - 2^-24) about 52·ε/2, so
 * gelu(x) has another 32·ε·|x|. A NaN stays NaN. gelu(-∞) is -0 or, as the formula has it, NaN. f32 and f64 have the
 * same terms for bias and activation, in their own ε.
 *   Split products (f32 as two f16 parts, doc/precision.md). s as above.
 *     g = 4 for random numbers, 5.25·√K + K/22 + 330 for any others.
 * In the order of the terms: hi·hi is summed by the matrix unit in runs of up to 2.6·√K + 84 elements, within 5/4·ε for
 * each of them (above); the runs, of √K/4 elements at least, and the parts of K are added in f32, with 4·√K roundings
 * of ε/2. The 2·K products with lo stay in the unit. Where both elements are at least 2^-28 of the largest of their
 * lines, |lo| ≤ 2^-11·|x|, in lo's unit, and each octave below (of A and B together: 6; of one of them: 5) doubles
 * that: these products add up to 34·2^-11·s, and 5/4·2·K·34·2^-11·ε = K/24·ε. lo·lo, at most 2^-22 = 2·ε of a product,
 * or 2^6 times as much, is left out; of x itself, up to 2^-22 is lost, or 2^5 times as much: 128·ε and 68·ε. Of random
 * numbers all these errors are independent, and smaller by √K, and hardly any element is so small. Without hi·lo or
 * lo·hi they would be about 2^-13/√K·s = 1000/√K·ε·s, and the largest of many four times as much: more than 4·ε·s up to
 * K = 10^6, whereas √K would hide them from 4096 on.
 *   Modular products (f64 as integers, math/modular.h). The product of the integers is exact.
 *     g = 4 for random numbers, √K + 4 for any others.
 * Rounding the elements of A and B to integers changes a sum by at most √K·ε·Σ_k |a_ik|·|b_kj|, which is what the
 * moduli are chosen for (doc/precision.md), half of it by either. If the roundings are independent, the deviation of
 * their sum is smaller by √K·√3 for either, together 0.41·ε·s. The sum, α, β and the bias are rounded once each.
 *
 * Integers. Exact, modulo 2^32.
 *  NaN and infinity. Where the reference is one of them, because α, β, A, B or C₀ holds one, the element must be the
 * same (infinity: with the same sign; α infinite: any infinity or NaN, because the result of a sum near zero depends on
 * its rounding). Where the reference is finite, they are wrong, with one exception: if s or Σ|a||b| exceeds the
 * type's largest finite value, a partial sum may overflow, so the results of that are right too (and the largest
 * finite f64 is the largest s). The type is that of the sums: f16 sums may overflow where Σ|a||b| exceeds 65504, and
 * the sentence reports how many elements did, and how many C itself could not hold.
 *  Freivalds' check (Freivalds 1977; for floats Ji, Mascagni, Li, arXiv:1705.10449) compares C·x with α·A·(B·x) +
 * β·C₀·x + bias·x for random x in O(n²). Rows that look wrong are recomputed, and only a wrong element decides. The
 * first row, the last and a random one are always recomputed: they show small errors that most rows have.
 *
 *   Floats, 4 vectors. x_j = w_j·u_j, where u_j has a random sign and a random magnitude between 0.65 and 1.31, whose
 * mean square is 1. The weight w_j is 1 over the usual magnitude in column j of C, |α|·mean|a|·Σ_k|b_kj| +
 * |β|·mean_i|c₀_ij| + |bias_j|: a column of large elements hides nothing in the others. The residual r_i = (ΔC·x)_i has
 * the variance Σ_j (ΔC_ij·w_j)². With |ΔC_ij| ≤ t_ij, the bound above, its deviation is at most ‖t_i·w‖₂, and by
 * Minkowski's inequality
 *
 *     ‖t_i·w‖₂ ≤ ε · g · (|α|·Σ_k |a_ik|·‖row k of B·w‖₂ + |β|·‖row i of C₀·w‖₂ + ‖bias·w‖₂) + φ·‖w‖₂
 *
 * (C narrower than its sums adds ε_C·‖row i of C·w‖₂), itself O(n²). Right rows stay far below that worst case, all by
 * about the same factor. σ, their deviation in units of the bound, is taken from the lower quartile of |r_i| over all
 * rows and vectors, so that wrong rows hardly change it. Rows beyond their bound, and the 16 furthest of those beyond
 * 5.5·σ (one right row in 6 million), are recomputed. If more stand out, the next one replaces 5.5·σ in what follows.
 *   A single element that is off by d adds at least 0.65·|d|·w_j to all residuals of its row. All four must stay below
 * 5.5·σ for it to be missed. Where |d|·w_j is 7.5·σ/0.65 = 11.5·σ, each of them would have to meet a rounding error of
 * 2·σ or more in the other direction: probability 0.023^4 = 3·10^-7. With errors of about e in the row, σ corresponds
 * to √N·e: an element off by 12·√N·e is found. The verdict states that limit, in ε·Σ|a||b|; below g, elements count as
 * right. The vectors are multiplied in f64: for f64 products e is at least about ε·Σ|a||b|, the roundings of these
 * sums.
 *
 *   NaN and infinities. Columns in which B or the bias holds one have the weight 0, rows of A with one are left out. In
 * all of these, the infinite and NaN terms alone decide what an element must be, and every element is compared with it.
 * Rows of C that hold one without such a cause are recomputed.
 *
 *   Activations are not linear. The kernel then also multiplies A·B by itself, which is judged as above, and every
 * element of C must be what α, β, the bias and the activation make of it, within 4·ε of its terms; where it is not, the
 * element is recomputed, and the bound above decides. The same is done where α, β or an element of C₀ is infinite or
 * NaN. Without that product only whole rows, whole columns and single elements are compared: samples.
 *
 *   Integers. x is uniform in Z/2^32: a wrong row passes one vector with probability at most 1/2 (an error of 2^31 and
 * even x_j), so 40 vectors miss it with probability at most 2^-40. Every row that differs is wrong.
 *
 *  Twin: every element is compared with what follows from A·B of another kernel. The bound is that of the product plus
 * that of the twin's sums, s being computed with the twin's |A|·|B|; where they differ by more, the reference decides.
 */
#ifndef VKMM_VERIFY_H
#define VKMM_VERIFY_H

#include "math/problem.h"

typedef enum vkmm_verify_method {
    /* Full while all products of the batch, batches·M·N·K, are at most 2^30 (integers) or 2^24 (floats), and if
     * vectors would save nothing: one extent ≤ 16, or M·N·K ≤ 2^16. Else Freivalds. */
    VKMM_VERIFY_AUTO,
    VKMM_VERIFY_FULL,      /* every element against the reference */
    VKMM_VERIFY_FREIVALDS, /* vectors and rows of every matrix, as above; full where an extent or α is 0 */
    VKMM_VERIFY_TWIN,      /* every element against another kernel's, the reference where they differ */
    VKMM_VERIFY_NONE,
    VKMM_VERIFY_SAMPLES /* only in verdicts: what FREIVALDS becomes without the A·B that it wants */
} vkmm_verify_method;

const char *
vkmm_verify_method_name(vkmm_verify_method method); /* "auto", "full", "freivalds", "twin", "none", "samples" */

/* The kind of numbers in A, B and C₀, which determines how their roundings add up. */
typedef enum vkmm_numbers {
    VKMM_NUMBERS_RANDOM, /* from a random generator, with signs; or numbers whose sums are exact, like ones: g =
                            max(16, √K) */
    VKMM_NUMBERS_ANY     /* unknown, or with a pattern: g = max(16, K/2 + 2) */
} vkmm_numbers;

typedef struct vkmm_verdict {
    vkmm_verify_method method; /* the method used: never AUTO */
    int passed;                /* 0 with NONE: unverified is not right */
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
} vkmm_verdict;

/* Verifies every matrix of a problem's batch, and that nothing else in C's memory has changed. The problem must have
 * been checked. a, b, c: the memory of the operands, vkmm_operand_bytes each; bias: N elements, or NULL if the problem
 * has none; before: a copy of C's memory from before the product. It may be NULL if β = 0 and C's memory has no
 * gaps (vkmm_problem_c_has_gaps), or if C has no elements; else VKMM_INVALID. The verdict is that of the first wrong
 * matrix, then that of the gaps, or reports the largest error if all are right. seed selects vectors, rows and
 * elements. VKMM_OK even when the product is wrong: the verdict says so. VKMM_INVALID, VKMM_OUT_OF_MEMORY.
 *  Host memory used: O(M + N + K). The matrices may be mapped files larger than memory: about 16 MiB of them are kept
 * at a time, and pages read before are released (vkmm_mappings_forget), except if the elements of one matrix are
 * further apart than its rows and columns, as in stacks whose first index runs fastest. */
vkmm_status vkmm_verify_problem(const vkmm_log *log, const vkmm_problem *problem, const void *a, const void *b,
                                const void *bias, const void *before, const void *c, vkmm_numbers numbers,
                                vkmm_verify_method method, uint64_t seed, vkmm_verdict *verdict);

/* An operand of a batch, wherever it is stored: the first matrix with op applied, and the elements from one to the next
 * (0: all are the same). */
typedef struct vkmm_stack {
    vkmm_view first;
    uint64_t stride;
} vkmm_stack;

vkmm_view vkmm_stack_at(const vkmm_stack *stack, uint64_t batch);

/* All that a product reads and writes: by vkmm_operand, then C before the product, which is used if β is not 0. Then
 * what it may be compared with, both shaped as C: A·B, and |A|·|B|. With VKMM_VERIFY_TWIN: from another kernel, in any
 * type that holds A's elements; |A|·|B| of floats only. Else A·B from the kernel under test, in C's or the sums' type.
 */
enum { VKMM_BEFORE = VKMM_BIAS + 1, VKMM_STACKS, VKMM_SUMS = VKMM_STACKS, VKMM_SCALES, VKMM_EVIDENCE };

/* Whether the method (AUTO, FREIVALDS) should have stacks[VKMM_SUMS], because vectors judge A·B alone: there is an
 * activation (without them only samples are checked), or α, β or C before the product is not finite (without them, much
 * is recomputed). */
int vkmm_verify_wants_sums(const vkmm_problem *problem, const vkmm_stack stacks[VKMM_EVIDENCE],
                           vkmm_verify_method method);

/* In memory that is laid out as in the problem. */
vkmm_stack vkmm_stack_of(const vkmm_problem *problem, int which, const void *data);

/* vkmm_verify_problem for operands that are stored elsewhere, in files, for example: the leading dimensions, strides
 * and offsets of the problem are ignored. gaps: C's memory before the product, c: after it, both laid out as in the
 * problem; or NULL: what is between the elements of C is not checked. */
vkmm_status vkmm_verify_stacks(const vkmm_log *log, const vkmm_problem *problem, const vkmm_stack stacks[VKMM_EVIDENCE],
                               const void *gaps, const void *c, vkmm_numbers numbers, vkmm_verify_method method,
                               uint64_t seed, vkmm_verdict *verdict);

/* The factor g above, of direct sums in the type of the factors. */
double vkmm_tolerance(uint64_t k, vkmm_numbers numbers);

#endif
