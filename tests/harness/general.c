#include "general.h"

#include "math/problem.h"
#include "math/type.h"
#include "verify_problem.h"
#include "vk/command.h"

/* All that one product needs on the device. */
typedef struct memory {
    vkmm_store stores[VKMM_STORE_COUNT];
    vkmm_buffer workspace;
    void *before, *first; /* C before, and after the first run */
    VkCommandBuffer command;
} memory;

static void release(vkmm_device *device, memory *m)
{
    vkmm_command_free(device, &m->command);
    vkmm_stores_destroy(device, m->stores);
    vkmm_buffer_destroy(device, &m->workspace);
    free(m->before);
    free(m->first);
}

static vkmm_status create(vkmm_device *device, const vkmm_problem *problem, const vkmm_plan *plan, memory *m,
                          vkmm_part *parts)
{
    vkmm_status status = vkmm_stores_create(device, problem, m->stores, parts);
    /* The guards too: a driver that clips accesses must not hide them. */
    for (int operand = VKMM_A; operand < VKMM_STORE_COUNT && status == VKMM_OK; operand++)
        parts[vkmm_operand_part(operand)].bytes = (m->stores[operand].bytes + 3) / 4 * 4 + VKMM_GUARD_BYTES;
    m->stores[VKMM_C].input = 1;
    if (status == VKMM_OK && plan->info.workspace_bytes > 0)
        status = vkmm_buffer_create(device, "workspace", plan->info.workspace_bytes, VKMM_PLACE_DEVICE, &m->workspace);
    parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){m->workspace.handle, 0, plan->info.workspace_bytes};
    if (status == VKMM_OK) status = vkmm_plan_clear(device, plan, &parts[VKMM_BINDING_WORKSPACE]);
    m->before = malloc((size_t)m->stores[VKMM_C].bytes + 1);
    m->first = malloc((size_t)m->stores[VKMM_C].bytes + 1);
    return status == VKMM_OK && (!m->before || !m->first) ? VKMM_OUT_OF_MEMORY : status;
}

static void fill(const vkmm_problem *problem, uint64_t seed, vkmm_store *stores)
{
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        const vkmm_operand o = (vkmm_operand)operand;
        for (uint64_t at = 0; at < stores[operand].bytes; at++) ((char *)stores[operand].host)[at] = vkmm_canary_at(at);
        if (o == VKMM_C && vkmm_problem_beta(problem) == 0) continue;
        const uint64_t matrices = vkmm_operand_stride(problem, o) ? vkmm_problem_batches(problem) : 1;
        for (uint64_t batch = 0; batch < matrices; batch++) {
            const vkmm_view view = vkmm_operand_view(problem, o, stores[operand].host, batch);
            vkmm_fill_view(stores[operand].host, &view, VKMM_INIT_UNIFORM, seed + 100 * batch + operand);
        }
    }
    if (problem->has_bias)
        vkmm_fill(stores[VKMM_BIAS].host, 1, problem->n, vkmm_operand_type(problem, VKMM_BIAS), VKMM_INIT_UNIFORM,
                  seed + VKMM_BIAS);
}

static vkmm_status record(general_run *run, const vkmm_plan *plan, memory *m)
{
    vkmm_device *device = run->suite->device;
    vkmm_status status = vkmm_command_begin(device, &m->command);
    if (status != VKMM_OK) return status;
    vkmm_stores_record_poison(device, m->stores, m->command);
    vkmm_stores_record_upload(device, m->stores, m->command);
    const uint64_t items = vkmm_plan_items(plan), slice = run->slice ? run->slice : items;
    for (uint64_t first = 0; first < items; first += slice) {
        vkmm_plan_record_items(device, plan, first, first + slice < items ? first + slice : items, m->command);
        /* Slices need not wait for each other, but validation cannot know that what a shader may do, it does
         * elsewhere. */
        vkmm_command_barrier(device, m->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    vkmm_stores_record_download(device, m->stores, m->command);
    return vkmm_command_end(device, m->command);
}

static int judge(const general_run *run, const vkmm_problem *problem, const memory *m, char why[512])
{
    const vkmm_store *stores = m->stores;
    int64_t damage;
    cli_verdict verdict;
    if (!vkmm_store_guards_whole(&stores[VKMM_C], &damage)) {
        snprintf(why, 512, "wrote %lld bytes from C's start", (long long)damage);
        return 0;
    }
    if (run->check) return run->check(problem, stores, m->before);
    vkmm_status status =
        vkmm_verify_problem(NULL, problem, stores[VKMM_A].host, stores[VKMM_B].host, stores[VKMM_BIAS].host, m->before,
                            stores[VKMM_C].host, run->numbers, CLI_VERIFY_FULL, 1, &verdict);
    snprintf(why, 512, "%s", status == VKMM_OK ? verdict.sentence : "could not be verified");
    return status == VKMM_OK && verdict.passed;
}

static vkmm_status run_twice(general_run *run, const vkmm_plan *plan, const vkmm_problem *problem, uint64_t seed,
                             memory *m, int *right, char why[512])
{
    vkmm_device *device = run->suite->device;
    vkmm_store *c = &m->stores[VKMM_C];
    vkmm_status status = VKMM_OK;
    *right = 1;
    for (int time = 0; time < 2 && status == VKMM_OK && *right; time++) {
        fill(problem, seed, m->stores);
        if (run->change) run->change(problem, m->stores);
        memcpy(m->before, c->host, (size_t)c->bytes);
        status = m->command ? VKMM_OK : record(run, plan, m);
        if (status == VKMM_OK) status = vkmm_command_run(device, m->command, NULL);
        if (status != VKMM_OK) break;
        *right = judge(run, problem, m, why);
        if (time == 0) memcpy(m->first, c->host, (size_t)c->bytes);
    }
    if (status == VKMM_OK && *right && memcmp(m->first, c->host, (size_t)c->bytes) != 0) {
        snprintf(why, 512, "two runs differ");
        *right = 0;
    }
    return status;
}

/* The run whose plan is made: its recipe has the shader that it names in place of a step's own. NULL: none. */
static const general_run *replacing;

vkmm_status __real_vkmm_recipe_make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);
vkmm_status __wrap_vkmm_recipe_make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);

vkmm_status __wrap_vkmm_recipe_make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    const vkmm_status status = __real_vkmm_recipe_make(limits, choice, recipe);
    if (!replacing || !replacing->module) return status;
    const char *step = replacing->step ? replacing->step : "product";
    for (uint32_t i = 0; i < recipe->pipeline_count; i++)
        if (strcmp(recipe->pipelines[i].name, step) == 0) recipe->pipelines[i].module = replacing->module;
    return status;
}

void general_replace(const general_run *run)
{
    replacing = run;
}

static vkmm_status find_plan(general_run *run, const vkmm_problem *problem, vkmm_plan **plan)
{
    vkmm_device *device = run->suite->device;
    const vkmm_wish wish = {.kernel = run->kernel,
                            .config = run->config,
                            .tile_rows = run->tile.rows,
                            .tile_cols = run->tile.cols,
                            .pack = run->pack,
                            .moduli = run->moduli};
    vkmm_device_info limited = *run->suite->info;
    vkmm_choice choice;
    if (run->plain)
        limited.features.f16 = limited.features.i8 = limited.features.storage16 = limited.features.storage8 =
            limited.features.dot8 = 0;
    if (run->processors) limited.processors = run->processors;
    if (run->residues)
        limited.type = run->residues == VKMM_I8 ? VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU : VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (run->driver_id) limited.driver.id = run->driver_id;
    for (int axis = 0; axis < (run->tile.rows ? 3 : 1) && run->max_groups && !run->pack && !problem->method; axis++)
        limited.limits.max_workgroup_count[axis] = run->max_groups;
    vkmm_status status = vkmm_problem_check(problem);
    if (status == VKMM_OK) status = vkmm_choose(&limited, problem, &wish, &choice);
    if (status != VKMM_OK) return status;
    if (run->residues && choice.info.residues != run->residues) return VKMM_UNSUPPORTED;
    for (unsigned i = 0; i < run->planned; i++) {
        *plan = &run->plans[i];
        if (vkmm_plan_fit(device, &choice, *plan)) return VKMM_OK;
    }
    if (run->planned == sizeof run->plans / sizeof run->plans[0]) general_end(run);
    *plan = &run->plans[run->planned];
    status = vkmm_plan_create(device, &choice, *plan);
    if (status == VKMM_OK) run->planned++;
    return status;
}

void general_end(general_run *run)
{
    while (run->planned > 0) vkmm_plan_destroy(run->suite->device, &run->plans[--run->planned]);
}

int general_product(general_run *run, const vkmm_problem *problem, uint64_t seed, char why[512])
{
    memory m = {0};
    vkmm_part parts[VKMM_MAX_BINDING_COUNT] = {{0}};
    int right = 0;
    vkmm_plan *plan = NULL;
    general_replace(run); /* no longer than it lives */
    vkmm_status status = find_plan(run, problem, &plan);
    general_replace(NULL);
    if (status == VKMM_OK) status = create(run->suite->device, problem, plan, &m, parts);
    if (status == VKMM_OK) {
        vkmm_plan_bind(run->suite->device, plan, parts);
        status = run_twice(run, plan, problem, seed, &m, &right, why);
    }
    if (status != VKMM_OK) snprintf(why, 512, "%s: %s", vkmm_status_name(status), vkmm_last_error());
    release(run->suite->device, &m);
    return status == VKMM_OK && right;
}

void general_put_codes(const vkmm_problem *p, vkmm_store *stores)
{
    const vkmm_operand coded = p->m == 256 ? VKMM_A : VKMM_B;
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_view view = vkmm_operand_view(p, (vkmm_operand)o, stores[o].host, 0);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) {
                const uint64_t line = coded == VKMM_A ? i : j, k = coded == VKMM_A ? j : i;
                uint8_t *element = (uint8_t *)(uintptr_t)view.data + i * view.row_stride + j * view.col_stride;
                if (o != (int)coded)
                    vkmm_type_put(p->type, element, 1);
                else
                    *element = line % 16 == k % 16 && k < 16 ? (uint8_t)line : 0;
            }
    }
}

int general_has_codes(const vkmm_problem *p, const vkmm_store *stores, const void *before)
{
    const vkmm_view view = vkmm_operand_view(p, VKMM_C, stores[VKMM_C].host, 0);
    (void)before;
    for (uint64_t line = 0; line < 256; line++) {
        const uint8_t code = (uint8_t)line;
        const double got = p->m == 256 ? vkmm_view_get(&view, line, 1) : vkmm_view_get(&view, 1, line),
                     want = vkmm_type_get(p->type, &code);
        if (isnan(want) ? !isnan(got) : got != want) return 0;
    }
    return 1;
}
