/* The arithmetic of timing: wrapping timestamps, clocks that cannot be trusted, percentiles. */
#include "unit.h"
#include "job/job.h"

TEST(timestamps_wrap_at_their_valid_bits)
{
    assert_true(vkmm_ticks_to_ms(1000, 2001000, 64, 1.0) == 2.0);
    assert_true(vkmm_ticks_to_ms(UINT64_MAX - 499999, 500000, 64, 1.0) == 1.0);
    assert_true(vkmm_ticks_to_ms((UINT64_C(1) << 36) - 1000000, 1000000, 36, 1.0) == 2.0);
    /* Bits above the valid ones are noise. */
    assert_true(fabs(vkmm_ticks_to_ms(UINT64_C(0xf000000000000000), UINT64_C(0xa0000000000f4240), 48, 32.0) - 32.0) <
                1e-9);
}

TEST(no_timestamps_are_negative)
{
    assert_true(vkmm_ticks_to_ms(5, 9, 0, 1.0) < 0);
    assert_true(vkmm_ticks_to_ms(5, 9, 64, 0.0) < 0);
    assert_true(vkmm_ticks_to_ms(0, 0, 64, 1.0) < 0);
}

static void fill(vkmm_samples *samples, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) assert_int_equal(vkmm_samples_add(samples, values[i]), 1);
}

static const char *judge_with(double device_ms, double host_ms, vkmm_slope slope)
{
    vkmm_samples device = {0}, host = {0};
    const double a[] = {device_ms, device_ms}, b[] = {host_ms, host_ms};
    fill(&device, a, 2);
    fill(&host, b, 2);
    const char *why = vkmm_judge_clock(&device, &host, &slope);
    vkmm_samples_free(&device);
    vkmm_samples_free(&host);
    return why;
}

static const char *judge(double device_ms, double host_ms)
{
    return judge_with(device_ms, host_ms, (vkmm_slope){0});
}

TEST(distrusts_nonsense)
{
    assert_string_equal(judge(1.0, 1.1), "");
    assert_contains(judge(-1, 1), "no timestamps");
    assert_contains(judge(50, 1), "more time than passed");
    assert_contains(judge(0, 1), "do not advance");
}

TEST(growing_batches_convict_a_wrong_unit)
{
    assert_string_equal(judge_with(1.0, 1.1, (vkmm_slope){1.05, 0.01}), "");
    assert_string_equal(judge_with(1.0, 1.1, (vkmm_slope){0.95, 0.01}), "");
    assert_contains(judge_with(0.5, 1.1, (vkmm_slope){1.05, 0.01}), "disagree with the slope");
    assert_contains(judge_with(1.05, 1.1, (vkmm_slope){0.5, 0.01}), "disagree with the slope");
    /* A slope that is not sure of itself convicts nobody, and neither does what a barrier costs. */
    assert_string_equal(judge_with(0.5, 1.1, (vkmm_slope){1.05, 0.6}), "");
    assert_string_equal(judge_with(0.002, 0.02, (vkmm_slope){0.006, 0}), "");
    assert_contains(judge_with(0.002, 0.03, (vkmm_slope){0.020, 0}), "disagree with the slope");
}

static vkmm_slope slope_of(const double *x, const double *y, uint32_t count)
{
    vkmm_slope slope = {-1, -1};
    assert_int_equal(vkmm_slope_of(x, y, count, &slope), 1);
    return slope;
}

TEST(slopes_leave_out_what_a_submission_costs)
{
    const double x[] = {1, 2, 4, 8, 1, 2, 4, 8}, even[] = {5.5, 6, 7, 9, 5.5, 6, 7, 9};
    const double spoilt[] = {5.5, 6, 70, 9, 5.5, 6, 7, 9}, noisy[] = {5.4, 6.1, 7.2, 9.1, 5.7, 5.9, 6.9, 8.8};
    vkmm_slope slope = slope_of(x, even, 8);
    assert_true(fabs(slope.ms - 0.5) < 1e-12 && slope.scatter < 1e-12);
    assert_true(fabs(slope_of(x, spoilt, 8).ms - 0.5) < 1e-12); /* one interruption of eight */
    slope = slope_of(x, noisy, 8);
    assert_true(fabs(slope.ms - 0.5) < slope.scatter && slope.scatter > 0.01 && slope.scatter < 0.5);
}

/* By hand: the slopes between (1, 1), (2, 2), (4, 8) are 1, 3 and 7/3. */
TEST(the_slope_is_the_median_of_slopes)
{
    const double x[] = {1, 2, 4}, y[] = {1, 2, 8}, same[] = {2, 2, 2}, falling[] = {8, 2, 1};
    assert_true(fabs(slope_of(x, y, 3).ms - 7.0 / 3) < 1e-12);
    assert_true(slope_of(same, y, 3).ms == 0); /* nothing grew */
    assert_true(slope_of(x, falling, 3).ms == 0);
}

TEST(copies_fill_what_is_asked_for)
{
    assert_int_equal(vkmm_copies_for(1000, 300, 1 << 20), 4);
    assert_int_equal(vkmm_copies_for(900, 300, 1 << 20), 3);
    assert_int_equal(vkmm_copies_for(1, 300, 1 << 20), 2); /* turns need two */
    assert_int_equal(vkmm_copies_for(1 << 30, 256, 1 << 30), 4096);
    assert_int_equal(vkmm_copies_for(1000, 300, 650), 3); /* beside the first, two fit */
    assert_int_equal(vkmm_copies_for(1000, 300, 299), 0);
    assert_int_equal(vkmm_copies_for(UINT64_MAX, 300, UINT64_MAX), 4096);
    assert_int_equal(vkmm_copy_bytes(0), 256);
    assert_int_equal(vkmm_copy_bytes(256), 256);
    assert_int_equal(vkmm_copy_bytes(257), 512);
}

TEST(percentiles_interpolate)
{
    vkmm_samples samples = {0};
    const double values[] = {5, 1, 4, 2, 3};
    fill(&samples, values, 5);
    vkmm_series series = vkmm_samples_series(&samples);
    assert_true(series.median == 3 && series.min == 1 && fabs(series.p5 - 1.2) < 1e-12 &&
                fabs(series.p95 - 4.8) < 1e-12);
    assert_memory_equal(series.samples, values, sizeof values); /* in the order taken */
    vkmm_samples_free(&samples);
}

TEST(noise_shrinks_with_samples)
{
    vkmm_samples samples = {0};
    for (uint32_t i = 0; i < 5; i++) vkmm_samples_add(&samples, 1.0);
    assert_true(isinf(vkmm_median_noise(&samples)));
    for (uint32_t i = 0; i < 95; i++) vkmm_samples_add(&samples, i % 2 ? 1.1 : 0.9);
    double some = vkmm_median_noise(&samples);
    assert_true(some > 0.05 && some < 0.15);
    for (uint32_t i = 0; i < 900; i++) vkmm_samples_add(&samples, 1.0);
    assert_true(vkmm_median_noise(&samples) == 0);
    vkmm_samples_free(&samples);
}
