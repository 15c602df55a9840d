/* time_gemm [DEVICE]: how fast products are that a program records into its own command buffers (vkmatmul_vulkan.h).
 * Not a test: it prints figures for the device at hand, and fails if a product is wrong.
 *
 *   1,000 products of 256³ f32 in one command buffer, against the same ones as jobs, submitted one by one
 *   the host's time for one vkmm_gemm_record
 *   64 experts in q4_0, 8 for each of 1 to 512 tokens of f16, against single products with as many rows, one by one */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "base/random.h"
#include "job/job.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"
#include "vkmatmul_vulkan.h"

enum {
    SIDE = 256,
    COUNT = 1000,
    ROUNDS = 15,
    EXPERTS = 64,
    EACH = 8,
    MOST_M = 512,
    WARM_UP_MS = 250,
    WIDTH = 4096,
    CHUNK = 1 << 24,
    CHECKED = 4
};

static vkmm_device *device;
static uint32_t count = COUNT, rounds = ROUNDS, experts = EXPERTS, width = WIDTH; /* fewer on processors */
static char *chunk; /* CHUNK elements of a type, repeated in A and B */

static void need(vkmm_status status, const char *what)
{
    if (status == VKMM_OK) return;
    fprintf(stderr, "time_gemm: %s: %s: %s\n", what, vkmm_status_name(status), vkmm_last_error());
    exit(1);
}

static double median(double *values, uint32_t size)
{
    vkmm_sort(values, size);
    return values[size / 2];
}

/* ---- Matrices ---- */

enum { MOST_BUFFERS = 16 };
static vkmm_buffer buffers[MOST_BUFFERS]; /* until release */
static uint32_t buffer_count;

static vkmm_buffer take(const char *what, uint64_t bytes, vkmm_placement placement)
{
    vkmm_buffer *buffer = &buffers[buffer_count++];
    need(vkmm_buffer_create(device, what, bytes, placement, buffer), "allocating");
    return *buffer;
}

static void release(void)
{
    while (buffer_count > 0) vkmm_buffer_destroy(device, &buffers[--buffer_count]);
}

/* A, B or C of several products, on the device. A and B repeat what `from` holds. */
static vkmm_buffer make(uint64_t bytes, const vkmm_buffer *from)
{
    const vkmm_buffer buffer = take("matrices", bytes, VKMM_PLACE_DEVICE);
    VkCommandBuffer command = NULL;
    if (!from) return buffer;
    vkmm_status status = vkmm_command_begin(device, &command);
    for (uint64_t at = 0; at < bytes && status == VKMM_OK; at += from->bytes) {
        const VkBufferCopy part = {.dstOffset = at, .size = bytes - at < from->bytes ? bytes - at : from->bytes};
        device->table.vkCmdCopyBuffer(command, from->handle, buffer.handle, 1, &part);
    }
    need(vkmm_command_finish(device, status, &command), "filling");
    return buffer;
}

static vkmm_buffer make_chunk(vkmm_type type)
{
    const uint64_t bytes = (uint64_t)CHUNK * vkmm_type_of(type)->bytes;
    const vkmm_buffer upload = take("an upload", bytes, VKMM_PLACE_UPLOAD);
    chunk = realloc(chunk, bytes);
    if (!chunk) need(VKMM_OUT_OF_MEMORY, "allocating");
    vkmm_fill(chunk, 1, CHUNK, type, VKMM_INIT_INT, 7);
    memcpy(upload.mapped, chunk, bytes);
    return upload;
}

/* A part of a matrix on the device, where the host can read it; to be destroyed. */
static vkmm_buffer read_back(const vkmm_buffer *from, uint64_t offset, uint64_t bytes)
{
    vkmm_buffer download;
    need(vkmm_buffer_create(device, "a download", bytes, VKMM_PLACE_DOWNLOAD, &download), "allocating");
    need(vkmm_command_copy(device, from->handle, offset, download.handle, bytes), "reading C");
    return download;
}

/* Some elements of a product, exactly: small whole numbers, rounded once. */
static void check(const vkmm_problem *p, uint64_t a, uint64_t b, const vkmm_buffer *c, uint64_t offset)
{
    const uint64_t size = vkmm_type_of(p->type)->bytes;
    vkmm_buffer download = read_back(c, offset * size, p->m * p->n * size);
    for (uint64_t at = 0; at < CHECKED; at++) {
        const uint64_t i = vkmm_random_bits(offset, 2 * at) % p->m, j = vkmm_random_bits(offset, 2 * at + 1) % p->n;
        double sum = 0, stored[2];
        for (uint64_t k = 0; k < p->k; k++)
            sum += vkmm_type_get(p->type, chunk + (a + i * p->k + k) % CHUNK * size) *
                   vkmm_type_get(p->type, chunk + (b + k * p->n + j) % CHUNK * size);
        vkmm_type_put(p->type, stored, sum); /* as C rounds it */
        if (memcmp(stored, (char *)download.mapped + (i * p->n + j) * size, size) == 0) continue;
        fprintf(stderr, "time_gemm: element %llu, %llu is wrong\n", (unsigned long long)i, (unsigned long long)j);
        exit(1);
    }
    vkmm_buffer_destroy(device, &download);
}

static vkmm_binding all_of(const vkmm_buffer *buffer)
{
    return (vkmm_binding){buffer->handle, 0, buffer->bytes};
}

/* ---- Times ---- */

/* Milliseconds from submission to the fence, by the host's clock. */
static double time_command(VkCommandBuffer command)
{
    double ms[ROUNDS] = {0}, warm;
    const double start = vkmm_now_ms();
    do need(vkmm_command_run(device, command, &warm), "warming up");
    while (vkmm_now_ms() < start + WARM_UP_MS); /* the clocks of an idle GPU take as long to rise */
    for (uint32_t i = 0; i < rounds; i++) need(vkmm_command_run(device, command, &ms[i]), "running");
    return median(ms, rounds);
}

static double time_job(const vkmm_problem *problem)
{
    const vkmm_job_params params = {.problem = *problem};
    const vkmm_measure_params measure = {
        .iters = 3 * rounds, .cold_iters = rounds, .cold_iters_given = 1, .skip_transfers = 1};
    vkmm_job *job = NULL;
    vkmm_measurement time;
    need(vkmm_job_create(device, NULL, &params, &job), "creating a job");
    vkmm_fill(vkmm_job_matrix(job, VKMM_A), problem->m, problem->k, problem->type, VKMM_INIT_INT, 1);
    vkmm_fill(vkmm_job_matrix(job, VKMM_B), problem->k, problem->n, problem->type, VKMM_INIT_INT, 2);
    need(vkmm_job_run(job), "running a job");
    need(vkmm_job_measure(job, &measure, &time), "measuring a job");
    const double ms = time.submit.median;
    vkmm_job_destroy(&job);
    return ms;
}

static vkmm_gemm *make_gemm(const vkmm_gemm_params *params)
{
    vkmm_gemm *gemm = NULL;
    need(vkmm_gemm_create(device, params, &gemm), "vkmm_gemm_create");
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    printf("%llux%llux%llu %s: %s (%s), %u parts of K, %.0f ms to compile\n", (unsigned long long)params->job.problem.m,
           (unsigned long long)params->job.problem.n, (unsigned long long)params->job.problem.k,
           vkmm_type_of(params->job.problem.type)->name, info->kernel->name, info->kernel->config, info->kernel->splits,
           info->compile_ms);
    return gemm;
}

static void time_small(void)
{
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE), .slots = count};
    const uint64_t matrix = (uint64_t)SIDE * SIDE * sizeof(float);
    static double record_us[COUNT];
    vkmm_gemm *gemm = make_gemm(&params);
    const uint64_t space = vkmm_gemm_describe(gemm)->workspace_bytes;
    const vkmm_buffer upload = make_chunk(VKMM_F32), a = make(count * matrix, &upload),
                      b = make(count * matrix, &upload), c = make(count * matrix, NULL),
                      workspace = make(count * (space + 4), NULL);
    VkCommandBuffer command = NULL;
    need(vkmm_command_begin(device, &command), "recording");
    for (uint32_t i = 0; i < count; i++) {
        const vkmm_gemm_bindings bindings = {.a = {a.handle, i * matrix, matrix},
                                             .b = {b.handle, i * matrix, matrix},
                                             .c = {c.handle, i * matrix, matrix},
                                             .workspace = {workspace.handle, i * space, space},
                                             .slot = i};
        const double start = vkmm_now_ms();
        need(vkmm_gemm_record(gemm, command, &bindings), "vkmm_gemm_record");
        record_us[i] = 1e3 * (vkmm_now_ms() - start);
    }
    need(vkmm_command_end(device, command), "recording");
    const double together = time_command(command) / count, alone = time_job(&params.job.problem);
    const uint64_t elements = SIDE * SIDE;
    for (uint64_t i = 0; i < count; i += 99) check(&params.job.problem, i * elements, i * elements, &c, i * elements);
    printf("  1 of %u in one command buffer: %.3f us; as a job: %.3f us; ratio %.2f\n", count, 1e3 * together,
           1e3 * alone, alone / together);
    printf("  one vkmm_gemm_record on the host, median: %.3f us\n", median(record_us, count));
    vkmm_command_free(device, &command);
    vkmm_gemm_destroy(&gemm);
    release();
}

enum { REPEATS = 10 };

typedef struct mixture {
    vkmm_gemm *together, *alone[EACH * MOST_M + 1]; /* alone: by rows */
    uint32_t rows[EXPERTS];                         /* of each expert */
    vkmm_buffer b, c, single_c;
} mixture;

/* Each token goes to as many different experts, from a random one on. */
static void route(mixture *mix, uint32_t tokens)
{
    memset(mix->rows, 0, sizeof mix->rows);
    for (uint32_t t = 0; t < tokens; t++) {
        const uint32_t first = (uint32_t)(vkmm_random_bits(9, t) % experts);
        for (uint32_t i = 0; i < EACH && i < experts; i++) mix->rows[(first + 7 * i) % experts]++;
    }
}

/* Several times, each after the one before: as one recording, or expert by expert. Returns milliseconds for one. */
static double time_mixture(const mixture *mix, int is_together, const vkmm_gemm_bindings *bindings)
{
    const uint64_t row = (uint64_t)width * 2, matrix = mix->b.bytes / experts;
    VkCommandBuffer command = NULL;
    need(vkmm_command_begin(device, &command), "recording");
    for (uint32_t r = 0; r < REPEATS; r++) {
        if (is_together) need(vkmm_gemm_record(mix->together, command, bindings), "recording experts");
        uint64_t at = 0;
        for (uint32_t e = 0; e < experts && !is_together; e++) {
            const uint64_t bytes = mix->rows[e] * row;
            const vkmm_gemm_bindings one = {.a = {bindings->a.buffer, at, bytes},
                                            .b = {bindings->b.buffer, e * matrix, matrix},
                                            .c = {mix->single_c.handle, at, bytes},
                                            .workspace = bindings->workspace};
            if (bytes == 0) continue;
            need(vkmm_gemm_record(mix->alone[mix->rows[e]], command, &one), "recording an expert");
            vkmm_command_barrier_all(device, command);
            at += bytes;
        }
        vkmm_command_barrier_all(device, command);
    }
    need(vkmm_command_end(device, command), "recording");
    const double ms = time_command(command) / REPEATS;
    vkmm_command_free(device, &command);
    return ms;
}

/* Both ways have computed the same, apart from rounding. */
static void compare(const mixture *mix)
{
    const uint64_t bytes = mix->c.bytes;
    vkmm_buffer together = read_back(&mix->c, 0, bytes), alone = read_back(&mix->single_c, 0, bytes);
    for (uint64_t i = 0; i < bytes / 2; i++) {
        const double x = vkmm_type_get(VKMM_F16, (char *)together.mapped + 2 * i),
                     y = vkmm_type_get(VKMM_F16, (char *)alone.mapped + 2 * i);
        if (fabs(x - y) <= 2e-3 * (fabs(x) + sqrt(width))) continue;
        fprintf(stderr, "time_gemm: element %llu of the experts' C is %g, alone %g\n", (unsigned long long)i, x, y);
        exit(1);
    }
    vkmm_buffer_destroy(device, &together), vkmm_buffer_destroy(device, &alone);
}

/* Random weights in blocks, the same for each expert. */
static vkmm_buffer make_weights(void)
{
    const uint64_t elements = (uint64_t)width * width, bytes = elements / 32 * 18;
    float *values = malloc(elements * sizeof *values);
    const vkmm_buffer upload = take("an upload", bytes, VKMM_PLACE_UPLOAD);
    if (values == NULL) need(VKMM_OUT_OF_MEMORY, "allocating");
    vkmm_fill(values, 1, elements, VKMM_F32, VKMM_INIT_UNIFORM, 3);
    vkmm_blocks_encode(VKMM_Q4_0, values, elements, upload.mapped);
    free(values);
    return upload;
}

static void time_experts(uint32_t tokens)
{
    static mixture mix;
    vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = tokens * EACH, .n = width, .k = width, .type = VKMM_F16,
                                                           .op_b = VKMM_OP_T, .format_b = VKMM_Q4_0,
                                                           .stride_b = (uint64_t)width * width),
                               .experts = experts};
    memset(&mix, 0, sizeof mix);
    route(&mix, tokens);
    mix.together = make_gemm(&params);
    const vkmm_gemm_info *info = vkmm_gemm_describe(mix.together);
    uint64_t space = info->workspace_bytes;
    params.experts = 0, params.job.problem.stride_b = 0;
    for (uint32_t e = 0; e < experts; e++) {
        vkmm_gemm **one = &mix.alone[mix.rows[e]];
        params.job.problem.m = mix.rows[e];
        if (mix.rows[e] == 0 || *one) continue;
        *one = make_gemm(&params);
        const uint64_t bytes = vkmm_gemm_describe(*one)->workspace_bytes;
        if (bytes > space) space = bytes;
    }
    const vkmm_buffer halves = make_chunk(VKMM_F16), weights = make_weights(), a = make(info->bytes[VKMM_A], &halves),
                      workspace = make(space + 4, NULL),
                      routing = take("the routing", info->routing_bytes, VKMM_PLACE_UPLOAD);
    mix.b = make(experts * weights.bytes, &weights);
    mix.c = make(info->bytes[VKMM_C], NULL), mix.single_c = make(info->bytes[VKMM_C], NULL);
    memcpy((uint32_t *)routing.mapped + 1, mix.rows, experts * sizeof *mix.rows);
    const vkmm_gemm_bindings bindings = {.a = all_of(&a),
                                         .b = all_of(&mix.b),
                                         .c = all_of(&mix.c),
                                         .workspace = all_of(&workspace),
                                         .routing = all_of(&routing)};
    const double together = time_mixture(&mix, 1, &bindings), alone = time_mixture(&mix, 0, &bindings);
    compare(&mix);
    printf("  %u tokens, %d of %u experts each, q4_0: %.1f us; one by one: %.1f us, ratio %.2f\n", tokens, EACH,
           experts, 1e3 * together, 1e3 * alone, alone / together);
    vkmm_gemm_destroy(&mix.together);
    for (uint32_t m = 0; m <= EACH * MOST_M; m++) vkmm_gemm_destroy(&mix.alone[m]);
    release();
}

int main(int argc, char **argv)
{
    vkmm_instance *instance = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    need(vkmm_instance_create(NULL, &instance), "vkmm_instance_create");
    need(vkmm_device_create(instance, argc > 1 ? (uint32_t)atoi(argv[1]) : 0, &device), "vkmm_device_create");
    const vkmm_device_info *info = &device->physical->info;
    printf("%s, %s %s, push descriptors: %s\n", info->name, info->driver.name, info->driver.info,
           device->has_push_descriptors ? "yes" : "no");
    const int is_slow = info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (is_slow) count = 20, rounds = 3, experts = 16, width = 256;
    time_small();
    for (uint32_t tokens = 1; tokens <= (is_slow ? 8 : MOST_M); tokens *= 8) time_experts(tokens);
    free(chunk);
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    return 0;
}
