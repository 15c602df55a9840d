// f64, or f32 in a build with F32, as integers, and these as residues modulo small numbers (doc/precision.md), in
// 32-bit arithmetic alone.
// What the three passes of a modular product share: a table of the moduli, and what is known of each line of A and B
// along K. In a build with WORDS, residues are words that any device multiplies as i32, of fewer and larger moduli.

// The table has four vectors for each modulus m, then Π, the product of all moduli, in limbs:
//     m, ⌊(2^32 - 1) / m⌋, and for A and for B four bytes with a sign: what an element's bytes count for, modulo m
//     a multiple of m above 2^31, 2^24 / m, and what its next four count for
//     Π / m, in limbs
// An element has 9 bytes, with a sign each. Π has 8 limbs of 19 bits.
// WORDS: moduli are at most 2^11. An element has 4 limbs of 18 bits (F32: 2), whose sum, each times what it counts for,
// fits 32 bits; Π has 16 of 16 bits, two in a word. The first two vectors are
//     m, ⌊(2^32 - 1) / m⌋, a multiple of m above 2^31, 2^24 / m
//     for A and for B four times 16 bits: what the limbs of an element count for
const uint ROW = 4, MOST_MODULI = 18, LINES_AT = MOST_MODULI * ROW + 2;
#if defined(WORDS)
const uint LIMBS = 16, LIMB_BITS = 16, ELEMENT_BITS = 18;
#else
const uint LIMBS = 8, LIMB_BITS = 19, ELEMENT_BITS = 8;
#endif

// A line is: the shift s that makes its elements x the integers x·2^s, as int; 0; Σx² as float, in units of the square
// of the largest power of two in the line; and the exponents of the highest bit (16 bits) and the lowest (16 bits) that
// is 1 in any of its elements. A second look finds what the moduli are chosen from, behind all lines: the same, but for
// the first two words (vkmm_modular_line in src/lib/math/modular.h).
const uint NOT_FINITE = 0xffff; // as the exponent of the highest bit
const int EXPONENT_OF_ONE = 1087; // of the highest bit of 1.0

#include "remainder.glsl"

#if defined(WORDS)
uvec4 remainder(uvec4 x, uvec4 row)
{
    uvec4 high, low;
    umulExtended(x, uvec4(row.y), high, low);
    const uvec4 r = x - high * row.x;
    return min(r, r - row.x);
}
#endif

uvec2 shift_left(uvec2 x, uint by) // of 64 bits
{
    if (by >= 32)
        return uvec2(0, x.x << (by - 32));
    return by == 0 ? x : uvec2(x.x << by, x.y << by | x.x >> (32 - by));
}

uvec2 shift_right(uvec2 x, uint by)
{
    if (by >= 64)
        return uvec2(0);
    if (by >= 32)
        return uvec2(x.y >> (by - 32), 0);
    return by == 0 ? x : uvec2(x.x >> by | x.y << (32 - by), x.y >> by);
}

// An element's bits: the word with its sign, and the lower one.
#if defined(F32)
#define Element uint
const uint TOP_BITS = 23, MOST_FIELD = 0xff; // of the fraction, in the top word; the exponent of infinities and NaNs
uint top(Element x) { return x; }
uint low(Element x) { return 0; }
Element element(uint low, uint top) { return top; }
Element scalar(uvec2 x) { return x.x; } // as push constants have it
#else
#define Element uvec2
const uint TOP_BITS = 20, MOST_FIELD = 0x7ff;
uint top(Element x) { return x.y; }
uint low(Element x) { return x.x; }
Element element(uint low, uint top) { return uvec2(low, top); }
Element scalar(uvec2 x) { return x; }
#endif
const uint INFINITE = MOST_FIELD << TOP_BITS;
const int FIELD_OF_ONE = int(MOST_FIELD >> 1);

// The 53 bits of an f64, or the 24 of an f32, and its exponent ≥ 1: it is their value times 2^(exponent - 1075).
// 0x7ff: it is not finite.
uvec2 fraction(Element bits, out uint exponent)
{
    const uint field = top(bits) >> TOP_BITS & MOST_FIELD,
               high = top(bits) & (1 << TOP_BITS) - 1 | uint(field > 0) << TOP_BITS;
    exponent = max(field, 1);
#if defined(F32)
    exponent = field == MOST_FIELD ? 0x7ff : exponent + 1075 - 150;
    return uvec2(high, 0);
#else
    return uvec2(low(bits), high);
#endif
}

uint highest_bit(uvec2 x) { return x.y != 0 ? 32 + findMSB(x.y) : findMSB(x.x); }
