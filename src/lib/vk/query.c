#include "vk/query.h"

#include "vk/vk_result.h"

vkmm_status vkmm_timer_create(vkmm_device *device, uint32_t stamps, vkmm_timer *timer)
{
    const vkmm_device_info *info = &device->physical->info;
    *timer = (vkmm_timer){VK_NULL_HANDLE, stamps};
    if (info->limits.timestamp_bits == 0) return VKMM_OK;
    VkQueryPoolCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = stamps};
    return VKMM_CREATE(device, QueryPool, &create, &timer->pool, "preparing timestamps");
}

void vkmm_timer_destroy(vkmm_device *device, vkmm_timer *timer)
{
    if (timer->pool) device->table.vkDestroyQueryPool(device->handle, timer->pool, NULL);
    timer->pool = VK_NULL_HANDLE;
}

void vkmm_timer_start(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer)
{
    if (!timer->pool) return;
    device->table.vkCmdResetQueryPool(command, timer->pool, 0, timer->stamps);
    device->table.vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, timer->pool, 0);
}

void vkmm_timer_mark(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer, uint32_t stamp)
{
    if (timer->pool)
        device->table.vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer->pool, stamp);
}

double vkmm_ticks_to_ms(uint64_t start, uint64_t stop, uint32_t bits, double period_ns)
{
    if (bits == 0 || !(period_ns > 0) || (start == 0 && stop == 0)) return -1;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (double)((stop - start) & mask) * period_ns * 1e-6;
}

static int read_stamps(vkmm_device *device, const vkmm_timer *timer, uint32_t first, uint64_t stamps[2])
{
    return timer->pool && device->table.vkGetQueryPoolResults(
                              device->handle, timer->pool, first, 2, 2 * sizeof *stamps, stamps, sizeof *stamps,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) == VK_SUCCESS;
}

static double ms_between(const vkmm_device *device, uint64_t start, uint64_t stop)
{
    const vkmm_device_info *info = &device->physical->info;
    return vkmm_ticks_to_ms(start, stop, info->limits.timestamp_bits, info->limits.timestamp_period_ns);
}

double vkmm_timer_read(vkmm_device *device, const vkmm_timer *timer, uint32_t stamp)
{
    uint64_t stamps[2];
    return read_stamps(device, timer, stamp, stamps) ? ms_between(device, stamps[0], stamps[1]) : -1;
}

double vkmm_timer_since(vkmm_device *device, const vkmm_timer *timer, uint64_t *zero, double *ms)
{
    uint64_t stamps[2];
    *ms = read_stamps(device, timer, 0, stamps) ? ms_between(device, stamps[0], stamps[1]) : -1;
    if (!(*ms > 0)) return -1;
    if (*zero == 0) *zero = stamps[0];
    return ms_between(device, *zero, stamps[0]);
}
