/* The scenarios. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/steps.h"
#include "math/problem.h"
#include "play.h"

/* Ragged, padded, scaled, with a bias: everything that a general kernel takes. */
static const vkmm_problem full_f32 =
    VKMM_PROBLEM_INIT(.m = 13, .n = 11, .k = 17, .type = VKMM_F32, .op_a = VKMM_OP_T, .lda = 16, .ldc = 14,
                      .batch_count = 2, .stride_a = 300, .stride_b = 200, .stride_c = 190, .alpha = 2, .beta = -1,
                      .has_bias = 1);
static const vkmm_problem plain_i32 = VKMM_PROBLEM_INIT(.m = 11, .n = 17, .k = 34, .type = VKMM_I32);
static const vkmm_problem plain_f64 = VKMM_PROBLEM_INIT(.m = 12, .n = 12, .k = 24, .type = VKMM_F64);

/* A job: filled, run, verified, and where that is wished, measured and verified again. */
static int run_job(play *p, vkmm_device *device, const vkmm_job_params *params, const vkmm_measure_params *measure)
{
    const vkmm_problem *problem = &params->problem;
    vkmm_job *job = (vkmm_job *)p;
    p->status = vkmm_job_create(device, NULL, params, &job);
    p->leftover |= p->status != VKMM_OK && job != NULL;
    if (p->status == VKMM_OK) {
        p->tuned += vkmm_job_kernel(job)->tuned > 0;
        void *memory[PLAY_MEMORIES], *before = malloc(vkmm_operand_bytes(problem, VKMM_C));
        for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) {
            memory[operand] = vkmm_job_matrix(job, (vkmm_operand)operand);
            fill_operand(problem, (vkmm_operand)operand, VKMM_INIT_INT, 1, memory[operand]);
        }
        memory[PLAY_BEFORE] = memcpy(before, memory[VKMM_C], vkmm_operand_bytes(problem, VKMM_C));
        p->status = vkmm_job_run(job);
        if (p->status == VKMM_OK) judge_product(p, problem, memory);
        if (p->status == VKMM_OK && measure) {
            vkmm_measurement measurement;
            p->status = vkmm_job_measure(job, measure, &measurement);
            if (p->status == VKMM_OK) judge_product(p, problem, memory);
            vkmm_step_info steps[8];
            uint32_t count = 8;
            const char *why;
            if (p->status == VKMM_OK) p->status = vkmm_job_time_steps(job, steps, &count, &why);
        }
        vkmm_job_destroy(&job);
        free(before);
    }
    return p->status == VKMM_OK;
}

static int job_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_job_params full = {.problem = full_f32}, plain = {.problem = plain_i32, .config = "splits=4"};
    const vkmm_measure_params shortly = {.iters = 2, .cold_iters = 1, .cold_iters_given = 1};
    const vkmm_measure_params rotating = {
        .iters = 3, .cold_iters = 1, .cold_iters_given = 1, .rotating_bytes = 1 << 16, .skip_transfers = 1};
    return run_job(p, device, &full, NULL) && run_job(p, device, &plain, &shortly) &&
           run_job(p, device, &plain, &rotating);
}

/* vkmm_multiply, which writes C only if all goes well, but for panels; and again, with what the first call left. */
static int multiply_problem(play *p, vkmm_device *device, const vkmm_problem *problem, int in_panels)
{
    const uint64_t bytes = vkmm_operand_bytes(problem, VKMM_C);
    void *memory[PLAY_MEMORIES];
    make_operands(problem, VKMM_INIT_INT, 1, memory);
    for (int call = 0; call < 2 && p->status == VKMM_OK; call++) {
        memcpy(memory[VKMM_C], memory[PLAY_BEFORE], bytes);
        p->status = vkmm_multiply(device, problem, memory[VKMM_A], memory[VKMM_B], NULL, memory[VKMM_C]);
        if (p->status != VKMM_OK)
            p->leftover |= !in_panels && memcmp(memory[PLAY_BEFORE], memory[VKMM_C], bytes) != 0;
        else
            judge_product(p, problem, memory);
    }
    free_operands(memory);
    return p->status == VKMM_OK;
}

static int multiply_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    return multiply_problem(p, device, &plain_f64, 0);
}

static int multiply_in_panels_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    static const vkmm_problem wide = VKMM_PROBLEM_INIT(.m = 9, .n = 640, .k = 5, .type = VKMM_F32, .beta = 1);
    return multiply_problem(p, device, &wide, 1);
}

/* To the device and back, in more chunks than are in flight at a time. */
static int memory_is_copied(play *p, vkmm_device *device)
{
    enum { BYTES = 30001 };
    static char numbers[BYTES], got[BYTES];
    vkmm_memory *there = NULL;
    for (int i = 0; i < BYTES; i++) numbers[i] = (char)(i % 127), got[i] = 0;
    p->status = vkmm_memory_create(device, BYTES + 5, &there);
    if (p->status == VKMM_OK) p->status = vkmm_memory_write(there, 4, BYTES, numbers);
    if (p->status == VKMM_OK) p->status = vkmm_memory_read(there, 4, BYTES, got);
    if (p->status == VKMM_OK) p->wrong |= memcmp(numbers, got, BYTES) != 0;
    vkmm_memory_destroy(&there);
    return p->status == VKMM_OK;
}

/* Products in memory that stays on the device: the second one adds to the first one's C, with what the first one left.
 */
static int memory_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    vkmm_problem problem = full_f32;
    vkmm_memory *there[4] = {NULL};
    void *here[PLAY_MEMORIES];
    make_operands(&problem, VKMM_INIT_INT, 1, here);
    memory_is_copied(p, device);
    for (int o = VKMM_A; o <= VKMM_BIAS && p->status == VKMM_OK; o++) {
        const uint64_t bytes = vkmm_operand_bytes(&problem, (vkmm_operand)o);
        there[o] = (vkmm_memory *)p;
        p->status = vkmm_memory_create(device, bytes, &there[o]);
        p->leftover |= p->status != VKMM_OK && there[o] != NULL;
        if (p->status == VKMM_OK) p->status = vkmm_memory_write(there[o], 0, bytes, here[o]);
    }
    for (int turn = 0; turn < 2 && p->status == VKMM_OK; turn++) {
        const uint64_t bytes = vkmm_operand_bytes(&problem, VKMM_C);
        memcpy(here[PLAY_BEFORE], here[VKMM_C], bytes);
        p->status =
            vkmm_memory_multiply(device, &problem, there[VKMM_A], there[VKMM_B], there[VKMM_BIAS], there[VKMM_C]);
        if (p->status == VKMM_OK) p->status = vkmm_memory_read(there[VKMM_C], 0, bytes, here[VKMM_C]);
        if (p->status == VKMM_OK) judge_product(p, &problem, here);
    }
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) vkmm_memory_destroy(&there[o]);
    free_operands(here);
    return p->status == VKMM_OK;
}

/* A product in panels, from memory to memory, so many times. */
static int stream_problem(play *p, vkmm_device *device, const vkmm_problem *problem, const char *config, int runs)
{
    const vkmm_stream_params params = {.job = {.problem = *problem, .config = config, .untuned = 1}, .threads = 1};
    vkmm_stream *stream = (vkmm_stream *)p;
    vkmm_stream_times times = {0};
    void *memory[PLAY_MEMORIES];
    make_operands(problem, VKMM_INIT_INT, 1, memory);
    p->status = vkmm_stream_create(device, NULL, &params, &stream);
    p->leftover |= p->status != VKMM_OK && stream != NULL;
    const vkmm_stream_io io = {
        .a = memory[VKMM_A], .b = memory[VKMM_B], .bias = memory[VKMM_BIAS], .c = memory[VKMM_C]};
    for (int run = 0; run < runs && p->status == VKMM_OK; run++) {
        memcpy(memory[VKMM_C], memory[PLAY_BEFORE], vkmm_operand_bytes(problem, VKMM_C));
        p->status = vkmm_stream_run(stream, &io, &times);
        p->shrunk += times.shrunk;
        if (p->status == VKMM_OK) judge_product(p, problem, memory);
    }
    if (stream != (vkmm_stream *)p) vkmm_stream_destroy(&stream);
    free_operands(memory);
    return p->status == VKMM_OK;
}

/* Panels of C, and of a split K within a tile of it. */
static int stream_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    static const vkmm_problem wide =
        VKMM_PROBLEM_INIT(.m = 9, .n = 320, .k = 17, .type = VKMM_F32, .op_b = VKMM_OP_T, .lda = 19, .ldc = 323,
                          .alpha = 2, .beta = -1, .has_bias = 1, .activation = VKMM_RELU);
    static const vkmm_problem deep = VKMM_PROBLEM_INIT(.m = 17, .n = 5, .k = 600, .type = VKMM_I32,
                                                       .layout = VKMM_COL_MAJOR, .alpha = 3, .beta = 1, .has_bias = 1);
    static const char small[] = "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,splits=1,slices=1,lane-cols=4";
    return stream_problem(p, device, &wide, small, 2) && stream_problem(p, device, &deep, NULL, 1);
}

static vkmm_tuned tuned_result(void)
{
    vkmm_tuned tuned = {.gflops = 2, .planned_gflops = 1, .candidates = 2};
    snprintf(tuned.best.kernel, sizeof tuned.best.kernel, "blocked");
    snprintf(
        tuned.best.config, sizeof tuned.best.config,
        "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,splits=1,swizzle=8,buffers=1,pad=1,slices=1,lane-cols=4");
    return tuned;
}

/* Leaves two results in the cache, of which the first must not be lost by what goes wrong with the second. */
static int tune_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    vkmm_tuned tuned = tuned_result(), found;
    p->status = vkmm_tuned_put(instance, info, &plain_i32, &tuned);
    if (p->status != VKMM_OK) return 0;
    p->status = vkmm_tuned_put(instance, info, &plain_f64, &tuned);
    if (!vkmm_tuned_get(instance, info, &plain_i32, &found)) p->forgotten++;
    return p->status == VKMM_OK;
}

/* A process later: pipelines and results are read from the cache. */
static int cached_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_job_params tuned = {.problem = plain_i32};
    vkmm_tuned found;
    const int done = run_job(p, device, &tuned, NULL);
    if (done && !vkmm_tuned_get(instance, vkmm_instance_device_info(instance, 0), &plain_i32, &found)) p->forgotten++;
    return done;
}

static void act_cached(play *p)
{
    if (!make_folder(p)) return;
    play_on_device(p, tune_on);
    if (p->status == VKMM_OK) play_on_device(p, cached_on);
    if (p->status == VKMM_OK) play_on_device(p, cached_on);
}

static const scenario scenarios[] = {
    /* Jobs run, measured and verified. */
    {"unified", {.unified = 1, .budget_bytes = 1 << 28}, .on = job_on},
    {"discrete", {.transfer_family = 2, .lazy = 1, .budget_bytes = 1 << 28}, .on = job_on},
    {"untimed", {.no_timestamps = 1, .lazy = 1}, .on = job_on},
    /* vkmm_multiply. */
    {"multiply", {.lazy = 1}, .panels = 1, .on = multiply_on},
    {"multiply-panels",
     {.transfer_family = 2, .lazy = 1, .max_storage_range = 20480},
     .panels = 1,
     .on = multiply_in_panels_on},
    /* Products in the device's memory, copied to and from it in chunks. */
    {"memory", {.lazy = 1, .max_allocation_bytes = 1 << 15}, .on = memory_on},
    {"mapped memory", {.unified = 1, .lazy = 1}, .on = memory_on},
    /* Pipelines and tuning results kept in a folder. */
    {"cached", {.unified = 1, .lazy = 1}, .tuned = 2, .act = act_cached},
    /* A device of another program; without push descriptors, with a pipeline cache. */
    {"lent", {.push_descriptors = 1}, .act = act_lender},
    {"lent-old", {.unified = 1, .lazy = 1, .api_version = VK_API_VERSION_1_1}, .act = act_lender_with_cache},
    /* Products in panels: filled where they lie, with a queue for copies, with one queue for all. */
    {"panels",
     {.unified = 1, .lazy = 1, .max_storage_range = 20480, .max_allocation_bytes = 1 << 15},
     .panels = 1,
     .on = stream_on},
    {"copied", {.transfer_family = 2, .lazy = 1, .max_storage_range = 20480}, .panels = 1, .on = stream_on},
    {"queued", {.max_storage_range = 20480, .no_timestamps = 1}, .panels = 1, .on = stream_on},
};

const scenario *scenario_at(unsigned index)
{
    return index < sizeof scenarios / sizeof scenarios[0] ? &scenarios[index] : NULL;
}
