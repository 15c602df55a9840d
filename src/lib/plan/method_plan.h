/* Ways to multiply other than directly (vkmm_method), each in a file of its own. Whatever plans, records or shows a
 * product finds here what it needs of them, and names none. */
#pragma once

#include "plan/recipe.h"

typedef struct vkmm_method_plan {
    vkmm_method method;

    /* Whether it multiplies a problem on a device (NULL: none). NULL: if the problem asks for it. */
    int (*takes)(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish);

    /* As vkmm_choose, of what it takes: its own choice, or that of a direct product, with a warning where it was asked
     * for and is impossible, without one where it would be less precise. */
    vkmm_status (*choose)(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice);

    /* Fills an empty recipe with the pipelines and steps of its choice. */
    vkmm_status (*make)(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);

    /* Replaces the problem of a panel by what the kernel of a choice multiplies, as far as parts of K and sums depend
     * on that. Returns the bytes of the workspace that other steps need, at most. */
    uint64_t (*inside)(const vkmm_choice *choice, vkmm_problem *problem);

    /* The problem of its choice as the caller's operands lie. NULL: vkmm_choice.problem. */
    vkmm_problem *(*lying)(vkmm_choice *choice);

    /* After the steps of VKMM_WHEN_LOOK have found what vkmm_recipe.look holds of A and B: 1 if they need another
     * choice, that of the changed problem and of *again, perhaps a direct product, with a warning. *again borrows
     * from the choice. NULL: nothing depends on A and B. */
    int (*decide)(const vkmm_log *log, const vkmm_device_info *device, const vkmm_choice *choice, const void *found,
                  vkmm_problem *problem, vkmm_wish *again);
} vkmm_method_plan;

/* All of them, as in choose.c. */
extern const vkmm_method_plan vkmm_split_plan, vkmm_modular_plan, vkmm_w8a8_plan;

/* Whether A and B decide on the plan, and the host has to find out how. */
static inline int vkmm_depends_on_data(const vkmm_choice *choice)
{
    return choice->method && choice->method->decide && choice->decisions.bytes == 0;
}
