/* The tunables of shaders/coopmat.comp, and what it asks. */
#include "kernel/coopmat.h"

#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/type.h"

enum { SWIZZLE = VKMM_TUNE_OWN, PAD, LANES, MATRIX_M, MATRIX_N, MATRIX_K };

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
enum { SCOPE_SUBGROUP = 3 };

const vkmm_tunable vkmm_coopmat_tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C of a workgroup's tile", 6, {32, 64, 96, 128, 192, 256}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of it", 6, {32, 64, 96, 128, 192, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K of a step", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_THREAD_ROWS] = {"sub-rows", 9, 0, "rows of C of a subgroup", 5, {16, 32, 64, 96, 128}},
    [VKMM_TUNE_THREAD_COLS] = {"sub-cols", 10, 0, "columns of it", 5, {16, 32, 64, 96, 128}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 6, {1, 2, 4, 8, 16, 32}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles that are walked together", 4, {1, 4, 8, 16}},
    [PAD] = {"pad", 12, 0, "times 16 bytes added to each line in shared memory", 2, {0, 1}},
    [LANES] = {"lanes", 13, 0, "invocations of a subgroup", 4, {8, 16, 32, 64}},
    [MATRIX_M] = {"mm", 0, 0, "rows of a matrix operation", 3, {8, 16, 32}},
    [MATRIX_N] = {"mn", 0, 0, "its columns", 3, {8, 16, 32}},
    [MATRIX_K] = {"mk", 0, 0, "its elements along K", 3, {8, 16, 32}},
};

static int is_coopmat(const vkmm_shape *shape)
{
    return shape->config && shape->kernel->tunables == vkmm_coopmat_tunables;
}

static uint32_t component_of(vkmm_type type)
{
    static const uint32_t components[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = FLOAT32, [VKMM_F64] = NO_COMPONENT, [VKMM_I32] = SINT32, [VKMM_U32] = UINT32,
        [VKMM_F16] = FLOAT16, [VKMM_BF16] = BFLOAT16,    [VKMM_I8] = SINT8,   [VKMM_U8] = UINT8,
    };
    return components[type];
}

/* What A and B are multiplied as: f32 only ever as f16. */
static vkmm_type staged_type(const vkmm_problem *problem)
{
    if (problem->type != VKMM_F32) return problem->type;
    return vkmm_problem_compute(problem) == VKMM_F16 ? VKMM_F16 : VKMM_F32;
}

int vkmm_coopmat_lists(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3])
{
    const uint32_t operand = component_of(staged_type(problem)), sum = component_of(vkmm_problem_compute(problem));
    for (uint32_t i = 0; i < device->matrix_shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrix_shapes[i];
        if (s->m == shape[0] && s->n == shape[1] && s->k == shape[2] && s->a == operand && s->b == operand &&
            s->c == sum && s->result == sum && s->scope == SCOPE_SUBGROUP && !s->saturating)
            return 1;
    }
    return 0;
}

int vkmm_coopmat_matrix(const vkmm_kernel *kernel, const vkmm_config *config, uint32_t shape[3], uint32_t *lanes)
{
    if (kernel->tunables != vkmm_coopmat_tunables) return 0;
    for (int i = 0; i < 3; i++) shape[i] = config->values[MATRIX_M + i];
    *lanes = config->values[LANES];
    return 1;
}

void vkmm_coopmat_set_matrix(vkmm_config *config, const uint32_t shape[3], uint32_t lanes)
{
    for (int i = 0; i < 3; i++) config->values[MATRIX_M + i] = shape[i];
    config->values[LANES] = lanes;
}

static uint64_t down(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS));
}

static uint64_t across(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

/* Bytes of one operand's tile: lines along K, or across it where it is stored so; bytes always along K. */
static uint64_t tile_bytes(const vkmm_shape *shape, uint64_t length, int along_k)
{
    const uint64_t bytes = vkmm_type_of(staged_type(shape->problem))->bytes, depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    const uint64_t pad = 16 * vkmm_value(shape, PAD);
    return along_k || bytes == 1 ? length * (depth * bytes + pad) : depth * (length * bytes + pad);
}

/* Columns of what a subgroup passes through shared memory at a time: STRIP_COLS of the shader. */
static uint64_t strip_cols(const vkmm_shape *shape)
{
    const uint64_t cols = vkmm_value(shape, MATRIX_N),
                   fragments = vkmm_quotient(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), cols);
    const uint64_t wide = vkmm_quotient(256, cols * vkmm_type_of(shape->type)->bytes);
    return cols * (wide > 0 && fragments % wide == 0 ? wide : fragments % 2 == 0 ? 2 : 1);
}

void vkmm_coopmat_ask(vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    const uint64_t tiles = tile_bytes(shape, vkmm_value(shape, VKMM_TUNE_ROWS), p->op_a == VKMM_OP_N) +
                           tile_bytes(shape, vkmm_value(shape, VKMM_TUNE_COLS), p->op_b == VKMM_OP_T);
    const uint64_t subgroups = down(shape) * across(shape),
                   line = strip_cols(shape) * vkmm_type_of(shape->type)->bytes + 16;
    const uint64_t passed = subgroups * vkmm_value(shape, MATRIX_M) * line;
    shape->x = subgroups * vkmm_value(shape, LANES);
    shape->y = 1;
    shape->shared_bytes = tiles > passed ? tiles : passed;
}

uint64_t vkmm_coopmat_sum_registers(const vkmm_shape *shape)
{
    const uint64_t sums = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    return vkmm_quotient(sums * vkmm_type_of(shape->type)->bytes / 4, vkmm_value(shape, LANES));
}

uint64_t vkmm_coopmat_subgroups(const vkmm_shape *shape)
{
    return is_coopmat(shape) ? down(shape) * across(shape) : 0;
}

uint64_t vkmm_coopmat_listed(const vkmm_shape *shape, const vkmm_device_info *device)
{
    uint32_t matrix[3], lanes;
    if (!is_coopmat(shape)) return 0;
    vkmm_coopmat_matrix(shape->kernel, shape->config, matrix, &lanes);
    return !vkmm_coopmat_lists(device, shape->problem, matrix) ||
           !vkmm_module_for("coopmat", shape->problem, device, matrix);
}

uint64_t vkmm_coopmat_fragments(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat(shape)) return 0;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), vkmm_value(shape, MATRIX_M)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), vkmm_value(shape, MATRIX_N)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vkmm_value(shape, MATRIX_K));
}

uint64_t vkmm_coopmat_blocks(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat(shape)) return 0;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

/* A line of memory is fetched 16 bytes at a time, whichever way it runs. */
uint64_t vkmm_coopmat_vectors(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat(shape)) return 0;
    const uint64_t vector = 16 / vkmm_type_of(shape->problem->type)->bytes;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vector);
}

uint64_t vkmm_coopmat_settings(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_coopmat(shape)) return 0;
    return (vkmm_value(shape, SWIZZLE) == 0) + (vkmm_value(shape, PAD) > 16);
}

/* A subgroup size that the driver grants; where none can be asked for, the one that it has. */
uint64_t vkmm_coopmat_lanes(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_coopmat(shape)) return 0;
    const uint64_t lanes = vkmm_value(shape, LANES);
    if (device->max_subgroup_size == 0) return lanes != device->subgroup_size;
    return lanes == 0 || (lanes & (lanes - 1)) != 0 || lanes < device->min_subgroup_size ||
           lanes > device->max_subgroup_size;
}
