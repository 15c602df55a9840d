/* Matrix operations: what a device lists, and how fast its products of fragments are. Where nothing is listed, that. */
#include <stdio.h>
#include <string.h>

#include "look/matrix_peak.h"
#include "kernel/table.h"
#include "math/component.h"
#include "math/type.h"
#include "suite.h"
#include "vk/cooperative_matrix.h"

static suite_device suite;
static const vkmm_matrix_shape *shapes;
static uint32_t shape_count, measured[2]; /* of floats and of integers */

static int has_shader(const vkmm_matrix_shape *shape)
{
    char name[80], a[32], c[32];
    snprintf(name, sizeof name, "matrix-peak-%s-%s", vkmm_component_name(shape->a, a),
             vkmm_component_name(shape->c, c));
    return vkmm_matrix_types_of(shape) && vkmm_module_find(name, VKMM_U32, VKMM_BUILD_PLAIN);
}

static void lists_shapes_or_says_why(void **state)
{
    (void)state;
    const vkmm_device_info *info = vkmm_instance_device_info(suite.instance, 0);
    const char *why = info->matrices.refusal;
    shapes = info->matrices.shapes;
    shape_count = info->matrices.shape_count;
    assert_int_equal(shape_count == 0, strlen(why) > 0);
    if (shape_count == 0) printf("# no matrix shapes: %s\n", why);
    for (uint32_t i = 0; i < shape_count; i++) {
        char a[32], c[32];
        printf("# %ux%ux%u %s into %s\n", shapes[i].m, shapes[i].n, shapes[i].k, vkmm_component_name(shapes[i].a, a),
               vkmm_component_name(shapes[i].result, c));
        assert_true(shapes[i].m > 0 && shapes[i].n > 0 && shapes[i].k > 0 && shapes[i].scope > 0);
    }
}

/* A wrong product has no peak: it would be VKMM_WRONG_RESULT. */
static void peaks_are_right_and_positive(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < shape_count; i++) {
        double peak = -1;
        char a[32], c[32];
        /* One of each: some drivers take seconds to compile it. */
        if (!has_shader(&shapes[i]) ||
            measured[vkmm_type_of(vkmm_matrix_types_of(&shapes[i])->operand)->is_float]++ > 0)
            continue;
        assert_int_equal(vkmm_device_matrix_peak(suite.device, &shapes[i], &peak), VKMM_OK);
        printf("# %ux%ux%u %s into %s: %.3f G multiply-adds a second\n", shapes[i].m, shapes[i].n, shapes[i].k,
               vkmm_component_name(shapes[i].a, a), vkmm_component_name(shapes[i].c, c), peak * 1e-9);
        assert_true(peak > 0);
    }
    if (measured[0] + measured[1] == 0) skip();
}

static void refuses_what_is_not_listed(void **state)
{
    (void)state;
    const vkmm_matrix_shape none = {7, 7, 7, 0, 0, 1, 1, VK_SCOPE_SUBGROUP_KHR, 0};
    double peak = -1;
    assert_int_equal(vkmm_device_matrix_peak(suite.device, &none, &peak), VKMM_UNSUPPORTED);
    for (uint32_t i = 0; i < shape_count; i++)
        if (!has_shader(&shapes[i]))
            assert_int_equal(vkmm_device_matrix_peak(suite.device, &shapes[i], &peak), VKMM_UNSUPPORTED);
    assert_true(peak == -1);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_shapes_or_says_why),
        cmocka_unit_test(peaks_are_right_and_positive),
        cmocka_unit_test(refuses_what_is_not_listed),
    };
    int failed = suite_run(&suite, "matrix operations", tests);
    if (failed == 0 && measured[0] + measured[1] == 0) return suite_exit_without_matrices(&suite);
    return suite_exit(&suite, failed);
}
