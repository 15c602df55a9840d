/* What this process knows of the costs, and the file that keeps it between processes. */
#include <errno.h>
#include <fcntl.h>
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
static double start_ms;
static atomic_int opening; /* by a thread, for some time: other threads do not wait for it */

__attribute__((constructor)) static void start(void)
{
    start_ms = vkblas_now_ms();
}

void vkblas_learned_forget(void)
{
    folder[0] = 0;
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
    uint64_t sum = 0xcbf29ce484222325u;
    unsigned long long identity = 0;
    snprintf(key, sizeof key, "vkblas 1 host=%.300s threads=%u device=%.60s", vkblas_host_path(), vkblas_threads(),
             value_of("VKBLAS_DEVICE"));
    for (const char *at = key; *at; at++) sum = (sum ^ (unsigned char)*at) * 0x100000001b3u;
    snprintf(name, sizeof name, "blas-%016llx", (unsigned long long)sum);
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
        vkblas_cost_end(&cost, vkblas_now_ms() - start_ms);
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
    if (vkblas_device_state() < 0 || vkblas_device() == NULL) return 0;
    if (cost.opened) return 1;
    cost.opened = 1;
    cost.open_ms = vkblas_now_ms() - before;
    cost.lost_ms += cost.open_ms;
    if (kept_identity != vkblas_device_identity()) vkblas_cost_forget_device(&cost);
    kept_identity = vkblas_device_identity();
    return 1;
}

/* Times a product on the device: the first has to compile its kernel, the second is what counts. */
static void probe(vkblas_type type)
{
    const int64_t edge = vkblas_cost_probe_edge(&cost, type);
    const size_t bytes = (size_t)(edge * edge) * 16;
    const vkblas_scalar one = vkblas_scalar_of(type, 1, 0), zero = vkblas_scalar_of(type, 0, 0);
    char *room = calloc(2, bytes);
    if (room == NULL) return;
    const vkblas_call call = {.type = type,
                              .trans_a = 'N',
                              .trans_b = 'N',
                              .m = edge,
                              .n = edge,
                              .k = edge,
                              .alpha = &one,
                              .beta = &zero,
                              .a = room,
                              .b = room,
                              .c = room + bytes,
                              .lda = edge,
                              .ldb = edge,
                              .ldc = edge};
    double times[4] = {vkblas_now_ms()};
    for (int i = 1; i < 4; i++) {
        if (!vkblas_product(&call)) break;
        times[i] = vkblas_now_ms();
    }
    free(room);
    if (times[3] == 0) { /* it has no such products */
        vkblas_cost_never(&cost, type);
        return;
    }
    const vkblas_extents e = {edge, edge, edge};
    for (int i = 2; i < 4; i++) vkblas_cost_learn(&cost, VKBLAS_DEVICE, type, e, times[i] - times[i - 1]);
    cost.attempt_ms = times[1] - times[0];
    cost.lost_ms += times[3] - times[0];
}

vkblas_choice vkblas_learned_choose(vkblas_type type, vkblas_extents e, vkblas_expected *expected)
{
    *expected = (vkblas_expected){-1, -1};
    if (atomic_load(&opening)) return VKBLAS_TO_HOST;
    pthread_mutex_lock(&lock);
    vkblas_choice choice = vkblas_cost_choose(&cost, type, e, vkblas_now_ms() - start_ms, expected);
    for (int probes = 0; choice != VKBLAS_TO_HOST && (!cost.opened || (choice == VKBLAS_TO_PROBE && probes < 2));) {
        atomic_store(&opening, 1);
        if (!open_device())
            choice = VKBLAS_TO_HOST;
        else if (choice == VKBLAS_TO_PROBE)
            probe(type), probes++;
        if (choice != VKBLAS_TO_HOST) choice = vkblas_cost_choose(&cost, type, e, vkblas_now_ms() - start_ms, expected);
        atomic_store(&opening, 0);
    }
    pthread_mutex_unlock(&lock);
    return choice;
}

void vkblas_learned_add(int where, vkblas_type type, vkblas_extents e, double ms)
{
    pthread_mutex_lock(&lock);
    vkblas_cost_learn(&cost, where, type, e, ms);
    pthread_mutex_unlock(&lock);
}
