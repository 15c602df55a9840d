/* The tile sum: right with its barrier on every size, tile and grid; the count of what went wrong without it is
 * honest. Whether a race shows is the driver's affair, so no test asks for it: that the two versions differ is read
 * from their SPIR-V. */
#include "suite.h"

#include "base/alloc.h"
#include "base/random.h"
#include "look/race.h"

static suite_device suite;
SUITE_MAIN(suite)

typedef struct sums {
    vkmm_race_params params;
    vkmm_race_result result;
    int32_t *values, *expected;
} sums;

/* Element by element, whatever tile it lies in: not how the library does it. */
static void expect(sums *s, uint32_t tile_rows, uint32_t tile_cols)
{
    const uint32_t rows = s->params.rows, cols = s->params.cols;
    for (uint32_t i = 0; i < rows * cols; i++) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < rows * cols; j++) {
            int same_tile =
                i / cols / tile_rows == j / cols / tile_rows && i % cols / tile_cols == j % cols / tile_cols;
            if (same_tile) sum += (uint32_t)s->values[j];
        }
        s->expected[i] = (int32_t)sum;
    }
}

static void start(sums *s, uint32_t rows, uint32_t cols, uint64_t seed)
{
    const size_t count = (size_t)rows * cols;
    memset(s, 0, sizeof *s);
    s->params.rows = rows;
    s->params.cols = cols;
    s->params.right = keep_object(vkmm_alloc(count, 4), vkmm_free);
    s->params.without_barrier = keep_object(vkmm_alloc(count, 4), vkmm_free);
    s->expected = keep_object(vkmm_alloc(count, 4), vkmm_free);
    s->values = keep_object(vkmm_alloc(count, 4), vkmm_free);
    for (size_t i = 0; i < count; i++) s->values[i] = (int32_t)(uint32_t)vkmm_random_bits(seed, i);
    s->params.values = s->values;
}

/* The count of the version without its barrier says what its matrix shows. */
static void check_count(const sums *s)
{
    const vkmm_race_count *count = &s->result.without_barrier;
    const int32_t *matrix = s->params.without_barrier;
    const uint64_t elements = (uint64_t)s->params.rows * s->params.cols;
    uint64_t first = elements, wrong = 0;
    for (uint64_t i = elements; i-- > 0;) {
        if (matrix[i] == s->expected[i]) continue;
        first = i;
        wrong++;
    }
    assert_true(count->wrong_runs <= s->params.runs);
    if (count->wrong_runs == 0) {
        assert_int_equal(wrong, 0);
        return;
    }
    assert_true(wrong > 0);
    assert_int_equal((uint64_t)count->row * s->params.cols + count->col, first);
    assert_int_equal(count->got, matrix[first]);
    assert_int_equal(count->want, s->expected[first]);
    assert_true(count->wrong_elements >= wrong + count->wrong_runs - 1);
    assert_true(count->wrong_elements <= elements * count->wrong_runs);
}

static void run(sums *s)
{
    assert_ok(vkmm_race_run(suite.device, &s->params, &s->result));
    expect(s, s->result.kernel.tile[0], s->result.kernel.tile[1]);
    const vkmm_race_count none = {0};
    assert_memory_equal(s->params.right, s->expected, (size_t)s->params.rows * s->params.cols * 4);
    assert_memory_equal(&s->result.with_barrier, &none, sizeof none);
    check_count(s);
}

TEST(right_on_random_sizes_and_tiles)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint32_t pick[5];
        for (uint64_t i = 0; i < 5; i++) pick[i] = (uint32_t)vkmm_random_bits(1000 + seed, i);
        sums s;
        start(&s, 1 + pick[0] % 50, 1 + pick[1] % 50, seed);
        s.params.tile_rows = 1 + pick[2] % 16;
        s.params.tile_cols = 1 + pick[3] % 16;
        s.params.runs = 1 + pick[4] % 4;
        run(&s);
        assert_int_equal(s.result.kernel.tile[0], s.params.tile_rows);
        assert_int_equal(s.result.kernel.tile[1], s.params.tile_cols);
    }
}

/* A device that takes few workgroups at once: each sums several tiles in turn, in the same shared memory. */
TEST(right_with_few_workgroups)
{
    const vkmm_device_info whole = *suite.info;
    for (uint32_t limit = 1; limit <= 3; limit++) {
        sums s;
        start(&s, 40, 45, limit);
        s.params.tile_rows = 4;
        s.params.tile_cols = 16;
        s.params.runs = 5;
        suite.info->limits.max_workgroup_count[0] = suite.info->limits.max_workgroup_count[1] = limit;
        run(&s);
        *suite.info = whole;
        assert_int_equal(s.result.kernel.groups[0], limit);
        assert_int_equal(s.result.kernel.groups[1], limit);
    }
}

TEST(refuses_what_cannot_be_summed)
{
    vkmm_race_result result = {.kernel.name = "none"};
    const vkmm_race_params empty = {.rows = 0, .cols = 5},
                           large = {.rows = 64, .cols = 64, .tile_rows = 4096, .tile_cols = 4096},
                           tile = {.rows = 64, .cols = 64, .tile_rows = 8, .tile_cols = 8};
    assert_int_equal(vkmm_race_run(suite.device, &empty, &result), VKMM_INVALID);
    assert_int_equal(vkmm_race_run(suite.device, &large, &result), VKMM_UNSUPPORTED);
    suite.info->limits.max_shared_bytes = 255; /* suite_after restores it */
    assert_int_equal(vkmm_race_run(suite.device, &tile, &result), VKMM_UNSUPPORTED);
    assert_string_equal(result.kernel.name, "none");
}

/* OpControlBarrier in a module: every instruction starts with its length and its number. */
static int barriers(const char *name)
{
    const vkmm_module *module = vkmm_module_find(name, VKMM_I32, VKMM_BUILD_PLAIN);
    int count = 0;
    assert_non_null(module);
    for (size_t at = 5; at < module->bytes / 4; at += module->words[at] >> 16)
        count += (module->words[at] & 0xffff) == 224;
    return count;
}

TEST(the_versions_are_one_barrier_apart)
{
    assert_int_equal(barriers("tile_sum"), 3);
    assert_int_equal(barriers("tile_sum-no-barrier"), 2);
}
