/* How work is cut up: by a device that is simulated. */
#include "unit.h"
#include "record/slices.h"
#include "kernel/table.h"
#include "plan/partition.h"

/* Does all items at a speed, which may depend on how many there are at a time; returns the slices, and the longest
 * of them. */
static unsigned run(vkmm_slices *slices, double items_per_ms, double overhead_ms, double *longest_ms)
{
    unsigned count = 0;
    uint64_t done = 0;
    *longest_ms = 0;
    while (done < slices->items) {
        uint64_t next = vkmm_slices_next(slices, slices->items - done);
        assert_true(next >= 1 && next <= slices->items - done);
        double ms = overhead_ms + (double)next / items_per_ms;
        vkmm_slices_learn(slices, next, ms);
        if (ms > *longest_ms) *longest_ms = ms;
        done += next;
        count++;
    }
    assert_true(done == slices->items);
    return count;
}

TEST(small_work_is_one_piece)
{
    const vkmm_slices slices = vkmm_slices_of(1000, 1e8);
    assert_int_equal(vkmm_slices_next(&slices, 1000), 1000);
}

TEST(large_work_begins_small)
{
    const vkmm_slices slices = vkmm_slices_of(1000, 1e10), coarse = vkmm_slices_of(10, 1e12);
    assert_int_equal(vkmm_slices_next(&slices, 1000), 5);
    assert_int_equal(vkmm_slices_next(&coarse, 10), 1); /* never below one */
}

TEST(a_slow_device_gets_slices_of_100_ms)
{
    double longest;
    vkmm_slices slices = vkmm_slices_of(100000, 1e11);
    run(&slices, 20, 0.1, &longest); /* 5 s in all */
    assert_true(longest < VKMM_SLICE_MOST_MS);
    unsigned count = run(&slices, 20, 0.1, &longest);
    assert_true(count >= 45 && count <= 60);
    assert_true(longest > 70 && longest < 130);
}

TEST(a_fast_device_gets_one_piece_in_the_end)
{
    double longest;
    vkmm_slices slices = vkmm_slices_of(100000, 1e11);
    unsigned first = run(&slices, 1e4, 0.05, &longest); /* 10 ms in all */
    assert_true(first > 1 && first < 10);
    assert_int_equal(run(&slices, 1e4, 0.05, &longest), 1);
    assert_int_equal(run(&slices, 1e4, 0.05, &longest), 1);
}

TEST(a_device_that_turns_slow_is_noticed)
{
    double longest;
    vkmm_slices slices = vkmm_slices_of(100000, 1e11);
    run(&slices, 1e4, 0.05, &longest);
    assert_int_equal(run(&slices, 200, 0.05, &longest), 1); /* 500 ms at once: it was not to be known */
    assert_true(run(&slices, 200, 0.05, &longest) >= 5);
    assert_true(longest < VKMM_SLICE_MOST_MS);
}

/* What few items cost says little: a slice grows 16 times at most. */
TEST(slices_grow_step_by_step)
{
    vkmm_slices slices = vkmm_slices_of(1000000, 1e11);
    vkmm_slices_learn(&slices, 500, 0.001);
    assert_true(vkmm_slices_next(&slices, 999500) <= 8000);
    vkmm_slices_learn(&slices, 8000, 1e6); /* far slower than one a 100 ms */
    assert_int_equal(vkmm_slices_next(&slices, 991500), 1);
}

TEST(small_rests_and_nonsense_teach_nothing)
{
    vkmm_slices slices = vkmm_slices_of(100000, 1e11);
    vkmm_slices_learn(&slices, 1000, 10);
    vkmm_slices_learn(&slices, 3, 9);
    vkmm_slices_learn(&slices, 1000, 0);
    vkmm_slices_learn(&slices, 1000, -1);
    vkmm_slices_learn(&slices, 0, 1);
    assert_true(slices.items_per_ms == 100 && slices.largest == 1000);
}

TEST(a_fixed_size_is_kept)
{
    double longest;
    vkmm_slices slices = vkmm_slices_of(10, 1e3);
    slices.fixed = 4;
    assert_int_equal(run(&slices, 1e9, 0, &longest), 3);
}

/* On an NVIDIA H200 with copies at 55 GB/s, 8192x8192x8192 of f32 took 31 ms in 8 panels and 38 in 32, whose tiles do
 * not fill it; and each panel of a product that is mostly copied cost half a millisecond. */
TEST(panels_are_as_large_as_pays)
{
    static const struct {
        vkmm_problem problem;
        uint64_t least, most;
    } cases[] = {
        {VKMM_PROBLEM_INIT(.m = 8192, .n = 8192, .k = 8192, .type = VKMM_F32, .layout = VKMM_COL_MAJOR), 6, 12},
        {VKMM_PROBLEM_INIT(.m = 10000, .n = 10000, .k = 384, .type = VKMM_F64, .layout = VKMM_COL_MAJOR, .beta = 1), 12,
         30},
    };
    const vkmm_space space = {.range = UINT64_C(1) << 32,
                              .allocation = UINT64_C(1) << 32,
                              .total = UINT64_C(1) << 37,
                              .guard = 8192,
                              .processors = 132};
    vkmm_choice choice = {.kernel = vkmm_kernel_find("blocked"), .swapped = 1, .info.tile = {128, 128}};
    for (size_t i = 0; i < sizeof choice.config.values / sizeof choice.config.values[0]; i++)
        choice.config.values[i] = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vkmm_pieces pieces;
        assert_true(vkmm_pieces_find(&cases[i].problem, &choice, &space, &pieces));
        const uint64_t panels = pieces.partition.row_panels * pieces.partition.col_panels;
        assert_in_range(panels, cases[i].least, cases[i].most);
    }
}
