/* NaN and infinities in A, B or the bias: what they make of C follows from them alone, without the other terms of a
 * sum. */
#include "verify/check.h"

#include "base/alloc.h"
#include "math/type.h"

#include <math.h>
#include <string.h>

/* The elements of a row of A that are not finite. */
typedef struct odd_row {
    uint64_t *at;
    double *value;
    size_t count;
    int has_nan;
} odd_row;

static void find(vkmm_check *check, uint64_t row, odd_row *odd)
{
    const vkmm_view *a = &check->claim.a;
    double *tile = check->block->tile;
    odd->count = 0;
    odd->has_nan = 0;
    for (uint64_t k = 0; k < a->cols; k += CLI_TILE_COLS) {
        const size_t some = cli_at_most(a->cols - k, CLI_TILE_COLS);
        cli_tile_read(&check->claim, a, row, 1, k, some, tile);
        for (size_t c = 0; c < some; c++) {
            if (isfinite(tile[c])) continue;
            odd->has_nan |= isnan(tile[c]) != 0;
            odd->at[odd->count] = k + c;
            odd->value[odd->count++] = tile[c];
        }
    }
}

/* One row of C, except columns that are not finite themselves (others[j] is left_out): the pass over rows computes
 * these, and that over columns need not. */
static void check_row(vkmm_check *check, uint64_t row, const odd_row *odd, const double *others, double left_out)
{
    const vkmm_view *b = &check->claim.b;
    cli_spot spots[CLI_TILE_COLS];
    double sums[CLI_TILE_COLS];
    for (uint64_t j0 = 0; j0 < b->cols && !check->verdict->has_element; j0 += CLI_TILE_COLS) {
        const size_t cols = cli_at_most(b->cols - j0, CLI_TILE_COLS);
        size_t count = 0;
        for (size_t j = 0; j < cols; j++) sums[j] = odd->has_nan ? (double)NAN : 0.0;
        for (size_t e = 0; e < odd->count && !odd->has_nan; e++) {
            cli_tile_read(&check->claim, b, odd->at[e], 1, j0, cols, check->block->tile);
            for (size_t j = 0; j < cols; j++) sums[j] += odd->value[e] * check->block->tile[j];
        }
        cli_check_sums(check, row, j0, cols, sums, odd->has_nan && !check->transposed ? NULL : others + j0, left_out);
        for (size_t j = 0; j < cols && !odd->has_nan && !check->transposed; j++)
            if (others[j0 + j] == left_out) spots[count++] = (cli_spot){row, j0 + j};
        if (count > 0) cli_check_spots(check, spots, count);
    }
}

static int has_odd_bias(const vkmm_check *check, uint64_t row)
{
    return check->transposed && check->claim.bias.data != NULL && !isfinite(vkmm_view_get(&check->claim.bias, row, 0));
}

/* Sums that only overflow in f64 are computed. */
static vkmm_status check_lines(vkmm_check *check, const double *lines, double is_odd, const double *others,
                               double other_is_odd)
{
    const uint64_t depth = check->claim.a.cols;
    odd_row odd = {.at = vkmm_alloc(depth, sizeof *odd.at), .value = vkmm_alloc(depth, sizeof *odd.value)};
    const int enough = odd.at != NULL && odd.value != NULL;
    for (uint64_t i = 0; i < check->claim.c.rows && enough && !check->verdict->has_element; i++) {
        if (lines[i] != is_odd) continue;
        find(check, i, &odd);
        if (odd.count > 0 || has_odd_bias(check, i))
            check_row(check, i, &odd, others, other_is_odd);
        else
            cli_check_rows(check, &i, 1);
    }
    vkmm_free(odd.at);
    vkmm_free(odd.value);
    return enough ? VKMM_OK : vkmm_tell(check->log, VKMM_NO_MEMORY("to check infinities and NaN"));
}

vkmm_status cli_check_odd(vkmm_check *check, const double *rows, const double *weights)
{
    const vkmm_status status = check_lines(check, rows, 1.0, weights, 0.0);
    if (status != VKMM_OK) return status;
    cli_check_turn(check);
    const vkmm_status after = check_lines(check, weights, 0.0, rows, 1.0);
    cli_check_turn(check);
    return after;
}
