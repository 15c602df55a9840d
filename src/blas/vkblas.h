/* vkblas.h: what the files of libvkblas share. libvkblas has the names of the BLAS (Fortran and CBLAS, LP64 and ILP64).
 * It computes level 3 on a Vulkan device where that is faster, and leaves everything else to the host's BLAS.
 *
 *     names.c           entry points; each turns its arguments into a vkblas_call
 *     dispatch.c        who computes a call: a product goes to the device or the host, other routines become products
 *     recursion.c       blocked recursion: symm, syrk, trmm, trsm, … as products and small calls of themselves
 *     device_product.c  a product on the device
 *     complex.c         a complex product as a real one
 *     cost.c            how long the device and the host will take
 *     learned.c         the costs of this process, kept between processes
 *     gpu.c             the device: opened when it may pay, given up for good when it fails
 *     host_blas.c       the host's BLAS, found at run time
 *     jumps.c           all other names of a BLAS, for libblas.so.3
 *     usage.c           VKBLAS_VERBOSE, VKBLAS_REPORT, VKBLAS_TOP
 *
 * The environment is read by secure_getenv alone: in a setuid program its caller must not choose what is loaded,
 * written or kept. An invalid value is reported once and has no effect.
 *
 * Reference: Dongarra, Du Croz, Hammarling, Duff: A Set of Level 3 Basic Linear Algebra Subprograms, ACM TOMS 16
 * (1990); CBLAS: BLAS Technical Forum Standard, appendix B. */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "vkmatmul.h"

#define VKBLAS_COUNT(array) (sizeof(array) / sizeof *(array)) /* entries */

/* Element types: f32, f64, and complex pairs of these (real part first); f16 and bf16 with an f32 α, β and C. */
typedef enum vkblas_type { VKBLAS_S, VKBLAS_D, VKBLAS_C, VKBLAS_Z, VKBLAS_SH, VKBLAS_SB, VKBLAS_TYPES } vkblas_type;

typedef enum vkblas_routine {
    VKBLAS_GEMM,
    VKBLAS_GEMM3M,
    VKBLAS_GEMMTR, /* a triangle of C alone; also called gemmt */
    VKBLAS_SYMM,
    VKBLAS_HEMM,
    VKBLAS_SYRK,
    VKBLAS_HERK,
    VKBLAS_SYR2K,
    VKBLAS_HER2K,
    VKBLAS_TRMM,
    VKBLAS_TRSM,
    VKBLAS_ROUTINES
} vkblas_routine;

/* A call of a level 3 routine, always column-major: a row-major call of CBLAS is the column-major call with its
 * operands exchanged or transposed. Letters are upper case, 0 where the routine has no such argument. A plain value;
 * the pointers are the caller's. */
typedef struct vkblas_call {
    vkblas_routine routine;
    vkblas_type type;
    char side, uplo, trans_a, trans_b, diag; /* L R; U L; N T C; N T C; N U */
    int64_t m, n, k;                         /* as the routine has them, else 0; C of the rank-k updates is n×n */
    const void *alpha, *beta;                /* in the element's type; real where the routine says so (herk, her2k) */
    const void *a, *b;
    void *c; /* the result: B of trmm and trsm (b is then NULL) */
    int64_t lda, ldb, ldc;
} vkblas_call;

/* Computes the call on the device, alone or with the host's help, if that is expected to be faster: turn->done.
 * Otherwise nothing was computed or written; the caller must call the host's routine with its own arguments, and then
 * vkblas_end. So too if an argument is illegal, because the host's routine then reports it to the program's xerbla.
 * From any thread. */
typedef struct vkblas_turn {
    int done;               /* the call is computed, */
    int on_device;          /* or some of it, on the device */
    const char *why;        /* the device or the host computes it; static. NULL: the call is not reported */
    double began_ms;        /* by vkblas_now_ms */
    double host_ms, gpu_ms; /* as expected of both; negative: not known */
    int learns;             /* the host's time is to be learned */
} vkblas_turn;
void vkblas_begin(const vkblas_call *call, vkblas_turn *turn);
void vkblas_end(const vkblas_call *call, const vkblas_turn *turn);

double vkblas_now_ms(void);

/* Computes a part of a call: a product on the device if that is expected to be faster, all else by vkblas_host. */
void vkblas_run_or_host(const vkblas_call *call);

/* Rows of op(A) of gemm and its like, of C elsewhere; the columns; and how many products of elements the routine sums
 * for each, ignoring zeros. */
typedef struct vkblas_extents {
    int64_t m, n, k;
} vkblas_extents;

static inline vkblas_extents vkblas_extents_of(const vkblas_call *c)
{
    const int updates = c->uplo && c->trans_a && !c->side; /* of a triangle: n×n */
    return (vkblas_extents){updates ? c->n : c->m, c->n, !c->side ? c->k : c->side == 'L' ? c->m : c->n};
}

/* A real or complex number of either precision, for α and β. */
typedef union vkblas_scalar {
    float s[2];
    double d[2];
} vkblas_scalar;

static inline int vkblas_is_double(vkblas_type type)
{
    return type == VKBLAS_D || type == VKBLAS_Z;
}

static inline int vkblas_is_complex(vkblas_type type)
{
    return type == VKBLAS_C || type == VKBLAS_Z;
}

/* Bytes of an element of C; those of A and B are half as many where they are f16 or bf16. */
static inline int64_t vkblas_bytes_of(vkblas_type type)
{
    return (vkblas_is_double(type) ? 8 : 4) << vkblas_is_complex(type);
}

static inline int64_t vkblas_bytes_in(vkblas_type type)
{
    return vkblas_bytes_of(type) >> (type == VKBLAS_SH || type == VKBLAS_SB);
}

static inline vkblas_scalar vkblas_scalar_of(vkblas_type type, double re, double im)
{
    return vkblas_is_double(type) ? (vkblas_scalar){.d = {re, im}} : (vkblas_scalar){.s = {(float)re, (float)im}};
}

/* Its real part (0) or imaginary part (1). */
static inline double vkblas_part_of(vkblas_type type, const void *scalar, int part)
{
    return vkblas_is_double(type) ? ((const double *)scalar)[part] : ((const float *)scalar)[part];
}

static inline double vkblas_volume_of(vkblas_extents e)
{
    return (double)e.m * (double)e.n * (double)e.k;
}

/* The volume from which a call is worth a thought; smaller ones are the host's. -1: not known yet. */
extern _Atomic int64_t vkblas_least;

static inline int vkblas_is_small(const vkblas_call *call)
{
    const double least = (double)atomic_load_explicit(&vkblas_least, memory_order_relaxed);
    return vkblas_volume_of(vkblas_extents_of(call)) < least;
}

/* Splits a routine other than a product into products and calls of itself on the diagonal blocks, and computes each by
 * `compute` in turn: vkblas_run_or_host, or a test's own. Diagonal blocks of at most `block` rows are passed as they
 * are; gemmtr, which most hosts lack, becomes products alone. gemm is passed unchanged, and so is α = 0. */
void vkblas_split(const vkblas_call *call, int64_t block, void (*compute)(const vkblas_call *part));

/* Computes a complex product as real ones, by `product`: vkblas_product, or a test's own. A copy of A takes twice its
 * memory, and at most about `most` bytes: C is then computed some rows at a time. If β is not real, C is copied as
 * well; a transposed B is copied whole. 0: `product` returned 0 at once, or memory ran out; C is then unchanged. If
 * `product` returns 0 later, vkblas_run_or_host computes what is left. */
int vkblas_complex(const vkblas_call *call, int64_t most, int (*product)(const vkblas_call *real));

/* NULL, or whether the work of this thread is to stop. Then vkblas_device may have no device, and what vkblas_product
 * returns and has written means nothing. */
extern _Thread_local int (*vkblas_stops)(void);

/* GEMM on the device: α·op(A)·op(B) + β·C for every type. 0: the device could not do it, and C is unchanged. */
int vkblas_product(const vkblas_call *call);

/* ---- dispatch.c ---- */

/* Whether VKBLAS_MIN or VKBLAS_COMPUTE says who computes a call. Otherwise costs do. After the first call only. */
int vkblas_is_forced(void);

/* How VKBLAS_COMPUTE wants products of a type to be multiplied. After the first call only. */
vkmm_method vkblas_method(vkblas_type type);

/* ---- host_blas.c ---- */

/* Computes the call with the host's BLAS, through its Fortran interface, whatever the caller's was. Aborts with a
 * sentence if there is none. */
void vkblas_host(const vkblas_call *call);

/* Cache entry for a function of the host's BLAS. `names` lists alternative names, each ending with a zero, and ends
 * with an empty one; everything else is zero at first. */
typedef struct vkblas_slot {
    const char *names;
    _Atomic(void *) found; /* or &vkblas_none */
} vkblas_slot;

/* Value of `found` for a function that the host lacks. Exported, so that one libvkblas recognises another. */
extern const char vkblas_none;

typedef void (*vkblas_function)(void); /* cast to the real signature before calling */

/* The first of the slot's names that the host's BLAS has; NULL if it has none. Searches once. */
vkblas_function vkblas_find(vkblas_slot *slot);

/* Ends the process with a sentence: no BLAS of the host has a function of this name. */
_Noreturn void vkblas_missing(const char *name);

/* The file that has the host's BLAS; "": there is none. Static storage. */
const char *vkblas_host_path(void);

/* ---- gpu.c ---- */

/* The device; opened by the first call. NULL: there is none, it failed, or this process is a fork. */
vkmm_device *vkblas_device(void);

/* Further devices that share its products, if VKBLAS_DEVICE matches several. */
vkmm_device *const *vkblas_others(uint32_t *count);

/* Warns once and gives the device up for good, unless only memory ran out or the device lacks a type. */
void vkblas_device_failed(vkmm_status status);

/* How many threads may copy: as many as the host's BLAS may have, because other processes may need the other
 * processors. 0: not known. */
uint32_t vkblas_threads(void);

/* Until the mask is `before` again: threads of the driver and of streams inherit it, and the program's signals remain
 * the program's. */
void vkblas_block_signals(sigset_t *before);

/* From now on there is no device. For a signal handler or the child of a fork too. */
void vkblas_device_give_up(void);

/* Whether a call would not have to open it first: 1: open; 0: never tried; -1: there is none. */
int vkblas_device_state(void);

/* Why there is none, in words; only if vkblas_device_state() is -1. */
const char *vkblas_device_reason(void);

/* What tells this device with its driver from others, once it is open. */
uint64_t vkblas_device_identity(void);

#define VKBLAS_HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a of what gave `hash` (VKBLAS_HASH_START: nothing), followed by these bytes. */
static inline uint64_t vkblas_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The value of a text of digits, at most INT64_MAX; -1 for NULL and any other text. */
int64_t vkblas_whole(const char *text);

/* One sentence on stderr, after "vkblas: ". */
void vkblas_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- usage.c ---- */

/* Whether the user wants to hear of every call: VKBLAS_VERBOSE, VKBLAS_REPORT. */
int vkblas_reports(void);

/* One call of the program took this long. */
void vkblas_note(const vkblas_call *call, const vkblas_turn *turn, double ms);

/* "dgemm"; static storage. */
typedef struct vkblas_name {
    char text[12];
} vkblas_name;
vkblas_name vkblas_name_of(vkblas_type type, vkblas_routine routine);

/* In the child of a fork: what the parent has counted is the parent's. */
void vkblas_report_forget(void);
