/* NVIDIA's management library. Its functions, units and bits are those of the NVML API Reference; the library comes
 * with the driver. */
#include "system/sensors_source.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/dynlib.h"

enum { SUCCESS = 0, CLOCK_SM = 1 };
enum {
    SW_POWER_CAP = 0x4,
    HW_SLOWDOWN = 0x8,
    SW_THERMAL = 0x20,
    HW_THERMAL = 0x40,
    HW_POWER_BRAKE = 0x80
}; /* reasons for a low clock */

typedef int plain_function(void);
typedef int find_function(const char *pci_bus_id, void **device);
typedef int long_function(void *device, unsigned long long *value);
typedef int power_function(void *device, unsigned *milliwatts);
typedef int clock_function(void *device, int type, unsigned *mhz);

typedef struct nvml {
    void *library, *device;
    plain_function *shut_down; /* NULL until it was initialized */
    long_function *energy, *reasons;
    power_function *power;
    clock_function *clock;
} nvml;

static double joules(void *state)
{
    nvml *n = state;
    unsigned long long millijoules = 0;
    return n->energy != NULL && n->energy(n->device, &millijoules) == SUCCESS ? (double)millijoules / 1e3 : NAN;
}

static double watts(void *state)
{
    nvml *n = state;
    unsigned milliwatts = 0;
    return n->power != NULL && n->power(n->device, &milliwatts) == SUCCESS ? milliwatts / 1e3 : NAN;
}

static double mhz(void *state)
{
    nvml *n = state;
    unsigned clock = 0;
    return n->clock != NULL && n->clock(n->device, CLOCK_SM, &clock) == SUCCESS && clock > 0 ? (double)clock
                                                                                             : (double)NAN;
}

static unsigned limited(void *state)
{
    nvml *n = state;
    unsigned long long bits = 0;
    if (n->reasons == NULL || n->reasons(n->device, &bits) != SUCCESS) return 0;
    unsigned why = (bits & (SW_POWER_CAP | HW_POWER_BRAKE) ? CLI_LIMITED_POWER : 0) |
                   (bits & (SW_THERMAL | HW_THERMAL) ? CLI_LIMITED_HEAT : 0);
    return why == 0 && bits & HW_SLOWDOWN ? CLI_LIMITED_HARDWARE : why;
}

static void close_nvml(void *state)
{
    nvml *n = state;
    if (n->shut_down != NULL) n->shut_down();
    vkmm_dynlib_close(n->library);
    vkmm_free(n);
}

static vkmm_function find(const nvml *n, const char *name)
{
    return vkmm_dynlib_symbol(n->library, name);
}

static int connect(nvml *n, const char *library, const uint32_t pci[4])
{
    char id[32];
    n->library = vkmm_dynlib_open(library);
    if (n->library == NULL) return 0;
    plain_function *initialize = (plain_function *)find(n, "nvmlInit_v2"),
                   *shut_down = (plain_function *)find(n, "nvmlShutdown");
    find_function *find_device = (find_function *)find(n, "nvmlDeviceGetHandleByPciBusId_v2");
    if (initialize == NULL || shut_down == NULL || find_device == NULL || initialize() != SUCCESS) return 0;
    n->shut_down = shut_down;
    VKMM_PUT(id, "%04x:%02x:%02x.%x", pci[0], pci[1], pci[2], pci[3]);
    if (find_device(id, &n->device) != SUCCESS) return 0;
    n->energy = (long_function *)find(n, "nvmlDeviceGetTotalEnergyConsumption");
    n->power = (power_function *)find(n, "nvmlDeviceGetPowerUsage");
    n->clock = (clock_function *)find(n, "nvmlDeviceGetClockInfo");
    n->reasons = (long_function *)find(n, "nvmlDeviceGetCurrentClocksEventReasons");
    if (n->reasons == NULL)
        n->reasons =
            (long_function *)find(n, "nvmlDeviceGetCurrentClocksThrottleReasons"); /* its name before driver 535 */
    return !isnan(joules(n)) || !isnan(watts(n)) || !isnan(mhz(n));
}

int cli_sensor_nvml(const char *library, const uint32_t pci[4], cli_sensor_source *source)
{
    nvml *n = vkmm_alloc(1, sizeof *n);
    if (n == NULL) return 0;
    if (!connect(n, library, pci)) {
        close_nvml(n);
        return 0;
    }
    *source = (cli_sensor_source){"NVML", n, joules, watts, mhz, limited, close_nvml};
    return 1;
}
