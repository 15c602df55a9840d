/* Products in panels on devices with little of everything: random shapes, ops, layouts, batches, scalars and
 * epilogues against plain loops, bit for bit, with all that lies between the matrices; some while memory ends in the
 * middle. */
#include <stdio.h>

#include "base/random.h"
#include "gemm.h"
#include "math/problem.h"
#include "math/type.h"
#include "play.h"
#include "vk/loader.h"

enum { CASES = 400 };

static uint64_t seed, drawn;

static uint64_t draw(uint64_t below)
{
    return (vkmm_random_bits(seed, drawn++) >> 16) % below;
}

/* Small ones more often than large ones. */
static uint64_t draw_extent(uint64_t most)
{
    return 1 + (draw(2) ? draw(1 + draw(most)) : draw(most));
}

static fake_caps draw_caps(void)
{
    static const uint32_t alignments[] = {4, 16, 64, 256};
    fake_caps caps = {.unified = (int)draw(2),
                      .transfer_family = (int)draw(3),
                      .no_timestamps = draw(4) == 0,
                      .lazy = (int)draw(2),
                      .heap_bytes = (UINT64_C(256) << draw(6)) << 10,
                      .max_storage_range = (UINT64_C(8) << draw(6)) << 10,
                      .offset_alignment = alignments[draw(4)]};
    caps.max_allocation_bytes = (UINT64_C(32) << draw(8)) << 10;
    if (draw(2)) caps.budget_bytes = caps.heap_bytes - caps.heap_bytes / (2 + draw(8));
    if (caps.max_allocation_bytes > caps.heap_bytes) caps.max_allocation_bytes = caps.heap_bytes;
    return caps;
}

static vkmm_problem draw_problem(void)
{
    static const double alphas[] = {1, 2, -1, 0}, betas[] = {0, 0, 1, -2};
    static const vkmm_type types[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_U32};
    vkmm_problem p = VKMM_PROBLEM(.m = draw_extent(200), .n = draw_extent(200),
                                  .k = draw_extent(draw(4) == 0 ? 3000 : 80), .type = types[draw(4)]);
    p.layout = (vkmm_layout)draw(2);
    p.op_a = (vkmm_op)draw(2);
    p.op_b = (vkmm_op)draw(2);
    if (draw(2)) p.alpha = alphas[draw(4)], p.beta = betas[draw(4)];
    p.has_bias = draw(3) == 0;
    p.activation = draw(3) == 0 ? VKMM_RELU : VKMM_ACTIVATION_NONE;
    p.batch_count = draw(3) == 0 ? draw_extent(5) : 0;
    if (draw(2)) p.lda = vkmm_operand_ld(&p, VKMM_A) + draw(5);
    if (draw(2)) p.ldb = vkmm_operand_ld(&p, VKMM_B) + draw(5);
    if (draw(2)) p.ldc = vkmm_operand_ld(&p, VKMM_C) + draw(5);
    if (draw(3) == 0) p.offset_a = draw(9), p.offset_b = draw(9), p.offset_c = draw(9);
    if (p.batch_count < 2) return p;
    const uint64_t most = p.m > p.n ? (p.m > p.k ? p.m : p.k) : (p.n > p.k ? p.n : p.k);
    p.stride_a = draw(4) == 0 ? 0 : most * vkmm_operand_ld(&p, VKMM_A) + draw(7);
    p.stride_b = draw(4) == 0 ? 0 : most * vkmm_operand_ld(&p, VKMM_B) + draw(7);
    p.stride_c = most * vkmm_operand_ld(&p, VKMM_C) + draw(7);
    return p;
}

typedef struct panels {
    const vkmm_problem *problem;
    void *const *memory;
} panels;

static vkmm_status read_panel(void *user, const vkmm_panel *panel)
{
    const panels *from = user;
    gemm_move(from->problem, from->memory[panel->operand], panel, 0);
    return VKMM_OK;
}

static vkmm_status write_panel(void *user, const vkmm_panel *panel)
{
    const panels *to = user;
    gemm_move(to->problem, to->memory[panel->operand], panel, 1);
    return VKMM_OK;
}

static struct {
    unsigned right, again, cut, split, shrunk;
} counts;

/* The reference adds β·C and the bias even where there is none; and where the parts of a sum that is zero are added in
 * another order, its sign may be the other one. */
static void unsign_zeros(vkmm_type type, void *memory, uint64_t bytes)
{
    const uint64_t size = vkmm_type_of(type)->bytes;
    for (uint64_t at = 0; vkmm_type_of(type)->is_float && at < bytes; at += size)
        if (vkmm_type_get(type, (char *)memory + at) == 0) memset((char *)memory + at, 0, size);
}

static void run(play *p, const vkmm_problem *problem, vkmm_stream *stream, const char *about)
{
    const vkmm_partition t = vkmm_stream_partition(stream);
    const int given = draw(2) != 0, fails = draw(4) == 0;
    /* Smaller panels may be parts of K. */
    const int known = t.depth_panels == 1 && vkmm_stream_kernel(stream)->splits <= 1 && !fails;
    const uint64_t bytes = vkmm_operand_bytes(problem, VKMM_C);
    void *memory[PLAY_MEMORIES], *want = malloc(bytes);
    /* Random significands where the order of sums is known; else small whole numbers, whose sums are exact. */
    make_operands(problem, known && draw(2) ? VKMM_INIT_UNIFORM : VKMM_INIT_INT, seed, memory);
    memcpy(want, memory[VKMM_C], bytes);
    gemm_biased(problem, memory[VKMM_A], memory[VKMM_B], problem->has_bias ? memory[VKMM_BIAS] : NULL, want);
    panels from = {problem, memory};
    vkmm_stream_io io = {.read = read_panel, .write = write_panel, .user = &from};
    if (given)
        io = (vkmm_stream_io){.a = memory[VKMM_A], .b = memory[VKMM_B], .c = memory[VKMM_C], .bias = memory[VKMM_BIAS]};
    vkmm_stream_times times;
    if (fails)
        fake_fail(draw(2) ? "vkQueueSubmit" : "vkWaitForFences", 1 + draw(12), draw(2) ? 1 : 1000,
                  VK_ERROR_OUT_OF_DEVICE_MEMORY);
    p->status = vkmm_stream_run(stream, &io, &times);
    int failed = fake_failed() > 0;
    const int split = vkmm_stream_partition(stream).depth_panels > 1;
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    if (failed && p->status == VKMM_OUT_OF_MEMORY) { /* with the smallest panels too; then there is memory again */
        expect(p->errors == 1, "%s: %u sentences", about, p->errors);
        memcpy(memory[VKMM_C], memory[PLAY_BEFORE], bytes);
        p->errors = 0;
        failed = 0;
        p->status = vkmm_stream_run(stream, &io, &times);
        counts.again++;
    }
    if (expect(p->status == VKMM_OK && p->errors == 0, "%s: %s: %s", about, vkmm_status_name(p->status), p->sentence)) {
        unsign_zeros(problem->type, want, bytes);
        unsign_zeros(problem->type, memory[VKMM_C], bytes);
        expect(memcmp(want, memory[VKMM_C], bytes) == 0, "%s: C differs", about);
        expect(!failed || times.shrunk > 0, "%s: memory ended, and nothing was shrunk", about);
        counts.right++;
        counts.cut += t.row_panels * t.col_panels > 1;
        counts.split += (unsigned)split;
        counts.shrunk += times.shrunk > 0;
    }
    free_operands(memory);
    free(want);
}

enum { CHUNKS = 5 }; /* each rounded up to what the driver aligns memory to */

static int stream_on(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_problem problem = draw_problem();
    const vkmm_stream_params params = {.job = {.problem = problem, .untuned = 1},
                                       .threads = 1 + (uint32_t)draw(3),
                                       .memory_limit = draw(3) ? 0 : (UINT64_C(128) << draw(6)) << 10};
    vkmm_stream *stream = NULL;
    char about[200];
    (void)instance;
    snprintf(about, sizeof about, "case %llu: %s %llux%llux%llu, batch of %llu", (unsigned long long)seed,
             vkmm_type_of(problem.type)->name, (unsigned long long)problem.m, (unsigned long long)problem.n,
             (unsigned long long)problem.k, (unsigned long long)problem.batch_count);
    const uint64_t before = fake_allocated_on_host();
    p->status = vkmm_stream_create(device, NULL, &params, &stream);
    if (p->status == VKMM_OUT_OF_MEMORY) expect(p->errors == 1, "%s: %u sentences", about, p->errors);
    if (stream) {
        const uint64_t staging = vkmm_stream_partition(stream).staging_bytes, taken = fake_allocated_on_host() - before;
        expect(taken >= staging && taken - staging < CHUNKS * 4096, "%s: %llu bytes of staging, not %llu", about,
               (unsigned long long)taken, (unsigned long long)staging);
    }
    if (p->status != VKMM_OUT_OF_MEMORY &&
        expect(p->status == VKMM_OK, "%s: %s: %s", about, vkmm_status_name(p->status), p->sentence))
        run(p, &problem, stream, about);
    vkmm_stream_destroy(&stream);
    return 0;
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                   count = argc > 2 ? strtoull(argv[2], NULL, 10) : CASES;
    vkmm_loader_set(fake_loader());
    for (seed = first; seed < first + count && unexpected() < 20; seed++) {
        char about[32];
        play p = {0};
        drawn = 0;
        const fake_caps caps = draw_caps();
        fake_begin(&caps);
        play_on_device(&p, stream_on);
        snprintf(about, sizeof about, "case %llu", (unsigned long long)seed);
        expect(fake_most_allocated() <= 2 * caps.heap_bytes, "%s: more than there is", about);
        expect_no_fault(about);
    }
    expect(argc > 1 || (counts.right > count / 2 && counts.cut > 80 && counts.split > 5 && counts.shrunk > 10 &&
                        counts.again > 10),
           "too few of a kind");
    return unexpected() > 0;
}
