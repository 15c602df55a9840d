/* shaders/skinnymat.comp: a matrix in blocks times few columns, by matrix operations. */
#include <string.h>

#include "base/array.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/problem.h"
#include "math/type.h"

/* The shader's elements along K that a subgroup takes at a time; lines of the long and of the short operand in a
 * matrix operation; invocations of a subgroup. */
enum { LEAP = 256, LINES = 16, SHORT = 8, LANES = 32 };
static const uint32_t matrix[3] = {LINES, SHORT, 16};

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 4, {1, 8, 16, 32}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 4, {1, 8, 16, 32}},
    [VKMM_TUNE_DEPTH] =
        {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step, 256 a subgroup", 3, {1024, 2048, 4096}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 4, {1, 2, 4, 8}},
};

/* rows, cols, depth, -, -, splits. A processor should have two workgroups at once: the second one is for formats of 8
 * bits, which take more shared memory. */
static const vkmm_config presets[] = {{{16, 8, 2048, 1, 1, 1}}, {{16, 8, 1024, 1, 1, 1}}};

/* Where skinny is faster, on an NVIDIA H200 (driver 580.159.04, 2026-11-29): for one or two columns if K is shorter
 * than LONG, but for e2m1, which it unpacks slowly; q4_0 14336×1×4096 takes 16.3 µs, here 17.9, and 4096×1×14336 16.1
 * and 14.6. And for one column of q8_0 and q4_1: 4096×1×14336 with q4_1 takes 15.8, here 17.8. */
enum { FEW = 2, LONG = 8192 };

static int is_e2m1(vkmm_format format)
{
    return format == VKMM_MXFP4 || format == VKMM_NVFP4;
}

static int has_8_bits(vkmm_format format)
{
    return format == VKMM_Q8_0;
}

static int is_unpacked(vkmm_format format)
{
    return is_e2m1(format) || has_8_bits(format) || format == VKMM_Q4_0 || format == VKMM_Q4_1 || format == VKMM_Q4_K;
}

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    (void)device;
    index += has_8_bits(vkmm_problem_format(problem));
    if (index >= VKMM_COUNT(presets)) return 0;
    *preset = (vkmm_preset){.config = presets[index], .only_reads = 1, .resident = 2};
    if (vkmm_short_side(problem) == 1) preset->config.values[VKMM_TUNE_COLS] = 1;
    vkmm_turn_tile(problem, &preset->config);
    return 1;
}

static int is_tall(const vkmm_shape *shape)
{
    return vkmm_value(shape, VKMM_TUNE_ROWS) >= vkmm_value(shape, VKMM_TUNE_COLS);
}

/* Bytes of shared memory: lines of the long operand in blocks, as the shader pads them, and of the short one in f16. */
static uint64_t leap_bytes(const vkmm_shape *shape)
{
    const vkmm_format_info *format = vkmm_format_at(vkmm_problem_format(shape->problem));
    const uint64_t pairs = (uint64_t)LEAP / format->elements * format->bytes / 8;
    return vkmm_longer(shape) * 8 * (pairs + (6 - pairs % 4) % 4) + (vkmm_shorter(shape) == 1 ? 2 * LEAP : 0);
}

static void ask(vkmm_shape *shape)
{
    const uint64_t subgroups = vkmm_value(shape, VKMM_TUNE_DEPTH) / LEAP;
    shape->x = subgroups * LANES;
    shape->shared_bytes = subgroups * leap_bytes(shape) + 16;
    shape->registers = vkmm_longer(shape) * SHORT / LANES;
    vkmm_request_subgroups(shape, subgroups, LANES);
    memcpy(shape->matrix, matrix, sizeof matrix);
}

static int has_matrix(const vkmm_device_info *device, const vkmm_problem *problem)
{
    return vkmm_coopmat_has_lanes(device, LANES) && vkmm_coopmat_lists(device, problem, matrix);
}

/* A (or B) is in blocks, whose lines begin at multiples of LEAP elements, those of the other operand at multiples of
 * eight; neighbours of both are neighbours along K. */
static int fits(const vkmm_problem *problem, int tall)
{
    const vkmm_format in_long = tall ? problem->format_a : problem->format_b,
                      in_short = tall ? problem->format_b : problem->format_a;
    const uint32_t elements[3] = {tall ? LEAP : 8, tall ? 8 : LEAP, 1}, both = VKMM_ALIGNED_A | VKMM_ALIGNED_B;
    return problem->type == VKMM_F16 && is_unpacked(in_long) && in_short == VKMM_PLAIN && problem->k > 0 &&
           problem->k % LEAP == 0 && vkmm_is_along_k(problem, VKMM_A) && vkmm_is_along_k(problem, VKMM_B) &&
           (vkmm_problem_alignment_to(problem, elements) & both) == both;
}

static uint64_t missing_matrix(const vkmm_shape *shape)
{
    return !has_matrix(shape->device, shape->problem);
}

static uint64_t broken_operands(const vkmm_shape *shape)
{
    return !fits(shape->problem, is_tall(shape));
}

static uint64_t broken_tile(const vkmm_shape *shape)
{
    return vkmm_left_over(vkmm_longer(shape), LINES) + (vkmm_shorter(shape) != 1 && vkmm_shorter(shape) != SHORT) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), LEAP);
}

static const vkmm_rule rules[] = {
    {"matrix shapes", "unavailable matrix operations", missing_matrix, NULL,
     "the device must list 16x8x16 for f16 summed in f32, and have subgroups of 32 invocations"},
    {"operands", "operands of another kind", broken_operands, NULL,
     "q8_0, q4_0, q4_1, q4_K, mxfp4 or nvfp4 along the longer side, with lines at multiples of 256 elements; f16 along "
     "the other, with lines at multiples of 8; neighbours of both along K"},
    {"whole matrices", "leftover rows, columns or elements of a step", broken_tile, NULL,
     "the shorter side must be 1 or 8, the longer one a multiple of 16, and depth a multiple of 256"},
    {0},
};

/* The driver whose layout the shader knows; others would multiply without matrix operations, slowly. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const uint64_t side = vkmm_short_side(problem);
    const vkmm_format format = vkmm_problem_format(problem);
    if (device->driver.id != VK_DRIVER_ID_NVIDIA_PROPRIETARY) return 0;
    if (side > SHORT || !has_matrix(device, problem)) return 0;
    if (!fits(problem, !vkmm_is_wide(problem))) return 0;
    if (is_e2m1(format)) return VKMM_SUITS_BOTH;
    if (side <= FEW && problem->k < LONG) return 0;
    return side == 1 && (has_8_bits(format) || format == VKMM_Q4_1) ? 0 : VKMM_SUITS_BOTH;
}

/* A sum for each subgroup. */
static uint32_t sums(const vkmm_config *config)
{
    return config->values[VKMM_TUNE_DEPTH] / LEAP;
}

const vkmm_kernel vkmm_kernel_skinnymat = {
    .name = "skinnymat",
    .summary = "skinny with matrix operations: blocks of 4 or 8 bits times up to 8 columns of f16",
    .spread = VKMM_SPREAD_ITEMS,
    .uses_shared = 1,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
    .sums = sums,
};
