/* The public search (include/vkmatmul.h): a space of configurations, and names instead of points. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "kernel/general.h"
#include "math/method.h"
#include "math/problem.h"
#include "plan/choose.h"
#include "plan/recorded.h"
#include "plan/tuned.h"
#include "tune/search.h"
#include "vk/instance.h"

enum { MOST_SEEDS = 64 };

struct vkmm_tune {
    vkmm_device_info device;
    vkmm_problem problem;
    vkmm_problem seen; /* row-major; what the kernel multiplies if a method does */
    vkmm_search *search;
    vkmm_point planned, named; /* named: by the last vkmm_tune_next; without a kernel before it */
};

static void name(const vkmm_point *point, vkmm_candidate *candidate)
{
    *candidate = (vkmm_candidate){0};
    VKMM_PUT(candidate->kernel, "%s", point->kernel->name);
    vkmm_config_text(point->kernel, &point->config, candidate->config);
}

static int is_named(const vkmm_tune *t, const vkmm_candidate *candidate)
{
    vkmm_candidate named;
    if (!t->named.kernel) return 0;
    name(&t->named, &named);
    return strcmp(named.kernel, candidate->kernel) == 0 && strcmp(named.config, candidate->config) == 0;
}

/* The point that a candidate names, as it runs on this problem; 0 when there is none. */
static int find(const vkmm_tune *t, const vkmm_candidate *candidate, vkmm_point *point)
{
    if (is_named(t, candidate)) {
        *point = t->named;
        return 1;
    }
    const vkmm_wish wish = {.kernel = candidate->kernel, .config = candidate->config[0] ? candidate->config : NULL};
    vkmm_choice choice;
    if (vkmm_choose(&t->device, &t->problem, &wish, &choice) != VKMM_OK) return 0;
    *point = (vkmm_point){choice.kernel, choice.config};
    return 1;
}

/* If a smaller tile covers C too, a larger one is not better. */
static int is_oversized(const vkmm_tunable *tunable, uint32_t value, uint64_t extent)
{
    for (uint32_t i = 0; i < tunable->count; i++)
        if (tunable->values[i] < value && tunable->values[i] >= extent) return 1;
    return 0;
}

/* Legal on the device, legal for the problem, and not the same as another. */
static int is_worth_trying(const void *user, const vkmm_kernel *kernel, const vkmm_config *config)
{
    const vkmm_tune *t = user;
    vkmm_candidate candidate;
    vkmm_choice choice;
    if (is_oversized(&kernel->tunables[VKMM_TUNE_ROWS], config->values[VKMM_TUNE_ROWS], t->seen.m) ||
        is_oversized(&kernel->tunables[VKMM_TUNE_COLS], config->values[VKMM_TUNE_COLS], t->seen.n) ||
        vkmm_config_forbidden_by(kernel, &t->seen, config, &t->device))
        return 0;
    name(&(vkmm_point){kernel, *config}, &candidate);
    const vkmm_wish wish = {.kernel = candidate.kernel, .config = candidate.config};
    if (vkmm_choose(&t->device, &t->problem, &wish, &choice) != VKMM_OK) return 0;
    /* Fitted to the problem, it would duplicate another one; so it would with fewer parts of K than it has, and with a
     * tail that is all of C, or nothing. */
    const uint32_t tail = config->values[VKMM_TUNE_TAIL], splits = config->values[VKMM_TUNE_SPLITS];
    return memcmp(&choice.config, config, sizeof *config) == 0 && choice.info.splits == (tail > 1 ? tail : splits) &&
           (tail == 1 || choice.info.whole_rows > 0);
}

static uint64_t scaled(uint64_t extent, int shift)
{
    uint64_t result = shift < 0 ? extent >> -shift : extent << shift;
    return result > 0 ? result : 1;
}

/* The planner's choice for a kernel and a problem larger by 2^shift along each extent, if that is worth trying here. */
static void add_planned(const vkmm_tune *t, const vkmm_kernel *kernel, int shift, vkmm_point seeds[MOST_SEEDS],
                        uint32_t *count)
{
    const vkmm_wish wish = {.kernel = kernel->name};
    const vkmm_problem like =
        VKMM_PROBLEM(.m = scaled(t->seen.m, shift), .n = scaled(t->seen.n, shift), .k = scaled(t->seen.k, shift),
                     .type = t->problem.type, .out_type = t->problem.out_type, .compute = t->problem.compute,
                     .method = t->problem.method);
    vkmm_choice choice;
    if (*count == MOST_SEEDS || vkmm_choose(&t->device, &like, &wish, &choice) != VKMM_OK) return;
    if (is_worth_trying(t, choice.kernel, &choice.config))
        seeds[(*count)++] = (vkmm_point){choice.kernel, choice.config};
}

/* All that the planner knows about a kernel. */
static void add_presets(const vkmm_tune *t, const vkmm_kernel *kernel, vkmm_point seeds[MOST_SEEDS], uint32_t *count)
{
    vkmm_preset preset;
    for (uint32_t i = 0; *count < MOST_SEEDS && vkmm_preset_at(kernel, &t->device, &t->seen, i, &preset); i++)
        if (is_worth_trying(t, kernel, &preset.config)) seeds[(*count)++] = (vkmm_point){kernel, preset.config};
}

/* The planner's choice for this problem, by its rules; the results of an earlier tune and of a record; the planner's
 * choices for smaller and larger problems; and, of each other kernel, only the planner's choice, because others may
 * take long to compile without being faster. */
static vkmm_status list_seeds(vkmm_tune *t, vkmm_instance *instance, vkmm_point seeds[MOST_SEEDS], uint32_t *count)
{
    const vkmm_wish automatic = {.untuned = 1};
    vkmm_choice choice;
    vkmm_tuned tuned;
    vkmm_status status = vkmm_choose(&t->device, &t->problem, &automatic, &choice);
    if (status == VKMM_OK && choice.warning[0]) vkmm_say(&instance->log, VKMM_LOG_WARNING, "%s", choice.warning);
    if (status != VKMM_OK) return status;
    if (t->problem.method != VKMM_COMPUTE_DIRECT && !choice.method)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "\"%s\" computes this product of K = %llu in %s, not as %s, which would be less precise or is "
                         "impossible: tune that",
                         t->device.name, (unsigned long long)t->problem.k, vkmm_type_of(t->problem.type)->name,
                         vkmm_method_at(t->problem.method)->pieces);
    if (t->problem.method != VKMM_COMPUTE_DIRECT) t->seen = choice.problem;
    seeds[(*count)++] = t->planned = (vkmm_point){choice.kernel, choice.config};
    if (vkmm_tuned_get(instance, &t->device, &t->problem, &tuned) && find(t, &tuned.best, &seeds[*count])) (*count)++;
    const vkmm_recorded_tune *recorded = vkmm_recorded_find(&vkmm_recorded_all, &t->device, &t->problem);
    if (recorded && find(t, &recorded->best, &seeds[*count])) (*count)++;
    for (int shift = 2; shift <= 4 && t->planned.kernel->tunables; shift += 2) {
        add_planned(t, t->planned.kernel, -shift, seeds, count);
        add_planned(t, t->planned.kernel, shift, seeds, count);
    }
    for (uint32_t k = 0; vkmm_kernel_at(k); k++)
        if (vkmm_kernel_at(k)->tunables) add_planned(t, vkmm_kernel_at(k), 0, seeds, count);
    /* Legal tiles of matrix operations are far apart, and most tiles in between are illegal. */
    if (choice.info.matrix[0] > 0) add_presets(t, t->planned.kernel, seeds, count);
    return VKMM_OK;
}

static vkmm_search_space space_of(const vkmm_tune *t)
{
    vkmm_search_space space = {.legal = is_worth_trying, .user = t};
    for (uint32_t k = 0; vkmm_kernel_at(k); k++)
        if (vkmm_kernel_at(k)->tunables && vkmm_module_for(vkmm_kernel_at(k)->name, &t->seen, &t->device, NULL))
            space.kernels[space.kernel_count++] = vkmm_kernel_at(k);
    return space;
}

vkmm_status vkmm_tune_create_sized(vkmm_instance *instance, const vkmm_device_info *device,
                                   const vkmm_tune_params *params, size_t size, vkmm_tune **out)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, device);
    VKMM_NEED_END(&instance->log, device->name);
    VKMM_NEED(&instance->log, params);
    VKMM_SIZED(&instance->log, vkmm_tune_params, params, size);
    VKMM_NEED(&instance->log, out);
    vkmm_point seeds[MOST_SEEDS];
    uint32_t count = 0;
    int swapped;
    *out = NULL;
    vkmm_status status = vkmm_problem_check(&params->problem);
    if (status != VKMM_OK) return vkmm_tell(&instance->log, status);
    vkmm_tune *t = vkmm_alloc(1, sizeof *t);
    if (!t) return vkmm_tell(&instance->log, VKMM_NO_MEMORY("for a search"));
    t->device = *device;
    t->problem = params->problem;
    t->problem.method = vkmm_method_where(device->features.f64, &t->problem);
    t->seen = vkmm_problem_row_major(&params->problem, &swapped);
    status = list_seeds(t, instance, seeds, &count);
    if (status == VKMM_OK) {
        vkmm_search_space space = space_of(t);
        t->search = vkmm_search_create(&space, seeds, count);
        if (!t->search) status = VKMM_NO_MEMORY("for a search");
    }
    if (status != VKMM_OK) vkmm_tune_destroy(&t);
    *out = t;
    return vkmm_tell(&instance->log, status);
}

void vkmm_tune_destroy(vkmm_tune **tune)
{
    if (!tune || !*tune) return;
    vkmm_search_destroy(&(*tune)->search);
    vkmm_free(*tune);
    *tune = NULL;
}

int vkmm_tune_next(vkmm_tune *t, vkmm_candidate *candidate)
{
    if (!t || !candidate || !vkmm_search_next(t->search, &t->named)) return 0;
    name(&t->named, candidate);
    return 1;
}

vkmm_status vkmm_tune_tell(vkmm_tune *t, const vkmm_candidate *candidate, double ms)
{
    VKMM_NEED(NULL, t);
    VKMM_NEED(NULL, candidate);
    VKMM_NEED_END(NULL, candidate->kernel);
    VKMM_NEED_END(NULL, candidate->config);
    vkmm_point point;
    if (!find(t, candidate, &point)) return VKMM_INVALID;
    return vkmm_search_tell(t->search, &point, ms) ? VKMM_OK : VKMM_NO_MEMORY("for a result");
}

int vkmm_tune_ranked(const vkmm_tune *t, uint32_t place, vkmm_candidate *candidate, double *ms)
{
    if (!t || !candidate || !ms) return 0;
    uint32_t count;
    const vkmm_tried *tried = vkmm_search_ranking(t->search, &count);
    if (place >= count || !(tried[place].ms > 0)) return 0;
    name(&tried[place].point, candidate);
    *ms = tried[place].ms;
    return 1;
}

vkmm_tune_state vkmm_tune_look(const vkmm_tune *t)
{
    if (!t) return (vkmm_tune_state){0};
    uint32_t count;
    const vkmm_tried *tried = vkmm_search_ranking(t->search, &count);
    vkmm_tune_state state = {.size = vkmm_search_size(t->search)};
    name(&t->planned, &state.planned);
    for (uint32_t i = 0; i < count; i++) {
        if (tried[i].ms > 0)
            state.measured++;
        else
            state.failed++;
        if (vkmm_point_same(&tried[i].point, &t->planned)) state.planned_ms = tried[i].ms;
    }
    return state;
}
