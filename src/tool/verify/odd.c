/* NaN and infinities in A, B or the bias: what they make of C follows from them alone, without the other terms of a
 * sum. */
#include "verify/check.h"

#include "base/alloc.h"
#include "math/type.h"

#include <math.h>

/* An element of A that is not finite. */
typedef struct odd_element {
    uint64_t k;
    double value;
} odd_element;

/* Those of a row of A. */
typedef struct odd_row {
    odd_element *elements;
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
            odd->elements[odd->count++] = (odd_element){k + c, tile[c]};
        }
    }
}

/* One row of C, except columns that are odd themselves: the pass over rows computes these, and that over columns need
 * not. */
static void check_row(vkmm_check *check, uint64_t row, const odd_row *odd, const double *odd_cols)
{
    const vkmm_view *b = &check->claim.b;
    cli_spot spots[CLI_TILE_COLS];
    double sums[CLI_TILE_COLS];
    for (uint64_t j0 = 0; j0 < b->cols && !check->verdict->has_element; j0 += CLI_TILE_COLS) {
        const size_t cols = cli_at_most(b->cols - j0, CLI_TILE_COLS);
        size_t count = 0;
        for (size_t j = 0; j < cols; j++) sums[j] = odd->has_nan ? (double)NAN : 0.0;
        for (size_t e = 0; e < odd->count && !odd->has_nan; e++) {
            cli_tile_read(&check->claim, b, odd->elements[e].k, 1, j0, cols, check->block->tile);
            for (size_t j = 0; j < cols; j++) sums[j] += odd->elements[e].value * check->block->tile[j];
        }
        cli_check_sums(check, row, j0, cols, sums, odd->has_nan && !check->transposed ? NULL : odd_cols + j0);
        for (size_t j = 0; j < cols && !odd->has_nan && !check->transposed; j++)
            if (odd_cols[j0 + j] != 0.0) spots[count++] = (cli_spot){row, j0 + j};
        if (count > 0) cli_check_spots(check, spots, count);
    }
}

static int has_odd_bias(const vkmm_check *check, uint64_t row)
{
    return check->transposed && check->claim.bias.data != NULL && !isfinite(vkmm_view_get(&check->claim.bias, row, 0));
}

/* Sums that only overflow in f64 are computed. */
static vkmm_status check_rows(vkmm_check *check, const double *odd_rows, const double *odd_cols)
{
    odd_row odd = {.elements = vkmm_alloc(check->claim.a.cols, sizeof *odd.elements)};
    if (odd.elements == NULL) return VKMM_NO_MEMORY("to check infinities and NaN");
    for (uint64_t i = 0; i < check->claim.c.rows && !check->verdict->has_element; i++) {
        if (odd_rows[i] == 0.0) continue;
        find(check, i, &odd);
        if (odd.count > 0 || has_odd_bias(check, i))
            check_row(check, i, &odd, odd_cols);
        else
            cli_check_rows(check, &i, 1);
    }
    vkmm_free(odd.elements);
    return VKMM_OK;
}

vkmm_status cli_check_odd(vkmm_check *check, const double *rows, const double *cols)
{
    vkmm_status status = check_rows(check, rows, cols);
    cli_check_turn(check);
    if (status == VKMM_OK) status = check_rows(check, cols, rows);
    cli_check_turn(check);
    return status;
}
