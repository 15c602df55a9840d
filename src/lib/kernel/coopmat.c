/* shaders/coopmat.comp: matrix operations of subgroups. The presets were the fastest on an NVIDIA H200 (driver
 * 580.159.04, 2026-11-21). */

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/method.h"
#include "math/type.h"

enum { SWIZZLE = VKMM_TUNE_OWN, PAD, LANES, MATRIX_M, MATRIX_N, MATRIX_K };

enum { SCOPE_SUBGROUP = 3 }; /* VkScopeKHR, which headers older than the extension lack */

enum { VENDOR_INTEL = 0x8086, LEAST_SIDE = 3, LEAST_SIDE_OF_BLOCKS = 4, NARROW = 16, THIN = 32, BLOCK = 32 };
enum { MIDDLE = 64, BAND = 128, SHALLOW = 64, MEDIUM = 4096, LONG = 8192 }; /* K: the last three */

/* The short side up to which tiles are unpacked in the kernel, each time that one is read; for larger products a step
 * does it once. On an NVIDIA H100 (driver 580.159.04, 2026-11-27), 4096×512×14336 takes 251 µs with q4_0 and 281 with
 * q8_0, with a step 301 and 320, and without blocks 236. */
enum { MOST_UNPACKING = 1024 };

extern const vkmm_kernel vkmm_kernel_coopmat;

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 6, {32, 64, 96, 128, 192, 256}},
    [VKMM_TUNE_COLS] =
        {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 6, {32, 64, 96, 128, 192, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_THREAD_ROWS] = {"sub-rows", 9, 0, "rows of C per subgroup", 5, {16, 32, 64, 96, 128}},
    [VKMM_TUNE_THREAD_COLS] = {"sub-cols", 10, 0, "columns of C per subgroup", 5, {16, 32, 64, 96, 128}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 6, {1, 2, 4, 8, 16, 32}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles traversed together", 4, {1, 4, 8, 16}},
    [PAD] = {"pad", 12, 0, "padding of each line in shared memory, in units of 16 bytes", 2, {0, 1}},
    [LANES] = {"lanes", 13, 0, "invocations per subgroup", 4, {8, 16, 32, 64}},
    [MATRIX_M] = {"mm", 0, 0, "rows of a matrix operation", 3, {8, 16, 32}},
    [MATRIX_N] = {"mn", 0, 0, "its columns", 3, {8, 16, 32}},
    [MATRIX_K] = {"mk", 0, 0, "its elements along K", 3, {8, 16, 32}},
    [VKMM_TUNE_TAIL] =
        {"tail", 0, 0, "parts of K of the tiles beside whole rounds of all processors", 5, {1, 2, 3, 4, 6}},
};

/* The type in which A and B are multiplied: f32 always as f16. */
static vkmm_type staged_type(const vkmm_problem *problem)
{
    if (problem->type != VKMM_F32) return problem->type;
    return vkmm_problem_compute(problem) == VKMM_F16 ? VKMM_F16 : VKMM_F32;
}

int vkmm_coopmat_lists(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3])
{
    const uint32_t operand = vkmm_component_of(staged_type(problem)),
                   sum = vkmm_component_of(vkmm_problem_compute(problem));
    for (uint32_t i = 0; i < device->matrices.shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrices.shapes[i];
        if (s->m == shape[0] && s->n == shape[1] && s->k == shape[2] && s->a == operand && s->b == operand &&
            s->c == sum && s->result == sum && s->scope == SCOPE_SUBGROUP && !s->saturating)
            return 1;
    }
    return 0;
}

/* rows, cols, depth (of 16-bit types), sub-rows, sub-cols, splits; swizzle, pad, -, and the fastest matrix operation
 * with these values, if the device lists it (k is that of 16-bit types). On an H200, the workgroups of one processor
 * share 48 KiB of shared memory, not the 228 KiB that it has: hence large tiles, one at a time, rather than two
 * buffers. The last presets are for smaller devices. */
static const vkmm_preset large[] = {
    /* Two for f16 sums only, which take half as many registers. */
    {{{256, 256, 32, 64, 128, 1, 8, 1, 1, 16, 8, 16}}, .70, 1, 1},
    {{{128, 256, 32, 64, 64, 1, 8, 1, 1, 16, 16, 16}}, .60, 1, 1},
    /* For all types. */
    {{{128, 256, 32, 64, 64, 1, 8, 1, 1, 16, 8, 16}}, .565, 1, 1},    /* .57 splits 256×4096×4096 */
    {{{128, 128, 32, 64, 64, 1, 8, 1, 1, 16, 16, 16}}, 1.73, 2, 600}, /* one at a time: .31, two: .52 */
    {{{64, 128, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16}}, .33, 1, 1},
    {{{64, 64, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16}}, .28, 2, 1},
    {{{64, 64, 32, 32, 32, 1, 8, 1, 1, 16, 16, 16}}, .22, 4, 1},
    {{{32, 32, 32, 32, 32, 1, 8, 1, 1, 1, 1, 1}}, .12, 8, 1},
    {{{32, 32, 16, 32, 32, 1, 8, 0, 1, 1, 1, 1}}, .10, 8, 1},
};
enum { ANY_SUMS = 2, SMALLER = 3, COUNT = VKMM_COUNT(large) };

/* Few tiles leave processors waiting for memory: a step of more elements along K has more reads in flight. For short
 * sides of MIDDLE to BAND, and for less than two rounds of small tiles (H200, driver 580.159.04, 2026-11-28). */
static const vkmm_preset band = {{{128, 128, 64, 32, 64, 1, 8, 1, 1, 16, 16, 16}}, .56, 1, 1};
static const vkmm_preset deep = {{{32, 32, 128, 16, 16, 1, 8, 1, 1, 16, 16, 16}}, .125, 2, 1};

/* For devices with few registers (kernel/general.h), ranked by the static cycles that their drivers report: the first
 * ones for RDNA 3, except with f16 sums, which its compiler unpacks; those from blocks of 16x16 on for Intel, whose
 * 8-bit types need narrower blocks. */
static const vkmm_preset few[] = {
    {{{64, 128, 32, 32, 64, 1, 8, 1, 1, 1, 1, 1}}, .40, 2, 1},
    {{{64, 128, 64, 32, 32, 1, 8, 1, 1, 1, 1, 1}}, .35, 1, 1},
    {{{64, 64, 32, 32, 32, 1, 8, 1, 1, 1, 1, 1}}, .22, 4, 1},
    {{{32, 32, 32, 32, 32, 1, 8, 1, 1, 1, 1, 1}}, .12, 8, 1},
    {{{64, 64, 16, 16, 16, 1, 8, 1, 1, 1, 1, 1}}, .10, 4, 1},
    {{{64, 64, 32, 8, 16, 1, 8, 1, 1, 1, 1, 1}}, .09, 2, 1},
    {{{64, 64, 16, 8, 16, 1, 8, 1, 1, 1, 1, 1}}, .06, 2, 1},
    {{{32, 32, 32, 8, 16, 1, 8, 1, 1, 1, 1, 1}}, .07, 8, 1},
    {{{32, 32, 16, 8, 16, 1, 8, 1, 1, 1, 1, 1}}, .05, 8, 1},
};

/* Presets of split products, which need twice the sums; depth counts both parts. The first ones have eight subgroups:
 * too many for the registers of RDNA 3. */
static const vkmm_preset in_parts[] = {
    {{{96, 128, 64, 48, 32, 1, 8, 1, 1, 16, 16, 16}}, .34, 1, 1},
    {{{64, 128, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16}}, .29, 2, 1},
    {{{64, 64, 64, 32, 32, 1, 8, 1, 1, 16, 16, 16}}, .28, 4, 1},
    {{{64, 64, 32, 32, 32, 1, 8, 1, 1, 1, 1, 1}}, .12, 4, 1},
    {{{64, 64, 32, 16, 16, 1, 8, 1, 1, 1, 1, 1}}, .08, 4, 1},
    {{{32, 32, 32, 16, 16, 1, 8, 1, 1, 1, 1, 1}}, .06, 8, 1},
};

/* Drivers for CPUs take minutes to compile larger ones. */
static const vkmm_preset small = {{{32, 32, 16, 16, 16, 1, 8, 1, 1, 1, 1, 1}}, .10, 8, 1};

/* Memory-bound: one operation covers most of the short side, so the long operand is read by all processors. Tiles are
 * those of tall products (vkmm_turn_tile). The narrow ones, for up to NARROW, need operations of 8 columns, and are
 * fastest with as many workgroups as run at once (H200, 2026-11-26: f16 4096×8×14336 in 41 µs; the others took 64 on an
 * H100). */
static const vkmm_preset narrow = {{{64, 16, 128, 16, 8, 1, 8, 1, 1, 16, 8, 16}}, .only_reads = 1, .resident = 2};
static const vkmm_preset narrow_blocks = {{{64, 8, 128, 16, 8, 1, 8, 1, 1, 16, 8, 16}}, .only_reads = 1, .resident = 2};
/* The same if each processor has a tile at most, K is not long, and neighbours of the long operand are neighbours along
 * K: half the tile and twice the depth, so that K is not split. f16 4096×8×4096 takes 12.3 µs instead of 14.4, and
 * 1000×8×1000 5.6 instead of 7.0; where K is 8192, they are slower (H100, driver 580.159.04, 2026-11-29). */
static const vkmm_preset narrow_few = {{{32, 16, 256, 16, 8, 1, 8, 1, 1, 16, 8, 16}}, .only_reads = 1, .resident = 1};
/* Up to THIN; the second one if each processor has a tile at most, and K is not long. */
static const vkmm_preset thin = {{{64, 32, 64, 16, 16, 1, 8, 1, 1, 16, 16, 16}}, .only_reads = 1, .resident = 3};
static const vkmm_preset thin_few = {{{32, 32, 128, 16, 16, 1, 8, 1, 1, 16, 16, 16}}, .only_reads = 1, .resident = 1};

/* Intel's shapes need its narrowest subgroups; on other devices the driver's choice is as good as any. */
uint32_t vkmm_coopmat_lanes(const vkmm_device_info *device)
{
    const uint32_t own = device->subgroup.size;
    if (device->subgroup.max_size == 0) return own;
    if (device->vendor_id == VENDOR_INTEL || own < device->subgroup.min_size || own > device->subgroup.max_size)
        return device->subgroup.min_size;
    return own;
}

int vkmm_coopmat_has_lanes(const vkmm_device_info *device, uint64_t lanes)
{
    if (device->subgroup.max_size == 0) return lanes == device->subgroup.size;
    return lanes > 0 && (lanes & (lanes - 1)) == 0 && lanes >= device->subgroup.min_size &&
           lanes <= device->subgroup.max_size;
}

int vkmm_coopmat_is_usable(const vkmm_kernel *kernel, const vkmm_device_info *device, const vkmm_problem *problem,
                           const uint32_t shape[3])
{
    return vkmm_coopmat_lists(device, problem, shape) && vkmm_module_for(kernel->name, problem, device, shape) != NULL;
}

/* The largest operation: more work per instruction. Zeros: none fits. */
static void best_shape(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t best[3])
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < device->matrices.shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrices.shapes[i];
        const uint32_t shape[3] = {s->m, s->n, s->k};
        const uint64_t work = (uint64_t)s->m * s->n * s->k;
        if (work <= most || !vkmm_coopmat_is_usable(&vkmm_kernel_coopmat, device, problem, shape)) continue;
        most = work;
        memcpy(best, shape, sizeof shape);
    }
}

static int both_in_blocks(const vkmm_problem *problem)
{
    return problem->format_a != VKMM_PLAIN && problem->format_b != VKMM_PLAIN;
}

/* Elements whose codes share bytes, which steps are multiples of; of q4_K, steps may have half of them. */
static uint32_t group_of(const vkmm_problem *problem)
{
    const vkmm_format format = vkmm_problem_format(problem);
    return format == VKMM_Q6_K ? 128 : format == VKMM_Q5_K ? 64 : BLOCK;
}

/* Adapts a preset to the device and the types: the largest usable matrix operation if the preset's is not listed, the
 * subgroup size, and steps along K of equally many bytes. If no operation fits, the preset becomes illegal. */
static void fit_matrix(const vkmm_device_info *device, const vkmm_problem *problem, vkmm_config *config)
{
    const uint32_t scale = vkmm_type_of(problem->type)->bytes == 1 ? 2 : 1;
    uint32_t *shape = &config->values[MATRIX_M];
    shape[2] *= scale;
    if (!vkmm_coopmat_is_usable(&vkmm_kernel_coopmat, device, problem, shape)) {
        memset(shape, 0, 3 * sizeof *shape);
        best_shape(device, problem, shape);
    }
    config->values[LANES] = vkmm_coopmat_lanes(device);
    config->values[VKMM_TUNE_DEPTH] *= scale;
    if (vkmm_problem_has_blocks(problem) && config->values[VKMM_TUNE_DEPTH] < group_of(problem))
        config->values[VKMM_TUNE_DEPTH] = group_of(problem);
}

/* Registers for loading one operand's tile: four for each piece of 16 bytes; four pieces at a time if 8-bit elements
 * are transposed. */
static uint64_t loaded(const vkmm_shape *shape, uint64_t across, int along_k)
{
    const uint64_t bytes = vkmm_type_of(shape->problem->type)->bytes, words = bytes == 1 && !along_k ? 4 : 1;
    const uint64_t pieces = across * vkmm_value(shape, VKMM_TUNE_DEPTH) * bytes / 16 / words;
    return 4 * words * vkmm_quotient(pieces + shape->x - 1, shape->x);
}

static uint32_t parts_of(const vkmm_problem *problem)
{
    const uint32_t parts = vkmm_method_at(problem->method)->parts;
    return parts > 0 ? parts : 1;
}

/* Registers for sums, fragments of two slices and loads, weighted by the drivers' measured use. */
static uint64_t held(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), cols = vkmm_value(shape, VKMM_TUNE_THREAD_COLS),
                   k = vkmm_value(shape, MATRIX_K), parts = parts_of(shape->problem),
                   slices = vkmm_value(shape, VKMM_TUNE_DEPTH) > k * parts ? 2 * parts : parts,
                   bytes = vkmm_type_of(staged_type(shape->problem))->bytes,
                   lane = 2 * parts * rows * cols + slices * (rows + cols) * k * bytes / 4;
    return 4 *
           (vkmm_quotient(lane, vkmm_value(shape, LANES)) +
            loaded(shape, vkmm_value(shape, VKMM_TUNE_ROWS), shape->problem->op_a == VKMM_OP_N) +
            loaded(shape, vkmm_value(shape, VKMM_TUNE_COLS), shape->problem->op_b == VKMM_OP_T)) /
           5;
}

/* Whether each processor has at most a tile of 32 lines, and K is at most `depth`. */
static int has_few_tiles(const vkmm_device_info *device, const vkmm_problem *problem, uint64_t depth)
{
    return vkmm_long_side(problem) * problem->batch_count <= (uint64_t)THIN * device->processors && problem->k <= depth;
}

static const vkmm_preset *take_narrow(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const int fits = problem->k > SHALLOW && vkmm_long_along_k(problem) && !vkmm_problem_has_blocks(problem);
    return fits && has_few_tiles(device, problem, MEDIUM) ? &narrow_few : &narrow;
}

/* The index-th preset, whether it fits the device's registers or not. Large tiles have too few invocations to transpose
 * the bytes of a transposed A while loading. */
static const vkmm_preset *candidate(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index)
{
    const int transposes = vkmm_type_of(problem->type)->bytes == 1 && problem->op_a == VKMM_OP_T,
              sums_f16 = vkmm_problem_compute(problem) == VKMM_F16;
    const uint32_t first = transposes ? SMALLER : sums_f16 ? 0 : ANY_SUMS;
    const uint32_t splits = VKMM_COUNT(in_parts), few_from = 2;
    const uint64_t side = vkmm_short_side(problem);
    if (parts_of(problem) > 1) {
        index += vkmm_is_processor(device) ? splits - 1 : vkmm_budget_of(device).matrices > 0 ? few_from : 0;
        return index < splits ? &in_parts[index] : NULL;
    }
    if (vkmm_is_processor(device)) return index > 0 ? NULL : &small;
    /* These come before the others. */
    if (vkmm_problem_has_blocks(problem) && side <= 8 && !vkmm_is_wide(problem) && index-- == 0) return &narrow_blocks;
    if (side <= NARROW && index-- == 0) return take_narrow(device, problem);
    if (side <= THIN && index-- == 0) return has_few_tiles(device, problem, LONG) ? &thin_few : &thin;
    if (vkmm_budget_of(device).matrices > 0) return sums_f16 + index < VKMM_COUNT(few) ? &few[sums_f16 + index] : NULL;
    if (side > MIDDLE && side <= BAND && index-- == 0) return &band;
    if (problem->k > SHALLOW && index-- == 0) return &deep;
    return first + index < COUNT ? &large[first + index] : NULL;
}

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    const uint32_t most = vkmm_budget_of(device).matrices;
    const vkmm_preset *found;
    for (uint32_t i = 0; (found = candidate(device, problem, i)) != NULL; i++) {
        *preset = *found;
        if (preset->only_reads) vkmm_turn_tile(problem, &preset->config);
        preset->config.values[VKMM_TUNE_TAIL] = 1;
        preset->peak =
            (vkmm_type_of(problem->type)->bytes == 1 ? 2450 : 1200) * 1980.0; /* measured with registers only */
        fit_matrix(device, problem, &preset->config);
        const vkmm_shape shape = vkmm_shape_of_config(device, &vkmm_kernel_coopmat, problem, &preset->config);
        if ((most == 0 || held(&shape) <= most) && index-- == 0) return 1;
    }
    return 0;
}

/* Bytes of one operand's tile: lines along K, or across it if it is stored that way; bytes always along K. */
static uint64_t tile_bytes(const vkmm_shape *shape, uint64_t length, int along_k)
{
    const uint64_t bytes = vkmm_type_of(staged_type(shape->problem))->bytes, depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    const uint64_t pad = 16 * vkmm_value(shape, PAD);
    return along_k || bytes == 1 ? length * (depth * bytes + pad) : depth * (length * bytes + pad);
}

/* Columns of what a subgroup passes through shared memory at a time: STRIP_COLS of the shader. */
static uint64_t strip_cols(const vkmm_shape *shape)
{
    const uint64_t cols = vkmm_value(shape, MATRIX_N),
                   fragments = vkmm_quotient(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), cols);
    const uint64_t wide = vkmm_quotient(256, cols * vkmm_type_of(shape->type)->bytes);
    return cols * (wide > 0 && fragments % wide == 0 ? wide : fragments % 2 == 0 ? 2 : 1);
}

static void ask(vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    const uint64_t tiles = tile_bytes(shape, vkmm_value(shape, VKMM_TUNE_ROWS), p->op_a == VKMM_OP_N) +
                           tile_bytes(shape, vkmm_value(shape, VKMM_TUNE_COLS), p->op_b == VKMM_OP_T);
    const uint64_t subgroups = vkmm_blocks_down(shape) * vkmm_blocks_across(shape), lanes = vkmm_value(shape, LANES),
                   sums = vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) * vkmm_value(shape, VKMM_TUNE_THREAD_COLS),
                   line = strip_cols(shape) * vkmm_type_of(shape->type)->bytes + 16;
    const uint64_t passed = subgroups * vkmm_value(shape, MATRIX_M) * line;
    shape->x = subgroups * lanes;
    shape->shared_bytes = tiles > passed ? tiles : passed;
    shape->registers = vkmm_quotient(sums * vkmm_type_of(shape->type)->bytes / 4, lanes);
    vkmm_request_subgroups(shape, subgroups, lanes);
    memcpy(shape->matrix, &shape->config->values[MATRIX_M], sizeof shape->matrix);
}

uint64_t vkmm_missing_matrix(const vkmm_shape *shape)
{
    return !vkmm_coopmat_is_usable(shape->kernel, shape->device, shape->problem, shape->matrix);
}

static uint64_t broken_fragments(const vkmm_shape *shape)
{
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), vkmm_value(shape, MATRIX_M)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), vkmm_value(shape, MATRIX_N)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vkmm_value(shape, MATRIX_K));
}

static uint64_t broken_parts(const vkmm_shape *shape)
{
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH), most_depth = 128, k = shape->problem->k,
                   parts = vkmm_value(shape, VKMM_TUNE_SPLITS) * vkmm_value(shape, VKMM_TUNE_TAIL); /* one is 1 */
    if (parts_of(shape->problem) == 1) return 0;
    return vkmm_left_over(depth, 2 * VKMM_PART) + vkmm_left_over(VKMM_PART, vkmm_value(shape, MATRIX_K)) +
           (depth > most_depth) + (k > 0 && parts * parts > 2 * k); /* k has both hi and lo */
}

/* The first pass computes C, too, so it must have what that takes. */
static uint64_t broken_tail(const vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    if (vkmm_value(shape, VKMM_TUNE_TAIL) == 1) return 0;
    return vkmm_value(shape, VKMM_TUNE_TAIL) == 0 || parts_of(p) == 1 || vkmm_value(shape, VKMM_TUNE_SPLITS) != 1 ||
           p->batch_count > 1 || p->has_bias || vkmm_type_of(vkmm_operand_type(p, VKMM_C))->bytes < 4;
}

/* A line of memory is loaded 16 bytes at a time, in either direction. */
static uint64_t broken_vectors(const vkmm_shape *shape)
{
    const uint64_t vector = 16 / vkmm_type_of(shape->problem->type)->bytes;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vector);
}

/* One operand in blocks, and steps that begin where blocks do, or at a multiple of a small block's elements. */
static uint64_t broken_blocks(const vkmm_shape *shape)
{
    const vkmm_problem *p = shape->problem;
    if (!vkmm_problem_has_blocks(p)) return 0;
    if (both_in_blocks(p)) return 1;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), group_of(p));
}

static uint64_t broken_settings(const vkmm_shape *shape)
{
    return (vkmm_value(shape, SWIZZLE) == 0) + (vkmm_value(shape, PAD) > 16);
}

/* A subgroup size that the driver supports; if none can be requested, the one that it has. */
static uint64_t broken_lanes(const vkmm_shape *shape)
{
    return !vkmm_coopmat_has_lanes(shape->device, vkmm_value(shape, LANES));
}

static vkmm_status refuse_matrix(const vkmm_shape *shape)
{
    const vkmm_device_info *device = shape->device;
    const vkmm_types types = vkmm_problem_types(shape->problem);
    const char *in = vkmm_type_of(types.in)->name, *sum = vkmm_type_of(types.compute)->name;
    const char *kernel = shape->kernel->name;
    char listed[200] = "";
    for (uint32_t i = 0; i < device->matrices.shape_count; i++) {
        const vkmm_matrix_shape *s = &device->matrices.shapes[i];
        const uint32_t one[3] = {s->m, s->n, s->k};
        char text[40];
        VKMM_PUT(text, "%ux%ux%u", s->m, s->n, s->k);
        if (vkmm_coopmat_is_usable(&vkmm_kernel_coopmat, device, shape->problem, one) &&
            !strstr(listed, text)) /* f16 and f32 sums are two lines */
            VKMM_JOIN(listed, " ", "%s", text);
    }
    if (shape->matrix[0] + shape->matrix[1] + shape->matrix[2] == 0)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "\"%s\" lists no matrix operation for %s summed in %s that this build has a %s shader for",
                         device->name, in, sum, kernel);
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "%s for %s summed in %s cannot use matrix operations of %ux%ux%u (mm, mn, mk): %s; it can use: %s",
                     kernel, in, sum, shape->matrix[0], shape->matrix[1], shape->matrix[2],
                     vkmm_coopmat_lists(device, shape->problem, shape->matrix) ? "this build has no shader for them"
                                                                               : "the device lists none of that shape",
                     listed[0] ? listed : "none");
}

static vkmm_status refuse_lanes(const vkmm_shape *shape)
{
    const vkmm_device_info *device = shape->device;
    const uint32_t lanes = shape->config->values[LANES];
    if (device->subgroup.max_size == 0)
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "subgroups of %u invocations (lanes): \"%s\" has %u, and does not allow others (subgroupSizeControl)",
            lanes, device->name, device->subgroup.size);
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "subgroups of %u invocations (lanes): \"%s\" takes a power of two from %u to %u (minSubgroupSize, "
                     "maxSubgroupSize)",
                     lanes, device->name, device->subgroup.min_size, device->subgroup.max_size);
}

static const vkmm_rule rules[] = {
    {"matrix shapes", "unavailable matrix operations", vkmm_missing_matrix, NULL,
     "the device must list the shape for its types, and this build must have a shader for it", refuse_matrix},
    {"whole fragments", "leftover rows, columns or elements of a step", broken_fragments, NULL,
     "sub-rows must be a multiple of mm, sub-cols of mn, and depth of mk"},
    {"whole parts", "leftover elements of a step, or imprecise settings", broken_parts, NULL,
     "in a split product, depth must be a multiple of 32 up to 128, mk a divisor of 16, and splits at most 2·√K"},
    {"parts of a tail", "other parts of K", broken_tail, NULL,
     "tail must be 1 unless a split product of one matrix has no bias, and splits=1"},
    {"whole blocks", "leftover rows or columns", vkmm_outside_blocks, NULL,
     "rows must be a multiple of sub-rows, and cols a multiple of sub-cols"},
    {"whole vectors", "elements that do not fill 16 bytes", broken_vectors, NULL,
     "tiles are loaded 16 bytes at a time along rows, cols and depth"},
    {"blocks of one operand", "leftover elements of a step", broken_blocks, NULL,
     "A or B alone may be in blocks, and depth must then be a multiple of 32, with q5_K of 64, with q6_K of 128"},
    {"settings", "unsupported settings", broken_settings, NULL, "pad must be at most 16, and swizzle not 0"},
    {"minSubgroupSize, maxSubgroupSize", "unsupported subgroup sizes", broken_lanes, NULL,
     "lanes is the subgroup size: a power of two between the device's minimum and maximum", refuse_lanes},
    {0},
};

/* If the device's matrix operations fit the problem, and both its sides are long enough to benefit: on an NVIDIA H200
 * (driver 580.159.04, 2026-11-28), 4096×n×14336 takes 38 µs in f16 for any n from 2 to 8, where skinny takes 33 for 2
 * and 45 for 3; with q4_0, 34, where skinny takes 24, 34 and 40 for 2, 3 and 4. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const uint64_t side = vkmm_short_side(problem);
    const int has_blocks = vkmm_problem_has_blocks(problem);
    uint32_t shape[3] = {0};
    if (vkmm_is_processor(device) || side < (has_blocks ? LEAST_SIDE_OF_BLOCKS : LEAST_SIDE)) return 0;
    if (has_blocks && (side > MOST_UNPACKING || both_in_blocks(problem))) return 0;
    best_shape(device, problem, shape);
    return shape[0] > 0 ? VKMM_SUITS_UNITS : 0;
}

const vkmm_kernel vkmm_kernel_coopmat = {
    .name = "coopmat",
    .summary = "matrix operations of subgroups, fed from shared memory (VK_KHR_cooperative_matrix)",
    .spread = VKMM_SPREAD_ITEMS,
    .uses_shared = 1,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
    .reads_padding = 1,
    .remainders = 1,
    .slow.unaligned = {1.6, 2.3}, /* element by element */
    .slow.across = {1.3, 1.3},
};
