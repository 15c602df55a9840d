#include "copy/store.h"

#include <string.h>

#include "math/problem.h"
#include "vk/command.h"

static vkmm_status create(vkmm_device *device, vkmm_operand operand, uint64_t bytes, vkmm_store *store)
{
    const int output = operand == VKMM_C;
    const uint64_t guarded = vkmm_whole_words(bytes) + 2 * VKMM_GUARD_BYTES;
    store->bytes = bytes;
    vkmm_status status =
        vkmm_buffer_create(device, vkmm_operand_name(operand), guarded, VKMM_PLACE_DEVICE, &store->buffer);
    if (status != VKMM_OK) return status;
    if (store->buffer.mapped) {
        char *host = store->host = (char *)store->buffer.mapped + VKMM_GUARD_BYTES;
        for (uint64_t at = bytes; at % 4 != 0; at++) host[at] = vkmm_canary_at(at);
        return VKMM_OK;
    }
    status = vkmm_buffer_create(device, vkmm_operand_name(operand), output ? guarded : vkmm_whole_words(bytes) + 16,
                                output ? VKMM_PLACE_DOWNLOAD : VKMM_PLACE_UPLOAD, &store->staging);
    if (status == VKMM_OK) store->host = (char *)store->staging.mapped + (output ? VKMM_GUARD_BYTES : 0);
    return status;
}

vkmm_status vkmm_stores_create(vkmm_device *device, const vkmm_problem *problem, vkmm_store stores[VKMM_STORE_COUNT],
                               vkmm_part parts[VKMM_MAX_BINDING_COUNT])
{
    vkmm_status status = VKMM_OK;
    for (int o = VKMM_A; o < VKMM_STORE_COUNT && status == VKMM_OK; o++) {
        if (o == VKMM_BIAS && !problem->has_bias) continue;
        status = create(device, (vkmm_operand)o, vkmm_operand_bytes(problem, (vkmm_operand)o), &stores[o]);
        parts[vkmm_operand_part(o)] = vkmm_store_part(&stores[o]);
    }
    return status;
}

void vkmm_stores_destroy(vkmm_device *device, vkmm_store stores[VKMM_STORE_COUNT])
{
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++) {
        vkmm_buffer_destroy(device, &stores[operand].buffer);
        vkmm_buffer_destroy(device, &stores[operand].staging);
        memset(&stores[operand], 0, sizeof stores[operand]);
    }
}

vkmm_part vkmm_store_part(const vkmm_store *store)
{
    return (vkmm_part){.buffer = store->buffer.handle,
                       .offset = VKMM_GUARD_BYTES,
                       .bytes = store->bytes ? vkmm_whole_words(store->bytes) : 16};
}

void vkmm_part_show_guard(const vkmm_device *device, const vkmm_module *module, uint64_t end, vkmm_part *part)
{
    const uint64_t most = device->physical->info.limits.max_storage_range;
    if (module->shows_guards) part->bytes = end - part->offset < most ? end - part->offset : most;
}

/* Where the canaries after a matrix begin, counted from the buffer's start: in the middle of a word, if the matrix ends
 * there. */
static uint64_t back_of(const vkmm_store *store)
{
    return VKMM_GUARD_BYTES + store->bytes;
}

int vkmm_stores_all_mapped(const vkmm_store stores[VKMM_STORE_COUNT])
{
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++)
        if (stores[operand].buffer.handle && !stores[operand].buffer.mapped) return 0;
    return 1;
}

void vkmm_canaries_record(vkmm_device *device, VkBuffer buffer, uint64_t back, uint64_t end, VkCommandBuffer command)
{
    device->table.vkCmdFillBuffer(command, buffer, 0, VKMM_GUARD_BYTES, VKMM_CANARY);
    device->table.vkCmdFillBuffer(command, buffer, back, end - back, VKMM_CANARY);
}

void vkmm_stores_record_poison(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT], VkCommandBuffer command)
{
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++) {
        const vkmm_store *store = &stores[operand];
        /* From the matrix's last word on, of which it may have a part, if the upload follows. */
        const uint64_t back = store->buffer.mapped ? vkmm_whole_words(back_of(store)) : back_of(store) / 4 * 4;
        if (!store->buffer.handle) continue;
        if (operand == VKMM_C && !store->input) /* all of it */
            device->table.vkCmdFillBuffer(command, store->buffer.handle, 0, store->buffer.bytes, VKMM_CANARY);
        else
            vkmm_canaries_record(device, store->buffer.handle, back, store->buffer.bytes, command);
    }
    /* The copies into A, B and C, and the kernel's writes to C, come after the canaries. */
    vkmm_command_barrier_all(device, command);
}

void vkmm_stores_record_upload(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT], VkCommandBuffer command)
{
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT; operand++) {
        uint64_t from = operand == VKMM_C ? VKMM_GUARD_BYTES : 0;
        VkBufferCopy region = {.srcOffset = from, .dstOffset = VKMM_GUARD_BYTES, .size = stores[operand].bytes};
        if (operand == VKMM_C && !stores[operand].input) continue;
        if (stores[operand].staging.handle &&
            region.size > 0) /* mapped: vkQueueSubmit makes the host's writes visible */
            device->table.vkCmdCopyBuffer(command, stores[operand].staging.handle, stores[operand].buffer.handle, 1,
                                          &region);
    }
    if (!vkmm_stores_all_mapped(stores))
        vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void vkmm_stores_record_download(vkmm_device *device, const vkmm_store stores[VKMM_STORE_COUNT],
                                 VkCommandBuffer command)
{
    const vkmm_store *c = &stores[VKMM_C];
    VkBufferCopy region = {.size = c->buffer.bytes};
    if (!c->staging.handle) { /* the canaries are there too */
        vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                             VK_ACCESS_HOST_READ_BIT);
        return;
    }
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    device->table.vkCmdCopyBuffer(command, c->buffer.handle, c->staging.handle, 1, &region);
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

uint64_t vkmm_guard_damage(const char *memory, uint64_t at, uint64_t end)
{
    while (at < end && memory[at] == vkmm_canary_at(at)) at++;
    return at;
}

int vkmm_store_guards_whole(const vkmm_store *c, int64_t *damage)
{
    const char *memory = c->buffer.mapped ? c->buffer.mapped : c->staging.mapped;
    uint64_t at = vkmm_guard_damage(memory, 0, VKMM_GUARD_BYTES);
    if (at == VKMM_GUARD_BYTES) at = vkmm_guard_damage(memory, back_of(c), c->buffer.bytes);
    *damage = (int64_t)at - VKMM_GUARD_BYTES;
    return at == c->buffer.bytes;
}
