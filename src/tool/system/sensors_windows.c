/* What Windows tells an ordinary user about itself: GetSystemTimes, GetSystemPowerStatus, and the registry. Power and
 * clocks of GPUs come from NVML alone. */
#include "system/sensors_source.h"

#include <math.h>
#include <stdio.h>
#include <windows.h>

#include "base/alloc.h"

static double seconds(const FILETIME *time) /* which counts units of 100 ns */
{
    return ((double)time->dwHighDateTime * 4294967296.0 + time->dwLowDateTime) / 1e7;
}

static double others(void *state)
{
    FILETIME idle, kernel, user, begin, end, own_kernel, own_user;
    (void)state;
    if (!GetSystemTimes(&idle, &kernel, &user) ||
        !GetProcessTimes(GetCurrentProcess(), &begin, &end, &own_kernel, &own_user))
        return NAN;
    /* The kernel's time includes the idle time. */
    return seconds(&kernel) - seconds(&idle) + seconds(&user) - seconds(&own_kernel) - seconds(&own_user);
}

int cli_sensor_host(const char *root, cli_sensor_source *source)
{
    (void)root;
    *source = (cli_sensor_source){.name = "GetSystemTimes", .close = vkmm_free, .others = others};
    return !isnan(others(NULL));
}

int cli_sensor_gpu(const char *root, const uint32_t pci[4], cli_sensor_source *source)
{
    (void)root, (void)pci, (void)source;
    return 0;
}

const char *cli_power_source(const char *root)
{
    SYSTEM_POWER_STATUS status;
    (void)root;
    if (!GetSystemPowerStatus(&status)) return "";
    return status.ACLineStatus == 1 ? "mains" : status.ACLineStatus == 0 ? "battery" : "";
}

void cli_processor_name(char *name, size_t size)
{
    DWORD bytes = (DWORD)size;
    snprintf(name, size, "host processor");
    RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                 RRF_RT_REG_SZ, NULL, name, &bytes);
}
