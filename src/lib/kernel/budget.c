/* The figures come from the statistics of Mesa's drivers, 25.0 and 26.1, 2026-11-22: on DG2 for all types, transposes
 * and edges; on the other GPUs of Intel, AMD, Qualcomm and Apple for what the planner chooses. The rows of other
 * drivers, and of Arm, are taken from those of the same or similar hardware and are not measured. */
#include "base/array.h"
#include "kernel/general.h"

#define ANY UINT32_MAX
enum { HONEYKRISP = 26 /* VkDriverId, which headers before 1.3.295 lack */ };

static const struct {
    uint32_t driver_id;    /* VkDriverId */
    uint32_t min_subgroup; /* what a shader may request (vkmm_device_info.subgroup.min_size), or ANY */
    vkmm_budget budget;
} known[] = {
    /* 128 registers for each of 8 invocations, or of 16 from Xe2 on. What is held takes at most twice as many, and 25.
     */
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, ANY, {48, 48, 48}},
    {VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS, ANY, {48, 48, 48}},
    /* GCN, whose subgroups have one size: a SIMD has 256 registers for all that run on it. RDNA has four times as
     * many. */
    {VK_DRIVER_ID_MESA_RADV, 0, {ANY, 60}},
    {VK_DRIVER_ID_MESA_RADV, 64, {ANY, 60}},
    {VK_DRIVER_ID_AMD_PROPRIETARY, 64, {ANY, 60}},
    {VK_DRIVER_ID_AMD_OPEN_SOURCE, 64, {ANY, 60}},
    /* RDNA 3 has a row of an operand in both halves of a subgroup. RDNA 4 does not, and loses little. */
    {VK_DRIVER_ID_MESA_RADV, 32, {ANY, ANY, 100}},
    /* i32 and bytes spill beyond, and larger ones take many seconds to compile. */
    {VK_DRIVER_ID_MESA_TURNIP, ANY, {60, 60}},
    {VK_DRIVER_ID_QUALCOMM_PROPRIETARY, ANY, {60, 60}},
    {HONEYKRISP, ANY, {60, 60}},
    {VK_DRIVER_ID_MOLTENVK, ANY, {60, 60}},
    /* 64 registers at most. Not swept: a Mali-G610 spills 64x64 with 8x4, and nothing with 4x4. */
    {VK_DRIVER_ID_ARM_PROPRIETARY, ANY, {48, 48}},
    {VK_DRIVER_ID_MESA_PANVK, ANY, {48, 48}},
};

vkmm_budget vkmm_budget_of(const vkmm_device_info *device)
{
    for (size_t i = 0; i < VKMM_COUNT(known); i++)
        if (known[i].driver_id == device->driver.id &&
            (known[i].min_subgroup == ANY || known[i].min_subgroup == device->subgroup.min_size))
            return known[i].budget;
    return (vkmm_budget){ANY, ANY};
}
