/* Sensors in files of the Linux kernel.
 *
 * GPUs: Documentation/hwmon/sysfs-interface.rst (power in µW, energy in µJ, frequency in Hz),
 * Documentation/gpu/amdgpu/thermal.rst, and Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and
 * -intel-xe-hwmon.
 *
 * The host's processor: energy by RAPL (Documentation/power/powercap/powercap.rst: µJ, wrapping around at
 * max_energy_range_uj; since Linux 5.10 only root can read it), clocks by cpufreq
 * (Documentation/admin-guide/pm/cpufreq.rst: kHz) or else /proc/cpuinfo, time by /proc/stat (proc(5)). */
#include "system/sensors_source.h"

#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/folder.h"
#include "base/order.h"

enum {
    PATH = 320,
    LINE = 512,
    PACKAGES = 16,
    CORES = 32 /* clocks read at most: each read takes time */
};

typedef struct counter {
    char path[PATH];
    double range, last; /* µJ; a range that is not known is NAN */
} counter;

typedef struct files {
    counter energies[PACKAGES]; /* their sum counts */
    int energy_count;
    double joules; /* summed up so far */
    char power[PATH];
    char clocks[CORES][PATH]; /* their median is used; without any, cpuinfo */
    int clock_count;
    double clock_unit; /* MHz */
    char cpuinfo[PATH], stat[PATH];
} files;

/* A path that is too long becomes "", which does not exist. */
static VKMM_PRINTF(2, 3) void print(char path[PATH], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(path, PATH, format, arguments) >= PATH) path[0] = '\0';
    va_end(arguments);
}

/* The number that a small file holds, with nothing but white space after it; NAN otherwise, and for a negative one. */
static double number(const char *path)
{
    char line[64], *end = line;
    if (!vkmm_file_text(path, line, sizeof line) || line[0] < '0' || line[0] > '9') return NAN;
    double value = strtod(line, &end);
    return *end == '\0' && isfinite(value) ? value : NAN;
}

static double joules(void *state)
{
    files *f = state;
    double sum = f->energy_count > 0 ? 0 : NAN, now[PACKAGES];
    for (int i = 0; i < f->energy_count; i++) {
        const counter *c = &f->energies[i];
        now[i] = number(c->path);
        double step = now[i] - c->last;
        sum += step >= 0 || isnan(c->range) ? step : step + c->range;
    }
    if (isnan(sum))
        return NAN; /* of all packages or of none: what one counted while another was silent is in the next sum */
    for (int i = 0; i < f->energy_count; i++) f->energies[i].last = now[i];
    f->joules += sum / 1e6;
    return f->joules;
}

/* The value of the next line "key : value" in a file like /proc/cpuinfo; NULL: there is none. */
static const char *next_value(FILE *file, const char *key, char line[LINE])
{
    while (fgets(line, LINE, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL) continue;
        colon[strcspn(colon, "\n")] = '\0';
        return colon + 1 + strspn(colon + 1, " ");
    }
    return NULL;
}

/* Reads "cpu MHz : 2450.000" lines. */
static int read_cpuinfo(const char *path, double *clocks)
{
    char line[LINE];
    const char *value;
    int count = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (count < CORES && (value = next_value(file, "cpu MHz", line)) != NULL) {
        const double clock = strtod(value, NULL);
        if (clock > 0 && isfinite(clock)) clocks[count++] = clock;
    }
    fclose(file);
    return count;
}

static double mhz(void *state)
{
    const files *f = state;
    double clocks[CORES];
    int count = 0;
    for (int i = 0; i < f->clock_count; i++) {
        double clock = number(f->clocks[i]) * f->clock_unit;
        if (clock > 0) clocks[count++] = clock; /* 0: asleep */
    }
    if (count == 0) count = read_cpuinfo(f->cpuinfo, clocks);
    if (count == 0) return NAN;
    vkmm_sort(clocks, (uint32_t)count);
    return vkmm_percentile(clocks, (uint32_t)count, 0.5);
}

/* Busy time of the whole machine minus this process's own. Idle and iowait are not busy, user and nice include guests,
 * and steal is the time of other virtual machines. */
static double others(void *state)
{
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
    struct rusage own;
    FILE *file = fopen(((const files *)state)->stat, "re");
    const int count = file == NULL ? 0
                                   : fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                                            &idle, &iowait, &irq, &softirq, &steal);
    if (file != NULL) fclose(file);
    if (count != 8 || getrusage(RUSAGE_SELF, &own) != 0) return NAN;
    return (double)(user + nice + system + irq + softirq + steal) / (double)sysconf(_SC_CLK_TCK) -
           (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) -
           (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) * 1e-6;
}

static double watts(void *state)
{
    return number(((const files *)state)->power) / 1e6;
}

/* The paths that a pattern below a folder has; freed by globfree. */
static glob_t list(const char *folder, const char *pattern)
{
    char path[PATH];
    glob_t found;
    print(path, "%s/%s", folder, pattern);
    if (glob(path, 0, NULL, &found) != 0) found = (glob_t){0};
    return found;
}

/* The first `room` files of a pattern that hold a number: how many there are. */
static int find(const char *folder, const char *pattern, char (*paths)[PATH], int room)
{
    glob_t found = list(folder, pattern);
    int count = 0;
    for (size_t i = 0; i < found.gl_pathc && count < room; i++) {
        print(paths[count], "%s", found.gl_pathv[i]);
        if (!isnan(number(paths[count]))) count++;
    }
    globfree(&found);
    if (count < room) paths[count][0] = '\0';
    return count;
}

static void add_counter(files *f, const char *path, double range)
{
    counter *c = &f->energies[f->energy_count];
    print(c->path, "%s", path);
    c->range = range;
    c->last = number(path);
    if (!isnan(c->last)) f->energy_count++;
}

/* "intel-rapl:0" is a package (AMD's are called so too), "intel-rapl:0:0" a part of one; one named "psys" contains
 * the packages. */
static void find_packages(files *f, const char *root)
{
    glob_t found = list(root, "sys/class/powercap/intel-rapl:[0-9]*");
    for (size_t i = 0; i < found.gl_pathc && f->energy_count < PACKAGES; i++) {
        char path[PATH], name[32];
        if (strchr(strstr(found.gl_pathv[i], "rapl:") + 5, ':') != NULL) continue;
        print(path, "%s/name", found.gl_pathv[i]);
        if (!vkmm_file_text(path, name, sizeof name) || strncmp(name, "package", 7) != 0) continue;
        print(path, "%s/max_energy_range_uj", found.gl_pathv[i]);
        const double range = number(path);
        print(path, "%s/energy_uj", found.gl_pathv[i]);
        add_counter(f, path, range);
    }
    globfree(&found);
}

int cli_sensor_host(const char *root, cli_sensor_source *source)
{
    files *f = vkmm_alloc(1, sizeof *f);
    if (f == NULL) return 0;
    find_packages(f, root);
    f->clock_count = find(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq", f->clocks, CORES);
    f->clock_unit = 1e-3;
    print(f->cpuinfo, "%s/proc/cpuinfo", root);
    print(f->stat, "%s/proc/stat", root);
    const int has_clock = !isnan(mhz(f));
    if (f->energy_count == 0 && !has_clock && isnan(others(f))) {
        vkmm_free(f);
        return 0;
    }
    *source = (cli_sensor_source){"", f, joules, NULL, mhz, NULL, vkmm_free, others};
    VKMM_PUT(source->name, "%s",
             f->energy_count > 0  ? "RAPL"
             : f->clock_count > 0 ? "cpufreq"
             : has_clock          ? "cpuinfo"
                                  : "stat");
    return 1;
}

static void find_clock(files *f, const char *device)
{
    static const struct {
        const char *clock;
        double unit;
    } places[] = {{"hwmon/hwmon[0-9]*/freq1_input", 1e-6},
                  {"drm/card[0-9]*/gt/gt0/rps_act_freq_mhz", 1},
                  {"drm/card[0-9]*/gt_act_freq_mhz", 1},
                  {"tile0/gt0/freq0/act_freq", 1}};
    for (size_t i = 0; i < VKMM_COUNT(places) && f->clock_count == 0; i++) {
        f->clock_count = find(device, places[i].clock, f->clocks, 1);
        f->clock_unit = places[i].unit;
    }
}

static void name_driver(const char *device, char *name, size_t room)
{
    char path[PATH];
    glob_t found;
    print(path, "%s/driver", device);
    if (vkmm_link_name(path, name, room)) return;
    found = list(device, "hwmon/hwmon[0-9]*/name");
    if (found.gl_pathc == 0 || !vkmm_file_text(found.gl_pathv[0], name, room)) snprintf(name, room, "sysfs");
    globfree(&found);
}

int cli_sensor_gpu(const char *root, const uint32_t pci[4], cli_sensor_source *source)
{
    char device[PATH], energy[1][PATH];
    files *f = vkmm_alloc(1, sizeof *f);
    if (f == NULL) return 0;
    print(device, "%s/sys/bus/pci/devices/%04x:%02x:%02x.%x", root, pci[0], pci[1], pci[2], pci[3]);
    if (find(device, "hwmon/hwmon[0-9]*/energy1_input", energy, 1)) add_counter(f, energy[0], NAN);
    if (!find(device, "hwmon/hwmon[0-9]*/power1_average", &f->power, 1))
        find(device, "hwmon/hwmon[0-9]*/power1_input", &f->power, 1);
    find_clock(f, device);
    if (f->energy_count == 0 && f->power[0] == '\0' && f->clock_count == 0) {
        vkmm_free(f);
        return 0;
    }
    *source = (cli_sensor_source){"", f, joules, watts, mhz, NULL, vkmm_free};
    name_driver(device, source->name, sizeof source->name);
    return 1;
}

const char *cli_power_source(const char *root)
{
    glob_t found = list(root, "sys/class/power_supply/*");
    int mains = 0, discharging = 0, charged = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char path[PATH], type[32], text[32];
        print(path, "%s/scope", found.gl_pathv[i]);
        if (vkmm_file_text(path, text, sizeof text) && strcmp(text, "Device") == 0) continue; /* a mouse's */
        print(path, "%s/type", found.gl_pathv[i]);
        vkmm_file_text(path, type, sizeof type);
        print(path, "%s/%s", found.gl_pathv[i], strcmp(type, "Battery") == 0 ? "status" : "online");
        if (strcmp(type, "Battery") == 0 && vkmm_file_text(path, text, sizeof text)) {
            discharging |= strcmp(text, "Discharging") == 0;
            charged |= strcmp(text, "Charging") == 0 || strcmp(text, "Full") == 0 || strcmp(text, "Not charging") == 0;
        } else if (strcmp(type, "Mains") == 0 || strncmp(type, "USB", 3) == 0) {
            mains |= number(path) > 0;
        }
    }
    globfree(&found);
    /* Plugged in counts as mains, even if a weak charger lets the battery run down. */
    if (mains) return "mains";
    if (discharging) return "battery";
    return charged ? "mains" : "";
}

void cli_processor_name(char *name, size_t size)
{
    char line[LINE];
    FILE *file = fopen("/proc/cpuinfo", "re");
    const char *value = file != NULL ? next_value(file, "model name", line) : NULL;
    snprintf(name, size, "%s", value != NULL ? value : "host processor");
    if (file != NULL) fclose(file);
}
