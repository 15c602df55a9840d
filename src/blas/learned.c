/* What this process knows of the costs, and the file that keeps it between processes. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of this */
static vkblas_cost cost;
static char key[600], name[32], folder[4096]; /* of the file; folder "": none */
static uint64_t kept_identity;                /* of the device that they were learned with; 0: none */

/* A thread that opens the device and tries products on it. With the lock, but for what is atomic. */
static pthread_t thread;
static int works;             /* the thread, or a call that opens the device */
static vkblas_extents wanted; /* what the thread tries; set before it begins */
static vkblas_type wanted_type;
static atomic_int joinable, ends;

_Thread_local int (*vkblas_stops)(void);

static int stops(void)
{
    return atomic_load(&ends);
}

void vkblas_learned_forget(void)
{
    folder[0] = 0;
    atomic_store(&joinable, 0);
    atomic_store(&ends, 1);
}

static const char *value_of(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL ? value : "";
}

/* The folder, under the library's rule (base/cache_dir.h): only this user owns it and may write to it. -1: errno. */
static int open_folder(void)
{
    struct stat status;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    const int known = fstat(fd, &status) == 0;
    if (known && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return fd;
    if (known)
        vkblas_warn("no costs are kept in %.300s, which is not this user's alone: owner %lu, mode %04o (chmod go-w)",
                    folder, (unsigned long)status.st_uid, (unsigned)status.st_mode & 07777);
    close(fd);
    folder[0] = 0;
    errno = EPERM;
    return -1;
}

/* Does not wait if the file is a pipe. NULL: there is no regular file. */
static FILE *open_costs(void)
{
    struct stat status;
    const int at = open_folder(), fd = at >= 0 ? openat(at, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    FILE *file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (file == NULL && fd >= 0) close(fd);
    if (at >= 0) close(at);
    return file;
}

void vkblas_learned_begin(void)
{
    const char *cache = value_of("XDG_CACHE_HOME"), *home = value_of("HOME");
    unsigned long long identity = 0;
    snprintf(key, sizeof key, "vkblas 3 host=%.300s threads=%u device=%.60s", vkblas_host_path(), vkblas_threads(),
             value_of("VKBLAS_DEVICE"));
    snprintf(name, sizeof name, "blas-%016llx", (unsigned long long)vkblas_hash(VKBLAS_HASH_START, key, strlen(key)));
    if (*cache != '/' && *home != '/') return;
    const int length =
        snprintf(folder, sizeof folder, "%s%s/vkmatmul", *cache == '/' ? cache : home, *cache == '/' ? "" : "/.cache");
    if (length < 0 || (size_t)length >= sizeof folder) folder[0] = 0;
    FILE *file = folder[0] ? open_costs() : NULL;
    if (file == NULL) return;
    if (vkblas_cost_read(&cost, key, file)) {
        rewind(file);
        for (char line[1024]; fgets(line, sizeof line, file) != NULL;)
            if (sscanf(line, "identity %llx", &identity) == 1) kept_identity = identity;
    }
    fclose(file);
}

/* The folder and the one above it. */
static void make_folder(void)
{
    char *slash = strrchr(folder, '/');
    *slash = 0;
    mkdir(folder, 0700);
    *slash = '/';
    mkdir(folder, 0700);
}

/* Another process may write at the same time: the last one wins. */
__attribute__((destructor)) static void write_costs(void)
{
    char partial[sizeof name + 32];
    if (folder[0] == 0 || pthread_mutex_trylock(&lock) != 0) return;
    snprintf(partial, sizeof partial, "%s.%ld", name, (long)getpid());
    int at = open_folder();
    if (at < 0 && errno == ENOENT) {
        make_folder();
        at = open_folder();
    }
    const int fd = at >= 0 ? openat(at, partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file != NULL) {
        vkblas_cost_write(&cost, key, file);
        fprintf(file, "identity %016llx\n", (unsigned long long)kept_identity);
        if (ferror(file) | fclose(file) || renameat(at, partial, at, name) != 0) unlinkat(at, partial, 0);
    } else if (fd >= 0) {
        unlinkat(at, partial, 0);
        close(fd);
    }
    if (at >= 0) close(at);
    pthread_mutex_unlock(&lock);
}

/* Opens the device. What was learned with another is forgotten. */
static int open_device(void)
{
    const double before = vkblas_now_ms();
    const int opens = vkblas_device_state() == 0, is_there = vkblas_device() != NULL;
    pthread_mutex_lock(&lock);
    if (opens && is_there) cost.open_ms = vkblas_now_ms() - before;
    if (is_there && kept_identity != vkblas_device_identity()) vkblas_cost_forget_device(&cost);
    if (is_there) kept_identity = vkblas_device_identity();
    pthread_mutex_unlock(&lock);
    return is_there;
}

/* The fastest of several products, without the first one; of fewer if one takes at most enough_ms; the first one alone
 * if that is infinite. Negative: the device has no such products, or stops(). The operands are zeros. */
static double time_products(vkblas_type type, vkblas_extents e, double enough_ms)
{
    enum { MOST = 9, MOST_MS = 100 };
    const size_t all = (size_t)vkblas_cost_bytes(type, e),
                 a = (size_t)vkblas_cost_bytes(type, (vkblas_extents){e.m, 0, e.k}),
                 c = (size_t)vkblas_cost_bytes(type, (vkblas_extents){e.m, e.n, 0});
    const vkblas_scalar one = vkblas_scalar_of(type, 1, 0), zero = vkblas_scalar_of(type, 0, 0);
    double best = -1, sum = 0;
    char *room = calloc(1, all); /* zeroed pages cost nothing until they are written */
    if (room == NULL) return -1;
    const vkblas_call call = {.type = type,
                              .trans_a = 'N',
                              .trans_b = 'N',
                              .m = e.m,
                              .n = e.n,
                              .k = e.k,
                              .alpha = &one,
                              .beta = &zero,
                              .a = room,
                              .b = room + a,
                              .c = room + all - c,
                              .lda = e.m,
                              .ldb = e.k,
                              .ldc = e.m};
    for (int i = 0; i < MOST && sum < MOST_MS && !(best >= 0 && best <= enough_ms) && !stops(); i++) {
        const double before = vkblas_now_ms();
        if (!vkblas_product(&call) || stops()) break;
        const double ms = vkblas_now_ms() - before;
        if (i == 0 && isfinite(enough_ms)) continue; /* it builds pipelines and allocates memory */
        best = best < 0 ? ms : fmin(best, ms);
        sum += ms;
    }
    free(room);
    return best;
}

/* Opens the device and tries one class on it. Of a class that an earlier process has tried it computes one product, so
 * that its pipelines and memory exist. */
static void *work(void *unused)
{
    fenv_t numbers;
    struct timespec used;
    feholdexcept(&numbers);
    vkblas_stops = stops;
    const int is_there = open_device();
    const vkblas_extents e = vkblas_cost_trial(wanted_type, wanted);
    const double share = vkblas_volume_of(e) / vkblas_volume_of(wanted);
    pthread_mutex_lock(&lock);
    const double enough_ms = share * vkblas_cost_enough_ms(&cost, wanted_type, wanted);
    pthread_mutex_unlock(&lock);
    const double ms = is_there ? time_products(wanted_type, e, enough_ms) : -1;
    pthread_mutex_lock(&lock);
    if (ms >= 0 && isfinite(enough_ms))
        vkblas_cost_learn(&cost, VKBLAS_TRIAL, wanted_type, wanted, ms / share);
    else if (ms < 0 && !stops())
        cost.never[wanted_type] = 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    cost.trials_ms += (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
    cost.is_open = is_there;
    works = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Ends the thread, and waits for its step at hand: drivers must not be unloaded under it. */
static void stop(void)
{
    atomic_store(&ends, 1);
    if (atomic_exchange(&joinable, 0)) pthread_join(thread, NULL);
}

static void stop_in_main(void *unused)
{
    (void)unused;
    if (getpid() == gettid()) stop();
}

/* Drivers are loaded after this library, so that their destructors run before its own and before what atexit registers
 * now; but those of the thread that calls exit run first (glibc's implementation of C++'s thread_local). */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) __attribute__((weak));
extern void *__dso_handle;

static void stop_at_exit(void)
{
    static _Thread_local int registered;
    if (!registered && __cxa_thread_atexit_impl) __cxa_thread_atexit_impl(stop_in_main, NULL, &__dso_handle);
    registered = 1;
}

/* With `lock`. */
static void begin_work(vkblas_type type, vkblas_extents e)
{
    sigset_t before;
    if (works || atomic_load(&ends) || vkblas_device_state() < 0) return;
    if (atomic_exchange(&joinable, 0)) pthread_join(thread, NULL); /* it has ended */
    wanted = e;
    wanted_type = type;
    vkblas_block_signals(&before);
    works = pthread_create(&thread, NULL, work, NULL) == 0;
    atomic_store(&joinable, works);
    if (!works) atomic_store(&ends, 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

vkblas_choice vkblas_learned_choose(vkblas_type type, vkblas_extents e, vkblas_turn *turn)
{
    turn->host_ms = turn->gpu_ms = -1;
    turn->why = "no device";
    if (vkblas_device_state() < 0) return VKBLAS_TO_HOST;
    stop_at_exit();
    pthread_mutex_lock(&lock);
    vkblas_choice choice = vkblas_cost_choose(&cost, type, e, turn);
    if (choice == VKBLAS_TO_TRY) begin_work(type, e);
    if (choice > VKBLAS_TO_HOST && works) { /* it would wait */
        choice = VKBLAS_TO_TRY;
        turn->why = "the device is being tried";
    }
    works |= choice == VKBLAS_TO_OPEN;
    pthread_mutex_unlock(&lock);
    if (choice != VKBLAS_TO_OPEN) return choice;
    const int is_there = open_device();
    pthread_mutex_lock(&lock);
    cost.is_open = is_there;
    works = 0;
    choice = is_there ? vkblas_cost_choose(&cost, type, e, turn) : VKBLAS_TO_HOST;
    if (!is_there) turn->why = "no device";
    if (choice == VKBLAS_TO_TRY) begin_work(type, e); /* what was learned was another device's */
    pthread_mutex_unlock(&lock);
    return choice;
}

void vkblas_learned_add(vkblas_place where, vkblas_type type, vkblas_extents e, double ms)
{
    pthread_mutex_lock(&lock);
    vkblas_cost_learn(&cost, where, type, e, ms);
    pthread_mutex_unlock(&lock);
}
