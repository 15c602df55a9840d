/* The tunables of shaders/blocked.comp, and what it asks. */
#include "kernel/general.h"

#include "kernel/contract.h"

enum { SWIZZLE = VKMM_TUNE_OWN, BUFFERS, PAD, SLICES, LANE_COLS };

/* Lanes that run together on most GPUs: so many invocations are arranged in a rectangle. */
enum { LANES = 32 };

const vkmm_tunable vkmm_blocked_tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] =
        {"rows", VKMM_SPEC_ROWS, 0, "rows of C of a workgroup's tile", 7, {16, 32, 48, 64, 96, 128, 256}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of it", 7, {16, 32, 48, 64, 96, 128, 256}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K of a step", 3, {8, 16, 32}},
    [VKMM_TUNE_THREAD_ROWS] = {"thread-rows", 9, 0, "rows of C of an invocation", 5, {2, 4, 8, 12, 16}},
    [VKMM_TUNE_THREAD_COLS] = {"thread-cols", 10, 0, "columns of it", 5, {2, 4, 8, 12, 16}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 7, {1, 2, 4, 8, 16, 32, 64}},
    [SWIZZLE] = {"swizzle", 11, 0, "rows of tiles that are walked together", 4, {1, 4, 8, 16}},
    [BUFFERS] = {"buffers", 12, 0, "pairs of tiles in shared memory", 2, {1, 2}},
    [PAD] = {"pad", 13, 0, "vectors added to each row in shared memory", 2, {0, 1}},
    [SLICES] = {"slices", 14, 0, "parts of the workgroup that divide each step along K", 3, {1, 2, 4}},
    [LANE_COLS] = {"lane-cols", 15, 0, "invocations side by side of those that run together", 4, {2, 4, 8, 16}},
};

static int is_blocked(const vkmm_shape *shape)
{
    return shape->config && shape->kernel->tunables == vkmm_blocked_tunables;
}

static uint64_t blocks_down(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS));
}

static uint64_t blocks_across(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

void vkmm_blocked_ask(vkmm_shape *shape)
{
    const uint64_t vector = vkmm_vector_of(shape->type), blocks = blocks_down(shape) * blocks_across(shape),
                   slices = vkmm_value(shape, SLICES);
    const uint64_t width = vkmm_value(shape, VKMM_TUNE_ROWS) / vector + vkmm_value(shape, VKMM_TUNE_COLS) / vector +
                           2 * vkmm_value(shape, PAD);
    const uint64_t passed =
        slices > 1 ? (slices - 1) * blocks * (vkmm_value(shape, VKMM_TUNE_THREAD_COLS) / vector) : 1;
    shape->x = blocks * slices;
    shape->y = 1;
    shape->shared_bytes = 16 * (vkmm_value(shape, BUFFERS) * vkmm_value(shape, VKMM_TUNE_DEPTH) * width + passed);
}

uint64_t vkmm_blocked_blocks(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_blocked(shape)) return 0;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

uint64_t vkmm_blocked_lanes(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_blocked(shape)) return 0;
    const uint64_t down = blocks_down(shape), across = blocks_across(shape), wanted = vkmm_value(shape, LANE_COLS);
    const uint64_t cols = wanted < across ? wanted : across,
                   rows = vkmm_quotient(LANES, cols) < down ? vkmm_quotient(LANES, cols) : down;
    return vkmm_left_over(down, rows) + vkmm_left_over(across, cols);
}

uint64_t vkmm_blocked_vectors(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_blocked(shape)) return 0;
    const uint64_t vector = vkmm_vector_of(shape->type);
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_ROWS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_THREAD_COLS), vector) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), vector);
}

/* Whether the build with dot products may run, which stages squares of 4×4 elements. The other build of these types
 * may have to, where rows are not aligned: a configuration must suit both. */
static int may_stage_squares(const vkmm_shape *shape, const vkmm_device_info *device)
{
    return device->has_dot8 && (shape->problem->type == VKMM_I8 || shape->problem->type == VKMM_U8);
}

/* Where there are fewer squares than invocations, several load the same one. */
static uint64_t broken_squares(uint64_t threads, uint64_t squares)
{
    return threads < squares ? vkmm_left_over(squares, threads) : vkmm_left_over(threads, squares);
}

uint64_t vkmm_blocked_loads(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_blocked(shape)) return 0;
    const uint64_t vector = vkmm_vector_of(shape->type), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    uint64_t squares = 0;
    if (may_stage_squares(shape, device))
        squares = broken_squares(shape->x, vkmm_value(shape, VKMM_TUNE_ROWS) * depth / 16) +
                  broken_squares(shape->x, vkmm_value(shape, VKMM_TUNE_COLS) * depth / 16);
    return squares + vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS) * depth / vector, shape->x) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS) * depth / vector, shape->x);
}

/* Invocations take a tile's pieces in turns. From turn to turn an invocation must keep its place in a line of
 * pieces, or take whole lines. */
static uint64_t broken_turns(uint64_t threads, uint64_t line)
{
    return threads < line ? vkmm_left_over(line, threads) : vkmm_left_over(threads, line);
}

uint64_t vkmm_blocked_pieces(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_blocked(shape)) return 0;
    const uint64_t vector = vkmm_vector_of(shape->type), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return vkmm_left_over(shape->x, vector * depth) + broken_turns(shape->x, rows) +
           broken_turns(shape->x, rows / vector) + broken_turns(shape->x, cols) + broken_turns(shape->x, cols / vector);
}

uint64_t vkmm_blocked_slices(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_blocked(shape)) return 0;
    const uint64_t buffers = vkmm_value(shape, BUFFERS), depth = vkmm_value(shape, VKMM_TUNE_DEPTH);
    return vkmm_left_over(may_stage_squares(shape, device) ? depth / 4 : depth, vkmm_value(shape, SLICES)) +
           (buffers < 1 || buffers > 2) + (vkmm_value(shape, SWIZZLE) == 0);
}
