#include "verify/check.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "math/type.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SPOT_ROWS = 5, SPOT_ELEMENTS = 64 }; /* first row, last row, three between */

/* What the sentence tells of a passed check. */
typedef struct effort {
    unsigned vectors, rows, elements;
} effort;

static vkmm_status check_views(const vkmm_log *log, const vkmm_view *a, const vkmm_view *b, const vkmm_view *c)
{
    if (a->type != b->type || a->type != c->type)
        return vkmm_fail(log, VKMM_INVALID, "the types of A (%s), B (%s) and C (%s) differ", vkmm_type_of(a->type)->name,
                         vkmm_type_of(b->type)->name, vkmm_type_of(c->type)->name);
    if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols)
        return vkmm_fail(log, VKMM_INVALID, "A is %llu×%llu, B is %llu×%llu and C is %llu×%llu: these are no product",
                         (unsigned long long)a->rows, (unsigned long long)a->cols, (unsigned long long)b->rows, (unsigned long long)b->cols,
                         (unsigned long long)c->rows, (unsigned long long)c->cols);
    return VKMM_OK;
}

/* Full wherever that is cheap: few products altogether, or one extent so short that M·N·K is hardly more than the matrices themselves. */
static vkmm_verify_method choose(const vkmm_check *check, vkmm_verify_method asked)
{
    uint64_t m = check->c->rows, n = check->c->cols, k = check->a->cols;
    uint64_t least = m < n ? m : n;
    if (k < least) least = k;
    if (asked == VKMM_VERIFY_FREIVALDS && least == 0) return VKMM_VERIFY_FULL;
    if (asked != VKMM_VERIFY_AUTO) return asked;
    double products = (double)m * (double)n * (double)k;
    double limit = check->epsilon == 0.0 ? 0x1p30 : 0x1p24;
    return products <= limit || least <= 16 ? VKMM_VERIFY_FULL : VKMM_VERIFY_FREIVALDS;
}

/* The first and the last row, where tiles of a kernel end, and random rows between; each once. */
static unsigned choose_rows(const vkmm_check *check, uint64_t rows[SPOT_ROWS])
{
    uint64_t m = check->c->rows;
    unsigned count = 0;
    for (unsigned i = 0; i < SPOT_ROWS; i++) {
        uint64_t row = i == 0 ? 0 : i == 1 ? m - 1 : vkmm_random_bits(check->seed ^ UINT64_C(0x726f7773), i) % m;
        unsigned seen = 0;
        while (seen < count && rows[seen] != row) seen++;
        if (seen == count) rows[count++] = row;
    }
    return count;
}

static vkmm_status check_some(vkmm_check *check, effort *work)
{
    vkmm_status status = check->epsilon == 0.0 ? vkmm_freivalds_int(check, &work->vectors) : vkmm_freivalds_float(check, &work->vectors);
    if (status != VKMM_OK) return status;
    if (!check->verdict->has_element) {
        uint64_t rows[SPOT_ROWS] = {0};
        work->rows = choose_rows(check, rows);
        vkmm_check_rows(check, rows, work->rows);
    }
    for (uint64_t e = 0; e < SPOT_ELEMENTS && !check->verdict->has_element; e++) {
        uint64_t i = vkmm_random_bits(check->seed ^ UINT64_C(0x656c656d), 2 * e) % check->c->rows;
        uint64_t j = vkmm_random_bits(check->seed ^ UINT64_C(0x656c656d), 2 * e + 1) % check->c->cols;
        vkmm_check_element(check, i, j);
        work->elements++;
    }
    return VKMM_OK;
}

/* Adds to the verdict's sentence, which is long enough for every number that can stand in it. */
static VKMM_PRINTF(2, 3) void tell(vkmm_verdict *v, const char *format, ...)
{
    size_t used = strlen(v->sentence);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->sentence + used, sizeof v->sentence - used, format, arguments);
    va_end(arguments);
}

/* With fewer digits than these, two different numbers could look the same. */
static int digits(vkmm_type type)
{
    return type == VKMM_F32 ? 9 : type == VKMM_F64 ? 17 : 10;
}

static void tell_wrong(vkmm_verdict *v, const vkmm_view *c)
{
    unsigned long long total = c->rows * c->cols, wrong = v->wrong_count;
    tell(v, "C[%llu][%llu] is %.*g, ", (unsigned long long)v->row, (unsigned long long)v->col, digits(c->type), v->got);
    tell(v, "should be %.*g", digits(c->type), v->want);
    if (v->bound > 0.0 && isfinite(v->error))
        tell(v, ": off by %.3g, %.2g times the allowed %.4g·ε·Σ|a||b|", fabs(v->got - v->want), v->error / v->bound, v->bound);
    if (v->method == VKMM_VERIFY_FULL)
        tell(v, "; %llu of %llu element%s %s wrong", wrong, total, total == 1 ? "" : "s", wrong == 1 ? "is" : "are");
    else
        tell(v, "; at least %llu element%s wrong", wrong, wrong == 1 ? " is" : "s are");
}

static void tell_right(vkmm_verdict *v, const vkmm_view *c, const effort *work)
{
    unsigned long long total = c->rows * c->cols;
    if (total == 0) {
        tell(v, "the product is empty: nothing to check");
        return;
    }
    if (v->method == VKMM_VERIFY_FREIVALDS)
        tell(v, "%u random vectors, %u whole row%s and %u elements agree", work->vectors, work->rows, work->rows == 1 ? "" : "s",
             work->elements);
    else if (total == 1)
        tell(v, "the one element agrees");
    else
        tell(v, "all %llu elements agree", total);
    if (v->bound > 0.0)
        tell(v, " with the CPU reference within %.4g·ε·Σ|a||b|, the largest error being %.2g·ε·Σ|a||b|", v->bound, v->error);
    else
        tell(v, " with the CPU reference exactly");
}

static vkmm_status run(vkmm_check *check, vkmm_verify_method asked)
{
    vkmm_verdict *v = check->verdict;
    effort work = {0};
    vkmm_status status = VKMM_OK;
    v->method = choose(check, asked);
    if (v->method == VKMM_VERIFY_NONE) {
        tell(v, "not verified");
        return VKMM_OK;
    }
    check->block = vkmm_alloc(1, sizeof *check->block);
    if (check->block == NULL) return vkmm_fail(check->log, VKMM_OUT_OF_MEMORY, "no memory to verify the product");
    if (v->method == VKMM_VERIFY_FULL)
        vkmm_check_all(check);
    else
        status = check_some(check, &work);
    vkmm_free(check->block);
    if (status != VKMM_OK) return status;
    v->passed = !v->has_element;
    if (v->passed)
        tell_right(v, check->c, &work);
    else
        tell_wrong(v, check->c);
    return VKMM_OK;
}

vkmm_status vkmm_verify(const vkmm_log *log, const vkmm_view *a, const vkmm_view *b, const vkmm_view *c, vkmm_verify_method method,
                        uint64_t seed, vkmm_verdict *verdict)
{
    vkmm_status status = check_views(log, a, b, c);
    if (status != VKMM_OK) return status;
    const vkmm_type_info *type = vkmm_type_of(c->type);
    vkmm_verdict found = {0};
    vkmm_check check = {.log = log, .a = a, .b = b, .c = c, .verdict = &found};
    /* Whoever filled the matrices may have used the same seed: x must not be made of their elements. */
    check.seed = seed ^ UINT64_C(0x5ca1ab1e0ddba11c);
    check.factor = type->is_float ? vkmm_tolerance(a->cols) : 0.0;
    check.epsilon = type->epsilon;
    check.flush = (double)a->cols * type->min_normal;
    check.max = c->type == VKMM_F32 ? (double)FLT_MAX : DBL_MAX;
    found.bound = check.factor;
    status = run(&check, method);
    if (status == VKMM_OK) *verdict = found;
    return status;
}
