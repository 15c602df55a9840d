#include "look/executable.h"

#include "base/log.h"
#include "record/plan.h"

vkmm_status vkmm_kernel_steps(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                              vkmm_step_info *steps, uint32_t *count)
{
    const uint32_t capacity = *count;
    vkmm_recipe recipe = {0};
    vkmm_choice choice;
    *count = 0;
    vkmm_status status = vkmm_choose_job(log, device, params, &choice);
    if (status != VKMM_OK || !choice.module) return vkmm_tell(log, status);
    status = vkmm_recipe_make(device, &choice, &recipe);
    for (uint32_t i = 0; i < recipe.pipeline_count && *count < capacity && status == VKMM_OK; i++)
        steps[(*count)++] = (vkmm_step_info){recipe.pipelines[i].name, vkmm_recipe_hash(&recipe.pipelines[i]), -1};
    vkmm_recipe_destroy(&recipe);
    return vkmm_tell(log, status);
}

vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, uint32_t step,
                                   vkmm_statistic *statistics, uint32_t *count, double *compile_ms)
{
    const vkmm_log *log = vkmm_device_log(device);
    const vkmm_device_info *info = &device->physical->info;
    vkmm_pipeline pipeline = {0};
    vkmm_recipe recipe = {0};
    vkmm_choice choice;
    vkmm_status status = vkmm_choose_job(log, info, params, &choice);
    if (status == VKMM_OK && !choice.module)
        status = vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s runs on the host: no driver compiles it", choice.info.name);
    if (status == VKMM_OK) status = vkmm_recipe_make(info, &choice, &recipe);
    if (status == VKMM_OK && step >= recipe.pipeline_count)
        status = vkmm_fail(VKMM_INVALID, "there is no step %u: this product has %u", step, recipe.pipeline_count);
    if (status == VKMM_OK) status = vkmm_plan_pipeline(device, &choice, &recipe, step, 1, &pipeline);
    if (status == VKMM_OK && info->features.statistics)
        status = vkmm_pipeline_statistics(device, &pipeline, statistics, count);
    else if (status == VKMM_OK)
        *count = 0;
    if (status == VKMM_OK && compile_ms) *compile_ms = pipeline.compile_ms;
    vkmm_pipeline_destroy(device, &pipeline);
    vkmm_recipe_destroy(&recipe);
    return vkmm_tell(log, status);
}
