/* A program that lends its device: whatever fails, the library gives back a status and leaves what is not its own as it
 * was. The program reports its own failures as the library does. */
#include <string.h>

#include "play.h"
#include "vk/loader.h"
#include "vk/vk_result.h"
#include "base/log.h"
#include "vkmatmul_vulkan.h"

enum { OPERAND = 1 << 12, WORKSPACE = PLAY_MEMORIES, BYTES = (WORKSPACE + 1) * OPERAND };

typedef struct lender {
    play *p;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *mapped;
    VkPipelineCache cache;
    size_t cache_bytes; /* of the empty one */
    int pushes_sets;    /* push descriptors are enabled: the only extension, or the feature of Vulkan 1.4 */
    uint32_t version;   /* of Vulkan */
    VkCommandPool pool;
    VkCommandBuffer command;
    struct VolkDeviceTable table;
} lender;

#define INSTANCE_FUNCTION(l, name) ((PFN_##name)fake_loader()((l)->instance, #name))

/* What the library never calls on a borrowed device. */
static uint64_t forbidden_calls(void)
{
    static const char *const names[] = {"vkCreateInstance",
                                        "vkDestroyInstance",
                                        "vkCreateDevice",
                                        "vkDestroyDevice",
                                        "vkDeviceWaitIdle",
                                        "vkQueueWaitIdle",
                                        "vkGetDeviceQueue",
                                        "vkQueueSubmit",
                                        "vkCreateBuffer",
                                        "vkDestroyBuffer",
                                        "vkAllocateMemory",
                                        "vkFreeMemory",
                                        "vkMapMemory",
                                        "vkCreateCommandPool",
                                        "vkBeginCommandBuffer",
                                        "vkEndCommandBuffer",
                                        "vkCreateFence",
                                        "vkWaitForFences",
                                        "vkCreateQueryPool",
                                        "vkEnumerateInstanceVersion",
                                        "vkEnumerateInstanceExtensionProperties"};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) count += fake_calls(names[i]);
    return count;
}

/* The first failure of the lender's own calls ends the play. Returns 1 if it goes on. */
static int went(lender *l, VkResult result, const char *call)
{
    const vkmm_log log = play_log(l->p);
    if (l->p->status == VKMM_OK) l->p->status = vkmm_tell(&log, vkmm_check(result, call, "lending"));
    return l->p->status == VKMM_OK;
}
#define WENT(l, name, ...) went(l, (l)->table.name(__VA_ARGS__), #name)

static int make_device(lender *l)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = l->version};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)fake_loader()(NULL, "vkCreateInstance");
    uint32_t count = 1;
    if (!went(l, create(&info, NULL, &l->instance), "vkCreateInstance")) l->instance = NULL;
    if (!l->instance) return 0;
    const VkResult found = INSTANCE_FUNCTION(l, vkEnumeratePhysicalDevices)(l->instance, &count, &l->physical);
    return went(l, found, "vkEnumeratePhysicalDevices");
}

/* Enables what the library asks for. */
static int open_device(lender *l, VkPhysicalDeviceFeatures2 *features, vkmm_requirements *requirements)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    l->p->status = vkmm_requirements_merge(requirements, features);
    info.ppEnabledExtensionNames = vkmm_requirements_extensions(requirements, &info.enabledExtensionCount);
    l->pushes_sets = info.enabledExtensionCount > 0 || l->version > VK_API_VERSION_1_3;
    if (l->p->status != VKMM_OK) return 0;
    const VkResult made = INSTANCE_FUNCTION(l, vkCreateDevice)(l->physical, &info, NULL, &l->device);
    if (!went(l, made, "vkCreateDevice")) l->device = NULL;
    if (l->device) vkmm_loader_fill(INSTANCE_FUNCTION(l, vkGetDeviceProcAddr), l->device, &l->table);
    if (l->device) l->table.vkGetDeviceQueue(l->device, 0, 0, &l->queue);
    return l->device != NULL;
}

static int make_objects(lender *l, int with_cache)
{
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (!WENT(l, vkCreateBuffer, l->device, &buffer, NULL, &l->buffer)) l->buffer = VK_NULL_HANDLE;
    if (!l->buffer) return 0;
    VkPhysicalDeviceMemoryProperties types;
    INSTANCE_FUNCTION(l, vkGetPhysicalDeviceMemoryProperties)(l->physical, &types);
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = 2 * BYTES,
                                         .memoryTypeIndex = types.memoryTypeCount > 1};
    if (!WENT(l, vkAllocateMemory, l->device, &memory, NULL, &l->memory)) l->memory = VK_NULL_HANDLE;
    void *mapped = NULL;
    if (!l->memory || !WENT(l, vkBindBufferMemory, l->device, l->buffer, l->memory, 0) ||
        !WENT(l, vkMapMemory, l->device, l->memory, 0, BYTES, 0, &mapped))
        return 0;
    l->mapped = mapped;
    if (!WENT(l, vkCreateCommandPool, l->device, &pool, NULL, &l->pool)) l->pool = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo command = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = l->pool, .commandBufferCount = 1};
    if (!l->pool || !WENT(l, vkAllocateCommandBuffers, l->device, &command, &l->command)) return 0;
    if (with_cache && !WENT(l, vkCreatePipelineCache, l->device, &cache, NULL, &l->cache)) l->cache = VK_NULL_HANDLE;
    if (l->cache) WENT(l, vkGetPipelineCacheData, l->device, l->cache, &l->cache_bytes, NULL);
    return l->p->status == VKMM_OK;
}

static vkmm_binding binding_of(const lender *l, int index, uint64_t bytes)
{
    return (vkmm_binding){l->buffer, (VkDeviceSize)index * OPERAND, bytes};
}

static void record(lender *l, const vkmm_gemm *gemm)
{
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const vkmm_gemm_bindings bindings = {
        .a = binding_of(l, VKMM_A, info->bytes[VKMM_A]),
        .b = binding_of(l, VKMM_B, info->bytes[VKMM_B]),
        .c = binding_of(l, VKMM_C, info->bytes[VKMM_C]),
        .bias = binding_of(l, VKMM_BIAS, info->bytes[VKMM_BIAS]),
        .workspace = binding_of(l, WORKSPACE, info->workspace_bytes),
    };
    expect(info->workspace_bytes <= OPERAND, "a workspace of %llu bytes", (unsigned long long)info->workspace_bytes);
    if (!WENT(l, vkBeginCommandBuffer, l->command, &begin)) return;
    const uint64_t before = forbidden_calls();
    l->p->status = vkmm_gemm_record(gemm, l->command, &bindings);
    expect(forbidden_calls() == before, "vkmm_gemm_record makes calls that are the lender's");
    if (!WENT(l, vkEndCommandBuffer, l->command)) return;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &l->command};
    if (WENT(l, vkQueueSubmit, l->queue, 1, &submit, VK_NULL_HANDLE) && !WENT(l, vkQueueWaitIdle, l->queue))
        l->table.vkDeviceWaitIdle(l->device);
}

static void check_gemm(lender *l, const vkmm_gemm *gemm)
{
    size_t bytes = 0;
    expect(vkmm_gemm_describe(gemm)->uses_slots != l->pushes_sets, "push descriptors are used only where enabled");
    if (l->cache && WENT(l, vkGetPipelineCacheData, l->device, l->cache, &bytes, NULL))
        expect(bytes > l->cache_bytes, "the lender's pipeline cache is not used");
}

/* A product whose B is packed has a third pipeline. Lines of what is packed are multiples of 128 bytes. */
static void create_packed(lender *l, vkmm_device *device, vkmm_gemm_params params)
{
    vkmm_gemm *gemm = (vkmm_gemm *)l;
    const uint64_t before = forbidden_calls();
    params.job.pack = VKMM_PACK_B;
    l->p->status = vkmm_gemm_create(device, &params, &gemm);
    l->p->leftover |= l->p->status != VKMM_OK && gemm != NULL;
    expect(forbidden_calls() == before, "vkmm_gemm_create makes calls that are the lender's");
    if (l->p->status == VKMM_OK)
        expect(vkmm_gemm_describe(gemm)->bytes[VKMM_B] == 32 * 11 * sizeof(float),
               "11 packed columns of 17 need lines of 128 bytes");
    vkmm_gemm_destroy(l->p->status != VKMM_OK && gemm == (vkmm_gemm *)l ? NULL : &gemm);
}

/* A product with everything, in two passes. */
static void multiply(lender *l, vkmm_device *device)
{
    const vkmm_gemm_params params = {.job.problem =
                                         VKMM_PROBLEM(.m = 13, .n = 11, .k = 17, .op_a = VKMM_OP_T, .lda = 16,
                                                      .ldc = 14, .alpha = 2, .beta = -1, .has_bias = 1),
                                     .job.config = "splits=2"};
    void *memory[PLAY_MEMORIES];
    vkmm_gemm *gemm = (vkmm_gemm *)l;
    const uint64_t before = forbidden_calls();
    l->p->status = vkmm_gemm_create(device, &params, &gemm);
    l->p->leftover |= l->p->status != VKMM_OK && gemm != NULL;
    expect(forbidden_calls() == before, "vkmm_gemm_create makes calls that are the lender's");
    for (int i = 0; i < PLAY_MEMORIES; i++) memory[i] = l->mapped + i * OPERAND;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++)
        fill_operand(&params.job.problem, (vkmm_operand)o, VKMM_INIT_INT, 1, memory[o]);
    memcpy(memory[PLAY_BEFORE], memory[VKMM_C], OPERAND);
    if (l->p->status == VKMM_OK) check_gemm(l, gemm);
    if (l->p->status == VKMM_OK) record(l, gemm);
    if (l->p->status == VKMM_OK) judge_product(l->p, &params.job.problem, memory);
    vkmm_gemm_destroy(l->p->status != VKMM_OK && gemm == (vkmm_gemm *)l ? NULL : &gemm);
    if (l->p->status == VKMM_OK) create_packed(l, device, params);
}

static void lend(lender *l, const VkPhysicalDeviceFeatures2 *features, const vkmm_requirements *requirements)
{
    vkmm_import_params params = {.get_instance_proc_addr = fake_loader(),
                                 .instance = l->instance,
                                 .physical_device = l->physical,
                                 .device = l->device,
                                 .api_version = l->version,
                                 .features = features,
                                 .pipeline_cache = l->cache,
                                 .cache_dir = "",
                                 .log = play_log(l->p)};
    vkmm_device *device = (vkmm_device *)l;
    params.extensions = vkmm_requirements_extensions(requirements, &params.extension_count);
    uint64_t before = forbidden_calls();
    l->p->status = vkmm_device_import(&params, &device);
    l->p->leftover |= l->p->status != VKMM_OK && device != NULL;
    expect(forbidden_calls() == before, "vkmm_device_import makes calls that are the lender's");
    if (l->p->status == VKMM_OK) multiply(l, device);
    before = forbidden_calls();
    if (device != (vkmm_device *)l) vkmm_device_destroy(&device);
    expect(forbidden_calls() == before, "vkmm_device_destroy makes calls that are the lender's");
}

static void close(lender *l)
{
    if (l->device) {
        l->table.vkDestroyPipelineCache(l->device, l->cache, NULL);
        l->table.vkDestroyCommandPool(l->device, l->pool, NULL);
        l->table.vkDestroyBuffer(l->device, l->buffer, NULL);
        l->table.vkFreeMemory(l->device, l->memory, NULL);
        l->table.vkDestroyDevice(l->device, NULL);
    }
    if (l->instance) INSTANCE_FUNCTION(l, vkDestroyInstance)(l->instance, NULL);
}

static void act(play *p, uint32_t version, int with_cache)
{
    lender l = {.p = p, .version = version};
    fake_vulkan14_features of_1_4 = {.type = (VkStructureType)FAKE_VULKAN14_FEATURES, .push_descriptor = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = version > VK_API_VERSION_1_3 ? &of_1_4 : NULL};
    vkmm_requirements *requirements = NULL;
    if (make_device(&l)) {
        const vkmm_requirements_params params = {.get_instance_proc_addr = fake_loader(),
                                                 .instance = l.instance,
                                                 .physical_device = l.physical,
                                                 .api_version = version,
                                                 .log = play_log(p)};
        const uint64_t before = forbidden_calls();
        p->status = vkmm_device_requirements(&params, &requirements);
        expect(forbidden_calls() == before, "vkmm_device_requirements makes calls that are the lender's");
    }
    if (p->status == VKMM_OK && open_device(&l, &features, requirements) && make_objects(&l, with_cache))
        lend(&l, &features, requirements);
    vkmm_requirements_destroy(&requirements);
    close(&l);
}

void act_lender(play *p)
{
    act(p, VK_API_VERSION_1_3, 0);
}

void act_lender_1_4(play *p)
{
    act(p, VK_MAKE_API_VERSION(0, 1, 4, 0), 0);
}

void act_lender_with_cache(play *p)
{
    act(p, VK_API_VERSION_1_3, 1);
}
