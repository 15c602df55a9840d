/* Devices that exist, or might, as their capabilities: for tests of logic that needs no hardware. First those that no
 * driver of scripts/vendors describes, by hand; then those of vendors.inc, as their drivers describe them. */
#pragma once

#include "vkmatmul.h"

enum { DESKTOP, MOBILE, SWIFTSHADER, LLVMPIPE, OLD_LLVMPIPE, LEAST, WIDE_PROCESSOR };

/* The least that Vulkan allows; and what llvmpipe has. */
#define LEAST_LIMITS                                                                       \
    .limits.max_invocations = 128, .limits.max_workgroup_size = {128, 128, 64},            \
    .limits.max_workgroup_count = {65535, 65535, 65535}, .limits.max_shared_bytes = 16384, \
    .limits.max_storage_range = 134217728
#define LIKE_LLVMPIPE                                                                                             \
    .type = VK_PHYSICAL_DEVICE_TYPE_CPU, .driver.id = VK_DRIVER_ID_MESA_LLVMPIPE, .limits.max_invocations = 1024, \
    .limits.max_workgroup_size = {1024, 1024, 1024}, .limits.max_workgroup_count = {65535, 65535, 65535},         \
    .limits.max_shared_bytes = 32768, .limits.max_storage_range = 134217728, .subgroup.size = 8,                  \
    .subgroup.has_broadcast = 1, .features.f64 = 1

static const vkmm_device_info devices[] = {
    [DESKTOP] = {.name = "Desktop, subgroup 32",
                 .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                 .limits.max_invocations = 1024,
                 .limits.max_workgroup_size = {1024, 1024, 64},
                 .limits.max_workgroup_count = {2147483647, 65535, 65535},
                 .limits.max_shared_bytes = 49152,
                 .subgroup.size = 32,
                 .subgroup.has_broadcast = 1,
                 .processors = 132,
                 .limits.max_storage_range = UINT32_MAX,
                 .features.f64 = 1},
    [MOBILE] = {LEAST_LIMITS, .name = "Mobile, 16 KiB, 128 invocations", .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                .subgroup.size = 16},
    [SWIFTSHADER] = {.name = "SwiftShader",
                     .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                     .driver.id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
                     .limits.max_invocations = 256,
                     .limits.max_workgroup_size = {256, 256, 64},
                     .limits.max_workgroup_count = {65535, 65535, 65535},
                     .limits.max_shared_bytes = 32768,
                     .subgroup.size = 4,
                     .subgroup.has_broadcast = 1,
                     .limits.max_storage_range = 1073741824},
    [LLVMPIPE] = {LIKE_LLVMPIPE, .name = "llvmpipe, new", .driver.info = "Mesa 26.1.2 (LLVM 19.1.7)"},
    [OLD_LLVMPIPE] = {LIKE_LLVMPIPE, .name = "llvmpipe, old", .driver.info = "Mesa 22.3.6 (LLVM 15.0.6)"},
    [LEAST] = {LEAST_LIMITS, .name = "The least that Vulkan allows, and f64", .type = VK_PHYSICAL_DEVICE_TYPE_OTHER,
               .subgroup.size = 1, .features.f64 = 1},
    [WIDE_PROCESSOR] = {LEAST_LIMITS, .name = "A processor whose subgroups are wide",
                        .type = VK_PHYSICAL_DEVICE_TYPE_CPU, .subgroup.size = 64, .subgroup.has_broadcast = 1},
#define VENDOR(gpu, ...) {__VA_ARGS__},
#include "vendors.inc"
#undef VENDOR
};
enum { DEVICES = sizeof devices / sizeof devices[0] };
