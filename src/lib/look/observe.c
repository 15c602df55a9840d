#include "look/observe.h"

#include "base/log.h"
#include "plan/parts.h"

vkmm_status vkmm_choice_observe(vkmm_choice *choice, vkmm_build build, uint32_t count, const uint32_t *ids,
                                const uint32_t *values)
{
    const vkmm_module *module =
        choice->module ? vkmm_module_find(vkmm_kernel_shader(choice->kernel), choice->module->type, build) : NULL;
    if (!module)
        return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot be observed; the tutorial kernels, such as tiled, can",
                         choice->kernel->name);
    choice->module = module;
    for (uint32_t i = 0; i < count && choice->info.spec_count < VKMM_MAX_SPEC_CONSTANTS; i++)
        vkmm_info_constant(&choice->info, ids[i], values[i]);
    return VKMM_OK;
}
