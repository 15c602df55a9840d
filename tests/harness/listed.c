#include "test.h"

static struct CMUnitTest tests[64];
static size_t count;

void list_test(struct CMUnitTest test)
{
    if (count == sizeof tests / sizeof *tests) abort();
    tests[count++] = test;
}

size_t listed_tests(const struct CMUnitTest **list)
{
    *list = tests;
    return count;
}
