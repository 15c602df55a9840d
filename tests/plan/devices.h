/* Devices that exist, or might, as their capabilities: for tests of logic that needs no hardware. First those that no
 * driver of scripts/vendors describes, by hand; then those of vendors.inc, as their drivers describe them. */
#ifndef VKMM_TESTS_DEVICES_H
#define VKMM_TESTS_DEVICES_H

#include "vkmatmul.h"

#define GROUPS_65535        \
    {                       \
        65535, 65535, 65535 \
    }

enum { DESKTOP, MOBILE, SWIFTSHADER, LLVMPIPE, OLD_LLVMPIPE, LEAST, WIDE_PROCESSOR };

static const vkmm_device_info devices[] = {
    [DESKTOP] = {.name = "Desktop, subgroup 32",
                 .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                 .max_invocations = 1024,
                 .max_workgroup_size = {1024, 1024, 64},
                 .max_workgroup_count = {2147483647, 65535, 65535},
                 .max_shared_bytes = 49152,
                 .subgroup_size = 32,
                 .has_broadcast = 1,
                 .processors = 132,
                 .max_storage_range = UINT32_MAX,
                 .has_f64 = 1},
    [MOBILE] = {.name = "Mobile, 16 KiB, 128 invocations",
                .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                .max_invocations = 128,
                .max_workgroup_size = {128, 128, 64},
                .max_workgroup_count = GROUPS_65535,
                .max_shared_bytes = 16384,
                .subgroup_size = 16,
                .max_storage_range = 134217728},
    [SWIFTSHADER] = {.name = "SwiftShader",
                     .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                     .driver_id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
                     .max_invocations = 256,
                     .max_workgroup_size = {256, 256, 64},
                     .max_workgroup_count = GROUPS_65535,
                     .max_shared_bytes = 32768,
                     .subgroup_size = 4,
                     .has_broadcast = 1,
                     .max_storage_range = 1073741824},
    [LLVMPIPE] = {.name = "llvmpipe, new",
                  .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                  .driver_id = VK_DRIVER_ID_MESA_LLVMPIPE,
                  .driver_info = "Mesa 26.1.2 (LLVM 19.1.7)",
                  .max_invocations = 1024,
                  .max_workgroup_size = {1024, 1024, 1024},
                  .max_workgroup_count = GROUPS_65535,
                  .max_shared_bytes = 32768,
                  .subgroup_size = 8,
                  .has_broadcast = 1,
                  .max_storage_range = 134217728,
                  .has_f64 = 1},
    [OLD_LLVMPIPE] = {.name = "llvmpipe, old",
                      .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                      .driver_id = VK_DRIVER_ID_MESA_LLVMPIPE,
                      .driver_info = "Mesa 22.3.6 (LLVM 15.0.6)",
                      .max_invocations = 1024,
                      .max_workgroup_size = {1024, 1024, 1024},
                      .max_workgroup_count = GROUPS_65535,
                      .max_shared_bytes = 32768,
                      .subgroup_size = 8,
                      .has_broadcast = 1,
                      .max_storage_range = 134217728,
                      .has_f64 = 1},
    [LEAST] = {.name = "The least that Vulkan allows, and f64",
               .type = VK_PHYSICAL_DEVICE_TYPE_OTHER,
               .max_invocations = 128,
               .max_workgroup_size = {128, 128, 64},
               .max_workgroup_count = GROUPS_65535,
               .max_shared_bytes = 16384,
               .subgroup_size = 1,
               .max_storage_range = 134217728,
               .has_f64 = 1},
    [WIDE_PROCESSOR] = {.name = "A processor whose subgroups are wide",
                        .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                        .max_invocations = 128,
                        .max_workgroup_size = {128, 128, 64},
                        .max_workgroup_count = GROUPS_65535,
                        .max_shared_bytes = 16384,
                        .subgroup_size = 64,
                        .has_broadcast = 1,
                        .max_storage_range = 134217728},
#define VENDOR(gpu, ...) {__VA_ARGS__},
#include "vendors.inc"
#undef VENDOR
};
enum { DEVICES = sizeof devices / sizeof devices[0] };

#endif
