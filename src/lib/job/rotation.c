/* Copies of a job's operands that are used in turn. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

enum { ALIGNMENT = 256 };                  /* the largest minStorageBufferOffsetAlignment that Vulkan allows */
#define SUBMIT_BYTES (UINT64_C(256) << 20) /* to copy at a time: short enough for every watchdog */
#define MIB(bytes)   ((double)(bytes) / 1048576.0)

uint64_t vkmm_copy_bytes(uint64_t operand_bytes)
{
    return operand_bytes > 0 ? vkmm_round_up(operand_bytes, ALIGNMENT) : ALIGNMENT;
}

uint32_t vkmm_copies_for(uint64_t rotating_bytes, uint64_t set_bytes, uint64_t room)
{
    const uint64_t fit = room / set_bytes;
    uint64_t count = rotating_bytes / set_bytes + (rotating_bytes % set_bytes > 0);
    if (count < 2) count = 2;
    count = vkmm_least(vkmm_least(count, VKMM_MOST_COPIES) - 1, fit) + 1;
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
    memcpy(r->copies[0].parts, job->parts, sizeof job->parts);
    for (uint32_t i = 1; i < r->count; i++) {
        r->copies[i] = r->copies[0];
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
            r->copies[i].parts[vkmm_operand_part(operand)] =
                (vkmm_part){r->buffers[r->buffer_count - 1].handle, at, bytes};
            at += taken;
            left -= taken;
        }
    }
    return VKMM_OK;
}

static vkmm_status bind(vkmm_job *job)
{
    vkmm_rotation *r = &job->rotation;
    vkmm_status status = vkmm_plan_sets_create(job->device, &job->plan, r->count - 1, &r->sets);
    for (uint32_t i = 1; i < r->count && status == VKMM_OK; i++) {
        vkmm_plan plan = vkmm_plan_with(&job->plan, &r->sets, i - 1);
        vkmm_plan_bind(job->device, &plan, r->copies[i].parts);
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
        const int at = vkmm_operand_part(operand);
        const vkmm_part *source = &from->parts[at], *target = &to->parts[at];
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
