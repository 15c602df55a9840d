/* A panel of C, with β, that is stored in several chunks while memory runs out. Once a chunk is written, the old values
 * there are gone: computing the panel again from the new ones would give a wrong C. Whichever call fails, only the rest
 * is computed again, and C is right, even if the run reports that its guard bands could not be checked. */
#include <stdio.h>
#include <stdlib.h>

#include "play_parts.h"
#include "vk/loader.h"

enum {
    SIDE = 64,
    MATRICES = 2100,
    MOST = 60
}; /* small matrices share a panel: 32 MiB of C, stored in chunks of 16 MiB (exec/stream.h) */

static int32_t a[SIDE], b[SIDE], *c;
static const char *call;
static uint64_t failing;
static int has_failed;

static int32_t old(size_t x, size_t i, size_t j)
{
    return (int32_t)(x * 11 + i * 7 + j) % 1000;
}

static int is_right(void)
{
    for (size_t x = 0; x < MATRICES; x++)
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++)
                if (c[(x * SIDE + i) * SIDE + j] != a[i] * b[j] + 2 * old(x, i, j)) return 0;
    return 1;
}

static int run(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = 1, .type = VKMM_I32, .alpha = 1, .beta = 2,
                                              .batch_count = MATRICES, .stride_c = SIDE * SIDE);
    const vkmm_stream_params params = {.job = {.problem = problem, .untuned = 1}};
    const vkmm_stream_io io = {.a = a, .b = b, .c = c};
    vkmm_stream *stream = NULL;
    (void)instance;
    p->status = vkmm_stream_create(device, NULL, &params, &stream);
    if (!expect(p->status == VKMM_OK, "%s", p->sentence)) return 0;
    expect(vkmm_stream_partition(stream).device_bytes > sizeof *c * MATRICES * SIDE * SIDE,
           "C does not fit into one panel");
    for (size_t x = 0; x < MATRICES; x++)
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++) c[(x * SIDE + i) * SIDE + j] = old(x, i, j);
    fake_fail(call, failing, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    p->status = vkmm_stream_run(stream, &io, NULL);
    has_failed = fake_failed() > 0;
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    vkmm_stream_destroy(&stream);
    return 0;
}

int main(void)
{
    static const char *const calls[] = {"vkWaitForFences", "vkQueueSubmit", "vkAllocateCommandBuffers"};
    const fake_caps caps = {.transfer_family = 1};
    unsigned right = 0, refused = 0;
    c = malloc(sizeof *c * MATRICES * SIDE * SIDE);
    if (!expect(c != NULL, "no memory for C")) return 1;
    for (int i = 0; i < SIDE; i++) a[i] = i % 13 - 6, b[i] = i % 11 - 5;
    vkmm_loader_set(fake_loader());
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        call = calls[i];
        has_failed = 1;
        for (failing = 1; has_failed && failing < MOST; failing++) {
            char about[64];
            play p = {0};
            snprintf(about, sizeof about, "%s, call %llu", call, (unsigned long long)failing);
            fake_begin(&caps);
            play_on_device(&p, run);
            right += (unsigned)expect(is_right(), "%s: C is wrong: %s", about, p.sentence);
            if (p.status != VKMM_OK)
                refused +=
                    (unsigned)expect(p.status == VKMM_OUT_OF_MEMORY && p.errors == 1, "%s: %s", about, p.sentence);
            expect_no_fault(about);
        }
        expect(!has_failed, "%s still failed at the last attempt", call);
    }
    free(c);
    printf("%u right, %u of them refused, %u unexpected\n", right, refused, unexpected());
    expect(right > 3 && refused > 0, "too few runs succeeded, or too few failed");
    return unexpected() > 0;
}
