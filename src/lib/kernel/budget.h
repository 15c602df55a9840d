/* How many registers an invocation may use before the driver's compiler spills some to memory, or before too few
 * invocations run at once. Compilers schedule loads early and keep addresses, so these are not the registers that the
 * hardware has, but how many of vkmm_shape.held they were seen to bear. */
#pragma once

#include "vkmatmul.h"

typedef struct vkmm_budget {
    uint32_t most;     /* the planner chooses no preset that holds more; a user may (kernel/legal.h) */
    uint32_t good;     /* beyond it the rate falls in proportion, because fewer invocations run at once */
    uint32_t matrices; /* as `most`, for matrix operations, whose operands take more; 0: no limit */
} vkmm_budget;

/* UINT32_MAX for both on devices without a row in the table: NVIDIA's own driver and drivers for CPUs, whose presets
 * come from measurements, and devices that nobody has looked at. */
vkmm_budget vkmm_budget_of(const vkmm_device_info *device);
