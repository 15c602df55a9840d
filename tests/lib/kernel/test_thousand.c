/* System 3's N = 1000, which no tile divides, for every kernel on the driver at hand. */
#include "look/kernel.h"
#include "suite.h"

static suite_device suite;
SUITE_MAIN(suite)

TEST(thousand)
{
    vkmm_tutorial kernel;
    char why[512];
    for (uint32_t i = 0; vkmm_tutorial_at(i, &kernel); i++) {
        /* Some tiles of K, the last one cut, meet all the same edges in a small part of the time: one kernel takes it
         * whole. */
        const suite_case product = {.m = 1000, .n = 1000, .k = strcmp(kernel.name, "block") == 0 ? 1000 : 40};
        if (!kernel.on_host && !suite_product(&suite, kernel.name, NULL, VKMM_I32, &product, why)) fail_msg("%s", why);
    }
}
