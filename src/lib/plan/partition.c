#include "plan/partition.h"

#include <math.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"

enum {
    BIAS_ALIGNMENT = 256, /* no device's minStorageBufferOffsetAlignment is larger */
    DEPTH_UNIT = 64,      /* elements along K */
    MOST_SLOTS = 256,     /* devices allow 4096 allocations */
    STEP_COST = 1 << 22,  /* bytes that could be copied while a step is begun, and its copies are waited for */
    SHORT_LINE = 1 << 10  /* and while the host goes to the next line of a panel */
};

/* FLOPs that a device does while it copies a byte: a GPU behind PCI Express, divided by the bytes of an element (an
 * NVIDIA H200 does 900 of f32); and one that shares the host's memory. Only panels' shapes depend on it. */
#define FLOPS_A_BYTE        3600.0
#define FLOPS_A_MAPPED_BYTE 50.0
/* For a kernel whose work cannot be cut into slices: what a slow device does in the time that a slice may take
 * (record/slices.h). */
#define FLOPS_AT_ONCE 4e9

/* The type that the sums of parts of K have: that of α and β, where the kernels can store it. */
static vkmm_type part_type(const vkmm_problem *problem)
{
    vkmm_types types = vkmm_problem_types(problem);
    types.out = vkmm_types_scale(types);
    return vkmm_types_legal(types) ? types.out : vkmm_problem_types(problem).out;
}

static uint64_t padded_line(const vkmm_problem *p, vkmm_operand operand)
{
    const uint64_t length = vkmm_operand_stored(p, operand).length;
    return vkmm_round_up(length > 0 ? length : 1, 16 / vkmm_type_of(vkmm_operand_type(p, operand))->bytes);
}

vkmm_problem vkmm_cut_problem(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_cut *cut)
{
    vkmm_problem p = *problem;
    p.m = cut->rows, p.n = cut->cols, p.k = cut->depth;
    p.lda = p.ldb = p.ldc = p.offset_a = p.offset_b = p.offset_c = p.stride_a = p.stride_b = p.stride_c = 0;
    p.batch_count = cut->matrices;
    if (cut->is_part) {
        p.compute = vkmm_problem_compute(problem);
        p.out_type = part_type(problem);
        p.alpha = vkmm_problem_alpha(problem);
        p.beta = cut->is_later ? 1 : 0;
        p.has_bias = 0;
        p.activation = VKMM_ACTIVATION_NONE;
    }
    if (!choice->kernel->tunables) return p;
    p.lda = padded_line(&p, VKMM_A), p.ldb = padded_line(&p, VKMM_B), p.ldc = padded_line(&p, VKMM_C);
    if (cut->matrices <= 1) return p;
    p.stride_a = p.lda * vkmm_operand_stored(&p, VKMM_A).count;
    p.stride_b = p.ldb * vkmm_operand_stored(&p, VKMM_B).count;
    p.stride_c = p.ldc * vkmm_operand_stored(&p, VKMM_C).count;
    return p;
}

uint64_t vkmm_cut_bytes(const vkmm_problem *p, vkmm_operand operand)
{
    const vkmm_stored stored = vkmm_operand_stored(p, operand);
    const uint64_t bytes =
        stored.ld * stored.count * vkmm_problem_batches(p) * vkmm_type_of(vkmm_operand_type(p, operand))->bytes;
    return bytes > 0 ? vkmm_round_up(bytes, 16) : 16;
}

/* Elements along K that are used. */
static uint64_t depth_of(const vkmm_problem *problem)
{
    return vkmm_problem_alpha(problem) == 0 ? 0 : problem->k;
}

static uint64_t count_of(uint64_t whole, uint64_t part)
{
    return part > 0 ? vkmm_divide_up(whole, part) : 1;
}

/* Into how many parts the kernel splits a cut's K. If K is cut, the last cut is shorter and may have more parts: as
 * many as its configuration allows. */
static uint64_t splits_of(const vkmm_problem *p, const vkmm_choice *choice, int is_part)
{
    const uint32_t *value = choice->config.values;
    uint32_t splits = 1;
    if (!choice->kernel->tunables) return 1;
    vkmm_config_splits(p, &choice->config, &splits);
    const uint64_t steps = vkmm_divide_up(p->k, value[VKMM_TUNE_DEPTH]);
    return !is_part || splits > steps ? splits : value[VKMM_TUNE_SPLITS] < steps ? value[VKMM_TUNE_SPLITS] : steps;
}

static uint64_t workspace_of(const vkmm_problem *p, const vkmm_choice *choice, int is_part)
{
    const uint64_t element = vkmm_type_of(vkmm_types_scale(vkmm_problem_types(p)))->bytes;
    vkmm_problem inner = *p;
    const uint64_t packed = choice->method ? choice->method->inside(choice, &inner) : 0,
                   splits = splits_of(&inner, choice, is_part);
    const int narrow = vkmm_type_of(vkmm_operand_type(p, VKMM_C))->bytes < 4;
    const int has_sums = choice->reduce || splits > 1 || narrow;
    return packed + (has_sums ? p->m * p->n * vkmm_problem_batches(p) * splits * element : 0);
}

/* Fills all but the numbers of slots and panels along K; 0: a buffer of it is too large. */
static int measure(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space, const vkmm_cut *cut,
                   vkmm_pieces *pieces)
{
    const vkmm_problem p = vkmm_cut_problem(problem, choice, cut);
    const uint64_t buffer = space->allocation - space->guard, most = space->range < buffer ? space->range : buffer;
    const uint64_t depth = depth_of(problem), batches = vkmm_problem_batches(problem);
    vkmm_partition *t = &pieces->partition;
    if (!choice->kernel->tunables && 2.0 * (double)cut->rows * (double)cut->cols * (double)cut->depth > FLOPS_AT_ONCE &&
        cut->rows * cut->cols > pieces->unit_rows * pieces->unit_cols)
        return 0;
    *t = (vkmm_partition){.rows = cut->rows, .cols = cut->cols, .depth = cut->depth};
    t->row_panels = count_of(problem->m, cut->rows);
    t->col_panels = count_of(problem->n, cut->cols);
    t->depth_panels = count_of(depth, cut->depth);
    pieces->matrices = cut->matrices;
    pieces->a_bytes = vkmm_cut_bytes(&p, VKMM_A);
    pieces->b_bytes = vkmm_cut_bytes(&p, VKMM_B);
    pieces->c_bytes = vkmm_cut_bytes(&p, VKMM_C);
    pieces->workspace_bytes = workspace_of(&p, choice, cut->is_part);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint64_t bytes = o == VKMM_A ? pieces->a_bytes : pieces->b_bytes,
                       packed = vkmm_packed_most(choice, &p, (vkmm_operand)o);
        pieces->packed_at[o] = vkmm_round_up(bytes, VKMM_BINDING_ALIGNMENT);
        pieces->slot_bytes[o] = packed > 0 ? pieces->packed_at[o] + packed : bytes;
        if (packed > most || pieces->slot_bytes[o] > buffer) return 0;
    }
    if (pieces->a_bytes > most || pieces->b_bytes > most || pieces->c_bytes > most || pieces->workspace_bytes > most)
        return 0;
    const uint64_t groups = vkmm_divide_up(batches, cut->matrices), a_panels = t->row_panels * t->depth_panels * groups,
                   b_panels = t->col_panels * t->depth_panels * groups;
    const int wide = problem->n > problem->m; /* other devices take columns, otherwise rows */
    t->a_slots = a_panels > 1 || (space->shared && !wide) ? pieces->slots : 1;
    t->b_slots = b_panels > 1 || (space->shared && wide) ? pieces->slots : 1;
    pieces->c_slots = t->row_panels * t->col_panels * groups > 1 || space->shared ? pieces->slots : 1;
    const uint64_t bias = vkmm_round_up(vkmm_operand_bytes(problem, VKMM_BIAS), BIAS_ALIGNMENT);
    t->device_bytes = t->a_slots * pieces->slot_bytes[VKMM_A] + t->b_slots * pieces->slot_bytes[VKMM_B] +
                      pieces->c_slots * (pieces->c_bytes + space->guard) + pieces->workspace_bytes + bias;
    return t->device_bytes <= space->total;
}

/* Panels of B that stay until they are needed again matter more than any shape: as many slots as fit. */
static void add_slots(const vkmm_problem *problem, const vkmm_space *space, vkmm_pieces *pieces)
{
    vkmm_partition *t = &pieces->partition;
    const int shared = vkmm_problem_batches(problem) > 1 && vkmm_operand_stride(problem, VKMM_B) == 0;
    if (pieces->matrices > 1 || t->depth_panels > 1 || pieces->slots < 2 || (t->row_panels == 1 && !shared)) return;
    while (t->b_slots < t->col_panels && t->b_slots < MOST_SLOTS &&
           t->device_bytes + pieces->slot_bytes[VKMM_B] <= space->total) {
        t->device_bytes += pieces->slot_bytes[VKMM_B];
        t->b_slots++;
    }
}

/* How busy a panel keeps the device: its tiles are distributed in rounds, of which the last is not full, and a
 * processor with a single workgroup waits for memory. With 1, 1.4, 2 and 4.9 rounds an NVIDIA H200 reached 0.55, 0.64,
 * 0.91 and 0.89 of its speed; this predicts 0.56, 0.52, 0.91, 0.93. */
static double share_busy(const vkmm_choice *choice, const vkmm_space *space, const vkmm_pieces *pieces)
{
    const vkmm_partition *t = &pieces->partition;
    const uint32_t *tile = choice->info.tile;
    const double tiles = ceil((double)t->rows / tile[choice->swapped]) * ceil((double)t->cols / tile[!choice->swapped]);
    const double rounds = tiles * (double)pieces->matrices / space->processors, resident = fmin(rounds, 2) / 2;
    return rounds / (rounds <= 4 ? ceil(rounds) + 0.2 : rounds + 0.35) * 2 * resident / (resident + 1);
}

static double cost_of_panel(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_pieces *pieces,
                            vkmm_operand operand)
{
    const vkmm_partition *t = &pieces->partition;
    const vkmm_cut cut = {t->rows, t->cols, t->depth, pieces->matrices, t->depth_panels > 1, 0};
    const vkmm_problem p = vkmm_cut_problem(problem, choice, &cut);
    const uint64_t bytes = operand == VKMM_A ? pieces->a_bytes : operand == VKMM_B ? pieces->b_bytes : pieces->c_bytes;
    return (double)bytes + SHORT_LINE * (double)(vkmm_operand_stored(&p, operand).count * pieces->matrices);
}

/* How long it takes, in bytes that could be copied meanwhile: computing hides copying or the other way round, except
 * for the first panels in and the last one out. */
static double cost_of(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space,
                      const vkmm_pieces *pieces)
{
    const vkmm_partition *t = &pieces->partition;
    const double batches = (double)vkmm_problem_batches(problem), steps = (double)t->row_panels * (double)t->col_panels;
    const double groups = ceil(batches / (double)pieces->matrices), depths = (double)t->depth_panels;
    const double a_times = t->depth_panels > 1 ? (double)t->col_panels : 1;
    const double b_times = t->b_slots >= t->col_panels && t->depth_panels == 1 ? 1 : (double)t->row_panels;
    const double a = cost_of_panel(problem, choice, pieces, VKMM_A), b = cost_of_panel(problem, choice, pieces, VKMM_B),
                 c = cost_of_panel(problem, choice, pieces, VKMM_C) * (vkmm_problem_beta(problem) != 0 ? 2 : 1);
    const double flops_a_byte =
        space->mapped ? FLOPS_A_MAPPED_BYTE : FLOPS_A_BYTE / (double)vkmm_type_of(problem->type)->bytes;
    const double copied = groups * (a * (double)t->row_panels * depths * a_times +
                                    b * (double)t->col_panels * depths * b_times + c * steps);
    const double computed = vkmm_problem_flops(problem) / flops_a_byte / share_busy(choice, space, pieces);
    return fmax(copied, computed) + 0.05 * fmin(copied, computed) + a + b + c + groups * steps * depths * STEP_COST;
}

/* The next smaller extent of panels: one panel more, or an eighth more of them. 0: there is none. */
static uint64_t smaller(uint64_t whole, uint64_t part, uint64_t unit)
{
    uint64_t panels = count_of(whole, part);
    for (;;) {
        panels += 1 + panels / 8;
        const uint64_t next = vkmm_round_up(vkmm_divide_up(whole, panels), unit);
        if (next < part) return next;
        if (part <= unit || panels > whole) return 0;
    }
}

/* The best cut of C with this many elements along K. */
static int find_panels(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space, vkmm_cut cut,
                       vkmm_pieces *best)
{
    const int general = choice->kernel->tunables != NULL;
    double least = INFINITY;
    for (cut.rows = problem->m; cut.rows > 0; cut.rows = smaller(problem->m, cut.rows, best->unit_rows))
        for (cut.cols = problem->n; cut.cols > 0; cut.cols = smaller(problem->n, cut.cols, best->unit_cols)) {
            vkmm_pieces pieces = *best;
            cut.matrices = 1;
            if (!measure(problem, choice, space, &cut, &pieces)) continue;
            if (general && cut.rows == problem->m && cut.cols == problem->n && !cut.is_part) {
                /* Small matrices are combined in one panel. */
                for (uint64_t count = 2; count <= vkmm_problem_batches(problem); count *= 2) {
                    vkmm_pieces more = pieces;
                    cut.matrices = count;
                    if (!measure(problem, choice, space, &cut, &more)) break;
                    pieces = more;
                }
            }
            add_slots(problem, space, &pieces);
            const double cost = cost_of(problem, choice, space, &pieces);
            if (cost >= least) continue;
            least = cost;
            *best = pieces;
        }
    return least < INFINITY;
}

/* The kernel's tiles in the problem's coordinates; the bias of a panel begins where a binding can. */
static void find_units(const vkmm_problem *problem, const vkmm_choice *choice, vkmm_pieces *pieces)
{
    const uint32_t *tile = choice->info.tile, size = vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->bytes;
    uint64_t rows = tile[choice->swapped], cols = tile[!choice->swapped];
    if (choice->kernel->spread == VKMM_SPREAD_LINEAR) rows = cols = 16;
    if (rows == 0) rows = 1;
    if (cols == 0) cols = 1;
    pieces->unit_rows = rows;
    pieces->unit_cols = cols;
    while (problem->has_bias && pieces->unit_cols * size % BIAS_ALIGNMENT != 0) pieces->unit_cols += cols;
}

/* With all of K, or else with as much of it as fits. */
static int find(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space, int cut_depth,
                vkmm_pieces *pieces)
{
    vkmm_cut cut = {.depth = depth_of(problem), .is_part = cut_depth};
    if (!cut_depth) return find_panels(problem, choice, space, cut, pieces);
    while ((cut.depth = smaller(depth_of(problem), cut.depth, DEPTH_UNIT)) > 0)
        if (find_panels(problem, choice, space, cut, pieces)) return 1;
    return 0;
}

int vkmm_pieces_find(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space,
                     vkmm_pieces *pieces)
{
    *pieces = (vkmm_pieces){.matrices = 1};
    find_units(problem, choice, pieces);
    if (space->allocation <= space->guard) return 0;
    const int cuts = choice->kernel->tunables && !vkmm_method_at(problem->method)->needs_depth;
    for (int cut_depth = 0; cut_depth <= cuts; cut_depth++)
        for (pieces->slots = 2; pieces->slots > 0;
             pieces->slots--) /* one if two do not fit: loading then waits for the multiplication */
            if (find(problem, choice, space, cut_depth, pieces)) return 1;
    return 0;
}

int vkmm_pieces_halve(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space,
                      vkmm_pieces *pieces)
{
    const vkmm_partition *t = &pieces->partition;
    const int is_part = t->depth_panels > 1,
              by_rows = t->rows > t->cols ? t->rows > pieces->unit_rows : t->cols <= pieces->unit_cols;
    vkmm_cut cut = {t->rows, t->cols, t->depth, pieces->matrices, is_part, 0};
    vkmm_pieces next = *pieces;
    if (cut.matrices > 1)
        cut.matrices /= 2;
    else if (by_rows && cut.rows > pieces->unit_rows)
        cut.rows = vkmm_round_up(vkmm_divide_up(cut.rows, 2), pieces->unit_rows);
    else if (cut.cols > pieces->unit_cols)
        cut.cols = vkmm_round_up(vkmm_divide_up(cut.cols, 2), pieces->unit_cols);
    else if (next.slots > 1)
        next.slots = 1;
    else
        return 0;
    if (!measure(problem, choice, space, &cut, &next)) return 0;
    *pieces = next;
    return 1;
}

/* Rows of panels, alternately from left to right and from right to left: one panel of A or B stays for the next. */
static vkmm_step *split_matrices(const vkmm_pieces *pieces, const vkmm_step *from, uint64_t first, vkmm_step *next)
{
    const vkmm_partition *t = &pieces->partition;
    const uint64_t cols = vkmm_divide_up(from->cols, t->cols),
                   matrices = vkmm_least(from->matrices - first, pieces->matrices);
    for (uint64_t row = 0, odd = 0; row < from->rows; row += t->rows, odd = !odd)
        for (uint64_t turn = 0; turn < cols; turn++) {
            const uint64_t col = (odd ? cols - 1 - turn : turn) * t->cols;
            *next++ = (vkmm_step){from->batch + first,
                                  matrices,
                                  from->row + row,
                                  from->col + col,
                                  vkmm_least(from->rows - row, t->rows),
                                  vkmm_least(from->cols - col, t->cols)};
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
