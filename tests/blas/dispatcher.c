/* Forwards calls to a BLAS that it loads, as libblastrampoline does: first it asks isamax for the width of integers. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

typedef const void *P;
#define ARGUMENTS  P ta, P tb, P m, P n, P k, P alpha, P a, P lda, P b, P ldb, P beta, P c, P ldc
#define ARGUMENTS_ ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc

int lbt_forward(const char *path, const char *suffix);
int isamax_(P n, P x, P step);
int isamax_64_(P n, P x, P step);
void dgemm_(ARGUMENTS);
void dgemm_64_(ARGUMENTS);

static int (*isamax)(P, P, P);
static void (*dgemm)(ARGUMENTS);
int forwarded;

/* 32 or 64; 0: the library lacks what is asked for. */
int lbt_forward(const char *path, const char *suffix)
{
    const int64_t n = (int64_t)0xffffffff00000003, step = 1; /* negative, or 3 as an int32 */
    const float x[3] = {1, 2, 1};
    char name[16];
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library == NULL) return 0;
    snprintf(name, sizeof name, "isamax_%s", suffix);
    *(void **)&isamax = dlsym(library, name);
    snprintf(name, sizeof name, "dgemm_%s", suffix);
    *(void **)&dgemm = dlsym(library, name);
    return isamax == NULL || dgemm == NULL ? 0 : isamax(&n, x, &step) == 2 ? 32 : 64;
}

int isamax_(P n, P x, P step)
{
    return isamax(n, x, step);
}

int isamax_64_(P n, P x, P step)
{
    return isamax(n, x, step);
}

void dgemm_(ARGUMENTS)
{
    forwarded++;
    dgemm(ARGUMENTS_);
}

void dgemm_64_(ARGUMENTS)
{
    forwarded++;
    dgemm(ARGUMENTS_);
}
