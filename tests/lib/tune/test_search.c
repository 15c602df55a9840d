/* The search on speeds that are formulas: it must reach the fastest point of a space of thousands within a number of
 * candidates that a minute has room for. */
#include "unit.h"

#include "base/alloc.h"
#include "tune/search.h"

static const vkmm_tunable wide[VKMM_MAX_TUNABLES] = {
    {.name = "rows", .spec_id = 2, .count = 5, .values = {16, 32, 64, 128, 256}},
    {.name = "cols", .spec_id = 3, .count = 5, .values = {16, 32, 64, 128, 256}},
    {.name = "depth", .spec_id = 4, .count = 5, .values = {4, 8, 16, 32, 64}},
    {.name = "thread_rows", .spec_id = 8, .count = 5, .values = {1, 2, 4, 8, 16}},
    {.name = "thread_cols", .spec_id = 9, .count = 5, .values = {1, 2, 4, 8, 16}},
    {.name = "splits", .spec_id = 0, .count = 7, .values = {1, 2, 3, 4, 8, 16, 32}},
    {.name = "order", .spec_id = 10, .count = 4, .values = {1, 2, 4, 8}},
};
static const vkmm_tunable narrow[VKMM_MAX_TUNABLES] = {{.name = "rows", .spec_id = 2, .count = 3, .values = {1, 2, 4}},
                                                       {.name = "cols", .spec_id = 3, .count = 2, .values = {64, 128}}};
static const vkmm_kernel wide_kernel = {.name = "wide", .tunables = wide};
static const vkmm_kernel narrow_kernel = {.name = "narrow", .tunables = narrow};
static const vkmm_kernel plain_kernel = {.name = "plain"};

static uint32_t invocations(const vkmm_config *config)
{
    const uint32_t *v = config->values;
    return v[VKMM_TUNE_ROWS] / v[VKMM_TUNE_THREAD_ROWS] * (v[VKMM_TUNE_COLS] / v[VKMM_TUNE_THREAD_COLS]);
}

static int legal(const void *user, const vkmm_kernel *kernel, const vkmm_config *config)
{
    (void)user;
    const uint32_t *v = config->values;
    if (kernel != &wide_kernel) return kernel == &narrow_kernel;
    if (v[VKMM_TUNE_ROWS] < v[VKMM_TUNE_THREAD_ROWS] || v[VKMM_TUNE_COLS] < v[VKMM_TUNE_THREAD_COLS]) return 0;
    return invocations(config) <= 256 && (v[VKMM_TUNE_ROWS] + v[VKMM_TUNE_COLS]) * v[VKMM_TUNE_DEPTH] * 4 <= 32768;
}

static double apart(uint32_t value, uint32_t best)
{
    double steps = log2((double)value / best);
    return steps * steps;
}

/* Each value has a best one, as have the size of a workgroup and the work of an invocation, so that tunables depend
 * on one another. */
static double wide_ms(const vkmm_config *config)
{
    const uint32_t *v = config->values;
    double work = v[VKMM_TUNE_THREAD_ROWS] * v[VKMM_TUNE_THREAD_COLS];
    double slow = 0.1 * apart(v[VKMM_TUNE_ROWS], 128) + 0.1 * apart(v[VKMM_TUNE_COLS], 64) +
                  0.05 * apart(v[VKMM_TUNE_DEPTH], 16) + 0.1 * apart(v[VKMM_TUNE_SPLITS], 3) +
                  0.02 * apart(v[VKMM_TUNE_OWN], 4) + 0.3 * apart(invocations(config), 256) +
                  0.2 * fabs(log2(work / 32));
    return 10 * (1 + slow);
}

static double ms_of(const vkmm_point *point)
{
    if (point->kernel == &plain_kernel) return 60;
    if (point->kernel == &narrow_kernel) return point->config.values[VKMM_TUNE_ROWS] == 2 ? 35 : 40;
    return wide_ms(&point->config);
}

static vkmm_search_space space_of_both(void)
{
    return (vkmm_search_space){.kernels = {&wide_kernel, &narrow_kernel}, .kernel_count = 2, .legal = legal};
}

static vkmm_config config_of(uint32_t rows, uint32_t cols, uint32_t depth, uint32_t thread_rows, uint32_t thread_cols,
                             uint32_t splits)
{
    vkmm_config config = {{rows, cols, depth, thread_rows, thread_cols, splits}};
    for (int i = VKMM_TUNE_OWN; i < VKMM_MAX_TUNABLES; i++) config.values[i] = 1;
    return config;
}

/* The fastest of all legal points, by looking at every one of them. */
static double fastest(void)
{
    double best = INFINITY;
    uint32_t size = 1;
    for (int t = 0; t <= VKMM_TUNE_OWN; t++) size *= wide[t].count;
    for (uint32_t i = 0; i < size; i++) {
        vkmm_config config = config_of(1, 1, 1, 1, 1, 1);
        uint32_t left = i;
        for (int t = 0; t <= VKMM_TUNE_OWN; t++) {
            config.values[t] = wide[t].values[left % wide[t].count];
            left /= wide[t].count;
        }
        if (legal(NULL, &wide_kernel, &config) && wide_ms(&config) < best) best = wide_ms(&config);
    }
    return best;
}

/* Candidates until the fastest point was named; 0: not within `most`. */
static uint32_t candidates_needed(const vkmm_point *seeds, uint32_t seed_count, uint32_t most, double wanted)
{
    vkmm_search_space space = space_of_both();
    vkmm_search *search = vkmm_search_create(&space, seeds, seed_count);
    vkmm_point point;
    uint32_t needed = 0;
    assert_non_null(search);
    for (uint32_t i = 1; i <= most && needed == 0; i++) {
        assert_true(vkmm_search_next(search, &point));
        double ms = ms_of(&point);
        if (ms <= wanted) needed = i;
        vkmm_search_tell(search, &point, ms);
    }
    vkmm_search_destroy(&search);
    return needed;
}

TEST(finds_the_fastest)
{
    double best = fastest();
    const vkmm_config starts[] = {config_of(16, 16, 4, 1, 1, 1), config_of(64, 64, 16, 4, 4, 1),
                                  config_of(256, 16, 8, 16, 4, 32), config_of(16, 256, 8, 2, 16, 8),
                                  config_of(48, 48, 16, 6, 6, 5)};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        vkmm_point seeds[] = {{&wide_kernel, starts[i]}, {&narrow_kernel, config_of(1, 64, 1, 1, 1, 1)}};
        assert_in_range(candidates_needed(seeds, 2, 150, best), 1, 150);
    }
}

TEST(names_the_seeds_first_and_everything_once)
{
    vkmm_search_space space = {.kernels = {&narrow_kernel}, .kernel_count = 1, .legal = legal};
    vkmm_point seeds[3] = {{&plain_kernel, config_of(1, 1, 1, 1, 1, 1)},
                           {&narrow_kernel, config_of(4, 64, 1, 1, 1, 1)}},
               point, again;
    seeds[2] = seeds[0]; /* twice */
    vkmm_search *search = vkmm_search_create(&space, seeds, 3);
    assert_int_equal(vkmm_search_size(search), 1 + 6);
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t count;
        assert_true(vkmm_search_next(search, &point));
        assert_true(vkmm_search_next(search, &again)); /* not told of: the same */
        assert_true(vkmm_point_same(&point, &again));
        if (i < 2) assert_true(vkmm_point_same(&point, &seeds[i]));
        const vkmm_tried *tried = vkmm_search_ranking(search, &count);
        for (uint32_t j = 0; j < count; j++) assert_false(vkmm_point_same(&tried[j].point, &point));
        vkmm_search_tell(search, &point, i % 3 == 0 ? 0 : ms_of(&point));
    }
    assert_false(vkmm_search_next(search, &point));
    vkmm_search_destroy(&search);
    assert_null(search);
    vkmm_search_destroy(&search);
}

TEST(ranks_what_it_is_told)
{
    vkmm_search_space space = space_of_both();
    vkmm_point seed = {&wide_kernel, config_of(64, 64, 16, 4, 4, 1)}, other = seed, bad = seed;
    other.config.values[VKMM_TUNE_DEPTH] = 8;
    bad.config.values[VKMM_TUNE_DEPTH] = 4;
    vkmm_search *search = vkmm_search_create(&space, &seed, 1);
    uint32_t count;
    vkmm_search_tell(search, &seed, 9);
    vkmm_search_tell(search, &bad, -1);
    vkmm_search_tell(search, &other, 7);
    vkmm_search_tell(search, &other, 1); /* the first word counts */
    const vkmm_tried *tried = vkmm_search_ranking(search, &count);
    assert_int_equal(count, 3);
    assert_true(vkmm_point_same(&tried[0].point, &other) && tried[0].ms == 7);
    assert_true(vkmm_point_same(&tried[1].point, &seed) && tried[1].ms == 9);
    assert_true(vkmm_point_same(&tried[2].point, &bad) && tried[2].ms == 0);
    vkmm_search_tell(search, &tried[0].point, 0); /* but a failure does at any time */
    tried = vkmm_search_ranking(search, &count);
    assert_int_equal(count, 3);
    assert_true(vkmm_point_same(&tried[0].point, &seed) && tried[0].ms == 9);
    assert_true(vkmm_point_same(&tried[2].point, &other) && tried[2].ms == 0);
    vkmm_search_destroy(&search);
}

static int always(const void *user, const vkmm_kernel *kernel, const vkmm_config *config)
{
    (void)user, (void)kernel, (void)config;
    return 1;
}

/* A space too large to list, here 10^12 points, is sampled and climbed in all the same. */
TEST(samples_large_spaces)
{
    vkmm_tunable many[VKMM_MAX_TUNABLES];
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++)
        many[i] = (vkmm_tunable){.name = "x", .spec_id = 0, .count = 10, .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    const vkmm_kernel kernel = {.name = "many", .tunables = many};
    const vkmm_search_space space = {.kernels = {&kernel}, .kernel_count = 1, .legal = always};
    vkmm_point point = {.kernel = &kernel};
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++) point.config.values[i] = 5;
    vkmm_search *search = vkmm_search_create(&space, &point, 1);
    assert_non_null(search);
    assert_int_equal(vkmm_search_size(search), UINT32_MAX);
    for (int i = 0; i < 200; i++) {
        uint32_t sum = 0;
        assert_true(vkmm_search_next(search, &point));
        for (int v = 0; v < VKMM_MAX_TUNABLES; v++) {
            assert_in_range(point.config.values[v], 1, 10);
            sum += point.config.values[v];
        }
        vkmm_search_tell(search, &point, sum);
    }
    uint32_t count;
    assert_true(vkmm_search_ranking(search, &count)[0].ms < 30); /* from 60 */
    vkmm_search_destroy(&search);
}

TEST(survives_without_memory)
{
    vkmm_search_space space = space_of_both();
    vkmm_point seed = {&wide_kernel, config_of(64, 64, 16, 4, 4, 1)}, point;
    for (uint64_t n = 1;; n++) {
        vkmm_alloc_fail_after(n);
        vkmm_search *search = vkmm_search_create(&space, &seed, 1);
        int told = search != NULL && vkmm_search_next(search, &point) && vkmm_search_tell(search, &point, 1);
        vkmm_alloc_fail_after(0);
        vkmm_search_destroy(&search);
        if (told) {
            assert_in_range(n, 4, 10);
            return;
        }
    }
}
