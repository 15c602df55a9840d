/* Devices with memory of their own, played by a driver whose memory is unified: everything goes through staging
 * buffers. */
#include "job/job.h"
#include "look/access.h"
#include "look/kernel.h"
#include "look/race.h"
#include "math/matrix.h"
#include "suite.h"
#include "vk/command.h"

enum { M = 37, N = 29, K = 41 };

static suite_device suite;
SUITE_MAIN(suite)

static int copied(void **state)
{
    suite.info->memory.is_unified = 0;
    return 0;
}

TEST_WITH(all_cases, copied, NULL)
{
    assert_int_equal(suite_kernel(&suite, "naive", NULL, VKMM_F32, 1, 0), 0);
    assert_int_equal(suite_kernel(&suite, "tiled", NULL, VKMM_F32, 1, 0), 0);
}

/* A job of whole numbers. */
static vkmm_job *make_job(void)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_I32)};
    vkmm_job *job = keep_job(suite.device, NULL, &params);
    vkmm_fill(vkmm_job_matrix(job, VKMM_A), M, K, VKMM_I32, VKMM_INIT_UNIFORM, 1);
    vkmm_fill(vkmm_job_matrix(job, VKMM_B), K, N, VKMM_I32, VKMM_INIT_UNIFORM, 2);
    return job;
}

TEST_WITH(a_job_copies_and_says_so, copied, NULL)
{
    vkmm_job *job = make_job();
    vkmm_measurement time;
    vkmm_measure_params measure = {.iters = 3, .cold_iters_given = 1};
    assert_ok(vkmm_job_run(job));
    assert_true(suite_is_right(job));
    for (int without_transfers = 0; without_transfers < 2; without_transfers++) {
        measure.skip_transfers = without_transfers;
        vkmm_fill(vkmm_job_matrix(job, VKMM_C), M, N, VKMM_I32, VKMM_INIT_ONES,
                  0); /* the last product must come back over this */
        assert_ok(vkmm_job_measure(job, &measure, &time));
        assert_false(time.mapped);
        assert_int_equal(time.transfer.count, without_transfers ? 0 : 3);
        assert_true(suite_is_right(job));
    }
}

static PFN_vkCmdDispatch dispatch;
static VkBuffer strayed;

static VKAPI_ATTR void VKAPI_CALL stray(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    dispatch(command, x, y, z);
    suite.device->table.vkCmdFillBuffer(command, strayed, VKMM_GUARD_BYTES + M * N * 4, 4, 0);
    vkmm_command_barrier_all(suite.device, command);
}

/* Right behind C, where vkmm_job_multiply writes canaries before the first product only. */
TEST(stray_writes_are_found)
{
    for (int unified = 0; unified < 2; unified++) {
        suite.info->memory.is_unified = unified;
        vkmm_job *job = make_job();
        for (int turn = 0; turn < 2; turn++) {
            vkmm_fill(vkmm_job_matrix(job, VKMM_C), M, N, VKMM_I32, VKMM_INIT_ONES, 0);
            assert_ok(vkmm_job_multiply(job));
            assert_true(suite_is_right(job));
        }
        vkmm_command_free(suite.device, &job->commands[VKMM_PASS_UNTIMED]);
        strayed = job->stores[VKMM_C].buffer.handle;
        dispatch = suite.device->table.vkCmdDispatch;
        suite.device->table.vkCmdDispatch = stray;
        const vkmm_status status = vkmm_job_multiply(job);
        suite.device->table.vkCmdDispatch = dispatch;
        assert_int_equal(status, VKMM_WRONG_RESULT);
    }
}

/* The counters and the sums come back through staging buffers as well. */
TEST_WITH(counting_and_racing_copy_too, copied, NULL)
{
    vkmm_access counted, formula;
    vkmm_kernel_info info;
    vkmm_race_result race;
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_F32),
                                    .kernel = "tiled",
                                    .tile_rows = 8,
                                    .tile_cols = 8};
    static int32_t matrices[3][M * N];
    const vkmm_race_params sums = {.rows = M,
                                   .cols = N,
                                   .tile_rows = 4,
                                   .tile_cols = 4,
                                   .runs = 3,
                                   .values = matrices[0],
                                   .right = matrices[1],
                                   .without_barrier = matrices[2]};
    assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
    assert_ok(vkmm_access_formula(&info, &params.problem, &formula));
    assert_ok(vkmm_access_count(suite.device, &params, &counted));
    assert_true(vkmm_access_equal(&formula, &counted));
    assert_ok(vkmm_race_run(suite.device, &sums, &race));
    assert_int_equal(race.with_barrier.wrong_runs, 0);
}

static void run_job(const vkmm_problem *problem, const void *a, const void *b, void *c)
{
    const vkmm_job_params params = {.problem = *problem};
    vkmm_job *job = NULL;
    assert_ok(vkmm_job_create(suite.device, NULL, &params, &job));
    memcpy(vkmm_job_matrix(job, VKMM_A), a, vkmm_operand_bytes(problem, VKMM_A));
    memcpy(vkmm_job_matrix(job, VKMM_B), b, vkmm_operand_bytes(problem, VKMM_B));
    assert_ok(vkmm_job_run(job));
    memcpy(c, vkmm_job_matrix(job, VKMM_C), vkmm_operand_bytes(problem, VKMM_C));
    vkmm_job_destroy(&job);
}

/* A·B, and that times B, twice: in jobs, and with one memory of the device after the other. The same kernels
 * give the same bits. Half a word is left at the end of C. */
static void check_memory(vkmm_type type)
{
    enum { SIDE = 37, BYTES = SIDE * SIDE * 4 };
    static char a[BYTES], b[BYTES], once[BYTES], twice[BYTES], got[BYTES];
    vkmm_memory *there[4] = {NULL};
    const vkmm_problem problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .type = type);
    const uint64_t bytes = vkmm_operand_bytes(&problem, VKMM_C);
    vkmm_fill(a, SIDE, SIDE, type, VKMM_INIT_UNIFORM, 1);
    vkmm_fill(b, SIDE, SIDE, type, VKMM_INIT_UNIFORM, 2);
    for (int unified = 0; unified < 2; unified++) {
        suite.info->memory.is_unified = unified;
        run_job(&problem, a, b, once);
        run_job(&problem, once, b, twice);
        for (int i = 0; i < 4; i++) assert_ok(vkmm_memory_create(suite.device, bytes, &there[i]));
        assert_ok(vkmm_memory_write(there[0], 0, 7, a));
        assert_ok(vkmm_memory_write(there[0], 7, bytes - 7, a + 7));
        assert_ok(vkmm_memory_write(there[1], 0, bytes, b));
        assert_ok(vkmm_memory_multiply(suite.device, &problem, there[0], there[1], NULL, there[2]));
        assert_ok(vkmm_memory_multiply(suite.device, &problem, there[2], there[1], NULL, there[3]));
        memset(got, 0, sizeof got);
        assert_ok(vkmm_memory_read(there[3], 5, bytes - 5, got + 5));
        assert_ok(vkmm_memory_read(there[3], 0, 5, got));
        for (int i = 0; i < 4; i++) vkmm_memory_destroy(&there[i]);
        assert_memory_equal(got, twice, bytes);
    }
}

TEST(memory_stays_on_the_device)
{
    check_memory(VKMM_I32);
    check_memory(VKMM_F16);
}

/* More chunks than there are, of which the last is short; at an odd place; and small copies with what they left. */
TEST_WITH(large_copies_pass_through_chunks, copied, NULL)
{
    enum { BYTES = 45 << 20, AT = 4096 + 3 };
    vkmm_memory *there = NULL;
    uint8_t *sent = malloc(BYTES), *got = calloc(BYTES, 1);
    assert_true(sent && got);
    for (uint32_t i = 0; i < BYTES; i++) sent[i] = (uint8_t)((i * 2654435761u) >> 24);
    assert_ok(vkmm_memory_create(suite.device, BYTES + 2 * AT, &there));
    assert_ok(vkmm_memory_write(there, AT, BYTES, sent));
    assert_ok(vkmm_memory_write(there, AT + 1000, 5, "moved"));
    memcpy(sent + 1000, "moved", 5);
    assert_ok(vkmm_memory_read(there, AT, BYTES, got));
    assert_memory_equal(got, sent, BYTES);
    assert_ok(vkmm_memory_read(there, AT + BYTES - 7, 7, got));
    assert_memory_equal(got, sent + BYTES - 7, 7);
    vkmm_memory_destroy(&there);
    free(sent), free(got);
}
