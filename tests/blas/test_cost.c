/* The costs of libvkblas, without a device: programs on simulated machines never lose more than a twentieth of their
 * time, but for one probe, use a device that is faster, and leave one alone that is not; what is kept is read again,
 * what is damaged is not. */
#include "../test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/blas/cost.h"

/* Speeds in multiplications and bytes per millisecond. */
typedef struct machine {
    double host, device, bus, overhead_ms, open_ms, compile_ms;
    double first_ms; /* in addition, of the program's first product */
} machine;

typedef struct run {
    double host_ms, ms; /* of the program with the host alone, and with libvkblas */
    int on_device;
} run;

static double volume_of(vkblas_extents e)
{
    return (double)e.m * (double)e.n * (double)e.k;
}

static double device_ms(const machine *m, vkblas_extents e)
{
    const double elements = (double)e.m * (double)e.k + (double)e.k * (double)e.n + 2 * (double)e.m * (double)e.n;
    return m->overhead_ms + 4 * elements / m->bus + volume_of(e) / m->device;
}

/* One product of the program, as learned.c goes about it. */
static void compute(const machine *m, vkblas_cost *cost, vkblas_extents e, int *seen, run *r)
{
    const double host = volume_of(e) / m->host;
    vkblas_choice choice = vkblas_cost_choose(cost, VKBLAS_S, e, r->ms, NULL);
    if (choice != VKBLAS_TO_HOST && !cost->opened) {
        cost->opened = 1;
        cost->open_ms = m->open_ms;
        cost->lost_ms += m->open_ms;
        r->ms += m->open_ms;
    }
    for (int probes = 0; choice == VKBLAS_TO_PROBE && probes < 2; probes++) {
        const int64_t edge = vkblas_cost_probe_edge(cost, VKBLAS_S);
        const vkblas_extents small = {edge, edge, edge};
        const double ms = device_ms(m, small);
        for (int i = 0; i < 2; i++) vkblas_cost_learn(cost, VKBLAS_DEVICE, VKBLAS_S, small, ms);
        cost->attempt_ms = m->compile_ms;
        cost->lost_ms += 3 * ms + m->compile_ms;
        r->ms += 3 * ms + m->compile_ms;
        choice = vkblas_cost_choose(cost, VKBLAS_S, e, r->ms, NULL);
    }
    const int device = choice == VKBLAS_TO_DEVICE || choice == VKBLAS_TO_TRY;
    const double ms = device ? device_ms(m, e) + (*seen ? 0 : m->compile_ms + m->first_ms) : host;
    *seen |= device;
    vkblas_cost_learn(cost, device ? VKBLAS_DEVICE : VKBLAS_HOST, VKBLAS_S, e, ms);
    r->host_ms += host;
    r->ms += ms;
    r->on_device += device;
}

static run program(const machine *m, vkblas_cost *cost, vkblas_extents e, int calls)
{
    run r = {0};
    int seen = 0;
    cost->opened = 0;
    cost->lost_ms = 0;
    for (int i = 0; i < calls; i++) compute(m, cost, e, &seen, &r);
    vkblas_cost_end(cost, r.ms);
    return r;
}

static const machine fast = {5e8, 2e10, 2e7, 0.05, 300, 40}, slow = {5e8, 1e8, 1e7, 0.2, 600, 300};

TEST(test_a_faster_device_is_used)
{
    vkblas_cost cost = {0};
    const run first = program(&fast, &cost, (vkblas_extents){4096, 4096, 4096}, 1000);
    assert_true(first.on_device > 850);
    const run second = program(&fast, &cost, (vkblas_extents){8192, 8192, 8192}, 10);
    assert_true(second.on_device >= 9); /* what was learned is used at once */
    assert_true(second.ms < second.host_ms / 3);
}

/* As on an NVIDIA H200: the first 4096³ took twenty times as long as the next. */
TEST(test_a_slow_first_product_is_no_verdict)
{
    const machine m = {1.1e8, 2e10, 2.2e7, 0.2, 600, 250, 490};
    vkblas_cost cost = {0};
    const run r = program(&m, &cost, (vkblas_extents){4096, 4096, 4096}, 100);
    assert_true(r.on_device > 30);
}

/* Regression: programs of a few products of 16384³ never used the device, because 512³ says little about them. */
TEST(test_the_largest_products_find_the_device)
{
    const machine m = {6e8, 2.5e10, 2.2e7, 0.2, 600, 250, 490};
    vkblas_cost cost = {0};
    int on_device = 0;
    for (int i = 0; i < 3; i++) on_device += program(&m, &cost, (vkblas_extents){16384, 16384, 16384}, 10).on_device;
    assert_true(on_device > 15);
}

/* Regression: the first two programs of twelve products of 8192³ never used the device and lost twelve seconds. */
TEST(test_long_calls_are_probed_for_at_once)
{
    const machine m = {9.1e8, 2.5e10, 2.2e7, 0.2, 700, 250, 0};
    vkblas_cost cost = {0};
    const run r = program(&m, &cost, (vkblas_extents){8192, 8192, 8192}, 12);
    assert_true(r.on_device >= 10);
    assert_true(r.ms < r.host_ms / 2);
}

/* Regression: programs of eight products of 8192³, seven seconds each, never used the device, because no single program
 * may risk a loss that large. */
TEST(test_programs_profit_from_those_before)
{
    const machine m = {6.5e8, 2.2e10, 2.2e7, 0.3, 400, 500, 0};
    const vkblas_extents e = {8192, 8192, 8192};
    vkblas_cost cost = {0};
    run last = {0}, sum = {0};
    for (int i = 0; i < 10; i++) {
        last = program(&m, &cost, e, 8);
        sum.ms += last.ms, sum.host_ms += last.host_ms;
        assert_true(sum.ms <= 1.05 * sum.host_ms + m.compile_ms); /* compiling takes longer than assumed, once */
    }
    assert_int_equal(last.on_device, 8);
    /* With a useless device, all programs together lose a twentieth at most, and once a product's time. */
    const machine useless = {6.5e8, 3e8, 1e7, 0.3, 300, 50, 0};
    run all = {0};
    cost = (vkblas_cost){0};
    for (int i = 0; i < 20; i++) {
        const run one = program(&useless, &cost, e, 3);
        all.ms += one.ms, all.host_ms += one.host_ms;
        assert_true(all.ms <= 1.05 * all.host_ms + volume_of(e) / useless.host);
    }
    assert_true(cost.cells[VKBLAS_DEVICE][VKBLAS_S][33][11].count > 0); /* it was probed */
}

/* As HPL on an NVIDIA H200, with NB = 512 twice and then 192: the device had saved seconds, but the third run did
 * without it most of the time, because of the half second that opening and compiling had cost the first two. */
TEST(test_gains_pay_for_losses)
{
    const machine m = {1.75e8, 1e10, 1.7e7, 0.3, 157, 46, 0};
    vkblas_cost cost = {0};
    for (int i = 0; i < 2; i++) program(&m, &cost, (vkblas_extents){18000, 9000, 512}, 12);
    const run r = program(&m, &cost, (vkblas_extents){18000, 9000, 192}, 32);
    assert_true(r.on_device > 25);
}

TEST(test_a_slower_device_is_left_alone)
{
    vkblas_cost cost = {0};
    const run first = program(&slow, &cost, (vkblas_extents){4096, 4096, 4096}, 1000);
    assert_true(first.on_device <= 2);
    const run second = program(&slow, &cost, (vkblas_extents){2048, 2048, 2048}, 1000);
    assert_true(second.on_device <= 2);
}

/* Whatever the machine and the sizes are, and wherever the program ends. */
TEST(test_no_program_loses_a_twentieth)
{
    const machine wretched = {1e9, 1e6, 1e6, 5, 3000, 1000};
    const machine machines[] = {fast, slow, wretched, {1e8, 1e9, 1e6, 0.1, 200, 100}, {1e9, 1.1e9, 1e7, 0.1, 100, 5}};
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (int64_t edge = 256; edge <= 8192; edge *= 2)
            for (int64_t thin = 1; thin <= 64; thin *= 8) {
                vkblas_cost cost = {0};
                run r = {0};
                int seen = 0;
                for (int call = 0; call < 300; call++) {
                    compute(&machines[i], &cost, (vkblas_extents){edge, edge / thin, edge}, &seen, &r);
                    /* Opening and compiling may take longer than was assumed of a machine on which nothing has been
                     * measured: once. */
                    const double unknown = machines[i].open_ms + 3 * machines[i].compile_ms,
                                 host = r.host_ms / (call + 1);
                    /* A probe for a long product is made at once. */
                    assert_true(r.ms <= 1.05 * r.host_ms + (unknown > 400 ? unknown : 0) + (host > 350 ? host : 0));
                }
            }
}

TEST(test_nothing_is_lost_where_all_is_known)
{
    vkblas_cost cost = {0};
    program(&slow, &cost, (vkblas_extents){4096, 4096, 4096}, 3000);
    const run again = program(&slow, &cost, (vkblas_extents){4096, 4096, 4096}, 1000);
    assert_true(again.on_device <= 1);
    assert_true(again.ms <= 1.05 * again.host_ms);
}

TEST(test_short_programs_do_not_open_the_device)
{
    vkblas_cost cost = {0};
    const run r = program(&fast, &cost, (vkblas_extents){1024, 1024, 1024}, 100); /* 215 ms */
    assert_int_equal(cost.opened, 0);
    assert_true(r.ms == r.host_ms);
}

TEST(test_a_type_that_the_device_lacks)
{
    vkblas_cost cost = {.opened = 1};
    const vkblas_extents e = {8192, 8192, 8192};
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_D, e, 5000);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, 1e6, NULL), VKBLAS_TO_PROBE);
    vkblas_cost_never(&cost, VKBLAS_D);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, 1e6, NULL), VKBLAS_TO_HOST);
    vkblas_cost_forget_device(&cost);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, 1e6, NULL), VKBLAS_TO_PROBE);
}

static vkblas_expected expected_of(const vkblas_cost *cost, int64_t m, int64_t n, int64_t k)
{
    vkblas_expected expected;
    vkblas_cost_choose(cost, VKBLAS_S, (vkblas_extents){m, n, k}, 0, &expected);
    return expected;
}

static void learn(vkblas_cost *cost, int where, int64_t m, int64_t n, int64_t k, double ms)
{
    vkblas_cost_learn(cost, where, VKBLAS_S, (vkblas_extents){m, n, k}, ms);
}

static int is_about(double x, double y)
{
    return fabs(x - y) < 1e-5 * y;
}

TEST(test_times_fall_at_once_and_rise_slowly)
{
    vkblas_cost cost = {0};
    learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, 100);
    learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, 200);
    assert_true(is_about(expected_of(&cost, 1024, 1024, 1024).host_ms, 125));
    learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, 50);
    assert_true(is_about(expected_of(&cost, 1024, 1024, 1024).host_ms, 50));
}

/* From 2048^3 on all are alike; below, six powers of two are too far. */
TEST(test_small_products_say_nothing_of_large_ones)
{
    vkblas_cost cost = {0};
    learn(&cost, VKBLAS_HOST, 256, 256, 256, 1);
    assert_true(is_about(expected_of(&cost, 1024, 1024, 1024).host_ms, 64));
    assert_true(expected_of(&cost, 2048, 1024, 1024).host_ms < 0);
    learn(&cost, VKBLAS_HOST, 2048, 2048, 2048, 100);
    assert_true(is_about(expected_of(&cost, 16384, 16384, 16384).host_ms, 51200));
}

/* A product with an eighth of the volume predicts better than one that is four times as thin. */
TEST(test_the_nearest_class_is_asked)
{
    vkblas_cost cost = {0};
    learn(&cost, VKBLAS_HOST, 4096, 4096, 128, 1000);
    learn(&cost, VKBLAS_HOST, 1024, 512, 512, 10);
    assert_true(is_about(expected_of(&cost, 2048, 2048, 512).host_ms, 80));
}

/* The device was measured with thick products only: a thin one needs at worst the same time per byte, 21 ms. */
TEST(test_thin_products_are_tried_with_care)
{
    const vkblas_extents thin = {8192, 8192, 16};
    vkblas_cost cost = {.opened = 1, .attempt_ms = 1};
    for (int i = 0; i < 2; i++) learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, 1);
    learn(&cost, VKBLAS_HOST, 8192, 8192, 16, 30);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, thin, 0, NULL), VKBLAS_TO_DEVICE);
    learn(&cost, VKBLAS_HOST, 8192, 8192, 16, 10);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, thin, 0, NULL), VKBLAS_TO_HOST);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, thin, 1000, NULL), VKBLAS_TO_TRY);
    learn(&cost, VKBLAS_DEVICE, 8192, 8192, 16, 100); /* one sample decides nothing, but shows the possible loss */
    cost.lost_ms = 0;
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, thin, 1000, NULL), VKBLAS_TO_HOST);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, thin, 10000, NULL), VKBLAS_TO_TRY);
}

TEST(test_the_first_of_a_kind_takes_longer)
{
    const vkblas_extents e = {2048, 1024, 1024};
    vkblas_cost cost = {.opened = 1, .attempt_ms = 50};
    for (int i = 0; i < 2; i++) learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, 1);
    learn(&cost, VKBLAS_HOST, 2048, 1024, 1024, 10);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, e, 0, NULL), VKBLAS_TO_HOST);
    learn(&cost, VKBLAS_DEVICE, 2048, 1024, 1024, 52);
    cost.lost_ms = 0;
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, e, 0, NULL), VKBLAS_TO_DEVICE);
}

/* What earlier programs have not lost is for products that take as long as half an attempt: 175 ms. */
TEST(test_short_products_do_not_spend_the_time_of_earlier_programs)
{
    for (int is_long = 0; is_long < 2; is_long++) {
        vkblas_cost cost = {.before_ms = 1e5};
        learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, is_long ? 180 : 170);
        assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, (vkblas_extents){1024, 1024, 1024}, 0, NULL),
                         is_long ? VKBLAS_TO_PROBE : VKBLAS_TO_HOST);
    }
}

TEST(test_a_device_must_be_clearly_faster)
{
    const vkblas_extents e = {1024, 1024, 1024};
    for (int faster = 0; faster < 2; faster++) {
        vkblas_cost cost = {.opened = 1};
        learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, 100);
        for (int i = 0; i < 2; i++) learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, faster ? 94 : 96);
        assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, e, 1e6, NULL), faster ? VKBLAS_TO_DEVICE : VKBLAS_TO_HOST);
    }
}

TEST(test_losses_are_paid_and_forgotten)
{
    vkblas_cost cost = {.lost_ms = 70};
    learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, 100);
    learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, 60);
    assert_true(is_about(cost.lost_ms, 30));
    learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, 60);
    assert_true(cost.lost_ms == 0); /* gains are no credit */
    learn(&cost, VKBLAS_DEVICE, 1024, 1024, 1024, 140);
    assert_true(is_about(cost.lost_ms, 40));
    vkblas_cost_end(&cost, 2e5);
    assert_true(cost.lost_ms == 0 && is_about(cost.before_lost_ms, 20) && cost.before_ms == 1e5);
}

TEST(test_costs_are_kept)
{
    vkblas_cost cost = {0}, read = {0};
    char text[8192];
    program(&fast, &cost, (vkblas_extents){4096, 4096, 4096}, 1000);
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_Z, (vkblas_extents){512, 512, 512}, 0); /* the smallest cost */
    FILE *file = fmemopen(text, sizeof text, "w");
    vkblas_cost_write(&cost, "key", file);
    fclose(file);
    file = fmemopen(text, strlen(text), "r");
    assert_false(vkblas_cost_read(&read, "another", file));
    fclose(file);
    file = fmemopen(text, strlen(text), "r");
    assert_true(vkblas_cost_read(&read, "key", file));
    fclose(file);
    assert_memory_equal(cost.known, read.known, sizeof cost.known);
    vkblas_expected before, after;
    const vkblas_extents e = {6000, 5000, 3000};
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, e, 1e5, &before),
                     vkblas_cost_choose(&read, VKBLAS_S, e, 1e5, &after));
    assert_true(before.host_ms > 0 && fabs(before.host_ms - after.host_ms) < 0.01 * before.host_ms);
    assert_true(before.device_ms > 0 && fabs(before.device_ms - after.device_ms) < 0.01 * before.device_ms);
    assert_true(fabs(cost.open_ms - read.open_ms) < 1e-3);
    assert_true(read.before_ms > 0 && fabs(cost.before_ms - read.before_ms) < 1e-3);
}

TEST(test_damaged_files_are_ignored)
{
    static const char text[] = "key\nopen -5\nattempt nan\ncell 2 0 30 10 5000 1\ncell 0 6 30 10 5000 1\n"
                               "cell 0 0 48 10 5000 1\ncell 0 0 30 16 5000 1\ncell 0 0 30 10 0 1\ncell 0 0 30 10 -1 1\n"
                               "cell 0 0 30 10 99999999999999999999 1\ncell 0 0 30\n\nrubbish\ncell 1 0 -1 -1 5 5\n";
    const vkblas_cost nothing = {0};
    vkblas_cost cost = {0};
    FILE *file = fmemopen((char *)(uintptr_t)text, sizeof text - 1, "r");
    assert_true(vkblas_cost_read(&cost, "key", file));
    fclose(file);
    assert_memory_equal(&cost, &nothing, sizeof cost);
}
