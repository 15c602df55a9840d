/* Counted on the device by the kernels' own shaders: as often as the formulas say. Random problems and tiles, ragged
 * and empty ones too. */
#include "base/random.h"
#include "look/access.h"
#include "look/kernel.h"
#include "suite.h"

enum { PROBLEMS = 12, ALIKE = 3, EXTENT = 70, SIDE = 20 };

static suite_device suite;
SUITE_MAIN(suite)

static vkmm_job_params params_of(const char *kernel, vkmm_problem problem, vkmm_tile wanted)
{
    vkmm_tile tile = vkmm_tile_nearest(vkmm_kernel_find(kernel), problem.type, wanted, suite.info);
    return (vkmm_job_params){.problem = problem, .kernel = kernel, .tile_rows = tile.rows, .tile_cols = tile.cols};
}

static void count(const vkmm_job_params *params, vkmm_access *formula, vkmm_access *counted)
{
    vkmm_kernel_info info;
    assert_ok(vkmm_kernel_choose(&suite.instance->log, suite.info, params, &info));
    assert_ok(vkmm_access_formula(&info, &params->problem, formula));
    assert_ok(vkmm_access_count(suite.device, params, counted));
}

static void check(const char *kernel, vkmm_problem problem, vkmm_tile tile)
{
    vkmm_access formula, counted;
    vkmm_job_params params = params_of(kernel, problem, tile);
    count(&params, &formula, &counted);
    if (!vkmm_access_equal(&formula, &counted)) /* `vkmatmul explain` shows where they differ */
        fail_msg("%s, %llux%llux%llu, tile %ux%u", kernel, (unsigned long long)problem.m, (unsigned long long)problem.n,
                 (unsigned long long)problem.k, params.tile_rows, params.tile_cols);
}

typedef struct draws {
    uint64_t seed, next;
} draws;

static uint64_t draw(draws *stream)
{
    return vkmm_random_bits(stream->seed, stream->next++);
}

/* Mostly ragged; a fifth of the extents are 0, 1 or a whole number of tiles. */
static uint64_t extent(draws *stream, uint32_t side)
{
    uint64_t pick = draw(stream) % 15;
    if (pick < 2) return pick;
    return pick == 2 ? 2 * side : 1 + draw(stream) % EXTENT;
}

/* Several problems share a type and a tile: drivers compile each pair for long. */
TEST(random_problems)
{
    const char *given = getenv("VKMM_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    draws stream = {seed, 0};
    vkmm_tutorial tutorial;
    vkmm_tile tile = {0};
    printf("# VKMM_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (int i = 0; i < PROBLEMS; i++) {
        const int pair = i / ALIKE;
        if (i % ALIKE == 0)
            tile = (vkmm_tile){1 + (uint32_t)(draw(&stream) % SIDE), 1 + (uint32_t)(draw(&stream) % SIDE)};
        uint64_t m = extent(&stream, tile.rows), n = extent(&stream, tile.cols), k = extent(&stream, tile.cols);
        vkmm_type type = (vkmm_type)(VKMM_F32 + pair % SUITE_LAST_TYPE);
        if (!suite_has_type(&suite, type)) type = VKMM_F32;
        for (uint32_t kernel = 0; vkmm_tutorial_at(kernel, &tutorial); kernel++)
            /* Another row's shader: what differs between the two is no matter of types. */
            if (!tutorial.on_host && suite_is_wanted(tutorial.name) &&
                (pair % 3 == 0 || !vkmm_kernel_find(tutorial.name)->shader))
                check(tutorial.name, VKMM_PROBLEM(.m = m, .n = n, .k = k, .type = type), tile);
    }
}

TEST(empty_problems)
{
    vkmm_tutorial tutorial;
    for (int empty = 1; empty < 8; empty++)
        for (uint32_t kernel = 0; vkmm_tutorial_at(kernel, &tutorial); kernel++)
            if (!tutorial.on_host && suite_is_wanted(tutorial.name))
                check(tutorial.name,
                      VKMM_PROBLEM(.m = empty & 1 ? 0 : 5, .n = empty & 2 ? 0 : 7, .k = empty & 4 ? 0 : 3,
                                   .type = VKMM_I32),
                      (vkmm_tile){2, 4});
}

/* Large enough that only a sample is counted, on an extent that no tile divides. */
TEST(sample)
{
    vkmm_access formula, counted;
    vkmm_job_params params =
        params_of("tiled", VKMM_PROBLEM(.m = 520, .n = 662, .k = 257, .type = VKMM_F32), (vkmm_tile){16, 16});
    count(&params, &formula, &counted);
    assert_true(counted.stride > 1);
    assert_int_equal(counted.k, 65); /* four steps of 16, and the last one */
    assert_true(vkmm_access_equal(&formula, &counted));
}
