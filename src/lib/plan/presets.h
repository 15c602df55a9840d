/* Configurations that did well on devices at hand, by kind of device. Data for the planner. Private to src/plan. */
#ifndef VKMM_PLAN_PRESETS_H
#define VKMM_PLAN_PRESETS_H

#include "kernel/legal.h"

typedef struct vkmm_preset {
    vkmm_config config; /* its splits are the planner's to set */
    /* blocked alone: */
    double rate;       /* of a processor's multiply-adds, the share that very many invocations reach with it, */
    uint32_t resident; /* workgroups that a processor runs at once, */
    double half;       /* and invocations that reach half of that rate */
} vkmm_preset;

typedef struct vkmm_presets {
    const vkmm_preset *presets; /* the first legal one is the best guess, where the planner has no better rule */
    uint32_t count;
} vkmm_presets;

/* Of a general kernel for a row-major problem on a device. None is checked for what is legal there; the last is
 * legal on every Vulkan device that can run the kernel. */
vkmm_presets vkmm_presets_of(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel);

/* A product is wide where C has more columns than rows; its short side is then M, otherwise N. */
static inline int vkmm_is_wide(const vkmm_problem *problem)
{
    return problem->m < problem->n;
}

static inline uint64_t vkmm_short_side(const vkmm_problem *problem)
{
    return vkmm_is_wide(problem) ? problem->m : problem->n;
}

#endif
