/* A product by experts: rows of A, in groups whose sizes lie on the device, each times an expert's matrix of B
 * (vkmm_gemm_params.experts says what it computes; shaders/experts.comp has the steps around the product).
 *
 * Tiles of the kernel must not have rows of two experts. So a step pads the rows of each to whole tiles, in the
 * workspace, and the product runs unchanged on these, except that a table says which matrix of B a row of tiles takes.
 * The number of tiles is at most what m rows can fill, and those without an expert return at once: nothing has to be
 * dispatched indirectly. Sums are f32 in the workspace, so that the last step can scale and add them. The table is
 * bound where a bias or parts of K would be: Vulkan guarantees four storage buffers. */
#include "plan/recipe.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

enum { MOST_GROUPS = UINT16_MAX /* which every device can run */ };

uint64_t vkmm_routing_bytes(const vkmm_experts *e)
{
    const uint64_t lists = e->scatter > 0 ? 2 : e->gather > 0;
    return 4 * (VKMM_ROUTING_COUNTS + e->count + lists * e->outside.m);
}

/* Experts that can have rows. */
static uint64_t used(const vkmm_experts *e)
{
    return e->count < e->outside.m ? e->count : e->outside.m;
}

/* What the kernel is chosen for: a batch of as many rows as each expert has if all have the same. */
static vkmm_problem typical(const vkmm_experts *e)
{
    vkmm_problem p = e->outside;
    p.m = vkmm_divide_up(p.m, used(e));
    p.lda = vkmm_round_up(p.k, 16 / vkmm_type_of(p.type)->bytes);
    p.ldc = vkmm_round_up(p.n, 4);
    p.offset_a = p.offset_c = 0;
    p.batch_count = e->count;
    p.stride_a = p.m * p.lda;
    p.stride_c = p.m * p.ldc;
    p.alpha = 1;
    p.out_type = VKMM_F32;
    return p;
}

static const char *const kernels[] = {"skinny", "coopmat", "blocked"};

/* The one of these that the planner would take. */
static const vkmm_kernel *planned_of_them(const vkmm_device_info *device, const vkmm_problem *each)
{
    const vkmm_kernel *kernel;
    uint32_t refused = vkmm_refused_kernels(device, each->type);
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++) {
        size_t n = 0;
        while (n < VKMM_COUNT(kernels) && strcmp(kernel->name, kernels[n]) != 0) n++;
        if (n == VKMM_COUNT(kernels)) refused |= 1u << i;
    }
    return vkmm_planned_kernel(device, each, refused);
}

static vkmm_status choose_kernel(const vkmm_device_info *device, const vkmm_problem *each, const vkmm_wish *wish,
                                 vkmm_choice *choice)
{
    char config[VKMM_CONFIG_TEXT];
    const vkmm_kernel *planned = planned_of_them(device, each);
    /* A tile of skinny has one row or a few, and each reads the weights again. */
    const int no_skinny = each->m > 1 && planned && strcmp(planned->name, kernels[0]) != 0;
    const int named = wish->kernel && strcmp(wish->kernel, "auto") != 0;
    vkmm_status status = vkmm_fail(VKMM_UNSUPPORTED, "products by experts run with skinny, coopmat and blocked");
    VKMM_PUT(config, "splits=1,%s", wish->config ? wish->config : "");
    for (size_t i = 0; i < VKMM_COUNT(kernels); i++) {
        vkmm_wish with = *wish;
        if (named ? strcmp(wish->kernel, kernels[i]) != 0 : i == 0 && no_skinny) continue;
        with.kernel = kernels[i];
        with.config = config;
        status = vkmm_choose(device, each, &with, choice);
        if (status == VKMM_OK && choice->reduce)
            status = vkmm_fail(VKMM_UNSUPPORTED, "products by experts sum K in one part: splits and tail are 1");
        if (status == VKMM_OK) break;
    }
    return status;
}

static void place(vkmm_range *range, uint64_t bytes, uint64_t *end)
{
    range->at = vkmm_round_up(*end, VKMM_BINDING_ALIGNMENT);
    range->bytes = bytes;
    *end = range->at + bytes;
}

vkmm_status vkmm_choose_experts(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                const vkmm_experts *experts, vkmm_choice *choice)
{
    vkmm_experts e = *experts;
    e.outside = *problem;
    const vkmm_problem each = typical(&e);
    vkmm_status status = vkmm_problem_check(&each);
    if (status == VKMM_OK) status = choose_kernel(device, &each, wish, choice);
    if (status != VKMM_OK) return status;
    vkmm_kernel_info *info = &choice->info;
    vkmm_problem *p = &choice->problem;
    const uint64_t most = device->limits.max_storage_range, tile = info->tile[0];
    e.tiles = (uint32_t)((problem->m + used(&e) * (tile - 1)) / tile);
    p->m = e.tiles * tile;
    p->batch_count = 1;
    p->stride_a = p->stride_c = 0;
    info->items = vkmm_config_tiles(p, &choice->config);
    info->groups[0] = info->items < MOST_GROUPS ? (uint32_t)info->items : MOST_GROUPS;
    place(&e.table, 4 * (3 * (uint64_t)e.tiles + problem->m), &info->workspace_bytes);
    place(&e.rows, p->m * p->lda * vkmm_type_of(p->type)->bytes, &info->workspace_bytes);
    place(&e.sums, p->m * p->ldc * 4, &info->workspace_bytes);
    if (info->workspace_bytes > most || info->items > INT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "the experts' rows need a workspace of %llu bytes; \"%s\" binds at most %llu "
                         "(maxStorageBufferRange)",
                         (unsigned long long)info->workspace_bytes, device->name, (unsigned long long)most);
    choice->experts = e;
    return VKMM_OK;
}

static vkmm_recipe_bind in_workspace(const vkmm_range *range)
{
    return (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, range->at, range->bytes};
}

/* One of the steps of experts.comp, before the step at an index. */
static vkmm_status add(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_experts_step which, uint32_t at,
                       vkmm_recipe *recipe)
{
    static const char *const names[] = {"route", "gather", "scatter"};
    const vkmm_experts *e = &choice->experts;
    const vkmm_problem *out = &e->outside, *p = &choice->problem;
    const int gathers = which == VKMM_EXPERTS_GATHER;
    const uint32_t bytes = vkmm_type_of(p->type)->bytes;
    const uint64_t rows = gathers ? p->m : out->m;
    vkmm_recipe_pipeline *pipeline = &recipe->pipelines[recipe->pipeline_count];
    *pipeline =
        (vkmm_recipe_pipeline){.name = names[which], .module = vkmm_module_find("experts", VKMM_U32, VKMM_BUILD_PLAIN)};
    vkmm_recipe_constant(pipeline, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
    vkmm_recipe_constant(pipeline, VKMM_SPEC_BYTES, bytes);
    vkmm_recipe_constant(pipeline, VKMM_SPEC_OUT, vkmm_stored_as(vkmm_operand_type(out, VKMM_C)));
    vkmm_recipe_constant(pipeline, VKMM_SPEC_EXPERTS, which);
    const vkmm_recipe_bind routing = {VKMM_ROUTING_PART, 0, 0}, table = in_workspace(&e->table);
    const vkmm_recipe_bind binds[][4] = {
        [VKMM_EXPERTS_ROUTE] = {routing, routing, table, table},
        [VKMM_EXPERTS_GATHER] = {{VKMM_A, 0, 0}, routing, in_workspace(&e->rows), table},
        [VKMM_EXPERTS_SCATTER] = {in_workspace(&e->sums), routing, {VKMM_C, 0, 0}, table}};
    memcpy(pipeline->bind, binds[which], sizeof binds[which]);
    const vkmm_experts_push push = {.rows = (uint32_t)out->m,
                                    .count = e->count,
                                    .tile = choice->info.tile[0],
                                    .tiles = e->tiles,
                                    .length = (uint32_t)(gathers ? out->k : out->n),
                                    .ld = (uint32_t)vkmm_operand_ld(out, gathers ? VKMM_A : VKMM_C),
                                    .offset = (uint32_t)(gathers ? out->offset_a : out->offset_c),
                                    .work_ld = (uint32_t)(gathers ? p->lda * bytes / 4 : p->ldc),
                                    .gathered = e->gather,
                                    .scattered = e->scatter};
    vkmm_recipe_step step = {.pipeline = recipe->pipeline_count++,
                             .when = VKMM_WHEN_EACH,
                             .barrier = which == VKMM_EXPERTS_ROUTE ? VKMM_BARRIER_NONE : VKMM_BARRIER_COMPUTE,
                             .groups = {rows < MOST_GROUPS ? (uint32_t)rows : MOST_GROUPS, 1, 1}};
    if (which == VKMM_EXPERTS_ROUTE) step.groups[0] = 1;
    memcpy(step.push, &push, sizeof push);
    return vkmm_recipe_add(recipe, at, &step);
}

vkmm_status vkmm_recipe_experts(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    const vkmm_experts *e = &choice->experts;
    vkmm_status status = vkmm_recipe_product(limits, choice, recipe);
    if (status != VKMM_OK) return status;
    vkmm_recipe_pipeline *product = &recipe->pipelines[0];
    vkmm_recipe_constant(product, VKMM_SPEC_EXPERTS, 1);
    product->bind[VKMM_A] = in_workspace(&e->rows);
    product->bind[VKMM_C] = in_workspace(&e->sums);
    product->bind[VKMM_BINDING_WORKSPACE] = in_workspace(&e->table);
    recipe->steps[0].barrier = VKMM_BARRIER_COMPUTE;
    recipe->steps[0].words.extents = 0; /* the padded rows' */
    if (choice->packs[VKMM_B].bytes > 0) status = vkmm_recipe_packs(limits, choice, "pack", recipe);
    if (status == VKMM_OK) status = add(limits, choice, VKMM_EXPERTS_ROUTE, 0, recipe);
    if (status == VKMM_OK) status = add(limits, choice, VKMM_EXPERTS_GATHER, 1, recipe);
    if (status == VKMM_OK) status = add(limits, choice, VKMM_EXPERTS_SCATTER, recipe->step_count, recipe);
    return status;
}
