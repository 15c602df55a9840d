/* Recording a gemm: no locks, no allocations, no messages. */
#include "exec/gemm.h"
#include "math/problem.h"
#include "math/type.h"

/* One recording. */
typedef struct recording {
    const vkmm_gemm *gemm;
    const vkmm_gemm_bindings *bindings;
    vkmm_problem seen; /* by the kernel, with the largest extents */
    vkmm_push push;    /* of all products but for extents and offsets */
    VkCommandBuffer command;
    VkDescriptorBufferInfo bound[VKMM_PLAN_PACKING + 1][VKMM_MAX_BINDINGS]; /* by pass */
    vkmm_pipeline passes[VKMM_PLAN_PACKING + 1];
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

int vkmm_gemm_can_bind(const vkmm_gemm *gemm, const vkmm_binding *binding, uint64_t least)
{
    return binding->buffer && binding->offset % gemm->info.offset_alignment == 0 && binding->bytes >= least &&
           binding->bytes <= gemm->device->physical->info.max_storage_range;
}

/* Raises need[], the bytes of each operand, to what a product needs: 0 if no binding can be that large. */
static int reach(const recording *r, uint32_t index, uint64_t need[])
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_gemm_product product = product_at(r, index);
    const uint64_t extents[] = {
        [VKMM_REACH_M] = product.m, [VKMM_REACH_N] = product.n, [VKMM_REACH_K] = gemm->problem.k, [VKMM_REACH_ONE] = 1};
    const uint64_t offsets[] = {product.offset_a, product.offset_b, product.offset_c};
    if (product.m > gemm->problem.m || product.n > gemm->problem.n) return 0;
    if (product.m == 0 || product.n == 0) return 1;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const vkmm_gemm_reach *to = &gemm->reaches[o];
        if (offsets[o] > UINT32_MAX || offsets[o] % to->step != 0) return 0;
        if (extents[to->count] == 0 || extents[to->length] == 0) continue;
        const uint64_t end = to->first + offsets[o] + (extents[to->count] - 1) * to->ld + extents[to->length];
        if (end * to->size > need[o]) need[o] = end * to->size;
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
        const int narrow = gemm->reaches[o == VKMM_BIAS ? VKMM_C : o].size < 4;
        const vkmm_binding *binding = given[need[o] ? o : VKMM_C]; /* every binding must be set */
        if (!vkmm_gemm_can_bind(gemm, binding, need[o]) || (need[o] && narrow && binding->bytes % 4 != 0)) return 0;
        parts[o == VKMM_BIAS ? VKMM_BIAS_PART : o] = (vkmm_part){binding->buffer, binding->offset, binding->bytes};
    }
    const uint64_t workspace = gemm->info.workspace_bytes, scalars = 2 * gemm->info.scalar_bytes;
    if (workspace && !vkmm_gemm_can_bind(gemm, &b->workspace, workspace)) return 0;
    if (scalars && !vkmm_gemm_can_bind(gemm, &b->scalars, scalars)) return 0;
    parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){b->workspace.buffer, b->workspace.offset, workspace};
    parts[VKMM_SCALARS_PART] = (vkmm_part){b->scalars.buffer, b->scalars.offset, scalars};
    return 1;
}

/* The push constants that all products share: 1; 0 if α or β is not legal. */
static int scale(recording *r)
{
    const vkmm_gemm *gemm = r->gemm;
    vkmm_problem problem = gemm->problem;
    int swapped;
    if (r->bindings->alpha) problem.alpha = *r->bindings->alpha;
    if (r->bindings->beta) problem.beta = *r->bindings->beta;
    if (gemm->plan.reads_scalars) problem.alpha = 1, problem.beta = 0;
    if (!vkmm_scalar_is_legal(problem.type, problem.alpha) || !vkmm_scalar_is_legal(problem.type, problem.beta))
        return 0;
    r->seen = vkmm_problem_row_major(&problem, &swapped);
    const vkmm_problem seen = r->seen;
    const vkmm_type type = vkmm_types_scale(vkmm_problem_types(&seen));
    r->push = gemm->plan.push;
    if (seen.k == 0) r->push.k = 0, r->push.splits = 1; /* otherwise the plan's K, which may be padded */
    /* The plan has packed operands from the beginning of what is bound. */
    if (gemm->plan.packs[VKMM_A].bytes == 0)
        r->push.offset_a = (uint32_t)seen.offset_a, r->push.stride_a = (uint32_t)seen.stride_a;
    if (gemm->plan.packs[VKMM_B].bytes == 0)
        r->push.offset_b = (uint32_t)seen.offset_b, r->push.stride_b = (uint32_t)seen.stride_b;
    r->push.offset_c = (uint32_t)seen.offset_c, r->push.stride_c = (uint32_t)seen.stride_c;
    vkmm_scalar_bits(type, seen.alpha, r->push.alpha);
    vkmm_scalar_bits(type, seen.beta, r->push.beta);
    return 1;
}

static void use(const recording *r, vkmm_plan_pass pass)
{
    vkmm_pipeline_use(r->gemm->device, &r->passes[pass], r->gemm->plan.binding_count, r->bound[pass], r->command);
}

static void dispatch(const recording *r, vkmm_plan_pass pass, vkmm_push *push, uint64_t items)
{
    const uint32_t most = r->gemm->device->physical->info.max_workgroup_count[0];
    const uint32_t groups[3] = {items < most ? (uint32_t)items : most, 1, 1};
    push->end = (uint32_t)items;
    vkmm_pipeline_dispatch(r->gemm->device, &r->passes[pass], push, sizeof *push, groups, r->command);
}

/* Whether every recording packs an operand of the kernel. */
static int packs(const vkmm_plan *plan, vkmm_operand operand)
{
    return plan->packs[operand].bytes > 0 && !plan->packs[operand].bound;
}

/* Packs operands of a product, which begin at these elements. */
static void record_packs(const recording *r, const uint64_t offsets[2])
{
    const vkmm_plan *plan = &r->gemm->plan;
    use(r, VKMM_PLAN_PACKING);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        uint32_t groups[3];
        if (!packs(plan, (vkmm_operand)o)) continue;
        vkmm_pack_push push = vkmm_plan_pack(plan, (vkmm_operand)o, groups);
        push.offset = (uint32_t)offsets[o];
        vkmm_pipeline_dispatch(r->gemm->device, &r->passes[VKMM_PLAN_PACKING], &push, sizeof push, groups, r->command);
    }
    vkmm_plan_record_barrier(r->gemm->device, r->command);
}

static void record_product(const recording *r, uint32_t index, int *first)
{
    const vkmm_plan *plan = &r->gemm->plan;
    const vkmm_gemm_product product = product_at(r, index);
    vkmm_push push = r->push;
    if (product.m == 0 || product.n == 0) return;
    vkmm_problem seen = r->seen;
    seen.m = push.m = plan->swapped ? product.n : product.m;
    seen.n = push.n = plan->swapped ? product.m : product.n;
    seen.offset_a += plan->swapped ? product.offset_b : product.offset_a;
    seen.offset_b += plan->swapped ? product.offset_a : product.offset_b;
    if (!packs(plan, VKMM_A)) push.offset_a += (uint32_t)(seen.offset_a - r->seen.offset_a);
    if (!packs(plan, VKMM_B)) push.offset_b += (uint32_t)(seen.offset_b - r->seen.offset_b);
    push.offset_c += (uint32_t)product.offset_c;
    const int second = plan->pipelines[VKMM_PLAN_SECOND].handle != VK_NULL_HANDLE,
              packed = r->gemm->info.kernel.packed_bytes > 0;
    if ((second || packed) && !*first) vkmm_plan_record_barrier(r->gemm->device, r->command); /* share the workspace */
    if (packed) record_packs(r, (uint64_t[]){seen.offset_a, seen.offset_b});
    if (second || packed || *first) use(r, VKMM_PLAN_FIRST);
    dispatch(r, VKMM_PLAN_FIRST, &push, vkmm_plan_tiles(plan, &seen) * push.splits);
    *first = 0;
    if (!second) return;
    vkmm_plan_record_barrier(r->gemm->device, r->command);
    use(r, VKMM_PLAN_SECOND);
    dispatch(r, VKMM_PLAN_SECOND, &push, vkmm_reduce_items(&r->gemm->device->physical->info, &seen));
}

static void bind(recording *r, const vkmm_part parts[])
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_plan *plan = &gemm->plan;
    vkmm_plan of_slot;
    if (gemm->info.uses_slots) {
        of_slot = vkmm_plan_with(plan, &gemm->sets, r->bindings->slot);
        plan = &of_slot;
    }
    r->passes[VKMM_PLAN_FIRST] = plan->pipelines[VKMM_PLAN_FIRST];
    r->passes[VKMM_PLAN_SECOND] = plan->pipelines[VKMM_PLAN_SECOND];
    if (gemm->info.kernel.packed_bytes > 0) /* otherwise it is vkmm_gemm_pack's */
        r->passes[VKMM_PLAN_PACKING] = plan->pipelines[VKMM_PLAN_PACKING];
    for (int pass = VKMM_PLAN_FIRST; pass <= VKMM_PLAN_PACKING; pass++) {
        if (!r->passes[pass].handle) continue;
        vkmm_plan_bound(plan, parts, (vkmm_plan_pass)pass, r->bound[pass]);
        if (gemm->info.uses_slots)
            vkmm_pipeline_bind(gemm->device, &r->passes[pass], plan->binding_count, r->bound[pass]);
    }
}

vkmm_status vkmm_gemm_record(const vkmm_gemm *gemm, VkCommandBuffer command, const vkmm_gemm_bindings *bindings)
{
    if (!gemm || !command || !bindings) return VKMM_INVALID;
    if (gemm->info.uses_slots && bindings->slot >= gemm->slots) return VKMM_INVALID;
    recording r = {.gemm = gemm, .bindings = bindings, .command = command};
    uint64_t need[VKMM_BIAS + 1] = {0};
    vkmm_part parts[VKMM_SCALARS_PART + 1];
    for (uint32_t i = 0; i < product_count(bindings); i++)
        if (!reach(&r, i, need)) return VKMM_INVALID;
    if (!scale(&r)) return VKMM_INVALID;
    if (need[VKMM_C] == 0) return VKMM_OK;
    if (!gather(&r, need, parts)) return VKMM_INVALID;
    bind(&r, parts);
    int first = 1;
    for (uint32_t i = 0; i < product_count(bindings); i++) record_product(&r, i, &first);
    return VKMM_OK;
}
