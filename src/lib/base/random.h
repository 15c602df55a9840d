/* Counter-based random numbers: the i-th number of a stream is a pure function of (seed, i), so that a matrix can be
 * filled in any order and made again later. The mixing function is splitmix64's (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). */
#pragma once

#include <stdint.h>

/* splitmix64's finalizer: a bijection of 64 bits in which every input bit moves every output bit. */
static inline uint64_t vkmm_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 64 uniform bits. The seed is mixed first: otherwise the streams of two seeds that differ by the step below would be
 * one stream, shifted. */
static inline uint64_t vkmm_random_bits(uint64_t seed, uint64_t index)
{
    return vkmm_random_mix(vkmm_random_mix(seed + UINT64_C(0x632be59bd9b4e019)) +
                           (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}
