/* The operands of the matrix peak, and the expected results. */
#include "base/array.h"
#include "base/random.h"
#include "look/matrix_peak.h"
#include "math/component.h"
#include "math/type.h"
#include "vk/cooperative_matrix.h"

static const vkmm_matrix_types known[] = {
    {VKMM_F16, VKMM_F16}, {VKMM_F16, VKMM_F32}, {VKMM_BF16, VKMM_F32}, {VKMM_I8, VKMM_I32}, {VKMM_U8, VKMM_U32},
};

const vkmm_matrix_types *vkmm_matrix_types_of(const vkmm_matrix_shape *shape)
{
    if (shape->scope != VK_SCOPE_SUBGROUP_KHR || shape->saturating || shape->a != shape->b || shape->c != shape->result)
        return NULL;
    for (size_t i = 0; i < VKMM_COUNT(known); i++) {
        const uint64_t bytes = vkmm_type_of(known[i].operand)->bytes, sum_bytes = vkmm_type_of(known[i].sum)->bytes;
        if (vkmm_component_of(known[i].operand) == shape->a && vkmm_component_of(known[i].sum) == shape->c)
            return shape->k * bytes % 4 || shape->n * bytes % 4 || shape->n * sum_bytes % 4 ? NULL : &known[i];
    }
    return NULL;
}

/* -1, 0 or 1, unsigned 0 to 2: 4·4·K products of them stay whole numbers in f16 up to K = 128. */
static int32_t element(const vkmm_matrix_types *types, int operand, uint64_t at)
{
    const int32_t value = (int32_t)(vkmm_random_bits((uint64_t)operand, at) % 3);
    return types->operand == VKMM_U8 ? value : value - 1;
}

void vkmm_matrix_fill(const vkmm_matrix_shape *shape, const vkmm_matrix_types *types, void *operands)
{
    const uint64_t count_a = (uint64_t)VKMM_MATRIX_FRAGMENTS * shape->m * shape->k;
    const uint64_t count_b = (uint64_t)VKMM_MATRIX_FRAGMENTS * shape->k * shape->n;
    const uint32_t bytes = vkmm_type_of(types->operand)->bytes;
    const int32_t d = types->operand == VKMM_U8 ? 1 : -1;
    char *at = operands;
    for (uint64_t i = 0; i < count_a; i++, at += bytes) vkmm_type_put(types->operand, at, element(types, VKMM_A, i));
    for (uint64_t i = 0; i < 2 * count_b; i++, at += bytes)
        vkmm_type_put(types->operand, at, element(types, VKMM_B, i % count_b) * (i < count_b ? 1 : d));
}

/* Element `at` of the sum of all fragments of an operand. */
static int32_t sum_of(const vkmm_matrix_types *types, int operand, uint64_t fragment, uint64_t at)
{
    int32_t sum = 0;
    for (int i = 0; i < VKMM_MATRIX_FRAGMENTS; i++) sum += element(types, operand, i * fragment + at);
    return sum;
}

void vkmm_matrix_expect(const vkmm_matrix_shape *shape, const vkmm_matrix_types *types, uint32_t steps, void *result)
{
    const uint64_t m = shape->m, n = shape->n, k = shape->k;
    const uint32_t times = types->operand == VKMM_U8 ? 1 + 2 * steps : 1;
    char *at = result;
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++, at += vkmm_type_of(types->sum)->bytes) {
            int32_t sum = 0;
            for (uint64_t x = 0; x < k; x++)
                sum += sum_of(types, VKMM_A, m * k, i * k + x) * sum_of(types, VKMM_B, k * n, x * n + j);
            vkmm_type_put(types->sum, at, (int32_t)((uint32_t)sum * times));
        }
}
