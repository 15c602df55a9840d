/* Arithmetic of sizes, and what follows from a device's limits. */
#pragma once

#include "vkmatmul.h"

static inline uint64_t vkmm_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t vkmm_divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

static inline uint64_t vkmm_round_up(uint64_t value, uint64_t to)
{
    return vkmm_divide_up(value, to) * to;
}

static inline int vkmm_is_processor(const vkmm_device_info *info)
{
    return info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Bytes of the largest buffer with memory of its own. */
static inline uint64_t vkmm_largest_buffer(const vkmm_device_info *info)
{
    return vkmm_least(info->memory.max_allocation_bytes, info->memory.max_buffer_bytes);
}

/* Invocations of a workgroup in one row, at most `most`. */
static inline uint32_t vkmm_widest_group(const vkmm_device_info *info, uint32_t most)
{
    return (uint32_t)vkmm_least(most, vkmm_least(info->limits.max_invocations, info->limits.max_workgroup_size[0]));
}
