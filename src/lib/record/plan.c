#include "record/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "math/type.h"
#include "vk/command.h"

vkmm_status vkmm_plan_pipeline(vkmm_device *device, const vkmm_choice *choice, const vkmm_recipe *recipe,
                               uint32_t index, int capture, vkmm_pipeline *pipeline)
{
    const vkmm_recipe_pipeline *p = &recipe->pipelines[index];
    const int is_kernel = index == 0 || p->module == choice->edge.module;
    char attempt[80];
    if (is_kernel)
        VKMM_PUT(attempt, "compiling %s for %s", index == 0 ? choice->info.name : choice->edge.info.name,
                 vkmm_type_of(choice->problem.type)->name);
    else
        VKMM_PUT(attempt, "compiling the shader of the step %s", p->name);
    const vkmm_pipeline_info info = {
        .words = p->module->words,
        .bytes = p->module->bytes,
        .binding_count = recipe->binding_count,
        .push_bytes = sizeof(vkmm_push), /* the layout is the same in all pipelines */
        .spec_count = p->spec_count,
        .spec_ids = p->spec_ids,
        .spec_values = p->spec_values,
        .subgroup_size = p->subgroup_size,
        .attempt = attempt,
        .capture_statistics = capture,
        .pushes_sets = choice->terms.pushes_sets,
        .cache = choice->terms.cache,
    };
    return vkmm_pipeline_create(device, &info, pipeline);
}

vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan)
{
    *plan = (vkmm_plan){.info = choice->info, .module = choice->module};
    vkmm_status status = vkmm_recipe_make(&device->physical->info, choice, &plan->recipe);
    for (uint32_t i = 0; i < plan->recipe.pipeline_count && status == VKMM_OK; i++)
        status = vkmm_plan_pipeline(device, choice, &plan->recipe, i, 0, &plan->pipelines[i]);
    if (status != VKMM_OK) vkmm_plan_destroy(device, plan);
    return status;
}

static int is_same(const vkmm_recipe_pipeline *one, const vkmm_recipe_pipeline *other)
{
    const size_t bytes = one->spec_count * sizeof one->spec_ids[0];
    return one->module == other->module && one->spec_count == other->spec_count &&
           one->subgroup_size == other->subgroup_size && memcmp(one->spec_ids, other->spec_ids, bytes) == 0 &&
           memcmp(one->spec_values, other->spec_values, bytes) == 0;
}

int vkmm_plan_fit(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan)
{
    vkmm_recipe other = {0};
    int same = choice->module == plan->module && vkmm_recipe_make(&device->physical->info, choice, &other) == VKMM_OK &&
               other.pipeline_count == plan->recipe.pipeline_count;
    for (uint32_t i = 0; i < other.pipeline_count && same; i++)
        same = is_same(&other.pipelines[i], &plan->recipe.pipelines[i]);
    if (same) {
        vkmm_recipe_destroy(&plan->recipe);
        plan->recipe = other;
        plan->info = choice->info;
    } else {
        vkmm_recipe_destroy(&other);
    }
    return same;
}

void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan)
{
    for (int i = 0; i < VKMM_RECIPE_PIPELINES; i++) vkmm_pipeline_destroy(device, &plan->pipelines[i]);
    vkmm_recipe_destroy(&plan->recipe);
}

void vkmm_plan_bound(const vkmm_plan *plan, const vkmm_part *parts, uint32_t pipeline, VkDescriptorBufferInfo *bound)
{
    for (uint32_t i = 0; i < plan->recipe.binding_count; i++) {
        const vkmm_recipe_bind *bind = &plan->recipe.pipelines[pipeline].bind[i];
        const vkmm_part *part = &parts[bind->part];
        bound[i] = (VkDescriptorBufferInfo){part->buffer, part->offset + bind->at,
                                            bind->bytes > 0 ? bind->bytes : part->bytes};
    }
}

void vkmm_plan_bind(vkmm_device *device, vkmm_plan *plan, const vkmm_part *parts)
{
    VkDescriptorBufferInfo bound[VKMM_MAX_BINDINGS];
    if (plan->info.workspace_bytes > 0) plan->workspace = parts[VKMM_BINDING_WORKSPACE];
    for (uint32_t i = 0; i < plan->recipe.pipeline_count; i++) {
        vkmm_plan_bound(plan, parts, i, bound);
        vkmm_pipeline_bind(device, &plan->pipelines[i], plan->recipe.binding_count, bound);
    }
}

vkmm_status vkmm_plan_sets_create(vkmm_device *device, const vkmm_plan *plan, uint32_t count, vkmm_plan_sets *sets)
{
    count *= plan->recipe.pipeline_count; /* all have the same layout */
    sets->sets = vkmm_alloc(count, sizeof *sets->sets);
    if (!sets->sets) return VKMM_NO_MEMORY("for %u descriptor sets", count);
    return vkmm_pipeline_more_sets(device, &plan->pipelines[0], plan->recipe.binding_count, count, &sets->pool,
                                   sets->sets);
}

void vkmm_plan_sets_destroy(vkmm_device *device, vkmm_plan_sets *sets)
{
    if (sets->pool) device->table.vkDestroyDescriptorPool(device->handle, sets->pool, NULL); /* frees the sets */
    vkmm_free(sets->sets);
    *sets = (vkmm_plan_sets){0};
}

vkmm_plan vkmm_plan_with(const vkmm_plan *plan, const vkmm_plan_sets *sets, uint32_t index)
{
    const uint32_t count = plan->recipe.pipeline_count;
    vkmm_plan other = *plan;
    for (uint32_t i = 0; i < count; i++) other.pipelines[i].set = sets->sets[index * count + i];
    return other;
}

uint64_t vkmm_plan_items(const vkmm_plan *plan)
{
    if (plan->info.groups[0] == 0) return 0;
    return plan->info.items > 0 ? plan->info.items : 1;
}
