/* Uniform and normal random numbers. */
#pragma once

#include <math.h>

#include "base/random.h"

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t seed, uint64_t index)
{
    return (double)(vkmm_random_bits(seed, index) >> 11) * 0x1p-53;
}

/* Standard normal (Box-Muller on two draws of the stream). 1 - unit lies in (0, 1], so that its logarithm is finite. */
static inline double random_normal(uint64_t seed, uint64_t index)
{
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(seed, 2 * index)));
    return radius * cos(6.283185307179586 * random_unit(seed, 2 * index + 1));
}
