/* vkmatmul_memory.h: the part of libvkmatmul's interface for matrices that stay on a device between products. Included
 * by vkmatmul.h, whose rules on errors, ownership and units apply here too.
 *  A vkmm_memory is memory of a device of vkmm_device_create. Its bytes are those that vkmm_operand_bytes counts: a
 * matrix begins at the problem's offset, so that several can share a memory. Only vkmm_memory_write and
 * vkmm_memory_read copy between the host and the device.
 *   Threads. Several threads at once may read a memory, or multiply with it as A, B or bias; while one thread writes
 * it, or multiplies with it as C, no other thread may use it. */
#ifndef VKMATMUL_MEMORY_H
#define VKMATMUL_MEMORY_H

#include "vkmatmul.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vkmm_memory vkmm_memory;

/* Allocates device memory. Its contents are undefined until they are written. bytes may be 0. To be destroyed before
 * the device. */
VKMM_API vkmm_status vkmm_memory_create(vkmm_device *device, uint64_t bytes, vkmm_memory **memory);
VKMM_API void vkmm_memory_destroy(vkmm_memory **memory);

/* Copy `bytes` at `offset` from or to the host, and wait. VKMM_INVALID: they are not within the memory; nothing is
 * copied. After any other failure, some of them may have been. data may be NULL if bytes is 0. */
VKMM_API vkmm_status vkmm_memory_write(vkmm_memory *memory, uint64_t offset, uint64_t bytes, const void *data);
VKMM_API vkmm_status vkmm_memory_read(const vkmm_memory *memory, uint64_t offset, uint64_t bytes, void *data);

/* The product on the device, with the best kernel known; waits until it is done. Each operand is a memory of this
 * device with at least vkmm_operand_bytes; C must differ from the others. NULL is legal as in vkmm_multiply. As with
 * vkmm_multiply, the first call for a problem plans it, and later calls with any memory reuse the plan. There are no
 * panels: an operand above max_storage_range is VKMM_UNSUPPORTED. If the device fails during the product, C is
 * undefined. */
VKMM_API vkmm_status vkmm_memory_multiply(vkmm_device *device, const vkmm_problem *problem, const vkmm_memory *a,
                                          const vkmm_memory *b, const vkmm_memory *bias, vkmm_memory *c);

#ifdef __cplusplus
}
#endif

#endif
