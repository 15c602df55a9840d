// Matrix operations for tests of skinnymat.comp on devices without them: its layout, through shared memory, in f32.
#define UNROLL [[dont_unroll]] // drivers would compile for minutes
#define float16_t float
#define f16vec2 vec2
#define unpackFloat2x16 unpackHalf2x16
#define packFloat2x16 packHalf2x16
#define FragmentA float[8]
#define FragmentB float[4]
#define Sums float[4]
#define ONES_A float[8](1, 1, 1, 1, 1, 1, 1, 1)
#define NO_SUMS float[4](0, 0, 0, 0)
#define subgroupBarrier barrier
#define subgroupMemoryBarrierShared memoryBarrierShared
shared float played_a[SUBGROUPS * 256], played_b[SUBGROUPS * 128];
bool is_subgroup() { return true; }

#if defined(STRANGE) // places of two pairs of elements are exchanged
const uint ROW_BIT = 2, K_BIT = 4;
#else
const uint ROW_BIT = 4, K_BIT = 2;
#endif

// Subgroups must be as many steps from here: they wait for each other.
Sums coopMatMulAdd(FragmentA a, FragmentB b, Sums c)
{
    barrier();
    UNROLL for (uint i = 0; i < 8; i++)
        played_a[subgroup() * 256 + (high() + i / ROW_BIT % 2 * 8) * 16 + 2 * low() + i % 2 + i / K_BIT % 2 * 8] = a[i];
    UNROLL for (uint i = 0; i < 4; i++)
        played_b[subgroup() * 128 + (2 * low() + i % 2 + i / 2 * 8) * 8 + high()] = b[i];
    barrier();
    Sums sums = c;
    UNROLL for (uint i = 0; i < 4; i++)
        UNROLL for (uint k = 0; k < 16; k++)
            sums[i] = fma(played_a[subgroup() * 256 + (high() + i / 2 * 8) * 16 + k],
                          played_b[subgroup() * 128 + k * 8 + 2 * low() + i % 2], sums[i]);
    return sums;
}
