/* The device, and everything that keeps libvkblas from harming the program: no device, a lost one, a fork. */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkblas.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(vkmm_device *) device; /* never destroyed: other threads may use it until the process ends */
static vkmm_device **others;          /* further ones, which share its products; as the device, never destroyed */
static uint32_t other_count;
static atomic_int state; /* vkblas_device_state */
static uint64_t identity;
static _Thread_local char sentence[400];
static char no_device[sizeof sentence + 16]; /* why there is none; written before `state` says so */

void vkblas_warn(const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "vkblas: %s\n", text);
}

/* Keeps the last error of this thread. */
static void keep(void *user, vkmm_log_level level, const char *text)
{
    (void)user;
    if (level == VKMM_LOG_ERROR) snprintf(sentence, sizeof sentence, "%s", text);
}

int64_t vkblas_whole(const char *text)
{
    if (text == NULL || *text == 0 || text[strspn(text, "0123456789")] != 0) return -1;
    return strtoll(text, NULL, 10); /* the largest value if it overflows */
}

/* A process that runs under MPI has a rank among those of its machine. -1: none is known. */
static int64_t local_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                                        "PMI_LOCAL_RANK"};
    int64_t rank = -1;
    for (size_t i = 0; i < VKBLAS_COUNT(names) && rank < 0; i++) rank = vkblas_whole(secure_getenv(names[i]));
    return rank;
}

/* A processor's driver is only used if the user says so: it would compete with the host's BLAS for the same cores. */
static vkmm_status choose(const vkmm_instance *instance, uint32_t *indices, uint32_t *count)
{
    const char *what = secure_getenv("VKBLAS_DEVICE");
    const int told = what != NULL && *what;
    const int64_t rank = local_rank();
    if (!told) what = vkblas_is_forced() ? NULL : "gpu";
    *count = 1;
    if (!told && rank < 0) return vkmm_instance_find_device(instance, what, indices);
    vkmm_status status = vkmm_instance_find_devices(instance, what, indices, count);
    if (status == VKMM_OK && !told) {
        indices[0] = indices[rank % *count];
        *count = 1;
    }
    return status;
}

void vkblas_device_give_up(void)
{
    atomic_store(&device, NULL);
    atomic_store(&state, -1);
}

/* The chosen devices that can be opened, one at least. */
static vkmm_status open_all(vkmm_instance *instance, vkmm_device **opened)
{
    uint32_t most = vkmm_instance_device_count(instance), count = 0, *indices = calloc(most + 1u, sizeof *indices);
    others = calloc(most + 1u, sizeof(vkmm_device *));
    vkmm_status status = indices != NULL && others != NULL ? choose(instance, indices, &count) : VKMM_OUT_OF_MEMORY,
                failed = status;
    const vkmm_method methods[] = {vkblas_method(VKBLAS_S), vkblas_method(VKBLAS_D)}; /* with speeds of their own */
    identity = vkblas_hash(VKBLAS_HASH_START, methods, sizeof methods);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) {
        const vkmm_device_info *info = vkmm_instance_device_info(instance, indices[i]);
        vkmm_device *one = NULL;
        failed = vkmm_device_create(instance, indices[i], &one);
        if (one == NULL) continue;
        identity = vkblas_hash(identity, info->uuid, sizeof info->uuid);
        identity = vkblas_hash(identity, info->driver.uuid, sizeof info->driver.uuid);
        identity = vkblas_hash(identity, &info->driver.version, sizeof info->driver.version);
        if (*opened == NULL)
            *opened = one;
        else
            others[other_count++] = one;
    }
    free(indices);
    return *opened != NULL ? VKMM_OK : failed;
}

static int number_in(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL ? atoi(value) : 0;
}

uint32_t vkblas_threads(void)
{
    cpu_set_t set;
    const int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    int threads = number_in("OPENBLAS_NUM_THREADS");
    if (threads <= 0) threads = number_in("OMP_NUM_THREADS");
    return (uint32_t)(threads > 0 && (threads < processors || processors == 0) ? threads : processors);
}

void vkblas_block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static void open_device(void)
{
    const char *what = secure_getenv("VKBLAS_DEVICE");
    vkmm_instance *instance = NULL;
    vkmm_device *opened = NULL;
    sigset_t before;
    fenv_t numbers;
    if (what != NULL && strcmp(what, "none") == 0) return;
    vkblas_block_signals(&before);
    feholdexcept(&numbers);
    vkmm_status status = vkmm_instance_create(&(vkmm_instance_params){.log = {.write = keep}}, &instance);
    const int stops = vkblas_stops != NULL && vkblas_stops();
    if (status == VKMM_OK && !stops) status = open_all(instance, &opened);
    fesetenv(&numbers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != VKMM_OK && !stops) {
        snprintf(no_device, sizeof no_device, "%s%s", what != NULL && *what ? "VKBLAS_DEVICE: " : "",
                 sentence[0] ? sentence : vkmm_status_name(status));
        vkblas_warn("%s; the host computes everything", no_device);
    }
    if (opened == NULL) vkmm_instance_destroy(&instance);
    atomic_store(&device, opened);
    atomic_store(&state, opened != NULL ? 1 : -1);
}

int vkblas_device_state(void)
{
    return atomic_load(&state);
}

const char *vkblas_device_reason(void)
{
    return no_device[0] ? no_device : "VKBLAS_DEVICE=none";
}

uint64_t vkblas_device_identity(void)
{
    return identity;
}

vkmm_device *vkblas_device(void)
{
    pthread_once(&once, open_device);
    return atomic_load_explicit(&device, memory_order_acquire);
}

vkmm_device *const *vkblas_others(uint32_t *count)
{
    *count = other_count;
    return others;
}

void vkblas_device_failed(vkmm_status status)
{
    static atomic_int warned, gave_up;
    const char *why = sentence[0] ? sentence : vkmm_status_name(status);
    const int is_final = status != VKMM_OUT_OF_MEMORY && status != VKMM_UNSUPPORTED;
    const char *what = status == VKMM_OUT_OF_MEMORY ? "what does not fit"
                       : status == VKMM_UNSUPPORTED ? "such calls"
                                                    : "everything from now on";
    if (is_final && !atomic_exchange(&gave_up, 1)) snprintf(no_device, sizeof no_device, "%s", why);
    if (is_final) vkblas_device_give_up();
    if (!atomic_exchange(&warned, 1)) vkblas_warn("%s; the host computes %s", why, what);
}
