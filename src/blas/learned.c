/* What this process knows of the costs, and the file that keeps it between processes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of this */
static vkblas_cost cost;
static char key[600], path[4096]; /* of the file; "": none */
static uint64_t kept_identity;    /* of the device that they were learned with; 0: none */
static double start_ms;
static atomic_int opening; /* by a thread, for some time: other threads do not wait for it */

__attribute__((constructor)) static void start(void)
{
    start_ms = vkblas_now_ms();
}

void vkblas_learned_forget(void)
{
    path[0] = 0;
}

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL ? value : "";
}

void vkblas_learned_begin(void)
{
    const char *cache = value_of("XDG_CACHE_HOME"), *home = value_of("HOME");
    uint64_t name = 0xcbf29ce484222325u;
    unsigned long long identity = 0;
    snprintf(key, sizeof key, "vkblas 1 host=%.300s threads=%u device=%.60s", vkblas_host_path(), vkblas_threads(),
             value_of("VKBLAS_DEVICE"));
    for (const char *at = key; *at; at++) name = (name ^ (unsigned char)*at) * 0x100000001b3u;
    if (*cache != '/' && *home != '/') return;
    const int length = snprintf(path, sizeof path - 8, "%s%s/vkmatmul/blas-%016llx", *cache == '/' ? cache : home,
                                *cache == '/' ? "" : "/.cache", (unsigned long long)name);
    if (length < 0 || (size_t)length >= sizeof path - 8) path[0] = 0;
    FILE *file = path[0] ? fopen(path, "re") : NULL;
    if (file == NULL) return;
    if (vkblas_cost_read(&cost, key, file)) {
        rewind(file);
        for (char line[1024]; fgets(line, sizeof line, file) != NULL;)
            if (sscanf(line, "identity %llx", &identity) == 1) kept_identity = identity;
    }
    fclose(file);
}

/* The folder of a file, and those above it. */
static void make_folder(char *file, int levels)
{
    char *slash = strrchr(file, '/');
    if (slash == NULL || slash == file) return;
    *slash = 0;
    if (levels > 1) make_folder(file, levels - 1);
    mkdir(file, 0700);
    *slash = '/';
}

/* Another process may write at the same time: the last one wins. */
__attribute__((destructor)) static void write_costs(void)
{
    char partial[sizeof path + 32];
    if (path[0] == 0 || pthread_mutex_trylock(&lock) != 0) return;
    snprintf(partial, sizeof partial, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(partial, "wxe");
    if (file == NULL && errno == ENOENT) {
        make_folder(path, 2);
        file = fopen(partial, "wxe");
    }
    if (file != NULL) {
        vkblas_cost_end(&cost, vkblas_now_ms() - start_ms);
        vkblas_cost_write(&cost, key, file);
        fprintf(file, "identity %016llx\n", (unsigned long long)kept_identity);
        if (ferror(file) | fclose(file) || rename(partial, path) != 0) unlink(partial);
    }
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
