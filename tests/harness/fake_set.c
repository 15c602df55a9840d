/* The fake driver's descriptor pools and sets. */
#include "fake_state.h"

FAKE_DEFINE_CREATE(DescriptorPool, FAKE_DESCRIPTOR_POOL)
{
    made->pool.sets = info->maxSets;
    made->pool.descriptors = info->poolSizeCount == 1 ? info->pPoolSizes[0].descriptorCount : 0;
    if (made->pool.sets == 0 || made->pool.descriptors == 0) fake_complain("%s: room for nothing", __func__);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkAllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info,
                                                             VkDescriptorSet *out)
{
    FAKE_ENTER(vkAllocateDescriptorSets);
    FAKE_FIND(device, FAKE_DEVICE);
    for (uint32_t i = 0; i < info->descriptorSetCount; i++) out[i] = VK_NULL_HANDLE; /* as promised for a failure */
    if (failure != VK_SUCCESS) return failure;
    fake_object *pool = FAKE_FIND(info->descriptorPool, FAKE_DESCRIPTOR_POOL);
    for (uint32_t i = 0; pool && i < info->descriptorSetCount; i++) {
        const fake_object *layout = FAKE_FIND(info->pSetLayouts[i], FAKE_SET_LAYOUT);
        const uint32_t bindings = layout ? layout->layout.bindings : 0;
        if (layout && layout->layout.pushes_sets) fake_complain("%s: sets of this layout are pushed", __func__);
        if (pool->pool.sets == 0 || pool->pool.descriptors < bindings) return VK_ERROR_OUT_OF_POOL_MEMORY;
        fake_object *set = fake_make(FAKE_SET, pool->id);
        set->set.count = bindings;
        pool->pool.sets--;
        pool->pool.descriptors -= bindings;
        out[i] = FAKE_HANDLE(VkDescriptorSet, set);
    }
    return VK_SUCCESS;
}

static void write_binding(fake_object *set, uint32_t binding, const VkDescriptorBufferInfo *part, const char *call)
{
    const fake_object *buffer = fake_find((uint64_t)(uintptr_t)part->buffer, FAKE_BUFFER, call);
    if (!buffer) return;
    if (part->offset % fake.caps.offset_alignment != 0)
        fake_complain("%s: offset %llu of binding %u; minStorageBufferOffsetAlignment is %u", call,
                      (unsigned long long)part->offset, binding, fake.caps.offset_alignment);
    if (part->range == 0 || part->range > fake.caps.max_storage_range)
        fake_complain("%s: %llu bytes at binding %u; maxStorageBufferRange is %llu", call,
                      (unsigned long long)part->range, binding, (unsigned long long)fake.caps.max_storage_range);
    if (part->offset >= buffer->buffer.bytes || part->range > buffer->buffer.bytes - part->offset)
        fake_complain("%s: %llu bytes at %llu of a buffer with %llu", call, (unsigned long long)part->range,
                      (unsigned long long)part->offset, (unsigned long long)buffer->buffer.bytes);
    set->set.bindings[binding] = (fake_binding){buffer->id, part->offset, part->range};
}

static void write_to(fake_object *set, const VkWriteDescriptorSet *write, const char *call)
{
    if (write->dstBinding >= set->set.count || write->descriptorCount != 1 ||
        write->descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
        fake_complain("%s: binding %u of %u", call, write->dstBinding, set->set.count);
    else
        write_binding(set, write->dstBinding, write->pBufferInfo, call);
}

VKAPI_ATTR void VKAPI_CALL fake_vkUpdateDescriptorSets(VkDevice device, uint32_t count,
                                                       const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                       const VkCopyDescriptorSet *copies)
{
    FAKE_ENTER(vkUpdateDescriptorSets);
    FAKE_FIND(device, FAKE_DEVICE);
    if (copy_count != 0) fake_complain("%s: sets are copied", __func__);
    for (uint32_t i = 0; i < count; i++) {
        fake_object *set = FAKE_FIND(writes[i].dstSet, FAKE_SET);
        if (!set) continue;
        fake_touch(set, "updated", __func__);
        write_to(set, &writes[i], __func__);
    }
}

/* A set of the command buffer's own. */
VKAPI_ATTR void VKAPI_CALL fake_vkCmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                          VkPipelineLayout layout_handle, uint32_t first,
                                                          uint32_t count, const VkWriteDescriptorSet *writes)
{
    FAKE_ENTER(vkCmdPushDescriptorSetKHR);
    fake_object *command = FAKE_FIND(handle, FAKE_COMMAND);
    const fake_object *layout = FAKE_FIND(layout_handle, FAKE_LAYOUT);
    if (!command || !layout) return;
    if (command->command.state != FAKE_RECORDING)
        fake_complain("%s: the command buffer is not being recorded", __func__);
    if (!layout->layout.pushes_sets || first != 0) fake_complain("%s: set %u is not pushed", __func__, first);
    fake_object *set = fake_make(FAKE_SET, command->id);
    set->set.count = layout->layout.bindings;
    for (uint32_t i = 0; i < count; i++) write_to(set, &writes[i], __func__);
    command->command.set = set->id;
}
