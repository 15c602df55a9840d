/* shaders/coopmat2.comp: matrix operations on matrices of flexible sizes. */
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/component.h"
#include "math/type.h"

enum { SWIZZLE = VKMM_TUNE_OWN, THREADS, SCOPE, WHOLE, PREFETCH, UNROLL };

/* VkScopeKHR, which headers older than the extensions lack. */
enum { WORKGROUP = 2, SUBGROUP = 3 };

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 4, {32, 64, 128, 256}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 5, {16, 32, 64, 128, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_THREAD_ROWS] = {"matrix-rows", 9, 0, "rows of C per matrix", 4, {32, 64, 128, 256}},
    [VKMM_TUNE_THREAD_COLS] = {"matrix-cols", 10, 0, "columns of C per matrix", 5, {16, 32, 64, 128, 256}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 6, {1, 2, 4, 8, 16, 32}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles traversed together", 4, {1, 4, 8, 16}},
    [THREADS] = {"threads", 0, 0, "invocations per workgroup", 4, {32, 64, 128, 256}},
    [SCOPE] = {"scope", 12, 0, "who owns a matrix: 2 the workgroup, 3 a subgroup", 2, {WORKGROUP, SUBGROUP}},
    [WHOLE] = {"whole", 13, 0, "1: tiles fully inside are read without bounds", 2, {0, 1}},
    [PREFETCH] = {"prefetch", 14, 0, "1: the next step is read before this one is multiplied", 2, {0, 1}},
    [UNROLL] = {"unroll", 15, 0, "steps per loop iteration", 4, {1, 2, 4, 8}},
};

/* rows, cols, depth, matrix-rows, matrix-cols, splits; swizzle, threads, scope, whole, prefetch, unroll. From large
 * to small, for as many tiles as there are processors; then matrices of subgroups, for devices without workgroup
 * matrices, down to narrow ones. Not measured yet. */
static const vkmm_config presets[] = {
    {{128, 256, 64, 128, 256, 1, 8, 256, 2, 1, 0, 4}}, {{256, 128, 64, 256, 128, 1, 8, 256, 2, 1, 0, 4}},
    {{128, 128, 64, 128, 128, 1, 8, 256, 2, 1, 0, 4}}, {{64, 128, 64, 64, 128, 1, 8, 128, 2, 1, 0, 4}},
    {{64, 64, 64, 64, 64, 1, 8, 128, 2, 1, 0, 4}},     {{128, 128, 32, 64, 64, 1, 8, 128, 3, 1, 0, 1}},
    {{32, 32, 32, 32, 32, 1, 8, 32, 3, 1, 0, 1}},      {{32, 32, 32, 32, 32, 1, 8, 64, 3, 1, 0, 1}},
    {{32, 32, 32, 32, 32, 1, 8, 16, 3, 1, 0, 1}},      {{16, 16, 32, 16, 16, 1, 8, 8, 3, 1, 0, 1}},
    {{16, 16, 32, 16, 16, 1, 8, 4, 3, 1, 0, 1}},
};
enum { SIZES = 5 }; /* of tiles that a workgroup owns */

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    const double processors = device->processors ? device->processors : 48;
    const double elements = (double)problem->m * (double)problem->n * (double)problem->batch_count;
    uint32_t first = 0;
    while (first + 1 < SIZES) {
        const uint32_t *value = presets[first].values;
        if (elements >= processors * value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS]) break;
        first++;
    }
    if (first + index >= VKMM_COUNT(presets)) return 0;
    *preset = (vkmm_preset){.config = presets[first + index]};
    return 1;
}

/* The shared memory that matrices need is reserved by the driver. Subgroups that own matrices have the default size. */
static void ask(vkmm_shape *shape)
{
    const vkmm_device_info *device = shape->device;
    const uint64_t elements = vkmm_value(shape, VKMM_TUNE_ROWS) * vkmm_value(shape, VKMM_TUNE_COLS);
    shape->x = vkmm_value(shape, THREADS);
    shape->y = 1;
    shape->registers = vkmm_quotient(elements, shape->x) * vkmm_type_of(shape->type)->bytes / 4;
    if (vkmm_value(shape, SCOPE) != SUBGROUP || device->subgroup.max_size == 0) return;
    shape->subgroups = vkmm_blocks_down(shape) * vkmm_blocks_across(shape);
    if (device->subgroup.size >= device->subgroup.min_size && device->subgroup.size <= device->subgroup.max_size)
        shape->subgroup_size = device->subgroup.size;
}

static uint64_t broken_matrices(const vkmm_shape *shape)
{
    if (vkmm_value(shape, SCOPE) != WORKGROUP) return vkmm_outside_blocks(shape);
    return (vkmm_value(shape, VKMM_TUNE_ROWS) != vkmm_value(shape, VKMM_TUNE_THREAD_ROWS)) +
           (vkmm_value(shape, VKMM_TUNE_COLS) != vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

static uint64_t broken_settings(const vkmm_shape *shape)
{
    const uint64_t scope = vkmm_value(shape, SCOPE);
    return (scope != WORKGROUP && scope != SUBGROUP) + (vkmm_value(shape, WHOLE) > 1) +
           (vkmm_value(shape, PREFETCH) > 1) + (vkmm_value(shape, UNROLL) == 0) + (vkmm_value(shape, SWIZZLE) == 0) +
           (vkmm_value(shape, VKMM_TUNE_DEPTH) == 0);
}

static int divides(const vkmm_matrix_granule *granule, uint64_t rows, uint64_t cols, uint64_t depth)
{
    return vkmm_left_over(rows, granule->of.m) + vkmm_left_over(cols, granule->of.n) +
               vkmm_left_over(depth, granule->of.k) ==
           0;
}

/* Whether the device has matrices of the shape's size for A and B of the problem's type with sums (or results) of
 * another. */
static int has_granule(const vkmm_shape *shape, vkmm_type sum, uint64_t depth)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    const uint32_t a = vkmm_component_of(shape->problem->type), c = vkmm_component_of(sum),
                   scope = (uint32_t)vkmm_value(shape, SCOPE);
    for (uint32_t i = 0; i < shape->device->matrices.granule_count; i++) {
        const vkmm_matrix_granule *granule = &shape->device->matrices.granules[i];
        const vkmm_matrix_shape *of = &granule->of;
        if (of->a != a || of->b != a || of->c != c || of->result != c || of->scope != scope || of->saturating) continue;
        if (scope == WORKGROUP && granule->invocations != shape->x) continue;
        if (divides(granule, rows, cols, depth)) return 1;
    }
    return 0;
}

/* C in f16 is made of sums converted to f16; C in bf16 of a matrix used as an operand, rows by columns. */
static uint64_t broken_granules(const vkmm_shape *shape)
{
    const vkmm_type sum = vkmm_problem_compute(shape->problem), out = vkmm_operand_type(shape->problem, VKMM_C);
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    if (!has_granule(shape, sum, depth)) return 1;
    if (out == VKMM_BF16) return !has_granule(shape, sum, vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
    return out == VKMM_F16 && !has_granule(shape, VKMM_F16, depth);
}

static uint64_t broken_owners(const vkmm_shape *shape)
{
    if (vkmm_value(shape, SCOPE) != SUBGROUP) return 0;
    const uint64_t needed = vkmm_blocks_down(shape) * vkmm_blocks_across(shape) * shape->device->subgroup.size;
    return needed > shape->x ? needed - shape->x : shape->x - needed;
}

static uint64_t need_workgroup(const vkmm_shape *shape)
{
    return vkmm_value(shape, SCOPE) == WORKGROUP ? shape->x : 0;
}

static uint64_t limit_workgroup(const vkmm_device_info *device)
{
    return device->matrices.matrix2 & VKMM_MATRIX2_WORKGROUP ? device->matrices.max_invocations : 0;
}

static uint64_t need_side(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH), side = rows > cols ? rows : cols;
    return side > depth ? side : depth;
}

static uint64_t limit_side(const vkmm_device_info *device)
{
    return device->matrices.max_dimension;
}

static const vkmm_rule rules[] = {
    {"whole matrices", "leftover rows or columns of a tile", broken_matrices, NULL,
     "the tile must divide into matrices; with scope=2 it must be one matrix"},
    {"settings", "unsupported settings", broken_settings, NULL,
     "scope must be 2 or 3, whole and prefetch 0 or 1, and unroll, swizzle and depth not 0"},
    {"cooperativeMatrixWorkgroupScopeMaxWorkgroupSize", "invocations that own a matrix together", need_workgroup,
     limit_workgroup, "the device has matrices of a whole workgroup up to this size, or none"},
    {"cooperativeMatrixFlexibleDimensionsMaxDimension", "elements along a side of a matrix", need_side, limit_side,
     "the device supports matrices up to this size"},
    {"matrix granules", "matrices that the device does not list", broken_granules, NULL,
     "matrices of flexible dimensions must be multiples of the granules that the device lists for their types, scope "
     "and invocations"},
    {"whole subgroups", "invocations too many or too few", broken_owners, NULL, "every subgroup must own one matrix"},
    {0},
};

const vkmm_kernel vkmm_kernel_coopmat2 = {
    .name = "coopmat2",
    .summary = "matrix operations on matrices as large as a workgroup's tile, read straight from memory "
               "(VK_NV_cooperative_matrix2)",
    .spread = VKMM_SPREAD_ITEMS,
    .default_rows = 128,
    .default_cols = 128,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
};
