/* For programs without a main of their own. */
#include "test.h"

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    return _cmocka_run_group_tests(slash ? slash + 1 : "tests", tests, count, NULL, NULL);
}
