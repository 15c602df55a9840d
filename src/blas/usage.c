#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkblas.h"

/* Calls of one routine and one class of shape: the same extents if rounded to powers of two. */
typedef struct line {
    vkblas_name name;
    int log[3]; /* of m, n, k, rounded; -1: 0 */
    int64_t least[3], most[3];
    uint64_t calls, device; /* device: on it */
    double host_ms, device_ms, gain_ms;
    int gains; /* what the host would have taken is known */
} line;

enum { LINES = 256, REASONS = 16 }; /* the last line has all other shapes */
static line lines[LINES];
static int used;

/* Why calls were the host's; the last one has all other reasons. */
static struct reason {
    const char *why;
    double ms;
} reasons[REASONS];
static int top = LINES;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *to;
static int speaks;

static void read_environment(void)
{
    const char *verbose = secure_getenv("VKBLAS_VERBOSE"), *report = secure_getenv("VKBLAS_REPORT"),
               *rows = secure_getenv("VKBLAS_TOP");
    const int64_t most = vkblas_whole(rows);
    speaks = verbose != NULL && strcmp(verbose, "1") == 0;
    if (verbose != NULL && !speaks && strcmp(verbose, "0") != 0)
        vkblas_warn("invalid VKBLAS_VERBOSE='%.100s': use 0 or 1; calls are not reported, as with 0", verbose);
    if (report != NULL && *report) to = strdup(report);
    if (rows != NULL && *rows && most <= 0)
        vkblas_warn("invalid VKBLAS_TOP='%.100s': use a whole number, 1 or larger; all rows are shown", rows);
    if (most > 0 && most < top) top = (int)most;
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
    if (used == LINES - 1) return &lines[used];
    lines[used] = *wanted;
    return &lines[used++];
}

static void add_reason(const char *why, double ms)
{
    struct reason *r = reasons;
    while (r->why != NULL && strcmp(r->why, why) != 0 && r < &reasons[REASONS - 1]) r++;
    r->why = why;
    r->ms += ms;
}

static void add_to(line *sum, const line *l)
{
    sum->calls += l->calls, sum->device += l->device;
    sum->host_ms += l->host_ms, sum->device_ms += l->device_ms;
    sum->gain_ms += l->gain_ms, sum->gains |= l->gains;
}

void vkblas_note(const vkblas_call *call, const vkblas_turn *turn, double ms)
{
    const vkblas_extents e = vkblas_extents_of(call);
    if (speaks) speak(call, turn, ms);
    if (to == NULL) return;
    const int64_t extents[3] = {e.m, e.n, e.k};
    line wanted = {.log = {rounded(e.m), rounded(e.n), rounded(e.k)}, .least = {e.m, e.n, e.k}};
    strcpy(wanted.name.text, vkblas_name_of(call->type, call->routine).text);
    pthread_mutex_lock(&lock);
    line *l = line_of(&wanted);
    for (int i = 0; i < 3; i++) {
        if (extents[i] < l->least[i]) l->least[i] = extents[i];
        if (extents[i] > l->most[i]) l->most[i] = extents[i];
    }
    if (!turn->on_device) add_reason(turn->why, ms);
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

/* "600x600x600", or of several sizes "600-700x600x600". */
static void name_shape(const line *l, char shape[128])
{
    size_t length = 0;
    shape[0] = 0;
    if (strchr("ao", l->name.text[0])) return; /* "all", "others" */
    for (int i = 0; i < 3; i++) {
        length += (size_t)snprintf(shape + length, 128 - length, "%s%lld", i > 0 ? "x" : "", (long long)l->least[i]);
        if (l->most[i] > l->least[i])
            length += (size_t)snprintf(shape + length, 128 - length, "-%lld", (long long)l->most[i]);
    }
}

static void print_line(FILE *file, const line *l, int width)
{
    char shape[128], gain[32] = "-";
    name_shape(l, shape);
    if (l->gains) snprintf(gain, sizeof gain, "%.1f", l->gain_ms);
    fprintf(file, "%-8s %-*s %10llu %10llu %14.1f %14.1f %14s\n", l->name.text, width, shape,
            (unsigned long long)l->calls, (unsigned long long)l->device, l->host_ms, l->device_ms, gain);
}

/* Not "the device is tried after…", "… being tried", which come before what decides; nor what hardly took time. */
static int decides(const struct reason *r, const line *all)
{
    static const char begin[] = "the device is ";
    return strncmp(r->why, begin, sizeof begin - 1) != 0 && r->ms >= all->host_ms / 100;
}

/* One sentence: what the device computed and saved; or why it computed nothing, by what took the host the longest. */
static void print_verdict(FILE *file, const line *all)
{
    const struct reason *main = &reasons[0];
    char share[40] = "";
    for (const struct reason *r = main + 1; all->device == 0 && r < &reasons[REASONS] && r->why != NULL; r++)
        if (decides(r, all) != decides(main, all) ? decides(r, all) : r->ms > main->ms) main = r;
    if (reasons[1].why != NULL)
        snprintf(share, sizeof share, " (for %.0f %% of the host's time)", 100 * main->ms / all->host_ms);
    if (all->device == 0)
        fprintf(file, "vkblas: nothing ran on the device: %s%s\n",
                strcmp(main->why, "no device") == 0 ? vkblas_device_reason() : main->why, share);
    else if (all->gains)
        fprintf(file, "vkblas: %llu of %llu calls ran on the device, which %s about %.1f s\n",
                (unsigned long long)all->device, (unsigned long long)all->calls, all->gain_ms < 0 ? "lost" : "saved",
                fabs(all->gain_ms) / 1e3);
    else
        fprintf(file, "vkblas: %llu of %llu calls ran on the device; what the host would have taken is not known\n",
                (unsigned long long)all->device, (unsigned long long)all->calls);
}

__attribute__((destructor)) static void report(void)
{
    if (to == NULL || used == 0 || pthread_mutex_trylock(&lock) != 0) return;
    FILE *file = strcmp(to, "-") == 0 ? stderr : fopen(to, "ae");
    line all = {.name = {"all"}}, others = lines[used];
    const int shown = used < top ? used : top;
    int width = 20;
    char shape[128];
    if (file == NULL) {
        vkblas_warn("cannot write %s", to);
        return;
    }
    strcpy(others.name.text, "others");
    qsort(lines, (size_t)used, sizeof lines[0], slower);
    for (int i = 0; i < used; i++) {
        add_to(i < shown ? &all : &others, &lines[i]);
        name_shape(&lines[i], shape);
        if (i < shown && (int)strlen(shape) > width) width = (int)strlen(shape);
    }
    add_to(&all, &others);
    print_verdict(file, &all);
    fprintf(file, "%-8s %-*s %10s %10s %14s %14s %14s\n", "routine", width, "MxNxK", "calls", "on device", "host ms",
            "device ms", "gained ms");
    for (int i = 0; i < shown; i++) print_line(file, &lines[i], width);
    if (others.calls > 0) print_line(file, &others, width);
    print_line(file, &all, width);
    if (file != stderr) fclose(file);
}
