/* Tests that list themselves, for programs without a main of their own (listed_main.c), or with SUITE_MAIN (suite.h):
 * TEST(name) { … }. They run in the order in which they are written, or with mingw-w64 in the opposite one. Their
 * argument is cmocka's: void **state. And the C headers that nearly all of them need. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/log.h"
#include "vkmatmul.h"

/* Fail with the library's sentence unless a call returns VKMM_OK, or another status and leaves a sentence of its own
 * that contains `part`. */
#define assert_ok(call)                                                      \
    do {                                                                     \
        if ((call) != VKMM_OK) fail_msg("%s: %s", #call, vkmm_last_error()); \
    } while (0)
#define assert_refused(call, status, part)        \
    do {                                          \
        vkmm_error_clear();                       \
        assert_int_equal(call, status);           \
        assert_contains(vkmm_last_error(), part); \
    } while (0)

/* Fails, and shows the text, unless `text` contains `part`. */
#define assert_contains(text, part)                                                          \
    do {                                                                                     \
        if (strstr((text), (part)) == NULL) fail_msg("\"%s\" lacks \"%s\"", (text), (part)); \
    } while (0)

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
