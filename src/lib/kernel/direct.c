/* shaders/direct.comp: a step of the ladder, between products without matrix operations and coopmat. The planner never
 * chooses it. */
#include <string.h>

#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/problem.h"
#include "math/type.h"

extern const vkmm_kernel vkmm_kernel_direct;

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", 0, 0, "rows of a matrix operation", 3, {8, 16, 32}},
    [VKMM_TUNE_COLS] = {"cols", 0, 0, "its columns", 3, {8, 16, 32}},
    [VKMM_TUNE_DEPTH] = {"depth", 0, 0, "its elements along K", 3, {8, 16, 32}},
};

/* One subgroup and one operation's sums. */
static void ask(vkmm_shape *shape)
{
    shape->x = vkmm_coopmat_lanes(shape->device);
    for (int side = 0; side < 3; side++) shape->matrix[side] = shape->config->values[VKMM_TUNE_ROWS + side];
    shape->registers = vkmm_quotient((uint64_t)shape->matrix[0] * shape->matrix[1], shape->x);
    vkmm_request_subgroups(shape, 1, shape->x);
}

static uint64_t has_edges(const vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    return vkmm_left_over(p->m, shape->matrix[0]) + vkmm_left_over(p->n, shape->matrix[1]) +
           vkmm_left_over(p->k, shape->matrix[2]) +
           (vkmm_problem_alignment(p) != (VKMM_ALIGNED_A | VKMM_ALIGNED_B | VKMM_ALIGNED_C));
}

static uint64_t is_more(const vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    return p->op_a != VKMM_OP_N || p->op_b != VKMM_OP_N || p->has_bias || p->activation != VKMM_ACTIVATION_NONE ||
           vkmm_problem_types(p).out != VKMM_F32;
}

static const vkmm_rule rules[] = {
    {"matrix shapes", "unavailable matrix operations", vkmm_missing_matrix, NULL,
     "the device must list the shape for its types, and this build must have a shader for it"},
    {"whole matrices", "leftover elements", has_edges, NULL,
     "M, N and K must be multiples of rows, cols and depth, and rows in memory begin at multiples of 16 bytes"},
    {"plain products", "other parts of the product", is_more, NULL,
     "it multiplies A and B as they are stored, into a C of f32, without bias or activation"},
    {0},
};

/* The device's usable shapes in its order, of which the planner takes the first legal one; or one that it lacks. */
static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    uint32_t usable = 0;
    *preset = (vkmm_preset){.config = {{16, 16, 16}}};
    for (uint32_t i = 0; i < device->matrices.shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrices.shapes[i];
        const uint32_t shape[3] = {s->m, s->n, s->k};
        if (!vkmm_coopmat_is_usable(&vkmm_kernel_direct, device, problem, shape) || usable++ != index) continue;
        memcpy(preset->config.values, shape, sizeof shape);
        return 1;
    }
    return usable + index == 0;
}

const vkmm_kernel vkmm_kernel_direct = {
    .name = "direct",
    .summary = "matrix operations fed straight from memory, for whole matrices of f16 only",
    .spread = VKMM_SPREAD_ITEMS,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
};
