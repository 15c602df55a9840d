/* Which matrix operations the planner takes, and which tiles: those that did best on an NVIDIA H200 (2026-11-21,
 * driver 580.159.04). */
#include "plan/matrices.h"

#include <string.h>

#include "math/problem.h"
#include "math/type.h"

enum { VENDOR_INTEL = 0x8086, LEAST_SIDE = 5, THIN = 32 };

/* rows, cols, depth (of 16-bit types), sub-rows, sub-cols, splits; swizzle, pad, -, and the operation that did best
 * with it, where the device lists it (k is that of 16-bit types). What an H200 lets run at once on a processor is
 * bounded by 48 KiB of shared memory, not by the 228 KiB that it has: hence large tiles, one at a time, rather than
 * two buffers. The last are for lesser devices. */
static const vkmm_preset presets[] = {
    /* Two for sums in f16, which take half as many registers. */
    {{{256, 256, 32, 64, 128, 1, 8, 1, 1, 16, 8, 16, 1, 1, 1, 1}}, .70, 1, 1},
    {{{128, 256, 32, 64, 64, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}}, .60, 1, 1},
    /* For all. */
    {{{128, 256, 32, 64, 64, 1, 8, 1, 1, 16, 8, 16, 1, 1, 1, 1}}, .57, 1, 1},
    {{{128, 128, 32, 64, 64, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}}, 1.73, 2, 600}, /* one at a time: .31, two: .52 */
    {{{64, 128, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}}, .33, 1, 1},
    {{{64, 64, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}}, .28, 2, 1},
    {{{64, 64, 32, 32, 32, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}}, .22, 4, 1},
    {{{32, 32, 32, 32, 32, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, .12, 8, 1},
    {{{32, 32, 16, 32, 32, 1, 8, 0, 1, 1, 1, 1, 1, 1, 1, 1}}, .10, 8, 1},
};
enum { ANY_SUMS = 2, SMALLER = 3, COUNT = sizeof presets / sizeof presets[0] };

/* Drivers on processors take minutes to compile larger ones. */
static const vkmm_preset small[] = {{{{32, 32, 16, 16, 16, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, .10, 8, 1}};

static int is_processor(const vkmm_device_info *device)
{
    return device->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Where one operation covers most of the short side, what counts is to read the long one with all processors. */
static const vkmm_config tall = {{128, 32, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}};
static const vkmm_config wide = {{32, 128, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16, 1, 1, 1, 1}};

int vkmm_thin_matrix(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                     vkmm_config *config)
{
    vkmm_config thin = vkmm_is_wide(problem) ? wide : tall;
    if (is_processor(device) || vkmm_short_side(problem) > THIN) return 0;
    vkmm_fit_matrix(device, problem, kernel, &thin);
    if (vkmm_config_forbidden_by(kernel, problem, &thin, device)) return 0;
    *config = thin;
    return 1;
}

/* Bytes of a transposed A are turned round on the way, by as many invocations as a large tile has too few of. */
vkmm_presets vkmm_coopmat_presets(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const int turned = vkmm_type_of(problem->type)->bytes == 1 && problem->op_a == VKMM_OP_T;
    const uint32_t first = turned ? SMALLER : vkmm_problem_compute(problem) == VKMM_F16 ? 0 : ANY_SUMS;
    if (is_processor(device)) return (vkmm_presets){small, 1};
    return (vkmm_presets){presets + first, COUNT - first};
}

/* Intel's shapes are those of its narrowest subgroups; elsewhere the driver's own choice is as good as any. */
static uint32_t lanes_of(const vkmm_device_info *device)
{
    const uint32_t own = device->subgroup_size;
    if (device->max_subgroup_size == 0) return own;
    if (device->vendor_id == VENDOR_INTEL || own < device->min_subgroup_size || own > device->max_subgroup_size)
        return device->min_subgroup_size;
    return own;
}

static int is_usable(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3])
{
    return vkmm_coopmat_lists(device, problem, shape) && vkmm_module_for("coopmat", problem, device, shape);
}

/* The largest operation: more work an instruction. Zeros: none fits. */
static void best_shape(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t best[3])
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < device->matrix_shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrix_shapes[i];
        const uint32_t shape[3] = {s->m, s->n, s->k};
        const uint64_t work = (uint64_t)s->m * s->n * s->k;
        if (work <= most || !is_usable(device, problem, shape)) continue;
        most = work;
        memcpy(best, shape, sizeof shape);
    }
}

void vkmm_fit_matrix(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                     vkmm_config *config)
{
    const uint32_t scale = vkmm_type_of(problem->type)->bytes == 1 ? 2 : 1;
    uint32_t shape[3] = {0}, lanes;
    if (!vkmm_coopmat_matrix(kernel, config, shape, &lanes)) return;
    shape[2] *= scale;
    if (!is_usable(device, problem, shape)) {
        memset(shape, 0, sizeof shape);
        best_shape(device, problem, shape);
    }
    vkmm_coopmat_set_matrix(config, shape, lanes_of(device));
    config->values[VKMM_TUNE_DEPTH] *= scale;
}

int vkmm_coopmat_suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    uint32_t shape[3] = {0};
    if (is_processor(device) || vkmm_short_side(problem) < LEAST_SIDE) return 0;
    best_shape(device, problem, shape);
    return shape[0] > 0;
}

double vkmm_matrix_rate(const vkmm_problem *problem)
{
    return (vkmm_type_of(problem->type)->bytes == 1 ? 2450 : 1200) * 1980.0;
}
