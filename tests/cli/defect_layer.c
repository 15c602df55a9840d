/* A Vulkan layer that makes a right driver wrong: VKMM_TEST_DEFECT names how. Defects of a compiler change the SPIR-V
 * that reaches the driver, others what is recorded or read. One device at a time. */
#include "layer_link.h"

#include <stdlib.h>

enum { HEADER = 5, NOP = 0x00010000, MOST_DISPATCHING = 64 };

/* Instructions, and what some of them are replaced with. */
enum {
    EXT_INST = 12,
    TYPE_FLOAT = 22,
    TYPE_POINTER = 32,
    CONSTANT = 43,
    FUNCTION = 54,
    STORE = 62,
    ACCESS_CHAIN = 65,
    VECTOR_TIMES_SCALAR = 142,
    BIT_FIELD_S_EXTRACT = 202,
    BIT_FIELD_U_EXTRACT = 203,
    CONTROL_BARRIER = 224,
    ATOMIC_EXCHANGE = 229,
    ATOMIC_I_ADD = 234,
    GROUP_I_ADD = 349,
    MATRIX_LOAD = 4457,
};
enum { STORAGE_BUFFER = 12 /* a storage class */, PACK_HALF = 58 /* of GLSL.std.450 */ };

static PFN_vkGetDeviceProcAddr next_device_proc;
static PFN_vkGetPhysicalDeviceProperties2 next_describe;
static unsigned pipelines;
static VkCommandBuffer dispatching[MOST_DISPATCHING]; /* those with a dispatch */

static int is(const char *defect)
{
    const char *name = getenv("VKMM_TEST_DEFECT");
    return name != NULL && strcmp(name, defect) == 0;
}

#define NEXT(device, name) ((PFN_##name)next_device_proc(device, #name))

/* ---- the compiler ---- */

static void drop(uint32_t *at)
{
    for (uint32_t i = *at >> 16; i > 0; i--) at[i - 1] = NOP;
}

static void replace(uint32_t *at, uint32_t op)
{
    *at = (*at & 0xffff0000) | op;
}

/* The instruction before `end` whose word at `place` is this id; NULL: there is none. */
static const uint32_t *defined(const uint32_t *words, size_t end, uint32_t op, uint32_t place, uint32_t id)
{
    for (size_t i = HEADER; i < end; i += words[i] >> 16 ? words[i] >> 16 : 1)
        if ((words[i] & 0xffff) == op && words[i + place] == id) return &words[i];
    return NULL;
}

/* The constant 0 or 1 for one that is 1 or 0; itself if there is none. */
static uint32_t other_layout(const uint32_t *words, const uint32_t *load)
{
    const size_t end = (size_t)(load - words);
    const uint32_t *layout = defined(words, end, CONSTANT, 2, load[4]);
    for (size_t i = HEADER; layout != NULL && i < end; i += words[i] >> 16 ? words[i] >> 16 : 1)
        if ((words[i] & 0xffff) == CONSTANT && words[i + 1] == layout[1] && words[i + 3] == 1 - layout[3])
            return words[i + 2];
    return load[4];
}

static int has_barrier(const uint32_t *words, size_t count)
{
    size_t i = HEADER;
    while (i < count && (words[i] & 0xffff) != CONTROL_BARRIER) i += words[i] >> 16 ? words[i] >> 16 : 1;
    return i < count;
}

/* Changes one instruction where it stands. */
static void spoil(const uint32_t *words, uint32_t *at)
{
    const uint32_t op = *at & 0xffff;
    if (op == CONTROL_BARRIER && is("barrier")) drop(at);
    if (op == BIT_FIELD_S_EXTRACT && is("sign")) replace(at, BIT_FIELD_U_EXTRACT);
    if (op == ATOMIC_I_ADD && is("atomic")) replace(at, ATOMIC_EXCHANGE);
    if (op == MATRIX_LOAD && is("layout")) at[4] = other_layout(words, at);
    if (op == GROUP_I_ADD && is("subgroup")) at[4] = 1 - at[4]; /* a reduction becomes a scan */
}

static int is_to_buffer(const uint32_t *words, size_t at)
{
    const uint32_t *chain = defined(words, at, ACCESS_CHAIN, 2, words[at + 1]);
    const uint32_t *type = chain != NULL ? defined(words, at, TYPE_POINTER, 1, chain[1]) : NULL;
    return type != NULL && type[2] == STORAGE_BUFFER;
}

/* Scales what is rounded to f16, by a new constant: results are one step too far from zero now and then. */
static size_t spoil_rounding(const uint32_t *words, size_t count, uint32_t *made)
{
    const uint32_t bound = words[3];
    uint32_t type = 0;
    size_t end = HEADER;
    memcpy(made, words, HEADER * sizeof *words);
    for (size_t i = HEADER; i < count; i += words[i] >> 16) {
        const uint32_t op = words[i] & 0xffff, length = words[i] >> 16;
        if (op == TYPE_FLOAT && words[i + 2] == 32) type = words[i + 1];
        if (op == FUNCTION && made[3] == bound && type != 0) {
            const uint32_t constant[] = {4 << 16 | CONSTANT, type, bound, 0x3f803000}; /* 1 + 3·2^-11 */
            memcpy(made + end, constant, sizeof constant);
            end += 4;
            made[3]++;
        }
        memcpy(made + end, words + i, length * sizeof *words);
        if (op == EXT_INST && words[i + 4] == PACK_HALF && made[3] > bound) {
            uint32_t vector = 0; /* the type of what is packed: that of its definition */
            for (size_t j = HEADER; j < i; j += words[j] >> 16)
                if ((words[j] >> 16) > 2 && words[j + 2] == words[i + 5] && (words[j] & 0xffff) > FUNCTION)
                    vector = words[j + 1];
            const uint32_t scaled[] = {5 << 16 | VECTOR_TIMES_SCALAR, vector, made[3], words[i + 5], bound};
            memcpy(made + end, scaled, sizeof scaled);
            memcpy(made + end + 5, words + i, length * sizeof *words);
            made[end + 5 + 5] = made[3]++;
            end += 5;
        }
        end += length;
    }
    return end;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkShaderModule *module)
{
    const size_t count = info->codeSize / sizeof(uint32_t);
    uint32_t *words = malloc(2 * info->codeSize), *last = NULL;
    VkShaderModuleCreateInfo changed = *info;
    if (words == NULL) return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(words, info->pCode, info->codeSize);
    if (is("rounding")) changed.codeSize = sizeof *words * spoil_rounding(info->pCode, count, words);
    const int drops = is("store") || (is("plain store") && !has_barrier(words, count));
    for (size_t i = HEADER; i < changed.codeSize / sizeof *words; i += words[i] >> 16 ? words[i] >> 16 : 1) {
        if ((words[i] & 0xffff) == STORE && drops && is_to_buffer(words, i)) last = &words[i];
        spoil(words, &words[i]);
    }
    if (last != NULL) drop(last);
    changed.pCode = words;
    const VkResult result = NEXT(device, vkCreateShaderModule)(device, &changed, callbacks, module);
    free(words);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *callbacks, VkPipeline *made)
{
    VkComputePipelineCreateInfo info = *infos;
    VkSpecializationInfo constants = {0};
    if (is("crash") && ++pipelines == 2) abort();
    if (info.stage.pSpecializationInfo != NULL) constants = *info.stage.pSpecializationInfo;
    if (is("constant") && constants.mapEntryCount > 1) constants.mapEntryCount--, constants.pMapEntries++;
    info.stage.pSpecializationInfo = &constants;
    return NEXT(device, vkCreateComputePipelines)(device, cache, count, count == 1 ? &info : infos, callbacks, made);
}

/* ---- commands ---- */

static VkDevice the_device;

/* Whether a dispatch has been recorded in the command buffer since it was begun; notes one. */
static int has_dispatched(VkCommandBuffer command)
{
    int i = 0;
    while (i < MOST_DISPATCHING - 1 && dispatching[i] != NULL && dispatching[i] != command) i++;
    const int had = dispatching[i] == command;
    dispatching[i] = command;
    return had;
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer command, const VkCommandBufferBeginInfo *info)
{
    for (int i = 0; i < MOST_DISPATCHING; i++)
        if (dispatching[i] == command) dispatching[i] = (VkCommandBuffer)(uintptr_t)1;
    return NEXT(the_device, vkBeginCommandBuffer)(command, info);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    if (has_dispatched(command) && is("stale")) return;
    NEXT(the_device, vkCmdDispatch)(command, x > 1 && is("workgroup") ? x - 1 : x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect(VkCommandBuffer command, VkBuffer buffer, VkDeviceSize offset)
{
    if (is("indirect"))
        NEXT(the_device, vkCmdDispatch)(command, 1, 1, 1);
    else
        NEXT(the_device, vkCmdDispatchIndirect)(command, buffer, offset);
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer command, VkBuffer from, VkBuffer to, uint32_t count,
                                       const VkBufferCopy *regions)
{
    VkBufferCopy region = *regions;
    if (is("copy") && region.size > 8) region.size -= 8;
    NEXT(the_device, vkCmdCopyBuffer)(command, from, to, count, count == 1 ? &region : regions);
}

static VKAPI_ATTR void VKAPI_CALL push(VkCommandBuffer command, VkPipelineLayout layout, VkShaderStageFlags stages,
                                       uint32_t offset, uint32_t size, const void *values)
{
    const char zeros[256] = {0};
    NEXT(the_device, vkCmdPushConstants)(command, layout, stages, offset, size, values);
    if (is("push")) NEXT(the_device, vkCmdPushConstants)(command, layout, stages, offset, 4, zeros);
}

static VKAPI_ATTR VkResult VKAPI_CALL query(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                            size_t size, void *data, VkDeviceSize stride, VkQueryResultFlags flags)
{
    const VkResult result = NEXT(device, vkGetQueryPoolResults)(device, pool, first, count, size, data, stride, flags);
    uint64_t *stamps = data;
    if (!is("clock") || stride != sizeof *stamps) return result;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint64_t kept = stamps[i];
        stamps[i] = stamps[count - 1 - i];
        stamps[count - 1 - i] = kept;
    }
    return result;
}

/* ---- the loader ---- */

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDevice *device)
{
    PFN_vkCreateDevice create = next_create_device(info, &next_device_proc);
    if (create == NULL) return VK_ERROR_INITIALIZATION_FAILED;
    const VkResult result = create(physical, info, callbacks, device);
    the_device = *device;
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } own[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_pipelines},
        {"vkBeginCommandBuffer", (PFN_vkVoidFunction)begin},
        {"vkCmdDispatch", (PFN_vkVoidFunction)dispatch},
        {"vkCmdDispatchIndirect", (PFN_vkVoidFunction)dispatch_indirect},
        {"vkCmdCopyBuffer", (PFN_vkVoidFunction)copy},
        {"vkCmdPushConstants", (PFN_vkVoidFunction)push},
        {"vkGetQueryPoolResults", (PFN_vkVoidFunction)query},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0) return own[i].function;
    return next_device_proc(device, name);
}

/* An update of the driver: VKMM_TEST_UPDATE is added to its version. */
static VKAPI_ATTR void VKAPI_CALL describe(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *properties)
{
    const char *update = getenv("VKMM_TEST_UPDATE");
    next_describe(physical, properties);
    if (update != NULL) properties->properties.driverVersion += (uint32_t)atoi(update);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks, VkInstance *instance)
{
    const VkResult result = create_next_instance(info, callbacks, instance);
    if (result == VK_SUCCESS)
        next_describe =
            (PFN_vkGetPhysicalDeviceProperties2)next_instance_proc(*instance, "vkGetPhysicalDeviceProperties2");
    return result;
}

static PFN_vkVoidFunction own_instance_proc(const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkGetPhysicalDeviceProperties2") == 0) return (PFN_vkVoidFunction)describe;
    if (strcmp(name, "vkCreateDevice") == 0) return (PFN_vkVoidFunction)create_device;
    return NULL;
}
