/* host.h: what every program with Vulkan has, and no example is about: a device, memory, command buffers. An example
 * ends with a message at its first error. */
#ifndef HOST_H
#define HOST_H

#include <vkmatmul_vulkan.h>
#include <vulkan/vulkan.h>

#define VK(call) host_check_vulkan(call, #call)
#define MM(call) host_check_product(call, #call)
void host_check_vulkan(VkResult result, const char *call);
void host_check_product(vkmm_status status, const char *call);
_Noreturn void host_fail(const char *sentence);

/* A device of the application's own, and libvkmatmul's view of it. */
typedef struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice device;
    uint32_t family, timestamp_bits; /* of queues with compute */
    VkQueue queue;
    VkCommandPool pool;
    vkmm_device *lent;
} host;

/* Ready to multiply matrices of a type. */
void host_open(host *h, vkmm_type type);
void host_close(host *h);

/* A storage buffer with memory of its own: on the device, or where the host can use it too, coherently. */
typedef enum host_place { HOST_DEVICE, HOST_MAPPED } host_place;
typedef struct host_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize bytes;
    void *mapped; /* NULL: on the device */
} host_buffer;
host_buffer host_buffer_create(const host *h, VkDeviceSize bytes, host_place place);
void host_buffer_destroy(const host *h, host_buffer *buffer);
vkmm_binding host_whole(const host_buffer *buffer); /* all of it */

VkCommandPool host_pool_create(const host *h);
VkCommandBuffer host_begin(const host *h, VkCommandPool pool); /* one that is being recorded */
void host_run(const host *h, VkCommandBuffer commands);        /* submits it, and waits for it */
void host_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags writes, VkPipelineStageFlags to,
                  VkAccessFlags uses);

/* A compute shader of the application's own: two storage buffers and 16 bytes of push constants. */
typedef struct host_shader {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
} host_shader;
host_shader host_shader_create(const host *h, const uint32_t *words, size_t bytes, const host_buffer *first,
                               const host_buffer *second);
void host_shader_destroy(const host *h, host_shader *shader);
void host_dispatch(VkCommandBuffer commands, const host_shader *shader, uint32_t groups, const uint32_t constants[4]);

/* Reads "--NAME NUMBER", or "--NAME" alone, which is then 1. Returns the only other word, or NULL. */
typedef struct host_option {
    const char *name;
    uint32_t value; /* by default, at first */
    int alone;
} host_option;
const char *host_options(int argc, char **argv, host_option *options, uint32_t count);

/* The i-th number of a sequence, a multiple of 1/128 in [-1, 1). The tests compute the same. */
float host_number(uint32_t i, uint32_t seed);

void host_write(const char *path, const void *data, size_t bytes);

#endif
