#include "look/count.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "copy/store.h"
#include "math/type.h"
#include "plan/parts.h"
#include "vk/command.h"

enum { VISITS, USEFUL, FIRST_READ };
enum { LEAST_DEPTH = 64 }; /* of the counted product, if it is not the whole K */

/* All that one counting run owns. */
typedef struct counting {
    vkmm_device *device;
    vkmm_problem problem; /* with the K to count with, */
    uint64_t whole_k;     /* and the product's */
    vkmm_choice choice;
    uint32_t stride, logged;
    uint64_t sampled[2], counters_bytes;
    vkmm_plan plan;
    vkmm_store stores[VKMM_STORE_COUNT];
    vkmm_buffer counters, staging; /* staging only where memory is not unified */
    VkCommandBuffer command;
} counting;

static uint64_t counters_bytes(const vkmm_problem *problem, uint64_t stride)
{
    uint64_t counters =
        2 * (vkmm_divide_up(problem->m * problem->k, stride) + vkmm_divide_up(problem->k * problem->n, stride));
    return sizeof(uint32_t) * (FIRST_READ + counters);
}

static uint64_t log_bytes(const counting *c)
{
    return sizeof(uint32_t) * c->logged * c->choice.info.workgroup[0] * c->choice.info.workgroup[1];
}

static int is_prime(uint64_t value)
{
    for (uint64_t divisor = 2; divisor * divisor <= value; divisor++)
        if (value % divisor == 0) return 0;
    return value > 1;
}

static double reads_of(const vkmm_problem *p, const vkmm_access *formula)
{
    return (double)(p->m * p->k) * (double)(formula->a.global_min + formula->a.shared_min) +
           (double)(p->k * p->n) * (double)(formula->b.global_min + formula->b.shared_min);
}

uint64_t vkmm_count_depth(const vkmm_problem *problem, const vkmm_kernel_info *info, const vkmm_access *formula,
                          uint64_t budget)
{
    const uint64_t step = info->shared_bytes > 0 ? info->spec_values[VKMM_SPEC_DEPTH] : 1,
                   depth = vkmm_round_up(LEAST_DEPTH, step) + problem->k % step;
    return reads_of(problem, formula) > (double)budget && depth < problem->k ? depth : problem->k;
}

uint32_t vkmm_count_stride(const vkmm_problem *problem, const vkmm_access *formula, uint64_t budget, uint64_t max_bytes)
{
    uint64_t n = problem->n, k = problem->k, stride = 1;
    double reads = reads_of(problem, formula);
    if (reads > (double)budget) stride = (uint64_t)(reads / (double)budget) + 1;
    while (counters_bytes(problem, stride) > max_bytes) stride *= 2;
    while (stride > 1 && (!is_prime(stride) || k % stride == 0 || n % stride == 0)) stride++;
    return stride < UINT32_MAX ? (uint32_t)stride : UINT32_MAX;
}

/* A[i][k] and B[k][j] are the same for all k, so that C[i][j] = K · A[i] · B[j]: exact in every type while it stays
 * below 2^24, and different between neighbours in either direction. */
static double factor_a(uint64_t row)
{
    return (double)(row % 7 + 1);
}

static double factor_b(uint64_t col)
{
    return (double)(col % 5 + 1);
}

static void fill(const counting *c)
{
    const vkmm_problem *p = &c->problem;
    const uint32_t bytes = vkmm_type_of(p->type)->bytes;
    char *a = c->stores[VKMM_A].host, *b = c->stores[VKMM_B].host;
    for (uint64_t i = 0; i < p->m; i++)
        for (uint64_t k = 0; k < p->k; k++) vkmm_type_put(p->type, a + (i * p->k + k) * bytes, factor_a(i));
    for (uint64_t k = 0; k < p->k; k++)
        for (uint64_t j = 0; j < p->n; j++) vkmm_type_put(p->type, b + (k * p->n + j) * bytes, factor_b(j));
}

/* Whether the loops of the whole product may be longer than older releases of llvmpipe run them. */
static int is_cut_short(const counting *c)
{
    const vkmm_kernel_info *info = &c->choice.info;
    const int is_band = vkmm_kernel_find(info->name)->spread == VKMM_SPREAD_BAND && info->shared_bytes == 0;
    const uint64_t tiles = is_band ? vkmm_divide_up(c->problem.n, info->tile[1]) : 1;
    return c->device->physical->info.driver.id == VK_DRIVER_ID_MESA_LLVMPIPE &&
           c->whole_k * tiles >= VKMM_LLVMPIPE_ROUNDS;
}

static vkmm_status wrong_element(const counting *c, uint64_t row, uint64_t col)
{
    if (is_cut_short(c))
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "llvmpipe exits a shader's loops after %d iterations, before %s has finished this size: "
                         "C[%llu][%llu] is wrong",
                         VKMM_LLVMPIPE_ROUNDS, c->choice.info.name, (unsigned long long)row, (unsigned long long)col);
    return vkmm_fail(VKMM_WRONG_RESULT,
                     "the counting build of %s computed a wrong C[%llu][%llu]: its counts are not valid",
                     c->choice.info.name, (unsigned long long)row, (unsigned long long)col);
}

/* The counting build must multiply correctly like the plain one; otherwise it counts something else. */
static vkmm_status judge(const counting *c)
{
    const vkmm_problem *p = &c->problem;
    const char *numbers = c->stores[VKMM_C].host;
    const uint32_t bytes = vkmm_type_of(p->type)->bytes;
    int64_t damage;
    if (!vkmm_store_guards_whole(&c->stores[VKMM_C], &damage))
        return vkmm_fail(VKMM_WRONG_RESULT, "the counting build of %s wrote outside C: %lld bytes from its start",
                         c->choice.info.name, (long long)damage);
    if (p->type == VKMM_F32 && p->k * 35 >= 1 << 24) return VKMM_OK; /* sums round */
    for (uint64_t i = 0; i < p->m; i++)
        for (uint64_t j = 0; j < p->n; j++)
            if (vkmm_type_get(p->type, numbers + (i * p->n + j) * bytes) != (double)p->k * factor_a(i) * factor_b(j))
                return wrong_element(c, i, j);
    return VKMM_OK;
}

vkmm_status vkmm_choice_observe(vkmm_choice *choice, vkmm_build build, uint32_t count, const uint32_t *ids,
                                const uint32_t *values)
{
    const vkmm_module *module =
        choice->module ? vkmm_module_find(vkmm_kernel_shader(choice->kernel), choice->module->type, build) : NULL;
    if (!module)
        return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot be observed; the tutorial kernels, such as tiled, can",
                         choice->kernel->name);
    choice->module = module;
    for (uint32_t i = 0; i < count && choice->info.spec_count < VKMM_MAX_SPEC_CONSTANTS; i++)
        vkmm_info_constant(&choice->info, ids[i], values[i]);
    return VKMM_OK;
}

static vkmm_status choose(counting *c, const vkmm_job_params *params, vkmm_access *access)
{
    const vkmm_device_info *info = &c->device->physical->info;
    const vkmm_log *log = vkmm_device_log(c->device);
    vkmm_status status = vkmm_choose_job(log, info, params, &c->choice);
    if (status == VKMM_OK) status = vkmm_access_formula(&c->choice.info, &c->problem, access);
    if (status != VKMM_OK) return status;
    if (access->invocations > UINT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%llu invocations are too many to count: the counters have 32 bits; use a smaller M or N",
                         (unsigned long long)access->invocations);
    if (!is_cut_short(c)) /* else the whole product has to show that it is right */
        c->problem.k = vkmm_count_depth(&c->problem, &c->choice.info, access, VKMM_COUNT_BUDGET);
    if (c->problem.k != c->whole_k) {
        const vkmm_kernel_info whole = c->choice.info;
        const vkmm_job_params shorter = {
            .problem = c->problem, .kernel = whole.name, .tile_rows = whole.tile[0], .tile_cols = whole.tile[1]};
        status = vkmm_choose_job(log, info, &shorter, &c->choice);
        if (status != VKMM_OK) return status;
    }
    const uint64_t room = vkmm_least(info->limits.max_storage_range, info->memory.max_allocation_bytes);
    c->stride = vkmm_count_stride(&c->problem, access, VKMM_COUNT_BUDGET, vkmm_least(room, UINT64_C(1) << 28));
    c->counters_bytes = counters_bytes(&c->problem, c->stride) + log_bytes(c);
    c->sampled[VKMM_A] = vkmm_divide_up(c->problem.m * c->problem.k, c->stride);
    c->sampled[VKMM_B] = vkmm_divide_up(c->problem.k * c->problem.n, c->stride);
    const uint32_t ids[] = {VKMM_SPEC_STRIDE, VKMM_SPEC_LOGGED}, values[] = {c->stride, c->logged};
    return vkmm_choice_observe(&c->choice, VKMM_BUILD_COUNT, 2, ids, values);
}

static vkmm_status create(counting *c)
{
    vkmm_device *device = c->device;
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    vkmm_status status = vkmm_plan_create(device, &c->choice, &c->plan);
    if (status == VKMM_OK) status = vkmm_stores_create(device, &c->problem, c->stores, parts);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(device, "the counters", c->counters_bytes, VKMM_PLACE_DEVICE, &c->counters);
    if (status == VKMM_OK && !c->counters.mapped)
        status = vkmm_buffer_create(device, "the counters", c->counters_bytes, VKMM_PLACE_DOWNLOAD, &c->staging);
    if (status != VKMM_OK) return status;
    parts[VKMM_BINDING_COUNT] = (vkmm_part){c->counters.handle, 0, c->counters_bytes};
    vkmm_plan_bind(device, &c->plan, parts);
    return VKMM_OK;
}

static vkmm_status record(counting *c)
{
    vkmm_device *device = c->device;
    vkmm_status status = vkmm_command_begin(device, &c->command);
    if (status != VKMM_OK) return status;
    device->table.vkCmdFillBuffer(c->command, c->counters.handle, 0, c->counters_bytes, 0);
    vkmm_stores_record_poison(device, c->stores, c->command); /* its barrier covers the counters too */
    vkmm_stores_record_upload(device, c->stores, c->command);
    vkmm_plan_record(device, &c->plan, c->command);
    vkmm_stores_record_download(device, c->stores, c->command); /* likewise */
    return vkmm_command_end(device, c->command);
}

static void least_and_most(const uint32_t *counts, uint64_t count, uint64_t *min, uint64_t *max, uint64_t *sum)
{
    *min = count > 0 ? counts[0] : 0;
    *max = *sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (counts[i] < *min) *min = counts[i];
        if (counts[i] > *max) *max = counts[i];
        *sum += counts[i];
    }
}

/* Reads of all elements, from those of the sample: exact when all are read equally often. */
static uint64_t scale_up(uint64_t sum, uint64_t in_sample, uint64_t elements)
{
    if (in_sample == 0) return 0;
    if (sum % in_sample == 0) return sum / in_sample * elements;
    return (uint64_t)((double)sum / (double)in_sample * (double)elements + 0.5);
}

static const uint32_t *counters(const counting *c)
{
    return c->staging.mapped ? c->staging.mapped : c->counters.mapped;
}

static void read_counters(const counting *c, vkmm_access *access)
{
    const uint32_t *counts = counters(c);
    const uint32_t *a = counts + FIRST_READ, *b = a + c->sampled[VKMM_A];
    const uint32_t *shared_a = b + c->sampled[VKMM_B], *shared_b = shared_a + c->sampled[VKMM_A];
    vkmm_problem whole = c->problem, *p = &whole;
    whole.k = c->whole_k;
    uint64_t reads_a, reads_b, ignored, bytes = vkmm_type_of(p->type)->bytes;
    memset(access, 0, sizeof *access);
    least_and_most(a, c->sampled[VKMM_A], &access->a.global_min, &access->a.global_max, &reads_a);
    least_and_most(b, c->sampled[VKMM_B], &access->b.global_min, &access->b.global_max, &reads_b);
    least_and_most(shared_a, c->sampled[VKMM_A], &access->a.shared_min, &access->a.shared_max, &ignored);
    least_and_most(shared_b, c->sampled[VKMM_B], &access->b.shared_min, &access->b.shared_max, &ignored);
    access->invocations = counts[VISITS];
    access->useful = counts[USEFUL];
    access->multiply_adds = vkmm_access_multiply_adds(&c->choice.info, p, access->invocations, access->useful);
    access->bytes_read = bytes * (scale_up(reads_a, c->sampled[VKMM_A], p->m * p->k) +
                                  scale_up(reads_b, c->sampled[VKMM_B], p->k * p->n));
    access->bytes_written = bytes * access->useful;
    access->stride = c->stride;
    access->k = c->problem.k;
}

static vkmm_status keep_log(const counting *c, uint32_t **log)
{
    *log = vkmm_alloc(1, log_bytes(c));
    if (!*log) return VKMM_NO_MEMORY("for the accesses of a workgroup");
    memcpy(*log, (const char *)counters(c) + counters_bytes(&c->problem, c->stride), log_bytes(c));
    return VKMM_OK;
}

vkmm_status vkmm_access_count(vkmm_device *device, const vkmm_job_params *params, vkmm_access *access)
{
    return vkmm_count_log(device, params, 0, access, NULL, NULL);
}

vkmm_status vkmm_count_log(vkmm_device *device, const vkmm_job_params *params, uint32_t logged, vkmm_access *access,
                           vkmm_kernel_info *info, uint32_t **log)
{
    counting c = {.device = device, .problem = params->problem, .whole_k = params->problem.k, .logged = logged};
    vkmm_access counted = {0};
    vkmm_status status = choose(&c, params, &counted);
    if (status == VKMM_OK) status = create(&c);
    if (status == VKMM_OK) {
        fill(&c);
        status = record(&c);
    }
    if (status == VKMM_OK) status = vkmm_command_run(device, c.command, NULL);
    if (status == VKMM_OK && c.staging.handle)
        status = vkmm_command_copy(device, c.counters.handle, 0, c.staging.handle, c.counters_bytes);
    if (status == VKMM_OK) status = judge(&c);
    if (status == VKMM_OK) {
        read_counters(&c, &counted);
        *access = counted;
        if (info) *info = c.choice.info;
        if (log) status = keep_log(&c, log);
    }
    vkmm_command_free(device, &c.command);
    vkmm_plan_destroy(device, &c.plan);
    vkmm_stores_destroy(device, c.stores);
    vkmm_buffer_destroy(device, &c.counters);
    vkmm_buffer_destroy(device, &c.staging);
    return vkmm_tell(vkmm_device_log(device), status);
}
