#include "look/matrix_peak.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/random.h"
#include "look/peak.h"
#include "math/type.h"
#include "vk/command.h"
#include "vk/cooperative_matrix.h"

/* ---- the operands, and the results that they must have ---- */

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

/* ---- measuring ---- */

/* Workgroups of four subgroups: many per processor, in a number with many divisors. */
enum { SUBGROUPS = 4, GROUPS_CPU = 64, GROUPS_GPU = 4096, GROUPS_PROCESSOR = 48 };

typedef struct bench {
    vkmm_device *device;
    const vkmm_matrix_shape *shape;
    const vkmm_matrix_types *types;
    const vkmm_module *module;
    vkmm_peak peak;                            /* from: the operands; to: the results */
    vkmm_buffer host;                          /* both ways */
    uint64_t operand_bytes, slot_bytes, slots; /* a slot: what one subgroup stores */
    uint32_t workgroup, subgroups;             /* subgroups: of a workgroup, as the device reported */
} bench;

static void size_up(bench *b)
{
    const vkmm_device_info *info = &b->device->physical->info;
    const vkmm_matrix_shape *s = b->shape;
    const uint64_t whole = vkmm_widest_group(info, UINT32_MAX) / info->subgroup.size,
                   subgroups = whole < 1 ? 1 : vkmm_least(whole, SUBGROUPS);
    uint64_t groups = vkmm_is_processor(info) ? GROUPS_CPU : GROUPS_GPU;
    if (info->processors > 0) groups = (uint64_t)info->processors * GROUPS_PROCESSOR;
    b->workgroup = (uint32_t)(subgroups * info->subgroup.size);
    b->operand_bytes =
        (uint64_t)VKMM_MATRIX_FRAGMENTS * s->k * (s->m + 2 * (uint64_t)s->n) * vkmm_type_of(b->types->operand)->bytes;
    b->slot_bytes = (uint64_t)s->m * s->n * vkmm_type_of(b->types->sum)->bytes;
    const uint64_t room = vkmm_least(info->limits.max_storage_range, vkmm_largest_buffer(info)) / 2;
    b->slots = vkmm_least(vkmm_least(groups, info->limits.max_workgroup_count[0]) * SUBGROUPS, room / b->slot_bytes);
    b->peak = (vkmm_peak){.device = b->device, .groups = 1, .push_bytes = sizeof(uint32_t)};
}

static uint64_t result_bytes(const bench *b)
{
    return VKMM_MATRIX_HEADER * sizeof(uint32_t) + b->slots * b->slot_bytes;
}

static vkmm_status create(bench *b)
{
    const uint32_t values[] = {b->workgroup, b->shape->m, b->shape->n, b->shape->k};
    const uint64_t results = result_bytes(b), host = results > b->operand_bytes ? results : b->operand_bytes;
    vkmm_status status =
        vkmm_buffer_create(b->device, "matrix fragments", b->operand_bytes, VKMM_PLACE_DEVICE, &b->peak.from);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(b->device, "matrix fragments", results, VKMM_PLACE_DEVICE, &b->peak.to);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(b->device, "matrix fragments", host, VKMM_PLACE_DOWNLOAD, &b->host);
    return status == VKMM_OK ? vkmm_peak_create(&b->peak, b->module, 4, values) : status;
}

static vkmm_status wrong(const bench *b, uint64_t slot)
{
    const vkmm_matrix_shape *s = b->shape;
    char a[32], c[32];
    return vkmm_fail(
        VKMM_WRONG_RESULT,
        "\"%s\" computes wrong products of %ux%ux%u matrices of %s into %s: subgroup %llu of %llu, after %u steps",
        b->device->physical->info.name, s->m, s->n, s->k, vkmm_component_name(s->a, a), vkmm_component_name(s->c, c),
        (unsigned long long)slot, (unsigned long long)b->peak.groups * b->subgroups, b->peak.push[0]);
}

/* Compares what every subgroup stored in the last run. */
static vkmm_status check(bench *b, void *expected)
{
    vkmm_status status = vkmm_command_copy(b->device, b->peak.to.handle, 0, b->host.handle, result_bytes(b));
    uint32_t subgroups = 0;
    if (status != VKMM_OK) return status;
    memcpy(&subgroups, b->host.mapped, sizeof subgroups);
    if (subgroups == 0 || subgroups > b->slots) return wrong(b, 0);
    b->subgroups = subgroups;
    vkmm_matrix_expect(b->shape, b->types, b->peak.push[0], expected);
    const char *stored = (const char *)b->host.mapped + VKMM_MATRIX_HEADER * sizeof(uint32_t);
    for (uint64_t slot = 0; slot < (uint64_t)b->peak.groups * subgroups; slot++)
        if (memcmp(stored + slot * b->slot_bytes, expected, b->slot_bytes) != 0) return wrong(b, slot);
    return VKMM_OK;
}

/* One workgroup reports how many subgroups it has, and whether they multiply; then all of them run, longer and
 * longer. */
static vkmm_status measure(bench *b, void *expected, double *multiply_adds_per_s)
{
    const vkmm_matrix_shape *s = b->shape;
    vkmm_peak *peak = &b->peak;
    double ms = 0, spread = 0;
    vkmm_matrix_fill(s, b->types, b->host.mapped);
    vkmm_status status = vkmm_command_copy(b->device, b->host.handle, 0, b->peak.from.handle, b->operand_bytes);
    peak->push[0] = 3;
    if (status == VKMM_OK) status = vkmm_peak_run(peak, &ms);
    if (status == VKMM_OK) status = check(b, expected);
    if (status != VKMM_OK) return status;
    peak->groups =
        (uint32_t)vkmm_least(b->slots / b->subgroups, b->device->physical->info.limits.max_workgroup_count[0]);
    peak->push[0] = 1;
    status = vkmm_peak_best(peak, 1, &ms, &spread);
    if (status == VKMM_OK) status = check(b, expected);
    if (status != VKMM_OK) return status;
    const double fragments = VKMM_MATRIX_FRAGMENTS * VKMM_MATRIX_FRAGMENTS * (1.0 + 2.0 * peak->push[0]);
    *multiply_adds_per_s = ms > 0 ? (double)peak->groups * b->subgroups * fragments * s->m * s->n * s->k / ms * 1e3 : 0;
    return VKMM_OK;
}

static vkmm_status choose(bench *b)
{
    const vkmm_device_info *info = &b->device->physical->info;
    char a[32], c[32], name[80];
    const char *operand = vkmm_component_name(b->shape->a, a), *sum = vkmm_component_name(b->shape->c, c);
    b->types = vkmm_matrix_types_of(b->shape);
    if (!b->types)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "there is no shader for matrices of %ux%ux%u, %s into %s, scope %u%s: there are shaders for "
                         "f16, bf16, i8 and u8, of a subgroup, not saturating",
                         b->shape->m, b->shape->n, b->shape->k, operand, sum, b->shape->scope,
                         b->shape->saturating ? ", saturating" : "");
    VKMM_PUT(name, "matrix-peak-%s-%s", operand, sum);
    b->module = vkmm_module_find(name, VKMM_U32, VKMM_BUILD_PLAIN);
    if (!b->module)
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "this build has no shader for matrices of %s into %s: its shader compiler could not compile it", operand,
            sum);
    if (b->types->operand == VKMM_BF16) {
        if (info->features.bf16_matrices) return VKMM_OK;
        return vkmm_fail(VKMM_UNSUPPORTED, "\"%s\" lists matrices of bf16, but lacks shaderBFloat16CooperativeMatrix",
                         info->name);
    }
    if (b->types->operand == VKMM_F16 ? !info->features.f16 : !info->features.i8)
        return vkmm_fail(VKMM_UNSUPPORTED, "\"%s\" lists matrices of %s, but lacks %s", info->name, operand,
                         b->types->operand == VKMM_F16 ? "shaderFloat16" : "shaderInt8");
    return VKMM_OK;
}

vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape, double *multiply_adds_per_s)
{
    bench b = {.device = device, .shape = shape};
    double measured = 0;
    vkmm_status status = choose(&b);
    if (status != VKMM_OK) return vkmm_tell(vkmm_device_log(device), status);
    size_up(&b);
    void *expected = vkmm_alloc(1, b.slot_bytes);
    status = expected ? create(&b) : VKMM_NO_MEMORY("for a matrix fragment");
    if (status == VKMM_OK) status = measure(&b, expected, &measured);
    vkmm_peak_destroy(&b.peak);
    vkmm_buffer_destroy(device, &b.host);
    vkmm_free(expected);
    if (status == VKMM_OK) *multiply_adds_per_s = measured;
    return vkmm_tell(vkmm_device_log(device), status);
}
