/* The public functions that belong to no single folder. Those of one object (instance, device, shader, job) are in that
 * object's folder. */
#include <string.h>

#include "base/log.h"
#include "api/spares.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/device.h"

enum { LARGE_BYTES = 6 << 20 }; /* of A, B and C */

const char *vkmm_version(void)
{
    return VKMM_VERSION_TEXT;
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

int vkmm_kernel_is_general(const char *name)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    return kernel && kernel->tunables;
}

int vkmm_kernel_built(const char *name, vkmm_type type)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    return kernel &&
           (kernel->spread == VKMM_SPREAD_HOST || vkmm_module_find(vkmm_kernel_shader(kernel), type, VKMM_BUILD_PLAIN));
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes); /* an empty matrix may be NULL */
}

/* The problem as its job has it. A part of a larger matrix may be gaps for the most part: it is packed as it is copied.
 */
static vkmm_problem without_wide_gaps(const vkmm_problem *problem)
{
    vkmm_problem p = *problem;
    uint64_t *const lds[] = {&p.lda, &p.ldb, &p.ldc}, *const offsets[] = {&p.offset_a, &p.offset_b, &p.offset_c};
    for (int o = VKMM_A; o <= VKMM_C && vkmm_problem_batches(problem) == 1; o++) {
        const vkmm_stored stored = vkmm_operand_stored(problem, (vkmm_operand)o);
        const uint64_t aligned = 16 / vkmm_type_of(vkmm_operand_type(problem, (vkmm_operand)o))->bytes;
        const uint64_t ld = o == VKMM_C ? stored.length : (stored.length + aligned - 1) / aligned * aligned;
        if (vkmm_operand_format(problem, (vkmm_operand)o) == VKMM_PLAIN && stored.ld / 2 >= ld)
            *lds[o] = ld, *offsets[o] = 0;
    }
    return p;
}

/* The matrices of an operand, without the gaps between their lines. */
static void copy_matrices(vkmm_operand operand, const vkmm_problem *problem_to, char *to,
                          const vkmm_problem *problem_from, const char *from)
{
    for (uint64_t batch = 0; batch < vkmm_problem_batches(problem_from); batch++) {
        const vkmm_view view = vkmm_operand_view(problem_from, operand, from, batch),
                        other = vkmm_operand_view(problem_to, operand, to, batch);
        vkmm_view_copy(&view, (void *)(uintptr_t)other.data, other.row_stride, other.col_stride);
    }
}

static void copy_in(vkmm_operand operand, vkmm_job *job, const vkmm_problem *packed, const vkmm_problem *problem,
                    const void *from)
{
    if (vkmm_operand_stored(packed, operand).ld == vkmm_operand_stored(problem, operand).ld)
        copy(vkmm_job_matrix(job, operand), from, vkmm_operand_bytes(problem, operand));
    else
        copy_matrices(operand, packed, vkmm_job_matrix(job, operand), problem, from);
}

/* In panels, from the caller's memory and into it, while copies and products overlap. */
static vkmm_status multiply_in_panels(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b,
                                      const void *bias, void *c)
{
    const vkmm_stream_params params = {.job = {.problem = *problem}};
    const vkmm_stream_io io = {.a = a, .b = b, .bias = bias, .c = c};
    vkmm_stream *stream = vkmm_spares_take_stream(device);
    vkmm_status status = stream ? vkmm_stream_remake(stream, problem)
                                : vkmm_stream_make(device, vkmm_device_log(device), &params, &stream);
    if (status == VKMM_OK) status = vkmm_stream_multiply(stream, &io, NULL);
    return vkmm_spares_give_stream(device, status, stream);
}

/* Large products are limited by copies, which panels hide. VKMM_UNSUPPORTED: one job has to do. */
static vkmm_status multiply_large(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b,
                                  const void *bias, void *c)
{
    uint64_t bytes = 0;
    for (int o = VKMM_A; o <= VKMM_C; o++) bytes += vkmm_operand_bytes(problem, (vkmm_operand)o);
    if (bytes < LARGE_BYTES || vkmm_problem_has_blocks(problem)) return VKMM_UNSUPPORTED;
    return multiply_in_panels(device, problem, a, b, bias, c);
}

static vkmm_status multiply_at_once(vkmm_job *job, const vkmm_problem *packed, const vkmm_problem *problem,
                                    const void *a, const void *b, const void *bias, void *c)
{
    if (vkmm_problem_alpha(problem) != 0) { /* otherwise they may not be read */
        copy_in(VKMM_A, job, packed, problem, a);
        copy_in(VKMM_B, job, packed, problem, b);
    }
    copy(vkmm_job_matrix(job, VKMM_BIAS), bias, vkmm_operand_bytes(problem, VKMM_BIAS));
    if (vkmm_problem_beta(problem) != 0) copy_in(VKMM_C, job, packed, problem, c);
    vkmm_status status = vkmm_job_multiply(job);
    if (status == VKMM_OK && problem->m > 0 && problem->n > 0)
        copy_matrices(VKMM_C, problem, c, packed, vkmm_job_matrix(job, VKMM_C));
    return status;
}

/* An operand that has no elements or is not read may be NULL. */
static vkmm_status check_operands(const vkmm_problem *problem, const void *const data[4])
{
    const int reads = vkmm_problem_alpha(problem) != 0;
    for (int o = reads ? VKMM_A : VKMM_C; o <= VKMM_BIAS; o++) {
        const uint64_t bytes = vkmm_operand_bytes(problem, (vkmm_operand)o);
        if (bytes > 0 && data[o] == NULL)
            return vkmm_fail(VKMM_INVALID, "%s is NULL; the problem needs %llu bytes of it",
                             vkmm_operand_name((vkmm_operand)o), (unsigned long long)bytes);
    }
    return VKMM_OK;
}

/* VKMM_OUT_OF_MEMORY: the problem needs panels. */
static vkmm_status create_job(vkmm_device *device, const vkmm_problem *problem, vkmm_job **job)
{
    const vkmm_job_params params = {.problem = *problem};
    char reason[256];
    if (vkmm_stream_reason(device, problem, 0, reason, sizeof reason) &&
        (!vkmm_device_drop_spares(device) || vkmm_stream_reason(device, problem, 0, reason, sizeof reason)))
        return VKMM_OUT_OF_MEMORY;
    return vkmm_job_make(device, vkmm_device_log(device), &params, 0, job);
}

vkmm_status vkmm_multiply(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b,
                          const void *bias, void *c)
{
    VKMM_NEED(NULL, device);
    const vkmm_log *log = vkmm_device_log(device);
    VKMM_NEED(log, problem);
    vkmm_status status = vkmm_problem_check(problem);
    if (status == VKMM_OK) status = check_operands(problem, (const void *const[]){a, b, c, bias});
    if (status != VKMM_OK) return vkmm_tell(log, status);
    status = multiply_large(device, problem, a, b, bias, c);
    if (status != VKMM_UNSUPPORTED) return vkmm_tell(log, status);
    status = VKMM_OK;
    const vkmm_problem packed = without_wide_gaps(problem);
    vkmm_job *job = vkmm_spares_take(device, &packed, 0);
    if (!job) status = create_job(device, &packed, &job);
    if (status == VKMM_OUT_OF_MEMORY) return vkmm_tell(log, multiply_in_panels(device, problem, a, b, bias, c));
    if (status == VKMM_OK) status = multiply_at_once(job, &packed, problem, a, b, bias, c);
    return vkmm_tell(log, vkmm_spares_give(device, status, job));
}
