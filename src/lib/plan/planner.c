/* The planner: a good configuration from problem and device only, without measuring. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/type.h"
#include "plan/parts.h"

/* Estimates for devices that do not report their processors. */
enum { DISCRETE_PROCESSORS = 48, OTHER_PROCESSORS = 12 };

double vkmm_device_processors(const vkmm_device_info *device)
{
    if (device->processors) return device->processors;
    return device->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? DISCRETE_PROCESSORS : OTHER_PROCESSORS;
}

/* Bytes of one partial sum in the workspace, and of those of one part of K. */
static uint32_t workspace_bytes(const vkmm_problem *problem)
{
    return vkmm_type_of(vkmm_types_scale(vkmm_problem_types(problem)))->bytes;
}

static double bytes_of_part(const vkmm_problem *problem)
{
    return (double)problem->m * (double)problem->n * (double)problem->batch_count * workspace_bytes(problem);
}

/* The cost of a product with a configuration of a preset, which has its shape but for splits, in microseconds of an
 * imagined device whose processors have as many multiply-adds a microsecond as an NVIDIA SM at 1.98 GHz. Only
 * comparisons count, and these depend little on the device:
 *
 *   time = tiles of the busiest processor · work of a tile / (rate · t/(t + half)) + launches
 *  A processor runs `resident` workgroups at once, t invocations together; few of them leave it waiting for memory.
 * As long as there are no more tiles than that, the busiest has ⌈tiles/processors⌉ of them; beyond, they even out,
 * but for the last ones. Splitting K adds a tenth, for costs that this model does not cover. Fitted to 300 measured
 * products of 22 shapes: its choices reach 0.96 of the speed of the best known configuration (geometric mean). */
static double cost_of(const vkmm_shape *shape, const vkmm_preset *preset, const vkmm_config *config)
{
    const vkmm_device_info *device = shape->device;
    const vkmm_problem *problem = shape->problem;
    const double processors = vkmm_device_processors(device);
    const double fixed_depth = 32, launch = 2, reduce_launch = 5, bytes_per_us = 30e3 * processors, tax = 1.1;
    const uint32_t *value = config->values;
    uint32_t splits;
    const double part = vkmm_config_splits(problem, config, &splits), resident = preset->resident;
    const double invocations = (double)shape->x, good = vkmm_budget_of(device).good;
    const double rate = preset->rate * (good < (double)shape->held ? good / (double)shape->held : 1);
    const double turns = (double)vkmm_config_tiles(problem, config) * splits / processors;
    const double busiest = ceil(turns) <= resident ? ceil(turns) : turns + resident / 4;
    const double threads = fmin(ceil(turns), resident) * invocations;
    const double tile = (double)value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS] * (part + fixed_depth);
    const double product = busiest * tile / (preset->peak * rate * threads / (threads + preset->half)) + launch;
    return splits > 1 ? tax * (product + reduce_launch + 2 * splits * bytes_of_part(problem) / bytes_per_us) : product;
}

static double most_workspace(const vkmm_device_info *device)
{
    return fmin((double)device->limits.max_storage_range, 0x1p28);
}

static int workspace_fits(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t splits)
{
    return splits == 1 || bytes_of_part(problem) * splits <= most_workspace(device);
}

/* Takes a preset, and the number of parts of K that is best with it, if that costs less than `least`. */
static void take_cheaper(const vkmm_shape *shape, const vkmm_preset *preset, vkmm_preset *best, double *least)
{
    static const uint32_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64};
    vkmm_config config = preset->config;
    for (size_t s = 0; s < VKMM_COUNT(splits); s++) {
        config.values[VKMM_TUNE_SPLITS] = splits[s];
        if (splits[s] > 1 && shape->problem->k < 8ull * splits[s] * config.values[VKMM_TUNE_DEPTH]) break;
        if (!workspace_fits(shape->device, shape->problem, splits[s])) break;
        const double cost = cost_of(shape, preset, &config);
        if (cost >= *least) continue;
        *least = cost;
        *best = *preset;
        best->config = config;
    }
}

/* Only reading matters: enough workgroups that every processor has several at once, by splitting K if the long side has
 * too few; if it is known how many it runs at once, no more than that. */
static void split_thin(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t resident,
                       vkmm_config *config)
{
    const double tiles = (double)vkmm_config_tiles(problem, config),
                 share = (resident > 0 ? resident : 3) * vkmm_device_processors(device) / fmax(tiles, 1);
    const uint64_t most = problem->k / (4ull * config->values[VKMM_TUNE_DEPTH]);
    uint32_t splits = share < 1 ? 1 : (uint32_t)(resident > 0 ? share : ceil(share));
    if (splits > most) splits = (uint32_t)most;
    while (splits > 1 && !workspace_fits(device, problem, splits)) splits /= 2;
    config->values[VKMM_TUNE_SPLITS] = splits > 1 ? splits : 1;
}

/* Splits K in the tiles that are left beside whole rounds, if that is legal and saves a hundredth. A last round takes
 * as long as a tile. Parts of its tiles take rounds of their own, which are shorter; processors that are idle in the
 * last whole round begin with them. On an NVIDIA H200, a part takes 3 µs more than its share of a tile, and the second
 * pass 12 µs, and 1 µs for each part. */
static void split_tail(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                       vkmm_preset *preset)
{
    const double around = 3, pass = 12, processors = vkmm_device_processors(device);
    const uint32_t *value = preset->config.values;
    if (device->processors == 0 || preset->resident != 1) return; /* 0: there is no preset, and no tile */
    const double tiles = (double)vkmm_config_tiles(problem, &preset->config), rounds = ceil(tiles / processors);
    const double tile = (double)value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS] * (double)problem->k /
                        fmax(preset->peak * preset->rate, 1);
    double least = 0.99 * rounds * tile;
    if (tiles < processors) return;
    vkmm_config config = preset->config;
    const vkmm_tunable *tail = &kernel->tunables[VKMM_TUNE_TAIL];
    for (uint32_t i = 1; i < tail->count; i++) {
        const uint32_t parts = config.values[VKMM_TUNE_TAIL] = tail->values[i];
        if (problem->k < 8ull * parts * value[VKMM_TUNE_DEPTH]) break;
        const double whole = (double)vkmm_whole_tiles(device, problem, &config), full = ceil(whole / processors);
        const double bytes = (tiles - whole) * value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS] * workspace_bytes(problem);
        if (parts * bytes > most_workspace(device)) break;
        const double part = tile / parts + around, idle = (full * processors - whole) * floor(tile / part);
        const double left = ceil(fmax((tiles - whole) * parts - idle, 0) / processors);
        const double cost = full * tile + left * part + pass + parts;
        if (cost >= least || vkmm_config_forbidden_by(kernel, problem, &config, device)) continue;
        least = cost;
        preset->config.values[VKMM_TUNE_TAIL] = parts;
    }
}

/* llvmpipe of older Mesa releases exits a shader's loops after VKMM_LLVMPIPE_ROUNDS iterations: parts of K stay far
 * enough below, even if a workgroup takes three tiles in turn. */
static void split_long_loops(const vkmm_device_info *device, const vkmm_problem *problem, vkmm_config *config)
{
    const uint64_t most = (uint64_t)config->values[VKMM_TUNE_DEPTH] * (VKMM_LLVMPIPE_ROUNDS / 3 - 1000);
    const uint64_t splits = vkmm_divide_up(problem->k, most);
    if (device->driver.id != VK_DRIVER_ID_MESA_LLVMPIPE || splits <= config->values[VKMM_TUNE_SPLITS]) return;
    if (splits <= INT16_MAX && workspace_fits(device, problem, (uint32_t)splits))
        config->values[VKMM_TUNE_SPLITS] = (uint32_t)splits;
}

vkmm_config vkmm_planned_config(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel)
{
    vkmm_preset preset, best = {.rate = 0};
    double least = INFINITY;
    uint64_t fewest = UINT64_MAX; /* registers held by the best one, if none is within the budget */
    for (uint32_t i = 0; vkmm_preset_at(kernel, device, problem, i, &preset); i++) {
        const vkmm_shape shape = vkmm_shape_of_config(device, kernel, problem, &preset.config);
        const uint64_t held = vkmm_shape_forbidden_by(&shape) ? UINT64_MAX : shape.held;
        if (held > vkmm_budget_of(device).most) {
            if (least != INFINITY || held > fewest) continue;
            best = preset; /* the last one, if none is legal */
            fewest = held;
        } else if (preset.rate == 0) {
            best = preset;
            break;
        } else {
            take_cheaper(&shape, &preset, &best, &least);
        }
    }
    if (best.only_reads) split_thin(device, problem, best.resident, &best.config);
    if (kernel->tunables[VKMM_TUNE_TAIL].name) split_tail(device, problem, kernel, &best);
    split_long_loops(device, problem, &best.config);
    return best.config;
}

/* The preset that a configuration is but for its parts of K: 1; or 0. */
static int find_preset(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                       const vkmm_config *config, vkmm_preset *preset)
{
    for (uint32_t i = 0; vkmm_preset_at(kernel, device, problem, i, preset); i++) {
        preset->config.values[VKMM_TUNE_SPLITS] = config->values[VKMM_TUNE_SPLITS];
        if (memcmp(&preset->config, config, sizeof *config) == 0) return 1;
    }
    return 0;
}

/* Tiles of the last round leave processors idle. What is left beside the whole rounds is worth a dispatch of its own if
 * it has less than EDGE of a round's elements: with smaller tiles, it then takes half of that round (measured on an
 * NVIDIA H200). */
int vkmm_planned_edge(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                      const vkmm_config *config, uint64_t *rows, uint64_t *cols)
{
    enum { EDGE = 6 };
    const uint64_t height = config->values[VKMM_TUNE_ROWS], width = config->values[VKMM_TUNE_COLS],
                   batches = problem->batch_count, tiles = vkmm_config_tiles(problem, config);
    vkmm_preset preset;
    if (device->processors == 0 || !find_preset(device, problem, kernel, config, &preset) || preset.rate == 0) return 0;
    const uint64_t round = (uint64_t)device->processors * preset.resident, whole = tiles / round * round;
    if (whole == 0 || whole == tiles) return 0;
    const uint64_t down = vkmm_divide_up(problem->m, height), across = vkmm_divide_up(problem->n, width);
    const uint64_t m = whole / (across * batches) * height, n = whole / (down * batches) * width;
    const uint64_t left_rows = (problem->m - m) * problem->n, left_cols = (problem->n - n) * problem->m;
    const uint64_t left = left_rows < left_cols ? left_rows : left_cols;
    if (left * batches * EDGE > round * height * width) return 0;
    *rows = left_rows < left_cols ? problem->m - m : 0;
    *cols = left_rows < left_cols ? 0 : problem->n - n;
    return 1;
}

/* The one that suits best of those that suit less than *suits, which becomes how well it does; NULL if there is
 * none. */
static const vkmm_kernel *next_best(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t refused,
                                    uint32_t *suits)
{
    const vkmm_kernel *kernel, *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++) {
        const uint32_t one = kernel->suits && !(refused & 1u << i) ? kernel->suits(device, problem) : 0;
        if (one <= most || one >= *suits || !vkmm_module_for(kernel->name, problem, device, NULL)) continue;
        most = one;
        best = kernel;
    }
    *suits = most;
    return best;
}

const vkmm_kernel *vkmm_planned_kernel(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t refused)
{
    uint32_t suits = UINT32_MAX;
    const vkmm_kernel *kernel = next_best(device, problem, refused, &suits), *next;
    while ((next = next_best(device, problem, refused, &suits)) != NULL) {
        const vkmm_config config = vkmm_planned_config(device, problem, kernel);
        if (!vkmm_config_forbidden_by(kernel, problem, &config, device)) break;
        kernel = next;
    }
    return kernel;
}
