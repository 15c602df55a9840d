/* The fake driver's pipelines with their parts, and its query pools. */
#include "fake_state.h"

#include <string.h>

/* Bytes of VkPipelineCacheHeaderVersionOne, and of each pipeline that follows it. */
enum { HEADER = 32, ENTRY = 16 };

FAKE_DEFINE_CREATE(PipelineCache, FAKE_CACHE)
{
    made->cache.bytes = info->initialDataSize > HEADER ? info->initialDataSize : HEADER;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkGetPipelineCacheData(VkDevice device, VkPipelineCache handle, size_t *bytes,
                                                           void *data)
{
    static const uint8_t header[16] = {HEADER, 0, 0, 0, 1, 0, 0, 0, 0xfa, 0xfa, 0, 0, 0x34, 0x12, 0, 0};
    FAKE_ENTER_OR_FAIL(vkGetPipelineCacheData);
    FAKE_FIND(device, FAKE_DEVICE);
    const fake_object *cache = FAKE_FIND(handle, FAKE_CACHE);
    if (!cache) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (data && *bytes < cache->cache.bytes) return VK_INCOMPLETE;
    *bytes = cache->cache.bytes;
    if (!data) return VK_SUCCESS;
    memset(data, 0xfc, *bytes);
    memcpy(data, header, sizeof header);
    return VK_SUCCESS;
}

static int is_module(const vkmm_module *module, const VkShaderModuleCreateInfo *info)
{
    return module && module->bytes == info->codeSize && memcmp(module->words, info->pCode, info->codeSize) == 0;
}

/* The driver compiles nothing: it knows the kernels by sight. */
static const vkmm_module *recognize(const VkShaderModuleCreateInfo *info)
{
    static const char *const kernels[] = {"blocked", "skinny", "cpu", "reduce", "tiled", "pack", "soft64"};
    static const vkmm_type types[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_U32};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int t = 0; t < 4; t++) {
            const vkmm_module *module = vkmm_module_find(kernels[k], types[t], VKMM_BUILD_PLAIN);
            if (is_module(module, info)) return module;
            for (uint32_t i = 0; (module = vkmm_module_next(kernels[k], types[t], types[t], &i)) != NULL;)
                if (is_module(module, info)) return module;
        }
    return NULL;
}

FAKE_DEFINE_CREATE(ShaderModule, FAKE_SHADER)
{
    made->shader = recognize(info);
    if (!made->shader) fake_complain("%s: none of the kernels that the fake driver can run", __func__);
}

FAKE_DEFINE_CREATE(DescriptorSetLayout, FAKE_SET_LAYOUT)
{
    made->layout.bindings = info->bindingCount;
    made->layout.pushes_sets = info->flags == VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    if (made->layout.pushes_sets && !fake.pushes_sets)
        fake_complain("%s: VK_KHR_push_descriptor is not enabled", __func__);
    for (uint32_t i = 0; i < info->bindingCount; i++)
        if (info->bindingCount > FAKE_BINDINGS || info->pBindings[i].binding != i ||
            info->pBindings[i].descriptorCount != 1 ||
            info->pBindings[i].descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
            fake_complain("%s: binding %u", __func__, i);
}

FAKE_DEFINE_CREATE(PipelineLayout, FAKE_LAYOUT)
{
    const fake_object *set = info->setLayoutCount == 1 ? FAKE_FIND(info->pSetLayouts[0], FAKE_SET_LAYOUT) : NULL;
    if (set) made->layout = set->layout;
    if (info->pushConstantRangeCount > 0) made->layout.push_bytes = info->pPushConstantRanges[0].size;
    if (made->layout.push_bytes > FAKE_PUSH_BYTES)
        fake_complain("%s: more push constants than the device has", __func__);
}

static void specialize(const VkSpecializationInfo *info, uint32_t constants[FAKE_CONSTANTS])
{
    for (uint32_t i = 0; info && i < info->mapEntryCount; i++) {
        const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
        if (entry->constantID >= FAKE_CONSTANTS || entry->size != sizeof(uint32_t) ||
            entry->offset + entry->size > info->dataSize)
            fake_complain("vkCreateComputePipelines: constant %u", entry->constantID);
        else
            memcpy(&constants[entry->constantID], (const char *)info->pData + entry->offset, sizeof(uint32_t));
    }
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkCreateComputePipelines(VkDevice device, VkPipelineCache cache_handle,
                                                             uint32_t count, const VkComputePipelineCreateInfo *infos,
                                                             const VkAllocationCallbacks *with, VkPipeline *out)
{
    FAKE_ENTER(vkCreateComputePipelines);
    for (uint32_t i = 0; i < count; i++) out[i] = VK_NULL_HANDLE; /* this call promises as much for a failure */
    if (failure != VK_SUCCESS) return failure;
    fake_object *cache = cache_handle ? FAKE_FIND(cache_handle, FAKE_CACHE) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const fake_object *shader = FAKE_FIND(infos[i].stage.module, FAKE_SHADER),
                          *layout = FAKE_FIND(infos[i].layout, FAKE_LAYOUT);
        fake_object *pipeline = FAKE_MAKE_ON(device, FAKE_PIPELINE);
        if (shader) pipeline->pipeline.module = shader->shader;
        if (layout) pipeline->pipeline.bindings = layout->layout.bindings;
        if (layout) pipeline->pipeline.push_bytes = layout->layout.push_bytes;
        specialize(infos[i].stage.pSpecializationInfo, pipeline->pipeline.constants);
        const uint32_t *size = pipeline->pipeline.constants;
        if ((uint64_t)size[VKMM_SPEC_WORKGROUP_X] * size[VKMM_SPEC_WORKGROUP_Y] > 1024 ||
            size[VKMM_SPEC_WORKGROUP_X] == 0)
            fake_complain("%s: a workgroup of %ux%u", __func__, size[VKMM_SPEC_WORKGROUP_X],
                          size[VKMM_SPEC_WORKGROUP_Y]);
        if (cache) cache->cache.bytes += ENTRY;
        out[i] = FAKE_HANDLE(VkPipeline, pipeline);
    }
    return VK_SUCCESS;
}

FAKE_DEFINE_DESTROY(Pipeline, FAKE_PIPELINE)

FAKE_DEFINE_CREATE(QueryPool, FAKE_QUERIES)
{
    made->queries.count = info->queryCount;
    if (info->queryCount > FAKE_QUERY_COUNT || info->queryType != VK_QUERY_TYPE_TIMESTAMP || fake.caps.no_timestamps)
        fake_complain("%s: %u queries of type %d", __func__, info->queryCount, (int)info->queryType);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkGetQueryPoolResults(VkDevice device, VkQueryPool handle, uint32_t first,
                                                          uint32_t count, size_t bytes, void *data, VkDeviceSize stride,
                                                          VkQueryResultFlags flags)
{
    FAKE_ENTER_ON(vkGetQueryPoolResults, device);
    FAKE_FIND(device, FAKE_DEVICE);
    const fake_object *queries = FAKE_FIND(handle, FAKE_QUERIES);
    if (!queries) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (first + count > queries->queries.count || count * stride > bytes || !(flags & VK_QUERY_RESULT_64_BIT)) {
        fake_complain("%s: queries %u to %u into %zu bytes", __func__, first, first + count, bytes);
        return VK_NOT_READY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (queries->queries.state[first + i] != 2 && (flags & VK_QUERY_RESULT_WAIT_BIT))
            fake_complain("%s: waits for query %u, which nothing has written", __func__, first + i);
        if (queries->queries.state[first + i] != 2) return VK_NOT_READY;
        memcpy((char *)data + i * stride, &queries->queries.stamps[first + i], sizeof(uint64_t));
    }
    return VK_SUCCESS;
}
