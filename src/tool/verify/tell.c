#include "verify/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "math/type.h"

void cli_tell(cli_verdict *verdict, const char *format, ...)
{
    size_t used = strlen(verdict->sentence);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->sentence + used, sizeof verdict->sentence - used, format, arguments);
    va_end(arguments);
}

/* What an error is measured in. */
static const char *unit_of(const vkmm_check *check)
{
    if (!check->scaled) return "ε·Σ|a||b|";
    if (check->claim.bias.data != NULL)
        return check->claim.beta == 0.0 ? "ε·(|α|·Σ|a||b| + |bias|)" : "ε·(|α|·Σ|a||b| + |β·c| + |bias|)";
    return check->claim.beta == 0.0 ? "ε·|α|·Σ|a||b|" : "ε·(|α|·Σ|a||b| + |β·c|)";
}

/* The type of ε, if it is not obvious, and what else is allowed. */
static const char *aside_of(const vkmm_check *check)
{
    if (check->types.compute == VKMM_F16) return check->narrow ? " (ε of f16) plus C's rounding" : " (ε of f16)";
    return check->narrow                             ? " (ε of f32) plus C's rounding"
           : check->types.in != check->types.compute ? " (ε of f32)"
                                                     : "";
}

static void tell_wrong(const vkmm_check *check)
{
    cli_verdict *v = check->verdict;
    const vkmm_view *c = &check->claim.c;
    const int of_sums = v->method == CLI_VERIFY_FREIVALDS && check->claim.sums.data != NULL && !check->effort.sums;
    unsigned long long total = c->rows * c->cols, wrong = v->wrong_count;
    if (check->effort.matrices > 1) cli_tell(v, "matrix %llu of the batch: ", (unsigned long long)v->batch);
    if (of_sums) cli_tell(v, "by the same kernel alone, A·B is wrong: ");
    cli_tell(v, "%s[%llu][%llu] ", of_sums ? "A·B" : "C", (unsigned long long)v->row, (unsigned long long)v->col);
    if (v->unwritten)
        cli_tell(v, "was never written, ");
    else
        cli_tell(v, "is %.*g, ", vkmm_type_of(c->type)->digits, v->got);
    cli_tell(v, "should be %.*g", vkmm_type_of(c->type)->digits, v->want);
    if (v->bound > 0.0 && isfinite(v->error))
        cli_tell(v, ": off by %.3g, %.2g times the allowed %.4g·%s%s", fabs(v->got - v->want), v->error / v->bound,
                 v->bound, unit_of(check), aside_of(check));
    if (v->method == CLI_VERIFY_FULL)
        cli_tell(v, "; %llu of %llu element%s %s wrong", wrong, total, total == 1 ? "" : "s",
                 wrong == 1 ? "is" : "are");
    else
        cli_tell(v, "; at least %llu element%s wrong", wrong, wrong == 1 ? " is" : "s are");
}

/* Their number is known if each was checked once. */
static void tell_overflow(const vkmm_check *check)
{
    const int is_half = check->types.compute == VKMM_F16 || check->types.out == VKMM_F16;
    cli_verdict *v = check->verdict;
    if (v->method == CLI_VERIFY_FULL)
        cli_tell(v, "; %llu of them overflowed", (unsigned long long)check->effort.overflowed);
    else
        cli_tell(v, "; some of them overflowed");
    cli_tell(v, ", for %s ends at %s", is_half ? "f16" : "bf16", is_half ? "65504" : "3.39e+38");
}

/* Elements of a matrix that samples cover, if none is sampled twice. */
static uint64_t samples_of(const vkmm_check *check)
{
    const cli_effort *effort = &check->effort;
    const uint64_t rows = check->claim.c.rows, cols = check->claim.c.cols;
    const uint64_t lines = effort->rows * cols + effort->cols * (rows - effort->rows);
    return lines + effort->elements < rows * cols ? lines + effort->elements : rows * cols;
}

static void tell_right(const vkmm_check *check)
{
    cli_verdict *v = check->verdict;
    const cli_effort *effort = &check->effort;
    unsigned long long total = check->claim.c.rows * check->claim.c.cols;
    if (total == 0) {
        cli_tell(v, "the product is empty: nothing to check");
        return;
    }
    if (effort->matrices > 1) cli_tell(v, "in each of %llu matrices, ", (unsigned long long)effort->matrices);
    if (v->method == CLI_VERIFY_FREIVALDS)
        cli_tell(v, "%u random vectors and %u whole row%s%s agree", effort->vectors, effort->rows,
                 effort->rows == 1 ? "" : "s", effort->sums ? " of A·B, and all elements of C beside it," : "");
    else if (v->method == CLI_VERIFY_SAMPLES)
        cli_tell(v, "only samples were checked, at most %llu of %llu elements: %u rows, %u columns and %u others agree",
                 (unsigned long long)samples_of(check), total, effort->rows, effort->cols, effort->elements);
    else if (total == 1)
        cli_tell(v, "the one element agrees");
    else
        cli_tell(v, "all %llu elements agree", total);
    if (v->bound > 0.0)
        cli_tell(v, " with the CPU reference within %.4g·%s%s, the largest error being %.2g·%s", v->bound,
                 unit_of(check), aside_of(check), v->error, unit_of(check));
    else
        cli_tell(v, " with the CPU reference exactly");
    if (v->method == CLI_VERIFY_FREIVALDS && effort->reach > 0.0)
        cli_tell(v, "; a single element off by more than %.2g·ε·Σ|a||b| would have been found",
                 fmax(effort->reach, v->bound));
    if (v->nans + v->infinities > 0)
        cli_tell(v, "; NaN: %llu, infinite: %llu", (unsigned long long)v->nans, (unsigned long long)v->infinities);
    if (effort->overflowed > 0) tell_overflow(check);
    if (effort->gaps) cli_tell(v, "; the rest of C's memory is untouched");
}

void cli_tell_result(const vkmm_check *check)
{
    if (check->verdict->method == CLI_VERIFY_NONE)
        cli_tell(check->verdict, "not verified");
    else if (check->verdict->passed)
        tell_right(check);
    else if (check->verdict->has_element)
        tell_wrong(check);
}
