/* The memory of one matrix: on the device, with guard bands on both sides, and as the host sees it. */
#pragma once

#include "math/matrix.h"
#include "record/plan.h"
#include "vk/buffer.h"

/* Guard bands: bytes before and after each matrix that no kernel may write, filled with the canary. A multiple of
 * every device's minStorageBufferOffsetAlignment (at most 256 by the Vulkan specification). */
enum { VKMM_GUARD_BYTES = 4096 };

/* Stores of a problem: A, B, C and the bias, the values of vkmm_operand. One that the problem does not have is zeroed;
 * the functions below ignore it. */
enum { VKMM_STORE_COUNT = 4 };

typedef struct vkmm_store {
    uint64_t bytes;      /* of the matrix; may be 0 */
    vkmm_buffer buffer;  /* guard, matrix, guard */
    vkmm_buffer staging; /* the host's side, where memory is not unified: for C with its guards, for A and B without */
    void *host;          /* the matrix as the host reads and writes it */
    int input;           /* of C: what the host wrote there is used, so it is uploaded and not covered by a canary */
} vkmm_store;

/* Allocates the memory of all operands of a problem, and fills parts[] for vkmm_plan_bind. Ended by
 * vkmm_stores_destroy, even after a failure. */
vkmm_status vkmm_stores_create(vkmm_device *device, const vkmm_problem *problem, vkmm_store stores[VKMM_STORE_COUNT],
                               vkmm_part parts[VKMM_MAX_BINDING_COUNT]);
void vkmm_stores_destroy(vkmm_device *device, vkmm_store stores[VKMM_STORE_COUNT]); /* zeroed ones are legal */

/* The part that a kernel sees, in whole words. Never empty: an empty matrix shows 16 bytes of guard that no kernel
 * reads. */
vkmm_part vkmm_store_part(const vkmm_store *store);

/* Extends the part of a module that shows guards to `end` in the buffer, that of the guard band behind the matrix, or
 * as far as the device can bind: what a user's shader writes there is found, and what it reads there is a canary. */
void vkmm_part_show_guard(const vkmm_device *device, const vkmm_module *module, uint64_t end, vkmm_part *part);

/* 1 if the host can access all of them directly, so that nothing is copied. A device may give only some matrices such
 * memory. */
int vkmm_stores_all_mapped(const vkmm_store stores[VKMM_STORE_COUNT]);

/* Record the canaries: in [0, VKMM_GUARD_BYTES) and [back, end) of a buffer, whole words; and in the guards of all
 * stores and all of C unless it is an input, with the barrier after them. */
void vkmm_canaries_record(vkmm_device *device, VkBuffer buffer, uint64_t back, uint64_t end, VkCommandBuffer command);
void vkmm_stores_record_poison(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT], VkCommandBuffer command);

/* Record the copies of A, B, the bias and, where it is an input, C to the device, and of C (guards too) back, with
 * the barriers between them and a dispatch. Mapped memory needs only the barriers. */
void vkmm_stores_record_upload(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT], VkCommandBuffer command);
void vkmm_stores_record_download(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT],
                                 VkCommandBuffer command);

/* The first byte in [at, end) of a buffer that is not as the canary has it; `end` if there is none. */
uint64_t vkmm_guard_damage(const char *memory, uint64_t at, uint64_t end);

/* After a download: 1 if both guards of C, and the padding of its last word, are intact; otherwise 0 and the byte
 * distance of the first damage from C's start (negative: before it). */
int vkmm_store_guards_whole(const vkmm_store *c, int64_t *damage);
