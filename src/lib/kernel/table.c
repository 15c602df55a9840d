#include "kernel/table.h"

#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "base/clean.h"
#include "base/hash.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/method.h"
#include "modules.inc"

static const vkmm_kernel tutorials[] = {
    {"serial", "three nested loops on the host, one thread (tutorial step 1a)", VKMM_SPREAD_HOST, 1, 1, 0, "1a"},
    {"strided", "one invocation per element, counted down the columns: neighbours read different lines of A",
     VKMM_SPREAD_LINEAR, 1, 64, 0, "", .downward = 1},
    {"naive", "one invocation per element, no workgroup shape chosen (1b, 2a)", VKMM_SPREAD_LINEAR, 1, 64, 0, "1b 2a"},
    {"grouped", "explicit workgroups, straight from global memory (2b)", VKMM_SPREAD_GRID, 16, 16, 0, "2b"},
    {"tiled", "workgroups that read through shared memory, with barriers (1c, 2c)", VKMM_SPREAD_GRID, 16, 16, 1,
     "1c 2c"},
    {"tiled-32", "tiled with 32x32: each element that is fetched from memory is used twice as often", VKMM_SPREAD_GRID,
     32, 32, 1, "", .shader = "tiled"},
    {"band", "each workgroup walks along a band of rows, straight from global memory (3a)", VKMM_SPREAD_BAND, 32, 32, 0,
     "3a"},
    {"band-tiled", "bands that read through shared memory (3b)", VKMM_SPREAD_BAND, 32, 32, 1, "3b"},
    {"strip", "each invocation computes 8 elements below one another: a read of B serves 8 multiply-adds",
     VKMM_SPREAD_GRID, 64, 32, 1, "", .shader = "block", .block = {8, 1}, .depth = 16},
    {"block", "each invocation computes 4x4 elements: 8 reads of shared memory serve 16 multiply-adds",
     VKMM_SPREAD_GRID, 64, 64, 1, "", .block = {4, 4}, .depth = 16},
    {"vector", "as block, with A's tile transposed and four elements in each read", VKMM_SPREAD_GRID, 64, 64, 1, "",
     .block = {4, 4}, .depth = 16},
    {"padded", "as vector, with padding, so that fewer stores meet in one bank of shared memory", VKMM_SPREAD_GRID, 64,
     64, 1, "", .shader = "vector", .block = {4, 4}, .depth = 16, .pad = 1},
    {"prefetch", "as padded, but the next tiles are read from memory while these are multiplied", VKMM_SPREAD_GRID, 64,
     64, 1, "", .block = {4, 4}, .depth = 16, .pad = 1},
    {"ordered", "as prefetch, with workgroups in bands of 8 tiles: pays where the L2 cache cannot hold A and B",
     VKMM_SPREAD_GRID, 64, 64, 1, "", .shader = "prefetch", .block = {4, 4}, .depth = 16, .pad = 1, .swizzle = 8},
};

/* Each in its own file. */
#define DECLARE(name) extern const vkmm_kernel vkmm_kernel_##name;
#define POINTER(name) &vkmm_kernel_##name,
VKMM_GENERAL_KERNELS(DECLARE)
static const vkmm_kernel *const general[] = {VKMM_GENERAL_KERNELS(POINTER)};
_Static_assert(VKMM_COUNT(general) <= VKMM_MOST_GENERAL, "VKMM_MOST_GENERAL");

const vkmm_kernel *vkmm_kernel_at(uint32_t index)
{
    if (index < VKMM_COUNT(tutorials)) return &tutorials[index];
    index -= VKMM_COUNT(tutorials);
    return index < VKMM_COUNT(general) ? general[index] : NULL;
}

const vkmm_kernel *vkmm_kernel_find(const char *name)
{
    const vkmm_kernel *kernel;
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++)
        if (name && strcmp(kernel->name, name) == 0) return kernel;
    return NULL;
}

const vkmm_module *vkmm_module_find(const char *kernel, vkmm_type type, vkmm_build build)
{
    for (size_t i = 0; i < VKMM_COUNT(modules); i++)
        if (modules[i].type == type && modules[i].build == build && strcmp(modules[i].kernel, kernel) == 0)
            return &modules[i];
    return NULL;
}

const vkmm_module *vkmm_module_next(const char *kernel, vkmm_type type, vkmm_type compute, uint32_t *index)
{
    while (*index < VKMM_COUNT(modules)) {
        const vkmm_module *module = &modules[(*index)++];
        int fits = module->type == type && module->compute == compute && module->build == VKMM_BUILD_PLAIN;
        if (fits && strcmp(module->kernel, kernel) == 0) return module;
    }
    return NULL;
}

uint32_t vkmm_kernel_bit(const vkmm_kernel *kernel)
{
    uint32_t i = 0;
    while (vkmm_kernel_at(i) && vkmm_kernel_at(i) != kernel) i++;
    return 1u << i;
}

int vkmm_kernel_failed(const vkmm_device_info *device, const char *kernel, vkmm_type type)
{
    char finding[VKMM_FINDING];
    if (!device || !device->check) return 0;
    VKMM_PUT(finding, "kernel %s %s", kernel, vkmm_type_of(type)->name);
    for (uint32_t i = 0; i < device->check->finding_count; i++)
        if (strcmp(device->check->findings[i], finding) == 0) return 1;
    return 0;
}

uint32_t vkmm_refused_kernels(const vkmm_device_info *device, vkmm_type type)
{
    const vkmm_kernel *kernel;
    uint32_t refused = device->refused_kernels ? device->refused_kernels[type] : 0;
    for (uint32_t i = 0; device->check && (kernel = vkmm_kernel_at(i)) != NULL; i++)
        if (vkmm_kernel_failed(device, kernel->name, type)) refused |= 1u << i;
    return refused;
}

uint32_t vkmm_device_offers(const vkmm_device_info *device, vkmm_type type)
{
    uint32_t offers = 0;
    if (device->features.f16) offers |= VKMM_NEEDS_F16;
    if (device->features.i8) offers |= VKMM_NEEDS_I8;
    if (device->features.f64) offers |= VKMM_NEEDS_F64;
    if (device->features.storage16) offers |= VKMM_NEEDS_STORAGE16;
    if (device->features.dot8 & (type == VKMM_U8 ? 2 : 1)) offers |= VKMM_NEEDS_DOT8;
    if (device->matrices.shape_count > 0) offers |= VKMM_NEEDS_MATRIX;
    if (device->features.bf16_matrices) offers |= VKMM_NEEDS_BF16;
    if (device->driver.id == VK_DRIVER_ID_NVIDIA_PROPRIETARY) offers |= VKMM_NEEDS_NVIDIA;
    if (device->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER) offers |= VKMM_NEEDS_SWIFTSHADER;
    return offers;
}

const vkmm_module *vkmm_module_for(const char *kernel, const vkmm_problem *problem, const vkmm_device_info *device,
                                   const uint32_t *shape)
{
    static const uint32_t words[3] = {4, 4, 1};
    const uint32_t both = VKMM_ALIGNED_A | VKMM_ALIGNED_B;
    const uint32_t special = VKMM_NEEDS_PARTS | VKMM_NEEDS_BLOCKS,
                   own = (vkmm_method_at(problem->method)->parts > 0 ? VKMM_NEEDS_PARTS : 0) |
                         (vkmm_problem_has_blocks(problem) ? VKMM_NEEDS_BLOCKS : 0);
    uint32_t offers = vkmm_device_offers(device, problem->type) | own;
    const vkmm_module *module;
    /* Dot products are made of whole words of four elements. */
    if ((vkmm_problem_alignment_to(problem, words) & both) != both) offers &= ~(uint32_t)VKMM_NEEDS_DOT8;
    for (uint32_t i = 0;
         (module = vkmm_module_next(kernel, problem->type, vkmm_problem_compute(problem), &i)) != NULL;) {
        if (module->needs & ~offers || (module->needs & special) != own) continue;
        if (shape == NULL || memcmp(shape, module->shape, sizeof module->shape) == 0) return module;
    }
    return NULL;
}

static char modules_hash[17];
static once_flag modules_hash_once = ONCE_FLAG_INIT;

static void hash_modules(void)
{
    uint64_t hash = VKMM_HASH_START;
    for (size_t i = 0; i < VKMM_COUNT(modules); i++) hash = vkmm_hash(hash, modules[i].words, modules[i].bytes);
    snprintf(modules_hash, sizeof modules_hash, "%016llx", (unsigned long long)hash);
}

const char *vkmm_shader_hash(void)
{
    call_once(&modules_hash_once, hash_modules); /* of megabytes */
    return modules_hash;
}
