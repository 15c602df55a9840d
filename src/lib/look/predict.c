#include "look/predict.h"

#include <math.h>

#include "base/array.h"

const char *const vkmm_resource_name[VKMM_RESOURCE_COUNT] = {"DRAM bytes",   "L2 bytes", "L1 lines", "shared memory",
                                                             "instructions", "latency",  "barriers"};

enum {
    LINE = 128,
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
    /* The busiest processor's share, times the number of processors, over all. */
    const double uneven =
        t->workgroups > 0 ? ceil(t->workgroups / roofs->processors) * roofs->processors / t->workgroups : 1;

    *p = (vkmm_prediction){.amount = {[VKMM_RESOURCE_DRAM] = dram_bytes(t, roofs),
                                      [VKMM_RESOURCE_L2] = t->l2_bytes,
                                      [VKMM_RESOURCE_LINES] = t->lines,
                                      [VKMM_RESOURCE_SHARED] = t->shared_turns > 0 ? t->shared_turns + t->lines : 0,
                                      [VKMM_RESOURCE_INSTRUCTIONS] = t->instructions,
                                      [VKMM_RESOURCE_LATENCY] = rounds * t->waits,
                                      [VKMM_RESOURCE_BARRIERS] = rounds * t->barriers}};
    p->ms[VKMM_RESOURCE_DRAM] = ms_of(p->amount[VKMM_RESOURCE_DRAM], roofs->dram_bytes_per_s);
    p->ms[VKMM_RESOURCE_L2] = ms_of(p->amount[VKMM_RESOURCE_L2], roofs->l2_bytes_per_s);
    p->ms[VKMM_RESOURCE_LINES] = uneven * ms_of(LINE * p->amount[VKMM_RESOURCE_LINES], roofs->shared_bytes_per_s);
    p->ms[VKMM_RESOURCE_SHARED] = uneven * ms_of(LINE * p->amount[VKMM_RESOURCE_SHARED], roofs->shared_bytes_per_s);
    p->ms[VKMM_RESOURCE_INSTRUCTIONS] =
        uneven * (ms_of(VKMM_TRAFFIC_LANES * t->instructions, roofs->multiply_adds_per_s) +
                  ms_of(t->matrix_adds, roofs->matrix_adds_per_s));
    const vkmm_resource issue = p->ms[VKMM_RESOURCE_SHARED] > p->ms[VKMM_RESOURCE_INSTRUCTIONS]
                                    ? VKMM_RESOURCE_SHARED
                                    : VKMM_RESOURCE_INSTRUCTIONS;
    /* One workgroup alone on a processor: what it issues, then what it waits for. */
    const double issued = p->ms[issue] / uneven * roofs->processors / fmax(t->workgroups, 1);
    const double ahead = fmax(0, t->overlaps * roofs->latency_ms - issued);
    const double waiting = t->waits * roofs->latency_ms + ahead, barriers = t->barriers * roofs->barrier_ms;
    p->ms[VKMM_RESOURCE_BARRIERS] = rounds * barriers;
    p->ms[VKMM_RESOURCE_LATENCY] = t->barriers > 0 ? rounds * (waiting + barriers + issued) : 0;
    for (int r = 0; r < VKMM_RESOURCE_COUNT; r++) {
        if (!(p->ms[r] > p->predicted_ms)) continue;
        p->predicted_ms = p->ms[r];
        p->limiter = (vkmm_resource)r;
    }
    if (p->limiter != VKMM_RESOURCE_LATENCY) return;
    if (issued > waiting + barriers)
        p->limiter = issue;
    else if (barriers > waiting)
        p->limiter = VKMM_RESOURCE_BARRIERS;
}

vkmm_roofs vkmm_roofs_of(const vkmm_device_info *device, double copy, double cache, double multiply_adds)
{
    const int is_cpu = device->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const double fast = cache > copy ? cache : copy;
    const uint32_t processors = device->processors > 0 ? device->processors : 1;
    const double cycle_ms = multiply_adds > 0 ? 1e3 * PROCESSOR_RATE * processors / multiply_adds : 0;

    return (vkmm_roofs){
        .dram_bytes_per_s = copy,
        .l2_bytes_per_s = fast,
        .shared_bytes_per_s = is_cpu ? fast : multiply_adds * LINE / PROCESSOR_RATE,
        .multiply_adds_per_s = multiply_adds,
        .l2_bytes = is_cpu ? 4 << 20 : 40 << 20,
        .latency_ms = is_cpu ? 1e-4 : LATENCY * cycle_ms,
        .barrier_ms = is_cpu ? 1e-4 : BARRIER * cycle_ms,
        .processors = processors,
        .invocations = 2048,
        .registers = 65536,
        .shared_bytes = device->limits.max_shared_bytes,
    };
}
