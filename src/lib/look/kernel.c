#include "look/kernel.h"

#include "base/log.h"

#include "plan/choose.h"

vkmm_status vkmm_kernel_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                               vkmm_kernel_info *info)
{
    vkmm_choice choice;
    vkmm_status status = vkmm_choose_job(log, device, params, &choice);
    if (status == VKMM_OK) *info = choice.info;
    return vkmm_tell(log, status);
}

int vkmm_tutorial_at(uint32_t index, vkmm_tutorial *tutorial)
{
    const vkmm_kernel *kernel = vkmm_kernel_at(index);
    if (!kernel || kernel->tunables) return 0;
    *tutorial = (vkmm_tutorial){kernel->name, kernel->step, kernel->summary,
                                kernel->spread == VKMM_SPREAD_GRID || kernel->spread == VKMM_SPREAD_BAND,
                                kernel->spread == VKMM_SPREAD_HOST};
    return 1;
}
