#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vkblas.h"
#include "cost.h"

enum { BLOCK = 256, SMALLEST = 8, WORTH_A_THOUGHT = 1 << 24 };

_Atomic int64_t vkblas_least = -1;
static int64_t forced = -1; /* VKBLAS_MIN, cubed; -1: the costs decide */
static const char *forces = "VKBLAS_MIN";
static unsigned methods;                /* bits of those that VKBLAS_COMPUTE asks for */
static _Thread_local int inside;        /* the host's routine, which may call others by our names */
static _Thread_local unsigned products; /* of this thread, on the device */

double vkblas_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* A thread that does not exist here may hold a mutex: nothing that needs one is done from now on, but for finding the
 * host's functions (host_blas.c). */
static void forked(void)
{
    vkblas_device_give_up();
    vkblas_report_forget();
    vkblas_learned_forget();
    atomic_store(&vkblas_least, INT64_MAX);
}

/* Reads VKBLAS_COMPUTE: products as f16 parts or residues. */
static void read_methods(void)
{
    static const char *const names[] = {[VKMM_COMPUTE_SPLIT] = "split",
                                        [VKMM_COMPUTE_MODULAR] = "modular",
                                        [VKMM_COMPUTE_REPRODUCIBLE] = "reproducible"};
    const char *text = secure_getenv("VKBLAS_COMPUTE"), *at = text != NULL ? text : "";
    for (size_t length = 0; *at; at += length + (at[length] == ',')) {
        int method = VKMM_COMPUTE_REPRODUCIBLE;
        length = strcspn(at, ",");
        while (method > 0 && (strlen(names[method]) != length || memcmp(names[method], at, length) != 0)) method--;
        methods |= 1u << method;
    }
    if (!(methods & 1) && (text == NULL || *text)) return;
    methods = 0;
    vkblas_warn("invalid VKBLAS_COMPUTE='%.100s': use split (for f32), modular (for f64), split,modular or "
                "reproducible; products are computed as without it",
                text);
}

static void read_environment(void)
{
    const char *least = secure_getenv("VKBLAS_MIN"), *device = secure_getenv("VKBLAS_DEVICE");
    const int64_t edge = vkblas_whole(least);
    const double volume = (double)edge * (double)edge * (double)edge;
    int64_t from = WORTH_A_THOUGHT;
    pthread_atfork(NULL, NULL, forked);
    if (edge >= 0) from = forced = volume < 9e18 ? (int64_t)volume : INT64_MAX;
    if (edge < 0 && least != NULL)
        vkblas_warn("invalid VKBLAS_MIN='%.100s': use a whole number, 0 or larger; costs decide, as without it", least);
    read_methods();
    if (vkblas_method(VKBLAS_D) == VKMM_COMPUTE_REPRODUCIBLE) { /* the host has other bits */
        from = forced = 0;
        forces = "VKBLAS_COMPUTE";
    }
    if (device != NULL && strcmp(device, "none") == 0) {
        vkblas_device_give_up();
        from = INT64_MAX;
    }
    if (forced < 0 && from < INT64_MAX) vkblas_learned_begin();
    atomic_store(&vkblas_least, vkblas_reports() ? 0 : from);
}

vkmm_method vkblas_method(vkblas_type type)
{
    const vkmm_method method = type == VKBLAS_S   ? VKMM_COMPUTE_SPLIT
                               : type == VKBLAS_D ? VKMM_COMPUTE_MODULAR
                                                  : VKMM_COMPUTE_DIRECT;
    if (method != VKMM_COMPUTE_DIRECT && methods >> VKMM_COMPUTE_REPRODUCIBLE & 1) return VKMM_COMPUTE_REPRODUCIBLE;
    return methods >> method & 1 ? method : VKMM_COMPUTE_DIRECT;
}

int vkblas_is_forced(void)
{
    return forced >= 0;
}

static int64_t read_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load(&vkblas_least) < 0) pthread_once(&once, read_environment); /* acquires `forced` too */
    return atomic_load_explicit(&vkblas_least, memory_order_relaxed);
}

static int one_of(char letter, const char *letters)
{
    return letter != 0 && strchr(letters, letter) != NULL;
}

static int leads(int64_t ld, int64_t rows)
{
    return ld >= (rows > 1 ? rows : 1);
}

/* The transpositions that the routine allows: those of complex matrices that are symmetric have no conjugate, those of
 * Hermitian ones have nothing else. */
static const char *transpositions(const vkblas_call *c)
{
    if (c->routine == VKBLAS_HERK || c->routine == VKBLAS_HER2K) return "NC";
    return vkblas_is_complex(c->type) && (c->routine == VKBLAS_SYRK || c->routine == VKBLAS_SYR2K) ? "NT" : "NTC";
}

/* Whether every argument is legal. */
static int is_legal(const vkblas_call *c)
{
    const int left = c->side == 'L', plain = c->trans_a == 'N';
    if (c->m < 0 || c->n < 0 || c->k < 0) return 0;
    switch (c->routine) {
    case VKBLAS_GEMM:
    case VKBLAS_GEMM3M:
    case VKBLAS_GEMMTR: {
        const int64_t m = c->routine == VKBLAS_GEMMTR ? c->n : c->m;
        return (c->routine != VKBLAS_GEMMTR || one_of(c->uplo, "UL")) && one_of(c->trans_a, "NTC") &&
               one_of(c->trans_b, "NTC") && leads(c->lda, plain ? m : c->k) &&
               leads(c->ldb, c->trans_b == 'N' ? c->k : c->n) && leads(c->ldc, m);
    }
    case VKBLAS_SYMM:
    case VKBLAS_HEMM:
        return one_of(c->side, "LR") && one_of(c->uplo, "UL") && leads(c->lda, left ? c->m : c->n) &&
               leads(c->ldb, c->m) && leads(c->ldc, c->m);
    case VKBLAS_SYR2K:
    case VKBLAS_HER2K:
        if (!leads(c->ldb, plain ? c->n : c->k)) return 0;
        /* fall through */
    case VKBLAS_SYRK:
    case VKBLAS_HERK:
        return one_of(c->uplo, "UL") && one_of(c->trans_a, transpositions(c)) && leads(c->lda, plain ? c->n : c->k) &&
               leads(c->ldc, c->n);
    default:
        return one_of(c->side, "LR") && one_of(c->uplo, "UL") && one_of(c->trans_a, "NTC") && one_of(c->diag, "NU") &&
               leads(c->lda, left ? c->m : c->n) && leads(c->ldc, c->m);
    }
}

static int is_product(const vkblas_call *call)
{
    return call->routine == VKBLAS_GEMM || call->routine == VKBLAS_GEMM3M;
}

/* The largest product that the call is split into. */
static vkblas_extents largest_product(const vkblas_call *call)
{
    vkblas_extents e = vkblas_extents_of(call);
    if (is_product(call)) return e;
    if (call->side == 'L') return (vkblas_extents){e.m / 2, e.n, e.k / 2};
    if (call->side == 'R') return (vkblas_extents){e.m, e.n / 2, e.k / 2};
    return (vkblas_extents){e.m / 2, e.n / 2, e.k};
}

/* Whether the device computes products of these extents; `turn` gets what is expected. */
static int goes(vkblas_type type, vkblas_extents e, vkblas_turn *turn)
{
    if (forced >= 0) {
        const int is_small = vkblas_volume_of(e) < (double)forced;
        turn->why = is_small ? "below VKBLAS_MIN" : vkblas_device() != NULL ? forces : "no device";
        return !is_small && vkblas_device() != NULL;
    }
    return vkblas_learned_choose(type, e, turn) == VKBLAS_TO_DEVICE;
}

/* A routine with a triangle takes half the multiplications of a product of its extents. */
static void learn(vkblas_place where, const vkblas_call *call, double ms)
{
    const unsigned halves =
        1u << VKBLAS_GEMMTR | 1u << VKBLAS_SYRK | 1u << VKBLAS_HERK | 1u << VKBLAS_TRMM | 1u << VKBLAS_TRSM;
    vkblas_extents e = vkblas_extents_of(call);
    if (halves >> call->routine & 1) e.k /= 2;
    if (forced < 0 && vkblas_volume_of(e) >= WORTH_A_THOUGHT) vkblas_learned_add(where, call->type, e, ms);
}

/* A product of the program, or a part of one of its calls. */
static int compute_product(const vkblas_call *call, vkblas_turn *turn)
{
    if (!goes(call->type, vkblas_extents_of(call), turn)) return 0;
    const double before = vkblas_now_ms();
    if (!vkblas_product(call)) {
        turn->why = vkblas_device_state() < 0 ? "no device" : "the device cannot compute it";
        return 0;
    }
    products++;
    learn(VKBLAS_DEVICE, call, vkblas_now_ms() - before);
    return 1;
}

void vkblas_run_or_host(const vkblas_call *call)
{
    vkblas_turn turn = {0};
    const int big = is_product(call) &&
                    vkblas_volume_of(vkblas_extents_of(call)) >= (double)(forced >= 0 ? forced : WORTH_A_THOUGHT);
    if (big && compute_product(call, &turn)) return;
    const double before = big ? vkblas_now_ms() : 0;
    inside++;
    vkblas_host(call);
    inside--;
    if (big) learn(VKBLAS_HOST, call, vkblas_now_ms() - before);
}

void vkblas_begin(const vkblas_call *call, vkblas_turn *turn)
{
    const vkblas_extents e = vkblas_extents_of(call);
    const unsigned before = products;
    *turn = (vkblas_turn){.host_ms = -1, .gpu_ms = -1};
    if (vkblas_is_small(call) || inside) return;
    const int64_t from = read_once();
    const int64_t small = forced >= 0 ? forced : WORTH_A_THOUGHT;
    turn->began_ms = vkblas_now_ms();
    if (!is_legal(call)) {
        turn->why = "illegal argument";
    } else if (from == INT64_MAX || vkblas_device_state() < 0) {
        turn->why = "no device";
    } else if (vkblas_volume_of(e) < (double)small) {
        turn->why = forced >= 0 ? "below VKBLAS_MIN" : "too small (below 256^3)";
    } else if (is_product(call)) {
        turn->done = compute_product(call, turn);
    } else if (forced >= 0 ? vkblas_device() != NULL : goes(call->type, largest_product(call), turn)) {
        vkblas_split(call, forced == 0 ? SMALLEST : BLOCK, vkblas_run_or_host);
        turn->done = 1;
        if (products == before) turn->why = "no part of it for the device";
    }
    turn->on_device = products != before;
    if (turn->why == NULL) turn->why = forces;
    if (turn->done) {
        vkblas_note(call, turn, vkblas_now_ms() - turn->began_ms);
    } else if (is_legal(call)) { /* otherwise it may not return */
        turn->learns = vkblas_volume_of(e) >= (double)small;
        inside++;
    }
}

void vkblas_end(const vkblas_call *call, const vkblas_turn *turn)
{
    if (turn->why == NULL) return;
    const double ms = vkblas_now_ms() - turn->began_ms;
    if (is_legal(call)) inside--;
    if (turn->learns) learn(VKBLAS_HOST, call, ms);
    vkblas_note(call, turn, ms);
}
