/* The order in which the panels of a product are computed. */
#include "base/alloc.h"
#include "math/problem.h"
#include "plan/partition.h"
#include "plan/parts.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

vkmm_step *vkmm_pieces_steps(const vkmm_problem *problem, const vkmm_pieces *pieces, uint64_t *count)
{
    const vkmm_step whole = {.matrices = vkmm_problem_batches(problem), .rows = problem->m, .cols = problem->n};
    *count = problem->m > 0 && problem->n > 0;
    return vkmm_pieces_split(pieces, &whole, count);
}

/* Rows of panels, from left to right and from right to left in turns: one of A or B stays for the next. */
static vkmm_step *split_matrices(const vkmm_pieces *pieces, const vkmm_step *from, uint64_t first, vkmm_step *next)
{
    const vkmm_partition *t = &pieces->partition;
    const uint64_t cols = vkmm_divide_up(from->cols, t->cols),
                   matrices = least(from->matrices - first, pieces->matrices);
    for (uint64_t row = 0, odd = 0; row < from->rows; row += t->rows, odd = !odd)
        for (uint64_t turn = 0; turn < cols; turn++) {
            const uint64_t col = (odd ? cols - 1 - turn : turn) * t->cols;
            *next++ = (vkmm_step){from->batch + first,
                                  matrices,
                                  from->row + row,
                                  from->col + col,
                                  least(from->rows - row, t->rows),
                                  least(from->cols - col, t->cols)};
        }
    return next;
}

vkmm_step *vkmm_pieces_split(const vkmm_pieces *pieces, const vkmm_step *steps, uint64_t *count)
{
    const vkmm_partition *t = &pieces->partition;
    uint64_t made = 0;
    for (uint64_t i = 0; i < *count; i++)
        made += vkmm_divide_up(steps[i].matrices, pieces->matrices) * vkmm_divide_up(steps[i].rows, t->rows) *
                vkmm_divide_up(steps[i].cols, t->cols);
    vkmm_step *all = vkmm_alloc(made, sizeof *all), *next = all;
    for (uint64_t i = 0; all && i < *count; i++)
        for (uint64_t first = 0; first < steps[i].matrices; first += pieces->matrices)
            next = split_matrices(pieces, &steps[i], first, next);
    *count = made;
    return all;
}
