/* The arithmetic of timing: wrapping timestamps, clocks that cannot be trusted, percentiles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "exec/job.h"

static void timestamps_wrap_at_their_valid_bits(void **state)
{
    (void)state;
    assert_true(vkmm_ticks_to_ms(1000, 2001000, 64, 1.0) == 2.0);
    assert_true(vkmm_ticks_to_ms(UINT64_MAX - 499999, 500000, 64, 1.0) == 1.0);
    assert_true(vkmm_ticks_to_ms((UINT64_C(1) << 36) - 1000000, 1000000, 36, 1.0) == 2.0);
    /* Bits above the valid ones are noise. */
    assert_true(fabs(vkmm_ticks_to_ms(UINT64_C(0xf000000000000000), UINT64_C(0xa0000000000f4240), 48, 32.0) - 32.0) < 1e-9);
}

static void no_timestamps_are_negative(void **state)
{
    (void)state;
    assert_true(vkmm_ticks_to_ms(5, 9, 0, 1.0) < 0);
    assert_true(vkmm_ticks_to_ms(5, 9, 64, 0.0) < 0);
    assert_true(vkmm_ticks_to_ms(0, 0, 64, 1.0) < 0);
}

static void fill(vkmm_samples *samples, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) assert_int_equal(vkmm_samples_add(samples, values[i]), 1);
}

static const char *judge(double device_ms, double host_ms)
{
    vkmm_samples device = {0}, host = {0};
    const double a[] = {device_ms, device_ms}, b[] = {host_ms, host_ms};
    fill(&device, a, 2);
    fill(&host, b, 2);
    const char *why = vkmm_judge_clock(&device, &host);
    vkmm_samples_free(&device);
    vkmm_samples_free(&host);
    return why;
}

static void distrusts_nonsense(void **state)
{
    (void)state;
    assert_string_equal(judge(1.0, 1.1), "");
    assert_non_null(strstr(judge(-1, 1), "no timestamps"));
    assert_non_null(strstr(judge(50, 1), "more time than passed"));
    assert_non_null(strstr(judge(0, 1), "stand still"));
}

static void percentiles_interpolate(void **state)
{
    (void)state;
    vkmm_samples samples = {0};
    const double values[] = {5, 1, 4, 2, 3};
    fill(&samples, values, 5);
    vkmm_series series = vkmm_samples_series(&samples);
    assert_true(series.median == 3 && series.min == 1 && fabs(series.p5 - 1.2) < 1e-12 && fabs(series.p95 - 4.8) < 1e-12);
    assert_memory_equal(series.samples, values, sizeof values); /* in the order taken */
    vkmm_samples_free(&samples);
}

static void noise_shrinks_with_samples(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timestamps_wrap_at_their_valid_bits),
        cmocka_unit_test(no_timestamps_are_negative),
        cmocka_unit_test(distrusts_nonsense),
        cmocka_unit_test(percentiles_interpolate),
        cmocka_unit_test(noise_shrinks_with_samples),
    };
    return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
