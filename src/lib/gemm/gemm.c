#include "gemm/gemm.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"

_Static_assert(VKMM_DYNAMIC_M == 1 << VKMM_REACH_M && VKMM_DYNAMIC_N == 1 << VKMM_REACH_N, "worst_offset");

enum { PACKED = VKMM_PACK_A | VKMM_PACK_B };
enum { MOST_SLOTS = 1 << 16, FULL = 1 << 24 /* elements of C that occupy any device */ };

/* What only a product by experts requires. */
static vkmm_status check_experts(const vkmm_gemm_params *params)
{
    const vkmm_problem *p = &params->job.problem;
    const uint64_t gather = params->gather ? params->gather : 1, scatter = params->scatter ? params->scatter : 1;
    const vkmm_type_info *out = vkmm_type_of(vkmm_operand_type(p, VKMM_C));
    if (params->experts == 0 && (params->gather || params->scatter))
        return vkmm_fail(VKMM_INVALID, "gather and scatter are for products by experts; experts is 0");
    if (params->experts == 0) return VKMM_OK;
    if (p->layout != VKMM_ROW_MAJOR || p->op_a != VKMM_OP_N || p->format_a != VKMM_PLAIN || p->beta != 0 ||
        p->has_bias || vkmm_problem_batches(p) > 1 || p->m == 0 || p->n == 0 || p->k == 0)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a product by experts is row-major and not empty, with A not transposed and not in blocks, "
                         "beta 0, no bias and no batch");
    if (p->method != VKMM_COMPUTE_DIRECT || params->dynamic || params->job.pack & VKMM_PACK_A ||
        params->scalars_in_memory || params->expected_products > 1)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a product by experts is direct, with fixed extents, A not packed, alpha on the host and no "
                         "other expected products");
    if (vkmm_types_scale(vkmm_problem_types(p)) != VKMM_F32)
        return vkmm_fail(VKMM_UNSUPPORTED, "products by experts have sums of f32 or f16, not of %s",
                         vkmm_type_of(vkmm_problem_compute(p))->name);
    if (p->m % gather != 0 || p->m % scatter != 0)
        return vkmm_fail(VKMM_INVALID, "m is %llu; gather, %u, and scatter, %u, must divide it",
                         (unsigned long long)p->m, (unsigned)gather, (unsigned)scatter);
    if (out->bytes < 4 && (p->n % 2 != 0 || vkmm_operand_ld(p, VKMM_C) % 2 != 0 || p->offset_c % 2 != 0))
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "products by experts store C in whole words: n, ldc and offset_c are even for C in %s",
                         out->name);
    return VKMM_OK;
}

static vkmm_status check(const vkmm_gemm_params *params)
{
    const uint32_t dynamic = VKMM_DYNAMIC_M | VKMM_DYNAMIC_N, pack = PACKED | VKMM_PACK_NEVER;
    VKMM_NEED_ZEROS(params->job.reserved);
    vkmm_status status = vkmm_problem_check(&params->job.problem);
    if (status == VKMM_OK) status = check_experts(params);
    if (status != VKMM_OK) return status;
    const vkmm_method_info *method = vkmm_method_at(params->job.problem.method);
    if (params->job.problem.method != VKMM_COMPUTE_DIRECT &&
        (params->dynamic || (params->job.pack & PACKED && !method->binds_packed) || params->scalars_in_memory ||
         params->expected_products > 1))
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a recorded %s product has fixed extents, %salpha and beta on the host and no other expected "
                         "products",
                         method->name, method->binds_packed ? "" : "no packed operands, ");
    if (params->dynamic & ~dynamic)
        return vkmm_fail(VKMM_INVALID, "dynamic is 0x%x; the known bits are 0x%x", params->dynamic, dynamic);
    if (params->slots > MOST_SLOTS)
        return vkmm_fail(VKMM_INVALID, "slots is %u; the most is %d", params->slots, MOST_SLOTS);
    const vkmm_kernel *kernel = params->job.kernel ? vkmm_kernel_find(params->job.kernel) : NULL;
    if (kernel && !kernel->tunables)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "the kernel %s runs only in jobs; a product is recorded with a general kernel", kernel->name);
    if (params->job.tile_rows || params->job.tile_cols || params->job.shader)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a tile and a shader are for jobs; a product is recorded with a general kernel");
    if (params->job.pack & ~pack)
        return vkmm_fail(VKMM_INVALID, "pack is 0x%x; the known bits are 0x%x", params->job.pack, pack);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint32_t block = vkmm_format_at(vkmm_operand_format(&params->job.problem, (vkmm_operand)o))->elements;
        if (params->offset_step % block != 0 && !(params->job.pack & 1u << o))
            return vkmm_fail(VKMM_INVALID, "offset_step is %u; the blocks of %c have %u elements", params->offset_step,
                             "AB"[o], block);
    }
    return VKMM_OK;
}

static vkmm_gemm_reach reach_of(const vkmm_gemm_params *params, vkmm_operand operand)
{
    static const int rows[] = {VKMM_REACH_M, VKMM_REACH_K, VKMM_REACH_M},
                     cols[] = {VKMM_REACH_K, VKMM_REACH_N, VKMM_REACH_N};
    const vkmm_problem *problem = &params->job.problem;
    const vkmm_stored stored = vkmm_operand_stored(problem, operand);
    const uint64_t block = vkmm_format_at(vkmm_operand_format(problem, operand))->elements,
                   size = vkmm_operand_span(problem, operand, block), step = block > 1 ? block : 16 / size;
    return (vkmm_gemm_reach){.first = vkmm_operand_offset(problem, operand) +
                                      (vkmm_problem_batches(problem) - 1) * vkmm_operand_stride(problem, operand),
                             .ld = stored.ld,
                             .size = size,
                             .block = block,
                             .count = stored.are_rows ? rows[operand] : cols[operand],
                             .length = stored.are_rows ? cols[operand] : rows[operand],
                             .step = params->offset_step ? params->offset_step : step};
}

/* The offset that stands for all that a recording may add to it: as aligned as the least aligned of them, and not at
 * all if the rows (column-major: columns) are as long as a dynamic extent. */
static uint64_t worst_offset(const vkmm_gemm *gemm, vkmm_operand operand)
{
    const vkmm_gemm_reach *reach = &gemm->reaches[operand];
    const uint64_t step = gemm->dynamic & 1u << reach->length ? 1 : reach->step;
    const uint64_t own = gemm->packed & 1u << operand ? 0 : vkmm_operand_offset(&gemm->problem, operand);
    return own | (step & (0 - step));
}

/* Products that the kernel is chosen for: no more than make a difference. */
static uint32_t expected(const vkmm_gemm_params *params)
{
    const vkmm_problem *problem = &params->job.problem;
    const double most = FULL / ((double)problem->m * (double)problem->n * (double)vkmm_problem_batches(problem) + 1);
    const uint32_t products = params->expected_products < most ? params->expected_products : (uint32_t)most;
    const int whole =
        params->job.pack & PACKED && vkmm_problem_batches(problem) > 1; /* a batch would be packed as a whole */
    return products > 1 && !whole ? products : 1;
}

/* As aligned for vectors, but so small that the matrices have space in one binding, however many there are. */
static uint64_t small_stride(uint64_t stride)
{
    stride |= 16;
    return stride & (0 - stride);
}

/* Several products use the device like a batch. */
static void multiply_batch(vkmm_problem *problem, uint64_t by)
{
    const uint64_t batches = vkmm_problem_batches(problem);
    problem->stride_a = batches > 1 ? small_stride(problem->stride_a) : 0;
    problem->stride_b = batches > 1 ? small_stride(problem->stride_b) : 0;
    problem->stride_c = batches > 1 ? small_stride(problem->stride_c) : 0;
    problem->batch_count = batches * by;
}

/* What the kernel is chosen for. α may be anything in a recording: if it were 0, K would not matter. */
static vkmm_problem planned(const vkmm_gemm *gemm)
{
    vkmm_problem problem = gemm->problem;
    problem.offset_a = worst_offset(gemm, VKMM_A);
    problem.offset_b = worst_offset(gemm, VKMM_B);
    problem.offset_c = worst_offset(gemm, VKMM_C);
    problem.alpha = 1;
    if (gemm->expected > 1) multiply_batch(&problem, gemm->expected);
    return problem;
}

/* Whether recordings may pack operands by themselves: all of one shape, and each as large as the one that is planned.
 */
static int may_pack(const vkmm_gemm *gemm, const vkmm_gemm_params *params)
{
    return !params->job.pack && !params->dynamic && !params->experts && gemm->expected == 1;
}

/* The kernel is chosen for the worst offsets and for all expected products; this is one product, at its own place. */
static void aim(const vkmm_gemm *gemm, vkmm_choice *choice)
{
    vkmm_problem *const as_it_lies = choice->residues.moduli > 0 ? &choice->residues.problem : &choice->problem;
    vkmm_problem own = gemm->problem, *const aimed[] = {as_it_lies, &choice->edge.problem};
    int swapped;
    own.alpha = 1;
    own = vkmm_problem_row_major(&own, &swapped);
    for (size_t i = 0; i < VKMM_COUNT(aimed); i++) {
        const int lies[] = {i == 1 || choice->packs[VKMM_A].bytes == 0, i == 1 || choice->packs[VKMM_B].bytes == 0};
        if (lies[VKMM_A]) aimed[i]->offset_a = own.offset_a, aimed[i]->stride_a = own.stride_a;
        if (lies[VKMM_B]) aimed[i]->offset_b = own.offset_b, aimed[i]->stride_b = own.stride_b;
        aimed[i]->offset_c = own.offset_c, aimed[i]->stride_c = own.stride_c;
        aimed[i]->batch_count = own.batch_count;
    }
    for (int o = VKMM_A; o <= VKMM_B; o++) choice->packs[o].offset = vkmm_operand_offset(&own, (vkmm_operand)o);
    choice->info.items /= gemm->expected;
    choice->info.workspace_bytes /= gemm->expected;
    choice->sums_bytes /= gemm->expected;
    if (choice->info.groups[0] > choice->info.items) choice->info.groups[0] = (uint32_t)choice->info.items;
}

/* Blocks that each recording unpacks: all lines of them. */
static vkmm_status check_unpacking(const vkmm_gemm *gemm, const vkmm_choice *choice)
{
    static const uint32_t across[] = {VKMM_DYNAMIC_M, VKMM_DYNAMIC_N};
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_repack *r = &choice->packs[choice->swapped ? VKMM_B - o : o];
        if (r->format != VKMM_PLAIN && !r->bound && gemm->dynamic & across[o])
            return vkmm_fail(VKMM_UNSUPPORTED, "each recording unpacks the blocks of %c, so that %c cannot be dynamic",
                             "AB"[o], "MN"[o]);
    }
    return VKMM_OK;
}

/* Chooses for the experts, and builds the plan. */
static vkmm_status pick_experts(vkmm_gemm *gemm, const vkmm_gemm_params *params, const vkmm_wish *wish,
                                vkmm_choice *choice)
{
    const vkmm_experts experts = {.count = params->experts, .gather = params->gather, .scatter = params->scatter};
    vkmm_status status =
        vkmm_choose_experts(&gemm->device->physical->info, &params->job.problem, wish, &experts, choice);
    if (status != VKMM_OK) return status;
    gemm->experts = choice->experts;
    gemm->problem.batch_count = params->experts; /* A and C have no stride */
    return vkmm_plan_create(gemm->device, choice, &gemm->plan);
}

static vkmm_status build(vkmm_gemm *gemm, const vkmm_gemm_params *params)
{
    vkmm_device *device = gemm->device;
    const vkmm_log *log = vkmm_device_log(device);
    vkmm_wish wish = vkmm_wish_of(&params->job);
    wish.direct = params->job.problem.method == VKMM_COMPUTE_DIRECT;
    wish.pack |= VKMM_PACK_BOUND | (may_pack(gemm, params) ? 0 : VKMM_PACK_NEVER);
    wish.terms = (vkmm_terms){.scalars_in_memory = params->scalars_in_memory != 0,
                              .in_one = 1,
                              .pushes_sets = device->has_push_descriptors,
                              .cache = params->pipeline_cache};
    const vkmm_problem problem = planned(gemm);
    vkmm_choice choice;
    vkmm_status status = params->experts > 0 ? pick_experts(gemm, params, &wish, &choice)
                                             : vkmm_pick_plan(device, log, &device->physical->info, &problem, &wish,
                                                              &choice, &gemm->plan);
    if (status == VKMM_OK) status = check_unpacking(gemm, &choice);
    if (status != VKMM_OK) return status;
    if (params->experts == 0) aim(gemm, &choice);
    memcpy(gemm->packs, choice.packs, sizeof gemm->packs);
    gemm->swapped = choice.swapped;
    if (!vkmm_plan_fit(device, &choice, &gemm->plan)) return VKMM_NO_MEMORY("for the steps of a product");
    if (device->has_push_descriptors) return VKMM_OK;
    return vkmm_plan_sets_create(device, &gemm->plan, gemm->slots, &gemm->sets);
}

/* An operand that always has its full length. */
static vkmm_gemm_reach reach_of_all(uint64_t bytes, uint64_t size, uint64_t step)
{
    return (vkmm_gemm_reach){.first = bytes / size - 1,
                             .size = size,
                             .block = 1,
                             .count = VKMM_REACH_ONE,
                             .length = VKMM_REACH_ONE,
                             .step = step};
}

/* Without an offset for a method. */
static void describe_packed(vkmm_gemm *gemm, vkmm_operand operand)
{
    const uint64_t bytes = vkmm_gemm_repack(gemm, operand)->bytes, size = vkmm_type_of(gemm->problem.type)->bytes;
    gemm->info.bytes[operand] = bytes;
    const uint64_t step = gemm->problem.method ? UINT64_C(1) << 32 : 16 / size;
    if (bytes > 0) gemm->reaches[operand] = reach_of_all(bytes, size, step);
}

/* A and C, whose rows may be others than the experts'. */
static void describe_experts(vkmm_gemm *gemm)
{
    const vkmm_experts *e = &gemm->experts;
    for (int o = VKMM_A; o <= VKMM_C; o += VKMM_C - VKMM_A) {
        vkmm_problem p = e->outside;
        const uint32_t slots = o == VKMM_A ? e->gather : e->scatter;
        if (slots > 1) p.m /= slots;
        gemm->info.bytes[o] = vkmm_whole_words(vkmm_operand_bytes(&p, (vkmm_operand)o));
        gemm->reaches[o] = reach_of_all(gemm->info.bytes[o], 1, 1);
    }
    gemm->info.routing_bytes = vkmm_routing_bytes(e);
}

static void describe(vkmm_gemm *gemm, const vkmm_gemm_params *params)
{
    const vkmm_problem *problem = &gemm->problem;
    const vkmm_plan *plan = &gemm->plan;
    const int narrow = vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->bytes < 4;
    vkmm_gemm_info *info = &gemm->info;
    info->kernel = &plan->info;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++)
        info->bytes[o] = vkmm_whole_words(vkmm_operand_bytes(problem, (vkmm_operand)o));
    for (int o = VKMM_A; o <= VKMM_B; o++)
        if (gemm->packed & 1u << o) describe_packed(gemm, (vkmm_operand)o);
    if (gemm->experts.count > 0) describe_experts(gemm);
    info->workspace_bytes = plan->info.workspace_bytes;
    info->workspace_usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (plan->recipe.decisions.bytes > 0)
        info->workspace_usage |= VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (params->scalars_in_memory)
        info->scalar_bytes = vkmm_type_of(vkmm_types_scale(vkmm_problem_types(problem)))->bytes;
    info->offset_alignment = gemm->device->physical->info.limits.offset_alignment;
    info->reads_c = vkmm_problem_beta(problem) != 0 || params->scalars_in_memory ||
                    (vkmm_recipe_find(&plan->recipe, "reduce") && narrow);
    info->uses_slots = gemm->sets.pool != VK_NULL_HANDLE;
    info->compile_ms = 0;
    for (uint32_t i = 0; i < plan->recipe.pipeline_count; i++) info->compile_ms += plan->pipelines[i].compile_ms;
}

vkmm_status vkmm_gemm_create_sized(vkmm_device *device, const vkmm_gemm_params *params, size_t size, vkmm_gemm **out)
{
    VKMM_NEED(NULL, device);
    const vkmm_log *log = vkmm_device_log(device);
    VKMM_NEED(log, out);
    *out = NULL;
    VKMM_NEED(log, params);
    VKMM_SIZED(log, vkmm_gemm_params, params, size);
    vkmm_status status = check(params);
    if (status != VKMM_OK) return vkmm_tell(log, status);
    vkmm_gemm *gemm = vkmm_alloc(1, sizeof *gemm);
    if (!gemm) return vkmm_tell(log, VKMM_NO_MEMORY("for a product to record"));
    gemm->device = device;
    gemm->problem = params->job.problem;
    gemm->problem.lda = vkmm_operand_ld(&params->job.problem, VKMM_A);
    gemm->problem.ldb = vkmm_operand_ld(&params->job.problem, VKMM_B);
    gemm->problem.ldc = vkmm_operand_ld(&params->job.problem, VKMM_C);
    gemm->slots = params->slots ? params->slots : 1;
    gemm->dynamic = params->dynamic;
    gemm->expected = expected(params);
    vkmm_gemm_params matrices = *params;
    if (params->experts > 0) matrices.job.problem.batch_count = params->experts; /* of B */
    for (int o = VKMM_A; o <= VKMM_C; o++) gemm->reaches[o] = reach_of(&matrices, (vkmm_operand)o);
    gemm->packed = params->job.pack & PACKED;
    status = build(gemm, params);
    if (status == VKMM_OK)
        describe(gemm, params);
    else
        vkmm_gemm_destroy(&gemm);
    *out = gemm;
    return vkmm_tell(log, status);
}

void vkmm_gemm_destroy(vkmm_gemm **gemm_pointer)
{
    if (!gemm_pointer || !*gemm_pointer) return;
    vkmm_gemm *gemm = *gemm_pointer;
    vkmm_plan_sets_destroy(gemm->device, &gemm->sets);
    vkmm_plan_destroy(gemm->device, &gemm->plan);
    vkmm_free(gemm);
    *gemm_pointer = NULL;
}

const vkmm_gemm_info *vkmm_gemm_describe(const vkmm_gemm *gemm)
{
    return gemm ? &gemm->info : NULL;
}
