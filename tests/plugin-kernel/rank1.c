/* rank1.comp: one element of C an invocation. */
#include "kernel/contract.h"
#include "kernel/general.h"

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C of a workgroup's tile", 3, {4, 8, 16}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of it", 3, {4, 8, 16}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 3, {1, 2, 4}},
};

static void ask(vkmm_shape *shape)
{
    shape->x = vkmm_value(shape, VKMM_TUNE_COLS);
    shape->y = vkmm_value(shape, VKMM_TUNE_ROWS);
    shape->registers = vkmm_registers_of(shape->type, 1);
}

static uint64_t missing_sides(const vkmm_shape *shape)
{
    return (vkmm_value(shape, VKMM_TUNE_ROWS) == 0) + (vkmm_value(shape, VKMM_TUNE_COLS) == 0);
}

static const vkmm_rule rules[] = {
    {"sides", "sides of a tile without elements", missing_sides, NULL, "rows and cols must be at least 1"},
    {0},
};

static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    static const vkmm_config presets[] = {{{16, 16, 1, 1, 1, 1}}, {{8, 8, 1, 1, 1, 1}}, {{1, 1, 1, 1, 1, 1}}};
    (void)device, (void)problem;
    if (index >= sizeof presets / sizeof *presets) return 0;
    *preset = (vkmm_preset){.config = presets[index]};
    return 1;
}

/* Before all others, on all devices. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    (void)device;
    return problem->k == 1 ? VKMM_SUITS_DEVICE + 1 : 0;
}

const vkmm_kernel vkmm_kernel_rank1 = {
    .name = "rank1",
    .summary = "for products of a column and a row: one invocation an element; takes every problem",
    .spread = VKMM_SPREAD_ITEMS,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
};
