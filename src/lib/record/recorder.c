/* The one recorder: from the steps of a recipe to commands. */
#include <string.h>

#include "math/type.h"
#include "record/plan.h"
#include "vk/command.h"

void vkmm_plan_record_barrier(vkmm_device *device, VkCommandBuffer command)
{
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void record_barrier(const vkmm_recorder *r, vkmm_step_barrier barrier)
{
    if (barrier == VKMM_BARRIER_COMPUTE) vkmm_plan_record_barrier(r->device, r->command);
    if (barrier != VKMM_BARRIER_DECISIONS) return;
    vkmm_command_barrier(r->device, r->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

void vkmm_plan_record_workspace(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *workspace,
                                VkCommandBuffer command)
{
    const vkmm_range *decisions = &plan->recipe.decisions;
    if (decisions->bytes == 0) return;
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                         VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    device->table.vkCmdFillBuffer(command, workspace->buffer, workspace->offset + decisions->at, decisions->bytes, 0);
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

vkmm_status vkmm_plan_clear(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *workspace)
{
    VkCommandBuffer command = NULL;
    if (plan->recipe.decisions.bytes == 0) return VKMM_OK;
    const vkmm_status status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) vkmm_plan_record_workspace(device, plan, workspace, command);
    return vkmm_command_finish(device, status, &command);
}

/* Items of a step. */
typedef struct slice {
    uint64_t first, end;
} slice;

static void move(uint32_t *push, uint8_t word, uint32_t by)
{
    if (word > 0) push[word - 1] += by;
}

/* Applies a change to push constants; returns the step's items. */
static uint64_t apply(const vkmm_recorder *r, const vkmm_recipe_step *step, const vkmm_change *change, uint32_t *push)
{
    const vkmm_step_words *words = &step->words;
    vkmm_push *product = (vkmm_push *)push;
    for (int o = VKMM_A; o <= VKMM_C; o++) move(push, words->offsets[o], change->offsets[o]);
    if (words->scalars > 0) memcpy(&push[words->scalars - 1], change->scalars, sizeof change->scalars);
    if (!words->extents) return step->items;
    product->m = (uint32_t)change->seen.m;
    product->n = (uint32_t)change->seen.n;
    if (change->seen.k == 0) product->k = 0, product->splits = 1;
    return vkmm_step_items(&r->device->physical->info, step, product->splits, &change->seen);
}

static void use(vkmm_recorder *r, uint32_t index)
{
    if (r->used == index + 1) return;
    r->used = index + 1;
    vkmm_pipeline_use(r->device, &r->plan->pipelines[index], r->plan->recipe.binding_count,
                      r->bound ? r->bound[index] : NULL, r->command);
}

static void dispatch(vkmm_recorder *r, const vkmm_recipe_step *step, const uint32_t *push, const uint32_t groups[3])
{
    const vkmm_pipeline *pipeline = &r->plan->pipelines[step->pipeline];
    const uint64_t decisions = r->workspace.offset + r->plan->recipe.decisions.at;
    use(r, step->pipeline);
    if (step->decision > 0)
        vkmm_pipeline_dispatch_indirect(r->device, pipeline, push, sizeof(vkmm_push), r->workspace.buffer,
                                        decisions + (step->decision - 1) * sizeof(VkDispatchIndirectCommand),
                                        r->command);
    else
        vkmm_pipeline_dispatch(r->device, pipeline, push, sizeof(vkmm_push), groups, r->command);
}

static void record_step(vkmm_recorder *r, const vkmm_recipe_step *step, slice part, const vkmm_change *change)
{
    uint32_t push[VKMM_PUSH_WORDS], groups[3] = {step->groups[0], step->groups[1], step->groups[2]};
    memcpy(push, step->push, sizeof push);
    if (change) part = (slice){0, apply(r, step, change, push)};
    if (step->words.items > 0) {
        push[step->words.items - 1] = (uint32_t)part.first;
        push[step->words.items] = (uint32_t)part.end;
        if (part.end - part.first < groups[0]) groups[0] = (uint32_t)(part.end - part.first);
    }
    record_barrier(r, step->barrier);
    dispatch(r, step, push, groups);
}

/* The part of a step, which `before` items precede, in a slice of the product: 1; 0: the slice has nothing of it.
 * share: the slice's part of the last step that was cut, of `of` items. */
static int cut(const vkmm_recipe_step *step, slice whole, uint64_t before, slice share, uint64_t of, slice *part)
{
    const uint64_t first = whole.first > before ? whole.first - before : 0,
                   end = whole.end > before ? whole.end - before : 0;
    *part = (slice){0, step->items};
    if (step->cut == VKMM_CUT_ITEMS) *part = (slice){first, end < step->items ? end : step->items};
    if (step->cut == VKMM_CUT_SHARE) *part = (slice){share.first * step->items / of, share.end * step->items / of};
    if (step->cut != VKMM_CUT_NONE) return part->first < part->end;
    return before == 0 ? whole.first == 0 : whole.first < before && before <= whole.end;
}

/* Ends the stamp of a pipeline whose steps are complete. */
static void stamp(const vkmm_recorder *r, uint32_t pipeline)
{
    vkmm_step_stamps *stamps = r->plan->stamps;
    if (stamps->count < VKMM_COUNT(stamps->pipelines)) {
        stamps->pipelines[stamps->count] = (uint8_t)pipeline;
        vkmm_timer_mark(r->device, r->command, &stamps->timer, stamps->count + 1);
    }
    stamps->count++;
}

uint32_t vkmm_record(vkmm_recorder *r, uint32_t when, uint64_t first, uint64_t end, const vkmm_change *change)
{
    const vkmm_recipe *recipe = &r->plan->recipe;
    uint64_t before = 0, of = 1;
    slice share = {0, 0}, part;
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; i < recipe->step_count; i++) {
        const vkmm_recipe_step *step = &recipe->steps[i];
        const int is_recorded = (step->when & when) && cut(step, (slice){first, end}, before, share, of, &part);
        if (step->cut == VKMM_CUT_ITEMS) {
            before += step->items;
            of = step->items;
            share = is_recorded ? part : (slice){0, 0};
        }
        if (!is_recorded) continue;
        if (r->plan->stamps && count > 0 && step->pipeline != last) stamp(r, last);
        record_step(r, step, part, change);
        last = step->pipeline;
        count++;
    }
    if (r->plan->stamps && count > 0) stamp(r, last);
    return count;
}

static vkmm_recorder recorder_of(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    return (vkmm_recorder){.device = device, .plan = plan, .command = command, .workspace = plan->workspace};
}

void vkmm_plan_record_items(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                            VkCommandBuffer command)
{
    vkmm_recorder recorder = recorder_of(device, plan, command);
    if (first < end) vkmm_record(&recorder, VKMM_WHEN_EACH, first, end, NULL);
}

void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    vkmm_plan_record_items(device, plan, 0, vkmm_plan_items(plan), command);
}

void vkmm_plan_record_when(vkmm_device *device, const vkmm_plan *plan, uint32_t when, VkCommandBuffer command)
{
    vkmm_recorder recorder = recorder_of(device, plan, command);
    if (vkmm_record(&recorder, when, 0, 1, NULL) > 0) vkmm_plan_record_barrier(device, command);
}

void vkmm_plan_record_pack(vkmm_device *device, const vkmm_plan *plan, int operand, const vkmm_part *from,
                           const vkmm_part *to, VkCommandBuffer command)
{
    const uint32_t count = plan->recipe.binding_count;
    const vkmm_recipe_step *step = plan->recipe.steps;
    VkDescriptorBufferInfo bound[VKMM_MAX_BINDINGS]; /* every binding must be set */
    while (step->when != VKMM_WHEN_PACK || !step->words.offsets[operand]) step++;
    for (uint32_t i = 0; i < count; i++) {
        const vkmm_part *part = i == VKMM_BINDING_WORKSPACE ? to : from;
        bound[i] = (VkDescriptorBufferInfo){part->buffer, part->offset, part->bytes};
    }
    const vkmm_pipeline *pipeline = &plan->pipelines[step->pipeline];
    vkmm_pipeline_bind(device, pipeline, count, bound);
    vkmm_pipeline_use(device, pipeline, count, bound, command);
    vkmm_pipeline_dispatch(device, pipeline, step->push, sizeof step->push, step->groups, command);
}

void vkmm_plan_record_nothing(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    static const uint32_t groups[3] = {1, 1, 1};
    for (uint32_t i = 0; i < plan->recipe.step_count; i++) {
        const vkmm_recipe_step *step = &plan->recipe.steps[i];
        uint32_t push[VKMM_PUSH_WORDS];
        if (!step->words.items) continue;
        memcpy(push, step->push, sizeof push);
        push[step->words.items - 1] = push[step->words.items] = 0;
        if (step->barrier) vkmm_plan_record_barrier(device, command); /* validation cannot know that nothing is read */
        vkmm_pipeline_use(device, &plan->pipelines[step->pipeline], 0, NULL, command);
        vkmm_pipeline_dispatch(device, &plan->pipelines[step->pipeline], push, sizeof push, groups, command);
    }
}
