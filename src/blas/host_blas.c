/* The host's BLAS: $VKBLAS_HOST, what the program has loaded, or a library of the system. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkblas.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char path[4096];
__attribute__((visibility("default"))) const char vkblas_none = 0;

/* In the child of a fork: the thread that holds the lock may not exist here. */
static void renew_lock(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* OpenBLAS's threads spin for 0.1 s after each call unless told otherwise, on the processors that copy panels
 * meanwhile. It reads this when it is loaded: not if the program is linked with it, which `vkmatmul blas` takes care
 * of. 2^22 ticks are one or two milliseconds. */
__attribute__((constructor)) static void begin(void)
{
    setenv("OPENBLAS_THREAD_TIMEOUT", "22", 0);
    pthread_atfork(NULL, NULL, renew_lock);
}

/* Which of two shared libraries was loaded first, by their addresses. */
typedef struct vkblas_order {
    const void *other, *here;
    int other_first;
} vkblas_order;

static int compare_order(struct dl_phdr_info *info, size_t size, void *user)
{
    vkblas_order *order = user;
    (void)size;
    order->other_first = info->dlpi_addr == (ElfW(Addr))order->other;
    return order->other_first || info->dlpi_addr == (ElfW(Addr))order->here;
}

/* libblastrampoline and FlexiBLAS forward calls to a BLAS that they load. If one of them was loaded before libvkblas,
 * that BLAS may be libvkblas, and a call would never end. */
static int forwards_here(void *handle, const void *there, const void *here)
{
    vkblas_order order = {.other = there, .here = here};
    if (dlsym(handle, "lbt_forward") == NULL && dlsym(handle, "flexiblas_current_backend") == NULL) return 0;
    dl_iterate_phdr(compare_order, &order);
    return order.other_first;
}

/* NULL if the handle's function is one of libvkblas: this copy's or, with vkblas_none beside it, another's. */
static void *foreign(void *handle, const char *name)
{
    Dl_info there, here;
    void *function = dlsym(handle, name);
    if (function == NULL || dladdr(function, &there) == 0 || dladdr(&vkblas_none, &here) == 0) return NULL;
    if (there.dli_fbase == here.dli_fbase || dlsym(handle, "vkblas_none") != NULL) return NULL;
    if (forwards_here(handle, there.dli_fbase, here.dli_fbase)) return NULL;
    if (path[0] == 0) snprintf(path, sizeof path, "%s", there.dli_fname);
    return function;
}

static void *of_names(void *handle, const char *names)
{
    void *function = NULL;
    for (; handle != NULL && function == NULL && *names; names += strlen(names) + 1) function = foreign(handle, names);
    return function;
}

/* In a file that need not be loaded yet; kept if it has the function. */
static void *of_file(const char *file, int flags, const char *names)
{
    void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL | flags), *function = of_names(handle, names);
    if (handle != NULL && function == NULL) dlclose(handle);
    return function;
}

/* The names of the files that are loaded, with RTLD_LOCAL too: each ends with a zero. Not looked into here, because
 * dlopen may not be called while the list is locked. */
typedef struct vkblas_files {
    char *names;
    size_t bytes;
} vkblas_files;

static int add_file(struct dl_phdr_info *info, size_t size, void *user)
{
    vkblas_files *files = user;
    const size_t length = strlen(info->dlpi_name) + 1;
    char *longer = length > 1 ? realloc(files->names, files->bytes + length) : NULL;
    (void)size;
    if (longer == NULL) return 0;
    memcpy(longer + files->bytes, info->dlpi_name, length);
    *files = (vkblas_files){longer, files->bytes + length};
    return 0;
}

static void *of_loaded(const char *names)
{
    vkblas_files files = {0};
    void *function = NULL;
    dl_iterate_phdr(add_file, &files);
    for (size_t at = 0; at < files.bytes && function == NULL; at += strlen(files.names + at) + 1)
        function = of_file(files.names + at, RTLD_NOLOAD, names);
    free(files.names);
    return function;
}

static void *look(const char *names)
{
    static const char *const files[] = {"libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2", "libmkl_rt.so",
                                        VKBLAS_NETLIB};
    const char *told = secure_getenv("VKBLAS_HOST");
    void *function = NULL;
    if (told != NULL && *told) {
        static int warned;
        void *handle = dlopen(told, RTLD_LAZY | RTLD_LOCAL);
        if (handle == NULL && !warned++) vkblas_warn("VKBLAS_HOST: %s", dlerror());
        return of_names(handle, names);
    }
    /* If a thread of the parent read glibc's list of files during a fork, the list stays locked in the child. Once the
     * path is known, only names that this file lacks need the list. */
    if (path[0]) function = of_file(path, RTLD_NOLOAD, names);
    if (function == NULL) function = of_names(RTLD_NEXT, names);
    if (function == NULL) function = of_loaded(names);
    for (size_t i = 0; function == NULL && i < VKBLAS_COUNT(files); i++) function = of_file(files[i], 0, names);
    return function;
}

vkblas_function vkblas_find(vkblas_slot *slot)
{
    void *function = atomic_load_explicit(&slot->found, memory_order_acquire);
    if (function == NULL) {
        pthread_mutex_lock(&lock);
        function = look(slot->names);
        if (function == NULL) function = (void *)&vkblas_none;
        atomic_store_explicit(&slot->found, function, memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    return function == &vkblas_none ? NULL : __extension__(vkblas_function) function;
}

/* The arguments of a Fortran routine: s side, u uplo, t trans_a, v trans_b, d diag; m n k; x α, y β; a b c and their
 * leading dimensions A B C. */
static const char *const arguments_of[VKBLAS_ROUTINES] = {
    [VKBLAS_GEMM] = "tvmnkxaAbBycC", [VKBLAS_GEMM3M] = "tvmnkxaAbBycC", [VKBLAS_GEMMTR] = "utvnkxaAbBycC",
    [VKBLAS_SYMM] = "sumnxaAbBycC",  [VKBLAS_HEMM] = "sumnxaAbBycC",    [VKBLAS_SYRK] = "utnkxaAycC",
    [VKBLAS_HERK] = "utnkxaAycC",    [VKBLAS_SYR2K] = "utnkxaAbBycC",   [VKBLAS_HER2K] = "utnkxaAbBycC",
    [VKBLAS_TRMM] = "sutdmnxaAcC",   [VKBLAS_TRSM] = "sutdmnxaAcC"};

typedef const void *P;

/* An integer as the host has it; `narrow` is where it is kept if that has 32 bits. */
static P integer(const int64_t *value, int ilp64, int32_t *narrow)
{
    *narrow = (int32_t)*value;
    return ilp64 ? (P)value : (P)narrow;
}

static P argument(const vkblas_call *c, char which, int ilp64, int32_t *narrow)
{
    static const char letters[] = "sutdvxyabcmnkABC";
    const P all[] = {&c->side, &c->uplo, &c->trans_a, &c->diag, &c->trans_b, c->alpha, c->beta, c->a,
                     c->b,     c->c,     &c->m,       &c->n,    &c->k,       &c->lda,  &c->ldb, &c->ldc};
    const size_t at = (size_t)(strchr(letters, which) - letters);
    return at < 10 ? all[at] : integer(all[at], ilp64, narrow); /* from m on */
}

static int narrow_enough(const vkblas_call *c)
{
    const int64_t all = c->m | c->n | c->k | c->lda | c->ldb | c->ldc;
    return all == (int32_t)all || (all < 0 && all >= INT32_MIN);
}

static vkblas_function routine(vkblas_routine which, vkblas_type type, int ilp64)
{
    static struct {
        vkblas_slot slot;
        char names[120];
    } slots[VKBLAS_ROUTINES][VKBLAS_TYPES][2];
    static const char *const forms[2] = {"%s_%c%.*s_%cscipy_%s_%c", "%s_64_%c%.*s_64_%cscipy_%s_64_%c"};
    const vkblas_name name = vkblas_name_of(type, which);
    const int other = (int)strlen(name.text) - (which == VKBLAS_GEMMTR); /* gemmt */
    pthread_mutex_lock(&lock);
    if (slots[which][type][ilp64].slot.names == NULL) {
        char *names = slots[which][type][ilp64].names;
        snprintf(names, sizeof slots[0][0][0].names, forms[ilp64], name.text, 0, other, name.text, 0, name.text, 0);
        slots[which][type][ilp64].slot.names = names;
    }
    pthread_mutex_unlock(&lock);
    return vkblas_find(&slots[which][type][ilp64].slot);
}

void vkblas_missing(const char *name)
{
    vkblas_warn("no BLAS of the host has %s; set VKBLAS_HOST to a library that does", name);
    abort();
}

const char *vkblas_host_path(void)
{
    routine(VKBLAS_GEMM, VKBLAS_S, 0);
    return path;
}

/* By routines that every BLAS has. */
static int by_others(const vkblas_call *call)
{
    vkblas_call plain = *call;
    plain.routine = VKBLAS_GEMM;
    if (call->routine == VKBLAS_GEMM3M)
        vkblas_host(&plain);
    else if (call->routine == VKBLAS_GEMMTR)
        vkblas_split(call, 1, vkblas_host);
    return call->routine == VKBLAS_GEMM3M || call->routine == VKBLAS_GEMMTR;
}

void vkblas_host(const vkblas_call *call)
{
    enum { MOST = 16 };
    P x[MOST];
    int32_t narrow[MOST];
    int ilp64 = !narrow_enough(call);
    vkblas_function found = routine(call->routine, call->type, ilp64);
    if (found == NULL && !ilp64) found = routine(call->routine, call->type, ilp64 = 1);
    if (found == NULL && by_others(call)) return;
    if (found == NULL) vkblas_missing(vkblas_name_of(call->type, call->routine).text);
    const char *arguments = arguments_of[call->routine];
    for (int i = 0; i < MOST; i++) /* what follows the arguments are the lengths of the letters */
        x[i] = *arguments ? argument(call, *arguments++, ilp64, &narrow[i]) : (P)1;
    ((void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P))found)(
        x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]);
}
