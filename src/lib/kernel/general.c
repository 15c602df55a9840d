#include "kernel/general.h"

#include "math/type.h"

uint64_t vkmm_vector_of(vkmm_type type)
{
    return type == VKMM_F64 ? 2 : 4;
}

/* blocked: thread-rows × thread-cols; skinny: its block along the long side, times the short side; cpu: rows × 4;
 * coopmat2: its part of the tile. */
uint64_t vkmm_sum_registers(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!shape->config) return 0;
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    uint64_t elements = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    if (shape->kernel->tunables == vkmm_skinny_tunables)
        elements = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * (rows < cols ? rows : cols);
    if (shape->kernel->tunables == vkmm_cpu_tunables) elements = 4 * rows;
    if (shape->kernel->tunables == vkmm_coopmat_tunables) return vkmm_coopmat_sum_registers(shape);
    if (shape->kernel->tunables == vkmm_coopmat2_tunables)
        elements = vkmm_quotient(rows * cols, vkmm_coopmat2_threads(shape));
    const uint64_t bytes = vkmm_type_of(shape->type)->bytes;
    if (shape->kernel->tunables == vkmm_coopmat2_tunables) return elements * bytes / 4;
    return elements * (bytes == 8 ? 2 : 1); /* of f16 one as well, where the device has no 16-bit arithmetic */
}

vkmm_shape vkmm_shape_of_config(const vkmm_kernel *kernel, const vkmm_problem *problem, const vkmm_config *config)
{
    vkmm_shape shape = {.kernel = kernel, .type = vkmm_problem_compute(problem), .problem = problem, .config = config};
    kernel->ask(&shape);
    return shape;
}
