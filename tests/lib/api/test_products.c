/* Products of several threads on one device, validation on: every result has the bits that one thread alone gets. */
#include "crew.h"
#include "look/access.h"
#include "look/kernel.h"
#include "look/race.h"
#include "math/matrix.h"
#include "math/type.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"
#include "vkmatmul_vulkan.h"

enum { TIMES = 12 };

static suite_device suite;

/* One for each thread: other shapes, types, ops and, since sums of parts need a workspace and a second pass, other
 * kernels. */
static const vkmm_job_params jobs[CREW] = {
    {.problem = VKMM_PROBLEM_INIT(.m = 37, .n = 29, .k = 41, .type = VKMM_F32), .kernel = "naive"},
    {.problem = VKMM_PROBLEM_INIT(.m = 64, .n = 48, .k = 33, .type = VKMM_I32, .op_a = VKMM_OP_T), .kernel = "cpu"},
    {.problem =
         VKMM_PROBLEM_INIT(.m = 17, .n = 65, .k = 20, .type = VKMM_U32, .op_b = VKMM_OP_T, .layout = VKMM_COL_MAJOR),
     .kernel = "cpu"},
    {.problem = VKMM_PROBLEM_INIT(.m = 33, .n = 31, .k = 35, .type = VKMM_F32),
     .kernel = "tiled",
     .tile_rows = 8,
     .tile_cols = 8},
    {.problem = VKMM_PROBLEM_INIT(.m = 3, .n = 20, .k = 300, .type = VKMM_F32, .has_bias = 1),
     .kernel = "skinny",
     .config = "rows=16,cols=16,depth=32,thread-long=4,threads=32,splits=2"},
    {.problem = VKMM_PROBLEM_INIT(.m = 24, .n = 40, .k = 56, .type = VKMM_I8), .kernel = "cpu"},
    {.problem = VKMM_PROBLEM_INIT(.m = 19, .n = 23, .k = 31, .type = VKMM_F32, .batch_count = 3, .stride_a = 600,
                                  .stride_b = 0, .stride_c = 437),
     .kernel = "cpu"},
    {.problem = VKMM_PROBLEM_INIT(.m = 31, .n = 18, .k = 27, .type = VKMM_F32, .alpha = 2, .beta = 0.5),
     .kernel = "blocked",
     .config = "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=1,slices=1"},
};

static const vkmm_problem *problem_of(int number)
{
    return &jobs[number].problem;
}

static void fill(const vkmm_problem *problem, vkmm_operand operand, void *data)
{
    const vkmm_type type = vkmm_operand_type(problem, operand);
    vkmm_fill(data, 1, vkmm_operand_bytes(problem, operand) / vkmm_type_of(type)->bytes, type, VKMM_INIT_UNIFORM,
              7 + operand);
}

static int run(int number, vkmm_job *job)
{
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++)
        fill(problem_of(number), (vkmm_operand)operand, vkmm_job_matrix(job, (vkmm_operand)operand));
    return vkmm_job_run(job) == VKMM_OK;
}

static int is_wanted(int number, const void *c, void *const *want)
{
    return memcmp(c, want[number], (size_t)vkmm_operand_bytes(problem_of(number), VKMM_C)) == 0;
}

static void take(int number, void *c)
{
    vkmm_job *job = NULL;
    assert_ok(vkmm_job_create(suite.device, NULL, &jobs[number], &job));
    assert_true(run(number, job));
    memcpy(c, vkmm_job_matrix(job, VKMM_C), (size_t)vkmm_operand_bytes(problem_of(number), VKMM_C));
    vkmm_job_destroy(&job);
}

/* The results of one thread alone. */
static int alone(void **state)
{
    static void *want[CREW];
    for (int i = 0; i < CREW; i++) {
        want[i] = calloc(1, (size_t)vkmm_operand_bytes(problem_of(i), VKMM_C));
        assert_non_null(want[i]);
        take(i, want[i]);
    }
    *state = want;
    return 0;
}

static int forget(void **state)
{
    void **want = *state;
    for (int i = 0; i < CREW; i++) free(want[i]);
    return 0;
}

CREW_TEST(own_jobs_on_one_device)
{
    vkmm_job *job = NULL;
    int right = 1;
    CREW_EXPECT(me, vkmm_job_create(suite.device, NULL, &jobs[me->number], &job) == VKMM_OK, "no job");
    for (int time = 0; time < TIMES && right; time++)
        right = run(me->number, job) && is_wanted(me->number, vkmm_job_matrix(job, VKMM_C), me->shared);
    vkmm_job_destroy(&job);
    CREW_EXPECT(me, right, "another product than one thread alone gets");
}

/* Two threads each have the same problems at the same time, so that they make the same pipelines. */
CREW_TEST(creating_and_destroying)
{
    for (int turn = 0; turn < 3; turn++) {
        const int i = (me->number / 2 + 3 * turn) % CREW;
        vkmm_job *job = NULL, *other = NULL;
        CREW_EXPECT(me, vkmm_job_create(suite.device, NULL, &jobs[i], &job) == VKMM_OK, "no job %d", i);
        const int right = run(i, job) && is_wanted(i, vkmm_job_matrix(job, VKMM_C), me->shared);
        const vkmm_status made = vkmm_job_create(suite.device, NULL, &jobs[3], &other); /* and is never run */
        vkmm_job_destroy(&job);
        vkmm_job_destroy(&other);
        CREW_EXPECT(me, right && made == VKMM_OK, "job %d gives another product", i);
    }
}

static int multiply_one(int number, void *const *want)
{
    const vkmm_problem *problem = problem_of(number);
    void *data[VKMM_BIAS + 1] = {NULL};
    int right = 1;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        data[operand] = calloc(1, (size_t)vkmm_operand_bytes(problem, (vkmm_operand)operand));
    for (int time = 0; time < 2 && right && data[VKMM_A] && data[VKMM_B] && data[VKMM_C]; time++) {
        fill(problem, VKMM_A, data[VKMM_A]);
        fill(problem, VKMM_B, data[VKMM_B]);
        memset(data[VKMM_C], 0, (size_t)vkmm_operand_bytes(problem, VKMM_C));
        right = vkmm_multiply(suite.device, problem, data[VKMM_A], data[VKMM_B], NULL, data[VKMM_C]) == VKMM_OK &&
                is_wanted(number, data[VKMM_C], want);
    }
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) free(data[operand]);
    return right;
}

/* vkmm_multiply chooses its kernel itself, so that only what is exact must have the same bits. The threads leave the
 * problems to one another in turns. */
CREW_TEST(multiplying_at_once)
{
    static const int exact[] = {1, 5, 2, 5};
    int right = 1;
    for (int time = 0; time < 4 && right; time++) right = multiply_one(exact[(me->number + time) % 4], me->shared);
    CREW_EXPECT(me, right, "another product than one thread alone gets");
}

/* All threads multiply with the same A and B, and so have jobs of one problem at once; each has its own C. */
typedef struct shared {
    vkmm_memory *a, *b;
    void *const *want;
    int problem;
} shared;

static void multiply_there(crew_member *me)
{
    const shared *s = me->shared;
    const vkmm_problem *problem = problem_of(s->problem);
    const uint64_t bytes = vkmm_operand_bytes(problem, VKMM_C);
    void *got = malloc(bytes);
    vkmm_memory *c = NULL;
    int right = got && vkmm_memory_create(suite.device, bytes, &c) == VKMM_OK;
    for (int time = 0; time < TIMES && right; time++)
        right = vkmm_memory_multiply(suite.device, problem, s->a, s->b, NULL, c) == VKMM_OK &&
                vkmm_memory_read(c, 0, bytes, got) == VKMM_OK && is_wanted(s->problem, got, s->want);
    vkmm_memory_destroy(&c);
    free(got);
    CREW_EXPECT(me, right, "another product than one thread alone gets");
}

TEST(sharing_memory)
{
    shared s = {.want = *state, .problem = 1};
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint64_t bytes = vkmm_operand_bytes(problem_of(s.problem), (vkmm_operand)o);
        vkmm_memory **memory = o == VKMM_A ? &s.a : &s.b;
        void *numbers = malloc(bytes);
        assert_non_null(numbers);
        fill(problem_of(s.problem), (vkmm_operand)o, numbers);
        assert_ok(vkmm_memory_create(suite.device, bytes, memory));
        assert_ok(vkmm_memory_write(*memory, 0, bytes, numbers));
        free(numbers);
    }
    assert_int_equal(crew_run(multiply_there, &s), 0);
    vkmm_memory_destroy(&s.a);
    vkmm_memory_destroy(&s.b);
}

/* One gemm, recorded by all threads into their own command buffers, over their own memory. */
typedef struct recorded {
    const vkmm_gemm *gemm;
    void *const *want;
    int problem;
} recorded;

enum { WORKSPACE = VKMM_BIAS + 1 };

static vkmm_status record_there(const recorded *r, const vkmm_buffer *buffers, uint32_t slot)
{
    vkmm_gemm_bindings bindings = {.slot = slot};
    vkmm_binding *const parts[] = {&bindings.a, &bindings.b, &bindings.c, &bindings.bias, &bindings.workspace};
    for (int i = VKMM_A; i <= WORKSPACE; i++) *parts[i] = (vkmm_binding){buffers[i].handle, 0, buffers[i].bytes};
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(suite.device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_record(r->gemm, command, &bindings);
    if (status == VKMM_OK) vkmm_command_barrier_all(suite.device, command);
    return vkmm_command_finish(suite.device, status, &command);
}

static void record(crew_member *me)
{
    const recorded *r = me->shared;
    const vkmm_problem *problem = problem_of(r->problem);
    const vkmm_gemm_info *info = vkmm_gemm_describe(r->gemm);
    vkmm_buffer buffers[WORKSPACE + 1] = {{0}};
    vkmm_status status = VKMM_OK;
    int right = 1;
    for (int i = VKMM_A; i <= WORKSPACE && status == VKMM_OK; i++)
        status =
            vkmm_buffer_create(suite.device, "a thread's part", i == WORKSPACE ? info->workspace_bytes : info->bytes[i],
                               VKMM_PLACE_DOWNLOAD, &buffers[i]);
    for (int time = 0; time < TIMES && status == VKMM_OK && right; time++) {
        for (int o = VKMM_A; o <= VKMM_BIAS; o++) fill(problem, (vkmm_operand)o, buffers[o].mapped);
        status = record_there(r, buffers, (uint32_t)me->number);
        right = status == VKMM_OK && is_wanted(r->problem, buffers[VKMM_C].mapped, r->want);
    }
    for (int i = VKMM_A; i <= WORKSPACE; i++) vkmm_buffer_destroy(suite.device, &buffers[i]);
    CREW_EXPECT(me, status == VKMM_OK, "%s", vkmm_status_name(status));
    CREW_EXPECT(me, right, "another product than one thread alone gets");
}

TEST(recording_one_gemm)
{
    recorded r = {.want = *state, .problem = 4}; /* with two passes */
    const vkmm_gemm_params params = {.job.problem = jobs[r.problem].problem,
                                     .job.kernel = jobs[r.problem].kernel,
                                     .job.config = jobs[r.problem].config,
                                     .slots = CREW};
    vkmm_gemm *gemm = NULL;
    assert_ok(vkmm_gemm_create(suite.device, &params, &gemm));
    r.gemm = gemm;
    const int failed = crew_run(record, &r);
    vkmm_gemm_destroy(&gemm);
    assert_int_equal(failed, 0);
}

/* Pairs of threads plan the same product. */
CREW_TEST(creating_gemms)
{
    for (int turn = 0; turn < 3; turn++) {
        const vkmm_gemm_params params = {.job.problem = *problem_of((me->number / 2 + turn) % CREW), .slots = 2};
        vkmm_gemm *gemm = NULL;
        CREW_EXPECT(me, vkmm_gemm_create(suite.device, &params, &gemm) == VKMM_OK, "no gemm");
        vkmm_gemm_destroy(&gemm);
    }
}

/* One thread at a time, but not always the same. */
typedef struct handed {
    vkmm_job *jobs[CREW];
    void *const *want;
    int by; /* thread i has the job of thread i + by */
} handed;

static void use_another(crew_member *me)
{
    const handed *h = me->shared;
    const int number = (me->number + h->by) % CREW;
    CREW_EXPECT(me,
                run(number, h->jobs[number]) && is_wanted(number, vkmm_job_matrix(h->jobs[number], VKMM_C), h->want),
                "job %d of another thread gives another product", number);
}

TEST(jobs_are_handed_over)
{
    handed h = {.want = *state};
    for (int i = 0; i < CREW; i++) assert_ok(vkmm_job_create(suite.device, NULL, &jobs[i], &h.jobs[i]));
    for (h.by = 0; h.by < 3; h.by++) assert_int_equal(crew_run(use_another, &h), 0);
    for (int i = 0; i < CREW; i++) vkmm_job_destroy(&h.jobs[i]);
}

/* Everything else that goes to a device: measuring, counting, racing. */
CREW_TEST(measuring_and_counting)
{
    static const vkmm_measure_params few = {.iters = 3, .cold_iters_given = 1};
    const vkmm_job_params tiled = {
        .problem = VKMM_PROBLEM_INIT(.m = 9, .n = 10, .k = 11), .kernel = "tiled", .tile_rows = 4, .tile_cols = 4};
    int32_t matrices[3][16 * 16] = {{0}};
    const vkmm_race_params sums = {.rows = 16,
                                   .cols = 16,
                                   .tile_rows = 4,
                                   .tile_cols = 4,
                                   .runs = 2,
                                   .values = matrices[0],
                                   .right = matrices[1],
                                   .without_barrier = matrices[2]};
    vkmm_measurement time;
    vkmm_access counted, formula;
    vkmm_kernel_info kernel;
    vkmm_race_result race;
    vkmm_job *job = NULL;
    vkmm_status status = VKMM_OK;
    if (me->number % 3 == 0) {
        status = vkmm_job_create(suite.device, NULL, &jobs[me->number], &job);
        if (status == VKMM_OK && run(me->number, job)) status = vkmm_job_measure(job, &few, &time);
        vkmm_job_destroy(&job);
    } else if (me->number % 3 == 1) {
        CREW_EXPECT(me, vkmm_kernel_choose(NULL, suite.info, &tiled, &kernel) == VKMM_OK, "no kernel");
        CREW_EXPECT(me, vkmm_access_formula(&kernel, &tiled.problem, &formula) == VKMM_OK, "no formula");
        status = vkmm_access_count(suite.device, &tiled, &counted);
        CREW_EXPECT(me, status != VKMM_OK || vkmm_access_equal(&formula, &counted),
                    "counted other reads than there are");
    } else {
        status = vkmm_race_run(suite.device, &sums, &race);
        CREW_EXPECT(me, status != VKMM_OK || race.with_barrier.wrong_runs == 0, "wrong sums with a barrier");
    }
    CREW_EXPECT(me, status == VKMM_OK, "%s", vkmm_status_name(status));
}

/* Devices of one instance, made and ended side by side. Each writes its pipelines to the same file, which every other
 * thread then reads for a second device. */
CREW_TEST(devices_side_by_side)
{
    for (int time = 0; time < 1 + me->number % 2; time++) {
        vkmm_device *device = NULL;
        vkmm_job *job = NULL;
        const vkmm_status made = vkmm_device_create(suite.instance, 0, &device);
        vkmm_status status = made == VKMM_OK ? vkmm_job_create(device, NULL, &jobs[me->number], &job) : made;
        const int right = status == VKMM_OK && run(me->number, job) &&
                          is_wanted(me->number, vkmm_job_matrix(job, VKMM_C), me->shared);
        vkmm_job_destroy(&job);
        vkmm_device_destroy(&device);
        CREW_EXPECT(me, right, "a device of its own: %s", vkmm_status_name(status));
    }
}

/* A stream runs a thread for each device: the bits are those of one device. */
TEST(one_product_on_several_devices)
{
    enum { SIDE = 160, DEVICES = 3 };
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[2][SIDE * SIDE];
    vkmm_device *devices[DEVICES] = {suite.device};
    vkmm_fill(a, SIDE, SIDE, VKMM_F32, VKMM_INIT_UNIFORM, 1);
    vkmm_fill(b, SIDE, SIDE, VKMM_F32, VKMM_INIT_UNIFORM, 2);
    for (int i = 1; i < DEVICES; i++) assert_ok(vkmm_device_create(suite.instance, 0, &devices[i]));
    for (int several = 0; several < 2; several++) {
        const vkmm_stream_params params = {.job = {.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE),
                                                   .kernel = jobs[7].kernel,
                                                   .config = jobs[7].config},
                                           .memory_limit = 160 << 10,
                                           .others = devices + 1,
                                           .other_count = several ? DEVICES - 1 : 0};
        const vkmm_stream_io io = {.a = a, .b = b, .c = c[several]};
        vkmm_stream *stream = NULL;
        assert_ok(vkmm_stream_create(devices[0], NULL, &params, &stream));
        for (int time = 0; time < (several ? 4 : 1); time++) {
            memset(c[several], 0, sizeof c[several]);
            assert_ok(vkmm_stream_run(stream, &io, NULL));
            assert_memory_equal(c[several], c[0], sizeof c[0]);
        }
        vkmm_stream_destroy(&stream);
    }
    for (int i = 1; i < DEVICES; i++) vkmm_device_destroy(&devices[i]);
}

int main(void)
{
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    int absent = suite_open(&suite);
    if (absent) return absent;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    int failed = _cmocka_run_group_tests("threads: products", tests, count, alone, forget);
    return suite_close(&suite) ? 1 : failed;
}
