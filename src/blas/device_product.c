/* A product on the device, in panels of C that are copied and computed at once (vkmatmul_stream.h). One stream is kept:
 * threads of the program that multiply at the same time take turns. */
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "vkblas.h"
#include "vkmatmul_stream.h"
#include "vkmatmul_vulkan.h"

enum {
    EXPANDED = 1 << 30, /* bytes of A as a complex product copies it */
    LARGE = 1 << 26     /* bytes of C of which caches keep little */
};

static atomic_uint lacking; /* bits of the types that the device cannot multiply */

/* Where C is, and how many rows of each of its columns have been computed: panels come from the top to the bottom.
 * Those of several devices do not: rows is then NULL. */
typedef struct target {
    const vkmm_problem *problem;
    char *c;
    size_t size; /* of an element */
    int64_t *rows;
} target;

static char *place_of(const target *to, const vkmm_panel *panel, uint64_t column)
{
    return to->c + ((panel->col + column) * to->problem->ldc + panel->row) * to->size;
}

static vkmm_status read_panel(void *user, const vkmm_panel *panel)
{
    const target *from = user;
    for (uint64_t j = 0; j < panel->cols; j++)
        memcpy((char *)panel->data + j * panel->col_stride * from->size, place_of(from, panel, j),
               panel->rows * from->size);
    return VKMM_OK;
}

/* To memory that is not read soon, without reading its lines into a cache first. */
static void copy_past_caches(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    const size_t head = -(uintptr_t)to & 63, lines = bytes > head ? (bytes - head) / 64 : 0;
    if (lines > 0) {
        memcpy(to, from, head);
        to += head, from += head, bytes -= head + lines * 64;
        for (const char *end = to + lines * 64; to < end; to += 16, from += 16)
            _mm_stream_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
        _mm_sfence();
    }
#endif
    memcpy(to, from, bytes);
}

static vkmm_status write_panel(void *user, const vkmm_panel *panel)
{
    const target *to = user;
    const int large = to->problem->m * to->problem->n * to->size >= LARGE;
    for (uint64_t j = 0; j < panel->cols; j++) {
        char *there = place_of(to, panel, j);
        const char *here = (const char *)panel->data + j * panel->col_stride * to->size;
        if (large)
            copy_past_caches(there, here, panel->rows * to->size);
        else
            memcpy(there, here, panel->rows * to->size);
        if (to->rows != NULL) to->rows[panel->col + j] = (int64_t)(panel->row + panel->rows);
    }
    return VKMM_OK;
}

static int stop(void *user, const vkmm_stream_state *state)
{
    (void)user, (void)state;
    return vkblas_stops();
}

static vkmm_status run_stream(vkmm_device *device, const target *to, const vkblas_call *call)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static vkmm_stream *stream;
    vkmm_stream_params params = {.job = {.problem = *to->problem}};
    const vkmm_stream_io io = {.a = call->a,
                               .b = call->b,
                               .read = read_panel,
                               .write = write_panel,
                               .progress = vkblas_stops != NULL ? stop : NULL,
                               .user = (void *)(uintptr_t)to};
    sigset_t before;
    params.others = vkblas_others(&params.other_count);
    params.threads = (vkblas_threads() + params.other_count) / (params.other_count + 1);
    pthread_mutex_lock(&lock);
    vkblas_block_signals(&before);
    vkmm_status status =
        stream ? vkmm_stream_change(stream, to->problem) : vkmm_stream_create(device, NULL, &params, &stream);
    if (params.other_count == 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == VKMM_OK) status = vkmm_stream_run(stream, &io, NULL); /* several devices: begins threads */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != VKMM_OK) vkmm_stream_destroy(&stream);
    pthread_mutex_unlock(&lock);
    return status;
}

/* By the problem's method, or without it if the device lacks what it needs; but reproducible, or not at all. */
static vkmm_status run(vkmm_device *device, const target *to, const vkblas_call *call)
{
    static atomic_uint lacks_method; /* bits of types */
    vkmm_problem plain = *to->problem;
    target as = *to;
    vkmm_status status = VKMM_UNSUPPORTED;
    plain.method = VKMM_COMPUTE_DIRECT;
    if (plain.method != to->problem->method && !(atomic_load(&lacks_method) >> call->type & 1))
        status = run_stream(device, to, call);
    if (status != VKMM_UNSUPPORTED || to->problem->method == VKMM_COMPUTE_REPRODUCIBLE) return status;
    if (plain.method != to->problem->method) atomic_fetch_or(&lacks_method, 1u << call->type);
    as.problem = &plain;
    return run_stream(device, &as, call);
}

/* The rows that are left of each column, after a failure. */
static void compute_rest(const vkblas_call *call, const target *to)
{
    const int64_t in = vkblas_bytes_in(call->type);
    vkblas_call rest = *call;
    for (int64_t j = 0, end; j < call->n; j = end) {
        const int64_t done = to->rows[j];
        for (end = j + 1; end < call->n && to->rows[end] == done;) end++;
        rest.m = call->m - done, rest.n = end - j;
        rest.a = (const char *)call->a + (call->trans_a == 'N' ? done : done * call->lda) * in;
        rest.b = (const char *)call->b + (call->trans_b == 'N' ? j * call->ldb : j) * in;
        rest.c = (char *)call->c + (j * call->ldc + done) * (int64_t)to->size;
        if (rest.m > 0) vkblas_run_or_host(&rest);
    }
}

/* Whether a product failed. Tells of it, and keeps later calls of the type from a device that lacks what they need;
 * but a reproducible product is refused for its size. */
static int failed(vkmm_status status, const vkmm_problem *p, const vkblas_call *call)
{
    if (status == VKMM_UNSUPPORTED && p->method != VKMM_COMPUTE_REPRODUCIBLE)
        atomic_fetch_or(&lacking, 1u << call->type);
    if (status == VKMM_OK || status == VKMM_STOPPED) return 0;
    vkblas_device_failed(status);
    return 1;
}

/* On several devices. If all fail, the host computes everything, from a copy of C if β is not 0. */
static int multiply_shared(vkmm_device *device, const vkmm_problem *p, const vkblas_call *call)
{
    const target to = {p, call->c, (size_t)vkblas_bytes_of(call->type), NULL};
    const size_t column = (size_t)p->m * to.size;
    char *copy = p->beta != 0 ? malloc((size_t)p->n * column) : NULL;
    if (p->beta != 0 && copy == NULL) return 0;
    const vkmm_panel whole = {
        .cols = copy != NULL ? p->n : 0, .rows = p->m, .data = copy, .row_stride = 1, .col_stride = p->m};
    read_panel((void *)(uintptr_t)&to, &whole);
    const vkmm_status status = run(device, &to, call);
    if (status != VKMM_OK) write_panel((void *)(uintptr_t)&to, &whole);
    failed(status, p, call);
    free(copy);
    return status == VKMM_OK;
}

static int multiply(vkmm_device *device, const vkmm_problem *p, const vkblas_call *call)
{
    const target to = {p, call->c, (size_t)vkblas_bytes_of(call->type), calloc((size_t)p->n, sizeof(int64_t))};
    if (to.rows == NULL) return 0;
    const vkmm_status status = run(device, &to, call);
    int changed = status == VKMM_STOPPED;
    for (uint64_t j = 0; j < p->n; j++) changed |= to.rows[j] > 0;
    if (failed(status, p, call) && changed) compute_rest(call, &to);
    free(to.rows);
    return status == VKMM_OK || changed;
}

static int product(const vkblas_call *call)
{
    static const vkmm_type types[VKBLAS_TYPES] = {
        [VKBLAS_S] = VKMM_F32, [VKBLAS_D] = VKMM_F64, [VKBLAS_SH] = VKMM_F16, [VKBLAS_SB] = VKMM_BF16};
    const int is_f64 = call->type == VKBLAS_D;
    vkmm_device *device = vkblas_device();
    const vkblas_type part = call->type == VKBLAS_Z ? VKBLAS_D : call->type == VKBLAS_C ? VKBLAS_S : call->type;
    if (device == NULL || (atomic_load(&lacking) >> part & 1)) return 0;
    if (vkblas_is_complex(call->type)) return vkblas_complex(call, EXPANDED, product);
    if (call->m > UINT32_MAX || call->n > UINT32_MAX || call->k > UINT32_MAX) return 0;
    if (call->m == 0 || call->n == 0) return 1;
    vkmm_problem p = {.m = (uint64_t)call->m,
                      .n = (uint64_t)call->n,
                      .k = (uint64_t)call->k,
                      .type = types[call->type],
                      .layout = VKMM_COL_MAJOR,
                      .op_a = call->trans_a == 'N' ? VKMM_OP_N : VKMM_OP_T,
                      .op_b = call->trans_b == 'N' ? VKMM_OP_N : VKMM_OP_T,
                      .lda = (uint64_t)call->lda,
                      .ldb = (uint64_t)call->ldb,
                      .ldc = (uint64_t)call->ldc,
                      .alpha = vkblas_part_of(call->type, call->alpha, 0),
                      .beta = vkblas_part_of(call->type, call->beta, 0),
                      .out_type = is_f64 ? VKMM_F64 : VKMM_F32,
                      .method = vkblas_method(call->type)};
    if (p.method == VKMM_COMPUTE_DIRECT && is_f64 && !vkmm_device_describe(device)->features.f64) {
        if (!(atomic_fetch_or(&lacking, 1u << VKBLAS_D) >> VKBLAS_D & 1))
            vkblas_warn("%s has no 64-bit floats (VKBLAS_COMPUTE=modular needs none); the host computes such calls",
                        vkmm_device_describe(device)->name);
        return 0;
    }
    uint32_t others;
    vkblas_others(&others);
    return others > 0 ? multiply_shared(device, &p, call) : multiply(device, &p, call);
}

/* What drivers and planning do with numbers is no event of the program's arithmetic, and must not trap there. */
int vkblas_product(const vkblas_call *call)
{
    fenv_t before;
    feholdexcept(&before);
    const int done = product(call);
    fesetenv(&before);
    return done;
}
