#pragma once

/* Figures of the only device, at 0000:c1:00.0. 0: not supported. */
struct fake_nvml {
    int users, broken;
    unsigned long long millijoules, reasons;
    unsigned milliwatts, mhz;
};
