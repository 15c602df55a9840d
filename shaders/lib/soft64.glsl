// f64, or f32 in a build with F32, in 32-bit integer arithmetic: x·y + z, rounded once, to the nearest, ties to even. A
// value on its way is a magnitude of 128 bits, the lowest word first, and the exponent of its highest bit; its lowest
// bit also stands for all that is lost below it.

const Element ZERO = Element(0);
#if defined(F32)
const Element ONE = 0x3f800000, NAN = 0x7fc00000;
#else
const Element ONE = uvec2(0, 0x3ff00000), NAN = uvec2(0, 0x7ff80000);
#endif

uvec4 shift_right_128(uvec4 x, uint by) // x is not 0
{
    uint lost = 0;
    by = min(by, 127);
    if (by >= 64) {
        lost = x.x | x.y;
        x = uvec4(x.zw, 0, 0);
    }
    if ((by & 32) != 0) {
        lost |= x.x;
        x = uvec4(x.yzw, 0);
    }
    by &= 31;
    if (by > 0) {
        lost |= x.x << (32 - by);
        x = x >> by | uvec4(x.yzw, 0) << (32 - by);
    }
    x.x |= uint(lost != 0);
    return x;
}

// Moves the highest 1 to the highest place, from which it was `by` places away. x is not 0.
uvec4 normal_128(uvec4 x, out uint by)
{
    by = 0;
    if ((x.z | x.w) == 0) {
        x = uvec4(0, 0, x.xy);
        by = 64;
    }
    if (x.w == 0) {
        x = uvec4(0, x.xyz);
        by += 32;
    }
    const uint bits = 31 - findMSB(x.w);
    by += bits;
    return bits == 0 ? x : x << bits | uvec4(0, x.xyz) >> (32 - bits);
}

uvec4 add_128(uvec4 x, uvec4 y)
{
    uvec4 carry;
    uint more;
    uvec4 sum = uaddCarry(x, y, carry);
    sum.y = uaddCarry(sum.y, carry.x, more);
    carry.y |= more;
    sum.z = uaddCarry(sum.z, carry.y, more);
    carry.z |= more;
    sum.w += carry.z;
    return sum;
}

bool less_128(uvec4 x, uvec4 y)
{
    return x.w != y.w ? x.w < y.w : x.z != y.z ? x.z < y.z : x.y != y.y ? x.y < y.y : x.x < y.x;
}

// An element of the sign of the highest bit of `sign`, from a normal magnitude.
Element rounded(uint sign, int exponent, uvec4 x)
{
    const int biased = exponent + FIELD_OF_ONE;
    if (biased >= int(MOST_FIELD))
        return element(0, sign & 0x80000000 | INFINITE);
    if (biased < 1)
        x = shift_right_128(x, uint(min(1 - biased, 64)));
#if defined(F32)
    const uvec2 kept = uvec2(0, x.w >> 8);
    const uint rest = (x.w & 0xff) << 4 | uint((x.x | x.y | x.z) != 0), odd = kept.y & 1;
#else
    const uvec2 kept = shift_right(x.zw, 11);
    const uint rest = (x.z & 0x7ff) << 1 | uint((x.x | x.y) != 0), odd = kept.x & 1;
#endif
    uint carry = uint(rest > 0x800 || (rest == 0x800 && odd != 0)), low = 0;
#if !defined(F32)
    low = uaddCarry(kept.x, carry, carry);
#endif
    return element(low, kept.y + carry + (uint(max(biased, 1) - 1) << TOP_BITS) | sign & 0x80000000);
}

bool is_zero(Element x) { return (low(x) | top(x) << 1) == 0; }
bool is_nan(Element x) { return top(x) << 1 > INFINITE << 1 || (top(x) << 1 == INFINITE << 1 && low(x) != 0); }
bool is_infinite(Element x) { return top(x) << 1 == INFINITE << 1 && low(x) == 0; }

Element fused(Element a, Element b, Element c)
{
    const uint sign = top(a) ^ top(b), differ = sign ^ top(c);
    const bool infinite = is_infinite(a) || is_infinite(b), zero = is_zero(a) || is_zero(b);
    if (is_nan(a) || is_nan(b) || is_nan(c) || (infinite && (zero || (is_infinite(c) && differ >> 31 != 0))))
        return NAN;
    if (infinite)
        return element(0, sign & 0x80000000 | INFINITE);
    if (is_infinite(c) || (zero && !is_zero(c)))
        return c;
    if (zero)
        return element(0, sign & top(c) & 0x80000000);
    uint ea, eb, ec, by, high, low;
    const uvec2 x = fraction(a, ea), y = fraction(b, eb);
    uvec4 product;
    umulExtended(x.x, y.x, product.y, product.x);
    umulExtended(x.y, y.y, product.w, product.z);
    umulExtended(x.x, y.y, high, low);
    product = add_128(product, uvec4(0, low, high, 0));
    umulExtended(x.y, y.x, high, low);
    product = normal_128(add_128(product, uvec4(0, low, high, 0)), by);
    int exponent = int(ea + eb) - 2 * 1075 + 127 - int(by);
    const uvec2 z = fraction(c, ec);
    if ((z.x | z.y) == 0)
        return rounded(sign, exponent, product);
    uvec4 other = normal_128(uvec4(0, 0, z), by);
    const int other_exponent = int(ec) - 1075 + 63 - int(by);
    // One bit is left for a carry.
    product = shift_right_128(product, 1 + uint(max(other_exponent - exponent, 0)));
    other = shift_right_128(other, 1 + uint(max(exponent - other_exponent, 0)));
    exponent = max(exponent, other_exponent) + 1;
    uint result = sign;
    if (differ >> 31 == 0) {
        product = add_128(product, other);
    } else {
        const bool smaller = less_128(product, other);
        product = smaller ? add_128(add_128(other, ~product), uvec4(1, 0, 0, 0))
                          : add_128(add_128(product, ~other), uvec4(1, 0, 0, 0));
        result = smaller ? top(c) : sign;
    }
    if (product == uvec4(0))
        return ZERO;
    product = normal_128(product, by);
    return rounded(result, exponent - int(by), product);
}
