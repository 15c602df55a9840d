/* Two timestamps around some work. */
#ifndef VKMM_VK_QUERY_H
#define VKMM_VK_QUERY_H

#include "vk/device.h"

typedef struct vkmm_timer {
    VkQueryPool pool; /* VK_NULL_HANDLE: the device has no timestamps, and the calls below do nothing */
} vkmm_timer;

vkmm_status vkmm_timer_create(vkmm_device *device, vkmm_timer *timer);
void vkmm_timer_destroy(vkmm_device *device, vkmm_timer *timer); /* a zeroed timer is legal */

/* Recorded before and after the work, once each in a command buffer. */
void vkmm_timer_start(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer);
void vkmm_timer_stop(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer);

/* After the fence: milliseconds between the two, or a negative number when the device gave none. */
double vkmm_timer_read(vkmm_device *device, const vkmm_timer *timer);

/* Milliseconds between two raw timestamps of which only `bits` bits count and wrap around; period in nanoseconds a tick.
 * Negative when bits or period are 0 (the device cannot tell time) or both stamps are equal to zero. */
double vkmm_ticks_to_ms(uint64_t start, uint64_t stop, uint32_t bits, double period_ns);

#endif
