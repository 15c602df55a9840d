#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct CMUnitTest tests[64];
static size_t count;

void list_test(struct CMUnitTest test)
{
    if (count == sizeof tests / sizeof *tests) abort();
    tests[count++] = test;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    return _cmocka_run_group_tests(slash ? slash + 1 : "tests", tests, count, NULL, NULL);
}
