/* What the driver reports about a kernel: choosing, building and querying, which no single folder does. */
#include "base/log.h"
#include "plan/plan.h"
#include "vk/executable.h"

vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, uint32_t pass,
                                   vkmm_statistic *statistics, uint32_t *count, double *compile_ms)
{
    VKMM_NEED(NULL, device);
    VKMM_NEED(vkmm_device_log(device), params);
    VKMM_NEED(vkmm_device_log(device), statistics);
    VKMM_NEED(vkmm_device_log(device), count);
    const vkmm_device_info *info = &device->physical->info;
    vkmm_plan plan = {0};
    vkmm_choice choice;
    vkmm_status status = vkmm_choose_job(vkmm_device_log(device), info, params, &choice);
    if (status == VKMM_OK && !choice.module)
        status = vkmm_fail(vkmm_device_log(device), VKMM_UNSUPPORTED,
                           "the kernel %s runs on the host: no driver compiles it", choice.info.name);
    if (status == VKMM_OK && (pass >= VKMM_PASSES || !vkmm_plan_hash(info, &choice, (vkmm_plan_pass)pass)))
        status = vkmm_fail(vkmm_device_log(device), VKMM_INVALID, "this product has no pass %u", pass);
    if (status != VKMM_OK) return status;
    choice.capture = pass + 1;
    status = vkmm_plan_create(device, &choice, &plan);
    const vkmm_pipeline *pipeline = &plan.pipelines[pass];
    if (status == VKMM_OK && info->has_statistics)
        status = vkmm_pipeline_statistics(device, pipeline, statistics, count);
    else if (status == VKMM_OK)
        *count = 0;
    if (status == VKMM_OK && compile_ms) *compile_ms = pipeline->compile_ms;
    vkmm_plan_destroy(device, &plan);
    return status;
}
