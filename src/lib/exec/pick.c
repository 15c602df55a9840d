#include "exec/pick.h"

#include <string.h>

#include "base/log.h"
#include "plan/tuned.h"

/* Nothing particular is requested. */
static int is_automatic(const vkmm_device *device, const vkmm_wish *wish)
{
    int automatic = !wish->kernel || strcmp(wish->kernel, "auto") == 0;
    return device && automatic && !wish->shader && !wish->config && !wish->tile_rows && !wish->tile_cols;
}

/* The result of a tune, if it is legal here. A result that this process has not used yet may be from another machine:
 * it must compute a test product first. */
static vkmm_status choose_tuned(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                                const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, int *chosen)
{
    vkmm_tuned tuned;
    vkmm_wish with = *wish;
    int trusted = 0, right = 1;
    *chosen = 0;
    if (!vkmm_tuned_find(device->instance, info, problem, &tuned, &trusted)) return VKMM_OK;
    with.tuned = &tuned.best;
    vkmm_status status = vkmm_choose(NULL, info, problem, &with, choice);
    if (status != VKMM_OK || !choice->info.tuned)
        return VKMM_OK; /* not legal here: the planner decides, and reports any error */
    if (!trusted) {
        status = vkmm_trial(device, problem, choice, &right);
        if (status == VKMM_OUT_OF_MEMORY) return VKMM_OK; /* no judgement; the planner's choice may still fit */
        vkmm_tuned_judge(device->instance, info, problem, right);
        if (status == VKMM_DEVICE_LOST)
            return vkmm_fail(log, status,
                             "\"%s\" was lost (VK_ERROR_DEVICE_LOST) while the tuned configuration of %s (%s) "
                             "computed a test product: it is discarded",
                             info->name, choice->info.name, choice->info.config);
    }
    if (!right)
        vkmm_say(log, VKMM_LOG_WARNING,
                 "the tuned configuration of %s (%s) computes a wrong test product, or cannot run, on \"%s\": it is "
                 "discarded, and the planner's choice is used",
                 choice->info.name, choice->info.config, info->name);
    *chosen = right;
    return VKMM_OK;
}

vkmm_status vkmm_pick(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                      const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_device_info seen;
    int chosen = 0;
    if (device) {
        seen = *info;
        for (int type = 0; type < VKMM_TYPE_COUNT; type++)
            seen.refused_kernels[type] = atomic_load(&device->refused[type]);
        info = &seen;
    }
    /* On a borrowed device no test product can run. */
    vkmm_status status = is_automatic(device, wish) && !wish->untuned && !device->is_borrowed
                             ? choose_tuned(device, log, info, problem, wish, choice, &chosen)
                             : VKMM_OK;
    if (status != VKMM_OK || chosen) return status;
    return vkmm_choose(log, info, problem, wish, choice);
}

static uint32_t bit_of(const vkmm_kernel *kernel)
{
    uint32_t i = 0;
    while (vkmm_kernel_at(i) && vkmm_kernel_at(i) != kernel) i++;
    return 1u << i;
}

vkmm_status vkmm_pick_plan(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                           const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, vkmm_plan *plan)
{
    const vkmm_type type = problem->type;
    vkmm_held held = {""}, first = {""};
    for (;;) {
        const uint32_t refused = device ? atomic_load(&device->refused[type]) : 0;
        vkmm_status status = vkmm_pick(device, log, info, problem, wish, choice);
        if (status != VKMM_OK || !choice->module) return status;
        vkmm_errors_hold(&held);
        status = vkmm_plan_create(device, choice, plan);
        vkmm_errors_release(&held);
        const uint32_t bit = bit_of(choice->kernel);
        if (status == VKMM_OK) break;
        if (status != VKMM_UNSUPPORTED || refused & bit || !is_automatic(device, wish))
            return vkmm_fail(log, status, "%s", held.sentence);
        atomic_fetch_or(&device->refused[type], bit);
        if (!first.sentence[0]) first = held;
    }
    if (first.sentence[0])
        vkmm_say(log, VKMM_LOG_WARNING, "%s; \"%s\" multiplies with %s instead", first.sentence,
                 device->physical->info.name, choice->info.name);
    return VKMM_OK;
}
