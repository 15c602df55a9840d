#include "look/probe.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "look/peak.h"
#include "vk/command.h"

typedef struct memory {
    vkmm_peak peak; /* from: the input; to: the output */
    vkmm_buffer up, down, groups;
} memory;

int vkmm_probe_exists(const char *module)
{
    return vkmm_module_find(module, VKMM_U32, VKMM_BUILD_PLAIN) != NULL;
}

static vkmm_status create(vkmm_device *device, const vkmm_probe *p, memory *m)
{
    const vkmm_module *module = vkmm_module_find(p->module, VKMM_U32, VKMM_BUILD_PLAIN);
    const uint64_t in = sizeof(uint32_t) * p->in_words, out = sizeof(uint32_t) * p->out_words;
    if (!module) return vkmm_fail(VKMM_UNSUPPORTED, "this build has no shader %s", p->module);
    vkmm_status status = vkmm_buffer_create(device, "a check", in, VKMM_PLACE_DEVICE, &m->peak.from);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", out, VKMM_PLACE_DEVICE, &m->peak.to);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", in, VKMM_PLACE_UPLOAD, &m->up);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a check", out, VKMM_PLACE_DOWNLOAD, &m->down);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(device, "a check", sizeof p->groups, VKMM_PLACE_UPLOAD, &m->groups);
    if (status == VKMM_OK) status = vkmm_peak_create(&m->peak, module, p->constant_count, p->constants);
    if (status != VKMM_OK) return status;
    memcpy(m->up.mapped, p->in, in);
    memcpy(m->groups.mapped, p->groups, sizeof p->groups);
    return VKMM_OK;
}

static void record(vkmm_device *device, const vkmm_probe *p, const memory *m, VkCommandBuffer command)
{
    const VkBufferCopy up = {.size = m->up.bytes}, down = {.size = m->down.bytes};
    const vkmm_pipeline *pipeline = &m->peak.pipeline;
    const vkmm_timer *timer = &m->peak.timer;
    device->table.vkCmdCopyBuffer(command, m->up.handle, m->peak.from.handle, 1, &up);
    device->table.vkCmdFillBuffer(command, m->peak.to.handle, 0, VK_WHOLE_SIZE, p->fill);
    vkmm_command_barrier_all(device, command);
    vkmm_timer_start(device, command, timer);
    vkmm_pipeline_use(device, pipeline, 0, NULL, command);
    for (uint32_t turn = 0; turn == 0 || turn < p->turns; turn++) {
        if (p->indirect)
            vkmm_pipeline_dispatch_indirect(device, pipeline, &turn, sizeof turn, m->groups.handle, 0, command);
        else
            vkmm_pipeline_dispatch(device, pipeline, &turn, sizeof turn, p->groups, command);
        vkmm_command_barrier_all(device, command);
        if (turn == 0) vkmm_timer_mark(device, command, timer, 1);
    }
    vkmm_timer_mark(device, command, timer, 2);
    device->table.vkCmdCopyBuffer(command, m->peak.to.handle, m->down.handle, 1, &down);
    vkmm_command_barrier_all(device, command);
}

vkmm_status vkmm_probe_run(vkmm_device *device, vkmm_probe *probe)
{
    memory m = {.peak = {.device = device, .push_bytes = sizeof(uint32_t)}};
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
        for (uint32_t i = 0; i < VKMM_PROBE_INTERVALS; i++)
            probe->device_ms[i] = vkmm_timer_read(device, &m.peak.timer, i);
    }
    vkmm_peak_destroy(&m.peak);
    vkmm_buffer_destroy(device, &m.groups);
    vkmm_buffer_destroy(device, &m.down);
    vkmm_buffer_destroy(device, &m.up);
    return vkmm_tell(vkmm_device_log(device), status);
}
