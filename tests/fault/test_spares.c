/* What vkmm_multiply keeps between calls: a call like an earlier one makes no object, takes no memory and records
 * nothing; what is kept
 * has its limits, ends where memory runs out, and with the device. */
#include <stdio.h>
#include <string.h>

#include "exec/spares.h"
#include "play_parts.h"
#include "vk/loader.h"

enum { SIDE = 24 };

static const char *const makers[] = {"vkCreateComputePipelines", "vkAllocateMemory",    "vkCreateBuffer",
                                     "vkCreateDescriptorPool",   "vkCreateCommandPool", "vkBeginCommandBuffer"};
static unsigned products;

static uint64_t made(void)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) calls += fake_calls(makers[i]);
    return calls;
}

/* C ← alpha·A·B + beta·C with other numbers each time. Returns how many objects it took. */
static uint64_t multiply(vkmm_device *device, uint64_t m, uint64_t n, double alpha, double beta)
{
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    const vkmm_problem problem = VKMM_PROBLEM(.m = m, .n = n, .k = n, .alpha = alpha, .beta = beta);
    const float x = (float)(++products % 7);
    const uint64_t before = made();
    for (uint64_t i = 0; i < m * n; i++) a[i] = x, c[i] = x + 1;
    for (uint64_t i = 0; i < n * n; i++) b[i] = (float)(i % n);
    expect(vkmm_multiply(device, &problem, a, b, NULL, c) == VKMM_OK, "product %u fails", products);
    for (uint64_t i = 0, right = 1; i < m * n && right; i++)
        right =
            (uint64_t)expect((double)c[i] == alpha * (double)n * (double)x * (double)(i % n) + beta * (double)(x + 1),
                             "product %u is wrong", products);
    return made() - before;
}

static int repeat(play *p, vkmm_instance *instance, vkmm_device *device)
{
    (void)instance;
    expect(multiply(device, SIDE, SIDE, 1, 0) > 0, "the first call makes nothing");
    expect(multiply(device, SIDE, SIDE, 1, 0) == 0, "the second call makes something");
    expect(multiply(device, SIDE, SIDE, 2, -1) == 1, "other scalars need more than a new record");
    expect(multiply(device, SIDE, SIDE, 0, 3) > 1 && multiply(device, SIDE, SIDE, 1, 0) > 1,
           "without A and B nothing is new");
    expect(multiply(device, 16, 16, 1, 0) > 0, "another problem makes nothing");
    expect(multiply(device, 16, 16, 1, 0) == 0 && multiply(device, SIDE, SIDE, 1, 0) == 0,
           "one is forgotten too early");
    expect(multiply(device, SIDE, 1, 2, 1) > 1 && multiply(device, SIDE, 1, 1, 0) == 1, "a vector is not scaled");
    expect(multiply(device, 1, SIDE, 2, 1) > 1 && multiply(device, 1, SIDE, 1, 0) == 1, "a row is not scaled");
    expect(multiply(device, SIDE, SIDE, 1, 0) == 0, "one is forgotten too early");
    for (uint64_t n = 1; n < VKMM_SPARES_MOST; n++) multiply(device, n, n, 1, 0);
    expect(multiply(device, SIDE, SIDE, 1, 0) == 0, "what was used last is forgotten too early");
    const uint64_t full = fake_allocated();
    expect(multiply(device, 16, 16, 1, 0) > 0, "more is kept than was said");
    expect(fake_allocated() < full + (64 << 10), "more and more memory is kept");
    return p->status == VKMM_OK;
}

/* All that the heap has left, and a bit of what is kept. */
static int crowd(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const uint64_t heap = vkmm_instance_device_info(instance, 0)->device_heap_bytes;
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 1, .n = 1, .k = heap / 8 - 4096)};
    vkmm_job *job = NULL;
    multiply(device, SIDE, SIDE, 1, 0);
    const uint64_t kept = fake_allocated();
    expect(kept > 0 && kept <= heap / VKMM_SPARES_SHARE, "%llu bytes are kept", (unsigned long long)kept);
    p->status = vkmm_job_create(device, NULL, &params, &job);
    expect(p->status == VKMM_OK && p->errors == 0, "what is kept is in the way: %s", p->sentence);
    vkmm_job_destroy(&job);
    expect(fake_allocated() == 0, "something is kept still");
    return 1;
}

static int keep_none(play *p, vkmm_instance *instance, vkmm_device *device)
{
    (void)p, (void)instance;
    for (int call = 0; call < 2; call++) {
        expect(multiply(device, SIDE, SIDE, 1, 0) > 0, "call %d makes nothing", call);
        expect(fake_allocated() == 0, "more than its share is kept");
    }
    return 1;
}

int main(void)
{
    static const struct {
        const char *about;
        fake_caps caps;
        int (*act)(play *p, vkmm_instance *instance, vkmm_device *device);
    } cases[] = {
        {"mapped", {.unified = 1, .lazy = 1}, repeat},
        {"copied", {.lazy = 1}, repeat},
        {"crowded", {.unified = 1, .heap_bytes = 1 << 20}, crowd},
        {"small", {.unified = 1, .heap_bytes = 256 << 10}, keep_none},
    };
    vkmm_loader_set(fake_loader());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play p = {0};
        fake_begin(&cases[i].caps);
        play_on_device(&p, cases[i].act);
        expect(p.status == VKMM_OK && p.errors == 0, "%s: %s", cases[i].about, p.sentence);
        expect_no_fault(cases[i].about);
    }
    printf("%u products, %u unexpected\n", products, unexpected());
    return unexpected() > 0;
}
