/* The fake driver's queue: submissions, fences, and carrying out what was recorded. */
#include "fake_state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

FAKE_DEFINE_CREATE(Fence, FAKE_FENCE)
{
    made->fence.signaled = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkCreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                      const VkAllocationCallbacks *with, VkSemaphore *out)
{
    FAKE_ENTER_OR_SPOIL(vkCreateSemaphore, VkSemaphore, out);
    *out = FAKE_HANDLE(VkSemaphore, FAKE_MAKE_ON(device, FAKE_SEMAPHORE));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkDestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                   const VkAllocationCallbacks *with)
{
    FAKE_ENTER(vkDestroySemaphore);
    const fake_object *parent = FAKE_FIND(device, FAKE_DEVICE);
    for (uint32_t i = 0; parent && !parent->lost && i < fake.submitted; i++)
        if (!fake.submissions[i].executed && (fake.submissions[i].signals == (uint64_t)(uintptr_t)semaphore ||
                                              fake.submissions[i].waits == (uint64_t)(uintptr_t)semaphore))
            fake_complain("%s: the semaphore is in use by a submission", __func__);
    FAKE_DESTROY(semaphore, FAKE_SEMAPHORE);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkResetFences(VkDevice device, uint32_t count, const VkFence *fences)
{
    FAKE_ENTER_OR_FAIL(vkResetFences);
    FAKE_FIND(device, FAKE_DEVICE);
    for (uint32_t i = 0; i < count; i++) {
        fake_object *fence = FAKE_FIND(fences[i], FAKE_FENCE);
        if (fence && fence->fence.pending) fake_complain("%s: the fence is in use by a submission", __func__);
        if (fence) fence->fence.signaled = fence->fence.polled = 0;
    }
    return VK_SUCCESS;
}

static void stamp(fake_object *queries, const fake_step *step)
{
    struct timespec now;
    if (queries->queries.state[step->first] != 1)
        fake_complain("vkCmdWriteTimestamp: query %u was not reset", step->first);
    clock_gettime(CLOCK_MONOTONIC, &now);
    queries->queries.stamps[step->first] = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
    queries->queries.state[step->first] = 2;
}

static void execute_step(const fake_step *step)
{
    fake_object *queries = step->queries ? fake_find(step->queries, FAKE_QUERIES, "execution") : NULL;
    unsigned char *from = step->from ? fake_bytes(step->from, step->from_offset, step->bytes, "execution") : NULL;
    unsigned char *to = step->to ? fake_bytes(step->to, step->to_offset, step->bytes, "execution") : NULL;
    if (step->what == FAKE_COPY && from && to) memmove(to, from, step->bytes);
    if (step->what == FAKE_FILL && to)
        for (uint64_t at = 0; at + 4 <= step->bytes; at += 4) memcpy(to + at, &step->word, 4);
    if (step->what == FAKE_STAMP && queries) stamp(queries, step);
    if (step->what == FAKE_RESET && queries)
        for (uint32_t i = 0; i < step->count; i++) queries->queries.state[step->first + i] = 1;
    if (step->what != FAKE_DISPATCH) return;
    const fake_object *pipeline = fake_find(step->pipeline, FAKE_PIPELINE, "execution"),
                      *set = fake_find(step->set, FAKE_SET, "execution");
    if (pipeline && set) fake_run_kernel(step, pipeline, set);
}

void fake_execute(const fake_object *command)
{
    for (uint32_t i = 0; i < command->command.count; i++) execute_step(&command->command.steps[i]);
}

static int is_lost(uint64_t id)
{
    const fake_object *device = fake_device_of(id);
    return device && device->lost;
}

/* A submission whose end is known: the command buffer can be submitted again. */
static void end(const fake_submission *submission)
{
    fake_object *command = fake_alive(submission->command), *fence = fake_alive(submission->fence);
    if (command && command->command.state == FAKE_PENDING)
        command->command.state = is_lost(command->id) ? FAKE_INVALID : FAKE_EXECUTABLE;
    if (fence) fence->fence.signaled = 1, fence->fence.pending = 0;
}

/* What one queue has to do up to a submission, and what that waits for. */
static void execute_until(uint32_t last)
{
    for (uint32_t i = 0; i <= last; i++) {
        fake_submission *submission = &fake.submissions[i];
        const fake_object *command = fake_alive(submission->command);
        if (submission->executed || submission->queue != fake.submissions[last].queue) continue;
        for (uint32_t j = i; submission->waits && j-- > 0;)
            if (fake.submissions[j].signals == submission->waits) {
                execute_until(j);
                break;
            }
        if (command && !is_lost(command->id)) fake_execute(command);
        submission->executed = 1;
    }
}

void fake_retire(uint64_t fence, const fake_object *device)
{
    uint32_t kept = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < fake.submitted && fence; i++)
        if (fake.submissions[i].fence == fence) last = i;
    if (fence && last == UINT32_MAX) return; /* nothing in flight has this fence */
    for (uint32_t i = 0; i < fake.submitted; i++)
        if (fence ? i == last : fake_device_of(fake.submissions[i].queue) == device) execute_until(i);
    for (uint32_t i = 0; i < fake.submitted; i++) {
        const fake_submission *submission = &fake.submissions[i];
        const int is_signal = !submission->command && submission->executed;
        if (!is_signal && (fence ? submission->fence != fence : fake_device_of(submission->queue) != device))
            fake.submissions[kept++] = *submission;
        else
            end(submission);
    }
    fake.submitted = kept;
}

/* In lazy mode the first questions are answered with "not yet". */
VKAPI_ATTR VkResult VKAPI_CALL fake_vkGetFenceStatus(VkDevice device, VkFence handle)
{
    FAKE_ENTER_ON(vkGetFenceStatus, device);
    FAKE_FIND(device, FAKE_DEVICE);
    fake_object *fence = FAKE_FIND(handle, FAKE_FENCE);
    if (!fence) return VK_ERROR_DEVICE_LOST;
    if (fence->fence.pending && fence->fence.polled++ < fake.caps.lazy) return VK_NOT_READY;
    if (fence->fence.pending) fake_retire(fence->id, NULL);
    return fence->fence.signaled ? VK_SUCCESS : VK_NOT_READY;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkWaitForFences(VkDevice device, uint32_t count, const VkFence *fences,
                                                    VkBool32 all, uint64_t timeout)
{
    FAKE_ENTER_ON(vkWaitForFences, device);
    FAKE_FIND(device, FAKE_DEVICE);
    for (uint32_t i = 0; i < count; i++) {
        fake_object *fence = FAKE_FIND(fences[i], FAKE_FENCE);
        if (fence && fence->fence.pending) fake_retire(fence->id, NULL);
        if (fence && !fence->fence.signaled) fake_complain("%s: waits for a fence that nothing will signal", __func__);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkQueueWaitIdle(VkQueue queue)
{
    FAKE_ENTER_ON(vkQueueWaitIdle, queue);
    fake_retire(0, FAKE_FIND(queue, FAKE_QUEUE) ? fake_device_of((uint64_t)(uintptr_t)queue) : NULL);
    return VK_SUCCESS;
}

/* A buffer that is not shared stays with one family: nothing here hands one over. */
static void check_owner(uint64_t id, uint32_t family, const char *call)
{
    fake_object *buffer = id ? fake_alive(id) : NULL;
    if (!buffer || buffer->buffer.shared) return;
    if (buffer->buffer.family && buffer->buffer.family != family + 1)
        fake_complain("%s: a buffer of VK_SHARING_MODE_EXCLUSIVE is used by two queue families", call);
    buffer->buffer.family = family + 1;
}

/* What the commands use must be there still. */
static void check(const fake_object *command, const char *call)
{
    for (uint32_t i = 0; i < command->command.count; i++) {
        const fake_step *step = &command->command.steps[i];
        const fake_object *set = step->set ? fake_find(step->set, FAKE_SET, call) : NULL;
        check_owner(step->from, command->command.family, call);
        check_owner(step->to, command->command.family, call);
        for (uint32_t b = 0; set && b < set->set.count; b++)
            check_owner(set->set.bindings[b].buffer, command->command.family, call);
        for (uint32_t b = 0; set && b < set->set.count; b++)
            fake_bytes(set->set.bindings[b].buffer, set->set.bindings[b].offset, set->set.bindings[b].bytes, call);
    }
}

static void add(fake_submission submission)
{
    if (fake.submitted == fake.submission_capacity) {
        fake.submission_capacity = fake.submission_capacity ? 2 * fake.submission_capacity : 8;
        fake.submissions = realloc(fake.submissions, fake.submission_capacity * sizeof *fake.submissions);
        if (!fake.submissions) abort();
    }
    fake.submissions[fake.submitted++] = submission;
    if (!fake.caps.lazy) execute_until(fake.submitted - 1);
}

static void submit(const fake_object *queue, VkCommandBuffer handle, fake_submission submission, const char *call)
{
    fake_object *command = fake_find((uint64_t)(uintptr_t)handle, FAKE_COMMAND, call);
    if (!command) return;
    if (command->command.state != FAKE_EXECUTABLE)
        fake_complain("%s: the command buffer is %s", call,
                      command->command.state == FAKE_PENDING   ? "in flight"
                      : command->command.state == FAKE_INVALID ? "invalid, since something that it uses is gone"
                                                               : "not recorded");
    if (queue && command->command.family != queue->queue.family)
        fake_complain("%s: the command buffer is of another queue family", call);
    check(command, call);
    command->command.state = FAKE_PENDING;
    submission.command = command->id;
    add(submission);
}

/* The id of a submission's only semaphore, or 0; of one that it waits for, or signals. */
static uint64_t semaphore_of(uint32_t count, const VkSemaphore *handles, int waits, const char *call)
{
    fake_object *semaphore = count > 0 ? fake_find((uint64_t)(uintptr_t)handles[0], FAKE_SEMAPHORE, call) : NULL;
    if (count > 1) fake_complain("%s: the fake driver knows one semaphore at a time", call);
    if (!semaphore) return 0;
    if (semaphore->signaled != waits)
        fake_complain("%s: %s", call, waits ? "nothing signals the semaphore" : "the semaphore is signaled twice");
    semaphore->signaled = !waits;
    return semaphore->id;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkQueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *infos,
                                                  VkFence fence_handle)
{
    FAKE_ENTER_ON(vkQueueSubmit, handle);
    const fake_object *queue = FAKE_FIND(handle, FAKE_QUEUE);
    fake_object *fence = fence_handle ? FAKE_FIND(fence_handle, FAKE_FENCE) : NULL;
    if (fence && (fence->fence.signaled || fence->fence.pending))
        fake_complain("%s: the fence was not reset", __func__);
    if (fence) fence->fence.pending = 1;
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo *info = &infos[i];
        const fake_submission submission = {
            .queue = queue ? queue->id : 0,
            .fence = fence ? fence->id : 0,
            .signals = semaphore_of(info->signalSemaphoreCount, info->pSignalSemaphores, 0, __func__),
            .waits = semaphore_of(info->waitSemaphoreCount, info->pWaitSemaphores, 1, __func__)};
        for (uint32_t b = 0; b < info->commandBufferCount; b++)
            submit(queue, info->pCommandBuffers[b], submission, __func__);
        if (info->commandBufferCount == 0) add(submission);
    }
    return VK_SUCCESS;
}
