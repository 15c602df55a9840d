/* What a measurement finds out beside the three series: copies that take turns, the parts of a transfer, the clock's
 * cross-check. */
#include "clock.h"
#include "job/job.h"
#include "look/peak.h"
#include "look/steps.h"
#include "math/matrix.h"
#include "suite.h"
#include "vk/command.h"

/* Quick to compile. */
#define SMALL "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2,splits="

enum { M = 37, N = 29, K = 41 };
#define SUBMIT_MS   0.25
#define DISPATCH_MS 0.125

static suite_device suite;
SUITE_MAIN(suite)

static const vkmm_job_params tiled = {.problem = VKMM_PROBLEM_INIT(.m = M, .n = N, .k = K, .type = VKMM_F32),
                                      .kernel = "tiled"},
                             blocked = {.problem = VKMM_PROBLEM_INIT(.m = M, .n = N, .k = K, .type = VKMM_F32),
                                        .kernel = "blocked",
                                        .config = SMALL "2"};

static vkmm_job *make_job(const vkmm_job_params *params)
{
    const vkmm_problem *p = &params->problem;
    vkmm_job *job = keep_job(suite.device, NULL, params);
    vkmm_fill(vkmm_job_matrix(job, VKMM_A), p->m, p->k, p->type, VKMM_INIT_UNIFORM, 1);
    vkmm_fill(vkmm_job_matrix(job, VKMM_B), p->k, p->n, p->type, VKMM_INIT_UNIFORM, 2);
    if (vkmm_job_reads_c(job)) vkmm_fill(vkmm_job_matrix(job, VKMM_C), p->m, p->n, p->type, VKMM_INIT_UNIFORM, 3);
    assert_ok(vkmm_job_run(job));
    return job;
}

static vkmm_measurement measure_job(vkmm_job *job, const vkmm_measure_params *params)
{
    vkmm_measurement time;
    assert_ok(vkmm_job_measure(job, params, &time));
    return time;
}

/* The device's own C of a copy, whoever sees it otherwise. */
static void read_copy(const vkmm_part *part, void *to)
{
    vkmm_buffer buffer = {0};
    assert_ok(vkmm_buffer_create(suite.device, "a test", part->bytes, VKMM_PLACE_DOWNLOAD, &buffer));
    assert_ok(vkmm_command_copy(suite.device, part->buffer, part->offset, buffer.handle, part->bytes));
    memcpy(to, buffer.mapped, part->bytes);
    vkmm_buffer_destroy(suite.device, &buffer);
}

/* How many copies hold another C than the first. */
static uint32_t odd_copies(vkmm_job *job)
{
    static char first[M * N * 8], other[sizeof first];
    uint32_t odd = 0;
    read_copy(&job->rotation.copies[0].parts[VKMM_C], first);
    for (uint32_t i = 1; i < job->rotation.count; i++) {
        const vkmm_plan turn = vkmm_plan_with(&job->plan, &job->rotation.sets, i - 1);
        assert_int_not_equal(turn.pipelines[0].set, job->plan.pipelines[0].set);
        read_copy(&job->rotation.copies[i].parts[VKMM_C], other);
        odd += memcmp(first, other, job->stores[VKMM_C].bytes) != 0;
    }
    return odd;
}

static uint64_t bytes_of_a_set(const vkmm_problem *p)
{
    uint64_t bytes = 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        bytes += vkmm_copy_bytes(vkmm_operand_bytes(p, (vkmm_operand)operand));
    return bytes;
}

/* All of the copies' memory is spoilt first, so that what is right there was computed there. */
static void spoil(vkmm_job *job)
{
    for (uint32_t i = 0; i < job->rotation.buffer_count; i++)
        assert_ok(vkmm_command_fill(suite.device, job->rotation.buffers[i].handle,
                                    job->rotation.buffers[i].bytes / 4 * 4, 0x7fc00000u));
}

TEST(every_copy_is_right)
{
    for (int i = 0; i < 2; i++) {
        const vkmm_job_params *params = i == 0 ? &tiled : &blocked;
        vkmm_measure_params measure = {
            .iters = 7, .cold_iters_given = 1, .rotating_bytes = 6 * bytes_of_a_set(&params->problem) + 1};
        clock_start(&suite, SUBMIT_MS, DISPATCH_MS);
        vkmm_job *job = make_job(params);
        measure_job(job, &measure);
        spoil(job);
        vkmm_measurement time = measure_job(job, &measure);
        assert_int_equal(time.copies, 7);
        assert_int_equal(time.kernel.count, 7);
        assert_int_equal(odd_copies(job), 0);
        assert_true(suite_is_right(job));
        /* One sample, in copy 0, and batches of 1 and 2 dispatches at least: they take turns as well. */
        measure.iters = 1;
        measure.rotating_bytes = 3 * bytes_of_a_set(&params->problem);
        measure_job(job, &measure);
        spoil(job);
        measure.cross_check = 1;
        time = measure_job(job, &measure);
        assert_true(time.slope_ms > 0);
        assert_int_equal(time.copies, 3);
        assert_int_equal(odd_copies(job), 0);
        clock_stop();
    }
}

/* In slices, each product stays with one copy. */
TEST(slices_take_turns_too)
{
    const vkmm_measure_params measure = {
        .iters = 3, .cold_iters_given = 1, .cross_check = 1, .rotating_bytes = 3 * bytes_of_a_set(&blocked.problem)};
    vkmm_job *job = make_job(&blocked);
    job->slices.fixed = 3;
    assert_false(vkmm_job_is_whole(job));
    vkmm_measurement time = measure_job(job, &measure);
    assert_int_equal(time.copies, 3);
    assert_true(time.slope_ms == 0); /* too long for batches */
    assert_int_equal(odd_copies(job), 0);
}

/* Whether a copy's C is `from` and so many times `product`. */
static int holds(vkmm_job *job, uint32_t copy, const float *from, const float *product, float times)
{
    static float c[M * N];
    int equal = 1;
    read_copy(&job->rotation.copies[copy].parts[VKMM_C], c);
    for (int i = 0; i < M * N; i++) equal &= fabsf(c[i] - (from[i] + times * product[i])) < 1e-4f * K;
    return equal;
}

/* β: each copy begins with the C that there was, and adds to its own as often as it has its turn. */
TEST(copies_keep_a_c_of_their_own)
{
    static float before[M * N], product[M * N];
    const vkmm_job_params params = {.problem =
                                        VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_F32, .alpha = 1, .beta = 1),
                                    .kernel = "blocked",
                                    .config = SMALL "2"};
    vkmm_measure_params measure = {
        .iters = 7, .cold_iters_given = 1, .skip_transfers = 1, .rotating_bytes = 4 * bytes_of_a_set(&params.problem)};
    vkmm_job *job = make_job(&params);
    vkmm_fill(before, M, N, VKMM_F32, VKMM_INIT_UNIFORM, 3); /* as make_job did */
    const float *c = vkmm_job_matrix(job, VKMM_C);
    for (int i = 0; i < M * N; i++) product[i] = c[i] - before[i];
    memcpy(before, c, sizeof before);
    assert_int_equal(measure_job(job, &measure).copies, 4);
    assert_true(holds(job, 0, before, product, 2) && holds(job, 1, before, product, 2) &&
                holds(job, 2, before, product, 2) && holds(job, 3, before, product, 1));
    memcpy(before, c, sizeof before);
    measure.iters = 2;
    measure_job(job, &measure);
    assert_true(holds(job, 0, before, product, 1) && holds(job, 1, before, product, 1));
    assert_true(holds(job, 2, before, product, 0) && holds(job, 3, before, product, 0));
}

TEST(another_wish_makes_other_copies)
{
    vkmm_measure_params measure = {.iters = 2, .cold_iters_given = 1, .skip_transfers = 1, .rotating_bytes = 1};
    vkmm_job *job = make_job(&tiled);
    assert_int_equal(measure_job(job, &measure).copies, 2);
    measure.rotating_bytes = 5 * bytes_of_a_set(&tiled.problem);
    assert_int_equal(measure_job(job, &measure).copies, 5);
    measure.rotating_bytes = 0;
    assert_int_equal(measure_job(job, &measure).copies, 1);
}

/* Buffers of a device that gives little at once: several copies in each, none across two. */
TEST(small_buffers_hold_few_copies)
{
    const vkmm_measure_params measure = {
        .iters = 9, .cold_iters_given = 1, .skip_transfers = 1, .rotating_bytes = 9 * bytes_of_a_set(&tiled.problem)};
    vkmm_job *job = make_job(&tiled);
    suite.info->memory.max_allocation_bytes = 2 * bytes_of_a_set(&tiled.problem) + 300;
    measure_job(job, &measure);
    assert_true(job->rotation.buffer_count >= 4 && job->rotation.buffer_count <= 8);
    assert_int_equal(odd_copies(job), 0);
}

TEST(empty_products_take_turns)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 0, .n = 7, .k = 3, .type = VKMM_I32),
                                    .kernel = "tiled"};
    const vkmm_measure_params measure = {
        .iters = 2, .cold_iters_given = 1, .cross_check = 1, .rotating_bytes = 1 << 16};
    vkmm_job *job = keep_job(suite.device, NULL, &params);
    assert_ok(vkmm_job_run(job));
    assert_true(measure_job(job, &measure).slope_ms == 0);
}

TEST(checks_the_clock)
{
    vkmm_measure_params measure = {.iters = 20, .cold_iters_given = 1, .skip_transfers = 1};
    clock_start(&suite, SUBMIT_MS, DISPATCH_MS);
    vkmm_job *job = make_job(&tiled);
    vkmm_measurement time = measure_job(job, &measure);
    assert_true(time.slope_ms == 0 && time.copies == 1);
    measure.cross_check = 1;
    time = measure_job(job, &measure);
    assert_true(fabs(time.slope_ms - DISPATCH_MS) < 1e-4);
    if (suite.info->limits.timestamp_bits > 0) assert_int_equal(time.clock, VKMM_CLOCK_DEVICE);
    assert_true(suite_is_right(job));
}

/* A device whose ticks are a thousand times longer than it says. */
TEST(a_wrong_period_is_found_out)
{
    const double period = suite.info->limits.timestamp_period_ns;
    const vkmm_measure_params measure = {.iters = 10, .cold_iters_given = 1, .cross_check = 1};
    const vkmm_measure_params unchecked = {.iters = 10, .cold_iters_given = 1, .skip_transfers = 1};
    if (suite.info->limits.timestamp_bits == 0) skip();
    suite.info->memory.is_unified = 0;
    clock_start(&suite, SUBMIT_MS, DISPATCH_MS);
    vkmm_job *job = make_job(&tiled);
    suite.info->limits.timestamp_period_ns = period / 1000;
    vkmm_measurement time = measure_job(job, &measure);
    assert_int_equal(time.clock, VKMM_CLOCK_HOST);
    assert_contains(time.clock_note, "slope");
    assert_true(time.kernel.median == time.submit.median);
    assert_int_equal(time.transfer.count, 10);
    assert_int_equal(time.upload.count + time.download.count, 0); /* by the same clock */
    time = measure_job(job, &unchecked);
    assert_int_equal(time.clock, VKMM_CLOCK_HOST); /* the finding is remembered, */
    assert_contains(time.clock_note, "slope");
    assert_true(time.kernel.median == time.submit.median);
    suite.info->limits.timestamp_period_ns = period;
    time = measure_job(job, &measure);
    assert_int_equal(time.clock, VKMM_CLOCK_DEVICE); /* until it is refuted */
    assert_true(fabs(time.kernel.median - DISPATCH_MS - CLOCK_COPY_MS) < 1e-4);
}

/* What a step takes: its dispatches and timestamps. */
typedef struct step_cost {
    const char *name;
    int dispatches, stamps;
} step_cost;

static void check_steps(vkmm_job *job, const step_cost *costs, uint32_t cost_count)
{
    vkmm_step_info steps[8];
    uint32_t count = 8;
    const char *why;
    assert_ok(vkmm_job_time_steps(job, steps, &count, &why));
    assert_string_equal(why, "");
    assert_int_equal(count, cost_count);
    for (uint32_t i = 0; i < count; i++) {
        const double want = costs[i].dispatches * DISPATCH_MS + costs[i].stamps * CLOCK_COPY_MS;
        assert_string_equal(steps[i].name, costs[i].name);
        if (fabs(steps[i].ms - want) > 1e-4) fail_msg("%s took %g ms, not %g", steps[i].name, steps[i].ms, want);
    }
}

static void check_modular(vkmm_job *job, int dispatches)
{
    const int finishes = dispatches == 2 ? 2 : 1; /* of panels */
    const step_cost costs[] = {
        {"product", dispatches, dispatches}, {"finish", finishes, finishes}, {"residues", 2, 1}, {"scale", 2, 1}};
    check_steps(job, costs, 4);
}

TEST(each_step_has_its_time)
{
    uint64_t *range = &suite.info->limits.max_storage_range;
    const uint64_t own = *range;
    const vkmm_job_params modular = {
        .problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
        .kernel = "blocked",
        .config = SMALL "1"};
    if (suite.info->limits.timestamp_bits == 0) skip();
    clock_start(&suite, SUBMIT_MS, DISPATCH_MS);
    check_steps(make_job(&blocked), (step_cost[]){{"product", 1, 1}, {"reduce", 1, 1}}, 2);
    vkmm_job *job = make_job(&modular);
    const int items = (int)vkmm_job_kernel(job)->items;
    assert_true(items > 2);
    check_modular(job, 1);
    job->slices.fixed = 1; /* a submission for each */
    check_modular(job, items);
    *range = 60000; /* sums of 31 rows: two panels */
    job = make_job(&modular);
    *range = own;
    check_modular(job, 2);
}

/* No step has a time by a clock that is not there, or that cannot be right. */
TEST(steps_without_a_clock)
{
    static const char *const says[] = {"has no timestamps", "more time than passed", "do not advance"};
    const uint32_t bits = suite.info->limits.timestamp_bits;
    const double period = suite.info->limits.timestamp_period_ns;
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K)};
    clock_start(&suite, SUBMIT_MS, DISPATCH_MS);
    vkmm_job *job = make_job(&params);
    for (int wrong = 0; wrong < 3; wrong++) {
        const char *why;
        vkmm_step_info steps[8];
        uint32_t count = 8;
        suite.info->limits.timestamp_bits = wrong == 0 ? 0 : bits;
        suite.info->limits.timestamp_period_ns = wrong == 2 ? 0x1p-1074 : period * (wrong == 1 ? 10 : 1);
        if (wrong > 0 && bits == 0) break;
        const vkmm_status status = vkmm_job_time_steps(job, steps, &count, &why);
        suite.info->limits.timestamp_bits = bits;
        suite.info->limits.timestamp_period_ns = period;
        assert_ok(status);
        assert_contains(why, says[wrong]);
        assert_int_equal(count, 0);
    }
}

static void check_transfer(uint64_t slice)
{
    const vkmm_measure_params measure = {.iters = 5, .cold_iters_given = 1};
    vkmm_job *job = make_job(&blocked);
    vkmm_measurement time = measure_job(job, &measure);
    if (time.mapped) assert_true(time.upload.count == 0 && time.download.count == 0);
    suite.info->memory.is_unified = 0;
    job = make_job(&blocked);
    job->slices.fixed = slice;
    time = measure_job(job, &measure);
    assert_int_equal(time.transfer.count, 5);
    assert_int_equal(time.upload.count, time.clock == VKMM_CLOCK_DEVICE ? 5 : 0);
    assert_int_equal(time.download.count, time.clock == VKMM_CLOCK_DEVICE ? 5 : 0);
    for (uint32_t i = 0; i < time.upload.count; i++) {
        assert_true(time.upload.samples[i] >= 0 && time.download.samples[i] >= 0);
        assert_true(time.upload.samples[i] + time.download.samples[i] <= 1.05 * time.transfer.samples[i] + 0.01);
    }
    assert_true(suite_is_right(job));
}

TEST(a_transfer_has_three_parts)
{
    check_transfer(0);
    check_transfer(3);
}

/* One sample of each, and nothing runs: C stays as it is made after the run. slice: items, 0: all. */
static void check_last_run(uint64_t slice)
{
    const vkmm_measure_params measure = {.iters = 5, .cold_iters_given = 1, .last_run = 1};
    vkmm_measurement time;
    suite.info->memory.is_unified = 0;
    vkmm_job *job = keep_job(suite.device, NULL, &blocked);
    assert_int_equal(vkmm_job_measure(job, &measure, &time), VKMM_INVALID);
    job = make_job(&blocked);
    job->slices.fixed = slice;
    assert_ok(vkmm_job_run(job));
    memset(vkmm_job_matrix(job, VKMM_C), 0, vkmm_operand_bytes(&blocked.problem, VKMM_C));
    for (int i = 0; i < 2; i++) {
        time = measure_job(job, &measure);
        assert_true(time.kernel.count == 1 && time.submit.count == 1 && time.transfer.count == 1);
        assert_int_equal(time.upload.count, time.clock == VKMM_CLOCK_DEVICE);
        assert_int_equal(time.download.count, time.clock == VKMM_CLOCK_DEVICE);
        assert_true(time.kernel.median > 0 && time.kernel.median <= 1.05 * time.submit.median + 0.01);
    }
    assert_false(suite_is_right(job));
}

TEST(a_run_tells_its_times)
{
    check_last_run(0);
    check_last_run(3);
}

TEST(knows_heaps)
{
    uint64_t largest = 0;
    assert_true(suite.info->memory.heap_count >= 1 && suite.info->memory.heap_count <= VK_MAX_MEMORY_HEAPS);
    for (uint32_t i = 0; i < suite.info->memory.heap_count; i++)
        if ((suite.info->memory.heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            suite.info->memory.heaps[i].size > largest)
            largest = suite.info->memory.heaps[i].size;
    assert_int_equal(largest, suite.info->memory.device_heap_bytes);
    const uint64_t left = vkmm_physical_free_bytes(suite.instance, suite.device->physical);
    assert_true(left > 0 && left <= largest);
}

/* ---- peaks ---- */

/* One small dispatch of the peak's shader, timed by the test's clock. */
static double peak_of(double (*factor)(unsigned submission), vkmm_peak *peak, double *spread)
{
    const uint32_t one = 1;
    double best = 0;
    *peak = (vkmm_peak){.device = suite.device, .groups = 1, .push = {1, 1, 2}, .push_bytes = 3 * sizeof one};
    assert_ok(vkmm_buffer_create(suite.device, "a test", 64, VKMM_PLACE_DEVICE, &peak->to));
    assert_ok(vkmm_peak_create(peak, vkmm_module_find("peak", VKMM_F32, VKMM_BUILD_PLAIN), 1, &one));
    clock_start(&suite, 0, 1);
    clock_uneven(factor);
    assert_ok(vkmm_peak_best(peak, 1, &best, spread));
    clock_stop();
    vkmm_peak_destroy(peak);
    return best;
}

static double first_is_slow(unsigned submission)
{
    return submission == 0 ? 100 : submission == 1 ? 1 : 9;
}

/* Where the driver compiles a shader at its first dispatch, that time says nothing of how long the work is. */
TEST(a_peak_does_not_time_the_compiler)
{
    double spread = 0;
    vkmm_peak peak;
    assert_true(fabs(peak_of(first_is_slow, &peak, &spread) - 9) < 0.01);
    assert_int_equal(peak.push[0], 2); /* one step took 1 ms, which is short; two took 9 ms */
    assert_true(spread < 0.01);
}

static double every_fourth_is_fast(unsigned submission)
{
    return 9 * (1 + submission % 4);
}

static double always_nine(unsigned submission)
{
    (void)submission;
    return 9;
}

/* Runs that agree are soon enough; others go on, and the spread tells. */
TEST(a_peak_repeats_until_it_is_stable)
{
    double spread = 0;
    vkmm_peak peak;
    peak_of(always_nine, &peak, &spread);
    const unsigned stable = clock_submissions();
    assert_true(fabs(peak_of(every_fourth_is_fast, &peak, &spread) - 9) < 0.01);
    assert_true(clock_submissions() > stable);
    assert_true(spread > 0.4 && spread < 0.7); /* the median of 9, 18, 27 and 36 is 22.5 */
}

/* Which also the validation layer sees: transfers, dispatches and submissions without a product. */
TEST(rates_have_spreads)
{
    for (int kind = 0; kind < VKMM_RATE_COUNT; kind++) {
        vkmm_rate rate = {0};
        const vkmm_status status = vkmm_device_rate(suite.device, (vkmm_rate_kind)kind, &rate);
        if (kind == VKMM_RATE_CACHE && status == VKMM_UNSUPPORTED) continue; /* as of a processor, most likely */
        assert_ok(status);
        assert_true(0 < rate.low && rate.low <= rate.median && rate.median <= rate.high);
        assert_int_equal(rate.bytes > 0, strcmp(vkmm_rate_infos[kind].unit, "bytes/s") == 0);
    }
}
