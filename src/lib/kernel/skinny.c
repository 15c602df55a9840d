/* shaders/skinny.comp. The presets come from sweeps on an NVIDIA H200 (driver 580, 2026-11-21); CHANGELOG.md has the
 * figures. */
#include "kernel/general.h"

#include "base/limits.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"

enum { THREAD_LONG = VKMM_TUNE_THREAD_ROWS, THREADS = VKMM_TUNE_OWN };

/* `long` means the tile's longer side. The planner derives the shorter side from the problem. */
static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 7, {1, 4, 8, 16, 32, 64, 128}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 7, {1, 4, 8, 16, 32, 64, 128}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step", 7, {8, 16, 32, 64, 128, 256, 512}},
    [THREAD_LONG] = {"thread-long", 9, 0, "elements along the longer side per invocation", 4, {1, 2, 4, 8}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 7, {1, 2, 4, 8, 16, 32, 64}},
    [THREADS] = {"threads", 0, 0, "invocations per workgroup", 4, {32, 64, 128, 256}},
};

/* A preset for short sides up to `most`: rows, cols, depth, thread-long, -, splits; threads. The shorter side of the
 * tile is fitted to the problem. */
typedef struct sided {
    uint32_t most;
    vkmm_config config;
} sided;
#define ANY UINT32_MAX

/* Neighbours along K: a workgroup sums a few long rows; neighbours across: it reads many columns in parallel. The last
 * ones of each list are for devices with few registers (kernel/general.h). */
static const sided along[] = {
    {2, {{4, 1, 1024, 4, 1, 1, 256}}}, {8, {{4, 1, 512, 4, 1, 1, 128}}},  {ANY, {{16, 1, 128, 4, 1, 1, 128}}},
    {ANY, {{4, 1, 128, 4, 1, 1, 32}}}, {ANY, {{16, 1, 32, 4, 1, 1, 32}}}, {ANY, {{4, 1, 128, 2, 1, 1, 128}}},
};
/* 16-bit elements (8 in 16 bytes) and 8-bit elements (16). Each tile reads the whole short operand again, so tiles need
 * many rows. */
static const sided along_16[] = {
    {1, {{4, 1, 1024, 2, 1, 1, 256}}},   {2, {{4, 1, 512, 2, 1, 1, 128}}},  {4, {{8, 1, 1024, 4, 1, 1, 256}}},
    {ANY, {{16, 1, 256, 4, 1, 1, 128}}}, {ANY, {{16, 1, 64, 4, 1, 1, 32}}}, {ANY, {{8, 1, 256, 2, 1, 1, 128}}},
    {ANY, {{8, 1, 128, 2, 1, 1, 128}}},
};
static const sided along_8[] = {
    {1, {{8, 1, 2048, 4, 1, 1, 256}}},  {2, {{4, 1, 4096, 4, 1, 1, 256}}},   {4, {{4, 1, 2048, 4, 1, 1, 128}}},
    {8, {{16, 1, 1024, 4, 1, 1, 256}}}, {ANY, {{16, 1, 512, 4, 1, 1, 128}}}, {ANY, {{16, 1, 128, 4, 1, 1, 32}}},
    {ANY, {{8, 1, 512, 2, 1, 1, 128}}}, {ANY, {{8, 1, 256, 1, 1, 1, 128}}},
};
static const sided across_narrow[] = {
    {4, {{64, 1, 128, 4, 1, 1, 256}}}, {8, {{128, 1, 64, 4, 1, 1, 256}}},  {ANY, {{64, 1, 64, 4, 1, 1, 128}}},
    {ANY, {{32, 1, 32, 4, 1, 1, 32}}}, {ANY, {{32, 1, 32, 2, 1, 1, 128}}},
};
static const sided across[] = {
    {4, {{64, 1, 64, 4, 1, 1, 256}}},  {8, {{128, 1, 64, 4, 1, 1, 256}}},  {ANY, {{64, 1, 32, 4, 1, 1, 128}}},
    {ANY, {{32, 1, 16, 4, 1, 1, 32}}}, {ANY, {{32, 1, 32, 2, 1, 1, 128}}}, {ANY, {{32, 1, 8, 2, 1, 1, 128}}},
};

/* The long operand in blocks: an invocation takes IN_BLOCKS elements of each of its lines at a time. The first four are
 * the best on the whole of three to nine for one, two, four and eight columns of eleven formats on an NVIDIA H200
 * (driver 580, 2026-11-29). */
enum { IN_BLOCKS = 2 * VKMM_BLOCK_PART };
static const vkmm_config blocks[] = {
    {{8, 1, 2048, 4, 1, 1, 128}},  /* for one or two columns */
    {{4, 1, 2048, 2, 1, 1, 128}},  /* for one, where elements have many bits */
    {{8, 1, 1024, 2, 1, 1, 128}},  /* up to four */
    {{16, 1, 1024, 2, 1, 1, 256}}, /* more */
    {{16, 1, 512, 1, 1, 1, 256}},  /* where registers are few */
    {{16, 1, 512, 2, 1, 1, 128}},  /* where a workgroup has at most 128 invocations */
};

/* Whether a workgroup that reads the short operand along K finds each element in a line of its own. */
static int short_is_scattered(const vkmm_problem *problem)
{
    return !vkmm_is_along_k(problem, vkmm_is_wide(problem) ? VKMM_A : VKMM_B);
}

static int is_uneven(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const uint32_t bit = vkmm_is_wide(problem) ? VKMM_ALIGNED_B : VKMM_ALIGNED_A;
    return device->driver.id == VK_DRIVER_ID_NVIDIA_PROPRIETARY && vkmm_long_along_k(problem) &&
           !(vkmm_problem_alignment(problem) & bit);
}

/* Sets the tile's shorter side to the problem's, rounded up; 16 at most. A configuration that was fitted before does
 * not change: 4×8 has 4 along the problem's long side. */
static void fit(const vkmm_problem *problem, vkmm_config *config)
{
    const uint64_t side = vkmm_short_side(problem);
    const uint32_t fit = side < 1 ? 1 : side <= 4 ? (uint32_t)side : side <= 8 ? 8 : 16;
    const int is_wide = vkmm_is_wide(problem);
    uint32_t *shorter = &config->values[is_wide ? VKMM_TUNE_ROWS : VKMM_TUNE_COLS],
             *longer = &config->values[is_wide ? VKMM_TUNE_COLS : VKMM_TUNE_ROWS];
    if (*longer == 1 || (*shorter > *longer && *shorter != fit)) *longer = *shorter > 1 ? *shorter : fit;
    *shorter = fit;
}

/* For 16-bit elements, a long operand contiguous along K with unaligned rows, and a scattered short operand: on an
 * NVIDIA H200, 4097×1×4097 takes 20 µs, and 60 µs with 64 rows. NVIDIA's driver only; others were not measured. */
static const vkmm_config uneven = {{8, 1, 1024, 4, 1, 1, 256}};

static int put(const vkmm_config *config, const vkmm_problem *problem, vkmm_preset *preset)
{
    *preset = (vkmm_preset){.config = *config, .only_reads = 1};
    fit(problem, &preset->config);
    return 1;
}

#define LIST(presets) (const sided *)(presets), VKMM_COUNT(presets)

static int take(const sided *presets, uint32_t count, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    for (uint32_t i = 0; i < count; i++)
        if (presets[i].most >= vkmm_short_side(problem) && index-- == 0)
            return put(&presets[i].config, problem, preset);
    return 0;
}

static int is_float8(vkmm_format format)
{
    return format >= VKMM_MXFP8_E4M3 && format <= VKMM_FP8_E5M2;
}

/* q6_K's 6 bits in two places leave no registers for two lines with several columns; unpacking 8-bit floats takes as
 * many. */
static uint32_t first_of_blocks(vkmm_format format, uint64_t side)
{
    const vkmm_format_info *info = vkmm_format_at(format);
    if (side > 1 && (is_float8(format) || format == VKMM_Q6_K)) return 4;
    if (side <= 2 && 16 * info->bytes <= (side == 1 ? 11 : 10) * info->elements) return 0; /* 5.5 and 5 bits */
    return side == 1 ? 1 : side <= 4 ? 2 : 3;
}

static int take_blocks(const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    index += first_of_blocks(vkmm_problem_format(problem), vkmm_short_side(problem));
    if (index >= VKMM_COUNT(blocks)) return 0;
    put(&blocks[index], problem, preset);
    preset->resident = 2;
    return 1;
}

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    const uint64_t side = vkmm_short_side(problem);
    const uint32_t bytes = vkmm_type_of(problem->type)->bytes;
    if (vkmm_problem_has_blocks(problem)) return take_blocks(problem, index, preset);
    /* Tiles of few rows would read a scattered short operand too often. */
    const int again = bytes == 2 && side <= 2 && short_is_scattered(problem);
    if (again && is_uneven(device, problem) && index-- == 0) return put(&uneven, problem, preset);
    if (again || (bytes < 4 && !vkmm_long_along_k(problem))) return take(LIST(across_narrow), problem, index, preset);
    if (bytes == 2) return take(LIST(along_16), problem, index, preset);
    if (bytes == 1) return take(LIST(along_8), problem, index, preset);
    if (vkmm_long_along_k(problem)) return take(LIST(along), problem, index, preset);
    return take(LIST(across), problem, index, preset);
}

/* Whether unpacking takes many registers: bits of an element are in two places, or make a float. */
static int is_laborious(vkmm_format format)
{
    return format == VKMM_Q5_K || format == VKMM_Q6_K || is_float8(format);
}

/* Lines of a workgroup, each of which several invocations share, its lanes; 0: the configuration is not valid. */
static uint64_t lines_of(const vkmm_config *config)
{
    const uint32_t *value = config->values;
    const uint32_t side = value[VKMM_TUNE_ROWS] > value[VKMM_TUNE_COLS] ? value[VKMM_TUNE_ROWS] : value[VKMM_TUNE_COLS];
    return vkmm_quotient(side, value[THREAD_LONG]);
}

static uint64_t lanes_of(const vkmm_config *config)
{
    return vkmm_quotient(config->values[THREADS], lines_of(config));
}

/* Registers for sums and for elements of both operands, weighted by the drivers' measured use (kernel/general.h). */
static uint64_t held(const vkmm_shape *shape)
{
    const uint64_t depth =
        vkmm_quotient(vkmm_value(shape, VKMM_TUNE_DEPTH) * lines_of(shape->config), vkmm_value(shape, THREADS));
    const uint64_t sum = vkmm_type_of(shape->type)->bytes == 2 ? 47 : 25; /* Intel's compiler unpacks 16 bits */
    const vkmm_format format = vkmm_problem_format(shape->problem);
    const uint64_t element = format == VKMM_PLAIN ? 8 : is_laborious(format) ? 20 : 11; /* unpacked, and as read */
    return (sum * vkmm_value(shape, THREAD_LONG) * vkmm_shorter(shape) +
            element * vkmm_value(shape, THREAD_LONG) * depth + 5 * depth * vkmm_shorter(shape)) /
           20;
}

static void ask(vkmm_shape *shape)
{
    const uint64_t bytes = 16 / vkmm_vector_of(shape->type);
    shape->x = vkmm_value(shape, THREADS);
    shape->registers = vkmm_registers_of(shape->type, vkmm_value(shape, THREAD_LONG) * vkmm_shorter(shape));
    /* As in the shader: lengths whose sums are passed together, and groups of lanes. */
    const uint64_t most = vkmm_quotient(4, vkmm_shorter(shape)),
                   together = most < 1 ? 1 : vkmm_least(most, vkmm_value(shape, THREAD_LONG));
    const uint64_t lanes = lanes_of(shape->config), groups = lanes >= 64 ? 16 : lanes >= 16 ? 4 : 1;
    shape->shared_bytes = (shape->x + lines_of(shape->config) * groups) * vkmm_shorter(shape) * together * bytes;
    shape->held = vkmm_registers_of(shape->type, held(shape));
}

static int is_power_of_two(uint64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static uint64_t broken_lines(const vkmm_shape *shape)
{
    const uint64_t lines = lines_of(shape->config);
    if (!is_power_of_two(lines) || !is_power_of_two(shape->x)) return 1;
    return vkmm_left_over(vkmm_longer(shape), vkmm_value(shape, THREAD_LONG)) + vkmm_left_over(shape->x, lines);
}

static uint64_t broken_depth(const vkmm_shape *shape)
{
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH), lanes = lanes_of(shape->config),
                   each = vkmm_problem_has_blocks(shape->problem)          ? IN_BLOCKS
                          : vkmm_type_of(shape->problem->type)->bytes == 1 ? 16
                                                                           : 8,
                   most = each * lanes;
    return depth > most ? depth - most : vkmm_left_over(depth, lanes);
}

/* Whole blocks, and whole parts for each lane; and the operand in blocks along the longer side. */
static uint64_t broken_blocks(const vkmm_shape *shape)
{
    const int tall = vkmm_value(shape, VKMM_TUNE_ROWS) >= vkmm_value(shape, VKMM_TUNE_COLS);
    const vkmm_format in_long = tall ? shape->problem->format_a : shape->problem->format_b;
    if (!vkmm_problem_has_blocks(shape->problem)) return 0;
    if (in_long == VKMM_PLAIN) return 1;
    const vkmm_format_info *format = vkmm_format_at(in_long);
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    return vkmm_left_over(depth, format->elements) + depth / format->elements * format->bytes % 4 +
           vkmm_left_over(depth, IN_BLOCKS * lanes_of(shape->config));
}

static uint64_t broken_short(const vkmm_shape *shape)
{
    return vkmm_shorter(shape) > 16 ? vkmm_shorter(shape) - 16 : vkmm_shorter(shape) == 0;
}

static const vkmm_rule rules[] = {
    {"whole lines", "leftover elements of the longer side", broken_lines, NULL,
     "the longer side must divide into a power of two of lines, and threads, a power of two, into these lines"},
    {"whole lanes", "leftover elements of a step", broken_depth, NULL,
     "the lanes of a line must divide each step along K, with at most 8 elements (of 8 bits: 16, in blocks: 32) "
     "per lane"},
    {"whole blocks", "leftover elements of a step", broken_blocks, NULL,
     "blocks lie along the longer side alone, and a step has whole ones, in whole words, and 32 elements for each "
     "lane"},
    {"a short side", "excess elements of the shorter side", broken_short, NULL,
     "the shorter side must be 1 to 16: an invocation has a sum for each of its elements"},
    {0},
};

/* A short operand of narrow elements that lie scattered is read too often for more than 4 of them: on an NVIDIA H200,
 * bf16 4096×8×14336 takes 145 µs at best, and `blocked` 92. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const int scattered =
        !vkmm_is_processor(device) && vkmm_type_of(problem->type)->bytes < 4 && short_is_scattered(problem);
    /* SwiftShader compiles the reading of blocks for minutes. */
    if (vkmm_problem_has_blocks(problem) && device->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER) return 0;
    if ((vkmm_is_wide(problem) ? problem->format_a : problem->format_b) != VKMM_PLAIN) return 0;
    return vkmm_short_side(problem) <= (scattered ? 4 : 8) ? VKMM_SUITS_SHAPE : 0;
}

/* The long operand is read in vectors of 16 bytes along K, if each invocation's share consists of whole vectors; beside
 * blocks, the short one is. */
static uint32_t alignment(const vkmm_problem *problem, const vkmm_config *config)
{
    const uint32_t *value = config->values, vector = vkmm_vector_of(vkmm_problem_compute(problem));
    uint32_t vectors[3] = {vector, vector, vector};
    const int tall = value[VKMM_TUNE_ROWS] >= value[VKMM_TUNE_COLS],
              along_k = vkmm_is_along_k(problem, tall ? VKMM_A : VKMM_B);
    const uint64_t thread_depth = value[VKMM_TUNE_DEPTH] / lanes_of(config);
    uint32_t *longer = &vectors[tall ? VKMM_A : VKMM_B];
    if (vkmm_problem_has_blocks(problem)) {
        vectors[tall ? VKMM_B : VKMM_A] = 16 / vkmm_type_of(problem->type)->bytes;
        return vkmm_problem_alignment_to(problem, vectors);
    }
    if (along_k) *longer = 16 / vkmm_type_of(problem->type)->bytes;
    const int whole = (along_k ? thread_depth : value[THREAD_LONG]) % *longer == 0;
    const uint32_t aligned = vkmm_problem_alignment_to(problem, vectors);
    return whole ? aligned : aligned & ~(uint32_t)(tall ? VKMM_ALIGNED_A : VKMM_ALIGNED_B);
}

/* Partial sums per element of C: one for each lane of a line. */
static uint32_t sums(const vkmm_config *config)
{
    return (uint32_t)lanes_of(config);
}

const vkmm_kernel vkmm_kernel_skinny = {
    .name = "skinny",
    .summary = "for few rows or few columns, down to a matrix times a vector: limited by reads; takes every problem",
    .spread = VKMM_SPREAD_ITEMS,
    .uses_shared = 1,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
    .fit = fit,
    .alignment = alignment,
    .sums = sums,
};
