/* The steps of the ladder: what each needs, counted on the driver at hand, and that each lowers what limited the step
 * before. No time is measured: the roofs are those of an NVIDIA H200, so that the limits do not depend on the
 * driver. */
#include "look/kernel.h"
#include "look/predict.h"
#include "suite.h"

static suite_device suite;
SUITE_MAIN(suite)

/* Multiply-adds by shaders/peak.comp, a copy of device memory and one in the L2 cache. */
static vkmm_roofs h200(void)
{
    const vkmm_device_info device = {
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .processors = 132, .limits.max_shared_bytes = 49152};
    return vkmm_roofs_of(&device, 3.9e12, 9e12, 30e12, 5e-3);
}

static int foresee(const char *kernel, uint32_t size, vkmm_prediction *prediction)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = size, .n = size, .k = size, .type = VKMM_F32),
                                    .kernel = kernel};
    const vkmm_kernel *row = vkmm_kernel_find(kernel);
    const vkmm_roofs roofs = h200();
    vkmm_kernel_info info;
    vkmm_traffic traffic;
    assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
    if (info.tile[0] * info.tile[1] != row->default_rows * row->default_cols) return 0; /* the device is too small */
    assert_ok(vkmm_traffic_count(suite.device, &params, &info, &traffic));
    vkmm_predict(&traffic, &roofs, prediction);
    return 1;
}

/* In their order, with what limits each, as it is taught. Each has less of what limited the one before, with two
 * exceptions. `prefetch` has shorter waits, which add to the time of shared memory; larger blocks (`blocked`) are what
 * lowers that. `ordered` changes nothing, because an H200's cache holds these matrices. */
TEST(each_step_lowers_what_limited_the_one_before)
{
    static const struct {
        const char *name;
        vkmm_resource limiter;
    } steps[] = {
        {"strided", VKMM_RESOURCE_LINES},   {"naive", VKMM_RESOURCE_L2},      {"tiled", VKMM_RESOURCE_SHARED},
        {"tiled-32", VKMM_RESOURCE_SHARED}, {"strip", VKMM_RESOURCE_SHARED},  {"block", VKMM_RESOURCE_SHARED},
        {"vector", VKMM_RESOURCE_SHARED},   {"padded", VKMM_RESOURCE_SHARED}, {"prefetch", VKMM_RESOURCE_SHARED}};
    vkmm_prediction before = {0}, next;
    int known = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!foresee(steps[i].name, 1024, &next)) continue;
        const vkmm_resource lowered = strcmp(steps[i].name, "prefetch") == 0 ? VKMM_RESOURCE_LATENCY : before.limiter;
        if (known && next.amount[lowered] >= before.amount[lowered])
            fail_msg("%s does not lower %s: %g, %g before", steps[i].name, vkmm_resource_name[lowered],
                     next.amount[lowered], before.amount[lowered]);
        if (known) assert_true(next.predicted_ms < before.predicted_ms);
        assert_int_equal(next.limiter, steps[i].limiter);
        before = next;
        known = 1;
    }
    assert_true(known);
}

/* Where no cache holds A and B, tiles in bands read less of memory; nothing else changes. */
TEST(order_saves_memory_alone)
{
    vkmm_prediction plain, ordered;
    if (!foresee("prefetch", 5760, &plain) || !foresee("ordered", 5760, &ordered)) skip();
    assert_true(ordered.amount[VKMM_RESOURCE_DRAM] < 0.8 * plain.amount[VKMM_RESOURCE_DRAM]);
    for (int r = VKMM_RESOURCE_L2; r < VKMM_RESOURCE_COUNT; r++) assert_true(ordered.amount[r] == plain.amount[r]);
}

/* The figures of a tile of 16×16, which are known: for each k, two words of A and sixteen of B. */
TEST(counts_are_those_of_the_tile)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 256, .n = 256, .k = 64, .type = VKMM_F32),
                                    .kernel = "tiled"};
    vkmm_kernel_info info;
    vkmm_traffic t;
    assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
    assert_ok(vkmm_traffic_count(suite.device, &params, &info, &t));
    assert_true(t.workgroups == 256 && t.invocations == 256);
    assert_true(t.barriers == 8 && t.waits == 4 && t.overlaps == 0); /* of four steps */
    assert_true(t.l2_bytes == 256 * 64 * 32 * 4);                    /* 16 rows of A, 16 columns of B, for each k */
    assert_true(t.shared_turns == 256 * 8 * (64 * 2 + 4 * 2));       /* by 8 subgroups; and two stores in each step */
    assert_true(t.instructions == 256 * 8 * (64 * 3 + 4 * 4));
}
