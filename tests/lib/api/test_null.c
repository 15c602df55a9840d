/* What a public function does with NULL where its header allows none: a status, or NULL, 0 and zeros. */
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

static void takes_null_for_an_answer(void **state)
{
    (void)state;
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

static void destroys_nothing(void **state)
{
    (void)state;
    vkmm_instance_destroy(NULL);
    vkmm_device_destroy(NULL);
    vkmm_shader_destroy(NULL);
    vkmm_job_destroy(NULL);
    vkmm_memory_destroy(NULL);
    vkmm_tune_destroy(NULL);
    vkmm_tune_finish(NULL);
    vkmm_stream_destroy(NULL);
    vkmm_requirements_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_null_for_an_answer), cmocka_unit_test(destroys_nothing)};
    return cmocka_run_group_tests_name("null", tests, NULL, NULL);
}
