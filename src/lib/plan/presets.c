/* Where the figures come from: sweeps on an NVIDIA H200 (driver 580) and, for the kernel cpu, lavapipe of Mesa 22.3,
 * 25.0 and 26.1 and SwiftShader, 2026-11-21. CHANGELOG.md has the figures. */
#include "plan/presets.h"

#include <stdlib.h>
#include <string.h>

#include "math/problem.h"
#include "plan/matrices.h"
#include "math/type.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* rows, cols, depth, thread-rows, thread-cols, splits; swizzle, buffers, pad, slices, lane-cols */
static const vkmm_preset blocked[] = {
    {{{64, 128, 16, 8, 8, 1, 8, 1, 1, 1, 2, 1}}, .91, 3, 100},
    {{{128, 128, 16, 8, 8, 1, 8, 1, 1, 1, 8, 1}}, .833, 2, 100},
    {{{64, 128, 16, 8, 8, 1, 8, 1, 1, 2, 2, 1}}, .66, 2, 30},
    {{{64, 64, 32, 8, 8, 1, 8, 1, 1, 2, 8, 1}}, .61, 3, 30},
    {{{64, 64, 16, 8, 8, 1, 8, 1, 1, 2, 8, 1}}, .60, 3, 30},
    {{{48, 96, 16, 12, 4, 1, 8, 1, 1, 2, 8, 1}}, .57, 2, 30},
    {{{64, 64, 16, 8, 4, 1, 8, 1, 1, 1, 8, 1}}, .72, 4, 100},
    {{{64, 16, 16, 8, 4, 1, 8, 1, 1, 2, 4, 1}}, .30, 6, 30},
    {{{32, 32, 32, 4, 4, 1, 8, 1, 1, 4, 8, 1}}, .41, 3, 30},
    {{{32, 32, 16, 4, 4, 1, 8, 1, 1, 2, 8, 1}}, .38, 4, 30},
    {{{32, 32, 16, 4, 4, 1, 8, 1, 1, 1, 8, 1}}, .40, 8, 100},
    {{{16, 32, 8, 4, 4, 1, 8, 1, 1, 1, 4, 1}}, .20, 8, 100},
    {{{16, 16, 4, 4, 4, 1, 8, 1, 1, 1, 4, 1}}, .10, 8, 100},
};

/* Elements of f64 fill twice the registers and half the vectors. */
static const vkmm_preset blocked_f64[] = {
    {{{128, 128, 8, 8, 8, 1, 8, 1, 1, 1, 2, 1}}, .97, 1, 100}, {{{64, 128, 8, 8, 8, 1, 8, 1, 1, 1, 2, 1}}, .95, 2, 100},
    {{{64, 64, 8, 8, 4, 1, 8, 1, 1, 1, 2, 1}}, .86, 3, 100},   {{{32, 64, 8, 4, 4, 1, 8, 1, 1, 1, 8, 1}}, .65, 4, 100},
    {{{32, 32, 8, 4, 4, 1, 8, 1, 1, 1, 8, 1}}, .60, 8, 100},   {{{16, 32, 8, 4, 4, 1, 8, 1, 1, 1, 4, 1}}, .40, 8, 100},
    {{{16, 16, 4, 4, 4, 1, 8, 1, 1, 1, 4, 1}}, .20, 8, 100},
};

/* rows, cols, depth, thread-long, -, splits; threads. The shorter side is fitted to the problem: up to 2, 4, 8 and
 * 16 for the first ones. Neighbours along K: a workgroup sums a few long rows; neighbours across: it walks down many
 * columns side by side. */
static const vkmm_preset skinny_along[] = {
    {.config = {{4, 1, 1024, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{8, 1, 512, 8, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{4, 1, 512, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},  {.config = {{16, 1, 128, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{4, 1, 128, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},   {.config = {{16, 1, 32, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},
};
/* Of 16 bits 8 elements make 16 bytes, of 8 bits 16; rows must be many, because all of the short operand is read
 * again for each few of them. */
static const vkmm_preset skinny_along_16[] = {
    {.config = {{4, 1, 2048, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{8, 1, 1024, 8, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{32, 1, 512, 8, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{16, 1, 256, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{16, 1, 64, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},
};
static const vkmm_preset skinny_along_8[] = {
    {.config = {{4, 1, 4096, 4, 1, 1, 256, 1, 1, 1, 1, 1}}},  {.config = {{4, 1, 2048, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{16, 1, 1024, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{16, 1, 512, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{16, 1, 128, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},
};
static const vkmm_preset skinny_across_narrow[] = {
    {.config = {{64, 1, 128, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{64, 1, 128, 4, 1, 1, 256, 1, 1, 1, 1, 1}}},
    {.config = {{128, 1, 64, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{64, 1, 64, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{32, 1, 32, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},
};
static const vkmm_preset skinny_across[] = {
    {.config = {{64, 1, 64, 4, 1, 1, 256, 1, 1, 1, 1, 1}}},  {.config = {{64, 1, 64, 4, 1, 1, 256, 1, 1, 1, 1, 1}}},
    {.config = {{128, 1, 64, 4, 1, 1, 256, 1, 1, 1, 1, 1}}}, {.config = {{64, 1, 32, 4, 1, 1, 128, 1, 1, 1, 1, 1}}},
    {.config = {{32, 1, 16, 4, 1, 1, 32, 1, 1, 1, 1, 1}}},
};

/* rows, cols, depth, -, -, splits; lanes, written-out. Columns: four for each lane of a subgroup. */
static const vkmm_preset cpu[] = {
    {.config = {{32, 32, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}}, {.config = {{16, 32, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}},
    {.config = {{8, 32, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}},  {.config = {{8, 16, 4, 1, 1, 1, 4, 1, 1, 1, 1, 1}}},
    {.config = {{8, 64, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}},  {.config = {{8, 128, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}},
    {.config = {{8, 256, 4, 1, 1, 1, 8, 0, 1, 1, 1, 1}}},
};
enum { CPU_32_ROWS, CPU_16_ROWS, CPU_8_ROWS, CPU_WRITTEN_OUT };

/* rows, cols, depth, matrix-rows, matrix-cols, splits; swizzle, threads, scope, whole, prefetch, unroll. From large
 * to small, for as many tiles as there are processors; then matrices of subgroups, for devices where workgroups own
 * none, down to narrow ones. Not measured yet. */
static const vkmm_preset coopmat2[] = {
    {.config = {{128, 256, 64, 128, 256, 1, 8, 256, 2, 1, 0, 4, 1, 1, 1, 1}}},
    {.config = {{256, 128, 64, 256, 128, 1, 8, 256, 2, 1, 0, 4, 1, 1, 1, 1}}},
    {.config = {{128, 128, 64, 128, 128, 1, 8, 256, 2, 1, 0, 4, 1, 1, 1, 1}}},
    {.config = {{64, 128, 64, 64, 128, 1, 8, 128, 2, 1, 0, 4, 1, 1, 1, 1}}},
    {.config = {{64, 64, 64, 64, 64, 1, 8, 128, 2, 1, 0, 4, 1, 1, 1, 1}}},
    {.config = {{128, 128, 32, 64, 64, 1, 8, 128, 3, 1, 0, 1, 1, 1, 1, 1}}},
    {.config = {{32, 32, 32, 32, 32, 1, 8, 32, 3, 1, 0, 1, 1, 1, 1, 1}}},
    {.config = {{32, 32, 32, 32, 32, 1, 8, 64, 3, 1, 0, 1, 1, 1, 1, 1}}},
    {.config = {{32, 32, 32, 32, 32, 1, 8, 16, 3, 1, 0, 1, 1, 1, 1, 1}}},
    {.config = {{16, 16, 32, 16, 16, 1, 8, 8, 3, 1, 0, 1, 1, 1, 1, 1}}},
    {.config = {{16, 16, 32, 16, 16, 1, 8, 4, 3, 1, 0, 1, 1, 1, 1, 1}}},
};
enum { COOPMAT2_SIZES = 5 }; /* of tiles that a workgroup owns */

/* Mesa's release as its driver tells it: "Mesa 26.1.2"; 0 where it does not. */
static int mesa_release(const vkmm_device_info *device)
{
    const char *version = strstr(device->driver_info, "Mesa ");
    return version ? atoi(version + 5) : 0;
}

/* The sums of 32 rows fit into the registers that newer Mesas let LLVM use; elsewhere they spill. Fewer rows than
 * the tile has are work for nothing. SwiftShader unrolls no loops. */
static vkmm_presets cpu_presets(const vkmm_device_info *device, const vkmm_problem *problem)
{
    uint32_t first = CPU_16_ROWS;
    int large = problem->m > 16 && (problem->m > 128 || problem->n > 128);
    if (device->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && mesa_release(device) >= 26 && large &&
        problem->type != VKMM_F64)
        first = CPU_32_ROWS;
    if (problem->m <= 8) first = CPU_8_ROWS;
    if (device->driver_id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER) first = CPU_WRITTEN_OUT;
    return (vkmm_presets){cpu + first, COUNT(cpu) - first};
}

/* Whether the longer side of a skinny problem has its neighbours in memory along K. */
static int long_along_k(const vkmm_problem *problem)
{
    return vkmm_is_wide(problem) ? problem->op_b == VKMM_OP_T : problem->op_a == VKMM_OP_N;
}

static vkmm_presets skinny_presets(const vkmm_problem *problem)
{
    const uint64_t side = vkmm_short_side(problem);
    const uint32_t first = side <= 2 ? 0 : side <= 4 ? 1 : side <= 8 ? 2 : 3;
    const uint32_t bytes = vkmm_type_of(problem->type)->bytes;
    if (bytes < 4 && !long_along_k(problem))
        return (vkmm_presets){skinny_across_narrow + first, COUNT(skinny_across_narrow) - first};
    if (bytes == 2) return (vkmm_presets){skinny_along_16 + first, COUNT(skinny_along_16) - first};
    if (bytes == 1) return (vkmm_presets){skinny_along_8 + first, COUNT(skinny_along_8) - first};
    if (long_along_k(problem)) return (vkmm_presets){skinny_along + first, COUNT(skinny_along) - first};
    return (vkmm_presets){skinny_across + first, COUNT(skinny_across) - first};
}

static vkmm_presets coopmat2_presets(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const double processors = device->processors ? device->processors : 48;
    const double elements = (double)problem->m * (double)problem->n * (double)problem->batch_count;
    uint32_t first = 0;
    while (first + 1 < COOPMAT2_SIZES) {
        const uint32_t *value = coopmat2[first].config.values;
        if (elements >= processors * value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS]) break;
        first++;
    }
    return (vkmm_presets){coopmat2 + first, COUNT(coopmat2) - first};
}

vkmm_presets vkmm_presets_of(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel)
{
    if (strcmp(kernel->name, "coopmat") == 0) return vkmm_coopmat_presets(device, problem);
    if (strcmp(kernel->name, "cpu") == 0) return cpu_presets(device, problem);
    if (strcmp(kernel->name, "skinny") == 0) return skinny_presets(problem);
    if (strcmp(kernel->name, "coopmat2") == 0) return coopmat2_presets(device, problem);
    return problem->type == VKMM_F64 ? (vkmm_presets){blocked_f64, COUNT(blocked_f64)}
                                     : (vkmm_presets){blocked, COUNT(blocked)};
}
