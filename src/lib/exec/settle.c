/* A modular product depends on its data: how many moduli it needs is known once the device has looked at A and B. */
#include "base/log.h"
#include "exec/job.h"
#include "math/modular.h"
#include "vk/command.h"

/* What the first pass finds in A and B; `found` is mapped. */
static vkmm_status find_lines(vkmm_job *job, vkmm_buffer *found)
{
    vkmm_device *device = job->device;
    VkCommandBuffer command = NULL;
    const VkBufferCopy region = {.srcOffset = job->choice.modular.lines.at, .size = job->choice.modular.lines.bytes};
    vkmm_status status =
        vkmm_buffer_create(device, "what is known of A and B", region.size, VKMM_PLACE_DOWNLOAD, found);
    if (status != VKMM_OK) return status;
    status = vkmm_command_begin(device, &command);
    if (status == VKMM_OK) {
        vkmm_command_barrier_all(device, command);
        if (!job->is_lent) vkmm_stores_record_upload(device, job->stores, command);
        vkmm_plan_record_when(device, &job->plan, VKMM_WHEN_LOOK, command);
        vkmm_command_barrier_all(device, command);
        device->table.vkCmdCopyBuffer(command, job->workspace.handle, found->handle, 1, &region);
        vkmm_command_barrier_all(device, command);
    }
    return vkmm_command_finish(device, status, &command);
}

static uint32_t needs_of(const vkmm_modular *modular, const void *found)
{
    const vkmm_problem *p = &modular->problem;
    const vkmm_modular_line *line = (const vkmm_modular_line *)found + VKMM_MODULAR_TABLE;
    uint32_t most = 0;
    for (uint64_t batch = 0; batch < p->batch_count; batch++, line += p->m + p->n) {
        const uint32_t needs = vkmm_modular_needs(line, p->m, line + p->m, p->n);
        if (needs > most) most = needs;
    }
    return most;
}

/* The f64 kernels take what residues cannot hold: in software, if the device has no 64-bit floats. */
static vkmm_status fall_back(vkmm_job *job, uint32_t needs)
{
    const char *why = needs == UINT32_MAX          ? "A or B has infinities or NaNs"
                      : needs <= VKMM_MODULAR_MOST ? "the moduli that A and B need do not fit into memory"
                                                   : "the magnitudes in a row of A or a column of B differ by too much "
                                                     "for 18 moduli";
    vkmm_problem direct = job->problem;
    vkmm_say(job->log, VKMM_LOG_WARNING, "%s: the product is computed in f64, not as residues", why);
    direct.method = VKMM_COMPUTE_DIRECT;
    return vkmm_job_plan_again(job, &direct, &(vkmm_wish){.direct = 1});
}

vkmm_status vkmm_job_settle(vkmm_job *job)
{
    const vkmm_modular *modular = &job->choice.modular;
    vkmm_buffer found = {0};
    if (!job->device || modular->moduli == 0 || vkmm_plan_items(&job->plan) == 0) return VKMM_OK;
    vkmm_status status = find_lines(job, &found);
    const uint32_t needs = status == VKMM_OK ? needs_of(modular, found.mapped) : 0;
    vkmm_buffer_destroy(job->device, &found);
    if (status != VKMM_OK) return status;
    if (needs == UINT32_MAX || (needs > VKMM_MODULAR_MOST && job->moduli == 0)) return fall_back(job, needs);
    if (needs <= modular->moduli || job->moduli > 0) return VKMM_OK;
    const vkmm_kernel_info kernel = job->choice.info; /* the same, of more matrices */
    const vkmm_wish more = {.kernel = kernel.name, .config = kernel.config, .moduli = needs};
    vkmm_choice choice;
    if (vkmm_choose(NULL, &job->device->physical->info, &job->problem, &more, &choice) != VKMM_OK ||
        choice.modular.moduli == 0)
        return fall_back(job, needs);
    return vkmm_job_plan_again(job, &job->problem, &more);
}
