#include "verify/verify.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"auto", "full", "freivalds", "none"};

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
