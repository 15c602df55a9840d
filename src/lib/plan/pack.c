/* Operands that are copied into another layout before the product, because the copy costs less than reading them as
 * they are: rows that begin and end at multiples of 16 bytes, bytes along K. */
#include <math.h>
#include <string.h>

#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/type.h"
#include "plan/parts.h"
#include "plan/recipe.h"

enum { BOTH = VKMM_PACK_A | VKMM_PACK_B };

enum { UNPACK_WORKGROUP = 64 }; /* invocations of unpack.comp */

enum { STEP = 64 }; /* bytes of a step along K, so that each begins at a multiple that a GPU reads at once too */

uint64_t vkmm_extent_across(const vkmm_problem *p, vkmm_operand operand)
{
    return operand == VKMM_A ? p->m : p->n;
}

static uint64_t vector_of(const vkmm_problem *p)
{
    return 16 / vkmm_type_of(p->type)->bytes;
}

/* How an operand is packed if K becomes `depth`. Its lines keep their direction if they can be aligned, or padded;
 * bytes lie along K, and so does what is packed once for products with an extent that varies (its offset says so), or
 * with a short side without matrix operations: on an NVIDIA H200, f16 with a side of 4 is then twice as fast, f32 with
 * up to 32 is 5 % faster; matrix operations lose 7 %. */
static vkmm_repack repack_of(const vkmm_choice *choice, vkmm_operand operand, uint64_t depth, int bound)
{
    const vkmm_problem *p = &choice->problem;
    const uint64_t vector = vector_of(p), extent = vkmm_extent_across(p, operand),
                   stride = vkmm_operand_stride(p, operand);
    const vkmm_stored from = vkmm_operand_stored(p, operand);
    const int thin = bound && ((vkmm_short_side(p) <= 32 && !choice->kernel->reads_padding) ||
                               vkmm_operand_offset(p, operand) % vector != 0),
              was = vkmm_is_along_k(p, operand), uneven = extent % vector != 0 && !choice->kernel->reads_padding,
              along_k = was || thin || vector == 16 || uneven;
    vkmm_repack r = {.format = choice->packs[operand].format,
                     .from = from,
                     .offset = vkmm_operand_offset(p, operand),
                     .stride = stride,
                     .transposed = was != along_k};
    r.count = stride ? vkmm_problem_batches(p) : 1;
    r.lines = along_k ? extent : depth;
    r.ld = vkmm_round_up(along_k ? depth : extent, vector * VKMM_LINE / 16);
    r.bytes = r.count * r.lines * r.ld * (16 / vector);
    return r;
}

void vkmm_take_pack(vkmm_choice *choice, vkmm_operand operand, uint64_t depth, uint32_t how, uint64_t line_words)
{
    vkmm_problem *p = &choice->problem;
    const int bound = (how & VKMM_PACK_BOUND) != 0;
    vkmm_repack r = repack_of(choice, operand, depth, bound);
    r.once = (how & (VKMM_PACK_ONCE | VKMM_PACK_BOUND)) != 0;
    r.bound = bound;
    r.first = vkmm_round_up(4 * line_words * r.count * vkmm_extent_across(p, operand), VKMM_LINE);
    r.bytes += r.first;
    const vkmm_op op = (operand == VKMM_A ? p->op_a : p->op_b) ^ r.transposed;
    const uint64_t stride = r.count > 1 ? r.lines * r.ld : 0, offset = r.first / vkmm_type_of(p->type)->bytes;
    if (operand == VKMM_A)
        p->op_a = op, p->lda = r.ld, p->offset_a = offset, p->stride_a = stride;
    else
        p->op_b = op, p->ldb = r.ld, p->offset_b = offset, p->stride_b = stride;
    choice->packs[operand] = r;
}

/* How many times as long the product takes because of the operands `which` (bits VKMM_PACK_*) as they are. */
static double slowness(const vkmm_choice *choice, uint32_t which)
{
    const vkmm_kernel *kernel = choice->kernel;
    const uint32_t aligned = vkmm_problem_alignment(&choice->problem);
    double times = 1;
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint32_t bit = o == VKMM_A ? VKMM_ALIGNED_A : VKMM_ALIGNED_B;
        if (!(which & 1u << o)) continue;
        if (!(aligned & bit) && kernel->slow.unaligned[o] > 0) times *= kernel->slow.unaligned[o];
        if (vector_of(&choice->problem) == 16 && !vkmm_is_along_k(&choice->problem, (vkmm_operand)o) &&
            kernel->slow.across[o] > 0)
            times *= kernel->slow.across[o];
    }
    return times;
}

/* The best set of operands to pack by itself, as bits. Times are in microseconds of the planner's imagined device
 * (planner.c); devices with less memory are taken to have less bandwidth for each of their processors, as RTX 4090
 * (8 kB), RX 7900 (10 kB) and integrated ones have. A saving must be half as large again as the cost. */
static uint32_t worth_packing(const vkmm_device_info *device, const vkmm_choice *choice)
{
    const vkmm_problem *p = &choice->problem;
    const double processors = vkmm_device_processors(device), launch = 3, margin = 1.5,
                 most_rate = 0.66 /* of f32 at 2048³ */;
    const double bytes_per_us = (device->memory.device_heap_bytes > UINT64_C(60) << 30 ? 26e3 : 7e3) * processors;
    vkmm_preset preset;
    double most = 0;
    uint32_t best = 0;
    if (slowness(choice, BOTH) == 1 || !vkmm_preset_at(choice->kernel, device, p, 0, &preset) || preset.rate == 0)
        return 0;
    const double macs = (double)p->m * (double)p->n * (double)p->k * (double)vkmm_problem_batches(p);
    const double room = 0.75 * (double)device->memory.device_heap_bytes - (double)vkmm_operand_bytes(p, VKMM_A) -
                        (double)vkmm_operand_bytes(p, VKMM_B) - (double)vkmm_operand_bytes(p, VKMM_C);
    const double time = macs / (processors * preset.peak * fmin(preset.rate, most_rate));
    for (uint32_t which = 1; which <= BOTH; which++) {
        if (which != BOTH && p->k % vector_of(p) != 0) continue; /* K is padded in both or in neither */
        double launches = 0, bytes = 0;
        for (int o = VKMM_A; o <= VKMM_B; o++) {
            launches += (which & 1u << o) != 0;
            if (which & 1u << o) bytes += (double)repack_of(choice, (vkmm_operand)o, p->k, 0).bytes;
        }
        const double cost = launches * launch + 2 * bytes / bytes_per_us;
        const double saved = time * (slowness(choice, BOTH) - slowness(choice, BOTH & ~which)) - margin * cost;
        if (saved <= most || bytes > room) continue;
        most = saved;
        best = which;
    }
    return best;
}

/* From the problem's operands to the kernel's. */
static uint32_t swapped(uint32_t bits)
{
    return (bits & VKMM_PACK_A ? VKMM_PACK_B : 0) | (bits & VKMM_PACK_B ? VKMM_PACK_A : 0);
}

uint32_t vkmm_choice_packs(const vkmm_choice *choice)
{
    const uint32_t which =
        (choice->packs[VKMM_A].bytes > 0 ? VKMM_PACK_A : 0) | (choice->packs[VKMM_B].bytes > 0 ? VKMM_PACK_B : 0);
    return choice->method ? 0 : choice->swapped ? swapped(which) : which;
}

uint64_t vkmm_packed_most(const vkmm_choice *choice, const vkmm_problem *p, vkmm_operand operand)
{
    const uint64_t line = vector_of(p) * VKMM_LINE / 16;
    if (!(vkmm_choice_packs(choice) & 1u << operand)) return 0;
    return vkmm_problem_batches(p) * vkmm_round_up(vkmm_extent_across(p, operand), line) * vkmm_round_up(p->k, line) *
           vkmm_type_of(p->type)->bytes;
}

static int is_legal(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel)
{
    const vkmm_config config = vkmm_planned_config(device, problem, kernel);
    return vkmm_config_forbidden_by(kernel, problem, &config, device) == NULL;
}

void vkmm_choose_unpacking(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_problem *p = &choice->problem;
    const char *name = vkmm_asked_kernel(p, wish);
    const vkmm_kernel *kernel =
        name ? vkmm_kernel_find(name) : vkmm_planned_kernel(device, p, vkmm_refused_kernels(device, p->type));
    const int asked = (wish->pack & (VKMM_PACK_A | VKMM_PACK_B)) != 0,
              reads = !asked && kernel && vkmm_module_for(kernel->name, p, device, NULL) &&
                      (name || (kernel->suits && kernel->suits(device, p) > 0));
    vkmm_problem plain = *p;
    plain.format_a = plain.format_b = VKMM_PLAIN;
    /* One that takes nothing else will say why not these. */
    if (reads && (is_legal(device, p, kernel) || (name && !vkmm_module_for(name, &plain, device, NULL)))) return;
    choice->packs[VKMM_A].format = p->format_a;
    choice->packs[VKMM_B].format = p->format_b;
    *p = plain;
}

int vkmm_choose_packs(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_problem *p = &choice->problem;
    const uint64_t vector = vector_of(p);
    const uint32_t asked = choice->swapped ? swapped(wish->pack) : wish->pack & BOTH;
    uint32_t which = asked;
    for (int o = VKMM_A; o <= VKMM_B; o++)
        if (choice->packs[o].format != VKMM_PLAIN) which |= 1u << o;
    if (p->m == 0 || p->n == 0 || p->k == 0) return 0;
    if (!(wish->pack & VKMM_PACK_NEVER)) which |= worth_packing(device, choice);
    if (which != 0 && p->k % vector != 0 && !(wish->pack & VKMM_PACK_NEVER)) which = BOTH;
    const uint64_t depth = which == BOTH ? vkmm_round_up(p->k, vector * STEP / 16) : p->k;
    for (int o = VKMM_A; o <= VKMM_B; o++)
        if (which & 1u << o) vkmm_take_pack(choice, (vkmm_operand)o, depth, asked & 1u << o ? wish->pack : 0, 0);
    p->k = depth;
    return which != 0;
}

/* The workgroups that pack an operand whose elements have so many bytes: squares of pack.comp. */
static void groups_of(const vkmm_repack *r, uint32_t bytes, uint64_t groups[3])
{
    const uint64_t side = bytes < 4 ? 64 : 32, halves = r->first > 0 ? 2 : 1; /* of two parts */
    if (r->format != VKMM_PLAIN) {
        const uint64_t all = vkmm_divide_up(r->ld * r->lines, VKMM_BLOCK_PART * UNPACK_WORKGROUP);
        groups[0] = all < UINT16_MAX ? all : UINT16_MAX; /* which every device can run; each takes its share */
        groups[1] = r->count;
        groups[2] = 1;
        return;
    }
    groups[0] = vkmm_divide_up(r->ld, side * (r->across ? 1 : halves));
    groups[1] = vkmm_divide_up(r->lines, side * (r->across ? halves : 1));
    groups[2] = r->count;
}

int vkmm_place_packs(const vkmm_device_info *device, vkmm_choice *choice)
{
    const uint32_t size = vkmm_type_of(choice->problem.type)->bytes;
    uint64_t end = choice->info.workspace_bytes;
    choice->sums_bytes = end;
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        vkmm_repack *r = &choice->packs[o];
        uint64_t groups[3];
        groups_of(r, size, groups);
        for (int axis = 0; axis < 3; axis++)
            if (r->bytes > 0 && groups[axis] > device->limits.max_workgroup_count[axis]) return 0;
        if (r->bytes > device->limits.max_storage_range) return 0;
        if (r->first > 0 && r->first / (4 * r->count * VKMM_SCALED_LINES) > device->limits.max_workgroup_count[0])
            return 0;
        if (r->bytes == 0 || r->bound) continue;
        r->at = vkmm_round_up(end, VKMM_BINDING_ALIGNMENT);
        end = r->at + r->bytes;
    }
    choice->info.packed_bytes = end - choice->info.workspace_bytes;
    if (choice->decisions.bytes > 0) {
        choice->decisions.at = vkmm_round_up(end, VKMM_BINDING_ALIGNMENT);
        end = choice->decisions.at + choice->decisions.bytes;
    }
    choice->info.workspace_bytes = end;
    return end <= device->limits.max_storage_range;
}

static vkmm_recipe_step pack_step(const vkmm_choice *choice, vkmm_operand operand)
{
    const vkmm_repack *r = &choice->packs[operand];
    const uint32_t bytes = vkmm_type_of(choice->problem.type)->bytes;
    const uint64_t ld = r->ld * bytes / 4;
    uint64_t groups[3];
    vkmm_recipe_step step = {.when = r->bound ? VKMM_WHEN_PACK : r->once ? VKMM_WHEN_ONCE : VKMM_WHEN_EACH};
    const vkmm_pack_push push = {.lines = (uint32_t)r->from.count,
                                 .length = (uint32_t)r->from.length,
                                 .ld = (uint32_t)r->from.ld,
                                 .offset = (uint32_t)r->offset,
                                 .stride = (uint32_t)r->stride,
                                 .to_lines = (uint32_t)r->lines,
                                 .to_ld = (uint32_t)ld,
                                 .to_offset = (uint32_t)((r->at + r->first) / 4),
                                 .to_stride = (uint32_t)(r->lines * ld),
                                 .is_b = operand == VKMM_B,
                                 .transpose = r->transposed != 0};
    groups_of(r, bytes, groups);
    for (int axis = 0; axis < 3; axis++) step.groups[axis] = (uint32_t)groups[axis];
    step.words.offsets[operand] = VKMM_WORD(vkmm_pack_push, offset);
    _Static_assert(sizeof push <= sizeof step.push, "a step's push constants");
    memcpy(step.push, &push, sizeof push);
    return step;
}

static uint32_t add_unpacker(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_format format,
                             vkmm_recipe *recipe)
{
    const uint32_t index = vkmm_recipe_packer(limits, choice, "unpack", choice->problem.type, recipe);
    vkmm_recipe_pipeline *p = &recipe->pipelines[index];
    p->spec_count = 0;
    vkmm_recipe_constant(p, VKMM_SPEC_WORKGROUP_X, UNPACK_WORKGROUP);
    vkmm_recipe_constant(p, VKMM_SPEC_FORMAT, format);
    vkmm_recipe_constant(p, VKMM_SPEC_PLAIN, vkmm_stored_as(choice->problem.type));
    return index;
}

/* B is packed first if nothing was scaled before: scaled last, it is more likely to be in a cache. */
vkmm_status vkmm_recipe_packs(const vkmm_device_info *limits, const vkmm_choice *choice, const char *name,
                              vkmm_recipe *recipe)
{
    vkmm_status status = VKMM_OK;
    uint32_t at = 0, packer = 0;                  /* 0: none yet, the product's */
    while (recipe->steps[at].pipeline != 0) at++; /* to the product: an early edge runs at the same time */
    for (int o = VKMM_B; o >= VKMM_A && status == VKMM_OK; o--) {
        if (choice->packs[o].bytes == 0) continue;
        vkmm_recipe_step step = pack_step(choice, (vkmm_operand)o), *product = &recipe->steps[at];
        const vkmm_format format = choice->packs[o].format;
        if (format == VKMM_PLAIN && packer == 0)
            packer = vkmm_recipe_packer(limits, choice, name, choice->problem.type, recipe);
        step.pipeline = format == VKMM_PLAIN ? packer : add_unpacker(limits, choice, format, recipe);
        if (step.when == VKMM_WHEN_EACH && product->barrier == VKMM_BARRIER_NONE)
            product->barrier = VKMM_BARRIER_COMPUTE;
        status = vkmm_recipe_add(recipe, at++, &step);
    }
    return status;
}
