/* Threads that begin together, each doing the same work with a number of its own. */
#pragma once

#include <stdio.h>

enum { CREW = 8 };

typedef struct crew_member {
    int number; /* from 0 */
    void *shared;
    char why[256]; /* "": all is well so far */
} crew_member;

/* Runs `work` in CREW threads at once and waits for all of them. Returns how many failed, printing why. */
int crew_run(void (*work)(crew_member *member), void *shared);

/* Ends the work of a thread, with the reason, unless the condition holds: cmocka's assertions belong to the thread
 * that runs the tests. */
#define CREW_EXPECT(member, condition, ...)                            \
    do {                                                               \
        if (!(condition)) {                                            \
            snprintf((member)->why, sizeof(member)->why, __VA_ARGS__); \
            return;                                                    \
        }                                                              \
    } while (0)

/* A test (harness/test.h) whose body is the work of a crew, which shares what cmocka's state points to. */
#define CREW_TEST(name)                                       \
    static void name##_of_one(crew_member *me);               \
    TEST(name)                                                \
    {                                                         \
        assert_int_equal(crew_run(name##_of_one, *state), 0); \
    }                                                         \
    static void name##_of_one(crew_member *me)
