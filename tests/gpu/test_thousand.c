/* System 3's N = 1000, which no tile divides, for every kernel on the driver at hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "suite.h"

static suite_device suite;

static void thousand(void **state)
{
    const char *kernel = *state;
    /* A quarter of K, no multiple of a tile either, meets all the same edges in a quarter of the time: one kernel
     * takes it whole. */
    const suite_case product = {.m = 1000, .n = 1000, .k = strcmp(kernel, "tiled") == 0 ? 1000 : 250};
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
    return suite_close(&suite) || failed ? 1 : 0;
}
