/* f64 or f32 multiplied as residues: three steps around a product of bytes, or of words, a batch with a matrix for each
 * modulus, which any general kernel computes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "kernel/contract.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"

static const vkmm_method_plan reproducible_plan;

enum { LINE = 16, SIDE = 32, QUAD = 4 /* residues are stored at a time */ };

/* Whether the lines of A and of B lie along K in memory. */
static int lie_along_k(const vkmm_problem *p)
{
    return p->op_a == VKMM_OP_N && p->op_b == VKMM_OP_T;
}

static uint64_t sum_bytes(const vkmm_residues *modular)
{
    return modular->remainders ? 1 : 4;
}

/* The product of residues, of so many rows. Lines of both operands lie along K; of words, across memory. */
static vkmm_problem inner_of(const vkmm_problem *p, const vkmm_residues *modular, vkmm_type type)
{
    const int words = type == VKMM_I32;
    vkmm_problem inner =
        VKMM_PROBLEM(.m = modular->rows, .n = p->n, .k = words ? p->k : vkmm_round_up(p->k, 16), .type = type,
                     .op_a = words ? VKMM_OP_T : VKMM_OP_N, .op_b = words ? VKMM_OP_N : VKMM_OP_T,
                     .ldc = vkmm_round_up(p->n, 4), .batch_count = p->batch_count * modular->products);
    inner.lda = words ? vkmm_round_up(p->m, 4) : inner.k;
    inner.ldb = words ? inner.ldc : inner.k;
    inner.stride_a = words ? inner.k * inner.lda : p->m * inner.k;
    inner.stride_b = words ? inner.k * inner.ldb : p->n * inner.k;
    inner.stride_c = modular->rows * inner.ldc;
    return inner;
}

/* Rows whose sums fit into one binding, and do not take much memory: all, or panels of about the same number. */
static uint64_t rows_of(const vkmm_device_info *device, const vkmm_problem *p, const vkmm_residues *modular)
{
    enum { MOST = 1 << 30, UNIT = 128 };
    const uint64_t range = device->limits.max_storage_range < MOST ? device->limits.max_storage_range : MOST,
                   row = p->batch_count * modular->products * vkmm_round_up(p->n, 4) * sum_bytes(modular),
                   most = row > 0 ? range / row : p->m;
    if (most >= p->m) return p->m;
    if (most < UNIT) return most > 0 ? most : 1;
    return vkmm_round_up(vkmm_divide_up(p->m, vkmm_divide_up(p->m, most / UNIT * UNIT)), UNIT);
}

/* Where each pass reads and writes, in the workspace. */
static void place(const vkmm_problem *inner, const vkmm_problem *p, vkmm_residues *modular)
{
    const uint64_t size = vkmm_type_of(inner->type)->bytes, a = size * inner->batch_count * inner->stride_a,
                   b = size * inner->batch_count * inner->stride_b;
    const uint64_t lines = VKMM_MODULAR_TABLE * LINE, each = p->batch_count * (p->m + p->n) * LINE;
    modular->lines = (vkmm_range){0, lines + 2 * each};
    modular->found = (vkmm_range){lines + each, each};
    modular->a = (vkmm_range){vkmm_round_up(modular->lines.bytes, VKMM_BINDING_ALIGNMENT), a};
    modular->b = (vkmm_range){vkmm_round_up(modular->a.at + a, VKMM_BINDING_ALIGNMENT), b};
    modular->sums = (vkmm_range){vkmm_round_up(modular->b.at + b, VKMM_BINDING_ALIGNMENT),
                                 inner->batch_count * inner->stride_c * sum_bytes(modular)};
}

static uint64_t inside(const vkmm_choice *choice, vkmm_problem *problem)
{
    vkmm_residues modular = choice->residues;
    int swapped;
    modular.problem = vkmm_problem_row_major(problem, &swapped);
    modular.rows = modular.problem.m;
    *problem = inner_of(&modular.problem, &modular, modular.product.type);
    place(problem, &modular.problem, &modular);
    return vkmm_round_up(modular.sums.at + modular.sums.bytes, VKMM_BINDING_ALIGNMENT) + VKMM_DISPATCH_BYTES;
}

/* What residues refuse on any device. */
static vkmm_status refuse(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish)
{
    const vkmm_kernel *kernel = wish->kernel ? vkmm_kernel_find(wish->kernel) : NULL;
    if (!device) return vkmm_fail(VKMM_NO_DEVICE, "a modular product needs a Vulkan device");
    if (wish->shader || (kernel && !kernel->tunables))
        return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot multiply residues; general kernels can",
                         wish->shader ? "user" : kernel->name);
    if (wish->pack & (VKMM_PACK_A | VKMM_PACK_B))
        return vkmm_fail(VKMM_UNSUPPORTED, "a modular product packs its operands itself, as residues");
    if (problem->activation == VKMM_GELU) return vkmm_fail(VKMM_UNSUPPORTED, "a modular product cannot apply gelu");
    return VKMM_OK;
}

static vkmm_status check(const vkmm_device_info *device, const vkmm_problem *p, const vkmm_residues *modular)
{
    const uint64_t residues = modular->b.at + modular->b.bytes - modular->a.at;
    const unsigned long long workspace = modular->sums.at + modular->sums.bytes,
                             most = residues > modular->sums.bytes ? residues : modular->sums.bytes,
                             range = device->limits.max_storage_range, allocation = device->memory.max_allocation_bytes,
                             buffer = device->memory.max_buffer_bytes;
    if (p->k > VKMM_MODULAR_DEPTH)
        return vkmm_fail(VKMM_UNSUPPORTED, "K is %llu; sums of residues fit into 32 bits up to %d",
                         (unsigned long long)p->k, VKMM_MODULAR_DEPTH);
    if (most > range)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%u moduli need %llu bytes for residues, or for their sums; \"%s\" binds at most %llu "
                         "(maxStorageBufferRange)",
                         modular->moduli, most, device->name, range);
    if (workspace > allocation || workspace > buffer)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%u moduli need a workspace of %llu bytes; \"%s\" allows %llu (maxMemoryAllocationSize) and "
                         "%llu (maxBufferSize)",
                         modular->moduli, workspace, device->name, allocation, buffer);
    const uint64_t lines = p->m > p->n ? p->m : p->n;
    const uint32_t *groups = device->limits.max_workgroup_count;
    if (lines > groups[0] || p->batch_count > groups[2])
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a modular product of %llu lines in %llu matrices; \"%s\" dispatches at most %u×%u×%u "
                         "workgroups (maxComputeWorkGroupCount)",
                         (unsigned long long)lines, (unsigned long long)p->batch_count, device->name, groups[0],
                         groups[1], groups[2]);
    return VKMM_OK;
}

/* Where the host cannot look at A and B, the device does, and lets a kernel of f64 take the place of the residues' if
 * these cannot hold the product. */
static vkmm_status let_device_decide(const vkmm_device_info *device, const vkmm_problem *problem, vkmm_choice *choice)
{
    const vkmm_wish alone = {.config = "splits=1", .pack = VKMM_PACK_NEVER, .direct = 1, .terms = {.in_one = 1}};
    vkmm_problem plain = *problem;
    vkmm_choice instead;
    plain.method = VKMM_COMPUTE_DIRECT;
    const vkmm_status status = vkmm_choose(device, &plain, &alone, &instead);
    if (status != VKMM_OK) return status;
    choice->edge = (vkmm_edge){instead.module, instead.info, instead.problem, 1};
    choice->decisions.at = vkmm_round_up(choice->info.workspace_bytes, VKMM_BINDING_ALIGNMENT);
    choice->decisions.bytes = VKMM_DISPATCH_BYTES;
    choice->info.workspace_bytes = choice->decisions.at + VKMM_DISPATCH_BYTES;
    return VKMM_OK;
}

static int is_reproducible(const vkmm_problem *problem)
{
    return problem->method == VKMM_COMPUTE_REPRODUCIBLE;
}

/* As asked, or as the host can tell after a look. A device that decides by itself has as many as there are if software
 * would take their place, which is far slower, or nothing may. */
static uint32_t moduli_of(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish)
{
    const vkmm_modular_range *range = vkmm_modular_range_of(problem->type);
    const int most = wish->terms.in_one && (is_reproducible(problem) || !device->features.f64);
    const uint32_t least = most ? range->most : range->usual;
    if (most && is_reproducible(problem)) return least;
    return wish->moduli > 0 ? wish->moduli : least;
}

static vkmm_status choose_type(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                               vkmm_type residues, int remainders, vkmm_choice *choice)
{
    vkmm_residues modular = {.asked = wish->moduli,
                             .remainders = remainders,
                             .is_found = wish->found,
                             .moduli = moduli_of(device, problem, wish),
                             .reproducible = is_reproducible(problem)};
    const vkmm_modular_range *range = vkmm_modular_range_of(problem->type);
    char config[VKMM_CONFIG_TEXT + sizeof ",splits=1"];
    int swapped;
    if (modular.moduli < range->fewest || modular.moduli > range->most)
        return vkmm_fail(VKMM_INVALID, "%u moduli; a modular product of %s takes %u to %u", modular.moduli,
                         vkmm_type_of(problem->type)->name, range->fewest, range->most);
    modular.problem = vkmm_problem_row_major(problem, &swapped);
    const uint32_t bits = residues == VKMM_I32 ? vkmm_modular_bits(problem->k) : 8;
    modular.products = vkmm_modular_products(bits, modular.moduli);
    vkmm_modular_numbers(bits, modular.products, modular.numbers);
    modular.limit = modular.reproducible ? (vkmm_modular_limit){range->unit, 0} : vkmm_modular_limit_of(modular.moduli);
    modular.rows = wish->terms.in_one ? modular.problem.m : rows_of(device, &modular.problem, &modular);
    vkmm_problem inner = inner_of(&modular.problem, &modular, residues);
    modular.product = inner;
    place(&inner, &modular.problem, &modular);
    vkmm_status status = check(device, &modular.problem, &modular);
    if (status != VKMM_OK) return status;
    vkmm_wish within = *wish;
    if (wish->tuned) { /* its choice, or none */
        within.kernel = wish->tuned->kernel;
        within.config = wish->tuned->config;
    }
    const char *wished = within.config ? within.config : "";
    snprintf(config, sizeof config, "%s%ssplits=1", wished, *wished ? "," : "");
    within.config = config;
    within.tuned = NULL;
    within.moduli = 0;
    within.terms.in_one = 1; /* panels are cut here */
    within.pack = VKMM_PACK_NEVER;
    status = vkmm_choose(device, &inner, &within, choice);
    if (status != VKMM_OK) return status;
    choice->method = modular.reproducible ? &reproducible_plan : &vkmm_modular_plan;
    choice->swapped = swapped;
    modular.items = choice->info.items;
    if (modular.rows > 0) {
        const uint64_t whole = modular.problem.m / modular.rows;
        inner.m = modular.problem.m % modular.rows;
        choice->info.items = whole * modular.items + vkmm_config_tiles(&inner, &choice->config);
    }
    if (choice->info.items > INT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED, "the product makes %llu work items; the limit is %d: use larger tiles",
                         (unsigned long long)choice->info.items, INT32_MAX);
    choice->residues = modular;
    choice->info.moduli = modular.moduli;
    choice->info.products = modular.products;
    choice->info.residues = residues;
    choice->info.sum_bytes = (uint32_t)sum_bytes(&modular);
    choice->info.packed_bytes = modular.sums.at - modular.a.at;
    choice->info.tuned = wish->tuned != NULL;
    choice->info.workspace_bytes = modular.sums.at + modular.sums.bytes;
    return wish->terms.in_one && !modular.reproducible ? let_device_decide(device, problem, choice) : VKMM_OK;
}

/* Bytes, whose kernel stores remainders if it can. */
static vkmm_status choose_bytes(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                vkmm_choice *choice)
{
    const vkmm_status status = choose_type(device, problem, wish, VKMM_I8, 1, choice);
    return status == VKMM_OK && choice->kernel->remainders ? status
                                                           : choose_type(device, problem, wish, VKMM_I8, 0, choice);
}

/* Whether some kernel multiplies bytes faster than words: as matrices, or four at a time. Vulkan's drivers on CPUs
 * emulate that. */
static int has_fast_bytes(const vkmm_device_info *device)
{
    const uint32_t fast = VKMM_NEEDS_DOT8 | VKMM_NEEDS_MATRIX;
    return !vkmm_is_processor(device) && (vkmm_device_offers(device, VKMM_I8) & fast) != 0;
}

static vkmm_status choose_residues(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                   vkmm_choice *choice)
{
    const vkmm_status status = choose_bytes(device, problem, wish, choice);
    vkmm_choice words;
    if (status != VKMM_OK || choice->info.uses_dot8 || choice->info.uses_matrices || has_fast_bytes(device))
        return status;
    if (choose_type(device, problem, wish, VKMM_I32, 0, &words) == VKMM_OK) *choice = words; /* if there is room */
    return VKMM_OK;
}

/* Only if as many moduli would fit as any A and B need: nothing may take the product's place. */
static vkmm_status choose_reproducible(const vkmm_device_info *device, const vkmm_problem *problem,
                                       const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_wish most = *wish;
    most.moduli = vkmm_modular_range_of(problem->type)->most;
    const vkmm_status status = choose_residues(device, problem, &most, choice);
    return status == VKMM_OK ? choose_residues(device, problem, wish, choice) : status;
}

/* As requested, or because the device has no f64; not by a kernel that computes f64 there. */
static int takes(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(vkmm_asked_kernel(problem, wish));
    if (problem->method == VKMM_COMPUTE_MODULAR || is_reproducible(problem)) return 1;
    if (!device || wish->direct || wish->shader || (kernel && !kernel->tunables)) return 0;
    if (kernel && vkmm_module_for(kernel->name, problem, device, NULL)) return 0;
    return vkmm_method_where(device->features.f64, problem) == VKMM_COMPUTE_MODULAR;
}

#define INSTEAD "%s: the product is computed in f64, not as residues"

/* Residues, or f64 where these cannot hold the product. Where they were requested, a warning says so, and a product
 * that only needs too much memory is refused: the caller may cut it. */
static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice)
{
    const int asked = problem->method == VKMM_COMPUTE_MODULAR;
    vkmm_problem plain = *problem;
    vkmm_wish direct = *wish;
    vkmm_status status = refuse(device, problem, wish);
    const int is_refused = asked && (status != VKMM_OK || vkmm_asked_kernel(problem, wish) || wish->config ||
                                     problem->k <= VKMM_MODULAR_DEPTH);
    if (status == VKMM_OK && is_reproducible(problem)) return choose_reproducible(device, problem, wish, choice);
    if (status == VKMM_OK) status = choose_residues(device, problem, wish, choice);
    if (status == VKMM_OK || is_refused || is_reproducible(problem) || status != VKMM_UNSUPPORTED) return status;
    char warning[sizeof choice->warning] = "";
    if (asked) VKMM_PUT(warning, INSTEAD, vkmm_last_error());
    plain.method = VKMM_COMPUTE_DIRECT;
    direct.direct = 1;
    direct.moduli = 0;
    status = vkmm_choose(device, &plain, &direct, choice);
    memcpy(choice->warning, warning, sizeof warning);
    return status;
}

/* The push constants of modular_lines.comp and modular_residues.comp. */
typedef struct push_lines {
    uint32_t count, depth, line_step, depth_step, offset, stride;
    uint32_t lines, lines_stride;
    uint32_t is_b;
    union {
        struct {
            uint32_t products;
            vkmm_modular_limit limit;
            uint32_t largest, smaller[(VKMM_MODULAR_MOST + 3) / 4]; /* moduli */
            uint32_t counting; /* of the second look: lines to what it finds; 0: the first look */
        } first;
        struct {
            uint32_t to, ld, plane;
        } residues;
    };
} push_lines;

/* The push constants of modular_decide.comp. */
typedef struct push_decide {
    uint32_t a_lines, b_lines, batches, from;
    float room;
    uint32_t groups[VKMM_DISPATCH_COUNT];
} push_decide;

/* The push constants of modular_finish.comp. */
typedef struct push_finish {
    uint32_t alpha[2], beta[2];
    uint32_t m, n, ldc, offset, stride;
    uint32_t sums_ld, a, b, lines_stride;
    uint32_t first, end;
} push_finish;

_Static_assert(sizeof(push_lines) <= VKMM_PUSH_WORDS * 4 && sizeof(push_finish) <= VKMM_PUSH_WORDS * 4, "a step's");

static push_lines push_of(const vkmm_residues *m, vkmm_operand operand)
{
    const vkmm_problem *p = &m->problem;
    const int is_b = operand == VKMM_B, along = is_b ? p->op_b == VKMM_OP_T : p->op_a == VKMM_OP_N;
    const uint32_t ld = (uint32_t)(is_b ? p->ldb : p->lda);
    return (push_lines){
        .count = (uint32_t)(is_b ? p->n : p->m),
        .depth = (uint32_t)p->k,
        .line_step = along ? ld : 1,
        .depth_step = along ? 1 : ld,
        .offset = (uint32_t)(is_b ? p->offset_b : p->offset_a),
        .stride = (uint32_t)(is_b ? p->stride_b : p->stride_a),
        .lines = VKMM_MODULAR_TABLE + (is_b ? (uint32_t)p->m : 0),
        .lines_stride = (uint32_t)(p->m + p->n),
        .is_b = is_b,
    };
}

/* What the device finds of each line of an operand; `counting`: in its second look. */
static vkmm_recipe_step lines_step(const vkmm_device_info *limits, const vkmm_residues *m, vkmm_operand o, int counting)
{
    push_lines push = push_of(m, o);
    const uint32_t lines = vkmm_reduce_size(limits) / 32;
    vkmm_recipe_step step = {.when = VKMM_WHEN_LOOK | (counting ? 0 : VKMM_WHEN_EACH),
                             .barrier = counting && o == VKMM_A ? VKMM_BARRIER_COMPUTE : VKMM_BARRIER_NONE,
                             .groups = {(push.count + lines - 1) / lines, 1, (uint32_t)m->problem.batch_count}};
    push.first.products = m->products;
    push.first.limit = m->limit;
    push.first.counting = counting ? (uint32_t)(m->found.bytes / LINE) : 0;
    push.first.largest = m->numbers[0];
    for (uint32_t i = 0; i < m->products; i++)
        push.first.smaller[i / 4] |= (m->numbers[0] - m->numbers[i]) << 8 * (i % 4);
    step.words.offsets[o] = VKMM_WORD(push_lines, offset);
    memcpy(step.push, &push, sizeof push);
    return step;
}

static vkmm_recipe_step residues_step(const vkmm_residues *m, vkmm_operand o)
{
    const vkmm_problem *product = &m->product;
    const uint64_t size = vkmm_type_of(product->type)->bytes;
    const int along = lie_along_k(&m->problem) && product->type == VKMM_I8;
    push_lines push = push_of(m, o);
    vkmm_recipe_step step = {.when = VKMM_WHEN_EACH,
                             .barrier = o == VKMM_A ? VKMM_BARRIER_COMPUTE : VKMM_BARRIER_NONE,
                             .groups = {(uint32_t)vkmm_divide_up(push.count, along ? SIDE / 4 : SIDE),
                                        (uint32_t)vkmm_divide_up(product->k, along ? SIDE * 4 : SIDE),
                                        (uint32_t)m->problem.batch_count}};
    if (o == VKMM_B) push.residues.to = (uint32_t)((m->b.at - m->a.at) / (QUAD * size));
    push.residues.ld = (uint32_t)(o == VKMM_B ? product->ldb : product->lda) / QUAD;
    push.residues.plane = (uint32_t)((o == VKMM_B ? product->stride_b : product->stride_a) / QUAD);
    step.words.offsets[o] = VKMM_WORD(push_lines, offset);
    memcpy(step.push, &push, sizeof push);
    return step;
}

/* The residues' products of `rows` rows from `row` on. */
static vkmm_recipe_step panel_step(const vkmm_choice *choice, uint64_t row, uint64_t rows)
{
    const vkmm_residues *m = &choice->residues;
    vkmm_problem panel = m->product;
    vkmm_push push = vkmm_push_of(choice, &choice->problem, 0);
    panel.m = rows;
    vkmm_recipe_step step = {.when = VKMM_WHEN_EACH,
                             .barrier = VKMM_BARRIER_COMPUTE,
                             .cut = VKMM_CUT_ITEMS,
                             .items = vkmm_config_tiles(&panel, &choice->config),
                             .groups = {choice->info.groups[0], 1, 1},
                             .words = {.items = VKMM_WORD(vkmm_push, first)}};
    push.m = (uint32_t)rows;
    push.offset_a = (uint32_t)(row * (m->product.op_a == VKMM_OP_T ? 1 : push.k));
    push.stride_c = (uint32_t)(rows * push.ldc);
    push.splits = choice->info.splits;
    push.split_depth = choice->split_depth;
    push.whole_rows = choice->info.whole_rows;
    push.run = m->products;
    memcpy(step.push, &push, sizeof push);
    return step;
}

static vkmm_recipe_step finish_step(const vkmm_device_info *limits, const vkmm_residues *m, uint64_t row, uint64_t rows)
{
    const vkmm_problem *p = &m->problem;
    const uint32_t workgroup = vkmm_reduce_size(limits);
    vkmm_recipe_step step = {.when = VKMM_WHEN_EACH,
                             .barrier = VKMM_BARRIER_COMPUTE,
                             .groups = {limits->limits.max_workgroup_count[0], 1, 1},
                             .words = {.offsets = {0, 0, VKMM_WORD(push_finish, offset)},
                                       .items = VKMM_WORD(push_finish, first),
                                       .scalars = VKMM_WORD(push_finish, alpha)}};
    push_finish push = {.m = (uint32_t)rows,
                        .n = (uint32_t)p->n,
                        .ldc = (uint32_t)p->ldc,
                        .offset = (uint32_t)(p->offset_c + row * p->ldc),
                        .stride = (uint32_t)p->stride_c,
                        .sums_ld = (uint32_t)vkmm_divide_up(p->n, 4),
                        .a = VKMM_MODULAR_TABLE + (uint32_t)row,
                        .b = VKMM_MODULAR_TABLE + (uint32_t)p->m,
                        .lines_stride = (uint32_t)(p->m + p->n)};
    vkmm_scalar_bits(p->type, p->alpha, push.alpha);
    vkmm_scalar_bits(p->type, p->beta, push.beta);
    step.items = vkmm_divide_up(rows * push.sums_ld, workgroup) * p->batch_count;
    push.end = (uint32_t)step.items;
    if (step.items < step.groups[0]) step.groups[0] = (uint32_t)step.items;
    memcpy(step.push, &push, sizeof push);
    return step;
}

static int decides(const vkmm_choice *choice)
{
    return choice->decisions.bytes > 0;
}

/* Pipelines in the order of the list in which statistics shows them. */
enum { PRODUCT, FINISH, RESIDUES, LINES, DECIDE };

/* Binds parts of the workspace, and the caller's operands for the rest. */
static void bind(const vkmm_choice *choice, const vkmm_range *const ranges[], vkmm_recipe_pipeline *p)
{
    for (uint32_t i = 0; i <= VKMM_BINDING_WORKSPACE; i++)
        p->bind[i] = ranges[i] ? (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, ranges[i]->at,
                                                    ranges[i]->bytes > 0 ? ranges[i]->bytes : 4}
                               : vkmm_operand_bind(choice, i);
}

static void add_pipelines(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    const vkmm_residues *m = &choice->residues;
    const vkmm_range packed = {m->a.at, m->b.at + m->b.bytes - m->a.at};
    const vkmm_range *const ranges[][VKMM_BINDING_WORKSPACE + 1] = {
        [PRODUCT] = {&m->a, &m->b, &m->sums, m->remainders ? &m->lines : &m->sums},
        [FINISH] = {&m->lines, NULL, NULL, &m->sums},
        [RESIDUES] = {NULL, NULL, &m->lines, &packed},
        [LINES] = {NULL, NULL, &m->lines, &m->lines},
        [DECIDE] = {NULL, NULL, &choice->decisions, &m->lines},
    };
    static const char *const names[] = {"product", "finish", "residues", "scale", "decide"};
    static const char *const modules[][2] = {{NULL},
                                             {"modular_finish", "modular_finish_f32"},
                                             {"modular_residues", "modular_residues_f32"},
                                             {"modular_lines", "modular_lines_f32"},
                                             {"modular_decide"}};
    static const char *const dots[] = {"modular_residues_dot", "modular_residues_dot_f32"};
    const int f32 = m->problem.type == VKMM_F32;
    for (int i = PRODUCT; i <= (decides(choice) ? DECIDE : LINES); i++) {
        const vkmm_type type = i == DECIDE ? VKMM_U32 : m->product.type;
        vkmm_recipe_pipeline p = {.name = names[i], .module = choice->module};
        if (i != PRODUCT) p.module = vkmm_module_find(modules[i][f32], type, VKMM_BUILD_PLAIN);
        if (i == RESIDUES && vkmm_device_offers(limits, type) & VKMM_NEEDS_DOT8) {
            const vkmm_module *dot = vkmm_module_find(dots[f32], type, VKMM_BUILD_PLAIN);
            if (dot) p.module = dot;
        }
        if (i == PRODUCT) vkmm_recipe_kernel(&choice->info, &p);
        if (i == PRODUCT && m->remainders) vkmm_recipe_constant(&p, VKMM_SPEC_OUT, VKMM_OUT_REMAINDERS);
        if (i == FINISH) {
            vkmm_recipe_epilogue(limits, choice, &m->problem, &p);
            vkmm_recipe_constant(&p, VKMM_SPEC_BYTES, (uint32_t)sum_bytes(m));
        }
        if (i == FINISH || i == RESIDUES) vkmm_recipe_constant(&p, VKMM_SPEC_MODULI, m->products);
        if (i > FINISH) {
            vkmm_recipe_constant(&p, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
            vkmm_recipe_constant(&p, VKMM_SPEC_BYTES, vkmm_type_of(i == RESIDUES ? type : VKMM_F32)->bytes);
            vkmm_recipe_constant(&p, VKMM_SPEC_ALONG, lie_along_k(&m->problem));
        }
        bind(choice, ranges[i], &p);
        if (i == FINISH) p.bind[VKMM_B] = (vkmm_recipe_bind){m->problem.has_bias ? VKMM_BIAS_PART : VKMM_C, 0, 0};
        recipe->pipelines[recipe->pipeline_count++] = p;
    }
}

static vkmm_status add(vkmm_recipe *recipe, uint32_t pipeline, vkmm_recipe_step step)
{
    step.pipeline = pipeline;
    return vkmm_recipe_add(recipe, recipe->step_count, &step);
}

/* The last steps are the product and what finishes it. Between them comes what may take their place; before all of
 * them, in the place of an index, the decision. */
static vkmm_status add_decision(const vkmm_choice *choice, uint32_t at, vkmm_recipe *recipe)
{
    const vkmm_residues *m = &choice->residues;
    push_decide push = {.a_lines = (uint32_t)m->problem.m,
                        .b_lines = (uint32_t)m->problem.n,
                        .batches = (uint32_t)m->problem.batch_count,
                        .from = (uint32_t)(m->found.at / LINE),
                        .room = m->asked > 0 ? INFINITY : (float)vkmm_modular_room(m->moduli)};
    vkmm_recipe_step decide = {
        .pipeline = DECIDE, .when = VKMM_WHEN_EACH, .barrier = VKMM_BARRIER_COMPUTE, .groups = {1, 1, 1}};
    const vkmm_status status = vkmm_recipe_edge(choice, recipe->step_count - 1, recipe);
    if (status != VKMM_OK) return status;
    vkmm_recipe_step *const last = &recipe->steps[recipe->step_count - 3];
    static const uint32_t dispatches[] = {VKMM_DISPATCH_FIRST, VKMM_DISPATCH_INSTEAD, VKMM_DISPATCH_SECOND};
    for (int i = 0; i < 3; i++) {
        last[i].decision = dispatches[i] + 1;
        push.groups[dispatches[i]] = last[i].groups[0];
    }
    last->barrier = VKMM_BARRIER_DECISIONS;
    for (uint32_t i = 0; i < at; i++) recipe->steps[i].when |= VKMM_WHEN_EACH; /* the second look, too */
    memcpy(decide.push, &push, sizeof push);
    return vkmm_recipe_add(recipe, at, &decide);
}

static vkmm_status make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    enum { LOOKS = 4 };
    const vkmm_residues *m = &choice->residues;
    vkmm_status status = VKMM_OK;
    add_pipelines(limits, choice, recipe);
    recipe->look = m->found;
    for (int i = 0; i < LOOKS && status == VKMM_OK; i++)
        status = add(recipe, LINES, lines_step(limits, m, i % 2 ? VKMM_B : VKMM_A, i / 2));
    for (int o = VKMM_A; o <= VKMM_B && m->product.k > 0 && status == VKMM_OK; o++)
        status = add(recipe, RESIDUES, residues_step(m, (vkmm_operand)o));
    for (uint64_t row = 0; row < m->problem.m && status == VKMM_OK; row += m->rows) {
        const uint64_t left = m->problem.m - row, rows = left < m->rows ? left : m->rows;
        status = add(recipe, PRODUCT, panel_step(choice, row, rows));
        if (status == VKMM_OK) status = add(recipe, FINISH, finish_step(limits, m, row, rows));
    }
    if (status == VKMM_OK && decides(choice) && m->problem.m > 0) status = add_decision(choice, LOOKS, recipe);
    return status;
}

static uint32_t needs_of(const vkmm_residues *m, const void *found)
{
    const vkmm_problem *p = &m->problem;
    const vkmm_modular_line *line = found;
    uint32_t most = 0;
    for (uint64_t batch = 0; batch < p->batch_count; batch++, line += p->m + p->n) {
        const uint32_t needs = vkmm_modular_needs(line, p->m, line + p->m, p->n);
        if (needs > most) most = needs;
    }
    return most;
}

/* A and B get as many moduli as they need. The kernel stays the same, for more matrices. Kernels of f64 take what
 * residues cannot hold: in software, if the device has no 64-bit floats. Moduli hold any A and B of a reproducible
 * product, at most as many as choose_reproducible found room for; those that a user asked for are the least. */
static int decide(const vkmm_log *log, const vkmm_device_info *device, const vkmm_choice *choice, const void *found,
                  vkmm_problem *problem, vkmm_wish *again)
{
    const vkmm_residues *m = &choice->residues;
    const uint64_t lines = m->problem.batch_count * (m->problem.m + m->problem.n);
    const vkmm_modular_range *range = vkmm_modular_range_of(m->problem.type);
    const uint32_t holds = m->reproducible ? vkmm_modular_holds(range, found, lines) : needs_of(m, found),
                   needs = m->reproducible && holds < m->asked ? m->asked : holds;
    const char *why = "the moduli that A and B need do not fit into memory";
    vkmm_choice more;
    if (m->reproducible ? needs == m->moduli
                        : needs != UINT32_MAX && ((m->asked > 0 && !m->is_found) || needs <= m->moduli))
        return 0;
    *again = (vkmm_wish){.kernel = choice->info.name, .config = choice->info.config, .moduli = needs, .found = 1};
    if (needs == UINT32_MAX)
        why = "A or B has infinities or NaNs";
    else if (needs > VKMM_MODULAR_MOST)
        why = "the magnitudes in a row of A or a column of B differ by too much for 18 moduli";
    else if (m->reproducible || (vkmm_choose(device, problem, again, &more) == VKMM_OK && more.method))
        return 1;
    vkmm_say(log, VKMM_LOG_WARNING, INSTEAD, why);
    problem->method = VKMM_COMPUTE_DIRECT;
    *again = (vkmm_wish){.direct = 1};
    return 1;
}

#define PLAN(name)                                                                                         \
    {                                                                                                      \
        .method = name, .takes = takes, .choose = choose, .make = make, .inside = inside, .decide = decide \
    }
const vkmm_method_plan vkmm_modular_plan = PLAN(VKMM_COMPUTE_MODULAR);
static const vkmm_method_plan reproducible_plan = PLAN(VKMM_COMPUTE_REPRODUCIBLE); /* chosen by the other's `choose` */
