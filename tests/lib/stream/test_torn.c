/* A panel of C, with β, that is stored in several chunks while memory runs out, or while one of two devices is lost.
 * Once a chunk is written, the old values there are gone: computing the panel again from the new ones would give a
 * wrong C. Whichever call fails, only the rest is computed again, by the other device if there is one, and C is right,
 * even if the run reports that the end of a copy could not be waited for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "play.h"
#include "vk/loader.h"

enum {
    SIDE = 68,
    MATRICES = 1820,
    SHARED = 8400, /* on two devices, whose panels have at least an eighth of the most, 8192, but for the last one */
    LOSS = SHARED - 1000, /* a matrix in the first chunk of the last panel but one */
    MOST = 60
}; /* small matrices share a panel: C is stored in three chunks of 16 MiB or less (stream/stream.h) */

static int32_t a[SIDE], b[SIDE], *c;
static const char *call;
static uint64_t failing;
static int has_failed;
static size_t matrices = MATRICES;
static unsigned torn; /* devices that were lost after a part of a panel was stored */

static int32_t old(size_t x, size_t i, size_t j)
{
    return (int32_t)((x * 11 + i * 7 + j) & 1023);
}

static int is_right(void)
{
    for (size_t x = 0; x < matrices; x++)
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++)
                if (c[(x * SIDE + i) * SIDE + j] != a[i] * b[j] + 2 * old(x, i, j)) return 0;
    return 1;
}

static vkmm_problem problem_of(void)
{
    return VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = 1, .type = VKMM_I32, .alpha = 1, .beta = 2, .batch_count = matrices,
                        .stride_c = SIDE * SIDE);
}

static void fill(void)
{
    for (size_t x = 0; x < matrices; x++)
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++) c[(x * SIDE + i) * SIDE + j] = old(x, i, j);
}

/* The first of two devices that reads C, and the second, which is held up there until the first is lost. The first
 * does not begin before: so the panels that each has are the same in every run. */
static thread_local unsigned place;
static unsigned places;
static int is_lost;
static mtx_t lock;
static cnd_t changed;

static vkmm_status read_rows(void *user, const vkmm_panel *panel)
{
    (void)user;
    mtx_lock(&lock);
    if (place == 0) place = ++places;
    cnd_broadcast(&changed);
    while (places < 2 || (place == 2 && !is_lost)) cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    memcpy(panel->data, c + (panel->batch * SIDE + panel->row) * SIDE, panel->rows * SIDE * sizeof *c);
    return VKMM_OK;
}

/* The chunks of the last panels are waited for one by one. There the first device is lost, at its next wait. */
static vkmm_status write_rows(void *user, const vkmm_panel *panel)
{
    (void)user;
    memcpy(c + (panel->batch * SIDE + panel->row) * SIDE, panel->data, panel->rows * SIDE * sizeof *c);
    if (place != 1 || panel->batch != LOSS || is_lost) return VKMM_OK;
    fake_fail_here("vkWaitForFences", 1, VK_ERROR_DEVICE_LOST);
    mtx_lock(&lock);
    is_lost = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return VKMM_OK;
}

static int run_shared(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_stream_io io = {.a = a, .b = b, .read = read_rows, .write = write_rows};
    vkmm_stream *stream = NULL;
    vkmm_device *other = NULL;
    p->status = vkmm_device_create(instance, 0, &other);
    const vkmm_stream_params params = {
        .job = {.problem = problem_of(), .untuned = 1}, .threads = 1, .others = &other, .other_count = 1};
    if (p->status == VKMM_OK) p->status = vkmm_stream_create(device, NULL, &params, &stream);
    if (!expect(p->status == VKMM_OK, "%s", p->sentence)) return 0;
    fill();
    p->status = vkmm_stream_run(stream, &io, NULL);
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        const vkmm_stream_part part = vkmm_stream_part_at(stream, i);
        const vkmm_stream_panel *last = part.panels > 0 ? &part.timeline[part.panels - 1] : NULL;
        torn += part.status == VKMM_DEVICE_LOST && last && last->rows > SIDE; /* of several matrices */
    }
    vkmm_stream_destroy(&stream);
    vkmm_device_destroy(&other);
    return 0;
}

static int run(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_stream_params params = {.job = {.problem = problem_of(), .untuned = 1}};
    const vkmm_stream_io io = {.a = a, .b = b, .c = c};
    vkmm_stream *stream = NULL;
    (void)instance;
    p->status = vkmm_stream_create(device, NULL, &params, &stream);
    if (!expect(p->status == VKMM_OK, "%s", p->sentence)) return 0;
    expect(vkmm_stream_partition(stream).device_bytes > sizeof *c * MATRICES * SIDE * SIDE,
           "C does not fit into one panel");
    fill();
    fake_fail(call, failing, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    p->status = vkmm_stream_run(stream, &io, NULL);
    has_failed = fake_failed() > 0;
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    vkmm_stream_destroy(&stream);
    return 0;
}

/* However often a fence is polled: what is to fail is a wait. */
static const fake_caps caps = {.transfer_family = 1, .lazy = 1 << 30};
static const fake_caps large = {
    .transfer_family = 1, .lazy = 1 << 30, .heap_bytes = UINT64_C(1) << 33, .max_storage_range = 1 << 30};

static void play_shared(void)
{
    play p = {0};
    matrices = SHARED;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    fake_begin(&large);
    play_on_device(&p, run_shared);
    expect(p.status == VKMM_OK && p.errors == 0 && is_right(), "two devices: C is wrong: %s", p.sentence);
    expect(torn == 1, "%u devices were lost between two chunks", torn);
    expect_no_fault("two devices");
}

int main(void)
{
    static const char *const calls[] = {"vkWaitForFences", "vkQueueSubmit", "vkAllocateCommandBuffers"};
    unsigned right = 0, refused = 0;
    c = malloc(sizeof *c * SHARED * SIDE * SIDE);
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
    play_shared();
    free(c);
    expect(right > 3 && refused > 0, "too few runs succeeded, or too few failed");
    return unexpected() > 0;
}
