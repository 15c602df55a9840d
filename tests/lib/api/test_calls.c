/* Every Vulkan call that can fail fails, the first time it is made, the second, … until a scenario is through without:
 * each time the status that the public header promises, one sentence, nothing left over, nothing misused; and the same
 * scenario works right after it. */
#include <stdio.h>
#include <string.h>

#include "play.h"
#include "vk/loader.h"

enum { MOST = 8 };

#define MEMORY VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY

/* The results that Vulkan lists for a call (1.3, and VK_NV_glsl_shader's), and what may be survived: why. */
static const struct {
    const char *call;
    VkResult results[MOST];
    const char *survived; /* NULL: never */
} table[] = {
    {"vkEnumerateInstanceVersion", {VK_ERROR_OUT_OF_HOST_MEMORY}, NULL},
    {"vkCreateInstance",
     {MEMORY, VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_LAYER_NOT_PRESENT, VK_ERROR_EXTENSION_NOT_PRESENT,
      VK_ERROR_INCOMPATIBLE_DRIVER},
     NULL},
    {"vkEnumeratePhysicalDevices", {MEMORY, VK_ERROR_INITIALIZATION_FAILED}, NULL},
    {"vkEnumerateDeviceExtensionProperties",
     {MEMORY, VK_ERROR_LAYER_NOT_PRESENT},
     "the device is used without extensions"},
    {"vkCreateDevice",
     {MEMORY, VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_FEATURE_NOT_PRESENT,
      VK_ERROR_TOO_MANY_OBJECTS, VK_ERROR_DEVICE_LOST},
     NULL},
    {"vkDeviceWaitIdle", {MEMORY, VK_ERROR_DEVICE_LOST}, "everything was waited for before"},
    {"vkQueueWaitIdle", {MEMORY, VK_ERROR_DEVICE_LOST}, "the fence could not be waited for before"},
    {"vkCreateBuffer", {MEMORY}, NULL},
    {"vkAllocateMemory", {MEMORY, VK_ERROR_TOO_MANY_OBJECTS}, "another type of memory is tried"},
    {"vkBindBufferMemory", {MEMORY}, NULL},
    {"vkMapMemory", {MEMORY, VK_ERROR_MEMORY_MAP_FAILED}, NULL},
    {"vkCreatePipelineCache", {MEMORY}, "pipelines are compiled without a cache"},
    {"vkGetPipelineCacheData", {MEMORY}, "compiled pipelines are not kept"},
    {"vkCreateShaderModule", {MEMORY}, NULL},
    {"vkCreateShaderModule", {VK_ERROR_INVALID_SHADER_NV}, "another kernel is used"},
    {"vkCreateDescriptorSetLayout", {MEMORY}, NULL},
    {"vkCreatePipelineLayout", {MEMORY}, NULL},
    {"vkCreateComputePipelines", {MEMORY}, NULL},
    {"vkCreateComputePipelines", {VK_ERROR_INVALID_SHADER_NV, VK_ERROR_UNKNOWN}, "another kernel is used"},
    {"vkCreateDescriptorPool", {MEMORY, VK_ERROR_FRAGMENTATION}, NULL},
    {"vkAllocateDescriptorSets", {MEMORY, VK_ERROR_FRAGMENTED_POOL, VK_ERROR_OUT_OF_POOL_MEMORY}, NULL},
    {"vkCreateCommandPool", {MEMORY}, NULL},
    {"vkAllocateCommandBuffers", {MEMORY}, NULL},
    {"vkBeginCommandBuffer", {MEMORY}, NULL},
    {"vkEndCommandBuffer", {MEMORY}, NULL},
    {"vkResetCommandPool", {MEMORY}, "the pool is destroyed instead of being used again"},
    {"vkCreateFence", {MEMORY}, NULL},
    {"vkCreateSemaphore", {MEMORY}, NULL},
    {"vkResetFences", {MEMORY}, NULL},
    {"vkGetFenceStatus", {MEMORY, VK_ERROR_DEVICE_LOST}, "the fence is waited for"},
    {"vkWaitForFences", {MEMORY, VK_ERROR_DEVICE_LOST}, NULL},
    {"vkQueueSubmit", {MEMORY, VK_ERROR_DEVICE_LOST}, NULL},
    {"vkCreateQueryPool", {MEMORY}, NULL},
    {"vkGetQueryPoolResults", {MEMORY, VK_ERROR_DEVICE_LOST}, "the host's clock stands in"},
};
enum { ROWS = sizeof table / sizeof table[0] };

/* What the public header says of each result, written down once more. */
static vkmm_status documented(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_MEMORY_MAP_FAILED:
        return VKMM_OUT_OF_MEMORY;
    case VK_ERROR_DEVICE_LOST:
        return VKMM_DEVICE_LOST;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return VKMM_NO_DEVICE;
    default:
        return VKMM_UNSUPPORTED;
    }
}

/* One sentence that says what failed, or, for memory, what it was for. */
static int tells(const play *p, const char *call, VkResult result)
{
    if (strstr(p->sentence, call)) return 1;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return strstr(p->sentence, "driver") != NULL;
    if (result == VK_ERROR_DEVICE_LOST) return strstr(p->sentence, "DEVICE_LOST") != NULL;
    return strstr(p->sentence, "memory") != NULL;
}

/* Plays the scenario with `times` failing calls from the n-th on; for the first result of a row, also undisturbed right
 * after it. 0: the scenario makes fewer calls. */
static int play_failing(const scenario *s, unsigned row, VkResult result, uint64_t n, uint64_t times)
{
    char about[200];
    play p;
    snprintf(about, sizeof about, "%s: %s no. %llu (%llux) gives %d", s->name, table[row].call, (unsigned long long)n,
             (unsigned long long)times, (int)result);
    fake_begin(&s->caps);
    fake_fail(table[row].call, n, times, result);
    scenario_play(s, &p);
    const int failed = fake_failed() > 0;
    expect_no_fault(about);
    expect(!p.leftover, "%s: an output is left that should be NULL, or untouched", about);
    expect(!p.wrong, "%s: a wrong product: %s", about, p.sentence);
    expect(p.forgotten == 0, "%s: a tuning result is lost", about);
    if (p.status == VKMM_OK) {
        expect(p.errors == 0, "%s: survived, but it says \"%s\"", about, p.sentence);
        const int smaller = s->panels && documented(result) == VKMM_OUT_OF_MEMORY;
        expect(!failed || table[row].survived || smaller, "%s: should not be survived", about);
    } else {
        expect(p.status == documented(result), "%s: the status is \"%s\"", about, vkmm_status_name(p.status));
        expect(p.errors == 1 && tells(&p, table[row].call, result), "%s: %u sentences, the last one \"%s\"", about,
               p.errors, p.sentence);
    }
    if (failed && result == table[row].results[0]) play_well(s, about);
    return failed;
}

static void play_row(const scenario *s, unsigned row)
{
    for (int i = 0; i < MOST && table[row].results[i] != VK_SUCCESS; i++) {
        const VkResult result = table[row].results[i];
        for (uint64_t n = 1; play_failing(s, row, result, n, 1) && unexpected() < 20; n++)
            if (i == 0) play_failing(s, row, result, n, UINT32_MAX); /* all from the n-th on */
    }
}

/* Every entry point of the driver that can fail has its row. */
static void check_table(void)
{
    for (unsigned i = 0; fake_fallible(i); i++) {
        int found = 0;
        for (unsigned row = 0; row < ROWS; row++) found |= strcmp(table[row].call, fake_fallible(i)) == 0;
        expect(found, "%s has no row", fake_fallible(i));
    }
}

int main(void)
{
    vkmm_loader_set(fake_loader());
    check_table();
    for (unsigned i = 0; scenario_at(i); i++) {
        play_well(scenario_at(i), scenario_at(i)->name);
        for (unsigned row = 0; row < ROWS && unexpected() < 20; row++) play_row(scenario_at(i), row);
    }
    return unexpected() > 0;
}
