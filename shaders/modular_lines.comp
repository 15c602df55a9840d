#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The first pass of a modular product: looks at all lines of A or B along K, and chooses the power of two that makes
// each one integers. The first workgroup also makes the table of moduli.
//
// The integers are as large as the moduli allow: the sum of the products of two lines is at most the product of their
// Euclidean norms (Cauchy and Schwarz), which must be below Π/2, so each norm is kept below √(Π/2). Those of a
// reproducible product follow from the exponents of their line alone, whatever the moduli.
//
// A second look (COUNTING) counts how many elements of a line are large, relative to what the first look found. From
// that the host, or the device (modular_decide.comp), tells whether the moduli hold A and B.
#include "modular.glsl"

layout(local_size_x_id = 0) in; // a multiple of 32, at most 256

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { Element A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { Element B[]; };
layout(std430, set = 0, binding = 3) restrict buffer Lines { uvec4 lines[]; };

layout(push_constant) uniform Work {
    uint COUNT, DEPTH;                        // lines of the matrix, and their length
    uint LINE_STEP, DEPTH_STEP, OFFSET, STRIDE; // elements
    uint TO, TO_STRIDE;                       // where the lines are, in vectors
    uint IS_B, MODULI;
    uint LIMIT_POWER;                         // Π/2, less a little, is 4^LIMIT_POWER times
    float LIMIT;                              // this; 0: integers in units of 2^-LIMIT_POWER of the highest bit
    uint LARGEST;                             // modulus
    uint SMALLER[(MOST_MODULI + 3) / 4];      // a byte for each modulus: how much less it is
    uint COUNTING;                            // the second look: vectors from a line to what it finds; 0: the first
};

uint modulus(uint n) { return LARGEST - (SMALLER[n / 4] >> 8 * (n % 4) & 0xff); }

// Writes the row of a modulus; of MODULI, the product of all.
void make_row(uint index)
{
    uint product[LIMBS], rest = 1;
    const uint m = index < MODULI ? modulus(index) : 1;
    for (uint l = 0; l < LIMBS; l++)
        product[l] = uint(l == 0);
    for (uint n = 0; n < MODULI; n++) {
        uint carry = 0;
        if (n == index)
            continue;
        for (uint l = 0; l < LIMBS; l++) {
            carry += product[l] * modulus(n);
            product[l] = carry & (1 << LIMB_BITS) - 1;
            carry >>= LIMB_BITS;
        }
        rest = rest * modulus(n) % m;
    }
    const uint at = index < MODULI ? index * ROW + 2 : MOST_MODULI * ROW;
#if defined(WORDS)
    for (uint l = 0; l < LIMBS / 2; l++)
        product[l] = product[2 * l] | product[2 * l + 1] << 16;
#endif
    lines[at] = uvec4(product[0], product[1], product[2], product[3]);
    lines[at + 1] = uvec4(product[4], product[5], product[6], product[7]);
    if (index == MODULI)
        return;
    uint a[8], b[8]; // a: the inverse of Π/m, so that sums need not be multiplied by it
    for (a[0] = b[0] = 1; a[0] < m && a[0] * rest % m != 1; a[0]++)
        ;
    for (uint l = 1; l < 8; l++) {
        a[l] = a[l - 1] * ((1u << ELEMENT_BITS) % m) % m;
        b[l] = b[l - 1] * ((1u << ELEMENT_BITS) % m) % m;
    }
    const uint above = (0x80000000 + m - 1) / m * m, part = ((1 << 24) + m / 2) / m;
#if defined(WORDS)
    lines[index * ROW] = uvec4(m, 0xffffffff / m, above, part);
    lines[index * ROW + 1] = uvec4(a[0] | a[1] << 16, a[2] | a[3] << 16, b[0] | b[1] << 16, b[2] | b[3] << 16);
#else
    uvec2 of_a = uvec2(0), of_b = uvec2(0);
    for (uint l = 0; l < 8; l++) { // bytes with a sign
        of_a[l / 4] |= (a[l] - (a[l] > m / 2 ? m : 0) & 0xff) << 8 * (l % 4);
        of_b[l / 4] |= (b[l] - (b[l] > m / 2 ? m : 0) & 0xff) << 8 * (l % 4);
    }
    lines[index * ROW] = uvec4(m, 0xffffffff / m, of_a.x, of_b.x);
    lines[index * ROW + 1] = uvec4(above, part, of_a.y, of_b.y);
#endif
}

struct Line { uint highest, lowest; float squares; };

float power_of_half(uint n) { return n > 126 ? 0 : uintBitsToFloat(127 - n << 23); }

// The highest bit of a normal number and the exponent of subnormal ones, as fraction() returns them.
#if defined(F32)
const uint HIGHEST = 23, LEAST_EXPONENT = 1 + 1075 - 150;
uint top_fraction(uvec2 x) { return x.x; } // the 23 bits after the highest, in the lower ones of a word
#else
const uint HIGHEST = 52, LEAST_EXPONENT = 1;
uint top_fraction(uvec2 x) { return x.y << 3 | x.x >> 29; }
#endif

// A line's squares in units of the square of 2^highest, which is at least its own.
float squares_at(uint highest, Line x)
{
    const float scale = power_of_half(highest - x.highest);
    return x.squares * scale * scale;
}

Line both(Line x, Line y)
{
    const uint highest = max(x.highest, y.highest);
    return Line(highest, min(x.lowest, y.lowest), squares_at(highest, x) + squares_at(highest, y));
}

Line line_of(Element bits)
{
    uint exponent;
    const uvec2 x = fraction(bits, exponent);
    if ((x.x | x.y) == 0)
        return Line(0, 0xffff, 0);
    uint high = HIGHEST;
    uvec2 aligned = x;
    if (exponent <= LEAST_EXPONENT) { // perhaps subnormal, which takes longer
        high = highest_bit(x);
        aligned = shift_left(x, HIGHEST - high);
    }
    const uint word = x.x != 0 ? x.x : x.y, low = findMSB(word & -word) + (x.x != 0 ? 0 : 32);
    const float value = uintBitsToFloat(127 << 23 | top_fraction(aligned) & 0x7fffff); // 1 to 2
    const uint highest = exponent == 0x7ff ? NOT_FINITE : exponent + high + 12;
    return Line(highest, exponent + low + 12, value * value);
}

shared Line joined[256];

Element read(uint at) { return IS_B != 0 ? B[at] : A[at]; }

// An invocation's part of a line, in the first look. AT_ONCE elements are loaded together, so that no load waits for
// another one; a branch on IS_B between them would make them wait. CPUs gain nothing, and would compile for longer.
#if defined(WORDS)
const uint AT_ONCE = 1;
#else
const uint AT_ONCE = 8;
#endif
#define LOOK(MATRIX) \
    for (uint k = first; k < DEPTH; k += AT_ONCE * readers) { \
        Element bits[AT_ONCE]; \
        [[unroll]] for (uint n = 0; n < AT_ONCE; n++) { \
            const uint at = k + n * readers; \
            const Element x = MATRIX[base + min(at, DEPTH - 1) * DEPTH_STEP]; \
            bits[n] = at < DEPTH ? x : Element(0); \
        } \
        mine = join(mine, bits); \
    }

Line join(Line mine, Element bits[AT_ONCE])
{
    Line own[AT_ONCE];
    uint highest = mine.highest;
    [[unroll]] for (uint n = 0; n < AT_ONCE; n++) {
        own[n] = line_of(bits[n]);
        highest = max(highest, own[n].highest);
    }
    float squares = squares_at(highest, mine);
    uint lowest = mine.lowest;
    [[unroll]] for (uint n = 0; n < AT_ONCE; n++) {
        squares += squares_at(highest, own[n]);
        lowest = min(lowest, own[n].lowest);
    }
    return Line(highest, lowest, squares);
}

void finish_line(uint at, Line line)
{
    const float squares = max(line.squares * 1.002, 1); // no less than without rounding
    const uint bits = floatBitsToUint(squares), power = (bits >> 23) - 127;
    const float rest = uintBitsToFloat(127 + power % 2 << 23 | bits & 0x7fffff); // squares / 4^⌊power / 2⌋
    const int shift =
        (LIMIT == 0 ? int(min(LIMIT_POWER, line.highest - line.lowest))
                    : int(LIMIT_POWER) - int(power / 2) - int(rest > LIMIT)) + EXPONENT_OF_ONE - int(line.highest);
    lines[at] = uvec4(uint(shift), 0, floatBitsToUint(squares), line.highest << 16 | line.lowest);
}

// 4^-level of 7 levels: 1, 1.5, 2, 3, 4, 6, 9. A square is rounded down, by the bits that line_of drops, and the mean
// up.
const uint LEVELS = 7;
const vec4 UPPER = vec4(0.25, 0.125, 0.0625, 0.015625), LOWER = vec4(0.00390625, 2.44140625e-4, 3.814697265625e-6, 0);
shared uint tally[8 * (LEVELS + 1)]; // how many elements of a line are at least that large, and the smallest square

uint share(uint at) { return tally[at] * 255 / DEPTH; }

void count_line(uint at, uint own, uint first, uint readers, uint base, bool there)
{
    for (uint i = gl_LocalInvocationID.x; i < 8 * (LEVELS + 1); i += gl_WorkGroupSize.x)
        tally[i] = i % (LEVELS + 1) < LEVELS ? 0 : 0x7f800000;
    barrier();
    const uvec4 record = there ? lines[at] : uvec4(0);
    const float mean = uintBitsToFloat(record.z) / float(DEPTH);
    const uint highest = record.w >> 16, to = own * (LEVELS + 1);
    uvec4 upper = uvec4(0), lower = uvec4(0);
    float least = uintBitsToFloat(0x7f800000);
    for (uint k = first; k < (highest > 0 ? DEPTH : 0); k += readers) {
        const Line x = line_of(read(base + k * DEPTH_STEP));
        const float square = squares_at(highest, x);
        upper += uvec4(greaterThanEqual(vec4(square), mean * UPPER));
        lower += uvec4(greaterThanEqual(vec4(square), mean * LOWER));
        least = x.highest > 0 ? min(least, square) : least;
    }
    atomicAdd(tally[to], upper.x);
    atomicAdd(tally[to + 1], upper.y);
    atomicAdd(tally[to + 2], upper.z);
    atomicAdd(tally[to + 3], upper.w);
    atomicAdd(tally[to + 4], lower.x);
    atomicAdd(tally[to + 5], lower.y);
    atomicAdd(tally[to + 6], lower.z);
    atomicMin(tally[to + LEVELS], floatBitsToUint(least));
    barrier();
    if (first != 0 || !there)
        return;
    if (highest == 0) { // zeros, or nothing if K is 0
        lines[at + COUNTING] = uvec4(0, 0, record.zw);
        return;
    }
    const float smallest = max(uintBitsToFloat(tally[to + LEVELS]), 1e-30);
    const uint range = uint(clamp(ceil(4 * log2(mean / smallest) + 0.01), 0, 255)); // 8 times half of that of squares
    lines[at + COUNTING] = uvec4(share(to) | share(to + 1) << 8 | share(to + 2) << 16 | share(to + 3) << 24,
                                 share(to + 4) | share(to + 5) << 8 | share(to + 6) << 16 | range << 24, record.zw);
}

void main()
{
    if (IS_B == 0 && gl_WorkGroupID.x + gl_WorkGroupID.z == 0 && gl_LocalInvocationID.x <= MODULI)
        make_row(gl_LocalInvocationID.x);
    // Each line is read by 32 invocations. Neighbours read neighbours, of one line or of several.
    const bool along = DEPTH_STEP == 1;
    const uint readers = 32, count = gl_WorkGroupSize.x / readers, me = gl_LocalInvocationID.x;
    const uint own = along ? me / readers : me % count, first = along ? me % readers : me / count;
    const uint line = gl_WorkGroupID.x * count + own;
    const uint base = OFFSET + gl_WorkGroupID.z * STRIDE + line * LINE_STEP;
    const uint at = TO + gl_WorkGroupID.z * TO_STRIDE + line;
    if (COUNTING != 0) {
        count_line(at, own, first, readers, base, line < COUNT);
        return;
    }
    Line mine = Line(0, 0xffff, 0);
    if (line < COUNT) {
        if (IS_B != 0)
            LOOK(B)
        else
            LOOK(A)
    }
    joined[me] = mine;
    barrier();
    if (first != 0 || line >= COUNT)
        return;
    for (uint r = 1; r < readers; r++)
        mine = both(mine, joined[along ? own * readers + r : r * count + own]);
    finish_line(at, mine);
}
