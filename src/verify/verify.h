/* Right or wrong, without Vulkan and without knowing which kernel ran.
 *
 * Floats. The reference is the exact product, approached in wider arithmetic: double for f32, long double for f64. An element
 * passes when
 *
 *     |ΔC_ij| ≤ ε · max(16, √K) · Σ_k |a_ik|·|b_kj|  +  K · min_normal
 *
 * 16·ε is the threshold of the reference BLAS testers (LAPACK Users' Guide, netlib blas/testing, dblat3.f). The K term: a sum of K
 * rounded products, in any order, differs from the exact one by at most γ_K·Σ|a||b| with γ_K = K·u/(1 − K·u), u = ε/2 (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., eq. 3.5); with independent, mean-zero roundings it stays below
 * λ·√K·u·Σ|a||b| with probability at least 1 − 2·exp(−λ²/2) (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, theorem 2.4).
 * √K·ε is λ = 2 of a bound that random data undercut several times over; it passes 16·ε at K = 256. K·min_normal allows a
 * device to flush subnormal products, as Vulkan permits.
 *
 * Integers. Exact, modulo 2^32.
 *
 * NaN and infinity. Where the reference is one of them, because A or B holds one, the element must be the same (infinity: with the same
 * sign). Where the reference is finite, they are wrong, with one exception: where Σ|a||b| exceeds the type's largest finite value, a partial
 * sum may overflow, so that what follows from that is right too.
 *
 * Freivalds' check (Freivalds 1977; for floats Ji, Mascagni, Li, arXiv:1705.10449) compares C·x with A·(B·x) for random x in O(n²). It finds
 * rows that look wrong; these are recomputed, and only a wrong element decides. Whole random rows, the first and the last row, and single
 * random elements are checked besides, since one slightly wrong element of a float product can hide in a sum.
 *   Floats. x is Gaussian, hence the residual r_i = (ΔC·x)_i is normal with variance Σ_j ΔC_ij². With |ΔC_ij| ≤ t_ij, the bound above, its
 * deviation is at most ‖t_i‖₂, and by Minkowski's inequality
 *
 *     ‖t_i‖₂ ≤ ε · max(16, √K) · Σ_k |a_ik|·‖row k of B‖₂  +  K · min_normal · √N,
 *
 * itself O(n²). A row is suspect when |r_i| exceeds this for one of 4 vectors. Errors of right rows lie well below t, so that few are suspect
 * by chance; that costs time, never the verdict. One wrong element is seen when it is off by more than about √N times its bound.
 *   Integers. x is uniform in Z/2^32: a wrong row passes one vector with probability at most 1/2 (an error of 2^31 and even x_j), so that
 * 40 vectors miss it with probability at most 2^-40. Every suspect row is wrong. */
#ifndef VKMM_VERIFY_H
#define VKMM_VERIFY_H

#include "math/matrix.h"

typedef enum vkmm_verify_method {
    VKMM_VERIFY_AUTO,      /* full while M·N·K ≤ 2^30 (integers) or 2^24 (floats) or one extent is ≤ 16; else Freivalds */
    VKMM_VERIFY_FULL,      /* every element against the reference */
    VKMM_VERIFY_FREIVALDS, /* vectors, rows and elements, as above; full where an extent is 0 */
    VKMM_VERIFY_NONE
} vkmm_verify_method;

const char *vkmm_verify_method_name(vkmm_verify_method method);             /* "auto", "full", "freivalds", "none" */
int vkmm_verify_method_parse(const char *name, vkmm_verify_method *method); /* 1 and *method, or 0 */

typedef struct vkmm_verdict {
    vkmm_verify_method method; /* what was done: never AUTO */
    int passed;                /* 0 with NONE: unverified is not right */
    /* The largest |ΔC| seen beyond K·min_normal, in units of ε·Σ|a||b| (a residual: in those of its own bound). INFINITY for a NaN, and
     * where Σ|a||b| is 0. Integers: the largest |ΔC|. */
    double error;
    double bound;         /* the limit of `error`: max(16, √K); 0 for integers */
    int has_element;      /* a wrong element is known: */
    uint64_t row, col;    /* where, */
    double got, want;     /* what was there and what belongs there */
    uint64_t wrong_count; /* wrong elements seen; with FULL all of them */
    char sentence[256];   /* the finding in one sentence, for people */
} vkmm_verdict;

/* C against A·B. The views' shapes must fit (M×K, K×N, M×N), types be equal. seed picks vectors, rows and elements. Host memory used:
 * O(M + N + K). VKMM_OK even when the product is wrong: the verdict says so. VKMM_OUT_OF_MEMORY. */
vkmm_status vkmm_verify(const vkmm_log *log, const vkmm_view *a, const vkmm_view *b, const vkmm_view *c, vkmm_verify_method method,
                        uint64_t seed, vkmm_verdict *verdict);

/* The factor max(16, √K) above. */
double vkmm_tolerance(uint64_t k);

#endif
