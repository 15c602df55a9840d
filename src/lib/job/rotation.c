#include "job/rotation.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

enum {
    ALIGNMENT = 256,
    LEAST_BYTES = 16
}; /* the largest minStorageBufferOffsetAlignment that Vulkan allows; what an empty matrix shows */
#define SUBMIT_BYTES (UINT64_C(256) << 20) /* to copy at a time: short enough for every watchdog */
#define MIB(bytes)   ((double)(bytes) / 1048576.0)

uint64_t vkmm_copy_bytes(uint64_t operand_bytes)
{
    const uint64_t bytes = operand_bytes > LEAST_BYTES ? operand_bytes : LEAST_BYTES;
    return vkmm_round_up(bytes, ALIGNMENT);
}

uint32_t vkmm_copies_for(uint64_t rotating_bytes, uint64_t set_bytes, uint64_t room)
{
    const uint64_t fit = room / set_bytes;
    uint64_t count = rotating_bytes / set_bytes + (rotating_bytes % set_bytes > 0);
    if (count < 2) count = 2;
    if (count > VKMM_MOST_COPIES) count = VKMM_MOST_COPIES;
    if (count - 1 > fit) count = fit + 1;
    return count < 2 ? 0 : (uint32_t)count;
}

static uint64_t set_bytes(const vkmm_job *job)
{
    uint64_t bytes = 0;
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++)
        if (job->stores[operand].buffer.handle) bytes += vkmm_copy_bytes(job->stores[operand].bytes);
    return bytes;
}

static vkmm_status add_buffer(vkmm_job *job, uint64_t bytes)
{
    vkmm_rotation *r = &job->rotation;
    vkmm_buffer *added = vkmm_list_add(&r->buffers, &r->buffer_count, 1, sizeof *added);
    if (!added) return VKMM_NO_MEMORY("for the copies of the operands");
    return vkmm_buffer_create(job->device, "the copies of the operands", bytes, VKMM_PLACE_DEVICE, added);
}

/* Buffers as large as the device allows, filled one after the other: many drivers do not allow a separate buffer for
 * each of thousands of copies. */
static vkmm_status place(vkmm_job *job)
{
    vkmm_rotation *r = &job->rotation;
    const uint64_t limit = vkmm_largest_buffer(&job->device->physical->info);
    uint64_t left = (r->count - 1) * set_bytes(job), at = 0, end = 0;
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++)
        if (job->stores[operand].buffer.handle) r->copies[0].parts[operand] = vkmm_store_part(&job->stores[operand]);
    for (uint32_t i = 1; i < r->count; i++)
        for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++) {
            if (!job->stores[operand].buffer.handle) continue;
            const uint64_t bytes = vkmm_store_part(&job->stores[operand]).bytes, taken = vkmm_copy_bytes(bytes);
            if (at + taken > end) {
                const uint64_t size = left < limit ? left : taken > limit ? taken : limit;
                vkmm_status status = add_buffer(job, size);
                if (status != VKMM_OK) return status;
                at = 0;
                end = size;
            }
            r->copies[i].parts[operand] =
                (vkmm_part){r->buffers[r->buffer_count - 1].handle, at, bytes > LEAST_BYTES ? bytes : LEAST_BYTES};
            at += taken;
            left -= taken;
        }
    return VKMM_OK;
}

static vkmm_status bind(vkmm_job *job)
{
    vkmm_rotation *r = &job->rotation;
    vkmm_status status = vkmm_plan_sets_create(job->device, &job->plan, r->count - 1, &r->sets);
    for (uint32_t i = 1; i < r->count && status == VKMM_OK; i++) {
        vkmm_plan plan = vkmm_plan_with(&job->plan, &r->sets, i - 1);
        vkmm_part parts[VKMM_MAX_BINDING_COUNT] = {r->copies[i].parts[VKMM_A], r->copies[i].parts[VKMM_B],
                                                   r->copies[i].parts[VKMM_C]};
        parts[VKMM_BIAS_PART] = r->copies[i].parts[VKMM_BIAS];
        parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){job->workspace.handle, 0, job->workspace.bytes};
        vkmm_plan_bind(job->device, &plan, parts);
    }
    return status;
}

static vkmm_status create(vkmm_job *job, uint64_t rotating_bytes)
{
    vkmm_rotation *r = &job->rotation;
    const uint64_t bytes = set_bytes(job),
                   room = vkmm_physical_free_bytes(job->device->instance, job->device->physical) / 2;
    r->count = vkmm_copies_for(rotating_bytes, bytes, room);
    if (r->count == 0)
        return vkmm_fail(
            VKMM_OUT_OF_MEMORY,
            "not enough memory for a second copy of the operands: %.1f MiB; half of what \"%s\" has free is %.1f MiB",
            MIB(bytes), job->device->physical->info.name, MIB(room));
    r->copies = vkmm_alloc(r->count, sizeof *r->copies);
    if (!r->copies) return VKMM_NO_MEMORY("for %u copies of the operands", r->count);
    vkmm_status status = place(job);
    if (status == VKMM_OK) status = bind(job);
    if (status == VKMM_OK) r->asked_bytes = rotating_bytes;
    return status;
}

static void record_copy(const vkmm_job *job, const vkmm_copy *from, const vkmm_copy *to, VkCommandBuffer command)
{
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++) {
        const vkmm_part *source = &from->parts[operand], *target = &to->parts[operand];
        const VkBufferCopy region = {source->offset, target->offset, job->stores[operand].bytes};
        if (region.size == 0 || (operand == VKMM_C && !job->stores[operand].input)) continue;
        job->device->table.vkCmdCopyBuffer(command, source->buffer, target->buffer, 1, &region);
    }
}

/* Copies [first, end), in one submission. */
static vkmm_status fill(vkmm_job *job, uint32_t first, uint32_t end)
{
    const vkmm_rotation *r = &job->rotation;
    VkCommandBuffer command = NULL;
    const vkmm_status status = vkmm_command_once(job->device, &command);
    for (uint32_t i = first; i < end && status == VKMM_OK; i++) record_copy(job, &r->copies[0], &r->copies[i], command);
    return vkmm_command_finish(job->device, status, &command);
}

vkmm_status vkmm_rotation_prepare(vkmm_job *job, uint64_t rotating_bytes)
{
    vkmm_rotation *r = &job->rotation;
    vkmm_status status = VKMM_OK;
    if (r->asked_bytes != rotating_bytes) {
        vkmm_rotation_destroy(job->device, r);
        status = create(job, rotating_bytes);
        if (status != VKMM_OK) vkmm_rotation_destroy(job->device, r);
    }
    const uint64_t at_once = SUBMIT_BYTES / set_bytes(job);
    const uint32_t step = at_once < 1 ? 1 : at_once < VKMM_MOST_COPIES ? (uint32_t)at_once : VKMM_MOST_COPIES;
    for (uint32_t i = 1; i < r->count && status == VKMM_OK; i += step)
        status = fill(job, i, i + step < r->count ? i + step : r->count);
    r->next = 0;
    return status;
}

void vkmm_rotation_destroy(vkmm_device *device, vkmm_rotation *rotation)
{
    for (uint32_t i = 0; i < rotation->buffer_count; i++) vkmm_buffer_destroy(device, &rotation->buffers[i]);
    vkmm_plan_sets_destroy(device, &rotation->sets);
    vkmm_free(rotation->buffers);
    vkmm_free(rotation->copies);
    memset(rotation, 0, sizeof *rotation);
}

vkmm_plan vkmm_rotation_turn(vkmm_job *job)
{
    vkmm_rotation *r = &job->rotation;
    if (!job->rotates || r->count == 0) return job->plan;
    const uint32_t turn = r->next;
    r->next = (turn + 1) % r->count;
    return turn == 0 ? job->plan : vkmm_plan_with(&job->plan, &r->sets, turn - 1);
}
