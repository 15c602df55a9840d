#include "look/race.h"

#include <string.h>

#include "base/log.h"
#include "copy/store.h"
#include "kernel/user.h"
#include "vk/command.h"

enum { GUARDED, RACING, VERSIONS };

static const char *const modules[VERSIONS] = {[GUARDED] = "tile_sum", [RACING] = "tile_sum-no-barrier"};

static const vkmm_kernel tile_sum = {.name = "tile_sum",
                                     .summary = "every element becomes the sum of its tile",
                                     .spread = VKMM_SPREAD_GRID,
                                     .default_rows = 16,
                                     .default_cols = 16};

typedef struct race {
    vkmm_device *device;
    const vkmm_race_params *params;
    uint64_t count;                      /* elements */
    vkmm_store stores[VKMM_STORE_COUNT]; /* A: the values; C: the sums */
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    vkmm_plan plans[VERSIONS];
    VkCommandBuffer commands[VERSIONS];
} race;

/* The planner's rules for tiles and ranges, for a shader that is not a product: like a user's shader, but it loops over
 * what a dispatch cannot reach. */
static vkmm_status choose(const race *r, int version, vkmm_choice *choice)
{
    const vkmm_race_params *params = r->params;
    const vkmm_device_info *device = &r->device->physical->info;
    const vkmm_problem problem = VKMM_PROBLEM(.m = params->rows, .n = params->cols, .k = 1, .type = VKMM_I32);
    const vkmm_shader shader = {.kernel = tile_sum,
                                .module = *vkmm_module_find(modules[version], VKMM_I32, VKMM_BUILD_PLAIN)};
    const vkmm_wish wish = {.tile_rows = params->tile_rows, .tile_cols = params->tile_cols, .shader = &shader};
    vkmm_device_info boundless = *device;
    for (int axis = 0; axis < 3; axis++) boundless.limits.max_workgroup_count[axis] = UINT32_MAX;
    vkmm_status status = vkmm_choose(&boundless, &problem, &wish, choice);
    if (status != VKMM_OK) return status;
    choice->kernel = &tile_sum; /* `shader` ends here */
    choice->problem.k = 0;
    choice->module = vkmm_module_find(modules[version], VKMM_I32, VKMM_BUILD_PLAIN);
    for (int axis = 0; axis < 2; axis++)
        if (choice->info.groups[axis] > device->limits.max_workgroup_count[axis])
            choice->info.groups[axis] = device->limits.max_workgroup_count[axis];
    choice->info.shared_bytes = choice->info.tile[0] * choice->info.tile[1] * (uint32_t)sizeof(int32_t);
    if (choice->info.shared_bytes <= device->limits.max_shared_bytes) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "tile %ux%u needs %u bytes of shared memory; \"%s\" allows %u (maxComputeSharedMemorySize)",
                     choice->info.tile[0], choice->info.tile[1], choice->info.shared_bytes, device->name,
                     device->limits.max_shared_bytes);
}

static vkmm_status record(race *r, int version)
{
    vkmm_device *device = r->device;
    VkCommandBuffer *command = &r->commands[version];
    vkmm_status status = vkmm_command_begin(device, command);
    if (status != VKMM_OK) return status;
    vkmm_stores_record_poison(device, r->stores, *command);
    vkmm_stores_record_upload(device, r->stores, *command);
    vkmm_plan_record(device, &r->plans[version], *command);
    vkmm_stores_record_download(device, r->stores, *command);
    return vkmm_command_end(device, *command);
}

static vkmm_status create_version(race *r, int version, vkmm_kernel_info *info)
{
    vkmm_choice choice;
    vkmm_status status = choose(r, version, &choice);
    if (status == VKMM_OK) status = vkmm_plan_create(r->device, &choice, &r->plans[version]);
    if (status != VKMM_OK) return status;
    *info = choice.info;
    vkmm_plan_bind(r->device, &r->plans[version], r->parts);
    return record(r, version);
}

/* The correct sums, tile by tile on the host. */
static void sum_tiles(const race *r, const vkmm_kernel_info *info)
{
    const int32_t *values = r->stores[VKMM_A].host;
    const uint64_t rows = r->params->rows, cols = r->params->cols;
    for (uint64_t row0 = 0; row0 < rows; row0 += info->tile[0]) {
        for (uint64_t col0 = 0; col0 < cols; col0 += info->tile[1]) {
            uint64_t row1 = row0 + info->tile[0] < rows ? row0 + info->tile[0] : rows;
            uint64_t col1 = col0 + info->tile[1] < cols ? col0 + info->tile[1] : cols;
            uint32_t sum = 0; /* unsigned, so that it wraps as the device's does */
            for (uint64_t i = row0; i < row1; i++)
                for (uint64_t j = col0; j < col1; j++) sum += (uint32_t)values[i * cols + j];
            for (uint64_t i = row0; i < row1; i++)
                for (uint64_t j = col0; j < col1; j++) r->params->right[i * cols + j] = (int32_t)sum;
        }
    }
}

/* Compares one run with the correct sums. */
static void judge(const race *r, vkmm_race_count *count)
{
    const int32_t *sums = r->stores[VKMM_C].host;
    uint64_t wrong = 0, first = 0;
    for (uint64_t i = 0; i < r->count; i++)
        if (sums[i] != r->params->right[i] && wrong++ == 0) first = i;
    if (wrong == 0) return;
    if (count->wrong_runs++ == 0) {
        count->row = (uint32_t)(first / r->params->cols);
        count->col = (uint32_t)(first % r->params->cols);
        count->got = sums[first];
        count->want = r->params->right[first];
    }
    count->wrong_elements += wrong;
}

static vkmm_status run_once(race *r, int version, vkmm_race_count *count)
{
    int64_t damage = 0;
    vkmm_status status = vkmm_command_run(r->device, r->commands[version], NULL);
    if (status != VKMM_OK) return status;
    if (!vkmm_store_guards_whole(&r->stores[VKMM_C], &damage))
        return vkmm_fail(VKMM_WRONG_RESULT,
                         "the tile sum %s its barrier wrote outside the matrix: %lld bytes from its start",
                         version == GUARDED ? "with" : "without", (long long)damage);
    if (version == RACING && count->wrong_runs == 0)
        memcpy(r->params->without_barrier, r->stores[VKMM_C].host, r->count * sizeof(int32_t));
    judge(r, count);
    return VKMM_OK;
}

static vkmm_status run_all(race *r, vkmm_race_result *result)
{
    const vkmm_race_params *params = r->params;
    const vkmm_problem values = VKMM_PROBLEM(.m = r->count, .n = 1, .k = 1, .type = VKMM_I32);
    vkmm_status status = vkmm_stores_create(r->device, &values, r->stores, r->parts);
    for (int version = 0; version < VERSIONS && status == VKMM_OK; version++)
        status = create_version(r, version, &result->kernel);
    if (status != VKMM_OK) return status;
    memcpy(r->stores[VKMM_A].host, params->values, r->count * sizeof *params->values);
    sum_tiles(r, &result->kernel);
    for (uint32_t run = 0; run < params->runs && status == VKMM_OK; run++) {
        status = run_once(r, GUARDED, &result->with_barrier);
        if (status == VKMM_OK) status = run_once(r, RACING, &result->without_barrier);
    }
    return status;
}

vkmm_status vkmm_race_run(vkmm_device *device, const vkmm_race_params *params, vkmm_race_result *result)
{
    race r = {.device = device, .params = params, .count = (uint64_t)params->rows * params->cols};
    vkmm_race_result found = {.kernel.name = ""};
    if (r.count == 0)
        return VKMM_FAIL(vkmm_device_log(device), VKMM_INVALID,
                         "a matrix of %ux%u has no tile to sum; both extents must be at least 1", params->rows,
                         params->cols);
    vkmm_status status = run_all(&r, &found);
    for (int version = 0; version < VERSIONS; version++) {
        vkmm_command_free(device, &r.commands[version]);
        vkmm_plan_destroy(device, &r.plans[version]);
    }
    vkmm_stores_destroy(device, r.stores);
    if (status == VKMM_OK) *result = found;
    return vkmm_tell(vkmm_device_log(device), status);
}
