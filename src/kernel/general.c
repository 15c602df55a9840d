#include "kernel/general.h"

#include "math/type.h"

uint64_t vkmm_vector_of(vkmm_type type)
{
    return 16 / vkmm_type_of(type)->bytes;
}

/* blocked: thread-rows × thread-cols; skinny: its block along the long side, times the short side; cpu: rows × 4. */
uint64_t vkmm_sum_registers(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!shape->config) return 0;
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    uint64_t elements = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * vkmm_value(shape, VKMM_TUNE_THREAD_COLS);
    if (shape->kernel->tunables == vkmm_skinny_tunables) elements = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * (rows < cols ? rows : cols);
    if (shape->kernel->tunables == vkmm_cpu_tunables) elements = 4 * rows;
    return elements * vkmm_type_of(shape->type)->bytes / 4;
}

vkmm_shape vkmm_shape_of_config(const vkmm_kernel *kernel, vkmm_type type, const vkmm_config *config)
{
    vkmm_shape shape = {.kernel = kernel, .type = type, .config = config};
    kernel->ask(&shape);
    return shape;
}
