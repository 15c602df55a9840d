#include "exec/matrix_peak.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "exec/peaks.h"
#include "kernel/table.h"
#include "vk/buffer.h"
#include "vk/command.h"
#include "vk/matrix.h"
#include "vk/pipeline.h"

/* Of workgroups of four subgroups: many a processor, in a number that comes out even however many of them run side
 * by side. */
enum { SUBGROUPS = 4, GROUPS_CPU = 64, GROUPS_GPU = 4096, GROUPS_PROCESSOR = 48, MOST_SHAPES = 256 };

typedef struct bench {
    vkmm_device *device;
    const vkmm_matrix_shape *shape;
    const vkmm_matrix_types *types;
    const vkmm_module *module;
    vkmm_buffer operands, results, host; /* host: both ways */
    vkmm_pipeline pipeline;
    vkmm_timer timer;
    uint64_t operand_bytes, slot_bytes, slots; /* a slot: what one subgroup stores */
    uint32_t workgroup, groups, subgroups;     /* subgroups: of a workgroup, as the device told */
    uint32_t steps;
} bench;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void size_up(bench *b)
{
    const vkmm_device_info *info = &b->device->physical->info;
    const vkmm_matrix_shape *s = b->shape;
    const uint64_t most = least(info->max_invocations, info->max_workgroup_size[0]);
    const uint64_t whole = most / info->subgroup_size, subgroups = whole < 1 ? 1 : least(whole, SUBGROUPS);
    uint64_t groups = info->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? GROUPS_CPU : GROUPS_GPU;
    if (info->processors > 0) groups = (uint64_t)info->processors * GROUPS_PROCESSOR;
    b->workgroup = (uint32_t)(subgroups * info->subgroup_size);
    b->operand_bytes = (uint64_t)VKMM_MATRIX_FRAGMENTS * s->k * (s->m + 2 * (uint64_t)s->n) * b->types->operand_bytes;
    b->slot_bytes = (uint64_t)s->m * s->n * b->types->sum_bytes;
    const uint64_t room = least(least(info->max_storage_range, info->max_allocation_bytes), info->max_buffer_bytes) / 2;
    b->slots = least(least(groups, info->max_workgroup_count[0]) * SUBGROUPS, room / b->slot_bytes);
    b->groups = 1;
}

static uint64_t result_bytes(const bench *b)
{
    return VKMM_MATRIX_HEADER * sizeof(uint32_t) + b->slots * b->slot_bytes;
}

static vkmm_status create(bench *b)
{
    const uint32_t ids[] = {0, 1, 2, 3}, values[] = {b->workgroup, b->shape->m, b->shape->n, b->shape->k};
    const vkmm_pipeline_info pipeline = {.words = b->module->words,
                                         .bytes = b->module->bytes,
                                         .binding_count = 2,
                                         .push_bytes = sizeof b->steps,
                                         .spec_count = 4,
                                         .spec_ids = ids,
                                         .spec_values = values};
    const uint64_t results = result_bytes(b), host = results > b->operand_bytes ? results : b->operand_bytes;
    vkmm_status status =
        vkmm_buffer_create(b->device, "matrix fragments", b->operand_bytes, VKMM_PLACE_DEVICE, &b->operands);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(b->device, "matrix fragments", results, VKMM_PLACE_DEVICE, &b->results);
    if (status == VKMM_OK)
        status = vkmm_buffer_create(b->device, "matrix fragments", host, VKMM_PLACE_DOWNLOAD, &b->host);
    if (status == VKMM_OK) status = vkmm_pipeline_create(b->device, &pipeline, &b->pipeline);
    if (status == VKMM_OK) status = vkmm_timer_create(b->device, &b->timer);
    if (status != VKMM_OK) return status;
    vkmm_pipeline_bind(b->device, &b->pipeline, 0, b->operands.handle, 0, b->operand_bytes);
    vkmm_pipeline_bind(b->device, &b->pipeline, 1, b->results.handle, 0, results);
    return VKMM_OK;
}

static void destroy(bench *b)
{
    vkmm_timer_destroy(b->device, &b->timer);
    vkmm_pipeline_destroy(b->device, &b->pipeline);
    vkmm_buffer_destroy(b->device, &b->host);
    vkmm_buffer_destroy(b->device, &b->results);
    vkmm_buffer_destroy(b->device, &b->operands);
}

static vkmm_status copy(bench *b, const vkmm_buffer *from, const vkmm_buffer *to, uint64_t bytes)
{
    const VkBufferCopy region = {.size = bytes};
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(b->device, &command);
    if (status != VKMM_OK) return status;
    vkmm_command_barrier(b->device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    b->device->table.vkCmdCopyBuffer(command, from->handle, to->handle, 1, &region);
    vkmm_command_barrier(b->device, command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_HOST_READ_BIT);
    status = vkmm_command_end(b->device, command);
    if (status == VKMM_OK) status = vkmm_command_run(b->device, command, NULL);
    vkmm_command_free(b->device, &command);
    return status;
}

static vkmm_status record(bench *b, VkCommandBuffer *command)
{
    const struct VolkDeviceTable *table = &b->device->table;
    vkmm_status status = vkmm_command_begin(b->device, command);
    if (status != VKMM_OK) return status;
    vkmm_command_barrier(b->device, *command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkmm_timer_start(b->device, *command, &b->timer);
    table->vkCmdBindPipeline(*command, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline.handle);
    table->vkCmdBindDescriptorSets(*command, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline.layout, 0, 1, &b->pipeline.set,
                                   0, NULL);
    table->vkCmdPushConstants(*command, b->pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof b->steps, &b->steps);
    table->vkCmdDispatch(*command, b->groups, 1, 1);
    vkmm_timer_mark(b->device, *command, &b->timer, 1);
    status = vkmm_command_end(b->device, *command);
    if (status != VKMM_OK) vkmm_command_free(b->device, command);
    return status;
}

static vkmm_status wrong(const bench *b, uint64_t slot)
{
    const vkmm_matrix_shape *s = b->shape;
    char a[32], c[32];
    return vkmm_fail(
        vkmm_device_log(b->device), VKMM_WRONG_RESULT,
        "\"%s\" gets products of %ux%ux%u matrices of %s into %s wrong: subgroup %llu of %llu, after %u steps",
        b->device->physical->info.name, s->m, s->n, s->k, vkmm_component_name(s->a, a), vkmm_component_name(s->c, c),
        (unsigned long long)slot, (unsigned long long)b->groups * b->subgroups, b->steps);
}

/* Compares what every subgroup stored in the last run. */
static vkmm_status check(bench *b, void *expected)
{
    vkmm_status status = copy(b, &b->results, &b->host, result_bytes(b));
    uint32_t subgroups = 0;
    if (status != VKMM_OK) return status;
    memcpy(&subgroups, b->host.mapped, sizeof subgroups);
    if (subgroups == 0 || subgroups > b->slots) return wrong(b, 0);
    b->subgroups = subgroups;
    vkmm_matrix_expect(b->shape, b->types, b->steps, expected);
    const char *stored = (const char *)b->host.mapped + VKMM_MATRIX_HEADER * sizeof(uint32_t);
    for (uint64_t slot = 0; slot < (uint64_t)b->groups * subgroups; slot++)
        if (memcmp(stored + slot * b->slot_bytes, expected, b->slot_bytes) != 0) return wrong(b, slot);
    return VKMM_OK;
}

static vkmm_status run_once(bench *b, void *expected, double *ms)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = record(b, &command);
    if (status == VKMM_OK) status = vkmm_peak_run(b->device, &b->timer, command, ms);
    vkmm_command_free(b->device, &command);
    return status == VKMM_OK && expected ? check(b, expected) : status;
}

/* One workgroup tells how many subgroups it has, and whether they multiply; then all of them, longer and longer. */
static vkmm_status measure(bench *b, void *expected, double *multiply_adds_per_s)
{
    const vkmm_matrix_shape *s = b->shape;
    VkCommandBuffer command = NULL;
    double ms = 0;
    vkmm_matrix_fill(s, b->types, b->host.mapped);
    vkmm_status status = copy(b, &b->host, &b->operands, b->operand_bytes);
    b->steps = 3;
    if (status == VKMM_OK) status = run_once(b, expected, &ms);
    if (status != VKMM_OK) return status;
    b->groups = (uint32_t)least(b->slots / b->subgroups, b->device->physical->info.max_workgroup_count[0]);
    for (b->steps = 1; status == VKMM_OK; b->steps *= 2) {
        status = run_once(b, NULL, &ms);
        if (ms >= VKMM_PEAK_LONG_ENOUGH_MS || b->steps >= VKMM_PEAK_MOST_STEPS) break;
    }
    if (status == VKMM_OK) status = record(b, &command);
    if (status == VKMM_OK) status = vkmm_peak_best(b->device, &b->timer, command, &ms);
    vkmm_command_free(b->device, &command);
    if (status == VKMM_OK) status = check(b, expected);
    if (status != VKMM_OK) return status;
    const double fragments = VKMM_MATRIX_FRAGMENTS * VKMM_MATRIX_FRAGMENTS * (1.0 + 2.0 * b->steps);
    *multiply_adds_per_s = ms > 0 ? (double)b->groups * b->subgroups * fragments * s->m * s->n * s->k / ms * 1e3 : 0;
    return VKMM_OK;
}

static int is_same(const vkmm_matrix_shape *a, const vkmm_matrix_shape *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->result == b->result && a->scope == b->scope && !a->saturating == !b->saturating;
}

static vkmm_status check_listed(vkmm_device *device, const vkmm_matrix_shape *shape)
{
    const vkmm_device_info *info = &device->physical->info;
    vkmm_matrix_shape *listed = vkmm_alloc(MOST_SHAPES, sizeof *listed);
    uint32_t count = MOST_SHAPES, found = 0;
    const char *why = "";
    char a[32], c[32];
    if (!listed) return vkmm_fail(vkmm_device_log(device), VKMM_OUT_OF_MEMORY, "no memory to list matrix shapes");
    vkmm_status status = vkmm_device_matrix_shapes(device->instance, info->index, listed, &count, &why);
    for (uint32_t i = 0; status == VKMM_OK && i < count; i++) found += (uint32_t)is_same(&listed[i], shape);
    vkmm_free(listed);
    if (status != VKMM_OK || found > 0) return status;
    return vkmm_fail(vkmm_device_log(device), VKMM_UNSUPPORTED,
                     "\"%s\" does not list matrices of %ux%ux%u, %s into %s%s%s", info->name, shape->m, shape->n,
                     shape->k, vkmm_component_name(shape->a, a), vkmm_component_name(shape->c, c), *why ? ": " : "",
                     why);
}

static vkmm_status choose(bench *b)
{
    const vkmm_log *log = vkmm_device_log(b->device);
    const vkmm_device_info *info = &b->device->physical->info;
    char a[32], c[32], name[80];
    const char *operand = vkmm_component_name(b->shape->a, a), *sum = vkmm_component_name(b->shape->c, c);
    b->types = vkmm_matrix_types_of(b->shape);
    if (!b->types)
        return vkmm_fail(
            log, VKMM_UNSUPPORTED,
            "there is no shader for matrices of %ux%ux%u, %s into %s, scope %u%s: there are f16, bf16, i8 and u8 of a "
            "subgroup, not saturating",
            b->shape->m, b->shape->n, b->shape->k, operand, sum, b->shape->scope,
            b->shape->saturating ? ", saturating" : "");
    snprintf(name, sizeof name, "matrix-peak-%s-%s", operand, sum);
    b->module = vkmm_module_find(name, VKMM_U32, VKMM_BUILD_PLAIN);
    if (!b->module)
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "this build has no shader for matrices of %s into %s: its shader compiler could not make it",
                         operand, sum);
    if (b->types->operand == VK_COMPONENT_TYPE_BFLOAT16_KHR) {
        if (info->has_bf16_matrices) return VKMM_OK;
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "\"%s\" lists matrices of bf16, but lacks shaderBFloat16CooperativeMatrix", info->name);
    }
    if (b->types->operand_bytes == 1 ? !info->has_i8 : !info->has_f16)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "\"%s\" lists matrices of %s, but lacks %s",
                         b->device->physical->info.name, operand,
                         b->types->operand_bytes == 1 ? "shaderInt8" : "shaderFloat16");
    return VKMM_OK;
}

vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape, double *multiply_adds_per_s)
{
    VKMM_NEED(NULL, device);
    VKMM_NEED(vkmm_device_log(device), shape);
    VKMM_NEED(vkmm_device_log(device), multiply_adds_per_s);
    bench b = {.device = device, .shape = shape};
    double measured = 0;
    vkmm_status status = check_listed(device, shape);
    if (status == VKMM_OK) status = choose(&b);
    if (status != VKMM_OK) return status;
    size_up(&b);
    void *expected = vkmm_alloc(1, b.slot_bytes);
    status = expected ? create(&b)
                      : vkmm_fail(vkmm_device_log(device), VKMM_OUT_OF_MEMORY, "no memory for a matrix fragment");
    if (status == VKMM_OK) status = measure(&b, expected, &measured);
    destroy(&b);
    vkmm_free(expected);
    if (status == VKMM_OK) *multiply_adds_per_s = measured;
    return status;
}
