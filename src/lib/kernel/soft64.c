/* shaders/soft64.comp: software f64. The planner takes it where a device has no 64-bit floats and no method
 * multiplies f64 without them (plan/choose.c). */
#include "base/limits.h"
#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/general.h"

static const vkmm_tunable tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] = {"rows", VKMM_SPEC_ROWS, 0, "rows of C in a workgroup's tile", 4, {1, 4, 8, 16}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C in a workgroup's tile", 5, {1, 4, 8, 16, 32}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts into which K is split", 5, {1, 2, 4, 8, 16}},
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

static uint64_t is_gelu(const vkmm_shape *shape)
{
    return shape->problem->activation == VKMM_GELU;
}

static vkmm_status refuse_gelu(const vkmm_shape *shape)
{
    return vkmm_fail(VKMM_UNSUPPORTED, "%s cannot apply gelu: software f64 has no exponential function",
                     shape->kernel->name);
}

static const vkmm_rule rules[] = {
    {"sides", "sides of a tile without elements", missing_sides, NULL, "rows and cols must be at least 1"},
    {"gelu", "activations that need e^x", is_gelu, NULL, "software f64 has no exponential function", refuse_gelu},
    {0},
};

/* Few elements of C are split along K, so that GPUs are busy and no element takes so long that the device seems to
 * hang. */
static int preset_at(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index, vkmm_preset *preset)
{
    static const vkmm_config presets[] = {{{8, 16, 1, 1, 1, 1}}, {{8, 8, 1, 1, 1, 1}}, {{1, 1, 1, 1, 1, 1}}};
    (void)problem;
    if (index >= VKMM_COUNT(presets)) return 0;
    *preset = (vkmm_preset){.config = presets[index], .only_reads = !vkmm_is_processor(device)};
    return 1;
}

/* Before all others, which have no f64 there. */
static uint32_t suits(const vkmm_device_info *device, const vkmm_problem *problem)
{
    return problem->type == VKMM_F64 && !device->features.f64 ? VKMM_SUITS_DEVICE + 1 : 0;
}

const vkmm_kernel vkmm_kernel_soft64 = {
    .name = "soft64",
    .summary =
        "f64 in 32-bit integer arithmetic, for devices without 64-bit floats: slow; takes every problem of f64 but "
        "gelu",
    .spread = VKMM_SPREAD_ITEMS,
    .tunables = tunables,
    .rules = rules,
    .ask = ask,
    .preset = preset_at,
    .suits = suits,
};
