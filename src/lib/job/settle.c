/* Some products depend on their data: how they are multiplied is known once the device has looked at A and B. */
#include "job/job.h"
#include "plan/method_plan.h"
#include "vk/command.h"

/* What the device finds in A and B; `found` is mapped. */
static vkmm_status look(vkmm_job *job, vkmm_buffer *found)
{
    vkmm_device *device = job->device;
    VkCommandBuffer command = NULL;
    const vkmm_range *look = &job->plan.recipe.look;
    const VkBufferCopy region = {.srcOffset = look->at, .size = look->bytes};
    vkmm_status status =
        vkmm_buffer_create(device, "what is known of A and B", look->bytes, VKMM_PLACE_DOWNLOAD, found);
    if (status != VKMM_OK) return status;
    status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) {
        if (!job->is_lent) vkmm_stores_record_upload(device, job->stores, command);
        vkmm_plan_record_when(device, &job->plan, VKMM_WHEN_LOOK, command);
        vkmm_command_barrier_all(device, command);
        device->table.vkCmdCopyBuffer(command, job->workspace.handle, found->handle, 1, &region);
    }
    return vkmm_command_finish(device, status, &command);
}

vkmm_status vkmm_job_settle(vkmm_job *job)
{
    vkmm_buffer found = {0};
    vkmm_problem problem = job->problem;
    vkmm_wish again = {0};
    if (!job->device || !vkmm_depends_on_data(&job->choice) || vkmm_plan_items(&job->plan) == 0) return VKMM_OK;
    const vkmm_choice choice = job->choice; /* the next wish borrows from it */
    vkmm_status status = look(job, &found);
    const int changes = status == VKMM_OK && choice.method->decide(job->log, &job->device->physical->info, &choice,
                                                                   found.mapped, &problem, &again);
    vkmm_buffer_destroy(job->device, &found);
    return changes ? vkmm_job_plan_again(job, &problem, &again) : status;
}
