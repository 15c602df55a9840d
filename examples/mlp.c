/* mlp.c: the middle of a language model in one command buffer. For each of 32 layers
 *
 *     x ← x + gelu(norm(x) · W1) · W2
 *
 * norm is a shader of this program; libvkmatmul records the two products, with GELU and the residual as a part of them.
 * x is TOKENS × WIDTH, W1 is WIDTH × HIDDEN, W2 is HIDDEN × WIDTH, all in f16.
 *
 *     mlp [--layers N] [--tokens N] [--width N] [--hidden N] [--unpacked] [--time] [FILE]
 *
 * FILE receives the last x. --time compares the layers with the sum of their products, each measured alone. */
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h" /* SPIR-V: glslangValidator -V --vn fill -o fill.h fill.comp */
#include "norm.h"

typedef struct mlp {
    host host;
    uint32_t layers, tokens, width, hidden;
    vkmm_gemm *up, *down;
    host_buffer x, y, h, workspace, result; /* y = norm(x), h = gelu(y · W1) */
    host_buffer *w1, *w2;                   /* of each layer */
    host_shader norm;
} mlp;

/* Planning and compiling take time: once for all layers. Without push descriptors, each recording that is pending needs
 * a slot of its own, here one for each layer. */
static vkmm_gemm *create(const mlp *net, vkmm_problem problem, int unpacked)
{
    const vkmm_gemm_params params = {
        .job.problem = problem, .job.pack = unpacked ? 0 : VKMM_PACK_B, .slots = net->layers};
    vkmm_gemm *gemm;
    MM(vkmm_gemm_create(net->host.lent, &params, &gemm));
    printf("%ux%ux%u: %s\n", (unsigned)problem.m, (unsigned)problem.n, (unsigned)problem.k,
           vkmm_gemm_describe(gemm)->kernel->name);
    return gemm;
}

/* h ← gelu(y · W1) */
static vkmm_gemm_bindings up_bindings(const mlp *net, uint32_t layer)
{
    return (vkmm_gemm_bindings){.a = host_whole(&net->y),
                                .b = host_whole(&net->w1[layer]),
                                .c = host_whole(&net->h),
                                .workspace = host_whole(&net->workspace),
                                .slot = layer};
}

/* x ← x + h · W2 */
static vkmm_gemm_bindings down_bindings(const mlp *net, uint32_t layer)
{
    return (vkmm_gemm_bindings){.a = host_whole(&net->h),
                                .b = host_whole(&net->w2[layer]),
                                .c = host_whole(&net->x),
                                .workspace = host_whole(&net->workspace),
                                .slot = layer};
}

/* Between two steps. What compute shaders wrote, the library's and this program's, is visible to later ones; and no
 * later one overwrites what an earlier one still reads: x, y, h, or the workspace that all products share. */
static void next_step(VkCommandBuffer commands)
{
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
}

static void record_layers(const mlp *net, VkCommandBuffer commands)
{
    for (uint32_t i = 0; i < net->layers; i++) {
        const vkmm_gemm_bindings up = up_bindings(net, i), down = down_bindings(net, i);
        host_dispatch(commands, &net->norm, net->tokens, (uint32_t[4]){net->width / 8});
        next_step(commands);
        MM(vkmm_gemm_record(net->up, commands, &up));
        next_step(commands);
        MM(vkmm_gemm_record(net->down, commands, &down));
        next_step(commands);
    }
}

/* Fills a matrix with numbers whose products, summed over `terms`, are about as large as the other factor. */
static void record_fill(VkCommandBuffer commands, const host_shader *shader, uint64_t elements, uint32_t terms,
                        uint32_t seed)
{
    float scale = 1;
    uint32_t bits;
    while (scale * scale * (float)terms > 4) scale /= 2;
    memcpy(&bits, &scale, sizeof bits);
    host_dispatch(commands, shader, 1024, (uint32_t[4]){(uint32_t)(elements / 2), seed, bits});
}

/* The first x, and each layer's weights: computed in their plain layout, as if they came from a file, and packed. */
static void prepare(mlp *net, int unpacked)
{
    const host *h = &net->host;
    const uint64_t elements = (uint64_t)net->width * net->hidden;
    const VkBufferCopy all = {.size = 2 * elements};
    host_buffer plain = host_buffer_create(h, all.size, HOST_DEVICE);
    host_shader fill_x = host_shader_create(h, fill, sizeof fill, &net->x, &net->x);
    host_shader fill_plain = host_shader_create(h, fill, sizeof fill, &plain, &plain);
    VkCommandBuffer commands = host_begin(h, h->pool);
    record_fill(commands, &fill_x, (uint64_t)net->tokens * net->width, 1, 0);
    for (uint32_t i = 0; i < 2 * net->layers; i++) {
        const vkmm_gemm *gemm = i % 2 ? net->down : net->up;
        host_buffer *weights = i % 2 ? &net->w2[i / 2] : &net->w1[i / 2];
        *weights = host_buffer_create(h, vkmm_gemm_describe(gemm)->bytes[VKMM_B], HOST_DEVICE);
        record_fill(commands, &fill_plain, elements, i % 2 ? net->hidden : net->width, i + 1);
        host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VKMM_STAGE | VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT);
        const vkmm_binding from = host_whole(&plain), to = host_whole(weights);
        if (unpacked)
            vkCmdCopyBuffer(commands, plain.buffer, weights->buffer, 1, &all);
        else
            MM(vkmm_gemm_pack(gemm, commands, VKMM_B, &from, &to, i / 2));
        host_barrier(commands, VKMM_STAGE | VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
    }
    VK(vkEndCommandBuffer(commands));
    host_run(h, commands);
    VK(vkResetCommandPool(h->device, h->pool, 0)); /* the slots can be used again */
    host_shader_destroy(h, &fill_plain);
    host_shader_destroy(h, &fill_x);
    host_buffer_destroy(h, &plain);
}

/* The shortest time between timestamps 2i and 2i + 1 of `count`, in ms, in several runs. */
static double run_for_time(const host *h, VkCommandBuffer commands, VkQueryPool queries, uint32_t count)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < 20 * count; i++) {
        uint64_t stamps[2];
        if (i % count == 0) host_run(h, commands);
        VK(vkGetQueryPoolResults(h->device, queries, i % count * 2, 2, sizeof stamps, stamps, sizeof *stamps,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        const uint64_t ticks = (stamps[1] - stamps[0]) & UINT64_MAX >> (64 - h->timestamp_bits);
        best = fmin(best, (double)ticks * (double)h->properties.limits.timestampPeriod / 1e6);
    }
    return best;
}

/* The same product for every layer, one after the other, each between two timestamps. */
static double time_alone(const mlp *net, VkQueryPool queries, const vkmm_gemm *gemm,
                         vkmm_gemm_bindings (*bind)(const mlp *net, uint32_t layer))
{
    const host *h = &net->host;
    VK(vkResetCommandPool(h->device, h->pool, 0)); /* what was recorded before no longer needs the slots */
    VkCommandBuffer commands = host_begin(h, h->pool);
    vkCmdResetQueryPool(commands, queries, 0, 2 * net->layers);
    for (uint32_t i = 0; i < net->layers; i++) {
        const vkmm_gemm_bindings bindings = bind(net, i);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 2 * i);
        MM(vkmm_gemm_record(gemm, commands, &bindings));
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 2 * i + 1);
        next_step(commands);
    }
    VK(vkEndCommandBuffer(commands));
    return run_for_time(h, commands, queries, net->layers);
}

static void time_layers(const mlp *net)
{
    const host *h = &net->host;
    const VkQueryPoolCreateInfo create = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                          .queryCount = 2 * net->layers};
    VkQueryPool queries;
    if (h->timestamp_bits == 0) host_fail("the device has no timestamps");
    VK(vkCreateQueryPool(h->device, &create, NULL, &queries));

    VK(vkResetCommandPool(h->device, h->pool, 0));
    VkCommandBuffer commands = host_begin(h, h->pool);
    vkCmdResetQueryPool(commands, queries, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
    record_layers(net, commands);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 1);
    VK(vkEndCommandBuffer(commands));

    const double layers = run_for_time(h, commands, queries, 1);
    const double up = time_alone(net, queries, net->up, up_bindings);
    const double down = time_alone(net, queries, net->down, down_bindings);
    printf("layers %.4f ms, products %.4f ms (%u · (%.4f + %.4f)), share %.3f\n", layers, net->layers * (up + down),
           net->layers, up, down, net->layers * (up + down) / layers);
    vkDestroyQueryPool(h->device, queries, NULL);
}

/* All layers, and the copy of the result to where the host can read it: recorded at once, submitted once. */
static void run(const mlp *net, const char *path)
{
    const host *h = &net->host;
    const VkBufferCopy all = {.size = net->result.bytes};
    VkCommandBuffer commands = host_begin(h, h->pool);
    record_layers(net, commands);
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                 VK_ACCESS_TRANSFER_READ_BIT);
    vkCmdCopyBuffer(commands, net->x.buffer, net->result.buffer, 1, &all);
    host_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                 VK_ACCESS_HOST_READ_BIT);
    VK(vkEndCommandBuffer(commands));
    host_run(h, commands);
    if (path) host_write(path, net->result.mapped, net->result.bytes);
}

static VkDeviceSize larger(VkDeviceSize a, VkDeviceSize b)
{
    return a > b ? a : b;
}

static void open_mlp(mlp *net, int unpacked)
{
    host_open(&net->host, VKMM_F16);
    printf("%s\n", net->host.properties.deviceName);
    net->up = create(
        net,
        VKMM_PROBLEM(.m = net->tokens, .n = net->hidden, .k = net->width, .type = VKMM_F16, .activation = VKMM_GELU),
        unpacked);
    net->down = create(
        net, VKMM_PROBLEM(.m = net->tokens, .n = net->width, .k = net->hidden, .type = VKMM_F16, .beta = 1), unpacked);
    const vkmm_gemm_info *up = vkmm_gemm_describe(net->up), *down = vkmm_gemm_describe(net->down);
    net->x = host_buffer_create(&net->host, down->bytes[VKMM_C], HOST_DEVICE);
    net->y = host_buffer_create(&net->host, up->bytes[VKMM_A], HOST_DEVICE);
    net->h = host_buffer_create(&net->host, larger(up->bytes[VKMM_C], down->bytes[VKMM_A]), HOST_DEVICE);
    net->workspace =
        host_buffer_create(&net->host, larger(16, larger(up->workspace_bytes, down->workspace_bytes)), HOST_DEVICE);
    net->result = host_buffer_create(&net->host, (VkDeviceSize)2 * net->tokens * net->width, HOST_MAPPED);
    net->w1 = calloc(net->layers, sizeof *net->w1);
    net->w2 = calloc(net->layers, sizeof *net->w2);
    if (!net->w1 || !net->w2) host_fail("out of memory");
    net->norm = host_shader_create(&net->host, norm, sizeof norm, &net->x, &net->y);
    prepare(net, unpacked);
}

static void close_mlp(mlp *net)
{
    for (uint32_t i = 0; i < net->layers; i++) {
        host_buffer_destroy(&net->host, &net->w1[i]);
        host_buffer_destroy(&net->host, &net->w2[i]);
    }
    free(net->w1);
    free(net->w2);
    host_buffer *const buffers[] = {&net->x, &net->y, &net->h, &net->workspace, &net->result};
    for (uint32_t i = 0; i < 5; i++) host_buffer_destroy(&net->host, buffers[i]);
    host_shader_destroy(&net->host, &net->norm);
    vkmm_gemm_destroy(&net->up); /* what it recorded has been executed for the last time */
    vkmm_gemm_destroy(&net->down);
    host_close(&net->host);
}

int main(int argc, char **argv)
{
    enum { LAYERS, TOKENS, WIDTH, HIDDEN, UNPACKED, TIME, OPTIONS };
    host_option options[OPTIONS] = {{"--layers", 32, 0},   {"--tokens", 16, 0},  {"--width", 256, 0},
                                    {"--hidden", 1024, 0}, {"--unpacked", 0, 1}, {"--time", 0, 1}};
    const char *path = host_options(argc, argv, options, OPTIONS);
    mlp net = {.layers = options[LAYERS].value,
               .tokens = options[TOKENS].value,
               .width = options[WIDTH].value,
               .hidden = options[HIDDEN].value};
    if (net.width % 8) host_fail("the width must be a multiple of 8: norm.comp reads 8 elements at a time");
    open_mlp(&net, (int)options[UNPACKED].value);
    run(&net, path);
    if (options[TIME].value) time_layers(&net);
    close_mlp(&net);
    return 0;
}
