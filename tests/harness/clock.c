#include "clock.h"

#include "kept.h"

#define LOOK_MS 1e-6 /* passes whenever the host looks, so that a loop over time always ends */

double __real_vkmm_now_ms(void);
double __wrap_vkmm_now_ms(void);

enum { MOST_STAMPS = 64, REAL = 16 /* dispatches of a command buffer that the driver sees: the clock counts all */ };

/* What was recorded in a command buffer since its begin. */
typedef struct recording {
    VkCommandBuffer command;
    unsigned dispatches, before[MOST_STAMPS]; /* dispatches before each timestamp */
} recording;

enum { RECORDINGS = 64 };

static suite_device *suite;
static struct VolkDeviceTable real;
static double now_ms, submit_ms, dispatch_ms, period_ns;
static recording recordings[RECORDINGS], submitted;
static unsigned most, submissions;
static double (*uneven)(unsigned submission);
static double times; /* longer than dispatch_ms: the dispatches of the last submission */

double __wrap_vkmm_now_ms(void)
{
    return suite ? (now_ms += LOOK_MS) : __real_vkmm_now_ms();
}

/* Command buffers that were recorded before clock_start are not known. */
static recording *find(VkCommandBuffer command)
{
    for (int i = 0; i < RECORDINGS; i++)
        if (recordings[i].command == command) return &recordings[i];
    fail_msg("a command buffer that this clock does not know, or more than %d of them", RECORDINGS);
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer command, const VkCommandBufferBeginInfo *info)
{
    int at = 0;
    while (at < RECORDINGS - 1 && recordings[at].command && recordings[at].command != command) at++;
    recordings[at] = (recording){.command = command};
    return real.vkBeginCommandBuffer(command, info);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    if (find(command)->dispatches++ < REAL) real.vkCmdDispatch(command, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL stamp(VkCommandBuffer command, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                        uint32_t query)
{
    recording *r = find(command);
    r->before[query] = r->dispatches;
    real.vkCmdWriteTimestamp(command, stage, pool, query);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info, VkFence fence)
{
    submitted = *find(info[0].pCommandBuffers[0]);
    if (submitted.dispatches > 0) times = uneven ? uneven(submissions) : 1;
    submissions += submitted.dispatches > 0;
    now_ms += submit_ms + times * dispatch_ms * submitted.dispatches;
    if (submitted.dispatches > most) most = submitted.dispatches;
    return real.vkQueueSubmit(queue, count, info, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL results(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                              size_t bytes, void *data, VkDeviceSize stride, VkQueryResultFlags flags)
{
    uint64_t *ticks = data;
    VkResult result = real.vkGetQueryPoolResults(device, pool, first, count, bytes, data, stride, flags);
    for (uint32_t i = first; i < first + count; i++) {
        const double ms = times * dispatch_ms * submitted.before[i] + CLOCK_COPY_MS * i;
        ticks[i - first] = 1000 + (uint64_t)(ms * 1e6 / period_ns);
    }
    return result;
}

static void stop(void *of)
{
    (void)of;
    clock_stop();
}

void clock_start(suite_device *of, double of_submit_ms, double of_dispatch_ms)
{
    clock_stop();
    suite = of;
    submit_ms = of_submit_ms;
    dispatch_ms = of_dispatch_ms;
    period_ns = of->info->limits.timestamp_period_ns;
    now_ms = most = 0;
    clock_uneven(NULL);
    memset(recordings, 0, sizeof recordings);
    struct VolkDeviceTable *table = &of->device->table;
    real = *table;
    table->vkBeginCommandBuffer = begin;
    table->vkCmdDispatch = dispatch;
    table->vkCmdWriteTimestamp = stamp;
    table->vkQueueSubmit = submit;
    table->vkGetQueryPoolResults = results;
    keep_object(of, stop);
}

void clock_uneven(double (*factor)(unsigned submission))
{
    uneven = factor;
    submissions = 0;
    times = 1;
}

unsigned clock_submissions(void)
{
    return submissions;
}

void clock_stop(void)
{
    if (suite) suite->device->table = real;
    suite = NULL;
}

unsigned clock_most_dispatches(void)
{
    return most;
}
