/* Sensors: trees of files as the kernel shows them, and a management library of our own. Argument: that library. */
#include "folder.h"

#include <errno.h>
#include <pthread.h>

#include "base/dynlib.h"
#include "system/sensors_source.h"
#include "fake_nvml.h"
#include "test.h"

static const char *library;
static const uint32_t card[4] = {0, 0xc1, 0, 0};

#define GPU "/sys/bus/pci/devices/0000:c1:00.0"

static void about(double figure, double wanted, double within)
{
    if (!(fabs(figure - wanted) <= within)) fail_msg("%g instead of %g", figure, wanted);
}

/* Time is the test's, which takes the looks itself: meson.build has --wrap for both. */
double __real_vkmm_now_ms(void);
double __wrap_vkmm_now_ms(void);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user);

static double now_ms = 5000;
static int has_threads;

double __wrap_vkmm_now_ms(void)
{
    return now_ms;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user)
{
    return has_threads ? __real_pthread_create(thread, how, run, user) : EAGAIN;
}

static void look_for(cli_sensors *sensors, unsigned ms)
{
    for (unsigned passed = 0; passed < ms; passed += 10) {
        if (sensors != NULL) cli_sensors_look(sensors);
        now_ms += 10;
    }
}

/* Watches for a while; at its beginning, one file gets another content. */
static cli_sensed watch(cli_sensors *sensors, unsigned ms, const char *name, const char *text)
{
    cli_sensed sensed;
    memset(&sensed, 0xa5, sizeof sensed);
    cli_sensors_start(sensors);
    if (name != NULL) put(name, text);
    look_for(sensors, ms);
    cli_sensors_stop(sensors, &sensed);
    return sensed;
}

/* What a device's sensors, or the host's, tell in so long a while. */
static cli_sensed sensed_of(const uint32_t *pci, unsigned ms)
{
    cli_sensors *sensors = cli_sensors_open_with(pci, root, "");
    const cli_sensed sensed = watch(sensors, ms, NULL, NULL);
    cli_sensors_close(&sensors);
    return sensed;
}

IN_FOLDER(a_thread_looks)
{
    put("/proc/cpuinfo", "cpu MHz\t\t: 2450.000\n");
    cli_sensors *sensors = cli_sensors_open_with(NULL, root, "");
    cli_sensed sensed = {.mhz_during = NAN};
    has_threads = 1;
    while (isnan(sensed.mhz_during)) { /* it may have had no turn yet */
        cli_sensors_start(sensors);
        usleep(1000);
        cli_sensors_stop(sensors, &sensed);
    }
    has_threads = 0;
    about(sensed.mhz_during, 2450, 0);
    cli_sensors_close(&sensors);
}

/* Ticks of user, nice, system, idle, iowait, irq, softirq, steal, guest and guest_nice, 100 a second. */
IN_FOLDER(others_need_the_processor_too)
{
    put("/proc/stat", "cpu  500 10 100 9000 50 1 2 3 400 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n");
    cli_sensors *sensors = cli_sensors_open_with(NULL, root, "");
    assert_string_equal(cli_sensors_source(sensors), "stat");
    const double ticks = (double)sysconf(_SC_CLK_TCK) / 100;
    char text[100];
    snprintf(text, sizeof text, "cpu  %.0f 10 100 9900 90 1 2 %.0f 999 0\n", 500 + 80 * ticks, 3 + 10 * ticks);
    const cli_sensed sensed = watch(sensors, 1000, "/proc/stat", text);
    about(sensed.others, 0.9, 0.05);                           /* less what this test itself needs */
    assert_true(isnan(watch(sensors, 30, NULL, NULL).others)); /* too short for a counter that goes in steps */
    put("/proc/stat", "cpu much\n");
    assert_true(isnan(watch(sensors, 1000, NULL, NULL).others));
    cli_sensors_close(&sensors);
}

IN_FOLDER(nothing_to_read_is_no_error)
{
    cli_sensors *sensors = NULL;
    assert_null(cli_sensors_open_with(card, root, ""));
    assert_null(cli_sensors_open_with(NULL, root, ""));
    assert_string_equal(cli_sensors_source(NULL), "");
    cli_sensed sensed = watch(NULL, 0, NULL, NULL);
    assert_true(isnan(sensed.ms) && isnan(sensed.joules) && isnan(sensed.watts) && isnan(sensed.mhz_during));
    assert_string_equal(sensed.limited, "");
    cli_sensors_close(&sensors);
    /* Files that say nothing that a number could be made of. */
    put(GPU "/hwmon/hwmon3/power1_average", "");
    put(GPU "/hwmon/hwmon3/freq1_input", "\x01\xff nan\n");
    put(GPU "/hwmon/hwmon3/energy1_input", "-5\n");
    put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "12 apples\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "<unknown>\n");
    put("/proc/cpuinfo", "cpu MHz\ncpu MHz : -3\ncpu MHz : inf\ncpu MHz : much\n");
    assert_null(cli_sensors_open_with(card, root, ""));
    assert_null(cli_sensors_open_with(NULL, root, ""));
    cli_sensed none;
    sensors = cli_sensors_open(NULL); /* of this very machine: whatever there is, it does no harm */
    cli_sensors_stop(sensors, &none);
    assert_true(isnan(none.ms)); /* never started */
    cli_sensors_start(sensors);
    cli_sensors_start(sensors);
    cli_sensors_close(&sensors);
    assert_null(sensors);
}

IN_FOLDER(amd_tells_power_and_clock)
{
    put(GPU "/hwmon/hwmon3/name", "amdgpu\n");
    put(GPU "/hwmon/hwmon3/power1_average", "150000000\n");
    put(GPU "/hwmon/hwmon3/power1_input", "9000000\n");
    put(GPU "/hwmon/hwmon3/freq1_input", "2450000000\n");
    cli_sensors *sensors = cli_sensors_open_with(card, root, "");
    assert_string_equal(cli_sensors_source(sensors), "amdgpu");
    cli_sensed sensed = watch(sensors, 150, GPU "/hwmon/hwmon3/freq1_input", "1800000000\n");
    about(sensed.watts, 150, 1e-6);
    about(sensed.joules, 150 * sensed.ms / 1e3, 1e-6);
    about(sensed.mhz_before, 2450, 0);
    about(sensed.mhz_during, 1800, 0);
    about(sensed.mhz_after, 1800, 0);
    about(sensed.ms, 150, 0);
    assert_string_equal(sensed.limited, "");
    /* Too short for an energy, but not for a clock. */
    put(GPU "/hwmon/hwmon3/freq1_input", "2000000000\n");
    sensed = watch(sensors, 30, NULL, NULL);
    assert_true(isnan(sensed.joules) && isnan(sensed.watts));
    about(sensed.mhz_during, 2000, 0);
    /* The card goes away while it is watched. */
    put(GPU "/hwmon/hwmon3/power1_average", NULL);
    sensed = watch(sensors, 110, GPU "/hwmon/hwmon3/freq1_input", NULL);
    assert_true(isnan(sensed.joules) && isnan(sensed.watts) && isnan(sensed.mhz_after));
    about(sensed.mhz_before, 2000, 0);
    cli_sensors_close(&sensors);
    put(GPU "/hwmon/hwmon3/power1_input", "9000000\n");
    about(sensed_of(card, 110).watts, 9, 1e-6);
}

IN_FOLDER(intel_tells_energy_and_clock)
{
    char link[128];
    put(GPU "/hwmon/hwmon7/energy1_input", "5000000\n");
    put(GPU "/hwmon/hwmon7/name", "else\n");
    put(GPU "/drm/renderD128/dev", "226:128\n");
    put(GPU "/drm/card1/gt_act_freq_mhz", "999\n");
    put(GPU "/drm/card1/gt/gt0/rps_act_freq_mhz", "1300\n");
    snprintf(link, sizeof link, "%s" GPU "/driver", root);
    assert_int_equal(symlink("../../../bus/pci/drivers/i915", link), 0);
    cli_sensors *sensors = cli_sensors_open_with(card, root, "");
    assert_string_equal(cli_sensors_source(sensors), "i915");
    cli_sensed sensed = watch(sensors, 120, GPU "/hwmon/hwmon7/energy1_input", "8000000\n");
    about(sensed.joules, 3, 1e-6);
    about(sensed.watts, 3e3 / sensed.ms, 1e-6);
    about(sensed.mhz_during, 1300, 0);
    /* A counter that stands still or starts anew gives no energy, and never a negative one. */
    sensed = watch(sensors, 110, NULL, NULL);
    assert_true(isnan(sensed.joules) && isnan(sensed.watts));
    sensed = watch(sensors, 110, GPU "/hwmon/hwmon7/energy1_input", "7\n");
    assert_true(isnan(sensed.joules) && isnan(sensed.watts));
    cli_sensors_close(&sensors);

    put(GPU "/drm/card1/gt/gt0/rps_act_freq_mhz", NULL);
    about(sensed_of(card, 20).mhz_before, 999, 0);
    put(GPU "/drm/card1/gt_act_freq_mhz", NULL);
    put(GPU "/tile0/gt0/freq0/act_freq", "2050\n");
    about(sensed_of(card, 20).mhz_before, 2050, 0);
    put(GPU "/tile0/gt0/freq0/act_freq", "0\n"); /* asleep */
    assert_true(isnan(sensed_of(card, 20).mhz_during));
}

#define RAPL "/sys/class/powercap/intel-rapl:"

IN_FOLDER(a_processor_tells_energy_and_clock)
{
    put("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2450.500\n\nprocessor\t: 1\ncpu MHz\t\t: 2449.500\n");
    cli_sensors *sensors = cli_sensors_open_with(NULL, root, "");
    assert_string_equal(cli_sensors_source(sensors), "cpuinfo");
    cli_sensed sensed = watch(sensors, 110, NULL, NULL);
    about(sensed.mhz_during, 2450, 0);
    assert_true(isnan(sensed.joules));
    cli_sensors_close(&sensors);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3600000\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "800000\n");
    put("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "3500000\n");
    put("/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1\n");
    sensors = cli_sensors_open_with(NULL, root, "");
    assert_string_equal(cli_sensors_source(sensors), "cpufreq");
    about(watch(sensors, 20, NULL, NULL).mhz_during, 3500, 0);
    cli_sensors_close(&sensors);

    put("/sys/class/powercap/intel-rapl/enabled", "1\n");
    put(RAPL "0/name", "package-0\n");
    put(RAPL "0/max_energy_range_uj", "262143328850\n");
    put(RAPL "0/energy_uj", "262143000000\n");
    put(RAPL "0:0/name", "package-0-core\n");
    put(RAPL "0:0/energy_uj", "1\n");
    put(RAPL "1/name", "psys\n");
    put(RAPL "1/energy_uj", "100\n");
    put(RAPL "2/name", "package-1\n");
    put(RAPL "2/max_energy_range_uj", "1000000\n");
    put(RAPL "2/energy_uj", "999999\n");
    cli_sensor_source rapl;
    assert_true(cli_sensor_host(root, &rapl));
    about(rapl.joules(rapl.state), 0, 0);
    put(RAPL "0/energy_uj", "671150\n"); /* 1.0 J on, over the end of its range */
    put(RAPL "2/energy_uj", "499999\n"); /* 0.5 J, over its own */
    put(RAPL "0:0/energy_uj", "9000000\n");
    put(RAPL "1/energy_uj", "9000000\n");
    about(rapl.joules(rapl.state), 1.5, 1e-6);
    put(RAPL "2/energy_uj", NULL);
    put(RAPL "0/energy_uj", "1671150\n");
    assert_true(isnan(rapl.joules(rapl.state))); /* one package alone is not the processor's energy, */
    put(RAPL "2/energy_uj", "599999\n");
    about(rapl.joules(rapl.state), 2.6, 1e-6); /* and what it counted meanwhile is not lost */
    rapl.close(rapl.state);

    sensors = cli_sensors_open_with(NULL, root, "");
    assert_string_equal(cli_sensors_source(sensors), "RAPL");
    sensed = watch(sensors, 110, RAPL "0/energy_uj", "3671150\n");
    about(sensed.joules, 2, 1e-6);
    about(sensed.mhz_after, 3500, 0);
    sensed = watch(sensors, 110, RAPL "2/energy_uj", NULL);
    assert_true(isnan(sensed.joules));
    cli_sensors_close(&sensors);
}

IN_FOLDER(nvidia_tells_everything)
{
    const uint32_t other[4] = {0, 0xc2, 0, 0};
    void *handle = vkmm_dynlib_open(library);
    assert_non_null(handle);
    vkmm_function symbol = vkmm_dynlib_symbol(handle, "fake_nvml");
    struct fake_nvml *nvml = NULL;
    memcpy(&nvml, &symbol, sizeof nvml);
    assert_non_null(nvml);
    assert_null(cli_sensors_open_with(card, root, library)); /* it has the card, but no figure */
    nvml->mhz = 1980;
    assert_null(cli_sensors_open_with(other, root, library));
    nvml->broken = 1;
    assert_null(cli_sensors_open_with(card, root, library));
    nvml->users = nvml->broken = 0;
    cli_sensors *sensors = cli_sensors_open_with(card, root, library);
    assert_string_equal(cli_sensors_source(sensors), "NVML");
    cli_sensed sensed = watch(sensors, 110, NULL, NULL);
    about(sensed.mhz_during, 1980, 0);
    assert_true(isnan(sensed.joules));
    nvml->milliwatts = 700000;
    nvml->reasons = 0x4 | 0x20 | 0x1;
    sensed = watch(sensors, 110, NULL, NULL);
    about(sensed.watts, 700, 1e-6);
    assert_string_equal(sensed.limited, "power, heat");
    nvml->millijoules = 1000000;
    nvml->reasons = 0x60;
    sensed = watch(sensors, 110, NULL, NULL);
    assert_true(isnan(sensed.joules)); /* a counter is believed, even when it stands still */
    cli_sensors_start(sensors);
    nvml->millijoules = 1070000;
    look_for(sensors, 110);
    cli_sensors_stop(sensors, &sensed);
    about(sensed.joules, 70, 1e-6);
    assert_string_equal(sensed.limited, "heat");
    nvml->reasons = 0x8;
    assert_string_equal(watch(sensors, 20, NULL, NULL).limited, "hardware slowdown");
    nvml->reasons = 0x1 | 0x2; /* idle; set by the user */
    assert_string_equal(watch(sensors, 20, NULL, NULL).limited, "");
    assert_int_equal(nvml->users, 1);
    cli_sensors_close(&sensors);
    assert_int_equal(nvml->users, 0);
    vkmm_dynlib_close(handle);
    assert_null(cli_sensors_open_with(card, root, "libm.so.6"));
    /* Without the library, what the kernel tells of the card still counts. */
    put(GPU "/hwmon/hwmon0/power1_input", "20000000\n");
    sensors = cli_sensors_open_with(card, root, "/nowhere/libnvidia-ml.so.1");
    assert_string_equal(cli_sensors_source(sensors), "sysfs");
    cli_sensors_close(&sensors);
}

/* A counter that moves every 100 ms, by 70 J: 700 W, wherever between two moves one looks. */
TEST(steps_of_a_counter_do_not_matter)
{
    for (int phase = 0; phase < 100; phase += 10) {
        cli_sensor_steps steps = {.joules = NAN};
        for (int ms = 0; ms <= 350; ms += 10) {
            cli_sensor_look(&steps, 5000 + ms, 70.0 * ((ms + phase) / 100));
            if (ms == 50) cli_sensor_look(&steps, 5000 + ms, NAN);
        }
        about(cli_sensor_power(&steps, 100), 700, 1e-9);
        assert_true(steps.count >= 3);
    }
    cli_sensor_steps steps = {.joules = NAN};
    cli_sensor_look(&steps, 0, 5);
    cli_sensor_look(&steps, 200, 9);
    assert_true(isnan(cli_sensor_power(&steps, 100))); /* one move has no time */
    cli_sensor_look(&steps, 290, 10);
    assert_true(isnan(cli_sensor_power(&steps, 100)));
    cli_sensor_look(&steps, 310, 8); /* anew */
    assert_true(isnan(cli_sensor_power(&steps, 100)));
    cli_sensor_look(&steps, 400, 29);
    about(cli_sensor_power(&steps, 100), 100, 1e-9);
}

#define SUPPLY "/sys/class/power_supply/"

IN_FOLDER(a_laptop_says_what_it_lives_on)
{
    assert_string_equal(cli_power_source(root), "");
    put(SUPPLY "hidpp_battery_0/type", "Battery\n");
    put(SUPPLY "hidpp_battery_0/scope", "Device\n");
    put(SUPPLY "hidpp_battery_0/status", "Discharging\n");
    assert_string_equal(cli_power_source(root), "");
    put(SUPPLY "BAT0/type", "Battery\n");
    put(SUPPLY "BAT0/status", "Discharging\n");
    put(SUPPLY "AC/type", "Mains\n");
    put(SUPPLY "AC/online", "0\n");
    assert_string_equal(cli_power_source(root), "battery");
    put(SUPPLY "AC/online", "1\n");
    assert_string_equal(cli_power_source(root), "mains");
    put(SUPPLY "AC/online", NULL);
    put(SUPPLY "BAT0/status", "Full\n");
    assert_string_equal(cli_power_source(root), "mains");
    put(SUPPLY "BAT0/status", "\n\n");
    assert_string_equal(cli_power_source(root), "");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest *tests;
    const size_t listed = listed_tests(&tests);
    library = count == 2 ? realpath(arguments[1], NULL) : ""; /* tests leave this folder */
    return _cmocka_run_group_tests("sensors", tests, listed, NULL, NULL);
}
