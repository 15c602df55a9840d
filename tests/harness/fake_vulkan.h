/* A Vulkan driver in memory, for tests: what the code under src/ calls, of Vulkan 1.3, with limits as one likes, and
 * calls that fail when told to.
 *  It keeps a record of every object that it hands out, and of every misuse a sentence, a fault: a handle used or
 * destroyed after its end, a parent destroyed before its children, anything destroyed or changed while a command buffer
 * that uses it is in flight, ranges beyond buffers and limits, command buffers and fences in the wrong state, memory
 * mapped twice, objects left over.
 *   Commands do what they say when they are executed: at once, or, `lazy`, not before somebody waits for them. The
 * general kernels and tiled multiply, in plain loops: f32, f64, i32 and u32.
 *   Where Vulkan leaves an output undefined after a failure, it holds a handle of nothing. A lost device stays lost:
 * nothing in flight is executed any more, and what waits or submits says so.
 *   Safe from several threads. */
#pragma once

#include <stdint.h>
#include <vulkan/vulkan_core.h>

/* What the physical devices of the driver are like, all of them; zeros mean what the comments say. Each device made of
 * it is lost by itself. */
typedef struct fake_caps {
    int unified;           /* one kind of memory, which everyone sees; 0: the device's own, and the host's beside it */
    int transfer_family;   /* a queue family for transfers alone, with so many queues */
    int no_timestamps;     /* timestampValidBits is 0 */
    int lazy;              /* nothing is executed before it is waited for, or its fence asked more often than this */
    uint64_t heap_bytes;   /* of each heap; 0: 1 GiB */
    uint64_t budget_bytes; /* what VK_EXT_memory_budget tells; 0: the driver lacks it */
    uint64_t max_allocation_bytes; /* 0: the heap */
    uint64_t max_buffer_bytes;     /* 0: as much as an allocation */
    uint64_t max_storage_range;    /* 0: 2^27 */
    uint32_t max_allocations;      /* 0: 4096 */
    uint32_t api_version;          /* 0: 1.3 */
    int portable;              /* part of Vulkan is missing: what VK_KHR_portability_enumeration lists, and only that */
    int bad_period;            /* timestampPeriod is infinite; 2: 0 */
    int no_broadcast;          /* in subgroups */
    int minimal;               /* 128 invocations, 16 KiB of shared memory */
    int push_descriptors;      /* VK_KHR_push_descriptor; 2: the feature of Vulkan 1.4 alone */
    int featured;              /* all features that the library knows, with one shape of matrix operations */
    uint32_t offset_alignment; /* of storage buffers; 0: 256, the most that Vulkan allows */
    uint32_t devices;          /* physical ones; 0: 1 */
} fake_caps;

/* VkPhysicalDeviceVulkan14Features, which older headers lack, and its VkStructureType. */
typedef struct fake_vulkan14_features {
    VkStructureType type;
    void *next;
    VkBool32 others[20], push_descriptor;
} fake_vulkan14_features;
enum { FAKE_VULKAN14_FEATURES = 55 };

/* A new driver, in place of the one before; ended by fake_end. caps may be NULL. */
void fake_begin(const fake_caps *caps);

/* Counts what is left over as faults, forgets everything, and returns the number of faults since fake_begin. Their
 * sentences stay until the next. */
unsigned fake_end(void);
const char *fake_fault(unsigned index); /* NULL past the end, and past the first 32 */

/* The entry point that finds all others. */
PFN_vkGetInstanceProcAddr fake_loader(void);

/* The n-th call (1: the next) of an entry point, and so many calls in all from then on, fail with this result; "" is
 * any that can fail. NULL: none fails. */
void fake_fail(const char *call, uint64_t n, uint64_t times, VkResult result);
/* Fails the n-th such call of the calling thread alone, once. May be called in any thread. */
void fake_fail_here(const char *call, uint64_t n, VkResult result);
uint64_t fake_failed(void);            /* calls that did, since fake_fail */
uint64_t fake_calls(const char *call); /* made since fake_begin */

/* The entry points that can fail, as the driver has them; NULL past the end. */
const char *fake_fallible(unsigned index);

/* Bytes of device memory allocated now (on the host's side of a device without unified memory alone), and at most
 * since fake_begin. */
uint64_t fake_allocated(void);
uint64_t fake_allocated_on_host(void);
uint64_t fake_most_allocated(void);
