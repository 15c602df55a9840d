/* The order in which the panels of a product are computed. */
#include "base/alloc.h"
#include "math/problem.h"
#include "plan/partition.h"
#include "plan/parts.h"

vkmm_step *vkmm_pieces_steps(const vkmm_problem *problem, const vkmm_pieces *pieces, uint64_t *count)
{
    const vkmm_partition *t = &pieces->partition;
    const uint64_t batches = vkmm_problem_batches(problem), groups = vkmm_divide_up(batches, pieces->matrices);
    uint64_t at = 0;
    *count = problem->m > 0 && problem->n > 0 ? groups * t->row_panels * t->col_panels : 0;
    vkmm_step *steps = vkmm_alloc(*count, sizeof *steps);
    if (!steps || *count == 0) return steps;
    for (uint64_t g = 0; g < groups; g++)
        for (uint64_t i = 0; i < t->row_panels; i++)
            for (uint64_t turn = 0; turn < t->col_panels; turn++) {
                const uint64_t j = i % 2 == 0 ? turn : t->col_panels - 1 - turn, batch = g * pieces->matrices;
                const uint64_t row = i * t->rows, col = j * t->cols;
                steps[at++] = (vkmm_step){batch,
                                          batches - batch < pieces->matrices ? batches - batch : pieces->matrices,
                                          row,
                                          col,
                                          problem->m - row < t->rows ? problem->m - row : t->rows,
                                          problem->n - col < t->cols ? problem->n - col : t->cols};
            }
    return steps;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

vkmm_step *vkmm_pieces_split(const vkmm_pieces *pieces, const vkmm_step *steps, uint64_t *count)
{
    const vkmm_partition *t = &pieces->partition;
    uint64_t made = 0;
    for (uint64_t i = 0; i < *count; i++)
        made += vkmm_divide_up(steps[i].matrices, pieces->matrices) * vkmm_divide_up(steps[i].rows, t->rows) *
                vkmm_divide_up(steps[i].cols, t->cols);
    vkmm_step *all = vkmm_alloc(made, sizeof *all), *next = all;
    for (uint64_t i = 0; all && i < *count; i++) {
        const vkmm_step *s = &steps[i];
        for (uint64_t x = 0; x < s->matrices; x += pieces->matrices)
            for (uint64_t row = 0; row < s->rows; row += t->rows)
                for (uint64_t col = 0; col < s->cols; col += t->cols)
                    *next++ = (vkmm_step){s->batch + x,
                                          least(s->matrices - x, pieces->matrices),
                                          s->row + row,
                                          s->col + col,
                                          least(s->rows - row, t->rows),
                                          least(s->cols - col, t->cols)};
    }
    *count = made;
    return all;
}
