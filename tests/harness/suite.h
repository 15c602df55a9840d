/* The products that every kernel must get right, run close to the metal: stores and plans instead of jobs, so that a
 * binding can include the guard bands. A driver that clips accesses at the end of a binding then cannot hide a
 * kernel's access beyond its matrix. */
#pragma once

#include "copy/store.h"
#include "kept.h"
#include "kernel/user.h"
#include "test.h"

typedef struct suite_device {
    vkmm_instance *instance;
    vkmm_device *device;
    vkmm_device_info *info; /* of the device, writable: tests shrink limits */
} suite_device;

/* Opens the first device of the driver that VK_DRIVER_FILES names, with validation. 77 when there is none and
 * VKMM_REQUIRE_VULKAN is unset; 1 when it is set; 0 when all is well. */
int suite_open(suite_device *suite);
/* Returns how many validation messages there were: 0 is right. */
uint32_t suite_close(suite_device *suite);

/* Closes the suite at the end of a program, and returns the program's exit code: 1 if a test failed or there was a
 * message, 77 if every test was skipped, or else 0. */
int suite_exit(suite_device *suite, int failed);

/* Whether VKMM_TEST_MATRICES names this driver: its matrix operations must be there. */
int suite_must_have_matrices(const suite_device *suite);

/* suite_exit of a program that found no matrix operations to test: 77, or 1 for a driver whose name contains
 * VKMM_TEST_MATRICES, which is known to have them. */
int suite_exit_without_matrices(suite_device *suite);

/* Runs tests as run_group does. After each, what it kept is released, and the device's info is what it was when the
 * group began. Returns how many failed, or 77 (skips.c). */
int suite_run_group(suite_device *suite, const char *name, const struct CMUnitTest *tests, size_t count);
int suite_after(void **state); /* for teardowns of a test's own */

/* The main of a program whose tests list themselves: opens the suite, runs them, and closes it. */
#define SUITE_MAIN(suite)          \
    int main(void)                 \
    {                              \
        return suite_main(&suite); \
    }
int suite_main(suite_device *suite);

/* One product on the device, as general_product (general.h) checks it. kernel is a built-in's name; module NULL, or
 * SPIR-V to run in its place. fill changes A and B, which are uniform random. On 0 (wrong), `why` tells. */
typedef struct suite_case {
    uint64_t m, n, k;
    uint32_t tile_rows, tile_cols; /* 0: default; shrunk to a legal tile where the device is small */
    void (*fill)(const vkmm_problem *problem, vkmm_store *stores); /* or NULL */
    uint32_t max_groups; /* 0, or a limit on workgroups along each axis: makes kernels loop */
} suite_case;

int suite_product(suite_device *suite, const char *kernel, const vkmm_module *module, vkmm_type type,
                  const suite_case *product, char why[512]);

/* All cases for one kernel and type. Returns how many were wrong, printing each when `loud`; with `stop`, ends at
 * the first. */
int suite_kernel(suite_device *suite, const char *kernel, const vkmm_module *module, vkmm_type type, int loud,
                 int stop);

/* Whether C of a job of random numbers, with α = 1 and β = 0, is A·B. */
int suite_is_right(vkmm_job *job);

/* Fails the test unless two arrays hold the same: numbers by value, the rest by bits; 0 is -0, but a NaN between the
 * rows must stay the same one. first: the number of the first element. */
void suite_compare(vkmm_type type, const void *got, const void *want, uint64_t count, int64_t first);

/* The last of the types that the tutorials' kernels compute in. */
enum { SUITE_LAST_TYPE = VKMM_U32 };

/* SwiftShader, which compiles each pipeline anew and slowly: it runs each kernel, type and edge, but not their
 * combinations, which lavapipe does. */
int suite_is_slow(const suite_device *suite);

/* Whether a kernel of the tutorials is to be tested: all are, unless VKMM_TEST_KERNEL names one. */
int suite_is_wanted(const char *kernel);

/* Whether the device can run the type at all. */
int suite_has_type(const suite_device *suite, vkmm_type type);
