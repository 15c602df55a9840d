/* A management library whose figures the tests set: they open it too, and find `fake_nvml`. */
#include <string.h>

#include "fake_nvml.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_nvml fake_nvml = {0};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);

EXPORT int nvmlInit_v2(void)
{
    fake_nvml.users++;
    return fake_nvml.broken ? 9 : 0;
}

EXPORT int nvmlShutdown(void)
{
    fake_nvml.users--;
    return 0;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
{
    *device = &fake_nvml;
    return strcmp(id, "0000:c1:00.0") == 0 ? 0 : 6;
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    *millijoules = fake_nvml.millijoules;
    return device == &fake_nvml && fake_nvml.millijoules > 0 ? 0 : 3;
}

EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = fake_nvml.milliwatts;
    return device == &fake_nvml && fake_nvml.milliwatts > 0 ? 0 : 3;
}

EXPORT int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    *mhz = fake_nvml.mhz;
    return device == &fake_nvml && type == 1 && fake_nvml.mhz > 0 ? 0 : 3;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = fake_nvml.reasons;
    return device == &fake_nvml ? 0 : 3;
}
