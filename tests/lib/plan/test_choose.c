/* Choosing and legality on devices that are not here: SwiftShader's caps, a 16 KiB mobile GPU, 65,535 groups, no
 * f64, 128 MiB ranges. */
#include "unit.h"
#include "devices.h"
#include "kernel/contract.h"
#include "kernel/user.h"
#include "plan/choose.h"

static const vkmm_device_info *const desktop = &devices[DESKTOP], *const mobile = &devices[MOBILE],
                                     *const processor = &devices[SWIFTSHADER];

static vkmm_status choose(const vkmm_device_info *device, vkmm_problem problem, vkmm_wish wish, vkmm_choice *choice)
{
    return vkmm_choose(device, &problem, &wish, choice);
}

/* A tile means the tiled kernel (what auto takes without one is in test_planner.c). */
TEST(auto_with_a_tile_is_tiled)
{
    const vkmm_device_info *const both[] = {desktop, processor};
    const vkmm_wish wish = {.tile_rows = 16, .tile_cols = 16};
    vkmm_choice choice;
    for (size_t i = 0; i < VKMM_COUNT(both); i++) {
        assert_ok(choose(both[i], VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = VKMM_F32), wish, &choice));
        assert_string_equal(choice.info.name, "tiled");
        assert_int_equal(choice.info.tile[0], 16);
        assert_int_equal(choice.info.shared_bytes, 2 * 16 * 16 * 4);
    }
}

/* Every kernel of the tutorials, type and wished tile on every device: refused with a reason, or within every limit. */
TEST(nothing_chosen_breaks_a_limit)
{
    const vkmm_device_info *const some[] = {desktop, mobile, processor};
    const uint32_t sides[] = {0, 1, 2, 7, 16, 32, 33, 64, 1024};
    for (size_t d = 0; d < 3; d++)
        for (uint32_t k = 1; vkmm_kernel_at(k) && !vkmm_kernel_at(k)->tunables; k++)
            for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
                for (size_t i = 0; i < 81; i++) {
                    vkmm_choice choice;
                    vkmm_wish wish = {
                        .kernel = vkmm_kernel_at(k)->name, .tile_rows = sides[i / 9], .tile_cols = sides[i % 9]};
                    vkmm_problem problem = VKMM_PROBLEM(.m = 3000000, .n = 5, .k = 3, .type = (vkmm_type)type);
                    if (choose(some[d], problem, wish, &choice) != VKMM_OK) {
                        assert_true(strlen(vkmm_last_error()) > 20);
                        continue;
                    }
                    const vkmm_kernel_info *info = &choice.info;
                    assert_true((uint64_t)info->workgroup[0] * info->workgroup[1] <= some[d]->limits.max_invocations);
                    assert_true(info->shared_bytes <= some[d]->limits.max_shared_bytes);
                    for (int axis = 0; axis < 3; axis++) {
                        assert_in_range(info->groups[axis], 1, some[d]->limits.max_workgroup_count[axis]);
                        assert_in_range(info->workgroup[axis], 1, some[d]->limits.max_workgroup_size[axis]);
                    }
                    assert_in_range(info->spec_count, VKMM_SPEC_PLAIN_COUNT, VKMM_SPEC_PLAIN_COUNT + 4);
                    assert_int_equal(info->spec_values[VKMM_SPEC_WORKGROUP_X], info->workgroup[0]);
                }
}

TEST(says_what_forbids_a_tile)
{
    vkmm_choice choice;
    const vkmm_problem problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = VKMM_F32),
                       wide = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = VKMM_F64);
    vkmm_wish wish = {.kernel = "tiled", .tile_rows = 48, .tile_cols = 48};
    assert_int_equal(choose(processor, problem, wish, &choice), VKMM_UNSUPPORTED);
    assert_string_equal(
        vkmm_last_error(),
        "tile 48x48 needs 2304 invocations; \"SwiftShader\" allows 256 (maxComputeWorkGroupInvocations); "
        "nearest legal: 16x16");
    wish = (vkmm_wish){.kernel = "tiled", .tile_rows = 4, .tile_cols = 128};
    assert_int_equal(choose(desktop, wide, wish, &choice), VKMM_UNSUPPORTED);
    assert_string_equal(vkmm_last_error(),
                        "tile 4x128 needs 135168 bytes of shared memory; \"Desktop, subgroup 32\" allows "
                        "49152 (maxComputeSharedMemorySize); "
                        "nearest legal: 4x64");
    assert_refused(choose(mobile, wide, (vkmm_wish){.kernel = "tiled"}, &choice), VKMM_UNSUPPORTED, "shaderFloat64");
    assert_ok(choose(mobile, wide, (vkmm_wish){.terms.in_one = 1}, &choice));
    assert_string_equal(choice.info.name, "soft64");
}

TEST(says_how_large_a_square_may_be)
{
    vkmm_choice choice;
    assert_ok(choose(mobile, VKMM_PROBLEM(.m = 5792, .n = 5792, .k = 5792, .type = VKMM_F32), (vkmm_wish){0}, &choice));
    assert_int_equal(
        choose(mobile, VKMM_PROBLEM(.m = 5793, .n = 5793, .k = 5793, .type = VKMM_F32), (vkmm_wish){0}, &choice),
        VKMM_UNSUPPORTED);
    assert_string_equal(
        vkmm_last_error(),
        "A needs 134235396 bytes; \"Mobile, 16 KiB, 128 invocations\" binds at most 134217728 (maxStorageBufferRange); "
        "the largest f32 square is 5792");
    assert_refused(
        choose(mobile, VKMM_PROBLEM(.m = 11586, .n = 11586, .k = 11586, .type = VKMM_I8), (vkmm_wish){0}, &choice),
        VKMM_UNSUPPORTED, "A needs 134235396 bytes");
    assert_contains(vkmm_last_error(), "the largest i8 square is 5792"); /* C is i32 */
}

TEST(serial_needs_no_device)
{
    vkmm_choice choice;
    assert_ok(
        choose(NULL, VKMM_PROBLEM(.m = 9, .n = 9, .k = 9, .type = VKMM_F64), (vkmm_wish){.kernel = "serial"}, &choice));
    assert_null(choice.module);
    assert_int_equal(
        choose(NULL, VKMM_PROBLEM(.m = 9, .n = 9, .k = 9, .type = VKMM_F32), (vkmm_wish){.kernel = "tiled"}, &choice),
        VKMM_NO_DEVICE);
}

TEST(an_empty_product_has_no_groups)
{
    vkmm_choice choice;
    for (uint32_t k = 1; vkmm_kernel_at(k) && !vkmm_kernel_at(k)->tunables; k++) {
        vkmm_wish wish = {.kernel = vkmm_kernel_at(k)->name};
        assert_ok(choose(desktop, VKMM_PROBLEM(.m = 0, .n = 9, .k = 9, .type = VKMM_F32), wish, &choice));
        assert_int_equal(choice.info.groups[0], 0);
        assert_ok(choose(desktop, VKMM_PROBLEM(.m = 9, .n = 9, .k = 0, .type = VKMM_F32), wish, &choice));
        assert_true(choice.info.groups[0] > 0); /* K = 0: zeros must be written */
    }
}

TEST(a_user_shader_may_not_exceed_the_group_count)
{
    vkmm_choice choice;
    vkmm_wish wish = {.kernel = "grouped", .tile_rows = 1, .tile_cols = 1};
    vkmm_problem tall = VKMM_PROBLEM(.m = 70000, .n = 1, .k = 1, .type = VKMM_F32);
    assert_ok(choose(desktop, tall, wish, &choice));
    assert_int_equal(choice.info.groups[1], 65535); /* a built-in kernel loops over the rest */

    struct vkmm_shader shader = {.kernel = {"user", "", VKMM_SPREAD_GRID, 16, 16, 0},
                                 .module = {"user", VKMM_F32, NULL, 0, VKMM_BUILD_PLAIN, VKMM_F32, 0, {0}}};
    wish.shader = &shader;
    assert_refused(choose(desktop, tall, wish, &choice), VKMM_UNSUPPORTED, "65535 (maxComputeWorkGroupCount[1])");
}
