#include "base/random.h"

/* splitmix64's finalizer: a bijection of 64 bits in which every input bit moves every output bit. */
static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t vkmm_random_bits(uint64_t seed, uint64_t index)
{
    /* The seed is mixed first: otherwise the streams of two seeds that differ by the step below would be one stream,
     * shifted. */
    return mix(mix(seed + UINT64_C(0x632be59bd9b4e019)) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}
