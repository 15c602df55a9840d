/* threads.c: several threads record one gemm object into command buffers of their own, frame after frame, while the
 * device still executes others. Step s computes
 *
 *     first rows of x[(s + 1) % 2] ← the same rows of x[s % 2] · W
 *
 * with fewer rows in each step: M is given when a product is recorded. A timeline semaphore orders the steps; its value
 * is the number of steps that are done. The host repeats the computation and compares. */
#include "host.h"

#include <stdio.h>
#include <threads.h>

enum { THREADS = 4, FRAMES = 4, STEPS = THREADS * FRAMES, ROWS = 96, COLS = 64 };

typedef struct application {
    host host;
    vkmm_gemm *gemm;
    host_buffer x[2], w, workspace;
    VkSemaphore done;
    mtx_t lock; /* of the queue */
    cnd_t submitted;
    uint32_t step; /* the next to be submitted */
} application;

static uint32_t rows_of(uint32_t step)
{
    return ROWS - 5 * step;
}

static void record(application *app, VkCommandBuffer commands, uint32_t step)
{
    const vkmm_gemm_product product = {.m = rows_of(step)};
    const vkmm_gemm_bindings bindings = {
        .a = host_whole(&app->x[step % 2]),
        .b = host_whole(&app->w),
        .c = host_whole(&app->x[(step + 1) % 2]),
        .workspace = host_whole(&app->workspace), /* steps share it, as one ends before the next begins */
        .products = &product,
        .product_count = 1,
        .slot = step % THREADS, /* its last use ended THREADS steps ago: see work */
    };
    MM(vkmm_gemm_record(app->gemm, commands, &bindings));
}

/* Steps wait for each other on the device; they are submitted in their order, as one queue executes them in turn. */
static void submit(application *app, VkCommandBuffer commands, uint32_t step)
{
    const uint64_t before = step, after = step + 1;
    const VkPipelineStageFlags stage = VKMM_STAGE;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &before,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &after};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &app->done,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &app->done};
    mtx_lock(&app->lock);
    while (app->step != step) cnd_wait(&app->submitted, &app->lock);
    VK(vkQueueSubmit(app->host.queue, 1, &info, VK_NULL_HANDLE));
    app->step++;
    cnd_broadcast(&app->submitted);
    mtx_unlock(&app->lock);
}

static void wait_for(const application *app, uint64_t steps)
{
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &app->done,
                                      .pValues = &steps};
    VK(vkWaitSemaphores(app->host.device, &wait, UINT64_MAX));
}

typedef struct worker {
    application *app;
    uint32_t index;
    thrd_t thread;
} worker;

/* A thread has every THREADS-th step. Before it records the next one, its last one has been executed, so that its
 * command pool and its slot are free again. */
static int work(void *user)
{
    const worker *me = user;
    application *app = me->app;
    VkCommandPool pool = host_pool_create(&app->host);
    for (uint32_t step = me->index; step < STEPS; step += THREADS) {
        if (step >= THREADS) wait_for(app, step - THREADS + 1);
        VK(vkResetCommandPool(app->host.device, pool, 0));
        VkCommandBuffer commands = host_begin(&app->host, pool);
        record(app, commands, step);
        VK(vkEndCommandBuffer(commands));
        submit(app, commands, step);
    }
    wait_for(app, STEPS);
    vkDestroyCommandPool(app->host.device, pool, NULL);
    return 0;
}

/* Whole numbers that remain small enough for f32 to be exact. Each column of W has two that are not 0. */
static float first_x(uint32_t i)
{
    return host_number(i, 1) > 0 ? 1 : -2;
}

static float weight(uint32_t k, uint32_t col)
{
    return k == (7 * col + 3) % COLS ? 1 : k == (5 * col + 1) % COLS ? -1 : 0;
}

static void fill(application *app)
{
    float *x[] = {app->x[0].mapped, app->x[1].mapped}, *w = app->w.mapped;
    for (uint32_t i = 0; i < ROWS * COLS; i++) x[0][i] = first_x(i), x[1][i] = 0;
    for (uint32_t i = 0; i < COLS * COLS; i++) w[i] = weight(i / COLS, i % COLS);
}

/* The number of elements that differ from what the host computes. */
static uint32_t compare(const application *app)
{
    static float x[2][ROWS][COLS];
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ROWS * COLS; i++) x[0][i / COLS][i % COLS] = first_x(i);
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t row = 0; row < rows_of(step); row++)
            for (uint32_t col = 0; col < COLS; col++) {
                float sum = 0;
                for (uint32_t k = 0; k < COLS; k++) sum += x[step % 2][row][k] * weight(k, col);
                x[(step + 1) % 2][row][col] = sum;
            }
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < ROWS * COLS; i++)
            wrong += ((const float *)app->x[side].mapped)[i] != x[side][i / COLS][i % COLS];
    return wrong;
}

static void open_application(application *app)
{
    host_open(&app->host, VKMM_F32);
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = ROWS, .n = COLS, .k = COLS), /* the largest M */
                                     .dynamic = VKMM_DYNAMIC_M,
                                     .slots = THREADS};
    MM(vkmm_gemm_create(app->host.lent, &params, &app->gemm));
    const vkmm_gemm_info *info = vkmm_gemm_describe(app->gemm);
    for (int i = 0; i < 2; i++) app->x[i] = host_buffer_create(&app->host, info->bytes[VKMM_A], HOST_MAPPED);
    app->w = host_buffer_create(&app->host, info->bytes[VKMM_B], HOST_MAPPED);
    app->workspace = host_buffer_create(&app->host, info->workspace_bytes + 16, HOST_DEVICE);

    const VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
    VK(vkCreateSemaphore(app->host.device, &semaphore, NULL, &app->done));
    if (mtx_init(&app->lock, mtx_plain) != thrd_success || cnd_init(&app->submitted) != thrd_success)
        host_fail("out of memory");
}

static void close_application(application *app)
{
    cnd_destroy(&app->submitted);
    mtx_destroy(&app->lock);
    vkDestroySemaphore(app->host.device, app->done, NULL);
    host_buffer *const buffers[] = {&app->x[0], &app->x[1], &app->w, &app->workspace};
    for (int i = 0; i < 4; i++) host_buffer_destroy(&app->host, buffers[i]);
    vkmm_gemm_destroy(&app->gemm);
    host_close(&app->host);
}

int main(void)
{
    static application app;
    open_application(&app);
    fill(&app);
    worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.app = &app, .index = i};
        if (thrd_create(&workers[i].thread, work, &workers[i]) != thrd_success) host_fail("could not start a thread");
    }
    for (uint32_t i = 0; i < THREADS; i++) thrd_join(workers[i].thread, NULL);
    const uint32_t wrong = compare(&app);
    printf("%s: %d steps by %d threads, %u wrong elements\n", app.host.properties.deviceName, STEPS, THREADS, wrong);
    close_application(&app);
    return wrong > 0;
}
