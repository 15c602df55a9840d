/* Recording a gemm: no locks, no allocations, no messages. */
#include "exec/gemm.h"
#include "math/problem.h"
#include "math/type.h"

/* One recording. */
typedef struct recording {
    const vkmm_gemm *gemm;
    const vkmm_gemm_bindings *bindings;
    vkmm_problem problem; /* the gemm's, with the recording's α and β */
    VkCommandBuffer command;
    VkDescriptorBufferInfo bound[2][VKMM_MAX_BINDINGS]; /* of both passes */
    vkmm_pipeline passes[2];
} recording;

static const vkmm_binding *binding_of(const vkmm_gemm_bindings *bindings, int operand)
{
    const vkmm_binding *by_operand[] = {&bindings->a, &bindings->b, &bindings->c, &bindings->bias};
    return by_operand[operand];
}

static uint32_t product_count(const vkmm_gemm_bindings *bindings)
{
    return bindings->products ? bindings->product_count : 1;
}

/* The problem of the recording's index-th product. */
static vkmm_problem product_at(const recording *r, uint32_t index)
{
    vkmm_problem problem = r->problem;
    if (!r->bindings->products) return problem;
    const vkmm_gemm_product *product = &r->bindings->products[index];
    if (r->gemm->dynamic & VKMM_DYNAMIC_M) problem.m = product->m;
    if (r->gemm->dynamic & VKMM_DYNAMIC_N) problem.n = product->n;
    problem.offset_a += product->offset_a;
    problem.offset_b += product->offset_b;
    problem.offset_c += product->offset_c;
    return problem;
}

static int is_bindable(const vkmm_gemm *gemm, const vkmm_binding *binding, uint64_t least)
{
    return binding->buffer && binding->offset % gemm->info.offset_alignment == 0 && binding->bytes >= least &&
           binding->bytes <= gemm->device->physical->info.max_storage_range;
}

/* Adds what a product needs of each operand to need[]: 0 if it is more than is bound. */
static int fits(const recording *r, uint32_t index, uint64_t need[])
{
    const vkmm_problem problem = product_at(r, index);
    if (problem.m > r->gemm->problem.m || problem.n > r->gemm->problem.n) return 0;
    if (problem.m == 0 || problem.n == 0) return 1;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const uint64_t offset = o == VKMM_BIAS ? 0
                                               : vkmm_operand_offset(&problem, (vkmm_operand)o) -
                                                     vkmm_operand_offset(&r->gemm->problem, (vkmm_operand)o);
        if (o != VKMM_BIAS && (offset > UINT32_MAX || offset % r->gemm->steps[o] != 0)) return 0;
        const uint64_t bytes = vkmm_operand_bytes(&problem, (vkmm_operand)o);
        if (bytes > need[o]) need[o] = bytes;
    }
    return 1;
}

static int are_legal_scalars(const recording *r)
{
    const vkmm_type type = r->gemm->problem.type;
    return vkmm_scalar_is_legal(type, r->problem.alpha) && vkmm_scalar_is_legal(type, r->problem.beta);
}

/* Fills parts[] for vkmm_plan_bound: 1; 0 if something is missing, too small or misaligned. */
static int gather(const recording *r, const uint64_t need[], vkmm_part parts[])
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_gemm_bindings *b = r->bindings;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const int narrow = vkmm_type_of(vkmm_operand_type(&gemm->problem, (vkmm_operand)o))->bytes < 4;
        const vkmm_binding *binding = binding_of(b, need[o] ? o : VKMM_C); /* every binding must be set */
        if (!is_bindable(gemm, binding, need[o]) || (need[o] && narrow && binding->bytes % 4 != 0)) return 0;
        parts[o == VKMM_BIAS ? VKMM_BIAS_PART : o] = (vkmm_part){binding->buffer, binding->offset, binding->bytes};
    }
    const uint64_t workspace = gemm->info.workspace_bytes, scalars = 2 * gemm->info.scalar_bytes;
    if (workspace && !is_bindable(gemm, &b->workspace, workspace)) return 0;
    if (scalars && !is_bindable(gemm, &b->scalars, scalars)) return 0;
    parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){b->workspace.buffer, b->workspace.offset, workspace};
    parts[VKMM_SCALARS_PART] = (vkmm_part){b->scalars.buffer, b->scalars.offset, scalars};
    return 1;
}

static void use(const recording *r, int pass)
{
    vkmm_pipeline_use(r->gemm->device, &r->passes[pass], r->gemm->plan.binding_count, r->bound[pass], r->command);
}

static void dispatch(const recording *r, int pass, vkmm_push *push, uint64_t items)
{
    const uint32_t most = r->gemm->device->physical->info.max_workgroup_count[0];
    const uint32_t groups[3] = {items < most ? (uint32_t)items : most, 1, 1};
    push->end = (uint32_t)items;
    vkmm_pipeline_dispatch(r->gemm->device, &r->passes[pass], push, sizeof *push, groups, r->command);
}

/* What of a plan depends on the product is in the push constants. */
static void record_product(const recording *r, uint32_t index, int *first)
{
    const vkmm_plan *plan = &r->gemm->plan;
    const vkmm_problem problem = product_at(r, index);
    int swapped;
    const vkmm_problem seen = vkmm_problem_row_major(&problem, &swapped);
    const vkmm_type scale = vkmm_types_scale(vkmm_problem_types(&seen));
    if (seen.m == 0 || seen.n == 0) return;
    vkmm_push push = plan->push;
    push.m = (uint32_t)seen.m, push.n = (uint32_t)seen.n, push.k = (uint32_t)seen.k;
    push.offset_a = (uint32_t)seen.offset_a, push.offset_b = (uint32_t)seen.offset_b;
    push.offset_c = (uint32_t)seen.offset_c;
    push.stride_a = (uint32_t)seen.stride_a, push.stride_b = (uint32_t)seen.stride_b;
    push.stride_c = (uint32_t)seen.stride_c;
    if (seen.k == 0) push.splits = 1;
    vkmm_scalar_bits(scale, seen.alpha, push.alpha);
    vkmm_scalar_bits(scale, seen.beta, push.beta);
    const int second = plan->reduce.handle != VK_NULL_HANDLE;
    if (second && !*first) vkmm_plan_record_barrier(r->gemm->device, r->command); /* they share the workspace */
    if (second || *first) use(r, 0);
    dispatch(r, 0, &push, vkmm_plan_tiles(plan, &seen) * push.splits);
    *first = 0;
    if (!second) return;
    vkmm_plan_record_barrier(r->gemm->device, r->command);
    use(r, 1);
    dispatch(r, 1, &push, vkmm_reduce_items(&r->gemm->device->physical->info, &seen));
}

static void bind(recording *r, const vkmm_part parts[])
{
    const vkmm_gemm *gemm = r->gemm;
    const vkmm_plan plan =
        gemm->info.uses_slots ? vkmm_plan_with(&gemm->plan, &gemm->sets, r->bindings->slot) : gemm->plan;
    r->passes[0] = plan.pipeline;
    r->passes[1] = plan.reduce;
    for (int pass = 0; pass < (plan.reduce.handle ? 2 : 1); pass++) {
        vkmm_plan_bound(&plan, parts, (vkmm_plan_pass)pass, r->bound[pass]);
        vkmm_pipeline_bind_all(gemm->device, &r->passes[pass], plan.binding_count, r->bound[pass]);
    }
}

vkmm_status vkmm_gemm_record(const vkmm_gemm *gemm, VkCommandBuffer command, const vkmm_gemm_bindings *bindings)
{
    if (!gemm || !command || !bindings) return VKMM_INVALID;
    if (gemm->info.uses_slots && bindings->slot >= gemm->slots) return VKMM_INVALID;
    recording r = {.gemm = gemm, .bindings = bindings, .problem = gemm->problem, .command = command};
    if (bindings->alpha) r.problem.alpha = *bindings->alpha;
    if (bindings->beta) r.problem.beta = *bindings->beta;
    if (gemm->plan.reads_scalars) r.problem.alpha = 1, r.problem.beta = 0;
    uint64_t need[VKMM_BIAS + 1] = {0};
    vkmm_part parts[VKMM_SCALARS_PART + 1];
    for (uint32_t i = 0; i < product_count(bindings); i++)
        if (!fits(&r, i, need)) return VKMM_INVALID;
    if (!are_legal_scalars(&r)) return VKMM_INVALID;
    if (need[VKMM_C] == 0) return VKMM_OK;
    if (!gather(&r, need, parts)) return VKMM_INVALID;
    bind(&r, parts);
    int first = 1;
    for (uint32_t i = 0; i < product_count(bindings); i++) record_product(&r, i, &first);
    return VKMM_OK;
}
