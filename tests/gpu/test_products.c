/* Every kernel × type × edge on the driver at hand, validation on. */
#include <stdio.h>

#include "math/matrix.h"
#include "suite.h"

static suite_device suite;

static void all_types(void **state)
{
    const char *kernel = *state;
    for (int type = VKMM_F32; type <= SUITE_LAST_TYPE; type++)
        if (suite_has_type(&suite, (vkmm_type)type))
            assert_int_equal(suite_kernel(&suite, kernel, NULL, (vkmm_type)type, 1, 0), 0);
}

/* The suite must be able to see a fault at all: integer arithmetic on the bits of floats is one. */
static void notices_a_wrong_kernel(void **state)
{
    const vkmm_module *integers = vkmm_module_find("tiled", VKMM_I32, VKMM_BUILD_PLAIN);
    assert_true(suite_kernel(&suite, "tiled", integers, VKMM_F32, 0, 0) > 0);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(all_types, (void *)"naive"),
        cmocka_unit_test_prestate(all_types, (void *)"grouped"),
        cmocka_unit_test_prestate(all_types, (void *)"tiled"),
        cmocka_unit_test_prestate(all_types, (void *)"band"),
        cmocka_unit_test_prestate(all_types, (void *)"band-tiled"),
        cmocka_unit_test(notices_a_wrong_kernel),
    };
    int failed = suite_run(&suite, "products", tests);
    return suite_exit(&suite, failed);
}
