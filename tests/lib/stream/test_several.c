/* One product on three devices. Any of them is lost, or runs out of memory, at any call: the others compute its panels,
 * and C is right. Only if all are lost does the run fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "math/problem.h"
#include "play.h"
#include "vk/loader.h"

enum { DEVICES = 3, MOST = 1000 };

static unsigned warnings; /* of lost devices */
static mtx_t lock;
static double shares[DEVICES]; /* of all runs together */

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    play *p = user;
    mtx_lock(&lock);
    if (level == VKMM_LOG_WARNING)
        warnings += strstr(sentence, "DEVICE_LOST") && strstr(sentence, "the other devices continue");
    if (level == VKMM_LOG_ERROR) p->errors++, snprintf(p->sentence, sizeof p->sentence, "%s", sentence);
    mtx_unlock(&lock);
}

typedef struct failure {
    const char *call; /* NULL: none */
    uint64_t n, times;
    VkResult result;
    int has_failed;
} failure;

static const struct {
    const char *name;
    vkmm_problem problem;
    fake_caps caps;
} cases[] = {
    {"rows of C",
     VKMM_PROBLEM_INIT(.m = 200, .n = 70, .k = 20, .alpha = 2, .beta = -1, .has_bias = 1, .activation = VKMM_RELU),
     {.transfer_family = 1, .lazy = 1, .max_storage_range = 8192}},
    {"columns of C",
     VKMM_PROBLEM_INIT(.m = 30, .n = 400, .k = 15, .type = VKMM_I32, .layout = VKMM_COL_MAJOR, .beta = 3),
     {.unified = 1, .lazy = 1, .max_storage_range = 16384}},
    {"a batch",
     VKMM_PROBLEM_INIT(.m = 20, .n = 24, .k = 9, .batch_count = 40, .stride_a = 180, .stride_c = 530, .ldc = 25),
     {.no_timestamps = 1, .max_storage_range = 16384}},
    {"a long K",
     VKMM_PROBLEM_INIT(.m = 50, .n = 40, .k = 700, .type = VKMM_F64, .alpha = 2, .beta = -1),
     {.max_storage_range = 1 << 16}},
};
static unsigned which;
static vkmm_problem current; /* of the case, and then with one more row and column */

static void check_timeline(const vkmm_stream_part *part)
{
    const double all =
        (double)current.m * (double)current.n * (current.batch_count > 0 ? (double)current.batch_count : 1);
    double share = 0;
    for (uint64_t i = 0; i < part->panels; i++) {
        const vkmm_stream_panel *panel = &part->timeline[i];
        share += (double)panel->matrices * (double)panel->rows * (double)panel->cols / all;
        expect(panel->load_ms[0] >= 0 && panel->load_ms[0] <= panel->load_ms[1] &&
                   panel->load_ms[1] <= panel->store_ms[0] && panel->store_ms[0] <= panel->store_ms[1] &&
                   panel->kernel_ms[0] <= panel->kernel_ms[1],
               "panel %llu ends before it begins", (unsigned long long)i);
    }
    expect(share > part->share - 1e-9 && share < part->share + 1e-9, "panels are %g of C, not %g", share, part->share);
}

static void run(play *p, vkmm_stream *stream, failure *fails)
{
    const vkmm_problem *problem = &current;
    void *memory[PLAY_MEMORIES];
    make_operands(problem, VKMM_INIT_INT, 1, memory);
    const vkmm_stream_io io = {
        .a = memory[VKMM_A], .b = memory[VKMM_B], .bias = memory[VKMM_BIAS], .c = memory[VKMM_C]};
    vkmm_stream_times times;
    fake_fail(fails->call, fails->n, fails->times, fails->result);
    p->status = vkmm_stream_run(stream, &io, &times);
    fails->has_failed = fake_failed() > 0;
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    double share = 0;
    uint64_t dispatches = 0;
    unsigned lost = 0;
    for (uint32_t i = 0; i <= DEVICES; i++) {
        const vkmm_stream_part part = vkmm_stream_part_at(stream, i);
        check_timeline(&part);
        share += part.share;
        if (i < DEVICES) shares[i] += part.share;
        dispatches += part.times.dispatches;
        lost += part.status == VKMM_DEVICE_LOST;
        expect((part.device != NULL) == (i < DEVICES), "%u parts", i);
    }
    expect(dispatches == times.dispatches, "dispatches are missing");
    expect(lost == warnings + (p->status != VKMM_OK), "%u are lost, and there are %u warnings", lost, warnings);
    if (p->status == VKMM_OK) expect(share > 0.999 && share < 1.001, "the shares add up to %g", share);
    if (p->status == VKMM_OK) judge_product(p, problem, memory);
    free_operands(memory);
}

/* Runs the product, while calls fail; then another one, with the devices that are left. */
static void play_it(play *p, failure *fails)
{
    const vkmm_instance_params params = {.log = {hear, p}, .cache_dir = ""};
    vkmm_instance *instance = NULL;
    vkmm_device *devices[DEVICES] = {NULL};
    vkmm_stream *stream = NULL;
    warnings = 0;
    current = cases[which].problem;
    fails->has_failed = 0;
    p->status = vkmm_instance_create(&params, &instance);
    for (int i = 0; i < DEVICES && p->status == VKMM_OK; i++) p->status = vkmm_device_create(instance, 0, &devices[i]);
    const vkmm_stream_params wanted = {.job = {.problem = cases[which].problem, .untuned = 1},
                                       .threads = 1,
                                       .others = devices + 1,
                                       .other_count = DEVICES - 1};
    if (p->status == VKMM_OK) p->status = vkmm_stream_create(devices[0], NULL, &wanted, &stream);
    if (p->status == VKMM_OK) run(p, stream, fails);
    if (p->status == VKMM_OK) {
        failure none = {.call = NULL};
        current.m++;
        if (current.batch_count == 0) current.n++;
        current.stride_a += current.batch_count > 0 ? current.k : 0;
        p->status = vkmm_stream_change(stream, &current);
        if (p->status == VKMM_OK) run(p, stream, &none);
    }
    vkmm_stream_destroy(&stream);
    for (int i = 0; i < DEVICES; i++) vkmm_device_destroy(&devices[i]);
    vkmm_instance_destroy(&instance);
}

/* Fails the n-th call and so many in all, for every step-th n until there are fewer calls. */
static void play_failing(const char *call, VkResult result, uint64_t times, uint64_t step)
{
    failure fails = {call, 1, times, result, 1};
    for (; fails.has_failed && fails.n < MOST && unexpected() < 20; fails.n += step) {
        char about[160];
        play p = {0};
        snprintf(about, sizeof about, "%s: %s, call %llu (%llux) gives %d", cases[which].name, call,
                 (unsigned long long)fails.n, (unsigned long long)times, (int)result);
        fake_begin(&cases[which].caps);
        play_it(&p, &fails);
        if (times <= 2)
            expect(p.status == VKMM_OK && p.errors == 0, "%s: %s: %s", about, vkmm_status_name(p.status), p.sentence);
        else if (p.status != VKMM_OK)
            expect(p.status == VKMM_DEVICE_LOST && p.errors == 1 && strstr(p.sentence, "panels of C were done"),
                   "%s: %s, %u sentences: %s", about, vkmm_status_name(p.status), p.errors, p.sentence);
        expect_no_fault(about);
    }
    expect(!fails.has_failed, "%s still failed at call %d", call, MOST);
}

int main(void)
{
    static const char *const losing[] = {"vkQueueSubmit", "vkWaitForFences", "vkGetFenceStatus",
                                         "vkGetQueryPoolResults"};
    mtx_init(&lock, mtx_plain);
    vkmm_loader_set(fake_loader());
    for (which = 0; which < sizeof cases / sizeof *cases; which++) {
        for (size_t i = 0; i < sizeof losing / sizeof *losing; i++) play_failing(losing[i], VK_ERROR_DEVICE_LOST, 1, 1);
        play_failing("vkQueueSubmit", VK_ERROR_DEVICE_LOST, 2, 3);
        play_failing("vkQueueSubmit", VK_ERROR_DEVICE_LOST, UINT32_MAX, 9);
        play_failing("", VK_ERROR_OUT_OF_DEVICE_MEMORY, 1, 5);
    }
    for (int i = 0; i < DEVICES; i++) expect(shares[i] > 0, "device %d never computed anything", i);
    return unexpected() > 0;
}
