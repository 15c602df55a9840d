/* Matrix operations: what a device lists, and how fast its products of fragments are. Where nothing is listed, that. */
#include "look/matrix_peak.h"
#include "kernel/table.h"
#include "math/type.h"
#include "suite.h"
#include "vk/cooperative_matrix.h"

static suite_device suite;
SUITE_MAIN(suite)

static int has_shader(const vkmm_matrix_shape *shape)
{
    char name[80], a[32], c[32];
    snprintf(name, sizeof name, "matrix-peak-%s-%s", vkmm_component_name(shape->a, a),
             vkmm_component_name(shape->c, c));
    return vkmm_matrix_types_of(shape) && vkmm_module_find(name, VKMM_U32, VKMM_BUILD_PLAIN);
}

/* A wrong product has no peak: it would be VKMM_WRONG_RESULT. */
TEST(peaks_are_right_and_positive)
{
    const vkmm_device_matrices *matrices = &suite.info->matrices;
    uint32_t measured[2] = {0}; /* of integers and of floats */
    assert_int_equal(matrices->shape_count == 0, strlen(matrices->refusal) > 0);
    for (uint32_t i = 0; i < matrices->shape_count; i++) {
        const vkmm_matrix_shape *s = &matrices->shapes[i];
        double peak = -1;
        assert_true(s->m > 0 && s->n > 0 && s->k > 0 && s->scope > 0);
        if (!has_shader(s)) {
            assert_int_equal(vkmm_device_matrix_peak(suite.device, s, &peak), VKMM_UNSUPPORTED);
            assert_true(peak == -1);
            continue;
        }
        /* One of each: some drivers take seconds to compile it. */
        if (measured[vkmm_type_of(vkmm_matrix_types_of(s)->operand)->is_float]++ > 0) continue;
        assert_ok(vkmm_device_matrix_peak(suite.device, s, &peak));
        assert_true(peak > 0);
    }
    if (measured[0] + measured[1] > 0) return;
    assert_false(suite_must_have_matrices(&suite));
    skip();
}
