#include "verify/check.h"

/* Columns [j, j + cols) of the matrix, whose reference stands in row r of the block from column `at` on. */
static void check_bits(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols, size_t at)
{
    vkmm_block *block = check->block;
    const uint32_t *sum = block->want.bits + r * block->span + at;
    const int has_bias = check->claim.bias.data != NULL;
    const int cuts = check->claim.activation == VKMM_RELU && check->claim.c.type == VKMM_I32;
    vkmm_tile_bits(&check->claim.c, row, 1, j0, cols, block->tile.bits);
    if (check->beta != 0) vkmm_tile_bits(&check->claim.before, row, 1, j0, cols, block->before.bits);
    if (has_bias) vkmm_tile_bits(&check->claim.bias, row, 1, j0, cols, block->bias.bits);
    for (size_t j = 0; j < cols; j++) {
        uint32_t want = check->alpha * sum[j] + (check->beta != 0 ? check->beta * block->before.bits[j] : 0);
        if (has_bias) want += block->bias.bits[j];
        if (cuts && (int32_t)want < 0) want = 0;
        vkmm_judge_bits(check, row, j0 + j, block->tile.bits[j], want);
    }
}

static void check_reals(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols, size_t at)
{
    vkmm_block *block = check->block;
    const size_t line = r * block->span + at;
    const int has_before = check->claim.beta != 0.0, has_bias = check->claim.bias.data != NULL,
              wide = check->claim.a.type == VKMM_F64;
    vkmm_tile_double(&check->claim.c, row, 1, j0, cols, block->tile.reals);
    if (has_before) vkmm_tile_double(&check->claim.before, row, 1, j0, cols, block->before.reals);
    if (has_bias) vkmm_tile_double(&check->claim.bias, row, 1, j0, cols, block->bias.reals);
    for (size_t j = 0; j < cols; j++) {
        const vkmm_terms terms = {.sum = wide ? block->want.wide[line + j] : block->want.narrow[line + j],
                                  .scale = block->scale[line + j],
                                  .loss = block->loss[line + j],
                                  .before = has_before ? block->before.reals[j] : 0.0,
                                  .bias = has_bias ? block->bias.reals[j] : 0.0};
        vkmm_judge_real(check, row, j0 + j, block->tile.reals[j], &terms);
    }
}

/* visits: as vkmm_touch has them, of C and C₀. */
static void check_tile(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols, size_t at, uint64_t visits)
{
    const vkmm_claim *claim = &check->claim;
    if (check->epsilon == 0.0)
        check_bits(check, row, r, j0, cols, at);
    else
        check_reals(check, row, r, j0, cols, at);
    vkmm_touch(check->block, claim, &claim->c, 1, cols, visits);
    if (claim->beta != 0.0) vkmm_touch(check->block, claim, &claim->before, 1, cols, visits);
}

static size_t at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

static void check_block(vkmm_check *check, const uint64_t *rows, size_t count, uint64_t j0, size_t cols)
{
    const int by_rows = vkmm_view_has_rows(&check->claim.c);
    vkmm_reference(&check->claim, rows, count, j0, cols, check->block);
    for (size_t j = 0; j < cols; j += VKMM_TILE_COLS)
        for (size_t r = 0; r < count; r++)
            check_tile(check, rows[r], r, j0 + j, at_most(cols - j, VKMM_TILE_COLS), j, !by_rows ? count : j == 0);
}

void vkmm_check_rows(vkmm_check *check, const uint64_t *rows, uint64_t count)
{
    for (uint64_t r = 0; r < count; r += VKMM_PANEL)
        for (uint64_t j = 0; j < check->claim.c.cols; j += check->block->span)
            check_block(check, rows + r, at_most(count - r, VKMM_PANEL), j,
                        at_most(check->claim.c.cols - j, check->block->span));
}

void vkmm_check_spots(vkmm_check *check, const vkmm_spot *spots, size_t count)
{
    vkmm_reference_spots(&check->claim, spots, count, check->block);
    for (size_t e = 0; e < count && !check->verdict->has_element; e++)
        check_tile(check, spots[e].row, 0, spots[e].col, 1, e, 1);
}

void vkmm_check_all(vkmm_check *check)
{
    for (uint64_t i = 0; i < check->claim.c.rows; i += VKMM_PANEL) {
        uint64_t rows[VKMM_PANEL];
        size_t count = at_most(check->claim.c.rows - i, VKMM_PANEL);
        for (size_t r = 0; r < count; r++) rows[r] = i + r;
        vkmm_check_rows(check, rows, count);
    }
}

static void turn(vkmm_view *view)
{
    const vkmm_view was = *view;
    view->rows = was.cols;
    view->cols = was.rows;
    view->row_stride = was.col_stride;
    view->col_stride = was.row_stride;
}

void vkmm_check_cols(vkmm_check *check, const uint64_t *cols, uint64_t count)
{
    const vkmm_claim was = check->claim;
    check->claim.a = was.b;
    check->claim.b = was.a;
    vkmm_view *const views[] = {&check->claim.a, &check->claim.b, &check->claim.c, &check->claim.before,
                                &check->claim.bias};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) turn(views[i]);
    check->transposed = 1;
    vkmm_check_rows(check, cols, count);
    check->transposed = 0;
    check->claim = was;
}
