/* System 3's N = 1000, which no tile divides, for every kernel on the driver at hand. */
#include <stdio.h>
#include <string.h>

#include "suite.h"

static suite_device suite;

static void thousand(void **state)
{
    const char *kernel = *state;
    /* Some tiles of K, the last one cut, meet all the same edges in a small part of the time: one kernel takes it
     * whole. */
    const suite_case product = {.m = 1000, .n = 1000, .k = strcmp(kernel, "tiled") == 0 ? 1000 : 40};
    char why[256];
    if (!suite_product(&suite, kernel, NULL, VKMM_I32, &product, why)) fail_msg("%s", why);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(thousand, (void *)"naive"),
        cmocka_unit_test_prestate(thousand, (void *)"grouped"),
        cmocka_unit_test_prestate(thousand, (void *)"tiled"),
        cmocka_unit_test_prestate(thousand, (void *)"band"),
        cmocka_unit_test_prestate(thousand, (void *)"band-tiled"),
    };
    int failed = suite_run(&suite, "N = 1000", tests);
    return suite_exit(&suite, failed);
}
