/* shaders/blocked.comp. The presets come from sweeps on an NVIDIA H200 (driver 580, 2026-11-21); CHANGELOG.md has the
 * figures. */
#include "kernel/general.h"

#include "kernel/contract.h"

enum { SWIZZLE = VKMM_TUNE_OWN, BUFFERS, PAD, SLICES, LANE_COLS };

/* Lanes that run together on most GPUs: this many invocations are arranged in a rectangle. */
enum { LANES = 32 };

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] =
        {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 7, {16, 32, 48, 64, 96, 128, 256}},
    [VKMM_TUNE_COLS] =
        {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 7, {16, 32, 48, 64, 96, 128, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step", 3, {8, 16, 32}},
    [VKMM_TUNE_THREAD_ROWS] = {"thread-rows", 9, 0, "rows of C per invocation", 5, {2, 4, 8, 12, 16}},
    [VKMM_TUNE_THREAD_COLS] = {"thread-cols", 10, 0, "columns of C per invocation", 5, {2, 4, 8, 12, 16}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 7, {1, 2, 4, 8, 16, 32, 64}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles traversed together", 4, {1, 4, 8, 16}},
    [BUFFERS] = {"buffers", 12, 0, "pairs of tiles in shared memory", 2, {1, 2}},
    [PAD] = {"pad", 13, 0, "vectors added to each row in shared memory", 2, {0, 1}},
    [SLICES] = {"slices", 14, 0, "parts of the workgroup that share each step along K", 3, {1, 2, 4}},
    [LANE_COLS] = {"lane-cols", 15, 0, "adjacent invocations of those that run together", 4, {2, 4, 8, 16}},
};

/* rows, cols, depth, thread-rows, thread-cols, splits; swizzle, buffers, pad, slices, lane-cols */
static const vkmm_preset presets[] = {
    {{{64, 128, 16, 8, 8, 1, 8, 1, 1, 1, 2}}, .91, 3, 100},
    {{{128, 128, 16, 8, 8, 1, 8, 1, 1, 1, 8}}, .833, 2, 100},
    {{{64, 128, 16, 8, 8, 1, 8, 1, 1, 2, 2}}, .66, 2, 30},
    {{{64, 64, 32, 8, 8, 1, 8, 1, 1, 2, 8}}, .61, 3, 30},
    {{{64, 64, 16, 8, 8, 1, 8, 1, 1, 2, 8}}, .60, 3, 30},
    {{{48, 96, 16, 12, 4, 1, 8, 1, 1, 2, 8}}, .57, 2, 30},
    {{{64, 64, 16, 8, 4, 1, 8, 1, 1, 1, 8}}, .72, 4, 100},
    {{{64, 16, 16, 8, 4, 1, 8, 1, 1, 2, 4}}, .30, 6, 30},
    {{{32, 32, 32, 4, 4, 1, 8, 1, 1, 4, 8}}, .41, 3, 30},
    {{{32, 32, 16, 4, 4, 1, 8, 1, 1, 2, 8}}, .38, 4, 30},
    {{{32, 32, 16, 4, 4, 1, 8, 1, 1, 1, 8}}, .40, 8, 100},
    {{{16, 32, 8, 4, 4, 1, 8, 1, 1, 1, 4}}, .20, 8, 100},
    {{{16, 16, 4, 4, 4, 1, 8, 1, 1, 1, 4}}, .10, 8, 100},
    /* For devices with few registers: a larger block is faster elsewhere. */
    {{{64, 64, 16, 4, 4, 1, 8, 1, 1, 1, 8}}, .55, 4, 100},
};

/* Memory-bound: a short side of up to 32 and a long operand that fills caches. f32 4096×32×4096 takes 48 µs instead of
 * 97 (H200, driver 580.159.04, 2026-11-28). Up to 16 columns, 64×16 tiles are as fast or faster; 12×4096×4096 takes
 * 48 µs instead of 93 (H100, same driver, 2026-11-29). */
static const vkmm_preset thin = {{{64, 32, 32, 8, 4, 1, 8, 1, 1, 2, 8}}, .only_reads = 1, .resident = 3};
enum { MOST_SKINNY = 8, NARROW = 16, THIN = 32, FILLS = 1 << 23 /* elements */ };

static int is_thin(const vkmm_problem *problem)
{
    const uint64_t side = vkmm_short_side(problem), elements = vkmm_long_side(problem) * problem->k;
    return side > (vkmm_is_wide(problem) ? MOST_SKINNY : NARROW) && side <= THIN && elements >= FILLS &&
           vkmm_type_of(problem->type)->bytes == 4;
}

/* With NVIDIA's driver, for whole tiles of 128×128 that all run at once, nearly two per processor: 2048³ of f32 takes
 * 374 µs instead of 393, with B transposed 387 instead of 423 (H200, driver 580.159.04, 2026-11-23). */
static const vkmm_preset one_round = {{{128, 128, 16, 8, 8, 1, 2, 1, 1, 1, 16}}, .833, 2, 100};
enum { REPLACED = 1 /* of the presets */ };

static int is_one_round(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const uint64_t rows = one_round.config.values[VKMM_TUNE_ROWS], cols = one_round.config.values[VKMM_TUNE_COLS],
                   tiles = problem->m / rows * (problem->n / cols) * problem->batch_count;
    return device->driver.id == VK_DRIVER_ID_NVIDIA_PROPRIETARY && problem->type == VKMM_F32 &&
           problem->m % rows == 0 && problem->n % cols == 0 && 2 * tiles > 3 * (uint64_t)device->processors &&
           tiles <= 2 * (uint64_t)device->processors;
}

/* Elements of f64 fill twice the registers and half the vectors. */
static const vkmm_preset presets_f64[] = {
    {{{128, 128, 8, 8, 8, 1, 8, 1, 1, 1, 2}}, .97, 1, 100}, {{{64, 128, 8, 8, 8, 1, 8, 1, 1, 1, 2}}, .95, 2, 100},
    {{{64, 64, 8, 8, 4, 1, 8, 1, 1, 1, 2}}, .86, 3, 100},   {{{32, 64, 8, 4, 4, 1, 8, 1, 1, 1, 8}}, .65, 4, 100},
    {{{32, 32, 8, 4, 4, 1, 8, 1, 1, 1, 8}}, .60, 8, 100},   {{{16, 32, 8, 4, 4, 1, 8, 1, 1, 1, 4}}, .40, 8, 100},
    {{{16, 16, 4, 4, 4, 1, 8, 1, 1, 1, 4}}, .20, 8, 100},   {{{64, 64, 16, 4, 2, 1, 8, 1, 1, 1, 8}}, .50, 3, 100},
    {{{32, 32, 16, 2, 2, 1, 8, 1, 1, 1, 8}}, .31, 4, 100},
};

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    const int wide = problem->type == VKMM_F64;
    if (is_thin(problem) && index-- == 0) {
        *preset = thin;
        vkmm_turn_tile(problem, &preset->config);
        return 1;
    }
    if (index >= (wide ? VKMM_COUNT(presets_f64) : VKMM_COUNT(presets))) return 0;
    *preset = wide ? presets_f64[index] : presets[index];
    if (index == REPLACED && is_one_round(device, problem)) *preset = one_round;
    preset->peak = 128 * 1980;
    return 1;
}

static void ask(vkmm_shape *shape)
{
    const uint64_t vector = vkmm_vector_of(shape->type), blocks = vkmm_blocks_down(shape) * vkmm_blocks_across(shape),
                   slices = vkmm_value(shape, SLICES);
    const uint64_t width = vkmm_value(shape, VKMM_TUNE_ROWS) / vector + vkmm_value(shape, VKMM_TUNE_COLS) / vector +
                           2 * vkmm_value(shape, PAD);
    const uint64_t passed =
        slices > 1 ? (slices - 1) * blocks * (vkmm_value(shape, VKMM_TUNE_THREAD_COLS) / vector) : 1;
    shape->x = blocks * slices;
    shape->registers = vkmm_registers_of(shape->type, vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) *
                                                          vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
    const uint64_t loaded =
        vkmm_value(shape, VKMM_TUNE_DEPTH) * (vkmm_value(shape, VKMM_TUNE_ROWS) + vkmm_value(shape, VKMM_TUNE_COLS));
    shape->held = shape->registers + vkmm_registers_of(shape->type, vkmm_value(shape, VKMM_TUNE_THREAD_ROWS) +
                                                                        vkmm_value(shape, VKMM_TUNE_THREAD_COLS) +
                                                                        vkmm_quotient(loaded, shape->x));
    shape->shared_bytes = 16 * (vkmm_value(shape, BUFFERS) * vkmm_value(shape, VKMM_TUNE_DEPTH) * width + passed);
}

static uint64_t broken_lanes(const vkmm_shape *shape)
{
    const uint64_t down = vkmm_blocks_down(shape), across = vkmm_blocks_across(shape),
                   wanted = vkmm_value(shape, LANE_COLS);
    const uint64_t cols = wanted < across ? wanted : across,
                   rows = vkmm_quotient(LANES, cols) < down ? vkmm_quotient(LANES, cols) : down;
    return vkmm_left_over(down, rows) + vkmm_left_over(across, cols);
}

static uint64_t broken_vectors(const vkmm_shape *shape)
{
    const uint64_t vector = vkmm_vector_of(shape->type);
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vector);
}

/* Whether the build with dot products may run, which stages squares of 4×4 elements. If rows are not aligned, the other
 * build of these types runs: a configuration must suit both. */
static int may_stage_squares(const vkmm_shape *shape)
{
    const vkmm_type type = shape->problem->type;
    return !vkmm_type_of(type)->is_float && vkmm_type_of(type)->bytes == 1 &&
           vkmm_device_offers(shape->device, type) & VKMM_NEEDS_DOT8;
}

/* If there are fewer squares than invocations, several load the same one. */
static uint64_t left_squares(uint64_t threads, uint64_t squares)
{
    return threads < squares ? vkmm_left_over(squares, threads) : vkmm_left_over(threads, squares);
}

static uint64_t broken_loads(const vkmm_shape *shape)
{
    const uint64_t vector = vkmm_vector_of(shape->type), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    uint64_t squares = 0;
    if (may_stage_squares(shape))
        squares = left_squares(shape->x, vkmm_value(shape, VKMM_TUNE_ROWS) * depth / 16) +
                  left_squares(shape->x, vkmm_value(shape, VKMM_TUNE_COLS) * depth / 16);
    return squares + vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS) * depth / vector, shape->x) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS) * depth / vector, shape->x);
}

/* Invocations take a tile's pieces in turns. From turn to turn an invocation must keep its position in a line of
 * pieces, or take whole lines. */
static uint64_t left_turns(uint64_t threads, uint64_t line)
{
    return threads < line ? vkmm_left_over(line, threads) : vkmm_left_over(threads, line);
}

static uint64_t broken_pieces(const vkmm_shape *shape)
{
    const uint64_t vector = vkmm_vector_of(shape->type), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return vkmm_left_over(shape->x, vector * depth) + left_turns(shape->x, rows) + left_turns(shape->x, rows / vector) +
           left_turns(shape->x, cols) + left_turns(shape->x, cols / vector);
}

static uint64_t broken_slices(const vkmm_shape *shape)
{
    const uint64_t buffers = vkmm_value(shape, BUFFERS), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    return vkmm_left_over(may_stage_squares(shape) ? depth / 4 : depth, vkmm_value(shape, SLICES)) +
           (buffers < 1 || buffers > 2) + (vkmm_value(shape, SWIZZLE) == 0);
}

static const vkmm_rule rules[] = {
    {"whole blocks", "leftover rows or columns", vkmm_outside_blocks, NULL,
     "rows must be a multiple of thread-rows, and cols a multiple of thread-cols"},
    {"whole lanes", "blocks outside the lanes' rectangles", broken_lanes, NULL,
     "the blocks of a tile must divide into the rectangles of invocations that run together"},
    {"whole vectors", "elements that do not fill a vector", broken_vectors, NULL,
     "thread-rows, thread-cols and depth must be multiples of a vector's elements"},
    {"whole loads", "leftover vectors of a tile", broken_loads, NULL,
     "every invocation must load the same number of vectors of A's tile, and of B's"},
    {"whole turns", "pieces of a tile that change position", broken_pieces, NULL,
     "all that an invocation loads must have the same position in its vector and in its row of the tile"},
    {"whole slices", "leftover elements of a step, or unsupported settings", broken_slices, NULL,
     "the slices must divide each step along K; buffers must be 1 or 2, and swizzle not 0"},
    {0},
};

/* Any device, any problem. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    (void)device, (void)problem;
    return VKMM_SUITS_ALL;
}

static uint32_t sums(const vkmm_config *config)
{
    return config->values[SLICES];
}

const vkmm_kernel vkmm_kernel_blocked = {
    .name = "blocked",
    .summary = "each invocation keeps a block of C in registers, fed from shared memory; takes every problem",
    .spread = VKMM_SPREAD_ITEMS,
    .uses_shared = 1,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
    .alignment = vkmm_problem_alignment_of_vectors,
    .sums = sums,
    .stores_words = 1,
    .slow.unaligned = {1.05, 1.09},
};
