/* The ladder's steps of general kernels: what they make of a product, and when the reason for one is shown. */
#include "options/step_table.h"

#include <math.h>

#include "unit.h"

TEST(a_step_has_a_reason_when_it_needs_one)
{
    assert_null(cli_step_why("naive", 2.4, 1, 1.3));
    assert_non_null(cli_step_why("naive", 2.6, 1, 1));
    assert_non_null(cli_step_why("naive", 0, 1, 1.5));
    assert_non_null(cli_step_why("naive", 0, 1, 0.7));
    assert_null(cli_step_why("naive", 0, NAN, 1));
    assert_null(cli_step_why("example.comp", 9, NAN, 1));
}

TEST(a_step_changes_the_product)
{
    const vkmm_device_info cpu = {.type = VK_PHYSICAL_DEVICE_TYPE_CPU}, gpu = {.type = VK_PHYSICAL_DEVICE_TYPE_OTHER};
    cli_step step;
    for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
        vkmm_job_params parts = {.problem.type = VKMM_F32}, direct = parts, staged = parts;
        assert_true(cli_step_of_option("parts", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &parts);
        assert_int_equal(parts.problem.k, is_cpu ? 2048 : 16384);
        assert_true(cli_step_of_option("direct", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &direct);
        assert_int_equal(direct.problem.type, VKMM_F16);
        assert_int_equal(direct.problem.out_type, VKMM_F32);
        assert_true(cli_step_of_option("staged", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &staged);
        assert_memory_equal(staged.config, is_cpu ? "rows=32" : "rows=64", 7);
    }
    assert_false(cli_step_of_option("blocked", &step)); /* a kernel takes each problem */
    assert_false(cli_step_of_option("auto", &step));
}
