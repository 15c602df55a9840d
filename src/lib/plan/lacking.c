/* What a device, or this build, lacks for a kernel on a problem's types. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/coopmat.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

static const struct {
    uint32_t need;
    const char *name;
} names[] = {
    {VKMM_NEEDS_F16, "16-bit floats (shaderFloat16)"},
    {VKMM_NEEDS_I8, "8-bit integers (shaderInt8)"},
    {VKMM_NEEDS_STORAGE16, "16-bit storage (storageBuffer16BitAccess)"},
    {VKMM_NEEDS_STORAGE8, "8-bit storage (storageBuffer8BitAccess)"},
    {VKMM_NEEDS_DOT8, "dot products of four bytes (shaderIntegerDotProduct)"},
    {VKMM_NEEDS_MATRIX, "matrix operations (VK_KHR_cooperative_matrix)"},
    {VKMM_NEEDS_BF16, "matrix operations on bf16 (shaderBFloat16CooperativeMatrix)"},
    {VKMM_NEEDS_MATRIX2, "tensor addressing (VK_NV_cooperative_matrix2)"},
    {VKMM_NEEDS_MATRIX2_ELEMENTS, "matrices of flexible dimensions (VK_NV_cooperative_matrix2)"},
};

static const char *name_of(uint32_t needs)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (needs & names[i].need) return names[i].name;
    return "";
}

static int bits(uint32_t word)
{
    int count = 0;
    for (; word; word &= word - 1) count++;
    return count;
}

vkmm_status vkmm_refuse_module(const vkmm_log *log, const vkmm_device_info *device, const char *kernel,
                               const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    const char *in = vkmm_type_of(types.in)->name, *sum = vkmm_type_of(types.compute)->name;
    const vkmm_module *module;
    uint32_t least = UINT32_MAX; /* what the module lacks that lacks least */
    for (uint32_t i = 0; (module = vkmm_module_next(kernel, types.in, types.compute, &i)) != NULL && device;) {
        const uint32_t lack = module->needs & ~vkmm_device_offers(device);
        if (bits(lack) < bits(least)) least = lack;
    }
    if (least == UINT32_MAX)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "this build has no %s shader for %s summed in %s", kernel, in, sum);
    if (least & VKMM_NEEDS_MATRIX && device->no_matrices && *device->no_matrices)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "%s needs matrix operations, and \"%s\" has none: %s", kernel,
                         device->name, device->no_matrices);
    return vkmm_fail(log, VKMM_UNSUPPORTED, "%s needs for %s summed in %s what \"%s\" lacks: %s", kernel, in, sum,
                     device->name, name_of(least));
}

vkmm_status vkmm_refuse_matrix(const vkmm_log *log, const vkmm_device_info *device, const char *kernel,
                               const vkmm_problem *problem, const uint32_t shape[3])
{
    const vkmm_types types = vkmm_problem_types(problem);
    const char *in = vkmm_type_of(types.in)->name, *sum = vkmm_type_of(types.compute)->name;
    char listed[200] = "";
    size_t at = 0;
    const int is_listed = vkmm_coopmat_lists(device, problem, shape);
    for (uint32_t i = 0; i < device->matrix_shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrix_shapes[i];
        const uint32_t one[3] = {s->m, s->n, s->k};
        char text[40];
        const int length = snprintf(text, sizeof text, " %ux%ux%u", s->m, s->n, s->k);
        if (!vkmm_coopmat_lists(device, problem, one) || !vkmm_module_for(kernel, problem, device, one)) continue;
        if (strstr(listed, text) || at + (size_t)length >= sizeof listed)
            continue; /* f16 and f32 sums of one shape are two lines */
        memcpy(listed + at, text, (size_t)length + 1);
        at += (size_t)length;
    }
    if (shape[0] + shape[1] + shape[2] == 0)
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "\"%s\" lists no matrix operation for %s summed in %s that this build has a %s shader for",
                         device->name, in, sum, kernel);
    return vkmm_fail(
        log, VKMM_UNSUPPORTED,
        "%s for %s summed in %s cannot have matrix operations of %ux%ux%u (mm, mn, mk): %s; it can have:%s", kernel, in,
        sum, shape[0], shape[1], shape[2],
        is_listed ? "this build has no shader for them" : "the device lists none of that shape", at ? listed : " none");
}

vkmm_status vkmm_refuse_lanes(const vkmm_log *log, const vkmm_device_info *device, uint32_t lanes)
{
    if (device->max_subgroup_size == 0)
        return vkmm_fail(
            log, VKMM_UNSUPPORTED,
            "subgroups of %u invocations (lanes): \"%s\" has %u, and lets nobody ask for others (subgroupSizeControl)",
            lanes, device->name, device->subgroup_size);
    return vkmm_fail(log, VKMM_UNSUPPORTED,
                     "subgroups of %u invocations (lanes): \"%s\" takes a power of two from %u to %u (minSubgroupSize, "
                     "maxSubgroupSize)",
                     lanes, device->name, device->min_subgroup_size, device->max_subgroup_size);
}
