/* A program that ends, forks, or unloads libvkblas at some moment of its first product's trial on the device:
 *
 *     probe LIBRARY exit|_exit|fork|dlclose|signal MICROSECONDS
 *
 * so long after the product, or before it if negative. It prints CLOCK_MONOTONIC, in nanoseconds, at that moment, and
 * ends with 0, or by SIGINT. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 300, GUARD = 600, COL_MAJOR = 102, NO_TRANS = 111 };

typedef void (*dgemm)(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);

static double a[N * N], c[N * N];

/* Each element of A and B is 2. */
static int multiplies(void *library)
{
    dgemm multiply;
    *(void **)&multiply = dlsym(library, "cblas_dgemm");
    int right = multiply != NULL;
    for (int i = 0; i < N * N; i++) a[i] = 2, c[i] = 0;
    if (right) multiply(COL_MAJOR, NO_TRANS, NO_TRANS, N, N, N, 1, a, N, a, N, 0, c, N);
    for (int i = 0; i < N * N; i++) right &= c[i] == 4 * N;
    return right;
}

static int ends_well(pid_t child)
{
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
}

static int act(const char *what, void *library, const char *path)
{
    if (strcmp(what, "_exit") == 0) _exit(0);
    if (strcmp(what, "signal") == 0) raise(SIGINT);
    if (strcmp(what, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(GUARD);
            _exit(!multiplies(library)); /* Mesa's handlers at exit wait for threads that only the parent has */
        }
        return ends_well(child) && multiplies(library);
    }
    if (strcmp(what, "dlclose") == 0) {
        dlclose(library);
        return multiplies(dlopen(path, RTLD_NOW));
    }
    return strcmp(what, "exit") == 0;
}

static void wait_for(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

int main(int argc, char **argv)
{
    struct timespec now;
    void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const long us = argc == 4 ? atol(argv[3]) : 0;
    if (library == NULL) return 2;
    if (us >= 0 && !multiplies(library)) return 3;
    if (us > 0) wait_for(us);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    fflush(stdout);
    const int right = act(argv[2], library, argv[1]);
    if (us < 0 && !multiplies(library)) return 4;
    return right ? 0 : 5;
}
