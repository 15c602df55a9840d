/* The steps of the ladder: what each needs, counted on the driver at hand, and that each lowers what limited the step
 * before. No time is measured: the roofs are those of an NVIDIA H200, so that the limits do not depend on the
 * driver. */
#include <stdio.h>

#include "look/kernel.h"
#include "look/predict.h"
#include "suite.h"

static suite_device suite;

/* Multiply-adds by shaders/peak.comp, a copy of device memory and one in the L2 cache. */
static vkmm_roofs h200(void)
{
    const vkmm_device_info device = {
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .processors = 132, .max_shared_bytes = 49152};
    return vkmm_roofs_of(&device, 3.9e12, 9e12, 30e12);
}

static int foresee(const char *kernel, uint32_t size, vkmm_prediction *prediction)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = size, .n = size, .k = size, .type = VKMM_F32),
                                    .kernel = kernel};
    const vkmm_kernel *row = vkmm_kernel_find(kernel);
    const vkmm_roofs roofs = h200();
    vkmm_kernel_info info;
    vkmm_traffic traffic;
    assert_int_equal(vkmm_kernel_choose(NULL, suite.info, &params, &info), VKMM_OK);
    if (info.tile[0] * info.tile[1] != row->default_rows * row->default_cols) return 0; /* the device is too small */
    assert_int_equal(vkmm_traffic_count(suite.device, &params, &traffic), VKMM_OK);
    vkmm_predict(&traffic, &roofs, prediction);
    printf("# %-12s %-14s %8.4f ms:", kernel, vkmm_resource_name[prediction->limiter], prediction->predicted_ms);
    for (int r = 0; r < VKMM_RESOURCE_COUNT; r++) printf(" %s %.4g", vkmm_resource_key[r], prediction->ms[r]);
    printf("\n");
    return 1;
}

static void each_step_lowers_what_limited_the_one_before(void **state)
{
    static const char *const steps[] = {"uncoalesced", "naive",  "tiled",  "tiled-32", "strip",
                                        "block",       "vector", "padded", "prefetch", "ordered"};
    vkmm_prediction before = {0}, next;
    int known = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!foresee(steps[i], 1024, &next)) continue;
        if (known && next.amount[before.limiter] >= before.amount[before.limiter])
            printf("# %s does not lower %s: %g, %g before\n", steps[i], vkmm_resource_name[before.limiter],
                   next.amount[before.limiter], before.amount[before.limiter]);
        before = next;
        known = 1;
    }
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_step_lowers_what_limited_the_one_before)};
    int failed = suite_run(&suite, "ladder", tests);
    return suite_exit(&suite, failed);
}
