#include "math/problem.h"

#include "base/alloc.h"
#include "base/log.h"
#include "math/type.h"

uint64_t vkmm_operand_rows(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_B ? problem->k : problem->m;
}

uint64_t vkmm_operand_cols(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->k : problem->n;
}

uint64_t vkmm_operand_bytes(const vkmm_problem *problem, vkmm_operand operand)
{
    return vkmm_operand_rows(problem, operand) * vkmm_operand_cols(problem, operand) * vkmm_type_of(problem->type)->bytes;
}

static vkmm_status check_extent(const vkmm_log *log, char name, uint64_t extent)
{
    if (extent <= UINT32_MAX) return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID, "%c is %llu; the largest extent is %llu (2^32 - 1)", name, (unsigned long long)extent,
                     (unsigned long long)UINT32_MAX);
}

static vkmm_status check_operand(const vkmm_log *log, const vkmm_problem *problem, vkmm_operand operand, uint64_t *bytes)
{
    uint64_t rows = vkmm_operand_rows(problem, operand), cols = vkmm_operand_cols(problem, operand);
    uint64_t product = 0;
    if (vkmm_mul_u64(rows, cols, &product) && vkmm_mul_u64(product, vkmm_type_of(problem->type)->bytes, bytes) && *bytes <= INT64_MAX)
        return VKMM_OK;
    return vkmm_fail(log, VKMM_INVALID, "matrix %c has %llu×%llu elements of type %s: its bytes do not fit in 63 bits", "ABC"[operand],
                     (unsigned long long)rows, (unsigned long long)cols, vkmm_type_of(problem->type) -> name);
}

vkmm_status vkmm_problem_check(const vkmm_log *log, const vkmm_problem *problem, vkmm_problem_bytes *bytes)
{
    vkmm_problem_bytes b = {0};
    if ((unsigned)problem->type >= VKMM_TYPE_COUNT)
        return vkmm_fail(log, VKMM_INVALID, "element type %d is unknown; types are numbered 0 to %d", (int)problem->type,
                         VKMM_TYPE_COUNT - 1);
    vkmm_status status = check_extent(log, 'M', problem->m);
    if (status == VKMM_OK) status = check_extent(log, 'N', problem->n);
    if (status == VKMM_OK) status = check_extent(log, 'K', problem->k);
    if (status == VKMM_OK) status = check_operand(log, problem, VKMM_A, &b.a);
    if (status == VKMM_OK) status = check_operand(log, problem, VKMM_B, &b.b);
    if (status == VKMM_OK) status = check_operand(log, problem, VKMM_C, &b.c);
    if (status != VKMM_OK) return status;
    if (!vkmm_add_u64(b.a, b.b, &b.total) || !vkmm_add_u64(b.total, b.c, &b.total) || b.total > INT64_MAX)
        return vkmm_fail(log, VKMM_INVALID, "the matrices have %llu, %llu and %llu bytes: their sum does not fit in 63 bits",
                         (unsigned long long)b.a, (unsigned long long)b.b, (unsigned long long)b.c);
    if (bytes != NULL) *bytes = b;
    return VKMM_OK;
}

double vkmm_problem_flops(const vkmm_problem *problem)
{
    return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
}
