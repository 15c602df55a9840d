#include "cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Before they have been measured. */
static const double default_open_ms = 300, default_attempt_ms = 50;

typedef struct place {
    int volume, extent;
} place;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int logarithm(double x, int most)
{
    const int log = x >= 2 ? ilogb(x) : 0;
    return log < most ? log : most;
}

/* The speed of a host's BLAS grows no more from 2048³ on. */
static place place_of(int where, vkblas_extents e)
{
    const int host = where == VKBLAS_HOST;
    const double least = smaller((double)e.m, smaller((double)e.n, (double)e.k));
    return (place){logarithm(vkblas_volume_of(e), host ? 33 : VKBLAS_VOLUMES - 1),
                   logarithm(least, host ? 10 : VKBLAS_EXTENTS - 1)};
}

/* Elements of A, B and C: those of a product of the class, whose two larger extents are equal. */
static double elements(place p)
{
    const double least = exp2(p.extent), square = exp2(p.volume) / least;
    return square + 2 * sqrt(square) * least;
}

/* The nearest class that has been measured at least so often; NULL: none. */
static const vkblas_cell *nearest(const vkblas_cost *cost, int where, vkblas_type type, place p, int often,
                                  place *found)
{
    const vkblas_cell *best = NULL;
    int least = 4 * VKBLAS_VOLUMES;
    *found = p;
    if (cost->known[where][type] == 0) return NULL;
    if (cost->cells[where][type][p.volume][p.extent].count >= often)
        return &cost->cells[where][type][p.volume][p.extent];
    for (int v = 0; v < VKBLAS_VOLUMES; v++)
        for (int x = 0; x < VKBLAS_EXTENTS; x++) {
            const vkblas_cell *cell = &cost->cells[where][type][v][x];
            const int distance = abs(v - p.volume) + 2 * abs(x - p.extent);
            if (cell->count < often || distance >= least) continue;
            best = cell, least = distance, *found = (place){v, x};
        }
    return best;
}

static double host_ms(const vkblas_cost *cost, vkblas_type type, vkblas_extents e)
{
    enum { FAR = 6 }; /* the speed of small products says nothing of large ones */
    const place p = place_of(VKBLAS_HOST, e);
    place near = {0};
    const vkblas_cell *cell = nearest(cost, VKBLAS_HOST, type, p, 1, &near);
    return cell != NULL && p.volume - near.volume <= FAR ? cell->ns * 1e-6 * vkblas_volume_of(e) : -1;
}

enum { FIRST_VOLUME = 27, FIRST_EXTENT = 9, MORE = 6 }; /* of 512³, and from there to 2048³ */

int64_t vkblas_cost_probe_edge(const vkblas_cost *cost, vkblas_type type)
{
    return cost->cells[VKBLAS_DEVICE][type][FIRST_VOLUME][FIRST_EXTENT].count > 0 ? 2048 : 512;
}

vkblas_choice vkblas_cost_choose(const vkblas_cost *cost, vkblas_type type, vkblas_extents e, double run_ms,
                                 vkblas_expected *expected)
{
    const double volume = vkblas_volume_of(e), host = host_ms(cost, type, e);
    const double open = cost->opened ? 0 : cost->open_ms > 0 ? cost->open_ms : default_open_ms;
    const double attempt = cost->attempt_ms > 0 ? cost->attempt_ms : default_attempt_ms;
    const place p = place_of(VKBLAS_DEVICE, e);
    place near = {0};
    const vkblas_cell *cell = nearest(cost, VKBLAS_DEVICE, type, p, 2, &near);
    const double own = VKBLAS_RISK * (run_ms + larger(host, 0)) - cost->lost_ms;
    const double all = own + VKBLAS_RISK * cost->before_ms - cost->before_lost_ms;
    const double most = 2 * host < open + attempt ? own : larger(own, all);
    vkblas_choice choice = VKBLAS_TO_HOST;
    double best = -1;
    if (host > 0 && cell == NULL) {
        if (open + attempt <= larger(most, host)) choice = VKBLAS_TO_PROBE;
    } else if (host > 0) {
        const double by_volume = cell->ns * 1e-6 * volume;
        const double by_bytes = by_volume * exp2(near.volume - p.volume) * elements(p) / elements(near);
        const double worst = larger(by_volume, by_bytes);
        const int same = near.volume == p.volume && near.extent == p.extent;
        /* What the class took at the first time, with all that was prepared then, says little of the next. */
        const vkblas_cell *once = &cost->cells[VKBLAS_DEVICE][type][p.volume][p.extent];
        const double first = once->count > 0 ? 0 : attempt;
        best = smaller(by_volume, by_bytes);
        if (worst < 0.95 * host && open + first + worst - host <= larger(most, 0))
            choice = VKBLAS_TO_DEVICE;
        else if (!same && 2 * best < host &&
                 open + first + larger(larger(worst, once->ns * 1e-6 * volume) - host, 0) <= most)
            choice = VKBLAS_TO_TRY;
        else if (near.volume == FIRST_VOLUME && p.volume >= near.volume + MORE && 2 * best < host &&
                 open + attempt + 3 * cell->ns * 1e-6 * exp2(FIRST_VOLUME + MORE) <= larger(most, host))
            choice = VKBLAS_TO_PROBE;
    }
    if (expected != NULL) *expected = (vkblas_expected){host, best};
    return choice;
}

void vkblas_cost_learn(vkblas_cost *cost, int where, vkblas_type type, vkblas_extents e, double ms)
{
    const double volume = vkblas_volume_of(e), host = host_ms(cost, type, e);
    if (!(volume > 0) || !(ms >= 0)) return;
    const place p = place_of(where, e);
    vkblas_cell *cell = &cost->cells[where][type][p.volume][p.extent];
    const double ns = larger(ms * 1e6 / volume, 1e-9);
    cell->ns = (float)(cell->count == 0 || ns < cell->ns ? ns : cell->ns + (ns - cell->ns) / 4);
    if (cell->count < 2) cell->count++;
    cost->known[where][type] = 1;
    if (where == VKBLAS_DEVICE && host > 0) cost->lost_ms = larger(cost->lost_ms + ms - host, 0);
}

void vkblas_cost_end(vkblas_cost *cost, double run_ms)
{
    const double lately = 1e5;
    cost->before_ms += run_ms;
    cost->before_lost_ms += cost->lost_ms;
    cost->lost_ms = 0;
    if (cost->before_ms <= lately) return;
    cost->before_lost_ms *= lately / cost->before_ms;
    cost->before_ms = lately;
}

void vkblas_cost_never(vkblas_cost *cost, vkblas_type type)
{
    cost->cells[VKBLAS_DEVICE][type][0][0] = (vkblas_cell){1e5F, 2}; /* as slow as can be */
    cost->known[VKBLAS_DEVICE][type] = 1;
}

void vkblas_cost_forget_device(vkblas_cost *cost)
{
    memset(cost->cells[VKBLAS_DEVICE], 0, sizeof cost->cells[0]);
    memset(cost->known[VKBLAS_DEVICE], 0, sizeof cost->known[0]);
}

/* Integers alone, because the program may have set a locale with another decimal point: milliseconds and nanoseconds as
 * billionths. */
static const double unit = 1e-9;

static long long stored(double value)
{
    return llround(value / unit); /* a cut one could become 0, which is not read */
}

void vkblas_cost_write(const vkblas_cost *cost, const char *key, FILE *file)
{
    fprintf(file, "%s\nopen %lld\nattempt %lld\nran %lld\nlost %lld\n", key, stored(cost->open_ms),
            stored(cost->attempt_ms), stored(cost->before_ms), stored(cost->before_lost_ms));
    for (int where = 0; where < 2; where++)
        for (int type = 0; type < VKBLAS_TYPES; type++)
            for (int v = 0; v < VKBLAS_VOLUMES; v++)
                for (int x = 0; x < VKBLAS_EXTENTS; x++) {
                    const vkblas_cell *cell = &cost->cells[where][type][v][x];
                    if (cell->count > 0)
                        fprintf(file, "cell %d %d %d %d %lld %d\n", where, type, v, x, stored(cell->ns), cell->count);
                }
}

static int within(int value, int count)
{
    return value >= 0 && value < count;
}

int vkblas_cost_read(vkblas_cost *cost, const char *key, FILE *file)
{
    const long long most = 1000000000000000; /* a million milliseconds */
    const struct {
        const char *format;
        double *ms;
    } times[] = {{"open %lld", &cost->open_ms},
                 {"attempt %lld", &cost->attempt_ms},
                 {"ran %lld", &cost->before_ms},
                 {"lost %lld", &cost->before_lost_ms}};
    char line[1024];
    const size_t length = strlen(key);
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, key, length) != 0 || line[length] != '\n') return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        int where, type, v, x, count;
        long long value;
        for (int i = 0; i < 4; i++)
            if (sscanf(line, times[i].format, &value) == 1 && value > 0 && value <= most)
                *times[i].ms = (double)value * unit;
        if (sscanf(line, "cell %d %d %d %d %lld %d", &where, &type, &v, &x, &value, &count) == 6 && within(where, 2) &&
            within(type, VKBLAS_TYPES) && within(v, VKBLAS_VOLUMES) && within(x, VKBLAS_EXTENTS) && value > 0 &&
            value <= most && count > 0)
            cost->cells[where][type][v][x] = (vkblas_cell){(float)((double)value * unit), count < 2 ? 1 : 2},
            cost->known[where][type] = 1;
    }
    return 1;
}
