/* What limits a product, from made-up counts and the roofs of an NVIDIA H200 (DESKTOP). */
#include "../plan/devices.h"
#include "unit.h"
#include "look/kernel.h"
#include "look/predict.h"

static vkmm_roofs roofs(void)
{
    return vkmm_roofs_of(&devices[DESKTOP], 4e12, 9e12, 30e12, 0);
}

/* A product of 132 workgroups of 256 invocations, one for each processor, that needs nothing yet. */
static vkmm_traffic nothing(void)
{
    return (vkmm_traffic){.workgroups = 132, .invocations = 256, .registers = 32, .tiles = {11, 12}, .swizzle = 1};
}

static vkmm_prediction predict(const vkmm_traffic *traffic)
{
    const vkmm_roofs r = roofs();
    vkmm_prediction p;
    vkmm_predict(traffic, &r, &p);
    return p;
}

static void limited(const vkmm_traffic *traffic, vkmm_resource limiter, double ms)
{
    const vkmm_prediction p = predict(traffic);
    assert_int_equal(p.limiter, limiter);
    assert_true(fabs(p.predicted_ms - ms) <= 1e-6 * ms);
}

TEST(each_resource_can_be_the_limit)
{
    vkmm_traffic t = nothing();
    t.memory_bytes = 4e6; /* less than the cache holds */
    limited(&t, VKMM_RESOURCE_DRAM, 1e-3);
    t.l2_bytes = 18e6;
    limited(&t, VKMM_RESOURCE_L2, 2e-3);
    t.lines = 30e12 * 3e-6 / 128;
    limited(&t, VKMM_RESOURCE_LINES, 3e-3);
    t.shared_turns = 30e12 * 1e-6 / 128; /* the same wires carry the lines */
    limited(&t, VKMM_RESOURCE_SHARED, 4e-3);
    t.instructions = 30e12 * 5e-6 / 32;
    limited(&t, VKMM_RESOURCE_INSTRUCTIONS, 5e-3);
    const double cycle_ms = 1e3 * 128 * 132 / 30e12;
    t.barriers = 100;
    t.waits = 50;
    limited(&t, VKMM_RESOURCE_LATENCY, 5e-3 + (100 * 30 + 50 * 560) * cycle_ms);
    t.waits = 0;
    t.barriers = 2000;
    limited(&t, VKMM_RESOURCE_BARRIERS, 5e-3 + 2000 * 30 * cycle_ms);
}

TEST(reading_ahead_hides_what_is_issued_meanwhile)
{
    vkmm_traffic t = nothing();
    t.instructions = 30e12 * 50e-6 / 32;
    t.barriers = 2;
    t.waits = 100;
    const vkmm_prediction waits = predict(&t);
    t.waits = 0;
    t.overlaps = 100;
    const vkmm_prediction hides = predict(&t);
    assert_int_equal(hides.limiter, VKMM_RESOURCE_INSTRUCTIONS);
    assert_true(hides.ms[VKMM_RESOURCE_LATENCY] == 0 && waits.ms[VKMM_RESOURCE_LATENCY] > 0.03);
    assert_true(waits.predicted_ms > hides.predicted_ms + 0.03);
}

TEST(a_last_round_counts_as_a_whole)
{
    vkmm_traffic t = nothing();
    t.instructions = 30e12 * 1e-3 / 32;
    limited(&t, VKMM_RESOURCE_INSTRUCTIONS, 1);
    t.workgroups = 133;
    limited(&t, VKMM_RESOURCE_INSTRUCTIONS, 264.0 / 133);
}

/* What the cache cannot hold is read again in each round; tiles in bands need less of it. */
TEST(order_decides_what_memory_reads)
{
    vkmm_traffic t = nothing();
    t.tiles[0] = t.tiles[1] = 256;
    t.workgroups = 256 * 256;
    t.memory_bytes = 3e9;
    t.tile_bytes[0] = t.tile_bytes[1] = 4e6;
    const vkmm_prediction rows = predict(&t);
    t.swizzle = 8;
    const vkmm_prediction bands = predict(&t);
    assert_true(bands.amount[VKMM_RESOURCE_DRAM] < 0.6 * rows.amount[VKMM_RESOURCE_DRAM]);
    assert_true(bands.amount[VKMM_RESOURCE_DRAM] >= t.memory_bytes);
}

TEST(an_empty_product_takes_no_time)
{
    const vkmm_traffic t = {.invocations = 1, .registers = 1};
    limited(&t, VKMM_RESOURCE_DRAM, 0);
}

/* Larger blocks leave more of the instructions to multiply; parts of K give every processor work. */
TEST(general_kernels_are_planned)
{
    const vkmm_job_params square = {.problem = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1024, .type = VKMM_F32),
                                    .kernel = "blocked"},
                          whole = {.problem = VKMM_PROBLEM(.m = 256, .n = 256, .k = 16384, .type = VKMM_F32),
                                   .kernel = "blocked",
                                   .config = "splits=1"},
                          parts = {.problem = whole.problem, .kernel = "blocked"};
    vkmm_kernel_info info;
    vkmm_traffic t;
    assert_ok(vkmm_kernel_choose(NULL, &devices[DESKTOP], &square, &info));
    vkmm_traffic_plan(&info, &square.problem, &t);
    const vkmm_prediction blocked = predict(&t);
    assert_int_equal(blocked.limiter, VKMM_RESOURCE_INSTRUCTIONS);
    assert_true(blocked.amount[VKMM_RESOURCE_INSTRUCTIONS] < 3.8e7); /* the steps before: 3.87e7 */
    assert_true(blocked.amount[VKMM_RESOURCE_INSTRUCTIONS] > t.multiply_adds / 32);
    assert_true(blocked.amount[VKMM_RESOURCE_SHARED] < 1.5e7); /* the steps before: 1.57e7 */
    assert_ok(vkmm_kernel_choose(NULL, &devices[DESKTOP], &whole, &info));
    vkmm_traffic_plan(&info, &whole.problem, &t);
    const vkmm_prediction few = predict(&t);
    assert_ok(vkmm_kernel_choose(NULL, &devices[DESKTOP], &parts, &info));
    assert_true(info.splits > 1);
    vkmm_traffic_plan(&info, &parts.problem, &t);
    const vkmm_prediction many = predict(&t);
    assert_true(many.predicted_ms < 0.5 * few.predicted_ms);
}
