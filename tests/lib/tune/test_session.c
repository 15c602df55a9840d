/* The public search on a device that is not here: which candidates it names. */
#include "instance.h"

#include "kernel/legal.h"
#include "look/kernel.h"
#include "plan/choose.h"

static heard said;

static const vkmm_device_info desktop = {
    .name = "Desktop",
    .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    .uuid = {1},
    .limits.max_invocations = 1024,
    .limits.max_workgroup_size = {1024, 1024, 64},
    .limits.max_workgroup_count = {2147483647, 65535, 65535},
    .limits.max_shared_bytes = 49152,
    .limits.max_storage_range = UINT32_MAX,
    .memory.max_allocation_bytes = UINT64_MAX,
    .memory.max_buffer_bytes = UINT64_MAX,
    .subgroup.size = 32,
};

static vkmm_tune *search_for(vkmm_instance *instance, vkmm_problem problem)
{
    const vkmm_tune_params params = {problem};
    vkmm_tune *tune = NULL;
    assert_ok(vkmm_tune_create(instance, &desktop, &params, &tune));
    return tune;
}

static double speed(const vkmm_candidate *candidate)
{
    uint64_t sum = 0;
    for (const char *c = candidate->config; *c != '\0'; c++) sum = sum * 31 + (unsigned char)*c;
    return 1 + (double)(sum % 1000) / 100;
}

/* Asks for candidates and tells of them; the last one's name. */
static vkmm_candidate try_some(vkmm_tune *tune, int count)
{
    vkmm_candidate candidate = {""};
    for (int i = 0; i < count; i++) {
        assert_true(vkmm_tune_next(tune, &candidate));
        assert_ok(vkmm_tune_tell(tune, &candidate, i % 5 == 3 ? 0 : speed(&candidate)));
    }
    return candidate;
}

static const vkmm_problem problem = VKMM_PROBLEM_INIT(.m = 1000, .n = 1000, .k = 1000);

IN_FOLDER(the_planners_choice_comes_first_and_all_are_legal)
{
    vkmm_instance *instance = begin(&said);
    vkmm_tune *tune = search_for(instance, problem);
    vkmm_choice planned, choice;
    vkmm_wish wish = {.kernel = NULL};
    assert_ok(vkmm_choose(&desktop, &problem, &wish, &planned));
    assert_true(vkmm_tune_look(tune).size > 100);
    for (int i = 0; i < 200; i++) {
        vkmm_candidate candidate;
        assert_true(vkmm_tune_next(tune, &candidate));
        wish = (vkmm_wish){.kernel = candidate.kernel, .config = candidate.config};
        assert_ok(vkmm_choose(&desktop, &problem, &wish, &choice));
        assert_string_equal(choice.info.config, candidate.config);
        if (i == 0) {
            assert_string_equal(candidate.kernel, planned.info.name);
            assert_string_equal(candidate.config, planned.info.config);
        }
        assert_ok(vkmm_tune_tell(tune, &candidate, i == 0 ? 5 : speed(&candidate)));
    }
    vkmm_tune_state look = vkmm_tune_look(tune);
    assert_int_equal(look.measured, 200);
    assert_true(look.planned_ms == 5);
    assert_string_equal(look.planned.config, planned.info.config);
    vkmm_candidate a, b;
    double fast, slow;
    assert_true(vkmm_tune_ranked(tune, 0, &a, &fast) && vkmm_tune_ranked(tune, 199, &b, &slow) && fast < slow);
    assert_false(vkmm_tune_ranked(tune, 200, &a, &fast));
    vkmm_tune_destroy(&tune);
    end(instance);
    assert_int_equal(said.count, 0);
}

IN_FOLDER(an_earlier_result_is_tried_again)
{
    vkmm_instance *instance = begin(&said);
    vkmm_tuned tuned = {.best = {.kernel = "blocked"}};
    vkmm_tune *tune = search_for(instance, problem);
    tuned.best = try_some(tune, 60);
    vkmm_tune_destroy(&tune);
    assert_ok(vkmm_tuned_put(instance, &desktop, &problem, &tuned));
    tune = search_for(instance, problem);
    vkmm_candidate candidate = try_some(tune, 2);
    assert_string_equal(candidate.config, tuned.best.config);
    vkmm_tune_destroy(&tune);
    end(instance);
}

IN_FOLDER(refuses_what_the_planner_refuses)
{
    vkmm_instance *instance = begin(&said);
    vkmm_tune *tune = NULL;
    vkmm_tune_params params = {.problem = problem};
    params.problem.lda = 5;
    assert_int_equal(vkmm_tune_create(instance, &desktop, &params, &tune), VKMM_INVALID);
    assert_null(tune);
    params.problem = problem;
    params.problem.type = VKMM_F64;
    params.problem.k = 200000;
    assert_int_equal(vkmm_tune_create(instance, &desktop, &params, &tune), VKMM_UNSUPPORTED);
    assert_contains(said.last, "K = 200000 in f64, not as residues");
    end(instance);
}

/* This device has none. Each candidate is legal in a job, whether it asks for residues or not. */
IN_FOLDER(tunes_f64_without_64_bit_floats)
{
    vkmm_instance *instance = begin(&said);
    vkmm_problem f64 = problem;
    f64.type = VKMM_F64;
    vkmm_tune *tune = search_for(instance, f64);
    for (int i = 0; i < 40; i++) {
        const vkmm_candidate candidate = try_some(tune, 1);
        vkmm_job_params params = {.problem = f64, .kernel = candidate.kernel, .config = candidate.config};
        for (int method = VKMM_COMPUTE_DIRECT; method <= VKMM_COMPUTE_MODULAR; method += VKMM_COMPUTE_MODULAR) {
            vkmm_kernel_info info;
            params.problem.method = (vkmm_method)method;
            assert_ok(vkmm_kernel_choose(&instance->log, &desktop, &params, &info));
            assert_int_equal(info.moduli, 15);
        }
    }
    vkmm_tune_destroy(&tune);
    end(instance);
}

IN_FOLDER(survives_without_memory)
{
    for (uint64_t n = 1, done = 0; !done; n++) {
        vkmm_instance *instance = begin(&said);
        const vkmm_tune_params params = {.problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8)};
        vkmm_tune *tune = NULL;
        vkmm_candidate candidate;
        vkmm_alloc_fail_after(n);
        vkmm_status status = vkmm_tune_create(instance, &desktop, &params, &tune);
        if (status == VKMM_OK && vkmm_tune_next(tune, &candidate)) status = vkmm_tune_tell(tune, &candidate, 1);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        vkmm_tune_destroy(&tune);
        end(instance);
        done = n == 40; /* more than there are */
    }
}
