/* The tunables of shaders/skinny.comp, and what it asks. */
#include "kernel/general.h"

#include "kernel/contract.h"
#include "math/type.h"

enum { THREAD_LONG = VKMM_TUNE_THREAD_ROWS, THREADS = VKMM_TUNE_OWN };

/* The long side is a tile's longer one. The short one follows the problem: the planner sets it. */
const vkmm_tunable vkmm_skinny_tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C of a workgroup's tile", 7, {1, 4, 8, 16, 32, 64, 128}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of it", 7, {1, 4, 8, 16, 32, 64, 128}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K of a step", 7, {8, 16, 32, 64, 128, 256, 512}},
    [THREAD_LONG] = {"thread-long", 9, 0, "elements along the longer side of an invocation", 4, {1, 2, 4, 8}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 7, {1, 2, 4, 8, 16, 32, 64}},
    [THREADS] = {"threads", 0, 0, "invocations of a workgroup", 4, {32, 64, 128, 256}},
};

static int is_skinny(const vkmm_shape *shape)
{
    return shape->config && shape->kernel->tunables == vkmm_skinny_tunables;
}

static uint64_t longer(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return rows >= cols ? rows : cols;
}

static uint64_t shorter(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return rows >= cols ? cols : rows;
}

/* Of an element of A or B. */
static uint64_t bytes_in(const vkmm_shape *shape)
{
    return vkmm_type_of(shape->problem->type)->bytes;
}

void vkmm_skinny_ask(vkmm_shape *shape)
{
    const uint64_t bytes = 16 / vkmm_vector_of(shape->type);
    shape->x = vkmm_value(shape, THREADS);
    shape->y = 1;
    shape->shared_bytes = 2 * shape->x * shorter(shape) * bytes;
}

static int is_power_of_two(uint64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

uint64_t vkmm_skinny_lines(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_skinny(shape)) return 0;
    const uint64_t lines = vkmm_quotient(longer(shape), vkmm_value(shape, THREAD_LONG));
    if (!is_power_of_two(lines) || !is_power_of_two(shape->x)) return 1;
    return vkmm_left_over(longer(shape), vkmm_value(shape, THREAD_LONG)) + vkmm_left_over(shape->x, lines);
}

uint64_t vkmm_skinny_depth(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_skinny(shape)) return 0;
    const uint64_t lanes = vkmm_quotient(shape->x, vkmm_quotient(longer(shape), vkmm_value(shape, THREAD_LONG)));
    const uint64_t depth = vkmm_value(shape, VKMM_TUNE_DEPTH), most = (bytes_in(shape) == 1 ? 16 : 8) * lanes;
    return depth > most ? depth - most : vkmm_left_over(depth, lanes);
}

uint64_t vkmm_skinny_short(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_skinny(shape)) return 0;
    return shorter(shape) > 16 ? shorter(shape) - 16 : shorter(shape) == 0;
}
