/* Drivers whose matrix operations are known to crash, to be wrong or to be far slower than none. A new test needs the
 * source. */
#include "vk/cooperative_matrix.h"

enum { VENDOR_INTEL = 0x8086 };

const char *vkmm_matrix_known_bad(const vkmm_device_info *info, int has_mixed_dot)
{
    const uint32_t id = info->device_id, subgroup = info->subgroup.min_size;
    const int is_amds_own =
                  info->driver.id == VK_DRIVER_ID_AMD_PROPRIETARY || info->driver.id == VK_DRIVER_ID_AMD_OPEN_SOURCE,
              is_intel = info->vendor_id == VENDOR_INTEL,
              is_intel_mesa = info->driver.id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    if (is_amds_own && info->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU)
        return "AMD's own driver crashes when it is asked for the matrix shapes of an integrated GPU (AMDVLK issue "
               "422)";
    /* GPUs with matrix cores, from RDNA 3 on, have subgroups of 32 and dot products of mixed signs. */
    if (is_amds_own && (subgroup != 32 || !has_mixed_dot))
        return "AMD's own driver lists matrix operations for GPUs without matrix cores, where they are slow "
               "(llama.cpp issue 11074)";
    /* Before Xe2, subgroups could have 8 invocations. */
    if (is_intel && info->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU && subgroup == 8)
        return "Intel's discrete GPUs before Xe2 have been a thousand times slower with matrix operations "
               "(llama.cpp pull request 24404)";
    /* Mesa 25.0 lists shapes for Skylake to Arrow Lake too, most of which have no matrix units. Where there are units,
     * it takes more cycles with them than without; 26.1 does so on Arrow Lake-H only. Versions between were not
     * seen. */
    if (is_intel_mesa && (subgroup == 8 || VK_VERSION_MAJOR(info->driver.version) < 26))
        return "Mesa before version 26, and for Intel's GPUs before Xe2, compiles matrix operations into more cycles "
               "than other kernels take, or emulates them";
    /* Panther Lake and Wildcat Lake. */
    if (is_intel && is_intel_mesa && ((id >= 0xb080 && id <= 0xb0bf) || (id >= 0xfd80 && id <= 0xfd8f)))
        return "Intel's Xe3 under Mesa loads wrong matrices from shared memory (Mesa issue 15932, cubecl pull request "
               "1444)";
    return NULL;
}
