/* GPUs by the files that the Linux kernel documents: Documentation/hwmon/sysfs-interface.rst (power in µW, energy in
 * µJ, frequency in Hz), Documentation/gpu/amdgpu/thermal.rst, and
 * Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -intel-xe-hwmon. */
#include "system/sensors_source.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/folder.h"

typedef struct gpu {
    char device[VKMM_SENSOR_PATH], hwmon[VKMM_SENSOR_PATH], card[VKMM_SENSOR_PATH];
    char energy[VKMM_SENSOR_PATH], power[VKMM_SENSOR_PATH], clock[VKMM_SENSOR_PATH];
    double clock_unit; /* MHz */
    char reasons[VKMM_SENSOR_PATH];
} gpu;

static double joules(void *state)
{
    return vkmm_sensor_number(((const gpu *)state)->energy) / 1e6;
}

static double watts(void *state)
{
    return vkmm_sensor_number(((const gpu *)state)->power) / 1e6;
}

static double mhz(void *state)
{
    const gpu *g = state;
    double clock = vkmm_sensor_number(g->clock) * g->clock_unit;
    return clock > 0 ? clock : NAN; /* 0: asleep */
}

/* i915 and xe have a file for each reason, with 1 while it holds. */
static unsigned limited(void *state)
{
    static const struct {
        const char *name;
        unsigned why;
    } reasons[] = {{"pl1", VKMM_LIMITED_POWER},
                   {"pl2", VKMM_LIMITED_POWER},
                   {"pl4", VKMM_LIMITED_POWER},
                   {"thermal", VKMM_LIMITED_HEAT},
                   {"prochot", VKMM_LIMITED_HEAT}};
    const gpu *g = state;
    unsigned why = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && g->reasons[0] != '\0'; i++) {
        char path[VKMM_SENSOR_PATH];
        vkmm_sensor_path(path, "%s%s", g->reasons, reasons[i].name);
        if (vkmm_sensor_number(path) > 0) why |= reasons[i].why;
    }
    return why;
}

static int take_entry(void *user, const char *folder, const char *name)
{
    vkmm_sensor_path(user, "%s/%s", folder, name);
    return 1;
}

/* The first of these files of a folder that holds a number. */
static int choose(char path[VKMM_SENSOR_PATH], const char *folder, const char *const *names)
{
    for (; folder[0] != '\0' && *names != NULL; names++) {
        vkmm_sensor_path(path, "%s/%s", folder, *names);
        if (!isnan(vkmm_sensor_number(path))) return 1;
    }
    path[0] = '\0';
    return 0;
}

static void choose_clock(gpu *g)
{
    static const char *const of_hwmon[] = {"freq1_input", NULL},
                             *const of_card[] = {"gt/gt0/rps_act_freq_mhz", "gt_act_freq_mhz", NULL},
                             *const of_device[] = {"tile0/gt0/freq0/act_freq", NULL};
    g->clock_unit = 1;
    if (choose(g->clock, g->hwmon, of_hwmon))
        g->clock_unit = 1e-6;
    else if (choose(g->clock, g->card, of_card))
        vkmm_sensor_path(g->reasons, "%s/gt/gt0/throttle_reason_", g->card);
    else if (choose(g->clock, g->device, of_device))
        vkmm_sensor_path(g->reasons, "%s/tile0/gt0/freq0/throttle/reason_", g->device);
}

static void name_driver(const gpu *g, char *name, size_t room)
{
    char path[VKMM_SENSOR_PATH];
    vkmm_sensor_path(path, "%s/driver", g->device);
    if (vkmm_link_name(path, name, room)) return;
    vkmm_sensor_path(path, "%s/name", g->hwmon);
    if (g->hwmon[0] == '\0' || !vkmm_file_text(path, name, room)) snprintf(name, room, "sysfs");
}

static void close_gpu(void *state)
{
    vkmm_free(state);
}

int vkmm_sensor_sysfs(const char *root, const uint32_t pci[4], vkmm_sensor_source *source)
{
    static const char *const energies[] = {"energy1_input", NULL}, *const powers[] = {"power1_average", "power1_input",
                                                                                      NULL};
    char folder[VKMM_SENSOR_PATH];
    gpu *g = vkmm_alloc(1, sizeof *g);
    if (g == NULL) return 0;
    vkmm_sensor_path(g->device, "%s/sys/bus/pci/devices/%04x:%02x:%02x.%x", root, pci[0], pci[1], pci[2], pci[3]);
    vkmm_sensor_path(folder, "%s/hwmon", g->device);
    vkmm_sensor_entries(folder, "hwmon", take_entry, g->hwmon);
    vkmm_sensor_path(folder, "%s/drm", g->device);
    vkmm_sensor_entries(folder, "card", take_entry, g->card);
    choose_clock(g);
    int has_energy = choose(g->energy, g->hwmon, energies), has_power = choose(g->power, g->hwmon, powers);
    if (!has_energy && !has_power && g->clock[0] == '\0') {
        vkmm_free(g);
        return 0;
    }
    *source = (vkmm_sensor_source){"", g, joules, watts, mhz, limited, close_gpu};
    name_driver(g, source->name, sizeof source->name);
    return 1;
}
