#include "verify/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void vkmm_tell(vkmm_verdict *verdict, const char *format, ...)
{
    size_t used = strlen(verdict->sentence);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->sentence + used, sizeof verdict->sentence - used, format, arguments);
    va_end(arguments);
}

int vkmm_digits(vkmm_type type)
{
    return type == VKMM_F32 ? 9 : type == VKMM_F64 ? 17 : 10;
}

/* What an error is measured in. */
static const char *unit_of(const vkmm_check *check)
{
    if (!check->scaled) return "ε·Σ|a||b|";
    return check->claim.beta == 0.0 ? "ε·|α|·Σ|a||b|" : "ε·(|α|·Σ|a||b| + |β·c|)";
}

static void tell_wrong(const vkmm_check *check)
{
    vkmm_verdict *v = check->verdict;
    const vkmm_view *c = &check->claim.c;
    unsigned long long total = c->rows * c->cols, wrong = v->wrong_count;
    if (check->effort.matrices > 1) vkmm_tell(v, "matrix %llu of the batch: ", (unsigned long long)v->batch);
    vkmm_tell(v, "C[%llu][%llu] is %.*g, ", (unsigned long long)v->row, (unsigned long long)v->col, vkmm_digits(c->type), v->got);
    vkmm_tell(v, "should be %.*g", vkmm_digits(c->type), v->want);
    if (v->bound > 0.0 && isfinite(v->error))
        vkmm_tell(v, ": off by %.3g, %.2g times the allowed %.4g·%s", fabs(v->got - v->want), v->error / v->bound, v->bound,
                  unit_of(check));
    if (v->method == VKMM_VERIFY_FULL)
        vkmm_tell(v, "; %llu of %llu element%s %s wrong", wrong, total, total == 1 ? "" : "s", wrong == 1 ? "is" : "are");
    else
        vkmm_tell(v, "; at least %llu element%s wrong", wrong, wrong == 1 ? " is" : "s are");
}

static void tell_right(const vkmm_check *check)
{
    vkmm_verdict *v = check->verdict;
    const vkmm_effort *effort = &check->effort;
    unsigned long long total = check->claim.c.rows * check->claim.c.cols;
    if (total == 0) {
        vkmm_tell(v, "the product is empty: nothing to check");
        return;
    }
    if (effort->matrices > 1) vkmm_tell(v, "in each of %llu matrices, ", (unsigned long long)effort->matrices);
    if (v->method == VKMM_VERIFY_FREIVALDS)
        vkmm_tell(v, "%u random vectors, %u whole row%s and %u elements agree", effort->vectors, effort->rows, effort->rows == 1 ? "" : "s",
                  effort->elements);
    else if (total == 1)
        vkmm_tell(v, "the one element agrees");
    else
        vkmm_tell(v, "all %llu elements agree", total);
    if (v->bound > 0.0)
        vkmm_tell(v, " with the CPU reference within %.4g·%s, the largest error being %.2g·%s", v->bound, unit_of(check), v->error,
                  unit_of(check));
    else
        vkmm_tell(v, " with the CPU reference exactly");
    if (effort->gaps) vkmm_tell(v, "; the rest of C's memory is untouched");
}

void vkmm_tell_result(const vkmm_check *check)
{
    if (check->verdict->method == VKMM_VERIFY_NONE)
        vkmm_tell(check->verdict, "not verified");
    else if (check->verdict->passed)
        tell_right(check);
    else if (check->verdict->has_element)
        tell_wrong(check);
}
