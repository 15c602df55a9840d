/* The host's processor: energy by RAPL (Documentation/power/powercap/powercap.rst: µJ, running around at
 * max_energy_range_uj; since Linux 5.10 root alone reads it), clocks by cpufreq
 * (Documentation/admin-guide/pm/cpufreq.rst: kHz) or else /proc/cpuinfo. */
#include "system/sensors_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/order.h"

enum { PACKAGES = 16, CORES = 32 }; /* looked at, at most: reading a clock takes a core's time */

typedef struct package {
    char path[VKMM_SENSOR_PATH];
    double range, last; /* µJ */
} package;

typedef struct host {
    package packages[PACKAGES];
    int package_count, core_count;
    double joules; /* summed up so far */
    char cores[CORES][VKMM_SENSOR_PATH];
    char cpuinfo[VKMM_SENSOR_PATH];
} host;

static double joules(void *state)
{
    host *h = state;
    double sum = h->package_count > 0 ? 0 : NAN, now[PACKAGES];
    for (int i = 0; i < h->package_count; i++) {
        const package *p = &h->packages[i];
        now[i] = vkmm_sensor_number(p->path);
        double step = now[i] - p->last;
        sum += step >= 0 ? step : step + p->range; /* NAN where the range is not known */
    }
    if (isnan(sum))
        return NAN; /* of all packages or of none: what one counted while another was silent is in the next sum */
    for (int i = 0; i < h->package_count; i++) h->packages[i].last = now[i];
    h->joules += sum / 1e6;
    return h->joules;
}

/* Reads "cpu MHz : 2450.000" lines. */
static int read_cpuinfo(const char *path, double *clocks)
{
    char line[256];
    int count = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (count < CORES && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "cpu MHz", 7) != 0 || colon == NULL) continue;
        double clock = strtod(colon + 1, NULL);
        if (clock > 0 && isfinite(clock)) clocks[count++] = clock;
    }
    fclose(file);
    return count;
}

/* The median over the cores. */
static double mhz(void *state)
{
    const host *h = state;
    double clocks[CORES];
    int count = 0;
    for (int i = 0; i < h->core_count; i++) {
        double clock = vkmm_sensor_number(h->cores[i]) / 1e3;
        if (clock > 0) clocks[count++] = clock;
    }
    if (count == 0) count = read_cpuinfo(h->cpuinfo, clocks);
    if (count == 0) return NAN;
    vkmm_sort(clocks, (uint32_t)count);
    return vkmm_percentile(clocks, (uint32_t)count, 0.5);
}

/* "intel-rapl:0" is a package (AMD's are called so too), "intel-rapl:0:0" a part of one; one named "psys" contains
 * the packages. */
static int take_package(void *user, const char *folder, const char *name)
{
    host *h = user;
    package *p = &h->packages[h->package_count];
    char path[VKMM_SENSOR_PATH], line[32];
    if (strchr(strchr(name, ':') + 1, ':') != NULL) return 0;
    vkmm_sensor_path(path, "%s/%s/name", folder, name);
    if (!vkmm_file_text(path, line, sizeof line) || strncmp(line, "package", 7) != 0) return 0;
    vkmm_sensor_path(path, "%s/%s/max_energy_range_uj", folder, name);
    p->range = vkmm_sensor_number(path);
    vkmm_sensor_path(p->path, "%s/%s/energy_uj", folder, name);
    p->last = vkmm_sensor_number(p->path);
    if (!isnan(p->last)) h->package_count++;
    return h->package_count == PACKAGES;
}

static int take_core(void *user, const char *folder, const char *name)
{
    host *h = user;
    char *path = h->cores[h->core_count];
    vkmm_sensor_path(path, "%s/%s/cpufreq/scaling_cur_freq", folder, name);
    if (!isnan(vkmm_sensor_number(path))) h->core_count++;
    return h->core_count == CORES;
}

static void close_host(void *state)
{
    vkmm_free(state);
}

int vkmm_sensor_host(const char *root, vkmm_sensor_source *source)
{
    char folder[VKMM_SENSOR_PATH];
    host *h = vkmm_alloc(1, sizeof *h);
    if (h == NULL) return 0;
    vkmm_sensor_path(folder, "%s/sys/class/powercap", root);
    vkmm_sensor_entries(folder, "intel-rapl:", take_package, h);
    vkmm_sensor_path(folder, "%s/sys/devices/system/cpu", root);
    vkmm_sensor_entries(folder, "cpu", take_core, h);
    vkmm_sensor_path(h->cpuinfo, "%s/proc/cpuinfo", root);
    if (h->package_count == 0 && isnan(mhz(h))) {
        vkmm_free(h);
        return 0;
    }
    *source = (vkmm_sensor_source){"", h, joules, NULL, mhz, NULL, close_host};
    snprintf(source->name, sizeof source->name, "%s",
             h->package_count > 0 ? "RAPL"
             : h->core_count > 0  ? "cpufreq"
                                  : "cpuinfo");
    return 1;
}
