#include "verify/verify.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"auto", "full", "freivalds", "none", "samples"};

const char *vkmm_verify_method_name(vkmm_verify_method method)
{
    return names[method];
}

int vkmm_verify_method_parse(const char *name, vkmm_verify_method *method)
{
    for (int i = 0; i <= VKMM_VERIFY_NONE; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *method = (vkmm_verify_method)i;
        return 1;
    }
    return 0;
}

double vkmm_tolerance(uint64_t k, vkmm_numbers numbers)
{
    return fmax(16.0, numbers == VKMM_NUMBERS_RANDOM ? sqrt((double)k) : (double)k / 2.0 + 2.0);
}

double vkmm_tolerance_of(vkmm_types types, uint64_t k, vkmm_numbers numbers)
{
    const double terms = (double)k, least = types.compute == VKMM_F16 ? 6.0 : 16.0;
    if (types.compute != VKMM_F16 && types.in != VKMM_F16 && types.in != VKMM_BF16) return vkmm_tolerance(k, numbers);
    if (numbers != VKMM_NUMBERS_RANDOM) return fmax(least, 1.25 * terms + 2.0);
    return types.compute == VKMM_F16 ? least : vkmm_tolerance(k, numbers);
}
