/* Claims about views that a test has made, where the program has problems. */
#ifndef VKMM_TEST_CLAIM_H
#define VKMM_TEST_CLAIM_H

#include "base/log.h"
#include "math/type.h"
#include "verify/check.h"
#include "verify_problem.h"

static inline vkmm_status check_views(const vkmm_log *log, const cli_claim *claim)
{
    const vkmm_view *a = &claim->a, *b = &claim->b, *c = &claim->c, *before = &claim->before;
    vkmm_types types = vkmm_types_default(a->type);
    types.out = c->type;
    if (claim->compute == VKMM_F16) types.compute = VKMM_F16;
    if (a->type != b->type || !vkmm_types_legal(types))
        return VKMM_FAIL(log, VKMM_INVALID, "the types of A (%s), B (%s) and C (%s) %s", vkmm_type_of(a->type)->name,
                         vkmm_type_of(b->type)->name, vkmm_type_of(c->type)->name,
                         a->type != b->type || vkmm_types_default(a->type).out == a->type ? "differ"
                                                                                          : "cannot be combined");
    if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols)
        return VKMM_FAIL(log, VKMM_INVALID, "incompatible shapes: A is %llu×%llu, B is %llu×%llu, C is %llu×%llu",
                         (unsigned long long)a->rows, (unsigned long long)a->cols, (unsigned long long)b->rows,
                         (unsigned long long)b->cols, (unsigned long long)c->rows, (unsigned long long)c->cols);
    if (claim->beta != 0.0 && (before->type != c->type || before->rows != c->rows || before->cols != c->cols))
        return VKMM_FAIL(log, VKMM_INVALID, "C is %llu×%llu of type %s, but was %llu×%llu of type %s",
                         (unsigned long long)c->rows, (unsigned long long)c->cols, vkmm_type_of(c->type)->name,
                         (unsigned long long)before->rows, (unsigned long long)before->cols,
                         vkmm_type_of(before->type)->name);
    if (claim->bias.data != NULL &&
        (claim->bias.type != c->type || claim->bias.rows != c->rows || claim->bias.cols != c->cols))
        return VKMM_FAIL(log, VKMM_INVALID, "C has %llu columns of type %s, but the bias has %llu of type %s",
                         (unsigned long long)c->cols, vkmm_type_of(c->type)->name, (unsigned long long)claim->bias.cols,
                         vkmm_type_of(claim->bias.type)->name);
    return VKMM_OK;
}

/* The views' shapes must fit (M×K, K×N, M×N), types be equal or be A's, B's and C's of vkmm_types_at: else
 * VKMM_INVALID. */
static inline vkmm_status vkmm_verify_claim(const vkmm_log *log, const cli_claim *claim, cli_verify_method method,
                                            uint64_t seed, cli_verdict *verdict)
{
    cli_verdict found = {0};
    vkmm_check check;
    vkmm_status status = check_views(log, claim);
    if (status != VKMM_OK) return status;
    status = cli_check_begin(&check, log, claim, 1, method, seed, &found);
    if (status == VKMM_OK) status = cli_check_matrix(&check, claim, 0);
    return cli_check_end(&check, status, verdict);
}

/* C against A·B of random numbers. */
static inline vkmm_status vkmm_verify(const vkmm_log *log, const vkmm_view *a, const vkmm_view *b, const vkmm_view *c,
                                      cli_verify_method method, uint64_t seed, cli_verdict *verdict)
{
    const cli_claim claim = {.a = *a, .b = *b, .c = *c, .alpha = 1.0};
    return vkmm_verify_claim(log, &claim, method, seed, verdict);
}

#endif
