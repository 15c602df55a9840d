#include "vk/pipeline.h"

#include <string.h>

#include "base/clock.h"
#include "vk/vk_result.h"

enum { MAX_SPECS = VKMM_MAX_SPEC_CONSTANTS };

static vkmm_status create_pool(vkmm_device *device, uint32_t binding_count, uint32_t count, VkDescriptorPool *pool)
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = binding_count * count};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = count,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    return VKMM_CREATE(device, DescriptorPool, &info, pool, "building a pipeline");
}

static vkmm_status allocate_set(vkmm_device *device, const vkmm_pipeline *pipeline, VkDescriptorPool pool,
                                VkDescriptorSet *set)
{
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &pipeline->set_layout,
    };
    return vkmm_check(device->table.vkAllocateDescriptorSets(device->handle, &info, set), "vkAllocateDescriptorSets",
                      "building a pipeline");
}

vkmm_status vkmm_pipeline_more_sets(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t binding_count,
                                    uint32_t count, VkDescriptorPool *pool, VkDescriptorSet *sets)
{
    vkmm_status status = create_pool(device, binding_count, count, pool);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) status = allocate_set(device, pipeline, *pool, &sets[i]);
    return status;
}

/* In the order of their ids: the validation layer of 2025 looks up those in matrix types by id, but uses it as an index
 * into this list. */
static void map_constants(const vkmm_pipeline_info *info, VkSpecializationMapEntry *entries)
{
    for (uint32_t i = 0; i < info->spec_count; i++) {
        uint32_t place = i;
        for (; place > 0 && entries[place - 1].constantID > info->spec_ids[i]; place--)
            entries[place] = entries[place - 1];
        entries[place] = (VkSpecializationMapEntry){
            .constantID = info->spec_ids[i], .offset = i * (uint32_t)sizeof(uint32_t), .size = sizeof(uint32_t)};
    }
}

static vkmm_status create_handle(vkmm_device *device, const vkmm_pipeline_info *info, vkmm_pipeline *pipeline)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = info->bytes, .pCode = info->words};
    vkmm_status status = VKMM_CREATE(device, ShaderModule, &module_info, &module, "building a pipeline");
    if (status != VKMM_OK) return status;

    VkSpecializationMapEntry entries[MAX_SPECS];
    map_constants(info, entries);
    VkSpecializationInfo specialization = {
        .mapEntryCount = info->spec_count,
        .pMapEntries = entries,
        .dataSize = info->spec_count * sizeof(uint32_t),
        .pData = info->spec_values,
    };
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = info->subgroup_size,
    };
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = info->capture_statistics && device->physical->info.features.statistics
                     ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
                     : 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = info->subgroup_size ? &subgroup : NULL,
                  .flags = info->subgroup_size ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = pipeline->layout,
    };
    /* Statistics come from the compiler, not from a cache. */
    const int own = !info->capture_statistics && info->cache == VK_NULL_HANDLE;
    VkPipelineCache cache = own ? device->pipeline_cache.handle : info->cache;
    pipeline->compile_ms = -vkmm_now_ms();
    status =
        vkmm_check(device->table.vkCreateComputePipelines(device->handle, cache, 1, &create, NULL, &pipeline->handle),
                   "vkCreateComputePipelines", info->attempt);
    pipeline->compile_ms += vkmm_now_ms();
    if (own && cache != VK_NULL_HANDLE) vkmm_pipeline_cache_add(device, pipeline->compile_ms);
    device->table.vkDestroyShaderModule(device->handle, module, NULL);
    return status;
}

vkmm_status vkmm_pipeline_create(vkmm_device *device, const vkmm_pipeline_info *info, vkmm_pipeline *pipeline)
{
    memset(pipeline, 0, sizeof *pipeline);
    if (info->binding_count > VKMM_MAX_BINDINGS || info->spec_count > MAX_SPECS)
        return vkmm_fail(VKMM_INVALID,
                         "a pipeline of %u bindings and %u specialization constants; the limits are %d, %d",
                         info->binding_count, info->spec_count, VKMM_MAX_BINDINGS, MAX_SPECS);
    const vkmm_layout_pair *layouts = NULL;
    vkmm_status status = vkmm_layouts_find(device, info->binding_count, info->push_bytes, info->pushes_sets, &layouts);
    if (status == VKMM_OK) {
        pipeline->layout = layouts->pipeline;
        pipeline->set_layout = layouts->set;
    }
    if (status == VKMM_OK && !info->pushes_sets)
        status = vkmm_pipeline_more_sets(device, pipeline, info->binding_count, 1, &pipeline->pool, &pipeline->set);
    if (status == VKMM_OK) status = create_handle(device, info, pipeline);
    if (status != VKMM_OK) vkmm_pipeline_destroy(device, pipeline);
    return status;
}

void vkmm_pipeline_destroy(vkmm_device *device, vkmm_pipeline *pipeline)
{
    const struct VolkDeviceTable *table = &device->table;
    if (pipeline->handle) table->vkDestroyPipeline(device->handle, pipeline->handle, NULL);
    if (pipeline->pool) table->vkDestroyDescriptorPool(device->handle, pipeline->pool, NULL); /* frees the set */
    memset(pipeline, 0, sizeof *pipeline);
}

static VkWriteDescriptorSet write_of(const vkmm_pipeline *pipeline, uint32_t binding,
                                     const VkDescriptorBufferInfo *part)
{
    return (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = pipeline->set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = part,
    };
}

void vkmm_pipeline_bind(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t count,
                        const VkDescriptorBufferInfo *parts)
{
    VkWriteDescriptorSet writes[VKMM_MAX_BINDINGS];
    for (uint32_t i = 0; i < count; i++) writes[i] = write_of(pipeline, i, &parts[i]);
    if (pipeline->set) device->table.vkUpdateDescriptorSets(device->handle, count, writes, 0, NULL);
}

void vkmm_pipeline_use(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t count,
                       const VkDescriptorBufferInfo *parts, VkCommandBuffer command)
{
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
    VkWriteDescriptorSet writes[VKMM_MAX_BINDINGS];
    device->table.vkCmdBindPipeline(command, point, pipeline->handle);
    if (pipeline->set) {
        device->table.vkCmdBindDescriptorSets(command, point, pipeline->layout, 0, 1, &pipeline->set, 0, NULL);
        return;
    }
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) writes[i] = write_of(pipeline, i, &parts[i]);
    device->table.vkCmdPushDescriptorSetKHR(command, point, pipeline->layout, 0, count, writes);
}

void vkmm_pipeline_dispatch(vkmm_device *device, const vkmm_pipeline *pipeline, const void *push, uint32_t push_bytes,
                            const uint32_t groups[3], VkCommandBuffer command)
{
    const struct VolkDeviceTable *table = &device->table;
    table->vkCmdPushConstants(command, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
    table->vkCmdDispatch(command, groups[0], groups[1], groups[2]);
}

void vkmm_pipeline_dispatch_indirect(vkmm_device *device, const vkmm_pipeline *pipeline, const void *push,
                                     uint32_t push_bytes, VkBuffer groups, uint64_t offset, VkCommandBuffer command)
{
    const struct VolkDeviceTable *table = &device->table;
    table->vkCmdPushConstants(command, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
    table->vkCmdDispatchIndirect(command, groups, offset);
}
