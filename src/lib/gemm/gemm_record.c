/* Recording a gemm, and the packing of its operands: no locks, no allocations, and no messages except from
 * vkmm_gemm_check. */
#include "gemm/gemm.h"

#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"

/* One recording. */
typedef struct recording {
    const vkmm_gemm *gemm;
    const vkmm_gemm_bindings *bindings;
    vkmm_change change; /* of all products except for extents and offsets */
} recording;

static uint32_t product_count(const vkmm_gemm_bindings *bindings)
{
    return bindings->products ? bindings->product_count : 1;
}

/* The recording's index-th product, with all fields filled in. */
static vkmm_gemm_product product_at(const recording *r, uint32_t index)
{
    const vkmm_gemm *gemm = r->gemm;
    vkmm_gemm_product product = {0};
    if (r->bindings->products) product = r->bindings->products[index];
    if (!r->bindings->products || !(gemm->dynamic & VKMM_DYNAMIC_M)) product.m = (uint32_t)gemm->problem.m;
    if (!r->bindings->products || !(gemm->dynamic & VKMM_DYNAMIC_N)) product.n = (uint32_t)gemm->problem.n;
    return product;
}

static int refuse(const char *text, const char *name, unsigned long long value, unsigned long long limit)
{
    vkmm_fail(VKMM_INVALID, text, name, value, limit);
    return 0;
}

/* Whether a recording can bind it: a buffer, an aligned offset, this many bytes. 0: the last error says why not. */
static int can_bind(const vkmm_gemm *gemm, const char *name, const vkmm_binding *binding, uint64_t least)
{
    const uint64_t alignment = gemm->info.offset_alignment,
                   most = gemm->device->physical->info.limits.max_storage_range;
    if (!binding->buffer) return refuse("%s has no buffer; this recording needs it", name, 0, 0);
    if (binding->offset % alignment != 0)
        return refuse("the offset of %s is %llu; it must be a multiple of %llu (minStorageBufferOffsetAlignment)", name,
                      binding->offset, alignment);
    if (binding->bytes < least)
        return refuse("%s has %llu bytes; this recording needs %llu", name, binding->bytes, least);
    if (binding->bytes > most)
        return refuse("%s has %llu bytes; the device binds at most %llu (maxStorageBufferRange)", name, binding->bytes,
                      most);
    return 1;
}

/* Raises need[], the bytes of each operand, to what a product needs: 0 if it is not one of the gemm's. */
static int reach(const recording *r, uint32_t index, uint64_t need[])
{
    static const char *const extent = "%s of a product is %llu; the gemm was created for at most %llu";
    static const char *const names[] = {"offset_a", "offset_b", "offset_c"};
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_gemm_product product = product_at(r, index);
    const uint64_t extents[] = {
        [VKMM_REACH_M] = product.m, [VKMM_REACH_N] = product.n, [VKMM_REACH_K] = gemm->problem.k, [VKMM_REACH_ONE] = 1};
    const uint64_t offsets[] = {product.offset_a, product.offset_b, product.offset_c};
    if (product.m > gemm->problem.m) return refuse(extent, "m", product.m, gemm->problem.m);
    if (product.n > gemm->problem.n) return refuse(extent, "n", product.n, gemm->problem.n);
    if (product.m == 0 || product.n == 0) return 1;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const vkmm_gemm_reach *to = &gemm->reaches[o];
        if (offsets[o] > UINT32_MAX)
            return refuse("%s of a product is %llu; the largest is %llu", names[o], offsets[o], UINT32_MAX);
        if (offsets[o] % to->step != 0)
            return refuse("%s of a product is %llu; it must be a multiple of %llu (offset_step)", names[o], offsets[o],
                          to->step);
        if (extents[to->count] == 0 || extents[to->length] == 0) continue;
        const uint64_t end = to->first + offsets[o] + (extents[to->count] - 1) * to->ld + extents[to->length];
        const uint64_t bytes = end / to->block * to->size;
        if (bytes > need[o]) need[o] = bytes;
    }
    if (gemm->problem.has_bias && product.n * gemm->reaches[VKMM_C].size > need[VKMM_BIAS])
        need[VKMM_BIAS] = product.n * gemm->reaches[VKMM_C].size;
    return 1;
}

/* Fills parts[] for vkmm_plan_bound: 1; 0 if something is missing, too small or misaligned. */
static int gather(const recording *r, const uint64_t need[], vkmm_part parts[])
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_gemm_bindings *b = r->bindings;
    const vkmm_binding *const given[] = {&b->a, &b->b, &b->c, &b->bias};
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const int narrow = gemm->reaches[o == VKMM_BIAS ? VKMM_C : o].size % 4 != 0, which = need[o] ? o : VKMM_C;
        const vkmm_binding *binding = given[which]; /* every binding must be set */
        const char *name = vkmm_operand_name((vkmm_operand)which);
        if (!can_bind(gemm, name, binding, need[o])) return 0;
        if (need[o] && narrow && binding->bytes % 4 != 0)
            return refuse("%s has %llu bytes; types narrower than 32 bits, and blocks, need a multiple of %llu", name,
                          binding->bytes, 4);
        parts[vkmm_operand_part(o)] = (vkmm_part){binding->buffer, binding->offset, binding->bytes};
    }
    const uint64_t workspace = gemm->info.workspace_bytes, scalars = 2 * gemm->info.scalar_bytes;
    if (workspace && !can_bind(gemm, "workspace", &b->workspace, workspace)) return 0;
    if (scalars && !can_bind(gemm, "scalars", &b->scalars, scalars)) return 0;
    parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){b->workspace.buffer, b->workspace.offset, workspace};
    parts[VKMM_SCALARS_PART] = (vkmm_part){b->scalars.buffer, b->scalars.offset, scalars};
    const uint64_t routing = gemm->info.routing_bytes;
    if (routing && !can_bind(gemm, "routing", &b->routing, routing)) return 0;
    parts[VKMM_ROUTING_PART] = (vkmm_part){b->routing.buffer, b->routing.offset, routing};
    return 1;
}

/* What all products share: 1; 0 if α or β is not legal. */
static int scale(recording *r)
{
    static const char *const whole = "%s must be a whole number of 32 bits, because the product is one of integers";
    const vkmm_gemm *gemm = r->gemm;
    vkmm_problem problem = gemm->problem;
    int swapped;
    if (r->bindings->alpha) problem.alpha = *r->bindings->alpha;
    if (r->bindings->beta) problem.beta = *r->bindings->beta;
    if (gemm->info.scalar_bytes > 0) problem.alpha = 1, problem.beta = 0;
    if (!vkmm_scalar_is_legal(problem.type, problem.alpha)) return refuse(whole, "alpha", 0, 0);
    if (!vkmm_scalar_is_legal(problem.type, problem.beta)) return refuse(whole, "beta", 0, 0);
    r->change.seen = vkmm_problem_row_major(&problem, &swapped);
    const vkmm_type type = vkmm_types_scale(vkmm_problem_types(&r->change.seen));
    vkmm_scalar_bits(type, r->change.seen.alpha, r->change.scalars);
    vkmm_scalar_bits(type, r->change.seen.beta, r->change.scalars + 2);
    return 1;
}

/* Records a product after `recorded` others, with which it shares the workspace. */
static uint32_t record_product(const recording *r, uint32_t index, uint32_t recorded, vkmm_recorder *recorder)
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_gemm_product product = product_at(r, index);
    const uint64_t offsets[] = {product.offset_a, product.offset_b, product.offset_c};
    vkmm_change change = r->change;
    if (product.m == 0 || product.n == 0) return 0;
    change.seen.m = gemm->swapped ? product.n : product.m;
    change.seen.n = gemm->swapped ? product.m : product.n;
    for (int o = VKMM_A; o <= VKMM_C; o++)
        change.offsets[o] = (uint32_t)offsets[gemm->swapped && o <= VKMM_B ? VKMM_B - o : o];
    if (gemm->info.workspace_bytes > 0 && recorded > 0) vkmm_plan_record_barrier(gemm->device, recorder->command);
    return vkmm_record(recorder, VKMM_WHEN_EACH, 0, vkmm_plan_items(&gemm->plan), &change);
}

/* Binds the pipelines of a recording; not those of vkmm_gemm_pack. */
static void bind(const vkmm_plan *plan, vkmm_device *device, const vkmm_part *parts,
                 VkDescriptorBufferInfo bound[][VKMM_MAX_BINDINGS])
{
    for (uint32_t i = 0; i < plan->recipe.step_count; i++) {
        const uint32_t pipeline = plan->recipe.steps[i].pipeline;
        if (!(plan->recipe.steps[i].when & VKMM_WHEN_EACH)) continue;
        vkmm_plan_bound(plan, parts, pipeline, bound[pipeline]);
        vkmm_pipeline_bind(device, &plan->pipelines[pipeline], plan->recipe.binding_count, bound[pipeline]);
    }
}

static vkmm_status check_reserved(const vkmm_gemm_bindings *bindings)
{
    VKMM_NEED_ZEROS(bindings->reserved);
    return VKMM_OK;
}

/* Checks a recording and fills parts[]: 1; *empty: there is nothing to record. 0: the last error says why not. */
static int prepare(recording *r, vkmm_part parts[], int *empty)
{
    uint64_t need[VKMM_BIAS + 1] = {0};
    if (check_reserved(r->bindings) != VKMM_OK) return 0;
    if (r->gemm->info.uses_slots && r->bindings->slot >= r->gemm->slots)
        return refuse("%s is %llu; the gemm has %llu", "slot", r->bindings->slot, r->gemm->slots);
    for (uint32_t i = 0; i < product_count(r->bindings); i++)
        if (!reach(r, i, need)) return 0;
    if (!scale(r)) return 0;
    if (r->gemm->experts.count > 0 && (r->bindings->products || r->bindings->beta))
        return refuse("a product by experts has no products and no beta", "", 0, 0);
    *empty = need[VKMM_C] == 0;
    return *empty || gather(r, need, parts);
}

vkmm_status vkmm_gemm_check(const vkmm_gemm *gemm, const vkmm_gemm_bindings *bindings)
{
    VKMM_NEED(NULL, gemm);
    const vkmm_log *log = vkmm_device_log(gemm->device);
    VKMM_NEED(log, bindings);
    recording r = {.gemm = gemm, .bindings = bindings};
    vkmm_part parts[VKMM_PARTS];
    int empty;
    return prepare(&r, parts, &empty) ? VKMM_OK : vkmm_tell(log, VKMM_INVALID);
}

vkmm_status vkmm_gemm_record(const vkmm_gemm *gemm, VkCommandBuffer command, const vkmm_gemm_bindings *bindings)
{
    VKMM_NEED(NULL, gemm);
    VKMM_NEED(NULL, command);
    VKMM_NEED(NULL, bindings);
    recording r = {.gemm = gemm, .bindings = bindings};
    vkmm_part parts[VKMM_PARTS];
    VkDescriptorBufferInfo bound[VKMM_RECIPE_PIPELINES][VKMM_MAX_BINDINGS];
    int empty;
    if (!prepare(&r, parts, &empty)) return VKMM_INVALID;
    if (empty) return VKMM_OK;
    vkmm_plan of_slot;
    vkmm_recorder recorder = {gemm->device, &gemm->plan, command, parts[VKMM_BINDING_WORKSPACE], bound, 0};
    if (gemm->info.uses_slots) {
        of_slot = vkmm_plan_with(&gemm->plan, &gemm->sets, bindings->slot);
        recorder.plan = &of_slot;
    }
    bind(recorder.plan, gemm->device, parts, bound);
    vkmm_plan_record_workspace(gemm->device, &gemm->plan, &recorder.workspace, command);
    for (uint32_t i = 0, recorded = 0; i < product_count(bindings); i++)
        recorded += record_product(&r, i, recorded, &recorder);
    return VKMM_OK;
}

vkmm_status vkmm_gemm_pack(const vkmm_gemm *gemm, VkCommandBuffer command, vkmm_operand operand,
                           const vkmm_binding *from, const vkmm_binding *to, uint32_t slot)
{
    VKMM_NEED(NULL, gemm);
    VKMM_NEED(NULL, command);
    VKMM_NEED(NULL, from);
    VKMM_NEED(NULL, to);
    if ((operand != VKMM_A && operand != VKMM_B) || !(gemm->packed & 1u << operand))
        return vkmm_fail(VKMM_INVALID, "this gemm does not pack operand %d", (int)operand);
    if (gemm->info.uses_slots && slot >= gemm->slots)
        return vkmm_fail(VKMM_INVALID, "slot is %u; the gemm has %u", slot, gemm->slots);
    const vkmm_repack *repack = vkmm_gemm_repack(gemm, operand);
    if (repack->bytes == 0) return VKMM_OK; /* an empty product */
    const uint64_t need = vkmm_whole_words(vkmm_operand_bytes(&gemm->problem, operand));
    if (!can_bind(gemm, "from", from, need) || !can_bind(gemm, "to", to, repack->bytes)) return VKMM_INVALID;
    const vkmm_plan plan = gemm->info.uses_slots ? vkmm_plan_with(&gemm->plan, &gemm->sets, slot) : gemm->plan;
    const vkmm_part parts[] = {{from->buffer, from->offset, from->bytes}, {to->buffer, to->offset, to->bytes}};
    vkmm_plan_record_pack(gemm->device, &plan, (int)(repack - gemm->packs), &parts[0], &parts[1], command);
    return VKMM_OK;
}
