/* The planner: a good configuration from problem and device alone, without any measurement on it. */
#include <math.h>
#include <string.h>

#include "math/type.h"
#include "plan/matrices.h"
#include "plan/parts.h"
#include "plan/presets.h"

/* Of devices that do not tell how many processors they have. */
enum { DISCRETE_PROCESSORS = 48, OTHER_PROCESSORS = 12 };

double vkmm_device_processors(const vkmm_device_info *device)
{
    if (device->processors) return device->processors;
    return device->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? DISCRETE_PROCESSORS : OTHER_PROCESSORS;
}

void vkmm_fit_short_side(const vkmm_problem *problem, const vkmm_kernel *kernel, vkmm_config *config)
{
    const uint64_t side = vkmm_short_side(problem);
    uint32_t *value = config->values,
             longer = value[VKMM_TUNE_ROWS] > value[VKMM_TUNE_COLS] ? value[VKMM_TUNE_ROWS] : value[VKMM_TUNE_COLS];
    const uint32_t fit = side < 1 ? 1 : side <= 4 ? (uint32_t)side : side <= 8 ? 8 : 16;
    if (strcmp(kernel->name, "skinny") != 0) return;
    /* Fitted before, to a longer short side: the presets' and the tuner's 4×8 is 4 along the problem's long side. */
    if (longer == fit && longer > 4 && config->values[VKMM_TUNE_THREAD_ROWS] == 4)
        longer = value[vkmm_is_wide(problem) ? VKMM_TUNE_COLS : VKMM_TUNE_ROWS];
    value[VKMM_TUNE_ROWS] = vkmm_is_wide(problem) ? fit : longer;
    value[VKMM_TUNE_COLS] = vkmm_is_wide(problem) ? longer : fit;
}

/* Of an element of a sum of a part of K. */
static uint32_t workspace_bytes(const vkmm_problem *problem)
{
    return vkmm_type_of(vkmm_types_scale(vkmm_problem_types(problem)))->bytes;
}

/* The cost of a product with a configuration of blocked, in microseconds of an imagined device whose processors have as
 * many multiply-adds a microsecond as an NVIDIA SM at 1.98 GHz. Only comparisons count, and these depend little on the
 * device:
 *
 *   time = tiles of the busiest processor · work of a tile / (rate · t/(t + half)) + launches
 *  A processor runs `resident` workgroups at once, t invocations together; few of them leave it waiting for memory.
 * As long as there are no more tiles than that, the busiest has ⌈tiles/processors⌉ of them; beyond, they even out,
 * but for the last ones. Splitting K is taxed by a tenth, since more goes on in it than this knows. Fitted to 300
 * measured products of 22 shapes: what it chooses has 0.96 of the speed of the best known configuration in the
 * geometric mean. */
static double blocked_cost(const vkmm_problem *problem, const vkmm_kernel *kernel, const vkmm_preset *preset,
                           const vkmm_config *config, double processors)
{
    const double multiply_adds = strcmp(kernel->name, "coopmat") == 0 ? vkmm_matrix_rate(problem) : 128 * 1980;
    const double fixed_depth = 32, launch = 2, reduce_launch = 5, bytes_per_us = 30e3 * processors, tax = 1.1;
    const uint32_t *value = config->values;
    uint32_t splits;
    const double part = vkmm_config_splits(problem, config, &splits), resident = preset->resident;
    const double invocations = (double)vkmm_shape_of_config(kernel, problem, config).x;
    const double turns = (double)vkmm_config_tiles(problem, config) * splits / processors;
    const double busiest = ceil(turns) <= resident ? ceil(turns) : turns + resident / 4;
    const double threads = fmin(ceil(turns), resident) * invocations;
    const double tile = (double)value[VKMM_TUNE_ROWS] * value[VKMM_TUNE_COLS] * (part + fixed_depth);
    const double outputs =
        (double)problem->m * (double)problem->n * (double)problem->batch_count * workspace_bytes(problem);
    const double product =
        busiest * tile / (multiply_adds * preset->rate * threads / (threads + preset->half)) + launch;
    return splits > 1 ? tax * (product + reduce_launch + 2 * splits * outputs / bytes_per_us) : product;
}

static int workspace_fits(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t splits)
{
    const double bytes =
        (double)problem->m * (double)problem->n * (double)problem->batch_count * workspace_bytes(problem) * splits;
    return splits == 1 || bytes <= fmin((double)device->max_storage_range, 0x1p28);
}

static vkmm_config cheapest(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                            const vkmm_presets *list)
{
    static const uint32_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64};
    const double processors = vkmm_device_processors(device);
    vkmm_config best = list->presets[list->count - 1].config;
    vkmm_fit_matrix(device, problem, kernel, &best);
    double least = INFINITY;
    for (uint32_t i = 0; i < list->count; i++) {
        vkmm_config config = list->presets[i].config;
        vkmm_fit_matrix(device, problem, kernel, &config);
        if (vkmm_config_forbidden_by(kernel, problem, &config, device)) continue;
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
            config.values[VKMM_TUNE_SPLITS] = splits[s];
            if (splits[s] > 1 && problem->k < 8ull * splits[s] * config.values[VKMM_TUNE_DEPTH]) break;
            if (!workspace_fits(device, problem, splits[s])) break;
            const double cost = blocked_cost(problem, kernel, &list->presets[i], &config, processors);
            if (cost >= least) continue;
            least = cost;
            best = config;
        }
    }
    return best;
}

/* Reading is all that counts: enough workgroups that every processor has several under way, by parts of K where the
 * long side has too few. */
static void split_thin(const vkmm_device_info *device, const vkmm_problem *problem, vkmm_config *config)
{
    const double wanted = 3 * vkmm_device_processors(device), tiles = (double)vkmm_config_tiles(problem, config);
    const uint64_t most = problem->k / (4ull * config->values[VKMM_TUNE_DEPTH]);
    uint32_t splits = tiles > 0 && tiles < wanted ? (uint32_t)ceil(wanted / tiles) : 1;
    if (splits > most) splits = (uint32_t)most;
    while (splits > 1 && !workspace_fits(device, problem, splits)) splits /= 2;
    config->values[VKMM_TUNE_SPLITS] = splits > 1 ? splits : 1;
}

const vkmm_kernel *vkmm_planned_kernel(const vkmm_device_info *device, const vkmm_problem *problem)
{
    if (device->type == VK_PHYSICAL_DEVICE_TYPE_CPU && device->has_broadcast) return vkmm_kernel_find("cpu");
    const vkmm_kernel *coopmat = vkmm_kernel_find("coopmat");
    if (vkmm_coopmat_suits(device, problem)) {
        const vkmm_config config = vkmm_planned_config(device, problem, coopmat);
        if (!vkmm_config_forbidden_by(coopmat, problem, &config, device)) return coopmat;
    }
    return vkmm_kernel_find(vkmm_short_side(problem) <= 8 ? "skinny" : "blocked");
}

/* llvmpipe of older Mesa releases leaves a shader's loops after VKMM_LLVMPIPE_ROUNDS rounds: parts of K keep far
 * enough below, also where a workgroup takes three tiles in turn. */
static void split_long_loops(const vkmm_device_info *device, const vkmm_problem *problem, vkmm_config *config)
{
    const uint64_t most = (uint64_t)config->values[VKMM_TUNE_DEPTH] * (VKMM_LLVMPIPE_ROUNDS / 3 - 1000);
    const uint64_t splits = vkmm_divide_up(problem->k, most);
    if (device->driver_id != VK_DRIVER_ID_MESA_LLVMPIPE || splits <= config->values[VKMM_TUNE_SPLITS]) return;
    if (splits <= INT16_MAX && workspace_fits(device, problem, (uint32_t)splits))
        config->values[VKMM_TUNE_SPLITS] = (uint32_t)splits;
}

vkmm_config vkmm_planned_config(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel)
{
    const vkmm_presets list = vkmm_presets_of(device, problem, kernel);
    const int blocked = strcmp(kernel->name, "blocked") == 0 || strcmp(kernel->name, "coopmat") == 0;
    vkmm_config config = blocked ? cheapest(device, problem, kernel, &list) : list.presets[list.count - 1].config;
    for (uint32_t i = 0; i < list.count && !blocked; i++) {
        config = list.presets[i].config;
        vkmm_fit_short_side(problem, kernel, &config);
        if (!vkmm_config_forbidden_by(kernel, problem, &config, device)) break;
    }
    const int thin = strcmp(kernel->name, "coopmat") == 0 && vkmm_thin_matrix(device, problem, kernel, &config);
    if (thin || strcmp(kernel->name, "skinny") == 0) split_thin(device, problem, &config);
    split_long_loops(device, problem, &config);
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++)
        if (!kernel->tunables[i].name) config.values[i] = 1;
    return config;
}
