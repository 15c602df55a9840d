#version 450
#extension GL_GOOGLE_include_directive : require
// Decides on the device whether the moduli of a modular product hold A and B: what vkmm_modular_needs does on the host
// (src/lib/math/modular.c, doc/precision.md), for all matrices of a batch together. If they do not, the product is
// computed in f64. One workgroup, after modular_lines.comp's second look.
#include "modular.glsl"

layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 2) restrict writeonly buffer Dispatches { uint dispatches[9]; };
layout(std430, set = 0, binding = 3) restrict readonly buffer Lines { uvec4 lines[]; };

layout(push_constant) uniform Work {
    uint A_LINES, B_LINES, BATCHES;
    uint FROM;    // where the lines of the second look are, in vectors: for each matrix those of A, then those of B
    float ROOM;   // bits for which the moduli suffice
    uint FIRST_GROUPS, SECOND_GROUPS, INSTEAD_GROUPS; // workgroups of the products of residues, of the last pass, and
                                                      // of the product in f64
};

const uint LEVELS = 7;
const float LEVEL[LEVELS] = float[](1, 1.5, 2, 3, 4, 6, 9), HALF = 53;

// For each operand. Floats that are not negative are ordered like their bits.
shared uint exact[2], own[2], least[2][LEVELS], not_whole, not_finite;

uint byte_of(uvec4 line, uint n) { return line[n / 4] >> 8 * (n % 4) & 0xff; }

// This invocation's lines of one operand.
void look_at(uint o, uint first, uint count)
{
    float all = 0, most = 0;
    uvec4 upper = uvec4(255), lower = uvec4(255);
    bool whole = true, finite = true;
    for (uint batch = 0; batch < BATCHES; batch++)
        for (uint l = gl_LocalInvocationID.x; l < count; l += gl_WorkGroupSize.x) {
            const uvec4 line = lines[FROM + batch * (A_LINES + B_LINES) + first + l];
            const uint highest = line.w >> 16, lowest = line.w & 0xffff, range = byte_of(line, LEVELS);
            if (highest == 0) // zeros
                continue;
            const float bits = float(highest - lowest) + 0.5 * log2(uintBitsToFloat(line.z));
            finite = finite && highest != NOT_FINITE;
            whole = whole && lowest >= EXPONENT_OF_ONE && highest <= EXPONENT_OF_ONE + 53;
            all = max(all, bits);
            most = max(most, range < 255 ? min(bits, HALF + range / 8.0) : bits);
            upper = min(upper, uvec4(line.x, line.x >> 8, line.x >> 16, line.x >> 24) & 0xff);
            lower = min(lower, uvec4(line.y, line.y >> 8, line.y >> 16, 255) & 0xff);
        }
    atomicMax(exact[o], floatBitsToUint(all));
    atomicMax(own[o], floatBitsToUint(most));
    for (uint n = 0; n < LEVELS; n++)
        atomicMin(least[o][n], n < 4 ? upper[n] : lower[n - 4]);
    atomicOr(not_whole, uint(!whole));
    atomicOr(not_finite, uint(!finite));
}

float needed()
{
    const vec2 all = uintBitsToFloat(uvec2(exact[0], exact[1])), most = uintBitsToFloat(uvec2(own[0], own[1]));
    float overlap = uintBitsToFloat(0x7f800000);
    for (uint s = 0; s < LEVELS; s++)
        for (uint t = 0; t < LEVELS; t++) {
            const int both = int(least[0][s] + least[1][t]) - 255;
            if (both > 0)
                overlap = min(overlap, HALF + LEVEL[s] + LEVEL[t] - log2(both / 255.0));
        }
    const vec2 each = not_whole == 0 ? all : min(most, overlap);
    return max(each.x, each.y);
}

void main()
{
    const uint i = gl_LocalInvocationID.x;
    if (i < 2) {
        exact[i] = own[i] = 0;
        for (uint n = 0; n < LEVELS; n++)
            least[i][n] = 255;
    }
    if (i == 0)
        not_whole = not_finite = 0;
    barrier();
    look_at(0, 0, A_LINES);
    look_at(1, A_LINES, B_LINES);
    barrier();
    if (i != 0)
        return;
    const bool fits = not_finite == 0 && needed() <= ROOM;
    const uint groups[3] = uint[](fits ? FIRST_GROUPS : 0, fits ? SECOND_GROUPS : 0, fits ? 0 : INSTEAD_GROUPS);
    for (uint n = 0; n < 9; n++)
        dispatches[n] = n % 3 == 0 ? groups[n / 3] : 1;
}
