// What scale.comp and split.comp share, after pack_push.glsl: what they read, and what they decide.

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { uvec4 AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { uvec4 BV[]; };

// Four neighbours of a line in memory, from a multiple of four on; beyond the matrix's end, its last ones once more.
uint first_of(uint line) { return OFFSET + gl_WorkGroupID.z * STRIDE + min(line, LINES - 1) * LD; }

uvec4 four_elements(uint line, uint place)
{
    const uint first = first_of(line);
    uvec4 bits;
    [[unroll]] for (uint n = 0; n < 4; n++) {
        const uint at = first + min(place + n, LENGTH - 1);
        bits[n] = IS_B != 0 ? B[at] : A[at];
    }
    return bits;
}

// The same of A and of B, if all lines begin and end at multiples of four.
bool in_vectors() { return ((OFFSET | STRIDE | LD) & 3) == 0 && LENGTH % 4 == 0; }
uvec4 four_of_a(uint line, uint place) { return AV[(first_of(line) + min(place, LENGTH - 4)) / 4]; }
uvec4 four_of_b(uint line, uint place) { return BV[(first_of(line) + min(place, LENGTH - 4)) / 4]; }

uvec4 four(uint line, uint place)
{
    if (!in_vectors())
        return four_elements(line, place);
    return IS_B != 0 ? four_of_b(line, place) : four_of_a(line, place);
}

// Groups along x, y, z of the first and the second pass over the parts, and of the product without parts, as indirect
// dispatches read them; then how many elements of A and of B are normal numbers, 0 before scale.comp; and their depths,
// as that many bits in the lower half of a word for A, and in the upper half for B (split.comp).
layout(std430, set = 0, binding = 2) restrict buffer Dispatches { uint dispatches[9], normals[2], depths; };

// Whether the product is that of the parts.
void decide(bool parts)
{
    dispatches[0] = parts ? FIRST_GROUPS : 0;
    dispatches[3] = parts ? SECOND_GROUPS : 0;
    dispatches[6] = parts ? 0 : INSTEAD_GROUPS;
}
