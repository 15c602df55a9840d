/* spectral.c: a bank of filters with several inputs and outputs, in the frequency domain: Fourier transforms by VkFFT
 * and products by libvkmatmul in one command buffer, on one device, which belongs to neither.
 *
 *     X = fft(x), Y[f] = X[f] · H[f] at each frequency f, y = ifft(Y)
 *
 * x is LENGTH × SIGNALS × INPUTS, H is LENGTH × INPUTS × OUTPUTS, y is LENGTH × SIGNALS × OUTPUTS, all complex: pairs
 * of f32. VkFFT transforms along the first extent, so that the matrices of one frequency lie together. Complex products
 * as real ones: an element h of H becomes the block [Re h, Im h; -Im h, Re h]. A row of X, read as real numbers, has re
 * and im in turn; times these blocks it gives a row of Y with re and im in turn. So one real product, 2·INPUTS deep and
 * 2·OUTPUTS wide, does it for each frequency, and no data has to be split or moved.
 *
 *     spectral [--length N] [--signals N] [--inputs N] [--outputs N] [FILE]
 *
 * FILE receives y. */
#include "host.h"

#include <stdio.h>

#define VKFFT_BACKEND 0 /* Vulkan */
#include <vkFFT.h>

typedef struct spectral {
    host host;
    uint32_t length, signals, inputs, outputs;
    vkmm_gemm *gemm;
    host_buffer x, y, blocks, workspace;
    VkFence fence; /* VkFFT's, for its tables */
    VkFFTApplication fft_x, fft_y;
} spectral;

static void fft(VkFFTResult result)
{
    if (result == VKFFT_SUCCESS) return;
    fprintf(stderr, "VkFFT failed with %d\n", (int)result);
    exit(1);
}

/* Transforms `length` rows of `count` complex numbers, along the rows' index. */
static void create_fft(spectral *app, VkFFTApplication *transform, host_buffer *buffer, uint32_t count)
{
    host *h = &app->host;
    VkFFTConfiguration configuration = {.FFTdim = 2,
                                        .size = {count, app->length},
                                        .omitDimension = {1, 0},
                                        .normalize = 1,
                                        .useLUT = 1, /* Vulkan's sin and cos may be wrong by 2^-11 */
                                        .physicalDevice = &h->physical,
                                        .device = &h->device,
                                        .queue = &h->queue,
                                        .commandPool = &h->pool,
                                        .fence = &app->fence,
                                        .buffer = &buffer->buffer,
                                        .bufferSize = &buffer->bytes};
    fft(initializeVkFFT(transform, configuration));
}

static void record_fft(VkCommandBuffer commands, VkFFTApplication *transform, int direction)
{
    VkFFTLaunchParams launch = {.commandBuffer = &commands};
    fft(VkFFTAppend(transform, direction, &launch));
}

/* VkFFT, like libvkmatmul, leaves it to the application to order what it records with what others record. */
static void record(spectral *app, VkCommandBuffer commands)
{
    const vkmm_gemm_bindings bindings = {.a = host_whole(&app->x),
                                         .b = host_whole(&app->blocks),
                                         .c = host_whole(&app->y),
                                         .workspace = host_whole(&app->workspace)};
    record_fft(commands, &app->fft_x, -1);
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
    MM(vkmm_gemm_record(app->gemm, commands, &bindings));
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
    record_fft(commands, &app->fft_y, 1);
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

static void fill(spectral *app)
{
    float *x = app->x.mapped, *blocks = app->blocks.mapped;
    const uint32_t elements = app->length * app->inputs * app->outputs;
    for (uint32_t i = 0; i < 2 * app->length * app->signals * app->inputs; i++) x[i] = host_number(i, 1);
    for (uint32_t i = 0; i < elements; i++) {
        const uint32_t row = i / app->outputs, col = i % app->outputs;
        const float re = host_number(2 * i, 2), im = host_number(2 * i + 1, 2);
        float *block = blocks + 4 * row * app->outputs + 2 * col;
        block[0] = block[2 * app->outputs + 1] = re;
        block[1] = im;
        block[2 * app->outputs] = -im;
    }
}

static void open_spectral(spectral *app)
{
    host *h = &app->host;
    host_open(h, VKMM_F32);
    const uint64_t m = app->signals, n = 2 * app->outputs, k = 2 * app->inputs;
    const vkmm_gemm_params params = {.job.problem =
                                         VKMM_PROBLEM(.m = m, .n = n, .k = k, .batch_count = app->length,
                                                      .stride_a = m * k, .stride_b = k * n, .stride_c = m * n)};
    MM(vkmm_gemm_create(h->lent, &params, &app->gemm));
    const vkmm_gemm_info *info = vkmm_gemm_describe(app->gemm);
    app->x = host_buffer_create(h, info->bytes[VKMM_A], HOST_MAPPED);
    app->blocks = host_buffer_create(h, info->bytes[VKMM_B], HOST_MAPPED);
    app->y = host_buffer_create(h, info->bytes[VKMM_C], HOST_MAPPED);
    app->workspace = host_buffer_create(h, info->workspace_bytes + 16, HOST_DEVICE);
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK(vkCreateFence(h->device, &fence, NULL, &app->fence));
    create_fft(app, &app->fft_x, &app->x, app->signals * app->inputs);
    create_fft(app, &app->fft_y, &app->y, app->signals * app->outputs);
}

static void close_spectral(spectral *app)
{
    deleteVkFFT(&app->fft_x);
    deleteVkFFT(&app->fft_y);
    vkDestroyFence(app->host.device, app->fence, NULL);
    host_buffer *const buffers[] = {&app->x, &app->y, &app->blocks, &app->workspace};
    for (int i = 0; i < 4; i++) host_buffer_destroy(&app->host, buffers[i]);
    vkmm_gemm_destroy(&app->gemm);
    host_close(&app->host);
}

int main(int argc, char **argv)
{
    enum { LENGTH, SIGNALS, INPUTS, OUTPUTS, OPTIONS };
    host_option options[OPTIONS] = {
        {"--length", 128, 0}, {"--signals", 16, 0}, {"--inputs", 8, 0}, {"--outputs", 12, 0}};
    const char *path = host_options(argc, argv, options, OPTIONS);
    static spectral app;
    app.length = options[LENGTH].value;
    app.signals = options[SIGNALS].value;
    app.inputs = options[INPUTS].value;
    app.outputs = options[OUTPUTS].value;
    open_spectral(&app);
    fill(&app);
    VkCommandBuffer commands = host_begin(&app.host, app.host.pool);
    record(&app, commands);
    VK(vkEndCommandBuffer(commands));
    host_run(&app.host, commands);
    printf("%s: %u frequencies, %s\n", app.host.properties.deviceName, app.length,
           vkmm_gemm_describe(app.gemm)->kernel->name);
    if (path) host_write(path, app.y.mapped, app.y.bytes);
    close_spectral(&app);
    return 0;
}
