/* What a public function does with NULL where its header allows none: a status, or NULL, 0 and zeros. And with structs
 * of programs that were compiled with other headers. */
#include "unit.h"
#include "vkmatmul_vulkan.h"

#define REFUSED(call)                          \
    {                                          \
#call, (long long)(call), VKMM_INVALID \
    }
#define NONE(call)                            \
    {                                         \
#call, (long long)(intptr_t)(call), 0 \
    }

typedef struct outcome {
    const char *call;
    long long got, want;
} outcome;

TEST(takes_null_for_an_answer)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 1, .n = 1, .k = 1);
    const vkmm_device_info device = {.index = 0};
    vkmm_candidate candidate;
    vkmm_tuned tuned;
    char text[32];
    double ms;
    const outcome outcomes[] = {
        REFUSED(vkmm_instance_create(NULL, NULL)),
        REFUSED(vkmm_instance_find_device(NULL, NULL, NULL)),
        REFUSED(vkmm_instance_find_devices(NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_device_create(NULL, 0, NULL)),
        REFUSED(vkmm_multiply(NULL, &problem, NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_shader_compile(NULL, NULL, NULL, 0, VKMM_F32, NULL)),
        REFUSED(vkmm_shader_load(NULL, NULL, NULL, 0, VKMM_F32, NULL)),
        REFUSED(vkmm_job_create(NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_job_run(NULL)),
        REFUSED(vkmm_job_measure(NULL, NULL, NULL)),
        REFUSED(vkmm_tune_create(NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_tune_tell(NULL, NULL, 0)),
        REFUSED(vkmm_tuned_put(NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_tuned_export(NULL, NULL, NULL)),
        REFUSED(vkmm_tuned_import(NULL, NULL, NULL)),
        REFUSED(vkmm_gemm_check(NULL, NULL)),
        REFUSED(vkmm_gemm_record(NULL, NULL, NULL)),
        REFUSED(vkmm_gemm_pack(NULL, NULL, VKMM_A, NULL, NULL, 0)),
        REFUSED(vkmm_device_handles(NULL, NULL)),
        REFUSED(vkmm_stream_create(NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_stream_change(NULL, NULL)),
        REFUSED(vkmm_stream_run(NULL, NULL, NULL)),
        REFUSED(vkmm_memory_create(NULL, 0, NULL)),
        REFUSED(vkmm_memory_write(NULL, 0, 0, NULL)),
        REFUSED(vkmm_memory_read(NULL, 0, 0, NULL)),
        REFUSED(vkmm_memory_multiply(NULL, NULL, NULL, NULL, NULL, NULL)),
        REFUSED(vkmm_device_requirements(NULL, NULL)),
        REFUSED(vkmm_requirements_merge(NULL, NULL)),
        REFUSED(vkmm_device_import(NULL, NULL)),
        NONE(vkmm_requirements_list(NULL, NULL)),
        NONE(vkmm_requirements_extensions(NULL, NULL)),
        NONE(vkmm_device_describe(NULL)),
        NONE(vkmm_device_lacks(NULL, NULL)),
        NONE(vkmm_operand_bytes(NULL, VKMM_A)),
        NONE(vkmm_operand_type(NULL, VKMM_A)),
        NONE(vkmm_problem_compute(NULL)),
        NONE(vkmm_instance_validation_messages(NULL)),
        NONE(vkmm_instance_device_count(NULL)),
        NONE(vkmm_instance_device_info(NULL, 0)),
        NONE(vkmm_kernel_is_general(NULL)),
        NONE(vkmm_kernel_built(NULL, VKMM_F32)),
        NONE(vkmm_gemm_describe(NULL)),
        NONE(vkmm_job_kernel(NULL)),
        NONE(vkmm_job_matrix(NULL, VKMM_A)),
        NONE(vkmm_job_reads_c(NULL)),
        NONE(vkmm_tune_next(NULL, &candidate)),
        NONE(vkmm_tune_ranked(NULL, 0, &candidate, &ms)),
        NONE(vkmm_tune_look(NULL).size),
        NONE(vkmm_tuned_get(NULL, &device, &problem, &tuned)),
        NONE(vkmm_stream_reason(NULL, &problem, 0, text, sizeof text)),
        NONE(vkmm_stream_kernel(NULL)),
        NONE(vkmm_stream_partition(NULL).rows),
        NONE(vkmm_stream_part_at(NULL, 0).device),
    };
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        if (outcomes[i].got != outcomes[i].want) fail_msg("%s is %lld", outcomes[i].call, outcomes[i].got);
}

TEST(destroys_nothing)
{
    vkmm_instance_destroy(NULL);
    vkmm_device_destroy(NULL);
    vkmm_shader_destroy(NULL);
    vkmm_job_destroy(NULL);
    vkmm_gemm_destroy(NULL);
    vkmm_memory_destroy(NULL);
    vkmm_tune_destroy(NULL);
    vkmm_stream_destroy(NULL);
    vkmm_requirements_destroy(NULL);
}

static void keep(void *user, vkmm_log_level level, const char *sentence)
{
    (void)level;
    snprintf(user, 256, "%s", sentence);
}

/* The kernel "serial" needs no device. An older header's structs end earlier, here before fields that are not 0. */
TEST(takes_smaller_structs)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2), .kernel = "serial", .moduli = 99};
    const vkmm_measure_params measure = {.iters = 3, .skip_transfers = 1, .last_run = 1};
    char sentence[256] = "";
    const vkmm_log log = {keep, sentence};
    vkmm_measurement measurement;
    vkmm_job *job;
    assert_ok(vkmm_job_create_sized(NULL, &log, &params, offsetof(vkmm_job_params, moduli), &job));
    memset(vkmm_job_matrix(job, VKMM_A), 0, 16);
    memset(vkmm_job_matrix(job, VKMM_B), 0, 16);
    memset(&measurement, 77, sizeof measurement);
    assert_ok(vkmm_job_measure_sized(job, &measure, offsetof(vkmm_measure_params, last_run), &measurement,
                                     offsetof(vkmm_measurement, clock_note)));
    assert_int_equal(measurement.kernel.count, 3);
    assert_int_equal(measurement.clock, VKMM_CLOCK_HOST);
    assert_int_equal(measurement.copies, 0x4d4d4d4d);
    vkmm_job_destroy(&job);
    assert_string_equal(sentence, "");
}

TEST(refuses_larger_structs)
{
    struct {
        vkmm_job_params params;
        int more;
    } newer = {.params = {.problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2), .kernel = "serial"}};
    const vkmm_job_params params = newer.params;
    const vkmm_instance_params instance_params = {.log = {NULL, NULL}};
    char sentence[256] = "", want[256];
    const vkmm_log log = {keep, sentence};
    vkmm_instance *instance = NULL;
    vkmm_job *job = NULL;
    const size_t sizes[] = {0, sizeof params + 1, sizeof newer};
    for (size_t i = 0; i < 3; i++) {
        snprintf(want, sizeof want, "vkmm_job_params has %zu bytes; libvkmatmul " VKMM_VERSION_TEXT " knows 1 to %zu",
                 sizes[i], sizeof params);
        assert_int_equal(vkmm_job_create_sized(NULL, &log, &newer.params, sizes[i], &job), VKMM_INVALID);
        assert_contains(sentence, want);
        assert_null(job);
    }
    assert_int_equal(vkmm_instance_create_sized(&instance_params, sizeof instance_params + 8, &instance), VKMM_INVALID);
    assert_int_equal(vkmm_instance_create_sized(&instance_params, 0, &instance), VKMM_INVALID);
    newer.params.reserved[3] = 1;
    assert_int_equal(vkmm_job_create(NULL, &log, &newer.params, &job), VKMM_INVALID);
    assert_contains(sentence, "params->reserved is not 0");
    newer.params = params;
    newer.params.problem.reserved[0] = 1;
    assert_int_equal(vkmm_job_create(NULL, &log, &newer.params, &job), VKMM_INVALID);
    assert_contains(sentence, "problem->reserved is not 0");
}
