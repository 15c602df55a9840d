/* Tests that list themselves, for programs without a main of their own (listed_main.c), or with SUITE_MAIN (suite.h):
 * TEST(name) { … }. They run in the order in which they are written, or with mingw-w64 in the opposite one. Their
 * argument is cmocka's: void **state. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void list_test(struct CMUnitTest test);
size_t listed_tests(const struct CMUnitTest **tests);

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* With what cmocka calls before and after it, each NULL or a function. */
#define TEST_WITH(name, setup, teardown)                                    \
    static void name(void **state);                                         \
    __attribute__((constructor)) static void name##_is_listed(void)         \
    {                                                                       \
        list_test((struct CMUnitTest){#name, name, setup, teardown, NULL}); \
    }                                                                       \
    static void name(void **state)
