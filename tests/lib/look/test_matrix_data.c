/* The matrix peak's operands, multiplied here step by step as its shader does, give what the host expects of the
 * device. */
#include "unit.h"
#include "look/matrix_peak.h"
#include "math/type.h"
#include "vk/cooperative_matrix.h"

enum { FRAGMENTS = VKMM_MATRIX_FRAGMENTS };

static double value_at(const void *memory, uint64_t at, vkmm_type type)
{
    return vkmm_type_get(type, (const char *)memory + at * vkmm_type_of(type)->bytes);
}

/* One element of the sum over all fragments: A·B, then `steps` times A·B and A·D. *most: the largest value on the
 * way. */
static double product(const vkmm_matrix_shape *s, const vkmm_matrix_types *types, const void *operands, uint32_t steps,
                      uint32_t i, uint32_t j, double *most)
{
    const uint64_t a = (uint64_t)s->m * s->k, b = (uint64_t)s->k * s->n;
    double sum = 0;
    for (uint64_t fragment_a = 0; fragment_a < FRAGMENTS; fragment_a++)
        for (uint64_t fragment_b = 0; fragment_b < FRAGMENTS; fragment_b++)
            for (uint32_t turn = 0; turn < 1 + 2 * steps; turn++)
                for (uint64_t x = 0; x < s->k; x++) {
                    const int with_d = turn > 0 && turn % 2 == 0;
                    const uint64_t at = FRAGMENTS * a + (fragment_b + (with_d ? FRAGMENTS : 0)) * b + x * s->n + j;
                    sum += value_at(operands, fragment_a * a + i * s->k + x, types->operand) *
                           value_at(operands, at, types->operand);
                    if (fabs(sum) > *most) *most = fabs(sum);
                }
    return sum;
}

static void check_shape(const vkmm_matrix_shape *shape)
{
    const vkmm_matrix_types *types = vkmm_matrix_types_of(shape);
    const uint32_t steps = 3;
    double most = 0;
    int nonzero = 0;
    assert_non_null(types);
    char *operands =
        calloc((size_t)FRAGMENTS * shape->k * (shape->m + 2 * shape->n), vkmm_type_of(types->operand)->bytes);
    char *expected = calloc((size_t)shape->m * shape->n, vkmm_type_of(types->sum)->bytes);
    assert_true(operands && expected);
    vkmm_matrix_fill(shape, types, operands);
    vkmm_matrix_expect(shape, types, steps, expected);
    for (uint32_t i = 0; i < shape->m; i++)
        for (uint32_t j = 0; j < shape->n; j++) {
            const double want = product(shape, types, operands, steps, i, j, &most);
            assert_true(value_at(expected, (uint64_t)i * shape->n + j, types->sum) == want);
            nonzero += want != 0;
        }
    assert_true(nonzero > (int)(shape->m * shape->n / 2));
    if (vkmm_type_of(types->operand)->is_float) assert_true(most <= 2048); /* whole numbers in f16 */
    free(operands);
    free(expected);
}

TEST(expects_what_the_shader_does)
{
    static const vkmm_matrix_shape shapes[] = {
        {16, 16, 16, 0, 0, 0, 0, VK_SCOPE_SUBGROUP_KHR, 0},
        {16, 8, 16, 0, 0, 1, 1, VK_SCOPE_SUBGROUP_KHR, 0},
        {16, 16, 32, 3, 3, 5, 5, VK_SCOPE_SUBGROUP_KHR, 0},
        {8, 16, 32, 7, 7, 9, 9, VK_SCOPE_SUBGROUP_KHR, 0},
        {16, 8, 16, VK_COMPONENT_TYPE_BFLOAT16_KHR, VK_COMPONENT_TYPE_BFLOAT16_KHR, 1, 1, VK_SCOPE_SUBGROUP_KHR, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_shape(&shapes[i]);
}

TEST(has_no_shader_for_what_it_cannot_check)
{
    static const vkmm_matrix_shape shapes[] = {
        {16, 16, 16, 0, 0, 1, 1, VK_SCOPE_SUBGROUP_KHR, 1}, /* saturating */
        {16, 16, 16, 0, 0, 1, 1, 2, 0},                     /* of another scope */
        {16, 15, 16, 0, 0, 1, 1, VK_SCOPE_SUBGROUP_KHR, 0}, /* rows that end within a word */
        {16, 16, 16, 0, 0, 1, 0, VK_SCOPE_SUBGROUP_KHR, 0}, /* another type of the result than of C */
        {16, 16, 16, 0, 0, 2, 2, VK_SCOPE_SUBGROUP_KHR, 0}, /* sums of f64 */
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) assert_null(vkmm_matrix_types_of(&shapes[i]));
}
