/* An application's barriers have no effect where this is preloaded; those of libraries that ask for the device's
 * functions have. */
#include <vulkan/vulkan.h>

__attribute__((visibility("default"))) void
vkCmdPipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                     VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *barriers, uint32_t buffer_count,
                     const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images)
{
    (void)commands, (void)from, (void)to, (void)flags, (void)count, (void)barriers, (void)buffer_count, (void)buffers;
    (void)image_count, (void)images;
}
