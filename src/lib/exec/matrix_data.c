/* The operands of the matrix peak, and what must come out. */
#include <string.h>

#include "base/random.h"
#include "exec/matrix_peak.h"
#include "math/half.h"
#include "vk/matrix.h"

static const vkmm_matrix_types known[] = {
    {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR, 2, 2, 1, 1},
    {VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR, 2, 4, 1, 1},
    {VK_COMPONENT_TYPE_BFLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR, 2, 4, 1, 1},
    {VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR, 1, 4, 0, 1},
    {VK_COMPONENT_TYPE_UINT8_KHR, VK_COMPONENT_TYPE_UINT32_KHR, 1, 4, 0, 0},
};

const vkmm_matrix_types *vkmm_matrix_types_of(const vkmm_matrix_shape *shape)
{
    if (shape->scope != VK_SCOPE_SUBGROUP_KHR || shape->saturating || shape->a != shape->b || shape->c != shape->result)
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const uint64_t bytes = known[i].operand_bytes;
        if (known[i].operand != shape->a || known[i].sum != shape->c) continue;
        return (shape->k * bytes) % 4 || (shape->n * bytes) % 4 || ((uint64_t)shape->n * known[i].sum_bytes) % 4
                   ? NULL
                   : &known[i];
    }
    return NULL;
}

/* -1, 0 or 1, unsigned 0 to 2: 4·4·K products of them stay whole numbers in f16 up to K = 128. */
static int32_t element(const vkmm_matrix_types *types, int operand, uint64_t at)
{
    const int32_t value = (int32_t)(vkmm_random_bits((uint64_t)operand, at) % 3);
    return types->is_signed ? value - 1 : value;
}

static void store(void *at, uint32_t bytes, int is_float, int32_t value)
{
    const uint16_t half = vkmm_f16_bits(value);
    const float single = (float)value;
    const uint8_t byte = (uint8_t)value;
    if (is_float && bytes == 2)
        memcpy(at, &half, 2);
    else if (is_float)
        memcpy(at, &single, 4);
    else if (bytes == 1)
        memcpy(at, &byte, 1);
    else
        memcpy(at, &value, 4);
}

static void store_operand(void *at, const vkmm_matrix_types *types, int32_t value)
{
    const uint16_t upper = vkmm_bf16_bits(value);
    if (types->operand == VK_COMPONENT_TYPE_BFLOAT16_KHR)
        memcpy(at, &upper, 2);
    else
        store(at, types->operand_bytes, types->is_float, value);
}

void vkmm_matrix_fill(const vkmm_matrix_shape *shape, const vkmm_matrix_types *types, void *operands)
{
    const uint64_t count_a = (uint64_t)VKMM_MATRIX_FRAGMENTS * shape->m * shape->k;
    const uint64_t count_b = (uint64_t)VKMM_MATRIX_FRAGMENTS * shape->k * shape->n;
    const int32_t d = types->is_signed ? -1 : 1;
    char *at = operands;
    for (uint64_t i = 0; i < count_a; i++, at += types->operand_bytes)
        store_operand(at, types, element(types, VKMM_A, i));
    for (uint64_t i = 0; i < 2 * count_b; i++, at += types->operand_bytes)
        store_operand(at, types, element(types, VKMM_B, i % count_b) * (i < count_b ? 1 : d));
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
    const uint32_t times = types->is_signed ? 1 : 1 + 2 * steps;
    char *at = result;
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++, at += types->sum_bytes) {
            int32_t sum = 0;
            for (uint64_t x = 0; x < k; x++)
                sum += sum_of(types, VKMM_A, m * k, i * k + x) * sum_of(types, VKMM_B, k * n, x * n + j);
            store(at, types->sum_bytes, types->is_float, (int32_t)((uint32_t)sum * times));
        }
}
