/* experts.c: a mixture of experts in one command buffer. A router product has a logit for each token and expert; a
 * shader of this program sends each token to the two experts with the largest, and
 *
 *     y_t ← Σ share_te · gelu(x_t · W1_e) · W2_e, over both experts e of token t
 *
 * is two products by experts. The host learns the number of rows of each expert only afterwards, when it computes all
 * of it again and compares. */
#include "host.h"

#include <math.h>
#include <stdio.h>

#include "route.h" /* SPIR-V: glslangValidator -V --vn route -o route.h route.comp */

enum { TOKENS = 75, WIDTH = 48, HIDDEN = 80, EXPERTS = 8, EACH = 2, SLOTS = TOKENS * EACH };

typedef struct mixture {
    host host;
    vkmm_gemm *router, *up, *down;
    host_buffer x, weights, logits, routing, w1, w2, h, y, workspace;
    host_shader route;
} mixture;

static void create_products(mixture *mix)
{
    const vkmm_gemm_params router = {.job.problem = VKMM_PROBLEM(.m = TOKENS, .n = EXPERTS, .k = WIDTH)};
    /* h: SLOTS rows in the experts' order, each of a token, gathered from x */
    const vkmm_gemm_params up = {.job.problem =
                                     VKMM_PROBLEM(.m = SLOTS, .n = HIDDEN, .k = WIDTH,
                                                  .stride_b = (uint64_t)WIDTH * HIDDEN, .activation = VKMM_GELU),
                                 .experts = EXPERTS,
                                 .gather = EACH};
    /* y: a row for each token, the sum of two rows of h · W2, scaled */
    const vkmm_gemm_params down = {
        .job.problem = VKMM_PROBLEM(.m = SLOTS, .n = WIDTH, .k = HIDDEN, .stride_b = (uint64_t)HIDDEN * WIDTH),
        .experts = EXPERTS,
        .scatter = EACH};
    MM(vkmm_gemm_create(mix->host.lent, &router, &mix->router));
    MM(vkmm_gemm_create(mix->host.lent, &up, &mix->up));
    MM(vkmm_gemm_create(mix->host.lent, &down, &mix->down));
}

static float *filled(const host_buffer *buffer, uint32_t seed, float scale)
{
    float *numbers = buffer->mapped;
    for (uint32_t i = 0; i < buffer->bytes / sizeof *numbers; i++) numbers[i] = host_number(i, seed) * scale;
    return numbers;
}

static void create_buffers(mixture *mix)
{
    const host *h = &mix->host;
    const vkmm_gemm_info *router = vkmm_gemm_describe(mix->router), *up = vkmm_gemm_describe(mix->up),
                         *down = vkmm_gemm_describe(mix->down);
    VkDeviceSize workspace = router->workspace_bytes;
    if (workspace < up->workspace_bytes) workspace = up->workspace_bytes;
    if (workspace < down->workspace_bytes) workspace = down->workspace_bytes;
    mix->x = host_buffer_create(h, router->bytes[VKMM_A], HOST_MAPPED);
    mix->weights = host_buffer_create(h, router->bytes[VKMM_B], HOST_MAPPED);
    mix->logits = host_buffer_create(h, router->bytes[VKMM_C], HOST_DEVICE);
    mix->routing = host_buffer_create(h, down->routing_bytes, HOST_MAPPED); /* up reads the first part of it */
    mix->w1 = host_buffer_create(h, up->bytes[VKMM_B], HOST_MAPPED);
    mix->w2 = host_buffer_create(h, down->bytes[VKMM_B], HOST_MAPPED);
    mix->h = host_buffer_create(h, up->bytes[VKMM_C], HOST_DEVICE);
    mix->y = host_buffer_create(h, down->bytes[VKMM_C], HOST_MAPPED);
    mix->workspace = host_buffer_create(h, workspace, HOST_DEVICE);
    mix->route = host_shader_create(h, route, sizeof route, &mix->logits, &mix->routing);
    filled(&mix->x, 1, 1);
    filled(&mix->weights, 2, 1);
    filled(&mix->w1, 3, 0.25F);
    filled(&mix->w2, 4, 0.25F);
}

/* Between two steps. */
static void next_step(VkCommandBuffer commands)
{
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
}

static void run(const mixture *mix)
{
    const vkmm_gemm_bindings router = {.a = host_whole(&mix->x),
                                       .b = host_whole(&mix->weights),
                                       .c = host_whole(&mix->logits),
                                       .workspace = host_whole(&mix->workspace)};
    const vkmm_gemm_bindings up = {.a = host_whole(&mix->x),
                                   .b = host_whole(&mix->w1),
                                   .c = host_whole(&mix->h),
                                   .workspace = host_whole(&mix->workspace),
                                   .routing = host_whole(&mix->routing)};
    const vkmm_gemm_bindings down = {.a = host_whole(&mix->h),
                                     .b = host_whole(&mix->w2),
                                     .c = host_whole(&mix->y),
                                     .workspace = host_whole(&mix->workspace),
                                     .routing = host_whole(&mix->routing)};
    VkCommandBuffer commands = host_begin(&mix->host, mix->host.pool);
    MM(vkmm_gemm_record(mix->router, commands, &router));
    next_step(commands);
    host_dispatch(commands, &mix->route, 1, (uint32_t[4]){TOKENS, EXPERTS});
    next_step(commands);
    MM(vkmm_gemm_record(mix->up, commands, &up));
    next_step(commands);
    MM(vkmm_gemm_record(mix->down, commands, &down));
    host_barrier(commands, VKMM_STAGE, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    VK(vkEndCommandBuffer(commands));
    host_run(&mix->host, commands);
}

/* The two experts with the largest logits of a token, and the share of the first. */
static double choose(const float *x, const float *weights, uint32_t chosen[EACH])
{
    double logits[EXPERTS] = {0};
    for (uint32_t e = 0; e < EXPERTS; e++)
        for (uint32_t k = 0; k < WIDTH; k++) logits[e] += (double)(x[k] * weights[k * EXPERTS + e]);
    chosen[0] = 0;
    for (uint32_t e = 1; e < EXPERTS; e++)
        if (logits[e] > logits[chosen[0]]) chosen[0] = e;
    chosen[1] = chosen[0] == 0;
    for (uint32_t e = 0; e < EXPERTS; e++)
        if (e != chosen[0] && logits[e] > logits[chosen[1]]) chosen[1] = e;
    return 1 / (1 + exp(logits[chosen[1]] - logits[chosen[0]]));
}

static void add_expert(const float *x, const float *w1, const float *w2, double share, double y[WIDTH])
{
    for (uint32_t i = 0; i < HIDDEN; i++) {
        double h = 0;
        for (uint32_t k = 0; k < WIDTH; k++) h += (double)(x[k] * w1[k * HIDDEN + i]);
        h = h / 2 * (1 + tanh(0.7978845608 * (h + 0.044715 * h * h * h)));
        for (uint32_t j = 0; j < WIDTH; j++) y[j] += share * h * (double)w2[i * WIDTH + j];
    }
}

/* The number of elements of y that differ from what the host computes by more than rounding. */
static uint32_t compare(const mixture *mix, uint32_t rows[EXPERTS])
{
    const float *x = mix->x.mapped, *weights = mix->weights.mapped, *w1 = mix->w1.mapped, *w2 = mix->w2.mapped,
                *got = mix->y.mapped;
    uint32_t wrong = 0;
    for (uint32_t t = 0; t < TOKENS; t++) {
        uint32_t chosen[EACH];
        double y[WIDTH] = {0};
        const double share = choose(x + t * WIDTH, weights, chosen);
        for (uint32_t n = 0; n < EACH; n++) {
            rows[chosen[n]]++;
            add_expert(x + t * WIDTH, w1 + chosen[n] * WIDTH * HIDDEN, w2 + chosen[n] * HIDDEN * WIDTH,
                       n == 0 ? share : 1 - share, y);
        }
        for (uint32_t j = 0; j < WIDTH; j++) wrong += !(fabs((double)got[t * WIDTH + j] - y[j]) < 1e-4);
    }
    return wrong;
}

static void close_mixture(mixture *mix)
{
    host_buffer *const buffers[] = {&mix->x,  &mix->weights, &mix->logits, &mix->routing,  &mix->w1,
                                    &mix->w2, &mix->h,       &mix->y,      &mix->workspace};
    for (uint32_t i = 0; i < sizeof buffers / sizeof *buffers; i++) host_buffer_destroy(&mix->host, buffers[i]);
    host_shader_destroy(&mix->host, &mix->route);
    vkmm_gemm_destroy(&mix->router);
    vkmm_gemm_destroy(&mix->up);
    vkmm_gemm_destroy(&mix->down);
    host_close(&mix->host);
}

int main(void)
{
    static mixture mix;
    uint32_t rows[EXPERTS] = {0};
    host_open(&mix.host, VKMM_F32);
    create_products(&mix);
    create_buffers(&mix);
    run(&mix);
    uint32_t wrong = compare(&mix, rows);
    const uint32_t *routing = mix.routing.mapped; /* the status, then the rows that the device counted */
    for (uint32_t e = 0; e < EXPERTS; e++) wrong += routing[1 + e] != rows[e];
    printf("%s: %d tokens, rows of %d experts:", mix.host.properties.deviceName, TOKENS, EXPERTS);
    for (uint32_t e = 0; e < EXPERTS; e++) printf(" %u", routing[1 + e]);
    printf(", %u dropped, %u wrong\n", routing[0], wrong);
    wrong += routing[0];
    close_mixture(&mix);
    return wrong > 0;
}
