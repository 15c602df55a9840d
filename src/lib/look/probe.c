#include "look/probe.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/table.h"
#include "vk/buffer.h"
#include "vk/command.h"
#include "vk/pipeline.h"
#include "vk/query.h"

typedef struct memory {
    vkmm_buffer in, out, up, down, groups;
    vkmm_pipeline pipeline;
    vkmm_timer timer;
} memory;

int vkmm_probe_exists(const char *module)
{
    return vkmm_module_find(module, VKMM_U32, VKMM_BUILD_PLAIN) != NULL;
}

static vkmm_status create(vkmm_device *device, const vkmm_probe *p, memory *m)
{
    static const uint32_t ids[VKMM_PROBE_CONSTANTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const vkmm_module *module = vkmm_module_find(p->module, VKMM_U32, VKMM_BUILD_PLAIN);
    const uint64_t in = sizeof(uint32_t) * p->in_words, out = sizeof(uint32_t) * p->out_words;
    if (!module) return vkmm_fail(VKMM_UNSUPPORTED, "this build has no shader %s", p->module);
    const vkmm_pipeline_info info = {.words = module->words,
                                     .bytes = module->bytes,
                                     .binding_count = 2,
                                     .push_bytes = sizeof(uint32_t),
                                     .spec_count = p->constant_count,
                                     .spec_ids = ids,
                                     .spec_values = p->constants,
                                     .attempt = "building a pipeline"};
    vkmm_status status = vkmm_buffer_create(device, "a check", in, VKMM_PLACE_DEVICE, &m->in);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", out, VKMM_PLACE_DEVICE, &m->out);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", in, VKMM_PLACE_UPLOAD, &m->up);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", out, VKMM_PLACE_DOWNLOAD, &m->down);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(device, "a check", sizeof p->groups, VKMM_PLACE_UPLOAD, &m->groups);
    if (status == VKMM_OK) status = vkmm_pipeline_create(device, &info, &m->pipeline);
    if (status == VKMM_OK) status = vkmm_timer_create(device, VKMM_PROBE_INTERVALS + 1, &m->timer);
    if (status != VKMM_OK) return status;
    memcpy(m->up.mapped, p->in, in);
    memcpy(m->groups.mapped, p->groups, sizeof p->groups);
    vkmm_pipeline_bind(device, &m->pipeline, 2,
                       (const VkDescriptorBufferInfo[]){{m->in.handle, 0, in}, {m->out.handle, 0, out}});
    return VKMM_OK;
}

static void destroy(vkmm_device *device, memory *m)
{
    vkmm_timer_destroy(device, &m->timer);
    vkmm_pipeline_destroy(device, &m->pipeline);
    vkmm_buffer_destroy(device, &m->groups);
    vkmm_buffer_destroy(device, &m->down);
    vkmm_buffer_destroy(device, &m->up);
    vkmm_buffer_destroy(device, &m->out);
    vkmm_buffer_destroy(device, &m->in);
}

static void record(vkmm_device *device, const vkmm_probe *p, const memory *m, VkCommandBuffer command)
{
    const VkBufferCopy up = {.size = m->in.bytes}, down = {.size = m->out.bytes};
    device->table.vkCmdCopyBuffer(command, m->up.handle, m->in.handle, 1, &up);
    device->table.vkCmdFillBuffer(command, m->out.handle, 0, VK_WHOLE_SIZE, p->fill);
    vkmm_command_barrier_all(device, command);
    vkmm_timer_start(device, command, &m->timer);
    vkmm_pipeline_use(device, &m->pipeline, 0, NULL, command);
    for (uint32_t turn = 0; turn == 0 || turn < p->turns; turn++) {
        if (p->indirect)
            vkmm_pipeline_dispatch_indirect(device, &m->pipeline, &turn, sizeof turn, m->groups.handle, 0, command);
        else
            vkmm_pipeline_dispatch(device, &m->pipeline, &turn, sizeof turn, p->groups, command);
        vkmm_command_barrier_all(device, command);
        if (turn == 0) vkmm_timer_mark(device, command, &m->timer, 1);
    }
    vkmm_timer_mark(device, command, &m->timer, 2);
    device->table.vkCmdCopyBuffer(command, m->out.handle, m->down.handle, 1, &down);
    vkmm_command_barrier_all(device, command);
}

vkmm_status vkmm_probe_run(vkmm_device *device, vkmm_probe *probe)
{
    memory m = {.pipeline.handle = VK_NULL_HANDLE};
    VkCommandBuffer command = NULL;
    vkmm_status status = create(device, probe, &m);
    if (status == VKMM_OK) status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) {
        const double start = vkmm_now_ms();
        record(device, probe, &m, command);
        status = vkmm_command_finish(device, VKMM_OK, &command);
        probe->host_ms = vkmm_now_ms() - start;
    }
    if (status == VKMM_OK) {
        memcpy(probe->out, m.down.mapped, sizeof(uint32_t) * probe->out_words);
        for (uint32_t i = 0; i < VKMM_PROBE_INTERVALS; i++) probe->device_ms[i] = vkmm_timer_read(device, &m.timer, i);
    }
    destroy(device, &m);
    return vkmm_tell(vkmm_device_log(device), status);
}
