#include "look/predict.h"
#include "base/limits.h"

#include <math.h>

const char *const vkmm_resource_name[VKMM_RESOURCE_COUNT] = {"DRAM bytes",   "L2 bytes", "L1 lines", "shared memory",
                                                             "instructions", "latency",  "barriers"};

enum {
    PROCESSOR_RATE = 128,
    LATENCY = 560, /* cycles of a read from memory, and of a barrier: about as on current GPUs */
    BARRIER = 30
};

/* Workgroups that run on one processor at the same time. */
static double resident(const vkmm_traffic *t, const vkmm_roofs *roofs)
{
    double count = floor((double)roofs->invocations / t->invocations);
    count = fmin(count, floor((double)roofs->registers / t->registers / t->invocations));
    if (t->shared_bytes > 0) count = fmin(count, floor((double)roofs->shared_bytes / t->shared_bytes));
    return fmax(count, 1);
}

/* What is read from memory: each matrix once where the cache holds them all; otherwise, for each round of workgroups,
 * the rows of A and the columns of B that these need. */
static double dram_bytes(const vkmm_traffic *t, const vkmm_roofs *roofs)
{
    const double at_once = fmin(roofs->processors * resident(t, roofs), t->workgroups),
                 swizzle = fmin(t->swizzle, t->tiles[0]);
    if (t->memory_bytes <= roofs->l2_bytes || t->workgroups <= 0) return t->memory_bytes;
    const double across = fmin(ceil(at_once / swizzle), t->tiles[1]),
                 down = fmin(swizzle * ceil(at_once / (swizzle * t->tiles[1])), t->tiles[0]);
    const double bytes = t->workgroups / at_once * (down * t->tile_bytes[0] + across * t->tile_bytes[1]);
    return fmax(bytes, t->memory_bytes);
}

static double ms_of(double amount, double per_s)
{
    return per_s > 0 ? 1e3 * amount / per_s : 0;
}

void vkmm_predict(const vkmm_traffic *t, const vkmm_roofs *roofs, vkmm_prediction *p)
{
    const double per_round = roofs->processors * resident(t, roofs), rounds = ceil(t->workgroups / per_round);
    /* The busiest processor's share, times the number of processors, over all; and how many it runs at once. */
    const double most = fmax(ceil(t->workgroups / roofs->processors), 1),
                 uneven = t->workgroups > 0 ? most * roofs->processors / t->workgroups : 1,
                 together = fmin(resident(t, roofs), most);
    *p = (vkmm_prediction){.amount = {[VKMM_RESOURCE_DRAM] = dram_bytes(t, roofs),
                                      [VKMM_RESOURCE_L2] = t->l2_bytes,
                                      [VKMM_RESOURCE_LINES] = t->lines,
                                      [VKMM_RESOURCE_SHARED] = t->shared_turns > 0 ? t->shared_turns + t->lines : 0,
                                      [VKMM_RESOURCE_INSTRUCTIONS] = t->instructions,
                                      [VKMM_RESOURCE_LATENCY] = rounds * t->waits,
                                      [VKMM_RESOURCE_BARRIERS] = rounds * t->barriers}};
    p->ms[VKMM_RESOURCE_DRAM] = ms_of(p->amount[VKMM_RESOURCE_DRAM], roofs->dram_bytes_per_s);
    p->ms[VKMM_RESOURCE_L2] = ms_of(p->amount[VKMM_RESOURCE_L2], roofs->l2_bytes_per_s);
    p->ms[VKMM_RESOURCE_LINES] =
        uneven * ms_of(VKMM_TRAFFIC_LINE * p->amount[VKMM_RESOURCE_LINES], roofs->shared_bytes_per_s);
    p->ms[VKMM_RESOURCE_SHARED] =
        uneven * ms_of(VKMM_TRAFFIC_LINE * p->amount[VKMM_RESOURCE_SHARED], roofs->shared_bytes_per_s);
    p->ms[VKMM_RESOURCE_INSTRUCTIONS] =
        uneven * (ms_of(VKMM_TRAFFIC_LANES * t->instructions, roofs->multiply_adds_per_s) +
                  ms_of(t->matrix_adds, roofs->matrix_adds_per_s));
    const double busy = fmax(p->ms[VKMM_RESOURCE_SHARED], p->ms[VKMM_RESOURCE_INSTRUCTIONS]);
    /* What the workgroups of a processor issue while one of them waits. */
    const double ahead = fmax(0, t->overlaps * roofs->latency_ms - busy / fmax(rounds, 1));
    p->ms[VKMM_RESOURCE_LATENCY] = rounds * (t->waits * roofs->latency_ms + ahead) / together;
    p->ms[VKMM_RESOURCE_BARRIERS] = rounds * t->barriers * roofs->barrier_ms / together;
    for (int r = 0; r < VKMM_RESOURCE_COUNT; r++) {
        if (r < VKMM_RESOURCE_LATENCY) p->predicted_ms = fmax(p->predicted_ms, p->ms[r]);
        if (p->ms[r] > p->ms[p->limiter]) p->limiter = (vkmm_resource)r;
    }
    p->predicted_ms +=
        p->ms[VKMM_RESOURCE_LATENCY] + p->ms[VKMM_RESOURCE_BARRIERS] + t->dispatches * roofs->launch_ms +
        ms_of(t->passed_bytes, t->passed_bytes > roofs->l2_bytes ? roofs->dram_bytes_per_s : roofs->l2_bytes_per_s);
}

vkmm_roofs vkmm_roofs_of(const vkmm_device_info *device, double copy, double cache, double multiply_adds,
                         double launch_ms)
{
    const int is_cpu = vkmm_is_processor(device);
    const double fast = cache > copy ? cache : copy;
    const uint32_t processors = device->processors > 0 ? device->processors : 1;
    const double cycle_ms = multiply_adds > 0 ? 1e3 * PROCESSOR_RATE * processors / multiply_adds : 0;
    return (vkmm_roofs){
        .dram_bytes_per_s = copy,
        .l2_bytes_per_s = fast,
        .shared_bytes_per_s = is_cpu ? fast : multiply_adds * VKMM_TRAFFIC_LINE / PROCESSOR_RATE,
        .multiply_adds_per_s = multiply_adds,
        .l2_bytes = is_cpu ? 4 << 20 : 40 << 20,
        .latency_ms = is_cpu ? 1e-4 : LATENCY * cycle_ms,
        .barrier_ms = is_cpu ? 1e-4 : BARRIER * cycle_ms,
        .launch_ms = launch_ms,
        .processors = processors,
        .invocations = 2048,
        .registers = 65536,
        .shared_bytes = device->limits.max_shared_bytes,
    };
}
