#include "base/alloc.h"
#include "vk/device.h"
#include "vk/vk_result.h"

static void destroy(vkmm_device *device, vkmm_layout_pair *pair)
{
    if (pair->pipeline) device->table.vkDestroyPipelineLayout(device->handle, pair->pipeline, NULL);
    if (pair->set) device->table.vkDestroyDescriptorSetLayout(device->handle, pair->set, NULL);
    vkmm_free(pair);
}

void vkmm_layouts_close(vkmm_device *device)
{
    while (device->layouts.first) {
        vkmm_layout_pair *pair = device->layouts.first;
        device->layouts.first = pair->next;
        destroy(device, pair);
    }
}

static vkmm_status create_set(vkmm_device *device, vkmm_layout_pair *pair)
{
    VkDescriptorSetLayoutBinding bindings[VKMM_MAX_BINDINGS];
    for (uint32_t i = 0; i < pair->binding_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = pair->pushes_sets ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = pair->binding_count,
        .pBindings = bindings};
    return VKMM_CREATE(device, DescriptorSetLayout, &info, &pair->set, "building a pipeline");
}

static vkmm_status create_pipeline(vkmm_device *device, vkmm_layout_pair *pair)
{
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = pair->push_bytes};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &pair->set,
        .pushConstantRangeCount = pair->push_bytes ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    return VKMM_CREATE(device, PipelineLayout, &info, &pair->pipeline, "building a pipeline");
}

static vkmm_status add(vkmm_device *device, const vkmm_layout_pair *like, vkmm_layout_pair **added)
{
    vkmm_layout_pair *pair = vkmm_alloc(1, sizeof *pair);
    if (!pair) return VKMM_NO_MEMORY("for the layout of a pipeline");
    *pair = *like;
    vkmm_status status = create_set(device, pair);
    if (status == VKMM_OK) status = create_pipeline(device, pair);
    if (status != VKMM_OK) {
        destroy(device, pair);
        return status;
    }
    pair->next = device->layouts.first;
    device->layouts.first = *added = pair;
    return VKMM_OK;
}

vkmm_status vkmm_layouts_find(vkmm_device *device, uint32_t binding_count, uint32_t push_bytes, int pushes_sets,
                              const vkmm_layout_pair **found)
{
    const vkmm_layout_pair like = {
        .binding_count = binding_count, .push_bytes = push_bytes, .pushes_sets = pushes_sets};
    vkmm_layouts *layouts = &device->layouts;
    vkmm_status status = VKMM_OK;
    mtx_lock(&layouts->lock);
    vkmm_layout_pair *pair = layouts->first;
    while (pair &&
           (pair->binding_count != binding_count || pair->push_bytes != push_bytes || pair->pushes_sets != pushes_sets))
        pair = pair->next;
    if (!pair) status = add(device, &like, &pair);
    mtx_unlock(&layouts->lock);
    *found = pair;
    return status;
}
