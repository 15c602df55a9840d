/* Intervals of medians and ratios: against known values, and by how often they cover the truth in made-up runs. */
#include "normal.h"
#include "bench/derive.h"
#include "test.h"

enum { TRIALS = 1500, ROUNDS = 5, SAMPLES = 12 };

static void close_to(double value, double wanted, double bound)
{
    if (!(fabs(value - wanted) <= bound)) fail_msg("%.9g is not within %g of %.9g", value, bound, wanted);
}

/* Tables of Student's t: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, and more digits by numerical
 * integration. */
TEST(student)
{
    static const struct {
        uint32_t degrees;
        double t;
    } known[] = {{1, 12.706205},  {2, 4.302653},    {3, 3.182446},         {4, 2.776445},
                 {5, 2.570582},   {10, 2.228139},   {30, 2.042272},        {60, 2.000298},
                 {100, 1.983972}, {1000, 1.962339}, {UINT32_MAX, 1.959964}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        close_to(cli_student_t(known[i].degrees), known[i].t, 2e-6);
    assert_true(cli_student_t(20) > cli_student_t(21)); /* the two ways meet */
    assert_true(fabs(cli_student_t(21) - 2.079614) < 1e-5);
}

static void add_round(cli_bench_row *row, const double *ms, uint32_t count)
{
    assert_true(cli_bench_series_add(&row->kernel_ms, ms, count));
    assert_true(cli_bench_end_round(row));
}

static void make_row(cli_bench_row *row)
{
    cli_bench_row_init(row);
    row->problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8);
    row->method[0] = 'f';
    row->passed = 1;
}

TEST(degenerate)
{
    static const double few[] = {3, 1, 2, 5}, zeros[] = {0, 0, 0}, one[] = {7};
    cli_bench_row row, other;
    cli_interval interval;
    make_row(&row);
    make_row(&other);
    assert_true(isnan(cli_bench_interval(&row).middle));
    assert_true(isnan(cli_bench_ratio(&row, &other, 0).middle));
    add_round(&row, few, 4);
    interval = cli_bench_interval(&row);
    close_to(interval.middle, 2.5, 0);
    close_to(interval.low, 1, 0); /* all that was seen */
    close_to(interval.high, 5, 0);
    row.passed = 0; /* a wrong product has no speed to compare */
    add_round(&other, one, 1);
    assert_true(isnan(cli_bench_ratio(&other, &row, 0).middle));
    row.passed = 1;
    close_to(cli_bench_ratio(&row, &other, 0).middle, 2.5 / 7, 1e-12);
    assert_true(isnan(cli_bench_interval(&other).low) &&
                isnan(cli_bench_ratio(&row, &other, 0).high)); /* nobody knows after one sample */
    add_round(&other, one, 1);
    close_to(cli_bench_ratio(&row, &other, 1).low, 1.0 / 7, 1e-12); /* two rounds are no pairs */
    cli_bench_row_free(&row);

    /* Times of zero, and round ends that nobody wrote so: no nonsense, no crash. */
    make_row(&row);
    for (int i = 0; i < 4; i++) add_round(&row, zeros, 3);
    close_to(cli_bench_interval(&row).high, 0, 0);
    assert_true(isnan(cli_bench_ratio(&row, &other, 1).middle));
    cli_bench_row_free(&row);
    make_row(&row);
    for (int i = 0; i < 4; i++) add_round(&row, few, 4);
    row.round_ends[0] = 4000000000u;
    row.round_ends[2] = 2;
    assert_true(isfinite(cli_bench_interval(&row).high));
    assert_true(isfinite(cli_bench_ratio(&row, &other, 1).high));
    cli_bench_row_free(&row);
    cli_bench_row_free(&other);
}

TEST(verdicts)
{
    const cli_interval unknown = {NAN, NAN, NAN}, faster = {1.2, 1.1, 1.3}, slower = {0.8, 0.7, 0.9},
                       unclear = {1.1, 0.9, 1.3};
    const cli_interval list[] = {{2, 1.6, 2.5}, unknown, {0.5, 0.4, 0.625}};
    cli_mean none = {0}, all = {0};
    cli_interval mean;
    assert_int_equal(cli_interval_verdict(&faster), 1);
    assert_int_equal(cli_interval_verdict(&slower), -1);
    assert_int_equal(cli_interval_verdict(&unclear), 0);
    assert_int_equal(cli_interval_verdict(&unknown), 0);
    cli_mean_add(&none, &list[1]);
    for (int i = 0; i < 3; i++) cli_mean_add(&all, &list[i]);
    mean = cli_mean_of(&all);
    assert_int_equal(all.count, 2);
    close_to(mean.middle, 1, 1e-12);
    close_to(mean.low, 0.8, 1e-12); /* each is off by a quarter, and so may all be at once */
    close_to(mean.high, 1.25, 1e-12);
    assert_true(isnan(cli_mean_of(&none).middle));
}

/* One made-up run of a row whose true median is `median`: rounds that differ by `shift` (a share; the same for runs
 * of one `weather`), samples within them that differ by `noise`. */
static void simulate(cli_bench_row *row, double median, double shift, double noise, uint64_t weather, uint64_t seed)
{
    make_row(row);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        double ms[SAMPLES];
        for (uint32_t s = 0; s < SAMPLES; s++)
            ms[s] = median * exp(shift * random_normal(weather, i) + noise * random_normal(seed, i * SAMPLES + s));
        add_round(row, ms, SAMPLES);
    }
}

static int covers(const cli_interval *interval, double truth)
{
    return interval->low <= truth && truth <= interval->high;
}

/* The share of runs whose interval holds the true median, 95 % by promise. */
static double coverage(double shift, double noise)
{
    uint32_t covered = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        cli_bench_row row;
        cli_interval interval;
        simulate(&row, 2, shift, noise, 2 * trial + 1, 2 * trial + 2);
        interval = cli_bench_interval(&row);
        covered += (uint32_t)covers(&interval, 2);
        cli_bench_row_free(&row);
    }
    return (double)covered / TRIALS;
}

TEST(medians_are_covered)
{
    assert_true(coverage(0, 0.05) >= 0.95);    /* a calm machine: samples alone */
    assert_true(coverage(0.05, 0.01) >= 0.93); /* rounds that differ, where ranks alone would cover a third */
    assert_true(coverage(0.05, 0.05) >= 0.93);
}

/* The share of pairs of runs whose ratio's interval holds the truth; *width: how wide it was on average, as a share. */
static double ratio_coverage(double truth, int same_weather, int paired, double *width)
{
    uint32_t covered = 0;
    *width = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        cli_bench_row base, other;
        cli_interval ratio;
        simulate(&base, 2, 0.1, 0.02, 4 * trial + 1, 4 * trial + 2);
        simulate(&other, 2 / truth, 0.1, 0.02, same_weather ? 4 * trial + 1 : 4 * trial + 3, 4 * trial + 4);
        ratio = cli_bench_ratio(&base, &other, paired);
        covered += (uint32_t)covers(&ratio, truth);
        *width += (ratio.high - ratio.low) / ratio.middle / TRIALS;
        cli_bench_row_free(&base);
        cli_bench_row_free(&other);
    }
    return (double)covered / TRIALS;
}

TEST(ratios_are_covered)
{
    double width, paired_width, share;
    share = ratio_coverage(3, 0, 0, &width);
    assert_true(share >= 0.93);
    share = ratio_coverage(3, 1, 1, &paired_width);
    assert_true(share >= 0.93 && share <= 0.97);
    assert_true(paired_width < width / 4); /* what hits both alike is no error of their ratio */
}

/* A ratio says as much in one direction as in the other. */
TEST(ratios_turn_round)
{
    for (int paired = 0; paired < 2; paired++) {
        cli_bench_row a, b;
        cli_interval there, back;
        simulate(&a, 1, 0.05, 0.05, 1, 2);
        simulate(&b, 1.3, 0.05, 0.05, 3, 4);
        there = cli_bench_ratio(&a, &b, paired);
        back = cli_bench_ratio(&b, &a, paired);
        assert_true(there.low < there.middle && there.middle < there.high);
        close_to(there.middle * back.middle, 1, 1e-12);
        close_to(there.low * back.high, 1, 1e-12);
        close_to(there.high * back.low, 1, 1e-12);
        cli_bench_row_free(&a);
        cli_bench_row_free(&b);
    }
}

/* The ratio is that of the medians shown, also where a few slow rounds make the mean of the rounds' ratios another. */
TEST(ratios_are_of_medians)
{
    static const double steady[] = {1}, slow[] = {8};
    cli_bench_row a, b;
    make_row(&a);
    make_row(&b);
    for (int i = 0; i < 7; i++) {
        add_round(&a, i < 2 ? slow : steady, 1);
        add_round(&b, steady, 1);
    }
    for (int paired = 0; paired < 2; paired++) {
        const cli_interval ratio = cli_bench_ratio(&a, &b, paired);
        close_to(ratio.middle, 1, 1e-12);
        assert_true(ratio.low <= 1 && ratio.high > 2);
    }
    cli_bench_row_free(&a);
    cli_bench_row_free(&b);
}
