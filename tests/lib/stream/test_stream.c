/* Products in panels: the same bits as the product in one piece has, from memory and through functions, on memory
 * that the host sees and through staging, on one queue or two. Where K is cut, small whole numbers, whose sums are
 * exact in any order. */
#include "gemm.h"
#include "job/job.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "suite.h"

/* Drivers compile each pipeline anew, and small tiles sooner than large ones. */
#define SMALL            \
    .kernel = "blocked", \
    .config = "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2,splits=1"

static suite_device suite;

/* The operands as the problem has them, and what the product should be. */
typedef struct data {
    vkmm_problem problem;
    void *memory[4];
    void *want;
    uint64_t read, written; /* elements, through functions */
    mtx_t lock;
} data;

static void fill(data *d, vkmm_operand operand, vkmm_init init)
{
    const vkmm_problem *p = &d->problem;
    const uint64_t bytes = vkmm_operand_bytes(p, operand);
    d->memory[operand] = keep_object(calloc(1, bytes + 8), free);
    assert_non_null(d->memory[operand]);
    memset(d->memory[operand], 0xff, bytes);
    if (operand == VKMM_BIAS) {
        vkmm_fill(d->memory[operand], 1, p->has_bias ? p->n : 0, vkmm_operand_type(p, VKMM_BIAS), init, 7);
        return;
    }
    for (uint64_t x = 0; x < vkmm_problem_batches(p) && bytes > 0; x++) {
        const vkmm_view view = vkmm_operand_view(p, operand, d->memory[operand], x);
        vkmm_fill_view(d->memory[operand], &view, init, (uint64_t)operand + 10 * x);
    }
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
}

/* In one piece. */
static void multiply(data *d, const vkmm_job_params *params)
{
    const vkmm_problem *p = &d->problem;
    vkmm_job *job = keep_job(suite.device, NULL, params);
    for (int o = VKMM_A; o <= VKMM_BIAS; o++)
        copy(vkmm_job_matrix(job, (vkmm_operand)o), d->memory[o], vkmm_operand_bytes(p, (vkmm_operand)o));
    assert_ok(vkmm_job_run(job));
    const uint64_t bytes = vkmm_operand_bytes(p, VKMM_C);
    d->want = keep_object(malloc(bytes + 8), free);
    assert_non_null(d->want);
    /* What lies between the matrices stays. */
    copy(d->want, d->memory[VKMM_C], bytes);
    for (uint64_t x = 0; x < vkmm_problem_batches(p); x++)
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++) {
                const uint64_t size = vkmm_type_of(gemm_out(p))->bytes, at = gemm_index(p, VKMM_C, x, i, j) * size;
                memcpy((char *)d->want + at, (char *)vkmm_job_matrix(job, VKMM_C) + at, size);
            }
}

static data make(const vkmm_job_params *params, vkmm_init init)
{
    data d = {.problem = params->problem};
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) fill(&d, (vkmm_operand)o, init);
    multiply(&d, params);
    mtx_init(&d.lock, mtx_plain);
    return d;
}

static void compare(const data *d)
{
    const uint64_t size = vkmm_type_of(gemm_out(&d->problem))->bytes,
                   count = vkmm_operand_elements(&d->problem, VKMM_C);
    for (uint64_t at = 0; at < count; at++)
        if (memcmp((char *)d->memory[VKMM_C] + at * size, (char *)d->want + at * size, size) != 0)
            fail_msg("element %llu of C's memory is %.9g, should be %.9g", (unsigned long long)at,
                     gemm_get(gemm_out(&d->problem), d->memory[VKMM_C], at),
                     gemm_get(gemm_out(&d->problem), d->want, at));
}

static uint64_t bytes_of(const vkmm_problem *p)
{
    uint64_t total = 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) total += vkmm_operand_bytes(p, (vkmm_operand)o);
    return total;
}

static vkmm_stream *open(const vkmm_job_params *params, uint64_t limit)
{
    return keep_stream(suite.device, &(vkmm_stream_params){.job = *params, .memory_limit = limit, .threads = 3});
}

static vkmm_stream_io io_of(const data *d)
{
    return (vkmm_stream_io){.a = d->memory[0], .b = d->memory[1], .c = d->memory[2], .bias = d->memory[3]};
}

static vkmm_stream_times run(vkmm_stream *stream, const data *d)
{
    const vkmm_stream_io io = io_of(d);
    vkmm_stream_times times;
    assert_ok(vkmm_stream_run(stream, &io, &times));
    compare(d);
    return times;
}

static void check_limited(const vkmm_job_params *params, vkmm_init init, uint64_t limit, int cuts_depth)
{
    const data d = make(params, init);
    vkmm_stream *stream = open(params, limit);
    const vkmm_partition t = vkmm_stream_partition(stream);
    assert_true(t.device_bytes <= limit);
    assert_int_equal(t.depth_panels > 1, cuts_depth);
    const vkmm_stream_times times = run(stream, &d);
    if (vkmm_operand_elements(&d.problem, VKMM_C) > 0)
        assert_true(times.kernel_ms > 0 && times.longest_ms > 0 && times.dispatches > 0);
}

static void check(const vkmm_job_params *params)
{
    check_limited(params, VKMM_INIT_UNIFORM, bytes_of(&params->problem) / 2 + 40000, 0);
}

/* ---- Tests: the first two through staging only, as many as COPIED both ways, the others on unified memory ---- */

enum { ONLY_COPIED = 2, COPIED = 10 };

/* Parts of f16 need matrix operations. */
TEST(split_panels_have_the_same_bits)
{
    const int is_cpu = suite.info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 150, .n = 140, .k = 77, .method = VKMM_COMPUTE_SPLIT),
                              .kernel = "coopmat",
                              .config =
                                  is_cpu ? "rows=16,cols=16,depth=32,sub-rows=8,sub-cols=8,splits=1,pad=1" : NULL};
    vkmm_job *job = NULL;
    const vkmm_status status = vkmm_job_create(suite.device, NULL, &params, &job);
    vkmm_job_destroy(&job);
    if (status == VKMM_UNSUPPORTED && !suite_must_have_matrices(&suite)) skip();
    assert_ok(status);
    for (int turn = 0; turn < 2; turn++) {
        params.problem.op_b = turn ? VKMM_OP_T : VKMM_OP_N;
        params.problem.beta = turn;
        check_limited(&params, VKMM_INIT_UNIFORM, bytes_of(&params.problem) + 90000, 0);
    }
}

TEST(modular_panels_have_the_same_bits)
{
    vkmm_job_params params = {
        .problem = VKMM_PROBLEM(.m = 60, .n = 50, .k = 77, .type = VKMM_F64, .method = VKMM_COMPUTE_MODULAR),
        .moduli = 15};
    for (int turn = 0; turn < 2; turn++) {
        params.problem.op_b = turn ? VKMM_OP_T : VKMM_OP_N;
        params.problem.beta = turn;
        check_limited(&params, VKMM_INIT_UNIFORM, bytes_of(&params.problem) + 300000, 0);
    }
}

static vkmm_status copy_part(data *d, const vkmm_panel *panel, uint64_t *count, int out)
{
    gemm_move(&d->problem, d->memory[panel->operand], panel, out);
    mtx_lock(&d->lock);
    *count += panel->rows * panel->cols;
    mtx_unlock(&d->lock);
    return VKMM_OK;
}

static vkmm_status read_part(void *user, const vkmm_panel *panel)
{
    data *d = user;
    return copy_part(d, panel, &d->read, 0);
}

static vkmm_status write_part(void *user, const vkmm_panel *panel)
{
    data *d = user;
    return copy_part(d, panel, &d->written, 1);
}

/* Two ways to lie in memory, which several tests share, and so their pipelines. */
static vkmm_job_params layout_at(int number, uint64_t m)
{
    const unsigned way = number ? 26 : 0;
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(way, m, 57, 41, VKMM_F32), 2, number ? -3 : 0), SMALL};
    params.problem.has_bias = 1;
    return params;
}

TEST(every_layout_has_the_same_bits)
{
    for (int number = 0; number < 2; number++) {
        const vkmm_job_params params = layout_at(number, 103);
        check(&params);
    }
}

static PFN_vkCmdDispatch dispatch;
static uint64_t dispatched;

static VKAPI_ATTR void VKAPI_CALL count_dispatch(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    dispatched++;
    dispatch(command, x, y, z);
}

/* As a job that packs too; sums of whole numbers are the same without. Each panel is packed once, when it is loaded,
 * and stays. */
TEST(packed_panels_have_the_same_bits)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_I8, VKMM_F16};
    static const uint32_t asked[] = {VKMM_PACK_A | VKMM_PACK_B, VKMM_PACK_A, VKMM_PACK_B, VKMM_PACK_A | VKMM_PACK_B};
    int counted = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int whole = i % 2 == 0;
        vkmm_problem p = gemm_scaled(gemm_way(i * 7, 103, 57, i < 2 ? 41 : 48, types[i % 3]), 2, i % 4 == 3 ? -3 : 0);
        vkmm_job_params params = {.problem = p, SMALL, .pack = whole ? VKMM_PACK_NEVER : asked[i]};
        if (!suite_has_type(&suite, types[i % 3]) || (suite_is_slow(&suite) && i % 2)) continue;
        data d = make(&params, whole ? VKMM_INIT_INT : VKMM_INIT_UNIFORM);
        params.pack = asked[i];
        vkmm_stream *stream = open(&params, bytes_of(&p) / 2 + 40000);
        const vkmm_partition t = vkmm_stream_partition(stream);
        const uint32_t packs = vkmm_choice_packs(&stream->lanes->whole);
        assert_int_equal(packs & asked[i], asked[i]);
        assert_true(t.row_panels * t.col_panels * vkmm_problem_batches(&p) > 1);
        run(stream, &d); /* uses each pipeline once, too */
        if (vkmm_problem_batches(&p) > 1 || (t.row_panels > 1 && t.col_panels > 1)) continue;
        dispatch = suite.device->table.vkCmdDispatch;
        dispatched = 0;
        suite.device->table.vkCmdDispatch = count_dispatch;
        const vkmm_stream_times times = run(stream, &d);
        suite.device->table.vkCmdDispatch = dispatch;
        assert_int_equal(dispatched, (stream->lanes->whole.reduce ? 2 : 1) * times.dispatches +
                                         (packs & VKMM_PACK_A ? t.row_panels : 0) +
                                         (packs & VKMM_PACK_B ? t.col_panels : 0));
        counted++;
    }
    assert_true(counted > 0);
}

static VkBuffer strayed;
static uint64_t stray_at;

static VKAPI_ATTR void VKAPI_CALL stray(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    dispatch(command, x, y, z);
    suite.device->table.vkCmdFillBuffer(command, strayed, stray_at, 4, 0);
}

/* Right before and behind both panels of C that the device has at a time. */
TEST(stray_writes_are_found)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 100, .n = 150, .k = 20), SMALL};
    data d = make(&params, VKMM_INIT_UNIFORM);
    const vkmm_stream_io io = io_of(&d);
    for (int i = 0; i < 4; i++) {
        vkmm_stream *stream = open(&params, bytes_of(&params.problem) / 2 + 40000);
        const vkmm_slot *slot = &stream->lanes->memory.panels[VKMM_C].at[i / 2];
        run(stream, &d); /* uses each pipeline once, too */
        strayed = slot->buffer.handle;
        stray_at = i % 2 ? slot->lead + stream->lanes->pieces.c_bytes : slot->lead - 4;
        assert_non_null(strayed);
        dispatch = suite.device->table.vkCmdDispatch;
        suite.device->table.vkCmdDispatch = stray;
        const vkmm_status status = vkmm_stream_run(stream, &io, NULL);
        suite.device->table.vkCmdDispatch = dispatch;
        assert_int_equal(status, VKMM_WRONG_RESULT);
        assert_contains(vkmm_last_error(), "wrote outside a panel of C");
    }
}

TEST(small_matrices_go_together)
{
    vkmm_problem p = VKMM_PROBLEM(.m = 24, .n = 20, .k = 16, .type = VKMM_F32, .batch_count = 150, .stride_a = 400,
                                  .stride_b = 0, .stride_c = 480);
    const vkmm_job_params params = {.problem = gemm_scaled(p, 1, 1), SMALL};
    check(&params);
}

/* Only where a tile with all of K does not fit. */
TEST(cuts_the_depth_where_it_must)
{
    for (unsigned way = 0; way < 4; way += 3) {
        vkmm_problem p =
            gemm_scaled(gemm_way(way | 8, 70, 40, 1500, way == 3 ? VKMM_I32 : VKMM_F32), 1, way % 2 ? 2 : 0);
        p.has_bias = way != 0;
        p.activation = way ? VKMM_RELU : VKMM_ACTIVATION_NONE;
        const vkmm_job_params params = {.problem = p, SMALL};
        check_limited(&params, VKMM_INIT_INT, 250 << 10, 1);
    }
    vkmm_problem narrow = gemm_scaled(gemm_way(0, 40, 40, 6000, VKMM_I8), 1, -1);
    narrow.has_bias = 1;
    const vkmm_job_params params = {.problem = narrow, SMALL};
    check_limited(&params, VKMM_INIT_UNIFORM, 150 << 10, 1);
}

TEST(functions_give_and_take)
{
    for (int number = 0; number < 2; number++) {
        const vkmm_job_params params = layout_at(number, 103);
        const vkmm_problem *p = &params.problem;
        data d = make(&params, VKMM_INIT_UNIFORM);
        const vkmm_stream_io io = {.read = read_part, .write = write_part, .user = &d};
        assert_ok(vkmm_stream_run(open(&params, bytes_of(p) / 2 + 40000), &io, NULL));
        compare(&d);
        assert_int_equal(d.written, vkmm_problem_batches(p) * p->m * p->n);
        assert_true(d.read >= p->m * p->k + p->k * p->n + (p->beta != 0 ? vkmm_problem_batches(p) * p->m * p->n : 0));
    }
}

static vkmm_status fail_to_read(void *user, const vkmm_panel *panel)
{
    (void)user, (void)panel;
    return VKMM_INVALID;
}

static int stop(void *user, const vkmm_stream_state *progress)
{
    (void)user;
    assert_true(progress->done <= progress->panels && progress->elapsed_ms >= 0);
    return 1;
}

TEST(what_functions_say_ends_a_run)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 300, .n = 200, .k = 100), SMALL};
    data d = make(&params, VKMM_INIT_UNIFORM);
    vkmm_stream *stream = open(&params, 200 << 10);
    vkmm_stream_io io = {.read = fail_to_read, .c = d.memory[2]};
    assert_int_equal(vkmm_stream_run(stream, &io, NULL), VKMM_INVALID);
    io = io_of(&d);
    io.progress = stop;
    assert_int_equal(vkmm_stream_run(stream, &io, NULL), VKMM_STOPPED);
    run(stream, &d);
    io.b = NULL;
    assert_int_equal(vkmm_stream_run(stream, &io, NULL), VKMM_INVALID);
}

/* Larger and smaller ones, of other types and scalars: with the memory and the pipelines of those before, where they
 * fit. */
TEST(a_stream_is_turned_to_other_products)
{
    const vkmm_problem small = gemm_scaled(gemm_way(0, 40, 30, 50, VKMM_I32), 2, 0);
    vkmm_problem problems[] = {gemm_scaled(gemm_way(0, 100, 90, 80, VKMM_I32), 2, 1),
                               small,
                               gemm_scaled(small, -1, 3),
                               gemm_scaled(small, 0, 3),
                               gemm_scaled(gemm_way(9, 130, 70, 20, VKMM_F32), 1, -1),
                               small};
    const uint64_t range = suite.info->limits.max_storage_range;
    vkmm_stream *stream = open(&(vkmm_job_params){.problem = small}, 0);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        data d = make(&(vkmm_job_params){.problem = problems[i]}, VKMM_INIT_INT);
        const uint32_t plans = stream->lanes->plan_count;
        const VkBuffer before = stream->lanes->memory.panels[VKMM_A].at[0].buffer.handle;
        assert_ok(vkmm_stream_change(stream, &problems[i]));
        run(stream, &d);
        if (i > 0) assert_ptr_equal(stream->lanes->memory.panels[VKMM_A].at[0].buffer.handle, before);
        if (i == 1 || i == 2 || i == 5) assert_int_equal(stream->lanes->plan_count, plans);
    }
    suite.info->limits.max_storage_range = 16; /* not even a panel of one tile */
    assert_int_equal(vkmm_stream_change(stream, &problems[0]), VKMM_OUT_OF_MEMORY);
    suite.info->limits.max_storage_range = range;
    assert_int_equal(vkmm_stream_run(stream, &(vkmm_stream_io){.c = NULL}, NULL), VKMM_INVALID);
    assert_ok(vkmm_stream_change(stream, &small));
    const data d = make(&(vkmm_job_params){.problem = small}, VKMM_INIT_INT);
    run(stream, &d);
}

/* Elements of each size, in and out: panels differ in nothing else. Sizes that are multiples of vectors, and odd ones,
 * for which kernels read in another way. */
TEST(every_type_has_the_same_bits)
{
    static const vkmm_types types[] = {{VKMM_F64, VKMM_F64, VKMM_F64},
                                       {VKMM_F16, VKMM_F32, VKMM_F32},
                                       {VKMM_F16, VKMM_F16, VKMM_F32},
                                       {VKMM_I8, VKMM_I32, VKMM_I32},
                                       {VKMM_E4M3, VKMM_F16, VKMM_F32}};
    for (uint32_t i = suite_is_slow(&suite) ? 2 : 0; i < VKMM_COUNT(types); i++) {
        const uint64_t odd = i % 2;
        if (!suite_has_type(&suite, types[i].in)) continue;
        vkmm_problem p = gemm_scaled(gemm_way(odd ? 9 : 0, 96 + 3 * odd, 80 + odd, 64 + 5 * odd, types[i].in), 1, 2);
        p.out_type = types[i].out;
        p.compute = types[i].compute;
        p.has_bias = 1;
        p.activation = VKMM_RELU;
        const vkmm_job_params params = {.problem = p, SMALL};
        check(&params);
    }
}

TEST(every_kernel_has_the_same_bits)
{
    static const struct {
        const char *kernel, *config;
        uint64_t m, n, k;
    } cases[] = {
        {"blocked", "rows=32,cols=16,depth=16,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2,splits=3", 100,
         150, 200},
        {"skinny", NULL, 1000, 5, 100},
        {"skinny", "splits=2", 3, 501, 200},
        {"cpu", NULL, 150, 140, 77},
        {"tiled", NULL, 100, 120, 40},
        {"grouped", NULL, 70, 90, 40},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].kernel, "cpu") == 0 && !suite.info->subgroup.has_broadcast) continue;
        const vkmm_job_params params = {
            .problem = VKMM_PROBLEM(.m = cases[i].m, .n = cases[i].n, .k = cases[i].k, .type = VKMM_F32),
            .kernel = cases[i].kernel,
            .config = cases[i].config};
        check(&params);
    }
}

/* Residues of a line do not depend on the panel that it is in. */
TEST(panels_of_bytes_have_the_same_bits)
{
    const vkmm_job_params params = {
        .problem = VKMM_PROBLEM(.m = 150, .n = 140, .k = 77, .type = VKMM_F16, .method = VKMM_COMPUTE_W8A8)};
    check_limited(&params, VKMM_INIT_UNIFORM, bytes_of(&params.problem) + 60000, 0);
}

TEST(no_terms_are_products_too)
{
    vkmm_job_params params = {.problem = gemm_scaled(VKMM_PROBLEM(.m = 200, .n = 300, .k = 0), 2, 3), SMALL};
    check(&params);
    params.problem = gemm_scaled(VKMM_PROBLEM(.m = 200, .n = 300, .k = 50), 0, 3);
    check(&params);
    params.problem = VKMM_PROBLEM(.m = 0, .n = 300, .k = 50);
    check(&params);
}

/* Two handles of the same device play two of the same kind. Each kernel, and each layout, adds in the same order. */
static void check_two(const vkmm_job_params *params)
{
    data d = make(params, VKMM_INIT_UNIFORM);
    vkmm_device *other = NULL;
    assert_ok(vkmm_device_create(suite.instance, suite.info->index, &other));
    keep_device(other);
    const vkmm_stream_params wanted = {.job = *params, .threads = 1, .others = &other, .other_count = 1};
    vkmm_stream *stream = keep_stream(suite.device, &wanted);
    run(stream, &d);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const vkmm_stream_part part = vkmm_stream_part_at(stream, i);
        for (uint64_t j = 0; j < part.panels; j++) {
            const vkmm_stream_panel *panel = &part.timeline[j];
            assert_true(panel->load_ms[0] <= panel->load_ms[1] && panel->load_ms[1] <= panel->kernel_ms[0] &&
                        panel->kernel_ms[0] <= panel->kernel_ms[1] && panel->kernel_ms[1] <= panel->store_ms[0] &&
                        panel->store_ms[0] <= panel->store_ms[1]);
        }
        if (part.panels > 0 && part.timeline[0].rows > largest) largest = part.timeline[0].rows;
    }
    /* The one that comes first need not show how fast it is, with a panel of a single tile. The other may come so late
     * that little is left. */
    assert_true(largest > params->problem.m / 8);
}

TEST(two_devices_have_the_same_bits)
{
    for (int number = 0; number < 2; number++) {
        const vkmm_job_params params = layout_at(number, 400);
        check_two(&params);
    }
}

TEST(says_why_a_job_does_not_do)
{
    char text[200];
    const vkmm_problem p = VKMM_PROBLEM(.m = 256, .n = 256, .k = 256);
    assert_null(vkmm_stream_reason(suite.device, &p, 0, text, sizeof text));
    assert_null(vkmm_stream_reason(suite.device, &p, 1 << 20, text, sizeof text));
    assert_contains(vkmm_stream_reason(suite.device, &p, 1 << 19, text, sizeof text), "the memory limit is 524288");
    suite.info->limits.max_storage_range = 1 << 17;
    assert_contains(vkmm_stream_reason(suite.device, &p, 0, text, sizeof text), "maxStorageBufferRange");
}

/* As a device with small bindings has it: what a job refuses, a product takes in its stride. */
TEST(bindings_may_be_small)
{
    const vkmm_job_params params = {.problem = gemm_scaled(VKMM_PROBLEM(.m = 200, .n = 150, .k = 100), 1, 1), SMALL};
    data d = make(&params, VKMM_INIT_INT);
    suite.info->limits.max_storage_range = 1 << 16;
    run(open(&params, 0), &d);
}

TEST(too_little_is_refused)
{
    vkmm_stream *stream = NULL;
    const vkmm_stream_params params = {.job = {.problem = VKMM_PROBLEM(.m = 300, .n = 300, .k = 300)},
                                       .memory_limit = 4000};
    assert_int_equal(vkmm_stream_create(suite.device, NULL, &params, &stream), VKMM_OUT_OF_MEMORY);
    assert_null(stream);
    const vkmm_stream_params serial = {.job = {.problem = VKMM_PROBLEM(.m = 3, .n = 3, .k = 3), .kernel = "serial"}};
    assert_int_equal(vkmm_stream_create(suite.device, NULL, &serial, &stream), VKMM_UNSUPPORTED);
}

/* Where K is cut, the host adds the bias. */
TEST(a_bias_is_not_kept)
{
    vkmm_problem p = VKMM_PROBLEM(.m = 40, .n = 40, .k = 1500, .type = VKMM_I32, .has_bias = 1);
    vkmm_stream *stream = NULL;
    for (int turn = 0; turn < 2; turn++) {
        suite.info->limits.max_storage_range = 1 << 20;
        data d = make(&(vkmm_job_params){.problem = p, SMALL}, VKMM_INIT_INT);
        suite.info->limits.max_storage_range = 1 << 15;
        if (turn == 0) stream = open(&(vkmm_job_params){.problem = p, SMALL}, 0);
        if (turn == 1) assert_ok(vkmm_stream_change(stream, &p));
        assert_true(vkmm_stream_partition(stream).depth_panels > 1);
        run(stream, &d);
        p.has_bias = 0;
    }
}

/* The same panels as before, by the planner's kernel instead of the requested one. */
TEST(a_change_chooses_again)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 32), SMALL};
    const vkmm_problem other = VKMM_PROBLEM(.m = 192, .n = 64, .k = 32);
    suite.info->limits.max_storage_range = 64 * 64 * sizeof(float);
    vkmm_stream *stream = open(&params, 0);
    const vkmm_partition before = vkmm_stream_partition(stream);
    assert_ok(vkmm_stream_change(stream, &other));
    const vkmm_partition after = vkmm_stream_partition(stream);
    assert_true(before.rows == after.rows && before.cols == after.cols && before.depth == after.depth);
    assert_string_not_equal(vkmm_stream_kernel(stream)->config, params.config);
    assert_string_equal(vkmm_stream_kernel(stream)->config, stream->lanes->whole.info.config);
}

/* A job may compute the last rows in a second dispatch, in another order. A stream must not: where C is cut would then
 * decide on its bits. The configuration is the planner's, and four of its tiles run at once. */
TEST(panels_are_one_dispatch)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 65, .n = 64, .k = 35),
                                    .kernel = "blocked",
                                    .config = "rows=32,cols=32,depth=16,thread-rows=4,thread-cols=4,splits=1,"
                                              "swizzle=8,buffers=1,pad=1,slices=2,lane-cols=8"};
    vkmm_job *job = NULL;
    suite.info->processors = 1;
    assert_ok(vkmm_job_create(suite.device, NULL, &params, &job));
    assert_non_null(vkmm_recipe_find(&job->plan.recipe, "edge"));
    vkmm_job_destroy(&job);
    const vkmm_stream *stream = open(&params, 0);
    for (uint32_t i = 0; i < stream->lanes->plan_count; i++)
        assert_null(vkmm_recipe_find(&stream->lanes->plans[i].plan.recipe, "edge"));
    assert_int_equal(stream->lanes->plan_count, 1);
}

int main(void)
{
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    const int absent = suite_open(&suite);
    if (absent) return absent;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    int failed = suite_run_group(&suite, "stream", tests + ONLY_COPIED, count - ONLY_COPIED);
    suite.info->memory.is_unified = 0; /* copies do not depend on types and kernels, and little on the driver */
    failed += suite_run_group(&suite, "stream, copied", tests, suite_is_slow(&suite) ? ONLY_COPIED : COPIED);
    return suite_exit(&suite, failed);
}
