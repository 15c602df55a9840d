/* Drivers whose matrix operations are known to crash, to be wrong or to be far slower than none. A new row needs the
 * test, and the source. */
#include "base/array.h"

#include "vk/cooperative_matrix.h"

enum { VENDOR_INTEL = 0x8086 };

static int is_amds_own(const vkmm_device_info *info)
{
    return info->driver.id == VK_DRIVER_ID_AMD_PROPRIETARY || info->driver.id == VK_DRIVER_ID_AMD_OPEN_SOURCE;
}

static int crashes_when_asked(const vkmm_device_info *info, int has_mixed_dot)
{
    (void)has_mixed_dot;
    return is_amds_own(info) && info->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

/* GPUs with matrix cores, from RDNA 3 on, have subgroups of 32 and dot products of mixed signs. */
static int has_no_hardware(const vkmm_device_info *info, int has_mixed_dot)
{
    return is_amds_own(info) && (info->subgroup.min_size != 32 || !has_mixed_dot);
}

/* Before Xe2, subgroups could have 8 invocations. */
static int is_alchemist(const vkmm_device_info *info, int has_mixed_dot)
{
    (void)has_mixed_dot;
    return info->vendor_id == VENDOR_INTEL && info->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU &&
           info->subgroup.min_size == 8;
}

/* Mesa 25.0 lists shapes for Skylake to Arrow Lake too, most of which have no matrix units. Where there are units, it
 * takes more cycles with them than without; 26.1 does so on Arrow Lake-H only. Versions between were not seen. */
static int is_slow_mesa(const vkmm_device_info *info, int has_mixed_dot)
{
    (void)has_mixed_dot;
    return info->driver.id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA &&
           (info->subgroup.min_size == 8 || VK_VERSION_MAJOR(info->driver.version) < 26);
}

/* Panther Lake and Wildcat Lake. */
static int is_xe3(const vkmm_device_info *info, int has_mixed_dot)
{
    const uint32_t id = info->device_id;
    (void)has_mixed_dot;
    return info->vendor_id == VENDOR_INTEL && info->driver.id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA &&
           ((id >= 0xb080 && id <= 0xb0bf) || (id >= 0xfd80 && id <= 0xfd8f));
}

static const struct {
    int (*test)(const vkmm_device_info *info, int has_mixed_dot);
    const char *reason;
} known[] = {
    {crashes_when_asked,
     "AMD's own driver crashes when it is asked for the matrix shapes of an integrated GPU (AMDVLK issue 422)"},
    {has_no_hardware, "AMD's own driver lists matrix operations for GPUs without matrix cores, where they are slow "
                      "(llama.cpp issue 11074)"},
    {is_alchemist, "Intel's discrete GPUs before Xe2 have been a thousand times slower with matrix operations "
                   "(llama.cpp pull request 24404)"},
    {is_slow_mesa,
     "Mesa before version 26, and for Intel's GPUs before Xe2, compiles matrix operations into more cycles "
     "than other kernels take, or emulates them"},
    {is_xe3,
     "Intel's Xe3 under Mesa loads wrong matrices from shared memory (Mesa issue 15932, cubecl pull request 1444)"},
};

const char *vkmm_matrix_known_bad(const vkmm_device_info *info, int has_mixed_dot)
{
    for (size_t i = 0; i < VKMM_COUNT(known); i++)
        if (known[i].test(info, has_mixed_dot)) return known[i].reason;
    return NULL;
}
