#include "plan/plan.h"

vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, vkmm_plan *plan)
{
    *plan = (vkmm_plan){
        .info = choice->info,
        .binding_count = VKMM_BINDING_COUNT + (uint32_t)choice->module->build,
        .push = {.m = (uint32_t)problem->m, .n = (uint32_t)problem->n, .k = (uint32_t)problem->k},
    };
    vkmm_pipeline_info info = {
        .words = choice->module->words,
        .bytes = choice->module->bytes,
        .binding_count = plan->binding_count,
        .push_bytes = sizeof(vkmm_push),
        .spec_count = choice->info.spec_count,
        .spec_ids = choice->info.spec_ids,
        .spec_values = choice->info.spec_values,
        .capture_statistics = choice->capture_statistics,
    };
    return vkmm_pipeline_create(device, &info, &plan->pipeline);
}

void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan)
{
    vkmm_pipeline_destroy(device, &plan->pipeline);
}

void vkmm_plan_bind(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *parts)
{
    for (uint32_t i = 0; i < plan->binding_count; i++)
        vkmm_pipeline_bind(device, &plan->pipeline, i, parts[i].buffer, parts[i].offset, parts[i].bytes);
}

void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    const struct VolkDeviceTable *table = &device->table;
    if (plan->info.groups[0] == 0) return;
    table->vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, plan->pipeline.handle);
    table->vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, plan->pipeline.layout, 0, 1, &plan->pipeline.set, 0, NULL);
    table->vkCmdPushConstants(command, plan->pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof plan->push, &plan->push);
    table->vkCmdDispatch(command, plan->info.groups[0], plan->info.groups[1], plan->info.groups[2]);
}
