/* Memory for several products (include/vkmatmul_memory.h). A product is a job to which its operands are lent for one
 * pass. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "api/spares.h"
#include "math/problem.h"
#include "vk/command.h"

struct vkmm_memory {
    vkmm_device *device;
    uint64_t bytes;
    vkmm_buffer buffer; /* larger: kernels access whole words, and an empty binding is not allowed */
};

vkmm_status vkmm_memory_create(vkmm_device *device, uint64_t bytes, vkmm_memory **out)
{
    VKMM_NEED(NULL, device);
    VKMM_NEED(vkmm_device_log(device), out);
    *out = NULL;
    vkmm_memory *memory = vkmm_alloc(1, sizeof *memory);
    if (!memory) return VKMM_FAIL(vkmm_device_log(device), VKMM_OUT_OF_MEMORY, "no host memory for an operand");
    memory->device = device;
    memory->bytes = bytes;
    const uint64_t padded = bytes < UINT64_MAX / 2 ? bytes / 4 * 4 + 16 : bytes;
    vkmm_status status = vkmm_buffer_take_shared(device, "an operand", padded, VKMM_PLACE_DEVICE, &memory->buffer);
    if (status != VKMM_OK) vkmm_memory_destroy(&memory);
    *out = memory;
    return vkmm_tell(vkmm_device_log(device), status);
}

void vkmm_memory_destroy(vkmm_memory **memory)
{
    if (!memory || !*memory) return;
    vkmm_buffer_destroy((*memory)->device, &(*memory)->buffer);
    vkmm_free(*memory);
    *memory = NULL;
}

/* From or to the host; the other one is NULL. */
static vkmm_status copy(const vkmm_memory *memory, uint64_t offset, uint64_t bytes, const char *from, char *to)
{
    vkmm_copier *copier = NULL;
    if (offset > memory->bytes || bytes > memory->bytes - offset)
        return vkmm_fail(VKMM_INVALID, "%llu bytes at %llu are out of bounds: the memory has %llu",
                         (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)memory->bytes);
    if (bytes == 0) return VKMM_OK;
    if (memory->buffer.mapped) {
        char *there = (char *)memory->buffer.mapped + offset;
        memcpy(from ? there : to, from ? from : there, bytes);
        return VKMM_OK;
    }
    vkmm_status status = vkmm_spares_take_copier(memory->device, &copier);
    if (status == VKMM_OK) status = vkmm_copier_run(copier, &memory->buffer, offset, bytes, from, to);
    return vkmm_spares_give_copier(memory->device, status, copier);
}

vkmm_status vkmm_memory_write(vkmm_memory *memory, uint64_t offset, uint64_t bytes, const void *data)
{
    VKMM_NEED(NULL, memory);
    if (bytes > 0) VKMM_NEED(vkmm_device_log(memory->device), data);
    return vkmm_tell(vkmm_device_log(memory->device), copy(memory, offset, bytes, data, NULL));
}

vkmm_status vkmm_memory_read(const vkmm_memory *memory, uint64_t offset, uint64_t bytes, void *data)
{
    VKMM_NEED(NULL, memory);
    if (bytes > 0) VKMM_NEED(vkmm_device_log(memory->device), data);
    return vkmm_tell(vkmm_device_log(memory->device), copy(memory, offset, bytes, NULL, data));
}

/* Where the operands are. What is not read has C's place, since every binding must have one. */
static vkmm_status find_parts(const vkmm_device *device, const vkmm_problem *problem,
                              const vkmm_memory *const operands[4], vkmm_part *parts)
{
    const int reads = vkmm_problem_alpha(problem) != 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const uint64_t bytes = o <= VKMM_B && !reads ? 0 : vkmm_operand_bytes(problem, (vkmm_operand)o);
        const vkmm_memory *memory = bytes > 0 ? operands[o] : operands[VKMM_C];
        const char *name = vkmm_operand_name((vkmm_operand)o);
        if (!memory)
            return vkmm_fail(VKMM_INVALID, "%s is NULL; the problem needs %llu bytes of it", name,
                             (unsigned long long)bytes);
        if (memory->device != device) return vkmm_fail(VKMM_INVALID, "%s is on another device", name);
        if (memory->bytes < bytes)
            return vkmm_fail(VKMM_INVALID, "%s needs %llu bytes; its memory has %llu", name, (unsigned long long)bytes,
                             (unsigned long long)memory->bytes);
        if (o != VKMM_C && bytes > 0 && memory == operands[VKMM_C])
            return vkmm_fail(VKMM_INVALID, "C and %s are the same memory", name);
        parts[vkmm_operand_part(o)] = (vkmm_part){memory->buffer.handle, 0, bytes > 0 ? vkmm_whole_words(bytes) : 16};
    }
    return VKMM_OK;
}

/* Nothing is left recorded: the operands may be gone before the job is used again. */
static vkmm_status run(vkmm_job *job, vkmm_part *parts, vkmm_memory *c)
{
    vkmm_times times;
    job->stores[VKMM_C].input = 1; /* so that what earlier products wrote is visible to this one */
    job->stores[VKMM_C].buffer.mapped = c->buffer.mapped;
    vkmm_job_bind(job, parts);
    vkmm_status status = vkmm_job_settle(job);
    if (status == VKMM_OK) status = vkmm_job_pass(job, VKMM_PASS_UNTIMED, &times);
    vkmm_command_free(job->device, &job->commands[VKMM_PASS_UNTIMED]);
    return status;
}

vkmm_status vkmm_memory_multiply(vkmm_device *device, const vkmm_problem *problem, const vkmm_memory *a,
                                 const vkmm_memory *b, const vkmm_memory *bias, vkmm_memory *c)
{
    VKMM_NEED(NULL, device);
    const vkmm_log *log = vkmm_device_log(device);
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    VKMM_NEED(log, problem);
    vkmm_status status = vkmm_problem_check(problem);
    if (status != VKMM_OK || problem->m == 0 || problem->n == 0) return vkmm_tell(log, status);
    VKMM_NEED(log, c);
    status = find_parts(device, problem, (const vkmm_memory *const[]){a, b, c, bias}, parts);
    if (status != VKMM_OK) return vkmm_tell(log, status);
    const vkmm_job_params params = {.problem = *problem};
    vkmm_job *job = vkmm_spares_take(device, problem, 1);
    if (!job) status = vkmm_job_make(device, log, &params, 1, &job);
    if (status == VKMM_OK) status = run(job, parts, c);
    return vkmm_tell(log, vkmm_spares_give(device, status, job));
}
