/* The public functions that belong to no single room. Those of one object (instance, device, shader, job) stand in that object's room. */
#include <string.h>
#include <threads.h>

#include "kernel/legal.h"
#include "math/problem.h"
#include "vk/device.h"

const char *vkmm_version(void)
{
    return VKMM_VERSION;
}

static char shader_hash[17];
static once_flag shader_hash_once = ONCE_FLAG_INIT;

static void hash_once(void)
{
    vkmm_modules_hash(shader_hash);
}

const char *vkmm_shader_hash(void)
{
    call_once(&shader_hash_once, hash_once);
    return shader_hash;
}

const char *vkmm_kernel_name(uint32_t index)
{
    const vkmm_kernel *kernel = vkmm_kernel_at(index);
    return kernel ? kernel->name : NULL;
}

const char *vkmm_kernel_summary(uint32_t index)
{
    const vkmm_kernel *kernel = vkmm_kernel_at(index);
    return kernel ? kernel->summary : NULL;
}

int vkmm_kernel_built(const char *name, vkmm_type type)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    return kernel && (kernel->spread == VKMM_SPREAD_HOST || vkmm_module_find(name, type, VKMM_BUILD_PLAIN));
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes); /* an empty matrix may be NULL */
}

vkmm_status vkmm_multiply(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b, void *c)
{
    vkmm_job *job = NULL;
    vkmm_job_params params = {.problem = *problem};
    vkmm_status status = vkmm_job_create(device, NULL, &params, &job);
    if (status != VKMM_OK) return status;
    copy(vkmm_job_matrix(job, VKMM_A), a, vkmm_operand_bytes(problem, VKMM_A));
    copy(vkmm_job_matrix(job, VKMM_B), b, vkmm_operand_bytes(problem, VKMM_B));
    status = vkmm_job_run(job);
    if (status == VKMM_OK) copy(c, vkmm_job_matrix(job, VKMM_C), vkmm_operand_bytes(problem, VKMM_C));
    vkmm_job_destroy(&job);
    return status;
}
