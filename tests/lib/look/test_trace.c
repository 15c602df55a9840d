/* What the tracing builds of all kernels record, against a model on the host that knows nothing of them but their
 * definition. */
#include "base/alloc.h"
#include "base/random.h"
#include "look/kernel.h"
#include "look/trace.h"
#include "math/matrix.h"
#include "suite.h"

enum { ALIKE = 2, FOR_ONE = 3, MOST = 16 * 16 }; /* FOR_ONE: rounds of a single kernel */

static suite_device suite;
SUITE_MAIN(suite)
static char current[160]; /* the trace being looked at */

/* One random problem. */
typedef struct trial {
    vkmm_trace_params params;
    int linear, band, tiled, downward;
    const vkmm_kernel *kernel;
    uint32_t max_groups; /* 0: no limit of the test's */
    double a[MOST], b[MOST];
    char data[2][8 * MOST];
} trial;

static uint64_t seed, draws;

static uint32_t draw(uint32_t least, uint32_t most)
{
    return least + (uint32_t)(vkmm_random_bits(seed, draws++) % (most - least + 1));
}

/* Floats get small whole numbers, whose sums are exact in any order of rounding; integers get all bits, and wrap. */
static void fill(trial *t)
{
    const vkmm_problem *p = &t->params.job.problem;
    vkmm_init init = p->type == VKMM_F32 || p->type == VKMM_F64 ? VKMM_INIT_INT : VKMM_INIT_UNIFORM;
    vkmm_fill(t->data[0], p->m, p->k, p->type, init, draw(0, 1000));
    vkmm_fill(t->data[1], p->k, p->n, p->type, init, draw(0, 1000));
    vkmm_view a = vkmm_view_rows(t->data[0], p->m, p->k, p->type), b = vkmm_view_rows(t->data[1], p->k, p->n, p->type);
    for (uint64_t i = 0; i < p->m * p->k; i++) t->a[i] = vkmm_view_get(&a, i / p->k, i % p->k);
    for (uint64_t i = 0; i < p->k * p->n; i++) t->b[i] = vkmm_view_get(&b, i / p->n, i % p->n);
    t->params.a = t->data[0];
    t->params.b = t->data[1];
}

/* Those that compute only the plain product, one after the other; NULL: no more. */
static const vkmm_kernel *kernel_at(uint32_t index)
{
    vkmm_tutorial tutorial;
    for (uint32_t i = 0; vkmm_tutorial_at(i, &tutorial); i++)
        if (!tutorial.on_host && suite_is_wanted(tutorial.name) && index-- == 0) return vkmm_kernel_find(tutorial.name);
    return NULL;
}

static void make_trial(trial *t)
{
    const uint32_t limits[] = {0, 0, 1, 2};
    const vkmm_kernel *kernel = t->kernel;
    t->params.job.problem =
        VKMM_PROBLEM(.m = draw(1, 12), .n = draw(1, 12), .k = draw(0, 13), .type = t->params.job.problem.type);
    t->params.row = draw(0, (uint32_t)t->params.job.problem.m - 1);
    t->params.col = draw(0, (uint32_t)t->params.job.problem.n - 1);
    t->linear = kernel->spread == VKMM_SPREAD_LINEAR;
    t->band = kernel->spread == VKMM_SPREAD_BAND;
    t->tiled = kernel->uses_shared;
    t->downward = kernel->downward;
    t->max_groups = limits[draw(0, 3)];
    fill(t);
}

static uint32_t groups(const trial *t, uint64_t extent, uint32_t tile)
{
    uint32_t all = (uint32_t)((extent + tile - 1) / tile);
    return t->max_groups && t->max_groups < all ? t->max_groups : all;
}

/* Tiles in their order: bands of `swizzle` rows of them, each column by column. The workgroup of the tile in which the
 * followed element lies. */
static void expect_block(const trial *t, uint32_t i, vkmm_invocation *e, uint32_t size[2])
{
    const vkmm_problem *p = &t->params.job.problem;
    const uint32_t rows = t->params.job.tile_rows, cols = t->params.job.tile_cols, *block = t->kernel->block;
    const uint32_t down = ((uint32_t)p->m + rows - 1) / rows, across = ((uint32_t)p->n + cols - 1) / cols,
                   tile_row = (uint32_t)t->params.row / rows, tile_col = (uint32_t)t->params.col / cols,
                   swizzle = t->kernel->swizzle > 0 ? t->kernel->swizzle : 1;
    uint32_t place = 0;
    for (uint32_t band = 0; band < down; band += swizzle)
        for (uint32_t x = 0; x < across; x++)
            for (uint32_t y = band; y < down && y < band + swizzle; y++, place++)
                if (y == tile_row && x == tile_col)
                    e->workgroup[0] = place % across % groups(t, p->n, cols),
                    e->workgroup[1] = place / across % groups(t, p->m, rows);
    e->row = tile_row * rows + i / cols;
    e->col = tile_col * cols + i % cols;
    e->local[0] = i % cols / block[1];
    e->local[1] = i / cols / block[0];
    size[0] = (cols + block[1] - 1) / block[1];
    size[1] = (rows + block[0] - 1) / block[0];
}

/* Who must compute the i-th element, row by row, of the tile of the followed one. */
static vkmm_invocation expected(const trial *t, uint32_t i)
{
    const vkmm_problem *p = &t->params.job.problem;
    const uint32_t rows = t->params.job.tile_rows, cols = t->params.job.tile_cols, row = (uint32_t)t->params.row,
                   col = (uint32_t)t->params.col;
    const uint32_t lane = t->downward ? i % cols * rows + i / cols : i;
    vkmm_invocation e = {.local = {lane % cols, lane / cols}};
    uint32_t size[2] = {cols, rows};
    if (t->kernel->block[0] > 0) {
        expect_block(t, i, &e, size);
    } else if (t->linear) {
        const uint32_t all_rows = (uint32_t)p->m, all_cols = (uint32_t)p->n;
        uint32_t share = (t->downward ? col * all_rows + row : row * all_cols + col) / (rows * cols),
                 at = share * rows * cols + i;
        e.local[0] = i;
        e.local[1] = 0;
        e.workgroup[0] = share % groups(t, p->m * p->n, rows * cols);
        e.row = t->downward ? at % all_rows : at / all_cols;
        e.col = t->downward ? at / all_rows : at % all_cols;
        size[0] = rows * cols;
    } else {
        e.row = row / rows * rows + i / cols;
        e.col = col / cols * cols + i % cols;
        e.workgroup[0] = t->band ? row / rows % groups(t, p->m, rows) : col / cols % groups(t, p->n, cols);
        e.workgroup[1] = t->band ? 0 : row / rows % groups(t, p->m, rows);
    }
    for (int axis = 0; axis < 2; axis++) {
        e.tile_origin[axis] = e.workgroup[axis] * (axis && t->linear ? 1 : size[axis]);
        e.global[axis] = e.tile_origin[axis] + e.local[axis];
    }
    e.inside = e.row < p->m && e.col < p->n;
    return e;
}

/* Elements counted down the columns lie in another order than those of a tile: the place of an invocation, from the
 * element that it says it has. */
static uint32_t place_of(const trial *t, uint32_t i, const vkmm_invocation *got)
{
    const uint32_t size = t->params.job.tile_rows * t->params.job.tile_cols, m = (uint32_t)t->params.job.problem.m;
    return t->linear && t->downward ? (got->col * m + got->row) % size : i;
}

static void check_invocations(const trial *t, const vkmm_trace *trace)
{
    assert_int_equal(trace->invocation_count, t->params.job.tile_rows * t->params.job.tile_cols);
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *got = &trace->invocations[i], want = expected(t, place_of(t, i, got));
        assert_memory_equal(got, &want, sizeof want);
        if (i > 0) assert_true(got->row > got[-1].row || (got->row == got[-1].row && got->col > got[-1].col));
    }
    assert_int_equal(trace->invocations[trace->followed].row, t->params.row);
    assert_int_equal(trace->invocations[trace->followed].col, t->params.col);
}

/* Zero beyond the edges. */
static double a_at(const trial *t, uint64_t row, uint64_t k)
{
    const vkmm_problem *p = &t->params.job.problem;
    return row < p->m && k < p->k ? t->a[row * p->k + k] : 0;
}

static double b_at(const trial *t, uint64_t k, uint64_t col)
{
    const vkmm_problem *p = &t->params.job.problem;
    return k < p->k && col < p->n ? t->b[k * p->n + col] : 0;
}

static double element(const void *data, uint64_t index, vkmm_type type)
{
    vkmm_view view = vkmm_view_rows(data, 1, index + 1, type);
    return vkmm_view_get(&view, 0, index);
}

static double add_term(vkmm_type type, double sum, double a, double b)
{
    uint32_t wrapped = (uint32_t)(int64_t)sum + (uint32_t)(int64_t)a * (uint32_t)(int64_t)b;
    if (type == VKMM_I32) return (int32_t)wrapped;
    return type == VKMM_U32 ? wrapped : sum + a * b;
}

static void check_sums(const trial *t, const vkmm_trace *trace)
{
    const vkmm_problem *p = &t->params.job.problem;
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *one = &trace->invocations[i];
        double sum = 0;
        for (uint32_t k = 0; k < trace->sum_count; k++) {
            double got = element(trace->sums, (uint64_t)k * trace->invocation_count + i, p->type);
            if (t->tiled || one->inside) sum = add_term(p->type, sum, a_at(t, one->row, k), b_at(t, k, one->col));
            assert_true(got == sum);
        }
        if (one->inside) assert_true(element(trace->c, one->row * p->n + one->col, p->type) == sum);
    }
}

static void check_tiles(const trial *t, const vkmm_trace *trace)
{
    const uint32_t rows = t->params.job.tile_rows, cols = t->params.job.tile_cols, depth = rows > cols ? rows : cols;
    const uint64_t row0 = t->params.row / rows * rows, col0 = t->params.col / cols * cols,
                   k_all = t->params.job.problem.k;
    assert_int_equal(trace->depth, t->tiled ? depth : 0);
    assert_int_equal(trace->load_count, t->tiled ? (k_all + depth - 1) / depth : 0);
    assert_int_equal(trace->sum_count, t->tiled ? trace->load_count * depth : k_all);
    uint64_t at = 0;
    for (uint32_t load = 0; load < trace->load_count; load++) {
        for (uint32_t i = 0; i < rows * depth; i++)
            assert_true(element(trace->tiles, at++, t->params.job.problem.type) ==
                        a_at(t, row0 + i / depth, load * depth + i % depth));
        for (uint32_t i = 0; i < depth * cols; i++)
            assert_true(element(trace->tiles, at++, t->params.job.problem.type) ==
                        b_at(t, load * depth + i / cols, col0 + i % cols));
    }
}

static void check_product(const trial *t, const vkmm_trace *trace)
{
    const vkmm_problem *p = &t->params.job.problem;
    for (uint64_t i = 0; i < p->m * p->n; i++) {
        double sum = 0;
        for (uint64_t k = 0; k < p->k; k++) sum = add_term(p->type, sum, a_at(t, i / p->n, k), b_at(t, k, i % p->n));
        assert_true(element(trace->c, i, p->type) == sum);
    }
    assert_memory_equal(trace->a, t->data[0], p->m * p->k * (p->type == VKMM_F64 ? 8 : 4));
    assert_memory_equal(trace->b, t->data[1], p->k * p->n * (p->type == VKMM_F64 ? 8 : 4));
}

static void release_trace(void *object)
{
    vkmm_trace *trace = object;
    vkmm_trace_destroy(&trace);
}

static int tell(void **state)
{
    if (current[0]) printf("# %s\n", current);
    return suite_after(state);
}

static void check_trace(trial *t)
{
    const vkmm_device_info whole = *suite.info;
    const vkmm_problem *p = &t->params.job.problem;
    vkmm_trace *trace = NULL;
    make_trial(t);
    for (int axis = 0; axis < 3 && t->max_groups; axis++) suite.info->limits.max_workgroup_count[axis] = t->max_groups;
    vkmm_status status = vkmm_trace_create(suite.device, &t->params, &trace);
    *suite.info = whole;
    snprintf(current, sizeof current, "%s type %d, %llux%llux%llu, tile %ux%u, at %llu,%llu, groups %u",
             t->params.job.kernel, (int)p->type, (unsigned long long)p->m, (unsigned long long)p->n,
             (unsigned long long)p->k, t->params.job.tile_rows, t->params.job.tile_cols,
             (unsigned long long)t->params.row, (unsigned long long)t->params.col, t->max_groups);
    assert_ok(status);
    keep_object(trace, release_trace);
    check_invocations(t, trace);
    check_tiles(t, trace);
    check_sums(t, trace);
    check_product(t, trace);
    release_kept(NULL);
}

/* Every kernel and type, with a random tile: drivers compile them for long, so each has several problems. */
TEST_WITH(random_traces, NULL, tell)
{
    static trial t;
    const char *given = getenv("VKMM_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : 1;
    printf("# VKMM_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (int round = 0; round < (getenv("VKMM_TEST_KERNEL") ? FOR_ONE : 1); round++)
        for (int type = VKMM_F32; type <= SUITE_LAST_TYPE; type++)
            for (uint32_t i = 0; suite_has_type(&suite, (vkmm_type)type) && (t.kernel = kernel_at(i)) != NULL; i++) {
                t.params.job.problem.type = (vkmm_type)type;
                t.params.job.kernel = t.kernel->name;
                t.params.job.tile_rows = draw(1, 5);
                t.params.job.tile_cols = draw(1, 5);
                for (int alike = 0; alike < ALIKE; alike++) check_trace(&t);
            }
    current[0] = '\0';
}

/* ---- traces that are refused, and allocations that fail ---- */

static void make_tutorial(vkmm_trace_params *params, int32_t a[8], int32_t b[24])
{
    for (int i = 0; i < 8; i++) a[i] = i + 1;
    for (int i = 0; i < 24; i++) b[i] = i + 1;
    *params = (vkmm_trace_params){.job = {.problem = VKMM_PROBLEM(.m = 2, .n = 6, .k = 4, .type = VKMM_I32),
                                          .kernel = "tiled",
                                          .tile_rows = 2,
                                          .tile_cols = 2},
                                  .col = 3,
                                  .a = a,
                                  .b = b};
}

static void refuse(const vkmm_trace_params *params, vkmm_status status, const char *sentence)
{
    vkmm_trace *trace = (vkmm_trace *)&suite; /* which is overwritten */
    assert_refused(vkmm_trace_create(suite.device, params, &trace), status, sentence);
    assert_null(trace);
    assert_int_equal(vkmm_trace_check(suite.device, params), status);
}

TEST(refuses)
{
    int32_t a[8], b[24];
    vkmm_trace_params params;
    make_tutorial(&params, a, b);
    params.row = 2;
    refuse(&params, VKMM_INVALID, "there is no C[2][3]: C has 2 rows and 6 columns");
    params.row = 0;
    params.job.kernel = "serial";
    refuse(&params, VKMM_UNSUPPORTED, "serial");
    params.job.kernel = "naive";
    params.job.problem.k = 4096;
    refuse(&params, VKMM_INVALID, "in 4097 steps; ");
    params.job.kernel = "tiled";
    params.job.problem = VKMM_PROBLEM(.m = 512, .n = 512, .k = 512, .type = VKMM_I32);
    params.job.tile_rows = params.job.tile_cols = 16;
    /* 3 · 512² elements, 512 sums of 256 invocations, 32 times two tiles of 256; 32 times a load and two barriers,
     * 512 sums, a store */
    refuse(&params, VKMM_INVALID,
           "has 933888 values in 609 steps; the limit is 100000 values in 4096 steps; try 32x32x32");
    params.job.problem.n = 0;
    refuse(&params, VKMM_INVALID, "0 columns");
}

/* Every allocation may fail: a status then, and no leak (the sanitizers look). */
TEST(failing_allocations)
{
    int32_t a[8], b[24];
    vkmm_trace_params params;
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    make_tutorial(&params, a, b);
    for (uint64_t n = 1; n < 50 && status == VKMM_OUT_OF_MEMORY; n++) {
        vkmm_trace *trace = NULL;
        vkmm_alloc_fail_after(n);
        status = vkmm_trace_create(suite.device, &params, &trace);
        vkmm_alloc_fail_after(0);
        const int made = trace != NULL;
        vkmm_trace_destroy(&trace);
        assert_null(trace);
        assert_int_equal(made, status == VKMM_OK);
        if (n == 1) assert_int_equal(status, VKMM_OUT_OF_MEMORY);
    }
    assert_ok(status);
}
