/* Traces: what a tracing build records (shaders/lib/observe.glsl is the other half).
 *  Binding 3, elements of the problem's type: first the sums, one per invocation for each k, at k·invocations +
 * gl_LocalInvocationIndex; in kernels with tiles k runs to the next multiple of the tile's depth. Kernels with tiles
 * then have, for each step along K, the rows×depth tile of A and the depth×cols tile of B as they were in shared
 * memory.
 *
 * Binding 4, 32-bit words: TRACE_IDS per invocation, as in vkmm_invocation; then one that only the shader uses. */
#include "look/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "look/count.h"
#include "math/type.h"
#include "record/plan.h"
#include "vk/buffer.h"
#include "vk/command.h"

enum { BINDING_VALUES = 3, BINDING_IDS = 4, ALIGNMENT = 16 };

/* Words per invocation: x and y of the global, the local, the workgroup's index and the tile's origin; row and column
 * of its element. */
enum { TRACE_IDS = 10 };

/* The limits of a trace that people can still read: elements of A, B, C, sums and tiles together; and steps. */
enum { MOST_VALUES = 100000, MOST_STEPS = 4096 };

/* How large a trace is. */
typedef struct trace_extent {
    uint32_t invocations;
    uint32_t depth;         /* elements along K of a tile; 0: the kernel has none */
    uint64_t loads, sums;   /* steps that load tiles; steps that add a term: K, padded to whole tiles */
    uint64_t sum_values;    /* recorded sums */
    uint64_t tile_values;   /* recorded elements of tiles */
    uint64_t values, steps; /* in all: with A, B and C; with barriers and the store */
} trace_extent;

/* Size of the trace of a workgroup with a rows×cols tile. */
static trace_extent measure(const vkmm_problem *problem, const vkmm_kernel *kernel, uint32_t rows, uint32_t cols)
{
    trace_extent extent = {.invocations = rows * cols, .sums = problem->k};
    if (kernel->uses_shared) {
        extent.depth = vkmm_tile_depth(kernel, (vkmm_tile){rows, cols});
        extent.loads = vkmm_divide_up(problem->k, extent.depth);
        extent.sums = extent.loads * extent.depth;
        extent.tile_values = extent.sums * ((uint64_t)rows + cols);
    }
    extent.sum_values = extent.sums * extent.invocations;
    extent.values = extent.sum_values + extent.tile_values + problem->m * problem->k + problem->k * problem->n +
                    problem->m * problem->n;
    extent.steps = 3 * extent.loads + extent.sums + 1; /* a load and two barriers; the sums; the store */
    return extent;
}

static int fits(const trace_extent *extent)
{
    return extent->values <= MOST_VALUES && extent->steps <= MOST_STEPS;
}

/* Says what would fit: two tiles along each extent, with the same tile if possible. */
static vkmm_status refuse_large(const vkmm_problem *problem, const vkmm_choice *choice, const trace_extent *extent)
{
    const uint32_t *tile = choice->info.tile;
    uint32_t rows = tile[0], cols = tile[1];
    vkmm_problem less = *problem;
    for (;;) {
        trace_extent smallest;
        less.m = vkmm_least(problem->m, 2 * (uint64_t)rows);
        less.n = vkmm_least(problem->n, 2 * (uint64_t)cols);
        less.k = vkmm_least(problem->k, 2 * (uint64_t)(rows > cols ? rows : cols));
        smallest = measure(&less, choice->kernel, rows, cols);
        if (fits(&smallest) || (rows == 1 && cols == 1)) break;
        rows = rows > 1 ? rows / 2 : 1;
        cols = cols > 1 ? cols / 2 : 1;
    }
    return vkmm_fail(VKMM_INVALID,
                     "a trace of %llux%llux%llu with tile %ux%u has %llu values in %llu steps; the limit is %d values "
                     "in %d steps; try %llux%llux%llu with tile %ux%u",
                     (unsigned long long)problem->m, (unsigned long long)problem->n, (unsigned long long)problem->k,
                     tile[0], tile[1], (unsigned long long)extent->values, (unsigned long long)extent->steps,
                     MOST_VALUES, MOST_STEPS, (unsigned long long)less.m, (unsigned long long)less.n,
                     (unsigned long long)less.k, rows, cols);
}

static vkmm_status check_element(const vkmm_trace_params *params)
{
    const vkmm_problem *problem = &params->job.problem;
    if (params->row < problem->m && params->col < problem->n) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "there is no C[%llu][%llu]: C has %llu row%s and %llu column%s, counted from 0",
                     (unsigned long long)params->row, (unsigned long long)params->col, (unsigned long long)problem->m,
                     problem->m == 1 ? "" : "s", (unsigned long long)problem->n, problem->n == 1 ? "" : "s");
}

/* A part of the block of a trace. */
static void *take(char **at, uint64_t bytes)
{
    void *part = *at;
    *at += vkmm_round_up(bytes, ALIGNMENT);
    return part;
}

/* A part of the block, with what the device wrote there. */
static void *keep(char **at, const void *memory, uint64_t bytes)
{
    return memcpy(take(at, bytes), memory, bytes);
}

/* One block, so that a single free releases it: the trace first, then its invocations. The rest is filled in later
 * (keep_all). */
static vkmm_trace *allocate(const vkmm_problem *problem, const trace_extent *extent, char **rest)
{
    const uint64_t ids = extent->invocations * sizeof(vkmm_invocation);
    char *at = vkmm_alloc(1, sizeof(vkmm_trace) + ids + extent->values * vkmm_type_of(problem->type)->bytes +
                                 8 * (uint64_t)ALIGNMENT);
    if (!at) return NULL;
    vkmm_trace *trace = take(&at, sizeof *trace);
    *trace = (vkmm_trace){.problem = *problem,
                          .invocation_count = extent->invocations,
                          .invocations = take(&at, ids),
                          .depth = extent->depth,
                          .load_count = (uint32_t)extent->loads,
                          .sum_count = (uint32_t)extent->sums};
    *rest = at;
    return trace;
}

/* Small buffers in the host's memory, which the device reads and writes in place: nothing is timed here, so nothing
 * is copied. */
static vkmm_status create_buffers(vkmm_device *device, const vkmm_problem *problem, const trace_extent *extent,
                                  vkmm_buffer buffers[VKMM_MAX_BINDING_COUNT])
{
    static const char *const names[VKMM_MAX_BINDING_COUNT] = {"A", "B", "C", "the trace", "the trace's indices"};
    const uint64_t bytes[VKMM_MAX_BINDING_COUNT] = {
        vkmm_operand_bytes(problem, VKMM_A),
        vkmm_operand_bytes(problem, VKMM_B),
        vkmm_operand_bytes(problem, VKMM_C),
        (extent->sum_values + extent->tile_values) * vkmm_type_of(problem->type)->bytes,
        ((uint64_t)extent->invocations * TRACE_IDS + 1) * sizeof(uint32_t),
    };
    for (uint32_t i = 0; i < VKMM_MAX_BINDING_COUNT; i++) {
        vkmm_status status =
            vkmm_buffer_create(device, names[i], bytes[i] ? bytes[i] : ALIGNMENT, VKMM_PLACE_DOWNLOAD, &buffers[i]);
        if (status != VKMM_OK) return status;
        memset(buffers[i].mapped, i == BINDING_VALUES ? 0 : 0xff, buffers[i].bytes);
    }
    return VKMM_OK;
}

static vkmm_status dispatch(vkmm_device *device, vkmm_plan *plan, const vkmm_buffer buffers[VKMM_MAX_BINDING_COUNT])
{
    vkmm_part bound[VKMM_MAX_BINDING_COUNT];
    VkCommandBuffer command = NULL;
    for (uint32_t i = 0; i < VKMM_MAX_BINDING_COUNT; i++)
        bound[i] = (vkmm_part){.buffer = buffers[i].handle, .bytes = buffers[i].bytes};
    vkmm_plan_bind(device, plan, bound);
    const vkmm_status status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) vkmm_plan_record(device, plan, command);
    return vkmm_command_finish(device, status, &command);
}

static int by_element(const void *left, const void *right)
{
    const vkmm_invocation *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->col < b->col ? -1 : a->col > b->col;
}

/* The indices that the invocations recorded, in the order of their elements. Those that none wrote are still all
 * ones. */
static vkmm_status read_ids(const vkmm_trace_params *params, const uint32_t *ids, vkmm_trace *trace,
                            vkmm_invocation *invocations)
{
    trace->followed = UINT32_MAX;
    for (uint32_t i = 0; i < trace->invocation_count; i++, ids += TRACE_IDS) {
        vkmm_invocation *one = &invocations[i];
        *one = (vkmm_invocation){.global = {ids[0], ids[1]},
                                 .local = {ids[2], ids[3]},
                                 .workgroup = {ids[4], ids[5]},
                                 .tile_origin = {ids[6], ids[7]},
                                 .row = ids[8],
                                 .col = ids[9],
                                 .inside = ids[8] < params->job.problem.m && ids[9] < params->job.problem.n};
        if (ids[0] == UINT32_MAX)
            return vkmm_fail(VKMM_WRONG_RESULT, "invocation %u of %u recorded nothing on the device", i,
                             trace->invocation_count);
    }
    qsort(invocations, trace->invocation_count, sizeof *invocations, by_element);
    for (uint32_t i = 0; i < trace->invocation_count; i++)
        if (invocations[i].row == params->row && invocations[i].col == params->col) trace->followed = i;
    if (trace->followed != UINT32_MAX) return VKMM_OK;
    return vkmm_fail(VKMM_WRONG_RESULT, "no invocation of the workgroup that was traced computes C[%llu][%llu]",
                     (unsigned long long)params->row, (unsigned long long)params->col);
}

/* The sums, which the device wrote in the order of the invocations' indices; where one computes a block, in that of the
 * elements, as they are sorted. */
static void *keep_sums(char **at, const char *values, uint64_t element, int has_blocks, const vkmm_trace *trace)
{
    const uint64_t count = trace->invocation_count;
    char *sums = take(at, trace->sum_count * count * element);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t *local = trace->invocations[i].local;
        const uint64_t place = has_blocks ? i : local[1] * (uint64_t)trace->kernel.workgroup[0] + local[0];
        const char *from = values + place * element;
        for (uint64_t k = 0; k < trace->sum_count; k++)
            memcpy(sums + (k * count + i) * element, from + k * count * element, element);
    }
    return sums;
}

static void keep_all(const vkmm_problem *problem, const trace_extent *extent, const vkmm_buffer *buffers, char *at,
                     vkmm_trace *trace)
{
    const uint64_t element = vkmm_type_of(problem->type)->bytes, sum_bytes = extent->sum_values * element;
    const char *values = buffers[BINDING_VALUES].mapped;
    trace->a = keep(&at, buffers[VKMM_A].mapped, vkmm_operand_bytes(problem, VKMM_A));
    trace->b = keep(&at, buffers[VKMM_B].mapped, vkmm_operand_bytes(problem, VKMM_B));
    trace->c = keep(&at, buffers[VKMM_C].mapped, vkmm_operand_bytes(problem, VKMM_C));
    trace->sums = keep_sums(&at, values, element, vkmm_kernel_find(trace->kernel.name)->block[0] > 0, trace);
    trace->tiles = keep(&at, values + sum_bytes, extent->tile_values * element);
}

static vkmm_status run(vkmm_device *device, const vkmm_trace_params *params, const vkmm_choice *choice,
                       const trace_extent *extent, vkmm_trace *trace, char *rest)
{
    const vkmm_problem *problem = &params->job.problem;
    vkmm_buffer buffers[VKMM_MAX_BINDING_COUNT] = {{0}};
    vkmm_plan plan = {0};
    vkmm_status status = vkmm_plan_create(device, choice, &plan);
    if (status == VKMM_OK) status = create_buffers(device, problem, extent, buffers);
    if (status == VKMM_OK) {
        memcpy(buffers[VKMM_A].mapped, params->a, vkmm_operand_bytes(problem, VKMM_A));
        memcpy(buffers[VKMM_B].mapped, params->b, vkmm_operand_bytes(problem, VKMM_B));
        status = dispatch(device, &plan, buffers);
    }
    if (status == VKMM_OK)
        status = read_ids(params, buffers[BINDING_IDS].mapped, trace, (vkmm_invocation *)(uintptr_t)trace->invocations);
    if (status == VKMM_OK) keep_all(problem, extent, buffers, rest, trace);
    for (uint32_t i = 0; i < VKMM_MAX_BINDING_COUNT; i++) vkmm_buffer_destroy(device, &buffers[i]);
    vkmm_plan_destroy(device, &plan);
    return status;
}

static vkmm_status choose(vkmm_device *device, const vkmm_trace_params *params, vkmm_choice *choice,
                          trace_extent *extent)
{
    static const uint32_t spec_ids[] = {VKMM_SPEC_TRACE_ROW, VKMM_SPEC_TRACE_COL};
    const uint32_t spec_values[] = {(uint32_t)params->row, (uint32_t)params->col};
    const vkmm_log *log = vkmm_device_log(device);
    vkmm_status status = vkmm_choose_job(log, &device->physical->info, &params->job, choice);
    if (status == VKMM_OK) status = check_element(params);
    if (status == VKMM_OK) status = vkmm_choice_observe(choice, VKMM_BUILD_TRACE, 2, spec_ids, spec_values);
    if (status != VKMM_OK) return status;
    *extent = measure(&params->job.problem, choice->kernel, choice->info.tile[0], choice->info.tile[1]);
    return fits(extent) ? VKMM_OK : refuse_large(&params->job.problem, choice, extent);
}

vkmm_status vkmm_trace_check(vkmm_device *device, const vkmm_trace_params *params)
{
    vkmm_choice choice;
    trace_extent extent;
    return vkmm_tell(vkmm_device_log(device), choose(device, params, &choice, &extent));
}

vkmm_status vkmm_trace_create(vkmm_device *device, const vkmm_trace_params *params, vkmm_trace **out)
{
    vkmm_choice choice;
    trace_extent extent;
    char *rest;
    *out = NULL;
    vkmm_status status = choose(device, params, &choice, &extent);
    if (status != VKMM_OK) return vkmm_tell(vkmm_device_log(device), status);
    vkmm_trace *trace = allocate(&params->job.problem, &extent, &rest);
    if (!trace)
        return vkmm_tell(vkmm_device_log(device),
                         VKMM_NO_MEMORY("for a trace of %llu values", (unsigned long long)extent.values));
    trace->kernel = choice.info;
    status = run(device, params, &choice, &extent, trace, rest);
    if (status != VKMM_OK) vkmm_trace_destroy(&trace);
    *out = trace;
    return vkmm_tell(vkmm_device_log(device), status);
}

void vkmm_trace_destroy(vkmm_trace **trace)
{
    vkmm_free(*trace);
    *trace = NULL;
}
