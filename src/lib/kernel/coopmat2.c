/* The tunables of shaders/coopmat2.comp, and what it asks. */
#include "kernel/contract.h"
#include "kernel/coopmat.h"
#include "kernel/general.h"

enum { SWIZZLE = VKMM_TUNE_OWN, THREADS, SCOPE, WHOLE, PREFETCH, UNROLL };

/* VkComponentTypeKHR and VkScopeKHR, which headers older than the extensions lack. */
enum {
    FLOAT16 = 0,
    FLOAT32 = 1,
    SINT8 = 3,
    SINT32 = 5,
    UINT8 = 7,
    UINT32 = 9,
    BFLOAT16 = 1000141000,
    NO_COMPONENT = 0x7fffffff
};
enum { WORKGROUP = 2, SUBGROUP = 3 };

const vkmm_tunable vkmm_coopmat2_tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C of a workgroup's tile", 4, {32, 64, 128, 256}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of it", 5, {16, 32, 64, 128, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K of a step", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_THREAD_ROWS] = {"matrix-rows", 9, 0, "rows of C of a matrix", 4, {32, 64, 128, 256}},
    [VKMM_TUNE_THREAD_COLS] = {"matrix-cols", 10, 0, "columns of it", 5, {16, 32, 64, 128, 256}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 6, {1, 2, 4, 8, 16, 32}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles that are walked together", 4, {1, 4, 8, 16}},
    [THREADS] = {"threads", 0, 0, "invocations of a workgroup", 4, {32, 64, 128, 256}},
    [SCOPE] = {"scope", 12, 0, "who owns a matrix: 2 the workgroup, 3 a subgroup", 2, {WORKGROUP, SUBGROUP}},
    [WHOLE] = {"whole", 13, 0, "1: tiles inside are read without bounds", 2, {0, 1}},
    [PREFETCH] = {"prefetch", 14, 0, "1: the next step is read before this one is multiplied", 2, {0, 1}},
    [UNROLL] = {"unroll", 15, 0, "steps of one round of the loop", 4, {1, 2, 4, 8}},
};

static int is_coopmat2(const vkmm_shape *shape)
{
    return shape->config && shape->kernel->tunables == vkmm_coopmat2_tunables;
}

int vkmm_coopmat2_by_subgroup(const vkmm_kernel *kernel, const vkmm_config *config)
{
    return kernel->tunables == vkmm_coopmat2_tunables && config->values[SCOPE] == SUBGROUP;
}

uint64_t vkmm_coopmat2_threads(const vkmm_shape *shape)
{
    return vkmm_value(shape, THREADS);
}

/* What the matrices need of shared memory is the driver's own. */
void vkmm_coopmat2_ask(vkmm_shape *shape)
{
    shape->x = vkmm_value(shape, THREADS);
    shape->y = 1;
    shape->shared_bytes = 0;
}

uint64_t vkmm_coopmat2_matrices(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat2(shape)) return 0;
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    const uint64_t matrix_rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS),
                   matrix_cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    if (vkmm_value(shape, SCOPE) == WORKGROUP) return (rows != matrix_rows) + (cols != matrix_cols);
    return vkmm_left_over(rows, matrix_rows) + vkmm_left_over(cols, matrix_cols);
}

uint64_t vkmm_coopmat2_settings(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat2(shape)) return 0;
    const uint64_t scope = vkmm_value(shape, SCOPE);
    return (scope != WORKGROUP && scope != SUBGROUP) + (vkmm_value(shape, WHOLE) > 1) +
           (vkmm_value(shape, PREFETCH) > 1) + (vkmm_value(shape, UNROLL) == 0) + (vkmm_value(shape, SWIZZLE) == 0) +
           (vkmm_value(shape, VKMM_TUNE_DEPTH) == 0);
}

static uint32_t component_of(vkmm_type type)
{
    static const uint32_t components[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = FLOAT32, [VKMM_F64] = NO_COMPONENT, [VKMM_I32] = SINT32, [VKMM_U32] = UINT32,
        [VKMM_F16] = FLOAT16, [VKMM_BF16] = BFLOAT16,    [VKMM_I8] = SINT8,   [VKMM_U8] = UINT8,
    };
    return components[type];
}

static int divides(const vkmm_matrix_granule *granule, uint64_t rows, uint64_t cols, uint64_t depth)
{
    return vkmm_left_over(rows, granule->of.m) + vkmm_left_over(cols, granule->of.n) +
               vkmm_left_over(depth, granule->of.k) ==
           0;
}

/* Whether the device has matrices of the shape's size for A and B of the problem's type with sums (or results) of
 * another. */
static int has_granule(const vkmm_shape *shape, const vkmm_device_info *device, vkmm_type sum, uint64_t depth)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    const uint32_t a = component_of(shape->problem->type), c = component_of(sum),
                   scope = (uint32_t)vkmm_value(shape, SCOPE);
    for (uint32_t i = 0; i < device->matrix_granule_count; i++) {
        const vkmm_matrix_granule *granule = &device->matrix_granules[i];
        const vkmm_matrix_shape *of = &granule->of;
        if (of->a != a || of->b != a || of->c != c || of->result != c || of->scope != scope || of->saturating) continue;
        if (scope == WORKGROUP && granule->invocations != shape->x) continue;
        if (divides(granule, rows, cols, depth)) return 1;
    }
    return 0;
}

/* C in f16 is made of sums turned to f16; C in bf16 of a matrix used as an operand, rows by columns. */
uint64_t vkmm_coopmat2_granules(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_coopmat2(shape)) return 0;
    const vkmm_type sum = vkmm_problem_compute(shape->problem), out = vkmm_operand_type(shape->problem, VKMM_C);
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    if (!has_granule(shape, device, sum, depth)) return 1;
    if (out == VKMM_BF16) return !has_granule(shape, device, sum, vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
    return out == VKMM_F16 && !has_granule(shape, device, VKMM_F16, depth);
}

uint64_t vkmm_coopmat2_subgroups(const vkmm_shape *shape)
{
    if (!is_coopmat2(shape) || vkmm_value(shape, SCOPE) != SUBGROUP) return 0;
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS)) *
           vkmm_quotient(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

uint64_t vkmm_coopmat2_owners(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_coopmat2(shape) || vkmm_value(shape, SCOPE) != SUBGROUP) return 0;
    const uint64_t owners = vkmm_coopmat2_subgroups(shape) * device->subgroup_size;
    return owners > shape->x ? owners - shape->x : shape->x - owners;
}

uint64_t vkmm_coopmat2_workgroup(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return is_coopmat2(shape) && vkmm_value(shape, SCOPE) == WORKGROUP ? shape->x : 0;
}

uint64_t vkmm_coopmat2_side(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat2(shape)) return 0;
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH), side = rows > cols ? rows : cols;
    return side > depth ? side : depth;
}
