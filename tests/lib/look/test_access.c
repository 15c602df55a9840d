/* The formulas of reads and invocations, and the choice of a sample, on the walkthrough's figures and devices that
 * are not here. */
#include "../plan/devices.h"
#include "unit.h"
#include "kernel/contract.h"
#include "look/count.h"
#include "look/kernel.h"
#include "plan/choose.h"

static vkmm_access formula(const char *kernel, vkmm_problem problem, uint32_t rows, uint32_t cols)
{
    const vkmm_job_params params = {problem, kernel, rows, cols, NULL};
    vkmm_kernel_info info;
    vkmm_access access;
    assert_ok(vkmm_kernel_choose(NULL, &devices[DESKTOP], &params, &info));
    assert_ok(vkmm_access_formula(&info, &problem, &access));
    return access;
}

/* 5x7x3 with tiles of 2x4 (depth 4): 3x2 tiles hang over by a row and a column. */
TEST(ragged)
{
    vkmm_access access = formula("tiled", VKMM_PROBLEM(.m = 5, .n = 7, .k = 3, .type = VKMM_F32), 2, 4);
    assert_int_equal(access.a.global_min, 2);
    assert_int_equal(access.a.shared_min, 8);
    assert_int_equal(access.b.global_min, 3);
    assert_int_equal(access.b.shared_min, 6);
    assert_int_equal(access.invocations, 6 * 8);
    assert_int_equal(access.useful, 35);
    assert_int_equal(access.multiply_adds, 48 * 4);
    access = formula("naive", VKMM_PROBLEM(.m = 5, .n = 7, .k = 3, .type = VKMM_F32), 2, 4);
    assert_int_equal(access.invocations, 5 * 8);
    assert_int_equal(access.multiply_adds, 105);
}

TEST(differences_are_seen)
{
    const vkmm_access access = formula("tiled", VKMM_PROBLEM(.m = 5, .n = 7, .k = 3, .type = VKMM_F32), 2, 4);
    vkmm_access other = access;
    other.stride = 7;
    assert_true(vkmm_access_equal(&access, &other));
    other.b.shared_max++;
    assert_false(vkmm_access_equal(&access, &other));
    other = access;
    other.useful--;
    assert_false(vkmm_access_equal(&access, &other));
}

TEST(strides)
{
    const vkmm_problem small = VKMM_PROBLEM(.m = 16, .n = 16, .k = 16, .type = VKMM_F32),
                       large = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 37 * 41, .type = VKMM_F32);
    vkmm_access access = formula("tiled", small, 16, 16);
    assert_int_equal(vkmm_count_stride(&small, &access, VKMM_COUNT_BUDGET, UINT32_MAX), 1);
    access = formula("tiled", large, 16, 16);
    uint64_t reads = 1024ull * 37 * 41 * 2 * (64 + 1024);
    uint32_t stride = vkmm_count_stride(&large, &access, reads / 36, UINT32_MAX);
    assert_int_equal(stride, 43); /* 37 and 41 divide K */
    assert_true(vkmm_count_stride(&large, &access, reads, 1000000) > 12);
}

/* A shorter K has the same remainder, so the last step of a tiled kernel is padded as with the whole K. */
TEST(depths)
{
    const vkmm_problem large = VKMM_PROBLEM(.m = 1024, .n = 1024, .k = 1007, .type = VKMM_F32);
    const vkmm_kernel_info untiled = {.shared_bytes = 0},
                           tiled = {.shared_bytes = 1, .spec_values = {[VKMM_SPEC_DEPTH] = 24}};
    const vkmm_access access = formula("tiled", large, 16, 16);
    assert_int_equal(vkmm_count_depth(&large, &tiled, &access, UINT64_MAX), 1007);
    assert_int_equal(vkmm_count_depth(&large, &tiled, &access, 1000), 72 + 1007 % 24);
    assert_int_equal(vkmm_count_depth(&large, &untiled, &access, 1000), 64);
}

TEST(refuses_what_has_no_formula)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4, .type = VKMM_F32);
    const vkmm_kernel_info user = {.name = "user"}, serial = {.name = "serial"};
    vkmm_access access;
    assert_int_equal(vkmm_access_formula(&user, &problem, &access), VKMM_UNSUPPORTED);
    assert_int_equal(vkmm_access_formula(&serial, &problem, &access), VKMM_UNSUPPORTED);
}
