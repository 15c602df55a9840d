/* The copy engine: threads write, read and multiply at once on a device whose memory the host does not see, which
 * drivers on a processor do not have: the driver is the tests' own. */
#include <stdlib.h>
#include <string.h>

#include "fake_vulkan.h"
#include "crew.h"
#include "vk/loader.h"
#include "vkmatmul.h"

enum { ROUNDS = 2, BYTES = (10 << 20) + 3, M = 9, N = 640, K = 5 };

/* More chunks than are in flight at a time, each filled and emptied by several threads. */
static void copy(crew_member *me, vkmm_device *device)
{
    char *numbers = malloc(BYTES), *got = calloc(BYTES, 1);
    vkmm_memory *there = NULL;
    CREW_EXPECT(me, numbers != NULL && got != NULL, "no memory");
    for (int i = 0; i < BYTES; i++) numbers[i] = (char)((i >> 8) + i * 3 + me->number);
    const int copied = vkmm_memory_create(device, BYTES + 4, &there) == VKMM_OK &&
                       vkmm_memory_write(there, 4, BYTES, numbers) == VKMM_OK &&
                       vkmm_memory_read(there, 4, BYTES, got) == VKMM_OK && memcmp(numbers, got, BYTES) == 0;
    vkmm_memory_destroy(&there);
    free(numbers);
    free(got);
    CREW_EXPECT(me, copied, "wrong bytes");
}

/* In panels: a binding does not hold C. */
static void multiply(crew_member *me, vkmm_device *device)
{
    static const vkmm_problem problem = VKMM_PROBLEM_INIT(.m = M, .n = N, .k = K, .type = VKMM_I32);
    int32_t *a = calloc(M * K, sizeof *a), *b = calloc(K * N, sizeof *b), *c = calloc(M * N, sizeof *c), right = 1;
    CREW_EXPECT(me, a != NULL && b != NULL && c != NULL, "no memory");
    for (int i = 0; i < M * K; i++) a[i] = me->number + 1;
    for (int i = 0; i < K * N; i++) b[i] = i % N;
    right = vkmm_multiply(device, &problem, a, b, NULL, c) == VKMM_OK;
    for (int i = 0; i < M * N; i++) right &= c[i] == (me->number + 1) * K * (i % N);
    free(a);
    free(b);
    free(c);
    CREW_EXPECT(me, right, "a wrong product");
}

static void work(crew_member *me)
{
    for (int round = 0; round < ROUNDS && me->why[0] == '\0'; round++) {
        copy(me, me->shared);
        if (me->why[0] == '\0') multiply(me, me->shared);
    }
}

int main(void)
{
    static const fake_caps drivers[] = {
        {.max_storage_range = 20480, .max_allocation_bytes = 16 << 20},
        {.max_storage_range = 20480, .max_allocation_bytes = 16 << 20, .transfer_family = 2, .lazy = 1}};
    int failed = 0;
    vkmm_loader_set(fake_loader());
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        vkmm_instance *instance = NULL;
        vkmm_device *device = NULL;
        fake_begin(&drivers[i]);
        if (vkmm_instance_create(NULL, &instance) != VKMM_OK || vkmm_device_create(instance, 0, &device) != VKMM_OK)
            failed++;
        else
            failed += crew_run(work, device);
        vkmm_device_destroy(&device);
        vkmm_instance_destroy(&instance);
        const unsigned faults = fake_end();
        for (unsigned f = 0; f < faults && fake_fault(f) != NULL; f++) printf("# %s\n", fake_fault(f));
        failed += faults > 0;
    }
    return failed > 0;
}
