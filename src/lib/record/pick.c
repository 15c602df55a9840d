/* The kernel for a problem, and its plan. */

#include "base/log.h"
#include "math/problem.h"
#include "record/plan.h"

/* The result of a tune, if it is legal here and the driver can compile its kernel: 1. */
static int choose_tuned(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                        const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_tuned tuned;
    vkmm_wish with = *wish;
    if (!vkmm_tuned_get(device->instance, info, problem, &tuned)) return 0;
    with.tuned = &tuned.best;
    const vkmm_status status = vkmm_choose(info, problem, &with, choice);
    if (status == VKMM_OK && choice->info.tuned)
        return !(vkmm_refused_kernels(info, problem->type) & vkmm_kernel_bit(choice->kernel));
    /* The tutorials' kernels are never tuned. */
    if ((status != VKMM_OK || choice->kernel->tunables) && !atomic_exchange(&device->told_tuned, 1))
        vkmm_say(log, VKMM_LOG_WARNING,
                 "the tuned configuration of %s (%s) is not legal for this product on \"%s\": the planner's choice is "
                 "used",
                 tuned.best.kernel, tuned.best.config, info->name);
    return 0;
}

vkmm_status vkmm_pick(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                      const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice)
{
    uint32_t refused[VKMM_TYPE_COUNT];
    vkmm_device_info seen;
    if (device) {
        for (int type = 0; type < VKMM_TYPE_COUNT; type++) refused[type] = atomic_load(&device->refused[type]);
        seen = *info;
        seen.refused_kernels = refused;
        info = &seen;
    }
    if (device && vkmm_wish_is_open(wish) && !wish->untuned && !vkmm_problem_has_blocks(problem) &&
        choose_tuned(device, log, info, problem, wish, choice))
        return VKMM_OK;
    const vkmm_status status = vkmm_choose(info, problem, wish, choice);
    if (status == VKMM_OK && choice->warning[0]) vkmm_say(log, VKMM_LOG_WARNING, "%s", choice->warning);
    return status;
}

vkmm_status vkmm_pick_plan(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                           const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, vkmm_plan *plan)
{
    const vkmm_type type = problem->type;
    char first[VKMM_SENTENCE_BYTES] = "";
    for (;;) {
        const uint32_t refused = device ? atomic_load(&device->refused[type]) : 0;
        vkmm_status status = vkmm_pick(device, log, info, problem, wish, choice);
        if (status != VKMM_OK || !choice->module) return status;
        status = vkmm_plan_create(device, choice, plan);
        const uint32_t bit = vkmm_kernel_bit(choice->kernel);
        if (status == VKMM_OK) break;
        if (status != VKMM_UNSUPPORTED || refused & bit || !device || !vkmm_wish_is_open(wish)) return status;
        atomic_fetch_or(&device->refused[type], bit);
        if (!first[0]) VKMM_PUT(first, "%s", vkmm_last_error());
    }
    if (first[0])
        vkmm_say(log, VKMM_LOG_WARNING, "%s; \"%s\" multiplies with %s instead", first, device->physical->info.name,
                 choice->info.name);
    return VKMM_OK;
}
