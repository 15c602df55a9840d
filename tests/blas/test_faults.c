/* libvkblas on the fake driver: whatever Vulkan call fails, once or from then on, the program's results are right, from
 * the host if not from the device, nothing beside C is written, and there is one warning. Each run is a process,
 * because libvkblas opens its device once. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/blas/cost.h"
#include "play.h"
#include "vk/loader.h"

enum { M = 37, N = 29, K = 23, GAP = 3, GUARD = 600 };

static unsigned on_host; /* calls of vkblas_host */

/* The host's BLAS, in plain loops: products of f64, and triangular systems as the test has them. */
void vkblas_host(const vkblas_call *c)
{
    const double *a = c->a, *b = c->b;
    double *out = c->c;
    const double alpha = *(const double *)c->alpha;
    on_host++;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < c->m; i++) {
            double sum = 0;
            if (c->routine == VKBLAS_TRSM) {
                for (int64_t k = 0; k < i; k++) sum += a[i + k * c->lda] * out[k + j * c->ldc];
                out[i + j * c->ldc] = (alpha * out[i + j * c->ldc] - sum) / a[i + i * c->lda];
                continue;
            }
            for (int64_t k = 0; k < c->k; k++)
                sum += (c->trans_a == 'N' ? a[i + k * c->lda] : a[k + i * c->lda]) *
                       (c->trans_b == 'N' ? b[k + j * c->ldb] : b[j + k * c->ldb]);
            out[i + j * c->ldc] = alpha * sum + *(const double *)c->beta * out[i + j * c->ldc];
        }
}

const char *vkblas_host_path(void)
{
    return "plain loops";
}

typedef struct operands {
    double a[64 * 64], b[64 * 64], c[64 * 64];
} operands;

static void fill(operands *o)
{
    for (int i = 0; i < 64 * 64; i++) {
        o->a[i] = (i * 7 % 11 - 5) / 4.0 + (i % 65 == 0 ? 40 : 0); /* a dominant diagonal */
        o->b[i] = i * 5 % 13 - 6;
        o->c[i] = i * 3 % 17 - 8;
    }
}

/* As a program calls it, or where the costs choose; whether what the host alone computes is the same, with all that
 * lies around it. */
static int is_right(vkblas_call call, const vkblas_choice *choice)
{
    static operands mine, hosts;
    vkblas_turn turn;
    double most = 0;
    fill(&mine);
    fill(&hosts);
    call.a = mine.a, call.b = call.routine == VKBLAS_GEMM ? mine.b : NULL, call.c = mine.c;
    if (choice == NULL)
        vkblas_begin(&call, &turn);
    else
        turn = (vkblas_turn){.done = *choice == VKBLAS_TO_DEVICE && vkblas_product(&call)};
    if (!turn.done) {
        vkblas_host(&call);
        vkblas_end(&call, &turn);
    }
    call.a = hosts.a, call.b = call.routine == VKBLAS_GEMM ? hosts.b : NULL, call.c = hosts.c;
    vkblas_host(&call);
    for (int i = 0; i < 64 * 64; i++) most = fmax(most, fabs(mine.c[i] - hosts.c[i]));
    return most < 1e-10 && memcmp(mine.a, hosts.a, sizeof mine.a) == 0 && memcmp(mine.b, hosts.b, sizeof mine.b) == 0;
}

static const double alpha = 1.5, beta = -0.5, zero = 0;
static const vkblas_call product = {VKBLAS_GEMM,   VKBLAS_D,       .trans_a = 'N', .trans_b = 'T',
                                    .m = M,        .n = N,         .k = K,         .alpha = &alpha,
                                    .beta = &beta, .lda = M + GAP, .ldb = N + GAP, .ldc = M + GAP};

/* The program: products that add to C, one that does not, and a triangular system. */
static int program(void)
{
    const vkblas_call system = {VKBLAS_TRSM, VKBLAS_D, .side = 'L',     .uplo = 'L', .trans_a = 'N', .diag = 'N',
                                .m = 6,      .n = 5,   .alpha = &alpha, .lda = 64,   .ldc = 64};
    vkblas_call other = product;
    int right = is_right(product, NULL);
    right &= is_right(system, NULL);
    other.trans_a = 'T', other.lda = K + GAP, other.beta = &zero;
    return right & is_right(other, NULL);
}

/* The costs decide: the host seems slow, and the device is tried in the background until it is known who is faster. */
static int trial(void)
{
    const vkblas_extents e = {M, N, K};
    vkblas_choice choice;
    vkblas_turn turn;
    alarm(GUARD);
    vkblas_learned_add(VKBLAS_HOST, VKBLAS_D, e, 2000);
    while ((choice = vkblas_learned_choose(VKBLAS_D, e, &turn)) == VKBLAS_TO_TRY) sched_yield();
    return is_right(product, &choice);
}

typedef struct outcome {
    int right, state; /* of the device, at the end */
    uint64_t failed, faults;
    unsigned on_host;
    char said[2000];
} outcome;

static int (*played)(void) = program;

static void child(const fake_caps *caps, uint64_t n, uint64_t times, VkResult result, outcome *o)
{
    fake_begin(caps);
    if (n > 0) fake_fail("", n, times, result);
    o->right = played();
    o->failed = n > 0 ? fake_failed() : 0;
    o->state = vkblas_device_state();
    o->on_host = on_host;
}

/* What it writes on stderr is in `said`. */
static outcome run(const fake_caps *caps, uint64_t n, uint64_t times, VkResult result)
{
    outcome o = {0};
    int back[2], said[2], status = 0;
    if (pipe(back) != 0 || pipe(said) != 0) abort();
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(said[1], STDERR_FILENO);
        child(caps, n, times, result, &o);
        _exit(write(back[1], &o, sizeof o) != (ssize_t)sizeof o);
    }
    close(back[1]);
    close(said[1]);
    size_t length = 0;
    char text[sizeof o.said];
    for (ssize_t got; (got = read(said[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
    text[length] = 0;
    const int whole = read(back[0], &o, sizeof o) == (ssize_t)sizeof o;
    close(back[0]);
    close(said[0]);
    waitpid(pid, &status, 0);
    memcpy(o.said, text, sizeof text);
    if (!whole || status != 0) o.right = 0, snprintf(o.said, sizeof o.said, "the process ended with status %d", status);
    return o;
}

static unsigned lines(const char *text)
{
    unsigned count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Returns whether a call failed. */
static int play_blas(const fake_caps *caps, const char *name, uint64_t n, uint64_t times, VkResult result)
{
    const outcome o = run(caps, n, times, result);
    char about[100];
    snprintf(about, sizeof about, "%s: call %llu (%llux) gives %d", name, (unsigned long long)n,
             (unsigned long long)times, (int)result);
    expect(o.right, "%s: a wrong result: %s", about, o.said);
    expect(lines(o.said) <= 1, "%s: more than one warning: %s", about, o.said);
    expect(result != VK_ERROR_DEVICE_LOST || times == 1 || o.failed == 0 || o.said[0] || o.state == 1,
           "%s: nothing said of the loss", about);
    return o.failed > 0;
}

int main(void)
{
    static const VkResult results[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                       VK_ERROR_DEVICE_LOST};
    /* In panels: a binding of 8 KiB does not hold C. */
    static const struct {
        const char *name;
        fake_caps caps;
    } drivers[] = {{"whole", {0}},
                   {"panels", {.max_storage_range = 8192, .heap_bytes = 1 << 20}},
                   {"three devices", {.max_storage_range = 8192, .devices = 3}},
                   {"a trial", {.lazy = 1}}};
    setenv("VKBLAS_MIN", "0", 1);
    unsetenv("VKBLAS_DEVICE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    vkmm_loader_set(fake_loader());
    for (unsigned d = 0; d < sizeof drivers / sizeof drivers[0]; d++) {
        const int tries = strcmp(drivers[d].name, "a trial") == 0;
        played = tries ? trial : program;
        if (drivers[d].caps.devices > 1) setenv("VKBLAS_DEVICE", "all", 1);
        if (tries) setenv("VKBLAS_DEVICE", "0", 1), unsetenv("VKBLAS_MIN");
        const outcome well = run(&drivers[d].caps, 0, 0, VK_SUCCESS);
        expect(well.right && well.state == 1 && !well.said[0], "%s: without failures: %s", drivers[d].name, well.said);
        for (unsigned r = 0; r < sizeof results / sizeof results[0]; r++) {
            uint64_t n = 1;
            while (play_blas(&drivers[d].caps, drivers[d].name, n, 1, results[r]) && unexpected() < 20) {
                if (n % 7 == r) play_blas(&drivers[d].caps, drivers[d].name, n, UINT32_MAX, results[r]);
                n += d == 0 ? 1 : 1 + n / 16;
            }
        }
    }
    return unexpected() > 0;
}
