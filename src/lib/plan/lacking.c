/* What a device, or this build, lacks for a kernel on a problem's types. */
#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

static const struct {
    uint32_t need;
    const char *name;
} names[] = {
    {VKMM_NEEDS_F16, "16-bit floats (shaderFloat16)"},
    {VKMM_NEEDS_I8, "8-bit integers (shaderInt8)"},
    {VKMM_NEEDS_F64, "64-bit floats (shaderFloat64)"},
    {VKMM_NEEDS_STORAGE16, "16-bit storage (storageBuffer16BitAccess)"},
    {VKMM_NEEDS_STORAGE8, "8-bit storage (storageBuffer8BitAccess)"},
    {VKMM_NEEDS_DOT8, "accelerated dot products of four bytes (shaderIntegerDotProduct)"},
    {VKMM_NEEDS_MATRIX, "matrix operations (VK_KHR_cooperative_matrix)"},
    {VKMM_NEEDS_BF16, "matrix operations on bf16 (shaderBFloat16CooperativeMatrix)"},
};

static const char *name_of(uint32_t needs)
{
    for (size_t i = 0; i < VKMM_COUNT(names); i++)
        if (needs & names[i].need) return names[i].name;
    return "";
}

static int bits(uint32_t word)
{
    int count = 0;
    for (; word; word &= word - 1) count++;
    return count;
}

vkmm_status vkmm_refuse_module(const vkmm_device_info *device, const char *kernel, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    const char *in = vkmm_type_of(types.in)->name, *sum = vkmm_type_of(types.compute)->name;
    const vkmm_module *module;
    uint32_t least = UINT32_MAX; /* what the module lacks that lacks least */
    for (uint32_t i = 0; (module = vkmm_module_next(kernel, types.in, types.compute, &i)) != NULL && device;) {
        const uint32_t lack = module->needs & ~vkmm_device_offers(device, types.in);
        if (bits(lack) < bits(least)) least = lack;
    }
    if (least == UINT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED, "this build has no %s shader for %s summed in %s", kernel, in, sum);
    if (least & VKMM_NEEDS_MATRIX && device->matrices.refusal && *device->matrices.refusal)
        return vkmm_fail(VKMM_UNSUPPORTED, "%s needs matrix operations, and \"%s\" has none: %s", kernel, device->name,
                         device->matrices.refusal);
    if (least == VKMM_NEEDS_BLOCKS)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "the kernel %s takes only products of a matrix in blocks (format_a, format_b)", kernel);
    return vkmm_fail(VKMM_UNSUPPORTED, "%s for %s summed in %s needs what \"%s\" lacks: %s", kernel, in, sum,
                     device->name, name_of(least));
}
