#include "cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_open_ms = 300; /* before it has been measured */

/* A class is tried once the host has computed it for so long in this process, or at once for a product that may take it
 * as long, or of 2581³ or larger. Products of 20 ms or more are tried earlier: the longer a product takes, the less a
 * device's latency matters. A process that ends earlier would gain little: opening the device takes a third of it. */
static const double worth_trying_ms = 1000, large_volume = 0x1p34, long_ms = 20, long_worth_trying_ms = 300;

/* Processor time of trials: at most this, and this part of the time of products on the host. */
static const double trials_ms = 500, trials_share = 0.02;

typedef struct place {
    int volume, extent;
} place;

static int logarithm(double x, int most)
{
    const int log = x >= 2 ? ilogb(x) : 0;
    return log < most ? log : most;
}

/* The speed of a host's BLAS grows no more from 2048³ on. */
static place place_of(vkblas_place where, vkblas_extents e)
{
    const int host = where == VKBLAS_HOST;
    const double least = fmin((double)e.m, fmin((double)e.n, (double)e.k));
    return (place){logarithm(vkblas_volume_of(e), host ? 33 : VKBLAS_VOLUMES - 1),
                   logarithm(least, host ? 10 : VKBLAS_EXTENTS - 1)};
}

double vkblas_cost_bytes(vkblas_type type, vkblas_extents e)
{
    const double m = (double)e.m, n = (double)e.n, k = (double)e.k;
    return (double)vkblas_bytes_in(type) * (m * k + k * n) + (double)vkblas_bytes_of(type) * m * n;
}

/* Elements of A, B and C: those of a product of the class, whose two larger extents are equal. */
static double elements(place p)
{
    const double least = exp2(p.extent), square = exp2(p.volume) / least;
    return square + 2 * sqrt(square) * least;
}

/* The nearest class that has been measured; NULL: none. */
static const vkblas_class *nearest(const vkblas_cost *cost, vkblas_place where, vkblas_type type, place p, place *found)
{
    const vkblas_class *best = &cost->classes[where][type][p.volume][p.extent];
    const int none = 4 * VKBLAS_VOLUMES;
    int least = best->count > 0 ? 0 : none;
    *found = p;
    for (int v = 0; v < VKBLAS_VOLUMES && least > 0; v++)
        for (int x = 0; x < VKBLAS_EXTENTS; x++) {
            const vkblas_class *one = &cost->classes[where][type][v][x];
            const int distance = abs(v - p.volume) + 2 * abs(x - p.extent);
            if (one->count > 0 && distance < least) best = one, least = distance, *found = (place){v, x};
        }
    return least < none ? best : NULL;
}

static double host_ms(const vkblas_cost *cost, vkblas_type type, vkblas_extents e)
{
    enum { FAR = 6 }; /* the speed of small products says nothing of large ones */
    const place p = place_of(VKBLAS_HOST, e);
    place near = {0};
    const vkblas_class *class = nearest(cost, VKBLAS_HOST, type, p, &near);
    return class != NULL && p.volume - near.volume <= FAR ? class->ns * 1e-6 * vkblas_volume_of(e) : -1;
}

/* At best, of a class that has not been measured; -1: none has. */
static double device_ms(const vkblas_cost *cost, vkblas_type type, vkblas_extents e)
{
    const place p = place_of(VKBLAS_DEVICE, e);
    place near = {0};
    const vkblas_class *class = nearest(cost, VKBLAS_TRIAL, type, p, &near);
    if (class == NULL) return -1;
    const double by_volume = class->ns * 1e-6 * vkblas_volume_of(e);
    return fmin(by_volume, by_volume * exp2(near.volume - p.volume) * elements(p) / elements(near));
}

/* The class has not been tried. */
static vkblas_choice choose_trial(const vkblas_cost *cost, vkblas_type type, vkblas_extents e, vkblas_turn *x)
{
    const place p = place_of(VKBLAS_HOST, e);
    const double spent = cost->classes[VKBLAS_HOST][type][p.volume][p.extent].all_ms;
    const int is_long = x->host_ms >= long_ms, may_try = cost->trials_ms < trials_ms + trials_share * cost->host_ms;
    const double least_ms = is_long ? long_worth_trying_ms : worth_trying_ms;
    const int is_worth = fmax(spent, x->host_ms) >= least_ms || vkblas_volume_of(e) >= large_volume;
    x->why = is_worth && may_try ? "the device is being tried"
             : is_worth          ? "trials have taken their share of the time"
             : is_long           ? "the device is tried after 0.3 s of such calls"
                                 : "the device is tried after 1 s of such calls";
    return is_worth && may_try ? VKBLAS_TO_TRY : VKBLAS_TO_HOST;
}

/* The device is faster, but not open. */
static vkblas_choice choose_opening(vkblas_cost *cost, vkblas_turn *x)
{
    const double open = cost->open_ms > 0 ? cost->open_ms : default_open_ms;
    if (x->host_ms > 2 * open + x->gpu_ms)
        return VKBLAS_TO_OPEN; /* what the first product allocates and builds takes time too */
    cost->wasted_ms += x->host_ms - x->gpu_ms;
    const int is_worth = cost->wasted_ms >= open / 10;
    x->why = is_worth ? "the device is being opened" : "opening the device would take longer than it has saved so far";
    return is_worth ? VKBLAS_TO_TRY : VKBLAS_TO_HOST;
}

/* The program's products show a class's speed from the second one on. */
static int is_tried(const vkblas_cost *cost, vkblas_type type, vkblas_extents e)
{
    const place p = place_of(VKBLAS_DEVICE, e);
    return cost->classes[VKBLAS_DEVICE][type][p.volume][p.extent].count > 1 ||
           cost->classes[VKBLAS_TRIAL][type][p.volume][p.extent].count > 0;
}

double vkblas_cost_enough_ms(const vkblas_cost *cost, vkblas_type type, vkblas_extents e)
{
    return is_tried(cost, type, e) ? INFINITY : fmax(host_ms(cost, type, e), 0) / 4;
}

vkblas_choice vkblas_cost_choose(vkblas_cost *cost, vkblas_type type, vkblas_extents e, vkblas_turn *turn)
{
    const place p = place_of(VKBLAS_DEVICE, e);
    const vkblas_class *real = &cost->classes[VKBLAS_DEVICE][type][p.volume][p.extent];
    const double host = host_ms(cost, type, e),
                 device = real->count > 1 ? real->ns * 1e-6 * vkblas_volume_of(e) : device_ms(cost, type, e) / 3;
    vkblas_turn unused = {0}, *x = turn != NULL ? turn : &unused;
    x->host_ms = host;
    x->gpu_ms = device < 0 ? -1 : device;
    x->why = "the device is faster";
    if (cost->never[type] || (host >= 0 && device > 0.9 * host)) {
        x->why = cost->never[type] ? "the device has no such products" : "the host is faster";
        return VKBLAS_TO_HOST;
    }
    if (!is_tried(cost, type, e)) return choose_trial(cost, type, e, x);
    if (host < 0) {
        x->why = "the host has not been timed";
        return VKBLAS_TO_HOST;
    }
    return cost->is_open ? VKBLAS_TO_DEVICE : choose_opening(cost, x);
}

void vkblas_cost_learn(vkblas_cost *cost, vkblas_place where, vkblas_type type, vkblas_extents e, double ms)
{
    const double volume = vkblas_volume_of(e);
    if (!(volume > 0) || !(ms >= 0)) return;
    const place p = place_of(where, e);
    vkblas_class *class = &cost->classes[where][type][p.volume][p.extent];
    const double ns = fmax(ms * 1e6 / volume, 1e-9), kept = class->ns, near = fmax(fmin(ns, 2 * kept), kept / 2);
    const int falls = where == VKBLAS_HOST || class->count < VKBLAS_SURE;
    if (class->count == 0 || (falls && ns < kept))
        class->ns = (float)ns;
    else if (class->count == VKBLAS_SURE)
        class->ns += (float)((near - kept) / (where == VKBLAS_HOST ? 32 : 8));
    if (class->count < VKBLAS_SURE) class->count++;
    class->all_ms += (float)ms;
    if (where == VKBLAS_HOST) cost->host_ms += ms;
}

vkblas_extents vkblas_cost_trial(vkblas_type type, vkblas_extents e)
{
    const double most = 512 << 20;
    while (vkblas_cost_bytes(type, e) > most) {
        int64_t *largest = e.m >= e.n && e.m >= e.k ? &e.m : e.n >= e.k ? &e.n : &e.k;
        *largest = (*largest + 1) / 2;
    }
    return e;
}

void vkblas_cost_forget_device(vkblas_cost *cost)
{
    for (int where = VKBLAS_DEVICE; where < VKBLAS_PLACES; where++)
        memset(cost->classes[where], 0, sizeof cost->classes[where]);
    memset(cost->never, 0, sizeof cost->never);
}

/* Integers alone, because the program may have set a locale with another decimal point: milliseconds and nanoseconds as
 * billionths. */
static const double unit = 1e-9;
static const long long most_stored = 1000000000000000;

static long long stored(double value)
{
    return llround(value / unit);
}

void vkblas_cost_write(const vkblas_cost *cost, const char *key, FILE *file)
{
    fprintf(file, "%s\nopen %lld\n", key, stored(cost->open_ms));
    for (int where = 0; where < VKBLAS_PLACES; where++)
        for (int type = 0; type < VKBLAS_TYPES; type++)
            for (int v = 0; v < VKBLAS_VOLUMES; v++)
                for (int x = 0; x < VKBLAS_EXTENTS; x++) {
                    const vkblas_class *class = &cost->classes[where][type][v][x];
                    if (class->count > 0)
                        fprintf(file, "class %d %d %d %d %lld %d\n", where, type, v, x, stored(class->ns),
                                class->count);
                }
}

static int within(int value, int count)
{
    return value >= 0 && value < count;
}

static void read_class(vkblas_cost *cost, const char *line)
{
    int where, type, v, x, count;
    long long ns;
    if (sscanf(line, "class %d %d %d %d %lld %d", &where, &type, &v, &x, &ns, &count) != 6 ||
        !within(where, VKBLAS_PLACES) || !within(type, VKBLAS_TYPES) || !within(v, VKBLAS_VOLUMES) ||
        !within(x, VKBLAS_EXTENTS) || ns <= 0 || ns > most_stored || count <= 0)
        return;
    cost->classes[where][type][v][x] =
        (vkblas_class){.ns = (float)((double)ns * unit), .count = count < VKBLAS_SURE ? count : VKBLAS_SURE};
}

int vkblas_cost_read(vkblas_cost *cost, const char *key, FILE *file)
{
    char line[1024];
    long long value;
    const size_t length = strlen(key);
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, key, length) != 0 || line[length] != '\n') return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "open %lld", &value) == 1 && value > 0 && value <= most_stored)
            cost->open_ms = (double)value * unit;
        read_class(cost, line);
    }
    return 1;
}
