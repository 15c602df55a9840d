/* What vkmm_multiply keeps between calls: a call like an earlier one makes no object, takes no memory and records
 * nothing; what is kept has its limits, ends where memory runs out, and with the device. */
#include <string.h>

#include "api/spares.h"
#include "play.h"
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
    const uint64_t submitted = fake_calls("vkQueueSubmit"), waited = fake_calls("vkWaitForFences");
    expect(multiply(device, SIDE, SIDE, 1, 0) == 0, "the second call makes something");
    expect(fake_calls("vkQueueSubmit") == submitted + 1 && fake_calls("vkWaitForFences") <= waited + 1,
           "a call submits more than its product");
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
    expect(fake_calls("vkCmdWriteTimestamp") + fake_calls("vkGetQueryPoolResults") == 0, "a call times its product");
    return p->status == VKMM_OK;
}

/* A product in panels, of 6 MiB. Returns how many pipelines and pieces of memory it took. */
static uint64_t multiply_large(vkmm_device *device, uint64_t n)
{
    enum { M = 1024, MOST = 1600 };
    static float a[2 * MOST], b[2 * MOST], c[M * MOST];
    const vkmm_problem problem = VKMM_PROBLEM(.m = M, .n = n, .k = 1);
    const uint64_t before = fake_calls("vkCreateComputePipelines") + fake_calls("vkAllocateMemory");
    for (int i = 0; i < MOST; i++) a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    expect(vkmm_multiply(device, &problem, a, b, NULL, c) == VKMM_OK, "a large product fails");
    expect(c[M * n - 1] == a[M - 1] * b[n - 1] && c[0] == 0, "a large product is wrong");
    return fake_calls("vkCreateComputePipelines") + fake_calls("vkAllocateMemory") - before;
}

/* Copies and dispatches that shared a submission with another one. */
static uint64_t shared(void)
{
    return fake_calls("vkCmdCopyBuffer") + fake_calls("vkCmdDispatch") - fake_calls("vkResetFences");
}

/* One stream is kept, as long as memory lasts. Guard bands come back with the products. */
static int repeat_large(play *p, vkmm_instance *instance, vkmm_device *device)
{
    (void)instance;
    expect(multiply_large(device, 1600) > 0, "the first call makes nothing");
    const uint64_t before = shared();
    expect(multiply_large(device, 1600) == 0, "the second call makes something");
    expect(shared() > before, "the guard bands have submissions of their own");
    multiply_large(device, 1550);
    expect(multiply_large(device, 1600) == 0, "what another product left is not enough");
    const uint64_t kept = fake_allocated();
    expect(kept > 0 && vkmm_device_drop_spares(device) && fake_allocated() == 0, "the stream is not dropped");
    expect(!vkmm_device_drop_spares(device), "what was dropped is still there");
    return p->status == VKMM_OK;
}

/* C ← A·B in memory of the device, which comes and goes. Returns how many objects the product took, and commands. */
static uint64_t multiply_there(vkmm_device *device, const vkmm_problem *problem, double want)
{
    float numbers[SIDE * SIDE];
    vkmm_memory *there[3] = {NULL};
    for (int i = 0; i < SIDE * SIDE; i++) numbers[i] = 2;
    for (int o = VKMM_A; o <= VKMM_C; o++)
        expect(vkmm_memory_create(device, sizeof numbers, &there[o]) == VKMM_OK &&
                   vkmm_memory_write(there[o], 0, sizeof numbers, numbers) == VKMM_OK,
               "no memory");
    const uint64_t before = made();
    expect(vkmm_memory_multiply(device, problem, there[VKMM_A], there[VKMM_B], NULL, there[VKMM_C]) == VKMM_OK,
           "a product there fails");
    const uint64_t took = made() - before;
    expect(vkmm_memory_read(there[VKMM_C], (SIDE * SIDE - 1) * sizeof *numbers, sizeof *numbers, numbers) == VKMM_OK &&
               numbers[0] == (float)want,
           "the product there is %g instead of %g", (double)numbers[0], want);
    for (int o = VKMM_A; o <= VKMM_C; o++) vkmm_memory_destroy(&there[o]);
    return took;
}

/* Only commands are recorded again, with nothing of the host's in between; what is kept for both kinds of call differs.
 */
static int stay_there(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE),
                       scaled = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .alpha = 2, .beta = 3);
    (void)instance, (void)p;
    expect(multiply_there(device, &plain, 4 * SIDE) > 1, "the first call makes nothing");
    const uint64_t kept = fake_allocated(), copies = fake_calls("vkCmdCopyBuffer");
    expect(multiply_there(device, &plain, 4 * SIDE) == 1, "the second call makes something");
    expect(fake_calls("vkCmdCopyBuffer") - copies == 4, "the product copies something");
    expect(multiply_there(device, &scaled, 8 * SIDE + 6) == 1, "other scalars need more than a new record");
    expect(fake_allocated() == kept && kept == SIDE * SIDE * sizeof(float), "%llu bytes are kept, not a copy's",
           (unsigned long long)fake_allocated());
    expect(multiply(device, SIDE, SIDE, 1, 0) > 1, "the host's product uses what has no memory of its own");
    expect(multiply_there(device, &plain, 4 * SIDE) == 1 && multiply(device, SIDE, SIDE, 1, 0) == 0,
           "one is forgotten too early");
    expect(fake_calls("vkCmdWriteTimestamp") == 0, "a call times its product");
    return 1;
}

static int denied(const play *p, vkmm_status status, vkmm_status want, const char *sentence)
{
    return expect(status == want && strcmp(p->sentence, sentence) == 0, "instead of \"%s\": %d, \"%s\"", sentence,
                  (int)status, p->sentence);
}

static int refuse(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const vkmm_problem small = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4), empty = VKMM_PROBLEM(.m = 0, .n = 4, .k = 4),
                       unread = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4, .alpha = 0),
                       large = VKMM_PROBLEM(.m = 1 << 10, .n = 4, .k = 4);
    vkmm_memory *a = NULL, *b = NULL, *c = NULL, *other = NULL, *none = NULL, *big = NULL, *all = (vkmm_memory *)p;
    vkmm_device *second = NULL;
    float zeros[16] = {0}, c_now[16];
    expect(vkmm_device_create(instance, 0, &second) == VKMM_OK && vkmm_memory_create(device, 64, &a) == VKMM_OK &&
               vkmm_memory_create(device, 63, &b) == VKMM_OK && vkmm_memory_create(device, 1 << 14, &c) == VKMM_OK &&
               vkmm_memory_create(device, 1 << 14, &big) == VKMM_OK &&
               vkmm_memory_create(second, 64, &other) == VKMM_OK && vkmm_memory_create(device, 0, &none) == VKMM_OK,
           "no memory: %s", p->sentence);
    denied(p, vkmm_memory_multiply(device, &small, a, b, NULL, c), VKMM_INVALID, "B needs 64 bytes; its memory has 63");
    denied(p, vkmm_memory_multiply(device, &small, a, NULL, NULL, c), VKMM_INVALID,
           "B is NULL; the problem needs 64 bytes of it");
    denied(p, vkmm_memory_multiply(device, &small, a, a, NULL, NULL), VKMM_INVALID, "vkmm_memory_multiply: c is NULL");
    denied(p, vkmm_memory_multiply(device, &small, a, other, NULL, c), VKMM_INVALID, "B is on another device");
    denied(p, vkmm_memory_multiply(device, &small, c, a, NULL, c), VKMM_INVALID, "C and A are the same memory");
    denied(p, vkmm_memory_write(b, 60, 4, zeros), VKMM_INVALID, "4 bytes at 60 are out of bounds: the memory has 63");
    denied(p, vkmm_memory_read(b, UINT64_MAX, 1, zeros), VKMM_INVALID,
           "1 bytes at 18446744073709551615 are out of bounds: the memory has 63");
    denied(p, vkmm_memory_read(b, 0, 1, NULL), VKMM_INVALID, "vkmm_memory_read: data is NULL");
    denied(p, vkmm_memory_create(device, UINT64_MAX, &all), VKMM_UNSUPPORTED,
           "an operand needs a buffer of 17592186044416.0 MiB; \"fake\" allows 1024.0 MiB (maxMemoryAllocationSize)");
    expect(all == NULL, "a failure leaves a handle");
    denied(p, vkmm_memory_multiply(device, &large, c, a, NULL, none), VKMM_INVALID,
           "C needs 16384 bytes; its memory has 0");
    denied(p, vkmm_memory_multiply(device, &large, big, a, NULL, c), VKMM_UNSUPPORTED,
           "A needs 16384 bytes; \"fake\" binds at most 8192 (maxStorageBufferRange); the largest f32 square is 45");
    p->errors = 0, p->sentence[0] = '\0';
    expect(vkmm_memory_multiply(device, &empty, NULL, a, NULL, NULL) == VKMM_OK, "nothing to do: %s", p->sentence);
    expect(vkmm_memory_write(none, 0, 0, NULL) == VKMM_OK && vkmm_memory_read(none, 0, 0, NULL) == VKMM_OK,
           "nothing to copy: %s", p->sentence);
    for (int i = 0; i < 16; i++) c_now[i] = 1;
    expect(vkmm_memory_write(c, 0, 64, c_now) == VKMM_OK &&
               vkmm_memory_multiply(device, &unread, NULL, NULL, NULL, c) == VKMM_OK &&
               vkmm_memory_read(c, 0, 64, c_now) == VKMM_OK && memcmp(c_now, zeros, 64) == 0,
           "without A and B: %s", p->sentence);
    vkmm_memory_destroy(&a), vkmm_memory_destroy(&b), vkmm_memory_destroy(&c);
    vkmm_memory_destroy(&other), vkmm_memory_destroy(&none), vkmm_memory_destroy(&big);
    vkmm_device_destroy(&second);
    return 1;
}

/* All that the heap has left, and a bit of what is kept. */
static int crowd(play *p, vkmm_instance *instance, vkmm_device *device)
{
    const uint64_t heap = vkmm_instance_device_info(instance, 0)->memory.device_heap_bytes;
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
        {"large", {.lazy = 1, .max_storage_range = 8 << 20}, repeat_large},
        {"there", {.lazy = 1}, stay_there},
        {"refused", {.unified = 1, .lazy = 1, .max_storage_range = 8192}, refuse},
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
    return unexpected() > 0;
}
