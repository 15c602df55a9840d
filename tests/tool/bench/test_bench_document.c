/* Bench reports in memory: what follows from samples. */
#include "unit.h"
#include "bench/derive.h"

#include "base/alloc.h"
#include "make_bench.h"
#include "report/record.h"

/* A passed f32 row of M = N = K = 100 on device 0, without samples. */
static cli_bench_row *plain_row(cli_bench *bench)
{
    if (bench->device_count == 0) assert_non_null(cli_bench_add_device(bench));
    cli_bench_row *row = cli_bench_add_row(bench);
    assert_non_null(row);
    row->problem = VKMM_PROBLEM(.m = 100, .n = 100, .k = 100);
    row->passed = 1;
    return row;
}

static int is_near(double got, double want)
{
    return fabs(got - want) <= 1e-12 + 1e-9 * fabs(want);
}

static void add(cli_bench_series *series, double ms, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) assert_true(cli_bench_series_add(series, &ms, 1));
}

static void add_round(cli_bench_row *row, double ms, uint32_t count)
{
    add(&row->kernel_ms, ms, count);
    assert_true(cli_bench_end_round(row));
}

/* Each operand moves as what it is stored as, and the peak is that of what multiplies. */
TEST(types_count)
{
    static const struct {
        vkmm_types types;
        double bytes, peak; /* of all elements; of the peaks below */
        int is_matrix;
        vkmm_method method;
        uint32_t moduli;
    } cases[] = {{{VKMM_F16, VKMM_F16, VKMM_F32}, 60000, 80, 1},
                 {{VKMM_F16, VKMM_F32, VKMM_F32}, 80000, 80, 1},
                 {{VKMM_F16, VKMM_F16, VKMM_F16}, 60000, 90, 1},
                 {{VKMM_F32, VKMM_F32, VKMM_F16}, 120000, 90, 1},
                 {{VKMM_F32, VKMM_F32, VKMM_F32}, 120000, 10, 0},
                 {{VKMM_BF16, VKMM_BF16, VKMM_F32}, 60000, 10, 0},
                 {{VKMM_I8, VKMM_I32, VKMM_I32}, 60000, 70, 1},
                 {{VKMM_U8, VKMM_U32, VKMM_U32}, 60000, 40, 0},
                 {{VKMM_I32, VKMM_I32, VKMM_I32}, 120000, 5, 0},
                 {{VKMM_F32, VKMM_F32, VKMM_F32}, 120000, 80 / 3.0, 1, VKMM_COMPUTE_SPLIT},
                 {{VKMM_F64, VKMM_F64, VKMM_F64}, 240000, 5, 1, VKMM_COMPUTE_MODULAR, 14}};
    cli_bench bench = {0};
    plain_row(&bench);
    cli_bench_peaks *peaks = &bench.devices[0].peaks;
    peaks->multiply_adds_per_s[VKMM_F32] = 10e9;
    peaks->multiply_adds_per_s[VKMM_I32] = peaks->multiply_adds_per_s[VKMM_U32] = 5e9;
    peaks->multiply_adds_per_s[VKMM_F16] = 20e9;
    peaks->multiply_adds_per_s[VKMM_I8] = peaks->multiply_adds_per_s[VKMM_U8] = 40e9;
    peaks->matrix[0] = (cli_bench_matrix){{16, 8, 16, 0, 0, 1, 1, 3, 0}, 60e9};
    peaks->matrix[1] = (cli_bench_matrix){{16, 16, 16, 0, 0, 1, 1, 3, 0}, 80e9}; /* the best of its types */
    peaks->matrix[2] = (cli_bench_matrix){{16, 16, 16, 0, 0, 0, 0, 3, 0}, 90e9};
    peaks->matrix[3] = (cli_bench_matrix){{16, 16, 32, 3, 3, 5, 5, 3, 1}, 99e9}; /* saturating sums are others */
    peaks->matrix[4] = (cli_bench_matrix){{16, 16, 32, 3, 3, 5, 5, 3, 0}, 70e9};
    peaks->matrix[5] = (cli_bench_matrix){{16, 16, 16, 1000141000, 1000141000, 1, 1, 3, 0}, NAN}; /* not measured */
    peaks->matrix_count = 6;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int biased = 0; biased < 2; biased++) {
            cli_bench_row *row = plain_row(&bench);
            int is_matrix = 7;
            row->problem.type = cases[i].types.in;
            row->problem.out_type = cases[i].types.out;
            row->problem.compute = cases[i].types.compute;
            row->problem.method = cases[i].method;
            row->kernel.moduli = cases[i].moduli;
            row->problem.has_bias = biased;
            add(&row->kernel_ms, 3, 5);
            cli_bench_derive(&bench, row);
            const double bias = biased ? 100.0 * vkmm_type_of(cases[i].types.out)->bytes : 0;
            assert_true(is_near(row->figures.gbytes_per_s, (cases[i].bytes + bias) / 3e-3 * 1e-9));
            assert_true(is_near(row->figures.arithmetic_share, 1e6 / 3e-3 / (cases[i].peak * 1e9)));
            assert_true(
                is_near(cli_bench_peak_of(&bench.devices[0].peaks, &row->problem, &row->kernel, &is_matrix) * 1e-9,
                        cases[i].peak));
            assert_int_equal(is_matrix, cases[i].is_matrix);
            for (uint32_t other = 1; other + 1 < bench.row_count; other++)
                assert_false(cli_bench_same(&bench.rows[other], &bench.rows[bench.row_count - 1]));
        }
    }
    /* What follows from the type may be said or not. */
    bench.rows[0].problem.out_type = bench.rows[0].problem.compute = VKMM_F32;
    const cli_bench_row *like = plain_row(&bench);
    assert_true(cli_bench_same(like, &bench.rows[9]));
    cli_bench_free(&bench);
}

TEST(speeds)
{
    cli_bench bench = {0};
    cli_bench_row *row = plain_row(&bench);
    bench.devices[0].peaks.copy_bytes_per_s = 1e9;
    bench.devices[0].peaks.multiply_adds_per_s[VKMM_F32] = 4e9;
    const double samples[] = {4, 1, 3, 2, 10};
    assert_true(cli_bench_series_add(&row->kernel_ms, samples, 5));
    cli_bench_derive(&bench, row);
    const cli_bench_figures *f = &row->figures;
    assert_true(is_near(f->median_ms, 3));
    assert_true(is_near(row->kernel_ms.min, 1));
    assert_true(is_near(row->kernel_ms.p5, 1.2));
    assert_true(is_near(row->kernel_ms.p95, 8.8));
    assert_true(is_near(f->gflops, 2e6 / 3e-3 * 1e-9));
    assert_true(is_near(f->gbytes_per_s, 120000 / 3e-3 * 1e-9));
    assert_true(is_near(f->arithmetic_share, 2e6 / 3e-3 / 8e9));
    assert_true(is_near(f->copy_share, 0.04));
    assert_true(is_near(f->noise, (f->interval_ms[1] - f->interval_ms[0]) / 6));
    assert_true(isnan(f->drift) && isnan(row->submit_ms.median) && !f->throttled);
    row->problem = VKMM_PROBLEM(.m = 100, .n = 100, .k = 100, .batch_count = 3, .stride_b = 10000, .stride_c = 10000,
                                .alpha = 1, .beta = 1);
    cli_bench_derive(&bench, row);
    assert_true(is_near(f->gflops, 6e6 / 3e-3 * 1e-9));
    assert_true(
        is_near(f->gbytes_per_s, (40000 + 3 * 40000 + 2 * 3 * 40000) / 3e-3 * 1e-9)); /* A repeats, C is read too */
    row->device = 7;
    cli_bench_derive(&bench, row);
    assert_true(isnan(f->copy_share) && f->gflops > 0);
    cli_bench_free(&bench);
}

TEST(no_speed)
{
    cli_bench bench = {0};
    cli_bench_row *row = plain_row(&bench);
    cli_bench_derive(&bench, row);
    assert_true(isnan(row->figures.median_ms) && !cli_bench_is_timed(row)); /* no samples */
    add_round(row, 1, 9);
    cli_bench_derive(&bench, row);
    assert_true(row->figures.median_ms == 1 && cli_bench_is_timed(row));
    row->passed = 0;
    cli_bench_derive(&bench, row);
    assert_true(isnan(row->figures.median_ms) && isnan(row->figures.gflops) && isnan(row->figures.noise) &&
                !cli_bench_is_timed(row));
    row->passed = 1;
    row->problem.k = 0;
    assert_false(cli_bench_is_timed(row));
    row->problem.k = 1;
    snprintf(row->not_run, sizeof row->not_run, "no time was left");
    assert_false(cli_bench_is_timed(row));
    row->not_run[0] = '\0';
    add_round(row, 0, 10);
    assert_false(cli_bench_is_timed(row));
    add_round(row, 1, 1);
    assert_true(cli_bench_is_timed(row));
    cli_bench_free(&bench);
}

/* The speed of a row above the measured peak is the peak, for all rows of the device; no share is above 1. */
TEST(no_row_is_above_the_peak)
{
    cli_bench bench = {0};
    add_round(plain_row(&bench), 10, 5);
    add_round(plain_row(&bench), 20, 5);
    cli_bench_peaks *peaks = &bench.devices[0].peaks;
    double *peak = &peaks->multiply_adds_per_s[vkmm_problem_compute(&bench.rows[0].problem)];
    const double speed = 100 * 100 * 100 / 10e-3;
    *peak = speed / 1.03;
    for (int i = 0; i < 2; i++) cli_bench_derive(&bench, &bench.rows[i]);
    assert_true(bench.rows[0].figures.arithmetic_share > 1);
    cli_bench_raise_peaks(&bench);
    assert_true(peaks->raised && is_near(*peak, speed));
    assert_true(bench.rows[0].figures.arithmetic_share <= 1 && is_near(bench.rows[1].figures.arithmetic_share, 0.5));
    *peak = 2 * speed; /* a peak that is high enough stays */
    peaks->raised = 0;
    for (int i = 0; i < 2; i++) cli_bench_derive(&bench, &bench.rows[i]);
    cli_bench_raise_peaks(&bench);
    assert_true(!peaks->raised && is_near(bench.rows[0].figures.arithmetic_share, 0.5));
    *peak = speed / 4; /* not of matrix operations, which such a row has used */
    bench.rows[0].kernel.matrix[0] = 16;
    for (int i = 0; i < 2; i++) cli_bench_derive(&bench, &bench.rows[i]);
    assert_true(isnan(bench.rows[0].figures.arithmetic_share));
    cli_bench_raise_peaks(&bench);
    assert_true(is_near(*peak, speed / 2)); /* by the other row alone */
    cli_bench_free(&bench);
}

/* One sample has no spread. Far from the quartiles, which are 0.2 apart: by more than a tenth of the median. */
TEST(outliers)
{
    const double alike[] = {10, 10.2, 10.2, 10, 10.1, 10.1, 10, 11.1, 9.1, 10.2}, far[] = {11.5, 8.7, 20};
    cli_bench bench = {0};
    cli_bench_row *row = plain_row(&bench);
    assert_true(cli_bench_series_add(&row->kernel_ms, alike, 1));
    cli_bench_derive(&bench, row);
    assert_true(is_near(row->kernel_ms.median, 10) && isnan(row->kernel_ms.p5) && isnan(row->kernel_ms.p95));
    assert_true(cli_bench_series_add(&row->kernel_ms, alike + 1, 9));
    cli_bench_derive(&bench, row);
    assert_true(isfinite(row->kernel_ms.p5) && row->kernel_ms.outliers == 0);
    assert_true(cli_bench_series_add(&row->kernel_ms, far, 3));
    cli_bench_derive(&bench, row);
    assert_int_equal(row->kernel_ms.outliers, 3);
    row->passed = 0; /* no speed, no outliers */
    cli_bench_derive(&bench, row);
    assert_int_equal(row->kernel_ms.outliers, 0);
    cli_bench_free(&bench);
}

TEST(drifts)
{
    static const struct {
        double ms, mhz; /* of another round; during the rounds, of 1980 before. 0: none, unknown */
        const char *limited;
        double others, drift;
        int throttled, busy;
    } steps[] = {
        {10, 0, "", 0, NAN, 0, 0},     {10.2, 0, "", 0, 0.02, 0, 0},
        {0, 0, "heat", 0, 0.02, 1, 0}, {0, 1965, "heat", 0, 0.02, 0, 0}, /* the clock was as high as before */
        {0, 1700, "heat", 0, 0.02, 1}, {11, 1700, "", 0, 0.1, 1, 0},
        {0, 1700, "", 0.9, 0.1, 0, 1}, /* others needed the processors too */
        {0, 1700, "", 0.1, 0.1, 1, 0}, {9, 1700, "", 0.1, -0.1, 0, 0},
    };
    /* Rounds of one sample each: they go up and down, without a trend; fall to a lower clock, once; are too few. */
    static const double alone[][8] = {
        {10, 12, 9, 11, 10, 13, 9, 11}, {10, 10.1, 10, 10.1, 11, 11.1, 11, 11.1}, {10, 11}};
    const double wild[] = {11, 8, 15, 11, 11, 11, 15, 8};
    cli_bench bench = {0};
    cli_bench_row *row = plain_row(&bench);
    row->power.processors = 2;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].ms > 0) add_round(row, steps[i].ms, 5);
        row->power.mhz[0] = steps[i].mhz > 0 ? 1980 : NAN;
        row->power.mhz[1] = steps[i].mhz > 0 ? steps[i].mhz : NAN;
        row->power.others = steps[i].others;
        snprintf(row->power.limited, sizeof row->power.limited, "%s", steps[i].limited);
        cli_bench_derive(&bench, row);
        assert_true(isnan(steps[i].drift) ? isnan(row->figures.drift) : is_near(row->figures.drift, steps[i].drift));
        if (row->figures.throttled != steps[i].throttled || row->figures.busy != steps[i].busy) fail_msg("step %zu", i);
    }
    /* A round that varies by a third says nothing of a tenth. */
    assert_true(cli_bench_series_add(&row->kernel_ms, wild, 8) && cli_bench_end_round(row));
    cli_bench_derive(&bench, row);
    assert_true(is_near(row->figures.drift, 0.1) && !row->figures.throttled);
    for (int i = 0; i < 3; i++) {
        row = plain_row(&bench);
        for (int round = 0; round < 8 && alone[i][round] > 0; round++) add_round(row, alone[i][round], 1);
        cli_bench_derive(&bench, row);
        assert_true(is_near(row->figures.drift, i == 1 ? 0.11 : 0.1) && row->figures.throttled == (i == 1));
    }
    cli_bench_free(&bench);
}

TEST(the_same)
{
    cli_bench bench = {0};
    make_bench(&bench, 1, 0.01);
    cli_bench_row a = bench.rows[0], b = a;
    assert_true(cli_bench_same(&a, &b));
    b.problem.lda = 256; /* as packed */
    b.problem.batch_count = 1;
    b.problem.stride_a = 5; /* of no batch */
    b.problem.alpha = 1.000000001;
    b.group[0] = 'x';
    assert_true(cli_bench_same(&a, &b));
    b.problem.alpha = 1.01;
    assert_false(cli_bench_same(&a, &b));
    b = a, b.problem.lda = 300;
    assert_false(cli_bench_same(&a, &b));
    b = a, b.problem.type = VKMM_I32;
    assert_false(cli_bench_same(&a, &b));
    b = a, b.rotating_bytes = 1;
    assert_false(cli_bench_same(&a, &b));
    b = a, b.asked[0] = 'x';
    assert_false(cli_bench_same(&a, &b));
    b = a, b.problem.op_b = VKMM_OP_T;
    assert_false(cli_bench_same(&a, &b));
    cli_bench_free(&bench);
}
