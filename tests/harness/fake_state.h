/* The inside of the fake driver. Private to fake_*.c. */
#pragma once

#include "fake_vulkan.h"

#include <stddef.h>

#include "kernel/contract.h"
#include "kernel/table.h"
#include "vk/optional.h"

/* Every entry point: those that can fail, and the others. */
#define FAKE_FALLIBLE(X)                    \
    X(vkEnumerateInstanceVersion)           \
    X(vkCreateInstance)                     \
    X(vkEnumeratePhysicalDevices)           \
    X(vkEnumerateDeviceExtensionProperties) \
    X(vkCreateDevice)                       \
    X(vkDeviceWaitIdle)                     \
    X(vkQueueWaitIdle)                      \
    X(vkCreateBuffer)                       \
    X(vkAllocateMemory)                     \
    X(vkBindBufferMemory)                   \
    X(vkMapMemory)                          \
    X(vkCreatePipelineCache)                \
    X(vkGetPipelineCacheData)               \
    X(vkCreateShaderModule)                 \
    X(vkCreateDescriptorSetLayout)          \
    X(vkCreatePipelineLayout)               \
    X(vkCreateComputePipelines)             \
    X(vkCreateDescriptorPool)               \
    X(vkAllocateDescriptorSets)             \
    X(vkCreateCommandPool)                  \
    X(vkAllocateCommandBuffers)             \
    X(vkBeginCommandBuffer)                 \
    X(vkEndCommandBuffer)                   \
    X(vkResetCommandPool)                   \
    X(vkCreateFence)                        \
    X(vkCreateSemaphore)                    \
    X(vkResetFences)                        \
    X(vkGetFenceStatus)                     \
    X(vkWaitForFences)                      \
    X(vkQueueSubmit)                        \
    X(vkCreateQueryPool)                    \
    X(vkGetQueryPoolResults)

#define FAKE_OTHERS(X)                                                    \
    X(vkGetInstanceProcAddr)                                              \
    X(vkEnumerateInstanceExtensionProperties)                             \
    X(vkDestroyInstance)                                                  \
    X(vkGetPhysicalDeviceProperties2)                                     \
    X(vkGetPhysicalDeviceFeatures2)                                       \
    X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)                  \
    X(vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV) \
    X(vkGetPhysicalDeviceMemoryProperties)                                \
    X(vkGetPhysicalDeviceMemoryProperties2)                               \
    X(vkGetPhysicalDeviceQueueFamilyProperties)                           \
    X(vkGetDeviceProcAddr)                                                \
    X(vkDestroyDevice)                                                    \
    X(vkGetDeviceQueue)                                                   \
    X(vkDestroyBuffer)                                                    \
    X(vkGetBufferMemoryRequirements)                                      \
    X(vkFreeMemory)                                                       \
    X(vkUnmapMemory)                                                      \
    X(vkDestroyPipelineCache)                                             \
    X(vkDestroyShaderModule)                                              \
    X(vkDestroyDescriptorSetLayout)                                       \
    X(vkDestroyPipelineLayout)                                            \
    X(vkDestroyPipeline)                                                  \
    X(vkDestroyDescriptorPool)                                            \
    X(vkUpdateDescriptorSets)                                             \
    X(vkDestroyCommandPool)                                               \
    X(vkDestroyFence)                                                     \
    X(vkDestroySemaphore)                                                 \
    X(vkDestroyQueryPool)                                                 \
    X(vkCmdPipelineBarrier)                                               \
    X(vkCmdCopyBuffer)                                                    \
    X(vkCmdFillBuffer)                                                    \
    X(vkCmdBindPipeline)                                                  \
    X(vkCmdBindDescriptorSets)                                            \
    X(vkCmdPushConstants)                                                 \
    X(vkCmdPushDescriptorSetKHR)                                          \
    X(vkCmdDispatch)                                                      \
    X(vkCmdResetQueryPool)                                                \
    X(vkCmdWriteTimestamp)

typedef enum fake_call {
#define X(name) FAKE_##name,
    FAKE_FALLIBLE(X) FAKE_FALLIBLE_COUNT,
    FAKE_INFALLIBLE = FAKE_FALLIBLE_COUNT - 1,
    FAKE_OTHERS(X)
#undef X
        FAKE_CALL_COUNT
} fake_call;

/* All are fake_NAME, of the type that Vulkan gives NAME. */
#define X(name) __typeof__(*(PFN_##name)0) fake_##name;
FAKE_FALLIBLE(X)
FAKE_OTHERS(X)
#undef X

typedef enum fake_kind {
    FAKE_INSTANCE,
    FAKE_PHYSICAL, /* those that nobody destroys: they end with their parent, as queues, command buffers and sets do */
    FAKE_DEVICE,
    FAKE_QUEUE,
    FAKE_MEMORY,
    FAKE_BUFFER,
    FAKE_CACHE,
    FAKE_SHADER,
    FAKE_SET_LAYOUT,
    FAKE_LAYOUT,
    FAKE_PIPELINE,
    FAKE_DESCRIPTOR_POOL,
    FAKE_SET,
    FAKE_COMMAND_POOL,
    FAKE_COMMAND,
    FAKE_FENCE,
    FAKE_SEMAPHORE,
    FAKE_QUERIES,
    FAKE_KIND_COUNT
} fake_kind;

typedef enum fake_what { FAKE_COPY, FAKE_FILL, FAKE_DISPATCH, FAKE_RESET, FAKE_STAMP } fake_what;

enum { FAKE_PUSH_BYTES = 128, FAKE_BINDINGS = 8, FAKE_CONSTANTS = 64, FAKE_QUERY_COUNT = 256 };

/* One recorded command; ids of objects, 0 for none. */
typedef struct fake_step {
    fake_what what;
    uint64_t from, to; /* buffers of COPY; FILL has `to` */
    uint64_t from_offset, to_offset, bytes;
    uint32_t word;
    uint64_t pipeline, set; /* of DISPATCH */
    uint32_t groups[3];
    unsigned char push[FAKE_PUSH_BYTES];
    uint64_t queries; /* of RESET and STAMP */
    uint32_t first, count;
} fake_step;

typedef enum fake_state { FAKE_INITIAL, FAKE_RECORDING, FAKE_EXECUTABLE, FAKE_PENDING, FAKE_INVALID } fake_state;

typedef struct fake_binding {
    uint64_t buffer, offset, bytes; /* buffer 0: not written yet */
} fake_binding;

typedef struct fake_object {
    fake_kind kind;
    uint64_t id, parent; /* parent 0: none */
    int alive;
    union {
        struct {
            unsigned char *data;
            uint64_t bytes;
            uint32_t type;
            int mapped;
        } memory;
        struct {
            uint64_t bytes, memory, offset;
            int shared;      /* between queue families */
            uint32_t family; /* that uses it, plus 1; 0: none has yet */
        } buffer;
        struct {
            uint32_t family;
        } queue;
        struct {
            uint64_t bytes;
        } cache;
        const vkmm_module *shader;
        struct {
            uint32_t bindings, push_bytes; /* a pipeline layout has both */
            int pushes_sets;
        } layout;
        struct {
            const vkmm_module *module;
            uint32_t bindings, push_bytes, constants[FAKE_CONSTANTS];
        } pipeline;
        struct {
            uint32_t sets, descriptors; /* left */
        } pool;
        struct {
            uint32_t count;
            fake_binding bindings[FAKE_BINDINGS];
        } set;
        uint32_t family; /* of a command pool */
        int lost;        /* a device */
        struct {
            fake_state state;
            uint32_t family;
            fake_step *steps; /* owned */
            uint32_t count, capacity;
            uint64_t pipeline, set; /* bound */
            uint32_t pushed;        /* bytes */
            unsigned char push[FAKE_PUSH_BYTES];
        } command;
        struct {
            int signaled, pending, polled;
        } fence;
        int signaled; /* a semaphore: by something that was submitted, and nothing waits for it yet */
        struct {
            uint32_t count;
            int state[FAKE_QUERY_COUNT]; /* 0: neither, 1: reset, 2: written */
            uint64_t stamps[FAKE_QUERY_COUNT];
        } queries;
    };
} fake_object;

/* Work handed to a queue and not yet executed, or not yet known to be; without a command, a semaphore alone. Queues
 * wait for each other at semaphores only. */
typedef struct fake_submission {
    uint64_t queue, command, fence, signals, waits;
    int executed;
} fake_submission;

typedef struct fake_driver {
    fake_caps caps;        /* zeros replaced by what they mean */
    fake_object **objects; /* by id; owned */
    uint32_t count, capacity;
    fake_submission *submissions; /* in order; owned */
    uint32_t submitted, submission_capacity;
    uint64_t heap_used[2], most_used, allocations;
    int pushes_sets; /* push descriptors are enabled: as caps.push_descriptors */
} fake_driver;

extern fake_driver fake; /* under the lock of FAKE_ENTER */

/* ---- Calls ---- */

/* The result with which the call is to fail, or VK_SUCCESS. on: a device or a queue; NULL: of no matter. */
VkResult fake_enter(fake_call call, const void *on);
void fake_leave(const VkResult *failure);

/* First in each entry point: counts the call, and holds the lock until it returns. */
#define FAKE_ENTER_AT(name, handle) \
    const VkResult failure __attribute__((cleanup(fake_leave), unused)) = fake_enter(FAKE_##name, handle)
#define FAKE_ENTER(name)         FAKE_ENTER_AT(name, NULL)
#define FAKE_ENTER_OR_FAIL(name) FAKE_ENTER_ON(name, NULL)
/* Likewise for a call that can lose a device. */
#define FAKE_ENTER_ON(name, handle) \
    FAKE_ENTER_AT(name, handle);    \
    if (failure != VK_SUCCESS) return failure
/* Likewise for one that makes a handle, which is of nothing after a failure. */
#define FAKE_ENTER_OR_SPOIL(name, type, out) \
    FAKE_ENTER(name);                        \
    if (failure != VK_SUCCESS) {             \
        *(out) = (type)(uintptr_t)0xbadc0de; \
        return failure;                      \
    }

/* ---- Objects ---- */

void fake_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
fake_object *fake_make(fake_kind kind, uint64_t parent);

/* The object behind a handle; NULL, after a complaint that names the call, when there is none, it has ended, or it
 * is of another kind. */
fake_object *fake_find(uint64_t handle, fake_kind kind, const char *call);
#define FAKE_FIND(handle, kind)   fake_find((uint64_t)(uintptr_t)(handle), kind, __func__)
#define FAKE_HANDLE(type, object) ((type)(uintptr_t)(object)->id)

/* An object of a device, whose handle is looked for as by FAKE_FIND. */
fake_object *fake_make_on(VkDevice device, fake_kind kind, const char *call);
#define FAKE_MAKE_ON(device, kind) fake_make_on(device, kind, __func__)

/* Without a complaint: NULL when it is not, or no more. */
fake_object *fake_alive(uint64_t id);

/* Ends an object, what ends with it, and the validity of command buffers that use it. Complains where one in flight
 * does, or children are left. */
void fake_destroy(uint64_t handle, fake_kind kind, const char *call);
#define FAKE_DESTROY(handle, kind) fake_destroy((uint64_t)(uintptr_t)(handle), kind, __func__)

/* vkDestroyNAME of an object that needs nothing else. */
#define FAKE_DEFINE_DESTROY(name, kind)                                                \
    VKAPI_ATTR void VKAPI_CALL fake_vkDestroy##name(VkDevice device, Vk##name handle,  \
                                                    const VkAllocationCallbacks *with) \
    {                                                                                  \
        (void)with;                                                                    \
        FAKE_ENTER(vkDestroy##name);                                                   \
        FAKE_FIND(device, FAKE_DEVICE);                                                \
        FAKE_DESTROY(handle, kind);                                                    \
    }

/* vkCreateNAME and vkDestroyNAME of an object of a device. What follows is a function's body, which completes `made` as
 * `info` says. */
#define FAKE_DEFINE_CREATE(name, kind)                                                                    \
    FAKE_DEFINE_DESTROY(name, kind)                                                                       \
    static void fake_create##name(const Vk##name##CreateInfo *info, fake_object *made);                   \
    VKAPI_ATTR VkResult VKAPI_CALL fake_vkCreate##name(VkDevice device, const Vk##name##CreateInfo *info, \
                                                       const VkAllocationCallbacks *with, Vk##name *out)  \
    {                                                                                                     \
        FAKE_ENTER_OR_SPOIL(vkCreate##name, Vk##name, out);                                               \
        fake_object *made = FAKE_MAKE_ON(device, kind);                                                   \
        fake_create##name(info, made);                                                                    \
        *out = FAKE_HANDLE(Vk##name, made);                                                               \
        return VK_SUCCESS;                                                                                \
    }                                                                                                     \
    static void fake_create##name(const Vk##name##CreateInfo *info, fake_object *made)

/* Command buffers that use the object: those in flight are a complaint (in words: "destroyed"), others become
 * invalid. */
void fake_touch(const fake_object *object, const char *how, const char *call);

/* ---- Memory and work ---- */

/* `bytes` of a buffer from an offset on, to be used by `call`; NULL after a complaint. */
unsigned char *fake_bytes(uint64_t buffer, uint64_t offset, uint64_t bytes, const char *call);

uint32_t fake_family_count(void);
void fake_execute(const fake_object *command);
void fake_run_kernel(const fake_step *step, const fake_object *pipeline, const fake_object *set);

/* Executes everything submitted up to the fence (0: everything of the device), and takes it as known to have ended;
 * without executing, where its device is lost. */
void fake_retire(uint64_t fence, const fake_object *device);

/* The device that an object belongs to, or is; NULL: none. */
fake_object *fake_device_of(uint64_t id);
