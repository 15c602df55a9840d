/* Counter-based random numbers: the i-th number of a stream is a pure function of (seed, i), so that a matrix can be
 * filled in any order and made again later. The mixing function is splitmix64's (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). */
#pragma once

#include <stdint.h>

/* 64 uniform bits. */
uint64_t vkmm_random_bits(uint64_t seed, uint64_t index);
