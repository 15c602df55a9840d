#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"

/* Calls of one routine and one class of shape: extents rounded to powers of two. */
typedef struct line {
    vkblas_name name;
    int log[3];             /* of m, n, k, rounded; -1: 0 */
    uint64_t calls, device; /* device: on it */
    double host_ms, device_ms, gain_ms;
    int gains; /* what the host would have taken is known */
} line;

enum { LINES = 256 }; /* the last one has all other shapes */
static line lines[LINES];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *to;
static int speaks;

static void read_environment(void)
{
    const char *verbose = secure_getenv("VKBLAS_VERBOSE"), *report = secure_getenv("VKBLAS_REPORT");
    speaks = verbose != NULL && strcmp(verbose, "1") == 0;
    if (verbose != NULL && !speaks && strcmp(verbose, "0") != 0)
        vkblas_warn("invalid VKBLAS_VERBOSE='%.100s': use 0 or 1; calls are not reported, as with 0", verbose);
    if (report != NULL && *report) to = strdup(report);
}

int vkblas_reports(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return speaks || to != NULL;
}

void vkblas_report_forget(void)
{
    to = NULL;
    speaks = 0;
}

vkblas_name vkblas_name_of(vkblas_type type, vkblas_routine routine)
{
    static const char *const types[VKBLAS_TYPES] = {"s", "d", "c", "z", "sh", "sb"};
    static const char *const routines[VKBLAS_ROUTINES] = {"gemm", "gemm3m", "gemmtr", "symm", "hemm", "syrk",
                                                          "herk", "syr2k",  "her2k",  "trmm", "trsm"};
    vkblas_name name;
    snprintf(name.text, sizeof name.text, "%s%s", types[type], routines[routine]);
    return name;
}

static void speak(const vkblas_call *call, const vkblas_turn *turn, double ms)
{
    const char letters[6] = {call->side, call->uplo, call->trans_a, call->trans_b, call->diag, 0};
    const vkblas_extents e = vkblas_extents_of(call);
    char ops[8], expected[80] = "";
    size_t length = 0;
    for (int i = 0; i < 5; i++)
        if (letters[i]) ops[length++] = letters[i];
    ops[length] = 0;
    if (turn->host_ms >= 0 && turn->gpu_ms >= 0)
        snprintf(expected, sizeof expected, " (expected: device %.3f ms, host %.3f ms)", turn->gpu_ms, turn->host_ms);
    fprintf(stderr, "vkblas: %s %s %lldx%lldx%lld: %s, %s, %.3f ms%s\n", vkblas_name_of(call->type, call->routine).text,
            ops, (long long)e.m, (long long)e.n, (long long)e.k, turn->on_device ? "device" : "host", turn->why, ms,
            expected);
}

static int rounded(int64_t extent)
{
    return extent > 0 ? (int)lround(log2((double)extent)) : -1;
}

static line *line_of(const line *wanted)
{
    for (int i = 0; i < used; i++)
        if (memcmp(&lines[i].name, &wanted->name, sizeof wanted->name) == 0 &&
            memcmp(lines[i].log, wanted->log, sizeof wanted->log) == 0)
            return &lines[i];
    if (used == LINES - 1) {
        snprintf(lines[used].name.text, sizeof lines[used].name.text, "others");
        return &lines[used];
    }
    lines[used] = *wanted;
    return &lines[used++];
}

void vkblas_note(const vkblas_call *call, const vkblas_turn *turn, double ms)
{
    const vkblas_extents e = vkblas_extents_of(call);
    if (speaks) speak(call, turn, ms);
    if (to == NULL) return;
    line wanted = {.log = {rounded(e.m), rounded(e.n), rounded(e.k)}};
    strcpy(wanted.name.text, vkblas_name_of(call->type, call->routine).text);
    pthread_mutex_lock(&lock);
    line *l = line_of(&wanted);
    l->calls++;
    l->device += turn->on_device != 0;
    *(turn->on_device ? &l->device_ms : &l->host_ms) += ms;
    if (turn->on_device && turn->host_ms >= 0) l->gain_ms += turn->host_ms - ms, l->gains = 1;
    pthread_mutex_unlock(&lock);
}

static int slower(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const double difference = y->host_ms + y->device_ms - x->host_ms - x->device_ms;
    return (difference > 0) - (difference < 0);
}

static void print_line(FILE *file, const line *l)
{
    char shape[64] = "", gain[32] = "-";
    for (int i = 0; i < 3; i++) {
        char *end = shape + strlen(shape);
        snprintf(end, sizeof shape - (size_t)(end - shape), "%s%llu", i > 0 ? "x" : "",
                 l->log[i] < 0 ? 0 : 1ull << l->log[i]);
    }
    if (l->gains) snprintf(gain, sizeof gain, "%.1f", l->gain_ms);
    fprintf(file, "%-8s %-20s %10llu %10llu %14.1f %14.1f %14s\n", l->name.text,
            strchr("ao", l->name.text[0]) ? "" : shape, (unsigned long long)l->calls, (unsigned long long)l->device,
            l->host_ms, l->device_ms, gain);
}

__attribute__((destructor)) static void report(void)
{
    if (to == NULL || used == 0 || pthread_mutex_trylock(&lock) != 0) return;
    FILE *file = strcmp(to, "-") == 0 ? stderr : fopen(to, "ae");
    line all = {.name = {"all"}, .log = {-1, -1, -1}};
    if (file == NULL) {
        vkblas_warn("cannot write %s", to);
        return;
    }
    const int count = used + (lines[used].calls > 0);
    qsort(lines, (size_t)count, sizeof lines[0], slower);
    fprintf(file, "%-8s %-20s %10s %10s %14s %14s %14s\n", "routine", "shape (about)", "calls", "on device", "host ms",
            "device ms", "gained ms");
    for (int i = 0; i < count; i++) {
        print_line(file, &lines[i]);
        all.calls += lines[i].calls, all.device += lines[i].device;
        all.host_ms += lines[i].host_ms, all.device_ms += lines[i].device_ms;
        all.gain_ms += lines[i].gain_ms, all.gains |= lines[i].gains;
    }
    print_line(file, &all);
    if (file != stderr) fclose(file);
}
