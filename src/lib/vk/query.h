/* Timestamps between pieces of work. */
#pragma once

#include "vk/device.h"

enum { VKMM_TIMER_STAMPS = 4 };

typedef struct vkmm_timer {
    VkQueryPool pool; /* VK_NULL_HANDLE: the device has no timestamps, and the calls below do nothing */
    uint32_t stamps;
} vkmm_timer;

/* For so many stamps: VKMM_TIMER_STAMPS are enough for upload, product and download. */
vkmm_status vkmm_timer_create(vkmm_device *device, uint32_t stamps, vkmm_timer *timer);
void vkmm_timer_destroy(vkmm_device *device, vkmm_timer *timer); /* a zeroed timer is legal */

/* Recorded before the work: stamp 0, once in a command buffer. */
void vkmm_timer_start(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer);

/* Recorded after a piece of it: stamp 1, 2, … (below the timer's number), taken when all work recorded before it has
 * ended. Each once. */
void vkmm_timer_mark(vkmm_device *device, VkCommandBuffer command, const vkmm_timer *timer, uint32_t stamp);

/* After the fence: milliseconds between stamps `stamp` and `stamp` + 1, both recorded, or a negative number if the
 * device gave none. */
double vkmm_timer_read(vkmm_device *device, const vkmm_timer *timer, uint32_t stamp);

/* After the fence: milliseconds from *zero, a raw timestamp of the same queue family, to stamp 0; *ms becomes those
 * from there to stamp 1. Negative: not known, as when stamp 1 is not later. If *zero is 0, it becomes stamp 0. */
double vkmm_timer_since(vkmm_device *device, const vkmm_timer *timer, uint64_t *zero, double *ms);

/* Milliseconds between two raw timestamps of which only the low `bits` bits are valid and wrap around; period in
 * nanoseconds per tick. Negative if bits or period are 0 (the device has no timestamps) or both stamps are zero. */
double vkmm_ticks_to_ms(uint64_t start, uint64_t stop, uint32_t bits, double period_ns);
