/* The costs of libvkblas, without a device: programs on simulated machines use a device that is faster, leave one alone
 * that is not, and lose little while they find out; what is kept is read again, what is damaged is not. */
#include "test.h"

#include "../../src/blas/cost.h"

/* Speeds in multiplications and bytes per millisecond. */
typedef struct machine {
    double host, device, bus, overhead_ms, open_ms, compile_ms;
} machine;

typedef struct run {
    double host_ms, ms; /* of the program with the host alone, and with libvkblas */
    int on_device, trials;
} run;

static double device_ms(const machine *m, vkblas_extents e)
{
    return m->overhead_ms + fmax(vkblas_cost_bytes(VKBLAS_S, e) / m->bus, vkblas_volume_of(e) / m->device);
}

/* What the next process knows. */
static void begin_process(vkblas_cost *cost)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    vkblas_cost_write(cost, "key", file);
    rewind(file);
    *cost = (vkblas_cost){0};
    assert_int_equal(vkblas_cost_read(cost, "key", file), 1);
    fclose(file);
}

/* A program of `calls` products, each of the next of `count` extents, as learned.c goes about it: a trial begins with a
 * call, and ends when the clock says so; it takes `slower` times as long as the same product by the program. */
static run program_of(const machine *m, vkblas_cost *cost, const vkblas_extents *extents, int count, int calls,
                      double slower)
{
    run r = {0};
    double trial_ends = -1;
    vkblas_extents tried = {0};
    begin_process(cost);
    for (int i = 0; i < calls; i++) {
        const vkblas_extents e = extents[i % count];
        if (trial_ends >= 0 && r.ms >= trial_ends) {
            const vkblas_extents as = vkblas_cost_trial(VKBLAS_S, tried);
            cost->open_ms = m->open_ms;
            cost->is_open = 1;
            cost->trials_ms += m->compile_ms;
            trial_ends = -1;
            vkblas_cost_learn(cost, VKBLAS_TRIAL, VKBLAS_S, tried,
                              slower * device_ms(m, as) * vkblas_volume_of(tried) / vkblas_volume_of(as));
        }
        const vkblas_choice choice = vkblas_cost_choose(cost, VKBLAS_S, e, NULL);
        const int opens = choice == VKBLAS_TO_OPEN && trial_ends < 0;
        const int device = opens || (choice == VKBLAS_TO_DEVICE && trial_ends < 0);
        if (choice == VKBLAS_TO_TRY && trial_ends < 0) {
            trial_ends = r.ms + (cost->is_open ? 0 : m->open_ms) + m->compile_ms;
            tried = e;
            r.trials++;
        }
        if (opens) cost->is_open = 1, r.ms += m->open_ms;
        const double host = vkblas_volume_of(e) / m->host, ms = device ? device_ms(m, e) : host;
        vkblas_cost_learn(cost, device ? VKBLAS_DEVICE : VKBLAS_HOST, VKBLAS_S, e, ms);
        r.host_ms += host;
        r.ms += ms;
        r.on_device += device;
    }
    return r;
}

static run program(const machine *m, vkblas_cost *cost, int64_t edge, int calls)
{
    const vkblas_extents e = {edge, edge, edge};
    return program_of(m, cost, &e, 1, calls, 3);
}

/* An NVIDIA H100 beside 16 processors; a GPU that is slower than the host. */
static const machine fast = {5e8, 2e10, 3e7, 0.2, 300, 300}, slow = {5e8, 1e8, 1e7, 0.2, 600, 300};

TEST(test_a_faster_device_is_used)
{
    vkblas_cost cost = {0};
    const run first = program(&fast, &cost, 4096, 20); /* of 137 ms */
    assert_in_range(first.on_device, 14, 16);          /* all but those that began within 600 ms */
    const run second = program(&fast, &cost, 4096, 20);
    assert_in_range(second.on_device, 14, 16); /* while the device opens */
    const run large = program(&fast, &cost, 16384, 3);
    assert_true(large.on_device >= 1 && large.ms < large.host_ms);
    assert_int_equal(program(&fast, &cost, 16384, 3).on_device, 3); /* opening takes less than the host's product */
}

TEST(test_a_slower_device_is_left_alone)
{
    vkblas_cost cost = {0};
    const run first = program(&slow, &cost, 2048, 1000);
    assert_int_equal(first.trials, 1);
    assert_int_equal(first.on_device, 0);
    const run second = program(&slow, &cost, 2048, 1000);
    assert_int_equal(second.trials + second.on_device, 0);
}

/* A trial is pessimistic, or not: two products of the program decide. */
TEST(test_what_a_trial_leaves_open_is_found_out)
{
    const vkblas_extents e = {1024, 1024, 1024};
    for (int faster = 0; faster < 2; faster++) {
        machine m = {5e8, 1e12, 1e12, 0, 300, 100};
        vkblas_cost cost = {0};
        m.overhead_ms = vkblas_volume_of(e) / m.host * (faster ? 0.85 : 0.95);
        const run r = program_of(&m, &cost, &e, 1, 3000, faster ? 3 : 1);
        if (faster)
            assert_true(r.on_device > 1500);
        else
            assert_int_equal(r.on_device, 2);
    }
}

/* A class is tried after a second of one process. */
TEST(test_short_programs_do_not_open_the_device)
{
    vkblas_cost cost = {0};
    assert_int_equal(program(&fast, &cost, 1024, 400).trials, 0); /* 860 ms */
    assert_int_equal(program(&fast, &cost, 512, 400).trials, 0);
    assert_int_equal(program(&fast, &cost, 1024, 400).trials, 0);
    assert_int_equal(program(&fast, &cost, 1024, 500).trials, 1);
}

/* Products of 20 ms and more are tried after 0.3 s. */
TEST(test_long_products_are_tried_early)
{
    const machine m = {4e8, 2e10, 3e7, 0.2, 300, 300}; /* 21.5 ms for 2048^3 */
    vkblas_cost cost = {0};
    assert_int_equal(program(&m, &cost, 2048, 14).trials, 0);
    assert_int_equal(program(&m, &cost, 2048, 30).trials, 1); /* before 1 s */
    const run second = program(&m, &cost, 2048, 60);
    assert_in_range(second.on_device, 15, 18); /* all but those that began within 900 ms */
}

/* Programs of many shapes try what may pay, within the processor time that trials may take. */
TEST(test_trials_are_limited)
{
    vkblas_extents extents[40];
    for (int i = 0; i < 40; i++) extents[i] = (vkblas_extents){64 << i % 5, 64 << i / 5 % 8, 512 << i / 20};
    vkblas_cost cost = {0};
    const run r = program_of(&fast, &cost, extents, 40, 40000, 3);
    assert_true(r.trials >= 2);
    assert_true(cost.trials_ms <= 500 + 0.02 * cost.host_ms + fast.compile_ms);
    assert_true(r.ms < r.host_ms);
}

/* Whatever the machine and the sizes are: two products of each class at most, which take as long as their trial. */
TEST(test_no_program_loses_much)
{
    const machine machines[] = {
        fast, slow, {1e9, 1e6, 1e6, 5, 3000, 1000}, {1e8, 1e9, 1e6, 0.1, 200, 100}, {1e9, 1.1e9, 1e7, 0.1, 100, 5}};
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (int64_t edge = 256; edge <= 8192; edge *= 2)
            for (int64_t thin = 1; thin <= 64; thin *= 8) {
                const vkblas_extents e = {edge, edge / thin, edge};
                vkblas_cost cost = {0};
                const run r = program_of(&machines[i], &cost, &e, 1, 300, 1);
                assert_true(r.ms <= r.host_ms + 4 * vkblas_volume_of(e) / machines[i].host);
            }
}

static const char *reason(vkblas_cost *cost)
{
    vkblas_turn turn;
    vkblas_cost_choose(cost, VKBLAS_S, (vkblas_extents){1024, 1024, 1024}, &turn);
    return turn.why;
}

TEST(test_each_choice_has_a_reason)
{
    vkblas_cost cost = {0};
    const vkblas_extents e = {1024, 1024, 1024};
    assert_string_equal(reason(&cost), "the device is tried after 1 s of such calls");
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_S, e, 2000);
    assert_string_equal(reason(&cost), "the device is being tried");
    cost.trials_ms = 1e6;
    assert_string_equal(reason(&cost), "trials have taken their share of the time");
    vkblas_cost_learn(&cost, VKBLAS_TRIAL, VKBLAS_S, e, 5);
    assert_string_equal(reason(&cost), "the device is faster"); /* and opened for this product */
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_S, e, 20);
    assert_string_equal(reason(&cost), "opening the device would take longer than it has saved so far");
    assert_string_equal(reason(&cost), "the device is being opened");
    cost.is_open = 1;
    assert_string_equal(reason(&cost), "the device is faster");
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_S, e, 1);
    assert_string_equal(reason(&cost), "the host is faster");
    cost.never[VKBLAS_S] = 1;
    assert_string_equal(reason(&cost), "the device has no such products");
}

TEST(test_a_type_that_the_device_lacks)
{
    vkblas_cost cost = {.is_open = 1};
    const vkblas_extents e = {8192, 8192, 8192};
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, NULL), VKBLAS_TO_TRY);
    cost.never[VKBLAS_D] = 1;
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, NULL), VKBLAS_TO_HOST);
    vkblas_cost_forget_device(&cost);
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_D, e, NULL), VKBLAS_TO_TRY);
}

static double host_ms(vkblas_cost *cost, int64_t m, int64_t n, int64_t k)
{
    vkblas_turn turn;
    vkblas_cost_choose(cost, VKBLAS_S, (vkblas_extents){m, n, k}, &turn);
    return turn.host_ms;
}

static void learn(vkblas_cost *cost, vkblas_place where, int64_t m, int64_t n, int64_t k, double ms)
{
    vkblas_cost_learn(cost, where, VKBLAS_S, (vkblas_extents){m, n, k}, ms);
}

static int is_about(double x, double y)
{
    return fabs(x - y) < 1e-5 * y;
}

TEST(test_one_slow_product_says_little)
{
    vkblas_cost cost = {0};
    const double times[] = {100, 300, 80, 8000, 8}, kept[] = {100, 100, 80, 82.5, 8};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        learn(&cost, VKBLAS_HOST, 1024, 1024, 1024, times[i]);
        assert_true(is_about(host_ms(&cost, 1024, 1024, 1024), kept[i]));
    }
}

/* From 2048^3 on all are alike; below, six powers of two are too far. */
TEST(test_small_products_say_nothing_of_large_ones)
{
    vkblas_cost cost = {0};
    learn(&cost, VKBLAS_HOST, 256, 256, 256, 1);
    assert_true(is_about(host_ms(&cost, 1024, 1024, 1024), 64));
    assert_true(host_ms(&cost, 2048, 1024, 1024) < 0);
    learn(&cost, VKBLAS_HOST, 2048, 2048, 2048, 100);
    assert_true(is_about(host_ms(&cost, 16384, 16384, 16384), 51200));
}

/* A product with an eighth of the volume predicts better than one that is four times as thin. */
TEST(test_the_nearest_class_is_asked)
{
    vkblas_cost cost = {0};
    learn(&cost, VKBLAS_HOST, 4096, 4096, 128, 1000);
    learn(&cost, VKBLAS_HOST, 1024, 512, 512, 10);
    assert_true(is_about(host_ms(&cost, 2048, 2048, 512), 80));
}

/* Thick products were tried. A thin one takes at best a third of their time per multiplication: 0.33 ms. */
TEST(test_classes_are_tried_where_a_neighbour_may_gain)
{
    for (int may = 0; may < 2; may++) {
        vkblas_cost cost = {.is_open = 1};
        learn(&cost, VKBLAS_TRIAL, 1024, 1024, 1024, 1);
        for (int i = 0; i < 3000; i++) learn(&cost, VKBLAS_HOST, 8192, 8192, 16, may ? 0.38 : 0.36);
        assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, (vkblas_extents){8192, 8192, 16}, NULL),
                         may ? VKBLAS_TO_TRY : VKBLAS_TO_HOST);
    }
}

TEST(test_trials_need_little_memory)
{
    const vkblas_extents small = {4096, 4096, 4096}, e = vkblas_cost_trial(VKBLAS_D, small),
                         cut = vkblas_cost_trial(VKBLAS_D, (vkblas_extents){40000, 20000, 3});
    assert_memory_equal(&e, &small, sizeof e);
    assert_true(cut.m == 5000 && cut.n == 10000 && cut.k == 3);
}

static int read_text(vkblas_cost *cost, const char *key, const char *text)
{
    FILE *file = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
    const int is_read = vkblas_cost_read(cost, key, file);
    fclose(file);
    return is_read;
}

TEST(test_costs_are_kept)
{
    vkblas_cost cost = {0}, read = {0};
    char text[8192];
    program(&fast, &cost, 4096, 100);
    vkblas_cost_learn(&cost, VKBLAS_HOST, VKBLAS_Z, (vkblas_extents){512, 512, 512}, 0); /* the smallest cost */
    FILE *file = fmemopen(text, sizeof text, "w");
    vkblas_cost_write(&cost, "key", file);
    fclose(file);
    assert_false(read_text(&read, "another", text));
    assert_true(read_text(&read, "key", text));
    vkblas_turn before, after;
    const vkblas_extents e = {5000, 5000, 5000};
    read.is_open = 1;
    assert_int_equal(vkblas_cost_choose(&cost, VKBLAS_S, e, &before), VKBLAS_TO_DEVICE);
    assert_int_equal(vkblas_cost_choose(&read, VKBLAS_S, e, &after), VKBLAS_TO_DEVICE);
    assert_true(before.host_ms > 0 && fabs(before.host_ms - after.host_ms) < 0.01 * before.host_ms);
    assert_true(before.gpu_ms > 0 && fabs(before.gpu_ms - after.gpu_ms) < 0.01 * before.gpu_ms);
    assert_true(fabs(cost.open_ms - read.open_ms) < 1e-3);
}

TEST(test_damaged_files_are_ignored)
{
    static const char text[] =
        "key\nopen -5\nopen nan\nclass 3 0 30 10 5000 1\nclass 0 6 30 10 5000 1\n"
        "class 0 0 48 10 5000 1\nclass 0 0 30 16 5000 1\nclass 0 0 30 10 0 1\nclass 0 0 30 10 -1 1\n"
        "class 0 0 30 10 99999999999999999999 1\nclass 0 0 30 10 5000 0\nclass 0 0 30 10 5000\nclass 0 0 "
        "30\n\nrubbish\nclass 1 0 -1 -1 5 5\n";
    const vkblas_cost nothing = {0};
    vkblas_cost cost = {0};
    assert_true(read_text(&cost, "key", text));
    assert_memory_equal(&cost, &nothing, sizeof cost);
}
