/* libvkblas, called by several threads at once: every result is right, whoever computes it, also while a device is lost
 * or a thread forks, and the program's signals remain its own. Each run is a process of its own, because libvkblas
 * reads its environment and opens its devices once. All numbers are small and whole, so that results are exact. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "../../src/blas/cost.h"
#include "fake_vulkan.h"
#include "crew.h"
#include "vk/loader.h"

/* ThreadSanitizer calls this for each report: a run ends without exit, in which drivers free what threads still use. */
static atomic_int reports;
void __tsan_on_report(void *report);
void __tsan_on_report(void *report)
{
    (void)report;
    reports++;
}

/* Threads that a call begins inherit its mask, which must block the program's signals. */
static _Thread_local int in_call;
static atomic_int begun, open_to_signals;

static int blocks_signals(void)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGINT) && sigismember(&mask, SIGCHLD);
}

int __real_thrd_create(thrd_t *thread, thrd_start_t function, void *data);
int __wrap_thrd_create(thrd_t *thread, thrd_start_t function, void *data);
int __wrap_thrd_create(thrd_t *thread, thrd_start_t function, void *data)
{
    if (in_call) atomic_fetch_add(&begun, 1);
    if (in_call && !blocks_signals()) atomic_fetch_add(&open_to_signals, 1);
    return __real_thrd_create(thread, function, data);
}

/* AddressSanitizer before LLVM 18 leaves its allocator locked in the child of a fork if another thread allocates at
 * that moment (github.com/llvm/llvm-project/pull/75290): the child waits forever, whatever libvkblas does. Other builds
 * play this run. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* as GCC does */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
static const int can_fork = 0;
#else
static const int can_fork = 1;
#endif

enum { ROUNDS = 4, SKIPPED = 77, GUARD = 600, COL_MAJOR = 102, NO_TRANS = 111, LOWER = 122, UNIT = 132, LEFT = 141 };

typedef const void *P;
void cblas_sgemm(int, int, int, int, int, int, float, P, int, P, int, float, void *, int);
void cblas_dgemm(int, int, int, int, int, int, double, P, int, P, int, double, void *, int);
void cblas_zgemm(int, int, int, int, int, int, P, P, int, P, int, P, void *, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, P, int, void *, int);

typedef struct run {
    const char *name, *least, *devices; /* VKBLAS_MIN, VKBLAS_DEVICE; NULL: not set */
    fake_caps caps;                     /* of the driver in memory, if lost > 0 */
    int size, forks, state;             /* of the device at the end */
    uint64_t lost;                      /* so many submissions fail */
} run;

static const run runs[] = {
    {"everything on the device", "0", NULL, .size = 20, .state = 1},
    {"as costs decide", NULL, "0", .size = 256, .state = 1},
    {"every device", "0", "all", .size = 40, .state = 1},
    {"forks", "0", NULL, .size = 20, .forks = 1, .state = 1},
    {"a lost device", "0", NULL, .size = 20, .state = -1, .lost = 1},
    {"one of three is lost", "0", "all", {.devices = 3, .max_storage_range = 16384}, 40, .state = 1, .lost = 1},
};

typedef struct operands {
    vkblas_type type;
    int m, n, k;
    void *a, *b, *c;
} operands;

static void put(vkblas_type type, void *matrix, int at, double re, double im)
{
    const vkblas_scalar value = vkblas_scalar_of(type, re, im);
    memcpy((char *)matrix + at * vkblas_bytes_of(type), &value, (size_t)vkblas_bytes_of(type));
}

static int is(vkblas_type type, const void *matrix, int at, double re, double im)
{
    const char *element = (const char *)matrix + at * vkblas_bytes_of(type);
    return vkblas_part_of(type, element, 0) == re && (type != VKBLAS_Z || vkblas_part_of(type, element, 1) == im);
}

/* An element of A is x of its row plus y of its column; of B, z plus w; of C, their sum before the call. A and B of a
 * complex product are such numbers times 1 + 2i and 3 - i. */
static int x(int row)
{
    return row % 5 - 2;
}

static int y(int col)
{
    return col % 3 - 1;
}

static int z(int row)
{
    return row % 4 - 1;
}

static int w(int col)
{
    return col % 7 - 3;
}

static void multiply(const operands *o)
{
    const double two_i[2] = {0, 2}, minus[2] = {-1, 0};
    if (o->type == VKBLAS_S)
        cblas_sgemm(COL_MAJOR, NO_TRANS, NO_TRANS, o->m, o->n, o->k, 2, o->a, o->m, o->b, o->k, -1, o->c, o->m);
    else if (o->type == VKBLAS_D)
        cblas_dgemm(COL_MAJOR, NO_TRANS, NO_TRANS, o->m, o->n, o->k, 2, o->a, o->m, o->b, o->k, -1, o->c, o->m);
    else
        cblas_zgemm(COL_MAJOR, NO_TRANS, NO_TRANS, o->m, o->n, o->k, two_i, o->a, o->m, o->b, o->k, minus, o->c, o->m);
}

/* 2·A·B - C, or 2i·A·B - C. */
static int product_is_right(const operands *o)
{
    int right = 1, sum_y = 0, sum_z = 0, sum = 0;
    for (int p = 0; p < o->k; p++) {
        for (int i = 0; i < o->m; i++) put(o->type, o->a, i + p * o->m, x(i) + y(p), 2 * (x(i) + y(p)));
        for (int j = 0; j < o->n; j++) put(o->type, o->b, p + j * o->k, 3 * (z(p) + w(j)), -(z(p) + w(j)));
        sum_y += y(p), sum_z += z(p), sum += y(p) * z(p);
    }
    for (int j = 0; j < o->n; j++)
        for (int i = 0; i < o->m; i++) put(o->type, o->c, i + j * o->m, i + j, 0);
    multiply(o);
    for (int j = 0; j < o->n; j++)
        for (int i = 0; i < o->m; i++) {
            const int ab = x(i) * sum_z + o->k * x(i) * w(j) + sum + w(j) * sum_y,
                      want = o->type == VKBLAS_Z ? -10 * ab : 6 * ab;
            right &= is(o->type, o->c, i + j * o->m, want - i - j, 10 * ab);
        }
    return right;
}

/* Solves L·X = 2·B; L has ones on its diagonal, which are not stored, and nothing above it. */
static int system_is_right(const operands *o)
{
    int right = 1;
    for (int j = 0; j < o->m; j++)
        for (int i = 0; i < o->m; i++) put(VKBLAS_D, o->a, i + j * o->m, i > j ? y(j) : (double)NAN, 0);
    for (int j = 0; j < o->n; j++)
        for (int i = 0, sum = 0; i < o->m; sum += y(i) * (z(i) + w(j)), i++)
            put(VKBLAS_D, o->c, i + j * o->m, z(i) + w(j) + sum, 0);
    cblas_dtrsm(COL_MAJOR, LEFT, LOWER, NO_TRANS, UNIT, o->m, o->n, 2, o->a, o->m, o->c, o->m);
    for (int j = 0; j < o->n; j++)
        for (int i = 0; i < o->m; i++) right &= is(VKBLAS_D, o->c, i + j * o->m, 2 * (z(i) + w(j)), 0);
    return right;
}

/* Whether the child of a fork computes a product while this process goes on. */
static int child_is_right(const operands *o)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(GUARD);
        _exit(!product_is_right(o));
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

static void call(crew_member *me)
{
    const run *r = me->shared;
    in_call = 1;
    for (int round = 0; round < ROUNDS; round++) {
        /* While it forks, everything is the device's: OpenBLAS in the child would wait for a lock of its parent's. */
        const int kind = r->forks ? 0 : (me->number + round) % 4, is_system = kind == 3;
        static const vkblas_type types[] = {VKBLAS_S, VKBLAS_D, VKBLAS_Z, VKBLAS_D};
        operands o = {types[kind], r->size + me->number, r->size + round, r->size + 3};
        const size_t most = (size_t)r->size + CREW + ROUNDS, bytes = most * most * (size_t)vkblas_bytes_of(o.type);
        char *room = calloc(3, bytes);
        CREW_EXPECT(me, room != NULL, "no memory");
        o.a = room, o.b = room + bytes, o.c = room + 2 * bytes;
        /* As if the host were slow, so that the device is tried: by the second round it is open. */
        if (r->least == NULL) vkblas_learned_add(VKBLAS_HOST, o.type, (vkblas_extents){o.m, o.n, o.k}, 2000);
        while (r->least == NULL && round == 1 && vkblas_device_state() == 0) thrd_yield();
        const int right = r->forks && me->number == 0 && round > 0 ? child_is_right(&o)
                          : is_system                              ? system_is_right(&o)
                                                                   : product_is_right(&o);
        free(room);
        CREW_EXPECT(me, right, "round %d: a wrong result", round);
        CREW_EXPECT(me, !blocks_signals(), "round %d: signals are blocked after a call", round);
    }
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static int play(const run *r)
{
    set("VKBLAS_MIN", r->least);
    set("VKBLAS_DEVICE", r->devices);
    set("OPENBLAS_NUM_THREADS", "2");                   /* of which one copies: OpenBLAS is loaded already */
    if (r->devices && strcmp(r->devices, "all") == 0) { /* of two drivers, if both are here */
        char both[1000];
        snprintf(both, sizeof both, "%s:/usr/lib/chromium/vk_swiftshader_icd.json", getenv("VK_DRIVER_FILES"));
        set("VK_DRIVER_FILES", both);
        set("VK_ICD_FILENAMES", both);
    }
    if (r->lost) {
        vkmm_loader_set(fake_loader());
        fake_begin(&r->caps);
        fake_fail("vkQueueSubmit", 40, r->lost, VK_ERROR_DEVICE_LOST);
    }
    int failed = crew_run(call, (void *)(uintptr_t)r);
    if (r->lost && fake_failed() == 0) failed++, printf("# no device was lost\n");
    if (open_to_signals > 0) failed++, printf("# %d threads take the program's signals\n", open_to_signals);
    if (begun == 0 && r->devices == NULL && vkblas_threads() > 1) failed++, printf("# no thread began\n");
    if (vkblas_device_state() != r->state) failed++, printf("# the device's state is %d\n", vkblas_device_state());
    fflush(stdout);
    return failed + reports > 0;
}

int main(void)
{
    const char *only = getenv("VKMM_TEST_FILTER");
    int failed = 0;
    if (*vkblas_host_path() == '\0') return SKIPPED;
    set("VKBLAS_REPORT", "/dev/null");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int status = 1;
        if (only != NULL && strcmp(only, runs[i].name) != 0) continue;
        if (runs[i].forks && !can_fork) {
            printf("%s: left out, because AddressSanitizer does not allow it\n", runs[i].name);
            continue;
        }
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) _exit(play(&runs[i]));
        waitpid(child, &status, 0);
        printf("%s: status %d\n", runs[i].name, status);
        failed += status != 0;
    }
    return failed > 0;
}
