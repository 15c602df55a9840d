/* Between panels and the matrices that they are parts of. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "math/type.h"

uint64_t vkmm_lane_parts(const vkmm_lane *lane)
{
    return lane->pieces.partition.depth_panels;
}

static uint64_t depth_at(const vkmm_lane *lane, uint64_t part)
{
    const uint64_t depth = lane->pieces.partition.depth,
                   all = vkmm_problem_alpha(&lane->stream->problem) == 0 ? 0 : lane->stream->problem.k;
    return vkmm_least(all - part * depth, depth);
}

vkmm_problem vkmm_lane_cut(const vkmm_lane *lane, const vkmm_step *step, uint64_t part)
{
    const vkmm_cut cut = {step->rows, step->cols, depth_at(lane, part), step->matrices, vkmm_lane_parts(lane) > 1,
                          part > 0};
    return vkmm_cut_problem(&lane->stream->problem, &lane->whole, &cut);
}

vkmm_lines vkmm_lane_lines(const vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part)
{
    const vkmm_problem cut = vkmm_lane_cut(lane, step, part);
    const vkmm_stored stored = vkmm_operand_stored(&cut, operand);
    const uint64_t k = part * lane->pieces.partition.depth;
    vkmm_lines lines = {.operand = operand,
                        .type = vkmm_operand_type(&cut, operand),
                        .are_rows = stored.are_rows,
                        .length = stored.length,
                        .count = stored.count,
                        .ld = stored.ld,
                        .batch = step->batch,
                        .all = stored.count * step->matrices};
    lines.bytes = lines.ld * vkmm_type_of(lines.type)->bytes;
    lines.row = operand == VKMM_B ? k : step->row;
    lines.col = operand == VKMM_A ? k : step->col;
    return lines;
}

/* A loop of the workers over lines, which are filled or (back) emptied. */
typedef struct line_loop {
    vkmm_lane *lane;
    const vkmm_lines *lines;
    uint64_t first, end, round; /* lines per iteration */
    char *memory;
    int back;
} line_loop;

/* Lines of one matrix, [first, first + count) of it. */
static vkmm_panel panel_of(const vkmm_lines *l, uint64_t matrix, uint64_t first, uint64_t count, void *data)
{
    vkmm_panel panel = {.operand = l->operand, .batch = l->batch + matrix, .row = l->row, .col = l->col, .data = data};
    panel.rows = l->are_rows ? count : l->length;
    panel.cols = l->are_rows ? l->length : count;
    panel.row_stride = l->are_rows ? l->ld : 1;
    panel.col_stride = l->are_rows ? 1 : l->ld;
    *(l->are_rows ? &panel.row : &panel.col) += first;
    return panel;
}

/* Between the panel's memory and the operand's, or a user's function. */
static vkmm_status copy_panel(vkmm_lane *lane, const vkmm_lines *lines, const vkmm_panel *panel, int back)
{
    const vkmm_stream_io *io = lane->stream->io;
    const vkmm_problem *p = &lane->stream->problem;
    const void *const memory = ((const void *const[]){io->a, io->b, io->c, io->bias})[panel->operand];
    if (!memory) {
        vkmm_error_clear();
        const vkmm_status status = (back ? io->write : io->read)(io->user, panel);
        if (status != VKMM_OK) atomic_store(&lane->is_told, 1);
        return status;
    }
    const vkmm_view whole = panel->operand == VKMM_BIAS ? vkmm_view_rows(memory, 1, p->n, lines->type)
                                                        : vkmm_operand_view(p, panel->operand, memory, panel->batch);
    const vkmm_view there = vkmm_view_part(&whole, panel->row, panel->col, panel->rows, panel->cols);
    const vkmm_view here = {panel->data, panel->rows, panel->cols, panel->row_stride, panel->col_stride, lines->type};
    if (back)
        vkmm_view_copy(&here, (void *)(uintptr_t)there.data, there.row_stride, there.col_stride);
    else
        vkmm_view_copy(&there, panel->data, here.row_stride, here.col_stride);
    return VKMM_OK;
}

/* One element of the product from the sum of all parts of K: activation(sum + β·before + bias); before and bias may be
 * NULL. */
static void finish(const vkmm_problem *problem, vkmm_type sum_type, const void *sum, const void *before,
                   const void *bias, void *element)
{
    const vkmm_type type = vkmm_operand_type(problem, VKMM_C);
    const double beta = vkmm_problem_beta(problem);
    if (!vkmm_type_of(sum_type)->is_float) {
        const uint32_t factor = (uint32_t)(int64_t)beta;
        uint32_t value = (uint32_t)(int64_t)vkmm_type_get(sum_type, sum);
        if (before) value += factor * (uint32_t)(int64_t)vkmm_type_get(type, before);
        if (bias) value += (uint32_t)(int64_t)vkmm_type_get(type, bias);
        if (problem->activation == VKMM_RELU && type == VKMM_I32 && (int32_t)value < 0) value = 0;
        memcpy(element, &value, sizeof value);
        return;
    }
    double value = vkmm_type_get(sum_type, sum);
    if (before) value += beta * vkmm_type_get(type, before);
    if (bias) value += vkmm_type_get(type, bias);
    if (problem->activation == VKMM_RELU && value < 0) value = 0;
    if (problem->activation == VKMM_GELU) value = vkmm_gelu(value);
    vkmm_type_put(type, element, value);
}

/* The last step of a product whose K was cut: its elements, line by line, from sums to the values of C. */
static vkmm_status finish_panel(vkmm_lane *lane, const vkmm_lines *lines, const vkmm_panel *sums)
{
    const vkmm_problem *p = &lane->stream->problem;
    const vkmm_type type = vkmm_operand_type(p, VKMM_C);
    const uint64_t size = vkmm_type_of(type)->bytes, sum_size = vkmm_type_of(lines->type)->bytes;
    const uint64_t count = lines->are_rows ? sums->rows : sums->cols;
    vkmm_lines line = *lines;
    vkmm_status status = VKMM_OK;
    char *memory = vkmm_alloc(lines->length, 2 * size);
    if (!memory) return VKMM_NO_MEMORY("for a line of C");
    char *before = memory + lines->length * size;
    line.type = type;
    for (uint64_t i = 0; i < count && status == VKMM_OK; i++) {
        vkmm_panel panel = *sums;
        *(lines->are_rows ? &panel.row : &panel.col) += i;
        *(lines->are_rows ? &panel.rows : &panel.cols) = 1;
        panel.data = before;
        if (vkmm_problem_beta(p) != 0) status = copy_panel(lane, &line, &panel, 0);
        for (uint64_t j = 0; j < lines->length && status == VKMM_OK; j++) {
            const uint64_t col = lines->are_rows ? panel.col + j : panel.col;
            const char *bias = lane->memory.host_bias ? (const char *)lane->memory.host_bias + col * size : NULL;
            finish(p, lines->type, (const char *)sums->data + (i * lines->ld + j) * sum_size,
                   vkmm_problem_beta(p) != 0 ? before + j * size : NULL, bias, memory + j * size);
        }
        panel.data = memory;
        if (status == VKMM_OK) status = copy_panel(lane, &line, &panel, 1);
    }
    vkmm_free(memory);
    return status;
}

/* The lines of every matrix in a round. */
static vkmm_status do_round(void *context, uint64_t round)
{
    const line_loop *loop = context;
    const vkmm_lines *l = loop->lines;
    const int finishes = loop->back && vkmm_lane_parts(loop->lane) > 1;
    uint64_t line = loop->first + round * loop->round;
    const uint64_t end = vkmm_least(line + loop->round, loop->end);
    vkmm_status status = VKMM_OK;
    while (line < end && status == VKMM_OK) {
        const uint64_t matrix = line / l->count, first = line % l->count;
        const uint64_t count = vkmm_least(l->count - first, end - line);
        const vkmm_panel panel = panel_of(l, matrix, first, count, loop->memory + (line - loop->first) * l->bytes);
        status = finishes ? finish_panel(loop->lane, l, &panel) : copy_panel(loop->lane, l, &panel, loop->back);
        line += count;
    }
    return status;
}

static vkmm_status run(vkmm_lane *lane, const vkmm_lines *lines, uint64_t first, uint64_t end, void *memory, int back)
{
    const uint64_t most = VKMM_COPY_ROUND / lines->bytes;
    line_loop loop = {lane, lines, first, end, most > 0 ? most : 1, memory, back};
    return vkmm_workers_run(lane->workers, vkmm_divide_up(end - first, loop.round), do_round, &loop);
}

vkmm_status vkmm_lane_fill(vkmm_lane *lane, const vkmm_lines *lines, uint64_t first, uint64_t end, void *memory)
{
    return run(lane, lines, first, end, memory, 0);
}

vkmm_status vkmm_lane_empty(vkmm_lane *lane, const vkmm_lines *lines, uint64_t first, uint64_t end, const void *memory)
{
    lane->done.is_torn = 1;
    vkmm_status status = run(lane, lines, first, end, (void *)(uintptr_t)memory, 1);
    if (status == VKMM_OK) lane->done.is_torn = 0, lane->done.written = end;
    return status;
}
