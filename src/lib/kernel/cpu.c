/* shaders/cpu.comp. The presets come from sweeps on lavapipe of Mesa 22.3, 25.0 and 26.1, and on SwiftShader
 * (2026-11-21); CHANGELOG.md has the figures. */
#include "kernel/general.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "kernel/contract.h"

enum { LANES = VKMM_TUNE_OWN, THREAD_COLS = 4, MOST_ROWS = 64 /* code grows with them */ };

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] =
        {"rows", VKMM_SPEC_ROWS, 9, "rows of C in a tile, all computed by each invocation", 5, {4, 8, 16, 32, 64}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C in a tile, four per invocation", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K per step", 2, {4, 8}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 4, {1, 2, 4, 8}},
    [LANES] = {"lanes", 10, 0, "lanes of a subgroup that read op(A)", 2, {4, 8}},
};

/* rows, cols, depth, -, -, splits; lanes. Columns: four for each lane of a subgroup. */
static const vkmm_config presets[] = {
    {{64, 32, 4, 1, 1, 1, 8}}, {{32, 32, 4, 1, 1, 1, 8}}, {{16, 32, 4, 1, 1, 1, 8}}, {{8, 32, 4, 1, 1, 1, 8}},
    {{8, 16, 4, 1, 1, 1, 4}},  {{8, 64, 4, 1, 1, 1, 8}},  {{8, 128, 4, 1, 1, 1, 8}}, {{8, 256, 4, 1, 1, 1, 8}},
};
enum { FIRST_OF_64_ROWS, FIRST_OF_32_ROWS, FIRST_OF_16_ROWS, FIRST_OF_8_ROWS, FIRST_WRITTEN_OUT };

/* Elements of C from which on there are tiles of 64 rows for 64 threads. */
enum { MANY = 64 * 64 * 32 };

/* Whether its module is the one with WRITTEN_OUT (VKMM_NEEDS_SWIFTSHADER). */
static int is_written_out(const vkmm_device_info *device)
{
    return device->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
}

/* Mesa's release as its driver reports it ("Mesa 26.1.2"); 0 if it does not. */
static int mesa_release(const vkmm_device_info *device)
{
    const char *version = strstr(device->driver.info, "Mesa ");
    return version ? atoi(version + 5) : 0;
}

/* More rows make better use of what is read of op(B), but their sums spill: newer Mesas let LLVM use more registers. If
 * C has fewer rows than the tile, the rest is wasted work. SwiftShader unrolls no loops. */
static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    const int large = problem->m > 16 && (problem->m > 128 || problem->n > 128);
    uint32_t first = FIRST_OF_16_ROWS;
    if (device->driver.id == VK_DRIVER_ID_MESA_LLVMPIPE && mesa_release(device) >= 26 && large)
        first = problem->m >= 256 && problem->m * problem->n >= MANY ? FIRST_OF_64_ROWS : FIRST_OF_32_ROWS;
    if (problem->m <= 8) first = FIRST_OF_8_ROWS;
    if (is_written_out(device)) first = FIRST_WRITTEN_OUT;
    if (first + index >= VKMM_COUNT(presets)) return 0;
    *preset = (vkmm_preset){.config = presets[first + index]};
    return 1;
}

static void ask(vkmm_shape *shape)
{
    shape->x = vkmm_value(shape, VKMM_TUNE_COLS) / THREAD_COLS;
}

static uint64_t broken_blocks(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS);
    return vkmm_left_over(rows, vkmm_value(shape, LANES)) + (rows > MOST_ROWS ? rows - MOST_ROWS : 0) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), THREAD_COLS);
}

static uint64_t broken_steps(const vkmm_shape *shape)
{
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), 4);
}

static uint64_t broken_subgroups(const vkmm_shape *shape)
{
    return vkmm_left_over(shape->x, shape->device->subgroup.size);
}

static uint64_t broken_lanes(const vkmm_shape *shape)
{
    const uint64_t lanes = vkmm_value(shape, LANES);
    if (lanes != 4 && lanes != 8) return lanes + 1;
    return lanes > shape->device->subgroup.size ? lanes - shape->device->subgroup.size : 0;
}

static uint64_t broken_written(const vkmm_shape *shape)
{
    if (!is_written_out(shape->device)) return 0;
    return (vkmm_value(shape, VKMM_TUNE_DEPTH) != 4) + (vkmm_value(shape, LANES) != 4) +
           (vkmm_value(shape, VKMM_TUNE_ROWS) != 8);
}

static uint64_t missing_broadcasts(const vkmm_shape *shape)
{
    return !shape->device->subgroup.has_broadcast;
}

static vkmm_status refuse_broadcasts(const vkmm_shape *shape)
{
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "%s needs subgroup broadcasts, which \"%s\" does not support (subgroupSupportedOperations)",
                     shape->kernel->name, shape->device->name);
}

static const vkmm_rule rules[] = {
    {"subgroupSupportedOperations", "subgroup broadcasts", missing_broadcasts, NULL,
     "a value that one lane reads is broadcast to all", refuse_broadcasts},
    {"whole turns", "leftover rows or columns", broken_blocks, NULL,
     "rows must be a multiple of lanes and at most 64, and cols a multiple of 4"},
    {"whole steps", "leftover elements of a step", broken_steps, NULL, "depth must be a multiple of 4"},
    {"whole subgroups", "invocations outside whole subgroups", broken_subgroups, NULL,
     "the workgroup must consist of whole subgroups, because lanes read for each other"},
    {"lanes", "unsupported lanes", broken_lanes, NULL, "lanes must be 4 or 8, and at most the subgroup size"},
    {"written out", "unsupported settings", broken_written, NULL,
     "SwiftShader unrolls no loops: the form for it has rows=8, depth=4 and lanes=4"},
    {0},
};

static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    (void)problem;
    return vkmm_is_processor(device) && device->subgroup.has_broadcast ? VKMM_SUITS_DEVICE : 0;
}

const vkmm_kernel vkmm_kernel_cpu = {
    .name = "cpu",
    .summary = "for drivers that run on CPUs: no barriers, and registers as wide as the processor's; takes every "
               "problem",
    .spread = VKMM_SPREAD_ITEMS,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
    .alignment = vkmm_problem_alignment_of_vectors,
};
