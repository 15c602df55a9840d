/* The fake driver's command buffers: what is recorded, and when that is allowed. */
#include "fake_state.h"

#include <stdlib.h>
#include <string.h>

FAKE_DEFINE_CREATE(CommandPool, FAKE_COMMAND_POOL)
{
    made->family = info->queueFamilyIndex;
    if (made->family >= fake_family_count()) fake_complain("%s: there is no queue family %u", __func__, made->family);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkResetCommandPool(VkDevice device, VkCommandPool handle,
                                                       VkCommandPoolResetFlags flags)
{
    FAKE_ENTER_OR_FAIL(vkResetCommandPool);
    FAKE_FIND(device, FAKE_DEVICE);
    const fake_object *pool = FAKE_FIND(handle, FAKE_COMMAND_POOL);
    for (uint32_t i = 0; pool && i < fake.count; i++) {
        fake_object *command = fake.objects[i];
        if (!command->alive || command->kind != FAKE_COMMAND || command->parent != pool->id) continue;
        if (command->command.state == FAKE_PENDING)
            fake_complain("%s: a command buffer of the pool is in flight", __func__);
        command->command.state = FAKE_INITIAL;
        command->command.count = 0;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkAllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info,
                                                             VkCommandBuffer *out)
{
    FAKE_ENTER(vkAllocateCommandBuffers);
    FAKE_FIND(device, FAKE_DEVICE);
    for (uint32_t i = 0; i < info->commandBufferCount; i++) out[i] = VK_NULL_HANDLE; /* as promised for a failure */
    if (failure != VK_SUCCESS) return failure;
    const fake_object *pool = FAKE_FIND(info->commandPool, FAKE_COMMAND_POOL);
    for (uint32_t i = 0; pool && i < info->commandBufferCount; i++) {
        fake_object *command = fake_make(FAKE_COMMAND, pool->id);
        command->command.family = pool->family;
        out[i] = FAKE_HANDLE(VkCommandBuffer, command);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkBeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info)
{
    FAKE_ENTER_OR_FAIL(vkBeginCommandBuffer);
    fake_object *command = FAKE_FIND(handle, FAKE_COMMAND);
    if (!command) return VK_ERROR_OUT_OF_HOST_MEMORY;
    /* Pools here lack VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT: they are reset as a whole. */
    if (command->command.state != FAKE_INITIAL) fake_complain("%s: the command buffer was not reset", __func__);
    command->command.state = FAKE_RECORDING;
    command->command.pipeline = command->command.set = 0;
    command->command.pushed = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkEndCommandBuffer(VkCommandBuffer handle)
{
    FAKE_ENTER(vkEndCommandBuffer);
    fake_object *command = FAKE_FIND(handle, FAKE_COMMAND);
    if (command && failure != VK_SUCCESS) command->command.state = FAKE_INVALID;
    if (!command || failure != VK_SUCCESS) return failure;
    if (command->command.state != FAKE_RECORDING)
        fake_complain("%s: the command buffer is not being recorded", __func__);
    command->command.state = FAKE_EXECUTABLE;
    return VK_SUCCESS;
}

static fake_object *recording(VkCommandBuffer handle, const char *call)
{
    fake_object *command = fake_find((uint64_t)(uintptr_t)handle, FAKE_COMMAND, call);
    if (!command || command->command.state == FAKE_RECORDING) return command;
    fake_complain("%s: the command buffer is not being recorded", call);
    return NULL;
}

static void add(fake_object *command, const fake_step *step)
{
    if (!command) return;
    if (command->command.count == command->command.capacity) {
        command->command.capacity = command->command.capacity ? 2 * command->command.capacity : 16;
        command->command.steps = realloc(command->command.steps, command->command.capacity * sizeof *step);
        if (!command->command.steps) abort();
    }
    command->command.steps[command->command.count++] = *step;
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags from,
                                                     VkPipelineStageFlags to, VkDependencyFlags flags,
                                                     uint32_t memory_count, const VkMemoryBarrier *memory,
                                                     uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                     uint32_t image_count, const VkImageMemoryBarrier *images)
{
    FAKE_ENTER(vkCmdPipelineBarrier);
    const fake_object *command = recording(handle, __func__);
    for (uint32_t i = 0; i < buffer_count; i++) FAKE_FIND(buffers[i].buffer, FAKE_BUFFER);
    if (command && command->command.family > 0 && ((from | to) & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT))
        fake_complain("%s: a queue for transfers has no compute shaders", __func__);
}

static uint64_t buffer_of(VkBuffer handle, uint64_t offset, uint64_t bytes, const char *call)
{
    return fake_bytes((uint64_t)(uintptr_t)handle, offset, bytes, call) ? (uint64_t)(uintptr_t)handle : 0;
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdCopyBuffer(VkCommandBuffer handle, VkBuffer from, VkBuffer to, uint32_t count,
                                                const VkBufferCopy *regions)
{
    FAKE_ENTER(vkCmdCopyBuffer);
    fake_object *command = recording(handle, __func__);
    for (uint32_t i = 0; i < count; i++) {
        const VkBufferCopy *r = &regions[i];
        const fake_step step = {.what = FAKE_COPY,
                                .from = buffer_of(from, r->srcOffset, r->size, __func__),
                                .to = buffer_of(to, r->dstOffset, r->size, __func__),
                                .from_offset = r->srcOffset,
                                .to_offset = r->dstOffset,
                                .bytes = r->size};
        if (step.from == step.to && r->srcOffset < r->dstOffset + r->size && r->dstOffset < r->srcOffset + r->size)
            fake_complain("%s: the regions overlap", __func__);
        if (step.from && step.to) add(command, &step);
    }
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdFillBuffer(VkCommandBuffer handle, VkBuffer to, VkDeviceSize offset,
                                                VkDeviceSize bytes, uint32_t word)
{
    FAKE_ENTER(vkCmdFillBuffer);
    fake_object *command = recording(handle, __func__);
    const fake_step step = {.what = FAKE_FILL,
                            .to = buffer_of(to, offset, bytes, __func__),
                            .to_offset = offset,
                            .bytes = bytes,
                            .word = word};
    if (offset % 4 != 0 || bytes % 4 != 0) fake_complain("%s: no whole words", __func__);
    if (step.to) add(command, &step);
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                  VkPipeline pipeline)
{
    FAKE_ENTER(vkCmdBindPipeline);
    fake_object *command = recording(handle, __func__);
    const fake_object *bound = FAKE_FIND(pipeline, FAKE_PIPELINE);
    if (command && bound) command->command.pipeline = bound->id;
    if (command && command->command.family > 0) fake_complain("%s: a queue for transfers has no pipelines", __func__);
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                        VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                        const VkDescriptorSet *sets, uint32_t dynamic_count,
                                                        const uint32_t *dynamic)
{
    FAKE_ENTER(vkCmdBindDescriptorSets);
    fake_object *command = recording(handle, __func__);
    FAKE_FIND(layout, FAKE_LAYOUT);
    const fake_object *set = count == 1 ? FAKE_FIND(*sets, FAKE_SET) : NULL;
    if (first != 0 || count != 1) fake_complain("%s: sets %u to %u", __func__, first, first + count);
    if (command && set) command->command.set = set->id;
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                                   VkShaderStageFlags stages, uint32_t offset, uint32_t bytes,
                                                   const void *values)
{
    FAKE_ENTER(vkCmdPushConstants);
    fake_object *command = recording(handle, __func__);
    const fake_object *of = FAKE_FIND(layout, FAKE_LAYOUT);
    if (!command || !of) return;
    if (offset != 0 || bytes > of->layout.push_bytes) fake_complain("%s: %u bytes at %u", __func__, bytes, offset);
    memcpy(command->command.push, values, bytes < FAKE_PUSH_BYTES ? bytes : FAKE_PUSH_BYTES);
    command->command.pushed = bytes;
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    FAKE_ENTER(vkCmdDispatch);
    fake_object *command = recording(handle, __func__);
    if (!command) return;
    fake_step step = {
        .what = FAKE_DISPATCH, .pipeline = command->command.pipeline, .set = command->command.set, .groups = {x, y, z}};
    const fake_object *pipeline = fake_find(step.pipeline, FAKE_PIPELINE, __func__),
                      *set = fake_find(step.set, FAKE_SET, __func__);
    if (!pipeline || !set) return;
    if (command->command.pushed < pipeline->pipeline.push_bytes)
        fake_complain("%s: push constants are missing", __func__);
    if (set->set.count != pipeline->pipeline.bindings) fake_complain("%s: the set does not fit the pipeline", __func__);
    if (x > 65535 || y > 65535 || z > 65535 || x == 0 || y == 0 || z == 0)
        fake_complain("%s: %ux%ux%u workgroups", __func__, x, y, z);
    for (uint32_t i = 0; i < set->set.count; i++)
        if (!fake_alive(set->set.bindings[i].buffer)) fake_complain("%s: binding %u has no buffer", __func__, i);
    memcpy(step.push, command->command.push, sizeof step.push);
    add(command, &step);
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdResetQueryPool(VkCommandBuffer handle, VkQueryPool queries, uint32_t first,
                                                    uint32_t count)
{
    FAKE_ENTER(vkCmdResetQueryPool);
    const fake_object *pool = FAKE_FIND(queries, FAKE_QUERIES);
    const fake_step step = {.what = FAKE_RESET, .queries = pool ? pool->id : 0, .first = first, .count = count};
    if (pool && first + count > pool->queries.count)
        fake_complain("%s: queries %u to %u", __func__, first, first + count);
    if (pool) add(recording(handle, __func__), &step);
}

VKAPI_ATTR void VKAPI_CALL fake_vkCmdWriteTimestamp(VkCommandBuffer handle, VkPipelineStageFlagBits stage,
                                                    VkQueryPool queries, uint32_t query)
{
    FAKE_ENTER(vkCmdWriteTimestamp);
    const fake_object *pool = FAKE_FIND(queries, FAKE_QUERIES);
    const fake_step step = {.what = FAKE_STAMP, .queries = pool ? pool->id : 0, .first = query, .count = 1};
    if (pool && query >= pool->queries.count) fake_complain("%s: query %u", __func__, query);
    if (pool) add(recording(handle, __func__), &step);
}
